// The worker's side of the pipe: opens one API's driver, measures what it is asked, and says every step before it takes
// it.
//
// Protocol, one JSON object per line, of the structs in core/data/protocol.h. In: Request. Out: HelloEvent, a
// DeviceEvent each or AbsentEvent, ReadyEvent; per request BeginEvent, StepEvent and SamplesEvent as they come, for a
// listing ListingEvent, then Outcome.
#pragma once
#include "core/base/file.h"
#include "core/data/protocol.h"
#include "core/device/device.h"
#include "core/device/telemetry.h"

namespace sonde {

/// Serves requests on standard input until it ends. Never prints to the original standard output but through the
/// protocol. `target`: a chip to compile for in place of the API's devices; empty: the devices. SONDE_TELEMETRY=off
/// leaves `telemetry` alone, to find out whether it disturbs.
int serve_worker(const Backend& backend, const std::string& target = "", std::span<const OpenTelemetry> telemetry = {});

/// Writes one line; ends the process where nobody listens any more.
void send_line(File& out, const Json& object);

/// Measures one series in this process; what it throws is turned into status and reason.
class Reporter;
struct DeviceHistory;
Outcome measure_series(Device& device, DeviceHistory& history, const Request& request, Reporter& reporter);

} // namespace sonde
