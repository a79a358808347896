// Files of POSIX: writing beside, then renaming.
#include "core/base/file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#define ZLIB_CONST // it writes to no input
#include <zlib.h>

#include <fmt/format.h>

#include "core/base/error.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;
constexpr std::size_t kHead = 4096; // bytes in which a mark is looked for

Error refused(std::string_view name, std::string_view what) { return Error(fmt::format("{}: cannot {}: {}", name, what, std::strerror(errno))); }

bool holds(const fs::path& file, std::string_view mark) {
    std::ifstream in(file, std::ios::binary);
    std::string head(kHead, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    return head.find(mark) != std::string::npos;
}

void write_all(int descriptor, std::string_view text, std::string_view name) {
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throw refused(name, "write");
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

constexpr int kGzip = 15 + 16; // of zlib's windows: the largest, in gzip's frame

bool is_packed(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::string gzip_member(std::string_view text) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
    std::string out(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<const Bytef*>(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

File::Lines lines_of_members(std::string_view bytes, std::string_view name) {
    File::Lines whole;
    std::array<char, 1 << 16> out{};
    while (is_packed(bytes.substr(whole.end))) {
        z_stream stream{};
        stream.next_in = reinterpret_cast<const Bytef*>(bytes.data() + whole.end);
        stream.avail_in = static_cast<uInt>(bytes.size() - whole.end);
        if (inflateInit2(&stream, kGzip) != Z_OK) throw std::bad_alloc();
        std::string text;
        int status = Z_OK;
        while (status == Z_OK) {
            stream.next_out = reinterpret_cast<Bytef*>(out.data());
            stream.avail_out = static_cast<uInt>(out.size());
            status = inflate(&stream, Z_NO_FLUSH);
            text.append(out.data(), out.size() - stream.avail_out);
        }
        const uLong read = stream.total_in;
        inflateEnd(&stream);
        if (status != Z_STREAM_END) break;
        if (!text.empty() && text.back() != '\n') throw UsageError(fmt::format("{}: its last line is torn within a packed part; unpack it with gunzip to go on with it", name));
        whole.end += read;
        whole.text += text;
    }
    return whole;
}
} // namespace

std::string text_of_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
}

bool Descriptor::close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

std::optional<File> File::create(const fs::path& path) {
    const int number = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (number >= 0) return File(path, {}, number, path.extension() == ".gz");
    if (errno != EEXIST) throw refused(path.string(), "create");
    return std::nullopt;
}

File File::open(const fs::path& path) {
    const int number = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (number < 0) throw refused(path.string(), "write");
    return {path, {}, number, is_packed(text_of_file(path))};
}

File File::standard_output() { return {"-", {}, fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)}; }

File File::standard_output_alone() {
    File file = standard_output();
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return file;
}

void File::end_with_reader() const {
    std::thread([number = descriptor_.get()] {
        pollfd reader{number, 0, 0};
        while (poll(&reader, 1, -1) <= 0) {
        }
        std::_Exit(1);
    }).detach();
}

File File::beside(const fs::path& path) {
    std::string name = path.string() + ".XXXXXX";
    const int number = mkostemp(name.data(), O_CLOEXEC);
    if (number < 0) throw refused(path.string(), "write");
    return {path, name, number};
}

File File::temporary(std::string_view text) {
    File file = beside(fs::temp_directory_path() / "sonde");
    file.write(text);
    return file;
}

File::~File() {
    if (descriptor_.get() >= 0 && !temporary_.empty()) unlink(temporary_.c_str());
}

bool File::lock() { return flock(descriptor_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

File::Lines File::lines() const {
    std::string bytes = text();
    if (packed_) return lines_of_members(bytes, path_.string());
    bytes.resize(bytes.rfind('\n') + 1); // nothing where there is none
    return {bytes.size(), std::move(bytes)};
}

std::size_t File::write(std::string_view text) {
    const std::string member = packed_ ? gzip_member(text) : "";
    const std::string_view bytes = packed_ ? member : text;
    write_all(descriptor_.get(), bytes, path_ == "-" ? "standard output" : path_.string());
    return bytes.size();
}

void File::truncate(std::uint64_t bytes) {
    const auto end = static_cast<off_t>(bytes);
    if (ftruncate(descriptor_.get(), end) != 0 || lseek(descriptor_.get(), end, SEEK_SET) < 0) throw refused(path_.string(), "write");
}

void File::take_name() {
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(descriptor_.get(), 0666 & ~mask) == 0 && descriptor_.close() && rename(temporary_.c_str(), path_.c_str()) == 0) return temporary_.clear();
    const Error error = refused(path_.string(), "write");
    unlink(temporary_.c_str());
    throw error;
}

void write_own_file(const fs::path& path, std::string_view text, std::string_view mark) {
    if (path == "-") return write_all(STDOUT_FILENO, text, "standard output");
    std::error_code error;
    const fs::file_status there = fs::status(path, error);
    if (fs::is_directory(there)) throw UsageError(fmt::format("{}: a folder; name a file in it", path.string()));
    if (fs::exists(there) && !fs::is_regular_file(there)) {
        std::ofstream out(path, std::ios::binary);
        if (!(out << text).flush()) throw refused(path.string(), "write");
        return;
    }
    if (fs::exists(there) && !holds(path, mark)) throw UsageError(fmt::format("{}: exists and is not a page of sonde, so it is not replaced; name another file, or remove it", path.string()));
    File file = File::beside(fs::exists(there) ? fs::canonical(path, error) : path);
    file.write(text);
    file.take_name();
}

namespace {
/// What zlib reads, which takes a file that is not packed as it is.
class Unpacking : public std::streambuf {
public:
    explicit Unpacking(gzFile file) : file_(file, gzclose) {}

private:
    int_type underflow() override {
        const int n = gzread(file_.get(), bytes_.data(), static_cast<unsigned>(bytes_.size()));
        if (n < 0) throw Error("a damaged gzip file"); // makes the stream bad
        setg(bytes_.data(), bytes_.data(), bytes_.data() + n);
        return n ? traits_type::to_int_type(bytes_[0]) : traits_type::eof();
    }
    std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
    std::array<char, 1 << 16> bytes_{};
};

class UnpackedFile : public std::istream {
public:
    explicit UnpackedFile(gzFile file) : std::istream(nullptr), unpacking_(file) { rdbuf(&unpacking_); }

private:
    Unpacking unpacking_;
};
} // namespace

bool read_rest(std::istream& in, std::string& text, std::size_t most) {
    for (std::string piece(1 << 16, '\0'); in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() > 0;) {
        text.append(piece, 0, static_cast<std::size_t>(in.gcount()));
        if (text.size() > most) return false;
    }
    return true;
}

std::unique_ptr<std::istream> open_to_read(const fs::path& path) {
    if (path == "-") return std::make_unique<std::istream>(std::cin.rdbuf()); // or what stands in for it where another machine sends the lines
    const gzFile file = gzopen(path.c_str(), "rb");
    if (!file) throw UsageError(fmt::format("{}: cannot open: {}", path.string(), std::strerror(errno)));
    return std::make_unique<UnpackedFile>(file);
}

void open_standard_streams() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        while (fcntl(descriptor, F_GETFD) < 0)
            if (::open("/dev/null", O_RDWR) < 0) std::_Exit(1); // takes the lowest number that is free
}

bool output_has_no_reader() {
    pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

void writing_fails_with_errors() {
    for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
}

bool standard_error_is_terminal() { return isatty(STDERR_FILENO); }

} // namespace sonde
