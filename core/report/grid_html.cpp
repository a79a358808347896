#include "core/report/grid_html.h"

#include "core/report/html.h"

namespace sonde {

std::string grid_html(const Grid& grid, const std::string& name) {
    if (grid.empty()) return "";
    const GridTexts texts = texts_of(grid);
    const std::string caption = texts.caption.empty() ? "" : "<caption>" + escaped(texts.caption) + "</caption>\n";
    std::string head, body;
    for (const std::string& text : texts.header) head += "<th scope=\"col\">" + escaped(text) + "</th>";
    for (const TextRow& row : texts.rows) {
        if (row.size() == 1) {
            body += fmt::format("<tr class=\"section\"><th scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>\n",
                texts.header.size(), escaped(row[0]));
            continue;
        }
        body += "<tr><th scope=\"row\">" + escaped(row[0]) + "</th>";
        for (std::size_t i = 1; i < row.size(); ++i) body += "<td>" + escaped(row[i]) + "</td>";
        body += "</tr>\n";
    }
    return fmt::format(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"figures\">\n{}"
        "<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
        escaped(name), caption, head, body);
}

} // namespace sonde
