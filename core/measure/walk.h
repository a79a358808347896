// Launches of the kernel `chase` in any of its variants (kernels/chase.h), and where their walks end.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/measure/bench.h"
#include "core/measure/chain.h"

namespace sonde {

/// What is said of a series whose walks all ended where the host's did.
inline constexpr std::string_view kLinksChecked =
    "the last link of every lane of every dispatch against the host's walk";

inline constexpr double kSliceOfLevel = 0.75; // of a level that walkers may share: two slices do not fit

/// The word at which the host's walk of a walker, by its number, stands after so many loads.
using WordAfter = std::function<std::uint32_t(std::uint32_t walker, std::uint64_t loads)>;

class Walker {
public:
    Walker(Bench&, std::shared_ptr<Kernel>, std::uint32_t lanes);

    /// `table`: the words behind the arguments on a path that reads them.
    Sample launch(const kernel_args::Chase&, const Sources&, std::span<const std::uint32_t> table = {});
    /// With OWN_STARTS: every work-item is a walker, and each one's end is checked.
    Sample launch_each(const kernel_args::Chase&, const Sources&, const WordAfter&);

    /// Of what the last launch left: a work-item's link, the word beside it, and the clock of a workgroup.
    std::uint32_t link(std::uint32_t item) const { return words_[place_of(item)]; }
    std::uint32_t seen(std::uint32_t item) const { return words_[place_of(item) + 1]; }
    std::optional<double> cycles(std::uint32_t group) const {
        return clock_difference(bench_.info, std::span(words_).subspan(group * block_words(), 4));
    }
    /// Throws Error where the link is another.
    void check(std::uint32_t item, std::uint64_t loads, std::uint32_t expected) const;

private:
    std::size_t block_words() const { return 4 + 2 * std::size_t{lanes_}; }
    std::size_t place_of(std::uint32_t item) const { return item / lanes_ * block_words() + 4 + 2 * (item % lanes_); }
    void make_room(std::size_t words);

    Bench& bench_;
    std::shared_ptr<Kernel> kernel_;
    std::uint32_t lanes_;
    std::unique_ptr<Buffer> result_;
    std::vector<std::uint32_t> words_;
};

/// Chains of one length, one behind the other in one memory, for as many walkers as there are slices.
class Slices {
public:
    Slices(Bench&, std::uint64_t slice_bytes);

    std::uint32_t warm_up() const { return (slots_ + 7) / 8 * 8; } // loads: all of a slice
    std::uint32_t words() const { return slots_ * (slot_ / 4); }   // of a slice
    const Buffer* memory() const { return memory_.get(); }

    /// New memory and new chains.
    void build(std::uint32_t count);
    /// The word that a walk of so many loads from a slice's first word on ends at.
    std::uint32_t word(std::uint32_t slice, std::uint64_t loads) const {
        return chains_[slice].walk(first_load_[slice] + loads);
    }

private:
    Bench& bench_;
    const std::uint32_t slot_, slots_;
    std::shared_ptr<Kernel> builder_;
    std::unique_ptr<Buffer> memory_;
    std::vector<Chain> chains_;
    std::vector<std::uint64_t> first_load_; // of each chain's cycle: where the slice's first slot is
};

/// The link of a work-item that did not walk, and a core that nothing runs on.
inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;
/// Of a launch that is to meet cores, at the most.
inline constexpr std::uint32_t kMostGroupsPerCore = 16;

/// Walks of workgroups on the cores that are asked for or, where no kernel knows its core, of one workgroup for each
/// chain.
class CoreWalks {
public:
    /// `groups_per_core`: of the first launch; more and more follow until the cores asked for are met.
    CoreWalks(Bench&, const KernelChoice&, std::uint32_t groups_per_core);
    /// The clock is the first walker's. Throws Error where fewer than `walkers` are met.
    Sample timed(const kernel_args::Chase&, const Buffer* memory, std::uint32_t walkers, const WordAfter&);

private:
    Bench& bench_;
    const std::uint32_t lanes_;
    const bool by_core_;
    Walker walker_;
    std::uint32_t groups_;
};

/// What a number of subgroups walks: `args` but for the steps.
struct SubgroupWalks {
    kernel_args::Chase args;
    Sources sources;
    WordAfter word;
    std::uint32_t most_steps;
};
/// 1, 2, 4... subgroups, or `every_one` of those numbers: `most`, 32 and what a workgroup has at the most.
std::vector<std::uint64_t> numbers_of_subgroups(const DeviceInfo&, std::uint64_t most, bool every_one);
/// The kernel with workgroups of so many subgroups.
std::vector<KernelChoice> subgroup_kernels(
    const DeviceInfo&, const KernelChoice&, const std::vector<std::uint64_t>& numbers);
/// All blocks of a sweep over numbers of subgroups of one workgroup, each work-item a walker of its own. Where the
/// kernel reads each one's own clock, their range is in the evidence.
void sweep_subgroups(Bench&, KernelChoice, const std::vector<std::uint64_t>& numbers,
    const std::function<SubgroupWalks(std::uint32_t subgroups)>& prepare);

} // namespace sonde
