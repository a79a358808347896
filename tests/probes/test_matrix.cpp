// Matrix forms: number formats, operands and sums, and the probe on a modelled card.
#include <set>

#include <doctest/doctest.h>

#include <fmt/format.h>

#include "core/analysis/findings.h"
#include "core/measure/matrix_units.h"
#include "tests/model/measured.h"
#include "tests/model/model_device.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

namespace {
const MatrixForm& form_named(const char* name) { return *find_operation(name)->matrix; }
const NumberFormat& format_named(std::string_view name) {
    for (const Operation& operation : all_matrix_forms())
        for (const NumberFormat* format : {operation.matrix->in, operation.matrix->sum})
            if (format->name == name) return *format;
    FAIL("no such format");
    return *all_matrix_forms()[0].matrix->in;
}
Series matrix_on(const CardModel& card, const char* form, const char* chains, const char* data = "integers",
    const char* profile = "quick") {
    const auto device = model_device(card, 1);
    return measured(*device, "matrix", "global", profile, 1, {{"operation", form}, {"chains", chains}, {"data", data}});
}
CardModel quiet_card() {
    CardModel card = model_cards().front();
    card.noise = 0;
    return card;
}
} // namespace

TEST_CASE("matrix forms: a name says shape and types, and is no other operation's") {
    std::set<std::string_view> names;
    for (const Operation& operation : all_operations()) names.insert(operation.name);
    for (const Operation& operation : all_matrix_forms()) {
        const MatrixForm& form = *operation.matrix;
        CAPTURE(std::string(operation.name));
        CHECK(operation.name.ends_with(
            fmt::format(".{}.{}.m{}n{}k{}", form.in->name, form.sum->name, form.m, form.n, form.k)));
        CHECK(names.insert(operation.name).second);
        CHECK(find_operation(operation.name) == &operation);
        CHECK(operation.needs.size() == 1);
        CHECK(is_of_matrices(operation.needs[0]));
        CHECK(form.k * form.in->bits % 32 == 0);
        CHECK((!operation.sass.empty() || !operation.gcn.empty() || !operation.gen.empty()));
    }
}

TEST_CASE("number formats: small integers have the bits that the formats' standards say") {
    struct Row {
        const char* format;
        std::int64_t value;
        std::uint64_t bits;
    };
    for (const Row& row :
        {Row{"f16", 1, 0x3c00}, Row{"f16", -2, 0xc000}, Row{"f16", 100, 0x5640}, Row{"bf16", 3, 0x4040},
            Row{"tf32", -1, 0xbf800000}, Row{"e4m3", 1, 0x38}, Row{"e4m3", 3, 0x44}, Row{"e5m2", -2, 0xc0},
            Row{"e5m2", 3, 0x42}, Row{"f32", 16777215, 0x4b7fffff}, Row{"f64", -5, 0xc014000000000000},
            Row{"s8", -2, 0xfe}, Row{"s32", -1, 0xffffffff}, Row{"s4", -2, 0xe}, Row{"u4", 2, 2}, Row{"f16", 0, 0}}) {
        CAPTURE(std::string(row.format));
        const NumberFormat& format = format_named(row.format);
        CHECK(format.bits_of(row.value) == row.bits);
        CHECK(format.value_of(row.bits) == static_cast<double>(row.value));
    }
    CHECK(format_named("f16").value_of(0x8000) == 0); // minus zero
    CHECK(format_named("f16").value_of(0x0001) == std::ldexp(1.0, -24));
}

