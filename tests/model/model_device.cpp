// Runs the host's kernels for their answers and simulated caches for their times.
#include "tests/model/model_device.h"

#include <algorithm>
#include <thread>
#include <chrono>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "backends/host/kernels.h"
#include "core/device/kernel_source.h"
#include "core/measure/arithmetic.h"
#include "core/measure/chain.h"
#include "core/measure/matrix_units.h"
#include "kernel_args.h"
#include "tests/host_fft.h"

namespace sonde {

namespace {

constexpr std::uint32_t kLanes = 32;
constexpr std::uint32_t kAhead = 12; // loads
constexpr double kDispatchNs = 2000; // of a dispatch that is timed by itself
constexpr double kTouchesAtOnce = 500; // loads in flight where all lanes touch memory together

class ModelBuffer;
using Addresses = std::map<std::uintptr_t, const ModelBuffer*>; // of what is allocated, by the address that the host's kernels store

/// Bytes that a step of a workload moves.
const std::map<std::string, double (*)(const Launch&)> kStepBytes{{"lbm", [](const Launch& launch) { return 153.0 * launch.args[2]; }},
                                                                  {"stencil", [](const Launch& launch) { return 8.0 * launch.args[2]; }},
                                                                  {"gather", [](const Launch& launch) { return 8 * 36.5 * launch.args[0]; }},
                                                                  {"histogram", [](const Launch& launch) { return 4.0 * launch.args[0] * launch.groups; }},
                                                                  {"fft", [](const Launch& launch) { return 16.0 * launch.groups * (1u << (launch.args[1] + launch.args[2])); }}};

/// Zeros that take no memory until they are written: a modelled card has more of it than this machine.
class LazyWords {
public:
    explicit LazyWords(std::size_t count) : words_(static_cast<std::uint32_t*>(std::calloc(count, 4)), &std::free) {
        if (!words_) throw DoesNotFit("this machine has no room for the modelled memory");
    }
    std::uint32_t* data() const { return words_.get(); }
    std::uint32_t& operator[](std::size_t i) const { return words_.get()[i]; }

private:
    std::unique_ptr<std::uint32_t, void (*)(void*)> words_;
};

/// Which addresses of the card's memory are taken.
class ModelMemory {
public:
    explicit ModelMemory(std::uint64_t bytes) : bytes_(bytes) {}
    /// The first gap that is wide enough.
    std::uint64_t take(std::uint64_t wanted) {
        std::uint64_t at = 0;
        for (const auto& [begin, size] : taken_) {
            if (begin - at >= wanted) break;
            at = begin + size;
        }
        if (wanted > bytes_ || at > bytes_ - wanted) throw DoesNotFit("more than is left of the modelled memory");
        taken_[at] = wanted;
        counts.allocated += wanted;
        return at;
    }
    void give_back(std::uint64_t at) {
        counts.allocated -= taken_.at(at);
        freed = freed || taken_.at(at) >= kMuch;
        taken_.erase(at);
    }
    ModelCounts counts;
    bool freed = false; // much, since the device was kept busy

private:
    static constexpr std::uint64_t kMuch = 8 << 20;
    std::uint64_t bytes_;
    std::map<std::uint64_t, std::uint64_t> taken_; // begin, bytes
};

class ModelBuffer final : public Buffer {
public:
    ModelBuffer(std::size_t bytes, std::uint64_t where, std::shared_ptr<Addresses> addresses, ModelMemory& memory)
        : words((bytes + 15) / 16 * 4), bytes_(bytes), where_(where), addresses_(std::move(addresses)), memory_(memory), place_(memory.take(bytes)) { (*addresses_)[begin()] = this; }
    ~ModelBuffer() override {
        addresses_->erase(begin());
        memory_.give_back(place_);
    }
    ModelBuffer(const ModelBuffer&) = delete;
    ModelBuffer& operator=(const ModelBuffer&) = delete;
    std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(words.data()); }
    std::size_t bytes() const override { return bytes_; }
    Placement placement() const override { return {true, "modelled memory"}; }
    void* shared_with_host() const override { return of_host ? words.data() : nullptr; }
    char* map() const override { return mapped ? reinterpret_cast<char*>(words.data()) : nullptr; }
    /// Where the simulated caches see it.
    std::uint64_t where() const { return where_; }
    /// Where in the card's memory it begins.
    std::uint64_t place() const { return place_; }
    LazyWords words;
    /// Of memory that the kernel `pair` wrote, which the model does not write word by word: word e is e + salt. `mixed`: in places another.
    std::optional<std::uint32_t> salt;
    bool mixed = false;
    bool of_host = false, mapped = false;

private:
    std::size_t bytes_;
    std::uint64_t where_;
    std::shared_ptr<Addresses> addresses_;
    ModelMemory& memory_;
    std::uint64_t place_;
};

ModelBuffer* as_model(const Buffer* buffer) { return const_cast<ModelBuffer*>(static_cast<const ModelBuffer*>(buffer)); }

class ModelKernel final : public Kernel {
public:
    ModelKernel(std::string kernel_name, const Build& build, HostFunction entry, const NumberFormat* numbers = nullptr)
        : name(std::move(kernel_name)), path(*build.a), path_b(build.b), group_size(build.group_size), repeat(build.repeat), function(entry), format(numbers), defines(build.defines) {}
    /// A define that is a number.
    std::uint32_t number(std::string_view word) const {
        for (const auto& [name_of_it, value] : defines)
            if (name_of_it == word) return static_cast<std::uint32_t>(std::stoul(value));
        throw Error(fmt::format("{} was compiled without {}", name, word));
    }
    std::string text(std::string_view word) const {
        for (const auto& [name_of_it, value] : defines)
            if (name_of_it == word) return value;
        return "";
    }
    bool defined(std::string_view word) const {
        return std::any_of(defines.begin(), defines.end(), [&](const auto& define) { return define.first == word; });
    }
    Listing listing() const override { return {"", "a modelled card has no instructions"}; }
    std::optional<std::uint32_t> resident_clusters(std::uint32_t, std::uint32_t) const override { return clusters; }
    std::optional<std::uint32_t> resident_groups(std::uint32_t) const override { return resident; }
    const std::string name;
    const Path& path;
    const Path* const path_b;
    const std::uint32_t group_size, repeat;
    const HostFunction function; // null: simulated alone
    const NumberFormat* const format; // of a library's product
    mutable std::array<std::uint32_t, 3> multiplied{}; // rows, and a word of each factor, of what was computed last
    std::optional<std::uint32_t> clusters = std::nullopt, resident = std::nullopt;
    const std::vector<std::pair<std::string, std::string>> defines;
};

class ModelDevice final : public Device {
public:
    ModelDevice(const CardModel& card, std::uint64_t seed, const std::string& id) : card_(card), memory_(card.memory_free ? card.memory_free : card.memory_bytes), random_(seed) {
        info_.id = id;
        info_.api = id.substr(0, id.find(':'));
        info_.name = card.name;
        info_.driver = "model";
        info_.memory_bytes = card.memory_bytes;
        info_.largest_buffer = card.largest_buffer ? card.largest_buffer : card.memory_bytes;
        info_.largest_buffer_limit = "the modelled memory";
        info_.cores = card.cores;
        info_.subgroup = kLanes;
        info_.host_link_bytes_per_second = card_.bus_bytes_per_ns * 1e9;
        info_.largest_group = 1024;
        info_.most_groups = card.most_groups;
        info_.scratchpad_bytes = card.scratchpad_bytes;
        for (const CacheModel& cache : card.caches) info_.cache_bytes = std::max(info_.cache_bytes, cache.bytes);
        info_.reach[Space::constant] = {card.constant_bytes, "the modelled constant memory"};
        info_.loop_trips = card.loop_trips;
        info_.clock = "simulated cycles";
        info_.core_cycles = true;
        if (card.tells_core) info_.core_name = "simulated core";
        for (const CacheModel& cache : card.caches) longest_memory_ = std::max(longest_memory_, 2 * cache.bytes / cache.line);
        for (std::size_t i = 0; i < card.caches.size(); ++i) {
            caches_.emplace_back();
            for (std::uint32_t copy = 0; copy < card.caches[i].copies; ++copy) caches_.back().emplace_back(card.caches[i], seed + 1 + i + 100 * copy);
        }
        for (const TlbModel& tlb : card.tlbs) tlbs_.emplace_back(tlb);
    }

    const DeviceInfo& info() const override { return info_; }
    const ModelCounts& counts() const { return memory_.counts; }

    std::optional<std::string> why_not(const Path& path) const override {
        if (path.name == "scratchpad" || model_of(path)) return std::nullopt;
        return "the modelled card has no such path";
    }

