#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <sstream>

#include <fmt/format.h>

#include "backends/cuda/ptx.h"
#include "core/device/kernel_source.h"
#include "core/device/matrix_form.h"

using namespace sonde;

TEST_CASE("embedded kernels have no include left and no text twice") {
    const Source chain = kernel_source("chain");
    CHECK(chain.text.find("#include") == std::string::npos);
    CHECK(chain.text.find("#define SONDE_VOCABULARY") == chain.text.rfind("#define SONDE_VOCABULARY"));
    CHECK_THROWS_AS(kernel_source("no such kernel"), Error);
}

TEST_CASE("no kernel for CUDA loads or stores through an address that may be on any path") {
    REQUIRE(!cuda::embedded_ptx().empty());
    for (const auto& [name, text] : cuda::embedded_ptx()) {
        CAPTURE(std::string(name));
        std::istringstream lines{std::string(text)};
        for (std::string word; lines >> word;) // an instruction says its state space first, ld.global.v4.u32, but for
                                               // ld.u32, or behind how it is ordered: ld.acquire.gpu.global.u32
            if (word.starts_with("ld.") || word.starts_with("st.")) {
                CAPTURE(word);
                for (const char* order : {"volatile.", "acquire.", "release.", "cta.", "gpu.", "sys."})
                    if (word.find(order) == 3) word.erase(3, std::strlen(order));
                const auto names = {"global", "shared", "local", "param", "const"};
                CHECK(std::any_of(names.begin(), names.end(),
                    [&](const char* space) { return word.compare(3, std::strlen(space), space) == 0; }));
            }
    }
}

TEST_CASE("each matrix form of PTX has its instruction in the text that it repeats, and a header that knows it") {
    std::size_t seen = 0;
    for (const Operation& operation : all_matrix_forms()) {
        const MatrixForm& form = *operation.matrix;
        if (form.lies_in_rows()) continue;
        CAPTURE(std::string(operation.name));
        const Build build{
            .a = find_path("global"), .defines = {{"CHAINS", "1"}, {"OPERATION", operation_form(operation)}}};
        const std::string once = cuda::ptx_text(variant_name(kernel_source("matrix"), build), 1),
                          thrice = cuda::ptx_text(variant_name(kernel_source("matrix"), build), 3);
        const bool tiles = form.operands == MatrixForm::Operands::tiles;
        const std::string types = fmt::format(".{}.{}.{}", form.sum->name, form.in->name, form.in->name);
        const std::string instruction = fmt::format("{}.m{}n{}k{}{}{}",
            tiles         ? (form.sparse ? "wgmma.mma_async.sp.sync.aligned" : "wgmma.mma_async.sync.aligned")
            : form.sparse ? "mma.sp::ordered_metadata.sync.aligned"
                          : "mma.sync.aligned",
            form.m, form.n, form.k, tiles ? "" : ".row.col", types);
        const auto count = [&](const std::string& text) {
            std::size_t found = 0;
            for (std::size_t at = text.find(instruction); at != std::string::npos; at = text.find(instruction, at + 1))
                ++found;
            return found;
        };
        CHECK(count(once) == 3); // one before the loop, two in it
        CHECK(count(thrice) == 7);
        CHECK((once.find(".target sm_90a") != std::string::npos) == tiles);
        CHECK(
            (once.find(".target sm_89") != std::string::npos) == (!tiles && form.in->bits == 8 && form.in->is_float()));
        CHECK((once.find(".version 8.5") != std::string::npos) == (form.sparse != 0 && !tiles));
        CHECK((once.find(tiles ? ", metadata, 0, yes" : "}, m0, 0x0;") != std::string::npos) ==
              (form.sparse != 0)); // metadata, and whose lanes hold them
        ++seen;
    }
    CHECK(seen > 0);
}

TEST_CASE("a variant's name orders its defines and always tells the width") {
    CHECK(variant_name(kernel_source("chase"), {.a = find_path("global")}) == "chase-global-WIDTH1");
    CHECK(variant_name(kernel_source("read"),
              {.a = find_path("scratchpad"), .defines = {{"WIDTH", "4"}, {"LOADS", "4"}, {"TURNS", "1"}}}) ==
          "read-scratchpad-LOADS4-TURNS1-WIDTH4");
}

namespace {
bool has_function(const std::string& text, const std::string& name) {
    for (std::size_t at = text.find(name + "("); at != std::string::npos; at = text.find(name + "(", at + 1))
        if (at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 && text[at - 1] != '_'))
            return true;
    return false;
}
} // namespace

TEST_CASE("no function of a dialect in C has the name of a kernel") {
    const std::string dialect = kernel_source("dialect_opencl").text;
    for (const char* kernel :
        {"atomics", "banks", "chain", "chase", "cores", "empty", "fill", "core_to_core", "copy", "matrix", "occupancy",
            "store_links", "mix_paths", "two_buffers", "pattern", "read", "spin", "sum", "buffer_address", "write"}) {
        CAPTURE(std::string(kernel));
        CHECK(!kernel_source(kernel).text.empty());
        CHECK(!has_function(dialect, kernel));
    }
}
