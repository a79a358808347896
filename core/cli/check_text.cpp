// A line, a table or JSON of a card's health.
#include "core/cli/check_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/json.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/card_names.h"
#include "core/facts/grid.h"

namespace sonde {

namespace {
std::string value_text(double value, Unit unit) {
    const Scale scale = scale_of(value, unit);
    return fmt::format("{} {}", quantity_text({value, unit}, scale), scale.unit);
}

/// Of a share, so that what falls short by a tenth of a percent shows it.
std::string share_text(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string by_text(const Judgement& judged) {
    switch (judged.by) {
    case JudgedBy::recorded:
        return judged.of == 1 ? "recorded" : fmt::format("{} recordings", judged.of);
    case JudgedBy::equal_cards:
        return judged.of == 1 ? "other card" : fmt::format("{} equal cards", judged.of);
    default:
        return "documented";
    }
}

std::string short_text(const JudgedNumber& number) {
    const Unit unit = number.value.unit;
    return fmt::format("{} {}, {} of {} ({}; at least {})", number.text(), value_text(number.value.value, unit),
        share_text(number.judged->share), value_text(number.judged->reference, unit), by_text(*number.judged),
        share_text(number.judged->least));
}

std::string users_text(const std::vector<CardUser>& users) {
    std::vector<std::string> texts;
    texts.reserve(users.size());
    for (const CardUser& user : users)
        texts.push_back(fmt::format("pid {} ({:.0f} % busy)", user.pid, user.busy_percent.value_or(0)));
    return texts.empty() ? "another process" : fmt::format("{}", fmt::join(texts, ", "));
}

/// "13 numbers: 11 by equal cards, 2 documented"
std::string passed_text(const CardHealth& health) {
    std::size_t passed = 0;
    std::vector<std::string> texts;
    for (const char* name : enum_names(JudgedBy{})) {
        const auto count = std::ranges::count_if(health.numbers, [&](const JudgedNumber& number) {
            return number.judged && enum_names(JudgedBy{})[static_cast<std::size_t>(number.judged->by)] == name;
        });
        const auto is = [name](JudgedBy by) { return name == enum_names(JudgedBy{})[static_cast<std::size_t>(by)]; };
        const bool one_other =
            is(JudgedBy::equal_cards) && std::ranges::none_of(health.numbers, [](const JudgedNumber& number) {
                return number.judged && number.judged->by == JudgedBy::equal_cards && number.judged->of > 1;
            });
        if (count)
            texts.push_back(fmt::format("{} by {}", count,
                is(JudgedBy::documented) ? "what is documented"
                : one_other              ? "the other equal card"
                                         : name));
        passed += static_cast<std::size_t>(count);
    }
    if (const std::size_t without = health.numbers.size() - passed)
        texts.push_back(fmt::format("{} held against nothing", without));
    return fmt::format("{} numbers{}{}", health.numbers.size(), texts.empty() ? "" : ": ", fmt::join(texts, ", "));
}

/// The farthest below what passes first.
std::vector<const JudgedNumber*> short_numbers(const CardHealth& health) {
    std::vector<const JudgedNumber*> numbers;
    for (const JudgedNumber& number : health.numbers)
        if (number.falls_short()) numbers.push_back(&number);
    std::ranges::stable_sort(
        numbers, {}, [](const JudgedNumber* number) { return number->judged->share / number->judged->least; });
    return numbers;
}
} // namespace

std::string health_line(const CardHealth& health) {
    std::vector<std::string> said;
    if (health.state == HealthState::in_use) said.push_back("used by " + users_text(health.users));
    else
        for (const JudgedNumber* number : short_numbers(health)) said.push_back(short_text(*number));
    constexpr std::size_t kFewSigns = 6; // JSON has all of them
    for (std::size_t i = 0; i < std::min(kFewSigns, health.signs.size()); ++i)
        said.push_back(sign_text(health.signs[i]));
    if (health.signs.size() > kFewSigns) said.push_back(fmt::format("and {} more", health.signs.size() - kFewSigns));
    if (health.state == HealthState::unjudged)
        said.emplace_back("nothing to hold its numbers against: name a good card's run with --against");
    if (health.state != HealthState::in_use) said.push_back(passed_text(health));
    return printable(fmt::format("{}: {}{}{}: {}", enum_names(HealthState{})[static_cast<std::size_t>(health.state)],
               health.where, health.where.empty() ? "" : " ", card_text(*health.card), fmt::join(said, "; "))) +
           "\n";
}

std::string health_table(const CardHealth& health) {
    const bool one_device = std::ranges::all_of(
        health.numbers, [&](const JudgedNumber& number) { return number.device == health.numbers[0].device; });
    std::vector<std::string> titles{"number", "device", "measured", "held against", "share", "least", ""};
    std::vector<Align> aligned{Align::left, Align::left, Align::right, Align::right, Align::right, Align::right};
    if (one_device) titles.erase(titles.begin() + 1), aligned.erase(aligned.begin() + 1);
    Table table(titles, aligned);
    for (const JudgedNumber& number : health.numbers) {
        std::vector<std::string> cells{number.text()};
        if (!one_device) cells.push_back(number.device);
        cells.push_back(value_text(number.value.value, number.value.unit));
        if (const auto& judged = number.judged)
            for (std::string& cell :
                std::vector<std::string>{value_text(judged->reference, number.value.unit), share_text(judged->share),
                    share_text(judged->least), by_text(*judged) + (number.falls_short() ? ": falls short" : "")})
                cells.push_back(std::move(cell));
        table.add_row(std::move(cells));
    }
    return table.str(text_columns());
}

Json health_json(const CardHealth& health) {
    const DeviceRecord& device = first_device(*health.card);
    Json json{{"where", health.where}, {"card", health.card->id}, {"name", health.card->name},
        {"uuid", uuid_text(device)}, {"pci", device.pci}, {"devices", Json::array()}, {"state", health.state},
        {"numbers", Json::array()}, {"signs", Json::array()}, {"users", Json::array()}};
    for (const DeviceRecord* each : health.card->devices) json["devices"].push_back(each->id);
    for (const JudgedNumber& number : health.numbers) {
        Json row = quantity_json(number.value);
        row["name"] = number.text(), row["device"] = number.device;
        row["falls_short"] = number.falls_short();
        if (const auto& judged = number.judged)
            row.update(Json{{"by", judged->by}, {"of", judged->of}, {"reference", judged->reference},
                {"share", judged->share}, {"least", judged->least}});
        json["numbers"].push_back(std::move(row));
    }
    for (const HealthSign& sign : health.signs)
        json["signs"].push_back({{"kind", sign.kind}, {"bad", sign.bad}, {"text", sign_text(sign)}});
    for (const CardUser& user : health.users)
        json["users"].push_back({{"pid", user.pid}, {"busy_percent", number_or_null(user.busy_percent)}});
    return json;
}

} // namespace sonde
