// What the operating system tells and does: files, links of cards, memory.
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>
#include <sched.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/system.h"

using namespace sonde;
namespace fs = std::filesystem;

namespace {
/// A folder that goes with it.
struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "sonde-system-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path); }
};
} // namespace

TEST_CASE("threads take turns over the processors that the process may use, and the first keeps all of them") {
    const auto allowed = [](pid_t thread) {
        cpu_set_t set;
        REQUIRE(sched_getaffinity(thread, sizeof set, &set) == 0);
        return set;
    };
    const cpu_set_t before = allowed(getpid());
    std::latch told(3), pinned(1);
    std::array<std::atomic<pid_t>, 2> ids{};
    std::vector<std::jthread> threads;
    for (auto& id : ids)
        threads.emplace_back([&] {
            id = gettid();
            told.count_down();
            pinned.wait();
        });
    told.arrive_and_wait();
    pin_threads();
    const std::array sets{allowed(ids[0]), allowed(ids[1])};
    const cpu_set_t after = allowed(getpid());
    pinned.count_down();
    for (const cpu_set_t& set : sets) {
        cpu_set_t both;
        CPU_AND(&both, &set, &before);
        CHECK(CPU_COUNT(&set) == 1);
        CHECK(CPU_EQUAL(&both, &set)); // none that the process may not use
    }
    CHECK(CPU_EQUAL(&before, &after));
    if (CPU_COUNT(&before) > 1) CHECK_FALSE(CPU_EQUAL(&sets[0], &sets[1]));
}

TEST_CASE("a processor's caches are those of one core, without that of instructions; where sysfs shows none, what "
          "sysconf tells") {
    const Folder root;
    setenv("SONDE_SYSFS", root.path.c_str(), 1);
    const std::size_t otherwise = processor_caches().size();
    for (const auto& [index, level, type, size] :
        {std::tuple{0, 1, "Data", "32K"}, {1, 1, "Instruction", "64K"}, {2, 3, "Unified", "32768K"}}) {
        const fs::path folder = root.path / fmt::format("devices/system/cpu/cpu0/cache/index{}", index);
        fs::create_directories(folder);
        std::ofstream(folder / "level") << level << "\n";
        std::ofstream(folder / "type") << type << "\n";
        std::ofstream(folder / "size") << size << "\n";
    }
    const auto caches = processor_caches();
    unsetenv("SONDE_SYSFS");
    REQUIRE(caches.size() == 2);
    CHECK(caches[0].name == "L1 data cache");
    CHECK(caches[0].bytes == 32 << 10);
    CHECK(caches[1].name == "L3 cache");
    CHECK(caches[1].bytes == 32 << 20);
    CHECK(std::string(caches[1].source) == "sysfs");
    CHECK(otherwise <= 3);
}

TEST_CASE("a host link is what the slot carries at most, less its encoding") {
    const Folder root;
    const fs::path card = root.path / "bus/pci/devices/0000:65:00.0";
    fs::create_directories(card);
    setenv("SONDE_SYSFS", root.path.c_str(), 1);
    struct Row {
        const char *speed, *width;
        double gigabytes;
    };
    for (const Row& row : {Row{"16.0 GT/s PCIe", "16", 31.5}, {"32.0 GT/s PCIe", "16", 63}, {"5 GT/s", "8", 4},
             {"Unknown", "16", 0}, {"16.0 GT/s PCIe", "255", 0}}) {
        std::ofstream(card / "max_link_speed") << row.speed << "\n";
        std::ofstream(card / "max_link_width") << row.width << "\n";
        CHECK(pci_link_bytes_per_second("0000:65:00.0") == doctest::Approx(row.gigabytes * 1e9).epsilon(0.001));
    }
    CHECK(pci_link_bytes_per_second("0000:66:00.0") == 0);
    CHECK(pci_id_at("0000:65:00.0").empty());
    std::ofstream(card / "vendor") << "0x10de\n";
    std::ofstream(card / "device") << "0x0fc6\n";
    CHECK(pci_id_at("0000:65:00.0") == "10de:0fc6");
    unsetenv("SONDE_SYSFS");
}

TEST_CASE("a file is locked by one at a time, cut off behind its last line, and takes its name only when it is whole") {
    const Folder folder;
    const fs::path path = folder.path / "lines";
    {
        auto file = File::create(path);
        REQUIRE(file);
        file->write("one\ntwo\nthr");
        CHECK(file->lock());
        File other = File::open(path);
        CHECK_FALSE(other.lock());
        CHECK(other.lines().end == 8);
        other.truncate(8);
        other.write("end");
        CHECK(other.text() == "one\ntwo\nend");
    }
    CHECK_FALSE(File::create(path));
    CHECK_THROWS_AS(File::create(folder.path / "no" / "folder"), Error);
    {
        File lost = File::beside(folder.path / "page");
        lost.write("half");
    }
    CHECK_FALSE(fs::exists(folder.path / "page"));
    File page = File::beside(folder.path / "page");
    page.write("whole");
    page.take_name();
    CHECK(page.text() == "whole");
    CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 2);
}

TEST_CASE("a file named .gz is packed member by member, and is cut off behind the last whole one") {
    const Folder folder;
    const fs::path path = folder.path / "lines.gz";
    const auto unpacked = [&] {
        std::string text;
        read_rest(*open_to_read(path), text, 1000);
        return text;
    };
    const std::size_t first = [&] {
        auto file = File::create(path);
        REQUIRE(file);
        const std::size_t grown = file->write("one\n");
        file->write("two\nthree\n");
        return grown;
    }();
    CHECK(fs::file_size(path) > first);
    CHECK(unpacked() == "one\ntwo\nthree\n");
    fs::resize_file(path, fs::file_size(path) - 3); // a crash
    {
        File again = File::open(path);
        CHECK(again.lines().end == first);
        CHECK(again.lines().torn == "two\nthree\n");
        again.truncate(first);
        again.write("four");
    }
    CHECK(unpacked() == "one\nfour");
    std::ofstream(path) << "plain\n"; // whatever its name says
    File::open(path).truncate(6);
    CHECK(File::open(path).lines().end == 6);
}

TEST_CASE("pages are zero, and more than there can be do not fit") {
    const Pages pages(1 << 20);
    CHECK(static_cast<const char*>(pages.data())[(1 << 20) - 1] == 0);
    CHECK_THROWS_AS(Pages(~std::size_t{0} / 2), DoesNotFit);
}
