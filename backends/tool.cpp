// Child processes with their output in pipes or files.
#include "backends/tool.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/base/error.h"

namespace sonde {

namespace {
Error failed(std::string_view what, int code) { return Error(fmt::format("{}: {}", what, std::strerror(code))); }

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }
    void close() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

private:
    int fd_;
};

std::string read_to_end(int fd) {
    std::string text;
    char piece[16384];
    for (;;) {
        const ssize_t count = read(fd, piece, sizeof piece);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return text;
        text.append(piece, static_cast<std::size_t>(count));
    }
}

pid_t start(std::vector<std::string>& command, int output, const std::string& errors) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_TRUNC, 0);
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = -1;
    const int code = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) throw failed(command[0], code);
    return child;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }
} // namespace

TemporaryFile::TemporaryFile(std::string_view bytes) : path_((std::filesystem::temp_directory_path() / "sonde-XXXXXX").string()) {
    Descriptor file(mkostemp(path_.data(), O_CLOEXEC));
    if (file.get() < 0) throw failed("temporary file", errno);
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count = write(file.get(), bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            const int code = errno;
            unlink(path_.c_str());
            throw failed("temporary file", code);
        }
        done += static_cast<std::size_t>(count);
    }
}

TemporaryFile::~TemporaryFile() { unlink(path_.c_str()); }

std::string TemporaryFile::read() const {
    std::ifstream in(path_, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

std::optional<std::string> find_tool(std::initializer_list<std::string_view> names) {
    const char* path = std::getenv("PATH");
    for (const std::string_view name : names) {
        std::istringstream folders(path ? path : "");
        for (std::string folder; std::getline(folders, folder, ':');)
            if (access((std::filesystem::path(folder) / name).c_str(), X_OK) == 0) return std::string(name);
    }
    return std::nullopt;
}

std::string run_tool(std::vector<std::string> command) {
    const TemporaryFile errors("");
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw failed("pipe", errno);
    Descriptor reading(ends[0]), writing(ends[1]);
    const pid_t child = start(command, writing.get(), errors.path());
    writing.close(); // or the reading below would never end
    std::string text = read_to_end(reading.get());
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) throw Error(fmt::format("{} was killed by signal {}", command[0], WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0)
        throw Error(fmt::format("{} exits with {}: {}", command[0], WEXITSTATUS(status), first_line(errors.read())));
    return text;
}

} // namespace sonde
