// Vulkan's manifests on a pretended machine: where they are looked for, and what is wrong with each.
#include <doctest/doctest.h>

#include "backends/checks/checks.h"
#include "core/base/json.h"
#include "tests/backends/checks/pretended.h"

using namespace sonde;
using pretended::Machine, pretended::row_of, pretended::Variables;

namespace {
const std::vector<std::string> kSteering{"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES",
    "VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE", "VK_INSTANCE_LAYERS", "NVIDIA_DRIVER_CAPABILITIES",
    "MESA_VK_DEVICE_SELECT", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS",
    "KUBERNETES_SERVICE_HOST"};
std::string manifest(const std::string& library) {
    return Json{{"file_format_version", "1.0.0"}, {"ICD", {{"library_path", library}, {"api_version", "1.3.0"}}}}
        .dump();
}
} // namespace

TEST_CASE("what is wrong with a manifest is said of it, with the mend") {
    const Variables none(kSteering);
    Machine machine;
    const std::string folder = "usr/share/vulkan/icd.d/";
    machine.write(folder + "good.json", manifest("libgood.so.1"));
    machine.write(folder + "gone.json", manifest("../../../lib/libgone.so"));
    machine.write(folder + "lacking.json", manifest("libGLX_nvidia.so.0"));
    machine.write(folder + "broken.json", "{\"ICD\": ");
    machine.write(folder + "empty.json", "{}");
    machine.write(folder + "aside.json.bak", "");
    const std::string gone = (machine.folder.path / "usr/lib/libgone.so").string(),
                      no_file = ": cannot open shared object file: No such file or directory";
    machine.libraries[gone] = {{"error", gone + no_file}};
    machine.libraries["libGLX_nvidia.so.0"] = {{"error", "libGLdispatch.so.0" + no_file}};
    const auto rows = check_vulkan(machine.surroundings);
    CHECK(
        std::count_if(rows.begin(), rows.end(), [](const CheckRow& row) { return row.check == "vulkan driver"; }) == 5);
    struct Row {
        const char *file, *found, *mend;
        CheckState state = CheckState::problem;
    };
    for (const Row& row : {Row{"good.json", "/lib/libgood.so.1", "", CheckState::ok},
             {"gone.json", "libgone.so is not here", "gone.json"},
             {"lacking.json", "libGLX_nvidia.so.0 needs libGLdispatch.so.0, which is not here",
                 "sudo apt install libglvnd0"},
             {"broken.json", "not valid JSON", "sudo rm "}, {"empty.json", "ICD.library_path", "sudo rm "}}) {
        CAPTURE(row.file);
        const CheckRow found = row_of(rows, "vulkan driver", row.file);
        CHECK(found.state == row.state);
        CHECK(says(found.found, row.found));
        CHECK(says(found.mend, row.mend));
    }
}

TEST_CASE("NVIDIA's driver without the libraries that it opens as it runs: these are named") {
    const Variables none(kSteering);
    Machine machine;
    machine.card("0000:65:00.0", "0x10de", "nvidia");
    machine.write("etc/vulkan/icd.d/nvidia_icd.json", manifest("libGLX_nvidia.so.0"));
    machine.libraries["libGLX_nvidia.so.0"] = {
        {"path", "/lib/libGLX_nvidia.so.580.159.04"}, {"refuses", "can be opened, but makes no Vulkan instance"}};
    machine.surroundings.absent.push_back({"vulkan", "vkCreateInstance: VK_ERROR_INCOMPATIBLE_DRIVER"});
    const auto row = [&] { return row_of(check_vulkan(machine.surroundings), "vulkan driver", "nvidia_icd.json"); };
    CHECK(row().found == "libGLX_nvidia.so.0 can be opened, but makes no Vulkan instance");
    machine.libraries["libnvidia-glvkspirv.so.580.159.04"] = {{"error", "not here"}};
    CHECK(row().found == "libGLX_nvidia.so.0 opens libnvidia-glvkspirv.so.580.159.04 as it runs, which is not here");
    CHECK(says(row().mend, "nvidia-vulkan-icd"));
    machine.libraries.erase("libnvidia-glvkspirv.so.580.159.04");
    for (const char* library : {"libGLX.so.0", "libEGL.so.1"}) machine.libraries[library] = {{"error", "not here"}};
    CHECK(row().found == "libGLX_nvidia.so.0 opens libGLX.so.0, libEGL.so.1 as it runs, which are not here");
    CHECK(row().mend == "sudo apt install libglvnd0 libglx0 libegl1");
    machine.libraries.erase("libGLX_nvidia.so.0");
    machine.surroundings.absent.clear();
    machine.shown("vulkan:0", "0000:65:00.0");
    machine.surroundings.devices.back().driver = "NVIDIA 580.159.04";
    CHECK(row().state == CheckState::ok);
    CHECK(open_vulkan_driver("libc.so.6").at("refuses") == "is no Vulkan driver");
}

