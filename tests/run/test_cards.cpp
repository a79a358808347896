// The same physical card seen through several APIs is one card.
#include <tuple>

#include <doctest/doctest.h>

#include "core/device/capability.h"
#include "core/device/issue.h"
#include "core/run/cards.h"
#include "core/run/fleet.h"
#include "core/run/run.h"

using namespace sonde;

namespace {
DeviceInfo listed(const char* id, const char* name, const char* uuid = "", const char* pci = "", bool cpu = false) {
    return {.id = id,
        .api = std::string(id).substr(0, std::string(id).find(':')),
        .name = name,
        .cpu = cpu,
        .uuid = uuid,
        .pci = pci};
}
using Names = std::vector<std::string>;
} // namespace

TEST_CASE("a card's last level is the largest cache that any of its devices reports") {
    std::vector<Fleet::Entry> devices;
    for (const auto& [id, card, bytes] : {std::tuple{"cuda:0", "aa", 62914560u}, {"opencl:0.0", "cpu", 314572800u},
             {"opencl:1.0", "aa", 4325376u}, {"vulkan:0", "aa", 0u}, {"vulkan:1", "bb", 0u}}) {
        devices.push_back({{listed(id, card), card}, {}, {}, nullptr});
        devices.back().info.cache_bytes = bytes;
    }
    CHECK(largest_cache(devices, "aa") == 62914560);
    CHECK(largest_cache(devices, "bb") == 0);
}

TEST_CASE("a UUID ties devices of different names") {
    const std::vector devices{
        listed("cuda:0", "H200", "aa"), listed("opencl:1.0", "NVIDIA H200", "aa"), listed("vulkan:0", "H200", "bb")};
    CHECK(card_names(devices) == Names{"aa", "aa", "bb"});
}

TEST_CASE("without a UUID the PCI address ties, and without both the name, where each API shows one of it") {
    CHECK(card_names(std::vector{listed("cuda:0", "A", "aa", "0000:01:00.0"),
              listed("opencl:0.0", "B", "", "0000:01:00.0")}) == Names{"aa", "aa"});
    CHECK(card_names(std::vector{listed("cuda:0", "K80"), listed("vulkan:0", "K80")}) == Names{"K80", "K80"});
    const Names twins = card_names(
        std::vector{listed("cuda:0", "K80", "aa"), listed("cuda:1", "K80", "bb"), listed("opencl:0.0", "K80")});
    CHECK(twins[0] != twins[1]);
    CHECK(twins[2] == "K80"); // which of the two cannot be told
}

TEST_CASE("two cards of one model stay two through every API") {
    const std::vector devices{listed("cuda:0", "H200", "aa"), listed("cuda:1", "H200", "bb"),
        listed("vulkan:0", "H200", "bb"), listed("vulkan:1", "H200", "aa")};
    CHECK(card_names(devices) == Names{"aa", "bb", "bb", "aa"});
}

TEST_CASE("two cards of one model that no address tells apart are two, and one without a name is named by its device") {
    CHECK(card_names(std::vector{listed("opencl:0.0", "K80"), listed("opencl:0.1", "K80")}) == Names{"K80", "K80 #2"});
    CHECK(card_names(std::vector{listed("opencl:0.0", "")}) == Names{"opencl:0.0"});
}

TEST_CASE("every device of type CPU is this machine's processor") {
    const std::vector devices{listed("host:0", "AMD EPYC", "", "", true),
        listed("opencl:0.0", "pthread-skylake", "", "", true), listed("vulkan:0", "llvmpipe", "6d657361", "", true),
        listed("cuda:0", "AMD EPYC")};
    CHECK(card_names(devices) == Names{"cpu", "cpu", "cpu", "AMD EPYC"});
}

TEST_CASE("cores that an API does not tell are those of the card's other APIs, else of its board, else counted") {
    const auto known = [](std::uint32_t cuda, const char* pci_id, std::uint32_t counted) {
        DeviceRecord first{listed("cuda:0", "A", "aa"), "aa"}, second{listed("vulkan:0", "A", "aa"), "aa"};
        first.cores = cuda, second.pci_id = pci_id;
        std::vector<DeviceRecord*> card{&first, &second};
        int asked = 0;
        know_cores(card, [&] { return ++asked, counted; });
        CHECK(first.cores == second.cores);
        return std::tuple(second.cores, asked, second.facts.empty() ? "" : second.facts.back().source);
    };
    CHECK(known(7, "10de:1180", 3) == std::tuple(7u, 0, "cuda:0"));
    CHECK(known(0, "10de:1180", 3) == std::tuple(8u, 0, "table of boards, GeForce GTX 680"));
    CHECK(known(0, "10de:ffff", 3) == std::tuple(3u, 1, "counted by workgroups that run side by side"));
    CHECK(known(0, "", 0) == std::tuple(0u, 1, ""));
    DeviceRecord processor{listed("vulkan:1", "llvmpipe", "", "", true), "cpu"};
    std::vector<DeviceRecord*> card{&processor};
    know_cores(card, [] { return 5u; });
    CHECK(processor.cores == 0);
}

TEST_CASE("a card's compute capability is that of all its devices; who tells it keeps its own") {
    DeviceRecord cuda{listed("cuda:0", "H200", "", ""), "a"}, vulkan{listed("vulkan:0", "H200", "", ""), "a"},
        other{listed("opencl:0", "Radeon", "", ""), "b"};
    cuda.facts.push_back({"compute capability", "9.0", "cuDeviceGetAttribute"});
    std::vector<DeviceRecord*> card{&vulkan, &cuda}, without{&other};
    know_capability(card), know_capability(without);
    REQUIRE(vulkan.facts.size() == 1);
    CHECK(compute_capability(vulkan.facts) == 90);
    CHECK(vulkan.facts[0].source == "cuda:0");
    CHECK(documented_issue(vulkan.facts) == documented_issue(cuda.facts));
    CHECK(cuda.facts.size() == 1);
    CHECK(other.facts.empty());
}
