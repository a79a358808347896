// Many work-items at once: the shapes they are launched in, how a footprint is cut into tiles, and which workgroup
// takes which of them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/measure/bench.h"
#include "core/measure/cluster.h"

namespace sonde {

/// What one launch moves.
struct Geometry {
    Shape shape;
    std::uint32_t loads = 4, turns = 1; // LOADS and TURNS of the kernel
    std::uint32_t width = 1;            // words per load
    bool each_lane = false;             // a tile is one lane's alone
    std::uint32_t cluster = 1;          // workgroups of a cluster
    bool shows_core = false;            // the kernel tells the core of each workgroup
    bool once = false; // a workgroup takes one tile and ends; Shape::groups is then for Reader and Writer to say
    std::uint32_t lanes() const { return shape.group_size * shape.groups; }
    std::uint32_t tile() const { return (each_lane ? 1 : shape.group_size) * loads * turns; } // elements
    std::uint64_t tile_bytes() const { return std::uint64_t{tile()} * width * 4; }
    /// Moved when every workgroup takes one tile.
    std::uint64_t bytes_of_all() const { return tile_bytes() * (each_lane ? lanes() : shape.groups); }
    ShapeEvidence evidence() const;
};

/// The shapes among which a device's best is looked for on a path; the first is the one to begin with. One where the
/// option `shape` says which, or there is nothing to choose (a processor); fewer of them `briefly`.
std::vector<LaunchShape> launch_shapes(const DeviceInfo&, const Path&, const Options& options, bool briefly = false);
/// The same for stores, which have tiles of their own: a small footprint holds few of them.
std::vector<LaunchShape> writing_shapes(const DeviceInfo&, const Path&, const Options& options, bool briefly = false);
/// A profile of one block has no time for many trials.
inline bool is_brief(const Profile& profile) { return profile.blocks == 1; }
inline constexpr std::uint32_t kPrivateBytes =
    4096; // of a lane's own array: with all lanes of a core far more than an L1
Geometry geometry_of(
    const DeviceInfo&, const Path&, const LaunchShape&, std::uint32_t width, const Options& options = {});

/// Sums over any range, mod 2^64, of values that repeat.
class PeriodicSum {
public:
    explicit PeriodicSum(std::span<const std::uint64_t> period);
    std::uint64_t range(std::uint64_t begin, std::uint64_t end) const { return upto(end) - upto(begin); }

private:
    std::uint64_t upto(std::uint64_t n) const;
    std::vector<std::uint64_t> prefix_;
};

/// Sum of the fill's words (kernels/fill.h) over any range, mod 2^32.
class FillSum {
public:
    FillSum(std::uint32_t period, std::uint32_t seed, const FillPattern& = {});
    std::uint32_t range(std::uint64_t begin, std::uint64_t end) const {
        return static_cast<std::uint32_t>(sum_.range(begin, end));
    }

private:
    PeriodicSum sum_;
};

/// In which order the workgroups take the tiles of a footprint of `bytes`, as the kernel `read` is told. Each of a
/// GPU's goes through all of it in an order of its own (a prime number of tiles, and steps that differ), so that none
/// trails another and lives off what that one has just fetched. Of workgroups that sweep side by side some do, the more
/// where not all are on the card at once: a cache in between then serves many at a time, and the LLC looks faster and
/// larger than it is. In unrelated orders a level that holds C of F bytes gives C/F of the loads. A processor's threads
/// each go through it in order, a share apart.
kernel_args::Read order_of(const DeviceInfo&, const Geometry&, std::uint64_t bytes);

/// Workgroups of a launch that each leave a word: at the most.
std::uint32_t most_groups(const DeviceInfo&);
/// Whether a workgroup for each tile can take `bytes` in so many arrays: enough that they lie far beyond all caches,
/// which would otherwise hold them or not by the order, and few enough for a launch of three passes.
bool takes_once(const Bench&, const Geometry&, std::uint64_t bytes, std::uint32_t arrays);

/// Independent loads from a footprint, timed, their sum held against the host's.
class Reader {
public:
    Reader(Bench& bench, const Kernel& kernel, const Geometry& geometry);
    /// Everything from here on reads `bytes` (rounded to what tiles allow) of `memory`, whose words add up to `sums`.
    /// Where each lane has an array of its own, `bytes` are those of a workgroup's lanes together. Both must outlive
    /// what follows.
    bool aim(const Buffer& memory, const FillSum& sums, std::uint64_t bytes);
    /// Every footprint will do, unless workgroups go through it once.
    bool takes(std::uint64_t bytes) const;
    /// What is really read, in the same terms: a prime number of tiles may be a little less than asked for.
    std::uint64_t footprint() const;
    /// `count` tiles by each workgroup. Throws Error where the sum is not the host's.
    Sample timed(std::uint32_t count);
    /// Of them in one dispatch at the most: the driver's loop cap.
    std::uint32_t most() const;
    static constexpr std::uint32_t granule() { return 1; }
    /// What the smallest dispatch over `bytes` moves.
    std::uint64_t least_bytes(std::uint64_t bytes) const { return geometry_.once ? bytes : geometry_.bytes_of_all(); }
    const Geometry& geometry() const { return geometry_; }
    /// On how many cores the workgroups of the last dispatch ran; 0: nothing tells.
    std::size_t cores_seen() const { return cores_seen_; }

private:
    Sample timed_once(std::uint32_t passes);
    void check(const std::vector<std::uint32_t>& out, std::uint32_t count);
    void check_once(const std::vector<std::uint32_t>& out);
    std::uint32_t expected(std::uint32_t count);

