// Comparing: the statistics against tables, false alarms and power on modelled cards, recorded runs in pairs, published
// figures.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <list>
#include <sstream>

#include "core/analysis/significance.h"
#include "core/base/error.h"
#include "core/cli/commands.h"
#include "core/compare/compare.h"
#include "core/compare/comparison_text.h"
#include "core/device/path.h"
#include "core/probes/probes.h"
#include "tests/command.h"
#include "tests/places.h"
#include "tests/random.h"
#include "tests/recorded.h"
#include "tests/says.h"
#include "tests/thorough.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace sonde;

namespace {
/// What a modelled run does: noise as standard deviations of a logarithm.
struct Model {
    int blocks = 5;
    std::size_t paths = 4;
    double block_noise = 0.01, run_noise = 0;
    std::vector<double> spread{1}; // block noise of the levels, one after the other, times this
    double shift = 1;              // of the second level's latency on the first path
    double capacity = 1;           // factor on where L1 ends
    double second = 1;             // factor on where the second level ends
    double grid = 1;               // factor on all footprints measured
    std::string api = "cuda", card = "card-1", driver = "1";
};

constexpr double kLatency[] = {20, 150, 340};
constexpr double kEnds[] = {200e3, 30e6, 1e99};
const char* const kPathNames[] = {"global", "global.pointer", "texel", "scratchpad"};

Series modelled_series(const Model& model, std::size_t path, Random& random) {
    Series series;
    series.id = {"latency", model.api + ":0", kPathNames[path], {}};
    series.api = model.api;
    series.card = model.card;
    series.x = {"footprint", "bytes"};
    series.unit = "ns";
    series.evidence.timers = {.value_from = Timer::device};
    double factors[3][16];
    for (std::size_t level = 0; level < 3; ++level) {
        const double of_run = model.run_noise * random.normal();
        const double spread = model.spread[(path * 3 + level) % model.spread.size()];
        for (int block = 0; block < model.blocks; ++block)
            factors[level][block] = std::exp(of_run + spread * model.block_noise * random.normal());
    }
    for (double x = 4096 * model.grid; x < 2e9; x *= 1.6) {
        const std::size_t level = x <= kEnds[0] * model.capacity ? 0 : x <= kEnds[1] * model.second ? 1 : 2;
        for (int block = 0; block < model.blocks; ++block) {
            const double slope = kLatency[level] * factors[level][block] * (path == 0 && level == 1 ? model.shift : 1) *
                                 std::exp(0.0005 * random.normal());
            take_samples(
                series, x, {{block, 1000, 500, 400 + 1000 * slope, {}}, {block, 9000, 900, 400 + 9000 * slope, {}}});
        }
    }
    for (Point& point : series.points) summarize(point, Measure::time_per_step, Timer::device, false);
    return series;
}

Run modelled_run(const Model& model, std::uint64_t seed) {
    Random random{std::mt19937_64(seed)};
    Run run;
    run.devices.push_back({{.id = model.api + ":0",
                               .api = model.api,
                               .name = model.card,
                               .driver = model.driver,
                               .cores = 100,
                               .cache_bytes = 30'000'000},
        model.card});
    for (std::size_t path = 0; path < model.paths; ++path) run.series.push_back(modelled_series(model, path, random));
    return run;
}

Side subject_of(const std::string& label, const std::list<Run>& runs, std::size_t device = 0) {
    Side subject{.label = label};
    for (const Run& run : runs) subject.recordings.push_back(recordings_of(run).at(device));
    return subject;
}

std::vector<Comparison> judged(const std::list<Run>& a, const std::list<Run>& b) {
    std::vector<std::string> notes;
    std::vector<Comparison> comparisons = compare(subject_of("a", a), subject_of("b", b), View::ns, notes);
    judge(comparisons);
    return comparisons;
}

std::list<Run> runs_of(const Model& model, std::uint64_t seed, int count = 1) {
    std::list<Run> runs;
    for (int i = 0; i < count; ++i) runs.push_back(modelled_run(model, seed * 1000 + static_cast<std::uint64_t>(i)));
    return runs;
}

bool any_differs(const std::vector<Comparison>& comparisons) {
    return std::any_of(
        comparisons.begin(), comparisons.end(), [](const Comparison& comparison) { return comparison.differs; });
}

const Comparison& item(const std::vector<Comparison>& comparisons, const std::string& what) {
    const auto found = std::find_if(comparisons.begin(), comparisons.end(),
        [&](const Comparison& comparison) { return comparison.what() == what; });
    REQUIRE(found != comparisons.end());
    return *found;
}

const std::uint64_t kRepetitions = thorough() ? 100 : 20;
/// As many of them as were said for 100; a few repetitions tell a share no better than to `kGive` of them.
int of_100(int count) { return static_cast<int>(count * static_cast<int>(kRepetitions) / 100); }
const int kGive = thorough() ? 0 : 2;

/// Of so many repetitions of two runs of one model: how many say that something differs.
int false_alarms(const Model& model, int runs = 1) {
    int alarms = 0;
    for (std::uint64_t i = 1; i <= kRepetitions; ++i)
        alarms += any_differs(judged(runs_of(model, 2 * i, runs), runs_of(model, 2 * i + 1, runs)));
    return alarms;
}

std::string said(const CompareOptions& options) {
    std::ostringstream out, errors;
    CHECK(compare_command(options, out, errors) == 0);
    return out.str();
}
std::string said(std::vector<std::string> operands, std::string view = "ns") {
    CompareOptions options{std::move(operands), std::move(view)};
    options.full = true;
    return said(options);
}

} // namespace

