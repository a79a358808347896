// The tools, and the pipeline cache's format: header, entries, and in each entry a zstd frame that holds the shader
// object.
#include "backends/nvidia_code.h"

#include <future>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "backends/nvidia_encodings.h"
#include "core/base/file.h"
#include "core/base/library.h"
#include "core/base/process.h"

namespace sonde::nvidia {

namespace {
constexpr std::string_view kFrame = "\x28\xb5\x2f\xfd", kObject = "NVuc";
constexpr unsigned long long kMostBytes = 256ull << 20; // of an unpacked entry; the driver's error codes are larger

struct Zstd {
    const Library library{"libzstd.so.1", "libzstd.dll"};
    unsigned long long (*unpacked_bytes)(const void*, std::size_t) = nullptr;
    std::size_t (*packed_bytes)(const void*, std::size_t) = nullptr,
                                             (*unpack)(void*, std::size_t, const void*, std::size_t) = nullptr;
    unsigned (*is_error)(std::size_t) = nullptr;

    Zstd() {
        if (!library) throw Error(library.error());
        if (!library.load(unpacked_bytes, "ZSTD_getFrameContentSize") ||
            !library.load(packed_bytes, "ZSTD_findFrameCompressedSize") || !library.load(unpack, "ZSTD_decompress") ||
            !library.load(is_error, "ZSTD_isError"))
            throw Error("libzstd lacks a function of version 1.4");
    }

    /// Of the frame at the beginning of `data`; empty where that is none.
    std::string unpacked(std::string_view data) const {
        const std::size_t packed = packed_bytes(data.data(), data.size());
        const unsigned long long bytes = unpacked_bytes(data.data(), data.size());
        if (is_error(packed) || bytes > kMostBytes) return {};
        std::string text(bytes, '\0');
        return is_error(unpack(text.data(), text.size(), data.data(), packed)) ? std::string() : text;
    }
};

/// What a tool made of the same input before: series of one worker share kernels, and a tool takes longer than a
/// compilation. Who asks meanwhile waits.
template <class Make> auto remembered(const std::string& input, const Make& make) {
    using Made = decltype(make());
    static std::map<std::string, std::shared_future<Made>> known;
    static std::mutex mutex;
    std::packaged_task<Made()> task;
    const std::shared_future<Made> made = [&] {
        const std::lock_guard lock(mutex);
        std::shared_future<Made>& found = known[input];
        if (!found.valid()) task = std::packaged_task<Made()>(make), found = task.get_future().share();
        return found;
    }();
    if (task.valid()) task();
    try {
        return Made(made.get());
    } catch (...) { // the next one may find the tool
        const std::lock_guard lock(mutex);
        known.erase(input);
        throw;
    }
}

constexpr std::string_view kUnknownChip = "is not defined for option 'gpu-name'"; // in ptxas' words
/// The last CUDA whose ptxas makes code for a chip, by the beginning of its name: "Deprecated and dropped features" of
/// the releases' notes.
struct LastAssembler {
    std::string_view chip, cuda;
};
constexpr LastAssembler kLastAssemblers[] = {{"sm_2", "8.0"}, {"sm_30", "10.2"}, {"sm_32", "10.2"}, {"sm_35", "11.8"},
    {"sm_37", "11.8"}, {"sm_5", "12.9"}, {"sm_6", "12.9"}, {"sm_70", "12.9"}, {"sm_72", "12.9"}};

/// "" of a chip that none has dropped yet.
std::string needed_assembler(std::string_view chip) {
    for (const auto& [begin, cuda] : kLastAssemblers)
        if (chip.starts_with(begin)) return fmt::format("{} needs ptxas and nvdisasm of CUDA {} or before", chip, cuda);
    return "";
}

/// With encodings, where the tool prints them of such a file.
std::string printed_code(const std::string& tool, const std::string& path) {
    if (tool != "nvdisasm") return run_program({tool, "-sass", path});
    try {
        return run_program({tool, "--print-code", "--print-instruction-encoding", path});
    } catch (const Error&) {
        return run_program({tool, "--print-code", path});
    }
}

Listing disassembled(const std::string& code) {
    const bool object = code.starts_with(kObject);
    const auto tool = object ? find_program({"nvdisasm"}) : find_program({"nvdisasm", "cuobjdump"});
    if (!tool) throw Error(object ? "nvdisasm is not on the PATH" : "neither nvdisasm nor cuobjdump is on the PATH");
    const File file = File::temporary(code);
    std::string text = printed_code(*tool, file.path().string());
    if (object)
        text.erase(0, text.find("Section UCODE") == text.npos ? 0 : text.find('\n', text.find("Section UCODE")) + 1);
    if (text.empty()) throw Error(*tool + " finds no code in it");
    return without_encodings(text);
}
} // namespace

Listing sass_of(const std::string& code) {
    return remembered(code, [&] { return disassembled(code); });
}

std::string cubin_of(std::string_view ptx, const std::string& chip) {
    return remembered(chip + std::string(ptx), [&] {
        const std::string needed = needed_assembler(chip);
        if (!find_program({"ptxas"})) throw Error("ptxas is not on the PATH" + (needed.empty() ? "" : ": " + needed));
        const File text = File::temporary(ptx), cubin = File::temporary("");
        const std::string own = chip + "a"; // with instructions of that chip alone
        try {
            run_program({"ptxas", "-arch=" + (ptx.find(".target " + own) != ptx.npos ? own : chip),
                text.path().string(), "-o", cubin.path().string()});
        } catch (const Error& error) {
            if (needed.empty() || std::string_view(error.what()).find(kUnknownChip) == std::string_view::npos) throw;
            throw Error("the ptxas on the PATH is too new: " + needed);
        }
        return cubin.text();
    });
}

std::string code_in_cache(std::string_view cache) {
    static const Zstd kZstd;
    for (std::size_t at = cache.find(kFrame); at != cache.npos; at = cache.find(kFrame, at + 1)) {
        const std::string entry = kZstd.unpacked(cache.substr(at));
        if (const std::size_t object = entry.find(kObject); object != entry.npos) return entry.substr(object);
    }
    throw Error("the driver's pipeline cache holds no shader object of a known format");
}

} // namespace sonde::nvidia
