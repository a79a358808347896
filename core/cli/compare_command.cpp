// The command `compare`: operands to sides, sides to pairs of devices.
#include "core/cli/commands.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <ostream>
#include <set>
#include <span>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/imported.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/file_progress.h"
#include "core/cli/side_table.h"
#include "core/compare/compare.h"
#include "core/compare/comparison_text.h"
#include "core/compare/index_cost.h"
#include "core/run/device_words.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;

/// What one operand, or several of one card and driver, stand for.
struct Operand {
    std::string name;
    std::vector<Side> subjects;
    std::vector<PublishedFigure> published; // instead of subjects
    std::vector<std::string> left_out{};    // devices of which no series is ok, and why
};

/// What operands are read with, and what was read: runs stay where they are, for subjects point at them.
struct Reading {
    const ImportAs& as;
    const SeriesWords& words;
    std::list<Run> runs{};
    std::ostream& errors;

    std::vector<const Run*> load(const std::string& file) {
        std::vector<const Run*> loaded;
        for (Run& run : read_runs_and_warn(file, errors, as)) loaded.push_back(&runs.emplace_back(std::move(run)));
        return loaded;
    }
};

/// A processor's card is "cpu" everywhere, its name is not.
auto identity(const Side& side) {
    const DeviceRecord& device = side.device();
    return std::tie(device.card, device.name, device.driver, device.api);
}

void add_recording(std::vector<Side>& subjects, const DeviceRun& recording, const std::string& file) {
    Side subject{.recordings = {recording}};
    const auto found = std::find_if(
        subjects.begin(), subjects.end(), [&](const Side& other) { return identity(other) == identity(subject); });
    if (found != subjects.end() && found->recordings.back().run != recording.run) {
        found->recordings.push_back(recording);
        return;
    }
    const DeviceRecord& device = *recording.device;
    subject.label = fmt::format("{} {} ({})", device.name, device.id, file);
    subjects.push_back(std::move(subject));
}

/// Points that two series have in common, and those of them that hold the same samples, which no two measurements do.
struct CommonPoints {
    std::size_t all = 0, same = 0;
};

CommonPoints common_points(const DeviceRun& a, const DeviceRun& b) {
    CommonPoints common;
    if (a.device->id != b.device->id) return common;
    for (const Series& series : a.run->series) {
        const auto other = std::find_if(b.run->series.begin(), b.run->series.end(),
            [&](const Series& each) { return each.id == series.id && each.card == series.card; });
        if (series.id.device != a.device->id || other == b.run->series.end()) continue;
        for (const Point& point : series.points) {
            const auto same = std::find_if(
                other->points.begin(), other->points.end(), [&](const Point& each) { return each.x == point.x; });
            if (same == other->points.end() || point.samples.empty() || same->samples.empty()) continue;
            ++common.all;
            common.same += point.samples == same->samples;
        }
    }
    return common;
}

/// What was read before, by card: a run beside itself says nothing of noise.
class SeenRuns {
public:
    /// Throws UsageError where all of a recording is there already, and notes where some is.
    void add(const Operand& side, std::size_t number, std::vector<std::string>& notes) {
        for (const Side& subject : side.subjects)
            for (const DeviceRun& recording : subject.recordings) {
                for (const std::size_t place : with_same_samples(recording)) {
                    const auto& [before, other] = seen_[place];
                    const CommonPoints common = common_points(other, recording);
                    if (common.same == 0) continue;
                    const std::string who = fmt::format("{}: {}, card {}, started {}",
                        before == number ? "one side has the same run twice" : "both sides are the same run",
                        subject.label, recording.device->card, text_field(recording.run->header, "started"));
                    if (common.same == common.all) throw UsageError(who + "; name a file of another run");
                    notes.push_back(
                        fmt::format("{}; {} of {} points hold the same samples", who, common.same, common.all));
                }
                for (const std::size_t key : keys_of(recording)) by_samples_[key].push_back(seen_.size());
                seen_.emplace_back(number, recording);
            }
    }

private:
    /// Of each of its points that has samples: no other measurement has the same.
    static std::vector<std::size_t> keys_of(const DeviceRun& recording) {
        std::vector<std::size_t> keys;
        for (const Series& series : recording.run->series)
            for (const Point& point : series.points)
                if (series.id.device == recording.device->id && !point.samples.empty())
                    keys.push_back(std::hash<std::string>{}(
                        fmt::format("{} {} {} {} {} {}", recording.device->card, series.id.text(), point.x,
                            point.samples.size(), point.samples.front().host_ns, point.samples.back().host_ns)));
        return keys;
    }
    /// Those that may share points with it, in their order.
    std::set<std::size_t> with_same_samples(const DeviceRun& recording) const {
        std::set<std::size_t> places;
        for (const std::size_t key : keys_of(recording))
            if (const auto found = by_samples_.find(key); found != by_samples_.end())
                places.insert(found->second.begin(), found->second.end());
        return places;
    }

