// Workloads on a modelled card: what a unit of work demands, and that what is wrong in memory fails the series.
#include <bit>
#include <cmath>

#include <doctest/doctest.h>

#include "core/measure/fft.h"
#include "core/measure/gemm_matrix.h"
#include "core/measure/lattice.h"
#include "tests/model/measured.h"
#include "tests/model/model_device.h"

using namespace sonde;

namespace {
CardModel small_card() {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.memory_bytes = 32 << 20;
    return card;
}

class Unheard final : public Reporter {
public:
    void step(const std::string&) override {}
    void samples(double, const std::vector<Sample>&) override {}
};

/// A bench that measures by hand.
struct ByHand {
    std::unique_ptr<Device> device = model_device(small_card(), 1);
    Request request{.id = {"workload.lbm", "model:0", "global", {}}};
    Unheard unheard{};
    DeviceHistory history{};
    Bench bench{*device, history, *find_path("global"), request, *find_profile("quick"), unheard};
    ~ByHand() { history.kernels.clear(); }

    /// Runs so many steps; the launch of the last one.
    Launch steps(const Workload& workload, std::uint64_t count) {
        std::vector<Launch> launches;
        for (std::uint64_t step = 0; step < count; ++step) workload.append(launches, step);
        bench.launch_all(launches, 1);
        return launches.back();
    }
};
} // namespace

TEST_CASE("workload.lbm: 153 bytes of a cell, checked, by cells up to what the memory holds") {
    const auto device = model_device(small_card(), 1);
    const Series series = measured(*device, "workload.lbm", "global", "quick", 1);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    REQUIRE(series.points.size() == 2);
    CHECK(series.points[0].x == 1 << 13);
    CHECK(series.points[1].x == 1 << 16); // twice as many are more than half of the memory
    REQUIRE(series.evidence.demand.size() == 2);
    for (const Demand& demand : series.evidence.demand) CHECK(demand.read_bytes + demand.written_bytes == 153);
    CHECK(series.evidence.demand[1].from_x == 1 << 16);
    CHECK(series.evidence.demand[1].footprint_bytes == doctest::Approx(153 << 16).epsilon(0.02));
    CHECK(series.evidence.output_checked.find("conserved") != std::string::npos);
    CHECK(series.points[1].samples.at(1).steps / series.points[1].samples.at(0).steps >= 2);
    const auto found = findings_of(probe_named("workload.lbm"), series, device->info());
    REQUIRE(found.size() == 1);
    CAPTURE(found[0].text);
    CHECK(found[0].text.find("LUP/s at 65536") != std::string::npos);
    CHECK(found[0].text.ends_with(". Update of a cell: 77 bytes read, 76 bytes written, 184 operations"));
}

TEST_CASE("lattices: right steps pass, a cell that is off, or a step too few, does not") {
    for (const LatticeMethod* method : {&kLatticeBoltzmann, &kSevenPoints}) {
        CAPTURE(std::string(method->kernel));
        ByHand by_hand;
        Lattice lattice(by_hand.bench, *method, lattice_kernel(by_hand.bench.info, *method), 4096);
        CHECK_NOTHROW(lattice.check(0));
        const Launch last = by_hand.steps(lattice, 3);
        CHECK_NOTHROW(lattice.check(3));
        CHECK_THROWS_WITH_AS(lattice.check(4), doctest::Contains("of cell "), Error);
        const auto words = by_hand.bench.read_words(last.out, 64);
        auto other = words;
        for (std::uint32_t& word : other) word = 0;
        by_hand.bench.write_words(last.out, other);
        CHECK_THROWS_WITH_AS(lattice.check(3), doctest::Contains("the sum over all cells is off by"), Error);
        std::ranges::reverse_copy(words, other.begin()); // as much as before
        by_hand.bench.write_words(last.out, other);
        CHECK_THROWS_WITH_AS(lattice.check(3), doctest::Contains("number 0 of cell 0 is"), Error);
    }
}

