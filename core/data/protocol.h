// What a run asks of a worker, and what a worker answers.
#pragma once
#include <cstdint>
#include <string>

#include "core/base/json.h"
#include "core/data/series.h"

namespace sonde {

/// What is asked of a worker.
struct Request {
    SeriesId id;
    std::string profile = "standard";
    double seconds = 0;      // 0: the profile's
    std::uint32_t seed = 1;
    double dispatch_limit_ms = 50; // a display's watchdog must never see a longer one
    std::uint64_t cache_bytes = 0; // the largest cache that any API reports of the card; 0: none does

    /// Hands each field to `take`, with its name on the pipe.
    template <class Self, class Take> static void each_field(Self& self, Take take) {
        take("probe", self.id.probe), take("device", self.id.device), take("path", self.id.path), take("options", self.id.options);
        take("profile", self.profile), take("seconds", self.seconds), take("seed", self.seed), take("dispatch_limit_ms", self.dispatch_limit_ms), take("cache_bytes", self.cache_bytes);
    }
};

/// How a series ended.
struct Outcome {
    Status status = Status::ok;
    std::string reason;
    Json evidence = Json::object();
};

/// What a worker said of one device.
struct DeviceRecord {
    Json info;                 // as in results, without "type" and "card"
    Json paths;                // [{"path","supported","reason"}]
    std::string id() const { return info.at("id"); }
    std::string api() const { return info.at("api"); }
};

} // namespace sonde
