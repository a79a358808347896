// The script of faults: SONDE_FAKE_CUDA="NAME=VALUE;...", read at every step, so that a test can change it between
// calls.
//   STEP=CODE          every entry into the step answers this code
//   STEP_fail_at=N     only the N-th does (with 719, CUDA_ERROR_LAUNCH_FAILED)
//   crash_at=STEP      the process dies there of a signal; hang_at=STEP: it never returns
//   devices=N          pretends N cards; apart=1: none of which reaches another's memory; one_way=1: but a later one
//   version=N          of CUDA, 9000; capability=N: the card's, 35
// Steps: init, context, alloc, host_alloc, link, load, launch, copy, peer_copy, event, synchronize.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <unistd.h>

#include "tests/fake_cuda/fake.h"

namespace fake {

namespace {

std::map<std::string, std::string> parse(const std::string& script) {
    std::map<std::string, std::string> entries;
    for (std::size_t at = 0; at < script.size();) {
        const std::size_t end = std::min(script.find(';', at), script.size());
        const std::string entry = script.substr(at, end - at);
        if (const std::size_t equals = entry.find('='); equals != std::string::npos)
            entries[entry.substr(0, equals)] = entry.substr(equals + 1);
        at = end + 1;
    }
    return entries;
}

struct Script {
    std::string text;
    std::map<std::string, std::string> entries;
    std::map<std::string, long> count; // entries into each step since the script was set
};

Script& script() {
    static Script now;
    const char* environment = std::getenv("SONDE_FAKE_CUDA");
    const std::string text = environment ? environment : "";
    if (text != now.text) now = {text, parse(text), {}};
    return now;
}

} // namespace

std::optional<long> scripted(const std::string& name) {
    const auto& entries = script().entries;
    const auto found = entries.find(name);
    if (found == entries.end()) return std::nullopt;
    return std::strtol(found->second.c_str(), nullptr, 10);
}

namespace {
std::map<std::string, int>& noted() {
    static std::map<std::string, int> last;
    return last;
}
} // namespace

void note(const std::string& what, int value) { noted()[what] = value; }

Result step(const std::string& name) {
    const auto& entries = script().entries;
    const auto is = [&](const char* what) {
        const auto found = entries.find(what);
        return found != entries.end() && found->second == name;
    };
    if (is("crash_at")) std::raise(SIGSEGV);
    while (is("hang_at")) pause();
    const long count = ++script().count[name];
    if (scripted(name + "_fail_at") == count) return kLaunchFailed;
    return static_cast<Result>(scripted(name).value_or(kSuccess));
}

} // namespace fake

int sonde_fake_cuda_last(const char* what) {
    const auto found = fake::noted().find(what);
    return found == fake::noted().end() ? -2 : found->second;
}
