#include "tests/places.h"

namespace sonde::places {
const char* const program = SONDE_PROGRAM;
const char* const scripted_worker = SONDE_SCRIPTED_WORKER;
const char* const aborting_driver = SONDE_ABORTING_DRIVER;
const char* const incomplete_driver = SONDE_INCOMPLETE_DRIVER;
const char* const pretended_drivers = SONDE_PRETENDED_DRIVERS;
const char* const source = SONDE_SOURCE_DIR;
const bool sanitized = SONDE_SANITIZED;
} // namespace sonde::places
