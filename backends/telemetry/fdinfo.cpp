// Reading /proc. A client of the driver may hold several files, which all show the same counters.
#include "backends/telemetry/fdinfo.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

namespace sonde {

namespace {
namespace fs = std::filesystem;

/// What one file shows: the card, the driver's client and its engines' time.
struct Client {
    std::string pci, id;
    double engines_ns = 0;
};

Client client_in(const fs::path& file) {
    Client client;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const auto colon = line.find(':');
        if (colon == line.npos) continue;
        const std::string key = line.substr(0, colon);
        const auto begin = line.find_first_not_of(" \t", colon + 1);
        const std::string value = begin == line.npos ? "" : line.substr(begin);
        if (key == "drm-pdev") client.pci = value;
        else if (key == "drm-client-id") client.id = value;
        else if (key.starts_with("drm-engine-") && !key.starts_with("drm-engine-capacity"))
            client.engines_ns += std::strtod(value.c_str(), nullptr);
    }
    return client;
}

/// SONDE_PROC: another root, for tests.
fs::path processes() {
    const char* other = std::getenv("SONDE_PROC");
    return other ? other : "/proc";
}

std::vector<fs::path> entries(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code none;
    for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none))
        found.push_back(at->path());
    return found;
}

/// ns of the card's engines by process, of those that have it open.
std::map<std::uint32_t, double> times_of(const std::string& pci) {
    std::map<std::pair<std::uint32_t, std::string>, double> of_client;
    for (const fs::path& process : entries(processes())) {
        const auto pid = static_cast<std::uint32_t>(std::strtoul(process.filename().string().c_str(), nullptr, 10));
        if (pid == 0) continue;
        for (const fs::path& file : entries(process / "fdinfo"))
            if (const Client client = client_in(file); client.pci == pci) {
                double& most = of_client[{pid, client.id}];
                most = std::max(most, client.engines_ns);
            }
    }
    std::map<std::uint32_t, double> of_process;
    for (const auto& [client, ns] : of_client) of_process[client.first] += ns;
    return of_process;
}
} // namespace

std::vector<CardUser> FdinfoUsers::users() {
    if (pci_.empty()) return {};
    const auto now = std::chrono::steady_clock::now();
    const double passed = std::chrono::duration<double, std::nano>(now - std::exchange(when_, now)).count();
    const auto before = std::exchange(before_, times_of(pci_));
    std::vector<CardUser> users;
    users.reserve(before_.size());
    for (const auto& [pid, ns] : before_) {
        const auto known = before.find(pid);
        users.push_back({.pid = pid,
            .busy_percent = known == before.end()
                                ? std::nullopt
                                : std::optional(std::clamp(100 * (ns - known->second) / passed, 0.0, 100.0))});
    }
    return users;
}

} // namespace sonde
