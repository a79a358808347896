// From series to units.
#include "core/compare/side.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "core/analysis/card_view.h"
#include "core/analysis/imported.h"
#include "core/analysis/level_findings.h"
#include "core/analysis/levels.h"
#include "core/analysis/rate_levels.h"
#include "core/base/statistics.h"
#include "core/data/shared_options.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kSameLevel = 0.1; // ln: a unit's level within this of the level of all units is the same one

const Series* series_of(const DeviceRun& recording, const SeriesKey& question) {
    for (const Series& series : recording.run->series)
        if (series.status == Status::ok &&
            series.id == SeriesId{question.probe, recording.device->id, question.path, question.options})
            return &series;
    return nullptr;
}

/// What a value is multiplied by, and its unit then.
struct Scale {
    double factor = 1;
    std::string unit;
    std::string why_not;
};

/// MHz of the core while the series ran: the mean of before and after. 0 where its counter counts something else.
double core_mhz(const Series& series, const DeviceRecord& device) {
    const auto& clock = series.evidence.clock;
    return clock && device.core_cycles ? (clock->before_mhz.value_or(0) + clock->after_mhz.value_or(0)) / 2 : 0;
}

/// Bytes per second; any API of the card may know it.
double dram_peak_of(const DeviceRun& recording) {
    double peak = recording.device->bus_bytes_per_second;
    for (const DeviceRecord& device : recording.run->devices)
        if (device.card == recording.device->card) peak = std::max(peak, device.bus_bytes_per_second);
    return peak;
}

Scale scale_of(const Series& series, const DeviceRun& recording, bool rate, View view) {
    const auto none = [](const char* why) { return Scale{1, "", why}; };
    const double mhz = core_mhz(series, *recording.device),
                 cores = option::cores.asked(series.id.options) ? 1 : recording.device->cores,
                 peak = dram_peak_of(recording);
    switch (view) {
    case View::ns:
        break;
    case View::cycles:
        if (rate) return none("no cycles of a rate (--view per-clock has bytes per clock)");
        if (!recording.device->core_cycles)
            return none("the file has no core cycles: this API's counter counts time, or there is none");
        return {1, "cycles", ""};
    case View::per_clock:
        if (!rate) return none("per clock is a view of rates (--view cycles has latencies in cycles)");
        if (!(cores > 0)) return none("the file does not say how many cores the device has");
        if (!(mhz > 0)) return none("the file does not say at what clock the cores ran");
        return {1000 / (mhz * cores), series.unit == "Gop/s" ? "op/clk/core" : "B/clk/core", ""};
    case View::dram_peak:
        if (!rate || series.unit != "GB/s") return none("a share of the DRAM's peak is a view of bytes per second");
        if (!(peak > 0))
            return none("no API of this card reports the DRAM's peak (sonde run --dram-bandwidth names it)");
        return {100e9 / peak, "% of peak", ""};
    }
    return {1, series.unit, ""};
}

/// Pairs of samples by their block.
std::map<int, std::vector<Sample>> blocks_of(const Point& point) {
    std::map<int, std::vector<Sample>> blocks;
    for (std::size_t i = 0; i + 1 < point.samples.size(); i += 2) {
        blocks[point.samples[i].block].push_back(point.samples[i]);
        blocks[point.samples[i].block].push_back(point.samples[i + 1]);
    }
    return blocks;
}

Timer timer_of(const Series& series) {
    return series.evidence.timers ? series.evidence.timers->value_from : Timer::host;
}

std::vector<LogCurve> block_curves(const Series& series, bool rate, const Scale& scale) {
    std::map<int, LogCurve> curves;
    const bool staircase = probe_named(series.id.probe).x.axis == Axis::footprint;
    const auto take = [&](int block, double x, double value) {
        const bool there = x > 0 || (x == 0 && !staircase); // the first core, or the beginning of the memory
        if (value > 0 && std::isfinite(value) && there && std::isfinite(x))
            curves[block][x] = std::log(value) + std::log(scale.factor);
    };
    for (const Point& point : series.points) {
        const auto blocks = blocks_of(point);
        for (const auto& [block, samples] : blocks) {
            const std::vector<double> slopes =
                scale.unit == "cycles" ? slopes_cycles(samples) : slopes_ns(samples, timer_of(series));
            if (!slopes.empty()) take(block, point.x, rate ? 1 / median(slopes) : median(slopes));
        }
        const std::optional<double>& whole = scale.unit == "cycles" ? point.cycles : point.median;
        if (blocks.empty() && whole) take(0, point.x, *whole); // a file without samples is one unit
    }
    std::vector<LogCurve> units;
    units.reserve(curves.size());
    for (auto& [block, curve] : curves) units.push_back(std::move(curve));
    return units;
}

