// results/schema.json is what the structs of a results file say by their fields. SONDE_WRITE_SCHEMA=1 writes it anew.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/file.h"
#include "core/data/evidence_fields.h"
#include "core/data/finding_fields.h"
#include "core/data/protocol.h"
#include "core/data/results_fields.h"
#include "core/data/series_fields.h"
#include "tests/places.h"
#include "tests/recorded.h"
#include "tests/thorough.h"

using namespace sonde;

namespace {
template <class T> struct Described;

template <class T> Json described() { return Described<T>::schema(); }

/// A number, text, a struct with fields, or an enum with names.
template <class T> struct Described {
    static Json schema() {
        if constexpr (HasFields<T>) return fields();
        else if constexpr (HasNames<T>) return {{"enum", enum_names(T{})}};
        else if constexpr (std::is_same_v<T, Json>) return Json::object();
        else
            return {{"type", std::is_same_v<T, bool>       ? "boolean"
                             : std::is_integral_v<T>       ? "integer"
                             : std::is_floating_point_v<T> ? "number"
                                                           : "string"}};
    }

private:
    static Json fields() {
        Json object = {{"type", "object"}, {"required", Json::array()}, {"properties", Json::object()}};
        std::apply([&](const auto&... field) { (add(object, field), ...); }, fields_of<T>);
        return object;
    }
    static void put(Json& object, const char* name, const char* about, Json schema, const char* limits, bool required) {
        if (required) object["required"].push_back(name);
        Json& property = object["properties"][name] = {{"description", about}};
        property.update(schema);
        if (*limits) property.update(Json::parse(limits));
    }
    template <class At> static void add(Json& object, const Field<At>& field) {
        using Member = std::remove_cvref_t<decltype(std::invoke(field.at, std::declval<T&>()))>;
        Json schema = described<Member>();
        if constexpr (is_optional<Member>)
            if (field.presence == Presence::where_known)
                schema = described<typename Member::value_type>(); // never null
        put(object, field.name, field.about, schema, field.limits, field.presence == Presence::required);
    }
    template <class Get, class Set> static void add(Json& object, const ComputedField<Get, Set>& field) {
        put(object, field.name, field.about, described<std::remove_cvref_t<std::invoke_result_t<Get, const T&>>>(), "",
            true);
    }
    static void add(Json& object, const KindField& field) {
        object["required"].push_back(field.name);
        object["properties"][field.name] = {{"enum", {field.word}}};
    }
};
template <class T> struct Described<std::optional<T>> {
    static Json schema() {
        Json schema = described<T>();
        if (HasNames<T>) schema["enum"].push_back(nullptr);
        else schema["type"] = {schema["type"], "null"};
        return schema;
    }
};
template <class T> struct Described<std::vector<T>> {
    static Json schema() { return {{"type", "array"}, {"items", described<T>()}}; }
};
template <class Key, class T> struct Described<std::map<Key, T>> {
    static Json schema() { return {{"type", "object"}, {"additionalProperties", described<T>()}}; }
};
template <> struct Described<Options> : Described<Options::Words> {};
template <class A, class B> struct Described<std::pair<A, B>> {
    static Json schema() {
        return {{"type", "array"}, {"items", {described<A>(), described<B>()}}, {"minItems", 2}, {"maxItems", 2}};
    }
};

std::string schema_text() {
    Json series = described<Series>(), finding = described<Finding>(), lines = Json::array();
    series["anyOf"] = {
        {{"properties", {{"status", {{"enum", {"ok"}}}}}}}, {{"properties", {{"reason", {{"minLength", 1}}}}}}};
    for (const char* field :
        {"api", "card", "options"}) // statements of `sonde diagnose --json` and older files may lack them
        finding["required"].erase(std::find(finding["required"].begin(), finding["required"].end(), field));
    const std::pair<const char*, Json> kinds[] = {{"run", described<RunLine>()}, {"device", described<DeviceRecord>()},
        {"series", series}, {"finding", finding}, {"resume", described<ResumeLine>()}, {"end", described<EndLine>()}};
    Json definitions = Json::object();
    for (const auto& [name, schema] : kinds) {
        lines.push_back({{"$ref", std::string("#/definitions/") + name}});
        definitions[name] = schema;
    }
    return Json{{"$schema", "http://json-schema.org/draft-07/schema#"},
               {"$comment",
                   "One line of a Sonde results file, format 2. A file is a run line, device lines, series lines, "
                   "finding lines and an end line (absent when the run did not finish); a run that went on later has a "
                   "resume line and an end line more. Written by tests/data/test_schema.cpp."},
               {"type", "object"}, {"required", {"type"}}, {"oneOf", lines}, {"definitions", definitions}}
               .dump(2) +
           "\n";
}
} // namespace

