// OpenCL C for AMD's chips through clang, without a driver, a device library or a card.
#include <algorithm>

#include "backends/backends.h"
#include "backends/common.h"
#include "backends/opencl/describe.h"
#include "core/base/file.h"
#include "core/base/process.h"

namespace sonde {

namespace {
/// LLVM's names.
constexpr std::string_view kChips[] = {
    "tahiti",  "pitcairn",  "verde",     "oland",   "hainan",  "bonaire", "kaveri",  "hawaii",  "tonga",   "carrizo", "fiji",    "polaris10", "polaris11",
    "gfx600",  "gfx700",    "gfx701",    "gfx801",  "gfx803",  "gfx900",  "gfx902",  "gfx904",  "gfx906",  "gfx908",  "gfx90a",  "gfx940",    "gfx1010",
    "gfx1011", "gfx1012",   "gfx1030",   "gfx1031", "gfx1032", "gfx1034", "gfx1035", "gfx1036", "gfx1100", "gfx1101", "gfx1102", "gfx1103"};

/// What a driver's library gives to kernels, in terms of the compiler's own built-in functions. The dispatch packet's fourth word is
/// the number of work-items.
constexpr std::string_view kLibrary = R"(
#define get_local_id(dimension) __builtin_amdgcn_workitem_id_x()
#define get_group_id(dimension) __builtin_amdgcn_workgroup_id_x()
#define get_num_groups(dimension) (((__constant const uint*)__builtin_amdgcn_dispatch_ptr())[3] / GROUP_SIZE)
#define barrier(flags)                                              \
    do {                                                            \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");      \
        __builtin_amdgcn_s_barrier();                               \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");      \
    } while (0)
#define atomic_add(at, v) __atomic_fetch_add(at, v, __ATOMIC_RELAXED)
#define atomic_xchg(at, v) __atomic_exchange_n(at, v, __ATOMIC_RELAXED)
#define atomic_cmpxchg(at, expected, v)                                                              \
    __extension__({                                                                                  \
        __typeof__(*(at) + 0u) there = expected;                                                      \
        __atomic_compare_exchange_n(at, &there, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);           \
        there;                                                                                       \
    })
#define atom_add atomic_add
#define atom_xchg atomic_xchg
#define atom_cmpxchg atomic_cmpxchg
)";

class ClangDevice final : public TargetDevice {
public:
    ClangDevice(std::string_view chip, const std::string& compiler)
        : TargetDevice("opencl", chip, fmt::format("{} -mcpu={}", compiler, chip), compiler, chip.starts_with("gfx1") ? 32 : 64, 256), // as the compiler assumes by default
          chip_(chip), compiler_(compiler) {}

    std::optional<std::string> why_not(const Path& path) const override {
        if (path.space == Space::texel || path.space == Space::image2d) return "the compiler alone has no image functions: they are a driver's library";
        return opencl::why_no_form(path, opencl::Vendor::amd);
    }

    std::optional<std::string> why_lacking(Feature feature, bool) const override {
        for (const Feature has : {Feature::atomic_int64, Feature::repeated_text, Feature::float64, Feature::int64, Feature::int16, Feature::funnel_shift})
            if (feature == has) return std::nullopt;
        if (is_of_matrices(feature)) return "OpenCL C has no matrix multiply-adds";
        const bool atomic = feature == Feature::atomic_add_float32 || feature == Feature::atomic_add_float64;
        return fmt::format("the compiler alone has no {}: it is a driver's library", atomic ? "cl_ext_float_atomics" : "such extension");
    }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        check_needs(*this, build);
        const char* clock = chip_.starts_with("gfx11") ? nullptr : "CLOCK_AMD"; // s_memtime
        const File file = File::temporary(opencl::source_text(source, build, opencl::Vendor::amd, clock, kLibrary));
        return std::make_unique<TargetKernel>(Listing{
            "gcn", run_program({compiler_, "-x", "cl", "-cl-std=CL1.2", "-target", "amdgcn-amd-amdhsa", fmt::format("-mcpu={}", chip_),
                             "-O3", "-nogpulib", "-Xclang", "-finclude-default-header", "-S", file.path().string(), "-o", "-"})});
    }

private:
    const std::string_view chip_;
    const std::string compiler_;
};
} // namespace

std::span<const std::string_view> opencl_targets() { return kChips; }

Opened open_opencl_target(std::string_view target) {
    const auto chip = std::ranges::find(kChips, target);
    if (chip == std::end(kChips)) return {{}, "unknown chip"};
    const auto compiler = find_program({"clang-14", "clang-15", "clang-16", "clang", "clang-17", "clang-18", "clang-19"});
    if (!compiler) return {{}, "clang is not on the PATH (Debian: clang-14)"};
    return one_device(std::make_unique<ClangDevice>(*chip, *compiler));
}

} // namespace sonde
