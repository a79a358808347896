// A sonde on another machine, behind a launcher such as `ssh lab7`: it carries out the same command there, and its output lines come back.
//
// Over there runs `sonde remote`; nothing else ever stands on a remote command line, for ssh joins its words for a shell. Where it is not
// there, or of another version, the launcher starts `sh`, which is told over the pipe to take this program into a private folder that goes when
// it ends. Protocol, one JSON object per line. In: {"arguments":[...],"file":"<the results file to go on with>"}; the end of the input stops
// the command. Out: HelloEvent (core/data/protocol.h), {"out":"<line>"}, {"err":"<line>"}, {"progress":"<text>"}, lines of results as they are,
// {} each second, and at last {"exit":<code>}.
#pragma once
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/process.h"

namespace sonde {

class Remote {
public:
    /// Throws Error where the machine cannot be reached or runs no such program, also after `silence_seconds` without output.
    Remote(std::vector<std::string> launcher, double silence_seconds);
    ~Remote();
    Remote(const Remote&) = delete;
    /// What the machine calls itself.
    const std::string& machine() const { return machine_; }
    using OnLine = std::function<void(const std::string& line, const Json& object)>;
    /// The exit code of the command there. Throws Error where it is cut off or stopped.
    int carry_out(const std::vector<std::string>& arguments, const std::string& file, const OnLine& on_line);

private:
    void start(std::initializer_list<const char*> words);
    /// Waits for the hello: empty, or what came instead; `another` is set where this program may help.
    std::string greeting(bool& another);
    void upload();
    ChildProcess::Event next(std::string& line, double seconds);
    /// What came in place of a line, in words.
    std::string trouble(ChildProcess::Event, double seconds);

    std::vector<std::string> launcher_;
    double silence_seconds_;
    std::unique_ptr<ChildProcess> process_;
    std::string machine_;
};

/// A command whose output is for people, such as `devices`. Its exit code.
int remote_command(const std::vector<std::string>& launcher, const std::vector<std::string>& arguments, double silence_seconds, std::ostream& out, std::ostream& errors);

/// That side: `sonde remote`. Does not return.
[[noreturn]] void serve_remote(const std::function<int(const std::vector<std::string>& arguments)>& carry_out);

} // namespace sonde
