// Options of a series, such as width=16, and how a probe declares and reads them: by name and word once, so that a misspelt one does not compile.
#pragma once
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"

namespace sonde {

using Options = std::map<std::string, std::string>;

/// An option that takes one of a few words. T: what a word means to its probe.
template <class T> struct Choice {
    std::string_view name;
    std::vector<std::pair<std::string_view, T>> words;

    /// Throws Error where a file's options lack it, or have another word.
    const T& in(const Options& options) const {
        const auto found = options.find(std::string(name));
        for (const auto& [word, meaning] : words)
            if (found != options.end() && found->second == word) return meaning;
        throw Error(fmt::format("option {} is {}, none of what this version knows", name, found == options.end() ? "missing" : "'" + found->second + "'"));
    }
    /// A series for each word, or for `some` of them. Throws std::logic_error where one of these is no word of it.
    std::vector<Options> each(std::vector<std::string_view> some = {}) const {
        if (some.empty())
            for (const auto& row : words) some.push_back(row.first);
        std::vector<Options> sets;
        for (const std::string_view word : some) {
            if (std::none_of(words.begin(), words.end(), [&](const auto& row) { return row.first == word; })) throw std::logic_error(fmt::format("{} is no word of {}", word, name));
            sets.push_back({{std::string(name), std::string(word)}});
        }
        return sets;
    }
};

inline std::vector<Options> operator+(std::vector<Options> a, const std::vector<Options>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
/// Each of `a` with each of `b`; `b` changes faster.
inline std::vector<Options> operator*(const std::vector<Options>& a, const std::vector<Options>& b) {
    std::vector<Options> all;
    for (const Options& first : a)
        for (const Options& second : b) all.emplace_back(first).insert(second.begin(), second.end());
    return all;
}

/// What a probe accepts on request besides its variants: a value that is no word of a few. `about`: which values, for a person.
struct Accepted {
    std::string_view name, about;
    std::function<bool(const std::string& value)> valid;
};

/// The same with what a value means.
template <class T> struct Setting {
    std::string_view name, about;
    std::optional<T> (*parse)(const std::string& value);

    /// nullopt: not asked for.
    std::optional<T> in(const Options& options) const {
        const auto found = options.find(std::string(name));
        return found == options.end() ? std::nullopt : parse(found->second);
    }
    std::vector<Options> each(const std::vector<std::string>& values) const {
        std::vector<Options> sets;
        sets.reserve(values.size());
        for (const std::string& value : values) sets.push_back({{std::string(name), value}});
        return sets;
    }
    operator Accepted() const {
        return {name, about, [read = parse](const std::string& value) { return read(value).has_value(); }};
    }
};

} // namespace sonde
