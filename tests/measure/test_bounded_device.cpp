// The device of a request.
#include <doctest/doctest.h>

#include "core/measure/bounded_device.h"

using namespace sonde;

namespace {
/// Notes what its kernels were asked for.
class Compiler final : public Device {
public:
    explicit Compiler(std::vector<std::uint32_t> sizes = {}) {
        info_.subgroup = 32;
        info_.subgroup_sizes = std::move(sizes);
    }
    const DeviceInfo& info() const override { return info_; }
    std::optional<std::string> why_not(const Path&) const override { return std::nullopt; }
    std::optional<std::string> why_lacking(Feature, bool) const override { return std::nullopt; }
    std::unique_ptr<Buffer> allocate(Space, std::size_t) override { return nullptr; }
    std::vector<Timing> copy(std::span<const Copy>) override { return {}; }
    std::unique_ptr<Kernel> compile(const Source&, const Build& build) override {
        asked = build.subgroup;
        return nullptr;
    }
    std::vector<Timing> run(std::span<const Launch>, Timed) override { return {}; }
    std::optional<std::uint64_t> memory_free() const override { return free; }

    std::optional<std::uint32_t> asked;
    std::optional<std::uint64_t> free;
    DeviceInfo info_;
};

Request request_for(const Options& options) {
    return {.id = {.probe = "latency", .device = "vulkan:0", .path = "global", .options = options}};
}

std::string refused(std::vector<std::uint32_t> sizes, const char* lanes) {
    Compiler compiler(std::move(sizes));
    try {
        const Request request = request_for({{"subgroup", lanes}});
        BoundedDevice{compiler, request};
    } catch (const Unsupported& why) {
        return why.what();
    }
    return "";
}
} // namespace

TEST_CASE("a request's subgroups are those of its device, and what every kernel is compiled for") {
    Compiler compiler({32, 64});
    const Request wide = request_for({{"subgroup", "64"}}), plain = request_for({});
    BoundedDevice asked(compiler, wide), other(compiler, plain);
    CHECK(asked.info().subgroup == 64);
    CHECK(other.info().subgroup == 32);
    asked.compile({}, {});
    CHECK(compiler.asked == 64u);
    other.compile({}, {});
    CHECK(compiler.asked == 0u);
}

TEST_CASE("subgroups of a size that a device does not offer are refused with those that it does") {
    CHECK(refused({32, 64}, "16").ends_with("of 32, 64 lanes"));
    CHECK(refused({}, "32").ends_with("have 32 lanes"));
    CHECK(refused({32, 64}, "32").empty());
}

TEST_CASE("a device that does not tell its cores has those of the request, and one at the least") {
    Compiler compiler;
    Request request = request_for({});
    CHECK(BoundedDevice(compiler, request).info().cores == 1);
    request.cores = 8;
    CHECK(BoundedDevice(compiler, request).info().cores == 8);
    compiler.info_.cores = 7;
    CHECK(BoundedDevice(compiler, request).info().cores == 7);
}

TEST_CASE("what is free of a device's memory is all of it where its API does not tell") {
    Compiler compiler;
    const Request request = request_for({});
    compiler.info_.memory_bytes = 2048;
    CHECK(BoundedDevice(compiler, request).info().memory_free == 2048);
    compiler.free = 1200;
    CHECK(BoundedDevice(compiler, request).info().memory_free == 1200);
    compiler.free = 4096; // of a budget beyond the heap
    CHECK(BoundedDevice(compiler, request).info().memory_free == 2048);
}
