// What other tools wrote beside our own: by the commands that read results files.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/data/results.h"
#include "core/probes/probe.h"
#include "tests/analysis/figure_lines.h"
#include "tests/analysis/tool_files.h"
#include "tests/command.h"
#include "tests/places.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

namespace {
std::string tool_file(const char* name) { return std::string(places::source) + "/tests/analysis/tools/" + name; }

/// The results file that `sonde import` makes of it.
Run imported(const std::string& file, std::string* said = nullptr) {
    const Folder folder;
    const std::string out = folder.file("imported.jsonl");
    const Ran ran = sonde_run(fmt::format("import '{}' --out {}", file, out));
    CAPTURE(ran.err);
    REQUIRE(ran.code == 0);
    if (said) *said = ran.err;
    Run run = read_run(out);
    for (const Series& series : run.series) { // axis and unit are those of its probe
        const Probe& probe = probe_named(series.id.probe);
        CHECK(series.x.name == probe.x.name);
        CHECK(series.x.unit == probe.x.unit);
        CHECK(series.unit == probe.unit_of(series.id.options));
    }
    return run;
}

bool has(const std::vector<std::string>& lines, const std::string& wanted) {
    return std::find(lines.begin(), lines.end(), wanted) != lines.end();
}

std::string written(const Folder& folder, const char* name, const char* text) {
    std::ofstream(folder.file(name)) << text;
    return folder.file(name);
}
} // namespace

TEST_CASE("clpeak: what has a counterpart are figures of each device, what has none is counted with its reason") {
    std::string said;
    const Run run = imported(tool_file("clpeak.json"), &said);
    REQUIRE(run.devices.size() == 2);
    CHECK(run.devices[0].id == "cuda:0");
    CHECK(run.devices[0].cores == 30);
    CHECK(run.devices[0].card == run.devices[1].card);
    CHECK(says(run.devices[0].driver, "values of clpeak 3.0.0-34-g24eeec1"));
    CHECK(text_field(run.header, "started") == "2026-10-01T15:23:16Z");
    const auto figures = figure_lines(run);
    for (const char* line : {"vulkan:0 bandwidth global width=16: DRAM 425.1 GB/s",
             "vulkan:0 bandwidth global width=4: DRAM 397.67 GB/s", "cuda:0 launch global test=waited: at 1 6888.5 ns",
             "cuda:0 rate global operation=fma.f32: best 21111 Gop/s",
             "vulkan:0 rate global operation=fma.f32: best 20943 Gop/s",
             "vulkan:0 bandwidth image2d width=16: DRAM 424.65 GB/s",
             "cuda:0 transfer host direction=to-device engine=copy memory=pinned: largest 13.921 GB/s",
             "vulkan:0 transfer host direction=to-host engine=copy: largest 13.193 GB/s"}) {
        CAPTURE(std::string(line));
        CHECK(has(figures, line));
    }
    for (const Series& series : run.series) {
        CHECK(series.points.empty());
        REQUIRE(series.evidence.source);
        CHECK(series.evidence.source->file == "clpeak.json");
    }
    CHECK(says(said, "6 figures of clpeak"));
    CHECK(says(said, "counts loads (local_memory_bandwidth)"));
    CHECK_FALSE(says(said, "not imported"));
    CHECK(run.warnings.size() == 3);
    CHECK(says(said, "without a value, status"));
    std::stringstream text;
    text << std::ifstream(tool_file("clpeak.json")).rdbuf();
    std::string other = text.str();
    for (const auto& [test, instead] : {std::pair{"\"image_memory_bandwidth\"", "\"atomic_throughput\""},
             {"\"single_precision_compute\"", "\"half_precision_compute\""}})
        for (std::size_t at = 0; (at = other.find(test)) != std::string::npos;)
            other.replace(at, std::strlen(test), instead);
    const Folder folder;
    const Run unlike = imported(written(folder, "clpeak.json", other.c_str()), &said);
    CHECK(says(said, "not imported:"));
    CHECK(says(said, "(half_precision_compute, atomic_throughput)")); // "float" is no metric of the first
    CHECK_FALSE(has(figure_lines(unlike), "vulkan:0 rate global operation=fma.f32: best 20943 Gop/s"));
}

