// Accesses in a pattern over the lanes that load together (kernels/pattern.h): launched, timed, held against the host.
#pragma once
#include <memory>
#include <vector>

#include "core/measure/bench.h"
#include "core/measure/traffic.h"

namespace sonde {

/// Where the lanes stand within a window, and where the windows are; all in elements, or in bytes where elements begin
/// at any (PatternAccess). See kernels/pattern.h.
struct Pattern {
    std::uint32_t lanes = 1, across = 1, factor = 1, summand = 0, stride = 1, down = 0, offset = 0;
    std::uint32_t row_mask = 0xFFFFFFFFu, row_shift = 31, window_across = 1, window_down = 0, windows = 1;
    std::uint32_t active = ~0u; // places of a window at which a lane loads, where some may not
    enum class Windows { in_line, in_rows, scattered } windows_are = Windows::in_line;
};

/// What a lane does at its place. packed: elements begin at any byte. some_lanes: Pattern::active says which load.
struct PatternAccess {
    std::uint32_t element_bytes = 4;
    Pattern::Windows windows = Pattern::Windows::in_line;
    bool stores = false, packed = false, some_lanes = false;
};

class PatternRunner {
public:
    /// Compiles the kernel for such accesses into the evidence. All memory of the path that `bytes` asks for is filled.
    PatternRunner(Bench&, const PatternAccess&, std::uint64_t bytes);
    /// New memory for a new block.
    void new_memory();
    void aim(const Pattern& pattern) { pattern_ = pattern; }
    /// Bytes at hand.
    std::uint64_t bytes() const { return bytes_; }
    /// Each lane loads or stores 4 * `count` times. Throws Error where one of the lanes or elements that are looked at
    /// has not what the host knows.
    Sample timed(std::uint32_t count);
    std::uint32_t most() const;
    /// Waves of so many lanes in a launch.
    std::uint32_t subgroups(std::uint32_t lanes) const { return items() / lanes; }

private:
    std::uint32_t items() const { return shape_.group_size * shape_.groups; }
    bool is_active(std::uint32_t item) const;
    /// Which element a work-item's load touches, by its number.
    std::uint64_t element(std::uint32_t item, std::uint32_t load) const;
    std::uint64_t first_byte(std::uint64_t element) const {
        return access_.packed ? element : element * access_.element_bytes;
    }
    std::uint32_t loaded(std::uint64_t element) const;
    void check_sums(const std::vector<std::uint32_t>& out, std::uint32_t count);
    void check_stores(std::uint32_t count);

    Bench& bench_;
    const PatternAccess access_;
    std::uint64_t bytes_;
    Shape shape_;
    std::shared_ptr<Kernel> kernel_;
    std::unique_ptr<Buffer> memory_, result_;
    std::uint32_t fill_seed_ = 0, launch_seed_ = 0;
    Pattern pattern_;
};

/// The kernel that one measures with.
KernelChoice pattern_kernel(const DeviceInfo&, const PatternAccess&);

} // namespace sonde
