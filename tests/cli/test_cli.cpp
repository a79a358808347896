// What every command has in common, as typed: words that are none, help, colours, streams that fail.
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/data/results.h"
#include "tests/command.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;

TEST_CASE("bad usage is exit 2 and one line that names the nearest valid words") {
    struct Row {
        const char *words, *says;
    };
    for (const Row& row : {Row{"run latncy", "nearest: latency"}, {"run --path globl", "nearest: global"},
             {"run --profile quik", "nearest: quick"}, {"run --device hots:0", "nearest: host:0"},
             {"run --time -1", "--time"}, {"run --time abc", "no number above 0"}, {"--foo", "no option '--foo'"},
             {"frobnicate", "frobnicate"}, {"askk", "nearest: isa, paths, run"}, {"isa latency", "(sonde isa --help)"},
             {"run --option carveot=5", "nearest: carveout"}, {"run --option carveout=200", "0 to 100"},
             {"run --option width=5", "option width '5'; nearest:"}, {"run --option width", "NAME=VALUE"},
             {"show missing.jsonl", "missing.jsonl: cannot open"},
             {"compare missing.jsonl", "missing.jsonl: cannot open"}, {"compare", "OPERANDS is missing"},
             {"compare published:hopper", "name a results file"},
             {"compare published:nosuchcard", "no published figure"}, {"devices --nonsense", "--nonsense"},
             {"run --prof quick", "--profile"}, {"run --seed -1", "no whole number"}, {"run --out", "--out: a value"},
             {"levels a b", "such as 'b'"}, {"published zzz", "architectures: "},
             {"run latency --out /dev/full", "a device or pipe"}, {"run --out ''", "an empty name"},
             {"report x.jsonl -o ''", "an empty name"}, {"import x --out ''", "an empty name"},
             {"show ''", "an empty name"}, {"--color=red devices", "nearest: "}}) {
        CAPTURE(row.words);
        const Ran ran = sonde_run(row.words, no_drivers());
        CHECK(ran.code == 2);
        CAPTURE(ran.err);
        CHECK(one_line(ran.err));
        CHECK(says(ran.err, row.says));
        CHECK(ran.out.empty());
    }
}

TEST_CASE("help, version and lists") {
    CHECK(sonde_run("--help").code == 0);
    CHECK(says(sonde_run("--version").out, "sonde 0."));
    const Ran probes = sonde_run("probes --json");
    REQUIRE(probes.code == 0);
    const Json list = Json::parse(probes.out);
    CHECK(list[0]["name"] == "latency");
    for (const Json& row : list) CHECK_FALSE(row["question"].get<std::string>().empty());
}

TEST_CASE("colours are for terminals, or for who asks") {
    const std::string file = recorded::quick(1);
    CHECK_FALSE(says(sonde_run("diagnose " + file).out, "\033["));
    CHECK(says(sonde_run("diagnose --color always " + file).out, "\033["));
    CHECK_FALSE(says(sonde_run("--color=never diagnose " + file).out, "\033["));
}

TEST_CASE("too little memory, or a full standard output, is one line and exit 1") {
    if (!places::sanitized) { // whose shadow memory has no room then
        const Folder folder;
        const Ran ran = sonde_run(fmt::format("report {} {} {} {} --out {}", recorded::quick(1), recorded::quick(2),
                                      recorded::quick(3), recorded::kMemory, folder.file("page.html")),
            "", "ulimit -v 60000;");
        CHECK(ran.code == 1);
        CHECK(ran.err == "sonde: out of memory\n");
    }
    for (const char* words : {"--help", "--version", "probes"}) {
        const Ran full = sonde_run(words, "", "", ">/dev/full");
        CHECK(full.code == 1);
        CHECK(one_line(full.err));
    }
    const Ran small = sonde_run("devices", no_drivers(), "ulimit -s 64;"); // raised where the system lets it
    CHECK((small.code == 0 || (small.code == 1 && one_line(small.err))));
}

TEST_CASE("a closed standard stream does not become the results file") {
    for (const char* closed : {">&-", "2>&-", "<&-", ">&- 2>&- <&-"}) {
        CAPTURE(std::string(closed));
        const Folder folder;
        CHECK(sonde_run("run latency --device host --path scratchpad --profile quick --time 60 --out " +
                            folder.file("r.jsonl"),
                  no_drivers(), "", closed)
                  .code == 0);
        CHECK(read_run(folder.file("r.jsonl")).warnings.empty());
        CHECK_FALSE(read_run(folder.file("r.jsonl")).end.is_null());
    }
}
