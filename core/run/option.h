// Options that a series may carry besides those that tell a probe's variants apart: what they are called, which values they take.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/probes/probe.h"

namespace sonde {

struct Option {
    std::string_view name, values;
    bool (*valid)(const std::string& value);
};
std::span<const Option> all_options();

/// What was asked for: each option with one or more values.
using AskedOptions = std::map<std::string, std::vector<std::string>>;

/// Reads "carveout=0,50,100". Throws UsageError naming the nearest option, or the values that it takes.
void add_asked_option(const std::string& text, AskedOptions& asked);

/// The option sets of the series that a probe measures on a path: its variants, less those that were not asked for (`width=16`) and those
/// that are measured on request only or are wider than the path's loads, once for each value of what it accepts besides. An option that the probe does not know changes nothing.
std::vector<std::map<std::string, std::string>> option_sets(const Probe&, const Path&, const AskedOptions&);

} // namespace sonde
