// The kinds of conclusion, each a few lines over a Card. tests/witness/README.md says what each shows.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <memory>

#include "witness.h"

void figure(const Card& card, const char* kind, const std::string& what, double value, const char* unit) {
    std::printf("%s\t%s\t%s\t%.6g\t%s\n", kind, card.api.c_str(), what.c_str(), value, unit);
    std::fflush(stdout);
}

static void reason(const Card& card, const char* kind, const std::string& what, const char* outcome, const char* text) {
    std::printf("%s\t%s\t%s\t%s\t%s\n", kind, card.api.c_str(), what.c_str(), outcome, text);
    std::fflush(stdout);
}

std::string size_text(std::uint64_t bytes) {
    const char* units[] = {"B", "KiB", "MiB", "GiB"};
    unsigned unit = 0;
    for (; unit < 3 && bytes >= 1024 && bytes % 1024 == 0; unit++) bytes /= 1024;
    return std::to_string(bytes) + units[unit];
}

/// The numbers below `count` in an order without pattern: a bijection of 2^bits (multiply, fold, multiply, fold), of
/// which those below count stay.
static std::vector<std::uint32_t> shuffled(std::uint32_t count) {
    const unsigned bits = std::max(1u, static_cast<unsigned>(std::bit_width(count - 1)));
    const std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    std::vector<std::uint32_t> order;
    order.reserve(count);
    for (std::uint64_t n = 0; n <= mask; n++) {
        auto x = static_cast<std::uint32_t>(n) * 0x9e3779b1u & mask;
        x ^= x >> (bits + 1) / 2;
        x = x * 0x85ebca6bu & mask;
        x ^= x >> (bits + 1) / 2;
        if (x < count) order.push_back(x);
    }
    return order;
}

/// Words that lead from each slot to the next: a[i] is the index of the next word.
static std::vector<std::uint32_t> chain_of(std::uint64_t bytes, std::uint32_t slot_bytes) {
    const auto order = shuffled(static_cast<std::uint32_t>(bytes / slot_bytes));
    std::vector<std::uint32_t> words(bytes / 4);
    const std::uint32_t slot = slot_bytes / 4;
    for (std::size_t n = 0; n < order.size(); n++)
        words[std::size_t{order[n]} * slot] = order[(n + 1) % order.size()] * slot;
    return words;
}

namespace {
/// Walks on from where the last walk ended. `warm` loads come before the clock is read.
struct Walk {
    Card& card;
    Launch launch;
    double cycles = 0;
    double run(std::uint32_t warm, std::uint32_t loads) {
        launch.args[1] = warm, launch.args[2] = loads;
        const double ns = card.run(launch);
        std::uint32_t out[2];
        card.read(launch.out, out, sizeof out);
        launch.args[0] = out[0];
        cycles = out[1];
        return ns;
    }
    /// The difference of a walk and one twice as long, so that neither the launch nor what is warmed counts.
    Load measure(std::uint32_t warm, std::uint32_t loads) {
        double once = 1e30, twice = 1e30, least = 1e30;
        for (int repeat = 0; repeat < 4; repeat++) {
            once = std::min(once, run(warm, loads));
            least = std::min(least, cycles);
            twice = std::min(twice, run(warm, 2 * loads));
        }
        if (twice <= once) throw std::runtime_error("a walk twice as long took no longer");
        return {(twice - once) / loads, least / loads};
    }
};
} // namespace

Load load_time(Card& card, const std::string& kernel, std::uint64_t bytes, unsigned held, std::uint32_t slot_bytes) {
    const std::vector<std::uint32_t> words = chain_of(bytes, slot_bytes);
    const bool constant = kernel == "chase_constant";
    Buffer a(card, constant ? 256 : bytes), out(card, 256);
    if (constant) card.set_constant(words.data(), bytes);
    else card.write(a.handle, words.data(), bytes);
    Walk walk{card, {.kernel = kernel,
                        .held = held,
                        .a = a.handle,
                        .out = out.handle,
                        .args = {0, 0, 0, static_cast<std::uint32_t>(bytes / 4)}}};
    const auto lap = static_cast<std::uint32_t>(bytes / slot_bytes);
    const std::uint32_t loads = std::clamp(lap, 1u << 16, 1u << 18);
    if (bytes <= 1 << 20) return walk.measure(lap, loads); // what L1 has is lost between launches
    walk.run(0, std::min(lap, 1u << 19));
    return walk.measure(0, loads);
}

