// Compilers and disassemblers that may be on the PATH.
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

/// A file in the folder for temporary files that only this user can read, and that goes when this object does.
class TemporaryFile {
public:
    explicit TemporaryFile(std::string_view bytes);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::string& path() const { return path_; }
    std::string read() const;

private:
    std::string path_;
};

/// The first of these programs that is on the PATH.
std::optional<std::string> find_tool(std::initializer_list<std::string_view> names);

/// Runs a program of the PATH, without a shell and without input, and returns what it wrote on standard output.
/// Throws Error (one line) where it cannot be started or does not succeed, with the first line of what it wrote on standard error.
std::string run_tool(std::vector<std::string> command);

} // namespace sonde