TEST_CASE("the other workloads: what each demands, and all of its output checked") {
    struct Row {
        const char *probe, *path, *text;
        std::uint64_t mebibytes; // of memory, half of which is the most
        double bytes;            // of a unit of work, at the card's bandwidth
        Options options;
        std::vector<double> x;
    };
    const Row rows[] = {{"workload.stencil", "global", ". Update of a cell: 4 bytes read, 4 bytes written, 8 operations", 16, 8, {}, {1 << 13, 1 << 16, 1 << 19}},
                        {"workload.gather", "global", ". Word of the table: 4 bytes read, 0.5 bytes written, 1 random load", 96, 36.5, {}, {1 << 14, 1 << 17, 1 << 20, 1 << 23}},
                        {"workload.histogram", "scratchpad", ". Word counted: 4 bytes read, 1 atomic addition", 16, 4, {{"data", "skewed"}}, {1 << 18, 1 << 21}},
                        {"workload.histogram", "global", ". Word counted: 4 bytes read, 1 atomic addition", 16, 4, {{"data", "uniform"}}, {1 << 18, 1 << 21}}};
    for (const Row& row : rows) {
        CAPTURE(std::string(row.probe));
        CardModel card = small_card();
        card.memory_bytes = row.mebibytes << 20;
        const auto device = model_device(card, 1);
        const Series series = measured(*device, row.probe, row.path, "quick", 1, row.options);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        std::vector<double> x;
        for (const Point& point : series.points) x.push_back(point.x);
        CAPTURE(fmt::format("{}", fmt::join(x, " ")));
        CHECK((x == row.x));
        const double units = 1 / series.evidence.demand.back().launches; // of a step, which is launched behind others
        CHECK(units / *series.points.back().median == doctest::Approx(units * row.bytes / card.bandwidth * 1e9 + card.launch_ns).epsilon(0.01));
        CHECK(series.evidence.dispatches_checked == row.x.size());
        const auto found = findings_of(probe_named(row.probe), series, device->info());
        REQUIRE(found.size() == 1);
        CAPTURE(found[0].text);
        CHECK(found[0].text.ends_with(row.text));
    }
}

TEST_CASE("workload.gemm: sizes up to what memory and cores allow, what an operation demands, and all of C checked") {
    CardModel card = small_card();
    card.memory_bytes = 4 << 20; // 256 rows are 768 KiB, 512 more than half of it
    card.operation.per_cycle = 1;
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "workload.gemm", "scratchpad", "quick", 1);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    REQUIRE(series.points.size() == 1);
    CHECK(series.points[0].x == 256);
    CHECK(1 / *series.points[0].median == doctest::Approx(1e3 / (card.cores * card.clock_mhz)).epsilon(0.01));
    const Demand& demand = series.evidence.demand.at(0);
    CHECK(demand.footprint_bytes == 3 * 256 * 256 * 4);
    CHECK(demand.tile_bytes * 2 * 256 * 256 * 256 == 4 * 2 * 128 * 256 * 4); // four tiles, each of 128 rows of A and 128 columns of B
    CHECK(series.evidence.output_checked.find("random vector") != std::string::npos);
    const auto found = findings_of(probe_named("workload.gemm"), series, device->info());
    REQUIRE(found.size() == 1);
    CAPTURE(found[0].text);
    CHECK(found[0].text.ends_with(". Addition or multiplication: 64 per byte read, 128 per byte written, 32 per byte of tiles, 8 per byte of the scratchpad"));
}

