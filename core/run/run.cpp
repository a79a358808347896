// Plans and carries out a run.
#include "core/run/run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <ostream>
#include <set>
#include <shared_mutex>
#include <thread>

#include <fmt/format.h>

#include "core/base/statistics.h"
#include "core/base/system.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/data/profile.h"
#include "core/data/results.h"
#include "core/data/unfinished.h"
#include "core/probes/probe.h"
#include "core/run/cost.h"
#include "core/run/device_words.h"
#include "core/run/host_limits.h"
#include "core/run/judge.h"
#include "core/run/lane.h"
#include "core/run/plan.h"
#include "core/run/resume.h"
#include "core/run/tally.h"

namespace sonde {

namespace {
std::string utc_now() { return utc_text("%Y-%m-%dT%H:%M:%SZ"); }

/// "" of "".
std::string lines_of(const std::string& text) { return text.empty() ? "" : error_lines(text); }

Json header(const RunOptions& options, const Fleet& fleet) {
    RunLine line{.sonde = SONDE_VERSION,
        .started = utc_now(),
        .host = fleet.host(),
        .command = options.command,
        .profile = options.profile,
        .asked = asked_of(options)};
    for (const auto& absence : fleet.absent())
        if (absence.driver.empty()) line.absent.push_back({absence.api, absence.reason});
    return line;
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
    series.ending = std::move(outcome.ending);
    series.evidence = std::move(outcome.evidence);

    const bool has_device_time = std::all_of(series.points.begin(), series.points.end(), [](const Point& point) {
        return std::all_of(point.samples.begin(), point.samples.end(),
            [](const Sample& sample) { return sample.device_ns.has_value(); });
    });
    const Timer timer = has_device_time && !series.points.empty() ? Timer::device : Timer::host;
    for (Point& point : series.points)
        summarize(point, planned.probe->measure(), timer, planned.device->info.core_cycles);
    series.evidence.timers = timers_of(series, timer);
    return series;
}

/// What a summary begins with: the file, unless its reader is somebody else.
std::string in_front(const RunOptions& options) {
    return options.out == "-" ? "" : printable(options.out.string()) + ": ";
}

/// A run under way: its file, what is in it, and how its series ended.
class Runner {
public:
    Runner(Fleet& fleet, const RunOptions& options, const std::vector<Planned>& planned, Journal journal, Run before,
        RunStreams& streams)
        : fleet_(fleet),
          options_(options),
          planned_(planned),
          journal_(std::move(journal)),
          before_(std::move(before)),
          streams_(streams) {
        for (const Series& series : before_.series) {
            note_best(series);
            if (series.status != Status::failed) tally_.take(series, false);
        }
    }

    int carry_out() {
        missing_ = static_cast<std::size_t>(std::count_if(
            planned_.begin(), planned_.end(), [&](const Planned& each) { return !is_there(before_, each.id); }));
        // What a file to go on with already has, has had its share.
        budget_ = options_.seconds * static_cast<double>(missing_) /
                  static_cast<double>(std::max<std::size_t>(planned_.size(), 1));
        begin_ = steady_seconds();
        std::vector<Lane> cards, processors; // the processor would be busy with the cards
        double processors_seconds = 0;
        for (std::size_t i = 0; i < planned_.size(); ++i) {
            if (is_there(before_, planned_[i].id)) continue;
            std::vector<Lane>& lanes = planned_[i].device->info.cpu ? processors : cards;
            const std::string& card = planned_[i].device->info.card;
            auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& each) { return each.card == card; });
            if (lane == lanes.end()) lane = lanes.insert(lanes.end(), Lane(card, lanes.size()));
            lane->add(i);
            if (planned_[i].device->info.cpu) processors_seconds += expected(i);
        }
        for (Lane& card : cards) card.seconds_behind = processors_seconds;
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
            const bool known = std::any_of(before_.devices.begin(), before_.devices.end(),
                [&](const DeviceRecord& there) { return there.id == device.info.id; });
            if (!known) journal_.append(with_peak(device.info));
        }
        for (const Planned& each : planned_)
            for (const Series& series : before_.series)
                if (series.id == each.id)
                    for (const Json& finding : findings(each, series))
                        if (std::find(before_.findings.begin(), before_.findings.end(), finding) ==
                            before_.findings.end())
                            journal_.append(finding);
    }