TEST_CASE("student's t, holm and the variance prior against tables and hand calculation") {
    const double infinite = std::numeric_limits<double>::infinity();
    CHECK(student_tail(12.706, 1) == doctest::Approx(0.05).epsilon(1e-4)); // two-sided 5 % points of any table
    CHECK(student_tail(2.776, 4) == doctest::Approx(0.05).epsilon(1e-3));
    CHECK(student_tail(2.306, 8) == doctest::Approx(0.05).epsilon(1e-3));
    CHECK(student_tail(1.984, 100) == doctest::Approx(0.05).epsilon(1e-3));
    CHECK(student_tail(1.95996, infinite) == doctest::Approx(0.05).epsilon(1e-4));
    CHECK(student_tail(0, 3) == doctest::Approx(1));
    CHECK(student_tail(1, 1) == doctest::Approx(0.5)); // Cauchy
    for (const double freedom : {1.0, 2.5, 8.0, 1e5, infinite})
        for (const double chance : {0.5, 0.05, 1e-6})
            CHECK(student_tail(student_quantile(chance, freedom), freedom) == doctest::Approx(chance).epsilon(1e-6));
    CHECK(student_tail(3, 0) == 1);

    const std::vector<double> chances{0.03, 0.001, 0.04, 0.2};
    const std::vector<double> levels = holm_levels(chances, 0.05);
    CHECK(levels[1] == doctest::Approx(0.05 / 4));
    CHECK(levels[0] == doctest::Approx(0.05 / 3)); // fails: it and all after it keep this level
    CHECK(levels[2] == doctest::Approx(0.05 / 3));
    CHECK(levels[3] == doctest::Approx(0.05 / 3));

    const std::vector<double> values{1, 2, 3, 4};
    CHECK(variance(values).value == doctest::Approx(5.0 / 3));
    CHECK(variance(values).freedom == 3);
    const Variance prior{2, 6}, own{1, 3};
    CHECK(moderated(own, prior).value == doctest::Approx(15.0 / 9));
    CHECK(moderated(own, prior).freedom == 9);
    CHECK(moderated(own, {2, infinite}).value == 2);
    CHECK(moderated({100, 3}, prior).value == 100); // F = 50 with 3 and 6 degrees of freedom: a chance of 0.0001
    CHECK(moderated({100, 3}, {2, infinite}).freedom == 3);
    CHECK(variance_prior(std::vector<Variance>{own, own}).freedom == 0);
}

