// What only the operating system tells or does: the machine, its processor's caches, memory by the page, variables for
// libraries, time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sonde {

struct HostSystem {
    std::string system, release, machine; // "Linux", "6.1.0", "x86_64"
    long cores = 0;
    std::uint64_t memory_bytes = 0;
};
HostSystem host_system();

/// "CPU" where the system does not tell.
std::string processor_model();
/// Caches by level that one core reaches, as far as the system tells them, with the name of the query that did.
struct ProcessorCache {
    std::string name;
    std::uint64_t bytes;
    const char* source;
};
std::vector<ProcessorCache> processor_caches();

/// Pages straight from the system and back to it, all zero. Throws DoesNotFit.
class Pages {
public:
    explicit Pages(std::size_t bytes);
    ~Pages();
    Pages(const Pages&) = delete;
    void* data() const { return data_; }

private:
    void* data_;
    std::size_t bytes_;
};

/// What the links between a PCI device ("0000:65:00.0") and its slot carry one way at the most; 0 where the system does
/// not tell.
double pci_link_bytes_per_second(const std::string& address);

/// Vendor and device of what stands at that PCI address, "10de:1180"; empty where the system does not tell.
std::string pci_id_at(const std::string& address);

/// Raises the limit of stacks (`ulimit -s`) for drivers and compilers in the workers, as far as the system lets it;
/// where stacks are too small for this program, starts it anew. Throws Error where the system refuses that.
void need_stack(char** arguments);
/// Whether an allocation that fails ends this process with one line and exit code 1: an exception might meet a
/// destructor that allocates.
void end_without_memory(bool);

/// Gives each thread of this process but its first, by the order of their beginning, one processor of those that the
/// first may use. Left alone, two of PoCL's threads shared one of two processors through whole series of dispatches of
/// 2 ms: half the rate in 4 runs of 4, and in none of 9 with pinned threads, of which one by POCL_AFFINITY=1. A bare
/// program that wakes two threads does not show it: cause unknown. Where the system refuses, threads stay as they are.
void pin_threads();

/// For libraries that this process loads later.
void set_environment(const char* name, const std::string& value);

/// Seconds of a clock that never jumps and that all processes of this machine read alike.
double steady_seconds();

/// This moment in UTC, in the form that strftime takes.
std::string utc_text(const char* form);

} // namespace sonde
