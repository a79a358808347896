// Quantities and tables of them, as a terminal and a program get them.
#include <algorithm>
#include <limits>

#include <doctest/doctest.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/facts/grid.h"
#include "tests/says.h"

using namespace sonde;

TEST_CASE("a quantity: three digits, cycles to a tenth below a hundred, prefixes up to T, bytes by 1024") {
    const auto text = [](const Quantity& quantity) {
        const Scale scale = scale_of(quantity.range ? quantity.range->second : quantity.value, quantity.unit);
        return quantity_text(quantity, scale) + " " + scale.unit;
    };
    CHECK(text({29.04, Unit::cycles}) == "29.0 cycles");
    CHECK(text({5.02, Unit::cycles}) == "5.0 cycles");
    CHECK(text({283.1, Unit::cycles}) == "283 cycles");
    CHECK(text({99.96, Unit::cycles}) == "100 cycles");
    CHECK(text({4.7e12, Unit::bytes_per_s}) == "4.70 TB/s");
    CHECK(text({65.9e12, Unit::flop_per_s}) == "65.9 TFLOP/s");
    CHECK(text({1.91e15, Unit::op_per_s}) == "1910 Top/s");
    CHECK(text({999e9, Unit::op_per_s}) == "999 Gop/s");
    CHECK(text({0.98, Unit::share}) == "98 %");
    CHECK(text({1980, Unit::mhz}) == "1980 MHz");
    CHECK(text({208 << 10, Unit::bytes, std::pair(208. * 1024, 223. * 1024)}) == "208-223 KiB");
    CHECK(text({26.0 * (1 << 20), Unit::bytes, std::pair(26.0 * (1 << 20), 26.01 * (1 << 20))}) == "26 MiB");
    CHECK(text({512, Unit::bytes}) == "512 B");
}

namespace {
Grid example() {
    return {.name = "levels",
        .columns = {"cuda:0", "vulkan:0"},
        .sections = {
            {"latency", {{"L1", {Cell({34, Unit::cycles}, Quantity{17.2, Unit::ns}), {Quantity{34.1, Unit::cycles}}}},
                            {"DRAM", {{Quantity{692, Unit::cycles}}, Lack::failed}}}},
            {"ends at", {{"L1", {{Quantity{208 << 10, Unit::bytes}}, {Quantity{181 << 10, Unit::bytes}}}},
                            {"L2", {{Quantity{26 << 20, Unit::bytes}}, Lack::not_measured}}}},
            {"nothing", {}}}};
}
} // namespace

TEST_CASE("a table: a unit that most rows of a section share stands in its title, else each row has its own; why a "
          "number lacks is a word") {
    const std::string text = grid_text(example(), 80);
    CAPTURE(text);
    for (const char* line : {"  L1, cycles (ns)  34.0 (17.2)  34.1", "  DRAM, cycles     692          failed",
             "  L1, KiB          208          181", "  L2, MiB          26           -"})
        CHECK(says(text, line));
    CHECK_FALSE(says(text, "nothing"));
    CHECK(grid_text({}, 80).empty());
}

TEST_CASE("a unit that a cell has alone stands beside its number") {
    Grid grid = example();
    grid.sections.resize(1);
    for (GridRow& row : grid.sections[0].rows) row.cells[0] = Quantity{30, Unit::cycles};
    grid.sections[0].rows[0].cells[1] = Quantity{15, Unit::ns};
    const std::string text = grid_text(grid, 80);
    CAPTURE(text);
    CHECK(says(text, "latency, cycles"));
    CHECK(says(text, "  L1             30.0    15.0 ns"));
}

TEST_CASE("columns with units of their own have them in their heads") {
    const Grid grid{.name = "arithmetic",
        .columns = {"latency", "all cores"},
        .sections = {{"", {{"fma.f32", {{Quantity{4, Unit::cycles}}, {Quantity{66e12, Unit::flop_per_s}}}},
                              {"mad.u32", {{Quantity{4, Unit::cycles}}, {Quantity{33e12, Unit::op_per_s}}}}}}},
        .unit_by = UnitBy::column};
    const std::string text = grid_text(grid, 80);
    CAPTURE(text);
    CHECK(says(text, "latency, cycles  all cores, TFLOP/s"));
    CHECK(says(text, "fma.f32  4.0              66.0"));
    CHECK(says(text, "mad.u32  4.0              33.0 Top/s"));
}

