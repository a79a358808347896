// Kernels of many work-items on a modelled card: the bytes that they move, by segments of the memory, patterns and
// banks.
#include "tests/model/model_device_class.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "core/measure/chain.h"

namespace sonde {

std::uint32_t ModelDevice::garbled() {
    ++traffic_;
    if (card_.lost_after && traffic_ > card_.lost_after) throw Error("the modelled device is lost");
    return card_.wrong_after && traffic_ > card_.wrong_after ? 1 : 0;
}

Timing ModelDevice::traffic(std::uint32_t groups, double bytes, double faster) {
    memory_.counts.moved.insert(bytes);
    const double rate =
        card_.group_bandwidth > 0 ? std::min(card_.bandwidth, card_.group_bandwidth * groups) : card_.bandwidth;
    return timing(bytes / rate / awake() / faster * 1e9);
}

Timing ModelDevice::read(const ModelKernel& kernel, const Launch& launch) {
    const auto& args = launch.args;
    const std::uint32_t width = kernel.number("WIDTH"), loads = kernel.number("LOADS"), turns = kernel.number("TURNS"),
                        lanes = kernel.group_size;
    const LazyWords &words = as_model(launch.a)->words, &out = as_model(&launch.out)->words;
    const std::uint32_t wrong = garbled();
    std::uint64_t zeros = 0; // words
    std::vector<std::uint32_t> sums(lanes);
    for (std::uint32_t group = 0; group < launch.groups; ++group) {
        sums.assign(lanes, wrong);
        for (std::uint32_t n = 0; n < args[6]; ++n) {
            const std::uint64_t tile =
                (std::uint64_t{group} * args[2] + std::uint64_t{n} * (args[3] + group * args[4] % args[5])) % args[1];
            for (std::uint32_t row = 0; row < loads * turns; ++row) {
                const std::uint32_t* begin = &words[(tile * turns + row / loads) * loads * lanes * width];
                std::uint32_t element = row % loads * lanes % args[0];
                for (std::uint32_t& sum : sums) {
                    for (std::uint32_t word = 0; word < width; ++word) {
                        sum += begin[element * width + word];
                        zeros += begin[element * width + word] == 0;
                    }
                    element = element + 1 == args[0] ? 0 : element + 1;
                }
            }
        }
        if (kernel.defined("ONCE")) out[group] = sums[args[9]];
        else std::copy(sums.begin(), sums.end(), out.data() + group * lanes);
    }
    const std::uint64_t read = std::uint64_t{launch.groups} * args[6] * loads * turns * lanes * width;
    const bool slower = !kernel.defined("ONCE") && card_.loops_slower > 0;
    return traffic(launch.groups, 4.0 * static_cast<double>(read),
        (zeros > read / 2 ? card_.zeros_faster : 1) / (slower ? card_.loops_slower : 1));
}

Timing ModelDevice::pattern(const ModelKernel& kernel, const Launch& launch) {
    const auto& args = launch.args;
    const std::uint32_t lanes = args[0], across = args[1], windows = args[11],
                        count = args[13] * kernel.number("LOADS"), items = kernel.group_size * launch.groups;
    const std::uint32_t bits = kernel.defined("BITS") ? kernel.number("BITS") : 32, words_of = kernel.number("WIDTH"),
                        size = bits == 32 ? words_of * 4 : bits / 8;
    const bool rows = kernel.defined("ROWS"), scattered = kernel.defined("SCATTERED"),
               stores = kernel.defined("STORES"), packed = kernel.defined("PACKED");
    const std::uint32_t active = kernel.defined("ACTIVE") ? args[15] : lanes, wrong = garbled();
    const LazyWords &words = as_model(launch.a)->words, &out = as_model(&launch.out)->words;
    char* memory = reinterpret_cast<char*>(words.data());
    double bytes = 0;
    std::vector<std::set<std::uint64_t>> transactions(
        card_.transaction_bytes ? std::size_t{items} / lanes * count : 0); // by subgroup and load
    for (std::uint32_t item = 0; item < items; ++item) {
        const std::uint32_t place = (item % lanes * args[2] + args[3]) % lanes,
                            own = place % across * args[4] + place / across * args[5] + args[6];
        std::uint32_t sum = wrong;
        for (std::uint32_t load = 0; place < active && load < count; ++load, bytes += size) {
            const auto window =
                static_cast<std::uint32_t>((item / lanes + std::uint64_t{load} * (items / lanes)) % windows);
            const std::uint64_t element =
                scattered
                    ? scrambled(item + load * items, args[14]) & (windows - 1)
                    : own + (rows ? (window & args[7]) * args[9] + (window >> args[8]) * args[10] : window * args[9]);
            const std::uint64_t first = packed ? element : element * size;
            if (card_.transaction_bytes)
                transactions[std::size_t{item} / lanes * count + load].insert(first / card_.transaction_bytes);
            for (std::uint32_t byte = 0; byte < size; byte += 4) {
                std::uint32_t word = static_cast<std::uint32_t>(element) + args[14] + wrong;
                if (stores) std::memcpy(memory + first + byte, &word, std::min(size, 4u));
                else std::memcpy(&(word = 0), memory + first + byte, std::min(size, 4u));
                sum += stores ? 0 : word;
            }
        }
        out[item] = sum;
    }
    double moved = 0; // by the memory
    for (const auto& each : transactions) moved += static_cast<double>(each.size()) * card_.transaction_bytes;
    return traffic(launch.groups, bytes, moved > 0 ? bytes / moved : 1);
}

Timing ModelDevice::mix(const ModelKernel& kernel, const Launch& launch) {
    const std::uint32_t width = kernel.number("WIDTH"), loads = kernel.number("LOADS"), lanes = kernel.group_size,
                        rounds = launch.args[0], span = launch.args[3], step = launch.args[4];
    const LazyWords& out = as_model(&launch.out)->words;
    const std::uint32_t wrong = garbled();
    std::fill_n(out.data(), std::size_t{launch.groups} * lanes, wrong);
    double bytes[2] = {0, 0};
    for (const int side : {0, 1}) {
        const LazyWords& words = as_model(side == 0 ? launch.a : launch.b)->words;
        std::uint32_t begin = 0;
        for (std::uint32_t row = 0; row < rounds * launch.args[1 + side]; ++row) {
            for (std::uint32_t element = 0; element < loads * lanes; ++element)
                for (std::uint32_t word = 0; word < width; ++word, bytes[side] += 4.0 * launch.groups)
                    out[element % lanes] += words[(begin + element) * width + word];
            begin = begin + step >= span ? begin + step - span : begin + step;
        }
    }
    for (std::uint32_t group = 1; group < launch.groups; ++group)
        std::copy_n(out.data(), lanes, out.data() + std::size_t{group} * lanes);
    memory_.counts.moved.insert(bytes[0] + bytes[1]);
    const double a = bytes[0] / card_.first_level_rates.at(std::string(kernel.path.name)),
                 b = bytes[1] / card_.first_level_rates.at(std::string(kernel.path_b->name));
    return timing((card_.one_pipe ? a + b : std::max(a, b)) * 1e9);
}

template <class Number> Timing ModelDevice::stream(const ModelKernel& kernel, const Launch& launch) {
    const std::uint32_t operation = kernel.number("OPERATION"), lanes = kernel.group_size,
                        rows = kernel.number("LOADS") * kernel.number("TURNS");
    const auto [own, first, step, count, array, salt, stage, factor] = args_of<kernel_args::Write>(launch);
    const bool once = kernel.defined("ONCE");
    const auto scalar = static_cast<Number>(!kernel.defined("FACTOR")      ? 3
                                            : kernel.number("FACTOR") == 1 ? factor
                                                                           : as_model(launch.b)->words[own % 64]);
    std::uint32_t* words = as_model(launch.a)->words.data();
    std::uint32_t* out = as_model(&launch.out)->words.data();
    double bytes = 0;
    const auto loaded = [&](std::uint64_t at) {
        Number number;
        std::memcpy(&number, words + at * (sizeof number / 4), sizeof number);
        bytes += sizeof number;
        return number;
    };
    for (std::uint32_t group = 0; group < launch.groups; ++group)
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            Number sum = 0;
            for (std::uint32_t n = 0; n < (once ? 1 : count); ++n)
                for (std::uint32_t row = 0; row < rows; ++row) {
                    const std::uint64_t tile = once ? group % own : std::uint64_t{group} * first + n % own * step,
                                        at = tile * rows * lanes + row * lanes + lane;
                    const Number a = loaded(at), b = operation == 4 ? 0 : loaded(at + array);
                    if (operation == 7) {
                        sum += a * b;
                        continue;
                    }
                    const Number result = operation == 4 ? scalar * a : operation == 5 ? a + b : a + 3 * b;
                    std::memcpy(words + (at + (operation == 4 ? 1 : 2) * std::uint64_t{array}) * (sizeof result / 4),
                        &result, sizeof result);
                    bytes += sizeof result;
                }
            const std::uint32_t item = group * lanes + lane;
            if (operation == 7) std::memcpy(out + item * (sizeof sum / 4), &sum, sizeof sum);
            else if (once) out[group] = group + salt;
            else out[item] = count / own;
        }
    garbled();
    return written(kernel, launch, bytes);
}

