#include "core/measure/fft.h"

#include <bit>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

namespace {
constexpr std::uint32_t kFineBits = 12, kPointsOfPadding = 16; // kernels/fft.h
constexpr std::uint32_t kFewestBeside = 8; // transforms in a workgroup of a pass of several: 64 bytes side by side
constexpr std::uint64_t kPoints = 1u << 24, kPointsOfProcessor = 1u << 18;
constexpr std::uint64_t kFewestPoints = 1u << 8,
                        kFewestSideBySide = 1u << 14; // of a card on which more would last too long
constexpr std::uint32_t kDistinctPoints = 1u << 31;   // words: none repeats
constexpr FillPattern kParts{
    .keep = {0x807fffff, 0x807fffff}, .set = {0x3f800000, 0x3f800000}}; // from 1 to 2, of either sign
/// Rounding of a number in a step, for each bit of n: eight roundings of a number below 2.
constexpr double kRounding = 8 * 2 * 0x1p-24;
constexpr double kOperationsOfPoint = 5; // for each bit of n, as other programs count
constexpr int kFrequencies = 2;
constexpr std::uint32_t kDirections[] = {0, 1}; // of a library's transforms: forwards, back

std::complex<float> root(double turn, double order) {
    return std::complex<float>(std::polar(1.0, -2 * std::numbers::pi * turn / order));
}
} // namespace

std::uint32_t FftPasses::scratchpad_bytes() const { return 2 * (points + points / kPointsOfPadding) * 8; }

std::uint32_t FftPasses::count(std::uint32_t n_bits) const {
    const auto most = static_cast<std::uint32_t>(std::countr_zero(points)),
               most_of_several = most - static_cast<std::uint32_t>(std::countr_zero(kFewestBeside));
    return n_bits <= most ? 1 : (n_bits + most_of_several - 1) / most_of_several;
}

std::vector<kernel_args::Fft> FftPasses::args(std::uint32_t n_bits, bool inverse) const {
    const std::uint32_t passes = count(n_bits);
    std::vector<kernel_args::Fft> all;
    for (std::uint32_t pass = 0, stride_bits = 0; pass < passes; ++pass) {
        const std::uint32_t length_bits = n_bits / passes + (pass < n_bits % passes ? 1 : 0),
                            beside_bits = static_cast<std::uint32_t>(std::countr_zero(points)) - length_bits;
        const float factor = inverse && pass + 1 == passes ? std::ldexp(1.0f, -static_cast<int>(n_bits)) : 1.0f;
        all.push_back({.n_bits = n_bits,
            .length_bits = length_bits,
            .beside_bits = beside_bits,
            .stride_bits = stride_bits,
            .inverse = inverse,
            .factor = std::bit_cast<std::uint32_t>(factor)});
        stride_bits += length_bits;
    }
    return all;
}

std::vector<std::uint32_t> FftPasses::roots(std::uint32_t n_bits) const {
    std::vector<std::uint32_t> words;
    const auto append = [&](std::uint32_t number, std::uint32_t each, double order) {
        for (std::uint32_t turn = 0; turn < number; ++turn) {
            const std::complex<float> made = root(static_cast<double>(turn) * each, order);
            words.push_back(std::bit_cast<std::uint32_t>(made.real())),
                words.push_back(std::bit_cast<std::uint32_t>(made.imag()));
        }
    };
    const double n = std::ldexp(1.0, static_cast<int>(n_bits));
    append(points, 1, points), append(1u << kFineBits, 1, n),
        append(n_bits > kFineBits ? 1u << (n_bits - kFineBits) : 1, 1u << kFineBits, n);
    return words;
}

double FftPasses::scratchpad_bytes_of_point(std::uint32_t n_bits) const {
    double bytes = 0;
    for (const auto& pass : args(n_bits, false))
        bytes += 16 * (1 + (pass.length_bits + 1) / 2); // brought and taken away, and once for each radix
    return bytes;
}

FftPasses fft_passes(const DeviceInfo& info) {
    FftPasses passes;
    while (info.scratchpad_bytes && passes.scratchpad_bytes() > info.scratchpad_bytes && passes.points > kFewestPoints)
        passes.points /= 2;
    passes.items = std::min(workload_group_size(info), passes.points / 4); // of radix 4
    return passes;
}

