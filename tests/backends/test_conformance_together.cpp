// Conformance, once per device of every backend: what queues do at once, and what work-items do to one memory at the
// same time.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/backends/conformance.h"

using namespace sonde;
using namespace sonde::words;

namespace {

/// A batch that is timed as a whole does the same work in the same order.
CONFORMANCE(whole, "global") {
    const auto empty = compiled(device, "empty", *find_path("global"));
    const auto out = uploaded(device, Space::global, Words{5, kUntouched});
    const kernel_args::Empty marks[] = {{1}, {0}, {7}, {1}};
    std::vector<Launch> launches;
    for (const auto& args : marks)
        launches.push_back({.kernel = *empty, .out = *out, .args = Bench::words_of(args), .groups = 3});
    const auto timings = device.run(launches, Timed::whole);
    REQUIRE(timings.size() == 4);
    for (const Timing& timing : timings) {
        CHECK(timing.host_ns > 0);
        CHECK(timing.host_ns == timings[0].host_ns);
        CHECK(!timing.device_ns);
    }
    CHECK(downloaded(device, *out, 2) == Words{14, kUntouched});
}

/// Copies of several queues all arrive, each queue's in order; where an API cannot, it says so.
CONFORMANCE(copy_queues, "global") {
    Words data(1 << 16), other(1 << 16);
    std::iota(data.begin(), data.end(), kSeed);
    std::iota(other.begin(), other.end(), 7u);
    const std::size_t bytes = data.size() * sizeof(uint);
    const auto host_space = device.why_not(*find_path("host")) ? Space::global : Space::host;
    const auto host_from = uploaded(device, host_space, data),
               host_to = uploaded(device, host_space, Words(data.size(), kUntouched));
    const auto near_from = uploaded(device, Space::global, other), near_to = untouched(device, data.size());
    const auto with_queues = [&](uint up, uint down) {
        return std::vector<Copy>{{.from = host_from.get(), .to = near_to.get(), .bytes = bytes, .queue = up},
            {.from = near_from.get(), .to = host_to.get(), .bytes = bytes, .queue = down},
            {.from = host_from.get(), .to = near_to.get(), .bytes = 4, .from_offset = 400, .queue = up},
            {.from = near_from.get(), .to = host_to.get(), .bytes = 4, .from_offset = 800, .queue = down}};
    };
    const auto arrive = [&](const std::vector<Copy>& copies) {
        for (const Buffer* buffer : {near_to.get(), host_to.get()}) {
            const Words nothing(data.size(), kUntouched);
            const Copy clear{.from_host = nothing.data(), .to = const_cast<Buffer*>(buffer), .bytes = bytes};
            device.copy({&clear, 1});
        }
        const auto timings = device.copy(copies);
        REQUIRE(timings.size() == copies.size());
        CHECK(timings[0].host_ns > 0);
        CHECK(timings[0].host_ns == timings[1].host_ns);
        CHECK(!timings[0].device_ns);
        Words up = data, down = other;
        up[0] = data[100];
        down[0] = other[200];
        CHECK(downloaded(device, *near_to, data.size()) == up);
        CHECK(downloaded(device, *host_to, data.size()) == down);
    };
    arrive(with_queues(1, 1));
    try {
        arrive(with_queues(1, 2));
    } catch (const Unsupported& why) {
        CHECK(std::string(why.what()) == "the device shows one queue: no two copies go on at once");
        CHECK(device.info().api == "vulkan");
    }
    Words back(data.size());
    const Copy pageable[] = {{.from_host = other.data(), .to = near_to.get(), .bytes = bytes, .queue = 1},
        {.from = near_to.get(), .to_host = back.data(), .bytes = bytes, .queue = 1}};
    try {
        device.copy(pageable);
        CHECK(back == other);
    } catch (const Unsupported&) {
        CHECK(device.info().api == "vulkan");
    }
    // What was copied in queues is there for kernels.
    const auto haul = compiled(device, "copy", *find_path("global"), device.info().subgroup);
    launch(device, *haul, kernel_args::Copy{.words = static_cast<uint>(data.size())}, *near_to,
        {.a = host_from.get(), .groups = 64});
    CHECK(downloaded(device, *near_to, data.size()) == data);
}

/// What the processor writes to memory of the device is there for its kernels and copies, and the other way round; who
/// maps none says why.
CONFORMANCE(mapped, "global") {
    Words data(1 << 16);
    std::iota(data.begin(), data.end(), kSeed);
    const std::size_t bytes = data.size() * sizeof(uint);
    std::unique_ptr<Buffer> buffer;
    try {
        buffer = device.allocate(Space::mapped, bytes);
    } catch (const Unsupported& why) {
        MESSAGE(device.info().id, ": ", std::string(why.what()));
        CHECK(std::string(why.what()).size() > 20);
        return;
    }
    CHECK(buffer->placement().device_local != false);
    CHECK(device.allocate(Space::global, bytes)->map() == nullptr);
    for (const uint turn : {0u, 1u}) {
        for (uint& word : data) word += turn;
        REQUIRE(buffer->map());
        std::memcpy(buffer->map(), data.data(), bytes);
        const auto hauled = untouched(device, data.size());
        const auto haul = compiled(device, "copy", path, device.info().subgroup);
        launch(device, *haul, kernel_args::Copy{.words = static_cast<uint>(data.size())}, *hauled,
            {.a = buffer.get(), .groups = 64});
        CHECK(downloaded(device, *hauled, data.size()) == data);
        CHECK(downloaded(device, *buffer, data.size()) == data);
        const auto fill = compiled(device, "fill", path);
        launch(device, *fill, fill_args(100, 1u << 20, kSeed + turn), *buffer);
        Words seen(data.size());
        std::memcpy(seen.data(), buffer->map(), bytes);
        for (uint word = 0; word < 100; ++word) data[word] = fill_word(word, 1u << 20, kSeed + turn);
        CHECK(seen == data);
    }
}

/// Words from here to there, all of them and no more, in whatever shape.
CONFORMANCE(haul, "global") {
    Words data(1000);
    std::iota(data.begin(), data.end(), kSeed);
    const auto from = uploaded(device, Space::global, data);
    for (const uint group_size : {1u, device.info().subgroup}) {
        const auto haul = compiled(device, "copy", *find_path("global"), group_size);
        const auto to = untouched(device, 1000);
        constexpr uint words = 997;
        launch(device, *haul, kernel_args::Copy{.words = words}, *to, {.a = from.get(), .groups = 3});
        Words expected = data;
        for (std::size_t word = words; word < 1000; ++word) expected[word] = kUntouched;
        CHECK(downloaded(device, *to, 1000) == expected);
    }
}

/// A type of cells: how the kernel is told, what it needs, and the operations that there are on it.
struct CellType {
    std::string name;
    Defines defines;
    std::optional<Feature> need;
    uint operations;
    uint words() const { return defines.size() == 2 ? 2 : 1; }
    Words in_memory(const std::vector<uint>& numbers) const {
        Words memory;
        for (const uint number : numbers) {
            const std::uint64_t bits = name == "f32"   ? std::bit_cast<uint>(static_cast<float>(number))
                                       : name == "f64" ? std::bit_cast<std::uint64_t>(static_cast<double>(number))
                                                       : number;
            memory.push_back(static_cast<uint>(bits));
            if (words() == 2) memory.push_back(static_cast<uint>(bits >> 32));
        }
        return memory;
    }
};
const CellType kCellTypes[] = {{"u32", {}, std::nullopt, 6},
    {"u64", {{"TYPE_U64", "1"}, {"WIDTH", "2"}}, Feature::atomic_int64, 6},
    {"f32", {{"TYPE_F32", "1"}}, Feature::atomic_add_float32, 2},
    {"f64", {{"TYPE_F64", "1"}, {"WIDTH", "2"}}, Feature::atomic_add_float64, 2}};

/// OPERATION of kernels/atomics.h on such cells, by three workgroups.
void operate(
    Device& device, const Path& path, const CellType& type, uint operation, uint group_size, const Kernel& kernel) {
    constexpr uint kTrips = 3, kGroups = 3;
    const bool local = path.stage == Stage::scratchpad, exchanges = operation == 2 || operation == 4,
               compares = operation == 3 || operation == 5;
    for (const auto& [stride, pad] : {std::pair{0u, 0u}, {0u, 1u}, {1u, 1u}, {32u, 0u}}) {
        if (operation >= 2 && stride == 0 && pad == 1) continue; // whose operand is left is chance
        CAPTURE(stride);
        const uint group_stride = local ? 0 : group_size * stride,
                   cells = (group_size - 1) * stride + (kGroups - 1) * group_stride + 1, begin = compares ? 0 : 5;
        const Words before = type.in_memory(std::vector<uint>(cells, begin));
        const auto memory = uploaded(device, Space::global, before), out = untouched(device, kGroups * before.size());
        launch(device, kernel,
            kernel_args::Atomics{.lane_stride = stride,
                .group_stride = group_stride,
                .trips = kTrips,
                .stage = local ? cells : 0,
                .pad = pad},
            *out,
            {.a = memory.get(),
                .groups = kGroups,
                .scratchpad_bytes = local ? static_cast<uint>(before.size()) * 4 : 0});
        std::vector<uint> numbers(cells, begin);
        for (uint group = 0; group < (local ? 1 : kGroups); ++group)
            for (uint lane = 0; lane < group_size; ++lane) {
                uint& number = numbers[group * group_stride + lane * stride];
                number = operation < 2 ? number + 16 * kTrips * (1 + lane * pad) : exchanges ? 1 + lane * pad : 0;
            }
        if (local) CHECK(downloaded(device, *memory, before.size()) == before);
        Words found =
            local ? downloaded(device, *out, kGroups * before.size()) : downloaded(device, *memory, before.size());
        for (uint group = 0; group < (local ? kGroups : 1);
             ++group, found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(before.size()))) {
            if (compares && stride == 0 && found[0] == 1) found[0] = 0; // who came last compared with 0
            CHECK(Words(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(before.size())) ==
                  type.in_memory(numbers));
        }
    }
}

