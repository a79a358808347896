// The manual page and the shells' completions, written from the same table of commands that parses the command line.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

namespace sonde {

struct OptionText {
    std::vector<std::string> names; // "-o", "--out"; none: a word by its place
    std::string placeholder, description;
    std::vector<std::string> words; // values that can be completed; empty: files, or anything
    bool takes_value = false;
};
struct CommandText {
    std::string name, description;
    std::vector<OptionText> options;
};

/// "man", "bash", "zsh", "fish". Throws UsageError for another one.
int manual_command(const std::string& form, const std::vector<CommandText>& commands, std::ostream& out);

} // namespace sonde
