// OpenCL C for AMD's chips through clang, without a driver, a device library or a card.
#include "backends/opencl/target.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "backends/backends.h"
#include "backends/target.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/device/kernel_source.h"

namespace sonde {

namespace {
/// LLVM's names. `lanes`: of a subgroup, as the compiler assumes by default.
struct Chip {
    std::string_view name;
    std::uint32_t lanes;
    bool has_clock; // s_memtime
};
constexpr Chip kChips[] = {
    {"tahiti", 64, true},   {"pitcairn", 64, true},  {"verde", 64, true},     {"oland", 64, true},   {"hainan", 64, true},
    {"bonaire", 64, true},  {"kaveri", 64, true},    {"hawaii", 64, true},    {"tonga", 64, true},   {"carrizo", 64, true},
    {"fiji", 64, true},     {"polaris10", 64, true}, {"polaris11", 64, true}, {"gfx600", 64, true},  {"gfx700", 64, true},
    {"gfx701", 64, true},   {"gfx801", 64, true},    {"gfx803", 64, true},    {"gfx900", 64, true},  {"gfx902", 64, true},
    {"gfx904", 64, true},   {"gfx906", 64, true},    {"gfx908", 64, true},    {"gfx90a", 64, true},  {"gfx940", 64, true},
    {"gfx1010", 32, true},  {"gfx1011", 32, true},   {"gfx1012", 32, true},   {"gfx1030", 32, true}, {"gfx1031", 32, true},
    {"gfx1032", 32, true},  {"gfx1034", 32, true},   {"gfx1035", 32, true},   {"gfx1036", 32, true}, {"gfx1100", 32, false},
    {"gfx1101", 32, false}, {"gfx1102", 32, false},  {"gfx1103", 32, false}};

constexpr auto kChipNames = [] {
    std::array<std::string_view, std::size(kChips)> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kChips[i].name;
    return names;
}();

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
)";

DeviceInfo info_of(const Chip& chip, const std::string& compiler) {
    DeviceInfo info;
    info.id = fmt::format("opencl:{}", chip.name);
    info.api = "opencl";
    info.name = fmt::format("{} -mcpu={}", compiler, chip.name);
    info.driver = compiler;
    info.subgroup = chip.lanes;
    info.largest_group = 256;
    return info;
}

class ClangDevice final : public TargetDevice {
public:
    ClangDevice(const Chip& chip, std::string compiler)
        : TargetDevice(info_of(chip, compiler)), chip_(chip), compiler_(std::move(compiler)) {}

    std::optional<std::string> why_not(const Path& path) const override {
        if (path.space == Space::texel || path.space == Space::image2d) return "the compiler alone has no image functions: they are a driver's library";
        return opencl::why_no_form(path, opencl::Vendor::amd);
    }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        std::string text = fmt::format("#define GROUP_SIZE {}u\n", build.group_size);
        for (const auto& [word, value] : build_defines(build)) text += fmt::format("#define {} {}\n", word, value);
        if (chip_.has_clock) text += "#define CLOCK_AMD 1\n";
        text += opencl::vendor_define(opencl::Vendor::amd);
        text += kLibrary;
        text += embedded_text("kernels/dialect_opencl.h");
        text += source.text;
        const File file = File::temporary(text);
        return std::make_unique<TargetKernel>(Listing{
            "gcn", run_program({compiler_, "-x", "cl", "-cl-std=CL1.2", "-target", "amdgcn-amd-amdhsa", fmt::format("-mcpu={}", chip_.name),
                             "-O3", "-nogpulib", "-Xclang", "-finclude-default-header", "-S", file.path().string(), "-o", "-"})});
    }

private:
    const Chip& chip_;
    const std::string compiler_;
};
} // namespace

std::span<const std::string_view> opencl_targets() { return kChipNames; }

Opened open_opencl_target(std::string_view target) {
    const auto chip = std::find_if(std::begin(kChips), std::end(kChips), [&](const Chip& each) { return each.name == target; });
    if (chip == std::end(kChips)) return {{}, "unknown chip"};
    const auto compiler = find_program({"clang-14", "clang-15", "clang-16", "clang", "clang-17", "clang-18", "clang-19"});
    if (!compiler) return {{}, "clang is not on the PATH (Debian: clang-14)"};
    Opened opened;
    opened.devices.push_back(std::make_unique<ClangDevice>(*chip, *compiler));
    return opened;
}

} // namespace sonde
