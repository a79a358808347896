// Plans and carries out a run.
#include "core/run/run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <ostream>
#include <set>
#include <shared_mutex>
#include <thread>

#include <fmt/format.h>

#include "core/analysis/findings.h"
#include "core/base/statistics.h"
#include "core/base/system.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/data/profile.h"
#include "core/data/results.h"
#include "core/probes/probe.h"
#include "core/run/judge.h"
#include "core/run/resume.h"

namespace sonde {

namespace {
constexpr std::size_t kFewLines = 3; // of a reason on the terminal: a compiler's messages may take pages

std::string utc_now() { return utc_text("%Y-%m-%dT%H:%M:%SZ"); }

bool wanted(const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

bool is_wanted_device(const RunOptions& options, std::string_view id, std::string_view api) {
    return wanted(options.devices, id) || wanted(options.devices, api);
}

std::vector<const Probe*> wanted_probes(const RunOptions& options) {
    std::vector<const Probe*> probes;
    std::copy_if(all_probes().begin(), all_probes().end(), std::back_inserter(probes), [&](const Probe* probe) { return wanted(options.probes, probe->name); });
    return probes;
}

namespace {
Json header(const RunOptions& options, const Fleet& fleet) {
    RunLine line{.sonde = SONDE_VERSION, .started = utc_now(), .host = fleet.host(), .command = options.command, .profile = options.profile, .asked = asked_of(options)};
    for (const auto& absence : fleet.absent()) line.absent.push_back({absence.api, absence.reason});
    return line;
}

struct Planned {
    const Probe* probe;
    const Fleet::Entry* device;
    SeriesId id;
};

/// Whether quick, left to itself, measures a probe on that path. Who names paths, or options, has said what to take.
bool in_quick(const RunOptions& options, const Probe& probe, std::string_view path) {
    const auto& paths = probe.quick.paths;
    return options.profile != "quick" || !options.paths.empty() || paths.empty() || std::find(paths.begin(), paths.end(), path) != paths.end();
}

std::vector<Options> variants_of(const RunOptions& options, const Probe& probe, std::string_view path) {
    auto sets = option_sets(probe, *find_path(path), options.options);
    if (options.profile == "quick" && probe.quick.variants && options.options.empty()) sets.resize(std::min(sets.size(), probe.quick.variants));
    return sets;
}

/// Probe by probe, path by path, option by option; the devices take turns innermost, so that drift hits all alike.
std::vector<Planned> plan(const Fleet& fleet, const RunOptions& options) {
    std::vector<Planned> planned;
    for (const Probe* each : wanted_probes(options)) {
        const Probe& probe = *each;
        for (const std::string_view path : probe.paths) {
            if (!wanted(options.paths, path) || !in_quick(options, probe, path)) continue;
            for (const auto& variant : variants_of(options, probe, path))
                for (const Fleet::Entry& device : fleet.devices())
                    if (is_wanted_device(options, device.info.id, device.info.api))
                        planned.push_back({&probe, &device, {std::string(probe.name), device.info.id, std::string(path), variant}});
        }
    }
    return planned;
}

/// What a series may take of a run's time: the first for measuring, the second with all that it needs (0: no limit).
struct SeriesTime {
    double seconds, most;
};

Series measure_planned(const Planned& planned, const Request& request, const std::function<void()>& going_on) {
    Series series{.id = planned.id, .api = planned.device->info.api, .card = planned.device->info.card};
    series.x = {std::string(planned.probe->x.name), std::string(planned.probe->x.unit)};
    series.unit = planned.probe->unit_of(planned.id.options);
    Outcome outcome = planned.device->worker->measure(request, [&](double x, const std::vector<Sample>& samples) {
        take_samples(series, x, samples);
        going_on();
    });
    series.status = outcome.status;
    series.reason = std::move(outcome.reason);
    series.evidence = std::move(outcome.evidence);

    const bool has_device_time = std::all_of(series.points.begin(), series.points.end(), [](const Point& point) {
        return std::all_of(point.samples.begin(), point.samples.end(), [](const Sample& sample) { return sample.device_ns.has_value(); });
    });
    const Timer timer = has_device_time && !series.points.empty() ? Timer::device : Timer::host;
    for (Point& point : series.points) summarize(point, planned.probe->measure(), timer, planned.device->info.core_cycles);
    series.evidence.timers = timers_of(series, timer);
    return series;
}

/// A card none of whose drivers reports its DRAM's peak rate.
bool lacks_peak(const Fleet& fleet, const DeviceRecord& device) {
    return !device.cpu && std::ranges::none_of(fleet.devices(), [&](const Fleet::Entry& each) { return each.info.card == device.card && each.info.bus_bytes_per_second > 0; });
}

/// What a summary begins with: the file, unless its reader is somebody else.
std::string in_front(const RunOptions& options) { return options.out == "-" ? "" : printable(options.out.string()) + ": "; }

std::string left_text(double seconds) { return seconds < 90 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60); }

/// A run under way: its file, what is in it, and how its series ended.
class Runner {
public:
    Runner(Fleet& fleet, const RunOptions& options, const std::vector<Planned>& planned, Journal journal, Run before, RunStreams& streams)
        : fleet_(fleet), options_(options), planned_(planned), journal_(std::move(journal)), before_(std::move(before)), streams_(streams) {
        for (const Series& series : before_.series) note_best(series);
    }

    int carry_out() {
        missing_ = static_cast<std::size_t>(std::count_if(planned_.begin(), planned_.end(), [&](const Planned& each) { return !is_there(before_, each.id); }));
        // What a file to go on with already has, has had its share.
        budget_ = options_.seconds * static_cast<double>(missing_) / static_cast<double>(std::max<std::size_t>(planned_.size(), 1));
        begin_ = steady_seconds();
        std::vector<Lane> cards, processors; // the processor would be busy with the cards
        for (std::size_t i = 0; i < planned_.size(); ++i) {
            if (is_there(before_, planned_[i].id)) continue;
            std::vector<Lane>& lanes = planned_[i].device->info.cpu ? processors : cards;
            const std::string& card = planned_[i].device->info.card;
            auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& each) { return each.card == card; });
            if (lane == lanes.end()) lane = lanes.insert(lanes.end(), {card, lanes.size(), {}});
            lane->order.push_back(i);
        }
        for (Lane& card : cards)
            for (const Lane& processor : processors) card.behind += processor.order.size();
        std::vector<std::future<void>> side_by_side;
        side_by_side.reserve(cards.size());
        for (Lane& lane : cards) side_by_side.push_back(std::async(std::launch::async, [&] { measure_lane(lane); }));
        for (std::future<void>& each : side_by_side) each.wait();
        for (std::future<void>& each : side_by_side) each.get(); // throws what went wrong
        for (Lane& lane : processors) measure_lane(lane);
        return finish();
    }