/// Each operation of each work-item arrives, on cells shared and not, in memory and in the scratchpad; a type that the
/// device has not is refused by the name of what it lacks.
CONFORMANCE(atomics, "global", "scratchpad") {
    for (const CellType& type : kCellTypes)
        for (uint operation = 0; operation < type.operations; ++operation) {
            const uint largest = std::min(64u, device.info().largest_group);
            for (const uint group_size : type.need && !thorough()
                                             ? std::vector<uint>{largest}
                                             : std::vector<uint>{1u, device.info().subgroup, largest}) {
                CAPTURE(type.name);
                CAPTURE(operation);
                CAPTURE(group_size);
                Build build{.a = &path, .group_size = group_size, .defines = type.defines};
                build.defines.emplace_back("OPERATION", std::to_string(operation));
                if (type.need) build.needs = {*type.need};
                std::unique_ptr<Kernel> kernel;
                std::string refusal;
                try {
                    kernel = device.compile(kernel_source("atomics"), build);
                } catch (const Unsupported& why) {
                    refusal = why.what();
                }
                CAPTURE(refusal);
                if (kernel) operate(device, path, type, operation, group_size, *kernel);
                else
                    CHECK((type.need && std::ranges::any_of(std::array{"cl_", "shader", "atom.add", "CL_DEVICE_"},
                                            [&](const char* part) { return refusal.find(part) != refusal.npos; })));
            }
        }
}

