#include "core/run/tally.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/data/profile.h"

namespace sonde {

namespace {
constexpr std::size_t kFewLines = 3;  // of a reason on the terminal: a compiler's messages may take pages
constexpr std::size_t kMostNamed = 3; // series
} // namespace

void Tally::take(const Series& series, bool here) {
    Ended ended{series.id, series.status, reason_text(series), is_cut_short(series), here};
    const auto same = std::ranges::find(ended_, series.id, &Ended::id);
    if (same == ended_.end()) ended_.push_back(std::move(ended));
    else *same = std::move(ended);
}

std::map<Status, int> Tally::counts() const {
    std::map<Status, int> counts;
    for (const Ended& each : ended_) ++counts[each.status];
    return counts;
}

std::string Tally::reasons_text() const {
    std::map<std::pair<Status, std::string>, std::vector<std::string>> by_reason;
    for (const Ended& each : ended_)
        if (each.here && (each.status == Status::unsupported || each.status == Status::unstable))
            by_reason[{each.status, each.reason}].push_back(each.id.text());
    std::vector<std::pair<std::pair<Status, std::string>, std::vector<std::string>>> reasons(
        by_reason.begin(), by_reason.end());
    std::ranges::stable_sort(reasons, std::greater(), [](const auto& each) { return each.second.size(); });
    std::string text;
    for (const auto& [reason, of] : reasons)
        text += fmt::format("{} {}: {}\n", of.size() == 1 ? of[0] + ":" : fmt::format("{} series", of.size()),
            to_text(reason.first), first_lines(reason.second, kFewLines));
    return text;
}

std::string Tally::failures_text() const {
    std::string text;
    for (const Ended& each : ended_)
        if (each.here && each.status == Status::failed)
            text += fmt::format("{}: failed: {}\n", each.id.text(), first_lines(each.reason, kFewLines));
    return text;
}

std::string Tally::cut_short_text() const {
    std::vector<std::string> cut;
    for (const Ended& each : ended_)
        if (each.here && each.cut_short) cut.push_back(each.id.text());
    if (cut.empty()) return "";
    const std::size_t more = cut.size() - std::min(cut.size(), kMostNamed);
    cut.resize(cut.size() - more);
    return fmt::format("cut short, {}: {}{}; --resume with more --time measures them anew\n", kTimeOver,
        fmt::join(cut, ", "), more ? fmt::format(" and {} more", more) : "");
}

} // namespace sonde
