// Reads the files, fills the page, writes it.
#include "core/cli/report_command.h"

#include <fstream>
#include <iostream>
#include <ostream>
#include <random>
#include <sstream>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/report/overlay.h"
#include "core/report/page.h"

namespace sonde {

namespace {
constexpr std::uintmax_t kLargestFile = 256u << 20; // the page holds it, and a browser unpacks it

std::string text_of(const std::filesystem::path& path) {
    std::error_code error;
    std::stringstream text;
    if (path == "-") {
        text << std::cin.rdbuf();
        return text.str();
    }
    if (const std::uintmax_t bytes = std::filesystem::file_size(path, error); !error && bytes > kLargestFile)
        throw UsageError(fmt::format("{}: {} is more than a page can hold ({})", path.string(), format_bytes(static_cast<double>(bytes)),
                                     format_bytes(static_cast<double>(kLargestFile))));
    std::ifstream in(path, std::ios::binary);
    text << in.rdbuf();
    return text.str();
}

/// What a results file from a stranger cannot know, so that no text of it can name itself a script of this page.
std::string fresh_nonce() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

constexpr std::string_view kMark = "<meta name=\"generator\" content=\"Sonde\">"; // of report/page.html
} // namespace

int report_command(const ReportOptions& options, std::ostream& out, std::ostream& errors) {
    std::vector<PageFile> files;
    std::vector<Run> runs;
    for (const std::filesystem::path& path : options.files) {
        std::string text = text_of(path);
        std::istringstream lines(path == "-" ? text : "");
        runs.push_back(path == "-" ? read_run(lines, "standard input") : read_run(path));
        files.push_back({path.filename().string(), std::move(text)});
        for (const std::string& warning : runs.back().warnings) errors << printable(warning) << "\n";
    }
    const Json published = options.published.empty() ? Json::array() : overlay_of(cards_of(runs), select_published(published_figures(), options.published));
    const std::string html = page_html(files, runs, fresh_nonce(), published);
    write_own_file(options.out, html, kMark);
    if (options.out == "-") return 0;
    std::size_t series = 0;
    for (const Run& run : runs) series += run.series.size();
    out << fmt::format("{}: {} series of {} run{}, {}\n", options.out.string(), series, runs.size(), runs.size() == 1 ? "" : "s",
                       format_si(static_cast<double>(html.size()), "B"));
    return 0;
}

} // namespace sonde
