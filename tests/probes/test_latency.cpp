// Probes on modelled cards: what was put into a card must come out of its series.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/analysis/level_findings.h"
#include "core/analysis/load_times.h"
#include "core/data/finding.h"
#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/model/model_device.h"
#include "tests/thorough.h"

using namespace sonde;

namespace {

struct Truth {
    double cycles, bytes; // bytes 0: memory
};

std::vector<Truth> truth_of(const CardModel& card, const PathModel& path) {
    std::vector<Truth> truth;
    for (const std::size_t index : path.caches) truth.push_back({card.caches[index].cycles + path.arithmetic, static_cast<double>(card.caches[index].bytes)});
    truth.push_back({card.memory_cycles + path.arithmetic, 0});
    return truth;
}

/// The knee of a cache that is not fully associative, or hashed, lies below its size: the curve must leave the plateau between 0.55 of it
/// and all of it.
std::string wrong_with(const std::vector<Finding>& found, const std::vector<Truth>& truth) {
    if (found.size() != truth.size()) return fmt::format("{} levels instead of {}", found.size(), truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
        // Where a footprint is not much larger than the cache before, some loads still hit that one: a level looks a little faster.
        const double ratio = *found[i].cycles / truth[i].cycles;
        if (ratio > 1.02 || ratio < (truth[i].bytes == 0 ? 0.94 : 0.97)) return fmt::format("level {}: {:.1f} cycles instead of {:.1f}", i + 1, *found[i].cycles, truth[i].cycles);
        if (truth[i].bytes == 0) continue;
        const auto& [on, off] = *found[i].capacity_bytes;
        if (!off || *off < 0.55 * truth[i].bytes || on > 1.05 * truth[i].bytes) return fmt::format("level {}: {:.0f}-{:.0f} bytes instead of {:.0f}", i + 1, on, off.value_or(0), truth[i].bytes);
    }
    return "";
}

} // namespace

TEST_CASE("latency on modelled cards: every level of every path, from fewer than 60 points") {
    for (const CardModel& card : model_cards())
        for (const PathModel& path : card.paths) {
            if (!thorough() && &path - card.paths.data() >= 2) continue; // every day two paths of each card
            CAPTURE(card.name);
            CAPTURE(path.name);
            CardModel noisy = card;
            noisy.noise = 0.005;
            noisy.drift = 0.002;
            const auto largest = std::max_element(card.caches.begin(), card.caches.end(), [](const CacheModel& a, const CacheModel& b) { return a.bytes < b.bytes; })->bytes;
            if (!thorough()) noisy.memory_bytes = std::min(card.memory_bytes, 16 * largest); // the sweep ends at half of it, and simulated memory takes the longest
            const auto device = model_device(noisy, 7);
            const Series series = measured(*device, "latency", path.name, "quick", 11);
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            CHECK(series.points.size() < 60);
            const auto found = level_findings(series, device->info());
            std::string levels;
            for (const Finding& finding : found) levels += finding.text + "\n";
            CAPTURE(levels);
            std::string curve;
            for (const Point& point : series.points) curve += fmt::format("{}: {:.2f}, ", point.x, point.median.value_or(0));
            CAPTURE(curve);
            CHECK(wrong_with(found, truth_of(card, path)) == "");
        }
}