Timing ModelDevice::write(const ModelKernel& kernel, const Launch& launch) {
    if (kernel.defined("TYPE_F64")) return stream<double>(kernel, launch);
    if (kernel.defined("TYPE_F32")) return stream<float>(kernel, launch);
    const std::uint32_t width = kernel.number("WIDTH"), operation = kernel.number("OPERATION"),
                        tile = kernel.number("LOADS") * kernel.number("TURNS") * kernel.group_size;
    const std::uint32_t own = launch.args[0], first = launch.args[1], step = launch.args[2], count = launch.args[3],
                        half = launch.args[4], salt = launch.args[5];
    const LazyWords &words = as_model(launch.a)->words, &out = as_model(&launch.out)->words;
    const bool once = kernel.defined("ONCE");
    garbled();
    double bytes = 0;
    const auto loaded = [&](std::uint64_t at) {
        bytes += 4;
        return words[at];
    };
    const auto store = [&](std::uint64_t at, std::uint32_t value) {
        bytes += 4;
        words[at] = value;
    };
    for (std::uint32_t group = 0; group < launch.groups; ++group) {
        if (once) out[group] = group + salt;
        for (std::uint32_t n = 0; n < (once ? 1 : count); ++n)
            for (std::uint32_t e = 0; e < tile; ++e) {
                const std::uint32_t element = (once ? group % own : group * first + n % own * step) * tile + e;
                for (std::uint64_t at = std::uint64_t{element} * width; at < (std::uint64_t{element} + 1) * width; ++at)
                    if (operation == 1) store(at, element + salt + n);
                    else if (operation == 2) store(at + std::uint64_t{half} * width, loaded(at) + salt + n);
                    else store(at, loaded(at) + 1);
            }
    }
    return written(kernel, launch, bytes);
}

