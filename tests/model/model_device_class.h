// The modelled card as a device: its answers are the host's kernels', its times those of simulated caches. Each kernel
// that is simulated is a member function: of chains in model_walks.cpp, between cores in model_cores.cpp, of arithmetic
// in model_arithmetic.cpp, of many bytes in model_traffic.cpp.
#pragma once
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_args.h"
#include "tests/model/model_buffer.h"
#include "tests/model/model_hierarchy.h"

namespace sonde {

inline constexpr std::uint32_t kLanes = 32;
inline constexpr double kDispatchNs = 2000; // of a dispatch that is timed by itself

class ModelDevice final : public Device {
public:
    ModelDevice(const CardModel& card, std::uint64_t seed, const std::string& id);
    const DeviceInfo& info() const override { return info_; }
    const ModelCounts& counts() const { return memory_.counts; }

    std::optional<std::string> why_not(const Path& path) const override;
    std::optional<std::string> why_lacking(Feature, bool) const override { return std::nullopt; }

    std::optional<std::uint64_t> memory_free() const override {
        return card_.tells_free ? std::optional(memory_.free()) : std::nullopt;
    }
    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override;
    std::unique_ptr<Buffer> allocate_on(const Peer& peer, Space space, std::size_t bytes) override;
    Device* sibling(const Peer& peer) override {
        const auto found = siblings_.find(peer.device);
        return found == siblings_.end() ? nullptr : found->second;
    }
    void know(Device& sibling) { siblings_[sibling.info().id] = &sibling; }
    std::vector<Timing> copy(std::span<const Copy> copies) override;
    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override;
    LibraryKernel library_kernel(const LibraryWork& work) override;
    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override;
    double now() const override { return seconds_; }

private:
    std::vector<Timing> passed(std::vector<Timing> timings);
    double copy_ns_of(const Copy& copy) const;
    /// The queues' copies at the same time, as far as the bus goes both ways at once; each costs its share and what a
    /// copy costs at the least.
    std::vector<Timing> over_the_bus(std::span<const Copy> copies);
    /// One behind the other, each with what a launch costs.
    std::vector<Timing> as_a_whole(const std::vector<Timing>& timings);

    /// Between two cards, by their numbers; within one what its memory copies.
    double link_bytes_per_ns(int first, int second) const;

    std::map<std::string, Device*> siblings_{};
    using Run = Timing (ModelDevice::*)(const ModelKernel&, const Launch&);
    struct Simulated {
        std::string_view kernel;
        Run run;
    };
    static const Simulated kSimulated[20];

    const PathModel* model_of(const Path& path) const {
        const auto found = std::find_if(
            card_.paths.begin(), card_.paths.end(), [&](const PathModel& each) { return each.name == path.name; });
        return found == card_.paths.end() ? nullptr : &*found;
    }

    double awake() const { return sunk_ || (card_.sinks_when_freed && memory_.freed) ? 0.5 : 1; }
    double clock_mhz() const {
        return awake() * card_.clock_mhz * (1 + card_.drift * std::sin(static_cast<double>(dispatches_) / 300));
    }

    Timing timing(double ns);
    /// What a load costs, and what it leaves in the caches.
    double load(const PathModel& path, std::uint64_t address, std::uint32_t subgroup = 0) {
        double cycles = path.arithmetic;
        for (SimulatedTlb& tlb : tlbs_) {
            if (tlb.access(address)) break;
            cycles += tlb.model().cycles;
        }
        for (const std::size_t index : path.caches)
            if (SimulatedCache& cache = caches_[index][subgroup % caches_[index].size()]; cache.access(address))
                return cycles + cache.model().cycles;
        return cycles + (path.behind_cycles > 0 ? path.behind_cycles : card_.memory_cycles);
    }

    /// Of a load that is simulated soon.
    void expect(const PathModel& path, const ModelBuffer& memory, std::uint32_t word) const {
        __builtin_prefetch(&memory.words[word]);
        for (const std::size_t index : path.caches) caches_[index][0].expect(memory.where() + std::uint64_t{word} * 4);
    }

