// The table of what quick takes.
#include "core/probes/quick.h"

#include <algorithm>

namespace sonde {

namespace {
const std::vector<Brief>& briefs() {
    static const std::vector<Brief> kBriefs{
        {"latency", {"global", "global.pointer", "constant", "local"}, 0},
        {"bandwidth", {"global", "local"}, 1},
        {"write", {"global"}, 1},
        {"line", {"global"}, 2},
        {"tlb", {"global.pointer"}, 0},
        {"associativity", {"global"}, 0},
        {"partitions", {"global"}, 0},
        {"sharing", {"texel"}, 0},
        {"neighbours", {"texel"}, 0},
        {"map", {}, 1},
        {"split", {}, 1},
        {"workgroups", {"global"}, 0},
        {"banks", {}, 1},
        {"coalescing", {"global"}, 2},
        {"mix", {"global"}, 1},
        {"segments", {}, 1},
        {"loaded", {"local"}, 1},
        {"handoff", {}, 1},
        {"atomics", {}, 1},
        {"bus", {}, 3},
        {"launch", {}, 0},
    };
    return kBriefs;
}
} // namespace

const Brief* brief_of(std::string_view probe) {
    const auto found = std::find_if(briefs().begin(), briefs().end(), [&](const Brief& each) { return each.probe == probe; });
    return found == briefs().end() ? nullptr : &*found;
}

} // namespace sonde
