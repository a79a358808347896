// carveout: what a workgroup's scratchpad leaves of a modelled L1.
#include <doctest/doctest.h>

#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("what a workgroup's scratchpad leaves of a modelled L1") {
    CardModel card = small_card("GTX 980 Ti");
    card.caches[0].bytes = 128 << 10;
    card.caches[0].ways = 16;
    card.caches[1].bytes = 2 << 20;
    card.scratchpad_from_first = true;
    const auto device = model_device(card, 9);
    for (const char* bytes : {"0", "48KiB"}) {
        const Series series = measured(*device, "carveout", "global", "quick", 4, {{"scratchpad", bytes}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        const auto findings = find_probe("carveout")->findings(series, device->info());
        REQUIRE(findings.size() == 1);
        const double held = series.evidence.scratchpad_bytes.value();
        CHECK(held == (*bytes == '0' ? 0 : 48 * 1024));
        CHECK(findings[0].capacity_bytes->first <= (128 << 10) - held);
        CHECK(*findings[0].capacity_bytes->second >= 0.9 * ((128 << 10) - held));
    }
}
