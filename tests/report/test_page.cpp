// The page's data, its summary and its packing, and the commands diagnose and report as a user types them.
// scripts/test-report looks at the page in a browser.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/report/memory_map.h"
#include "core/report/overlay.h"
#include "core/report/pack.h"
#include "core/report/page.h"
#include "core/report/summary.h"
#include "tests/command.h"
#include "tests/diagnosis/made_up.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

namespace {
const std::string kHeader = R"({"type":"run","format":2,"sonde":"0.1.0","started":"2026-01-01T00:00:00Z","host":{},)"
                            R"("command":[],"profile":"quick","absent":[]})";

std::string series_line(const std::string& device) {
    return fmt::format(R"({{"type":"series","probe":"latency","device":"{}","api":"x","card":"c",)"
                       R"("path":"global","options":{{}},"status":"ok","reason":"","x":{{"name":"footprint",)"
                       R"("unit":"bytes"}},"unit":"ns",)"
                       R"("points":[{{"x":512,"median":1e308,"low":-1e308,"high":1e308,"cycles":null,)"
                       R"("clock_mhz":null,"samples":[]}}],"evidence":{{}}}})",
        device);
}
} // namespace

TEST_CASE("base64 by the vectors of RFC 4648") {
    const std::pair<const char*, const char*> rows[] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    for (const auto& [plain, coded] : rows) CHECK(base64(plain) == coded);
    CHECK(base64("\xff\xef\xbe") == "/+++");
}

TEST_CASE("JSON for a script holds nothing that HTML or JavaScript knows, and means the same") {
    const Json data = {{"</script><!--", "<script>&\u2028\u2029\"'\x7f\\"}, {"bad", "\xff"}};
    const std::string text = script_json(data);
    for (const char c : {'<', '>', '&'}) CHECK(text.find(c) == std::string::npos);
    for (const char c : text) CHECK(static_cast<unsigned char>(c) < 0x80);
    CHECK(Json::parse(text).begin().key() == "</script><!--");
    CHECK(Json::parse(text)["</script><!--"] == data["</script><!--"]);
}

TEST_CASE("page data: runs, cards with matrix, every series, and how its probe is drawn") {
    const std::vector<Run> runs{read_run(recorded::run(1)), read_run(recorded::run(2))};
    const std::vector<PageFile> files{{"a", "1"}, {"b", "22"}};
    const Json data = page_data(files, runs, cards_of(runs));
    CHECK(data["runs"].size() == 2);
    CHECK(data["runs"][1]["bytes"] == 2);
    REQUIRE(data["cards"].size() == 1); // two runs of one card with the same drivers are seen together
    const Json& card = data["cards"][0];
    CHECK(card["series"].size() == runs[0].series.size() + runs[1].series.size());
    CHECK(card["matrix"]["devices"] == Json({"cuda:0", "opencl:1.0", "vulkan:0"}));
    CHECK(card["matrix"]["rows"][0]["cells"][2]["level"]["cycles"] == doctest::Approx(59.1875).epsilon(0.001));
    CHECK(data["published"].empty());
    CHECK(data["colours"] == Json({{"cuda:0", 0}, {"opencl:1.0", 1}, {"vulkan:0", 2}}));
    for (const Json& series : card["series"])
        CHECK(series["peak"].is_null() ==
              (series["probe"] != "bandwidth" || series["path"] == "scratchpad")); // the DRAM's peak
    CHECK(data["probes"]["latency"]["chart"] == "curve");
    CHECK(data["probes"]["latency"]["axis"] == "footprint");
}

