// The commands and their options: as the parser takes them, and as help, completions and complaints name them.
#include "core/cli/command_line.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "core/base/names.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/probes/probes.h"
#include "core/run/ask_driver.h"
#include "core/run/device_words.h"

namespace sonde {

namespace {
CLI::Validator above_zero() {
    return CLI::Validator(
        [](std::string& text) {
            const auto value = number_of<double>(text);
            return value && *value > 0 && std::isfinite(*value) ? std::string()
                                                                : fmt::format("'{}' is no number above 0", text);
        },
        "NUMBER");
}

CLI::Validator whole_number() {
    return CLI::Validator(
        [](std::string& text) {
            return number_of<std::uint32_t>(text) ? std::string()
                                                  : fmt::format("'{}' is no whole number from 0 to {}", text,
                                                        std::numeric_limits<std::uint32_t>::max());
        },
        "NUMBER");
}

CLI::Validator number_of_statement() {
    return CLI::Validator(
        [](std::string& text) {
            return number_of<std::uint32_t>(text)
                       ? std::string()
                       : fmt::format("'{}' is no number of a statement, and diagnose takes one file; compare and "
                                     "report take several",
                             text);
        },
        "NUMBER");
}
} // namespace

CommandLine::CommandLine(int argc, char** argv, std::span<const Backend> backends,
    std::span<const OpenTelemetry> telemetry, const Checkup& checkup)
    : app_(std::make_unique<CLI::App>(
          "Probes memory hierarchies, arithmetic and matrix units with the same tests through "
          "CUDA, OpenCL, Vulkan and the host",
          "sonde")),
      argc_(argc),
      argv_(argv),
      backends_(backends),
      telemetry_(telemetry),
      checkup_(checkup),
      apis_(names_of(backends, &Backend::api)) {
    run_.command.assign(argv, argv + argc);
    run_.command[0] = "sonde";
    app_->set_version_flag("--version", "sonde " SONDE_VERSION, "The version");
    app_->set_help_flag("-h,--help", "What can be asked for");
    app_->require_subcommand(0, 1);
    app_->fallthrough();
    app_->formatter_fn(
        [this](const CLI::App* command, const std::string&, CLI::AppFormatMode) { return help_of(command); });
    app_->add_flag("--for-another", for_another_,
            "Signs of life and whole lines for a launcher's reader (--via); of a run only what its lines do not say")
        ->group("");
    one_of({"auto", "always", "never"},
        app_->add_option("--color", colors_, "Colours: auto (on a terminal, unless NO_COLOR is set), always or never"));
    add_lists();
    add_doctor();
    add_run();
    add_check();
    add_readers();
    add_isa();
    add_fleet_options();
    add_manual_and_servers();
}

CommandLine::~CommandLine() = default;

CLI::App& CommandLine::add(const std::string& name, const std::string& description, Action action) {
    CLI::App* command = app_->add_subcommand(name, description);
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
        const bool several = command->get_name() == "run" || command->get_name() == "check";
        CLI::Option* via = command->add_option("--via", via_,
            fmt::format("Run on the machine behind this launcher, such as 'ssh lab7' or 'srun -N1 -w node3 --gpus=1' "
                        "(words are split at blanks){}",
                several ? "; may be repeated: all at once, a results file each" : ""));
        via->allow_extra_args(false);
        if (command->get_name() == "isa") via->excludes(command->get_option("--target"));
        command
            ->add_option("--worker-timeout", silence_seconds_,
                "Seconds without output before a driver's process is killed (default: 60)")
            ->check(above_zero());
    }
}

void CommandLine::add_json(CLI::App& command) { command.add_flag("--json", json_, "One JSON array"); }

CLI::Option* CommandLine::one_of(Words words, CLI::Option* option) {
    words_[option] = std::move(words);
    return option;
}

CommandLine::Words CommandLine::options_with_values() {
    Words all;
    for (const std::string& name : option_names(all_probes())) {
        std::set<std::string> values;
        for (const Probe* probe : all_probes())
            for (const std::string& word : option_words(*probe, name))
                if (word != kNotAsked) values.insert(word);
        if (values.empty()) all.push_back(name + "="); // a number, of which there are many
        for (const std::string& value : values) all.push_back(fmt::format("{}={}", name, value));
    }
    return all;
}

