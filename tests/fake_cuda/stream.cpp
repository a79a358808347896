// Streams, events, copies and launches. What is put on a stream runs, in order, when the stream is waited for; a
// kernel's fault surfaces there and stays with the context, as on a card.
#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/fake_cuda/fake.h"

using namespace fake;
using Clock = std::chrono::steady_clock;

namespace fake {
Table<Stream>& streams() {
    static Table<Stream> table;
    return table;
}
Table<Event>& events() {
    static Table<Event> table;
    return table;
}
} // namespace fake

namespace {

struct Work {
    std::shared_ptr<const KernelCode> code;
    DevicePointer a, b, out;
    std::vector<std::uint64_t> args; // 64-bit words for their alignment
    unsigned groups, scratchpad_bytes;
};

/// An image's words in the order in which its texels are numbered: blocks of 8 x 4 in rows of 2048 (ELEMENT in
/// kernels/vocabulary.h).
const void* by_blocks(const std::vector<std::uint32_t>& rows) {
    constexpr std::size_t kRow = 2048;
    static thread_local std::vector<std::uint32_t> blocks;
    blocks.assign(rows.size(), 0);
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const std::size_t x = at % kRow, y = at / kRow, element = (y / 4 * (kRow / 8) + x / 8) * 32 + y % 4 * 8 + x % 8;
        if (element < blocks.size()) blocks[element] = rows[at];
    }
    return blocks.data();
}

/// Where a kernel's source stands that is given as `given`; null: the card would fault.
const void* source_of(const Work& work, KernelCode::Source source, DevicePointer given, unsigned width) {
    const KernelCode& code = *work.code;
    if (source == KernelCode::Source::constants)
        return code.constants ? reinterpret_cast<const void*>(code.constants->address()) : nullptr;
    if (source == KernelCode::Source::arguments)
        return reinterpret_cast<const char*>(work.args.data()) + code.args_bytes - code.table_bytes;
    if (source == KernelCode::Source::address)
        return is_reached(given) ? reinterpret_cast<const void*>(given) : nullptr;
    const auto texture = textures().find(reinterpret_cast<const void*>(given));
    if (!texture || texture->width != width) return nullptr;
    if (!texture->array) return reinterpret_cast<const void*>(texture->address);
    const auto array = arrays().find(texture->array);
    if (!array || !work.code->by_blocks) return array ? array->words.data() : nullptr;
    return by_blocks(array->words);
}

/// One workgroup after another, on one thread. What lies outside any allocation faults; the host's sanitizers see the
/// rest.
Result execute(const Work& work) {
    const void* a = source_of(work, work.code->source, work.a, work.code->width);
    const void* b = source_of(work, work.code->source_b, work.b, work.code->wide_b ? work.code->width : 1);
    if (!a || !b || !is_reached(work.out)) return kIllegalAddress;
    std::vector<std::uint64_t> scratchpad(
        std::max<std::size_t>(work.scratchpad_bytes, work.code->private_bytes) / 8 + 2);
    auto* aligned = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(scratchpad.data()) + 15) / 16 * 16);
    const unsigned groups = work.code->onlookers ? 1 : work.groups;
    for (unsigned group = 0; group < groups; ++group)
        work.code->function(a, b, reinterpret_cast<void*>(work.out), work.args.data(), aligned, group, groups);
    return kSuccess;
}

/// A host address that the driver does not know is ordinary memory; one that begins in an allocation must stay inside.
bool can_copy(DevicePointer address, std::size_t bytes) {
    return address != 0 && where(address, bytes) != Where::past_its_end;
}

} // namespace

Result cuStreamCreate(StreamHandle* stream, unsigned flags) {
    if (const Result bad = ready()) return bad;
    if (flags > kStreamNonBlocking) return kInvalidValue;
    return *stream = streams().add<StreamHandle>(std::make_shared<Stream>()), kSuccess;
}

Result cuStreamDestroy_v2(StreamHandle stream) {
    if (const Result bad = attached()) return bad;
    return streams().remove(stream);
}

Result cuStreamSynchronize(StreamHandle handle) {
    if (const Result bad = ready()) return bad;
    const auto stream = streams().find(handle);
    if (!stream) return kInvalidHandle;
    if (const Result fault = step("synchronize")) return fault;
    const auto queue = std::exchange(stream->queue, {});
    for (const auto& work : queue)
        if (const Result fault = work()) return current().sticky = fault;
    return kSuccess;
}

Result cuEventCreate(EventHandle* event, unsigned flags) {
    if (const Result bad = ready()) return bad;
    if (flags > 7) return kInvalidValue;
    return *event = events().add<EventHandle>(std::make_shared<Event>()), kSuccess;
}

Result cuEventDestroy_v2(EventHandle event) {
    if (const Result bad = attached()) return bad;
    return events().remove(event);
}

