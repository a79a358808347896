// Rules about reads and stores of many work-items, launches, and parts of the memory.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/overview.h"
#include "core/diagnosis/rules.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kDramApart = 1.06; // times, at the largest footprint that all reach
constexpr double kTimesApart = 2;   // launches
constexpr double kSameLoads =
    1.25; // times: load rates that are one, however wide the loads; more bytes than that are clearly more
constexpr double kAccessApart = 1.15; // times: loads or stores of one pattern
constexpr double kWellInside = 0.75;  // of a level's footprint
constexpr double kAlone = 1.5;        // times: the rate of one workgroup

double first_of(const Curve& curve) {
    const auto points = points_of(curve);
    return points.empty() ? 0 : points.front().y;
}

/// At the largest of the curve's footprints up to `last`; 0 where caches hold much of it.
double rate_in_memory(const Card& card, const Curve& curve, double last) {
    double rate = 0;
    for (const CurvePoint& point : points_of(curve))
        if (point.x <= last * 1.01 && point.x >= 4 * card.largest(&DeviceInfo::cache_bytes)) rate = point.y;
    return rate;
}

/// The largest footprint that all of them reach.
double common_end(const Curves& curves) {
    double end = INFINITY;
    for (const Curve* curve : curves)
        if (const auto points = points_of(*curve); !points.empty()) end = std::min(end, points.back().x);
    return end;
}

/// Where reads of several widths may be limited by the number of loads: in a level, or from the footprint of strided
/// loads.
struct ReadPlace {
    std::string text; // "L1"
    double x;
};
std::vector<ReadPlace> read_places(const Card& card, const Curve& curve) {
    if (is_strided(curve)) return {{format_bytes(curve.series->evidence.footprint_bytes.value_or(0)), 1}};
    std::vector<ReadPlace> places;
    const Curve* latency = plain_curve(card, kLatency, device_text(&curve), curve.series->id.path);
    for (std::size_t i = 0; latency && i < latency->levels.size(); ++i)
        places.push_back({latency->level_names[i], kWellInside * on(latency->levels[i])});
    return places;
}

/// Of the narrowest widths on those that load as often as the narrowest, each with its loads a second (in 1e9), as long
/// as a wider one brings clearly more bytes.
Ranked as_often(const Curves& by_width, double x) {
    const auto bytes_of = [&](const Curve* curve) { return value_between(*curve->series, x).value_or(0); };
    double most = 0;
    for (const Curve* curve : by_width) most = std::max(most, bytes_of(curve));
    Ranked found;
    for (const Curve* curve : by_width) {
        const double bytes = bytes_of(curve), loads = bytes / width_of(curve->series->id.options);
        if (!(loads > 0) || bytes * kSameLoads > most ||
            (!found.empty() && std::abs(std::log(loads / found[0].first)) > std::log(kSameLoads)))
            break;
        found.emplace_back(loads, curve);
    }
    return found;
}

/// "; not measured through vulkan:0", for devices of the card that these curves lack.
std::string missing_text(const Card& card, const Ranked& list) {
    std::vector<std::string> missing;
    for (const DeviceRecord* device : card.devices)
        if (std::none_of(
                list.begin(), list.end(), [&](const auto& each) { return device_text(each.second) == device->id; }))
            missing.push_back(device->id);
    return missing.empty() ? "" : "; not measured through " + list_text(missing);
}

} // namespace

