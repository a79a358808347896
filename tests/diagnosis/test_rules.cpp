// What holds for every rule.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/data/results.h"
#include "core/diagnosis/rules.h"
#include "core/diagnosis/words.h"
#include "tests/diagnosis/made_up.h"
#include "tests/places.h"
#include "tests/recorded.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace sonde::made_up;

/// Everything that one rule says of its made-up cards and of recorded runs.
static std::vector<std::string> all_said(std::string_view rule) {
    std::vector<std::string> texts;
    const auto add = [&](const Run& run) {
        for (std::string& text : said(run, rule)) texts.push_back(std::move(text));
    };
    for (const Case& row : all_cases())
        if (row.rule == rule) {
            MadeUp card;
            row.fires(card);
            add(card.run);
        }
    static const std::vector<Statement> kRecorded = [] {
        std::vector<Statement> all;
        for (const std::string& file : {recorded::run(1), recorded::quick(1), recorded::kH100, recorded::kMemory,
                 recorded::kTraffic, recorded::kArithmetic, recorded::kMatrix}) {
            if (file != recorded::run(1) && file != recorded::quick(1) && !thorough()) continue; // seconds
            for (Statement& statement : statements_of(read_run(file))) all.push_back(std::move(statement));
        }
        return all;
    }();
    for (const Statement& statement : kRecorded)
        if (statement.rule == rule) texts.push_back(statement.text);
    return texts;
}

TEST_CASE("every rule of the table has a case, a title and a kind") {
    for (const Rule* each : all_rules()) {
        const Rule& rule = *each;
        CAPTURE(std::string(rule.name));
        CHECK(std::any_of(
            all_cases().begin(), all_cases().end(), [&](const Case& row) { return row.rule == rule.name; }));
        CHECK_FALSE(words_of(rule.name).title.empty()); // throws where there is no row
        CHECK((rule.kind == "path" || rule.kind == "suspect" || rule.kind == "void"));
    }
}

TEST_CASE("a line tells observations; a cause is told by those of causes alone") {
    for (const Rule* rule : all_rules()) {
        CAPTURE(std::string(rule->name));
        for (const std::string& text : all_said(rule->name)) {
            CAPTURE(text);
            for (const char* cause : {"because", "due to", "so it ", "so that", "caused by", "owing to", "depends on",
                     "gives up", "TLB misses"})
                CHECK_FALSE(says({text}, cause));
        }
    }
}

TEST_CASE("every cause of a fact names what shows it: a field of the evidence, or a probe") {
    const std::string schema = text_of_file(std::string(places::source) + "/results/schema.json");
    const std::string witnesses = text_of_file(std::string(places::source) + "/tests/witness/README.md");
    for (const CauseWords& words : all_causes().subspan(1)) {
        CAPTURE(std::string(words.name));
        const std::string shown_by(words.shown_by), name = shown_by.substr(shown_by.find(": ") + 2);
        CHECK((shown_by == "series: " + name    ? find_probe(name) != nullptr
               : shown_by == "witness: " + name ? witnesses.find("`" + name + "`") != std::string::npos
                                                : schema.find("\"" + name + "\"") != std::string::npos));
    }
}

TEST_CASE("launches whose blocks lie apart are told by the least and the greatest, others by their median") {
    const auto launches = [](std::vector<double> first, std::vector<double> second) {
        MadeUp card;
        for (const auto& [id, blocks] : {std::pair{"b:0", first}, {"c:0", second}}) {
            Series& made = card.curve("launch", id, "global", {{"test", "waited"}}, {{1, 0}});
            for (std::size_t block = 0; block < blocks.size(); ++block)
                for (const Sample& sample :
                    {Sample{.steps = 1, .host_ns = blocks[block]}, Sample{.steps = 2, .host_ns = 2 * blocks[block]}})
                    made.points[0].samples.push_back(sample),
                        made.points[0].samples.back().block = static_cast<int>(block);
            summarize(made.points[0], Measure::time_per_step, Timer::host, false);
        }
        card.curve("launch", "a:0", "global", {{"test", "waited"}}, {{1, 3e3}});
        return said(card.run, "launches_apart").at(0);
    };
    CHECK(launches({8.1e3, 8.2e3, 9e3}, {9.4e3, 9.5e3, 9.2e3})
              .find("8.10-9.40 us through b:0 and c:0, 3.00 us through a:0") != std::string::npos);
    CHECK(launches({12e3}, {15e3}).find("12.0-15.0 us through b:0 and c:0, 3.00 us through a:0") != std::string::npos);
}

TEST_CASE("between two points a value lies on a line of logarithms, and outside of them there is none") {
    Series series;
    for (const auto& [x, value] : {std::pair{1024., 10.}, {4096., 40.}})
        series.points.push_back({.x = x, .median = value, .samples = {}});
    CHECK(value_between(series, 2048).value() == doctest::Approx(20));
    CHECK(value_between(series, 4096) == 40);
    CHECK_FALSE(value_between(series, 512));
    CHECK_FALSE(value_between(series, 8192));
}
