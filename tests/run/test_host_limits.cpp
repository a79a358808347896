// What a run's header keeps of the limits of its process.
#include <doctest/doctest.h>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/device/memory_limit.h"
#include "core/run/host_limits.h"

using namespace sonde;

TEST_CASE("limits below the machine are fields of the header, and a line; others are neither") {
    const HostSystem system{
        .system = "Linux", .release = "6", .machine = "x86_64", .cores = 64, .memory_bytes = 1 << 30};
    struct Row {
        ProcessLimits limits;
        const char* text;
        std::size_t fields;
    };
    for (const Row& row : {Row{{.processors = 64}, "", 5}, {{.processors = 0}, "", 5},
             {{.processors = 2}, "this process may use 2 of 64 processors", 6},
             {{.processors = 64, .processor_time = 1.5}, "this process may use the time of 1.5 of 64 processors", 6},
             {{.processors = 64, .processor_time = 64, .memory_bytes = std::uint64_t{1} << 40}, "", 5},
             {{.processors = 2, .memory_bytes = 157286400},
                 "this process may use 2 of 64 processors, 150 MiB of memory", 7}}) {
        const Json host = host_fields(system, row.limits);
        CHECK(limits_text(host) == row.text);
        CHECK(host.size() == row.fields);
        CHECK(host.at("cores") == 64);
    }
    CHECK(limits_text(Json::object()).empty()); // of an older file
}

TEST_CASE("a processor has the memory that its process may use, and a card its own") {
    constexpr std::uint64_t kLimit = 150 << 20, kMemory = std::uint64_t{1} << 34;
    for (const bool cpu : {true, false})
        for (const bool limited : {true, false}) {
            DeviceInfo info{.cpu = cpu, .memory_bytes = kMemory, .largest_buffer = kMemory / 4};
            keep_to_limits(info, {.memory_bytes = limited ? kLimit : kMemory});
            const bool less = cpu && limited;
            CHECK(info.memory_bytes == (less ? kLimit : kMemory));
            CHECK(info.largest_buffer == (less ? kLimit / 4 : kMemory / 4));
            CHECK(info.facts.size() == (less ? 1 : 0));
            CHECK(info.largest_buffer_limit.empty() != less);
        }
}

TEST_CASE("a dispatch stays below a watchdog's time, and without one may take any") {
    CHECK_NOTHROW(check_dispatch_limit(50, 2000));
    CHECK_NOTHROW(check_dispatch_limit(1800, 2000));
    CHECK_THROWS_AS(check_dispatch_limit(1801, 2000), UsageError);
    CHECK_NOTHROW(check_dispatch_limit(60000, std::nullopt));
}

TEST_CASE("a kill is memory's where the kernel counts one more, and may be where a group is limited") {
    CHECK(why_killed(3, 3, {}).empty());
    CHECK(why_killed({}, {}, {}).empty());
    CHECK(why_killed(3, 4, {}) == " for want of memory");
    CHECK(why_killed(3, 4, 157286400) == " for want of memory (its control group allows 150 MiB)");
    CHECK(why_killed(3, 3, 157286400) == " (its control group allows 150 MiB of memory)");
}
