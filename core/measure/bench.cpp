// The measuring rules.
#include "core/measure/bench.h"

#include <limits>

#include <fmt/format.h>

#include "core/base/statistics.h"
#include "core/base/system.h"
#include "core/base/text.h"
#include "core/device/kernel_source.h"

namespace sonde {

namespace {
constexpr double kTooLong = 2;   // times what is wanted
constexpr double kOfFixed = 0.5; // of what a dispatch takes besides its work: so much longer is a long one at the least
constexpr double kIdleEnough = 0.1; // of the time without work on the device: some drivers lower the clocks then
constexpr int kMostRepeats = 2;     // of a point in which the clock dropped
constexpr int kMostLostPairs = 10;

std::uint64_t splitmix(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
} // namespace

Bench::Bench(Device& device_, DeviceHistory& history, const Path& path_, const Request& request_,
    const Profile& profile_, Reporter& reporter)
    : bounded_(device_, request_),
      device(bounded_),
      info(bounded_.info()),
      path(path_),
      request(request_),
      profile(profile_),
      reporter_(reporter),
      history_(history),
      carveout_(option::carveout.in(request_.id.options)),
      bank_bytes_(option::banks.in(request_.id.options)),
      seconds_(request_.seconds > 0 ? request_.seconds : profile_.seconds),
      seed_state_(request_.seed) {
    evidence.seed = request.seed;
    if (option::subgroup.in(request.id.options)) evidence.subgroup_size = info.subgroup;
    evidence.clock = {.name = info.clock,
        .counts = info.core_cycles     ? "core cycles"
                  : info.clock.empty() ? "nothing"
                                       : "time"};
}

std::shared_ptr<Kernel> Bench::kernel(const KernelChoice& choice) {
    auto kernel = compile(choice);
    measuring = {kernel, choice};
    return kernel;
}

std::shared_ptr<Kernel> Bench::compile(const KernelChoice& choice) {
    if (choice.b)
        if (const auto reason = device.why_not(*choice.b))
            throw Unsupported(fmt::format("path {}: {}", choice.b->name, *reason));
    const Source source = kernel_source(choice.name);
    const Build build = choice.build(path);
    return compile(source, build);
}

DeviceHistory::Compiled& Bench::known(const Source& source, const Build& build) const {
    return history_.kernels[fmt::format(
        "{} {} {} {}", variant_name(source, build), build.group_size, build.repeat, info.subgroup)];
}

std::shared_ptr<Kernel> Bench::compile(const Source& source, const Build& build) {
    std::shared_ptr<Kernel>& kernel = known(source, build).kernel;
    if (kernel) return kernel;
    step(fmt::format("compile {}", variant_name(source, build)));
    return kernel = device.compile(source, build);
}

double Bench::first_took(const KernelChoice& choice, double seconds) {
    double& first = known(kernel_source(choice.name), choice.build(path)).first_seconds;
    return first = std::max(first, seconds);
}

std::optional<KernelEvidence> Bench::shown(const MeasuringKernel& measured) const {
    if (!measured.kernel) return std::nullopt;
    KernelEvidence result = evidence_of(measured).get();
    result.held_scratchpad_bytes = measured.held_scratchpad_bytes;
    return result;
}

/// Of a card in a thread of its own: a disassembler takes longer than a quick series. On a processor it would disturb
/// what is measured.
std::shared_future<KernelEvidence> Bench::evidence_of(const MeasuringKernel& measured) const {
    std::shared_future<KernelEvidence>& found =
        known(kernel_source(measured.choice.name), measured.choice.build(path)).evidence;
    if (found.valid()) return found;
    const auto read = [kernel = measured.kernel, choice = measured.choice, facts = measured.kernel->facts(),
                          &path = path] { return kernel_evidence(kernel->listing(), facts, choice, path); };
    return found = std::async(info.cpu ? std::launch::deferred : std::launch::async, read).share();
}

void Bench::begin_listing() {
    if (!info.cpu && !times_host && measuring.kernel) evidence_of(measuring);
}

void Bench::show_kernels() {
    if (run_over(request) && !has_point_) return; // nothing was measured with them
    evidence.kernel = shown(measuring);
    evidence.kernel_scattered = shown(measuring_other);
}

Shape Bench::helper_shape(std::uint64_t work) const {
    const std::uint32_t group_size = info.cpu ? info.subgroup : std::min(256u, info.largest_group);
    constexpr std::uint64_t kMostTrips =
        2048; // the chain's builder has loops inside its loop, and lavapipe 22 counts them all
    const std::uint64_t needed = (work + group_size * kMostTrips - 1) / (group_size * kMostTrips);
    const std::uint64_t filling = std::uint64_t{info.cores} * (info.cpu ? 1 : 32);
    const std::uint64_t useful = std::max<std::uint64_t>(1, work / group_size);
    return {group_size, static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
                            std::max(needed, filling), 1, std::min<std::uint64_t>(useful, 65535)))};
}