CommandLine::Words CommandLine::targets() const {
    Words all;
    for (const Backend& backend : backends_)
        for (const std::string_view chip : backend.targets ? backend.targets() : std::span<const std::string_view>())
            all.push_back(fmt::format("{}:{}", backend.api, chip));
    return all;
}

CLI::Option* CommandLine::file(CLI::Option* option) {
    files_.insert(option);
    return option->check([](const std::string& name) -> std::string {
        return name.empty() ? "an empty name; name a file, or '-'" : "";
    });
}

CommandLine::Words CommandLine::probes_and_all() {
    Words words = names_of_probes();
    words.emplace_back(kAllProbes);
    return words;
}

CommandLine::Words CommandLine::words_for_devices() const {
    Words all{std::string(kAllDevices), std::string(kGpus)};
    all.insert(all.end(), apis_.begin(), apis_.end());
    return all;
}

void CommandLine::add_device_words(CLI::App& command, Words& words, const std::string& of) {
    one_of(
        words_for_devices(), command.add_option("--device", words,
                                 of + " by id (vulkan:0), API (vulkan), the card's PCI address (1b:00.0) or UUID, gpu, "
                                      "or all, comma-separated "
                                      "(default: gpu where there is one)"))
        ->delimiter(',');
}

void CommandLine::add_lists() {
    CLI::App& devices = add_with_fleet("devices", "What is here, which devices are one card, and why an API is absent",
        [this] { return this->devices(); });
    add_device_words(devices, device_words_, "Devices");
    devices.add_flag("-v,--verbose", facts_, "What each driver says of its device, too (--json: always)");
    CLI::App& paths = add_with_fleet("paths", "Path x device: yes, or the reason why not",
        [this] { return paths_command(Fleet(backends_, silence_seconds_, "", checkup_.drivers), form(), std::cout); });
    CLI::App& operations = add_with_fleet("operations", "Operation x device: yes, or the reason why not", [this] {
        return operations_command(Fleet(backends_, silence_seconds_, "", checkup_.drivers), form(), std::cout);
    });
    CLI::App& probes = add("probes",
        "Name, question and unit of every probe; with a name: what it does, its axes, options and literature",
        [this] { return probes_command(explained_, form(), std::cout); });
    one_of(names_of_probes(), probes.add_option("probe", explained_, "What is explained"));
    for (CLI::App* command : {&devices, &paths, &operations, &probes}) add_json(*command);
    for (CLI::App* command : {&paths, &operations, &probes})
        command->add_flag("--markdown", markdown_, "A table for a README")->excludes(command->get_option("--json"));
}

void CommandLine::add_doctor() {
    CLI::App& doctor = add_with_fleet("doctor",
        "Why an API is absent or a card slow, and what to do: drivers, variables, device nodes, links, clocks", [this] {
            const char* other_root = std::getenv("SONDE_ROOT"); // for tests
            return doctor_command(Fleet(backends_, silence_seconds_, "", checkup_.drivers), checkup_.checks,
                {json_, silence_seconds_, other_root ? other_root : "/"}, std::cout);
        });
    add_json(doctor);
    CLI::App& ask = add("ask", "The process that asks a driver's library something (started by doctor)",
        [this] { return answer_question(checkup_.questions, question_, argument_); });
    ask.group("");
    ask.add_option("question", question_)->required();
    ask.add_option("argument", argument_)->required();
}

