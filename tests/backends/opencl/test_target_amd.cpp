// What clang is asked to compile for AMD's chips.
#include <doctest/doctest.h>

#include "backends/opencl/target.h"
#include "tests/required.h"

using namespace sonde;

TEST_CASE("AMD's chips have arithmetic on f16 from the eighth generation on") {
    struct Row {
        const char* chip;
        bool has;
    };
    for (const Row& row : {Row{"hawaii", false}, {"fiji", true}, {"gfx900", true}}) {
        CAPTURE(row.chip);
        const Opened opened = opencl::open_amd_chip(row.chip);
        if (opened.devices.empty()) return skip(opened.absent);
        CHECK(opened.devices.front()->why_lacking(Feature::float16, false).has_value() == !row.has);
    }
}