TEST_CASE("the variance prior finds how much variances differ") {
    Random random{std::mt19937_64(7)};
    const auto variances_of =
        [&](double true_freedom) { // 2000 variances of 5 values, each from a scaled inverse chi-square of this freedom
            std::vector<Variance> variances;
            for (int i = 0; i < 2000; ++i) {
                double scale = 9;
                if (true_freedom > 0) {
                    double sum = 0;
                    for (int k = 0; k < true_freedom; ++k) sum += std::pow(random.normal(), 2);
                    scale *= true_freedom / sum;
                }
                std::vector<double> values(5);
                for (double& value : values) value = std::sqrt(scale) * random.normal();
                variances.push_back(variance(values));
            }
            return variances;
        };
    const Variance alike = variance_prior(variances_of(0)), unlike = variance_prior(variances_of(4));
    CHECK(alike.value == doctest::Approx(9).epsilon(0.05));
    CHECK(alike.freedom > 100);
    CHECK(unlike.value == doctest::Approx(9).epsilon(0.15));
    CHECK(unlike.freedom == doctest::Approx(4).epsilon(0.2));
}

TEST_CASE("two modelled runs of one card are no different, as a whole, in 95 of 100 repetitions") {
    struct Row {
        std::string name;
        Model model;
    };
    for (const Row& row : {Row{"1 % from block to block, 0.15 % from run to run",
                               {.blocks = 5, .block_noise = 0.01, .run_noise = 0.0015}},
             Row{"three blocks, 0.3 % and 0.15 %", {.blocks = 3, .block_noise = 0.003, .run_noise = 0.0015}},
             Row{"quiet blocks, 0.05 % and 0.2 %", {.blocks = 3, .block_noise = 0.0005, .run_noise = 0.002}},
             Row{"levels of unlike noise, 0.1 to 3 %",
                 {.blocks = 5, .block_noise = 0.01, .run_noise = 0.001, .spread = {0.1, 0.3, 1, 3, 0.2}}},
             Row{"three blocks of unlike noise",
                 {.blocks = 3, .block_noise = 0.01, .run_noise = 0.001, .spread = {0.1, 0.3, 1, 3, 0.2}}}}) {
        CAPTURE(row.name);
        CHECK(false_alarms(row.model) <= of_100(5) + kGive);
    }
}

TEST_CASE("with several runs a side the run is the unit: noise between them that no block shows is no difference") {
    const Model model{.blocks = 3, .block_noise = 0.001, .run_noise = 0.01};
    CHECK(false_alarms(model, 5) <= of_100(5) + kGive);
    const std::vector<Comparison> comparisons = judged(runs_of(model, 1, 5), runs_of(model, 2, 5));
    for (const Comparison& comparison : comparisons)
        if (comparison.kind == Kind::level) CHECK(comparison.a.units.size() == 5);
}

TEST_CASE("a 3 % shift under 1 % of noise between five blocks is found, and nothing else") {
    struct Row {
        std::size_t paths; // three levels each, of which one is shifted
        int at_least;      // of 100
    };
    for (const Row& row : {Row{1, 95}, Row{4, 85}}) { // more items, more correction
        CAPTURE(row.paths);
        int found = 0, others = 0, covered = 0;
        for (std::uint64_t i = 1; i <= kRepetitions; ++i) {
            const auto comparisons =
                judged(runs_of({.paths = row.paths}, 5000 + i), runs_of({.paths = row.paths, .shift = 1.03}, 6000 + i));
            const Comparison& shifted = item(comparisons, "latency global: L2");
            found += shifted.differs;
            covered += *shifted.low <= 1.03 && *shifted.high >= 1.03;
            for (const Comparison& comparison : comparisons) others += comparison.differs && &comparison != &shifted;
        }
        CHECK(found >= of_100(row.at_least) - kGive);
        CHECK(covered >= of_100(95) - kGive);
        CHECK(others <= of_100(5) + kGive);
    }
}

