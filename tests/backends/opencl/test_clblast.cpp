// CLBlast as the OpenCL backend opens it, over this machine's OpenCL and a pretended library (tests/fake_clblast);
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
std::string_view clblast_folder() {
    const char* folder = std::getenv("SONDE_FAKE_CLBLAST_FOLDER");
    return folder ? folder : "";
}
std::unique_ptr<Device> device_with_clblast() {
    Opened opened = open_opencl();
    return opened.devices.empty() ? nullptr : std::move(opened.devices.front());
}
} // namespace

TEST_CASE("clblast: a product's kernel names library and file, is right, and is timed by the host; what is refused or "
          "fails is told with the call") {
    const auto device = clblast_folder() == "whole" ? device_with_clblast() : nullptr;
    if (!device) return skip("no OpenCL, or no pretended CLBlast is on the path");
    CHECK_THROWS_WITH_AS(device->library_kernel(ProductShape{kF16, 32}),
        "no product of f16 with sums in f32 by CLBlast is known", Unsupported);
    const LibraryKernel product = device->library_kernel(ProductShape{kF32, 32});
    CHECK(product.library == "CLBlast");
    CHECK(product.file.ends_with("libclblast.so.1"));
    CHECK(product.version == "1");
    CHECK(product.kernel->listing().kind.empty());
    const auto a = words::uploaded(*device, Space::global, words::Words(32 * 32, 0x40000000)),
               c = words::untouched(*device, 32 * 32 + 1); // of 2
    const Launch launch{.kernel = *product.kernel, .a = a.get(), .b = a.get(), .out = *c};
    const auto timings = device->run({&launch, 1});
    CHECK(timings.at(0).host_ns > 0);
    CHECK(!timings[0].device_ns);
    words::Words expected(32 * 32, 0x43000000); // 32 times 4
    expected.push_back(words::kUntouched);
    CHECK(words::downloaded(*device, *c, expected.size()) == expected);
    setenv("SONDE_FAKE_CLBLAST", "-11", 1);
    CHECK_THROWS_WITH_AS(device->run({&launch, 1}),
        "CLBlast 1: CLBlastSgemm: status -11: the driver does not compile its kernels", Unsupported);
    setenv("SONDE_FAKE_CLBLAST", "-4", 1);
    CHECK_THROWS_WITH_AS(device->run({&launch, 1}), "CLBlast 1: CLBlastSgemm: status -4", DoesNotFit);
    setenv("SONDE_FAKE_CLBLAST", "-36", 1);
    CHECK_THROWS_WITH_AS(device->run({&launch, 1}), "CLBlast 1: CLBlastSgemm: status -36", Error);
    unsetenv("SONDE_FAKE_CLBLAST");
}

TEST_CASE("clblast: a library that lacks a function, or none at all, is one line") {
    const bool incomplete = clblast_folder() == "incomplete", absent = clblast_folder().empty() &&
                                                                       !dlopen("libclblast.so.1", RTLD_NOW) &&
                                                                       !dlopen("libclblast.so", RTLD_NOW);
    const auto device = incomplete || absent ? device_with_clblast() : nullptr;
    if (!device) return skip("no OpenCL, or a CLBlast is here");
    CHECK_THROWS_WITH_AS(device->library_kernel(ProductShape{kF32, 32}),
        doctest::Contains(incomplete ? "incomplete/libclblast.so.1 has no CLBlastSgemm"
                                     : "libclblast is not installed: libclblast.so.1: cannot open shared object file"),
        Unsupported);
}