/// The quartiles of a point in the scale's unit; of cycles those of its samples, as the file has those of times.
std::optional<std::pair<double, double>> quartiles_of(const Point& point, const Scale& scale) {
    if (scale.unit != "cycles")
        return point.low && point.high ? std::optional(std::pair(*point.low, *point.high)) : std::nullopt;
    const std::vector<double> cycles = slopes_cycles(point.samples);
    return cycles.size() > 1 ? std::optional(std::pair(quantile(cycles, 0.25), quantile(cycles, 0.75))) : std::nullopt;
}

LogCurve scatter_of_samples(const Series& series, const Scale& scale) {
    constexpr double kQuartiles = 1.349; // standard deviations from one to the other
    LogCurve scatter;
    for (const Point& point : series.points)
        if (const auto quartiles = quartiles_of(point, scale); quartiles && quartiles->first > 0)
            scatter[point.x] = std::log(quartiles->second / quartiles->first) / kQuartiles;
    return scatter;
}

/// Levels are found where time per step or byte rises, so a rate is turned over.
double as_time(double log_value, bool rate) { return std::exp(rate ? -log_value : log_value); }

/// The levels of a recording's curve under the card's names for them, as every command has them; none where there is no
/// such curve.
std::vector<Finding> levels_in(const DeviceRun& recording, const SeriesKey& question) {
    const Curve* curve = recording.curve(question);
    if (!curve) return {};
    std::vector<Finding> levels = curve->levels;
    for (std::size_t i = 0; i < levels.size(); ++i) levels[i].set_level(curve->level_names[i]);
    return levels;
}

/// What two recordings say of one level together: the footprints that are on it in both, and all between which it may
/// end.
void join(Finding& level, const Finding& other) {
    std::erase_if(level.x, [&](double x) { return x < other.x.front() || x > other.x.back(); });
    auto& own = level.capacity_bytes;
    const auto& more = other.capacity_bytes;
    if (!own || !more) return;
    own->first = std::min(own->first, more->first);
    if (own->second && more->second) own->second = std::max(*own->second, *more->second);
    else own->second.reset();
}

/// Those that every recording with such a curve has.
std::vector<Finding> common_levels(const Side& side, const SeriesKey& question) {
    std::optional<std::vector<Finding>> common;
    for (const DeviceRun& recording : side.recordings) {
        if (!series_of(recording, question)) continue;
        const std::vector<Finding> levels = levels_in(recording, question);
        if (!common) {
            common = levels;
            continue;
        }
        std::erase_if(*common, [&](Finding& level) {
            const auto same = std::ranges::find(levels, level.level, &Finding::level);
            if (same != levels.end()) join(level, *same);
            return same == levels.end() || level.x.empty();
        });
    }
    return common.value_or(std::vector<Finding>());
}

/// The levels of a latency's curve, with their values in its unit.
std::vector<Finding> levels_of_latency(const Replicates& answer) {
    std::vector<Finding> levels = common_levels(*answer.side, answer.question);
    const LogCurve middle = middle_of(answer.units);
    for (Finding& level : levels) {
        std::vector<double> values;
        for (const double x : level.x)
            if (const auto point = middle.find(x); point != middle.end()) values.push_back(std::exp(point->second));
        level.value = values.empty() ? std::nullopt : std::optional(median(values));
    }
    std::erase_if(levels, [](const Finding& level) { return !level.value; });
    return levels;
}

/// A rate's levels, at the footprints where the card's latency on the same path says that all cores together use them;
/// none where that was not measured.
std::vector<Finding> levels_by_latency(const Replicates& answer, const DeviceRecord& device) {
    Curve latency{.device = &device,
        .levels = common_levels(*answer.side, {std::string(kLatency.name), answer.question.path, {}})};
    for (const Finding& level : latency.levels) latency.level_names.push_back(level.level);
    const LogCurve rates = middle_of(answer.units);
    std::vector<Finding> levels;
    for (const Finding& level : latency.levels) {
        if (level.level.part == LevelName::Part::far) continue; // no edge of a rate: all cores read both partitions
        Finding own{.kind = "level", .x = {}};
        own.set_level(level.level.whole());
        for (const FootprintRange& range : rate_footprints(latency, level)) {
            if (!own.x.empty()) break;
            for (const auto& [x, rate] : rates)
                if (range.holds(x)) own.x.push_back(x);
        }
        if (!own.x.empty()) levels.push_back(std::move(own));
    }
    return levels;
}

/// Of a curve that the card's view has no levels of, as of a rate without a latency on its path: its own steps.
std::vector<Finding> own_levels(const Replicates& answer, const DeviceRecord& device) {
    const SeriesKey& question = answer.question;
    Series series{.id = {question.probe, device.id, question.path, question.options}};
    for (const auto& [x, value] : middle_of(answer.units))
        series.points.push_back({.x = x, .median = as_time(value, answer.rate), .samples = {}});
    return level_findings(series, device);
}

