// Which series follow from options: variants, what is measured on request only, what is accepted besides; and what time
// each is given.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/data/profile.h"
#include "core/data/shared_options.h"
#include "core/probes/probes.h"
#include "core/run/option.h"
#include "tests/command.h"

using namespace sonde;

namespace {
using Sets = std::vector<Options>;

Sets sets(const char* probe, const char* path, const AskedOptions& asked = {}) {
    return option_sets(*find_probe(probe), *find_path(path), asked);
}

bool no_set_twice(const Sets& all) { return std::set(all.begin(), all.end()).size() == all.size(); }
} // namespace

TEST_CASE("what is measured on request only is left out until it is named") {
    CHECK(sets("sharing", "texel") ==
          Sets{{{"other_path", "texel"}}, {{"other_path", "global"}}}); // the path itself is the control
    CHECK(sets("sharing", "global").size() == 2);
    CHECK(sets("sharing", "texel", {{"other_path", {"scratchpad", "constant"}}}).size() == 2);
    CHECK(sets("sharing", "texel", {{"width", {"4"}}}) == sets("sharing", "texel")); // of another probe
}

TEST_CASE("probes of arithmetic take more on request than they measure by themselves") {
    const std::size_t operations = option_words(*find_probe("operation"), "operation").size();
    CHECK(sets("rate", "global").size() == operations + 15);
    CHECK(sets("rate", "global", {{"operation", {"mul.f32"}}, {"chains", {"1"}}}) ==
          Sets{{{"chains", "1"}, {"operation", "mul.f32"}}});
    CHECK(sets("rate", "global", {{"operation", {"mul.f32"}}, {"chains", {"1"}}, {"cores", {"one"}}}) ==
          Sets{{{"chains", "1"}, {"cores", "one"}, {"operation", "mul.f32"}}});
    CHECK(sets("sustained", "global").size() == 8);
    CHECK(sets("sustained", "global")[2] == Options{{"operation", "read"}});
    CHECK(sets("sustained", "global", {{"operation", {"fma.f16x2", "mma.bf16.f32.m16n8k16"}}}).size() == 2);
    CHECK(sets("co-issue", "global", {{"steps", {"dependent"}}, {"pair", {"f32+i32"}}}) ==
          Sets{{{"pair", "f32+i32"}, {"steps", "dependent"}}});
    CHECK(sets("clock-read", "global") == Sets{{}});
    CHECK(sets("clock-read", "global", {{"clock", {"default", "globaltimer"}}, {"between", {"4"}}}) ==
          Sets{{{"between", "4"}}, {{"between", "4"}, {"clock", "globaltimer"}}});
    for (const char* probe : {"rate", "sustained", "co-issue"}) CHECK(no_set_twice(find_probe(probe)->variants));
}

TEST_CASE("an accepted option replaces the variants that set it, and multiplies the others") {
    const Sets unasked = sets("carveout", "global");
    CHECK(std::count_if(unasked.begin(), unasked.end(), [](const auto& set) { return option::carveout.asked(set); }) ==
          2);
    const Sets asked = sets("carveout", "global", {{"carveout", {"25", "50"}}});
    CHECK(asked.size() ==
          2 * static_cast<std::size_t>(std::count_if(unasked.begin(), unasked.end(),
                  [](const auto& set) { return !option::carveout.asked(set); }))); // each size of scratchpad
    CHECK(no_set_twice(asked));
    CHECK(std::all_of(asked.begin(), asked.end(), [](const auto& set) { return option::carveout.asked(set); }));
    CHECK(sets("carveout", "global", {{"carveout", {"25"}}, {"scratchpad", {"0"}}}) ==
          Sets{{{"carveout", "25"}, {"scratchpad", "0"}}});
}

TEST_CASE("a variant that sets what is accepted stands for itself: other accepted options do not multiply it") {
    CHECK(sets("latency", "global").size() == 9);
    CHECK(sets("latency", "texel") == Sets{{}}); // what lanes cost is measured on global, elsewhere on request
    CHECK(sets("latency", "global", {{"carveout", {"50"}}}) == Sets{{{"carveout", "50"}}});
    CHECK(sets("latency", "texel", {{"lanes", {"1"}}}) == Sets{{{"lanes", "1"}}});
    CHECK(sets("latency", "texel", {{"lanes", {"1", "2"}}, {"apart", {"128"}}}).size() == 2);
}

TEST_CASE("'default' names the series without an option, and a value leaves these out") {
    CHECK(sets("latency", "global", {{"lanes", {"default"}}}) == Sets{{}});
    CHECK(sets("latency", "texel", {{"carveout", {"default", "0"}}}) == Sets{{}, {{"carveout", "0"}}});
    const Sets zeros = sets("bandwidth", "global", {{"data", {"zeros"}}}),
               others = sets("bandwidth", "global", {{"data", {"default"}}});
    CHECK(!zeros.empty());
    CHECK(std::all_of(zeros.begin(), zeros.end(), [](const auto& set) { return option::data.asked(set); }));
    CHECK(zeros.size() + others.size() == sets("bandwidth", "global").size());
    CHECK(sets("bandwidth", "global", {{"width", {"16"}}}) ==
          Sets{{{"width", "16"}}, {{"data", "zeros"}, {"width", "16"}}}); // clusters are of the path cluster
    CHECK(option_words(*find_probe("bandwidth"), "data") == std::vector<std::string>{"default", "zeros"});
    CHECK(option_words(*find_probe("bandwidth"), "carveout").empty());
}