    /// The word that the link at a word leads to. Where links are addresses, the host's builder stored those of the
    /// memory that it wrote to.
    static std::uint32_t next_of(const Path& path, const ModelBuffer& memory, std::uint32_t word) {
        if (path.link_words != 2) return memory.words[word] * (path.link_words == 4 ? 4 : 1);
        const std::uint64_t address = memory.words[word] | std::uint64_t{memory.words[word + 1]} << 32;
        return static_cast<std::uint32_t>((address - reinterpret_cast<std::uintptr_t>(memory.words.data())) / 4);
    }

    template <class Args> static Args args_of(const Launch& launch) {
        Args args;
        std::memcpy(static_cast<void*>(&args), launch.args.data(), sizeof args);
        return args;
    }

    /// Where a walk stands: in which memory, and at which word of it.
    struct Place {
        const ModelBuffer* memory;
        std::uint32_t word;
    };
    /// The same across allocations, as addresses lead.
    Place followed(const Path& path, const Place& place) const {
        if (path.link_words != 2) return {place.memory, next_of(path, *place.memory, place.word)};
        const std::uint64_t address =
            place.memory->words[place.word] | std::uint64_t{place.memory->words[place.word + 1]} << 32;
        const auto behind = addresses_->upper_bound(address);
        if (behind == addresses_->begin()) throw Error("a kernel left the modelled memory");
        const ModelBuffer* memory = std::prev(behind)->second;
        return {memory, static_cast<std::uint32_t>((address - memory->begin()) / 4)};
    }

    void hold(std::uint32_t bytes);
    /// Workgroups meet the cores in turn, and all walkers go a load at a time: one alone through the whole hierarchy,
    /// several through L1s of their own or of neighbours.
    Timing walk_by_group(const ModelKernel& kernel, const Launch& launch);
    static std::uint32_t link_of(const Path& path, std::uint32_t word) {
        return path.link_words == 4 ? word / 4 : word;
    }

