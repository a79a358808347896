// The CUDA backend, over the driver API: no toolkit to build or run. Kernels are the PTX that the build embedded.
// backends/cuda/ holds its parts: the driver's entry points, a card's context, kernels, disassembly.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/backends.h"
#include "backends/cuda/cublaslt.h"
#include "backends/cuda/ptx.h"
#include "backends/nvidia_ptx.h"
#include "backends/peers.h"

namespace sonde {

namespace {

using namespace cuda;

constexpr std::uint64_t kHostBytes = 1ull << 30;  // more pinned memory than that takes seconds to get
constexpr std::uint64_t kPeerBytes = 1ull << 30;  // beyond any cache of a card
constexpr std::size_t kConstantBytes = 64 * 1024; // CONSTANT_BYTES
constexpr int kKepler = 30;                       // compute capabilities, times ten
constexpr int kFirstCarveoutCapability =
    70; // before, the split is chosen by cache preference and the percentage is ignored

/// Zero for what the driver does not know.
std::uint32_t attribute(const Driver& api, DeviceHandle device, Attribute which) {
    int value = 0;
    return api.cuDeviceGetAttribute(&value, which, device) == kSuccess && value > 0 ? static_cast<std::uint32_t>(value)
                                                                                    : 0;
}

/// Times ten.
int capability_of(const Driver& api, DeviceHandle device) {
    return static_cast<int>(attribute(api, device, kCapabilityMajor) * 10 + attribute(api, device, kCapabilityMinor));
}

std::string id_of(int ordinal) { return fmt::format("cuda:{}", ordinal); }
int ordinal_of(std::string_view id) { return number_of<int>(id.substr(id.find(':') + 1)).value_or(0); }

std::vector<Fact> facts_of(const Driver& api, DeviceHandle device, int capability) {
    std::vector<Fact> facts{{"compute capability", fmt::format("{}.{}", capability / 10, capability % 10),
        "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR"}};
    const auto add = [&](Attribute attribute, const char* source, const char* name, const char* unit) {
        if (int value = 0; api.cuDeviceGetAttribute(&value, attribute, device) == kSuccess)
            facts.push_back({name, fmt::format("{}{}", value, unit), source});
    };
#define SONDE_ADD(attribute, number, cuda_name, fact, unit)                                                            \
    add(attribute, "CU_DEVICE_ATTRIBUTE_" #cuda_name, fact, unit);
    SONDE_CUDA_FACTS(SONDE_ADD)
#undef SONDE_ADD
    std::ifstream version("/proc/driver/nvidia/version");
    if (std::string line; std::getline(version, line))
        facts.push_back({"kernel driver", line, "/proc/driver/nvidia/version"});
    return facts;
}

int version_of(const Driver& api) {
    int version = 0;
    CU(cuDriverGetVersion(&version));
    return version;
}

/// The splits of cards that have but a few: by compute capability, times ten, of which on. CUDA C++ Programming Guide,
/// "Compute Capability 3.x".
struct Splits {
    int from, before;
    std::vector<L1Split> all;
};
constexpr std::uint64_t kKiB = 1024;
const Splits kSplits[] = {{20, 30, {{16 * kKiB, 48 * kKiB}, {48 * kKiB, 16 * kKiB}}},
    {30, 40, {{16 * kKiB, 48 * kKiB}, {32 * kKiB, 32 * kKiB}, {48 * kKiB, 16 * kKiB}}}};

DeviceInfo info_of(const Driver& api, DeviceHandle device, int ordinal, int capability) {
    const auto ask = [&](Attribute which) { return attribute(api, device, which); };
    DeviceInfo info;
    info.id = id_of(ordinal);
    info.api = "cuda";
    char name[256] = "";
    CU(cuDeviceGetName(name, sizeof name, device));
    info.name = name;
    const int version = version_of(api);
    info.driver = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
    if (Uuid uuid{}; api.cuDeviceGetUuid && api.cuDeviceGetUuid(&uuid, device) == kSuccess)
        info.uuid = fmt::format("{:02x}", fmt::join(uuid.bytes, ""));
    if (char pci[32] = ""; api.cuDeviceGetPCIBusId && api.cuDeviceGetPCIBusId(pci, sizeof pci, device) == kSuccess)
        for (const char* c = pci; *c; ++c) info.pci += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
    std::size_t memory = 0;
    CU(cuDeviceTotalMem(&memory, device));
    info.memory_bytes = info.largest_buffer = memory;
    info.largest_buffer_limit = "the card's memory";
    info.cores = std::max(1u, ask(kMultiprocessors));
    info.subgroup = std::max(1u, ask(kWarpSize));
    info.largest_group = std::max(1u, ask(kMaxThreadsPerBlock));
    if (capability >= kKepler) info.most_groups = 0x7FFFFFFF; // of a grid's x; before, as many as every API takes
    info.threads_per_core = ask(kThreadsPerMultiprocessor);
    info.scratchpad_bytes = std::max(ask(kSharedMemoryPerBlockOptin), ask(kSharedMemoryPerBlock));
    info.scratchpad_default_bytes = ask(kSharedMemoryPerBlock);
    if (!api.cuFuncSetAttribute) info.scratchpad_bytes = info.scratchpad_default_bytes; // there is no way to opt in
    info.cache_bytes = ask(kL2CacheBytes);
    info.clock = "clock64";
    info.core_cycles = true;
    info.other_clocks = {OtherClock::ptx_clock};
    if (capability >= kKepler) info.other_clocks.push_back(OtherClock::ptx_globaltimer);
    info.core_name = "%smid";
    for (const Splits& row : kSplits)
        if (capability >= row.from && capability < row.before) info.l1_splits = row.all;
    info.bus_bytes_per_second =
        1000.0 * ask(kMemoryClockRate) * 2 * ask(kMemoryBusWidth) / 8; // two transfers per clock
    info.reach = {{Space::constant, {kConstantBytes, "CUDA's __constant__ memory"}},
        {Space::push, {cuda::kPushBytes, "a kernel's parameters"}},
        {Space::host, {std::min(kHostBytes, info.memory_bytes), "pinned memory of 1 GiB"}},
        {Space::peer, {std::min(kPeerBytes, info.memory_bytes), "1 GiB of another card's memory"}},
        {Space::peer_unmapped, {std::min(kPeerBytes, info.memory_bytes), "1 GiB of another card's memory"}},
        {Space::texel,
            {std::uint64_t{ask(kTexture1dLinearWidth)} * 4, "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH"}},
        {Space::image2d,
            {std::uint64_t{ask(kTexture2dHeight)} * kImageRow * 4, "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT"}}};
    info.facts = facts_of(api, device, capability);
    add_slot(info);
    return info;
}

/// The primary contexts of a driver's cards, each made at its first use. All cards share them: who opens the way to
/// another card's memory, and who closes it, is known in one place.
class Contexts {
public:
    explicit Contexts(std::shared_ptr<const Driver> driver) : driver_(std::move(driver)) {}

    Context& of(DeviceHandle device) {
        const std::lock_guard lock(mutex_);
        std::unique_ptr<Context>& made = made_[device];
        if (!made) made = std::make_unique<Context>(*driver_, device);
        return *made;
    }

private:
    const std::shared_ptr<const Driver> driver_;
    std::mutex mutex_;
    std::map<DeviceHandle, std::unique_ptr<Context>> made_;
};

class CudaDevice final : public Device {
public:
    CudaDevice(
        std::shared_ptr<const Driver> driver, std::shared_ptr<Contexts> contexts, DeviceHandle device, DeviceInfo info)
        : driver_(std::move(driver)),
          contexts_(std::move(contexts)),
          device_(device),
          capability_(capability_of(*driver_, device)),
          ptx_(nvidia::ptx_of_cuda(version_of(*driver_))),
          info_(std::move(info)) {}

    const DeviceInfo& info() const override { return info_; }

    std::optional<std::string> why_not(const Path& path) const override {
        if (is_texture(path.space) && !(driver_->cuTexObjectCreate && driver_->cuTexObjectDestroy))
            return "this driver has no cuTexObjectCreate";
        if (path.space == Space::image2d &&
            !(driver_->cuArrayCreate && driver_->cuArrayDestroy && driver_->cuMemcpy2DAsync))
            return "this driver has no cuArrayCreate or cuMemcpy2DAsync";
        if (is_of_peer(path.space) && info_.peers.empty())
            return driver_->cuMemcpyPeerAsync ? "CUDA shows one card" : "this driver has no cuMemcpyPeerAsync";
        if (path.space == Space::peer && std::ranges::none_of(info_.peers, &Peer::mapped))
            return "cuDeviceCanAccessPeer: the card reaches no other card's memory; the driver chooses the way of "
                   "copies";
        auto no_form = cuda::why_no_form(path, capability_);
        if (!no_form && path.stage == Stage::peer_scratchpad && !driver_->cuLaunchKernelEx)
            return "this driver has no cuLaunchKernelEx";
        return no_form;
    }

    std::optional<std::string> why_lacking(Feature feature, bool) const override {
        return cuda::why_lacking(feature, capability_);
    }

    std::optional<std::uint64_t> memory_free() const override {
        std::size_t free = 0, total = 0;
        if (!driver_->cuMemGetInfo) return std::nullopt;
        context();
        return driver_->cuMemGetInfo(&free, &total) == kSuccess ? std::optional(free) : std::nullopt;
    }

    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override {
        if (is_of_peer(space) && !info_.peers.empty()) return allocate_on(info_.peers.front(), space, bytes);
        return in_context(fmt::format("{} bytes", bytes), [&]() -> std::unique_ptr<Buffer> {
            if (space == Space::constant && bytes > kConstantBytes)
                throw DoesNotFit(fmt::format("a kernel of CUDA has {} bytes of constant memory", kConstantBytes));
            return cuda::make_buffer(context(), space, bytes);
        });
    }

    std::unique_ptr<Buffer> allocate_on(const Peer& peer, Space space, std::size_t bytes) override {
        if (!is_of_peer(space)) return allocate(space, bytes);
        if (space == Space::peer && !peer.mapped)
            throw Unsupported(fmt::format(
                "cuDeviceCanAccessPeer: {} does not reach the memory of {}; the driver chooses the way of copies",
                info_.id, peer.device));
        return in_context(fmt::format("{} bytes on {}", bytes, peer.device),
            [&] { return cuda::make_peer_buffer(context(), context_of(peer), peer.device, space, bytes); });
    }

    Device* sibling(const Peer& peer) override {
        const auto found = siblings_.find(peer.device);
        return found == siblings_.end() ? nullptr : found->second;
    }
    void know(CudaDevice& sibling) { siblings_[sibling.info_.id] = &sibling; }

    /// What the host and another card copy, that card copies.
    std::vector<Timing> copy(std::span<const Copy> copies) override {
        if (uses_copy_queues(copies)) return copied_together(copies);
        std::vector<Timing> timings;
        for (std::size_t begin = 0, end = 0; begin < copies.size(); begin = end) {
            Context& card = carrier(copies[begin]);
            while (end < copies.size() && &carrier(copies[end]) == &card) ++end;
            const auto part = copied_by(card, copies.subspan(begin, end - begin));
            timings.insert(timings.end(), part.begin(), part.end());
        }
        return timings;
    }

    std::vector<Timing> copied_by(Context& card, std::span<const Copy> copies) {
        card.make_current();
        for (const Copy& copy : copies) card.stream(copy.queue); // made before the clock runs
        return card.time(
            Timed::each, copies.size(), [](std::size_t) {}, [&](std::size_t i) { enqueue_copy(card, copies[i]); });
    }

    /// Those of several cards at the same time.
    std::vector<Timing> copied_together(std::span<const Copy> copies) {
        std::vector<Context*> carriers, cards;
        carriers.reserve(copies.size());
        for (const Copy& copy : copies) {
            Context& card = *carriers.emplace_back(&carrier(copy));
            card.make_current();
            card.stream(copy.queue); // made before the clock runs
            if (std::ranges::find(cards, &card) == cards.end()) cards.push_back(&card);
        }
        const Context* current = nullptr;
        return time_whole(
            copies.size(),
            [&](std::size_t i) {
                if (carriers[i] != std::exchange(current, carriers[i])) carriers[i]->make_current();
                enqueue_copy(*carriers[i], copies[i]);
            },
            [&] {
                for (const Context* card : cards) {
                    card->make_current();
                    card->wait_for_all();
                }
            });
    }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        if (const auto reason = why_not(*build.a)) throw Unsupported(*reason);
        if (const auto reason = build.b ? why_not(*build.b) : std::nullopt)
            throw Unsupported(fmt::format("path {}: {}", build.b->name, *reason));
        if (build.b && build.a->space == Space::constant && build.b->space == Space::constant)
            throw Unsupported("a kernel of CUDA has 64 KiB of constant memory, for both its sources");
        check_needs(*this, build);
        check_second_source("CUDA", build);
        const std::string variant = variant_name(source, build);
        return in_context(fmt::format("kernel variant '{}'", variant), [&] {
            const std::string text = ptx_for(ptx_text(variant, build.repeat), capability_);
            if (const int needs = nvidia::ptx_of_text(text); needs > ptx_)
                throw Unsupported(fmt::format("the kernel is of PTX {}.{} ({}), the driver speaks {}.{}", needs / 10,
                    needs % 10, nvidia::release_of_ptx(needs), ptx_ / 10, ptx_ % 10));
            return std::make_unique<CudaKernel>(context(), text, source.name, build);
        });
    }

    LibraryKernel library_kernel(const LibraryWork& work) override {
        const auto* shape = std::get_if<ProductShape>(&work);
        if (!shape) return Device::library_kernel(work);
        if (!cublaslt_) cublaslt_ = std::make_shared<const CublasLt>();
        return cuda::library_product(context(), cublaslt_, *shape);
    }

    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        for (const Launch& launch : launches) refuse_what_cannot_run(launch);
        Context& card = context();
        card.dummy(); // made before the clock runs
        const auto kernel_of = [&](std::size_t i) -> const Enqueued& {
            return static_cast<const Enqueued&>(launches[i].kernel);
        };
        return card.time(
            timed, launches.size(), [&](std::size_t i) { kernel_of(i).prepare(launches[i]); },
            [&](std::size_t i) { kernel_of(i).enqueue(launches[i]); });
    }

private:
    Context& context() const {
        Context& own = contexts_->of(device_);
        own.make_current();
        return own;
    }

