// Options that several probes share, as text.
#include <string>

#include <doctest/doctest.h>

#include "core/data/shared_options.h"

using namespace sonde;

TEST_CASE("launch shapes are read from text, or refused") {
    CHECK(option::parse_shape("4x512x4") == LaunchShape{4, 512, 4});
    CHECK(option::parse_shape("2x1x256") == LaunchShape{2, 1, 256});
    CHECK(option::parse_shape("8x1024x1")->text() == "8x1024x1");
    for (const char* text :
        {"", "4", "4x512", "4x512x", "x512x4", "4x512x4x", "4x512x4 ", " 4x512x4", "4X512X4", "0x512x4", "4x0x4",
            "4x512x0", "3x512x4", "1x512x4", "16x64x4", "4x1025x1", "4x512x257", "-4x512x4", "4x512x99999999999"}) {
        CAPTURE(std::string(text));
        CHECK(!option::parse_shape(text));
    }
}
