// The worker's side of the pipe.
#include "core/run/worker.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "core/base/limits.h"
#include "core/base/process.h"
#include "core/base/system.h"
#include "core/device/kernel_source.h"
#include "core/device/matrix_form.h"
#include "core/device/memory_limit.h"
#include "core/measure/bench.h"
#include "core/measure/control_measurement.h"
#include "core/measure/kernel_evidence.h"
#include "core/measure/telemetry_sampler.h"
#include "core/probes/probes.h"
#include "core/run/host_limits.h"

namespace sonde {

namespace {
/// The pipe, moved off descriptor 1: drivers print.
class Pipe final : public Reporter {
public:
    void send(const Json& event) { send_line(out_, event); }
    /// Ends the process once nobody listens, also while a driver hangs.
    void watch() const { out_.end_with_reader(); }
    void step(const std::string& what) override { send(StepEvent{what}); }
    void samples(double x, const std::vector<Sample>& samples) override { send(SamplesEvent{x, samples}); }

private:
    File out_ = File::standard_output_alone();
};

/// What `why_not` says of each of `all`.
template <class Thing, class WhyNot>
std::vector<Support> support_of(std::span<const Thing> all, const WhyNot& why_not) {
    std::vector<Support> rows;
    rows.reserve(all.size());
    for (const Thing& each : all) {
        const std::optional<std::string> reason = why_not(each);
        rows.push_back({std::string(each.name), !reason, reason.value_or("")});
    }
    return rows;
}

DeviceEvent event_of(const Device& device) {
    const auto lacking = [&](const Operation& operation) { return why_lacking(device, operation); };
    std::vector<Support> operations = support_of(all_operations(), lacking);
    for (Support& form : support_of(all_matrix_forms(), lacking)) operations.push_back(std::move(form));
    DeviceInfo info = device.info();
    if (info.cpu)
        for (const ProcessorCache& cache : processor_caches()) info.cache_levels.push_back(cache.bytes);
    keep_to_limits(info, process_limits());
    for (const std::uint64_t bytes : info.cache_levels) info.cache_bytes = std::max(info.cache_bytes, bytes);
    if (info.software)
        info.facts.push_back({"driver's threads", "each on a processor of its own", "sched_setaffinity"});
    return {std::move(info), support_of(all_paths(), [&](const Path& path) { return device.why_not(path); }),
        std::move(operations)};
}
} // namespace

void send_line(File& out, const Json& object) {
    try {
        out.write(json_text(object) + "\n");
    } catch (const Error&) {
        std::_Exit(1);
    }
}

namespace {
HelloEvent hello() { return {host_fields(host_system(), process_limits())}; }

/// How `body` ends, also where it throws.
template <class Body> Outcome outcome_of(Body body) {
    try {
        return body();
    } catch (const Unsupported& why) {
        return {Status::unsupported, why.what()};
    } catch (const std::exception& error) {
        return {Status::failed, error.what()};
    }
}

/// What a request names, and the device has; else throws.
struct Wanted {
    const Path& path;
    const Probe& probe;
    const Profile& profile;

