// The metrics of a check: families by a table, in OpenMetrics' text form. Only gauges and counters: node_exporter's
// reader knows no other type of its own.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "core/cli/card_names.h"
#include "core/cli/check_text.h"

namespace sonde {

namespace {
using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// A family and its samples.
struct MetricFamily {
    std::string name, unit, about;
    bool counter = false;
    std::vector<std::string> samples{};
};

/// In the order in which they are first asked for.
class MetricFamilies {
public:
    void add(std::string_view name, std::string_view unit, std::string_view about, bool counter, const Labels& labels,
        double value) {
        auto family = std::ranges::find(all_, name, &MetricFamily::name);
        if (family == all_.end())
            family = all_.insert(
                family, MetricFamily{std::string(name), std::string(unit), std::string(about), counter, {}});
        family->samples.push_back(
            fmt::format("{}{}{{{}}} {:.9g}\n", name, counter ? "_total" : "", labels_text(labels), value));
    }
    std::string text() const {
        std::string out;
        for (const MetricFamily& family : all_) {
            out += fmt::format("# TYPE {} {}\n", family.name, family.counter ? "counter" : "gauge");
            if (!family.unit.empty()) out += fmt::format("# UNIT {} {}\n", family.name, family.unit);
            out += fmt::format("# HELP {} {}.\n", family.name, family.about);
            for (const std::string& sample : family.samples) out += sample;
        }
        return out + "# EOF\n";
    }

private:
    static std::string labels_text(const Labels& labels) {
        std::string text;
        for (const auto& [name, value] : labels) {
            text += fmt::format("{}{}=\"", text.empty() ? "" : ",", name);
            for (const char c : value)
                text += c == '\n' ? "\\n" : c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
            text += '"';
        }
        return text;
    }
    std::vector<MetricFamily> all_{};
};

/// A number that instruments tell of a card.
struct InstrumentRow {
    std::string_view name, unit, about;
    bool counter;
    std::optional<double> (*value)(const CardHealth&);
};
template <class Number> std::optional<double> during_load(const CardHealth& health, Number number, double times) {
    if (!health.load || !(health.load->during.*number)) return std::nullopt;
    return times * (health.load->during.*number)->median;
}
template <std::optional<double> CardState::*number> std::optional<double> last_state(const CardHealth& health) {
    return health.last ? health.last->last_state().*number : std::nullopt;
}
constexpr InstrumentRow kInstrumentRows[] = {
    {"sonde_core_clock_hertz", "hertz", "Clock of the cores under the longest load, the median", false,
        [](const CardHealth& health) { return during_load(health, &CardDuring::core_mhz, 1e6); }},
    {"sonde_memory_clock_hertz", "hertz", "Clock of the memory under the longest load, the median", false,
        [](const CardHealth& health) { return during_load(health, &CardDuring::memory_mhz, 1e6); }},
    {"sonde_power_watts", "watts", "Power under the longest load, the median", false,
        [](const CardHealth& health) { return during_load(health, &CardDuring::power_watts, 1); }},
    {"sonde_temperature_celsius", "celsius", "Temperature under the longest load, the median", false,
        [](const CardHealth& health) { return during_load(health, &CardDuring::temperature_celsius, 1); }},
    {"sonde_power_limit_watts", "watts", "Power that the driver holds the card below", false,
        last_state<&CardState::power_limit_watts>},
    {"sonde_pcie_generation", "", "Generation of the link to the host", false, last_state<&CardState::pcie_generation>},
    {"sonde_pcie_lanes", "", "Lanes of the link to the host", false, last_state<&CardState::pcie_width>},
    {"sonde_ecc_corrected_errors", "", "Corrected errors of the memory since the driver was loaded", true,
        last_state<&CardState::ecc_corrected>},
    {"sonde_ecc_uncorrected_errors", "", "Uncorrected errors of the memory since the driver was loaded", true,
        last_state<&CardState::ecc_uncorrected>}};

void add_card(const CardHealth& health, MetricFamilies& families) {
    const DeviceRecord& device = first_device(*health.card);
    Labels card{
        {"card", health.card->id}, {"uuid", uuid_text(device)}, {"pci", device.pci}, {"name", health.card->name}};
    if (!health.where.empty()) card.emplace_back("where", health.where);
    const auto with = [&](const Labels& more) {
        Labels labels = card;
        labels.insert(labels.end(), more.begin(), more.end());
        return labels;
    };
    families.add("sonde_card_ok", "", "1: nothing falls short, else 0", false, card, health.state == HealthState::ok);
    for (std::size_t i = 0; i < enum_names(HealthState{}).size(); ++i)
        families.add("sonde_card_state", "", "1 of the state that the card is in, 0 of the others", false,
            with({{"state", enum_names(HealthState{})[i]}}), static_cast<std::size_t>(health.state) == i);
    for (const JudgedNumber& number : health.numbers) {
        const HealthRow& row = *number.row;
        const Labels labels = with({{"device", number.device}, {row.label, number.place}});
        families.add(row.metric, row.unit, row.about, false, labels, row.base * number.value.value);
        if (!number.judged) continue;
        const Labels about = with({{"device", number.device}, {"number", number.text()}});
        families.add("sonde_reference_ratio", "ratio", "Share of what a number is held against, below 1 is worse",
            false, about, number.judged->share);
        families.add("sonde_least_ratio", "ratio", "The least share that passes", false, about, number.judged->least);
    }
    for (const HealthSign& sign : health.signs)
        if (sign.kind == SignKind::throttled)
            families.add("sonde_throttled_ratio", "ratio", "Share of samples in which the driver named the reason",
                false, with({{"reason", sign.what}}), sign.value / 100);
    for (const InstrumentRow& row : kInstrumentRows)
        if (const auto value = row.value(health))
            families.add(row.name, row.unit, row.about, row.counter, card, *value);
}
} // namespace

std::string health_metrics(std::span<const CardHealth> all) {
    MetricFamilies families;
    for (const CardHealth& health : all) add_card(health, families);
    return families.text();
}

} // namespace sonde
