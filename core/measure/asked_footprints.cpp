#include "core/measure/asked_footprints.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/data/ending.h"
#include "core/measure/bench.h"

namespace sonde {

std::optional<Footprints> asked_footprints(const Bench& bench) {
    return option::footprint.in(bench.request.id.options);
}

std::uint64_t asked_end(Bench& bench, std::uint64_t largest) {
    const auto asked = asked_footprints(bench);
    if (!asked) return largest;
    const std::string why = bench.ending && !bench.ending->why.empty() ? fmt::format(" ({})", bench.ending->why) : "";
    if (asked->least > largest)
        throw Unsupported(fmt::format("footprints of {} were asked for, and there are no more than {} here{}",
            asked->text(), format_bytes(largest), why));
    if (asked->most != UINT64_MAX && asked->most > largest && !bench.ending)
        bench.ending = {.by = EndedBy::reach,
            .bytes = largest,
            .why = fmt::format("this path has no more, and {} was asked for", format_bytes(asked->most))};
    return std::min(largest, asked->most);
}

std::vector<std::uint64_t> listed(
    const Footprints& list, std::uint64_t smallest, std::uint64_t largest, std::uint64_t granule) {
    std::vector<std::uint64_t> sizes;
    for (const std::uint64_t size : list.sizes)
        if (size <= largest) sizes.push_back(std::max(smallest, size / granule * granule));
    return distinct(std::move(sizes));
}

std::vector<std::uint64_t> asked_of(Bench& bench, std::vector<std::uint64_t> own, std::uint64_t smallest,
    std::uint64_t largest, std::uint64_t granule) {
    const auto asked = asked_footprints(bench);
    if (!asked) return own;
    asked_end(bench, largest);
    if (!asked->sizes.empty()) return listed(*asked, smallest, largest, granule);
    std::erase_if(own, [&](std::uint64_t size) { return !asked->holds(size); });
    if (own.empty())
        throw Unsupported(fmt::format("of the footprints that this probe takes none is of {}", asked->text()));
    return own;
}

} // namespace sonde