void print_load(Card& card, const char* kind, const std::string& what, const Load& load) {
    figure(card, kind, what, load.ns, "ns");
    if (card.clock) figure(card, kind, what, load.cycles, "cycles");
}

/// Runs `body`; an exception is a line with its reason.
void attempt(Card& card, const char* kind, const std::string& what, const std::function<void()>& body) {
    try {
        body();
    } catch (const std::exception& error) {
        reason(card, kind, what, dynamic_cast<const Unsupported*>(&error) ? "unsupported" : "error", error.what());
    }
}

/// Some work, so that the clocks are up.
static void wake(Card& card) {
    Buffer a(card, 4096), out(card, 256);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(card.processor ? 20 : 200);
    while (std::chrono::steady_clock::now() < end)
        card.run({.kernel = "chase", .a = a.handle, .out = out.handle, .args = {0, 0, 1 << 16}});
}

// ---- 1 latency

static void latency(Card& card) {
    std::vector<std::uint64_t> sizes{4 << 10, 32 << 10, 4 << 20, 16 << 20};
    if (!card.processor) sizes.insert(sizes.end(), {45 << 20, 1 << 30});
    for (const std::uint64_t bytes : sizes)
        attempt(card, "latency", size_text(bytes),
            [&] { print_load(card, "latency", size_text(bytes), load_time(card, "chase", bytes)); });
}

/// Cycles of single loads past L1, ascending; those of reading the clock are in them.
static std::vector<std::uint32_t> single_loads(Card& card, std::uint64_t bytes) {
    constexpr std::uint32_t kLoads = 1 << 16, kPiece = 1 << 18;
    const std::vector<std::uint32_t> words = chain_of(bytes, 128);
    Buffer a(card, bytes), out(card, 4 * (1 + kLoads));
    card.write(a.handle, words.data(), bytes);
    std::uint32_t at = 0;
    const auto walk = [&](std::uint32_t warm, std::uint32_t timed) {
        card.run({.kernel = "load_times", .a = a.handle, .out = out.handle, .args = {at, warm, timed, 0}});
        card.read(out.handle, &at, sizeof at);
    };
    const auto lap = static_cast<std::uint32_t>(bytes / 128);
    for (std::uint32_t walked = 0; walked < std::min(2 * lap, 1u << 20); walked += kPiece) walk(kPiece, 0);
    walk(0, kLoads);
    std::vector<std::uint32_t> cycles(1 + kLoads);
    card.read(out.handle, cycles.data(), cycles.size() * 4);
    cycles.erase(cycles.begin());
    std::sort(cycles.begin(), cycles.end());
    return cycles;
}

void load_times(Card& card) {
    const std::uint64_t sizes[] = {8 << 20, 40 << 20, 256 << 20};
    std::vector<std::vector<std::uint32_t>> all;
    for (const std::uint64_t bytes : sizes)
        attempt(card, "load-times", size_text(bytes), [&] {
            all.push_back(single_loads(card, bytes));
            for (const unsigned percent : {5u, 50u, 95u})
                figure(card, "load-times", size_text(bytes) + " " + std::to_string(percent) + "%",
                    all.back()[all.back().size() * percent / 100], "cycles");
        });
    if (all.size() < 3) return;
    const auto slow = std::lower_bound(all[1].begin(), all[1].end(), all[2][all[2].size() / 50]);
    figure(card, "load-times", "40MiB as slow as the fastest 2% at 256MiB",
        static_cast<double>(all[1].end() - slow) / static_cast<double>(all[1].size()), "of loads");
}

