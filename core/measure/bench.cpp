// The measuring rules.
#include "core/measure/bench.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/levels.h"
#include "core/analysis/refinement.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/device/kernel_source.h"
#include "core/listing/listing.h"

namespace sonde {

namespace {
constexpr double kWakeSeconds = 0.2;
constexpr double kAwakeSeconds = 0.2; // after the last series
constexpr double kMostWaking = 1;     // seconds, for clocks that come up slowly
constexpr double kSunken = 0.97;      // of the clock that is known: below it what is measured tells of power saving
constexpr double kIdleEnough = 0.1;   // of the time without work on the device: some drivers let the clocks sink then
constexpr int kMostRepeats = 2;       // of a point in which the clocks sank
constexpr int kMostLostPairs = 10;
constexpr double kMostOverBudget = 3; // times the budget after which a sweep is cut short

std::uint64_t splitmix(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
} // namespace

Bench::~Bench() { history_.last_busy = std::chrono::steady_clock::now(); }

Bench::Bench(Device& device_, DeviceHistory& history, const Path& path_, const Request& request_, const Profile& profile_, Reporter& reporter)
    : device(device_), info(device_.info()), path(path_), request(request_), profile(profile_), reporter_(reporter), history_(history),
      seconds_(request_.seconds > 0 ? request_.seconds : profile_.seconds), seed_state_(request_.seed) {
    evidence["seed"] = request.seed;
    const auto& options = request.id.options;
    if (const auto carveout = options.find("carveout"); carveout != options.end()) carveout_ = parse_carveout(carveout->second);
    if (const auto banks = options.find("banks"); banks != options.end()) bank_bytes_ = static_cast<std::uint32_t>(std::stoul(banks->second));
    evidence["clock"] = {{"name", info.clock_name}, {"counts", info.clock == KernelClock::core_cycles ? "core cycles" : info.clock == KernelClock::timer ? "time" : "nothing"}};
}

std::unique_ptr<Kernel> Bench::kernel(const KernelChoice& choice) {
    auto kernel = compile(choice);
    evidence["kernel"] = kernel_evidence(*kernel, choice);
    return kernel;
}

std::unique_ptr<Kernel> Bench::compile(const KernelChoice& choice) {
    if (choice.b)
        if (const auto reason = device.why_not(*choice.b)) throw Unsupported(fmt::format("path {}: {}", choice.b->name, *reason));
    const Source source = kernel_source(choice.name);
    const Build build = choice.build(path);
    step(fmt::format("compile {}", variant_name(source, build)));
    return device.compile(source, build);
}

Json Bench::kernel_evidence(const Kernel& kernel, const KernelChoice& choice) const {
    const std::string variant = variant_name(kernel_source(choice.name), choice.build(path));
    Json& known = history_.kernels[fmt::format("{} {}", variant, choice.group_size)];
    if (known.is_null()) known = sonde::kernel_evidence(kernel, choice, path);
    return known;
}

Shape Bench::helper_shape(std::uint64_t work) const {
    const std::uint32_t group_size = info.cpu ? info.subgroup : std::min(256u, info.largest_group);
    constexpr std::uint64_t kMostTrips = 2048; // the chain's builder has loops inside its loop, and lavapipe 22 counts them all
    const std::uint64_t needed = (work + group_size * kMostTrips - 1) / (group_size * kMostTrips);
    const std::uint64_t filling = std::uint64_t{info.cores} * (info.cpu ? 1 : 32);
    const std::uint64_t useful = std::max<std::uint64_t>(1, work / group_size);
    return {group_size, static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::max(needed, filling), 1, std::min<std::uint64_t>(useful, 65535)))};
}

std::unique_ptr<Kernel> Bench::helper_kernel(const std::string& name, const std::vector<std::pair<std::string, std::string>>& defines) {
    step(fmt::format("compile {}", name));
    return device.compile(kernel_source(name), {.a = find_path("global"), .b = nullptr, .group_size = helper_group_size(), .defines = defines});
}

std::optional<Carveout> parse_carveout(const std::string& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (error != std::errc() || value < 0) return std::nullopt;
    if (unit.empty() && value <= 100) return Carveout{Carveout::Unit::percent, value};
    if (unit == "KiB" && (value == 16 || value == 32 || value == 48)) return Carveout{Carveout::Unit::kibibytes, value};
    return std::nullopt;
}

