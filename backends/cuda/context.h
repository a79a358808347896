// A card's primary context with what every launch needs: a stream of its own, events that are used again, a dummy buffer.
#pragma once
#include <array>
#include <chrono>
#include <vector>

#include "backends/cuda/driver_api.h"
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
    /// The stream of a lane (Copy::lane); lane 0's is that of the kernels.
    StreamHandle stream(std::uint32_t lane = 0);
    /// A few bytes of device memory, for a kernel's source that is not used.
    DevicePointer dummy();

    /// For each i < count: `prepare(i)`, which stays out of its device time, then `enqueue(i)`, which puts one piece of work on
    /// the stream between two events. Waits once.
    template <class Prepare, class Enqueue>
    std::vector<Timing> time_each(std::size_t count, const Prepare& prepare, const Enqueue& enqueue);
    /// The same without events, on the streams of all lanes, timed by the host alone.
    template <class Enqueue> std::vector<Timing> time_whole(std::size_t count, const Enqueue& enqueue);

    const Driver& api;

private:
    void reserve_events(std::size_t count);
    /// What is queued already must not outlive the caller's buffers.
    void wait_after_error() const noexcept;

    const DeviceHandle device_;
    ContextHandle handle_ = nullptr;
    std::array<StreamHandle, kLanes> streams_{};
    DevicePointer dummy_ = 0;
    std::vector<EventHandle> events_;
};

template <class Prepare, class Enqueue>
std::vector<Timing> Context::time_each(std::size_t count, const Prepare& prepare, const Enqueue& enqueue) {
    const StreamHandle queue = stream();
    reserve_events(2 * count);
    const auto begin = std::chrono::steady_clock::now();
    try {
        for (std::size_t i = 0; i < count; ++i) {
            prepare(i);
            CU(cuEventRecord(events_[2 * i], queue));
            enqueue(i);
            CU(cuEventRecord(events_[2 * i + 1], queue));
        }
    } catch (...) {
        wait_after_error();
        throw;
    }
    CU(cuStreamSynchronize(queue));
    const double host_ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
    std::vector<Timing> timings(count);
    for (std::size_t i = 0; i < count; ++i) {
        float milliseconds = 0;
        CU(cuEventElapsedTime(&milliseconds, events_[2 * i], events_[2 * i + 1]));
        timings[i] = {host_ns / static_cast<double>(count), static_cast<double>(milliseconds) * 1e6};
    }
    return timings;
}

template <class Enqueue> std::vector<Timing> Context::time_whole(std::size_t count, const Enqueue& enqueue) {
    stream(); // made before the clock runs
    const auto begin = std::chrono::steady_clock::now();
    try {
        for (std::size_t i = 0; i < count; ++i) enqueue(i);
        for (const StreamHandle queue : streams_)
            if (queue) CU(cuStreamSynchronize(queue));
    } catch (...) {
        wait_after_error();
        throw;
    }
    const double host_ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
    return {count, Timing{host_ns / static_cast<double>(count), std::nullopt}};
}

} // namespace sonde::cuda
