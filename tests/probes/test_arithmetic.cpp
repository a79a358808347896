// Operations against known numbers, and the probes of arithmetic on a modelled card.
#include <bit>
#include <cmath>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/measure/arithmetic.h"
#include "core/measure/compile_time.h"
#include "tests/model/measured.h"
#include "tests/model/model_device.h"

using namespace sonde;

namespace {
std::vector<std::uint32_t> after(const char* name, std::uint64_t steps, std::uint32_t chains = 1, std::vector<std::uint32_t> lanes = {0}) {
    const Operation& operation = *find_operation(name);
    return ChainModel(operation, operation.model, std::move(lanes), chains).words_after(steps);
}
float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// A loop as nvdisasm writes it, of so many such instructions and another one.
std::string loop_of(int count, const char* mnemonic = "FFMA") {
    std::string text = "\t.target\tsm_90\n.text.arithmetic:\n        /*0000*/                   MOV R1, c[0x0][0x28] ;\n.L_x_1:\n";
    for (int i = 0; i < count; ++i) text += fmt::format("        /*0010*/                   {} R4, R4, R4, R5 ;\n", mnemonic);
    return text + "        /*0020*/                   ISETP.NE.AND P0, PT, R2, RZ, PT ;\n        /*0030*/              @!P0 BRA `(.L_x_1) ;\n        /*0040*/                   EXIT ;\n";
}
KernelChoice choice_of(const char* operation, std::uint32_t chains, std::uint32_t repeat) {
    DeviceInfo info;
    info.subgroup = 32;
    return arithmetic_kernel(info, *find_operation(operation), chains, repeat);
}
const Point& last(const Series& series) { return series.points.back(); }
} // namespace

TEST_CASE("operations: names, defines and steps are there once each") {
    std::set<std::string> defines;
    for (const Operation& operation : all_operations()) {
        CHECK(defines.insert(operation_form(operation)).second);
        CHECK(!operation.step.empty());
        CHECK((operation.exactness == Exactness::rounded) >= (operation.model_otherwise != nullptr));
        CHECK(find_operation(operation.name) == &operation);
    }
    CHECK(operation_form(*find_operation("leading-zeros.u32")) == "OP_LEADING_ZEROS_U32");
    CHECK(find_operation("fma.f128") == nullptr);
}

TEST_CASE("chains: the host's values after some steps") {
    // Of x = x + y, y = y + x the words are every second of Fibonacci's numbers: x0 = 0x12345679, y0 = c.
    std::uint32_t x = first_seed(Number::u32), y = static_cast<std::uint32_t>(find_operation("add.u32")->c);
    for (int n = 0; n < 3; ++n) x += y, y += x;
    CHECK(after("add.u32", 3)[0] == (x * 5 + y)); // 0 * 5 + x, then * 5 + y

    const float seed = float_of(first_seed(Number::f32)), c = -1.9F;
    const std::uint32_t fused = std::bit_cast<std::uint32_t>(std::fma(seed, seed, c));
    CHECK(after("fma.f32", 1)[0] == fused * 5 + std::bit_cast<std::uint32_t>(c));

    const Operation& fma = *find_operation("fma.f32");
    CHECK(ChainModel(fma, fma.model, {0}, 1).words_after(1000) != ChainModel(fma, fma.model_otherwise, {0}, 1).words_after(1000));
    CHECK(float_of(after("rcp.f32", 100)[0]) == doctest::Approx((1 + std::sqrt(5.0)) / 2)); // x = 1 / x + 1
    CHECK(float_of(after("rcp.f32", 100, 4)[0]) == doctest::Approx(4 * (1 + std::sqrt(5.0)) / 2));
    // A neighbour's value goes to and fro.
    CHECK(after("shuffle.u32", 2, 1, {0, 1})[0] == (first_seed(Number::u32) + 2 * 0x9e3779b1u) * 5 + 0x9e3779b1u);
}

