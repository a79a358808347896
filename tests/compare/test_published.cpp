// Published figures as a user meets them: their methods and sizes, beside a run, beside each other, as a list and as a
// page.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/analysis/published.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/compare/comparison_text.h"
#include "core/diagnosis/card_grid.h"
#include "tests/command.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;

namespace {
std::string structure() { return recorded::quick(1) + "@cuda"; }

std::size_t widest(const std::string& text) {
    std::size_t most = 0;
    for (const std::string& line : split(text, '\n'))
        if (line.find("http") == std::string::npos) most = std::max(most, display_width(line));
    return most;
}

PublishedFigure figure(Json fields) {
    Json row = {{"probe", "bandwidth"}, {"path", "global"}, {"options", Json::object()}, {"level", "L2"},
        {"value", {2000, 2000}}, {"rounding", 0}, {"unit", "GB/s"}, {"method", "bandwidth"}, {"device", "d"},
        {"architecture", "a"}, {"source", 0}};
    row.update(fields);
    return published_figures(Json{{"sources", {{{"title", "t"}, {"url", ""}}}}, {"figures", {row}}}).at(0);
}
} // namespace

TEST_CASE("every published figure says its method, and leads to a page and not to a repository's root") {
    std::set<std::string> methods;
    for (const PublishedFigure& each : published_figures()) {
        CAPTURE(each.title);
        methods.insert(each.method);
        CHECK((each.method != "unknown" || each.apart == "method unknown"));
        CHECK(std::count(each.url.begin(), each.url.end(), '/') !=
              (each.url.starts_with("https://github.com/") ? 4 : -1));
    }
    for (const char* method :
        {"dependent chain", "timer per load", "same data", "bandwidth", "vendor figure", "API query", "unknown"})
        CHECK(methods.contains(method));
}

TEST_CASE("where a figure is of what its question asks") {
    using Where = FigurePlace::Kind;
    struct Row {
        const char* level;
        FigurePlace where;
    };
    for (const Row& row : {Row{"L2", {}}, {"DRAM", {}}, {"scratchpad", {}}, {"latency", {Where::latency}},
             {"best", {Where::best}}, {"largest", {Where::largest}}, {"middle", {Where::middle}},
             {"at 64", {Where::at, 64}}, {"TLB2", {Where::tlb, 2}}}) {
        CAPTURE(row.level);
        CHECK((figure({{"level", row.level}}).where == row.where));
    }
}

TEST_CASE("a rate in a cache is compared per clock and core where the card's size is known, and is apart where it is "
          "not; so is another method") {
    const PublishedFigure sized = figure({{"cores", 100}, {"clock_mhz", 2000}});
    CHECK(sized.apart == "");
    CHECK(sized.unit == "B/clk/core");
    CHECK(sized.low == doctest::Approx(10));
    CHECK(sized.text() == "2000 GB/s (10 B/clk/core)");
    CHECK(figure({{"cores", 100}, {"clock_mhz", nullptr}}).apart == "clock not known");
    CHECK(figure({{"unit", "B/clk"}}).apart == "cores not known");
    CHECK(figure({{"unit", "B/clk"}, {"cores", 100}}).low == doctest::Approx(20));
    CHECK(figure({{"level", "DRAM"}}).unit == "GB/s"); // DRAM has no cores
    CHECK(figure({{"level", "DRAM"}}).apart == "");
    CHECK(figure({{"cores", 100}, {"clock_mhz", 2000}, {"method", "same data"}}).apart == "same data");
    const PublishedFigure product = figure({{"probe", "workload.gemm-library"}, {"options", {{"numbers", "e4m3"}}},
        {"level", "at 8192"}, {"unit", "Gop/s"}, {"method", "library product"}}); // its clock is not known
    CHECK(product.unit == "Gop/s");
    CHECK(product.apart == "");
    const PublishedFigure dependent = figure({{"probe", "matrix"}, {"level", "latency"}, {"unit", "cycles"},
        {"method", "dependent chain"}, {"cores", 100}, {"clock_mhz", 2000}});
    CHECK(dependent.unit == "cycles"); // no rate
    CHECK(dependent.apart == "");
    CHECK(figure({{"probe", "clock-read"}, {"level", "largest"}, {"unit", "cycles"}, {"method", "reads back to back"}})
              .apart == "reads back to back");
    CHECK(figure({{"probe", "matrix"}, {"level", "best"}, {"unit", "Gop/s"}, {"method", "arithmetic throughput"},
                     {"cores", 100}, {"clock_mhz", 2000}})
              .unit == "op/clk/core");
    const auto latency = [](const char* unit, const char* method) {
        return figure({{"probe", "latency"}, {"unit", unit}, {"method", method}}).apart;
    };
    CHECK(latency("cycles", "dependent chain") == "");
    CHECK(latency("cycles", "timer per load") == "timer per load");
    CHECK(latency("bytes", "timer per load") == ""); // a size is the same however its loads were timed
    CHECK(latency("bytes", "vendor figure") == "vendor figure");
    CHECK(latency("cycles", "unknown") == "method unknown");
}

