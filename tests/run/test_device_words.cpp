// Which devices are taken where nobody chose, and what is said of the others.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/data/results.h"
#include "core/run/device_words.h"
#include "tests/command.h"
#include "tests/places.h"

using namespace sonde;
using namespace command;

namespace {
using Words = std::vector<std::string>;

DeviceInfo shown(const char* id, bool processor) {
    return {
        .id = id, .api = std::string(id).substr(0, std::string(id).find(':')), .software = processor, .cpu = processor};
}

std::vector<const DeviceInfo*> all(const std::vector<DeviceInfo>& devices) {
    std::vector<const DeviceInfo*> pointers;
    for (const DeviceInfo& each : devices) pointers.push_back(&each);
    return pointers;
}

const std::string kModelled = std::string(places::pretended_drivers) + "/faults/modelled_sonde";

Ran modelled(const std::string& words, int cards) {
    return sonde_run(words, fmt::format("SONDE_MODEL_CARDS={} SONDE_MODEL_PROCESSOR=1", cards), "", "", kModelled);
}

std::set<std::string> measured(const std::string& file) {
    std::set<std::string> ids;
    for (const Series& series : read_run(file).series) ids.insert(series.id.device);
    return ids;
}
} // namespace

TEST_CASE("where a GPU is, processors are left out unless they are asked for; where none is, they are taken") {
    const std::vector<DeviceInfo> mixed{shown("cuda:0", false), shown("opencl:0.0", true), shown("host:0", true)},
        processors{shown("opencl:0.0", true), shown("host:0", true)};
    const Taken gpus = taken_of({}, all(mixed));
    REQUIRE(gpus.left_out.size() == 2);
    for (const DeviceInfo& each : mixed) CHECK(is_chosen(gpus.words, each) == each.is_gpu());
    for (const DeviceInfo* each : gpus.left_out) CHECK(says(left_out_text(gpus), each->id));
    for (const Words& asked : {Words{"all"}, Words{"host"}, Words{"cuda", "opencl:0.0"}}) {
        const Taken some = taken_of(asked, all(mixed));
        CHECK(some.words == asked);
        CHECK(left_out_text(some).empty());
    }
    const Taken here = taken_of({}, all(processors));
    CHECK(here.left_out.empty());
    for (const DeviceInfo& each : processors) CHECK(is_chosen(here.words, each));
}

TEST_CASE("words choose by id, API, kind or all, and may be of an API that is not here") {
    const DeviceInfo gpu = shown("vulkan:1", false), processor = shown("vulkan:0", true);
    const auto chosen = [](const DeviceInfo& info, Words words) { return is_chosen(words, info); };
    CHECK(chosen(gpu, {"vulkan:1"}));
    CHECK(chosen(gpu, {"cuda", "vulkan"}));
    CHECK(chosen(gpu, {"gpu"}));
    CHECK_FALSE(chosen(processor, {"gpu", "vulkan:1"}));
    CHECK(chosen(processor, {"all"}));
    CHECK(chosen(processor, {}));
    for (const char* word : {"cuda", "cuda:7", "gpu", "all"}) CHECK(may_choose(word, "cuda"));
    CHECK_FALSE(may_choose("vulkan", "cuda"));
}

TEST_CASE("words choose a card by its PCI address and by its UUID, as drivers' tools print them") {
    DeviceInfo card = shown("cuda:1", false), other = shown("cuda:0", false);
    card.pci = "0000:1b:00.0", card.uuid = "1e18a7c40102030405060708090a0b0c";
    other.pci = "0001:1b:00.0", other.uuid = "1e18a7c50102030405060708090a0b0c";
    const auto chosen = [](const DeviceInfo& info, const char* word) { return is_chosen(Words{word}, info); };
    for (const char* word : {"0000:1b:00.0", "00000000:1B:00.0", "1b:00.0", "GPU-1e18a7c4-0102-0304-0506-0708090a0b0c",
             "1E18A7C4010203", "GPU-1e18a7c4"}) {
        CAPTURE(word);
        CHECK(chosen(card, word));
        CHECK_FALSE(chosen(other, word));
        CHECK(may_choose(word, "cuda"));
    }
    for (const char* word :
        {"1b:00.1", "1b:00", "0000:1b:00.0x", "GPU-1e18", "cuda:2", "1e18a7c40102030405060708090a0b0c00"}) {
        CAPTURE(word);
        CHECK_FALSE(chosen(card, word));
    }
    CHECK(chosen(other, "0001:1b:00.0"));
    for (const char* word : {"1b:00.0", "1e18a7c4"}) CHECK_FALSE(chosen(shown("host:0", true), word)); // it has neither
}

