// Rules of copies: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kCopiesCases{
    {"copies_by_address",
        "pageable memory to-device through a:0, 1 MiB per transfer: 4 GB/s at odd addresses and 8 GB/s at multiples of "
        "4 KiB; cause unknown.",
        [](MadeUp& card) { card.aligned("a:0", "1", 4), card.aligned("a:0", "4096", 8); },
        [](MadeUp& card) { card.aligned("a:0", "1", 7), card.aligned("a:0", "4096", 8), card.aligned("b:0", "1", 2); }},
    {"copies_by_address", "1 MiB per transfer: 4 GB/s at odd addresses",
        [](MadeUp& card) { card.aligned("a:0", "1", 4), card.aligned("a:0", "4096", 8); },
        [](MadeUp& card) {
            card.aligned("a:0", "1", 8, 0.0014), card.aligned("a:0", "4096", 8, 0.0024);
        }}, // a few bytes: the overhead of a copy
    {"transfers_take_turns",
        "gain little through b:0: at 64 MiB per transfer 50 GB/s to the device, 53 GB/s to the host and 59 GB/s both "
        "ways together (11 % more than the faster one). Both ways together: through a:0 101 GB/s at 64 MiB",
        [](MadeUp& card) { card.copies("a:0", 55, 55, 101), card.copies("b:0", 50, 53, 59); },
        [](MadeUp& card) { card.copies("a:0", 55, 55, 101), card.copies("b:0", 50, 53, 75); }},
    {"transfers_take_turns", "The largest copies both ways at once gain little",
        [](MadeUp& card) { card.copies("a:0", 55, 55, 55); },
        [](MadeUp& card) {
            card.device("a:0").cpu = true, card.copies("a:0", 10, 10, 10);
        }}, // a processor copies to itself
    {"copies_from_cache",
        "Copies to-device through a:0 reach 80 GB/s at 4 MiB per transfer, above the host link's 63 GB/s, but 50 GB/s "
        "at 64 MiB: not all of it crossed the link in that time; cause unknown.",
        [](MadeUp& card) {
            card.device("a:0").host_link_bytes_per_second = 63e9,
            card.curve("transfer", "a:0", "host",
                {{"engine", "copy"}, {"memory", "pinned"}, {"direction", "to-device"}},
                {{4096, 2}, {4 << 20, 80}, {64 << 20, 50}});
        },
        [](MadeUp& card) {
            card.curve("transfer", "a:0", "host",
                {{"engine", "copy"}, {"memory", "pinned"}, {"direction", "to-device"}},
                {{4096, 2}, {4 << 20, 58}, {64 << 20, 50}});
        }},
    {"copies_from_cache",
        "Stores to host memory through a:0 reach 69.3 GB/s at 2 MiB, above the host link's 63 GB/s, but 52.7 GB/s at "
        "64 MiB: not all of it crossed the link in that time; cause unknown.",
        [](MadeUp& card) {
            card.device("a:0").host_link_bytes_per_second = 63e9,
            card.curve("stream", "a:0", "host", {{"operation", "fill"}}, {{2 << 20, 69.3}, {64 << 20, 52.7}})
                .evidence.unit_of_work = "bytes written";
        },
        [](MadeUp& card) {
            card.device("a:0").host_link_bytes_per_second = 63e9,
            card.curve("stream", "a:0", "host", {{"operation", "copy"}}, {{2 << 20, 109}, {64 << 20, 84}})
                .evidence.unit_of_work = "bytes read and bytes written, both counted";
        }},
    {"copies_from_cache",
        "Transfers through a:0 exceed the host link's 63 GB/s, so not all of it crossed the link; cause unknown. 600 "
        "GB/s with direction=to-device engine=kernel memory=pinned.",
        [](MadeUp& card) {
            card.device("a:0").host_link_bytes_per_second = 63e9,
            card.curve("transfer", "a:0", "host",
                {{"engine", "kernel"}, {"memory", "pinned"}, {"direction", "to-device"}}, {{4096, 2}, {64 << 20, 600}});
        },
        [](MadeUp& card) {
            card.device("a:0").host_link_bytes_per_second = 63e9,
            card.curve("transfer", "a:0", "host", {{"engine", "kernel"}, {"memory", "pinned"}, {"direction", "both"}},
                {{4096, 2}, {64 << 20, 100}});
        }},
    {"copies_on_device",
        "Copies within the device, 64 MiB: 2.00 TB/s through a:0, 80.0 GB/s through b:0, 25 times apart.",
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 2000}, {"b:0", 80}})
                card.curve("transfer", id, "host", {{"direction", "on-device"}, {"engine", "copy"}},
                    {{4096, 2}, {64 << 20, double(rate)}});
        },
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 2000}, {"b:0", 1950}})
                card.curve("transfer", id, "host", {{"direction", "on-device"}, {"engine", "copy"}},
                    {{4096, 2}, {64 << 20, double(rate)}});
        }},
};
} // namespace

TEST_CASE("rules of copies: each speaks where it must and is silent where it must") { kCopiesCases.check(); }
