#include "core/measure/lattice.h"

#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

namespace {
constexpr std::uint64_t kFewestCells = 1u << 12;
constexpr std::uint64_t kArrayGap =
    1088; // words between arrays, an odd number of half KiB: streams of all directions begin at channels of their own
constexpr std::uint32_t kCellsChecked = 16; // of each size
constexpr double kOneRounding = 0x1p-22;    // of a number in a step, as a share: several operations round it
constexpr double kAlike = 1e-5;       // as a share of the largest number of a cell: products and sums may be fused
constexpr double kMassUnit = 0x1p-16; // kernels/mass.h

/// Density in direction i comes from the cell at minus its velocity; opposite directions stand side by side.
constexpr std::array<Neighbour, 19> kVelocities{{{0, 0, 0, 0}, {1, 1, 0, 0}, {2, -1, 0, 0}, {3, 0, 1, 0}, {4, 0, -1, 0},
    {5, 0, 0, 1}, {6, 0, 0, -1}, {7, 1, 1, 0}, {8, -1, -1, 0}, {9, 1, -1, 0}, {10, -1, 1, 0}, {11, 1, 0, 1},
    {12, -1, 0, -1}, {13, 1, 0, -1}, {14, -1, 0, 1}, {15, 0, 1, 1}, {16, 0, -1, -1}, {17, 0, 1, -1}, {18, 0, -1, 1}}};
constexpr std::array<Neighbour, 19> kPulled = [] {
    auto from = kVelocities;
    for (Neighbour& each : from) each = {each.array, -each.x, -each.y, -each.z};
    return from;
}();
constexpr std::array<Neighbour, 7> kSevenNeighbours{
    {{0, 0, 0, 0}, {0, -1, 0, 0}, {0, 1, 0, 0}, {0, 0, -1, 0}, {0, 0, 1, 0}, {0, 0, 0, -1}, {0, 0, 0, 1}}};

/// BGK with the usual equilibrium of second order; a solid cell reverses.
void relax(std::span<const double> f, bool solid, std::span<double> next) {
    constexpr double kRate = 1.25;
    double density = 0, u = 0, v = 0, w = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        density += f[i];
        u += f[i] * kVelocities[i].x, v += f[i] * kVelocities[i].y, w += f[i] * kVelocities[i].z;
    }
    u /= density, v /= density, w /= density;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const Neighbour& c = kVelocities[i];
        const int length = c.x * c.x + c.y * c.y + c.z * c.z;
        const double weight = length == 0   ? 1.0 / 3
                              : length == 1 ? 1.0 / 18
                                            : 1.0 / 36,
                     along = c.x * u + c.y * v + c.z * w;
        const double equilibrium =
            weight * density * (1 + 3 * along + 4.5 * along * along - 1.5 * (u * u + v * v + w * w));
        next[i] = solid ? f[i == 0 ? 0 : i % 2 ? i + 1 : i - 1] : f[i] + kRate * (equilibrium - f[i]);
    }
}

void average(std::span<const double> around, bool, std::span<double> next) {
    next[0] = 0.25 * around[0] + 0.125 * std::accumulate(around.begin() + 1, around.end(), 0.0);
}
} // namespace

const LatticeMethod kLatticeBoltzmann{"lbm", 19, true, 184, 1.0f / 32, kPulled, relax};
const LatticeMethod kSevenPoints{"stencil", 1, false, 8, 1.0f / 32, kSevenNeighbours, average};

Box::Box(std::uint64_t all) : cells(static_cast<std::uint32_t>(all)) {
    const int bits = std::countr_zero(all);
    row = 1u << (bits + 2) / 3;
    plane = row << (bits + 1) / 3;
}

std::uint64_t Box::stride() const { return cells + kArrayGap; }

