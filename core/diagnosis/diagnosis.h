// What the curves of one card say about its APIs and paths, as facts: a list of small rules, none of which knows a
// product.
#pragma once
#include <span>

#include "core/diagnosis/statement.h"

namespace sonde {

/// A finding of results/schema.json, with the evidence besides.
Json to_json(const Statement&);

/// All of them; of statements with equal effects those of the first rule are told first.
std::span<const Rule* const> all_rules();

/// Every rule on one card, doubts first, then by effect; of series measured more than once the first counts.
Statements diagnose(const Card&);

} // namespace sonde
