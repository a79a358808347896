// OpenCL C for Intel's chips through ocloc, which is the driver's own compiler and disassembler without a driver or a
// card.
#include "backends/common.h"
#include "backends/opencl/describe.h"
#include "backends/opencl/target.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace sonde {

namespace {
/// ocloc's names; lanes of the smallest subgroup, which one instruction of 32 bits does at once; and what a generation
/// has.
struct IntelChip {
    std::string_view name;
    std::uint32_t lanes;
    bool float64 = false, dots = false, matrices = false, images = true;
};
constexpr IntelChip kIntelChips[] = {{"bdw", 8, true}, {"skl", 8, true}, {"kbl", 8, true}, {"cfl", 8, true},
    {"apl", 8, true}, {"glk", 8, true}, // generations 8 and 9
    {"icllp", 8}, {"ehl", 8},           // 11
    {"tgllp", 8, false, true}, {"rkl", 8, false, true}, {"adl-s", 8, false, true}, {"adl-p", 8, false, true},
    {"adl-n", 8, false, true}, {"dg1", 8, false, true}, // Xe-LP
    {"dg2", 8, false, true, true}, {"acm-g10", 8, false, true, true}, {"acm-g11", 8, false, true, true},
    {"acm-g12", 8, false, true, true},     // Xe-HPG
    {"pvc", 16, true, true, true, false}}; // Xe-HPC
/// What a driver declares or links and ocloc alone does not: without the former lines a dot product is a call of a
/// function that is not there.
constexpr std::string_view kDotProduct = R"(
int __builtin_IB_dp4a_uu(int sum, int u, int v, bool saturated) __attribute__((const));
#define dot_4x8packed_uu_uint(u, v) (uint)__builtin_IB_dp4a_uu(0, (int)(u), (int)(v), false)
)";
constexpr std::string_view kMatrices = R"(
#define MULTIPLY_ADD(rows, columns, k, sum, a) \
    sum __attribute__((overloadable)) intel_sub_group_##rows##_##columns##_matrix_mad_k##k(a, int8, sum);
#define BOTH(a)                             \
    MULTIPLY_ADD(f16, f16, 16, float8, a)   \
    MULTIPLY_ADD(bf16, bf16, 16, float8, a) \
    MULTIPLY_ADD(i8, i8, 32, int8, a)
BOTH(int8)
BOTH(short8)
)";
constexpr std::uint32_t kWideRegister = 64; // bytes, where the smallest subgroup has 16 lanes
constexpr const char* kFloat64Scratchpad = "the compiler has no __opencl_c_ext_fp64_local_atomic_add";

class OclocDevice final : public TargetDevice {
public:
    explicit OclocDevice(const IntelChip& chip)
        : TargetDevice("opencl", chip.name, fmt::format("ocloc -device {}", chip.name), "ocloc", chip.lanes, 256),
          chip_(chip) {
        for (std::uint32_t lanes = chip.lanes; lanes <= 32; lanes *= 2) info_.subgroup_sizes.push_back(lanes);
    }

    std::optional<std::string> why_not(const Path& path) const override {
        if (!chip_.images && (path.space == Space::texel || path.space == Space::image2d))
            return fmt::format("{} has no sampler, and its compiler no images", chip_.name);
        return opencl::why_no_form(path, opencl::Vendor::other);
    }

    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const override {
        if (auto reason = opencl::why_not_in_language(feature, opencl::Vendor::other)) return reason;
        if (feature == Feature::float64 || feature == Feature::atomic_add_float64) {
            if (!chip_.float64) return fmt::format("{} has no arithmetic on f64", chip_.name);
            return feature == Feature::atomic_add_float64 && in_scratchpad ? std::optional(kFloat64Scratchpad)
                                                                           : std::nullopt;
        }
        if (feature == Feature::dot_product && !chip_.dots)
            return fmt::format("{} has no dot product of bytes", chip_.name);
        if (feature != Feature::dpas8 && feature != Feature::dpas16) return std::nullopt;
        if (!chip_.matrices) return fmt::format("{} has no dpas", chip_.name);
        if (const std::uint32_t lanes = feature == Feature::dpas8 ? 8 : 16; lanes != chip_.lanes)
            return fmt::format("dpas of {} has {} lanes, not {}", chip_.name, chip_.lanes, lanes);
        return std::nullopt;
    }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        check_needs(*this, build);
        Build sized = build;
        if (!sized.subgroup)
            sized.subgroup = chip_.lanes; // the compiler's own choice of 16 or 32 lanes takes two instructions for one
        const File text = File::temporary(opencl::source_text(source, sized, {}, library()));
        const TemporaryFolder folder;
        const std::string device(chip_.name), made = folder.path().string(),
                                              program = (folder.path() / "program").string();
        run_program({"ocloc", "compile", "-file", text.path().string(), "-device", device, "-options", version(build),
            "-out_dir", made, "-output", "program", "-output_no_suffix"});
        run_program({"ocloc", "disasm", "-file", program, "-device", device, "-dump", made});
        const std::string listing = text_of_file(folder.path() / (source.name + "_KernelHeap.asm"));
        if (listing.empty()) throw Error("ocloc disassembles only with libiga64.so (Debian: libigc-dev)");
        return std::make_unique<TargetKernel>(Listing{"gen",
            fmt::format("// registers of {} bytes\n{}", chip_.lanes > 8 ? kWideRegister : kWideRegister / 2, listing),
            fmt::format("subgroups of {} lanes", sized.subgroup)});
    }

private:
    /// Only what the chip has: a macro of the same name would hide that it has none.
    std::string library() const {
        return fmt::format("{}{}", chip_.dots ? kDotProduct : "", chip_.matrices ? kMatrices : "");
    }
    /// OpenCL C 3.0 as this compiler's headers have it compiles only with images; atomic functions with an order and a
    /// scope are of 2.0 already.
    const char* version(const Build& build) const {
        return !opencl::takes_version_3(build) ? "-cl-std=CL1.2" : chip_.images ? "-cl-std=CL3.0" : "-cl-std=CL2.0";
    }
    const IntelChip& chip_;
};
} // namespace

std::span<const std::string_view> opencl::intel_chips() {
    static const std::vector<std::string_view> names = chip_names(kIntelChips);
    return names;
}

Opened opencl::open_intel_chip(std::string_view target) {
    const auto chip = std::ranges::find(kIntelChips, target, &IntelChip::name);
    if (chip == std::end(kIntelChips)) return {{}, "unknown chip"};
    if (!find_program({"ocloc"})) return {{}, "ocloc is not on the PATH (Debian: intel-opencl-icd)"};
    return one_device(std::make_unique<OclocDevice>(*chip));
}

} // namespace sonde
