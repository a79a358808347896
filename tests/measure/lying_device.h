// A device that is well but for what its kernels leave behind: whoever measures on it has to notice.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/device/device.h"

namespace sonde {

/// What is wrong with the words that a batch of launches stored.
enum class Lie {
    one_word,         // one of them has two other bits
    one_lane,         // so has each word of one lane of 32, of the second half of them
    every_word,       // each of them has
    stale,            // none of them arrived
    half_of_the_work, // the second half of them did not arrive
    no_number,        // each of them is no number of single precision
};
struct NamedLie {
    Lie lie;
    std::string_view name;
};
/// Those about words of any kind.
inline constexpr NamedLie kLies[] = {{Lie::one_word, "one word"}, {Lie::one_lane, "one lane"},
    {Lie::every_word, "every word"}, {Lie::stale, "stale"}, {Lie::half_of_the_work, "half of the work"}};

/// What of a device lies: the kernels of one name, or what it copies to the host.
struct Liar {
    std::string kernel;
    bool copies = false;
};

/// Passes everything on to another device, and changes what kernels stored, in their outputs and in the memory that
/// they walk through.
class LyingDevice final : public Device {
public:
    LyingDevice(std::unique_ptr<Device> device, Liar who, Lie lie)
        : device_(std::move(device)), who_(std::move(who)), lie_(lie) {}
    const DeviceInfo& info() const override { return device_->info(); }
    std::optional<std::string> why_not(const Path& path) const override { return device_->why_not(path); }
    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const override {
        return device_->why_lacking(feature, in_scratchpad);
    }
    std::optional<std::string> why_lacking(const MatrixForm& form) const override { return device_->why_lacking(form); }
    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override {
        return device_->allocate(space, bytes);
    }
    std::vector<Timing> copy(std::span<const Copy> copies) override {
        std::vector<Words> before;
        for (const Copy& copy : copies) before.push_back(who_.copies && copy.to_host ? words_at(copy) : Words{});
        const std::vector<Timing> timings = device_->copy(copies);
        for (std::size_t n = 0; n < copies.size(); ++n) {
            if (before[n].empty()) continue;
            Words words = words_at(copies[n]);
            if (changed(words, before[n])) std::memcpy(copies[n].to_host, words.data(), 4 * words.size());
        }
        return timings;
    }
    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        std::unique_ptr<Kernel> kernel = device_->compile(source, build);
        lies_about_[kernel.get()] = source.name == who_.kernel;
        return kernel;
    }
    LibraryKernel library_kernel(const LibraryWork& work) override { return device_->library_kernel(work); }
    double now() const override { return device_->now(); }

    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        std::map<const Buffer*, Words> before;
        for (const Launch& launch : launches)
            for (const Buffer* buffer : {launch.a, launch.b, static_cast<const Buffer*>(&launch.out)})
                if (buffer && lies_about_[&launch.kernel] && !before.contains(buffer)) before[buffer] = read(buffer);
        const std::vector<Timing> timings = device_->run(launches, timed);
        for (const auto& [buffer, old] : before) {
            Words words = read(buffer);
            if (changed(words, old)) write(buffer, words);
        }
        return timings;
    }

    /// Batches whose words were changed.
    std::uint64_t lies() const { return lies_; }

private:
    using Words = std::vector<std::uint32_t>;
    /// Long buffers are walked through, and what a kernel stores there shows at their begin.
    static constexpr std::size_t kMostBytes = 16 << 20;
    /// Seen in an integer, in a number of single precision (a quarter of it) and in both of half precision.
    static constexpr std::uint32_t kOtherBits = 0x00400040;
    static constexpr std::uint32_t kNoNumber = 0x7fc00000;

    static Words words_at(const Copy& copy) {
        Words words(copy.bytes / 4);
        std::memcpy(words.data(), copy.to_host, 4 * words.size());
        return words;
    }
    Words read(const Buffer* buffer) {
        Words words(std::min(buffer->bytes(), kMostBytes) / 4);
        if (!words.empty()) device_->copy({{Copy{.from = buffer, .to_host = words.data(), .bytes = 4 * words.size()}}});
        return words;
    }
    void write(const Buffer* buffer, const Words& words) {
        device_->copy(
            {{Copy{.from_host = words.data(), .to = const_cast<Buffer*>(buffer), .bytes = 4 * words.size()}}});
    }
    /// Whether there was something to lie about.
    bool changed(Words& words, const Words& old) {
        std::vector<std::size_t> stored;
        for (std::size_t at = 0; at < words.size(); ++at)
            if (words[at] != old[at]) stored.push_back(at);
        if (stored.empty()) return false;
        ++lies_;
        switch (lie_) {
        case Lie::one_word:
            words[stored[stored.size() / 2]] ^= kOtherBits;
            break;
        case Lie::one_lane:
            for (std::size_t i = stored.size() / 2; i < stored.size(); ++i)
                words[stored[i]] ^= stored[i] % 32 == 17 ? kOtherBits : 0;
            break;
        case Lie::every_word:
            for (const std::size_t at : stored) words[at] ^= kOtherBits;
            break;
        case Lie::stale:
            words = old;
            break;
        case Lie::half_of_the_work:
            for (std::size_t i = stored.size() / 2; i < stored.size(); ++i) words[stored[i]] = old[stored[i]];
            break;
        case Lie::no_number:
            for (const std::size_t at : stored) words[at] = kNoNumber;
            break;
        }
        return true;
    }

    const std::unique_ptr<Device> device_;
    const Liar who_;
    const Lie lie_;
    std::map<const Kernel*, bool> lies_about_;
    std::uint64_t lies_ = 0;
};

} // namespace sonde
