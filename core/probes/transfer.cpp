// transfer: bandwidth between the host's memory and the device's: each way and both at once, from pinned and pageable
// memory, by the copy engine, by a kernel, and by the processor where it maps device memory; within the device; and
// between the memories of two cards; by the size of one transfer.
#include <atomic>
#include <chrono>
#include <cstring>

#include "core/probes/probes.h"

namespace sonde {

namespace {
// Of some series: each copy is waited for, not queued behind others; the host's addresses are multiples of so many
// bytes, and of no more; sizes are a byte more.
const Choice<bool> kIsOdd{"sizes", {{"odd", true}}};
const std::vector<Options> kWaited = option::waited_for.each({"waited"});

KernelChoice transfer_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return {.name = "copy", .group_size = info.cpu ? info.subgroup : std::min(256u, info.largest_group)};
}

constexpr std::uint64_t kSmallestTransfer = 4096, kLargest = 64ull << 20, kLargestOfPeers = 256ull << 20,
                        kLargestCpu = 8ull << 20; // bytes of a transfer; the last of a processor's
constexpr std::uint64_t kWord = 4;                // bytes of a transfer of which only the fixed cost is seen
constexpr std::uint64_t kSizeFactor = 4;
constexpr std::uint64_t kAlignedApart = 8192;      // bytes: twice the largest alignment that is asked for
constexpr std::uint32_t kMostTransfers = 1u << 14; // of a batch
constexpr double kMoved = 2.5;              // times the rate of copies: no kernel reads so much over the same link
constexpr std::uint32_t kUp = 1, kDown = 2; // copy queues: each card carries what it fetches, and what it sends

/// As kernels/fill.h writes them.
std::vector<std::uint32_t> random_words(std::size_t count, std::uint32_t seed) {
    std::vector<std::uint32_t> words(count);
    for (std::size_t i = 0; i < count; ++i)
        words[i] = i < Bench::kFillPeriod ? fill_word(i, Bench::kFillPeriod, seed) : words[i - Bench::kFillPeriod];
    return words;
}

/// One end of a transfer: a buffer, or the program's own memory; from `offset` bytes on.
struct End {
    std::unique_ptr<Buffer> buffer = nullptr;
    std::vector<char> memory = {};
    std::uint64_t offset = 0;
    char* own() { return buffer ? nullptr : memory.data() + offset; }
};

/// What one card moves. Up is to the card, from the memory of the host or of another card; down is from it.
struct Route {
    End up_from{}, up_to{}, down_from{}, down_to{};
};

/// This card and all equal ones, in the order in which each has the next as its peer. Throws Unsupported where the API
/// has them not together.
std::vector<Device*> cards_of(Bench& bench) {
    std::vector<Device*> cards{&bench.device};
    for (const Peer& peer : bench.info.peers) {
        Device* other = bench.device.sibling(peer);
        if (other && other->info().name == bench.info.name) cards.push_back(other);
    }
    if (cards.size() == 1)
        throw Unsupported(fmt::format("{} copies on no equal card beside {}", bench.info.api, bench.info.id));
    return cards;
}

/// What moves `bytes` once or many times, in the ways of the options.
class Transfers {
public:
    Transfers(Bench& bench, std::uint64_t largest, const Options& options)
        : bench_(bench),
          direction_(option::direction.in(options)),
          pageable_(option::pageable.in_or(options, false)),
          waited_(option::waited_for.in_or(options, false)),
          by_processor_(option::engine.in(options) == Engine::processor),
          alignment_(option::alignment.in_or(options, 0)),
          kernel_(option::engine.in(options) == Engine::kernel
                      ? bench.kernel(transfer_kernel(bench.info, bench.path, options))
                      : nullptr) {
        if (!option::together.in_or(options, false)) {
            routes_.push_back(route_of(bench.device, largest));
            return;
        }
        for (Device* card : cards_of(bench)) routes_.push_back(route_of(*card, largest));
        bench.evidence.cards_together = static_cast<std::uint32_t>(routes_.size());
    }