TEST_CASE("JSON has every number of a table in its unit without prefix, and of a lack the reason") {
    const Json json = to_json(example());
    CHECK(json["type"] == "table");
    CHECK(json["columns"] == Json({"cuda:0", "vulkan:0"}));
    REQUIRE(json["rows"].size() == 4);
    CHECK(json["rows"][0]["section"] == "latency");
    CHECK(json["rows"][0]["cells"][0]["value"] == 34);
    CHECK(json["rows"][0]["cells"][0]["beside"]["unit"] == "ns");
    CHECK(json["rows"][1]["cells"][1]["lack"] == "failed");
    CHECK(json["rows"][2]["cells"][0]["unit"] == "B");
}

TEST_CASE("instructions stand below the numbers, with the columns that share them, and in JSON as text") {
    Grid grid{.columns = {"cuda:0", "opencl:1.0", "vulkan:0"},
        .sections = {{"u32 add",
            {{"all cores",
                 {Quantity{1e9, Unit::op_per_s}, Quantity{1e9, Unit::op_per_s}, Quantity{3e9, Unit::op_per_s}}},
                {"instruction", {Instructions{"ATOMS.ADD"}, Instructions{"ATOMS.ADD"}, Lack::not_measured}}}}}};
    const std::string text = grid_text(grid, 80);
    CAPTURE(text);
    CHECK(text.ends_with("u32 add, instruction: cuda:0, opencl:1.0 ATOMS.ADD\n"));
    CHECK(to_json(grid)["rows"][1]["cells"][0]["instructions"] == "ATOMS.ADD");
    grid.sections[0].rows.erase(grid.sections[0].rows.begin());
    CHECK(grid_text(grid, 80) == "u32 add, instruction: cuda:0, opencl:1.0 ATOMS.ADD\n");
}

TEST_CASE("ratios to another table: by section, place and column; of ranges by their middles; none where one lacks") {
    const auto grid = [](double latency, double ends, std::vector<std::string> columns) {
        return Grid{.columns = columns,
            .sections = {{"latency", {{"L1", {Quantity{latency, Unit::cycles}, Quantity{2 * latency, Unit::cycles}}},
                                         {"DRAM", {Quantity{7 * latency, Unit::cycles}}}}},
                {"ends at", {{"L1", {Quantity{ends, Unit::bytes, std::pair(ends, 4 * ends)}, Lack::unsure}}}},
                {"rates", {{"L1", {Lack::failed, Lack::failed}}}}}};
    };
    Grid other = grid(20, 80, {"vulkan:0", "cuda:0"});
    other.sections[0].rows.pop_back();
    const Grid times = ratios(grid(10, 400, {"cuda:1", "host:1"}), other, {1, std::nullopt});
    REQUIRE(times.sections[0].rows.size() == 1);
    CHECK(times.sections[0].rows[0].cells[0].quantity()->value == doctest::Approx(0.25));
    CHECK_FALSE(times.sections[0].rows[0].cells[1].quantity());
    CHECK(times.sections[1].rows.empty()); // that column of the other one is not sure
    CHECK(times.sections[2].rows.empty());
    const Grid ends = ratios(grid(10, 400, {"cuda:1", "host:1"}), other, {0, 0});
    REQUIRE(ends.sections[1].rows.size() == 1);
    CHECK(ends.sections[1].rows[0].cells[0].quantity()->value == doctest::Approx(5));
    const Grid one_bracket = ratios(grid(10, 80, {"cuda:1", "host:1"}), other, {0, 0}),
               touching = ratios(grid(10, 320, {"cuda:1", "host:1"}), other, {0, 0});
    CHECK(one_bracket.sections[1].rows.empty()); // what lies in it may differ
    CHECK(touching.sections[1].rows.empty());
}

namespace {
Grid one_column(std::vector<std::pair<const char*, Cell>> rows) {
    Grid grid{.name = "levels", .columns = {"a:0"}, .sections = {{"latency", {}}}};
    for (const auto& [place, cell] : rows) grid.sections[0].rows.push_back({place, {cell}});
    return grid;
}
Cell cycles(double number) { return Quantity{number, Unit::cycles}; }
} // namespace

TEST_CASE("two tables beside each other have the rows of both, in their order, and ratios where both have a number") {
    const Grid both = side_by_side(one_column({{"L1", cycles(30)}, {"DRAM", cycles(600)}}),
        one_column({{"L1", cycles(60)}, {"L2", cycles(200)}, {"DRAM", Lack::failed}}));
    CHECK(both.columns == std::vector<std::string>{"first", "second", "ratio"});
    const std::vector<GridRow>& rows = both.sections.at(0).rows;
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].place == "L1");
    CHECK(rows[1].place == "L2");
    CHECK(rows[2].place == "DRAM");
    CHECK(*rows[0].cells[2].quantity() == Quantity{2, Unit::times});
    CHECK_FALSE(rows[1].cells[2].quantity());
    CHECK(std::get<Lack>(rows[2].cells[1].is) == Lack::failed);
    const std::string text = grid_text(both, 80);
    CAPTURE(text);
    CHECK(says(text, "  L1             30.0   60.0    2.00\n")); // the ratio has no unit
}

