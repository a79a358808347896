// The table of paths.
#include "core/path.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sonde {

namespace {
constexpr std::array kPaths{
    Path{"global", Space::global, "an ordinary load from a buffer, its address differing from lane to lane"},
    Path{"local", Space::global, "a load from the workgroup's scratchpad, filled from a buffer first"},
};
} // namespace

std::span<const Path> all_paths() { return kPaths; }

const Path* find_path(std::string_view name) {
    const auto* found = std::find_if(kPaths.begin(), kPaths.end(), [&](const Path& path) { return path.name == name; });
    return found == kPaths.end() ? nullptr : &*found;
}

std::string path_define(std::string_view source, const Path& path) {
    std::string word = std::string(source) + "_" + std::string(path.name);
    for (char& c : word) c = c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return word;
}

} // namespace sonde