    std::vector<std::pair<std::size_t, DeviceRun>> seen_; // with the number of the operand
    std::map<std::size_t, std::vector<std::size_t>> by_samples_;
};

/// A device that was measured, and of which nothing can be compared.
void note_left_out(Operand& side, const DeviceRun& recording, const std::string& file) {
    const DeviceRecord& device = *recording.device;
    for (const Series& series : recording.run->series) {
        if (series.id.device != device.id || series.points.empty()) continue;
        const std::string reason = reason_text(series);
        side.left_out.push_back(fmt::format("left out: {} {} ({}), of which no series is ok{}{}", device.name,
            device.id, file, reason.empty() ? "" : ": ", reason));
        return;
    }
}

/// "file[,file...]" with its devices, all or those of the id or API `only`.
Operand side_of(const std::vector<std::string>& files, const std::string& only, Reading& reading) {
    Operand side{fmt::format("{}", fmt::join(files, ",")), {}, {}};
    std::set<std::string> known;
    for (const std::string& file : files)
        for (const Run* run : reading.load(file)) {
            std::set<std::string> here; // a damaged file has its devices twice
            for (DeviceRun& recording : recordings_of(*run)) {
                const DeviceRecord& device = *recording.device;
                if (!here.insert(device.id).second || !is_chosen(reading.words.devices, device)) continue;
                if (!reading.words.empty())
                    recording.asked = [&words = reading.words](
                                          const SeriesKey& question) { return asks(words, question); };
                const bool has_results = !questions_of({.recordings = {recording}}).empty();
                if (has_results) known.insert(device.id);
                if (!only.empty() && device.id != only && device.api != only) continue;
                if (has_results) add_recording(side.subjects, recording, file);
                else if (reading.words.empty()) note_left_out(side, recording, file);
            }
        }
    if (!side.subjects.empty()) return side;
    if (!side.left_out.empty()) throw UsageError(fmt::format("{}", fmt::join(side.left_out, "; ")));
    if (known.empty() && !reading.words.empty()) return side; // what is wrong with the words is told of all files
    if (known.empty()) throw UsageError(fmt::format("{}: no series that is ok", side.name));
    throw UsageError(
        fmt::format("{}: '{}' is none of its devices with results: {}", side.name, only, fmt::join(known, ", ")));
}

/// Tools write JSON as well as our published figures are.
bool is_of_another_tool(const fs::path& file) {
    std::error_code unknown;
    return fs::is_regular_file(file, unknown) && fs::file_size(file, unknown) <= kLargestImport &&
           !import_results(text_of_file(file), file.string()).empty();
}

Operand parse_operand(const std::string& operand, Reading& reading) {
    const auto published = [&](std::vector<PublishedFigure> figures) {
        std::erase_if(figures, [&](const PublishedFigure& figure) { return !asks(reading.words, figure.question); });
        return Operand{operand, {}, std::move(figures)};
    };
    if (const auto words = published_words(operand)) return published(select_published(published_figures(), *words));
    if (fs::path(operand).extension() == ".json" && !is_of_another_tool(operand))
        return published(published_figures(fs::path(operand)));
    std::error_code unknown; // of a name that no file can have
    if (fs::exists(operand, unknown)) return side_of({operand}, "", reading);
    const std::size_t at = operand.rfind('@');
    const std::vector<std::string> files = split(operand.substr(0, at), ',');
    if (std::find(files.begin(), files.end(), "") != files.end())
        throw UsageError(fmt::format("'{}': a file without a name", operand));
    return side_of(files, at == std::string::npos ? "" : operand.substr(at + 1), reading);
}

