// The test program: doctest, plus --api and --require (required.h). A test case that checks nothing, and does not say
// why, fails.
#define DOCTEST_CONFIG_IMPLEMENT
#include <csignal>
#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>

#include "tests/required.h"

namespace sonde {

namespace {
constexpr int kSkipped = 77;
std::string why_not; // of the current test case
int asserts = 0, idle = 0,
    skipped = 0; // of all cases: assertions; cases that checked nothing, without a reason and with one

/// Counts assertions case by case.
struct Counter final : doctest::IReporter {
    explicit Counter(const doctest::ContextOptions&) {}
    void report_query(const doctest::QueryData&) override {}
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats&) override {}
    void test_case_start(const doctest::TestCaseData& data) override { name_ = data.m_name, why_not.clear(); }
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
        asserts += stats.numAssertsCurrentTest;
        if (stats.numAssertsCurrentTest > 0) return;
        ++(why_not.empty() ? idle : skipped);
        std::cout << name_ << (why_not.empty() ? ": FAILED: checks nothing" : ": skipped: " + why_not) << std::endl;
    }
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}

private:
    const char* name_ = "";
};
REGISTER_LISTENER("counter", 1, Counter);
} // namespace

std::string& required_apis() {
    static std::string apis = [] {
        const char* said = std::getenv("SONDE_TEST_REQUIRE");
        return said ? said : "host";
    }();
    return apis;
}
bool required(std::string_view api) {
    return ("," + required_apis() + ",").find("," + std::string(api) + ",") != std::string::npos;
}

std::string& only_api() {
    static std::string api;
    return api;
}

void skip(const std::string& why) { why_not += (why_not.empty() ? "" : "; ") + why; }

} // namespace sonde

int main(int argc, char** argv) {
    std::signal(SIGHUP, SIG_DFL); // programs under test inherit it, whatever the tests were started by
    doctest::Context context(argc, argv);
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::string(argv[i]) == "--require") sonde::required_apis() = argv[i + 1];
        if (std::string(argv[i]) == "--api") sonde::only_api() = argv[i + 1];
    }
    const int failed = context.run();
    if (failed != 0 || sonde::idle > 0) return 1;
    return sonde::skipped > 0 && sonde::asserts == 0 ? sonde::kSkipped : 0;
}
