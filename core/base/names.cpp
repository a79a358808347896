// The nearest of the names that there are: by what they begin with, then by edit distance (Levenshtein 1966).
#include "core/base/names.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace sonde {

namespace {
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t best = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row.back();
}
} // namespace

std::vector<std::string> nearest_names(std::string_view name, std::vector<std::string> valid) {
    constexpr std::size_t kMost = 3;
    const auto distance = [&](const std::string& each) {
        const int apart = each.starts_with(name) ? 0 : each.find(name) != each.npos ? 1 : 2; // of what has a part of it
        return std::pair(name.empty() ? 0 : apart, edit_distance(each, name));
    };
    std::ranges::stable_sort(valid, {}, distance);
    valid.resize(std::min(valid.size(), kMost));
    return valid;
}

std::string unknown_name(std::string_view what, std::string_view name, std::vector<std::string> valid) {
    return fmt::format(
        "unknown {} '{}'; nearest: {}", what, name, fmt::join(nearest_names(name, std::move(valid)), ", "));
}

void check_names(
    const std::string& what, const std::vector<std::string>& names, const std::vector<std::string>& valid) {
    for (const std::string& name : names) {
        if (std::find(valid.begin(), valid.end(), name) != valid.end()) continue;
        throw UsageError(unknown_name(what, name, valid));
    }
}

} // namespace sonde
