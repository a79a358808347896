// banks: those of a modelled scratchpad.
#include <string>

#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("banks of a modelled scratchpad") {
    struct Row {
        std::uint32_t bank_bytes;
        const char* width;
        double banks, width_of_one, passes = 1;
    };
    for (const Row& row : {Row{4, "4", 32, 4}, {8, "4", 32, 8}, {8, "8", 32, 8}, {4, "16", 32, 4, 4}}) {
        CAPTURE(row.bank_bytes);
        CAPTURE(std::string(row.width));
        CardModel card = model_card("GTX 680");
        card.bank_bytes = row.bank_bytes;
        card.noise = 0.003;
        const auto device = model_device(card, 3);
        const Series series = measured(*device, "banks", "scratchpad", "quick", 5, {{"width", row.width}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        const auto found = findings_of(series);
        REQUIRE(found.size() == 1);
        CHECK(*found[0].value == row.banks);
        CHECK(number_at(found[0], "width of a bank") == row.width_of_one);
        CHECK(has_row(found[0], "passes at stride 1") == (row.passes > 1));
        if (row.passes > 1) CHECK(number_at(found[0], "passes at stride 1") == row.passes);
    }
}