Timing ModelDevice::written(const ModelKernel& kernel, const Launch& launch, double bytes) {
    return traffic(
        launch.groups, bytes, !kernel.defined("ONCE") && card_.loops_slower > 0 ? 1 / card_.loops_slower : 1);
}

std::vector<double> ModelDevice::segment_ns(const ModelBuffer& buffer, double bytes) const {
    if (card_.segments.empty()) return {bytes / card_.bandwidth * 1e9};
    std::vector<double> all;
    std::uint64_t begin = 0;
    for (const SegmentModel& segment : card_.segments) {
        const std::uint64_t end = begin + segment.bytes, from = std::max(begin, buffer.place()),
                            to = std::min(end, buffer.place() + buffer.bytes());
        all.push_back(to > from ? bytes * static_cast<double>(to - from) / static_cast<double>(buffer.bytes()) /
                                      segment.bandwidth * 1e9
                                : 0);
        begin = end;
    }
    return all;
}

std::uint32_t ModelDevice::sum_of(std::uint64_t words, std::uint32_t salt) {
    std::uint64_t pairs = words % 2 ? words * ((words - 1) / 2) : words / 2 * (words - 1);
    return static_cast<std::uint32_t>(pairs) + static_cast<std::uint32_t>(words) * salt;
}

Timing ModelDevice::pair(const ModelKernel& kernel, const Launch& launch) {
    const std::uint32_t of = launch.args[0], on_b = launch.args[1], tile = kernel.number("LOADS") * kernel.group_size;
    const LazyWords& out = as_model(&launch.out)->words;
    std::fill_n(out.data(), std::size_t{launch.groups} * kernel.group_size, 0u);
    out[0] = garbled();
    std::vector<double> ns[2];
    for (int side = 0; side < (on_b ? 2 : 1); ++side) {
        const std::uint32_t members = launch.groups / of * (side == 0 ? of - on_b : on_b);
        ModelBuffer& buffer = *as_model(side == 0 ? launch.a : launch.b);
        const std::uint32_t *args = &launch.args[2 + 4 * side], tiles = args[0],
                            count = card_.loop_trips ? std::min(args[1], card_.loop_trips) : args[1];
        const std::uint64_t visits = std::uint64_t{members} * count;
        ns[side] = segment_ns(buffer, static_cast<double>(visits * tile) * 4 * (args[2] ? card_.writes_longer : 1));
        if (args[2]) { // writes
            buffer.mixed = visits < tiles && (buffer.mixed || buffer.salt != args[3]);
            buffer.salt = args[3];
            out[0] += members * kernel.group_size * count;
        } else {
            out[0] += static_cast<std::uint32_t>(visits / tiles) *
                          sum_of(std::uint64_t{tiles} * tile, buffer.salt.value_or(0)) +
                      sum_of(visits % tiles * tile, buffer.salt.value_or(0)) + buffer.mixed;
        }
    }
    const auto all_of = [](const std::vector<double>& each) {
        double sum = 0;
        for (const double x : each) sum += x;
        return sum;
    };
    if (on_b == 0) return timing(all_of(ns[0]));
    const bool both_read = !launch.args[4] && !launch.args[8];
    if (card_.exclusive_reads && both_read) return timing(all_of(ns[0]) + all_of(ns[1]));
    double longest = std::max(all_of(ns[0]), all_of(ns[1])); // segments work at the same time, each for both
    for (std::size_t i = 0; i < ns[0].size(); ++i) longest = std::max(longest, ns[0][i] + ns[1][i]);
    return timing(longest);
}

