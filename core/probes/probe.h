// A probe as data: one question, one file. What runs it, compares it or draws it reads this, and no other table names
// probes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/data/finding.h"
#include "core/device/device.h"

namespace sonde {

class Bench;
struct KernelChoice;
struct Profile;

/// What x is, and so what of a curve is compared. footprint: a staircase, whose levels are compared. amount: each x is
/// a case of its own, such as a number of workgroups. place: where a value was taken, such as a core: only the median
/// over all of them says something of the card.
enum class Axis { footprint, amount, place };

struct XAxis {
    std::string_view name, unit = "";
    Axis axis = Axis::amount;
};
inline constexpr XAxis kFootprint{"footprint", "bytes", Axis::footprint};

/// How the page draws it. table: what each series comes to, variants by device.
enum class Chart { curve, cores, core_pairs, memory_map, facts, table };

/// What the page draws above a series' rates as the most that there can be: of the card's own memory DRAM's peak, of an
/// operation what its vendor documents.
enum class Peak { none, dram, documented };

/// What the view of a card (analysis/card_view.h) makes of a series: a staircase of latency shows the card's levels,
/// one of translation where DRAM's latency ends, a step of known cycles the clock of an API that reads none.
enum class Role { none, levels, translation, step };

/// Whose rates published figures are. all_cores: compared for each core and clock, so that cards of other sizes
/// compare; one_core: as they are; other: for each core where they are printed for a clock.
enum class RateOf { other, all_cores, one_core };

/// Published figures that answer a probe's question.
struct PublishedAnswers {
    static constexpr std::string_view kChain = "dependent chain";
    std::string_view method = kChain; // how they were found; "": in whatever way
    RateOf rates = RateOf::other;
    std::string_view size = "{}", other = "{}"; // what an item is called, of a size and of all else; {}: its level
};

/// Findings of this kind are numbers of their own that runs are compared by. `item`: how one is called; {}: the
/// finding's name.
struct ComparedFinding {
    std::string_view kind, item;
    bool (*is_one)(const Finding&) = nullptr; // null: all of the kind
};

/// What the quick profile takes where nothing was said: enough to know the card.
struct Quick {
    double seconds; // that a series of it takes: the mean of an H200's and an H100's through three APIs, those among
                    // them that an API lacks (evidence `seconds` of three recorded runs)
    std::vector<std::string_view> paths = {};        // empty: all
    std::size_t variants = 0;                        // the first so many that the path takes; 0: all
    std::vector<std::string_view> paths_of_one = {}; // of which the first variant alone is taken
    bool unasked = false;                            // taken where no probe is named: what is asked of every card first
};

/// Where methods of several probes were published.
namespace literature {
inline constexpr std::string_view kWong =
    "Wong et al., Demystifying GPU Microarchitecture through Microbenchmarking (ISPASS 2010)";
inline constexpr std::string_view kSaavedra = "Saavedra and Smith, Measuring Cache and TLB Performance and Their "
                                              "Effect on Benchmark Runtimes (IEEE Transactions on Computers, 1995)";
inline constexpr std::string_view kMei =
    "Mei and Chu, Dissecting GPU Memory Hierarchy through Microbenchmarking (TPDS 2017)";
inline constexpr std::string_view kStream = "McCalpin, Memory Bandwidth and Machine Balance in Current High "
                                            "Performance Computers (IEEE TCCA Newsletter, 1995), with STREAM";
inline constexpr std::string_view kMess =
    "Esmaili-Dokht et al., A Mess of Memory System Benchmarking, Simulation and Application Profiling (MICRO 2024)";
inline constexpr std::string_view kMt4g =
    "MT4G: A Tool for Reliable Auto-Discovery of NVIDIA and AMD GPU Compute and Memory Topologies (SC Workshops 2025)";
} // namespace literature

/// A field without a default has to be given: leaving one out does not compile.
struct Probe {
    std::string_view name, question;
    std::string_view explanation;   // for a reader who has not seen the probe: what it does
    std::string_view picture;       // and what a typical curve looks like
    std::string_view method = "";   // where the method was published; empty: it is our own, or everybody's
    std::string_view workload = ""; // what it is called beside other workloads: "LBM"; empty: by its name
    XAxis x;
    std::string_view unit = "ns"; // "ns", or a rate such as "GB/s"
    std::string_view value_of =
        ""; // what takes so long, or is counted, where `unit` and evidence do not say it: "an exchange"
    std::string_view (*other_unit)(
        const Options&) = nullptr; // of variants whose rate is one of something else; "": it is `unit`
    std::span<const std::string_view> (*places)(
        const Options&) = nullptr; // what x = 0, 1, ... are called; null or none: they are numbers
    Chart chart = Chart::curve;
    Peak peak = Peak::none;
    Role (*role)(const Options&) = nullptr; // null: none
    double run_noise; // standard deviation of ln value from run to run that blocks of one run cannot show (below)
    double (*noisier)(
        std::string_view path, const Options&, double x) = nullptr; // that of places where it is larger; 0: of others
    bool times_host = false; // the host's scheduling is part of what it measures: a series has the machine alone,
                             // nothing is compiled beside it, and its spread is no doubt
    bool by_cycles = false;  // what it times is shorter than timers tell apart: two sides are compared by the cycles
                             // that both count, or not at all
    bool structure = false;  // what it finds is built in: of a processor, whose pages lie in no order and whose system
                             // does other work, one block does not tell it
    bool clock_of_one_subgroup =
        false; // its counter was read by one of several subgroups or workgroups: no measure of the core's clock
    std::vector<ComparedFinding> compared = {};
    bool any_path = false; // what it finds is the same whatever path's loads find it
    PublishedAnswers published = {};
    std::vector<std::string_view> paths;                     // where the question has a meaning
    std::vector<Options> variants = std::vector<Options>(1); // options; each is a series of its own
    std::vector<Accepted> accepts = {};                      // what may be asked for besides
    Quick quick;
    void (*run)(Bench&);
    std::vector<Finding> (*findings)(
        const Series&, const DeviceInfo&) = nullptr; // what follows from a series of it; null: nothing
    std::optional<SeriesId> (*control)(const Finding&) =
        nullptr; // of the same device, without which the finding proves nothing; null, or nullopt: it stands alone
    KernelChoice (*kernel)(const DeviceInfo&, const Path&, const Options&); // what `run` measures with
    std::vector<KernelChoice> (*further_kernels)(const DeviceInfo&, const Path&, const Options&,
        const Profile&) = nullptr; // and with which besides, to be compiled ahead
    bool (*by_default)(std::string_view path, const Options& variant) = nullptr; // else on request only; null: all are
    bool (*is_on)(std::string_view path, const Options& variant) = nullptr;      // else not on that path; null: all are

