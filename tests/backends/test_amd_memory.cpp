// The memory bus in answers of amdgpu's.
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "backends/amd_memory.h"

using namespace sonde;

namespace {
/// What amdgpu answers, as far as it matters; `bytes`: of a kernel's structure.
std::vector<std::byte> answer(std::uint32_t type, std::uint32_t bits, std::uint64_t khz, std::size_t bytes = 368) {
    std::vector<std::byte> all(bytes, std::byte{0xa5});
    std::memcpy(&all[40], &khz, sizeof khz);
    std::memcpy(&all[176], &type, sizeof type);
    std::memcpy(&all[180], &bits, sizeof bits);
    return all;
}
double gigabytes(std::uint32_t type, std::uint32_t bits, std::uint64_t khz) {
    return amd_memory_in(answer(type, bits, khz))->bytes_per_second() / 1e9;
}
} // namespace

TEST_CASE("amdgpu's answer gives the bandwidth that the cards' data sheets have") {
    CHECK(gigabytes(9, 256, 1000000) == doctest::Approx(512));   // RX 6800 XT
    CHECK(gigabytes(9, 128, 875000) == doctest::Approx(224));    // RX 6600
    CHECK(gigabytes(5, 256, 2000000) == doctest::Approx(256));   // RX 580
    CHECK(gigabytes(6, 4096, 1000000) == doctest::Approx(1024)); // Radeon VII
    CHECK(gigabytes(9, 384, 1250000) == doctest::Approx(960));   // RX 7900 XTX
}

TEST_CASE("of an unknown type of memory, or a kernel that answers less, nothing is told") {
    CHECK(gigabytes(0, 256, 1000000) == 0);
    CHECK(gigabytes(99, 256, 1000000) == 0);
    const auto shorter = answer(9, 256, 1000000, 184);
    CHECK(amd_memory_in(shorter).has_value());
    CHECK_FALSE(amd_memory_in(std::span(shorter).first(183)).has_value());
    DeviceInfo info{.id = "vulkan:0"};
    add_amd_memory(info); // no address
    CHECK(info.bus_bytes_per_second == 0);
    CHECK(info.facts.empty());
}
