// A table of quantities, the same for a terminal, a page and JSON.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/json_fwd.h"
#include "core/facts/quantity.h"

namespace sonde {

struct GridRow {
    std::string place{};       // "L2 near"
    std::vector<Cell> cells{}; // by column; a row may end early
};

struct GridSection {
    std::string title{}; // "latency of a load"
    std::vector<GridRow> rows{};
};

struct Grid {
    std::string name{};   // "levels", for programs
    std::string corner{}; // above the places: "cuda:0"
    std::vector<std::string> columns{};
    std::vector<GridSection> sections{};
    /// Whether each column has a unit of its own, which its head names; else each row has.
    bool unit_by_column = false;

    bool empty() const;
};

/// A row of texts; of one cell alone: the title of the section that begins there.
using TextRow = std::vector<std::string>;
struct GridTexts {
    TextRow header{};
    std::vector<TextRow> rows{};
};
/// One unit for a row, or for a column; one that most rows of a section share stands in its title; sections without
/// rows are left out.
GridTexts texts_of(const Grid&);
/// As lines of a terminal, each ending in '\n'. Instructions, which are wide, stand below the numbers.
std::string grid_text(const Grid&, std::size_t width);
/// How many times each number is that of the same section and place in another grid; `alike`: each column's of that
/// grid. What either lacks is not measured; of a range its middle counts.
Grid ratios(const Grid&, const Grid& other, const std::vector<std::optional<std::size_t>>& alike);
/// A column of each of several tables as a table of that one column: of each number the median, and if they differ the
/// least and the greatest as its range. Rows of all of them.
Grid medians(const std::vector<std::pair<Grid, std::size_t>>& columns);
/// The first columns of two tables beside each other, and how many times the first one's number the second one's is.
/// Rows of both in which either has a number.
Grid side_by_side(const Grid& first, const Grid& second);
/// {"type": "table", "name", "columns", "rows": [{"section", "place", "cells": [{"value", "unit", "low", "high",
/// "beside"} or {"instructions"} or {"lack"}]}]}, in units without prefix.
Json to_json(const Grid&);

} // namespace sonde
