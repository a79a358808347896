// Clusters of workgroups that read each other's scratchpads (path `cluster`): how many, and whose.
#pragma once
#include <charconv>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/data/option.h"
#include "core/device/device.h"

namespace sonde {

/// Whose scratchpad a workgroup reads: the next one's of the cluster, or each other one's in turn.
enum class Peers { ring, all };

namespace option {
inline std::optional<std::uint32_t> parse_cluster(const std::string& text) {
    constexpr std::uint32_t kMost = 16;
    for (std::uint32_t size = 2; size <= kMost; size *= 2)
        if (text == std::to_string(size)) return size;
    return std::nullopt;
}
inline std::optional<Peers> parse_peers(const std::string& text) {
    return text == "ring" ? std::optional(Peers::ring) : text == "all" ? std::optional(Peers::all) : std::nullopt;
}
inline const Setting<std::uint32_t> cluster{
    "cluster", "workgroups of a cluster on path cluster: 2 (unless said otherwise), 4, 8 or 16", parse_cluster};
inline const Setting<Peers> peers{"peers",
    "whose scratchpad a workgroup of a cluster reads: ring (the next one's, unless said otherwise), or all (each other "
    "one's in turn)",
    parse_peers};
} // namespace option

/// Whether a series asks for what path `cluster` alone has.
inline bool asks_for_cluster(const Options& options) {
    return option::cluster.in(options) || option::peers.in(options);
}

/// Workgroups of a cluster; 1 on other paths. Throws Unsupported where these are asked for one.
inline std::uint32_t cluster_of(const Path& path, const Options& options) {
    const bool peer = path.stage == Stage::peer_scratchpad;
    if (!peer && asks_for_cluster(options)) throw Unsupported("only path cluster has clusters of workgroups");
    return peer ? option::cluster.in(options).value_or(2) : 1;
}

/// Clusters that run at a time, each of whose workgroups holds all of a core's scratchpad and so has the core alone;
/// nullopt: nobody to ask. Throws Unsupported: none.
inline std::optional<std::uint32_t> clusters_at_a_time(
    const Kernel& kernel, const DeviceInfo& info, std::uint32_t cluster) {
    const auto resident = kernel.resident_clusters(cluster, info.scratchpad_bytes);
    if (resident == 0u)
        throw Unsupported(fmt::format("the device runs no cluster of {} workgroups that have a core each", cluster));
    return resident;
}

} // namespace sonde
