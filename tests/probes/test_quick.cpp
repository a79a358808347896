// What the quick profile takes: paths and variants that its probes have, and of each probe something.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/probes/probes.h"
#include "core/probes/quick.h"

using namespace sonde;

TEST_CASE("the quick selection names paths that its probe has, and no more variants than there are") {
    int brief_probes = 0;
    for (const Probe& probe : all_probes()) {
        CAPTURE(std::string(probe.name));
        const Brief* brief = brief_of(probe.name);
        if (!brief) continue;
        ++brief_probes;
        CHECK(brief->probe == probe.name);
        CHECK(brief->variants <= probe.variants.size());
        for (const std::string_view path : brief->paths) {
            CAPTURE(std::string(path));
            CHECK(std::find(probe.paths.begin(), probe.paths.end(), path) != probe.paths.end());
        }
        CHECK((!brief->paths.empty() || brief->variants > 0 || probe.paths.size() == 1)); // else it is no selection
    }
    CHECK(brief_probes > 0);
    CHECK(brief_of("no such probe") == nullptr);
}
