// Comparing what is no staircase: amounts, places and conclusions, on modelled cards and made-up files; two runs of one
// card are alike.
#include <algorithm>
#include <list>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/compare/compare.h"
#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/model/model_device.h"
#include "tests/thorough.h"

using namespace sonde;

namespace {
struct Asked {
    const char *probe, *path;
    Options options;
};
const std::vector<Asked> kAsked{
    {"atomics", "scratchpad", {{"layout", "same-address"}}},
    {"atomics", "global", {{"layout", "distinct-lines"}}},
    {"core-to-core", "global", {{"scope", "workgroups"}}},
    {"core-to-core", "scratchpad", {{"scope", "work-items"}}},
    {"launch", "global", {{"test", "queued"}}},
    {"loaded-latency", "scratchpad", {{"stride", "1"}}},
    {"limits", "scratchpad", {}},
};
const Asked kBus{"transfer", "host",
    {{"engine", "copy"}, {"memory", "pinned"}, {"direction", "both"}}}; // the model really copies: slow

CardModel noisy_card() {
    CardModel card = model_card("GTX 680");
    card.noise = 0.01;
    card.drift = 0.01;
    card.cores = 2; // fewer work-items to compute
    card.paths.push_back({"host", {1}});
    return card;
}

Run run_of(const CardModel& card, std::uint32_t seed, const std::vector<Asked>& asked,
    const std::string& profile = "standard") {
    const auto device = model_device(card, seed);
    Run run;
    run.devices.push_back({{.id = device->info().id,
                               .api = "model",
                               .name = device->info().name,
                               .driver = "1",
                               .cores = device->info().cores,
                               .core_cycles = true},
        device->info().name});
    for (const Asked& each : asked) {
        run.series.push_back(measured(*device, each.probe, each.path, profile, seed, each.options));
        CAPTURE(run.series.back().id.text());
        CAPTURE(run.series.back().reason);
        REQUIRE(run.series.back().status == Status::ok);
        for (const Finding& finding : find_probe(each.probe)->findings(run.series.back(), run.devices[0]))
            run.findings.emplace_back(finding);
    }
    return run;
}

/// The first device of a run, with the findings that the run's lines give a series in the place of its own.
DeviceRun recording_of(const Run& run) {
    DeviceRun recording = recordings_of(run).at(0);
    Card card = *recording.card;
    for (Curve& curve : card.curves) {
        std::vector<Finding> told;
        for (const Json& line : run.findings)
            if (const auto finding = finding_from(line); finding && finding->series == curve.series->id)
                told.push_back(*finding);
        if (!told.empty()) curve.findings = told;
    }
    recording.card = std::make_shared<const Card>(std::move(card));
    return recording;
}

Side subject_of(const std::string& label, const Run& run) { return {label, {recording_of(run)}}; }

std::vector<Comparison> judged(const Run& a, const Run& b, View view = View::ns) {
    std::vector<std::string> notes;
    auto comparisons = compare(subject_of("a", a), subject_of("b", b), view, notes);
    judge(comparisons);
    return comparisons;
}

std::vector<std::string> differences(const std::vector<Comparison>& comparisons) {
    std::vector<std::string> told;
    for (const Comparison& comparison : comparisons)
        if (comparison.differs) told.push_back(comparison.what());
    return told;
}

bool has(const std::vector<std::string>& list, const std::string& what) {
    return std::find(list.begin(), list.end(), what) != list.end();
}

/// A device with one series of three blocks, 1 % apart, and a finding.
struct MadeUp {
    Run run;
    explicit MadeUp(const char* probe, const char* path, std::vector<std::pair<double, double>> curve,
        const Options& options = {}) {
        run.devices.push_back(
            {{.id = "a:0", .api = "a", .name = "card", .driver = "1", .cores = 10, .core_cycles = true}, "card"});
        Series series{.id = {probe, "a:0", path, options}, .api = "a", .card = "card"};
        series.unit = find_probe(probe)->unit;
        series.evidence = {.clock = ClockEvidence{.counts = "core cycles", .before_mhz = 1000, .after_mhz = 1000},
            .timers = TimersEvidence{.value_from = Timer::device}};
        const bool rate = find_probe(probe)->measure() == Measure::steps_per_time;
        for (const auto& [x, value] : curve)
            for (int block = 0; block < 3; ++block) {
                const double ns = (rate ? 1 / value : value) * (1 + 0.01 * (block - 1));
                take_samples(
                    series, x, {{block, 1000, 500, 100 + 1000 * ns, {}}, {block, 9000, 900, 100 + 9000 * ns, {}}});
            }
        for (Point& point : series.points)
            summarize(point, rate ? Measure::steps_per_time : Measure::time_per_step, Timer::device, false);
        run.series.push_back(series);
    }
    MadeUp& found(const char* kind, const char* name, double value, const char* unit, Json capacity = nullptr) {
        Finding finding{.kind = kind,
            .name = name,
            .series = run.series[0].id,
            .value = value,
            .unit = unit,
            .confidence = 0.9,
            .text = "made up"};
        capacity.get_to(finding.capacity_bytes);
        run.findings.emplace_back(finding);
        return *this;
    }
};

std::vector<Comparison> beside(const Run& run, const Json& rows) {
    Json file = {{"sources", {{{"title", "t"}, {"url", ""}}}}, {"figures", rows}};
    for (Json& row : file["figures"])
        row.update(
            {{"rounding", 0}, {"device", "d"}, {"architecture", "a"}, {"source", 0}, {"cores", 10}, {"clock_mhz", 1000},
                {"method", method_of({.probe = row["probe"], .path = "", .options = {}},
                               figure_place_of(row["level"].get<std::string>()))}});
    auto comparisons = compare_with_published(subject_of("a", run), bands_of(published_figures(file)), "published");
    judge(comparisons);
    return comparisons;
}
} // namespace

