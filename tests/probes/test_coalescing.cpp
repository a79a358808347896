// What the probe concludes from rates by stride and by offset.
#include <doctest/doctest.h>

#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/model/model_device.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

namespace {
std::vector<Finding> findings(
    const char* pattern, const std::vector<std::pair<double, double>>& rates, const Options& more = {}) {
    Series series{.id = {"coalescing", "a:0", "global", Options{{"pattern", pattern}, {"width", "4"}} * more}};
    for (const auto& [x, rate] : rates) series.points.push_back({.x = x, .median = rate, .samples = {}});
    series.evidence.footprint_bytes = 30 << 20;
    return find_probe("coalescing")->findings(series, {});
}

} // namespace

TEST_CASE("strides: the rate at each") {
    const Finding rates = findings("stride", {{1, 9000}, {2, 4600}, {4, 2300}, {8, 1150}}).at(0);
    CHECK(rates.no_value == NoValue::not_seen);
    CHECK(number_at(rates, "contiguous") == 9000);
    CHECK(number_at(rates, "the lowest") == 1150);
    CHECK(number_at(rates, "of the contiguous") == doctest::Approx(1150 / 9000.0));
    CHECK(number_at(rates, "footprint") == 30 << 20);
    CHECK(findings("stride", {{1, 9000}, {2, 0}}).empty()); // a file may hold anything
}

TEST_CASE("offsets: those that were measured, at one rate, at two, or between two") {
    struct Aligned {
        double offsets, bytes, rate;
    };
    const auto check = [](const std::vector<std::pair<double, double>>& rates, double others, double rate,
                           const std::optional<Aligned>& aligned) {
        const Finding of = findings("offset", rates).at(0);
        CHECK(number_at(of, "other offsets") == others);
        CHECK(number_at(of, "rate at others") == doctest::Approx(rate).epsilon(0.0005));
        REQUIRE(has_row(of, "aligned to") == aligned.has_value());
        if (!aligned) return of;
        CHECK(number_at(of, "aligned offsets") == aligned->offsets);
        CHECK(number_at(of, "aligned to") == aligned->bytes);
        CHECK(number_at(of, "rate at those") == doctest::Approx(aligned->rate).epsilon(0.0005));
        return of;
    };
    check({{0, 9000}, {1, 7800}, {4, 7760}, {8, 9000}, {16, 8950}, {31, 7770}}, 3, 7770, Aligned{2, 32, 8975});
    const Finding ends =
        check({{0, 9052}, {1, 7711}, {2, 7702}, {3, 7696}, {4, 7704}}, 4, 7703, {}); // nothing of those behind
    CHECK(number_at(ends, "contiguous") == 9052);
    CHECK(row_at(ends, "offsets between").range == std::pair(4.0, 16.0));
    check({{0, 4787}, {1, 2768}, {4, 2769}, {7, 2769}, {8, 4373}, {9, 2764}, {15, 2784}}, 5, 2769,
        Aligned{1, 32, 4373}); // no multiple of 64 bytes was measured
    std::vector<std::pair<double, double>> scattered{{0, 7085}};
    for (int x = 1; x < 32; ++x) scattered.emplace_back(x, x == 25 ? 7330 : x % 8 ? 6600 + 10 * x : 7000 + 5 * x);
    const Finding overlap = check(scattered, 28, 6760, Aligned{3, 32, 7080});
    CHECK(row_at(overlap, "rate at others").range->second > row_at(overlap, "rate at those").range->first);
    const Finding between = check({{0, 8198}, {1, 7810}, {2, 8229}, {3, 8144}, {22, 8570}}, 4, 8186.5, {});
    CHECK(row_at(between, "rate at others").range == std::pair(7810.0, 8570.0));
}

