// Diagnoses as a whole: statements and what they rest on, of made-up cards and of recorded runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "core/data/results.h"
#include "core/probes/probe.h"
#include "tests/diagnosis/made_up.h"
#include "tests/recorded.h"
#include "tests/required.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace sonde::made_up;

TEST_CASE("a statement names the series that it rests on, and its JSON is a finding") {
    MadeUp card;
    two_apis(card, kThree, kTwo);
    const auto statements = statements_of(card.run);
    REQUIRE(statements.size() == 1);
    CHECK(statements[0].from.size() == 2);
    CHECK(statements[0].evidence.size() == 2);
    const Json line = to_json(statements[0]);
    for (const char* field : {"type", "kind", "probe", "device", "path", "text", "from"}) CHECK(line.contains(field));
    CHECK(line["name"] == "l1_not_reached");
    CHECK(line["device"] == "b:0");
}

TEST_CASE("a series that is doubtful says that alone, and one measured a second time nothing") {
    MadeUp card;
    two_apis(card, kThree, kTwo);
    card.run.series[1].status = Status::unstable, card.run.series[1].reason = "interrupted";
    const auto statements = statements_of(card.run);
    REQUIRE(statements.size() == 1);
    CHECK(statements[0].text == "latency b:0 global: unstable, and used by no sentence below. Reason: interrupted.");
    MadeUp twice;
    two_apis(twice, kThree, kThree);
    twice.latency("b:0", "global", kTwo, kEnd);
    CHECK(statements_of(twice.run).empty());
}

TEST_CASE("what is known of the H200's paths is said, and nothing else") {
    const Run paths = read_run(recorded::kPaths);
    std::vector<std::string> rules;
    for (const Statement& statement : statements_of(paths)) rules.emplace_back(statement.rule);
    CHECK(std::multiset(rules.begin(), rules.end()) ==
          std::multiset<std::string>{"l1_not_reached", "smaller_l1", "smaller_l1", "cache_in_parts", "extra_cycles",
              "constant_is_global", "one_cache_two_paths", "scratchpad_limit", "host_memory", "reported_cache",
              "load_moved"});
    CHECK(statements_of(paths).back().rule == "load_moved"); // what a compiler did not do is told last
    CHECK(says(said(paths, "l1_not_reached"),
        "global.cg does not reach L1 through cuda:0, opencl:1.0 and vulkan:0. Its nearest level is L2 near ("));
    CHECK(says(said(paths, "extra_cycles"),
        "A step of the pointer walk takes more cycles through vulkan:0 than cuda:0: on global"));
    CHECK(says(said(paths, "extra_cycles"), "But on global.pointer +0.1 (L1)"));
    CHECK(says(said(paths, "constant_is_global"), "constant through opencl:1.0"));
    CHECK(says(said(paths, "cache_in_parts"), "the driver reports one cache of 60 MiB"));
    CHECK(says(
        said(paths, "host_memory"), "through cuda:0 only L1 caches it, to 215-219 KiB, and loads far beyond take"));
    CHECK(says(said(paths, "host_memory"), "Through opencl:1.0 it has the latency of device memory"));
    CHECK(says(said(paths, "host_memory"), "Through vulkan:0 loads hit a cache behind L1 to 42.2-47.7 MiB"));
    CHECK(says(said(paths, "reported_cache"), "The driver of opencl:1.0 reports a cache of 4.12 MiB (132 cores x 32 "
                                              "KiB), but latency on global has no step there: 288 cycles from "));
    CHECK(says(said(paths, "smaller_l1"),
        "184-187 KiB against 215-219 KiB on global, global.ca, global.readonly, global.uniform, global.pointer and "
        "texel. 155-158 KiB against 204-208 KiB on image2d."));
    CHECK(says(said(paths, "cache_in_parts"), "L2 near to 26-28.8 MiB and L2 far to about 58 MiB"));

    CHECK(says(said(read_run(recorded::kCarveout), "option_moves_l1"), "20.8-21.1 KiB with carveout=100"));
    const Run bandwidth = read_run(recorded::kBandwidth);
    CHECK(says(said(bandwidth, "bandwidth_apart"), "constant"));
    CHECK(says(said(bandwidth, "faster_than_peak"), "host through opencl:1.0"));
    for (const Statement& statement : statements_of(bandwidth)) {
        CAPTURE(statement.text);
        CHECK((statement.rule == "bandwidth_apart" || statement.rule == "faster_than_peak" ||
               statement.rule == "cut_short")); // and nothing else
    }
}

TEST_CASE("loads of another path evict as much of texel's lines as its own do on the H200") {
    const auto texts = said(read_run(recorded::kEverything), "evicts_as_own");
    CHECK(says(texts, "Loads on global over 512 KiB evict as many lines of a walk on texel as its own loads do: "
                      "consistent with a cache that both use. Through cuda:0 its loads then take 93.4 ns on average, "
                      "93.4 after loads of its own, 47.7 undisturbed. Through"));
    for (const std::string& text : texts) CHECK(text.find("part of one cache") == std::string::npos);
}

