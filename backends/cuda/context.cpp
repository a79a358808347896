// The primary context's stream, events and dummy, made when first asked for.
#include "backends/cuda/context.h"

namespace sonde::cuda {

namespace {
constexpr std::size_t kDummyBytes = 256;
} // namespace

Context::~Context() {
    try_make_current();
    for (const EventHandle event : events_) api.cuEventDestroy(event);
    for (const StreamHandle stream : streams_)
        if (stream) api.cuStreamDestroy(stream);
    if (dummy_) api.cuMemFree(dummy_);
    api.cuCtxSetCurrent(nullptr); // a thread must not keep a context that is about to go
    api.cuDevicePrimaryCtxRelease(device_);
}

StreamHandle Context::stream(std::uint32_t queue) {
    StreamHandle& stream = streams_.at(queue);
    if (!stream) CU(cuStreamCreate(&stream, kStreamNonBlocking));
    return stream;
}

bool reaches(const Driver& api, DeviceHandle card, DeviceHandle other) {
    int can = 0;
    return api.cuDeviceCanAccessPeer && api.cuCtxEnablePeerAccess && api.cuCtxDisablePeerAccess &&
           api.cuDeviceCanAccessPeer(&can, card, other) == kSuccess && can;
}

std::shared_ptr<const void> Context::access_to(const Context& peer) {
    if (auto held = access_[&peer].lock()) return held;
    make_current();
    CU(cuCtxEnablePeerAccess(peer.handle_, 0));
    std::shared_ptr<const void> access(this, [this, &peer](const void*) {
        try_make_current();
        api.cuCtxDisablePeerAccess(peer.handle_);
    });
    access_[&peer] = access;
    return access;
}

void Context::wait_for_all() const {
    Result first = kSuccess; // none is left to run on
    for (const StreamHandle stream : streams_)
        if (const Result result = stream ? api.cuStreamSynchronize(stream) : kSuccess; first == kSuccess)
            first = result;
    api.check(first, "cuStreamSynchronize(stream)");
}

DevicePointer Context::dummy() {
    if (!dummy_) CU(cuMemAlloc(&dummy_, kDummyBytes));
    return dummy_;
}

void Context::reserve_events(std::size_t count) {
    while (events_.size() < count) {
        EventHandle event = nullptr;
        CU(cuEventCreate(&event, kEventDefault));
        events_.push_back(event);
    }
}

} // namespace sonde::cuda
