// Curves in a terminal.
#include <string>

#include <doctest/doctest.h>

#include "core/base/text.h"
#include "core/cli/plot.h"

using namespace sonde;

namespace {
/// Rows of the plot in which the curve has a point.
std::size_t rows_of(const std::vector<std::pair<double, double>>& points) {
    const std::string plot = plot_log_log({{'c', "cuda:0", points}}, "bytes", "ns", 80);
    std::size_t rows = 0;
    for (const std::string& line : split(plot, '\n')) {
        if (line.size() < 10 || (line[9] != '|' && line[9] != '+') || line.find("--") != line.npos) continue;
        rows += line.find('c', 10) != line.npos;
    }
    return rows;
}
} // namespace

TEST_CASE("a flat curve is flat: what scatters by little has one row, or two") {
    std::vector<std::pair<double, double>> flat, steep;
    for (int k = 0; k < 12; ++k) {
        flat.emplace_back(4096 << k, 32900.0 + (k % 3) * 150);
        steep.emplace_back(4096 << k, k < 6 ? 20.0 : 300.0);
    }
    CHECK(rows_of(flat) <= 2);
    CHECK(rows_of(steep) == 2);
    CHECK(rows_of({{4096, 10}, {8192, 20}, {16384, 40}, {32768, 80}}) == 4);
}
