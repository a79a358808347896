// Opens cuBLASLt, and launches its products on the stream of the kernels.
#include "backends/cuda/cublaslt.h"

#include <algorithm>

#include "core/base/library.h"
#include "core/device/matrix_form.h"

/// Calls an entry point of the `library` in scope; what goes wrong is an Error that shows the call.
#define LT(call) library.check(library.call, #call)

namespace sonde::cuda {

namespace {
constexpr std::uint64_t kWorkspaceBytes = 32 << 20; // as cuBLAS's manual has it for compute capability 9.0

struct LtNumbers {
    const NumberFormat& format;
    int type, compute;
    bool scaled = false; // by a factor in device memory
};
constexpr LtNumbers kLtNumbers[] = {{kF32, kTypeF32, kComputeF32}, {kTf32, kTypeF32, kComputeFastTf32},
    {kF16, kTypeF16, kComputeF32}, {kBf16, kTypeBf16, kComputeF32}, {kE4m3, kTypeE4m3, kComputeF32, true}};

const LtNumbers& lt_numbers(const NumberFormat& format) {
    for (const LtNumbers& numbers : kLtNumbers)
        if (&numbers.format == &format) return numbers;
    throw Unsupported(fmt::format("no product of {} by cuBLASLt is known", format.name));
}

template <class Handle> using LtOwned = std::unique_ptr<std::remove_pointer_t<Handle>, LtStatus (*)(Handle)>;

class ProductKernel final : public Enqueued {
public:
    ProductKernel(Context&, std::shared_ptr<const CublasLt>, const ProductShape&);
    Listing listing() const override { return {"", "a kernel of cuBLASLt, which hands out no listing"}; }
    void prepare(const Launch&) const override {}
    void enqueue(const Launch&) const override;
    /// "66, tile 20"
    std::string algorithm() const;

private:
    LtOwned<LtHandle> handle() const;
    LtOwned<LtOperation> operation(const LtNumbers&) const;
    LtOwned<LtLayout> layout(int type, std::uint32_t rows) const;
    std::unique_ptr<Buffer> scale() const;
    LtFound first_algorithm(const ProductShape&) const;

