#include "core/measure/gemm.h"

#include "core/measure/matrix_units.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

namespace {
constexpr std::uint32_t kStepRows = 8, kStepsHeld = 2; // kernels/gemm.h
constexpr std::uint32_t kLargestTile = 128;
constexpr std::uint64_t kFewestRows = 256, kFewestRowsOfProcessor = 64;
constexpr double kMostOfCore = 0x1p33, kMostOfProcessorCore = 0x1p26; // multiply-adds of a step: some 50 ms
constexpr std::uint32_t kDistinctNumbers = 1u << 31;                  // none repeats
constexpr std::uint32_t kGemmCellsChecked = 16;                       // of each size
constexpr double kMostRows = 16384;
constexpr std::uint64_t kMostRowsOfLines = 8192; // whose check is the host's
constexpr std::uint32_t
    kSixteenths = 4,
    kCheckedBits = 28; // numbers of A and B are multiples of 16 in kernels/row_products.h, which counts in 256ths
constexpr std::uint64_t kFewestRowsOfLibrary = 1024;

constexpr FillPattern pattern_of(std::uint32_t keep, std::uint32_t set) {
    return {.keep = {keep, keep}, .set = {set, set}};
}
/// From 1 to 2 in steps of 1/16, of either sign: every sum of products is exact in single precision, whatever its
/// order, up to 16,384 rows. Of 8 bits 1/2 and 1: units that keep 14 bits of a sum (core/device/matrix_form.cpp) keep
/// all of it.
constexpr ExactNumbers kExactNumbers[] = {{kF32, pattern_of(0x80780000, 0x3f800000)},
    {kTf32, pattern_of(0x80780000, 0x3f800000)}, {kF16, pattern_of(0x83c083c0, 0x3c003c00)},
    {kBf16, pattern_of(0x80788078, 0x3f803f80)}, {kE4m3, pattern_of(0x88888888, 0x30303030)}};
} // namespace

const ExactNumbers& exact_numbers(const NumberFormat& format) {
    for (const ExactNumbers& numbers : kExactNumbers)
        if (&numbers.format == &format) return numbers;
    throw Error(fmt::format("no numbers of {} are known whose sums are exact", format.name));
}

double ExactNumbers::at(std::uint64_t index, std::uint32_t seed) const {
    const std::uint32_t word = fill_word(index / in_word(), kDistinctNumbers, seed, pattern);
    return format.value_of(word >> index % in_word() * format.bits & (~0u >> (32 - format.bits)));
}

void ExactNumbers::fill(Bench& bench, Buffer& buffer, std::uint64_t words, std::uint32_t seed) const {
    bench.run_helper(*bench.helper_kernel("fill"), buffer, words,
        fill_args(static_cast<std::uint32_t>(words), kDistinctNumbers, seed, pattern));
}

std::uint32_t GemmTiles::step_bytes() const { return 2 * kStepRows * side * 4; }
std::uint32_t GemmTiles::scratchpad_bytes() const { return kStepsHeld * step_bytes(); }

double GemmTiles::scratchpad_bytes_of_operation(std::uint32_t subgroup) const {
    const std::uint32_t lanes = std::min(subgroup, items()),
                        wide = side >= 64 ? (lanes <= 32 ? std::min(lanes, 8u) : lanes / 4) : std::min(lanes, side / 8),
                        high = lanes / wide;
    return (wide + high) * 8 * 4 / (lanes * 64 * 2.0); // 8 x 8 multiply-adds of a lane
}

GemmTiles gemm_tiles(const DeviceInfo& info) {
    GemmTiles tiles{kLargestTile};
    if (info.cpu || tiles.items() > info.largest_group)
        for (tiles.side = 8; tiles.items() < info.subgroup;) tiles.side *= 2;
    return tiles;
}

KernelChoice gemm_kernel(const GemmTiles& tiles) {
    return {.name = "gemm",
        .group_size = tiles.items(),
        .defines = {{"TILE", std::to_string(tiles.side)}, {"WIDE_B", "1"}, {"WIDTH", "4"}},
        .b = find_path("global")};
}

SquareProduct::SquareProduct(Bench& bench, std::uint32_t rows, const ExactNumbers& numbers)
    : bench_(bench),
      rows_(rows),
      numbers_(numbers),
      seed_rows_(bench.next_seed()),
      seed_columns_(bench.next_seed()),
      rows_kernel_(bench.helper_kernel("row_products", {{"TYPE_F32", "1"}})) {
    const std::uint64_t cells = std::uint64_t{rows} * rows, words = cells / numbers.in_word();
    for (auto* factor : {&by_rows_, &by_columns_}) *factor = bench.allocate(words * 4, words * 4);
    c_ = bench.allocate(cells * 4, cells * 4);
    products_ = bench.allocate_result(rows);
    numbers.fill(bench, *by_rows_, words, seed_rows_), numbers.fill(bench, *by_columns_, words, seed_columns_),
        exact_numbers(kF32).fill(bench, *c_, cells, bench.next_seed());
}