    /// Sends something else than the last time.
    void renew(std::uint64_t bytes) {
        bytes_ = bytes;
        const std::uint32_t seed = bench_.next_seed();
        sent_ = random_words((bytes + kAlignedApart) / 4 + 1, seed);
        for (Route& route : routes_)
            for (End* end : {&route.up_from, &route.down_from})
                if (end->buffer) {
                    const std::uint64_t filled =
                        std::min<std::uint64_t>((bytes + end->offset + 3) / 4 * 4, end->buffer->bytes());
                    if (between_cards() || routes_.size() > 1) // no kernel of this card reaches another one's memory
                        bench_.write_words(*end->buffer, std::span(sent_).first(filled / 4));
                    else bench_.fill(*end->buffer, filled, seed);
                } else if (end->own()) std::memcpy(end->own(), sent_bytes(*end), bytes);
    }

    /// Of one card's bytes.
    Sample timed(std::uint32_t transfers) {
        return {.steps = static_cast<double>(bytes_) * transfers * (goes_up() && goes_down() ? 2 : 1),
            .host_ns = kernel_         ? launched(transfers)
                       : by_processor_ ? moved(transfers)
                                       : copied(transfers)};
    }

    void check() {
        for (Route& route : routes_) {
            if (route.up_to.buffer) expect(route.up_to, route.up_from, "the device's memory");
            if (goes_down())
                expect(route.down_to, kernel_ && goes_up() ? route.up_from : route.down_from,
                    between_cards() ? "the other card's memory" : "the host's memory");
        }
        bench_.checked(between_cards()
                           ? "all bytes that arrived at each size, as the card holds them that they were sent "
                             "to, against those that were sent"
                           : "all bytes that arrived at each size against those that were sent");
    }

private:
    bool between_cards() const { return is_of_peer(bench_.path.space); }
    bool goes_up() const {
        return direction_ != Direction::to_host && direction_ != Direction::to_peer;
    } // on the device as well, from one buffer to the other
    bool goes_down() const { return direction_ == Direction::both || !goes_up(); }

    const Peer& peer_of(const Device& card) const {
        return &card == &bench_.device ? sonde::peer_of(bench_.info, bench_.request.id.options)
                                       : sonde::peer_of(card.info(), {});
    }

    Route route_of(Device& card, std::uint64_t bytes) {
        const auto end = [&](bool far) { return far ? far_end(card, bytes) : End{.buffer = near_memory(card, bytes)}; };
        Route route;
        if (goes_up()) route.up_from = end(direction_ != Direction::on_device);
        if (goes_down()) route.down_to = end(true);
        // A kernel that moves both ways at once reads from the far memory and writes to it.
        if (goes_up() && !(kernel_ && goes_down())) route.up_to = end(false);
        if (goes_down() && !(kernel_ && goes_up())) route.down_from = end(false);
        return route;
    }

    std::unique_ptr<Buffer> near_memory(Device& card, std::uint64_t bytes) {
        if (!between_cards()) return card.allocate(by_processor_ ? Space::mapped : Space::global, bytes);
        return card.allocate_on(peer_of(card), Space::global, bytes);
    }

    std::unique_ptr<Buffer> pinned_memory(Device& card, std::uint64_t bytes) {
        if (&card == &bench_.device) return bench_.allocate(bytes, bytes);
        return between_cards() ? card.allocate_on(peer_of(card), bench_.path.space, bytes)
                               : card.allocate(bench_.path.space, bytes);
    }

    End far_end(Device& card, std::uint64_t bytes) {
        if (alignment_) bytes += kAlignedApart;
        if (!pageable_) return {.buffer = pinned_memory(card, bytes), .offset = alignment_};
        End end{.memory = std::vector<char>(bytes)};
        if (alignment_)
            end.offset =
                (kAlignedApart + alignment_ - reinterpret_cast<std::uintptr_t>(end.memory.data()) % kAlignedApart) %
                kAlignedApart;
        return end;
    }

    /// What stands at that end: a buffer is filled from its first byte on.
    const char* sent_bytes(const End& end) const {
        return reinterpret_cast<const char*>(sent_.data()) + (end.buffer ? end.offset : 0);
    }

    void expect(End& end, const End& from, const char* what) {
        const auto arrived =
            end.buffer ? bench_.read_words(*end.buffer, (end.offset + bytes_ + 3) / 4) : std::vector<std::uint32_t>();
        const char* bytes = end.buffer ? reinterpret_cast<const char*>(arrived.data()) + end.offset : end.own();
        if (std::memcmp(bytes, sent_bytes(from), bytes_) != 0)
            throw Error(fmt::format("{} does not hold what was sent", what));
    }

