// What noise does to a comparison: simulated blocks, where it is on one side only, common to all items or to few; one
// block; points that are missing.
#include <cmath>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/file.h"
#include "core/compare/compare.h"
#include "core/compare/comparison_text.h"
#include "tests/command.h"
#include "tests/random.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;

namespace {
constexpr double kRunNoise = 0.0015;
constexpr std::size_t kPaths = 8, kLevels = 3;

/// Whose blocks rise and fall together.
enum class Together { level, path, run };

struct Noise {
    double a, b; // from block to block, of ln value
    Together together = Together::level;
    int blocks = 3;
};

/// Values of one run's levels, block by block; all levels are 1.
std::vector<std::vector<double>> simulated_run(double noise, const Noise& how, Random& random) {
    std::vector<std::vector<double>> levels(kPaths * kLevels);
    std::vector<double> common(static_cast<std::size_t>(how.blocks)), own;
    for (double& value : common) value = random.normal();
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const double of_run = kRunNoise * random.normal();
        if (how.together == Together::level || (how.together == Together::path && i % kLevels == 0))
            for (double& value : common) value = random.normal();
        for (const double value : common) levels[i].push_back(of_run + noise * value + 1e-4 * random.normal());
    }
    return levels;
}

/// Two runs, judged; the third level of the first path of `b` is shifted by this.
std::vector<Comparison> simulated(const Noise& how, double shift, Random& random) {
    const auto a = simulated_run(how.a, how, random), b = simulated_run(how.b, how, random);
    std::vector<Comparison> comparisons;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto side = [&](const char* label, const std::vector<double>& units) {
            return Measured{.label = label, .units = units, .run_noise = kRunNoise, .count = units.size()};
        };
        comparisons.push_back({.question = {"latency", fmt::format("path {}", i / kLevels), {}},
            .item = fmt::format("L{}", i % kLevels + 1),
            .unit = "ns",
            .a = side("a", a[i]),
            .b = side("b", b[i])});
    }
    for (double& value : comparisons[2].b.units) value += std::log(shift);
    judge(comparisons);
    return comparisons;
}

constexpr int kTimes = 200;

/// In how many of kTimes comparisons of equals something differs.
int false_alarms(const Noise& how) {
    Random random{std::mt19937_64(15)};
    int alarms = 0;
    for (int i = 0; i < kTimes; ++i) {
        const auto comparisons = simulated(how, 1, random);
        alarms += std::any_of(
            comparisons.begin(), comparisons.end(), [](const Comparison& comparison) { return comparison.differs; });
    }
    return alarms;
}

/// A run's latencies without the points that `keep` refuses, by their number.
template <class Keep> std::string thinned(const std::string& file, const std::string& to, const Keep& keep) {
    const auto in = open_to_read(file);
    std::ofstream out(to);
    for (std::string text; std::getline(*in, text);) {
        Json line = Json::parse(text), points = Json::array();
        if (line["type"] == "finding" || (line["type"] == "series" && line["probe"] != "latency")) continue;
        if (line["type"] == "series") {
            for (std::size_t i = 0; i < line["points"].size(); ++i)
                if (keep(i)) points.push_back(line["points"][i]);
            line["points"] = points;
        }
        out << line.dump() << "\n";
    }
    return to;
}

/// The same with every number that `change` is given changed: block, x, sample.
template <class Change> std::string changed(const std::string& file, const std::string& to, const Change& change) {
    const auto in = open_to_read(file);
    std::ofstream out(to);
    for (std::string text; std::getline(*in, text);) {
        Json line = Json::parse(text);
        if (line["type"] == "series") change(line);
        if (line["type"] != "finding") out << line.dump() << "\n";
    }
    return to;
}

void scale(Json& sample, double factor) {
    for (const char* time : {"host_ns", "device_ns", "cycles"})
        if (sample[time].is_number()) sample[time] = sample[time].get<double>() * factor;
}
} // namespace