TEST_CASE("a sector is what each lane has to itself once a doubled stride costs a quarter at most; what is slower "
          "behind it is said") {
    const auto size = [](const std::vector<std::pair<double, double>>& rates) {
        return findings("stride", rates).at(0);
    };
    const Finding loads = size({{1, 9000}, {2, 4600}, {4, 2300}, {8, 1150}, {16, 1150}, {32, 610}, {64, 666}});
    CHECK(loads.value == 32);
    CHECK(number_at(loads, "each lane alone") == 32);
    CHECK(number_at(loads, "from stride") == 8);
    CHECK(number_at(loads, "rate there") == 1150);
    CHECK(number_at(loads, "at the last") == 666);
    CHECK(number_at(loads, "lower from stride") == 32);
    CHECK(number_at(loads, "lanes of that apart") == 128);
    CHECK(number_at(loads, "lanes of the last apart") == 256);
    const Finding holds = size({{1, 9000}, {2, 4600}, {4, 2300}, {8, 1150}, {16, 1140}});
    CHECK(holds.value == 32);
    CHECK_FALSE(has_row(holds, "lower from stride"));
    CHECK(number_at(holds, "at the last") == 1140);
    // A step of a fifth behind the sector, on either side of it: the same sector.
    for (const double behind : {940., 900.})
        CHECK(size({{1, 4400}, {2, 2270}, {4, 1140}, {8, behind}, {16, 630}, {32, 640}}).value == 16);
    // Rows of the memory make it slower to the end.
    const Finding rows = size({{1, 4374}, {2, 2276}, {4, 1140}, {8, 572}, {16, 286}, {32, 235}, {64, 160}});
    CHECK(rows.value == 64);
    CHECK(number_at(rows, "from stride") == 16);
    CHECK_FALSE(has_row(rows, "lower from stride"));
    CHECK(number_at(rows, "at the last") == 160);
    // Stores: the first step is more than a half, and two steps follow.
    const Finding stores = size({{1, 4794}, {2, 1925}, {4, 967}, {8, 473}, {16, 402}, {32, 302}, {64, 309}});
    CHECK(stores.value == 32);
    CHECK(number_at(stores, "from stride") == 8);
    CHECK(number_at(stores, "lower from stride") == 32);
    for (const auto& none :
        {size({{1, 9000}, {2, 8800}, {4, 8700}}), size({{1, 3218}, {2, 974}, {4, 492}, {8, 245}, {16, 171}})}) {
        CHECK(!none.value);
        CHECK(none.no_value == NoValue::not_seen);
        CHECK_FALSE(row_at(none, "each lane alone").value);
        CHECK(none.text.empty());
    }
}

TEST_CASE("what DRAM moves for a lane is found likewise") {
    const Finding of =
        findings("stride", {{1, 4374}, {2, 2276}, {4, 1140}, {8, 572}, {16, 286}, {32, 280}}, {{"from", "DRAM"}}).at(0);
    CHECK(number_at(of, "each lane alone") == 64);
    CHECK(number_at(of, "from stride") == 16);
}

TEST_CASE("stores, idle lanes, words at any byte and orders have the rate at each place") {
    const auto check = [](const char* pattern, const std::vector<std::pair<double, double>>& rates, double lowest,
                           const std::vector<std::pair<std::string, double>>& told, const Options& more = {}) {
        const Finding of = findings(pattern, rates, more).at(0);
        CHECK(number_at(of, "contiguous") == rates[0].second);
        CHECK(number_at(of, "of the contiguous") == doctest::Approx(lowest));
        for (const auto& [place, rate] : told) CHECK(number_at(of, place) == rate);
    };
    check("stride", {{1, 4000}, {2, 2000}, {4, 1000}, {8, 500}, {16, 500}}, 0.125, {}, {{"access", "store"}});
    check("part", {{1, 9000}, {2, 4500}, {4, 2250}}, 0.25, {{"1/2 of the lanes", 4500}, {"1/4 of the lanes", 2250}});
    check("misaligned", {{0, 9000}, {1, 3000}, {2, 2900}}, 2.9 / 9, {{"byte 0", 3000}, {"byte 1", 2900}});
    check("rectangle", {{1, 4800}, {2, 4300}, {4, 3100}}, 31 / 48.0, {{"2 rows high", 4300}, {"4 rows high", 3100}});
    const auto orders = find_probe("coalescing")->places({{"pattern", "order"}});
    check("order", {{0, 4800}, {1, 4790}, {3, 19000}, {4, 620}}, 62 / 480.0,
        {{std::string(orders[1]), 4790}, {std::string(orders[3]), 19000},
            {fmt::format("{} of 16 MiB", orders[4]), 620}});
}