Timing ModelDevice::sum_of_pair(const ModelKernel& kernel, const Launch& launch) {
    const ModelBuffer& buffer = *as_model(launch.a);
    const LazyWords& out = as_model(&launch.out)->words;
    std::fill_n(out.data(), std::size_t{launch.groups} * kernel.group_size, 0u);
    out[0] = sum_of(std::uint64_t{launch.args[0]} * kernel.number("WIDTH"), *buffer.salt) + buffer.mixed;
    return timing(1000);
}

Timing ModelDevice::banks(const ModelKernel& kernel, const Launch& launch) {
    const std::uint32_t width = kernel.number("WIDTH"), loads = kernel.number("LOADS"), elements = launch.args[0],
                        stride = launch.args[1], count = launch.args[2];
    const LazyWords &words = as_model(launch.a)->words, &out = as_model(&launch.out)->words;
    const auto element = [&](std::uint32_t e) {
        std::uint32_t sum = 0;
        for (std::uint32_t word = 0; word < width; ++word) sum += words[e * width + word];
        return sum;
    };
    const std::uint32_t round = elements / loads; // after which a lane's loads begin where they began
    for (std::uint32_t lane = 0; lane < kernel.group_size; ++lane) {
        std::uint32_t sum = 0, rest = 0;
        for (std::uint32_t n = 0; n < round; ++n)
            for (std::uint32_t load = 0; load < loads; ++load) {
                const std::uint32_t loaded = element((lane * stride + n * loads) % elements + load);
                sum += loaded;
                if (n < count % round) rest += loaded;
            }
        out[4 + lane] = count / round * sum + rest;
    }
    const std::uint32_t at_once =
        std::min(kLanes, kLanes * card_.bank_bytes / 4 / width); // lanes whose words the banks' ports can take
    double turns = 0;
    for (std::uint32_t begin = 0; begin < kLanes; begin += at_once) {
        std::vector<std::set<std::uint32_t>> asked(card_.banks);
        for (std::uint32_t lane = begin; lane < begin + at_once; ++lane)
            for (std::uint32_t word = 0; word < width; ++word) {
                const std::uint32_t place = (lane * stride % elements * width + word) * 4 / card_.bank_bytes;
                asked[place % card_.banks].insert(place);
            }
        std::size_t most = 0;
        for (const auto& each : asked) most = std::max(most, each.size());
        turns += static_cast<double>(most);
    }
    const double cycles = turns * count * loads * kernel.group_size / kLanes;
    store_clock(launch, 0, 0);
    store_clock(launch, 2, cycles);
    return timing(cycles / clock_mhz() * 1e3);
}

} // namespace sonde
