// Processes of Windows. Its pipes wait in each call, so that a thread of its own serves each of a child's three.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <io.h>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/native.h"
#include "core/base/process.h"
#include "core/base/wide_windows.h"

#include <shellapi.h>
#include <tlhelp32.h>

namespace sonde {

namespace {
constexpr std::size_t kPiece = 65536;  // bytes moved at once
constexpr std::size_t kMost = 1 << 20; // that wait for who reads them
constexpr UINT kKilled = 137;

std::chrono::duration<double> at_most_an_hour(double seconds) {
    return std::chrono::duration<double>(std::min(seconds, 3600.0));
}

/// Owns a handle.
class Handle {
public:
    explicit Handle(HANDLE handle = nullptr) : handle_(handle) {}
    ~Handle() { close(); }
    Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    HANDLE get() const { return handle_; }
    void close() {
        if (handle_) CloseHandle(std::exchange(handle_, nullptr));
    }

private:
    HANDLE handle_;
};

Error refused(std::string_view what) { return Error(fmt::format("{}: {}", what, words_of_error(GetLastError()))); }

struct Pipe {
    Handle read, write;
};
Pipe make_pipe(bool child_reads) {
    SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
    HANDLE read = nullptr, write = nullptr;
    if (!CreatePipe(&read, &write, &inherited, kPiece)) throw refused("pipe");
    SetHandleInformation(child_reads ? write : read, HANDLE_FLAG_INHERIT, 0);
    return {Handle(read), Handle(write)};
}

/// All children, and what they start, end with this process.
HANDLE children() {
    static const HANDLE job = [] {
        const HANDLE made = CreateJobObjectW(nullptr, nullptr);
        JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        SetInformationJobObject(made, JobObjectExtendedLimitInformation, &limits, sizeof limits);
        return made;
    }();
    return job;
}

/// A word as CommandLineToArgvW reads it: backslashes are doubled before a quotation mark alone.
void add_word(std::wstring& line, const std::wstring& word) {
    if (!line.empty()) line += L' ';
    if (!word.empty() && word.find_first_of(L" \t\n\v\"") == word.npos) {
        line += word;
        return;
    }
    line += L'"';
    std::size_t backslashes = 0;
    for (const wchar_t each : word) {
        if (each == L'"') line.append(backslashes + 1, L'\\');
        backslashes = each == L'\\' ? backslashes + 1 : 0;
        line += each;
    }
    line.append(backslashes, L'\\');
    line += L'"';
}

/// What a process gives for its end where something else than itself ended it.
struct Exception {
    DWORD code;
    const char* words;
};
constexpr Exception kExceptions[] = {{0xc0000005, "an access violation"}, {0xc00000fd, "a stack overflow"},
    {0xc000001d, "an illegal instruction"}, {0xc0000094, "a division by zero"}, {0xc0000374, "a damaged heap"},
    {0xc0000409, "a check of the stack (fail fast)"}, {0xc0000135, "the lack of a library"}, {0xc000013a, "Ctrl-C"},
    {0xc0000017, "the lack of memory"}, {0x80000003, "a breakpoint"}};

std::uint32_t parent_of(std::uint32_t process) {
    const Handle list(CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0));
    PROCESSENTRY32W entry{};
    entry.dwSize = sizeof entry;
    for (bool more = Process32FirstW(list.get(), &entry); more; more = Process32NextW(list.get(), &entry))
        if (entry.th32ProcessID == process) return entry.th32ParentProcessID;
    return 0;
}

BOOL WINAPI on_interrupt(DWORD event) {
    constexpr std::chrono::milliseconds kOfOneMind{300};
    static std::chrono::steady_clock::time_point first;
    const auto now = std::chrono::steady_clock::now();
    const bool by_hand = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
    if (stop_asked && by_hand && now - first > kOfOneMind) std::_Exit(kInterrupted);
    if (!stop_asked) first = now;
    stop_asked = 1;
    if (!by_hand) Sleep(INFINITE); // the console closes: once this returns the process is ended, whatever it does
    return TRUE;
}
} // namespace

void listen_for_interrupts() { SetConsoleCtrlHandler(on_interrupt, TRUE); }

void leave_interrupts_to_parent() { SetConsoleCtrlHandler(nullptr, TRUE); }

