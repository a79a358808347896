// Launching walks and checking them.
#include "core/measure/walk.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>

#include <fmt/format.h>

#include "core/base/statistics.h"
#include "core/measure/chase_kernel.h"

namespace sonde {

namespace {
constexpr std::uint32_t kMostSubgroups = 32;

std::uint32_t hops_of(const kernel_args::Chase& args) { return args.warm + args.steps; }

/// What the subgroups' own clocks say of one load. The longest dispatch counts: least of it is the clock itself.
void note_clocks(
    Evidence& evidence, const Walker& walker, std::uint32_t subgroups, std::uint32_t lanes, std::uint32_t steps) {
    std::vector<double> each;
    for (std::uint32_t subgroup = 0; subgroup < subgroups; ++subgroup)
        each.push_back(double(walker.seen(subgroup * lanes)) / steps);
    const auto known = std::ranges::find(evidence.subgroup_clocks, subgroups, &SubgroupClocks::subgroups);
    SubgroupClocks& clocks = known == evidence.subgroup_clocks.end() ? evidence.subgroup_clocks.emplace_back() : *known;
    if (steps >= clocks.loads)
        clocks = {.subgroups = subgroups,
            .loads = steps,
            .least = std::ranges::min(each),
            .median = median(each),
            .most = std::ranges::max(each)};
}
} // namespace

Walker::Walker(Bench& bench, std::shared_ptr<Kernel> kernel, std::uint32_t lanes)
    : bench_(bench), kernel_(std::move(kernel)), lanes_(lanes) {}

void Walker::make_room(std::size_t words) {
    if (!result_ || result_->bytes() < words * 4) result_ = bench_.allocate_result(words);
}

Sample Walker::launch(const kernel_args::Chase& args, const Sources& sources, std::span<const std::uint32_t> table) {
    const std::uint32_t rounds = std::max(args.rounds, 1u);
    const std::size_t blocks = std::size_t{sources.groups} * rounds, steps = std::size_t{args.steps} * rounds;
    make_room(blocks * block_words());
    const Bound bound{sources.a, sources.b, *result_, sources.groups, sources.scratchpad_bytes, sources.cluster};
    Launched launched;
    if (table.empty()) {
        launched = bench_.launch(*kernel_, args, bound, static_cast<double>(steps), blocks * block_words());
    } else {
        const auto fields =
            Bench::words_of(args).first(offsetof(kernel_args::Chase, base_low) / 4); // those that such a path has
        std::vector<std::uint32_t> all(fields.begin(), fields.end());
        all.insert(all.end(), table.begin(), table.end());
        launched = bench_.launch_words(*kernel_, all, bound, static_cast<double>(steps), blocks * block_words());
    }
    words_ = std::move(launched.out);
    return launched.sample;
}

Sample Walker::launch_each(const kernel_args::Chase& args, const Sources& sources, const WordAfter& word) {
    const std::uint32_t walkers = sources.groups * args.rounds * lanes_;
    words_.assign(std::size_t{walkers} / lanes_ * block_words(), 0);
    make_room(words_.size());
    for (std::uint32_t walker = 0; walker < walkers; ++walker) words_[place_of(walker)] = word(walker, 0);
    const Copy copy{.from_host = words_.data(), .to = result_.get(), .bytes = words_.size() * 4};
    bench_.device.copy({&copy, 1});
    const Sample sample = launch(args, sources);
    for (std::uint32_t walker = 0; walker < walkers; ++walker)
        check(walker, hops_of(args), link_number(bench_.path, word(walker, hops_of(args))));
    return sample;
}

void Walker::check(std::uint32_t item, std::uint64_t loads, std::uint32_t expected) const {
    if (link(item) != expected)
        throw Error(
            fmt::format("the chase of {} loads ended at the wrong link: work-item {} at {}, the host's walk at {}",
                loads, item, link(item), expected));
}

Slices::Slices(Bench& bench, std::uint64_t slice_bytes)
    : bench_(bench),
      slot_(slot_bytes(bench.info, bench.path)),
      slots_(static_cast<std::uint32_t>(std::max<std::uint64_t>(slice_bytes / slot_, 2))),
      builder_(bench.helper_kernel("chain", chain_defines(bench.path))) {}

void Slices::build(std::uint32_t count) {
    memory_.reset();
    memory_ = bench_.allocate(std::uint64_t{count} * words() * 4, std::uint64_t{count} * words() * 4);
    chains_.clear();
    first_load_.clear();
    for (std::uint32_t slice = 0; slice < count; ++slice) {
        const std::uint32_t first = slice * words();
        chains_.emplace_back(
            ChainShape{
                .slots = slots_, .shift = static_cast<std::uint32_t>(std::countr_zero(slot_ / 4)), .first = first},
            bench_.next_seed());
        bench_.run_helper(*builder_, *memory_, slots_, chains_.back().kernel_args());
        std::uint64_t load = 0;
        while (chains_.back().walk(load) != first) ++load;
        first_load_.push_back(load);
    }
}

CoreWalks::CoreWalks(Bench& bench, const KernelChoice& choice, std::uint32_t groups_per_core)
    : bench_(bench),
      lanes_(choice.group_size),
      by_core_(!bench.info.core_name.empty()),
      walker_(bench, bench.kernel(choice), lanes_),
      groups_(bench.info.cores * groups_per_core) {}

Sample CoreWalks::timed(
    const kernel_args::Chase& args, const Buffer* memory, std::uint32_t walkers, const WordAfter& word) {
    for (;; groups_ *= 2) {
        Sample sample = walker_.launch(args, {.a = memory, .groups = groups_});
        std::vector<bool> met(walkers, false);
        for (std::uint32_t group = 0; group < groups_; ++group) {
            if (walker_.link(group * lanes_) == kNone) continue;
            const std::uint32_t walker = !by_core_ ? group : walker_.seen(group * lanes_) == args.core ? 0 : 1;
            const std::uint32_t expected = link_number(bench_.path, word(walker, hops_of(args)));
            for (std::uint32_t lane = 0; lane < lanes_; ++lane)
                walker_.check(group * lanes_ + lane, hops_of(args), expected);
            met[walker] = true;
            // One workgroup of a core may find what another has just brought: the slowest counts.
            if (const auto own = walker == 0 ? walker_.cycles(group) : std::nullopt)
                sample.cycles = std::max(sample.cycles.value_or(0), *own);
        }
        if (std::count(met.begin(), met.end(), true) == walkers) {
            bench_.checked(kLinksChecked);
            return sample;
        }
        if (!by_core_ || groups_ * 2 > bench_.info.cores * kMostGroupsPerCore)
            throw Error(fmt::format("none of {} workgroups met core {}{}", groups_, args.core,
                args.other == kNone ? "" : fmt::format(" or {}", args.other)));
    }
}

std::vector<std::uint64_t> numbers_of_subgroups(const DeviceInfo& info, std::uint64_t most, bool every_one) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t number = 1;
         number <= std::min<std::uint64_t>(most, std::min(kMostSubgroups, info.largest_group / info.subgroup));
         number = every_one ? number + 1 : number * 2)
        numbers.push_back(number);
    return numbers;
}

