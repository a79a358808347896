// Device memory, pinned host memory, arrays, and textures over them.
#include <map>

#include "backends/cuda/context.h"

namespace sonde::cuda {

namespace {

constexpr std::size_t kRowBytes = std::size_t{kImageRow} * 4;

/// What one card opened of another's memory, and the other of its own; null: nothing.
struct PeerAccess {
    std::shared_ptr<const void> there{}, back{};
    const char* text() const {
        return !there ? "without access to it: the driver's copies alone"
               : back ? "cuCtxEnablePeerAccess, of each card to the other"
                      : "cuCtxEnablePeerAccess, of this card to it alone";
    }
};

class CudaBuffer final : public Buffer {
public:
    CudaBuffer(Context& context, Space space, std::size_t bytes);
    /// In the memory of that context's card, for another.
    CudaBuffer(Context& context, std::size_t bytes, const std::string& name, PeerAccess access);
    ~CudaBuffer() override;
    std::size_t bytes() const override { return bytes_; }
    std::optional<std::uint64_t> address() const override { return address_ ? std::optional(address_) : std::nullopt; }
    void* shared_with_host() const override { return host_; }
    Placement placement() const override {
        if (!of_peer_.empty()) return {false, fmt::format("memory of {}, {}", of_peer_, access_.text())};
        if (host_) return {false, "pinned host memory, cuMemHostAlloc, mapped"};
        return {true, array_ ? "device memory, cuArrayCreate" : "device memory, cuMemAlloc"};
    }
    ArrayHandle array() const { return array_; }
    Context& context() const { return context_; }
    /// Made when first asked for.
    TextureHandle texture(std::uint32_t width) const;

private:
    /// Of nothing yet: whatever the other constructor then makes before it fails goes with it.
    CudaBuffer(Context& context, std::size_t bytes) : context_(context), bytes_(bytes) {}

