// What a user meets who types, loses and interrupts everything that can be: one clear line each, and no line lost.
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <zlib.h>

#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/data/results.h"
#include "tests/command.h"
#include "tests/places.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

namespace {
/// A header and `series` series, a line each; none has a point.
std::string hostile_run(int series) {
    std::string text = R"({"type":"run","format":2,"sonde":"0.1.0","started":"2026-01-01T00:00:00Z","host":{},)"
                       R"("command":[],"profile":"quick","absent":[]})"
                       "\n";
    for (int i = 0; i < series; ++i)
        text += fmt::format(R"({{"type":"series","probe":"latency","device":"x:{}","api":"x","card":"c",)"
                            R"("path":"global","options":{{}},"status":"ok","reason":"","x":{{"name":"footprint",)"
                            R"("unit":"bytes"}},"unit":"ns","points":[],"evidence":{{"note":"{}"}}}})",
                    i, i * 2654435761u) +
                "\n";
    return text;
}

/// One gzip member.
std::string packed_member(const std::string& text) {
    const Folder folder;
    const std::string file = folder.file("member.gz");
    const gzFile out = gzopen(file.c_str(), "wb");
    gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
    gzclose(out);
    return text_of(file);
}

std::string with_flipped(std::string bytes, std::size_t from_end) {
    bytes[bytes.size() - from_end] ^= 0x55;
    return bytes;
}

} // namespace

TEST_CASE("a packed file that is damaged or cut: what is whole is read, one line says where it ends, and --resume "
          "never cuts lines off") {
    const Folder folder;
    const std::string text = hostile_run(40), first = text.substr(0, text.find('\n') + 1),
                      rest = text.substr(first.size()), member = packed_member(text),
                      two = packed_member(first) + packed_member(rest);
    struct Row {
        const char* what;
        std::string bytes;
        const char* says;        // "": nothing
        std::size_t least, most; // series
        bool refused;            // by --resume
    };
    for (const Row& row : {Row{"whole", member, "", 40, 40, false}, {"two members", two, "", 40, 40, false},
             {"zeros behind", member + std::string(512, '\0'), "", 40, 40, false},
             {"cut", member.substr(0, member.size() * 2 / 3), "early behind line ", 1, 39, true},
             {"trailer cut", member.substr(0, member.size() - 3), "early behind line 41", 40, 40, true},
             {"second member cut", two.substr(0, two.size() * 2 / 3), "early behind line ", 1, 39, true},
             {"second member cut off", two.substr(0, packed_member(first).size() + 12), "early behind line 1;", 0, 0,
                 false},
             {"bad check sum", with_flipped(member, 6), "sum behind line 41", 40, 40, true},
             {"bad length", with_flipped(member, 2), "sum behind line 41", 40, 40, true},
             {"garbage behind", member + "garbage", "packed behind line 41", 40, 40, true},
             {"header of a member behind", member + "\x1f", "early behind line 41", 40, 40, false},
             {"first member's sum", with_flipped(packed_member(first), 6) + packed_member(rest), "sum behind line 1;",
                 0, 0, true}}) {
        CAPTURE(std::string(row.what));
        const std::string file = folder.file("r.jsonl.gz");
        std::ofstream(file, std::ios::binary) << row.bytes;
        const Run run = read_run(file);
        CHECK(run.series.size() >= row.least);
        CHECK(run.series.size() <= row.most);
        for (const std::string command : {"show ", "diagnose ", "report "}) {
            const Ran ran = sonde_run(command + file);
            CAPTURE(ran.err);
            CHECK(ran.code == 0);
            CHECK((*row.says ? one_line(ran.err) && says(ran.err, row.says) : ran.err.empty()));
        }
        CHECK(says(sonde_run("show -", "", "", "<" + file).err, row.says)); // packed standard input, too
        std::string said;
        try {
            Journal::reopened(file);
        } catch (const UsageError& error) {
            said = error.what();
        }
        CAPTURE(said);
        CHECK(says(said, "--resume new.jsonl goes") == row.refused);
        CHECK(text_of(file) == row.bytes);
    }
    std::ofstream(folder.file("within.gz"), std::ios::binary)
        << packed_member(first) << packed_member(rest.substr(0, 100));
    CHECK_THROWS_WITH_AS(
        Journal::reopened(folder.file("within.gz")), doctest::Contains("part; 'gzip -dc "), UsageError);
    for (const std::string& bytes : {member.substr(0, 2), member.substr(0, 5), member.substr(0, 40)}) {
        std::ofstream(folder.file("head.gz"), std::ios::binary) << bytes;
        for (const std::string command : {"show ", "report ", "compare ", "run --resume "}) {
            const Ran ran = sonde_run(command + folder.file("head.gz"), no_drivers());
            CHECK(ran.code == 2);
            CHECK(one_line(ran.err));
            CHECK(says(ran.err, "copy the file"));
        }
    }
}

