#include "core/measure/peer.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/data/shared_options.h"

namespace sonde {

const Peer& peer_of(const DeviceInfo& info, const Options& options) {
    if (info.peers.empty()) throw Unsupported(fmt::format("{} reaches no other card from {}", info.api, info.id));
    const auto number = option::peer.in(options);
    if (!number) return info.peers.front();
    if (*number == option::kEachPeer)
        throw Unsupported(fmt::format("{} shows no other card like {}", info.api, info.id));
    const auto found = std::ranges::find(info.peers, fmt::format("{}:{}", info.api, *number), &Peer::device);
    if (found != info.peers.end()) return *found;
    std::vector<std::string> names;
    names.reserve(info.peers.size());
    for (const Peer& peer : info.peers) names.push_back(peer.device);
    throw Unsupported(fmt::format(
        "{}:{} is none of the cards that {} reaches: {}", info.api, *number, info.id, fmt::join(names, ", ")));
}

} // namespace sonde