TEST_CASE("manifests are looked for where the loader does") {
    const Variables none(kSteering);
    Machine machine;
    const auto files = [&] {
        std::string names;
        for (const CheckRow& row : check_vulkan(machine.surroundings))
            if (row.check == "vulkan driver") names += std::filesystem::path(row.subject).stem().string();
        return names;
    };
    machine.write("etc/vulkan/icd.d/a.json", manifest("a"));
    machine.write("usr/local/share/vulkan/icd.d/b.json", manifest("b"));
    machine.write("usr/share/vulkan/icd.d/c.json", manifest("c"));
    const std::string other = machine.write("other/d.json", manifest("d")).string(),
                      config = machine.write("config/vulkan/icd.d/e.json", manifest("e")).string();
    CHECK(files() == "abc");
    setenv("XDG_CONFIG_HOME", machine.folder.file("config").c_str(), 1);
    CHECK(files() == "eabc");
    setenv("XDG_DATA_DIRS", "", 1); // as if it were not set
    CHECK(files() == "eabc");
    setenv("XDG_DATA_DIRS", "/no/such", 1);
    CHECK(files() == "ea");
    setenv("VK_ADD_DRIVER_FILES", other.c_str(), 1);
    CHECK(files() == "dea");
    setenv("VK_ICD_FILENAMES", (machine.folder.path / "other").c_str(), 1); // a folder
    CHECK(files() == "d");
    setenv("VK_DRIVER_FILES", (config + ":/no/such.json").c_str(), 1);
    CHECK(files() == "e");
    const CheckRow wrong = row_of(check_vulkan(machine.surroundings), "variable", "VK_DRIVER_FILES");
    CHECK(wrong.found == "names /no/such.json, which is not here");
    CHECK(wrong.cause);
    setenv("VK_DRIVER_FILES", machine.write("other/f.json", "").c_str(), 1);
    CHECK(row_of(check_vulkan(machine.surroundings), "vulkan driver", "f.json").mend ==
          "correct VK_DRIVER_FILES or this file, or: unset VK_DRIVER_FILES");
}