namespace {
/// Reads, or fills, of memory that no option but width and number of passes changes; none that another sentence tells.
Curves plain_traffic(const Card& card, const Probe& probe, const Statements& told) {
    Curves all = curves_of(card, probe);
    std::erase_if(all, [&](const Curve* curve) {
        const Options& options = curve->series->id.options;
        const bool by_memory = curve->path && family_of(*curve->path) == Family::memory &&
                               curve->path->stage == Stage::nothing && !curve->device->cpu;
        const bool plain = &probe == &kStream
                               ? option::operation.asked(options) && option::operation.word(options) == "fill"
                               : !option::data.asked(options);
        return !by_memory || !plain || std::ranges::any_of(told, [&](const Statement& each) {
            return each.rule == bandwidth_apart.name && cites({each}, curve->series->id);
        });
    });
    return all;
}

void say_dram_apart(const Card& card, Statements& out, const Probe& probe, fmt::format_string<std::string> text) {
    Parts parts;
    for (const Curves& alike : grouped(plain_traffic(card, probe, out),
             [](const Curve* curve) { return std::pair(curve->series->id.path, curve->series->id.options); })) {
        const double end = common_end(alike);
        const Ranked rates = ranked(alike, [&](const Curve& curve) { return rate_in_memory(card, curve, end); });
        const auto& [name, device, path, options] = alike[0]->series->id;
        const auto shape = option::shape.in(options);
        const char* once = shape && shape->groups_per_core == kOnce ? ", a workgroup for each tile" : "";
        if (differ(rates, kDramApart))
            parts.add(fmt::format("on {} ({}{}) at {} {}{}", path, options_text(options), once, format_bytes(end),
                          through_each(rates, rate_text), missing_text(card, rates)),
                curves_in(rates), ratio_of(rates));
    }
    parts.tell(out, text);
}
} // namespace

const Rule dram_rates_apart{
    "dram_rates_apart", "path", "DRAM bandwidth differs", [](const Card& card, Statements& out) {
        say_dram_apart(card, out, kBandwidth, "Read bandwidth of DRAM differs by API, cause unknown: {}.");
        say_dram_apart(card, out, kStream, "Fill bandwidth of DRAM differs by API, cause unknown: {}.");
    }};

const Rule data_compressed{
    "data_compressed", "path", "Zeros read at another rate than random data", [](const Card& card, Statements& out) {
        Parts parts;
        for (const Curve* curve : curves_with(card, kBandwidth, "global", option::data.as(DataKind::zeros)))
            for (const DataEffect& each : effects_of_data(curve->series->evidence.random_reads, run_noise::levels)) {
                if (!each.seen.value_or(false)) continue;
                parts.add(fmt::format("{:.3g} times the rate over {} through {} ({} and {})", each.times,
                              format_bytes(each.bytes), device_text(curve),
                              rate_text(each.times * each.random_gb_per_s), rate_text(each.random_gb_per_s)),
                    {curve}, std::max(each.times, 1 / each.times));
            }
        parts.tell(out, "Zeros are read at another rate than random data: {}. Cause unknown (compression, or the power "
                        "that data takes).");
    }};

static std::string microseconds(double ns) { return fmt::format("{:.{}f}", ns / 1e3, ns < 1e4 ? 1 : 0); }

/// "12 us through a:0"; of blocks that lie apart "4.3-5.8 us through a:0".
static std::string launch_text(const Ranked::value_type& each) {
    constexpr double kBlocksApart = 1.1; // times
    const std::vector<double> blocks = values_by_block(*each.second->series, each.second->series->points.front());
    const auto [least, most] = blocks.empty() ? std::pair(each.first, each.first)
                                              : std::pair(std::ranges::min(blocks), std::ranges::max(blocks));
    return fmt::format("{} us through {}",
        most > kBlocksApart * least ? microseconds(least) + "-" + microseconds(most) : microseconds(each.first),
        device_text(each.second));
}

namespace {
/// Least and greatest time of the curve, over its numbers of workgroups, which on a processor take what other work
/// leaves.
std::pair<double, double> launch_range(const Curve& curve) {
    const auto points = points_of(curve);
    const auto [least, most] = std::ranges::minmax(points, {}, &CurvePoint::y);
    return {least.y, most.y};
}
bool launch_varies(const Curve& curve) {
    constexpr double kVaries = 1.5; // times
    const auto [least, most] = launch_range(curve);
    return (curve.device->cpu || curve.device->software) && most > kVaries * least;
}
/// "16-47 us through a:0"
std::string launch_range_text(const Ranked::value_type& each) {
    const auto [least, most] = launch_range(*each.second);
    return fmt::format("{}-{} us through {}", microseconds(least), microseconds(most), device_text(each.second));
}
} // namespace