TEST_CASE("clpeak's older rows are the same figures") {
    const Run run = imported(tool_file("clpeak2.json"));
    CHECK(text_field(run.header, "started") == ""); // not told
    const auto figures = figure_lines(run);
    CHECK(has(figures, "vulkan:0 bandwidth global width=16: DRAM 425.8 GB/s"));
    CHECK(has(figures, "vulkan:0 rate global operation=fma.f32: best 21026 Gop/s"));
    CHECK(has(figures, "cuda:0 bandwidth image2d width=16: DRAM 271.1 GB/s"));
    CHECK(has(figures, "cuda:0 transfer host direction=to-device engine=copy memory=pinned: largest 13.914 GB/s"));
}

TEST_CASE("nvbandwidth, between lines of a log: transfers each way by the copy engine and by a kernel") {
    std::string said;
    const Run run = imported(tool_file("nvbandwidth.txt"), &said);
    CHECK(figure_lines(run).size() == 4);
    CHECK(has(
        figure_lines(run), "cuda:0 transfer host direction=to-device engine=copy memory=pinned: largest 12.396 GB/s"));
    CHECK(has(
        figure_lines(run), "cuda:0 transfer host direction=to-host engine=kernel memory=pinned: largest 13.203 GB/s"));
    CHECK(says(said, "not given (host_device_latency_sm)"));
}

TEST_CASE("MT4G: latencies in cycles by its method, sizes, lines; what the driver told is left out") {
    std::string said;
    const Run run = imported(tool_file("mt4g.json"), &said);
    const auto figures = figure_lines(run);
    for (const char* line : {"cuda:0 latency global: L1 66 cycles", "cuda:0 latency global: L1 62976 bytes",
             "cuda:0 line global level=1 test=line: L1 128 bytes", "cuda:0 latency constant: L1 71.882 cycles",
             "cuda:0 bandwidth global: DRAM 583.77 GB/s"}) { // of 543.68 GiB/s
        CAPTURE(std::string(line));
        CHECK(has(figures, line));
    }
    CHECK(run.series.at(0).evidence.source->method == "timer per load");
    CHECK(says(said, "is not sure"));
    CHECK(says(said, "by the driver"));
}

TEST_CASE("curves: gpu-cache, gpu-latency, lmbench and tinymembench, each with what tells its loads from ours") {
    const Folder folder;
    const Run cache = imported(tool_file("gpu-cache.txt"));
    REQUIRE(cache.series.size() == 1);
    CHECK(cache.series[0].id.options == Options{{"data", "same-for-all-cores"}});
    CHECK(cache.series[0].points.at(0).x == 2048);
    CHECK(cache.series[0].points[0].median == 13646.3);
    const Run latency = imported(written(folder, "gpu-latency.txt", kGpuBenches));
    REQUIRE(latency.series.size() == 1);
    CHECK(latency.series[0].id.path == "global.pointer");
    CHECK(latency.series[0].points.at(0).cycles == 34.2);
    CHECK(latency.series[0].points[0].median ==
          doctest::Approx(19.49).epsilon(0.001)); // ms per million loads, as the tool tells them
    CHECK(latency.series[0].points[0].clock_mhz == 1755);
    const Run lmbench = imported(written(folder, "lmbench.txt", kLmbench));
    CHECK(lmbench.series.at(0).id.text() == "latency host:0 global stride=128");
    const Run tiny = imported(written(folder, "tinymembench.txt", kTinymembench));
    REQUIRE(tiny.series.size() == 2);
    CHECK(tiny.series[0].id.text() == "latency host:0 global beyond=L1 pages=nohugepage");
    CHECK(text_field(tiny.findings.at(0), "name") == "L2"); // what is told begins beyond an L1 hit
    CHECK(says(tiny.warnings.at(0), "of one thread,"));
}