KernelChoice fft_kernel(const FftPasses& passes) {
    return {.name = "fft",
        .group_size = passes.items,
        .defines = {{"ITEMS", std::to_string(passes.items)}, {"POINTS", std::to_string(passes.points)}, {"WIDE_B", "1"},
            {"WIDTH", "2"}},
        .b = find_path("global")};
}

Transforms::Transforms(Bench& bench, std::uint64_t points, std::uint32_t n_bits)
    : bench_(bench),
      points_(points),
      n_bits_(n_bits),
      seed_(bench.next_seed()),
      distances_kernel_(bench.helper_kernel("distances", {{"TYPE_F32", "1"}, {"WIDE_B", "1"}}, find_path("global"))),
      start_(filled(seed_)),
      distances_(bench.allocate_result(
          std::size_t{bench.helper_shape(points * 2).group_size} * bench.helper_shape(points * 2).groups)) {}

std::unique_ptr<Buffer> Transforms::filled(std::uint32_t seed) {
    const std::uint64_t words = points_ * 2;
    auto buffer = bench_.allocate(words * 4, words * 4);
    bench_.run_helper(*bench_.helper_kernel("fill"), *buffer, words,
        fill_args(static_cast<std::uint32_t>(words), kDistinctPoints, seed, kParts));
    return buffer;
}

Fft::Fft(Bench& bench, const KernelChoice& choice, std::uint64_t points, std::uint32_t n_bits)
    : Transforms(bench, points, n_bits),
      passes_(fft_passes(bench.info)),
      args_{passes_.args(n_bits, false), passes_.args(n_bits, true)},
      kernel_(bench.kernel(choice)),
      buffers_{filled(seed_), filled(bench.next_seed())},
      roots_(bench.allocate_result(passes_.roots(n_bits).size())) {
    bench.write_words(*roots_, passes_.roots(n_bits));
}

Demand Fft::demand() const {
    const double of_point = kOperationsOfPoint * n_bits_, moved = 8 * passes_.count(n_bits_) / of_point;
    return {.footprint_bytes = 16 * static_cast<double>(points_),
        .read_bytes = moved,
        .written_bytes = moved,
        .operations = 1,
        .scratchpad_bytes = passes_.scratchpad_bytes_of_point(n_bits_) / of_point,
        .launches = passes_.count(n_bits_) / units()};
}

void Fft::append(std::vector<Launch>& launches, std::uint64_t step) const {
    std::uint64_t pass = step * args_[0].size();
    for (const auto& args : args_[step % 2]) {
        launches.push_back({.kernel = *kernel_,
            .a = buffers_[pass % 2].get(),
            .b = buffers_[(pass + 1) % 2].get(),
            .out = *roots_,
            .args = Bench::words_of(args),
            .groups = static_cast<std::uint32_t>(points_ / passes_.points),
            .scratchpad_bytes = passes_.scratchpad_bytes()});
        ++pass;
    }
}

void Transforms::run_step(std::uint64_t step) {
    std::vector<Launch> launches;
    append(launches, step);
    bench_.device.run(launches);
}

void Transforms::check(std::uint64_t steps) {
    const std::uint64_t forwards = steps / 2 * 2; // the number of a step that goes forwards
    const double bound = kRounding * n_bits_ * static_cast<double>(forwards + 2);
    if (steps == forwards) run_step(forwards);
    check_frequencies(after(forwards + 1), bound);
    run_step(forwards + 1);
    check_start(after(forwards + 2), bound);
    if (steps != forwards) run_step(forwards + 2);
    bench_.checked("after all steps of a size: some frequencies of a transform against the host's, and all points, "
                   "transformed back, against the start");
}

