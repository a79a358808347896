// Why a series is doubted, as facts, and the one place that makes a sentence of each.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/json_fwd.h"

namespace sonde {

struct Series;

/// low_clock: `measured` and `usual` are MHz, of the core and the highest on the card. placement: the buffer is not in
/// the device's memory. device_timer: a launch takes `measured` times what the host waited for it. host_timer: a step
/// takes `measured` times what it takes by the device's clock. other_processes: they use the card. control: a load of
/// the control measurement takes `measured` ns over `bytes`, usually `usual`. scatter: the share `measured` of samples
/// is far from the median of their point, at `at`, or `blocks_apart`. interrupted: steps that a longer dispatch adds
/// take `measured` times those of a shorter one.
enum class DoubtKind { low_clock, placement, device_timer, host_timer, other_processes, control, scatter, interrupted };
std::span<const char* const> enum_names(DoubtKind);

struct Doubt {
    DoubtKind kind{};
    std::optional<double> measured{}, usual{};
    std::optional<double> bytes{};        // of a control measurement
    std::vector<double> at{};             // x of the points that nearly all samples that scatter are at
    std::optional<double> blocks_apart{}; // times; only where samples of each block agree
};
void to_json(Json&, const Doubt&);
void from_json(const Json&, Doubt&);

std::string doubt_text(const Doubt&, const Series&);

/// "another process uses this card (pid 123, 97 % busy)", by the drivers' own lists; "" where none is known to.
std::string others_text(const Series&);

/// Why a series is not ok, or ends where it does: its doubts, its end, what was not seen, and what a driver refused.
std::string reason_text(const Series&);

/// The pairs of samples whose slope differs by more than 30 % from the median of their point, as a share of all, and in
/// number; and from the median of their own block at that point. Quiet cards: at most 3 % in 950 series. A card on
/// which another process computes gives some of its time slices to that one.
struct Scatter {
    double share, share_in_block;
    std::size_t off;
    double blocks_apart;    // times, at the point where medians of blocks differ most
    std::vector<double> at; // x of the points that nearly all of them are at; empty: at most of the points
};
/// nullopt: fewer than nine pairs.
std::optional<Scatter> scatter_of(const Series&);
/// Where so many scatter that the series is in doubt.
std::optional<Doubt> scatter_doubt(const Series&);

/// How much longer launches took by the device's clock than the host waited for them, which cannot be: the median of
/// what was timed by both; 0: nothing was.
double device_over_host(const Series&);

/// Results of earlier versions say endings and doubts in a sentence alone, `series.reason`. Takes what is known of them
/// out of it.
void translate_reason(Series&);

} // namespace sonde
