// How Sonde writes a file that may be there already: whole or not at all, and never over somebody else's.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace sonde {

/// All of `text` without another thread's in between. Throws Error where writing fails; `name` is what it says of the file.
void write_all(int descriptor, std::string_view text, const std::string& name);

/// Writes `text` to `path` through a new file beside it that is renamed, so that a full disk leaves what was there, or nothing.
/// An existing file is replaced only where its first 4 KiB hold `mark`, which says that Sonde made it; else UsageError. A link is
/// followed. "-" is standard output, and a device or pipe (/dev/stdout) is written to as it is. Throws Error where writing fails.
void write_own_file(const std::filesystem::path& path, std::string_view text, std::string_view mark);

} // namespace sonde
