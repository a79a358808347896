// What a probe measures with: one device, one path, announced steps, paired dispatches, a time budget. Everything that
// makes a number trustworthy and is the same for every probe lives here; docs/design.md gives the reasons.
#pragma once
#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/analysis/levels.h"
#include "core/data/profile.h"
#include "core/data/protocol.h"
#include "core/data/series.h"
#include "core/data/shared_options.h"
#include "core/device/device.h"
#include "core/measure/bounded_device.h"
#include "core/measure/chain.h"
#include "core/measure/experiment.h"
#include "core/measure/kernel_evidence.h"
#include "kernel_args.h"

namespace sonde {

inline constexpr std::uint64_t kSmallestFootprint = 4096; // bytes, of what many work-items move at once
inline constexpr std::uint32_t kLineWords = 32;           // of the longest line known
inline constexpr std::uint32_t kLoadsInFlight =
    4; // independent ones of a work-item, in kernels with that number of LOADS

/// Each value once, ascending.
template <class T> std::vector<T> distinct(std::vector<T> values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

/// Why a series ends that could have gone on with more memory.
inline constexpr const char* kNoTimeToAllocate = "in a short run there is no time to allocate more";

/// A measured negative that leaves nothing to sweep: the series is ok, without points, and has a finding with this
/// text.
struct NoneSeen : Error {
    using Error::Error;
};

/// A dispatch of the smallest size would last longer than a dispatch may.
struct TooLong : Unsupported {
    using Unsupported::Unsupported;
};

/// Where a measurement's news go while it runs: across the pipe of a worker, or into a test's vector.
class Reporter {
public:
    virtual ~Reporter() = default;
    /// Called before a step that enters a driver, so that a crash or a hang can be blamed on it.
    virtual void step(const std::string& what) = 0;
    /// Samples of one point as soon as they are taken; the same x may come again with the next block.
    virtual void samples(double x, const std::vector<Sample>& samples) = 0;
};

/// A kernel that measures: its listing is read once the series is, since that takes longer than compiling.
struct MeasuringKernel {
    std::shared_ptr<Kernel> kernel{};
    KernelChoice choice{};
    std::optional<double> held_scratchpad_bytes{}; // by its first launch
};

/// A GPU wants many work-items and hides latency with them; a processor wants one contiguous run per thread.
struct Shape {
    std::uint32_t group_size, groups;
};

/// What series on a device have learned, for the next one: a worker keeps one for each device.
struct DeviceHistory {
    std::optional<ControlPoint> control{}; // the last one, and when it was taken
    double control_taken = 0;              // Device::now
    std::optional<double> last_busy{};     // Device::now; clocks stay up for a while
    double awake_mhz = 0;                  // what a core ran at when it had been kept busy
    struct Compiled {
        std::shared_ptr<Kernel> kernel{};
        std::shared_future<KernelEvidence> evidence{}; // once it was asked for: a listing costs more than a measurement
        double first_seconds = 0;                      // what Bench::first_took was told
    };
    std::map<std::string, Compiled> kernels{}; // by variant and workgroup size; they go before the device
};

/// What a launch reads besides its arguments, and its size.
struct Sources {
    const Buffer* a = nullptr;
    const Buffer* b = nullptr;
    std::uint32_t groups = 1, scratchpad_bytes = 0, cluster = 1;
};

/// What a launch binds besides its kernel and arguments.
struct Bound {
    const Buffer* a = nullptr;
    const Buffer* b = nullptr;
    Buffer& out;
    std::uint32_t groups = 1, scratchpad_bytes = 0, cluster = 1;
};

/// One dispatch, and the first words of its result.
struct Launched {
    Sample sample;
    std::vector<std::uint32_t> out;
};

class Bench {
    BoundedDevice bounded_;

public:
    Bench(Device&, DeviceHistory&, const Path&, const Request&, const Profile&, Reporter&);

    Device& device; // as the request has it
    const DeviceInfo& info;
    const Path& path;
    const Request& request;
    const Profile& profile;
    Evidence evidence{};
    std::optional<Ending> ending; // why the series ends before the profile's last size; none: it does not
    std::string x_name = "footprint", x_unit = "bytes"; // the probe's
    bool times_host = false;                            // the probe measures the host's time: nothing may run beside it

    MeasuringKernel measuring{}, measuring_other{}; // the series' kernels; null: it has none
    /// Compiles the kernel for `path`; it is the one that measures from now on.
    std::shared_ptr<Kernel> kernel(const KernelChoice& choice);
    std::shared_ptr<Kernel> compile(const KernelChoice& choice);
    /// Seconds from compiling to the end of the first launch: these, or what it took when the kernel was new to this
    /// worker.
    double first_took(const KernelChoice& choice, double seconds);
    /// Puts text hash, defines, listing and load instruction of the measuring kernels into the evidence.
    void show_kernels();
    /// Begins to read the measuring kernel's listing in a thread of its own, unless that would disturb what is
    /// measured: then `show_kernels` reads it.
    void begin_listing();
    /// A kernel that prepares and does not measure: always on `global`, not in the evidence.
    std::shared_ptr<Kernel> helper_kernel(const std::string& name,
        const std::vector<std::pair<std::string, std::string>>& defines = {}, const Path* b = nullptr);

    /// At most `bytes` in the path's memory: halves until it fits, down to `least`, and notes in `ending` why it is
    /// less.
    std::unique_ptr<Buffer> allocate(Space, std::uint64_t bytes, std::uint64_t least);
    std::unique_ptr<Buffer> allocate(std::uint64_t bytes, std::uint64_t least) {
        return allocate(path.space, bytes, least);
    }
    std::unique_ptr<Buffer> allocate_result(std::size_t words);

    /// Work-items for kernels that prepare or check, for `work` units of work: enough to fill the device, few enough
    /// loop trips for every driver.
    Shape helper_shape(std::uint64_t work) const;
    std::uint32_t helper_group_size() const { return helper_shape(1).group_size; }
    /// Runs the helper kernel over so much work, as many lanes as the device likes; base_low and base_high become the
    /// address of `out`. A kernel with `begin` and `end` does it in parts, each within a dispatch's limit.
    template <class Args> void run_helper(const Kernel& kernel, Buffer& out, std::uint64_t work, Args args) {
        args = addressed(args, &out);
        if constexpr (requires {
                          args.begin;
                          args.end;
                      }) // a part at a time
            for (std::uint64_t part = kFirstPart; args.begin < work; args.begin = args.end) {
                args.end = static_cast<std::uint32_t>(std::min(work, args.begin + part));
                const std::uint32_t done = args.end - args.begin;
                part = next_part(done, run_helper_words(kernel, out, done, words_of(args)));
            }
        else run_helper_words(kernel, out, work, words_of(args));
    }
    /// Nanoseconds that a dispatch may last by what smaller ones took: half of the limit, since a series needs one of
    /// twice the work.
    double most_ns() const {
        constexpr double kSurely = 0.95; // a dispatch may last a little longer than one before it lets expect
        return kSurely * request.dispatch_limit_ms * 1e6 / 2;
    }
    /// Throws TooLong where a dispatch that took so long leaves no room for one of twice the work. A processor has no
    /// display to hold up.
    void check_limit(double smallest_ns) const;
    /// Nanoseconds per unit of work of the pairs taken last; 0: there were none.
    double last_slope() const { return last_slope_; }
    /// Fills the first `bytes` with random data of period `kFillPeriod` words, in that pattern.
    void fill(Buffer& buffer, std::uint64_t bytes, std::uint32_t seed, const FillPattern& = {});
    static constexpr std::uint32_t kFillPeriod = 1u << 16;
    /// The same for a source in the path's memory: as much of it as is a whole number of what the path is filled by,
    /// which is returned. An image's texels are numbered block by block of 8 x 4 (`by_block`), or row by row as they
    /// lie.
    enum class FillOrder { by_block, as_it_lies };
    std::uint64_t fill_source(
        Buffer& source, std::uint32_t seed, FillOrder order = FillOrder::by_block, const FillPattern& = {});

    /// Launches with a kernel's own arguments (kernel_args.h), as the series' options ask for (carveout, banks); reads
    /// the first `words` of the result. `steps`: units of work, for the sample. Where the arguments have base_low and
    /// base_high, they become the address of `bound.a`.
    template <class Args>
    Launched launch(const Kernel& kernel, Args args, const Bound& bound, double steps, std::size_t words = 0) {
        args = addressed(args, bound.a);
        return launch_words(kernel, words_of(args), bound, steps, words);
    }
    /// The arguments with base_low and base_high, where they have these: the buffer's address, if the API tells it.
    template <class Args> static Args addressed(Args args, const Buffer* buffer) {
        if constexpr (requires { args.base_low; }) {
            if (!buffer) return args;
            const std::uint64_t base = buffer->address().value_or(0);
            args.base_low = static_cast<std::uint32_t>(base), args.base_high = static_cast<std::uint32_t>(base >> 32);
        }
        return args;
    }
    Launched launch_words(
        const Kernel& kernel, std::span<const std::uint32_t> args, const Bound& bound, double steps, std::size_t words);
    /// Launches one behind the other, without a wait between them: one sample of so many steps.
    Sample launch_all(std::span<Launch> launches, double steps);
    /// An argument block word by word.
    template <class Args> static std::span<const std::uint32_t> words_of(const Args& args) {
        static_assert(std::is_standard_layout_v<Args> && sizeof args % 4 == 0);
        return {reinterpret_cast<const std::uint32_t*>(&args), sizeof args / 4};
    }
    /// To be called once a dispatch's output agreed with the host's: the series' evidence says what was compared and
    /// how often.
    void checked(std::string_view what);

    std::vector<std::uint32_t> read_words(const Buffer& buffer, std::size_t words);
    void write_words(Buffer& buffer, std::span<const std::uint32_t> words);

    /// Capacity of the card's LLC, of which a driver may report less than another (the sum of all L1, or nothing);
    /// `unknown` where none reports it.
    std::uint64_t last_level(std::uint64_t unknown = 32 << 20) const;
    /// That footprint, which is to come from DRAM. Throws Unsupported where the LLC holds all of it, as far as a driver
    /// reports one.
    std::uint64_t beyond_last_level(std::uint64_t footprint) const;
    /// Brings the clocks up: all cores compute for 0.2 s, or 0.005 s where the card was busy just now. A series
    /// measured on an idle clock would measure power saving.
    void wake_clocks();
    /// The same in the middle of a series, after work of the host's that has left the device idle; for longer where the
    /// clock comes up slowly.
    void wake_again();
    /// Notes the MHz that one core runs at now, `when` in evidence.clock; nothing where the kernel's counter is not the
    /// core's clock.
    void note_clock(std::optional<double> ClockEvidence::*when);
    /// Notes the clock after the series, once, and that the device was busy until now. Who frees much memory calls it
    /// before: meanwhile the device idles.
    void note_end();
    /// Whether the device was busy just now, through this API or another.
    bool still_awake() const;
    void spin_for(double seconds);

    using Dispatch = std::function<Sample(std::uint32_t work)>;
    /// Takes pairs of a short and a long dispatch until the profile's rule is met, and reports them as samples of `x`.
    /// `dispatch(count)` runs `count` units of work (a multiple of `work.granule`, at most `work.most`) in one dispatch
    /// and returns its sample. The first dispatch is left out; the long one's size grows until the slope rests on
    /// enough time. Where the host left the device idle between dispatches and its clock dropped, the point is taken
    /// again, twice at the most (evidence.clock->points_repeated). Returns the point's ns per unit of work: the median
    /// of the slopes. `work.times_longer`: how many times the profile's length the slope's difference shall last, where
    /// a device takes long to settle. `kept`: reported as samples of the series. Throws TimeOver where the time is over
    /// before the rule's fewest pairs are there: the series' own, unless it is its first point, or the run's.
    double take_pairs(double x, int block, const Work& work, const Dispatch& dispatch, bool kept = true);

    /// Pairs of dispatches, of up to 0.1 s as far as one may last, that follow each other at once for so many seconds:
    /// those of each second are a point. `dispatch`, `most`: as for take_pairs. Ends early, with
    /// `ending` noted, where the series' time is over.
    void sustain(std::uint64_t seconds, std::uint32_t most, const Dispatch& dispatch);

    /// So many times: `begin`, and then one pair of dispatches of no work and of one unit for each of `xs`. For what
    /// changes by being done. Ends early as `sustain` does.
    void measure_in_turns(const std::vector<std::uint64_t>& xs, std::uint32_t times, const std::function<void()>& begin,
        const Dispatch& dispatch);

    /// A rough estimate from a few short pairs, not reported. `longer`: the work of the long dispatch of a like
    /// estimate, from which the search for one that is long enough begins (0: there was none); set to what was found.
    /// `part`: of the length of a measured pair.
    double rough_slope(std::uint32_t granule, std::uint32_t most, const Dispatch& dispatch, std::size_t pairs = 1,
        std::uint32_t* longer = nullptr, double part = kRoughPart);
    static constexpr double kRoughPart = 0.125;

    /// The sweep's sizes: ascending multiples of `granule` from `smallest` to `largest`, the profile's number per
    /// octave.
    std::vector<std::uint64_t> sizes(std::uint64_t smallest, std::uint64_t largest, std::uint64_t granule) const;
    /// How large a footprint in the path's memory may be: the profile's end (far past any LLC), the API's limit or half
    /// the memory.
    struct Largest {
        std::uint64_t bytes;
        std::optional<Ending> ending; // where that is less than the profile's end
    };
    Largest largest_footprint() const;
    /// The same where a sweep goes so far: its end is the series'.
    std::uint64_t end_of_sweep();

    /// All blocks of a sweep over `xs`.
    void measure(const Experiment&, const std::vector<std::uint64_t>& xs);
    /// The profile's blocks, until one ends early: for probes whose xs, or memory, a block decides.
    void each_block(const std::function<void(int block)>& body);
    /// One of them, with sizes of its own: ns per unit of work by x.
    std::map<std::uint64_t, double> measure_block(const Experiment&, int block, const std::vector<std::uint64_t>& xs);
    /// All blocks of a latency sweep whose sizes the curve itself asks for (core/analysis/refinement.h, next_size): the
    /// first block begins coarse and goes where an edge is still wider than the profile's `edge`, until it is known or
    /// the block's share of the time is over; the others repeat the first one's sizes. `largest()` is asked after each
    /// block's `begin`. Notes in the evidence how the refinement ended. Returns the first block's curve.
    std::vector<CurvePoint> measure_refined(const Experiment&, std::uint64_t smallest, std::uint64_t granule,
        const std::function<std::uint64_t()>& largest);

    using Measuring = std::function<void(std::uint64_t size, const std::string& text)>;
    /// One block's sweep: calls `measure` for each size, shares the time left out among the points, and ends the series
    /// early, with `ending` noted, where a size does not fit or the time is long over.
    void sweep(int block, const std::vector<std::uint64_t>& sizes, const Measuring& measure);

    double seconds_used() const;
    /// Whether the time is over that the series may take (Request::most_seconds), and it has a point; or that of the
    /// run.
    bool time_over() const;
    std::uint32_t next_seed();
    void step(const std::string& what) { reporter_.step(what); }

private:
    static constexpr std::uint64_t kFirstPart = 1u << 18; // of a helper's work: some milliseconds on any card
    /// How much work the next part has, where the last one of `part` took so long.
    std::uint64_t next_part(std::uint64_t part, double ns) const;
    /// Returns the nanoseconds.
    double run_helper_words(const Kernel& kernel, Buffer& out, std::uint64_t work, std::span<const std::uint32_t> args);
    DeviceHistory::Compiled& known(const Source&, const Build&) const;
    void note_peer();
    std::optional<KernelEvidence> shown(const MeasuringKernel&) const;
    std::shared_future<KernelEvidence> evidence_of(const MeasuringKernel&) const;
    /// Each variant once for a device: series share kernels.
    std::shared_ptr<Kernel> compile(const Source&, const Build&);
    double measure_point(const Experiment&, const Work&, int block, std::uint64_t x, const std::string& text);
    /// Measures sizes until `next` has none; the size that did not fit, where one did not. `expected`: sizes of a
    /// block, for the time's shares.
    std::optional<std::uint64_t> sweep_while(int block, std::size_t expected,
        const std::function<std::optional<std::uint64_t>()>& next, const Measuring& measure);
    /// After `refused` bytes did not fit: halves the way between the largest size of `curve`, to which `measure` adds,
    /// and the smallest that is refused, until that end is known like an edge.
    std::uint64_t largest_taken(
        std::uint64_t refused, std::uint64_t granule, const std::vector<CurvePoint>& curve, const Measuring& measure);
    struct Pairs {
        std::vector<Sample> samples{};
        std::vector<double> slopes{}; // ns per unit of work
        std::uint32_t longer = 0;     // work of a long dispatch
    };
    struct LongDispatch {
        double slope_ns;         // that each slope rests on
        std::uint32_t first = 0; // work of those that are tried first; 0: there is no experience
        bool sure = false;       // these are long enough
    };
    /// Pairs until `finished` says so.
    Pairs pairs_of(int block, const Work& work, const Dispatch& dispatch, const LongDispatch& wanted,
        const std::function<bool(std::span<const double> slopes)>& finished);
    /// Arithmetic only, on all cores; or by one workgroup `alone`, so that its clock and the device's timer see the
    /// same work.
    Sample spin(std::uint32_t rounds, bool alone = false);
    /// What one core runs at now; nullopt where the kernel's counter is not the core's clock, or before `wake_clocks`.
    std::optional<double> clock_mhz(int pairs = 3, std::uint32_t rounds = 4096);
    /// Whether that is less than what the device is known to run at, by more than what clocks vary under load.
    bool clock_dropped();
    /// `work` in units of `granule`, between one of them and `most`.
    static std::uint32_t rounded(double work, std::uint32_t granule, std::uint32_t most);
    /// Work for which a dispatch lasts `wanted_ns` longer than for one granule, as far as the limits of a dispatch go.
    /// `first`: the work that was enough for a like dispatch; 0: none is known.
    std::uint32_t long_enough(
        double wanted_ns, std::uint32_t granule, std::uint32_t most, const Dispatch& dispatch, std::uint32_t first = 0);
    double primary_ns(const Sample& sample) const { return sample.device_ns.value_or(sample.host_ns); }

    void end_early(int block, std::uint64_t before);
    Reporter& reporter_;
    DeviceHistory& history_;
    std::shared_ptr<Kernel> filler_, spinner_; // null before they are needed
    Shape spinning_{};
    std::unique_ptr<Buffer> spun_;
    const double made_ = device.now();
    double begin_ = made_;
    std::optional<Carveout> carveout_;
    std::optional<std::uint32_t> bank_bytes_;
    double seconds_;
    bool ended_ = false, end_noted_ = false, begun_ = false, has_point_ = false;
    std::map<double, std::uint32_t> long_work_; // of the sweep's points, by x: that of a long dispatch
    std::uint32_t last_long_work_ = 0;          // of the last point
    double last_slope_ = 0;
    double point_seconds_ = 1e9; // what the point in hand may use
    std::uint64_t seed_state_;
};

/// Lanes that run in lockstep on a GPU; one on a processor.
inline std::uint32_t chase_lanes(const DeviceInfo& info) { return info.cpu ? 1 : info.subgroup; }

/// The clock words that kernels leave at `words[0..3]`, as a difference; nullopt without a clock.
std::optional<double> clock_difference(const DeviceInfo& info, std::span<const std::uint32_t> words);

/// The longest of all workgroups', each of `group_words` words that begin with the clock's: where a unit is busy all
/// the time some end early (seen: after a fourth of the time), and the longest alone ran as long as the dispatch.
std::optional<double> longest_clock_difference(
    const DeviceInfo& info, std::span<const std::uint32_t> words, std::size_t group_words);

} // namespace sonde
