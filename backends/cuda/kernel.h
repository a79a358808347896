// A kernel as CUDA runs it: the PTX that the build embedded, compiled for the card by its driver; and what needs no
// driver.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "backends/cuda/context.h"
#include "core/device/kernel_source.h"

namespace sonde::cuda {

/// For a table behind the arguments: what pointers and arguments leave of the 4,096 bytes of a kernel's parameters
/// (PUSH_WORDS).
inline constexpr std::uint32_t kPushBytes = 4000;

/// Why there is no CUDA form of a path for this compute capability (times ten); nullopt: there is one.
std::optional<std::string> why_no_form(const Path&, int capability);
/// The same of what a kernel needs besides.
std::optional<std::string> why_lacking(Feature, int capability);

/// What a launch puts on the stream of the kernels.
class Enqueued : public Kernel {
public:
    virtual void prepare(const Launch&) const = 0;
    virtual void enqueue(const Launch&) const = 0;
};

class CudaKernel final : public Enqueued {
public:
    CudaKernel(Context&, std::string_view ptx, const std::string& entry_point, const Build&);
    ~CudaKernel() override;
    /// SASS where the driver gave its cubin away and there is a disassembler, else the PTX.
    Listing listing() const override;
    std::vector<Fact> facts() const override;
    std::uint32_t scratchpad_bytes() const override;
    std::optional<std::uint32_t> resident_groups(std::uint32_t scratchpad_bytes) const override;
    std::optional<std::uint32_t> resident_clusters(
        std::uint32_t cluster, std::uint32_t scratchpad_bytes) const override;

    /// Sets what the launch asks of the function, where it differs from what the last one asked, and queues the copies
    /// of sources into the module's __constant__ memory.
    void prepare(const Launch&) const override;
    void enqueue(const Launch&) const override;

private:
    /// What launches with so much scratchpad, or in such clusters, have to be allowed once.
    void allow(std::uint32_t scratchpad_bytes, std::uint32_t cluster) const;
    void set_carveout(const std::optional<Carveout>&) const;
    void fill_constants(const char* symbol, const Buffer& from) const;

    Context& context_;
    const std::string ptx_;
    const KernelSource a_, b_;
    const std::uint32_t group_size_;
    std::string cubin_, no_cubin_; // the machine code, or why there is none
    ModuleHandle module_ = nullptr;
    FunctionHandle function_ = nullptr;
    mutable bool large_clusters_ = false; // allowed
    mutable std::uint32_t dynamic_bytes_; // the function's limit now
    mutable std::optional<Carveout> carveout_;
    mutable int banks_ = kBanksDefault;
};

} // namespace sonde::cuda
