// Operations by device, and where APIs differ in them.
#include "core/diagnosis/arithmetic.h"
#include "core/data/profile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/analysis/derived_clock.h"
#include "core/analysis/findings.h"
#include "core/analysis/level_findings.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/device/matrix_form.h"
#include "core/diagnosis/fact_of.h"

namespace sonde {

namespace {
constexpr double kLatencyAlike = 1.02; // times: of an operation through two devices
constexpr std::size_t kMostTold = 3;   // operations with a statement of their own

using InstructionCounts = std::map<std::string, double>;

/// Of one operation, as the listing counts them in a step; none where there is no listing.
InstructionCounts instructions_of(const Series& series, const Operation& operation) {
    const auto& kernel = series.evidence.kernel;
    InstructionCounts counts = kernel ? kernel->step_instructions : InstructionCounts();
    for (auto& [mnemonic, count] : counts) count /= operation.in_step;
    return counts;
}

void take(ArithmeticCell& cell, const Curve& curve, const Operation& operation) {
    const auto& points = curve.series->points;
    if (kOperationProbe.measured(curve.series->id)) {
        const Point* taken = latency_point(*curve.series);
        if (!taken || !taken->median) return;
        cell.latency = &curve;
        cell.latency_ns = *taken->median / operation.in_step;
        if (taken->cycles) cell.latency_cycles = *taken->cycles / operation.in_step;
    } else {
        cell.cut |= ends_early(*curve.series); // latencies are measured first
        for (const Point& point : points) {
            if (!point.median || *point.median <= cell.rate.value_or(0)) continue;
            cell.throughput = &curve;
            cell.rate = *point.median;
            cell.per_clock = std::nullopt;
            cell.clock_mhz = point.clock_mhz, cell.shown_mhz = shown_clock(*curve.series, point);
            cell.by_clock_beside = !point.clock_mhz;
            if (const auto clock = clock_at(*curve.series, point);
                curve.device->core_cycles && clock && curve.device->cores)
                cell.per_clock = *point.median * 1e3 / *clock / curve.device->cores;
        }
    }
    if (cell.instructions.empty())
        cell.instructions =
            instructions_of(*curve.series, operation); // the longer loop of `operation` is the surer count
}

/// The core's clock at a point, where all of its pairs ran at about that, or half of them did closely; of others it is
/// no measure of the rate's clock.
std::optional<double> steady_clock(const Point& point) {
    constexpr double kAll = 1.05, kHalf = 1.02; // times
    std::vector<double> clocks;
    for (std::size_t i = 0; i + 1 < point.samples.size(); i += 2) {
        const auto &first = point.samples[i], &second = point.samples[i + 1];
        if (first.cycles && second.cycles && second.device_ns.value_or(0) > first.device_ns.value_or(INFINITY))
            clocks.push_back((*second.cycles - *first.cycles) / (*second.device_ns - *first.device_ns));
    }
    if (clocks.empty()) return point.clock_mhz;
    std::ranges::sort(clocks);
    const std::size_t quarter = clocks.size() / 4;
    const bool steady =
        clocks.back() <= kAll * clocks.front() || clocks[clocks.size() - 1 - quarter] <= kHalf * clocks[quarter];
    return steady ? point.clock_mhz : std::nullopt;
}

void take_forms(ArithmeticCell& cell, const Curves& of_device, const Operation& form) {
    for (const Curve* curve : of_device) {
        cell.cut |= ends_early(*curve->series);
        for (const Finding& finding : curve->findings)
            if (finding.unit == "ns")
                cell.latency = curve, cell.latency_ns = finding.value, cell.latency_cycles = finding.cycles;
    }
    const CountedRate best = counted_rate(of_device);
    if (!best.curve) return;
    cell.throughput = best.curve, cell.rate = best.gops, cell.instructions = instructions_of(*best.curve->series, form);
    cell.clock_mhz = best.clock_mhz, cell.shown_mhz = best.shown_mhz;
    if (best.clock_mhz && best.curve->device->cores)
        cell.per_clock = best.gops * 1e3 / *best.clock_mhz / best.curve->device->cores;
}

/// The cell of a curve's device, which is made where there is none.
ArithmeticCell& cell_of(ArithmeticTable& table, ArithmeticRow& row, const Curve& curve) {
    const auto at = static_cast<std::size_t>(std::ranges::find(table.devices, curve.device) - table.devices.begin());
    if (at == table.devices.size()) table.devices.push_back(curve.device);
    row.cells.resize(std::max(row.cells.size(), at + 1));
    return row.cells[at];
}

/// What is known once all rows are: cells of devices that lack one, failures, and shares of what vendors document.
template <class Documented> void complete(ArithmeticTable& table, const Card& card, Documented documented_for) {
    for (ArithmeticRow& row : table.rows) {
        row.cells.resize(table.devices.size());
        for (const Curve& curve : card.curves)
            if (const auto device = std::ranges::find(table.devices, curve.device);
                curve.series->status == Status::failed && operation_of(curve) == row.operation &&
                device != table.devices.end())
                row.cells[static_cast<std::size_t>(device - table.devices.begin())].failed = true;
        const std::optional<double> documented = documented_for(*row.operation);
        for (ArithmeticCell& cell : row.cells)
            if (documented && cell.per_clock) cell.of_documented = *cell.per_clock / *documented;
    }
}

bool in_cycles(const ArithmeticRow& row) {
    return std::ranges::all_of(
        row.cells, [](const ArithmeticCell& cell) { return !cell.latency || cell.latency_cycles; });
}

/// A row's curves by what they take, in cycles where all have these.
Ranked ranked_latencies(const ArithmeticRow& row) {
    Ranked list;
    const bool cycles = in_cycles(row);
    for (const ArithmeticCell& cell : row.cells)
        if (cell.latency && !cell.latency->device->cpu)
            list.emplace_back(cycles ? *cell.latency_cycles : *cell.latency_ns, cell.latency);
    return sorted(std::move(list));
}

Ranked ranked_rates(const ArithmeticRow& row) {
    Ranked rates;
    for (const ArithmeticCell& cell : row.cells)
        if (cell.rate && !cell.throughput->device->cpu) rates.emplace_back(*cell.rate, cell.throughput);
    return sorted(std::move(rates));
}

Curves latencies_and_rates(const ArithmeticRow& row) {
    Curves curves = curves_in(ranked_latencies(row));
    for (const Curve* curve : curves_in(ranked_rates(row))) curves.push_back(curve);
    return curves;
}
} // namespace

CountedRate counted_rate(const Curves& curves) {
    constexpr double kNearHighest = 0.98; // times: a clock that was counted says more than so little of a rate
    CountedRate highest, counted;
    for (const Curve* curve : curves)
        for (const Point& point : curve->series->points) {
            const double gops = point.median.value_or(0);
            const auto shown = shown_clock(*curve->series, point);
            if (gops > highest.gops) highest = {curve, gops, std::nullopt, shown};
            if (const auto clock = steady_clock(point); clock && gops > counted.gops)
                counted = {curve, gops, clock, shown};
        }
    return counted.gops >= kNearHighest * highest.gops ? counted : highest;
}

ArithmeticTable arithmetic_of(const Card& card) {
    ArithmeticTable table;
    const Curves rates = rates_of_all_cores(card);
    for (const Operation& operation : all_operations()) {
        ArithmeticRow row{&operation, {}};
        double most = 0; // subgroups that a core was given
        for (const Curve* curve : rates)
            if (operation_of(*curve) == &operation) most = std::max(most, curve->series->points.back().x);
        for (const Probe* probe : {&kOperationProbe, &kRate})
            for (const Curve* curve : probe == &kRate ? rates : curves_of(card, *probe)) {
                const Series& series = *curve->series;
                const bool too_few = probe == &kRate && series.points.back().x < most && series.ending &&
                                     series.ending->by == EndedBy::time; // to fill the core
                if (operation_of(*curve) == &operation && !too_few)
                    take(cell_of(table, row, *curve), *curve, operation);
            }
        if (!row.cells.empty()) table.rows.push_back(std::move(row));
    }
    complete(table, card, [&](const Operation& operation) { return documented_on(card, operation); });
    return table;
}

ArithmeticTable matrix_forms_of(const Card& card) {
    ArithmeticTable table;
    Curves all = curves_of(card, kMatrix);
    std::erase_if(
        all, [](const Curve* curve) { return !option::data.is(curve->series->id.options, DataKind::integers); });
    for (const Operation& form : all_matrix_forms()) {
        ArithmeticRow row{&form, {}};
        Curves of_form = all;
        std::erase_if(of_form, [&](const Curve* curve) { return operation_of(*curve) != &form; });
        for (const Curves& of_device : grouped(of_form, device_text))
            take_forms(cell_of(table, row, *of_device[0]), of_device, form);
        if (!row.cells.empty()) table.rows.push_back(std::move(row));
    }
    complete(table, card, [&](const Operation& form) { return documented_on(card, *form.matrix); });
    return table;
}

std::optional<DocumentedPeak> documented_peak(const Card& card, const Operation& operation) {
    const auto rate = operation.matrix ? documented_on(card, *operation.matrix) : documented_on(card, operation);
    const auto cores = static_cast<std::uint32_t>(card.largest(&DeviceInfo::cores));
    for (const DeviceRecord* device : card.devices)
        if (const auto mhz = documented_clock(operation, device->facts, cores); rate && mhz && cores)
            return DocumentedPeak{*rate * cores * *mhz / 1e3, *mhz};
    return std::nullopt;
}

Curves rates_of_all_cores(const Card& card) {
    Curves rates = curves_of(card, kRate);
    std::erase_if(rates, [](const Curve* curve) { return option::cores.asked(curve->series->id.options); });
    return rates;
}

const Operation* operation_of(const Curve& curve) { return operation_of(curve.series->id.options); }

/// Of a device without a listing: another one, with a listing, that takes the same; "" where there is none.
static std::string witness_of(const ArithmeticTable& table, const ArithmeticRow& row, const ArithmeticCell& cell) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const ArithmeticCell& other = row.cells[i];
        if (!other.instructions.empty() && cell.latency_ns && other.latency_ns &&
            std::max(*cell.latency_ns, *other.latency_ns) <=
                kLatencyAlike * std::min(*cell.latency_ns, *other.latency_ns))
            return table.devices[i]->id;
    }
    return "";
}

