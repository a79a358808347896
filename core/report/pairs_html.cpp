#include "core/report/pairs_html.h"

#include <fmt/format.h>

#include "core/report/grid_html.h"
#include "core/report/html.h"

namespace sonde {

std::string pairs_html(const CardPairs& pairs) {
    std::string html = fmt::format("<h3>Between the cards, {}</h3>\n", escaped(pairs.api));
    for (const SlowPair& slow : pairs.slow)
        html += fmt::format("<p class=\"warning\">Slow pair: {}</p>\n", escaped(text_of(slow)));
    for (const LinkKind& kind : pairs.links) html += fmt::format("<p class=\"note\">{}</p>\n", escaped(text_of(kind)));
    html += "<div class=\"tables\">" + grid_html(pairs.grid, "CardPairs of cards") +
            grid_html(pairs.together, "All cards together") + "</div>\n";
    return html;
}

} // namespace sonde
