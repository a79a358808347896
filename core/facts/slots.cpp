// How slots stand in a wording.
#include "core/facts/slots.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/list_text.h"
#include "core/base/text.h"
#include "core/data/series.h"
#include "core/facts/grid.h"

namespace sonde {

namespace {
/// "workgroup" and "workgroups" of "workgroup|workgroups".
struct Noun {
    std::string_view one{}, several{};

    explicit Noun(std::string_view both)
        : one(both.substr(0, both.find('|'))), several(both.substr(std::min(both.size(), one.size() + 1))) {}
    /// " workgroups"
    std::string behind(double number) const {
        const std::string_view noun = number == 1 ? one : several;
        return noun.empty() ? "" : fmt::format(" {}", noun);
    }
};

/// How a value is told: a condition has no more digits than it was given with.
struct Told {
    Noun noun;

    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const std::vector<std::string>& names) const {
        constexpr std::size_t kNamed = 3;
        if (names.size() <= kNamed) return list_text(names);
        return std::to_string(names.size()) + noun.behind(static_cast<double>(names.size()));
    }
    std::string operator()(const Term& term) const { return std::string(term.text); }
    std::string operator()(const LevelName& level) const { return level.text(); }
    std::string operator()(const Options& options) const { return options_text(options); }
    std::string operator()(const Quantity& quantity) const {
        if (quantity.unit == Unit::count) return fmt::format("{}{}", quantity.value, noun.behind(quantity.value));
        const auto& range = quantity.range;
        if (quantity.unit == Unit::bytes)
            return range ? format_byte_range(range->first, range->second) : format_bytes(quantity.value);
        const Scale scale = scale_of(quantity.value, quantity.unit);
        return fmt::format("{} {}", quantity_text(quantity, scale, 2), scale.unit);
    }
};

/// A part of a wording: all of it, or what stands in brackets.
std::string filled_part(std::string_view part, const Slots& slots, bool may_lack, bool& lacks) {
    std::string text;
    for (std::size_t at = 0; at < part.size();) {
        const std::size_t open = std::min(part.find('{', at), part.size());
        text += part.substr(at, open - at);
        if (open == part.size()) break;
        const std::size_t close = part.find('}', open);
        const std::string_view inside = part.substr(open + 1, close - open - 1),
                               name = inside.substr(0, inside.find(':'));
        const SlotValue* value = slot_named(slots, name);
        if (!value && !may_lack) throw Error(fmt::format("nothing for the slot '{}' of the wording '{}'", name, part));
        const Noun noun(inside.substr(std::min(inside.size(), name.size() + 1)));
        const std::string told = value ? std::visit(Told{noun}, *value) : "";
        lacks = lacks || told.empty();
        text += told;
        at = close + 1;
    }
    return text;
}
} // namespace

Slots joined(Slots slots, const Slots& more) {
    slots.insert(slots.end(), more.begin(), more.end());
    return slots;
}

const SlotValue* slot_named(const Slots& slots, std::string_view name) {
    const auto found = std::ranges::find(slots, name, &Slot::name);
    return found == slots.end() ? nullptr : &found->value;
}

std::string filled(std::string_view wording, const Slots& slots) {
    std::string text;
    for (std::size_t at = 0; at < wording.size();) {
        const bool optional = wording[at] == '[';
        const std::size_t from = at + optional, to = std::min(wording.find(optional ? ']' : '[', from), wording.size());
        bool lacks = false;
        const std::string part = filled_part(wording.substr(from, to - from), slots, optional, lacks);
        if (!optional || !lacks) text += part;
        at = to + optional;
    }
    return text;
}

Json slots_json(const Slots& slots) {
    struct Data {
        Json operator()(const std::string& text) const { return text; }
        Json operator()(const std::vector<std::string>& names) const { return names; }
        Json operator()(const Term& term) const { return term.name; }
        Json operator()(const LevelName& level) const { return level.text(); }
        Json operator()(const Options& options) const { return options; }
        Json operator()(const Quantity& quantity) const { return quantity_json(quantity); }
    };
    Json json = Json::object();
    for (const Slot& each : slots) json[std::string(each.name)] = std::visit(Data(), each.value);
    return json;
}

} // namespace sonde
