// sonde manual: man(7) macros, and one completion script for each shell.
#include "core/cli/commands.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/run/run.h"

namespace sonde {

namespace {
struct ExitCode {
    int code;
    const char* meaning;
};
constexpr ExitCode kExitCodes[] = {{0, "Done."}, {1, "Something failed, and the results say what; or doctor found a problem."}, {2, "Bad usage."}, {3, "None of the devices asked for is here."}};

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
    std::string line = "sonde " + command.name;
    if (std::any_of(command.options.begin(), command.options.end(), [](const OptionText& option) { return !option.names.empty(); })) line += " [OPTION...]";
    for (const OptionText& option : command.options)
        if (option.names.empty()) line += " " + option.placeholder;
    return line;
}

void print_man(const std::vector<CommandText>& commands, std::ostream& out) {
    out << ".TH SONDE 1 \"\" \"sonde " SONDE_VERSION "\" \"User Commands\"\n.SH NAME\nsonde \\- probes memory hierarchies through CUDA, OpenCL, Vulkan and the host\n";
    out << ".SH SYNOPSIS\n";
    for (const CommandText& command : commands) out << ".B " << roff(usage(command)) << "\n.br\n";
    out << ".SH DESCRIPTION\nMeasures how far away a GPU's memory is and how wide the way to it is, with the same pointer chase and the same bandwidth test "
           "through every API that reaches it, finds the levels of its memory hierarchy, and puts the APIs of one card side by side.\n";
    out << ".SH COMMANDS\n";
    for (const CommandText& command : commands) {
        out << ".SS " << roff(usage(command)) << "\n" << roff(command.description) << ".\n";
        for (const OptionText& option : command.options) {
            std::string names = fmt::format("{}", fmt::join(option.names, ", "));
            if (option.names.empty()) names = option.placeholder;
            else if (option.takes_value) names += " " + option.placeholder;
            out << ".TP\n.B " << roff(names) << "\n" << roff(option.description) << ".\n";
            if (!option.words.empty()) out << "One of: " << roff(fmt::format("{}", fmt::join(option.words, ", "))) << ".\n";
        }
    }
    out << ".SH EXIT STATUS\n";
    for (const ExitCode& row : kExitCodes) out << ".TP\n.B " << row.code << "\n" << row.meaning << "\n";
    out << ".SH FILES\nA results file is one JSON object per line; its schema is installed as\n.IR share/sonde/schema.json .\n";
}

void print_bash(const std::vector<CommandText>& commands, std::ostream& out) {
    out << "# bash completion for sonde, written by `sonde manual bash`\n_sonde() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} choices=''\n"
           "    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD-2]}\n    [[ $word == = ]] && word=''\n"
           "    if [[ $COMP_CWORD -eq 1 ]]; then\n        choices='";
    for (const CommandText& command : commands) out << command.name << " ";
    out << "--help --version'\n    else\n        case \"${COMP_WORDS[1]} $before\" in\n";
    for (const CommandText& command : commands)
        for (const OptionText& option : command.options)
            for (const std::string& name : option.names)
                if (option.takes_value) out << fmt::format("        '{} {}') choices='{}' ;;\n", command.name, name, fmt::join(option.words, " "));
    out << "        *) case ${COMP_WORDS[1]} in\n";
    for (const CommandText& command : commands) {
        std::vector<std::string> words;
        for (const OptionText& option : command.options) {
            words.insert(words.end(), option.names.begin(), option.names.end());
            if (option.names.empty()) words.insert(words.end(), option.words.begin(), option.words.end());
        }
        out << fmt::format("            {}) choices='{}' ;;\n", command.name, fmt::join(words, " "));
    }
    out << "            esac ;;\n        esac\n    fi\n    COMPREPLY=($(compgen -W \"$choices\" -- \"$word\"))\n}\ncomplete -o default -F _sonde sonde\n";
}

void print_zsh(const std::vector<CommandText>& commands, std::ostream& out) {
    const auto plain = [](std::string_view text) { // what _arguments gives a meaning of its own
        return rewritten(text, [](char c) { return c == '[' ? '(' : c == ']' ? ')' : c == ':' ? ',' : c; });
    };
    out << "#compdef sonde\n# written by `sonde manual zsh`\nlocal -a commands=(\n";
    for (const CommandText& command : commands) out << "    " << quoted(command.name + ":" + plain(command.description)) << "\n";
    out << ")\nif (( CURRENT == 2 )); then\n    _describe command commands\n    return\nfi\ncase $words[2] in\n";
    for (const CommandText& command : commands) {
        out << command.name << ") shift words; (( CURRENT-- )); _arguments";
        for (const OptionText& option : command.options) {
            const std::string action = option.words.empty() ? "_files" : fmt::format("({})", fmt::join(option.words, " "));
            if (option.names.empty()) out << " \\\n    " << quoted(fmt::format("*:{}:{}", plain(option.placeholder), action));
            for (const std::string& name : option.names)
                out << " \\\n    " << quoted(fmt::format("{}[{}]{}", name, plain(option.description), option.takes_value ? fmt::format(":{}:{}", plain(option.placeholder), action) : ""));
        }
        out << " ;;\n";
    }
    out << "esac\n";
}

void print_fish(const std::vector<CommandText>& commands, std::ostream& out) {
    out << "# written by `sonde manual fish`\n";
    for (const CommandText& command : commands) {
        out << fmt::format("complete -c sonde -n __fish_use_subcommand -f -a {} -d {}\n", command.name, quoted(command.description));
        for (const OptionText& option : command.options) {
            const std::string condition = fmt::format("complete -c sonde -n '__fish_seen_subcommand_from {}'", command.name);
            const std::string words = option.words.empty() ? "" : fmt::format(" -f -a {}", quoted(fmt::format("{}", fmt::join(option.words, " "))));
            if (option.names.empty()) {
                if (!words.empty()) out << condition << words << "\n";
                continue;
            }
            std::string names;
            for (const std::string& name : option.names) names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            out << condition << names << (option.takes_value ? " -r" : "") << words << " -d " << quoted(option.description) << "\n";
        }
    }
}

struct Manual {
    std::string_view name;
    void (*print)(const std::vector<CommandText>&, std::ostream&);
};
constexpr Manual kManuals[] = {{"man", print_man}, {"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
} // namespace

int manual_command(const std::string& form, const std::vector<CommandText>& commands, std::ostream& out) {
    check_names("form of the manual", {form}, names_of(std::span<const Manual>(kManuals)));
    std::find_if(std::begin(kManuals), std::end(kManuals), [&](const Manual& manual) { return manual.name == form; })->print(commands, out);
    return 0;
}

} // namespace sonde
