#include "backends/opencl/registers.h"

#include "backends/opencl/describe.h"

namespace sonde::opencl {

namespace {
using enum Register::Of;
// The numbers of AMD's cores have gaps: of an engine's cores some are fused off. A compiler refuses a register that the
// chip lacks, but takes HW_ID where there is XCC_ID as well, and some take it where there is HW_ID1.
constexpr Register kRegisters[] = {
    {clock, "CLOCK_PTX", false, kNvidiaId, "clock64 (inline PTX)", true, true},
    {clock, "CLOCK_AMD", false, kAmdId, "s_memtime", true},
    {clock, "CLOCK_AMD_ASSEMBLY", false, kAmdId, "s_memtime (inline assembly)", true},
    {clock, "CLOCK_AMD_COUNTER", false, kAmdId, "s_memtime (__builtin_readcyclecounter)", true},
    {clock, "CLOCK_CYCLE_COUNTER", true, 0,
        "__builtin_readcyclecounter (time stamp counter)"}, // its rate is fixed, whatever the core's clock does
    {core, "CORE_PTX", false, kNvidiaId, "%smid (inline PTX)"},
    {core, "CORE_AMD_XCC_ID", false, kAmdId, "XCC_ID and HW_ID (s_getreg)"},
    {core, "CORE_AMD_HW_ID1", false, kAmdId, "HW_ID1 (s_getreg)"},
    {core, "CORE_AMD_HW_ID", false, kAmdId, "HW_ID (s_getreg)"},
};
} // namespace

std::span<const Register> all_registers() { return kRegisters; }

std::vector<const Register*> registers_of(Register::Of of, bool cpu, std::uint64_t vendor) {
    std::vector<const Register*> found;
    for (const Register& row : kRegisters)
        if (row.of == of && row.cpu == cpu && (!row.vendor || row.vendor == vendor)) found.push_back(&row);
    return found;
}

const char* trial_kernel(Register::Of of) { return of == clock ? "spin" : "cores"; }

} // namespace sonde::opencl
