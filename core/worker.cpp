// The worker's side of the pipe.
#include "core/worker.h"

#include <csignal>
#include <cstdio>
#include <iostream>
#include <sys/prctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/bench.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
/// The pipe, moved off descriptor 1: drivers print.
class Pipe final : public Reporter {
public:
    Pipe() : descriptor_(dup(STDOUT_FILENO)) { dup2(STDERR_FILENO, STDOUT_FILENO); }
    void send(const Json& event) const {
        const std::string line = event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        for (std::size_t sent = 0; sent < line.size();) {
            const ssize_t n = write(descriptor_, line.data() + sent, line.size() - sent);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) std::_Exit(1); // nobody listens any more
            sent += static_cast<std::size_t>(n);
        }
    }
    void step(const std::string& what) override { send({{"event", "step"}, {"text", what}}); }
    void samples(double x, const std::vector<Sample>& samples) override {
        Json list = Json::array();
        for (const Sample& sample : samples) list.push_back(to_json(sample));
        send({{"event", "samples"}, {"x", x}, {"samples", std::move(list)}});
    }

private:
    int descriptor_;
};

Json paths_of(const Device& device) {
    Json rows = Json::array();
    for (const Path& path : all_paths()) {
        const auto why_not = device.why_not(path);
        rows.push_back({{"path", path.name}, {"supported", !why_not}, {"reason", why_not.value_or("")}});
    }
    return rows;
}

Request request_from(const Json& line) {
    return {.id = {line.at("probe"), line.at("device"), line.at("path"), line.at("options").get<std::map<std::string, std::string>>()},
            .profile = line.at("profile"),
            .seconds = line.at("seconds"),
            .seed = line.at("seed"),
            .dispatch_limit_ms = line.at("dispatch_limit_ms")};
}
} // namespace

Json to_json(const DeviceInfo& info) {
    Json facts = Json::array();
    for (const Fact& fact : info.facts) facts.push_back({{"name", fact.name}, {"value", fact.value}, {"source", fact.source}});
    return {{"id", info.id},
            {"api", info.api},
            {"name", info.name},
            {"driver", info.driver},
            {"software", info.software},
            {"cpu", info.cpu},
            {"uuid", info.uuid},
            {"pci", info.pci},
            {"memory_bytes", info.memory_bytes},
            {"largest_buffer", info.largest_buffer},
            {"cores", info.cores},
            {"subgroup", info.subgroup},
            {"scratchpad_bytes", info.scratchpad_bytes},
            {"cache_bytes", info.cache_bytes},
            {"bus_bytes_per_second", info.bus_bytes_per_second},
            {"clock", info.clock_name},
            {"core_cycles", info.clock == KernelClock::core_cycles},
            {"facts", std::move(facts)}};
}

Outcome measure_series(Device& device, const Request& request, Reporter& reporter) {
    const Path* path = find_path(request.id.path);
    const Probe* probe = find_probe(request.id.probe);
    const Profile* profile = find_profile(request.profile);
    if (!path || !probe || !profile) return {Status::failed, "a request for a path, probe or profile that this program does not know", {}};
    if (const auto why_not = device.why_not(*path)) return {Status::unsupported, *why_not, {}};
    Bench bench(device, *path, request, *profile, reporter);
    try {
        probe->run(bench);
        return {Status::ok, bench.end_reason, std::move(bench.evidence)};
    } catch (const Unsupported& why) {
        return {Status::unsupported, why.what(), std::move(bench.evidence)};
    } catch (const std::exception& error) {
        return {Status::failed, error.what(), std::move(bench.evidence)};
    }
}

int serve_worker(const Backend& backend) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGINT, SIG_IGN); // the parent decides
    Pipe pipe;
    pipe.step(fmt::format("open {}", backend.api));
    const Opened opened = backend.open();
    for (const auto& device : opened.devices) pipe.send({{"event", "device"}, {"info", to_json(device->info())}, {"paths", paths_of(*device)}});
    if (opened.devices.empty()) pipe.send({{"event", "absent"}, {"reason", opened.absent}});
    pipe.send({{"event", "ready"}});
    for (std::string line; std::getline(std::cin, line);) {
        const Request request = request_from(Json::parse(line));
        Device* device = nullptr;
        for (const auto& candidate : opened.devices)
            if (candidate->info().id == request.id.device) device = candidate.get();
        const Outcome outcome = device ? measure_series(*device, request, pipe) : Outcome{Status::failed, "this worker no longer sees that device", {}};
        pipe.send({{"event", "done"}, {"status", to_text(outcome.status)}, {"reason", outcome.reason}, {"evidence", outcome.evidence}});
    }
    return 0;
}

} // namespace sonde
