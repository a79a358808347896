// The tables of a card's arithmetic.
#include <algorithm>
#include <array>

#include <doctest/doctest.h>

#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/card_grid.h"
#include "core/diagnosis/diagnosis.h"
#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
DeviceRecord device_of(const char* id, const char* api, std::vector<Fact> facts) {
    DeviceRecord device{
        {.id = id, .api = api, .name = "card", .driver = "1", .cores = 100, .core_cycles = true}, "card"};
    device.facts = std::move(facts);
    return device;
}
Series rate_of(const char* device, const char* operation, double gops) {
    Series series{
        .id = {"rate", device, "global", {{"operation", operation}, {"chains", "8"}}}, .card = "card", .unit = "Gop/s"};
    series.points.push_back({.x = 32, .median = gops, .clock_mhz = 1000, .samples = {}});
    return series;
}
/// Of the answer's table: the row's rate, operations a clock and core, and share of what is documented; 0: none.
std::array<double, 3> row_of(const Grid& grid, std::string_view place) {
    std::array<double, 3> values{};
    for (const GridRow& row : grid.sections.at(0).rows)
        for (const Cell& cell : row.cells) {
            const Quantity* quantity = row.place == place ? cell.quantity() : nullptr;
            if (!quantity) continue;
            if (quantity->unit == Unit::flop_per_s || quantity->unit == Unit::op_per_s) values[0] = quantity->value;
            if (quantity->unit == Unit::op_per_clock) values[1] = quantity->value;
            if (quantity->unit == Unit::share_of_documented) values[2] = quantity->value;
        }
    return values;
}
std::array<double, 3> told(const Run& run, std::string_view operation) {
    return row_of(arithmetic_grid(cards_of(std::span(&run, 1)).at(0)), operation);
}
} // namespace

TEST_CASE("a rate stands beside what the vendor documents, where an API of the card names its chip") {
    Run run;
    run.devices = {
        device_of("cuda:0", "cuda", {{"compute capability", "9.0", "asked"}}), device_of("vulkan:0", "vulkan", {})};
    run.series = {rate_of("vulkan:0", "fma.f32", 25344), rate_of("vulkan:0", "fma.f64", 6400),
        rate_of("vulkan:0", "exp2.f32", 1600)};
    const std::pair<const char*, std::array<double, 3>> rows[] = {
        {"fma.f32", {25344e9, 253.44, 0.99}}, // 128 lanes of 2 operations
        {"fma.f64", {6400e9, 64, 0.5}}, {"exp2.f32", {1600e9, 16, 1}}};
    for (const auto& [operation, values] : rows)
        for (std::size_t i = 0; i < 3; ++i) CHECK(told(run, operation)[i] == doctest::Approx(values[i]));
    const std::pair<const char*, double> results[] = {{"add.f32", 128}, {"mul.f64", 64}, {"mad.u32", 128},
        {"mul.u32", 64}, {"popcount.u32", 16}, {"leading-zeros.u32", 16}, {"logic.u32", 64}, {"shuffle.u32", 32},
        {"fma.f16x2", 512}};
    for (const auto& [operation, most] : results)
        CHECK(documented_rate(*find_operation(operation), run.devices[0].facts) == most);
    for (const char* operation : {"divide.f32", "add.u32"})
        CHECK(documented_rate(*find_operation(operation), run.devices[0].facts) == std::nullopt);
    CHECK(documented_rate(*find_operation("mul.u32"), std::vector<Fact>{{"compute capability", "6.1", "asked"}}) ==
          std::nullopt); // "multiple instructions"

    run.devices[0].facts = {
        {"compute capability, major", "7", "asked"}, {"compute capability, minor", "5", "asked"}}; // as OpenCL gives it
    CHECK(told(run, "fma.f32")[2] == doctest::Approx(1.98));
    run.devices[0].facts = {{"compute capability", "99.0", "asked"}};
    CHECK(told(run, "fma.f32")[2] == 0);
}

