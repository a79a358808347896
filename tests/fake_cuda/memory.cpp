// The pretended card's memory: the host's, accounted for.
#include <cstdlib>

#include "tests/fake_cuda/fake.h"

using namespace fake;

namespace {

struct Allocation {
    std::size_t bytes;
    const Context* owner;
    bool on_host;
    bool of_a_module = false;
};
std::map<DevicePointer, Allocation> allocations;

std::size_t used(const Context* context) {
    std::size_t sum = 0;
    for (const auto& [address, allocation] : allocations)
        if (allocation.owner == context && !allocation.on_host) sum += allocation.bytes;
    return sum;
}

Result allocate(DevicePointer* address, std::size_t bytes, bool on_host) {
    void* pages = nullptr;
    if (bytes == 0) return kInvalidValue;
    if (posix_memalign(&pages, 256, bytes) != 0) return kOutOfMemory;
    *address = reinterpret_cast<DevicePointer>(pages);
    allocations[*address] = {bytes, &current(), on_host};
    return kSuccess;
}

Result release(DevicePointer address, bool on_host) {
    if (const Result bad = attached()) return bad;
    const auto found = allocations.find(address);
    if (found == allocations.end() || found->second.on_host != on_host || found->second.of_a_module)
        return kInvalidValue;
    allocations.erase(found);
    std::free(reinterpret_cast<void*>(address));
    return kSuccess;
}

} // namespace

Where fake::where(DevicePointer address, std::size_t bytes) {
    auto after = allocations.upper_bound(address);
    if (after == allocations.begin()) return Where::elsewhere;
    const auto& [begin, allocation] = *--after;
    if (address >= begin + allocation.bytes) return Where::elsewhere;
    return bytes <= begin + allocation.bytes - address ? Where::in_an_allocation : Where::past_its_end;
}

const Context* fake::owner_of(DevicePointer address) {
    if (where(address, 1) != Where::in_an_allocation) return nullptr;
    const Allocation& allocation = (--allocations.upper_bound(address))->second;
    return allocation.on_host ? nullptr : allocation.owner;
}

bool fake::is_reached(DevicePointer address) {
    if (where(address, 1) != Where::in_an_allocation) return false;
    const Context* owner = owner_of(address);
    return !owner || owner == &current() || current().peers.contains(owner);
}

Result cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
    if (const Result bad = ready()) return bad;
    if (const Result fault = step("alloc")) return fault;
    const std::size_t before = used(&current());
    if (bytes > kMemoryBytes - before) return kOutOfMemory;
    return allocate(address, bytes, false);
}

Result cuMemFree_v2(DevicePointer address) { return release(address, false); }

Result cuMemHostAlloc(void** address, std::size_t bytes, unsigned flags) {
    if (const Result bad = ready()) return bad;
    if (const Result fault = step("host_alloc")) return fault;
    if (flags & ~7u) return kInvalidValue;
    DevicePointer made = 0;
    const Result result = allocate(&made, bytes, true);
    if (result == kSuccess) *address = reinterpret_cast<void*>(made);
    return result;
}

Result cuMemFreeHost(void* address) { return release(reinterpret_cast<DevicePointer>(address), true); }

Result cuMemHostGetDevicePointer_v2(DevicePointer* address, void* host, unsigned flags) {
    if (const Result bad = ready()) return bad;
    const auto found = allocations.find(reinterpret_cast<DevicePointer>(host));
    if (flags != 0 || found == allocations.end() || !found->second.on_host) return kInvalidValue;
    return *address = found->first, kSuccess;
}

void fake::add_constants(const Constants& constants) {
    allocations[constants.address()] = {constants.bytes(), &current(), false, true};
}
void fake::remove_constants(const Constants& constants) { allocations.erase(constants.address()); }

std::size_t sonde_fake_cuda_live_allocations() { return allocations.size(); }
