// Which series follow from what was asked for.
#include "core/run/option.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/analysis/traffic.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/measure/cluster.h"

namespace sonde {

namespace {
void add_once(std::vector<std::string>& words, std::string_view word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.emplace_back(word);
}

std::string word_in(const Options& variant, const OptionName& option) {
    return option.asked(variant) ? option.word(variant) : kNotAsked;
}

const Accepted* accepted_of(std::span<const Probe* const> probes, const std::string& name) {
    for (const Probe* probe : probes)
        for (const Accepted& each : probe->accepts)
            if (each.name == name) return &each;
    return nullptr;
}

/// "latency takes carveout, banks"
std::string what_is_taken(std::span<const Probe* const> probes) {
    std::vector<std::string> texts;
    for (const Probe* probe : probes) {
        const auto names = option_names({&probe, 1});
        texts.push_back(fmt::format(
            "{} takes {}", probe->name, names.empty() ? "no options" : fmt::format("{}", fmt::join(names, ", "))));
    }
    return fmt::format("{}", fmt::join(texts, "; "));
}
} // namespace

std::vector<std::string> option_names(std::span<const Probe* const> probes) {
    std::vector<std::string> names;
    for (const Probe* probe : probes) {
        for (const Options& variant : probe->variants)
            for (const auto& option : variant) add_once(names, option.first);
        for (const Accepted& each : probe->accepts) add_once(names, each.name);
    }
    return names;
}

std::vector<std::string> option_words(const Probe& probe, const std::string& name) {
    std::vector<std::string> words;
    for (const Options& variant : probe.variants) add_once(words, word_in(variant, {name}));
    return words == std::vector<std::string>{kNotAsked} ? std::vector<std::string>{} : words;
}

void add_asked_option(const std::string& text, AskedOptions& asked) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) throw UsageError(fmt::format("an option is NAME=VALUE, not '{}'", text));
    const std::string name = text.substr(0, equals);
    const std::vector<std::string> values = split(std::string_view(text).substr(equals + 1), ',');
    asked[name].insert(asked[name].end(), values.begin(), values.end());
}

void check_options(std::span<const Probe* const> probes, const AskedOptions& asked) {
    for (const auto& [name, values] : asked) {
        check_names("option", {name}, option_names(all_probes()));
        std::vector<std::string> words;
        for (const Probe* probe : probes)
            for (const std::string& word : option_words(*probe, name)) add_once(words, word);
        const Accepted* accepted = accepted_of(probes, name);
        if (words.empty() && !accepted)
            throw UsageError(fmt::format("there is no option {} here: {}", name, what_is_taken(probes)));
        for (const std::string& value : values)
            if (accepted && value != kNotAsked && !accepted->valid(value))
                throw UsageError(fmt::format("option {} cannot be '{}': {}", name, value, accepted->about));
        if (!accepted) check_names("value of option " + name, values, words);
    }
}

std::vector<Options> option_sets(const Probe& probe, const Path& path, const AskedOptions& asked) {
    std::vector<Options> sets;
    const auto accepts = [&](const std::string& name) {
        return std::ranges::find(probe.accepts, name, &Accepted::name) != probe.accepts.end();
    };
    for (const Options& variant : probe.variants) {
        // A variant that has a value of what is accepted stands for itself, and is not combined with others of that
        // kind.
        const bool whole = std::ranges::any_of(variant, [&](const auto& option) { return accepts(option.first); });
        const bool besides = std::ranges::any_of(asked,
            [&](const auto& option) { return accepts(option.first) && !OptionName{option.first}.asked(variant); });
        bool named = false, taken = !(whole && besides);
        if (width_of(variant) > path.widest_bytes || (asks_for_cluster(variant) && path.name != "cluster"))
            taken = false;
        if (probe.is_on && !probe.is_on(path.name, variant)) taken = false;
        for (const auto& [name, values] : asked) {
            if (accepts(name) ? !OptionName{name}.asked(variant) : option_words(probe, name).empty()) continue;
            named = true;
            // An accepted one is replaced by each value that was asked for.
            if (accepts(name) || std::find(values.begin(), values.end(), word_in(variant, {name})) == values.end())
                taken = false;
        }
        if (taken && (named || !probe.by_default || probe.by_default(path.name, variant))) sets.push_back(variant);
    }
    for (const Accepted& each : probe.accepts) {
        const auto wanted = asked.find(std::string(each.name));
        if (wanted == asked.end()) continue;
        std::vector<Options> more;
        for (const Options& set : sets)
            for (const std::string& value : wanted->second) {
                more.push_back(set);
                if (value != kNotAsked) more.back().set({each.name}, value);
            }
        sets = std::move(more);
    }
    return sets;
}

namespace {
/// "type=f64 and width=8,16"
std::string asked_text(const AskedOptions& asked) {
    std::vector<std::string> texts;
    texts.reserve(asked.size());
    for (const auto& [name, values] : asked) texts.push_back(fmt::format("{}={}", name, fmt::join(values, ",")));
    return fmt::format("{}", fmt::join(texts, " and "));
}
} // namespace

std::string why_no_series(const Probe& probe, const RunOptions& options) {
    std::vector<std::string_view> paths = probe.paths;
    std::erase_if(paths, [&](std::string_view path) {
        return !options.paths.empty() && std::ranges::find(options.paths, path) == options.paths.end();
    });
    if (paths.empty())
        return fmt::format("{} is measured on {}, not on {}", probe.name, fmt::join(probe.paths, ", "),
            fmt::join(options.paths, ", "));
    const auto sets_of = [&](const AskedOptions& asked) {
        std::vector<Options> sets;
        for (const std::string_view path : paths) sets = std::move(sets) + option_sets(probe, *find_path(path), asked);
        return sets;
    };
    const auto without = [](AskedOptions asked, const std::string& name) {
        asked.erase(name);
        return asked;
    };
    AskedOptions least = options.options; // the fewest that no series has together
    for (const auto& [name, values] : options.options)
        if (sets_of(without(least, name)).empty()) least = without(least, name);
    if (least.empty())
        return fmt::format("{} is measured on {} with --option alone: it takes {}", probe.name, fmt::join(paths, ", "),
            fmt::join(option_names(std::vector{&probe}), ", "));
    const std::string& last = least.rbegin()->first;
    const AskedOptions others = without(least, last);
    std::vector<std::string> words;
    for (const Options& set : sets_of(others)) add_once(words, word_in(set, {last}));
    return fmt::format("no series of {} on {} has {}: {}there is {}={}", probe.name, fmt::join(paths, ", "),
        asked_text(least), others.empty() ? "" : fmt::format("with {} ", asked_text(others)), last,
        fmt::join(words, ","));
}

} // namespace sonde
