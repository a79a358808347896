// Files: writing beside, then renaming; and gzip's frame.
#include "core/base/file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <thread>
#define ZLIB_CONST // it writes to no input
#include <zlib.h>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/native.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;
constexpr std::size_t kHead = 4096; // bytes in which a mark is looked for

Error refused(std::string_view name, std::string_view what) {
    return Error(fmt::format("{}: cannot {}: {}", name, what, std::strerror(errno)));
}

bool holds(const fs::path& file, std::string_view mark) {
    std::ifstream in(file, std::ios::binary);
    std::string head(kHead, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    return head.find(mark) != std::string::npos;
}

void write_all(int descriptor, std::string_view text, std::string_view name) {
    while (!text.empty()) {
        const std::ptrdiff_t n = native::write(descriptor, text);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throw refused(name, "write");
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

constexpr const char* kEndsEarly = "packed data ends early";
constexpr int kGzip = 15 + 16; // of zlib's windows: the largest, in gzip's frame

bool is_packed(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::string gzip_member(std::string_view text) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_in = reinterpret_cast<const Bytef*>(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

/// Bytes as they come, unpacked where they are gzip's: member by member, up to where that cannot go on.
class Unpacking : public std::streambuf {
public:
    explicit Unpacking(std::unique_ptr<std::istream> in) : in_(std::move(in)) {
        if (inflateInit2(&stream_, kGzip) != Z_OK) throw std::bad_alloc();
        fill();
        packed_ = is_packed({in_bytes_.data(), stream_.avail_in});
    }
    ~Unpacking() override { inflateEnd(&stream_); }
    Unpacking(const Unpacking&) = delete;
    const std::string& damage() const { return damage_; }
    /// Where the last whole member ends, in the bytes and in what they unpack to.
    std::uint64_t bytes_of_whole() const { return bytes_of_whole_; }
    std::size_t text_of_whole() const { return text_of_whole_; }

private:
    int_type underflow() override {
        if (packed_) {
            const std::size_t n = unpack();
            setg(out_.data(), out_.data(), out_.data() + n);
        } else {
            if (passed_on_) fill();
            passed_on_ = true;
            setg(in_bytes_.data(), in_bytes_.data(), in_bytes_.data() + stream_.avail_in);
        }
        return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
    }

    void fill() {
        in_->read(in_bytes_.data(), static_cast<std::streamsize>(in_bytes_.size()));
        if (in_->bad()) damage_ = "cannot be read";
        stream_.next_in = reinterpret_cast<const Bytef*>(in_bytes_.data());
        stream_.avail_in = static_cast<uInt>(in_->gcount());
        bytes_ += stream_.avail_in;
    }

    /// False at the end, or where what follows is not packed.
    bool begin_member() {
        while (stream_.avail_in > 0 && *stream_.next_in == 0) { // what fills a block of a tape up
            ++stream_.next_in;
            if (--stream_.avail_in == 0) fill();
        }
        if (stream_.avail_in == 0) return false;
        if (*stream_.next_in != 0x1f) damage_ = "what follows the packed data is not packed";
        between_ = false;
        inflateReset(&stream_);
        return damage_.empty();
    }

    /// How many bytes are in out_ then: 0 at the end, and behind damage.
    std::size_t unpack() {
        for (std::size_t n = 0; damage_.empty();) {
            if (stream_.avail_in == 0) fill();
            if (between_ && !begin_member()) return 0;
            const bool at_end = stream_.avail_in == 0;
            stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
            stream_.avail_out = static_cast<uInt>(out_.size());
            const int status = inflate(&stream_, Z_NO_FLUSH);
            text_ += n = out_.size() - stream_.avail_out;
            if (status == Z_STREAM_END)
                between_ = true, bytes_of_whole_ = bytes_ - stream_.avail_in, text_of_whole_ = text_;
            else if (status == Z_DATA_ERROR && stream_.msg && std::string_view(stream_.msg).ends_with(" check"))
                damage_ = "packed data fails its check sum";
            else if (status != Z_OK && status != Z_BUF_ERROR) damage_ = "packed data is damaged";
            else if (at_end && n == 0 && damage_.empty()) damage_ = kEndsEarly;
            if (n > 0) return n;
        }
        return 0;
    }

    std::unique_ptr<std::istream> in_;
    std::array<char, 1 << 16> in_bytes_{}, out_{};
    z_stream stream_{};
    bool packed_ = false, passed_on_ = false, between_ = false;
    std::uint64_t bytes_ = 0, bytes_of_whole_ = 0; // of the packed ones
    std::size_t text_ = 0, text_of_whole_ = 0;
    std::string damage_;
};

class UnpackedFile final : public std::istream {
public:
    explicit UnpackedFile(std::unique_ptr<std::istream> packed) : std::istream(nullptr), unpacking_(std::move(packed)) {
        rdbuf(&unpacking_);
    }

private:
    Unpacking unpacking_;
};

File::Lines lines_of_members(std::string bytes) {
    Unpacking unpacking(std::make_unique<std::istringstream>(std::move(bytes)));
    std::string text{std::istreambuf_iterator<char>(&unpacking), {}}, torn = text.substr(unpacking.text_of_whole());
    text.resize(unpacking.text_of_whole());
    return {unpacking.bytes_of_whole(), std::move(text), std::move(torn),
        unpacking.damage() == kEndsEarly ? "" : unpacking.damage()};
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

bool Descriptor::close() { return number_ < 0 || native::close(std::exchange(number_, -1)); }

std::optional<File> File::create(const fs::path& path) {
    const int number = native::create(path);
    if (number >= 0) return File(path, {}, number, path.extension() == ".gz");
    if (errno != EEXIST) throw refused(path.string(), "create");
    return std::nullopt;
}

File File::open(const fs::path& path) {
    const int number = native::open(path);
    if (number < 0) throw refused(path.string(), "write");
    return {path, {}, number, is_packed(text_of_file(path))};
}

File File::standard_output() { return {"-", {}, native::duplicate(native::output)}; }

File File::standard_output_alone() {
    File file = standard_output();
    native::replace(native::output, native::errors);
    return file;
}

void File::end_with_reader() const {
    std::thread([number = descriptor_.get()] {
        native::wait_for_no_reader(number);
        std::_Exit(1);
    }).detach();
}

File File::beside(const fs::path& path) {
    fs::path name = path;
    const int number = native::create_beside(name);
    if (number < 0) throw refused(path.string(), "write");
    return {path, name, number};
}

File File::temporary(std::string_view text) {
    File file = beside(fs::temp_directory_path() / "sonde");
    file.write(text);
    return file;
}

File::~File() {
    if (descriptor_.get() < 0 || temporary_.empty()) return;
    descriptor_.close(); // an open file cannot be removed everywhere
    std::error_code ignored;
    fs::remove(temporary_, ignored);
}

TemporaryFolder::TemporaryFolder() {
    path_ = fs::temp_directory_path() / "sonde";
    if (!native::make_folder_beside(path_)) throw refused(path_.string(), "make");
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

bool File::lock() { return native::lock(descriptor_.get()); }

File::Lines File::lines() const {
    std::string bytes = text();
    if (packed_) return lines_of_members(std::move(bytes));
    bytes.resize(bytes.rfind('\n') + 1); // nothing where there is none
    return {bytes.size(), std::move(bytes), {}, {}};
}

bool File::is_removed() const { return native::is_removed(descriptor_.get()); }

std::size_t File::write(std::string_view text) {
    const std::string member = packed_ ? gzip_member(text) : "";
    const std::string_view bytes = packed_ ? member : text;
    write_all(descriptor_.get(), bytes, path_ == "-" ? "standard output" : path_.string());
    return bytes.size();
}

void File::sync() {
    if (!native::sync(descriptor_.get())) throw refused(path_.string(), "write");
    if (std::exchange(named_on_disk_, true) || path_ == "-") return;
    if (!native::sync_folder(path_.has_parent_path() ? path_.parent_path() : fs::path(".")))
        throw refused(path_.string(), "write");
}

void File::truncate(std::uint64_t bytes) {
    if (!native::cut_off(descriptor_.get(), bytes)) throw refused(path_.string(), "write");
}

void File::take_name() {
    if (native::let_others_read(descriptor_.get()) && descriptor_.close() && native::rename(temporary_, path_))
        return temporary_.clear();
    const Error error = refused(path_.string(), "write");
    std::error_code ignored;
    fs::remove(temporary_, ignored);
    throw error;
}

void write_own_file(const fs::path& path, std::string_view text, std::string_view mark) {
    if (path == "-") {
        try {
            write_all(native::output, text, "standard output");
        } catch (const Error&) {
            if (!output_has_no_reader()) throw; // who left has what it wanted
        }
        return;
    }
    std::error_code error;
    const fs::file_status there = fs::status(path, error);
    if (fs::is_directory(there)) throw UsageError(fmt::format("{} is a folder; name a file in it", path.string()));
    if (const std::string nowhere = leads_nowhere(path); !nowhere.empty())
        throw UsageError(fmt::format("{}: {}; name another file, or remove the link", path.string(), nowhere));
    if (fs::exists(there) && !fs::is_regular_file(there)) {
        std::ofstream out(path, std::ios::binary);
        if (!(out << text).flush()) throw refused(path.string(), "write");
        return;
    }
    if (fs::exists(there) && !holds(path, mark))
        throw UsageError(
            fmt::format("{}: exists and is not a page of sonde, so it is not replaced; name another file, or remove it",
                path.string()));
    File file = File::beside(fs::exists(there) ? fs::canonical(path, error) : path);
    file.write(text);
    file.take_name();
}

bool read_rest(std::istream& in, std::string& text, std::size_t most) {
    for (std::string piece(1 << 16, '\0');
         in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() > 0;) {
        text.append(piece, 0, static_cast<std::size_t>(in.gcount()));
        if (text.size() > most) return false;
    }
    return true;
}

std::string leads_nowhere(const fs::path& path) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) return "";
    if (fs::status(path, error).type() != fs::file_type::not_found && error != std::errc::too_many_symbolic_link_levels)
        return "";
    const bool circle = error == std::errc::too_many_symbolic_link_levels;
    return fmt::format("a link to {}, which {}", fs::read_symlink(path, error).string(),
        circle ? "leads back to itself" : "is not there");
}

std::unique_ptr<std::istream> open_to_read(const fs::path& path, std::string_view wanted) {
    if (path == "-")
        return std::make_unique<UnpackedFile>(
            std::make_unique<std::istream>(std::cin.rdbuf())); // or what stands in for it
    std::error_code unknown;
    if (fs::is_directory(path, unknown))
        throw UsageError(fmt::format("{} is a folder; give {}", path.string(), wanted));
    if (const std::string nowhere = leads_nowhere(path); !nowhere.empty())
        throw UsageError(fmt::format("{}: {}; give {}", path.string(), nowhere, wanted));
    auto in = std::make_unique<std::ifstream>(path, std::ios::binary);
    if (!*in) throw UsageError(fmt::format("{}: cannot open: {}", path.string(), std::strerror(errno)));
    return std::make_unique<UnpackedFile>(std::move(in));
}

std::string damage_of(const std::istream& in) {
    const auto* unpacking = dynamic_cast<const Unpacking*>(in.rdbuf());
    return unpacking ? unpacking->damage() : "";
}

void open_standard_streams() { native::open_standard_streams(); }

bool output_has_no_reader() { return native::has_no_reader(native::output); }

void writing_fails_with_errors() { native::writing_fails_with_errors(); }

bool standard_error_is_terminal() { return native::is_terminal(native::errors); }

} // namespace sonde
