// The CUDA backend over a pretended driver (tests/fake_cuda): everything but a card. ctest runs this program with
// LD_LIBRARY_PATH at one; elsewhere the cases have nothing to do.
#include <doctest/doctest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "backends/backends.h"
#include "backends/cuda/driver_api.h"
#include "backends/cuda/kernel.h"
#include "core/device/kernel_source.h"
#include "core/measure/chase.h"
#include "tests/required.h"

using namespace sonde;

namespace {
const char* const kNoFake = "no pretended CUDA driver is loaded";

/// A symbol of the pretended driver, nullptr where another one or none is loaded.
template <class Function> Function* of_the_fake(const char* symbol) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? reinterpret_cast<Function*>(dlsym(library, symbol)) : nullptr;
}
std::size_t live(const char* what) {
    auto* count = of_the_fake<std::size_t()>(fmt::format("sonde_fake_cuda_live_{}", what).c_str());
    return count ? count() : 0;
}
bool fake_is_loaded() { return of_the_fake<std::size_t()>("sonde_fake_cuda_live_allocations") != nullptr; }
/// What the pretended driver was last asked for; -2: never.
int last(const char* what) {
    auto* answer = of_the_fake<int(const char*)>("sonde_fake_cuda_last");
    return answer ? answer(what) : -2;
}
bool fake_is_old() { return fake_is_loaded() && !of_the_fake<void()>("cuLinkCreate_v2"); }

/// An environment variable for as long as this object lives.
class Environment {
public:
    Environment(const char* name, const std::string& value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        setenv(name, value.c_str(), 1);
    }
    ~Environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};
struct Script : Environment {
    explicit Script(const std::string& faults) : Environment("SONDE_FAKE_CUDA", faults) {}
};

std::unique_ptr<Device> fake_device() {
    Opened opened = open_cuda();
    REQUIRE_MESSAGE(opened.devices.size() == 1, opened.absent);
    return std::move(opened.devices.front());
}

template <class Body> std::string error_of(const Body& body) {
    try {
        body();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
#define CHECK_CONTAINS(text, part) CHECK_MESSAGE(contains(text, part), text)

Build on_global(std::vector<std::pair<std::string, std::string>> defines = {}) {
    return {.a = find_path("global"), .b = nullptr, .group_size = 1, .defines = std::move(defines)};
}

using Words = std::vector<std::uint32_t>;

Words read_back(Device& device, const Buffer& buffer) {
    Words words(buffer.bytes() / 4);
    const Copy copy{.from = &buffer, .to_host = words.data(), .bytes = buffer.bytes()};
    device.copy({&copy, 1});
    return words;
}

/// `fill` of 1,000 words by 3 workgroups.
Words filled(Device& device) {
    const auto kernel = device.compile(kernel_source("fill"), on_global());
    const auto out = device.allocate(Space::global, 4000);
    const kernel_args::Fill args = fill_args(1000, 256, 7);
    const Launch launch{.kernel = *kernel, .out = *out, .args = Bench::words_of(args), .groups = 3};
    device.run({&launch, 1});
    return read_back(device, *out);
}

} // namespace

TEST_CASE("cuda: the pretended driver is loaded where the tests ask for it") {
    if (!std::getenv("SONDE_FAKE_CUDA")) return skip(kNoFake);
    if (of_the_fake<void()>("cuDeviceGetCount")) {
        REQUIRE(fake_is_loaded());
        CHECK(fake_device()->info().name == "Sonde Fake GPU");
    } else {
        CHECK_CONTAINS(open_cuda().absent, "libcuda.so.1 has no cuDriverGetVersion");
    }
}

TEST_CASE("cuda: the card's facts come from the driver") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    const DeviceInfo& info = device->info();
    CHECK(info.id == "cuda:0");
    CHECK(info.api == "cuda");
    CHECK(info.driver == "CUDA 12.4");
    CHECK(info.uuid == (fake_is_old() ? "" : "a0a1a2a3a4a5a6a7a8a9aaabacadae00"));
    CHECK(info.pci == (fake_is_old() ? "" : "0000:f0:00.0"));
    CHECK(info.memory_bytes == 1u << 30);
    CHECK(info.cores == 2);
    CHECK(info.subgroup == 1);
    CHECK(info.scratchpad_bytes == (fake_is_old() ? 48u : 227u) * 1024);
    CHECK(info.cache_bytes == 4u << 20);
    CHECK(info.bus_bytes_per_second == doctest::Approx(64e9));
    REQUIRE(!info.facts.empty());
    CHECK(info.facts.front().value == (fake_is_old() ? "3.5" : "9.0"));
    CHECK(info.reach_of(Space::constant).bytes == 64 * 1024);
    CHECK(info.reach_of(Space::texel).bytes == 512u << 20);
    for (const Fact& fact : info.facts) CHECK(!fact.source.empty());
}