TEST_CASE("page data: cycles of a device whose kernels count none are derived by another API's, and said to be") {
    std::vector<Run> runs{read_run(recorded::quick(1))};
    const std::vector<PageFile> files{{"a", "1"}};
    const auto latency = [&](const char* device) {
        const Json data = page_data(files, runs, cards_of(runs));
        for (const Json& card : data["cards"])
            for (const Json& series : card["series"])
                if (series["probe"] == "latency" && series["device"] == device && series["path"] == "global" &&
                    series["options"] == "")
                    return series;
        return Json();
    };
    const Json counted = latency("vulkan:0");
    CHECK(counted["derived"].is_null());
    for (DeviceRecord& device : runs[0].devices) device.core_cycles = device.core_cycles && device.id != "vulkan:0";
    for (Series& series : runs[0].series)
        for (Point& point : series.points)
            if (series.id.device == "vulkan:0") point.cycles.reset();
    for (Json& finding : runs[0].findings)
        if (finding.value("device", "") == "vulkan:0") finding.erase("cycles");
    const Json derived = latency("vulkan:0"), &level = derived["levels"][0];
    CHECK(derived["derived"]["note"].get<std::string>().starts_with(
        "* cycles of vulkan:0 are derived, as its kernels read no clock of the core: a step of fma.f32 takes 4"));
    CHECK(level["cycles"].is_null());
    CHECK(level["derived"].get<double>() ==
          doctest::Approx(level["ns"].get<double>() * derived["derived"]["mhz"].get<double>() / 1e3).epsilon(1e-4));
    CHECK(
        level["derived"].get<double>() == doctest::Approx(counted["levels"][0]["cycles"].get<double>()).epsilon(0.02));
    CHECK(latency("cuda:0")["derived"].is_null());
}

TEST_CASE("page data: the documented peak of a rate is that of all cores at the clock of its best point") {
    made_up::MadeUp card;
    DeviceRecord& device = card.device("a:0");
    device.cores = 10;
    device.facts = {{"compute capability", "9.0", "asked"}}; // 128 lanes of 2 operations
    card.rate("a:0", "fma.f32", 4000);
    std::vector<Point>& points = card.run.series.back().points;
    points[0].clock_mhz = 2000;
    points.push_back({.x = 64, .median = 1000, .clock_mhz = 500, .samples = {}});
    CHECK(page_data({}, {&card.run, 1}, cards_of({&card.run, 1}))["cards"][0]["series"][0]["peak"] == 256 * 10 * 2);
}

TEST_CASE("the summary is in the page's own HTML: levels by device, statements with doubts first; a name from a file "
          "stays text") {
    std::vector<Run> runs{read_run(recorded::run(1))};
    runs[0].devices[0].driver = "<img src=x onerror='a&b\"'>";
    const std::vector<Card> cards = cards_of(runs);
    const std::string summary = summary_html(cards, runs);
    for (const char* part : {"<th scope=\"row\">L2 far</th>", "<td>39.1 (19.7)</td>", "<td>215-219</td>",
             "<td>32.6 (125)</td>", "&#60;img src=x onerror=&#39;a&#38;b&#34;&#39;&#62;"}) {
        CAPTURE(std::string(part));
        CHECK(says(summary, part));
    }
    CHECK_FALSE(says(summary, "<img"));
    const char* const order[] = {"NVIDIA H200, 132 cores at ", "<table", "<svg class=\"map\"",
        "class=\"statement\""}; // as it is read, from above
    for (std::size_t i = 1; i < std::size(order); ++i) {
        CAPTURE(std::string(order[i]));
        CHECK(summary.find(order[i - 1]) < summary.find(order[i]));
        CHECK(summary.find(order[i]) != std::string::npos);
    }
    CHECK(labels_of(std::vector<Card>{{.id = "a", .name = "x"}, {.id = "b", .name = "x"}, {.id = "c", .name = "y"}}) ==
          std::vector<std::string>{"x #1", "x #2", "y"});
    CHECK_FALSE(says(summary, "Ratio to"));
    runs.push_back(read_run(recorded::quick(1))); // another card of the kind
    const std::string both = summary_html(cards_of(runs), runs);
    CHECK(says(both, "statement suspect"));
    CHECK(says(both, "<h4>Ratio to NVIDIA H200 #1</h4>"));
    CHECK(says(both.substr(both.find("Ratio to")), "<th scope=\"row\">L1</th><td>1.00</td><td>1.00</td><td>1.00</td>"));
    runs.pop_back();
    runs[0].end = nullptr;
    CHECK(says(page_html(std::vector<PageFile>{{"a<b", ""}}, runs, cards_of(runs), "NONCE"),
        "<p class=\"warning\">a&#60;b: the run did not finish"));
    for (DeviceRecord& device : runs[0].devices) device.name = "card \u202eevil\u2066";
    const std::string turned = page_html(std::vector<PageFile>{{"a", ""}}, runs, cards_of(runs), "NONCE");
    for (const char* part : {"<title>card ?evil?", "<h1>card ?evil?", "<p class=\"card\">card ?evil?"})
        CHECK(says(turned, part));
    for (const char* mark : {"\u202e", "\u2066"}) CHECK_FALSE(says(turned, mark));
    CHECK(summary_html({}, {}).empty());
}

