// The worker's side of the pipe: opens one API's driver, measures what it is asked, and says every step before it takes it.
//
// Protocol, one JSON object per line. In: {"request":"series" or "listing", and the fields of a Request (core/data/protocol.h)}.
// Out: {"event":"hello","sonde":"<version>","name":"<machine>","host":{...}}, {"event":"device","info":{...},"paths":[...]}... then {"event":"ready"} or {"event":"absent","reason"};
// per request {"event":"step","text"} and {"event":"samples","x","samples":[...]} as they come, for a listing
// {"event":"listing","kernel","group_size","chases","atomic","kind","text","note"}, then {"event":"done","status","reason","evidence"}.
#pragma once
#include "core/base/file.h"
#include "core/data/protocol.h"
#include "core/device/device.h"
#include "core/device/telemetry.h"

namespace sonde {

/// Serves requests on standard input until it ends. Never prints to the original standard output but through the protocol.
/// `target`: a chip to compile for in place of the API's devices; empty: the devices. SONDE_TELEMETRY=off leaves `telemetry` alone, to
/// find out whether it disturbs.
int serve_worker(const Backend& backend, const std::string& target = "", std::span<const OpenTelemetry> telemetry = {});

/// Writes one line; ends the process where nobody listens any more.
void send_line(File& out, const Json& object);

/// The program's version, and the machine that it runs on.
Json hello();

/// Measures one series in this process; what it throws is turned into status and reason.
class Reporter;
struct DeviceHistory;
Outcome measure_series(Device& device, DeviceHistory& history, const Request& request, Reporter& reporter);

} // namespace sonde
