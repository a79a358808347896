#include "backends/nvidia_ptx.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

namespace sonde::nvidia {

namespace {
/// A version of PTX, and the first CUDA and driver for Linux that have it: "Release History" of the PTX ISA, "CUDA
/// Toolkit and Corresponding Driver Versions" of CUDA's release notes.
struct Release {
    int ptx, cuda, driver; // times ten; as cuDriverGetVersion has it; the first number of its version
    const char* name;
};
constexpr Release kReleases[] = {{30, 4010, 285, "CUDA 4.1, driver 285"}, {31, 5000, 304, "CUDA 5.0, driver 304"},
    {32, 5050, 319, "CUDA 5.5, driver 319"}, {40, 6000, 331, "CUDA 6.0, driver 331"},
    {41, 6050, 340, "CUDA 6.5, driver 340"}, {42, 7000, 346, "CUDA 7.0, driver 346"},
    {43, 7050, 352, "CUDA 7.5, driver 352"}, {50, 8000, 367, "CUDA 8.0, driver 367"},
    {60, 9000, 384, "CUDA 9.0, driver 384"}, {61, 9010, 387, "CUDA 9.1, driver 387"},
    {62, 9020, 396, "CUDA 9.2, driver 396"}, {63, 10000, 410, "CUDA 10.0, driver 410"},
    {64, 10010, 418, "CUDA 10.1, driver 418"}, {65, 10020, 440, "CUDA 10.2, driver 440"},
    {70, 11000, 450, "CUDA 11.0, driver 450"}, {71, 11010, 455, "CUDA 11.1, driver 455"},
    {72, 11020, 460, "CUDA 11.2, driver 460"}, {73, 11030, 465, "CUDA 11.3, driver 465"},
    {74, 11040, 470, "CUDA 11.4, driver 470"}, {75, 11050, 495, "CUDA 11.5, driver 495"},
    {76, 11060, 510, "CUDA 11.6, driver 510"}, {77, 11070, 515, "CUDA 11.7, driver 515"},
    {78, 11080, 520, "CUDA 11.8, driver 520"}, {80, 12000, 525, "CUDA 12.0, driver 525"},
    {81, 12010, 530, "CUDA 12.1, driver 530"}, {82, 12020, 535, "CUDA 12.2, driver 535"},
    {83, 12030, 545, "CUDA 12.3, driver 545"}, {84, 12040, 550, "CUDA 12.4, driver 550"},
    {85, 12050, 555, "CUDA 12.5, driver 555"}, {86, 12070, 565, "CUDA 12.7, driver 565"},
    {87, 12080, 570, "CUDA 12.8, driver 570"}, {88, 12090, 575, "CUDA 12.9, driver 575"},
    {90, 13000, 580, "CUDA 13.0, driver 580"}};

int newest(int Release::*counted, int has) {
    const auto above = std::ranges::upper_bound(kReleases, has, {}, counted);
    return above == std::begin(kReleases) ? 0 : std::prev(above)->ptx;
}
} // namespace

int ptx_of_cuda(int version) { return newest(&Release::cuda, version); }

int ptx_of_driver(std::string_view version) {
    int first = 0;
    const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), first);
    return error == std::errc() ? newest(&Release::driver, first) : std::rbegin(kReleases)->ptx;
}

int ptx_of_text(std::string_view text) {
    constexpr std::string_view kLine = ".version ";
    const std::size_t at = text.find(kLine);
    if (at == text.npos) return 0;
    int major = 0, minor = 0;
    const char *const begin = text.data() + at + kLine.size(), *const end = text.data() + text.size();
    const auto [dot, error] = std::from_chars(begin, end, major);
    if (dot != end) std::from_chars(dot + 1, end, minor);
    return 10 * major + minor;
}

const char* release_of_ptx(int ptx) {
    const auto found = std::ranges::lower_bound(kReleases, ptx, {}, &Release::ptx);
    return found == std::end(kReleases) ? "a newer driver" : found->name;
}

} // namespace sonde::nvidia
