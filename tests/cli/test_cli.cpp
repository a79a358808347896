// Whole commands, as a user types them.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/data/results.h"
#include "core/probes/probe.h"
#include "tests/analysis/tool_files.h"
#include "tests/command.h"
#include "tests/recorded.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

namespace {
/// A schema of results/, and what it says of a text: the first complaint, or "".
class SchemaFile {
public:
    explicit SchemaFile(const std::string& name) : json_(nlohmann::json::parse(text_of(fs::path(SONDE_SOURCE_DIR) / "results" / name))) {
        valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(json_), schema_);
    }
    std::string complaint(const std::string& text) const {
        const auto object = nlohmann::json::parse(text);
        valijson::ValidationResults results;
        if (valijson::Validator().validate(schema_, valijson::adapters::NlohmannJsonAdapter(object), &results)) return "";
        valijson::ValidationResults::Error error;
        results.popError(error);
        return error.description;
    }

private:
    nlohmann::json json_;
    valijson::Schema schema_;
};

/// The file's first `most` lines against results/schema.json; the first complaint, or "".
std::string schema_complaint(const std::string& file, int most = 1000000) {
    const SchemaFile schema("schema.json");
    const auto in = open_to_read(file);
    int number = 0;
    for (std::string line; number < most && std::getline(*in, line);) {
        ++number;
        if (const std::string complaint = schema.complaint(line); !complaint.empty()) return fmt::format("line {}: {}", number, complaint);
    }
    return number > 0 ? "" : "no line";
}
} // namespace

TEST_CASE("bad usage is exit 2 and one line that names the nearest valid words") {
    struct Row {
        const char *words, *says;
    };
    for (const Row& row : {Row{"run latncy", "nearest: latency"}, {"run --path globl", "nearest: global"}, {"run --profile quik", "nearest: quick"},
                           {"run --device hots:0", "nearest: host:0"}, {"run --time -1", "--time"}, {"run --time abc", "no number above 0"}, {"--foo", "no option '--foo'"}, {"frobnicate", "frobnicate"}, {"", "no command"}, {"askk", "nearest: isa, paths, run (sonde --help)"}, {"isa latency", "(sonde isa --help)"},
                           {"run --option carveot=5", "nearest: carveout"},
                           {"run --option carveout=200", "0 to 100"}, {"run --option width=5", "unknown value of option width '5'; nearest: "}, {"run --option width", "NAME=VALUE"},
                           {"show missing.jsonl", "missing.jsonl: cannot open"}, {"compare missing.jsonl", "missing.jsonl: cannot open"}, {"compare", "OPERANDS is missing"},
                           {"compare published:hopper", "name a results file"}, {"compare published:nosuchcard", "no published figure"}, {"devices --nonsense", "--nonsense"},
                           {"run --prof quick", "--profile"}, {"run --seed -1", "no whole number"}, {"run --out", "--out: a value is missing"}, {"levels a b", "no further word, such as 'b'"},
                           {"published zzz", "architectures: "}, {"run latency --out /dev/full", "a device or pipe"}, {"run --out ''", "an empty name"}, {"report x.jsonl -o ''", "an empty name"}, {"import x --out ''", "an empty name"}, {"show ''", "an empty name"}, {"--color=red devices", "nearest: "}}) {
        CAPTURE(row.words);
        const Ran ran = sonde_run(row.words, no_drivers());
        CHECK(ran.code == 2);
        CAPTURE(ran.err);
        CHECK(one_line(ran.err));
        CHECK(says(ran.err, row.says));
        CHECK(ran.out.empty());
    }
}

TEST_CASE("options choose among variants, and what a device cannot be asked for is unsupported with a reason") {
    const Folder folder;
    const fs::path file = folder.path / "run.jsonl";
    const Ran ran = sonde_run(fmt::format("run latency bandwidth --device host --path global --profile quick --time 60 --option width=16 --option carveout=0,100 --out {}", file.string()), no_drivers());
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    std::ifstream in(file);
    std::set<std::pair<std::string, std::string>> asked; // probe, carveout
    for (std::string line; std::getline(in, line);) {
        const Json object = Json::parse(line);
        if (object.at("type") != "series") continue;
        asked.emplace(object.at("probe"), object.at("options").at("carveout"));
        CHECK(object.at("status") == "unsupported");
        CHECK(says(object.at("reason"), "no carve-out"));
        CHECK(says(ran.err, "unsupported: " + object.at("reason").get<std::string>() + "\n"));
        if (object.at("probe") == "bandwidth") CHECK(object.at("options").at("width") == "16");
    }
    CHECK(asked == std::set<std::pair<std::string, std::string>>{{"bandwidth", "0"}, {"bandwidth", "100"}, {"latency", "0"}, {"latency", "100"}});
}

TEST_CASE("every reason of a series that was not measured is on the terminal, within its width") {
    const Folder folder;
    const std::string probes = "matrix rate l1-per-core core-sharing banks scratchpad-fill divergence clock-read first-run mix workload.gemm-library transfer";
    const Ran ran = sonde_run(fmt::format("run {} --device host --profile quick --time 60 --out {}", probes, folder.file("r.jsonl")), fmt::format("{} COLUMNS=80", no_drivers()));
    std::string said = ran.err;
    for (std::size_t at; (at = said.find("\n    ")) != std::string::npos;) said.replace(at, 5, " ");
    CAPTURE(said);
    std::set<std::string> reasons;
    for (const Series& series : read_run(folder.file("r.jsonl")).series)
        if (series.status == Status::unsupported) reasons.insert(series.reason);
    CHECK(reasons.size() > 8);
    for (const std::string& reason : reasons) CHECK(says(said, "unsupported: " + reason + "\n"));
    for (const std::string& line : split(ran.err, '\n')) CHECK(display_width(line) <= 80);
}

