// What independent stores and sums of products do with a footprint: the operations of STREAM and BabelStream as rows,
// timed and checked.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/traffic.h"

namespace sonde {

/// An operation of kernels/write.h: what it reads and writes of each element, in how many arrays.
struct StreamOperation {
    std::string_view name;
    int number; // OPERATION of the kernel
    std::uint32_t reads = 0, writes = 0, arrays = 1;
    bool of_numbers = false;      // else on words
    std::uint32_t operations = 0; // on numbers, of an element
    std::array<double, 2> factors = {
        0, 0}; // of numbers: what is written is the first array's element and the second's, times these

    bool sums() const { return writes == 0; } // products of both arrays' elements
    bool repeats() const {
        return reads > 0 && arrays == 1;
    } // what it wrote: rounds of several workgroups at a time would race
    std::uint32_t sources() const { return arrays - writes; } // of numbers
};
inline constexpr std::array kStreamOperations{
    StreamOperation{.name = "fill", .number = 1, .writes = 1, .arrays = 1},
    StreamOperation{.name = "copy", .number = 2, .reads = 1, .writes = 1, .arrays = 2},
    StreamOperation{.name = "modify", .number = 3, .reads = 1, .writes = 1, .arrays = 1},
    StreamOperation{.name = "scale",
        .number = 4,
        .reads = 1,
        .writes = 1,
        .arrays = 2,
        .of_numbers = true,
        .operations = 1,
        .factors = {3, 0}},
    StreamOperation{.name = "add",
        .number = 5,
        .reads = 2,
        .writes = 1,
        .arrays = 3,
        .of_numbers = true,
        .operations = 1,
        .factors = {1, 1}},
    StreamOperation{.name = "triad",
        .number = 6,
        .reads = 2,
        .writes = 1,
        .arrays = 3,
        .of_numbers = true,
        .operations = 2,
        .factors = {1, 3}},
    StreamOperation{.name = "dot", .number = 7, .reads = 2, .arrays = 2, .of_numbers = true, .operations = 2},
};

/// What operations on numbers work on: random ones from 1 to 2.
struct StreamNumber {
    std::string_view name, define; // "f64", "TYPE_F64"
    std::uint32_t words, mantissa_bits;
    std::uint32_t factor_bits; // of a mantissa, random in factors of a sum of products: which then is exact
    std::optional<Feature> needs = {};

    /// What makes random words such numbers, the last `bits` of whose mantissa are random.
    FillPattern pattern(std::uint32_t bits) const;
};
inline constexpr std::array kStreamNumbers{
    StreamNumber{"f64", "TYPE_F64", 2, 52, 12, Feature::float64}, StreamNumber{"f32", "TYPE_F32", 1, 23, 1}};

/// FACTOR of kernels/write.h: the scalar is a constant of its text, an argument, or loaded for each tile from constant
/// memory, by all lanes from one address.
enum class Factor { literal, argument, constant };

/// A row of each; `type` is null for operations on words.
struct Writing {
    const StreamOperation* operation;
    const StreamNumber* type = nullptr;
    Factor factor = Factor::literal;
    std::string text() const; // "triad f64"
};

/// Independent stores to a footprint, alone or behind loads, or sums of products, timed; what stands there afterwards
/// is held against what the host expects.
class Writer {
public:
    Writer(Bench& bench, const Kernel& kernel, const Geometry& geometry, Writing writing);
    /// Everything from here on works on `bytes` of `memory` (rounded to what tiles allow, all arrays included), which
    /// is filled anew. False: these are less than a tile for each workgroup.
    bool aim(Buffer& memory, std::uint64_t bytes);
    /// Whether `bytes` are a tile for each workgroup or more, and few enough for a slope between two dispatches of
    /// whole rounds; or what a workgroup for each tile takes.
    bool takes(std::uint64_t bytes) const;
    std::uint64_t footprint() const { return elements() * geometry_.width * 4 * operation().arrays; }
    /// `count` tiles by each workgroup, a multiple of `granule()`, or passes. Throws Error where the memory does not
    /// hold what it should. Steps are bytes moved: read and written ones count both.
    Sample timed(std::uint32_t count);
    std::uint32_t granule() const { return geometry_.once ? 1 : own_; } // once: `count` is passes
    std::uint32_t most() const;
    /// What the smallest dispatch over `bytes` moves: all of them, read and written.
    std::uint64_t least_bytes(std::uint64_t bytes) const {
        return bytes * (operation().reads + operation().writes) / operation().arrays;
    }
    const Geometry& geometry() const { return geometry_; }

private:
    /// What the host expects of numbers, by how often a product and a sum are rounded.
    struct Rounded {
        const char* rounding;
        PeriodicSum results; // of the words of what is written, or of products
    };

    const StreamOperation& operation() const { return *writing_.operation; }
    std::uint32_t scalar() const { return static_cast<std::uint32_t>(operation().factors[0]); }
    bool in_scratchpad() const { return bench_.path.stage == Stage::scratchpad; }
    std::uint32_t
    trips() const; // tiles of a workgroup in one dispatch at the most: the driver's loop cap, or where sums are exact
    std::uint32_t apart() const {
        return in_scratchpad() || geometry_.once ? 1 : geometry_.shape.groups;
    } // workgroups with tiles of their own
    std::uint64_t least() const { return geometry_.tile_bytes() * operation().arrays * apart(); }
    std::uint64_t elements() const { return std::uint64_t{own_} * geometry_.tile() * apart(); } // of one array
    std::uint32_t sides() const { return in_scratchpad() ? geometry_.shape.groups : 1; } // memories that look alike
    std::size_t result_words() const;
    FillPattern pattern() const;
    void fill();
    void expect_numbers();
    std::uint64_t found(const std::vector<std::uint32_t>& out);
    void check_marks(std::uint32_t groups);
    std::uint32_t expected_words(std::uint32_t count) const;
    std::uint64_t expected_numbers(const Rounded&, std::uint32_t count) const;
    void check(const std::vector<std::uint32_t>& out, std::uint32_t count);

    Bench& bench_;
    const Kernel& kernel_;
    Geometry geometry_;
    const Writing writing_;
    std::optional<MemorySum> summer_; // none in a scratchpad, whose words only the workgroup itself can count
    std::unique_ptr<Buffer> result_, factors_;
    Buffer* memory_ = nullptr;
    std::optional<FillSum> fill_;
    std::vector<Rounded> rounded_;                            // those that all outputs since `aim` agree with
    bool written_ = false;                                    // since it was filled
    std::uint32_t own_ = 0, seed_ = 0, salt_ = 0, grown_ = 0; // tiles of a workgroup; of the fill; changes with every
                                                              // dispatch; by how much `modify` let the sum grow
};

/// The kernel `write` for that shape.
KernelChoice write_kernel(const DeviceInfo&, const Path&, const LaunchShape&, std::uint32_t width, Writing);

} // namespace sonde
