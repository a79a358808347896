// cuBLASLt as far as this backend uses it: own declarations, found in libcublasLt.so at run time, no cublasLt.h; and
// its products as kernels.
#pragma once
#include <string>

#include "backends/cuda/kernel.h"

namespace sonde::cuda {

using LtStatus = int; // cublasStatus_t
using LtHandle = struct OpaqueLt*;
using LtOperation = struct OpaqueLtOperation*;   // cublasLtMatmulDesc_t
using LtLayout = struct OpaqueLtLayout*;         // cublasLtMatrixLayout_t
using LtPreference = struct OpaqueLtPreference*; // cublasLtMatmulPreference_t

inline constexpr LtStatus kLtSuccess = 0, kLtNotInitialized = 1, kLtAllocationFailed = 3, kLtArchitectureMismatch = 8,
                          kLtNotSupported = 15;
inline constexpr int kTypeF32 = 0, kTypeF16 = 2, kTypeBf16 = 14, kTypeE4m3 = 28; // cudaDataType_t
inline constexpr int kComputeF32 = 68, kComputeFastTf32 = 77;                    // cublasComputeType_t
inline constexpr int kTransposeA = 3, kTransposeB = 4, kScalePointerA = 17,
                     kScalePointerB = 18;                                     // cublasLtMatmulDescAttributes_t
inline constexpr std::int32_t kNotTransposed = 0, kTransposed = 1;            // cublasOperation_t
inline constexpr int kMostWorkspaceBytes = 1;                                 // cublasLtMatmulPreferenceAttributes_t
inline constexpr int kAlgorithmId = 0, kAlgorithmTile = 1;                    // cublasLtMatmulAlgoConfigAttributes_t
inline constexpr int kVersionMajor = 0, kVersionMinor = 1, kVersionPatch = 2; // libraryPropertyType_t

/// cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t.
struct LtAlgorithm {
    std::uint64_t data[8] = {};
};
struct LtFound {
    LtAlgorithm algorithm{};
    std::size_t workspace_bytes = 0;
    LtStatus state = kLtSuccess;
    float waves = 0;
    int reserved[4] = {};
};

// Every entry point: X(need, name, result, parameters).
// clang-format off
#define SONDE_CUBLASLT_ENTRY_POINTS(X)                                                                                 \
    X(required, cublasLtGetProperty, LtStatus, (int which, int* value))                                                \
    X(optional, cublasLtGetStatusName, const char*, (LtStatus status))                                                 \
    X(required, cublasLtCreate, LtStatus, (LtHandle* handle))                                                          \
    X(required, cublasLtDestroy, LtStatus, (LtHandle handle))                                                          \
    X(required, cublasLtMatmulDescCreate, LtStatus, (LtOperation* operation, int compute, int scale_type))             \
    X(required, cublasLtMatmulDescSetAttribute, LtStatus, (LtOperation operation, int attribute, const void* value,    \
      std::size_t bytes))                                                                                              \
    X(required, cublasLtMatmulDescDestroy, LtStatus, (LtOperation operation))                                          \
    X(required, cublasLtMatrixLayoutCreate, LtStatus, (LtLayout* layout, int type, std::uint64_t rows,                 \
      std::uint64_t columns,                                                                                           \
      std::int64_t leading))                                                                                           \
    X(required, cublasLtMatrixLayoutDestroy, LtStatus, (LtLayout layout))                                              \
    X(required, cublasLtMatmulPreferenceCreate, LtStatus, (LtPreference* preference))                                  \
    X(required, cublasLtMatmulPreferenceSetAttribute, LtStatus, (LtPreference preference, int attribute,               \
      const void* value,                                                                                               \
      std::size_t bytes))                                                                                              \
    X(required, cublasLtMatmulPreferenceDestroy, LtStatus, (LtPreference preference))                                  \
    X(required, cublasLtMatmulAlgoGetHeuristic, LtStatus, (LtHandle handle, LtOperation operation, LtLayout a,         \
      LtLayout b, LtLayout c,                                                                                          \
      LtLayout d, LtPreference preference, int wanted, LtFound* found, int* count))                                    \
    X(optional, cublasLtMatmulAlgoConfigGetAttribute, LtStatus, (const LtAlgorithm* algorithm, int attribute,          \
      void* value,                                                                                                     \
      std::size_t bytes, std::size_t* written))                                                                        \
    X(required, cublasLtMatmul, LtStatus, (LtHandle handle, LtOperation operation, const void* alpha, const void* a,   \
      LtLayout a_layout,                                                                                               \
      const void* b, LtLayout b_layout, const void* beta, const void* c, LtLayout c_layout, void* d,                   \
        LtLayout d_layout,                                                                                             \
      const LtAlgorithm* algorithm, void* workspace, std::size_t workspace_bytes, StreamHandle stream))
// clang-format on

/// The library of this machine. Throws Unsupported (one line) when there is none, or one that lacks a function.
struct CublasLt {
    CublasLt();
#define SONDE_DECLARE(need, name, result, parameters) result(*name) parameters = nullptr;
    SONDE_CUBLASLT_ENTRY_POINTS(SONDE_DECLARE)
#undef SONDE_DECLARE
    std::string version{}, file{};

    /// "CUBLAS_STATUS_NOT_SUPPORTED"
    std::string describe(LtStatus) const;
    /// Throws the call's text and the status: Unsupported, DoesNotFit or Error. Nothing on success.
    void check(LtStatus, const char* call) const;
};

/// The product as the first algorithm does it that the library's heuristics name. Throws Unsupported where they name
/// none.
LibraryKernel library_product(Context&, const std::shared_ptr<const CublasLt>&, const ProductShape&);

} // namespace sonde::cuda