std::vector<Level> levels_of(const LogCurve& unit, bool rate) {
    std::vector<CurvePoint> points;
    for (const auto& [x, value] : unit) points.push_back({x, as_time(value, rate)});
    return find_levels(points, 0);
}
} // namespace

std::string SeriesKey::text() const {
    std::string text = fmt::format("{} {}", probe, path);
    for (const auto& [name, value] : options) text += fmt::format(" {}={}", name, value);
    return text;
}

std::optional<View> view_of(std::string_view name) {
    constexpr std::array<std::string_view, 4> kNames{"ns", "cycles", "per-clock", "dram-peak"};
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) return std::nullopt;
    return static_cast<View>(found - kNames.begin());
}

const Curve* DeviceRun::curve(const SeriesKey& question) const {
    if (!card) return nullptr;
    const SeriesId id{question.probe, device->id, question.path, question.options};
    const auto found = std::ranges::find_if(card->curves, [&](const Curve& each) { return each.series->id == id; });
    return found == card->curves.end() ? nullptr : &*found;
}

std::vector<DeviceRun> recordings_of(const Run& run) {
    const auto cards = std::make_shared<const std::vector<Card>>(cards_of({&run, 1}));
    std::vector<DeviceRun> recordings;
    for (const DeviceRecord& device : run.devices) {
        const auto card = std::ranges::find_if(
            *cards, [&](const Card& each) { return std::ranges::find(each.devices, &device) != each.devices.end(); });
        recordings.push_back(
            {&run, &device, card == cards->end() ? nullptr : std::shared_ptr<const Card>(cards, &*card)});
    }
    return recordings;
}

std::vector<SeriesKey> questions_of(const Side& subject) {
    std::vector<SeriesKey> questions;
    for (const DeviceRun& recording : subject.recordings)
        for (const Series& series : recording.run->series) {
            SeriesKey question{series.id.probe, series.id.path, series.id.options};
            if (find_probe(question.probe) && recording.compares(question) && series_of(recording, question) &&
                std::find(questions.begin(), questions.end(), question) == questions.end())
                questions.push_back(std::move(question));
        }
    return questions;
}

std::vector<PublishedFigure> figures_of(const Side& subject) {
    std::vector<PublishedFigure> figures;
    for (const DeviceRun& recording : subject.recordings)
        for (PublishedFigure& figure : imported_figures(*recording.run, *recording.device))
            if (recording.compares(figure.question)) figures.push_back(std::move(figure));
    return figures;
}

std::vector<std::string> unstable_series(const Side& subject) {
    std::vector<std::string> lines;
    for (const DeviceRun& recording : subject.recordings)
        for (const Series& series : recording.run->series)
            if (series.status == Status::unstable && series.id.device == recording.device->id &&
                recording.compares({series.id.probe, series.id.path, series.id.options}))
                lines.push_back(fmt::format(
                    "{}: {} is left out as unstable: {}", subject.label, series.id.text(), reason_text(series)));
    return lines;
}

/// Dispatches of a workload are whole numbers of launches: what their steps have in common is one launch's, or a few
/// launches'.
static std::map<double, double> launches_of(const Series& series) {
    std::map<double, double> launches;
    if (series.evidence.demand.empty() && !series.evidence.library) return launches;
    for (const Point& point : series.points) {
        std::uint64_t steps = 0;
        for (const Sample& sample : point.samples)
            steps = std::gcd(steps, static_cast<std::uint64_t>(std::abs(sample.steps)));
        if (point.median.value_or(0) > 0 && steps > 0) launches[point.x] = static_cast<double>(steps) / *point.median;
    }
    return launches;
}

Replicates replicates_of(const Side& subject, const SeriesKey& question, View view) {
    const bool rate = probe_named(question.probe).measure() == Measure::steps_per_time;
    Replicates answer{.side = &subject, .question = question, .rate = rate, .of_runs = subject.recordings.size() > 1};
    const DeviceRun* last = nullptr;
    for (const DeviceRun& recording : subject.recordings) {
        const Series* series = series_of(recording, question);
        if (!series) continue;
        const Scale scale = scale_of(*series, recording, rate, view);
        if (!scale.why_not.empty()) return {.side = &subject, .why_not = scale.why_not};
        answer.unit = scale.unit;
        last = &recording;
        answer.of_processor = recording.device->cpu || recording.device->software;
        answer.imported |= series->evidence.source.has_value();
        if (!series->evidence.shapes.empty()) answer.shapes.push_back(series->evidence.shapes);
        answer.launch_ns = launches_of(*series);
        answer.scatter = scatter_of_samples(*series, scale);
        std::vector<LogCurve> blocks = block_curves(*series, rate, scale);
        if (!answer.of_runs) answer.units = std::move(blocks);
        else if (!blocks.empty()) answer.units.push_back(middle_of(blocks));
    }
    if (!last || probe_named(question.probe).x.axis != Axis::footprint) return answer;
    answer.levels = rate ? levels_by_latency(answer, *last->device) : levels_of_latency(answer);
    answer.by_latency = rate && !answer.levels.empty();
    const bool in_view = rate ? answer.by_latency : has_levels({question.probe, "", question.path, question.options});
    if (!in_view) answer.levels = own_levels(answer, *last->device);
    return answer;
}

