// The table of what is compared, and conclusions read from the file's own findings.
#include "core/compare/facts.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"

namespace sonde {

namespace {
constexpr double kRecorded = 0.0015;  // the largest of five recorded runs on a level beyond what their blocks explain (median 0.02 %)
constexpr double kAlike = 0.01;       // two cards of one kind are nearer to each other than that, and two runs by far (results/nvidia-h200)
constexpr double kByCores = 0.05;     // not recorded; by which cores the few workgroups meet
// Of two recorded runs (results/nvidia-h200, others-1 and -2) nine of ten items differ by up to:
constexpr double kByHost = 0.1;       // 19 % of copies, 23 % of launches: the host's scheduling has a part in it
constexpr double kInStep = 0.2;       // 1.7 % of hand-offs, but one by a factor of two, as if parties polled in step in one run and out of it in the other
constexpr double kOneLine = 0.06;     // by where in the last level a line lies: cores are 255 to 320 cycles from one (results/nvidia-h200)

constexpr std::array kCompared{
    Compared{"latency", Axis::footprint, kRecorded},
    Compared{"bandwidth", Axis::footprint, kRecorded},
    Compared{"write", Axis::footprint, kAlike},
    Compared{"split", Axis::footprint, kRecorded},
    Compared{"line", Axis::amount, kOneLine}, // what fits at a stride is chance
    Compared{"tlb", Axis::amount, kAlike},
    Compared{"associativity", Axis::amount, kAlike},
    Compared{"partitions", Axis::amount, kOneLine},
    Compared{"sharing", Axis::amount, kOneLine},
    Compared{"neighbours", Axis::place, kAlike},
    Compared{"map", Axis::place, kOneLine},
    Compared{"workgroups", Axis::amount, kByCores},
    Compared{"banks", Axis::amount, kAlike},
    Compared{"occupancy", Axis::amount, kAlike},
    Compared{"coalescing", Axis::amount, kByCores},
    Compared{"mix", Axis::amount, kAlike},
    Compared{"segments", Axis::place, kAlike},
    Compared{"segment-latency", Axis::place, kAlike},
    Compared{"channels", Axis::amount, kAlike},
    Compared{"loaded", Axis::amount, kAlike},
    Compared{"handoff", Axis::place, kInStep},
    Compared{"atomics", Axis::amount, kOneLine},
    Compared{"bus", Axis::amount, kByHost},
    Compared{"launch", Axis::amount, kByHost},
    Compared{"room", Axis::place, kAlike}, // what it finds is a fact
};

/// Kinds of findings that are numbers of their own, and how an item of it is called; {}: the finding's name.
struct FactKind {
    std::string_view kind, text;
};
constexpr std::array kFactKinds{
    FactKind{"line", "line of {}"},     FactKind{"fetch", "fetched on a miss of {}"}, FactKind{"tlb", "reach of {}"},      FactKind{"banks", "banks"},
    FactKind{"room", "room of {}"},     FactKind{"partitions", "caches of {}"},       FactKind{"neighbours", "cores at {}"}, FactKind{"associativity", "ways of {}"},
    FactKind{"segments", "{} segment"},
};
constexpr double kSureEnough = 0.5; // confidence

const Compared* find_row(std::string_view probe) {
    const auto found = std::find_if(kCompared.begin(), kCompared.end(), [&](const Compared& each) { return each.probe == probe; });
    return found == kCompared.end() ? nullptr : &*found;
}

const FactKind* fact_kind(std::string_view kind) {
    const auto found = std::find_if(kFactKinds.begin(), kFactKinds.end(), [&](const FactKind& each) { return each.kind == kind; });
    return found == kFactKinds.end() ? nullptr : &*found;
}

bool answers(const Json& line, const DeviceRun& recording, const SeriesKey& question) {
    if (text_field(line, "probe") != question.probe || text_field(line, "path") != question.path || text_field(line, "device") != text_field(*recording.device, "id")) return false;
    const auto options = line.find("options");
    if (options == line.end() || !options->is_object() || options->size() != question.options.size()) return false;
    return std::all_of(question.options.begin(), question.options.end(), [&](const auto& option) { return text_field(*options, option.first.c_str()) == option.second; });
}

/// Where a segment ends is a fact, how fast it is a curve's value; chunks that are all alike are no segments.
bool is_fact(const Json& line) {
    if (!fact_kind(text_field(line, "kind")) || number_field(line, "confidence") < kSureEnough || !(number_field(line, "value") > 0)) return false;
    const std::string name = text_field(line, "name");
    return text_field(line, "kind") != "segments" || ((name == "fast" || name == "slow") && line.contains("capacity_bytes"));
}

std::optional<std::pair<double, double>> bounds_of(const Json& line) {
    const auto bounds = line.find("capacity_bytes");
    if (bounds == line.end() || !bounds->is_array() || bounds->size() != 2 || !(*bounds)[0].is_number() || !(*bounds)[1].is_number()) return std::nullopt;
    return std::pair{(*bounds)[0].get<double>(), (*bounds)[1].get<double>()};
}

FoundFact fact_from(const Json& line) {
    const double value = number_field(line, "value");
    const auto bounds = bounds_of(line);
    return {text_field(line, "kind"), text_field(line, "name"), bounds ? "bytes" : text_field(line, "unit"), bounds.value_or(std::pair{value, value})};
}

std::vector<FoundFact> facts_in(const DeviceRun& recording, const SeriesKey& question) {
    std::vector<FoundFact> facts;
    for (const Json& line : recording.run->findings)
        if (line.is_object() && is_fact(line) && answers(line, recording, question)) facts.push_back(fact_from(line));
    return facts;
}
} // namespace

const Compared& compared(std::string_view probe) {
    if (const Compared* row = find_row(probe)) return *row;
    throw Error(fmt::format("{}: no row says how this probe is compared", probe));
}

Axis axis_of(std::string_view probe) {
    const Compared* row = find_row(probe);
    return row ? row->axis : Axis::amount;
}

std::string FoundFact::item() const { return fmt::format(fmt::runtime(fact_kind(kind)->text), name); }

std::vector<FoundFact> facts_of(const Side& subject, const SeriesKey& question) {
    std::vector<FoundFact> facts = facts_in(subject.recordings.at(0), question);
    for (std::size_t i = 1; i < subject.recordings.size(); ++i) {
        const std::vector<FoundFact> others = facts_in(subject.recordings[i], question);
        std::erase_if(facts, [&](FoundFact& fact) {
            const auto same = std::find_if(others.begin(), others.end(), [&](const FoundFact& other) { return other.kind == fact.kind && other.name == fact.name && other.unit == fact.unit; });
            if (same == others.end()) return true;
            fact.range = {std::min(fact.range.first, same->range.first), std::max(fact.range.second, same->range.second)};
            return false;
        });
    }
    return facts;
}

} // namespace sonde
