// Names of levels as texts.
#include "core/data/level_name.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

namespace {
using LevelKind = LevelName::Kind;
using LevelPart = LevelName::Part;

struct KindText {
    LevelKind kind;
    std::string_view text;
    bool numbered = false; // a number follows
};
constexpr std::array kKinds{KindText{LevelKind::cache, "L", true}, KindText{LevelKind::dram, "DRAM"},
    KindText{LevelKind::constant, "constant L", true}, KindText{LevelKind::push, "push"},
    KindText{LevelKind::scratchpad, "scratchpad"}, KindText{LevelKind::host_cache, "host, cached"},
    KindText{LevelKind::host_memory, "host memory"}, KindText{LevelKind::peer_memory, "peer memory"},
    KindText{LevelKind::behind, "beyond it"}, KindText{LevelKind::untold, "memory"}};

struct PartText {
    LevelPart part;
    std::string_view text;
};
constexpr std::array kParts{
    PartText{LevelPart::near, " near"}, PartText{LevelPart::far, " far"}, PartText{LevelPart::whole, ""}};

constexpr std::string_view kUnsure = "?", kBehindPush = "push L"; // the nearest of push has no number

std::string plain_text(const LevelName& name) {
    if (name.kind == LevelKind::other) return name.word;
    if (name.kind == LevelKind::push && name.number > 1) return fmt::format("{}{}", kBehindPush, name.number);
    const auto kind = std::ranges::find(kKinds, name.kind, &KindText::kind);
    return kind->numbered ? fmt::format("{}{}", kind->text, name.number) : std::string(kind->text);
}

/// Takes it off the end of the text, where it stands there.
bool take_end(std::string_view& text, std::string_view end) {
    const bool there = text.ends_with(end);
    if (there) text.remove_suffix(end.size());
    return there;
}

/// Takes " (2)" off the end.
int take_repetition(std::string_view& text) {
    const std::size_t open = text.rfind(" (");
    if (open == text.npos || !text.ends_with(')')) return 1;
    const auto number = number_of<int>(text.substr(open + 2, text.size() - open - 3));
    if (number) text = text.substr(0, open);
    return number.value_or(1);
}
} // namespace

std::string LevelName::text() const {
    return fmt::format("{}{}{}{}", plain_text(*this), std::ranges::find(kParts, part, &PartText::part)->text,
        unsure ? kUnsure : "", repetition > 1 ? fmt::format(" ({})", repetition) : "");
}

LevelName LevelName::whole() const {
    LevelName name = *this;
    name.part = Part::whole;
    return name;
}

bool LevelName::is_seen_as(const LevelName& other) const {
    return *this == other || (part != Part::far && other.part != Part::far && whole() == other.whole());
}

LevelName level_name_of(std::string_view text) {
    std::string_view rest = text;
    LevelName name{.repetition = take_repetition(rest)};
    name.unsure = take_end(rest, kUnsure);
    name.part = std::ranges::find_if(kParts, [&](const PartText& each) { return take_end(rest, each.text); })->part;
    const std::size_t digits = rest.find_last_not_of("0123456789") + 1;
    const std::string_view word = rest.substr(0, digits);
    const auto kind = std::ranges::find(kKinds, word, &KindText::text);
    name.kind = kind != kKinds.end() ? kind->kind : word == kBehindPush ? LevelKind::push : LevelKind::other;
    name.number = number_of<int>(rest.substr(digits)).value_or(1);
    return name.kind != LevelKind::other && name.text() == text ? name : LevelName{.word = std::string(text)};
}

} // namespace sonde
