// sonde without words: what is here, and where to begin.
#include <algorithm>
#include <map>
#include <ostream>

#include <fmt/format.h>

#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/commands.h"
#include "core/data/profile.h"
#include "core/run/cost.h"
#include "core/run/device_words.h"

namespace sonde {

namespace {
/// A card as a person sees it, and how many there are of the kind.
struct Kind {
    std::string name, apis;
    std::size_t count = 0;
};

/// By what the first of its devices is called: of a processor the one that is no driver's.
std::vector<Kind> kinds_of(const Fleet& fleet, const std::vector<std::string>& words) {
    std::map<std::string, std::vector<const DeviceRecord*>> cards;
    std::vector<std::string> order;
    for (const Fleet::Entry& device : fleet.devices()) {
        if (!is_chosen(words, device.info)) continue;
        if (cards[device.info.card].empty()) order.push_back(device.info.card);
        cards[device.info.card].push_back(&device.info);
    }
    std::vector<Kind> kinds;
    for (const std::string& card : order) {
        std::vector<const DeviceRecord*>& devices = cards[card];
        std::vector<std::string> apis;
        for (const DeviceRecord* device : devices)
            if (std::ranges::find(apis, device->api) == apis.end()) apis.push_back(device->api);
        std::stable_partition(
            devices.begin(), devices.end(), [](const DeviceRecord* device) { return !device->software; });
        const std::string name = devices.front()->name, text = fmt::format("{}", fmt::join(apis, ", "));
        const auto same =
            std::ranges::find_if(kinds, [&](const Kind& kind) { return kind.name == name && kind.apis == text; });
        if (same == kinds.end()) kinds.push_back({name, text, 1});
        else ++same->count;
    }
    return kinds;
}

/// One line: "NVIDIA H200 (cuda, opencl, vulkan); 2 x ...", with as many kinds as it holds.
std::string kinds_text(const std::vector<Kind>& kinds, std::size_t columns) {
    std::string text;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const std::string one = printable(fmt::format("{}{}{} ({})", i > 0 ? "; " : "",
            kinds[i].count > 1 ? fmt::format("{} x ", kinds[i].count) : "", kinds[i].name, kinds[i].apis));
        if (i > 0 && display_width(text) + display_width(one) > columns)
            return text + fmt::format("; {} more", kinds.size() - i);
        text += one;
    }
    return text;
}

/// What `sonde run` takes here.
std::string run_text(const Fleet& fleet, const Taken& taken) {
    RunOptions options;
    fill_in(options);
    options.devices = taken.words;
    return fmt::format("measure: the answer in about {}, and a results file",
        duration_text(expected_seconds(plan(fleet.devices(), options), *find_profile(options.profile))));
}
} // namespace

int welcome_command(const Fleet& fleet, std::ostream& out) {
    constexpr std::size_t kMore = 8; // columns for "; 9 more"
    const Taken taken = taken_of({}, fleet.infos());
    const bool gpu = std::ranges::any_of(fleet.infos(), &DeviceInfo::is_gpu);
    const std::string here = kinds_text(kinds_of(fleet, taken.words), text_columns() - kMore);
    std::vector<std::string> failed;
    for (const Fleet::Absence& absence : fleet.absent())
        if (absence.failed) failed.push_back(absence.api);
    out << "sonde " SONDE_VERSION ": GPUs' memories and arithmetic, measured alike through every API\n\n"
        << (here.empty() ? "nothing is here to measure" : here) << "\n";
    if (!gpu) out << "no GPU is here, so the processor is taken: sonde doctor tells why\n";
    else if (const std::string text = left_out_text(taken); !text.empty()) out << wrapped(text, text_columns(), 4);
    const std::pair<const char*, std::string> commands[] = {{"sonde run", run_text(fleet, taken)},
        {"sonde diagnose FILE", "what follows from a results file, and the evidence"},
        {"sonde report FILE", "a page with interactive curves, readable offline"},
        {"sonde doctor", failed.empty() ? "why an API is absent or a card slow, and what to do"
                                        : fmt::format("why {} failed, and what to do", fmt::join(failed, ", "))}};
    out << "\n";
    for (const auto& [command, meaning] : commands) out << fmt::format("  {:21}{}\n", command, meaning);
    out << "\nsonde help: all commands. sonde manual: all of each.\n";
    return 0;
}

} // namespace sonde
