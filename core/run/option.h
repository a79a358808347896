// What a run was asked for, and which series follow.
#pragma once
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/probes/probe.h"

namespace sonde {

/// Names of the options that these probes' series have or accept.
std::vector<std::string> option_names(std::span<const Probe* const> probes);

/// What was asked for: each option with one or more values.
using AskedOptions = std::map<std::string, std::vector<std::string>>;

/// The word for series without an option: carveout=default,0 are those without a carve-out of their own, and those with
/// none at all.
inline constexpr const char* kNotAsked = "default";
/// What the variants of a probe have for an option, in their order, with kNotAsked where one lacks it; empty where all
/// do.
std::vector<std::string> option_words(const Probe&, const std::string& name);

/// Reads "carveout=0,50,100". Throws UsageError for what has not that form.
void add_asked_option(const std::string& text, AskedOptions& asked);
/// Throws UsageError where none of the probes takes an option, with what they take; or where it does not take the
/// value.
void check_options(std::span<const Probe* const> probes, const AskedOptions& asked);

/// The option sets of the series that a probe measures on a path: its variants, less those that were not asked for
/// (`width=16`) and those that are measured on request only or are wider than the path's loads, once for each value of
/// what it accepts besides (but of variants that have a value of that kind themselves). An option that the probe does
/// not know changes nothing.
std::vector<Options> option_sets(const Probe&, const Path&, const AskedOptions&);

inline constexpr double kDispatchLimit = 50; // ms: a display's watchdog must never see a longer one

struct RunOptions {
    std::vector<std::string> probes, devices, paths; // empty: all (of devices, words of core/run/device_words.h)
    AskedOptions options;
    std::string profile;              // empty: the resumed run's
    double seconds = 0;               // of the whole run; 0: the profile's
    std::filesystem::path out;        // empty: sonde-<time>.jsonl
    std::filesystem::path resume;     // a results file to go on with; empty: a new one
    double dispatch_limit_ms = 0;     // 0: kDispatchLimit, or the resumed run's
    double dram_gb_per_s = 0;         // of cards whose drivers do not report their DRAM's peak; 0: not known
    std::uint32_t seed = 0;           // 0: from the clock
    std::vector<std::string> command; // as typed, for the header
};

/// The word for every probe.
inline constexpr std::string_view kAllProbes = "all";
/// Those of a run that names none.
std::vector<std::string> unasked_probes();
/// What a person left out, who names no probe, or all of them, and maybe no profile: quick, unless single probes are
/// named. All of them take hours in another profile, and who wants that says so.
void fill_in(RunOptions&);

/// Those asked for, in the order in which a run takes them.
std::vector<const Probe*> wanted_probes(const RunOptions&);
/// Why a probe has no series for what was asked for, whichever the device: it is not measured on the paths, or no
/// series has these values together.
std::string why_no_series(const Probe&, const RunOptions&);
} // namespace sonde
