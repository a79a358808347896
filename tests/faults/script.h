// The script of faults that pretended drivers read from the environment: "NAME=VALUE;...".
//   CALL=OUTCOME     from the first entry into CALL on
//   CALL@N=OUTCOME   at the N-th entry only; where SONDE_FAULT_ONCE names a file, in the process that can make it and
//   in no later one
// Outcomes that every driver knows: crash, abort, hang, exit, rubbish (prints on standard output and goes on); a number
// is what the call answers; others are the driver's own words (tests/faults/*_driver.cpp).
#pragma once
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <string>
#include <unistd.h>

namespace fault {

/// False where another process was here before.
inline bool first_time() {
    const char* marker = std::getenv("SONDE_FAULT_ONCE");
    if (!marker) return true;
    const int made = open(marker, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (made >= 0) close(made);
    return made >= 0;
}

/// What the script says of this entry into a call; "": nothing.
inline std::string outcome(const char* variable, const std::string& call) {
    static std::mutex mutex;
    static std::map<std::string, long> entries;
    const char* environment = std::getenv(variable);
    if (!environment) return "";
    const std::lock_guard lock(mutex);
    const long count = ++entries[call];
    const std::string script = std::string(";") + environment + ";";
    const auto said_of = [&](const std::string& key) {
        const auto at = script.find(key);
        return at == std::string::npos
                   ? ""
                   : script.substr(at + key.size(), script.find(';', at + key.size()) - at - key.size());
    };
    if (const std::string always = said_of(";" + call + "="); !always.empty()) return always;
    const std::string now = said_of(";" + call + "@" + std::to_string(count) + "=");
    return now.empty() || first_time() ? now : "";
}

/// Does what ends or disturbs the process; false where the outcome is another one.
inline bool carry_out(const std::string& outcome) {
    if (outcome == "crash") {
        std::signal(SIGSEGV, SIG_DFL);
        std::raise(SIGSEGV);
    }
    if (outcome == "abort") std::abort();
    if (outcome == "exit") std::_Exit(3);
    if (outcome == "hang")
        for (;;) pause();
    if (outcome != "rubbish") return false;
    std::printf("Segmentation of the memory: 100 %%\n\x1b[2J{\"event\":\"done\"}\n");
    std::fflush(stdout);
    return true;
}

} // namespace fault
