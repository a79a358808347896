// The arithmetic of a card: operations by device.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/device/operation.h"
#include "core/diagnosis/statement.h"

namespace sonde {

/// What one device takes for an operation.
struct ArithmeticCell {
    std::optional<double> latency_cycles{},
        latency_ns{}; // of one operation of a dependent chain, with what else a step holds
    std::optional<double> rate{},
        per_clock{}; // 1e9 operations a second, the highest of all chains and subgroups; and a clock and core
    std::optional<double> of_documented{};        // `per_clock` as a share of what the vendor documents for the card
    bool by_clock_beside = false;                 // `per_clock` is of the clock before and after the series
    std::optional<double> clock_mhz{},            // as kernels counted it at that rate, which a load may lower
        shown_mhz{};                              // as the card's instruments showed it meanwhile
    std::map<std::string, double> instructions{}; // of one operation, by mnemonic: 1 FADD, 1 MUFU.RCP; of two that
                                                  // alternate 0.5 of each; empty: no listing
    const Curve *latency = nullptr, *throughput = nullptr;
    bool failed = false; // a series of it
    bool cut = false;    // a series of it ended within its sweep, as the time was over
};

struct ArithmeticRow {
    const Operation* operation;
    std::vector<ArithmeticCell> cells; // by device
};

struct ArithmeticTable {
    std::vector<const DeviceRecord*> devices;
    std::vector<ArithmeticRow> rows; // in the order of all_operations()
};
/// The operation that a series' option names; nullptr: none.
const Operation* operation_of(const Curve&);
/// Curves of the probe `rate` but those of one core, which say nothing of the card.
Curves rates_of_all_cores(const Card&);
/// What the vendor documents for the chip, which any API of the card may name.
template <class What> std::optional<double> documented_on(const Card& card, const What& what) {
    std::optional<double> documented;
    for (const DeviceRecord* device : card.devices)
        if (!documented) documented = documented_rate(what, device->facts);
    return documented;
}
/// A rate of matrix units (1e9 operations a second), and the core's clock as its kernel counted it.
struct CountedRate {
    const Curve* curve = nullptr;
    double gops = 0;
    std::optional<double> clock_mhz{}, shown_mhz{}; // as the kernel counted it, as the card's instruments showed it
};
/// Of all these series the highest rate that has a steady clock of its own; where none within 1 % of the highest has,
/// the highest without.
CountedRate counted_rate(const Curves&);
/// Of series of `operation` and `rate`; without rows where there are none.
ArithmeticTable arithmetic_of(const Card&);
/// The same of series of `matrix` on small integers, a row for each form: the best rate of all accumulators and
/// subgroups, and the time between dependent ones.
ArithmeticTable matrix_forms_of(const Card&);

/// What an operation is made of on a device: "1 FADD, 1 MUFU.RCP"; "no listing", and whose figure is alike.
Cell instructions_cell(const ArithmeticTable&, const ArithmeticRow&, const ArithmeticCell&);
/// What the vendor states as a card's peak of it, in 1e9 a second, and the clock in MHz that this is at; nullopt:
/// either is not known.
struct DocumentedPeak {
    double gops, clock_mhz;
};
std::optional<DocumentedPeak> documented_peak(const Card&, const Operation&);
/// FLOP/s of floating-point numbers, op/s of integers.
Unit rate_unit(const Operation&);
/// The column with the most rates; 0 where there is none.
std::size_t fullest_column(const ArithmeticTable&);

/// Of a number format of matrix units the fastest form, as its kernel's clock counted it.
struct BestMatrixRate {
    std::string what; // "f16 wgmma", "e4m3 mma emulated by HMMA", "f16 mma, wgmma not run"; with the
                      // device where they are of several
    bool is_float;
    double gops;
    std::optional<double> per_clock;     // and core
    std::optional<double> of_documented; // of that
    std::optional<double> clock_mhz, shown_mhz;
};
std::vector<BestMatrixRate> best_matrix_rates(const Card&);

} // namespace sonde