TEST_CASE("quick, left to itself, takes its selection of paths and variants; who names a path has said what to take") {
    const Folder folder;
    REQUIRE(sonde_run("run bandwidth latency --device host --profile quick --time 60 --out " + folder.file("left.jsonl"), no_drivers()).code == 0);
    REQUIRE(sonde_run("run stream --device host --path scratchpad --profile quick --time 4 --out " + folder.file("named.jsonl"), no_drivers()).code == 0);
    std::size_t left = 0;
    for (const Series& series : read_run(folder.file("left.jsonl")).series) {
        CAPTURE(series.id.text());
        const Quick& quick = find_probe(series.id.probe)->quick;
        CHECK(std::find(quick.paths.begin(), quick.paths.end(), series.id.path) != quick.paths.end());
        left += series.id.probe == "bandwidth" && series.id.path == "global";
    }
    CHECK(left == find_probe("bandwidth")->quick.variants);
    CHECK_FALSE(read_run(folder.file("named.jsonl")).series.empty());
    for (const Series& series : read_run(folder.file("named.jsonl")).series) CHECK(series.id.path == "scratchpad");
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

TEST_CASE("without any driver, devices explains each absence and run still measures the host") {
    const Ran devices = sonde_run("devices --json", no_drivers());
    REQUIRE(devices.code == 0);
    int absent = 0;
    for (const Json& row : Json::parse(devices.out)) {
        if (!row.contains("absent")) {
            CHECK(row["id"] == "host:0");
            CHECK(row["card"] == "cpu");
            REQUIRE(!row["facts"].empty());
            CHECK(row["facts"][0].contains("source"));
            const std::string name = row["facts"][0]["name"];
            CHECK(says(sonde_run("devices -v", no_drivers()).out, "\n" + name + ": "));
            CHECK(!says(sonde_run("devices", no_drivers()).out, "\n" + name + ": "));
            continue;
        }
        ++absent;
        CAPTURE(row.dump());
        CHECK(row["absent"].get<std::string>().size() > 5);
        if (row["api"] == "vulkan") CHECK(says(row["absent"], "; VK_DRIVER_FILES is set to /")); // which is why
    }
    CHECK(absent >= 2);

    Folder folder;
    const Ran run = sonde_run("run latency --path global --profile quick --time 4 --out " + folder.file("r.jsonl"), no_drivers());
    CAPTURE(run.err);
    CHECK(run.code == 0);
    CHECK(read_run(folder.file("r.jsonl")).series.size() >= 1);
}

TEST_CASE("an empty environment is enough") {
    const Ran devices = sonde_run("devices", "-i");
    CHECK(devices.code == 0);
    CHECK(says(devices.out, "host:0"));
}

TEST_CASE("a driver that aborts at load is that API's failure; the others run") {
    Folder folder;
    std::ofstream(folder.file("broken.json")) << R"({"file_format_version":"1.0.0","ICD":{"library_path":")" << SONDE_ABORTING_DRIVER << R"(","api_version":"1.1.0"}})";
    const std::string environment = fmt::format("OCL_ICD_VENDORS={} VK_DRIVER_FILES={} VK_ICD_FILENAMES={}", SONDE_ABORTING_DRIVER, folder.file("broken.json"), folder.file("broken.json"));
    const Ran devices = sonde_run("devices", environment);
    CAPTURE(devices.out);
    CHECK(devices.code == 1);
    CHECK(sonde_run("devices --json", environment).code == 1);
    CHECK(says(devices.out, "host:0"));
    CHECK(says(devices.out, "opencl: failed: the opencl worker was killed by SIGABRT"));
    CHECK(says(devices.out, "vulkan: failed: the vulkan worker was killed by SIGABRT"));
    const Ran run = sonde_run("run latency --device host --path global --profile quick --time 4 --out " + folder.file("r.jsonl"), environment);
    CHECK(run.code == 0);
}

TEST_CASE("an API that was asked for and crashes has failed: exit 1; so has everything where nothing can be started") {
    const Folder folder;
    for (const char* words : {"run latency --device opencl --out ", "run latency --device opencl,host --path global --profile quick --time 4 --out "}) {
        CAPTURE(std::string(words));
        const Ran run = sonde_run(words + folder.file(fmt::format("{}.jsonl", std::string(words).size())), fmt::format("{} OCL_ICD_VENDORS={}", no_drivers(), SONDE_ABORTING_DRIVER));
        CHECK(run.code == 1);
        CHECK(says(run.err, "killed by SIGABRT"));
        CHECK_FALSE(says(run.err, "opencl is absent"));
    }
    const Ran devices = sonde_run("devices", fmt::format("{} prlimit --nofile=8", no_drivers()));
    CHECK(devices.code == 1);
    CHECK(says(devices.out, "host: failed: "));
}

TEST_CASE("Ctrl-C while drivers open is interrupted, exit 130, and no driver is called absent") {
    const Folder folder;
    const std::string program = (fs::path(SONDE_PRETENDED_DRIVERS) / "faults/modelled_sonde").string();
    const Ran ran = sonde_run("run latency --out " + folder.file("r.jsonl"), fmt::format("{} SONDE_FAULT_MODEL=open=hang timeout --preserve-status -s INT 1", no_drivers()), "", "", program);
    CHECK(ran.code == 130);
    CHECK(ran.err == "sonde: interrupted\n");
    CHECK_FALSE(fs::exists(folder.file("r.jsonl")));
}

TEST_CASE("a machine that cannot be reached is one line and exit 1, whatever was asked of it") {
    for (const char* words : {"run latency --via false", "devices --via false", "paths --via 'sleep 1000 #' --worker-timeout 0.3", "run --via 'sh -c \"sleep 1000; true\"' --worker-timeout 0.3",
                              "run --via 'sh -c \"echo no-such-host | sed s/t$/t\\\\r/ >&2; exit 255\"'"}) {
        CAPTURE(std::string(words));
        const Ran ran = sonde_run(words, no_drivers());
        CHECK(ran.code == 1);
        CAPTURE(ran.err);
        CHECK(one_line(ran.err));
        CHECK_FALSE(says(ran.err, "?")); // a character that no terminal shows
        CHECK(ran.out.empty());
    }
}

TEST_CASE("results as lines: to standard output, from standard input, and from a program that a launcher starts") {
    const Folder folder;
    const std::string words = "run latency --device host --path global --profile quick --time 20", program = fs::path(SONDE_PROGRAM).parent_path().string();
    const Ran run = sonde_run(words + " --out -", no_drivers());
    CHECK(run.code == 0);
    CHECK(says(run.err, "1 series ok"));
    std::ofstream(folder.file("lines")) << run.out;
    CHECK(schema_complaint(folder.file("lines")) == "");
    for (const char* command : {"show -", "diagnose -", "report - -o -"}) {
        CAPTURE(std::string(command));
        const Ran read = sonde_run(command, no_drivers(), "", "<" + folder.file("lines"));
        CHECK(read.code == 0);
        CHECK(read.err.empty());
    }
    const std::string path = fmt::format("{} PATH={}:$PATH", no_drivers(), program);
    CHECK(says(sonde_run("devices --via env", path).out, "host:0"));
    const Ran remote = sonde_run(words + " --via env --out " + folder.file("r.jsonl"), path);
    CAPTURE(remote.err);
    CHECK(remote.code == 0);
    CHECK(says(remote.out, "r.jsonl: 1 series ok"));
    CHECK(says(remote.out, "next: sonde diagnose " + folder.file("r.jsonl")));
    CHECK(schema_complaint(folder.file("r.jsonl")) == "");
    std::string kept = text_of(folder.file("r.jsonl"));
    std::ofstream(folder.file("r.jsonl")) << kept.substr(0, kept.find("{\"type\":\"series\"")) << "{\"torn";
    CHECK(sonde_run("run --via env --resume " + folder.file("r.jsonl"), path).code == 0);
    const Run resumed = read_run(folder.file("r.jsonl"));
    CHECK(resumed.warnings.empty());
    CHECK(resumed.resumes.size() == 1);
    CHECK(resumed.series.size() == 1);
    CHECK(says(sonde_run("run --via env --resume " + folder.file("r.jsonl"), path).out, "r.jsonl: nothing is missing"));
    for (const char* more : {"bandwidth", "latency --path texel", "latency --option carveout=0", "latency --device host --path global,texel"}) {
        CAPTURE(std::string(more));
        const Ran refused = sonde_run(fmt::format("run {} --resume {}", more, folder.file("r.jsonl")), no_drivers());
        CHECK(refused.code == 2);
        CHECK(one_line(refused.err));
        CHECK(says(refused.err, "was not asked for"));
    }
    CHECK(sonde_run("run latency --path global --resume " + folder.file("r.jsonl"), no_drivers()).code == 0);
    CHECK(read_run(folder.file("r.jsonl")).series.size() == 1);
}

TEST_CASE("none of the devices asked for is here: exit 3, and nothing is left behind") {
    Folder folder;
    const Ran ran = sonde_run("run --device opencl:9.9 --out " + folder.file("r.jsonl"), no_drivers());
    CHECK(ran.code == 3);
    CHECK(says(ran.err, "none of the devices"));
    CHECK(says(ran.err, "what is here: host:0"));
    CHECK_FALSE(says(ran.err, "cuda"));
    CHECK_FALSE(fs::exists(folder.file("r.jsonl")));
    for (const std::string& line : split(sonde_run("run --device cuda --out " + folder.file("r.jsonl"), std::string("COLUMNS=80 ") + no_drivers()).err, '\n')) CHECK(display_width(line) <= 80);
}

TEST_CASE("the device asked for is here, but the probe has no such series: that is said, exit 2, and nothing is left behind") {
    const Folder folder;
    const Ran ran = sonde_run("run coalescing --device host --path global --option pattern=rectangle --option width=8 --out " + folder.file("r.jsonl"), no_drivers());
    CHECK(ran.code == 2);
    CHECK(says(ran.err, "no series of coalescing on global has pattern=rectangle and width=8: with pattern=rectangle there is width=4"));
    CHECK_FALSE(says(ran.err, "none of the devices"));
    CHECK(says(sonde_run("run coalescing --device host --path push --out " + folder.file("r.jsonl"), no_drivers()).err, "coalescing is measured on global, global.pointer, texel, image2d, not on push"));
    CHECK_FALSE(fs::exists(folder.file("r.jsonl")));
}

TEST_CASE("the peak of a card's DRAM is no processor's: that it is not used is said") {
    const Folder folder;
    const Ran ran = sonde_run("run latency --device host --path scratchpad --profile quick --dram-bandwidth 80 --out " + folder.file("r.jsonl"), no_drivers());
    CHECK(ran.code == 0);
    CHECK(says(ran.err, "--dram-bandwidth is not used: it is a card's, and a processor alone is measured"));
    CHECK_FALSE(says(sonde_run("run latency --device host --path scratchpad --profile quick --out " + folder.file("s.jsonl"), no_drivers()).err, "--dram-bandwidth"));
}

TEST_CASE("time is a bound: what it does not suffice for is cut short or not begun, and named; a run that asks for more measures the rest") {
    const Folder folder;
    const std::string words = "run latency --device host --path global.pointer,scratchpad --profile standard --time ", file = folder.file("r.jsonl");
    const Ran none = sonde_run(words + "0.000000001 --out " + file, no_drivers()); // over before a worker is asked
    CAPTURE(none.err);
    CHECK(none.code == 0);
    CHECK(says(none.err, "2 series of 2 not begun: the time budget was over"));
    CHECK(read_run(file).series.empty());
    CHECK(sonde_run("run --time 6 --resume " + file, no_drivers()).code == 0);
    CHECK_FALSE(read_run(file).series.empty());

    Ran some;
    for (int seconds = 2; seconds <= 256; seconds *= 2) { // as many as this machine needs for a series
        fs::remove(folder.file("some.jsonl"));
        some = sonde_run(words + std::to_string(seconds) + " --out " + folder.file("some.jsonl"), no_drivers());
        if (!read_run(folder.file("some.jsonl")).series.empty()) break;
    }
    CAPTURE(some.err);
    CHECK(some.code == 0);
    CHECK(says(some.err, "the time budget was over"));
    CHECK(says(some.out, "next: sonde diagnose " + folder.file("some.jsonl")));
    for (const Series& series : read_run(folder.file("some.jsonl")).series) CHECK_FALSE(series.points.empty());
    CHECK(sonde_run("run latency --device host --path global --option carveout=0 --time 1e9 --out " + folder.file("long.jsonl"), no_drivers()).code == 0);
}

TEST_CASE("the time left that a run tells falls, and is never more than what is left of --time") {
    const Folder folder;
    const Ran ran = sonde_run("run latency --device host --path global,global.pointer,scratchpad --profile quick --time 8 --for-another --out " + folder.file("r.jsonl"), no_drivers());
    CAPTURE(ran.err);
    std::vector<double> left;
    constexpr std::string_view kMark = ", about ";
    for (const std::string& line : split(ran.err, '\n'))
        if (const std::size_t at = line.find(kMark); at != std::string::npos) left.push_back(std::stod(line.substr(at + kMark.size())));
    REQUIRE(left.size() >= 3);
    CHECK(*std::max_element(left.begin(), left.end()) <= 8);
    CHECK(left.back() < left.front());
}

TEST_CASE("a results file named .gz is packed, goes on with --resume, here and on another machine, and is read like any other") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl.gz");
    CHECK(sonde_run("run latency --device host --path global,scratchpad --profile quick --time 20 --out " + file, no_drivers()).code == 0);
    CHECK(text_of(file).starts_with("\x1f\x8b"));
    const Run whole = read_run(file);
    CHECK(whole.series.size() == 2);
    CHECK(schema_complaint(file) == "");
    const std::string there = fmt::format("{} PATH={}:$PATH", no_drivers(), fs::path(SONDE_PROGRAM).parent_path().string());
    for (const char* via : {"", "--via env"}) {
        CAPTURE(std::string(via));
        fs::resize_file(file, fs::file_size(file) * 2 / 3);
        CHECK(sonde_run(fmt::format("run {} --resume {}", via, file), there).code == 0);
        const Run resumed = read_run(file);
        CHECK(resumed.warnings.empty());
        CHECK(resumed.series.size() == 2);
        CHECK(resumed.end.is_object());
    }
}