TEST_CASE("--resume leaves a packed file alone whose lines it would cut off") {
    const Folder folder;
    const std::string plain = folder.file("r.jsonl"), packed = folder.file("r.jsonl.gz");
    REQUIRE(sonde_run("run latency --device host --path global,scratchpad --profile quick --time 60 --out " + plain,
                no_drivers())
                .code == 0);
    const std::string whole = packed_member(text_of(plain)), cut = whole.substr(0, whole.size() * 2 / 3);
    std::ofstream(packed, std::ios::binary) << cut;
    const Ran resumed = sonde_run("run --resume " + packed, no_drivers());
    CAPTURE(resumed.err);
    CHECK(resumed.code == 2);
    CHECK(one_line(resumed.err));
    CHECK(says(resumed.err, "many lines; 'gzip -dc "));
    CHECK(text_of(packed) == cut);
}

TEST_CASE("a packed file that a damaged byte strikes anywhere is read up to there or refused in one line") {
    const Folder folder;
    const std::string member = packed_member(hostile_run(40));
    for (std::size_t at = 0; at < member.size(); at += member.size() / 25) {
        CAPTURE(at);
        std::string bytes = member;
        bytes[at] ^= 0x10;
        std::ofstream(folder.file("r.gz"), std::ios::binary) << bytes;
        const Ran ran = sonde_run("show " + folder.file("r.gz"));
        CAPTURE(ran.err);
        CHECK((ran.code == 0 || ran.code == 2));
        CHECK((ran.code == 0 || one_line(ran.err)));
    }
}

TEST_CASE("an interrupt stops a run in order, whatever signal it is: exit 130, the file ends with a whole line, and "
          "goes on") {
    for (const char* signal : {"INT", "TERM", "HUP"}) {
        CAPTURE(std::string(signal));
        const Folder folder;
        const std::string
            file = folder.file("r.jsonl"),
            probe =
                "run latency --device host --path global,global.pointer --profile thorough --time 1000 --out " + file;
        // strikes when a series is under way, and twice where a terminal closes
        const std::string strike = fmt::format("p=$!; for i in $(seq 2000); do grep -q '\"device\"' {} 2>/dev/null && "
                                               "break; sleep 0.05; done; kill -{} $p; {} wait $p; exit $?",
            file, signal, std::string(signal) == "HUP" ? "kill -HUP $p;" : "");
        const Ran ran = sonde_run(probe, no_drivers(), "", "& " + strike);
        CAPTURE(ran.err);
        CHECK(ran.code == kInterrupted);
        CHECK(says(ran.err, "sonde: interrupted; "));
        CHECK(says(ran.err, "--resume"));
        CHECK(text_of(file).ends_with("}\n"));
        const Run run = read_run(file);
        CHECK(run.warnings.empty());
        CHECK(run.end.is_null()); // it did not finish
        for (const Series& series : run.series) CHECK(series.status != Status::failed);
        CHECK_FALSE(says(ran.err, "failed"));
        CHECK(sonde_run("run --time 0.000001 --resume " + file, no_drivers()).code ==
              (run.series.empty() ? 1 : 0)); // nothing was measured
        CHECK(read_run(file).end.is_object());
    }
    CHECK(says(sonde_run("manual man").out, ".B 130\nInterrupted (SIGINT, SIGTERM or SIGHUP)"));
}

