// import, as typed.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/command.h"
#include "tests/places.h"
#include "tests/schema_file.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

TEST_CASE("what import writes is valid") {
    const Folder folder;
    for (const auto& entry : fs::directory_iterator(fs::path(places::source) / "tests/analysis/tools")) {
        if (entry.path().extension() == ".md") continue;
        CAPTURE(entry.path().string());
        const std::string file = folder.file(entry.path().stem().string() + ".jsonl");
        CHECK(sonde_run(fmt::format("import '{}' --out {}", entry.path().string(), file)).code == 0);
        CHECK(schema_complaint(file) == "");
    }
}