TEST_CASE("a file of several runs has each of them once") {
    const Folder folder;
    const auto make = [&](const char* name) {
        sonde_run("run latency --device host --path global --profile quick --seed 7 --time 4 --out " + folder.file(name), no_drivers());
        return text_of(folder.file(name));
    };
    std::string one = make("1.jsonl"), two = make("2.jsonl");
    const std::string started = text_field(read_run(folder.file("1.jsonl")).header, "started"), second = text_field(read_run(folder.file("2.jsonl")).header, "started");
    two.replace(two.find(second), second.size(), "2001-02-03T04:05:06Z");
    std::ofstream(folder.file("both.jsonl")) << one << two;
    std::ofstream(folder.file("again.jsonl")) << one << one;
    CHECK(read_runs(folder.file("both.jsonl")).size() == 2);
    const Ran both = sonde_run("show " + folder.file("both.jsonl")), again = sonde_run("show " + folder.file("again.jsonl"));
    CHECK(both.err.empty());
    CHECK(says(both.out, "2001-02-03T04:05:06Z"));
    CHECK(says(both.out, started));
    CHECK(again.out == sonde_run("show " + folder.file("1.jsonl")).out);
    CHECK(one_line(again.err));
    CHECK(says(again.err, "which is read once"));
    std::ofstream doubled(folder.file("doubled.jsonl"));
    for (const std::string& line : split(one, '\n')) doubled << line << "\n" << line << "\n";
    doubled.close();
    CHECK(read_runs(folder.file("doubled.jsonl")).at(0).devices.size() == read_run(folder.file("1.jsonl")).devices.size());
    CHECK(sonde_run("diagnose " + folder.file("both.jsonl")).code == 0);
    CHECK(says(sonde_run("report -o both.html " + folder.file("both.jsonl")).out, "2 series of 2 runs"));
    CHECK(says(sonde_run("run --resume " + folder.file("both.jsonl"), no_drivers()).err, "holds 2 runs"));
}