TEST_CASE("coalescing: of one place there is a rate, and nothing to compare it with") {
    const Finding one = findings("offset", {{0, 9000}}).at(0);
    CHECK(one.no_value == NoValue::inconclusive);
    CHECK(number_at(one, "contiguous") == 9000);
    CHECK_FALSE(has_row(one, "the lowest"));
}

TEST_CASE("a modelled card's transactions are found by loads and by stores of any width") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 4 << 20;
    card.cores = 1;
    card.bandwidth = 0.5e9;
    card.noise = 0.002;
    card.transaction_bytes = 64;
    const auto device = model_device(card, 3);
    for (const Options& options : {Options{{"width", "4"}}, {{"width", "16"}, {"access", "store"}}, {{"width", "1"}},
             {{"width", "4"}, {"access", "store"}}}) {
        const Options all = options * option::pattern.as(AccessPattern::stride);
        const Series series = measured(*device, "coalescing", "global", "quick", 5, all);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.evidence.output_checked.find(
                  option::stores.asked(options) ? "stored elements" : "32 work-items") != std::string::npos);
        CHECK(findings_of(*find_probe("coalescing"), series, device->info()).at(0).value == 64);
    }
}

TEST_CASE("a modelled card on which some lanes rest, words lie at any byte, or all lies in memory") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 4 << 20;
    card.cores = 1;
    card.bandwidth = 0.5e9;
    const auto device = model_device(card, 3);
    for (const Options& options : {Options{{"pattern", "part"}, {"width", "4"}},
             {{"pattern", "misaligned"}, {"width", "8"}}, {{"pattern", "misaligned"}, {"width", "2"}},
             {{"pattern", "misaligned"}, {"width", "2"}, {"access", "store"}},
             {{"pattern", "misaligned"}, {"width", "16"}, {"access", "store"}},
             {{"pattern", "part"}, {"width", "1"}, {"access", "store"}},
             {{"pattern", "offset"}, {"width", "4"}, {"from", "DRAM"}},
             {{"pattern", "order"}, {"width", "4"}, {"access", "store"}}, {{"pattern", "order"}, {"width", "1"}},
             {{"pattern", "order"}, {"width", "16"}}}) {
        const Series series = measured(*device, "coalescing", "global.pointer", "quick", 5, options);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        for (const Point& point : series.points) CHECK(*point.median == doctest::Approx(0.5).epsilon(0.02));
    }
    for (const Options& refused :
        {Options{{"pattern", "part"}, {"width", "4"}}, {{"pattern", "stride"}, {"width", "4"}, {"access", "store"}}})
        CHECK(measured(*device, "coalescing", "texel", "quick", 5, refused).status == Status::unsupported);
    CHECK(
        says(measured(*device, "coalescing", "global", "quick", 5, {{"pattern", "misaligned"}, {"width", "1"}}).reason,
            "a byte is aligned"));
}

