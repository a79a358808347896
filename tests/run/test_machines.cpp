// Results files of several machines, named after them.
#include <sstream>

#include <doctest/doctest.h>

#include "core/base/progress.h"
#include "core/run/machines.h"
#include "tests/command.h"

using namespace sonde;

TEST_CASE("each machine has a results file of its own, in the folder that was named, whatever it calls itself") {
    std::vector<std::filesystem::path> taken;
    CHECK(file_of_machine("lab/run.jsonl", "node1", taken) == "lab/run-node1.jsonl");
    CHECK(file_of_machine("lab/run.jsonl", "node1", taken) == "lab/run-node1-2.jsonl");
    CHECK(file_of_machine("lab/run.jsonl", "../../etc/cron.d/x y", taken) == "lab/run-______etc_cron_d_x_y.jsonl");
    CHECK(file_of_machine("lab/run.jsonl", "", taken) == "lab/run-machine.jsonl");
}

TEST_CASE("of several machines' exit codes an error's counts, however high another's is") {
    const command::Folder folder;
    const auto via = [](int code) {
        return fmt::format(R"( --via "sh -c 'read -r _; echo sonde: on lab; exit {}' x")", code);
    };
    for (const int error : {1, 2}) {
        CAPTURE(error);
        CHECK(command::sonde_run("run latency --out " + folder.file("r.jsonl") + via(3) + via(error)).code == error);
    }
}

TEST_CASE("progress lines of several machines are rewritten in place, and what is said stands above them") {
    std::ostringstream terminal, out;
    ProgressBoard board(terminal, ProgressBoard::Form::in_place, 2);
    board.set(0, "a");
    board.set(1, "b");
    CHECK(terminal.str() == "a\n\r\033[K\033[A\033[Ka\nb");
    board.print(out, "done\n");
    CHECK(out.str() == "done\n");
    board.clear();
    ProgressBoard silent(out, ProgressBoard::Form::sparse, 1); // one in ten seconds
    silent.set(0, "x");
    CHECK(out.str() == "done\n");
}