    /// What the file's run and this machine are, and findings that a crash lost behind their series.
    void begin() {
        if (options_.resume.empty()) journal_.append(header(options_, fleet_));
        else journal_.append(ResumeLine{utc_now(), options_.command});
        for (const Fleet::Entry& device : fleet_.devices()) {
            const bool known = std::any_of(before_.devices.begin(), before_.devices.end(), [&](const DeviceRecord& there) { return there.id == device.info.id; });
            if (!known) journal_.append(with_peak(device.info));
        }
        for (const Planned& each : planned_)
            for (const Series& series : before_.series)
                if (series.id == each.id)
                    for (const Json& finding : findings(each, series))
                        if (std::find(before_.findings.begin(), before_.findings.end(), finding) == before_.findings.end()) journal_.append(finding);
    }

private:
    /// The record of a device, with the DRAM's peak that a person gave where none of its card's drivers reports one.
    DeviceRecord with_peak(DeviceRecord device) const {
        if (options_.dram_gb_per_s <= 0 || !lacks_peak(fleet_, device)) return device;
        device.bus_bytes_per_second = options_.dram_gb_per_s * 1e9;
        device.facts.push_back({"DRAM bandwidth", fmt::format("{:g} GB/s", options_.dram_gb_per_s), "--dram-bandwidth"});
        return device;
    }

    /// A card's series, in the order of the plan.
    struct Lane {
        std::string card;
        std::size_t line; // of the progress
        std::vector<std::size_t> order;
        std::size_t done = 0, behind = 0; // behind: series of processors, which wait for the cards
        std::optional<std::chrono::steady_clock::time_point> busy = std::nullopt; // when its last series ended, of whichever API
        std::size_t unsupported = 0; // of those done
        std::size_t left() const { return order.size() - done; }
        /// How many of those left will measure, as far as those done show it.
        std::size_t left_to_measure() const { return left() - left() * unsupported / std::max<std::size_t>(done, kFewestDone); }
    };