    void store_clock(const Launch& launch, std::size_t word, double cycles) const;
    /// What kernels/chase.h leaves of a workgroup.
    void leave(const ModelKernel& kernel, const Launch& launch, std::size_t block, double begin, double end,
        std::uint32_t link, std::uint32_t seen) const;
    /// OWN_STARTS: all subgroups a load at a time; a subgroup's load keeps the way to memory busy for each line that
    /// its lanes want, or for each word of one bank.
    Timing walk_each(const ModelKernel& kernel, const Launch& launch);
    /// The same where all work-items stand far from each other, round by round.
    Timing walk_pieces(const ModelKernel& kernel, const Launch& launch);
    /// SECOND_SOURCE: the first lane's sum is enough, for all see alike.
    Timing walk_and_touch(const ModelKernel& kernel, const Launch& launch);
    /// The first side, while the processor really is the second.
    Timing exchange_with_processor(const Launch& launch);
    /// kernels/core_to_core.h: workgroups meet the cores in turn; with more than two of them the sides are told apart
    /// by their cores.
    Timing exchange(const ModelKernel& kernel, const Launch& launch);
    /// kernels/line_times.h: every other line lives in the part of the cache that the second half of the cores is near
    /// to, each in a slice of its own.
    Timing line_times(const ModelKernel& kernel, const Launch& launch);
    /// kernels/load_times.h: between two reads of the clock pass 7 cycles.
    Timing load_times(const ModelKernel& kernel, const Launch& launch);
    Timing cores(const ModelKernel&, const Launch& launch);
    /// So many operations on one cell.
    static void operate(const ModelKernel& kernel, std::uint32_t* cell, std::uint32_t each);
    /// kernels/atomics.h: one addition a clock where all go to one address, so many a clock and core as the card can
    /// where each has its own.
    Timing add(const ModelKernel& kernel, const Launch& launch);
    Timing chase(const ModelKernel& kernel, const Launch& launch);
    Timing walk_one_chain(const ModelKernel& kernel, const Launch& launch);
    /// kernels/bandwidth_latency.h: a tile takes so long, and a load twice as long where nobody waits between tiles.
    Timing contest(const ModelKernel& kernel, const Launch& launch);
    /// The host's answer; the time is that of the bytes that such a kernel moves at most.
    Timing computed(const ModelKernel& kernel, const Launch& launch);
    /// Its sums are nobody's: only the clock that it leaves is read.
    Timing spin(const ModelKernel&, const Launch& launch);
    /// Workgroups that wait for memory: as many at a time as the core has registers, and takes subgroups and
    /// workgroups.
    Timing hold_registers(const ModelKernel& kernel, const Launch& launch);
    /// Of an instruction in a loop of so many.
    double fetch_cycles(double instructions) const;
    /// Chains of an operation: each step waits for the one before, and a core takes so many of all its subgroups a
    /// cycle. Lanes that nobody follows hold nothing.
    Timing arithmetic(const ModelKernel& kernel, const Launch& launch);
    /// Chains of matrix multiply-adds, two of them a step.
    Timing matrix(const ModelKernel& kernel, const Launch& launch);
    /// Numbers of a factor.
    static std::vector<float> numbers_of(const ModelBuffer& factor, const NumberFormat& format, std::size_t count);
    /// Rows of one factor times those of the other, whose products with it follow each other; computed once for a
    /// kernel and factors.
    Timing multiply(const ModelKernel& kernel, const Launch& launch, const Buffer& lines, const Buffer& across,
        const NumberFormat& format, std::size_t rows, double per_cycle);
    Timing multiply_by_library(const ModelKernel& kernel, const Launch& launch) {
        return multiply(kernel, launch, *launch.b, *launch.a, *kernel.format, kernel.number("ROWS"),
            card_.library_operations_per_cycle);
    }
    /// All that the buffer holds.
    Timing transform_by_library(const ModelKernel& kernel, const Launch& launch);
    Timing multiply_by_units(const ModelKernel& kernel, const Launch& launch);
    /// Counts launches of traffic, and loses the device where the card says so.
    std::uint32_t garbled();
    Timing traffic(std::uint32_t groups, double bytes, double faster = 1);
    /// kernels/read.h, load by load.
    Timing read(const ModelKernel& kernel, const Launch& launch);
    /// kernels/pattern.h, load by load.
    Timing pattern(const ModelKernel& kernel, const Launch& launch);
    /// kernels/mix_paths.h, load by load; no workgroup differs from another.
    Timing mix(const ModelKernel& kernel, const Launch& launch);
    /// The same with BabelStream's operations, element by element.
    template <class Number> Timing stream(const ModelKernel& kernel, const Launch& launch);
    /// kernels/write.h, store by store.
    Timing write(const ModelKernel& kernel, const Launch& launch);
    Timing written(const ModelKernel& kernel, const Launch& launch, double bytes);
    /// Nanoseconds to move `bytes` that are spread evenly over a buffer, by segments of the memory: what each of them
    /// has to do.
    std::vector<double> segment_ns(const ModelBuffer& buffer, double bytes) const;
    /// Sum of e + salt over the first `words` words.
    static std::uint32_t sum_of(std::uint64_t words, std::uint32_t salt);
    /// kernels/two_buffers.h without touching the memory, which it leaves in a form that is known: word e is e + salt.
    Timing pair(const ModelKernel& kernel, const Launch& launch);
    /// kernels/sum.h over what `pair` wrote.
    Timing sum_of_pair(const ModelKernel& kernel, const Launch& launch);
    /// kernels/banks.h: lanes that ask a bank for different words take turns.
    Timing banks(const ModelKernel& kernel, const Launch& launch);

    CardModel card_;
    ModelMemory memory_;
    DeviceInfo info_;
    ModelRandom random_;
    double seconds_ = 0;                              // that all calls took
    std::vector<std::vector<SimulatedCache>> caches_; // and their copies
    std::vector<SimulatedTlb> tlbs_;
    std::uint32_t held_ = 0;
    std::shared_ptr<Addresses> addresses_ = std::make_shared<Addresses>();
    bool sunk_ = false;
    std::uint64_t next_place_ = 1ull << 32, dispatches_ = 0, launches_ = 0, traffic_ = 0, allocations_ = 0,
                  longest_memory_ = 0;
};

} // namespace sonde
