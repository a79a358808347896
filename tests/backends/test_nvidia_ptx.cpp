// Which PTX drivers of NVIDIA's speak.
#include <doctest/doctest.h>

#include <string>

#include "backends/nvidia_ptx.h"

using namespace sonde;

TEST_CASE("a driver's PTX by CUDA's version and by its own: the newest that came with it or before") {
    CHECK(nvidia::ptx_of_cuda(9000) == 60);
    CHECK(nvidia::ptx_of_cuda(8999) == 50);
    CHECK(nvidia::ptx_of_cuda(11040) == 74);
    CHECK(nvidia::ptx_of_cuda(12060) == 85); // CUDA 12.6 brought none
    CHECK(nvidia::ptx_of_cuda(4000) == 0);
    CHECK(nvidia::ptx_of_driver("384.81") == 60);
    CHECK(nvidia::ptx_of_driver("375.66") == 50);
    CHECK(nvidia::ptx_of_driver("470.256.02") == 74);
    CHECK(nvidia::ptx_of_driver("390.157") == 61);
    CHECK(nvidia::ptx_of_driver("unreadable") >= 90);
    for (int cuda = 4010; cuda < 14000; cuda += 10) CHECK(nvidia::ptx_of_cuda(cuda) >= nvidia::ptx_of_cuda(cuda - 10));
}

TEST_CASE("a text's PTX is what its line .version says, and the release that brought it has a name") {
    CHECK(nvidia::ptx_of_text("// a comment\n.version 3.2\n.target sm_30\n") == 32);
    CHECK(nvidia::ptx_of_text(".version 8.7") == 87);
    CHECK(nvidia::ptx_of_text(".target sm_30") == 0);
    CHECK(std::string(nvidia::release_of_ptx(60)) == "CUDA 9.0, driver 384");
    CHECK(std::string(nvidia::release_of_ptx(55)) == "CUDA 9.0, driver 384"); // the next that there is
}
