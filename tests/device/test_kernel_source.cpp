#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <sstream>

#include "backends/cuda/kernel.h"
#include "core/device/kernel_source.h"

using namespace sonde;

TEST_CASE("embedded kernels have no include left and no text twice") {
    const Source chain = kernel_source("chain");
    CHECK(chain.text.find("#include") == std::string::npos);
    CHECK(chain.text.find("#define SONDE_VOCABULARY") == chain.text.rfind("#define SONDE_VOCABULARY"));
    CHECK_THROWS_AS(kernel_source("no such kernel"), Error);
}

TEST_CASE("no kernel for CUDA loads or stores through an address that may be on any path") {
    REQUIRE(!embedded_ptx().empty());
    for (const EmbeddedPtx& ptx : embedded_ptx()) {
        CAPTURE(std::string(ptx.name));
        std::istringstream lines{std::string(ptx.text)};
        for (std::string word; lines >> word;) // an instruction says its state space first, ld.global.v4.u32, but for ld.u32, or behind how it is ordered: ld.acquire.gpu.global.u32
            if (word.starts_with("ld.") || word.starts_with("st.")) {
                CAPTURE(word);
                for (const char* order : {"volatile.", "acquire.", "release.", "cta.", "gpu.", "sys."})
                    if (word.find(order) == 3) word.erase(3, std::strlen(order));
                const auto names = {"global", "shared", "local", "param", "const"};
                CHECK(std::any_of(names.begin(), names.end(), [&](const char* name) { return word.compare(3, std::strlen(name), name) == 0; }));
            }
    }
}

TEST_CASE("a variant's name orders its defines and always tells the width") {
    CHECK(variant_name(kernel_source("chase"), {.a = find_path("global")}) == "chase-global-WIDTH1");
    CHECK(variant_name(kernel_source("read"), {.a = find_path("scratchpad"), .defines = {{"WIDTH", "4"}, {"LOADS", "4"}, {"TURNS", "1"}}}) == "read-scratchpad-LOADS4-TURNS1-WIDTH4");
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
    for (const char* kernel : {"atomics", "banks", "chain", "chase", "cores", "empty", "fill", "core_to_core", "copy", "occupancy", "store_links", "mix_paths", "two_buffers", "pattern", "read", "spin", "sum", "buffer_address", "write"}) {
        CAPTURE(std::string(kernel));
        CHECK(!kernel_source(kernel).text.empty());
        CHECK(!has_function(dialect, kernel));
    }
}
