// sonde manual: man(7) macros, and one completion script for each shell.
#include "core/cli/commands.h"

#include <algorithm>
#include <cctype>
#include <ostream>
#include <set>

#include <fmt/format.h>

#include "core/analysis/published.h"
#include "core/base/names.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/run/run.h"

namespace sonde {

namespace {
struct Row {
    const char *term, *meaning;
};
constexpr Row kExitCodes[] = {{"0", "Done."},
    {"1", "Something failed: a series, a driver that crashed, a machine that cannot be reached, or a file that cannot "
          "be written. The results say what. Or a run measured nothing, doctor found a problem, or a card that was "
          "checked is not ok."},
    {"2", "Bad usage."}, {"3", "None of the devices asked for is here."}, {"4", "compare --fail: something differs."},
    {"130", "Interrupted (SIGINT, SIGTERM or SIGHUP). What was measured is kept, and run --resume goes on."}};
constexpr Row kExamples[] = {{"sonde devices", "What is here, and why an API is absent"},
    {"sonde run --out run.jsonl",
        "Latency, bandwidth, arithmetic and matrix rates of every GPU, in less than a minute"},
    {"sonde run all --out run.jsonl", "All probes, in some minutes; with --profile standard in hours"},
    {"sonde doctor", "Why an API is absent or a card slow, and what to do"},
    {"sonde check", "Is each card as good as the others, or as what is documented?"},
    {"sonde check --against good.jsonl", "As a good card's run, kept by sonde check --out good.jsonl"},
    {"sonde diagnose run.jsonl", "Levels, differences between APIs, and doubts"},
    {"sonde show run.jsonl latency --path global", "One table and its curves"},
    {"sonde report run.jsonl", "A page run.html with interactive curves"},
    {"sonde compare old.jsonl new.jsonl", "What differs beyond the noise"},
    {"sonde compare run.jsonl@cuda run.jsonl@vulkan --view cycles", "Two APIs of one card"},
    {"sonde probes tlb", "What a probe does, and how to read its curve"},
    {"sonde compare run.jsonl clpeak.json",
        "Against what another tool wrote: clpeak, nvbandwidth, MT4G, gpu-benches, lmbench, tinymembench"},
    {"sonde run --resume run.jsonl", "Go on with a run that stopped"},
    {"sonde run latency --via 'ssh lab7' --out lab7.jsonl", "On another machine"}};
constexpr Row kEnvironment[] = {{"NO_COLOR", "Where it is set, no colours."},
    {"COLUMNS", "Columns of a line where standard output is no terminal (80 without it)."},
    {"VK_DRIVER_FILES, OCL_ICD_VENDORS", "Choose among Vulkan's and OpenCL's drivers, as their loaders read them."},
    {"SONDE_TELEMETRY", "off: the card's instruments (clocks, power, temperature) are left alone."},
    {"TMPDIR", "Where temporary files lie."}};
constexpr Row kTerms[] = {{"card, device", "The hardware; and the card through one API (vulkan:0)."},
    {"core", "What runs workgroups: an SM (NVIDIA), CU (AMD) or Xe core (Intel)."},
    {"subgroup", "Work-items that run in lockstep: a warp or a wave."},
    {"block", "A repetition of a sweep with memory of its own. Blocks are the replicates by which noise is known; "
              "profile quick has one."},
    {"confidence",
        "From 0 to 1: how clearly a curve is flat on a level and steep behind it, against its samples' spread."},
    {"carve-out", "The division of L1 and scratchpad, which CUDA lets a program ask for."},
    {"dispatch limit",
        "The longest time that one kernel launch may take, so that a display's watchdog never sees a longer one."},
    {"unsupported, unstable, failed",
        "The device or its API cannot do it; measured with a doubt; went wrong. Each with its reason in the file."}};

/// Text that roff neither takes for a request nor hyphenates.
std::string roff(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        if (c == '\\') safe += "\\e";
        else if (c == '-') safe += "\\-";
        else if (c == '\'' && safe.empty()) safe += "\\(aq";
        else if (c == '.' && safe.empty()) safe += "\\&.";
        else safe += c;
    }
    return safe;
}

/// Between single quotes of a POSIX shell.
std::string quoted(const std::string& text) {
    return fmt::format("'{}'", rewritten(text, [](char c) { return c == '\'' ? "'\\''" : std::string(1, c); }));
}

std::string usage(const CommandText& command) {
    std::string line = "sonde " + (command.name.empty() ? "COMMAND" : command.name);
    for (const OptionText& option : command.options)
        if (option.names.empty()) line += " " + option.placeholder;
    return line + " [OPTION...]";
}

bool is_help(const OptionText& option) {
    return std::find(option.names.begin(), option.names.end(), "--help") != option.names.end();
}

/// "-o, --out FILE"
std::string names_of_option(const OptionText& option) {
    if (option.names.empty()) return option.placeholder;
    return fmt::format("{}{}", fmt::join(option.names, ", "), option.takes_value ? " " + option.placeholder : "");
}

std::string words_text(const OptionText& option) { return fmt::format("One of: {}.", fmt::join(option.words, ", ")); }

/// Commands that have a name, for a shell.
std::vector<CommandText> named(const std::vector<CommandText>& commands) {
    std::vector<CommandText> all;
    for (const CommandText& command : commands)
        if (!command.name.empty()) all.push_back(command);
    for (CommandText& command : all)
        for (const OptionText& option : commands.back().options)
            if (!is_help(option) && option.takes_value) command.options.push_back(option);
    return all;
}

void print_man(const std::vector<CommandText>& commands, std::ostream& out) {
    out << ".TH SONDE 1 \"\" \"sonde " SONDE_VERSION "\" \"User Commands\"\n.SH NAME\nsonde \\- "
        << roff(commands.back().description) << "\n";
    out << ".SH SYNOPSIS\n";
    for (const CommandText& command : commands)
        if (!command.name.empty()) out << ".B " << roff(usage(command)) << "\n.br\n";
    out << ".SH DESCRIPTION\nMeasures latency and bandwidth of a GPU's memory hierarchy, and latency and throughput of "
           "its arithmetic and matrix units, with the same tests "
           "through every API that reaches it, finds the levels of its memory hierarchy, and puts the APIs of one card "
           "side by side.\n";
    out << ".SH COMMANDS\n";
    for (const CommandText& command : commands) {
        out << ".SS " << roff(command.name.empty() ? "With every command" : usage(command)) << "\n"
            << roff(command.description) << ".\n";
        for (const OptionText& option : command.options) {
            if (is_help(option) && !command.name.empty()) continue; // once is enough
            out << ".TP\n.B " << roff(names_of_option(option)) << "\n" << roff(option.description) << ".\n";
            if (!option.words.empty()) out << roff(words_text(option)) << "\n";
        }
    }
    const auto section = [&](const char* title, std::span<const Row> rows) {
        out << ".SH " << title << "\n";
        for (const Row& row : rows) out << ".TP\n.B " << roff(row.term) << "\n" << roff(row.meaning) << "\n";
    };
    section("EXAMPLES", kExamples);
    section("TERMS", kTerms);
    section("EXIT STATUS", kExitCodes);
    section("ENVIRONMENT", kEnvironment);
    out << ".SH FILES\nA results file is one JSON object per line; its schema is installed as\n.IR "
           "share/sonde/schema.json .\n";
}

const std::vector<std::string>& offered(const OptionText& option) {
    return option.completions.empty() ? option.words : option.completions;
}

/// Words behind "published:" that choose: what cards are called by, which has digits, and architectures of one word.
std::vector<std::string> published_names() {
    std::set<std::string> names;
    const auto take = [&](std::string_view text, bool with_digits) {
        std::string word;
        for (const char each : std::string(text) + " ") {
            const auto c = static_cast<unsigned char>(each);
            if (std::isalnum(c)) {
                word += static_cast<char>(std::tolower(c));
                continue;
            }
            const bool digit = std::ranges::any_of(word, [](unsigned char w) { return std::isdigit(w); });
            const bool letter = std::ranges::any_of(word, [](unsigned char w) { return std::isalpha(w); });
            if (word.size() > 2 && letter && (digit || !with_digits)) names.insert(word);
            word.clear();
        }
    };
    for (const PublishedFigure& figure : published_figures()) {
        take(figure.device, true);
        if (figure.architecture.find_first_of(" /(") == std::string::npos) take(figure.architecture, false);
    }
    return {names.begin(), names.end()};
}

/// What stands in a bash script where a word is completed as this option's value.
std::string bash_choices(const OptionText& option) {
    return fmt::format("choices='{}'{}{}{}", fmt::join(offered(option), " "), option.is_file ? " files=yes" : "",
        option.takes_published ? " published=$all_published" : "",
        option.devices.empty() ? "" : fmt::format(" devices='{}'", fmt::join(option.devices, " ")));
}

void print_bash(const std::vector<CommandText>& all, std::ostream& out) {
    const std::vector<CommandText> commands = named(all);
    out << "# bash completion for sonde, written by `sonde manual bash`\n_sonde() {\n"
           "    # words as they were typed: readline breaks them at = : @, too\n"
           "    local line=${COMP_LINE:0:COMP_POINT} choices='' files='' published='' devices='' cut=0 i\n"
           "    local word=${line##*[[:space:]]} breaks=${COMP_WORDBREAKS-=:@}\n"
           "    local -a words\n    read -ra words <<<\"${line%\"$word\"}\"\n"
           "    local before=${words[${#words[@]} - 1]}\n"
        << fmt::format("    local all_published='{}'\n", fmt::join(published_names(), " "))
        << "    [[ $word == --*=* ]] && before=${word%%=*} word=${word#*=}\n"
           "    if [[ ${#words[@]} -le 1 ]]; then\n        choices='";
    for (const CommandText& command : commands) out << command.name << " ";
    out << "--help --version'\n    else\n        case \"${words[1]} $before\" in\n";
    for (const CommandText& command : commands)
        for (const OptionText& option : command.options)
            for (const std::string& name : option.names)
                if (option.takes_value)
                    out << fmt::format("        '{} {}') {} ;;\n", command.name, name, bash_choices(option));
    out << "        *) case ${words[1]} in\n";
    for (const CommandText& command : commands) {
        std::vector<std::string> options;
        OptionText by_place; // all words that stand by their place
        for (const OptionText& option : command.options) {
            options.insert(options.end(), option.names.begin(), option.names.end());
            if (!option.names.empty()) continue;
            by_place.words.insert(by_place.words.end(), option.words.begin(), option.words.end());
            by_place.is_file |= option.is_file;
            by_place.takes_published |= option.takes_published;
            if (!option.devices.empty()) by_place.devices = option.devices;
        }
        if (by_place.words.empty() && !by_place.is_file) by_place.words = options;
        out << fmt::format("            {}) if [[ $word == -* ]]; then choices='{}'; else {}; fi ;;\n", command.name,
            fmt::join(options, " "), bash_choices(by_place));
    }
    out << "            esac ;;\n        esac\n    fi\n"
           "    if [[ -n $devices && $word == *@* ]]; then\n"
           "        for i in $devices; do choices+=\" ${word%@*}@$i\"; done\n        files=''\n"
           "    elif [[ -n $published && $word == published:* ]]; then\n"
           "        for i in $published; do choices+=\" published:$i\"; done\n        files=''\n"
           "    elif [[ -n $published ]]; then\n        choices+=' published:'\n    fi\n"
           "    COMPREPLY=($(compgen -W \"$choices\" -- \"$word\"))\n"
           "    if [[ -n $files ]]; then\n        compopt -o filenames 2>/dev/null\n        COMPREPLY+=($(compgen -f "
           "-- \"$word\"))\n    fi\n"
           "    # what stands before the last break is there already\n"
           "    for ((i = 0; i < ${#word}; i++)); do [[ $breaks == *\"${word:i:1}\"* ]] && cut=$((i + 1)); done\n"
           "    COMPREPLY=(\"${COMPREPLY[@]#\"${word:0:cut}\"}\")\n}\ncomplete -F _sonde sonde\n";
}

/// How _arguments completes a value.
std::string zsh_action(const OptionText& option) {
    if (option.takes_published) return fmt::format("_sonde_operand \"{}\"", fmt::join(option.devices, " "));
    if (option.is_file) return "_files";
    const std::string words = fmt::format("{}", fmt::join(offered(option), " "));
    return words.empty() ? " " : fmt::format("({})", rewritten(words, [](char c) {
        return c == ':' ? std::string("\\:") : std::string(1, c);
    }));
}

void print_zsh(const std::vector<CommandText>& all, std::ostream& out) {
    const std::vector<CommandText> commands = named(all);
    const auto plain = [](std::string_view text) { // what _arguments gives a meaning of its own
        return rewritten(text, [](char c) { return c == '[' ? '(' : c == ']' ? ')' : c == ':' ? ',' : c; });
    };
    out << "#compdef sonde\n# written by `sonde manual zsh`\n"
        << fmt::format("_sonde_operand() {{\n    if [[ -n $1 ]] && compset -P '*@'; then\n        compadd -- ${{=1}}\n"
                       "    elif compset -P 'published:'; then\n        compadd -- {}\n"
                       "    else\n        _files\n        compadd -S '' -- published:\n    fi\n}}\n",
               fmt::join(published_names(), " "))
        << "local -a commands=(\n";
    for (const CommandText& command : commands)
        out << "    " << quoted(command.name + ":" + plain(command.description)) << "\n";
    out << ")\nif (( CURRENT == 2 )); then\n    _describe command commands\n    return\nfi\ncase $words[2] in\n";
    for (const CommandText& command : commands) {
        out << command.name << ") shift words; (( CURRENT-- )); _arguments";
        for (const OptionText& option : command.options) {
            const std::string action = zsh_action(option);
            if (option.names.empty())
                out << " \\\n    " << quoted(fmt::format("*:{}:{}", plain(option.placeholder), action));
            for (const std::string& name : option.names)
                out << " \\\n    "
                    << quoted(fmt::format("{}[{}]{}", name, plain(option.description),
                           option.takes_value ? fmt::format(":{}:{}", plain(option.placeholder), action) : ""));
        }
        out << " ;;\n";
    }
    out << "esac\n";
}

void print_fish(const std::vector<CommandText>& all, std::ostream& out) {
    const std::vector<CommandText> commands = named(all);
    out << "# written by `sonde manual fish`\n"
        << fmt::format("function __sonde_operand\n    set -l word (commandline -ct)\n"
                       "    if test -n \"$argv[1]\"; and string match -q '*@*' -- $word\n"
                       "        for device in (string split ' ' -- $argv[1])\n"
                       "            echo (string replace -r '@[^@]*$' \"@$device\" -- $word)\n        end\n"
                       "    else\n        printf 'published:%s\\n' {}\n        __fish_complete_path $word\n"
                       "    end\nend\n",
               fmt::join(published_names(), " "));
    for (const CommandText& command : commands) {
        out << fmt::format(
            "complete -c sonde -n __fish_use_subcommand -f -a {} -d {}\n", command.name, quoted(command.description));
        for (const OptionText& option : command.options) {
            const std::string condition =
                fmt::format("complete -c sonde -n '__fish_seen_subcommand_from {}'", command.name);
            const std::string words =
                option.takes_published
                    ? fmt::format(
                          " -f -a {}", quoted(fmt::format("(__sonde_operand \"{}\")", fmt::join(option.devices, " "))))
                : offered(option).empty()
                    ? ""
                    : fmt::format(" -f -a {}", quoted(fmt::format("{}", fmt::join(offered(option), " "))));
            if (option.names.empty()) {
                if (!words.empty()) out << condition << words << "\n";
                continue;
            }
            std::string names;
            for (const std::string& name : option.names)
                names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            out << condition << names << (option.takes_value ? " -r" : "")
                << (option.takes_value && !option.is_file && words.empty() ? " -f" : "") << words << " -d "
                << quoted(option.description) << "\n";
        }
    }
}

/// Terms on the left, what they mean on the right.
std::string rows_text(const std::vector<std::pair<std::string, std::string>>& rows, std::size_t columns) {
    constexpr std::size_t kTerm = 22; // columns; a longer term has a line of its own
    std::string text;
    for (const auto& [term, meaning] : rows) {
        text += "  " + term +
                (term.size() + 4 > kTerm ? "\n" + std::string(kTerm, ' ') : std::string(kTerm - 2 - term.size(), ' ')) +
                wrapped(meaning, columns, kTerm, kTerm);
    }
    return text;
}

/// All help, for a reader.
void print_text(const std::vector<CommandText>& commands, std::ostream& out) {
    const std::size_t columns = text_columns();
    out << help_text(commands, "", columns);
    for (const CommandText& command : commands)
        if (!command.name.empty())
            out << fmt::format("\n\nsonde {}\n\n", command.name) << help_text(commands, command.name, columns);
    const auto section = [&](const char* title, std::span<const Row> rows) {
        std::vector<std::pair<std::string, std::string>> texts;
        for (const Row& row : rows) texts.emplace_back(row.term, row.meaning);
        out << fmt::format("\n\n{}:\n", title) << rows_text(texts, columns);
    };
    section("terms", kTerms);
    section("exit codes", kExitCodes);
    section("environment", kEnvironment);
}

struct Manual {
    std::string_view name;
    void (*print)(const std::vector<CommandText>&, std::ostream&);
};
constexpr Manual kManuals[] = {
    {"text", print_text}, {"man", print_man}, {"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
} // namespace

std::string help_text(const std::vector<CommandText>& commands, const std::string& name, std::size_t columns) {
    const auto command =
        std::find_if(commands.begin(), commands.end(), [&](const CommandText& each) { return each.name == name; });
    std::string text =
        wrapped(command->description + ".", columns, 0) + "\n" + wrapped("usage: " + usage(*command), columns, 4);
    std::vector<std::pair<std::string, std::string>> rows, words, examples;
    for (const CommandText& each : commands)
        if (name.empty() && !each.name.empty()) words.emplace_back(each.name, each.description);
    for (const OptionText& option : command->options) {
        const bool listed = !option.words.empty() && option.description.find(option.words.back()) == std::string::npos;
        (option.names.empty() ? words : rows)
            .emplace_back(names_of_option(option), option.description + (listed ? ". " + words_text(option) : ""));
    }
    for (const Row& row : kExamples)
        if (name.empty() || std::string(row.term).starts_with("sonde " + name + " "))
            examples.emplace_back(row.term, row.meaning);
    for (const auto& [title, table] :
        {std::pair{name.empty() ? "commands" : "arguments", &words}, {"options", &rows}, {"examples", &examples}})
        if (!table->empty()) text += fmt::format("\n{}:\n{}", title, rows_text(*table, columns));
    if (name.empty())
        text += "\n" + wrapped("'sonde help COMMAND' tells more of a command, 'sonde probes NAME' of a probe; 'sonde "
                               "manual' is all of it.",
                           columns, 0);
    return text;
}

int manual_command(const std::string& form, const std::vector<CommandText>& commands, std::ostream& out) {
    check_names("form of the manual", {form}, names_of(std::span<const Manual>(kManuals)));
    std::find_if(std::begin(kManuals), std::end(kManuals), [&](const Manual& manual) {
        return manual.name == form;
    })->print(commands, out);
    return 0;
}

} // namespace sonde
