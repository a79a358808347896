// Conformance, once per device of every backend: what steps of workloads leave, all of it against the host's.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "core/measure/chain.h"
#include "core/measure/fft.h"
#include "core/measure/gemm_matrix.h"
#include "core/measure/lattice.h"
#include "core/probes/probe.h"
#include "tests/backends/conformance.h"
#include "tests/host_fft.h"

namespace sonde {

namespace {
std::unique_ptr<Kernel> compiled_workload(Device& device, const KernelChoice& choice, const Path& path) {
    return device.compile(kernel_source(choice.name), choice.build(path));
}

/// What the cells of all arrays add up to, as kernels/mass.h counts it.
void check_mass(Device& device, const Path& path, const Buffer& lattice, const Words& numbers,
    const kernel_args::Mass& args, const Share& share) {
    const auto kernel = compiled(device, "mass", path, share.group_size, {{"TYPE_F32", "1"}});
    const std::size_t items = std::size_t{share.group_size} * share.groups;
    const auto sums = untouched(device, items);
    launch(device, *kernel, args, *sums, {.a = &lattice, .groups = share.groups});
    uint expected = 0, sum = 0;
    for (uint array = 0; array < args.arrays; ++array)
        for (uint cell = 0; cell < args.cells; ++cell)
            expected += std::bit_cast<uint>(std::bit_cast<float>(numbers[array * args.stride + cell]) + 128) & 0x7fffff;
    for (const uint each : downloaded(device, *sums, items)) sum += each;
    CHECK(sum == expected);
}

/// Two steps in a box whose sides differ; a cell's number is between `least` and twice that at first.
void check_steps(Device& device, const Path& path, const LatticeMethod& method, uint cells) {
    CAPTURE(std::string(method.kernel));
    CAPTURE(cells);
    const Box box(cells);
    const auto stride = static_cast<uint>(box.stride());
    const Share share = share_of(device.info(), cells);
    const auto kernel = compiled_workload(device, lattice_kernel(device.info(), method), path);
    Words first(std::size_t{stride} * method.arrays), flags(cells / 4);
    for (std::size_t word = 0; word < first.size(); ++word)
        first[word] = std::bit_cast<uint>(method.least) | (fill_word(word, 1u << 20, kSeed) & 0x7fffff);
    for (uint cell = 0; cell < cells; ++cell) flags[cell / 4] |= (box.is_solid(cell) ? 255u : 0u) << cell % 4 * 8;
    const auto a = uploaded(device, Space::global, first), b = untouched(device, first.size()),
               flag = uploaded(device, Space::global, flags);
    check_mass(device, path, *a, first, {.arrays = method.arrays, .stride = stride, .cells = cells}, share);
    const kernel_args::Lbm args{
        .row = box.row, .plane = box.plane, .cells = box.cells, .own = share.own, .stride = stride};
    launch(device, *kernel, args, *b, {.a = a.get(), .b = flag.get(), .groups = share.groups});
    launch(device, *kernel, args, *a, {.a = b.get(), .b = flag.get(), .groups = share.groups});
    std::vector<double> numbers(first.size());
    std::ranges::transform(first, numbers.begin(), [](uint word) { return double{std::bit_cast<float>(word)}; });
    for (int step = 0; step < 2; ++step) {
        std::vector<double> next(numbers.size()), around(method.neighbours.size()), own(method.arrays);
        for (uint cell = 0; cell < cells; ++cell) {
            std::ranges::transform(method.neighbours, around.begin(),
                [&](const Neighbour& each) { return numbers[each.array * stride + box.at(cell, each)]; });
            method.update(around, method.has_flags && box.is_solid(cell), own);
            for (uint array = 0; array < method.arrays; ++array) next[array * stride + cell] = own[array];
        }
        numbers = next;
    }
    const Words found = downloaded(device, *a, first.size()), between = downloaded(device, *b, first.size());
    uint wrong = 0, touched = 0;
    for (uint array = 0; array < method.arrays; ++array)
        for (uint cell = 0; cell < stride; ++cell) {
            const std::size_t at = std::size_t{array} * stride + cell;
            if (cell < cells) wrong += !(std::abs(double{std::bit_cast<float>(found[at])} - numbers[at]) < 1e-5);
            else touched += between[at] != kUntouched;
        }
    CHECK(wrong == 0);
    CHECK(touched == 0);
}
} // namespace

CONFORMANCE(workload_lbm, "global") {
    for (const uint cells : {1u << 12, 1u << 14}) check_steps(device, path, kLatticeBoltzmann, cells);
}

CONFORMANCE(workload_stencil, "global") {
    for (const uint cells : {1u << 12, 1u << 14}) check_steps(device, path, kSevenPoints, cells);
}

CONFORMANCE(workload_gather, "global") {
    constexpr uint kTable = 1u << 10, kRows = 1u << 13, kGathers = 8;
    const KernelChoice choice = find_probe("workload.gather")->kernel(device.info(), path, {});
    const auto kernel = compiled_workload(device, choice, path);
    const Share share = share_of(device.info(), kRows);
    Words table(kTable), places(std::size_t{kRows} * kGathers);
    for (uint word = 0; word < kTable; ++word) table[word] = fill_word(word, 1u << 20, kSeed);
    for (uint place = 0; place < places.size(); ++place) places[place] = scrambled(place, kSeed) % kTable;
    const auto a = uploaded(device, Space::global, table), b = uploaded(device, Space::global, places),
               out = untouched(device, kRows + 1);
    launch(device, *kernel, kernel_args::Gather{.rows = kRows, .own = share.own}, *out,
        {.a = a.get(), .b = b.get(), .groups = share.groups});
    Words expected(kRows, 0);
    for (uint place = 0; place < places.size(); ++place) expected[place % kRows] += table[places[place]];
    expected.push_back(kUntouched);
    CHECK(downloaded(device, *out, kRows + 1) == expected);
}

CONFORMANCE(workload_histogram, "global", "scratchpad") {
    constexpr uint kBins = 256, kWords = 1u << 14, kGroups = 3, kOwn = kWords / 4; // a quarter is nobody's
    const bool local = path.stage == Stage::scratchpad;
    const auto kernel =
        compiled_workload(device, find_probe("workload.histogram")->kernel(device.info(), path, {}), path);
    Words words(kWords);
    for (uint word = 0; word < kWords; ++word) words[word] = fill_word(word, 1u << 20, kSeed);
    const auto b = uploaded(device, Space::global, words);
    for (const auto& [shift, mask] : {std::pair{0u, 255u}, {8u, 255u}, {0u, 0u}}) {
        CAPTURE(shift);
        CAPTURE(mask);
        const auto a = uploaded(device, Space::global, Words(kBins, 7)), out = untouched(device, kGroups * kBins + 1);
        launch(device, *kernel, kernel_args::Histogram{.own = kOwn, .shift = shift, .mask = mask, .bins = kBins}, *out,
            {.a = a.get(), .b = b.get(), .groups = kGroups, .scratchpad_bytes = local ? kBins * 4 : 0});
        Words counts(kGroups * kBins, 0), all(kBins, 7);
        for (uint word = 0; word < kGroups * kOwn; ++word) {
            const uint bin = words[word] & (words[word] >> shift) & mask;
            ++counts[word / kOwn * kBins + bin], ++all[bin];
        }
        counts.push_back(kUntouched);
        if (local) CHECK(downloaded(device, *out, counts.size()) == counts);
        else CHECK(downloaded(device, *a, kBins) == all);
    }
}

CONFORMANCE(workload_gemm, "scratchpad") {
    const GemmTiles own = gemm_tiles(device.info()), large{128}; // a processor takes a GPU's tiles as well
    std::vector<std::pair<GemmTiles, uint>> cases{{own, 2 * std::max(own.side, 16u)}};
    if (own.side != large.side && large.items() <= device.info().largest_group &&
        large.scratchpad_bytes() <= device.info().scratchpad_bytes)
        cases.emplace_back(large, large.side);
    const auto number = [](uint place, uint seed) {
        return static_cast<float>(static_cast<int>(scrambled(place, seed) >> 29) - 4);
    };
    for (const auto& [tiles, rows] : cases) {
        const uint side = tiles.side, words = rows * rows;
        CAPTURE(side);
        const auto kernel = compiled_workload(device, gemm_kernel(tiles), path);
        Words a_words(words), b_words(words), expected(words);
        for (uint place = 0; place < words; ++place)
            a_words[place] = std::bit_cast<uint>(number(place, kSeed)),
            b_words[place] = std::bit_cast<uint>(number(place, kSeed + 1));
        for (uint row = 0; row < rows; ++row)
            for (uint column = 0; column < rows; ++column) {
                float sum = 0;
                for (uint k = 0; k < rows; ++k)
                    sum += number(k * rows + row, kSeed) * number(k * rows + column, kSeed + 1);
                expected[row * rows + column] = std::bit_cast<uint>(sum);
            }
        const auto a = uploaded(device, Space::global, a_words), b = uploaded(device, Space::global, b_words),
                   c = untouched(device, words + 1);
        launch(device, *kernel, kernel_args::Gemm{.n = rows}, *c,
            {.a = a.get(), .b = b.get(), .groups = tiles.groups(rows), .scratchpad_bytes = tiles.scratchpad_bytes()});
        expected.push_back(kUntouched);
        CHECK(downloaded(device, *c, words + 1) == expected);
    }
}

namespace {
/// Products of lines in 16 bits: a whole C, and a word behind it, against the host's.
void check_matrix_product(Device& device, const Path& path, const Source& source, const KernelChoice& choice,
    const MatrixTiles& tiles, uint scratchpad_bytes) {
    const uint rows = 2 * std::max(tiles.rows(), tiles.columns());
    const ExactNumbers& numbers = exact_numbers(*tiles.form.in);
    Words a_words(rows * rows / 2), b_words(a_words.size()), expected(rows * rows + 1, kUntouched);
    std::vector<float> a_numbers(rows * rows), b_numbers(a_numbers.size());
    for (uint word = 0; word < a_words.size(); ++word)
        a_words[word] = fill_word(word, 1u << 31, kSeed, numbers.pattern),
        b_words[word] = fill_word(word, 1u << 31, kSeed + 1, numbers.pattern);
    for (uint place = 0; place < a_numbers.size(); ++place)
        a_numbers[place] = static_cast<float>(numbers.at(place, kSeed)),
        b_numbers[place] = static_cast<float>(numbers.at(place, kSeed + 1));
    for (uint row = 0; row < rows; ++row)
        for (uint column = 0; column < rows; ++column) {
            float sum = 0;
            for (uint k = 0; k < rows; ++k) sum += a_numbers[row * rows + k] * b_numbers[column * rows + k];
            expected[row * rows + column] = std::bit_cast<uint>(sum);
        }
    const auto kernel = device.compile(source, choice.build(path));
    const auto a = uploaded(device, Space::global, a_words), b = uploaded(device, Space::global, b_words),
               c = untouched(device, expected.size());
    launch(device, *kernel, kernel_args::GemmMatrix{.n = rows}, *c,
        {.a = a.get(), .b = b.get(), .groups = tiles.groups(rows), .scratchpad_bytes = scratchpad_bytes});
    CHECK(downloaded(device, *c, expected.size()) == expected);
}

/// AMD's wmma by loops, for compilers of OpenCL that have no such builtin: lanes tell each other their rows of A and B
/// behind the tiles.
constexpr std::string_view kUnits = R"(
#define VENDOR_AMD
#define half16 ushort16
#define LINES ((__local float*)(scratchpad + 2u * STEP_ELEMENTS))
float8 multiplied(__local float* lines, uint lane, ushort16 x, ushort16 y, float8 z) {
    ushort of_x[16], of_y[16];
    vstore16(x, 0, of_x);
    vstore16(y, 0, of_y);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0u; k < 16u; k += 1u) {
        lines[lane % 16u * 32u + k] = vload_half(k, (half*)of_x);
        lines[lane % 16u * 32u + 16u + k] = vload_half(k, (half*)of_y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sums[8];
    vstore8(z, 0, sums);
    for (uint r = 0u; r < 8u; r += 1u)
        for (uint k = 0u; k < 16u; k += 1u)
            sums[r] += lines[(r * 2u + lane / 16u) * 32u + k] * lines[lane % 16u * 32u + 16u + k];
    return vload8(0, sums);
}
#define __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x, y, z) multiplied(LINES + TEAM * 512u, LOCAL_ID % 32u, x, y, z)
)";
} // namespace

/// Every matrix form of products that the device has, and on processors through OpenCL one whose builtin the test
/// gives.
CONFORMANCE(workload_gemm_matrix, "scratchpad") {
    for (const Operation& operation : all_matrix_forms())
        if (is_form_of_products(operation) && !why_lacking(device, operation)) {
            CAPTURE(std::string(operation.name));
            const MatrixTiles tiles = matrix_tiles(device.info(), *operation.matrix);
            check_matrix_product(device, path, kernel_source("gemm_matrix"),
                gemm_matrix_kernel(device.info(), operation), tiles, tiles.scratchpad_bytes());
        }
    constexpr uint kLineBytes = 512 * 4;
    DeviceInfo info = device.info();
    if (info.api != "opencl" || !info.cpu || info.largest_group < 256) return;
    info.subgroup = 32, info.scratchpad_bytes = std::min(info.scratchpad_bytes, 64u << 10);
    const Operation& operation = *find_operation("wmma.f16.f32.m16n16k16");
    const MatrixTiles tiles = matrix_tiles(info, *operation.matrix);
    KernelChoice choice = gemm_matrix_kernel(info, operation);
    if (tiles.scratchpad_bytes() + choice.group_size / 32 * kLineBytes > device.info().scratchpad_bytes)
        return; // oclgrind's has 32 KiB
    choice.needs.clear();
    check_matrix_product(device, path, {"gemm_matrix", std::string(kUnits) + kernel_source("gemm_matrix").text}, choice,
        tiles, tiles.scratchpad_bytes() + choice.group_size / 32 * kLineBytes);
}

/// Of each format that the vendor's library takes; where it takes none, each reason stands once.
CONFORMANCE(library_product, "global") {
    constexpr uint kRows = 64;
    std::set<std::string> refused;
    for (const NumberFormat* format : {&kF32, &kTf32, &kF16, &kBf16, &kE4m3}) {
        CAPTURE(std::string(format->name));
        LibraryKernel product;
        try {
            product = device.library_kernel(ProductShape{*format, kRows});
        } catch (const Unsupported& reason) {
            CHECK(std::string_view(reason.what()).find('\n') == std::string_view::npos);
            refused.insert(reason.what());
            continue;
        }
        const ExactNumbers& numbers = exact_numbers(*format);
        Words a_words(kRows * kRows / numbers.in_word()), b_words(a_words.size()), expected(kRows * kRows);
        for (uint word = 0; word < a_words.size(); ++word)
            a_words[word] = fill_word(word, 1u << 31, kSeed, numbers.pattern),
            b_words[word] = fill_word(word, 1u << 31, kSeed + 1, numbers.pattern);
        for (uint row = 0; row < kRows; ++row)
            for (uint column = 0; column < kRows; ++column) {
                double sum = 0;
                for (uint k = 0; k < kRows; ++k)
                    sum += numbers.at(row * kRows + k, kSeed) * numbers.at(column * kRows + k, kSeed + 1);
                expected[column * kRows + row] = std::bit_cast<uint>(static_cast<float>(sum));
            }
        const auto a = uploaded(device, Space::global, a_words), b = uploaded(device, Space::global, b_words),
                   c = untouched(device, expected.size() + 1);
        const Launch launch{.kernel = *product.kernel, .a = a.get(), .b = b.get(), .out = *c};
        device.run({&launch, 1});
        expected.push_back(kUntouched);
        CHECK(downloaded(device, *c, expected.size()) == expected);
    }
    for (const std::string& reason : refused) MESSAGE(device.info().id, ": ", reason);
}

/// Transforms by a library, forwards and back in place; where it does none, the reason is one line.
CONFORMANCE(library_transform, "global") {
    for (const std::size_t n : {std::size_t{256}, std::size_t{1} << 15}) { // one pass, or several
        CAPTURE(n);
        const std::size_t count = (1u << 16) / n;
        LibraryKernel transform;
        try {
            transform = device.library_kernel(TransformShape{n, count});
        } catch (const Unsupported& reason) {
            CHECK(std::string_view(reason.what()).find('\n') == std::string_view::npos);
            MESSAGE(device.info().id, ": ", reason.what());
            return;
        }
        std::vector<std::complex<float>> expected(n * count);
        for (uint point = 0; point < expected.size(); ++point)
            expected[point] = {static_cast<float>(scrambled(point, kSeed) % 256) / 256,
                static_cast<float>(scrambled(point, kSeed + 1) % 256) / 256};
        Words words(2 * expected.size());
        std::memcpy(words.data(), expected.data(), words.size() * 4);
        words.push_back(kUntouched);
        const auto points = uploaded(device, Space::global, words);
        for (const uint back : {0u, 1u}) {
            const Launch launch{.kernel = *transform.kernel, .out = *points, .args = {&back, 1}};
            device.run({&launch, 1});
            for (std::size_t each = 0; each < count; ++each) host_transform(expected.data() + each * n, n, back != 0);
            const Words found = downloaded(device, *points, words.size());
            CHECK(found.back() == kUntouched);
            double wrong = 0;
            for (std::size_t point = 0; point < expected.size(); ++point) {
                const std::complex<double> own(
                    std::bit_cast<float>(found[2 * point]), std::bit_cast<float>(found[2 * point + 1]));
                wrong = std::max(wrong, std::abs(own - std::complex<double>(expected[point])) /
                                            (back ? 1 : std::sqrt(static_cast<double>(n))));
            }
            CHECK(wrong < 1e-5);
        }
    }
}

CONFORMANCE(workload_fft, "scratchpad") {
    constexpr uint kPoints = 1u << 13;
    FftPasses passes = fft_passes(device.info());
    std::vector<std::complex<float>> start(kPoints);
    for (uint point = 0; point < kPoints; ++point)
        start[point] = {static_cast<float>(scrambled(point, kSeed) % 256) / 256,
            static_cast<float>(scrambled(point, kSeed + 1) % 256) / 256};
    Words words(2 * kPoints);
    std::memcpy(words.data(), start.data(), words.size() * 4);
    for (const uint n_bits : {4u, 8u, 9u, 13u}) { // radix 2 at the end or not, and several passes
        CAPTURE(n_bits);
        if (n_bits > 8 && device.info().largest_group >= 256) passes.items = 256; // of processors as well
        const auto kernel = compiled_workload(device, fft_kernel(passes), path);
        const uint n = 1u << n_bits;
        std::unique_ptr<Buffer> from = uploaded(device, Space::global, words), to = untouched(device, words.size() + 1);
        const auto roots = uploaded(device, Space::global, passes.roots(n_bits));
        std::vector<std::complex<float>> found(kPoints);
        double wrong = 0;
        for (const bool inverse : {false, true}) {
            for (const auto& args : passes.args(n_bits, inverse)) {
                launch(device, *kernel, args, *roots,
                    {.a = from.get(),
                        .b = to.get(),
                        .groups = kPoints / passes.points,
                        .scratchpad_bytes = passes.scratchpad_bytes()});
                std::swap(from, to);
            }
            std::memcpy(
                static_cast<void*>(found.data()), downloaded(device, *from, words.size()).data(), words.size() * 4);
            for (uint point = 0; point < kPoints; point += inverse ? 1 : 1009) { // some frequencies of some transforms
                std::complex<double> sum = inverse ? std::complex<double>(start[point]) : 0;
                for (uint j = 0; !inverse && j < n; ++j)
                    sum += std::complex<double>(start[point / n * n + j]) *
                           std::polar(1.0, -2 * std::numbers::pi * (j * (point % n) % n) / n);
                wrong =
                    std::max(wrong, std::abs(sum - std::complex<double>(found[point])) / (inverse ? 1 : std::sqrt(n)));
            }
        }
        CHECK(wrong < 1e-5);
    }
}

CONFORMANCE(distances, "global") {
    constexpr uint kNumbers = 1000;
    const uint size = std::min(32u, device.info().largest_group);
    Words left(kNumbers), right(kNumbers);
    for (uint place = 0; place < kNumbers; ++place)
        left[place] = std::bit_cast<uint>(static_cast<float>(place)),
        right[place] = std::bit_cast<uint>(static_cast<float>(place) + (place % 2 ? 0.25f : -0.5f));
    right[700] = std::bit_cast<uint>(1000.0f);
    const auto a = uploaded(device, Space::global, left), b = uploaded(device, Space::global, right),
               out = untouched(device, size + 1);
    const auto kernel = device.compile(kernel_source("distances"),
        Build{.a = &path, .b = &path, .group_size = size, .defines = {{"TYPE_F32", "1"}, {"WIDE_B", "1"}}});
    launch(device, *kernel, kernel_args::Distances{.words = kNumbers}, *out, {.a = a.get(), .b = b.get()});
    float largest = 0;
    const Words found = downloaded(device, *out, size + 1);
    for (uint item = 0; item < size; ++item) largest = std::max(largest, std::bit_cast<float>(found[item]));
    CHECK(largest == 300);
    CHECK(found[size] == kUntouched);
}

CONFORMANCE(row_products, "global") {
    constexpr uint kRows = 5, kColumns = 300;
    const uint size = std::min(64u, device.info().largest_group);
    Words matrix(kRows * kColumns), expected(kRows, 0);
    for (uint place = 0; place < matrix.size(); ++place) {
        const int whole = static_cast<int>(scrambled(place, kSeed) >> 10) - (1 << 21); // of 256ths
        matrix[place] = std::bit_cast<uint>(static_cast<float>(whole) / 256);
        expected[place / kColumns] += static_cast<uint>(whole) * scrambled(place % kColumns, kSeed + 1);
    }
    const auto a = uploaded(device, Space::global, matrix), out = untouched(device, kRows + 1);
    launch(device, *compiled(device, "row_products", path, size, {{"TYPE_F32", "1"}}),
        kernel_args::RowProducts{.rows = kRows, .columns = kColumns, .seed = kSeed + 1}, *out, {.a = a.get()});
    expected.push_back(kUntouched);
    CHECK(downloaded(device, *out, kRows + 1) == expected);
}

} // namespace sonde
