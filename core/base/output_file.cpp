// Writing beside, then renaming.
#include "core/base/output_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;
constexpr std::size_t kHead = 4096; // bytes in which a mark is looked for

bool holds(const fs::path& file, std::string_view mark) {
    std::ifstream in(file, std::ios::binary);
    std::string head(kHead, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    return head.find(mark) != std::string::npos;
}

/// A new file in the folder where it is to be, gone again unless it takes its name.
class NewFile {
public:
    explicit NewFile(fs::path target) : target_(std::move(target)), name_(target_.string() + ".XXXXXX"), descriptor_(mkstemp(name_.data())) {
        if (descriptor_ < 0) throw Error(fmt::format("{}: cannot write: {}", target_.string(), std::strerror(errno)));
    }
    NewFile(const NewFile&) = delete;
    ~NewFile() {
        if (descriptor_ >= 0) close(descriptor_), unlink(name_.c_str());
    }
    void fill(std::string_view text) const { write_all(descriptor_, text, target_.string()); }
    void take_name() {
        const mode_t mask = umask(0);
        umask(mask);
        if (fchmod(descriptor_, 0666 & ~mask) != 0 || close(std::exchange(descriptor_, -1)) != 0 || rename(name_.c_str(), target_.c_str()) != 0) {
            const std::string why = std::strerror(errno);
            unlink(name_.c_str());
            throw Error(fmt::format("{}: cannot write: {}", target_.string(), why));
        }
    }

private:
    fs::path target_;
    std::string name_;
    int descriptor_;
};
} // namespace

void write_all(int descriptor, std::string_view text, const std::string& name) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    while (!text.empty()) {
        const ssize_t n = write(descriptor, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throw Error(fmt::format("{}: cannot write: {}", name, std::strerror(errno)));
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

void write_own_file(const fs::path& path, std::string_view text, std::string_view mark) {
    if (path == "-") return write_all(STDOUT_FILENO, text, "standard output");
    std::error_code error;
    const fs::file_status there = fs::status(path, error);
    if (fs::is_directory(there)) throw UsageError(fmt::format("{}: a folder; name a file in it", path.string()));
    if (fs::exists(there) && !fs::is_regular_file(there)) {
        std::ofstream out(path, std::ios::binary);
        if (!(out << text).flush()) throw Error(fmt::format("{}: cannot write: {}", path.string(), std::strerror(errno)));
        return;
    }
    if (fs::exists(there) && !holds(path, mark)) throw UsageError(fmt::format("{}: exists and is not a page of sonde, so it is not replaced; name another file, or remove it", path.string()));
    NewFile file(fs::exists(there) ? fs::canonical(path, error) : path);
    file.fill(text);
    file.take_name();
}

} // namespace sonde