auto key_of(const Operand& side) {
    std::set<std::tuple<std::string, std::string, std::string, std::string>> key;
    for (const Side& subject : side.subjects) key.insert(identity(subject));
    return key;
}

bool alone(const Operand& side) { // one file, nothing said about what it belongs to
    return side.published.empty() && std::all_of(side.subjects.begin(), side.subjects.end(),
                                         [](const Side& subject) { return subject.recordings.size() == 1; });
}

/// More than two files, some of the same cards and drivers and some not: the same ones are runs of one side.
std::vector<Operand> grouped(std::vector<Operand> sides) {
    std::vector<Operand> out;
    if (sides.size() < 3 || !std::all_of(sides.begin(), sides.end(), alone)) return sides;
    for (const Operand& side : sides) {
        const auto same =
            std::find_if(out.begin(), out.end(), [&](const Operand& other) { return key_of(other) == key_of(side); });
        if (same == out.end()) {
            out.push_back(side);
            continue;
        }
        for (const Side& other : side.subjects)
            for (Side& subject : same->subjects)
                if (identity(subject) == identity(other)) subject.recordings.push_back(other.recordings[0]);
        same->name += "," + side.name;
    }
    return out.size() > 1 ? out : sides;
}

bool is_processor(const Side& side) { return side.device().cpu || side.device().software; }

/// Equal cards as one side, each a run of it: what differs from card to card is its noise.
void join_equal_cards(Operand& side) {
    std::vector<Side> joined;
    for (Side& subject : side.subjects) {
        const auto model = [](const Side& each) {
            const DeviceRecord& device = each.device();
            return std::tie(device.name, device.driver, device.api);
        };
        const auto equal = std::ranges::find_if(joined, [&](const Side& other) {
            return !is_processor(subject) && !is_processor(other) && model(other) == model(subject);
        });
        if (equal == joined.end()) joined.push_back(std::move(subject));
        else
            for (DeviceRun& recording : subject.recordings) equal->recordings.push_back(std::move(recording));
    }
    for (Side& each : joined) {
        std::set<std::string> cards;
        for (const DeviceRun& recording : each.recordings) cards.insert(recording.device->card);
        if (cards.size() > 1) each.label = fmt::format("{} equal cards, the first {}", cards.size(), each.label);
    }
    side.subjects = std::move(joined);
}

/// A card that two sides have is compared with itself; else equal cards of a side are one.
void join_unless_shared(std::vector<Operand>& sides) {
    std::map<std::string, std::size_t> sides_of; // by card
    for (const Operand& side : sides) {
        std::set<std::string> cards;
        for (const Side& subject : side.subjects)
            if (!is_processor(subject)) cards.insert(subject.device().card);
        for (const std::string& card : cards) ++sides_of[card];
    }
    if (std::ranges::any_of(sides_of, [](const auto& each) { return each.second > 1; })) return;
    for (Operand& side : sides) join_equal_cards(side);
}

bool of_same_card(const Side& a, const Side& b) {
    return a.device().card == b.device().card && is_processor(a) == is_processor(b);
}

/// Devices of the same API, of the same card where the other side has it. Where the sides have no API in common, each
/// with each, likewise; but never a card with a processor, and nothing stands in for a device that was left out.
Pairs pairs_of(const Operand& a, const Operand& b) {
    const auto pairs_by = [&](const auto& is_alike) {
        Pairs pairs;
        for (const Side& one : a.subjects) {
            const auto alike = [&](const Side& other) {
                return is_processor(one) == is_processor(other) && is_alike(one, other);
            };
            const bool known = std::ranges::any_of(
                b.subjects, [&](const Side& other) { return alike(other) && of_same_card(one, other); });
            for (const Side& other : b.subjects)
                if (alike(other) && (!known || of_same_card(one, other))) pairs.emplace_back(&one, &other);
        }
        return pairs;
    };
    Pairs pairs = pairs_by([](const Side& one, const Side& other) { return one.device().api == other.device().api; });
    const bool whole = a.left_out.empty() && b.left_out.empty();
    return pairs.empty() && whole ? pairs_by([](const Side&, const Side&) { return true; }) : pairs;
}