TEST_CASE("a 3 % shift of everything is found every time") {
    int found = 0;
    for (std::uint64_t i = 1; i <= kRepetitions; ++i) {
        std::list<Run> slower = runs_of({}, 8000 + i);
        for (Series& series : slower.front().series)
            for (Point& point : series.points)
                for (Sample& sample : point.samples) *sample.device_ns *= 1.03;
        found += any_differs(judged(runs_of({}, 7000 + i), slower));
    }
    CHECK(found == of_100(100));
}

TEST_CASE("below 1 % nothing differs, however sure it is; above it does") {
    const Model quiet{.blocks = 9, .block_noise = 0.0002};
    Model shifted = quiet;
    shifted.shift = 1.009;
    const auto small = judged(runs_of(quiet, 1), runs_of(shifted, 2));
    CHECK_FALSE(any_differs(small));
    CHECK(*item(small, "latency global: L2").chance < 0.001);
    shifted.shift = 1.02;
    CHECK(item(judged(runs_of(quiet, 1), runs_of(shifted, 2)), "latency global: L2").differs);
}

TEST_CASE("capacities differ where their ranges do not overlap, and one level less is a difference") {
    const Model quiet{.block_noise = 0.001};
    Model larger = quiet;
    larger.capacity = 4;
    const auto comparisons = judged(runs_of(quiet, 1), runs_of(larger, 2));
    const Comparison& capacity = item(comparisons, "latency global: capacity of L1");
    CHECK(capacity.differs);
    CHECK(*capacity.low > 1);
    CHECK_FALSE(item(comparisons, "latency global: L1").differs);
    CHECK_FALSE(item(comparisons, "latency global: capacity of L2").differs);
    larger.capacity = 1.05;
    CHECK_FALSE(any_differs(judged(runs_of(quiet, 1), runs_of(larger, 2))));
    larger.capacity = 1000; // no second level is left
    const auto fewer = judged(runs_of(quiet, 1), runs_of(larger, 2));
    CHECK(item(fewer, "latency global: levels").differs);
}

TEST_CASE("levels of one name that share no footprints: on the same footprints, by name only where there are none") {
    const Model early{.block_noise = 0.001, .second = 0.1};         // second level to 3 MB
    Model late{.block_noise = 0.001, .capacity = 20, .second = 10}; // first to 4 MB, second to 300 MB
    const auto same_grid = judged(runs_of(early, 1), runs_of(late, 2));
    const auto found = std::find_if(same_grid.begin(), same_grid.end(),
        [](const Comparison& comparison) { return comparison.item.starts_with("from "); });
    REQUIRE(found != same_grid.end());
    CHECK(found->differs); // 150 ns there, 20 ns here
    CHECK(*found->ratio == doctest::Approx(20.0 / 150).epsilon(0.01));
    late.grid = 1.01;
    const auto other_grid = judged(runs_of(early, 1), runs_of(late, 2));
    CHECK_FALSE(item(other_grid, "latency global: L2").differs); // 150 ns on both, wherever it lies
    CHECK(item(other_grid, "latency global: capacity of L2").differs);
}

TEST_CASE("one block is judged with the noise of recorded runs, and its capacities with room on both sides") {
    const Model single{.blocks = 1, .block_noise = 0.002};
    const auto both = judged(runs_of(single, 1), runs_of(single, 2));
    CHECK(item(both, "latency global: L1").chance);
    CHECK_FALSE(any_differs(both));
    CHECK(item(judged(runs_of(single, 1), runs_of({.blocks = 1, .capacity = 4}, 2)), "latency global: capacity of L1")
              .differs);
    CHECK_FALSE(any_differs(judged(runs_of(single, 1), runs_of({}, 2))));
}