TEST_CASE("a table of operations: sweeps that ended early, series that failed") {
    Run run;
    run.devices = {device_of("opencl:0", "opencl", {}), device_of("cuda:0", "cuda", {})};
    Series cut = rate_of("cuda:0", "rcp.f32", 4100),
           failed{.id = {"operation", "cuda:0", "global", {{"operation", "rcp.f32"}}},
               .card = "card",
               .status = Status::failed,
               .reason = "the driver lost the device"};
    cut.ending = Ending{.by = EndedBy::time, .before = 4};
    run.series = {rate_of("opencl:0", "rcp.f32", 3600), rate_of("opencl:0", "fma.f32", 66000), cut, failed};
    const ArithmeticTable table = arithmetic_of(cards_of(std::span(&run, 1)).at(0));
    REQUIRE(table.rows.size() == 2);
    const ArithmeticCell &rcp = table.rows[1].cells.at(0), &of_cuda = table.rows[1].cells.at(1);
    CHECK(*rcp.rate == 3600);
    CHECK_FALSE(rcp.failed);
    CHECK_FALSE(rcp.cut);
    CHECK(*of_cuda.rate == 4100);
    CHECK(of_cuda.cut);
    CHECK(of_cuda.failed);
}

TEST_CASE("an API without a listing names the one whose figure it shares") {
    Run run;
    run.devices = {device_of("cuda:0", "cuda", {}), device_of("vulkan:0", "vulkan", {})};
    for (const auto& [device, ns] : {std::pair("cuda:0", 2.02), {"vulkan:0", 2.04}}) {
        run.series.push_back(
            {.id = {"operation", device, "global", {{"operation", "fma.f32"}}}, .card = "card", .unit = "ns"});
        run.series.back().points.push_back({.x = 512, .median = ns, .cycles = 2 * ns, .samples = {}});
    }
    run.series[0].evidence.kernel.emplace().step_instructions = {{"FFMA", 1}};
    const auto text = [&] {
        const ArithmeticTable table = arithmetic_of(cards_of(std::span(&run, 1)).at(0));
        const ArithmeticRow& row = table.rows.at(0);
        const Cell own = instructions_cell(table, row, row.cells.at(1));
        return std::get<Instructions>(own.is).text;
    };
    CHECK(text().ends_with("cuda:0"));
    run.series[1].points[0].median = 3;
    CHECK_FALSE(text().ends_with("cuda:0"));
}

namespace {
Series matrix_of(const char* device, const char* form, double gops, const char* data = "integers") {
    Series series{.id = {"matrix", device, "global", {{"operation", form}, {"chains", "4"}, {"data", data}}},
        .card = "card",
        .unit = "Gop/s"};
    series.points.push_back({.x = 8, .median = gops, .clock_mhz = 1800, .samples = {}});
    return series;
}
/// What the rule tells of the card; empty: it is silent.
Grid told_by(const Run& run, std::string_view rule) {
    for (const Statement& statement : diagnose(cards_of(std::span(&run, 1)).at(0)))
        if (statement.rule == rule) return statement.fact.grid;
    return {};
}
} // namespace

TEST_CASE("matrix units: instructions and APIs beside each other, where the numbers are the same") {
    Run run;
    run.devices = {device_of("cuda:0", "cuda", {}), device_of("vulkan:0", "vulkan", {})};
    run.series = {matrix_of("cuda:0", "mma.f16.f32.m16n8k16", 650000),
        matrix_of("cuda:0", "mma.f16.f32.m16n8k8", 490000), matrix_of("cuda:0", "wgmma.f16.f32.m64n256k16", 975000),
        matrix_of("cuda:0", "wgmma.f16.f32.m64n256k16", 990000, "zeros"),
        matrix_of("vulkan:0", "coopmat.f16.f32.m16n16k16", 624000),
        matrix_of("vulkan:0", "coopmat.u8.u32.m16n16k32", 1305000), matrix_of("cuda:0", "mma.u8.s32.m16n8k32", 1300000),
        matrix_of("vulkan:0", "coopmat.bf16.f32.m16n16k16", 624000),
        matrix_of("cuda:0", "mma.bf16.f32.m16n8k16", 600000)};
    const auto times = [&](std::string_view rule) {
        std::vector<std::pair<std::string, double>> all;
        const Grid told = told_by(run, rule);
        for (const GridRow& row : told.sections.at(1).rows)
            all.emplace_back(row.place, row.cells.back().quantity()->value);
        return all;
    };
    const std::vector<std::pair<std::string, double>> by_wgmma{{"f16 with sums in f32", 1.5}},
        by_cooperative{{"f16 with sums in f32", 624 / 650.0}, {"u8 with sums in u32", 1305 / 1300.0},
            {"bf16 with sums in f32", 624 / 600.0}};
    CHECK(times("wgmma_beside_mma") == by_wgmma);
    const auto told = times("cooperative_beside_mma");
    REQUIRE(told.size() == by_cooperative.size());
    for (std::size_t i = 0; i < told.size(); ++i) {
        CHECK(told[i].first == by_cooperative[i].first);
        CHECK(told[i].second == doctest::Approx(by_cooperative[i].second));
    }
    CHECK(told_by(run, "cooperative_beside_mma").columns == std::vector<std::string>{"cuda:0", "vulkan:0"});
    const Grid grid = arithmetic_grid(cards_of(std::span(&run, 1)).at(0));
    const std::pair<const char*, double> best[] = {
        {"f16 wgmma, cuda:0", 975e12}, {"u8 mma, cuda:0", 1300e12}, {"bf16 coopmat, vulkan:0", 624e12}};
    CHECK(grid.sections.at(0).rows.size() == 3);
    for (const auto& [place, rate] : best) CHECK(row_of(grid, place)[0] == doctest::Approx(rate));

    run.series = {
        matrix_of("cuda:0", "mma.f16.f32.m16n8k16", 650000), matrix_of("cuda:0", "wgmma.f16.f32.m64n256k16", 975000)};
    run.series[1].points[0].clock_mhz = 1620; // the faster instruction lowers the clock
    REQUIRE(times("wgmma_beside_mma").size() == 1);
    CHECK(times("wgmma_beside_mma")[0].second == doctest::Approx(1.5 / 0.9));

    run.series = {matrix_of("cuda:0", "mma.f16.f16.m16n8k16", 650000),
        matrix_of("vulkan:0", "coopmat.f16.f32.m16n16k16", 624000)}; // sums of other formats
    CHECK(told_by(run, "cooperative_beside_mma").empty());
}