    Wanted(const Device& device, const Request& request)
        : path(known(find_path(request.id.path))),
          probe(known(find_probe(request.id.probe))),
          profile(known(find_profile(request.profile))) {
        if (const auto why_not = device.why_not(path)) throw Unsupported(*why_not);
    }
    template <class Thing> static const Thing& known(const Thing* thing) {
        return thing ? *thing : throw Error("a request for a path, probe or profile that this program does not know");
    }
};
} // namespace

Outcome measure_series(Device& device, DeviceHistory& history, const Request& request, Reporter& reporter) {
    const double begin = device.now();
    std::optional<Bench> made;
    Outcome outcome = outcome_of([&]() -> Outcome {
        const Wanted wanted(device, request);
        Bench& bench = made.emplace(device, history, wanted.path, request, wanted.profile, reporter);
        bench.x_name = wanted.probe.x.name;
        bench.x_unit = wanted.probe.x.unit;
        bench.times_host = wanted.probe.times_host;
        try {
            wanted.probe.run(bench);
        } catch (const TimeOver&) { // between two sweeps
            bench.ending = Ending{.by = EndedBy::time};
        } catch (const NoneSeen& what) { // a measured negative
            bench.evidence.none_seen = what.what();
            bench.ending.reset();
        }
        bench.note_end();
        return {.status = Status::ok, .ending = bench.ending};
    });
    if (!made) return outcome;
    Bench& bench = *made;
    const Outcome shown = outcome_of([&]() -> Outcome {
        bench.show_kernels();
        return {};
    });
    if (outcome.status == Status::ok && shown.status != Status::ok) outcome = shown;
    bench.evidence.seconds = std::round((device.now() - begin) * 1e3) / 1e3;
    outcome.evidence = std::move(bench.evidence);
    return outcome;
}

namespace {
/// The kernel that the series would be measured with, compiled and shown.
Outcome send_listing(
    Device& device, DeviceHistory&, const Request& request, Pipe& pipe, std::span<const OpenTelemetry>) {
    return outcome_of([&]() -> Outcome {
        const Wanted wanted(device, request);
        BoundedDevice asked(device, request);
        const KernelChoice choice = wanted.probe.kernel(asked.info(), wanted.path, request.id.options);
        if (choice.asks_for_core && device.info().core_name.empty())
            throw Unsupported("nothing tells a kernel the core that it runs on");
        const Source source = kernel_source(choice.name);
        const Build build = choice.build(wanted.path);
        pipe.step(fmt::format("compile {}", variant_name(source, build)));
        ListingEvent shown{.kernel = choice.name,
            .group_size = choice.group_size,
            .chases = choice.chases,
            .atomic = choice.atomic,
            .listing = asked.compile(source, build)->listing()};
        if (choice.operation) shown.step_instructions = step_instructions(shown.listing, choice);
        pipe.send(shown);
        return {};
    });
}

/// Tells the sampler, too, when a point was measured.
class MarkingReporter final : public Reporter {
public:
    MarkingReporter(Reporter& reporter, TelemetrySampler& sampler) : reporter_(reporter), sampler_(sampler) {}
    void step(const std::string& what) override { reporter_.step(what); }
    void samples(double x, const std::vector<Sample>& samples) override {
        sampler_.point_measured(x);
        reporter_.samples(x, samples);
    }

private:
    Reporter& reporter_;
    TelemetrySampler& sampler_;
};

Outcome send_series(Device& device, DeviceHistory& history, const Request& request, Pipe& pipe,
    std::span<const OpenTelemetry> telemetry) {
    pipe.step("open the card's telemetry");
    TelemetrySampler sampler(telemetry, device.info());
    MarkingReporter marking(pipe, sampler);
    std::optional<Outcome> measured;
    ControlEvidence control;
    const Outcome around = outcome_of([&]() -> Outcome {
        control = controlled(
            device, history, request, pipe, [&] { measured = measure_series(device, history, request, marking); });
        return {};
    });
    Outcome outcome = measured.value_or(around); // what went wrong after the series, the next one tells
    if (outcome.status == Status::unsupported) return outcome;
    outcome.evidence.telemetry = sampler.finish();
    if (control.before) outcome.evidence.control = control;
    return outcome;
}

/// Compiles the kernels of a series that comes soon, while another API measures. What goes wrong shows in the series.
Outcome prepare(
    Device& device, DeviceHistory& history, const Request& request, Pipe& pipe, std::span<const OpenTelemetry>) {
    outcome_of([&]() -> Outcome {
        const Wanted wanted(device, request);
        Bench bench(device, history, wanted.path, request, wanted.profile, pipe);
        const Probe& probe = wanted.probe;
        bench.kernel(probe.kernel(bench.info, wanted.path, request.id.options));
        bench.begin_listing();
        if (probe.further_kernels)
            for (const KernelChoice& further :
                probe.further_kernels(bench.info, wanted.path, request.id.options, wanted.profile))
                bench.compile(further);
        return {};
    });
    return {};
}

/// Waits for listings that are being read.
Outcome settle(Device&, DeviceHistory& history, const Request&, Pipe&, std::span<const OpenTelemetry>) {
    for (const auto& [variant, compiled] : history.kernels)
        if (compiled.evidence.valid()) compiled.evidence.wait();
    return {};
}

/// By RequestKind. Each answer begins with a BeginEvent and ends with an Outcome; that to `prepare` is a PreparedEvent.
constexpr decltype(&send_series) kServe[] = {send_series, prepare, settle, send_listing};

/// Requests as they come, on standard input. What is to be prepared waits until nothing else is asked for.
class Inbox {
public:
    /// Its thread may outlast it, for standard input cannot be interrupted.
    Inbox() {
        std::thread([shared = shared_] {
            for (std::string line; std::getline(std::cin, line);) {
                Json request = read_json(line);
                const std::scoped_lock guard(shared->mutex);
                const std::string kind = text_field(request, "request");
                if (kind == to_text(RequestKind::settle)) shared->later.clear();
                (kind == to_text(RequestKind::prepare) ? shared->later : shared->asked).push_back(std::move(request));
                shared->changed.notify_one();
            }
            const std::scoped_lock guard(shared->mutex);
            shared->ended = true;
            shared->changed.notify_one();
        }).detach();
    }
    /// Nullopt: nothing is asked for any more.
    std::optional<Json> next() {
        std::unique_lock lock(shared_->mutex);
        shared_->changed.wait(
            lock, [&] { return !shared_->asked.empty() || !shared_->later.empty() || shared_->ended; });
        if (shared_->asked.empty() && shared_->ended) return std::nullopt;
        std::deque<Json>& from = shared_->asked.empty() ? shared_->later : shared_->asked;
        std::optional<Json> request(std::in_place, std::move(from.front()));
        from.pop_front();
        return request;
    }

private:
    struct Shared {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<Json> asked, later;
        bool ended = false;
    };
    std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

Outcome serve(const Opened& opened, std::map<std::string, DeviceHistory>& histories, const Request& request, Pipe& pipe,
    std::span<const OpenTelemetry> telemetry) {
    const auto device = std::find_if(opened.devices.begin(), opened.devices.end(),
        [&](const auto& each) { return each->info().id == request.id.device; });
    if (device == opened.devices.end()) return {Status::failed, "this worker no longer sees that device"};
    return kServe[static_cast<std::size_t>(request.kind)](
        **device, histories[request.id.device], request, pipe, telemetry);
}
} // namespace

int serve_worker(const Backend& backend, const std::string& target, std::span<const OpenTelemetry> telemetry) {
    const char* wanted = std::getenv("SONDE_TELEMETRY");
    if (wanted && std::string_view(wanted) == "off") telemetry = {};
    end_with_parent();
    end_without_memory(false); // what does not fit costs a series
    leave_interrupts_to_parent();
    Pipe pipe;
    pipe.watch();
    pipe.send(hello());
    pipe.step(target.empty() ? fmt::format("open {}", backend.api)
                             : fmt::format("open {}'s compiler for {}", backend.api, target));
    const Opened opened = target.empty() ? backend.open() : backend.open_target(target);
    for (const auto& device : opened.devices) pipe.send(event_of(*device));
    if (opened.devices.empty()) pipe.send(AbsentEvent{opened.absent});
    pipe.send(ReadyEvent{});
    std::map<std::string, DeviceHistory> histories;
    for (Inbox inbox; const auto line = inbox.next();) {
        const auto request = line->get<Request>();
        const bool prepares = request.kind == RequestKind::prepare;
        if (!prepares) pipe.send(BeginEvent{});
        const Outcome outcome = serve(opened, histories, request, pipe, telemetry);
        pipe.send(prepares ? Json(PreparedEvent{}) : Json(outcome));
    }
    return 0;
}

} // namespace sonde