TEST_CASE("show derives cycles where an API counts none, from a chain that another API of the card counts, and marks them") {
    const Folder folder;
    std::ofstream out(folder.file("run.jsonl"));
    const auto in = open_to_read(recorded::file("everything"));
    for (std::string line; std::getline(*in, line);) {
        Json object = Json::parse(line);
        if (object.value("id", "") == "vulkan:0") object["core_cycles"] = false;
        if (object.value("device", "") == "vulkan:0") {
            object.erase("cycles");
            if (object.contains("points"))
                for (Json& point : object["points"]) point.erase("cycles");
        }
        out << object.dump() << "\n";
    }
    out.close();
    const Ran derived = sonde_run("show " + folder.file("run.jsonl") + " latency --path global"), counted = sonde_run("show " + recorded::file("everything") + " latency --path global");
    CAPTURE(derived.out);
    CHECK(says(derived.out, "* cycles of vulkan:0 are derived, as its kernels read no clock of the core: a step of fma.f32 takes 4"));
    CHECK(std::ranges::any_of(std::array{"59.2*", "59.3*", "59.4*", "59.5*", "59.6*"}, [&](const char* cycles) { return says(derived.out, cycles); }));
    CHECK_FALSE(says(counted.out, "* cycles of"));
    CHECK_FALSE(says(counted.out, "no cycles of NVIDIA"));
}

TEST_CASE("show says why a card has no cycles where none of its APIs counts them") {
    const Folder folder;
    std::ofstream out(folder.file("run.jsonl"));
    const auto in = open_to_read(recorded::file("everything"));
    for (std::string line; std::getline(*in, line);) {
        Json object = Json::parse(line);
        if (object.value("type", "") == "device") object["core_cycles"] = false;
        if (object.value("id", "") == "vulkan:0") object["clock"] = "";
        out << object.dump() << "\n";
    }
    out.close();
    const Ran none = sonde_run("show " + folder.file("run.jsonl") + " latency --path global", "COLUMNS=1000");
    CAPTURE(none.out);
    CHECK(says(none.out, "no cycles of NVIDIA H200: what kernels of cuda:0 read counts time, not the core's cycles: clock64; "));
    CHECK(says(none.out, "; kernels of vulkan:0 read no clock\n"));
}

TEST_CASE("show takes some probes, paths and devices, and bears the numbers of cores; nothing is wider than the terminal") {
    const std::string file = recorded::kEverything;
    const Ran some = sonde_run("show " + file + " latency --path global,scratchpad --device cuda");
    CHECK(some.code == 0);
    CHECK(says(some.out, "== latency scratchpad"));
    CHECK_FALSE(says(some.out, "== bandwidth"));
    CHECK_FALSE(says(some.out, "vulkan:0"));
    CHECK(says(sonde_run("show " + file + " latency --path globl").err, "no series of path 'globl'; it has "));
    const Ran some_pairs = sonde_run("show " + recorded::file("others-1") + " core-to-core --device cuda"), all_pairs = sonde_run("show " + recorded::file("core-to-core"));
    CHECK(says(some_pairs.out, " 0-2 "));
    CHECK_MESSAGE(says(all_pairs.out, "\n 131             76.95     128  159.4      1\n"), all_pairs.out); // a line for each core, as there are more pairs
    CHECK(std::ranges::count(all_pairs.out, '\n') < 150);
    CHECK(says(sonde_run("show " + recorded::file("core-to-core") + " --csv").out, ",11,0-1\n"));
    for (const std::string& words : std::vector<std::string>{"--help", "run --help", "probes", "probes latency tlb core-to-core", "devices", "show " + file, "diagnose --evidence " + file, "published", "published hopper",
                                    "compare " + recorded::run(1) + " " + file, "compare " + file, "compare " + recorded::run(1) + " published:hopper", "compare published:gk104 published:hawaii", "paths", "operations"}) {
        CAPTURE(words);
        const Ran ran = sonde_run(words, fmt::format("COLUMNS=80 {}", no_drivers()));
        CHECK(ran.code == 0);
        for (const std::string& line : split(ran.out, '\n')) {
            CAPTURE(line);
            CHECK((display_width(line) <= 80 || line.find(' ', line.find_first_not_of(' ')) == std::string::npos)); // or one long word
        }
    }
}

