// The memory bus in answers of amdgpu's.
#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "backends/amd_memory.h"
#include "tests/command.h"

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

TEST_CASE("a card that amdgpu does not drive has the bandwidth of its model, where one model alone has its PCI id") {
    CHECK(amd_bytes_per_second(0x67b1, 0x00) == 320e9); // R9 290
    CHECK(amd_bytes_per_second(0x67b1, 0x80) == 384e9); // R9 390
    CHECK(amd_bytes_per_second(0x6798, 0x00) == 0);     // HD 7970 or R9 280X
    const command::Folder cards;
    const std::filesystem::path card = cards.path / "0000:01:00.0";
    std::filesystem::create_directories(card);
    std::filesystem::create_directory_symlink("/sys/bus/pci/drivers/radeon", card / "driver");
    const auto told = [&](const char* vendor, const char* device, const char* revision) {
        std::ofstream(card / "vendor") << vendor << '\n';
        std::ofstream(card / "device") << device << '\n';
        std::ofstream(card / "revision") << revision << '\n';
        DeviceInfo info{.pci = "0000:01:00.0"};
        add_amd_memory(info, cards.path);
        CHECK(info.facts.size() == (info.bus_bytes_per_second > 0 ? 1 : 0));
        return info.bus_bytes_per_second;
    };
    CHECK(told("0x1002", "0x679a", "0x00") == 240e9);
    CHECK(told("0x1002", "0x67b0", "0x80") == 384e9);
    CHECK(told("0x1002", "0x6798", "0x00") == 0);
    CHECK(told("0x10de", "0x679a", "0x00") == 0); // another maker's
    DeviceInfo absent{.pci = "0000:02:00.0"};
    add_amd_memory(absent, cards.path);
    CHECK(absent.bus_bytes_per_second == 0);
}
