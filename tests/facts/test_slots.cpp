// Slots in a wording.
#include <doctest/doctest.h>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/facts/slots.h"

using namespace sonde;

namespace {
Slots with(std::string_view name, SlotValue value) { return {{name, std::move(value)}}; }
} // namespace

TEST_CASE(
    "a value is told as what it is: names, options, a term's words, quantities with no more digits than they had") {
    constexpr Term kTerm{"for programs", "for people"};
    CHECK(filled("on {x}.", with("x", std::string("global"))) == "on global.");
    CHECK(filled("{x}", with("x", Options{{"width", "4"}, {"data", "zeros"}})) == "data=zeros width=4");
    CHECK(filled("{x}", with("x", kTerm)) == "for people");
    CHECK(filled("{x}", with("x", Quantity{30 << 20, Unit::bytes})) == "30 MiB");
    CHECK(filled("{x}", with("x", Quantity{1024, Unit::bytes, std::pair(1024., 4096.)})) == "1-4 KiB");
    CHECK(filled("{x}", with("x", Quantity{1024, Unit::bytes, std::pair(1024., 1024.)})) == "1 KiB");
    CHECK(filled("{x}", with("x", Quantity{1 << 20, Unit::count})) == "1048576");
    CHECK(filled("{x}", with("x", Quantity{52, Unit::ns})) == "52 ns");
    CHECK(filled("{x}", with("x", Quantity{5, Unit::ns})) == "5.0 ns");
}

TEST_CASE("a noun stands behind one or several, and for more names than three") {
    CHECK(filled("{x:loaf|loaves}", with("x", Quantity{1, Unit::count})) == "1 loaf");
    CHECK(filled("{x:loaf|loaves}", with("x", Quantity{2, Unit::count})) == "2 loaves");
    CHECK(filled("{x:loaf|loaves}", with("x", std::vector<std::string>{"a", "b", "c"})) == "a, b and c");
    CHECK(filled("{x:loaf|loaves}", with("x", std::vector<std::string>{"a", "b", "c", "d"})) == "4 loaves");
}

TEST_CASE("what stands in brackets is left out where a slot of it is missing or empty") {
    const std::string_view wording = "[of {n} ]{path}[ {options}]";
    CHECK(filled(wording, {{"path", "a"}, {"options", Options{{"width", "4"}}}}) == "a width=4");
    CHECK(filled(wording, {{"path", "a"}, {"options", Options{}}, {"n", Quantity{2, Unit::count}}}) == "of 2 a");
    CHECK_THROWS_AS(filled("{path}", {}), Error);
}

TEST_CASE("as data slots are numbers in units without prefix, options by name and terms by theirs for programs") {
    const Json json = slots_json(
        {{"path", "global"}, {"options", Options{{"width", "4"}}}, {"footprint", Quantity{4096, Unit::bytes}},
            {"what", Term{"read", "Reads"}}, {"loads", std::vector<std::string>{"a", "b"}}});
    CHECK(json == Json{{"path", "global"}, {"options", {{"width", "4"}}},
                      {"footprint", {{"value", 4096.0}, {"unit", "B"}}}, {"what", "read"}, {"loads", {"a", "b"}}});
}