    Context& carrier(const Copy& copy) const {
        Context& own = context();
        Context* other = cuda::carrier_of(copy, own);
        return other ? *other : own;
    }

    Context& context_of(const Peer& peer) {
        DeviceHandle other = 0;
        const Driver& api = *driver_;
        CU(cuDeviceGet(&other, ordinal_of(peer.device)));
        return contexts_->of(other);
    }

    void refuse_what_cannot_run(const Launch& launch) const {
        if (launch.cluster != 1 && !driver_->cuLaunchKernelEx)
            throw Unsupported("this driver has no cuLaunchKernelEx: no clusters");
        if (launch.scratchpad_bytes > info_.scratchpad_bytes)
            throw DoesNotFit(fmt::format("a scratchpad of {} bytes, but a workgroup has at most {}",
                launch.scratchpad_bytes, info_.scratchpad_bytes));
        const bool percent_card = capability_ >= kFirstCarveoutCapability;
        if (launch.carveout && launch.carveout->unit == Carveout::Unit::percent) {
            if (!percent_card)
                throw Unsupported("a carveout in percent needs compute capability 7.0; before, 16KiB, 32KiB or 48KiB");
            if (!driver_->cuFuncSetAttribute) throw Unsupported("this driver has no cuFuncSetAttribute: no carveout");
        }
        if (launch.carveout && launch.carveout->unit == Carveout::Unit::kibibytes && percent_card)
            throw Unsupported("from compute capability 7.0 on a carveout is given in percent");
        if (!launch.bank_bytes) return;
        if (capability_ / 10 != 3)
            throw Unsupported("only compute capability 3.x lets the width of a scratchpad bank be chosen");
        if (!driver_->cuFuncSetSharedMemConfig) throw Unsupported("this driver has no cuFuncSetSharedMemConfig");
    }