TEST_CASE("cuda: no card and no driver are absence, in one line") {
    if (!fake_is_loaded()) return skip(kNoFake);
    {
        const Script none("devices=0");
        CHECK(open_cuda().absent == "the driver has no CUDA device");
    }
    const Script fails("init=100");
    const Opened opened = open_cuda();
    CHECK(opened.devices.empty());
    CHECK(opened.absent == "cuInit(0): CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)");
}

TEST_CASE("cuda: two cards are two devices with contexts of their own") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const Script two("devices=2");
    const Opened opened = open_cuda();
    REQUIRE(opened.devices.size() == 2);
    CHECK(opened.devices[1]->info().id == "cuda:1");
    const auto first = opened.devices[0]->allocate(Space::global, 64);
    const auto second = opened.devices[1]->allocate(Space::global, 64);
    CHECK(live("contexts") == 2);
    CHECK(filled(*opened.devices[0]) == filled(*opened.devices[1])); // the thread's context follows the device
}

TEST_CASE("cuda: a card reaches another's memory by kernels and copies while a buffer there asks for it") {
    if (!fake_is_loaded() || fake_is_old()) return skip(kNoFake);
    const Script two("devices=2");
    {
        const Opened opened = open_cuda();
        Device& first = *opened.devices[0];
        REQUIRE(first.info().peers.size() == 1);
        CHECK(first.info().peers[0].device == "cuda:1");
        CHECK(first.info().peers[0].mapped);
        for (const char* path : {"peer", "peer.cg", "peer.unmapped"}) CHECK(!first.why_not(*find_path(path)));
        const Words sent{1, 2, 3, 4};
        const auto own = first.allocate(Space::global, 16), unmapped = first.allocate(Space::peer_unmapped, 16);
        CHECK(live("peers") == 0);
        const Copy there[] = {{.from_host = sent.data(), .to = own.get(), .bytes = 16},
            {.from = own.get(), .to = unmapped.get(), .bytes = 12, .to_offset = 4, .queue = 1}};
        const Copy before{.from_host = sent.data(), .to = unmapped.get(), .bytes = 4};
        first.copy({&before, 1});
        first.copy({there, 1});
        first.copy({there + 1, 1});
        CHECK(read_back(first, *unmapped) == Words{1, 1, 2, 3});
        const auto kernel = first.compile(kernel_source("fill"), on_global());
        const auto filled_by = [&](Buffer& out) {
            const kernel_args::Fill args = fill_args(4, 4, 7);
            const Launch launch{.kernel = *kernel, .out = out, .args = Bench::words_of(args)};
            first.run({&launch, 1});
        };
        {
            const auto peer = first.allocate(Space::peer, 16), again = first.allocate(Space::peer, 16);
            CHECK(live("peers") == 2); // of each card to the other
            CHECK_CONTAINS(peer->placement().text, "cuda:1");
            CHECK_CONTAINS(peer->placement().text, "each card");
            filled_by(*own);
            filled_by(*peer);
            CHECK(read_back(first, *peer) == read_back(first, *own));
        }
        CHECK(live("peers") == 0);
        CHECK_THROWS_AS(filled_by(*unmapped), Error);
    }
    CHECK(live("allocations") == 0);
    CHECK(live("contexts") == 0);
}