TEST_CASE("tinymembench on a core of each cluster: a curve is named by the core that a line before it tells") {
    const Folder folder;
    const std::string both = "Executing benchmark on cpu0 (Cortex-A55):\n\n" + std::string(kTinymembench) +
                             "\nExecuting benchmark on cpu4 (Cortex-A76):\n\n" + kTinymembench;
    const Run run = imported(written(folder, "sbc-bench.txt", both.c_str()));
    REQUIRE(run.series.size() == 4);
    CHECK(run.series[0].id.text() == "latency host:0 global beyond=L1 core=cpu0-Cortex-A55 pages=nohugepage");
    CHECK(run.series[3].id.text() == "latency host:0 global beyond=L1 core=cpu4-Cortex-A76 pages=hugepage");
    const Ran levels = sonde_run(fmt::format("levels '{}'", folder.file("sbc-bench.txt")));
    CHECK(says(levels.out, "tinymembench, cpu4 Cortex-A76, MADV_HUGEPAGE"));
    const std::string unnamed = std::string(kTinymembench) + "\n" + kTinymembench;
    CHECK(imported(written(folder, "twice.txt", unnamed.c_str())).series.at(2).id.options.has_all({{"run", "2"}}));
    const std::string pinned = "$ taskset -c 7 ./tinymembench\n" + std::string(kTinymembench);
    CHECK(imported(written(folder, "pinned.txt", pinned.c_str())).series.at(0).id.options.has_all({{"core", "cpu7"}}));
}

TEST_CASE("MT4G's raw timings: card and memory by the file's name, loads that are not compared with ours") {
    const Folder folder;
    const Run l1 = imported(written(folder, "AMD Instinct MI100 - L1 Size.txt", kMt4gTimings));
    REQUIRE(l1.series.size() == 1);
    CHECK(l1.devices.at(0).name == "AMD Instinct MI100");
    CHECK(l1.series[0].id.text() == "latency hip:0 global timer=per-load");
    CHECK(l1.series[0].points.at(0).x == 14848);
    CHECK(l1.series[0].points[0].cycles == 136);
    const Run means = imported(written(folder, "NVIDIA H100 80GB HBM3 - Constant L1.5 Size.txt", kMt4gMeans));
    CHECK(means.series.at(0).id.text() == "latency cuda:0 constant timer=per-load");
    CHECK(means.series[0].points.at(2).cycles == 72);
    for (const auto& [name, text, told] : {std::tuple{"timings.txt", kMt4gTimings, "MT4G (JSON, '..."},
             {"NVIDIA H100 80GB HBM3 - L1 Fetch Granularity.txt", kMt4gStrides, "of MT4G, and nothing"},
             {"NVIDIA H100 80GB HBM3 - Constant L1.5 Line Size.txt", kMt4gStrides, "of MT4G, and nothing"}}) {
        const Ran ran = sonde_run(fmt::format("import '{}'", written(folder, name, text)));
        CHECK(ran.code == 2);
        CHECK(one_line(ran.err));
        CHECK(says(ran.err, told));
    }
    CHECK(sonde_run(fmt::format("levels '{}'", folder.file("NVIDIA H100 80GB HBM3 - L1 Fetch Granularity.txt"))).code ==
          2); // strides are no footprints
}

TEST_CASE("MT4G's times of a memory's loads are the figure that its JSON tells: their mean") {
    const Folder folder;
    const Run l1 = imported(written(folder, "AMD Instinct MI100 - L1 Latency.txt", "120\n124\n\n128\n"));
    CHECK(figure_lines(l1) == std::vector<std::string>{"hip:0 latency global: L1 124 cycles"});
    CHECK(l1.devices.at(0).name == "AMD Instinct MI100");
    CHECK(l1.series.at(0).evidence.source->method == "timer per load");
    for (const auto& [memory, figure] : {std::pair{"L2", "global: L2"}, {"Main Memory", "global: DRAM"},
             {"Constant L1.5", "constant: L2"}, {"Shared Memory", "scratchpad: L1"}, {"Texture", "texel: L1"}}) {
        const std::string name = fmt::format("NVIDIA A100-PCIE-40GB - {} Latency.txt", memory);
        const Run run = imported(written(folder, name.c_str(), "299\nstopped\n301\n"));
        CHECK(figure_lines(run) == std::vector<std::string>{fmt::format("cuda:0 latency {} 300 cycles", figure)});
        CHECK(says(run.warnings.at(0), "1 line of 3 not used: 2"));
    }
    for (const char* other : {"X - Unknown Latency.txt", "X Latency.txt", " - Latency.txt"})
        CHECK(says(sonde_run(fmt::format("import '{}'", written(folder, other, "1\n2\n"))).err, "not a results file"));
}