Launched Bench::launch_words(const Kernel& kernel, std::span<const std::uint32_t> args, const Bound& bound, double steps, std::size_t words) {
    const Launch launch{.kernel = kernel, .a = bound.a, .b = bound.b, .out = bound.out, .args = args, .groups = bound.groups, .scratchpad_bytes = bound.scratchpad_bytes, .cluster = bound.cluster,
                        .carveout = carveout_, .bank_bytes = bank_bytes_};
    const Timing timing = device.run({&launch, 1})[0];
    return {{.steps = steps, .host_ns = timing.host_ns, .device_ns = timing.device_ns}, words ? read_words(bound.out, words) : std::vector<std::uint32_t>{}};
}

void Bench::checked(std::string_view what) {
    evidence["output_checked"] = what;
    evidence["dispatches_checked"] = evidence.value("dispatches_checked", std::uint64_t{0}) + 1;
}

std::unique_ptr<Buffer> Bench::allocate(std::uint64_t bytes, std::uint64_t least) {
    for (std::uint64_t wanted = bytes;; wanted /= 2) {
        step(fmt::format("allocate {}", format_bytes(static_cast<double>(wanted))));
        try {
            auto buffer = device.allocate(path.space, wanted);
            const Placement placement = buffer->placement();
            evidence["placement"] = {{"device_local", placement.device_local ? Json(*placement.device_local) : Json(nullptr)}, {"text", placement.text}};
            return buffer;
        } catch (const DoesNotFit& error) {
            if (wanted / 2 < least) throw;
            end_reason = fmt::format("ends at {}: {}", format_bytes(static_cast<double>(wanted / 2)), error.what());
        }
    }
}

std::unique_ptr<Buffer> Bench::allocate_result(std::size_t words) { return device.allocate(Space::global, words * sizeof(std::uint32_t)); }

void Bench::run_helper_words(const Kernel& kernel, Buffer& out, std::uint64_t work, std::span<const std::uint32_t> args) {
    const Launch launch{.kernel = kernel, .out = out, .args = args, .groups = helper_shape(work).groups};
    device.run({&launch, 1});
}

void Bench::fill(Buffer& buffer, std::uint64_t bytes, std::uint32_t seed) {
    if (!filler_) filler_ = helper_kernel("fill");
    step(fmt::format("fill {} with random data", format_bytes(static_cast<double>(bytes))));
    run_helper(*filler_, buffer, bytes / 4, kernel_args::Fill{.words = static_cast<std::uint32_t>(bytes / 4), .period = kFillPeriod, .seed = seed});
}