char** own_arguments(char**) {
    static std::vector<std::string> words;
    static std::vector<char*> pointers;
    int count = 0;
    wchar_t** wides = CommandLineToArgvW(GetCommandLineW(), &count);
    for (int i = 0; i < count; ++i) words.push_back(narrow(wides[i]));
    LocalFree(wides);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers.data();
}

std::string own_program() {
    std::wstring path(32768, L'\0'); // as long as Windows' paths may be
    path.resize(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
    return narrow(path);
}

void end_with_parent() {} // its job ends this one

void wait_for_end_of_input() {
    char ignored;
    while (_read(native::input, &ignored, 1) > 0) {
    }
}

bool is_of_another_run(std::uint32_t pid) {
    const std::uint32_t own = GetCurrentProcessId(), parent = parent_of(pid);
    return pid != own && parent != 0 && parent != parent_of(own);
}

std::optional<std::string> find_program(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
        if (SearchPathW(nullptr, wide(name).c_str(), L".exe", 0, nullptr, nullptr) > 0) return std::string(name);
    return std::nullopt;
}

struct native::Child::Parts {
    /// One of the child's pipes, and the thread that waits in its calls.
    struct Served {
        Handle end;
        std::string text{}; // read and not yet taken, or to be written
        bool closing = false, ended = false;
        std::thread thread{};
    };

    ~Parts() {
        for (Served* each : {&in, &out, &err}) stop(*each);
    }

    void serve_output(Served& served) {
        std::string piece(kPiece, '\0');
        std::unique_lock lock(mutex);
        for (bool open = true; open;) {
            changed.wait(lock, [&] { return served.closing || served.text.size() < kMost; });
            if (served.closing) break;
            lock.unlock();
            DWORD n = 0;
            open = ReadFile(served.end.get(), piece.data(), kPiece, &n, nullptr) != 0; // fails once nobody writes
            lock.lock();
            served.text.append(piece, 0, n);
            changed.notify_all();
        }
        served.end.close();
        served.ended = true;
        changed.notify_all();
    }

    void serve_input() {
        std::unique_lock lock(mutex);
        for (bool open = true; open;) {
            changed.wait(lock, [&] { return in.closing || !in.text.empty(); });
            if (in.text.empty()) break;
            const std::string piece = in.text;
            lock.unlock();
            DWORD n = 0;
            open = WriteFile(in.end.get(), piece.data(), static_cast<DWORD>(piece.size()), &n, nullptr) != 0;
            lock.lock();
            in.text.erase(0, n);
            changed.notify_all();
        }
        in.end.close();
        in.ended = true;
        changed.notify_all();
    }

    /// What it waits for does not come any more.
    void stop(Served& served) {
        {
            const std::lock_guard lock(mutex);
            served.closing = true;
            if (&served == &in) in.text.clear();
            changed.notify_all();
        }
        if (!served.thread.joinable()) return;
        const HANDLE thread = pthread_gethandle(served.thread.native_handle());
        for (std::unique_lock lock(mutex); !served.ended;) { // the call may not have begun yet
            CancelSynchronousIo(thread);
            changed.wait_for(lock, std::chrono::milliseconds(1));
        }
        served.thread.join();
    }

    template <class Condition> bool wait(double seconds, Condition condition) {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, at_most_an_hour(seconds), condition);
    }

    std::mutex mutex;
    std::condition_variable changed;
    Served in, out, err;
    mutable std::mutex of_process; // of the two below
    Handle process;
    DWORD code = 0;
};

