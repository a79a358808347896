// The table of options, and which series follow from what was asked for.
#include "core/run/option.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/measure/traffic.h"

namespace sonde {

namespace {
constexpr std::array kOptions{
    Option{"carveout", "percent of L1 and scratchpad together that the scratchpad gets, 0 to 100 (compute capability 7.0 and later), or 16KiB, 32KiB, 48KiB (before)",
           [](const std::string& value) { return parse_carveout(value).has_value(); }},
    Option{"banks", "bytes of a scratchpad bank, 4 or 8 (compute capability 3.x)", [](const std::string& value) { return value == "4" || value == "8"; }},
    Option{"shape", "loads in flight (2, 4, 8) x work-items per workgroup (1 to 1024) x workgroups per core (1 to 256), like 4x512x4",
           [](const std::string& value) { return parse_launch_shape(value).has_value(); }},
};

void add_once(std::vector<std::string>& words, const std::string& word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

void check_option(const std::string& name, const std::vector<std::string>& values) {
    std::vector<std::string> names = names_of(all_options()), values_of_variants;
    for (const Probe* probe : all_probes())
        for (const Options& variant : probe->variants)
            for (const auto& [each, value] : variant) {
                add_once(names, each);
                if (each == name) add_once(values_of_variants, value);
            }
    check_names("option", {name}, names);
    const auto option = std::find_if(kOptions.begin(), kOptions.end(), [&](const Option& each) { return each.name == name; });
    if (option == kOptions.end()) return check_names("value of option " + name, values, values_of_variants);
    for (const std::string& value : values)
        if (!option->valid(value)) throw UsageError(fmt::format("option {} cannot be '{}': {}", name, value, option->values));
}
} // namespace

std::span<const Option> all_options() { return kOptions; }

void add_asked_option(const std::string& text, AskedOptions& asked) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) throw UsageError(fmt::format("an option is NAME=VALUE, not '{}'", text));
    const std::string name = text.substr(0, equals);
    const std::vector<std::string> values = split(std::string_view(text).substr(equals + 1), ',');
    check_option(name, values);
    asked[name].insert(asked[name].end(), values.begin(), values.end());
}

std::vector<Options> option_sets(const Probe& probe, const Path& path, const AskedOptions& asked) {
    std::vector<Options> sets;
    for (const Options& variant : probe.variants) {
        bool named = false, taken = true;
        for (const auto& [name, value] : variant) {
            if (name == "width" && std::stoul(value) > path.widest_bytes) taken = false;
            const auto wanted = asked.find(name);
            if (wanted == asked.end()) continue;
            named = true;
            const bool replaced = std::find(probe.accepts.begin(), probe.accepts.end(), name) != probe.accepts.end(); // by each value that was asked for
            if (replaced || std::find(wanted->second.begin(), wanted->second.end(), value) == wanted->second.end()) taken = false;
        }
        if (taken && (named || !probe.by_default || probe.by_default(path.name, variant))) sets.push_back(variant);
    }
    for (const std::string_view name : probe.accepts) {
        const auto wanted = asked.find(std::string(name));
        if (wanted == asked.end()) continue;
        std::vector<Options> more;
        for (const Options& set : sets)
            for (const std::string& value : wanted->second) {
                more.push_back(set);
                more.back()[wanted->first] = value;
            }
        sets = std::move(more);
    }
    return sets;
}

} // namespace sonde
