// OpenCL C for AMD's chips through clang, without a driver, a device library or a card.
#include <algorithm>
#include <iterator>
#include <vector>

#include "backends/common.h"
#include "backends/opencl/describe.h"
#include "backends/opencl/target.h"
#include "core/base/file.h"
#include "core/base/process.h"

namespace sonde {

namespace {
/// LLVM's names, the generation of the instruction set, and whether that has a dot product of bytes.
struct AmdChip {
    std::string_view name;
    int generation;
    bool dots = false;
};
constexpr int kFirstWithHalves = 8, kFirstWithoutClock = 11;
constexpr std::string_view kClock = "CLOCK_AMD";
constexpr const char* kTarget = "amdgcn-amd-amdhsa";
constexpr AmdChip kAmdChips[] = {{"tahiti", 6}, {"pitcairn", 6}, {"verde", 6}, {"oland", 6}, {"hainan", 6},
    {"bonaire", 7}, {"kaveri", 7}, {"hawaii", 7}, {"tonga", 8}, {"carrizo", 8}, {"fiji", 8}, {"polaris10", 8},
    {"polaris11", 8}, {"gfx600", 6}, {"gfx700", 7}, {"gfx701", 7}, {"gfx801", 8}, {"gfx803", 8}, {"gfx900", 9},
    {"gfx902", 9}, {"gfx904", 9}, {"gfx906", 9, true}, {"gfx908", 9, true}, {"gfx90a", 9, true}, {"gfx940", 9, true},
    {"gfx1010", 10}, {"gfx1011", 10, true}, {"gfx1012", 10, true}, {"gfx1030", 10, true}, {"gfx1031", 10, true},
    {"gfx1032", 10, true}, {"gfx1034", 10, true}, {"gfx1035", 10, true}, {"gfx1036", 10, true}, {"gfx1100", 11, true},
    {"gfx1101", 11, true}, {"gfx1102", 11, true}, {"gfx1103", 11, true}};

/// What a driver's library gives to kernels, in terms of the compiler's own built-in functions. The dispatch packet's
/// fourth word is the number of work-items.
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
#define BUILT_IN static inline __attribute__((overloadable))
BUILT_IN float fused(float u, float v, float w) { return __builtin_fmaf(u, v, w); }
BUILT_IN double fused(double u, double v, double w) { return __builtin_fma(u, v, w); }
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
BUILT_IN half2 fused(half2 u, half2 v, half2 w) {
    return (half2)(__builtin_fmaf16(u.x, v.x, w.x), __builtin_fmaf16(u.y, v.y, w.y));
}
#endif
#define fma fused
#define sqrt __builtin_sqrtf
#define native_recip __builtin_amdgcn_rcpf
#define native_rsqrt __builtin_amdgcn_rsqf
#define native_exp2 __builtin_exp2f
#define native_log2 __builtin_log2f
#define native_sin __builtin_sinf
#define rotate(u, v) __builtin_rotateleft32(u, v)
#define popcount __builtin_popcount
#define clz __builtin_clz
#define dot_4x8packed_uu_uint(u, v) __builtin_amdgcn_udot4(u, v, 0u, 0)
#define sub_group_shuffle_xor(u, mask) (uint)__builtin_amdgcn_ds_swizzle((int)(u), 0x1f | (mask) << 10)
#define sub_group_ballot(v) as_uint2(__builtin_amdgcn_uicmp((uint)(v), 0u, 33)) // != 0
)";

class ClangDevice final : public TargetDevice {
public:
    ClangDevice(const AmdChip& chip, const std::string& compiler)
        : TargetDevice("opencl", chip.name, fmt::format("{} -mcpu={}", compiler, chip.name), compiler,
              chip.generation >= 10 ? 32 : 64, 256), // as the compiler assumes by default
          chip_(chip),
          compiler_(compiler) {
        const std::string_view core = chip.generation >= 10            ? "CORE_AMD_HW_ID1"
                                      : chip.name.starts_with("gfx94") ? "CORE_AMD_XCC_ID"
                                                                       : "CORE_AMD_HW_ID";
        for (const opencl::Register& row : opencl::all_registers())
            if (row.define == core || (row.define == kClock && chip.generation < kFirstWithoutClock))
                takes_.registers.push_back(&row);
        info_.core_name = takes_.registers.back()->name;
    }

