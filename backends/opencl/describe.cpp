// What an OpenCL device says about itself: one answer per query, vendors' queries only where their extension is listed.
#include "backends/opencl/describe.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "backends/amd_memory.h"
#include "backends/common.h"
#include "backends/nvidia_ptx.h"
#include "core/device/kernel_source.h"

namespace sonde::opencl {

namespace {

// Queries that the headers of OpenCL 1.2 do not name.
constexpr cl_device_info kPreferredGroupMultiple = 0x1067; // CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, OpenCL 3.0
constexpr cl_device_info kBusNvidia = 0x4008, kSlotNvidia = 0x4009, kDomainNvidia = 0x400A;
constexpr cl_device_info kMemoryAtomics = 0x1063; // CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, OpenCL 3.0
constexpr std::uint64_t kAcquireRelease = 1 << 1, kDeviceScope = 1 << 5, kAllDevicesScope = 1 << 6; // of these
constexpr cl_device_info kSharedMemory = 0x1053;                      // CL_DEVICE_SVM_CAPABILITIES, OpenCL 2.0
constexpr std::uint64_t kFineGrain = 1 << 1, kSharedAtomics = 1 << 3; // of these
constexpr cl_device_info kSingleAtomics = 0x4231,
                         kDoubleAtomics = 0x4232; // CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, ..._DOUBLE_...
constexpr std::uint64_t kGlobalAdd = 1 << 1,
                        kLocalAdd = 1 << 17; // CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT, CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT
constexpr std::uint64_t kHostBytes = 1ull << 30; // more pinned memory than that takes seconds to get

constexpr const char* kNvidia = "cl_nv_device_attribute_query";
constexpr const char* kAmd = "cl_amd_device_attribute_query";

constexpr int kPtxWithSync = 60; // of which on shuffles and votes name their lanes

constexpr const char* kSubgroupSizes = "cl_intel_required_subgroup_size";
constexpr const char* kFloatAtomics = "cl_ext_float_atomics";

bool has(const Api& api, cl_device_id device, const char* extension) {
    return fmt::format(" {} ", text_answer(api, device, CL_DEVICE_EXTENSIONS)).find(fmt::format(" {} ", extension)) !=
           std::string::npos;
}

/// The answer's bytes; nothing where the device does not know the question, or lacks the extension that it comes with.
std::optional<std::string> answer(
    const Api& api, cl_device_id device, cl_device_info query, const char* extension = nullptr) {
    if (extension && !has(api, device, extension)) return std::nullopt;
    return bytes_of([&](std::size_t room, void* data, std::size_t* bytes) {
        return api.clGetDeviceInfo(device, query, room, data, bytes);
    });
}

/// The answer as a plain struct or array; nothing where it is not exactly that long.
template <class Value> std::optional<Value> value_answer(
    const Api& api, cl_device_id device, cl_device_info query, const char* extension = nullptr) {
    const auto data = answer(api, device, query, extension);
    if (!data || data->size() != sizeof(Value)) return std::nullopt;
    Value value;
    std::memcpy(&value, data->data(), sizeof value);
    return value;
}

std::string trimmed(std::string text) {
    text.resize(std::min(text.find('\0'), text.size())); // the terminator counts as part of the answer
    const std::size_t first = text.find_first_not_of(" \t\n");
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
}

bool is_cpu(const Api& api, cl_device_id device) {
    return (number_answer(api, device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
}

std::string uuid(const Api& api, cl_device_id device) {
    const auto bytes = value_answer<std::array<unsigned char, CL_UUID_SIZE_KHR>>(
        api, device, CL_DEVICE_UUID_KHR, "cl_khr_device_uuid");
    return bytes ? fmt::format("{:02x}", fmt::join(*bytes, "")) : "";
}

std::string pci(const Api& api, cl_device_id device) {
    const auto address = [](auto domain, auto bus, auto slot, auto function) {
        return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, slot, function);
    };
    if (const auto info =
            value_answer<cl_device_pci_bus_info_khr>(api, device, CL_DEVICE_PCI_BUS_INFO_KHR, "cl_khr_pci_bus_info"))
        return address(info->pci_domain, info->pci_bus, info->pci_device, info->pci_function);
    if (const auto bus = value_answer<cl_uint>(api, device, kBusNvidia, kNvidia)) {
        const std::uint64_t slot = number_answer(api, device, kSlotNvidia); // device and function, as PCI packs them
        return address(number_answer(api, device, kDomainNvidia), *bus, slot >> 3, slot & 7);
    }
    const auto topology = value_answer<cl_device_topology_amd>(api, device, CL_DEVICE_TOPOLOGY_AMD, kAmd);
    if (!topology || topology->raw.type != CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD) return "";
    const auto byte = [](cl_char value) { return static_cast<unsigned char>(value); };
    return address(
        0, byte(topology->pcie.bus), byte(topology->pcie.device), byte(topology->pcie.function)); // it tells no domain
}

/// Those that a kernel may ask for, in ascending order.
std::vector<std::uint32_t> subgroup_sizes(const Api& api, cl_device_id device) {
    const std::string sizes = answer(api, device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, kSubgroupSizes).value_or("");
    std::vector<std::size_t> all(sizes.size() / sizeof(std::size_t));
    if (!all.empty()) std::memcpy(all.data(), sizes.data(), all.size() * sizeof(std::size_t));
    return {all.begin(), all.end()};
}

/// Work-items that run in lockstep, by whichever query knows; 0: none does.
std::uint32_t subgroup(const Api& api, cl_device_id device) {
    if (is_cpu(api, device)) return 1; // its work-items run one after another
    if (const auto lanes = number_answer(api, device, CL_DEVICE_WARP_SIZE_NV, kNvidia))
        return static_cast<std::uint32_t>(lanes);
    if (const auto lanes = number_answer(api, device, CL_DEVICE_WAVEFRONT_WIDTH_AMD, kAmd))
        return static_cast<std::uint32_t>(lanes);
    const auto sizes = subgroup_sizes(api, device);
    const auto largest =
        sizes.empty() ? static_cast<std::uint32_t>(number_answer(api, device, kPreferredGroupMultiple)) : sizes.back();
    return largest;
}

std::string local_memory_type(std::uint64_t value) {
    return value == CL_LOCAL ? "dedicated" : value == CL_GLOBAL ? "ordinary memory" : "none";
}
std::string cache_type(std::uint64_t value) {
    return value == CL_READ_WRITE_CACHE ? "read and write" : value == CL_READ_ONLY_CACHE ? "read only" : "none";
}
std::string yes_no(std::uint64_t value) { return value ? "yes" : "no"; }

/// One fact: what it is called, the query that gives it, and how to show a number (a unit, or a function). Neither: the
/// answer is text.
struct Question {
    const char* fact;
    cl_device_info query;
    const char* source;
    const char* unit = nullptr;
    std::string (*show)(std::uint64_t) = nullptr;
    const char* extension = nullptr; // asked only where it is listed
};

#define QUERY(name) name, #name
constexpr Question kQuestions[] = {
    {"vendor", QUERY(CL_DEVICE_VENDOR)},
    {"device version", QUERY(CL_DEVICE_VERSION)},
    {"OpenCL C version", QUERY(CL_DEVICE_OPENCL_C_VERSION)},
    {"compiler", QUERY(CL_DEVICE_COMPILER_AVAILABLE), "", yes_no},
    {"compute units", QUERY(CL_DEVICE_MAX_COMPUTE_UNITS), ""},
    {"clock", QUERY(CL_DEVICE_MAX_CLOCK_FREQUENCY), " MHz"},
    {"memory", QUERY(CL_DEVICE_GLOBAL_MEM_SIZE), " bytes"},
    {"memory shared with the host", QUERY(CL_DEVICE_HOST_UNIFIED_MEMORY), "", yes_no},
    {"largest allocation", QUERY(CL_DEVICE_MAX_MEM_ALLOC_SIZE), " bytes"},
    {"cache", QUERY(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE), " bytes"},
    {"cache type", QUERY(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE), "", cache_type},
    {"cache line", QUERY(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE), " bytes"},
    {"scratchpad", QUERY(CL_DEVICE_LOCAL_MEM_SIZE), " bytes"},
    {"scratchpad type", QUERY(CL_DEVICE_LOCAL_MEM_TYPE), "", local_memory_type},
    {"constant buffer", QUERY(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), " bytes"},
    {"images", QUERY(CL_DEVICE_IMAGE_SUPPORT), "", yes_no},
    {"image from buffer", QUERY(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE), " pixels"},
    {"image width", QUERY(CL_DEVICE_IMAGE2D_MAX_WIDTH), " pixels"},
    {"image height", QUERY(CL_DEVICE_IMAGE2D_MAX_HEIGHT), " pixels"},
    {"address width", QUERY(CL_DEVICE_ADDRESS_BITS), " bits"},
    {"error correction", QUERY(CL_DEVICE_ERROR_CORRECTION_SUPPORT), "", yes_no},
    {"event resolution", QUERY(CL_DEVICE_PROFILING_TIMER_RESOLUTION), " ns"},
    {"registers of a workgroup", QUERY(CL_DEVICE_REGISTERS_PER_BLOCK_NV), "", nullptr, kNvidia},
    {"compute capability, major", QUERY(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV), "", nullptr, kNvidia},
    {"compute capability, minor", QUERY(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV), "", nullptr, kNvidia},
    {"integrated", QUERY(CL_DEVICE_INTEGRATED_MEMORY_NV), "", yes_no, kNvidia},
    {"board", QUERY(CL_DEVICE_BOARD_NAME_AMD), nullptr, nullptr, kAmd},
    {"SIMDs of a compute unit", QUERY(CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD), "", nullptr, kAmd},
    {"scratchpad of a compute unit", QUERY(CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD), " bytes", nullptr, kAmd},
    {"scratchpad banks", QUERY(CL_DEVICE_LOCAL_MEM_BANKS_AMD), "", nullptr, kAmd},
    {"memory channels", QUERY(CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD), "", nullptr, kAmd},
    {"extensions", QUERY(CL_DEVICE_EXTENSIONS)},
};
#undef QUERY

std::vector<Fact> facts(const Api& api, cl_platform_id platform, cl_device_id device) {
    std::vector<Fact> all{{"platform", platform_name(api, platform), "CL_PLATFORM_NAME"}};
    for (const Question& question : kQuestions) {
        if (!answer(api, device, question.query, question.extension)) continue;
        const std::uint64_t number = question.unit ? number_answer(api, device, question.query) : 0;
        all.push_back({question.fact,
            question.show   ? question.show(number)
            : question.unit ? fmt::format("{}{}", number, question.unit)
                            : text_answer(api, device, question.query),
            question.source});
    }
    return all;
}

} // namespace

std::string text_answer(const Api& api, cl_device_id device, cl_device_info query) {
    return trimmed(answer(api, device, query).value_or(""));
}

std::uint64_t number_answer(const Api& api, cl_device_id device, cl_device_info query, const char* extension) {
    if (const auto wide = value_answer<std::uint64_t>(api, device, query, extension)) return *wide;
    return value_answer<std::uint32_t>(api, device, query, extension).value_or(0);
}

std::string platform_name(const Api& api, cl_platform_id platform) {
    const auto name = bytes_of([&](std::size_t room, void* data, std::size_t* bytes) {
        return api.clGetPlatformInfo(platform, CL_PLATFORM_NAME, room, data, bytes);
    });
    return name && !name->empty() ? trimmed(*name) : "unnamed platform";
}

Vendor vendor_of(const Api& api, cl_platform_id platform, cl_device_id device) {
    const std::uint64_t vendor = number_answer(api, device, CL_DEVICE_VENDOR_ID);
    if (is_cpu(api, device)) return Vendor::other;
    // Other drivers for NVIDIA's cards take no inline PTX.
    if (vendor == kNvidiaId && platform_name(api, platform).find("NVIDIA") != std::string::npos) return Vendor::nvidia;
    return vendor == kAmdId ? Vendor::amd : Vendor::other;
}

std::optional<std::string> why_no_form(const Path& path, Vendor vendor) {
    constexpr std::string_view kNoOperators = "OpenCL C has no cache operators, and this driver takes no inline PTX";
    if (path.name == "global.ca" && vendor == Vendor::nvidia) return std::nullopt;
    if (path.name == "global.cg" && vendor != Vendor::other) return std::nullopt;
    return sonde::why_no_form("OpenCL", path,
        {"global", "global.cs", "global.readonly", "global.uniform", "global.pointer", "private", "texel", "image2d",
            "constant", "constant.uniform", "scratchpad", "host", "peer.unmapped"},
        {{"global.ca", kNoOperators}, {"global.cg", kNoOperators},
            {"push", "OpenCL passes kernel arguments in a memory of its own choice and has no push constants"},
            {"cluster", "OpenCL has no clusters of workgroups"}, {"peer", kNoPeerMemory}, {"peer.cg", kNoPeerMemory}});
}

std::optional<std::string> why_not_in_language(Feature feature, Vendor vendor) {
    const bool ptx = vendor == Vendor::nvidia;
    if (is_copy_to_scratchpad(feature)) return kNoCopyToScratchpad;
    if (feature == Feature::cooperative_matrix) return "OpenCL C has no cooperative matrices";
    if (feature == Feature::wgmma)
        return ptx ? "wgmma is an instruction of sm_90a, and inline PTX is compiled for sm_90"
                   : "OpenCL C has no matrix multiply-adds";
    if (feature == Feature::mfma || feature == Feature::mfma_bfloat16 || feature == Feature::wmma)
        return "mfma and wmma are builtins of AMD's compiler";
    if (ptx) return std::nullopt;
    if (feature == Feature::bfloat16_fma || feature == Feature::bfloat16_add) return "OpenCL C has no bfloat16";
    const bool of_ptx = feature == Feature::mma || feature == Feature::mma_sparse || feature == Feature::mma_float8 ||
                        feature == Feature::mma_wide_float64;
    return of_ptx ? std::optional("OpenCL C has no matrix multiply-adds, and this driver takes no inline PTX")
                  : std::nullopt;
}

namespace {
/// Of arithmetic and of exchanges between lanes: an extension, for some of which NVIDIA's driver takes inline PTX.
/// The extension has one width of subgroups, a device's smallest.
std::optional<std::string> why_lacking_dpas(const Api& api, cl_device_id device, std::uint32_t lanes) {
    constexpr const char* kExtension = "cl_intel_subgroup_matrix_multiply_accumulate";
    if (!has(api, device, kExtension)) return fmt::format("the device has no {}", kExtension);
    const auto sizes = subgroup_sizes(api, device);
    if (!sizes.empty() && std::ranges::min(sizes) == lanes) return std::nullopt;
    return fmt::format("{} has {} lanes where the device's smallest subgroup has, which has {}", kExtension, lanes,
        sizes.empty() ? "no known size" : std::to_string(std::ranges::min(sizes)));
}

std::optional<std::string> why_lacking_arithmetic(
    const Api& api, cl_device_id device, const Compiler& compiler, Feature feature) {
    struct Row {
        Feature feature;
        const char* extension; // null: every OpenCL C has it; empty: none has, and why_not_in_language says so
        const char* ptx;       // null: there is no inline PTX for it
        std::uint64_t capability = 0;
        int version = 0; // of PTX, times ten
    };
    constexpr Row kRows[] = {{Feature::repeated_text, nullptr, nullptr}, {Feature::int64, nullptr, nullptr},
        {Feature::int16, nullptr, nullptr}, {Feature::funnel_shift, nullptr, nullptr},
        {Feature::work_group_copy, nullptr, nullptr}, {Feature::float64, "cl_khr_fp64", nullptr},
        {Feature::float16, "cl_khr_fp16", "fma.rn.f16x2", 60, 42}, {Feature::bfloat16_fma, "", "fma.rn.bf16x2", 80, 70},
        {Feature::bfloat16_add, "", "add.bf16x2", 90, 78},
        {Feature::dot_product, "cl_khr_integer_dot_product", "dp4a", 61, 50},
        {Feature::shuffle, "cl_khr_subgroup_shuffle", "shfl", 30, 30},
        {Feature::ballot, "cl_khr_subgroup_ballot", "vote", 30, 30},
        {Feature::reduce, "cl_khr_subgroups", "redux.sync", 80, 70},
        {Feature::acquire_release, "", "ld.acquire", 70, 60}, {Feature::system_scope, "", "ld.acquire.sys", 70, 60},
        {Feature::mma, "", "mma.sync", 80, 70}, {Feature::mma_sparse, "", "mma.sp", 80, 71},
        {Feature::mma_float8, "", "mma.sync of 8-bit floating-point numbers", 89, 84},
        {Feature::mma_wide_float64, "", "mma.sync m16n8k4.f64", 90, 78}};
    if (is_of_matrices(feature) && feature != Feature::wgmma && compiler.vendor == Vendor::amd)
        return opencl::why_lacking_matrices(text_answer(api, device, CL_DEVICE_NAME), feature);
    if (auto reason = why_not_in_language(feature, compiler.vendor)) return reason;
    if (feature == Feature::dpas8 || feature == Feature::dpas16)
        return why_lacking_dpas(api, device, feature == Feature::dpas8 ? 8 : 16);
    const auto* row = std::ranges::find(kRows, feature, &Row::feature);
    if (row == std::end(kRows)) return kUnknownNeed;
    if (compiler.vendor == Vendor::nvidia && row->ptx) {
        if (compiler.ptx < row->version)
            return fmt::format("{} (inline PTX) needs PTX {}.{} ({}), the driver speaks {}.{}", row->ptx,
                row->version / 10, row->version % 10, nvidia::release_of_ptx(row->version), compiler.ptx / 10,
                compiler.ptx % 10);
        const std::uint64_t has = number_answer(api, device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, kNvidia) * 10 +
                                  number_answer(api, device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, kNvidia);
        return has >= row->capability
                   ? std::nullopt
                   : std::optional(fmt::format("{} (inline PTX) needs compute capability {}.{}, the card has {}.{}",
                         row->ptx, row->capability / 10, row->capability % 10, has / 10, has % 10));
    }
    if (!row->extension || has(api, device, row->extension)) return std::nullopt;
    return fmt::format("the device has no {}", row->extension);
}
} // namespace

std::optional<std::string> why_lacking(
    const Api& api, cl_device_id device, const Compiler& compiler, Feature feature, bool in_scratchpad) {
    const Vendor vendor = compiler.vendor;
    const auto without = [&](const char* extension) {
        return has(api, device, extension) ? std::nullopt
                                           : std::optional(fmt::format("the device has no {}", extension));
    };
    if (feature == Feature::atomic_int64) return without("cl_khr_int64_base_atomics");
    if (vendor != Vendor::nvidia && (feature == Feature::acquire_release || feature == Feature::system_scope)) {
        const bool all = feature == Feature::system_scope;
        const std::uint64_t asked = kAcquireRelease | (all ? kAllDevicesScope : kDeviceScope);
        if ((number_answer(api, device, kMemoryAtomics) & asked) == asked) return std::nullopt;
        return fmt::format(
            "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES has no CL_DEVICE_ATOMIC_ORDER_ACQ_REL with CL_DEVICE_ATOMIC_SCOPE_{}",
            all ? "ALL_DEVICES" : "DEVICE");
    }
    if (feature != Feature::atomic_add_float32 && feature != Feature::atomic_add_float64)
        return why_lacking_arithmetic(api, device, compiler, feature);
    const bool wide = feature == Feature::atomic_add_float64;
    if (auto reason = wide ? without("cl_khr_fp64") : std::nullopt) return reason;
    if (vendor == Vendor::nvidia) { // by inline PTX
        const std::uint64_t major = number_answer(api, device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, kNvidia);
        return wide && major < 6
                   ? std::optional(fmt::format("atom.add.f64 needs compute capability 6.0, the card has {}.x", major))
                   : std::nullopt;
    }
    if (auto reason = without(kFloatAtomics)) return reason;
    if (number_answer(api, device, wide ? kDoubleAtomics : kSingleAtomics) & (in_scratchpad ? kLocalAdd : kGlobalAdd))
        return std::nullopt;
    return fmt::format("CL_DEVICE_{}_FP_ATOMIC_CAPABILITIES_EXT has no CL_DEVICE_{}_FP_ATOMIC_ADD_EXT",
        wide ? "DOUBLE" : "SINGLE", in_scratchpad ? "LOCAL" : "GLOBAL");
}

std::optional<std::string> why_not_shared(const Api& api, cl_device_id device) {
    constexpr std::uint64_t kAsked = kFineGrain | kSharedAtomics;
    if ((number_answer(api, device, kSharedMemory) & kAsked) != kAsked)
        return "CL_DEVICE_SVM_CAPABILITIES has no CL_DEVICE_SVM_FINE_GRAIN_BUFFER with CL_DEVICE_SVM_ATOMICS: only "
               "there does OpenCL show the processor what a running kernel stores";
    return api.clSVMAlloc && api.clSVMFree ? std::nullopt : std::optional("the OpenCL loader lacks clSVMAlloc");
}

std::optional<std::string> why_lacking_matrices(std::string_view chip, Feature feature) {
    struct Row {
        Feature feature;
        std::string_view instruction, chips; // beginnings of names
    };
    constexpr Row kRows[] = {{Feature::mfma, "v_mfma", "gfx908 gfx90a gfx94 gfx950"},
        {Feature::mfma_bfloat16, "v_mfma of bf16 in pairs of words (bf16_1k)", "gfx90a gfx94 gfx950"},
        {Feature::wmma, "v_wmma of 32 lanes in RDNA 3's form", "gfx110 gfx115"}};
    if (feature == Feature::cooperative_matrix) return "OpenCL C has no cooperative matrices";
    const auto* row = std::ranges::find(kRows, feature, &Row::feature);
    if (row == std::end(kRows))
        return feature == Feature::dpas8 || feature == Feature::dpas16 ? "dpas is an instruction of Intel's GPUs"
                                                                       : "mma.sync and wgmma are PTX";
    chip = chip.substr(0, chip.find(':'));
    for (const std::string& begin : split(row->chips, ' '))
        if (chip.starts_with(begin)) return std::nullopt;
    return fmt::format("{} has no {}", chip, row->instruction);
}

bool adds_floats(const Build& build) {
    return std::ranges::any_of(build.needs, [](Feature feature) {
        return feature == Feature::atomic_add_float32 || feature == Feature::atomic_add_float64;
    });
}

bool takes_version_3(const Build& build) {
    constexpr Feature kOfVersion3[] = {Feature::acquire_release, Feature::system_scope,
        Feature::dot_product}; // Intel's compiler declares the last only there
    return adds_floats(build) || std::ranges::any_of(build.needs, [&](Feature feature) {
        return std::ranges::find(kOfVersion3, feature) != std::end(kOfVersion3);
    });
}

std::string source_text(const Source& source, const Build& build, const Compiler& compiler, std::string_view library) {
    std::string text = define_lines(build);
    text += compiler.vendor == Vendor::nvidia ? "#define VENDOR_NVIDIA 1\n"
            : compiler.vendor == Vendor::amd  ? "#define VENDOR_AMD 1\n"
                                              : "";
    if (compiler.vendor == Vendor::nvidia && compiler.ptx < kPtxWithSync) text += "#define PTX_WITHOUT_SYNC 1\n";
    for (const Register* one : compiler.registers) text += fmt::format("#define {} 1\n", one->define);
    if (build.subgroup)
        text += fmt::format("#define SUBGROUP_SIZE __attribute__((intel_reqd_sub_group_size({})))\n", build.subgroup);
    return fmt::format("{}{}{}{}", text, library, embedded_text("kernels/dialect_opencl.h"), source.text);
}

std::optional<std::uint32_t> subgroup_of(const Api& api, cl_device_id device, cl_kernel kernel) {
    constexpr cl_kernel_work_group_info kMultiple = 0x11B3; // CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
    std::size_t lanes = 0;
    if (api.clGetKernelWorkGroupInfo(kernel, device, kMultiple, sizeof lanes, &lanes, nullptr) != CL_SUCCESS || !lanes)
        return std::nullopt;
    return static_cast<std::uint32_t>(lanes);
}

DeviceInfo describe(const Api& api, cl_platform_id platform, cl_device_id device) {
    const auto number = [&](cl_device_info query) { return number_answer(api, device, query); };
    DeviceInfo info;
    info.api = "opencl";
    info.name = text_answer(api, device, CL_DEVICE_NAME);
    info.driver = fmt::format("{} {}", platform_name(api, platform), text_answer(api, device, CL_DRIVER_VERSION));
    info.uuid = uuid(api, device);
    info.pci = pci(api, device);
    info.cpu = info.software = is_cpu(api, device);
    info.memory_bytes = number(CL_DEVICE_GLOBAL_MEM_SIZE);
    info.largest_buffer = number(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info.largest_buffer_limit = "CL_DEVICE_MAX_MEM_ALLOC_SIZE";
    if (info.name.starts_with("llvmpipe"))
        info.loop_trips = llvmpipe_loop_trips(text_answer(api, device, CL_DRIVER_VERSION)); // rusticl
    info.cores = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(number(CL_DEVICE_MAX_COMPUTE_UNITS)));
    info.subgroup = subgroup(api, device);
    info.subgroup_sizes = subgroup_sizes(api, device);
    info.largest_group = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(number(CL_DEVICE_MAX_WORK_GROUP_SIZE)));
    info.most_groups =
        std::numeric_limits<std::uint32_t>::max() / info.largest_group; // whose work-items 32 bits number
    info.scratchpad_bytes =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(number(CL_DEVICE_LOCAL_MEM_SIZE), 0xffffffffu));
    info.cache_bytes = number(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    info.facts = facts(api, platform, device); // no query of OpenCL's tells the memory's clock or width
    add_slot(info);
    add_amd_memory(info);
    const auto limit = [&](Space space, std::uint64_t bytes, const char* name) {
        if (bytes < info.largest_buffer) info.reach[space] = {bytes, name};
    };
    limit(Space::constant, number(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE");
    limit(Space::texel, number(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE) * 4, "CL_DEVICE_IMAGE_MAX_BUFFER_SIZE");
    limit(Space::image2d, number(CL_DEVICE_IMAGE2D_MAX_HEIGHT) * kImageRow * 4, "CL_DEVICE_IMAGE2D_MAX_HEIGHT");
    limit(Space::host, kHostBytes, "pinned memory of 1 GiB");
    limit(Space::peer_unmapped, kHostBytes, "1 GiB of another card's memory");
    return info;
}

} // namespace sonde::opencl
