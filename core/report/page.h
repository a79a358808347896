// The page of `sonde report`: what the runs say as JSON, and the HTML that carries it, the runs themselves and the
// script that draws.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/analysis/card_view.h"
#include "core/analysis/published.h"
#include "core/data/results.h"

namespace sonde {

/// A results file as it goes into the page.
struct PageFile {
    std::string name; // without its folder
    std::string text; // as it is on the disk, for the curves and the download
};

/// What the scripts draw from: cards with their matrix, levels and series; runs with their headers; what is known of
/// each probe; `colours` of devices; `published`: marks beside the curves (overlay_of), which may be none. The points
/// of the series are in the files' own text. `runs`: what was read of each file; `cards`: of these runs, with the
/// curves that are shown.
Json page_data(std::span<const PageFile> files, std::span<const Run> runs, std::span<const Card> cards,
    const Json& published = Json::array());

/// JSON for a <script> element: ASCII, and no character in it that HTML knows.
std::string script_json(const Json& data);

/// `nonce`: names the scripts and the style that the page's policy lets run.
/// `published`: figures laid over the curves, and in a table.
std::string page_html(std::span<const PageFile> files, std::span<const Run> runs, std::span<const Card> cards,
    const std::string& nonce, const std::vector<PublishedFigure>& published = {});

} // namespace sonde