TEST_CASE("loads and stores of every width are measured from L2 and from memory, by part of the lanes and at any byte; "
          "by pointers words of 4 bytes are") {
    const Probe& probe = *find_probe("coalescing");
    const auto taken = [&](std::string_view path, Options options) {
        return std::ranges::count(probe.variants, options) == 1 && probe.by_default(path, options);
    };
    for (const char* width : {"1", "2", "4", "8", "16"})
        for (const bool stores : {false, true}) {
            CAPTURE(width);
            CAPTURE(stores);
            const auto with = [&](const char* pattern, bool beyond) {
                Options options{{"pattern", pattern}, {"width", width}};
                if (stores) options.set(option::stores, "store");
                if (beyond) options.set({"from"}, "DRAM");
                return options;
            };
            for (const char* pattern : {"stride", "offset"})
                for (const bool beyond : {false, true}) {
                    CHECK(taken("global", with(pattern, beyond)));
                    if (width == std::string("4")) CHECK(taken("global.pointer", with(pattern, beyond)));
                }
            CHECK(taken("global", with("part", false)));
            CHECK(taken("global", with("misaligned", false)) == (width != std::string("1")));
        }
}

TEST_CASE("a card that loads or stores wrong words in a pattern is found out") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 4 << 20;
    card.cores = 1;
    card.wrong_after = 1;
    for (const auto& [options, said] :
        {std::pair{Options{}, "add up to"}, std::pair{Options{{"access", "store"}}, "to be stored"},
            {{{"pattern", "misaligned"}, {"width", "16"}, {"access", "store"}}, "to be stored"}}) {
        const Options all = options * Options{{"pattern", "offset"}, {"width", "4"}};
        const Series series = measured(*model_device(card, 3), "coalescing", "global", "quick", 5, all);
        CHECK(series.status == Status::failed);
        CHECK(series.reason.find(said) != std::string::npos);
    }
}

TEST_CASE(
    "coalescing: a contiguous rate that no block has is told by block, and others are compared with the fastest") {
    Series series =
        made("coalescing", "global", {{"from", "DRAM"}, {"pattern", "order"}, {"width", "4"}}, {{1, 4395}, {2, 4390}});
    series.unit = "GB/s", series.evidence.footprint_bytes = 4ull << 30;
    series.points.insert(series.points.begin(), of_blocks(0, {{4396, 4392}, {3839, 3841}}));
    const auto by_block = row_at(only_finding(series), "contiguous").range.value();
    CHECK(by_block.first == doctest::Approx(3840));
    CHECK(by_block.second == doctest::Approx(4394));
    CHECK(number_at(only_finding(series), "contiguous") == by_block.second);
    CHECK(number_at(only_finding(series), "reversed") == 4395);
}

TEST_CASE("coalescing counts the bytes that lanes asked for, of words and of less than a word") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 4 * kMiB;
    card.cores = 1;
    card.bandwidth = 0.5e9;
    card.noise = 0.002;
    const auto device = model_device(card, 3);
    for (const char* width : {"1", "2", "4", "16"}) {
        CAPTURE(std::string(width));
        const Series series =
            measured(*device, "coalescing", "global", "quick", 5, {{"pattern", "offset"}, {"width", width}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        REQUIRE(series.points.size() == 7);
        for (const Point& point : series.points) {
            CHECK(*point.median == doctest::Approx(0.5).epsilon(0.02));
            for (const Sample& sample : point.samples) CHECK(model_counts(*device).moved.count(sample.steps) == 1);
        }
    }
    CHECK(measured(*device, "coalescing", "texel", "quick", 5, {{"pattern", "offset"}, {"width", "1"}}).status ==
          Status::unsupported);
}

TEST_CASE("stores in each order and of each width have kernels, on the host too") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 4 * kMiB;
    card.cores = 1;
    card.bandwidth = 0.5e9;
    const auto device = model_device(card, 3);
    for (const char* width : {"1", "2", "4", "8", "16"}) {
        CAPTURE(std::string(width));
        const Series series = measured(
            *device, "coalescing", "global", "quick", 5, {{"access", "store"}, {"pattern", "order"}, {"width", width}});
        CAPTURE(series.reason);
        CHECK(series.status == Status::ok);
    }
}