    void measure_lane(Lane& lane) {
        for (; lane.left() > 0 && !stop_asked && !broken_; ++lane.done) {
            const Planned& planned = planned_[lane.order[lane.done]];
            // What goes over the host's link, or by the host's time, has the machine for itself.
            std::shared_lock beside_others(machine_, std::defer_lock);
            std::unique_lock alone(machine_, std::defer_lock);
            if (by_host(planned) || planned.id.path == "host") alone.lock();
            else beside_others.lock();
            const double gone = seconds_gone();
            if (options_.seconds > 0 && gone >= budget_) break;
            prepare_behind(lane);
            Series series = measure_planned(planned, request_of(lane, lane.done, gone), progress_of(lane, gone));
            lane.busy = std::chrono::steady_clock::now();
            if (series.status == Status::unsupported) ++lane.unsupported;
            if (not_begun(series) || (stop_asked && series.status == Status::failed)) break; // the next run takes it from its beginning
            const std::lock_guard lock(mutex_);
            try {
                keep(planned, std::move(series));
            } catch (...) {
                broken_ = true; // for the other cards as well
                throw;
            }
            ++done_;
        }
        streams_.board.set(lane.line, "");
    }

    double seconds_gone() const { return steady_seconds() - begin_; }

    static bool is_cut_short(const Series& series) { return series.status == Status::ok && series.reason.find(kTimeOver) != std::string::npos; }
    /// The run's time was over before the first point: what measures the rest takes the series from its beginning.
    static bool not_begun(const Series& series) { return is_cut_short(series) && series.points.empty(); }

    Request request_of(const Lane& lane, std::size_t place, double gone) const {
        const auto& [probe, device, id] = planned_[lane.order[place]];
        const SeriesTime time = time_of_next(lane, gone);
        Request request{.id = id, .profile = options_.profile, .seconds = time.seconds, .seed = options_.seed + static_cast<std::uint32_t>(lane.order[place]), .most_seconds = time.most,
                        .end_seconds = options_.seconds > 0 ? begin_ + budget_ : 0,
                        .dispatch_limit_ms = options_.dispatch_limit_ms, .cache_bytes = largest_cache(fleet_.devices(), device->info.card)};
        if (lane.busy) request.card_idle_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - *lane.busy).count();
        return request;
    }

    static bool by_host(const Planned& planned) { return planned.probe->run_noise >= run_noise::by_host; }

    /// The next series of each API are compiled, and their listings read, while others are measured, unless it is the host that is measured.
    void prepare_behind(const Lane& lane) {
        const Planned& now = planned_[lane.order[lane.done]];
        if (now.device->info.cpu) return;
        if (by_host(now)) {
            for (const Fleet::Entry& device : fleet_.devices()) device.worker->settle(device.info.id); // other cards' series wait for this one
            return;
        }
        const std::size_t ahead = std::clamp<std::size_t>(std::thread::hardware_concurrency() / kCoresOfPreparing, 1, kMostAhead);
        const std::size_t end = std::min(lane.order.size(), lane.done + 1 + ahead * fleet_.devices().size());
        for (std::size_t next = lane.done + 1; next < end; ++next) planned_[lane.order[next]].device->worker->prepare(request_of(lane, next, 0));
    }

    SeriesTime time_of_next(const Lane& lane, double gone) const {
        if (!(options_.seconds > 0)) return {find_profile(options_.profile)->seconds, 0};
        const double share = share_of_time(budget_ - gone, lane.left_to_measure() + lane.behind);
        return {share, std::clamp(kMostShares * share + kSecondsBesideMeasuring, 0.05, std::max(0.05, budget_ - gone))};
    }