void CommandLine::add_run() {
    CLI::App& run = add_with_fleet("run", "Measure, into a results file", [this] { return this->run(); });
    one_of(probes_and_all(),
        run.add_option("probes", run_.probes,
            fmt::format("Probes to run, or {} (default: {})", kAllProbes, fmt::join(unasked_probes(), ", "))));
    add_device_words(run, run_.devices, "Devices");
    one_of(names_of(all_paths()), run.add_option("--path", run_.paths, "Paths by name, comma-separated"))
        ->delimiter(',');
    one_of(names_of(all_profiles()),
        run.add_option("--profile", run_.profile,
            "quick (the default of all probes, and where none is named), standard (of those named) or thorough"));
    completions_[one_of(option_names(all_probes()),
        run.add_option("--option", asked_options_,
            "NAME=VALUE[,VALUE...] of the series of the probes that have it: width=16, carveout=0,100 ('sonde probes "
            "NAME' lists them); VALUE 'default': the series without it"))] = options_with_values();
    run.add_option("--footprint", footprint_,
        "Footprints of sweeps: a range (4KiB..1GiB, 64KiB.., ..1GiB), or a list, of which each is measured "
        "(4KiB,1MiB,1GiB); other probes are as they are");
    run.add_option("--time", run_.seconds,
           "Seconds for the whole run, shared out among its series: those that it does not suffice for are cut short "
           "or not begun, and named")
        ->check(above_zero());
    CLI::Option* out = file(run.add_option("-o,--out", run_.out,
        "Results file, '-' for standard output; never overwritten (default: sonde-<time>.jsonl)"));
    CLI::Option* resume = file(run.add_option("--resume", run_.resume,
        "Go on with this results file ('-': standard input, to standard output): measures what it lacks or what "
        "failed, of what was asked for then; with a longer --time also what that had cut short"));
    resume->excludes(out);
    run.add_option("--dispatch-limit", run_.dispatch_limit_ms,
           fmt::format("Longest dispatch in ms, below a display's watchdog (default: {})", kDispatchLimit))
        ->check(above_zero());
    run.add_option("--dram-bandwidth", run_.dram_gb_per_s,
           "Peak DRAM bandwidth in GB/s for '% of peak', on cards whose drivers do not report it")
        ->check(above_zero())
        ->excludes(resume);
    run.add_option("--seed", run_.seed, "Seed of the first series' chains (default: from the clock)")
        ->check(whole_number());
}

void CommandLine::add_import_options(CLI::App& command, ImportAs& as) {
    command.add_option("--name", as.card,
        "Card of other tools' files that name none: else each of them is a card of its own, with this its runs");
}

void CommandLine::add_selectors(CLI::App& command, SeriesWords& words) {
    for (const Selector& selector : selectors()) {
        Words known = selector.words == &SeriesWords::probes  ? names_of_probes()
                      : selector.words == &SeriesWords::paths ? names_of(all_paths())
                                                              : words_for_devices();
        one_of(std::move(known),
            command.add_option(fmt::format("--{}", selector.name), words.*selector.words, std::string(selector.about)))
            ->delimiter(',')
            ->allow_extra_args(false); // a file may follow
    }
}

void CommandLine::add_check() {
    CLI::App& check = add_with_fleet("check",
        "Is each card as good as it should be? Measures for half a minute, all cards side by side, or takes recorded "
        "runs; a line each",
        [this] { return this->check(); });
    file(check.add_option("files", check_.files, "Results files to judge in place of measuring"));
    add_device_words(check, check_.devices, "Cards through devices,");
    check.get_option("--device")->allow_extra_args(false); // a file may follow
    file(check.add_option("--against", check_.against,
             "Results file of a good card of the model, or several of such cards: their median, and what lies between "
             "them passes (default: the other cards of the model, else what is documented)"))
        ->allow_extra_args(false);
    check.add_option("--tolerance", check_.tolerance,
        "Share, such as 3%, by which each number may fall short of good cards (default: by its kind); what recorded "
        "runs of one card differ by always may");
    file(
        check.add_option("-o,--out", check_out_, "Keep the run in this results file; '-': print it and judge nothing"));
    CLI::Option* json = check.add_flag("--json", check_.json, "One JSON array, an object a card");
    CLI::Option* metrics =
        check.add_flag("--metrics", check_.metrics, "Metrics in OpenMetrics' text form, for Prometheus");
    check.add_flag("--full", check_.full, "A table a card: every number, and what it is held against")
        ->excludes(json)
        ->excludes(metrics);
    json->excludes(metrics);
}

