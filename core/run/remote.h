// A sonde on another machine, behind a launcher such as `ssh lab7`: it carries out a command there, and the lines that
// it writes come back as they are.
//
// `sh` is all that ever stands on a remote command line, for ssh joins its words for a shell and other launchers do
// not. It is told over the pipe to run `sonde`; where that is not there or of another version, this program follows
// over the pipe, into a private folder that goes when it ends. The lines of `sonde run --out -` are the protocol, and
// its exit code ends it. Of the lines on standard error, those that begin with '[' are progress, and empty ones signs
// of life.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace sonde {

/// What comes back.
struct RemoteLines {
    std::function<void(const std::string& name)> machine; // what it calls itself, before all lines
    std::function<void(const std::string& line)> output;
    std::function<void(const std::string& line)> error;
};
/// Carries out a command, with `file` on its standard input. Its exit code. Throws Error where the machine cannot be
/// reached or runs no such program, where the command is cut off or stopped, or after `silence_seconds` without output.
int carry_out_behind(const std::vector<std::string>& launcher, const std::vector<std::string>& arguments,
    const std::string& file, double silence_seconds, const RemoteLines&);

/// A command whose output is for people, such as `devices`. Its exit code.
int remote_command(const std::vector<std::string>& launcher, const std::vector<std::string>& arguments,
    double silence_seconds, std::ostream& out, std::ostream& errors);

/// That side, option --for-another: gives signs of life, and ends once the launcher is gone, also while a driver hangs.
/// `reads_input`: whose end is no sign of that.
void live_behind_launcher(bool reads_input);

} // namespace sonde