TEST_CASE("results/schema.json is what the structs say; SONDE_WRITE_SCHEMA=1 writes it") {
    const std::string file = std::string(places::source) + "/results/schema.json";
    if (std::getenv("SONDE_WRITE_SCHEMA")) std::ofstream(file) << schema_text();
    std::stringstream there;
    there << std::ifstream(file).rdbuf();
    CHECK(there.str() == schema_text());
}

TEST_CASE("what a struct's fields say is written and read back; what is missing or of the wrong kind is named") {
    const Finding finding{.kind = "level",
        .name = "L1",
        .series = {"latency", "cuda:0", "global", {{"width", "4"}}},
        .api = "cuda",
        .card = "c",
        .value = 20,
        .unit = "ns",
        .capacity_bytes = std::pair{1024.0, std::optional<double>()},
        .confidence = 0.5,
        .text = "told",
        .x = {512, 1024}};
    const Json line = finding;
    CHECK(line["cycles"].is_null());
    CHECK(line["capacity_bytes"] == Json{1024.0, nullptr});
    CHECK(line["from"] == Json::parse(R"([{"probe": "latency", "device": "cuda:0", "path": "global",)"
                                      R"( "options": {"width": "4"}, "x": [512.0, 1024.0]}])"));
    CHECK(Json(line.get<Finding>()) == line);
    CHECK_FALSE(Json(Finding{}).contains("capacity_bytes"));

    Json request = Request{.id = finding.series};
    CHECK(request["request"] == "series");
    request.erase("cache_bytes"); // of an older parent
    CHECK(request.get<Request>().id == finding.series);
    request["seed"] = "one";
    CHECK_THROWS_WITH_AS(request.get<Request>(), doctest::Contains("'seed' is of"), Error);
    request.erase("seed");
    CHECK_THROWS_WITH_AS(request.get<Request>(), "'seed' is missing", Error);

    Json series = Series{.id = finding.series, .points = {{.x = 1, .samples = {{}}}}};
    series["points"][0]["samples"][0].erase("steps");
    CHECK_THROWS_WITH_AS(series.get<Series>(), "'steps' is missing", Error);
    series["points"][0]["median"] = "far";
    CHECK_THROWS_WITH_AS(series.get<Series>(), doctest::Contains("'median' is not"), Error);
    CHECK_FALSE(finding_from(Json::array()));
}

