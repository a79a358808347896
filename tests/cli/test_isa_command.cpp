// `sonde isa`: its worker, targets, marks and JSON, and what it refuses; the load of each path in PTX or SASS.
#include <regex>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/cli/isa.h"
#include "tests/places.h"

using namespace sonde;
using namespace isa_tests;
using command::Ran;

TEST_CASE("CUDA: the load of each path in PTX or SASS, whatever tools are here") {
    struct Row {
        const char *path, *chip, *ptx, *sass;
    };
    for (const auto& [path, chip, ptx, sass] :
        {Row{"global", "sm_75", "ld.global", "LDG.E"}, {"global.ca", "sm_75", "ld.global.ca", "LDG.E.STRONG.CTA"},
            {"global.cg", "sm_75", "ld.global.cg", "LDG.E.STRONG.GPU"},
            {"global.cs", "sm_75", "ld.global.cs", "LDG.E.EF"},
            {"global.readonly", "sm_75", "ld.global.nc", "LDG.E.CONSTANT"},
            {"global.uniform", "sm_75", "ld.global", "LDG.E"}, {"global.pointer", "sm_75", "ld.global", "LDG.E"},
            {"private", "sm_75", "ld.local", "LDL"}, {"texel", "sm_75", "tex", "TLD"},
            {"image2d", "sm_75", "tex", "TLD"}, {"constant", "sm_75", "ld.const", "LDC"},
            {"constant.uniform", "sm_90", "ld.const", "LDC"}, {"push", "sm_90", "ld.param", "LDC"},
            {"scratchpad", "sm_75", "ld.shared", "LDS"}, {"cluster", "sm_90", "ld.shared::cluster", "LD.E"}}) {
        const Ran ran = isa(fmt::format("latency --path {} --target cuda:{} --json", path, chip));
        CAPTURE(path);
        CAPTURE(ran.out.substr(0, 400));
        REQUIRE(ran.code == 0);
        const Json answer = Json::parse(ran.out);
        CHECK(answer.at("load") == (answer.at("kind") == "sass" ? sass : ptx));
    }
}

TEST_CASE("stream: on path global.cs the stores carry the hint, too") {
    struct Row {
        const char *asked, *shown, *store; // by whom the listing then is
    };
    for (const Row& row : {Row{"--target cuda:sm_90", "cuda:sm_90", "st\\.global\\.cs\\.v4|STG\\.E\\.EF\\.128"},
             {"--target opencl:gfx900", "(clang-", "global_store_dwordx4 .* glc slc"},
             {"--device vulkan:0", "(llvmpipe", "OpStore .* Nontemporal"}}) {
        const std::string out = isa(
            fmt::format("stream --path global.cs --option operation=fill --option width=16 --option shape=4x128x1 {}",
                row.asked))
                                    .out;
        CAPTURE(out.substr(0, 400));
        const std::regex store(row.store);
        if (says(out, row.shown))
            CHECK(std::distance(std::sregex_iterator(out.begin(), out.end(), store), std::sregex_iterator()) == 4);
        else MESSAGE("skipped: ", row.asked);
    }
}

TEST_CASE("the listing has its load marked, and the headline tells it") {
    const Ran ran = isa("latency --path scratchpad --target cuda:sm_30");
    CHECK(ran.code == 0);
    CHECK(ran.out.starts_with("latency on scratchpad, cuda:sm_30 (sm_30), kernel chase, workgroup of 32\n"));
    const auto mark = ran.out.find("\n>> ");
    REQUIRE(mark != std::string::npos);
    CHECK(ran.out.find("\n>> ", mark + 1) == std::string::npos);
    const std::string line = ran.out.substr(mark, ran.out.find('\n', mark + 1) - mark);
    CHECK((says(line, "ld.shared") || says(line, "LDS")));
}

