// Rows of operations and numbers, and what they leave behind.
#include "core/measure/writer.h"

#include <bit>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

std::string Writing::text() const {
    const char* by = factor == Factor::literal    ? ""
                     : factor == Factor::argument ? " by an argument"
                                                  : " by a constant loaded for each tile";
    return type ? fmt::format("{} {}{}", operation->name, type->name, by) : std::string(operation->name);
}

FillPattern StreamNumber::pattern(std::uint32_t bits) const {
    const std::uint64_t random = ((std::uint64_t{1} << bits) - 1) << (mantissa_bits - bits);
    if (words == 1)
        return {.keep = {static_cast<std::uint32_t>(random), static_cast<std::uint32_t>(random)},
            .set = {std::bit_cast<std::uint32_t>(1.0f), std::bit_cast<std::uint32_t>(1.0f)}};
    const auto one = std::bit_cast<std::uint64_t>(1.0);
    return {.keep = {static_cast<std::uint32_t>(random), static_cast<std::uint32_t>(random >> 32)},
        .set = {static_cast<std::uint32_t>(one), static_cast<std::uint32_t>(one >> 32)}};
}

namespace {
/// From its words, low one first.
double number_of(const StreamNumber& type, std::uint32_t low, std::uint32_t high) {
    return type.words == 1 ? double{std::bit_cast<float>(low)} : std::bit_cast<double>(low | std::uint64_t{high} << 32);
}

/// Sum of the words of a * factors[0] + b * factors[1] as that type computes it, its product rounded as well unless it
/// is fused.
template <class T>
std::uint64_t words_of_result(const StreamOperation& operation, double first, double second, bool fused) {
    const T a = static_cast<T>(operation.factors[0]) * static_cast<T>(first), b = static_cast<T>(second),
            factor = static_cast<T>(operation.factors[1]);
    const T product = factor * b;
    const T result = fused ? std::fma(factor, b, a) : a + product;
    if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(result);
    else return (std::bit_cast<std::uint64_t>(result) & 0xFFFFFFFFu) + (std::bit_cast<std::uint64_t>(result) >> 32);
}

/// A product of two factors, or a sum of such, as a whole number.
std::uint64_t scaled(const StreamNumber& type, double value) {
    return static_cast<std::uint64_t>(std::ldexp(value, static_cast<int>(2 * type.factor_bits)));
}
constexpr std::size_t kFactorWords = 64; // of which the kernel loads one

/// As many workgroups as run at a time, by the driver's account: each goes round its own tiles, so that of more of
/// them, L1 and L2 would be shown only the tiles of those that run.
Geometry all_at_a_time(const Kernel& kernel, const DeviceInfo& info, Geometry geometry) {
    if (const auto resident = kernel.resident_groups(0); resident && !geometry.once && !info.cpu)
        geometry.shape.groups = std::min(geometry.shape.groups, std::max(1u, *resident * info.cores));
    return geometry;
}
} // namespace

Writer::Writer(Bench& bench, const Kernel& kernel, const Geometry& geometry, Writing writing)
    : bench_(bench),
      kernel_(kernel),
      geometry_(all_at_a_time(kernel, bench.info, geometry)),
      writing_(writing),
      result_(bench.allocate_result(std::max<std::size_t>(std::size_t{geometry_.lanes()} * geometry.width, 1))) {
    if (!in_scratchpad()) summer_.emplace(bench);
    if (writing.factor != Factor::constant) return;
    factors_ = bench.device.allocate(Space::constant, kFactorWords * 4);
    bench.write_words(*factors_, std::vector(kFactorWords, scalar()));
}

bool Writer::takes(std::uint64_t bytes) const {
    if (geometry_.once) return takes_once(bench_, geometry_, bytes, operation().arrays);
    return bytes >= least() && bytes / least() * 4 <= trips();
}

bool Writer::aim(Buffer& memory, std::uint64_t bytes) {
    if (!takes(bytes)) return false;
    own_ = static_cast<std::uint32_t>(bytes / least());
    if (geometry_.once) geometry_.shape.groups = own_ -= own_ % 4; // whose marks are added up by fours
    memory_ = &memory;
    seed_ = bench_.next_seed();
    fill();
    fill_.emplace(Bench::kFillPeriod, seed_, pattern());
    if (writing_.type) expect_numbers();
    grown_ = 0;
    return true;
}

FillPattern Writer::pattern() const {
    if (!writing_.type) return {};
    return writing_.type->pattern(operation().sums() ? writing_.type->factor_bits : writing_.type->mantissa_bits);
}