private:
    /// The record of a device, with the DRAM's peak that a person gave where none of its card's drivers reports one.
    DeviceRecord with_peak(DeviceRecord device) const {
        if (options_.dram_gb_per_s <= 0 || !lacks_peak(fleet_.devices(), device)) return device;
        device.bus_bytes_per_second = options_.dram_gb_per_s * 1e9;
        device.facts.push_back(
            {"DRAM bandwidth", fmt::format("{:g} GB/s", options_.dram_gb_per_s), "--dram-bandwidth"});
        return device;
    }

    void measure_lane(Lane& lane) {
        Pace pace;
        for (; lane.left() > 0 && !stop_asked && !broken_; lane.advance()) {
            const Planned& planned = planned_[lane.place()];
            // What goes over a link that cards share, to another card, or by the host's time, has the machine for
            // itself.
            std::shared_lock beside_others(machine_, std::defer_lock);
            std::unique_lock alone(machine_, std::defer_lock);
            if (planned.probe->times_host || takes_machine(path_named(planned.id.path))) alone.lock();
            else beside_others.lock();
            const double gone = seconds_gone();
            if (options_.seconds > 0 && gone >= budget_) break;
            const SeriesTime time = time_of_next(lane, gone);
            if (lane.had_seconds() > 0 && time.most < kWorthwhile * lane.had_seconds()) continue;
            prepare_behind(lane);
            Series series =
                measure_planned(planned, request_of(lane, lane.place(), gone), progress_of(lane, pace, gone));
            pace.take(expected(lane.place()), seconds_gone() - gone);
            lane.busy_until = steady_seconds();
            if (series.status == Status::unsupported) lane.end_unsupported();
            if (not_begun(series) || (stop_asked && series.status == Status::failed))
                break; // the next run takes it from its beginning
            if (lane.had_seconds() > 0 && (series.status == Status::failed || ends_early(series)))
                continue; // the one before stays
            const std::lock_guard lock(mutex_);
            try {
                if (keep(planned, std::move(series)) && options_.seconds > 0) lane.end_cut_short(time.most);
            } catch (...) {
                broken_ = true; // for the other cards as well
                throw;
            }
            if (lane.had_seconds() <= 0) ++done_;
        }
        streams_.board.set(lane.line, "");
    }

    double seconds_gone() const { return steady_seconds() - begin_; }

    /// The run's time was over before the first point: what measures the rest takes the series from its beginning.
    static bool not_begun(const Series& series) { return is_cut_short(series) && series.points.empty(); }

    Request request_of(const Lane& lane, std::size_t place, double gone) const {
        const auto& [probe, device, id] = planned_[place];
        const SeriesTime time = time_of_next(lane, gone);
        Request request{.id = id,
            .profile = options_.profile,
            .seconds = time.seconds,
            .seed = options_.seed + static_cast<std::uint32_t>(place),
            .most_seconds = time.most,
            .end_seconds = options_.seconds > 0 ? begin_ + budget_ : 0,
            .dispatch_limit_ms = options_.dispatch_limit_ms,
            .cores = device->info.cores,
            .cache_bytes = largest_cache(fleet_.devices(), device->info.card)};
        if (lane.busy_until) request.card_idle_seconds = steady_seconds() - *lane.busy_until;
        return request;
    }

    /// The next series of each API are compiled, and their listings read, while others are measured, unless it is the
    /// host that is measured.
    void prepare_behind(const Lane& lane) {
        const Planned& now = planned_[lane.place()];
        if (now.device->info.cpu) return;
        if (now.probe->times_host) {
            for (const Fleet::Entry& device : fleet_.devices())
                device.worker->settle(device.info.id); // other cards' series wait for this one
            return;
        }
        const std::size_t ahead =
            std::clamp<std::size_t>(std::thread::hardware_concurrency() / kCoresOfPreparing, 1, kMostAhead);
        const std::size_t end = std::min(lane.left(), 1 + ahead * fleet_.devices().size());
        for (std::size_t next = 1; next < end; ++next)
            planned_[lane.place(next)].device->worker->prepare(request_of(lane, lane.place(next), 0));
    }

    SeriesTime time_of_next(const Lane& lane, double gone) const {
        if (!(options_.seconds > 0)) return {find_profile(options_.profile)->seconds, 0};
        const double next = expected(lane.place());
        const double behind = lane.part_to_measure() * expected_behind(lane) + lane.seconds_behind;
        const double share = share_of_time(budget_ - gone, next, next + behind);
        return {share, std::clamp(kMostShares * share + kSecondsBesideMeasuring, 0.05, std::max(0.05, budget_ - gone))};
    }

    double expected(std::size_t place) const {
        return expected_seconds(planned_[place], *find_profile(options_.profile));
    }

    /// Seconds of the lane's series behind the next one.
    double expected_behind(const Lane& lane) const {
        double seconds = 0;
        for (std::size_t ahead = 1; ahead < lane.left(); ++ahead) seconds += expected(lane.place(ahead));
        return seconds;
    }

    /// Tells of the series that begins, and at most once a second how long the run still takes: by what its series are
    /// known to take, and by the pace of those so far.
    std::function<void()> progress_of(const Lane& lane, const Pace& pace, double began) {
        const double each = pace.factor() * expected(lane.place());
        const double behind = lane.seconds_behind + pace.factor() * expected_behind(lane);
        const auto tell = [=, this, line = lane.line,
                              place = fmt::format("[{}/{}] {}", lane.done() + 1, lane.size(),
                                  planned_[lane.place()].id.text())](double gone) {
            double left = std::max(each - (gone - began), (gone - began) / 4) +
                          behind; // one that takes longer than thought takes longer still
            if (options_.seconds > 0) left = std::min(left, std::max(0.0, budget_ - gone));
            streams_.board.set(line, fmt::format("{}, about {} left", place, duration_text(left)));
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

    /// Whether more time would measure it better: an unstable one has another doubt, and a reader keeps it.
    bool keep(const Planned& planned, Series series) {
        note_best(series);
        if (const std::string others = others_text(series);
            !others.empty() && told_of_others_.insert(series.card).second)
            tell(fmt::format("{}: {}: its series are unstable", planned.device->info.name, others));
        judge(series, planned.device->info, {highest_clock_[series.card], controls_[series.id.device]},
            planned.probe->times_host);
        tally_.take(series);
        std::vector<Json> lines{Json(series)};
        for (Json& finding : findings(planned, series)) lines.push_back(std::move(finding));
        journal_.append_together(lines);
        return lacks_points(series);
    }

    /// What was there already counts as well: the file's last line is about the whole of it.
    int finish() {
        std::map<Status, int> counts = tally_.counts();
        Json summary = Json::object();
        for (const Status status : {Status::ok, Status::unsupported, Status::failed, Status::unstable})
            summary[to_text(status)] = counts[status];
        std::string said = tally_.reasons_text() + tally_.failures_text();
        for (const auto& absence : fleet_.absent())
            if (absence.failed) said += fmt::format("{}: {}\n", absence.api, absence.reason);
        if (stop_asked && options_.out == "-") said += "sonde: interrupted\n";
        else if (stop_asked)
            said += fmt::format(
                "sonde: interrupted; {0} keeps what was measured, and --resume {0} goes on\n", options_.out.string());
        tell(said);
        if (stop_asked) return kInterrupted;
        tell(tally_.cut_short_text());
        const bool nothing = counts[Status::ok] + counts[Status::unstable] + counts[Status::failed] == 0;
        if (nothing) tell(nothing_measured_text());
        else if (done_ < missing_)
            tell(fmt::format("{} series of {} not begun: {}; --resume with more --time measures them", missing_ - done_,
                missing_, kTimeOver));
        journal_.append(EndLine{utc_now(), summary});
        streams_.board.print(streams_.out, in_front(options_) + summary_text(summary) + "\n");
        return nothing || counts[Status::failed] > 0 || fleet_.failed(options_.devices) ? 1 : 0;
    }

    std::string nothing_measured_text() const {
        return done_ < missing_
                   ? fmt::format("nothing was measured: {}, --time {:g}, before a series had a point; "
                                 "--resume with more --time measures them",
                         kTimeOver, options_.seconds)
                   : "nothing was measured: no device that was asked for has such a series; the reasons are "
                     "above, and sonde paths and sonde operations tell what each has";
    }

    /// Each line broken to the terminal.
    void tell(const std::string& lines) {
        std::string text;
        for (const std::string& line : split(lines, '\n'))
            if (!line.empty()) text += error_lines(line);
        streams_.board.print(streams_.errors, text);
    }

    static constexpr double kMostShares = 3; // that a series may take before it is cut short: many take less, and a
                                             // sweep with few pairs is worth more than half of one
    static constexpr double kWorthwhile =
        1.5; // times the seconds that a series had when they cut it short: it is measured again
    static constexpr std::size_t kMostAhead = 4,
                                 kCoresOfPreparing =
                                     4; // series of each device that are prepared; the host's cores for one of them
    Fleet& fleet_;
    const RunOptions& options_;
    const std::vector<Planned>& planned_;
    std::shared_mutex machine_;        // shared by cards that are measured side by side
    std::mutex mutex_;                 // of all below
    std::atomic<bool> broken_ = false; // nothing can be kept any more
    std::size_t missing_ = 0, done_ = 0;
    double budget_ = 0;
    double begin_ = 0; // by steady_seconds()
    Journal journal_;
    Run before_;
    RunStreams& streams_;
    std::map<std::string, double> highest_clock_;               // by card
    std::map<std::string, std::vector<ControlPoint>> controls_; // by device
    Tally tally_;
    std::set<std::string> told_of_others_; // by card
};

/// Why a run cannot go on here, as an error.
void check_fits(const Run& run, const RunOptions& options, const Fleet& fleet) {
    const auto found = differences(run, options, fleet);
    if (!found.empty())
        throw UsageError(fmt::format(
            "{}: was run otherwise and cannot go on here: {}", options.resume.string(), fmt::join(found, "; ")));
}

/// True, and said, where the file is whole: it is left alone then.
bool nothing_missing(
    const RunOptions& options, const Run& run, const std::vector<Planned>& planned, RunStreams& streams) {
    if (!run.end.is_object() ||
        !std::all_of(planned.begin(), planned.end(), [&](const Planned& each) { return is_there(run, each.id); }))
        return false;
    streams.board.print(streams.out, in_front(options) + kNothingMissing + "\n");
    return true;
}

/// "111 series, about 24 s", and what is longer, or shorter: said before a run begins.
std::string announcement(const Fleet& fleet, const RunOptions& options, const std::vector<Planned>& planned) {
    constexpr double kLong = 600; // seconds
    const auto text_of = [&](const std::vector<Planned>& series, const RunOptions& of) {
        return fmt::format("{} series, about {}", series.size(),
            duration_text(expected_seconds(series, *find_profile(of.profile), of.seconds)));
    };
    std::string text = text_of(planned, options);
    RunOptions other = options;
    if (!options.resume.empty()) return text;
    if (options.probes == unasked_probes()) {
        other.probes.clear();
        return fmt::format("{}: {} (sonde run {}: {})", fmt::join(options.probes, ", "), text, kAllProbes,
            text_of(plan(fleet.devices(), other), other));
    }
    other.profile = all_profiles().front().name;
    if (options.profile == other.profile ||
        expected_seconds(planned, *find_profile(options.profile), options.seconds) < kLong)
        return text;
    return fmt::format("{} (--profile {}: {})", text, other.profile, text_of(plan(fleet.devices(), other), other));
}

/// Cores of a card that nobody tells, as the probe `cores` counts them through the device, and says; those of the file
/// to go on with where it has them. 0: nothing of the card was asked for, or they could not be counted.
std::uint32_t counted_cores(const Fleet& fleet, const Fleet::Entry& device, const RunOptions& options,
    const Run& before, const RunStreams& streams) {
    for (const DeviceRecord& there : before.devices)
        if (there.id == device.info.id && there.cores) return there.cores;
    if (std::ranges::none_of(fleet.devices(), [&](const Fleet::Entry& each) {
            return each.info.card == device.info.card && is_chosen(options.devices, each.info);
        }))
        return 0;
    const Planned planned{&kCoreCount, &device, {std::string(kCoreCount.name), device.info.id, "global", {}}};
    const Series series = measure_planned(planned,
        {.id = planned.id, .profile = "quick", .seed = options.seed, .dispatch_limit_ms = options.dispatch_limit_ms},
        [] {});
    std::optional<double> cores;
    std::string why = series.reason;
    for (const Finding& found : findings_of(kCoreCount, series, device.info)) cores = found.value, why = found.text;
    const std::string told =
        cores ? fmt::format("{:.0f} cores, counted", *cores) : fmt::format("cores not counted, taken for one: {}", why);
    streams.board.print(streams.errors,
        error_lines(printable(fmt::format("{} ({}): {} (no API of the card tells, nor does the table of boards)",
            device.info.name, device.info.id, told))));
    return static_cast<std::uint32_t>(cores.value_or(0));
}

int none_here(const Fleet& fleet, const RunOptions& options, RunStreams& streams) {
    std::string said;
    std::vector<std::string> here;
    const auto names_it = [](const std::string& api) {
        return [&api](const std::string& word) { return may_choose(word, api); };
    };
    for (const auto& absence : fleet.absent())
        if (std::any_of(options.devices.begin(), options.devices.end(), names_it(absence.api)))
            said += error_lines(printable(
                fmt::format("{} {}: {}", absence.api, absence.failed ? "failed" : "is absent", absence.reason)));
    for (const Fleet::Entry& device : fleet.devices()) here.push_back(device.info.id);
    streams.board.print(streams.errors,
        said + error_lines(fmt::format("sonde: none of the devices asked for is here{}{} (sonde doctor tells why)",
                   here.empty() ? "" : "; what is here: ", fmt::join(here, ", "))));
    return fleet.failed(options.devices) ? 1 : 3;
}

} // namespace

