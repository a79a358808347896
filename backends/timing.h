// What backends time alike: by the host's clock.
#pragma once
#include <chrono>
#include <vector>

#include "core/device/device.h"

namespace sonde {

template <class Body> double host_ns_of(const Body& body) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

/// A batch timed as a whole, from the first call that queues to the end of waiting: `queue(i)` for each, then `wait()`, which is called
/// after an error, too: what is queued already must not outlive the caller's buffers.
template <class Queue, class Wait> std::vector<Timing> time_whole(std::size_t count, const Queue& queue, const Wait& wait) {
    const double host_ns = host_ns_of([&] {
        try {
            for (std::size_t i = 0; i < count; ++i) queue(i);
        } catch (...) {
            try {
                wait();
            } catch (const Error&) { // the first one tells more
            }
            throw;
        }
        wait();
    });
    return {count, Timing{host_ns / static_cast<double>(count), std::nullopt}};
}

} // namespace sonde