TEST_CASE("ratios to another card are a card's own figures divided by the other's, of times and of rates") {
    std::vector<Run> runs;
    for (const double times : {1.0, 4.0}) {
        made_up::MadeUp card;
        card.device("a:0").driver = fmt::format("{}", times); // cards of other drivers are seen apart
        card.latency("a:0", "global", {{40 * times, 64 << 10}, {600 * times, 1e12}}, 1 << 30);
        card.bandwidth("a:0", "global", {{1000 / times, 1e12}}, 1 << 30);
        runs.push_back(card.run);
    }
    const std::string summary = summary_html(cards_of(runs), runs);
    REQUIRE(says(summary, "Ratio to"));
    const std::string ratios = summary.substr(summary.find("Ratio to"));
    CHECK(says(ratios, "DRAM</th><td>4.00</td>"));
    CHECK(says(ratios, "DRAM, read</th><td>0.250</td>"));
}

TEST_CASE(
    "the memory map: a box for each level, the slowest first, each inside the one before; a hostile name stays text") {
    std::vector<Run> runs{read_run(recorded::run(1))};
    runs[0].devices[0].driver = "</svg><script>";
    const std::vector<Card> cards = cards_of(runs);
    const std::string map = memory_map_html(cards[0], device_colours(cards));
    std::string cuda = map.substr(0, map.find("</figure>"));
    CHECK_FALSE(says(cuda, "<script>"));
    double before = INFINITY;
    for (const char* level : {"DRAM", "L2 far", "L2 near", "L1"}) {
        const auto group = cuda.find(fmt::format("<g data-level=\"{}\">", level)),
                   box = cuda.find("<rect class=\"box s0\"", group), width = cuda.find("width=\"", box);
        REQUIRE(width != std::string::npos);
        const double wide = std::stod(cuda.substr(width + 7));
        CHECK(wide < before);
        before = wide;
    }
    CHECK(says(cuda, "data-strip=\"scratchpad\""));
    CHECK(says(cuda, "aria-label=\"cuda:0; DRAM 691 cycles to 4 GiB (end of the sweep); L2 far 528 cycles"));
    CHECK(memory_map_html(Card{}, {}).empty());
}

TEST_CASE("the memory map: a box has a paler edge up to the first footprint outside") {
    made_up::MadeUp card;
    card.device("a:0");
    card.latency("a:0", "global", made_up::kThreeLevels, 1 << 30);
    std::vector<Card> cards = cards_of({&card.run, 1});
    std::vector<Finding>& levels = cards[0].curves[0].levels;
    REQUIRE(levels.size() == 3);
    for (std::size_t i = 0; i < 2; ++i) levels[i].capacity_bytes->second = levels[i + 1].capacity_bytes->first;
    const std::string map = memory_map_html(cards[0], device_colours(cards));
    const auto width = [&](const char* level, const char* box) {
        const auto group = map.find(fmt::format("<g data-level=\"{}\">", level)),
                   from = map.find(fmt::format("class=\"box {}\"", box), group);
        REQUIRE(from != std::string::npos);
        return std::stod(map.substr(map.find("width=\"", from) + 7));
    };
    CHECK(width("L1", "unsure s0") == width("L2", "s0")); // which surely ends where L1 does at most
    CHECK(width("L2", "unsure s0") == width("DRAM", "s0"));
    CHECK(width("L1", "s0") < width("L2", "s0"));
}

TEST_CASE("the memory map draws the loads of the card's table: by pointer where every device has such a walk") {
    made_up::MadeUp card;
    card.device("a:0");
    card.latency("a:0", "global", made_up::later(made_up::kThree, 5), made_up::kEnd);
    const auto map = [&] {
        const std::vector<Card> cards = cards_of({&card.run, 1});
        return memory_map_html(cards[0], device_colours(cards));
    };
    CHECK(says(map(), ">global "));
    card.latency("a:0", "global.pointer", made_up::kThree, made_up::kEnd);
    CHECK(says(map(), ">global.pointer "));
}

