// Listings as evidence.
#include "core/measure/kernel_evidence.h"

#include <cmath>

#include <fmt/format.h>

#include "core/device/kernel_source.h"
#include "core/listing/listing.h"
#include "core/listing/sass_control.h"

namespace sonde {

LoadEvidence load_evidence(const Listing& listing, bool chases) {
    const auto load = chases ? find_load(listing.kind, listing.text) : find_summed_load(listing.kind, listing.text);
    if (load)
        return {.instruction = load->line,
            .kind = load->kind,
            .line = load->line_number,
            .unroll = load->copies,
            .address_instructions = load->between,
            .readfirstlane_in_loop = load->readfirstlane_in_loop};
    if (listing.kind.empty()) return {.note = listing.text};
    if (!is_readable_listing(listing.kind))
        return {.note = fmt::format("a listing of kind '{}' shows no instructions", listing.kind)};
    return {
        .note = chases ? "no load in the listing feeds its own next address" : "no loop in the listing sums up loads"};
}

std::vector<AtomicEvidence> atomic_evidence(const Listing& listing) {
    std::vector<AtomicEvidence> atomics;
    for (const AtomicInstruction& atomic : count_atomics(listing.kind, listing.text))
        atomics.push_back({.instruction = atomic.line,
            .kind = atomic.mnemonic,
            .line = atomic.line_number,
            .unroll = atomic.copies,
            .cache_control = atomic.cache_control,
            .combined_by = atomic.combined_by,
            .lock_loop = atomic.lock_loop});
    return atomics;
}

namespace {
constexpr double kNotUnrolled = 256; // instructions of a loop that no compiler is known to unroll further

/// How many times over the loop holds an operation's own instruction that so many steps of it need: compilers unroll
/// loops further. Throws Error where it holds fewer; 1 where the operation has none of its own.
double times_over(
    const std::map<std::string, std::size_t>& loop, const std::string& kind, const Operation& operation, double steps) {
    const std::string_view own = kind == "sass" ? operation.sass : kind == "gcn" ? operation.gcn : operation.gen;
    if (own.empty()) return 1;
    auto measured = static_cast<double>(counted(loop, own));
    if (kind != "sass" && !operation.of_one.empty())
        measured += static_cast<double>(counted(loop, operation.of_one)) / 2;
    if (measured < steps * operation.in_step)
        throw Error(fmt::format("the listing's loop holds {:.0f} instructions {} where {:.0f} steps of {} need {:.0f}",
            measured, own, steps, operation.name, steps * operation.in_step));
    const bool whole = operation.matrix || is_sequence(operation) ||
                       steps * operation.in_step >=
                           kNotUnrolled; // else an operation of several such instructions looks like a loop unrolled
    return whole ? 1 : std::floor(measured / (steps * operation.in_step));
}
/// Of all chains, in one trip of the loop that a compiler made of it.
double steps_in_trip(
    const std::map<std::string, std::size_t>& loop, const std::string& kind, const KernelChoice& choice) {
    const double unrolled =
        times_over(loop, kind, *choice.operation, static_cast<double>(choice.chains) * choice.repeat);
    if (choice.second)
        times_over(loop, kind, *choice.second, static_cast<double>(choice.second_chains) * choice.repeat);
    return static_cast<double>(choice.chains + choice.second_chains) * choice.repeat * unrolled;
}

std::optional<LoopIssueEvidence> loop_issue(const Listing& listing, const KernelChoice& choice) {
    const SassControl control = listing.kind == "sass" ? read_control(listing.text, listing.words) : SassControl{};
    if (control.loops.empty()) return std::nullopt;
    const LoopControl& loop = control.loops.back();
    LoopIssueEvidence issue{.instructions = static_cast<double>(loop.instructions),
        .stall_cycles = static_cast<double>(loop.stall_cycles),
        .dual_issued = static_cast<double>(loop.dual_issued),
        .waiting = static_cast<double>(loop.waiting)};
    if (choice.operation) issue.steps = steps_in_trip(count_loop(listing.kind, listing.text), listing.kind, choice);
    return issue;
}
} // namespace

std::map<std::string, double> step_instructions(const Listing& listing, const KernelChoice& choice) {
    if (!shows_machine_code(listing.kind)) return {};
    const std::map<std::string, std::size_t> loop = count_loop(listing.kind, listing.text);
    const double steps = steps_in_trip(loop, listing.kind, choice);
    std::map<std::string, double> of_step;
    for (const auto& [mnemonic, count] : loop)
        if (static_cast<double>(count) >= steps / 20) of_step[mnemonic] = static_cast<double>(count) / steps;
    return of_step;
}

KernelEvidence kernel_evidence(
    const Listing& listing, const std::vector<Fact>& facts, const KernelChoice& choice, const Path& path) {
    const std::string& kind = listing.kind;
    const bool machine_code = shows_machine_code(kind) || kind == "elf" || kind == "c++";
    const std::string note = !listing.note.empty() ? listing.note
                             : kind.empty()        ? listing.text
                             : machine_code
                                 ? ""
                                 : "the driver shows no machine code: this is what it was given, or what it handed out";
    KernelEvidence shown{.name = choice.name,
        .text_hash = text_hash(kernel_source(choice.name).text),
        .listing = {kind, kind.empty() ? "" : text_hash(listing.text), note},
        .load = load_evidence(listing, choice.chases)};
    if (const std::size_t instructions = machine_code && !choice.operation ? count_instructions(kind, listing.text) : 0)
        shown.listing.instructions = static_cast<double>(instructions);
    for (const auto& [word, value] : build_defines(choice.build(path))) shown.defines[word] = value;
    shown.defines["GROUP_SIZE"] = std::to_string(choice.group_size);
    auto atomics = atomic_evidence(listing);
    if (choice.atomic && is_readable_listing(kind))
        shown.load = {.note = atomics.empty() ? "no atomic instruction in the listing"
                                              : "what is measured is an atomic instruction"};
    if (choice.operation) {
        shown.load = {.note = "what is measured is arithmetic"};
        shown.step_instructions = step_instructions(listing, choice);
    }
    shown.loop_issue = loop_issue(listing, choice);
    if (choice.atomic || !atomics.empty()) shown.atomics = std::move(atomics);
    for (const Fact& fact : facts) shown.facts[fact.name] = fact.value;
    return shown;
}

} // namespace sonde
