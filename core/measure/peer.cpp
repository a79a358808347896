#include "core/measure/peer.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace sonde {

std::optional<std::string> option::parse_device_number(const std::string& value) {
    bool digit_before = false;
    int points = 0;
    for (const char c : value) {
        const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        if (!digit && (c != '.' || !digit_before || ++points > 1)) return std::nullopt;
        digit_before = digit;
    }
    return digit_before ? std::optional(value) : std::nullopt;
}

const Peer& peer_of(const DeviceInfo& info, const Options& options) {
    if (info.peers.empty()) throw Unsupported(fmt::format("{} reaches no other card from {}", info.api, info.id));
    const auto number = option::peer.in(options);
    if (!number) return info.peers.front();
    const auto found = std::ranges::find(info.peers, fmt::format("{}:{}", info.api, *number), &Peer::device);
    if (found != info.peers.end()) return *found;
    std::vector<std::string> names;
    names.reserve(info.peers.size());
    for (const Peer& peer : info.peers) names.push_back(peer.device);
    throw Unsupported(fmt::format(
        "{}:{} is none of the cards that {} reaches: {}", info.api, *number, info.id, fmt::join(names, ", ")));
}

} // namespace sonde