TEST_CASE("gpu-benches: gpu-l2-cache is a curve by data set, gpu-stream the rates of most work-items") {
    std::string said;
    const Run cache = imported(tool_file("gpu-l2-cache.txt"), &said);
    REQUIRE(cache.series.size() == 1);
    CHECK(cache.series[0].id.text() == "bandwidth unknown:0 global data=512-KiB-for-each-workgroup");
    CHECK(cache.series[0].evidence.source->tool == "gpu-benches gpu-l2-cache");
    CHECK(cache.series[0].points.size() == 22);
    CHECK(cache.series[0].points.front().x == 1536 * 1024);
    CHECK(cache.series[0].points.back().x == 4881920.0 * 1024);
    CHECK(cache.series[0].points.back().median == 3888.2);
    CHECK(says(said, "traffic by counters"));

    const Run stream = imported(tool_file("gpu-stream.txt"), &said);
    CHECK(figure_lines(stream) ==
          std::vector<std::string>{"unknown:0 stream global operation=fill width=8: DRAM 3942 GB/s",
              "unknown:0 bandwidth global width=8: DRAM 2775 GB/s",
              "unknown:0 stream global operation=scale type=f64: DRAM 3174 GB/s"});
    CHECK(says(said, "no probe (triad)"));
    CHECK(says(said, "36 figures of gpu-benches"));
    const Run older = imported(tool_file("gpu-stream-2.txt")); // whose percent sign stands apart
    CHECK(has(figure_lines(older), "unknown:0 bandwidth global width=8: DRAM 1942 GB/s"));
}

TEST_CASE("diagnose lists a file's single values by series, twenty lines of them") {
    const std::string mt4g = sonde_run("diagnose " + tool_file("mt4g.json"), "COLUMNS=200").out;
    CHECK(says(mt4g, "Figures of the file (MT4G):"));
    CAPTURE(mt4g);
    CHECK(says(mt4g, "latency global, cycles\n  L1 (l1/latency)                           66.0\n"
                     "  L1 (l1/size), KiB                         61.50\n"));
    CHECK_FALSE(says(mt4g, "series more"));
    CHECK(says(sonde_run("diagnose --csv " + tool_file("mt4g.json")).out,
        ",figures,,latency global,L1 (l1/latency),cuda:0,66,cycles,"));
    CHECK(Json::parse(sonde_run("diagnose --json " + tool_file("mt4g.json")).out).back()["name"] == "figures");
    CHECK_FALSE(says(sonde_run("diagnose " + recorded::run(1)).out, "Figures of the file"));
    const Folder folder;
    Json rows = Json::array(); // of many devices
    for (int i = 0; i < 25; ++i)
        rows.push_back({{"backend", "CUDA"}, {"platform", "p"}, {"device", fmt::format("card {}", i)}, {"driver", "1"},
            {"test", "transfer_bandwidth"}, {"metric", "h2d"}, {"unit", "gbps"}, {"value", 10 + i}});
    const std::string file =
        written(folder, "many.json", Json{{"clpeak_version", "2"}, {"entries", rows}}.dump().c_str());
    CHECK(says(sonde_run("diagnose " + file).out, "5 series more: sonde show " + file));
}

