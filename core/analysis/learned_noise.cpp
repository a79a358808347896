#include "core/analysis/learned_noise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "core/base/json.h"
#include "core/device/kernel_source.h"

namespace sonde {

namespace {
constexpr double kResolved = 3e-4; // of ln: what clocks and timers resolve

/// By probe, kind and item; item "": of all items of the kind.
using NoiseByItem = std::map<std::tuple<std::string, std::string, std::string>, LearnedNoise>;

NoiseByItem read_noise() {
    NoiseByItem all;
    const Json file = read_json(embedded_text("results/noise.json"));
    for (const Json& row : file.at("noise"))
        all[{row.at("probe"), row.at("kind"), row.at("item")}] =
            noise_of({row.at("pairs"), row.at("nine_tenths"), row.at("most")});
    return all;
}
} // namespace

LearnedNoise noise_of(const RunsApart& apart) {
    constexpr double kNineTenths = 1.645, kRoom = 6; // of a normal distribution; over the root of the pairs
    const double pairs = std::max(1.0, static_cast<double>(apart.pairs));
    return {std::max(apart.nine_tenths, kResolved) / kNineTenths / std::sqrt(2),
        apart.most * (1 + kRoom / std::sqrt(pairs))};
}

std::optional<LearnedNoise> learned_noise(std::string_view probe, std::string_view kind, std::string_view item) {
    static const NoiseByItem kNoise = read_noise();
    for (const std::string_view of : {item, std::string_view()})
        if (const auto found = kNoise.find({std::string(probe), std::string(kind), std::string(of)});
            found != kNoise.end())
            return found->second;
    return std::nullopt;
}

} // namespace sonde
