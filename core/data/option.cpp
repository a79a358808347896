// Options by their names.
#include "core/data/option.h"

#include <stdexcept>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/json.h"

namespace sonde {

bool OptionName::asked(const Options& options) const { return options.words_.contains(std::string(name)); }
bool OptionName::alone(const Options& options) const { return asked(options) && options.size() == 1; }
const std::string& OptionName::word(const Options& options) const {
    const auto found = options.words_.find(std::string(name));
    if (found == options.end()) throw Error(fmt::format("option {} is missing", name));
    return found->second;
}
Options OptionName::as(std::string word) const { return {{std::string(name), std::move(word)}}; }
std::vector<Options> OptionName::each(const std::vector<std::string>& words) const {
    std::vector<Options> sets;
    sets.reserve(words.size());
    for (const std::string& word : words) sets.push_back(as(word));
    return sets;
}

void throw_unknown_word(std::string_view option, const std::string& word) {
    throw Error(fmt::format("option {} is '{}', none of what this version knows", option, word));
}
void throw_no_word_means_that(std::string_view option) {
    throw std::logic_error(fmt::format("no word of {} means that", option));
}
void throw_no_such_word(std::string_view option, std::string_view word) {
    throw std::logic_error(fmt::format("{} is no word of {}", word, option));
}

std::vector<Options> operator+(std::vector<Options> a, const std::vector<Options>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
std::vector<Options> operator*(const std::vector<Options>& a, const std::vector<Options>& b) {
    std::vector<Options> all;
    for (const Options& first : a)
        for (const Options& second : b) all.push_back(first * second);
    return all;
}

void to_json(Json& json, const Options& from) { json = from.words_; }
void from_json(const Json& json, Options& into) { json.get_to(into.words_); }

} // namespace sonde