    std::string_view unit_of(const Options& options) const {
        const std::string_view other = other_unit ? other_unit(options) : "";
        return other.empty() ? unit : other;
    }
    bool measured(const SeriesId& id) const { return id.probe == name; }
    AxisText axis() const { return {std::string(x.name), std::string(x.unit)}; }
    double noise_at(std::string_view path, const Options& options, double place) const {
        return noisier ? std::max(run_noise, noisier(path, options, place)) : run_noise;
    }
    /// As which of `compared`; nullptr: as none.
    const ComparedFinding* compared_as(const Finding& finding) const {
        const auto as = std::ranges::find(compared, finding.kind, &ComparedFinding::kind);
        return as != compared.end() && (!as->is_one || as->is_one(finding)) ? &*as : nullptr;
    }
    Measure measure() const { return is_rate(unit) ? Measure::steps_per_time : Measure::time_per_step; }
};

/// Noise from run to run, by its source. All blocks of a series use one allocation, so the L2 slice of a single line
/// and the host's load are the same for all of them. Figures from recorded runs of one H200.
namespace run_noise {
inline constexpr double levels =
    0.0015; // the largest of five runs on a level beyond what their blocks explain (median 0.02 %)
inline constexpr double alike = 0.01;     // two cards of one model differ by less, two runs by far less
inline constexpr double by_cores = 0.05;  // not recorded; by which cores the few workgroups run on
inline constexpr double one_line = 0.06;  // by the L2 slice of a line: 255 to 320 cycles from one core
inline constexpr double neighbours = 0.1; // cause unknown: atomics on neighbouring words of several workgroups; two
                                          // runs of one H200 1.66 times apart, ten of eight up to 1.85
inline constexpr double by_host = 0.1; // nine of ten copies within 19 %, launches of two runs of one host within 23 %,
                                       // of all recordings 2.3 times: host scheduling
inline constexpr double in_step = 0.2; // exchanges between cores: 1.7 %, but one by a factor of two
} // namespace run_noise

/// The list of probes, in the order of a run. Who asks for one names its value, so that a misspelt name does not
/// compile.
// clang-format off
#define SONDE_PROBES(PROBE) \
    PROBE(kLatency) PROBE(kBandwidth) PROBE(kStream) PROBE(kLine) PROBE(kTextureTile) PROBE(kTextureWalk) \
    PROBE(kTlb) PROBE(kAssociativity) PROBE(kL1PerCore) PROBE(kSharing) PROBE(kCoreCount) PROBE(kCoreSharing) \
    PROBE(kCoreDistance) PROBE(kLoadTimes) PROBE(kCarveout) PROBE(kSaturation) PROBE(kBanks) \
    PROBE(kScratchpadFill) PROBE(kOccupancy) PROBE(kOccupancyRegisters) PROBE(kOccupancySubgroups) \
    PROBE(kCoalescing) PROBE(kMix) PROBE(kSegments) PROBE(kSegmentShare) PROBE(kSegmentLatency) \
    PROBE(kChannels) PROBE(kLoadedLatency) PROBE(kBandwidthLatency) PROBE(kCoreToCore) PROBE(kAtomics) \
    PROBE(kOperationProbe) PROBE(kRate) PROBE(kMatrix) PROBE(kCoIssue) PROBE(kClockRead) PROBE(kDivergence) \
    PROBE(kCodeSize) PROBE(kFirstRun) PROBE(kSustained) PROBE(kTransfer) PROBE(kLaunch) PROBE(kLimits) \
    PROBE(kWorkloadLbm) PROBE(kWorkloadStencil) PROBE(kWorkloadGather) PROBE(kWorkloadHistogram) \
    PROBE(kWorkloadGemm) PROBE(kWorkloadGemmLibrary) PROBE(kWorkloadFft) PROBE(kWorkloadFftLibrary)
// clang-format on
#define SONDE_DECLARED(name) extern const Probe name;
SONDE_PROBES(SONDE_DECLARED)
#undef SONDE_DECLARED

/// In the order in which a run takes them.
std::span<const Probe* const> all_probes();
/// nullptr where there is no probe of that name.
const Probe* find_probe(std::string_view name);
/// Throws Error where there is none.
const Probe& probe_named(std::string_view name);
std::vector<std::string> names_of_probes();
/// What a series is to the view of its card; none of a probe that this version does not know.
Role role_of(const SeriesId&);
/// What the probe concludes from a series that was measured; none from others. Throws Error where the options are not
/// this version's.
std::vector<Finding> findings_of(const Probe&, const Series&, const DeviceInfo&);
/// Whether the series asks for what is built into a processor (`structure`), and has one block, which does not tell it.
bool needs_more_blocks(const Series&, const DeviceInfo&);

} // namespace sonde
