// Copies in pieces that fit the staging buffer. A batch that fits it as a whole is waited for once.
#include "backends/vulkan/transfer.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace sonde::vulkan {

namespace {

constexpr std::size_t kStagingBytes = 16 << 20;
constexpr std::size_t kStagingAlignment = 64; // no two pieces share a cache line

VkBuffer handle_of(const Buffer* buffer) { return static_cast<const VulkanBuffer*>(buffer)->handle(); }
bool is_staged(const Copy& copy) { return !copy.from || !copy.to; }

} // namespace

std::vector<Timing> Transfers::copy(std::span<const Copy> copies) {
    std::vector<Timing> timings(copies.size(), Timing{0, 0.0});
    pieces_.clear();
    used_ = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t index = 0; index < copies.size(); ++index) {
        const Copy& copy = copies[index];
        for (std::size_t offset = 0; offset < copy.bytes;) {
            std::size_t bytes = copy.bytes - offset;
            if (is_staged(copy)) {
                bytes = std::min(bytes, kStagingBytes);
                if (bytes > kStagingBytes - used_) flush(copies, timings);
            }
            if (pieces_.empty()) commands_.begin(copies.size()); // between two flushes no copy has more than one piece
            add(copy, index, offset, bytes);
            offset += bytes;
        }
    }
    flush(copies, timings);
    const double host_ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
    for (Timing& timing : timings) timing.host_ns = host_ns / static_cast<double>(copies.size());
    return timings;
}

void Transfers::add(const Copy& copy, std::size_t index, std::size_t offset, std::size_t bytes) {
    const Piece piece{index, offset, bytes, used_};
    if (is_staged(copy)) {
        if (!staging_) {
            staging_ = std::make_unique<VulkanBuffer>(context_, Space::host, kStagingBytes);
            staged_ = staging_->map();
        }
        if (copy.from_host) std::memcpy(staged_ + piece.staging, static_cast<const char*>(copy.from_host) + offset, bytes);
        used_ = std::min(kStagingBytes, (used_ + bytes + kStagingAlignment - 1) / kStagingAlignment * kStagingAlignment);
    }
    record(copy, piece);
    pieces_.push_back(piece);
}

void Transfers::record(const Copy& copy, const Piece& piece) {
    const VkBufferCopy region{.srcOffset = copy.from ? copy.from_offset + piece.offset : piece.staging,
                              .dstOffset = copy.to ? copy.to_offset + piece.offset : piece.staging,
                              .size = piece.bytes};
    const auto* from_image = dynamic_cast<const VulkanImage*>(copy.from);
    const auto* to_image = dynamic_cast<const VulkanImage*>(copy.to);
    commands_.record([&](VkCommandBuffer buffer) {
        if (to_image) return to_image->record_copy(buffer, copy.from ? handle_of(copy.from) : staging_->handle(), region, true);
        const VkBuffer to = copy.to ? handle_of(copy.to) : staging_->handle();
        if (from_image) return from_image->record_copy(buffer, to, region, false);
        context_.api.vkCmdCopyBuffer(buffer, copy.from ? handle_of(copy.from) : staging_->handle(), to, 1, &region);
    });
}

void Transfers::flush(std::span<const Copy> copies, std::vector<Timing>& timings) {
    if (pieces_.empty()) return;
    commands_.submit_and_wait();
    const auto device_ns = commands_.device_ns();
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const Piece& piece = pieces_[i];
        const Copy& copy = copies[piece.index];
        if (copy.to_host) std::memcpy(static_cast<char*>(copy.to_host) + piece.offset, staged_ + piece.staging, piece.bytes);
        std::optional<double>& sum = timings[piece.index].device_ns;
        const bool timed = sum && i < device_ns.size() && device_ns[i];
        sum = timed ? std::optional(*sum + *device_ns[i]) : std::nullopt;
    }
    pieces_.clear();
    used_ = 0;
}

} // namespace sonde::vulkan
