// A modelled card behind the boundary of devices: memory, compiling, running, copies over the bus.
#include "tests/model/model_device_class.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "core/base/file.h"
#include "core/device/kernel_source.h"
#include "core/measure/matrix_units.h"

namespace sonde {

namespace {
/// Bytes that a kernel moves.
const std::map<std::string, double (*)(const Launch&)> kBytes{
    {"fill", [](const Launch& launch) { return 4.0 * (launch.args[1] - launch.args[0]); }},
    {"chain",
        [](const Launch& launch) { return 64.0 * (launch.args[1] - launch.args[0]); }}, // a sector read, and written
    {"mass", [](const Launch& launch) { return 4.0 * launch.args[0] * launch.args[2]; }},
    {"distances", [](const Launch& launch) { return 8.0 * launch.args[0]; }},
    {"row_products", [](const Launch& launch) { return 4.0 * launch.args[0] * launch.args[1]; }},
    {"lbm", [](const Launch& launch) { return 153.0 * launch.args[2]; }},
    {"stencil", [](const Launch& launch) { return 8.0 * launch.args[2]; }},
    {"gather", [](const Launch& launch) { return 8 * 36.5 * launch.args[0]; }},
    {"histogram", [](const Launch& launch) { return 4.0 * launch.args[0] * launch.groups; }},
    {"fft", [](const Launch& launch) { return 16.0 * launch.groups * (1u << (launch.args[1] + launch.args[2])); }}};
/// "model:2" -> 2
int number_of(const std::string& device) { return std::atoi(device.substr(device.find(':') + 1).c_str()); }

/// The next card first.
std::vector<Peer> peers_of(const CardModel& card, const std::string& id) {
    std::map<int, Peer> later, earlier;
    const int own = number_of(id);
    for (const LinkModel& link : card.links) {
        if (link.first != own && link.second != own) continue;
        const int other = link.first == own ? link.second : link.first;
        (other > own ? later : earlier)[other] = {
            fmt::format("{}{}", id.substr(0, id.find(':') + 1), other), true, link.text, link.bytes_per_ns * 1e9};
    }
    std::vector<Peer> peers;
    for (const auto* part : {&later, &earlier})
        for (const auto& [number, peer] : *part) peers.push_back(peer);
    return peers;
}
} // namespace

ModelDevice::ModelDevice(const CardModel& card, std::uint64_t seed, const std::string& id)
    : card_(card), memory_(card.memory_free ? card.memory_free : card.memory_bytes), random_(seed) {
    info_.id = id;
    info_.api = id.substr(0, id.find(':'));
    info_.name = card.name;
    info_.driver = "model";
    info_.memory_bytes = card.memory_bytes;
    info_.largest_buffer = card.largest_buffer ? card.largest_buffer : card.memory_bytes;
    info_.largest_buffer_limit = "the modelled memory";
    info_.cores = card.tells_cores ? card.cores : 0;
    info_.subgroup = kLanes;
    info_.peers = peers_of(card, id);
    info_.host_link_bytes_per_second = card_.bus_bytes_per_ns * 1e9;
    info_.largest_group = 1024;
    info_.most_groups = card.most_groups;
    info_.scratchpad_bytes = card.scratchpad_bytes;
    for (const CacheModel& cache : card.caches) info_.cache_bytes = std::max(info_.cache_bytes, cache.bytes);
    info_.reach[Space::constant] = {card.constant_bytes, "the modelled constant memory"};
    info_.loop_trips = card.loop_trips;
    info_.clock = "simulated cycles";
    info_.core_cycles = true;
    if (card.tells_core) info_.core_name = "simulated core";
    for (const CacheModel& cache : card.caches)
        longest_memory_ = std::max(longest_memory_, 2 * cache.bytes / cache.line);
    for (std::size_t i = 0; i < card.caches.size(); ++i) {
        caches_.emplace_back();
        for (std::uint32_t copy = 0; copy < card.caches[i].copies; ++copy)
            caches_.back().emplace_back(card.caches[i], seed + 1 + i + 100 * copy);
    }
    for (const TlbModel& tlb : card.tlbs) tlbs_.emplace_back(tlb);
    if (card.told) card.told(info_);
}

std::optional<std::string> ModelDevice::why_not(const Path& path) const {
    if (path.name == "scratchpad" || model_of(path)) return std::nullopt;
    return "the modelled card has no such path";
}

std::unique_ptr<Buffer> ModelDevice::allocate(Space space, std::size_t bytes) {
    if (space == Space::constant && bytes > card_.constant_taken)
        throw DoesNotFit("the modelled card has no more constant memory");
    if (space == Space::mapped && !card_.maps_memory) throw Unsupported("the modelled card maps no memory");
    if (bytes > info_.largest_buffer) throw DoesNotFit("more than the modelled memory");
    if (++allocations_ == card_.failing_allocation) throw Error("the modelled driver cannot allocate");
    const std::uint64_t where = next_place_;
    next_place_ += (bytes + (4u << 20)) / (2u << 20) * (2u << 20);
    auto buffer = std::make_unique<ModelBuffer>(bytes, where, addresses_, memory_);
    buffer->of_host = space == Space::host || space == Space::shared;
    buffer->card = number_of(is_of_peer(space) && !info_.peers.empty() ? info_.peers.front().device : info_.id);
    buffer->mapped = space == Space::mapped;
    return buffer;
}

std::unique_ptr<Buffer> ModelDevice::allocate_on(const Peer& peer, Space space, std::size_t bytes) {
    auto buffer = allocate(space, bytes);
    if (is_of_peer(space)) as_model(buffer.get())->card = number_of(peer.device);
    return buffer;
}

std::vector<Timing> ModelDevice::copy(std::span<const Copy> copies) {
    std::vector<Timing> timings;
    for (const Copy& copy : copies) {
        const char* from = copy.from
                               ? reinterpret_cast<const char*>(as_model(copy.from)->words.data()) + copy.from_offset
                               : static_cast<const char*>(copy.from_host);
        char* to = copy.to ? reinterpret_cast<char*>(as_model(copy.to)->words.data()) + copy.to_offset
                           : static_cast<char*>(copy.to_host);
        std::memcpy(to, from, copy.bytes);
        timings.push_back(timing(static_cast<double>(copy.bytes) / 10));
    }
    return passed(uses_copy_queues(copies) ? over_the_bus(copies) : timings);
}

std::unique_ptr<Kernel> ModelDevice::compile(const Source& source, const Build& build) {
    if (source.name == "clock_read" || source.name == "divergence") throw Unsupported("no model of this kernel");
    const bool simulated = std::any_of(
        std::begin(kSimulated), std::end(kSimulated), [&](const Simulated& row) { return row.kernel == source.name; });
    if (const auto reason = why_not(*build.a); reason && simulated && source.name != "spin")
        throw Unsupported(*reason); // what prepares runs on `global` everywhere
    if (build.b)
        if (const auto reason = why_not(*build.b)) throw Unsupported(*reason);
    if (simulated) {
        auto kernel = std::make_unique<ModelKernel>(source.name, build, nullptr);
        kernel->clusters = card_.clusters;
        kernel->resident = card_.resident_groups;
        if (const PathModel* path = model_of(*build.a); path && source.name == "chase") kernel->listed = path->chase;
        return kernel;
    }
    Build on_host = build;
    on_host.a = find_path(build.a->name == "scratchpad" ? "scratchpad" : "global");
    const std::string name = variant_name(source, on_host);
    for (const HostVariant& variant : host_variants())
        if (variant.name == name) return std::make_unique<ModelKernel>(source.name, build, variant.function);
    throw Error(fmt::format("kernel variant '{}' was not compiled into this program (cmake/kernels.cmake)", name));
}

Listing ModelKernel::listing() const {
    if (listed.empty()) return {"", "a modelled card has no instructions"};
    const std::string compiler = listed.substr(0, listed.find('-'));
    return {compiler == "sass" ? "sass" : "gcn",
        text_of_file(std::filesystem::path(SONDE_SOURCE_DIR) / "tests/listing/texts" / (listed + ".txt"))};
}

LibraryKernel ModelDevice::library_kernel(const LibraryWork& work) {
    if (card_.library_operations_per_cycle <= 0) throw Unsupported("the modelled card's library is not installed");
    const auto made = [](const char* name, const char* size, std::uint64_t of, const NumberFormat& in) {
        const Build build{.a = find_path("global"), .defines = {{size, std::to_string(of)}}};
        return LibraryKernel{std::make_unique<ModelKernel>(name, build, nullptr, &in), "modelled library", "1.2.3",
            "libmodelled.so", "7"};
    };
    if (const auto* product = std::get_if<ProductShape>(&work))
        return made("library_product", "ROWS", product->rows, product->in);
    return made("library_transform", "POINTS", std::get<TransformShape>(work).points, kF32);
}

std::vector<Timing> ModelDevice::run(std::span<const Launch> launches, Timed timed) {
    std::vector<Timing> timings;
    for (const Launch& launch : launches) {
        if (launch.carveout || launch.bank_bytes) throw Unsupported("a modelled L1 cannot be split");
        if (card_.scratchpad_taken && launch.scratchpad_bytes > card_.scratchpad_taken)
            throw DoesNotFit("the modelled card takes less than it says");
        if (!card_.scratchpad_taken && launch.scratchpad_bytes > card_.scratchpad_bytes)
            throw DoesNotFit("more than the modelled scratchpad");
        if (card_.scratchpad_from_first && launch.scratchpad_bytes != held_) hold(launch.scratchpad_bytes);
        for (auto& copies : caches_)
            for (SimulatedCache& cache : copies)
                if (cache.model().dropped) cache.drop();
        const auto& kernel = static_cast<const ModelKernel&>(launch.kernel);
        const auto row = std::find_if(std::begin(kSimulated), std::end(kSimulated),
            [&](const Simulated& each) { return each.kernel == kernel.name; });
        if (++launches_ == card_.sinks_after) sunk_ = true;
        if (kernel.name == "spin" && launch.groups > 1) sunk_ = memory_.freed = false;
        timings.push_back(row == std::end(kSimulated) ? computed(kernel, launch) : (this->*row->run)(kernel, launch));
    }
    return passed(timed == Timed::each ? timings : as_a_whole(timings));
}

std::vector<Timing> ModelDevice::passed(std::vector<Timing> timings) {
    double ns = card_.host_ns;
    for (const Timing& timing : timings) ns += timing.host_ns;
    seconds_ += ns * 1e-9;
    return timings;
}

double ModelDevice::copy_ns_of(const Copy& copy) const {
    const auto in_card = [](const Buffer* buffer) { return buffer && !as_model(buffer)->of_host; };
    if (in_card(copy.from) && in_card(copy.to))
        return static_cast<double>(copy.bytes) / link_bytes_per_ns(as_model(copy.from)->card, as_model(copy.to)->card);
    const std::uint64_t address = copy.from_host || copy.to_host
                                      ? reinterpret_cast<std::uintptr_t>(copy.from_host ? copy.from_host : copy.to_host)
                                  : in_card(copy.from) ? copy.to_offset
                                                       : copy.from_offset;
    return static_cast<double>(copy.bytes) / card_.bus_bytes_per_ns *
           (copy.from && copy.to ? 1 : card_.pageable_factor) * (address % 64 ? card_.unaligned_factor : 1);
}

double ModelDevice::link_bytes_per_ns(int first, int second) const {
    for (const LinkModel& link : card_.links)
        if (std::minmax(link.first, link.second) == std::minmax(first, second)) return link.bytes_per_ns * link.carried;
    return card_.bandwidth / 1e9;
}

std::vector<Timing> ModelDevice::over_the_bus(std::span<const Copy> copies) {
    std::map<int, std::array<double, kCopyQueues>> of_cards;
    std::array<double, kCopyQueues> host_bytes{}; // of all cards
    for (const Copy& copy : copies) {
        const ModelBuffer& held = *as_model(copy.from ? copy.from : copy.to);
        of_cards[held.card][copy.queue] += card_.copy_ns + copy_ns_of(copy);
        const bool by_host = !copy.from || !copy.to || held.of_host || as_model(copy.to)->of_host;
        if (by_host) host_bytes[copy.queue] += static_cast<double>(copy.bytes);
    }
    double all = card_.together_bytes_per_ns > 0 ? std::ranges::max(host_bytes) / card_.together_bytes_per_ns : 0;
    for (const auto& [card, busy] : of_cards)
        all = std::max(
            all, card_.bus_both_ways ? std::ranges::max(busy) : std::accumulate(busy.begin(), busy.end(), 0.0));
    return {copies.size(), Timing{timing(all).host_ns / static_cast<double>(copies.size()), std::nullopt}};
}

std::vector<Timing> ModelDevice::as_a_whole(const std::vector<Timing>& timings) {
    double all = card_.round_trip_ns - card_.launch_ns;
    for (const Timing& each : timings) all += card_.launch_ns + *each.device_ns - kDispatchNs;
    return {timings.size(),
        Timing{all * (1 + card_.noise * random_.normal()) / static_cast<double>(timings.size()), std::nullopt}};
}

Timing ModelDevice::timing(double ns) {
    ++dispatches_;
    const double measured = (ns + kDispatchNs) * (1 + card_.noise * random_.normal());
    memory_.counts.longest_ns = std::max(memory_.counts.longest_ns, measured);
    return {measured + 3000, measured};
}

Timing ModelDevice::computed(const ModelKernel& kernel, const Launch& launch) {
    if (kernel.name == "sum" && as_model(launch.a)->salt) return sum_of_pair(kernel, launch);
    if (kernel.name == "sum")
        std::fill_n(as_model(&launch.out)->words.data(), std::size_t{launch.groups} * kernel.group_size, 0u);
    static std::uint32_t nothing[16] = {};
    std::vector<std::uint64_t> scratchpad(launch.scratchpad_bytes / 8 + 2);
    for (std::uint32_t group = 0; group < launch.groups; ++group)
        kernel.function(launch.a ? as_model(launch.a)->words.data() : nothing,
            launch.b ? as_model(launch.b)->words.data() : nothing, as_model(&launch.out)->words.data(),
            launch.args.data(), scratchpad.data(), group, launch.groups);
    if (kernel.name == "copy" && is_of_peer(kernel.path.space)) {
        const int own = number_of(info_.id), from = as_model(launch.a)->card, to = as_model(&launch.out)->card;
        return timing(launch.args[0] * 4.0 / link_bytes_per_ns(own, from == own ? to : from));
    }
    if (kernel.name == "copy")
        return timing(launch.args[0] * 4.0 / (card_.host_in_device ? card_.bandwidth / 1e9 : card_.bus_bytes_per_ns));
    if (kernel.name == "empty") return timing(0);
    if (kernel.name == "gemm")
        return timing(2 * std::pow(launch.args[0], 3) / (card_.operation.per_cycle * card_.cores * clock_mhz()) * 1e3);
    if (const auto moved = kBytes.find(kernel.name); moved != kBytes.end())
        return timing(moved->second(launch) / card_.bandwidth * 1e9);
    return timing(1000 / clock_mhz() * 1e3);
}

Timing ModelDevice::spin(const ModelKernel&, const Launch& launch) {
    const double cycles = launch.args[0] * 64.0 * 5;
    store_clock(launch, 0, 0);
    store_clock(launch, 2, cycles);
    return timing(cycles / clock_mhz() * 1e3);
}

const ModelDevice::Simulated ModelDevice::kSimulated[20] = {{"chase", &ModelDevice::chase},
    {"core_to_core", &ModelDevice::exchange}, {"cores", &ModelDevice::cores}, {"line_times", &ModelDevice::line_times},
    {"load_times", &ModelDevice::load_times}, {"atomics", &ModelDevice::add}, {"read", &ModelDevice::read},
    {"write", &ModelDevice::write}, {"two_buffers", &ModelDevice::pair}, {"pattern", &ModelDevice::pattern},
    {"mix_paths", &ModelDevice::mix}, {"banks", &ModelDevice::banks}, {"spin", &ModelDevice::spin},
    {"arithmetic", &ModelDevice::arithmetic}, {"matrix", &ModelDevice::matrix},
    {"held_registers", &ModelDevice::hold_registers}, {"bandwidth_latency", &ModelDevice::contest},
    {"library_product", &ModelDevice::multiply_by_library}, {"library_transform", &ModelDevice::transform_by_library},
    {"gemm_matrix", &ModelDevice::multiply_by_units}};

std::unique_ptr<Device> model_device(const CardModel& card, std::uint64_t seed, const std::string& id) {
    return std::make_unique<ModelDevice>(card, seed, id);
}

void join(const std::vector<Device*>& all) {
    for (Device* card : all)
        for (Device* other : all)
            if (card != other) static_cast<ModelDevice*>(card)->know(*other);
}

const ModelCounts& model_counts(const Device& device) { return static_cast<const ModelDevice&>(device).counts(); }

} // namespace sonde
