// The table of boards.
#include "core/device/chips.h"

#include <regex>
#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace sonde;

TEST_CASE("a board is known by its PCI id, each id once, and an id that nobody listed is no board") {
    std::set<std::string_view> ids;
    for (const Board& board : all_boards()) {
        CAPTURE(board.name);
        CHECK(std::regex_match(std::string(board.pci_id), std::regex("(10de|1002):[0-9a-f]{4}")));
        CHECK(ids.insert(board.pci_id).second);
        CHECK(find_board(board.pci_id) == &board);
        CHECK(board.cores >= 1);
        CHECK(board.cores <= 64);
    }
    REQUIRE(find_board("10de:1180"));
    CHECK(find_board("10de:1180")->cores == 8);
    REQUIRE(find_board("1002:679a"));
    CHECK(find_board("1002:679a")->cores == 28);
    CHECK_FALSE(find_board("1002:7300")); // R9 Fury and R9 Nano have other numbers under one id
    CHECK_FALSE(find_board(""));
}
