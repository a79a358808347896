// The command `import`: another tool's file as a results file.
#include "core/cli/commands.h"

#include <algorithm>
#include <ostream>
#include <sstream>

#include <fmt/format.h>

#include "core/analysis/imported.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/terminal.h"
#include "core/base/text.h"

namespace sonde {

namespace {
std::string text_to_import(const std::filesystem::path& path) {
    const auto in = open_to_read(path, "a file that another tool wrote");
    std::string text;
    if (!read_rest(*in, text, kLargestImport))
        throw UsageError(
            fmt::format("{}: larger than {} MiB, which no tool's output is", path.string(), kLargestImport >> 20));
    if (const std::string damage = damage_of(*in); !damage.empty())
        throw UsageError(fmt::format("{}: {}; copy the file anew", path.string(), damage));
    return text;
}

std::filesystem::path results_name(const std::filesystem::path& file) {
    if (file == "-") return "imported.jsonl";
    return (file.extension() == ".gz" ? file.stem() : file.filename()).replace_extension(".jsonl");
}
} // namespace

int import_command(const ImportOptions& options, std::ostream& out, std::ostream& errors) {
    const std::string name = options.file == "-" ? "standard input" : options.file.string(),
                      text = text_to_import(options.file);
    if (begins_run(std::string_view(text).substr(0, text.find('\n'))))
        throw UsageError(fmt::format("{}: a results file of Sonde already", name));
    const std::string lines = import_results(text, name, options.as);
    if (lines.empty()) throw UsageError(unknown_file_text(name));
    const std::filesystem::path file = options.out.empty() ? results_name(options.file) : options.out;
    Journal journal(file);
    std::istringstream in(lines);
    const Run run = read_run(in, name);
    std::vector<Json> objects;
    for (const std::string& line : split(lines, '\n'))
        if (!line.empty()) objects.push_back(read_json(line));
    journal.append_together(objects);
    for (const std::string& warning : run.warnings) errors << error_lines(printable(warning));
    std::size_t points = 0;
    for (const Series& series : run.series) points += series.points.size();
    const auto figures = std::count_if(run.findings.begin(), run.findings.end(),
        [](const Json& finding) { return text_field(finding, "kind") == "figure"; });
    const std::string said = fmt::format("{}: {} series of {}: {} points, {} single values", printable(file.string()),
        run.series.size(), printable(source_text(run)), points, figures);
    if (file == "-") errors << error_lines(said);
    else out << wrapped(said, text_columns(), 4);
    return 0;
}

} // namespace sonde
