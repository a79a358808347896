// What the test program's command line says of APIs: --api NAME looks at that one alone, or at a device of it
// (opencl:1.0), --require NAME,... makes their absence a failure, as the variable SONDE_TEST_REQUIRE does for all tests
// (else: host). radv is Mesa's radeon driver, which compiles for chips that are not here.
#pragma once
#include <string>
#include <string_view>

namespace sonde {

std::string& required_apis();
bool required(std::string_view api);
/// Empty: all.
std::string& only_api();

/// What a test case needs is not here; counts where it checks nothing. Where no case did, the program exits with 77,
/// which ctest shows as skipped.
void skip(const std::string& why);

} // namespace sonde
