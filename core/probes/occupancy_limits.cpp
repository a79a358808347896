// occupancy-registers and occupancy-subgroups: time of many workgroups that wait for memory, by the registers of a
// work-item and by the subgroups of a workgroup.
#include "core/measure/arithmetic.h"
#include "core/probes/resident.h"

namespace sonde {

namespace {
constexpr std::uint32_t kSubgroupsOfLaunch =
    384; // of a core in a launch: whatever the workgroups, rounds of them differ by a sixth or more
constexpr std::uint32_t kMostRounds = 1u << 12, kLoadsOfRound = 64; // of kernels/held_registers.h
constexpr std::uint64_t kFewValues = 16;
constexpr std::uint32_t kSubgroupsOfHolder = 2; // or the number of workgroups limits them before registers do
constexpr std::uint64_t kHeldValues[] = {
    16, 32, 48, 64, 96, 128, 160, 192, 224}; // its VALUES: beyond, compilers keep them in memory
constexpr const char* kRegisterFacts[] = {
    "registers", "Register Count", "VGPRs"}; // of a work-item, as drivers call them

KernelChoice holding_kernel(const DeviceInfo& info, std::uint64_t values, std::uint32_t subgroups) {
    return {.name = "held_registers",
        .group_size = std::max(1u, info.subgroup) * subgroups,
        .defines = {{"VALUES", std::to_string(values)}},
        .chases = true};
}

/// Workgroups that walk the chain while they hold values, which the host follows.
class Holders {
public:
    Holders(Bench& bench, const KernelChoice& choice, std::uint64_t values)
        : bench_(bench),
          choice_(choice),
          kernel_(bench.compile(choice)),
          model_(operation_, operation_.model, numbered_lanes(), static_cast<std::uint32_t>(values)) {}
    const Kernel& kernel() const { return *kernel_; }
    /// Steps are rounds of all workgroups of a core.
    Sample timed(const WalkedChain& chain, Buffer& result, std::uint32_t of_core, std::uint32_t rounds) {
        const kernel_args::HeldRegisters args{.rounds = rounds,
            .slots = WalkedChain::kSlots,
            .shift = WalkedChain::kShift,
            .seed = first_seed(operation_.number),
            .spacing = seed_spacing(operation_.number),
            .c = static_cast<std::uint32_t>(operation_.c)};
        const std::uint32_t groups = of_core * bench_.info.cores;
        const auto [sample, out] = bench_.launch(*kernel_, args, {.a = &chain.links(), .out = result, .groups = groups},
            static_cast<double>(rounds) * of_core, 2 * std::size_t{groups} * choice_.group_size);
        const std::vector<std::uint32_t> words = model_.words_after(rounds);
        for (std::uint32_t group = 0; group < groups;
             ++group) { // millions of work-items: divisions for each would take longer than the dispatch
            const std::uint32_t end = chain.end_of(group, std::uint64_t{rounds} * kLoadsOfRound);
            for (std::uint32_t lane = 0, of_words = 0; lane < choice_.group_size;
                 ++lane, of_words = of_words + 1 == words.size() ? 0 : of_words + 1) {
                const std::size_t item = std::size_t{group} * choice_.group_size + lane;
                if (out[2 * item] != end || out[2 * item + 1] != words[of_words])
                    throw Error(fmt::format("work-item {} ended at {} with {:#010x}, the host at {} with {:#010x}",
                        item, out[2 * item], out[2 * item + 1], end, words[of_words]));
            }
        }
        bench_.checked("every work-item's last link and values of every dispatch against the host's");
        return sample;
    }

private:
    static std::vector<std::uint32_t> numbered_lanes() {
        std::vector<std::uint32_t> lanes(32); // SEEDS of the kernel
        for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] = lane;
        return lanes;
    }