Gemm::Gemm(Bench& bench, const KernelChoice& choice, std::uint32_t rows)
    : SquareProduct(bench, rows, exact_numbers(kF32)),
      tiles_(gemm_tiles(bench.info)),
      args_{.n = rows},
      kernel_(bench.kernel(choice)) {}

Demand TiledProduct::demand(const Kernel& kernel, const DeviceInfo& info, double own) const {
    const double registers = tile_rows * tile_columns / group_size + kOtherRegisters; // at least those of its sums
    const double resident =
                     kernel.resident_groups(scratchpad_bytes)
                         .value_or(info.cpu ? 1
                                            : std::max(1u, std::min(info.filling(),
                                                               static_cast<std::uint32_t>(kCoreRegisters / registers)) /
                                                               group_size)),
                 at_once = std::min(resident * info.cores, groups());
    const double tile_bytes = number_bytes * (tile_rows + tile_columns) / (2 * tile_rows * tile_columns),
                 operations = 2 * rows * rows * rows, numbers = rows * rows;
    return {.footprint_bytes = numbers * (2 * number_bytes + 4),
        .read_bytes = 2 * number_bytes * numbers / operations,
        .written_bytes = 4 * numbers / operations,
        .operations = 1,
        .scratchpad_bytes = tile_bytes + own,
        .launches = 1 / operations,
        .tile_bytes = tile_bytes,
        .tile_footprint_bytes = at_once * scratchpad_bytes,
        .workgroups = std::ceil(rows / tile_rows) * std::ceil(rows / tile_columns)};
}

Demand Gemm::demand() const {
    const TiledProduct tiled{.rows = static_cast<double>(rows_),
        .tile_rows = static_cast<double>(tiles_.side),
        .tile_columns = static_cast<double>(tiles_.side),
        .number_bytes = 4,
        .group_size = tiles_.items(),
        .scratchpad_bytes = tiles_.scratchpad_bytes()};
    return tiled.demand(*kernel_, bench_.info, tiles_.scratchpad_bytes_of_operation(bench_.info.subgroup));
}

void Gemm::append(std::vector<Launch>& launches, std::uint64_t) const {
    launches.push_back({.kernel = *kernel_,
        .a = by_rows_.get(),
        .b = by_columns_.get(),
        .out = *c_,
        .args = Bench::words_of(args_),
        .groups = tiles_.groups(rows_),
        .scratchpad_bytes = tiles_.scratchpad_bytes()});
}

std::vector<std::uint32_t> Gemm::sums(Factor factor, std::uint32_t seed) {
    auto by_k = row_products(factor == Factor::rows ? *by_rows_ : *by_columns_, seed);
    for (std::uint32_t& sum : by_k) sum >>= kSixteenths;
    return by_k;
}

std::vector<std::uint32_t> SquareProduct::row_products(const Buffer& matrix, std::uint32_t seed) {
    const kernel_args::RowProducts args{.rows = rows_, .columns = rows_, .seed = seed};
    const Launch launch{.kernel = *rows_kernel_,
        .a = &matrix,
        .out = *products_,
        .args = Bench::words_of(args),
        .groups = bench_.helper_shape(rows_).groups};
    bench_.device.run({&launch, 1});
    return bench_.read_words(*products_, rows_);
}

/// Freivalds: with random w and x, w (C x) is (w A) (B x).
void SquareProduct::check(std::uint64_t steps) {
    if (steps == 0) return;
    const std::uint32_t seed_w = bench_.next_seed(), seed_x = bench_.next_seed();
    const auto wa = sums(Factor::rows, seed_w), bx = sums(Factor::columns, seed_x), cx = row_products(*c_, seed_x);
    std::uint32_t should = 0, found = 0;
    for (std::uint32_t row = 0; row < rows_; ++row) {
        should += wa[row] * bx[row];
        found += scrambled(row, seed_w) * cx[row];
    }
    if ((should ^ found) << (32 - kCheckedBits))
        throw Error(fmt::format(
            "C times a random vector is off by {:#x} of 2^28", (found - should) & ((1u << kCheckedBits) - 1)));
    for (std::uint32_t n = 0; n < kGemmCellsChecked; ++n) {
        const auto place = [&] { return n == 0 ? 0 : n == 1 ? rows_ - 1 : bench_.next_seed() % rows_; };
        const std::uint32_t row = place(), column = place();
        check_cell(row, column);
    }
    bench_.checked("after all steps of a size: C times a random vector against A times (B times it), and some numbers "
                   "of C against the host's, all of them exact");
}

void SquareProduct::check_cell(std::uint32_t row, std::uint32_t column) {
    float sum = 0, found = 0; // no order of additions rounds
    for (std::uint32_t k = 0; k < rows_; ++k) sum += number(Factor::rows, row, k) * number(Factor::columns, column, k);
    const Copy copy{
        .from = c_.get(), .to_host = &found, .bytes = 4, .from_offset = (std::uint64_t{row} * rows_ + column) * 4};
    bench_.device.copy({&copy, 1});
    if (!(found == sum))
        throw Error(fmt::format("row {}, column {} of C is {:.9g}, the host's {:.9g}", row, column, found, sum));
}

