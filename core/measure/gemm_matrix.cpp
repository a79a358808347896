#include "core/measure/gemm_matrix.h"

#include <fmt/format.h>

namespace sonde {

namespace {
constexpr std::uint32_t kFormsDown = 4, kSubgroupsDown = 2, kElementsOfRow = 4,
                        kElementBytes = 16;                          // kernels/gemm_matrix.h
constexpr std::uint32_t kMostColumns = 128;                          // of a tile
constexpr std::uint32_t kMostSums = 128, kMostSumsOfSmallForms = 64; // of a lane: forms of 8 rows are Intel's, whose
                                                                     // lanes have half as many registers as others'
constexpr std::uint32_t kSmallForm = 8;
} // namespace

bool is_form_of_products(const Operation& operation) {
    const MatrixForm& form = *operation.matrix;
    return form.in == &kF16 && form.sum == &kF32 && form.k == 16 && !form.sparse &&
           form.operands != MatrixForm::Operands::tiles;
}

std::uint32_t MatrixTiles::rows() const { return kSubgroupsDown * kFormsDown * form.m; }
std::uint32_t MatrixTiles::items() const { return kSubgroupsDown * subgroups_across * lanes; }
std::uint32_t MatrixTiles::sums() const { return kFormsDown * across * form.m * form.n / lanes; }
std::uint32_t MatrixTiles::scratchpad_bytes() const {
    return 2 * (rows() + columns()) * (kElementsOfRow + 1) * kElementBytes;
}

double MatrixTiles::scratchpad_bytes_of_operation() const {
    const double height = kFormsDown * form.m, width = across * form.n;
    return form.in->bits / 8.0 * (height + width) / (2 * height * width);
}

MatrixTiles matrix_tiles(const DeviceInfo& info, const MatrixForm& form) {
    MatrixTiles tiles{.form = form, .lanes = form.lanes(std::max(1u, info.subgroup))};
    const std::uint32_t most = form.m > kSmallForm ? kMostSums : kMostSumsOfSmallForms;
    while (tiles.across > 1 && tiles.sums() > most) tiles.across /= 2;
    // Less than all of the scratchpad: of 48 KiB NVIDIA's OpenCL gives an argument 16 bytes less.
    const auto fits = [&] {
        return tiles.columns() <= kMostColumns && tiles.scratchpad_bytes() < info.scratchpad_bytes &&
               tiles.items() <= std::min(info.largest_group, tiles.rows() * kElementsOfRow);
    };
    while (tiles.subgroups_across > 1 && !fits()) tiles.subgroups_across /= 2;
    return tiles;
}

KernelChoice gemm_matrix_kernel(const DeviceInfo& info, const Operation& operation) {
    const MatrixTiles tiles = matrix_tiles(info, *operation.matrix);
    const auto brought = [&](std::uint32_t lines) { return std::to_string(lines * kElementsOfRow / tiles.items()); };
    KernelChoice choice{.name = "gemm_matrix",
        .group_size = tiles.items(),
        .defines = {{"BROUGHT_A", brought(tiles.rows())}, {"BROUGHT_B", brought(tiles.columns())},
            {"CHAINS", std::to_string(kFormsDown * tiles.across)}, {"FORMS_ACROSS", std::to_string(tiles.across)},
            {"OPERATION", operation_form(operation)}, {"SUBGROUPS_ACROSS", std::to_string(tiles.subgroups_across)},
            {"WIDE_B", "1"}, {"WIDTH", "4"}},
        .b = find_path("global"),
        .needs = operation.needs,
        .repeat = 1,
        .operation = &operation,
        .chains = kFormsDown * tiles.across};
    choice.needs.push_back(Feature::repeated_text);
    return choice;
}

MatrixGemm::MatrixGemm(Bench& bench, const Operation& operation, std::uint32_t rows)
    : ProductOfLines(bench, rows, exact_numbers(*operation.matrix->in)),
      operation_(operation),
      tiles_(matrix_tiles(bench.info, *operation.matrix)),
      args_{.n = rows},
      kernel_(bench.kernel(gemm_matrix_kernel(bench.info, operation))) {}

Demand MatrixGemm::demand() const {
    const TiledProduct tiled{.rows = static_cast<double>(rows_),
        .tile_rows = static_cast<double>(tiles_.rows()),
        .tile_columns = static_cast<double>(tiles_.columns()),
        .number_bytes = tiles_.form.in->bits / 8.0,
        .group_size = tiles_.items(),
        .scratchpad_bytes = tiles_.scratchpad_bytes()};
    Demand demand = tiled.demand(*kernel_, bench_.info, tiles_.scratchpad_bytes_of_operation());
    demand.operation = operation_.name;
    return demand;
}

void MatrixGemm::append(std::vector<Launch>& launches, std::uint64_t) const {
    launches.push_back({.kernel = *kernel_,
        .a = by_rows_.get(),
        .b = by_columns_.get(),
        .out = *c_,
        .args = Bench::words_of(args_),
        .groups = tiles_.groups(rows_),
        .scratchpad_bytes = tiles_.scratchpad_bytes()});
}

void measure_matrix_gemm(Bench& bench, const Operation& operation) {
    bench.evidence.operation = operation.name;
    if (const auto reason = why_lacking(bench.device, operation)) throw Unsupported(*reason);
    const MatrixTiles tiles = matrix_tiles(bench.info, *operation.matrix);
    if (bench.info.scratchpad_bytes < tiles.scratchpad_bytes())
        throw Unsupported(fmt::format(
            "a scratchpad has {} bytes, {} are needed", bench.info.scratchpad_bytes, tiles.scratchpad_bytes()));
    bench.evidence.unit_of_work = "addition or multiplication";
    bench.wake_clocks();
    measure_workload(bench, sizes_of_lines(bench, *operation.matrix->in, kMostColumns), kRowsOfStep,
        [&](std::uint64_t, std::uint64_t rows) {
            return std::make_unique<MatrixGemm>(bench, operation, static_cast<std::uint32_t>(rows));
        });
    bench.evidence.shape = {.group_size = tiles.items()};
}

} // namespace sonde