TEST_CASE(
    "operands of mma.sync: registers of lanes as the PTX ISA has them; sums that the fragments' own product gives") {
    for (const char* name : {"mma.s8.s32.m16n8k32", "mma.s8.s32.m16n8k16", "mma.u8.s32.m16n8k16", "mma.s8.s32.m8n8k16",
             "mma.u8.s32.m8n8k16", "mma.s4.s32.m8n8k32", "mma.s4.s32.m16n8k32", "mma.u4.s32.m16n8k64",
             "mma.b1.s32.m16n8k256", "mma.b1.s32.m16n8k128", "mma.b1.s32.m8n8k128", "mma-xor.b1.s32.m16n8k256",
             "mma-xor.b1.s32.m8n8k128"}) {
        CAPTURE(name);
        const MatrixForm& form = form_named(name);
        const MatrixChains chains(form, 1, DataKind::integers);
        const auto words = chains.operands();
        const std::uint32_t bits = form.in->bits, each = 32 / bits, across = 4 * each, rows = form.m / 8,
                            of_a = rows * form.k /
                                   across; // numbers of a register, and of four lanes' registers; registers
        const auto number = [&](std::size_t reg, std::uint32_t lane, std::uint32_t k) {
            return static_cast<std::int32_t>(
                form.in->value_of(words[reg * 32 + lane] >> k % each * bits & ((1u << bits) - 1)));
        };
        // PTX ISA, of 8 bits: of A in register i of a lane rows lane / 4 + 8 * (i % 2), columns lane % 4 * 4 + 16 * (i
        // / 2); of B rows of k the same. Bits alike, and with m8 all registers have the same rows.
        const auto a = [&](std::uint32_t row, std::uint32_t k) {
            return number(row / 8 + k / across * rows, row % 8 * 4 + k % across / each, k);
        };
        const auto b = [&](std::uint32_t column, std::uint32_t k) {
            return number(of_a + k / across, column * 4 + k % across / each, k);
        };
        const auto sums = chains.sums_after(0);
        for (std::uint32_t row = 0; row < form.m; ++row)
            for (std::uint32_t column = 0; column < 8; ++column) {
                std::int32_t sum = 0;
                for (std::uint32_t k = 0; k < form.k; ++k)
                    sum += form.exclusive_or ? a(row, k) != b(column, k) : a(row, k) * b(column, k);
                CHECK(
                    static_cast<std::int32_t>(sums[(row / 8 * 2 + column % 2) * 32 + row % 8 * 4 + column / 2]) == sum);
            }
    }
}

TEST_CASE("operands of mma.sp: stored numbers and metadata give the product of A with its zeros") {
    int seen = 0;
    for (const Operation& operation : all_matrix_forms()) {
        if (!operation.name.starts_with("mma-sp.")) continue;
        ++seen;
        CAPTURE(std::string(operation.name));
        const MatrixForm& form = *operation.matrix;
        const MatrixChains chains(form, 1, DataKind::integers);
        const auto words = chains.operands();
        const auto number_of = [&](std::size_t reg, std::uint32_t lane, std::uint32_t part) {
            return form.in->value_of(words[reg * 32 + lane] >> part * form.in->bits & (~0u >> (32 - form.in->bits)));
        };
        const std::uint32_t in_word = 32 / form.in->bits, of_a = 16 * form.k / 2 / in_word / 32,
                            of_b = 8 * form.k / in_word / 32, metadata = of_a + 2 * of_b;
        // PTX ISA: registers of A are those of the dense form with half of k; register i of B holds rows 4 * in_word *
        // i and on.
        const auto stored = [&](std::uint32_t r, std::uint32_t at) {
            return number_of(r / 8 + at / in_word / 4 * 2, r % 8 * 4 + at / in_word % 4, at % in_word);
        };
        const auto b = [&](std::uint32_t column, std::uint32_t k) {
            return number_of(of_a + k / in_word / 4, column * 4 + k / in_word % 4, k % in_word);
        };
        // Of 16 and 32 bits lane 0 of four has the leftmost four groups of rows g and, in its upper 16 bits, g + 8,
        // lane 1 the next four; of smaller ones lanes 0 and 2 have eight groups of row g, lanes 1 and 3 of row g + 8.
        const auto nibble = [&](std::uint32_t r, std::uint32_t group) {
            const bool small = form.in->bits < 16;
            const std::uint32_t lane = small ? 2 * (group / 8) + r / 8 : group / 4,
                                bit = small ? 4 * (group % 8) : 16 * (r / 8) + 4 * (group % 4);
            return words[metadata * 32 + r % 8 * 4 + lane] >> bit & 15;
        };
        const auto sums = chains.sums_after(0);
        const auto sum_at = [&](std::uint32_t r, std::uint32_t column) {
            if (form.sum->bits == 16)
                return form.sum->value_of(sums[r / 8 * 32 + r % 8 * 4 + column / 2] >> column % 2 * 16 & 0xffff);
            return form.sum->value_of(sums[(r / 8 * 2 + column % 2) * 32 + r % 8 * 4 + column / 2]);
        };
        const std::uint32_t unit = form.sparse == 8 ? 2 : 1; // numbers that a place of the metadata is of
        for (std::uint32_t r = 0; r < 16; ++r)
            for (std::uint32_t column = 0; column < 8; ++column) {
                double sum = 0;
                for (std::uint32_t group = 0; group < form.k / form.sparse; ++group) {
                    const std::uint32_t places = nibble(r, group), low = places & 3, high = places >> 2;
                    REQUIRE(low < high);
                    if (form.sparse == 2) REQUIRE(high == low + 1);
                    if (form.sparse == 2) sum += stored(r, group) * b(column, 2 * group + low / 2);
                    else
                        for (std::uint32_t i = 0; i < 2 * unit; ++i)
                            sum += stored(r, 2 * unit * group + i) *
                                   b(column, form.sparse * group + (i < unit ? low : high) * unit + i % unit);
                }
                CHECK(sum_at(r, column) == sum);
            }
    }
    CHECK(seen > 4);
}