LogCurve middle_of(const std::vector<LogCurve>& units) {
    std::map<double, std::vector<double>> values;
    for (const LogCurve& curve : units)
        for (const auto& [x, value] : curve) values[x].push_back(value);
    LogCurve out;
    for (const auto& [x, list] : values) out[x] = median(list);
    return out;
}

namespace {
/// The choice in force at a footprint, and the one behind it; `end` where there is none.
auto choices_at(const std::vector<ShapeChoice>& choices, double footprint) {
    const auto after = std::ranges::find_if(
        choices, [&](const ShapeChoice& choice) { return static_cast<double>(choice.from_bytes) > footprint; });
    return std::pair{after == choices.begin() ? choices.end() : std::prev(after), after};
}

/// By how much two shapes' rates differed in trials before and behind a footprint, as ln; 0 where they were not tried.
double apart_in_trials(
    const std::vector<ShapeChoice>& choices, double footprint, const std::string& one, const std::string& other) {
    double most = 0;
    const auto [taken, next] = choices_at(choices, footprint);
    for (const auto& choice : {taken, next}) {
        if (choice == choices.end()) continue;
        const auto a = choice->tried.find(one), b = choice->tried.find(other);
        if (a != choice->tried.end() && b != choice->tried.end())
            most = std::max(most, std::abs(std::log(a->second / b->second)));
    }
    return most;
}
} // namespace

std::string shapes_at(const Replicates& answer, const std::vector<double>& footprints) {
    std::set<std::string> shapes;
    for (const std::vector<ShapeChoice>& choices : answer.shapes)
        for (const double footprint : footprints)
            if (const auto taken = choices_at(choices, footprint).first; taken != choices.end())
                shapes.insert(taken->shape);
    return fmt::format("{}", fmt::join(shapes, ", "));
}

double shapes_apart(const Replicates& a, const Replicates& b, const std::vector<double>& footprints) {
    std::vector<double> apart;
    for (const double footprint : footprints) {
        double most = 0;
        for (const auto& of_a : a.shapes)
            for (const auto& of_b : b.shapes) {
                const auto one = choices_at(of_a, footprint).first, other = choices_at(of_b, footprint).first;
                if (one == of_a.end() || other == of_b.end() || one->shape == other->shape) continue;
                most = std::max({most, apart_in_trials(of_a, footprint, one->shape, other->shape),
                    apart_in_trials(of_b, footprint, one->shape, other->shape)});
            }
        apart.push_back(most);
    }
    return apart.empty() ? 0 : median(apart);
}

std::vector<double> unit_values(const Replicates& answer, const std::vector<double>& footprints) {
    std::vector<double> values;
    for (const LogCurve& unit : answer.units) {
        std::vector<double> inside;
        for (const double x : footprints)
            if (const auto point = unit.find(x); point != unit.end()) inside.push_back(point->second);
        if (!inside.empty()) values.push_back(median(inside));
    }
    return values;
}

std::optional<std::pair<double, double>> capacity_range(const Replicates& answer, const Finding& level) {
    if (!level.capacity_bytes || !level.capacity_bytes->second) return std::nullopt;
    std::pair range{level.capacity_bytes->first, *level.capacity_bytes->second};
    for (const LogCurve& unit : answer.units) {
        const std::vector<Level> levels = levels_of(unit, answer.rate);
        const auto same = std::find_if(levels.begin(), levels.end(),
            [&](const Level& own) { return std::abs(std::log(own.latency / *level.value)) <= kSameLevel; });
        if (same == levels.end() || !same->capacity_off) return std::nullopt;
        range = {std::min(range.first, same->capacity_on), std::max(range.second, *same->capacity_off)};
    }
    return range;
}

std::optional<std::size_t> agreed_levels(const Replicates& answer, const std::vector<double>& footprints) {
    std::size_t agreed = 0;
    for (const LogCurve& unit : answer.units) {
        LogCurve there;
        for (const double x : footprints)
            if (const auto point = unit.find(x); point != unit.end()) there.insert(*point);
        const std::size_t levels = levels_of(there, answer.rate).size();
        if (levels == 0 || (agreed > 0 && levels != agreed)) return std::nullopt;
        agreed = levels;
    }
    return agreed > 0 ? std::optional(agreed) : std::nullopt;
}

} // namespace sonde
