// sonde as it is, but for its drivers: modelled cards that are no longer sold, each as the APIs of its last drivers
// show it. SONDE_OLD_CARD names the one that is there.
#include <cstdlib>

#include "core/cli/cli.h"
#include "tests/model/model_device.h"

using namespace sonde;

namespace {
constexpr std::uint64_t kKiB = 1024, kSimulated = 64 * kKiB * kKiB; // of memory: what a curve needs
using enum Replacement;

/// A card's caches by name, for the paths that go through them.
namespace kepler {
enum : std::size_t { texture, l1, constant_l1, constant_l2, l2 };
}
namespace gcn {
enum : std::size_t { vector_l1, scalar_l1, l2 };
}

/// A path as several APIs reach it.
struct ShownPath {
    std::string apis;
    PathModel path;
};

struct OldCard {
    CardModel card;
    std::string uuid, drivers;     // the APIs' names
    std::vector<L1Split> splits{}; // that CUDA tells
    std::vector<ShownPath> paths;
};

const std::vector<OldCard>& old_cards() {
    static const std::vector<OldCard> kCards{
        {.card = {.name = "GeForce GTX 680",
             .clock_mhz = 1058,
             .cores = 8,
             .memory_bytes = kSimulated,
             .caches = {{12 * kKiB, 106, 128, 32, lru, 24, true, 4}, {16 * kKiB, 35, 128, 128, lru, 4, true},
                 {2 * kKiB, 49.6, 64, 64, lru, 4, true}, {32 * kKiB, 105, 64, 64, lru, 8, true},
                 {512 * kKiB, 240, 128, 32, hashed_lru, 16}},
             .memory_cycles = 420,
             .tlbs = {},
             .scratchpad_cycles = 34,
             .bandwidth = 142e9,
             .source =
                 "four texture caches of 12 KiB at 106 cycles, constants in 2 KiB at 46.9 ns and in 32 KiB, L1 of "
                 "16 KiB through Vulkan alone, scratchpad 34 cycles, 142 GB/s: published; the rest made up"},
            .uuid = "680",
            .drivers = "cuda opencl vulkan",
            .splits = {{16 * kKiB, 48 * kKiB}, {32 * kKiB, 32 * kKiB}, {48 * kKiB, 16 * kKiB}},
            .paths = {{"cuda opencl", {"global", {kepler::l2}, 20}},
                {"vulkan", {"global", {kepler::l1, kepler::l2}, 20}}, {"cuda", {"global.ca", {kepler::l2}, 20}},
                {"cuda", {"global.cg", {kepler::l2}, 20}},
                {"cuda opencl vulkan", {"texel", {kepler::texture, kepler::l2}}},
                {"cuda opencl vulkan", {"constant", {kepler::constant_l1, kepler::constant_l2, kepler::l2}}}}},
        {.card = {.name = "Radeon HD 7950",
             .clock_mhz = 800,
             .cores = 28,
             .memory_bytes = kSimulated,
             .caches = {{16 * kKiB, 115, 64, 64, lru, 4, true}, {16 * kKiB, 40, 64, 64, lru, 4, true},
                 {768 * kKiB, 190, 64, 64, lru, 16}},
             .memory_cycles = 340,
             .tlbs = {},
             .scratchpad_cycles = 65,
             .scratchpad_bytes = 32 * kKiB,
             .bandwidth = 204e9,
             .source = "a scalar cache of 16 KiB beside the vector path, 204 of 240 GB/s: published; the rest made up"},
            .uuid = "7950",
            .drivers = "opencl vulkan",
            .paths = {{"opencl vulkan", {"global", {gcn::vector_l1, gcn::l2}, 8, "radv-tahiti-chase-global"}},
                {"opencl vulkan", {"global.uniform", {gcn::scalar_l1, gcn::l2}, 8, "radv-tahiti-chase-global-uniform"}},
                {"opencl vulkan", {"constant", {gcn::vector_l1, gcn::l2}, 8, "radv-tahiti-chase-global"}},
                {"opencl vulkan",
                    {"constant.uniform", {gcn::scalar_l1, gcn::l2}, 8, "radv-tahiti-chase-global-uniform"}},
                {"opencl vulkan", {"texel", {gcn::vector_l1, gcn::l2}}}}}};
    return kCards;
}

bool among(const std::string& words, const std::string& word) {
    return (" " + words + " ").find(" " + word + " ") != std::string::npos;
}

Opened shown_through(const std::string& api) {
    const char* wanted = std::getenv("SONDE_OLD_CARD");
    Opened opened;
    for (const OldCard& old : old_cards()) {
        if (!among(old.drivers, api) || (wanted && old.card.name != wanted)) continue;
        CardModel card = old.card;
        for (const ShownPath& shown : old.paths)
            if (among(shown.apis, api)) card.paths.push_back(shown.path);
        card.told = [&](DeviceInfo& info) {
            info.uuid = old.uuid;
            if (api == "cuda") info.l1_splits = old.splits;
            if (api == "vulkan") info.cache_bytes = info.cores = 0;
        };
        opened.devices.push_back(model_device(card, 7, api + ":" + std::to_string(opened.devices.size())));
    }
    if (opened.devices.empty()) opened.absent = "no modelled card has this API";
    return opened;
}
} // namespace

int main(int argc, char** argv) {
    static constexpr Backend kApis[] = {{"cuda", [] { return shown_through("cuda"); }},
        {"opencl", [] { return shown_through("opencl"); }}, {"vulkan", [] { return shown_through("vulkan"); }}};
    return run_cli(argc, argv, kApis);
}