TEST_CASE("sums stay where their format is exact, and a wrong one is named") {
    for (const Operation& operation : all_matrix_forms()) {
        const MatrixForm& form = *operation.matrix;
        if (!form.sum->is_float()) continue;
        CAPTURE(std::string(operation.name));
        const MatrixChains chains(form, 2, DataKind::integers);
        const auto words = chains.sums_after(1u << 22);
        double most = 0;
        for (std::size_t i = 0; i < words.size() * 32 / form.sum->bits; ++i) {
            const std::uint64_t word = form.sum->bits == 64   ? words[2 * i] | std::uint64_t{words[2 * i + 1]} << 32
                                       : form.sum->bits == 16 ? words[i / 2] >> i % 2 * 16 & 0xffff
                                                              : words[i];
            most = std::max(most, std::abs(form.sum->value_of(word)));
        }
        CHECK(most < std::ldexp(1.0, static_cast<int>(form.exact_bits)));
        CHECK(most > 0);
        CHECK_NOTHROW(chains.check(words, 1u << 22));
        auto other = words;
        other[words.size() / 2 + 3] ^= 1u << 20;
        CHECK_THROWS_AS(chains.check(other, 1u << 22), Error);
    }
    const MatrixChains chains(form_named("mma.f16.f32.m16n8k16"), 1, DataKind::integers);
    auto words = chains.sums_after(7);
    words[32 + 5] += 1; // register 1 of lane 5: row 1, column 3
    CHECK_THROWS_WITH_AS(chains.check(words, 7), doctest::Contains("7 steps row 1, column 3 of chain 0"), Error);
    const MatrixChains zeros(form_named("mma.f16.f32.m16n8k16"), 1, DataKind::zeros);
    auto minus = zeros.sums_after(3);
    minus[0] = 0x80000000;
    CHECK_NOTHROW(zeros.check(minus, 3));
}

TEST_CASE("a step in which fewer steps were done leaves other sums, where sums of the format can grow") {
    for (const char* name :
        {"mma.f16.f32.m16n8k16", "mma.s8.s32.m16n8k32", "mma.f64.f64.m8n8k4", "wgmma.bf16.f32.m64n256k16"}) {
        const MatrixChains chains(form_named(name), 1, DataKind::integers);
        CHECK_THROWS_AS(chains.check(chains.sums_after(99), 100), Error);
    }
}

