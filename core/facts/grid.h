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

/// What has a unit of its own. A column's stands in its head, a cell's behind its number.
enum class UnitBy { row, column, cell };

struct Grid {
    std::string name{};   // "levels", for programs
    std::string corner{}; // above the places: "cuda:0"
    std::vector<std::string> columns{};
    std::vector<GridSection> sections{};
    UnitBy unit_by = UnitBy::row;
    std::string caption{}; // above the table, with the unit of most rows: "median, by workgroups"
    int digits = 3;        // of each number

    bool empty() const;
};

/// A row of texts; of one cell alone: the title of the section that begins there.
using TextRow = std::vector<std::string>;
struct GridTexts {
    TextRow header{};
    std::vector<TextRow> rows{};
    std::string caption{};
};
/// Of units by row one that most rows share stands in the table's caption or, where it has none, in the section's
/// title; sections without rows are left out.
GridTexts texts_of(const Grid&);
/// As lines of a terminal, each ending in '\n'. Rows of instructions alone, which are wide, stand below the others.
std::string grid_text(const Grid&, std::size_t width);
/// How many times each number is that of the same section and place in another grid; `alike`: each column's of that
/// grid. What either lacks is not measured; of a range its middle counts.
Grid ratios(const Grid&, const Grid& other, const std::vector<std::optional<std::size_t>>& alike);
/// A column of each of several tables as a table of that one column: of each number the median, and if they differ the
/// least and the greatest as its range. Rows of all of them.
Grid medians(const std::vector<std::pair<Grid, std::size_t>>& columns);
/// Several tables of one shape as one: of each number the median, and beside it what lies between the least and the
/// greatest as a share of that; of ranges the least and the greatest. Tables of another shape than the first are left
/// out.
Grid spreads(const std::vector<Grid>& grids);
/// The first columns of two tables beside each other, and how many times the first one's number the second one's is.
/// Rows of both in which either has a number.
Grid side_by_side(const Grid& first, const Grid& second);
/// {"value", "unit", "low", "high", "quartiles", "derived"}, in units without prefix.
Json quantity_json(const Quantity&);
/// {"type": "table", "name", "caption", "columns", "rows": [{"section", "place", "cells": [{"value", "unit", "low",
/// "high", "quartiles", "derived", "beside"} or {"instructions"} or {"lack"}]}]}, in units without prefix; "caption",
/// "low" and what follows only where there is one, and "high" null where it is infinite.
Json to_json(const Grid&);

/// Columns of grid_csv, as its first line.
std::string grid_csv_head();
/// A line for each cell that has a place to stand (RFC 4180, but lines end in '\n'), numbers in units without prefix.
/// `subject`: what all is about, the first field: "NVIDIA H200".
std::string grid_csv(const Grid&, std::string_view subject);

} // namespace sonde
