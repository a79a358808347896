// A rule about APIs whose kernels read no clock of the core: cycles from a chain whose steps another API of the same
// card counts.
#include "core/analysis/derived_clock.h"
#include "core/diagnosis/fact_of.h"

namespace sonde {

namespace {
/// Levels whose cycles the device does not count.
PlaceGroup derived_levels(const Curve& latency, double mhz) {
    PlaceGroup rows;
    for (std::size_t i = 0; i < latency.levels.size(); ++i)
        if (const Finding& level = latency.levels[i]; level.value && !level.cycles)
            rows.places.push_back(place_of(latency.level_names[i].text(), latency,
                {Quantity{*level.value * mhz / 1e3, Unit::cycles}, Quantity{*level.value, Unit::ns}}));
    return rows;
}

void tell_derived_cycles(const Card& card, Statements& out) {
    for (const DerivedClock& clock : derived_clocks(card)) {
        const Curve* latency = plain_curve(card, kLatency, device_text(clock.step), "global");
        const PlaceGroup levels = latency ? derived_levels(*latency, clock.mhz()) : PlaceGroup();
        if (levels.places.empty()) continue;
        tell(out,
            exact_fact(card, {}, {{0, latency}},
                {levels, {filled(label::step_of, {{"operation", clock.operation}}),
                             {place_of("counted", *clock.known, Quantity{clock.cycles, Unit::cycles}),
                                 place_of("timed", *clock.step, Quantity{clock.ns, Unit::ns}),
                                 place_of("clock by both", *clock.step, Quantity{clock.mhz(), Unit::mhz})}}}),
            {latency, clock.step, clock.known});
    }
}
} // namespace

const Rule derived_cycles{"derived_cycles", "path", tell_derived_cycles};

} // namespace sonde
