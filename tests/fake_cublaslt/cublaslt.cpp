// A pretended libcublasLt.so.13: products on the host, by definitions of its own. It refuses what it is not given as
// the manual has it. SONDE_FAKE_CUBLASLT: "none" (no algorithm), "busy" (its products fail), "memory" (nothing can be
// made).
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <vector>

#include "backends/cuda/cublaslt.h"

using namespace sonde::cuda;

#define EXPORT extern "C" __attribute__((visibility("default")))
#define FAKE_DECLARE(need, name, result, parameters) EXPORT result name parameters;
SONDE_CUBLASLT_ENTRY_POINTS(FAKE_DECLARE)
#undef FAKE_DECLARE

namespace sonde::cuda {
struct OpaqueLt {};
struct OpaqueLtPreference {
    std::uint64_t workspace_bytes = 0;
};
struct OpaqueLtLayout {
    int type;
    std::uint64_t rows, columns;
    std::int64_t leading;
};
struct OpaqueLtOperation {
    int compute, scale_type;
    std::int32_t transpose_a = 0, transpose_b = 0;
    const float *scale_a = nullptr, *scale_b = nullptr;
};
} // namespace sonde::cuda

namespace {
constexpr LtStatus kInvalidValueStatus = 7, kExecutionFailed = 13;
constexpr std::uint64_t kNeededWorkspace = 4096, kMark = 0x50a1;
std::set<const void*> live;

bool is(const char* fault) {
    const char* script = std::getenv("SONDE_FAKE_CUBLASLT");
    return script && std::string_view(script) == fault;
}
template <class Object> LtStatus make(Object** out, Object made) {
    if (is("memory")) return kLtAllocationFailed;
    *out = new Object(made);
    live.insert(*out);
    return kLtSuccess;
}
template <class Object> LtStatus destroy(Object* object) {
    if (!live.erase(object)) return kInvalidValueStatus;
    delete object;
    return kLtSuccess;
}
template <class Value> LtStatus set(Value& to, const void* value, std::size_t bytes) {
    if (bytes != sizeof to) return kInvalidValueStatus;
    std::memcpy(&to, value, bytes);
    return kLtSuccess;
}

/// A number of a type, read from its bits.
[[maybe_unused]] float number(int type, const void* from, std::uint64_t index) {
    std::uint32_t bits = 0;
    const std::size_t bytes = type == kTypeF32 ? 4 : type == kTypeE4m3 ? 1 : 2;
    std::memcpy(&bits, static_cast<const char*>(from) + index * bytes, bytes);
    float value = 0;
    if (type == kTypeF32 || type == kTypeBf16) {
        bits <<= type == kTypeBf16 ? 16 : 0;
        std::memcpy(&value, &bits, 4);
        return value;
    }
    const int exponent = type == kTypeF16 ? 5 : 4, mantissa = type == kTypeF16 ? 10 : 3,
              bias = type == kTypeF16 ? 15 : 7;
    const int field = static_cast<int>(bits >> mantissa & ((1u << exponent) - 1)),
              fraction = static_cast<int>(bits & ((1u << mantissa) - 1));
    value =
        std::ldexp(static_cast<float>((field ? 1 << mantissa : 0) + fraction), std::max(field, 1) - bias - mantissa);
    return bits >> (exponent + mantissa) & 1 ? -value : value;
}

bool can(const OpaqueLtOperation& operation, const OpaqueLtLayout& a, const OpaqueLtLayout& b, const OpaqueLtLayout& c,
    const OpaqueLtLayout& d) {
    const bool float8 = a.type == kTypeE4m3, compute = operation.compute == kComputeF32 ||
                                                       (operation.compute == kComputeFastTf32 && a.type == kTypeF32);
    const bool scaled = operation.scale_a && operation.scale_b && *operation.scale_a == 1 && *operation.scale_b == 1;
    return compute && operation.scale_type == kTypeF32 && a.type == b.type && c.type == kTypeF32 &&
           d.type == kTypeF32 &&
           (!float8 || (operation.transpose_a == kTransposed && operation.transpose_b == kNotTransposed && scaled));
}
} // namespace

EXPORT std::size_t sonde_fake_cublaslt_live();
std::size_t sonde_fake_cublaslt_live() { return live.size(); }

