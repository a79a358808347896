// Drivers of an API that can be opened one by one, so that a bad one does not take the others along.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

struct ApiDrivers {
    std::string_view api;
    /// Those that the API's loader would open: libraries, or files that name one.
    std::vector<std::string> (*list)();
    /// From now on the loader of this process opens that one alone.
    void (*choose)(const std::string& driver);
};

} // namespace sonde