TEST_CASE("sizes that each API rounds in its own way stand in one row, unless a series has both") {
    Folder folder;
    std::ofstream out(folder.file("r.jsonl"));
    out << R"({"type":"run","format":2,"sonde":"0.1.0","started":"2026-01-01T00:00:00Z","host":{},"command":[],"profile":"quick","absent":[]})" << "\n";
    const auto series = [&](const char* device, const std::vector<double>& sizes) {
        Json line = Json::parse(R"({"type":"series","probe":"bandwidth","api":"x","card":"c","path":"global","options":{},"status":"ok","reason":"","x":{"name":"footprint","unit":"bytes"},"unit":"GB/s","points":[],"evidence":{}})");
        line["device"] = device;
        for (const double x : sizes) line["points"].push_back({{"x", x}, {"median", 5}, {"low", 5}, {"high", 5}, {"cycles", nullptr}, {"clock_mhz", nullptr}, {"samples", Json::array()}});
        out << line.dump() << "\n";
    };
    series("x:0", {1000000, 2000000, 2000500});
    series("x:1", {1000400, 2000000});
    out.close();
    const std::string shown = sonde_run("show " + folder.file("r.jsonl")).out;
    CAPTURE(shown);
    CHECK(says(shown, "  977 KiB   5 ±0.0%   5 ±0.0%\n"));
    CHECK(says(shown, "1.907 MiB   5 ±0.0%   5 ±0.0%\n"));
    CHECK(says(shown, "1.908 MiB   5 ±0.0%\n"));
}

TEST_CASE("every probe is explained: what it measures, its axes, a picture, its options, the method where it was published") {
    for (const Probe* probe : all_probes()) {
        const Ran ran = sonde_run(fmt::format("probes {}", probe->name));
        CAPTURE(ran.out);
        CHECK(ran.code == 0);
        for (const char* part : {"measures ", "x axis ", "y axis ", "picture ", "options ", "run "}) CHECK(says(ran.out, fmt::format("\n{}", part)));
    }
    CHECK(says(sonde_run("probes latency").out, "\nmethod      Saavedra and Smith"));
    CHECK(says(sonde_run("probes latncy").err, "nearest: latency"));
}

TEST_CASE("colours are for terminals, or for who asks") {
    const std::string file = recorded::kEverything;
    CHECK_FALSE(says(sonde_run("diagnose " + file).out, "\033["));
    CHECK(says(sonde_run("diagnose --color always " + file).out, "\033["));
    CHECK_FALSE(says(sonde_run("--color=never diagnose " + file).out, "\033["));
}

TEST_CASE("too little memory, or a full standard output, is one line and exit 1") {
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ // whose shadow memory has no room then
    const Ran ran = sonde_run("show " + recorded::file("core-to-core"), "", "ulimit -v 60000;");
    CHECK(ran.code == 1);
    CHECK(ran.err == "sonde: out of memory\n");
#endif
    for (const char* words : {"--help", "--version", "probes"}) {
        const Ran full = sonde_run(words, "", "", ">/dev/full");
        CHECK(full.code == 1);
        CHECK(one_line(full.err));
    }
    const Ran small = sonde_run("devices", no_drivers(), "ulimit -s 64;"); // raised where the system lets it
    CHECK((small.code == 0 || (small.code == 1 && one_line(small.err))));
}

TEST_CASE("a results file that exists is never overwritten") {
    Folder folder;
    std::ofstream(folder.file("r.jsonl")) << "precious";
    const Ran ran = sonde_run("run latency --device host --out " + folder.file("r.jsonl"), no_drivers());
    CHECK(ran.code == 2);
    CHECK(says(ran.err, "--out"));
    CHECK(text_of(folder.file("r.jsonl")) == "precious");
}

TEST_CASE("a place that cannot be written to is one clear line and exit 1") {
    const Ran folder_missing = sonde_run("run latency --device host --out missing/r.jsonl", no_drivers());
    CHECK(folder_missing.code == 1);
    CHECK(one_line(folder_missing.err));
    Folder folder; // a full disk, by the limit on a file's size
    const Ran full = sonde_run("run latency --device host --path global --profile quick --time 4 --out " + folder.file("r.jsonl"), no_drivers(), "ulimit -f 4;");
    CAPTURE(full.err);
    CHECK(full.code == 1);
    CHECK(one_line(full.err));
    CHECK(says(full.err, "cannot write"));
    CHECK(read_run(folder.file("r.jsonl")).warnings.empty());
}

TEST_CASE("a closed standard stream does not become the results file") {
    for (const char* closed : {">&-", "2>&-", "<&-", ">&- 2>&- <&-"}) {
        CAPTURE(std::string(closed));
        const Folder folder;
        CHECK(sonde_run("run latency --device host --path global --profile quick --time 4 --out " + folder.file("r.jsonl"), no_drivers(), "", closed).code == 0);
        CHECK(read_run(folder.file("r.jsonl")).warnings.empty());
        CHECK_FALSE(read_run(folder.file("r.jsonl")).end.is_null());
    }
}

