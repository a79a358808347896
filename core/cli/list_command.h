// sonde devices, paths, probes: what is here, what can be asked.
#pragma once
#include <iosfwd>

#include "core/run/fleet.h"

namespace sonde {

enum class Form { text, json, markdown };

/// Exit code: 1 where there is no device and an API has failed.
int devices_command(const Fleet& fleet, Form form, std::ostream& out);
/// Path x device: yes, or the reason why not. In Markdown the columns are APIs (devices of one API agree or are named).
int paths_command(const Fleet& fleet, Form form, std::ostream& out);
int probes_command(Form form, std::ostream& out);

} // namespace sonde
