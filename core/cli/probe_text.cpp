// sonde probes NAME: a probe for a reader who has not seen it.
#include "core/cli/commands.h"

#include <algorithm>
#include <map>
#include <ostream>

#include <fmt/format.h>

#include "core/analysis/published.h"
#include "core/base/names.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/probes/probe.h"
#include "core/run/option.h"

namespace sonde {

namespace {
std::string path_list(const Probe& probe) { return fmt::format("{}", fmt::join(probe.paths, ", ")); }

/// Each option with its words, or with what it accepts.
std::vector<std::pair<std::string, std::string>> options_of(const Probe& probe) {
    std::vector<std::pair<std::string, std::string>> rows;
    const Probe* const own = &probe;
    for (const std::string& name : option_names({&own, 1})) {
        const auto words = option_words(probe, name);
        const auto accepted = std::ranges::find(probe.accepts, name, &Accepted::name);
        std::vector<std::string> parts;
        if (!words.empty()) parts.push_back(fmt::format("{}", fmt::join(words, ", ")));
        if (accepted != probe.accepts.end()) parts.push_back(fmt::format("on request: {}", accepted->about));
        rows.emplace_back(name, fmt::format("{}", fmt::join(parts, "; ")));
    }
    return rows;
}

/// Titles of what others have published by this question, the longest list of figures first.
std::vector<std::string> sources_of(std::string_view probe) {
    std::map<std::string, int> counts;
    for (const PublishedFigure& figure : published_figures())
        if (figure.question.probe == probe) ++counts[figure.title];
    std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> titles;
    for (std::size_t i = 0; i < std::min<std::size_t>(sorted.size(), 4); ++i)
        titles.push_back(
            fmt::format("{} ({} figure{})", sorted[i].first, sorted[i].second, sorted[i].second == 1 ? "" : "s"));
    if (sorted.size() > 4) titles.push_back(fmt::format("{} sources more: sonde published", sorted.size() - 4));
    return titles;
}

void explain(const Probe& probe, std::ostream& out) {
    const std::size_t columns = text_columns();
    const auto lines = [&](const char* title, const std::vector<std::string>& texts) {
        for (std::size_t i = 0; i < texts.size(); ++i)
            out << (i ? std::string(12, ' ')
                      : styled(Style::heading, title) + std::string(12 - std::string_view(title).size(), ' '))
                << wrapped(printable(texts[i]), columns, 14, 12);
    };
    out << styled(Style::heading, probe.name) << ": " << probe.question << "\n\n";
    lines("measures", {std::string(probe.explanation)});
    lines("x axis",
        {fmt::format("{}{}", probe.x.name, probe.x.unit.empty() ? "" : fmt::format(", in {}", probe.x.unit))});
    lines("y axis", {fmt::format("{}, {}", probe.unit,
                        probe.measure() == Measure::time_per_step ? "lower is faster" : "higher is faster")});
    lines("picture", {std::string(probe.picture)});
    lines("paths", {path_list(probe) + (probe.quick.paths.empty() ? ""
                                                                  : fmt::format(" (profile quick: {})",
                                                                        fmt::join(probe.quick.paths, ", ")))});
    std::vector<std::string> options;
    for (const auto& [name, values] : options_of(probe)) options.push_back(fmt::format("{}: {}", name, values));
    if (options.empty()) options.emplace_back("none");
    lines("options", options);
    if (!probe.method.empty()) lines("method", {std::string(probe.method)});
    lines("figures", sources_of(probe.name));
    lines("takes", {fmt::format("{:g} s for a series of profile quick on a GPU{}", probe.quick.seconds,
                       probe.quick.unasked ? "; part of a run that names no probe" : "")});
    lines("run", {fmt::format("sonde run {} --path {} --profile quick", probe.name, probe.paths[0])});
}
} // namespace

int explain_probes(const std::vector<std::string>& names, Form form, std::ostream& out) {
    check_names("probe", names, names_of_probes());
    Json list = Json::array();
    for (const std::string& name : names) {
        const Probe& probe = probe_named(name);
        Json options = Json::object();
        for (const auto& [option, values] : options_of(probe)) options[option] = values;
        list.push_back({{"name", probe.name}, {"question", probe.question}, {"unit", probe.unit},
            {"explanation", probe.explanation}, {"x", probe.x.name}, {"x_unit", probe.x.unit}, {"paths", probe.paths},
            {"options", options}});
        if (form == Form::json) continue;
        if (name != names.front()) out << "\n";
        explain(probe, out);
    }
    return form == Form::json ? print_json(list, out) : 0;
}

} // namespace sonde
