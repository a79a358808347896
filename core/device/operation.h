// Operations: what a kernel computes between two values of a chain. An operation is a row of a table and a form in
// kernels/operations.h; a step of its chain is a recurrence that no compiler can shorten.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device.h"

namespace sonde {

struct MatrixForm;

/// A chain's values are bit patterns of this type; f16x2 and bf16x2 are two numbers in a word.
enum class Number { u32, u16, u64, f32, f64, f16x2, bf16x2 };

/// The values that a work-item's chain carries, as bits. y: of recurrences with two values, else unused.
struct ChainState {
    std::uint64_t x = 0, y = 0;
};

/// exact: bit for bit as the host computes it. rounded: in one of two ways (`roundings`), each of which the host
/// computes as well, and one of them fits. near: the chain goes to a fixed point, which the host's comes near to
/// (near_ulps).
enum class Exactness { exact, rounded, near };

struct Operation {
    std::string_view name; // "fma.f32": what, and on which type
    std::string_view step; // the recurrence, for a reader
    Number number;
    Exactness exactness = Exactness::exact;
    double work = 1; // operations that a step counts as, for one work-item: a fused multiply-add is two, on a pair of
                     // numbers four
    std::uint32_t in_step = 1;  // times that the operation itself stands in a step
    std::uint64_t c = 0, d = 0; // constants of the recurrence, as bits
    std::vector<Feature> needs = {};
    std::string_view sass = "", gcn = "",
                     gen = "";    // mnemonics of the instruction, as expressions; empty: it has no single one
    std::string_view of_one = ""; // of pairs: instructions of one number, of chips that have none of both
    std::uint32_t instructions =
        2; // of a step, of the compiler that takes most: how long a loop fits the first instruction cache
    double ulps =
        0; // of `near`: error of the operation that some form of it is allowed, in units of the last place of its type
    std::string_view errors = ""; // that languages allow, where they differ
    std::string_view table =
        ""; // the path that it loads a table through (kernels/arithmetic.h); empty: it loads nothing
    /// Steps of work-items that exchange values: neighbours of an even number, or a whole subgroup; of all others
    /// alone.
    using Model = void (*)(std::span<ChainState>, std::uint64_t c, std::uint64_t d, std::uint64_t steps);
    Model model, model_otherwise = nullptr;                     // the latter where `exactness` is rounded
    std::array<std::string_view, 2> roundings{"once", "twice"}; // what evidence calls these two
    enum class Lanes {
        one,
        two,
        subgroup,
        workgroup
    } lanes = Lanes::one; // that take part in it, and that `model` needs; of a workgroup each lane's alone
    const MatrixForm* matrix =
        nullptr; // of matrix units (core/device/matrix_form.h), which have no model of single lanes; null: arithmetic
    std::string_view instruction = ""; // of matrix units: of which this is a shape, with its numbers: "mma"
};

/// "f32"
std::string_view to_text(Number);

/// Whether compilers make a sequence of many instructions of a step, which holds the operation's own once or more.
inline bool is_sequence(const Operation& operation) { return operation.instructions >= 16; }

/// All operations of arithmetic, in the order in which tables show them.
std::span<const Operation> all_operations();
/// Of arithmetic or of matrix units; nullptr when there is no operation of that name.
const Operation* find_operation(std::string_view name);
/// Its form's name in kernels/operations.h or kernels/matrix_forms.h: fma.f32 -> "OP_FMA_F32".
std::string operation_form(const Operation&);

/// nullopt: the device has what the operation needs. Else the reason, for a person.
std::optional<std::string> why_lacking(const Device&, const Operation&);

/// Operations that the vendor documents for a core and clock, a fused multiply-add counted as two; nullopt: the facts
/// do not name the chip, or its vendor documents none. Of NVIDIA's: CUDA C++ Programming Guide, "Throughput of Native
/// Arithmetic Instructions".
std::optional<double> documented_rate(const Operation&, std::span<const Fact>);
/// The clock in MHz that the vendor's peak of a card of so many cores is stated at, of arithmetic or a matrix form;
/// nullopt: not known. Of NVIDIA's: whitepapers of Volta, A100 and H100.
std::optional<double> documented_clock(const Operation&, std::span<const Fact>, std::uint32_t cores);

/// The bits of a number of that type that a kernel makes of the word `seed` (VALUE_OF in kernels/operations.h); and the
/// words between two seeds.
std::uint64_t seeded(Number, std::uint32_t seed);
std::uint32_t first_seed(Number);
std::uint32_t seed_spacing(Number);
/// The table of operations that load: 32 rows of a word for each of 32 lanes. The low bits of a word are the next row,
/// the others its own.
inline constexpr std::uint32_t kTableRows = 32, kTableLanes = 32;
std::uint32_t table_word(std::uint32_t row, std::uint32_t lane);
/// What a kernel adds the last values of a work-item's chains up to (END in kernels/operations.h): of `near` operations
/// the bits of a float, of those of f64 the sum of their words, which counts units of the last place.
std::uint32_t folded(const Operation&, std::span<const ChainState> chains);
/// How far such a sum of so many chains of a `near` operation may be from the host's, in units of its last place (of
/// f64 a chain's): an iterate's error is at most a step's / (1 - |f'|), f' the derivative of the step at its fixed
/// point.
double near_ulps(const Operation&, std::uint32_t chains);
/// How far it is.
double ulps_apart(const Operation&, std::uint32_t found, std::uint32_t expected);

} // namespace sonde