TEST_CASE("every probe has a row that says how it is compared") {
    for (const Probe* each : all_probes()) {
        const Probe& probe = *each;
        CAPTURE(std::string(probe.name));
        CHECK(probe.run_noise > 0);
        CHECK((probe.x.axis == Axis::footprint) == (probe.x.name == "footprint"));
    }
}

TEST_CASE("two runs of one modelled card: hand-offs, atomics, launches, loaded loads and room are no different") {
    std::list<Run> runs;
    for (std::uint32_t seed = 1; seed <= (thorough() ? 8u : 3u); ++seed)
        runs.push_back(run_of(noisy_card(), seed, kAsked));
    for (auto a = runs.begin(); a != runs.end(); ++a)
        for (auto b = std::next(a); b != runs.end(); ++b) {
            const auto comparisons = judged(*a, *b);
            CHECK(comparisons.size() >= kAsked.size() + 10);
            CHECK(fmt::format("{}", fmt::join(differences(comparisons), "; ")) == "");
        }
}

TEST_CASE("what differs by far more than runs do is said: by the amount, at the most, in the middle") {
    CardModel other = noisy_card();
    other.atomics_at_once = 1;
    other.exchange_cycles *= 3;
    other.launch_ns *= 4;
    const auto told = differences(judged(run_of(noisy_card(), 1, kAsked), run_of(other, 2, kAsked)));
    CAPTURE(fmt::format("{}", fmt::join(told, "\n")));
    CHECK(has(told, "atomics global layout=distinct-lines: the most"));
    CHECK(has(told, "core-to-core global scope=workgroups: pair"));
    CHECK(has(told, "launch global test=queued: workgroups 1"));
    CHECK_FALSE(has(told, "core-to-core scratchpad scope=work-items: pair"));
}

