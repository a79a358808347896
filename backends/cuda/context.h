// A card's primary context with what every launch needs: streams, events that are used again, buffers of every memory
// space.
#pragma once
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "backends/common.h"
#include "backends/cuda/driver_api.h"

namespace sonde::cuda {

/// Whether kernels of one card reach the memory of the other.
bool reaches(const Driver& api, DeviceHandle card, DeviceHandle other);

class Context {
public:
    Context(const Driver& driver, DeviceHandle device) : api(driver), device_(device) {
        CU(cuDevicePrimaryCtxRetain(&handle_, device));
    }
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    /// Cheap, and due at each entry: a context is current per thread, and another library may have set its own.
    void make_current() const { CU(cuCtxSetCurrent(handle_)); }
    /// For destructors: what holds no context that works has nothing left to release.
    void try_make_current() const noexcept { api.cuCtxSetCurrent(handle_); }
    /// The stream that stands for Copy::queue; the first is that of the kernels.
    StreamHandle stream(std::uint32_t queue = 0);
    /// Lets this card's kernels and copies reach the other's memory for as long as what is returned is held by
    /// somebody.
    std::shared_ptr<const void> access_to(const Context& peer);
    bool can_reach(const Context& peer) const { return reaches(api, device_, peer.device_); }
    ContextHandle handle() const { return handle_; }
    /// A few bytes of device memory, for a kernel's source that is not used.
    DevicePointer dummy();

    /// For each i < count: `prepare(i)`, then `enqueue(i)`, which puts one piece of work on a stream. Waits once.
    /// Timed::each, for the stream of the kernels: the work alone stands between two events. Timed::whole: no events,
    /// all streams, the host's clock.
    template <class Prepare, class Enqueue>
    std::vector<Timing> time(Timed timed, std::size_t count, const Prepare& prepare, const Enqueue& enqueue);

    void wait_for_all() const;

    const Driver& api;

private:
    void reserve_events(std::size_t count);

    const DeviceHandle device_;
    ContextHandle handle_ = nullptr;
    std::array<StreamHandle, kCopyQueues> streams_{};
    DevicePointer dummy_ = 0;
    std::vector<EventHandle> events_;
    std::map<const Context*, std::weak_ptr<const void>> access_; // to peers
};

template <class Prepare, class Enqueue>
std::vector<Timing> Context::time(Timed timed, std::size_t count, const Prepare& prepare, const Enqueue& enqueue) {
    const StreamHandle queue = stream(); // made before the clock runs
    const bool each = timed == Timed::each;
    if (each) reserve_events(2 * count);
    const auto record = [&](std::size_t event) {
        if (each) CU(cuEventRecord(events_[event], queue));
    };
    const auto enqueue_timed = [&](std::size_t i) {
        prepare(i);
        record(2 * i);
        enqueue(i);
        record(2 * i + 1);
    };
    std::vector<Timing> timings = time_whole(count, enqueue_timed, [this] { wait_for_all(); });
    for (std::size_t i = 0; each && i < count; ++i) {
        float milliseconds = 0;
        CU(cuEventElapsedTime(&milliseconds, events_[2 * i], events_[2 * i + 1]));
        timings[i].device_ns =
            std::round(static_cast<double>(milliseconds) * 1e6); // what is behind the nanosecond comes from a float
    }
    return timings;
}

/// Throws Unsupported for a space without buffers, DoesNotFit where there is no room.
std::unique_ptr<Buffer> make_buffer(Context&, Space, std::size_t bytes);
/// On another card: reached by kernels of the first (Space::peer), or by copies alone. Where the other can reach the
/// first one's memory, access is opened from there, too: copies both ways at once share the rate of one way without it.
std::unique_ptr<Buffer> make_peer_buffer(
    Context& context, Context& peer, const std::string& peer_name, Space space, std::size_t bytes);
/// Of copies between two cards the receiver carries those of one queue, and the sender those of the other.
inline constexpr std::uint32_t kReceiversQueue = 1, kSendersQueue = 2;
/// The context of the card that carries a copy where it is not `own`: that in whose memory a copy with the host has its
/// other end, that of its queue, or on the kernels' queue what another card sends to a third; null: it is `own`.
Context* carrier_of(const Copy&, const Context& own);
/// Of linear memory.
DevicePointer address_of(const Buffer&);
/// Whether kernels read a source in this space through a texture.
inline bool is_texture(Space space) { return space == Space::texel || space == Space::image2d; }
/// A texture object whose texels have `width` words, over a buffer of such a space.
TextureHandle texture_of(const Buffer&, std::uint32_t width);
/// Puts a copy on the stream of its queue.
void enqueue_copy(Context&, const Copy&);

} // namespace sonde::cuda