TEST_CASE("workload.gemm-library: rate, check and evidence of a modelled library; none without one") {
    CardModel card = small_card();
    card.memory_bytes = 24 << 20; // half of it takes 1,024 rows of any format
    CHECK(measured(*model_device(card, 1), "workload.gemm-library", "global", "quick", 1, {{"numbers", "f16"}}).reason == "the modelled card's library is not installed");
    card.library_operations_per_cycle = 1024;
    for (const char* numbers : {"f16", "e4m3"}) {
        CAPTURE(std::string(numbers));
        const auto device = model_device(card, 1);
        const Series series = measured(*device, "workload.gemm-library", "global", "quick", 1, {{"numbers", numbers}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        REQUIRE(series.points.size() == 1);
        CHECK(series.points[0].x == 1024);
        const double operations = 2 * std::pow(series.points[0].x, 3);
        CHECK(operations / *series.points[0].median == doctest::Approx(operations / (1024 * card.cores) / card.clock_mhz * 1e3 + card.launch_ns).epsilon(0.01));
        REQUIRE(series.evidence.library);
        CHECK(series.evidence.library->version == "1.2.3");
        CHECK(series.evidence.library->algorithms.size() == 1);
        CHECK(series.evidence.demand.empty());
        CHECK(series.evidence.output_checked.find("random vector") != std::string::npos);
        const auto found = findings_of(probe_named("workload.gemm-library"), series, device->info());
        REQUIRE(found.size() == 1);
        CHECK(found[0].text.ends_with(fmt::format("; {} by modelled library 1.2.3", numbers)));
    }
    card.wrong_matrices = true;
    const Series wrong = measured(*model_device(card, 1), "workload.gemm-library", "global", "quick", 1, {{"numbers", "f16"}});
    CHECK(wrong.status == Status::failed);
    CHECK(wrong.reason.find("C times a random vector is off by") != std::string::npos);
}

TEST_CASE("workload.gemm by a matrix form: rate, what an operation demands, and all of C checked") {
    CardModel card = small_card();
    card.memory_bytes = 4 << 20; // 256 rows are 512 KiB, 512 half of it
    const Options options{{"operation", "mma.f16.f32.m16n8k16"}};
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "workload.gemm", "scratchpad", "quick", 1, options);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    CHECK(series.points.back().x == 512);
    CHECK(1 / *series.points.back().median == doctest::Approx(card.matrix_interval / (2 * 16 * 8 * 16) * 1e3 / (card.cores * card.clock_mhz)).epsilon(0.05));
    CHECK(series.evidence.operation == "mma.f16.f32.m16n8k16");
    const Demand& demand = series.evidence.demand.back();
    CHECK(demand.operation == series.evidence.operation);
    CHECK(demand.footprint_bytes == 512 * 512 * (2 + 2 + 4));
    CHECK(demand.tile_bytes * 2 * 512 * 512 * 512 == 16 * (128 + 128) * 512 * 2); // sixteen tiles, each of 128 rows of A and 128 columns of B
    CHECK(series.evidence.output_checked.find("random vector") != std::string::npos);
    card.wrong_matrices = true;
    const Series wrong = measured(*model_device(card, 1), "workload.gemm", "scratchpad", "quick", 1, options);
    CHECK(wrong.status == Status::failed);
    CHECK(wrong.reason.find("C times a random vector is off by") != std::string::npos);
    card.scratchpad_bytes = 8 << 10;
    const Series small = measured(*model_device(card, 1), "workload.gemm", "scratchpad", "quick", 1, options);
    CHECK(small.status == Status::unsupported);
    CHECK(small.reason == "a scratchpad has 8192 bytes, 30720 are needed"); // of two subgroups
}

TEST_CASE("products of matrices: right ones pass, one number that is off, or all of another product, do not") {
    ByHand by_hand;
    Bench bench(*by_hand.device, by_hand.history, *find_path("scratchpad"), by_hand.request, *find_profile("quick"), by_hand.unheard);
    Gemm gemm(bench, gemm_kernel(gemm_tiles(bench.info)), 256), other(bench, gemm_kernel(gemm_tiles(bench.info)), 256);
    const Launch last = by_hand.steps(gemm, 2), others = by_hand.steps(other, 1);
    CHECK_NOTHROW(gemm.check(2));
    auto words = bench.read_words(last.out, 256 * 256);
    words[777] ^= 1u << 22;
    bench.write_words(last.out, words);
    CHECK_THROWS_WITH_AS(gemm.check(2), doctest::Contains("C times a random vector is off by"), Error);
    words[777] ^= 1u << 22;
    std::swap(words[777], words[778]);
    bench.write_words(last.out, words);
    CHECK_THROWS_WITH_AS(gemm.check(2), doctest::Contains("C times a random vector is off by"), Error);
    bench.write_words(last.out, bench.read_words(others.out, 256 * 256));
    CHECK_THROWS_AS(gemm.check(2), Error);
    CHECK_NOTHROW(other.check(1));
}

TEST_CASE("workload.fft-library: sizes of workload.fft, rate, check and evidence of a modelled library; none without one") {
    CardModel card = small_card();
    card.memory_bytes = 4 << 20; // half of it takes 2^16 points three times
    CHECK(measured(*model_device(card, 1), "workload.fft-library", "global", "quick", 1).reason == "the modelled card's library is not installed");
    card.library_operations_per_cycle = 64;
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "workload.fft-library", "global", "quick", 1), ours = measured(*device, "workload.fft", "scratchpad", "quick", 1);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    REQUIRE(series.points.size() == 3);
    for (std::size_t i = 0; i < series.points.size(); ++i) {
        CHECK(series.points[i].x == ours.points.at(i).x);
        const double operations = 5 * std::log2(series.points[i].x) * (1 << 16);
        CHECK(operations / *series.points[i].median == doctest::Approx(operations / (64 * card.cores) / card.clock_mhz * 1e3 + card.launch_ns).epsilon(0.01));
    }
    REQUIRE(series.evidence.library);
    CHECK(series.evidence.library->name == "modelled library");
    CHECK(series.evidence.library->version == "1.2.3");
    CHECK(series.evidence.library->file == "libmodelled.so");
    CHECK(series.evidence.library->algorithms.size() == 3);
    CHECK(series.evidence.demand.empty());
    CHECK(series.evidence.dispatches_checked == 3);
    CHECK(series.evidence.output_checked == ours.evidence.output_checked);
    const auto found = findings_of(probe_named("workload.fft-library"), series, device->info());
    REQUIRE(found.size() == 1);
    CHECK(found[0].text.ends_with("; by modelled library 1.2.3"));
    card.wrong_matrices = true;
    const Series wrong = measured(*model_device(card, 1), "workload.fft-library", "global", "quick", 1);
    CHECK(wrong.status == Status::failed);
    CHECK(wrong.reason.find("a point that was transformed and back is off by") != std::string::npos);
}