const Rule launches_apart{
    "launches_apart", "path", "Launch overhead differs", [](const Card& card, Statements& out) {
        Parts parts;
        bool differs = false, of_many = false;
        for (const bool waited : {false, true}) {
            const Ranked times = ranked(curves_with(card, kLaunch, "global", option::waited_for.as(waited)), first_of);
            if (unranked_groups(times).size() < 2) continue; // no difference
            const bool by_number =
                std::ranges::any_of(times, [](const auto& each) { return launch_varies(*each.second); });
            if (by_number && launch_range(*times.front().second).first <= launch_range(*times.back().second).second)
                continue; // no order
            differs = differs || differ(times, kTimesApart), of_many = of_many || by_number;
            parts.add(fmt::format("{} {}", waited ? "launch and wait" : "queued",
                          by_number ? list_text(times, launch_range_text) : list_text(times, launch_text)),
                curves_in(times), ratio_of(times));
        }
        if (differs && of_many) parts.tell(out, "Empty kernels differ by API, by the number of workgroups: {}.");
        else if (differs) parts.tell(out, "Empty kernels of one workgroup differ by API: {}.");
    }};

const Rule loads_not_bytes{
    "loads_not_bytes", "path", "Narrow loads at one load rate", [](const Card& card, Statements& out) {
        Parts parts;
        Curves reads = curves_of(card, kBandwidth), strided = curves_of(card, kCoalescing);
        reads.insert(reads.end(), strided.begin(), strided.end());
        std::erase_if(reads, [](const Curve* curve) {
            return curve->device->cpu || curve->device->software ||
                   (kBandwidth.measured(curve->series->id) ? !option::width.alone(curve->series->id.options)
                                                           : !is_strided(*curve));
        });
        std::stable_sort(reads.begin(), reads.end(), [](const Curve* a, const Curve* b) {
            return width_of(a->series->id.options) < width_of(b->series->id.options);
        });
        const double each_core = card.largest(&DeviceInfo::cores) * clock_mhz(card) / 1e3; // cycles a ns
        struct Narrow {
            std::string place,
                loads; // "on global from 30 MiB, of loads of 1 and 2 bytes", "2.6 and 2.5 through cuda:0"
        };
        std::vector<Narrow> narrow;
        for (const Curves& by_width : grouped(reads, [](const Curve* curve) {
                 return std::tuple(curve->series->id.probe, device_text(curve), curve->series->id.path);
             }))
            for (const auto& [where, x] : read_places(card, *by_width[0])) {
                const Ranked same = as_often(by_width, x);
                if (same.size() < 2) continue;
                const auto widths = list_text(same,
                    [](const auto& each) { return fmt::format("{:g}", width_of(each.second->series->id.options)); });
                const auto loads = list_text(same, [&](const auto& each) {
                    return each_core > 0 ? fmt::format("{:.1f}", each.first / each_core)
                                         : format_si(each.first * 1e9, "loads/s");
                });
                const auto& [most, widest] = same.back();
                narrow.push_back(
                    {fmt::format("on {} from {}, loads of {} bytes", widest->series->id.path, where, widths),
                        fmt::format("{} through {}", loads, device_text(widest))});
                parts.add("", curves_in(same),
                    most * width_of(widest->series->id.options) /
                        (same[0].first * width_of(same[0].second->series->id.options)));
            }
        if (narrow.empty()) return;
        const auto places =
            texts_of(grouped(narrow, [](const Narrow& each) { return each.place; }), [](const auto& alike) {
                return fmt::format("{} {}", alike[0].place,
                    fmt::join(texts_of(alike, [](const Narrow& each) { return each.loads; }), ", "));
            });
        say(out, parts.curves,
            "Narrow loads run at much the same load rate, and bytes per second grow with the width. {}: {}.",
            each_core > 0 ? "Loads of a core and cycle" : "Loads per second", sentences(places))
            .effect = parts.effect;
        for (CitedSeries& from : out.back().from)
            if (from.series.probe == "coalescing") from.x = {1};
    }};