TEST_CASE("latency beyond least-recently-used caches: nothing of a footprint is found in them, however long the walks are") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 64 << 20;
    card.caches[0].bytes = 256 << 10; // dropped between dispatches
    card.caches[1].bytes = 12 << 20;
    for (CacheModel& cache : card.caches) cache.ways = 16, cache.replacement = Replacement::lru;
    const auto device = model_device(card, 5);
    const Series series = measured(*device, "latency", "texel", "standard", 3);
    REQUIRE(series.status == Status::ok);
    const auto bytes = [&](std::size_t cache) { return static_cast<double>(card.caches[cache].bytes); };
    int beyond_first = 0, beyond_last = 0;
    for (const Point& point : series.points) {
        const bool last = point.x > 1.1 * bytes(1);
        const bool first = !last && point.x > 1.1 * bytes(0) && point.x <= 0.9 * bytes(1);
        if (!first && !last) continue;
        ++(first ? beyond_first : beyond_last);
        CAPTURE(point.x);
        const double expected = first ? card.caches[1].cycles : card.memory_cycles;
        for (std::size_t i = 0; i + 1 < point.samples.size(); i += 2) {
            const double cycles = (*point.samples[i + 1].cycles - *point.samples[i].cycles) / (point.samples[i + 1].steps - point.samples[i].steps);
            CHECK(cycles / expected == doctest::Approx(1).epsilon(0.02));
        }
    }
    CHECK(beyond_first >= 3);
    CHECK(beyond_last >= 3);
}

namespace {

/// A card small and quick to simulate, with one thing about it that a probe must find.
CardModel small(const std::string& name, std::uint64_t memory_bytes = 64 << 20) {
    CardModel card = model_card(name);
    card.memory_bytes = memory_bytes;
    card.noise = 0.003;
    card.drift = 0.001;
    return card;
}

struct Structure {
    const char* what;
    CardModel card;
    std::string probe, path;
    Options options;
    std::optional<double> value; // of the finding; nullopt: there must be none
};

CardModel with_partitions(std::uint32_t copies) {
    CardModel card = small("GTX 680");
    card.caches[0].copies = copies;
    return card;
}

CardModel with_random_replacement() {
    CardModel card = small("GTX 680");
    card.caches[1].replacement = Replacement::random;
    return card;
}

CardModel with_scratchpad(bool from_first) {
    CardModel card = small("GTX 980 Ti");
    card.caches[0].bytes = 64 << 10;
    card.caches[0].ways = 16;
    card.scratchpad_bytes = 66 << 10;
    card.scratchpad_from_first = from_first;
    return card;
}

CardModel with_neighbours(std::uint32_t cores, bool tells_core) {
    CardModel card = small("GTX 680");
    card.cores = 12;
    card.caches[0].cores = cores;
    card.tells_core = tells_core;
    return card;
}

std::vector<Structure> structures() {
    const Options fetch1{{"test", "fetch"}, {"level", "1"}}, fetch2{{"test", "fetch"}, {"level", "2"}}, line1{{"test", "line"}, {"level", "1"}}, line2{{"test", "line"}, {"level", "2"}};
    return {
        {"sectors of 32 bytes", small("GTX 680"), "line", "texel", fetch1, 32},
        {"lines of 64 bytes without sectors", small("R9 390"), "line", "global", fetch1, 64},
        {"a last level's sectors", small("GTX 680"), "line", "texel", fetch2, 32},
        {"a last level's lines, hashed", small("GTX 680"), "line", "global", line1, 128},
        {"lines of a cache with random replacement", with_random_replacement(), "line", "global", line1, 128},
        {"lines where the index is of address bits", small("R9 390"), "line", "global", line1, 64},
        {"a path with two levels has no third", small("GTX 680"), "line", "global", line2, std::nullopt},
        {"four ways", small("R9 390"), "associativity", "global", {}, 4},
        {"24 ways", small("GTX 680"), "associativity", "texel", {}, 24},
        {"a hashed index has no fixed ways", small("GTX 680", 256 << 20), "associativity", "global", {}, std::nullopt},
        {"four caches", with_partitions(4), "l1-per-core", "texel", {}, 4},
        {"two caches", with_partitions(2), "l1-per-core", "texel", {}, 2},
        {"one cache", with_partitions(1), "l1-per-core", "texel", {}, 1},
        {"a texture cache for every core", with_neighbours(1, true), "core-sharing", "texel", {}, 1},
        {"a texture cache for two cores", with_neighbours(2, true), "core-sharing", "texel", {}, 2},
        {"a texture cache for four cores", with_neighbours(4, true), "core-sharing", "texel", {}, 4},
        {"a texture cache for every core, of which none is told", with_neighbours(1, false), "core-sharing", "texel", {}, 1},
        {"a texture cache for three cores, of which none is told", with_neighbours(3, false), "core-sharing", "texel", {}, 3},
        {"ordinary loads use the texture cache", small("GTX 980 Ti"), "sharing", "texel", {{"other_path", "global"}}, 1},
        {"textures use the ordinary loads' cache", small("GTX 980 Ti"), "sharing", "global", {{"other_path", "texel"}}, 1},
        {"ordinary loads pass the texture cache by", small("GTX 680"), "sharing", "texel", {{"other_path", "global"}}, 0},
        {"a scalar cache is apart", small("R9 390"), "sharing", "global.uniform", {{"other_path", "global"}}, 0},
        {"textures leave a first level that loads must ask for", small("K80"), "sharing", "global.ca", {{"other_path", "texel"}}, 0},
        {"and are left alone by those that do not ask", small("K80"), "sharing", "texel", {{"other_path", "global"}}, 0},
        {"scratchpad takes the first level", with_scratchpad(true), "sharing", "global", {{"other_path", "scratchpad"}}, 1},
        {"scratchpad has a memory of its own", with_scratchpad(false), "sharing", "global", {{"other_path", "scratchpad"}}, 0},
    };
}

} // namespace