void Writer::fill() {
    bench_.fill(*memory_, footprint(), seed_, pattern());
    written_ = false;
}

/// Of one period, in which an element of the first array always meets the same one of the second.
void Writer::expect_numbers() {
    const StreamNumber& type = *writing_.type;
    const FillPattern data = pattern();
    const auto at = [&](std::uint64_t element) {
        const std::uint64_t word = element * type.words;
        const auto word_at = [&](std::uint64_t number) { return fill_word(number, Bench::kFillPeriod, seed_, data); };
        return number_of(type, word_at(word), word_at(word + type.words - 1));
    };
    rounded_.clear();
    for (const auto& [rounding, fused] : {std::pair{"once", true}, {"twice", false}}) {
        std::vector<std::uint64_t> period(Bench::kFillPeriod / type.words);
        for (std::uint64_t i = 0; i < period.size(); ++i) {
            const double a = at(i), b = at(elements() + i);
            period[i] = operation().sums() ? scaled(type, a * b)
                        : type.words == 1  ? words_of_result<float>(operation(), a, b, fused)
                                           : words_of_result<double>(operation(), a, b, fused);
        }
        rounded_.push_back({rounding, PeriodicSum(period)});
    }
}

std::uint32_t Writer::trips() const {
    const std::uint32_t most = bench_.info.loop_trips ? bench_.info.loop_trips / (geometry_.turns + 1) - 8 : 1u << 22;
    if (!operation().sums()) return most;
    // A lane's sum of so many products, each less than 4, has no more bits than a number.
    const std::uint64_t exact =
        (std::uint64_t{1} << (writing_.type->mantissa_bits + 1 - 2 - 2 * writing_.type->factor_bits)) /
        (std::uint64_t{geometry_.loads} * geometry_.turns);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, exact));
}

std::uint32_t Writer::most() const {
    return geometry_.once ? most_groups(bench_.info) / own_ : std::max(trips() / own_, 1u) * own_;
}

std::size_t Writer::result_words() const {
    if (geometry_.once) return 0;
    if (operation().sums()) return std::size_t{geometry_.lanes()} * writing_.type->words;
    return in_scratchpad() || writing_.type ? geometry_.lanes() : 0;
}

Sample Writer::timed(std::uint32_t count) {
    salt_ = bench_.next_seed();
    if (writing_.type && written_) fill(); // what the last dispatch left would be taken for this one's
    const bool local = in_scratchpad();
    const std::uint32_t first = local             ? 0
                                : bench_.info.cpu ? own_
                                                  : 1,
                        step = local || bench_.info.cpu ? 1 : geometry_.shape.groups;
    const auto array = static_cast<std::uint32_t>(elements());
    const kernel_args::Write args{.own = own_,
        .first = first,
        .step = step,
        .count = count,
        .array_elements = array,
        .salt = salt_,
        .stage = local ? array * operation().arrays : 0,
        .factor = scalar()};
    const double bytes =
        static_cast<double>(geometry_.bytes_of_all()) * count * (operation().reads + operation().writes);
    const std::uint32_t groups = geometry_.shape.groups * (geometry_.once ? count : 1);
    if (geometry_.once && result_->bytes() < std::size_t{groups} * 4) result_ = bench_.allocate_result(groups);
    const auto launched = bench_.launch(kernel_, args,
        {.a = memory_,
            .b = factors_.get(),
            .out = *result_,
            .groups = groups,
            .scratchpad_bytes = local ? static_cast<std::uint32_t>(footprint()) : 0},
        bytes, result_words());
    written_ = !local && !operation().sums();
    if (operation().number == 3)
        grown_ = (local ? 0 : grown_) + count * geometry_.tile() * geometry_.width * geometry_.shape.groups;
    if (geometry_.once) check_marks(groups);
    check(launched.out, count);
    return launched.sample;
}

/// That all workgroups have run: what they wrote shows that of one pass.
void Writer::check_marks(std::uint32_t groups) {
    const auto marks = static_cast<std::uint32_t>(std::uint64_t{groups} * (groups - 1) / 2) + groups * salt_;
    if (const std::uint32_t sum = summer_->sum(*result_, std::uint64_t{groups} * 4); sum != marks)
        throw Error(fmt::format(
            "the marks of {} workgroups add up to {:#010x}, the host's sum is {:#010x}", groups, sum, marks));
}

