// Conformance, once per device of every backend: what chains of operations leave, reads of the clock, and branches of a
// subgroup.
#include <set>

#include <doctest/doctest.h>

#include <fmt/format.h>

#include "core/device/kernel_source.h"
#include "core/device/operation.h"
#include "core/measure/arithmetic.h"
#include "core/measure/matrix_units.h"
#include "tests/backends/conformance.h"

using namespace sonde;
using namespace sonde::words;

namespace {

std::unique_ptr<Kernel> compiled_choice(Device& device, const KernelChoice& choice, const Path& path) {
    return device.compile(kernel_source(choice.name), choice.build(path));
}

/// Two workgroups whose chains go some steps; the host follows some lanes of each.
void check_chains(Device& device, const Path& path, const KernelChoice& choice) {
    constexpr uint kRounds = 3, kGroups = 2;
    CAPTURE(std::string(choice.operation->name));
    CAPTURE(choice.chains);
    const auto kernel = compiled_choice(device, choice, path);
    const std::size_t kinds = choice.second ? 2 : 1, group_words = 4 + choice.group_size * kinds;
    const auto out = untouched(device, group_words * kGroups);
    const auto table = choice.b ? uploaded(device, Space::global, table_words()) : nullptr;
    Sources with{.b = table.get(), .groups = kGroups};
    if (choice.b && choice.b->stage == Stage::scratchpad) with.scratchpad_bytes = static_cast<uint>(table->bytes());
    launch(device, *kernel, arithmetic_args(choice, kRounds), *out, with);
    const Words words = downloaded(device, *out, group_words * kGroups);
    for (std::size_t group = 0; group < kGroups; ++group)
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            FollowedChains followed(kind ? *choice.second : *choice.operation, choice.group_size,
                device.info().subgroup, kind ? choice.second_chains : choice.chains);
            CHECK_NOTHROW(followed.check(
                std::span(words).subspan(group * group_words + 4 + kind * choice.group_size, choice.group_size),
                std::uint64_t{kRounds} * choice.repeat));
        }
}

/// Every operation that the device has.
CONFORMANCE(arithmetic, "global") {
    for (const Operation& operation : all_operations()) {
        if (why_lacking(device, operation)) continue;
        for (const uint chains : thorough() ? std::vector<uint>{1, 2, 4, 8} : std::vector<uint>{4})
            check_chains(device, path, arithmetic_kernel(device.info(), operation, chains, 4));
    }
    if (why_lacking(device, *find_operation("mad.u32"))) return; // no arithmetic at all
    for (const char* second : {"mad.u32", "load-scratchpad.u32"})
        check_chains(
            device, path, arithmetic_kernel(device.info(), *find_operation("fma.f32"), *find_operation(second), 3, 4));
    constexpr std::pair<const char*, const char*> kAlternating[] = {{"fma.f32", "mad.u32"}, {"fma.f32", "fma.f64"},
        {"fma.f32", "rcp.f32"}, {"mad.u32", "fma.f16x2"}, {"mad.u32", "load-global.u32"},
        {"load-scratchpad.u32", "load-scratchpad.u32"}};
    for (const auto& pair : kAlternating) {
        const Operation &first = *find_operation(pair.first), &second = *find_operation(pair.second);
        if (!why_lacking(device, first) && !why_lacking(device, second))
            check_chains(device, path, alternating_kernel(device.info(), first, second, 4));
    }
}