// ---- 2 where L1 ends

/// The largest footprint whose loads take at most a tenth more than those of 8 KiB; between 8 KiB and 512 KiB, to 4
/// KiB.
static double l1_end(Card& card, const std::string& kernel, unsigned held) {
    const double first = load_time(card, kernel, 8 << 10, held).ns;
    std::uint64_t in = 8 << 10, beyond = 512 << 10;
    while (beyond - in > 4096) {
        const std::uint64_t middle = (in + beyond) / 2 / 4096 * 4096;
        (load_time(card, kernel, middle, held).ns <= 1.1 * first ? in : beyond) = middle;
    }
    return static_cast<double>(in);
}

static void l1(Card& card) {
    const auto show = [&](const std::string& what, const std::string& kernel, unsigned held) {
        attempt(card, "l1-end", what, [&] {
            if (!card.has(kernel)) throw Unsupported("not in this API, or beyond its limit");
            figure(card, "l1-end", what, l1_end(card, kernel, held) / 1024, "KiB");
        });
    };
    show("held 0B", "chase", 0);
    for (const unsigned held : {16u, 4096u, 12288u, 49152u}) {
        show("held " + size_text(held) + " static", "chase_static_" + std::to_string(held), 0);
        show("held " + size_text(held) + " dynamic", "chase_held", held);
    }
    const auto most = static_cast<unsigned>(card.largest_held);
    if (most != 49152) show("held " + size_text(most) + " dynamic", "chase_held", most);
}

// ---- 3 constant memory

static void constant(Card& card) {
    for (const std::uint64_t bytes : {1 << 10, 32 << 10})
        attempt(card, "constant", size_text(bytes),
            [&] { print_load(card, "constant", size_text(bytes), load_time(card, "chase_constant", bytes, 0, 64)); });
}

/// Loads of 8 KiB of scratchpad, copied there from memory.
static void scratchpad(Card& card) {
    attempt(card, "scratchpad", "8KiB",
        [&] { print_load(card, "scratchpad", "8KiB", load_time(card, "chase_scratchpad", 8 << 10)); });
}

// ---- 5 limits

static void limits(Card& card) {
    const auto show = [&](const std::string& what, const Launch& launch) {
        attempt(card, "limits", what, [&] {
            if (!card.has(launch.kernel)) throw Unsupported("not in this API, or beyond its limit");
            Buffer a(card, 4096), out(card, 256);
            Launch run = launch;
            run.a = a.handle, run.out = out.handle, run.args = {0, 0, 8};
            card.run(run);
            figure(card, "limits", what, 1, "runs");
        });
    };
    const auto most = static_cast<unsigned>(card.largest_held);
    figure(card, "limits", "driver's scratchpad", most, "bytes");
    show("static 49152", {.kernel = "chase_static_49152"});
    for (const unsigned held : {49024u, 49136u, 49152u})
        show("dynamic " + std::to_string(held), {.kernel = "chase_held", .held = held});
    if (most > 49152) show("dynamic " + std::to_string(most), {.kernel = "chase_held", .held = most});
    if (!card.processor) show("dynamic " + std::to_string(most + 1024), {.kernel = "chase_held", .held = most + 1024});
}

// ---- 6 occupancy

std::vector<unsigned> held_sizes(const Card& card) {
    std::vector<unsigned> sizes{
        0, 512, 1024, 2048, 3584, 4096, 7168, 8192, 12288, 14336, 16384, 24576, 28928, 48128, 58112, 116224, 232448};
    std::erase_if(sizes, [&](unsigned held) { return held > card.largest_held; });
    return sizes;
}

