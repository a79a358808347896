// Arithmetic of a modelled card: operations, matrix units, registers, and a library's products and transforms.
#include "tests/model/model_device_class.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <numeric>

#include "core/measure/arithmetic.h"
#include "core/measure/matrix_units.h"
#include "tests/host_fft.h"

namespace sonde {

Timing ModelDevice::hold_registers(const ModelKernel& kernel, const Launch& launch) {
    constexpr std::uint32_t kLoads = 64, kBesides = 8; // of kernels/held_registers.h; registers of what is no value
    const std::uint32_t rounds = launch.args[0], slots = launch.args[1], shift = launch.args[2],
                        values = kernel.number("VALUES"), subgroups = kernel.group_size / kLanes;
    const Operation& operation = *find_operation("mad.u32");
    std::vector<std::uint32_t> lanes(kLanes), stops, place(slots);
    std::iota(lanes.begin(), lanes.end(), 0);
    const auto words = ChainModel(operation, operation.model, lanes, values).words_after(rounds);
    const auto& links = as_model(launch.a)->words;
    for (std::uint32_t at = 0; stops.size() < slots; at = links[at]) {
        if (at >> shift >= slots) throw Error("a kernel left the modelled memory");
        place[at >> shift] = static_cast<std::uint32_t>(stops.size());
        stops.push_back(at);
    }
    auto& out = as_model(&launch.out)->words;
    for (std::size_t item = 0; item < std::size_t{launch.groups} * kernel.group_size; ++item) {
        out[2 * item] = stops[(place[item / kernel.group_size % slots] + std::uint64_t{rounds} * kLoads) % slots];
        out[2 * item + 1] = words[item % kLanes];
    }
    const std::uint32_t by_registers = card_.registers_per_core / (kLanes * (values + kBesides) * subgroups);
    const double resident = std::min({by_registers, card_.subgroups_per_core / subgroups, card_.groups_per_core});
    const double turns = std::ceil(std::ceil(launch.groups / static_cast<double>(card_.cores)) / resident);
    return timing(turns * rounds * kLoads * card_.memory_cycles / clock_mhz() * 1e3);
}

double ModelDevice::fetch_cycles(double instructions) const {
    constexpr double kInstructionBytes = 8;
    const auto& caches = card_.code_caches;
    const auto cache = std::ranges::find_if(caches, [&](const CodeCacheModel& each) {
        return instructions * kInstructionBytes <= static_cast<double>(each.bytes);
    });
    return caches.empty() ? 0 : cache == caches.end() ? caches.back().cycles : cache->cycles;
}

Timing ModelDevice::arithmetic(const ModelKernel& kernel, const Launch& launch) {
    const std::uint64_t steps = std::uint64_t{launch.args[0]} * kernel.repeat;
    const double groups_per_core = std::ceil(launch.groups / static_cast<double>(card_.cores));
    const bool two = kernel.defined("SECOND_OPERATION"), dependent = kernel.defined("DEPENDENT");
    const std::size_t group_words = 4 + std::size_t{kernel.group_size} * (two ? 2 : 1);
    auto& out = as_model(&launch.out)->words;
    for (std::size_t at = 0; at < group_words * launch.groups; ++at) out[at] = 0;
    double waiting = 0, instructions = 0; // of the longer chain; of a subgroup, all chains
    std::map<std::string, double> busy;   // by unit
    for (std::uint32_t kind = 0; kind < (two ? 2 : 1); ++kind) {
        const Operation& operation =
            *std::ranges::find(all_operations(), kernel.text(kind ? "SECOND_OPERATION" : "OPERATION"), operation_form);
        const std::uint32_t chains =
            kind && !dependent ? kChainsOfTwo - kernel.number("CHAINS") : kernel.number("CHAINS");
        std::vector<std::uint32_t> lanes{0, 1, kLanes - 1};
        if (operation.lanes == Operation::Lanes::subgroup) {
            lanes.resize(kLanes);
            std::iota(lanes.begin(), lanes.end(), 0);
        }
        const auto words = ChainModel(operation, operation.model, lanes, chains).words_after(steps);
        for (std::uint32_t group = 0; group < launch.groups; ++group)
            for (std::size_t i = 0; i < lanes.size(); ++i)
                out[group * group_words + 4 + kind * kernel.group_size + lanes[i]] = words[i];
        const auto row = card_.operations.find(std::string(operation.name));
        const OperationModel& model = row == card_.operations.end() ? card_.operation : row->second;
        busy[model.unit] += groups_per_core * kernel.group_size * chains * operation.in_step / model.per_cycle;
        const double own = model.cycles * operation.in_step;
        waiting = dependent ? waiting + own : std::max(waiting, own);
        instructions += chains * operation.in_step;
    }
    const double longest = std::ranges::max_element(busy, {}, [](const auto& each) { return each.second; })->second;
    const double cycles = static_cast<double>(steps) *
                          std::max({waiting, longest, instructions * fetch_cycles(instructions * kernel.repeat)});
    for (std::uint32_t group = 0; group < launch.groups; ++group)
        out[group * group_words + 2] = static_cast<std::uint32_t>(cycles);
    return timing(cycles / clock_mhz() * 1e3);
}

Timing ModelDevice::matrix(const ModelKernel& kernel, const Launch& launch) {
    const std::uint64_t steps = std::uint64_t{launch.args[0]} * kernel.repeat;
    const MatrixForm& form = *std::ranges::find(all_matrix_forms(), kernel.text("OPERATION"), operation_form)->matrix;
    const std::uint32_t chains = kernel.number("CHAINS"), teams = kernel.group_size / form.lanes(kLanes);
    auto& operands = as_model(launch.a)->words;
    bool zeros = true;
    for (std::uint32_t word = 0; word < form.m * form.k * form.in->bits / 32; ++word)
        zeros = zeros && operands[word] == 0;
    const MatrixChains sums(form, chains, zeros ? DataKind::zeros : DataKind::integers);
    const auto words = sums.sums_after(steps);
    const double groups_per_core = std::ceil(launch.groups / static_cast<double>(card_.cores)),
                 lone = card_.matrix_cycles, busy = groups_per_core * teams * chains * card_.matrix_interval;
    const double cycles = 2 * static_cast<double>(steps) * std::max(lone, busy);
    auto& out = as_model(&launch.out)->words;
    std::uint64_t at = 0;
    for (std::uint32_t group = 0; group < launch.groups; ++group) {
        for (const std::uint32_t clock : {0u, 0u, static_cast<std::uint32_t>(cycles),
                 static_cast<std::uint32_t>(static_cast<std::uint64_t>(cycles) >> 32)})
            out[at++] = clock;
        for (std::uint32_t team = 0; team < teams; ++team)
            for (const std::uint32_t word : words) out[at++] = word;
    }
    if (card_.wrong_matrices) out[at - 1] += 1;
    return timing(cycles / clock_mhz() * 1e3);
}

std::vector<float> ModelDevice::numbers_of(const ModelBuffer& factor, const NumberFormat& format, std::size_t count) {
    std::vector<float> numbers(count);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = static_cast<float>(
            format.value_of(factor.words[i * format.bits / 32] >> i * format.bits % 32 & (~0u >> (32 - format.bits))));
    return numbers;
}

Timing ModelDevice::multiply(const ModelKernel& kernel, const Launch& launch, const Buffer& lines, const Buffer& across,
    const NumberFormat& format, std::size_t rows, double per_cycle) {
    const std::size_t cells = rows * rows;
    auto& c = as_model(&launch.out)->words;
    const std::array<std::uint32_t, 3> factors{
        static_cast<std::uint32_t>(rows), as_model(&lines)->words[1], as_model(&across)->words[1]};
    if (std::exchange(kernel.multiplied, factors) != factors) {
        const auto a = numbers_of(*as_model(&across), format, cells), b = numbers_of(*as_model(&lines), format, cells);
        std::vector<float> columns(cells), sums(rows); // of A
        for (std::size_t i = 0; i < cells; ++i) columns[i % rows * rows + i / rows] = a[i];
        for (std::size_t line = 0; line < rows; ++line) {
            std::ranges::fill(sums, 0.0f);
            for (std::size_t k = 0; k < rows; ++k)
                for (std::size_t at = 0; at < rows; ++at) sums[at] += columns[k * rows + at] * b[line * rows + k];
            std::memcpy(c.data() + line * rows, sums.data(), rows * 4);
        }
        if (card_.wrong_matrices) c[cells / 2] ^= 1u << 22;
    }
    return timing(2 * static_cast<double>(cells * rows) / (per_cycle * card_.cores * clock_mhz()) * 1e3);
}

Timing ModelDevice::transform_by_library(const ModelKernel& kernel, const Launch& launch) {
    const std::size_t n = kernel.number("POINTS"), all = launch.out.bytes() / 8;
    auto* points = reinterpret_cast<std::complex<float>*>(as_model(&launch.out)->words.data());
    for (std::size_t first = 0; first < all; first += n) host_transform(points + first, n, launch.args[0] != 0);
    if (card_.wrong_matrices) points[all / 2] += 1.0f;
    return timing(5 * std::log2(n) * static_cast<double>(all) /
                  (card_.library_operations_per_cycle * card_.cores * clock_mhz()) * 1e3);
}

Timing ModelDevice::multiply_by_units(const ModelKernel& kernel, const Launch& launch) {
    const MatrixForm& form = *std::ranges::find(all_matrix_forms(), kernel.text("OPERATION"), operation_form)->matrix;
    return multiply(kernel, launch, *launch.a, *launch.b, *form.in, launch.args[0],
        2 * form.m * form.n * form.k / card_.matrix_interval);
}

} // namespace sonde
