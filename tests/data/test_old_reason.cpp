// Sentences of results that were written before endings and doubts were facts.
#include <doctest/doctest.h>

#include "core/base/json.h"
#include "core/data/series.h"

using namespace sonde;

namespace {
/// As a file of that time has it, read.
Series read_with(const std::string& reason, Status status, const AxisText& axis) {
    Series old{.id = {"latency", "a:0", "global", {}}, .status = status, .x = axis, .unit = "ns"};
    Json line = old;
    line["reason"] = reason;
    return line.get<Series>();
}
const AxisText kOfFootprints{"footprint", "bytes"}, kOfSubgroups{"subgroups per core", ""};
} // namespace

TEST_CASE("endings of old results: what ended the series, where, and after how many repetitions; the text stays") {
    struct Row {
        const char* reason;
        AxisText axis;
        Ending is;
    };
    const Row rows[] = {
        {"ends at 4 GiB: maxMemoryAllocationSize", kOfFootprints, {.by = EndedBy::reach, .bytes = 4ull << 30}},
        {"ends at 44 GiB: half of the device's memory", kOfFootprints, {.by = EndedBy::memory, .bytes = 44ull << 30}},
        {"ends at 1 MiB: no core's L1 is larger", kOfFootprints, {.by = EndedBy::choice, .bytes = 1 << 20}},
        {"ends before 48 KiB: clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES", kOfFootprints,
            {.by = EndedBy::device, .before = 48 << 10}},
        {"ends before subgroups per core 24: 3168 workgroups of 32 work-items; 2 more", kOfSubgroups,
            {.by = EndedBy::device, .before = 24}},
        {"ends before 1.5 MiB: the time budget was over", kOfFootprints, {.by = EndedBy::time, .before = 3 << 19}},
        {"2 of 3 blocks, the next ends before subgroups per core 8: the time budget was over", kOfSubgroups,
            {.by = EndedBy::time, .before = 8, .done = 2, .of = 3}},
        {"ends after 3 of 8 turns: the time budget was over", kOfSubgroups, {.by = EndedBy::time, .done = 3, .of = 8}},
        {"the time budget was over", kOfFootprints, {.by = EndedBy::time}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        const Series series = read_with(row.reason, Status::ok, row.axis);
        REQUIRE(series.ending);
        CHECK(series.ending->by == row.is.by);
        CHECK(series.ending->bytes == row.is.bytes);
        CHECK(series.ending->before == row.is.before);
        CHECK(series.ending->done == row.is.done);
        CHECK(series.ending->of == row.is.of);
        CHECK(series.doubts.empty());
        CHECK(reason_text(series) == row.reason);
    }
}

TEST_CASE("doubts of old results, before an ending; what is none of them stays as it was said") {
    const Series series =
        read_with("the core ran at 1500 MHz, below 90 % of the 1980 MHz seen on this card; something "
                  "else; the control measurement beside it took 20.5 ns a load over 4 KiB, usually 17 "
                  "ns in this run: consistent with another process or a lower clock; ends before 2 "
                  "KiB: the time budget was over",
            Status::unstable, kOfFootprints);
    REQUIRE(series.doubts.size() == 2);
    CHECK(series.doubts[0].kind == DoubtKind::low_clock);
    CHECK(series.doubts[0].measured == 1500);
    CHECK(series.doubts[0].usual == 1980);
    CHECK(series.doubts[1].kind == DoubtKind::control);
    CHECK(series.doubts[1].measured == 20.5);
    CHECK(series.doubts[1].usual == 17);
    CHECK(series.doubts[1].bytes == 4096);
    REQUIRE(series.ending);
    CHECK(series.ending->by == EndedBy::time);
    CHECK(series.reason == "something else");
}

TEST_CASE("what a driver refused is no ending, whatever its words") {
    const char* refused = "ends before 4 KiB: the time budget was over";
    for (const Status status : {Status::failed, Status::unsupported}) {
        const Series series = read_with(refused, status, kOfFootprints);
        CHECK_FALSE(series.ending);
        CHECK(series.reason == refused);
    }
}
