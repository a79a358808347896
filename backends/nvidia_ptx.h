// Which PTX a driver of NVIDIA's speaks.
#pragma once
#include <string_view>

namespace sonde::nvidia {

/// The newest version of PTX, times ten, by what cuDriverGetVersion says (9000); 0: of before CUDA 4.1.
int ptx_of_cuda(int version);
/// By the driver's own version, "470.256.02"; of one that is no number the newest that is known.
int ptx_of_driver(std::string_view version);
/// What a text says of itself in its line .version; 0: it has none.
int ptx_of_text(std::string_view text);
/// The release of CUDA that brought a version of PTX, and its driver: "CUDA 9.0, driver 384".
const char* release_of_ptx(int ptx);

} // namespace sonde::nvidia