    /// Tells of the series that begins, and at most once a second how long the run still takes: by what series took so far, and what they may take.
    std::function<void()> progress_of(const Lane& lane, double began) {
        const double may_take = time_of_next(lane, began).seconds + kSecondsBesideMeasuring, each = (began + kGuessed * may_take) / (static_cast<double>(lane.done) + kGuessed);
        const double behind = each * static_cast<double>(lane.left() - 1 + lane.behind);
        const auto tell = [=, this, line = lane.line, place = fmt::format("[{}/{}] {}", lane.done + 1, lane.order.size(), planned_[lane.order[lane.done]].id.text())](double gone) {
            double left = std::max(each - (gone - began), (gone - began) / 4) + behind; // one that takes longer than thought takes longer still
            if (options_.seconds > 0) left = std::min(left, std::max(0.0, budget_ - gone));
            streams_.board.set(line, fmt::format("{}, about {} left", place, left_text(left)));
        };
        tell(began);
        return [=, this, told = began]() mutable {
            if (const double gone = seconds_gone(); gone > told + 1) tell(told = gone);
        };
    }

    void note_best(const Series& series) {
        double& highest = highest_clock_[series.card];
        highest = std::max(highest, clock_beside(series));
        note_controls(controls_[series.id.device], series);
    }

    static std::vector<Json> findings(const Planned& planned, const Series& series) {
        const std::vector<Finding> found = findings_of(*planned.probe, series, planned.device->info);
        return {found.begin(), found.end()};
    }

    void keep(const Planned& planned, Series series) {
        note_best(series);
        if (const std::string others = others_text(series); !others.empty() && told_of_others_.insert(series.card).second)
            tell(fmt::format("{}: {}: its series are unstable", planned.device->info.name, others));
        judge(series, planned.device->info, {highest_clock_[series.card], controls_[series.id.device]}, planned.probe->run_noise >= run_noise::by_host);
        ++counts_[series.status];
        if (series.status == Status::unsupported || series.status == Status::unstable) reasons_[{series.status, series.reason}].push_back(series.id);
        if (is_cut_short(series)) cut_short_.push_back(series.id);
        if (series.status == Status::failed) failures_.push_back(fmt::format("{}: failed: {}", series.id.text(), first_lines(series.reason, kFewLines)));
        std::vector<Json> lines{Json(series)};
        for (Json& finding : findings(planned, series)) lines.push_back(std::move(finding));
        journal_.append_together(lines);
    }

    /// What was there already counts as well: the file's last line is about the whole of it.
    int finish() {
        for (const Series& series : before_.series)
            if (series.status != Status::failed) ++counts_[series.status];
        Json summary = Json::object();
        for (const Status status : {Status::ok, Status::unsupported, Status::failed, Status::unstable}) summary[to_text(status)] = counts_[status];
        std::string said = reasons_text();
        for (const auto& failure : failures_) said += failure + "\n";
        for (const auto& absence : fleet_.absent())
            if (absence.failed) said += fmt::format("{}: {}\n", absence.api, absence.reason);
        if (stop_asked && options_.out == "-") said += "sonde: interrupted\n";
        else if (stop_asked) said += fmt::format("sonde: interrupted; {0} keeps what was measured, and --resume {0} goes on\n", options_.out.string());
        tell(said);
        if (stop_asked) return kInterrupted;
        tell(cut_short_text());
        journal_.append(EndLine{utc_now(), summary});
        streams_.board.print(streams_.out, fmt::format("{}{} series ok, {} unsupported, {} unstable, {} failed\n", in_front(options_), counts_[Status::ok],
                                                       counts_[Status::unsupported], counts_[Status::unstable], counts_[Status::failed]));
        return counts_[Status::failed] > 0 || fleet_.failed(options_.devices) ? 1 : 0;
    }

    /// Each line broken to the terminal.
    void tell(const std::string& lines) {
        std::string text;
        for (const std::string& line : split(lines, '\n'))
            if (!line.empty()) text += error_lines(line);
        streams_.board.print(streams_.errors, text);
    }

    /// Why series are unsupported or unstable: the reasons of most series first.
    std::string reasons_text() const {
        std::vector<std::pair<std::pair<Status, std::string>, std::vector<SeriesId>>> reasons(reasons_.begin(), reasons_.end());
        std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
        std::string text;
        for (const auto& [reason, of] : reasons)
            text += fmt::format("{} {}: {}\n", of.size() == 1 ? of[0].text() + ":" : fmt::format("{} series", of.size()), to_text(reason.first), first_lines(reason.second, kFewLines));
        return text;
    }

