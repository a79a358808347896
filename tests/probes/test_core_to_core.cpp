// core-to-core: its series on modelled cards, and what it says of them.
#include <tuple>

#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

namespace {
/// 12 cores, of which the first six are one group; ns.
Series pairs_taking(double within_first, double within_second, double across) {
    Series series = made("core-to-core", "global", {{"scope", "cores"}}, {});
    for (std::uint32_t core = 0; core < 12; ++core) series.evidence.cores.numbers.push_back(core);
    for (std::size_t a = 0; a < 12; ++a)
        for (std::size_t b = a + 1; b < 12; ++b)
            series.points.push_back({.x = static_cast<double>(1 + a * 12 + b),
                .median = b < 6   ? within_first
                          : a < 6 ? across
                                  : within_second,
                .samples = {}});
    return series;
}
} // namespace

TEST_CASE("core-to-core: ns of one exchange; who runs one after another is refused, with the reason") {
    CardModel card = card_with("GTX 980 Ti");
    const double ns = 1e3 / card.clock_mhz;
    const auto device = model_device(card, 3);
    for (const auto& [path, scope, cycles] : {std::tuple{"scratchpad", "work-items", 60.0},
             {"scratchpad", "subgroups", 60.0}, {"global", "work-items", 60.0}, {"global", "workgroups", 300.0}}) {
        CAPTURE(scope);
        const Series series = measured(*device, "core-to-core", path, "quick", 5, {{"scope", scope}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(at(series, 1) == doctest::Approx(cycles * ns).epsilon(0.01));
        CHECK(*series.points[0].cycles == doctest::Approx(cycles).epsilon(0.01));
        CHECK(says(series.evidence.kernel.value().load.note, "no instructions")); // nor an atomic one
    }
    CHECK(says(measured(*device, "core-to-core", "scratchpad", "quick", 5, {{"scope", "workgroups"}}).reason,
        "no scratchpad in"));
    card.second_astray = true;
    CHECK(
        measured(*model_device(card, 3), "core-to-core", "scratchpad", "quick", 5, {{"scope", "work-items"}}).status ==
        Status::failed);
    card.second_astray = false;
    card.in_order = true;
    const Series refused =
        measured(*model_device(card, 3), "core-to-core", "scratchpad", "quick", 5, {{"scope", "work-items"}});
    CHECK(refused.status == Status::unsupported);
    CHECK(refused.reason.find("one after another") != std::string::npos);
}

TEST_CASE(
    "core-to-core by a flag, and with the processor, which really takes part through the modelled card's host memory") {
    CardModel card = card_with("GTX 980 Ti");
    card.paths.push_back({"host", {1}});
    const double ns = 1e3 / card.clock_mhz;
    const auto plain = model_device(card, 3);
    card.exchange_cycles = 3e5; // few exchanges are enough for a slope: they take time here
    const auto device = model_device(card, 3);
    const Series flagged = measured(
                     *plain, "core-to-core", "global", "quick", 5, {{"scope", "workgroups"}, {"flag", "device"}}),
                 far = measured(
                     *device, "core-to-core", "host", "quick", 5, {{"scope", "processor"}, {"flag", "system"}});
    CAPTURE(far.reason);
    REQUIRE(far.status == Status::ok);
    CHECK(at(flagged, 1) == doctest::Approx(300 * ns).epsilon(0.01));
    CHECK(at(far, 1) == doctest::Approx(3e5 * ns).epsilon(0.01));
    CHECK(only_finding(flagged).name == "workgroups");
    CHECK(number_at(only_finding(flagged), "half a round trip") == at(flagged, 1));
    CHECK(row_at(only_finding(flagged), "half a round trip").cycles == flagged.points[0].cycles);
    const Series scoped =
        measured(*plain, "core-to-core", "global", "quick", 5, {{"scope", "workgroups"}, {"swap", "system"}});
    CHECK(at(scoped, 1) == doctest::Approx(300 * ns).epsilon(0.01));
    CHECK(find_probe("core-to-core")->kernel(plain->info(), *find_path("global"), scoped.id.options).needs ==
          std::vector{Feature::system_scope});
    CHECK(only_finding(far).name == "processor");
    CHECK(*only_finding(far).value == at(far, 1));
    for (const auto& [path, options] :
        {std::pair{"global", Options{{"scope", "processor"}, {"flag", "system"}}}, {"host", {{"scope", "processor"}}},
            {"host", {{"scope", "workgroups"}}}, {"global", {{"scope", "workgroups"}, {"flag", "workgroup"}}},
            {"global", {{"scope", "workgroups"}, {"swap", "workgroup"}}},
            {"global", {{"scope", "workgroups"}, {"flag", "device"}, {"swap", "device"}}}})
        CHECK(measured(*device, "core-to-core", path, "quick", 5, options).status == Status::unsupported);
    card.in_order = true;
    CHECK(measured(
              *model_device(card, 3), "core-to-core", "host", "quick", 5, {{"scope", "processor"}, {"flag", "system"}})
              .status == Status::unsupported);
}

TEST_CASE("an exchange between two cards: a work-item of each, by what is visible to the system") {
    CardModel card = card_with("GTX 980 Ti");
    card.paths.push_back({"peer", {}});
    card.links = {{0, 1, "a modelled link", 40}};
    const auto first = model_device(card, 3), second = model_device(card, 5, "model:1");
    const Options by_swap{{"scope", "cards"}, {"swap", "system"}}, by_flag{{"scope", "cards"}, {"flag", "system"}};
    CHECK(measured(*first, "core-to-core", "peer", "quick", 5, by_swap).status == Status::unsupported); // nobody there
    join({first.get(), second.get()});
    for (const Options& options : {by_swap, by_flag}) {
        const Series series = measured(*first, "core-to-core", "peer", "quick", 5, options);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(at(series, 1) == doctest::Approx(card.peer_exchange_cycles * 1e3 / card.clock_mhz).epsilon(0.01));
        CHECK(only_finding(series).name == "cards");
        CHECK(series.evidence.peer == "model:1");
    }
    for (const auto& [path, options] : {std::pair{"global", by_swap}, {"peer", Options{{"scope", "workgroups"}}},
             {"peer", {{"scope", "cards"}, {"swap", "device"}}}})
        CHECK(measured(*first, "core-to-core", path, "quick", 5, options).status == Status::unsupported);
}

TEST_CASE(
    "exchange between cores: all pairs where there is time, some cores' where there is not, and two halves are found") {
    CardModel card = card_with("GTX 980 Ti");
    for (const double far : {0.0, 90.0}) {
        card.far_cycles = far;
        const auto device = model_device(card, 3);
        const Series series = measured(*device, "core-to-core", "global", "standard", 5, {{"scope", "cores"}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.size() == card.cores * (card.cores - 1) / 2);
        const Finding found = only_finding(series);
        CAPTURE(found.text);
        CHECK(*found.value == (far > 0 ? 2 : 1));
        CHECK(number_at(found, "cores") == 22);
        REQUIRE(found.groups.size() == (far > 0 ? 2 : 0));
        for (const std::vector<std::uint32_t>& group : found.groups) CHECK(group.size() == 11);
    }
    card.cores = 200;
    const Series row = measured(*model_device(card, 3), "core-to-core", "global", "quick", 5, {{"scope", "cores"}});
    CHECK(row.points.size() == 5 * 199 - 10); // five cores' pairs with all
    CHECK(row.evidence.pairs == 985);
    CHECK(row.evidence.pairs_of_all_cores == 19900);
    CHECK(row.ending.value().by == EndedBy::choice);
    CHECK(reason_text(row).ends_with("no time"));
    CHECK(row.status == Status::ok);
}

TEST_CASE("core-to-core: a second group is one only where its cores are closer to each other than to the first") {
    const auto of_groups = [](double within_first, double within_second, double across) {
        const Finding found = only_finding(pairs_taking(within_first, within_second, across));
        CHECK(found.groups == std::vector<std::vector<std::uint32_t>>{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}});
        const std::vector<double> numbers = numbers_of(found);
        REQUIRE(numbers.size() == 9);
        const double expected[] = {6, within_first, 6, within_second, across};
        for (std::size_t i = 0; i < std::size(expected); ++i) CHECK(numbers[4 + i] == doctest::Approx(expected[i]));
        CHECK(number_at(found, "pairs of cores") == 66);
        return found;
    };
    const Finding two = of_groups(87, 100, 133), one = of_groups(87, 139, 133);
    CHECK(*two.value == 2);
    CHECK(says(two.text, "133 across"));
    CHECK(*one.value == 1);
    CHECK(says(one.text, "near the address"));
    CHECK(number_at(one, "other cores") == 6);
}