void Writer::check(const std::vector<std::uint32_t>& out, std::uint32_t count) {
    const std::uint64_t sum = found(out);
    if (!writing_.type) {
        if (const std::uint32_t should = expected_words(count); sum != should)
            throw Error(fmt::format("the words written add up to {:#010x}, the host's sum is {:#010x}", sum, should));
        bench_.checked("after every dispatch the sum of all words of the footprint, which tells the last round that "
                       "wrote each, against the host's");
        return;
    }
    const std::uint64_t should = expected_numbers(rounded_[0], count);
    std::erase_if(rounded_, [&](const Rounded& each) { return expected_numbers(each, count) != sum; });
    if (rounded_.empty())
        throw Error(
            fmt::format("the results of {} add up to {:#x}, the host's to {:#x}", writing_.text(), sum, should));
    if (rounded_.size() == 1) bench_.evidence.rounding = rounded_[0].rounding;
    bench_.checked(operation().sums() ? "in every dispatch the sum of all products, which is exact, against the host's"
                                      : "after every dispatch the sum of all words of the footprint and of each "
                                        "work-item's rounds, against the host's");
}

/// Of the work-items' own sums, and of a kernel's that reads all that was written.
std::uint64_t Writer::found(const std::vector<std::uint32_t>& out) {
    if (operation().sums()) {
        const StreamNumber& type = *writing_.type;
        std::uint64_t sum = 0;
        for (std::size_t word = 0; word < out.size(); word += type.words)
            sum += scaled(type, number_of(type, out[word], out[word + type.words - 1]));
        return sum;
    }
    return std::accumulate(out.begin(), out.end(), in_scratchpad() ? 0u : summer_->sum(*memory_, footprint()));
}

/// Of all words, mod 2^32: each of a workgroup's tiles was last visited in one of the last `own_` rounds.
std::uint32_t Writer::expected_words(std::uint32_t count) const {
    const std::uint64_t n = elements(), words = n * geometry_.width;
    const std::uint64_t last_rounds =
        geometry_.once
            ? 0
            : std::uint64_t{own_} * (count - own_) + std::uint64_t{own_} * (own_ - 1) / 2; // the sum of their numbers
    const auto rounds =
        static_cast<std::uint32_t>(last_rounds) * static_cast<std::uint32_t>(n / own_) * geometry_.width;
    const std::uint32_t salts = static_cast<std::uint32_t>(words) * salt_;
    if (operation().reads == 0)
        return sides() * (static_cast<std::uint32_t>(n * (n - 1) / 2) * geometry_.width + salts + rounds);
    if (operation().arrays == 2) return sides() * (2 * fill_->range(0, words) + salts + rounds);
    return sides() * fill_->range(0, words) + grown_;
}

/// Every element is visited count / own times: its products are summed up so often, or its result stands there and each
/// work-item has counted so many rounds.
std::uint64_t Writer::expected_numbers(const Rounded& each, std::uint32_t count) const {
    const std::uint64_t results = each.results.range(0, elements()), rounds = geometry_.once ? 0 : count / own_;
    if (operation().sums()) return sides() * rounds * results;
    const std::uint64_t sources = fill_->range(0, operation().sources() * elements() * writing_.type->words);
    return static_cast<std::uint32_t>(sides() * (sources + results) + geometry_.lanes() * rounds);
}

KernelChoice write_kernel(
    const DeviceInfo& info, const Path& path, const LaunchShape& shape, std::uint32_t width, Writing writing) {
    const Geometry geometry = geometry_of(info, path, shape, width);
    KernelChoice choice{.name = "write",
        .group_size = geometry.shape.group_size,
        .defines = {{"WIDTH", std::to_string(width)}, {"LOADS", std::to_string(geometry.loads)},
            {"TURNS", std::to_string(geometry.turns)}, {"OPERATION", std::to_string(writing.operation->number)}}};
    if (geometry.once) choice.defines.emplace_back("ONCE", "1");
    if (geometry.loads == 8) choice.defines.emplace_back("ROW", std::to_string(choice.group_size));
    if (writing.type) choice.defines.emplace_back(writing.type->define, "1");
    if (writing.factor != Factor::literal)
        choice.defines.emplace_back("FACTOR", std::to_string(static_cast<int>(writing.factor)));
    if (writing.factor == Factor::constant) choice.b = find_path("constant");
    if (writing.type && writing.type->needs) choice.needs = {*writing.type->needs};
    return choice;
}

} // namespace sonde
