// Which series a run measures, in which order, and how a run that goes on chooses among them.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "core/base/error.h"
#include "core/data/shared_options.h"
#include "core/probes/probes.h"
#include "core/run/plan.h"
#include "tests/says.h"

using namespace sonde;

namespace {
/// Two cards, the first through two APIs, and the processor.
std::vector<Fleet::Entry> devices() {
    std::vector<Fleet::Entry> entries;
    for (const char* id : {"cuda:0", "vulkan:0", "cuda:1"})
        entries.push_back({{{.id = id, .api = std::string(id).substr(0, std::string(id).find(':'))},
                               std::string(id) == "cuda:1" ? "second" : "first"},
            {}, {}, nullptr});
    entries.push_back({{{.id = "host:0", .api = "host", .software = true, .cpu = true}, "cpu"}, {}, {}, nullptr});
    return entries;
}

RunOptions asked(std::vector<std::string> probes, const char* profile, std::vector<std::string> paths = {}) {
    RunOptions options;
    options.probes = std::move(probes);
    options.paths = std::move(paths);
    options.profile = profile;
    return options;
}

std::set<std::string> of(const std::vector<Planned>& planned, std::string SeriesId::*field) {
    std::set<std::string> found;
    for (const Planned& each : planned) found.insert(each.id.*field);
    return found;
}
} // namespace

TEST_CASE("quick, left to itself, takes each probe's selection of paths and variants") {
    const std::vector<Fleet::Entry> all = devices();
    for (const Probe* probe : all_probes()) {
        CAPTURE(probe->name);
        RunOptions options = asked({std::string(probe->name)}, "quick");
        options.devices = {"cuda:0"};
        const std::vector<Planned> planned = plan(all, options);
        const Quick& quick = probe->quick;
        CHECK_FALSE(planned.empty());
        std::map<std::string, std::size_t> variants;
        for (const Planned& each : planned) {
            ++variants[each.id.path];
            if (!quick.paths.empty()) CHECK(std::ranges::count(quick.paths, each.id.path) == 1);
        }
        if (quick.variants)
            for (const auto& [path, number] : variants) CHECK(number <= quick.variants);
        for (const std::string_view path : quick.paths_of_one) CHECK(variants[std::string(path)] == 1);
    }
}

TEST_CASE("who names a path, an option or another profile has said what to take") {
    const std::vector<Fleet::Entry> all = devices();
    const std::string probe = "bandwidth", path = "texel";
    const std::vector<Planned> quick = plan(all, asked({probe}, "quick")),
                               named = plan(all, asked({probe}, "quick", {path})),
                               standard = plan(all, asked({probe}, "standard"));
    CHECK(of(named, &SeriesId::path) == std::set<std::string>{path});
    CHECK(std::ranges::count(find_probe(probe)->quick.paths, path) == 0);
    CHECK(standard.size() > quick.size());
    RunOptions narrow_loads = asked({probe}, "quick", {"global"});
    narrow_loads.options["width"] = {"4"};
    for (const Planned& each : plan(all, narrow_loads)) CHECK(each.id.options.has_all({{"width", "4"}}));
    CHECK_FALSE(plan(all, narrow_loads).empty());
}

TEST_CASE("a card without another is not asked for one, unless by name") {
    const std::vector<Fleet::Entry> all = devices();
    const auto to_peers = [](const std::vector<Planned>& planned, const char* device) {
        return std::ranges::count_if(planned, [&](const Planned& each) {
            return each.id.device == device && is_of_peer(path_named(each.id.path).space);
        });
    };
    for (const char* profile : {"quick", "standard"}) {
        const RunOptions options = asked({"latency", "transfer"}, profile);
        CHECK(to_peers(plan(all, options), "cuda:0") > 0);
        CHECK(to_peers(plan(all, options), "vulkan:0") == 0); // the other card has another API alone
        CHECK(to_peers(plan(all, options), "host:0") == 0);
        CHECK(to_peers(plan(std::span(all).first(2), options), "cuda:0") == 0);
    }
    CHECK(to_peers(plan(std::span(all).first(1), asked({"latency"}, "quick", {"peer"})), "cuda:0") > 0);
}

TEST_CASE("peer=all is a series for each equal card, and all cards at the same time one for all of them") {
    std::vector<Fleet::Entry> all;
    for (const char* id : {"cuda:0", "cuda:1", "cuda:2", "cuda:3"})
        all.push_back({{{.id = id, .api = "cuda", .name = std::string(id) == "cuda:3" ? "another" : "H200"}, id}, {},
            {}, nullptr});
    for (Fleet::Entry& own : all)
        for (const Fleet::Entry& other : all)
            if (own.info.id != other.info.id) own.info.peers.push_back({other.info.id, true, "a link", 0});
    RunOptions options = asked({"transfer"}, "quick", {"peer", "host"});
    options.options = {{"peer", {"all"}}, {"engine", {"copy"}}, {"direction", {"to-peer"}}, {"cards", {"default"}},
        {"test", {"default"}}};
    std::set<std::pair<std::string, std::string>> pairs;
    for (const Planned& each : plan(all, options))
        CHECK(pairs.emplace(each.id.device, option::peer.in(each.id.options).value_or("next")).second);
    CHECK(pairs.size() == 7); // three of a kind, and one that has no equal
    CHECK(pairs.contains({"cuda:0", "2"}));
    CHECK(pairs.contains({"cuda:0", "next"})); // as series without the option have it
    CHECK(pairs.contains({"cuda:3", "all"}));  // which its series will tell
    CHECK_FALSE(pairs.contains({"cuda:0", "3"}));
    options.options["cards"] = {"all"};
    const auto together = plan(all, options);
    REQUIRE(together.size() == 2);
    CHECK(together[0].id.device == "cuda:0");
    CHECK_FALSE(option::peer.asked(together[0].id.options));
}

