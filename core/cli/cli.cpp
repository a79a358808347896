// The command line: what the commands are asked, thrown errors to one line each.
#include "core/cli/cli.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/system.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/commands.h"
#include "core/probes/probes.h"
#include "core/run/ask_driver.h"
#include "core/run/machines.h"
#include "core/run/remote.h"
#include "core/run/run.h"
#include "core/run/worker.h"

namespace sonde {

namespace {
using Words = std::vector<std::string>;

CLI::Validator above_zero() {
    return CLI::Validator(
        [](std::string& text) {
            const auto value = number_of<double>(text);
            return value && *value > 0 && std::isfinite(*value) ? std::string() : fmt::format("'{}' is no number above 0", text);
        },
        "NUMBER");
}

CLI::Validator whole_number() {
    return CLI::Validator(
        [](std::string& text) {
            return number_of<std::uint32_t>(text) ? std::string() : fmt::format("'{}' is no whole number from 0 to {}", text, std::numeric_limits<std::uint32_t>::max());
        },
        "NUMBER");
}

/// The second time ends the program at once, but for what comes twice by itself: from a terminal that closes, and from timeout(1), which tells the program and its group.
void on_interrupt(int signal) {
    constexpr std::chrono::milliseconds kOfOneMind{300};
    static std::chrono::steady_clock::time_point first;
    const auto now = std::chrono::steady_clock::now();
    if (stop_asked && signal != SIGHUP && now - first > kOfOneMind) std::_Exit(kInterrupted);
    if (!stop_asked) first = now;
    stop_asked = 1;
}

void listen_for_interrupts() {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, on_interrupt);
    if (std::signal(SIGHUP, on_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN); // nohup
}

/// Device words are ids or API names. A well-formed one that is not here is not a usage error: exit 3 says so.
void check_device_words(const Words& words, const Fleet& fleet, const Words& apis) {
    Words valid;
    for (const auto& device : fleet.devices()) valid.push_back(device.info.id);
    valid.insert(valid.end(), apis.begin(), apis.end());
    for (const std::string& word : words) {
        const auto colon = word.find(':');
        const bool numbered = colon != std::string::npos && colon + 1 < word.size() && word.find_first_not_of("0123456789.", colon + 1) == std::string::npos;
        const bool known_api = std::find(apis.begin(), apis.end(), word.substr(0, colon)) != apis.end();
        if (!(numbered && known_api)) check_names("device", {word}, valid);
    }
}

/// What was asked of a command, as arguments for another machine, but for the options `not_there`.
Words arguments_of(const CLI::App& command, const Words& not_there, Words arguments = {}) {
    arguments.insert(arguments.begin(), command.get_name());
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_name();
        if (std::find(not_there.begin(), not_there.end(), name) != not_there.end()) continue;
        for (const std::string& value : option->results()) {
            if (!option->get_positional()) arguments.push_back(name);
            if (option->get_items_expected_max() > 0) arguments.push_back(value);
        }
    }
    return arguments;
}

std::vector<Machine> machines_of(const Words& via) {
    std::vector<Machine> all;
    for (const std::string& words : via) {
        all.push_back({words, CLI::detail::split_up(words)});
        if (all.back().launcher.empty()) throw UsageError("--via: no launcher in it, such as 'ssh lab7'");
    }
    return all;
}

/// The commands with their options, what was given for these, and what each command then does.
class CommandLine {
public:
    CommandLine(int argc, char** argv, std::span<const Backend> backends, std::span<const OpenTelemetry> telemetry, const Checkup& checkup);
    /// The exit code of the command that is asked for.
    int carry_out();
    CLI::App app{"Probes memory hierarchies, arithmetic and matrix units with the same tests through CUDA, OpenCL, Vulkan and the host", "sonde"};

private:
    using Action = std::function<int()>;
    CLI::App& add(const std::string& name, const std::string& description, Action action);
    /// One that opens drivers.
    CLI::App& add_with_fleet(const std::string& name, const std::string& description, Action action);
    /// What all of those take, behind their own options.
    void add_fleet_options();
    void add_json(CLI::App& command) { command.add_flag("--json", json_, "One JSON array"); }
    /// An option whose values a shell can complete.
    CLI::Option* one_of(Words words, CLI::Option* option);
    CLI::Option* file(CLI::Option* option);
    void add_lists();
    void add_doctor();
    void add_run();
    void add_readers();
    void add_isa();
    void add_manual_and_servers();

