// The fields of a finding.
#pragma once
#include <tuple>

#include "core/base/fields.h"
#include "core/data/finding.h"
#include "core/data/series_fields.h"

namespace sonde {

template <> inline constexpr auto fields_of<CitedSeries> = std::tuple_cat(
    id_fields(&CitedSeries::series), std::tuple{Field{"x", &CitedSeries::x, "points; none: the whole series"}});

template <> inline constexpr auto fields_of<FindingRow> =
    std::tuple{Field{"place", &FindingRow::place, "of what: \"7 MiB, median\""},
        Field{"value", &FindingRow::value, "a number; null: there is none, or a text"},
        Field{"unit", &FindingRow::unit, "of the value"},
        Field{"range", &FindingRow::range, "the least and the most", "", Presence::where_known},
        Field{"cycles", &FindingRow::cycles, "the value in core cycles, where it is a time", "", Presence::where_known},
        Field{"text", &FindingRow::text, "in place of a number a name: of an instruction, of a library", "",
            Presence::where_known}};

template <> inline constexpr auto fields_of<Finding> = std::tuple_cat(
    std::tuple{KindField{"type", "finding"}, Field{"kind", &Finding::kind, "what is concluded"}},
    id_fields_on_card(&Finding::series),
    std::tuple{Field{"name", &Finding::name, "of what: \"L1\"", "", Presence::lenient},
        Field{"value", &Finding::value, "null: there is no number", "", Presence::lenient},
        Field{"no_value", &Finding::no_value, "why there is no number: what was tried shows none, or does not tell", "",
            Presence::where_known},
        Field{"unit", &Finding::unit, "of the value", "", Presence::lenient},
        Field{"cycles", &Finding::cycles, "the value in core cycles, where it is a time", "", Presence::lenient},
        Field{"capacity_bytes", &Finding::capacity_bytes,
            "the last footprint inside and the first one outside; null: the curve ends inside", "",
            Presence::where_known},
        Field{"tlb_beyond_bytes", &Finding::tlb_beyond_bytes, "of DRAM: the last footprint before TLB misses slow it",
            "", Presence::where_known},
        Field{"rises_to_bytes", &Finding::rises_to_bytes,
            "where no plateau follows, but a gradual rise: the last footprint of that", "", Presence::where_known},
        Field{"edge_bytes", &Finding::edge_bytes,
            "from the least to the largest end of this level through one API, where its paths, runs, blocks "
            "or allocations exclude each other",
            "", Presence::where_known},
        Field{"confidence", &Finding::confidence, "0 to 1, from the samples' spread", R"({"minimum": 0, "maximum": 1})",
            Presence::where_known},
        Field{"groups", &Finding::groups, "numbers of the cores in each group, the one of the fastest pairs first", "",
            Presence::where_known},
        Field{"rows", &Finding::rows, "all of its numbers; none: the value is all", "", Presence::where_known},
        Field{"text", &Finding::text, "for a person; none: the rows say it", R"({"minLength": 1})",
            Presence::where_known},
        ComputedField{"from", &Finding::from, &Finding::set_from, "series that it rests on"}});

} // namespace sonde