TEST_CASE("the read rate of L2 beside published figures is the one that diagnose names") {
    const std::string run = recorded::run(1);
    double named = 0; // bytes a clock and core, through CUDA
    for (const Json& table : Json::parse(sonde_run("diagnose --json " + run).out))
        if (table["type"] == "table" && table["name"] == "levels")
            for (const Json& row : table["rows"])
                if (row["section"] == kRateOfAllCores && row["place"] == "L2, read")
                    named = row["cells"][0]["beside"]["value"];
    double found = 0;
    for (const Json& row : Json::parse(sonde_run(fmt::format("compare --json {}@cuda published:hopper", run)).out))
        if (row["what"] == "bandwidth global width=16: L2" && row["unit"] == "B/clk/core") found = row["a"];
    CHECK(found == doctest::Approx(named).epsilon(0.05));
}

TEST_CASE("an H200 beside published figures: both partitions of L2, TLB reach and miss cost, the scratchpad's limit; "
          "other methods stand apart and differ in nothing") {
    const Ran ran = sonde_run(fmt::format("compare --json {} published", structure()));
    REQUIRE(ran.code == 0);
    std::set<std::string> compared, apart;
    for (const Json& row : Json::parse(ran.out)) {
        const bool alone = row.contains("apart");
        (alone ? apart : compared).insert(row["what"].get<std::string>());
        if (alone) CHECK(row["differs"] == false);
        CHECK_FALSE(row["published"][0]["method"].get<std::string>().empty());
    }
    for (const char* what : {"latency global: L2 near", "latency global: L2 far", "latency global.pointer: L2 far",
             "tlb global.pointer: reach of TLB1", "tlb global.pointer: miss cost of TLB1",
             "limits scratchpad: limit of scratchpad", "workload.gemm-library global numbers=e4m3: at 8192",
             "matrix global chains=4 data=integers operation=mma.s8.s32.m16n8k32: best"})
        CHECK(compared.contains(what));
    CHECK(apart.contains("latency global: L1"));
    for (const Json& row :
        Json::parse(sonde_run(fmt::format("compare --json {}@vulkan published", recorded::quick(1))).out))
        CHECK_FALSE(
            says(row["what"].get<std::string>(), ": L3")); // Vulkan's L2 far ends a fifth before what drivers report
    const Ran text = sonde_run(fmt::format("compare {} published:h100", structure()));
    CHECK(says(text.out, "published:h100: other method"));
    CHECK(says(text.out, "  latency global: L1: 39.14 cycles;"));
    CHECK(says(text.out, "published 38 cycles (2 figures: timer"));
}

TEST_CASE("published figures of dependent matrix operations lie beside the finding of one accumulator, those of a "
          "cluster beside a ring of as many workgroups") {
    const auto compared = [](const std::string& file) {
        std::map<std::string, Json> rows;
        for (const Json& row : Json::parse(sonde_run(fmt::format("compare --json {}@cuda published", file)).out))
            rows[row["what"].get<std::string>()] = row;
        return rows;
    };
    const Folder folder;
    const auto matrix = compared(recorded::kMatrix),
               cluster = compared(recorded::part_of(recorded::kMemory, folder.file("part.jsonl"), "bandwidth"));
    for (const char* form : {"mma.f16.f16.m16n8k16", "mma.s8.s32.m16n8k32", "wgmma.f16.f32.m64n256k16"}) {
        const auto found = matrix.find(fmt::format("matrix global chains=1 data=integers operation={}: latency", form));
        CAPTURE(form);
        REQUIRE(found != matrix.end());
        CHECK(found->second["unit"] == "cycles");
    }
    CHECK(cluster.contains("bandwidth cluster width=16: L1"));
    CHECK(cluster.contains("bandwidth cluster cluster=4 width=16: L1"));
    CHECK_FALSE(cluster.contains("bandwidth cluster cluster=4 peers=all width=16: L1"));
}