namespace {
bool stores(const Curve& curve) { return option::stores.in(curve.series->id.options).value_or(false); }

/// "4-byte loads"
std::string accesses_text(const Curve& curve) {
    return fmt::format("{}-byte {}", option::width.word(curve.series->id.options), stores(curve) ? "stores" : "loads");
}

/// A series of `coalescing` by that pattern, with loads or stores, and nothing else that was asked for.
bool accesses_by(const Curve& curve, AccessPattern pattern) {
    const Options& options = curve.series->id.options;
    return options.size() == (option::stores.asked(options) ? 3 : 2) && option::width.asked(options) &&
           option::pattern.is(options, pattern);
}

std::uint64_t footprint_of(const Curve& curve) { return curve.series->evidence.footprint_bytes.value_or(0); }

/// "same launch shape", or each device's.
std::string shapes_text(const Ranked& rates) {
    const auto shape = [](const auto& each) {
        const ShapeEvidence own = each.second->series->evidence.shape.value_or(ShapeEvidence{});
        return fmt::format(
            "{} x {} x {}", own.groups.value_or(0), own.group_size.value_or(0), own.loads_in_flight.value_or(0));
    };
    if (std::ranges::all_of(rates, [&](const auto& each) { return shape(each) == shape(rates[0]); }))
        return "same launch shape";
    return "launch shapes (workgroups x work-items x loads) " +
           list_text(rates, [&](const auto& each) { return shape(each) + " through " + device_text(each.second); });
}
} // namespace

const Rule consecutive_apart{
    "consecutive_apart", "path", "Contiguous narrow loads or stores differ", [](const Card& card, Statements& out) {
        constexpr double kContiguous = 1, kHalf = 2; // places: a stride, and one of so many lanes
        Curves all = curves_of(card, kCoalescing);
        std::erase_if(all, [](const Curve* curve) {
            return !accesses_by(*curve, AccessPattern::stride) && !accesses_by(*curve, AccessPattern::part);
        });
        for (const Curves& alike : grouped(all, [](const Curve* curve) {
                 return std::tuple(curve->series->id.path, footprint_of(*curve), stores(*curve));
             })) {
            Parts parts;
            std::string equal; // the widest that are alike
            for (const Curves& of_width :
                grouped(alike, [](const Curve* curve) { return curve->series->id.options; })) {
                const bool whole = accesses_by(*of_width[0], AccessPattern::stride);
                const Ranked rates =
                    ranked(of_width, [&](const Curve& curve) { return value_at(curve, whole ? kContiguous : kHalf); });
                const std::string what = accesses_text(*of_width[0]) + (whole ? "" : " by half of the lanes");
                if (!differ(rates, kAccessApart)) {
                    if (rates.size() > 1 && whole)
                        equal = fmt::format(". {}: {}", what, through_each(rates, rate_text));
                    continue;
                }
                const bool first = parts.texts.empty();
                parts.add(first ? fmt::format("{} on {}, footprint {}: {}, {}, cause unknown", what,
                                      of_width[0]->series->id.path, format_bytes(footprint_of(*of_width[0])),
                                      through_each(rates, rate_text), shapes_text(rates))
                                : fmt::format("{}: {}", what, through_each(rates, rate_text)),
                    curves_in(rates), ratio_of(rates));
            }
            if (parts.texts.empty()) continue;
            Statement& said = say(out, parts.curves, "Contiguous {}{}.", fmt::join(parts.texts, ". "), equal);
            said.effect = parts.effect;
            for (CitedSeries& from : said.from)
                from.x = {option::pattern.is(from.series.options, AccessPattern::stride) ? kContiguous : kHalf};
        }
    }};