    const std::shared_ptr<const Driver> driver_;
    const std::shared_ptr<Contexts> contexts_;
    const DeviceHandle device_;
    const int capability_, ptx_; // compute capability and newest PTX, times ten
    const DeviceInfo info_;
    std::map<std::string, CudaDevice*> siblings_; // all cards that the driver has
    std::shared_ptr<const CublasLt> cublaslt_;    // from the first use on
};

Opened open_devices() {
    const auto driver = std::make_shared<const Driver>();
    const Driver& api = *driver;
    CU(cuInit(0));
    int count = 0;
    CU(cuDeviceGetCount(&count));
    Opened opened;
    std::vector<DeviceHandle> cards(static_cast<std::size_t>(count));
    std::vector<DeviceInfo> infos;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        DeviceHandle& card = cards[static_cast<std::size_t>(ordinal)];
        CU(cuDeviceGet(&card, ordinal));
        infos.push_back(info_of(api, card, ordinal, capability_of(api, card)));
    }
    std::vector<DeviceInfo*> all;
    all.reserve(infos.size());
    for (DeviceInfo& info : infos) all.push_back(&info);
    if (api.cuMemcpyPeerAsync)
        add_peers(all, [&](std::size_t own, std::size_t other) { return reaches(api, cards[own], cards[other]); });
    const auto contexts = std::make_shared<Contexts>(driver);
    std::vector<CudaDevice*> devices;
    for (std::size_t i = 0; i < cards.size(); ++i) {
        auto device = std::make_unique<CudaDevice>(driver, contexts, cards[i], std::move(infos[i]));
        devices.push_back(device.get());
        opened.devices.push_back(std::move(device));
    }
    for (CudaDevice* device : devices)
        for (CudaDevice* other : devices) device->know(*other);
    if (count == 0) opened.absent = "the driver has no CUDA device";
    return opened;
}

} // namespace

