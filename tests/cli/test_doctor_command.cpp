// sonde doctor as typed, on pretended machines with pretended drivers.
#include <algorithm>
#include <sstream>

#include <doctest/doctest.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/run/ask_driver.h"
#include "tests/backends/checks/pretended.h"
#include "tests/places.h"

using namespace sonde;
using namespace command;
using pretended::Machine, pretended::row_of;
namespace fs = std::filesystem;

namespace {
const fs::path kDrivers = places::pretended_drivers;

/// Without this machine's drivers but for those that are named, and without what a container or a user has set.
std::string environment_of(const Machine& machine, const std::string& more = "") {
    return fmt::format(
        "-u CUDA_VISIBLE_DEVICES -u NVIDIA_VISIBLE_DEVICES -u NVIDIA_DRIVER_CAPABILITIES -u KUBERNETES_SERVICE_HOST -u "
        "container -u APPTAINER_CONTAINER -u SINGULARITY_CONTAINER -u CONDA_PREFIX -u LD_PRELOAD -u "
        "XDG_DATA_DIRS -u XDG_CONFIG_DIRS -u VK_ADD_DRIVER_FILES HOME=/no/such "
        "SONDE_ROOT={0} SONDE_SYSFS={0}/sys OCL_ICD_VENDORS={0}/vendors OCL_ICD_FILENAMES= VK_DRIVER_FILES= "
        "VK_ICD_FILENAMES={0}/none.json {1}",
        machine.folder.path.string(), more);
}

std::vector<CheckRow> rows_of(const Ran& ran) { return Json::parse(ran.out).get<std::vector<CheckRow>>(); }

bool fits(const std::string& text, std::size_t columns) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (display_width(line) > columns) return false;
    return true;
}

std::string manifest(const std::string& library) {
    return R"({"file_format_version": "1.0.0", "ICD": {"library_path": ")" + library + R"(", "api_version": "1.1.0"}})";
}
} // namespace

TEST_CASE("drivers that lack a library, die, or are not there: each a row, problems first, 80 columns") {
    const Machine machine;
    const std::string incomplete = machine.write("icd/lacking.json", manifest(places::incomplete_driver)).string(),
                      gone = machine.write("icd/gone.json", manifest("libsonde-gone.so.1")).string(),
                      broken = machine.write("icd/broken.json", "{").string();
    machine.write("vendors/dies.icd", places::aborting_driver);
    const std::string environment =
        environment_of(machine, fmt::format("VK_ICD_FILENAMES={}:{}:{}", incomplete, gone, broken));
    const Ran text = sonde_run("doctor", environment + " COLUMNS=80");
    CAPTURE(text.out);
    CHECK(text.code == 1);
    CHECK(text.err.empty());
    CHECK(text.out.starts_with("PROBLEM  "));
    CHECK(text.out.rfind("PROBLEM") < text.out.find("\nnote"));
    CHECK(fits(text.out, 80));
    CHECK(std::count(text.out.begin(), text.out.end(), '\n') <= 40);
    CHECK(says(text.out, "opencl: the opencl worker"));
    CHECK(says(text.out, "killed by SIGABRT"));
    CHECK(text.out.ends_with("cause of others.\n"));

    const Ran json = sonde_run("doctor --json", environment);
    CHECK(json.code == 1);
    const auto rows = rows_of(json);
    struct Row {
        const char *check, *subject, *found;
    };
    for (const Row& row : {Row{"vulkan driver", "lacking.json", "needs libsonde_absent.so.7"},
             {"vulkan driver", "gone.json", "libsonde-gone.so.1"}, {"vulkan driver", "broken.json", "not valid JSON"},
             {"opencl driver", "dies.icd", "killed by SIGABRT"},
             {"variable", "VK_ICD_FILENAMES", "these manifests alone"}}) {
        CAPTURE(row.subject);
        const CheckRow found = row_of(rows, row.check, row.subject);
        CHECK(found.state == CheckState::problem);
        CHECK(says(found.found, row.found));
        CHECK_FALSE(found.mend.empty());
    }
}

