// A struct's fields, listed once: by that list it is written as JSON, read back, and described (results/schema.json).
//
//     // the header: what everyone includes, and no list in it
//     struct Sample {
//         int block = 0;
//         std::optional<double> cycles{};
//     };
//     void to_json(Json&, const Sample&);
//     void from_json(const Json&, Sample&);
//
//     // a header ..._fields.h, for the source that writes and reads the struct and for the schema alone: such a list
//     // takes the compiler as long as all the rest of the struct's header
//     template <> inline constexpr auto fields_of<Sample> = std::tuple{
//         Field{"block", &Sample::block, "whose memory it was"}, Field{"cycles", &Sample::cycles, "null: no counter"}};
//
//     // that source, ..._json.cpp
//     void to_json(Json& json, const Sample& from) { fields::write_all(json, from); }
//     void from_json(const Json& json, Sample& into) { fields::read_all(json, into); }
//
//     // everywhere
//     Json line = sample;                     // {"block": 0, "cycles": null}
//     Sample back = line.get<Sample>();       // throws Error("'block' is missing")
//
// Members may be numbers, text, Json, structs with fields, enums with names (`enum_names`), and vectors, maps, pairs
// and optionals of these. A map by number is an object whose keys are the numbers.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/json.h"

namespace sonde {

/// required: always written, and wanted when read, unless it is a std::optional. lenient: other lines of the kind, or
/// other versions, lack it. where_known: lenient, and left out where it is empty: no value, no text, no elements.
enum class Presence { required, lenient, where_known };

/// `at`: a pointer to a member, or what makes a reference into the struct of one. `limits`: what JSON Schema says
/// besides the type, as its text.
template <class At> struct Field {
    const char* name;
    At at;
    const char* about;
    const char* limits = "";
    Presence presence = Presence::required;
};
template <class At> Field(const char*, At, const char*, const char* = "", Presence = {}) -> Field<At>;
template <class At>
constexpr Field<At> where_known(const char* name, At at, const char* about, const char* limits = "") {
    return {name, at, about, limits, Presence::where_known};
}

/// The same for what is kept in another form: the member function `get` makes a value of it, `set` takes one.
template <class Get, class Set> struct ComputedField {
    const char* name;
    Get get;
    Set set;
    const char* about;
};
template <class Get, class Set> ComputedField(const char*, Get, Set, const char*) -> ComputedField<Get, Set>;

/// A word that says what kind of line it is; not read.
struct KindField {
    const char *name, *word;
};

/// The list of a struct: `template <> inline constexpr auto fields_of<Sample> = std::tuple{...};`
template <class T> inline constexpr auto fields_of = nullptr;
template <class T>
concept HasFields = !std::is_same_v<std::remove_cvref_t<decltype(fields_of<T>)>, std::nullptr_t>;
template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;
template <class T> inline constexpr bool is_optional_enum = false;
template <HasNames T> inline constexpr bool is_optional_enum<std::optional<T>> = true;

namespace fields {
template <class Member> bool is_known(const Member& member) {
    if constexpr (is_optional<Member>) return member.has_value();
    else if constexpr (requires { member.empty(); }) return !member.empty();
    else return true;
}
template <class T, class At> void write(Json& object, const Field<At>& field, const T& from) {
    const auto& member = std::invoke(field.at, from);
    if (field.presence != Presence::where_known || is_known(member)) object[field.name] = member;
}
template <class T, class Get, class Set> void write(Json& object, const ComputedField<Get, Set>& field, const T& from) {
    object[field.name] = std::invoke(field.get, from);
}
template <class T> void write(Json& object, const KindField& field, const T&) { object[field.name] = field.word; }

/// Whether an integer of this kind can be that number.
template <class Integer> bool fits(const Json& number) {
    using Limits = std::numeric_limits<Integer>;
    if (number.is_number_float())
        return number.get<double>() >= static_cast<double>(Limits::min()) &&
               number.get<double>() < std::ldexp(1.0, Limits::digits);
    return number.is_number_unsigned() ? std::in_range<Integer>(number.get<std::uint64_t>())
                                       : std::in_range<Integer>(number.get<std::int64_t>());
}

template <class Member> void read_member(const Json& object, const char* name, bool required, Member& member) {
    const auto found = object.find(name);
    if (found == object.end() && required) throw Error(fmt::format("'{}' is missing", name));
    if (found == object.end()) return;
    if constexpr (is_optional_enum<Member>) {
        member.reset();
        if (!found->is_null()) read_member(object, name, false, member.emplace());
    } else if constexpr (HasNames<Member>) {
        const auto names = enum_names(member);
        const auto known = std::find(names.begin(), names.end(), text_field(object, name));
        if (known == names.end()) throw Error(fmt::format("'{}' is none of {}", name, fmt::join(names, ", ")));
        member = static_cast<Member>(known - names.begin());
    } else {
        if constexpr (std::is_integral_v<Member> && !std::is_same_v<Member, bool>)
            if (found->is_number() && !fits<Member>(*found)) throw Error(fmt::format("'{}' is out of range", name));
        try {
            found->get_to(member);
        } catch (const Json::exception&) {
            throw Error(fmt::format("'{}' is {}", name,
                std::is_same_v<Member, std::optional<double>> ? "not a number" : "of the wrong kind"));
        }
    }
}
template <class T, class At> void read(const Json& object, const Field<At>& field, T& into) {
    auto& member = std::invoke(field.at, into);
    read_member(object, field.name,
        field.presence == Presence::required && !is_optional<std::remove_cvref_t<decltype(member)>>, member);
}
template <class T, class Get, class Set> void read(const Json& object, const ComputedField<Get, Set>& field, T& into) {
    auto value = std::invoke(field.get, into);
    read_member(object, field.name, true, value);
    std::invoke(field.set, into, std::move(value));
}
template <class T> void read(const Json&, const KindField&, T&) {}

template <class T> void write_all(Json& json, const T& from) {
    json = Json::object();
    std::apply([&](const auto&... field) { (write(json, field, from), ...); }, fields_of<T>);
}
template <class T> void read_all(const Json& json, T& into) {
    if (!json.is_object()) throw Error(fmt::format("{} where an object should be", json.type_name()));
    std::apply([&](const auto&... field) { (read(json, field, into), ...); }, fields_of<T>);
}
} // namespace fields

/// Of a struct whose header declares none of its own: nobody but the source that has its list writes or reads it.
template <HasFields T> void to_json(Json& json, const T& from) { fields::write_all(json, from); }
template <HasFields T> void from_json(const Json& json, T& into) { fields::read_all(json, into); }

} // namespace sonde
