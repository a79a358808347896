// Workers that crash, hang, lie and flood cost the series in flight and nothing else.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/file.h"
#include "core/run/supervise.h"
#include "tests/places.h"
#include "tests/says.h"

using namespace sonde;

namespace {
WorkerClient scripted(const std::string& script, double silence = 20) {
    return {"scripted", {places::scripted_worker, script, "worker", "scripted"}, silence};
}

const Request kRequest{.id = {"latency", "scripted:0", "global", {}}};

struct Measured {
    Outcome outcome;
    std::vector<double> points;
};
Measured measure(WorkerClient& worker) {
    Measured measured;
    measured.outcome =
        worker.measure(kRequest, [&](double x, const std::vector<Sample>&) { measured.points.push_back(x); });
    return measured;
}

} // namespace

TEST_CASE("a worker that behaves") {
    WorkerClient worker = scripted("ok");
    worker.start();
    worker.hear();
    REQUIRE(worker.devices().size() == 1);
    CHECK(worker.devices()[0].info.id == "scripted:0");
    const Measured measured = measure(worker);
    CHECK(measured.outcome.status == Status::ok);
    CHECK(measured.points == std::vector<double>{512, 1024});
}

TEST_CASE("a crash, a hang or rubbish costs the series in flight, keeps its points and names the last step") {
    struct Row {
        const char *script, *says;
    };
    for (const Row& row :
        {Row{"segfault", "killed by SIGSEGV"}, {"abort", "killed by SIGABRT"}, {"hang", "hung: no output"},
            {"exit", "exited with 7"}, {"rubbish", "wrote invalid output"}, {"wrong-fields", "wrote invalid output"},
            {"wrong-status", "wrote invalid output"}, {"flood", "wrote invalid output"}}) {
        CAPTURE(row.script);
        WorkerClient worker = scripted(row.script, std::string(row.script) == "hang" ? 0.5 : 20);
        worker.start();
        worker.hear();
        const Measured measured = measure(worker);
        CHECK(measured.outcome.status == Status::failed);
        CAPTURE(measured.outcome.reason);
        CHECK(says(measured.outcome.reason, row.says));
        CHECK(says(measured.outcome.reason, "step was: walk 1 KiB"));
        CHECK(measured.points == std::vector<double>{512, 1024});
    }
}

TEST_CASE("a listing is asked for like a series, and a worker that dies over it is a reason") {
    WorkerClient worker = scripted("listing");
    const CompiledListing compiled = worker.listing(kRequest.id);
    CHECK(compiled.outcome.status == Status::ok);
    CHECK(compiled.kernel == "chase");
    CHECK(compiled.group_size == 64);
    CHECK(compiled.chases);
    CHECK(compiled.listing.kind == "gcn");
    CHECK(compiled.listing.text == "s_endpgm");
    CHECK(compiled.step_instructions == std::map<std::string, double>{{"v_fma_f32", 2}});
    WorkerClient dying = scripted("segfault");
    CHECK(says(dying.listing(kRequest.id).outcome.reason, "killed by SIGSEGV"));
}

TEST_CASE("a program that cannot be started costs no descriptor") {
    const auto descriptors = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
    const auto before = descriptors();
    for (int tries = 0; tries < 5; ++tries) CHECK_THROWS_AS(ChildProcess({"/no/such/program"}), Error);
    CHECK(descriptors() == before);
}

TEST_CASE("a program's output is all of it, and its failure is told with the first line of what it said") {
    CHECK(run_program({"printf", "a\\nb"}) == "a\nb");
    CHECK(run_program({"cat"}).empty()); // there is no input
    CHECK_THROWS_WITH_AS(run_program({"sh", "-c", "echo first >&2; echo second >&2; exit 3"}),
        doctest::Contains("with 3: first"), Error);
    CHECK_THROWS_WITH_AS(run_program({"sh", "-c", "echo out; exit 3"}), doctest::Contains("with 3: out"), Error);
    CHECK_THROWS_WITH_AS(run_program({"sh", "-c", "kill -9 $$"}), doctest::Contains("killed by SIGKILL"), Error);
}