TEST_CASE("a quick run on every API that is here: valid lines, and every sample kept") {
    Folder folder;
    const std::string file = folder.file("r.jsonl");
    const Ran ran = sonde_run("run latency bandwidth --path global,scratchpad,texel --option width=16 --profile quick --time " + std::string(thorough() ? "90" : "60") + " --out " + file);
    CAPTURE(ran.out);
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    CHECK(schema_complaint(file) == "");
    const Run run = read_run(file);
    CHECK(run.warnings.empty());
    REQUIRE(run.end.is_object());
    CHECK(run.end["series"].value("failed", 0) == 0);
    for (const Series& series : run.series) {
        CAPTURE(series.id.text());
        CAPTURE(series.reason);
        if (series.status == Status::unsupported) {
            CHECK_FALSE(series.reason.empty());
            continue;
        }
        REQUIRE_FALSE(series.points.empty());
        CHECK_FALSE(series.evidence.output_checked.empty());
        for (const Point& point : series.points) {
            CHECK(point.samples.size() >= 6);
            CHECK(point.median.value_or(0) > 0);
        }
    }
    const Ran show = sonde_run("show " + file);
    CHECK(show.code == 0);
    CHECK(says(show.out, "latency global"));
    const Ran csv = sonde_run("show --csv " + file);
    CHECK(csv.code == 0);
    std::size_t points = 0;
    for (const Series& series : run.series) points += series.points.size();
    CHECK(points > run.series.size()); // however little time a busy machine left
    CHECK(static_cast<std::size_t>(std::count(csv.out.begin(), csv.out.end(), '\n')) == points + 1);
}

TEST_CASE("diagnose begins with the card in a few lines, doubts first, and tells what each sentence rests on where that is asked for") {
    const std::string file = recorded::kEverything;
    const Ran plain = sonde_run("diagnose " + file);
    CHECK(plain.code == 0);
    CHECK(plain.out.starts_with("NVIDIA H200, 132 cores at 1.98 GHz; cuda:0 CUDA 13.0, "));
    const auto at = [&](const char* part) { return plain.out.find(part); };
    for (const char* part : {"DOUBT [1] ", "LATENCY, cycles (cuda:0): L1 39 to ~215 KiB | L2 near 288 to 24.3-27.9 MiB | L2", "READ (cuda:0): L1 32", " % of peak, caches serve at most 1.", "\n[", "\npath            level"}) {
        CAPTURE(part);
        CHECK(at(part) != std::string::npos);
    }
    CHECK(at("DOUBT") < at("LATENCY"));
    CHECK(at("LATENCY") < at("\n[3] "));
    CHECK(at("TLB reach through vulkan:0") < at("Fill bandwidth of DRAM")); // 32 times before 1.1
    CHECK(says(plain.out, "line global level=1 test=line (cuda:0, opencl:1.0, vulkan:0): L1 has lines of"));
    CHECK(!says(plain.out, "LDG.E R"));
    CHECK(says(plain.out, "diagnose --evidence "));
    CHECK(says(sonde_run("diagnose --evidence " + file).out, "LDG.E"));
}

/// The run with the card's devices once more under other ids, as a second card whose times are `times` as long.
std::string with_second_card(const std::string& file, const std::string& as, double times) {
    const Run run = read_run(file);
    std::ofstream out(as);
    out << run.header.dump() << "\n";
    const auto other = [](const std::string& id) { return id.substr(0, id.find(':')) + ":7"; };
    for (DeviceRecord device : run.devices) {
        out << Json(device).dump() << "\n";
        if (device.cpu) continue;
        device.id = other(device.id), device.card = device.uuid = "a second card";
        out << Json(device).dump() << "\n";
    }
    for (Series series : run.series) {
        out << Json(series).dump() << "\n";
        series.id.device = other(series.id.device), series.card = "a second card";
        for (Point& point : series.points) {
            for (std::optional<double>* value : {&point.median, &point.low, &point.high, &point.cycles})
                if (*value) **value *= times;
            for (Sample& sample : point.samples) sample.host_ns *= times, sample.device_ns = sample.device_ns ? std::optional(*sample.device_ns * times) : std::nullopt;
        }
        out << Json(series).dump() << "\n";
    }
    return as;
}

TEST_CASE("two cards of one model: what they have in common is said once, then what differs") {
    Folder folder;
    const Ran alike = sonde_run("diagnose " + with_second_card(recorded::run(1), folder.file("alike.jsonl"), 1));
    CHECK(alike.code == 0);
    CHECK(says(alike.out, "beside the same model above"));
    CHECK(says(alike.out, "no difference beyond the noise in "));
    CHECK(alike.out.find("\nLATENCY") == alike.out.rfind("\nLATENCY"));
    const Ran apart = sonde_run("diagnose " + with_second_card(recorded::run(1), folder.file("apart.jsonl"), 1.1));
    CHECK(says(apart.out, "10.0 % slower"));
}

TEST_CASE("this processor's memory is farther than its L1") {
    const Folder folder; // the time is the whole sweep's many times over, so that a busy machine gets there as well
    REQUIRE(sonde_run("run latency --device host --path global --profile quick --time 120 --out " + folder.file("r.jsonl"), no_drivers()).code == 0);
    const Run run = read_run(folder.file("r.jsonl"));
    REQUIRE(run.series.size() == 1);
    const std::vector<Point>& points = run.series[0].points;
    REQUIRE(points.size() > 10);
    REQUIRE(points.back().x > 100e6);
    CHECK(points.back().median.value() > 3 * points.front().median.value());
}

TEST_CASE("latency runs on every path of every device that is here, to the path's end") {
    Folder folder;
    const Ran whole = sonde_run(fmt::format("run latency --profile quick --time {} --out {}", thorough() ? 22 : 10, folder.file("r.jsonl")));
    CAPTURE(whole.err);
    CHECK(whole.code == 0);
    std::set<std::string> measured;
    for (const Series& series : read_run(folder.file("r.jsonl")).series) {
        CAPTURE(series.id.text());
        CAPTURE(series.reason);
        CHECK(series.status != Status::failed);
        if (series.status == Status::unsupported) continue;
        measured.insert(series.api);
        if (series.api == "host") continue; // its footprints are hundreds of MiB, and the time is short
        CHECK(series.points.front().x == (series.id.path == "push" ? 16 : 512));
        CHECK((series.points.size() >= (series.id.path == "push" ? 4 : 6) || says(series.reason, "time budget"))); // a busy machine may not get there
    }
    CHECK(measured.count("host") == 1); // whatever drivers are here
    for (const Json& device : Json::parse(sonde_run("devices --json").out))
        if (device.contains("id")) CHECK(measured.count(device["api"]) == 1);
}

