// The commands and their options for the parser.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/cli/commands.h"
#include "core/run/run.h"

// CLI11's header takes as long to compile as ten of ours: command_line.cpp alone includes it.
namespace CLI {
class App;
class Option;
class ParseError;
} // namespace CLI

namespace sonde {

/// The commands with their options, what was given for these, and what each command then does.
class CommandLine {
    using Words = std::vector<std::string>;

public:
    CommandLine(int argc, char** argv, std::span<const Backend> backends, std::span<const OpenTelemetry> telemetry,
        const Checkup& checkup);
    ~CommandLine();
    /// The exit code of the command that is asked for.
    int carry_out();

private:
    using Action = std::function<int()>;
    CLI::App& add(const std::string& name, const std::string& description, Action action);
    /// One that opens drivers.
    CLI::App& add_with_fleet(const std::string& name, const std::string& description, Action action);
    /// What all of those take, behind their own options.
    void add_fleet_options();
    void add_json(CLI::App& command);
    /// An option whose values a shell can complete.
    CLI::Option* one_of(Words words, CLI::Option* option);
    /// "width=16", "carveout=": what a shell offers for --option.
    static Words options_with_values();
    Words targets() const;
    static Words probes_and_all();
    Words words_for_devices() const;
    /// --device of commands that choose among what is here.
    void add_device_words(CLI::App& command, Words& words, const std::string& of);
    CLI::Option* file(CLI::Option* option);
    /// What commands that read other tools' files are told of them.
    static void add_import_options(CLI::App& command, ImportAs& as);
    /// What commands that read results files take of them: --probe, --path, --device.
    void add_selectors(CLI::App& command, SeriesWords& words);
    void add_lists();
    void add_doctor();
    void add_run();
    void add_check();
    void add_readers();
    void add_isa();
    void add_manual_and_servers();

    /// Reads the words. An exit code where all that was asked for has been printed: --help, --version.
    std::optional<int> parse();
    /// What is wrong with the words, and where help is.
    std::string complaint(const CLI::ParseError&) const;
    /// Whether any command is asked for, and which, after parse().
    bool has_command() const;
    const CLI::App& command() const;
    std::string name_of_command() const;
    /// Whether the command takes that option, and whether it was given.
    bool takes(const std::string& option) const;
    bool given(const std::string& option) const;
    /// What was asked of the command, as arguments for another machine, but for the options `not_there`.
    Words arguments(const Words& not_there, Words arguments = {}) const;

    Form form() const { return json_ ? Form::json : markdown_ ? Form::markdown : Form::text; }
    void check_run();
    int run();
    int check();
    /// Measures what a check asks for; the files in `check_.files`.
    int measure_for_check(const std::filesystem::path& out_file);
    int devices();
    int help() const;
    int serve() const;
    std::vector<CommandText> texts() const;
    Words command_names() const;
    std::string help_of(const CLI::App*) const;
    std::string nearest_option(const std::string& word) const;

    std::unique_ptr<CLI::App> app_;
    int argc_;
    char** argv_;
    std::span<const Backend> backends_;
    std::span<const OpenTelemetry> telemetry_;
    Checkup checkup_;
    Words apis_;
    std::map<const CLI::App*, Action> actions_;
    std::map<const CLI::Option*, Words> words_;
    std::map<const CLI::Option*, Words> completions_, devices_behind_; // OptionText's
    std::set<const CLI::Option*> published_;                           // that take "published:WORDS"
    std::vector<CLI::App*> fleet_commands_;
    std::set<const CLI::Option*> files_; // whose values are names of files

    static constexpr double kPatience = 10; // seconds, for a driver that a person did not ask for
    Words via_, asked_options_, words_of_cards_, explained_, device_words_;
    std::vector<std::size_t> statement_numbers_;
    double silence_seconds_ = 60;
    bool json_ = false, csv_ = false, full_ = false, evidence_ = false, markdown_ = false, facts_ = false,
         for_another_ = false;
    std::string api_, target_, question_, argument_, file_, manual_form_ = "text", explained_command_, colors_ = "auto";
    std::string driver_; // the only one that a worker opens
    RunOptions run_;
    ShowOptions show_;
    IsaOptions isa_;
    LevelsOptions levels_;
    ImportOptions import_;
    ReportOptions report_;
    ImportAs diagnosed_;
    SeriesWords diagnosed_series_;
    std::string footprint_; // as typed; "": the probes' own
    CompareOptions compare_;
    CheckOptions check_;
    std::string check_out_; // where its run is kept; "": nowhere
};

/// Words between blanks, with quotes as a shell has them.
std::vector<std::string> split_at_blanks(std::string words);

} // namespace sonde