TEST_CASE("what is printed: one comparison is one, a declared noise is said, and a range that is open below goes up to "
          "its end") {
    Comparison judged{.question = {"latency", "global", {}}, .item = "L1", .unit = "ns"};
    judged.ratio = 1.001, judged.low = 0.999, judged.high = 1.003, judged.chance = 0.5;
    const auto summary = [](const std::vector<Comparison>& comparisons) {
        std::ostringstream out;
        print_summary(comparisons, out);
        return out.str();
    };
    Comparison of_one_block = judged;
    of_one_block.a.units = {1};
    CHECK(of_one_block.declared());
    CHECK(says(summary({judged, of_one_block}), "\n1 with one block on a side:"));
    CHECK(says(summary({judged, of_one_block}), "noise of 3 % or"));
    CHECK_FALSE(says(summary({judged, judged}), "one block"));
    Comparison published = judged;
    published.differs = true, published.ratio = 0.9, published.a.value = 120, published.b.range = {0, 100};
    published.b.figures.push_back({.question = published.question,
        .low = 0,
        .high = 100,
        .printed_high = 100,
        .printed_unit = "ns",
        .device = "Card",
        .title = "Paper"});
    CHECK(says(summary({published, judged}), "other 1 comparison;"));
    std::ostringstream differences;
    print_differences({published}, differences);
    CHECK(says(differences.str(), "L1: 120 ns;"));
    CHECK(says(differences.str(), "up to 100 ns (1"));
}

TEST_CASE("an unstable series is left out, and said to be") {
    std::list<Run> runs = runs_of({}, 1);
    runs.front().series[0].status = Status::unstable;
    runs.front().series[0].reason = "the clock moved";
    std::vector<std::string> notes;
    const auto other = runs_of({}, 2);
    const auto comparisons = compare(subject_of("a", runs), subject_of("b", other), View::ns, notes);
    REQUIRE(notes.size() == 1);
    CHECK(says(notes[0], "latency cuda:0 global is"));
    CHECK(notes[0].ends_with("unstable: the clock moved"));
    for (const Comparison& comparison : comparisons) CHECK(comparison.question.path != "global");
}

TEST_CASE(
    "recorded quick runs of one H200, whose noise was learned on others: of a thousand comparisons one differs at "
    "most, of a pair and of two runs beside the third") {
    const auto differ = [](std::vector<std::string> operands) {
        std::size_t judged = 0;
        std::string told;
        std::size_t differences = 0;
        for (const Json& row : Json::parse(said({std::move(operands), "ns", true}))) {
            if (row.value("type", "") == "table") continue;
            ++judged;
            if (row["differs"] != true) continue;
            ++differences, told += row["what"].get<std::string>() + "; ";
        }
        CAPTURE(told);
        CHECK(judged > 1000);
        CHECK(differences <= 1);
    };
    const std::string runs[] = {recorded::quick(1), recorded::quick(2), recorded::quick(3)};
    differ({runs[0], runs[1]});
    if (!thorough()) return; // seconds each
    differ({runs[0], runs[2]});
    differ({runs[1], runs[2]});
    differ({runs[0] + "," + runs[1], runs[2]});
}

TEST_CASE("recorded APIs of one card: what is known to differ is said, in each view") {
    const std::string text = said({recorded::run(1) + "@cuda", recorded::run(1) + "@vulkan"}, "cycles");
    CAPTURE(text);
    CHECK(says(text, "39.14 cycles"));
    CHECK(says(text, "59.19 cycles"));
    CHECK(says(text, "51.2 % slower"));
    CHECK(says(text, "not compared: 1 probe (bandwidth)"));
    CHECK_FALSE(says(text, "latency scratchpad")); // equal to the cycle
    const std::string cuda = recorded::quick(1) + "@cuda", vulkan = recorded::quick(1) + "@vulkan";
    CHECK(says(said({cuda, vulkan}, "per-clock"), " B/clk/core  -> "));
    CHECK(says(said({cuda, vulkan}, "dram-peak"), " % of peak  -> "));
    CHECK(says(said({recorded::kH100 + "@cuda", cuda}), "shapes ")); // of the launches
    CHECK(says(said({recorded::run(1), recorded::run(2)}, "dram-peak"), "noise in 3 comparisons"));
}