    static Copy between(End& from, End& to, std::uint64_t bytes, std::uint32_t queue) {
        return {.from = from.buffer.get(),
            .from_host = from.own(),
            .to = to.buffer.get(),
            .to_host = to.own(),
            .bytes = bytes,
            .from_offset = from.buffer ? from.offset : 0,
            .to_offset = to.buffer ? to.offset : 0,
            .queue = queue};
    }

    double copied(std::uint32_t transfers) {
        std::vector<Copy> copies;
        for (std::uint32_t n = 0; n < transfers; ++n) {
            for (Route& route : routes_) {
                if (goes_up()) copies.push_back(between(route.up_from, route.up_to, bytes_, kUp));
                if (goes_down()) copies.push_back(between(route.down_from, route.down_to, bytes_, kDown));
            }
        }
        double ns = 0;
        const std::size_t batch = waited_ ? copies.size() / transfers : copies.size();
        for (std::size_t begin = 0; begin < copies.size(); begin += batch)
            ns += bench_.device.copy(std::span(copies).subspan(begin, batch))[0].host_ns * static_cast<double>(batch);
        return ns;
    }

    /// A read from the device's memory waits for what was written there before.
    double moved(std::uint32_t transfers) {
        Route& route = routes_.front();
        const Buffer& device = goes_up() ? *route.up_to.buffer : *route.down_from.buffer;
        char* mapped = device.map();
        const auto begin = std::chrono::steady_clock::now();
        for (std::uint32_t n = 0; n < transfers; ++n) {
            if (goes_up()) std::memcpy(mapped, route.up_from.own(), bytes_);
            else std::memcpy(route.down_to.own(), mapped, bytes_);
            if (waited_ || n + 1 == transfers) {
                std::atomic_thread_fence(std::memory_order_seq_cst);
                static_cast<void>(static_cast<const volatile char*>(mapped)[bytes_ - 1]);
            }
            std::atomic_signal_fence(std::memory_order_seq_cst); // no compiler leaves out one that the next one repeats
        }
        const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
        const Placement placement = device.placement();
        bench_.evidence.placement = {.device_local = placement.device_local, .text = placement.text};
        return ns;
    }

    double launched(std::uint32_t transfers) {
        const kernel_args::Copy args{.words = static_cast<std::uint32_t>(bytes_ / 4)};
        const std::uint32_t lanes = transfer_kernel(bench_.info, bench_.path, {}).group_size;
        const std::uint32_t filling = bench_.info.cpu ? std::max(bench_.info.cores, args.words / lanes / 32768 + 1)
                                                      : bench_.info.cores * std::max(1u, bench_.info.filling() / lanes);
        const Route& route = routes_.front();
        const End &from = goes_up() ? route.up_from : route.down_from, &to = goes_down() ? route.down_to : route.up_to;
        const Launch launch{.kernel = *kernel_,
            .a = from.buffer.get(),
            .out = *to.buffer,
            .args = Bench::words_of(args),
            .groups = std::clamp(args.words / lanes, 1u, filling)};
        return bench_.device.run(std::vector<Launch>(transfers, launch), Timed::whole)[0].host_ns * transfers;
    }

