// Text is UTF-8 in Sonde and UTF-16 in calls of Windows.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include <windows.h>

namespace sonde {

inline std::wstring wide(std::string_view text) {
    const int size = MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), nullptr, 0);
    std::wstring out(static_cast<std::size_t>(size), L'\0');
    MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), out.data(), size);
    return out;
}

inline std::string narrow(std::wstring_view text) {
    const int from = static_cast<int>(text.size());
    const int size = WideCharToMultiByte(CP_UTF8, 0, text.data(), from, nullptr, 0, nullptr, nullptr);
    std::string out(static_cast<std::size_t>(size), '\0');
    WideCharToMultiByte(CP_UTF8, 0, text.data(), from, out.data(), size, nullptr, nullptr);
    return out;
}

/// What Windows says of an error, without its full stop and line end.
inline std::string words_of_error(DWORD code) {
    wchar_t text[512];
    const DWORD size = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, code, 0,
        text, static_cast<DWORD>(std::size(text)), nullptr);
    std::string words = narrow({text, size});
    while (!words.empty() && (words.back() == '.' || static_cast<unsigned char>(words.back()) <= ' ')) words.pop_back();
    return words.empty() ? "error " + std::to_string(code) : words;
}

} // namespace sonde
