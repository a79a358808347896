// VkFFT as the OpenCL backend opens it, over this machine's OpenCL and a pretended module (tests/fake_vkfft) or the
// true one; elsewhere the cases have nothing to do.
#include <doctest/doctest.h>

#include <bit>
#include <cstdlib>
#include <string_view>

#include "backends/backends.h"
#include "tests/backends/device_words.h"
#include "tests/required.h"

using namespace sonde;

namespace {
/// Which module ctest named; empty: none.
std::string_view vkfft_named() {
    const char* name = std::getenv("SONDE_TEST_VKFFT");
    return name ? name : "";
}
std::unique_ptr<Device> device_with_vkfft(bool wanted) {
    Opened opened = wanted ? open_opencl() : Opened{};
    return opened.devices.empty() ? nullptr : std::move(opened.devices.front());
}
} // namespace

TEST_CASE(
    "vkfft: a transform's kernel names library and file, transforms both ways in place, and is timed by the host") {
    const auto device = device_with_vkfft(vkfft_named() == "whole" || vkfft_named() == "module");
    if (!device) return skip("no OpenCL, or no module of VkFFT is named");
    const LibraryKernel transform = device->library_kernel(TransformShape{8, 2});
    CHECK(transform.library == "VkFFT");
    CHECK(transform.file.ends_with("libsonde_vkfft.so"));
    CHECK(transform.algorithm == "1 pass");
    if (vkfft_named() == "whole") CHECK(transform.version == "9.8.7");
    CHECK(transform.kernel->listing().kind.empty());
    words::Words start(32, 0);
    for (const std::uint32_t real : {0u, 16u})
        start[real] = std::bit_cast<std::uint32_t>(8.0f); // an impulse in each: its frequencies are alike
    const auto points = words::uploaded(*device, Space::global, start);
    words::Words frequencies(32, 0);
    for (std::size_t word = 0; word < frequencies.size(); word += 2)
        frequencies[word] = std::bit_cast<std::uint32_t>(8.0f);
    for (const std::uint32_t back : {0u, 1u}) {
        const Launch launch{.kernel = *transform.kernel, .out = *points, .args = {&back, 1}};
        const auto timings = device->run({&launch, 1});
        CHECK(timings.at(0).host_ns > 0);
        CHECK(!timings[0].device_ns);
        const words::Words found = words::downloaded(*device, *points, 32);
        for (std::size_t word = 0; word < found.size(); ++word)
            CHECK(std::bit_cast<float>(found[word]) ==
                  doctest::Approx(std::bit_cast<float>((back ? start : frequencies)[word])));
    }
}

TEST_CASE("vkfft: what fails is told with the call and the result") {
    const auto device = device_with_vkfft(vkfft_named() == "whole");
    if (!device) return skip("no OpenCL, or no pretended module of VkFFT is named");
    const LibraryKernel transform = device->library_kernel(TransformShape{8, 1});
    const auto points = words::uploaded(*device, Space::global, words::Words(16, 0));
    const Launch launch{.kernel = *transform.kernel, .out = *points};
    setenv("SONDE_FAKE_VKFFT", "4031", 1);
    CHECK_THROWS_WITH_AS(device->library_kernel(TransformShape{8, 1}),
        "VkFFT 9.8.7: initializeVkFFT: result 4031: the driver does not compile its kernels", Unsupported);
    setenv("SONDE_FAKE_VKFFT", "3002", 1);
    CHECK_THROWS_WITH_AS(device->library_kernel(TransformShape{8, 1}),
        "VkFFT 9.8.7: initializeVkFFT: result 3002: no transform of this length", Unsupported);
    setenv("SONDE_FAKE_VKFFT", "4001", 1);
    CHECK_THROWS_WITH_AS(
        device->library_kernel(TransformShape{8, 1}), "VkFFT 9.8.7: initializeVkFFT: result 4001", DoesNotFit);
    setenv("SONDE_FAKE_VKFFT", "4039", 1);
    CHECK_THROWS_WITH_AS(device->run({&launch, 1}), "VkFFT 9.8.7: VkFFTAppend: result 4039", Error);
    unsetenv("SONDE_FAKE_VKFFT");
}

TEST_CASE("vkfft: a module that lacks a function, or none at all, is one line that says what to do") {
    const bool incomplete = vkfft_named() == "incomplete";
    const auto device = device_with_vkfft(incomplete || vkfft_named() == "absent");
    if (!device) return skip("no OpenCL, or a module of VkFFT is here");
    CHECK_THROWS_WITH_AS(device->library_kernel(TransformShape{8, 1}),
        doctest::Contains(incomplete ? "incomplete/libsonde_vkfft.so has no sonde_vkfft_append"
                                     : "libsonde_vkfft.so: cannot open shared object file: No such file or directory): "
                                       "install libvkfft-dev and build Sonde"),
        Unsupported);
}