    Bench& bench_;
    const KernelChoice choice_;
    const std::shared_ptr<Kernel> kernel_;
    const Operation& operation_ = *find_operation("mad.u32");
    ChainModel model_;
};

/// What a workgroup holds at x.
struct Holding {
    std::uint64_t values;
    std::uint32_t subgroups;
};

void note_driver(Evidence& evidence, double x, const Kernel& kernel) {
    if (const auto resident = kernel.resident_groups(0)) evidence.resident_by_driver[x] = *resident;
    for (const Fact& fact : kernel.facts())
        if (std::ranges::find(kRegisterFacts, fact.name) != std::end(kRegisterFacts))
            evidence.registers_by_driver[x] = std::atof(fact.value.c_str());
}

Holding holding_values(std::uint64_t x) { return {x, kSubgroupsOfHolder}; }
Holding holding_subgroups(std::uint64_t x) { return {kFewValues, static_cast<std::uint32_t>(x)}; }

std::vector<std::uint64_t> numbers_of_values(const Profile& profile) {
    if (profile.blocks == 1) return {kFewValues, 64, 128, 224}; // each is a kernel of its own
    return {std::begin(kHeldValues), std::end(kHeldValues)};
}
std::vector<std::uint64_t> sizes_in_subgroups(const DeviceInfo& info) {
    std::vector<std::uint64_t> subgroups;
    for (std::uint64_t each = 1; each * std::max(1u, info.subgroup) <= info.largest_group; each *= 2)
        subgroups.push_back(each);
    return subgroups;
}
std::vector<KernelChoice> holding_kernels(
    const DeviceInfo& info, const std::vector<std::uint64_t>& xs, Holding (*holding)(std::uint64_t x)) {
    std::vector<KernelChoice> kernels;
    kernels.reserve(xs.size());
    for (const std::uint64_t x : xs) kernels.push_back(holding_kernel(info, holding(x).values, holding(x).subgroups));
    return kernels;
}

void measure_holders(Bench& bench, const std::vector<std::uint64_t>& xs, Holding (*holding)(std::uint64_t x)) {
    if (bench.info.cpu) throw Unsupported("a processor runs its workgroups one after another");
    bench.wake_clocks();
    bench.kernel(holding_kernel(bench.info, kFewValues, kSubgroupsOfHolder)); // whose listing is shown, of all of them
    const WalkedChain chain(bench);
    const auto result =
        bench.allocate_result(2 * std::size_t{kSubgroupsOfLaunch} * bench.info.cores * bench.info.subgroup);
    bench.evidence.groups_per_core = kSubgroupsOfLaunch;
    bench.evidence.group_size = bench.info.subgroup;
    std::optional<Holders> holders;
    const auto prepare = [&](std::uint64_t x, const std::string&) {
        const Holding held = holding(x);
        holders.emplace(bench, holding_kernel(bench.info, held.values, held.subgroups), held.values);
        const auto at = static_cast<double>(x);
        bench.evidence.alone_by_x_ns[at] = bench.rough_slope(
            1, kMostRounds, [&](std::uint32_t rounds) { return holders->timed(chain, *result, 1, rounds); }, 5);
        note_driver(bench.evidence, at, holders->kernel());
        return Work{.most = kMostRounds};
    };
    bench.measure({.prepare = prepare,
                      .dispatch =
                          [&](std::uint64_t x, std::uint32_t rounds) {
                              return holders->timed(chain, *result, kSubgroupsOfLaunch / holding(x).subgroups, rounds);
                          }},
        xs);
}

void measure_registers(Bench& bench) { measure_holders(bench, numbers_of_values(bench.profile), holding_values); }
void measure_subgroups(Bench& bench) { measure_holders(bench, sizes_in_subgroups(bench.info), holding_subgroups); }

std::string plain_number(double x) { return fmt::format("{:g}", x); }
std::vector<Finding> registers_findings(const Series& series, const DeviceInfo& device) {
    return resident_findings(series, device,
        {.by = "values that a work-item keeps in registers", .text = plain_number, .subgroups = [](double) {
             return double{kSubgroupsOfHolder};
         }});
}
std::vector<Finding> subgroups_findings(const Series& series, const DeviceInfo& device) {
    return resident_findings(series, device,
        {.by = "subgroups of each", .text = plain_number, .subgroups = [](double x) { return std::max(1.0, x); }});
}
KernelChoice registers_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return holding_kernel(info, kFewValues, kSubgroupsOfHolder);
}
std::vector<KernelChoice> kernels_by_registers(
    const DeviceInfo& info, const Path&, const Options&, const Profile& profile) {
    return holding_kernels(info, numbers_of_values(profile), holding_values);
}
std::vector<KernelChoice> kernels_by_subgroups(const DeviceInfo& info, const Path&, const Options&, const Profile&) {
    return holding_kernels(info, sizes_in_subgroups(info), holding_subgroups);
}
} // namespace

const Probe kOccupancyRegisters{
    .name = "occupancy-registers",
    .question = "Resident workgroups per core by registers of a work-item?",
    .explanation =
        "Many workgroups of two subgroups wait for memory while each work-item keeps 16 to 224 values in registers. "
        "The time of all of them, beside that of one per core, gives the number resident per core.",
    .picture = "Flat as long as the registers suffice, then steps: fewer workgroups are resident and the time rises.",
    .x = {"values held"},
    .run_noise = run_noise::alike,
    .paths = {"global"},
    .quick = {.seconds = 0.34},
    .run = measure_registers,
    .findings = registers_findings,
    .kernel = registers_kernel,
    .further_kernels = kernels_by_registers,
};

const Probe kOccupancySubgroups{
    .name = "occupancy-subgroups",
    .question = "Resident workgroups per core by subgroups of a workgroup?",
    .explanation = "Many workgroups of 1 to 32 subgroups wait for memory, together as many subgroups at each size. The "
                   "time of all of them, beside that of one per core, gives the number resident per core.",
    .picture = "A fall with the size of the workgroup where the number of workgroups is limited, then flat where that "
               "of subgroups is.",
    .x = {"subgroups per workgroup"},
    .run_noise = run_noise::alike,
    .paths = {"global"},
    .quick = {.seconds = 0.47},
    .run = measure_subgroups,
    .findings = subgroups_findings,
    .kernel = registers_kernel,
    .further_kernels = kernels_by_subgroups,
};

} // namespace sonde