TEST_CASE("copies: two runs are alike, and directions that take turns are not like those that do not") {
    CardModel card = noisy_card();
    card.memory_bytes = 64 << 20; // copies of an eighth of it at the most
    CardModel turns = card;
    turns.bus_both_ways = false;
    const Run one = run_of(card, 1, {kBus}), same = run_of(card, 2, {kBus}), other = run_of(turns, 3, {kBus});
    CHECK(differences(judged(one, same)).empty());
    CHECK(has(differences(judged(one, other)), "transfer host direction=both engine=copy memory=pinned: the most"));
}

TEST_CASE(
    "threads of a processor lie where its system puts them: what six times a hand-off is on a card is nothing there") {
    MadeUp near("core-to-core", "scratchpad", {{1, 5}}, {{"scope", "work-items"}}),
        far("core-to-core", "scratchpad", {{1, 33}}, {{"scope", "work-items"}});
    CHECK(differences(judged(near.run, far.run)).size() == 1);
    near.run.devices[0].software = far.run.devices[0].software = true;
    CHECK(differences(judged(near.run, far.run)).empty());
}

TEST_CASE("kernels differ by their texts and by what these compile to, where both sides kept it") {
    std::list<MadeUp> runs; // to which the sides refer
    const auto made_of = [&](const char* text, const char* listing) {
        MadeUp& made = runs.emplace_back("operation", "global", std::vector<std::pair<double, double>>{{1, 4}, {2, 4}});
        made.run.series[0].evidence.kernel.emplace(
            KernelEvidence{.name = "chain", .text_hash = text, .listing = {.kind = "sass", .hash = listing}});
        return subject_of("made", made.run);
    };
    const Side side = made_of("text", "code");
    CHECK(probes_with_other_kernels(side, made_of("text", "code")).empty());
    CHECK(probes_with_other_kernels(side, made_of("text", "code of another card")).empty());
    CHECK(probes_with_other_kernels(side, made_of("other text", "code")).empty());
    CHECK(probes_with_other_kernels(side, made_of("", "other code")).empty());
    const std::set<std::string> differs{"operation"};
    CHECK(probes_with_other_kernels(side, made_of("other text", "other code")) == differs);
    CHECK(probes_with_other_kernels(side, made_of("other text", "")) == differs);
}

TEST_CASE("copies that did not cross the link, and atomic instructions of two forms, are not compared") {
    const Options to_device{{"direction", "to-device"}, {"engine", "copy"}, {"memory", "pinned"}};
    MadeUp crosses("transfer", "host", {{4 << 20, 50}, {16 << 20, 51}, {64 << 20, 50}}, to_device),
        cached("transfer", "host", {{4 << 20, 80}, {16 << 20, 88}, {64 << 20, 50}}, to_device);
    for (MadeUp* each : {&crosses, &cached}) {
        each->run.devices[0].host_link_bytes_per_second = 63e9;
        each->run.devices[0].cpu = each->run.devices[0].software = false;
    }
    CHECK_FALSE(judged(crosses.run, crosses.run).empty());
    CHECK(judged(crosses.run, cached.run).empty());

    const Options same_address{{"layout", "same-address"}};
    MadeUp returns("atomics", "global", {{1, 1}, {132, 1}}, same_address), discards = returns, again = returns;
    const auto made_of = [](MadeUp& made, const char* kind, const char* to) {
        made.run.series[0]
            .evidence.kernel.emplace(KernelEvidence{.listing = {.kind = "sass"}})
            .atomics.emplace()
            .push_back({.instruction = kind + std::string(to), .kind = kind});
    };
    made_of(returns, "ATOMG.E.ADD", " PT, RZ, [R4.64], R9");
    for (MadeUp* each : {&discards, &again}) made_of(*each, "REDG.E.ADD", " [R4.64], R9");
    CHECK_FALSE(judged(discards.run, again.run).empty());
    CHECK(judged(returns.run, discards.run).empty());
}

