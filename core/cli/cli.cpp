// The command line: one function per command, thrown errors to one line each.
#include "core/cli/cli.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/names.h"
#include "core/cli/compare_command.h"
#include "core/cli/diagnose_command.h"
#include "core/cli/isa_command.h"
#include "core/cli/levels_command.h"
#include "core/cli/list_command.h"
#include "core/cli/manual.h"
#include "core/cli/report_command.h"
#include "core/cli/show_command.h"
#include "core/probes/probes.h"
#include "core/run/machines.h"
#include "core/run/remote.h"
#include "core/run/run.h"
#include "core/run/worker.h"

namespace sonde {

namespace {
CLI::Validator above_zero() {
    return CLI::Validator(
        [](std::string& text) {
            double value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool good = error == std::errc() && end == text.data() + text.size() && value > 0 && value < 1e9;
            return good ? std::string() : fmt::format("'{}' is no number above 0", text);
        },
        "NUMBER");
}

/// What every command that opens drivers takes.
struct FleetOptions {
    std::vector<std::string> via;
    double silence_seconds = 60;
    CLI::Option* add_to(CLI::App& app) {
        app.add_option("--worker-timeout", silence_seconds, "Seconds without output before a worker is killed")->check(above_zero());
        return app.add_option("--via", via, "Run on the machine behind this launcher, such as 'ssh lab7' or 'srun -N1 -w node3 --gpus=1' (words are split at blanks)")
            ->allow_extra_args(false);
    }
    std::vector<Machine> machines() const {
        std::vector<Machine> all;
        for (const std::string& words : via) {
            all.push_back({words, CLI::detail::split_up(words)});
            if (all.back().launcher.empty()) throw UsageError("--via: no launcher in it, such as 'ssh lab7'");
        }
        return all;
    }
    std::vector<std::string> launcher() const {
        const auto all = machines();
        if (all.size() > 1) throw UsageError("--via: only run takes more than one");
        return all.empty() ? std::vector<std::string>{} : all.front().launcher;
    }
};

struct FormOptions {
    bool json = false, markdown = false;
    void add_to(CLI::App& app, bool with_markdown) {
        auto* as_json = app.add_flag("--json", json, "One JSON array");
        if (with_markdown) app.add_flag("--markdown", markdown, "A table for a README")->excludes(as_json);
    }
    Form form() const { return json ? Form::json : markdown ? Form::markdown : Form::text; }
};

void on_interrupt(int) {
    if (stop_asked) std::_Exit(130); // the second time: at once
    stop_asked = 1;
}

/// Device words are ids or API names. A well-formed one that is not here is not a usage error: exit 3 says so.
void check_device_words(const std::vector<std::string>& words, const Fleet& fleet, std::span<const Backend> backends) {
    std::vector<std::string> valid;
    for (const auto& device : fleet.devices()) valid.push_back(device.record.id());
    for (const Backend& backend : backends) valid.emplace_back(backend.api);
    for (const std::string& word : words) {
        const auto colon = word.find(':');
        const bool numbered = colon != std::string::npos && colon + 1 < word.size() && word.find_first_not_of("0123456789.", colon + 1) == std::string::npos;
        const bool known_api = std::any_of(backends.begin(), backends.end(), [&](const Backend& backend) { return word.substr(0, colon) == backend.api; });
        if (!(numbered && known_api)) check_names("device", {word}, valid);
    }
}

/// What was asked of a command, as arguments for another machine, but for the options `not_there`.
std::vector<std::string> arguments_of(const CLI::App& command, const std::vector<std::string>& not_there, std::vector<std::string> arguments = {}) {
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

/// The values of options and places that are names of something.
std::vector<std::string> words_of(const CLI::App& command, const CLI::Option& option, std::span<const Backend> backends) {
    std::vector<std::string> apis;
    for (const Backend& backend : backends) apis.emplace_back(backend.api);
    const struct {
        bool here;
        std::vector<std::string> words;
    } rows[] = {{command.get_name() == "run" && option.get_name() == "probes", names_of_probes()},
                {command.get_name() == "isa" && option.get_name() == "probe", names_of_probes()},
                {option.check_lname("path"), names_of(all_paths())},
                {option.check_lname("profile"), names_of(all_profiles())},
                {option.check_lname("option"), names_of(all_options())},
                {command.get_name() == "run" && option.check_lname("device"), apis},
                {option.check_lname("view"), {"ns", "cycles", "per-clock", "bus"}},
                {command.get_name() == "manual", {"man", "bash", "zsh", "fish"}}};
    for (const auto& row : rows)
        if (row.here) return row.words;
    return {};
}

/// The commands as the parser knows them, for whom they are written down.
std::vector<CommandText> command_texts(const CLI::App& app, std::span<const Backend> backends) {
    std::vector<CommandText> texts;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
        CommandText text{command->get_name(), command->get_description(), {}};
        for (const CLI::Option* option : command->get_options()) {
            OptionText row{.names = {}, .placeholder = "VALUE", .description = option->get_description(), .words = words_of(*command, *option, backends),
                           .takes_value = option->get_items_expected_max() > 0};
            for (const std::string& name : option->get_snames()) row.names.push_back("-" + name);
            for (const std::string& name : option->get_lnames()) row.names.push_back("--" + name);
            if (row.names.empty()) {
                row.placeholder = option->get_name();
                for (char& c : row.placeholder) c = static_cast<char>(std::toupper(c));
                if (!option->get_required()) row.placeholder = "[" + row.placeholder + "...]";
            }
            text.options.push_back(std::move(row));
        }
        texts.push_back(std::move(text));
    }
    return texts;
}

int dispatch(CLI::App& app, int argc, char** argv, std::span<const Backend> backends, std::span<const OpenTelemetry> telemetry) {
    FleetOptions fleet_options;
    FormOptions form;
    RunOptions run_options;
    run_options.command.assign(argv, argv + argc);
    run_options.command[0] = "sonde";
    IsaOptions isa_options;
    LevelsOptions levels_options;
    ReportOptions report_options;
    CompareOptions compare_options;
    std::vector<std::string> asked_options;
    std::string api, worker_target, show_file, manual_form;
    bool csv = false, for_another = false;

    auto* devices = app.add_subcommand("devices", "What is here, which devices are one card, and why an API is absent");
    auto* paths = app.add_subcommand("paths", "Path x device: yes, or the reason why not");
    auto* probes = app.add_subcommand("probes", "Name, question and unit of every probe");
    auto* run = app.add_subcommand("run", "Measure, into a results file");
    auto* show = app.add_subcommand("show", "A results file as tables and curves");
    auto* diagnose = app.add_subcommand("diagnose", "Which API reached what on each card, what it missed, and the evidence");
    auto* report = app.add_subcommand("report", "One self-contained page with interactive curves, readable offline");
    auto* levels = app.add_subcommand("levels", "Cache levels of any two-column curve: bytes, latency");
    auto* compare = app.add_subcommand("compare", "Runs, cards, APIs, drivers and published figures beside each other: differences outside the noise");
    auto* isa = app.add_subcommand("isa", "The compiled listing of a probe's kernel, and the load instruction in it");
    auto* manual = app.add_subcommand("manual", "The manual page, or a shell's completions of these commands");
    auto* worker = app.add_subcommand("worker", "The process that opens one API's driver (started by the other commands)")->group("");
    auto* remote = app.add_subcommand("remote", "Carries out the command that standard input names (started by --via on other machines)")->group("");
    for (auto* command : {devices, paths, run, isa}) fleet_options.add_to(*command);
    run->get_option("--via")->description(run->get_option("--via")->get_description() + "; may be repeated: all at once, a results file each");
    form.add_to(*devices, false);
    form.add_to(*paths, true);
    form.add_to(*probes, true);
    run->add_option("probes", run_options.probes, "Probes to run; all by default");
    run->add_option("--device", run_options.devices, "Devices by id (vulkan:0) or API (vulkan), comma-separated")->delimiter(',');
    run->add_option("--path", run_options.paths, "Paths by name, comma-separated")->delimiter(',');
    run->add_option("--profile", run_options.profile, "quick, standard (the default) or thorough");
    run->add_option("--option", asked_options, "NAME=VALUE[,VALUE...] of the series: width=16, carveout=0,100, banks=8");
    run->add_option("--time", run_options.seconds, "Seconds for the whole run, shared out among its series")->check(above_zero());
    auto* out = run->add_option("--out", run_options.out, "Results file, '-' for standard output; never overwritten (default: sonde-<time>.jsonl)");
    run->add_flag("--for-another", for_another, "Progress by lines, messages without a file's name")->group("");
    run->add_option("--resume", run_options.resume, "Go on with this results file ('-': standard input, to standard output): measures what it lacks or what failed, of what was asked for then")->excludes(out);
    run->add_option("--dispatch-limit", run_options.dispatch_limit_ms, fmt::format("Longest dispatch in ms, below a display's watchdog (default: {})", kDispatchLimit))->check(above_zero());
    run->add_option("--seed", run_options.seed, "Seed of the first series' chains (default: from the clock)");
    show->add_option("file", show_file, "Results file, '-' for standard input")->required();
    show->add_flag("--csv", csv, "One line per point");
    diagnose->add_option("file", show_file, "Results file, '-' for standard input")->required();
    form.add_to(*diagnose, false);
    report->add_option("files", report_options.files, "Results files")->required();
    report->add_option("-o,--out", report_options.out, "The page, '-' for standard output; of what is there only a page of sonde is replaced")->required();
    report->add_option("--published", report_options.published, "Lay published figures over the curves: of devices whose name or architecture has these words (hopper)");
    levels->add_option("curve", levels_options.file, "Text file of two columns, '-' for standard input")->required();
    levels->add_flag("--json", levels_options.json, "One JSON array");
    levels->add_option("--size-unit", levels_options.format.size_unit, "Unit of a size without one of its own: B, KB, KiB, MB, MiB, ...")->capture_default_str();
    levels->add_option("--latency-unit", levels_options.format.latency_unit, "ns or cycles")->capture_default_str();
    compare->add_option("operands", compare_options.operands, "FILE[,FILE...][@DEVICE], published:WORDS, or figures.json; one alone: its APIs among each other")->required();
    compare->add_option("--view", compare_options.view, "ns (as measured), cycles, per-clock (bytes per clock and core) or bus (share of the theoretical bus)")->capture_default_str();
    compare->add_flag("--json", compare_options.json, "One JSON array of all comparisons");
    isa->add_option("probe", isa_options.probe, "Whose measuring kernel")->required();
    isa->add_option("--path", isa_options.path, "The path to compile it for")->required();
    auto* isa_device = isa->add_option("--device", isa_options.device, "A device that is here, by id (vulkan:0)");
    isa->add_option("--target", isa_options.target, "A chip that need not be here: vulkan:hawaii, opencl:gfx900, cuda:sm_75, ...")->excludes(isa_device)->excludes(isa->get_option("--via"));
    isa->add_flag("--json", isa_options.json, "One JSON object");
    manual->add_option("form", manual_form, "man, bash, zsh or fish")->required();
    worker->add_option("api", api)->required();
    worker->add_option("--target", worker_target);
    app.require_subcommand(1);
    if (argc > 1 && argv[1][0] == '-' && !app.get_option_no_throw(argv[1])) throw UsageError(fmt::format("no option '{}' (sonde --help)", argv[1]));
    if (argc > 1 && argv[1][0] != '-') {
        std::vector<std::string> commands;
        for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
        check_names("command", {argv[1]}, commands);
    }
    app.parse(argc, argv);

    if (*remote)
        serve_remote([&](std::vector<std::string> arguments) {
            std::vector<char*> words{argv[0]};
            for (std::string& argument : arguments) words.push_back(argument.data());
            return run_cli(static_cast<int>(words.size()), words.data(), backends, telemetry);
        });
    if (*worker) {
        for (const Backend& backend : backends)
            if (backend.api == api && (worker_target.empty() || backend.open_target)) return serve_worker(backend, worker_target, telemetry);
        throw UsageError(fmt::format("no API '{}'", api));
    }
    if (*manual) return manual_command(manual_form, command_texts(app, backends), std::cout);
    if (*show) return show_command(show_file, csv, std::cout, std::cerr);
    if (*diagnose) return diagnose_command(show_file, form.json, std::cout, std::cerr);
    if (*report) return report_command(report_options, std::cout, std::cerr);
    if (*probes) return probes_command(form.form(), std::cout);
    if (*levels) return levels_command(levels_options, std::cout);
    if (*compare) return compare_command(compare_options, std::cout, std::cerr);
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    if (!*run && !fleet_options.via.empty())
        return remote_command(fleet_options.launcher(), arguments_of(*app.get_subcommands().front(), {"--via"}), fleet_options.silence_seconds, std::cout, std::cerr);
    if (*isa) {
        isa_options.silence_seconds = fleet_options.silence_seconds;
        return isa_command(backends, isa_options, std::cout, std::cerr);
    }
    if (*devices) return devices_command(Fleet(backends, fleet_options.silence_seconds), form.form(), std::cout);
    if (*paths) return paths_command(Fleet(backends, fleet_options.silence_seconds), form.form(), std::cout);

    check_names("probe", run_options.probes, names_of_probes());
    check_names("path", run_options.paths, names_of(all_paths()));
    for (const std::string& text : asked_options) add_asked_option(text, run_options.options);
    if (!run_options.profile.empty()) check_names("profile", {run_options.profile}, names_of(all_profiles()));
    if (out->count() && run_options.out.empty()) throw UsageError("--out: an empty name; name a file, or '-'");
    if (std::filesystem::is_directory(run_options.out)) throw UsageError(fmt::format("{}: a folder; name a file in it", run_options.out.string()));
    if (!run_options.out.empty() && run_options.out != "-" && std::filesystem::exists(run_options.out))
        throw UsageError(fmt::format("{}: exists and is never overwritten; name another file with --out, or remove it", run_options.out.string()));
    if (const auto machines = fleet_options.machines(); !machines.empty()) {
        std::vector<std::string> there{"--for-another", "--out", "-"};
        if (!run_options.resume.empty()) there = {"--for-another", "--resume", "-"};
        if (!run_options.resume.empty() && machines.size() > 1) throw UsageError("--resume goes on with one machine's file: name that machine's --via alone");
        return run_on_machines(machines, run_options, arguments_of(*run, {"--via", "--out", "--resume"}, there), fleet_options.silence_seconds, std::cout, std::cerr, standard_error_is_terminal());
    }
    Fleet fleet(backends, fleet_options.silence_seconds);
    check_device_words(run_options.devices, fleet, backends);
    ProgressBoard board(for_another ? std::clog : std::cerr, for_another || standard_error_is_terminal(), 1, for_another);
    const bool lines_out = run_options.out == "-" || run_options.resume == "-";
    const int code = run_command(fleet, run_options, {lines_out && !for_another ? std::cerr : std::cout, std::cerr, board});
    board.clear();
    return code;
}
} // namespace

int run_cli(int argc, char** argv, std::span<const Backend> backends, std::span<const OpenTelemetry> telemetry) {
    open_standard_streams();
    writing_fails_with_errors();
    CLI::App app{"Probes memory hierarchies with the same tests through CUDA, OpenCL, Vulkan and the host", "sonde"};
    app.set_version_flag("--version", "sonde " SONDE_VERSION);
    try {
        const int code = dispatch(app, argc, argv, backends, telemetry);
        if (!std::cout.flush() && errno != EPIPE) throw Error("standard output: cannot write"); // a pager that was left has what it wanted
        return code;
    } catch (const CLI::Success& asked) { // --help, --version
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        std::cerr << "sonde: " << error.what() << " (sonde --help)\n";
        return 2;
    } catch (const UsageError& error) {
        std::cerr << "sonde: " << error.what() << "\n";
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "sonde: " << error.what() << "\n";
        return stop_asked ? 130 : 1;
    }
}

} // namespace sonde