/// The commands that read files.
void CommandLine::add_readers() {
    CLI::App& show = add("show", "A results file as tables and curves: all of it, or of some probes, paths and devices",
        [this] { return show_command(show_, std::cout, std::cerr); });
    CLI::App& diagnose =
        add("diagnose", "Which API reached what on each card, what it missed, and the evidence", [this] {
            return diagnose_command(
                {file_, diagnosed_series_, json_, csv_, full_, evidence_, statement_numbers_, diagnosed_}, std::cout,
                std::cerr);
        });
    diagnose.add_flag("--full", full_, "Every statement, the levels of every path, all operations");
    diagnose.add_flag("--evidence", evidence_, "The same, with the series and load instructions behind each sentence");
    file(diagnose.add_option("file", file_, "Results file, '-' for standard input"))->required();
    diagnose.add_option("number", statement_numbers_, "Statements to tell whole, by the numbers in brackets")
        ->check(number_of_statement());
    file(show.add_option("file", show_.file, "Results file or another tool's (sonde import), '-' for standard input"))
        ->required();
    one_of(names_of_probes(), show.add_option("probes", show_.probes, "Series of these probes; all by default"));
    show.add_flag("--csv", show_.csv, "One line per point");
    add_json(diagnose);
    diagnose.add_flag("--csv", csv_, "One line per cell of its tables")->excludes(diagnose.get_option("--json"));
    CLI::App& import = add("import", "What another tool wrote as a results file: " + imported_tools(),
        [this] { return import_command(import_, std::cout, std::cerr); });
    file(import.add_option("file", import_.file, "The tool's file, '-' for standard input"))->required();
    file(import.add_option("-o,--out", import_.out,
        "Results file, '-' for standard output; never overwritten (default: the file's name with .jsonl, here)"));
    CLI::App& report = add("report", "One self-contained page with interactive curves, readable offline",
        [this] { return report_command(report_, std::cout, std::cerr); });
    CLI::Option* pages = file(report.add_option("files", report_.files,
        "Results files, other tools' files (sonde import), and published:WORDS for a table of published figures"));
    pages->required();
    published_.insert(pages);
    file(report.add_option("-o,--out", report_.out,
        "The page, '-' for standard output; of what is there only a page of sonde is replaced (default: the first "
        "file's name with .html, here)"));
    report.add_option("--published", report_.published,
        "Lay published figures over the curves: of devices whose name or architecture has these words (hopper)");
    CLI::App& published = add("published",
        "What others have published of cards: the cards, or with words (h100 pcie) their figures, methods and sources",
        [this] { return published_command(words_of_cards_, json_, std::cout); });
    published.add_option("words", words_of_cards_, "Of the card's name or architecture, all of them");
    add_json(published);
    CLI::App& levels = add("levels",
        "Cache levels of a latency curve that any tool wrote: a table, lmbench, tinymembench, Chips and Cheese, "
        "gpu-benches, MT4G",
        [this] { return levels_command(levels_, std::cout, std::cerr); });
    file(levels.add_option("curve", levels_.file, "File of curves, '-' for standard input"))->required();
    levels.add_flag("--json", levels_.json, "One JSON array");
    levels.add_option("--size-unit", levels_.format.size_unit,
        "Unit of a size without one of its own: B, KB, KiB, MB, MiB, ... (default: the header's, or B); with a binary "
        "one, KB, MB and GB behind sizes are powers of 1024");
    levels.add_option("--x", levels_.format.x, "Column of the sizes: a number from 1, or its title in the header");
    levels.add_option("--y", levels_.format.y, "Column of the latencies");
    levels.add_option(
        "--latency-unit", levels_.format.latency_unit, "ns, us, ms or cycles (default: the header's, or ns)");
    CLI::App& compare = add("compare",
        "Runs, cards, APIs, drivers and published figures beside each other: differences outside the noise",
        [this] { return compare_command(compare_, std::cout, std::cerr); });
    CLI::Option* operands = file(compare.add_option("operands", compare_.operands,
        "FILE[,FILE...][@DEVICE], of our own or another tool's (sonde import), published:WORDS, or figures.json; "
        "one alone: its APIs among each other"));
    operands->required();
    published_.insert(operands);
    devices_behind_[operands] = apis_;
    one_of({"ns", "cycles", "per-clock", "dram-peak"},
        compare.add_option("--view", compare_.view,
            "ns (as measured), cycles, per-clock (bytes per clock and core) or dram-peak (DRAM's share of its peak)"))
        ->capture_default_str();
    compare.add_flag("--full", compare_.full, "Each difference, however many");
    compare.add_flag("--fail", compare_.fail, "Exit code 4 where anything differs");
    compare.add_option("--tolerance", compare_.tolerance, "Share, such as 3%, within which no number differs");
    compare.add_flag("--json", compare_.json, "One JSON array of all comparisons");
    add_selectors(show, show_.series);
    add_selectors(diagnose, diagnosed_series_);
    add_selectors(report, report_.series);
    add_selectors(compare, compare_.series);
    add_import_options(show, show_.as);
    add_import_options(diagnose, diagnosed_);
    add_import_options(import, import_.as);
    add_import_options(report, report_.as);
    add_import_options(compare, compare_.as);
}

