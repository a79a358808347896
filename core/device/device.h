// The boundary between what measures (above) and the APIs (below). A backend knows memory, compile, run and time;
// it has never heard of latency or bandwidth, and a new probe touches no backend.
//
// Contract, for every backend:
//  - Enumerating is cheap: `open()` lists devices and fills `DeviceInfo`; contexts and queues are made at first use.
//  - What cannot be done is said, not faked: `why_not` and `Unsupported` carry a reason. What goes wrong is `Error`
//    with the call, the code's symbolic name and, for `compile`, the whole build log; `DoesNotFit` where memory or a
//    workgroup's resources ran out.
//  - Errors of the caller (a buffer of another device, too few arguments) are bugs; backends need not detect them.
//  - Every call blocks until its work is done. One thread calls a device at a time. Devices, kernels and buffers may be
//    destroyed in any order as long as the device outlives what it made.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/json_fwd.h"
#include "core/base/system.h"
#include "core/device/path.h"

namespace sonde {

struct Fact {
    std::string name{}, value{}, source{};
};
void to_json(Json&, const Fact&);
void from_json(const Json&, Fact&);

/// How far a memory space goes, and the name of the limit, for the reason of a series that ends there.
struct Reach {
    std::uint64_t bytes = 0;
    std::string limit;
};

/// One way to divide a core's memory into scratchpad and L1.
struct L1Split {
    std::uint64_t scratchpad_bytes = 0, l1_bytes = 0;
    bool operator==(const L1Split&) const = default;
};
void to_json(Json&, const L1Split&);
void from_json(const Json&, L1Split&);

/// Another card that an API reaches from this one, as a device of its own.
struct Peer {
    std::string device{};             // "cuda:1"
    bool mapped = false;              // kernels of this card read and write its memory
    std::string link{};               // what joins the two, as the system tells: "18 NVLinks"; empty: it does not
    double link_bytes_per_second = 0; // theoretical, one way; 0: not reported
    bool operator==(const Peer&) const = default;
};
void to_json(Json&, const Peer&);
void from_json(const Json&, Peer&);

/// A counter that kernels have besides the one that all probes read (DeviceInfo::clock).
enum class OtherClock {
    ptx_clock, // 32 bits of clock64, which counts core cycles
    ptx_globaltimer,
    shader_device
};

/// What an API and the system say of a device. The fields are what a record of it keeps; the members behind them serve
/// measuring alone.
struct DeviceInfo {
    std::string id{}, api{}, name{}, driver{};
    bool software = false, cpu = false;
    std::string uuid{}, pci{}, pci_id{};
    std::uint64_t memory_bytes = 0, largest_buffer = 0;
    std::uint32_t cores = 0; // 0: the API does not tell
    std::uint32_t subgroup = 1, scratchpad_bytes = 0, scratchpad_default_bytes = 0;
    std::uint64_t cache_bytes = 0;
    std::vector<std::uint64_t> cache_levels{};
    double bus_bytes_per_second = 0, host_link_bytes_per_second = 0;
    std::string clock{};
    bool core_cycles = false;
    std::vector<L1Split> l1_splits{};
    std::vector<Peer> peers{}; // the one that is taken unless told first
    std::vector<Fact> facts{};

    std::string largest_buffer_limit{};          // the limit's name, for the reason of a series that ends there
    std::vector<std::uint32_t> subgroup_sizes{}; // of which a kernel may ask for one (Build::subgroup)
    std::uint32_t largest_group = 1;             // work-items of one workgroup
    std::uint32_t threads_per_core = 0;          // work-items that a core holds at a time; 0: not reported
    std::uint32_t most_groups = 65535;           // workgroups of a launch, which every API takes
    std::uint64_t memory_free = 0; // of memory_bytes, as a series begins; what a probe has to make do with
    std::uint32_t loop_trips = 0;  // a kernel must not run more loop trips than this; 0: no such limit
    std::string core_name{};       // what tells a kernel the core that it runs on, "%smid"; empty: nothing does
    std::vector<OtherClock> other_clocks{};
    std::map<Space, Reach> reach{}; // of the spaces that end earlier than a buffer on `global` does

