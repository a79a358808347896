// Which series a run measures, in which order, and what of it is not here.
#include "core/run/plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/data/footprints.h"
#include "core/data/shared_options.h"
#include "core/run/device_words.h"

namespace sonde {

namespace {
bool wanted(const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

std::vector<std::string> unasked_probes() {
    std::vector<std::string> names;
    for (const Probe* probe : all_probes())
        if (probe->quick.unasked) names.emplace_back(probe->name);
    return names;
}

void fill_in(RunOptions& options) {
    const bool goes_on = !options.resume.empty(), all = std::ranges::count(options.probes, kAllProbes) > 0;
    if (options.profile.empty() && !goes_on) options.profile = all || options.probes.empty() ? "quick" : "standard";
    if (all) options.probes.clear();
    else if (options.probes.empty() && !goes_on) options.probes = unasked_probes();
}

std::vector<const Probe*> wanted_probes(const RunOptions& options) {
    std::vector<const Probe*> probes;
    std::copy_if(all_probes().begin(), all_probes().end(), std::back_inserter(probes),
        [&](const Probe* probe) { return wanted(options.probes, probe->name); });
    return probes;
}

namespace {
/// Whether quick, left to itself, measures a probe on that path. Who names paths, or options, has said what to take.
bool in_quick(const RunOptions& options, const Probe& probe, std::string_view path) {
    const auto& paths = probe.quick.paths;
    return options.profile != "quick" || !options.paths.empty() || paths.empty() ||
           std::find(paths.begin(), paths.end(), path) != paths.end();
}

std::vector<Options> variants_of(const RunOptions& options, const Probe& probe, std::string_view path) {
    auto sets = option_sets(probe, *find_path(path), options.options);
    const bool one = std::ranges::find(probe.quick.paths_of_one, path) != probe.quick.paths_of_one.end();
    const bool named =
        std::ranges::any_of(options.options, [](const auto& asked) { return asked.first != option::footprint.name; });
    if (options.profile == "quick" && probe.quick.variants && !named)
        sets.resize(std::min(sets.size(), one ? std::size_t{1} : probe.quick.variants));
    return sets;
}

/// The values of the option `carveout` that a card has, where these are few.
std::vector<std::string> splits_of(const Fleet::Entry& device) {
    std::vector<std::string> words;
    for (const L1Split& split : device.info.l1_splits)
        words.push_back(fmt::format("{}KiB", split.scratchpad_bytes / 1024));
    return words;
}

/// A variant that asks for a split of L1 and scratchpad stands for each of those that a card has, where these are few.
std::vector<Options> with_splits(std::vector<Options> sets, std::span<const Fleet::Entry> devices) {
    const auto splitting = std::ranges::find_if(sets, [](const Options& set) { return option::carveout.asked(set); });
    if (splitting == sets.end()) return sets;
    Options like = *splitting;
    for (const Fleet::Entry& device : devices)
        for (const std::string& split : splits_of(device)) {
            like.set(option::carveout, split);
            if (std::ranges::find(sets, like) == sets.end()) sets.push_back(like);
        }
    return sets;
}

bool has_split(const Fleet::Entry& device, const Options& variant) {
    const auto split = option::carveout.in(variant);
    if (!split) return true;
    const std::vector<std::string> words = splits_of(device);
    if (words.empty()) return split->unit == Carveout::Unit::percent;
    return std::ranges::find(words, option::carveout.word(variant)) != words.end();
}
} // namespace

namespace {
/// Whether the first is another card of the same API and name.
bool is_equal_card(const DeviceInfo& other, const DeviceInfo& device) {
    return other.api == device.api && other.name == device.name && other.id != device.id;
}

/// peer=all stands for each card of the same name that the device reaches, the next of which is the one that series
/// without the option have; it stays where there is none, so that a series says so. What copies on all cards at the
/// same time names no peer, and the first of them measures it.
std::vector<Options> of_device(const Options& variant, const Fleet::Entry& device, const RunOptions& options,
    std::span<const Fleet::Entry> devices) {
    const auto equals = [&](const auto& takes) {
        return std::ranges::any_of(
            devices, [&](const Fleet::Entry& each) { return is_equal_card(each.info, device.info) && takes(each); });
    };
    if (option::together.in_or(variant, false)) {
        const bool later =
            equals([&](const Fleet::Entry& each) { return &each < &device && is_chosen(options.devices, each.info); });
        return later ? std::vector<Options>() : std::vector{variant.without(option::peer)};
    }
    if (option::peer.in(variant) != option::kEachPeer) return {variant};
    std::vector<Options> all;
    for (const Peer& peer : device.info.peers) {
        if (!equals([&](const Fleet::Entry& each) { return each.info.id == peer.device; })) continue;
        all.push_back(variant.without(option::peer));
        if (&peer != &device.info.peers.front())
            all.back().set(option::peer, peer.device.substr(peer.device.find(':') + 1));
    }
    return all.empty() ? std::vector{variant} : all;
}

/// Whether the API shows another card beside that device: with one card alone nobody asks for a second without naming
/// the path.
bool has_another_card(std::span<const Fleet::Entry> devices, const Fleet::Entry& device) {
    return !device.info.cpu && std::ranges::any_of(devices, [&](const Fleet::Entry& other) {
        return other.info.api == device.info.api && other.info.card != device.info.card && !other.info.cpu;
    });
}
} // namespace

std::vector<Planned> plan(std::span<const Fleet::Entry> devices, const RunOptions& options) {
    std::vector<Planned> planned;
    for (const Probe* each : wanted_probes(options)) {
        const Probe& probe = *each;
        for (const std::string_view path : probe.paths) {
            if (!wanted(options.paths, path) || !in_quick(options, probe, path)) continue;
            const bool asked = options.options.contains(std::string(option::carveout.name));
            auto variants = variants_of(options, probe, path);
            if (!asked) variants = with_splits(std::move(variants), devices);
            for (const auto& variant : variants)
                for (const Fleet::Entry& device : devices)
                    if (is_chosen(options.devices, device.info) && (asked || has_split(device, variant)) &&
                        (!is_of_peer(path_named(path).space) || !options.paths.empty() ||
                            has_another_card(devices, device)))
                        for (Options& own : of_device(variant, device, options, devices)) {
                            SeriesId id{std::string(probe.name), device.info.id, std::string(path), std::move(own)};
                            if (!option::together.asked(id.options) || // once, whatever peers are asked for
                                std::ranges::find(planned, id, &Planned::id) == planned.end())
                                planned.push_back({&probe, &device, std::move(id)});
                        }
        }
    }
    return planned;
}

bool lacks_peak(std::span<const Fleet::Entry> devices, const DeviceRecord& device) {
    return !device.cpu && std::ranges::none_of(devices, [&](const Fleet::Entry& each) {
        return each.info.card == device.card && each.info.bus_bytes_per_second > 0;
    });
}

void check_has_series(const Fleet& fleet, const RunOptions& options) {
    if (std::ranges::none_of(
            fleet.devices(), [&](const Fleet::Entry& device) { return is_chosen(options.devices, device.info); }))
        return;
    std::vector<std::string> reasons;
    for (const Probe* probe : wanted_probes(options)) reasons.push_back(why_no_series(*probe, options));
    throw UsageError(fmt::format("{}", fmt::join(reasons, "; ")));
}

std::string missing_text(const Fleet& fleet, const RunOptions& options) {
    std::string text;
    for (const std::string& word : options.devices) {
        if (std::ranges::any_of(fleet.devices(), [&](const Fleet::Entry& device) {
                return is_chosen({&word, 1}, device.info);
            }))
            continue;
        const auto absence = std::ranges::find(fleet.absent(), word.substr(0, word.find(':')), &Fleet::Absence::api);
        text += error_lines(printable(fmt::format("{}: not here, and left out{}{} (sonde doctor tells why)", word,
            absence == fleet.absent().end() ? "" : ": ", absence == fleet.absent().end() ? "" : absence->reason)));
    }
    return text;
}

std::string unused_peak_text(
    std::span<const Fleet::Entry> devices, const std::vector<Planned>& planned, const RunOptions& options) {
    if (options.dram_gb_per_s <= 0 ||
        std::ranges::any_of(planned, [&](const Planned& each) { return lacks_peak(devices, each.device->info); }))
        return "";
    const bool processors = std::ranges::all_of(planned, [](const Planned& each) { return each.device->info.cpu; });
    return error_lines(
        fmt::format("--dram-bandwidth is not used: {}", processors ? "it is a card's, and a processor alone is measured"
                                                                   : "the card's driver reports its DRAM's peak rate"));
}

void narrow(std::vector<Planned>& planned, const RunOptions& asked, const RunOptions& named) {
    struct Names {
        const char* what;
        const std::vector<std::string>& words;
        bool (*chooses)(const std::string& word, const Planned&);
    };
    const Names all[] = {
        {"probe", named.probes, [](const std::string& word, const Planned& each) { return word == each.probe->name; }},
        {"path", named.paths, [](const std::string& word, const Planned& each) { return word == each.id.path; }},
        {"device", named.devices, [](const std::string& word, const Planned& each) {
             return is_chosen({&word, 1}, each.device->info);
         }}};
    const auto refuse = [&](const std::string& what) {
        throw UsageError(
            fmt::format("{}: was not asked for {}, and --resume adds nothing: start a run of its own with --out",
                asked.resume.string(), what));
    };
    if (!named.options.empty() && named.options != asked.options) refuse("these values of --option");
    for (const Names& names : all) {
        for (const std::string& word : names.words)
            if (std::none_of(
                    planned.begin(), planned.end(), [&](const Planned& each) { return names.chooses(word, each); }))
                refuse(fmt::format("{} '{}'", names.what, word));
        std::erase_if(planned, [&](const Planned& each) {
            return !names.words.empty() && std::none_of(names.words.begin(), names.words.end(),
                                               [&](const std::string& word) { return names.chooses(word, each); });
        });
    }
}
} // namespace sonde