std::shared_ptr<Kernel> Bench::helper_kernel(
    const std::string& name, const std::vector<std::pair<std::string, std::string>>& defines, const Path* b) {
    return compile(
        kernel_source(name), {.a = find_path("global"), .b = b, .group_size = helper_group_size(), .defines = defines});
}

Launched Bench::launch_words(
    const Kernel& kernel, std::span<const std::uint32_t> args, const Bound& bound, double steps, std::size_t words) {
    const Launch launch{.kernel = kernel,
        .a = bound.a,
        .b = bound.b,
        .out = bound.out,
        .args = args,
        .groups = bound.groups,
        .scratchpad_bytes = bound.scratchpad_bytes,
        .cluster = bound.cluster,
        .carveout = carveout_,
        .bank_bytes = bank_bytes_};
    if (measuring.kernel && !measuring.held_scratchpad_bytes)
        measuring.held_scratchpad_bytes = bound.scratchpad_bytes + kernel.scratchpad_bytes();
    const Timing timing = device.run({&launch, 1})[0];
    if (timing.device_ns.value_or(0) < 0)
        throw Error(
            fmt::format("the device's timer runs backwards: a dispatch took {:.0f} ns by it", *timing.device_ns));
    return {{.steps = steps, .host_ns = timing.host_ns, .device_ns = timing.device_ns},
        words ? read_words(bound.out, words) : std::vector<std::uint32_t>{}};
}

Sample Bench::launch_all(std::span<Launch> launches, double steps) {
    Sample sample{.steps = steps};
    for (Launch& launch : launches) launch.carveout = carveout_, launch.bank_bytes = bank_bytes_;
    if (measuring.kernel && !measuring.held_scratchpad_bytes && !launches.empty())
        measuring.held_scratchpad_bytes = launches[0].scratchpad_bytes + launches[0].kernel.scratchpad_bytes();
    for (const Timing& timing : device.run(launches, Timed::whole)) sample.host_ns += timing.host_ns;
    return sample;
}

void Bench::checked(std::string_view what) {
    evidence.output_checked = what;
    evidence.dispatches_checked = evidence.dispatches_checked.value_or(0) + 1;
}

std::unique_ptr<Buffer> Bench::allocate(Space space, std::uint64_t bytes, std::uint64_t least) {
    for (std::uint64_t wanted = bytes;; wanted /= 2) {
        step(fmt::format("allocate {}", format_bytes(wanted)));
        try {
            auto buffer = device.allocate(space, wanted);
            const Placement placement = buffer->placement();
            evidence.placement = {.device_local = placement.device_local, .text = placement.text};
            if (is_of_peer(space)) note_peer();
            return buffer;
        } catch (const DoesNotFit& error) {
            if (wanted / 2 < least) throw;
            ending = {.by = EndedBy::memory, .bytes = wanted / 2, .why = error.what()};
        }
    }
}

void Bench::note_peer() {
    const Peer& peer = bounded_.peer();
    evidence.peer = peer.device;
    evidence.peer_link = peer.link;
    if (peer.link_bytes_per_second > 0) evidence.peer_link_gb_per_s = peer.link_bytes_per_second / 1e9;
}

std::unique_ptr<Buffer> Bench::allocate_result(std::size_t words) {
    return device.allocate(Space::global, words * sizeof(std::uint32_t));
}