TEST_CASE("the memory map: texts of levels that are nearly as fast stand one above the other, none below the axis") {
    const std::vector<Run> runs{read_run(recorded::run(1))};
    std::vector<Card> cards = cards_of(runs);
    for (Curve& curve : cards[0].curves)
        for (std::size_t i = 0; i + 1 < curve.levels.size(); ++i)
            curve.levels[i].cycles = 39 + 2 * static_cast<double>(i); // all but DRAM
    const std::string map = memory_map_html(cards[0], device_colours(cards)),
                      cuda = map.substr(0, map.find("</figure>"));
    const auto number_behind = [&](const char* name, std::size_t from) {
        return std::stod(cuda.substr(cuda.find(name, from) + std::string_view(name).size()));
    };
    const double axis = number_behind("y1=\"", cuda.find("<line class=\"axis\""));
    double below = axis;
    for (const char* level : {"L1", "L2 near", "L2 far", "DRAM"}) {
        CAPTURE(std::string(level));
        const auto group = cuda.find(fmt::format("<g data-level=\"{}\">", level));
        REQUIRE(group != std::string::npos);
        const double name = number_behind("y=\"", cuda.find("<text class=\"strong\"", group)),
                     size = number_behind("y=\"", cuda.find("<text class=\"small\"", group));
        CHECK(size < below);
        below = name - 10; // the height of its letters
    }
}

TEST_CASE("the page: a policy that lets only its own scripts run, and nothing from elsewhere") {
    const std::vector<Run> runs{read_run(recorded::run(1))};
    const std::vector<PageFile> files{{"{{nonce}}</script>", "text"}};
    const std::string page = page_html(files, runs, cards_of(runs), "NONCE");
    CHECK(says(page, "default-src 'none'; script-src 'nonce-NONCE'; style-src 'nonce-NONCE'"));
    CHECK(says(page, "{{nonce}}\\u003c/script\\u003e")); // what a file holds is not looked at for places to fill
    for (const char* outside :
        {"src=\"", "@import", "url(", "innerHTML", "insertAdjacent", "document.write", "eval("}) {
        CAPTURE(std::string(outside));
        CHECK_FALSE(says(page, outside));
    }
}

TEST_CASE("sonde report writes one page, not much larger than its files compressed, and says what it wrote") {
    const Folder folder;
    const Ran ran =
        sonde_run(fmt::format("report {} {} -o {}", recorded::run(1), recorded::quick(1), folder.file("r.html")));
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    CHECK(says(ran.out, fmt::format("{} series of 2 runs",
                            read_run(recorded::run(1)).series.size() + read_run(recorded::quick(1)).series.size())));
    CHECK(fs::file_size(folder.file("r.html")) < 1'500'000);
}

TEST_CASE("sonde diagnose: the matrix and the statements with their evidence; the same as findings in JSON") {
    const Folder folder;
    const std::string file =
        recorded::part_of(recorded::kMemory, folder.file("part.jsonl"), "latency", {"global", "global.cg"});
    const Ran text = sonde_run("diagnose --evidence " + file);
    CHECK(text.code == 0);
    CHECK(says(text.out, "LDG.E.STRONG.GPU"));
    const Ran json = sonde_run("diagnose --json " + file);
    std::map<std::string, int> kinds;
    int not_reached = 0; // L1 on global.cg, by the devices of its row
    for (const Json& finding : Json::parse(json.out)) {
        if (finding["type"] == "table") {
            for (const Json& row : finding["rows"])
                if (row["section"] == "global.cg" && row["place"] == "L1")
                    for (const Json& cell : row["cells"]) not_reached += cell.value("lack", "") == "not reached";
            continue;
        }
        for (const char* field : {"type", "kind", "probe", "device", "path", "text", "from"})
            CHECK(finding.contains(field)); // results/schema.json
        ++kinds[finding["kind"]];
    }
    for (const char* kind : {"path", "level", "unreached"}) {
        CAPTURE(std::string(kind));
        CHECK(kinds[kind] > 0);
    }
    CHECK(not_reached == 3);
}