TEST_CASE("cuda: two cards that each have memory on the other open the way once, and close it with the last buffer") {
    if (!fake_is_loaded() || fake_is_old()) return skip(kNoFake);
    const Script two("devices=2");
    const Opened opened = open_cuda();
    Device &first = *opened.devices[0], &second = *opened.devices[1];
    auto on_second = first.allocate(Space::peer, 16);
    {
        const auto on_first = second.allocate(Space::peer, 16);
        CHECK(live("peers") == 2);
        const Words sent{1, 2, 3, 4};
        const Copy down{.from_host = sent.data(), .to = on_first.get(), .bytes = 16};
        second.copy({&down, 1});
        const Copy together[] = {{.from = on_first.get(), .to = on_second.get(), .bytes = 16, .queue = 1},
            {.from = on_first.get(), .to = on_second.get(), .bytes = 16, .queue = 2}};
        first.copy(together);
        CHECK(read_back(first, *on_second) == sent);
    }
    CHECK(live("peers") == 2);
    const auto own = first.allocate(Space::global, 16);
    const auto carried_by = [&](const Buffer& from, Buffer& to, std::uint32_t queue) { // streams are made at first use
        const std::size_t before = live("objects");
        const Copy copy{.from = &from, .to = &to, .bytes = 16, .queue = queue};
        first.copy({&copy, 1});
        return live("objects") - before;
    };
    carried_by(*own, *on_second, 2), carried_by(*on_second, *own, 1);             // by the first card
    CHECK(carried_by(*own, *on_second, 1) + carried_by(*on_second, *own, 2) > 0); // by the second one
    CHECK(carried_by(*on_second, *own, 2) == 0);
    on_second.reset();
    CHECK(live("peers") == 0);
    CHECK(live("contexts") == 2);
}

TEST_CASE("cuda: a card that the other one cannot reach opens the way alone") {
    if (!fake_is_loaded() || fake_is_old()) return skip(kNoFake);
    const Script one_way("devices=2;one_way=1");
    const Opened opened = open_cuda();
    Device &first = *opened.devices[0], &second = *opened.devices[1];
    const auto peer = first.allocate(Space::peer, 16);
    CHECK(live("peers") == 1);
    CHECK_CONTAINS(peer->placement().text, "alone");
    CHECK(second.why_not(*find_path("peer")));
}

TEST_CASE("cuda: cards apart copy to one another, and say why no kernel goes there") {
    if (!fake_is_loaded() || fake_is_old()) return skip(kNoFake);
    const Script apart("devices=3;apart=1");
    const Opened opened = open_cuda();
    Device& last = *opened.devices[2];
    REQUIRE(last.info().peers.size() == 2);
    CHECK(last.info().peers[0].device == "cuda:0"); // the next one
    CHECK(!last.info().peers[0].mapped);
    CHECK_CONTAINS(last.why_not(*find_path("peer")).value_or(""), "cuDeviceCanAccessPeer");
    CHECK(!last.why_not(*find_path("peer.unmapped")));
    CHECK_THROWS_AS(last.allocate(Space::peer, 64), Unsupported);
    CHECK(last.allocate_on(last.info().peers[1], Space::peer_unmapped, 64)->placement().text.find("cuda:1") !=
          std::string::npos);
}

TEST_CASE("cuda: the context is made at first use, and everything is given back") {
    if (!fake_is_loaded()) return skip(kNoFake);
    {
        const auto device = fake_device();
        CHECK(live("contexts") == 0);
        filled(*device);
        CHECK(live("contexts") == 1);
        CHECK(live("objects") > 0);
    }
    CHECK(live("allocations") == 0);
    CHECK(live("objects") == 0);
    CHECK(live("contexts") == 0);
}