TEST_CASE(
    "a device's record keeps what a file says of it; what is missing, of the wrong kind or no such number is named") {
    const Json line = Json::parse(
        R"({"type": "device", "id": "cuda:0", "api": "cuda", "card": "3a84", "name": "NVIDIA H200",
        "driver": "CUDA 13.0", "software": false, "cpu": false, "uuid": "3a84",
        "pci": "0000:00:06.0", "memory_bytes": 150109880320, "largest_buffer": 18446744073709551615, "cores": 132,
        "subgroup": 32, "scratchpad_bytes": 232448, "scratchpad_default_bytes": 49152, "cache_bytes": 62914560,
        "bus_bytes_per_second": 4814304000000.0, "host_link_bytes_per_second": 63000000000.0, "clock": "clock64",
        "core_cycles": true, "facts": [{"name": "compute capability", "value": "9.0",
        "source": "cuDeviceGetAttribute"}]})");
    const DeviceRecord device = line.get<DeviceRecord>();
    CHECK(device.largest_buffer == UINT64_MAX);
    CHECK(Json(device).dump() == line.dump()); // in the same order
    CHECK(Json(static_cast<const DeviceInfo&>(device)).size() == line.size() - 2);
    Json older = line;
    older["facts"].push_back({{"name", "vendor and device id"}, {"value", "10de:2335"}, {"source", ""}});
    CHECK(older.get<DeviceRecord>().pci_id == "10de:2335");
    older["pci_id"] = "10de:2330";
    CHECK(older.get<DeviceRecord>().pci_id == "10de:2330");

    Json least = line;
    for (const char* field : {"cpu", "uuid", "pci", "largest_buffer", "cores", "subgroup", "scratchpad_bytes",
             "cache_bytes", "bus_bytes_per_second", "clock", "core_cycles"})
        least.erase(field);
    CHECK(least.get<DeviceRecord>().cores == 0); // another version need not have it
    const std::tuple<const char*, Json, const char*> rows[] = {{"id", 7, "wrong kind"}, {"facts", 3, "wrong kind"},
        {"cores", -1, "out of range"}, {"cores", 1ull << 32, "out of range"}, {"memory_bytes", 1e30, "out of range"}};
    for (const auto& [field, value, says] : rows) {
        Json wrong = line;
        wrong[field] = value;
        CHECK_THROWS_WITH_AS(
            wrong.get<DeviceRecord>(), doctest::Contains(fmt::format("'{}' is", field).c_str()), Error);
        CHECK_THROWS_WITH_AS(wrong.get<DeviceRecord>(), doctest::Contains(says), Error);
    }
    least.erase("driver");
    CHECK_THROWS_WITH_AS(least.get<DeviceRecord>(), "'driver' is missing", Error);
}

TEST_CASE("the evidence of recorded series is read and written back whole; what is of the wrong kind is named") {
    for (const std::string& file : {recorded::run(1), recorded::quick(1), recorded::kH100, recorded::kMemory,
             recorded::kTraffic, recorded::kArithmetic, recorded::kMatrix}) {
        if (file != recorded::run(1) && file != recorded::quick(1) && !thorough()) continue; // seconds
        const auto in = open_to_read(file);
        std::size_t series = 0;
        for (std::string line; std::getline(*in, line);) {
            nlohmann::json told = nlohmann::json::parse(line); // in any order
            if (told["type"] != "series") continue;
            nlohmann::json evidence = told["evidence"];
            CAPTURE(evidence.dump());
            ++series;
            evidence.erase("time_of"); // of older versions, as the next
            if (evidence.contains("shape")) evidence["shape"].erase("quads");
            if (evidence.contains("rejected_bytes") && evidence["rejected_bytes"].is_null())
                evidence.erase("rejected_bytes");
            CHECK(nlohmann::json(Json(Json(evidence).get<Evidence>())).dump() == evidence.dump());
        }
        CHECK(series > 0);
    }
    for (const auto& [evidence, says] : {std::pair{R"({"footprint_bytes": "many"})", "'footprint_bytes' is of"},
             {R"({"alone_ns": "long"})", "'alone_ns' is not"}, {R"({"clock": 5})", "where an object"},
             {R"({"timers": {"value_from": "sundial"}})", "'value_from' is none"},
             {R"({"one_lane_ns": {"far": 1}})", "'far' where a"}})
        CHECK_THROWS_WITH_AS(Json::parse(evidence).get<Evidence>(), doctest::Contains(says), Error);
    CHECK(Json(Json{{"of_another_version", 1}}.get<Evidence>()) == Json::object());
}
