// Equal cards as one block: which are equal, their rank, what differs.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/data/results.h"
#include "core/diagnosis/card_grid.h"
#include "core/diagnosis/pair_grid.h"
#include "core/report/equal_cards.h"
#include "tests/places.h"

using namespace sonde;

namespace {
std::vector<Run> node() { return read_runs(fmt::format("{}/results/node-of-four/quick.jsonl.gz", places::source)); }

void slow_down(Run& run, const std::string& device, double share) {
    for (Series& series : run.series)
        if (series.id.device == device && series.id.probe == "bandwidth")
            for (Point& point : series.points) {
                for (auto* value : {&point.median, &point.low, &point.high})
                    if (*value) **value *= share;
                for (Sample& sample : point.samples) {
                    sample.host_ns /= share;
                    if (sample.device_ns) *sample.device_ns /= share;
                }
            }
}
} // namespace

TEST_CASE("a rank of equal cards: shares of the median of each number, the card that falls short the most first") {
    std::vector<Run> runs = node();
    slow_down(runs[0], "cuda:2", 0.9);
    const std::vector<Card> cards = cards_of(runs);
    const std::vector<EqualCards> groups = equal_cards(runs, cards, ids_of(cards));
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].names == std::vector<std::string>{"cuda:0", "cuda:1", "cuda:2", "cuda:3"});
    const Grid rank = rank_grid(groups[0]);
    REQUIRE(rank.sections.size() == 1);
    const std::vector<GridRow>& rows = rank.sections[0].rows;
    REQUIRE(rows.size() == 5);
    const auto column = std::ranges::find(rank.columns, "DRAM read") - rank.columns.begin();
    REQUIRE(static_cast<std::size_t>(column) < rank.columns.size());
    const auto read = [&](std::size_t row) { return rows[row].cells.at(static_cast<std::size_t>(column)).quantity(); };
    REQUIRE(read(0));
    CHECK(read(0)->value == doctest::Approx(4.7e12).epsilon(0.01));
    CHECK(rows[1].place == "cuda:2");
    CHECK(read(1)->value == doctest::Approx(0.9).epsilon(0.01));
    CHECK(read(2)->value == doctest::Approx(1).epsilon(0.01));
    const Grid differ = differences_grid(groups[0], 100);
    CHECK(differ.columns == groups[0].names);
    CHECK(std::ranges::any_of(differ.sections[0].rows, [](const GridRow& row) {
        return row.place.starts_with("bandwidth") && row.place.find("DRAM") != std::string::npos;
    }));
}

TEST_CASE("copies between equal cards are a table of their pairs, and no difference between the cards") {
    const std::vector<Run> runs = read_runs(fmt::format("{}/results/node-of-two/pairs.jsonl.gz", places::source));
    const std::vector<Card> cards = cards_of(runs);
    const std::vector<EqualCards> groups = equal_cards(runs, cards, ids_of(cards));
    REQUIRE(groups.size() == 1);
    CHECK_FALSE(groups[0].comparisons.empty()); // of copies from the host
    CHECK(std::ranges::none_of(
        groups[0].comparisons, [](const Comparison& each) { return each.question.path == "peer"; }));
    const std::vector<CardPairs> pairs = pairs_of(cards);
    REQUIRE(pairs.size() == 1);
    REQUIRE_FALSE(pairs[0].grid.sections.empty());
    CHECK(pairs[0].grid.sections[0].title == "copies to it");
    const auto& from = pairs[0].grid.sections[0].rows;
    REQUIRE(from.size() == 2);
    for (const std::size_t card : {0, 1}) {
        const Quantity* to_other = from[card].cells.at(1 - card).quantity();
        REQUIRE(to_other);
        CHECK(to_other->value == doctest::Approx(396e9).epsilon(0.01));
    }
    REQUIRE_FALSE(pairs[0].together.sections.empty());
    const auto& together = pairs[0].together.sections[0].rows;
    REQUIRE(together.size() == 4);
    const auto number = [&](std::size_t row, std::size_t cell) {
        const Quantity* value = together[row].cells.at(cell).quantity();
        return value ? value->value : 0;
    };
    CHECK(number(0, 2) == doctest::Approx(390e9).epsilon(0.01)); // to the next card, all at the same time
    CHECK(number(1, 1) == doctest::Approx(774e9).epsilon(0.01)); // and back, one alone
    CHECK(number(3, 3) < 0.8);                                   // what both share on the host's side
    CHECK(pairs[0].slow.empty());
}

TEST_CASE("cards of other drivers or models are no equals, nor is one without results") {
    std::vector<Run> runs = node();
    for (DeviceRecord& device : runs[0].devices) {
        if (device.id == "cuda:1") device.driver = "another";
        if (device.id == "cuda:3") device.name = "another";
    }
    std::erase_if(runs[0].series, [](const Series& series) { return series.id.device.ends_with("2"); });
    const std::vector<Card> cards = cards_of(runs);
    const std::vector<EqualCards> groups = equal_cards(runs, cards, ids_of(cards));
    for (const EqualCards& group : groups) CHECK(group.cards.size() == 1);
    CHECK(rank_grid(groups[0]).empty());
}

TEST_CASE("a card that others used is no equal, and numbers that one card of several has say so") {
    std::vector<Run> runs = node();
    std::erase_if(runs[0].series,
        [](const Series& series) { return series.id.probe == "bandwidth" && series.id.device != "cuda:0"; });
    for (Series& series : runs[0].series)
        if (series.id.device.ends_with("1")) series.doubts.push_back(Doubt{.kind = DoubtKind::other_processes});
    const std::vector<Card> cards = cards_of(runs);
    const std::vector<EqualCards> groups = equal_cards(runs, cards, ids_of(cards));
    REQUIRE(groups.size() == 2);
    CHECK(groups[0].names == std::vector<std::string>{"cuda:0", "cuda:2", "cuda:3"});
    CHECK(groups[1].names == std::vector<std::string>{"cuda:1"});
    const Grid levels = medians_grid(groups[0], [](const Card& card) { return levels_grid(card); });
    CHECK(levels.columns.at(0) == "cuda");
    const auto rows_with = [&](std::string_view words) {
        std::size_t count = 0;
        for (const GridSection& section : levels.sections)
            count += std::ranges::count_if(
                section.rows, [&](const GridRow& row) { return row.place.find(words) != std::string::npos; });
        return count;
    };
    CHECK(rows_with("DRAM, read, 1 of 3") == 1);
    CHECK(rows_with("L1, 1 of 3") == 0);
}
