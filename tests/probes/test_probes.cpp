// What the quick profile takes: paths and variants that its probes have, and of each probe something.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/probes/probe.h"

using namespace sonde;

TEST_CASE("the quick selection names paths that its probe has, and no more variants than there are") {
    for (const Probe* probe : all_probes()) {
        CAPTURE(std::string(probe->name));
        CHECK(probe->quick.variants <= probe->variants.size());
        for (const std::string_view path : probe->quick.paths) {
            CAPTURE(std::string(path));
            CHECK(std::find(probe->paths.begin(), probe->paths.end(), path) != probe->paths.end());
        }
    }
}