TEST_CASE("workload.fft: bytes of each pass, and all points checked") {
    CardModel card = small_card();
    card.memory_bytes = 4 << 20; // half of it takes 2^16 points three times
    card.bandwidth = 1e9;
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "workload.fft", "scratchpad", "quick", 1);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    REQUIRE(series.points.size() == 3);
    const std::vector<std::pair<double, double>> passes{{1 << 10, 1}, {1 << 13, 2}, {1 << 16, 2}};
    for (std::size_t i = 0; i < passes.size(); ++i) {
        const Demand& demand = series.evidence.demand.at(i);
        const double operations = 5 * std::log2(passes[i].first), nanoseconds = passes[i].second * ((1 << 16) * 16 / card.bandwidth * 1e9 + card.launch_ns);
        CHECK(series.points[i].x == passes[i].first);
        CHECK(demand.read_bytes * operations == doctest::Approx(8 * passes[i].second));
        CHECK(demand.written_bytes == demand.read_bytes);
        CHECK(demand.footprint_bytes == 16 << 16);
        CHECK((1 << 16) * operations / *series.points[i].median == doctest::Approx(nanoseconds).epsilon(0.01));
    }
    CHECK(series.evidence.dispatches_checked == 3);
    CHECK(series.evidence.output_checked.find("transformed back") != std::string::npos);
}