TEST_CASE("columns of several tables: the median, from the least to the greatest; a reason where none has a number") {
    const auto of = [](std::vector<Cell> cells) {
        std::vector<std::pair<Grid, std::size_t>> columns;
        for (const Cell& cell : cells) columns.emplace_back(one_column({{"L1", cell}}), 0);
        return medians(columns).sections.at(0).rows.at(0).cells.at(0);
    };
    CHECK(*of({cycles(30), cycles(50), cycles(31)}).quantity() == Quantity{31, Unit::cycles, std::pair(30., 50.)});
    CHECK(*of({cycles(30), cycles(40)}).quantity() == Quantity{35, Unit::cycles, std::pair(30., 40.)});
    CHECK(*of({Lack::failed, cycles(30)}).quantity() == Quantity{30, Unit::cycles});
    CHECK(std::get<Lack>(of({Lack::failed, Lack::unsure}).is) == Lack::failed);
    const Quantity narrow{5, Unit::bytes, std::pair(4., 6.)}, wide{8, Unit::bytes, std::pair(7., 9.)};
    CHECK(of({narrow, wide}).quantity()->range == std::pair(4., 9.));
}

TEST_CASE(
    "several tables as one: the median, and from the least to the greatest as a share of it; of ranges both ends") {
    const auto of = [](const std::vector<Cell>& cells) {
        std::vector<Grid> grids;
        for (const Cell& cell : cells) grids.push_back(one_column({{"L1", cell}}));
        return spreads(grids).sections.at(0).rows.at(0).cells.at(0);
    };
    const Cell apart = of({cycles(30), cycles(33), cycles(31)});
    CHECK(*apart.quantity() == Quantity{31, Unit::cycles});
    REQUIRE(apart.beside);
    CHECK(apart.beside->unit == Unit::spread);
    CHECK(apart.beside->value == doctest::Approx(3 / 31.0));
    const Quantity narrow{5, Unit::bytes, std::pair(4., 6.)}, wide{8, Unit::bytes, std::pair(7., 9.)};
    CHECK(of({narrow, wide}).quantity()->range == std::pair(4., 9.));
    CHECK_FALSE(of({narrow, wide}).beside);
    CHECK(std::get<Lack>(of({Lack::failed, Lack::failed}).is) == Lack::failed);
}

TEST_CASE("rates below each other have one prefix; other quantities, and rates of more than five digits, their own") {
    const auto rate = [](double number) { return Quantity{number, Unit::bytes_per_s}; };
    const auto text_of = [](std::vector<std::pair<const char*, Cell>> rows) { return grid_text(one_column(rows), 80); };
    const std::string close = text_of({{"L1", rate(8.35e12)}, {"DRAM", rate(2e11)}});
    CAPTURE(close);
    CHECK(says(close, "latency, GB/s  "));
    CHECK(says(close, "  L1           8350\n"));
    const std::string far = text_of({{"first", rate(2e12)}, {"second", rate(3e6)}});
    CAPTURE(far);
    CHECK(says(far, "first, TB/s"));
    CHECK(says(far, "second, MB/s"));
    const std::string ends = text_of({{"L1", Quantity{64 << 10, Unit::bytes}}, {"L2", Quantity{4 << 20, Unit::bytes}}});
    CHECK(says(ends, "L2, MiB"));
}

TEST_CASE("quartiles: half of what lies between them as a share, where they are wide their numbers; an open range; a "
          "derived number; more digits on request") {
    const Scale ns{1, "ns"};
    Quantity latency{17.2412, Unit::ns};
    CHECK(quantity_text(latency, ns) == "17.2");
    CHECK(quantity_text(latency, ns, 4) == "17.24");
    latency.quartiles = std::pair(17.2, 17.3);
    CHECK(quantity_text(latency, ns, 4) == "17.24±0.3%");
    latency.quartiles = std::pair(10., 20.);
    CHECK(quantity_text(latency, ns) == "17.2 (10.0-20.0)");
    Quantity cycles{59.26, Unit::cycles};
    cycles.derived = true;
    CHECK(quantity_text(cycles, {1, "cycles"}, 4) == "59.3*");
    CHECK(quantity_text({692.31, Unit::cycles}, {1, "cycles"}, 4) == "692.3");
    const Quantity open{512, Unit::bytes, std::pair(512., std::numeric_limits<double>::infinity())};
    CHECK(open.most() == 512);
    CHECK(quantity_text(open, scale_of(open.most(), open.unit)) == "beyond 512");
    CHECK(quantity_text({1e300, Unit::ns}, ns) == "1e+300");
}

