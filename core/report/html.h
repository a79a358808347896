// Text in HTML.
#pragma once
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

/// Printable text that HTML takes for nothing but text, in elements and in quoted attributes.
inline std::string escaped(std::string_view text) {
    constexpr std::string_view kMarkup = "&<>\"'";
    return rewritten(printable(text), [&](char c) {
        return kMarkup.find(c) == kMarkup.npos ? std::string(1, c) : fmt::format("&#{};", static_cast<int>(c));
    });
}

} // namespace sonde
