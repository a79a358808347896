// Matrix units of a card: the best rate of each number format, and what instructions and APIs make of one.
#include <algorithm>
#include <functional>

#include "core/analysis/findings.h"
#include "core/base/text.h"
#include "core/device/matrix_form.h"
#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/rules.h"

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
    bool same_numbers(const MatrixRate& other) const {
        return form->in == other.form->in && form->sum->bits == other.form->sum->bits;
    }
    bool same_place(const MatrixRate& other) const {
        return instruction == other.instruction && device() == other.device();
    }
    std::string rate() const { return rate(gops); }
    std::string rate(double of) const {
        return (ends_early(*curve->series) ? "at least " : "") +
               format_si(of * 1e9, form->in->is_float() ? "FLOP/s" : "op/s");
    }
    /// " emulated by HMMA", or nothing.
    std::string emulation() const {
        return is_emulated(*curve->series, form->emulated_by)
                   ? fmt::format(" {} {}", form->emulated_by == "CALL" ? "by a" : "emulated by",
                         form->emulated_by == "CALL" ? "subroutine" : form->emulated_by)
                   : "";
    }
    /// Of a sparse A zeros count.
    std::string density() const {
        return form->sparse ? fmt::format("{} of {} numbers of A stored", form->sparse / 2, form->sparse) : "";
    }
    std::string numbers() const { return fmt::format("{} with sums in {}", form->in->name, form->sum->name); }
};

