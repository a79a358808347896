// The reader of curve files: another tool's, known by its text, or a table.
#include "core/analysis/curve_file.h"

#include <algorithm>
#include <array>
#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/curve_table.h"
#include "core/analysis/curve_text.h"
#include "core/analysis/curve_tools.h"
#include "core/base/broken_json.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace sonde {

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kFewest = 3; // sizes of a curve

std::string content_of(std::istream& in, const std::string& name) {
    std::string content;
    std::array<char, 65536> piece;
    while (in.read(piece.data(), piece.size()), in.gcount() > 0) {
        content.append(piece.data(), static_cast<std::size_t>(in.gcount()));
        if (content.size() > kMostBytes)
            throw UsageError(fmt::format("{}: more than {} MiB; a curve is smaller", name, kMostBytes >> 20));
    }
    if (const std::string damage = damage_of(in); !damage.empty())
        throw UsageError(fmt::format("{}: {}; copy the file anew", name, damage));
    return content;
}

/// A choice of columns asks for a table.
std::vector<FileCurve> curves_of(std::string_view content, const std::string& name, const CurveFormat& format) {
    if (format.x.empty() && format.y.empty())
        if (std::vector<FileCurve> curves = curves_of_tool(content, name); !curves.empty()) return curves;
    if (is_broken_document(content))
        throw UsageError(fmt::format("{}: {}", name, broken_json_text(with_words_for_numbers(content))));
    if (trimmed(content, " \t\r\n").starts_with('{'))
        throw UsageError(fmt::format(
            "{}: JSON that is not MT4G's; a results file of Sonde's own is read by sonde show and sonde diagnose",
            name));
    return {read_table(lines_of(content, name), format)};
}

} // namespace

double bytes_in(std::string_view unit) {
    if (const auto bytes = find_size_unit(unit)) return *bytes;
    throw UsageError(
        fmt::format("'{}' is no unit of size; use B, KB, KiB, MB, MiB, GB or GiB", text_for_message(unit)));
}

std::vector<FileCurve> read_curves(std::istream& in, const std::string& name, const CurveFormat& format) {
    if (!format.size_unit.empty()) bytes_in(format.size_unit);
    if (!format.latency_unit.empty() && !find_latency_unit(format.latency_unit))
        throw UsageError(
            fmt::format("'{}' is no unit of latency; use ns, us, ms or cycles", text_for_message(format.latency_unit)));
    std::vector<FileCurve> curves = curves_of(plain_text(content_of(in, name)), name, format);
    std::vector<std::string> left_out = curves.front().left_out;
    const auto too_short = [](const FileCurve& curve) { return curve.levels.empty() && curve.points.size() < kFewest; };
    for (FileCurve& curve : curves) {
        curve.points = merge_points(curve.points);
        if (too_short(curve))
            left_out.push_back(fmt::format("{}{}{} size{}; a curve needs at least {}", curve.name,
                curve.name.empty() ? "" : ": ", curve.points.size(), curve.points.size() == 1 ? "" : "s", kFewest));
    }
    if (std::ranges::all_of(curves, too_short))
        throw UsageError(fmt::format("{}: {}", name, fmt::join(left_out, "; ")));
    std::erase_if(curves, too_short);
    curves.front().left_out = std::move(left_out);
    return curves;
}

std::vector<FileCurve> read_curve_file(const std::string& path, const CurveFormat& format) {
    return read_curves(*open_to_read(path, "a file of curves"), path == "-" ? "stdin" : path, format);
}

} // namespace sonde
