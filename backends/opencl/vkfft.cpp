// Opens VkFFT's module, and puts its transforms on the queue of the kernels.
#include "backends/opencl/vkfft.h"

#include <cstdlib>
#include <filesystem>

#include "core/base/library.h"
#include "core/base/process.h"

namespace sonde::opencl {

namespace {
constexpr const char *kModule = "libsonde_vkfft.so", *kModuleVariable = "SONDE_VKFFT";

/// Where the variable says, else beside the program, or where it is installed.
Library open_module() {
    if (const char* told = std::getenv(kModuleVariable)) return {told};
    const auto folder = std::filesystem::path(own_program()).parent_path();
    return {(folder / kModule).string().c_str(), (folder.parent_path() / "lib/sonde" / kModule).string().c_str()};
}

class VkfftTransform final : public Enqueued {
public:
    VkfftTransform(const Context& context, std::shared_ptr<const Vkfft> opened, const TransformShape& shape)
        : context_(context), module_(std::move(opened)), plan_(plan(shape), module_->sonde_vkfft_free) {}
    Listing listing() const override { return {"", "kernels of VkFFT, which hands out no listing"}; }

    void enqueue(const Launch& launch, cl_event*) const override {
        module_->check(module_->sonde_vkfft_append(plan_.get(), context_.queue(), context_.argument_of(&launch.out),
                           !launch.args.empty() && launch.args[0]),
            "VkFFTAppend");
    }

    /// "2 passes"
    std::string algorithm() const {
        const int passes = module_->sonde_vkfft_passes(plan_.get());
        return fmt::format("{} {}", passes, passes == 1 ? "pass" : "passes");
    }

private:
    sonde_vkfft_plan* plan(const TransformShape& shape) const {
        sonde_vkfft_plan* made = nullptr;
        module_->check(
            module_->sonde_vkfft_make(context_.device, context_.handle.get(), shape.points, shape.count, &made),
            "initializeVkFFT");
        return made;
    }

    const Context& context_;
    const std::shared_ptr<const Vkfft> module_;
    const std::unique_ptr<sonde_vkfft_plan, decltype(&::sonde_vkfft_free)> plan_;
};
} // namespace

Vkfft::Vkfft() {
    const Library library = open_module();
    if (!library)
        throw Unsupported(fmt::format(
            "the module {} is not here ({}): install libvkfft-dev and build Sonde, or name the module's file in {}",
            kModule, library.error(), kModuleVariable));
    file = library.path();
    const auto load = [&](auto& function, const char* symbol) {
        if (!library.load(function, symbol)) throw Unsupported(fmt::format("{} has no {}", file, symbol));
    };
#define SONDE_LOAD(result, name, parameters) load(name, #name);
    SONDE_VKFFT_ENTRY_POINTS(SONDE_LOAD)
#undef SONDE_LOAD
    const int number = sonde_vkfft_version();
    version = fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

void Vkfft::check(int result, const char* call) const {
    if (result == kVkfftSuccess) return;
    const std::string text = fmt::format("VkFFT {}: {}: result {}", version, call, result);
    if (result == kVkfftNoHostMemory || result == kVkfftNoMemory) throw DoesNotFit(text);
    if (result == kVkfftUnsupportedLength) throw Unsupported(text + ": no transform of this length");
    if (result == kVkfftNotCompiled) throw Unsupported(text + ": the driver does not compile its kernels");
    throw Error(text);
}

LibraryKernel library_transform(
    const Context& context, const std::shared_ptr<const Vkfft>& opened, const TransformShape& shape) {
    auto kernel = std::make_unique<VkfftTransform>(context, opened, shape);
    std::string algorithm = kernel->algorithm();
    return {std::move(kernel), "VkFFT", opened->version, opened->file, std::move(algorithm)};
}

} // namespace sonde::opencl
