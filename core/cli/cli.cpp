// Carries out the command that is asked for; thrown errors become one line each.
#include "core/cli/cli.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/process.h"
#include "core/base/system.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/command_line.h"
#include "core/data/footprints.h"
#include "core/probes/probes.h"
#include "core/run/device_words.h"
#include "core/run/machines.h"
#include "core/run/remote.h"
#include "core/run/worker.h"

namespace sonde {

namespace {
using Words = std::vector<std::string>;

/// Device words are ids, API names, addresses and UUIDs of cards, `all` or `gpu`. A well-formed one that is not here is
/// not a usage error: exit 3 says so.
void check_device_words(const Words& words, const Fleet& fleet, const Words& apis) {
    Words valid;
    for (const auto& device : fleet.devices()) valid.push_back(device.info.id);
    valid.insert(valid.end(), apis.begin(), apis.end());
    valid.insert(valid.end(), {std::string(kAllDevices), std::string(kGpus)});
    for (const std::string& word : words) {
        const auto colon = word.find(':');
        const bool numbered = colon != std::string::npos && colon + 1 < word.size() &&
                              word.find_first_not_of("0123456789.", colon + 1) == std::string::npos;
        const bool known_api = std::find(apis.begin(), apis.end(), word.substr(0, colon)) != apis.end();
        if (!(numbered && known_api) && !is_card_word(word)) check_names("device", {word}, valid);
    }
}

/// Throws UsageError where no probe takes footprints, with those that do.
void check_sweeps(std::span<const Probe* const> wanted) {
    const auto sweeps = [](const Probe* probe) {
        return std::ranges::find(probe->accepts, option::footprint.name, &Accepted::name) != probe->accepts.end();
    };
    if (std::ranges::any_of(wanted, sweeps)) return;
    std::vector<std::string_view> names, others;
    for (const Probe* probe : all_probes())
        if (sweeps(probe)) names.push_back(probe->name);
    others.reserve(wanted.size());
    for (const Probe* probe : wanted) others.push_back(probe->name);
    throw UsageError(fmt::format("--footprint: {} sweep{} no footprints; {} do", fmt::join(others, ", "),
        others.size() == 1 ? "s" : "", fmt::join(names, ", ")));
}

ProgressBoard::Form form_for_a_person() {
    return standard_error_is_terminal() ? ProgressBoard::Form::in_place : ProgressBoard::Form::sparse;
}

std::vector<Machine> machines_of(const Words& via) {
    std::vector<Machine> all;
    for (const std::string& words : via) {
        all.push_back({words, split_at_blanks(words)});
        if (all.back().launcher.empty()) throw UsageError("--via: no launcher in it, such as 'ssh lab7'");
    }
    return all;
}
} // namespace

int CommandLine::carry_out() {
    if (const auto code = parse()) return *code;
    const auto colors = enum_names(Colors{});
    check_names("colours", {colors_}, {colors.begin(), colors.end()});
    use_colors(static_cast<Colors>(std::find(colors.begin(), colors.end(), colors_) - colors.begin()));
    if (!has_command()) {
        listen_for_interrupts();
        return welcome_command(Fleet(backends_, kPatience, "", checkup_.drivers), std::cout);
    }
    const Action& action = actions_.at(&command());
    if (!takes("--via")) return action();
    listen_for_interrupts(); // drivers are opened, here or there
    if (for_another_) live_behind_launcher(run_.resume == "-");
    if (via_.empty() || name_of_command() == "run" || name_of_command() == "check") return action();
    const std::vector<Machine> machines = machines_of(via_);
    if (machines.size() > 1) throw UsageError("--via: only run and check take more than one");
    return remote_command(machines.front().launcher, arguments({"--via"}), silence_seconds_, std::cout, std::cerr);
}

void CommandLine::check_run() {
    if (std::ranges::find(run_.probes, "help") != run_.probes.end())
        throw UsageError("run: 'help' is no probe; 'sonde run --help' tells of run, and 'sonde probes' of its probes");
    check_names("probe", run_.probes, probes_and_all());
    check_names("path", run_.paths, names_of(all_paths()));
    for (const std::string& text : asked_options_) add_asked_option(text, run_.options);
    if (!footprint_.empty()) run_.options[std::string(option::footprint.name)] = {footprint_word(footprint_)};
    if (given("--profile")) check_names("profile", {run_.profile}, names_of(all_profiles()));
    fill_in(run_);
    const std::vector<const Probe*> wanted = wanted_probes(run_);
    if (!footprint_.empty()) check_sweeps(wanted);
    check_options(wanted, run_.options);
    check_is_new(run_.out);
    if (run_.resume != "-") check_is_file(run_.resume);
}

int CommandLine::run() {
    check_run();
    if (const auto machines = machines_of(via_); !machines.empty()) {
        const bool goes_on = !run_.resume.empty();
        if (goes_on && machines.size() > 1)
            throw UsageError("--resume goes on with one machine's file: name that machine's --via alone");
        std::vector<std::filesystem::path> files;
        const int code = run_on_machines(
            {.machines = machines,
                .options = run_,
                .arguments = arguments({"--via", "--out", "--resume"}, {goes_on ? "--resume" : "--out", "-"}),
                .silence_seconds = silence_seconds_,
                .progress = form_for_a_person()},
            std::cout, std::cerr, files);
        if (goes_on && files.empty()) files = {run_.resume};
        for (const std::filesystem::path& file : files)
            if (file != "-") print_answer(file, std::cout);
        return code;
    }
    std::istringstream before; // taken before drivers are opened, which may hang: who sends it waits
    if (run_.resume == "-") {
        std::string text;
        read_rest(std::cin, text, kLargestRun);
        before.str(std::move(text));
        std::cin.rdbuf(before.rdbuf());
    }
    Fleet fleet(backends_, silence_seconds_, "", checkup_.drivers);
    check_device_words(run_.devices, fleet, apis_);
    ProgressBoard board(std::cerr, for_another_ ? ProgressBoard::Form::lines : form_for_a_person(), 1);
    const bool lines_out = run_.out == "-" || run_.resume == "-";
    if (run_.out.empty() && run_.resume.empty()) run_.out = default_results_name();
    std::ostream nobody(nullptr);
    const int code = run_command(fleet, run_,
        {for_another_   ? nobody
            : lines_out ? std::cerr
                        : std::cout,
            std::cerr, board});
    board.clear();
    const std::filesystem::path& file = run_.resume.empty() ? run_.out : run_.resume;
    if (!lines_out && std::filesystem::exists(file)) print_answer(file, std::cout);
    return code;
}

int CommandLine::measure_for_check(const std::filesystem::path& out_file) {
    std::ostream nobody(nullptr);
    std::vector<std::filesystem::path> files;
    int code = 0;
    if (const auto machines = machines_of(via_); !machines.empty()) {
        RunOptions options;
        options.out = out_file;
        code = run_on_machines(
            {.machines = machines,
                .options = options,
                .arguments = arguments(
                    {"--via", "--out", "--against", "--tolerance", "--json", "--metrics", "--full"}, {"--out", "-"}),
                .silence_seconds = silence_seconds_,
                .progress = form_for_a_person()},
            nobody, std::cerr, files);
    } else {
        Fleet fleet(backends_, silence_seconds_, "", checkup_.drivers);
        check_device_words(check_.devices, fleet, apis_);
        RunOptions options = health_run(fleet, check_.devices);
        options.command = run_.command;
        options.out = out_file;
        ProgressBoard board(std::cerr, for_another_ ? ProgressBoard::Form::lines : form_for_a_person(), 1);
        code = run_command(fleet, options, {nobody, std::cerr, board});
        board.clear();
        if (std::filesystem::exists(out_file)) files.push_back(out_file);
    }
    for (const std::filesystem::path& file : files) check_.files.push_back(file.string());
    return code;
}

int CommandLine::check() {
    tolerance_of(check_.tolerance); // what is wrong is said before a minute is gone
    if (!check_.files.empty()) {
        if (!via_.empty() || !check_out_.empty())
            throw UsageError("check of results files measures nothing: it takes no --via and no --out");
        return check_command(check_, std::cout, std::cerr);
    }
    for (const std::string& file : check_.against) read_runs_and_warn(file, std::cerr);
    std::optional<TemporaryFolder> folder;
    std::filesystem::path out = check_out_;
    if (out.empty()) out = folder.emplace().path() / "check.jsonl";
    else check_is_new(out);
    const int code = measure_for_check(out);
    if (check_out_ == "-" || code == kInterrupted || check_.files.empty()) return code;
    const int judged = check_command(check_, std::cout, std::cerr);
    return judged ? judged : code; // of a machine that did not answer there is no card
}

int CommandLine::devices() {
    const Fleet fleet(backends_, silence_seconds_, "", checkup_.drivers);
    check_device_words(device_words_, fleet, apis_);
    return devices_command(fleet, {form(), facts_, device_words_}, std::cout);
}

int CommandLine::help() const {
    if (!explained_command_.empty()) check_names("command", {explained_command_}, command_names());
    std::cout << help_text(texts(), explained_command_, text_columns());
    return 0;
}

int CommandLine::serve() const {
    for (const ApiDrivers& each : checkup_.drivers)
        if (each.api == api_ && !driver_.empty()) each.choose(driver_);
    for (const Backend& backend : backends_)
        if (backend.api == api_ && (target_.empty() || backend.open_target))
            return serve_worker(backend, target_, telemetry_);
    throw UsageError(fmt::format("no API '{}'", api_));
}

int run_cli(int argc, char** argv, std::span<const Backend> backends, std::span<const OpenTelemetry> telemetry,
    const Checkup& checkup) {
    open_standard_streams();
    writing_fails_with_errors();
    end_without_memory(true);
    const auto complain = [](int code, const std::string& words) {
        std::cerr << styled(Style::failure, "sonde:", true) + " " +
                         error_lines(
                             printable(words), std::string_view("sonde: ").size()); // at once: others write there, too
        return code;
    };
    argv = own_arguments(argv);
    for (argc = 0; argv[argc]; ++argc) {
    }
    try {
        need_stack(argv);
        CommandLine line(argc, argv, backends, telemetry, checkup);
        const int code = line.carry_out();
        if (!std::cout.flush() && !output_has_no_reader())
            throw Error("standard output: cannot write"); // a pager that was left has what it wanted
        return code;
    } catch (const UsageError& error) {
        return complain(2, error.what());
    } catch (const std::filesystem::filesystem_error& error) {
        return complain(1, fmt::format("{}: {}", error.path1().string(), error.code().message()));
    } catch (const Json::exception&) {
        return complain(1, "what was read holds a value of another kind than it should");
    } catch (const std::exception& error) {
        return complain(stop_asked ? kInterrupted : 1, error.what());
    }
}

} // namespace sonde
