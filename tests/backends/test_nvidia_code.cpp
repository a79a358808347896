// The shader object is found in a pipeline cache as NVIDIA's driver packs it, and a cache that holds none says so.
#include <doctest/doctest.h>

#include "backends/nvidia_code.h"
#include "core/base/library.h"
#include "tests/required.h"

using namespace sonde;

namespace {
/// A zstd frame; empty where no libzstd is here.
std::string packed(const std::string& text) {
    const Library zstd{"libzstd.so.1"};
    std::size_t (*compress)(void*, std::size_t, const void*, std::size_t, int) = nullptr;
    if (!zstd || !zstd.load(compress, "ZSTD_compress")) return {};
    std::string frame(text.size() + 1024, '\0');
    frame.resize(compress(frame.data(), frame.size(), text.data(), text.size(), 3));
    return frame;
}
} // namespace

TEST_CASE("nvidia: the shader object in a pipeline cache, behind other entries") {
    const std::string object = "NVuc" + std::string(5000, 'x') + "end", frame = packed("NVDANVVM" + object),
                      other = packed("no object here");
    if (frame.empty()) return skip("libzstd.so.1 is not here");
    const std::string header(100, '\1');
    CHECK(nvidia::code_in_cache(header + frame) == object);
    CHECK(nvidia::code_in_cache(header + other + "between" + frame + "behind it") == object);
    for (const std::string& cache : {std::string(), header, header + other, header + frame.substr(0, frame.size() / 2)})
        CHECK_THROWS_WITH(
            nvidia::code_in_cache(cache), "the driver's pipeline cache holds no shader object of a known format");
}

TEST_CASE("nvidia: where there is no SASS, the other listing says why") {
    const Listing listing =
        nvidia::sass_or({"spirv", "text"}, []() -> Listing { throw Error("nvdisasm is not on the PATH\nand more"); });
    CHECK(listing.kind == "spirv");
    CHECK(listing.text == "text");
    CHECK(listing.note == "no SASS: nvdisasm is not on the PATH");
}