std::uint64_t Bench::fill_source(Buffer& source, std::uint32_t seed, FillOrder order) {
    if (path.space != Space::image2d) {
        const std::uint64_t bytes = source.bytes() / 4 * 4;
        fill(source, bytes, seed);
        return bytes;
    }
    constexpr std::uint64_t kBand = std::uint64_t{kImageRow} * 4 * 4; // four rows of texels
    const std::uint64_t bytes = source.bytes() / kBand * kBand;
    const auto rows = allocate_result(bytes / 4);
    if (order == FillOrder::as_it_lies) {
        fill(*rows, bytes, seed);
    } else {
        const auto filler = helper_kernel("fill", {{"SLOTS_2D", "1"}});
        step(fmt::format("fill {} of image with random data", format_bytes(static_cast<double>(bytes))));
        run_helper(*filler, *rows, bytes / 4, kernel_args::Fill{.words = static_cast<std::uint32_t>(bytes / 4), .period = kFillPeriod, .seed = seed});
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

/// All cores, arithmetic only.
class Bench::Spinner {
public:
    explicit Spinner(Bench& bench)
        : bench_(bench), kernel_(bench.helper_kernel("spin")), shape_(bench.helper_shape(std::uint64_t{bench.info.cores} * 4096 + 4096)),
          out_(bench.allocate_result(4 + std::size_t{shape_.group_size} * shape_.groups)) {}

    Sample spin(std::uint32_t rounds) {
        const std::uint32_t args[] = {rounds, bench_.request.seed};
        const Launch launch{.kernel = *kernel_, .out = *out_, .args = args, .groups = shape_.groups};
        const Timing timing = bench_.device.run({&launch, 1})[0];
        return {.steps = static_cast<double>(rounds), .host_ns = timing.host_ns, .device_ns = timing.device_ns, .cycles = std::nullopt};
    }
    /// One workgroup alone, so that its clock and the device's timer see the same work.
    Sample timed(std::uint32_t rounds) {
        const std::uint32_t args[] = {rounds, bench_.request.seed};
        const Launch launch{.kernel = *kernel_, .out = *out_, .args = args, .groups = 1};
        const Timing timing = bench_.device.run({&launch, 1})[0];
        return {.steps = static_cast<double>(rounds), .host_ns = timing.host_ns, .device_ns = timing.device_ns,
                .cycles = clock_difference(bench_.info, bench_.read_words(*out_, 4))};
    }

private:
    Bench& bench_;
    std::unique_ptr<Kernel> kernel_;
    Shape shape_;
    std::unique_ptr<Buffer> out_;
};

std::uint64_t Bench::last_level(std::uint64_t unknown) const {
    const std::uint64_t told = std::max(request.cache_bytes, info.cache_bytes);
    return told ? told : unknown;
}

void Bench::wake_clocks() {
    spinner_ = std::make_unique<Spinner>(*this);
    step("wake the clocks");
    const bool still_awake = std::chrono::steady_clock::now() - history_.last_busy < std::chrono::duration<double>(kAwakeSeconds);
    spin_for(still_awake ? kWakeSeconds / 10 : kWakeSeconds);
    note_clock("before_mhz");
    if (clocks_sank()) {
        wake_again();
        note_clock("before_mhz");
    }
}

void Bench::wake_again() {
    if (!spinner_) return;
    const auto begin = std::chrono::steady_clock::now();
    do spin_for(kWakeSeconds / 2);
    while (clocks_sank() && std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(kMostWaking));
    history_.awake_mhz = clock_mhz().value_or(0); // lower than before where the card holds it down
}

bool Bench::clocks_sank() {
    const auto sunken = [&](std::optional<double> mhz) { return mhz && *mhz < kSunken * history_.awake_mhz; };
    return sunken(clock_mhz(1, 1024)) && sunken(clock_mhz()); // a glance, which may be wrong, and a longer look
}

void Bench::spin_for(double seconds) {
    std::uint32_t rounds = 64;
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(seconds))
        if (primary_ns(spinner_->spin(rounds)) < 4e6 && rounds < 32768) rounds *= 2;
}

std::optional<double> Bench::clock_mhz(int pairs, std::uint32_t rounds) {
    if (info.clock != KernelClock::core_cycles || !spinner_) return std::nullopt;
    Point point;
    for (int pair = 0; pair < pairs; ++pair)
        for (const std::uint32_t each : {rounds / 16, rounds}) point.samples.push_back(spinner_->timed(each));
    const bool device_time = point.samples[0].device_ns.has_value();
    summarize(point, Measure::time_per_step, device_time ? Timer::device : Timer::host, true);
    return point.clock_mhz;
}

void Bench::note_clock(const char* when) {
    const auto mhz = clock_mhz();
    if (!mhz) return;
    evidence["clock"][when] = *mhz;
    history_.awake_mhz = std::max(history_.awake_mhz, *mhz);
}

std::uint32_t Bench::rounded(double work, std::uint32_t granule, std::uint32_t most) {
    const double units = std::clamp(work, static_cast<double>(granule), static_cast<double>(most)) / granule;
    return static_cast<std::uint32_t>(units) * granule;
}

std::uint32_t Bench::long_enough(double wanted_ns, std::uint32_t granule, std::uint32_t most, const std::function<Sample(std::uint32_t)>& dispatch) {
    const double limit_ns = request.dispatch_limit_ms * 1e6 / 2;
    dispatch(granule); // holds the JIT, page faults, the caches' first fill
    const auto least_ns = [&](std::uint32_t work) { // of several: an interrupted dispatch must not look long enough
        double least = std::numeric_limits<double>::infinity();
        for (int i = 0; i < (info.cpu ? 3 : 2); ++i) least = std::min(least, primary_ns(dispatch(work)));
        return least;
    };
    const double fixed_ns = least_ns(granule);
    std::uint32_t longer = rounded(granule * std::clamp(2 * limit_ns / fixed_ns, 2.0, 8.0), granule, most); // no longer than a dispatch may last
    while (longer < most) {
        const double ns = least_ns(longer), gained = ns - fixed_ns;
        if (gained >= wanted_ns || ns >= limit_ns) break;
        const double factor = gained > wanted_ns / 64 ? wanted_ns / gained * 1.05 : 8.0;
        const std::uint32_t next = rounded(longer * std::clamp(factor, 1.1, 8.0), granule, most);
        if (next == longer) break;
        longer = next;
    }
    return longer;
}

double Bench::rough_slope(std::uint32_t granule, std::uint32_t most, const std::function<Sample(std::uint32_t)>& dispatch, std::size_t pairs) {
    const std::uint32_t longer = long_enough(profile.slope_ns * (info.cpu ? 5 : 1) / 8, granule, most, dispatch);
    const std::uint32_t shorter = rounded(longer / 8.0, granule, most);
    std::vector<double> slopes;
    for (int i = 0; slopes.size() < pairs && i < kMostLostPairs; ++i) {
        const Sample first = dispatch(shorter), second = dispatch(longer);
        const double slope = (primary_ns(second) - primary_ns(first)) / (second.steps - first.steps);
        if (slope > 0) slopes.push_back(slope);
    }
    if (slopes.empty()) throw Error(fmt::format("{} steps take no longer than {}: the timer cannot be trusted", longer, shorter));
    return median(slopes);
}

double Bench::take_pairs(double x, int block, std::uint32_t granule, std::uint32_t most, const std::function<Sample(std::uint32_t)>& dispatch,
                         double times_longer) {
    for (int repeats = 0;; ++repeats) {
        double busy_ns = 0;
        const auto begin = std::chrono::steady_clock::now();
        const auto counted = [&](std::uint32_t work) {
            const Sample sample = dispatch(work);
            busy_ns += primary_ns(sample);
            return sample;
        };
        const Pairs pairs = pairs_of(block, granule, most, counted, times_longer);
        const double idle = 1 - busy_ns / std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
        if (info.cpu || idle < kIdleEnough || repeats == kMostRepeats || !clocks_sank()) {
            reporter_.samples(x, pairs.samples);
            return median(pairs.slopes);
        }
        step("wake the clocks again");
        wake_again();
        evidence["clock"]["points_repeated"] = evidence["clock"].value("points_repeated", 0) + 1;
    }
}

Bench::Pairs Bench::pairs_of(int block, std::uint32_t granule, std::uint32_t most, const std::function<Sample(std::uint32_t)>& dispatch, double times_longer) {
    const double limit_ns = request.dispatch_limit_ms * 1e6 / 2;
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds_here = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
    std::uint32_t longer = long_enough(profile.slope_ns * (info.cpu ? 5 : times_longer), granule, most, dispatch);

    Pairs pairs;
    auto& [samples, slopes] = pairs;
    const StopRule& rule = profile.rule;
    for (int lost = 0; !rule.finished(slopes);) {
        if (slopes.size() >= rule.at_least && seconds_here() > point_seconds_) break;
        const std::uint32_t shorter = rounded(longer / 8.0, granule, most);
        if (shorter == longer) throw Error(fmt::format("a dispatch of {} steps is the longest possible, too short for a slope", longer));
        Sample pair[] = {dispatch(shorter), dispatch(longer)};
        const double slope = (primary_ns(pair[1]) - primary_ns(pair[0])) / (pair[1].steps - pair[0].steps);
        if (!(slope > 0)) { // an interrupted short walk; where it happens again, the walks are too short for this machine's noise
            if (++lost > kMostLostPairs) throw Error(fmt::format("{} pairs in which {} steps took no longer than {}: the timer cannot be trusted", lost, longer, shorter));
            if (primary_ns(pair[1]) < limit_ns) longer = rounded(longer * std::min(4.0, 2 * limit_ns / primary_ns(pair[1])), granule, most);
            continue;
        }
        slopes.push_back(slope);
        for (Sample& sample : pair) {
            sample.block = block;
            samples.push_back(sample);
        }
    }
    return pairs;
}

std::vector<std::uint64_t> Bench::sizes(std::uint64_t smallest, std::uint64_t largest, std::uint64_t granule) const {
    std::vector<std::uint64_t> result;
    for (int k = 0;; ++k) {
        const double exact = static_cast<double>(smallest) * std::exp2(k / profile.sizes_per_octave);
        const auto size = std::min(largest, static_cast<std::uint64_t>(std::llround(exact / static_cast<double>(granule))) * granule);
        const std::uint64_t floor_size = size / granule * granule;
        if (floor_size == 0) continue;
        if (result.empty() || floor_size > result.back()) result.push_back(floor_size);
        if (size >= largest) return result;
    }
}

std::uint64_t Bench::largest_footprint() {
    std::uint64_t largest = info.cpu ? profile.largest_cpu : profile.largest_gpu;
    if (info.memory_bytes / 2 < largest) {
        largest = info.memory_bytes / 2;
        end_reason = fmt::format("ends at {}: half of the device's memory", format_bytes(static_cast<double>(largest)));
    }
    if (const Reach reach = info.reach_of(path.space); reach.bytes < largest) {
        largest = reach.bytes;
        end_reason = fmt::format("ends at {}: {}", format_bytes(static_cast<double>(largest)), reach.limit);
    }
    return largest;
}

std::optional<std::uint64_t> Bench::sweep_while(int block, std::size_t expected, const std::function<std::optional<std::uint64_t>()>& next,
                                                const Measuring& measure) {
    if (!begun_) begin_ = std::chrono::steady_clock::now(); // the budget is for measuring, not for compiling and waking
    begun_ = true;
    const std::size_t all = expected * static_cast<std::size_t>(profile.blocks), before = expected * static_cast<std::size_t>(block);
    std::optional<std::uint64_t> too_large;
    for (std::size_t done = before; !ended_ && !too_large; ++done) {
        const auto size = next();
        if (!size) break;
        const std::string text = x_unit == "bytes" ? format_bytes(static_cast<double>(*size)) : fmt::format("{} {}", x_name, *size);
        point_seconds_ = std::max(0.0, (seconds_ - seconds_used()) / static_cast<double>(done < all ? all - done : 1));
        if (seconds_used() > kMostOverBudget * seconds_) {
            end_reason = block == 0 ? fmt::format("ends before {}: the time budget was used {:g} times over", text, kMostOverBudget)
                                    : fmt::format("{} of {} blocks: the time budget was used {:g} times over", block, profile.blocks, kMostOverBudget);
            ended_ = true;
            break;
        }
        in_context("at " + text, [&] {
            try {
                measure(*size, text);
            } catch (const DoesNotFit& error) {
                if (done == 0) throw;
                too_large = size;
                end_reason = fmt::format("ends before {}: {}", text, error.what());
            }
        });
    }
    return too_large;
}

void Bench::sweep(int block, const std::vector<std::uint64_t>& sizes, const Measuring& measure) {
    auto next = sizes.begin();
    sweep_while(block, sizes.size(), [&] { return next == sizes.end() ? std::nullopt : std::optional(*next++); }, measure);
}

std::uint64_t Bench::largest_taken(std::uint64_t refused, std::uint64_t granule, const std::vector<CurvePoint>& curve, const Measuring& measure) {
    for (;;) {
        std::uint64_t taken = 0;
        for (const CurvePoint& point : curve) taken = std::max(taken, static_cast<std::uint64_t>(point.bytes));
        const std::uint64_t middle = (taken + refused) / 2 / granule * granule;
        if (ended_ || middle <= taken || static_cast<double>(refused) <= (1 + profile.edge) * static_cast<double>(taken)) return taken;
        std::optional<std::uint64_t> once = middle;
        if (const auto again = sweep_while(0, 1, [&] { return std::exchange(once, std::nullopt); }, measure)) refused = *again;
    }
}

void Bench::refined_sweeps(std::uint64_t smallest, std::uint64_t granule, const std::function<std::uint64_t()>& largest,
                           const std::function<void(int)>& begin, const std::function<double(int, std::uint64_t)>& measure) {
    constexpr std::size_t kExpected = 48; // sizes of a whole hierarchy, on the average of many
    begin(0);
    std::vector<CurvePoint> curve;
    std::uint64_t end = largest();
    bool in_time = true;
    const auto next = [&]() -> std::optional<std::uint64_t> {
        const auto size = next_size(curve, profile.edge, static_cast<double>(smallest), static_cast<double>(end), static_cast<double>(granule));
        // The coarse sizes, which come first and ascend to the end, are the curve; what follows sharpens it, as long as there is time.
        const bool coarse = std::none_of(curve.begin(), curve.end(), [&](const CurvePoint& point) { return point.bytes > static_cast<double>(end - granule); });
        if (size && !coarse && seconds_used() > seconds_ / profile.blocks) in_time = false;
        return size && in_time ? std::optional(static_cast<std::uint64_t>(std::llround(*size))) : std::nullopt;
    };
    const auto first = [&](std::uint64_t size, const std::string&) {
        const double ns = measure(0, size);
        curve.push_back({static_cast<double>(size), ns});
        return ns;
    };
    const auto refused = sweep_while(0, kExpected, next, first);
    if (refused) {
        end = largest_taken(*refused, granule, curve, first);
        sweep_while(0, kExpected, next, first);
    }
    std::vector<std::uint64_t> sizes;
    for (const CurvePoint& point : merge_points(curve)) sizes.push_back(static_cast<std::uint64_t>(point.bytes));
    evidence["refinement"] = {{"edges_known_to", profile.edge}, {"sizes", sizes.size()}, {"ended_by", in_time ? "the curve" : "the time budget"}};
    for (int block = 1; block < profile.blocks; ++block) {
        begin(block);
        while (!sizes.empty() && sizes.back() > largest()) sizes.pop_back();
        sweep(block, sizes, [&](std::uint64_t size, const std::string&) { return measure(block, size); });
    }
}

double Bench::measure_point(const Experiment& experiment, const Work& work, int block, std::uint64_t x, const std::string& text) {
    step("measure " + text);
    const double ns = take_pairs(work.x.value_or(static_cast<double>(x)), block, work.granule, work.most, [&](std::uint32_t count) { return experiment.dispatch(x, count); }, work.times_longer);
    if (experiment.verify) experiment.verify();
    return ns;
}

std::map<std::uint64_t, double> Bench::measure_block(const Experiment& experiment, int block, const std::vector<std::uint64_t>& xs) {
    std::map<std::uint64_t, double> ns;
    std::optional<double> last;
    sweep(block, xs, [&](std::uint64_t x, const std::string& text) {
        const Work work = experiment.prepare ? experiment.prepare(x, text) : experiment.work;
        const double at = work.x.value_or(static_cast<double>(x));
        if (last == at) return ns.rbegin()->second; // two sizes that are so many tiles alike are one point
        last = at;
        return ns[x] = measure_point(experiment, work, block, x, text);
    });
    return ns;
}

void Bench::measure(const Experiment& experiment, const std::vector<std::uint64_t>& xs) {
    for (int block = 0; block < profile.blocks; ++block) {
        if (experiment.begin) experiment.begin(block);
        measure_block(experiment, block, xs);
    }
}

void Bench::measure_refined(const Experiment& experiment, std::uint64_t smallest, std::uint64_t granule, const std::function<std::uint64_t()>& largest) {
    refined_sweeps(smallest, granule, largest, experiment.begin, [&](int block, std::uint64_t size) {
        const std::string text = format_bytes(static_cast<double>(size));
        return measure_point(experiment, experiment.prepare(size, text), block, size, text);
    });
}

double Bench::seconds_used() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

std::uint32_t Bench::next_seed() { return static_cast<std::uint32_t>(splitmix(seed_state_)); }

std::optional<double> clock_difference(const DeviceInfo& info, std::span<const std::uint32_t> words) {
    if (info.clock == KernelClock::none) return std::nullopt;
    const std::uint64_t begin = words[0] | std::uint64_t{words[1]} << 32, end = words[2] | std::uint64_t{words[3]} << 32;
    return static_cast<double>(end - begin);
}

} // namespace sonde