    Bench& bench_;
    const Kernel& kernel_;
    Geometry geometry_;
    const FillSum* sums_ = nullptr;
    const Buffer* memory_ = nullptr;
    std::unique_ptr<Buffer> result_;
    kernel_args::Read args_{};             // but for how many tiles
    std::vector<std::uint32_t> tile_sums_; // of the words of each tile, once asked for
    std::uint32_t all_tiles_ = 0;
    std::map<std::uint32_t, std::uint32_t>
        expected_; // by count, once asked for: the host takes milliseconds to add up a long dispatch's
    std::size_t cores_seen_ = 0;
};

/// The kernel `read` for that shape.
KernelChoice read_kernel(
    const DeviceInfo&, const Path&, const LaunchShape&, std::uint32_t width, const Options& options = {});

/// Sums of memory as a kernel reads it.
class MemorySum {
public:
    explicit MemorySum(Bench&);
    /// Of the words in the first `bytes`, a multiple of 16, mod 2^32.
    std::uint32_t sum(const Buffer& memory, std::uint64_t bytes);

private:
    Bench& bench_;
    std::shared_ptr<Kernel> kernel_;
    static constexpr std::uint32_t kGroupsOfSums = 8; // that add up the sums of all work-items
    std::unique_ptr<Buffer> sums_, few_sums_;
};

/// For Bench::take_pairs: memory needs milliseconds until all banks are busy, caches do not.
inline double times_longer(std::uint64_t footprint) { return footprint >= 64u << 20 ? 4 : 1; }

/// Candidates by number, with their times.
struct TwiceTimed {
    std::size_t fastest = 0;
    std::map<std::size_t, double> ns{};
};
/// The candidate that is the fastest when timed twice; `once` is not empty. A first trial, which may be short, tells
/// which candidates lie within a tenth of the fastest; each of these is timed by `again`, and that time counts alone.
TwiceTimed timed_twice(std::map<std::size_t, double> once, const std::function<double(std::size_t)>& again);

/// One mover (Reader, Writer) for each shape that the device may like, and the one that it likes best at a footprint.
template <class Mover> class Movers {
public:
    explicit Movers(Bench& bench) : bench_(bench) {}

    template <class... More>
    void add(const LaunchShape& shape, const KernelChoice& choice, const Geometry& geometry, More... more) {
        auto kernel = bench_.compile(choice);
        auto mover = std::make_unique<Mover>(bench_, *kernel, geometry, more...);
        candidates_.push_back(
            {.shape = shape, .choice = choice, .kernel = std::move(kernel), .mover = std::move(mover)});
    }
    const Mover& first() const { return *candidates_[0].mover; }
    bool any(const std::function<bool(const Mover&)>& holds) const {
        return std::any_of(
            candidates_.begin(), candidates_.end(), [&](const Candidate& each) { return holds(*each.mover); });
    }

    /// The fastest of the shapes, aimed, or null where none can take this footprint (`aim` is false for all). They are
    /// tried where the footprint is far from that of the last trial, or is the first that a further shape takes, and
    /// the choice is noted in the evidence; a later block (`complete`) takes what the first one chose.
    void complete() { complete_ = true; }
    Mover* best(std::uint64_t bytes, const std::function<bool(Mover&)>& aim) {
        const auto able = std::count_if(
            candidates_.begin(), candidates_.end(), [&](const Candidate& each) { return each.mover->takes(bytes); });
        // Times the footprint of the last trial. Where grids of a workgroup for each tile compete, the others still
        // fall with the caches' share.
        const bool grids =
            std::cmp_equal(able, candidates_.size()) &&
            std::ranges::any_of(candidates_, [](const Candidate& each) { return each.shape.groups_per_core == kOnce; });
        const std::uint64_t far = grids ? 2 : is_brief(bench_.profile) ? 64 : 4;
        auto after = chosen_.upper_bound(bytes);
        const auto tries_again = [&](std::uint64_t from,
                                     const Choice& last) { // what took the last one may not take more
            return !candidates_[last.candidate].mover->takes(bytes) || !in_limit(last.candidate, bytes) ||
                   (!complete_ && (bytes >= far * from || able > last.able));
        };
        if (after == chosen_.begin() || tries_again(std::prev(after)->first, std::prev(after)->second)) {
            const auto found = fastest(bytes, aim);
            if (!found) return nullptr;
            after = std::next(chosen_.insert_or_assign(bytes, Choice{*found, able}).first);
        }
        Candidate& candidate = candidates_[std::prev(after)->second.candidate];
        bench_.check_limit(least_ns(std::prev(after)->second.candidate, bytes));
        bench_.measuring = {candidate.kernel, candidate.choice};
        bench_.evidence.shape = candidate.mover->geometry().evidence();
        bench_.begin_listing();
        return aim(*candidate.mover) ? candidate.mover.get() : nullptr;
    }

private:
    struct Candidate {
        LaunchShape shape;
        KernelChoice choice;
        std::shared_ptr<Kernel> kernel;
        std::unique_ptr<Mover> mover;
        std::uint32_t count = 0; // of the long dispatch of its last trial
    };

    struct Choice {
        std::size_t candidate;
        std::ptrdiff_t able; // shapes that could take the footprint
    };

    /// How long the smallest dispatch of a shape lasts, by what the last pairs moved in a while.
    double least_ns(std::size_t i, std::uint64_t bytes) const {
        return bench_.last_slope() * static_cast<double>(candidates_[i].mover->least_bytes(bytes));
    }
    bool in_limit(std::size_t i, std::uint64_t bytes) const {
        return bench_.info.cpu || least_ns(i, bytes) <= bench_.most_ns();
    }

    /// The fastest when timed twice: briefly, and those that may win for as long as a measured pair. Short trials of
    /// one shape differ by 5 %.
    std::optional<std::size_t> fastest(std::uint64_t bytes, const std::function<bool(Mover&)>& aim) {
        if (candidates_.size() == 1) return 0;
        std::map<std::size_t, double> once; // ns per byte, by candidate
        const auto timed = [&](std::size_t i, double part) {
            Mover& mover = *candidates_[i].mover;
            bench_.step("try the launch shape " + candidates_[i].shape.text());
            return bench_.rough_slope(
                mover.granule(), mover.most(), [&](std::uint32_t count) { return mover.timed(count); },
                is_brief(bench_.profile) ? 1 : 3, &candidates_[i].count, part);
        };
        double shortest = std::numeric_limits<double>::infinity(); // of those that last too long
        for (std::size_t i = 0; i < candidates_.size(); ++i)
            if (!in_limit(i, bytes)) shortest = std::min(shortest, least_ns(i, bytes));
            else if (aim(*candidates_[i].mover)) once[i] = timed(i, Bench::kRoughPart);
        if (once.empty() && std::isfinite(shortest)) bench_.check_limit(shortest);
        if (once.empty()) return std::nullopt;
        const TwiceTimed trials = timed_twice(std::move(once), [&](std::size_t i) {
            aim(*candidates_[i].mover);
            return timed(i, times_longer(bytes));
        });
        std::map<std::string, double> tried; // GB/s: bytes per ns
        for (const auto& [i, ns] : trials.ns) tried[candidates_[i].shape.text()] = 1 / ns;
        bench_.evidence.shapes.push_back({bytes, candidates_[trials.fastest].shape.text(), std::move(tried)});
        return trials.fastest;
    }

    Bench& bench_;
    std::vector<Candidate> candidates_;
    std::map<std::uint64_t, Choice> chosen_; // from which footprint on
    bool complete_ = false;
};

/// A reader of each shape that the device may like.
Movers<Reader> all_readers(Bench&, std::uint32_t width);
/// A multiple of this is a footprint that every shape reads whole.
std::uint64_t footprint_granule(const Geometry&);

} // namespace sonde
