// The pointer chase on one path of one device: its kernel, its memory, its chains, its walks and their check.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/levels.h"
#include "core/base/text.h"
#include "core/measure/bench.h"
#include "core/measure/chain.h"
#include "core/measure/chase_kernel.h"
#include "core/measure/cluster.h"
#include "core/measure/walk.h"

namespace sonde {

/// Which lanes of a subgroup walk: the first `active`. Neighbours load from addresses so many bytes apart, one chain
/// each; 0: all of them walk one.
struct WalkingLanes {
    std::uint32_t active = 1, apart = 0;
};

struct ChaseOptions {
    std::uint32_t slot_bytes = 0; // a power of two; 0: the path's
    std::uint32_t held_bytes =
        0; // of scratchpad that the workgroup has besides, on `global` (kernels/vocabulary.h, HELD)
    std::uint32_t static_bytes =
        0; // on `scratchpad`, of an array that the kernel declares; 0: as much as each launch asks for
    std::optional<WalkingLanes> lanes{}; // on paths that have such kernels; nullopt: all of them walk one chain
};

class Chase {
public:
    /// Compiles the path's kernel (into the evidence) and the chain's builder.
    explicit Chase(Bench&, const ChaseOptions& = {});
    ~Chase();

    /// Bytes of footprint that the path can have here; the bench notes why it is no more.
    std::uint64_t largest() const { return largest_; }
    std::uint64_t granule() const { return granule_; }
    /// Memory of its own for a new block, of `bytes` or for footprints up to `largest()`, filled with random data.
    void new_memory(std::uint64_t bytes = 0);
    /// The other way round: walks go through `memory` from now on, and what it was before is there.
    void exchange_memory(std::unique_ptr<Buffer>& memory) { std::swap(memory_, memory); }
    /// The same where links are addresses: so many allocations of `part_bytes`, a power of two that slots do not
    /// straddle. As many as there is room for.
    void new_memory(std::size_t parts, std::uint64_t part_bytes);
    /// New memory of the same kind.
    void renew_memory();
    std::uint64_t memory_bytes() const { return parts_.empty() ? memory_->bytes() : bases_.size() * part_bytes_; }
    /// A new chain over all slots of that footprint, and the warm-up that no timed dispatch repeats.
    void build(std::uint64_t footprint);
    /// The same for slots that lie in another way; `text` says how, for who watches.
    void build(const ChainShape&, const std::string& text);
    /// The path's levels, from a curve that is taken in passing and not reported; it ends at `end` bytes at the latest.
    /// In the evidence.
    std::vector<Level> levels(std::uint64_t end = ~0ull);
    const Chain& chain() const { return chain_; }
    /// Loads from the chain's start to where the last walk ended.
    std::uint64_t position() const { return position_; }
    const Buffer* memory() const { return memory_.get(); }
    /// Of the lanes that the chains were built for, so many walk from now on.
    void set_active(std::uint32_t lanes) { active_ = lanes; }
    /// One dispatch that warms what fits the caches and walks on for `steps` loads (a multiple of 64), its answer
    /// checked.
    Sample timed(std::uint32_t steps);
    /// What measures chains that `make_chain` builds for each x.
    Experiment experiment(std::function<void(std::uint64_t x, const std::string& text)> make_chain,
        std::function<void(int block)> begin = nullptr);
    /// All blocks of a latency curve by footprint, to `end` bytes at the latest.
    void sweep_footprints(std::uint64_t end = ~0ull);
    /// Hops per dispatch at the most.
    std::uint32_t most_steps() const;

private:
    std::shared_ptr<Kernel> compiled();
    Sample dispatch(std::uint32_t steps, std::uint32_t warm, std::uint32_t touch_begin, std::uint32_t touch_end);
    /// Where levels end in other allocations than the curve's; in the evidence.
    void look_elsewhere(std::span<const CurvePoint> curve, double last);
    void write_chain();
    void write_links();
    std::uint64_t base_of(const Buffer&);
    /// Of a word of the chain; where it lies in several allocations.
    std::uint64_t address_of(std::uint32_t word) const;
    std::uint32_t number_of(std::uint32_t word) const;
    bool can_begin_at(std::uint32_t word) const;
    std::uint32_t words_left_out(std::uint64_t footprint) const;
    std::uint32_t first_slot() const { return chain_.shape().first >> chain_.shift(); } // where slots are dense
    /// Walks a long chain once, in its own order: each work-item one piece of it, side by side with the others, then
    /// one of the pieces that follow theirs. So what was walked longest ago is what a walk that goes on comes to next,
    /// as if one had walked it all. Longer pieces would not do: their ends are walked last, and a long walk from the
    /// begin of one would find them in the cache; slots touched in the order in which they lie would not either: of a
    /// footprint of twice the cache every second one would be found.
    void warm_chain();

    std::uint32_t pad() const { return some_ ? some_->apart / 4 : 0; } // words from one lane's chain to the next one's
    std::uint32_t smallest() const { return std::max(bench_.path.smallest_bytes, granule_); }

    Bench& bench_;
    const ChaseOptions options_;
    const std::optional<WalkingLanes>& some_ = options_.lanes;
    const std::uint32_t lanes_, slot_, granule_; // bytes of a slot, and of footprint that it stands for
    std::uint32_t private_words_ = kPrivateWords, active_;
    std::uint64_t largest_;
    std::optional<Walker> walker_, warmer_;
    std::shared_ptr<Kernel> builder_;
    std::unique_ptr<Buffer> memory_, linear_; // linear: where an image's words are written before they are copied to it
    // Allocations beyond the first, which is memory_, and where all of them lie; empty: there is one only.
    std::vector<std::unique_ptr<Buffer>> parts_;
    std::vector<std::uint64_t> bases_;
    std::uint64_t part_bytes_ = 0;
    std::shared_ptr<Kernel> linker_, locator_;
    std::vector<std::uint32_t> table_; // of words behind the arguments
    Chain chain_{1, 0, 0};
    bool dense_ = true; // slots side by side, one stop each: what a touch in the order in which they lie leaves warm
    std::uint64_t position_ = 0; // loads from the chain's start: warm-up and timed walks go on from each other
};

} // namespace sonde