/// Each workgroup counts itself in, waits by loads of memory, and counts itself out; the most that were in at once, by
/// core.
static void occupancy(Card& card) {
    for (const unsigned held : held_sizes(card)) {
        attempt(card, "occupancy", size_text(held), [&] {
            Buffer a(card, 4096), out(card, 256);
            const std::uint32_t loads = card.processor ? 1000 : 4000;
            card.run({.kernel = held ? "occupy_held" : "occupy",
                .groups = card.cores * (card.processor ? 4 : 40),
                .size = card.processor ? 1u : 32u,
                .held = held,
                .a = a.handle,
                .out = out.handle,
                .args = {loads}});
            std::uint32_t counts[2];
            card.read(a.handle, counts, sizeof counts);
            if (counts[0] != 0) throw std::runtime_error("not all workgroups counted themselves out");
            figure(card, "occupancy", size_text(held), static_cast<double>(counts[1]) / card.cores, "workgroups/core");
        });
    }
}

// ---- 7 bandwidth

/// The best of some launch shapes, in GB/s; 16-byte accesses. With `shared` each workgroup reads the whole footprint,
/// else all of them together do.
static double rate(Card& card, const std::string& kernel, std::uint64_t footprint, std::uint64_t bytes, bool shared) {
    Buffer a(card, footprint), out(card, 256);
    double best = 0;
    std::string refusal; // a shape may need more registers than there are
    for (const unsigned size : {128u, 256u, 1024u}) {
        for (const unsigned per_core : {1u, 2u, 4u, 16u}) {
            if (card.processor && (size != 128 || per_core > 1)) continue;
            if (size * per_core > 4096) continue;
            const std::uint64_t items = std::uint64_t{size} * per_core * card.cores;
            const auto trips =
                static_cast<std::uint32_t>(std::max<std::uint64_t>(1, bytes / 16 / items / 8)); // of eight accesses
            const Launch launch{.kernel = kernel,
                .groups = per_core * card.cores,
                .size = size,
                .a = a.handle,
                .out = out.handle,
                .args = {static_cast<std::uint32_t>(footprint / 16 - 1), trips, shared ? 1u : 0u}};
            try {
                for (int repeat = 0; repeat < 3; repeat++)
                    best = std::max(best, static_cast<double>(items * trips * 8 * 16) / card.run(launch));
            } catch (const std::exception& error) {
                refusal = error.what();
            }
        }
    }
    if (best == 0) throw std::runtime_error(refusal);
    return best;
}

/// The best of some workgroup sizes, in GB/s, where a workgroup for each tile moves it and ends: so many bytes by each
/// work-item.
static double rate_once(
    Card& card, const std::string& kernel, std::uint64_t bytes, std::uint64_t bytes_of_item, std::uint32_t argument) {
    Buffer a(card, bytes), out(card, 256);
    double best = 0;
    for (const unsigned size : {128u, 256u, 512u, 1024u}) {
        const Launch launch{.kernel = kernel,
            .groups = static_cast<unsigned>(bytes / bytes_of_item / size),
            .size = size,
            .a = a.handle,
            .out = out.handle,
            .args = {argument}};
        for (int repeat = 0; repeat < 5; repeat++) best = std::max(best, static_cast<double>(bytes) / card.run(launch));
    }
    return best;
}

static void bandwidth(Card& card) {
    const std::uint64_t gib = std::uint64_t{1} << 30,
                        large = card.processor         ? 16 << 20
                                : card.api == "vulkan" ? 2 * gib
                                                       : 4 * gib; // a storage buffer is below 4 GiB
    const std::uint64_t work = large;
    const auto show = [&](const std::string& what, const std::string& kernel, std::uint64_t footprint,
                          std::uint64_t bytes, bool shared) {
        attempt(card, "bandwidth", what, [&] {
            if (!card.has(kernel)) throw Unsupported("not in this API, or beyond its limit");
            figure(card, "bandwidth", what, rate(card, kernel, footprint, bytes, shared), "GB/s");
        });
    };
    show("read L1 32KiB", "read", 32 << 10, 8 * work, true);
    show("read L2 32MiB", "read", 32 << 20, 2 * work, false);
    show("read L2 past L1 32MiB", "read_cg", 32 << 20, 2 * work, false);
    show("read DRAM " + size_text(large), "read", large, work, false);
    show("write DRAM " + size_text(large), "write", large, work, false);
    const auto show_once = [&](const std::string& what, const std::string& kernel, std::uint64_t bytes,
                               std::uint64_t bytes_of_item, std::uint32_t argument) {
        attempt(card, "bandwidth", what, [&] {
            if (!card.has(kernel)) throw Unsupported("not in this API");
            figure(card, "bandwidth", what, rate_once(card, kernel, bytes, bytes_of_item, argument), "GB/s");
        });
    };
    const std::uint64_t doubles = large / 4 / 8, arrays = 3 * doubles * 8;
    show_once("read once DRAM " + size_text(large), "read_once", large, 4 * 16, 0);
    show_once("triad once DRAM " + size_text(arrays), "triad_f64", arrays, 3 * 8, static_cast<std::uint32_t>(doubles));
}

