// A results file as a page carries it.
#pragma once
#include <string>
#include <string_view>

namespace sonde {

std::string base64(std::string_view bytes);
/// zlib's format in base64: bytesOfRaw in report/page.js is the inverse.
std::string pack(std::string_view text);

} // namespace sonde
