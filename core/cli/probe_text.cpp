// sonde probes NAME: a probe for a reader who has not seen it.
#include "core/cli/commands.h"

#include <algorithm>
#include <map>
#include <ostream>

#include <fmt/format.h>

#include "core/base/names.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/data/published.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
/// What a typical picture looks like, and where the method was published.
struct Reading {
    std::string_view probe, picture, method;
};
constexpr std::string_view kSaavedra = "Saavedra & Smith, 'Measuring Cache and TLB Performance and Their Effect on Benchmark Run Times' (1995)";
constexpr std::string_view kWong = "Wong et al., 'Demystifying GPU Microarchitecture through Microbenchmarking' (ISPASS 2010)";
constexpr std::string_view kMei = "Mei & Chu, 'Dissecting GPU Memory Hierarchy through Microbenchmarking' (TPDS 2017)";
constexpr std::string_view kStream = "McCalpin, 'Memory Bandwidth and Machine Balance in Current High Performance Computers' (STREAM, 1995)";
constexpr std::string_view kLuo = "Luo et al., 'Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking' (2024)";
constexpr std::string_view kMess = "Esmaili-Dokht et al., 'A Mess of Memory System Benchmarking, Simulation and Application Profiling' (MICRO 2024)";
constexpr std::string_view kMt4g = "Vanecek et al., MT4G: discovery of GPU topologies by microbenchmarks";
constexpr Reading kReadings[] = {
    {"latency", "A staircase: flat in L1 (20 to 60 ns on a GPU), a step to L2, a step to DRAM (300 to 600 ns); a further rise behind it is the TLB.", kSaavedra},
    {"bandwidth", "High while all cores read from their L1, lower in L2, lowest and flat in DRAM: 85 to 95 % of what the bus carries.", kStream},
    {"stream", "As bandwidth, often somewhat lower; a copy counts the bytes read and the bytes written.", kStream},
    {"line", "test=fetch: fast up to the bytes that one miss fetches (32 or 64), slow beyond. test=line: a step where neighbours no longer lie in one line (128 bytes).", kWong},
    {"tlb", "Flat as long as the pages' translations are cached, then a step for each level of the TLB.", kSaavedra},
    {"associativity", "Flat up to the number of ways, then a rise; no rise where the index is hashed.", kSaavedra},
    {"l1-per-core", "Flat up to as many subgroups as there are L1 instances, then a rise.", kMt4g},
    {"sharing", "Flat where the other path has a cache of its own; a rise within L1's size where both share one.", kMt4g},
    {"core-sharing", "One value for each core: most hit, and those that share the cache with the asked one miss.", kMt4g},
    {"core-distance", "One value for each core: equal on a small chip; two or more groups where L2 is partitioned.", kLuo},
    {"carveout", "The staircase of latency, with L1's end moved to smaller footprints as more scratchpad is held.", kMei},
    {"saturation", "A straight rise, then flat: the bend is the number of workgroups that saturates the level.", kMei},
    {"banks", "Low at odd strides; peaks at multiples of a power of two, the highest at a stride of as many words as there are banks (32).", kMei},
    {"occupancy", "Steps: where a workgroup holds more scratchpad, fewer of them are resident and the time rises.", kWong},
    {"coalescing", "Full rate where the lanes' addresses fill whole lines, falling in proportion to the bytes fetched in vain, to a floor at one line for each lane.", kWong},
    {"mix", "A hump in the middle where two pipes work side by side; a straight or sagging line where one pipe serves both.", kLuo},
    {"segments", "Flat over the whole memory; a step or a dip is a slower part.", "Konstantinidis & Cotronis, gpumembench"},
    {"segment-latency", "Flat over the whole memory; steps where a part lies behind another controller or chip.", kMei},
    {"channels", "Equal at both distances where addresses are hashed; a dip at powers of two where streams meet in one channel.", kMei},
    {"loaded-latency", "Flat, then a steep rise: the bend is where the level is saturated.", kMess},
    {"core-to-core", "One value for each pair of cores; a map of them shows blocks, the chip's groups of cores.", "Chips and Cheese and many others measure it on processors"},
    {"atomics", "A rise with the number of workgroups to the rate of the atomic units; lowest where all add to one address.", kWong},
    {"transfer", "A rise with the size to the rate of the link (PCIe 4.0 x16: 25 GB/s), reached from some MiB on; pageable memory stays below.", "Li et al., 'Evaluating Modern GPU Interconnect' (TPDS 2020)"},
    {"launch", "Flat: some microseconds for each kernel in a queue, several times that where each is waited for.", "Volkov & Demmel, 'Benchmarking GPUs to Tune Dense Linear Algebra' (SC 2008)"},
    {"limits", "A table of sizes that were taken and refused, beside what the driver reports.", kMt4g},
};

