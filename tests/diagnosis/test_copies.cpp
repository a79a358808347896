// Rules of copies: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kCopiesCases{
    {"copies_by_address",
        {{"odd addresses", "a:0", 4e9}, {"multiples of 4 KiB", "a:0", 8e9}, {"each copy", "a:0", 1.049e6}},
        [](MadeUp& card) { card.aligned("a:0", "1", 4), card.aligned("a:0", "4096", 8); },
        [](MadeUp& card) { card.aligned("a:0", "1", 7), card.aligned("a:0", "4096", 8), card.aligned("b:0", "1", 2); }},
    {"copies_by_address",
        {{"odd addresses", "a:0", 4e9}, {"multiples of 4 KiB", "a:0", 8e9}, {"each copy", "a:0", 1.049e6}},
        [](MadeUp& card) { card.aligned("a:0", "1", 4), card.aligned("a:0", "4096", 8); },
        [](MadeUp& card) {
            card.aligned("a:0", "1", 8, 0.0014), card.aligned("a:0", "4096", 8, 0.0024);
        }}, // a few bytes: the overhead of a copy
    {"transfers_take_turns",
        {{"both at once, times the faster way", "a:0", 1.836}, {"both at once, times the faster way", "b:0", 1.113},
            {"both at once", "a:0", 1.01e11}, {"both at once", "b:0", 5.9e10}},
        [](MadeUp& card) { card.copies("a:0", 55, 55, 101), card.copies("b:0", 50, 53, 59); },
        [](MadeUp& card) { card.copies("a:0", 55, 55, 101), card.copies("b:0", 50, 53, 75); }},
    {"transfers_take_turns",
        {{"both at once, times the faster way", "a:0", 1}, {"both at once", "a:0", 5.5e10},
            {"to the device", "a:0", 5.5e10}, {"to the host", "a:0", 5.5e10}},
        [](MadeUp& card) { card.copies("a:0", 55, 55, 55); },
        [](MadeUp& card) {
            card.device("a:0").cpu = true, card.copies("a:0", 10, 10, 10);
        }}, // a processor copies to itself
    {"copies_from_cache", {{"4 MiB", "a:0", 8e10}, {"64 MiB", "a:0", 5e10}, {"host link", "a:0", 6.3e10}},
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
        },
        Cause::not_over_link},
    {"copies_from_cache", {{"2 MiB", "a:0", 6.93e10}, {"64 MiB", "a:0", 5.27e10}, {"host link", "a:0", 6.3e10}},
        [](MadeUp& card) {
            card.device("a:0").host_link_bytes_per_second = 63e9,
            card.curve("stream", "a:0", "host", {{"operation", "fill"}}, {{2 << 20, 69.3}, {64 << 20, 52.7}})
                .evidence.unit_of_work = "bytes written";
        },
        [](MadeUp& card) {
            card.device("a:0").host_link_bytes_per_second = 63e9,
            card.curve("stream", "a:0", "host", {{"operation", "copy"}}, {{2 << 20, 109}, {64 << 20, 84}})
                .evidence.unit_of_work = "bytes read and bytes written, both counted";
        },
        Cause::not_over_link},
    {"copies_from_cache",
        {{"direction=to-device engine=kernel memory=pinned", "a:0", 6e11}, {"host link", "a:0", 6.3e10}},
        [](MadeUp& card) {
            card.device("a:0").host_link_bytes_per_second = 63e9,
            card.curve("transfer", "a:0", "host",
                {{"engine", "kernel"}, {"memory", "pinned"}, {"direction", "to-device"}}, {{4096, 2}, {64 << 20, 600}});
        },
        [](MadeUp& card) {
            card.device("a:0").host_link_bytes_per_second = 63e9,
            card.curve("transfer", "a:0", "host", {{"engine", "kernel"}, {"memory", "pinned"}, {"direction", "both"}},
                {{4096, 2}, {64 << 20, 100}});
        },
        Cause::not_over_link},
    {"other_card",
        {{"the fastest way", "a:0", 3.93e11}, {"the fastest way", "b:0", 1.2e9}, {"copies to it", "a:0", 3.9e11},
            {"all cores read", "a:0", 3.93e11}, {"copies to it without access", "b:0", 1.2e9},
            {"the link, one way", "a:0", 4.78e11}, {"of it", "a:0", 0.8222}},
        [](MadeUp& card) {
            card.device("a:0").peers = {{"a:1", true, "18 NVLinks", 478e9}};
            card.curve("transfer", "a:0", "peer", {{"direction", "to-peer"}, {"engine", "copy"}},
                    {{4096, 2}, {256 << 20, 390}})
                .evidence.peer = "a:1";
            card.curve("bandwidth", "a:0", "peer", {{"width", "16"}}, {{4096, 2}, {1 << 30, 393}}).evidence.peer =
                "a:1";
            card.curve("transfer", "b:0", "peer.unmapped", {{"direction", "to-peer"}, {"engine", "copy"}},
                {{4096, 0.1}, {256 << 20, 1.2}});
        },
        [](MadeUp& card) {
            card.device("a:0").peers = {{"a:1", true, "18 NVLinks", 478e9}};
            card.copies("a:0", 55, 55, 101); // to the host
        }},
    {"copies_on_device",
        {{"64 MiB", "a:0", 2e12}, {"64 MiB", "b:0", 8e10}, {"4 KiB", "a:0", 2e9}, {"4 KiB", "b:0", 2e9}},
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
