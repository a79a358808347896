// The PTX that the build compiled (cmake/kernels.cmake).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sonde::cuda {

/// All of it by the variant's name: "chase-global-WIDTH1". Unpacked when it is first asked for.
const std::map<std::string_view, std::string_view>& embedded_ptx();

/// The PTX of a variant, as the build embedded it, with the text that its REPEATED stands around `repeat` times (0: as
/// it is). Throws Error when there is none of that name.
std::string ptx_text(const std::string& variant, std::uint32_t repeat);

/// A text as a card of Fermi's takes it (compute capability 2.x): what is made for Kepler holds nothing later but what
/// why_no_form and why_lacking refuse there. Other texts, and those for other cards, stay as they are.
std::string ptx_for(std::string text, int capability);

} // namespace sonde::cuda