    Context& context_;
    const std::shared_ptr<const CublasLt> library_;
    const LtOwned<LtHandle> handle_;
    const LtOwned<LtOperation> operation_;
    const LtOwned<LtLayout> factor_, sum_;
    const std::unique_ptr<Buffer> scale_; // one, in device memory; null: the format needs none
    const LtFound found_;
    const std::unique_ptr<Buffer> workspace_;
};

ProductKernel::ProductKernel(Context& context, std::shared_ptr<const CublasLt> opened, const ProductShape& shape)
    : context_(context),
      library_(std::move(opened)),
      handle_(handle()),
      operation_(operation(lt_numbers(shape.in))),
      factor_(layout(lt_numbers(shape.in).type, shape.rows)),
      sum_(layout(kTypeF32, shape.rows)),
      scale_(lt_numbers(shape.in).scaled ? scale() : nullptr),
      found_(first_algorithm(shape)),
      workspace_(make_buffer(context, Space::global, std::max<std::size_t>(found_.workspace_bytes, 256))) {}

LtOwned<LtHandle> ProductKernel::handle() const {
    const CublasLt& library = *library_;
    LtHandle made = nullptr;
    LT(cublasLtCreate(&made));
    return {made, library.cublasLtDestroy};
}

/// Matrices are columns one behind the other to the library: rows of A are columns of what it transposes.
LtOwned<LtOperation> ProductKernel::operation(const LtNumbers& numbers) const {
    const CublasLt& library = *library_;
    LtOperation made = nullptr;
    LT(cublasLtMatmulDescCreate(&made, numbers.compute, kTypeF32));
    LtOwned<LtOperation> owned(made, library.cublasLtMatmulDescDestroy);
    LT(cublasLtMatmulDescSetAttribute(made, kTransposeA, &kTransposed, sizeof kTransposed));
    LT(cublasLtMatmulDescSetAttribute(made, kTransposeB, &kNotTransposed, sizeof kNotTransposed));
    return owned;
}

LtOwned<LtLayout> ProductKernel::layout(int type, std::uint32_t rows) const {
    const CublasLt& library = *library_;
    LtLayout made = nullptr;
    LT(cublasLtMatrixLayoutCreate(&made, type, rows, rows, rows));
    return {made, library.cublasLtMatrixLayoutDestroy};
}

/// Numbers of 8 bits are scaled by a factor that the library reads from device memory.
std::unique_ptr<Buffer> ProductKernel::scale() const {
    const Driver& api = context_.api;
    const CublasLt& library = *library_;
    const float one = 1;
    auto scale = make_buffer(context_, Space::global, sizeof one);
    const DevicePointer address = address_of(*scale);
    CU(cuMemcpyAsync(address, reinterpret_cast<DevicePointer>(&one), sizeof one, context_.stream()));
    CU(cuStreamSynchronize(context_.stream()));
    for (const int attribute : {kScalePointerA, kScalePointerB})
        LT(cublasLtMatmulDescSetAttribute(operation_.get(), attribute, &address, sizeof address));
    return scale;
}

LtFound ProductKernel::first_algorithm(const ProductShape& shape) const {
    const CublasLt& library = *library_;
    LtPreference made = nullptr;
    LT(cublasLtMatmulPreferenceCreate(&made));
    const LtOwned<LtPreference> preference(made, library.cublasLtMatmulPreferenceDestroy);
    LT(cublasLtMatmulPreferenceSetAttribute(made, kMostWorkspaceBytes, &kWorkspaceBytes, sizeof kWorkspaceBytes));
    LtFound found;
    int count = 0;
    const LtStatus status = library.cublasLtMatmulAlgoGetHeuristic(
        handle_.get(), operation_.get(), factor_.get(), factor_.get(), sum_.get(), sum_.get(), made, 1, &found, &count);
    if (status != kLtSuccess && status != kLtNotSupported) library.check(status, "cublasLtMatmulAlgoGetHeuristic");
    if (status == kLtNotSupported || count == 0 || found.state != kLtSuccess)
        throw Unsupported(fmt::format("cuBLASLt {} names no algorithm for {} matrices of {} rows with sums in f32 "
                                      "(cublasLtMatmulAlgoGetHeuristic: {}, {} found)",
            library.version, shape.in.name, shape.rows, library.describe(status == kLtSuccess ? found.state : status),
            count));
    return found;
}

std::string ProductKernel::algorithm() const {
    const auto ask = library_->cublasLtMatmulAlgoConfigGetAttribute;
    std::int32_t id = 0;
    std::uint32_t tile = 0;
    std::size_t written = 0;
    if (!ask || ask(&found_.algorithm, kAlgorithmId, &id, sizeof id, &written) != kLtSuccess) return "";
    return fmt::format("{}{}", id,
        ask(&found_.algorithm, kAlgorithmTile, &tile, sizeof tile, &written) == kLtSuccess
            ? fmt::format(", tile {}", tile)
            : "");
}

void ProductKernel::enqueue(const Launch& launch) const {
    const CublasLt& library = *library_;
    const auto at = [](const Buffer& buffer) { return reinterpret_cast<void*>(address_of(buffer)); };
    const float alpha = 1, beta = 0;
    void* const c = at(launch.out);
    LT(cublasLtMatmul(handle_.get(), operation_.get(), &alpha, at(*launch.a), factor_.get(), at(*launch.b),
        factor_.get(), &beta, c, sum_.get(), c, sum_.get(), &found_.algorithm, at(*workspace_), found_.workspace_bytes,
        context_.stream()));
}
} // namespace

CublasLt::CublasLt() {
    const Library library{"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", "libcublasLt.so",
        "/usr/local/cuda/lib64/libcublasLt.so", "cublasLt64_13.dll", "cublasLt64_12.dll", "cublasLt64_11.dll"};
    if (!library) throw Unsupported(fmt::format("libcublasLt is not installed: {}", library.error()));
    file = library.path();
    const auto load = [&](auto& function, Need need, const char* symbol) {
        if (!library.load(function, symbol) && need == required)
            throw Unsupported(fmt::format("{} has no {}", file, symbol));
    };
#define SONDE_LOAD(need, name, result, parameters) load(name, need, #name);
    SONDE_CUBLASLT_ENTRY_POINTS(SONDE_LOAD)
#undef SONDE_LOAD
    int major = 0, minor = 0, patch = 0;
    check(cublasLtGetProperty(kVersionMajor, &major), "cublasLtGetProperty(MAJOR_VERSION)");
    check(cublasLtGetProperty(kVersionMinor, &minor), "cublasLtGetProperty(MINOR_VERSION)");
    check(cublasLtGetProperty(kVersionPatch, &patch), "cublasLtGetProperty(PATCH_LEVEL)");
    version = fmt::format("{}.{}.{}", major, minor, patch);
}

std::string CublasLt::describe(LtStatus status) const {
    const char* name = cublasLtGetStatusName ? cublasLtGetStatusName(status) : nullptr;
    return name ? name : fmt::format("cuBLAS status {}", status);
}

void CublasLt::check(LtStatus status, const char* call) const {
    if (status == kLtSuccess) return;
    const std::string text = fmt::format("cuBLASLt {}: {}: {}", version, call, describe(status));
    if (status == kLtAllocationFailed) throw DoesNotFit(text);
    if (status == kLtNotInitialized || status == kLtArchitectureMismatch || status == kLtNotSupported)
        throw Unsupported(text); // the first: with a driver older than it
    throw Error(text);
}

LibraryKernel library_product(
    Context& context, const std::shared_ptr<const CublasLt>& library, const ProductShape& shape) {
    auto kernel = std::make_unique<ProductKernel>(context, library, shape);
    std::string algorithm = kernel->algorithm();
    return {std::move(kernel), "cuBLASLt", library->version, library->file, std::move(algorithm)};
}

} // namespace sonde::cuda
