// The one place with lists and slots.
#include "core/facts/card_fact.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/base/list_text.h"

namespace sonde {

namespace {
std::string names_text(const CardFact& fact, std::vector<std::size_t> columns) {
    std::ranges::sort(columns);
    std::vector<std::string> names;
    names.reserve(columns.size());
    for (const std::size_t column : columns) names.push_back(fact.grid.columns.at(column));
    return list_text(names);
}

/// "1.37-1.42 Gop/s"
std::string with_unit(const Quantity& quantity) {
    const Scale scale = scale_of(quantity.range ? quantity.range->second : quantity.value, quantity.unit);
    return fmt::format("{}{}{}", quantity_text(quantity, scale), scale.unit.empty() ? "" : " ", scale.unit);
}

/// "1.37-1.42 Gop/s through cuda:0 and opencl:1.0"
std::string values_text(const CardFact& fact, const std::vector<std::size_t>& together) {
    const std::vector<Cell>& cells = fact.grid.sections.at(0).rows.at(0).cells;
    Quantity all;
    for (const std::size_t column : together) {
        const Quantity* each = cells.at(column).quantity();
        if (!each) continue;
        const auto [least, most] = each->range.value_or(std::pair(each->value, each->value));
        if (!all.range) all = {each->value, each->unit, std::pair(least, most)};
        all.range = {std::min(all.range->first, least), std::max(all.range->second, most)};
    }
    if (!all.range) return ""; // no number
    return fmt::format("{} through {}", with_unit(all), names_text(fact, together));
}

/// "alone 1980 MHz, under load 1590 MHz": of one column. "L1 34.0 cycles (208-223 KiB)" with what stands beside it.
std::string rows_text(const CardFact& fact, std::size_t column) {
    std::vector<std::string> texts;
    for (const GridRow& row : fact.grid.sections.at(0).rows) {
        const Cell cell = column < row.cells.size() ? row.cells[column] : Cell();
        if (!cell.quantity()) continue;
        texts.push_back(fmt::format("{}{}{}{}", row.place, row.place.empty() ? "" : " ", with_unit(*cell.quantity()),
            cell.beside ? fmt::format(" ({})", with_unit(*cell.beside)) : ""));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// What listings, or drivers, show of one column.
std::string shown_text(const CardFact& fact, std::size_t column) {
    std::vector<std::string> texts;
    for (const GridRow& row : fact.grid.sections.at(0).rows)
        if (const auto* shown = column < row.cells.size() ? std::get_if<Instructions>(&row.cells[column].is) : nullptr)
            texts.push_back(shown->text);
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// "1.08", "4.3", "32"
std::string times_text(double times) { return fmt::format("{:.{}f}", times, times < 1.195 ? 2 : times < 9.95 ? 1 : 0); }
} // namespace

std::span<const CauseWords> all_causes() {
    static constexpr auto kWords = std::to_array<CauseWords>({
        {"none", "", ""},
        {"joined_by_compiler", "through {first} the compiler adds up a subgroup's lanes first", "evidence: combined_by",
            "{first} adds lanes up first"},
        {"smaller_tlb_reach", "the TLB reaches less than that through {last}", "series: tlb",
            "the TLB reaches less through {last}"},
        {"smaller_pages",
            "levels of the TLB whose misses cost the same reach less through {first}, consistent with smaller pages",
            "series: tlb"},
        {"other_instructions", "through {first} other instructions lie between two loads",
            "evidence: address_instructions"},
        {"held_scratchpad", "kernels through {last} hold more scratchpad, which is carved out of L1",
            "evidence: held_scratchpad_bytes"},
        {"path_of_global", "through {first} its load instruction is that of global memory", "evidence: instruction"},
        {"as_device_memory", "through {last} as long as DRAM of the device, consistent with a copy there",
            "series: latency"},
        {"carve_out", "consistent with a carve-out for all workgroups of a core", "witness: l1-end"},
        {"one_carve_out", "through {last} L1 is smaller too, consistent with one carve-out for all its kernels",
            "series: occupancy"},
        {"copy_in_each_part",
            "no core waits for one line as long as for the farther part, consistent with a copy in each",
            "series: core-distance"},
        {"one_cache", "consistent with one cache for both", "series: sharing"},
        {"part_of_cache", "consistent with a part of one cache", "series: sharing"},
        {"not_over_link", "not all of it crossed the link", "evidence: host_link_bytes_per_second"},
        {"in_buffer_memory", "consistent with placement in buffer memory", "evidence: accepted_bytes"},
        {"power_cap", "the driver names a power cap", "evidence: throttled_by"},
        {"steady_core_clock", "by the device's time the core clock is steady, so the host's time is in doubt",
            "evidence: clock_mhz"},
    });
    return kWords;
}

const CauseWords& words_of(Cause cause) { return all_causes()[static_cast<std::size_t>(cause)]; }

namespace {
/// The devices with the largest numbers, and with the least.
std::pair<std::string, std::string> first_and_last(const CardFact& fact) {
    return {names_text(fact, fact.ranked.at(0)), names_text(fact, fact.ranked.back())};
}

std::string in_words(std::string_view words, const CardFact& fact) {
    if (words.empty()) return "";
    const auto [first, last] = first_and_last(fact);
    return filled(words, {{"first", first}, {"last", last}});
}
} // namespace

std::string brief_cause(const CardFact& fact) { return in_words(words_of(fact.cause).brief, fact); }

std::string subject_text(const CardFact& fact, const Wording& kind) {
    const std::string name = filled(kind.subject.name, fact.subject),
                      conditions = filled(kind.subject.conditions, fact.subject);
    return conditions.empty() ? name : name + ", " + conditions;
}

std::string fact_line(const CardFact& fact, const Wording& kind) {
    std::vector<std::string> values;
    for (const auto& together : fact.ranked)
        if (std::string text = values_text(fact, together); !text.empty()) values.push_back(std::move(text));
    const auto [first, last] = first_and_last(fact);
    const std::size_t told = fact.ranked.at(0).at(0);
    return filled(kind.line,
        {{"subject", subject_text(fact, kind)}, {"values", fmt::format("{}", fmt::join(values, ", "))},
            {"first", first}, {"last", last}, {"rows", rows_text(fact, told)}, {"shown", shown_text(fact, told)},
            {"times", times_text(fact.effect)}, {"cause", in_words(words_of(fact.cause).clause, fact)}});
}

} // namespace sonde
