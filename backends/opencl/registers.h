// What kernels read of the core that they run on: its clock, and its number.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace sonde::opencl {

/// One form that the dialect has. Which a compiler takes, a trial shows.
struct Register {
    enum class Of { clock, core };
    Of of;
    const char* define; // of the dialect's form
    bool cpu;
    std::uint64_t vendor; // CL_DEVICE_VENDOR_ID; 0: any
    const char* name;
    bool core_cycles = false, ptx = false; // of a clock: what it counts; kernels have the other clocks of PTX as well
};
std::span<const Register> all_registers();
/// Those that a device may have, in the order in which they are tried.
std::vector<const Register*> registers_of(Register::Of, bool cpu, std::uint64_t vendor);
/// The kernel that reads it.
const char* trial_kernel(Register::Of);

} // namespace sonde::opencl
