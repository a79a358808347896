// Diagnoses as a whole: statements and what they rest on, of made-up cards and of recorded runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

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
    CHECK(statements[0].rule == "series_unstable");
    CHECK(says({statements[0].text}, "interrupted"));
    MadeUp twice;
    two_apis(twice, kThree, kThree);
    twice.latency("b:0", "global", kTwo, kEnd);
    CHECK(statements_of(twice.run).empty());
}

TEST_CASE("recorded runs say what is known of the card through three APIs, by rule, and nothing else") {
    struct Recorded {
        std::string file;
        std::map<std::string, int> rules; // and how many statements of each
    };
    const Recorded all[] = {
        {recorded::run(1), {{"smaller_l1", 1}, {"extra_cycles", 1}, {"scratchpad_limit", 1}, {"cache_in_parts", 1},
                               {"reported_cache", 1}}},
        {recorded::quick(1),
            {{"alternating_instructions", 1}, {"atomics_apart", 1}, {"cache_in_parts", 1}, {"clock_under_load", 2},
                {"consecutive_apart", 1}, {"constant_is_global", 1}, {"cooperative_beside_mma", 1},
                {"copies_from_cache", 1}, {"core_scratchpad", 1}, {"denormals_flushed", 1}, {"dram_rates_apart", 1},
                {"evicts_as_own", 1}, {"extra_cycles", 1}, {"launches_apart", 1}, {"library_beside", 4},
                {"load_moved", 1}, {"one_cache_two_paths", 1}, {"mean_of_two_kinds", 1}, {"one_workgroup", 1},
                {"operation_apart", 2}, {"power_cap", 1}, {"reported_cache", 1}, {"reruns_apart", 1},
                {"scratchpad_limit", 1}, {"slow_fills", 1}, {"tlb_reach", 1}, {"transfers_take_turns", 1},
                {"wgmma_beside_mma", 1}, {"workload_apart", 2}, {"workload_bound", 2}}},
        {recorded::kMemory,
            {{"bandwidth_apart", 1}, {"cache_in_parts", 1}, {"constant_is_global", 1}, {"cut_short", 1},
                {"evicts_as_own", 3}, {"extra_cycles", 1}, {"faster_than_l2", 3}, {"faster_than_peak", 1},
                {"host_memory", 1}, {"l1_by_scratchpad", 1}, {"l1_not_reached", 1}, {"load_moved", 1},
                {"mean_of_two_kinds", 1}, {"one_cache_two_paths", 1}, {"reported_cache", 1}, {"scratchpad_limit", 1},
                {"smaller_l1", 1}, {"tlb_reach", 1}}},
        {recorded::kTraffic,
            {{"consecutive_apart", 4}, {"copies_from_cache", 3}, {"cut_short", 1}, {"dram_rates_apart", 1},
                {"faster_than_peak", 1}, {"loads_not_bytes", 1}, {"one_workgroup", 1}, {"random_apart", 3}}},
        {recorded::kMatrix, {{"clock_under_load", 1}, {"cooperative_beside_mma", 1}, {"sparse_beside_dense", 2},
                                {"timers_disagree", 1}, {"wgmma_beside_mma", 1}, {"zeros_as_integers", 1}}},
    };
    for (const Recorded& row : all) {
        const bool small = row.file == recorded::run(1) || row.file == recorded::kMatrix;
        if (!small && !thorough()) continue; // seconds
        CAPTURE(row.file);
        const auto statements = statements_of(read_run(row.file));
        std::map<std::string, int> rules;
        for (const Statement& statement : statements) ++rules[std::string(statement.rule)];
        for (const auto& [rule, count] : rules) {
            CAPTURE(rule);
            CHECK(row.rules.contains(rule));
        }
        for (const auto& [rule, count] : row.rules) {
            CAPTURE(rule);
            CHECK(rules[rule] == count);
        }
        // what a compiler did not do is told last
        const auto compilers = std::ranges::find(statements, "load_moved", &Statement::rule);
        CHECK((compilers == statements.end() || compilers + 1 == statements.end()));
    }
}

TEST_CASE("three runs of one card say the same, but that a series scatters in some") {
    const auto rules_of = [](int run) {
        std::map<std::string, int> rules;
        for (const Statement& statement : statements_of(read_run(recorded::quick(run))))
            ++rules[std::string(statement.rule)];
        rules.erase("series_unstable");
        return rules;
    };
    const auto first = rules_of(1);
    CHECK(first.size() > 20);
    CHECK(rules_of(2) == first);
    if (thorough()) CHECK(rules_of(3) == first);
}
