// What is concluded of a card, as data. How a kind of fact is told: core/diagnosis/words.cpp.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/facts/grid.h"
#include "core/facts/slots.h"

namespace sonde {

/// Why something is so. A rule names one only where something shows it.
enum class Cause {
    none,
    joined_by_compiler,
    smaller_tlb_reach,
    smaller_pages,
    other_instructions,
    held_scratchpad,
    path_of_global,
    as_device_memory,
    carve_out,
    one_carve_out,
    copy_in_each_part,
    one_cache,
    part_of_cache,
    not_over_link,
    in_buffer_memory,
    power_cap,
    steady_core_clock
};

struct CardFact {
    Slots subject{}; // what it is about, as the wording of its kind names it
    Grid grid{};     // a column for each device; the first row is the one that a line tells
    /// Columns of that row, the largest number first; those together that two runs would not rank.
    std::vector<std::vector<std::size_t>> ranked{};
    std::vector<std::string> notes{}; // what belongs to rows: "rcp.f32: x = 1 / x + c"
    Cause cause = Cause::none;
    double effect = 1;      // times that the row's numbers differ
    bool only_some = false; // other APIs of the card do not do this at all: it comes before what is some times slower
};

/// What a fact is about, with its slots: "Atomics on {cells}, {path}"; and under which conditions: "{type} {operation},
/// {workgroups:workgroup|workgroups}".
struct SubjectWording {
    std::string_view name{}, conditions{};
};

/// How facts of one kind are told: a wording is a line of data.
struct Wording {
    std::string_view name{}, title{};
    SubjectWording subject{};
    /// With the slots {subject}: with its conditions; {values}: the first row's numbers and their devices; {first},
    /// {last}: the devices alone, of the largest numbers and of the least; {rows}: the rows of the first of those
    /// devices; {shown}: its Instructions; {times}, {cause}.
    std::string_view line{};
    std::string_view explained{}; // for a reader who has not seen it, a sentence
};

/// `clause` has the slots {first} and {last}: the devices with the largest numbers, and with the least. `shown_by`:
/// "evidence: field" (results/schema.json), "witness: program" (tests/witness/) or "series: probe".
struct CauseWords {
    std::string_view name{}, clause{}, shown_by{};
    std::string_view
        brief{}; // with the same slots, beside a row of the first screen, where its number misleads without
};
const CauseWords& words_of(Cause);
std::span<const CauseWords> all_causes(); // in the order of Cause

/// "vulkan:0 adds lanes up first"; "" where the cause has no such words.
std::string brief_cause(const CardFact&);

/// "Atomics on one address, global, u32 add, 528 workgroups"
std::string subject_text(const CardFact&, const Wording&);
/// "Atomics on one address, global, u32 add, 528 workgroups: 43.7 Gop/s through vulkan:0, 1.37 Gop/s through cuda:0 and
/// opencl:1.0, 32 times apart: ..." Numbers that stand together are told by the least and the greatest of them.
std::string fact_line(const CardFact&, const Wording&);

} // namespace sonde
