#include "core/measure/matrix_units.h"

#include <random>

#include <fmt/format.h>

namespace sonde {

namespace {
using enum MatrixForm::Operands;
constexpr std::uint64_t kMostMatrixSteps = 1u << 22; // sums grow by 2 a step at most, and stay exact in 24 bits
constexpr std::uint32_t kTileRow = 32;               // bytes of A's rows that wgmma takes

/// Words of numbers, packed as bits from the lowest on.
class Packed {
public:
    explicit Packed(std::size_t bits) : words_((bits + 31) / 32) {}
    void put(std::size_t bit, std::uint32_t width, std::uint64_t value) {
        words_[bit / 32] |= static_cast<std::uint32_t>(value << bit % 32);
        if (width > 32) words_[bit / 32 + 1] |= static_cast<std::uint32_t>(value >> 32);
    }
    const std::vector<std::uint32_t>& words() const { return words_; }

private:
    std::vector<std::uint32_t> words_;
};

std::vector<std::uint32_t> packed(std::span<const std::int64_t> values, const NumberFormat& format) {
    Packed packed(values.size() * format.bits);
    for (std::size_t i = 0; i < values.size(); ++i) packed.put(i * format.bits, format.bits, format.bits_of(values[i]));
    return packed.words();
}

/// Rows of k as mma.sync's registers have them: lane 4g + t holds, of rows g and g + 8, registers t and t + 4 of the
/// row.
std::vector<std::uint32_t> fragment(const std::vector<std::uint32_t>& rows, std::uint32_t row_words,
    std::uint32_t row_groups, std::uint32_t register_words) {
    std::vector<std::uint32_t> words;
    words.reserve(rows.size());
    for (std::uint32_t n = 0; n < rows.size() / (32 * register_words); ++n)
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            for (std::uint32_t word = 0; word < register_words; ++word)
                words.push_back(rows[(lane / 4 + 8 * (n % row_groups)) * row_words +
                                     register_words * (lane % 4 + 4 * (n / row_groups)) + word]);
    return words;
}

/// Rows of `bytes` as wgmma reads them without a swizzle: 8 rows of 16 bytes lie together, and such blocks side by
/// side.
void put_tile(std::vector<std::uint32_t>& tile, std::size_t at, const std::vector<std::uint32_t>& rows,
    std::uint32_t row_bytes, std::uint32_t tile_bytes, std::uint32_t first_byte) {
    for (std::uint32_t word = 0; word < rows.size(); ++word) {
        const std::uint32_t row = word * 4 / row_bytes, byte = first_byte + word * 4 % row_bytes;
        tile[at + (row / 8 * 8 * tile_bytes + byte / 16 * 128 + row % 8 * 16 + byte % 16) / 4] = rows[word];
    }
}

/// Of element `index` of the sums as they lie in memory: its number in rows of n.
std::uint32_t place_of(const MatrixForm& form, std::uint32_t index) {
    if (form.lies_in_rows()) return index;
    const std::uint32_t in_register = form.sum->bits < 32 ? 32 / form.sum->bits : 1, lanes = form.lanes(32);
    const std::uint32_t number = index / in_register / lanes * in_register + index % in_register,
                        lane = index / in_register % lanes; // of the lane's elements
    const std::uint32_t row = lane / 32 * 16 + lane % 32 / 4 + number % 4 / 2 * 8,
                        column = number / 4 * 8 + lane % 4 * 2 + number % 2;
    return row * form.n + column;
}

/// Which two of four numbers (of eight: pairs) a sparse A stores, or which two halves of one of two numbers: the places
/// of 2 bits each, in ascending order.
constexpr std::uint32_t kTwoOfFour[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, kOneOfTwo[] = {0x4, 0xe};
bool is_stored(const MatrixForm& form, std::uint32_t stands, std::uint32_t place) {
    if (form.sparse == 8) place /= 2;
    return form.sparse == 2 ? place == (stands == kOneOfTwo[1] ? 1u : 0u)
                            : place == (stands & 3) || place == stands >> 2;
}

/// Metadata of mma.sp and wgmma.sp as registers of 32 lanes for each 16 rows: of lane 4g + t those of rows g and g + 8.
/// Of numbers of 16 and 32 bits a lane holds 16 bits of either row, the first lanes of each four what is leftmost; of
/// smaller ones lanes 0 and 2 hold 32 bits of row g, lanes 1 and 3 of row g + 8.
std::vector<std::uint32_t> metadata(const MatrixForm& form, const std::vector<std::uint32_t>& stands) {
    const std::uint32_t groups = form.k / form.sparse; // of a row
    const bool both_rows = form.in->bits >= 16;        // in a register
    std::vector<std::uint32_t> words(form.m * 2);
    for (std::uint32_t at = 0; at < stands.size(); ++at) {
        const std::uint32_t row = at / groups, group = at % groups, high = row / 8 % 2;
        const std::uint32_t lane = both_rows ? group / 4 : group / 8 * 2 + high,
                            bit = both_rows ? high * 16 + group % 4 * 4 : group % 8 * 4;
        words[row / 16 * 32 + row % 8 * 4 + lane] |= stands[at] << bit;
    }
    return words;
}

/// What a sparse A stores of its rows.
std::vector<std::int64_t> stored(
    const MatrixForm& form, const std::vector<std::int64_t>& a, const std::vector<std::uint32_t>& stands) {
    std::vector<std::int64_t> values;
    for (std::uint32_t i = 0; i < a.size(); ++i)
        if (is_stored(form, stands[i / form.sparse], i % form.sparse)) values.push_back(a[i]);
    return values;
}

std::vector<std::int64_t> product(
    const MatrixForm& form, std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
    std::vector<std::int64_t> sums(form.m * form.n);
    for (std::uint32_t i = 0; i < form.m; ++i)
        for (std::uint32_t j = 0; j < form.n; ++j)
            for (std::uint32_t l = 0; l < form.k; ++l) {
                const std::int64_t x = a[i * form.k + l], y = b[j * form.k + l];
                sums[i * form.n + j] += form.exclusive_or ? x ^ y : x * y;
            }
    return sums;
}
} // namespace

MatrixChains::MatrixChains(const MatrixForm& form, std::uint32_t chains, DataKind data) : form_(form), chains_(chains) {
    std::mt19937 random(chains);
    const NumberFormat& in = *form.in;
    const std::int64_t least = in.is_signed ? -2 : 0, most = in.bits == 1 ? 1 : 2;
    const auto numbers = [&](std::uint32_t count) {
        std::vector<std::int64_t> values(count);
        for (std::int64_t& value : values)
            value = data == DataKind::zeros
                        ? 0
                        : least + static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(most - least + 1));
        return values;
    };
    for (Chain& chain : chains_) {
        chain.a = numbers(form.m * form.k), chain.b = numbers(form.n * form.k), chain.c = numbers(form.n * form.k);
        for (std::uint32_t group = 0; form.sparse && group < form.m * form.k / form.sparse; ++group) {
            chain.stands.push_back(form.sparse == 2 ? kOneOfTwo[random() % 2] : kTwoOfFour[random() % 6]);
            for (std::uint32_t place = 0; place < form.sparse; ++place)
                if (!is_stored(form, chain.stands.back(), place)) chain.a[group * form.sparse + place] = 0;
        }
        if (form.sum->is_float() && data == DataKind::integers) // integers wrap; of others C takes back what B adds,
                                                                // but for one product where so many steps stay exact
            for (std::uint32_t i = 0; i < chain.c.size(); ++i)
                chain.c[i] = (form.exact_bits >= 24 && i / form.k % form.k == i % form.k ? 1 : 0) - chain.b[i];
        chain.first = product(form, chain.a, chain.b), chain.step = product(form, chain.a, chain.c);
        for (std::size_t i = 0; i < chain.step.size(); ++i) chain.step[i] += chain.first[i];
    }
}

std::vector<std::uint32_t> MatrixChains::operands() const {
    const NumberFormat& in = *form_.in;
    std::vector<std::uint32_t> all;
    const auto append = [&](const std::vector<std::uint32_t>& words) {
        all.insert(all.end(), words.begin(), words.end());
    };
    for (const Chain& chain : chains_) {
        const auto a = packed(form_.sparse ? stored(form_, chain.a, chain.stands) : chain.a, in),
                   b = packed(chain.b, in), c = packed(chain.c, in);
        const std::uint32_t row_words = form_.k * in.bits / 32, register_words = in.bits == 64 ? 2 : 1;
        if (form_.operands == fragments) {
            append(fragment(a, form_.stored_k() * in.bits / 32, form_.m / 8, register_words)),
                append(fragment(b, row_words, 1, register_words)), append(fragment(c, row_words, 1, register_words));
        } else if (form_.lies_in_rows()) {
            append(a), append(b), append(c);
        } else {
            std::vector<std::uint32_t> tile(a.size() + b.size() + c.size());
            put_tile(tile, 0, a, kTileRow, kTileRow, 0);
            put_tile(tile, a.size(), b, row_words * 4, row_words * 8, 0),
                put_tile(tile, a.size(), c, row_words * 4, row_words * 8, row_words * 4);
            append(tile);
        }
        if (form_.sparse) append(metadata(form_, chain.stands));
    }
    all.resize(all.size() + form_.sum_words());
    return all;
}

std::vector<std::uint32_t> MatrixChains::sums_after(std::uint64_t steps) const {
    std::vector<std::uint32_t> words;
    words.reserve(this->words());
    for (const Chain& chain : chains_) {
        std::vector<std::int64_t> sums(chain.first.size());
        for (std::uint32_t i = 0; i < sums.size(); ++i) {
            const std::uint32_t at = place_of(form_, i);
            sums[i] = chain.first[at] + static_cast<std::int64_t>(steps) * chain.step[at];
        }
        const auto of_chain = packed(sums, *form_.sum);
        words.insert(words.end(), of_chain.begin(), of_chain.end());
    }
    return words;
}

void MatrixChains::check(std::span<const std::uint32_t> words, std::uint64_t steps) const {
    const std::vector<std::uint32_t> expected = sums_after(steps);
    if (std::ranges::equal(words, expected)) return;
    const NumberFormat& sum = *form_.sum;
    const auto value = [&](std::span<const std::uint32_t> of, std::size_t i) {
        const std::size_t word = i * sum.bits / 32;
        return sum.value_of(sum.bits == 64 ? of[word] | std::uint64_t{of[word + 1]} << 32
                                           : of[word] >> i * sum.bits % 32 & (~0u >> (32 - sum.bits)));
    };
    for (std::size_t i = 0; i < words.size() * 32 / sum.bits; ++i) { // minus zero is zero
        if (value(words, i) == value(expected, i)) continue;
        const std::uint32_t of_chain = form_.m * form_.n,
                            place = place_of(form_, static_cast<std::uint32_t>(i % of_chain));
        throw Error(fmt::format("after {} steps row {}, column {} of chain {} holds {}, the host {}", steps,
            place / form_.n, place % form_.n, i / of_chain, value(words, i), value(expected, i)));
    }
}

KernelChoice matrix_kernel(const DeviceInfo& info, const Operation& operation, std::uint32_t chains,
    std::uint32_t repeat, std::uint32_t subgroups) {
    const std::uint32_t lanes =
        std::max(operation.matrix->lanes(info.subgroup), subgroups * std::max(1u, info.subgroup));
    KernelChoice choice{.name = "matrix",
        .group_size = lanes,
        .defines = {{"CHAINS", std::to_string(chains)}, {"OPERATION", operation_form(operation)}},
        .needs = operation.needs,
        .repeat = repeat,
        .operation = &operation,
        .chains = chains};
    choice.needs.push_back(Feature::repeated_text);
    return choice;
}

std::uint32_t matrix_scratchpad_bytes(const MatrixForm& form) {
    return form.operands == tiles ? form.m * kTileRow + 2 * form.n * form.k * form.in->bits / 8 : 0;
}

namespace {
std::shared_ptr<Kernel> compiled_matrix(Bench& bench, const KernelChoice& choice) {
    if (const auto reason = why_lacking(bench.device, *choice.operation)) throw Unsupported(*reason);
    return bench.kernel(choice);
}
} // namespace

MatrixUnits::MatrixUnits(Bench& bench, const KernelChoice& choice, DataKind data, std::uint32_t groups)
    : bench_(bench),
      choice_(choice),
      form_(*choice_.operation->matrix),
      groups_(groups),
      chains_(form_, choice_.chains, data),
      kernel_(compiled_matrix(bench, choice_)),
      operand_words_(chains_.operands()),
      operands_(bench.device.allocate(Space::global, operand_words_.size() * 4)),
      result_(bench.allocate_result(group_words() * groups_ * bench.info.cores)) {
    check_residency();
    bench_.write_words(*operands_, operand_words_);
}

void MatrixUnits::check_residency() const {
    const std::uint32_t lanes = form_.lanes(bench_.info.subgroup),
                        operands = form_.operands == tiles
                                       ? 0
                                       : form_.k * (form_.m + 2 * form_.n) * form_.in->bits / 32; // words of A, B and C
    const std::uint32_t registers = choice_.chains * (operands + form_.sum_words()) / lanes + kOtherRegisters;
    const std::uint32_t resident = kernel_->resident_groups(matrix_scratchpad_bytes(form_))
                                       .value_or(kCoreRegisters / registers / choice_.group_size);
    if (groups_ > std::max(1u, resident))
        throw DoesNotFit(fmt::format(
            "{} workgroups of {} work-items, but a core's registers hold {}", groups_, choice_.group_size, resident));
}

std::uint32_t MatrixUnits::most_rounds() const {
    const std::uint64_t most = kMostMatrixSteps / choice_.repeat;
    return static_cast<std::uint32_t>(
        bench_.info.loop_trips ? std::min<std::uint64_t>(most, bench_.info.loop_trips - 1) : most);
}

Sample MatrixUnits::timed(std::uint32_t rounds, Check check) {
    const std::uint32_t groups = groups_ * bench_.info.cores;
    const std::uint64_t steps = std::uint64_t{rounds} * choice_.repeat;
    const std::size_t size = group_words();
    const double work = static_cast<double>(steps) * choice_.operation->work * choice_.chains * teams() * groups;
    auto [sample, out] = bench_.launch(*kernel_, kernel_args::Matrix{.rounds = rounds},
        {.a = operands_.get(), .out = *result_, .groups = groups, .scratchpad_bytes = matrix_scratchpad_bytes(form_)},
        work, check == Check::all ? size * groups : size);
    for (std::size_t at = 0; at < out.size(); at += size) {
        const std::span of_group = std::span(out).subspan(at, size);
        for (std::uint32_t team = 0; team < teams(); ++team) {
            const auto sums = of_group.subspan(4 + team * chains_.words(), chains_.words()),
                       first = std::span(out).subspan(4, chains_.words());
            if (at + team == 0 || !std::ranges::equal(sums, first))
                chains_.check(sums, steps); // most are as the first one's, which is right
        }
    }
    if (groups_ == 1)
        sample.cycles = longest_clock_difference(
            bench_.info, out, size); // of workgroups that share a core none need run for the whole dispatch
    bench_.checked(check == Check::all
                       ? "all sums of all chains against the host's product of integers, in every dispatch"
                       : "the first workgroup's sums against the host's product of integers in every dispatch, those "
                         "of all in one of 64");
    return sample;
}

} // namespace sonde
