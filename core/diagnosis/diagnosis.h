// What the curves of one card say about its APIs and paths, in sentences: a table of small rules, none of which knows a product.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnosis/statement.h"

namespace sonde {

/// In the order in which statements are told.
std::span<const Rule> all_rules();

/// Every rule on one card; of series measured more than once the first counts.
std::vector<Statement> diagnose(const Card&);

} // namespace sonde
