// Probes of what runs at the same time, on modelled cards: what was put into a card must come out of its series, bytes and steps counted right.
#include <doctest/doctest.h>

#include <cmath>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/data/finding.h"
#include "core/measure/bench.h"
#include "core/probes/probe.h"
#include "tests/model/measured.h"
#include "tests/model/model_device.h"

using namespace sonde;

namespace {
CardModel card_with(const std::string& name) {
    CardModel card = model_card(name);
    card.memory_bytes = 256 << 20;
    card.noise = 0.002;
    return card;
}

double at(const Series& series, double x) {
    for (const Point& point : series.points)
        if (point.x == x) return point.median.value_or(0);
    return 0;
}

std::string said(const Series& series) {
    const auto findings = find_probe(series.id.probe)->findings(series, {});
    return findings.size() == 1 ? findings[0].text : fmt::format("{} findings", findings.size());
}

Options bus(const char* engine, const char* memory, const char* way) { return {{"engine", engine}, {"memory", memory}, {"direction", way}}; }
} // namespace

TEST_CASE("loaded: the latency of one subgroup, and what a core's way to memory lets through with 32, at strides of one and four words") {
    CardModel card = card_with("GTX 680");
    card.paths.push_back({"global.ca", {0, 1}}); // 106 cycles, 12 KiB
    card.subgroup_load_cycles = 8;
    const auto device = model_device(card, 3);
    const double ns = 1e3 / card.clock_mhz;
    for (const char* stride : {"1", "4"}) {
        const double words = std::stod(stride);
        CAPTURE(words);
        const Series local = measured(*device, "loaded-latency", "scratchpad", "quick", 5, {{"stride", stride}}), first = measured(*device, "loaded-latency", "global.ca", "quick", 5, {{"stride", stride}});
        CAPTURE(first.reason);
        REQUIRE(local.status == Status::ok);
        REQUIRE(first.status == Status::ok);
        CHECK(local.points.size() == 6);
        CHECK(at(local, 1) == doctest::Approx((34 + words - 1) * ns).epsilon(0.02));
        CHECK(at(local, 32) == doctest::Approx(32 * words * 8 * ns).epsilon(0.02));
        CHECK(at(first, 1) == doctest::Approx((106 + words - 1) * ns).epsilon(0.02));
        CHECK(at(first, 32) == doctest::Approx(std::max(32 * words * 8, 106 + words - 1) * ns).epsilon(0.02));
        CHECK(first.evidence.footprint_bytes.value() <= 12 * 1024);
        const auto findings = find_probe("loaded-latency")->findings(local, {});
        REQUIRE(findings.size() == 1);
        CHECK(*findings[0].value == doctest::Approx(at(local, 32) / at(local, 1)));
        CHECK(findings[0].text.find(fmt::format(": {:.3g} GB/s", 32 * 32 * 4 / at(local, 32))) != std::string::npos);
        const auto& clocks = local.evidence.subgroup_clocks;
        REQUIRE(clocks.size() == 6);
        CHECK(clocks.back().subgroups == 32);
        CHECK(clocks.back().most == doctest::Approx(32 * words * 8).epsilon(0.02));
        CHECK(clocks.back().least == doctest::Approx(words * 8).epsilon(0.02)); // the model's first is done after a share of the time
        CHECK(findings[0].text.find(". The median subgroup takes ") != std::string::npos);
    }
    CHECK(measured(*device, "loaded-latency", "scratchpad", "standard", 5, {{"stride", "1"}}).points.size() == 32); // one by one
}