TEST_CASE("show, diagnose, report and levels read other tools' files as they are, and say whose values they hold") {
    const Folder folder;
    for (const char* name :
        {"clpeak.json", "nvbandwidth.txt", "mt4g.json", "gpu-cache.txt", "gpu-l2-cache.txt", "gpu-stream.txt"}) {
        CAPTURE(std::string(name));
        const Ran show = sonde_run("show " + tool_file(name));
        CHECK(show.code == 0);
        CHECK(says(show.out, "not measured by Sonde"));
        CHECK(sonde_run("diagnose " + tool_file(name)).code == 0);
    }
    CHECK(says(sonde_run("show " + tool_file("mt4g.json")).out, "L1 (l1/latency), cycles      66.0\n"));
    CHECK(says(sonde_run("show -", "", "", "<" + tool_file("gpu-cache.txt")).out, "each core reads"));
    const Ran levels = sonde_run("show " + written(folder, "gpu-latency.txt", kGpuBenches));
    CHECK(says(levels.out, "DRAM"));
    CHECK(says(levels.out, "values of gpu-benches gpu-latency"));
    const Ran page = sonde_run(
        fmt::format("report {} {} --out {}", recorded::run(1), tool_file("mt4g.json"), folder.file("page.html")));
    CAPTURE(page.err);
    CHECK(page.code == 0);
    const std::string html = text_of(folder.file("page.html"));
    CHECK(says(html, "Figures of other sources"));
    CHECK(says(html, "NVIDIA GeForce RTX 2080 Ti cuda:0, MT4G"));
}

TEST_CASE("compare judges another tool's value as one block, and tells apart what was found by another method") {
    const Folder folder;
    const Ran transfer =
        sonde_run(fmt::format("compare --json {} {}", recorded::quick(1), tool_file("nvbandwidth.txt")));
    CAPTURE(transfer.err);
    REQUIRE(transfer.code == 0);
    std::size_t found = 0;
    for (const Json& row : Json::parse(transfer.out)) {
        if (text_field(row, "what") != "transfer host direction=to-device engine=copy memory=pinned: largest") continue;
        ++found;
        CHECK(row["b"].get<double>() == doctest::Approx(12.3964).epsilon(0.001));
        CHECK(row["declared_noise"] == 0.03);
        CHECK(says(text_field(row["of"], "b"), "nvbandwidth.txt"));
    }
    CHECK(found == 1);
    const Ran mt4g = sonde_run(fmt::format("compare {} {}", recorded::run(1), tool_file("mt4g.json")));
    CHECK(mt4g.code == 0);
    CHECK(says(mt4g.out, "other method, not comparable"));
    CHECK(says(mt4g.out, "(1 figure: timer per load)"));
    CHECK(says(mt4g.out, "capacity of L1"));
    const Ran two = sonde_run(fmt::format("compare {} {}", tool_file("clpeak.json"), tool_file("clpeak2.json")));
    CHECK(two.code == 0);
    CHECK(says(two.out, "the declared noise"));
    const std::string of_processor = written(folder, "lmbench.txt", kLmbench);
    std::string by_less = kLmbench;
    by_less.replace(by_less.find("stride=128"), 10, "stride=64");
    const Ran unlike =
        sonde_run(fmt::format("compare {} {}", of_processor, written(folder, "less.txt", by_less.c_str())));
    CAPTURE(unlike.err);
    CHECK(unlike.code == 0);
    CHECK(says(unlike.out, "stride=128 of lmbench"));
    CHECK(sonde_run(fmt::format("compare {} {}", recorded::run(1), of_processor)).code == 2); // a card is none
}

