// Runs of one card, made up series by series, and what rules say of them.
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/data/results.h"
#include "core/data/shared_options.h"
#include "core/diagnosis/diagnosis.h"

namespace sonde::made_up {

struct Step {
    double latency, ends; // to this footprint
};

inline const std::vector<Step> kThreeLevels{{40, 64 * 1024}, {200, 4 << 20}, {600, 1e12}};

/// A run of one card, made up series by series. Levels are computed from the points, as they are of any file.
struct MadeUp {
    Run run;

    DeviceRecord& device(const std::string& id, double cache_bytes = 0, double bus = 0);

    Series& series(const std::string& probe, const std::string& device, const std::string& path,
        const std::string& unit, Options options = {});

    /// A staircase from 512 bytes to `last`, four sizes an octave, at 1 GHz: as many cycles as ns.
    Series& latency(const std::string& device, const std::string& path, const std::vector<Step>& steps, double last,
        Options options = {});

    /// A dependent operation, in cycles where the device has a clock of its core, and loads.
    void known_step(const std::string& id, std::optional<double> cycles, double ns);

    /// One level of translation, in 30 ns of 140.
    void translation(const std::string& id, double reach);

    /// L1 while so many KiB of scratchpad are held.
    void held(const std::string& id, double scratchpad, double first, const Options& asked = {});

    /// A curve of another probe, on a device that is added where it is new.
    Series& curve(const std::string& probe, const std::string& id, const std::string& path, const Options& options,
        const std::vector<std::pair<double, double>>& points);
    /// Copies at host addresses of that alignment.
    void aligned(const std::string& id, const char* bytes, double rate, double small = 0.002);
    /// The series of `bandwidth` that reads zeros.
    Series& zeros(const std::string& id);
    /// A kernel's machine code: its load, and with `behind` an atomic instruction and what follows that.
    void compiled(const char* probe, const std::string& id, const char* path, const char* load,
        std::optional<const char*> behind = std::nullopt, const char* listing = "gcn");
    /// Single loads of three footprints: all fast, a share as slow as the last one's, and those.
    void single_loads(const std::string& id, double middle, std::uint32_t slow_percent);
    void lanes(const std::string& id, double all, double one); // cycles at 2 GHz
    void lanes_apart(const std::string& id, std::uint32_t lanes, const char* apart, double all);
    void copies(const std::string& id, double up, double down, double both);
    /// An operation under load, and what NVML told.
    void sustained(const std::string& id, const char* operation, double watts, bool capped,
        std::optional<double> limit = std::nullopt);
    /// Words counted in memory, and the atomics of one address and of separate ones.
    Series& histogram(const std::string& id, const char* data, const char* layout, double rate);
    void stores(const std::string& id, double memory);
    void room(const std::string& id, const std::string& path, double said, double taken, std::optional<double> refused);
    void occupancy(const std::string& id, double of_core); // 32 workgroups, 1000 ns alone

    /// What loads on another path evict of texel's lines in an L1 of 64 KiB.
    void evicting(const std::string& id, const std::string& by, double share);
    Series& consecutive(const std::string& id, double rate, const std::string& width = "4");

    /// A workload of 77 bytes read and 76 written, beside the rates of copies and reads.
    Series& lattice(const std::string& id, double rate);
    /// The same by the host's clock, with a smaller size whose step takes `least_ns`.
    Series& launched_lattice(const std::string& id, double rate, double least_ns);
    /// A product of matrices, which loads tiles from L2.
    Series& product(const std::string& id, double rate, double tile_bytes);
    /// The same by a matrix form.
    Series& product_by(const std::string& id, const char* form, double rate);
    Evidence& operation(const std::string& id, const char* name, double cycles);
    /// Cycles of an instruction in the first run of its code and in the eighth.
    void runs(const std::string& id, double first, double last);
    /// An instruction in a loop, whose code two caches hold.
    void rate(const std::string& id, const char* name, double gops);

    void code(const std::string& id, double last);
    /// Of such data, with the clock that was counted.
    void matrix_at(const std::string& id, const char* data, double rate, double mhz);
    /// The best of a matrix form, in TFLOP/s.
    Series& matrix(const std::string& id, const char* form, double rate);
    /// Of 8192 rows by the vendor's library, in TFLOP/s.
    Series& library(const std::string& id, const char* numbers, double rate);
    /// The library's transforms, beside ours of a device.
    Series& transforms(const std::string& id, double rate, const std::string& ours, double our_rate);
    Evidence& in_orders(const std::string& id, double random, unsigned mebibytes);
    /// Of 4 bytes at this rate, and as many of 8.
    void random_of_two_widths(const std::string& id, double random);
    /// Bytes that one core of 1 GHz reads in a cycle from L1, by the width of loads.
    void loads(const std::string& id, const std::vector<std::pair<const char*, double>>& by_width);

    Series& bandwidth(const std::string& device, const std::string& path, const std::vector<Step>& steps, double last);
};

inline constexpr double kKiB = 1024, kMiB = 1024 * kKiB, kEnd = 1024 * kMiB;
inline const std::vector<Step> kThree{{40, 64 * kKiB}, {200, 4 * kMiB}, {600, kEnd}};
inline const std::vector<Step> kTwo{{200, 4 * kMiB}, {600, kEnd}};

std::vector<Step> later(std::vector<Step> steps, double by);

std::vector<Statement> statements_of(const Run& run);

/// The texts of what one rule says.
std::vector<std::string> said(const Run& run, std::string_view rule);

bool says(const std::vector<std::string>& texts, const std::string& part);

/// What a cell of a fact's table holds: a number in its unit without prefix, instructions, or why there is none.
struct ToldCell {
    template <class Held> ToldCell(std::string_view row, std::string_view column, Held held)
        : place(row), device(column) {
        if constexpr (std::is_arithmetic_v<Held>) holds = static_cast<double>(held);
        else holds = held;
    }
    std::string_view place, device;
    std::variant<double, std::string_view, Lack> holds;
};

/// What makes a rule speak, and the same card without that.
struct Case {
    const char* rule;
    std::vector<ToldCell> told; // among what its fact's table holds
    void (*fires)(MadeUp&);
    void (*silent)(MadeUp&);
    Cause cause = Cause::none;
};

void in_two_parts(MadeUp& card);

void shows_clock(TelemetryEvidence& telemetry, double low);

void two_apis(MadeUp& card, const std::vector<Step>& a, const std::vector<Step>& b, const char* path = "global");

/// Those of all files.
std::vector<Case>& all_cases();

/// The cases of one file's rules.
class Cases {
public:
    Cases(std::initializer_list<Case> rows);
    void check() const;

private:
    std::vector<Case> rows_;
};

} // namespace sonde::made_up