TEST_CASE("in broken surroundings the first row is what is guilty") {
    const Machine machine;
    for (const char* folder : {"vendors", "sys/bus/pci/devices", "other"})
        fs::create_directories(machine.folder.path / folder);
    fs::copy_file(places::aborting_driver, machine.folder.path / "other/libaborts.so");
    fs::copy_file(kDrivers / "fake_nvml/libnvidia-ml.so.1", machine.folder.path / "other/libOpenCL.so.1");
    fs::copy_file(kDrivers / "fake_nvml/libnvidia-ml.so.1", machine.folder.path / "other/libno-driver.so");
    machine.write("other/truncated/libOpenCL.so.1", "");
    machine.write("conda/etc/OpenCL/vendors/conda.icd", kDrivers / "faults/libfaulty_opencl.so");
    const auto icd = [&](const char* name, const std::string& line) {
        return "OCL_ICD_VENDORS=" + machine.write(fmt::format("other/{}.icd", name), line).string();
    };
    const auto manifest_of = [&](const char* name, const std::string& text) {
        return "VK_DRIVER_FILES=" + machine.write(fmt::format("other/{}.json", name), text).string();
    };
    const std::string other = machine.folder.file("other");
    struct Row {
        const char* what;
        std::string environment, check, subject, mend;
        std::string before{};
    };
    std::vector<Row> table{{"a folder of drivers that is not there", "OCL_ICD_VENDORS=/sonde-no-such", "variable",
                               "OCL_ICD_VENDORS", "unset"},
        {"folders with a colon, which the loader takes for one", "OCL_ICD_VENDORS=/etc/OpenCL/vendors:/other",
            "variable", "OCL_ICD_VENDORS", "unset"},
        {"a driver that is not there", "OCL_ICD_FILENAMES=/sonde-no-such/x.so", "variable", "OCL_ICD_FILENAMES",
            "unset"},
        {"a manifest that is not there", "VK_DRIVER_FILES=/sonde-no-such.json", "variable", "VK_DRIVER_FILES", "unset"},
        {"a manifest of a person's own that is broken", manifest_of("broken", "{"), "vulkan driver", "broken.json",
            "correct VK_DRIVER_FILES"},
        {"another library under the loader's name", "LD_LIBRARY_PATH=" + other, "opencl loader", "libOpenCL.so.1",
            fmt::format("take {} out of LD_LIBRARY_PATH", other)},
        {"a loader that was cut off", fmt::format("LD_LIBRARY_PATH={}/truncated", other), "opencl loader",
            "libOpenCL.so.1", fmt::format("take {}/truncated out of LD_LIBRARY_PATH", other)},
        {"an .icd file of an editor that ends lines in two characters", icd("dos", "libOpenCL.so.1\r"), "opencl driver",
            "dos.icd", "sudo sed"},
        {"a library that is no driver", icd("other", other + "/libno-driver.so"), "opencl driver", "other.icd",
            "correct OCL_ICD_VENDORS"},
        {"a driver of conda's, which the system's loader does not read",
            fmt::format("CONDA_PREFIX={0}/conda OCL_ICD_VENDORS={0}/vendors", machine.folder.path.string()),
            "opencl driver", "conda.icd",
            fmt::format("export OCL_ICD_VENDORS={}/conda/etc/OpenCL/vendors", machine.folder.path.string())},
        {"a driver that dies", icd("dies", other + "/libaborts.so"), "opencl driver", "dies.icd", "this driver"}};
    if (!places::sanitized) // which map more than that
        table.push_back({"a limit of addresses", "", "limit", "ulimit -v", "ulimit -v unlimited", "ulimit -v 400000;"});
    for (const Row& row : table) {
        CAPTURE(row.what);
        const Ran ran = sonde_run("doctor --json",
            environment_of(
                machine, "OCL_ICD_VENDORS= VK_ICD_FILENAMES= XDG_CONFIG_HOME=/no/such XDG_DATA_HOME=/no/such " +
                             row.environment),
            row.before);
        CAPTURE(ran.out);
        const auto rows = rows_of(ran);
        REQUIRE_FALSE(rows.empty());
        CHECK(rows[0].check == row.check);
        CHECK(rows[0].subject.ends_with(row.subject));
        CHECK(says(rows[0].mend, row.mend));
        CHECK(rows[0].state == CheckState::problem);
        CHECK_FALSE(says(Json(rows).dump(), "sudo rm"));
        CHECK_FALSE(says(Json(rows).dump(), "apt-file"));
    }
    machine.write("usr/lib/wsl/lib/libcuda.so.1", ""); // as in WSL, whose PCI bus shows no card
    const auto rows =
        rows_of(sonde_run("doctor --json", environment_of(machine, "OCL_ICD_VENDORS= VK_ICD_FILENAMES=")));
    if (row_of(rows, "cuda driver").state == CheckState::problem) // this machine has none of its own
        CHECK(rows[0].mend == "export LD_LIBRARY_PATH=" + machine.folder.file("usr/lib/wsl/lib"));
}