    /// Which curves the time did not suffice for.
    std::string cut_short_text() const {
        std::string text;
        const std::size_t named = std::min<std::size_t>(cut_short_.size(), 3);
        for (std::size_t i = 0; i < named; ++i) text += fmt::format("{}{}", i ? ", " : "", cut_short_[i].text());
        if (named > 0) text = fmt::format("cut short, {}: {}{}; a new run with more --time completes them\n", kTimeOver, text, cut_short_.size() > named ? fmt::format(" and {} more", cut_short_.size() - named) : "");
        if (done_ < missing_) text += fmt::format("{} series of {} not begun: {}; --resume with more --time measures them\n", missing_ - done_, missing_, kTimeOver);
        return text;
    }

    static constexpr double kMostShares = 3;   // that a series may take before it is cut short: many take less, and a sweep with few pairs is worth more than half of one
    static constexpr std::size_t kMostAhead = 4, kCoresOfPreparing = 4; // series of each device that are prepared; the host's cores for one of them
    static constexpr std::size_t kFewestDone = 10; // series, of which some were unsupported, that speak of those left
    static constexpr double kGuessed = 2;      // series, that the guess of what one takes counts as
    Fleet& fleet_;
    const RunOptions& options_;
    const std::vector<Planned>& planned_;
    std::shared_mutex machine_; // shared by cards that are measured side by side
    std::mutex mutex_;          // of all below
    std::atomic<bool> broken_ = false; // nothing can be kept any more
    std::size_t missing_ = 0, done_ = 0;
    double budget_ = 0;
    double begin_ = 0; // by steady_seconds()
    Journal journal_;
    Run before_;
    RunStreams& streams_;
    std::map<std::string, double> highest_clock_; // by card
    std::map<std::string, std::vector<ControlPoint>> controls_; // by device
    std::map<Status, int> counts_;
    std::vector<std::string> failures_;
    std::map<std::pair<Status, std::string>, std::vector<SeriesId>> reasons_;
    std::vector<SeriesId> cut_short_;
    std::set<std::string> told_of_others_; // by card
};

/// Why a run cannot go on here, as an error.
void check_fits(const Run& run, const RunOptions& options, const Fleet& fleet) {
    const auto found = differences(run, options, fleet);
    if (!found.empty()) throw UsageError(fmt::format("{}: was run otherwise and cannot go on here: {}", options.resume.string(), fmt::join(found, "; ")));
}

/// True, and said, where the file is whole: it is left alone then.
bool nothing_missing(const RunOptions& options, const Run& run, const std::vector<Planned>& planned, RunStreams& streams) {
    if (!run.end.is_object() || !std::all_of(planned.begin(), planned.end(), [&](const Planned& each) { return is_there(run, each.id); })) return false;
    streams.board.print(streams.out, fmt::format("{}nothing is missing\n", in_front(options)));
    return true;
}

int none_here(const Fleet& fleet, const RunOptions& options, RunStreams& streams) {
    std::string said;
    std::vector<std::string> here;
    const auto names_it = [](const std::string& api) { return [&api](const std::string& word) { return word.substr(0, word.find(':')) == api; }; };
    for (const auto& absence : fleet.absent())
        if (options.devices.empty() || std::any_of(options.devices.begin(), options.devices.end(), names_it(absence.api)))
            said += error_lines(printable(fmt::format("{} {}: {}", absence.api, absence.failed ? "failed" : "is absent", absence.reason)));
    for (const Fleet::Entry& device : fleet.devices()) here.push_back(device.info.id);
    streams.board.print(streams.errors, said + error_lines(fmt::format("sonde: none of the devices asked for is here{}{} (sonde doctor tells why)", here.empty() ? "" : "; what is here: ", fmt::join(here, ", "))));
    return fleet.failed(options.devices) ? 1 : 3;
}

/// Throws UsageError where a device that was asked for is here: then it is the probes that have no such series.
void check_has_series(const Fleet& fleet, const RunOptions& options) {
    if (std::ranges::none_of(fleet.devices(), [&](const Fleet::Entry& device) { return is_wanted_device(options, device.info.id, device.info.api); })) return;
    std::vector<std::string> reasons;
    for (const Probe* probe : wanted_probes(options)) reasons.push_back(why_no_series(*probe, options));
    throw UsageError(fmt::format("{}", fmt::join(reasons, "; ")));
}