namespace {
const Cases kArithmeticCases{
    {"operation_apart",
        {{"latency", "a:0", 23}, {"latency", "c:0", 23}, {"latency", "b:0", 40},
            {"instructions", "b:0", "1 FMUL, 1 MUFU.RCP"}},
        [](MadeUp& card) {
            card.operation("a:0", "rcp.f32", 23), card.operation("c:0", "rcp.f32", 23);
            card.operation("b:0", "rcp.f32", 40).kernel = {.step_instructions = {{"FMUL", 1}, {"MUFU.RCP", 1}}};
        },
        [](MadeUp& card) {
            card.operation("a:0", "rcp.f32", 23), card.operation("b:0", "rcp.f32", 24),
                card.operation("a:0", "fma.f32", 4), card.operation("b:0", "fma.f64", 8);
        }},
    {"operation_apart", // two additions in a step
        {{"latency", "a:0", 9}, {"latency", "b:0", 5}},
        [](MadeUp& card) { card.operation("a:0", "add.u32", 18), card.operation("b:0", "add.u32", 10); },
        [](MadeUp& card) { card.operation("a:0", "add.u32", 18); }},
    {"operation_rates_apart",
        {{"all cores", "a:0", 1.6e13}, {"all cores", "b:0", 1.067e13}, {"latency", "a:0", 10},
            {"latency", "b:0", 10.5}},
        [](MadeUp& card) {
            card.operation("a:0", "insert.u32", 10), card.operation("b:0", "insert.u32", 10.5),
                card.rate("a:0", "insert.u32", 16000), card.rate("b:0", "insert.u32", 10667);
        },
        [](MadeUp& card) {
            card.operation("a:0", "insert.u32", 10), card.operation("b:0", "insert.u32", 14),
                card.rate("a:0", "insert.u32", 16000), card.rate("b:0", "insert.u32", 10667);
        }},
    {"roundings", {{"roundings", "a:0", 1}, {"roundings", "b:0", 2}},
        [](MadeUp& card) {
            card.operation("a:0", "fma.f32", 4).rounding = "once",
                                             card.operation("b:0", "fma.f32", 4).rounding = "twice";
        },
        [](MadeUp& card) {
            card.operation("a:0", "fma.f32", 4).rounding = "once",
                                             card.operation("b:0", "fma.f32", 4).rounding = "once";
        }},
    {"roundings", {{"roundings", "a:0", 2}, {"roundings", "b:0", 1}},
        [](MadeUp& card) {
            card.operation("a:0", "fma.f32", 4).rounding = "once",
                                             card.operation("b:0", "fma.f32", 4).rounding = "once",
                                             card.operation("a:0", "mad.f32", 4).rounding = "twice",
                                             card.operation("b:0", "mad.f32", 4).rounding = "once";
        },
        [](MadeUp& card) { card.operation("a:0", "fma.f32", 4).rounding = "once"; }},
    {"alternating_instructions", {{"add.u32", "a:0", 3.3e13}},
        [](MadeUp& card) {
            card.operation("a:0", "add.u32", 10).kernel = {.step_instructions = {{"IADD3", 1}, {"IMAD.IADD", 1}}},
                                             card.rate("a:0", "add.u32", 33000);
        },
        [](MadeUp& card) {
            card.operation("a:0", "add.u32", 10).kernel = {.step_instructions = {{"IADD3", 1.5}, {"IMAD.IADD", 0.5}}},
                                             card.rate("a:0", "add.u32", 33000);
        }},
    {"kinds_in_turn", {{"f32+f64", "a:0", 1}, {"f32+f64", "b:0", 1}},
        [](MadeUp& card) {
            for (const char* id : {"a:0", "b:0"})
                card.curve("co-issue", id, "global", {{"pair", "f32+f64"}, {"steps", "dependent"}},
                    {{0, 100}, {50, 75}, {100, 60}});
        },
        [](MadeUp& card) {
            card.curve("co-issue", "a:0", "global", {{"pair", "f32+f64"}, {"steps", "dependent"}},
                {{0, 100}, {50, 60}, {100, 60}});
        }},
    {"denormals_flushed", {{"instruction", "a:0", "FFMA"}, {"instruction", "b:0", "FFMA.FTZ"}},
        [](MadeUp& card) {
            card.operation("a:0", "fma.f32", 4).kernel = {.step_instructions = {{"FFMA", 1}}};
            card.operation("b:0", "fma.f32", 4).kernel = {.step_instructions = {{"FFMA.FTZ", 1}}};
        },
        [](MadeUp& card) {
            card.operation("a:0", "fma.f32", 4).kernel = {.step_instructions = {{"FFMA", 1}}},
                                             card.operation("b:0", "fma.f32", 4);
        }},
    {"steps_removed", {{"measured", "a:0", 0.005}, {"least of any GPU", "a:0", 1}},
        [](MadeUp& card) { card.operation("a:0", "insert.u32", 0.005); },
        [](MadeUp& card) { card.operation("a:0", "insert.u32", 1); }},
    {"operation_apart", {{"latency", "a:0", 60}, {"latency", "b:0", 40}},
        [](MadeUp& card) { card.operation("a:0", "divide.f32", 60), card.operation("b:0", "divide.f32", 40); },
        [](MadeUp& card) { card.operation("a:0", "divide.f32", 40), card.operation("b:0", "divide.f32", 40); }},
};
} // namespace