TEST_CASE("approximate operations: held to their error in ulp over one less the slope at the fixed point") {
    const auto allowed = [](const char* name, std::uint32_t chains) { return near_ulps(*find_operation(name), chains); };
    const double golden = (1 + std::sqrt(5.0)) / 2;
    // x = 1 / x + 1: 2.5 ulp of 0.618 for the device and one for the host, half one of 1.618 (twice as large) for each sum; the slope is 1 / golden^2.
    CHECK(allowed("rcp.f32", 1) == doctest::Approx((3.5 / 2 + 1) / (1 - 1 / (golden * golden))).epsilon(1e-3));
    CHECK(allowed("rcp.f32", 8) < 3 * allowed("rcp.f32", 1)); // seven sums more on both sides, whose ulp is larger
    CHECK(allowed("divide.f64", 1) == doctest::Approx(allowed("divide.f32", 1)));
    CHECK(allowed("divide.f64", 8) == doctest::Approx(8 * allowed("divide.f32", 1))); // a chain's ulp, not the sum's
    for (const Operation& operation : all_operations()) {
        CHECK((operation.exactness == Exactness::near) == (operation.ulps > 0));
        if (operation.exactness != Exactness::near) continue;
        CAPTURE(std::string(operation.name));
        const double most = near_ulps(operation, 1);
        CHECK(most < (operation.name == "sine.f32" ? 10000 : 32)); // what Vulkan allows of a sine is coarse
        const std::uint32_t right = after(operation.name.data(), 100)[0]; // the next word is an ulp away, whether of a float or of words
        const auto word = [&](double ulps) { return std::vector{static_cast<std::uint32_t>(right + std::llround(ulps))}; };
        FollowedChains followed(operation, 1, 1, 1);
        CHECK(followed.farthest_ulps() == 0);
        CHECK_NOTHROW(followed.check(word(std::floor(most)), 100));
        CHECK(followed.farthest_ulps() == doctest::Approx(std::floor(most)));
        CHECK_THROWS_AS(followed.check(word(1.5 * most), 100), Error);
        CHECK_THROWS_AS(followed.check(word(-1.5 * most), 100), Error);
    }
}

TEST_CASE("divide.f64: an error that a sum in single precision would not show is found, in either word") {
    const Operation& divide = *find_operation("divide.f64");
    std::vector<ChainState> chains{{seeded(Number::f64, first_seed(Number::f64))}};
    divide.model(chains, divide.c, divide.d, 100);
    const std::uint32_t right = folded(divide, chains);
    for (const auto& [off, ulps] : {std::pair{std::uint64_t{1}, 1.0}, {100, 100}, {std::uint64_t{1} << 28, 1 << 28}}) {
        const ChainState wrong{chains[0].x + off};
        CHECK(ulps_apart(divide, folded(divide, {&wrong, 1}), right) == ulps);
    }
    const ChainState high{chains[0].x + (std::uint64_t{1} << 32)};
    CHECK(ulps_apart(divide, folded(divide, {&high, 1}), right) > near_ulps(divide, 8));
}

