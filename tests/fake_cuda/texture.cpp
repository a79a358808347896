// Textures over linear memory and over arrays, and copies of rows.
#include <cstring>

#include "tests/fake_cuda/fake.h"

using namespace fake;

namespace fake {
Table<Array>& arrays() {
    static Table<Array> table;
    return table;
}
Table<Texture>& textures() {
    static Table<Texture> table;
    return table;
}
} // namespace fake

#if !defined SONDE_FAKE_CUDA_OLD

namespace {

/// One end of a copy of rows: where row 0 begins, how far the rows stand apart, how many bytes from there on may be
/// touched.
struct Rows {
    char* begin = nullptr;
    std::size_t pitch = 0, bytes = 0;
};

Result rows_of(Rows& rows, const CopyEnd& end, std::size_t touched) {
    if (end.x != 0) return kInvalidValue; // the backend copies whole rows
    if (end.type == kMemoryUnified) {
        if (end.device == 0 || end.y != 0 || where(end.device, touched) == Where::past_its_end) return kInvalidValue;
        rows = {reinterpret_cast<char*>(end.device), end.pitch, touched};
        return kSuccess;
    }
    const auto array = arrays().find(end.array);
    if (end.type != kMemoryArray || !array) return kInvalidValue;
    const std::size_t row_bytes = array->width * 4;
    if (end.y > array->height) return kInvalidValue;
    rows = {reinterpret_cast<char*>(array->words.data()) + end.y * row_bytes, row_bytes,
        (array->height - end.y) * row_bytes};
    return kSuccess;
}

Result linear_texture(Texture& texture, const ResourceDescriptor& resource) {
    const LinearResource& linear = resource.linear;
    const bool texel =
        linear.format == kFormatUnsigned32 && (linear.channels == 1 || linear.channels == 2 || linear.channels == 4);
    if (!texel || where(linear.address, linear.bytes) != Where::in_an_allocation) return kInvalidValue;
    if (linear.bytes / 4 / linear.channels > static_cast<std::size_t>(kTexture1dWidth)) return kInvalidValue;
    texture = {linear.address, linear.bytes, linear.channels, nullptr};
    return kSuccess;
}

} // namespace

Result cuArrayCreate_v2(ArrayHandle* handle, const ArrayDescriptor* shape) {
    if (const Result bad = ready()) return bad;
    if (const Result fault = step("alloc")) return fault;
    const bool possible =
        shape->width > 0 && shape->height > 0 && shape->height <= static_cast<std::size_t>(kTexture2dRows);
    if (!possible || shape->format != kFormatUnsigned32 || shape->channels != 1) return kInvalidValue;
    if (shape->width * shape->height * 4 > kMemoryBytes) return kOutOfMemory;
    auto array = std::make_shared<Array>(Array{shape->width, shape->height, {}});
    array->words.resize(shape->width * shape->height);
    return *handle = arrays().add<ArrayHandle>(array), kSuccess;
}

Result cuArrayDestroy(ArrayHandle handle) {
    if (const Result bad = attached()) return bad;
    return arrays().remove(handle);
}

Result cuTexObjectCreate(
    TextureHandle* handle, const ResourceDescriptor* resource, const TextureDescriptor* descriptor, const void* view) {
    if (const Result bad = ready()) return bad;
    if (view || resource->flags != 0 || descriptor->flags != kReadAsInteger || descriptor->filter_mode != 0)
        return kInvalidValue;
    Texture texture{0, 0, 1, nullptr};
    if (resource->type == kResourceArray) {
        if (!arrays().find(resource->array)) return kInvalidHandle;
        texture.array = resource->array;
    } else if (const Result bad = resource->type == kResourceLinear ? linear_texture(texture, *resource)
                                                                    : static_cast<Result>(kInvalidValue))
        return bad;
    return *handle = textures().add<TextureHandle>(std::make_shared<Texture>(texture)), kSuccess;
}

Result cuTexObjectDestroy(TextureHandle handle) {
    if (const Result bad = attached()) return bad;
    return textures().remove(reinterpret_cast<const void*>(handle));
}

Result cuMemcpy2DAsync_v2(const Copy2d* copy, StreamHandle stream_handle) {
    if (const Result bad = ready()) return bad;
    const auto stream = streams().find(stream_handle);
    if (!stream) return kInvalidHandle;
    if (copy->width_bytes == 0 || copy->height == 0) return kInvalidValue;
    if (const Result fault = step("copy")) return fault;
    Rows from, to;
    const std::size_t height = copy->height, width = copy->width_bytes;
    const auto touched = [&](std::size_t pitch) { return (height - 1) * pitch + width; };
    if (const Result bad = rows_of(from, copy->from, touched(copy->from.pitch))) return bad;
    if (const Result bad = rows_of(to, copy->to, touched(copy->to.pitch))) return bad;
    for (const Rows& rows : {from, to})
        if (rows.pitch < width || touched(rows.pitch) > rows.bytes) return kInvalidValue;
    stream->queue.push_back([=] {
        for (std::size_t row = 0; row < height; ++row)
            std::memcpy(to.begin + row * to.pitch, from.begin + row * from.pitch, width);
        return kSuccess;
    });
    return kSuccess;
}
#endif
