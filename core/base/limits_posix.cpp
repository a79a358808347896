// Control groups as Linux shows them: /proc/self/cgroup names the groups, /sys/fs/cgroup has their files.
#include "core/base/limits.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace sonde {

namespace {
namespace fs = std::filesystem;

/// The folders of this process's group, and of those above it, for a controller; the innermost first.
std::vector<fs::path> groups_of(const fs::path& root, const std::string& controller) {
    const fs::path mounted = root / "sys/fs/cgroup";
    std::ifstream file(root / "proc/self/cgroup"); // "4:memory:/a/b" of version 1, "0::/a/b" of version 2
    std::vector<fs::path> folders;
    for (std::string line; std::getline(file, line);) {
        const std::size_t begin = line.find(':') + 1, end = line.find(':', begin);
        if (begin == 0 || end == line.npos) continue;
        const std::string controllers = "," + line.substr(begin, end - begin) + ",";
        const bool second = controllers == ",,";
        if (!second && controllers.find("," + controller + ",") == controllers.npos) continue;
        const fs::path top = second ? mounted : mounted / controllers.substr(1, controllers.size() - 2);
        // A container's own view begins at its group, whatever the path says.
        fs::path group = line.substr(end + 1);
        while (group.has_relative_path()) {
            folders.push_back(top / group.relative_path());
            group = group.parent_path();
        }
        folders.push_back(top);
        if (!second && controllers != "," + controller + ",") folders.push_back(mounted / controller);
    }
    return folders;
}

/// The words of a file's first line.
std::vector<std::string> words_of(const fs::path& file) {
    std::ifstream in(file);
    std::vector<std::string> words;
    for (std::string word; in >> word && words.size() < 2;) words.push_back(word);
    return words;
}

std::optional<double> number(const std::vector<std::string>& words, std::size_t place) {
    if (place >= words.size() || words[place].find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    return std::strtod(words[place].c_str(), nullptr);
}

/// A kernel's number for "no limit" of version 1 is the largest whole page.
constexpr double kUnlimited = 9e18;

std::optional<std::uint64_t> memory_of_groups(const fs::path& root) {
    std::optional<std::uint64_t> least;
    for (const fs::path& group : groups_of(root, "memory"))
        for (const char* name : {"memory.max", "memory.limit_in_bytes"})
            if (const auto bytes = number(words_of(group / name), 0); bytes && *bytes < kUnlimited)
                least = std::min(least.value_or(~std::uint64_t{0}), static_cast<std::uint64_t>(*bytes));
    return least;
}

std::optional<double> time_of_groups(const fs::path& root) {
    std::optional<double> least;
    const auto take = [&](std::optional<double> quota, std::optional<double> period) {
        if (quota && period && *period > 0) least = std::min(least.value_or(1e9), *quota / *period);
    };
    for (const fs::path& group : groups_of(root, "cpu")) {
        const auto both = words_of(group / "cpu.max"); // "max 100000", "150000 100000"
        take(number(both, 0), number(both, 1));
        take(number(words_of(group / "cpu.cfs_quota_us"), 0), number(words_of(group / "cpu.cfs_period_us"), 0));
    }
    return least;
}

long processors_allowed() {
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
}
} // namespace

ProcessLimits process_limits(const fs::path& root) {
    ProcessLimits limits{.processors = processors_allowed(),
        .processor_time = time_of_groups(root),
        .memory_bytes = memory_of_groups(root)};
    rlimit address{};
    if (getrlimit(RLIMIT_AS, &address) == 0 && address.rlim_cur != RLIM_INFINITY)
        limits.address_bytes = address.rlim_cur;
    return limits;
}

std::optional<std::uint64_t> kills_for_memory(const fs::path& root) {
    std::vector<fs::path> files;
    for (const fs::path& group : groups_of(root, "memory"))
        for (const char* name : {"memory.events", "memory.oom_control"}) files.push_back(group / name);
    files.push_back(root / "proc/vmstat"); // of the whole machine
    std::optional<std::uint64_t> kills;
    for (const fs::path& file : files) {
        std::ifstream in(file);
        std::string name;
        for (std::uint64_t count = 0; in >> name >> count;)
            if (name == "oom_kill") kills = kills.value_or(0) + count;
    }
    return kills;
}

std::optional<double> watchdog_milliseconds() { return std::nullopt; }

} // namespace sonde