    Form form() const { return json_ ? Form::json : markdown_ ? Form::markdown : Form::text; }
    void check_run();
    int run();
    int serve() const;
    std::vector<CommandText> texts() const;
    std::string help_of(const CLI::App*) const;
    std::string nearest_option(const std::string& word) const;

public:
    /// What is wrong with the words, and where help is.
    std::string complaint(const CLI::ParseError&) const;

private:

    int argc_;
    char** argv_;
    std::span<const Backend> backends_;
    std::span<const OpenTelemetry> telemetry_;
    Checkup checkup_;
    Words apis_;
    std::map<const CLI::App*, Action> actions_;
    std::map<const CLI::Option*, Words> words_;
    std::vector<CLI::App*> fleet_commands_;
    std::set<const CLI::Option*> files_; // whose values are names of files

    Words via_, asked_options_, words_of_cards_, explained_;
    double silence_seconds_ = 60;
    bool json_ = false, evidence_ = false, markdown_ = false, facts_ = false, for_another_ = false;
    std::string api_, target_, question_, argument_, file_, manual_form_, colors_ = "auto";
    RunOptions run_;
    ShowOptions show_;
    IsaOptions isa_;
    LevelsOptions levels_;
    ImportOptions import_;
    ReportOptions report_;
    CompareOptions compare_;
};

CommandLine::CommandLine(int argc, char** argv, std::span<const Backend> backends, std::span<const OpenTelemetry> telemetry, const Checkup& checkup)
    : argc_(argc), argv_(argv), backends_(backends), telemetry_(telemetry), checkup_(checkup), apis_(names_of(backends, &Backend::api)) {
    run_.command.assign(argv, argv + argc);
    run_.command[0] = "sonde";
    app.set_version_flag("--version", "sonde " SONDE_VERSION, "The version");
    app.set_help_flag("-h,--help", "What can be asked for");
    app.require_subcommand(1);
    app.fallthrough();
    app.formatter_fn([this](const CLI::App* command, const std::string&, CLI::AppFormatMode) { return help_of(command); });
    one_of({"auto", "always", "never"}, app.add_option("--color", colors_, "Colours: auto (on a terminal, unless NO_COLOR is set), always or never"));
    add_lists();
    add_doctor();
    add_run();
    add_readers();
    add_isa();
    add_fleet_options();
    add_manual_and_servers();
}

CLI::App& CommandLine::add(const std::string& name, const std::string& description, Action action) {
    CLI::App* command = app.add_subcommand(name, description);
    actions_[command] = std::move(action);
    return *command;
}

CLI::App& CommandLine::add_with_fleet(const std::string& name, const std::string& description, Action action) {
    CLI::App& command = add(name, description, std::move(action));
    fleet_commands_.push_back(&command);
    return command;
}

void CommandLine::add_fleet_options() {
    for (CLI::App* command : fleet_commands_) {
        const bool run = command->get_name() == "run";
        CLI::Option* via = command->add_option("--via", via_, fmt::format("Run on the machine behind this launcher, such as 'ssh lab7' or 'srun -N1 -w node3 --gpus=1' (words are split at blanks){}", run ? "; may be repeated: all at once, a results file each" : ""));
        via->allow_extra_args(false);
        if (command->get_name() == "isa") via->excludes(command->get_option("--target"));
        command->add_option("--worker-timeout", silence_seconds_, "Seconds without output before a driver's process is killed (default: 60)")->check(above_zero());
    }
}

CLI::Option* CommandLine::one_of(Words words, CLI::Option* option) {
    words_[option] = std::move(words);
    return option;
}

CLI::Option* CommandLine::file(CLI::Option* option) {
    files_.insert(option);
    return option->check([](const std::string& name) -> std::string { return name.empty() ? "an empty name; name a file, or '-'" : ""; });
}

void CommandLine::add_lists() {
    CLI::App& devices = add_with_fleet("devices", "What is here, which devices are one card, and why an API is absent",
                                       [this] { return devices_command(Fleet(backends_, silence_seconds_), form(), facts_, std::cout); });
    devices.add_flag("-v,--verbose", facts_, "What each driver says of its device, too (--json: always)");
    CLI::App& paths = add_with_fleet("paths", "Path x device: yes, or the reason why not", [this] { return paths_command(Fleet(backends_, silence_seconds_), form(), std::cout); });
    CLI::App& operations = add_with_fleet("operations", "Operation x device: yes, or the reason why not", [this] { return operations_command(Fleet(backends_, silence_seconds_), form(), std::cout); });
    CLI::App& probes = add("probes", "Name, question and unit of every probe; with a name: what it does, its axes, options and literature", [this] { return probes_command(explained_, form(), std::cout); });
    one_of(names_of_probes(), probes.add_option("probe", explained_, "What is explained"));
    for (CLI::App* command : {&devices, &paths, &operations, &probes}) add_json(*command);
    for (CLI::App* command : {&paths, &operations, &probes}) command->add_flag("--markdown", markdown_, "A table for a README")->excludes(command->get_option("--json"));
}

void CommandLine::add_doctor() {
    CLI::App& doctor = add_with_fleet("doctor", "Why an API is absent or a card slow, and what to do: drivers, variables, device nodes, links, clocks", [this] {
        const char* other_root = std::getenv("SONDE_ROOT"); // for tests
        return doctor_command(Fleet(backends_, silence_seconds_), checkup_.checks, {json_, silence_seconds_, other_root ? other_root : "/"}, std::cout);
    });
    add_json(doctor);
    CLI::App& ask = add("ask", "The process that asks a driver's library something (started by doctor)", [this] { return answer_question(checkup_.questions, question_, argument_); });
    ask.group("");
    ask.add_option("question", question_)->required();
    ask.add_option("argument", argument_)->required();
}

void CommandLine::add_run() {
    CLI::App& run = add_with_fleet("run", "Measure, into a results file", [this] { return this->run(); });
    one_of(names_of_probes(), run.add_option("probes", run_.probes, "Probes to run; all by default"));
    one_of(apis_, run.add_option("--device", run_.devices, "Devices by id (vulkan:0) or API (vulkan), comma-separated"))->delimiter(',');
    one_of(names_of(all_paths()), run.add_option("--path", run_.paths, "Paths by name, comma-separated"))->delimiter(',');
    one_of(names_of(all_profiles()), run.add_option("--profile", run_.profile, "quick, standard (the default) or thorough"));
    one_of(option_names(all_probes()), run.add_option("--option", asked_options_, "NAME=VALUE[,VALUE...] of the series of the probes that have it: width=16, carveout=0,100 ('sonde probes NAME' lists them); VALUE 'default': the series without it"));
    run.add_option("--time", run_.seconds, "Seconds for the whole run, shared out among its series: those that it does not suffice for are cut short or not begun, and named")->check(above_zero());
    CLI::Option* out = file(run.add_option("-o,--out", run_.out, "Results file, '-' for standard output; never overwritten (default: sonde-<time>.jsonl)"));
    run.add_flag("--for-another", for_another_, "Progress by lines, messages without a file's name")->group("");
    CLI::Option* resume = file(run.add_option("--resume", run_.resume, "Go on with this results file ('-': standard input, to standard output): measures what it lacks or what failed, of what was asked for then"));
    resume->excludes(out);
    run.add_option("--dispatch-limit", run_.dispatch_limit_ms, fmt::format("Longest dispatch in ms, below a display's watchdog (default: {})", kDispatchLimit))->check(above_zero());
    run.add_option("--dram-bandwidth", run_.dram_gb_per_s, "Peak DRAM bandwidth in GB/s for '% of peak', on cards whose drivers do not report it")->check(above_zero())->excludes(resume);
    run.add_option("--seed", run_.seed, "Seed of the first series' chains (default: from the clock)")->check(whole_number());
}

/// The commands that read files.
void CommandLine::add_readers() {
    CLI::App& show = add("show", "A results file as tables and curves: all of it, or of some probes, paths and devices", [this] { return show_command(show_, std::cout, std::cerr); });
    CLI::App& diagnose = add("diagnose", "Which API reached what on each card, what it missed, and the evidence", [this] { return diagnose_command(file_, json_, evidence_, std::cout, std::cerr); });
    diagnose.add_flag("--evidence", evidence_, "The series and load instructions behind each sentence");
    file(diagnose.add_option("file", file_, "Results file, '-' for standard input"))->required();
    file(show.add_option("file", show_.file, "Results file or another tool's (sonde import), '-' for standard input"))->required();
    one_of(names_of_probes(), show.add_option("probes", show_.probes, "Series of these probes; all by default"));
    one_of(names_of(all_paths()), show.add_option("--path", show_.paths, "Series on these paths, comma-separated"))->delimiter(',');
    one_of(apis_, show.add_option("--device", show_.devices, "Series of these devices, by id (vulkan:0) or API (vulkan), comma-separated"))->delimiter(',');
    show.add_flag("--csv", show_.csv, "One line per point");
    add_json(diagnose);
    CLI::App& import = add("import", "What another tool wrote as a results file: clpeak, nvbandwidth, MT4G, gpu-benches, lmbench, tinymembench", [this] { return import_command(import_, std::cout, std::cerr); });
    file(import.add_option("file", import_.file, "The tool's file, '-' for standard input"))->required();
    file(import.add_option("-o,--out", import_.out, "Results file, '-' for standard output; never overwritten (default: the file's name with .jsonl, here)"));
    CLI::App& report = add("report", "One self-contained page with interactive curves, readable offline", [this] { return report_command(report_, std::cout, std::cerr); });
    file(report.add_option("files", report_.files, "Results files, other tools' files (sonde import), and published:WORDS for a table of published figures"))->required();
    file(report.add_option("-o,--out", report_.out, "The page, '-' for standard output; of what is there only a page of sonde is replaced (default: the first file's name with .html, here)"));
    report.add_option("--published", report_.published, "Lay published figures over the curves: of devices whose name or architecture has these words (hopper)");
    CLI::App& published = add("published", "What others have published of cards: the cards, or with words (h100 pcie) their figures, methods and sources", [this] { return published_command(words_of_cards_, json_, std::cout); });
    published.add_option("words", words_of_cards_, "Of the card's name or architecture, all of them");
    add_json(published);
    CLI::App& levels = add("levels", "Cache levels of a latency curve that any tool wrote: a table, lmbench, tinymembench, Chips and Cheese, gpu-benches, MT4G", [this] { return levels_command(levels_, std::cout); });
    file(levels.add_option("curve", levels_.file, "File of curves, '-' for standard input"))->required();
    levels.add_flag("--json", levels_.json, "One JSON array");
    levels.add_option("--size-unit", levels_.format.size_unit, "Unit of a size without one of its own: B, KB, KiB, MB, MiB, ... (default: the header's, or B)");
    levels.add_option("--x", levels_.format.x, "Column of the sizes: a number from 1, or its title in the header");
    levels.add_option("--y", levels_.format.y, "Column of the latencies");
    levels.add_option("--latency-unit", levels_.format.latency_unit, "ns, us, ms or cycles (default: the header's, or ns)");
    CLI::App& compare = add("compare", "Runs, cards, APIs, drivers and published figures beside each other: differences outside the noise", [this] { return compare_command(compare_, std::cout, std::cerr); });
    file(compare.add_option("operands", compare_.operands, "FILE[,FILE...][@DEVICE], of our own or another tool's (sonde import), published:WORDS, or figures.json; one alone: its APIs among each other"))->required();
    one_of({"ns", "cycles", "per-clock", "dram-peak"}, compare.add_option("--view", compare_.view, "ns (as measured), cycles, per-clock (bytes per clock and core) or dram-peak (DRAM's share of its peak)"))->capture_default_str();
    compare.add_flag("--json", compare_.json, "One JSON array of all comparisons");
}

void CommandLine::add_isa() {
    CLI::App& isa = add_with_fleet("isa", "The compiled listing of a probe's kernel, and the load instruction in it", [this] {
        isa_.silence_seconds = silence_seconds_;
        return isa_command(backends_, isa_, std::cout, std::cerr);
    });
    one_of(names_of_probes(), isa.add_option("probe", isa_.probe, "Whose measuring kernel"))->required();
    one_of(names_of(all_paths()), isa.add_option("--path", isa_.path, "The path to compile it for (default: the probe's first)"));
    CLI::Option* device = one_of(apis_, isa.add_option("--device", isa_.device, "A device that is here, by id (vulkan:0) or API (vulkan: its first)"));
    isa.add_option("--target", isa_.target, "A chip that need not be here: vulkan:hawaii, opencl:gfx900, opencl:dg2, cuda:sm_75, ...")->excludes(device);
    one_of(option_names(all_probes()), isa.add_option("--option", isa_.options, "NAME=VALUE of the series whose kernel is meant: type=u64 (default: the probe's first series)"));
    isa.add_flag("--json", isa_.json, "One JSON object");
}

void CommandLine::add_manual_and_servers() {
    CLI::App& manual = add("manual", "The manual page, or a shell's completions of these commands", [this] { return manual_command(manual_form_, texts(), std::cout); });
    one_of({"man", "bash", "zsh", "fish"}, manual.add_option("form", manual_form_, "man, bash, zsh or fish"))->required();
    CLI::App& worker = add("worker", "The process that opens one API's driver (started by the other commands)", [this] { return serve(); });
    worker.group("");
    worker.add_option("api", api_)->required();
    worker.add_option("--target", target_);
    CLI::App& remote = add("remote", "Carries out the command that standard input names (started by --via on other machines)", [this]() -> int {
        serve_remote([this](Words arguments) {
            std::vector<char*> words{argv_[0]};
            for (std::string& argument : arguments) words.push_back(argument.data());
            return run_cli(static_cast<int>(words.size()), words.data(), backends_, telemetry_, checkup_);
        });
    });
    remote.group("");
}

int CommandLine::carry_out() {
    const std::string first = argc_ > 1 ? argv_[1] : "-";
    if (argc_ > 1 && first.starts_with('-') && !app.get_option_no_throw(first.substr(0, first.find('=')))) throw UsageError(fmt::format("no option '{}' (sonde --help)", first));
    if (!first.starts_with('-') && app.get_subcommands([&](const CLI::App* command) { return command->get_name() == first; }).empty()) {
        Words commands;
        for (const CommandText& command : texts())
            if (!command.name.empty()) commands.push_back(command.name);
        throw UsageError(unknown_name("command", first, std::move(commands)) + " (sonde --help)");
    }
    app.parse(argc_, argv_);
    const auto colors = enum_names(Colors{});
    check_names("colours", {colors_}, {colors.begin(), colors.end()});
    use_colors(static_cast<Colors>(std::find(colors.begin(), colors.end(), colors_) - colors.begin()));
    const CLI::App& command = *app.get_subcommands().front();
    if (!command.get_option_no_throw("--via")) return actions_.at(&command)();
    listen_for_interrupts(); // drivers are opened, here or there
    if (via_.empty() || command.get_name() == "run") return actions_.at(&command)();
    const std::vector<Machine> machines = machines_of(via_);
    if (machines.size() > 1) throw UsageError("--via: only run takes more than one");
    return remote_command(machines.front().launcher, arguments_of(command, {"--via"}), silence_seconds_, std::cout, std::cerr);
}

void CommandLine::check_run() {
    check_names("probe", run_.probes, names_of_probes());
    check_names("path", run_.paths, names_of(all_paths()));
    for (const std::string& text : asked_options_) add_asked_option(text, run_.options);
    check_options(wanted_probes(run_), run_.options);
    if (app.get_subcommand("run")->count("--profile") > 0) check_names("profile", {run_.profile}, names_of(all_profiles()));
    check_is_new(run_.out);
    if (run_.resume != "-") check_is_file(run_.resume);
}

int CommandLine::run() {
    check_run();
    if (const auto machines = machines_of(via_); !machines.empty()) {
        const bool goes_on = !run_.resume.empty();
        if (goes_on && machines.size() > 1) throw UsageError("--resume goes on with one machine's file: name that machine's --via alone");
        std::vector<std::filesystem::path> files;
        const int code = run_on_machines({.machines = machines, .options = run_, .arguments = arguments_of(*app.get_subcommand("run"), {"--via", "--out", "--resume"}, {"--for-another", goes_on ? "--resume" : "--out", "-"}),
                                          .silence_seconds = silence_seconds_, .progress = standard_error_is_terminal() ? ProgressBoard::Form::in_place : ProgressBoard::Form::sparse}, std::cout, std::cerr, files);
        if (goes_on && files.empty()) files = {run_.resume};
        for (const std::filesystem::path& file : files)
            if (file != "-") print_answer(file, std::cout);
        return code;
    }
    Fleet fleet(backends_, silence_seconds_);
    check_device_words(run_.devices, fleet, apis_);
    using Progress = ProgressBoard::Form;
    ProgressBoard board(for_another_ ? std::clog : std::cerr, for_another_ ? Progress::lines : standard_error_is_terminal() ? Progress::in_place : Progress::sparse, 1);
    const bool lines_out = run_.out == "-" || run_.resume == "-";
    if (run_.out.empty() && run_.resume.empty()) run_.out = default_results_name();
    const int code = run_command(fleet, run_, {lines_out && !for_another_ ? std::cerr : std::cout, std::cerr, board});
    board.clear();
    const std::filesystem::path& file = run_.resume.empty() ? run_.out : run_.resume;
    if (!lines_out && !for_another_ && std::filesystem::exists(file)) print_answer(file, std::cout);
    return code;
}

int CommandLine::serve() const {
    for (const Backend& backend : backends_)
        if (backend.api == api_ && (target_.empty() || backend.open_target)) return serve_worker(backend, target_, telemetry_);
    throw UsageError(fmt::format("no API '{}'", api_));
}

/// The commands as the parser knows them, for whom they are written down; at last what stands without a command.
std::vector<CommandText> CommandLine::texts() const {
    std::vector<CommandText> texts;
    std::vector<const CLI::App*> all = app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
    all.push_back(&app);
    for (const CLI::App* command : all) {
        CommandText text{command == &app ? "" : command->get_name(), command->get_description(), {}};
        for (const CLI::Option* option : command->get_options()) {
            if (option->get_group().empty()) continue;
            const auto words = words_.find(option);
            const bool number = option->get_type_name().find("NUMBER") != std::string::npos;
            OptionText row{.names = {}, .placeholder = number ? "NUMBER" : files_.contains(option) ? "FILE" : "VALUE", .description = option->get_description(),
                           .words = words == words_.end() ? Words{} : words->second, .takes_value = option->get_items_expected_max() > 0, .is_file = files_.contains(option)};
            for (const std::string& name : option->get_snames()) row.names.push_back("-" + name);
            for (const std::string& name : option->get_lnames()) row.names.push_back("--" + name);
            if (row.names.empty()) {
                row.placeholder = rewritten(option->get_name(), [](char c) { return static_cast<char>(std::toupper(c)); });
                if (option->get_items_expected_max() > 1) row.placeholder += "...";
                if (!option->get_required()) row.placeholder = "[" + row.placeholder + "]";
            }
            text.options.push_back(std::move(row));
        }
        std::stable_partition(text.options.begin(), text.options.end(), [](const OptionText& option) { return option.names.empty(); });
        texts.push_back(std::move(text));
    }
    return texts;
}

std::string CommandLine::help_of(const CLI::App* command) const { return help_text(texts(), command == &app ? "" : command->get_name(), text_columns()); }

std::string CommandLine::nearest_option(const std::string& word) const {
    Words names;
    for (const CommandText& command : texts())
        if (command.name.empty() || command.name == argv_[1])
            for (const OptionText& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
    std::ranges::sort(names); // --help is an option of every command
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::count(names, name)) return fmt::format("'{}' cannot stand here", word);
    return unknown_name(fmt::format("option of {}", argv_[1]), name, std::move(names));
}

std::string CommandLine::complaint(const CLI::ParseError& error) const {
    const std::string name = error.get_name(), what = error.what(), command = argc_ > 1 && argv_[1][0] != '-' ? std::string(argv_[1]) : "";
    const auto words = [&]() -> std::string {
        if (dynamic_cast<const CLI::ExtrasError*>(&error)) { // whose name is the command's
            const std::string rest = what.substr(what.find(": ") + 2), word = rest.substr(0, rest.find(' '));
            return word.starts_with('-') ? nearest_option(word) : fmt::format("{} takes no further word, such as '{}'", command, word);
        }
        if (name == "RequiredError" && command.empty()) return "no command";
        if (name == "RequiredError") return fmt::format("{}: {} is missing", command, rewritten(what.substr(0, what.find(' ')), [](char c) { return static_cast<char>(std::toupper(c)); }));
        if (name == "ArgumentMismatch" && what.find("received") != std::string::npos) return fmt::format("{}: given more than once", what.substr(0, what.find(':')));
        if (name == "ArgumentMismatch") return fmt::format("{}: a value is missing", what.substr(0, what.find(':')));
        return std::string(error.what());
    }();
    return fmt::format("{} (sonde {}{}--help)", words, command, command.empty() ? "" : " ");
}
} // namespace

int run_cli(int argc, char** argv, std::span<const Backend> backends, std::span<const OpenTelemetry> telemetry, const Checkup& checkup) {
    open_standard_streams();
    writing_fails_with_errors();
    end_without_memory(true);
    const auto complain = [](int code, const std::string& words) {
        std::cerr << styled(Style::failure, "sonde:", true) << " " << error_lines(printable(words), std::string_view("sonde: ").size());
        return code;
    };
    try {
        need_stack(argv);
        CommandLine line(argc, argv, backends, telemetry, checkup);
        const int code = [&] {
            try {
                return line.carry_out();
            } catch (const CLI::Success& asked) { // --help, --version
                return line.app.exit(asked);
            } catch (const CLI::ParseError& error) {
                return complain(2, line.complaint(error));
            }
        }();
        if (!std::cout.flush() && !output_has_no_reader()) throw Error("standard output: cannot write"); // a pager that was left has what it wanted
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