    Context& context_;
    const std::size_t bytes_;
    void* host_ = nullptr;        // pinned, and mapped into the card's address space: the card reads it over its bus
    DevicePointer address_ = 0;   // of that, or of linear memory
    ArrayHandle array_ = nullptr; // in the card's own order, whole rows of it
    mutable std::map<std::uint32_t, TextureHandle> textures_; // by words of a texel
    std::string of_peer_{};                                   // the other card's name; empty: the memory is the card's
    PeerAccess access_{};
};

CudaBuffer::CudaBuffer(Context& context, std::size_t bytes, const std::string& name, PeerAccess access)
    : CudaBuffer(context, bytes) {
    of_peer_ = name;
    access_ = std::move(access);
    const Driver& api = context.api;
    context.make_current();
    CU(cuMemAlloc(&address_, bytes));
}

CudaBuffer::CudaBuffer(Context& context, Space space, std::size_t bytes)
    : CudaBuffer(context, space == Space::image2d ? (bytes + kRowBytes - 1) / kRowBytes * kRowBytes : bytes) {
    const Driver& api = context.api;
    if (space == Space::host || space == Space::shared) {
        CU(cuMemHostAlloc(&host_, bytes, kHostAllocPortable | kHostAllocDeviceMap));
        CU(cuMemHostGetDevicePointer(&address_, host_, 0));
    } else if (space == Space::image2d) {
        const ArrayDescriptor shape{kImageRow, bytes_ / kRowBytes, kFormatUnsigned32, 1};
        CU(cuArrayCreate(&array_, &shape));
        texture(1);
    } else // constant, too: it is copied into the kernel's __constant__ memory before each launch
        CU(cuMemAlloc(&address_, bytes));
}

CudaBuffer::~CudaBuffer() {
    const Driver& api = context_.api;
    context_.try_make_current();
    for (const auto& [width, texture] : textures_) api.cuTexObjectDestroy(texture);
    if (array_) api.cuArrayDestroy(array_);
    if (host_) api.cuMemFreeHost(host_);
    else if (address_) api.cuMemFree(address_);
}

TextureHandle CudaBuffer::texture(std::uint32_t width) const {
    if (const auto found = textures_.find(width); found != textures_.end()) return found->second;
    const Driver& api = context_.api;
    ResourceDescriptor resource;
    if (array_) {
        resource.type = kResourceArray;
        resource.array = array_;
    } else resource.linear = {address_, kFormatUnsigned32, width, bytes_};
    const TextureDescriptor descriptor;
    TextureHandle made = 0;
    CU(cuTexObjectCreate(&made, &resource, &descriptor, nullptr));
    return textures_[width] = made;
}

ArrayHandle array_of(const Buffer* buffer) {
    return buffer ? static_cast<const CudaBuffer*>(buffer)->array() : nullptr;
}

/// One end of a copy. One address space for host and device, so the driver sees from the address alone which way a copy
/// goes.
DevicePointer address_in(const Buffer* buffer, std::size_t offset, const void* host) {
    return buffer ? address_of(*buffer) + offset : reinterpret_cast<DevicePointer>(host);
}

const Context* context_of(const Buffer* buffer) {
    return buffer ? &static_cast<const CudaBuffer*>(buffer)->context() : nullptr;
}

/// The same of a copy of rows: of an array, or of what has addresses.
CopyEnd rows_in(const Buffer* buffer, std::size_t offset, const void* host) {
    if (const ArrayHandle array = array_of(buffer))
        return {.y = offset / kRowBytes, .type = kMemoryArray, .array = array, .pitch = kRowBytes};
    return {.device = address_in(buffer, offset, host), .pitch = kRowBytes};
}

} // namespace

std::unique_ptr<Buffer> make_buffer(Context& context, Space space, std::size_t bytes) {
    if (space == Space::push) throw Unsupported("a kernel's parameters are no memory to allocate");
    if (space == Space::mapped) throw Unsupported("CUDA maps no device memory for the processor");
    return std::make_unique<CudaBuffer>(context, space, bytes);
}

std::unique_ptr<Buffer> make_peer_buffer(
    Context& context, Context& peer, const std::string& peer_name, Space space, std::size_t bytes) {
    PeerAccess access;
    if (space == Space::peer) {
        access.there = context.access_to(peer);
        if (peer.can_reach(context)) access.back = peer.access_to(context);
    }
    return std::make_unique<CudaBuffer>(peer, bytes, peer_name, std::move(access));
}

Context* carrier_of(const Copy& copy, const Context& own) {
    const auto* from = static_cast<const CudaBuffer*>(copy.from);
    const auto* to = static_cast<const CudaBuffer*>(copy.to);
    if (!from && !to) return nullptr;
    if (!from || !to) return &(from ? from : to)->context();
    if (copy.queue == kReceiversQueue) return &to->context();
    if (copy.queue == kSendersQueue) return &from->context();
    return &from->context() == &own || &to->context() == &own ? nullptr : &from->context();
}

DevicePointer address_of(const Buffer& buffer) { return buffer.address().value_or(0); }

TextureHandle texture_of(const Buffer& buffer, std::uint32_t width) {
    const auto& ours = static_cast<const CudaBuffer&>(buffer);
    return ours.texture(ours.array() ? 1 : width);
}

void enqueue_copy(Context& context, const Copy& copy) {
    const Driver& api = context.api;
    if (array_of(copy.from) || array_of(copy.to)) {
        const Copy2d rows{rows_in(copy.from, copy.from_offset, copy.from_host),
            rows_in(copy.to, copy.to_offset, copy.to_host), kRowBytes, copy.bytes / kRowBytes};
        CU(cuMemcpy2DAsync(&rows, context.stream(copy.queue)));
    } else {
        const DevicePointer from = address_in(copy.from, copy.from_offset, copy.from_host),
                            to = address_in(copy.to, copy.to_offset, copy.to_host);
        const Context* to_card = context_of(copy.to);
        const Context* from_card = context_of(copy.from);
        if (to_card && from_card && to_card != from_card)
            CU(cuMemcpyPeerAsync(
                to, to_card->handle(), from, from_card->handle(), copy.bytes, context.stream(copy.queue)));
        else CU(cuMemcpyAsync(to, from, copy.bytes, context.stream(copy.queue)));
    }
}

} // namespace sonde::cuda
