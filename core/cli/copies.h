// Files, or runs, that are there already.
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sonde {

/// What is given more than once counts once, and is told in one line.
class Copies {
public:
    /// false: that text was added before, from another file.
    bool add(const std::string& text, const std::string& file) {
        const bool fresh = texts_.insert(std::pair(text.size(), std::hash<std::string>{}(text))).second;
        if (!fresh) of_files_.push_back(file);
        return fresh;
    }
    /// "a.jsonl, b.jsonl and 96 more: what are there already is read once"; "" without copies.
    std::string text() const {
        constexpr std::size_t kNamed = 2;
        if (of_files_.empty()) return "";
        const std::size_t named = std::min(kNamed, of_files_.size());
        std::string names = fmt::format("{}", fmt::join(std::span(of_files_).first(named), ", "));
        if (named < of_files_.size()) names += fmt::format(" and {} more", of_files_.size() - named);
        return fmt::format("{}: what {} there already is read once", names, of_files_.size() == 1 ? "is" : "are");
    }

private:
    std::set<std::pair<std::size_t, std::size_t>> texts_; // size and hash
    std::vector<std::string> of_files_;
};

} // namespace sonde
