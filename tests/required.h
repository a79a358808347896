// APIs named by --require on the test program's command line, comma-separated: their absence is a failure.
#pragma once
#include <string>

namespace sonde {
std::string& required_apis();
}
