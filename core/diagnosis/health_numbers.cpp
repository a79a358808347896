// A row for each kind of number, and where a card has it.
#include "core/diagnosis/health_numbers.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/analysis/learned_noise.h"
#include "core/device/matrix_form.h"
#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/card_grid.h"
#include "core/diagnosis/overview.h"
#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
/// Tolerances: cards of one model and one machine lie within half of them (results/node-of-four). Shares of peaks: what
/// healthy cards of several models reach, less a few percent.
constexpr HealthRow kLoadLatency{.name = "latency",
    .more = false,
    .tolerance = 0.05,
    .of_peak = 0,
    .probe = "latency",
    .kind = "level",
    .item = "",
    .metric = "sonde_load_latency_seconds",
    .unit = "seconds",
    .about = "Time of a dependent load",
    .label = "level",
    .base = 1e-9},
    kReads{.name = "read",
        .more = true,
        .tolerance = 0.03,
        .of_peak = 0.80,
        .probe = "bandwidth",
        .kind = "level",
        .item = "",
        .metric = "sonde_read_bytes_per_second",
        .unit = "bytes_per_second",
        .about = "Rate at which all cores read",
        .label = "level",
        .base = 1},
    kArithmetic{.name = "rate",
        .more = true,
        .tolerance = 0.03,
        .of_peak = 0.90,
        .probe = "rate",
        .kind = "point",
        .item = "the most",
        .metric = "sonde_rate_operations_per_second",
        .unit = "operations_per_second",
        .about = "Operations of all cores, a multiply-add counted as two",
        .label = "operation",
        .base = 1},
    kMatrixUnits{.name = "rate",
        .more = true,
        .tolerance = 0.05,
        .of_peak = 0.60,
        .probe = "matrix",
        .kind = "point",
        .item = "the most",
        .metric = "sonde_matrix_operations_per_second",
        .unit = "operations_per_second",
        .about = "Operations of all matrix units, a multiply-add counted as two",
        .label = "form",
        .base = 1},
    kUnderLoad{.name = "under load",
        .more = true,
        .tolerance = 0.05,
        .of_peak = 0,
        .probe = "sustained",
        .kind = "point",
        .item = "the most",
        .metric = "sonde_sustained_operations_per_second",
        .unit = "operations_per_second",
        .about = "Operations at the end of a load of some seconds",
        .label = "operation",
        .base = 1},
    kHostLink{.name = "copies",
        .more = true,
        .tolerance = 0.10,
        .of_peak = 0.70,
        .probe = "transfer",
        .kind = "point",
        .item = "transfer of 64 MiB",
        .metric = "sonde_host_link_bytes_per_second",
        .unit = "bytes_per_second",
        .about = "Rate of large copies from and to pinned memory of the host",
        .label = "direction",
        .base = 1};

constexpr std::string_view kJudgedOperation = "fma.f32";

/// Products of f16 with sums in f32, of whole matrices.
bool is_judged(const Operation& form) {
    return form.matrix->in == &kF16 && form.matrix->sum == &kF32 && form.matrix->sparse == 0;
}

void add_levels(const Card& card, const DeviceRecord& device, HealthNumbers& numbers) {
    for (const char* path : {"global.pointer", "global"}) {
        const Curve* curve = plain_curve(card, kLatency, device.id, path);
        if (!curve || curve->levels.empty()) continue;
        for (std::size_t i = 0; i < curve->levels.size(); ++i)
            if (curve->levels[i].is_sure() && curve->levels[i].value)
                numbers.push_back({&kLoadLatency, curve->level_names[i].text(), device.id, device.api,
                    Quantity{*curve->levels[i].value, Unit::ns}});
        break;
    }
    const Curve* curve = plain_curve(card, kLatency, device.id, "global");
    for (std::size_t i = 0; curve && i < curve->levels.size(); ++i) {
        const LevelName& level = curve->level_names[i];
        if (level.part == LevelName::Part::far) continue; // all cores read both partitions
        if (const auto rate = read_rate(card, *curve, curve->levels[i]))
            numbers.push_back({&kReads, level.whole().text(), device.id, device.api,
                Quantity{rate->gigabytes * 1e9, Unit::bytes_per_s},
                level == LevelName::dram() ? card.largest(&DeviceInfo::bus_bytes_per_second) : 0});
    }
}

void add_rates_of(const Card& card, const ArithmeticTable& table, const HealthRow& row,
    bool (*judged)(const Operation&), HealthNumbers& numbers) {
    for (const ArithmeticRow& each : table.rows)
        for (std::size_t i = 0; i < each.cells.size(); ++i)
            if (const auto rate = each.cells[i].rate; rate && judged(*each.operation)) {
                const auto peak = documented_peak(card, *each.operation);
                numbers.push_back({&row, std::string(each.operation->name), table.devices[i]->id, table.devices[i]->api,
                    Quantity{*rate * 1e9, rate_unit(*each.operation)}, peak ? peak->gops * 1e9 : 0});
            }
}

void add_last(const Card& card, const DeviceRecord& device, HealthNumbers& numbers) {
    for (const Curve* curve : curves_of(card, kSustained)) {
        const Operation* operation = operation_of(*curve);
        const auto points = points_of(*curve);
        if (curve->series->id.device == device.id && operation && !points.empty())
            numbers.push_back({&kUnderLoad, std::string(operation->name), device.id, device.api,
                Quantity{points.back().y * 1e9, rate_unit(*operation)}});
    }
    for (const Curve* curve : curves_of(card, kTransfer)) {
        const Options& options = curve->series->id.options;
        const bool pinned = option::engine.is(options, Engine::copy) && option::pageable.is(options, false),
                   one_way = option::direction.is(options, Direction::to_device) ||
                             option::direction.is(options, Direction::to_host);
        const auto points = points_of(*curve);
        if (curve->series->id.device == device.id && options.size() == 3 && pinned && one_way && !points.empty())
            numbers.push_back({&kHostLink, option::direction.word(options), device.id, device.api,
                Quantity{points.back().y * 1e9, Unit::bytes_per_s},
                card.largest(&DeviceInfo::host_link_bytes_per_second)});
    }
}
} // namespace

std::string HealthNumber::text() const { return fmt::format("{} {}", place, row->name); }

double HealthNumber::tolerance(double asked) const {
    const auto noise = learned_noise(row->probe, row->kind, row->item.empty() ? std::string_view(place) : row->item);
    return std::max(asked < 0 ? row->tolerance : asked, noise ? noise->beyond : 0);
}

HealthNumbers health_numbers(const Card& card) {
    HealthNumbers numbers;
    for (const DeviceRecord* device : card.devices) add_levels(card, *device, numbers);
    add_rates_of(
        card, arithmetic_of(card), kArithmetic, [](const Operation& each) { return each.name == kJudgedOperation; },
        numbers);
    add_rates_of(card, matrix_forms_of(card), kMatrixUnits, is_judged, numbers);
    for (const DeviceRecord* device : card.devices) add_last(card, *device, numbers);
    return numbers;
}

} // namespace sonde
