// zlib, base64.
#include "core/report/pack.h"

#include <cstdint>

#include <fmt/format.h>
#include <zlib.h>

#include "core/base/error.h"

namespace sonde {

std::string base64(std::string_view bytes) {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t three = 0;
        for (std::size_t i = 0; i < 3; ++i)
            three = three << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
        for (std::size_t i = 0; i < 4; ++i) out += at + i <= bytes.size() ? kLetters[three >> (18 - 6 * i) & 63] : '=';
    }
    return out;
}

std::string pack(std::string_view text) {
    uLongf size = compressBound(static_cast<uLong>(text.size()));
    std::string out(size, '\0');
    const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
        reinterpret_cast<const Bytef*>(text.data()), static_cast<uLong>(text.size()), Z_BEST_COMPRESSION);
    if (status != Z_OK) throw Error(fmt::format("compress2: {}", zError(status)));
    return base64(std::string_view(out).substr(0, size));
}

} // namespace sonde