    std::optional<std::string> why_not(const Path& path) const override {
        if (path.space == Space::texel || path.space == Space::image2d)
            return "the compiler alone has no image functions: they are a driver's library";
        return opencl::why_no_form(path, opencl::Vendor::amd);
    }

    std::optional<std::string> why_lacking(Feature feature, bool) const override {
        const bool in_compiler = std::ranges::find(kInCompiler, feature) != std::end(kInCompiler);
        if (in_compiler || (feature == Feature::float16 && chip_.generation >= kFirstWithHalves) ||
            (feature == Feature::dot_product && chip_.dots))
            return std::nullopt;
        if (feature == Feature::float16) return fmt::format("{} has no arithmetic on f16", chip_.name);
        if (feature == Feature::dot_product) return fmt::format("{} has no dot product of bytes", chip_.name);
        if (is_of_matrices(feature)) return opencl::why_lacking_matrices(chip_.name, feature);
        if (is_copy_to_scratchpad(feature)) return kNoCopyToScratchpad;
        const bool atomic = feature == Feature::atomic_add_float32 || feature == Feature::atomic_add_float64;
        return fmt::format("the compiler alone has no {}: it is a driver's library",
            atomic ? "cl_ext_float_atomics" : "such extension");
    }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        check_needs(*this, build);
        const File file = File::temporary(opencl::source_text(source, build, takes_, kLibrary));
        return std::make_unique<TargetKernel>(
            Listing{"gcn", run_program({compiler_, "-x", "cl", "-cl-std=CL1.2", "-target", kTarget,
                               fmt::format("-mcpu={}", chip_.name), "-O3", "-nogpulib", "-Xclang",
                               "-finclude-default-header", "-S", file.path().string(), "-o", "-"})});
    }

private:
    static constexpr Feature kInCompiler[] = {Feature::atomic_int64, Feature::repeated_text, Feature::float64,
        Feature::int64, Feature::int16, Feature::funnel_shift, Feature::shuffle, Feature::ballot};
    const AmdChip& chip_;
    const std::string compiler_;
    opencl::Compiler takes_{.vendor = opencl::Vendor::amd};
};
} // namespace

std::span<const std::string_view> opencl::amd_chips() {
    static const std::vector<std::string_view> names = chip_names(kAmdChips);
    return names;
}

Opened opencl::open_amd_chip(std::string_view target) {
    const auto chip = std::ranges::find(kAmdChips, target, &AmdChip::name);
    if (chip == std::end(kAmdChips)) return {{}, "unknown chip"};
    std::string refusals;
    for (const std::string_view name :
        {"clang-14", "clang-15", "clang-16", "clang", "clang-17", "clang-18", "clang-19"}) {
        if (!find_program({name})) continue;
        const std::string compiler(name);
        try {
            run_program({compiler, "-x", "c", "-target", kTarget, fmt::format("-mcpu={}", chip->name), "-nogpulib",
                "-fsyntax-only", "/dev/null"});
        } catch (const Error&) { // the one reason to refuse an empty file
            refusals += (refusals.empty() ? "" : ", ") + compiler;
            continue;
        }
        return one_device(std::make_unique<ClangDevice>(*chip, compiler));
    }
    return {{}, refusals.empty()
                    ? "clang is not on the PATH (Debian: clang-14)"
                    : fmt::format("{} does not know {} (clang 15 and later know gfx1100)", refusals, chip->name)};
}

} // namespace sonde
