// Matrix units of a card: the best rate of each number format, and what instructions and APIs make of one.
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/analysis/findings.h"
#include "core/base/text.h"
#include "core/device/matrix_form.h"
#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/fact_of.h"

namespace sonde {

namespace {
/// The best that one instruction reaches on a device, of the shapes of one pair of number formats.
struct MatrixRate {
    std::string_view instruction; // "mma"
    const MatrixForm* form;
    const Curve* curve;
    double gops;
    Curves all{}; // its series
    const std::string& device() const { return curve->series->id.device; }
    /// Whether the card's own instruction does it.
    bool is_native() const { return stand_in().empty(); }
    bool same_numbers(const MatrixRate& other) const {
        return form->in == other.form->in && form->sum->bits == other.form->sum->bits;
    }
    bool same_place(const MatrixRate& other) const {
        return instruction == other.instruction && device() == other.device();
    }
    Cell rate() const { return Quantity{gops * 1e9, form->in->is_float() ? Unit::flop_per_s : Unit::op_per_s}; }
    /// What runs where the chip lacks the form's own instruction: "HMMA"; empty: that does.
    std::string_view stand_in() const {
        if (!is_emulated(*curve->series, form->emulated_by)) return "";
        return form->emulated_by == "CALL" ? "subroutine" : form->emulated_by;
    }
    /// Of a sparse A zeros count.
    Slots slots() const {
        Slots slots{{"in", std::string(form->in->name)}, {"instruction", std::string(instruction)},
            {form->emulated_by == "CALL" ? "subroutine" : "stand_in", std::string(stand_in())}};
        return form->sparse ? joined(slots, {{"stored", as_count(form->sparse / 2)}, {"of", as_count(form->sparse)}})
                            : slots;
    }
    std::string numbers() const {
        return filled(label::numbers, {{"in", std::string(form->in->name)}, {"sum", std::string(form->sum->name)}});
    }
    /// "mma.sync, e4m3 with sums in f32, by HMMA": of an instruction that is called so.
    std::string emulated_text(std::string_view called) const {
        return filled(label::emulated,
            {{"instruction", std::string(called)}, {"numbers", numbers()}, {"stand_in", std::string(stand_in())}});
    }
};

std::vector<MatrixRate> matrix_rates(const Card& card) {
    std::vector<MatrixRate> rates;
    for (const Curve* curve : curves_of(card, kMatrix)) {
        const Operation* operation = operation_of(*curve);
        if (!operation || !operation->matrix || !option::data.is(curve->series->id.options, DataKind::integers))
            continue;
        MatrixRate rate{operation->instruction, operation->matrix, curve, highest_of(*curve), {curve}};
        const auto same = std::ranges::find_if(
            rates, [&](const MatrixRate& other) { return rate.same_numbers(other) && rate.same_place(other); });
        if (same == rates.end()) {
            rates.push_back(std::move(rate));
            continue;
        }
        same->all.push_back(curve);
        if (rate.gops > same->gops) same->form = rate.form, same->curve = curve, same->gops = rate.gops;
    }
    return rates;
}

struct Instruction {
    std::string_view of_forms, name; // "mma", "mma.sync"
};
constexpr double kWhole = 0.9; // of the documented rate
constexpr Instruction kMma{"mma", "mma.sync"}, kWgmma{"wgmma", "wgmma"};

/// Of what the vendor documents for a clock and core; 0: nothing, or no clock is known.
double share_of(const Card& card, const MatrixRate& rate) {
    const CountedRate counted = counted_rate(rate.all);
    const double most =
        documented_on(card, *rate.form).value_or(0) * counted.clock_mhz.value_or(0) * rate.curve->device->cores;
    return most > 0 ? counted.gops * 1e3 / most : 0;
}

/// A share so small of what is documented says that the card has a faster instruction, wgmma.
bool lacks_faster(const Card& card, const MatrixRate& rate) {
    const double share = share_of(card, rate);
    return rate.instruction == kMma.of_forms && share > 0 && share < kWhole;
}

/// The rates of two instructions with the same numbers.
struct Beside {
    MatrixRate rate, than;
    /// By clock where kernels counted both: the loads lower it by as much as they draw.
    double times() const { return by_clock().value_or(rate.gops / than.gops); }
    std::optional<double> by_clock() const {
        const CountedRate own = counted_rate(rate.all), other = counted_rate(than.all);
        if (!own.clock_mhz || !other.clock_mhz) return std::nullopt;
        return own.gops / *own.clock_mhz / (other.gops / *other.clock_mhz);
    }
    bool both_native() const { return rate.is_native() && than.is_native(); }
    double effect() const { return std::max(times(), 1 / times()); }
};

/// Of each rate of an instruction that of another one with the same numbers: the same API's, where it was measured,
/// else the best.
std::vector<Beside> all_beside(const Card& card, const Instruction& instruction, const Instruction& than) {
    const std::vector<MatrixRate> rates = matrix_rates(card);
    std::vector<Beside> all;
    for (const MatrixRate& rate : rates) {
        if (rate.instruction != instruction.of_forms || rate.gops <= 0) continue;
        const MatrixRate* best = nullptr;
        const auto is_better = [&](const MatrixRate& other) {
            const bool own = other.device() == rate.device();
            return !best || (own != (best->device() == rate.device()) ? own : other.gops * kAgrees > best->gops);
        };
        for (const MatrixRate& other : rates)
            if (other.instruction == than.of_forms && other.same_numbers(rate) && other.gops > 0 && is_better(other))
                best = &other;
        if (best) all.push_back({rate, *best});
    }
    return all;
}

/// From the least to the greatest of a device's ratios, and what is between these.
template <class Item, class Times> std::pair<double, Quantity> times_of(const std::vector<Item>& all, Times times) {
    const double least = std::invoke(times, std::ranges::min(all, {}, times)),
                 most = std::invoke(times, std::ranges::max(all, {}, times)), middle = std::sqrt(least * most);
    return {middle, Quantity{middle, Unit::times, std::pair(least, most)}};
}

/// A cell of a place that is made where there is none.
void put(PlaceGroup& group, const std::string& name, const Curve& curve, Cell cell) {
    auto place = std::ranges::find(group.places, name, &Place::name);
    if (place == group.places.end()) place = group.places.insert(place, Place{name, {}});
    place->cells.emplace_back(device_text(&curve), std::move(cell));
}

/// Ratios are among native instructions; what stands in for one has its own rate.
void tell_beside(const Card& card, Statements& out, const Instruction& instruction, const Instruction& than) {
    std::vector<Beside> native = all_beside(card, instruction, than), emulated;
    std::ranges::copy_if(native, std::back_inserter(emulated), [](const Beside& each) { return !each.both_native(); });
    std::erase_if(native, [](const Beside& each) { return !each.both_native(); });
    if (native.empty()) return;
    PlaceGroup told{"", {}}, ratios{"times", {}}, own{std::string(instruction.name), {}},
        other{std::string(than.name), {}}, documented{"of documented, by clock", {}},
        stand_ins{"emulated, no ratio", {}};
    Ranked middles;
    Curves about;
    double effect = 1;
    for (const auto& of_device : grouped(native, [](const Beside& each) { return each.rate.device(); })) {
        const auto [middle, range] = times_of(of_device, &Beside::times);
        const Curve& curve = *of_device[0].rate.curve;
        put(told, "all numbers", curve, range);
        middles.emplace_back(middle, &curve);
    }
    const auto add_own = [&](const Beside& each) {
        const std::string numbers = each.rate.numbers();
        put(own, numbers, *each.rate.curve, each.rate.rate());
        if (const double share = share_of(card, each.rate); share > 0)
            put(documented, numbers, *each.rate.curve, Quantity{share, Unit::share});
        about.insert(about.end(), {each.rate.curve, each.than.curve});
    };
    for (const Beside& each : native) {
        put(ratios, each.rate.numbers(), *each.rate.curve, Quantity{each.times(), Unit::times});
        put(other, each.rate.numbers(), *each.than.curve, each.than.rate());
        add_own(each);
        effect = std::max(effect, each.effect());
    }
    for (const Beside& each : emulated) {
        if (each.rate.is_native()) add_own(each);
        for (const auto& [name, rate] : {std::pair(instruction.name, &each.rate), {than.name, &each.than}})
            if (!rate->is_native()) put(stand_ins, rate->emulated_text(name), *rate->curve, rate->rate());
    }
    Slots subject{{"instruction", std::string(instruction.name)}, {"other", std::string(than.name)}};
    if (std::ranges::all_of(native, [](const Beside& each) { return each.by_clock().has_value(); }))
        subject.push_back({"by", term::by_clock});
    CardFact fact = fact_of(card, subject, middles, {told, ratios, own, other, documented, stand_ins});
    fact.effect = effect;
    tell(out, std::move(fact), about);
}

/// Why a card's faster instruction, wgmma, has no rate with these numbers; none where this version has no such form.
const Term* why_no_wgmma(const Card& card, const MatrixRate& rate) {
    const auto has_numbers = [&](const Operation& form) {
        return form.instruction == kWgmma.of_forms && form.matrix->in == rate.form->in;
    };
    if (std::ranges::none_of(all_matrix_forms(), has_numbers)) return nullptr;
    for (const Curve& curve : card.curves) {
        const Operation* form = operation_of(curve);
        if (form && form->matrix && has_numbers(*form) && device_text(&curve) == rate.device())
            return curve.series->status == Status::unsupported ? &term::wgmma_unsupported : &term::wgmma_without_result;
    }
    return &term::wgmma_not_run;
}

} // namespace

std::vector<BestMatrixRate> best_matrix_rates(const Card& card) {
    std::vector<MatrixRate> best; // of each number format
    const std::vector<MatrixRate> rates = matrix_rates(card);
    const bool dense = std::ranges::any_of(rates, [](const MatrixRate& rate) { return !rate.form->sparse; });
    for (const MatrixRate& rate : rates) {
        if (dense && rate.form->sparse) continue; // sparse_beside_dense tells those
        const auto same = std::ranges::find_if(best, [&](const MatrixRate& other) {
            return other.form->in == rate.form->in && other.form->sparse == rate.form->sparse;
        });
        if (same == best.end()) best.push_back(rate);
        else if (rate.gops * kAgrees > same->gops ||
                 (rate.gops > kAgrees * same->gops && rate.device() < same->device()))
            *same = rate;
    }
    const bool one_device =
        std::ranges::all_of(best, [&](const MatrixRate& rate) { return rate.device() == best[0].device(); });
    std::vector<BestMatrixRate> told;
    for (const MatrixRate& rate : best) {
        const CountedRate counted = counted_rate(rate.all);
        const double share = share_of(card, rate);
        Slots what = rate.slots();
        if (const Term* why = lacks_faster(card, rate) ? why_no_wgmma(card, rate) : nullptr)
            what.push_back({"faster", *why});
        if (!one_device) what.push_back({"device", rate.device()});
        told.push_back({.what = filled(label::best_rate, what),
            .is_float = rate.form->in->is_float(),
            .gops = counted.gops,
            .per_clock = counted.clock_mhz && counted.curve->device->cores
                             ? std::optional(counted.gops * 1e3 / *counted.clock_mhz / counted.curve->device->cores)
                             : std::nullopt,
            .of_documented = share > 0 ? std::optional(share) : std::nullopt,
            .clock_mhz = counted.clock_mhz,
            .shown_mhz = counted.shown_mhz});
    }
    return told;
}

const Rule cooperative_beside_mma{"cooperative_beside_mma", "path", [](const Card& card, Statements& out) {
                                      tell_beside(card, out, {"coopmat", "Cooperative matrices"}, kMma);
                                  }};

const Rule wgmma_beside_mma{
    "wgmma_beside_mma", "path", [](const Card& card, Statements& out) { tell_beside(card, out, kWgmma, kMma); }};

const Rule sparse_beside_dense{
    "sparse_beside_dense", "path", [](const Card& card, Statements& out) {
        tell_beside(card, out, {"mma-sp", "mma.sp"}, kMma), tell_beside(card, out, {"wgmma-sp", "wgmma.sp"}, kWgmma);
    }};

namespace {
/// By what the clock was at the rate; 0: it is not known.
double rate_by_clock(const Curve* curve) {
    const CountedRate best = counted_rate({curve});
    return best.clock_mhz ? best.gops / *best.clock_mhz : 0;
}

/// Zeros beside small integers: the clock may differ with the power that data takes, so rates of a clock are compared.
void tell_zeros_as_integers(const Card& card, Statements& out) {
    constexpr double kSame = 0.02;
    const Curves all = curves_of(card, kMatrix);
    std::vector<std::pair<double, const Curve*>> alike; // times the rate of integers
    for (const Curve* zeros : all) {
        if (!option::data.is(zeros->series->id.options, DataKind::zeros)) continue;
        const Options same_form = option::data.as(DataKind::integers) * zeros->series->id.options;
        const auto integers = std::ranges::find_if(all, [&](const Curve* other) {
            return other->series->id.device == zeros->series->id.device && other->series->id.options == same_form;
        });
        const double rate = rate_by_clock(zeros), other = integers == all.end() ? 0 : rate_by_clock(*integers);
        if (rate > 0 && std::abs(other / rate - 1) <= kSame) alike.emplace_back(rate / other, zeros);
    }
    if (alike.empty()) return;
    PlaceGroup rows{"", {}};
    Ranked middles;
    for (const auto& of_device : grouped(alike, [](const auto& each) { return device_text(each.second); })) {
        const auto [middle, range] = times_of(of_device, [](const auto& each) { return each.first; });
        const Curve& curve = *of_device[0].second;
        put(rows, "zeros, times small integers", curve, range);
        put(rows, "series", curve, Quantity{static_cast<double>(of_device.size()), Unit::count});
        middles.emplace_back(middle, &curve);
    }
    tell(out, fact_of(card, {}, middles, {rows}), curves_in(alike));
}
} // namespace

const Rule zeros_as_integers{"zeros_as_integers", "path", tell_zeros_as_integers};

namespace {
/// What libraries do beside a workload of ours.
struct LibraryProbe {
    const Probe &library, &own;
    std::string_view size; // the slot of what it varies
};
const LibraryProbe kLibraryProbes[] = {
    {kWorkloadGemmLibrary, kWorkloadGemm, "rows"}, {kWorkloadFftLibrary, kWorkloadFft, "points"}};

/// The longest dispatch, or queue of them, at its highest rate; ns, 0: none was kept.
double longest_run(const Series& series) {
    double most = 0;
    const auto best =
        std::ranges::max_element(series.points, {}, [](const Point& point) { return point.median.value_or(0); });
    for (const Sample& sample : best == series.points.end() ? std::vector<Sample>() : best->samples)
        most = std::max(most, sample.device_ns && *sample.device_ns > 0 ? *sample.device_ns : sample.host_ns);
    return most;
}

/// Why instruments say that the clock was low meanwhile. What they show of so short a kernel includes the pauses beside
/// it.
bool is_held_back(const Series& series) { return !throttled_by(series).empty(); }

/// The best of dense forms with sums in f32 through the library's device; without a curve where there is none.
MatrixRate best_beside(const Card& card, const Curve& library, std::string_view numbers) {
    MatrixRate best{};
    for (const MatrixRate& rate : matrix_rates(card))
        if (rate.form->in->name == numbers && rate.form->sum == &kF32 && !rate.form->sparse &&
            device_text(rate.curve) == device_text(&library) && rate.gops > best.gops)
            best = rate;
    return best;
}

/// The same load for seconds; nullptr: it was not measured.
const Curve* sustained_beside(const Card& card, const MatrixRate& best) {
    for (const Curve* curve : curves_of(card, kSustained)) {
        const Operation* load = operation_of(*curve);
        if (load && load->matrix && load->matrix->in == best.form->in && load->instruction == best.instruction &&
            device_text(curve) == device_text(best.curve) && curve->series->points.back().median.value_or(0) > 0)
            return curve;
    }
    return nullptr;
}

/// What stands beside a library's rate, all through its device.
struct BesideLibrary {
    const Curve& curve;
    double gops;
    PlaceGroup rates{"", {}}, shares{"the library's rate as a share", {}}, runs{"longest run", {}}, clock{"clock", {}};
    Curves about{&curve};
    double effect = 1;

