// Judged comparisons for a person, and for machines.
#pragma once
#include <ostream>
#include <utility>
#include <vector>

#include "core/compare/comparison.h"

namespace sonde {

/// Devices that stand beside each other.
using Pairs = std::vector<std::pair<const Side*, const Side*>>;

/// Real differences only, by pair of devices and question; those that loads' index makes are left out.
void print_differences(const std::vector<Comparison>& comparisons, std::ostream& out);

/// Differences are told one by one where so many fit on a screen.
constexpr std::size_t kMostOneByOne = 24;
/// How many print_differences would tell.
std::size_t count_differences(const std::vector<Comparison>& comparisons);

/// A row for each question that differs: of its items the surest difference, with the ratio of each pair of devices.
void print_surest_differences(const std::vector<Comparison>& comparisons, const Pairs& pairs, std::ostream& out);

/// Of each pair of devices how many of those there are, by probe.
void print_by_index(const std::vector<Comparison>& comparisons, const Pairs& pairs, std::ostream& out);

/// What published figures that were found by another method say, beside what was measured.
void print_apart(const std::vector<Comparison>& comparisons, std::ostream& out);

/// What was not found, and how small it would have had to be: without this, silence says nothing.
void print_summary(const std::vector<Comparison>& comparisons, std::ostream& out);

/// {"what","a","b","ratio","interval","differs"} and what they rest on.
Json to_json(const Comparison&);

} // namespace sonde