    bool is_gpu() const { return !cpu && !software; }
    bool has(OtherClock other) const { return std::ranges::find(other_clocks, other) != other_clocks.end(); }

    /// Work-items that fill a core. Where the driver does not tell: as many as NVIDIA's cores for data centers hold,
    /// more than others'.
    std::uint32_t filling() const { return threads_per_core ? threads_per_core : 2048; }

    Reach reach_of(Space space) const {
        const auto own = reach.find(space);
        return own != reach.end() ? own->second : Reach{largest_buffer, largest_buffer_limit};
    }
};
void to_json(Json&, const DeviceInfo&);
void from_json(const Json&, DeviceInfo&);

/// Where a buffer landed. `device_local` is nullopt where the API has no way to tell.
struct Placement {
    std::optional<bool> device_local;
    std::string text; // "heap 0 (device-local, 139 GiB), memory type 1"
};

class Buffer {
public:
    virtual ~Buffer() = default;
    virtual std::size_t bytes() const = 0;
    virtual Placement placement() const = 0;
    /// The address that kernels see it at; nullopt where the API does not tell (kernels of CUDA, OpenCL and the host
    /// know it themselves).
    virtual std::optional<std::uint64_t> address() const { return std::nullopt; }
    /// Where the processor sees, while a kernel runs, what that kernel stores, and it what the processor stores. Of
    /// Space::shared never null.
    virtual void* shared_with_host() const { return nullptr; }
    /// Where the processor itself reads and writes a buffer of Space::mapped, until the device next has to do with it;
    /// null: nowhere.
    virtual char* map() const { return nullptr; }
};

/// One transfer: exactly one of `from`/`from_host` and one of `to`/`to_host` is set.
struct Copy {
    const Buffer* from = nullptr;
    const void* from_host = nullptr;
    Buffer* to = nullptr;
    void* to_host = nullptr;
    std::size_t bytes = 0, from_offset = 0, to_offset = 0;
    /// Copies of one queue follow each other; those of others may go on meanwhile. Queue 0 is where kernels run as
    /// well. The rest, up to `kCopyQueues`, are of a copy engine where the API shows such: they carry what the API
    /// itself copies between buffers, and pageable host memory only where it does (else Unsupported). A batch that uses
    /// them is timed as a whole, by the host.
    std::uint32_t queue = 0;
};
inline constexpr std::uint32_t kCopyQueues = 3;
/// Whether a batch uses another queue than that of the kernels.
inline bool uses_copy_queues(std::span<const Copy> copies) {
    return std::any_of(copies.begin(), copies.end(), [](const Copy& copy) { return copy.queue != 0; });
}

struct Source {
    std::string name; // "chase"; also the entry point's name
    std::string text; // the common kernel text, without a dialect
};

/// What a kernel may need of a device besides its path, in the memory of source A where it is an operation on memory.
/// Each API says by a query of its own whether the device has it; a backend refuses what it does not know.
enum class Feature {
    atomic_int64,
    atomic_add_float32,
    atomic_add_float64,
    repeated_text, // Build::repeat
    float64,
    float16,
    bfloat16_fma,
    bfloat16_add,
    int64,
    int16,
    funnel_shift,
    dot_product, // arithmetic on that type; a dot product of bytes
    shuffle,
    ballot,
    reduce, // between the lanes of a subgroup
    acquire_release,
    system_scope, // loads that acquire and stores that release, as seen by the device; and by the processor as well
    cp_async,
    bulk_copy,       // PTX's copies to the scratchpad that no register takes part in
    work_group_copy, // OpenCL C's, which all work-items of a workgroup ask for together
    mma,
    mma_float8,
    mma_wide_float64,
    mma_sparse,
    wgmma, // PTX's instructions of matrix units
    mfma,
    mfma_bfloat16,
    wmma,
    dpas8,
    dpas16,            // AMD's and Intel's, by builtins of their OpenCL compilers
    cooperative_matrix // SPIR-V's; which of them Device::why_lacking(MatrixForm) says
};
inline bool is_copy_to_scratchpad(Feature feature) {
    return feature == Feature::cp_async || feature == Feature::bulk_copy;
}
inline bool is_of_matrices(Feature feature) { return feature >= Feature::mma; }

struct MatrixForm;
struct NumberFormat;

/// A product of square matrices, C = A x B. In memory A's rows lie one behind the other, and so do B's columns, and C's
/// columns in single precision.
struct ProductShape {
    const NumberFormat& in; // of A and B
    std::uint32_t rows;
};

/// Transforms of `points` complex numbers in single precision, `count` of them side by side.
struct TransformShape {
    std::uint64_t points, count;
};

/// What a vendor's library may do in place of a kernel of ours.
using LibraryWork = std::variant<ProductShape, TransformShape>;

struct Build {
    const Path* a = nullptr;      // path of source A, never null
    const Path* b = nullptr;      // path of source B; null: B is unused
    std::uint32_t group_size = 1; // work-items of one workgroup (fixed here: Vulkan bakes it into the pipeline)
    std::vector<std::pair<std::string, std::string>> defines{}; // WIDTH (words per element of A: 1, 2, 4), UNROLL, ...
    std::uint32_t repeat = 0; // times that REPEATED says its text; 0: the kernel has none
    const MatrixForm* matrix =
        nullptr; // of the matrices in its text, whose types a language may have no words for; null: it has none
    std::uint32_t subgroup = 0; // lanes of a subgroup, one of DeviceInfo::subgroup_sizes; 0: as the driver likes
    std::vector<Feature>
        needs{}; // compile() throws Unsupported, with the feature's name in the API, where the device lacks one
};

/// What a driver or compiler handed out for a kernel. `kind`: "ptx", "sass", "gcn", "gen", "spirv", "elf", "c++", or ""
/// with `text` saying why there is none. `note`: what a reader of the text has to know of where it comes from, one line
/// or empty. `words`: the machine code in 64-bit words, from address 0 on; of "sass" alone, where the disassembler has
/// printed one function with them.
struct Listing {
    std::string kind, text, note{};
    std::vector<std::uint64_t> words{};
};
/// Whether listings of that kind show what a chip executes, instruction by instruction.
inline bool shows_machine_code(std::string_view kind) { return kind == "sass" || kind == "gcn" || kind == "gen"; }

class Kernel {
public:
    virtual ~Kernel() = default;
    virtual Listing listing() const = 0;
    /// What the driver tells of the compiled kernel besides its text: registers, private memory, cache mode.
    virtual std::vector<Fact> facts() const { return {}; }
    /// Bytes of scratchpad that every workgroup of the kernel holds, besides those of a launch.
    virtual std::uint32_t scratchpad_bytes() const { return 0; }
    /// Clusters of so many workgroups that the device runs at a time, each workgroup with so much scratchpad; nullopt:
    /// nobody to ask.
    virtual std::optional<std::uint32_t> resident_clusters(
        std::uint32_t /*cluster*/, std::uint32_t /*scratchpad_bytes*/) const {
        return std::nullopt;
    }
    /// Workgroups resident on a core by the driver's own account, each with so much scratchpad from its launch;
    /// nullopt: nobody to ask.
    virtual std::optional<std::uint32_t> resident_groups(std::uint32_t /*scratchpad_bytes*/) const {
        return std::nullopt;
    }
};

/// How CUDA is asked to split a core's L1: the scratchpad's share, in percent (compute capability 7.0 and later) or in
/// KiB (16, 32, 48; before).
struct Carveout {
    enum class Unit { percent, kibibytes } unit = Unit::percent;
    int value = 0;
    bool operator==(const Carveout&) const = default;
};

/// How a batch of launches is timed. each: every one by itself. whole: nothing but the work is queued, no event and no
/// timestamp, and the host's clock alone tells, from the first call that queues to the end of waiting.
enum class Timed { each, whole };

struct Launch {
    const Kernel& kernel;
    const Buffer* a = nullptr; // null: a dummy is bound
    const Buffer* b = nullptr;
    Buffer& out;
    std::span<const std::uint32_t> args; // the kernel's ARGS block, word by word
    std::uint32_t groups = 1, scratchpad_bytes = 0, cluster = 1;
    std::optional<Carveout> carveout = std::nullopt; // CUDA alone can ask
    std::optional<std::uint32_t> bank_bytes =
        std::nullopt; // width of a scratchpad bank, 4 or 8; Kepler alone has the choice
};

/// host_ns: from submission to the end of waiting, the whole batch's time shared equally among its entries.
/// device_ns: this entry's own, by the API's events or timestamps; nullopt where there are none.
struct Timing {
    double host_ns = 0;
    std::optional<double> device_ns;
};

/// Work that a library does; the launch's shape is its own. A product's kernel takes A and B as a launch's a and b, and
/// C as out. A transform's takes the points as out, which it transforms in place: forwards, or back and divided by
/// their number, where the first of the launch's `args` is 1.
struct LibraryKernel {
    std::unique_ptr<Kernel> kernel;
    std::string library, version, file, algorithm;
};

class Device {
public:
    virtual ~Device() = default;
    virtual const DeviceInfo& info() const = 0;
    /// nullopt: kernels can be built and run with A on this path. Else the reason, for a person.
    virtual std::optional<std::string> why_not(const Path&) const = 0;
    /// nullopt: the device has it, for values in a scratchpad or in buffers. Else the reason, for a person.
    virtual std::optional<std::string> why_lacking(Feature, bool in_scratchpad) const = 0;
    /// The same of a shape and types of matrices, where the driver lists those that it has; the form's features are
    /// asked apart.
    virtual std::optional<std::string> why_lacking(const MatrixForm&) const { return std::nullopt; }
    /// Bytes of the device's own memory that nobody holds now; nullopt: the API does not tell.
    virtual std::optional<std::uint64_t> memory_free() const { return std::nullopt; }
    /// Device-local unless the space says otherwise (`Space::host`: pinned host memory that the device reads over its
    /// bus; `Space::peer`: on the first of `DeviceInfo::peers`). Contents are undefined. Throws DoesNotFit when there
    /// is no room; a buffer never lands elsewhere silently.
    virtual std::unique_ptr<Buffer> allocate(Space, std::size_t bytes) = 0;
    /// The same on that of its peers, of a space that `is_of_peer`; or of Space::global on this device, for copies from
    /// and to such a buffer. What host and the peer's memory copy goes past this device: what the other card holds is
    /// what the host sees.
    virtual std::unique_ptr<Buffer> allocate_on(const Peer&, Space, std::size_t bytes);
    /// That peer as a device of this process, whose kernels take buffers that `allocate_on` made in its memory; null:
    /// there is none. It may run kernels from another thread.
    virtual Device* sibling(const Peer&) { return nullptr; }
    /// Host <-> device and device <-> device; queued, then waited for once. On copy queues, copies whose buffers
    /// are those of siblings go on at the same time, each carried by its own card.
    virtual std::vector<Timing> copy(std::span<const Copy>) = 0;
    virtual std::unique_ptr<Kernel> compile(const Source&, const Build&) = 0;
    /// By a library for this API, opened at run time. Throws Unsupported where there is none, or where it does no such
    /// work for the device.
    virtual LibraryKernel library_kernel(const LibraryWork&);
    /// Queues all in order, each seeing what those before it wrote, and waits once.
    virtual std::vector<Timing> run(std::span<const Launch>, Timed = Timed::each) = 0;
    /// Seconds on the host's steady clock, by which measuring waits and keeps its budget. A modelled device has a clock
    /// of its own, so that its series do not depend on what else this machine does.
    virtual double now() const { return steady_seconds(); }
};

/// What opening an API gave: its devices, or one line saying why there are none.
struct Opened {
    std::vector<std::unique_ptr<Device>> devices;
    std::string absent;
};

struct Backend {
    std::string_view api;
    Opened (*open)();
    /// Chips that need not be here to be compiled for, by name; null: this API has no such compiler.
    std::span<const std::string_view> (*targets)() = nullptr;
    /// A device of such a chip that compiles and does nothing else ("vulkan:hawaii"), or why there is none. To be
    /// called in a process of its own, before `open`: it may change what drivers see.
    Opened (*open_target)(std::string_view target) = nullptr;
};

} // namespace sonde
