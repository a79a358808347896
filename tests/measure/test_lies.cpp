// Every probe holds what its kernel left against the host's figures: on a device that lies none of its series is ok.
#include <doctest/doctest.h>

#include "backends/backends.h"
#include "core/probes/probes.h"
#include "tests/measure/lying_device.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"
#include "tests/required.h"
#include "tests/thorough.h"

using namespace sonde;

namespace {
/// How much of its kernel's output a probe looks at. workgroups: some lanes of the first, and all others against it;
/// some: words drawn at random, as its evidence says.
enum class Looks { at_all, at_workgroups, at_some };

struct Tried {
    CardModel card = small_card("H100");
    Looks looks = Looks::at_all;
    std::string path{};  // empty: the first that the card has
    bool copies = false; // copies lie, not a kernel
};

CardModel two_paths() {
    CardModel card = small_card("GTX 980 Ti", 4 << 20);
    card.cores = 1;
    card.first_level_rates = {{"global", 32e9}, {"texel", 16e9}, {"scratchpad", 32e9}};
    return card;
}
CardModel with_path(const char* path) {
    CardModel card = card_with("GTX 980 Ti");
    card.caches[1].bytes = 4 << 20;
    card.bus_bytes_per_ns = 12;
    card.paths.push_back({path, {1}});
    return card;
}

/// What is not as the default has it. Arithmetic and matrices follow some lanes, and all workgroups against the first.
const std::map<std::string_view, Tried> kTried{
    {"mix", {.card = two_paths()}},
    {"core-distance", {.card = with_path("global.cg"), .path = "global.cg"}},
    {"transfer", {.card = with_path("host"), .path = "host", .copies = true}},
    {"segments", {.card = small_card("H100", 512 << 20)}},
    {"operation", {.looks = Looks::at_some}},
    {"rate", {.looks = Looks::at_workgroups}},
    {"matrix", {.looks = Looks::at_workgroups}},
    {"co-issue", {.looks = Looks::at_workgroups}},
    {"code-size", {.looks = Looks::at_some}},
    {"first-run", {.looks = Looks::at_some}},
    {"sustained", {.looks = Looks::at_workgroups}},
    {"coalescing", {.looks = Looks::at_some}},
    {"channels", {.looks = Looks::at_some}},
    // Beside what is counted or reached there are clocks and tries, which may be any.
    {"core-to-core", {.looks = Looks::at_some}},
    {"load-times", {.looks = Looks::at_some}},
    {"loaded-latency", {.looks = Looks::at_some}},
    {"workload.lbm", {.looks = Looks::at_some}},
    {"workload.stencil", {.looks = Looks::at_some}},
};
/// Probes whose kernels or images no card is modelled with: Vulkan's processor runs them.
const std::set<std::string_view> kThroughVulkan{"texture-tile", "texture-walk", "clock-read", "divergence"};
/// Probes that a modelled card would take minutes for, and the tests in which their products and transforms are wrong.
const std::map<std::string_view, std::string_view> kElsewhere{
    {"workload.gemm", "tests/probes/test_workload_gemm.cpp"},
    {"workload.gemm-library", "tests/probes/test_workload_gemm_library.cpp"},
    {"workload.fft", "tests/measure/test_fft.cpp"},
    {"workload.fft-library", "tests/probes/test_workload_fft_library.cpp"},
};

std::string first_path(const Probe& probe, const Device& device) {
    for (const std::string_view path : probe.paths)
        if (!device.why_not(*find_path(path))) return std::string(path);
    return "";
}

Tried tried_with(const Probe& probe) {
    const auto row = kTried.find(probe.name);
    return row == kTried.end() ? Tried{} : row->second;
}

bool looks_at(Looks looks, Lie lie) {
    return lie == Lie::one_word ? looks == Looks::at_all : lie == Lie::one_lane ? looks == Looks::at_workgroups : true;
}

void check_noticed(
    const Probe& probe, const NamedLie& lie, std::unique_ptr<Device> honest, std::string path, bool copies = false) {
    CAPTURE(probe.name);
    CAPTURE(lie.name);
    if (path.empty()) path = first_path(probe, *honest);
    REQUIRE_FALSE(path.empty());
    const Options& options = probe.variants.front();
    const Liar liar{.kernel = probe.kernel(honest->info(), *find_path(path), options).name, .copies = copies};
    LyingDevice device(std::move(honest), liar, lie.lie);
    const Series series = measured(device, std::string(probe.name), path, "quick", 5, options);
    CAPTURE(series.reason);
    CHECK(device.lies() > 0);
    CHECK(series.status == Status::failed);
    CHECK_FALSE(series.reason.empty());
}
} // namespace

TEST_CASE("a device that lies about what a kernel left fails every probe") {
    CasesOfTheDay day(5);
    for (const Probe* probe : all_probes()) {
        if (kElsewhere.contains(probe->name) || kThroughVulkan.contains(probe->name)) continue;
        const Tried tried = tried_with(*probe);
        for (const NamedLie& lie : kLies)
            if (looks_at(tried.looks, lie.lie) && day.take())
                check_noticed(*probe, lie, model_device(tried.card, 3), tried.path, tried.copies);
    }
}

TEST_CASE("vulkan: the same of probes that no card is modelled for") {
    CasesOfTheDay day(5);
    for (const std::string_view name : kThroughVulkan)
        for (const NamedLie& lie : kLies) {
            if (!looks_at(Looks::at_some, lie.lie) || !day.take()) continue;
            Opened opened = open_vulkan();
            if (opened.devices.empty()) return skip(opened.absent);
            check_noticed(*find_probe(std::string(name)), lie, std::move(opened.devices.front()), "");
        }
}

TEST_CASE("what is said of a probe is said of one that there is") {
    for (const auto& [name, where] : kElsewhere) CHECK(find_probe(std::string(name)));
    for (const std::string_view name : kThroughVulkan) CHECK(find_probe(std::string(name)));
    for (const auto& [name, tried] : kTried) CHECK(find_probe(std::string(name)));
}