std::vector<KernelChoice> subgroup_kernels(
    const DeviceInfo& info, const KernelChoice& choice, const std::vector<std::uint64_t>& numbers) {
    std::vector<KernelChoice> kernels(numbers.size(), choice);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        kernels[i].group_size = static_cast<std::uint32_t>(numbers[i]) * info.subgroup;
    return kernels;
}

void sweep_subgroups(Bench& bench, KernelChoice choice, const std::vector<std::uint64_t>& numbers,
    const std::function<SubgroupWalks(std::uint32_t subgroups)>& prepare) {
    const std::uint32_t lanes = bench.info.subgroup;
    const bool own_clocks =
        !bench.info.clock.empty() && std::ranges::find(choice.defines, "OWN_CLOCKS",
                                         &std::pair<std::string, std::string>::first) != choice.defines.end();
    std::map<std::uint64_t, Walker>
        walkers; // their kernels differ in nothing but the workgroup's size: the first one is the evidence
    SubgroupWalks walks;
    const auto prepare_point = [&](std::uint64_t subgroups, const std::string&) {
        walks = prepare(static_cast<std::uint32_t>(subgroups));
        choice.group_size = static_cast<std::uint32_t>(subgroups) * lanes;
        if (!walkers.count(subgroups))
            walkers.try_emplace(
                subgroups, bench, walkers.empty() ? bench.kernel(choice) : bench.compile(choice), choice.group_size);
        return Work{.granule = 64, .most = walks.most_steps};
    };
    const auto dispatch = [&](std::uint64_t subgroups, std::uint32_t steps) {
        walks.args.steps = steps;
        Walker& walker = walkers.at(subgroups);
        Sample sample = walker.launch_each(walks.args, walks.sources, walks.word);
        bench.checked(kLinksChecked);
        sample.cycles = walker.cycles(0);
        if (own_clocks) note_clocks(bench.evidence, walker, static_cast<std::uint32_t>(subgroups), lanes, steps);
        return sample;
    };
    bench.measure({.prepare = prepare_point, .dispatch = dispatch}, numbers);
}

} // namespace sonde
