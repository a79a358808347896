// What a run asks of a worker, and what a worker answers.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/data/series.h"
#include "core/device/device.h"

namespace sonde {

/// What is asked for: to measure a series; to compile the kernels of one that comes soon; to wait until nothing is
/// compiled; the kernel of a series, shown.
enum class RequestKind { series, prepare, settle, listing };
std::span<const char* const> enum_names(RequestKind);
inline std::string_view to_text(RequestKind kind) { return enum_names(kind)[static_cast<std::size_t>(kind)]; }

/// What is asked of a worker.
struct Request {
    RequestKind kind = RequestKind::series;
    SeriesId id;
    std::string profile = "standard";
    double seconds = 0; // 0: the profile's
    std::uint32_t seed = 1;
    double most_seconds = 0; // that the series may take with all that it needs, but for its first point; 0: no limit
    double end_seconds = 0;  // of the run, by steady_seconds(): nothing is begun on the device from then on; 0: no end
    double dispatch_limit_ms = 50;  // a display's watchdog must never see a longer one
    std::uint32_t cores = 0;        // of the card, where the device's API does not tell; 0: nobody tells
    std::uint64_t cache_bytes = 0;  // the largest cache that any API reports of the card; 0: none does
    double card_idle_seconds = 1e9; // since the last series on the card, through whichever API
};
void to_json(Json&, const Request&);
void from_json(const Json&, Request&);

/// How a series ended.
struct Outcome {
    Status status = Status::ok;
    std::string reason{}; // why it is unsupported or failed
    Evidence evidence{};
    std::optional<Ending> ending{};
};

/// The machine that the worker runs on.
struct HelloEvent {
    Json host{};
};

/// Why an API has no devices.
struct AbsentEvent {
    std::string reason{};
};

/// All devices were told.
struct ReadyEvent {};
/// What goes wrong from here on is this request's.
struct BeginEvent {};
/// The answer to RequestKind::prepare.
struct PreparedEvent {};

/// What comes next, said before it is done.
struct StepEvent {
    std::string text{};
};

/// A point's samples, as they come.
struct SamplesEvent {
    double x = 0;
    std::vector<Sample> samples{};
};

/// A kernel as a worker compiled it.
struct ListingEvent {
    std::string kernel{};
    std::uint32_t group_size = 0;
    bool chases = false, atomic = false; // KernelChoice's
    Listing listing{};
    std::map<std::string, double> step_instructions{}; // of arithmetic (core/measure/kernel_evidence.h)
};

/// Whether a device has a path or an operation.
struct Support {
    std::string name{};
    bool supported = false;
    std::string reason{}; // empty where it has
};

/// What a worker says of one device.
struct DeviceEvent {
    DeviceInfo info{};
    std::vector<Support> paths{}, operations{};
};

/// The event, where a line is one of this kind: each of those above.
template <class Event> std::optional<Event> event_in(const Json& line);
void to_json(Json&, const Outcome&);
void to_json(Json&, const HelloEvent&);
void to_json(Json&, const AbsentEvent&);
void to_json(Json&, const ReadyEvent&);
void to_json(Json&, const BeginEvent&);
void to_json(Json&, const PreparedEvent&);
void to_json(Json&, const StepEvent&);
void to_json(Json&, const SamplesEvent&);
void to_json(Json&, const ListingEvent&);
void to_json(Json&, const DeviceEvent&);

} // namespace sonde
