// Every probe holds what its kernel left against the host's figures: on a device that lies none of its series is ok.
#include <doctest/doctest.h>

#include "core/probes/probes.h"
#include "tests/measure/lying_device.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"
#include "tests/thorough.h"

using namespace sonde;

namespace {
/// How much of its kernel's output a probe looks at. workgroups: some lanes of the first, and all others against it;
/// some: words drawn at random, as its evidence says.
enum class Looks { at_all, at_workgroups, at_some };

struct Tried {
    CardModel card = small_card("H100");
    Looks looks = Looks::at_all;
    std::string path{};
    Options options{};
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
/// Probes that no modelled card takes, or takes minutes for, and where it is tested instead that they notice.
const std::map<std::string_view, std::string_view> kElsewhere{
    {"texture-tile", "no model of images: conformance.chase"},
    {"texture-walk", "no model of images: conformance.chase"},
    {"clock-read", "no model of its kernel: conformance"},
    {"divergence", "no model of its kernel: conformance"},
    {"workload.gemm", "tests/probes/test_workload_gemm.cpp"},
    {"workload.gemm-library", "tests/probes/test_workload_gemm_library.cpp"},
    {"workload.fft", "tests/measure/test_fft.cpp"},
    {"workload.fft-library", "tests/probes/test_workload_fft_library.cpp"},
};

Tried tried_with(const Probe& probe) {
    const auto row = kTried.find(probe.name);
    Tried tried = row == kTried.end() ? Tried{} : row->second;
    const auto device = model_device(tried.card, 3);
    for (const std::string_view path : probe.paths)
        if (tried.path.empty() && !device->why_not(*find_path(path))) tried.path = path;
    if (tried.options.empty()) tried.options = probe.variants.front();
    return tried;
}
} // namespace

TEST_CASE("a device that lies about what a kernel left fails every probe, and the reason says what was compared") {
    CasesOfTheDay day(3);
    for (const Probe* probe : all_probes()) {
        if (kElsewhere.contains(probe->name)) continue;
        CAPTURE(probe->name);
        const Tried tried = tried_with(*probe);
        REQUIRE_FALSE(tried.path.empty());
        const Liar liar{
            .kernel = probe->kernel(model_device(tried.card, 3)->info(), *find_path(tried.path), tried.options).name,
            .copies = tried.copies};
        for (const auto& [lie, name] : kLies) {
            if (lie == Lie::one_word && tried.looks != Looks::at_all) continue;
            if (lie == Lie::one_lane && tried.looks != Looks::at_workgroups) continue;
            if (!day.take()) continue;
            CAPTURE(name);
            LyingDevice device(model_device(tried.card, 3), liar, lie);
            const Series series = measured(device, std::string(probe->name), tried.path, "quick", 5, tried.options);
            CAPTURE(series.reason);
            CHECK(device.lies() > 0);
            CHECK(series.status == Status::failed);
            CHECK_FALSE(series.reason.empty());
        }
    }
}

TEST_CASE("what is said of a probe is said of one that there is") {
    for (const auto& [name, where] : kElsewhere) CHECK(find_probe(std::string(name)));
    for (const auto& [name, tried] : kTried) CHECK(find_probe(std::string(name)));
}