LibraryGemm::LibraryGemm(Bench& bench, const NumberFormat& format, std::uint32_t rows)
    : ProductOfLines(bench, rows, exact_numbers(format)),
      product_(bench.device.library_kernel(ProductShape{format, rows})) {
    keep_library(bench, rows, product_);
}

/// What a library's kernels move is not known.
Demand LibraryGemm::demand() const { return {}; }

/// C's columns are B's, and lie in memory as the rows of what the check calls C.
void LibraryGemm::append(std::vector<Launch>& launches, std::uint64_t) const {
    launches.push_back(
        {.kernel = *product_.kernel, .a = by_columns_.get(), .b = by_rows_.get(), .out = *c_, .args = {}});
}

/// By the host: kernels add up words, not parts of them.
std::vector<std::uint32_t> ProductOfLines::sums(Factor factor, std::uint32_t seed) {
    const NumberFormat& format = numbers_.format;
    const std::uint32_t in_word = numbers_.in_word(), left_out = format.bits > 16 ? format.bits - 16 : 0,
                        words = rows_ / in_word; // bits that are zero
    std::vector<std::uint32_t> sixteenths(std::size_t{1} << (format.bits - left_out)), by_k(rows_);
    for (std::uint32_t bits = 0; bits < sixteenths.size(); ++bits)
        if (const double value = format.value_of(std::uint64_t{bits} << left_out); std::abs(value) <= 2)
            sixteenths[bits] = static_cast<std::uint32_t>(static_cast<std::int32_t>(value * (1 << kSixteenths)));
    for (std::uint32_t line = 0; line < rows_; ++line) {
        const std::uint32_t weight = scrambled(line, seed);
        for (std::uint32_t at = 0; at < words; ++at) {
            const std::uint32_t word =
                fill_word(std::uint64_t{line} * words + at, kDistinctNumbers, seed_of(factor), numbers_.pattern);
            for (std::uint32_t part = 0; part < in_word; ++part)
                by_k[at * in_word + part] +=
                    weight * sixteenths[word >> (part * format.bits + left_out) & (sixteenths.size() - 1)];
        }
    }
    return by_k;
}

std::vector<std::uint64_t> sizes_of_lines(Bench& bench, const NumberFormat& format, std::uint64_t fewest) {
    const std::uint64_t largest = bench.end_of_sweep(), number_bytes = 2 * format.bits / 8 + 4; // of A, B and C
    const double most = bench.info.cores * kMostOfCore;
    return powers_of_two(bench.profile, fewest, [&](std::uint64_t rows) {
        return rows * rows * number_bytes <= largest && std::pow(static_cast<double>(rows), 3) <= most &&
               rows <= kMostRowsOfLines;
    });
}

void measure_library_gemm(Bench& bench, const NumberFormat& format) {
    bench.evidence.unit_of_work = "addition or multiplication";
    bench.step("open the vendor's library of matrix products");
    bench.device.library_kernel(ProductShape{format, kFewestRowsOfLibrary}); // refuses before anything is measured
    bench.wake_clocks();
    measure_workload(bench, sizes_of_lines(bench, format, kFewestRowsOfLibrary), kRowsOfStep,
        [&](std::uint64_t, std::uint64_t rows) {
            return std::make_unique<LibraryGemm>(bench, format, static_cast<std::uint32_t>(rows));
        });
    if (bench.evidence.library) // not of sizes that were tried alone
        std::erase_if(bench.evidence.library->algorithms, [&](const auto& algorithm) {
            return std::ranges::none_of(bench.evidence.demand,
                [&](const Demand& demand) { return std::stod(algorithm.first) == demand.from_x; });
        });
    bench.evidence.demand.clear();
}

void measure_gemm(Bench& bench) {
    const KernelChoice choice = gemm_kernel(gemm_tiles(bench.info));
    if (const std::uint32_t needed = gemm_tiles(bench.info).scratchpad_bytes(); bench.info.scratchpad_bytes < needed)
        throw Unsupported(fmt::format("a scratchpad has {} bytes, {} are needed", bench.info.scratchpad_bytes, needed));
    bench.evidence.unit_of_work = "addition or multiplication";
    bench.wake_clocks();
    const std::uint64_t largest = bench.end_of_sweep(), reach = bench.info.reach_of(Space::global).bytes;
    const double most = bench.info.cores * (bench.info.cpu ? kMostOfProcessorCore : kMostOfCore);
    const auto fits = [&](std::uint64_t rows) {
        const auto side = static_cast<double>(rows);
        return rows * rows * 12 <= largest && rows * rows * 4 <= reach && side * side * side <= most &&
               side <= kMostRows;
    };
    measure_workload(bench, powers_of_two(bench.profile, bench.info.cpu ? kFewestRowsOfProcessor : kFewestRows, fits),
        kRowsOfStep, [&](std::uint64_t, std::uint64_t rows) {
            return std::make_unique<Gemm>(bench, choice, static_cast<std::uint32_t>(rows));
        });
    bench.evidence.shape = {.group_size = choice.group_size};
}

} // namespace sonde
