// sonde as it is, but for its drivers: two modelled cards of one name, quick to measure, that misbehave as
// SONDE_FAULT_MODEL says (script.h). Calls: open, allocate, copy, compile, run. Their own words: throw, exhausted (no
// room), zero, backwards, 1000x (times), wrong (answers). SONDE_MODEL_DRIVER changes what they say their driver is,
// SONDE_MODEL_CARDS how many there are, SONDE_MODEL_SLOW how many times as long the last one takes to load from memory;
// with SONDE_MODEL_PROCESSOR a processor is behind them.
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/cli/cli.h"
#include "tests/faults/script.h"
#include "tests/model/model_device.h"

using namespace sonde;

namespace {

/// What the script says of an entry into a call, as exceptions and endings; else the word that is left.
std::string scripted(const std::string& call) {
    const std::string said = fault::outcome("SONDE_FAULT_MODEL", call);
    if (fault::carry_out(said)) return "";
    if (said == "throw") throw Error(call + ": MODEL_ERROR_DEVICE_LOST");
    if (said == "exhausted") throw DoesNotFit(call + ": MODEL_ERROR_OUT_OF_MEMORY");
    return said;
}

/// A device in front of another that does what the script says, else what the other does.
class FaultyDevice final : public Device {
public:
    explicit FaultyDevice(std::unique_ptr<Device> inner, bool processor = false)
        : inner_(std::move(inner)), info_(inner_->info()) {
        info_.cpu = info_.software = processor;
        if (const char* driver = std::getenv("SONDE_MODEL_DRIVER")) info_.driver = driver;
    }
    const DeviceInfo& info() const override { return info_; }
    std::optional<std::string> why_not(const Path& path) const override { return inner_->why_not(path); }
    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const override {
        return inner_->why_lacking(feature, in_scratchpad);
    }
    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override {
        scripted("allocate");
        return inner_->allocate(space, bytes);
    }
    std::vector<Timing> copy(std::span<const Copy> copies) override {
        const std::string said = scripted("copy");
        auto timings = inner_->copy(copies);
        for (const Copy& each : copies)
            for (std::size_t i = 0; said == "wrong" && each.to_host && i < each.bytes / 4; ++i)
                static_cast<std::uint32_t*>(each.to_host)[i] ^= 0x40000000u;
        return timings;
    }
    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        scripted("compile");
        return inner_->compile(source, build);
    }
    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        const std::string said = scripted("run");
        auto timings = inner_->run(launches, timed);
        for (Timing& timing : timings) {
            if (said == "zero") timing.device_ns = 0;
            if (said == "backwards" && timing.device_ns) timing.device_ns = -*timing.device_ns;
            if (said == "1000x" && timing.device_ns) *timing.device_ns *= 1000;
        }
        return timings;
    }

private:
    std::unique_ptr<Device> inner_;
    DeviceInfo info_;
};

Opened open_modelled() {
    Opened opened;
    if (const std::string said = scripted("open"); said == "absent") return {{}, "no modelled card"};
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 2 << 20;
    card.caches[1].bytes = 128 << 10;
    const char* cards = std::getenv("SONDE_MODEL_CARDS");
    const int count = cards ? std::atoi(cards) : 1;
    const char* slow = std::getenv("SONDE_MODEL_SLOW");
    for (int i = 0; i < count; ++i) {
        if (slow && i == count - 1) card.memory_cycles *= std::atof(slow);
        opened.devices.push_back(std::make_unique<FaultyDevice>(model_device(card, 7, fmt::format("model:{}", i))));
    }
    if (std::getenv("SONDE_MODEL_PROCESSOR"))
        opened.devices.push_back(
            std::make_unique<FaultyDevice>(model_device(card, 7, fmt::format("model:{}", count)), true));
    return opened;
}

} // namespace

int main(int argc, char** argv) {
    static constexpr Backend kModelled[] = {{"model", open_modelled}};
    return run_cli(argc, argv, kModelled);
}
