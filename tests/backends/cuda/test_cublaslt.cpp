// cuBLASLt as the CUDA backend opens it, over a pretended driver and a pretended library (tests/fake_cublaslt);
// elsewhere the cases have nothing to do.
#include <doctest/doctest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <string_view>

#include "backends/backends.h"
#include "core/device/matrix_form.h"
#include "tests/backends/device_words.h"
#include "tests/required.h"

using namespace sonde;

namespace {
/// Which pretended library ctest put on the path; empty: none.
std::string_view cublaslt_folder() {
    const char* folder = std::getenv("SONDE_FAKE_CUBLASLT");
    return folder ? folder : "";
}
std::unique_ptr<Device> card_with_cublaslt() {
    Opened opened = open_cuda();
    REQUIRE_MESSAGE(opened.devices.size() == 1, opened.absent);
    return std::move(opened.devices.front());
}
std::size_t live_in_cublaslt() {
    void* const library = dlopen("libcublasLt.so.13", RTLD_NOW | RTLD_NOLOAD);
    const auto count =
        reinterpret_cast<std::size_t (*)()>(library ? dlsym(library, "sonde_fake_cublaslt_live") : nullptr);
    REQUIRE((count != nullptr));
    return count();
}
/// What the pretended library does from now on.
struct LibraryScript {
    explicit LibraryScript(const char* fault) { setenv("SONDE_FAKE_CUBLASLT", fault, 1); }
    ~LibraryScript() { setenv("SONDE_FAKE_CUBLASLT", "whole", 1); }
};
} // namespace

TEST_CASE("cublaslt: a product's kernel names library, version, file and algorithm, and leaves nothing behind") {
    if (cublaslt_folder() != "whole") return skip("no pretended cuBLASLt is on the path");
    const auto device = card_with_cublaslt();
    {
        const LibraryKernel product = device->library_kernel(ProductShape{kE4m3, 32});
        CHECK(product.library == "cuBLASLt");
        CHECK(product.version == "13.2.1");
        CHECK(product.file.ends_with("libcublasLt.so.13"));
        CHECK(product.algorithm == "66, tile 20");
        CHECK(product.kernel->listing().kind.empty());
        CHECK(live_in_cublaslt() == 4); // handle, operation and two layouts
    }
    CHECK(live_in_cublaslt() == 0);
}

TEST_CASE("cublaslt: what the library refuses, and what fails in it, is told with the call and the status") {
    if (cublaslt_folder() != "whole") return skip("no pretended cuBLASLt is on the path");
    const auto device = card_with_cublaslt();
    CHECK_THROWS_WITH_AS(
        device->library_kernel(ProductShape{kF64, 32}), "no product of f64 by cuBLASLt is known", Unsupported);
    {
        const LibraryScript none("none");
        CHECK_THROWS_WITH_AS(device->library_kernel(ProductShape{kF16, 32}),
            "cuBLASLt 13.2.1 names no algorithm for f16 matrices of 32 rows with sums in f32 "
            "(cublasLtMatmulAlgoGetHeuristic: CUBLAS_STATUS_NOT_SUPPORTED, 0 found)",
            Unsupported);
    }
    {
        const LibraryScript memory("memory");
        CHECK_THROWS_WITH_AS(device->library_kernel(ProductShape{kF16, 32}),
            "cuBLASLt 13.2.1: cublasLtCreate(&made): CUBLAS_STATUS_ALLOC_FAILED", DoesNotFit);
    }
    const LibraryKernel product = device->library_kernel(ProductShape{kF32, 32});
    const auto a = words::untouched(*device, 32 * 32), c = words::untouched(*device, 32 * 32);
    const Launch launch{.kernel = *product.kernel, .a = a.get(), .b = a.get(), .out = *c};
    const LibraryScript busy("busy");
    CHECK_THROWS_WITH_AS(device->run({&launch, 1}), doctest::Contains("): CUBLAS_STATUS_EXECUTION_FAILED"), Error);
}

TEST_CASE("cublaslt: a library that lacks a function, or none at all, is one line") {
    if (cublaslt_folder() == "incomplete") {
        CHECK_THROWS_WITH_AS(card_with_cublaslt()->library_kernel(ProductShape{kF16, 32}),
            doctest::Contains("incomplete/libcublasLt.so.13 has no cublasLtMatmul"), Unsupported);
        return;
    }
    if (!std::getenv("SONDE_FAKE_CUDA") || !cublaslt_folder().empty() || dlopen("libcublasLt.so.13", RTLD_NOW) ||
        open_cuda().devices.empty())
        return skip("no pretended driver, or a cuBLASLt is here");
    CHECK_THROWS_WITH_AS(card_with_cublaslt()->library_kernel(ProductShape{kF16, 32}),
        doctest::Contains("libcublasLt is not installed: libcublasLt.so.13: cannot open shared object file"),
        Unsupported);
}