    std::optional<std::string> why_lacking(Feature, bool) const override { return std::nullopt; }

    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override {
        if (space == Space::constant && bytes > card_.constant_taken) throw DoesNotFit("the modelled card has no more constant memory");
        if (space == Space::mapped && !card_.maps_memory) throw Unsupported("the modelled card maps no memory");
        if (bytes > info_.largest_buffer) throw DoesNotFit("more than the modelled memory");
        if (++allocations_ == card_.failing_allocation) throw Error("the modelled driver cannot allocate");
        const std::uint64_t where = next_place_;
        next_place_ += (bytes + (4u << 20)) / (2u << 20) * (2u << 20);
        auto buffer = std::make_unique<ModelBuffer>(bytes, where, addresses_, memory_);
        buffer->of_host = space == Space::host || space == Space::shared;
        buffer->mapped = space == Space::mapped;
        return buffer;
    }

    std::vector<Timing> copy(std::span<const Copy> copies) override {
        std::vector<Timing> timings;
        for (const Copy& copy : copies) {
            const char* from = copy.from ? reinterpret_cast<const char*>(as_model(copy.from)->words.data()) + copy.from_offset : static_cast<const char*>(copy.from_host);
            char* to = copy.to ? reinterpret_cast<char*>(as_model(copy.to)->words.data()) + copy.to_offset : static_cast<char*>(copy.to_host);
            std::memcpy(to, from, copy.bytes);
            timings.push_back(timing(static_cast<double>(copy.bytes) / 10));
        }
        return passed(uses_copy_queues(copies) ? over_the_bus(copies) : timings);
    }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        if (source.name == "clock_read" || source.name == "divergence") throw Unsupported("no model of this kernel");
        const bool simulated = std::any_of(std::begin(kSimulated), std::end(kSimulated), [&](const Simulated& row) { return row.kernel == source.name; });
        if (const auto reason = why_not(*build.a); reason && simulated && source.name != "spin") throw Unsupported(*reason); // what prepares runs on `global` everywhere
        if (build.b)
            if (const auto reason = why_not(*build.b)) throw Unsupported(*reason);
        if (simulated) {
            auto kernel = std::make_unique<ModelKernel>(source.name, build, nullptr);
            kernel->clusters = card_.clusters;
            kernel->resident = card_.resident_groups;
            return kernel;
        }
        Build on_host = build;
        on_host.a = find_path(build.a->name == "scratchpad" ? "scratchpad" : "global");
        const std::string name = variant_name(source, on_host);
        for (const HostVariant& variant : host_variants())
            if (variant.name == name) return std::make_unique<ModelKernel>(source.name, build, variant.function);
        throw Error(fmt::format("kernel variant '{}' was not compiled into this program (cmake/kernels.cmake)", name));
    }

    LibraryKernel library_kernel(const LibraryWork& work) override {
        if (card_.library_operations_per_cycle <= 0) throw Unsupported("the modelled card's library is not installed");
        const auto made = [](const char* name, const char* size, std::uint64_t of, const NumberFormat& in) {
            const Build build{.a = find_path("global"), .defines = {{size, std::to_string(of)}}};
            return LibraryKernel{std::make_unique<ModelKernel>(name, build, nullptr, &in), "modelled library", "1.2.3", "libmodelled.so", "7"};
        };
        if (const auto* product = std::get_if<ProductShape>(&work)) return made("library_product", "ROWS", product->rows, product->in);
        return made("library_transform", "POINTS", std::get<TransformShape>(work).points, kF32);
    }

    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        std::vector<Timing> timings;
        for (const Launch& launch : launches) {
            if (launch.carveout || launch.bank_bytes) throw Unsupported("a modelled first level cannot be split");
            if (card_.scratchpad_taken && launch.scratchpad_bytes > card_.scratchpad_taken) throw DoesNotFit("the modelled card takes less than it says");
            if (!card_.scratchpad_taken && launch.scratchpad_bytes > card_.scratchpad_bytes) throw DoesNotFit("more than the modelled scratchpad");
            if (card_.scratchpad_from_first && launch.scratchpad_bytes != held_) hold(launch.scratchpad_bytes);
            for (auto& copies : caches_)
                for (SimulatedCache& cache : copies)
                    if (cache.model().dropped) cache.drop();
            const auto& kernel = static_cast<const ModelKernel&>(launch.kernel);
            const auto row = std::find_if(std::begin(kSimulated), std::end(kSimulated), [&](const Simulated& each) { return each.kernel == kernel.name; });
            if (++launches_ == card_.sinks_after) sunk_ = true;
            if (kernel.name == "spin" && launch.groups > 1) sunk_ = memory_.freed = false;
            timings.push_back(row == std::end(kSimulated) ? computed(kernel, launch) : (this->*row->run)(kernel, launch));
        }
        return passed(timed == Timed::each ? timings : as_a_whole(timings));
    }

    double now() const override { return seconds_; }

