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
    std::uint64_t cache_bytes = 0;  // the largest cache that any API reports of the card; 0: none does
    double card_idle_seconds = 1e9; // since the last series on the card, through whichever API
    static constexpr auto fields = std::tuple_cat(std::tuple{Field{"request", &Request::kind, "what is asked for"}},
        SeriesId::fields_of(&Request::id),
        std::tuple{Field{"profile", &Request::profile, "how thorough"},
            Field{"seconds", &Request::seconds, "0: the profile's"},
            Field{"seed", &Request::seed, "of chains and data"},
            Field{"most_seconds", &Request::most_seconds, "of the series; 0: no limit", "", Presence::lenient},
            Field{"end_seconds", &Request::end_seconds, "of the run; 0: no end", "", Presence::lenient},
            Field{"dispatch_limit_ms", &Request::dispatch_limit_ms, "no dispatch lasts longer"},
            Field{"cache_bytes", &Request::cache_bytes, "the card's largest", "", Presence::lenient},
            Field{"card_idle_seconds", &Request::card_idle_seconds, "since the last series on the card", "",
                Presence::lenient}});
};

/// How a series ended.
struct Outcome {
    Status status = Status::ok;
    std::string reason;
    Evidence evidence{};
    static constexpr auto fields = std::tuple{KindField{"event", "done"},
        Field{"status", &Outcome::status, "as in a series"}, Field{"reason", &Outcome::reason, "as in a series"},
        Field{"evidence", &Outcome::evidence, "of the worker's part"}};
};

/// The event, where a line is one of this kind.
template <class Event> std::optional<Event> event_in(const Json& line) {
    return text_field(line, "event") == std::get<KindField>(Event::fields).word ? std::optional(line.get<Event>())
                                                                                : std::nullopt;
}

/// The machine that the worker runs on.
struct HelloEvent {
    Json host{};
    static constexpr auto fields = std::tuple{
        KindField{"event", "hello"}, Field{"host", &HelloEvent::host, "as in results", "", Presence::lenient}};
};

/// Why an API has no devices.
struct AbsentEvent {
    std::string reason{};
    static constexpr auto fields =
        std::tuple{KindField{"event", "absent"}, Field{"reason", &AbsentEvent::reason, "why there are no devices"}};
};

/// All devices were told.
struct ReadyEvent {
    static constexpr auto fields = std::tuple{KindField{"event", "ready"}};
};
/// What goes wrong from here on is this request's.
struct BeginEvent {
    static constexpr auto fields = std::tuple{KindField{"event", "begin"}};
};
/// The answer to RequestKind::prepare.
struct PreparedEvent {
    static constexpr auto fields = std::tuple{KindField{"event", "prepared"}};
};

/// What comes next, said before it is done.
struct StepEvent {
    std::string text{};
    static constexpr auto fields =
        std::tuple{KindField{"event", "step"}, Field{"text", &StepEvent::text, "for a person"}};
};

/// A point's samples, as they come.
struct SamplesEvent {
    double x = 0;
    std::vector<Sample> samples{};
    static constexpr auto fields = std::tuple{KindField{"event", "samples"}, Field{"x", &SamplesEvent::x, "the point"},
        Field{"samples", &SamplesEvent::samples, "as in a series"}};
};

/// A kernel as a worker compiled it.
struct ListingEvent {
    std::string kernel{};
    std::uint32_t group_size = 0;
    bool chases = false, atomic = false; // KernelChoice's
    Listing listing{};
    std::map<std::string, double> step_instructions{}; // of arithmetic (core/measure/kernel_evidence.h)
    static constexpr auto fields = std::tuple{KindField{"event", "listing"},
        Field{"kernel", &ListingEvent::kernel, "its name"},
        Field{"group_size", &ListingEvent::group_size, "work-items of a workgroup"},
        Field{"chases", &ListingEvent::chases, "its loads follow a chain"},
        Field{"atomic", &ListingEvent::atomic, "it measures an atomic instruction"},
        Field{"kind", [](auto& of) -> decltype(auto) { return (of.listing.kind); }, "of listing"},
        Field{"text", [](auto& of) -> decltype(auto) { return (of.listing.text); }, "the listing"},
        Field{"note", [](auto& of) -> decltype(auto) { return (of.listing.note); }, "what a reader of it has to know"},
        Field{"step_instructions", &ListingEvent::step_instructions, "in one step of a chain, by mnemonic"}};
};

/// Whether a device has a path or an operation.
struct Support {
    std::string name{};
    bool supported = false;
    std::string reason{}; // empty where it has
    static constexpr auto fields = std::tuple{Field{"name", &Support::name, "of the path or operation"},
        Field{"supported", &Support::supported, "kernels can be built and run with it"},
        Field{"reason", &Support::reason, "why not"}};
};

/// What a worker says of one device.
struct DeviceEvent {
    DeviceInfo info{};
    std::vector<Support> paths{}, operations{};
    static constexpr auto fields =
        std::tuple{KindField{"event", "device"}, Field{"info", &DeviceEvent::info, "as in results"},
            Field{"paths", &DeviceEvent::paths, "all that the worker knows"},
            Field{"operations", &DeviceEvent::operations, "all that the worker knows"}};
};

} // namespace sonde
