// Where drivers come from on machines that are no plain installation: containers, WSL, conda, Flatpak, Snap.
#pragma once
#include <optional>
#include <string>

#include "core/device/checkup.h"

namespace sonde {

/// What this program runs in, where that is not the machine itself: a driver comes into it from outside.
struct Enclosure {
    const char *name, *file, *variable; // either of which shows it; null: nothing does
    const char *nvidia, *nodes;         // what brings NVIDIA's libraries into it; what brings device nodes
};
/// The innermost; null: the machine itself.
const Enclosure* enclosure_of(const Surroundings&);

/// Windows' Linux, where no card is on the PCI bus: Windows' driver shows it through /dev/dxg.
bool in_wsl(const Surroundings&);
bool has_wsl_gpu(const Surroundings&);

/// The folder in which a library of that name lies, though the linker does not look there; nullopt: none that is known.
std::optional<std::filesystem::path> folder_beside_the_path(const Surroundings&, const std::string& library);
/// The folder of LD_LIBRARY_PATH from which the linker takes a library of that name; nullopt: from none.
std::optional<std::string> steered_folder(const std::string& library);

/// Why no file can be made in a folder, or in the first one above it that is there; "": one can.
std::string why_not_writable(const std::filesystem::path& folder);

} // namespace sonde
