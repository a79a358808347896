// The table of operations.
#include "core/device/capability.h"
#include "core/device/matrix_form.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

namespace sonde {

namespace {
using enum Number;
using enum Exactness;
using Lanes = Operation::Lanes;

/// A pair of narrow floating-point numbers, computed as doubles, which hold the products and sums of chains exactly,
/// and rounded once.
template <int kMantissa, int kBias> struct Narrow {
    static double of(std::uint32_t half) {
        constexpr int kExponents = 15 - kMantissa;
        const int exponent = static_cast<int>(half >> kMantissa & ((1u << kExponents) - 1));
        const double fraction = half & ((1u << kMantissa) - 1),
                     scale = std::ldexp(1.0, std::max(exponent, 1) - kBias - kMantissa);
        const double value = (exponent ? fraction + (1u << kMantissa) : fraction) * scale;
        return half >> 15 ? -value : value;
    }
    static std::uint32_t bits(double value) {
        const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0;
        if (value == 0) return sign;
        const int exponent = std::max(std::ilogb(value), 1 - kBias);
        const auto units = static_cast<std::uint32_t>(
            std::nearbyint(std::ldexp(std::abs(value), kMantissa - exponent))); // ties to even
        return sign | ((static_cast<std::uint32_t>(exponent + kBias - 1) << kMantissa) + units);
    }
};
using Half = Narrow<10, 15>;
using Bfloat = Narrow<7, 127>;

template <class T> T as(std::uint64_t bits) {
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    else if constexpr (std::is_same_v<T, double>) return std::bit_cast<double>(bits);
    else return static_cast<T>(bits);
}
template <class T> std::uint64_t bits_of(T value) {
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::uint32_t>(value);
    else if constexpr (std::is_same_v<T, double>) return std::bit_cast<std::uint64_t>(value);
    else return value;
}

/// A model of a step on numbers T: `kStep(x, y, c, d)` changes x and y.
template <class T, auto kStep>
void on_each_lane(std::span<ChainState> lanes, std::uint64_t c, std::uint64_t d, std::uint64_t steps) {
    for (ChainState& lane : lanes) {
        T x = as<T>(lane.x), y = as<T>(lane.y);
        for (std::uint64_t n = 0; n < steps; ++n) kStep(x, y, as<T>(c), as<T>(d));
        lane = {bits_of(x), bits_of(y)};
    }
}
/// The same on both numbers of a pair.
template <class Type, auto kStep>
void on_each_half(std::span<ChainState> lanes, std::uint64_t c, std::uint64_t d, std::uint64_t steps) {
    for (ChainState& lane : lanes) {
        ChainState result;
        for (const int shift : {0, 16}) {
            const auto half = [&](std::uint64_t bits) {
                return Type::of(static_cast<std::uint32_t>(bits >> shift & 0xffff));
            };
            double x = half(lane.x), y = half(lane.y);
            for (std::uint64_t n = 0; n < steps; ++n)
                kStep(x, y, half(c), half(d), [](double value) { return Type::of(Type::bits(value)); });
            result.x |= std::uint64_t{Type::bits(x)} << shift, result.y |= std::uint64_t{Type::bits(y)} << shift;
        }
        lane = result;
    }
}

// Steps, as kernels/operations.h has them. The host's compiler does not fuse (CMakeLists.txt): a * b + c rounds twice.
constexpr auto kFma = [](auto& x, auto&, auto c, auto) { x = std::fma(x, x, c); };
constexpr auto kSquareAdd = [](auto& x, auto&, auto c, auto) {
    x = static_cast<std::remove_reference_t<decltype(x)>>(x * x + c);
};
constexpr auto kAddSubtract = [](auto& x, auto& y, auto, auto) { x = x + y, y = y - x; };
constexpr auto kTwoFactors = [](auto& x, auto&, auto c, auto d) { x = x * c, x = x * d; };
constexpr auto kFibonacci = [](auto& x, auto& y, auto, auto) { x = x + y, y = y + x; };
constexpr auto kProducts = [](auto& x, auto& y, auto, auto) { x = x * y, y = y * x; };
constexpr auto kHalfFma = [](double& x, double&, double c, double, auto round) { x = round(x * x + c); };
constexpr auto kHalfFmaTwice = [](double& x, double&, double c, double, auto round) { x = round(round(x * x) + c); };
constexpr auto kHalfAdd = [](double& x, double& y, double, double, auto round) { x = round(x + y), y = round(y - x); };
constexpr auto kHalfMul = [](double& x, double&, double c, double d, auto round) {
    x = round(x * c), x = round(x * d);
};

using U32 = std::uint32_t;
constexpr auto kRotate = [](U32& x, U32& y, U32, U32) {
    x = std::rotl(x, static_cast<int>(y & 31)), y = std::rotl(y, static_cast<int>(x & 31));
};
constexpr auto kLogic = [](U32& x, U32& y, U32 c, U32 d) { x = x ^ (y & c), y = y ^ (x & d); };
constexpr auto kInsert = [](U32& x, U32& y, U32, U32) { x = (x & ~0x00ffff00u) | (y & 0xffff) << 8, y = y + x; };
constexpr auto kCountOnes = [](U32& x, U32&, U32 c, U32) { x = static_cast<U32>(std::popcount(x)) + c; };
constexpr auto kLeadingZeros = [](U32& x, U32&, U32 c, U32) { x = static_cast<U32>(std::countl_zero(x)) + c; };
constexpr auto kDot = [](U32& x, U32&, U32 c, U32) {
    U32 sum = c;
    for (int byte = 0; byte < 32; byte += 8) sum += (x >> byte & 0xff) * (x >> byte & 0xff);
    x = sum;
};
constexpr auto kDivide = [](U32& x, U32&, U32 c, U32 d) { x = c / x + d; };
constexpr auto kRemainder = [](U32& x, U32&, U32 c, U32 d) { x = c % x + d; };
constexpr auto kConvert = [](U32& x, U32&, U32 c, U32) { x = static_cast<U32>(static_cast<float>(x) + 0.25F) ^ c; };
/// Bits of a mantissa change, so that no conversion undoes the one before it.
std::uint64_t with_other_mantissa(double value, std::uint64_t bits) {
    return std::bit_cast<std::uint64_t>(value) ^ (bits & 0xfffff'ffffffffull);
}
constexpr auto kConvertInteger = [](U32& x, U32&, U32 c, U32 d) {
    x = static_cast<U32>(static_cast<std::int32_t>(
            std::bit_cast<double>(with_other_mantissa(static_cast<std::int32_t>(x) >> 1, std::uint64_t{d} << 32)))) ^
        c;
};
constexpr auto kNearest = [](double value) { return static_cast<float>(value); };
constexpr auto kTowardZero = [](double value) {
    const auto nearest = static_cast<float>(value);
    return std::abs(nearest) > std::abs(value) ? std::nextafter(nearest, 0.0F) : nearest;
};
template <auto kNarrow> constexpr auto kConvertDouble = [](double& x, double&, double c, double) {
    x = std::bit_cast<double>(with_other_mantissa(kNarrow(x), std::bit_cast<std::uint64_t>(c)));
};
constexpr auto kNearestHalf = [](float value) { return Half::bits(value); };
constexpr auto kHalfTowardZero = [](float value) {
    const std::uint32_t nearest = Half::bits(value);
    return std::abs(Half::of(nearest)) > std::abs(value) ? nearest - 1 : nearest;
};
template <auto kNarrow> constexpr auto kConvertHalf = [](float& x, float&, float c, float) { // 0.25 to 0.5
    x = as<float>(((bits_of(static_cast<float>(Half::of(kNarrow(x) ^ (bits_of(c) & 0x3ff)))) ^ bits_of(c)) & 0x7fffff) |
                  0x3e800000);
};
constexpr auto kSelect = [](U32& x, U32& y, U32 c, U32 d) { x = (x > y ? c : d) + y, y = (y > x ? d : c) + x; };

constexpr auto kQuotient = [](auto& x, auto&, auto c, auto d) { x = c / x + d; };
constexpr auto kReciprocal = [](float& x, float&, float c, float) { x = 1 / x + c; };
constexpr auto kSquareRoot = [](auto& x, auto&, auto c, auto) { x = std::sqrt(x) + c; };
constexpr auto kReciprocalRoot = [](float& x, float&, float c, float) { x = 1 / std::sqrt(x) + c; };
constexpr auto kExp2 = [](float& x, float&, float, float) { x = std::exp2(-x); };
constexpr auto kLog2 = [](float& x, float&, float c, float) { x = std::log2(x) + c; };
constexpr auto kSine = [](float& x, float&, float c, float) { x = std::sin(x) + c; };

template <auto kStep> void together(std::span<ChainState> lanes, std::uint64_t c, std::uint64_t, std::uint64_t steps) {
    for (std::uint64_t n = 0; n < steps; ++n) kStep(lanes, c);
}
void shuffle(std::span<ChainState> lanes, std::uint64_t c) {
    for (std::size_t i = 0; i + 1 < lanes.size(); i += 2) std::swap(lanes[i].x, lanes[i + 1].x);
    for (ChainState& lane : lanes) lane.x = static_cast<U32>(lane.x + c);
}
void ballot(std::span<ChainState> lanes, std::uint64_t c) {
    U32 odd = 0;
    for (std::size_t i = 0; i < lanes.size() && i < 32; ++i) odd |= static_cast<U32>(lanes[i].x & 1) << i;
    for (ChainState& lane : lanes) lane.x = static_cast<U32>((odd ^ lane.x) * 5 + c); // differs from lane to lane
}
void reduce(std::span<ChainState> lanes, std::uint64_t) {
    U32 sum = 0;
    for (const ChainState& lane : lanes) sum += static_cast<U32>(lane.x);
    for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i].x = static_cast<U32>(sum + i);
}

/// Rows come again after as many steps as there are rows.
void load(std::span<ChainState> lanes, std::uint64_t, std::uint64_t, std::uint64_t steps) {
    for (std::uint64_t n = 0, all = steps < kTableRows ? steps : kTableRows + steps % kTableRows; n < all; ++n)
        for (std::size_t i = 0; i < lanes.size(); ++i)
            lanes[i].x = table_word(lanes[i].x % kTableRows, i % kTableLanes);
}

constexpr std::uint64_t pair(std::uint64_t half) { return half << 16 | half; }
std::uint64_t f32_bits(float value) { return bits_of(value); }
std::uint64_t f64_bits(double value) { return bits_of(value); }

/// x * x - 1.9 stays between -1.9 and 1.71, never settles, and never gets near what is denormal.
constexpr double kChaotic = -1.9;

/// Made at first use: probes' options are made of it before main.
const auto& table() {
    static const std::array operations{
        Operation{.name = "fma.f32",
            .step = "x = fma(x, x, c)",
            .number = f32,
            .exactness = rounded,
            .work = 2,
            .c = f32_bits(static_cast<float>(kChaotic)),
            .sass = "FFMA(\\..*)?",
            .gcn = "v_(fma|fmac|fmaak|fmamk|mad|mac|pk_fma)_f32.*",
            .gen = "mad\\.f",
            .model = on_each_lane<float, kFma>,
            .model_otherwise = on_each_lane<float, kSquareAdd>},
        Operation{.name = "mad.f32",
            .step = "x = x * x + c, as the language has it",
            .number = f32,
            .exactness = rounded,
            .work = 2,
            .c = f32_bits(static_cast<float>(kChaotic)),
            .sass = "(FFMA|FMUL)(\\..*)?",
            .gcn = "v_(fma|fmac|fmaak|fmamk|mad|mac|madak|madmk|pk_fma|mul|pk_mul)_f32.*",
            .gen = "(mad|mul)\\.f",
            .model = on_each_lane<float, kFma>,
            .model_otherwise = on_each_lane<float, kSquareAdd>},
        Operation{.name = "add.f32",
            .step = "x = x + y, y = y - x",
            .number = f32,
            .work = 2,
            .in_step = 2,
            .c = f32_bits(0.7F),
            .sass = "FADD(\\..*)?",
            .gcn = "v_(add|sub|subrev)_f32.*",
            .gen = "add\\.f",
            .model = on_each_lane<float, kAddSubtract>},
        Operation{.name = "mul.f32",
            .step = "x = x * c, x = x * d",
            .number = f32,
            .work = 2,
            .in_step = 2,
            .c = f32_bits(1.7F),
            .d = f32_bits(1 / 1.7F),
            .sass = "FMUL(\\..*)?",
            .gcn = "v_mul_f32.*",
            .gen = "mul\\.f",
            .model = on_each_lane<float, kTwoFactors>},
        Operation{.name = "fma.f64",
            .step = "x = fma(x, x, c)",
            .number = f64,
            .exactness = rounded,
            .work = 2,
            .c = f64_bits(kChaotic),
            .needs = {Feature::float64},
            .sass = "DFMA(\\..*)?",
            .gcn = "v_(fma|fmac)_f64.*",
            .gen = "mad\\.df",
            .model = on_each_lane<double, kFma>,
            .model_otherwise = on_each_lane<double, kSquareAdd>},
        Operation{.name = "add.f64",
            .step = "x = x + y, y = y - x",
            .number = f64,
            .work = 2,
            .in_step = 2,
            .c = f64_bits(0.7),
            .needs = {Feature::float64},
            .sass = "DADD(\\..*)?",
            .gcn = "v_add_f64.*",
            .gen = "add\\.df",
            .model = on_each_lane<double, kAddSubtract>},
        Operation{.name = "mul.f64",
            .step = "x = x * c, x = x * d",
            .number = f64,
            .work = 2,
            .in_step = 2,
            .c = f64_bits(1.7),
            .d = f64_bits(1 / 1.7),
            .needs = {Feature::float64},
            .sass = "DMUL(\\..*)?",
            .gcn = "v_mul_f64.*",
            .gen = "mul\\.df",
            .model = on_each_lane<double, kTwoFactors>},
        Operation{.name = "fma.f16x2",
            .step = "x = fma(x, x, c), on two numbers",
            .number = f16x2,
            .exactness = rounded,
            .work = 4,
            .c = pair(Half::bits(kChaotic)),
            .needs = {Feature::float16},
            .sass = "HFMA2(\\..*)?",
            .gcn = "v_pk_(fma|fmac)_f16.*",
            .of_one = "v_(fma|fmac|mad|mac)_f16.*|mad\\.hf",
            .model = on_each_half<Half, kHalfFma>,
            .model_otherwise = on_each_half<Half, kHalfFmaTwice>},
        Operation{.name = "add.f16x2",
            .step = "x = x + y, y = y - x, on two numbers",
            .number = f16x2,
            .work = 4,
            .in_step = 2,
            .c = pair(Half::bits(0.7)),
            .needs = {Feature::float16},
            .sass = "(HADD2|HFMA2)(\\..*)?",
            .gcn = "v_pk_add_f16.*",
            .of_one = "v_(add|sub|subrev)_f16.*|add\\.hf",
            .model = on_each_half<Half, kHalfAdd>},
        Operation{.name = "mul.f16x2",
            .step = "x = x * c, x = x * d, on two numbers",
            .number = f16x2,
            .work = 4,
            .in_step = 2,
            .c = pair(Half::bits(2)),
            .d = pair(Half::bits(0.5)),
            .needs = {Feature::float16},
            .sass = "(HMUL2|HFMA2)(\\..*)?",
            .gcn = "v_pk_mul_f16.*",
            .of_one = "v_mul_f16.*|mul\\.hf",
            .model = on_each_half<Half, kHalfMul>},
        Operation{.name = "fma.bf16x2",
            .step = "x = fma(x, x, c), on two numbers",
            .number = bf16x2,
            .work = 4,
            .c = pair(Bfloat::bits(kChaotic)),
            .needs = {Feature::bfloat16_fma},
            .sass = "HFMA2(\\..*)?",
            .model = on_each_half<Bfloat, kHalfFma>},
        Operation{.name = "add.bf16x2",
            .step = "x = x + y, y = y - x, on two numbers",
            .number = bf16x2,
            .work = 4,
            .in_step = 2,
            .c = pair(Bfloat::bits(0.7)),
            .needs = {Feature::bfloat16_add},
            .sass = "(HADD2|HFMA2)(\\..*)?",
            .model = on_each_half<Bfloat, kHalfAdd>},
        Operation{.name = "mul.bf16x2",
            .step = "x = x * c, x = x * d, on two numbers",
            .number = bf16x2,
            .work = 4,
            .in_step = 2,
            .c = pair(Bfloat::bits(2)),
            .d = pair(Bfloat::bits(0.5)),
            .needs = {Feature::bfloat16_add},
            .sass = "(HMUL2|HFMA2)(\\..*)?",
            .model = on_each_half<Bfloat, kHalfMul>},
        Operation{.name = "add.u32",
            .step = "x = x + y, y = y + x",
            .number = u32,
            .work = 2,
            .in_step = 2,
            .c = 0x9e3779b1,
            .sass = "(IADD3|IADD|IMAD\\.IADD)(\\..*)?",
            .gcn = "v_(add|lshl_add|add3)(_co|_nc)?_[ui]32.*",
            .gen = "add3?\\.u?d",
            .model = on_each_lane<U32, kFibonacci>},
        Operation{.name = "mul.u32",
            .step = "x = x * y, y = y * x",
            .number = u32,
            .work = 2,
            .in_step = 2,
            .c = 0x9e3779b1,
            .sass = "(IMAD(?!\\.(MOV|IADD|SHL))|IMUL|XMAD)(\\..*)?",
            .gcn = "v_mul_lo_[ui]32.*",
            .gen = "(mul|mach|macl)\\.u?d",
            .model = on_each_lane<U32, kProducts>},
        Operation{.name = "mad.u32",
            .step = "x = x * x + c",
            .number = u32,
            .work = 2,
            .c = 0x9e3779b1,
            .sass = "(IMAD(?!\\.(MOV|IADD|SHL))|IMUL|XMAD)(\\..*)?",
            .gcn = "v_mul_lo_[ui]32.*|v_mad_u64_u32.*",
            .gen = "(mul|mach|macl|mad)\\.u?d",
            .model = on_each_lane<U32, kSquareAdd>},
        Operation{.name = "mad.u64",
            .step = "x = x * x + c",
            .number = u64,
            .work = 2,
            .c = 0x9e3779b97f4a7c15,
            .needs = {Feature::int64},
            .sass = "IMAD\\.(WIDE\\.U32|U32\\.U32)(\\..*)?|XMAD(\\..*)?",
            .gcn = "v_mad_u64_u32.*|v_mul_hi_u32.*",
            .gen = "mul\\.u?[dq]",
            .instructions = 4,
            .model = on_each_lane<std::uint64_t, kSquareAdd>},
        Operation{.name = "mad.u16",
            .step = "x = x * x + c",
            .number = u16,
            .work = 2,
            .c = 0x79b1,
            .needs = {Feature::int16},
            .sass = "(IMAD(?!\\.(MOV|IADD|SHL))|IMUL|XMAD)(\\..*)?",
            .gen = "(mad|mul)\\.u?[wd]",
            .model = on_each_lane<U32, [](U32& x, U32&, U32 c, U32) { x = (x * x + c) & 0xffff; }>},
        Operation{.name = "rotate.u32",
            .step = "x = x rotated by y, y = y rotated by x",
            .number = u32,
            .work = 2,
            .in_step = 2,
            .c = 0x9e3779b1,
            .needs = {Feature::funnel_shift},
            .sass = "SHF(\\..*)?",
            .gcn = "v_alignbit_b32.*|v_lshl_or_b32.*|v_or_b32.*",
            .gen = "(ro[lr]|or)\\.u?d",
            .instructions = 8,
            .model = on_each_lane<U32, kRotate>},
        Operation{.name = "logic.u32",
            .step = "x = x ^ (y & c), y = y ^ (x & d)",
            .number = u32,
            .work = 2,
            .in_step = 2,
            .c = 0x6a09e667,
            .d = 0xbb67ae85,
            .sass = "LOP3?(\\..*)?",
            .gcn = "v_xor_b32.*",
            .gen = "(xor|bfn.*)\\.u?d",
            .model = on_each_lane<U32, kLogic>},
        Operation{.name = "insert.u32",
            .step = "16 bits of y go into x, y = y + x",
            .number = u32,
            .c = 0x9e3779b1,
            .sass = "(PRMT|LOP3?|LOP32I|BFI)(\\..*)?",
            .gcn = "v_bfi_b32.*",
            .gen = "(bfi2|bfn.*|and)\\.u?d",
            .instructions = 3,
            .model = on_each_lane<U32, kInsert>},
        Operation{.name = "popcount.u32",
            .step = "x = popcount(x) + c",
            .number = u32,
            .c = 0x9e3779b1,
            .sass = "POPC(\\..*)?",
            .gcn = "v_bcnt_u32.*",
            .gen = "cbit\\.u?d",
            .model = on_each_lane<U32, kCountOnes>},
        Operation{.name = "leading-zeros.u32",
            .step = "x = leading zeros of x + c",
            .number = u32,
            .c = 0x9b1,
            .sass = "FLO(\\..*)?",
            .gcn = "v_ffbh_u32.*|v_clz_i32_u32.*",
            .gen = "lzd\\.u?d",
            .model = on_each_lane<U32, kLeadingZeros>},
        Operation{.name = "dot.u8x4",
            .step = "x = products of x's bytes with themselves + c",
            .number = u32,
            .work = 8,
            .c = 0x9e3779b1,
            .needs = {Feature::dot_product},
            .sass = "IDP(\\..*)?",
            .gcn = "v_dot4.*",
            .gen = "dp4a\\.u?d",
            .model = on_each_lane<U32, kDot>},
        // What compilers make of quotients differs from chip to chip, but each sequence begins with one reciprocal
        // (NVIDIA's, GCN's), or is one instruction (Intel's before Xe). GCN's sums over a subgroup have no gate.
        Operation{.name = "divide.u32",
            .step = "x = c / x + d",
            .number = u32,
            .c = 0xfffffff1,
            .d = 12345,
            .sass = "MUFU\\.RCP(?!64)(\\..*)?",
            .gcn = "v_rcp(_iflag)?_f32.*",
            .gen = "math\\.(inv|i?div|iqot|irem|intdiv.*)\\..*",
            .instructions = 32,
            .model = on_each_lane<U32, kDivide>},
        Operation{.name = "remainder.u32",
            .step = "x = c % x + d",
            .number = u32,
            .c = 0xfffffff1,
            .d = 12345,
            .sass = "MUFU\\.RCP(?!64)(\\..*)?",
            .gcn = "v_rcp(_iflag)?_f32.*",
            .gen = "math\\.(inv|i?div|iqot|irem|intdiv.*)\\..*",
            .instructions = 32,
            .model = on_each_lane<U32, kRemainder>},
        // Errors are the loosest that a form's language allows. Vulkan's table "Precision of GLSL.std.450
        // Instructions": division 2.5 ulp, also of f64, inversesqrt 2, sqrt that of 1 / inversesqrt (2.5 and at most
        // twice 2), exp2 3 + 2|x|, log2 3, sin 2^-11 (8192 ulp of 0.93). PTX ISA's approx forms and OpenCL C's table of
        // relative errors allow less. OpenCL C leaves native_ functions to the implementation: they are held to the
        // same.
        Operation{.name = "divide.f32",
            .step = "x = c / x + d",
            .number = f32,
            .exactness = near,
            .c = f32_bits(1),
            .d = f32_bits(1),
            .sass = "MUFU\\.RCP(?!64)(\\..*)?",
            .gcn = "v_rcp(_iflag)?_f32.*",
            .gen = "math\\.(inv|fdiv)\\.f",
            .instructions = 12,
            .ulps = 2.5,
            .errors = "CUDA none but rounding, OpenCL C and GLSL 2.5 ulp",
            .model = on_each_lane<float, kQuotient>},
        Operation{.name = "divide.f64",
            .step = "x = c / x + d",
            .number = f64,
            .exactness = near,
            .c = f64_bits(1),
            .d = f64_bits(1),
            .needs = {Feature::float64},
            .sass = "MUFU\\.RCP64H(\\..*)?",
            .gcn = "v_rcp_f(32|64).*",
            .gen = "math\\.invm\\..*",
            .instructions = 32,
            .ulps = 2.5,
            .errors = "CUDA and OpenCL C none but rounding, GLSL as of f32; held to 2.5 ulp of f64",
            .model = on_each_lane<double, kQuotient>},
        Operation{.name = "rcp.f32",
            .step = "x = 1 / x + c, approximate",
            .number = f32,
            .exactness = near,
            .c = f32_bits(1),
            .sass = "MUFU\\.RCP.*",
            .gcn = "v_rcp_f32.*",
            .gen = "math\\.inv\\.f",
            .instructions = 5,
            .ulps = 2.5,
            .errors = "CUDA rcp.approx.ftz 1 ulp, OpenCL native_recip any, GLSL 2.5 ulp",
            .model = on_each_lane<float, kReciprocal>},
        Operation{.name = "sqrt.f32",
            .step = "x = sqrt(x) + c",
            .number = f32,
            .exactness = near,
            .c = f32_bits(1),
            .sass = "MUFU\\.(RSQ|SQRT)(\\..*)?",
            .gcn = "v_(sqrt|rsq)_f32.*",
            .gen = "math\\.(sqt|rsqt)\\.f",
            .instructions = 12,
            .ulps = 6.5,
            .errors = "CUDA none but rounding, OpenCL C 3 ulp, GLSL those of 1 / inversesqrt",
            .model = on_each_lane<float, kSquareRoot>},
        Operation{.name = "rsqrt.f32",
            .step = "x = 1 / sqrt(x) + c, approximate",
            .number = f32,
            .exactness = near,
            .c = f32_bits(1),
            .sass = "MUFU\\.RSQ.*",
            .gcn = "v_rsq_f32.*",
            .gen = "math\\.rsqt\\.f",
            .instructions = 5,
            .ulps = 2,
            .errors = "CUDA rsqrt.approx.ftz 2^-22.9 of the value, OpenCL native_rsqrt any, GLSL 2 ulp",
            .model = on_each_lane<float, kReciprocalRoot>},
        Operation{.name = "exp2.f32",
            .step = "x = 2^-x, approximate",
            .number = f32,
            .exactness = near,
            .sass = "MUFU\\.EX2.*",
            .gcn = "v_exp_f32.*",
            .gen = "math\\.exp\\.f",
            .instructions = 5,
            .ulps = 4.3,
            .errors = "CUDA ex2.approx.ftz 2 ulp, OpenCL native_exp2 any, GLSL 3 + 2|x| ulp",
            .model = on_each_lane<float, kExp2>},
        Operation{.name = "log2.f32",
            .step = "x = log2(x) + c, approximate",
            .number = f32,
            .exactness = near,
            .c = f32_bits(3),
            .sass = "MUFU\\.LG2.*",
            .gcn = "v_log_f32.*",
            .gen = "math\\.log\\.f",
            .instructions = 5,
            .ulps = 3,
            .errors =
                "CUDA lg2.approx.ftz 2^-22 absolute or relative, OpenCL native_log2 any, GLSL 3 ulp or 2^-21 absolute",
            .model = on_each_lane<float, kLog2>},
        Operation{.name = "sine.f32",
            .step = "x = sin(x) + c, approximate",
            .number = f32,
            .exactness = near,
            .c = f32_bits(1),
            .sass = "MUFU\\.SIN.*",
            .gcn = "v_sin_f32.*",
            .gen = "math\\.sin\\.f",
            .instructions = 3,
            .ulps = 8192,
            .errors = "CUDA sin.approx.ftz 2^-20.5 absolute, OpenCL native_sin any, GLSL 2^-11 absolute",
            .model = on_each_lane<float, kSine>},
        Operation{.name = "convert.u32",
            .step = "x = integer of (float of x + 0.25), its low bits changed",
            .number = u32,
            .work = 2,
            .c = 0x000f1234,
            .sass = "F2I(\\..*)?",
            .gcn = "v_cvt_u32_f32.*",
            .gen = "mov\\.u?d",
            .instructions = 6,
            .model = on_each_lane<U32, kConvert>},
        Operation{.name = "convert.f32-f64",
            .step = "x = f64 of (f32 of x), bits of its mantissa changed",
            .number = f64,
            .exactness = rounded,
            .work = 2,
            .c = 0x3ff6a09e777f3bcd,
            .needs = {Feature::float64},
            .sass = "F2F\\.F32\\.F64(\\..*)?",
            .gcn = "v_cvt_f32_f64.*",
            .gen = "mov\\.f",
            .instructions = 6,
            .model = on_each_lane<double, kConvertDouble<kNearest>>,
            .model_otherwise = on_each_lane<double, kConvertDouble<kTowardZero>>,
            .roundings = {"to nearest", "toward zero"}},
        Operation{.name = "convert.i32-f64",
            .step = "x = i32 of (f64 of x / 2, bits of its mantissa changed), xor c",
            .number = u32,
            .work = 2,
            .c = 0x9e3779b1,
            .d = 0x000a5a5a,
            .needs = {Feature::float64},
            .sass = "F2I(\\..*)?",
            .gcn = "v_cvt_i32_f64.*",
            .gen = "mov\\.d",
            .instructions = 6,
            .model = on_each_lane<U32, kConvertInteger>},
        Operation{.name = "convert.f32-f16",
            .step = "x = f32 of (f16 of x, bits changed), bits of its mantissa changed",
            .number = f32,
            .exactness = rounded,
            .work = 2,
            .c = 0x3fd55a5a,
            .needs = {Feature::float16},
            .sass = "HADD2\\.F32(\\..*)?",
            .gcn = "v_cvt_(pk_?rtz_)?f16_f32.*",
            .gen = "mov\\.hf",
            .instructions = 6,
            .model = on_each_lane<float, kConvertHalf<kNearestHalf>>,
            .model_otherwise = on_each_lane<float, kConvertHalf<kHalfTowardZero>>,
            .roundings = {"to nearest", "toward zero"}},
        Operation{.name = "select.u32",
            .step = "x = (x > y ? c : d) + y, y = (y > x ? d : c) + x",
            .number = u32,
            .work = 2,
            .in_step = 2,
            .c = 0x9e3779b1,
            .d = 0x7f4a7c15,
            .sass = "(SEL|FSEL)(\\..*)?",
            .gcn = "v_cndmask_b32.*",
            .gen = "(sel|bfn.*)\\.u?d",
            .instructions = 6,
            .model = on_each_lane<U32, kSelect>},
        Operation{.name = "shuffle.u32",
            .step = "x = x of the neighbour + c",
            .number = u32,
            .c = 0x9e3779b1,
            .needs = {Feature::shuffle},
            .sass = "SHFL(\\..*)?",
            .gcn = ".*_dpp.*|ds_(swizzle|permute|bpermute)_b32.*",
            .model = together<shuffle>,
            .lanes = Lanes::two},
        Operation{.name = "ballot.u32",
            .step = "x = (lanes with odd x, a bit each, xor x) * 5 + c",
            .number = u32,
            .c = 0x9e3779b1,
            .needs = {Feature::ballot},
            .sass = "VOTE(\\..*)?",
            .gcn = "v_cmp_(ne|eq|lg|lt|gt)_[ui](32|64).*",
            .instructions = 4,
            .model = together<ballot>,
            .lanes = Lanes::subgroup},
        Operation{.name = "reduce.u32",
            .step = "x = sum of x over the subgroup + the lane's number",
            .number = u32,
            .needs = {Feature::reduce},
            .sass = "(C?REDUX|SHFL)(\\..*)?",
            .instructions = 48,
            .model = together<reduce>,
            .lanes = Lanes::subgroup},
        Operation{.name = "barrier.u32",
            .step = "all of a workgroup arrive, x = x * x + c",
            .number = u32,
            .c = 0x9e3779b1,
            .sass = "BAR(\\..*)?",
            .gcn = "s_barrier.*|p_barrier.*",
            .gen = "send\\S* signal barrier",
            .instructions = 3,
            .model = on_each_lane<U32, kSquareAdd>,
            .lanes = Lanes::workgroup},
        Operation{.name = "load-global.u32",
            .step = "x = table[x % 32][lane], of 4 KiB",
            .number = u32,
            .sass = "LDG?(\\..*)?",
            .gcn = "(global|flat|buffer)_load_(dword|b32).*",
            .gen = "send\\S* (load|untyped surface read).*",
            .instructions = 8,
            .table = "global",
            .model = load,
            .lanes = Lanes::subgroup},
        Operation{.name = "load-scratchpad.u32",
            .step = "x = table[x % 32][lane], of 4 KiB",
            .number = u32,
            .sass = "LDS(\\..*)?",
            .gcn = "ds_(read|load)_b32.*",
            .gen = "send\\S* (load\\.slm.*|untyped surface read.*slm)",
            .instructions = 6,
            .table = "scratchpad",
            .model = load,
            .lanes = Lanes::subgroup},
    };
    return operations;
}
} // namespace

std::span<const Operation> all_operations() { return table(); }

const Operation* find_operation(std::string_view name) {
    for (const std::span<const Operation> operations : {all_operations(), all_matrix_forms()})
        if (const auto found = std::ranges::find(operations, name, &Operation::name); found != operations.end())
            return &*found;
    return nullptr;
}

std::string_view to_text(Number number) {
    static constexpr std::array<std::string_view, 7> kNames{"u32", "u16", "u64", "f32", "f64", "f16x2", "bf16x2"};
    return kNames[static_cast<std::size_t>(number)];
}

std::string operation_form(const Operation& operation) {
    std::string word = "OP_" + std::string(operation.name);
    for (char& c : word)
        c = c == '.' || c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return word;
}

std::optional<std::string> why_lacking(const Device& device, const Operation& operation) {
    if (operation.lanes == Lanes::workgroup && device.info().cpu)
        return "a processor runs the work-items of a workgroup one after another";
    std::optional<std::string> reason;
    for (std::size_t i = 0; !reason && i < operation.needs.size(); ++i)
        reason = device.why_lacking(operation.needs[i], false);
    if (!reason && operation.matrix) reason = device.why_lacking(*operation.matrix);
    if (const MatrixForm* form = operation.matrix;
        !reason && form && form->operands == MatrixForm::Operands::columns && device.info().subgroup != form->n)
        reason = fmt::format("{} needs subgroups of {} lanes (--option subgroup={}), not of {}", operation.name,
            form->n, form->n, device.info().subgroup);
    if (!reason) reason = device.why_lacking(Feature::repeated_text, false);
    if (!reason && !operation.table.empty()) reason = device.why_not(path_named(operation.table));
    return reason;
}

namespace {
/// Results in a clock and core, of adding, multiplying and both in one of numbers of 32, 64 and 16 bits, of multiplying
/// integers, of bitwise operations, of special functions, which popcount and leading zeros are as fast as, and of
/// shuffles; 0: not documented as such. Not of adding integers: half of those are IMAD, of another unit, and come on
/// top.
struct DocumentedRates {
    int capability;
    double f32, f64, f16, multiplied, bitwise, special, shuffled = 32;
};
constexpr DocumentedRates kDocumented[] = {{30, 192, 8, 0, 32, 160, 32}, {35, 192, 64, 0, 32, 160, 32},
    {37, 192, 64, 0, 32, 160, 32}, {50, 128, 4, 0, 0, 128, 32}, {52, 128, 4, 0, 0, 128, 32},
    {53, 128, 4, 256, 0, 128, 32}, {60, 64, 32, 128, 0, 64, 16}, {61, 128, 4, 2, 0, 128, 32},
    {62, 128, 4, 256, 0, 128, 32}, {70, 64, 32, 128, 64, 64, 16}, {72, 64, 32, 128, 64, 64, 16},
    {75, 64, 2, 128, 64, 64, 16}, {80, 64, 32, 256, 64, 64, 16}, {86, 128, 2, 128, 64, 64, 16},
    {89, 128, 2, 128, 64, 64, 16}, {90, 128, 64, 256, 64, 64, 16}};
struct DocumentedOperation {
    std::string_view name;
    double DocumentedRates::*results;
    double counted = 1; // operations that a result is: two of a multiply-add
};
constexpr DocumentedOperation kDocumentedOperations[] = {{"fma.f32", &DocumentedRates::f32, 2},
    {"add.f32", &DocumentedRates::f32}, {"mul.f32", &DocumentedRates::f32}, {"fma.f64", &DocumentedRates::f64, 2},
    {"add.f64", &DocumentedRates::f64}, {"mul.f64", &DocumentedRates::f64}, {"fma.f16x2", &DocumentedRates::f16, 2},
    {"add.f16x2", &DocumentedRates::f16}, {"mul.f16x2", &DocumentedRates::f16},
    {"mul.u32", &DocumentedRates::multiplied}, {"mad.u32", &DocumentedRates::multiplied, 2},
    {"logic.u32", &DocumentedRates::bitwise}, {"rcp.f32", &DocumentedRates::special},
    {"rsqrt.f32", &DocumentedRates::special}, {"exp2.f32", &DocumentedRates::special},
    {"log2.f32", &DocumentedRates::special}, {"sine.f32", &DocumentedRates::special},
    {"popcount.u32", &DocumentedRates::special}, {"leading-zeros.u32", &DocumentedRates::special},
    {"shuffle.u32", &DocumentedRates::shuffled}};
} // namespace

std::optional<double> documented_rate(const Operation& operation, std::span<const Fact> facts) {
    const auto* row = std::ranges::find(kDocumented, compute_capability(facts), &DocumentedRates::capability);
    if (row == std::end(kDocumented)) return std::nullopt;
    const auto* known = std::ranges::find(kDocumentedOperations, operation.name, &DocumentedOperation::name);
    const double results = known == std::end(kDocumentedOperations) ? 0 : row->*known->results * known->counted;
    return results > 0 ? std::optional(results) : std::nullopt;
}

std::optional<double> documented_clock(const Operation& operation, std::span<const Fact> facts, std::uint32_t cores) {
    struct Documented { // MHz; `matrix`: of matrix units on numbers of less than 64 bits
        int capability;
        std::uint32_t cores;
        double core, matrix;
    };
    constexpr Documented kClocks[] = {{70, 80, 1530, 1530}, {80, 108, 1410, 1410}, {90, 132, 1980, 1830}};
    const double core_mhz = number_of_fact(facts, "core clock") / 1e3; // cards of one chip have several
    const auto row = std::ranges::find_if(kClocks, [&](const Documented& each) {
        return each.capability == compute_capability(facts) && each.cores == cores && each.core == core_mhz;
    });
    if (row == std::end(kClocks)) return std::nullopt;
    return operation.matrix && operation.matrix->in->bits < 64 ? row->matrix : row->core;
}

std::optional<double> documented_rate(const MatrixForm& form, std::span<const Fact> facts) {
    struct Documented { // multiply-adds in a clock and core
        int capability;
        double f16, s8, f8, bf16, tf32, f64, s4;
    };
    constexpr Documented kUnits[] = {{70, 512, 0, 0, 0, 0, 0, 0}, {75, 512, 1024, 0, 0, 0, 0, 2048},
        {80, 1024, 2048, 0, 1024, 512, 64, 4096}, {90, 2048, 4096, 4096, 2048, 1024, 128, 0}};
    const auto* row = std::ranges::find(kUnits, compute_capability(facts), &Documented::capability);
    if (row == std::end(kUnits)) return std::nullopt;
    const std::pair<const NumberFormat*, double> by_format[] = {{&kF16, row->f16}, {&kS8, row->s8}, {&kU8, row->s8},
        {&kS4, row->s4}, {&kU4, row->s4}, {&kE4m3, row->f8}, {&kE5m2, row->f8}, {&kBf16, row->bf16},
        {&kTf32, row->tf32}, {&kF64, row->f64}};
    for (const auto& [format, results] : by_format)
        if (format == form.in && results > 0) return results * 2 * (form.sparse ? 2 : 1);
    return std::nullopt;
}

std::uint64_t seeded(Number number, std::uint32_t seed) {
    return number == f64   ? std::uint64_t{seed} << 32
           : number == u64 ? std::uint64_t{seed} << 32 | seed
           : number == u16 ? seed & 0xffff
                           : seed;
}

// Far enough apart that chains differ at once, few enough that 256 of them stay between a quarter and one; products of
// odd numbers stay odd.
std::uint32_t first_seed(Number number) {
    return number == f32      ? 0x3e99999au
           : number == f64    ? 0x3fd33333u
           : number == f16x2  ? 0x34003400u
           : number == bf16x2 ? 0x3e803e80u
                              : 0x12345679u;
}
std::uint32_t seed_spacing(Number number) {
    return number == f16x2                  ? 0x00030003u
           : number == bf16x2               ? 0x00010001u
           : number == f32 || number == f64 ? 4097
                                            : 4100;
} // a multiple of four: lanes begin in one row of the table

std::uint32_t table_word(std::uint32_t row, std::uint32_t lane) {
    return ((row * kTableLanes + lane) * 2654435761u & ~(kTableRows - 1)) | (row * 5 + 7) % kTableRows;
} // all rows, one after another

double near_ulps(const Operation& operation, std::uint32_t chains) {
    const bool wide = operation.number == f64;
    const auto value_of = [&](std::uint64_t bits) { return wide ? as<double>(bits) : as<float>(bits); };
    const auto after = [&](double from, std::uint64_t steps) {
        ChainState lane{wide ? bits_of(from) : bits_of(static_cast<float>(from))};
        operation.model({&lane, 1}, operation.c, operation.d, steps);
        return value_of(lane.x);
    };
    const auto ulp = [&](double value) { return std::ldexp(1, std::ilogb(value) - (wide ? 52 : 23)); };
    constexpr double kHostsUlps = 1;
    const double x = after(1, 100), by = x / 64,
                 slope = std::abs(after(x + by, 1) - after(x - by, 1)) / (2 * by); // of the step at its fixed point
    const double function =
        x - value_of(operation.d ? operation.d : operation.c); // the last constant is what a step adds
    const double of_chain =
        ((operation.ulps + kHostsUlps) * ulp(function) + ulp(x)) / (1 - slope); // both round the sum by half an ulp
    if (wide) return of_chain * chains / ulp(x); // whose words are added without an error
    return (of_chain * chains + (chains - 1) * ulp(x * chains)) /
           ulp(x * chains); // and each addition of another chain rounds
}

double ulps_apart(const Operation& operation, std::uint32_t found, std::uint32_t expected) {
    if (operation.number == f64) return std::abs(static_cast<double>(static_cast<std::int32_t>(found - expected)));
    const double a = std::bit_cast<float>(found), b = std::bit_cast<float>(expected);
    return std::isfinite(a) ? std::abs(a - b) / std::ldexp(1, std::ilogb(b) - 23)
                            : std::numeric_limits<double>::infinity();
}

constexpr std::uint32_t kHighWord = 2654435761u; // one of these more or less is no small difference

std::uint32_t folded(const Operation& operation, std::span<const ChainState> chains) {
    if (operation.exactness == near && operation.number == f64) {
        std::uint32_t sum = 0;
        for (const ChainState& chain : chains)
            sum += static_cast<std::uint32_t>(chain.x) + static_cast<std::uint32_t>(chain.x >> 32) * kHighWord;
        return sum;
    }
    if (operation.exactness == near) {
        float sum = 0;
        for (const ChainState& chain : chains) sum += as<float>(chain.x);
        return std::bit_cast<std::uint32_t>(sum);
    }
    std::uint32_t word = 0;
    const auto add = [&](std::uint64_t bits) {
        word = word * 5 + static_cast<std::uint32_t>(bits);
        if (operation.number == f64 || operation.number == u64)
            word = word * 5 + static_cast<std::uint32_t>(bits >> 32);
    };
    for (const ChainState& chain : chains) add(chain.x), add(chain.y);
    return word;
}

} // namespace sonde