void CommandLine::add_isa() {
    CLI::App& isa =
        add_with_fleet("isa", "The compiled listing of a probe's kernel, and the load instruction in it", [this] {
            isa_.silence_seconds = silence_seconds_;
            return isa_command(backends_, checkup_.drivers, isa_, std::cout, std::cerr);
        });
    one_of(names_of_probes(), isa.add_option("probe", isa_.probe, "Whose measuring kernel"))->required();
    one_of(names_of(all_paths()),
        isa.add_option("--path", isa_.path, "The path to compile it for (default: the probe's first)"));
    CLI::Option* device = one_of(apis_,
        isa.add_option("--device", isa_.device, "A device that is here, by id (vulkan:0) or API (vulkan: its first)"));
    CLI::Option* target = isa.add_option("--target", isa_.target,
        "A chip that need not be here: vulkan:hawaii, opencl:gfx900, opencl:dg2, cuda:sm_75, ...");
    target->excludes(device);
    completions_[target] = targets();
    completions_[one_of(option_names(all_probes()),
        isa.add_option("--option", isa_.options,
            "NAME=VALUE of the series whose kernel is meant: type=u64 (default: the probe's first series)"))] =
        options_with_values();
    isa.add_flag("--control", isa_.control,
        "NVIDIA: beside each instruction what the compiler tells the scheduler, and its sums for each loop. "
        "B0-2---:R-:W1:Y:S04: waits for barriers 0 and 2; sets no read barrier and write barrier 1; yields; the next "
        "instruction comes four cycles later. Kepler: S09, or dual: issued with the next one");
    isa.add_flag("--json", isa_.json, "One JSON object");
}

void CommandLine::add_manual_and_servers() {
    CLI::App& manual = add("manual", "All of every command, the manual page, or a shell's completions",
        [this] { return manual_command(manual_form_, texts(), std::cout); });
    one_of({"text", "man", "bash", "zsh", "fish"},
        manual.add_option("form", manual_form_, "text (the default), man, bash, zsh or fish"));
    CLI::App& help = add("help", "The commands, or what one takes (as --help)", [this] { return this->help(); });
    CLI::Option* explained = help.add_option("command", explained_command_, "What is explained");
    one_of(command_names(), explained);
    CLI::App& worker = add("worker", "The process that opens one API's driver (started by the other commands)",
        [this] { return serve(); });
    worker.group("");
    worker.add_option("api", api_)->required();
    worker.add_option("--target", target_);
    worker.add_option("--driver", driver_);
}

/// The commands as the parser knows them, for whom they are written down; at last what stands without a command.
std::vector<CommandText> CommandLine::texts() const {
    std::vector<CommandText> texts;
    std::vector<const CLI::App*> all =
        std::as_const(*app_).get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
    all.push_back(app_.get());
    for (const CLI::App* command : all) {
        CommandText text{command == app_.get() ? "" : command->get_name(), command->get_description(), {}};
        for (const CLI::Option* option : command->get_options()) {
            if (option->get_group().empty()) continue;
            const auto words = words_.find(option);
            const bool number = option->get_type_name().find("NUMBER") != std::string::npos;
            OptionText row{.names = {},
                .placeholder = number                    ? "NUMBER"
                               : files_.contains(option) ? "FILE"
                                                         : "VALUE",
                .description = option->get_description(),
                .words = words == words_.end() ? Words{} : words->second,
                .takes_value = option->get_items_expected_max() > 0,
                .is_file = files_.contains(option),
                .takes_published = published_.contains(option)};
            if (const auto more = completions_.find(option); more != completions_.end()) row.completions = more->second;
            if (const auto devices = devices_behind_.find(option); devices != devices_behind_.end())
                row.devices = devices->second;
            for (const std::string& name : option->get_snames()) row.names.push_back("-" + name);
            for (const std::string& name : option->get_lnames()) row.names.push_back("--" + name);
            if (row.names.empty()) {
                row.placeholder =
                    rewritten(option->get_name(), [](char c) { return static_cast<char>(std::toupper(c)); });
                if (option->get_items_expected_max() > 1) row.placeholder += "...";
                if (!option->get_required()) row.placeholder = "[" + row.placeholder + "]";
            }
            text.options.push_back(std::move(row));
        }
        std::stable_partition(
            text.options.begin(), text.options.end(), [](const OptionText& option) { return option.names.empty(); });
        texts.push_back(std::move(text));
    }
    return texts;
}