TEST_CASE("transforms: right steps pass in either direction, a point that is off, or a copy, does not") {
    ByHand by_hand;
    Bench bench(*by_hand.device, by_hand.history, *find_path("scratchpad"), by_hand.request, *find_profile("quick"), by_hand.unheard);
    for (const std::uint32_t n_bits : {8u, 12u}) {
        Fft fft(bench, fft_kernel(fft_passes(bench.info)), 1 << 13, n_bits);
        CHECK_NOTHROW(fft.check(0));
        by_hand.steps(fft, 3);
        CHECK_NOTHROW(fft.check(3));
        CHECK_NOTHROW(fft.check(3));
        std::vector<Launch> launches;
        fft.append(launches, 3);
        bench.launch_all(launches, 1);
        CHECK_NOTHROW(fft.check(4));
        Buffer& points = *const_cast<Buffer*>(launches.back().b);
        auto words = bench.read_words(points, 1 << 14);
        auto wrong = words;
        wrong[333] ^= 1u << 22;
        bench.write_words(points, wrong);
        CHECK_THROWS_WITH_AS(fft.check(4), doctest::Contains(n_bits == 8 ? "transformed and back is off by" : ""), Error); // of two transforms one's frequencies may tell first
        for (std::uint32_t& word : wrong) word = 0;
        bench.write_words(points, wrong);
        CHECK_THROWS_WITH_AS(fft.check(4), doctest::Contains("frequency "), Error);
        bench.write_words(points, words);
        CHECK_THROWS_WITH_AS(fft.check(5), doctest::Contains("frequency "), Error); // points that were not transformed
    }
}

TEST_CASE("passes of a transform: by the scratchpad's size") {
    DeviceInfo info;
    info.scratchpad_bytes = 48 << 10;
    const FftPasses passes = fft_passes(info);
    CHECK(passes.points == 2048);
    for (const auto& [n_bits, count] : {std::pair{11u, 1u}, {12u, 2u}, {16u, 2u}, {17u, 3u}, {24u, 3u}}) {
        CHECK(passes.count(n_bits) == count);
        std::uint32_t bits = 0;
        for (const auto& args : passes.args(n_bits, true)) {
            CHECK(args.stride_bits == bits);
            bits += args.length_bits;
        }
        CHECK(bits == n_bits);
        CHECK(std::bit_cast<float>(passes.args(n_bits, true).back().factor) == std::ldexp(1.0f, -static_cast<int>(n_bits)));
    }
    CHECK(passes.scratchpad_bytes_of_point(8) == 16 * 5);
    info.scratchpad_bytes = 16 << 10;
    CHECK(fft_passes(info).points == 512);
}

TEST_CASE("tiles of a product: of a GPU, of processors, and of devices that take less") {
    DeviceInfo info;
    info.largest_group = 1024, info.subgroup = 32;
    CHECK(gemm_tiles(info).side == 128);
    CHECK(gemm_tiles(info).scratchpad_bytes_of_operation(32) == 12 * 8 * 4 / (32 * 64 * 2.0)); // 8 blocks beside and 4 below each other
    CHECK(gemm_tiles(info).scratchpad_bytes_of_operation(64) == 20 * 8 * 4 / (64 * 64 * 2.0));
    info.largest_group = 128;
    CHECK(gemm_tiles(info).side == 64);
    info.cpu = true, info.subgroup = 1, info.largest_group = 1;
    CHECK(gemm_tiles(info).side == 8);
    CHECK(gemm_tiles(info).scratchpad_bytes_of_operation(1) == 0.5);
    info.subgroup = 8, info.largest_group = 1024;
    CHECK(gemm_tiles(info).side == 32);
    CHECK(gemm_tiles(info).scratchpad_bytes() == 4096);
    CardModel card = small_card();
    card.scratchpad_bytes = 8 << 10;
    const Series series = measured(*model_device(card, 1), "workload.gemm", "scratchpad", "quick", 1);
    CHECK(series.status == Status::unsupported);
    CHECK(series.reason == "a scratchpad has 8192 bytes, 16384 are needed");
}

