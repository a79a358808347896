// Limits of control groups of both versions, in a folder like the system's.
#include <filesystem>
#include <fstream>
#include <optional>
#include <sched.h>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/base/limits.h"
#include "tests/command.h"

using namespace sonde;
namespace fs = std::filesystem;

namespace {
using Files = std::vector<std::pair<std::string, std::string>>;
void write(const fs::path& root, const Files& files) {
    for (const auto& [name, text] : files) {
        fs::create_directories((root / name).parent_path());
        std::ofstream(root / name) << text << "\n";
    }
}
} // namespace

TEST_CASE("the least limit of this control group and of those above it, of both versions") {
    struct Row {
        Files files;
        std::optional<std::uint64_t> bytes;
        std::optional<double> processors;
    };
    const std::string groups = "sys/fs/cgroup/";
    for (const Row& row : {Row{{}, {}, {}},
             {{{"proc/self/cgroup", "0::/a/b"}, {groups + "a/b/memory.max", "max"},
                  {groups + "a/memory.max", "157286400"}, {groups + "a/b/cpu.max", "150000 100000"},
                  {groups + "cpu.max", "max 100000"}},
                 157286400, 1.5},
             {{{"proc/self/cgroup", "0::/../elsewhere"}, {groups + "memory.max", "1048576"}}, 1048576, {}},
             {{{"proc/self/cgroup", "9:name=systemd:/\n4:memory:/x\n3:cpu,cpuacct:/\n0::/"},
                  {groups + "memory/x/memory.limit_in_bytes", "62914560"},
                  {groups + "memory/memory.limit_in_bytes", "9223372036854771712"},
                  {groups + "cpu/cpu.cfs_quota_us", "50000"}, {groups + "cpu/cpu.cfs_period_us", "100000"}},
                 62914560, 0.5},
             {{{"proc/self/cgroup", "3:cpu:/\n4:memory:/"},
                  {groups + "memory/memory.limit_in_bytes", "9223372036854771712"},
                  {groups + "cpu/cpu.cfs_quota_us", "-1"}, {groups + "cpu/cpu.cfs_period_us", "100000"}},
                 {}, {}}}) {
        const command::Folder root;
        write(root.path, row.files);
        const ProcessLimits limits = process_limits(root.path);
        CHECK(limits.memory_bytes == row.bytes);
        CHECK(limits.processor_time == row.processors);
    }
}

TEST_CASE("processors are those that this process may run on") {
    cpu_set_t before, one;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    CHECK(process_limits().processors == CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (int each = 0; each < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++each)
        if (CPU_ISSET(each, &before)) CPU_SET(each, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(process_limits().processors == 1);
    sched_setaffinity(0, sizeof before, &before);
}

TEST_CASE("kills for want of memory are counted, of the group and of the machine") {
    const command::Folder root;
    CHECK_FALSE(kills_for_memory(root.path).has_value());
    write(root.path, {{"proc/self/cgroup", "0::/a"}, {"proc/vmstat", "nr_free_pages 7\noom_kill 2"}});
    CHECK(kills_for_memory(root.path) == 2);
    write(root.path, {{"sys/fs/cgroup/a/memory.events", "low 0\noom 4\noom_kill 3"}});
    CHECK(kills_for_memory(root.path) == 5);
    write(root.path, {{"proc/self/cgroup", "4:memory:/a"},
                         {"sys/fs/cgroup/memory/a/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 9"}});
    CHECK(kills_for_memory(root.path) == 11);
}
