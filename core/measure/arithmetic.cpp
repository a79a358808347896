#include "core/measure/arithmetic.h"

#include <bit>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/device/kernel_source.h"

namespace sonde {

namespace {
constexpr std::uint32_t kSeeds = 32, kSeedsApart = 8; // SEEDS, and chains of a lane at most, of kernels/arithmetic.h
constexpr std::uint64_t kMostSteps = 1u << 22;        // of a chain, that the host follows
constexpr std::uint32_t kSubgroupsTogether = 8;       // of a workgroup whose barrier is measured

std::vector<std::uint32_t> numbered(std::uint32_t count) {
    std::vector<std::uint32_t> lanes(count);
    std::iota(lanes.begin(), lanes.end(), 0);
    return lanes;
}

/// Lanes of a workgroup that the host follows.
std::vector<std::uint32_t> lanes_followed(
    const Operation& operation, std::uint32_t group_size, std::uint32_t subgroup) {
    if (operation.lanes == Operation::Lanes::subgroup)
        return numbered(std::min(group_size, std::max(1u, subgroup))); // the workgroup's first
    if (operation.lanes == Operation::Lanes::two && group_size > 1) return {0, 1};
    return group_size > 1 ? std::vector{0u, std::min(group_size, kSeeds) - 1} : std::vector{0u};
}

const Path* table_path(const Operation& operation) {
    return operation.table.empty() ? nullptr : find_path(operation.table);
}
} // namespace

ChainModel::ChainModel(
    const Operation& operation, Operation::Model model, std::vector<std::uint32_t> lanes, std::uint32_t chains)
    : operation_(operation), model_(model), chains_(chains), lanes_(std::move(lanes)) {
    std::vector<ChainState>& begin = known_[0];
    begin.reserve(chains_ * lanes_.size());
    for (std::uint32_t chain = 0; chain < chains_; ++chain)
        for (const std::uint32_t lane : lanes_) {
            const std::uint32_t seed =
                first_seed(operation.number) + (lane % kSeeds * kSeedsApart + chain) * seed_spacing(operation.number);
            begin.push_back({seeded(operation.number, seed), operation.c});
        }
}

std::vector<std::uint32_t> ChainModel::words_after(std::uint64_t steps) {
    const auto before = std::prev(known_.upper_bound(steps));
    std::vector<ChainState> states = before->second;
    if (before->first < steps) {
        for (std::uint32_t chain = 0; chain < chains_; ++chain) {
            const std::span lanes = std::span(states).subspan(chain * lanes_.size(), lanes_.size());
            model_(lanes, operation_.c, operation_.d, steps - before->first);
        }
        known_[steps] = states;
    }
    std::vector<std::uint32_t> words;
    words.reserve(lanes_.size());
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        std::vector<ChainState> of_lane;
        for (std::uint32_t chain = 0; chain < chains_; ++chain) of_lane.push_back(states[chain * lanes_.size() + lane]);
        words.push_back(folded(operation_, of_lane));
    }
    return words;
}

KernelChoice arithmetic_kernel(
    const DeviceInfo& info, const Operation& operation, std::uint32_t chains, std::uint32_t repeat) {
    const std::uint32_t subgroups = operation.lanes == Operation::Lanes::workgroup ? kSubgroupsTogether : 1;
    KernelChoice choice{.name = "arithmetic",
        .group_size = std::min(info.largest_group, std::max(1u, info.subgroup) * subgroups),
        .defines = {{"CHAINS", std::to_string(chains)}, {"OPERATION", operation_form(operation)}},
        .b = table_path(operation),
        .needs = operation.needs,
        .repeat = repeat,
        .operation = &operation,
        .chains = chains};
    choice.needs.push_back(Feature::repeated_text);
    return choice;
}

KernelChoice arithmetic_kernel(const DeviceInfo& info, const Operation& first, const Operation& second,
    std::uint32_t second_chains, std::uint32_t repeat) {
    KernelChoice choice = arithmetic_kernel(info, first, kChainsOfTwo - second_chains, repeat);
    choice.defines.emplace_back("SECOND_OPERATION", operation_form(second));
    if (const Path* table = table_path(second)) choice.b = table;
    choice.needs.insert(choice.needs.end(), second.needs.begin(), second.needs.end());
    choice.second = &second, choice.second_chains = second_chains;
    return choice;
}

KernelChoice alternating_kernel(
    const DeviceInfo& info, const Operation& first, const Operation& second, std::uint32_t repeat) {
    KernelChoice choice = arithmetic_kernel(info, first, second, kChainsOfTwo - 1, repeat);
    choice.defines.emplace_back("DEPENDENT", "1");
    choice.second_chains = 1;
    return choice;
}

FollowedChains::FollowedChains(
    const Operation& operation, std::uint32_t group_size, std::uint32_t subgroup, std::uint32_t chains)
    : operation_(operation),
      lanes_(lanes_followed(operation_, group_size, subgroup)),
      model_(operation_, operation_.model, lanes_, chains) {
    if (operation_.exactness == Exactness::near) allowed_ = near_ulps(operation_, chains);
    if (operation_.model_otherwise) otherwise_.emplace(operation_, operation_.model_otherwise, lanes_, chains);
}