double Bench::run_helper_words(
    const Kernel& kernel, Buffer& out, std::uint64_t work, std::span<const std::uint32_t> args) {
    const Launch launch{.kernel = kernel, .out = out, .args = args, .groups = helper_shape(work).groups};
    const Timing timing = device.run({&launch, 1})[0];
    return timing.device_ns.value_or(timing.host_ns);
}

std::uint64_t Bench::next_part(std::uint64_t part, double ns) const {
    constexpr double kMostLonger = 8;
    return static_cast<std::uint64_t>(
        std::max(1.0, static_cast<double>(part) * std::clamp(most_ns() / std::max(ns, 1.0), 0.125, kMostLonger)));
}

void Bench::check_limit(double smallest_ns) const {
    if (info.cpu || smallest_ns <= most_ns()) return;
    throw TooLong(fmt::format("a dispatch of twice the smallest size would last {:.1f} ms, and {:g} ms is its limit",
        smallest_ns * 2e-6, request.dispatch_limit_ms));
}

void Bench::fill(Buffer& buffer, std::uint64_t bytes, std::uint32_t seed, const FillPattern& pattern) {
    if (!filler_) filler_ = helper_kernel("fill");
    step(fmt::format("fill {} with random data", format_bytes(bytes)));
    run_helper(
        *filler_, buffer, bytes / 4, fill_args(static_cast<std::uint32_t>(bytes / 4), kFillPeriod, seed, pattern));
}

std::uint64_t Bench::fill_source(Buffer& source, std::uint32_t seed, FillOrder order, const FillPattern& pattern) {
    if (path.space != Space::image2d) {
        const std::uint64_t bytes = source.bytes() / 4 * 4;
        fill(source, bytes, seed, pattern);
        return bytes;
    }
    constexpr std::uint64_t kBand = std::uint64_t{kImageRow} * 4 * 4; // four rows of texels
    const std::uint64_t bytes = source.bytes() / kBand * kBand;
    const auto rows = allocate_result(bytes / 4);
    if (order == FillOrder::as_it_lies) {
        fill(*rows, bytes, seed, pattern);
    } else {
        const auto filler = helper_kernel("fill", {{"SLOTS_2D", "1"}});
        step(fmt::format("fill {} of image with random data", format_bytes(bytes)));
        run_helper(
            *filler, *rows, bytes / 4, fill_args(static_cast<std::uint32_t>(bytes / 4), kFillPeriod, seed, pattern));
    }
    const Copy copy{.from = rows.get(), .to = &source, .bytes = bytes};
    device.copy({&copy, 1});
    return bytes;
}

std::vector<std::uint32_t> Bench::read_words(const Buffer& buffer, std::size_t words) {
    std::vector<std::uint32_t> result(words);
    const Copy copy{.from = &buffer, .to_host = result.data(), .bytes = words * sizeof(std::uint32_t)};
    device.copy({&copy, 1});
    return result;
}

void Bench::write_words(Buffer& buffer, std::span<const std::uint32_t> words) {
    const Copy copy{.from_host = words.data(), .to = &buffer, .bytes = words.size_bytes()};
    device.copy({&copy, 1});
}

std::uint64_t Bench::last_level(std::uint64_t unknown) const {
    const std::uint64_t reported = std::max(request.cache_bytes, info.cache_bytes);
    return reported ? reported : unknown;
}

std::uint64_t Bench::beyond_last_level(std::uint64_t footprint) const {
    const std::uint64_t cache = last_level(0);
    if (footprint <= cache)
        throw Unsupported(fmt::format("the last cache of {} holds the largest footprint, {}: none is read from DRAM",
            format_bytes(cache), format_bytes(footprint)));
    return footprint;
}

std::uint32_t Bench::rounded(double work, std::uint32_t granule, std::uint32_t most) {
    const double units = std::clamp(work, static_cast<double>(granule), static_cast<double>(most)) / granule;
    return static_cast<std::uint32_t>(units) * granule;
}