/// `what`: with a blank behind it, or empty.
static std::optional<std::string> why_too_old(std::string_view what, int capability, int least) {
    if (capability >= least) return std::nullopt;
    return fmt::format("{}needs compute capability {}.{}, the card has {}.{}", what, least / 10, least % 10,
        capability / 10, capability % 10);
}

std::optional<std::string> cuda::why_lacking(Feature feature, int capability) {
    switch (feature) {
    case Feature::atomic_int64:
        return std::nullopt; // the PTX ISA has atom.cas.b64 from 1.2, atom.shared of 64 bits from 2.0 on
    case Feature::atomic_add_float32:
        return std::nullopt; // from 2.0 on
    case Feature::atomic_add_float64:
        return why_too_old("atom.add.f64 ", capability, 60);
    case Feature::repeated_text:
    case Feature::float64:
    case Feature::int64:
    case Feature::int16:
    case Feature::ballot:
        return std::nullopt;
    case Feature::shuffle:
        return why_too_old("shfl ", capability, kKepler);
    case Feature::funnel_shift:
        return why_too_old("shf.l.wrap ", capability, 35); // 3.2 as well, which clang has no target for
    case Feature::float16:
        return why_too_old("fma.rn.f16x2 ", capability, 60); // 5.3 as well; clang's oldest PTX that has it is of 6.0
    case Feature::dot_product:
        return why_too_old("dp4a ", capability, 61);
    case Feature::bfloat16_fma:
        return why_too_old("fma.rn.bf16x2 ", capability, 80);
    case Feature::bfloat16_add:
        return why_too_old("add.bf16x2 ", capability, 90);
    case Feature::reduce:
        return why_too_old("redux.sync ", capability, 80);
    case Feature::acquire_release:
    case Feature::system_scope:
        return why_too_old("ld.acquire ", capability, 70);
    case Feature::cp_async:
        return why_too_old("cp.async ", capability, 80);
    case Feature::bulk_copy:
        return why_too_old("cp.async.bulk ", capability, 90);
    case Feature::work_group_copy:
        return kNoWorkGroupCopy;
    case Feature::mma:
        return why_too_old("mma.sync ", capability, 80); // smaller shapes from 7.0 on, which have no row
    case Feature::mma_float8:
        return why_too_old("mma.sync of 8-bit floating-point numbers ", capability, 89);
    case Feature::mma_wide_float64:
        return why_too_old("mma.sync m16n8k4.f64 ", capability, 90);
    case Feature::mma_sparse:
        return why_too_old("mma.sp ", capability, 80);
    case Feature::wgmma:
        return capability == 90
                   ? std::nullopt
                   : std::optional(fmt::format("wgmma is of compute capability 9.0 alone, the card has {}.{}",
                         capability / 10, capability % 10));
    case Feature::mfma:
    case Feature::mfma_bfloat16:
    case Feature::wmma:
    case Feature::dpas8:
    case Feature::dpas16:
        return "mfma and wmma are instructions of AMD's GPUs, dpas of Intel's";
    case Feature::cooperative_matrix:
        return "CUDA's PTX has no cooperative matrices: forms mma and wgmma";
    }
    return kUnknownNeed;
}

std::optional<std::string> cuda::why_no_form(const Path& path, int capability) {
    if (auto reason = why_too_old("", capability,
            path.name == "cluster"           ? 90
            : path.name == "global.readonly" ? 35
            : is_texture(path.space)         ? kKepler // texture objects
                                             : 20))
        return *reason + (capability < kKepler ? ": OpenCL may have it there" : "");
    return sonde::why_no_form("CUDA", path,
        {"global", "global.ca", "global.cg", "global.cs", "global.readonly", "global.uniform", "global.pointer",
            "private", "texel", "image2d", "constant", "constant.uniform", "push", "scratchpad", "cluster", "host",
            "peer", "peer.cg", "peer.unmapped"});
}

Opened open_cuda() { return opened(open_devices); }

} // namespace sonde