constexpr uint kNobody = 0xFFFFFFFFu, kExchanges = 64;

struct Scope {
    uint group_size, groups, second, core;
    Defines defines;
};

/// One hand-off of so many; true: all of them were made. However it ends, the two have alternated as far as they came,
/// and neither tried for ever.
bool exchanges(Device& device, const Path& path, const Scope& scope, uint trips) {
    const bool local = path.stage == Stage::scratchpad;
    const bool flagged =
        std::ranges::any_of(scope.defines, [](const auto& define) { return define.first == "VISIBLE"; });
    const auto kernel = device.compile(kernel_source("core_to_core"),
        {.a = &path,
            .group_size = scope.group_size,
            .defines = scope.defines,
            .needs = flagged ? std::vector{Feature::acquire_release} : std::vector<Feature>{}});
    const auto cells = uploaded(device, Space::global, Words(96, 0)), out = untouched(device, 18);
    launch(device, *kernel,
        kernel_args::CoreToCore{.exchanges = kExchanges,
            .trips = trips,
            .second = scope.second,
            .first_core = scope.core,
            .second_core = scope.core,
            .stage = local},
        *out, {.a = cells.get(), .groups = scope.groups, .scratchpad_bytes = local ? 16u : 0u});
    const Words words = downloaded(device, *out, 18);
    const uint count = local ? words[16] : downloaded(device, *cells, 1)[0];
    CHECK(words[17] == kUntouched);
    if (words[0] == kUntouched || words[8] == kUntouched) { // a core that was not met
        CHECK(std::ranges::any_of(scope.defines, [](const auto& define) { return define.first == "BY_CORE"; }));
        return false;
    }
    const uint by_first = words[0] / 2, by_second = (words[8] - 1) / 2;
    CHECK(words[0] % 2 == 0);
    CHECK(words[8] % 2 == 1);
    CHECK(by_first + by_second == count);
    CHECK((by_first == by_second || by_first == by_second + 1));
    CHECK(count <= kExchanges);
    for (const uint tries : {words[1], words[9]}) CHECK(tries <= trips * 16);
    if (count < kExchanges) CHECK(std::max(words[1], words[9]) == trips * 16);
    return count == kExchanges;
}