/// The APIs of each card against each other.
Pairs pairs_within(const Operand& side) {
    Pairs pairs;
    for (std::size_t i = 0; i < side.subjects.size(); ++i)
        for (std::size_t k = i + 1; k < side.subjects.size(); ++k)
            if (of_same_card(side.subjects[i], side.subjects[k]))
                pairs.emplace_back(&side.subjects[i], &side.subjects[k]);
    if (pairs.empty())
        throw UsageError(fmt::format("{}: one device only; name a second file to compare it with", side.name));
    return pairs;
}

/// Each against the first.
std::vector<Comparison> compare_all_published(const std::vector<Operand>& sides, std::vector<std::string>& notes) {
    if (sides.size() == 1)
        throw UsageError(fmt::format(
            "{}: published figures alone; name a results file, or other published figures, to compare them with",
            sides[0].name));
    std::vector<Comparison> all;
    for (std::size_t i = 1; i < sides.size(); ++i)
        if (sides[i].name == sides[0].name)
            throw UsageError(fmt::format(
                "both sides are the same published figures: {}; name others, or a results file", sides[0].name));
    const std::vector<PublishedRange> first = bands_of(sides[0].published);
    for (std::size_t i = 1; i < sides.size(); ++i) {
        const std::vector<PublishedRange> other = bands_of(sides[i].published);
        const std::vector<Comparison> more = compare_published(first, other, {sides[0].name, sides[i].name});
        notes.push_back(fmt::format(
            "{} and {}: {} figures in common; {} and {} that the other side lacks ('sonde published' lists them)",
            sides[0].name, sides[i].name, more.size(), first.size() - more.size(), other.size() - more.size()));
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

/// The pairs of devices that stand beside each other: the first operand's and each other's.
Pairs paired_devices(const std::vector<Operand>& sides) {
    Pairs pairs;
    for (std::size_t i = 1; i < sides.size(); ++i)
        if (!sides[0].subjects.empty() && !sides[i].subjects.empty())
            for (const auto& pair : pairs_of(sides[0], sides[i])) pairs.push_back(pair);
    return pairs;
}

/// Levels and rates of each pair with their ratio, equal or not.
void print_tables(const Pairs& pairs, std::ostream& out) {
    constexpr std::size_t kMost = 4; // a screen each
    for (std::size_t i = 0; i < std::min(pairs.size(), kMost); ++i) {
        const auto& [a, b] = pairs[i];
        const Grid table = side_table(*a, *b);
        if (table.empty()) continue;
        out << wrapped(printable("first: " + a->label), text_columns(), 2)
            << wrapped(printable("second: " + b->label), text_columns(), 2) << grid_text(table, text_columns()) << "\n";
    }
    if (pairs.size() > kMost)
        out << fmt::format(
            "tables of {} more pairs: compare one device of each file, as FILE@cuda:0\n\n", pairs.size() - kMost);
}

/// Series of one API whose kernels are not the same text, as those of two versions; "" where there are none.
std::string other_kernels_line(const Pairs& pairs) {
    constexpr std::size_t kNamed = 4;
    std::set<std::string> found;
    for (const auto& [a, b] : pairs)
        if (a->device().api == b->device().api) found.merge(probes_with_other_kernels(*a, *b));
    if (found.empty()) return "";
    const std::vector<std::string> probes(found.begin(), found.end());
    const auto named = std::span(probes).first(std::min(kNamed, probes.size()));
    return fmt::format("the two sides' kernels are not the same, as of two versions of sonde: {}{}",
        fmt::join(named, ", "),
        probes.size() > named.size() ? fmt::format(" and {} more", probes.size() - named.size()) : "");
}

/// What is not compared, as the view does not have it on both sides; in one line.
struct NotViewed {
    std::map<std::string, std::set<std::string>> probes{}; // by the reason

    void add(const Side& a, const Side& b, View view) {
        for (const auto& [why, more] : without_view(a, b, view)) probes[why].insert(more.begin(), more.end());
    }
    std::string line() const {
        std::vector<std::string> texts;
        for (const auto& [why, names] : probes)
            texts.push_back(fmt::format(
                "{} probe{} ({}): {}", names.size(), names.size() == 1 ? "" : "s", fmt::join(names, ", "), why));
        return texts.empty() ? "" : fmt::format("not compared: {}", fmt::join(texts, "; "));
    }
};

std::vector<Comparison> compare_sides(
    const std::vector<Operand>& sides, View view, std::vector<std::string>& notes, NotViewed& not_viewed) {
    std::vector<Comparison> all;
    const auto append = [&](const std::vector<Comparison>& more) { all.insert(all.end(), more.begin(), more.end()); };
    const auto take = [&](const Pairs& pairs) {
        for (const auto& [a, b] : pairs) {
            append(compare(*a, *b, view, notes));
            not_viewed.add(*a, *b, view);
        }
    };
    const auto first =
        std::find_if(sides.begin(), sides.end(), [](const Operand& side) { return !side.subjects.empty(); });
    if (first == sides.end()) return compare_all_published(sides, notes);
    if (sides.size() == 1) take(pairs_within(*first));
    for (const Operand& side : sides) {
        if (&side == &*first) continue;
        if (side.published.empty()) take(pairs_of(*first, side));
        else
            for (const Side& subject : first->subjects)
                append(compare_with_published(subject, bands_of(side.published), side.name));
    }
    const bool both =
        sides.size() > 1 && std::ranges::none_of(sides, [](const Operand& side) { return side.subjects.empty(); });
    if (all.empty() && notes.empty() && both && paired_devices(sides).empty())
        throw UsageError("nothing in common: a card is not compared with a processor");
    if (all.empty() && notes.empty() && not_viewed.probes.empty())
        throw UsageError("nothing in common: no probe, path and options have results on both sides");
    return all;
}
} // namespace

int compare_command(const CompareOptions& options, std::ostream& out, std::ostream& errors) {
    const auto view = view_of(options.view);
    const double least = std::max(kLeastEffect, tolerance_of(options.tolerance));
    if (!view) throw UsageError(fmt::format("--view is ns, cycles, per-clock or dram-peak, not '{}'", options.view));
    Reading reading{.as = options.as, .words = options.series, .errors = errors};
    std::vector<Operand> sides;
    std::vector<std::string> same;
    SeenRuns seen;
    FileProgress progress(errors, options.operands.size());
    for (const std::string& operand : options.operands) {
        progress.next(operand);
        sides.push_back(parse_operand(operand, reading));
        seen.add(sides.back(), sides.size(), same);
    }
    check_choice(options.series, pointers_to(reading.runs), fmt::format("{}", fmt::join(options.operands, ", ")));
    std::vector<std::string> notes;
    for (const Operand& side : sides) notes.insert(notes.end(), side.left_out.begin(), side.left_out.end());
    notes.insert(notes.end(), same.begin(), same.end());
    sides = grouped(std::move(sides));
    join_unless_shared(sides);
    NotViewed not_viewed;
    std::vector<Comparison> comparisons = compare_sides(sides, *view, notes, not_viewed);
    judge(comparisons, least);
    explain_by_index(comparisons);
    constexpr int kDiffers = 4;
    const int code = options.fail && std::ranges::any_of(comparisons, &Comparison::differs) ? kDiffers : 0;
    for (const std::string& note : notes)
        if (options.json) errors << error_lines(printable(note));
        else out << wrapped(printable(note), text_columns(), 4);
    const std::string missing = printable(not_viewed.line());
    if (options.json) {
        if (!missing.empty()) errors << error_lines(missing);
        Json rows = Json::array();
        for (const Comparison& comparison : comparisons) rows.push_back(to_json(comparison));
        for (const auto& [a, b] : paired_devices(sides))
            if (Json table = side_table_json(*a, *b); !table["rows"].empty()) rows.push_back(std::move(table));
        print_json(rows, out);
        return code;
    }
    print_tables(paired_devices(sides), out);
    const Pairs pairs =
        sides.size() == 1 && sides[0].published.empty() ? pairs_within(sides[0]) : paired_devices(sides);
    if (options.full || count_differences(comparisons) <= kMostOneByOne) print_differences(comparisons, out);
    else print_surest_differences(comparisons, pairs, out);
    print_by_index(comparisons, pairs, out);
    if (const std::string other = other_kernels_line(pairs); !other.empty()) out << wrapped(other, text_columns(), 4);
    print_apart(comparisons, out);
    print_summary(comparisons, out);
    if (!missing.empty()) out << wrapped(missing, text_columns(), 4);
    return code;
}

} // namespace sonde
