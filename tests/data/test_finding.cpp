// How a finding is worded.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

TEST_CASE("an end known to 10 % is one number, else the range") {
    Finding level{.capacity_bytes = std::pair{208 * kKiB, 223 * kKiB}};
    CHECK(edge_text(level) == "~215 KiB");
    level.confidence = 0.3;
    CHECK_FALSE(level.is_sure());
    level.edge_bytes = std::pair{24 * kMiB, 31 * kMiB};
    CHECK(level.is_sure()); // several curves show it, and only its end is in doubt
    CHECK(edge_text(level) == "24-31 MiB");
    CHECK(capacity_text(level) == "24-31 MiB");
}

TEST_CASE("a level that ends in a gradual rise says so, and not that the sweep ended") {
    Finding level{.capacity_bytes = std::pair{4096.0, std::optional<double>{}}};
    const std::string end = capacity_text(level);
    level.rises_to_bytes = 65536;
    CHECK(capacity_text(level) != end);
    CHECK(capacity_text(level).find("64 KiB") != std::string::npos);
}
