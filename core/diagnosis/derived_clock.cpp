// A rule about APIs whose kernels read no clock of the core: cycles from a chain whose steps another API of the same
// card counts.
#include "core/analysis/derived_clock.h"
#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
/// "L1 34.1, L2 262"; empty: the device's loads were not measured.
std::string derived_levels(const Curve* latency, double mhz) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; latency && i < latency->levels.size(); ++i)
        if (latency->levels[i].value && !latency->levels[i].cycles)
            texts.push_back(fmt::format("{} {:.4g}", latency->level_names[i], *latency->levels[i].value * mhz / 1e3));
    return fmt::format("{}", fmt::join(texts, ", "));
}
} // namespace

const Rule derived_cycles{"derived_cycles", "path", [](const Card& card, Statements& out) {
                              for (const DerivedClock& clock : derived_clocks(card)) {
                                  const std::string& device = device_text(clock.step);
                                  const Curve* latency = plain_curve(card, kLatency, device, "global");
                                  const std::string levels = derived_levels(latency, clock.mhz());
                                  if (levels.empty()) continue;
                                  std::string how = clock.text();
                                  how[0] = 'A';
                                  say(out, {latency, clock.step, clock.known},
                                      "Derived cycles of a load, as {} has no clock of the core: {}. {}.", device,
                                      levels, how);
                              }
                          }};

} // namespace sonde
