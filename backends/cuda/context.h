// A card's primary context with what every launch needs: a stream of its own, events that are used again, a dummy buffer.
#pragma once
#include <array>
#include <vector>

#include "backends/cuda/driver_api.h"
#include "backends/timing.h"
#include "core/device/device.h"

namespace sonde::cuda {

class Context {
public:
    Context(const Driver& driver, DeviceHandle device) : api(driver), device_(device) { CU(cuDevicePrimaryCtxRetain(&handle_, device)); }
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    /// Cheap, and due at each entry: a context is current per thread, and another library may have set its own.
    void make_current() const { CU(cuCtxSetCurrent(handle_)); }
    /// For destructors: what holds no context that works has nothing left to release.
    void try_make_current() const noexcept { api.cuCtxSetCurrent(handle_); }
    /// The stream that stands for Copy::queue; the first is that of the kernels.
    StreamHandle stream(std::uint32_t queue = 0);
    /// A few bytes of device memory, for a kernel's source that is not used.
    DevicePointer dummy();

    /// For each i < count: `prepare(i)`, which stays out of its device time, then `enqueue(i)`, which puts one piece of work on
    /// the stream between two events. Waits once.
    template <class Prepare, class Enqueue>
    std::vector<Timing> time_each(std::size_t count, const Prepare& prepare, const Enqueue& enqueue);
    /// The same without events, on all streams, timed by the host alone.
    template <class Enqueue> std::vector<Timing> time_whole(std::size_t count, const Enqueue& enqueue) {
        stream(); // made before the clock runs
        return sonde::time_whole(count, enqueue, [this] { wait_for_all(); });
    }

    const Driver& api;

private:
    void reserve_events(std::size_t count);
    void wait_for_all() const;

    const DeviceHandle device_;
    ContextHandle handle_ = nullptr;
    std::array<StreamHandle, kCopyQueues> streams_{};
    DevicePointer dummy_ = 0;
    std::vector<EventHandle> events_;
};

template <class Prepare, class Enqueue>
std::vector<Timing> Context::time_each(std::size_t count, const Prepare& prepare, const Enqueue& enqueue) {
    const StreamHandle queue = stream();
    reserve_events(2 * count);
    std::vector<Timing> timings = time_whole(count, [&](std::size_t i) {
        prepare(i);
        CU(cuEventRecord(events_[2 * i], queue));
        enqueue(i);
        CU(cuEventRecord(events_[2 * i + 1], queue));
    });
    for (std::size_t i = 0; i < count; ++i) {
        float milliseconds = 0;
        CU(cuEventElapsedTime(&milliseconds, events_[2 * i], events_[2 * i + 1]));
        timings[i].device_ns = static_cast<double>(milliseconds) * 1e6;
    }
    return timings;
}

} // namespace sonde::cuda