TEST_CASE("conversions: to nearest and toward zero differ, neither settles, and numbers stay normal") {
    for (const char* name : {"convert.f32-f64", "convert.i32-f64", "convert.f32-f16"}) {
        CAPTURE(std::string(name));
        const Operation& operation = *find_operation(name);
        const std::uint32_t first = first_seed(operation.number), apart = seed_spacing(operation.number);
        for (std::uint32_t chain = 0; chain < 256; chain += 17) {
            const ChainState seed{seeded(operation.number, first + chain * apart), operation.c};
            std::set<std::uint64_t> seen;
            std::vector<ChainState> lane{seed}, other{seed};
            for (int n = 0; n < 1000; ++n) {
                operation.model(lane, operation.c, operation.d, 1);
                seen.insert(lane[0].x);
                if (operation.number == Number::f32) CHECK(std::abs(float_of(static_cast<std::uint32_t>(lane[0].x))) > 0x1p-14F); // f16's smallest normal number
                if (operation.number == Number::f64) CHECK(std::fpclassify(static_cast<float>(std::bit_cast<double>(lane[0].x))) == FP_NORMAL);
            }
            CHECK(seen.size() > 2); // converts other numbers again and again
            if (!operation.model_otherwise) continue;
            operation.model_otherwise(other, operation.c, operation.d, 1000);
            CHECK(other[0].x != lane[0].x);
        }
    }
    // 0.3 and a bit more of f64 goes to the next f32 or to the one below, then its mantissa changes.
    const Operation& doubles = *find_operation("convert.f32-f64");
    const std::uint64_t between = std::bit_cast<std::uint64_t>(0.25) + (std::uint64_t{3} << 27), mask = doubles.c & 0xfffffffffffff; // three quarters of an ulp of f32
    std::vector<ChainState> lane{{between}};
    doubles.model(lane, doubles.c, 0, 1);
    CHECK(lane[0].x == ((std::bit_cast<std::uint64_t>(0.25) + (std::uint64_t{1} << 29)) ^ mask));
    lane = {{between}};
    doubles.model_otherwise(lane, doubles.c, 0, 1);
    CHECK(lane[0].x == (std::bit_cast<std::uint64_t>(0.25) ^ mask));
    // Half of 7 is 3; xor 0xa5a5a of the high word's mantissa makes of 1.5 x 2 the number 2 x (1 + 0x25a5a / 2^20 + ...).
    const Operation& integers = *find_operation("convert.i32-f64");
    lane = {{7}};
    integers.model(lane, 0, 0, 1);
    CHECK(lane[0].x == 3);
    lane = {{static_cast<std::uint32_t>(-8)}};
    integers.model(lane, 0, 0, 1);
    CHECK(lane[0].x == static_cast<std::uint32_t>(-4));
}

TEST_CASE("chains: a later number of steps goes on from an earlier one") {
    const Operation& operation = *find_operation("mad.u32");
    ChainModel model(operation, operation.model, {0, 31}, 2);
    const auto at_once = model.words_after(1000);
    ChainModel again(operation, operation.model, {0, 31}, 2);
    again.words_after(10), again.words_after(700);
    CHECK(again.words_after(1000) == at_once);
    CHECK(again.words_after(10) == model.words_after(10));
}

TEST_CASE("narrow numbers: rounded to even, as pairs") {
    // x + y of halves: 0.25 + 0.7 rounds to 0.9502 (0x3b9a); y - x = 0.7 - 0.9502 = -0.25.
    const Operation& add = *find_operation("add.f16x2");
    std::vector<ChainState> lane{{0x34003400, add.c}};
    add.model(lane, add.c, add.d, 1);
    CHECK(lane[0].x == 0x3b9a3b9a);
    // x * x - 1.9 of bfloat16, which has 1.8984 for 1.9: 0.25 -> 0.0625 - 1.8984 = -1.8359 (0xbfeb).
    const Operation& bfloat = *find_operation("fma.bf16x2");
    lane = {{0x3e803e80, bfloat.c}};
    bfloat.model(lane, bfloat.c, bfloat.d, 1);
    CHECK(lane[0].x == 0xbfebbfeb);
}

