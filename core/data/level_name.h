// What a level is called: the card's name for it, or what it is where it is none of the card's memory.
#pragma once
#include <compare>
#include <string>
#include <string_view>

namespace sonde {

struct LevelName {
    /// other: `word`, as another version calls it; none where that is empty. behind: what lies behind the only level
    /// that a card's memory shows. untold: memory whose levels no latency tells apart.
    enum class Kind {
        other,
        cache,
        dram,
        constant,
        push,
        scratchpad,
        host_cache,
        host_memory,
        peer_memory,
        behind,
        untold
    };
    /// Of a cache in two partitions.
    enum class Part { whole, near, far };

    Kind kind = Kind::other;
    int number = 1; // of caches and constants; 1: the nearest
    Part part = Part::whole;
    bool unsure = false; // it may be none, or another one may lie before it
    int repetition = 1;  // on one curve: several levels within what the card's curve shows as one
    std::string word{};  // of other

    static LevelName cache(int number) { return {.kind = Kind::cache, .number = number}; }
    static LevelName dram() { return {.kind = Kind::dram}; }
    static LevelName untold() { return {.kind = Kind::untold}; }

    auto operator<=>(const LevelName&) const = default;
    bool is_none() const { return *this == LevelName(); }
    /// "L2 near", "L3?", "L2 (2)", "DRAM", "constant L1"
    std::string text() const;
    /// The cache that it is a part of.
    LevelName whole() const;
    /// Whether a curve that shows a cache as a whole may show this level under that name: where another one tells two
    /// partitions apart, the near one.
    bool is_seen_as(const LevelName& other) const;
};

/// Of a text in a file.
LevelName level_name_of(std::string_view text);

} // namespace sonde