TEST_CASE("noise of blocks, on both sides or on one, of each level or of all together: a false difference in 5 of 100 "
          "comparisons at most") {
    for (const double noise : {0.01, 0.03})
        for (const double other : {noise, 0.0005, 0.0})
            for (const Together together : {Together::level, Together::path, Together::run})
                for (const int blocks : {2, 3, 5}) {
                    CAPTURE(noise);
                    CAPTURE(other);
                    CAPTURE(static_cast<int>(together));
                    CAPTURE(blocks);
                    CHECK(false_alarms({other, noise, together, blocks}) <= kTimes / 20);
                }
}

TEST_CASE("a shift of one level by 2 % and more is found every time, and nothing else beside it") {
    for (const double shift : {1.02, 1.03, 1.05, 0.98, 0.95}) {
        CAPTURE(shift);
        Random random{std::mt19937_64(16)};
        int found = 0, others = 0;
        for (int i = 0; i < kTimes; ++i) {
            const auto comparisons = simulated({0.0005, 0.0005}, shift, random);
            found += comparisons[2].differs;
            for (const Comparison& comparison : comparisons)
                others += comparison.differs && &comparison != &comparisons[2];
        }
        CHECK(found == kTimes);
        CHECK(others <= kTimes / 20);
    }
}

TEST_CASE("one block a side: judged with a declared noise, that is said; what is far more is found") {
    const Noise one{0.003, 0.003, Together::level, 1};
    CHECK(false_alarms(one) == 0);
    Random random{std::mt19937_64(17)};
    const auto comparisons = simulated(one, 1.5, random);
    CHECK(comparisons[2].differs);
    CHECK(comparisons[2].one_block());
    Folder folder;
    const auto first_block = [](Json& line) {
        for (Json& point : line["points"]) {
            Json samples = Json::array();
            for (const Json& sample : point["samples"])
                if (sample["block"] == 0) samples.push_back(sample);
            point["samples"] = samples;
        }
    };
    const std::string a = changed(recorded::run(1), folder.file("a.jsonl"), first_block),
                      b = changed(recorded::run(2), folder.file("b.jsonl"), first_block);
    const Ran two = sonde_run(fmt::format("compare {} {}", a, b)),
              both = sonde_run(fmt::format("compare {}@cuda {}@vulkan", a, a));
    CHECK(two.code == 0);
    CHECK(says(two.out, "no difference"));
    CHECK(says(two.out, "of recorded runs"));
    CHECK_FALSE(says(two.out, "declared"));
    CHECK(says(both.out, "L1"));
    CHECK(says(both.out, "slower"));
    CHECK_FALSE(says(sonde_run(fmt::format("compare {} {}", recorded::run(1), recorded::run(2))).out, "one block"));
}

TEST_CASE("a workload whose launches last microseconds is judged with the noise of launches, a longer one is not") {
    Folder folder;
    const auto twice = [](Json& line) {
        if (line["probe"] != "workload.lbm" || line["device"] != "cuda:0") return;
        for (Json& point : line["points"])
            for (Json& sample : point["samples"]) sample["host_ns"] = sample["host_ns"].get<double>() * 2;
    };
    const Ran two = sonde_run(fmt::format(
        "compare {}@cuda {}@cuda", recorded::quick(1), changed(recorded::quick(1), folder.file("b.jsonl"), twice)));
    CHECK(two.code == 0);
    CHECK(says(two.out, "cells 1.67772e+07"));
    CHECK_FALSE(says(two.out, "cells 4096 "));
}

TEST_CASE("points that one side lacks change no number of levels") {
    Folder folder;
    const std::string few = thinned(recorded::run(2), folder.file("few.jsonl"), [](std::size_t i) { return i < 3; });
    const std::string fourth =
        thinned(recorded::run(2), folder.file("fourth.jsonl"), [](std::size_t i) { return i % 4 == 0; });
    const std::string third =
        thinned(recorded::run(2), folder.file("third.jsonl"), [](std::size_t i) { return i % 3 == 0; });
    const std::string second =
        thinned(recorded::run(2), folder.file("second.jsonl"), [](std::size_t i) { return i % 2 == 0; });
    for (const std::string& file : {few, fourth, third, second}) {
        const Ran ran = sonde_run(fmt::format("compare {} {}", recorded::run(1), file));
        CAPTURE(ran.out);
        CHECK(ran.code == 0);
        CHECK(says(ran.out, "no difference"));
        CHECK_FALSE(says(ran.out, "->"));
        CHECK(says(ran.out, "latency global: not comparable") == (file == few || file == fourth));
        CHECK(says(ran.out, fmt::format("({}) has {} points, the other", file, file == few ? 3 : 13)) ==
              (file == few || file == fourth));
    }
    CHECK_FALSE(says(sonde_run(fmt::format("compare {0}@cuda {0}@vulkan", recorded::run(1))).out, "not comparable"));
}