std::string path_list(const Probe& probe) { return fmt::format("{}", fmt::join(probe.paths, ", ")); }

/// Each option with its words, or with what it accepts.
std::vector<std::pair<std::string, std::string>> options_of(const Probe& probe) {
    std::vector<std::pair<std::string, std::string>> rows;
    std::map<std::string, std::vector<std::string>> words;
    for (const Options& variant : probe.variants)
        for (const auto& [name, word] : variant)
            if (auto& known = words[name]; std::find(known.begin(), known.end(), word) == known.end()) known.push_back(word);
    for (const auto& [name, known] : words) rows.emplace_back(name, fmt::format("{}", fmt::join(known, ", ")));
    for (const Accepted& each : probe.accepts) rows.emplace_back(each.name, fmt::format("on request: {}", each.about));
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
    for (std::size_t i = 0; i < std::min<std::size_t>(sorted.size(), 4); ++i) titles.push_back(fmt::format("{} ({} figure{})", sorted[i].first, sorted[i].second, sorted[i].second == 1 ? "" : "s"));
    if (sorted.size() > 4) titles.push_back(fmt::format("{} sources more: sonde published", sorted.size() - 4));
    return titles;
}

void explain(const Probe& probe, std::ostream& out) {
    const std::size_t columns = text_columns();
    const auto lines = [&](const char* title, const std::vector<std::string>& texts) {
        for (std::size_t i = 0; i < texts.size(); ++i)
            out << (i ? std::string(12, ' ') : styled(Style::heading, title) + std::string(12 - std::string_view(title).size(), ' ')) << wrapped(printable(texts[i]), columns, 14, 12);
    };
    const auto reading = std::find_if(std::begin(kReadings), std::end(kReadings), [&](const Reading& each) { return each.probe == probe.name; });
    out << styled(Style::heading, probe.name) << ": " << probe.question << "\n\n";
    lines("measures", {std::string(probe.explanation)});
    lines("x axis", {fmt::format("{}{}", probe.x.name, probe.x.unit.empty() ? "" : fmt::format(", in {}", probe.x.unit))});
    lines("y axis", {fmt::format("{}, {}", probe.unit, probe.measure() == Measure::time_per_step ? "lower is faster" : "higher is faster")});
    if (reading != std::end(kReadings)) lines("picture", {std::string(reading->picture)});
    lines("paths", {path_list(probe) + (probe.quick.paths.empty() ? "" : fmt::format(" (profile quick: {})", fmt::join(probe.quick.paths, ", ")))});
    std::vector<std::string> options;
    for (const auto& [name, values] : options_of(probe)) options.push_back(fmt::format("{}: {}", name, values));
    if (options.empty()) options.emplace_back("none");
    lines("options", options);
    if (reading != std::end(kReadings)) lines("method", {std::string(reading->method)});
    lines("figures", sources_of(probe.name));
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
        list.push_back({{"name", probe.name}, {"question", probe.question}, {"unit", probe.unit}, {"explanation", probe.explanation}, {"x", probe.x.name}, {"x_unit", probe.x.unit}, {"paths", probe.paths}, {"options", options}});
        if (form == Form::json) continue;
        if (name != names.front()) out << "\n";
        explain(probe, out);
    }
    return form == Form::json ? print_json(list, out) : 0;
}

} // namespace sonde
