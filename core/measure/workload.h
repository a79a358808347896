// Workloads: kernels as programs have them, in steps that are launches of their own, each size checked, and what a unit
// of their work demands of the card.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/data/finding.h"
#include "core/measure/bench.h"

namespace sonde {

/// A workload of one size, in memory of its own.
class Workload {
public:
    virtual ~Workload() = default;
    /// Of a unit of work; `from_x` is the driver's to say.
    virtual Demand demand() const = 0;
    /// Units of work in a step.
    virtual double units() const = 0;
    /// Appends the launches of step number `step`, from 0 on. What they point to lives as long as the workload.
    virtual void append(std::vector<Launch>& launches, std::uint64_t step) const = 0;
    /// Compares what stands in memory after so many steps with what the host says. Throws Error where it differs.
    virtual void check(std::uint64_t steps) = 0;
};

/// What the time of a step grows with. On a GPU a step is as large as fits twice into a dispatch's limit, by what
/// smaller ones took.
struct StepItems {
    std::uint64_t fewest;   // a power of two, that lasts some milliseconds on any card
    int power = 1;          // of the items, with which the time grows
    std::uint64_t most = 0; // a power of two; 0: a step has as many items as its size
    bool hold_size = false; // where it has others: as many as the size at the least
};

/// A workload of size `x` whose steps have so many items.
using MakeWorkload = std::function<std::unique_ptr<Workload>(std::uint64_t x, std::uint64_t items)>;

/// All blocks of a sweep over `xs`, powers of two and ascending. Steps of a dispatch are launched one behind the other,
/// without a wait. Instead of a size whose step would last too long the largest that does not is measured, and the
/// series ends by EndedBy::dispatch. Throws TooLong where even the smallest step lasts too long.
void measure_workload(Bench&, const std::vector<std::uint64_t>& xs, const StepItems&, const MakeWorkload&);

/// Powers of two from the largest that `fits` down to `least`: each of them, or briefly every third.
std::vector<std::uint64_t> powers_of_two(
    const Profile&, std::uint64_t least, const std::function<bool(std::uint64_t)>& fits);

/// How work-items that are a power of two in number are shared out: `own` of them follow each other in a workgroup.
struct Share {
    std::uint32_t group_size, groups, own;
};
std::uint32_t workload_group_size(const DeviceInfo&);
Share share_of(const DeviceInfo&, std::uint64_t items);

/// The rate at the largest size and the best one, and what a unit of work demands.
std::vector<Finding> workload_findings(const Series&, const DeviceInfo&);

/// Keeps in the evidence which library does the work of size `x`.
void keep_library(Bench&, std::uint64_t x, const LibraryKernel&);
/// The findings of a workload that a library does, each with its name.
std::vector<Finding> library_findings(const Series&, const DeviceInfo&);

} // namespace sonde
