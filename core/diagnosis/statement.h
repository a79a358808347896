// What a rule of the diagnosis is, and what it says.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/card_view.h"
#include "core/facts/card_fact.h"

namespace sonde {

/// What a rule says of a card.
struct Statement {
    std::string_view rule{}, kind{},
        title{}; // kind "path": what an API or a path reaches; "suspect": what makes a number doubtful; "void": all
    std::string api{}, card{}; // of the first series
    CardFact fact{};
    std::string subject{}, conditions{}; // what it is about
    std::string text{};                  // the fact in a line
    std::vector<std::string> evidence{}; // figures and instructions, a line each
    std::vector<CitedSeries> from{};
    bool tells_all = true; // of the series that it cites whole: their own findings add nothing, or are in doubt
    double effect = 1;     // times that what is compared differs: larger ones are told first
};
using Statements = std::vector<Statement>;
inline bool is_void(const Statement& statement) { return statement.kind == "void"; }
inline bool is_doubt(const Statement& statement) { return statement.kind == "suspect" || is_void(statement); }

/// A rule looks at a card whose curves are unique (one per series) and adds what it can prove. Where the curves it
/// needs are missing, or where the difference is within a step of the sweep, it is silent.
struct Rule {
    std::string_view name, kind = "path";
    void (*apply)(const Card&, Statements&) = nullptr; // none: its rows of comparisons.cpp
};

} // namespace sonde