TEST_CASE("a card that is whole: a pretended CUDA driver and NVML, no problem but the APIs that are not there") {
    const Machine machine;
    machine.card("0000:f0:00.0", "0x10de", "nvidia",
        {{"current_link_speed", "2.5 GT/s"}, {"current_link_width", "16"}, {"max_link_speed", "16.0 GT/s"},
            {"max_link_width", "16"}});
    for (const char* node : {"nvidia0", "nvidiactl", "nvidia-uvm"}) machine.write(std::string("dev/") + node, "");
    machine.write("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu");
    fs::create_directories(machine.folder.path / "lib");
    const auto library_of = [&](const std::string& version) {
        const fs::path real = machine.folder.path / "lib" / ("libcuda.so." + version),
                       link = machine.folder.path / "lib/libcuda.so.1";
        fs::copy_file(kDrivers / "fake_cuda/new/libcuda.so.1", real);
        fs::remove(link);
        fs::create_symlink(real, link);
    };
    const std::string drivers = fmt::format(
        "SONDE_FAKE_CUDA= LD_LIBRARY_PATH={}:{}", machine.folder.file("lib"), (kDrivers / "fake_nvml").string());
    library_of("535.129.03");
    auto rows = rows_of(sonde_run("doctor --json", environment_of(machine, drivers)));
    for (const char* check : {"cuda", "cuda driver", "kernel module", "device node", "clocks", "ECC"}) {
        CAPTURE(std::string(check));
        CHECK(row_of(rows, check).check == check);
        CHECK(row_of(rows, check).state == CheckState::ok);
    }
    CHECK(row_of(rows, "card", "0000:f0:00.0").found.starts_with("shown as cuda:0"));
    CHECK(row_of(rows, "card", "0000:f0:00.0").found.ends_with("opencl and vulkan"));
    CHECK(row_of(rows, "link").state == CheckState::note);
    CHECK(row_of(rows, "persistence mode").state == CheckState::note);
    CHECK(row_of(rows, "opencl").state == CheckState::problem);

    library_of("550.54.14");
    rows = rows_of(sonde_run("doctor --json", environment_of(machine, drivers + " SONDE_FAKE_NVML=held")));
    CHECK(row_of(rows, "kernel module").state == CheckState::problem);
    for (const char* version : {"535.129.03", "550.54.14"}) CHECK(says(row_of(rows, "kernel module").found, version));
    CHECK(says(Json(rows).dump(), "clock 1200 MHz, by"));
    CHECK(says(Json(rows).dump(), "default 1980 MHz"));
    CHECK(says(Json(rows).dump(), "throttled now: temperature"));

    for (const auto& [fault, mend] :
        {std::pair{"init=100", "nvidia-smi -L"}, {"crash_at=init", ""}}) { // CUDA_ERROR_NO_DEVICE
        rows = rows_of(sonde_run("doctor --json",
            environment_of(machine, fmt::format("{} CUDA_VISIBLE_DEVICES= SONDE_FAKE_CUDA={}", drivers, fault))));
        CHECK(row_of(rows, "cuda").state == CheckState::problem);
        CHECK(says(row_of(rows, "cuda").mend, mend));
        CHECK(row_of(rows, "variable", "CUDA_VISIBLE_DEVICES").state == CheckState::problem);
        CHECK(says(row_of(rows, "variable", "CUDA_VISIBLE_DEVICES").found, "set to nothing"));
        CHECK(says(row_of(rows, "card").found, "no API shows"));
    }
}

TEST_CASE("a machine without a GPU and without drivers has no problem, and says what to try; devices points here") {
    const Machine machine;
    fs::create_directories(machine.folder.path / "vendors");
    const std::string environment =
        environment_of(machine, "VK_ICD_FILENAMES= XDG_CONFIG_HOME=/no/such XDG_DATA_HOME=/no/such");
    const Ran text = sonde_run("doctor --json", environment);
    for (const CheckRow& row : rows_of(text)) {
        CAPTURE(row.check);
        CHECK((row.state != CheckState::problem ||
               row.subject == "OCL_ICD_VENDORS")); // with which this test hides drivers
    }
    CHECK(says(sonde_run("devices", no_drivers()).out, "sonde doctor"));
    CHECK(says(sonde_run("run --device opencl:9.9 --out x.jsonl", no_drivers()).err, "sonde doctor tells"));
    CHECK(says(sonde_run("manual man").out, ".SS sonde doctor"));
}

TEST_CASE("a question to a driver that dies, hangs or answers nonsense has an answer") {
    CHECK(says(ask_driver(places::program, "library", places::aborting_driver, 60).at("trouble"), "killed by SIGABRT"));
    CHECK(says(ask_driver(places::program, "library", "libc.so.6", 60).at("path"), "libc"));
    CHECK(says(ask_driver(places::program, "no such question", "", 60).at("trouble"), "no question"));
    CHECK(says(ask_driver("/no/such/program", "library", "", 60).at("trouble"), "cannot start"));
    CHECK(says(ask_driver("/bin/echo", "library", "", 60).at("trouble"), "none"));
}