TEST_CASE("bad input to diagnose and report is one clear line and exit 2, and no page is left") {
    const Folder folder;
    std::ofstream(folder.file("empty.jsonl")) << "";
    std::ofstream(folder.file("other.jsonl")) << "hello\n";
    std::ofstream(folder.file("format.jsonl")) << R"({"type":"run","format":1})"
                                               << "\n";
    std::ofstream(folder.file("large.jsonl")) << kHeader;
    fs::resize_file(folder.file("large.jsonl"), 2'000'000'000); // sparse
    struct Row {
        const char *file, *says;
    };
    for (const Row& row :
        {Row{"missing.jsonl", "cannot open"}, {"empty.jsonl", "empty"}, {"other.jsonl", "not a results file"},
            {"format.jsonl", "format 2"}, {"large.jsonl", "more than a page can hold"}}) {
        CAPTURE(std::string(row.file));
        const Ran report = sonde_run(fmt::format("report {} -o {}", folder.file(row.file), folder.file("r.html")));
        CAPTURE(report.err);
        CHECK(report.code == 2);
        CHECK(one_line(report.err));
        CHECK(says(report.err, row.says));
        CHECK_FALSE(fs::exists(folder.file("r.html")));
        if (std::string(row.file) == "large.jsonl") continue; // reading it is `show`'s matter, line by line
        const Ran diagnose = sonde_run("diagnose " + folder.file(row.file));
        CHECK(diagnose.code == 2);
        CHECK(one_line(diagnose.err));
    }
    std::ofstream(folder.file("good.jsonl")) << kHeader << "\n";
    const Ran itself = sonde_run(fmt::format("report {0} -o {0}", folder.file("good.jsonl")));
    CHECK(itself.code == 2);
    CHECK(says(itself.err, "not a page of sonde"));
    CHECK(
        sonde_run(fmt::format("report {} -o {}", folder.file("good.jsonl"), folder.file("missing/r.html"))).code == 1);
    CHECK(says(sonde_run("report " + folder.file("good.jsonl")).out, "good.html: 0 series")); // named after its file
}

TEST_CASE("report replaces a page of its own and nothing else, and a full disk leaves what was there") {
    const Folder folder;
    const std::string page = folder.file("page.html"), kept = folder.file("kept"), link = folder.file("link");
    const std::string run = recorded::run(1), report = fmt::format("report {} -o ", run);
    REQUIRE(sonde_run(report + page).code == 0);
    CHECK(sonde_run(report + page).code == 0); // again, over itself
    const std::string good = text_of(page);
    fs::create_symlink(page, link);
    CHECK(sonde_run(report + link).code == 0); // a link to a page stays one
    CHECK(fs::is_symlink(link));
    fs::remove(link);
    for (const std::string& theirs :
        {text_of(run), std::string("notes\n"), std::string()}) { // results, any text, an empty file
        std::ofstream(kept, std::ios::trunc) << theirs;
        fs::create_symlink(kept, link);
        for (const std::string& name : {kept, link}) {
            const Ran ran = sonde_run(report + name);
            CHECK(ran.code == 2);
            CHECK(one_line(ran.err));
            CHECK(says(ran.err, "not a page of sonde"));
            CHECK(text_of(kept) == theirs);
        }
        fs::remove(link);
    }
    CHECK(sonde_run(report + folder.path.string()).code == 2); // a folder
    for (const char* name : {"page.html", "new.html"}) {       // files may not grow past 8 KiB
        const Ran full = sonde_run(report + folder.file(name), "", "ulimit -f 8;");
        CHECK(full.code == 1);
        CHECK(says(full.err, "cannot write"));
    }
    CHECK(text_of(page).size() == good.size());                                               // but for its nonce
    CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 2); // page.html and kept
    CHECK(says(sonde_run(report + "-").out, "</html>"));
    CHECK(sonde_run(report + "/dev/full").code == 1);
}

TEST_CASE(
    "a file with nothing, with numbers at their limits, and one torn: diagnosed and reported with what is whole") {
    const Folder folder;
    std::ofstream(folder.file("r.jsonl")) << kHeader << "\n"
                                          << R"({"type":"device","id":7,"card":[],"cache_bytes":"many","facts":3})"
                                          << "\n"
                                          << series_line("x:0") << "\n"
                                          << series_line("x:0") << "\n"
                                          << R"({"type":"finding","kind":"level","from":"x"})"
                                          << "\n"
                                          << R"({"type":"series","median":NaN})"
                                          << "\n{\"type\":\"se";
    const Ran diagnose = sonde_run("diagnose " + folder.file("r.jsonl"));
    CHECK(diagnose.code == 0);
    CHECK(says(diagnose.err, "line 6 left out: not a JSON object"));
    CHECK(says(diagnose.err, "line 7 left out: truncated"));
    CHECK(says(diagnose.out, "Only x:0 was measured"));
    CHECK(says(diagnose.out, "did not finish"));
    CHECK(sonde_run(fmt::format("report {} -o {}", folder.file("r.jsonl"), folder.file("r.html"))).code == 0);
    std::ofstream(folder.file("nothing.jsonl")) << kHeader << "\n";
    CHECK(says(sonde_run("diagnose " + folder.file("nothing.jsonl")).out, "nothing was measured"));
}

