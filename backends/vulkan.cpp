#include "backends/backends.h"
namespace sonde { Opened open_vulkan() { return {{}, "not written yet"}; } }
