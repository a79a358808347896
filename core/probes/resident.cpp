// Resident workgroups: the chain that they walk, and what follows from their times.
#include "core/probes/resident.h"

#include <cmath>

#include "core/analysis/traffic.h"

namespace sonde {

WalkedChain::WalkedChain(Bench& bench) : links_(bench.allocate_result(std::size_t{kSlots} << kShift)), place_(kSlots) {
    const Chain chain(kSlots, kShift, bench.next_seed());
    bench.run_helper(*bench.helper_kernel("chain", {{"LINK_WORDS", "1"}}), *links_, kSlots, chain.kernel_args());
    std::uint32_t at = chain.start();
    for (std::uint32_t stop = 0; stop < kSlots; ++stop, at = chain.next(at)) {
        order_.push_back(at);
        place_[at >> kShift] = stop;
    }
}

namespace {
constexpr double kMostOfCore = 4096; // that a file may claim
/// How many are resident, as a range: one workgroup alone takes up to so much longer or shorter than one among many.
constexpr double kAloneKnownTo = 0.08;

struct Resident {
    double likely = 0, least = 0, most = 0, tried = 0;
    std::string text() const {
        return fmt::format("{}{}", least == most ? fmt::format("{:g}", least) : fmt::format("{:g}-{:g}", least, most),
            most == tried ? " (the most tried)" : "");
    }
};

/// At a point of the series; nothing where the series does not say what it needs.
std::optional<Resident> resident_at(
    const Series& series, const DeviceInfo& device, const HeldAt& held, const CurvePoint& point) {
    const double alone = at_x(series.evidence.alone_by_x_ns, point.x).value_or(series.evidence.alone_ns.value_or(0)),
                 subgroups = held.subgroups(point.x);
    const double tried = series.evidence.groups_per_core.value_or(0) / subgroups,
                 lanes = std::max(1.0, double(series.evidence.group_size.value_or(1)) * subgroups);
    if (alone <= 0 || tried < 1 || tried > kMostOfCore) return std::nullopt;
    double limit = device.threads_per_core ? std::floor(device.threads_per_core / lanes) : tried; // no core holds more
    if (const auto& said = series.evidence.resident_by_driver; !said.empty())
        limit =
            std::min(limit, std::ranges::max_element(said, {}, [](const auto& entry) { return entry.second; })->second);
    const double least = resident_workgroups(tried, alone * (1 - kAloneKnownTo), point.y);
    return Resident{resident_workgroups(tried, alone, point.y), least,
        std::max(least, std::min(limit, resident_workgroups(tried, alone * (1 + kAloneKnownTo), point.y))), tried};
}

/// Ranges by x, of which each holds more than the one before: a core has at least as many workgroups resident as with
/// more held, and at most as many as with less.
void tighten(std::vector<Resident>& by_x) {
    for (std::size_t i = by_x.size(); i-- > 1;)
        by_x[i - 1].least = std::clamp(by_x[i].least, by_x[i - 1].least, by_x[i - 1].most);
    for (std::size_t i = 1; i < by_x.size(); ++i)
        by_x[i].most = std::clamp(by_x[i - 1].most, by_x[i].least, by_x[i].most);
}

/// ". The driver counts 30 to 238 registers of a work-item: 61440 of a core in use at 64"; empty where it counts none.
std::string registers_text(const Series& series, const HeldAt& held, double in_use, double at) {
    const auto& counted = series.evidence.registers_by_driver;
    if (counted.empty()) return "";
    const auto [fewest, most] =
        std::ranges::minmax_element(counted, {}, [](const auto& entry) { return entry.second; });
    const std::string range = fewest->second == most->second
                                  ? fmt::format("{:g}", most->second)
                                  : fmt::format("{:g} to {:g}", fewest->second, most->second);
    return fmt::format(". The driver counts {} registers of a work-item{}", range,
        in_use > 0 ? fmt::format(", {:g} of a core in use at {}", in_use, held.text(at)) : "");
}
} // namespace

std::vector<Finding> resident_findings(const Series& series, const DeviceInfo& device, const HeldAt& held) {
    std::vector<std::string> unlike;
    struct Count {
        std::string text;
        double first, last; // x at which it is that
    };
    std::vector<Count> counts;
    std::vector<double> xs;
    std::vector<Resident> residents;
    double in_use = 0, in_use_at = 0; // registers of a core
    for (const CurvePoint& point : curve_of(series)) {
        const auto resident = resident_at(series, device, held, point);
        if (!resident) return {};
        xs.push_back(point.x), residents.push_back(*resident);
    }
    if (residents.empty()) return {};
    tighten(residents);
    for (std::size_t i = 0; i < xs.size(); ++i) {
        const Resident& resident = residents[i];
        if (counts.empty() || counts.back().text != resident.text()) counts.push_back({resident.text(), xs[i], xs[i]});
        counts.back().last = xs[i];
        const auto driver = at_x(series.evidence.resident_by_driver, xs[i]);
        if (driver && (*driver < resident.least || *driver > resident.most))
            unlike.push_back(fmt::format("{} at {}", *driver, held.text(xs[i])));
        const double registers = resident.least * series.evidence.group_size.value_or(0) * held.subgroups(xs[i]) *
                                 at_x(series.evidence.registers_by_driver, xs[i]).value_or(0);
        if (registers > in_use) in_use = registers, in_use_at = xs[i];
    }
    const std::string driver = series.evidence.resident_by_driver.empty() ? ""
                               : unlike.empty()
                                   ? fmt::format(". The driver's occupancy query agrees at all {} points", xs.size())
                                   : fmt::format("; the driver's occupancy query says {}", fmt::join(unlike, ", "));
    std::vector<FindingRow> rows;
    rows.reserve(xs.size());
    for (std::size_t i = 0; i < xs.size(); ++i)
        rows.push_back({fmt::format("workgroups on a core at {}", held.text(xs[i])), residents[i].likely, "workgroups",
            std::pair(residents[i].least, residents[i].most)});
    std::vector<std::string> texts;
    texts.reserve(counts.size());
    for (const Count& count : counts)
        texts.push_back(fmt::format("{} at {}{}", count.text, held.text(count.first),
            count.last > count.first ? " to " + held.text(count.last) : ""));
    const double subgroups = held.subgroups(xs.back());
    const std::string who = subgroups == held.subgroups(xs.front())
                                ? fmt::format("resident workgroups of {:g} work-items per core",
                                      series.evidence.group_size.value_or(0) * subgroups)
                                : "resident workgroups per core";
    return {finding_of(series, {.name = held.text(xs.back()),
                                   .value = residents.back().likely,
                                   .unit = "workgroups",
                                   .rows = std::move(rows),
                                   .text = fmt::format("{}, by {}: {}{}{}", who, held.by, fmt::join(texts, ", "),
                                       driver, registers_text(series, held, in_use, in_use_at)),
                                   .x = xs})};
}

} // namespace sonde
