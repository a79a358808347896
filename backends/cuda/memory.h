// Buffers of every memory space, and the textures over them.
#pragma once
#include <memory>

#include "backends/cuda/context.h"

namespace sonde::cuda {

/// Throws Unsupported for a space without buffers, DoesNotFit where there is no room.
std::unique_ptr<Buffer> make_buffer(Context&, Space, std::size_t bytes);
/// Of linear memory.
DevicePointer address_of(const Buffer&);
/// Whether kernels read a source in this space through a texture.
inline bool is_texture(Space space) { return space == Space::texel || space == Space::image2d; }
/// A texture object whose texels have `width` words, over a buffer of such a space.
TextureHandle texture_of(const Buffer&, std::uint32_t width);
/// Puts a copy on the stream of its queue.
void enqueue_copy(Context&, const Copy&);

} // namespace sonde::cuda