TEST_CASE("cuda: copies arrive, between host, device memory and pinned memory, at their offsets") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    const Words words{1, 2, 3, 4};
    const auto local = device->allocate(Space::global, 16);
    const auto pinned = device->allocate(Space::host, 16);
    CHECK(local->placement().device_local == true);
    CHECK(pinned->placement().device_local == false);
    const Copy copies[] = {
        {.from_host = words.data(), .to = pinned.get(), .bytes = 16},
        {.from = pinned.get(), .to = local.get(), .bytes = 16},
        {.from = pinned.get(), .to = local.get(), .bytes = 4, .from_offset = 12, .to_offset = 4},
    };
    CHECK(device->copy(copies).size() == 3);
    CHECK(read_back(*device, *local) == Words{1, 4, 3, 4});
}

TEST_CASE("cuda: a kernel's answer is the host's") {
    if (!fake_is_loaded()) return skip(kNoFake);
    CHECK(filled(*fake_device()) == filled(*open_host().devices.front()));
}

TEST_CASE("cuda: each launch of a batch has its own device time, and they run in order") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    const auto kernel = device->compile(kernel_source("fill"), on_global());
    const auto out = device->allocate(Space::global, 4 << 20);
    const kernel_args::Fill large = fill_args(1 << 20, 1024, 7), small = fill_args(1, 1, 9);
    const Launch launches[] = {{.kernel = *kernel, .out = *out, .args = Bench::words_of(large)},
        {.kernel = *kernel, .out = *out, .args = Bench::words_of(small)}};
    const auto timings = device->run(launches);
    REQUIRE(timings.size() == 2);
    CHECK(*timings[0].device_ns > *timings[1].device_ns);
    CHECK(timings[0].host_ns == timings[1].host_ns);
    CHECK(timings[0].host_ns * 2 >= *timings[0].device_ns);
    const Words words = read_back(*device, *out);
    CHECK(words[0] != words[1024]); // the same random word, but for the second launch
}

TEST_CASE("cuda: a scratchpad above 48 KiB is asked for, where the driver has a way to ask") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    const auto kernel = device->compile(
        kernel_source("chase"), {.a = find_path("scratchpad"), .b = nullptr, .group_size = 1, .defines = {}});
    const auto table = device->allocate(Space::global, 64 * 1024);
    const auto out = device->allocate(Space::global, 64);
    const kernel_args::Chase args{.steps = 64, .stage = 16};
    const auto run = [&](std::uint32_t bytes) {
        const Launch launch{
            .kernel = *kernel, .a = table.get(), .out = *out, .args = Bench::words_of(args), .scratchpad_bytes = bytes};
        device->run({&launch, 1});
    };
    const Words zeros(16 * 1024, 0);
    const Copy copy{.from_host = zeros.data(), .to = table.get(), .bytes = 64 * 1024};
    device->copy({&copy, 1});
    CHECK_NOTHROW(run(1024));
    if (fake_is_old()) CHECK_THROWS_AS(run(64 * 1024), DoesNotFit);
    else CHECK_NOTHROW(run(64 * 1024));
    CHECK_THROWS_AS(run(512 * 1024), DoesNotFit);
}

TEST_CASE("cuda: wgmma is of compute capability 9.0 alone") {
    CHECK(!cuda::why_lacking(Feature::wgmma, 90));
    for (const int capability : {89, 100, 120}) CHECK(cuda::why_lacking(Feature::wgmma, capability));
}

TEST_CASE("cuda: what it cannot do it says") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    CHECK(!device->why_not(*find_path("global")));
    CHECK(!device->why_not(*find_path("scratchpad")));
    CHECK(device->why_not(Path{.name = "no such path", .intent = "", .space = Space::global}));
    CHECK_THROWS_AS(device->allocate(Space::push, 64), Unsupported);
    const auto kernel = device->compile(kernel_source("fill"), on_global());
    const auto out = device->allocate(Space::global, 64);
    const kernel_args::Fill fill = fill_args(4, 4, 7);
    const auto args = Bench::words_of(fill);
    const auto refused = [&](const Launch& launch) { CHECK_THROWS_AS(device->run({&launch, 1}), Unsupported); };
    if (fake_is_old()) {
        refused({.kernel = *kernel, .out = *out, .args = args, .groups = 2, .cluster = 2});
        CHECK(device->why_not(*find_path("cluster")) == "needs compute capability 9.0, the card has 3.5");
        CHECK(device->why_not(*find_path("texel")) == "this driver has no cuTexObjectCreate");
        refused({.kernel = *kernel, .out = *out, .args = args, .carveout = Carveout{Carveout::Unit::percent, 50}});
    } else {
        for (const Path& path : all_paths())
            CHECK_MESSAGE(device->why_not(path).has_value() == is_of_peer(path.space), path.name); // there is one card
        refused({.kernel = *kernel, .out = *out, .args = args, .carveout = Carveout{Carveout::Unit::kibibytes, 16}});
    }
    refused({.kernel = *kernel,
        .out = *out,
        .args = args,
        .bank_bytes = 8}); // one has no such banks, the other no entry point
}

