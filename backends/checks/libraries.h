// Whether a driver's library can be opened, and what it lacks.
#pragma once
#include <string>

#include "core/device/checkup.h"

namespace sonde {

/// The question "library": opens the one of that name or path. {"path": where it lies, links followed} or {"error": the
/// system's words}.
Json open_library(const std::string& name);

/// The question "exports": "NAME SYMBOL" is answered as "library" is of NAME, with {"refuses": ...} where it lacks that
/// symbol.
Json open_exporting(const std::string& name_and_symbol);

/// Who asks for a library: a file, which a variable may have chosen, or the variable itself; or the program.
struct NamedBy {
    std::string file{}, variable{};
};

/// A row on a library: where it lies, or what is missing and what brings it. `question`: "library", or another that
/// answers the same and may add {"refuses": what the library does not do}. A variable that names what is not here is
/// itself the row's subject.
CheckRow library_row(const Surroundings&, const std::string& check, const std::string& subject,
    const std::string& library, const NamedBy& named_by = {}, std::string_view question = "library");

/// A variable that names what is not here: what follows from that is no fault of drivers.
CheckRow wrong_variable(const std::string& name, const std::string& named);
/// What to do with a broken file among the drivers: an installed one may go, one that a variable chose is its user's.
std::string mend_of_file(const NamedBy&);

/// What brings NVIDIA's libraries that this machine, container or Windows lacks; `package`: of Debian.
std::string nvidia_mend(const Surroundings&, const std::string& package);

} // namespace sonde