    void add_rate(const std::string& name, const Curve& other, double other_gops) {
        put(rates, name, other, Quantity{other_gops * 1e9, Unit::flop_per_s});
        about.push_back(&other);
    }
    void add(const std::string& name, const Curve& other, double other_gops) {
        add_rate(name, other, other_gops);
        put(shares, filled(label::share_of, {{"instruction", name}}), curve, Quantity{gops / other_gops, Unit::share});
        effect = std::max({effect, gops / other_gops, other_gops / gops});
    }
};

void add_instruction(BesideLibrary& beside, const Card& card, const std::string& library, const MatrixRate& best) {
    const Curve& curve = beside.curve;
    const std::string name = best.is_native() ? std::string(best.instruction) : best.emulated_text(best.instruction);
    const bool lacks_wgmma = lacks_faster(card, best);
    if (best.is_native() && !lacks_wgmma) beside.add(name, *best.curve, best.gops);
    else beside.add_rate(name, *best.curve, best.gops); // the library may take a faster instruction
    if (const Curve* sustained = best.is_native() ? sustained_beside(card, best) : nullptr) {
        const Point& last = sustained->series->points.back();
        beside.add(filled(label::for_seconds, {{"load", name}, {"seconds", as_count(std::round(last.x))}}), *sustained,
            *last.median);
    }
    if (lacks_wgmma) put(beside.rates, std::string(kWgmma.name), curve, Lack::not_measured);
    for (const auto& [whose, measured] : {std::pair(library, &curve), {name, best.curve}})
        if (const double ns = longest_run(*measured->series); ns > 0)
            put(beside.runs, whose, curve, Quantity{ns, Unit::ns});
    if (is_held_back(*curve.series))
        put(beside.clock, "held back by", curve, Instructions{throttle_text(*curve.series)});
    const TelemetryEvidence& told = curve.series->evidence.telemetry;
    if (const auto& mhz = told.during.core_mhz; mhz && runs_for_most(*curve.series))
        put(beside.clock, filled(label::shown_by, {{"source", told.source}}), curve,
            Quantity{mhz->median, Unit::mhz, std::pair(mhz->low, mhz->high)});
}

/// A library's series at its largest size: of numbers that matrix units take beside their best rate, and beside our
/// kernel at that size through the same API.
void tell_library(const Card& card, Statements& out, const LibraryProbe& probe, const Curve& curve) {
    const Series& series = *curve.series;
    if (series.points.empty() || !series.evidence.library || !(series.points.back().median.value_or(0) > 0)) return;
    const bool of_matrices = option::numbers.asked(series.id.options);
    const std::string numbers = of_matrices ? option::numbers.word(series.id.options) : std::string(kF32.name);
    const double x = series.points.back().x;
    const LibraryEvidence& library = *series.evidence.library;
    BesideLibrary beside{.curve = curve, .gops = *series.points.back().median};
    put(beside.rates, library.name, curve, Quantity{beside.gops * 1e9, Unit::flop_per_s});
    const MatrixRate best = of_matrices ? best_beside(card, curve, numbers) : MatrixRate{};
    if (best.curve) add_instruction(beside, card, library.name, best);
    for (const Curve* ours : curves_of(card, probe.own)) {
        const auto same = std::ranges::find(ours->series->points, x, &Point::x);
        if (ours->series->id.device == series.id.device && !operation_of(*ours) && kF32.name == numbers &&
            same != ours->series->points.end() && same->median.value_or(0) > 0)
            beside.add(std::string(probe.own.name), *ours, *same->median);
    }
    if (beside.rates.places.size() < 2) return;
    CardFact fact = fact_of(card,
        {{"library", library.name}, {"version", library.version}, {"numbers", numbers}, {probe.size, as_count(x)}},
        {{beside.gops, &curve}}, {beside.rates, beside.shares, beside.runs, beside.clock});
    if (best.curve && is_held_back(series) && throttled_by(series) == std::vector<std::string>{"power cap"})
        fact.cause = Cause::power_cap;
    fact.effect = beside.effect;
    tell(out, std::move(fact), beside.about);
}
} // namespace

const Rule library_beside{"library_beside", "path", [](const Card& card, Statements& out) {
                              for (const LibraryProbe& probe : kLibraryProbes)
                                  for (const Curve* curve : curves_of(card, probe.library))
                                      tell_library(card, out, probe, *curve);
                          }};

} // namespace sonde
