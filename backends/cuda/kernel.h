// A kernel as CUDA runs it: the PTX that the build embedded, compiled for the card by its driver.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "backends/cuda/context.h"

namespace sonde::cuda {

/// The PTX of a variant, as the build embedded it. Throws Error when there is none of that name.
std::string_view embedded_ptx_text(const std::string& variant);

class CudaKernel final : public Kernel {
public:
    CudaKernel(const Context&, std::string_view ptx, const std::string& entry_point, const Build&);
    ~CudaKernel() override;
    /// SASS where `nvdisasm` is on the PATH and the driver gave its cubin away, else the PTX with the reason in its first line.
    Listing listing() const override;
    std::vector<Fact> facts() const override;

    const Path& path() const { return path_; }
    /// Words of one element of the source.
    std::uint32_t width() const { return width_; }
    /// And of the second one.
    std::uint32_t width_of_b() const { return width_of_b_; }
    /// Sets what the launch asks of the function, where it differs from what the last one asked.
    void prepare(const Launch&) const;
    /// Of the second source; global where the kernel reads none.
    Space space_of_b() const { return space_of_b_; }
    /// Queues the copy of a source into the module's __constant__ memory of that name.
    void fill_constants(const char* symbol, DevicePointer from, std::size_t bytes, StreamHandle) const;
    /// Puts the launch on the stream.
    void enqueue(const Launch&, DevicePointer a, DevicePointer b, DevicePointer out, StreamHandle) const;

private:
    const Context& context_;
    void set_carveout(const std::optional<Carveout>&) const;

    const std::string ptx_;
    const Path& path_;
    const Space space_of_b_;
    const std::uint32_t group_size_, width_, width_of_b_;
    std::string cubin_, no_cubin_; // the machine code, or why there is none
    ModuleHandle module_ = nullptr;
    FunctionHandle function_ = nullptr;
    mutable std::uint32_t dynamic_bytes_; // the function's limit now
    mutable std::optional<Carveout> carveout_;
    mutable int banks_ = kBanksDefault;
    mutable std::optional<Listing> listing_;
};

} // namespace sonde::cuda
