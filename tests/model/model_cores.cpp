// Cores of a modelled card beside each other: exchanges, atomics, and lines near to one part of them.
#include "tests/model/model_device_class.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

namespace sonde {

Timing ModelDevice::exchange_with_processor(const Launch& launch) {
    auto &out = as_model(&launch.out)->words, &cells = as_model(launch.a)->words;
    const std::uint32_t exchanges = launch.args[0];
    const std::atomic_ref count(cells[0]);
    std::uint32_t waited = 0;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (waited < exchanges && !card_.in_order && std::chrono::steady_clock::now() < give_up) {
        if (count.load(std::memory_order_acquire) != waited) {
            std::this_thread::yield();
            continue;
        }
        count.store(waited + 1, std::memory_order_release);
        waited += 2;
    }
    while (count.load(std::memory_order_acquire) < waited && std::chrono::steady_clock::now() < give_up)
        std::this_thread::yield(); // the processor's last
    out[0] = waited;
    out[1] = exchanges;
    store_clock(launch, 4, 0);
    store_clock(launch, 6, exchanges * card_.exchange_cycles);
    return timing(exchanges * card_.exchange_cycles / clock_mhz() * 1e3);
}

Timing ModelDevice::exchange(const ModelKernel& kernel, const Launch& launch) {
    if (kernel.path.space == Space::host) return exchange_with_processor(launch);
    auto &out = as_model(&launch.out)->words, &cells = as_model(launch.a)->words;
    const std::uint32_t exchanges = launch.args[0], tries = launch.args[1] * 16;
    const bool by_core = launch.groups > 2;
    const auto is_far = [&](std::uint32_t core) { return card_.core_of(core) * 2 >= card_.cores; };
    const bool between_cards = is_of_peer(kernel.path.space);
    double each = between_cards        ? card_.peer_exchange_cycles
                  : launch.groups == 1 ? card_.subgroup_exchange_cycles
                                       : card_.exchange_cycles;
    if (by_core && is_far(launch.args[3]) != is_far(launch.args[4])) each += card_.far_cycles;
    const std::uint32_t count = card_.in_order ? 2 : exchanges;
    out[0] = count;
    out[8] = count + (card_.second_astray ? 3 : 1);
    out[1] = out[9] = card_.in_order ? tries : exchanges;
    out[2] = by_core ? launch.args[3] : 0;
    out[10] = by_core ? launch.args[4] : 0;
    out[16] = count;
    std::atomic_ref(cells[0]).store(count); // which the other card's launch may store at the same time
    store_clock(launch, 4, 0);
    store_clock(launch, 6, exchanges * each);
    return timing(exchanges * each / clock_mhz() * 1e3);
}

Timing ModelDevice::line_times(const ModelKernel& kernel, const Launch& launch) {
    const auto args = args_of<kernel_args::LineTimes>(launch);
    auto &out = as_model(&launch.out)->words, &words = as_model(launch.a)->words;
    const double near = load(*model_of(kernel.path), as_model(launch.a)->where());
    double all = 0;
    for (std::uint32_t group = 0; group < launch.groups; ++group) {
        const std::uint32_t core = group % card_.cores, number = card_.number_of(core),
                            at = group * (1 + 2 * args.lines);
        out[at] = number;
        for (std::uint32_t line = 0; line < args.lines; ++line) {
            const double each =
                near + (line * 7 + core) % 5 + ((core * 2 >= card_.cores) != (line % 2 == 1) ? card_.far_cycles : 0);
            out[at + 1 + 2 * line] = number == args.core ? static_cast<std::uint32_t>(each * args.steps) : 0;
            out[at + 2 + 2 * line] = number == args.core ? words[line * args.apart] : 0xFFFFFFFFu;
            if (group < card_.cores && number == args.core) all += each * args.steps;
        }
    }
    return timing(all / clock_mhz() * 1e3);
}

Timing ModelDevice::cores(const ModelKernel&, const Launch& launch) {
    for (std::uint32_t group = 0; group < launch.groups; ++group)
        as_model(&launch.out)->words[group] = card_.number_of(group % card_.cores);
    return timing(0);
}

void ModelDevice::operate(const ModelKernel& kernel, std::uint32_t* cell, std::uint32_t each) {
    const auto add = [&]<class Number>(Number) {
        Number number;
        std::memcpy(&number, cell, sizeof number);
        const auto operation = kernel.number("OPERATION");
        number = operation == 2 || operation == 4   ? 1
                 : operation == 3 || operation == 5 ? 0
                                                    : number + static_cast<Number>(each);
        std::memcpy(cell, &number, sizeof number);
    };
    if (kernel.defined("TYPE_U64")) return add(std::uint64_t{});
    if (kernel.defined("TYPE_F32")) return add(float{});
    if (kernel.defined("TYPE_F64")) return add(double{});
    add(std::uint32_t{});
}

Timing ModelDevice::add(const ModelKernel& kernel, const Launch& launch) {
    const auto [lane_stride, group_stride, trips, staged, pad] = args_of<kernel_args::Atomics>(launch);
    const std::uint32_t each = trips * 16, width = kernel.defined("WIDTH") ? kernel.number("WIDTH") : 1;
    const LazyWords &out = as_model(&launch.out)->words, &memory = as_model(launch.a)->words;
    for (std::uint32_t group = 0; group < launch.groups; ++group) {
        if (staged) std::copy_n(memory.data(), staged * width, out.data() + group * staged * width);
        for (std::uint32_t lane = 0; lane < kernel.group_size; ++lane)
            operate(kernel,
                staged ? &out[(group * staged + lane * lane_stride) * width]
                       : &memory[(group * group_stride + lane * lane_stride) * width],
                each);
    }
    const double all = static_cast<double>(each) * kernel.group_size * launch.groups,
                 busy = std::min(launch.groups, card_.cores);
    const double at_once = lane_stride > 0 ? card_.atomics_at_once * busy : staged ? busy : 1;
    return timing(all / at_once / clock_mhz() * 1e3);
}

} // namespace sonde