TEST_CASE("cuda: a card says which splits of L1 and scratchpad it has, where they are few") {
    if (!fake_is_loaded()) return skip(kNoFake);
    using Splits = std::vector<std::uint64_t>; // KiB of scratchpad
    for (const auto& [capability, splits] : {std::pair(30, Splits{16, 32, 48}), {37, Splits{16, 32, 48}},
             {21, Splits{16, 48}}, {52, Splits{}}, {90, Splits{}}}) {
        CAPTURE(capability);
        const Script script(fmt::format("capability={}", capability));
        Splits found;
        const auto device = fake_device();
        for (const L1Split& split : device->info().l1_splits) {
            found.push_back(split.scratchpad_bytes >> 10);
            CHECK(split.scratchpad_bytes + split.l1_bytes == 64 << 10);
        }
        CHECK(found == splits);
    }
}

TEST_CASE("cuda: a card of Fermi's has what needs neither texture objects nor shuffles") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const Script script("capability=21");
    const auto device = fake_device();
    for (const char* path : {"global", "global.pointer", "private", "constant", "push", "scratchpad"})
        CHECK_MESSAGE(!device->why_not(*find_path(path)), path);
    for (const char* path : {"texel", "image2d", "global.readonly", "cluster"})
        CHECK(device->why_not(*find_path(path)));
    CHECK(device->why_lacking(Feature::shuffle, false));
    CHECK(!device->why_lacking(Feature::ballot, false));
    CHECK(device->info().most_groups == 65535);
    CHECK(!device->info().has(OtherClock::ptx_globaltimer));
    CHECK_NOTHROW(device->compile(kernel_source("fill"), on_global()));
}

TEST_CASE("cuda: a kernel whose PTX the driver does not speak is unsupported, with the driver that does") {
    if (!fake_is_loaded()) return skip(kNoFake);
    for (const auto& [version, speaks] : {std::pair(5000, false), {5050, true}, {11040, true}}) {
        CAPTURE(version);
        const Script script(fmt::format("version={}", version));
        const auto device = fake_device();
        if (speaks) CHECK_NOTHROW(device->compile(kernel_source("fill"), on_global()));
        else
            CHECK_THROWS_WITH_AS(
                device->compile(kernel_source("fill"), on_global()), doctest::Contains("driver 319"), Unsupported);
    }
}

TEST_CASE("cuda: the split of the first level is asked for in the card's own way, and taken back") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    const auto kernel = device->compile(kernel_source("fill"), on_global());
    const auto out = device->allocate(Space::global, 64);
    const kernel_args::Fill fill = fill_args(4, 4, 7);
    const auto args = Bench::words_of(fill);
    const auto run = [&](std::optional<Carveout> carveout) {
        const Launch launch{.kernel = *kernel, .out = *out, .args = args, .carveout = carveout};
        device->run({&launch, 1});
    };
    if (fake_is_old()) {
        for (const auto& [kibibytes, preference] :
            {std::pair{16, cuda::kPreferL1}, {32, cuda::kPreferEqual}, {48, cuda::kPreferShared}}) {
            run(Carveout{Carveout::Unit::kibibytes, kibibytes});
            CHECK(last("cache preference") == preference);
        }
        run(std::nullopt);
        CHECK(last("cache preference") == cuda::kPreferNone);
    } else {
        run(Carveout{Carveout::Unit::percent, 40});
        CHECK(last("carveout") == 40);
        run(std::nullopt);
        CHECK(last("carveout") == cuda::kCarveoutDefault);
        CHECK(last("cache preference") == -2); // from compute capability 7.0 on the percentage says it all
    }
}

