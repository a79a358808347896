// A card that is not there: the kernels' answers are the host's, their times those of simulated caches, so that every
// probe can be held against a truth that is known.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "tests/model/model_memory.h"

namespace sonde {

/// Which caches a path goes through, by their place in the card's list, and what stands between two loads.
struct PathModel {
    std::string name;
    std::vector<std::size_t> caches;
    double arithmetic = 0;    // cycles
    std::string chase{};      // the listing of its chase: a file of tests/listing/texts
    double behind_cycles = 0; // what a load costs that none of the caches has; 0: as of the card's memory
};

/// A part of the memory with a rate of its own.
struct SegmentModel {
    std::uint64_t bytes = 0;
    double bandwidth = 0; // bytes per second
};

/// Arithmetic: of a dependent operation; of a core's lanes together. Operations of one unit wait for one another.
struct OperationModel {
    double cycles = 4, per_cycle = 128;
    std::string unit{};
};

/// An instruction of a subgroup takes so long at the least in a loop of up to so many bytes.
struct CodeCacheModel {
    std::uint64_t bytes;
    double cycles;
};

/// What joins two cards of a machine, by their numbers.
struct LinkModel {
    int first, second;
    std::string text;
    double bytes_per_ns; // each way, by its documents
    double carried = 1;  // which part of that it carries
};

struct CardModel {
    std::string name;
    double clock_mhz = 1000;
    std::uint32_t cores = 8, cores_of_array = 16; // of the 16 numbers that each array of cores has
    std::uint32_t number_of(std::uint32_t core) const { return core / cores_of_array * 16 + core % cores_of_array; }
    std::uint32_t core_of(std::uint32_t number) const { return number / 16 * cores_of_array + number % 16; }
    std::uint64_t memory_bytes = 1ull << 30;
    std::uint64_t largest_buffer = 0; // of one allocation; 0: all of the memory
    std::uint64_t memory_free = 0;    // what can be allocated, where others have the rest; 0: all
    bool tells_free = false;          // how much that is
    bool tells_cores = true;          // how many there are
    std::vector<CacheModel> caches;
    double memory_cycles = 500;
    std::vector<TlbModel> tlbs;
    double scratchpad_cycles = 30;
    std::uint32_t scratchpad_bytes = 48 * 1024;
    std::uint32_t scratchpad_taken =
        0; // a launch that asks for more is refused, whatever the card says; 0: it keeps its word
    std::uint32_t constant_bytes = 64 * 1024; // that the card says it has
    std::uint64_t constant_taken = 64 * 1024; // and an allocation gets
    bool scratchpad_from_first = false;       // what a workgroup holds is taken from the first cache
    double far_cycles = 0;                    // by which the second half of the cores is farther from memory
    std::vector<PathModel> paths;
    bool tells_core = true; // to a kernel
    double noise = 0;       // standard deviation of a dispatch's time, a share
    double drift = 0;       // by which share the clock swings, to and fro over some thousand dispatches
    double bandwidth = 500e9;
    double bus_bytes_per_ns = 20; // each way, from pinned memory
    std::vector<LinkModel> links; // between this card's number and others; none: it is alone
    double together_bytes_per_ns =
        0;                       // what the host moves with all cards at once, each way; 0: all that their buses do
    double pageable_factor = 3;  // how much longer pageable memory takes
    bool bus_both_ways = true;   // at once
    double copy_ns = 2000;       // what a copy costs at the least
    double unaligned_factor = 1; // how much longer a copy takes whose host address is no multiple of 64 bytes
    double host_ns = 0;          // in which this machine leaves the card idle, of each call
    double launch_ns = 1500,
           round_trip_ns = 6000; // of a launch behind others in a queue, and of one that is waited for
    double exchange_cycles = 300,
           subgroup_exchange_cycles = 60; // between two workgroups; between two work-items of one
    double peer_exchange_cycles = 900;    // between work-items of two cards
    bool in_order = false;                // work-items run one after another
    bool second_astray = false;           // of two that exchange the second ends waiting for a count that never comes
    OperationModel operation;             // all but those that have a row
    std::map<std::string, OperationModel> operations; // by name
    std::vector<CodeCacheModel>
        code_caches; // the smallest first; larger loops are as the last; none: instructions cost nothing
    double matrix_cycles = 24,
           matrix_interval = 1.5; // of a dependent multiply-add of matrices; from one of a core to the next
    std::optional<std::uint32_t> clusters =
        std::nullopt; // of any size that run at a time; nullopt: the driver cannot be asked
    std::optional<std::uint32_t> resident_groups =
        std::nullopt;            // of any kernel on a core, by the driver's account; nullopt: it cannot be asked
    bool wrong_matrices = false; // one sum of all is one too large
    double library_operations_per_cycle = 0; // of a core, in products and transforms by a library; 0: there is none
    std::uint32_t registers_per_core = 65536, subgroups_per_core = 64, groups_per_core = 32; // at a time
    double atomics_at_once = 32;     // on separate addresses, per core and clock; on one address: one
    double subgroup_load_cycles = 1; // that one subgroup's load of one line keeps a core's path to memory busy
    double tile_cycles = 3e5;        // of a workgroup that streams beside a chase
    bool maps_memory = true;         // for the processor
    bool host_in_device = false;     // memory asked of the host is the device's own
    double zeros_faster = 1;         // times the rate of other data
    std::uint32_t most_groups = 65535;
    double loops_slower = 0; // times as long do workgroups take that have more than one tile; 0: as fast as others
    std::uint32_t transaction_bytes =
        0; // that a subgroup's access in a pattern moves, whatever it asked of them; 0: what it asked for
    double group_bandwidth = 0;                      // what one workgroup brings at the most; 0: all that there is
    std::vector<SegmentModel> segments;              // one behind the other; none: all of the memory is alike
    bool exclusive_reads = false;                    // reading one segment keeps readers of others waiting
    double writes_longer = 1;                        // times as long as reads, of segments
    std::map<std::string, double> first_level_rates; // bytes per second, by path
    bool one_pipe = true;                            // for all of them
    std::uint32_t banks = 32, bank_bytes = 4;        // of the scratchpad
    std::uint32_t loop_trips = 0;  // after which a loop of traffic ends, whatever it should do; 0: it goes on
    std::uint64_t sinks_after = 0; // launches, after which the clock is a half until it spins on all cores; 0: never
    bool sinks_when_freed = false; // it does, too, when much memory is freed
    std::uint64_t lost_after = 0;  // launches of traffic, after which the device is lost; 0: never
    std::uint64_t failing_allocation = 0; // the number of the one that goes wrong, whatever room there is; 0: none does
    std::uint64_t wrong_after = 0;        // launches of traffic, after which what was read is wrong
    std::function<void(DeviceInfo&)> told{}; // what the API tells in another way than of other modelled cards
    std::string source; // where the figures are from; "made up" in it marks those that nobody published
};

/// A device of that card. The same seed gives the same noise.
std::unique_ptr<Device> model_device(const CardModel& card, std::uint64_t seed, const std::string& id = "model:0");

/// Each is then a sibling of all others.
void join(const std::vector<Device*>&);

/// What such a device counts of itself.
struct ModelCounts {
    std::uint64_t allocated = 0; // bytes at present
    double longest_ns = 0;       // of a dispatch
    std::set<double> moved;      // bytes that single launches of `read`, `write` and `mix` loaded and stored
};
const ModelCounts& model_counts(const Device&);

/// Cards with the structures of real ones.
const std::vector<CardModel>& model_cards();
/// Throws Error for a name that none of them has.
const CardModel& model_card(const std::string& name);

} // namespace sonde
