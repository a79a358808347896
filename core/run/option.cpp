// The table of options, and which series follow from what was asked for.
#include "core/run/option.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/base/names.h"
#include "core/measure/traffic.h"

namespace sonde {

namespace {
bool is_carveout(const std::string& value) { return parse_carveout(value).has_value(); }
bool is_launch_shape(const std::string& value) { return parse_launch_shape(value).has_value(); }
bool is_bank_width(const std::string& value) { return value == "4" || value == "8"; }

constexpr std::array kOptions{
    Option{"carveout", "percent of the first level for the scratchpad, 0 to 100 (compute capability 7.0 and later), or 16KiB, 32KiB, 48KiB (before)", is_carveout},
    Option{"banks", "bytes of a scratchpad bank, 4 or 8 (compute capability 3.x)", is_bank_width},
    Option{"shape", "loads in flight (2, 4, 8) x work-items per workgroup (1 to 1024) x workgroups per core (1 to 256), like 4x512x4", is_launch_shape},
};

/// Values by which some probe's variants differ in this option.
std::vector<std::string> values_of_variants(const std::string& name) {
    std::vector<std::string> values;
    for (const Probe* probe : all_probes())
        for (const auto& variant : probe->variants)
            if (const auto found = variant.find(name); found != variant.end() && std::find(values.begin(), values.end(), found->second) == values.end())
                values.push_back(found->second);
    return values;
}

std::vector<std::string> names_of_options() {
    std::vector<std::string> names = names_of(all_options());
    for (const Probe* probe : all_probes())
        for (const auto& variant : probe->variants)
            for (const auto& [name, value] : variant)
                if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    return names;
}

void check_value(const std::string& name, const std::string& value) {
    for (const Option& option : kOptions)
        if (option.name == name) {
            if (!option.valid(value)) throw UsageError(fmt::format("option {} cannot be '{}': {}", name, value, option.values));
            return;
        }
    check_names("value of option " + name, {value}, values_of_variants(name));
}
} // namespace

std::span<const Option> all_options() { return kOptions; }

void add_asked_option(const std::string& text, AskedOptions& asked) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) throw UsageError(fmt::format("an option is NAME=VALUE, not '{}'", text));
    const std::string name = text.substr(0, equals);
    check_names("option", {name}, names_of_options());
    for (std::size_t at = equals + 1; at <= text.size();) {
        const auto end = std::min(text.find(',', at), text.size());
        const std::string value = text.substr(at, end - at);
        check_value(name, value);
        asked[name].push_back(value);
        at = end + 1;
    }
}

std::vector<std::map<std::string, std::string>> option_sets(const Probe& probe, const Path& path, const AskedOptions& asked) {
    std::vector<std::map<std::string, std::string>> sets;
    const auto too_wide = [&](const std::map<std::string, std::string>& variant) {
        const auto width = variant.find("width");
        return width != variant.end() && std::stoul(width->second) > path.widest_bytes;
    };
    for (const auto& variant : probe.variants) {
        const bool named = std::any_of(variant.begin(), variant.end(), [&](const auto& option) { return asked.contains(option.first); });
        const bool replaced = std::any_of(probe.accepts.begin(), probe.accepts.end(), [&](std::string_view name) {
            return variant.contains(std::string(name)) && asked.contains(std::string(name)); // by each value that was asked for
        });
        if (replaced || too_wide(variant)) continue;
        if (!named && probe.by_default && !probe.by_default(path.name, variant)) continue;
        if (std::all_of(variant.begin(), variant.end(), [&](const auto& option) {
                const auto wanted = asked.find(option.first);
                return wanted == asked.end() || std::find(wanted->second.begin(), wanted->second.end(), option.second) != wanted->second.end();
            }))
            sets.push_back(variant);
    }
    for (const std::string_view name : probe.accepts) {
        const auto wanted = asked.find(std::string(name));
        if (wanted == asked.end()) continue;
        std::vector<std::map<std::string, std::string>> more;
        for (const auto& set : sets)
            for (const std::string& value : wanted->second) {
                more.push_back(set);
                more.back()[wanted->first] = value;
            }
        sets = std::move(more);
    }
    return sets;
}

} // namespace sonde