TEST_CASE("files of one card and driver beside another's are runs of one side") {
    std::vector<std::string> operands;
    for (int run = 1; run <= 3; ++run) operands.push_back(recorded::quick(run));
    operands.push_back(recorded::run(1)); // another H200
    const Json rows = Json::parse(said({operands, "ns", true}));
    REQUIRE_FALSE(rows.empty());
    CHECK(rows[0]["noise"]["a"]["unit"] == "run");
    CHECK(rows[0]["noise"]["a"]["count"] == 3);
    CHECK(rows[0]["noise"]["b"]["unit"] == "block");
}

TEST_CASE("published figures: at least 400 of some 600, each of a probe and path that there are, and its source") {
    const std::vector<PublishedFigure> figures = published_figures();
    CHECK(figures.size() >= 400);
    for (const PublishedFigure& figure : figures) {
        CAPTURE(figure.device);
        CAPTURE(figure.question.text());
        const Probe* probe = find_probe(figure.question.probe);
        REQUIRE(probe);
        CHECK(find_path(figure.question.path));
        CHECK(std::find(probe->paths.begin(), probe->paths.end(), figure.question.path) != probe->paths.end());
        CHECK((figure.unit != figure.printed_unit ||
               (figure.low <= figure.printed_low && figure.high >= figure.printed_high)));
        CHECK(figure.printed_low > 0);
        CHECK_FALSE(figure.title.empty());
        for (const auto& [name, value] : figure.question.options)
            CHECK(std::any_of(
                probe->variants.begin(), probe->variants.end(), [&, name = name, value = value](const auto& variant) {
                    const OptionName option{name};
                    return option.asked(variant) ? option.word(variant) == value
                                                 : value == "default"; // of which a series has no word
                }));
    }
    std::ifstream file(fmt::format("{}/results/published/unmatched.json", places::source));
    const Json unmatched = Json::parse(file);
    std::ifstream matched_file(fmt::format("{}/results/published/figures.json", places::source));
    const Json matched = Json::parse(matched_file);
    const auto of_memory = [](const Json& list) {
        int known = 0;
        for (const Json& figure : list)
            for (const char* metric :
                {"latency", "bandwidth", "capacity", "line_size", "bandwidth_per_sm", "bandwidth_per_clk"})
                known += figure["metric"] == metric;
        return known;
    };
    for (const Json& figure : unmatched["unmatched"]) CHECK_FALSE(figure["reason"].get<std::string>().empty());
    CHECK(of_memory(matched["figures"]) >= 400);
    CHECK(of_memory(matched["figures"]) + of_memory(unmatched["unmatched"]) ==
          606); // five of the 601 say two things each
}

TEST_CASE("of several runs the levels are those that every run has") {
    std::list<Run> runs = runs_of({}, 5, 2);
    const SeriesId id = runs.front().series[0].id;
    const auto levels = [&] {
        return replicates_of(subject_of("a", runs), {id.probe, id.path, id.options}, View::ns).levels;
    };
    const std::vector<Finding> all = levels();
    REQUIRE(all.size() == 3);
    CHECK(all.back().name == "DRAM");
    std::erase_if(runs.back().series[0].points, [&](const Point& point) { return point.x >= all[2].x.front(); });
    const std::vector<Finding> common = levels();
    REQUIRE(common.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(common[i].name == all[i].name);
        CHECK(*common[i].value == doctest::Approx(*all[i].value).epsilon(0.01));
    }
    CHECK(common[0].capacity_bytes->second);
    CHECK_FALSE(common[1].capacity_bytes->second); // one of the runs does not show its end
}