TEST_CASE("one block of these probes is judged with a declared noise, and so is what was concluded from it") {
    CardModel other = noisy_card();
    other.scratchpad_bytes /= 2;
    const Run run = run_of(noisy_card(), 1, kAsked, "quick");
    CHECK(differences(judged(run, run_of(noisy_card(), 2, kAsked, "quick"))).empty());
    const auto comparisons = judged(run, run_of(other, 2, kAsked, "quick"));
    CHECK(has(differences(comparisons), "limits scratchpad: limit of scratchpad"));
    for (const Comparison& comparison : comparisons) CHECK(comparison.one_block());
}

TEST_CASE("conclusions are compared as such: a line's bytes, banks, how far translation reaches") {
    const std::vector<std::pair<double, double>> curve{{32, 10}, {64, 10}, {128, 20}};
    const Options line{{"level", "1"}, {"test", "line"}};
    const MadeUp long_lines = MadeUp("line", "global", curve, line).found("line", "L1", 128, "bytes"),
                 short_lines = MadeUp("line", "global", curve, line).found("line", "L1", 64, "bytes");
    CHECK(differences(judged(long_lines.run, short_lines.run)) ==
          std::vector<std::string>{"line global level=1 test=line: line of L1"});
    CHECK(differences(judged(long_lines.run, long_lines.run)).empty());

    const auto reach = [&](std::vector<std::pair<double, double>> ranges) {
        MadeUp made("tlb", "global.pointer", {{1e6, 10}, {1e8, 12}, {1e10, 14}});
        for (std::size_t i = 0; i < ranges.size(); ++i)
            made.found(
                "tlb", i ? "TLB2" : "TLB1", ranges[i].first, "bytes", Json::array({ranges[i].first, ranges[i].second}));
        return made.run;
    };
    CHECK(differences(judged(reach({{100e6, 200e6}}), reach({{150e6, 300e6}}))).empty()); // the ranges meet
    CHECK(differences(judged(reach({{100e6, 200e6}}), reach({{3e6, 6e6}}))) ==
          std::vector<std::string>{"tlb global.pointer: reach of TLB1"});
    CHECK(differences(judged(reach({{100e6, 200e6}}), reach({{3e6, 6e6}, {100e6, 200e6}})))
              .empty()); // which of the two it is, nothing tells

    MadeUp doubtful = MadeUp("line", "global", curve, line).found("line", "L1", 64, "bytes");
    doubtful.run.findings[0]["confidence"] = 0.2;
    CHECK(differences(judged(long_lines.run, doubtful.run)).empty());
    doubtful.run.findings[0].erase("confidence"); // no doubt is known
    CHECK(differences(judged(long_lines.run, doubtful.run)).size() == 1);
}

TEST_CASE("places that begin at 0 count: the first core, the beginning of the memory") {
    const MadeUp made("core-distance", "global.cg", {{0, 100}, {1, 200}, {2, 300}}, {{"lines", "one"}});
    const auto comparisons = judged(made.run, made.run);
    REQUIRE(comparisons.size() == 1);
    CHECK(comparisons[0].item == "median by core");
    CHECK(*comparisons[0].a.value == doctest::Approx(200).epsilon(0.001));
}

