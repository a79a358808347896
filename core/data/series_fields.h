// The fields of a series.
#pragma once
#include <tuple>

#include "core/base/fields.h"
#include "core/data/series.h"

namespace sonde {

/// The fields of a struct that has such a member, one after another in its JSON.
template <class Owner> constexpr auto id_fields(SeriesId Owner::*id) {
    return std::tuple{Field{"probe", [id](auto& of) -> decltype(auto) { return ((of.*id).probe); }, "question asked"},
        Field{"device", [id](auto& of) -> decltype(auto) { return ((of.*id).device); }, "API and number, \"vulkan:0\""},
        Field{"path", [id](auto& of) -> decltype(auto) { return ((of.*id).path); }, "how loads reach memory"},
        Field{"options", [id](auto& of) -> decltype(auto) { return ((of.*id).options); },
            "what tells variants of a question apart"}};
}
/// The same with the owner's API and card.
template <class Owner> constexpr auto id_fields_on_card(SeriesId Owner::*id) {
    const auto [probe, device, path, options] = id_fields(id);
    return std::tuple{probe, device, Field{"api", &Owner::api, "of the device"},
        Field{"card", &Owner::card, "physical card, the same through all APIs", R"({"minLength": 1})"}, path, options};
}

template <> inline constexpr auto fields_of<Sample> =
    std::tuple{Field{"block", &Sample::block, "repetition with memory and chains of its own", R"({"minimum": 0})"},
        Field{"steps", &Sample::steps, "units of work: loads of a chain, bytes", R"({"minimum": 0})"},
        Field{"host_ns", &Sample::host_ns, "by the host's clock, waiting included"},
        Field{"device_ns", &Sample::device_ns, "by the API's events or timestamps; null: there are none"},
        Field{"cycles", &Sample::cycles, "by the kernel's own counter; null: there is none"}};

template <> inline constexpr auto fields_of<Point> = std::tuple{Field{"x", &Point::x, "place on the axis"},
    Field{"median", &Point::median,
        "in the series' unit, of the slopes between the two samples of each pair; null: no pair has one"},
    Field{"low", &Point::low, "first quartile"}, Field{"high", &Point::high, "third quartile"},
    Field{"cycles", &Point::cycles, "core cycles per unit of work"},
    Field{"clock_mhz", &Point::clock_mhz, "what the core ran at"},
    Field{"samples", &Point::samples, "pairs of a short and a long dispatch, as read"}};

template <> inline constexpr auto fields_of<AxisText> = std::tuple{Field{"name", &AxisText::name, "what it is"},
    Field{"unit", &AxisText::unit, "\"\" where it is a number", kAxisUnits}};

template <> inline constexpr auto fields_of<Ending> = std::tuple{Field{"by", &Ending::by, "what ended it"},
    where_known("bytes", &Ending::bytes, "of memory, at which it ends"),
    where_known("before", &Ending::before, "the first x that is not measured"),
    where_known("done", &Ending::done, "repetitions that are complete"),
    where_known("of", &Ending::of, "repetitions that the profile asks for"),
    where_known("why", &Ending::why, "the limit, or what the driver said")};

template <> inline constexpr auto fields_of<Doubt> = std::tuple{Field{"kind", &Doubt::kind, "what casts the doubt"},
    where_known("measured", &Doubt::measured, "MHz, ns, times or a share, by its kind"),
    where_known("usual", &Doubt::usual, "the same of the card's other series"),
    where_known("bytes", &Doubt::bytes, "that the control measurement walked over"),
    where_known("at", &Doubt::at, "x of the points that nearly all samples that scatter are at"),
    where_known("blocks_apart", &Doubt::blocks_apart, "times, where samples of each block agree")};

template <> inline constexpr auto fields_of<Series> = std::tuple_cat(std::tuple{KindField{"type", "series"}},
    id_fields_on_card(&Series::id),
    std::tuple{Field{"status", &Series::status, "unstable: measured, with a doubt that the reason tells"},
        ComputedField{"reason", reason_text, [](Series& into, std::string text) { into.reason = std::move(text); },
            "required unless ok; with ok: why the series ends where it does; `ending` and `doubts` in words"},
        where_known("ending", &Series::ending, "why it ends before all that its profile asks for"),
        where_known("doubts", &Series::doubts, "why it is unstable"), Field{"x", &Series::x, "the axis"},
        Field{"unit", &Series::unit, "of the medians and quartiles", kValueUnits},
        Field{"points", &Series::points, "by ascending x"},
        Field{"evidence", &Series::evidence, "how it was measured and checked"}});

} // namespace sonde