TEST_CASE("the listing's count decides whether steps were measured") {
    const auto count = [](int found, const char* operation, const char* mnemonic = "FFMA") { return step_instructions({"sass", loop_of(found, mnemonic)}, choice_of(operation, 2, 8)); };
    CHECK(count(16, "fma.f32").at("FFMA") == 1);
    CHECK(count(64, "fma.f32").at("FFMA") == 1); // the compiler has unrolled the loop four times more
    CHECK_THROWS_WITH_AS(count(15, "fma.f32"), "the listing's loop holds 15 instructions FFMA(\\..*)? where 16 steps of fma.f32 need 16", Error);
    CHECK_THROWS_AS(count(16, "add.f32"), Error);                    // another instruction
    CHECK(count(16, "insert.u32", "PRMT").at("PRMT") == 1);
    CHECK_THROWS_AS(count(16, "divide.u32"), Error); // a sequence without its reciprocal
    CHECK(count(16, "divide.u32", "MUFU.RCP").at("MUFU.RCP") == 1);
    CHECK(count(32, "divide.u32", "MUFU.RCP").at("MUFU.RCP") == 2); // of a sequence, not of a loop unrolled
    CHECK_THROWS_AS(count(16, "divide.f32"), Error);
    const auto gen = [](std::string_view instruction, int found) {
        std::string text = "L8:\n";
        for (int n = 0; n < found; ++n) text += fmt::format("        {} (8|M0)  r4.0<1>:f  r9.0<1;0>:f  r4.0<1;0>:f  r4.0<1>:f\n", instruction);
        return step_instructions({"gen", text + "(W&f1.0) jmpi  L8\n"}, choice_of("fma.f32", 2, 8));
    };
    CHECK(gen("mad", 16).at("mad.f") == 1);
    CHECK_THROWS_WITH_AS(gen("mad", 15), "the listing's loop holds 15 instructions mad\\.f where 16 steps of fma.f32 need 16", Error);
    CHECK_THROWS_AS(gen("mul", 16), Error);
    CHECK(step_instructions({"ptx", loop_of(3)}, choice_of("fma.f32", 2, 8)).empty());
}

TEST_CASE("the instruction that decides, by what an H200's compilers made of each step") {
    struct Row {
        const char* operation;
        std::vector<std::pair<const char*, std::size_t>> step;
        bool holds = true;
    };
    const Row rows[] = {{"sqrt.f32", {{"FADD", 1}, {"FFMA", 2}, {"FMUL.FTZ", 2}, {"MUFU.RSQ", 1}}}, // CUDA's
                        {"sqrt.f32", {{"FADD", 1}, {"FMUL", 2}, {"MUFU.SQRT", 1}}},                  // OpenCL's
                        {"sqrt.f32", {{"FADD.FTZ", 1}}, false},
                        {"divide.f32", {{"FFMA.FTZ", 1}, {"MUFU.RCP", 1}}},
                        {"divide.f32", {{"DFMA", 7}, {"MUFU.RCP64H", 1}}, false},
                        {"divide.f64", {{"DFMA", 7}, {"DMUL", 1}, {"MUFU.RCP64H", 1}}},
                        {"divide.f64", {{"FFMA", 1}, {"MUFU.RCP", 1}}, false},
                        {"divide.u32", {{"I2F.U32.RP", 1}, {"IMAD.HI.U32", 2}, {"MUFU.RCP", 1}}},
                        {"remainder.u32", {{"I2FP.F32.U32", 1}, {"FMUL.FTZ.RZ", 2}, {"MUFU.RCP", 1}}}, // Vulkan's
                        {"remainder.u32", {{"I2F.U32.RP", 1}, {"IMAD.HI.U32", 2}}, false},
                        {"mad.f32", {{"FFMA.FTZ", 1}}},
                        {"mad.f32", {{"FADD", 1}, {"FMUL", 1}}},
                        {"mad.f32", {{"FADD", 1}}, false},
                        {"mad.u64", {{"IADD3", 1}, {"IMAD", 2}, {"IMAD.WIDE.U32", 1}}},
                        {"mad.u64", {{"IMAD", 2}}, false},
                        {"mad.u16", {{"IMAD", 1}, {"PRMT", 1}}},
                        {"mad.u16", {{"IMAD.MOV.U32", 1}, {"PRMT", 1}}, false},
                        {"mad.u32", {{"IMAD.IADD", 1}}, false},
                        {"insert.u32", {{"IMAD.IADD", 1}, {"PRMT", 1}}},
                        {"insert.u32", {{"IMAD.IADD", 1}, {"IMAD.SHL.U32", 1}, {"LOP3.LUT", 1}}},
                        {"insert.u32", {{"IMAD.IADD", 1}}, false},
                        {"reduce.u32", {{"IMAD.IADD", 1}, {"MOV", 1}, {"REDUX.SUM", 1}}},
                        {"reduce.u32", {{"SHFL.BFLY", 5}, {"IADD3", 5}}},
                        {"reduce.u32", {{"IADD3", 5}}, false}};
    for (const Row& row : rows) {
        constexpr std::uint32_t kSteps = 256;
        std::string text = "\t.target\tsm_90\n.text.arithmetic:\n.L_x_1:\n";
        for (const auto& [mnemonic, times] : row.step)
            for (std::size_t n = 0; n < times * kSteps; ++n) text += fmt::format("        /*0010*/                   {} R4, R4, R4, R5 ;\n", mnemonic);
        text += "        /*0030*/              @!P0 BRA `(.L_x_1) ;\n        /*0040*/                   EXIT ;\n";
        CAPTURE(row.operation);
        CAPTURE(row.step[0].first);
        const auto counted = [&] { return step_instructions({"sass", text}, choice_of(row.operation, 1, kSteps)); };
        if (!row.holds) {
            CHECK_THROWS_AS(counted(), Error);
            continue;
        }
        const auto found = counted();
        for (const auto& [mnemonic, times] : row.step) CHECK(found.at(mnemonic) == times);
    }
}

