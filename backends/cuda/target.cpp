// SASS for NVIDIA's chips through ptxas and a disassembler, where they are on the PATH; the PTX where they are not.
#include <cstdlib>

#include "backends/backends.h"
#include "backends/cuda/kernel.h"
#include "backends/cuda/ptx.h"
#include "backends/nvidia_code.h"

namespace sonde {

namespace {
constexpr std::string_view kChips[] = {"sm_20", "sm_21", "sm_30", "sm_32", "sm_35", "sm_37", "sm_50", "sm_52", "sm_53",
    "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90",
    "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"};

class PtxasDevice final : public TargetDevice {
public:
    explicit PtxasDevice(std::string_view chip)
        : TargetDevice("cuda", chip, std::string(chip), "ptxas", 32, 1024), chip_(chip) {
        info_.core_name = "%smid";
        info_.reach[Space::push] = {cuda::kPushBytes, "a kernel's parameters"};
    }

    std::optional<std::string> why_not(const Path& path) const override {
        return cuda::why_no_form(path, std::atoi(chip_.c_str() + 3));
    }
    std::optional<std::string> why_lacking(Feature feature, bool) const override {
        return cuda::why_lacking(feature, std::atoi(chip_.c_str() + 3));
    }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        check_needs(*this, build);
        const std::string variant = variant_name(source, build);
        return in_context(fmt::format("kernel variant '{}'", variant), [&] {
            const std::string ptx = cuda::ptx_for(cuda::ptx_text(variant, build.repeat), std::atoi(chip_.c_str() + 3));
            const auto sass = [&] { return nvidia::sass_of(nvidia::cubin_of(ptx, chip_)); };
            return std::make_unique<TargetKernel>(nvidia::sass_or({"ptx", ptx}, sass));
        });
    }

private:
    const std::string chip_;
};
} // namespace

std::span<const std::string_view> cuda_targets() { return kChips; }

Opened open_cuda_target(std::string_view target) { return one_device(std::make_unique<PtxasDevice>(target)); }

} // namespace sonde
