// What is asked of compilers of several times: the words of a kernel's text.
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "backends/opencl/describe.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/device/kernel_source.h"
#include "tests/required.h"
#include "tests/says.h"

using namespace sonde;

namespace {
/// A card of NVIDIA's of compute capability 8.0, with the vendor's query alone.
opencl::Api pretended_card() {
    opencl::Api api;
    api.clGetDeviceInfo = [](cl_device_id, cl_device_info query, std::size_t room, void* value, std::size_t* bytes) {
        const std::string extensions = "cl_nv_device_attribute_query";
        const cl_uint major = 8, minor = 0;
        const auto answer = [&](const void* data, std::size_t size) {
            if (bytes) *bytes = size;
            if (value && room >= size) std::memcpy(value, data, size);
            return cl_int{CL_SUCCESS};
        };
        if (query == CL_DEVICE_EXTENSIONS) return answer(extensions.c_str(), extensions.size() + 1);
        if (query == CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV) return answer(&major, sizeof major);
        if (query == CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV) return answer(&minor, sizeof minor);
        return cl_int{CL_INVALID_VALUE};
    };
    return api;
}

/// A kernel's text behind the preprocessor of a compiler that is no clang.
std::string preprocessed(const char* kernel, Build build, const opencl::Compiler& compiler) {
    build.a = &path_named("global");
    build.group_size = 64;
    const File text = File::temporary(opencl::source_text(kernel_source(kernel), build, compiler));
    const std::string all =
        run_program({"clang-14", "-E", "-P", "-x", "cl", "-cl-std=CL1.1", "-U__clang__", text.path().string()});
    const std::size_t behind = all.find("#pragma OPENCL EXTENSION all : disable"); // what clang itself declares
    return behind == all.npos ? all : all.substr(all.find('\n', behind));
}
} // namespace

TEST_CASE("opencl: inline PTX is asked for by the version that the driver speaks") {
    std::optional<opencl::Api> api;
    try {
        api = pretended_card();
    } catch (const Error& error) {
        return skip(error.what());
    }
    const auto lacking = [&](int ptx, Feature feature) {
        return opencl::why_lacking(*api, nullptr, {.vendor = opencl::Vendor::nvidia, .ptx = ptx}, feature, false);
    };
    struct Row {
        Feature feature;
        int first;
    };
    for (const Row& row : {Row{Feature::reduce, 70}, {Feature::acquire_release, 60}, {Feature::dot_product, 50},
             {Feature::float16, 42}, {Feature::mma, 70}, {Feature::mma_sparse, 71}, {Feature::shuffle, 30}}) {
        CAPTURE(row.first);
        CHECK(!lacking(row.first, row.feature));
        const auto reason = lacking(row.first - 1, row.feature);
        REQUIRE(reason);
        CHECK(says(*reason, fmt::format("needs PTX {}.{}", row.first / 10, row.first % 10)));
    }
}

TEST_CASE("opencl: shuffles and votes name their lanes from PTX 6.0 on, and are of the older form before") {
    if (!find_program({"clang-14"})) return skip("no clang is here");
    for (const auto& [ptx, sync] : {std::pair(50, false), {60, true}, {90, true}}) {
        CAPTURE(ptx);
        const std::string text = preprocessed("arithmetic",
            {.defines = {{"WIDTH", "1"}, {"CHAINS", "1"}, {"DEPENDENT", "1"}, {"OPERATION", "OP_SHUFFLE_U32"},
                 {"SECOND_OPERATION", "OP_SHUFFLE_U32"}}},
            {.vendor = opencl::Vendor::nvidia, .ptx = ptx});
        CHECK(says(text, "\"shfl\""));
        CHECK(says(text, "\".sync\"") == sync);
        CHECK(says(text, "0xffffffff\" \";") == sync);
    }
}

TEST_CASE("opencl: a compiler that does not say it is clang is given nothing but OpenCL C") {
    if (!find_program({"clang-14"})) return skip("no clang is here");
    for (const char* kernel :
        {"chase", "chain", "read", "write", "copy", "fill", "spin", "cores", "pattern", "atomics", "fft", "gemm"}) {
        CAPTURE(kernel);
        const std::string text = preprocessed(kernel,
            {.defines = {{"WIDTH", "1"}, {"LOADS", "4"}, {"TURNS", "1"}, {"LINK_WORDS", "1"}, {"OPERATION", "1"}}}, {});
        for (const char* beyond :
            {"_Pragma", "#pragma", "__asm__", "__builtin_amdgcn", "inline", "__extension__", "typeof"})
            CHECK_MESSAGE(!says(text, beyond), std::string(beyond));
        CHECK(says(text, "__kernel"));
    }
}
