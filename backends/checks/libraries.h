// Whether a driver's library can be opened, and what it lacks.
#pragma once
#include <string>

#include "core/device/checkup.h"

namespace sonde {

/// The question "library": opens the one of that name or path. {"path": where it lies, links followed} or {"error": the
/// system's words}.
Json open_library(const std::string& name);

/// A row on a library that `named_by` (a file, or empty) asks for: where it lies, or what is missing and which package
/// brings it. `question`: "library", or another that answers the same and may add {"refuses": what the library does not
/// do}.
CheckRow library_row(const Surroundings&, const std::string& check, const std::string& subject,
    const std::string& library, const std::string& named_by = "", std::string_view question = "library");

/// Whether this is a container, into which a driver comes from outside.
bool in_container(const Surroundings&);
/// What brings NVIDIA's libraries that this machine, or this container, lacks; `package`: of Debian.
std::string nvidia_mend(const Surroundings&, const std::string& package);

} // namespace sonde
