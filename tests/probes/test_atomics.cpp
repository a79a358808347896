// atomics: its series on modelled cards, and what it says of them.
#include <tuple>

#include <doctest/doctest.h>

#include "core/analysis/findings.h"
#include "core/base/text.h"
#include "tests/measure/lying_device.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("atomics: additions are counted, on one address and on many") {
    const CardModel card = card_with("GTX 980 Ti"); // 22 cores
    const double per_ns = card.clock_mhz / 1e3;
    const auto device = model_device(card, 3);
    for (const auto& [path, cells, alone, all] : {std::tuple{"global", "same-address", 1.0, 1.0},
             {"global", "consecutive", 32.0, 32.0 * 22}, {"global", "distinct-lines", 32.0, 32.0 * 22},
             {"scratchpad", "same-address", 1.0, 22.0}, {"scratchpad", "consecutive", 32.0, 32.0 * 22}}) {
        CAPTURE(path);
        CAPTURE(cells);
        const Series series = measured(*device, "atomics", path, "quick", 5, {{"layout", cells}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(at(series, 1) == doctest::Approx(alone * per_ns).epsilon(0.02));
        CHECK(at(series, 88) == doctest::Approx(all * per_ns).epsilon(0.02));
    }
    for (const char* operation :
        {"fetch-add", "exchange", "compare-swap", "exchange-no-result", "compare-swap-no-result"})
        for (const char* layout : {"same-address", "consecutive"})
            CHECK(measured(*device, "atomics", "global", "quick", 5, {{"layout", layout}, {"operation", operation}})
                      .status == Status::ok);
    CHECK(measured(*device, "atomics", "scratchpad", "quick", 5, {{"layout", "distinct-lines"}}).status ==
          Status::unsupported);
}

TEST_CASE("atomics: of every type each operation is counted, and sums of 32-bit floating-point numbers stay where they "
          "are exact") {
    const auto device = model_device(card_with("GTX 980 Ti"), 3);
    for (const Options& options : probe_named("atomics").variants)
        for (const char* path : {"global", "scratchpad"}) {
            if (!option::type.asked(options) || option::layout.in(options) == CellLayout::distinct_lines)
                continue; // megabytes of cells
            CAPTURE(options_text(options));
            CAPTURE(std::string(path));
            const Series series = measured(*device, "atomics", path, "quick", 5, options);
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            CHECK(series.points.size() == 3);
            const std::string operation = option::type.word(options) + " " +
                                          (option::operation.asked(options) ? option::operation.word(options) : "add");
            CHECK(series.evidence.operation == operation);
            CHECK(text_at(only_finding(series), "operation").starts_with(operation + " on "));
        }
}

TEST_CASE("atomics: no comparison on a cell of its own is lost; where many share a cell either number may be left") {
    CardModel card = small_card("GTX 980 Ti");
    card.cores = 2;
    for (const auto& [layout, status] : {std::pair{"consecutive", Status::failed}, {"same-address", Status::ok}})
        for (const char* operation : {"compare-swap", "compare-swap-no-result"}) {
            CAPTURE(std::string(layout));
            CAPTURE(std::string(operation));
            LyingDevice device(model_device(card, 3), {.kernel = "atomics"}, Lie::stale);
            const Series series =
                measured(device, "atomics", "global", "quick", 5, {{"layout", layout}, {"operation", operation}});
            CAPTURE(series.reason);
            CHECK(device.lies() > 0);
            CHECK(series.status == status);
        }
}

TEST_CASE("atomics: an addition that returns to no register, though a reduction would do, is said to") {
    Series series = made("atomics", "global", {{"layout", "same-address"}}, {{1, 0.99}, {528, 1.37}});
    const auto shown = [&](const char* instruction, const char* kind) {
        series.evidence.kernel = KernelEvidence{.listing = {.kind = "sass"},
            .atomics = std::vector<AtomicEvidence>{{.instruction = instruction, .kind = kind}}};
        return text_at(only_finding(series), "instruction");
    };
    CHECK(says(
        shown("ATOMG.E.ADD.STRONG.GPU PT, RZ, desc[UR4][R4.64], R9", "ATOMG.E.ADD.STRONG.GPU"), "result discarded"));
    CHECK(shown("ATOMG.E.ADD.STRONG.GPU PT, R5, desc[UR4][R4.64], R9", "ATOMG.E.ADD.STRONG.GPU") ==
          "ATOMG.E.ADD.STRONG.GPU");
}

TEST_CASE("atomics: how many bytes words of their own span in memory") {
    Series series = made("atomics", "global", {{"layout", "consecutive"}}, {{1, 12}, {528, 430}});
    series.evidence.shape = ShapeEvidence{.group_size = 256};
    CHECK(number_at(only_finding(series), "own words") == 528 << 10);
    CHECK(text_at(only_finding(series), "operation") == "u32 add on neighbouring words");
    CHECK_FALSE(has_row(only_finding(series), "instruction"));
    series.id.options.set(option::layout, "distinct-lines");
    CHECK(number_at(only_finding(series), "own words") == 528 << 15); // a line for each word
    series.id.options.set(option::layout, "same-address");
    CHECK_FALSE(has_row(only_finding(series), "own words"));
    CHECK(number_at(only_finding(series), "workgroups that reach it") == 528);
    CHECK(number_at(only_finding(series), "one workgroup") == 12);
    series.points[1].median = 12.05;
    CHECK(row_at(only_finding(series), "workgroups that reach it").range == std::pair(1.0, 528.0));
    CHECK_FALSE(has_row(only_finding(series), "one workgroup"));
}

TEST_CASE("atomics: the branch that joins a subgroup's lanes is named where all have one word") {
    for (const auto& [layout, named] :
        {std::pair{"same-address", true}, {"consecutive", false}, {"distinct-lines", false}}) {
        Series series = made("atomics", "global", {{"layout", layout}}, {{1, 11}, {528, 43}});
        series.evidence.kernel = KernelEvidence{.listing = {.kind = "sass"},
            .atomics = std::vector<AtomicEvidence>{
                {.kind = "REDG.E.ADD"}, {.kind = "REDG.E.ADD", .combined_by = "REDUX.SUM"}}};
        const std::string instruction = text_at(only_finding(series), "instruction");
        CHECK(says(instruction, "one per subgroup") == named);
        CHECK(says(instruction, "other after REDUX.SUM") != named);
    }
}

TEST_CASE(
    "atomics: the numbers of workgroups that reach a rate, whether it still rises, and no rate that no block has") {
    Series series = made("atomics", "scratchpad", {{"layout", "consecutive"}}, {{1, 63}, {132, 8368}, {528, 8357}});
    series.unit = "Gop/s";
    const Finding reached = only_finding(series);
    CHECK(*reached.value == 8368);
    CHECK(number_at(reached, "at the most") == 8368);
    CHECK(row_at(reached, "workgroups that reach it").range == std::pair(132.0, 528.0));
    CHECK(number_at(reached, "one workgroup") == 63);
    CHECK_FALSE(has_row(reached, "with fewer workgroups"));
    series.points[1].median = 4000;
    const Finding rising = only_finding(series);
    CHECK(*rising.value == 8357);
    CHECK(row_at(rising, "workgroups that reach it").range == std::pair(528.0, 528.0));
    CHECK(number_at(rising, "with fewer workgroups") == 4000);
    CHECK(number_at(rising, "fewer workgroups") == 132);
    series.points[0] = of_blocks(1, {{0.82, 0.82}, {0.99, 0.99}});
    const auto by_block = row_at(only_finding(series), "one workgroup").range.value();
    CHECK(by_block.first == doctest::Approx(0.82));
    CHECK(by_block.second == doctest::Approx(0.99));
}

TEST_CASE("a rate's blocks whose samples overlap are told apart only where they lie far apart") {
    Series series = made("atomics", "scratchpad", {{"layout", "consecutive"}}, {});
    series.unit = "Gop/s";
    const auto blocks = [&](const std::vector<std::vector<double>>& rates) {
        series.points = {of_blocks(1, rates)};
        return rates_of_blocks(series, 1).has_value();
    };
    CHECK(blocks({{0.86, 0.88}, {0.95, 0.97}}));
    CHECK_FALSE(blocks({{0.82, 0.92}, {0.9, 1.02}})); // as far apart, by 10 %
    CHECK(blocks({{0.7, 0.92}, {0.9, 1.2}}));
}