TEST_CASE("matrix: rate and latency of a modelled card") {
    CardModel card = quiet_card();
    card.matrix_cycles = 24;
    card.matrix_interval = 1.5;
    const Series rate = matrix_on(card, "mma.f16.f32.m16n8k16", "4");
    REQUIRE(rate.status == Status::ok);
    const auto device = model_device(card, 1);
    const auto found = findings_of(probe_named("matrix"), rate, device->info());
    REQUIRE(found.size() == 1);
    CAPTURE(found[0].text);
    CHECK(number_at(found[0], "one of a core") == doctest::Approx(1.5).epsilon(0.01));
    const auto best = std::ranges::find(rate.points, found[0].x.at(0), &Point::x);
    REQUIRE(best != rate.points.end());
    REQUIRE(best->clock_mhz);
    CHECK(*found[0].value == doctest::Approx(4096 / 1.5 * device->info().cores * *best->clock_mhz / 1e3).epsilon(0.01));
    CHECK_FALSE(rate.points.back().cycles); // two workgroups on a core
    CHECK(rate.evidence.output_checked.find("host") != std::string::npos);

    const Series one = matrix_on(card, "mma.f16.f32.m16n8k16", "1");
    const auto both = findings_of(probe_named("matrix"), one, device->info());
    REQUIRE(both.size() == 2);
    CHECK(*both[1].cycles == doctest::Approx(24).epsilon(0.01));
    CHECK(both[1].name == latency_finding("mma.f16.f32.m16n8k16"));

    const Series zeros = matrix_on(card, "wgmma.f16.f32.m64n256k16", "1", "zeros");
    REQUIRE(zeros.status == Status::ok);
    CHECK(findings_of(probe_named("matrix"), zeros, device->info())[0].text.find("on zeros") != std::string::npos);
}

TEST_CASE("matrix: a form that the listing shows as others says so") {
    Series series = matrix_on(quiet_card(), "mma.e4m3.f32.m16n8k32", "4");
    REQUIRE(series.status == Status::ok);
    const auto text = [&] {
        return findings_of(probe_named("matrix"), series, model_device(quiet_card(), 1)->info()).at(0).text;
    };
    series.evidence.kernel->step_instructions = {{"QMMA.16832.F32.E4M3.E4M3", 2}};
    CHECK(text().find("emulated") == std::string::npos);
    series.evidence.kernel->step_instructions = {{"F2FP.F16.E4M3.UNPACK_B", 24}, {"HMMA.16816.F32", 4}};
    CHECK(says(text(), "Emulated by HMMA. A"));
}

TEST_CASE("matrix: a wrong sum fails the series; one that fills a core's registers ends with its reason") {
    CardModel card = quiet_card();
    card.wrong_matrices = true;
    const Series wrong = matrix_on(card, "mma.s8.s32.m16n8k32", "4");
    CHECK(wrong.status == Status::failed);
    CHECK(wrong.reason.find("of chain 3 holds") != std::string::npos);
    const Series full = matrix_on(quiet_card(), "mma.f16.f32.m16n8k16", "8", "integers", "standard");
    REQUIRE(full.status == Status::ok);
    CHECK(full.points.back().x == 16);
    REQUIRE(full.ending);
    CHECK(full.ending->by == EndedBy::device);
    CHECK(full.ending->why.find("a core's registers hold 2") != std::string::npos);
}

TEST_CASE("sustained takes matrix forms, too") {
    const auto device = model_device(quiet_card(), 1);
    const Series series =
        measured(*device, "sustained", "global", "quick", 1, {{"operation", "wgmma.f16.f32.m64n256k16"}});
    REQUIRE(series.status == Status::ok);
    CHECK(series.evidence.output_checked.find("product of integers") != std::string::npos);
    CHECK(findings_of(probe_named("sustained"), series, device->info()).at(0).name == "wgmma.f16.f32.m64n256k16");
}

TEST_CASE("matrix: where independent multiply-adds are no faster, dependent ones show a bound of the latency alone") {
    const DeviceInfo device{.cores = 132, .subgroup = 32};
    const auto latency = [&](const std::vector<std::pair<double, double>>& points) {
        return find_probe("matrix")
            ->findings(made("matrix", "global",
                           {{"chains", "1"}, {"data", "zeros"}, {"operation", "wgmma.tf32.f32.m64n256k8"}}, points),
                device)
            .at(1)
            .text;
    };
    for (const double other : {470e3, 491e3}) CHECK(latency({{4, 487e3}, {8, other}}).ends_with("at most that"));
    CHECK(latency({{4, 200e3}, {8, 487e3}}).ends_with(" ns"));
    CHECK(latency({{4, 487e3}}).ends_with(" ns")); // nothing to compare with
}