std::string summary_text(const Json& counts) {
    const auto count = [&](Status status) { return static_cast<int>(number_field(counts, to_text(status))); };
    return fmt::format("{} series ok, {} unsupported, {} unstable, {} failed", count(Status::ok),
        count(Status::unsupported), count(Status::unstable), count(Status::failed));
}

int run_command(Fleet& fleet, RunOptions options, RunStreams streams) {
    const bool goes_on = !options.resume.empty(), in_a_file = goes_on && options.resume != "-";
    Run before;
    const RunOptions named = options;
    const auto read_before = [&] { return without_cut_short(read_run(named.resume), named.seconds); };
    if (goes_on) take_asked(options, before = read_before());
    if (in_a_file) options.out = options.resume;
    if (options.out.empty()) options.out = goes_on ? "-" : default_results_name();
    const Taken taken = taken_of(options.devices, fleet.infos());
    if (!goes_on) options.devices = taken.words; // of a header: none: all
    if (options.dispatch_limit_ms <= 0) options.dispatch_limit_ms = kDispatchLimit;
    check_dispatch_limit(options.dispatch_limit_ms, watchdog_milliseconds());
    if (options.seed == 0)
        options.seed = static_cast<std::uint32_t>(std::chrono::system_clock::now().time_since_epoch().count());
    fleet.know_cores(
        [&](const Fleet::Entry& device) { return counted_cores(fleet, device, options, before, streams); });
    std::vector<Planned> planned = plan(fleet.devices(), options);
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
    streams.board.print(
        streams.errors, missing_text(fleet, options) + unused_peak_text(fleet.devices(), planned, options));
    Journal journal = in_a_file ? Journal::reopened(options.resume) : Journal(options.out);
    if (in_a_file) {
        journal.cut();
        before = read_before(); // which nobody else writes to any more
    }
    std::vector<Planned> left = planned;
    std::erase_if(left, [&](const Planned& each) { return is_there(before, each.id); });
    streams.board.print(streams.errors, error_lines(announcement(fleet, options, left)) +
                                            (goes_on ? "" : lines_of(left_out_text(taken))) +
                                            lines_of(limits_text(fleet.host())));
    Runner running(fleet, options, planned, std::move(journal), std::move(before), streams);
    running.begin();
    return running.carry_out();
}

} // namespace sonde