TEST_CASE("isa --control: what the compiler tells the scheduler, beside each instruction and summed for each loop") {
    const command::Folder folder;
    const auto script = [&](const char* name, const std::string& text) {
        std::ofstream(folder.file(name)) << "#!/bin/sh\n" << text << "\n";
        std::filesystem::permissions(folder.file(name), std::filesystem::perms::owner_all);
    };
    script("ptxas", "exit 0");
    script(
        "nvdisasm", fmt::format("exec /bin/cat {}/tests/listing/texts/sass-sm_90-fma-encodings.txt", places::source));
    const std::string path = fmt::format("PATH={}", folder.path.string()), words = "latency --target cuda:sm_90";
    const Ran plain = isa(words, path), shown = isa(words + " --control", path);
    CHECK(plain.code == 0);
    CHECK(says(plain.out, "/*00b0*/              @!P0 FFMA R6, R4, R7, R5 ;\n"));
    CHECK_FALSE(says(plain.out, "/* 0x"));
    CHECK(shown.code == 0);
    CHECK(says(shown.out, "B--2---:R-:W-:Y:S04         /*00b0*/              @!P0 FFMA R6, R4, R7, R5 ;\n"));
    CHECK(says(shown.out, ": 19 instructions, "));
    const Json control = Json::parse(isa(words + " --control --json", path).out).at("control");
    CHECK(control.at("loops").back().at("instructions") == 19);
    const Json& waits = control.at("instructions").at(11);
    CHECK(waits.at("address") == 0xb0);
    CHECK(waits.at("stall") == 4);
    CHECK(waits.at("wait_mask") == 4);
    CHECK(waits.at("write_barrier").is_null());
    CHECK(says(isa(words + " --control", "PATH=/nowhere").out, "no control information"));
}

TEST_CASE("isa: a chip that the assembler here has dropped is told with the CUDA that has one") {
    const command::Folder folder;
    std::ofstream(folder.file("ptxas")) << "#!/bin/sh\necho \"ptxas fatal   : Value 'sm_30' is not defined for option "
                                           "'gpu-name'\" >&2\nexit 255\n";
    std::filesystem::permissions(folder.file("ptxas"), std::filesystem::perms::owner_all);
    const std::string path = fmt::format("PATH={}", folder.path.string());
    for (const auto& [chip, cuda] : {std::pair("sm_30", "10.2"), {"sm_35", "11.8"}, {"sm_52", "12.9"}}) {
        CAPTURE(chip);
        const std::string words = fmt::format("latency --path scratchpad --target cuda:{}", chip);
        for (const std::string& environment : {path, std::string("PATH=/nowhere")}) {
            const Ran ran = isa(words, environment);
            CHECK(ran.code == 0);
            CHECK(says(ran.out, fmt::format("{} needs ptxas and nvdisasm of CUDA {}", chip, cuda)));
        }
    }
    CHECK_FALSE(says(isa("latency --path scratchpad --target cuda:sm_90", "PATH=/nowhere").out, "of CUDA"));
}

TEST_CASE("isa: what is asked wrongly, and what is not here") {
    Ran ran = isa("latency --path global --target vulkan:hawai");
    CHECK(ran.code == 2);
    CHECK(says(ran.out, "unknown target 'vulkan:hawai'; nearest: vulkan:hawaii"));
    ran = isa("latency --path globa --target vulkan:hawaii");
    CHECK(ran.code == 2);
    CHECK(says(ran.out, "global"));
    CHECK(isa("latenzy --path global --target vulkan:hawaii").code == 2);
    CHECK(isa("latency --path global").code == 2);
    CHECK(isa("latency --path global --target vulkan:hawaii --device host:0").code == 2);
    CHECK(isa("latency --path global --device host:99").code == 3);
    CHECK(says(isa("bandwidth --device host:0").out, "bandwidth on global, host:0")); // the probe's first path
    ran = isa("latency --path global --device host:0 --json");
    CHECK(ran.code == 0);
    CHECK(Json::parse(ran.out).at("load").is_null());
}

TEST_CASE("a path on which the probe measures nothing is refused with those that it has") {
    const Ran ran = isa("bandwidth --path global.cs --target opencl:gfx900");
    CHECK(ran.code == 2);
    CHECK(says(ran.out, "bandwidth measures nothing on path global.cs; its paths: global, global.ca,"));
}
