// Reads the files, fills the page, writes it.
#include "core/cli/commands.h"

#include <algorithm>
#include <functional>
#include <ostream>
#include <random>
#include <span>
#include <sstream>

#include <fmt/format.h>

#include "core/analysis/card_view.h"
#include "core/analysis/imported.h"
#include "core/analysis/published.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/copies.h"
#include "core/cli/file_progress.h"
#include "core/report/page.h"

namespace sonde {

namespace {
constexpr std::uintmax_t kLargestFile = 256u << 20; // the page holds it, and a browser unpacks it

std::string text_of(std::istream& in, const std::filesystem::path& path) {
    std::string text, part(64 << 10, '\0');
    while (in.read(part.data(), static_cast<std::streamsize>(part.size())), in.gcount() > 0) {
        text.append(part, 0, static_cast<std::size_t>(in.gcount()));
        if (text.size() > kLargestFile)
            throw UsageError(
                fmt::format("{}: more than a page can hold ({})", path.string(), format_bytes(kLargestFile)));
    }
    if (!damage_of(in).empty()) text.resize(text.rfind('\n') + 1); // nothing where there is none
    return text;
}

/// What a results file from a stranger cannot know, so that no text of it can name itself a script of this page.
std::string fresh_nonce() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

/// The runs of a file, each with its own lines, unpacked, as the page offers them.
void add_file(const std::filesystem::path& path, const ImportAs& as, std::vector<PageFile>& files,
    std::vector<Run>& runs, Copies& whole, Copies& copies, std::ostream& errors) {
    const auto in = open_to_read(path);
    std::string text = text_of(*in, path), name = (path.extension() == ".gz" ? path.stem() : path.filename()).string();
    if (std::string lines = import_text(text, path.string(), as); !lines.empty())
        text = std::move(lines), name = std::filesystem::path(name).replace_extension(".jsonl").string();
    if (!whole.add(text, path.string())) return;
    std::istringstream lines(text);
    const std::string shown = path == "-" ? "standard input" : path.string(), damage = damage_of(*in);
    if (!damage.empty() && text.empty()) throw UsageError(damage_text(shown, damage, 0));
    std::vector<Run> here = read_runs(lines, shown, importer(as));
    if (!damage.empty())
        here.back().warnings.push_back(
            damage_text(shown, damage, static_cast<std::size_t>(std::ranges::count(text, '\n'))));
    std::size_t begin = 0, line = 1;
    for (std::size_t i = 0; i < here.size(); ++i) {
        std::size_t end = begin;
        for (; i + 1 < here.size() && line < here[i + 1].first_line; ++line) end = text.find('\n', end) + 1;
        if (i + 1 == here.size()) end = text.size();
        files.push_back({here.size() == 1 ? name : fmt::format("{}-{}", i + 1, name), text.substr(begin, end - begin)});
        begin = end;
        if (!copies.add(files.back().text, shown)) {
            files.pop_back();
            continue;
        }
        for (const std::string& warning : here[i].warnings) errors << error_lines(printable(warning));
        runs.push_back(std::move(here[i]));
    }
}

/// Here, with the name of the first file.
std::filesystem::path page_of(const std::filesystem::path& first) {
    if (first == "-") return first;
    if (published_words(first.string())) return "published.html";
    std::filesystem::path page = first.filename();
    if (page.extension() == ".gz") page = page.stem();
    return page.replace_extension(".html");
}

constexpr std::string_view kMark = "<meta name=\"generator\" content=\"Sonde\">"; // of report/page.html
} // namespace

int report_command(const ReportOptions& options, std::ostream& out, std::ostream& errors) {
    std::vector<PageFile> files;
    std::vector<Run> runs;
    std::vector<PublishedFigure> published;
    const auto add_published = [&](const std::string& words) {
        const std::vector<PublishedFigure> more = select_published(published_figures(), words);
        published.insert(published.end(), more.begin(), more.end());
    };
    if (!options.published.empty()) add_published(options.published);
    Copies whole, copies; // of files and, among those of several runs, of runs
    FileProgress progress(errors, options.files.size());
    for (const std::filesystem::path& path : options.files) {
        progress.next(path.string());
        if (const auto words = published_words(path.string())) {
            add_published(*words);
            continue;
        }
        add_file(path, options.as, files, runs, whole, copies, errors);
    }
    for (const Copies* each : {&whole, &copies})
        if (const std::string text = each->text(); !text.empty()) errors << error_lines(printable(text));
    for (const Run& run : runs)
        for (const DeviceRecord& device : run.devices) {
            const std::vector<PublishedFigure> figures = imported_figures(run, device);
            published.insert(published.end(), figures.begin(), figures.end());
        }
    const std::filesystem::path page = options.out.empty() ? page_of(options.files[0]) : options.out;
    std::vector<std::string> names;
    names.reserve(options.files.size());
    for (const std::filesystem::path& path : options.files) names.push_back(path.string());
    check_choice(options.series, pointers_to(runs), fmt::format("{}", fmt::join(names, ", ")));
    std::vector<Card> cards = cards_of(runs);
    leave_out(cards, options.series, runs);
    const std::string html = page_html(files, runs, cards, fresh_nonce(), published);
    write_own_file(page, html, kMark);
    if (page == "-") return 0;
    std::size_t series = 0;
    for (const Card& card : cards) series += card.curves.size();
    out << fmt::format("{}: {} series of {} run{}{}, {}\n", printable(page.string()), series, runs.size(),
        runs.size() == 1 ? "" : "s",
        published.empty() ? ""
                          : fmt::format(", {} {}figures", published.size(),
                                std::none_of(published.begin(), published.end(),
                                    [](const PublishedFigure& figure) { return figure.measured; })
                                    ? "published "
                                    : ""),
        format_si(static_cast<double>(html.size()), "B"));
    return 0;
}

} // namespace sonde