TEST_CASE("structure probes on modelled cards: what was put in comes out, and nothing where nothing can be told") {
    for (const Structure& row : structures()) for (const std::uint32_t seed : {23u, 41u}) { // rows failed with one of thirty, when a dispatch was hardly longer than what warms the caches before
        CAPTURE(std::string(row.what));
        CAPTURE(seed);
        const auto device = model_device(row.card, seed + 977);
        const Series series = measured(*device, row.probe, row.path, "quick", seed, row.options);
        CAPTURE(series.reason);
        CAPTURE(Json(series.evidence).dump());
        std::string curve;
        for (const Point& point : series.points) curve += fmt::format("{}: {:.2f}, ", point.x, point.median.value_or(0));
        CAPTURE(curve);
        REQUIRE(series.status != Status::failed);
        std::vector<Finding> findings;
        if (series.status == Status::ok) findings = find_probe(row.probe)->findings(series, {});
        if (!row.value) { // a measured negative, which says how far was looked
            REQUIRE(series.status == Status::ok);
            CHECK((findings.empty() ? series.evidence.none_seen : findings[0].text).find(" seen up to ") != std::string::npos);
            if (!findings.empty()) CHECK_FALSE(findings[0].value);
            continue;
        }
        CHECK(series.status == Status::ok);
        REQUIRE(findings.size() == 1);
        CHECK(std::abs(*findings[0].value - *row.value) <= (row.probe == "sharing" ? 0.15 : 0));
        CHECK(findings[0].text.find('\n') == std::string::npos);
        CHECK(findings[0].confidence.value_or(1) >= 0.6);
    }
}

TEST_CASE("translation on modelled cards: reach and cost of each level, told apart from the caches; none where there is none") {
    CardModel card = small("GTX 980 Ti", thorough() ? 512 << 20 : 256 << 20);
    for (const bool has_tlbs : {true, false}) {
        CAPTURE(has_tlbs);
        card.tlbs = has_tlbs ? std::vector<TlbModel>{{32, 128 << 10, 40}, {384, 128 << 10, 200}} : std::vector<TlbModel>{};
        const auto device = model_device(card, 5);
        const Series series = measured(*device, "tlb", "global.pointer", "quick", 3);
        REQUIRE(series.status == Status::ok);
        std::string curve;
        for (const Point& point : series.points) curve += fmt::format("{}: {:.2f}, ", point.x, point.median.value_or(0));
        CAPTURE(curve);
        const auto findings = find_probe("tlb")->findings(series, {});
        REQUIRE(findings.size() == (has_tlbs ? 2 : 1));
        if (!has_tlbs) {
            CHECK_FALSE(findings[0].value);
            CHECK(findings[0].text.find("no TLB miss seen up to") != std::string::npos);
            continue;
        }
        CHECK(*findings[0].value == doctest::Approx(4 << 20).epsilon(0.3));
        CHECK(*findings[1].value == doctest::Approx(48 << 20).epsilon(0.3));
        CHECK(findings[1].text.find("costs") != std::string::npos);
    }
}

