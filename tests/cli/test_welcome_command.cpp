// sonde without words, and the ways on to all help.
#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/command.h"
#include "tests/places.h"

using namespace sonde;
using namespace command;

namespace {
const std::string kModelled = std::string(places::pretended_drivers) + "/faults/modelled_sonde";

void fits_a_screen(const std::string& text) {
    CHECK(std::count(text.begin(), text.end(), '\n') < 24);
    for (const std::string& line : split(text, '\n')) CHECK(display_width(line) <= 80);
}
} // namespace

TEST_CASE("without words: a screen that says what is here, what is left out, and where to begin") {
    const Ran ran = sonde_run("", "COLUMNS=80 SONDE_MODEL_PROCESSOR=1", "", "", kModelled);
    CHECK(ran.code == 0);
    CHECK(ran.err.empty());
    fits_a_screen(ran.out);
    for (const char* part : {"GTX 680", "model:1", "--device all", "sonde run ", "sonde diagnose FILE",
             "sonde report FILE", "sonde doctor ", "sonde help", "sonde manual"}) {
        CAPTURE(part);
        CHECK(says(ran.out, part));
    }
    const Ran cards = sonde_run("", "COLUMNS=80 SONDE_MODEL_CARDS=12", "", "", kModelled);
    fits_a_screen(cards.out);
    CHECK(says(cards.out, "12 x GTX 680"));
}

TEST_CASE("without words and without a GPU, or with a driver that crashes: the same screen, and still 0") {
    const Ran host = sonde_run("", fmt::format("COLUMNS=80 {}", no_drivers()));
    CHECK(host.code == 0);
    fits_a_screen(host.out);
    CHECK(says(host.out, "(host)"));
    const Ran crash = sonde_run("", "COLUMNS=80 SONDE_FAULT_MODEL=open=crash", "", "", kModelled);
    CHECK(crash.code == 0);
    fits_a_screen(crash.out);
    CHECK(says(crash.out, "model"));
}

TEST_CASE("help is a command, too, and the manual has the help of every command") {
    CHECK(sonde_run("help").out == sonde_run("--help").out);
    CHECK(sonde_run("help run").out == sonde_run("run --help").out);
    CHECK(sonde_run("help rnu").code == 2);
    const Ran manual = sonde_run("manual");
    CHECK(manual.code == 0);
    for (const char* command : {"run", "levels", "isa", "help"})
        CHECK(says(manual.out, sonde_run(fmt::format("{} --help", command)).out));
}
