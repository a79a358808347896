#include "core/measure/gemm.h"

#include <bit>

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
/// From 1 to 2 in steps of 1/16, of either sign: every sum of products is exact in single precision, whatever its order, up to 16,384 rows.
constexpr FillPattern kNumbers{.keep = {0x80780000, 0x80780000}, .set = {0x3f800000, 0x3f800000}};
constexpr double kMostRows = 16384;
constexpr std::uint32_t kSixteenths = 4, kCheckedBits = 28; // numbers of A and B are multiples of 16 in kernels/row_products.h, which counts in 256ths

float number_at(std::uint64_t word, std::uint32_t seed) { return std::bit_cast<float>(fill_word(word, kDistinctNumbers, seed, kNumbers)); }
} // namespace

std::uint32_t GemmTiles::step_bytes() const { return 2 * kStepRows * side * 4; }
std::uint32_t GemmTiles::scratchpad_bytes() const { return kStepsHeld * step_bytes(); }

double GemmTiles::scratchpad_bytes_of_operation(std::uint32_t subgroup) const {
    const std::uint32_t lanes = std::min(subgroup, items()), wide = side >= 64 ? (lanes <= 32 ? std::min(lanes, 8u) : lanes / 4) : std::min(lanes, side / 8), high = lanes / wide;
    return (wide + high) * 8 * 4 / (lanes * 64 * 2.0); // 8 x 8 multiply-adds of a lane
}

GemmTiles gemm_tiles(const DeviceInfo& info) {
    GemmTiles tiles{kLargestTile};
    if (info.cpu || tiles.items() > info.largest_group)
        for (tiles.side = 8; tiles.items() < info.subgroup;) tiles.side *= 2;
    return tiles;
}

KernelChoice gemm_kernel(const GemmTiles& tiles) {
    return {.name = "gemm", .group_size = tiles.items(), .defines = {{"TILE", std::to_string(tiles.side)}, {"WIDE_B", "1"}, {"WIDTH", "4"}}, .b = find_path("global")};
}

Gemm::Gemm(Bench& bench, const KernelChoice& choice, std::uint32_t rows)
    : bench_(bench), rows_(rows), tiles_(gemm_tiles(bench.info)), args_{.n = rows}, seed_a_(bench.next_seed()), seed_b_(bench.next_seed()), kernel_(bench.kernel(choice)),
      rows_kernel_(bench.helper_kernel("row_products", {{"TYPE_F32", "1"}})) {
    const std::uint64_t words = std::uint64_t{rows} * rows;
    for (auto* matrix : {&a_, &b_, &c_}) *matrix = bench.allocate(words * 4, words * 4);
    products_ = bench.allocate_result(rows);
    const auto filler = bench.helper_kernel("fill");
    const auto fill = [&](Buffer& matrix, std::uint32_t seed) { bench.run_helper(*filler, matrix, words, fill_args(static_cast<std::uint32_t>(words), kDistinctNumbers, seed, kNumbers)); };
    fill(*a_, seed_a_), fill(*b_, seed_b_), fill(*c_, bench.next_seed());
}

Demand Gemm::demand() const {
    const double each = 4 / (2.0 * rows_), resident = kernel_->resident_groups(tiles_.scratchpad_bytes()).value_or(bench_.info.cpu ? 1 : std::max(1u, bench_.info.filling() / tiles_.items()));
    const double at_once = std::min(resident * bench_.info.cores, static_cast<double>(tiles_.groups(rows_)));
    const double tile_bytes = static_cast<double>(tiles_.step_bytes()) / (2.0 * kStepRows * tiles_.side * tiles_.side);
    return {.footprint_bytes = 12.0 * rows_ * rows_, .read_bytes = 2 * each, .written_bytes = each, .operations = 1,
            .scratchpad_bytes = tile_bytes + tiles_.scratchpad_bytes_of_operation(bench_.info.subgroup), .launches = 1 / units(), .tile_bytes = tile_bytes, .tile_footprint_bytes = at_once * tiles_.scratchpad_bytes()};
}