/// Every matrix form that the device has, in two workgroups: all sums against the host's. Each reason of those that it
/// lacks stands once.
CONFORMANCE(matrix, "global") {
    constexpr uint kRounds = 3, kGroups = 2;
    std::set<std::string> lacking;
    for (const Operation& operation : all_matrix_forms()) {
        if (const auto reason = why_lacking(device, operation)) {
            lacking.insert(*reason);
            continue;
        }
        for (const DataKind data : {DataKind::integers, DataKind::zeros}) {
            const MatrixForm& form = *operation.matrix;
            const uint chain_count = form.operands == MatrixForm::Operands::tiles ? 1 : 4;
            CAPTURE(std::string(operation.name));
            const KernelChoice choice = matrix_kernel(device.info(), operation, chain_count, 4, 2);
            const MatrixChains chains(form, chain_count, data);
            const auto kernel = compiled_choice(device, choice, path);
            const auto operands = uploaded(device, Space::global, chains.operands());
            const uint teams = choice.group_size / form.lanes(device.info().subgroup);
            const std::size_t group_words = 4 + teams * chains.words();
            const auto out = untouched(device, group_words * kGroups);
            launch(device, *kernel, kernel_args::Matrix{.rounds = kRounds}, *out,
                {.a = operands.get(), .groups = kGroups, .scratchpad_bytes = matrix_scratchpad_bytes(form)});
            const Words words = downloaded(device, *out, group_words * kGroups);
            for (uint group = 0; group < kGroups; ++group)
                for (uint team = 0; team < teams; ++team)
                    CHECK_NOTHROW(chains.check(
                        std::span(words).subspan(group * group_words + 4 + team * chains.words(), chains.words()),
                        std::uint64_t{kRounds} * choice.repeat));
        }
    }
    for (const std::string& reason : lacking) MESSAGE(device.info().id, ": ", reason);
    CHECK(!lacking.empty()); // no device has all forms
}

/// No read is earlier than the first, of each counter; and what the chain between reads arrives at.
CONFORMANCE(clock_read, "global") {
    const DeviceInfo& info = device.info();
    if (info.clock.empty() || device.why_lacking(Feature::repeated_text, false)) return;
    std::vector<std::vector<std::pair<std::string, std::string>>> counters{{}};
    if (info.has(OtherClock::ptx_clock)) counters.push_back({{"READS_CLOCK", "1"}});
    if (info.has(OtherClock::ptx_globaltimer)) counters.push_back({{"READS_GLOBALTIMER", "1"}});
    if (info.has(OtherClock::shader_device)) counters.push_back({{"READS_DEVICE_CLOCK", "1"}});
    for (const auto& counter : counters)
        for (const int between : {-1, 0, 1, 4, 16}) {
            KernelChoice choice{.name = "clock_read",
                .group_size = info.subgroup,
                .defines = counter,
                .needs = {Feature::repeated_text},
                .repeat = 8};
            if (between >= 0) choice.defines.emplace_back("BETWEEN", std::to_string(between));
            const auto kernel = compiled_choice(device, choice, path);
            const auto out = untouched(device, 6 * choice.group_size);
            launch(device, *kernel, kernel_args::ClockRead{.rounds = 4}, *out, {});
            const Words words = downloaded(device, *out, 6 * choice.group_size);
            uint number = 1;
            for (int step = 0; step < 4 * 8 * between; ++step) number = number * number + 1013904223u;
            for (uint item = 0; item < choice.group_size; ++item) {
                CHECK(words[item * 6 + 4] < 1u << 31);
                CHECK(words[item * 6 + 5] == number);
            }
        }
}

/// Every lane goes through its own branch.
CONFORMANCE(divergence, "global") {
    if (device.info().api == "host") return; // it has no such kernel
    constexpr uint kRounds = 2, kSteps = 256;
    const KernelChoice choice{.name = "divergence", .group_size = device.info().subgroup};
    const auto kernel = compiled_choice(device, choice, path);
    for (const uint lone : {0u, 1u}) {
        constexpr uint kPaths = 3;
        const auto out = untouched(device, 4 + choice.group_size);
        launch(device, *kernel, kernel_args::Divergence{.rounds = kRounds, .paths = kPaths, .lone = lone}, *out, {});
        const Words words = downloaded(device, *out, 4 + choice.group_size);
        for (uint lane = 0; lane < choice.group_size; ++lane) {
            const uint branch = !lone ? lane % kPaths : lane + 1 < kPaths ? lane + 1 : 0;
            uint number = lane;
            for (uint step = 0; step < kRounds * kSteps; ++step)
                number = number * number + (branch * 2654435761u + 1013904223u);
            CHECK(words[4 + lane] == number);
        }
    }
}

} // namespace
