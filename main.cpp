// Joins core, which knows no API, with the backends, which know no probe.
#include "backends/backends.h"
#include "core/cli/cli.h"

int main(int argc, char** argv) {
    return sonde::run_cli(argc, argv, sonde::all_backends(), sonde::all_telemetry(), sonde::checkup());
}