native::Child::Child(const std::vector<std::string>& command) : parts_(std::make_unique<Parts>()) {
    Pipe in = make_pipe(true), out = make_pipe(false), err = make_pipe(false);
    HANDLE given[] = {in.read.get(), out.write.get(), err.write.get()}; // and no other, not those of another child
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    std::vector<char> room(size);
    const auto attributes = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(room.data());
    if (!InitializeProcThreadAttributeList(attributes, 1, 0, &size) ||
        !UpdateProcThreadAttribute(
            attributes, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, given, sizeof given, nullptr, nullptr))
        throw refused(fmt::format("cannot start {}", command[0]));
    STARTUPINFOEXW start{};
    start.StartupInfo.cb = sizeof start;
    start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    start.StartupInfo.hStdInput = given[0];
    start.StartupInfo.hStdOutput = given[1];
    start.StartupInfo.hStdError = given[2];
    start.lpAttributeList = attributes;
    std::wstring line;
    for (const std::string& word : command) add_word(line, wide(word));
    // Without a console here each child would open a window of its own.
    const DWORD flags = EXTENDED_STARTUPINFO_PRESENT | CREATE_SUSPENDED | (GetConsoleCP() == 0 ? CREATE_NO_WINDOW : 0);
    PROCESS_INFORMATION made{};
    const bool started = CreateProcessW(
        nullptr, line.data(), nullptr, nullptr, TRUE, flags, nullptr, nullptr, &start.StartupInfo, &made);
    const DWORD why_not = GetLastError();
    DeleteProcThreadAttributeList(attributes);
    if (!started) throw Error(fmt::format("cannot start {}: {}", command[0], words_of_error(why_not)));
    AssignProcessToJobObject(children(), made.hProcess); // before it starts others
    ResumeThread(made.hThread);
    CloseHandle(made.hThread);
    parts_->process = Handle(made.hProcess);
    parts_->in.end = std::move(in.write);
    parts_->out.end = std::move(out.read);
    parts_->err.end = std::move(err.read);
    Parts& parts = *parts_;
    parts.in.thread = std::thread([&parts] { parts.serve_input(); });
    parts.out.thread = std::thread([&parts] { parts.serve_output(parts.out); });
    parts.err.thread = std::thread([&parts] { parts.serve_output(parts.err); });
}

native::Child::~Child() = default;

bool native::Child::wait_to_write(double seconds) {
    return parts_->wait(seconds, [this] { return parts_->in.text.empty() || parts_->in.ended || stop_asked; });
}

bool native::Child::write(std::string_view& bytes) {
    const std::lock_guard lock(parts_->mutex);
    if (parts_->in.ended || parts_->in.closing) return false;
    const std::size_t taken = std::min(bytes.size(), kPiece - std::min(kPiece, parts_->in.text.size()));
    parts_->in.text.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    parts_->changed.notify_all();
    return true;
}

void native::Child::end_input() {
    const std::lock_guard lock(parts_->mutex);
    parts_->in.closing = true; // once all is written
    parts_->changed.notify_all();
}

void native::Child::end_output() { parts_->stop(parts_->out); }

void native::Child::wait_to_read(bool errors_too, double seconds) {
    parts_->wait(seconds, [&] {
        const auto has_news = [](const Parts::Served& of) { return of.ended || !of.text.empty(); };
        return has_news(parts_->out) || (errors_too && has_news(parts_->err));
    });
}

bool native::Child::read(Stream stream, std::string& text) {
    const std::lock_guard lock(parts_->mutex);
    Parts::Served& from = stream == output ? parts_->out : parts_->err;
    const bool open = !from.ended || !from.text.empty();
    text += std::exchange(from.text, {});
    parts_->changed.notify_all();
    return open;
}

bool native::Child::has_ended() {
    const std::lock_guard lock(parts_->of_process);
    if (!parts_->process.get()) return true;
    if (WaitForSingleObject(parts_->process.get(), 0) != WAIT_OBJECT_0) return false;
    GetExitCodeProcess(parts_->process.get(), &parts_->code);
    parts_->process.close();
    return true;
}

void native::Child::wait_for_end() {
    while (!has_ended()) Sleep(1);
}

bool native::Child::is_reaped() const {
    const std::lock_guard lock(parts_->of_process);
    return !parts_->process.get();
}

void native::Child::kill() const {
    const std::lock_guard lock(parts_->of_process);
    if (parts_->process.get()) TerminateProcess(parts_->process.get(), kKilled);
}

void native::Child::ask_to_end() const { kill(); } // there is no milder way that every program hears

std::string native::Child::ending(std::optional<int>& exit_code) const {
    const DWORD code = parts_->code;
    const auto* known = std::ranges::find(kExceptions, code, &Exception::code);
    if (known != std::end(kExceptions)) return fmt::format("was killed by {} (0x{:08X})", known->words, code);
    if (code >= 0xc0000000) return fmt::format("was killed by an exception (0x{:08X})", code);
    exit_code = static_cast<int>(code);
    return fmt::format("exited with {}", code);
}

NoOrphans::NoOrphans() { children(); }

NoOrphans::~NoOrphans() { TerminateJobObject(children(), kKilled); }

} // namespace sonde