TEST_CASE("operation and rate: latency and throughput of a modelled card") {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.operation.cycles = 6;
    card.operation.per_cycle = 48;
    const auto device = model_device(card, 1);
    const Series latency = measured(*device, "operation", "global", "quick", 1, {{"operation", "fma.f32"}});
    REQUIRE(latency.status == Status::ok);
    CHECK(*last(latency).cycles == doctest::Approx(6).epsilon(0.01));
    CHECK(latency.evidence.rounding == "once");
    CHECK(latency.evidence.output_checked.find("host") != std::string::npos);
    const Series pairs = measured(*device, "operation", "global", "quick", 1, {{"operation", "add.u32"}});
    CHECK(*last(pairs).cycles == doctest::Approx(12).epsilon(0.01)); // two additions in a step
    CHECK(findings_of(probe_named("operation"), pairs, device->info()).at(0).value == doctest::Approx(*last(pairs).median / 2));

    const Series rate = measured(*device, "rate", "global", "quick", 1, {{"operation", "fma.f32"}, {"chains", "8"}});
    REQUIRE(rate.status == Status::ok);
    const auto finding = findings_of(probe_named("rate"), rate, device->info()).at(0);
    CHECK(finding.text.find(", 96 operations a clock and core") != std::string::npos); // 48 fused multiply-adds
    const Series by_subgroups = measured(*device, "rate", "global", "standard", 1, {{"operation", "fma.f32"}, {"chains", "8"}});
    CHECK(by_subgroups.points.front().x == 1);
    CHECK(findings_of(probe_named("rate"), by_subgroups, device->info()).at(0).text.find("; one subgroup alone takes 0.75 cycles a step") != std::string::npos); // six cycles, eight chains
    const Series roots = measured(*device, "operation", "global", "quick", 1, {{"operation", "rsqrt.f32"}});
    CHECK(roots.evidence.output_checked.find("(rsqrt.f32 within 2 ulp a step), whose sum was 0 ulp away at the most") != std::string::npos);
    const Series conversions = measured(*device, "operation", "global", "quick", 1, {{"operation", "convert.f32-f16"}});
    CHECK(conversions.evidence.rounding == "to nearest");
    const Series sums = measured(*device, "rate", "global", "quick", 1, {{"operation", "reduce.u32"}, {"chains", "8"}});
    CHECK(sums.status == Status::ok);
}

TEST_CASE("operations of a modelled card whose units differ: each its own latency and rate, and the gain of two at once") {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.operations = {{"exp2.f32", {.cycles = 18, .per_cycle = 16, .unit = "special"}}, {"fma.f64", {.cycles = 8, .per_cycle = 64, .unit = "double"}}};
    const auto device = model_device(card, 1);
    const auto text_of = [&](const char* probe, const Options& options, const char* profile = "quick") {
        const Series series = measured(*device, probe, "global", profile, 1, options);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        return findings_of(probe_named(probe), series, device->info()).at(0).text;
    };
    for (const auto& [operation, cycles, rate] : {std::tuple("fma.f32", 4, 256), std::tuple("exp2.f32", 18, 16), std::tuple("fma.f64", 8, 128)}) {
        CAPTURE(std::string(operation));
        CHECK(*last(measured(*device, "operation", "global", "quick", 1, {{"operation", operation}})).cycles == doctest::Approx(cycles).epsilon(0.01));
        CHECK(text_of("rate", {{"operation", operation}, {"chains", "8"}}).find(fmt::format(", {} operations a clock and core", rate)) != std::string::npos);
    }
    CHECK(text_of("co-issue", {{"pair", "f32+f64"}}, "standard").find("1.83 times the rate of one after the other, where 1.83 is possible") != std::string::npos);
}