TEST_CASE("implicit layers: one that cannot be opened is named, with the variable that switches it off") {
    const Variables none([] {
        std::vector<std::string> names = kSteering;
        for (const char* each : {"SONDE_TEST_LAYER_OFF", "SONDE_TEST_LAYER_ON"}) names.emplace_back(each);
        return names;
    }());
    Machine machine;
    const std::string folder = "usr/share/vulkan/implicit_layer.d/";
    const auto layer = [](const std::string& library) {
        return Json{{"library_path", library}, {"disable_environment", {{"SONDE_TEST_LAYER_OFF", "1"}}}};
    };
    machine.write(folder + "good.json", Json{{"layer", layer("libgood.so")}}.dump());
    machine.write(folder + "broken.json", Json{{"layers", {layer("libgone.so")}}}.dump());
    Json waits = layer("libgone.so");
    waits["enable_environment"] = {{"SONDE_TEST_LAYER_ON", "1"}};
    machine.write(folder + "waits.json", Json{{"layer", waits}}.dump());
    machine.write(folder + "odd.json", R"({"layers": {"library_path": 1}})");
    machine.libraries["libgone.so"] = {
        {"error", "libgone.so: cannot open shared object file: No such file or directory"}};
    const auto row = [&](const char* file) { return row_of(check_vulkan(machine.surroundings), "vulkan layer", file); };
    CHECK(row("good.json").state == CheckState::ok);
    CHECK(row("broken.json").state == CheckState::note); // the loader goes on without it
    CHECK(says(row("broken.json").mend, "export SONDE_TEST_LAYER_OFF=1"));
    CHECK(row("waits.json").check.empty());
    machine.surroundings.absent.push_back({"vulkan", "vkCreateInstance: VK_ERROR_LAYER_NOT_PRESENT"});
    CHECK(row("broken.json").state == CheckState::problem);
    CHECK(row("broken.json").cause);
    setenv("SONDE_TEST_LAYER_ON", "1", 1);
    CHECK(row("waits.json").state == CheckState::problem);
    setenv("SONDE_TEST_LAYER_OFF", "1", 1);
    CHECK(row("broken.json").check.empty());
}

TEST_CASE("a variable that hides drivers is a problem where Vulkan is absent, else a note") {
    const Variables none(kSteering);
    Machine machine;
    machine.write("etc/vulkan/icd.d/radeon_icd.json", manifest("a"));
    setenv("VK_LOADER_DRIVERS_DISABLE", "*.nothing,RADEON*", 1);
    for (const bool absent : {false, true}) {
        if (absent) machine.surroundings.absent.push_back({"vulkan", "vkCreateInstance: VK_ERROR_INCOMPATIBLE_DRIVER"});
        const auto rows = check_vulkan(machine.surroundings);
        const CheckState state = absent ? CheckState::problem : CheckState::note;
        CHECK(row_of(rows, "variable", "VK_LOADER_DRIVERS_DISABLE").state == state);
        CHECK(row_of(rows, "variable", "VK_LOADER_DRIVERS_DISABLE").mend == "unset VK_LOADER_DRIVERS_DISABLE");
        CHECK(row_of(rows, "vulkan driver", "radeon_icd.json").state == state);
        CHECK(row_of(rows, "vulkan driver", "radeon_icd.json").found == "left out by VK_LOADER_DRIVERS_DISABLE");
    }
    unsetenv("VK_LOADER_DRIVERS_DISABLE");
    setenv("VK_LOADER_DRIVERS_SELECT", "lvp*", 1);
    CHECK(row_of(check_vulkan(machine.surroundings), "vulkan driver", "radeon_icd.json").found ==
          "left out by VK_LOADER_DRIVERS_SELECT");
}

TEST_CASE("an absent API is a problem where a card is here that it is made for, and a note elsewhere; its loader's "
          "absence is said once") {
    const Variables none(kSteering);
    for (const bool card : {false, true}) {
        Machine machine;
        if (card) machine.card("0000:65:00.0", "0x1002", "amdgpu");
        machine.surroundings.absent.push_back({"vulkan", "vkCreateInstance: VK_ERROR_INCOMPATIBLE_DRIVER"});
        const CheckState state = card ? CheckState::problem : CheckState::note;
        CheckRow row = row_of(check_vulkan(machine.surroundings), "vulkan");
        CHECK(row.state == state);
        CHECK(says(row.mend, card ? "the rows 'vulkan driver'" : "no GPU is here"));
        CHECK(row_of(check_vulkan(machine.surroundings), "vulkan driver").state == state); // there is none
        machine.libraries["libvulkan.so.1"] = {
            {"error", "libvulkan.so.1: cannot open shared object file: No such file or directory"}};
        const auto rows = check_vulkan(machine.surroundings);
        CHECK(row_of(rows, "vulkan").check.empty());
        row = row_of(rows, "vulkan loader");
        CHECK(row.state == state);
        CHECK(says(row.mend, card ? "sudo apt install libvulkan1" : "mesa-vulkan-drivers"));
    }
}