Cell instructions_cell(const ArithmeticTable& table, const ArithmeticRow& row, const ArithmeticCell& cell) {
    if (!cell.latency && !cell.throughput) return Cell();
    if (!cell.instructions.empty()) return Instructions{step_instructions_text(cell.instructions, kFewInstructions)};
    const std::string witness = witness_of(table, row, cell);
    return Instructions{witness.empty() ? "no listing" : filled(label::same_as, {{"device", witness}})};
}

Unit rate_unit(const Operation& operation) {
    const bool integers = operation.matrix ? !operation.matrix->in->is_float()
                                           : operation.number == Number::u16 || operation.number == Number::u32 ||
                                                 operation.number == Number::u64;
    return integers ? Unit::op_per_s : Unit::flop_per_s;
}

std::size_t fullest_column(const ArithmeticTable& table) {
    std::size_t best = 0;
    std::ptrdiff_t most = 0;
    for (std::size_t i = 0; i < table.devices.size(); ++i) {
        const auto rates =
            std::ranges::count_if(table.rows, [&](const ArithmeticRow& row) { return row.cells[i].rate.has_value(); });
        if (rates > most) most = rates, best = i;
    }
    return best;
}

namespace {
/// What devices take for an operation, and what a step of its chain holds.
PlaceGroup figures_of(const ArithmeticTable& table, const ArithmeticRow& row, bool latency_first) {
    const Operation& operation = *row.operation;
    PlaceGroup group{std::string(operation.name), {}};
    group.places = {place_of("latency", ranked_latencies(row), in_cycles(row) ? Unit::cycles : Unit::ns),
        place_of("all cores", ranked_rates(row))};
    if (!latency_first) std::swap(group.places[0], group.places[1]);
    Place instructions{"instructions", {}};
    for (std::size_t i = 0; i < row.cells.size(); ++i)
        if (!row.cells[i].instructions.empty())
            instructions.cells.emplace_back(table.devices[i]->id,
                Instructions{step_instructions_text(row.cells[i].instructions, kFewInstructions)});
    group.places.push_back(std::move(instructions));
    return group;
}

/// Operations of which the first is told, by its latency or by its rate.
void tell_operations(const Card& card, const ArithmeticTable& table, const std::vector<const ArithmeticRow*>& rows,
    bool latency, Statements& out) {
    if (rows.empty()) return;
    std::vector<PlaceGroup> groups;
    std::vector<std::string> notes;
    Curves about;
    for (const ArithmeticRow* row : rows) {
        groups.push_back(figures_of(table, *row, latency));
        const Operation& own = *row->operation;
        notes.push_back(
            filled(label::step_in_full, {{"operation", std::string(own.name)}, {"step", std::string(own.step)},
                                            {"errors", std::string(own.errors)}}));
        for (const Curve* curve : latencies_and_rates(*row)) about.push_back(curve);
    }
    CardFact fact = fact_of(card, {{"operation", std::string(rows[0]->operation->name)}},
        latency ? ranked_latencies(*rows[0]) : ranked_rates(*rows[0]), groups);
    fact.notes = std::move(notes);
    tell(out, std::move(fact), about);
}
} // namespace

