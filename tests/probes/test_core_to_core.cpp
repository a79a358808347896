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
        CHECK(series.evidence.kernel.value().load.note == "a modelled card has no instructions"); // nor an atomic one
    }
    CHECK(measured(*device, "core-to-core", "scratchpad", "quick", 5, {{"scope", "workgroups"}}).reason ==
          "two workgroups have no scratchpad in common");
    card.second_astray = true;
    CHECK(
        measured(*model_device(card, 3), "core-to-core", "scratchpad", "quick", 5, {{"scope", "work-items"}}).status ==
        Status::failed);
    card.second_astray = false;
    card.in_order = true;
    const Series refused =
        measured(*model_device(card, 3), "core-to-core", "scratchpad", "quick", 5, {{"scope", "work-items"}});
    CHECK(refused.status == Status::unsupported);
    CHECK(refused.reason.find("run one after another") != std::string::npos);
}

TEST_CASE(
    "core-to-core by a flag, and with the processor, which really takes part through the modelled card's host memory") {
    CardModel card = card_with("GTX 980 Ti");
    card.paths.push_back({"host", {1}});
    const double ns = 1e3 / card.clock_mhz;
    const auto plain = model_device(card, 3);
    card.exchange_cycles = 3e6; // few exchanges are enough for a slope: they take time here
    const auto device = model_device(card, 3);
    const Series flagged = measured(
                     *plain, "core-to-core", "global", "quick", 5, {{"scope", "workgroups"}, {"flag", "device"}}),
                 far = measured(
                     *device, "core-to-core", "host", "quick", 5, {{"scope", "processor"}, {"flag", "system"}});
    CAPTURE(far.reason);
    REQUIRE(far.status == Status::ok);
    CHECK(at(flagged, 1) == doctest::Approx(300 * ns).epsilon(0.01));
    CHECK(at(far, 1) == doctest::Approx(3e6 * ns).epsilon(0.01));
    CHECK(said(flagged).find("one store that releases each, and the other's load that acquires it (scope: device)") !=
          std::string::npos);
    const Series scoped =
        measured(*plain, "core-to-core", "global", "quick", 5, {{"scope", "workgroups"}, {"swap", "system"}});
    CHECK(at(scoped, 1) == doctest::Approx(300 * ns).epsilon(0.01));
    CHECK(said(scoped).ends_with("one successful compare-and-swap each (scope: system). One address serves all blocks: "
                                 "another may be nearer or farther"));
    CHECK(find_probe("core-to-core")->kernel(plain->info(), *find_path("global"), scoped.id.options).needs ==
          std::vector{Feature::system_scope});
    CHECK(said(far).find("a round trip between a work-item and the processor takes ") != std::string::npos);
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
        CAPTURE(said(series));
        CHECK((said(series).find("for the one address that they exchange, two groups of 11 and 11 cores") !=
                  std::string::npos) == (far > 0));
        CHECK((said(series).find("no groups seen among 22 cores") != std::string::npos) == (far == 0));
    }
    card.cores = 200;
    const Series row = measured(*model_device(card, 3), "core-to-core", "global", "quick", 5, {{"scope", "cores"}});
    CHECK(row.points.size() == 5 * 199 - 10); // five cores' pairs with all
    CHECK(reason_text(row) == "985 of 19900 pairs of cores: for more there is no time");
    CHECK(row.status == Status::ok);
}

TEST_CASE("core-to-core: a second group is one only where its cores are closer to each other than to the first") {
    CHECK(said(pairs_taking(87, 100, 133))
              .find("for the one address that they exchange, two groups of 6 and 6 cores: half a round trip takes 87 "
                    "ns (median) within the first, 100 within the second, 133 across") != std::string::npos);
    CHECK(
        said(pairs_taking(87, 139, 133))
            .find(
                "for the one address that they exchange, 6 of 12 cores are near the address: half a round trip takes "
                "87 ns (median) among them, 133 between them and the others, 139 among the others. 98 % of 66 pairs") !=
        std::string::npos);
}
