// What differs between two sides by more than the noise, and only that. Pure functions of recordings and published
// figures.
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/compare/comparison.h"

namespace sonde {

/// For every question that both sides answer: the value of each level that both name alike; of latencies the levels'
/// capacities and number; and of the footprints 4 KiB, 64 KiB, ... (each sixteen times the one before) those that lie
/// on no level of both. Two levels of one name that share no footprints may be one curve cut otherwise: then both sides
/// are compared on the footprints of `a`'s; by name only where the two were measured at no footprints in common.
/// `notes`: what is left out, one line each.
std::vector<Comparison> compare(const Side& a, const Side& b, View view, std::vector<std::string>& notes);

/// Probes of which both sides have series whose kernels' texts are not the same, nor what these compile to where both
/// kept it.
std::set<std::string> probes_with_other_kernels(const Side& a, const Side& b);

/// Probes that both sides answer and the view cannot show, by the reason.
std::map<std::string, std::set<std::string>> without_view(const Side& a, const Side& b, View view);

/// The levels and capacities of a subject beside published bands of the same probe, path, level and unit.
std::vector<Comparison> compare_with_published(
    const Side& a, std::span<const PublishedRange> bands, const std::string& label);

/// What is published of two cards: bands of one question, level, unit and method. `labels`: what the output calls them.
std::vector<Comparison> compare_published(std::span<const PublishedRange> a, std::span<const PublishedRange> b,
    const std::pair<std::string, std::string>& labels);

/// Fills in what the statistics say, for all comparisons of one command together.
///
/// Test: Welch's t on the means of the units' logarithms, so that an effect is a ratio and a noisy side beside a quiet
/// one has no more freedom than it has by itself. With five blocks a side a 3 % shift under 1 % of noise is 4.7
/// standard errors, but with its own variance alone one item would often not survive a correction for a dozen. So the
/// variances are moderated (Smyth 2004): items of one side, probe and kind, measured alike, say together what the noise
/// of each is, as far as they agree about it and their blocks do not rise and fall together. Ranks cannot do this: 5
/// and 5 blocks have 252 orders, and no chance is below 0.008. Where a side has one run, the noise from run to run is
/// added; where it has several, they count as no quieter than that; where it has one block, its noise is what is
/// declared. Correction: Holm 1979. A capacity, and what is published on both sides, differs where the ranges do not
/// overlap. `least`: a share within which nothing differs, whatever the statistics say.
void judge(std::vector<Comparison>& comparisons, double least = kLeastEffect);

} // namespace sonde