TEST_CASE("published figures of lines, atomics, hand-offs and workgroups lie beside what these probes found") {
    const MadeUp line = MadeUp("line", "global", {{32, 10}, {64, 10}, {128, 20}}, {{"level", "1"}, {"test", "line"}})
                            .found("line", "L1", 128, "bytes");
    const Json lines = {{"probe", "line"}, {"path", "global"}, {"options", {{"level", "1"}, {"test", "line"}}},
        {"level", "L1"}, {"unit", "bytes"}, {"value", {64, 64}}};
    auto found = beside(line.run, Json::array({lines}));
    REQUIRE(found.size() == 1);
    CHECK(found[0].item == "line of L1");
    CHECK(found[0].differs);
    CHECK(*found[0].ratio == doctest::Approx(0.5));

    const MadeUp atomics("atomics", "global", {{1, 2}, {10, 40}, {40, 30}}, {{"layout", "consecutive"}});
    const Json rate = {{"probe", "atomics"}, {"path", "global"}, {"options", Json::object()}, {"level", "best"},
        {"unit", "op/clk"}, {"value", {40, 40}}};
    const Json core = {{"probe", "atomics"}, {"path", "global"}, {"options", Json::object()}, {"level", "best"},
        {"unit", "op/clk/core"}, {"value", {8, 8}}};
    const Json one = {{"probe", "atomics"}, {"path", "global"}, {"options", Json::object()}, {"level", "at 1"},
        {"unit", "op/clk"}, {"value", {2, 2}}};
    for (const auto& [row, differs] :
        {std::pair{rate, false}, {core, true}, {one, false}}) { // 40 a ns at 1 GHz on ten cores: 4 each
        found = beside(atomics.run, Json::array({row}));
        REQUIRE(found.size() == 1);
        CHECK(found[0].unit == "op/clk/core");
        CHECK(found[0].differs == differs);
    }

    const MadeUp exchange("core-to-core", "global", {{1, 100}}, {{"scope", "workgroups"}});
    const Json middle = {{"probe", "core-to-core"}, {"path", "global"}, {"options", {{"scope", "workgroups"}}},
        {"level", "middle"}, {"unit", "ns"}, {"value", {90, 110}}};
    found = beside(exchange.run, Json::array({middle}));
    REQUIRE(found.size() == 1);
    CHECK_FALSE(found[0].differs);
}

TEST_CASE("published figures of arithmetic lie beside operations, by clock and core, and beside instruction caches") {
    const auto row = [](const char* probe, const Options& options, const char* level, double value, const char* unit) {
        return Json::array({Json{{"probe", probe}, {"path", "global"}, {"options", options}, {"level", level},
            {"unit", unit}, {"value", {value, value}}}});
    };
    const MadeUp rate("rate", "global", {{4, 100}, {16, 1000}, {32, 990}}, {{"operation", "fma.f32"}, {"chains", "8"}});
    for (const auto& [published, differs] : {std::pair{1000.0, false}, {500.0, true}}) {
        const auto found = beside(rate.run, row("rate", {{"operation", "fma.f32"}}, "best", published, "Gop/s"));
        REQUIRE(found.size() == 1);
        CHECK(found[0].unit == "op/clk/core");
        CHECK(*found[0].a.value == doctest::Approx(100).epsilon(0.01)); // 1000 a ns at 1 GHz on ten cores
        CHECK(found[0].differs == differs);
    }
    CHECK(beside(rate.run, row("rate", {{"operation", "fma.f64"}}, "best", 500, "Gop/s")).empty());

    const MadeUp latency("operation", "global", {{1, 9}, {512, 4.02}}, {{"operation", "fma.f32"}});
    const auto found = beside(latency.run, row("operation", {{"operation", "fma.f32"}}, "largest", 4, "ns"));
    REQUIRE(found.size() == 1);
    CHECK(*found[0].a.value == doctest::Approx(4.02).epsilon(0.01));

    std::vector<std::pair<double, double>> loops;
    for (double x = 1024; x < 1.5e6; x *= 1.42) loops.emplace_back(x, x < 33e3 ? 1 : x < 130e3 ? 1.5 : 3);
    const MadeUp code("code-size", "global", loops, {{"on", "one-subgroup"}});
    const auto first = beside(code.run, row("code-size", {{"on", "one-subgroup"}}, "L1", 32768, "bytes"));
    REQUIRE(first.size() == 1);
    CHECK(first[0].item == "capacity of L1");
    CHECK_FALSE(first[0].differs);
}