// ---- 8 atomics

static void atomics(Card& card) {
    for (const std::string kernel : {"add_dropped", "add_kept", "add_aggregated"}) {
        for (const unsigned per_core : {0u, 1u, 4u}) {
            const unsigned groups = std::max(1u, per_core * card.cores), size = card.processor ? 8 : 256,
                           trips = card.processor ? 100
                                   : per_core     ? 1000
                                                  : 10000;
            const std::string what =
                kernel.substr(4) + (per_core == 0 ? " 1 workgroup" : " " + std::to_string(per_core) + " per core");
            attempt(card, "atomics", what, [&] {
                if (kernel == "add_aggregated" && size < 32) throw Unsupported("written for subgroups of 32");
                Buffer a(card, 256), out(card, 256);
                const Launch launch{.kernel = kernel,
                    .groups = groups,
                    .size = size,
                    .a = a.handle,
                    .out = out.handle,
                    .args = {trips}};
                double ns = 1e30;
                for (int repeat = 0; repeat < 4; repeat++) ns = std::min(ns, card.run(launch));
                std::uint32_t sum = 0;
                card.read(a.handle, &sum, sizeof sum);
                const std::uint64_t additions = std::uint64_t{groups} * size * trips; // of 3, in each of four launches
                if (sum != static_cast<std::uint32_t>(4 * 3 * additions))
                    throw std::runtime_error("the sum is wrong: " + std::to_string(sum));
                figure(card, "atomics", what, static_cast<double>(additions) / ns, "Gop/s");
            });
        }
    }
}

// ---- 9 copies, 12 launches

static void transfer(Card& card) {
    for (const bool to_device : {true, false}) {
        const std::string what =
            std::string(to_device ? "to-device " : "to-host ") + (card.processor ? "1MiB" : "64MiB");
        attempt(card, "transfer", what, [&] {
            figure(card, "transfer", what, card.copy_gbs(to_device, card.processor ? 1 << 20 : 64 << 20), "GB/s");
        });
    }
}

static void launch(Card& card) {
    Buffer a(card, 256), out(card, 256);
    for (const bool waited : {false, true}) {
        attempt(card, "launch", waited ? "waited" : "queued", [&] {
            const unsigned count = waited ? 200 : 1000;
            double best = 1e30;
            for (int repeat = 0; repeat < 5; repeat++) {
                const auto begin = std::chrono::steady_clock::now();
                card.launch_many({.kernel = "empty",
                                     .groups = 1,
                                     .size = card.processor ? 1u : 32u,
                                     .a = a.handle,
                                     .out = out.handle},
                    count, waited);
                best = std::min(best,
                    std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / count);
            }
            figure(card, "launch", waited ? "waited" : "queued", best, "ns");
        });
    }
}

// ---- 10 TLB