Result cuEventRecord(EventHandle event_handle, StreamHandle stream_handle) {
    if (const Result bad = ready()) return bad;
    const auto event = events().find(event_handle);
    const auto stream = streams().find(stream_handle);
    if (!event || !stream) return kInvalidHandle;
    if (const Result fault = step("event")) return fault;
    event->at.reset();
    stream->queue.push_back([event] { return event->at = Clock::now(), kSuccess; });
    return kSuccess;
}

Result NEWER(cuEventElapsedTime_v2, cuEventElapsedTime)(
    float* milliseconds, EventHandle begin_handle, EventHandle end_handle) {
    if (const Result bad = ready()) return bad;
    const auto begin = events().find(begin_handle);
    const auto end = events().find(end_handle);
    if (!begin || !end) return kInvalidHandle;
    if (!begin->at || !end->at) return kNotReady;
    return *milliseconds = std::chrono::duration<float, std::milli>(*end->at - *begin->at).count(), kSuccess;
}

Result cuMemcpyAsync(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle handle) {
    if (const Result bad = ready()) return bad;
    const auto stream = streams().find(handle);
    if (!stream) return kInvalidHandle;
    if (!can_copy(to, bytes) || !can_copy(from, bytes)) return kInvalidValue;
    if (const Result fault = step("copy")) return fault;
    stream->queue.push_back([=] {
        std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
        return kSuccess;
    });
    return kSuccess;
}

#if !defined SONDE_FAKE_CUDA_OLD
Result cuMemcpyPeerAsync(DevicePointer to, ContextHandle to_context, DevicePointer from, ContextHandle from_context,
    std::size_t bytes, StreamHandle stream) {
    if (owner_of(to) != reinterpret_cast<const Context*>(to_context) ||
        owner_of(from) != reinterpret_cast<const Context*>(from_context))
        return kInvalidContext;
    if (const Result fault = step("peer_copy")) return fault;
    return cuMemcpyAsync(to, from, bytes, stream);
}
#endif

namespace {
Result launch(FunctionHandle function_handle, unsigned groups, unsigned cluster, unsigned shared_bytes,
    StreamHandle stream_handle, void** parameters) {
    const auto function = functions().find(function_handle);
    const auto stream = streams().find(stream_handle);
    if (!function || !stream) return kInvalidHandle;
    const auto& code = function->code;
    if (groups == 0 || groups > 0x7fffffff || cluster == 0 || groups % cluster != 0 || (code->cluster && cluster < 2) ||
        (cluster > 8 && !function->large_clusters))
        return kInvalidValue;
    if (shared_bytes > static_cast<unsigned>(function->dynamic_bytes) || !parameters) return kInvalidValue;
    if (const Result fault = step("launch")) return fault;
    const auto pointer = [&](int i) { return *static_cast<const DevicePointer*>(parameters[i]); };
    Work work{code, pointer(0), pointer(1), pointer(2), std::vector<std::uint64_t>(code->args_bytes / 8 + 1), groups,
        shared_bytes};
    std::memcpy(work.args.data(), parameters[3], code->args_bytes);
    stream->queue.push_back([work = std::move(work)] { return execute(work); });
    return kSuccess;
}
} // namespace

Result cuLaunchKernel(FunctionHandle function, unsigned groups_x, unsigned groups_y, unsigned groups_z, unsigned size_x,
    unsigned size_y, unsigned size_z, unsigned shared_bytes, StreamHandle stream, void** parameters, void** extra) {
    if (const Result bad = ready()) return bad;
    if (groups_y != 1 || groups_z != 1 || size_x != 1 || size_y != 1 || size_z != 1 || extra) return kInvalidValue;
    return launch(function, groups_x, 1, shared_bytes, stream, parameters);
}

#if !defined SONDE_FAKE_CUDA_OLD
Result cuOccupancyMaxActiveClusters(int* clusters, FunctionHandle handle, const LaunchConfig* config) {
    const auto function = functions().find(handle);
    if (!function) return kInvalidHandle;
    constexpr int kAtATime = 2; // whatever their size
    return *clusters = config->attributes[0].values[0] > 8 && !function->large_clusters ? 0 : kAtATime, kSuccess;
}

Result cuLaunchKernelEx(const LaunchConfig* config, FunctionHandle function, void** parameters, void** extra) {
    if (const Result bad = ready()) return bad;
    for (const unsigned one : {config->groups_y, config->groups_z, config->size_x, config->size_y, config->size_z})
        if (one != 1) return kInvalidValue;
    if (extra || config->attribute_count != 1 || config->attributes[0].id != kLaunchClusterDimension)
        return kInvalidValue;
    const unsigned* cluster = config->attributes[0].values;
    if (cluster[1] != 1 || cluster[2] != 1) return kInvalidValue;
    return launch(function, config->groups_x, cluster[0], config->shared_bytes, config->stream, parameters);
}
#endif