TEST_CASE("cuda: what the driver tells of a kernel is in its facts") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    const auto fact = [&](const char* path, const char* name) {
        const auto kernel = device->compile(
            kernel_source("chase"), {.a = find_path(path),
                                        .b = nullptr,
                                        .group_size = 1,
                                        .defines = chase_kernel(device->info(), *find_path(path)).defines});
        for (const Fact& each : kernel->facts())
            if (each.name == name) return each.value;
        return std::string("none");
    };
    CHECK(fact("global.ca", "cache mode ca") == "1"); // asked for, or a card of old passes its L1 by
    CHECK(fact("global.cg", "cache mode ca") == "0");
    CHECK(fact("private", "local bytes") == "16384");
    CHECK(fact("global", "registers") == "32");
}

TEST_CASE("cuda: textures and arrays go with their buffers") {
    if (!fake_is_loaded() || fake_is_old()) return skip("a driver that is old, or none that is pretended");
    const auto device = fake_device();
    const auto kernel = device->compile(
        kernel_source("chase"), {.a = find_path("texel"), .b = nullptr, .group_size = 1, .defines = {}});
    const auto out = device->allocate(Space::global, 64);
    const kernel_args::Chase args{.steps = 64};
    const auto texel_run = [&](const Buffer& buffer) {
        const Launch launch{.kernel = *kernel, .a = &buffer, .out = *out, .args = Bench::words_of(args)};
        device->run({&launch, 1});
    };
    const auto texels = device->allocate(Space::texel, 4096);
    const Words zeros(1024, 0);
    const Copy copy{.from_host = zeros.data(), .to = texels.get(), .bytes = 4096};
    device->copy({&copy, 1});
    texel_run(*texels);
    const std::size_t objects = live("objects"), allocations = live("allocations");
    {
        const auto more = device->allocate(Space::texel, 4096);
        const Copy again{.from_host = zeros.data(), .to = more.get(), .bytes = 4096};
        device->copy({&again, 1});
        texel_run(*more);
        const auto image = device->allocate(Space::image2d, 100);
        CHECK(image->bytes() == kImageRow * 4); // whole rows
        CHECK(live("objects") == objects + 3);  // two textures, one array
    }
    CHECK(live("objects") == objects);
    CHECK(live("allocations") == allocations);
}

TEST_CASE("cuda: memory that does not fit is an error, and not the end") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    CHECK_THROWS_AS(device->allocate(Space::global, std::size_t{2} << 30), DoesNotFit);
    const std::string error = error_of([&] { device->allocate(Space::global, std::size_t{2} << 30); });
    CHECK_CONTAINS(error, "2147483648 bytes: cuMemAlloc");
    CHECK_CONTAINS(error, "CUDA_ERROR_OUT_OF_MEMORY");
    CHECK_NOTHROW(device->allocate(Space::global, 1 << 20));
}

TEST_CASE("cuda: a variant that was not built is named") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    const std::string error = error_of([&] { device->compile(kernel_source("fill"), on_global({{"NO_SUCH", "1"}})); });
    CHECK_CONTAINS(error, "'fill-global-NO_SUCH1-WIDTH1'");
    CHECK_CONTAINS(error, "cmake/kernels.cmake");
}

TEST_CASE("cuda: a text that the driver's compiler refuses comes back with the build log") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    const Script refuses("link=218;load=218");
    const std::string error = error_of([&] { device->compile(kernel_source("fill"), on_global()); });
    CHECK_CONTAINS(error, "CUDA_ERROR_INVALID_PTX");
    CHECK_CONTAINS(error, "fake ptxas: scripted fault");
}

TEST_CASE("cuda: a text of a PTX that the driver is too old for is nothing that failed") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    const Script refuses("link=222;load=222");
    CHECK_THROWS_AS(device->compile(kernel_source("fill"), on_global()), Unsupported);
}