TEST_CASE("bandwidth-latency: a load while other cores stream, by the rate that they reach; every word streamed is checked") {
    CardModel card = card_with("GTX 980 Ti");
    const auto device = model_device(card, 3);
    const auto first_said = [&](const Series& series) { return findings_of(*find_probe("bandwidth-latency"), series, device->info()).at(0).text; };
    const double ns = 1e3 / card.clock_mhz, alone = (card.caches[1].cycles + 6) * ns, rate = 21 * 32768 / (card.tile_cycles * ns);
    for (const char* load : {"reads", "writes", "atomics"}) {
        CAPTURE(load);
        const Series series = measured(*device, "bandwidth-latency", "global", "quick", 5, {{"level", "LLC"}, {"load", load}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.size() > 3);
        CHECK(series.points.back().x == 100);
        CHECK(at(series, 0) == doctest::Approx(alone).epsilon(0.05));
        CHECK(at(series, 100) == doctest::Approx(2 * alone).epsilon(0.05));
        CHECK(series.evidence.unthrottled_gb_per_s.value() == doctest::Approx(rate).epsilon(0.3)); // whole tiles
        CHECK(series.evidence.output_checked.find("every word") != std::string::npos);
        CAPTURE(first_said(series));
        CHECK(first_said(series).find("a load from LLC takes ") != std::string::npos);
        CHECK(series.evidence.shape->groups == card.cores - 1);
        CHECK(series.evidence.shape->loads_in_flight == 8);
        CHECK(series.evidence.chase_shape->groups == 1);
        CHECK(series.evidence.chase_shape->loads_in_flight == 1);
        CHECK(first_said(series).find(" neighbouring words of " + format_bytes(*series.evidence.streamed_bytes) + "; the chain spans " + format_bytes(*series.evidence.footprint_bytes)) != std::string::npos);
    }
    card.paths.push_back({"host", {1}}); // of which memory is, the model does not tell apart
    const auto with_host = model_device(card, 3);
    for (const char* load : {"reads", "atomics"}) {
        const Series host = measured(*with_host, "bandwidth-latency", "host", "quick", 5, {{"level", "host"}, {"load", load}});
        CAPTURE(host.reason);
        REQUIRE(host.status == Status::ok);
        CHECK(at(host, 100) == doctest::Approx(2 * at(host, 0)).epsilon(0.05));
        CHECK(first_said(host).find("a load from memory allocated on the host takes ") != std::string::npos);
    }
    const std::vector<Options> variants = find_probe("bandwidth-latency")->variants;
    CHECK(std::ranges::count(variants, Options{{"level", "host"}, {"load", "atomics"}}) == 1);
    for (const auto& [path, level] : {std::pair{"global", "host"}, {"host", "DRAM"}})
        CHECK(measured(*with_host, "bandwidth-latency", path, "quick", 5, {{"level", level}, {"load", "reads"}}).reason == "level=host is measured on path host (--path host), the other levels on path global");
    card.tile_cycles = 1e12; // no workgroup does one before the chase ends
    CHECK(measured(*model_device(card, 3), "bandwidth-latency", "global", "quick", 5, {{"level", "LLC"}, {"load", "reads"}}).reason.find("run one after another") != std::string::npos);
}

TEST_CASE("core-to-core: ns of one exchange; who runs one after another is refused, with the reason") {
    CardModel card = card_with("GTX 980 Ti");
    const double ns = 1e3 / card.clock_mhz;
    const auto device = model_device(card, 3);
    for (const auto& [path, scope, cycles] : {std::tuple{"scratchpad", "work-items", 60.0}, {"scratchpad", "subgroups", 60.0}, {"global", "work-items", 60.0}, {"global", "workgroups", 300.0}}) {
        CAPTURE(scope);
        const Series series = measured(*device, "core-to-core", path, "quick", 5, {{"scope", scope}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(at(series, 1) == doctest::Approx(cycles * ns).epsilon(0.01));
        CHECK(*series.points[0].cycles == doctest::Approx(cycles).epsilon(0.01));
        CHECK(series.evidence.kernel.value().load.note == "a modelled card has no instructions"); // nor an atomic one
    }
    CHECK(measured(*device, "core-to-core", "scratchpad", "quick", 5, {{"scope", "workgroups"}}).reason == "two workgroups have no scratchpad in common");
    card.in_order = true;
    const Series refused = measured(*model_device(card, 3), "core-to-core", "scratchpad", "quick", 5, {{"scope", "work-items"}});
    CHECK(refused.status == Status::unsupported);
    CHECK(refused.reason.find("run one after another") != std::string::npos);
}

TEST_CASE("core-to-core by a flag, and with the processor, which really takes part through the modelled card's host memory") {
    CardModel card = card_with("GTX 980 Ti");
    card.paths.push_back({"host", {1}});
    const double ns = 1e3 / card.clock_mhz;
    const auto plain = model_device(card, 3);
    card.exchange_cycles = 3e6; // few exchanges are enough for a slope: they take time here
    const auto device = model_device(card, 3);
    const Series flagged = measured(*plain, "core-to-core", "global", "quick", 5, {{"scope", "workgroups"}, {"flag", "device"}}), far = measured(*device, "core-to-core", "host", "quick", 5, {{"scope", "processor"}, {"flag", "system"}});
    CAPTURE(far.reason);
    REQUIRE(far.status == Status::ok);
    CHECK(at(flagged, 1) == doctest::Approx(300 * ns).epsilon(0.01));
    CHECK(at(far, 1) == doctest::Approx(3e6 * ns).epsilon(0.01));
    CHECK(said(flagged).find("one store that releases each, and the other's load that acquires it (scope: device)") != std::string::npos);
    const Series scoped = measured(*plain, "core-to-core", "global", "quick", 5, {{"scope", "workgroups"}, {"swap", "system"}});
    CHECK(at(scoped, 1) == doctest::Approx(300 * ns).epsilon(0.01));
    CHECK(said(scoped).ends_with("one successful compare-and-swap each (scope: system). One address serves all blocks: another may be nearer or farther"));
    CHECK(find_probe("core-to-core")->kernel(plain->info(), *find_path("global"), scoped.id.options).needs == std::vector{Feature::system_scope});
    CHECK(said(far).find("a round trip between a work-item and the processor takes ") != std::string::npos);
    for (const auto& [path, options] : {std::pair{"global", Options{{"scope", "processor"}, {"flag", "system"}}}, {"host", {{"scope", "processor"}}}, {"host", {{"scope", "workgroups"}}}, {"global", {{"scope", "workgroups"}, {"flag", "workgroup"}}}, {"global", {{"scope", "workgroups"}, {"swap", "workgroup"}}}, {"global", {{"scope", "workgroups"}, {"flag", "device"}, {"swap", "device"}}}})
        CHECK(measured(*device, "core-to-core", path, "quick", 5, options).status == Status::unsupported);
    card.in_order = true;
    CHECK(measured(*model_device(card, 3), "core-to-core", "host", "quick", 5, {{"scope", "processor"}, {"flag", "system"}}).status == Status::unsupported);
}

TEST_CASE("exchange between cores: all pairs where there is time, some cores' where there is not, and two halves are found") {
    CardModel card = card_with("GTX 980 Ti");
    for (const double far : {0.0, 90.0}) {
        card.far_cycles = far;
        const auto device = model_device(card, 3);
        const Series series = measured(*device, "core-to-core", "global", "standard", 5, {{"scope", "cores"}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.size() == card.cores * (card.cores - 1) / 2);
        CAPTURE(said(series));
        CHECK((said(series).find("for the one address that they exchange, two groups of 11 and 11 cores") != std::string::npos) == (far > 0));
        CHECK((said(series).find("no groups seen among 22 cores") != std::string::npos) == (far == 0));
    }
    card.cores = 200;
    const Series row = measured(*model_device(card, 3), "core-to-core", "global", "quick", 5, {{"scope", "cores"}});
    CHECK(row.points.size() == 5 * 199 - 10); // five cores' pairs with all
    CHECK(row.reason == "985 of 19900 pairs of cores: for more there is no time");
    CHECK(row.status == Status::ok);
}

TEST_CASE("atomics: additions are counted, on one address and on many") {
    const CardModel card = card_with("GTX 980 Ti"); // 22 cores
    const double per_ns = card.clock_mhz / 1e3;
    const auto device = model_device(card, 3);
    for (const auto& [path, cells, alone, all] : {std::tuple{"global", "same-address", 1.0, 1.0}, {"global", "consecutive", 32.0, 32.0 * 22}, {"global", "distinct-lines", 32.0, 32.0 * 22}, {"scratchpad", "same-address", 1.0, 22.0}, {"scratchpad", "consecutive", 32.0, 32.0 * 22}}) {
        CAPTURE(path);
        CAPTURE(cells);
        const Series series = measured(*device, "atomics", path, "quick", 5, {{"layout", cells}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(at(series, 1) == doctest::Approx(alone * per_ns).epsilon(0.02));
        CHECK(at(series, 88) == doctest::Approx(all * per_ns).epsilon(0.02));
    }
    for (const char* operation : {"fetch-add", "exchange", "compare-swap", "exchange-no-result", "compare-swap-no-result"})
        for (const char* layout : {"same-address", "consecutive"}) CHECK(measured(*device, "atomics", "global", "quick", 5, {{"layout", layout}, {"operation", operation}}).status == Status::ok);
    CHECK(measured(*device, "atomics", "scratchpad", "quick", 5, {{"layout", "distinct-lines"}}).status == Status::unsupported);
}

TEST_CASE("atomics: of every type each operation is counted, and sums of 32-bit floating-point numbers stay where they are exact") {
    const auto device = model_device(card_with("GTX 980 Ti"), 3);
    for (const Options& options : probe_named("atomics").variants)
        for (const char* path : {"global", "scratchpad"}) {
            if (!option::type.asked(options) || option::layout.in(options) == CellLayout::distinct_lines) continue; // megabytes of cells
            CAPTURE(options_text(options));
            CAPTURE(std::string(path));
            const Series series = measured(*device, "atomics", path, "quick", 5, options);
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            CHECK(series.points.size() == 3);
            const std::string operation = option::type.word(options) + " " + (option::operation.asked(options) ? option::operation.word(options) : "add");
            CHECK(series.evidence.operation == operation);
            CHECK(said(series).find("op/s of " + operation + " on ") != std::string::npos);
        }
}

TEST_CASE("bus: bytes are counted once each way, from both kinds of memory, by copies and by kernels") {
    CardModel card = card_with("GTX 980 Ti");
    card.paths.push_back({"host", {1}});
    card.bus_bytes_per_ns = 12;
    const auto device = model_device(card, 3);
    struct Row {
        Options options;
        double rate, bytes;
    };
    for (const Row& row : {Row{bus("copy", "pinned", "to-device"), 12, 1}, {bus("copy", "pinned", "to-host"), 12, 1}, {bus("copy", "pinned", "both"), 24, 2}, {bus("copy", "pageable", "to-device"), 4, 1},
                           {bus("copy", "pageable", "both"), 8, 2}, {bus("kernel", "pinned", "to-device"), 12, 1}, {bus("kernel", "pinned", "both"), 24, 2}}) {
        CAPTURE(options_text(row.options));
        const Series series = measured(*device, "transfer", "host", "quick", 5, row.options);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.back().x == 16 << 20); // an eighth of the memory is less than 64 MiB
        CHECK(*series.points.back().median == doctest::Approx(row.rate).epsilon(0.02));
        const double least_ns = option::engine.in(row.options) == Engine::copy ? card.copy_ns : card.launch_ns;
        CHECK(at(series, 4096) == doctest::Approx(row.bytes * 4096 / (least_ns + row.bytes * 4096 / row.rate)).epsilon(0.03));
        CHECK(said(series).find("GB/s") != std::string::npos);
    }
    const auto asked = [](Options options, const char* name, const char* value) { return options.set({name}, value), options; };
    const auto rate = [](const Series& series) { return *series.points.back().median; };
    const Series waited = measured(*device, "transfer", "host", "quick", 5, asked(bus("copy", "pinned", "to-host"), "test", "waited"));
    constexpr double kWaitedFor = 5000; // ns, of any batch of the model
    CHECK(4 / at(waited, 4) == doctest::Approx(card.copy_ns + kWaitedFor).epsilon(0.02));
    CHECK(said(waited).find("to the host, each waited for: ") != std::string::npos);
    CHECK(said(waited).find("One of 4 B takes 7 us") != std::string::npos);
    const Series odd = measured(*device, "transfer", "host", "quick", 5, asked(bus("copy", "pageable", "to-device"), "sizes", "odd"));
    REQUIRE(odd.status == Status::ok);
    for (const Point& point : odd.points) CHECK(static_cast<std::uint64_t>(point.x) % 4 == 1);
    const Series within = measured(*device, "transfer", "host", "quick", 5, {{"engine", "copy"}, {"direction", "on-device"}});
    REQUIRE(within.status == Status::ok);
    CHECK(rate(within) == doctest::Approx(within.points.back().x / (card.copy_ns + within.points.back().x / card.bandwidth * 1e9)).epsilon(0.02));
    CHECK(said(within).find("copies from one buffer of the device to another") != std::string::npos);
    for (const auto& [way, text] : {std::pair{"to-device", "copies by the processor through mapped device memory, of pageable memory to the device: "}, {"to-host", " of pageable memory to the host: "}}) { // it really copies
        const Series moved = measured(*device, "transfer", "host", "quick", 5, bus("processor", "pageable", way));
        CAPTURE(moved.reason);
        REQUIRE(moved.status == Status::ok);
        CHECK(moved.points.back().x == 4 << 20);
        CHECK(rate(moved) > 0);
        CHECK(said(moved).find(text) != std::string::npos);
        CHECK(moved.evidence.output_checked.find("all bytes that arrived") != std::string::npos);
    }
    CHECK(said(measured(*device, "transfer", "host", "quick", 5, asked(bus("processor", "pageable", "to-device"), "test", "waited"))).find("to the device, each waited for: ") != std::string::npos);
    CardModel slow = card;
    slow.maps_memory = false;
    CHECK(measured(*model_device(slow, 3), "transfer", "host", "quick", 5, bus("processor", "pageable", "to-host")).reason == "the modelled card maps no memory");
    slow.unaligned_factor = 2;
    const auto slow_device = model_device(slow, 3);
    for (const auto& [memory, whole] : {std::pair{"pinned", 12.0}, {"pageable", 4.0}})
        for (const char* way : {"to-device", "to-host"})
            for (const auto& [alignment, times] : {std::pair{"1", 2}, {"4", 2}, {"64", 1}, {"4096", 1}}) {
                CAPTURE(std::string(memory));
                CAPTURE(std::string(alignment));
                const Series series = measured(*slow_device, "transfer", "host", "quick", 5, asked(bus("copy", memory, way), "alignment", alignment));
                CAPTURE(series.reason);
                REQUIRE(series.status == Status::ok);
                CHECK(rate(series) == doctest::Approx(whole / times).epsilon(0.02));
                CHECK(said(series).find(fmt::format(", host addresses aligned to {} byte", alignment)) != std::string::npos);
            }
    card.bus_both_ways = false;
    CHECK(*measured(*model_device(card, 3), "transfer", "host", "quick", 5, bus("copy", "pinned", "both")).points.back().median == doctest::Approx(12).epsilon(0.02));
    card.host_in_device = true;
    const Series moved = measured(*model_device(card, 3), "transfer", "host", "quick", 5, bus("kernel", "pinned", "to-device"));
    CHECK(moved.status == Status::unsupported);
    CHECK(moved.reason.find("lies in the device") != std::string::npos);
}

TEST_CASE("launch: what a launch costs in a queue and by itself") {
    const CardModel card = card_with("GTX 980 Ti");
    const auto device = model_device(card, 3);
    for (const auto& [test, ns] : {std::pair{"queued", card.launch_ns}, {"waited", card.round_trip_ns}}) {
        const Series series = measured(*device, "launch", "global", "quick", 5, {{"test", test}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.size() == 3);
        for (const Point& point : series.points) CHECK(*point.median == doctest::Approx(ns).epsilon(0.02));
        CHECK(said(series).find(test == std::string("waited") ? "wait for its end" : "back to back") != std::string::npos);
    }
}