TEST_CASE("show prints levels before curves") {
    const Ran show = sonde_run("show " + recorded::run(1));
    CHECK(show.code == 0);
    const auto levels = show.out.find("== levels of NVIDIA H200"), curves = show.out.find("== latency global");
    REQUIRE(levels != std::string::npos);
    CHECK(levels < curves);
    CHECK(says(show.out, "\ncuda:0 global, ns (cycles)  "));
    CHECK(says(show.out, "\n  L1  "));
    CHECK(says(show.out, "  19.7 (39.1)  215-219 KiB "));
}

TEST_CASE("places of an access pattern have the names that its probe gives them, others are numbers") {
    const Folder folder;
    const std::vector<Run> runs{
        read_run(recorded::part_of(recorded::kTraffic, folder.file("part.jsonl"), "coalescing", {"texel", "image2d"}))};
    const std::vector<PageFile> files(1);
    const Json data = page_data(files, runs, cards_of(runs));
    std::size_t named = 0;
    for (const Json& series : data["cards"][0]["series"]) {
        const std::string options = series["options"];
        const bool order = says(options, "pattern=order"), misaligned = says(options, "pattern=misaligned");
        CHECK(series["x_places"].is_array() == (order || misaligned));
        if (!order && !misaligned) continue;
        ++named;
        CHECK(series["x_places"][0] == (order ? "in order" : "known aligned"));
        CHECK(series["x_places"].size() >= series["points"].get<std::size_t>());
    }
    CHECK(named > 0);
}

TEST_CASE("a mark reaches from the lowest to the highest figure of its level; one of another method is none") {
    made_up::MadeUp card;
    card.device("a:0");
    card.latency("a:0", "global", made_up::kThreeLevels, 1 << 30);
    const auto figure = [](double low, double high, const char* apart) {
        return PublishedFigure{.question = {"latency", "global", {}},
            .place = "L1",
            .level = LevelName::cache(1),
            .unit = "cycles",
            .low = low,
            .high = high,
            .apart = apart,
            .device = "b"};
    };
    const Json overlay = overlay_of(
        cards_of({&card.run, 1}), {figure(40, 50, ""), figure(30, 35, ""), figure(10, 90, "another method")});
    REQUIRE(overlay.size() == 1);
    REQUIRE(overlay[0]["marks"].size() == 1);
    CHECK(overlay[0]["marks"][0]["low"] == 30);
    CHECK(overlay[0]["marks"][0]["high"] == 50);
}

TEST_CASE("published figures are marks where the card's own levels of that name are") {
    const std::vector<Run> runs{read_run(recorded::run(1))};
    const Json overlay = overlay_of(cards_of(runs), select_published(published_figures(), "hopper"));
    REQUIRE(overlay.size() > 3);
    for (const Json& each : overlay) {
        CHECK(each["probe"] == "latency");
        REQUIRE(!each["marks"].empty());
        for (const Json& mark : each["marks"]) {
            CHECK((mark["from"].get<double>() >= 512 && mark["from"] < mark["to"]));
            const double low = mark["low"], high = mark["high"];
            CAPTURE(low);
            CAPTURE(high);
            CHECK((low >= 0 && low <= high && high > 10 && high < 1500));
            CHECK((mark["level"] == "L1" || mark["level"] == "L2 near" || mark["level"] == "L2 far" ||
                   mark["level"] == "L2" || mark["level"] == "DRAM"));
        }
    }
    CHECK(overlay_of({}, published_figures()).empty());
    const Folder folder;
    const Ran ran =
        sonde_run(fmt::format("report {} --published hopper -o {}", recorded::run(1), folder.file("r.html")));
    CHECK(ran.code == 0);
    const Ran unknown =
        sonde_run(fmt::format("report {} --published nosuchcard -o {}", recorded::run(1), folder.file("r.html")));
    CHECK(unknown.code == 2);
    CHECK(says(unknown.err, "nosuchcard"));
}