TEST_CASE("latency with an option that no device here takes: refused by each, with the reason") {
    Folder folder;
    CHECK(sonde_run("run latency --path global,scratchpad --profile quick --time 4 --option banks=4 --out " + folder.file("r.jsonl")).code == 0); // banks: Kepler's
    const Run run = read_run(folder.file("r.jsonl"));
    CHECK_FALSE(run.series.empty());
    for (const Series& series : run.series) {
        CAPTURE(series.id.text());
        CHECK(series.status == Status::unsupported);
        CHECK_FALSE(series.reason.empty());
    }
}

TEST_CASE("structure probes run on every device that is here, or say why not; their findings are valid lines") {
    Folder folder;
    const std::string file = folder.file("r.jsonl");
    const Ran ran = sonde_run("run line tlb associativity l1-per-core sharing core-sharing core-distance carveout limits --path global,global.cg,scratchpad --option test=fetch --option level=1 --option lines=one "
                              "--option scratchpad=0 --profile quick --time " + std::string(thorough() ? "120" : "60") + " --out " + file);
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    std::map<std::string, int> series;
    for (const Series& each : read_run(file).series) {
        CAPTURE(each.id.text());
        CAPTURE(each.reason);
        CHECK(each.status != Status::failed);
        CHECK((each.status == Status::ok || !each.reason.empty()));
        ++series[each.id.probe];
    }
    for (const char* probe : {"line", "tlb", "associativity", "l1-per-core", "sharing", "core-sharing", "core-distance", "carveout", "limits"}) {
        CAPTURE(std::string(probe));
        CHECK(series[probe] > 0);
    }
    CHECK(schema_complaint(file) == "");
}

TEST_CASE("the runs in results/ are whole and valid") {
    int runs = 0;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SONDE_SOURCE_DIR) / "results")) {
        if (entry.path().extension() != ".gz") continue;
        CAPTURE(entry.path().filename().string());
        const Run run = read_run(entry.path());
        CHECK(run.warnings.empty());
        CHECK(run.end.is_object());
        CHECK(schema_complaint(entry.path().string(), 8) == ""); // header, devices and the first series: whole files take minutes
        ++runs;
    }
    CHECK(runs > 0);
}

TEST_CASE("what import writes is valid") {
    const Folder folder;
    for (const auto& entry : fs::directory_iterator(fs::path(SONDE_SOURCE_DIR) / "tests/analysis/tools")) {
        if (entry.path().extension() == ".md") continue;
        CAPTURE(entry.path().string());
        const std::string file = folder.file(entry.path().stem().string() + ".jsonl");
        CHECK(sonde_run(fmt::format("import '{}' --out {}", entry.path().string(), file)).code == 0);
        CHECK(schema_complaint(file) == "");
    }
}

TEST_CASE("the published figures are valid, and the schema refuses what is not") {
    const SchemaFile schema("published/schema.json");
    for (const char* name : {"figures.json", "unmatched.json"}) {
        std::string text = text_of(fs::path(SONDE_SOURCE_DIR) / "results/published" / name);
        CHECK(schema.complaint(text) == "");
        const std::string needed = name == std::string("figures.json") ? "\"level\":" : "\"reason\":";
        REQUIRE(says(text, needed));
        text.replace(text.find(needed), needed.size(), "\"lost\":");
        CHECK(schema.complaint(text) != "");
    }
}

TEST_CASE("compare as typed: two runs of one card, and --json with every comparison") {
    const std::string runs = recorded::run(1) + " " + recorded::run(2);
    const Ran text = sonde_run("compare " + runs);
    CHECK(text.code == 0);
    CHECK(text.err.empty());
    CHECK(one_line(text.out));
    CHECK(says(text.out, "no difference beyond the noise"));
    const Ran json = sonde_run("compare --json " + runs);
    REQUIRE(json.code == 0);
    const Json rows = Json::parse(json.out);
    CHECK_FALSE(rows.empty());
    for (const Json& row : rows) CHECK(row["differs"] == false);
}

TEST_CASE("series whose options or points are another version's: show, diagnose and report leave out what they cannot read") {
    Folder folder;
    const std::string file = folder.file("other.jsonl");
    std::ofstream out(file);
    out << R"({"type":"run","format":2,"sonde":"0.1.0","started":"2026-01-01T00:00:00Z","host":{},"command":[],"profile":"quick","absent":[]})" << "\n"
        << R"({"type":"device","id":"x:0","api":"x","card":"c","name":"a card","driver":"","software":false,"memory_bytes":1})" << "\n";
    const std::string points = R"([{"x":-1e300,"median":3,"samples":[]},{"x":0,"median":1,"samples":[]},{"x":1e300,"median":2,"samples":[]}])";
    for (const std::string probe : {"latency", "coalescing", "core-to-core", "channels", "bandwidth", "atomics", "tlb", "segments"})
        for (const std::string options : {R"({})", R"({"pattern":"order","width":"4","scope":"cores","kind":"none"})"})
            out << R"({"type":"series","probe":")" << probe << R"(","device":"x:0","api":"x","card":"c","path":"global","options":)" << options
                << R"(,"status":"ok","reason":"","x":{"name":"x","unit":""},"unit":"ns","points":)" << points << R"(,"evidence":{"cores":[0,1,2]}})" << "\n";
    out.close();
    for (const std::string command : {"show ", "diagnose ", "diagnose --evidence ", "diagnose --json "}) {
        CAPTURE(command);
        const Ran ran = sonde_run(command + file);
        CAPTURE(ran.err);
        CHECK(ran.code == 0);
        CHECK(!ran.out.empty());
    }
    CHECK(sonde_run("report " + file + " -o " + folder.file("page.html")).code == 0);
}

