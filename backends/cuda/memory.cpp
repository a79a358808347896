// Device memory, pinned host memory, linear textures and arrays.
#include "backends/cuda/memory.h"

#include <map>

namespace sonde::cuda {

namespace {

constexpr std::size_t kRowBytes = std::size_t{kImageRow} * 4;

class CudaBuffer : public Buffer {
public:
    CudaBuffer(const Context& context, std::size_t bytes) : context_(context), bytes_(bytes) {}
    std::size_t bytes() const final { return bytes_; }
    std::optional<std::uint64_t> address() const final { return address_ ? std::optional(address_) : std::nullopt; }

protected:
    const Context& context_;
    const std::size_t bytes_;
    DevicePointer address_ = 0;
};

class DeviceBuffer : public CudaBuffer {
public:
    DeviceBuffer(const Context& context, std::size_t bytes) : CudaBuffer(context, bytes) {
        const Driver& api = context.api;
        CU(cuMemAlloc(&address_, bytes));
    }
    ~DeviceBuffer() override {
        context_.try_make_current();
        context_.api.cuMemFree(address_);
    }
    Placement placement() const override { return {true, "device memory, cuMemAlloc"}; }
};

/// Pinned host memory, mapped into the card's address space: the card reads it over its bus.
class PinnedBuffer final : public CudaBuffer {
public:
    PinnedBuffer(const Context& context, std::size_t bytes) : CudaBuffer(context, bytes) {
        const Driver& api = context.api;
        CU(cuMemHostAlloc(&host_, bytes, kHostAllocPortable | kHostAllocDeviceMap));
        const Result mapped = api.cuMemHostGetDevicePointer(&address_, host_, 0);
        if (mapped != kSuccess) api.cuMemFreeHost(host_);
        api.check(mapped, "cuMemHostGetDevicePointer");
    }
    ~PinnedBuffer() override {
        context_.try_make_current();
        context_.api.cuMemFreeHost(host_);
    }
    Placement placement() const override { return {false, "pinned host memory, cuMemHostAlloc, mapped"}; }

private:
    void* host_ = nullptr;
};

/// Linear memory and, for each width of texel asked for, a texture object over it.
class TexelBuffer final : public DeviceBuffer {
public:
    using DeviceBuffer::DeviceBuffer;
    ~TexelBuffer() override {
        context_.try_make_current();
        for (const auto& [width, texture] : textures_) context_.api.cuTexObjectDestroy(texture);
    }
    TextureHandle texture(std::uint32_t width) const {
        const auto found = textures_.find(width);
        if (found != textures_.end()) return found->second;
        const Driver& api = context_.api;
        ResourceDescriptor resource;
        resource.linear = {address_, kFormatUnsigned32, width, bytes_};
        const TextureDescriptor descriptor;
        TextureHandle made = 0;
        CU(cuTexObjectCreate(&made, &resource, &descriptor, nullptr));
        return textures_[width] = made;
    }

private:
    mutable std::map<std::uint32_t, TextureHandle> textures_;
};

/// An array in the card's own order, whole rows of it.
class ImageBuffer final : public CudaBuffer {
public:
    ImageBuffer(const Context& context, std::size_t bytes) : CudaBuffer(context, (bytes + kRowBytes - 1) / kRowBytes * kRowBytes) {
        const Driver& api = context.api;
        const ArrayDescriptor shape{kImageRow, bytes_ / kRowBytes, kFormatUnsigned32, 1};
        CU(cuArrayCreate(&array_, &shape));
        ResourceDescriptor resource;
        resource.type = kResourceArray;
        resource.array = array_;
        const TextureDescriptor descriptor;
        const Result made = api.cuTexObjectCreate(&texture_, &resource, &descriptor, nullptr);
        if (made != kSuccess) api.cuArrayDestroy(array_);
        api.check(made, "cuTexObjectCreate");
    }
    ~ImageBuffer() override {
        context_.try_make_current();
        context_.api.cuTexObjectDestroy(texture_);
        context_.api.cuArrayDestroy(array_);
    }
    Placement placement() const override { return {true, "device memory, cuArrayCreate"}; }
    ArrayHandle array() const { return array_; }
    TextureHandle texture() const { return texture_; }

private:
    ArrayHandle array_ = nullptr;
    TextureHandle texture_ = 0;
};

const ImageBuffer* as_image(const Buffer* buffer) { return dynamic_cast<const ImageBuffer*>(buffer); }

// One address space for host and device, so the driver sees from the addresses alone which way a copy goes.
DevicePointer from_address(const Copy& copy) {
    return copy.from ? address_of(*copy.from) + copy.from_offset : reinterpret_cast<DevicePointer>(copy.from_host);
}
DevicePointer to_address(const Copy& copy) {
    return copy.to ? address_of(*copy.to) + copy.to_offset : reinterpret_cast<DevicePointer>(copy.to_host);
}

/// Rows of an image from or to what has addresses.
Copy2d rows_of(const Copy& copy) {
    Copy2d rows;
    rows.from_pitch = rows.to_pitch = rows.width_bytes = kRowBytes;
    rows.height = copy.bytes / kRowBytes;
    rows.from_type = rows.to_type = kMemoryUnified;
    if (const ImageBuffer* image = as_image(copy.from)) {
        rows.from_type = kMemoryArray;
        rows.from_array = image->array();
        rows.from_y = copy.from_offset / kRowBytes;
    } else
        rows.from_device = from_address(copy);
    if (const ImageBuffer* image = as_image(copy.to)) {
        rows.to_type = kMemoryArray;
        rows.to_array = image->array();
        rows.to_y = copy.to_offset / kRowBytes;
    } else
        rows.to_device = to_address(copy);
    return rows;
}

} // namespace

std::unique_ptr<Buffer> make_buffer(Context& context, Space space, std::size_t bytes) {
    switch (space) {
    case Space::global:
    case Space::address:
    case Space::constant: // copied into the kernel's __constant__ memory before each launch
        return std::make_unique<DeviceBuffer>(context, bytes);
    case Space::host:
        return std::make_unique<PinnedBuffer>(context, bytes);
    case Space::texel:
        return std::make_unique<TexelBuffer>(context, bytes);
    case Space::image2d:
        return std::make_unique<ImageBuffer>(context, bytes);
    case Space::push:
        break;
    }
    throw Unsupported("a kernel's parameters are no memory to allocate");
}

DevicePointer address_of(const Buffer& buffer) { return buffer.address().value_or(0); }

TextureHandle texture_of(const Buffer& buffer, std::uint32_t width) {
    if (const ImageBuffer* image = as_image(&buffer)) return image->texture();
    return static_cast<const TexelBuffer&>(buffer).texture(width);
}

void enqueue_copy(Context& context, const Copy& copy) {
    const Driver& api = context.api;
    if (as_image(copy.from) || as_image(copy.to)) {
        const Copy2d rows = rows_of(copy);
        CU(cuMemcpy2DAsync(&rows, context.stream(copy.queue)));
    } else
        CU(cuMemcpyAsync(to_address(copy), from_address(copy), copy.bytes, context.stream(copy.queue)));
}

} // namespace sonde::cuda