TEST_CASE("code-size: the instruction caches of a modelled card") {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.code_caches = {{32 << 10, 0}, {128 << 10, 2}, {1 << 20, 6}};
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "code-size", "global", "standard", 1, {{"on", "one-subgroup"}});
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    const auto found = findings_of(probe_named("code-size"), series, device->info());
    REQUIRE(found.size() == 3);
    const double cycles[] = {1, 2, 6}; // the first is that of four chains of four cycles each
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(*found[i].cycles == doctest::Approx(cycles[i]).epsilon(0.01));
    CHECK(found[0].capacity_bytes->first == doctest::Approx(32 << 10).epsilon(0.01));
    CHECK(found[1].capacity_bytes->first == doctest::Approx(128 << 10).epsilon(0.01));
}

TEST_CASE("code-size: the next size's time to compile follows the power that the last two show") {
    CHECK(predicted_seconds(0, 0, 1 << 10, 0.5, 2 << 10) == doctest::Approx(1));                 // nothing before: in proportion
    CHECK(predicted_seconds(32 << 10, 0.5, 64 << 10, 2, 128 << 10) == doctest::Approx(8));       // by the square
    CHECK(predicted_seconds(32 << 10, 0.1, 128 << 10, 9.1, 256 << 10) == doctest::Approx(72.8)); // steeper than the cube: as that
    CHECK(predicted_seconds(32 << 10, 0.5, 64 << 10, 0.4, 128 << 10) == doctest::Approx(0.8));   // scatter
}

TEST_CASE("operation: loops of up to 1024 steps, and the latency of 512; on a processor 64 at most") {
    CardModel card = model_cards().front();
    card.noise = 0;
    const auto device = model_device(card, 1);
    const auto lengths = [](const Series& series) {
        std::vector<double> xs;
        for (const Point& point : series.points) xs.push_back(point.x);
        return xs;
    };
    Series series = measured(*device, "operation", "global", "standard", 1, {{"operation", "mad.u32"}});
    CHECK(lengths(series) == std::vector<double>{1, 4, 16, 64, 256, 512, 1024});
    CHECK(lengths(measured(*device, "operation", "global", "quick", 1, {{"operation", "mad.u32"}})) == std::vector<double>{512});
    const double latency = *series.points[5].median;
    series.points[6].median = 1.5 * latency; // code that no instruction cache holds
    const Finding found = findings_of(probe_named("operation"), series, device->info()).at(0);
    CHECK(found.value == doctest::Approx(latency));
    CHECK(found.text.find("; with 1024 steps in the loop 1.5 times as long") != std::string::npos);
    CHECK(lengths(measured(*device, "operation", "global", "standard", 1, {{"operation", "divide.u32"}})) == std::vector<double>{1, 4, 16, 32}); // a sequence: more would not fit the first instruction cache
    DeviceInfo processor = device->info();
    processor.cpu = true;
    CHECK(probe_named("operation").kernel(processor, *find_path("global"), {{"operation", "exp2.f32"}}).repeat == 64);
}