private:
    std::vector<Timing> passed(std::vector<Timing> timings) {
        double ns = card_.host_ns;
        for (const Timing& timing : timings) ns += timing.host_ns;
        seconds_ += ns * 1e-9;
        return timings;
    }

    double copy_ns_of(const Copy& copy) const {
        const auto in_card = [](const Buffer* buffer) { return buffer && !as_model(buffer)->of_host; };
        if (in_card(copy.from) && in_card(copy.to)) return static_cast<double>(copy.bytes) / card_.bandwidth * 1e9;
        const std::uint64_t address = copy.from_host || copy.to_host ? reinterpret_cast<std::uintptr_t>(copy.from_host ? copy.from_host : copy.to_host) : in_card(copy.from) ? copy.to_offset : copy.from_offset;
        return static_cast<double>(copy.bytes) / card_.bus_bytes_per_ns * (copy.from && copy.to ? 1 : card_.pageable_factor) * (address % 64 ? card_.unaligned_factor : 1);
    }

    /// The queues' copies at the same time, as far as the bus goes both ways at once; each costs its share and what a copy costs at the least.
    std::vector<Timing> over_the_bus(std::span<const Copy> copies) {
        std::array<double, kCopyQueues> busy{};
        for (const Copy& copy : copies) {
            busy[copy.queue] += card_.copy_ns + copy_ns_of(copy);
        }
        const double all = card_.bus_both_ways ? *std::max_element(busy.begin(), busy.end()) : std::accumulate(busy.begin(), busy.end(), 0.0);
        return {copies.size(), Timing{timing(all).host_ns / static_cast<double>(copies.size()), std::nullopt}};
    }

    /// One behind the other, each with what a launch costs.
    std::vector<Timing> as_a_whole(const std::vector<Timing>& timings) {
        double all = card_.round_trip_ns - card_.launch_ns;
        for (const Timing& each : timings) all += card_.launch_ns + *each.device_ns - kDispatchNs;
        return {timings.size(), Timing{all * (1 + card_.noise * random_.normal()) / static_cast<double>(timings.size()), std::nullopt}};
    }

    using Run = Timing (ModelDevice::*)(const ModelKernel&, const Launch&);
    struct Simulated {
        std::string_view kernel;
        Run run;
    };
    static const Simulated kSimulated[20];

    const PathModel* model_of(const Path& path) const {
        const auto found = std::find_if(card_.paths.begin(), card_.paths.end(), [&](const PathModel& each) { return each.name == path.name; });
        return found == card_.paths.end() ? nullptr : &*found;
    }

    double awake() const { return sunk_ || (card_.sinks_when_freed && memory_.freed) ? 0.5 : 1; }
    double clock_mhz() const { return awake() * card_.clock_mhz * (1 + card_.drift * std::sin(static_cast<double>(dispatches_) / 300)); }

    Timing timing(double ns) {
        ++dispatches_;
        const double measured = (ns + kDispatchNs) * (1 + card_.noise * random_.normal());
        memory_.counts.longest_ns = std::max(memory_.counts.longest_ns, measured);
        return {measured + 3000, measured};
    }

    /// What a load costs, and what it leaves in the caches.
    double load(const PathModel& path, std::uint64_t address, std::uint32_t subgroup = 0) {
        double cycles = path.arithmetic;
        for (SimulatedTlb& tlb : tlbs_) {
            if (tlb.access(address)) break;
            cycles += tlb.model().cycles;
        }
        for (const std::size_t index : path.caches)
            if (SimulatedCache& cache = caches_[index][subgroup % caches_[index].size()]; cache.access(address)) return cycles + cache.model().cycles;
        return cycles + card_.memory_cycles;
    }

    /// Of a load that is simulated soon.
    void expect(const PathModel& path, const ModelBuffer& memory, std::uint32_t word) const {
        __builtin_prefetch(&memory.words[word]);
        for (const std::size_t index : path.caches) caches_[index][0].expect(memory.where() + std::uint64_t{word} * 4);
    }

    /// The word that the link at a word leads to. Where links are addresses, the host's builder stored those of the memory that it wrote to.
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
        const std::uint64_t address = place.memory->words[place.word] | std::uint64_t{place.memory->words[place.word + 1]} << 32;
        const ModelBuffer* memory = std::prev(addresses_->upper_bound(address))->second;
        return {memory, static_cast<std::uint32_t>((address - memory->begin()) / 4)};
    }

    void hold(std::uint32_t bytes) {
        held_ = bytes;
        CacheModel first = card_.caches[0];
        first.bytes -= bytes;
        caches_[0] = {SimulatedCache(first, bytes)};
    }

    /// Workgroups meet the cores in turn, and all walkers go a load at a time: one alone through the whole hierarchy, several through L1s of
    /// their own or of neighbours.
    Timing walk_by_group(const ModelKernel& kernel, const Launch& launch) {
        const auto args = args_of<kernel_args::Chase>(launch);
        const ModelBuffer& memory = *as_model(launch.a);
        const PathModel& path = *model_of(kernel.path);
        const CacheModel& first = card_.caches[path.caches[0]];
        std::vector<SimulatedCache> own;
        for (std::uint32_t core = 0; core < card_.cores; core += first.cores) own.emplace_back(first, core);
        const auto cycles_of = [&](std::uint32_t core, std::uint64_t address) {
            if (args.other == 0xFFFFFFFFu) return load(path, address) + (core * 2 >= card_.cores ? card_.far_cycles : 0);
            const double missed = path.caches.size() > 1 ? card_.caches[path.caches[1]].cycles : card_.memory_cycles;
            return path.arithmetic + (own[core / first.cores].access(address) ? first.cycles : missed);
        };
        struct Walk {
            std::uint32_t group, core, at;
            double cycles = 0, begin = 0;
        };
        std::vector<Walk> walks;
        for (std::uint32_t group = 0; group < launch.groups; ++group) {
            const std::uint32_t core = group % card_.cores;
            leave(kernel, launch, group, 0, 0, 0xFFFFFFFFu, core);
            const bool met = !card_.tells_core || core == args.core || core == args.other;
            if (met) walks.push_back({group, core, args.start + args.slice * (!card_.tells_core ? group : core == args.core ? 0 : 1)});
        }
        for (std::uint32_t n = 0; n < args.warm + args.steps; ++n)
            for (Walk& walk : walks) {
                if (n == args.warm) walk.begin = walk.cycles;
                walk.cycles += cycles_of(walk.core, memory.where() + std::uint64_t{walk.at} * 4);
                walk.at = next_of(kernel.path, memory, walk.at);
            }
        double longest = 0;
        for (const Walk& walk : walks) {
            leave(kernel, launch, walk.group, walk.begin, walk.cycles, link_of(kernel.path, walk.at), walk.core);
            longest = std::max(longest, walk.cycles);
        }
        return timing(longest / clock_mhz() * 1e3);
    }

    static std::uint32_t link_of(const Path& path, std::uint32_t word) { return path.link_words == 4 ? word / 4 : word; }

    void store_clock(const Launch& launch, std::size_t word, double cycles) const {
        const auto count = static_cast<std::uint64_t>(std::llround(cycles));
        as_model(&launch.out)->words[word] = static_cast<std::uint32_t>(count);
        as_model(&launch.out)->words[word + 1] = static_cast<std::uint32_t>(count >> 32);
    }

    /// What kernels/chase.h leaves of a workgroup.
    void leave(const ModelKernel& kernel, const Launch& launch, std::size_t block, double begin, double end, std::uint32_t link, std::uint32_t seen) const {
        const std::size_t at = block * (4 + 2 * std::size_t{kernel.group_size});
        store_clock(launch, at, begin);
        store_clock(launch, at + 2, end);
        for (std::uint32_t lane = 0; lane < kernel.group_size; ++lane) {
            as_model(&launch.out)->words[at + 4 + 2 * lane] = link;
            as_model(&launch.out)->words[at + 5 + 2 * lane] = seen;
        }
    }

    /// OWN_STARTS: all subgroups a load at a time; a subgroup's load keeps the way to memory busy for each line that its lanes want, or for each word of
    /// one bank.
    Timing walk_each(const ModelKernel& kernel, const Launch& launch) {
        const auto args = args_of<kernel_args::Chase>(launch);
        const ModelBuffer& memory = *as_model(launch.a);
        auto& words = as_model(&launch.out)->words;
        const std::uint32_t subgroups = kernel.group_size / kLanes, stride = words[6] - words[4];
        if (stride >= kLanes) return walk_pieces(kernel, launch);
        const bool local = kernel.path.stage == Stage::scratchpad;
        std::vector<std::uint32_t> at;
        for (std::uint32_t subgroup = 0; subgroup < subgroups; ++subgroup) at.push_back(words[4 + 2 * subgroup * kLanes]);
        double cycles = 0, begin = 0;
        for (std::uint32_t n = 0; n < args.warm + args.steps; ++n) {
            if (n == args.warm) begin = cycles;
            double slowest = 0;
            for (std::uint32_t subgroup = 0; subgroup < subgroups; ++subgroup) {
                for (std::uint32_t line = 0; line < std::max(stride, 1u); ++line)
                    slowest = std::max(slowest, local ? card_.scratchpad_cycles : load(*model_of(kernel.path), memory.where() + (std::uint64_t{at[subgroup]} + line * 32) * 4, subgroup));
                at[subgroup] = next_of(kernel.path, memory, at[subgroup]);
            }
            cycles += std::max(slowest + std::max(stride, 1u) - 1, subgroups * stride * card_.subgroup_load_cycles);
        }
        store_clock(launch, 0, begin);
        store_clock(launch, 2, cycles);
        for (std::uint32_t lane = 0; lane < kernel.group_size; ++lane) {
            words[4 + 2 * lane] = link_of(kernel.path, at[lane / kLanes] + lane % kLanes * stride);
            words[5 + 2 * lane] = static_cast<std::uint32_t>((cycles - begin) * (lane / kLanes + 1) / subgroups); // one after another they are done
        }
        return timing(cycles / clock_mhz() * 1e3);
    }

    /// The same where all work-items stand far from each other, round by round.
    Timing walk_pieces(const ModelKernel& kernel, const Launch& launch) {
        const auto args = args_of<kernel_args::Chase>(launch);
        const ModelBuffer& memory = *as_model(launch.a);
        auto& words = as_model(&launch.out)->words;
        const std::uint32_t lanes = launch.groups * kernel.group_size;
        const auto place = [&](std::uint32_t piece) { return piece / kernel.group_size * (4 + 2 * std::size_t{kernel.group_size}) + 4 + 2 * (piece % kernel.group_size); };
        double cycles = 0;
        std::vector<std::uint32_t> at(lanes);
        for (std::uint32_t round = 0; round < args.rounds; ++round) {
            for (std::uint32_t piece = 0; piece < lanes; ++piece) at[piece] = words[place(round * lanes + piece)];
            for (std::uint32_t n = 0; n < args.steps; ++n)
                for (std::uint32_t piece = 0; piece < lanes; ++piece) {
                    if (piece + kAhead < lanes) expect(*model_of(kernel.path), memory, at[piece + kAhead]);
                    cycles += load(*model_of(kernel.path), memory.where() + std::uint64_t{at[piece]} * 4);
                    at[piece] = next_of(kernel.path, memory, at[piece]);
                }
            for (std::uint32_t piece = 0; piece < lanes; ++piece) words[place(round * lanes + piece)] = link_of(kernel.path, at[piece]);
        }
        return timing(cycles / lanes / clock_mhz() * 1e3);
    }

    /// SECOND_SOURCE: the first lane's sum is enough, for all see alike.
    Timing walk_and_touch(const ModelKernel& kernel, const Launch& launch) {
        const auto args = args_of<kernel_args::Chase>(launch);
        const ModelBuffer &memory = *as_model(launch.a), &touched = *as_model(launch.b);
        const PathModel* other = kernel.path_b->stage == Stage::scratchpad ? nullptr : model_of(*kernel.path_b);
        const std::uint32_t lines = args.touch_end;
        std::uint32_t at = args.start, seen = 0;
        double cycles = 0;
        for (std::uint32_t round = 0; round < args.rounds; ++round) {
            for (std::uint32_t lane = 0; lane < kLanes; ++lane)
                for (std::uint32_t line = lane; line < lines;)
                    for (int n = 0; n < 16; ++n, line += kLanes) {
                        const std::uint64_t word = std::uint64_t{std::min(line, lines - 1)} * 32;
                        cycles += (other ? load(*other, touched.where() + word * 4) : card_.scratchpad_cycles) / kTouchesAtOnce;
                        if (lane == 0) seen += touched.words[word];
                    }
            for (std::uint32_t n = 0; n < args.steps; ++n) {
                cycles += load(*model_of(kernel.path), memory.where() + std::uint64_t{at} * 4);
                at = next_of(kernel.path, memory, at);
            }
        }
        leave(kernel, launch, 0, 0, cycles, link_of(kernel.path, at), seen);
        return timing(cycles / clock_mhz() * 1e3);
    }

    /// The first side, while the processor really is the second.
    Timing exchange_with_processor(const Launch& launch) {
        auto &out = as_model(&launch.out)->words, &cells = as_model(launch.a)->words;
        const std::uint32_t exchanges = launch.args[0];
        const std::atomic_ref count(cells[0]);
        std::uint32_t waited = 0;
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (waited < exchanges && !card_.in_order && std::chrono::steady_clock::now() < give_up) {
            if (count.load(std::memory_order_acquire) != waited) {
                std::this_thread::yield();
                continue;
            }
            count.store(waited + 1, std::memory_order_release);
            waited += 2;
        }
        while (count.load(std::memory_order_acquire) < waited && std::chrono::steady_clock::now() < give_up) std::this_thread::yield(); // the processor's last
        out[0] = waited;
        out[1] = exchanges;
        store_clock(launch, 4, 0);
        store_clock(launch, 6, exchanges * card_.exchange_cycles);
        return timing(exchanges * card_.exchange_cycles / clock_mhz() * 1e3);
    }

    /// kernels/core_to_core.h: workgroups meet the cores in turn; with more than two of them the sides are told apart by their cores.
    Timing exchange(const ModelKernel& kernel, const Launch& launch) {
        if (kernel.path.space == Space::host) return exchange_with_processor(launch);
        auto &out = as_model(&launch.out)->words, &cells = as_model(launch.a)->words;
        const std::uint32_t exchanges = launch.args[0], tries = launch.args[1] * 16;
        const bool by_core = launch.groups > 2;
        const auto is_far = [&](std::uint32_t core) { return core * 2 >= card_.cores; };
        double each = launch.groups == 1 ? card_.subgroup_exchange_cycles : card_.exchange_cycles;
        if (by_core && is_far(launch.args[3]) != is_far(launch.args[4])) each += card_.far_cycles;
        const std::uint32_t count = card_.in_order ? 2 : exchanges;
        out[0] = count;
        out[8] = count + 1;
        out[1] = out[9] = card_.in_order ? tries : exchanges;
        out[2] = by_core ? launch.args[3] : 0;
        out[10] = by_core ? launch.args[4] : 0;
        out[16] = cells[0] = count;
        store_clock(launch, 4, 0);
        store_clock(launch, 6, exchanges * each);
        return timing(exchanges * each / clock_mhz() * 1e3);
    }

    /// kernels/line_times.h: every other line lives in the part of the cache that the second half of the cores is near to, each in a slice of its own.
    Timing line_times(const ModelKernel& kernel, const Launch& launch) {
        const auto args = args_of<kernel_args::LineTimes>(launch);
        auto &out = as_model(&launch.out)->words, &words = as_model(launch.a)->words;
        const double near = load(*model_of(kernel.path), as_model(launch.a)->where());
        double all = 0;
        for (std::uint32_t group = 0; group < launch.groups; ++group) {
            const std::uint32_t core = group % card_.cores, at = group * (1 + 2 * args.lines);
            out[at] = core;
            for (std::uint32_t line = 0; line < args.lines; ++line) {
                const double each = near + (line * 7 + core) % 5 + ((core * 2 >= card_.cores) != (line % 2 == 1) ? card_.far_cycles : 0);
                out[at + 1 + 2 * line] = core == args.core ? static_cast<std::uint32_t>(each * args.steps) : 0;
                out[at + 2 + 2 * line] = core == args.core ? words[line * args.apart] : 0xFFFFFFFFu;
                if (group == args.core) all += each * args.steps;
            }
        }
        return timing(all / clock_mhz() * 1e3);
    }

    /// kernels/load_times.h: between two reads of the clock pass 7 cycles.
    Timing load_times(const ModelKernel& kernel, const Launch& launch) {
        constexpr double kNothing = 7;
        const auto args = args_of<kernel_args::LoadTimes>(launch);
        const ModelBuffer& memory = *as_model(launch.a);
        auto& out = as_model(&launch.out)->words;
        std::uint32_t at = args.start;
        double cycles = 0;
        const auto next = [&] {
            const double each = load(*model_of(kernel.path), memory.where() + std::uint64_t{at} * 4);
            at = next_of(kernel.path, memory, at);
            cycles += each;
            return each;
        };
        for (std::uint32_t n = 0; n < args.warm; ++n) next();
        out[4] = static_cast<std::uint32_t>(kNothing);
        for (std::uint32_t n = 0; n < args.timed; ++n) {
            next();
            out[5 + n] = static_cast<std::uint32_t>(next() + kNothing);
        }
        store_clock(launch, 0, cycles);
        for (std::uint32_t n = 0; n < args.steps; ++n) next();
        store_clock(launch, 2, cycles);
        for (std::uint32_t lane = 0; lane < kernel.group_size; ++lane) out[5 + args.timed + lane] = at;
        return timing(cycles / clock_mhz() * 1e3);
    }

    Timing cores(const ModelKernel&, const Launch& launch) {
        for (std::uint32_t group = 0; group < launch.groups; ++group) as_model(&launch.out)->words[group] = group % card_.cores;
        return timing(0);
    }

    /// So many operations on one cell.
    static void operate(const ModelKernel& kernel, std::uint32_t* cell, std::uint32_t each) {
        const auto add = [&]<class Number>(Number) {
            Number number;
            std::memcpy(&number, cell, sizeof number);
            const auto operation = kernel.number("OPERATION");
            number = operation == 2 || operation == 4 ? 1 : operation == 3 || operation == 5 ? 0 : number + static_cast<Number>(each);
            std::memcpy(cell, &number, sizeof number);
        };
        if (kernel.defined("TYPE_U64")) return add(std::uint64_t{});
        if (kernel.defined("TYPE_F32")) return add(float{});
        if (kernel.defined("TYPE_F64")) return add(double{});
        add(std::uint32_t{});
    }

    /// kernels/atomics.h: one addition a clock where all go to one address, so many a clock and core as the card can where each has its own.
    Timing add(const ModelKernel& kernel, const Launch& launch) {
        const auto [lane_stride, group_stride, trips, staged, pad] = args_of<kernel_args::Atomics>(launch);
        const std::uint32_t each = trips * 16, width = kernel.defined("WIDTH") ? kernel.number("WIDTH") : 1;
        const LazyWords &out = as_model(&launch.out)->words, &memory = as_model(launch.a)->words;
        for (std::uint32_t group = 0; group < launch.groups; ++group) {
            if (staged) std::copy_n(memory.data(), staged * width, out.data() + group * staged * width);
            for (std::uint32_t lane = 0; lane < kernel.group_size; ++lane)
                operate(kernel, staged ? &out[(group * staged + lane * lane_stride) * width] : &memory[(group * group_stride + lane * lane_stride) * width], each);
        }
        const double all = static_cast<double>(each) * kernel.group_size * launch.groups, busy = std::min(launch.groups, card_.cores);
        const double at_once = lane_stride > 0 ? card_.atomics_at_once * busy : staged ? busy : 1;
        return timing(all / at_once / clock_mhz() * 1e3);
    }

    Timing chase(const ModelKernel& kernel, const Launch& launch) {
        if (kernel.defined("OWN_STARTS")) return walk_each(kernel, launch);
        if (kernel.defined("BY_CORE") || launch.groups > 1) return walk_by_group(kernel, launch);
        return kernel.path_b ? walk_and_touch(kernel, launch) : walk_one_chain(kernel, launch);
    }

    Timing walk_one_chain(const ModelKernel& kernel, const Launch& launch) {
        const auto args = args_of<kernel_args::Chase>(launch);
        const ModelBuffer& memory = *as_model(launch.a);
        const PathModel* path = kernel.path.stage == Stage::scratchpad ? nullptr : model_of(kernel.path);
        double cycles = 0;
        std::uint32_t seen = 0;
        Place at{&memory, args.start};
        const auto link_at = [&](std::uint32_t word) { return next_of(kernel.path, memory, word); };
        const auto touch = [&](std::uint32_t word) {
            cycles += path ? load(*path, memory.where() + std::uint64_t{word} * 4) : card_.scratchpad_cycles;
            return link_at(word);
        };
        for (std::uint32_t slot = args.touch_begin; slot < args.touch_end;)
            for (int n = 0; n < 64; ++n, ++slot) {
                const std::uint32_t touched = std::min(slot, args.touch_end - 1);
                // What was touched long before the end, no cache keeps.
                seen += args.touch_end - touched > longest_memory_ ? link_at(touched << args.shift) : touch(touched << args.shift);
            }
        cycles /= kTouchesAtOnce;
        const bool some = kernel.defined("SOME_LANES");
        const std::uint32_t lines = some ? (args.lanes - 1) * std::min(args.pad, 32u) / 32 + 1 : 1; // of 32 words, that the lanes want at once
        const auto walk = [&](std::uint32_t loads) {
            for (std::uint32_t n = 0; n < loads; ++n) {
                cycles += (lines - 1) * card_.subgroup_load_cycles;
                cycles += path ? load(*path, at.memory->where() + std::uint64_t{at.word} * 4) : card_.scratchpad_cycles;
                at = followed(kernel.path, at);
            }
        };
        walk(args.warm);
        const double begin = cycles;
        walk(args.steps);
        const std::uint32_t reached = kernel.path.link_words == 2 ? static_cast<std::uint32_t>((at.memory->begin() + std::uint64_t{at.word} * 4 - memory.begin()) >> 2) : link_of(kernel.path, at.word);
        leave(kernel, launch, 0, begin, cycles, reached, seen);
        for (std::uint32_t lane = 0; some && lane < kernel.group_size; ++lane)
            as_model(&launch.out)->words[4 + 2 * std::size_t{lane}] = lane < args.lanes ? link_of(kernel.path, at.word + lane * args.pad) : ~0u;
        return timing(cycles / clock_mhz() * 1e3);
    }

    /// kernels/bandwidth_latency.h: a tile takes so long, and a load twice as long where nobody waits between tiles.
    Timing contest(const ModelKernel& kernel, const Launch& launch) {
        const auto args = args_of<kernel_args::BandwidthLatency>(launch);
        LazyWords &words = as_model(launch.a)->words, &out = as_model(&launch.out)->words;
        const std::uint32_t size = kernel.group_size, operation = kernel.number("OPERATION");
        const double tile_cycles = card_.tile_cycles * (1 + args.wait / 100.0), share = args.most > 0 ? card_.tile_cycles / tile_cycles : 0;
        double cycles = 0;
        std::uint32_t at = args.start;
        for (std::uint32_t n = 0; args.lanes > 0 && n < args.steps; ++n) {
            cycles += load(*model_of(kernel.path), as_model(launch.a)->where() + std::uint64_t{at} * 4) * (1 + share * share);
            at = next_of(kernel.path, *as_model(launch.a), at);
        }
        for (std::uint32_t lane = 0; lane < args.lanes; ++lane) out[4 + 2 * lane] = at;
        for (std::uint32_t group = 0; args.lanes > 0 && group < launch.groups; ++group) ++words[args.flag + 32 * group];
        store_clock(launch, 0, 0);
        store_clock(launch, 2, cycles);
        const std::uint32_t count = args.lanes > 0 ? std::min(args.most, static_cast<std::uint32_t>(cycles / tile_cycles)) : args.most;
        for (std::uint32_t member = 0; member + 1 < launch.groups; ++member)
            for (std::uint32_t item = 0; item < size; ++item) {
                std::uint32_t sum = 0;
                for (std::uint32_t n = 0; n < count * 8; ++n) {
                    const std::uint64_t tile = (std::uint64_t{member} * args.start_factor + std::uint64_t{n / 8} * (args.step_base + member * args.step_factor % args.step_range)) % args.tiles;
                    const std::uint64_t word = (tile * 8 + n % 8) * size + item;
                    if (operation == 1) sum += words[word];
                    else words[word] = operation == 2 ? static_cast<std::uint32_t>(word) + args.salt : words[word] + 1;
                }
                out[4 + 2 * ((member + 1) * size + item)] = count;
                out[5 + 2 * ((member + 1) * size + item)] = sum;
            }
        return timing(cycles / clock_mhz() * 1e3);
    }

    /// The host's answer; the time is that of the bytes that such a kernel moves at most.
    Timing computed(const ModelKernel& kernel, const Launch& launch) {
        if (kernel.name == "sum" && as_model(launch.a)->salt) return sum_of_pair(kernel, launch);
        if (kernel.name == "sum") std::fill_n(as_model(&launch.out)->words.data(), std::size_t{launch.groups} * kernel.group_size, 0u);
        static std::uint32_t nothing[16] = {};
        std::vector<std::uint64_t> scratchpad(launch.scratchpad_bytes / 8 + 2);
        for (std::uint32_t group = 0; group < launch.groups; ++group)
            kernel.function(launch.a ? as_model(launch.a)->words.data() : nothing, launch.b ? as_model(launch.b)->words.data() : nothing, as_model(&launch.out)->words.data(), launch.args.data(),
                            scratchpad.data(), group, launch.groups);
        if (kernel.name == "copy") return timing(launch.args[0] * 4.0 / (card_.host_in_device ? card_.bandwidth / 1e9 : card_.bus_bytes_per_ns));
        if (kernel.name == "empty") return timing(0);
        if (kernel.name == "gemm") return timing(2 * std::pow(launch.args[0], 3) / (card_.operation.per_cycle * card_.cores * clock_mhz()) * 1e3);
        if (const auto moved = kStepBytes.find(kernel.name); moved != kStepBytes.end()) return timing(moved->second(launch) / card_.bandwidth * 1e9);
        return timing(1000 / clock_mhz() * 1e3);
    }

    /// Its sums are nobody's: only the clock that it leaves is read.
    Timing spin(const ModelKernel&, const Launch& launch) {
        const double cycles = launch.args[0] * 64.0 * 5;
        store_clock(launch, 0, 0);
        store_clock(launch, 2, cycles);
        return timing(cycles / clock_mhz() * 1e3);
    }

    /// Workgroups that wait for memory: as many at a time as the core has registers, and takes subgroups and workgroups.
    Timing hold_registers(const ModelKernel& kernel, const Launch& launch) {
        constexpr std::uint32_t kLoads = 64, kBesides = 8; // of kernels/held_registers.h; registers of what is no value
        const std::uint32_t rounds = launch.args[0], slots = launch.args[1], shift = launch.args[2], values = kernel.number("VALUES"), subgroups = kernel.group_size / kLanes;
        const Operation& operation = *find_operation("mad.u32");
        std::vector<std::uint32_t> lanes(kLanes), stops, place(slots);
        std::iota(lanes.begin(), lanes.end(), 0);
        const auto words = ChainModel(operation, operation.model, lanes, values).words_after(rounds);
        const auto& links = as_model(launch.a)->words;
        for (std::uint32_t at = 0; stops.size() < slots; at = links[at]) {
            place[at >> shift] = static_cast<std::uint32_t>(stops.size());
            stops.push_back(at);
        }
        auto& out = as_model(&launch.out)->words;
        for (std::size_t item = 0; item < std::size_t{launch.groups} * kernel.group_size; ++item) {
            out[2 * item] = stops[(place[item / kernel.group_size % slots] + std::uint64_t{rounds} * kLoads) % slots];
            out[2 * item + 1] = words[item % kLanes];
        }
        const std::uint32_t by_registers = card_.registers_per_core / (kLanes * (values + kBesides) * subgroups);
        const double resident = std::min({by_registers, card_.subgroups_per_core / subgroups, card_.groups_per_core});
        const double turns = std::ceil(std::ceil(launch.groups / static_cast<double>(card_.cores)) / resident);
        return timing(turns * rounds * kLoads * card_.memory_cycles / clock_mhz() * 1e3);
    }

    /// Of an instruction in a loop of so many.
    double fetch_cycles(double instructions) const {
        constexpr double kInstructionBytes = 8;
        const auto& caches = card_.code_caches;
        const auto cache = std::ranges::find_if(caches, [&](const CodeCacheModel& each) { return instructions * kInstructionBytes <= static_cast<double>(each.bytes); });
        return caches.empty() ? 0 : cache == caches.end() ? caches.back().cycles : cache->cycles;
    }

    /// Chains of an operation: each step waits for the one before, and a core takes so many of all its subgroups a cycle. Lanes that nobody follows hold nothing.
    Timing arithmetic(const ModelKernel& kernel, const Launch& launch) {
        const std::uint64_t steps = std::uint64_t{launch.args[0]} * kernel.repeat;
        const double groups_per_core = std::ceil(launch.groups / static_cast<double>(card_.cores));
        const bool two = kernel.defined("SECOND_OPERATION"), dependent = kernel.defined("DEPENDENT");
        const std::size_t group_words = 4 + std::size_t{kernel.group_size} * (two ? 2 : 1);
        auto& out = as_model(&launch.out)->words;
        for (std::size_t at = 0; at < group_words * launch.groups; ++at) out[at] = 0;
        double waiting = 0, instructions = 0; // of the longer chain; of a subgroup, all chains
        std::map<std::string, double> busy;   // by unit
        for (std::uint32_t kind = 0; kind < (two ? 2 : 1); ++kind) {
            const Operation& operation = *std::ranges::find(all_operations(), kernel.text(kind ? "SECOND_OPERATION" : "OPERATION"), operation_form);
            const std::uint32_t chains = kind && !dependent ? kChainsOfTwo - kernel.number("CHAINS") : kernel.number("CHAINS");
            std::vector<std::uint32_t> lanes{0, 1, kLanes - 1};
            if (operation.lanes == Operation::Lanes::subgroup) {
                lanes.resize(kLanes);
                std::iota(lanes.begin(), lanes.end(), 0);
            }
            const auto words = ChainModel(operation, operation.model, lanes, chains).words_after(steps);
            for (std::uint32_t group = 0; group < launch.groups; ++group)
                for (std::size_t i = 0; i < lanes.size(); ++i) out[group * group_words + 4 + kind * kernel.group_size + lanes[i]] = words[i];
            const auto row = card_.operations.find(std::string(operation.name));
            const OperationModel& model = row == card_.operations.end() ? card_.operation : row->second;
            busy[model.unit] += groups_per_core * kernel.group_size * chains * operation.in_step / model.per_cycle;
            const double own = model.cycles * operation.in_step;
            waiting = dependent ? waiting + own : std::max(waiting, own);
            instructions += chains * operation.in_step;
        }
        const double longest = std::ranges::max_element(busy, {}, [](const auto& each) { return each.second; })->second;
        const double cycles = static_cast<double>(steps) * std::max({waiting, longest, instructions * fetch_cycles(instructions * kernel.repeat)});
        for (std::uint32_t group = 0; group < launch.groups; ++group) out[group * group_words + 2] = static_cast<std::uint32_t>(cycles);
        return timing(cycles / clock_mhz() * 1e3);
    }

    /// Chains of matrix multiply-adds, two of them a step.
    Timing matrix(const ModelKernel& kernel, const Launch& launch) {
        const std::uint64_t steps = std::uint64_t{launch.args[0]} * kernel.repeat;
        const MatrixForm& form = *std::ranges::find(all_matrix_forms(), kernel.text("OPERATION"), operation_form)->matrix;
        const std::uint32_t chains = kernel.number("CHAINS"), teams = kernel.group_size / form.lanes(kLanes);
        auto& operands = as_model(launch.a)->words;
        bool zeros = true;
        for (std::uint32_t word = 0; word < form.m * form.k * form.in->bits / 32; ++word) zeros = zeros && operands[word] == 0;
        const MatrixChains sums(form, chains, zeros ? DataKind::zeros : DataKind::integers);
        const auto words = sums.sums_after(steps);
        const double groups_per_core = std::ceil(launch.groups / static_cast<double>(card_.cores)), lone = card_.matrix_cycles, busy = groups_per_core * teams * chains * card_.matrix_interval;
        const double cycles = 2 * static_cast<double>(steps) * std::max(lone, busy);
        auto& out = as_model(&launch.out)->words;
        std::uint64_t at = 0;
        for (std::uint32_t group = 0; group < launch.groups; ++group) {
            for (const std::uint32_t clock : {0u, 0u, static_cast<std::uint32_t>(cycles), static_cast<std::uint32_t>(static_cast<std::uint64_t>(cycles) >> 32)}) out[at++] = clock;
            for (std::uint32_t team = 0; team < teams; ++team)
                for (const std::uint32_t word : words) out[at++] = word;
        }
        if (card_.wrong_matrices) out[at - 1] += 1;
        return timing(cycles / clock_mhz() * 1e3);
    }

    /// Numbers of a factor.
    static std::vector<float> numbers_of(const ModelBuffer& factor, const NumberFormat& format, std::size_t count) {
        std::vector<float> numbers(count);
        for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(format.value_of(factor.words[i * format.bits / 32] >> i * format.bits % 32 & (~0u >> (32 - format.bits))));
        return numbers;
    }

    /// Rows of one factor times those of the other, whose products with it follow each other; computed once for a kernel and factors.
    Timing multiply(const ModelKernel& kernel, const Launch& launch, const Buffer& lines, const Buffer& across, const NumberFormat& format, std::size_t rows, double per_cycle) {
        const std::size_t cells = rows * rows;
        auto& c = as_model(&launch.out)->words;
        const std::array<std::uint32_t, 3> factors{static_cast<std::uint32_t>(rows), as_model(&lines)->words[1], as_model(&across)->words[1]};
        if (std::exchange(kernel.multiplied, factors) != factors) {
            const auto a = numbers_of(*as_model(&across), format, cells), b = numbers_of(*as_model(&lines), format, cells);
            std::vector<float> columns(cells), sums(rows); // of A
            for (std::size_t i = 0; i < cells; ++i) columns[i % rows * rows + i / rows] = a[i];
            for (std::size_t line = 0; line < rows; ++line) {
                std::ranges::fill(sums, 0.0f);
                for (std::size_t k = 0; k < rows; ++k)
                    for (std::size_t at = 0; at < rows; ++at) sums[at] += columns[k * rows + at] * b[line * rows + k];
                std::memcpy(c.data() + line * rows, sums.data(), rows * 4);
            }
            if (card_.wrong_matrices) c[cells / 2] ^= 1u << 22;
        }
        return timing(2 * static_cast<double>(cells * rows) / (per_cycle * card_.cores * clock_mhz()) * 1e3);
    }
    Timing multiply_by_library(const ModelKernel& kernel, const Launch& launch) { return multiply(kernel, launch, *launch.b, *launch.a, *kernel.format, kernel.number("ROWS"), card_.library_operations_per_cycle); }
    /// All that the buffer holds.
    Timing transform_by_library(const ModelKernel& kernel, const Launch& launch) {
        const std::size_t n = kernel.number("POINTS"), all = launch.out.bytes() / 8;
        auto* points = reinterpret_cast<std::complex<float>*>(as_model(&launch.out)->words.data());
        for (std::size_t first = 0; first < all; first += n) host_transform(points + first, n, launch.args[0] != 0);
        if (card_.wrong_matrices) points[all / 2] += 1.0f;
        return timing(5 * std::log2(n) * static_cast<double>(all) / (card_.library_operations_per_cycle * card_.cores * clock_mhz()) * 1e3);
    }
    Timing multiply_by_units(const ModelKernel& kernel, const Launch& launch) {
        const MatrixForm& form = *std::ranges::find(all_matrix_forms(), kernel.text("OPERATION"), operation_form)->matrix;
        return multiply(kernel, launch, *launch.a, *launch.b, *form.in, launch.args[0], 2 * form.m * form.n * form.k / card_.matrix_interval);
    }

    /// Counts launches of traffic, and loses the device where the card says so.
    std::uint32_t garbled() {
        ++traffic_;
        if (card_.lost_after && traffic_ > card_.lost_after) throw Error("the modelled device is lost");
        return card_.wrong_after && traffic_ > card_.wrong_after ? 1 : 0;
    }

    Timing traffic(std::uint32_t groups, double bytes, double faster = 1) {
        memory_.counts.moved.insert(bytes);
        const double rate = card_.group_bandwidth > 0 ? std::min(card_.bandwidth, card_.group_bandwidth * groups) : card_.bandwidth;
        return timing(bytes / rate / awake() / faster * 1e9);
    }

    /// kernels/read.h, load by load.
    Timing read(const ModelKernel& kernel, const Launch& launch) {
        const auto& args = launch.args;
        const std::uint32_t width = kernel.number("WIDTH"), loads = kernel.number("LOADS"), turns = kernel.number("TURNS"), lanes = kernel.group_size;
        const LazyWords &words = as_model(launch.a)->words, &out = as_model(&launch.out)->words;
        const std::uint32_t wrong = garbled();
        double bytes = 0, zeros = 0;
        std::vector<std::uint32_t> sums(lanes);
        for (std::uint32_t group = 0; group < launch.groups; ++group) {
            sums.assign(lanes, wrong);
            for (std::uint32_t n = 0; n < args[6]; ++n) {
                const std::uint64_t tile = (std::uint64_t{group} * args[2] + std::uint64_t{n} * (args[3] + group * args[4] % args[5])) % args[1];
                for (std::uint32_t row = 0; row < loads * turns; ++row)
                    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                        const std::uint64_t element = (tile * turns + row / loads) * loads * lanes + (lane + row % loads * lanes) % args[0];
                        for (std::uint32_t word = 0; word < width; ++word, bytes += 4) {
                            sums[lane] += words[element * width + word];
                            zeros += words[element * width + word] == 0 ? 4 : 0;
                        }
                    }
            }
            if (kernel.defined("ONCE")) out[group] = sums[args[9]];
            else std::copy(sums.begin(), sums.end(), out.data() + group * lanes);
        }
        const bool slower = !kernel.defined("ONCE") && card_.loops_slower > 0;
        return traffic(launch.groups, bytes, (zeros > bytes / 2 ? card_.zeros_faster : 1) / (slower ? card_.loops_slower : 1));
    }

    /// kernels/pattern.h, load by load.
    Timing pattern(const ModelKernel& kernel, const Launch& launch) {
        const auto& args = launch.args;
        const std::uint32_t lanes = args[0], across = args[1], windows = args[11], count = args[13] * kernel.number("LOADS"), items = kernel.group_size * launch.groups;
        const std::uint32_t bits = kernel.defined("BITS") ? kernel.number("BITS") : 32, words_of = kernel.number("WIDTH"), size = bits == 32 ? words_of * 4 : bits / 8;
        const bool rows = kernel.defined("ROWS"), scattered = kernel.defined("SCATTERED"), stores = kernel.defined("STORES"), packed = kernel.defined("PACKED");
        const std::uint32_t active = kernel.defined("ACTIVE") ? args[15] : lanes, wrong = garbled();
        const LazyWords &words = as_model(launch.a)->words, &out = as_model(&launch.out)->words;
        char* memory = reinterpret_cast<char*>(words.data());
        double bytes = 0;
        std::vector<std::set<std::uint64_t>> transactions(card_.transaction_bytes ? std::size_t{items} / lanes * count : 0); // by subgroup and load
        for (std::uint32_t item = 0; item < items; ++item) {
            const std::uint32_t place = (item % lanes * args[2] + args[3]) % lanes, own = place % across * args[4] + place / across * args[5] + args[6];
            std::uint32_t sum = wrong;
            for (std::uint32_t load = 0; place < active && load < count; ++load, bytes += size) {
                const auto window = static_cast<std::uint32_t>((item / lanes + std::uint64_t{load} * (items / lanes)) % windows);
                const std::uint64_t element = scattered ? scrambled(item + load * items, args[14]) & (windows - 1)
                                                        : own + (rows ? (window & args[7]) * args[9] + (window >> args[8]) * args[10] : window * args[9]);
                const std::uint64_t first = packed ? element : element * size;
                if (card_.transaction_bytes) transactions[std::size_t{item} / lanes * count + load].insert(first / card_.transaction_bytes);
                for (std::uint32_t byte = 0; byte < size; byte += 4) {
                    std::uint32_t word = static_cast<std::uint32_t>(element) + args[14] + wrong;
                    if (stores) std::memcpy(memory + first + byte, &word, std::min(size, 4u));
                    else std::memcpy(&(word = 0), memory + first + byte, std::min(size, 4u));
                    sum += stores ? 0 : word;
                }
            }
            out[item] = sum;
        }
        double moved = 0; // by the memory
        for (const auto& each : transactions) moved += static_cast<double>(each.size()) * card_.transaction_bytes;
        return traffic(launch.groups, bytes, moved > 0 ? bytes / moved : 1);
    }

    /// kernels/mix_paths.h, load by load; no workgroup differs from another.
    Timing mix(const ModelKernel& kernel, const Launch& launch) {
        const std::uint32_t width = kernel.number("WIDTH"), loads = kernel.number("LOADS"), lanes = kernel.group_size, rounds = launch.args[0], span = launch.args[3], step = launch.args[4];
        const LazyWords& out = as_model(&launch.out)->words;
        const std::uint32_t wrong = garbled();
        std::fill_n(out.data(), std::size_t{launch.groups} * lanes, wrong);
        double bytes[2] = {0, 0};
        for (const int side : {0, 1}) {
            const LazyWords& words = as_model(side == 0 ? launch.a : launch.b)->words;
            std::uint32_t begin = 0;
            for (std::uint32_t row = 0; row < rounds * launch.args[1 + side]; ++row) {
                for (std::uint32_t element = 0; element < loads * lanes; ++element)
                    for (std::uint32_t word = 0; word < width; ++word, bytes[side] += 4.0 * launch.groups) out[element % lanes] += words[(begin + element) * width + word];
                begin = begin + step >= span ? begin + step - span : begin + step;
            }
        }
        for (std::uint32_t group = 1; group < launch.groups; ++group) std::copy_n(out.data(), lanes, out.data() + std::size_t{group} * lanes);
        memory_.counts.moved.insert(bytes[0] + bytes[1]);
        const double a = bytes[0] / card_.first_level_rates.at(std::string(kernel.path.name)), b = bytes[1] / card_.first_level_rates.at(std::string(kernel.path_b->name));
        return timing((card_.one_pipe ? a + b : std::max(a, b)) * 1e9);
    }

    /// The same with BabelStream's operations, element by element.
    template <class Number> Timing stream(const ModelKernel& kernel, const Launch& launch) {
        const std::uint32_t operation = kernel.number("OPERATION"), lanes = kernel.group_size, rows = kernel.number("LOADS") * kernel.number("TURNS");
        const auto [own, first, step, count, array, salt, stage, factor] = args_of<kernel_args::Write>(launch);
        const bool once = kernel.defined("ONCE");
        const auto scalar = static_cast<Number>(!kernel.defined("FACTOR") ? 3 : kernel.number("FACTOR") == 1 ? factor : as_model(launch.b)->words[own % 64]);
        std::uint32_t* words = as_model(launch.a)->words.data();
        std::uint32_t* out = as_model(&launch.out)->words.data();
        double bytes = 0;
        const auto loaded = [&](std::uint64_t at) {
            Number number;
            std::memcpy(&number, words + at * (sizeof number / 4), sizeof number);
            bytes += sizeof number;
            return number;
        };
        for (std::uint32_t group = 0; group < launch.groups; ++group)
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                Number sum = 0;
                for (std::uint32_t n = 0; n < (once ? 1 : count); ++n)
                    for (std::uint32_t row = 0; row < rows; ++row) {
                        const std::uint64_t tile = once ? group % own : std::uint64_t{group} * first + n % own * step, at = tile * rows * lanes + row * lanes + lane;
                        const Number a = loaded(at), b = operation == 4 ? 0 : loaded(at + array);
                        if (operation == 7) { sum += a * b; continue; }
                        const Number result = operation == 4 ? scalar * a : operation == 5 ? a + b : a + 3 * b;
                        std::memcpy(words + (at + (operation == 4 ? 1 : 2) * std::uint64_t{array}) * (sizeof result / 4), &result, sizeof result);
                        bytes += sizeof result;
                    }
                const std::uint32_t item = group * lanes + lane;
                if (operation == 7) std::memcpy(out + item * (sizeof sum / 4), &sum, sizeof sum);
                else if (once) out[group] = group + salt;
                else out[item] = count / own;
            }
        garbled();
        return written(kernel, launch, bytes);
    }

    /// kernels/write.h, store by store.
    Timing write(const ModelKernel& kernel, const Launch& launch) {
        if (kernel.defined("TYPE_F64")) return stream<double>(kernel, launch);
        if (kernel.defined("TYPE_F32")) return stream<float>(kernel, launch);
        const std::uint32_t width = kernel.number("WIDTH"), operation = kernel.number("OPERATION"), tile = kernel.number("LOADS") * kernel.number("TURNS") * kernel.group_size;
        const std::uint32_t own = launch.args[0], first = launch.args[1], step = launch.args[2], count = launch.args[3], half = launch.args[4], salt = launch.args[5];
        const LazyWords &words = as_model(launch.a)->words, &out = as_model(&launch.out)->words;
        const bool once = kernel.defined("ONCE");
        garbled();
        double bytes = 0;
        const auto loaded = [&](std::uint64_t at) { bytes += 4; return words[at]; };
        const auto store = [&](std::uint64_t at, std::uint32_t value) { bytes += 4; words[at] = value; };
        for (std::uint32_t group = 0; group < launch.groups; ++group) {
            if (once) out[group] = group + salt;
            for (std::uint32_t n = 0; n < (once ? 1 : count); ++n)
                for (std::uint32_t e = 0; e < tile; ++e) {
                    const std::uint32_t element = (once ? group % own : group * first + n % own * step) * tile + e;
                    for (std::uint64_t at = std::uint64_t{element} * width; at < (std::uint64_t{element} + 1) * width; ++at)
                        if (operation == 1) store(at, element + salt + n);
                        else if (operation == 2) store(at + std::uint64_t{half} * width, loaded(at) + salt + n);
                        else store(at, loaded(at) + 1);
                }
        }
        return written(kernel, launch, bytes);
    }
    Timing written(const ModelKernel& kernel, const Launch& launch, double bytes) {
        return traffic(launch.groups, bytes, !kernel.defined("ONCE") && card_.loops_slower > 0 ? 1 / card_.loops_slower : 1);
    }

    /// Nanoseconds to move `bytes` that are spread evenly over a buffer, by segments of the memory: what each of them has to do.
    std::vector<double> segment_ns(const ModelBuffer& buffer, double bytes) const {
        if (card_.segments.empty()) return {bytes / card_.bandwidth * 1e9};
        std::vector<double> all;
        std::uint64_t begin = 0;
        for (const SegmentModel& segment : card_.segments) {
            const std::uint64_t end = begin + segment.bytes, from = std::max(begin, buffer.place()), to = std::min(end, buffer.place() + buffer.bytes());
            all.push_back(to > from ? bytes * static_cast<double>(to - from) / static_cast<double>(buffer.bytes()) / segment.bandwidth * 1e9 : 0);
            begin = end;
        }
        return all;
    }

    /// Sum of e + salt over the first `words` words.
    static std::uint32_t sum_of(std::uint64_t words, std::uint32_t salt) {
        std::uint64_t pairs = words % 2 ? words * ((words - 1) / 2) : words / 2 * (words - 1);
        return static_cast<std::uint32_t>(pairs) + static_cast<std::uint32_t>(words) * salt;
    }

    /// kernels/two_buffers.h without touching the memory, which it leaves in a form that is known: word e is e + salt.
    Timing pair(const ModelKernel& kernel, const Launch& launch) {
        const std::uint32_t of = launch.args[0], on_b = launch.args[1], tile = kernel.number("LOADS") * kernel.group_size;
        const LazyWords& out = as_model(&launch.out)->words;
        std::fill_n(out.data(), std::size_t{launch.groups} * kernel.group_size, 0u);
        out[0] = garbled();
        std::vector<double> ns[2];
        for (int side = 0; side < (on_b ? 2 : 1); ++side) {
            const std::uint32_t members = launch.groups / of * (side == 0 ? of - on_b : on_b);
            ModelBuffer& buffer = *as_model(side == 0 ? launch.a : launch.b);
            const std::uint32_t *args = &launch.args[2 + 4 * side], tiles = args[0], count = card_.loop_trips ? std::min(args[1], card_.loop_trips) : args[1];
            const std::uint64_t visits = std::uint64_t{members} * count;
            ns[side] = segment_ns(buffer, static_cast<double>(visits * tile) * 4);
            if (args[2]) { // writes
                buffer.mixed = visits < tiles && (buffer.mixed || buffer.salt != args[3]);
                buffer.salt = args[3];
                out[0] += members * kernel.group_size * count;
            } else {
                out[0] += static_cast<std::uint32_t>(visits / tiles) * sum_of(std::uint64_t{tiles} * tile, buffer.salt.value_or(0)) + sum_of(visits % tiles * tile, buffer.salt.value_or(0)) + buffer.mixed;
            }
        }
        const auto all_of = [](const std::vector<double>& each) { double sum = 0; for (const double x : each) sum += x; return sum; };
        if (on_b == 0) return timing(all_of(ns[0]));
        const bool both_read = !launch.args[4] && !launch.args[8];
        if (card_.exclusive_reads && both_read) return timing(all_of(ns[0]) + all_of(ns[1]));
        double longest = std::max(all_of(ns[0]), all_of(ns[1])); // segments work at the same time, each for both
        for (std::size_t i = 0; i < ns[0].size(); ++i) longest = std::max(longest, ns[0][i] + ns[1][i]);
        return timing(longest);
    }

    /// kernels/sum.h over what `pair` wrote.
    Timing sum_of_pair(const ModelKernel& kernel, const Launch& launch) {
        const ModelBuffer& buffer = *as_model(launch.a);
        const LazyWords& out = as_model(&launch.out)->words;
        std::fill_n(out.data(), std::size_t{launch.groups} * kernel.group_size, 0u);
        out[0] = sum_of(std::uint64_t{launch.args[0]} * kernel.number("WIDTH"), *buffer.salt) + buffer.mixed;
        return timing(1000);
    }

    /// kernels/banks.h: lanes that ask a bank for different words take turns.
    Timing banks(const ModelKernel& kernel, const Launch& launch) {
        const std::uint32_t width = kernel.number("WIDTH"), loads = kernel.number("LOADS"), elements = launch.args[0], stride = launch.args[1], count = launch.args[2];
        const LazyWords &words = as_model(launch.a)->words, &out = as_model(&launch.out)->words;
        const auto element = [&](std::uint32_t e) {
            std::uint32_t sum = 0;
            for (std::uint32_t word = 0; word < width; ++word) sum += words[e * width + word];
            return sum;
        };
        const std::uint32_t round = elements / loads; // after which a lane's loads begin where they began
        for (std::uint32_t lane = 0; lane < kernel.group_size; ++lane) {
            std::uint32_t sum = 0, rest = 0;
            for (std::uint32_t n = 0; n < round; ++n)
                for (std::uint32_t load = 0; load < loads; ++load) {
                    const std::uint32_t loaded = element((lane * stride + n * loads) % elements + load);
                    sum += loaded;
                    if (n < count % round) rest += loaded;
                }
            out[4 + lane] = count / round * sum + rest;
        }
        const std::uint32_t at_once = std::min(kLanes, kLanes * card_.bank_bytes / 4 / width); // lanes whose words the banks' ports can take
        double turns = 0;
        for (std::uint32_t begin = 0; begin < kLanes; begin += at_once) {
            std::vector<std::set<std::uint32_t>> asked(card_.banks);
            for (std::uint32_t lane = begin; lane < begin + at_once; ++lane)
                for (std::uint32_t word = 0; word < width; ++word) {
                    const std::uint32_t place = (lane * stride % elements * width + word) * 4 / card_.bank_bytes;
                    asked[place % card_.banks].insert(place);
                }
            std::size_t most = 0;
            for (const auto& each : asked) most = std::max(most, each.size());
            turns += static_cast<double>(most);
        }
        const double cycles = turns * count * loads * kernel.group_size / kLanes;
        store_clock(launch, 0, 0);
        store_clock(launch, 2, cycles);
        return timing(cycles / clock_mhz() * 1e3);
    }

    CardModel card_;
    ModelMemory memory_;
    DeviceInfo info_;
    ModelRandom random_;
    double seconds_ = 0; // that all calls took
    std::vector<std::vector<SimulatedCache>> caches_; // and their copies
    std::vector<SimulatedTlb> tlbs_;
    std::uint32_t held_ = 0;
    std::shared_ptr<Addresses> addresses_ = std::make_shared<Addresses>();
    bool sunk_ = false;
    std::uint64_t next_place_ = 1ull << 32, dispatches_ = 0, launches_ = 0, traffic_ = 0, allocations_ = 0, longest_memory_ = 0;
};

