// Drivers of other makers and times than those here: what `devices` tells of a GPU that is pretended in front of PoCL
// (tests/faults/opencl_driver.cpp).
#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/json.h"
#include "tests/command.h"
#include "tests/required.h"

using namespace sonde;
using command::Ran;
using command::sonde_run;

namespace {
std::string pretended(const std::string& script) {
    return fmt::format("{} OCL_ICD_VENDORS={}/faults/libfaulty_opencl.so 'SONDE_FAULT_OPENCL={}'",
        command::no_drivers(), places::pretended_drivers, script);
}

/// The device's object in `devices --json`; null where PoCL is not here.
Json device_of(const std::string& script) {
    const Ran ran = sonde_run("devices --device opencl --json", pretended(script));
    CAPTURE(ran.out);
    CAPTURE(ran.err);
    for (const Json& each : Json::parse(ran.out, nullptr, false))
        if (each.contains("id") && each.at("api") == "opencl") return each;
    return nullptr;
}

std::string fact_named(const Json& device, const char* name) {
    for (const Json& fact : device.at("facts"))
        if (fact.at("name") == name) return fact.at("value");
    return "";
}
int facts_named(const Json& device, const char* name) {
    int found = 0;
    for (const Json& fact : device.at("facts"))
        if (fact.at("name") == name && !fact.at("value").get<std::string>().empty()) ++found;
    return found;
}
} // namespace

TEST_CASE("opencl: where no query of the device tells its subgroups, what the driver says of a kernel counts") {
    for (const auto& [multiple, subgroup] : {std::pair("64", 64), {"16", 16}, {"none", 32}}) {
        CAPTURE(multiple);
        const Json device = device_of(fmt::format("info=amd;multiple={}", multiple));
        if (device.is_null()) return skip("PoCL is not here");
        CHECK(fact_named(device, "subgroup").starts_with(std::to_string(subgroup)));
        CHECK(says(fact_named(device, "subgroup"), "assumed") == (subgroup == 32));
    }
}

TEST_CASE(
    "opencl: a GPU whose compiler has none of the forms of a clock and of a core's number has neither, and a fact "
    "for each says why") {
    const Json device = device_of("info=amd");
    if (device.is_null()) return skip("PoCL is not here");
    CAPTURE(device.dump(1));
    CHECK(facts_named(device, "no kernel clock") == 3);
    CHECK(facts_named(device, "no core number") == 3);
}