TEST_CASE(
    "a run measures GPUs and names what it left out; all are measured where that is asked for, or no GPU is here") {
    const Folder folder;
    const std::string words = "run latency --path scratchpad --profile quick --time 20 --out ";
    const Ran alone = modelled(words + folder.file("gpu.jsonl"), 1);
    CAPTURE(alone.err);
    CHECK(alone.code == 0);
    CHECK(measured(folder.file("gpu.jsonl")) == std::set<std::string>{"model:0"});
    CHECK(says(alone.err, "model:1"));
    const Ran asked = modelled(words + folder.file("all.jsonl") + " --device all", 1);
    CHECK(measured(folder.file("all.jsonl")) == std::set<std::string>{"model:0", "model:1"});
    CHECK_FALSE(says(asked.err, "left out"));
    const Ran processor = modelled(words + folder.file("processor.jsonl"), 0);
    CHECK(measured(folder.file("processor.jsonl")) == std::set<std::string>{"model:0"});
    CHECK_FALSE(says(processor.err, "left out"));
    CHECK(says(
        modelled("run --resume " + folder.file("gpu.jsonl"), 1).out, "nothing is missing")); // the processor is not
}

TEST_CASE("devices lists GPUs and names the others; programs are told of all") {
    const Ran listed = modelled("devices", 1), all_listed = modelled("devices --device all", 1);
    CHECK(says(listed.out, "\nmodel:0 "));
    CHECK_FALSE(says(listed.out, "\nmodel:1 "));
    CHECK(says(listed.out, "(model:1)"));
    CHECK(says(all_listed.out, "\nmodel:1 "));
    CHECK(says(modelled("devices", 0).out, "\nmodel:0 "));
    const Json json = Json::parse(modelled("devices --json", 1).out);
    REQUIRE(json.size() == 2);
    CHECK_FALSE(json[0].contains("left_out"));
    CHECK(json[1].at("left_out") == true);
    CHECK(Json::parse(modelled("devices --json --device model:1", 1).out).size() == 1);
    CHECK(sonde_run("devices --device opencl:9.9", no_drivers()).code == 3);
    CHECK(sonde_run("devices --device hots", no_drivers()).code == 2);
}

TEST_CASE("diagnose tells of the GPUs of a file, of all that are asked for, and of a processor that stands alone") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl"), alone = folder.file("alone.jsonl");
    REQUIRE(modelled("run latency --path global,scratchpad --device all --profile quick --out " + file, 1).code == 0);
    REQUIRE(
        modelled("run latency --path global,scratchpad --device model:1 --profile quick --out " + alone, 1).code == 0);
    const auto tells_of = [](const Ran& ran, const std::string& id) { return says(ran.out, id); };
    const Ran unasked = sonde_run("diagnose " + file), asked = sonde_run("diagnose --device all " + file);
    CHECK(tells_of(unasked, "model:0"));
    CHECK_FALSE(tells_of(unasked, "model:1"));
    CHECK(says(unasked.err, "model:1"));
    CHECK(tells_of(asked, "model:0"));
    CHECK(tells_of(asked, "model:1"));
    CHECK(asked.err.empty());
    CHECK_FALSE(tells_of(sonde_run("diagnose --device model:1 " + file), "model:0"));
    CHECK(tells_of(sonde_run("diagnose " + alone), "model:1"));
    CHECK(sonde_run("diagnose --device cuda " + file).code == 2);
    CHECK(says(sonde_run("diagnose --json " + file).out, "model:1"));
}
