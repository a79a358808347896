// Building and walking chains.
#include "core/measure/chase.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "core/analysis/levels.h"
#include "core/analysis/refinement.h"
#include "core/base/text.h"
#include "core/data/finding.h"
#include "core/device/kernel_source.h"
#include "core/measure/asked_footprints.h"

namespace sonde {

namespace {
constexpr double kRoughEdge = 0.1;
constexpr std::size_t kRoughPairs = 3; // of a point in another allocation
constexpr int kOtherAllocations = 3;
constexpr std::uint32_t kWalkInside = 4096;     // slots up to here: each dispatch walks the chain once as its warm-up
constexpr std::uint32_t kWalkOnce = 1u << 16;   // slots up to here: the block's warm-up walks the chain
constexpr std::uint32_t kTouchHost = 1u << 19;  // slots of host memory, which no cache of a GPU may keep from one
                                                // dispatch to the next, up to here: each dispatch touches them
constexpr std::uint32_t kTouchPiece = 1u << 20; // slots per dispatch where the block's warm-up touches
constexpr std::uint32_t kWarmTwice =
    1u << 19; // slots up to here: a cache that replaces at random drops a part of what one walk brings
constexpr std::uint64_t kMostFilled = 8ull << 30; // bytes: words are numbered by 32 bits
constexpr std::uint32_t kLinkGroups = 16;         // that store links
constexpr std::uint32_t kPageBytes = 4096;
constexpr std::uint32_t kLaneHops = 1u << 13;   // of each lane of the block's warm-up, about: some milliseconds
constexpr std::uint32_t kMostPieces = 1u << 15; // that it walks, so that the host can tell where each begins

/// Elsewhere a touch inside would do harm: in the order in which slots lie it leaves the last of them in L1, for the
/// walk to find.
std::uint32_t touched_inside(const DeviceInfo& info, const Path& path) {
    return path.space == Space::host && !info.cpu ? kTouchHost : 0;
}

/// Memory whose place on the card the driver chooses for each allocation.
bool is_placed(const DeviceInfo& info, const Path& path) {
    constexpr std::array kPlaced{Space::global, Space::address, Space::texel, Space::image2d};
    return !info.cpu && path.stage == Stage::nothing && std::ranges::find(kPlaced, path.space) != kPlaced.end();
}

bool in_scratchpad(const Path& path) { return path.stage == Stage::scratchpad || path.stage == Stage::peer_scratchpad; }

/// A slot holds a link of each lane that has a chain of its own.
std::uint32_t slot_bytes_of(
    const DeviceInfo& info, const Path& path, std::uint32_t asked, const std::optional<WalkingLanes>& lanes) {
    const std::uint32_t bytes = asked ? asked : slot_bytes(info, path);
    return lanes ? std::max(bytes, std::bit_ceil(lanes->active * lanes->apart)) : bytes;
}

/// Where sweeps on a path end; the bench notes it where it is earlier than the profile's end.
std::uint64_t find_largest(Bench& bench) {
    const Path& path = bench.path;
    if (in_scratchpad(path)) return bench.info.scratchpad_bytes;
    if (path.stage == Stage::each_lane) return std::uint64_t{kPrivateWords} * footprint_per_slot(bench.info, path);
    if (path.space == Space::push) return bench.info.reach_of(Space::push).bytes;
    return bench.end_of_sweep();
}
} // namespace

/// A private array that the driver cannot compile is halved until it can.
std::shared_ptr<Kernel> Chase::compiled() {
    constexpr std::uint32_t kFewest = 128;
    const Path& path = bench_.path;
    for (std::string first_error;;) {
        try {
            KernelChoice choice =
                some_ ? some_lanes_kernel(bench_.info, path) : chase_kernel(bench_.info, path, private_words_);
            if (options_.held_bytes) choice.defines.emplace_back("HELD", "1");
            if (options_.static_bytes)
                choice.defines.emplace_back("STATIC_WORDS", std::to_string(options_.static_bytes / 4));
            return bench_.kernel(choice);
        } catch (const Unsupported&) {
            throw;
        } catch (const Refusal& error) {
            if (path.stage != Stage::each_lane) throw;
            if (first_error.empty()) first_error = error.what();
            if (private_words_ / 2 < kFewest) throw CompileRefused(first_error);
        }
        private_words_ /= 2;
        largest_ /= 2;
        bench_.ending = {.by = EndedBy::device, .bytes = largest_, .why = first_error};
    }
}

Chase::Chase(Bench& bench, const ChaseOptions& options)
    : bench_(bench),
      options_(options),
      lanes_(some_ ? bench.info.subgroup : chase_lanes(bench.info)),
      slot_(slot_bytes_of(bench.info, bench.path, options.slot_bytes, some_)),
      granule_(options.slot_bytes || some_ ? slot_ : footprint_per_slot(bench.info, bench.path)),
      active_(some_ ? some_->active : lanes_),
      largest_(find_largest(bench)) {
    const Path& path = bench.path;
    if (largest_ < smallest())
        throw Unsupported(
            in_scratchpad(path) ? "there is no scratchpad" : fmt::format("only {} bytes are to be had", largest_));
    bench.evidence.slot_bytes = slot_;
    if (some_) bench.evidence.lanes = active_;
    if (path.stage == Stage::each_lane) bench.evidence.footprint = fmt::format("the arrays of all {} lanes", lanes_);
    if (path.space == Space::image2d)
        bench.evidence.footprint =
            fmt::format("slots of 8 x 4 texels in rows of {}, one texel of each is fetched", kImageRow);
    const std::uint32_t groups = cluster_of(path, bench.request.id.options);
    bench.evidence.shape = {.group_size = lanes_, .groups = groups};
    const std::shared_ptr<Kernel> kernel = compiled();
    if (groups > 1) clusters_at_a_time(*kernel, bench.info, groups);
    walker_.emplace(bench, kernel, lanes_);
    if (path.space != Space::push) builder_ = bench.helper_kernel("chain", chain_defines(path));
}

Chase::~Chase() = default;

void Chase::new_memory(std::uint64_t bytes) {
    const Path& path = bench_.path;
    if (path.space == Space::push) return;
    memory_.reset(); // before the next: two of them may not fit
    parts_.clear();
    bases_.clear();
    const std::uint64_t wanted = bytes > 0 ? bytes : path.stage == Stage::each_lane ? private_words_ * 4 : largest_;
    memory_ = bench_.allocate(wanted, path.smallest_bytes);
    if (path.stage != Stage::each_lane && bytes == 0) largest_ = std::min<std::uint64_t>(largest_, memory_->bytes());
    if (path.space == Space::image2d) linear_ = bench_.allocate_result(memory_->bytes() / 4);
    Buffer& written = linear_ ? *linear_ : *memory_;
    bench_.fill(written, std::min(written.bytes() / 4 * 4, kMostFilled), bench_.next_seed());
}

void Chase::new_memory(std::size_t parts, std::uint64_t part_bytes) {
    parts_.clear();
    new_memory(part_bytes);
    if (memory_->bytes() < part_bytes)
        throw DoesNotFit(bench_.ending ? bench_.ending->why : "less memory than a part"); // not even one
    part_bytes_ = part_bytes;
    bases_ = {base_of(*memory_)};
    std::uint64_t filled = part_bytes;
    while (bases_.size() < parts) {
        try {
            parts_.push_back(bench_.device.allocate(bench_.path.space, part_bytes));
        } catch (const DoesNotFit& error) {
            bench_.ending = {.by = EndedBy::memory, .bytes = bases_.size() * part_bytes, .why = error.what()};
            break;
        }
        if (filled < kMostFilled) bench_.fill(*parts_.back(), part_bytes, bench_.next_seed());
        filled += part_bytes;
        bases_.push_back(base_of(*parts_.back()));
    }
    bench_.evidence.allocations = {.count = bases_.size(), .bytes = part_bytes};
}

void Chase::renew_memory() {
    if (parts_.empty()) new_memory(memory_->bytes());
    else new_memory(bases_.size(), part_bytes_);
}

/// Where the API does not tell, a kernel does.
std::uint64_t Chase::base_of(const Buffer& buffer) {
    if (const auto address = buffer.address()) return *address;
    if (!locator_) locator_ = bench_.helper_kernel("buffer_address");
    const auto words =
        bench_.launch(*locator_, kernel_args::BufferAddress{}, {.out = const_cast<Buffer&>(buffer)}, 1, 2).out;
    return words[0] | std::uint64_t{words[1]} << 32;
}

std::uint64_t Chase::address_of(std::uint32_t word) const {
    const std::uint64_t byte = (std::uint64_t{word} << chain_.shape().scale) * 4;
    return bases_[byte / part_bytes_] + byte % part_bytes_;
}

/// What the kernel returns for a link to that word.
std::uint32_t Chase::number_of(std::uint32_t word) const {
    if (parts_.empty()) return link_number(bench_.path, word) << chain_.shape().scale;
    return static_cast<std::uint32_t>((address_of(word) - bases_[0]) >> 2);
}

/// A kernel is told by 32 bits, in words from the first allocation's begin, where its walk begins.
bool Chase::can_begin_at(std::uint32_t word) const {
    const std::uint64_t words = std::uint64_t{word} << chain_.shape().scale;
    return words >> 32 == 0 && (parts_.empty() || words * 4 < part_bytes_);
}

/// A C library's large allocation begins at the end of the page before an aligned region. To the way predictor of AMD's
/// processors, which knows a line by bits 12-27 of its address, each with another one of them (Lipp et al. 2020, "Take
/// A Way"), that page and the next are the same where all of these bits differ: every load of either misses. So there a
/// chain leaves the first page out, if there is room.
std::uint32_t Chase::words_left_out(std::uint64_t footprint) const {
    const bool in_order =
        bench_.path.stage == Stage::nothing && bench_.path.space != Space::image2d && bench_.path.space != Space::push;
    return bench_.info.cpu && in_order && footprint + kPageBytes <= memory_->bytes() ? kPageBytes / 4 : 0;
}

void Chase::build(std::uint64_t footprint) {
    build({.slots = static_cast<std::uint32_t>(footprint / granule_),
              .shift = static_cast<std::uint32_t>(std::countr_zero(slot_ / 4)),
              .order = bench_.path.space == Space::image2d ? SlotOrder::blocks : SlotOrder::linear,
              .first = words_left_out(footprint)},
        format_bytes(footprint));
}

void Chase::build(const ChainShape& shape, const std::string& text) {
    const Path& path = bench_.path;
    chain_ = Chain(shape, bench_.next_seed());
    dense_ = !some_ && !shape.spread && !shape.second && !shape.scale &&
             (shape.first >> shape.shift) << shape.shift == shape.first;
    position_ = 0;
    bench_.step("build a chain over " + text);
    write_chain();
    bench_.step("walk " + text);
    const std::uint64_t loads = chain_.length();
    if (path.stage != Stage::nothing || loads <= kWalkInside) return;
    if (loads <= touched_inside(bench_.info, path)) return; // nothing would be left of it
    const bool in_pieces =
        !(some_ && some_->apart) && !shape.second && !shape.scale && parts_.empty() && !bench_.info.cpu;
    if (loads <= kWalkOnce || !(in_pieces || dense_))
        for (std::uint64_t walked = 0; walked < loads; walked += kWalkOnce)
            dispatch(
                0, static_cast<std::uint32_t>(std::min<std::uint64_t>(loads - walked, kWalkOnce) + 7) / 8 * 8, 0, 0);
    else if (in_pieces)
        for (int round = 0; round < (loads <= kWarmTwice ? 2 : 1); ++round) warm_chain();
    else // a processor's few threads would take seconds to walk
        for (std::uint32_t begin = 0; begin < loads; begin += kTouchPiece)
            dispatch(0, 0, first_slot() + begin, first_slot() + std::min(shape.slots, begin + kTouchPiece));
}

Experiment Chase::experiment(
    std::function<void(std::uint64_t, const std::string&)> make_chain, std::function<void(int)> begin) {
    return {.begin = std::move(begin),
        .prepare =
            [this, make_chain = std::move(make_chain)](std::uint64_t x, const std::string& text) {
                make_chain(x, text);
                return Work{.granule = 64, .most = most_steps()};
            },
        .dispatch = [this](std::uint64_t, std::uint32_t steps) { return timed(steps); }};
}

void Chase::sweep_footprints(std::uint64_t end) {
    const auto experiment = this->experiment(
        [this](std::uint64_t size, const std::string&) { build(size); }, [this](int) { new_memory(); });
    end = asked_end(bench_, std::min(largest_, end));
    const auto last = [&] { return std::min(largest_, end); };
    const auto curve = bench_.measure_refined(experiment, smallest(), granule(), last);
    const auto asked = asked_footprints(bench_);
    const bool is_list = asked && !asked->sizes.empty();
    if (bench_.profile.blocks == 1 && is_placed(bench_.info, bench_.path) && !curve.empty() && !is_list)
        look_elsewhere(curve, static_cast<double>(last()));
}

void Chase::look_elsewhere(std::span<const CurvePoint> curve, double last) {
    const std::vector<CurvePoint> common = away_from_edges(curve);
    const std::vector<double> between = sizes_between_ends(curve);
    const auto granule_bytes = static_cast<double>(granule());
    const double room = between.empty() ? static_cast<double>(largest_) : between.back() + granule_bytes;
    const auto ending = bench_.ending;
    std::vector<std::unique_ptr<Buffer>> held; // what was freed may be given again, with the same curve
    for (int allocation = 0; allocation < kOtherAllocations && common.size() < curve.size(); ++allocation) {
        exchange_memory(held.emplace_back());
        try {
            new_memory(std::min(largest_, static_cast<std::uint64_t>(room)));
        } catch (const DoesNotFit&) { // a small card: fewer allocations
            exchange_memory(held.back());
            bench_.ending = ending;
            break;
        }
        bench_.ending = ending;
        std::vector<CurvePoint> points = common;
        OtherAllocation other;
        const auto measure = [&](double size) {
            build(static_cast<std::uint64_t>(std::llround(size)));
            const double ns = bench_.rough_slope(
                64, most_steps(), [&](std::uint32_t steps) { return timed(steps); }, kRoughPairs);
            points.push_back({size, ns});
            other.points.push_back({size, ns});
        };
        const auto fits = [&](double size) { return size <= static_cast<double>(memory_->bytes()); };
        for (const double size : between)
            if (fits(size) && !bench_.time_over()) measure(size);
        while (!bench_.time_over()) {
            const auto size = next_size(points, kRoughEdge, curve.front().x, last, granule_bytes);
            if (!size || !fits(*size)) break;
            measure(*size);
        }
        if (bench_.time_over() || other.points.empty()) break;
        bench_.evidence.other_allocations.push_back(std::move(other));
    }
}

std::vector<Level> Chase::levels(std::uint64_t end) {
    bench_.step("look for levels");
    auto last = static_cast<double>(std::min(end, largest_));
    const auto granule_bytes = static_cast<double>(granule());
    std::vector<CurvePoint> curve;
    while (const auto size = next_size(curve, kRoughEdge, smallest(), last, granule_bytes)) {
        try {
            build(static_cast<std::uint64_t>(std::llround(*size)));
            curve.push_back(
                {*size, bench_.rough_slope(64, most_steps(), [&](std::uint32_t steps) { return timed(steps); })});
        } catch (const DoesNotFit&) { // a driver may refuse a launch with all of the scratchpad that it reports
            if (*size - granule_bytes < static_cast<double>(smallest()) || (!curve.empty() && *size <= curve.back().x))
                throw;
            last = *size - granule_bytes;
        }
    }
    auto levels = find_levels(curve);
    // A ramp taken for a level would be asked for its lines; the last one is not asked, it is what a miss of the others
    // costs.
    std::erase_if(
        levels, [&](const Level& level) { return level.confidence < kSureEnough && &level != &levels.back(); });
    for (const Level& level : levels)
        bench_.evidence.levels.push_back({.ns = level.latency,
            .on_bytes = level.capacity_on,
            .off_bytes = level.capacity_off,
            .confidence = level.confidence});
    return levels;
}

void Chase::write_chain() {
    if (bench_.path.space == Space::push) {
        table_.assign(bench_.info.reach_of(Space::push).bytes / 4, 0);
        for (std::uint32_t slot = 0; slot < chain_.slots(); ++slot) table_[slot] = chain_.next(slot);
        return;
    }
    if (!parts_.empty()) return write_links();
    Buffer& written = linear_ ? *linear_ : *memory_;
    auto args = chain_.kernel_args();
    for (std::uint32_t lane = 0; lane < (pad() ? some_->active : 1); ++lane, args.first += pad())
        bench_.run_helper(*builder_, written, chain_.slots(), args);
    if (!linear_) return;
    const Copy copy{.from = linear_.get(), .to = memory_.get(), .bytes = static_cast<std::size_t>(chain_.words() * 4)};
    bench_.device.copy({&copy, 1});
}

/// Links from one allocation to another, made by the host: a chain over so many bytes has few slots.
void Chase::write_links() {
    const std::uint64_t loads = chain_.length();
    std::vector<std::vector<std::uint32_t>> of_part(bases_.size()); // three words a link
    std::uint32_t word = chain_.walk(0);
    for (std::uint64_t load = 0; load < loads; ++load) {
        const std::uint32_t next = chain_.walk(load + 1);
        const std::uint64_t byte = (std::uint64_t{word} << chain_.shape().scale) * 4, address = address_of(next);
        auto& links = of_part[byte / part_bytes_];
        links.insert(links.end(), {static_cast<std::uint32_t>(byte % part_bytes_ / 4),
                                      static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(address >> 32)});
        word = next;
    }
    if (!linker_) linker_ = bench_.helper_kernel("store_links");
    std::vector<std::uint32_t> all;
    std::vector<kernel_args::StoreLinks> args;
    for (const auto& links : of_part) {
        args.push_back({.first = static_cast<std::uint32_t>(all.size() / 3),
            .count = static_cast<std::uint32_t>(links.size() / 3)});
        all.insert(all.end(), links.begin(), links.end());
    }
    const auto source = bench_.allocate_result(all.size());
    const Copy copy{.from_host = all.data(), .to = source.get(), .bytes = all.size() * 4};
    bench_.device.copy({&copy, 1});
    std::vector<Launch> launches;
    for (std::size_t part = 0; part < bases_.size(); ++part)
        if (args[part].count > 0)
            launches.push_back({.kernel = *linker_,
                .a = source.get(),
                .out = part == 0 ? *memory_ : *parts_[part - 1],
                .args = Bench::words_of(args[part]),
                .groups = kLinkGroups});
    bench_.device.run(launches);
}

void Chase::warm_chain() {
    if (!warmer_) warmer_.emplace(bench_, bench_.compile(own_starts_kernel(bench_.info, bench_.path, {})), lanes_);
    // All lanes together are to be on a small part of the chain at any time: what they keep of its order is no finer.
    const std::uint32_t groups = (chain_.slots() / kLaneHops + lanes_) / lanes_, lanes = groups * lanes_;
    const std::uint32_t steps = (chain_.slots() / kMostPieces + 64) / 64 * 64, of_round = lanes * steps;
    const std::uint32_t rounds = (chain_.slots() + of_round - 1) / of_round;
    warmer_->launch_each({.steps = steps, .rounds = rounds}, {.a = memory_.get(), .groups = groups},
        [&](std::uint32_t piece, std::uint64_t loads) {
            return chain_.walk(position_ + std::uint64_t{piece} * steps + loads);
        });
    position_ += std::uint64_t{rounds} * of_round;
}

Sample Chase::timed(std::uint32_t steps) {
    const auto loads = static_cast<std::uint32_t>(chain_.length());
    const bool walk = loads <= kWalkInside,
               touch = dense_ && !walk && loads <= touched_inside(bench_.info, bench_.path);
    return dispatch(steps, walk ? (loads + 7) / 8 * 8 : 0, first_slot(), first_slot() + (touch ? loads : 0));
}

std::uint32_t Chase::most_steps() const {
    if (bench_.info.loop_trips == 0) return 1u << 24;
    return (bench_.info.loop_trips - touched_inside(bench_.info, bench_.path) / 64 - kWalkInside / 8) *
           64; // 64 loads a trip, the touch's trips taken off
}

Sample Chase::dispatch(std::uint32_t steps, std::uint32_t warm, std::uint32_t touch_begin, std::uint32_t touch_end) {
    const Path& path = bench_.path;
    const auto words = static_cast<std::uint32_t>(chain_.words());
    while (!can_begin_at(chain_.walk(position_))) ++position_;
    const kernel_args::Chase args{.steps = steps,
        .pad = pad(),
        .start = chain_.walk(position_) << chain_.shape().scale,
        .warm = warm,
        .touch_begin = touch_begin,
        .touch_end = touch_end,
        .shift = chain_.shift(),
        .stage = path.stage == Stage::nothing ? 0 : words,
        .lanes = active_};
    // With all of the scratchpad a workgroup of a cluster has a core of its own.
    const bool peer = path.stage == Stage::peer_scratchpad;
    const std::uint32_t scratchpad = peer                              ? bench_.info.scratchpad_bytes
                                     : path.stage != Stage::scratchpad ? options_.held_bytes
                                     : options_.static_bytes           ? 0
                                                                       : words * 4,
                        groups = cluster_of(path, bench_.request.id.options);
    Sample sample = walker_->launch(
        args, {.a = memory_.get(), .groups = groups, .scratchpad_bytes = scratchpad, .cluster = groups}, table_);
    position_ += warm + steps;
    const std::uint32_t end = chain_.walk(position_);
    for (std::uint32_t lane = 0; lane < lanes_; ++lane)
        walker_->check(lane, warm + steps, lane < active_ ? number_of(end + lane * pad()) : kNone);
    bench_.checked(kLinksChecked);
    sample.cycles = walker_->cycles(0);
    return sample;
}

} // namespace sonde