    Bench& bench_;
    const Direction direction_;
    const bool pageable_, waited_, by_processor_;
    const std::uint64_t alignment_;  // of the host's addresses; 0: as it comes
    std::shared_ptr<Kernel> kernel_; // null: the copy engine
    std::vector<Route> routes_;      // of one card; of several, all copy at the same time
    std::uint64_t bytes_ = 0;
    std::vector<std::uint32_t> sent_;
};

/// Some drivers place host memory in the device: a kernel's rate there is not the host link's.
void refuse_moved_memory(Bench& bench, Transfers& transfers, std::uint64_t largest) {
    if (bench.info.cpu) return;
    const auto gbps = [&](Transfers& way) {
        way.renew(largest);
        return 1 / bench.rough_slope(1, kMostTransfers, [&](std::uint32_t count) { return way.timed(count); });
    };
    Transfers copies(bench, largest,
        option::engine.as(Engine::copy) * option::pageable.as(false) * option::direction.as(Direction::to_device));
    const double copied = gbps(copies), moved = gbps(transfers);
    bench.evidence.copy_gb_per_s = copied;
    if (moved > kMoved * copied)
        throw Unsupported(fmt::format(
            "the host memory lies in the device: a kernel moves {:.4g} GB/s, the host link {:.3g}", moved, copied));
}

/// One that shows the fixed cost, and from 4 KiB on to the largest; fewer where addresses or odd sizes are the
/// question.
std::vector<std::uint64_t> transfer_sizes(const Options& options, std::uint64_t largest) {
    const bool few = option::alignment.asked(options) || kIsOdd.in_or(options, false);
    std::vector<std::uint64_t> sizes{kWord};
    for (std::uint64_t bytes = kSmallestTransfer; bytes <= largest;
         bytes *= few ? kSizeFactor * kSizeFactor : kSizeFactor)
        sizes.push_back(bytes);
    return sizes;
}

void measure_transfer(Bench& bench) {
    const Options& options = bench.request.id.options;
    const bool within = option::direction.in(options) == Direction::on_device;
    const bool by_a_processor = bench.info.cpu || option::engine.in(options) == Engine::processor;
    const std::uint64_t beyond_caches = bench.last_level() * 4 / 4096 * 4096,
                        odd = kIsOdd.in_or(options, false) ? 1 : 0;
    std::uint64_t largest = std::min({by_a_processor                 ? kLargestCpu
                                      : within                       ? std::max(kLargest, beyond_caches)
                                      : is_of_peer(bench.path.space) ? kLargestOfPeers
                                                                     : kLargest,
        bench.info.memory_free / 8 / 4096 * 4096, bench.info.reach_of(bench.path.space).bytes / 4096 * 4096});
    Transfers transfers(bench, largest + odd * 4096, options);
    transfers.renew(kSmallestTransfer);
    transfers.timed(1); // what cannot be done is refused here
    bench.wake_clocks();
    if (option::engine.in(options) == Engine::kernel && bench.path.space == Space::host)
        refuse_moved_memory(bench, transfers, largest);
    const auto prepare = [&](std::uint64_t bytes, const std::string&) {
        transfers.renew(bytes);
        return Work{.most = kMostTransfers};
    };
    std::vector<std::uint64_t> sizes = transfer_sizes(options, largest);
    for (std::uint64_t& bytes : sizes) bytes += odd;
    bench.measure({.prepare = prepare,
                      .dispatch = [&](std::uint64_t, std::uint32_t count) { return transfers.timed(count); },
                      .verify = [&] { transfers.check(); }},
        sizes);
    bench.evidence.bytes_counted = option::direction.in(options) == Direction::both
                                       ? "each byte once on its way up and once on its way down"
                                   : within ? "each byte once, though it is read and written"
                                            : "each byte once";
    if (option::together.in_or(options, false)) bench.evidence.bytes_counted += ", of one of the cards";
}

std::vector<Finding> transfer_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    const CurvePoint &small = curve.front(), &large = curve.back(),
                     &best = highest(curve); // the fastest may not have left a cache
    const bool falls = is_much_lower(large, best);
    const auto half = std::find_if(
        curve.begin(), curve.end(), [&](const CurvePoint& point) { return point.y >= (falls ? large : best).y / 2; });
    const Options& options = series.id.options;
    const bool both = option::direction.in(options) == Direction::both,
               stores = option::engine.in(options) == Engine::processor &&
                        option::direction.in(options) == Direction::to_device &&
                        !option::waited_for.in_or(options, false);
    const std::span<const CurvePoint> proper =
        std::span(curve).subspan(curve.size() > 1 ? 1 : 0); // without the one that shows the fixed cost
    const bool flat = proper.size() > 1 &&
                      std::ranges::none_of(proper, [&](const CurvePoint& point) { return is_much_lower(point, best); });
    const double one_ns = small.x * (both ? 2 : 1) / small.y;
    std::vector<FindingRow> rows{{"at the most", best.y, series.unit}, {"with transfers of", best.x, "bytes"},
        {"the largest", large.y, series.unit}, {"size of the largest", large.x, "bytes"},
        {stores ? "issuing the smallest" : "the smallest", one_ns, "ns"}, {"size of the smallest", small.x, "bytes"}};
    if (flat) {
        rows.push_back({"the slowest size", std::ranges::min(proper, {}, &CurvePoint::y).y, series.unit});
        rows.push_back({"among sizes", large.x, "bytes", std::pair(proper.front().x, large.x)});
    } else rows.push_back({falls ? "half of the largest's rate from" : "half of the most from", half->x, "bytes"});
    return {finding_of(series, {.name = option::direction.word(options),
                                   .value = large.y,
                                   .rows = std::move(rows),
                                   .x = {half->x, best.x, large.x}})};
}

