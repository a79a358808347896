// clock-read: its series on a modelled card that has its kernel, and what it says of series.
#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

namespace {
constexpr std::uint32_t kReadCycles = 20;

struct ReadingKernel final : Kernel {
    explicit ReadingKernel(const Build& build) : reads(build.repeat), group_size(build.group_size) {}
    Listing listing() const override { return {"", "a modelled card has no instructions"}; }
    const std::uint32_t reads, group_size;
};

/// A modelled card whose clock can be read. `astray`: bits of what passed until some read that should not be there.
class ReadingDevice final : public Device {
public:
    explicit ReadingDevice(std::uint32_t astray) : astray_(astray) {}
    const DeviceInfo& info() const override { return inner_->info(); }
    std::optional<std::string> why_not(const Path& path) const override { return inner_->why_not(path); }
    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const override {
        return inner_->why_lacking(feature, in_scratchpad);
    }
    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override { return inner_->allocate(space, bytes); }
    std::vector<Timing> copy(std::span<const Copy> copies) override { return inner_->copy(copies); }
    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        if (source.name == "clock_read") return std::make_unique<ReadingKernel>(build);
        return inner_->compile(source, build);
    }
    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        const auto* reading = dynamic_cast<const ReadingKernel*>(&launches[0].kernel);
        if (!reading) return inner_->run(launches, timed);
        const std::uint32_t cycles = launches[0].args[0] * reading->reads * kReadCycles;
        std::vector<std::uint32_t> words;
        for (std::uint32_t item = 0; item < reading->group_size; ++item)
            words.insert(words.end(), {0, 0, cycles, 0, (cycles - 1) | astray_, 1});
        copy({{Copy{.from_host = words.data(), .to = &launches[0].out, .bytes = words.size() * 4}}});
        const double ns = cycles + 2000;
        seconds_ += ns * 1e-9;
        return {Timing{ns, ns}};
    }
    double now() const override { return inner_->now() + seconds_; }

private:
    const std::uint32_t astray_;
    const std::unique_ptr<Device> inner_ = model_device(small_card("GTX 980 Ti"), 3);
    double seconds_ = 0;
};
} // namespace

TEST_CASE("clock-read: no read may be later than the last one, or earlier than the first") {
    const auto series_with = [](std::uint32_t astray) {
        ReadingDevice device(astray);
        return measured(device, "clock-read", "global", "quick", 5);
    };
    const Series well = series_with(0);
    CAPTURE(well.reason);
    REQUIRE(well.status == Status::ok);
    CHECK(at(well, 64) == doctest::Approx(kReadCycles));
    CHECK(*last_point(well).cycles == doctest::Approx(kReadCycles));
    CHECK(series_with(1u << 30).status == Status::failed);
    CHECK(series_with(1u << 31).status == Status::failed);
}

TEST_CASE("clock-read: which counter was read, and what stands between two reads") {
    const auto said = [](const Options& options) {
        Series series{.id = {"clock-read", "a:0", "global", options}, .unit = "ns"};
        series.points.push_back({.x = 64, .median = 20, .samples = {}});
        DeviceInfo device;
        device.clock = "clock64";
        return findings_of(probe_named("clock-read"), series, device).at(0);
    };
    CHECK(said({}).name == "clock64");
    CHECK(*said({}).value == 20);
    CHECK(said({{"clock", "globaltimer"}}).name == "globaltimer");
    CHECK(said({{"between", "4"}}).name == "clock64, 4 between");
    CHECK(*said({{"between", "4"}}).value == 20);
    CHECK(said({{"between", "4"}}).name != said({{"between", "0"}}).name);
}
