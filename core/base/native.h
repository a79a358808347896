// What file.cpp, process.cpp and terminal.cpp ask of the operating system; native_posix.cpp and native_windows.cpp
// answer. Where a call fails, errno says why.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::native {

// --- files, by the numbers of the C library; -1 or false: it failed

/// A new one, to write to. EEXIST where there is one of that name.
int create(const std::filesystem::path&);
/// One that is there, to read and to go on with.
int open(const std::filesystem::path&);
/// A new one that only this user can read; `name` gets six letters behind it.
int create_beside(std::filesystem::path& name);
bool make_folder_beside(std::filesystem::path& name);
bool close(int number);
/// Nothing that is started later inherits it.
int duplicate(int number);
/// `number` is from now on what `like` is.
void replace(int number, int like);
/// How many bytes were written; EINTR: begin anew.
std::ptrdiff_t write(int number, std::string_view bytes);
/// False where another process holds it.
bool lock(int number);
/// Its name is gone, or is another file's.
bool is_removed(int number);
/// Waits until it is on the disk. True as well where the file system cannot say so.
bool sync(int number);
/// The same of the names in a folder.
bool sync_folder(const std::filesystem::path&);
/// What is written next comes there.
bool cut_off(int number, std::uint64_t bytes);
/// Others may read it, as any new file.
bool let_others_read(int number);
bool rename(const std::filesystem::path& from, const std::filesystem::path& to);

enum Stream { input = 0, output = 1, errors = 2 };
/// Streams that the caller closed are opened on nothing; bytes pass as they are.
void open_standard_streams();
void writing_fails_with_errors();
/// Of a pipe: nobody reads it any more.
bool has_no_reader(int number);
/// Returns once nobody reads it.
void wait_for_no_reader(int number);

// --- the terminal

bool is_terminal(Stream);
/// 0: no terminal, or one that does not say.
std::size_t columns(Stream);
/// It follows the SGR sequences of ECMA-48.
bool has_styles(Stream);

// --- a child process with pipes on its standard streams, which never block

class Child {
public:
    /// Throws Error where the program cannot be started.
    explicit Child(const std::vector<std::string>& command);
    ~Child();
    Child(const Child&) = delete;

    /// Waits until its input takes bytes; false where that does not come within `seconds`.
    bool wait_to_write(double seconds);
    /// Takes from the front what its input has room for. False: nobody reads it.
    bool write(std::string_view& bytes);
    void end_input();
    void end_output(); // who still writes learns that nobody listens
    /// Waits until there is something to read, or an end of that; `errors_too`: of its errors as well.
    void wait_to_read(bool errors_too, double seconds);
    /// Appends some of what it has written; false: that has ended.
    bool read(Stream, std::string& text);

    /// Whether it has ended; it is reaped then, under a lock: nobody ends a process that has come to bear its number.
    bool has_ended();
    void wait_for_end();
    bool is_reaped() const;
    void kill() const;
    void ask_to_end() const;
    /// "was killed by SIGSEGV", "exited with 1", and then the code, once it is reaped.
    std::string ending(std::optional<int>& exit_code) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// --- devices

/// ioctl(2) of a device node. False where there is none, or it does not know the request.
bool control(const std::string& node, unsigned long request, void* argument);

} // namespace sonde::native
