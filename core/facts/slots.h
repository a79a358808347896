// What a fact is about, as data: slots, which a wording names. A wording is a text with its slots in braces.
#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/data/level_name.h"
#include "core/data/option.h"
#include "core/facts/quantity.h"

namespace sonde {

/// Words that a rule chooses and does not write; `name` is for programs.
struct Term {
    std::string_view name{}, text{};
};

/// Text is a name that a series, a listing or a driver has: a path, an operation, an instruction.
using SlotValue = std::variant<std::string, std::vector<std::string>, Term, LevelName, Options, Quantity>;
struct Slot {
    std::string_view name{};
    SlotValue value{};
};
using Slots = std::vector<Slot>;

/// Both; those of `more` behind.
Slots joined(Slots, const Slots& more);
/// nullptr: there is none.
const SlotValue* slot_named(const Slots&, std::string_view name);

/// The wording with the values of its slots. "{workgroups:workgroup|workgroups}": the noun of one and of several; of
/// more than three names it tells how many there are. What stands in brackets is left out where a slot in them is
/// missing or empty: "{path}[ {options}]". Throws Error where another slot is missing.
std::string filled(std::string_view wording, const Slots&);

/// {"path": "global", "options": {"width": "4"}, "footprint": {"value", "unit", "low", "high"}}, in units without
/// prefix; of a term its name.
Json slots_json(const Slots&);

} // namespace sonde
