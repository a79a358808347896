// Options of a series, such as width=16, and how a probe declares and reads them: by name and word once, so that a
// misspelt one does not compile.
#pragma once
#include <algorithm>
#include <compare>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/json_fwd.h"

namespace sonde {

class Options;

/// An option's name, declared once.
struct OptionName {
    std::string_view name;

    bool asked(const Options&) const;
    /// And nothing else is asked for.
    bool alone(const Options&) const;
    /// Throws Error where the options lack it.
    const std::string& word(const Options&) const;
    Options as(std::string word) const;
    std::vector<Options> each(const std::vector<std::string>& words) const;
};

/// Words by name, as files have them. What reads one asks the option that is declared (OptionName, Choice, Setting).
class Options {
public:
    using Words = std::map<std::string, std::string>;
    Options() = default;
    Options(std::initializer_list<Words::value_type> words) : words_(words) {}
    Words::const_iterator begin() const { return words_.begin(); }
    Words::const_iterator end() const { return words_.end(); }
    std::size_t size() const { return words_.size(); }
    bool empty() const { return words_.empty(); }
    bool has_all(const Options& others) const { return std::includes(begin(), end(), others.begin(), others.end()); }
    void set(const OptionName& option, std::string word) { words_[std::string(option.name)] = std::move(word); }
    auto operator<=>(const Options&) const = default;
    Options without(const OptionName& option) const {
        Options others = *this;
        others.words_.erase(std::string(option.name));
        return others;
    }

    /// Both; where both have a word, that of `a`.
    friend Options operator*(Options a, const Options& b) {
        a.words_.insert(b.begin(), b.end());
        return a;
    }
    friend void to_json(Json&, const Options&);
    friend void from_json(const Json&, Options&);

private:
    friend struct OptionName;
    Words words_{};
};

/// What is thrown where a word is none of those that are known.
[[noreturn]] void throw_unknown_word(std::string_view option, const std::string& word);
[[noreturn]] void throw_no_word_means_that(std::string_view option);
[[noreturn]] void throw_no_such_word(std::string_view option, std::string_view word);

/// An option that takes one of a few words. T: what a word means to its probe.
template <class T> struct Choice : OptionName {
    std::vector<std::pair<std::string_view, T>> words;

    /// Throws Error where a file's options lack it, or have another word.
    const T& in(const Options& options) const {
        const std::string& asked = word(options);
        for (const auto& [known, meaning] : words)
            if (asked == known) return meaning;
        throw_unknown_word(name, asked);
    }
    /// Of an option that not every series has.
    T in_or(const Options& options, T otherwise) const { return asked(options) ? in(options) : otherwise; }
    /// false also where the options lack it, or have a word that this version does not know.
    bool is(const Options& options, const T& meaning) const {
        return asked(options) && std::ranges::any_of(words, [&](const auto& row) {
            return row.second == meaning && row.first == word(options);
        });
    }
    Options as(const T& meaning) const {
        for (const auto& [known, means] : words)
            if (means == meaning) return OptionName::as(std::string(known));
        throw_no_word_means_that(name);
    }
    /// A series for each word, or for `some` of them. Throws std::logic_error where one of these is no word of it.
    std::vector<Options> each(const std::vector<std::string_view>& some = {}) const {
        std::vector<std::string> asked;
        for (const std::string_view word : some) {
            if (std::ranges::none_of(words, [&](const auto& row) { return row.first == word; }))
                throw_no_such_word(name, word);
            asked.emplace_back(word);
        }
        if (some.empty())
            for (const auto& row : words) asked.emplace_back(row.first);
        return OptionName::each(asked);
    }
};

std::vector<Options> operator+(std::vector<Options> a, const std::vector<Options>& b);
/// Each of `a` with each of `b`; `b` changes faster.
std::vector<Options> operator*(const std::vector<Options>& a, const std::vector<Options>& b);

/// What a probe accepts on request besides its variants: a value that is no word of a few. `about`: which values, for a
/// person.
struct Accepted {
    std::string_view name, about;
    std::function<bool(const std::string& value)> valid;
};

/// The same with what a value means.
template <class T> struct Setting : OptionName {
    std::string_view about;
    std::optional<T> (*parse)(const std::string& value);

    /// nullopt: not asked for.
    std::optional<T> in(const Options& options) const { return asked(options) ? parse(word(options)) : std::nullopt; }
    operator Accepted() const {
        return {name, about, [read = parse](const std::string& value) { return read(value).has_value(); }};
    }
};

} // namespace sonde