TEST_CASE("translation on a modelled card whose allocations are small: links lead from one to the next, and the reach is found all the same") {
    CardModel card = small("GTX 980 Ti", 512 << 20);
    card.largest_buffer = 40 << 20; // 32 MiB each, and a reach of 48
    card.tlbs = {{32, 128 << 10, 40}, {384, 128 << 10, 200}};
    const auto device = model_device(card, 5);
    const Series series = measured(*device, "tlb", "global.pointer", "quick", 3);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    CHECK(series.evidence.allocations.value().count == 12);
    CHECK(series.points.back().x >= 350 << 20);
    const auto findings = find_probe("tlb")->findings(series, {});
    REQUIRE(findings.size() == 2);
    CHECK(*findings[0].value == doctest::Approx(4 << 20).epsilon(0.3));
    CHECK(*findings[1].value == doctest::Approx(48 << 20).epsilon(0.3));
}

TEST_CASE("latency in clusters: one that the driver has no room for is refused, and not launched") {
    CardModel card = model_card(model_cards()[0].name);
    card.paths.push_back({.name = "cluster", .caches = {0}});
    card.clusters = 0;
    const Series series = measured(*model_device(card, 3), "latency", "cluster", "quick", 4, {{"cluster", "16"}});
    CHECK(series.status == Status::unsupported);
    CHECK(series.reason == "the device runs no cluster of 16 workgroups that have a core each");
}