const ModelDevice::Simulated ModelDevice::kSimulated[20] = {
    {"chase", &ModelDevice::chase}, {"core_to_core", &ModelDevice::exchange}, {"cores", &ModelDevice::cores}, {"line_times", &ModelDevice::line_times}, {"load_times", &ModelDevice::load_times}, {"atomics", &ModelDevice::add}, {"read", &ModelDevice::read},
    {"write", &ModelDevice::write}, {"two_buffers", &ModelDevice::pair}, {"pattern", &ModelDevice::pattern}, {"mix_paths", &ModelDevice::mix}, {"banks", &ModelDevice::banks},
    {"spin", &ModelDevice::spin}, {"arithmetic", &ModelDevice::arithmetic}, {"matrix", &ModelDevice::matrix}, {"held_registers", &ModelDevice::hold_registers}, {"bandwidth_latency", &ModelDevice::contest}, {"library_product", &ModelDevice::multiply_by_library}, {"library_transform", &ModelDevice::transform_by_library}, {"gemm_matrix", &ModelDevice::multiply_by_units}};

} // namespace

std::unique_ptr<Device> model_device(const CardModel& card, std::uint64_t seed, const std::string& id) { return std::make_unique<ModelDevice>(card, seed, id); }

const ModelCounts& model_counts(const Device& device) { return static_cast<const ModelDevice&>(device).counts(); }

} // namespace sonde
