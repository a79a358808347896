// The commands: what each is asked, and what it does. Each returns the exit code; warnings about unreadable lines of a
// results file go to `errors`, and a file that is no results file is a UsageError.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/curve_file.h"
#include "core/analysis/imported.h"
#include "core/cli/series_choice.h"
#include "core/data/finding.h"
#include "core/data/results.h"
#include "core/device/checkup.h"
#include "core/facts/grid.h"
#include "core/run/fleet.h"
#include "core/run/option.h"

namespace sonde {

enum class Form { text, json, markdown };

/// Without a command: what is here, and the commands that one needs first; a screen, always 0.
int welcome_command(const Fleet& fleet, std::ostream& out);
struct DevicesOptions {
    Form form = Form::text;
    bool facts = false;                 // all that a driver says of each device as well
    std::vector<std::string> devices{}; // words of core/run/device_words.h; empty: GPUs where there is one
};
/// devices: what is here. JSON has what nobody asked for as well, marked `left_out`. 1 where an API has failed.
int devices_command(const Fleet& fleet, const DevicesOptions& options, std::ostream& out);
struct DoctorOptions {
    bool json = false;
    double silence_seconds = 60;      // for which a driver may take to answer
    std::filesystem::path root = "/"; // Surroundings::root
};
/// doctor: why an API shows no device, what holds a card back, and what to do; with `json` one array of CheckRow. 1
/// where a problem was found.
int doctor_command(const Fleet& fleet, std::span<const Check> checks, const DoctorOptions& options, std::ostream& out);
/// paths: path x device: yes, or the reason why not. In Markdown the columns are APIs (devices of one API agree or are
/// named).
int operations_command(const Fleet& fleet, Form form, std::ostream& out);
int paths_command(const Fleet& fleet, Form form, std::ostream& out);
/// probes: what can be asked. With `names`: what these probes do, their axes, options, and literature. Throws
/// UsageError for an unknown name.
int probes_command(const std::vector<std::string>& names, Form form, std::ostream& out);

int explain_probes(const std::vector<std::string>& names, Form form, std::ostream& out);

struct ShowOptions {
    std::filesystem::path file;
    std::vector<std::string> probes{}; // besides those of `series`
    SeriesWords series{};
    bool csv = false;
    ImportAs as{};
};
/// show: a results file as tables and curves, or as CSV. Throws UsageError for a probe, path or device that the file
/// has no series of.
int show_command(const ShowOptions&, std::ostream& out, std::ostream& errors);

/// What a run has found, as its last words: the lines of each card, and which commands show more.
void print_answer(const std::filesystem::path& file, std::ostream& out);

/// The single values of an imported run, of its first so many series; none of other runs.
std::vector<Finding> figures_in(const Run&, std::size_t most_series = SIZE_MAX);
/// As a table.
Grid figures_grid(const std::vector<Finding>&);
/// The same as text, of not too many; nothing for other runs. `file`: that `show` is told to show.
void print_figures(const Run& run, const std::string& file, std::ostream& out);

struct DiagnoseOptions {
    std::filesystem::path file;
    SeriesWords series{}; // without devices: GPUs where one was measured; for programs all
    bool json = false;
    bool csv = false;                   // all tables and nothing else
    bool full = false;                  // all tables and statements
    bool evidence = false;              // the same, and what each sentence rests on
    std::vector<std::size_t> numbers{}; // statements to tell whole, with what they rest on, and nothing else
    ImportAs as{};
};
/// diagnose: each card as one screen: its tables, doubts, and the largest differences between its APIs; on request all
/// statements and which API reached which level, or single statements. Throws UsageError where no series is
/// what was asked for, or no statement has such a number.
int diagnose_command(const DiagnoseOptions& options, std::ostream& out, std::ostream& errors);

/// published: the cards that others have published figures of; with words the figures of the cards that these choose,
/// each with its method and source. Throws UsageError where there is none.
int published_command(const std::vector<std::string>& words, bool json, std::ostream& out);

struct ImportOptions {
    std::filesystem::path file; // that another tool wrote; "-" is stdin
    std::filesystem::path out;  // "-" is stdout; empty: the file's name with .jsonl, here
    ImportAs as{};
};
/// import: another tool's values as a results file. Throws UsageError for a file of no tool that is known, and where
/// the results file exists.
int import_command(const ImportOptions&, std::ostream& out, std::ostream& errors);

struct ReportOptions {
    std::vector<std::filesystem::path> files; // results files, and "published:WORDS" for a table of what is published
    std::filesystem::path out;                // empty: named after the first file
    std::string published; // words of the devices whose published figures are laid over the curves; empty: none
    ImportAs as{};
    SeriesWords series{};
};
/// report: one self-contained page of one or more results files. Throws UsageError when a file is the page itself;
/// Error when the page cannot be written.
int report_command(const ReportOptions&, std::ostream& out, std::ostream& errors);

struct LevelsOptions {
    std::string file; // "-" is stdin
    CurveFormat format;
    bool json = false;
};
/// levels: of the curves in a file, as tables, or with `json` one array of
/// {"curve","name","latency","unit","capacity_bytes":[on,off],"tlb_beyond_bytes","confidence","points"}: off is null
/// where the curve ends on the level, tlb_beyond_bytes unless the level's latency rises again. Throws UsageError for
/// what the file or the options say wrongly. What of the file is in no curve goes to `errors`.
int levels_command(const LevelsOptions& options, std::ostream& out, std::ostream& errors);

struct CompareOptions {
    /// Each a results file, several joined by commas (runs of one card on one driver: then the run is the unit of
    /// noise), either with
    /// "@DEVICE" behind it (an id or an API), "published:WORDS" for published figures of cards so named, or a file of
    /// such figures.
    std::vector<std::string> operands;
    std::string view = "ns"; // ns, cycles, per-clock, dram-peak
    bool json = false;
    ImportAs as{};
    bool fail = false;       // exit code 4 where anything differs
    std::string tolerance{}; // "3%": what lies within it does not differ
    bool full = false;       // each difference, however many
    SeriesWords series{};    // of all operands
};
/// compare: differences outside the noise, and only those. One operand: the APIs of each card in it against each other.
/// Two or more: each against the first; more than two results files of which several are of the same cards and drivers:
/// those are runs of one side. Throws UsageError for what the operands say wrongly.
int compare_command(const CompareOptions& options, std::ostream& out, std::ostream& errors);

/// "3%" or "3" as 0.03; negative of "". Throws UsageError for anything else.
double tolerance_of(const std::string& text);

struct CheckOptions {
    std::vector<std::string> files;     // results files, whose cards are judged
    std::vector<std::string> against;   // results files of good cards
    std::vector<std::string> devices{}; // words of core/run/device_words.h; empty: GPUs where there is one
    std::string tolerance{};            // "3%": in place of each number's own; "": theirs
    bool json = false, metrics = false;
    bool full = false; // every number with what it is held against
};
/// check: whether each card of the files does what good cards, equal ones, or documents say; a line each. 1 where one
/// does not, others used it, or nothing can be said.
int check_command(const CheckOptions& options, std::ostream& out, std::ostream& errors);
/// What a check measures where it has no files, through these devices or the first of each card that is no processor:
/// half a minute a card.
RunOptions health_run(const Fleet&, const std::vector<std::string>& devices);

struct IsaOptions {
    std::string probe, path;            // path empty: the probe's first
    std::string device, target;         // exactly one: "vulkan:0", or a chip that need not be here: "vulkan:hawaii"
    std::vector<std::string> options{}; // "type=u64": of the series whose kernel is meant; none: the probe's first
    bool control = false;               // what the compiler tells the scheduler, beside each instruction
    bool json = false;
    double silence_seconds = 60;
};
/// isa: the compiled kernel of a probe, with the load that decides its path marked. 1: the path is not supported there,
/// or compiling failed; 3: the device is not here. Throws UsageError for unknown names, with the nearest valid ones.
/// `drivers`: as a fleet takes them.
int isa_command(std::span<const Backend> backends, std::span<const ApiDrivers> drivers, const IsaOptions& options,
    std::ostream& out, std::ostream& errors);

struct OptionText {
    std::vector<std::string> names; // "-o", "--out"; none: a word by its place
    std::string placeholder, description;
    std::vector<std::string> words;         // values that can be completed; empty: files, or anything
    std::vector<std::string> completions{}; // what a shell offers in place of `words`: "width=16"
    bool takes_value = false, is_file = false;
    bool takes_published = false;       // or "published:WORDS" in place of a file
    std::vector<std::string> devices{}; // may stand behind '@' in the word
};
struct CommandText {
    std::string name, description; // "": what stands without a command
    std::vector<OptionText> options;
};
/// What `sonde COMMAND --help` prints; of "" what `sonde --help` does.
std::string help_text(const std::vector<CommandText>& commands, const std::string& command, std::size_t columns);
/// manual: all help ("text"), the manual page ("man") or a shell's completions ("bash", "zsh", "fish"), written from
/// the commands that parse the command line. Throws UsageError for another form.
int manual_command(const std::string& form, const std::vector<CommandText>& commands, std::ostream& out);

/// The runs of a results file, or of another tool's; their warnings go to `errors`.
std::vector<Run> read_runs_and_warn(const std::filesystem::path& file, std::ostream& errors, const ImportAs& as = {});
/// One JSON value for programs; 0.
int print_json(const Json& value, std::ostream& out);

} // namespace sonde
