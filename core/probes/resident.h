// What the probes of occupancy have in common: a chain that workgroups walk, and how the number that a core holds at a
// time follows from their times.
#pragma once
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

/// A random chain of 16 MiB, of which L1 holds next to nothing; workgroup g walks it from slot g % kSlots on, all its
/// lanes together.
class WalkedChain {
public:
    static constexpr std::uint32_t kSlots = 1 << 17, kShift = 5;
    explicit WalkedChain(Bench&);
    const Buffer& links() const { return *links_; }
    /// The link that a workgroup holds after so many loads.
    std::uint32_t end_of(std::uint32_t group, std::uint64_t loads) const {
        return order_[(place_[group % kSlots] + loads) % kSlots];
    }

private:
    const std::unique_ptr<Buffer> links_;
    std::vector<std::uint32_t> order_, place_; // the stops in order; of each slot the number there
};

/// What x is to the reader of a finding, and how many subgroups a workgroup has at x.
struct HeldAt {
    std::string_view by;
    std::string (*text)(double x);
    double (*subgroups)(double x);
};
/// One finding: resident workgroups by x. `evidence.groups_per_core` counts workgroups of one subgroup.
std::vector<Finding> resident_findings(const Series&, const DeviceInfo&, const HeldAt&);

} // namespace sonde