TEST_CASE("one run on both sides, or twice on one, is bad usage in one line; a changed copy is a note") {
    Folder folder;
    const std::string run = recorded::run(1),
                      copy = thinned(run, folder.file("copy.jsonl"), [](std::size_t) { return true; });
    const std::string part = thinned(run, folder.file("part.jsonl"), [](std::size_t i) { return i < 20; });
    std::ofstream(folder.file("twice.jsonl")) << text_of(copy) << text_of(copy);
    const std::string shifted = changed(run, folder.file("shifted.jsonl"), [](Json& line) {
        for (Json& point : line["points"])
            if (line["probe"] == "latency" && point["x"] > 300e6)
                for (Json& sample : point["samples"]) scale(sample, 1.05);
    });
    for (const std::string& words : {run + " " + run, run + " " + copy, run + " " + part,
             copy + " " + folder.file("twice.jsonl"), run + "@cuda " + copy + "@cuda"}) {
        const Ran ran = sonde_run("compare " + words);
        CAPTURE(words);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK(says(ran.err, "the same run: NVIDIA H200"));
        CHECK(says(ran.err, "started 2026-11-23T21:22:31Z"));
    }
    CHECK(says(sonde_run(fmt::format("compare {0},{1} {2}", run, copy, recorded::run(2))).err, "same run twice"));
    CHECK(sonde_run(fmt::format("compare {0}@cuda {0}@vulkan", run)).code == 0);
    CHECK(says(sonde_run(fmt::format("compare {}@host {}", run, recorded::run(2))).err,
        "results: cuda:0, opencl:1.0, vulkan:0\n"));
    const Ran note = sonde_run(fmt::format("compare {} {}", run, shifted));
    CHECK(note.code == 0);
    CHECK(says(note.out, "the same samples"));
    CHECK(says(note.out, "DRAM"));
    CHECK(says(note.out, "slower"));
}

TEST_CASE("a unit that there is not refuses the file in one line that names the line and the units, for every reader") {
    Folder folder;
    const std::string file = folder.file("unit.jsonl");
    const auto with = [&](const char* probe, const char* where, const char* unit) {
        return changed(recorded::run(1), file, [&](Json& line) {
            if (line["probe"] == probe && line["device"] == "cuda:0")
                (where == std::string("x") ? line["x"]["unit"] : line["unit"]) = unit;
        });
    };
    const auto refused = [&](const std::string& command, const std::string& unit) {
        CAPTURE(command);
        const Ran ran = sonde_run(command);
        CHECK(ran.code == 2);
        CHECK(one_line(ran.err));
        CHECK(says(ran.err, "unit.jsonl: line 7: the"));
        CHECK(says(ran.err, "'" + unit + "', none of [\"ns\",\"GB/s\""));
    };
    for (const char* unit : {"us", "GiB/s", "cycles", ""}) refused("show " + with("latency", "y", unit), unit);
    with("latency", "y", "furlong");
    for (const char* command : {"show ", "diagnose ", "compare ", "run --resume ", "report -o page.html "})
        refused(command + file, "furlong");
    CHECK(one_line(sonde_run("show " + with("latency", "y", "a\nb")).err));
    CHECK(says(sonde_run("show " + with("bandwidth", "x", "KiB")).err, "'KiB', none of [\"\","));
}

TEST_CASE("the difference that would have shown is how far the interval reaches beyond what was measured") {
    Comparison comparison{.question = {"latency", "global", {}}, .item = "L1", .unit = "ns"};
    comparison.ratio = 1.2, comparison.low = 1.15, comparison.high = 1.26, comparison.chance = 0.5;
    std::ostringstream out;
    print_summary({comparison}, out);
    CHECK(says(out.str(), "5.0"));
    CHECK_FALSE(says(out.str(), "26.0"));
}