namespace {
/// Where the slowest device's TLB reaches less than the accesses, and the fastest's all of them.
std::string reach_beside(const Card& card, const Ranked& rates, double bytes) {
    const auto slow = translation_of(card, rates.back().second), fast = translation_of(card, rates.front().second);
    if (slow.empty() || fast.empty() || slow[0].high >= bytes || fast[0].low < bytes) return "";
    return fmt::format(". The TLB reaches {} through {} and {} through {}",
        format_byte_range(slow[0].low, slow[0].high), device_text(rates.back().second),
        format_byte_range(fast[0].low, fast[0].high), device_text(rates.front().second));
}
} // namespace

namespace {
/// Where accesses a second do not depend on their width: ". With 1 to 16 bytes the rate of loads is much the same: 161
/// Gloads/s through cuda:0, 64.3 Gloads/s through vulkan:0"; else "".
std::string rate_of_any_width(const Card& card, const Ranked& rates) {
    std::vector<double> widths;
    const auto loads_of = [&](const auto& each) {
        std::vector<double> all;
        const SeriesId& id = each.second->series->id;
        for (const Curve* curve : curves_of(card, kCoalescing)) {
            const auto& [probe, device, path, options] = curve->series->id;
            const double width = width_of(options), rate = value_at(*curve, kScatteredPlace);
            if (device == id.device && path == id.path && accesses_by(*curve, AccessPattern::order) &&
                stores(*curve) == stores(*each.second) && rate > 0)
                all.push_back(rate / width), widths.push_back(width);
        }
        return all;
    };
    std::vector<std::string> texts;
    for (const auto& each : rates) {
        const std::vector<double> loads = loads_of(each);
        if (loads.size() < 2 || std::ranges::max(loads) > kSameLoads * std::ranges::min(loads)) return "";
        texts.push_back(fmt::format("{} through {}",
            format_si(median(loads) * 1e9, stores(*each.second) ? "stores/s" : "loads/s"), device_text(each.second)));
    }
    return fmt::format(". With {:g} to {:g} bytes the rate of {} is much the same: {}", std::ranges::min(widths),
        std::ranges::max(widths), stores(*rates[0].second) ? "stores" : "loads", fmt::join(texts, ", "));
}
} // namespace

const Rule random_apart{
    "random_apart", "path", "Random loads or stores differ", [](const Card& card, Statements& out) {
        Curves all = curves_of(card, kCoalescing);
        std::erase_if(all, [](const Curve* curve) {
            return !accesses_by(*curve, AccessPattern::order) || option::width.in(curve->series->id.options) != 4;
        });
        const auto bytes = [](const auto& each) { return scattered_bytes(footprint_of(*each.second), 4); };
        for (const Curves& alike :
            grouped(all, [](const Curve* curve) { return std::pair(curve->series->id.path, stores(*curve)); })) {
            const Ranked rates = ranked(alike, [](const Curve& curve) { return value_at(curve, kScatteredPlace); });
            if (!differ(rates, kAccessApart)) continue;
            const bool one_size =
                std::ranges::all_of(rates, [&](const auto& each) { return bytes(each) == bytes(rates[0]); });
            const std::string each_rate =
                one_size
                    ? fmt::format(", footprint {}: {}", format_bytes(bytes(rates[0])), through_each(rates, rate_text))
                    : ": " + list_text(rates, [&](const auto& each) {
                          return fmt::format("{} from {} through {}", rate_text(each.first), format_bytes(bytes(each)),
                              device_text(each.second));
                      });
            const std::string reach = reach_beside(card, rates, bytes(rates.back()));
            Statement& said = say(out, curves_in(rates), "Random {} on {}{}, {}, {}{}{}.", accesses_text(*alike[0]),
                alike[0]->series->id.path, each_rate, shapes_text(rates),
                reach.empty() ? "cause unknown" : "consistent with misses of the TLB", reach,
                rate_of_any_width(card, rates));
            said.effect = ratio_of(rates);
            for (CitedSeries& from : said.from) from.x = {kScatteredPlace};
        }
    }};