/// A run of the processor into `file`, in the background of a shell that runs `words` once the file holds a device ($p:
/// the run); the run's exit code.
static Ran struck_run(const std::string& file, const std::string& words, const std::string& before = "") {
    return sonde_run("run latency --device host --path global --profile quick --time 2 --out " + file, no_drivers(),
        before,
        fmt::format("& p=$!; for i in $(seq 2000); do grep -q '\"device\"' {} 2>/dev/null && break; sleep 0.05; done; "
                    "{}; wait $p; exit $?",
            file, words));
}

TEST_CASE("a results file that somebody removes ends the run with exit 1 and one line that says so") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl");
    const Ran ran = struck_run(file, "rm " + file);
    CAPTURE(ran.err);
    CHECK(ran.code == 1);
    CHECK(one_line(ran.err.substr(std::min(ran.err.find("sonde: "), ran.err.size()))));
    CHECK(says(ran.err, "was removed while"));
    CHECK_FALSE(fs::exists(file));
}

TEST_CASE("nohup goes on: a hangup that is ignored stops no run") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl");
    const Ran ran = struck_run(file, "kill -HUP $p", "trap '' HUP;");
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    CHECK(read_run(file).end.is_object());
}

TEST_CASE("links that lead nowhere, folders and devices are refused in one line with the mend, and stay as they are") {
    const Folder folder;
    const std::string link = folder.file("link.jsonl"), loop = folder.file("loop.jsonl"),
                      results = folder.file("r.jsonl"), pipe = folder.file("fifo"), here = folder.path.string();
    fs::create_symlink("nowhere", link);
    fs::create_symlink("loop.jsonl", loop);
    std::ofstream(results) << hostile_run(1);
    REQUIRE(std::system(fmt::format("mkfifo '{}'", pipe).c_str()) == 0);
    struct Row {
        std::string words, says;
    };
    const std::string run = "run latency --device host --time 1 --out ", nowhere = "link to nowhere,",
                      is_folder = " is a folder;";
    for (const Row& row : {Row{run + link, "remove the link"}, {run + loop, "remove the link"},
             {"report " + results + " -o " + link, "remove the link"}, {"show " + link, "give a results file"},
             {"diagnose " + link, nowhere}, {"compare " + link, nowhere}, {"report " + link, nowhere},
             {"run --resume " + link, nowhere}, {"levels " + link, "file of curves"}, {"import " + link, nowhere},
             {run + here, is_folder}, {run + here + "/", "results file (*.jsonl)"}, {"show " + here, is_folder},
             {"diagnose " + here, is_folder}, {"compare " + here, is_folder}, {"report " + here, is_folder},
             {"run --resume " + here, is_folder}, {"levels " + here, "file of curves"},
             {"import " + here, "another tool wrote"}, {"report " + results + " -o " + here, "a file in it"},
             {"run --resume " + pipe, "give a results file"}, {"run --resume /dev/zero", "a device or pipe"},
             {run + pipe, "a device or pipe"}}) {
        CAPTURE(row.words);
        const Ran ran = sonde_run(row.words, no_drivers());
        CAPTURE(ran.err);
        CHECK(ran.code == 2);
        CHECK(one_line(ran.err));
        CHECK(says(ran.err, row.says));
        CHECK(ran.out.empty());
        CHECK(fs::is_symlink(fs::symlink_status(link)));
        CHECK_FALSE(fs::exists(folder.file("nowhere")));
    }
}

TEST_CASE("published figures: whoever names none gets one line that says what there is") {
    const Folder folder;
    const std::string results = folder.file("r.jsonl");
    std::ofstream(results) << hostile_run(1);
    std::ofstream(folder.file("broken.json")) << "{";
    for (const std::string& words : std::vector<std::string>{"published zzz", "published --json zzz", "published '...'",
             "compare published:zzz", "compare published:hopper published:zzz", "report published:zzz",
             "report " + results + " --published zzz"}) {
        CAPTURE(words);
        const Ran ran = sonde_run(words);
        CHECK(ran.code == 2);
        CHECK(one_line(ran.err));
        CHECK(says(ran.err, "of the architectures: "));
    }
    for (const std::string command : {"show ", "diagnose ", "run --resume "}) {
        const Ran ran = sonde_run(command + "published:hopper", no_drivers());
        CHECK(ran.code == 2);
        CHECK(one_line(ran.err));
        CHECK(says(ran.err, "'sonde published hopper'"));
    }
    const Ran broken = sonde_run(fmt::format("compare {} {}", folder.file("broken.json"), results));
    CHECK(broken.code == 2);
    CHECK(one_line(broken.err));
    CHECK(says(broken.err, "broken.json: line 1, column "));
}

