// Runs `nvdisasm` without a shell: the cubin goes through a private temporary file, the text comes back through a pipe.
#include "backends/cuda/disassemble.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/error.h"

namespace sonde::cuda {

namespace {

Error failed(const char* what, int code) { return Error(fmt::format("{}: {}", what, std::strerror(code))); }

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

/// A file that only this user can read and that goes when this object does.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& bytes) : path_((std::filesystem::temp_directory_path() / "sonde-XXXXXX").string()) {
        Descriptor file(mkostemp(path_.data(), O_CLOEXEC));
        if (file.get() < 0) throw failed("temporary file", errno);
        for (std::size_t done = 0; done < bytes.size();) {
            const ssize_t count = write(file.get(), bytes.data() + done, bytes.size() - done);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) {
                unlink(path_.c_str());
                throw failed("temporary file", errno);
            }
            done += static_cast<std::size_t>(count);
        }
    }
    ~TemporaryFile() { unlink(path_.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// Starts `nvdisasm path` with its output in the descriptor; nothing else of it is shown.
pid_t start(const std::string& path, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::string program = "nvdisasm", option = "--print-code", file = path;
    char* arguments[] = {program.data(), option.data(), file.data(), nullptr};
    pid_t child = -1;
    const int code = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) throw failed("nvdisasm", code);
    return child;
}

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

} // namespace

std::string disassemble(const std::string& cubin) {
    const TemporaryFile file(cubin);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw failed("pipe", errno);
    Descriptor reading(ends[0]), writing(ends[1]);
    const pid_t child = start(file.path(), writing.get());
    writing.close(); // or the reading below would never end
    const std::string text = read_to_end(reading.get());
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || text.empty()) throw Error("nvdisasm does not take the cubin");
    return text;
}

} // namespace sonde::cuda
