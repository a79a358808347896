// A worker that misbehaves on command: stands behind `sonde worker` in tests, through --via or a WorkerClient's command
// line. Usage: scripted_worker SCRIPT [ignored words...]; SCRIPT is one of the names in main().
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <unistd.h>

namespace {
void say(const std::string& line) { std::cout << line << std::endl; }

void introduce() {
    say(R"({"event":"step","text":"open scripted"})");
    say(R"({"event":"device","info":{"id":"scripted:0","api":"scripted","name":"Scripted",)"
        R"("driver":"1","software":false,"cpu":false,"uuid":"","pci":"","memory_bytes":0,)"
        R"("core_cycles":true,"facts":[]},"paths":[{"name":"global","supported":true,)"
        R"("reason":""}],"operations":[]})");
    say(R"({"event":"ready"})");
}

void two_points() {
    say(R"({"event":"step","text":"walk 512 B"})");
    say(R"({"event":"samples","x":512,"samples":[{"block":0,"steps":64,"host_ns":100,)"
        R"("device_ns":null,"cycles":null},{"block":0,"steps":128,"host_ns":164,)"
        R"("device_ns":null,"cycles":null}]})");
    say(R"({"event":"step","text":"walk 1 KiB"})");
    say(R"({"event":"samples","x":1024,"samples":[{"block":0,"steps":64,"host_ns":200,)"
        R"("device_ns":null,"cycles":null},{"block":0,"steps":128,"host_ns":328,)"
        R"("device_ns":null,"cycles":null}]})");
}

void die(int signal) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}
} // namespace

int main(int argc, char** argv) {
    const std::string script = argc > 1 ? argv[1] : "";
    if (script == "absent") {
        say(R"({"event":"absent","reason":"no such driver"})");
        say(R"({"event":"ready"})");
    } else if (script == "abort-at-open") {
        say(R"({"event":"step","text":"open scripted"})");
        std::fputs("ld: not found\n", stderr);
        die(SIGABRT);
    } else if (script == "hang-at-open") {
        say(R"({"event":"step","text":"open scripted"})");
        pause();
    } else if (script == "half-a-device") {
        say(R"({"event":"device","info":{"id":"scripted:0"},"paths":[],"operations":[]})");
    } else {
        introduce();
    }
    for (std::string line; std::getline(std::cin, line);) {
        if (const std::string when = script.substr(0, script.find('='));
            when == "once-preparing" && !std::ifstream(script.substr(when.size() + 1))) {
            std::ofstream(script.substr(when.size() + 1)) << "x";
            die(SIGSEGV);
        }
        if (line.find(R"("request":"prepare")") != std::string::npos) {
            say(R"({"event":"prepared"})");
            continue;
        }
        two_points();
        if (script == "listing")
            say(R"({"event":"listing","kernel":"chase","group_size":64,"chases":true,"atomic":false,)"
                R"("kind":"gcn","text":"s_endpgm","note":"","step_instructions":{"v_fma_f32":2.0}})");
        if (script == "segfault") die(SIGSEGV);
        if (script == "abort") die(SIGABRT);
        if (script == "hang") pause();
        if (script == "exit") return 7;
        if (script == "rubbish") say("Segmentation of the memory: 100 %");
        if (script == "wrong-fields") say(R"({"event":"samples","y":1})");
        if (script == "wrong-status") say(R"({"event":"done","status":"fine","reason":"","evidence":{}})");
        if (script == "flood")
            for (;;) std::cout << std::string(1 << 20, 'x');
        // Crashes once, then behaves: the marker file remembers.
        if (script.starts_with("once=") && !std::ifstream(script.substr(5))) {
            std::ofstream(script.substr(5)) << "x";
            die(SIGSEGV);
        }
        say(R"({"event":"done","status":"ok","reason":"","evidence":{}})");
    }
    return 0;
}
