// Readers of tools that write lines of text: a tool is a table of the shapes of its lines, and what each means.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/imported_file.h"

namespace sonde {

/// What a line is. value: a figure or a point. objection: a figure that no series of ours answers. heading, subheading:
/// what the lines behind it are about; a heading ends the subheading. device: begins one, and `...` is its name.
/// restart: of the next device nothing is known yet. clock: its last number is in MHz. note: nothing to read.
enum class Means { value, objection, heading, subheading, device, driver, cores, api, restart, clock, note };

/// A line as words without case, which blanks and | : = , ; ( ) [ ] " % separate. In `words` and `under` stands for a
/// word: # the value, @ its place on the axis, ~ another number, ? any; ... for any number of words, and each other
/// word for itself. The first shape that fits a line is what it means; of values all that fit.
struct LineShape {
    Means means = Means::value;
    std::string words;
    std::string under{}; // heading and subheading before the line, as words; "": any
    ImportedQuestion question{};
    std::string level{};                 // PublishedFigure::level, of a value without a place
    double factor = 1, place_factor = 1; // makes the units those of the probe
    bool per_clock = false;              // the value is of a cycle, and becomes one of a nanosecond
    bool of_highest = false;             // the place becomes percent of the highest one
    std::string objection{};
};

struct LineTool {
    std::string name;
    std::vector<std::string> known_by; // lines that no other tool writes
    std::string api;                   // where no line tells it
    const char* kind;                  // of a card that no line names: "GPU"
    std::vector<LineShape> shapes;
};

/// nullopt: the text is not the tool's. Lines that have no shape are counted.
std::optional<ImportedFile> read_lines(const LineTool& tool, const ImportSource& source);

/// The tools that are read so.
std::span<const LineTool> line_tools();

} // namespace sonde