TEST_CASE("an H200 beside published Hopper figures: what lies inside the published range is no difference") {
    const std::vector<PublishedFigure> hopper = select_published(published_figures(), "Hopper");
    CHECK(hopper.size() > 50);
    for (const PublishedFigure& figure : hopper) CHECK(says(figure.architecture, "Hopper"));
    const std::list<Run> runs = [] {
        std::list<Run> list;
        list.push_back(read_run(recorded::run(1)));
        return list;
    }();
    std::vector<Comparison> comparisons =
        compare_with_published(subject_of("H200", runs), bands_of(hopper), "published");
    judge(comparisons);
    const auto at = [&](const std::string& what, const std::string& unit) {
        const auto same = [&](const Comparison& comparison) {
            return comparison.what() == what && comparison.unit == unit;
        };
        const auto found = std::find_if(comparisons.begin(), comparisons.end(), same);
        REQUIRE(found != comparisons.end());
        return *found;
    };
    CHECK_FALSE(at("latency global: L1", "cycles").differs);     // 39.1, published 37 to 42
    CHECK_FALSE(at("latency scratchpad: L1", "cycles").differs); // 29.0, published 28.6 to 29.9
    CHECK(at("bandwidth global width=16: L1", "GB/s").apart ==
          "clock not known"); // 33 TB/s, published 25 to 30 at clocks that nobody says
    const Comparison clocked = at("bandwidth global width=16: L1", "B/clk/core"); // per clock they agree
    CHECK(*clocked.ratio == doctest::Approx(1).epsilon(0.015));
}

TEST_CASE("a published range that is passed is reported with how far and how sure; words choose cards as whole words") {
    const Json file = Json::parse(R"({"sources":[{"title":"t","url":"https://example.org"}],"figures":[
      {"probe":"latency","path":"global","options":{},"level":"L1","value":[10,12],"rounding":0.5,"unit":"ns",
       "method":"dependent chain","device":"Card 100","architecture":"Arch","source":0},
      {"probe":"latency","path":"global","options":{},"level":"L1","value":[15,15],"rounding":0.5,"unit":"ns",
       "method":"dependent chain","device":"Card 1000","architecture":"Arch","source":0},
      {"probe":"latency","path":"global","options":{},"level":"L2","value":[140,140],"rounding":0.5,"unit":"ns",
       "method":"dependent chain","bound":"lower","device":"Card 100","architecture":"Arch","source":0}]})");
    const auto figures = published_figures(file);
    CHECK(select_published(figures, "card 100").size() == 2);
    CHECK(select_published(figures, "").size() == 3);
    CHECK_THROWS_AS(select_published(figures, "card 10"), UsageError);
    const auto bands = bands_of(figures);
    REQUIRE(bands.size() == 2);
    CHECK(bands[0].low == 9.5);
    CHECK(bands[0].high == 15.5);
    const auto runs = runs_of({}, 3);
    auto comparisons = compare_with_published(subject_of("modelled", runs), bands, "published");
    judge(comparisons);
    const Comparison& first = item(comparisons, "latency global: L1");
    CHECK(first.differs);
    CHECK(*first.ratio == doctest::Approx(15.5 / 20).epsilon(0.02));
    CHECK_FALSE(item(comparisons, "latency global: L2").differs); // 150, published "over 140"
    CHECK_THROWS_AS(published_figures(Json::parse(R"({"figures":[{}]})")), Error);
}

TEST_CASE("operands that say nothing that can be compared are one clear line") {
    struct Row {
        std::vector<std::string> operands;
        std::string view, says;
    };
    const std::string no_figures = std::string(places::source) + "/results/schema.json";
    for (const Row& row :
        {Row{{"no-such-folder/run.jsonl"}, "ns", "cannot open"}, {{"published:hopper"}, "ns", "name a results file"},
            {{recorded::run(1), "published:voodoo"}, "ns", "voodoo"},
            {{recorded::run(1), no_figures}, "ns", "published figures"},
            {{recorded::run(1) + "@metal:0", recorded::run(2)}, "ns", "'metal:0' is none"},
            {{recorded::run(1) + "@cuda"}, "ns", "name a second file"},
            {{recorded::run(1) + ",", recorded::run(2)}, "ns", "without a name"},
            {{recorded::run(1), recorded::run(2)}, "furlongs", "per-clock"}}) {
        CAPTURE(row.says);
        std::ostringstream out, errors;
        std::string what;
        try {
            compare_command({row.operands, row.view, false}, out, errors);
        } catch (const UsageError& error) {
            what = error.what();
        }
        CAPTURE(what);
        CHECK(says(what, row.says));
        CHECK_FALSE(says(what, "\n"));
        CHECK(out.str().empty());
    }
}