/// Devices that are asked for beside others, and are not here.
std::string missing_text(const Fleet& fleet, const RunOptions& options) {
    std::string text;
    for (const std::string& word : options.devices) {
        if (std::ranges::any_of(fleet.devices(), [&](const Fleet::Entry& device) { return word == device.info.id || word == device.info.api; })) continue;
        const auto absence = std::ranges::find(fleet.absent(), word.substr(0, word.find(':')), &Fleet::Absence::api);
        text += error_lines(printable(fmt::format("{}: not here, and left out{}{} (sonde doctor tells why)", word, absence == fleet.absent().end() ? "" : ": ", absence == fleet.absent().end() ? "" : absence->reason)));
    }
    return text;
}

/// Why the peak that a person gave is no measured device's; empty: it is, or none was given.
std::string unused_peak_text(const Fleet& fleet, const std::vector<Planned>& planned, const RunOptions& options) {
    if (options.dram_gb_per_s <= 0 || std::ranges::any_of(planned, [&](const Planned& each) { return lacks_peak(fleet, each.device->info); })) return "";
    const bool processors = std::ranges::all_of(planned, [](const Planned& each) { return each.device->info.cpu; });
    return error_lines(fmt::format("--dram-bandwidth is not used: {}", processors ? "it is a card's, and a processor alone is measured" : "the card's driver reports its DRAM's peak rate"));
}

/// What is named anew for a run that goes on chooses among what was asked for then. Throws UsageError for a word that chooses nothing of it.
void narrow(std::vector<Planned>& planned, const RunOptions& asked, const RunOptions& named) {
    struct Names {
        const char* what;
        const std::vector<std::string>& words;
        bool (*chooses)(const std::string& word, const Planned&);
    };
    const Names all[] = {{"probe", named.probes, [](const std::string& word, const Planned& each) { return word == each.probe->name; }},
                         {"path", named.paths, [](const std::string& word, const Planned& each) { return word == each.id.path; }},
                         {"device", named.devices, [](const std::string& word, const Planned& each) { return word == each.id.device || word == each.device->info.api; }}};
    const auto refuse = [&](const std::string& what) { throw UsageError(fmt::format("{}: was not asked for {}, and --resume adds nothing: start a run of its own with --out", asked.resume.string(), what)); };
    if (!named.options.empty() && named.options != asked.options) refuse("these values of --option");
    for (const Names& names : all) {
        for (const std::string& word : names.words)
            if (std::none_of(planned.begin(), planned.end(), [&](const Planned& each) { return names.chooses(word, each); })) refuse(fmt::format("{} '{}'", names.what, word));
        std::erase_if(planned, [&](const Planned& each) {
            return !names.words.empty() && std::none_of(names.words.begin(), names.words.end(), [&](const std::string& word) { return names.chooses(word, each); });
        });
    }
}
} // namespace

int run_command(Fleet& fleet, RunOptions options, RunStreams streams) {
    const bool goes_on = !options.resume.empty(), in_a_file = goes_on && options.resume != "-";
    Run before;
    const RunOptions named = options;
    if (goes_on) take_asked(options, before = read_run(options.resume));
    if (in_a_file) options.out = options.resume;
    if (options.out.empty()) options.out = goes_on ? "-" : default_results_name();
    if (options.profile.empty()) options.profile = "standard";
    if (options.dispatch_limit_ms <= 0) options.dispatch_limit_ms = kDispatchLimit;
    if (options.seed == 0) options.seed = static_cast<std::uint32_t>(std::chrono::system_clock::now().time_since_epoch().count());
    std::vector<Planned> planned = plan(fleet, options);
    if (planned.empty() && !goes_on) {
        check_has_series(fleet, options);
        return none_here(fleet, options, streams);
    }
    if (goes_on) {
        RunOptions here = options;
        if (!named.devices.empty()) here.devices = named.devices;
        check_fits(before, here, fleet);
        narrow(planned, options, named);
    }
    if (goes_on && nothing_missing(options, before, planned, streams)) return 0;
    streams.board.print(streams.errors, missing_text(fleet, options) + unused_peak_text(fleet, planned, options));
    Journal journal = in_a_file ? Journal::reopened(options.resume) : Journal(options.out);
    if (in_a_file) {
        journal.cut();
        before = read_run(options.resume); // which nobody else writes to any more
    }
    Runner running(fleet, options, planned, std::move(journal), std::move(before), streams);
    running.begin();
    return running.carry_out();
}

} // namespace sonde