CommandLine::Words CommandLine::command_names() const {
    Words names;
    for (const CommandText& command : texts())
        if (!command.name.empty()) names.push_back(command.name);
    return names;
}

std::string CommandLine::help_of(const CLI::App* command) const {
    return help_text(texts(), command == app_.get() ? "" : command->get_name(), text_columns());
}

std::string CommandLine::nearest_option(const std::string& word) const {
    Words names;
    for (const CommandText& command : texts())
        if (command.name.empty() || command.name == argv_[1])
            for (const OptionText& option : command.options)
                names.insert(names.end(), option.names.begin(), option.names.end());
    std::ranges::sort(names); // --help is an option of every command
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::count(names, name)) return fmt::format("'{}' cannot stand here", word);
    return unknown_name(fmt::format("option of {}", argv_[1]), name, std::move(names));
}

std::string CommandLine::complaint(const CLI::ParseError& error) const {
    const std::string name = error.get_name(), what = error.what(),
                      command = argc_ > 1 && argv_[1][0] != '-' ? std::string(argv_[1]) : "";
    const auto words = [&]() -> std::string {
        if (dynamic_cast<const CLI::ExtrasError*>(&error)) { // whose name is the command's
            const std::string rest = what.substr(what.find(": ") + 2), word = rest.substr(0, rest.find(' '));
            return word.starts_with('-') ? nearest_option(word)
                                         : fmt::format("{} takes no further word, such as '{}'", command, word);
        }
        if (name == "RequiredError")
            return fmt::format("{}: {} is missing", command,
                rewritten(what.substr(0, what.find(' ')), [](char c) { return static_cast<char>(std::toupper(c)); }));
        if (name == "ArgumentMismatch" && what.find("received") != std::string::npos)
            return fmt::format("{}: given more than once", what.substr(0, what.find(':')));
        if (name == "ArgumentMismatch") return fmt::format("{}: a value is missing", what.substr(0, what.find(':')));
        return std::string(error.what());
    }();
    return fmt::format("{} (sonde {}{}--help)", words, command, command.empty() ? "" : " ");
}

std::optional<int> CommandLine::parse() {
    const std::string first = argc_ > 1 ? argv_[1] : "-";
    if (argc_ > 1 && first.starts_with('-') && !app_->get_option_no_throw(first.substr(0, first.find('='))))
        throw UsageError(fmt::format("no option '{}' (sonde --help)", first));
    if (!first.starts_with('-') &&
        app_->get_subcommands([&](const CLI::App* command) { return command->get_name() == first; }).empty()) {
        throw UsageError(unknown_name("command", first, command_names()) + " (sonde --help)");
    }
    try {
        app_->parse(argc_, argv_);
    } catch (const CLI::Success& asked) { // --help, --version
        return app_->exit(asked);
    } catch (const CLI::ParseError& error) {
        throw UsageError(complaint(error));
    }
    return std::nullopt;
}

bool CommandLine::has_command() const { return !app_->get_subcommands().empty(); }
const CLI::App& CommandLine::command() const { return *app_->get_subcommands().front(); }
std::string CommandLine::name_of_command() const { return command().get_name(); }
bool CommandLine::takes(const std::string& option) const { return command().get_option_no_throw(option) != nullptr; }
bool CommandLine::given(const std::string& option) const { return command().count(option) > 0; }

std::vector<std::string> CommandLine::arguments(const Words& not_there, Words arguments) const {
    arguments.insert(arguments.begin(), command().get_name());
    for (const CLI::Option* option : command().get_options()) {
        const std::string name = option->get_name();
        if (std::find(not_there.begin(), not_there.end(), name) != not_there.end()) continue;
        for (const std::string& value : option->results()) {
            if (!option->get_positional()) arguments.push_back(name);
            if (option->get_items_expected_max() > 0) arguments.push_back(value);
        }
    }
    return arguments;
}

std::vector<std::string> split_at_blanks(std::string words) { return CLI::detail::split_up(std::move(words)); }

} // namespace sonde