const std::vector<std::string_view> kOneWay{"to-device", "to-host"};
const auto kOneWayCopies = option::engine.each({"copy"}) * option::pageable.each() * option::direction.each(kOneWay);
const auto kProcessorCopies = option::engine.each({"processor"}) * option::pageable.each({"pageable"}) *
                              (option::direction.each(kOneWay) + option::direction.each({"to-device"}) * kWaited);
const auto kBetweenCards =
    option::engine.each({"copy", "kernel"}) * option::direction.each({"to-peer", "from-peer", "both"}) +
    option::engine.each({"copy"}) * option::direction.each({"to-peer", "from-peer"}) * kWaited +
    option::engine.each({"copy"}) * option::direction.each({"to-peer", "both"}) * option::together.each();
const auto kCopiesTogether = option::engine.each({"copy"}) * option::pageable.each({"pinned"}) *
                             option::direction.each({"to-device", "to-host", "both"}) * option::together.each();
const auto kWithinCopies = option::engine.each({"copy"}) * option::direction.each({"on-device"});

/// Between cards some transfers, between host and card the others.
bool transfer_is_on(std::string_view name, const Options& variant) {
    const Path& path = path_named(name);
    const bool between = std::ranges::find(kBetweenCards, variant) != kBetweenCards.end();
    return between == is_of_peer(path.space) && !(path.copied_only && option::engine.is(variant, Engine::kernel));
}

/// Of alignments the ends; the others, and what needs all cards, on request.
bool transfer_by_default(std::string_view, const Options& variant) {
    if (option::together.asked(variant)) return false;
    const std::uint64_t alignment = option::alignment.in_or(variant, 1);
    return alignment == 1 || alignment == 4096;
}
} // namespace

const Probe kTransfer{
    .name = "transfer",
    .question = "Bandwidth to the host, or another card, by transfer size?",
    .explanation =
        "Copies between host and device, each way and both at once, from pinned and pageable memory, by the copy "
        "engine and by a kernel; by the processor itself, where it maps device memory (resizable BAR); and within the "
        "device. Small transfers show the fixed cost, queued or each waited for, large ones the link. Also at "
        "addresses of the host that are aligned to so many bytes and no more, and of odd sizes. On the paths peer and "
        "peer.unmapped between two cards; with "
        "cards=all on all equal cards at the same time, each with the next one or the host: the rate is that of one.",
    .picture = "A rise with the size to the rate of the link (PCIe 4.0 x16: 25 GB/s), reached from some MiB on; "
               "pageable memory stays below.",
    .method = "Li et al., Evaluating Modern GPU Interconnect: PCIe, NVLink, NV-SLI, NVSwitch and GPUDirect (TPDS 2020)",
    .x = {"transfer", "bytes"},
    .unit = "GB/s",
    .run_noise = run_noise::by_host,
    .times_host = true,
    .published = {.method = "bandwidth"},
    .paths = {"host", "peer", "peer.unmapped"},
    .variants = option::engine.each({"copy"}) * option::pageable.each() *
                    option::direction.each({"to-device", "to-host", "both"}) +
                option::engine.each({"kernel"}) * option::pageable.each({"pinned"}) *
                    option::direction.each({"to-device", "to-host", "both"}) +
                kProcessorCopies + kWithinCopies + (kOneWayCopies + kWithinCopies) * kWaited +
                kOneWayCopies * kIsOdd.each() + kOneWayCopies * option::alignment.each() + kBetweenCards +
                kCopiesTogether,
    .accepts = {option::peer},
    .quick = {.seconds = 0.33, .variants = 3},
    .run = measure_transfer,
    .findings = transfer_findings,
    .kernel = transfer_kernel,
    .by_default = transfer_by_default,
    .is_on = transfer_is_on,
};

} // namespace sonde