TEST_CASE("tiles of a product by matrix units: by registers, scratchpad and work-items, each of which brings the same") {
    struct Row {
        const char* form;
        std::uint32_t subgroup, scratchpad, rows, columns, items, sums;
    };
    for (const Row& row : {Row{"mma.f16.f32.m16n8k16", 32, 48 << 10, 128, 128, 128, 128}, {"mma.f16.f32.m16n8k16", 32, 32 << 10, 128, 64, 64, 128}, {"mfma.f16.f32.m16n16k16", 64, 64 << 10, 128, 128, 128, 128},
                           {"wmma.f16.f32.m16n16k16", 32, 64 << 10, 128, 128, 128, 128}, {"coopmat.f16.f32.m16n16k16", 32, 48 << 10, 128, 128, 128, 128}, {"coopmat.f16.f32.m16n16k16", 64, 64 << 10, 128, 128, 128, 128},
                           {"coopmat.f16.f32.m16n8k16", 32, 64 << 10, 128, 128, 128, 128}, {"dpas.f16.f32.m8n8k16", 8, 64 << 10, 64, 64, 64, 64}, {"dpas.f16.f32.m8n16k16", 16, 64 << 10, 64, 128, 128, 64}}) {
        CAPTURE(std::string(row.form));
        CAPTURE(row.scratchpad);
        DeviceInfo info;
        info.largest_group = 1024, info.subgroup = row.subgroup, info.scratchpad_bytes = row.scratchpad;
        const Operation& operation = *find_operation(row.form);
        REQUIRE(is_form_of_products(operation));
        const MatrixTiles tiles = matrix_tiles(info, *operation.matrix);
        CHECK(tiles.rows() == row.rows);
        CHECK(tiles.columns() == row.columns);
        CHECK(tiles.items() == row.items);
        CHECK(tiles.sums() == row.sums);
        CHECK(tiles.scratchpad_bytes() <= row.scratchpad);
        const KernelChoice choice = gemm_matrix_kernel(info, operation);
        const std::map<std::string, std::string> defines(choice.defines.begin(), choice.defines.end());
        CHECK(std::stoul(defines.at("BROUGHT_A")) * choice.group_size * 8 == row.rows * 32); // elements of 8 numbers; a step's 32
        CHECK(std::stoul(defines.at("BROUGHT_B")) * choice.group_size * 8 == row.columns * 32);
    }
    for (const char* other : {"mma.f16.f16.m16n8k16", "mma.f16.f32.m16n8k8", "mma.bf16.f32.m16n8k16", "mma-sp.f16.f32.m16n8k32", "wgmma.f16.f32.m64n256k16"}) CHECK(!is_form_of_products(*find_operation(other)));
}

TEST_CASE("a box's cells have their neighbours across its sides") {
    const Box box(1 << 13); // 32 x 16 x 16
    CHECK(box.row == 32);
    CHECK(box.plane == 32 * 16);
    CHECK(box.at(0, {0, -1, 0, 0}) == 31);
    CHECK(box.at(31, {0, 1, 0, 0}) == 0);
    CHECK(box.at(5, {0, 0, -1, 0}) == 15 * 32 + 5);
    CHECK(box.at(15 * 32 + 5, {0, 0, 1, 0}) == 5);
    CHECK(box.at(5, {0, 1, 1, -1}) == 15 * 512 + 32 + 6);
    CHECK(box.at(8191, {0, 1, 1, 1}) == 0);
}