LtStatus cublasLtGetProperty(int which, int* value) {
    return *value = which == kVersionMajor ? 13 : which == kVersionMinor ? 2 : 1, kLtSuccess;
}
const char* cublasLtGetStatusName(LtStatus status) {
    return status == kLtNotSupported       ? "CUBLAS_STATUS_NOT_SUPPORTED"
           : status == kExecutionFailed    ? "CUBLAS_STATUS_EXECUTION_FAILED"
           : status == kLtAllocationFailed ? "CUBLAS_STATUS_ALLOC_FAILED"
                                           : "CUBLAS_STATUS_INVALID_VALUE";
}
LtStatus cublasLtCreate(LtHandle* handle) { return make(handle, {}); }
LtStatus cublasLtDestroy(LtHandle handle) { return destroy(handle); }
LtStatus cublasLtMatmulDescCreate(LtOperation* operation, int compute, int scale_type) {
    return make(operation, {compute, scale_type});
}
LtStatus cublasLtMatmulDescSetAttribute(LtOperation operation, int attribute, const void* value, std::size_t bytes) {
    if (attribute == kTransposeA) return set(operation->transpose_a, value, bytes);
    if (attribute == kTransposeB) return set(operation->transpose_b, value, bytes);
    if (attribute == kScalePointerA) return set(operation->scale_a, value, bytes);
    return attribute == kScalePointerB ? set(operation->scale_b, value, bytes) : kInvalidValueStatus;
}
LtStatus cublasLtMatmulDescDestroy(LtOperation operation) { return destroy(operation); }
LtStatus cublasLtMatrixLayoutCreate(
    LtLayout* layout, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
    return make(layout, {type, rows, columns, leading});
}
LtStatus cublasLtMatrixLayoutDestroy(LtLayout layout) { return destroy(layout); }
LtStatus cublasLtMatmulPreferenceCreate(LtPreference* preference) { return make(preference, {}); }
LtStatus cublasLtMatmulPreferenceSetAttribute(
    LtPreference preference, int attribute, const void* value, std::size_t bytes) {
    return attribute == kMostWorkspaceBytes ? set(preference->workspace_bytes, value, bytes) : kInvalidValueStatus;
}
LtStatus cublasLtMatmulPreferenceDestroy(LtPreference preference) { return destroy(preference); }
LtStatus cublasLtMatmulAlgoGetHeuristic(LtHandle handle, LtOperation operation, LtLayout a, LtLayout b, LtLayout c,
    LtLayout d, LtPreference preference, int wanted, LtFound* found, int* count) {
    if (!live.contains(handle) || wanted != 1) return kInvalidValueStatus;
    if (is("none") || !can(*operation, *a, *b, *c, *d) || preference->workspace_bytes < kNeededWorkspace)
        return kLtNotSupported;
    *found = {}, found->algorithm.data[0] = kMark, found->workspace_bytes = kNeededWorkspace, *count = 1;
    return kLtSuccess;
}
LtStatus cublasLtMatmulAlgoConfigGetAttribute(
    const LtAlgorithm* algorithm, int attribute, void* value, std::size_t bytes, std::size_t* written) {
    if (algorithm->data[0] != kMark || bytes != 4) return kInvalidValueStatus;
    const std::int32_t number = attribute == kAlgorithmId ? 66 : 20;
    std::memcpy(value, &number, 4);
    *written = 4;
    return kLtSuccess;
}

#if !defined SONDE_FAKE_CUBLASLT_INCOMPLETE
LtStatus cublasLtMatmul(LtHandle handle, LtOperation operation, const void* alpha, const void* a, LtLayout a_layout,
    const void* b, LtLayout b_layout, const void* beta, const void* c, LtLayout c_layout, void* d, LtLayout d_layout,
    const LtAlgorithm* algorithm, void* workspace, std::size_t workspace_bytes, StreamHandle stream) {
    if (is("busy")) return kExecutionFailed;
    const bool given = live.contains(handle) && a && b && c == d && d && stream && algorithm->data[0] == kMark &&
                       workspace && workspace_bytes == kNeededWorkspace;
    if (!given || !can(*operation, *a_layout, *b_layout, *c_layout, *d_layout) ||
        *static_cast<const float*>(alpha) != 1 || *static_cast<const float*>(beta) != 0)
        return kInvalidValueStatus;
    const std::uint64_t rows = d_layout->rows;
    const auto place = [](const OpaqueLtLayout& layout, bool transposed, std::uint64_t row, std::uint64_t column) {
        return transposed ? row * layout.leading + column : column * layout.leading + row;
    };
    for (std::uint64_t row = 0; row < rows; ++row)
        for (std::uint64_t column = 0; column < d_layout->columns; ++column) {
            float sum = 0;
            for (std::uint64_t k = 0; k < a_layout->rows; ++k)
                sum += number(a_layout->type, a, place(*a_layout, operation->transpose_a == kTransposed, row, k)) *
                       number(b_layout->type, b, place(*b_layout, operation->transpose_b == kTransposed, k, column));
            static_cast<float*>(d)[column * d_layout->leading + row] = sum;
        }
    return kLtSuccess;
}
#endif