TEST_CASE("two published operands are compared with each other, without either card") {
    const Ran ran = sonde_run("compare published:gk104 published:hawaii");
    CHECK(ran.code == 0);
    CHECK(ran.err.empty());
    CHECK(says(ran.out, "2 figures in common"));
    CHECK(says(ran.out, "-> 64 B/clk/core  50.0 % less"));
    CHECK(says(ran.out, "other 1 comparison"));
    const Ran json = sonde_run("compare --json published:gk104 published:hawaii");
    const Json rows = Json::parse(json.out);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0]["differs"] == true);
    CHECK(rows[0]["item"] == "L1");
    CHECK(rows[0]["ratio"] == doctest::Approx(0.5));
    CHECK(rows[1]["differs"] == false);
    CHECK(rows[0]["published_a"][0]["device"] == "GeForce GTX 680 (GK104)");
    CHECK(rows[0]["published"][0]["device"] == "Radeon R9 390 (Hawaii)");
    const Ran alone = sonde_run("compare published:gk104");
    CHECK(alone.code == 2);
    CHECK(one_line(alone.err));
    CHECK(says(alone.err, "other published figures"));
}

TEST_CASE("a value above a published figure is told as above, and one below as below") {
    for (const double measured : {125.0, 80.0}) {
        Comparison comparison{.question = {"latency", "global", {}}, .item = "L1", .unit = "ns"};
        comparison.a.value = measured, comparison.b.range = {100, 100};
        comparison.b.figures = {figure({{"probe", "latency"}, {"level", "L1"}, {"unit", "ns"}, {"value", {100, 100}}})};
        comparison.ratio = 100 / measured, comparison.differs = true;
        std::ostringstream out;
        print_differences({comparison}, out);
        CHECK(says(out.str(), "above") == (measured > 100));
        CHECK(says(out.str(), "below") == (measured < 100));
    }
}

TEST_CASE("published lists cards, and with words their figures, methods and sources, in 80 columns") {
    const Ran cards = sonde_run("published", "COLUMNS=80"), one = sonde_run("published gtx 680", "COLUMNS=80"),
              all = sonde_run("published hopper", "COLUMNS=80");
    CHECK(cards.code == 0);
    CHECK(says(cards.out, "Radeon R9 390 (Hawaii)"));
    CHECK(says(one.out, "(GK104), Kepler, 8 cores\n"));
    CHECK(says(one.out, "L1: 106 cycles (dependent chain) [1]\n"));
    CHECK(says(one.out, "[1] Chips and Cheese, '"));
    CHECK(says(one.out, "\n    https://chipsandcheese.com/p/maxwell-nvidias-silver-28nm-hammer\n"));
    for (const Ran* ran : {&cards, &one, &all}) CHECK(widest(ran->out) <= 80);
    const Json rows = Json::parse(sonde_run("published --json gtx 680").out);
    REQUIRE(rows.size() > 3);
    CHECK(rows[0]["cores"] == 8);
    CHECK(rows[0]["method"] == "dependent chain");
    const Ran none = sonde_run("published voodoo");
    CHECK(none.code == 2);
    CHECK(one_line(none.err));
}

TEST_CASE("a page of published cards alone, or beside a run") {
    Folder folder;
    const std::string page = folder.file("page.html");
    const Ran alone = sonde_run(fmt::format("report published:gk104 published:hawaii -o {}", page));
    CHECK(alone.code == 0);
    const std::string html = text_of(page);
    for (const char* part : {"<title>Published figures", "Radeon R9 390 (Hawaii)", ">106 cycles</a>", "dependent chain",
             "https://chipsandcheese.com/p/maxwell-nvidias-silver-28nm-hammer"})
        CHECK(says(html, part));
    CHECK(sonde_run(fmt::format("report {} published:hopper -o {}", recorded::run(1), page)).code == 0);
    CHECK(says(text_of(page), "<summary>Published figures: "));
    CHECK(sonde_run(fmt::format("report published:voodoo -o {}", folder.file("no.html"))).code == 2);
}

TEST_CASE("'up to' a figure leaves its low end open, 'over' its high end, and a plain one has its rounding") {
    const PublishedFigure plain = figure({{"rounding", 50}}), upper = figure({{"bound", "upper"}, {"rounding", 50}}),
                          lower = figure({{"bound", "lower"}, {"rounding", 50}});
    CHECK(std::pair(plain.low, plain.high) == std::pair(1950.0, 2050.0));
    CHECK(std::pair(upper.low, upper.high) == std::pair(0.0, 2050.0));
    CHECK(lower.low == 1950);
    CHECK(std::isinf(lower.high));
}

TEST_CASE("a card's published figures include those of its architecture as a whole, another architecture's none") {
    const auto figures = published_figures();
    const auto count = [&](const char* words, const std::string& device) {
        return std::ranges::count(select_published(figures, words), device, &PublishedFigure::device);
    };
    CHECK(count("gk104", "Kepler") > 0);
    CHECK(count("gk104", "Kepler") == count("kepler", "Kepler"));
    CHECK(count("gk104", "Fermi") == 0);
    CHECK(count("tahiti", "Kepler") == 0);
}