TEST_CASE("units of series and findings: decimal prefixes are multiplied out; one that is not known is nothing") {
    CHECK(*quantity_in(2, "GB/s") == Quantity{2e9, Unit::bytes_per_s});
    CHECK(*quantity_in(2, "Gop/s") == Quantity{2e9, Unit::op_per_s});
    CHECK(*quantity_in(2, "GLUP/s") == Quantity{2e9, Unit::lattice_updates_per_s});
    CHECK(*quantity_in(50, "%") == Quantity{0.5, Unit::share});
    CHECK(*quantity_in(5, "") == Quantity{5, Unit::count});
    CHECK_FALSE(quantity_in(5, "parsecs"));
}

TEST_CASE("a caption stands above the table with the unit of most rows; a number of another unit names its own") {
    Grid grid{.name = "points",
        .columns = {"1", "2", "footprint"},
        .sections = {{"", {{"a:0", {Quantity{2e9, Unit::op_per_s}, Lack::scatters, Quantity{1 << 20, Unit::bytes}}},
                              {"b:0", {Quantity{261e9, Unit::op_per_s}, Lack::not_measured, Instructions{"ADD"}}}}}},
        .caption = "atomics, by workgroups"};
    CHECK(grid_text(grid, 80) == "atomics, by workgroups, Gop/s\n"
                                 "     1     2         footprint\n"
                                 "a:0  2.00  scatters  1 MiB\n"
                                 "b:0  261   -         ADD\n"); // instructions beside a number stay in their row
    CHECK(to_json(grid)["caption"] == grid.caption);
    grid.unit_by = UnitBy::cell;
    grid.sections[0].rows[0].cells[0] = Cell(Quantity{34, Unit::cycles}, Quantity{17.2, Unit::ns});
    const std::string text = grid_text(grid, 80);
    CHECK(says(text, "atomics, by workgroups\n"));
    CHECK(says(text, "a:0  34.0 cycles (17.2 ns)  scatters  1 MiB\n"));
    CHECK(says(text, "b:0  261 Gop/s"));
}

TEST_CASE("a count beside times is not divided by their prefix") {
    const Grid grid{.columns = {"median", "group"},
        .sections = {{"cores", {{"131", {Quantity{2500, Unit::ns}, Quantity{2, Unit::count}}}}}}};
    const std::string text = grid_text(grid, 80);
    CHECK(says(text, "cores, us"));
    CHECK(says(text, "131"));
    CHECK(says(text, "2.50    2\n"));
}

TEST_CASE("CSV has a line for each cell: plain numbers, ends, quartiles, what stands beside, why a number lacks") {
    Grid grid = example();
    grid.columns[0] = "cuda:0, \"fast\"";
    grid.sections[1].rows[1].cells[0] = Quantity{26, Unit::bytes, std::pair(26., 28.5)};
    Quantity derived{59.5, Unit::cycles};
    derived.derived = true;
    derived.quartiles = std::pair(59., 60.);
    grid.sections[1].rows[1].cells[1] = derived;
    grid.sections.push_back({"code", {{"L1", {Instructions{"LDG, wide"}}}}});
    const std::vector<std::string> lines = split(grid_csv(grid, "NVIDIA H200"), '\n');
    REQUIRE(lines.size() == 10);
    CHECK(lines[0] == R"(NVIDIA H200,levels,,latency,L1,"cuda:0, ""fast""",34,cycles,,,,,17.2,ns,,,)");
    CHECK(lines[3] == "NVIDIA H200,levels,,latency,DRAM,vulkan:0,,,,,,,,,,failed,");
    CHECK(lines[6] == R"(NVIDIA H200,levels,,ends at,L2,"cuda:0, ""fast""",26,B,26,28.5,,,,,,,)");
    CHECK(lines[7] == "NVIDIA H200,levels,,ends at,L2,vulkan:0,59.5,cycles,,,59,60,,,derived,,");
    CHECK(lines[8] == R"(NVIDIA H200,levels,,code,L1,"cuda:0, ""fast""",,,,,,,,,,,"LDG, wide")");
    const auto fields = [](const std::string& line) { return std::ranges::count(line, ','); };
    CHECK(fields(lines[3]) == fields(grid_csv_head()));
}