TEST_CASE("cuda: a text that cannot be linked is loaded as it is") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    const Script refuses("link=218");
    const Listing listing = device->compile(kernel_source("fill"), on_global())->listing();
    CHECK(listing.kind == "ptx");
    CHECK_CONTAINS(
        listing.note, fake_is_old() ? "no SASS: this driver has no cuLink functions" : "no SASS: cuLinkAddData");
}

TEST_CASE("cuda: the listing is what nvdisasm makes of the cubin, where there is one") {
    if (!fake_is_loaded()) return skip(kNoFake);
    namespace fs = std::filesystem;
    std::string folder = (fs::temp_directory_path() / "sonde-test-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()));
    const auto device = fake_device();
    const auto with_disassembler = [&](const char* script) {
        std::ofstream(folder + "/nvdisasm") << "#!/bin/sh\n" << script << "\n";
        fs::permissions(folder + "/nvdisasm", fs::perms::owner_all);
        const Environment path("PATH", folder + ":/usr/bin:/bin");
        return device->compile(kernel_source("fill"), on_global())->listing();
    };
    CHECK(with_disassembler("exit 1").kind == "ptx"); // first: what a tool made of a cubin is remembered
    const Listing sass = with_disassembler("for file; do :; done; echo \"LDG of $(head -c 10 \"$file\")\"");
    CHECK(sass.kind == (fake_is_old() ? "ptx" : "sass"));
    if (!fake_is_old()) CHECK(sass.text == "LDG of FAKE CUBIN\n");
    fs::remove_all(folder);
}

TEST_CASE("cuda: a launch that fails is an error with the code's name") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    const Script third("launch_fail_at=2");
    CHECK_NOTHROW(filled(*device));
    CHECK_CONTAINS(error_of([&] { filled(*device); }), "CUDA_ERROR_LAUNCH_FAILED");
    CHECK_NOTHROW(filled(*device));
    const Script later("synchronize=700");
    CHECK_CONTAINS(error_of([&] { filled(*device); }), "cuStreamSynchronize(stream): CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_CASE("cuda: an error of one stream is told though a later one ends well") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    const auto from = device->allocate(Space::host, 64), to = device->allocate(Space::global, 64);
    const Copy copies[] = {{.from = from.get(), .to = to.get(), .bytes = 32},
        {.from = from.get(), .to = to.get(), .bytes = 32, .from_offset = 32, .to_offset = 32, .queue = 1}};
    CHECK_NOTHROW(device->copy(copies)); // both streams are there
    const Script first("synchronize_fail_at=1");
    CHECK_CONTAINS(error_of([&] { device->copy(copies); }), "CUDA_ERROR_LAUNCH_FAILED");
}

TEST_CASE("cuda: a context that cannot be had is an error of the first use") {
    if (!fake_is_loaded()) return skip(kNoFake);
    const auto device = fake_device();
    {
        const Script none("context=2");
        CHECK_CONTAINS(error_of([&] { device->allocate(Space::global, 64); }), "cuDevicePrimaryCtxRetain");
    }
    CHECK_NOTHROW(device->allocate(Space::global, 64));
}

namespace {

/// The pretended driver's own entry points, with a kernel to launch.
struct RawDriver {
    RawDriver() {
        CU(cuInit(0));
        CU(cuDevicePrimaryCtxRetain(&context, 0));
        CU(cuCtxSetCurrent(context));
        CU(cuStreamCreate(&stream, cuda::kStreamNonBlocking));
        CU(cuModuleLoadDataEx(
            &module, "// sonde variant: spin-global-WIDTH1\n.entry spin(.b8 spin_param_3[8])", 0, nullptr, nullptr));
        CU(cuModuleGetFunction(&function, module, "spin"));
        CU(cuMemAlloc(&memory, 64));
    }
    ~RawDriver() {
        api.cuCtxSetCurrent(context);
        api.cuMemFree(memory);
        api.cuModuleUnload(module);
        api.cuStreamDestroy(stream);
        api.cuDevicePrimaryCtxRelease(0);
        api.cuCtxSetCurrent(nullptr);
    }
    cuda::Result launch(cuda::DevicePointer out, unsigned size = 1, unsigned shared_bytes = 0) {
        std::uint32_t args[] = {1, 1};
        void* parameters[] = {&memory, &memory, &out, args};
        return api.cuLaunchKernel(function, 1, 1, 1, size, 1, 1, shared_bytes, stream, parameters, nullptr);
    }
    const cuda::Driver api;
    cuda::ContextHandle context = nullptr;
    cuda::StreamHandle stream = nullptr;
    cuda::ModuleHandle module = nullptr;
    cuda::FunctionHandle function = nullptr;
    cuda::DevicePointer memory = 0;
};

} // namespace

TEST_CASE("cuda: the pretended driver refuses what it is wrongly given") {
    if (!fake_is_loaded()) return skip(kNoFake);
    RawDriver raw;
    const cuda::Driver& api = raw.api;
    const auto refused = [&](cuda::Result result, const char* name) { CHECK_CONTAINS(api.describe(result), name); };
    cuda::ModuleHandle other = nullptr;
    cuda::FunctionHandle function = nullptr;
    refused(api.cuModuleLoadDataEx(&other, "no PTX", 0, nullptr, nullptr), "CUDA_ERROR_INVALID_PTX");
    refused(api.cuModuleGetFunction(&function, raw.module, "other"), "CUDA_ERROR_NOT_FOUND");
    refused(api.cuStreamSynchronize(nullptr), "CUDA_ERROR_INVALID_HANDLE");
    refused(raw.launch(raw.memory, 2), "CUDA_ERROR_INVALID_VALUE");
    refused(raw.launch(raw.memory, 1, 64 * 1024), "CUDA_ERROR_INVALID_VALUE");
    refused(api.cuMemcpyAsync(raw.memory + 60, raw.memory, 8, raw.stream), "CUDA_ERROR_INVALID_VALUE");
    refused(api.cuMemFree(raw.memory + 4), "CUDA_ERROR_INVALID_VALUE");
    CU(cuCtxSetCurrent(nullptr));
    refused(raw.launch(raw.memory), "CUDA_ERROR_INVALID_CONTEXT");
}

TEST_CASE("cuda: the pretended driver runs what is queued when it is waited for") {
    if (!fake_is_loaded()) return skip(kNoFake);
    RawDriver raw;
    const cuda::Driver& api = raw.api;
    cuda::EventHandle event = nullptr;
    float milliseconds = 0;
    CU(cuEventCreate(&event, cuda::kEventDefault));
    CU(cuEventRecord(event, raw.stream));
    CHECK_CONTAINS(api.describe(api.cuEventElapsedTime(&milliseconds, event, event)), "CUDA_ERROR_NOT_READY");
    CU(cuStreamSynchronize(raw.stream));
    CHECK(api.cuEventElapsedTime(&milliseconds, event, event) == cuda::kSuccess);
    CU(cuEventDestroy(event));
}

TEST_CASE("cuda: a kernel's fault surfaces when it is waited for, stays with the context, and goes with it") {
    if (!fake_is_loaded()) return skip(kNoFake);
    {
        RawDriver raw;
        const cuda::Driver& api = raw.api;
        CU(cuStreamSynchronize(raw.stream));
        CHECK(raw.launch(4096) == cuda::kSuccess);
        CHECK_CONTAINS(api.describe(api.cuStreamSynchronize(raw.stream)), "CUDA_ERROR_ILLEGAL_ADDRESS");
        CHECK_CONTAINS(api.describe(raw.launch(raw.memory)), "CUDA_ERROR_ILLEGAL_ADDRESS");
        const auto same_context = fake_device();
        CHECK_CONTAINS(error_of([&] { filled(*same_context); }), "CUDA_ERROR_ILLEGAL_ADDRESS");
    }
    CHECK_NOTHROW(filled(*fake_device()));
    CHECK(live("objects") == 0);
}