TEST_CASE("an option that none of the probes has, or a value that it does not take, is refused with what there is") {
    const auto refusal = [](const char* probe, const AskedOptions& asked) {
        const Probe* probes[] = {find_probe(probe)};
        try {
            check_options(probes, asked);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(refusal("bandwidth", {{"width", {"8", "16"}}, {"data", {"default"}},
                                   {"carveout", {"default", "0", "100", "16KiB"}}, {"shape", {"4x512x4"}}})
              .empty());
    CHECK(says(refusal("latency", {{"width", {"16"}}}), "no option width"));
    CHECK(says(refusal("latency", {{"width", {"16"}}}), "cluster, carveout, banks"));
    CHECK(says(refusal("launch", {{"width", {"16"}}}), "launch takes test"));
    CHECK(says(refusal("channels", {{"width", {"16"}}}), "takes no options"));
    CHECK(says(refusal("bandwidth", {{"widht", {"16"}}}), "width"));
    CHECK(says(refusal("bandwidth", {{"width", {"32"}}}), "32"));
    CHECK(says(refusal("bandwidth", {{"carveout", {"101"}}}), "carveout cannot be '101':"));
}

TEST_CASE("where no series has what was asked for, the fewest values that none has together are said, and what there "
          "is in place of the last") {
    const auto why = [](const char* probe, const AskedOptions& asked, std::vector<std::string> paths = {"global"}) {
        RunOptions options;
        options.paths = std::move(paths), options.options = asked;
        return why_no_series(*find_probe(probe), options);
    };
    /// Which values none has together, and what there is.
    const auto check = [](const std::string& told, const char* lacks, const char* has) {
        CAPTURE(told);
        CHECK(says(told, fmt::format(" has {}: ", lacks)));
        CHECK(says(told, has));
    };
    const std::string rectangles = why("coalescing", {{"pattern", {"rectangle"}}, {"width", {"8", "16"}}}),
                      images = why("bandwidth", {{"width", {"16"}}}, {"image2d"});
    check(rectangles, "pattern=rectangle and width=8,16", ": with pattern=rectangle");
    CHECK(rectangles.ends_with("there is width=4"));
    check(why("stream", {{"operation", {"copy", "triad"}}, {"type", {"f64"}}, {"width", {"16"}}}),
        "type=f64 and width=16", "there is width=");
    check(images, "width=16", "bandwidth on image2d");
    CHECK(images.ends_with(": there is width=4"));
    const std::string elsewhere = why("coalescing", {}, {"scratchpad", "push"});
    CHECK(says(elsewhere, "on global, global.pointer,"));
    CHECK(elsewhere.ends_with("not on scratchpad, push"));
}

TEST_CASE("lanes of every width in every order are measured, the widths beside 4 bytes not in a quick run") {
    for (const char* width : {"1", "2", "8", "16"})
        CHECK(sets("coalescing", "global", {{"pattern", {"order"}}, {"width", {width}}}) ==
              Sets{{{"pattern", "order"}, {"width", width}}});
    const Probe& probe = *find_probe("coalescing");
    for (std::size_t i = 0; i < probe.quick.variants; ++i) CHECK(option::width.in(probe.variants[i]) == 4);
}

TEST_CASE("a run's time is shared out among its series, and what one took beyond its share the others make up for") {
    CHECK(share_of_time(60, 1, 10) == doctest::Approx(5.5));
    double left = 60 - 15; // of the first
    for (double series = 9; series > 0; --series) {
        const double share = share_of_time(left, 1, series);
        CHECK(share == doctest::Approx(4.5));
        left -= share + kSecondsBesideMeasuring;
    }
    CHECK(std::abs(left) < 1e-9);
    CHECK(share_of_time(100, 4, 40) - share_of_time(100, 2, 40) == doctest::Approx(5)); // as each is expected to take
    CHECK(share_of_time(1, 2, 10) == doctest::Approx(0.1)); // of a short one half remains to measure
    CHECK(share_of_time(-3, 1, 4) == doctest::Approx(0.05));
    CHECK(share_of_time(0, 0, 0) == doctest::Approx(0.05));
}

TEST_CASE(
    "without a probe those of the first answer are taken, with `all` every one, both quick; what is named, and what "
    "goes on, stays as it is") {
    const auto filled = [](std::vector<std::string> probes, const char* profile = "", const char* resume = "") {
        RunOptions options{.probes = std::move(probes), .profile = profile, .resume = resume};
        fill_in(options);
        return std::pair(options.probes, options.profile);
    };
    using Filled = std::pair<std::vector<std::string>, std::string>;
    CHECK(filled({}) == Filled{unasked_probes(), "quick"});
    CHECK(filled({}, "standard") == Filled{unasked_probes(), "standard"});
    CHECK(filled({"all"}) == Filled{{}, "quick"});
    CHECK(filled({"tlb", "all"}, "thorough") == Filled{{}, "thorough"});
    CHECK(filled({"tlb"}) == Filled{{"tlb"}, "standard"});
    CHECK(filled({}, "", "r.jsonl") == Filled{{}, ""});
    CHECK(filled({"tlb"}, "", "r.jsonl") == Filled{{"tlb"}, ""});
}