TEST_CASE("rules of arithmetic: each speaks where it must and is silent where it must") { kArithmeticCases.check(); }

TEST_CASE("an operation's table has its chain, the errors allowed, its latency, its rate and its instructions") {
    MadeUp card;
    card.operation("a:0", "rcp.f32", 23), card.rate("a:0", "rcp.f32", 4000);
    card.operation("b:0", "rcp.f32", 40).kernel = {.step_instructions = {{"FMUL", 1}, {"MUFU.RCP", 1}}};
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, "operation_apart", &Statement::rule);
    REQUIRE(told != all.end());
    REQUIRE(told->fact.grid.sections.size() == 1);
    const GridSection& section = told->fact.grid.sections[0];
    const Operation& operation = *find_operation("rcp.f32");
    for (const std::string_view part : {operation.step, operation.errors})
        CHECK(told->fact.notes.at(0).find(part) != std::string::npos);
    REQUIRE(section.rows.size() == 3);
    CHECK(*section.rows[0].cells[1].quantity() == Quantity{40, Unit::cycles});
    CHECK(*section.rows[1].cells[0].quantity() == Quantity{4e12, Unit::op_per_s});
    CHECK(std::get<Instructions>(section.rows[2].cells[1].is).text == "1 FMUL, 1 MUFU.RCP");
    CHECK(std::get<Lack>(section.rows[2].cells[0].is) == Lack::not_measured);
}

TEST_CASE("operations beyond the first three that differ share a table") {
    MadeUp card;
    const std::pair<const char*, double> times[] = {
        {"fma.f32", 5}, {"add.f32", 4}, {"fma.f64", 3}, {"mad.u32", 2}, {"popcount.u32", 1.5}};
    for (const auto& [name, ratio] : times) card.operation("a:0", name, 8 * ratio), card.operation("b:0", name, 8);
    std::vector<std::size_t> operations;
    for (const Statement& each : statements_of(card.run))
        if (each.rule == "operation_apart") operations.push_back(each.fact.grid.sections.size());
    CHECK(operations == std::vector<std::size_t>{1, 1, 1, 2});
}