std::uint32_t Box::at(std::uint32_t cell, const Neighbour& to) const {
    const auto moved = [&](std::uint32_t unit, std::uint32_t end, int by) {
        return (cell + static_cast<std::uint32_t>(by) * unit) & (end - unit);
    };
    return moved(1, row, to.x) + moved(row, plane, to.y) + moved(plane, cells, to.z);
}

std::uint64_t LatticeMethod::lattice_bytes(std::uint64_t cells) const { return Box(cells).stride() * arrays * 4; }
std::uint64_t LatticeMethod::footprint(std::uint64_t cells) const {
    return 2 * lattice_bytes(cells) + (has_flags ? cells : 0);
}

KernelChoice lattice_kernel(const DeviceInfo& info, const LatticeMethod& method) {
    return {.name = std::string(method.kernel),
        .group_size = workload_group_size(info),
        .defines = {{"TYPE_F32", "1"}},
        .b = method.has_flags ? find_path("global") : nullptr};
}

Lattice::Lattice(Bench& bench, const LatticeMethod& method, const KernelChoice& choice, std::uint64_t cells)
    : bench_(bench),
      method_(method),
      box_(cells),
      share_(share_of(bench.info, cells)),
      args_{.row = box_.row,
          .plane = box_.plane,
          .cells = box_.cells,
          .own = share_.own,
          .stride = static_cast<std::uint32_t>(box_.stride())},
      kernel_(bench.kernel(choice)),
      summer_(bench.helper_kernel("mass", {{"TYPE_F32", "1"}})) {
    const std::uint64_t bytes = method.lattice_bytes(cells);
    for (auto& lattice : lattices_) lattice = bench.allocate(bytes, bytes);
    const auto least = std::bit_cast<std::uint32_t>(method.least);
    const FillPattern numbers{.keep = {0x7fffff, 0x7fffff}, .set = {least, least}};
    const std::uint32_t seed = bench.next_seed();
    bench.fill(*lattices_[0], bytes, seed, numbers);
    check_filled(seed, numbers);
    if (method.has_flags) {
        std::vector<std::uint32_t> words(cells / 4, 0);
        for (std::uint32_t cell = 0; cell < box_.cells; ++cell)
            if (box_.is_solid(cell)) words[cell / 4] |= 1u << cell % 4 * 8;
        flags_ = bench.allocate(cells, cells);
        bench.write_words(*flags_, words);
    }
    const Shape shape = bench.helper_shape(cells * method.arrays);
    sums_ = bench.allocate_result(std::size_t{shape.group_size} * shape.groups);
    mass_ = mass_of(*lattices_[0]);
}

Demand Lattice::demand() const {
    const double moved = 4.0 * method_.arrays;
    return {.footprint_bytes = static_cast<double>(method_.footprint(box_.cells)),
        .read_bytes = moved + (method_.has_flags ? 1 : 0),
        .written_bytes = moved,
        .operations = method_.operations,
        .launches = 1 / units()};
}

void Lattice::append(std::vector<Launch>& launches, std::uint64_t step) const {
    launches.push_back({.kernel = *kernel_,
        .a = lattices_[step % 2].get(),
        .b = flags_.get(),
        .out = *lattices_[(step + 1) % 2],
        .args = Bench::words_of(args_),
        .groups = share_.groups});
}

std::uint32_t Lattice::mass_of(const Buffer& lattice) {
    const Shape shape = bench_.helper_shape(std::uint64_t{box_.cells} * method_.arrays);
    const kernel_args::Mass args{.arrays = method_.arrays, .stride = args_.stride, .cells = args_.cells};
    const Launch launch{
        .kernel = *summer_, .a = &lattice, .out = *sums_, .args = Bench::words_of(args), .groups = shape.groups};
    bench_.device.run({&launch, 1});
    const auto words = bench_.read_words(*sums_, std::size_t{shape.group_size} * shape.groups);
    return std::accumulate(words.begin(), words.end(), 0u);
}