const Rule operation_apart{"operation_apart", "path", [](const Card& card, Statements& out) {
                               const ArithmeticTable table = arithmetic_of(card);
                               std::vector<const ArithmeticRow*> differing;
                               for (const ArithmeticRow& row : table.rows)
                                   if (apart(ranked_latencies(row), kLatencyApart)) differing.push_back(&row);
                               std::ranges::stable_sort(differing, std::greater(),
                                   [](const ArithmeticRow* row) { return ratio_of(ranked_latencies(*row)); });
                               const std::size_t own = std::min(differing.size(), kMostTold);
                               for (std::size_t i = 0; i < own; ++i)
                                   tell_operations(card, table, {differing[i]}, true, out);
                               differing.erase(differing.begin(), differing.begin() + static_cast<std::ptrdiff_t>(own));
                               tell_operations(card, table, differing, true, out);
                           }};

const Rule operation_rates_apart{
    "operation_rates_apart", "path", [](const Card& card, Statements& out) {
        const ArithmeticTable table = arithmetic_of(card);
        std::vector<const ArithmeticRow*> differing;
        for (const ArithmeticRow& row : table.rows)
            if (apart(ranked_rates(row), kLatencyApart) && std::ranges::none_of(row.cells, &ArithmeticCell::cut) &&
                !apart(ranked_latencies(row), kLatencyApart)) // operation_apart tells of both
                differing.push_back(&row);
        std::ranges::stable_sort(
            differing, std::greater(), [](const ArithmeticRow* row) { return ratio_of(ranked_rates(*row)); });
        tell_operations(card, table, differing, false, out);
    }};