TEST_CASE("words of the command line that nothing can be made of are one line with what to do") {
    const Folder folder;
    const std::string results = folder.file("r.jsonl");
    std::ofstream(results) << hostile_run(1);
    struct Row {
        std::string words, says;
        int code = 2;
    };
    for (const Row& row : {Row{"run latency --device host --profile ''", "unknown profile ''; nearest: "},
             {"run --out a --out b", "--out: given more"}, {"run --time 2 --time 3", "--time: given more"},
             {"show -x " + results, "show '-x'; nearest: -h, --csv,"}, {"show /dev/zero", "than 64 MiB: not"},
             {"show -", "input: empty;"}, {"compare - -", "input: empty;"},
             {"show " + results + " " + results, "takes one file,"}, {"run --via true", "true echo hello", 1},
             {"show $(printf 'a\\342\\200\\256b')", "a?b: cannot open"}}) {
        CAPTURE(row.words);
        const Ran ran = sonde_run(row.words, no_drivers());
        CAPTURE(ran.err);
        CHECK(ran.code == row.code);
        CHECK(one_line(ran.err));
        CHECK(says(ran.err, row.says));
        CHECK_FALSE(says(ran.err, "-h, -h"));
    }
    for (const auto& [what, wrong] :
        {std::pair{"\"probes\":[]", "\"probes\":[\"nix\"]"}, {"\"paths\":[]", "\"paths\":[\"nix\"]"},
            {"\"profile\":\"quick\"", "\"profile\":\"nix\""}}) { // a header that somebody edited
        std::string header = hostile_run(0);
        header.replace(header.find("\"absent\""), 0, R"("selection":{"probes":[],"paths":[]},)");
        header.replace(header.find(what), std::string_view(what).size(), wrong);
        std::ofstream(folder.file("edited.jsonl")) << header;
        const Ran edited = sonde_run("run --resume " + folder.file("edited.jsonl"), no_drivers());
        CHECK(edited.code == 2);
        CHECK(one_line(edited.err));
        CHECK(says(edited.err, "an unknown "));
        CHECK(text_of(folder.file("edited.jsonl")) == header);
    }
    REQUIRE(sonde_run(fmt::format("import {}/tests/analysis/tools/clpeak.json --out {}", places::source,
                          folder.file("imported.jsonl")))
                .code == 0);
    CHECK(says(sonde_run("run --resume " + folder.file("imported.jsonl"), no_drivers()).err, "another tool measured,"));
    {
        std::ofstream copies(folder.file("copies.jsonl"));
        for (int i = 0; i < 100; ++i) copies << hostile_run(1);
    }
    CHECK(says(sonde_run("show " + folder.file("copies.jsonl")).err, "79 copies more"));
    const Ran twice = sonde_run(fmt::format("report {0} {0} -o page.html", results));
    CHECK(one_line(twice.err));
    CHECK(says(twice.err, "is there already"));
    CHECK(says(twice.out, "1 series of 1 run,"));
}

TEST_CASE("a device that is not here beside one that is: it is named, and the other is measured; -o is --out") {
    const Folder folder;
    const Ran ran = sonde_run(
        "run latency --device host,vulkan:9 --path scratchpad --profile quick --time 60 -o " + folder.file("r.jsonl"),
        no_drivers());
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    CHECK(says(ran.err, "vulkan:9: not here,"));
    CHECK(read_run(folder.file("r.jsonl")).series.size() == 1);
}

TEST_CASE("names of files whose characters would turn the terminal's text are shown without them") {
    const Folder folder;
    const std::string name = folder.file("a\xe2\x80\xae"
                                         "b.jsonl");
    const Ran ran = sonde_run(
                  fmt::format("run latency --device host --path scratchpad --profile quick --time 60 --out '{}'", name),
                  no_drivers()),
              page = sonde_run(fmt::format("report '{}'", name));
    CHECK(fs::exists(name));
    for (const std::string& text : {ran.out, ran.err, page.out, page.err}) CHECK_FALSE(says(text, "\xe2\x80\xae"));
}
