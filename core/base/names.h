// Names that a person typed, against those that there are.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

/// The three of `valid` that a person most likely meant: those that begin with what was typed,
/// those that hold it, then by edit distance.
std::vector<std::string> nearest_names(std::string_view name, std::vector<std::string> valid);

/// Throws UsageError naming the nearest of `valid` where one of `names` is none of them.
/// "unknown probe 'latenc'; nearest: latency, ...".
std::string unknown_name(std::string_view what, std::string_view name, std::vector<std::string> valid);

void check_names(const std::string& what, const std::vector<std::string>& names, const std::vector<std::string>& valid);

template <class Row>
std::vector<std::string> names_of(std::span<const Row> rows, std::string_view Row::*name = &Row::name) {
    std::vector<std::string> names;
    for (const Row& row : rows) names.emplace_back(row.*name);
    return names;
}

} // namespace sonde
