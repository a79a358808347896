// Implicit layers: their manifests lie beside those of drivers, and the loader opens their libraries for every program.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "backends/checks/checks.h"
#include "backends/checks/libraries.h"
#include "core/base/file.h"
#include "core/base/json.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;

/// A variable of a manifest's object, {"NAME": "VALUE"}; "": it has none.
std::string name_in(const Json& layer, const char* field) {
    return layer.contains(field) && layer[field].is_object() && !layer[field].empty() ? layer[field].begin().key() : "";
}

/// Whether programs get this layer: it waits for a variable, or one switches it off.
bool is_on(const Json& layer) {
    const std::string on = name_in(layer, "enable_environment"), off = name_in(layer, "disable_environment");
    return (on.empty() || variable(on.c_str())) && (off.empty() || !variable(off.c_str()));
}

CheckRow layer_row(const Surroundings& surroundings, const fs::path& file, const Json& layer) {
    std::string library = text_field(layer, "library_path");
    if (library.find('/') != library.npos) library = (file.parent_path() / library).lexically_normal().string();
    CheckRow row = library_row(surroundings, "vulkan layer", file.string(), library, {file.string()});
    if (row.state != CheckState::problem) return row;
    row.cause = is_absent(surroundings, "vulkan");
    if (!row.cause) row.state = CheckState::note; // the loader goes on without it
    if (const std::string off = name_in(layer, "disable_environment"); !off.empty())
        row.mend = fmt::format("export {}=1, or install the layer's program again", off);
    return row;
}
} // namespace

std::vector<CheckRow> layer_rows(const Surroundings& surroundings) {
    std::vector<CheckRow> rows;
    std::error_code none;
    for (const fs::path& folder : folders_of_loader(surroundings, "implicit_layer.d"))
        for (const auto& entry : fs::directory_iterator(folder, none)) {
            if (entry.path().extension() != ".json") continue;
            const Json manifest = read_json(text_of_file(entry.path()));
            if (!manifest.is_object()) {
                rows.push_back({"vulkan layer", entry.path().string(), CheckState::note, "not valid JSON",
                    mend_of_file({entry.path().string()})});
                continue;
            }
            Json layers =
                manifest.contains("layers") && manifest["layers"].is_array() ? manifest["layers"] : Json::array();
            if (manifest.contains("layer")) layers.push_back(manifest["layer"]);
            for (const Json& layer : layers)
                if (layer.is_object() && !text_field(layer, "library_path").empty() && is_on(layer))
                    rows.push_back(layer_row(surroundings, entry.path(), layer));
        }
    std::sort(rows.begin(), rows.end(), [](const CheckRow& a, const CheckRow& b) { return a.subject < b.subject; });
    return rows;
}

} // namespace sonde
