// Files, standard streams and the console of Windows, through the numbers of its C library.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <io.h>
#include <random>
#include <string>
#include <sys/stat.h>
#include <system_error>

#include <windows.h>
#include <winternl.h>

#include "core/base/native.h"

namespace sonde::native {

namespace fs = std::filesystem;

namespace {
constexpr int kOurs = _O_BINARY | _O_NOINHERIT;

HANDLE handle_of(int number) { return reinterpret_cast<HANDLE>(_get_osfhandle(number)); }

/// The C library's number for what Windows says last.
bool failed() {
    const std::error_condition same = std::system_category().default_error_condition(static_cast<int>(GetLastError()));
    errno = same.category() == std::generic_category() ? same.value() : EIO;
    return false;
}

/// `make` takes a name with six letters behind `name`, and is asked again where there is one like it.
template <class Make> int beside(fs::path& name, Make make) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
    constexpr int kTries = 100;
    std::random_device chance;
    for (int tries = 0; tries < kTries; ++tries) {
        std::string letters = ".";
        for (int i = 0; i < 6; ++i) letters += kLetters[chance() % kLetters.size()];
        fs::path made = name;
        made += letters;
        const int number = make(made);
        if (number >= 0) name = std::move(made);
        if (number >= 0 || errno != EEXIST) return number;
    }
    return -1;
}

/// FILE_PIPE_LOCAL_INFORMATION of the driver kit.
struct PipeState {
    ULONG type, configuration, most, now, in_quota, readable, out_quota, writable, state, end;
};
constexpr auto kOfPipe = static_cast<FILE_INFORMATION_CLASS>(24); // FilePipeLocalInformation
constexpr ULONG kConnected = 3;                                   // FILE_PIPE_CONNECTED_STATE

UINT code_page_before = 0;
} // namespace

int create(const fs::path& path) {
    return _wopen(path.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | kOurs, _S_IREAD | _S_IWRITE);
}

int open(const fs::path& path) { return _wopen(path.c_str(), _O_RDWR | kOurs); }

int create_beside(fs::path& name) { return beside(name, create); } // the folder says who may read it

bool make_folder_beside(fs::path& name) {
    return beside(name,
               [](const fs::path& made) { return CreateDirectoryW(made.c_str(), nullptr) || failed() ? 0 : -1; }) == 0;
}

bool close(int number) { return _close(number) == 0; }

int duplicate(int number) {
    const int other = _dup(number);
    if (other >= 0) _setmode(other, _O_BINARY);
    return other; // a child is given its own handles alone
}

void replace(int number, int like) {
    _dup2(like, number);
    _setmode(number, _O_BINARY);
    if (number == output) SetStdHandle(STD_OUTPUT_HANDLE, handle_of(number)); // drivers have C libraries of their own
}

std::ptrdiff_t write(int number, std::string_view bytes) {
    constexpr std::size_t kMost = 1u << 20;
    return _write(number, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), kMost)));
}

/// A lock of Windows keeps others from reading what it covers: it covers a byte that no file has.
bool lock(int number) {
    OVERLAPPED at{};
    at.Offset = 0xfffffffe;
    at.OffsetHigh = 0x7fffffff;
    return LockFileEx(handle_of(number), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) ||
           GetLastError() != ERROR_LOCK_VIOLATION;
}

bool is_removed(int) { return false; } // Windows removes no open file

bool sync(int number) {
    const HANDLE handle = handle_of(number);
    if (GetFileType(handle) != FILE_TYPE_DISK || FlushFileBuffers(handle))
        return true; // a pipe's would wait for a reader
    failed();
    return errno != EIO && errno != ENOSPC;
}

bool sync_folder(const fs::path&) { return true; } // names are in the file system's journal

bool cut_off(int number, std::uint64_t bytes) {
    const auto end = static_cast<long long>(bytes);
    return _chsize_s(number, end) == 0 && _lseeki64(number, end, SEEK_SET) >= 0;
}

bool let_others_read(int) { return true; } // who may is inherited from the folder

bool rename(const fs::path& from, const fs::path& to) {
    return MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) || failed();
}

void open_standard_streams() {
    for (const int number : {input, output, errors}) {
        if (_get_osfhandle(number) < 0) { // -1: closed, -2: without a console
            const int nothing = _wopen(L"NUL", _O_RDWR | _O_BINARY);
            if (nothing < 0) std::_Exit(1);
            if (nothing != number) _dup2(nothing, number), _close(nothing);
        }
        _setmode(number, _O_BINARY); // a page or a line to standard output is the same as in a file
    }
    code_page_before = GetConsoleOutputCP();
    if (code_page_before != 0 && code_page_before != CP_UTF8 && SetConsoleOutputCP(CP_UTF8))
        std::atexit([] { SetConsoleOutputCP(code_page_before); });
}

/// No box and no debugger asks a person what to do where a driver crashes or lacks a library: the process ends with the
/// exception's number, and its parent hears of it.
void writing_fails_with_errors() {
    SetUnhandledExceptionFilter([](EXCEPTION_POINTERS*) -> LONG { return EXCEPTION_EXECUTE_HANDLER; });
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
}

bool has_no_reader(int number) {
    const HANDLE handle = handle_of(number);
    if (GetFileType(handle) != FILE_TYPE_PIPE) return false;
    IO_STATUS_BLOCK status{};
    PipeState pipe{};
    const NTSTATUS result = NtQueryInformationFile(handle, &status, &pipe, sizeof pipe, kOfPipe);
    return result >= 0 && pipe.state != kConnected;
}

void wait_for_no_reader(int number) {
    constexpr DWORD kBetweenLooks = 200; // ms
    while (!has_no_reader(number)) Sleep(kBetweenLooks);
}

bool is_terminal(Stream stream) {
    DWORD mode = 0;
    return GetConsoleMode(handle_of(stream), &mode);
}

std::size_t columns(Stream stream) {
    CONSOLE_SCREEN_BUFFER_INFO info{};
    if (!GetConsoleScreenBufferInfo(handle_of(stream), &info)) return 0;
    return static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

bool has_styles(Stream stream) {
    DWORD mode = 0;
    return GetConsoleMode(handle_of(stream), &mode) &&
           SetConsoleMode(handle_of(stream), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

bool control(const std::string&, unsigned long, void*) { return false; }

} // namespace sonde::native
