// Who uses a card, read from a folder that stands for /proc.
#include <doctest/doctest.h>

#include "backends/telemetry/fdinfo.h"
#include "tests/backends/checks/pretended.h"

using namespace sonde;

namespace {
constexpr const char* kCard = "0000:65:00.0";
constexpr const char* kLong = "1000000000000000000"; // ns: more than the time between two looks can be

std::string file_of(const char* client, const char* card = kCard) {
    return fmt::format("drm-pdev:\t{}\ndrm-client-id:\t{}\ndrm-engine-gfx:\t{} ns", card, client, kLong);
}
} // namespace

TEST_CASE("a client of a card counts once, however many files it holds, and the clients of a process add up") {
    const pretended::Variables proc({"SONDE_PROC"});
    const pretended::Machine machine;
    setenv("SONDE_PROC", machine.folder.path.c_str(), 1);
    FdinfoUsers card(kCard);
    machine.write("4711/fdinfo/3", file_of("1"));
    machine.write("4712/fdinfo/3", file_of("2", "0000:66:00.0"));
    machine.write("self/fdinfo/3", file_of("1"));
    const auto first = card.users();
    REQUIRE(first.size() == 1);
    CHECK(first[0].pid == 4711);
    CHECK(!first[0].busy_percent);
    machine.write("4711/fdinfo/4", file_of("1")); // the same client's
    CHECK(card.users().at(0).busy_percent == 0);
    machine.write("4711/fdinfo/5", file_of("3"));
    CHECK(card.users().at(0).busy_percent == 100);
}
