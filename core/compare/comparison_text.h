// Judged comparisons for a person, and for machines.
#pragma once
#include <ostream>
#include <vector>

#include "core/compare/comparison.h"

namespace sonde {

/// Real differences only, by pair of devices and question; those that loads' index makes are left out.
void print_differences(const std::vector<Comparison>& comparisons, std::ostream& out);

/// Of each pair of devices how many of those there are, by probe.
void print_by_index(const std::vector<Comparison>& comparisons, std::ostream& out);

/// What published figures that were found by another method say, beside what was measured.
void print_apart(const std::vector<Comparison>& comparisons, std::ostream& out);

/// What was not found, and how small it would have had to be: without this, silence says nothing.
void print_summary(const std::vector<Comparison>& comparisons, std::ostream& out);

/// {"what","a","b","ratio","interval","differs"} and what they rest on.
Json to_json(const Comparison&);

} // namespace sonde