TEST_CASE("import: never overwrites, refuses what it does not know, and its file is read like its source") {
    const Folder folder;
    const std::string out = folder.file("imported.jsonl");
    CHECK(sonde_run(fmt::format("import {} --out {}", tool_file("clpeak.json"), out)).code == 0);
    const Ran again = sonde_run(fmt::format("import {} --out {}", tool_file("clpeak.json"), out));
    CHECK(again.code == 2);
    CHECK(says(again.err, "never overwritten"));
    CHECK(sonde_run("show " + out).out == sonde_run("show " + tool_file("clpeak.json")).out);
    CHECK(says(sonde_run("import " + out + " --out -").err, "of Sonde already"));
    const Ran unknown = sonde_run("import " + written(folder, "table.txt", "1 2\n3 4\n5 6\n") + " --out -");
    CHECK(unknown.code == 2);
    CHECK(one_line(unknown.err));
    for (const char* command : {"show", "diagnose", "compare"}) {
        const Ran ran = sonde_run(fmt::format("{} {}", command, folder.file("table.txt")));
        CHECK(ran.code == 2);
        CHECK(one_line(ran.err));
        CHECK(says(ran.err, "not a results file"));
        CHECK(says(ran.err, "sonde import reads: clpeak (JSON, XML, text), nvbandwidth"));
    }
    for (const char* hostile : {"{\"clpeak_version\":\"1\",\"entries\":[{\"value\":1e300,\"unit\":\"gbps\",\"test\":"
                                "\"transfer_bandwidth\",\"metric\":\"h2d\",\"backend\":7}]}",
             "{\"nvbandwidth\":{\"testcases\":[3,{\"bandwidth_matrix\":[[null]]}]}}",
             "block occ% | init read scale triad 3pt 5pt\n 1 0% | GB/s: 1 2 3 4 5 6\n 1 2% | GB/s: 1 nan 3 4 5 6\n 9 "
             "9% | GB/s: 1e300 2 3 4 5 6\n | GB/s: 1 2 3 4 5 6\n",
             "{\"general\":1,\"memory\":{\"l1\":{\"latency\":{\"mean\":-1}}},\"meta\":[]}"}) {
        CAPTURE(std::string(hostile));
        const Ran ran = sonde_run("show " + written(folder, "hostile.json", hostile));
        CHECK(ran.code != 1);
        CHECK(ran.code < 1000);
    }
}

TEST_CASE("a file whose tool names no card is a card of its own, until the caller names it") {
    const Folder folder;
    fs::create_directories(folder.path / "a");
    fs::create_directories(folder.path / "b");
    const auto curve = [](int first, int second, int mhz) {
        std::string text = fmt::format("clock: {}\n", mhz);
        for (int kib = 1; kib <= 262144; kib *= 2) {
            const int cycles = kib <= 64 ? first : second;
            text += fmt::format("1000000 {} {} {:.1f} {}.0\n", mhz, kib, cycles * 1000.0 / mhz, cycles);
        }
        return text;
    };
    const std::string a = written(folder, "a/gpu-latency.txt", curve(30, 400, 1300).c_str()),
                      b = written(folder, "b/gpu-latency.txt", curve(125, 600, 1700).c_str()); // of one name
    const auto cards = [&](const std::string& words) {
        const Ran ran = sonde_run(fmt::format("report {} {} {} --out {}", a, b, words, folder.file("page.html")));
        CHECK(ran.code == 0);
        fs::remove(folder.file("page.html"));
        return ran.out;
    };
    CHECK(says(cards(""), "2 series of 2 runs"));
    std::set<std::string> own, named;
    for (const std::string& file : {a, b}) {
        const Json alone = Json::parse(split(sonde_run(fmt::format("import {} --out -", file)).out, '\n').at(1)),
                   told = Json::parse(
                       split(sonde_run(fmt::format("import {} --name 'RTX 1' --out -", file)).out, '\n').at(1));
        own.insert(text_field(alone, "card"));
        named.insert(text_field(told, "card"));
        CHECK(text_field(told, "name") == "RTX 1");
        CHECK(says(text_field(alone, "name"), "gpu-latency.txt"));
    }
    CHECK(own.size() == 2);
    CHECK(named.size() == 1);

    // Side by side, and no latency of one beside a size of the other.
    const Ran compared = sonde_run(fmt::format("compare --json {} {}", a, b));
    CHECK(compared.code == 0);
    const Json rows = Json::parse(compared.out);
    CHECK(std::ranges::any_of(rows, [](const Json& row) {
        return says(text_field(row, "what"), "L1") && number_field(row, "a") != number_field(row, "b");
    }));
    const Ran joined = sonde_run(fmt::format("show --name 'RTX 1' {}", a));
    CHECK(says(joined.out, "RTX 1"));
    // A card that the tool names keeps its name.
    CHECK(says(sonde_run("show --name Other " + tool_file("mt4g.json")).out, "2080 Ti"));
}