namespace {
std::string step_text(const Curve& curve) {
    const auto& kernel = curve.series->evidence.kernel;
    return kernel ? step_instructions_text(kernel->step_instructions, kFewInstructions) : "";
}

/// Of mad.f32, whose product and sum a compiler may fuse; of fma.f32, which is fused by definition, where it is not.
void tell_roundings(const Card& card, Statements& out) {
    for (const std::string operation : {"mad.f32", "fma.f32"}) {
        Ranked counts;
        for (const Curve* curve : curves_with(card, kOperationProbe, "global", {{"operation", operation}}))
            if (const std::string& rounding = curve->series->evidence.rounding; rounding == "once")
                counts.emplace_back(1, curve);
            else if (rounding == "twice") counts.emplace_back(2, curve);
        counts = sorted(std::move(counts));
        if (counts.empty() || (operation == "fma.f32" && counts.front().first == 1)) continue;
        const Curves about = curves_in(counts);
        tell(out,
            exact_fact(card, {{"operation", operation}}, counts,
                {{operation, {place_of("roundings", counts, Unit::count), instructions_of(about, step_text)}}}),
            about);
    }
}

/// "IADD3 and IMAD.IADD" of a step that is half of each; "" of any other.
std::string alternating_two(const Curve& curve, const Operation& operation) {
    constexpr double kHalf = 0.51; // where a loop's last one has no partner
    const auto& kernel = curve.series->evidence.kernel;
    if (!kernel || kernel->step_instructions.size() != 2) return "";
    std::vector<std::string> names;
    for (const auto& [mnemonic, count] : kernel->step_instructions)
        if (count <= kHalf * operation.in_step && count >= (1 - kHalf) * operation.in_step) names.push_back(mnemonic);
    return names.size() == 2 ? list_text(names) : "";
}

/// Operations of which compilers alternate two instructions, so that two pipes share them. By device.
void tell_alternating(const Card& card, Statements& out) {
    const ArithmeticTable table = arithmetic_of(card);
    PlaceGroup rates{"all cores", {}}, instructions{"instructions", {}};
    Curves about;
    std::vector<std::string> operations;
    for (const ArithmeticRow& row : table.rows) {
        const std::string name(row.operation->name);
        Place rate{name, {}}, both{name, {}};
        for (const ArithmeticCell& cell : row.cells) {
            const std::string two = cell.latency && cell.rate ? alternating_two(*cell.latency, *row.operation) : "";
            if (two.empty()) continue;
            const Quantity of_card{*cell.rate * 1e9, Unit::op_per_s};
            rate.cells.emplace_back(device_text(cell.latency),
                cell.per_clock ? Cell(Quantity{*cell.per_clock, Unit::op_per_clock}, of_card) : Cell(of_card));
            both.cells.emplace_back(device_text(cell.latency), Instructions{two});
            about.insert(about.end(), {cell.latency, cell.throughput});
        }
        if (!rate.cells.empty()) operations.push_back(name);
        rates.places.push_back(std::move(rate)), instructions.places.push_back(std::move(both));
    }
    if (about.empty()) return;
    tell(out, exact_fact(card, {{"operations", operations}}, {{0, commonest_device(about)}}, {rates, instructions}),
        about);
}

/// Pairs of operations that one chain takes in turn without a cost; what costs time is told of its series.
void tell_kinds_in_turn(const Card& card, Statements& out) {
    struct Pair {
        std::string name;
        double times; // the mean of both
        const Curve* curve;
    };
    std::vector<Pair> pairs;
    for (const Curve* curve : curves_of(card, kCoIssue))
        for (const Finding& finding : curve->findings)
            if (finding.unit == kTimesMeanOfBoth && finding.value && is_mean_of_both(*finding.value))
                pairs.push_back({finding.name, *finding.value, curve});
    if (pairs.empty()) return;
    PlaceGroup rows;
    Curves about;
    Ranked told;
    for (const std::vector<Pair>& alike : grouped(pairs, [](const Pair& each) { return each.name; })) {
        Ranked times;
        for (const Pair& each : alike) times.emplace_back(each.times, each.curve), about.push_back(each.curve);
        rows.places.push_back(place_of(alike[0].name, times, Unit::times));
        if (told.empty())
            for (const Pair& each : alike) told.emplace_back(0, each.curve);
    }
    tell(out, exact_fact(card, {}, told, {rows}), about);
}

/// Mnemonics of NVIDIA's fused multiply-adds: "FFMA.FTZ"; "" where a step has none.
std::string fma_mnemonics(const Curve& curve) {
    const auto& kernel = curve.series->evidence.kernel;
    std::vector<std::string> names;
    for (const auto& [mnemonic, count] : kernel ? kernel->step_instructions : InstructionCounts())
        if (mnemonic.starts_with("FFMA")) names.push_back(mnemonic);
    return joined_text(names);
}

/// Of NVIDIA's compilers, whose mnemonics say it: devices that flush them, and devices that keep them.
void tell_denormals(const Card& card, Statements& out) {
    Ranked devices; // 1: flushes, 0: keeps
    for (const Curve* curve : curves_with(card, kOperationProbe, "global", {{"operation", "fma.f32"}}))
        if (const std::string mnemonics = fma_mnemonics(*curve); !mnemonics.empty())
            devices.emplace_back(mnemonics.find(".FTZ") != std::string::npos, curve);
    devices = sorted(std::move(devices));
    if (devices.empty() || devices.front().first == devices.back().first) return;
    const Curves about = curves_in(devices);
    tell(out,
        exact_fact(card, {{"operation", "fma.f32"}}, devices, {{"fma.f32", {instructions_of(about, fma_mnemonics)}}}),
        about);
}

/// A latency that no GPU has.
void tell_steps_removed(const Card& card, Statements& out) {
    constexpr double kLeastLatency = 1, kBelow = 0.9; // cycles of a dependent operation, as far as is known; times
    for (const ArithmeticRow& row : arithmetic_of(card).rows)
        for (const ArithmeticCell& cell : row.cells) {
            if (!cell.latency_cycles || *cell.latency_cycles >= kBelow * kLeastLatency) continue;
            const Curve& curve = *cell.latency;
            tell(out,
                exact_fact(card, {{"operation", std::string(row.operation->name)}}, {{0, &curve}},
                    {{"", {place_of("measured", curve,
                               {Quantity{*cell.latency_cycles, Unit::cycles}, Quantity{*cell.latency_ns, Unit::ns}}),
                              place_of("least of any GPU", curve, Quantity{kLeastLatency, Unit::cycles}),
                              instructions_of({&curve}, step_text)}}}),
                {&curve});
        }
}
} // namespace

const Rule roundings{"roundings", "path", tell_roundings};
const Rule alternating_instructions{"alternating_instructions", "path", tell_alternating};
const Rule kinds_in_turn{"kinds_in_turn", "path", tell_kinds_in_turn};
const Rule denormals_flushed{"denormals_flushed", "path", tell_denormals};
const Rule steps_removed{"steps_removed", "suspect", tell_steps_removed};

} // namespace sonde