/// By compare-and-swap, or by a flag.
void check_exchanges(Device& device, const Path& path, const Defines& by) {
    const DeviceInfo& info = device.info();
    CAPTURE(by.empty());
    const uint trips = info.loop_trips ? info.loop_trips - 1
                       : by.empty()    ? 1u << 16
                                       : 1u << 20;    // as long: a load takes less than a compare-and-swap
    const auto in_time = [&](const Scope& scope) { // another process may keep one of the two from running
        for (int i = 0; i < (info.cpu ? 1000 : 100); ++i)
            if (exchanges(device, path, scope, trips)) return true;
        return false;
    };
    const bool lockstep = info.subgroup > 1; // else work-items run one after another
    if (info.largest_group >= 2) {
        const Scope lanes{std::max(2u, info.subgroup), 1, 1, 0, by};
        CHECK((lockstep ? in_time(lanes) : !exchanges(device, path, lanes, 64)));
    }
    if (lockstep && info.largest_group >= 2 * info.subgroup) {
        const Scope subgroups{2 * info.subgroup, 1, info.subgroup, 0, by};
        if (info.cpu && !by.empty())
            exchanges(device, path, subgroups, 64); // lavapipe's subgroups take turns at fences, others not
        else CHECK((info.cpu ? !exchanges(device, path, subgroups, 64) : in_time(subgroups)));
    }
    if (path.stage == Stage::scratchpad) return;
    const Scope groups{info.cpu ? 1 : info.subgroup, 2, kNobody, 0, by};
    if (!info.cpu && info.subgroup == 1) // the pretended card, which runs one workgroup after another
        CHECK(!exchanges(device, path, groups, 64));
    else if (info.cores > 1) CHECK(in_time(groups));
    if (info.core_name.empty()) return;
    const auto asker = compiled(device, "cores", path, info.subgroup);
    const auto met = untouched(device, 9);
    launch(device, *asker, kernel_args::Cores{}, *met, {.groups = 8});
    const Words cores = downloaded(device, *met, 9);
    for (int group = 0; group < 8; ++group) CHECK(cores[group] < 1u << 16);
    CHECK(cores[8] == kUntouched);
    Defines by_core = by;
    by_core.emplace_back("BY_CORE", "1");
    exchanges(device, path, {info.subgroup, 4 * info.cores, kNobody, cores[0], by_core}, 64);
}

CONFORMANCE(exchange, "global", "scratchpad") {
    check_exchanges(device, path, {});
    if (const auto reason = device.why_lacking(Feature::acquire_release, path.stage == Stage::scratchpad))
        MESSAGE(device.info().id, ": ", *reason);
    else
        for (const Defines& by : {Defines{{"VISIBLE", "1"}}, Defines{{"SWAPS", "1"}, {"VISIBLE", "1"}}})
            check_exchanges(device, path, by);
}

/// A kernel and the processor pass a count to and fro, each while the other runs; a device without such memory or such
/// a scope says which it lacks.
CONFORMANCE(exchange_with_processor, "host") {
    std::unique_ptr<Kernel> kernel;
    std::unique_ptr<Buffer> cells;
    try {
        kernel = device.compile(kernel_source("core_to_core"),
            {.a = &path, .group_size = 1, .defines = {{"VISIBLE", "2"}}, .needs = {Feature::system_scope}});
        cells = device.allocate(Space::shared, 96 * 4);
    } catch (const Unsupported& reason) {
        CHECK(std::ranges::any_of(std::array{"CL_DEVICE_", "memory model", "ld.acquire"},
            [&](const char* part) { return std::string_view(reason.what()).find(part) != std::string_view::npos; }));
        return;
    }
    const uint trips = device.info().loop_trips ? device.info().loop_trips - 1 : 1u << 20;
    bool finished = false;
    for (int attempt = 0; attempt < 200 && !finished; ++attempt) { // another process may keep the thread from running
        const Words zeros(96, 0);
        const Copy clear{.from_host = zeros.data(), .to = cells.get(), .bytes = zeros.size() * 4};
        device.copy({&clear, 1});
        const auto out = untouched(device, 18);
        std::atomic<bool> stop = false;
        uint waited = 1;
        std::thread processor([&] {
            const std::atomic_ref count(*static_cast<uint*>(cells->shared_with_host()));
            while (waited < kExchanges && !stop) {
                if (count.load(std::memory_order_acquire) != waited) continue;
                count.store(waited + 1, std::memory_order_release);
                waited += 2;
            }
        });
        launch(device, *kernel,
            kernel_args::CoreToCore{.exchanges = kExchanges,
                .trips = trips,
                .second = kNobody,
                .first_core = 0,
                .second_core = 0,
                .stage = 0},
            *out, {.a = cells.get()});
        const Words words = downloaded(device, *out, 18);
        stop = true;
        processor.join();
        const uint count = downloaded(device, *cells, 1)[0], by_kernel = words[0] / 2, by_processor = (waited - 1) / 2;
        CHECK(by_kernel + by_processor == count);
        CHECK((by_kernel == by_processor || by_kernel == by_processor + 1));
        finished = count == kExchanges;
    }
    CHECK(finished);
}