TEST_CASE("nothing that can be used is no success: exit 2, one line, and what was found instead") {
    const Folder folder;
    for (const auto& [text, told] :
        {std::pair{"clock: 1500\nfloat stride 0 0 1.02 125 1 1 0.03\nfloat stride x\n", "not used: 3"},
            {R"({"nvbandwidth":{"version":"v1","testcases":[{"name":"host_to_device_memcpy_ce","status":"Waived"}]}})",
                "Waived"},
            {R"({"clpeak_version":"3","devices":[{"backend":"CUDA","name":"X","tests":[{"id":"t","metrics":[)"
             R"({"id":"m","status":"error"}]}]}]})",
                "status error"},
            {"BabelStream\nVersion: 5.0\nsegmentation fault\n", "not used: 3 ('segmentation fault')"},
            {"device = X\n\nfp32-scalar = 0.00 GFLOPS\n", "measured (fp32-scalar)"}}) {
        CAPTURE(std::string(text));
        const std::string file = written(folder, "file.txt", text);
        for (const char* command : {"import --out -", "show", "diagnose", "report --out -"}) {
            CAPTURE(std::string(command));
            const Ran ran = sonde_run(fmt::format("{} {}", command, file));
            CHECK(ran.code == 2);
            CHECK(ran.out.empty());
            CHECK(one_line(ran.err));
            CHECK(says(ran.err, told));
        }
    }
}

TEST_CASE(
    "JSON that is broken is told with its place; words for numbers, and what a tool could not measure, are counted") {
    const Folder folder;
    const auto clpeak = [](const char* metrics) {
        return fmt::format(
            "{{\"clpeak_version\":\"3\",\"devices\":[{{\"backend\":\"CUDA\",\"name\":\"X\",\n\"tests\":"
            "[{{\"id\":\"global_memory_bandwidth\",\"metrics\":[{{\"id\":\"float4\",\"value\":1e11}},{}]}}]}}]}}",
            metrics);
    };
    const std::string whole = clpeak(R"({"id":"float","value":2e11})");
    const auto complaint = [&](const std::string& text) {
        const Ran ran = sonde_run("import --out - " + written(folder, "file.json", text.c_str()));
        CHECK(ran.code == 2);
        CHECK(one_line(ran.err));
        return ran.err;
    };
    CHECK(says(complaint(whole.substr(0, whole.find('\n') + 4)), "line 2, column 4: the JSON ends in the middle"));
    std::string torn = whole;
    torn.replace(torn.find("\"tests\":"), 8, "\"tests\" ;");
    CHECK(says(complaint(torn), "line 2, column 9: the JSON is broken here"));

    for (const auto& [metric, told] : {std::pair{R"({"id":"float","value":inf})", "measured"},
             {R"({"id":"float","value":-nan})", "measured"}, {R"({"id":"float","value":NaN})", "measured"},
             {R"({"id":"float","value":Infinity})", "measured"}, {R"({"id":"float","value":1e999})", "measured"},
             {R"({"id":"float","value":0})", "measured"}, {R"({"id":"float","value":-3})", "measured"},
             {R"~({"id":"float","status":"error","reason":"(-54)"})~", "status error"},
             {R"({"id":"float"})", "without a value"}}) {
        CAPTURE(std::string(metric));
        const std::string file = written(folder, "file.json", clpeak(metric).c_str());
        const Ran ran = sonde_run("import --out - " + file);
        CHECK(ran.code == 0);
        CHECK(says(ran.out, "\"value\":100.0"));
        CHECK(says(ran.err, told));
        CHECK(says(ran.err, "1 figure of clpeak"));
        CHECK(says(ran.err, "global_memory_bandwidth float"));
    }
    std::string said;
    const Run run = imported(written(folder, "nv.json",
                                 R"~({"nvbandwidth":{"GPU Device list":["0: X (1)"],"testcases":[
        {"name":"host_to_device_memcpy_ce","status":"Passed","bandwidth_matrix":[["25.5","N/A"]]},
        {"name":"device_to_host_memcpy_ce","status":"Error"},
        {"name":"host_to_device_memcpy_sm","status":"Waived"}]}})~"),
        &said);
    CHECK(figure_lines(run).size() == 1);
    CHECK(says(said, "status Error (device_to_host_memcpy_ce)"));
    CHECK(says(said, "status Waived (host_to_device_memcpy_sm)"));
    CHECK(says(said, "without a value (host_to_device_memcpy_ce)"));
}