void FollowedChains::check(std::span<const std::uint32_t> words, std::uint64_t steps) {
    double farthest = 0;
    const auto agrees = [&](std::uint32_t found, std::uint32_t expected) {
        if (!allowed_) return found == expected;
        farthest = std::max(farthest, ulps_apart(operation_, found, expected));
        return farthest <= *allowed_;
    };
    const auto fits = [&](ChainModel& model) {
        const std::vector<std::uint32_t> expected = model.words_after(steps);
        for (std::size_t i = 0; i < lanes_.size(); ++i)
            if (!agrees(words[lanes_[i]], expected[i])) return false;
        return true;
    };
    const auto& [first, other] = operation_.roundings;
    const bool as_first = rounding_ != other && fits(model_), as_other = !as_first && otherwise_ && fits(*otherwise_);
    if (!as_first && !as_other)
        throw Error(fmt::format("after {} steps of {} work-item {} holds {:#010x}, the host {:#010x}", steps,
            operation_.name, lanes_[0], words[lanes_[0]], model_.words_after(steps)[0]));
    if (otherwise_) rounding_ = as_first ? first : other;
    farthest_ulps_ = std::max(farthest_ulps_, farthest);
}

namespace {
std::shared_ptr<Kernel> compiled(Bench& bench, const KernelChoice& choice, Arithmetic::Module module) {
    for (const Operation* operation : {choice.operation, choice.second})
        if (const auto reason = operation ? why_lacking(bench.device, *operation) : std::nullopt)
            throw Unsupported(*reason);
    return module == Arithmetic::Module::shared
               ? bench.kernel(choice)
               : bench.device.compile(kernel_source(choice.name), choice.build(bench.path));
}
} // namespace

Arithmetic::Arithmetic(Bench& bench, const KernelChoice& choice, std::uint32_t groups, Module module)
    : bench_(bench),
      choice_(choice),
      kernel_(compiled(bench, choice, module)),
      result_(bench.allocate_result(group_words() * groups)),
      table_(filled_table()) {
    followed_.emplace_back(*choice_.operation, choice_.group_size, bench.info.subgroup, choice_.chains);
    if (choice_.second)
        followed_.emplace_back(*choice_.second, choice_.group_size, bench.info.subgroup, choice_.second_chains);
}

std::vector<std::uint32_t> table_words() {
    std::vector<std::uint32_t> words;
    words.reserve(std::size_t{kTableRows} * kTableLanes);
    for (std::uint32_t row = 0; row < kTableRows; ++row)
        for (std::uint32_t lane = 0; lane < kTableLanes; ++lane) words.push_back(table_word(row, lane));
    return words;
}

std::unique_ptr<Buffer> Arithmetic::filled_table() const {
    if (!choice_.b) return nullptr;
    const std::vector<std::uint32_t> words = table_words();
    auto table = bench_.device.allocate(Space::global, words.size() * 4);
    bench_.write_words(*table, words);
    return table;
}

std::uint32_t Arithmetic::most_rounds() const {
    const std::uint64_t most = kMostSteps / choice_.repeat;
    return static_cast<std::uint32_t>(
        bench_.info.loop_trips ? std::min<std::uint64_t>(most, bench_.info.loop_trips - 1) : most);
}

kernel_args::Arithmetic arithmetic_args(const KernelChoice& choice, std::uint32_t rounds) {
    const auto low = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); };
    const Operation &first = *choice.operation, &second = choice.second ? *choice.second : first;
    return {.rounds = rounds,
        .seed = first_seed(first.number),
        .spacing = seed_spacing(first.number),
        .c_low = low(first.c),
        .c_high = low(first.c >> 32),
        .d_low = low(first.d),
        .d_high = low(first.d >> 32),
        .second_seed = first_seed(second.number),
        .second_spacing = seed_spacing(second.number),
        .second_c_low = low(second.c),
        .second_c_high = low(second.c >> 32),
        .second_d_low = low(second.d),
        .second_d_high = low(second.d >> 32)};
}

Sample Arithmetic::timed(std::uint32_t groups, std::uint32_t rounds, double work) {
    auto [sample, out] = bench_.launch(*kernel_, arithmetic_args(choice_, rounds),
        {.b = table_.get(),
            .out = *result_,
            .groups = groups,
            .scratchpad_bytes =
                choice_.b && choice_.b->stage == Stage::scratchpad ? static_cast<std::uint32_t>(table_->bytes()) : 0},
        work, group_words() * groups);
    check(out, std::uint64_t{rounds} * choice_.repeat);
    sample.cycles = longest_clock_difference(bench_.info, out, group_words());
    return sample;
}

void Arithmetic::check(std::span<const std::uint32_t> words, std::uint64_t steps) {
    const std::size_t size = group_words();
    for (std::size_t at = size; at < words.size(); ++at)
        if (at % size >= 4 && words[at] != words[at % size])
            throw Error(fmt::format("work-item {} of workgroup {} left {:#010x}, that of the first {:#010x}",
                at % size - 4, at / size, words[at], words[at % size]));
    for (std::size_t n = 0; n < followed_.size(); ++n) {
        followed_[n].check(words.subspan(4 + n * choice_.group_size, choice_.group_size), steps);
        if (!followed_[n].rounding().empty()) bench_.evidence.rounding = followed_[n].rounding();
    }
    std::string within;
    for (const FollowedChains& followed : followed_)
        if (const Operation& operation = followed.operation(); operation.exactness == Exactness::near)
            within = fmt::format(" ({} within {:g} ulp a step), whose sum was {:g} ulp away at the most",
                operation.name, operation.ulps, followed.farthest_ulps());
    bench_.checked(fmt::format(
        "all chains of some lanes against the host's{}, and of all workgroups against each other, in every dispatch",
        within));
}

} // namespace sonde
