// What an OpenCL device says about itself, and what its compiler can be asked for.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/opencl/api.h"
#include "backends/opencl/registers.h"
#include "core/device/device.h"

namespace sonde::opencl {

inline constexpr std::uint64_t kNvidiaId = 0x10de, kAmdId = 0x1002; // CL_DEVICE_VENDOR_ID

/// The answer as text, or "" where the device does not know the question.
std::string text_answer(const Api& api, cl_device_id device, cl_device_info query);
/// The answer as a number of whichever width the device gives it, or 0 where it does not know the question or lacks the
/// extension.
std::uint64_t number_answer(const Api& api, cl_device_id device, cl_device_info query, const char* extension = nullptr);
/// A platform's name, or "unnamed platform".
std::string platform_name(const Api& api, cl_platform_id platform);

/// Whose words beyond OpenCL C a compiler takes: inline PTX, or AMD's meaning of volatile.
enum class Vendor { other, nvidia, amd };
Vendor vendor_of(const Api& api, cl_platform_id platform, cl_device_id device);
/// What a driver's compiler takes.
struct Compiler {
    Vendor vendor = Vendor::other;
    int ptx = 0; // the newest version of inline PTX, times ten
    std::vector<const Register*> registers{};
};
inline constexpr std::string_view kNoPeerMemory =
    "a kernel of OpenCL reaches no other device's memory: a buffer moves to the device that uses it";
/// Why the dialect has no form of a path; nullopt: it has one. A device may still refuse it.
std::optional<std::string> why_no_form(const Path&, Vendor);
/// Why OpenCL C as this vendor's compiler takes it has no words for a feature, whatever the device; nullopt: it may
/// have.
std::optional<std::string> why_not_in_language(Feature, Vendor);
/// Why a kernel cannot have a feature, by the device's own list of extensions and capabilities; nullopt: it can.
std::optional<std::string> why_lacking(
    const Api& api, cl_device_id device, const Compiler&, Feature, bool in_scratchpad);
/// The same of matrix units, by the chip's name as LLVM has it, with or without what follows a colon.
std::optional<std::string> why_lacking_matrices(std::string_view chip, Feature);
/// Why no buffer can lie in memory that the processor and a running kernel both see; nullopt: it can.
std::optional<std::string> why_not_shared(const Api& api, cl_device_id device);
/// Whether the kernel adds floating-point numbers atomically: by cl_ext_float_atomics, which is of OpenCL C 3.0, or by
/// NVIDIA's inline PTX.
bool adds_floats(const Build&);
/// Whether its text is of OpenCL C 3.0.
bool takes_version_3(const Build&);
/// The whole text that a driver compiles. `library`: in front of the dialect.
std::string source_text(const Source&, const Build&, const Compiler&, std::string_view library = "");

/// The work-items that run in lockstep, as the driver counts them for a kernel: nullopt in front of OpenCL 1.1.
std::optional<std::uint32_t> subgroup_of(const Api&, cl_device_id, cl_kernel);
/// Everything but the id and the clock; subgroup 0 where no query tells it.
DeviceInfo describe(const Api& api, cl_platform_id platform, cl_device_id device);

} // namespace sonde::opencl
