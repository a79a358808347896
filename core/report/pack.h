// Results made small enough for a page, to the byte: the numbers of many alike lines are taken out by the key that they stand behind,
// written as differences, and compressed. report/unpack.js is the other half.
#pragma once
#include <string>
#include <string_view>

namespace sonde {

/// The text with its numbers in columns behind it. Layout, with bytes that JSON lines never hold:
///     <text, \1 for each number after "key":> ( \2 <key> \n <lag> \n <ending> \n <entry> \n <entry> ... )*
/// An entry is the difference to the number `lag` entries before, of a whole number written with `ending` ("" or ".0"); "'" and text for
/// what is not such a number; "~" in front where whole numbers begin to stand for float milliseconds in ns (fround(n / 1e6) * 1e6, as one
/// API's timer gives), or cease to.
/// "" for a text that holds those bytes, or is not UTF-8: it has no columns.
std::string columns_of(std::string_view text);
/// The inverse, as report/unpack.js does it.
std::string text_of_columns(std::string_view columns);

std::string gzip(std::string_view bytes);
std::string base64(std::string_view bytes);

struct Packed {
    bool columns;       // else the text is compressed as it is
    std::string base64; // of gzip
};
Packed pack(std::string_view text);

} // namespace sonde