namespace {
/// The same series by pointers in place of indices; null where it was not measured.
const Curve* by_pointers(const Card& card, const Curve& plain) {
    const Curves curves = curves_of(card, kSaturation);
    const auto found = std::ranges::find_if(curves, [&](const Curve* each) {
        return each->series->id.path == "global.pointer" && each->series->id.options == plain.series->id.options &&
               device_text(each) == device_text(&plain);
    });
    return found == curves.end() ? nullptr : *found;
}

/// ". The kernel has 512 work-items with 4 independent loads each in the source"; of shapes that differ each device's.
/// "" where one is not recorded.
std::string lone_shapes_text(const Ranked& rates) {
    const auto shape = [](const auto& each) {
        const ShapeEvidence own = each.second->series->evidence.shape.value_or(ShapeEvidence{});
        return own.group_size && own.loads_in_flight
                   ? fmt::format("{} work-item{} with {} independent loads{}", *own.group_size,
                         *own.group_size == 1 ? "" : "s", *own.loads_in_flight, *own.group_size == 1 ? "" : " each")
                   : "";
    };
    const std::vector<std::string> shapes = texts_of(rates, shape);
    if (std::ranges::count(shapes, "") > 0) return "";
    const bool one = std::ranges::count(shapes, shapes[0]) == std::ssize(shapes);
    return fmt::format(". The kernel has {} in the source", one ? shapes[0] : list_text(rates, [&](const auto& each) {
        return shape(each) + " through " + device_text(each.second);
    }));
}
} // namespace

const Rule one_workgroup{
    "one_workgroup", "path", "The read rate of one workgroup differs", [](const Card& card, Statements& out) {
        Parts parts;
        std::string told; // of the kernel
        for (const char* level : {"LLC", "DRAM"}) {
            Curves alone = curves_of(card, kSaturation);
            std::erase_if(alone, [&](const Curve* curve) {
                return curve->series->id.path != "global" || curve->series->id.options != option::level.as(level);
            });
            if (alone.empty()) continue;
            const Evidence& first = alone[0]->series->evidence;
            std::erase_if(alone,
                [&](const Curve* curve) { return curve->series->evidence.footprint_bytes != first.footprint_bytes; });
            const Ranked rates = ranked(alone, first_of);
            if (!differ(rates, kAlone)) continue;
            const std::string shapes = lone_shapes_text(rates), loads = shapes == told ? "" : shapes;
            told = shapes;
            const Ranked pointers = ranked(alone, [&](const Curve& curve) {
                const Curve* other = by_pointers(card, curve);
                return other ? first_of(*other) : 0;
            });
            const std::string otherwise =
                pointers.empty() ? "" : fmt::format(". By pointers {}", through_each(pointers, rate_text));
            parts.add(fmt::format("Over {} {}{}{}", format_bytes(first.footprint_bytes.value_or(0)),
                          through_each(rates, rate_text), loads, otherwise),
                curves_in(rates), ratio_of(rates));
        }
        parts.tell(out, "One workgroup alone reads at different rates, cause unknown. {}.");
    }};

const Rule memory_in_segments{
    "memory_in_segments", "path", "DRAM segments of unequal bandwidth", [](const Card& card, Statements& out) {
        for (const SegmentTest test : {SegmentTest::read, SegmentTest::write})
            for (const Curve* curve : curves_with(card, kSegments, "global", option::segment_test.as(test))) {
                const auto points = points_of(*curve);
                const auto chunk = static_cast<double>(curve->series->evidence.chunk_bytes.value_or(0));
                const auto classes =
                    points.size() < 4 || chunk <= 0 ? std::vector<SpeedClass>() : speed_classes(points);
                const auto text = [&](const SpeedClass& each) {
                    return fmt::format("{} from {} on {} {}",
                        format_bytes(static_cast<double>(each.chunks.size()) * chunk),
                        format_bytes(points[each.chunks[0]].x), option::segment_test.word(curve->series->id.options),
                        rate_text(each.rate));
                };
                if (classes.size() > 1)
                    say(out, {curve}, "DRAM bandwidth differs by address: through {} {}.", device_text(curve),
                        list_text(classes, text))
                        .effect = classes.front().rate / classes.back().rate;
            }
    }};

} // namespace sonde
