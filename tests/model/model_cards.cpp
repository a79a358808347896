// Cards with the structures that others have published; what nobody has is made up, and says so. Memory is as small as
// a curve allows.
#include "tests/model/model_device.h"

namespace sonde {

namespace {
constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * 1024, kGiB = 1024 * kMiB;
using enum Replacement;
} // namespace

const std::vector<CardModel>& model_cards() {
    static const std::vector<CardModel> kCards{
        {.name = "GTX 680",
            .clock_mhz = 1071,
            .cores = 8,
            .memory_bytes = 256 * kMiB,
            .caches = {{12 * kKiB, 106, 128, 32, lru, 24, true}, {512 * kKiB, 240, 128, 32, hashed_lru, 16}},
            .memory_cycles = 420,
            .tlbs = {},
            .scratchpad_cycles = 34,
            .paths = {{"global", {1}, 20}, {"texel", {0, 1}}, {"global.pointer", {1}, 14}},
            .source =
                "texture 106 cycles, 12 KiB a quadrant, scratchpad 34: published; second level and memory made up"},
        {.name = "GTX 980 Ti",
            .clock_mhz = 1328,
            .cores = 22,
            .memory_bytes = 256 * kMiB,
            .caches = {{24 * kKiB, 95, 128, 32, lru, 12, true}, {3 * kMiB, 230, 128, 32, hashed_lru, 16}},
            .memory_cycles = 380,
            .tlbs = {},
            .scratchpad_cycles = 34,
            .scratchpad_bytes = 96 * 1024,
            .paths = {{"global", {0, 1}, 6}, {"texel", {0, 1}}, {"global.pointer", {0, 1}}},
            .source = "texture 95 cycles, 24 KiB, scratchpad 34 in 96 KiB: published; second level and memory made up"},
        {.name = "R9 390",
            .clock_mhz = 1000,
            .cores = 40,
            .memory_bytes = 256 * kMiB,
            .caches = {{16 * kKiB, 115, 64, 64, lru, 4, true}, {16 * kKiB, 40, 64, 64, lru, 4, true},
                {kMiB, 190, 64, 64, lru, 16}},
            .memory_cycles = 340,
            .tlbs = {},
            .scratchpad_cycles = 65,
            .scratchpad_bytes = 64 * 1024,
            .paths = {{"global", {0, 2}}, {"global.uniform", {1, 2}}},
            .source = "scalar cache 16 KiB: published; latencies made up"},
        {.name = "K80",
            .clock_mhz = 875,
            .cores = 13,
            .memory_bytes = 256 * kMiB,
            .caches = {{16 * kKiB, 35, 128, 128, lru, 4, true}, {12 * kKiB, 104, 128, 32, lru, 24, true},
                {1536 * kKiB, 222, 128, 32, hashed_lru, 16}},
            .memory_cycles = 380,
            .tlbs = {},
            .scratchpad_cycles = 34,
            .paths = {{"global", {2}}, {"global.ca", {0, 2}}, {"texel", {1, 2}}},
            .source = "scratchpad 34 cycles: published; the rest made up"},
        {.name = "GTX 970",
            .clock_mhz = 1178,
            .cores = 13,
            .memory_bytes = 256 * kMiB,
            .caches = {{24 * kKiB, 95, 128, 32, lru, 12, true}, {1792 * kKiB, 225, 128, 32, hashed_lru, 14}},
            .memory_cycles = 375,
            .tlbs = {},
            .scratchpad_cycles = 34,
            .paths = {{"global", {0, 1}, 6}, {"texel", {0, 1}}},
            .source = "second level 1.75 MB: published; the rest as GTX 980 Ti"},
        {.name = "MI210",
            .clock_mhz = 1700,
            .cores = 104,
            .memory_bytes = 256 * kMiB,
            .caches = {{16 * kKiB, 124, 64, 64, lru, 64, true}, {16 * kKiB, 52.77, 64, 64, lru, 4, true},
                {8 * kMiB, 302, 128, 128, hashed_lru, 16}},
            .memory_cycles = 741,
            .tlbs = {},
            .scratchpad_cycles = 50,
            .scratchpad_bytes = 64 * 1024,
            .paths = {{"global", {0, 2}}, {"global.uniform", {1, 2}}},
            .source = "published (mt4g), but the associativities"},
        {.name = "RX 6900 XT",
            .clock_mhz = 2570,
            .cores = 80,
            .memory_bytes = kGiB,
            .caches = {{16 * kKiB, 73, 128, 128, lru, 4, true}, {128 * kKiB, 110, 128, 128, lru, 16, true},
                {4 * kMiB, 213, 128, 128, hashed_lru, 16}, {128 * kMiB, 402, 128, 128, hashed_lru, 16}},
            .memory_cycles = 581,
            .tlbs = {},
            .scratchpad_cycles = 60,
            .scratchpad_bytes = 64 * 1024,
            .paths = {{"global", {0, 1, 2, 3}}},
            .source = "latencies published (memory: 226 ns); capacities AMD's, associativities made up"},
        {.name = "H100",
            .clock_mhz = 1755,
            .cores = 114,
            .memory_bytes = 2 * kGiB,
            .caches = {{208 * kKiB, 34, 128, 32, lru, 4, true}, {25 * kMiB, 273, 128, 32, random, 16}},
            .memory_cycles = 579,
            .tlbs = {},
            .scratchpad_cycles = 29,
            .scratchpad_bytes = 227 * 1024,
            .paths = {{"global", {0, 1}, 5}},
            .source = "L1 208 KB, 273 cycles near, 330 ns of memory: published; one near half instead of two"},
        {.name = "A100",
            .clock_mhz = 1410,
            .cores = 108,
            .memory_bytes = 2 * kGiB,
            .caches = {{160 * kKiB, 37.9, 128, 32, lru, 4, true}, {20 * kMiB, 208, 128, 32, random, 16}},
            .memory_cycles = 466,
            .tlbs = {},
            .scratchpad_cycles = 29,
            .scratchpad_bytes = 164 * 1024 - 1024,
            .paths = {{"global.pointer", {0, 1}}},
            .source = "37.9, 208 near and 466 cycles: published; L1's share made up"},
    };
    return kCards;
}

const CardModel& model_card(const std::string& name) {
    for (const CardModel& card : model_cards())
        if (card.name == name) return card;
    throw Error("no modelled card of that name");
}

} // namespace sonde
