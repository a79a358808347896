// sonde as it is, but for its drivers: two modelled cards of one name, quick to measure, that misbehave as
// SONDE_FAULT_MODEL says (script.h). Calls: open, allocate, copy, compile, run. Their own words: throw, exhausted (no
// room), zero, backwards, 1000x (times), wrong (answers). SONDE_MODEL_DRIVER changes what they say their driver is,
// SONDE_MODEL_CARDS how many there are, SONDE_MODEL_SLOW how many times as long the last one takes to load from memory;
// with SONDE_MODEL_PROCESSOR a processor is behind them. With SONDE_MODEL_LINKS they are four that links of two kinds
// join, of which one is slow. SONDE_MODEL_CLOCK: the part of its clock that the last one keeps, as its instruments say
// by its temperature; SONDE_MODEL_USER: percent of the last one that another program's process takes.
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
    std::unique_ptr<Buffer> allocate_on(const Peer& peer, Space space, std::size_t bytes) override {
        scripted("allocate");
        return inner_->allocate_on(peer, space, bytes);
    }
    Device* sibling(const Peer& peer) override { return inner_->sibling(peer); }
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

int number_of_cards() {
    const char* cards = std::getenv("SONDE_MODEL_CARDS");
    return std::getenv("SONDE_MODEL_LINKS") ? 4 : cards ? std::atoi(cards) : 1;
}

/// Of the last card's clock.
double clock_left() {
    const char* left = std::getenv("SONDE_MODEL_CLOCK");
    return left ? std::atof(left) : 1;
}

/// Of a modelled card; the last one's say what holds it back.
class ModelInstruments final : public Telemetry {
public:
    explicit ModelInstruments(bool last) : last_(last) {}
    std::string source() const override { return "model"; }
    CardSample now(AbsentFields*) override {
        CardSample sample;
        sample.core_mhz = 1000 * (last_ ? clock_left() : 1);
        sample.temperature_celsius = is_held() ? 95 : 40;
        sample.throttled_by.emplace();
        if (is_held()) sample.throttled_by->emplace_back("temperature");
        return sample;
    }
    CardState state(AbsentFields&) override { return {}; }
    std::vector<CardUser> users() override {
        const char* percent = std::getenv("SONDE_MODEL_USER");
        return last_ && percent ? std::vector{CardUser{1, std::atof(percent)}} : std::vector<CardUser>{};
    }

private:
    bool is_held() const { return last_ && clock_left() < 1; }
    const bool last_;
};

OpenedTelemetry open_instruments(const DeviceInfo& info) {
    if (!std::getenv("SONDE_MODEL_CLOCK") && !std::getenv("SONDE_MODEL_USER")) return {nullptr, "a modelled card"};
    return {std::make_unique<ModelInstruments>(info.id == fmt::format("model:{}", number_of_cards() - 1)), ""};
}

/// Two pairs of neighbours, and the ways between these, of which that of the cards 1 and 3 carries half of what others
/// do.
std::vector<LinkModel> two_kinds_of_links() {
    const std::string near = "4 NVLinks", far = "PCIe, by the root complex";
    return {
        {0, 1, near, 100}, {2, 3, near, 100}, {0, 2, far, 25}, {0, 3, far, 25}, {1, 2, far, 25}, {1, 3, far, 25, 0.5}};
}

Opened open_modelled() {
    Opened opened;
    if (const std::string said = scripted("open"); said == "absent") return {{}, "no modelled card"};
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 2 << 20;
    card.caches[1].bytes = 128 << 10;
    const int count = number_of_cards();
    if (std::getenv("SONDE_MODEL_LINKS")) {
        card.links = two_kinds_of_links();
        card.together_bytes_per_ns = 2 * card.bus_bytes_per_ns; // two switches above four cards
        card.copy_ns = 20;                                      // beside which the copies of a small memory take long
        for (const char* path : {"host", "peer"}) card.paths.push_back({path, {}});
    }
    std::vector<Device*> models;
    const char* slow = std::getenv("SONDE_MODEL_SLOW");
    for (int i = 0; i < count; ++i) {
        if (slow && i == count - 1) card.memory_cycles *= std::atof(slow);
        if (i == count - 1) card.clock_mhz *= clock_left();
        auto model = model_device(card, 7, fmt::format("model:{}", i));
        models.push_back(model.get());
        opened.devices.push_back(std::make_unique<FaultyDevice>(std::move(model)));
    }
    join(models);
    if (std::getenv("SONDE_MODEL_PROCESSOR"))
        opened.devices.push_back(
            std::make_unique<FaultyDevice>(model_device(card, 7, fmt::format("model:{}", count)), true));
    return opened;
}

} // namespace

int main(int argc, char** argv) {
    static constexpr Backend kModelled[] = {{"model", open_modelled}};
    static constexpr OpenTelemetry kInstruments[] = {open_instruments};
    return run_cli(argc, argv, kModelled, kInstruments);
}