TEST_CASE("what the structure probes found on the H200 is said") {
    const Run structure = read_run(recorded::kStructure);
    const auto pages = said(structure, "tlb_reach");
    CHECK(says(pages, "TLB reach through vulkan:0 is about 32 times smaller than through cuda:0: 6-12 MiB against "
                      "192-384 MiB (a miss costs about 5.1 ns)"));
    CHECK(says(pages, " A further step at 6-12 GiB: a load takes "));
    CHECK(pages.size() == 1);
    const auto line_of_constants = [&](const char* device) {
        const auto found = std::ranges::find_if(structure.series, [&](const Series& each) {
            return each.id.probe == "line" && each.id.device == device && each.id.path == "constant" &&
                   each.id.options == Options{{"level", "1"}, {"test", "line"}};
        });
        REQUIRE(found != structure.series.end());
        return find_probe("line")->findings(*found, {}).at(0).text;
    };
    CHECK(line_of_constants("cuda:0").find(
              "lines of 64 bytes, by addresses shifted by part of a stride; at unshifted "
              "strides of 128 to 512 bytes 100 % of loads miss, cause unknown") != std::string::npos);
    CHECK(line_of_constants("vulkan:0").ends_with("lines of 64 bytes"));
    CHECK(said(structure, "clock_under_load").empty()); // core-sharing's cycles are one core's, its times those of two
    const auto first = said(read_run(recorded::file("l1-by-scratchpad")), "l1_by_scratchpad");
    CHECK(says(first, "20.8-21.1 KiB with 12 KiB"));
    CHECK(says(first, "L1 is larger with 48 KiB than with 12 KiB: consistent with a carve-out for as many workgroups "
                      "as a core holds."));
    CHECK(says(first, "Through vulkan:0 it stays at 184-187 KiB, to 48 KiB held"));
}

TEST_CASE("what all probes found on the H200 through three APIs is said, and nothing that is not so") {
    if (!thorough()) return skip("in full only: every rule, once for each question");
    const Run everything = read_run(recorded::kEverything);
    CHECK(says(said(everything, "atomics_joined"), "Gop/s through vulkan:0"));
    CHECK(said(everything, "atomic_cache_control").empty()); // no instruction follows one
    CHECK(says(said(everything, "mean_of_two_kinds"),
        "On global.cg at 40 MiB (L2 far) through cuda:0 48 % of loads take as long as DRAM's fastest 2 % (528 cycles "
        "or more), and 6 % as long as DRAM's median. On global.cg at 48 MiB (L2 far) through opencl:1.0 49 % (528 "
        "cycles or more) and 5 %."));
    CHECK(says(said(everything, "copies_from_cache"), "Copies to-device through vulkan:0 reach"));
    CHECK(says(said(read_run(recorded::others(1)), "transfers_take_turns"),
        "at 64 MiB per transfer 49.4 GB/s to the host and "
        "58 GB/s both ways together (17 % more than "
        "that). Both")); // and nothing rests on the
                         // doubted series
    CHECK(says(said(read_run(recorded::file("one-workgroup")), "one_workgroup"), "65.7 GB/s through vulkan:0"));
    CHECK(
        says(said(everything, "extra_cycles"), "TLB misses, measured by tlb, add +8 (L2 far) and +4 (DRAM) of these."));
    CHECK(says(said(read_run(recorded::file("stream-copies")), "dram_rates_apart"), "through vulkan:0"));
    CHECK(says(said(everything, "consecutive_apart"),
        "Contiguous 4-byte loads on global, footprint 30 MiB: 9.11 TB/s through cuda:0 and opencl:1.0 (agree within 1 "
        "%), 6.35 TB/s through vulkan:0, same launch shape, cause unknown"));
    CHECK(says(said(everything, "launches_apart"), "us through vulkan:0"));
    CHECK(says(said(everything, "core_scratchpad"), "48 KiB (4 x 12 KiB) through vulkan:0"));
    CHECK(says(said(everything, "constant_is_global"),
        "A kernel through opencl:1.0 takes at least 256 KiB, where the driver reports 64 KiB"));
    CHECK(said(everything, "limit_unlike_reported").empty()); // said once
    CHECK(says(said(everything, "scratchpad_limit"),
        "47.9 KiB through opencl:1.0")); // and not where the latency's sweep ended
    CHECK(said(everything, "memory_in_segments").empty());
    CHECK(says(said(read_run(recorded::kCoalescing), "random_apart"),
        "Random 4-byte loads on global, footprint 16 MiB: 644 GB/s through cuda:0 and opencl:1.0 (agree within 1 %), "
        "257 GB/s through vulkan:0"));
}

TEST_CASE("five runs of one card say the same") {
    for (int run = 1; run <= 5; ++run) {
        CAPTURE(run);
        std::vector<std::string> rules;
        for (const Statement& statement : statements_of(read_run(recorded::run(run))))
            rules.emplace_back(statement.rule);
        CHECK(std::multiset(rules.begin(), rules.end()) == std::multiset<std::string>{"smaller_l1", "extra_cycles",
                                                               "scratchpad_limit", "cache_in_parts", "reported_cache"});
    }
}
