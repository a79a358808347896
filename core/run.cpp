// Plans and carries out a run.
#include "core/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <ostream>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/cards.h"
#include "core/estimate.h"
#include "core/probes/probes.h"
#include "core/results.h"

namespace sonde {

namespace {
constexpr double kSecondsBesideMeasuring = 0.5; // waking clocks, compiling, filling: for the forecast only

std::string own_program() {
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    if (n > 0) return {path, static_cast<std::size_t>(n)};
    return reinterpret_cast<const char*>(getauxval(AT_EXECFN)); // in a root without /proc: as the kernel was told
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t best = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row.back();
}

bool wanted(const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

Json header(const RunOptions& options, const Fleet& fleet) {
    Json absent = Json::array();
    for (const auto& absence : fleet.absent()) absent.push_back({{"api", absence.api}, {"reason", absence.reason}});
    utsname system{};
    uname(&system);
    return {{"type", "run"},
            {"format", kResultsFormat},
            {"sonde", SONDE_VERSION},
            {"started", utc_now()},
            {"host", {{"system", system.sysname}, {"release", system.release}, {"machine", system.machine}, {"cores", sysconf(_SC_NPROCESSORS_ONLN)},
                      {"memory_bytes", static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))}}},
            {"command", options.command},
            {"profile", options.profile},
            {"absent", std::move(absent)}};
}

struct Planned {
    const Probe* probe;
    const Fleet::Entry* device;
    SeriesId id;
};

/// Probe by probe, path by path, option by option; the devices take turns innermost, so that drift hits all alike.
std::vector<Planned> plan(const Fleet& fleet, const RunOptions& options) {
    std::vector<Planned> planned;
    for (const Probe& probe : all_probes()) {
        if (!wanted(options.probes, probe.name)) continue;
        for (const std::string_view path : probe.paths) {
            if (!wanted(options.paths, path)) continue;
            for (const auto& variant : option_sets(probe, options.options))
                for (const Fleet::Entry& device : fleet.devices())
                    if (wanted(options.devices, device.record.id()) || wanted(options.devices, device.record.api()))
                        planned.push_back({&probe, &device, {std::string(probe.name), device.record.id(), std::string(path), variant}});
        }
    }
    return planned;
}

/// One line on a terminal, rewritten in place: what is measured, how far, how long still.
class Progress {
public:
    Progress(std::ostream& out, bool on, std::size_t all, double seconds_each) : out_(out), on_(on), all_(all), seconds_each_(seconds_each) {}
    void begin(const SeriesId& id) {
        if (!on_) return;
        const double used = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
        const double each = done_ > 3 ? used / static_cast<double>(done_) : seconds_each_;
        out_ << fmt::format("\r\033[K[{}/{}] {}, about {} left", done_ + 1, all_, id.text(), left_text(each * static_cast<double>(all_ - done_))) << std::flush;
    }
    void end() { ++done_; }
    void clear() {
        if (on_) out_ << "\r\033[K" << std::flush;
    }

private:
    static std::string left_text(double seconds) {
        return seconds < 90 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
    }
    std::ostream& out_;
    bool on_;
    std::size_t all_, done_ = 0;
    double seconds_each_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Which clock the values come from, and how far the host's is from the device's (their slopes' ratio over the series).
Json timers(const Series& series, Timer timer) {
    std::vector<double> ratios;
    for (const Point& point : series.points) {
        const auto host = slopes_ns(point.samples, Timer::host), device = slopes_ns(point.samples, Timer::device);
        if (!host.empty() && !device.empty()) ratios.push_back(median(host) / median(device));
    }
    const double error = ratios.size() < 2 ? 0 : relative_error_of_median(ratios);
    return {{"value_from", timer == Timer::device ? "device" : "host"}, {"host_over_device", ratios.empty() ? Json(nullptr) : Json(median(ratios))}, {"error", error}};
}

Series measure_planned(const Planned& planned, const RunOptions& options, double seconds, std::uint32_t seed) {
    Series series{.id = planned.id, .api = planned.device->record.api(), .card = planned.device->card};
    series.x_name = planned.probe->x_name;
    series.x_unit = planned.probe->x_unit;
    series.unit = planned.probe->unit;
    const Request request{.id = planned.id, .profile = options.profile, .seconds = seconds, .seed = seed, .dispatch_limit_ms = options.dispatch_limit_ms};
    Outcome outcome = planned.device->worker->measure(request, [&](double x, std::vector<Sample> samples) { take_samples(series, x, std::move(samples)); });
    series.status = outcome.status;
    series.reason = std::move(outcome.reason);
    series.evidence = std::move(outcome.evidence);

    const bool has_device_time = std::all_of(series.points.begin(), series.points.end(), [](const Point& point) {
        return std::all_of(point.samples.begin(), point.samples.end(), [](const Sample& sample) { return sample.device_ns.has_value(); });
    });
    const Timer timer = has_device_time && !series.points.empty() ? Timer::device : Timer::host;
    for (Point& point : series.points) summarize(point, planned.probe->measure, timer, planned.device->record.info.at("core_cycles"));
    series.evidence["timers"] = timers(series, timer);
    return series;
}

/// The core's clock during a series: by the points themselves where a kernel's counter told, else before and after; 0: not known.
double typical_clock(const Series& series) {
    std::vector<double> clocks;
    for (const Point& point : series.points)
        if (point.clock_mhz) clocks.push_back(*point.clock_mhz);
    if (clocks.empty() && series.evidence.contains("clock"))
        for (const char* when : {"before_mhz", "after_mhz"})
            if (const Json mhz = series.evidence["clock"].value(when, Json()); mhz.is_number()) clocks.push_back(mhz);
    return clocks.empty() ? 0 : median(clocks);
}
} // namespace

void check_names(const std::string& what, const std::vector<std::string>& names, const std::vector<std::string>& valid) {
    for (const std::string& name : names) {
        if (std::find(valid.begin(), valid.end(), name) != valid.end()) continue;
        std::vector<std::string> nearest = valid;
        std::stable_sort(nearest.begin(), nearest.end(), [&](const auto& a, const auto& b) { return edit_distance(a, name) < edit_distance(b, name); });
        nearest.resize(std::min<std::size_t>(nearest.size(), 3));
        throw UsageError(fmt::format("unknown {} '{}'; nearest: {}", what, name, fmt::join(nearest, ", ")));
    }
}

namespace {
constexpr double kTimersApart = 0.1; // beyond what few short walks leave in doubt
} // namespace

void judge(Series& series, double highest_clock_mhz) {
    if (series.status != Status::ok) return;
    std::vector<std::string> doubts;
    const auto at = [&](const char* pointer) {
        const Json::json_pointer place(pointer);
        return series.evidence.contains(place) ? series.evidence.at(place) : Json(nullptr);
    };
    if (const double clock = typical_clock(series); clock > 0 && clock < 0.9 * highest_clock_mhz)
        doubts.push_back(fmt::format("the core ran at {:.0f} MHz, below 90 % of the {:.0f} MHz seen on this card", clock, highest_clock_mhz));
    if (at("/placement/device_local") == false && series.id.path.starts_with("global"))
        doubts.push_back(fmt::format("the buffer landed in {}", at("/placement/text").is_string() ? at("/placement/text").get<std::string>() : "memory that is not the device's"));
    if (const Json ratio = at("/timers/host_over_device"); ratio.is_number() && std::abs(ratio.get<double>() - 1) > kTimersApart + 3 * (at("/timers/error").is_number() ? at("/timers/error").get<double>() : 0))
        doubts.push_back(fmt::format("timers disagree: by the host's clock a step takes {:.2f} times what it takes by the device's", ratio.get<double>()));
    if (doubts.empty()) return;
    series.status = Status::unstable;
    series.reason = fmt::format("{}{}{}", fmt::join(doubts, "; "), series.reason.empty() ? "" : "; ", series.reason);
}

Fleet::Fleet(std::span<const Backend> backends, const std::vector<std::string>& launcher, double silence_seconds, const std::string& target) {
    for (const Backend& backend : backends) {
        std::vector<std::string> command = launcher;
        for (const std::string& word : {own_program(), std::string("worker"), std::string(backend.api)}) command.push_back(word);
        if (!target.empty()) command.insert(command.end(), {"--target", target});
        workers_.push_back(std::make_unique<Supervised>(std::string(backend.api), command, silence_seconds));
    }
    for (auto& worker : workers_) worker->start();
    std::vector<DeviceRecord> records;
    for (auto& worker : workers_) {
        worker->hear();
        for (const DeviceRecord& record : worker->devices()) {
            records.push_back(record);
            devices_.push_back({record, "", worker.get()});
        }
        if (worker->devices().empty()) absent_.push_back({worker->api(), worker->absent(), worker->failed()});
    }
    const auto cards = card_names(records);
    for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i].card = cards[i];
}

int run_command(Fleet& fleet, const RunOptions& options, std::ostream& out, std::ostream& progress_out, bool progress_on_terminal) {
    const Profile& profile = *find_profile(options.profile);
    const std::vector<Planned> planned = plan(fleet, options);
    if (planned.empty()) {
        for (const auto& absence : fleet.absent()) progress_out << fmt::format("{} is absent: {}\n", absence.api, absence.reason);
        progress_out << "sonde: none of the devices asked for is here\n";
        return 3;
    }
    Journal journal(options.out.empty() ? std::filesystem::path(fmt::format("sonde-{:%Y%m%d-%H%M%S}.jsonl", fmt::gmtime(std::time(nullptr)))) : options.out);
    journal.append(header(options, fleet));
    for (const Fleet::Entry& device : fleet.devices()) {
        Json line = {{"type", "device"}, {"id", device.record.id()}, {"api", device.record.api()}, {"card", device.card}};
        line.update(device.record.info);
        journal.append(line);
    }
    const double seconds = options.seconds > 0 ? std::max(0.05, options.seconds / static_cast<double>(planned.size()) - kSecondsBesideMeasuring) : profile.seconds;
    std::uint32_t seed = options.seed ? options.seed : static_cast<std::uint32_t>(std::chrono::system_clock::now().time_since_epoch().count());
    std::map<std::string, double> highest_clock; // by card
    std::map<Status, int> counts;
    std::vector<std::string> failures;
    Progress progress(progress_out, progress_on_terminal, planned.size(), seconds + kSecondsBesideMeasuring);
    for (const Planned& next : planned) {
        if (Supervised::interrupted) break;
        progress.begin(next.id);
        Series series = measure_planned(next, options, seconds, seed++);
        double& highest = highest_clock[series.card];
        highest = std::max(highest, typical_clock(series));
        judge(series, highest);
        ++counts[series.status];
        if (series.status == Status::failed) failures.push_back(fmt::format("{}: failed: {}", series.id.text(), series.reason));
        journal.append(to_json(series));
        const bool told = series.status == Status::ok || series.status == Status::unstable;
        if (told && next.probe->findings)
            for (const Finding& finding : next.probe->findings(series, next.device->record.info)) journal.append(to_json(finding));
        progress.end();
    }
    progress.clear();
    Json summary = Json::object();
    for (const Status status : {Status::ok, Status::unsupported, Status::failed, Status::unstable}) summary[to_text(status)] = counts[status];
    for (const auto& failure : failures) progress_out << failure << "\n";
    for (const auto& absence : fleet.absent())
        if (absence.failed) progress_out << fmt::format("{}: {}\n", absence.api, absence.reason);
    if (Supervised::interrupted) {
        progress_out << fmt::format("sonde: interrupted; {} keeps what was measured\n", journal.path().string());
        return 1;
    }
    journal.append({{"type", "end"}, {"finished", utc_now()}, {"series", summary}});
    out << fmt::format("{}: {} series ok, {} unsupported, {} unstable, {} failed\n", journal.path().string(), counts[Status::ok], counts[Status::unsupported],
                       counts[Status::unstable], counts[Status::failed]);
    return counts[Status::failed] > 0 ? 1 : 0;
}

} // namespace sonde
