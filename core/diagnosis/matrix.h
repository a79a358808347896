// The matrix level x (API, path) of one card: which level each curve reached.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/analysis/card_view.h"

namespace sonde {

enum class Reached {
    reached,     // `level` holds its latency and capacity
    passed_by,   // the curve is flat across the footprint at which the level ends elsewhere
    blurred,     // the curve reaches a nearer and a farther level, and shows no plateau between them: it rises there
    unsure,      // of a processor: the curve has a step there that is not sure
    not_covered, // the curve does not tell, or ends before
    unsupported, // the API has no such path; the series' reason says why
    failed,
    scattered,   // of a processor, and no statement uses it
    not_measured // no series of this path and device
};
const char* to_text(Reached);

struct MatrixCell {
    Reached reach = Reached::not_measured;
    const Finding* level = nullptr; // where reached
    const Curve* curve = nullptr;   // where there is one
};

struct MatrixRow {
    std::string path;
    Options options;
    LevelName level;               // none: that of no curve is known
    std::vector<MatrixCell> cells; // one per column
};

struct Matrix {
    std::vector<const DeviceRecord*> devices; // the columns: those with a latency series
    std::vector<MatrixRow> rows;              // in the order of paths, nearest level first
};

Matrix matrix_of(const Card&);
/// Whether the curve has levels on both sides of one that it neither shows nor passes by.
bool lies_between(const Card&, const Curve&, const LevelName&);

} // namespace sonde
