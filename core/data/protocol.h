// What a run asks of a worker, and what a worker answers.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/data/series.h"
#include "core/device/device.h"

namespace sonde {

/// What is asked of a worker.
struct Request {
    SeriesId id;
    std::string profile = "standard";
    double seconds = 0;      // 0: the profile's
    std::uint32_t seed = 1;
    double most_seconds = 0; // that the series may take with all that it needs, but for its first point; 0: no limit
    double end_seconds = 0;  // of the run, by steady_seconds(): nothing is begun on the device from then on; 0: no end
    double dispatch_limit_ms = 50; // a display's watchdog must never see a longer one
    std::uint64_t cache_bytes = 0; // the largest cache that any API reports of the card; 0: none does
    double card_idle_seconds = 1e9; // since the last series on the card, through whichever API
    static constexpr auto fields = std::tuple_cat(
        std::tuple{KindField{"request", "series"}}, SeriesId::fields_of(&Request::id),
        std::tuple{Field{"profile", &Request::profile, "how thorough"}, Field{"seconds", &Request::seconds, "0: the profile's"}, Field{"seed", &Request::seed, "of chains and data"},
                   Field{"most_seconds", &Request::most_seconds, "of the series; 0: no limit", "", Presence::lenient},
                   Field{"end_seconds", &Request::end_seconds, "of the run; 0: no end", "", Presence::lenient},
                   Field{"dispatch_limit_ms", &Request::dispatch_limit_ms, "no dispatch lasts longer"},
                   Field{"cache_bytes", &Request::cache_bytes, "the card's largest", "", Presence::lenient},
                   Field{"card_idle_seconds", &Request::card_idle_seconds, "since the last series on the card", "", Presence::lenient}});
};

/// How a series ended.
struct Outcome {
    Status status = Status::ok;
    std::string reason;
    Evidence evidence{};
    static constexpr auto fields = std::tuple{KindField{"event", "done"}, Field{"status", &Outcome::status, "as in a series"},
                                              Field{"reason", &Outcome::reason, "as in a series"}, Field{"evidence", &Outcome::evidence, "of the worker's part"}};
};

/// Whether a device has a path or an operation.
struct Support {
    std::string name{};
    bool supported = false;
    std::string reason{}; // empty where it has
    static constexpr auto fields = std::tuple{Field{"name", &Support::name, "of the path or operation"}, Field{"supported", &Support::supported, "kernels can be built and run with it"},
                                              Field{"reason", &Support::reason, "why not"}};
};

/// What a worker says of one device.
struct DeviceEvent {
    DeviceInfo info{};
    std::vector<Support> paths{}, operations{};
    static constexpr auto fields = std::tuple{KindField{"event", "device"}, Field{"info", &DeviceEvent::info, "as in results"}, Field{"paths", &DeviceEvent::paths, "all that the worker knows"},
                                              Field{"operations", &DeviceEvent::operations, "all that the worker knows"}};
};

} // namespace sonde