TEST_CASE("transfers between cards are on paths of their own, whatever is asked of them") {
    RunOptions options = asked({"transfer"}, "standard");
    options.options["engine"] = {"copy", "kernel"};
    const std::vector<Fleet::Entry> all = devices();
    for (const Planned& each : plan(all, options)) {
        const Path& path = path_named(each.id.path);
        const bool between = option::direction.is(each.id.options, Direction::to_peer) ||
                             option::direction.is(each.id.options, Direction::from_peer) ||
                             !option::pageable.asked(each.id.options);
        const bool within = option::direction.is(each.id.options, Direction::on_device);
        CHECK((between && !within) == is_of_peer(path.space));
        CHECK_FALSE((path.copied_only && option::engine.is(each.id.options, Engine::kernel)));
    }
}

TEST_CASE("devices take turns innermost, so that drift hits all of them alike") {
    const std::vector<Fleet::Entry> all = devices();
    const std::vector<Planned> planned = plan(all, asked({"latency"}, "standard", {"global", "scratchpad"}));
    REQUIRE(planned.size() % all.size() == 0);
    for (std::size_t i = 0; i < planned.size(); ++i) {
        CHECK(planned[i].device == &all[i % all.size()]);
        CHECK(planned[i].id.device == planned[i].device->info.id);
        CHECK(planned[i].id.path == planned[i - i % all.size()].id.path);
        CHECK(planned[i].id.options == planned[i - i % all.size()].id.options);
    }
    RunOptions one_api = asked({"latency"}, "quick");
    one_api.devices = {"vulkan", "cuda:1"};
    CHECK(of(plan(all, one_api), &SeriesId::device) == std::set<std::string>{"vulkan:0", "cuda:1"});
}

TEST_CASE("a run that goes on chooses among what was asked for, and refuses what was not") {
    const std::vector<Fleet::Entry> all = devices();
    RunOptions first = asked({"latency", "bandwidth"}, "quick", {"global", "scratchpad"});
    first.resume = "r.jsonl";
    const std::vector<Planned> planned = plan(all, first);
    const auto narrowed = [&](const RunOptions& named) {
        std::vector<Planned> left = planned;
        narrow(left, first, named);
        return left;
    };
    CHECK(narrowed({}).size() == planned.size());
    RunOptions some = asked({"latency"}, "", {"scratchpad"});
    some.devices = {"cuda"};
    const std::vector<Planned> left = narrowed(some);
    CHECK(of(left, &SeriesId::probe) == std::set<std::string>{"latency"});
    CHECK(of(left, &SeriesId::path) == std::set<std::string>{"scratchpad"});
    CHECK(of(left, &SeriesId::device) == std::set<std::string>{"cuda:0", "cuda:1"});
    RunOptions device, option;
    device.devices = {"opencl"};
    option.options["carveout"] = {"0"};
    for (const RunOptions& refused : {asked({"tlb"}, ""), asked({}, "", {"texel"}), device, option})
        CHECK_THROWS_AS(narrowed(refused), UsageError);
}

TEST_CASE("a card of few splits is asked for each of them without an option, and others for shares") {
    std::vector<Fleet::Entry> all = devices();
    all[2].info.l1_splits = {{16 << 10, 48 << 10}, {32 << 10, 32 << 10}, {48 << 10, 16 << 10}}; // cuda:1
    const auto splits = [&](const RunOptions& options, const char* device) {
        std::set<std::string> found;
        for (const Planned& each : plan(all, options))
            if (each.id.device == device && option::carveout.asked(each.id.options))
                found.insert(option::carveout.word(each.id.options));
        return found;
    };
    const RunOptions options = asked({"carveout"}, "standard");
    CHECK(splits(options, "cuda:0") == std::set<std::string>{"100", "50"});
    CHECK(splits(options, "cuda:1") == std::set<std::string>{"16KiB", "32KiB", "48KiB"});
    CHECK(splits(asked({"carveout"}, "quick"), "cuda:1").empty());
    RunOptions named = options;
    named.options["carveout"] = {"50", "16KiB"}; // who names them has said what to take
    for (const char* device : {"cuda:0", "cuda:1"})
        CHECK(splits(named, device) == std::set<std::string>{"16KiB", "50"});
}

TEST_CASE("a DRAM peak that a person gave counts for cards none of whose drivers reports one") {
    std::vector<Fleet::Entry> all = devices();
    all[1].info.bus_bytes_per_second = 1e12; // Vulkan's driver, of the card that CUDA shows as well
    CHECK_FALSE(lacks_peak(all, all[0].info));
    CHECK(lacks_peak(all, all[2].info));
    CHECK_FALSE(lacks_peak(all, all[3].info));
    RunOptions options = asked({"latency"}, "quick");
    const auto unused = [&](const char* id) {
        options.devices = {id};
        return unused_peak_text(all, plan(all, options), options);
    };
    CHECK(unused("cuda:0").empty()); // none was given
    options.dram_gb_per_s = 960;
    CHECK_FALSE(unused("cuda:0").empty());
    CHECK(unused("cuda:1").empty());
    CHECK_FALSE(unused("host").empty());
    CHECK(unused("host") != unused("cuda:0"));
}
