// Buffers and kernels of a modelled card: words that the host's kernels work on, and where the simulated caches see
// them.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "backends/host/kernels.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "tests/model/model_device.h"

namespace sonde {

class ModelBuffer;
using Addresses =
    std::map<std::uintptr_t, const ModelBuffer*>; // of what is allocated, by the address that the host's kernels store

/// Zeros that take no memory until they are written: a modelled card has more of it than this machine.
class LazyWords {
public:
    explicit LazyWords(std::size_t count)
        : count_(count), words_(static_cast<std::uint32_t*>(std::calloc(count, 4)), &std::free) {
        if (!words_) throw DoesNotFit("this machine has no room for the modelled memory");
    }
    std::uint32_t* data() const { return words_.get(); }
    /// Kernels go where memory leads them: what leaves it ends as on a card.
    std::uint32_t& operator[](std::size_t i) const {
        if (i >= count_) throw Error("a kernel left the modelled memory");
        return words_.get()[i];
    }

private:
    std::size_t count_;
    std::unique_ptr<std::uint32_t, void (*)(void*)> words_;
};

/// Which addresses of the card's memory are taken.
class ModelMemory {
public:
    explicit ModelMemory(std::uint64_t bytes) : bytes_(bytes) {}
    /// The first gap that is wide enough.
    std::uint64_t take(std::uint64_t wanted) {
        std::uint64_t at = 0;
        for (const auto& [begin, size] : taken_) {
            if (begin - at >= wanted) break;
            at = begin + size;
        }
        if (wanted > bytes_ || at > bytes_ - wanted) throw DoesNotFit("more than is left of the modelled memory");
        taken_[at] = wanted;
        counts.allocated += wanted;
        return at;
    }
    void give_back(std::uint64_t at) {
        counts.allocated -= taken_.at(at);
        freed = freed || taken_.at(at) >= kMuch;
        taken_.erase(at);
    }
    std::uint64_t free() const { return bytes_ - counts.allocated; }
    ModelCounts counts;
    bool freed = false; // much, since the device was kept busy

private:
    static constexpr std::uint64_t kMuch = 8 << 20;
    std::uint64_t bytes_;
    std::map<std::uint64_t, std::uint64_t> taken_; // begin, bytes
};

class ModelBuffer final : public Buffer {
public:
    ModelBuffer(std::size_t bytes, std::uint64_t where, std::shared_ptr<Addresses> addresses, ModelMemory& memory)
        : words((bytes + 15) / 16 * 4),
          bytes_(bytes),
          where_(where),
          addresses_(std::move(addresses)),
          memory_(memory),
          place_(memory.take(bytes)) {
        (*addresses_)[begin()] = this;
    }
    ~ModelBuffer() override {
        addresses_->erase(begin());
        memory_.give_back(place_);
    }
    ModelBuffer(const ModelBuffer&) = delete;
    ModelBuffer& operator=(const ModelBuffer&) = delete;
    std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(words.data()); }
    std::size_t bytes() const override { return bytes_; }
    Placement placement() const override { return {true, "modelled memory"}; }
    void* shared_with_host() const override { return of_host ? words.data() : nullptr; }
    char* map() const override { return mapped ? reinterpret_cast<char*>(words.data()) : nullptr; }
    /// Where the simulated caches see it.
    std::uint64_t where() const { return where_; }
    /// Where in the card's memory it begins.
    std::uint64_t place() const { return place_; }
    LazyWords words;
    /// Of memory that the kernel `pair` wrote, which the model does not write word by word: word e is e + salt.
    /// `mixed`: in places another.
    std::optional<std::uint32_t> salt;
    bool mixed = false;
    bool of_host = false, mapped = false;
    int card = 0; // that holds it, or reaches it over its bus

private:
    std::size_t bytes_;
    std::uint64_t where_;
    std::shared_ptr<Addresses> addresses_;
    ModelMemory& memory_;
    std::uint64_t place_;
};

inline ModelBuffer* as_model(const Buffer* buffer) {
    return const_cast<ModelBuffer*>(static_cast<const ModelBuffer*>(buffer));
}

class ModelKernel final : public Kernel {
public:
    ModelKernel(std::string kernel_name, const Build& build, HostFunction entry, const NumberFormat* numbers = nullptr)
        : name(std::move(kernel_name)),
          path(*build.a),
          path_b(build.b),
          group_size(build.group_size),
          repeat(build.repeat),
          function(entry),
          format(numbers),
          defines(build.defines) {}
    /// A define that is a number.
    std::uint32_t number(std::string_view word) const {
        for (const auto& [name_of_it, value] : defines)
            if (name_of_it == word) return static_cast<std::uint32_t>(std::stoul(value));
        throw Error(fmt::format("{} was compiled without {}", name, word));
    }
    std::string text(std::string_view word) const {
        for (const auto& [name_of_it, value] : defines)
            if (name_of_it == word) return value;
        return "";
    }
    bool defined(std::string_view word) const {
        return std::any_of(defines.begin(), defines.end(), [&](const auto& define) { return define.first == word; });
    }
    Listing listing() const override;
    std::optional<std::uint32_t> resident_clusters(std::uint32_t, std::uint32_t) const override { return clusters; }
    std::optional<std::uint32_t> resident_groups(std::uint32_t) const override { return resident; }
    const std::string name;
    const Path& path;
    const Path* const path_b;
    const std::uint32_t group_size, repeat;
    const HostFunction function;                       // null: simulated alone
    const NumberFormat* const format;                  // of a library's product
    mutable std::array<std::uint32_t, 3> multiplied{}; // rows, and a word of each factor, of what was computed last
    std::optional<std::uint32_t> clusters = std::nullopt, resident = std::nullopt;
    std::string listed{}; // a file of tests/listing/texts
    const std::vector<std::pair<std::string, std::string>> defines;
};

} // namespace sonde
