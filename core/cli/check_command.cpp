// The command `check`: what a check measures, and how the cards of recorded runs are judged.
#include <algorithm>
#include <filesystem>
#include <list>
#include <map>
#include <ostream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/card_names.h"
#include "core/cli/check_text.h"
#include "core/cli/commands.h"
#include "core/cli/copies.h"
#include "core/cli/file_progress.h"
#include "core/run/device_words.h"

namespace sonde {

namespace {
/// A card of a run, and what is known of it.
struct CheckedCard {
    Card card{};
    HealthNumbers numbers{};
    std::string where{};
    const Run* run = nullptr;

    /// What no other card has. Without a UUID a card's name is only its own within a machine.
    std::pair<std::string, const Run*> identity() const {
        return {card.id, first_device(card).uuid.empty() ? run : nullptr};
    }
};

bool is_processor(const Card& card) {
    return std::ranges::all_of(card.devices, [](const DeviceRecord* device) { return !device->is_gpu(); });
}

/// "lab1" of "/tmp/lab1.jsonl.gz".
std::string stem_of(const std::string& file) {
    const std::string name = std::filesystem::path(file).filename().string();
    return name.substr(0, name.find(".jsonl"));
}

/// The runs stay where they are, for cards point at them. A copy of a file is no other card.
std::list<CheckedCard> cards_in(const std::vector<std::string>& files, std::list<Run>& runs, std::ostream& errors) {
    std::list<CheckedCard> all;
    Copies copies;
    FileProgress progress(errors, files.size());
    for (const std::string& file : files) {
        progress.next(file);
        std::error_code unknown; // of a pipe, which is read once
        if (std::filesystem::is_regular_file(file, unknown) && !copies.add(text_of_file(file), file)) continue;
        for (Run& read : read_runs_and_warn(file, errors)) {
            const Run& run = runs.emplace_back(std::move(read));
            for (Card& card : cards_of({&run, 1})) all.push_back({std::move(card), {}, stem_of(file), &run});
        }
    }
    if (const std::string text = copies.text(); !text.empty()) errors << error_lines(printable(text));
    for (CheckedCard& each : all) each.numbers = health_numbers(each.card);
    return all;
}

/// Numbers of the cards of each model, so that each card finds those of the others at once.
class NumbersOfModels {
public:
    explicit NumbersOfModels(const std::list<CheckedCard>& cards) {
        for (const CheckedCard& each : cards) {
            const std::size_t place = places_.try_emplace(each.identity(), places_.size()).first->second;
            for (const HealthNumber& number : each.numbers)
                by_model_[each.card.name][key_of(number)].emplace_back(place, number.value.value);
        }
    }
    /// Of the other cards of its model.
    HealthValues beside(const CheckedCard& card) const {
        HealthValues values;
        const auto of_model = by_model_.find(card.card.name);
        if (of_model == by_model_.end()) return values;
        const std::size_t own = places_.at(card.identity());
        for (const HealthNumber& number : card.numbers) {
            const HealthKey key = key_of(number);
            const auto all = of_model->second.find(key);
            if (all == of_model->second.end() || values.contains(key)) continue;
            std::vector<double> others;
            others.reserve(all->second.size());
            for (const auto& [place, value] : all->second)
                if (place != own) others.push_back(value);
            if (!others.empty()) values.emplace(key, std::move(others));
        }
        return values;
    }

private:
    std::map<std::pair<std::string, const Run*>, std::size_t> places_;
    std::map<std::string, std::map<HealthKey, std::vector<std::pair<std::size_t, double>>>> by_model_; // with the card
};

/// Those of the devices that were asked for; where none was, GPUs if there is one.
void choose(std::list<CheckedCard>& cards, const std::vector<std::string>& words) {
    const bool gpus = std::ranges::any_of(cards, [](const CheckedCard& each) { return !is_processor(each.card); });
    std::erase_if(cards, [&](const CheckedCard& each) {
        if (words.empty()) return gpus && is_processor(each.card);
        return std::ranges::none_of(
            each.card.devices, [&](const DeviceRecord* device) { return is_chosen(words, *device); });
    });
    for (CheckedCard& each : cards)
        std::erase_if(each.numbers,
            [&](const HealthNumber& number) { return !is_chosen(words, *each.card.device(number.device)); });
}

/// The first device of each card that is no processor; where there is none the word for such.
std::vector<std::string> first_devices(const Fleet& fleet) {
    std::vector<std::string> ids, cards;
    for (const Fleet::Entry& device : fleet.devices())
        if (device.info.is_gpu() && std::ranges::find(cards, device.info.card) == cards.end()) {
            cards.push_back(device.info.card);
            ids.push_back(device.info.id);
        }
    return ids.empty() ? std::vector{std::string(kGpus)} : ids;
}

/// Products of f16 with sums in f32 by a device's matrix units: the first of these forms that it has.
void add_matrix_form(const Fleet::Entry& device, std::vector<std::string>& operations) {
    constexpr const char* kForms[] = {"wgmma.f16.f32.m64n256k16", "mma.f16.f32.m16n8k16", "mfma.f16.f32.m16n16k16",
        "wmma.f16.f32.m16n16k16", "dpas.f16.f32.m8n16k16", "dpas.f16.f32.m8n8k16", "coopmat.f16.f32.m16n16k16",
        "coopmat.f16.f32.m16n8k16", "coopmat.f16.f32.m8n16k16"};
    for (const char* form : kForms)
        if (const auto row = std::ranges::find(device.operations, form, &Support::name);
            row != device.operations.end() && row->supported) {
            if (std::ranges::find(operations, form) == operations.end()) operations.emplace_back(form);
            return;
        }
}
} // namespace

RunOptions health_run(const Fleet& fleet, const std::vector<std::string>& devices) {
    RunOptions run;
    run.probes = {"latency", "bandwidth", "rate", "matrix", "sustained", "transfer"};
    run.profile = "quick";
    run.devices = devices.empty() ? first_devices(fleet) : devices;
    std::vector<std::string> operations{"fma.f32"};
    for (const Fleet::Entry& device : fleet.devices())
        if (is_chosen(run.devices, device.info)) add_matrix_form(device, operations);
    run.options = {{"operation", operations}, {"seconds", {"5"}}, {"width", {"16"}}, {"engine", {"copy"}},
        {"memory", {"pinned"}}, {"direction", {"to-device", "to-host"}}, {"data", {kNotAsked, "integers"}}};
    for (const char* option : {"lanes", "sizes", "test", "alignment"}) run.options[option] = {kNotAsked};
    return run;
}

double tolerance_of(const std::string& text) {
    if (text.empty()) return -1;
    const std::string number = text.substr(0, text.find_last_not_of(" %") + 1);
    const auto percent = number_of<double>(number);
    if (!percent || !(*percent >= 0 && *percent < 100))
        throw UsageError(fmt::format("--tolerance: '{}' is no share from 0 to 100 %, such as 3%", text));
    return *percent / 100;
}

int check_command(const CheckOptions& options, std::ostream& out, std::ostream& errors) {
    const double tolerance = tolerance_of(options.tolerance);
    std::list<Run> runs;
    std::list<CheckedCard> cards = cards_in(options.files, runs, errors);
    const std::list<CheckedCard> good = cards_in(options.against, runs, errors);
    choose(cards, options.devices);
    if (cards.empty())
        throw UsageError(fmt::format("{}: no series of {}", fmt::join(options.files, ", "),
            options.devices.empty() ? "any device" : fmt::format("{}", fmt::join(options.devices, ", "))));
    std::vector<CardHealth> all;
    const NumbersOfModels models(cards);
    std::map<std::string, HealthValues> recorded; // by model
    for (const CheckedCard& each : good) add(recorded[each.card.name], each.numbers);
    for (const CheckedCard& each : cards) {
        GoodNumbers held{.equal = models.beside(each), .tolerance = tolerance};
        if (const auto own = recorded.find(each.card.name); own != recorded.end()) held.recorded = own->second;
        if (!good.empty() && held.recorded.empty())
            errors << error_lines(printable(fmt::format("{}: no numbers of a {}, so it is held against others",
                fmt::join(options.against, ", "), each.card.name)));
        all.push_back(health_of(each.card, each.numbers, held));
        if (options.files.size() > 1) all.back().where = each.where;
    }
    if (options.metrics) out << health_metrics(all);
    else if (options.json) {
        Json rows = Json::array();
        for (const CardHealth& health : all) rows.push_back(health_json(health));
        print_json(rows, out);
    } else
        for (const CardHealth& health : all)
            out << health_line(health) << (options.full ? health_table(health) + "\n" : "");
    return std::ranges::all_of(all, [](const CardHealth& health) { return health.state == HealthState::ok; }) ? 0 : 1;
}

} // namespace sonde