std::uint32_t Bench::long_enough(
    double wanted_ns, std::uint32_t granule, std::uint32_t most, const Dispatch& dispatch, std::uint32_t first) {
    const double limit_ns = most_ns();
    dispatch(granule); // holds the JIT, page faults, the caches' first fill
    const auto least_ns = [&](std::uint32_t work,
                              double enough_ns) { // of several: an interrupted dispatch must not look long enough
        double least = std::numeric_limits<double>::infinity();
        for (int i = 0; i < (info.cpu ? 3 : 2) && least >= enough_ns; ++i)
            least = std::min(least, primary_ns(dispatch(work)));
        return least;
    };
    const double fixed_ns = least_ns(granule, 0);
    check_limit(fixed_ns);
    wanted_ns = std::max(
        wanted_ns, std::min(kOfFixed * fixed_ns,
                       limit_ns - fixed_ns)); // the noise of a walk before the timed one is in the difference, too
    const double granules = first ? std::max(2.0, static_cast<double>(first) / granule) : 8;
    std::uint32_t longer = rounded(granule * std::clamp(2 * limit_ns / fixed_ns, 2.0, granules), granule,
        most); // no longer than a dispatch may last
    while (longer < most) {
        if (time_over()) throw TimeOver();
        const double ns = least_ns(longer, fixed_ns + wanted_ns), gained = ns - fixed_ns;
        if (gained > kTooLong * wanted_ns)
            return rounded(std::max(longer * wanted_ns / gained * 1.05, 2.0 * granule), granule,
                longer); // `first` was of another size
        if (gained >= wanted_ns || ns >= limit_ns) break;
        const double factor = gained > wanted_ns / 64 ? wanted_ns / gained * 1.05 : 8.0;
        const std::uint32_t next = rounded(longer * std::clamp(factor, 1.1, 8.0), granule, most);
        if (next == longer) break;
        longer = next;
    }
    return longer;
}

double Bench::rough_slope(std::uint32_t granule, std::uint32_t most, const Dispatch& dispatch, std::size_t pairs,
    std::uint32_t* longer, double part) {
    const auto finished = [&](std::span<const double> slopes) { return slopes.size() >= pairs; };
    const Pairs rough = pairs_of(0, {.granule = granule, .most = most}, dispatch,
        {.slope_ns = profile.slope_ns * (info.cpu ? 5 : 1) * part, .first = longer ? *longer : 0}, finished);
    if (longer) *longer = rough.longer;
    return median(rough.slopes);
}

double Bench::take_pairs(double x, int block, const Work& work, const Dispatch& dispatch, bool kept) {
    const auto finished = [&](std::span<const double> slopes) { return profile.rule.finished(slopes); };
    for (int repeats = 0;; ++repeats) {
        double busy_ns = 0;
        const double begin = device.now();
        const auto counted = [&](std::uint32_t count) {
            const Sample sample = dispatch(count);
            busy_ns += primary_ns(sample);
            return sample;
        };
        const auto known = long_work_.find(x); // of an earlier block
        const bool is_known = known != long_work_.end();
        const Pairs pairs = pairs_of(block, work, counted,
            {.slope_ns = profile.slope_ns * (info.cpu ? 5 : work.times_longer),
                .first = is_known ? known->second : last_long_work_,
                .sure = is_known},
            finished);
        last_long_work_ = long_work_[x] = pairs.longer;
        const double idle = 1 - busy_ns / ((device.now() - begin) * 1e9);
        if (info.cpu || idle < kIdleEnough || repeats == kMostRepeats || run_over(request) || !clock_dropped()) {
            if (kept) reporter_.samples(x, pairs.samples);
            has_point_ = has_point_ || kept;
            return median(pairs.slopes);
        }
        step("wake the clocks again");
        wake_again();
        evidence.clock->points_repeated = evidence.clock->points_repeated.value_or(0) + 1;
    }
}