/// One load per page of 2 MiB over a growing span, in more lines than L1 holds; the lines lie apart within their pages.
static void tlb(Card& card) {
    constexpr std::uint64_t kPage = 2 << 20, kChunk = std::uint64_t{1} << 30;
    const std::uint64_t most =
        card.processor ? kChunk / 16 : std::min(card.memory / 4 * 3, 96 * kChunk) / kChunk * kChunk;
    std::vector<std::unique_ptr<Buffer>> chunks;
    std::vector<std::uint64_t> pages;
    std::vector<std::uint64_t> spans;
    for (std::uint64_t span = 4 << 20; span < most; span *= 2) spans.push_back(span);
    spans.push_back(most);
    for (const std::uint64_t span : spans) {
        attempt(card, "tlb", size_text(span), [&] {
            while (pages.size() * kPage < span) {
                chunks.push_back(std::make_unique<Buffer>(card, std::min(most, kChunk)));
                const std::uint64_t base = card.address(chunks.back()->handle);
                for (std::uint64_t at = 0; at < std::min(most, kChunk); at += kPage) pages.push_back(base + at);
            }
            const auto count = static_cast<std::uint32_t>(span / kPage), lines = std::max(16384u, count);
            std::vector<std::uint64_t> places;
            for (const std::uint32_t n : shuffled(lines))
                places.push_back(pages[n % count] + (std::uint64_t{n} * 0x9e3779b1u >> 8) % (kPage / 128) * 128);
            std::sort(places.begin(), places.end()); // two lines of one place would cut the chain
            places.erase(std::unique(places.begin(), places.end()), places.end());
            std::vector<std::uint64_t> list;
            for (const std::uint32_t n : shuffled(static_cast<std::uint32_t>(places.size()))) list.push_back(places[n]);
            Buffer order(card, list.size() * 8), out(card, 256);
            card.write(order.handle, list.data(), list.size() * 8);
            card.run({.kernel = "link",
                .groups = static_cast<unsigned>(list.size() + 31) / 32,
                .size = card.processor ? 1u : 32u,
                .a = order.handle,
                .out = out.handle,
                .args = {static_cast<std::uint32_t>(list.size()), card.processor ? 32u : 1u}});
            const auto low = static_cast<std::uint32_t>(list[0]), high = static_cast<std::uint32_t>(list[0] >> 32);
            const auto loads = static_cast<std::uint32_t>(list.size());
            double once = 1e30, twice = 1e30;
            for (int repeat = 0; repeat < 4; repeat++) { // the first warms
                once = std::min(once, card.run({.kernel = "chase_address",
                                          .a = order.handle,
                                          .out = out.handle,
                                          .args = {low, high, loads, 0}}));
                twice = std::min(twice, card.run({.kernel = "chase_address",
                                            .a = order.handle,
                                            .out = out.handle,
                                            .args = {low, high, 3 * loads, 0}}));
            }
            figure(card, "tlb", size_text(span), (twice - once) / 2 / loads, "ns");
        });
    }
}

int witness_main(
    int argc, char** argv, const char* api, const std::function<Card*()>& open, const std::vector<NamedKind>& more) {
    std::vector<NamedKind> kinds{{"device", [](Card& card) { figure(card, "device", card.name, card.cores, "cores"); }},
        {"latency", latency}, {"l1-end", l1}, {"constant", constant}, {"scratchpad", scratchpad}, {"limits", limits},
        {"bandwidth", bandwidth}, {"atomics", atomics}, {"occupancy", occupancy}, {"transfer", transfer},
        {"launch", launch}, {"tlb", tlb}, {"operation", operation}, {"rate", operation_rate}};
    kinds.insert(kinds.end(), more.begin(), more.end());
    if (argc < 2) {
        for (const NamedKind& kind : kinds) std::printf("%s\n", kind.name);
        return 0;
    }
    const std::string asked = argv[1];
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const NamedKind& each) { return asked == each.name; });
    if (kind == kinds.end()) return std::fprintf(stderr, "no such kind: %s\n", argv[1]), 2;
    try {
        const std::unique_ptr<Card> card(open());
        if (asked != "device") wake(*card);
        kind->run(*card);
        return 0;
    } catch (const std::exception& error) {
        std::printf("%s\t%s\t-\terror\t%s\n", argv[1], api, error.what());
        return 1;
    }
}