std::vector<MatrixRate> matrix_rates(const Card& card) {
    std::vector<MatrixRate> rates;
    for (const Curve* curve : curves_of(card, kMatrix)) {
        const Operation* operation = operation_of(*curve);
        if (!operation || !operation->matrix || !option::data.is(curve->series->id.options, DataKind::integers))
            continue;
        MatrixRate rate{operation->name.substr(0, operation->name.find('.')), operation->matrix, curve,
            highest_of(*curve), {curve}};
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

/// Whether an instruction multiplies such numbers.
bool has_form(std::string_view instruction, const MatrixForm& like) {
    return std::ranges::any_of(all_matrix_forms(), [&](const Operation& each) {
        return each.name.starts_with(instruction) && each.name[instruction.size()] == '.' && each.matrix->in == like.in;
    });
}

struct Instruction {
    std::string_view of_forms, name; // "mma", "mma.sync"
};
constexpr double kWhole = 0.9;      // of the documented rate
constexpr double kSameRatio = 0.02; // share by which ratios differ that one sentence tells
constexpr Instruction kMma{"mma", "mma.sync"}, kWgmma{"wgmma", "wgmma"};

/// Of what the vendor documents for a clock and core; 0: nothing, or no clock is known.
double share_of(const Card& card, const MatrixRate& rate) {
    const CountedRate counted = counted_rate(rate.all);
    const double most =
        documented_on(card, *rate.form).value_or(0) * counted.clock_mhz.value_or(0) * rate.curve->device->cores;
    return most > 0 ? counted.gops * 1e3 / most : 0;
}

/// ", wgmma not measured", or that no form of it is tried: a share so small says that the card has a faster
/// instruction.
std::string faster_missing(const Card& card, const MatrixRate& rate) {
    const double share = share_of(card, rate);
    if (rate.instruction != kMma.of_forms || share <= 0 || share >= kWhole) return "";
    return has_form(kWgmma.of_forms, *rate.form) ? ", wgmma not measured" : ", wgmma not tried with these numbers";
}

/// The rates of two instructions with the same numbers.
struct Beside {
    MatrixRate rate, than;
    double times() const { return rate.gops / than.gops; }
    double effect() const { return std::max(times(), 1 / times()); }
    std::string emulation() const { return rate.emulation() + than.emulation(); }
};

/// "1.49-1.50"; where both ends look alike, one.
template <class Number>
std::string range_text(const std::vector<Beside>& all, fmt::format_string<double> format, Number number) {
    const auto least = std::ranges::min(all, {}, number), most = std::ranges::max(all, {}, number);
    const std::string low = fmt::format(format, std::invoke(number, least)),
                      high = fmt::format(format, std::invoke(number, most));
    return low == high ? low : low + "-" + high;
}

/// "1.49-1.50 times the rate of f16 (969 TFLOP/s; 648 TFLOP/s) and bf16 (967 TFLOP/s; 647 TFLOP/s) with sums in f32".
std::string text_of(const Card& card, const std::vector<Beside>& alike) {
    const MatrixRate& first = alike[0].rate;
    const bool same =
        std::ranges::all_of(alike, [](const Beside& each) { return std::abs(each.times() - 1) < kSameRatio; });
    const std::string times = same ? fmt::format("within {:.0f} % of", 100 * kSameRatio)
                                   : range_text(alike, "{:.2f}", &Beside::times) + " times";
    std::string text = fmt::format("{} the rate of {} with sums in {}", times,
        list_text(alike,
            [](const Beside& each) {
                return fmt::format("{} ({}{}; {}{})", each.rate.form->in->name, each.rate.rate(), each.rate.emulation(),
                    each.than.rate(), each.than.emulation());
            }),
        first.form->sum->name);
    const auto share = [&](const Beside& each) { return 100 * share_of(card, each.rate); };
    return first.form->sparse && std::ranges::all_of(alike, share)
               ? fmt::format("{}, {} % of documented per clock", text, range_text(alike, "{:.0f}", share))
               : text;
}

/// What an instruction reaches beside another one with the same numbers; of the latter the same API's, where it was
/// measured, else the best. A statement for each pair of devices.
void say_beside(const Card& card, Statements& out, const Instruction& instruction, const Instruction& than) {
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
    for (const auto& pairs :
        grouped(all, [](const Beside& each) { return std::pair(each.rate.device(), each.than.device()); })) {
        std::vector<std::vector<Beside>> kinds; // whose ratios agree
        Parts parts;
        for (const Beside& each : pairs) {
            const auto like = std::ranges::find_if(kinds, [&](const std::vector<Beside>& kind) {
                return kind[0].rate.form->sum == each.rate.form->sum && kind[0].emulation() == each.emulation() &&
                       std::abs(each.times() / kind[0].times() - 1) < kSameRatio;
            });
            like == kinds.end() ? kinds.push_back({each}) : like->push_back(each);
            parts.add("", {each.rate.curve, each.than.curve}, each.effect());
        }
        const std::string of =
            pairs[0].rate.device() == pairs[0].than.device() ? "" : " through " + pairs[0].rate.device();
        say(out, parts.curves, "{}{} beside {} through {}{}: {}.{}", instruction.name, of, than.name,
            pairs[0].than.device(), pairs[0].rate.form->sparse ? ", zeros of A counted" : "",
            sentences(texts_of(kinds, [&](const auto& kind) { return text_of(card, kind); })),
            pairs[0].rate.form->sparse ? " Half of A's numbers are stored." : "")
            .effect = parts.effect;
    }
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
        told.push_back(
            {.what = fmt::format("{} {}{}{}{}{}", rate.form->in->name, rate.instruction,
                 rate.form->sparse ? ", " + rate.density() : "", rate.emulation(),
                 faster_missing(card, rate).empty() ? "" : " (wgmma not run)", one_device ? "" : ", " + rate.device()),
                .is_float = rate.form->in->is_float(),
                .gops = counted.gops,
                .of_documented = share > 0 ? std::optional(share) : std::nullopt,
                .clock_mhz = counted.clock_mhz});
    }
    return told;
}

const Rule cooperative_beside_mma{"cooperative_beside_mma", "path", [](const Card& card, Statements& out) {
                                      say_beside(card, out, {"coopmat", "Cooperative matrices"}, kMma);
                                  }};

const Rule wgmma_beside_mma{
    "wgmma_beside_mma", "path", [](const Card& card, Statements& out) { say_beside(card, out, kWgmma, kMma); }};

const Rule sparse_beside_dense{
    "sparse_beside_dense", "path", [](const Card& card, Statements& out) {
        say_beside(card, out, {"mma-sp", "mma.sp"}, kMma), say_beside(card, out, {"wgmma-sp", "wgmma.sp"}, kWgmma);
    }};

/// Zeros beside small integers: the clock may differ with the power that data takes, so rates of a clock are compared.
const Rule zeros_as_integers{"zeros_as_integers", "path",
    [](const Card& card, Statements& out) {
        constexpr double kSame = 0.02;
        const Curves all = curves_of(card, kMatrix);
        Curves alike;
        for (const Curve* zeros : all) {
            if (!option::data.is(zeros->series->id.options, DataKind::zeros)) continue;
            const Options same_form = option::data.as(DataKind::integers) * zeros->series->id.options;
            const auto integers = std::ranges::find_if(all, [&](const Curve* other) {
                return other->series->id.device == zeros->series->id.device && other->series->id.options == same_form;
            });
            const auto per_clock = [](const Curve* curve) {
                const CountedRate best = counted_rate({curve});
                return best.clock_mhz ? best.gops / *best.clock_mhz : 0;
            };
            if (integers != all.end() && per_clock(zeros) > 0 &&
                std::abs(per_clock(*integers) / per_clock(zeros) - 1) <= kSame)
                alike.push_back(zeros);
        }
        if (!alike.empty())
            say(out, alike,
                "Zeros run at the rate of small integers per clock, within {:.0f} %, in {} series of matrix forms.",
                100 * kSame, alike.size());
    },
    "evidence: clock"};

namespace {
/// What libraries do beside a workload of ours.
struct LibraryProbe {
    const Probe &library, &own;
    std::string (*words)(const std::string& numbers, double x);
};
const LibraryProbe kLibraryProbes[] = {
    {kWorkloadGemmLibrary, kWorkloadGemm,
        [](const std::string& numbers, double x) {
            return fmt::format("multiplies {} matrices of {:.0f} rows", numbers, x);
        }},
    {kWorkloadFftLibrary, kWorkloadFft,
        [](const std::string&, double x) { return fmt::format("does transforms of {:.0f} points", x); }},
};

/// The longest dispatch, or queue of them, at its highest rate; ms, 0: none was kept.
double longest_run(const Series& series) {
    double most = 0;
    const auto best =
        std::ranges::max_element(series.points, {}, [](const Point& point) { return point.median.value_or(0); });
    for (const Sample& sample : best == series.points.end() ? std::vector<Sample>() : best->samples)
        most = std::max(most, sample.device_ns && *sample.device_ns > 0 ? *sample.device_ns : sample.host_ns);
    return most / 1e6;
}

/// Rates of runs of unlike length do not see the same clock: ". It runs for 3.2 ms at a time, wgmma for 0.45 ms".
std::string durations_text(const Series& library, const Series& instruction) {
    constexpr double kLike = 2; // times
    const double a = longest_run(library), b = longest_run(instruction);
    if (!(a > 0) || !(b > 0) || std::max(a / b, b / a) < kLike) return "";
    return fmt::format(". It ran for {:.2g} ms at a time, the instruction for {:.2g} ms: clocks may differ", a, b);
}

/// Why instruments say that the clock was low meanwhile: ". Reported by NVML: power cap". What they show of so short a
/// kernel includes the pauses beside it.
std::string held_back_text(const Series& series) {
    const std::string reported = throttle_text(series);
    return reported.empty() || below_power_limit(series) ? "" : ". Reported by " + reported;
}

/// A library's series at its largest size: of numbers that matrix units take beside their best rate, and beside our
/// kernel at that size through the same API.
void say_library(const Card& card, Statements& out, const LibraryProbe& probe, const Curve& curve) {
    const Series& series = *curve.series;
    if (series.points.empty() || !series.evidence.library || !(series.points.back().median.value_or(0) > 0)) return;
    const bool of_matrices = option::numbers.asked(series.id.options);
    const std::string numbers = of_matrices ? option::numbers.word(series.id.options) : std::string(kF32.name);
    const double x = series.points.back().x, gops = *series.points.back().median;
    Parts parts;
    const auto beside = [&](double other, const std::string& what, const Curve* measured) {
        parts.add(fmt::format("{:.0f} % of {} ({})", 100 * gops / other, what, format_si(other * 1e9, "FLOP/s")),
            {&curve, measured}, std::max(gops / other, other / gops));
    };
    MatrixRate best{};
    for (const MatrixRate& rate : of_matrices ? matrix_rates(card) : std::vector<MatrixRate>{})
        if (rate.form->in->name == numbers && rate.form->sum == &kF32 && !rate.form->sparse &&
            device_text(rate.curve) == device_text(&curve) && rate.gops > best.gops)
            best = rate;
    if (best.gops > 0)
        beside(best.gops, fmt::format("the best rate of {}{}", best.instruction, best.emulation()), best.curve);
    if (best.gops > 0) parts.texts.back() += faster_missing(card, best) + durations_text(series, *best.curve->series);
    if (best.gops > 0) parts.texts.back() += held_back_text(series);
    for (const Curve* ours : curves_of(card, probe.own)) {
        const auto same = std::ranges::find(ours->series->points, x, &Point::x);
        if (ours->series->id.device == series.id.device && !operation_of(*ours) && kF32.name == numbers &&
            same != ours->series->points.end() && same->median.value_or(0) > 0)
            beside(*same->median, fmt::format("{} through {}", probe.own.name, ours->series->id.device), ours);
    }
    if (parts.texts.empty()) return;
    const LibraryEvidence& library = *series.evidence.library;
    say(out, parts.curves, "{} {} {} at {} through {}: {}.", library.name, library.version, probe.words(numbers, x),
        format_si(gops * 1e9, "FLOP/s"), series.id.device, sentences(parts.texts))
        .effect = parts.effect;
}
} // namespace

const Rule library_beside{"library_beside", "path", [](const Card& card, Statements& out) {
                              for (const LibraryProbe& probe : kLibraryProbes)
                                  for (const Curve* curve : curves_of(card, probe.library))
                                      say_library(card, out, probe, *curve);
                          }};

} // namespace sonde
