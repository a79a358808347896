#include <doctest/doctest.h>

#include <cctype>

#include "core/source.h"

using namespace sonde;

TEST_CASE("embedded kernels have no include left and no text twice") {
    const Source chain = kernel_source("chain");
    CHECK(chain.text.find("#include") == std::string::npos);
    CHECK(chain.text.find("#define SONDE_VOCABULARY") == chain.text.rfind("#define SONDE_VOCABULARY"));
    CHECK_THROWS_AS(kernel_source("no such kernel"), Error);
}

TEST_CASE("a variant's name orders its defines and always tells the width") {
    CHECK(variant_name(kernel_source("chase"), {.a = find_path("global")}) == "chase-global-WIDTH1");
    CHECK(variant_name(kernel_source("read"), {.a = find_path("local"), .defines = {{"WIDTH", "4"}, {"LOADS", "4"}, {"TURNS", "1"}}}) == "read-local-LOADS4-TURNS1-WIDTH4");
}

namespace {
bool has_function(const std::string& text, const std::string& name) {
    for (std::size_t at = text.find(name + "("); at != std::string::npos; at = text.find(name + "(", at + 1))
        if (at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 && text[at - 1] != '_')) return true;
    return false;
}
} // namespace

TEST_CASE("no function of a dialect in C has the name of a kernel") {
    const std::string dialect = kernel_source("dialect_opencl").text;
    for (const char* kernel : {"add", "banks", "chain", "chase", "cores", "empty", "fill", "handoff", "haul", "hold", "links", "loaded", "map", "mixture", "neighbours", "pair", "pattern", "read", "share", "spin", "stroll", "sum", "waves", "where", "write"}) {
        CAPTURE(std::string(kernel));
        CHECK(!kernel_source(kernel).text.empty());
        CHECK(!has_function(dialect, kernel));
    }
}