TEST_CASE("levels as typed: another tool's file, a table whose columns are named, and one line for what is not understood") {
    Folder folder;
    std::ofstream(folder.file("gpu.txt")) << kGpuBenches;
    const Ran known = sonde_run("levels " + folder.file("gpu.txt"));
    CHECK(known.code == 0);
    CHECK(known.err.empty());
    CHECK(says(known.out, "L2     265.5 cycles  23.6-28.5 MiB"));

    std::string table = kGpuBenches;
    table.erase(0, table.find('\n') + 1); // without the line that tells the tool
    std::ofstream(folder.file("table.txt")) << table;
    const Ran refused = sonde_run("levels " + folder.file("table.txt"));
    CHECK(refused.code == 2);
    CHECK(one_line(refused.err));
    CHECK(says(refused.err, "line 1: 5 columns; name the one of sizes and the one of latencies by number or title, as in --x 1 --y 5"));
    const Ran named = sonde_run("levels --x 3 --y 5 --size-unit KiB --latency-unit cycles " + folder.file("table.txt"));
    CHECK(named.code == 0);
    CHECK("gpu-benches gpu-latency\n" + named.out == known.out);
    const Ran json = sonde_run("levels --json -", "", "", "<" + folder.file("gpu.txt"));
    REQUIRE(json.code == 0);
    CHECK(Json::parse(json.out).back()["name"] == "DRAM");
    const Ran unknown = sonde_run("levels --x 3 --y 9 " + folder.file("table.txt"));
    CHECK(unknown.code == 2);
    CHECK(says(unknown.err, "--y 9: no such column; there are 5"));
    for (const char* option : {"--x", "--y", "--size-unit", "--latency-unit"}) CHECK(says(sonde_run("levels --help").out, option));
    CHECK(says(sonde_run("manual man").out, "title in the header"));
    for (const char* command : {"--help", "manual man"}) CHECK(says(sonde_run(command).out, "robes memory hierarchies, arithmetic and matrix units"));
}

TEST_CASE("reading a damaged file: what is whole is shown, the rest is said in one line each") {
    Folder folder;
    const std::string header = R"({"type":"run","format":2,"sonde":"0.1.0","started":"2026-01-01T00:00:00Z","host":{},"command":[],"profile":"quick","absent":[]})";
    const std::string series = R"({"type":"series","probe":"latency","device":"x:0","api":"x","card":"c","path":"global","options":{},"status":"ok","reason":"","x":{"name":"footprint","unit":"bytes"},"unit":"ns","points":[],"evidence":{}})";
    std::ofstream(folder.file("torn.jsonl")) << header << "\n" << series << "\nnot json\n" << series.substr(0, 50);
    const Ran torn = sonde_run("show " + folder.file("torn.jsonl"));
    CHECK(torn.code == 0);
    CHECK(says(torn.err, "line 3 left out: not a JSON object"));
    CHECK(says(torn.err, "line 4 left out: truncated"));
    CHECK(says(torn.out, "did not finish"));

    std::ofstream(folder.file("blank.jsonl")) << "\n{\"msg\":\"of another tool\"}\n";
    const Ran blank = sonde_run("show " + folder.file("blank.jsonl"));
    CHECK(blank.code == 2);
    CHECK(says(blank.err, "not a results file of sonde"));
    {
        std::ofstream other(folder.file("other.jsonl"));
        other << header << "\n" << series << "\n{\"type\":[]}\n";
        for (int i = 0; i < 1000; ++i) other << "{\"msg\":\"of another tool\"}\n";
        other << Json{{"type", "series"}, {"probe", std::string(100000, 'p')}, {"device", "x:0"}, {"api", "x"}, {"card", "c"}, {"path", "global"}}.dump() << "\n";
    }
    const Ran other = sonde_run("show " + folder.file("other.jsonl"));
    CHECK(other.code == 0);
    CHECK(says(other.err, "line 3 left out: unknown type ''"));
    CHECK(says(other.err, "and 982 lines more are left out"));
    CHECK(std::count(other.err.begin(), other.err.end(), '\n') == 21);
    {
        Json named = Json::parse(series);
        named["path"] = std::string(100000, 'p');
        std::ofstream(folder.file("named.jsonl")) << header << "\n" << named.dump() << "\n";
    }
    CHECK(says(sonde_run("show " + folder.file("named.jsonl")).err, "line 2 left out: a series with a name of 97.7 KiB"));
    std::ofstream(folder.file("large.jsonl")) << header << "\n";
    std::filesystem::resize_file(folder.file("large.jsonl"), 2ull << 30); // a hole: no disk is filled
    for (const char* command : {"show ", "diagnose ", "compare ", "run --resume "}) {
        const Ran large = sonde_run(command + folder.file("large.jsonl"));
        CHECK(large.code == 2);
        CHECK(says(large.err, "larger than 256 MiB"));
    }

    const auto with = [&](const std::string& name, const char* medians) {
        Json line = Json::parse(series);
        for (const double median : Json::parse(medians)) line["points"].push_back({{"x", 512}, {"median", median}, {"low", median}, {"high", median}, {"cycles", nullptr}, {"clock_mhz", nullptr}, {"samples", Json::array()}});
        std::ofstream(folder.file(name)) << header << "\n" << line.dump() << "\n" << line.dump() << "\n";
        return sonde_run("show " + folder.file(name)).err;
    };
    CHECK(says(with("twice.jsonl", "[5]"), "line 3 left out: latency x:0 global is there already"));
    CHECK(says(with("nonsense.jsonl", "[5, -5, 1e308]"), "2 of the points of latency x:0 global"));
    const auto evidence = [&](const std::string& name, const std::string& value) {
        std::string line = series;
        std::ofstream(folder.file(name)) << header << "\n" << line.replace(line.find("{}}"), 2, "{\"note\":" + value + "}") << "\n";
        return sonde_run("show " + folder.file(name)).err;
    };
    const std::string huge = evidence("huge.jsonl", "\"" + std::string(5 << 20, 'x') + "\""), many = evidence("many.jsonl", "[" + std::string(3 << 20, ',') + "]");
    CHECK(one_line(huge));
    CHECK(says(huge, "line 2 left out: a string of 5.0 MiB"));
    CHECK(one_line(many));
    CHECK(says(many, "line 2 left out: more than 1048576 values"));
    CHECK(evidence("long.jsonl", "\"" + std::string(100 << 10, 'x') + "\"") == "");
    CHECK(says(sonde_run("show " + folder.path.string()).err, "is a folder; give a results file (*.jsonl)"));

    struct Row {
        const char *text, *says;
    };
    for (const Row& row : {Row{"", "empty"}, {"hello\n", "not a results file"}, {"{\"type\":\"run\",\"format\":1}\n", "format 1 is not format 2"}, {"[1]\n", "not a results file"}}) {
        const std::string file = folder.file("bad.jsonl");
        std::ofstream(file) << row.text;
        for (const std::string command : {"show ", "compare "}) {
            CAPTURE(command);
            const Ran bad = sonde_run(command + file);
            CHECK(bad.code == 2);
            CHECK(one_line(bad.err));
            CHECK(says(bad.err, row.says));
        }
    }
}