/// Single loads of a chain, between others: the link after all of them in each lane, and a time of each where there is
/// a clock.
CONFORMANCE(load_times, "global", "global.cg") {
    constexpr uint kWarm = 8;
    const Chain chain(37, 5, kSeed);
    Words links(chain.words(), kUntouched);
    for (uint slot = 0; slot < chain.slots(); ++slot) links[slot << chain.shift()] = chain.next(slot << chain.shift());
    const auto a = uploaded(device, Space::global, links);
    for (const uint group_size : {1u, chase_lanes(device.info())}) {
        const auto kernel = compiled(device, "load_times", path, group_size);
        const bool clock = !device.info().clock.empty();
        for (const uint timed : {0u, 7u})
            for (const uint steps : {0u, 128u}) {
                CAPTURE(timed);
                CAPTURE(steps);
                const std::size_t count = 5 + timed + group_size + 1;
                const auto out = untouched(device, count);
                launch(device, *kernel,
                    kernel_args::LoadTimes{.steps = steps, .timed = timed, .start = chain.start(), .warm = kWarm}, *out,
                    {.a = a.get()});
                const Words words = downloaded(device, *out, count);
                CHECK(words.back() == kUntouched);
                CHECK((words[4] < 1u << 31) == (timed > 0));
                CHECK((steps == 0 || !clock || words[2] != words[0]));
                for (uint n = 0; n < timed; ++n) CHECK(words[5 + n] < (clock ? 1u << 31 : 1u));
                for (uint lane = 0; lane < group_size; ++lane)
                    CHECK(words[5 + timed + lane] == chain.walk(kWarm + 2 * timed + steps));
            }
    }
}

/// What a load of each line leaves: the clock, the line's own link, and nothing from other cores.
CONFORMANCE(line_times, "global", "global.cg") {
    constexpr uint kLines = 5, kApart = 96, kGroups = 3, kCore = 1;
    Words links(kLines * kApart, kUntouched);
    for (uint line = 0; line < kLines; ++line) links[line * kApart] = line * kApart;
    const auto a = uploaded(device, Space::global, links);
    for (const uint group_size : {1u, chase_lanes(device.info())})
        for (const uint steps : {0u, 64u}) {
            CAPTURE(steps);
            const auto kernel = compiled(device, "line_times", path, group_size);
            const auto out = untouched(device, kGroups * (1 + 2 * kLines) + 1);
            launch(device, *kernel,
                kernel_args::LineTimes{.core = kCore, .lines = kLines, .apart = kApart, .steps = steps}, *out,
                {.a = a.get(), .groups = kGroups});
            const Words words = downloaded(device, *out, kGroups * (1 + 2 * kLines) + 1);
            CHECK(words.back() == kUntouched);
            for (uint group = 0; group < kGroups; ++group) {
                const uint* of_group = words.data() + group * (1 + 2 * kLines);
                CHECK(of_group[0] == group);
                for (uint line = 0; line < kLines; ++line) {
                    CHECK(of_group[2 + 2 * line] == (group == kCore ? line * kApart : kNobody));
                    if (group != kCore || device.info().clock.empty()) CHECK(of_group[1 + 2 * line] == 0);
                    else if (steps > 0) CHECK(of_group[1 + 2 * line] > 0);
                }
            }
        }
}

} // namespace