TEST_CASE("latency by lanes: what a further lane costs, at a few footprints; lanes that a subgroup or a path has not are refused") {
    CardModel card = small("GTX 680");
    card.noise = card.drift = 0;
    card.subgroup_load_cycles = 6;
    const auto device = model_device(card, 9);
    const double first = card.caches[0].cycles;
    for (const auto& [lanes, apart, lines] : {std::tuple{"1", "0", 1}, {"all", "0", 1}, {"all", "4", 1}, {"2", "128", 2}, {"8", "128", 8}, {"8", "256", 8}}) {
        CAPTURE(lanes);
        CAPTURE(apart);
        const Series series = measured(*device, "latency", "texel", "quick", 4, {{"lanes", lanes}, {"apart", apart}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.size() == 2);
        CHECK(series.evidence.one_lane_ns.size() == 2);
        const auto findings = find_probe("latency")->findings(series, device->info());
        REQUIRE(findings.size() == 2);
        CAPTURE(findings[0].text);
        CHECK(findings[0].kind == "lanes");
        CHECK(*series.points[0].cycles == doctest::Approx(first + (lines - 1) * 6).epsilon(0.02));
        CHECK(*findings[0].cycles == doctest::Approx(lines > 1 ? 6 : first).epsilon(0.05).scale(first));
        CHECK((findings[0].text.find("for each further lane") != std::string::npos) == (lines > 1));
        CHECK((findings[0].text.find(", within 1.5 % of one lane's time") != std::string::npos) == (lines == 1 && *lanes == 'a'));
        if (lines > 1) CHECK(findings[1].text.ends_with(format_bytes(series.points[1].x))); // one of 8 lanes alone reads an eighth: no base of a line from L2
    }
    Series step = measured(*device, "latency", "texel", "quick", 4, {{"lanes", "all"}, {"apart", "4"}});
    REQUIRE(step.status == Status::ok);
    step.evidence.one_lane_ns[step.points[0].x] = *step.points[0].median / 1.06; // 16 lanes may have cost nothing
    CHECK(find_probe("latency")->findings(step, device->info())[0].text.ends_with(fmt::format(", of one lane {:.1f} cycles", *step.points[0].cycles / 1.06)));
    const Series sweep = measured(*device, "latency", "texel", "quick", 4, {{"lanes", "1"}});
    REQUIRE(sweep.status == Status::ok);
    CHECK(sweep.points.size() > 10);
    CHECK(find_probe("latency")->findings(sweep, device->info())[0].kind == "level");
    card.scratchpad_taken = 47 << 10; // of 48 that it reports
    const Series scratchpad = measured(*model_device(card, 9), "latency", "scratchpad", "quick", 4, {{"lanes", "2"}, {"apart", "4"}});
    CAPTURE(scratchpad.reason);
    CHECK(scratchpad.status == Status::ok);
    CHECK(measured(*device, "latency", "texel", "quick", 4, {{"lanes", "64"}}).reason == "a subgroup has 32 lanes");
    CHECK(measured(*device, "latency", "texel", "quick", 4, {{"apart", "6"}}).reason == "a link on this path has 4 bytes");
}

TEST_CASE("how far memory is behind the last cache follows from a latency curve") {
    const auto device = model_device(small("GTX 680", 256 << 20), 9);
    const Series series = measured(*device, "latency", "global", "quick", 4);
    const auto findings = find_probe("latency")->findings(series, {.cache_bytes = 512 << 10});
    REQUIRE(findings.size() == 3);
    CHECK(findings[2].kind == "derived");
    CHECK(*findings[2].cycles == doctest::Approx(420 - 240).epsilon(0.05));
    CHECK(findings[2].text.find("behind L1") != std::string::npos);
}

TEST_CASE("cores on a modelled card: two halves where there are two, one group where there is one") {
    CardModel card = small("GTX 980 Ti");
    card.caches[1].bytes = 4 << 20; // a shared level ends above a mebibyte
    card.paths.push_back({"global.cg", {1}});
    for (const double far : {0.0, 60.0}) {
        CAPTURE(far);
        card.far_cycles = far;
        const auto device = model_device(card, 9);
        for (const char* lines : {"one", "many"}) {
            const Series series = measured(*device, "core-distance", "global.cg", "quick", 4, {{"lines", lines}});
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            CHECK(series.points.size() == card.cores);
            const auto findings = find_probe("core-distance")->findings(series, {});
            REQUIRE(findings.size() == 1);
            CHECK((findings[0].text.find(fmt::format("{} of {} cores load", card.cores / 2, card.cores)) != std::string::npos) == (far > 0));
            if (far > 0) CHECK(*findings[0].value == doctest::Approx(far / card.clock_mhz * 1e3).epsilon(0.1));
        }
    }
}

TEST_CASE("lines on a modelled card: each near to one half of the cores where the cache has two parts, and all alike where it has one") {
    CardModel card = small("GTX 980 Ti");
    card.paths.push_back({"global.cg", {1}});
    for (const double far : {0.0, 60.0}) {
        card.far_cycles = far;
        const auto device = model_device(card, 9);
        const Series series = measured(*device, "core-distance", "global.cg", "quick", 4, {{"lines", "each"}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.size() == card.cores);
        REQUIRE(series.evidence.line_times.size() == card.cores);
        CHECK(series.evidence.line_times[0].counts[1] - series.evidence.line_times[0].counts[0] == doctest::Approx(far + 2).epsilon(0.01));
        const auto findings = find_probe("core-distance")->findings(series, {});
        REQUIRE(findings.size() == 1);
        CHECK(*findings[0].value == (far > 0 ? 2 : 1));
        const std::string half = std::to_string(card.cores / 2);
        CHECK(findings[0].text.find(far > 0 ? fmt::format("{0} cores are near to 32 of 64 lines, and {0} cores to the other 32", half) : "no near and far part of L2 seen: loads of 64 lines from") != std::string::npos);
    }
}

TEST_CASE("single loads on a modelled card: between two caches' ends half of them are as slow as memory where only every second line is kept there") {
    CardModel card = small("GTX 980 Ti");
    card.caches = {{1 << 20, 200, 128, 128, Replacement::hashed_lru, 16}, {4 << 20, 400, 128, 128, Replacement::hashed_lru, 16}};
    card.memory_cycles = 800;
    card.tlbs = {};
    card.paths = {{"global.cg", {0, 1}}};
    for (const bool half : {true, false}) {
        card.caches[1].half = half;
        card.caches[1].bytes = half ? 4 << 20 : 8 << 20; // to 8 MiB in any case
        for (const char* profile : {"quick", "standard"}) {
            CAPTURE(half);
            const Series series = measured(*model_device(card, 9), "load-times", "global.cg", profile, 4);
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            const auto& all = series.evidence.load_times;
            REQUIRE(all.size() == series.points.size());
            REQUIRE(all.size() >= 3);
            const bool quick = std::string(profile) == "quick";
            const LoadTimes &within = all[quick ? 1 : all.size() - 3], &last = all.back();
            CHECK(last.footprint_bytes >= 16 << 20);
            CHECK(time_of(all.front(), 0.5) == doctest::Approx(200).epsilon(0.03));
            CHECK(time_of(last, 0.5) == doctest::Approx(800).epsilon(0.03));
            CHECK(all.front().nothing == 7);
            CHECK(slow_loads(all.front(), last)->share < 0.01);
            CHECK(slow_loads(within, last)->share == doctest::Approx(half ? 0.5 : 0).epsilon(0.05));
            if (half) CHECK(slow_loads(within, last)->others == doctest::Approx(400).epsilon(0.03));
            for (const Point& point : series.points) CHECK(point.cycles.value_or(0) > 0);
            const auto findings = find_probe("load-times")->findings(series, {});
            REQUIRE(findings.size() == 1);
            CHECK(findings[0].text.find("(200 to 2") != std::string::npos);
            CHECK((findings[0].text.find(half ? " % at " : ": none of the others") != std::string::npos));
        }
    }
}

TEST_CASE("what a workgroup's scratchpad leaves of a modelled first level") {
    CardModel card = small("GTX 980 Ti");
    card.caches[0].bytes = 128 << 10;
    card.caches[0].ways = 16;
    card.caches[1].bytes = 2 << 20;
    card.scratchpad_from_first = true;
    const auto device = model_device(card, 9);
    for (const char* bytes : {"0", "48KiB"}) {
        const Series series = measured(*device, "carveout", "global", "quick", 4, {{"scratchpad", bytes}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        const auto findings = find_probe("carveout")->findings(series, device->info());
        REQUIRE(findings.size() == 1);
        const double held = series.evidence.scratchpad_bytes.value();
        CHECK(held == (*bytes == '0' ? 0 : 48 * 1024));
        CHECK(findings[0].capacity_bytes->first <= (128 << 10) - held);
        CHECK(*findings[0].capacity_bytes->second >= 0.9 * ((128 << 10) - held));
    }
}

TEST_CASE("where a size is refused the sweep finds out how much is taken, to the width of an edge") {
    CardModel card = small("GTX 680");
    card.scratchpad_taken = 45 << 10; // it says 48
    const Series series = measured(*model_device(card, 9), "latency", "scratchpad", "quick", 4);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    CHECK(series.points.back().x <= 45 << 10);
    CHECK(series.points.back().x >= (45 << 10) / 1.1);
    CHECK(series.reason.find("takes less than it says") != std::string::npos);
}

TEST_CASE("how much scratchpad and constant memory a modelled card gives: what it takes, whatever it says") {
    struct Card {
        std::uint32_t scratchpad_taken;
        std::uint64_t constant_taken;
        const char *scratchpad, *constant;
    };
    for (const Card& row : {Card{0, 64 << 10, "as the driver reports; 48.1 KiB refused: ", "as the driver reports; 64.1 KiB refused: "}, Card{47360, 20000, "less than the 48 KiB", "less than the 64 KiB"},
                            Card{50 << 10, 100 << 10, "more than the 48 KiB", "more than the 64 KiB"}, Card{1 << 20, 1 << 20, "no limit of scratchpad per workgroup seen up to 192 KiB, more than", "no limit of constant memory in one buffer seen up to 256 KiB, more than"}}) {
        CardModel card = small("GTX 680");
        card.scratchpad_taken = row.scratchpad_taken;
        card.constant_taken = row.constant_taken;
        card.paths.push_back({"constant", {1}});
        const auto device = model_device(card, 9);
        for (const bool scratchpad : {true, false}) {
            const Series series = measured(*device, "limits", scratchpad ? "scratchpad" : "constant", "quick", 4);
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            const auto findings = find_probe("limits")->findings(series, {});
            REQUIRE(findings.size() == 1);
            CAPTURE(findings[0].text);
            CHECK(findings[0].text.find(scratchpad ? row.scratchpad : row.constant) != std::string::npos);
            const double most = scratchpad ? (row.scratchpad_taken ? row.scratchpad_taken : card.scratchpad_bytes) : static_cast<double>(row.constant_taken);
            const double tried = 4 * (scratchpad ? card.scratchpad_bytes : card.constant_bytes), granule = scratchpad ? 128 : 64;
            CHECK(*findings[0].value == std::min(tried, std::floor(most / granule) * granule));
        }
    }
}

namespace {
enum class Failing { refused, broken_compiler, running };
/// A card whose kernels with an array of their own fail, where they are compiled or where they run.
class FailingArrays final : public Device {
public:
    FailingArrays(std::unique_ptr<Device> inner, Failing how) : inner_(std::move(inner)), how_(how) {}
    const DeviceInfo& info() const override { return inner_->info(); }
    std::optional<std::string> why_not(const Path& path) const override { return inner_->why_not(path); }
    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const override { return inner_->why_lacking(feature, in_scratchpad); }
    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override { return inner_->allocate(space, bytes); }
    std::vector<Timing> copy(std::span<const Copy> copies) override { return inner_->copy(copies); }
    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        const bool with_array = std::ranges::any_of(build.defines, [](const auto& define) { return define.first == "STATIC_WORDS"; });
        if (with_array && how_ == Failing::refused) throw CompileRefused("the array does not fit");
        if (with_array && how_ == Failing::broken_compiler) throw Error("the compiler is broken");
        auto kernel = inner_->compile(source, build);
        if (with_array) failing_ = kernel.get();
        return kernel;
    }
    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        if (&launches[0].kernel == failing_) throw Error("the device is lost");
        return inner_->run(launches, timed);
    }

private:
    std::unique_ptr<Device> inner_;
    const Failing how_;
    const Kernel* failing_ = nullptr;
};
} // namespace

TEST_CASE("a scratchpad array that a compiler refuses is a limit; any other error is none") {
    CardModel card = small("GTX 680");
    card.scratchpad_taken = 47360;
    const auto with = [&](Failing how) {
        FailingArrays device(model_device(card, 9), how);
        return measured(device, "limits", "scratchpad", "quick", 4);
    };
    const Series refused = with(Failing::refused);
    CHECK(refused.status == Status::ok);
    CHECK(refused.evidence.static_bytes == std::uint64_t{0});
    for (const auto& [how, says] : {std::pair{Failing::broken_compiler, "the compiler is broken"}, {Failing::running, "the device is lost"}}) {
        const Series failed = with(how);
        CHECK(failed.status == Status::failed);
        CHECK(failed.reason.find(says) != std::string::npos);
    }
}
