// limits: what modelled cards take of scratchpad and constant memory, and errors that are no limit.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <doctest/doctest.h>

#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

namespace {
enum class Failing { refused, broken_compiler, running };
/// A card whose kernels with an array of their own fail, where they are compiled or where they run.
class FailingArrays final : public Device {
public:
    FailingArrays(std::unique_ptr<Device> inner, Failing how) : inner_(std::move(inner)), how_(how) {}
    const DeviceInfo& info() const override { return inner_->info(); }
    std::optional<std::string> why_not(const Path& path) const override { return inner_->why_not(path); }
    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const override {
        return inner_->why_lacking(feature, in_scratchpad);
    }
    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override { return inner_->allocate(space, bytes); }
    std::vector<Timing> copy(std::span<const Copy> copies) override { return inner_->copy(copies); }
    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        const bool with_array =
            std::ranges::any_of(build.defines, [](const auto& define) { return define.first == "STATIC_WORDS"; });
        if (with_array && how_ == Failing::refused) throw CompileRefused("the array does not fit");
        if (with_array && how_ == Failing::broken_compiler) throw Error("the compiler is broken");
        auto kernel = inner_->compile(source, build);
        if (with_array) failing_ = kernel.get();
        return kernel;
    }
    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        if (&launches[0].kernel == failing_) throw Error("the device is lost");
        return inner_->run(launches, timed);
    }

private:
    std::unique_ptr<Device> inner_;
    const Failing how_;
    const Kernel* failing_ = nullptr;
};
} // namespace

TEST_CASE("how much scratchpad and constant memory a modelled card gives: what it takes, whatever it says") {
    struct Card {
        std::uint32_t scratchpad_taken;
        std::uint64_t constant_taken;
        const char* beside_reported;
        bool refused = true;
    };
    for (const Card& row : {Card{0, 64 << 10, "as the driver"}, Card{47360, 20000, "less than the"},
             Card{50 << 10, 100 << 10, "more than the"}, Card{1 << 20, 1 << 20, "more than the", false}}) {
        CardModel card = small_card("GTX 680");
        card.scratchpad_taken = row.scratchpad_taken;
        card.constant_taken = row.constant_taken;
        card.paths.push_back({"constant", {1}});
        const auto device = model_device(card, 9);
        for (const bool scratchpad : {true, false}) {
            const Series series = measured(*device, "limits", scratchpad ? "scratchpad" : "constant", "quick", 4);
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            const auto findings = find_probe("limits")->findings(series, {});
            REQUIRE(findings.size() == 1);
            CAPTURE(findings[0].text);
            CHECK(says(findings[0].text, row.beside_reported));
            CHECK(says(findings[0].text, "no limit of") != row.refused);
            const std::vector<double> numbers = numbers_of(findings[0]); // most that runs, least refused, reported
            REQUIRE(numbers.size() == (row.refused ? 3 : 2));
            CHECK(numbers[0] == *findings[0].value);
            if (row.refused) CHECK(numbers[1] > numbers[0]);
            CHECK(numbers.back() == (scratchpad ? 48 << 10 : 64 << 10));
            const double most = scratchpad ? (row.scratchpad_taken ? row.scratchpad_taken : card.scratchpad_bytes)
                                           : static_cast<double>(row.constant_taken);
            const double tried = 4 * (scratchpad ? card.scratchpad_bytes : card.constant_bytes),
                         granule = scratchpad ? 128 : 64;
            CHECK(*findings[0].value == std::min(tried, std::floor(most / granule) * granule));
        }
    }
}

TEST_CASE("a scratchpad array that a compiler refuses is a limit; any other error is none") {
    CardModel card = small_card("GTX 680");
    card.scratchpad_taken = 47360;
    const auto with = [&](Failing how) {
        FailingArrays device(model_device(card, 9), how);
        return measured(device, "limits", "scratchpad", "quick", 4);
    };
    const Series refused = with(Failing::refused);
    CHECK(refused.status == Status::ok);
    CHECK(refused.evidence.static_bytes == std::uint64_t{0});
    for (const auto& [how, says] :
        {std::pair{Failing::broken_compiler, "the compiler is broken"}, {Failing::running, "the device is lost"}}) {
        const Series failed = with(how);
        CHECK(failed.status == Status::failed);
        CHECK(failed.reason.find(says) != std::string::npos);
    }
}
