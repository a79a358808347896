// The workers of every API on another machine, behind one launcher such as `ssh lab7`: one pipe for all of them.
//
// Over there runs `sonde worker every`, which opens no driver; nothing else ever stands on a remote command line, for ssh joins its words for
// a shell. Where it is not there, or of another version, the launcher starts `sh`, which is told over the pipe to take this program into a
// private folder that goes when it ends. Protocol, one JSON object per line. In: {"start":"<api>","worker":N}, {"to":N,"line":"..."},
// {"end":N}. Out: {"event":"hello",...} (worker.h), {"from":N,"line":"..."}, {"from":N,"ended":"was killed by SIGSEGV","said":"..."}.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/process.h"
#include "core/device/device.h"

namespace sonde {

/// This side of the pipe. Not for several threads.
class Relay : public std::enable_shared_from_this<Relay> {
public:
    Relay(std::vector<std::string> launcher, std::string program, double silence_seconds);
    ~Relay();
    Relay(const Relay&) = delete;

    /// A worker over there. Throws Error where the machine cannot be reached or runs no such program.
    std::unique_ptr<Child> start_worker(const std::string& api);

private:
    friend class RelayedChild;
    /// What is known of a worker.
    struct Distant {
        std::deque<std::string> lines;
        std::string ending, said; // empty: it runs
    };
    void open();
    /// Waits for the relay's hello: empty, or what came instead; `another` is set where this program may help.
    std::string greeting(bool& another);
    void bring();
    bool tell(const std::string& line);
    void hear(const std::string& line);
    /// Everybody over there is out of reach.
    void lose();

    std::vector<std::string> launcher_;
    std::string program_;
    double silence_seconds_;
    std::unique_ptr<ChildProcess> process_;
    std::map<int, Distant> workers_;
    int last_worker_ = 0;
};

/// That side: `sonde worker every`.
int serve_relay(std::span<const Backend> backends);

} // namespace sonde