void Lattice::check(std::uint64_t steps) {
    const Buffer &before = *lattices_[(steps + 1) % 2], &after = *lattices_[steps % 2];
    const double mass = 1.5 * method_.least * method_.arrays * box_.cells,
                 lost = std::abs(static_cast<std::int32_t>(mass_of(after) - mass_)) * kMassUnit;
    if (lost > mass * kOneRounding * static_cast<double>(steps + 64))
        throw Error(
            fmt::format("after {} steps the sum over all cells is off by {:.4g} of about {:.4g}", steps, lost, mass));
    if (steps == 0) return;
    for (std::uint32_t n = 0; n < kCellsChecked; ++n)
        check_cell(n == 0 ? 0 : n == 1 ? box_.cells - 1 : bench_.next_seed() % box_.cells, before, after);
    bench_.checked("after all steps of a size: the sum over all cells, which is conserved, and some cells of the last "
                   "step against the host's");
}

/// Zeros would keep their sum, and be the mean of their neighbours.
void Lattice::check_filled(std::uint32_t seed, const FillPattern& numbers) {
    std::vector<std::uint64_t> at;
    std::vector<std::uint32_t> found(kCellsChecked);
    std::vector<Copy> copies;
    for (std::uint32_t& word : found) {
        at.push_back(bench_.next_seed() % box_.cells);
        copies.push_back({.from = lattices_[0].get(), .to_host = &word, .bytes = 4, .from_offset = at.back() * 4});
    }
    bench_.device.copy(copies);
    for (std::uint32_t n = 0; n < kCellsChecked; ++n)
        if (const std::uint32_t word = fill_word(at[n], Bench::kFillPeriod, seed, numbers); found[n] != word)
            throw Error(fmt::format("cell {} begins as {:#010x}, and was filled with {:#010x}", at[n], found[n], word));
}

void Lattice::check_cell(std::uint32_t cell, const Buffer& before, const Buffer& after) {
    std::vector<float> read(method_.neighbours.size() + method_.arrays);
    std::vector<Copy> copies;
    const auto copy = [&](const Buffer& from, std::uint32_t array, std::uint32_t at) {
        copies.push_back({.from = &from,
            .to_host = &read[copies.size()],
            .bytes = 4,
            .from_offset = (array * box_.stride() + at) * 4});
    };
    for (const Neighbour& neighbour : method_.neighbours) copy(before, neighbour.array, box_.at(cell, neighbour));
    for (std::uint32_t array = 0; array < method_.arrays; ++array) copy(after, array, cell);
    bench_.device.copy(copies);
    const std::vector<double> around(read.begin(), read.begin() + std::ssize(method_.neighbours));
    std::vector<double> next(method_.arrays);
    method_.update(around, method_.has_flags && box_.is_solid(cell), next);
    const double largest = std::ranges::max(around);
    for (std::uint32_t array = 0; array < method_.arrays; ++array)
        if (const double found = read[around.size() + array]; !(std::abs(found - next[array]) <= kAlike * largest))
            throw Error(
                fmt::format("number {} of cell {} is {:.9g}, the host's {:.9g}", array, cell, found, next[array]));
}

void measure_lattice(Bench& bench, const LatticeMethod& method) {
    const KernelChoice choice = lattice_kernel(bench.info, method);
    bench.evidence.unit_of_work = "update of a cell";
    bench.wake_clocks();
    const std::uint64_t largest = bench.end_of_sweep(), reach = bench.info.reach_of(bench.path.space).bytes;
    const auto cells = powers_of_two(bench.profile, kFewestCells, [&](std::uint64_t count) {
        return method.footprint(count) <= largest && method.lattice_bytes(count) <= reach;
    });
    measure_workload(bench, cells, {.fewest = kFewestCells},
        [&](std::uint64_t, std::uint64_t count) { return std::make_unique<Lattice>(bench, method, choice, count); });
    bench.evidence.shape = {.group_size = choice.group_size};
}

} // namespace sonde