void Bench::sustain(std::uint64_t seconds, std::uint32_t most, const Dispatch& dispatch) {
    constexpr double kLongDispatch = 1e8; // ns
    const std::uint32_t longer = long_enough(std::min(kLongDispatch, most_ns()) * 0.9, 1, most, dispatch),
                        shorter = rounded(longer / 8.0, 1, most);
    if (shorter == longer)
        throw Error(fmt::format("a dispatch of {} steps is the longest possible, too short for a slope", longer));
    begin_ = device.now();
    for (std::uint64_t second = 1; second <= seconds; ++second) {
        const std::string text = fmt::format("{} {}", x_name, second);
        if (time_over()) {
            ending = {.by = EndedBy::time, .before = static_cast<double>(second)};
            return;
        }
        step("measure " + text);
        std::vector<Sample> samples;
        while (seconds_used() < static_cast<double>(second))
            for (const std::uint32_t work : {shorter, longer}) samples.push_back(dispatch(work));
        if (samples.empty()) continue; // a pair of the second before lasted so long
        reporter_.samples(static_cast<double>(second), samples);
        has_point_ = true;
    }
}

void Bench::measure_in_turns(const std::vector<std::uint64_t>& xs, std::uint32_t times,
    const std::function<void()>& begin, const Dispatch& dispatch) {
    std::map<std::uint64_t, std::vector<Sample>> samples;
    begin_ = device.now();
    for (std::uint32_t turn = 0; turn < times && !ending; ++turn) {
        step(fmt::format("turn {} of {}", turn + 1, times));
        begin();
        for (const std::uint64_t x : xs)
            for (const std::uint32_t work : {0u, 1u}) samples[x].push_back(dispatch(work));
        if (time_over() && turn + 1 < times) ending = {.by = EndedBy::time, .done = turn + 1, .of = times};
    }
    for (const auto& [x, taken] : samples) reporter_.samples(static_cast<double>(x), taken);
    has_point_ = true;
}

Bench::Pairs Bench::pairs_of(int block, const Work& work, const Dispatch& dispatch, const LongDispatch& wanted,
    const std::function<bool(std::span<const double>)>& finished) {
    const auto [granule, most] = std::pair(work.granule, work.most);
    const double limit_ns = most_ns();
    if (info.software) pin_threads(); // the driver may have begun more
    const double begin = device.now();
    const auto seconds_here = [&] { return device.now() - begin; };
    Pairs pairs;
    auto& [samples, slopes, longer] = pairs;
    longer = wanted.sure ? rounded(wanted.first, granule, most)
                         : long_enough(wanted.slope_ns, granule, most, dispatch, wanted.first);
    if (wanted.sure) dispatch(longer); // as before the pairs of the first block
    for (int lost = 0; !finished(slopes);) {
        if (slopes.size() >= profile.rule.at_least && (seconds_here() > point_seconds_ || time_over())) break;
        if (time_over()) throw TimeOver();
        const std::uint32_t shorter = rounded(longer / 8.0, granule, most);
        if (shorter == longer)
            throw Error(fmt::format("a dispatch of {} steps is the longest possible, too short for a slope", longer));
        Sample pair[2];
        try {
            for (std::size_t i = 0; i < 2; ++i) pair[i] = dispatch(i ? longer : shorter);
        } catch (const TimeOver&) {
            if (slopes.size() < profile.rule.at_least) throw;
            break;
        }
        const double slope = (primary_ns(pair[1]) - primary_ns(pair[0])) / (pair[1].steps - pair[0].steps);
        if (!(slope > 0)) { // an interrupted short walk; where it happens again, the walks are too short for this
                            // machine's noise
            if (++lost > kMostLostPairs)
                throw Error(
                    fmt::format("{} pairs in which {} steps took no longer than {}: the timer cannot be trusted", lost,
                        longer, shorter));
            if (primary_ns(pair[1]) < limit_ns)
                longer = rounded(longer * std::min(4.0, 2 * limit_ns / primary_ns(pair[1])), granule, most);
            continue;
        }
        slopes.push_back(slope);
        for (Sample& sample : pair) {
            sample.block = block;
            samples.push_back(sample);
        }
    }
    if (!slopes.empty()) last_slope_ = median(slopes);
    return pairs;
}

double Bench::seconds_used() const { return device.now() - begin_; }

bool Bench::time_over() const {
    const bool own = has_point_ && request.most_seconds > 0 && device.now() - made_ > request.most_seconds;
    return own || run_over(request);
}

std::uint32_t Bench::next_seed() { return static_cast<std::uint32_t>(splitmix(seed_state_)); }

} // namespace sonde
