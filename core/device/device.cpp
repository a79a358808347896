// What a device is in a file, and what it does where its API has nothing of the kind.
#include "core/device/device.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/device/device_fields.h"

namespace sonde {

void to_json(Json& json, const Fact& from) { fields::write_all(json, from); }
void from_json(const Json& json, Fact& into) { fields::read_all(json, into); }
void to_json(Json& json, const Peer& from) { fields::write_all(json, from); }
void from_json(const Json& json, Peer& into) { fields::read_all(json, into); }

void to_json(Json& json, const L1Split& from) { fields::write_all(json, from); }
void from_json(const Json& json, L1Split& into) { fields::read_all(json, into); }
void to_json(Json& json, const DeviceInfo& from) { fields::write_all(json, from); }
void from_json(const Json& json, DeviceInfo& into) { fields::read_all(json, into); }

std::unique_ptr<Buffer> Device::allocate_on(const Peer& peer, Space, std::size_t) {
    throw Unsupported(fmt::format("{} allocates no memory on {} for {}", info().api, peer.device, info().id));
}

LibraryKernel Device::library_kernel(const LibraryWork& work) {
    throw Unsupported(fmt::format("no library of {} is known for {}",
        std::holds_alternative<ProductShape>(work) ? "products of matrices" : "Fourier transforms", info().api));
}

} // namespace sonde
