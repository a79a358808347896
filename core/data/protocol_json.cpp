// What a run and its workers tell each other, as JSON.
#include "core/data/protocol.h"

#include <tuple>

#include "core/base/fields.h"
#include "core/data/series_fields.h"

namespace sonde {

template <> inline constexpr auto fields_of<Request> = std::tuple_cat(
    std::tuple{Field{"request", &Request::kind, "what is asked for"}}, id_fields(&Request::id),
    std::tuple{Field{"profile", &Request::profile, "how thorough"},
        Field{"seconds", &Request::seconds, "0: the profile's"}, Field{"seed", &Request::seed, "of chains and data"},
        Field{"most_seconds", &Request::most_seconds, "of the series; 0: no limit", "", Presence::lenient},
        Field{"end_seconds", &Request::end_seconds, "of the run; 0: no end", "", Presence::lenient},
        Field{"dispatch_limit_ms", &Request::dispatch_limit_ms, "no dispatch lasts longer"},
        Field{"cores", &Request::cores, "the card's", "", Presence::lenient},
        Field{"cache_bytes", &Request::cache_bytes, "the card's largest", "", Presence::lenient},
        Field{"card_idle_seconds", &Request::card_idle_seconds, "since the last series on the card", "",
            Presence::lenient}});

template <> inline constexpr auto fields_of<Outcome> = std::tuple{KindField{"event", "done"},
    Field{"status", &Outcome::status, "as in a series"}, Field{"reason", &Outcome::reason, "as in a series"},
    Field{"evidence", &Outcome::evidence, "of the worker's part"},
    where_known("ending", &Outcome::ending, "as in a series")};

template <> inline constexpr auto fields_of<HelloEvent> =
    std::tuple{KindField{"event", "hello"}, Field{"host", &HelloEvent::host, "as in results", "", Presence::lenient}};

template <> inline constexpr auto fields_of<AbsentEvent> =
    std::tuple{KindField{"event", "absent"}, Field{"reason", &AbsentEvent::reason, "why there are no devices"}};

template <> inline constexpr auto fields_of<ReadyEvent> = std::tuple{KindField{"event", "ready"}};

template <> inline constexpr auto fields_of<BeginEvent> = std::tuple{KindField{"event", "begin"}};

template <> inline constexpr auto fields_of<PreparedEvent> = std::tuple{KindField{"event", "prepared"}};

template <> inline constexpr auto fields_of<StepEvent> =
    std::tuple{KindField{"event", "step"}, Field{"text", &StepEvent::text, "for a person"}};

template <> inline constexpr auto fields_of<SamplesEvent> = std::tuple{KindField{"event", "samples"},
    Field{"x", &SamplesEvent::x, "the point"}, Field{"samples", &SamplesEvent::samples, "as in a series"}};

template <> inline constexpr auto fields_of<ListingEvent> =
    std::tuple{KindField{"event", "listing"}, Field{"kernel", &ListingEvent::kernel, "its name"},
        Field{"group_size", &ListingEvent::group_size, "work-items of a workgroup"},
        Field{"chases", &ListingEvent::chases, "its loads follow a chain"},
        Field{"atomic", &ListingEvent::atomic, "it measures an atomic instruction"},
        Field{"kind", [](auto& of) -> decltype(auto) { return (of.listing.kind); }, "of listing"},
        Field{"text", [](auto& of) -> decltype(auto) { return (of.listing.text); }, "the listing"},
        Field{"note", [](auto& of) -> decltype(auto) { return (of.listing.note); }, "what a reader of it has to know"},
        where_known(
            "words", [](auto& of) -> decltype(auto) { return (of.listing.words); }, "machine code, in 64-bit words"),
        Field{"step_instructions", &ListingEvent::step_instructions, "in one step of a chain, by mnemonic"}};

template <> inline constexpr auto fields_of<Support> =
    std::tuple{Field{"name", &Support::name, "of the path or operation"},
        Field{"supported", &Support::supported, "kernels can be built and run with it"},
        Field{"reason", &Support::reason, "why not"}};

template <> inline constexpr auto fields_of<DeviceEvent> =
    std::tuple{KindField{"event", "device"}, Field{"info", &DeviceEvent::info, "as in results"},
        Field{"paths", &DeviceEvent::paths, "all that the worker knows"},
        Field{"operations", &DeviceEvent::operations, "all that the worker knows"}};

void to_json(Json& json, const Request& from) { fields::write_all(json, from); }
void from_json(const Json& json, Request& into) { fields::read_all(json, into); }

void to_json(Json& json, const Outcome& from) { fields::write_all(json, from); }
void to_json(Json& json, const HelloEvent& from) { fields::write_all(json, from); }
void to_json(Json& json, const AbsentEvent& from) { fields::write_all(json, from); }
void to_json(Json& json, const ReadyEvent& from) { fields::write_all(json, from); }
void to_json(Json& json, const BeginEvent& from) { fields::write_all(json, from); }
void to_json(Json& json, const PreparedEvent& from) { fields::write_all(json, from); }
void to_json(Json& json, const StepEvent& from) { fields::write_all(json, from); }
void to_json(Json& json, const SamplesEvent& from) { fields::write_all(json, from); }
void to_json(Json& json, const ListingEvent& from) { fields::write_all(json, from); }
void to_json(Json& json, const DeviceEvent& from) { fields::write_all(json, from); }

template <class Event> std::optional<Event> event_in(const Json& line) {
    if (text_field(line, "event") != std::get<KindField>(fields_of<Event>).word) return std::nullopt;
    return line.get<Event>();
}
template std::optional<Outcome> event_in(const Json&);
template std::optional<HelloEvent> event_in(const Json&);
template std::optional<AbsentEvent> event_in(const Json&);
template std::optional<ReadyEvent> event_in(const Json&);
template std::optional<BeginEvent> event_in(const Json&);
template std::optional<PreparedEvent> event_in(const Json&);
template std::optional<StepEvent> event_in(const Json&);
template std::optional<SamplesEvent> event_in(const Json&);
template std::optional<ListingEvent> event_in(const Json&);
template std::optional<DeviceEvent> event_in(const Json&);

} // namespace sonde