TEST_CASE(
    "nvbandwidth, between cards: pairs are series of transfer as a run names them, which compare puts beside it") {
    const Folder folder;
    const std::string file = written(folder, "nv.json",
        R"~({"nvbandwidth":{"GPU Device list":["0: X (1)","1: X (2)","2: X (3)"],"testcases":[
        {"name":"device_to_device_memcpy_write_ce","status":"Passed",
         "bandwidth_matrix":[["N/A","101","102"],["110","N/A","112"],["120","N/A","N/A"]]},
        {"name":"device_to_device_memcpy_read_sm","status":"Passed",
         "bandwidth_matrix":[["N/A","90","N/A"],["N/A","N/A","N/A"],["N/A","N/A","N/A"]]},
        {"name":"device_to_device_bidirectional_memcpy_read_ce_total","status":"Passed",
         "bandwidth_matrix":[["N/A","200","N/A"],["N/A","N/A","N/A"],["N/A","N/A","N/A"]]},
        {"name":"device_to_device_bidirectional_memcpy_read_sm_total","status":"Passed",
         "bandwidth_matrix":[["N/A","180","N/A"],["N/A","N/A","N/A"],["N/A","N/A","N/A"]]},
        {"name":"device_to_device_latency_sm","status":"Passed",
         "bandwidth_matrix":[["N/A","N/A","913"],["N/A","N/A","N/A"],["N/A","N/A","N/A"]]},
        {"name":"device_to_device_bidirectional_memcpy_write_ce_total","status":"Passed",
         "bandwidth_matrix":[["N/A","199","N/A"],["N/A","N/A","N/A"],["N/A","N/A","N/A"]]}]}})~");
    std::string said;
    const Run run = imported(file, &said);
    const auto lines = figure_lines(run);
    CHECK(lines.size() == 9);
    for (const char* line : {"cuda:0 transfer peer direction=to-peer engine=copy: largest 101 GB/s",
             "cuda:0 transfer peer direction=to-peer engine=copy peer=2: largest 102 GB/s",
             "cuda:1 transfer peer direction=to-peer engine=copy peer=0: largest 110 GB/s",
             "cuda:2 transfer peer direction=to-peer engine=copy: largest 120 GB/s",
             "cuda:0 transfer peer direction=from-peer engine=kernel: largest 90 GB/s",
             "cuda:0 transfer peer direction=both engine=copy: largest 200 GB/s",
             "cuda:0 transfer peer direction=both engine=kernel: largest 180 GB/s",
             "cuda:0 latency peer peer=2: peer memory 913 ns"}) {
        CAPTURE(line);
        CHECK(std::ranges::find(lines, line) != lines.end());
    }
    CHECK(says(said, "(device_to_device_bidirectional_memcpy_write_ce_total)"));
    CHECK(says(said, "without a value (device_to_device"));
}

TEST_CASE(
    "messages on standard error are broken to COLUMNS, and whole where neither a terminal nor COLUMNS tells a width") {
    const std::string words = "import /dev/null --out -";
    const Ran narrow = sonde_run(words, "COLUMNS=80");
    CHECK(narrow.code == 2);
    CHECK_FALSE(one_line(narrow.err));
    std::istringstream lines(narrow.err);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
    CHECK(one_line(sonde_run(words, "-u COLUMNS").err));
}
