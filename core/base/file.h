// Files as the system has them: written whole or not at all, locked, cut off; and the standard streams.
#pragma once
#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sonde {

/// Owns a number that the system has given for something open.
class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    int get() const { return number_; }
    /// False where closing shows that what was written did not arrive.
    bool close();

private:
    int number_;
};

/// All that is in a file; "" where it cannot be read.
std::string text_of_file(const std::filesystem::path&);

/// A file to write to; one whose name ends in .gz is packed, each text that is written a gzip member of its own.
/// Everything here throws Error("<file>: cannot ...: <reason>").
class File {
public:
    /// A new file; nullopt where there is one of that name already.
    static std::optional<File> create(const std::filesystem::path&);
    /// One that is there, to be read and gone on with.
    static File open(const std::filesystem::path&);
    /// A new file that only this user can read, with six letters behind that name. It goes with this object unless it
    /// takes the name.
    static File beside(const std::filesystem::path&);
    /// Standard output, under a descriptor of its own: what others print to the old one from now on goes to standard
    /// error. Called "-".
    static File standard_output_alone();
    /// Standard output as it is. Called "-".
    static File standard_output();
    /// One in the folder for temporary files.
    static File temporary(std::string_view text);
    File(File&&) noexcept = default;
    ~File();

    /// Where it is.
    const std::filesystem::path& path() const { return temporary_.empty() ? path_ : temporary_; }
    /// For this process alone; false where another one has it. The lock goes with the process, however it ends.
    bool lock();
    /// The lines that are whole, or of a packed file those of whole members, and where they end in the file.
    struct Lines {
        std::uint64_t end = 0;
        std::string text{};
        std::string torn{};   // what a packed file has behind them, as far as it can be unpacked
        std::string damage{}; // why it cannot, in a phrase, where that is not its early end
    };
    Lines lines() const;
    std::string text() const { return text_of_file(path()); }
    /// Whether somebody removed it, or put another in its place, so that what is written is lost.
    bool is_removed() const;
    /// By how much the file has grown.
    std::size_t write(std::string_view text);
    /// Waits until what was written is on the disk, and with the first call the file's name as well. Nothing where the
    /// file system cannot say so, as of a pipe.
    void sync();
    /// Ends the process once nobody reads what is written, also while a driver hangs.
    void end_with_reader() const;
    /// Cuts it off; what is written next comes there.
    void truncate(std::uint64_t bytes);
    void take_name();

private:
    File(std::filesystem::path path, std::filesystem::path temporary, int number, bool packed = false)
        : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(number), packed_(packed) {}
    std::filesystem::path path_, temporary_;
    Descriptor descriptor_;
    bool packed_, named_on_disk_ = false;
};

/// A folder of its own in that for temporary files; it goes with this object and all that is in it.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// Writes `text` to `path` through a new file beside it that is renamed, so that a full disk leaves what was there, or
/// nothing. An existing file is replaced only where its first 4 KiB hold `mark`, which says that Sonde made it; else
/// UsageError. A link is followed. "-" is standard output, and a device or pipe (/dev/stdout) is written to as it is.
/// Throws Error where writing fails.
void write_own_file(const std::filesystem::path& path, std::string_view text, std::string_view mark);

/// A file to read, unpacked where it is a gzip file; "-" is std::cin. Throws UsageError for what cannot be opened,
/// which names what is `wanted`.
std::unique_ptr<std::istream> open_to_read(
    const std::filesystem::path&, std::string_view wanted = "a results file (*.jsonl)");
/// Why such a stream ended before its file did, in a phrase; "" where it did not.
std::string damage_of(const std::istream&);
/// "a link to x, which is not there" where it is one; else "".
std::string leads_nowhere(const std::filesystem::path&);

/// Appends what is left of `in` to `text`. False once that is longer than `most` bytes.
bool read_rest(std::istream& in, std::string& text, std::size_t most);

/// A standard stream that the caller closed (`>&-`) would be the next file opened, a results file, and get the summary:
/// opens it on nothing.
void open_standard_streams();
/// What cannot be written is an error of the call: a pipe that nobody reads, or a file grown to its limit, ends no
/// process.
void writing_fails_with_errors();

/// Whether standard output is a pipe that nobody reads any more, such as a pager that was left.
bool output_has_no_reader();
/// Whether a person reads standard error.
bool standard_error_is_terminal();

} // namespace sonde