TEST_CASE("a rate's curve that begins beyond the first level counts its levels from the card's first") {
    std::vector<std::pair<double, double>> rates, latencies;
    for (double x = 4e6; x < 4e9; x *= 1.6) rates.emplace_back(x, x < 30e6 ? 5000 : 2000);
    for (double x = 4e3; x < 4e9; x *= 1.6) latencies.emplace_back(x, x < 200e3 ? 20 : x < 30e6 ? 150 : 340);
    const MadeUp alone("stream", "global", rates, {{"operation", "fill"}, {"width", "16"}});
    MadeUp both = alone;
    both.run.series.push_back(MadeUp("latency", "global", latencies).run.series[0]);
    const auto figure = [](const char* level, double value) {
        return Json{{"probe", "stream"}, {"path", "global"}, {"options", {{"operation", "fill"}}}, {"level", level},
            {"unit", "GB/s"}, {"value", {value, value}}};
    };
    const Json rows = Json::array({figure("L1", 30000), figure("L2", 5000), figure("DRAM", 2000)});
    const auto known = beside(both.run, rows), unknown = beside(alone.run, rows);
    REQUIRE(known.size() == 2);
    CHECK(known[0].item == "L2");
    CHECK(*known[0].a.value == doctest::Approx(500).epsilon(0.01)); // bytes a clock and core, of ten cores at 1 GHz
    CHECK(known[1].item == "DRAM");
    REQUIRE(unknown.size() == 1);
    CHECK(unknown[0].item == "DRAM");
}

TEST_CASE("levels that others number on paths of constants and of the scratchpad are held against these") {
    std::vector<std::pair<double, double>> constants, scratchpad;
    for (double x = 256; x <= 64 * 1024; x *= 1.19) constants.emplace_back(x, x <= 2048 ? 17 : 52);
    for (double x = 256; x <= 48 * 1024; x *= 1.19) scratchpad.emplace_back(x, 14);
    const auto figure = [](const char* path, const char* level, double value) {
        return Json{{"probe", "latency"}, {"path", path}, {"options", Json::object()}, {"level", level}, {"unit", "ns"},
            {"value", {value, value}}};
    };
    const auto first = beside(MadeUp("latency", "constant", constants).run,
        Json::array({figure("constant", "L1", 17), figure("constant", "L2", 52), figure("constant", "L3", 90)}));
    REQUIRE(first.size() == 2);
    CHECK(*first[0].a.value == doctest::Approx(17).epsilon(0.01));
    CHECK(*first[1].a.value == doctest::Approx(52).epsilon(0.01));
    CHECK(
        beside(MadeUp("latency", "scratchpad", scratchpad).run, Json::array({figure("scratchpad", "L1", 14)})).size() ==
        1);
    CHECK(beside(MadeUp("latency", "global", constants).run, Json::array({figure("global", "L3", 52)})).empty());
}

TEST_CASE("a conclusion of several runs lies between the least and the greatest of their ranges") {
    const auto reach = [](double from, double to) {
        return MadeUp("tlb", "global.pointer", {{1e6, 10}, {1e8, 12}, {1e10, 14}})
            .found("tlb", "TLB1", from, "bytes", Json::array({from, to}));
    };
    const MadeUp first = reach(100e6, 200e6), second = reach(150e6, 300e6);
    for (const auto& [one, other] : {std::pair{&first.run, &second.run}, {&second.run, &first.run}}) {
        const Side both{.label = "both", .recordings = {recording_of(*one), recording_of(*other)}};
        const auto facts = facts_of(both, {"tlb", "global.pointer", {}});
        REQUIRE(facts.size() == 1);
        CHECK(facts[0].range == std::pair(100e6, 300e6));
    }
}

TEST_CASE("a rate is told per clock only where the kernel's counter counts the core's cycles") {
    MadeUp rate("rate", "global", {{4, 100}, {16, 1000}}, {{"operation", "fma.f32"}});
    const auto per_clock = [&] {
        return replicates_of(
            subject_of("a", rate.run), {"rate", "global", {{"operation", "fma.f32"}}}, View::per_clock);
    };
    CHECK(per_clock().unit == "op/clk/core");
    rate.run.devices[0].core_cycles = false;
    CHECK(per_clock().units.empty());
    CHECK_FALSE(per_clock().why_not.empty());
}