TEST_CASE("rate of one core alone is of one workgroup, and says nothing of the card") {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.operation.cycles = 6;
    card.operation.per_cycle = 48;
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "rate", "global", "standard", 1, {{"operation", "fma.f32"}, {"chains", "1"}, {"cores", "one"}});
    REQUIRE(series.status == Status::ok);
    CHECK(series.points.front().x == 1);
    CHECK(*series.points.front().median == doctest::Approx(2 * 32 * card.clock_mhz / 1e3 / 6).epsilon(0.01)); // 32 lanes, a step in six cycles
    const std::string text = findings_of(probe_named("rate"), series, device->info()).at(0).text;
    CHECK(text.find(" on one core, the others idle, 96 operations a clock and core") != std::string::npos);
    CHECK(text.find("; one subgroup alone on the card takes 6 cycles a step") != std::string::npos);
}

TEST_CASE("sustained reads of memory count bytes") {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.bandwidth /= 1000; // seconds of it are simulated
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "sustained", "global", "quick", 1, {{"operation", "read"}});
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    CHECK(series.unit == "GB/s");
    CHECK(series.evidence.output_checked.find("sum of every word") != std::string::npos);
    CHECK(*last(series).median == doctest::Approx(card.bandwidth / 1e9).epsilon(0.1));
    const std::string text = findings_of(probe_named("sustained"), series, device->info()).at(0).text;
    CHECK(text.find("reads of ") != std::string::npos);
    CHECK(text.find("B/s") != std::string::npos);
    CHECK(text.find("op/s") == std::string::npos);
}

TEST_CASE("co-issue of dependent steps: in turn a chain takes the mean of both kinds") {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.operation.cycles = 6;
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "co-issue", "global", "quick", 1, {{"pair", "f32+i32"}, {"steps", "dependent"}});
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    REQUIRE(series.points.size() == 3);
    CHECK(findings_of(probe_named("co-issue"), series, device->info()).at(0).text.find("fma.f32 6 cycles a step, mad.u32 6, both in turn 6, their mean within 3 %") != std::string::npos);
}

TEST_CASE("loads of a table: rows follow one another, and come again after all of them") {
    const Operation& load = *find_operation("load-global.u32");
    std::vector<ChainState> lanes(kTableLanes);
    const std::uint32_t first = first_seed(Number::u32);
    for (std::uint32_t lane = 0; lane < kTableLanes; ++lane) lanes[lane].x = first + lane * 8 * seed_spacing(Number::u32);
    std::set<std::uint64_t> rows;
    for (const ChainState& lane : lanes) rows.insert(lane.x % kTableRows);
    CHECK(rows.size() == 1); // all lanes load from one row
    load.model(lanes, 0, 0, 1);
    auto one = lanes;
    for (std::uint32_t n = 0; n < kTableRows; ++n) {
        rows.insert(one[5].x % kTableRows);
        load.model(one, 0, 0, 1);
    }
    CHECK(rows.size() == kTableRows);
    CHECK(one[5].x == lanes[5].x);
    load.model(lanes, 0, 0, 1000000007);
    for (std::uint32_t n = 0; n < 1000000007 % kTableRows; ++n) load.model(one, 0, 0, 1);
    CHECK(one[31].x == lanes[31].x);
    CHECK(one[30].x != lanes[31].x);
}

TEST_CASE("co-issue: a modelled card with one unit for both kinds, and one with two") {
    const auto gain = [](bool adds_up, const char* pair) {
        CardModel card = model_cards().front();
        card.noise = 0;
        card.operation.cycles = 1;
        card.operation.per_cycle = 64;
        if (adds_up)
            for (const char* other : {"mad.u32", "load-scratchpad.u32"}) card.operations[other] = {.cycles = 1, .per_cycle = 64, .unit = "other"};
        const auto device = model_device(card, 1);
        const Series series = measured(*device, "co-issue", "global", "quick", 1, {{"pair", pair}});
        REQUIRE(series.status == Status::ok);
        const auto found = findings_of(probe_named("co-issue"), series, device->info());
        REQUIRE(found.size() == 1);
        return found[0].text;
    };
    CHECK(gain(true, "f32+i32").find("2.00 times the rate of one after the other") != std::string::npos);
    CHECK(gain(false, "f32+i32").find("1.00 times the rate of one after the other") != std::string::npos);
    CHECK(gain(true, "f32+scratchpad").find("2.00 times") != std::string::npos);
}
