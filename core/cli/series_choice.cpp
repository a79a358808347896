// The selectors, as one table.
#include "core/cli/series_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/run/device_words.h"

namespace sonde {

namespace {
using Words = std::vector<std::string>;

constexpr Selector kSelectors[] = {
    {"probe", "Series of these probes, comma-separated", &SeriesWords::probes,
        [](const std::string& word, const Series& series, const DeviceInfo&) { return word == series.id.probe; },
        [](const Series& series) { return Words{series.id.probe}; }},
    {"path", "Series on these paths, comma-separated", &SeriesWords::paths,
        [](const std::string& word, const Series& series, const DeviceInfo&) { return word == series.id.path; },
        [](const Series& series) { return Words{series.id.path}; }},
    {"device",
        "Series of devices by id (vulkan:0), API (vulkan), the card's PCI address (1b:00.0) or UUID, gpu, or all, "
        "comma-separated",
        &SeriesWords::devices,
        [](const std::string& word, const Series&, const DeviceInfo& device) {
            return is_chosen({&word, 1}, device);
        },
        [](const Series& series) {
            return Words{series.id.device, series.api};
        }}};

/// What the run says of the series' device; of one that no line describes its names alone.
DeviceInfo device_of(const Series& series, const Run& run) {
    const auto device = std::ranges::find(run.devices, series.id.device, &DeviceRecord::id);
    if (device != run.devices.end()) return *device;
    DeviceInfo undescribed;
    undescribed.id = series.id.device;
    undescribed.api = series.api;
    return undescribed;
}

struct Place {
    const Series* series;
    DeviceInfo device;
};

/// "latency, launch", or where these are many the nearest of them.
std::string names_text(const Selector& selector, const std::vector<Place>& places, const std::string& word) {
    constexpr std::size_t kFew = 8;
    std::set<std::string> names;
    for (const Place& place : places)
        for (std::string& name : selector.names(*place.series)) names.insert(std::move(name));
    if (names.size() <= kFew) return fmt::format("it has {}", fmt::join(names, ", "));
    return fmt::format("nearest: {}", fmt::join(nearest_names(word, {names.begin(), names.end()}), ", "));
}
} // namespace

std::span<const Selector> selectors() { return kSelectors; }

bool is_chosen(const SeriesWords& words, const Series& series, const Run& run) {
    if (words.empty()) return true;
    const DeviceInfo device = words.devices.empty() ? DeviceInfo() : device_of(series, run);
    return std::ranges::all_of(kSelectors, [&](const Selector& selector) {
        const Words& of_kind = words.*selector.words;
        return of_kind.empty() || std::ranges::any_of(of_kind,
                                      [&](const std::string& word) { return selector.chooses(word, series, device); });
    });
}

bool asks(const SeriesWords& words, const SeriesKey& question) {
    Series series;
    series.id = {question.probe, "", question.path, question.options};
    return is_chosen({{}, words.probes, words.paths}, series, {});
}

void check_choice(const SeriesWords& words, std::span<const Run* const> runs, const std::string& file) {
    if (words.empty()) return;
    std::vector<Place> left;
    for (const Run* run : runs)
        for (const Series& series : run->series) left.push_back({&series, device_of(series, *run)});
    for (const Selector& selector : kSelectors) {
        const Words& of_kind = words.*selector.words;
        if (of_kind.empty()) continue;
        for (const std::string& word : of_kind)
            if (std::ranges::none_of(
                    left, [&](const Place& place) { return selector.chooses(word, *place.series, place.device); }))
                throw UsageError(fmt::format("{}: no series of {} '{}'; {}", file, selector.name, word,
                    left.empty() ? "it has none at all" : names_text(selector, left, word)));
        std::erase_if(left, [&](const Place& place) {
            return std::ranges::none_of(
                of_kind, [&](const std::string& word) { return selector.chooses(word, *place.series, place.device); });
        });
    }
}

void leave_out(std::vector<Card>& cards, const SeriesWords& words, std::span<const Run> runs) {
    if (words.empty()) return;
    for (Card& card : cards) {
        std::erase_if(
            card.curves, [&](const Curve& curve) { return !is_chosen(words, *curve.series, runs[curve.run]); });
        std::erase_if(card.devices, [&](const DeviceRecord* device) { return !is_chosen(words.devices, *device); });
    }
    std::erase_if(cards, [](const Card& card) { return card.curves.empty(); });
}

} // namespace sonde
