// Whole commands of the program under test, as a user types them.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "tests/places.h"
#include "tests/says.h"

namespace command {

/// A folder of its own for each test case.
struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("sonde-test-{}-{}", getpid(), counter++);
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const std::string& name) const { return (path / name).string(); }
    static inline int counter = 0;
};

inline std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

/// An environment in which no driver is found.
inline const char* no_drivers() {
    static const Folder empty;
    static const std::string environment = fmt::format(
        "OCL_ICD_VENDORS={0} OCL_ICD_FILENAMES= VK_DRIVER_FILES={0}/none.json VK_ICD_FILENAMES={0}/none.json",
        empty.path.string());
    return environment.c_str();
}

struct Ran {
    int code; // of the exit, or 1000 and the signal
    std::string out, err;
};

/// `environment`: "NAME=value ..." in front; `before`: a shell command that comes first; `after`: redirections that
/// come last. The words are given to a shell. Lines are not broken.
inline Ran sonde_run(const std::string& words, const std::string& environment = "", const std::string& before = "",
    const std::string& after = "", const std::string& program = sonde::places::program) {
    const Folder folder;
    const std::string line = fmt::format("export COLUMNS=400; {} cd '{}' && {} '{}' {} >out 2>err </dev/null {}",
        before, folder.path.string(), environment.empty() ? "" : "env " + environment, program, words, after);
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), text_of(folder.path / "out"),
        text_of(folder.path / "err")};
}

inline bool one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

} // namespace command