void Transforms::check_frequencies(const Buffer& found, double bound) {
    const std::uint64_t n = 1ull << n_bits_, first = bench_.next_seed() % (points_ / n) * n;
    const auto part = [&](std::uint64_t word) {
        return double{std::bit_cast<float>(fill_word(word, kDistinctPoints, seed_, kParts))};
    };
    for (int each = 0; each < kFrequencies; ++each) {
        const std::uint64_t frequency = bench_.next_seed() % n;
        const std::complex<double> turn =
            std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(frequency) / static_cast<double>(n));
        std::complex<double> sum = 0, power = 1;
        for (std::uint64_t point = first; point < first + n; ++point, power *= turn)
            sum += power * std::complex<double>(part(2 * point), part(2 * point + 1));
        std::complex<float> read;
        const Copy copy{.from = &found, .to_host = &read, .bytes = 8, .from_offset = (first + frequency) * 8};
        bench_.device.copy({&copy, 1});
        if (!(std::abs(std::complex<double>(read) - sum) <= bound * std::sqrt(static_cast<double>(n))))
            throw Error(fmt::format("frequency {} of transform {} is {:.9g}{:+.9g}i, the host's {:.9g}{:+.9g}i",
                frequency, first / n, read.real(), read.imag(), sum.real(), sum.imag()));
    }
}

void Transforms::check_start(const Buffer& found, double bound) {
    const kernel_args::Distances args{.words = static_cast<std::uint32_t>(points_ * 2)};
    const Shape shape = bench_.helper_shape(points_ * 2);
    const Launch launch{.kernel = *distances_kernel_,
        .a = &found,
        .b = start_.get(),
        .out = *distances_,
        .args = Bench::words_of(args),
        .groups = shape.groups};
    bench_.device.run({&launch, 1});
    for (const std::uint32_t word : bench_.read_words(*distances_, std::size_t{shape.group_size} * shape.groups))
        if (const float distance = std::bit_cast<float>(word); !(distance <= bound))
            throw Error(fmt::format(
                "a point that was transformed and back is off by {:.3g}, more than {:.3g}", distance, bound));
}

LibraryFft::LibraryFft(Bench& bench, std::uint64_t points, std::uint32_t n_bits)
    : Transforms(bench, points, n_bits),
      kernel_(bench.device.library_kernel(TransformShape{1ull << n_bits, points >> n_bits})),
      numbers_(filled(seed_)) {
    keep_library(bench, 1ull << n_bits, kernel_);
}

void LibraryFft::append(std::vector<Launch>& launches, std::uint64_t step) const {
    launches.push_back({.kernel = *kernel_.kernel, .out = *numbers_, .args = {&kDirections[step % 2], 1}});
}

namespace {
/// `make` makes transforms of 2^n_bits points that fill `points` together.
void measure_transforms(
    Bench& bench, const std::function<std::unique_ptr<Workload>(std::uint64_t points, std::uint32_t n_bits)>& make) {
    bench.evidence.unit_of_work = "operation, of which a point has 5 log2(points)";
    bench.wake_clocks();
    const std::uint64_t largest = std::min(bench.end_of_sweep() / 24,
        bench.info.reach_of(Space::global).bytes / 8); // points and where they come from or pass, and the start
    const std::uint64_t points = std::bit_floor(std::min(largest, bench.info.cpu ? kPointsOfProcessor : kPoints));
    measure_workload(bench, powers_of_two(bench.profile, kFewestPoints, [&](std::uint64_t n) { return n <= points; }),
        {.fewest = kFewestSideBySide, .most = points, .hold_size = true},
        [&](std::uint64_t n, std::uint64_t all) { return make(all, static_cast<std::uint32_t>(std::countr_zero(n))); });
}
} // namespace

void measure_fft(Bench& bench) {
    const KernelChoice choice = fft_kernel(fft_passes(bench.info));
    if (const std::uint32_t needed = fft_passes(bench.info).scratchpad_bytes(); bench.info.scratchpad_bytes < needed)
        throw Unsupported(fmt::format("a scratchpad has {} bytes, {} are needed", bench.info.scratchpad_bytes, needed));
    measure_transforms(bench, [&](std::uint64_t points, std::uint32_t n_bits) {
        return std::make_unique<Fft>(bench, choice, points, n_bits);
    });
    bench.evidence.shape = {.group_size = choice.group_size};
}

void measure_library_fft(Bench& bench) {
    bench.step("open a library of Fourier transforms");
    bench.device.library_kernel(TransformShape{kFewestPoints, 1}); // refuses before anything is measured
    measure_transforms(bench, [&](std::uint64_t points, std::uint32_t n_bits) {
        return std::make_unique<LibraryFft>(bench, points, n_bits);
    });
    bench.evidence.demand.clear();
}

} // namespace sonde