TEST_CASE("the next series goes to a new worker") {
    const std::string marker =
        fmt::format("{}/sonde-once-{}", std::filesystem::temp_directory_path().string(), getpid());
    WorkerClient worker = scripted("once=" + marker);
    worker.start();
    worker.hear();
    CHECK(measure(worker).outcome.status == Status::failed);
    CHECK(measure(worker).outcome.status == Status::ok);
    std::remove(marker.c_str());
}

TEST_CASE("a driver that is absent and one that dies while it opens are told apart") {
    WorkerClient absent = scripted("absent");
    absent.start();
    absent.hear();
    CHECK(absent.devices().empty());
    CHECK_FALSE(absent.failed());
    CHECK(absent.absent() == "no such driver");

    for (const char* script : {"abort-at-open", "hang-at-open", "half-a-device"}) {
        CAPTURE(script);
        WorkerClient dying = scripted(script, 0.5);
        dying.start();
        dying.hear();
        CHECK(dying.devices().empty());
        CHECK(dying.failed());
        CHECK_FALSE(dying.absent().empty());
        if (std::string(script) == "abort-at-open") {
            CHECK(says(dying.absent(), "SIGABRT"));
            CHECK(says(dying.absent(), "open scripted"));
            CHECK(says(dying.absent(), "ld: not found"));
        }
    }
}

TEST_CASE("a worker program that is not there is one clear line") {
    WorkerClient worker("nothing", {"./no-such-folder/worker"}, 1);
    worker.start();
    worker.hear();
    CHECK(worker.failed());
    CHECK(says(worker.absent(), "./no-such-folder/worker"));
    CHECK(measure(worker).outcome.status == Status::failed);
}

TEST_CASE("a crash while a later series is prepared costs no series") {
    writing_fails_with_errors(); // as main does
    const std::filesystem::path marker =
        std::filesystem::temp_directory_path() / fmt::format("sonde-prepared-{}", getpid());
    std::filesystem::remove(marker);
    for (const std::string& script : {std::string("ok"), "once-preparing=" + marker.string()}) {
        CAPTURE(script);
        WorkerClient worker = scripted(script);
        worker.start();
        worker.hear();
        Request other = kRequest;
        other.id.probe = "other";
        worker.prepare(kRequest);
        worker.prepare(kRequest); // is told once
        worker.prepare(other);
        const Measured measured = measure(worker);
        CHECK(measured.outcome.status == Status::ok);
        CHECK(measured.points == std::vector<double>{512, 1024});
        worker.settle(kRequest.id.device);
        CHECK(measure(worker).outcome.status == Status::ok);
    }
    std::filesystem::remove(marker);
}

TEST_CASE("a series that had begun when its worker died is not sent again, whatever was being prepared") {
    const std::filesystem::path marker =
        std::filesystem::temp_directory_path() / fmt::format("sonde-begun-{}", getpid());
    std::filesystem::remove(marker);
    WorkerClient worker = scripted("once=" + marker.string());
    worker.start();
    worker.hear();
    Request other = kRequest;
    other.id.probe = "other";
    worker.prepare(other);
    const Measured measured = measure(worker);
    CHECK(measured.outcome.status == Status::failed);
    CHECK(measured.points == std::vector<double>{512, 1024});
    std::filesystem::remove(marker);
}

TEST_CASE("another worker of an API starts when it is first asked") {
    WorkerClient worker = scripted("ok").another();
    worker.prepare(kRequest); // nobody is there yet
    CHECK(measure(worker).outcome.status == Status::ok);
}

TEST_CASE("the last line of a program's errors is told, not all behind the first") {
    ChildProcess child({"sh", "-c", "echo first >&2; echo second >&2; echo last >&2"});
    std::string line;
    while (child.next(line, 30) == ChildProcess::Event::line) {
    }
    CHECK(child.last_line() == "last");
}