void Gemm::append(std::vector<Launch>& launches, std::uint64_t) const {
    launches.push_back({.kernel = *kernel_, .a = a_.get(), .b = b_.get(), .out = *c_, .args = Bench::words_of(args_), .groups = tiles_.groups(rows_), .scratchpad_bytes = tiles_.scratchpad_bytes()});
}

std::vector<std::uint32_t> Gemm::products(const Buffer& matrix, std::uint32_t seed) {
    const kernel_args::RowProducts args{.rows = rows_, .columns = rows_, .seed = seed};
    const Launch launch{.kernel = *rows_kernel_, .a = &matrix, .out = *products_, .args = Bench::words_of(args), .groups = bench_.helper_shape(rows_).groups};
    bench_.device.run({&launch, 1});
    return bench_.read_words(*products_, rows_);
}

/// Freivalds: with random w and x, w (C x) is (w A) (B x).
void Gemm::check(std::uint64_t steps) {
    if (steps == 0) return;
    const std::uint32_t seed_w = bench_.next_seed(), seed_x = bench_.next_seed();
    const auto wa = products(*a_, seed_w), bx = products(*b_, seed_x), cx = products(*c_, seed_x);
    std::uint32_t should = 0, found = 0;
    for (std::uint32_t row = 0; row < rows_; ++row) {
        should += (wa[row] >> kSixteenths) * (bx[row] >> kSixteenths);
        found += scrambled(row, seed_w) * cx[row];
    }
    if ((should ^ found) << (32 - kCheckedBits)) throw Error(fmt::format("C times a random vector is off by {:#x} of 2^28", (found - should) & ((1u << kCheckedBits) - 1)));
    for (std::uint32_t n = 0; n < kGemmCellsChecked; ++n) {
        const auto place = [&] { return n == 0 ? 0 : n == 1 ? rows_ - 1 : bench_.next_seed() % rows_; };
        const std::uint32_t row = place(), column = place();
        check_cell(row, column);
    }
    bench_.checked("after all steps of a size: C times a random vector against A times (B times it), and some numbers of C against the host's, all of them exact");
}

void Gemm::check_cell(std::uint32_t row, std::uint32_t column) {
    float sum = 0, found = 0; // no order of additions rounds
    for (std::uint64_t k = 0; k < rows_; ++k) sum += number_at(k * rows_ + row, seed_a_) * number_at(k * rows_ + column, seed_b_);
    const Copy copy{.from = c_.get(), .to_host = &found, .bytes = 4, .from_offset = (std::uint64_t{row} * rows_ + column) * 4};
    bench_.device.copy({&copy, 1});
    if (!(found == sum)) throw Error(fmt::format("row {}, column {} of C is {:.9g}, the host's {:.9g}", row, column, found, sum));
}

void measure_gemm(Bench& bench) {
    const KernelChoice choice = gemm_kernel(gemm_tiles(bench.info));
    if (const std::uint32_t needed = gemm_tiles(bench.info).scratchpad_bytes(); bench.info.scratchpad_bytes < needed) throw Unsupported(fmt::format("a scratchpad has {} bytes, {} are needed", bench.info.scratchpad_bytes, needed));
    bench.evidence.unit_of_work = "addition or multiplication";
    bench.wake_clocks();
    const std::uint64_t largest = bench.largest_footprint(), reach = bench.info.reach_of(Space::global).bytes;
    const double most = bench.info.cores * (bench.info.cpu ? kMostOfProcessorCore : kMostOfCore);
    const auto fits = [&](std::uint64_t rows) {
        const auto side = static_cast<double>(rows);
        return rows * rows * 12 <= largest && rows * rows * 4 <= reach && side * side * side <= most && side <= kMostRows;
    };
    measure_workload(bench, powers_of_two(bench.profile, bench.info.cpu ? kFewestRowsOfProcessor : kFewestRows, fits), [&](std::uint64_t rows) { return std::make_unique<Gemm>(bench, choice, static_cast<std::uint32_t>(rows)); });
    bench.evidence.shape = {.group_size = choice.group_size};
}

} // namespace sonde
