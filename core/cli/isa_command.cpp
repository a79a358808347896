// Asks a worker for the listing, finds the load in it and prints both.
#include "core/cli/commands.h"

#include <algorithm>
#include <map>
#include <ostream>

#include <fmt/format.h>

#include "core/base/names.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/data/shared_options.h"
#include "core/device/operation.h"
#include "core/listing/listing.h"
#include "core/listing/sass_control.h"
#include "core/probes/probes.h"
#include "core/run/fleet.h"
#include "core/run/option.h"

namespace sonde {

namespace {
void check_target(std::span<const Backend> backends, const std::string& target) {
    std::vector<std::string> valid;
    for (const Backend& backend : backends)
        if (backend.targets)
            for (const std::string_view chip : backend.targets())
                valid.push_back(fmt::format("{}:{}", backend.api, chip));
    check_names("target", {target}, valid);
}

std::string load_text(const CompiledListing& compiled, const std::optional<LoadInstruction>& load) {
    const auto sentence = [](const std::string& text) { return wrapped(text, text_columns(), 4); };
    if (!load) return sentence(printable(load_evidence(compiled.listing, compiled.chases).note));
    std::string text = fmt::format(
        "{}: {}, line {}, {} in the loop, ", load->kind, printable_line(load->line), load->line_number, load->copies);
    const std::size_t between = load->between.size();
    text = sentence(text + (compiled.chases ? fmt::format("{} instruction{} between two of them{}", between,
                                                  between == 1 ? "" : "s", between ? ":" : "")
                                            : "independent of each other"));
    for (const std::string& line : load->between) text += fmt::format("    {}\n", printable_line(line));
    if (load->readfirstlane_in_loop) text += sentence("a lane's value is moved to a scalar register in the loop");
    return text;
}

/// The same of a kernel that measures its atomic instruction.
std::string atomics_text(const std::vector<AtomicInstruction>& atomics) {
    std::string text = atomics.empty() ? "no atomic instruction in the listing\n" : "";
    for (const AtomicInstruction& atomic : atomics)
        text += wrapped(
            fmt::format("{}: {}, line {}, {} of them{}{}{}", atomic.mnemonic, printable_line(atomic.line),
                atomic.line_number, atomic.copies, atomic.lock_loop ? ", a loop that tries until it succeeds" : "",
                atomic.combined_by.empty() ? "" : fmt::format(", one per subgroup after {}", atomic.combined_by),
                atomic.cache_control.empty() ? "" : ", followed by " + atomic.cache_control),
            text_columns(), 4);
    return text;
}

std::string loops_text(const SassControl& control) {
    if (control.instructions.empty()) return "no control information: it stands in machine code of sm_30 and later\n";
    std::string text;
    for (const LoopControl& loop : control.loops) {
        std::string line = fmt::format("loop of lines {} to {}: {} instructions, {} stall cycles", loop.first_line,
            loop.last_line, loop.instructions, loop.stall_cycles);
        for (const auto& [count, what] :
            {std::pair(loop.dual_issued, "issued with the next one"), {loop.waiting, "waiting for barriers"},
                {loop.yielding, "yielding"}, {loop.reusing, "with a reuse flag"}})
            if (count)
                line += fmt::format(", {} ({:.0f} %) {}", count,
                    100.0 * static_cast<double>(count) / static_cast<double>(loop.instructions), what);
        text += wrapped(line, text_columns(), 4);
    }
    return text;
}

/// `beside`: what stands in front of a line, by its number.
void print_marked(
    std::string_view listing, std::size_t marked, const std::map<std::size_t, std::string>& beside, std::ostream& out) {
    if (listing.ends_with('\n')) listing.remove_suffix(1);
    std::size_t width = 0;
    for (const auto& [number, text] : beside) width = std::max(width, text.size() + 1);
    std::size_t number = 0;
    if (!listing.empty())
        for (const std::string& line : split(listing, '\n')) {
            const auto found = beside.find(++number);
            out << (number == marked ? ">> " : "   ")
                << fmt::format("{:<{}}", found == beside.end() ? "" : found->second, width) << printable_line(line)
                << '\n';
        }
}

std::map<std::size_t, std::string> control_by_line(const SassControl& control) {
    std::map<std::size_t, std::string> texts;
    for (const ControlledInstruction& each : control.instructions)
        if (each.control) texts[each.line_number] = control_text(*each.control);
    return texts;
}

Json as_json(const ControlledInstruction& each) {
    const auto known = [](const std::optional<std::uint32_t>& value) { return value ? Json(*value) : Json(nullptr); };
    Json json = {{"address", each.address}, {"line", each.line_number}, {"instruction", each.instruction}};
    if (!each.control) return json;
    const IssueControl& control = *each.control;
    json.update({{"code", control.code}, {"stall", known(control.stall)}, {"dual", control.dual}});
    if (control.has_barriers)
        json.update({{"yield", control.yield}, {"write_barrier", known(control.write_barrier)},
            {"read_barrier", known(control.read_barrier)}, {"wait_mask", control.wait_mask}, {"reuse", control.reuse}});
    return json;
}

Json as_json(const SassControl& control) {
    Json instructions = Json::array(), loops = Json::array();
    for (const ControlledInstruction& each : control.instructions) instructions.push_back(as_json(each));
    for (const LoopControl& loop : control.loops)
        loops.push_back({{"first_line", loop.first_line}, {"last_line", loop.last_line},
            {"instructions", loop.instructions}, {"stall_cycles", loop.stall_cycles}, {"dual_issued", loop.dual_issued},
            {"waiting", loop.waiting}, {"yielding", loop.yielding}, {"reusing", loop.reusing}});
    return {{"instructions", instructions}, {"loops", loops}};
}

/// What a person can read of a listing: an ELF file is none of it.
std::string text_of(const Listing& listing) { return listing.kind == "elf" ? "" : listing.text; }

/// Of the first series that was asked for. Throws UsageError where the probe has none on the path.
Options asked_variant(const Probe& probe, const Path& path, const std::vector<std::string>& texts) {
    AskedOptions asked;
    for (const std::string& text : texts) add_asked_option(text, asked);
    if (asked.empty()) return probe.variants.empty() ? Options{} : probe.variants.front();
    const Probe* const only = &probe;
    check_options({&only, 1}, asked);
    const auto sets = option_sets(probe, path, asked);
    const auto has_all = [&](const Options& set) {
        return std::ranges::all_of(asked, [&](const auto& option) { return OptionName{option.first}.asked(set); });
    };
    const auto found = std::ranges::find_if(sets, has_all); // sets without an option are not ruled out by it
    if (found == sets.end())
        throw UsageError(fmt::format("no series of {} on {} has {}", probe.name, path.name, fmt::join(texts, " and ")));
    return *found;
}

std::vector<std::string> ids_of(const Fleet& fleet) {
    std::vector<std::string> ids;
    for (const Fleet::Entry& entry : fleet.devices()) ids.push_back(entry.info.id);
    return ids;
}

Json as_json(const CompiledListing& compiled, const std::optional<LoadInstruction>& load) {
    Json evidence = load_evidence(compiled.listing, compiled.chases);
    evidence.erase("kind"); // is the load's
    Json result = {{"kind", compiled.listing.kind}, {"listing_note", compiled.listing.note},
        {"load", load ? Json(load->kind) : Json(nullptr)}};
    result.update(evidence);
    if (compiled.atomic) {
        result["note"] = "what is measured is an atomic instruction";
        result["atomics"] = atomic_evidence(compiled.listing);
    }
    if (!compiled.step_instructions.empty()) result["step_instructions"] = compiled.step_instructions;
    result["listing"] = text_of(compiled.listing);
    return result;
}

bool is_of_sequence(const Options& variant) {
    const Operation* found = operation_of(variant);
    return found && is_sequence(*found);
}
} // namespace

int isa_command(std::span<const Backend> backends, std::span<const ApiDrivers> drivers, const IsaOptions& options,
    std::ostream& out, std::ostream& errors) {
    check_names("probe", {options.probe}, names_of_probes());
    const Probe& probe = probe_named(options.probe);
    const std::string path(options.path.empty() ? probe.paths[0] : options.path);
    check_names("path", {path}, names_of(all_paths()));
    if (std::ranges::find(probe.paths, path) == probe.paths.end())
        throw UsageError(fmt::format(
            "{} measures nothing on path {}; its paths: {}", probe.name, path, fmt::join(probe.paths, ", ")));
    if (options.device.empty() == options.target.empty())
        throw UsageError(
            "isa takes either --device, such as vulkan:0, or --target, such as vulkan:hawaii (sonde isa --help)");
    if (!options.target.empty()) check_target(backends, options.target);
    const Options variant = asked_variant(probe, path_named(path), options.options);
    const std::string& where = options.target.empty() ? options.device : options.target;
    const std::string api = where.substr(0, where.find(':'));
    check_names("API", {api}, names_of(backends, &Backend::api));
    const auto backend =
        std::find_if(backends.begin(), backends.end(), [&](const Backend& each) { return each.api == api; });

    const std::string chip = options.target.empty() ? "" : where.substr(api.size() + 1);
    const Fleet fleet({backend, 1}, options.silence_seconds, chip, chip.empty() ? drivers : decltype(drivers)());
    const auto device = std::find_if(fleet.devices().begin(), fleet.devices().end(),
        [&](const Fleet::Entry& entry) { return entry.info.id == where || where == api; });
    if (device == fleet.devices().end()) {
        for (const auto& absence : fleet.absent())
            errors << error_lines(fmt::format("sonde: {}: {}", where, printable(absence.reason)));
        if (fleet.absent().empty())
            errors << error_lines(fmt::format(
                "sonde: {} is not here; what is here of {}: {}", where, api, fmt::join(ids_of(fleet), ", ")));
        return options.target.empty() && !fleet.failed() ? 3 : 1;
    }
    const CompiledListing compiled = device->worker->listing({options.probe, device->info.id, path, variant});
    if (compiled.outcome.status != Status::ok) {
        errors << error_lines(fmt::format("sonde: {} on {}: {}", path, where, compiled.outcome.reason));
        return 1;
    }
    const auto load = compiled.atomic ? std::nullopt
                                      : (compiled.chases ? find_load : find_summed_load)(
                                            compiled.listing.kind, compiled.listing.text);
    const SassControl control = options.control && compiled.listing.kind == "sass"
                                    ? read_control(compiled.listing.text, compiled.listing.words)
                                    : SassControl{};
    if (options.json) {
        Json json = as_json(compiled, load);
        if (options.control) json["control"] = as_json(control);
        return print_json(json, out);
    }
    const auto atomics = compiled.atomic ? count_atomics(compiled.listing.kind, compiled.listing.text)
                                         : std::vector<AtomicInstruction>{};
    const auto say = [&out](const std::string& sentence) {
        out << (sentence.empty() ? "" : wrapped(printable(sentence), text_columns(), 4));
    };
    say(fmt::format("{} on {}, {} ({}), kernel {}, workgroup of {}", options.probe, path, device->info.id,
        device->info.name, compiled.kernel, compiled.group_size));
    say(compiled.listing.note);
    if (compiled.listing.kind.empty()) { // a sentence in place of a listing
        say(compiled.listing.text);
        return 0;
    }
    if (text_of(compiled.listing).empty()) {
        if (compiled.listing.note.empty()) say("this driver hands out a compiled program and no listing of it");
        return 0;
    }
    out << (compiled.atomic ? atomics_text(atomics)
               : !compiled.step_instructions.empty()
                   ? wrapped(fmt::format("a step of a chain is {}{}", is_of_sequence(variant) ? "a sequence: " : "",
                                 step_instructions_text(compiled.step_instructions)),
                         text_columns(), 4)
                   : load_text(compiled, load))
        << (options.control ? loops_text(control) : "") << "\n";
    print_marked(text_of(compiled.listing),
        !atomics.empty() ? atomics[0].line_number
        : load           ? load->line_number
                         : 0,
        control_by_line(control), out);
    return 0;
}

} // namespace sonde
