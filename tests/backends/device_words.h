// Words to a device and back, and kernels on it, for the tests that run on every device.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/device/device.h"
#include "core/device/kernel_source.h"
#include "core/measure/bench.h"

namespace sonde::words {

using uint = std::uint32_t;
using Words = std::vector<uint>;
using Defines = std::vector<std::pair<std::string, std::string>>;

inline constexpr uint kSeed = 20260101;
inline constexpr uint kUntouched = 0xA5A5A5A5u;

inline std::unique_ptr<Buffer> uploaded(Device& device, Space space, const Words& words) {
    auto buffer = device.allocate(space, words.size() * sizeof(uint));
    const Copy copy{.from_host = words.data(), .to = buffer.get(), .bytes = words.size() * sizeof(uint)};
    device.copy({&copy, 1});
    return buffer;
}

inline Words downloaded(Device& device, const Buffer& buffer, std::size_t count) {
    Words words(count);
    const Copy copy{.from = &buffer, .to_host = words.data(), .bytes = count * sizeof(uint)};
    device.copy({&copy, 1});
    return words;
}

inline std::unique_ptr<Kernel> compiled(
    Device& device, const char* kernel, const Path& path, uint group_size = 1, const Defines& defines = {}) {
    return device.compile(
        kernel_source(kernel), Build{.a = &path, .b = nullptr, .group_size = group_size, .defines = defines});
}

inline std::unique_ptr<Buffer> untouched(Device& device, std::size_t words) {
    return uploaded(device, Space::global, Words(words, kUntouched));
}

/// One launch with a kernel's own arguments (kernel_args.h).
template <class Args>
void launch(Device& device, const Kernel& kernel, const Args& args, Buffer& out, const Sources& with = {}) {
    const Args addressed = Bench::addressed(args, with.a);
    const Launch launch{.kernel = kernel,
        .a = with.a,
        .b = with.b,
        .out = out,
        .args = Bench::words_of(addressed),
        .groups = with.groups,
        .scratchpad_bytes = with.scratchpad_bytes,
        .cluster = with.cluster};
    device.run({&launch, 1});
}

} // namespace sonde::words
