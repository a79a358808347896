// Copies in pieces that fit the staging buffer. A batch that fits it as a whole is waited for once.
#include <algorithm>
#include <cstring>
#include <map>

#include "backends/vulkan/work.h"

namespace sonde::vulkan {

namespace {

constexpr std::size_t kStagingBytes = 16 << 20;
constexpr std::size_t kStagingAlignment = 64; // no two pieces share a cache line

/// What one command copies: a whole Copy, or as much of it as the staging buffer holds.
struct Piece {
    std::size_t index, offset, bytes,
        staging; // of which copy, from where in it, and where it lies in the staging buffer
};

void record(const Work& work, Commands& commands, const Copy& copy, const Piece& piece) {
    const VkBufferCopy region{.srcOffset = copy.from ? copy.from_offset + piece.offset : piece.staging,
        .dstOffset = copy.to ? copy.to_offset + piece.offset : piece.staging,
        .size = piece.bytes};
    const auto* from_image = dynamic_cast<const VulkanImage*>(copy.from);
    const auto* to_image = dynamic_cast<const VulkanImage*>(copy.to);
    const auto handle_of = [&](const Buffer* buffer) {
        return (buffer ? static_cast<const VulkanBuffer&>(*buffer) : *work.staging).handle();
    };
    commands.record([&](VkCommandBuffer buffer) {
        if (to_image) return to_image->record_copy(buffer, handle_of(copy.from), region, true);
        if (from_image) return from_image->record_copy(buffer, handle_of(copy.to), region, false);
        work.context.api.vkCmdCopyBuffer(buffer, handle_of(copy.from), handle_of(copy.to), 1, &region);
    });
}

/// A batch on the queue of the kernels.
class Transfer {
public:
    Transfer(Work& work, std::span<const Copy> copies)
        : work_(work), copies_(copies), timings_(copies.size(), Timing{0, 0.0}) {}

    std::vector<Timing> run() {
        const double host_ns = host_ns_of([&] {
            for (std::size_t index = 0; index < copies_.size(); ++index)
                for (std::size_t offset = 0; offset < copies_[index].bytes;) offset += add(index, offset);
            flush();
        });
        for (Timing& timing : timings_) timing.host_ns = host_ns / static_cast<double>(copies_.size());
        return timings_;
    }

private:
    /// Records what fits of a copy from `offset` on; so many bytes.
    std::size_t add(std::size_t index, std::size_t offset) {
        const Copy& copy = copies_[index];
        const bool staged = !copy.from || !copy.to;
        const std::size_t bytes = staged ? std::min(copy.bytes - offset, kStagingBytes) : copy.bytes - offset;
        if (staged && bytes > kStagingBytes - used_) flush();
        if (pieces_.empty())
            work_.commands.begin(copies_.size()); // between two flushes no copy has more than one piece
        const Piece& piece = pieces_.emplace_back(Piece{index, offset, bytes, used_});
        if (staged) {
            if (!work_.staging) {
                work_.staging = allocate<VulkanBuffer>(work_.context, Space::host, kStagingBytes);
                work_.staged = work_.staging->map();
            }
            if (copy.from_host)
                std::memcpy(work_.staged + piece.staging, static_cast<const char*>(copy.from_host) + offset, bytes);
            used_ = std::min(
                kStagingBytes, (used_ + bytes + kStagingAlignment - 1) / kStagingAlignment * kStagingAlignment);
        }
        record(work_, work_.commands, copy, piece);
        return bytes;
    }

    /// Submits the pieces so far, waits, and hands what was read back to the host.
    void flush() {
        if (pieces_.empty()) return;
        work_.commands.submit();
        work_.commands.wait();
        const auto device_ns = work_.commands.device_ns();
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const Piece& piece = pieces_[i];
            const Copy& copy = copies_[piece.index];
            if (copy.to_host)
                std::memcpy(static_cast<char*>(copy.to_host) + piece.offset, work_.staged + piece.staging, piece.bytes);
            std::optional<double>& sum = timings_[piece.index].device_ns;
            const bool timed = sum && i < device_ns.size() && device_ns[i];
            sum = timed ? std::optional(*sum + *device_ns[i]) : std::nullopt;
        }
        pieces_.clear();
        used_ = 0;
    }

    Work& work_;
    const std::span<const Copy> copies_;
    std::vector<Timing> timings_;
    std::vector<Piece> pieces_;
    std::size_t used_ = 0; // bytes of the staging buffer
};

/// Records per queue, submits all, then waits for all.
std::vector<Timing> copy_in_queues(Work& work, std::span<const Copy> copies) {
    std::map<QueuePlace, std::uint32_t> number_of;
    std::map<std::uint32_t, Commands*> used;
    for (const Copy& copy : copies) {
        if (!copy.from || !copy.to)
            throw Unsupported("Vulkan copies between buffers only: pageable memory is the program's own to stage");
        if (dynamic_cast<const VulkanImage*>(copy.from) || dynamic_cast<const VulkanImage*>(copy.to))
            throw Unsupported("images are copied on queue 0");
        if (number_of.try_emplace(work.context.physical.queues.at(copy.queue), copy.queue).first->second != copy.queue)
            throw Unsupported("the device shows one queue: no two copies go on at once");
        auto& queue = work.queues[copy.queue];
        if (!queue) queue = std::make_unique<Commands>(work.context, copy.queue);
        used[copy.queue] = queue.get();
    }
    for (const auto& [queue, commands] : used) commands->begin(0, Timed::whole);
    return time_whole(
        copies.size(),
        [&](std::size_t i) {
            record(work, *used[copies[i].queue], copies[i], {i, 0, copies[i].bytes, 0});
        },
        [&] {
            for (const auto& [queue, commands] : used) commands->submit();
            for (const auto& [queue, commands] : used) commands->wait();
        });
}

} // namespace

std::vector<Timing> copy(Work& work, std::span<const Copy> copies) {
    return uses_copy_queues(copies) ? copy_in_queues(work, copies) : Transfer(work, copies).run();
}

} // namespace sonde::vulkan
