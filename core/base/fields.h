// A struct's fields, listed once: by that list it is written as JSON, read back, and described (results/schema.json).
//
//     struct Sample {
//         int block = 0;
//         std::optional<double> cycles{};
//         static constexpr auto fields = std::tuple{Field{"block", &Sample::block, "whose memory it was"},
//         Field{"cycles", &Sample::cycles, "null: no counter"}};
//     };
//     Json line = sample;                     // {"block": 0, "cycles": null}
//     Sample back = line.get<Sample>();       // throws Error("'block' is missing")
//
// Members may be numbers, text, Json, structs with fields, enums with names (`enum_names`), and vectors, maps, pairs
// and optionals of these. A map by number is an object whose keys are the numbers.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"

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

template <class T>
concept HasFields = requires {
    T::fields;
};
/// An enum with names has a function `std::span<const char* const> enum_names(T)` beside it, by its values.
template <class T>
concept HasNames = requires(T value) {
    enum_names(value);
};
template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;

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
    if constexpr (HasNames<Member>) {
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
} // namespace fields

} // namespace sonde

namespace nlohmann {
template <sonde::HasFields T> struct adl_serializer<T, void> {
    static void to_json(sonde::Json& json, const T& from) {
        json = sonde::Json::object();
        std::apply([&](const auto&... field) { (sonde::fields::write(json, field, from), ...); }, T::fields);
    }
    static void from_json(const sonde::Json& json, T& into) {
        if (!json.is_object()) throw sonde::Error(fmt::format("{} where an object should be", json.type_name()));
        std::apply([&](const auto&... field) { (sonde::fields::read(json, field, into), ...); }, T::fields);
    }
};
template <sonde::HasNames T> struct adl_serializer<T, void> {
    static void to_json(sonde::Json& json, const T& from) { json = enum_names(from)[static_cast<std::size_t>(from)]; }
};
template <> struct adl_serializer<std::map<double, double>, void> {
    static void to_json(sonde::Json& json, const std::map<double, double>& from) {
        json = sonde::Json::object();
        for (const auto& [x, value] : from) json[fmt::format("{}", x)] = value;
    }
    static void from_json(const sonde::Json& json, std::map<double, double>& into) {
        for (const auto& [text, value] : json.get<std::map<std::string, double>>()) {
            const auto x = sonde::number_of<double>(text);
            if (!x) throw sonde::Error(fmt::format("'{}' where a number should be", text));
            into[*x] = value;
        }
    }
};
template <class T> struct adl_serializer<std::optional<T>, void> {
    static void to_json(sonde::Json& json, const std::optional<T>& from) {
        json = from ? sonde::Json(*from) : sonde::Json(nullptr);
    }
    static void from_json(const sonde::Json& json, std::optional<T>& into) {
        into = json.is_null() ? std::nullopt : std::optional(json.get<T>());
    }
};
} // namespace nlohmann
