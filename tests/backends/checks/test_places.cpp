// Machines whose drivers do not lie where a plain installation has them.
#include <filesystem>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "backends/checks/cards.h"
#include "backends/checks/checks.h"
#include "backends/checks/libraries.h"
#include "backends/checks/places.h"
#include "tests/backends/checks/pretended.h"

using namespace sonde;
using pretended::Machine, pretended::row_of, pretended::Variables;
namespace fs = std::filesystem;

namespace {
const std::vector<std::string> kMarks{"KUBERNETES_SERVICE_HOST", "APPTAINER_CONTAINER", "SINGULARITY_CONTAINER",
    "container", "CONDA_PREFIX", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES"};
const Json kGone{{"error", "libcuda.so.1: cannot open shared object file: No such file or directory"}};

Machine& without_cuda(Machine& machine) {
    machine.libraries["libcuda.so.1"] = kGone;
    machine.surroundings.absent.push_back({"cuda", "libcuda.so.1: cannot open shared object file"});
    return machine;
}
} // namespace

TEST_CASE("a driver's library that lies beside the linker's path is found there, with or without a card on the bus") {
    const Variables none(kMarks);
    for (const char* folder : {"usr/lib/wsl/lib", "usr/local/nvidia/lib64", "usr/local/nvidia/lib",
             "run/opengl-driver/lib", ".singularity.d/libs", "var/lib/snapd/lib/gl",
             "usr/lib/x86_64-linux-gnu/GL/nvidia-580-159-04/lib", "conda/lib"}) {
        CAPTURE(std::string(folder));
        Machine machine;
        without_cuda(machine);
        setenv("CONDA_PREFIX", machine.folder.file("conda").c_str(), 1);
        CHECK(row_of(check_cuda(machine.surroundings), "cuda driver").state == CheckState::note);
        machine.write(std::string(folder) + "/libcuda.so.1", "");
        const CheckRow row = row_of(check_cuda(machine.surroundings), "cuda driver");
        CHECK(row.state == CheckState::problem);
        CHECK(row.cause);
        CHECK(row.mend == "export LD_LIBRARY_PATH=" + machine.folder.file(folder));
    }
}

TEST_CASE("what a container lacks comes from outside, in each container's own way") {
    const Variables none(kMarks);
    struct Row {
        const char *file, *variable, *name, *nvidia, *nodes;
    };
    for (const Row& row : {Row{".dockerenv", nullptr, "Docker", "--gpus all", "--device /dev/dri"},
             {"run/.containerenv", nullptr, "Podman", "nvidia.com/gpu=all", "--device /dev/dri"},
             {nullptr, "KUBERNETES_SERVICE_HOST", "Kubernetes", "nvidia.com/gpu: 1", "amd.com/gpu: 1"},
             {".singularity.d/runscript", nullptr, "Apptainer", "--nv", "--rocm"},
             {nullptr, "SINGULARITY_CONTAINER", "Singularity", "--nv", "--rocm"},
             {".flatpak-info", nullptr, "Flatpak", "org.freedesktop.Platform.GL.nvidia", "--device=dri"},
             {"var/lib/snapd/hostfs/etc/os-release", nullptr, "Snap", "snap connect", "snap connect"},
             {"run/systemd/container", nullptr, "a container", "libraries and device nodes", "/dev/dri"}}) {
        CAPTURE(std::string(row.name));
        const Variables own(kMarks);
        Machine machine;
        CHECK(enclosure_of(machine.surroundings) == nullptr);
        CHECK(nvidia_mend(machine.surroundings, "nvidia-driver") == "sudo apt install nvidia-driver (non-free)");
        if (row.file) machine.write(row.file, "");
        if (row.variable) setenv(row.variable, "1", 1);
        REQUIRE(enclosure_of(machine.surroundings) != nullptr);
        CHECK(std::string(enclosure_of(machine.surroundings)->name) == row.name);
        CHECK(says(nvidia_mend(machine.surroundings, "nvidia-driver"), row.nvidia));
        machine.card("0000:03:00.0", "0x1002", "amdgpu");
        CHECK(says(row_of(check_nodes(machine.surroundings), "device node", "renderD*").mend, row.nodes));
    }
}

TEST_CASE("in WSL the PCI bus says nothing: Windows' driver does") {
    const Variables none(kMarks);
    Machine machine;
    without_cuda(machine);
    fs::create_directories(machine.folder.path / "sys/bus/pci/devices");
    const auto mend = [&] { return row_of(check_cuda(machine.surroundings), "cuda driver").mend; };
    const auto card = [&] { return row_of(check_cards(machine.surroundings), "card"); };
    CHECK(says(mend(), "none needed"));
    CHECK(says(card().found, "PCI bus"));
    machine.write("proc/version", "Linux version 5.15.167.4-microsoft-standard-WSL2");
    CHECK(says(mend(), "/dev/dxg"));
    CHECK(card().state == CheckState::note);
    CHECK(card().subject == "/dev/dxg");
    machine.write("dev/dxg", "");
    CHECK(says(mend(), "driver in Windows"));
    CHECK(card().state == CheckState::ok);
}

TEST_CASE("where nobody can see the PCI bus, no card is denied") {
    const Variables none(kMarks);
    Machine machine;
    without_cuda(machine);
    CHECK_FALSE(says(row_of(check_cuda(machine.surroundings), "cuda driver").mend, "none needed"));
    fs::create_directories(machine.folder.path / "sys/bus/pci");
    CHECK(says(row_of(check_cuda(machine.surroundings), "cuda driver").mend, "none needed"));
}

TEST_CASE("the wrong library of a loader's name is LD_LIBRARY_PATH's where that puts it first") {
    const Variables none(kMarks);
    Machine machine;
    for (const char* folder : {"empty", "other", "third"}) fs::create_directories(machine.folder.path / folder);
    machine.card("0000:65:00.0", "0x10de", "nvidia");
    machine.libraries["libcuda.so.1"] = {{"path", "/x/libcuda.so.1"}, {"refuses", "lacks cuInit"}};
    const auto row = [&] { return row_of(check_cuda(machine.surroundings), "cuda driver"); };
    CHECK(row().mend == "install the driver again");
    setenv("LD_LIBRARY_PATH", fmt::format("{0}/empty::{0}/other:{0}/third", machine.folder.path.string()).c_str(), 1);
    CHECK(row().mend == "install the driver again");
    for (const char* folder : {"other", "third"}) machine.write(std::string(folder) + "/libcuda.so.1", "");
    CHECK(row().state == CheckState::problem);
    CHECK(row().mend == fmt::format("take {} out of LD_LIBRARY_PATH", machine.folder.file("other")));
    machine.libraries["libcuda.so.1"] = {{"error", "/x/libcuda.so.1: file too short"}};
    CHECK(row().mend == fmt::format("take {} out of LD_LIBRARY_PATH", machine.folder.file("other")));
    CHECK(open_exporting("libc.so.6 printf").contains("path"));
    CHECK_FALSE(open_exporting("libc.so.6 printf").contains("refuses"));
    CHECK(says(open_exporting("libc.so.6 cuInit").at("refuses"), "lacks cuInit"));
    CHECK(open_exporting("libno-such.so.1 cuInit").contains("error"));
}

TEST_CASE("a library that LD_PRELOAD names and that is missing is a note of that variable") {
    const Variables none({"LD_PRELOAD"});
    Machine machine;
    machine.libraries["/sonde-no-such.so"] = {{"error", "/sonde-no-such.so: cannot open shared object file"}};
    for (const auto& [value, wrong] : {std::pair{"", 0}, {"libhere.so", 0}, {"libhere.so:/sonde-no-such.so", 1},
             {"/sonde-no-such.so  libhere.so /sonde-no-such.so", 2}}) {
        CAPTURE(std::string(value));
        setenv("LD_PRELOAD", value, 1);
        int said = 0;
        for (const CheckRow& row : check_process(machine.surroundings)) {
            if (row.subject != "LD_PRELOAD") continue;
            ++said;
            CHECK(row.state == CheckState::note);
            CHECK(row.found == "names /sonde-no-such.so, which is not here");
        }
        CHECK(said == wrong);
    }
}

TEST_CASE("a folder that is not there counts as the first one above it that is") {
    const Machine machine;
    CHECK(why_not_writable(machine.folder.path).empty());
    CHECK(why_not_writable(machine.folder.path / "a/b/c").empty());
    CHECK(fs::is_empty(machine.folder.path)); // nothing is left behind
    CHECK_FALSE(why_not_writable(machine.write("file", "")).empty());
    CHECK_FALSE(why_not_writable(machine.folder.path / "file/a").empty());
    CHECK_FALSE(why_not_writable("/proc/no/such").empty());
}
