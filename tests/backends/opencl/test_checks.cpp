// OpenCL's drivers on a pretended machine.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "backends/checks/checks.h"
#include "core/device/doubles.h"
#include "tests/backends/checks/pretended.h"

using namespace sonde;
using pretended::Machine, pretended::row_of, pretended::Variables;

namespace {
const std::vector<std::string> kSteering{"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES", "POCL_CACHE_DIR",
    "XDG_CACHE_HOME", "HOME", "LD_LIBRARY_PATH", "CONDA_PREFIX"};
} // namespace

TEST_CASE("OpenCL's drivers: of the folder, of a variable, and what each lacks") {
    const Variables none(kSteering);
    Machine machine;
    machine.libraries["libgone.so.1"] = {
        {"error", "libgone.so.1: cannot open shared object file: No such file or directory"}};
    CHECK(says(row_of(check_opencl(machine.surroundings), "opencl driver").found, "no file *.icd"));
    machine.write("etc/OpenCL/vendors/good.icd", "libgood.so.1");
    machine.write("etc/OpenCL/vendors/gone.icd", "libgone.so.1");
    machine.write("etc/OpenCL/vendors/empty.icd", "");
    auto rows = check_opencl(machine.surroundings);
    CHECK(row_of(rows, "opencl driver", "good.icd").found == "/lib/libgood.so.1");
    CHECK(row_of(rows, "opencl driver", "gone.icd").found == "libgone.so.1 is not here");
    CHECK(says(row_of(rows, "opencl driver", "gone.icd").mend, "sudo rm "));
    CHECK(says(row_of(rows, "opencl driver", "empty.icd").found, "names no library"));

    setenv("OCL_ICD_FILENAMES", "libmore.so:libgone.so.1", 1);
    rows = check_opencl(machine.surroundings);
    CHECK(row_of(rows, "opencl driver", "libmore.so").state == CheckState::ok);
    CHECK(row_of(rows, "variable", "OCL_ICD_FILENAMES").found == "names libgone.so.1, which is not here");
    unsetenv("OCL_ICD_FILENAMES");

    const std::string other = machine.write("other/one.icd", "libone.so").string();
    for (const std::string& chosen : {machine.folder.file("other"), other, std::string("libone.so")}) {
        CAPTURE(chosen);
        setenv("OCL_ICD_VENDORS", chosen.c_str(), 1);
        rows = check_opencl(machine.surroundings);
        CHECK(row_of(rows, "opencl driver").found == "/lib/libone.so");
        CHECK(row_of(rows, "opencl driver", "good.icd").check.empty());
        CHECK(row_of(rows, "variable", "OCL_ICD_VENDORS").state == CheckState::note);
    }
    setenv("OCL_ICD_VENDORS", "/sonde-no-such.icd", 1);
    CHECK(
        row_of(check_opencl(machine.surroundings), "variable").found == "names /sonde-no-such.icd, which is not here");
    machine.surroundings.absent.push_back(
        {"opencl", "the OpenCL loader finds no platform (CL_PLATFORM_NOT_FOUND_KHR)"});
    CHECK(row_of(check_opencl(machine.surroundings), "variable", "OCL_ICD_VENDORS").state == CheckState::problem);
}

TEST_CASE("a line that the loader takes with its blank or carriage return is no driver's name") {
    const Variables none(kSteering);
    for (const auto& [line, end] : {std::pair{"libgood.so.1 ", "a blank"}, {"libgood.so.1\t", "a blank"},
             {"libgood.so.1\r", "a carriage return"}, {"libgood.so.1", ""}}) {
        CAPTURE(std::string(end));
        const Machine machine;
        machine.write("etc/OpenCL/vendors/a.icd", line);
        const CheckRow row = row_of(check_opencl(machine.surroundings), "opencl driver", "a.icd");
        const bool good = std::string(end).empty();
        CHECK(row.state == (good ? CheckState::ok : CheckState::problem));
        CHECK(row.cause != good);
        CHECK(says(row.found, good ? "/lib/libgood.so.1" : end));
        CHECK(row.mend.starts_with(good ? "" : "sudo sed -i "));
    }
}

TEST_CASE("what only a variable names is the variable's, and nobody is told to install or to remove it") {
    const Variables none(kSteering);
    Machine machine;
    const std::string no_file = ": cannot open shared object file: No such file or directory";
    for (const char* gone : {"/sonde-no-such", "/sonde-no-such/x.so", "/etc/OpenCL/vendors:/other"})
        machine.libraries[gone] = {{"error", gone + no_file}};
    machine.libraries["libno.so"] = {{"path", "/lib/libno.so"}, {"refuses", "is no OpenCL driver"}};
    machine.surroundings.absent.push_back({"opencl", "CL_PLATFORM_NOT_FOUND_KHR"});
    const std::string icd = machine.write("mine/no.icd", "libno.so").string(),
                      lost = machine.write("mine/lost.icd", "/sonde-no-such").string();
    struct Row {
        const char* variable;
        std::string value, subject;
    };
    for (const Row& row : {Row{"OCL_ICD_VENDORS", "/sonde-no-such", "OCL_ICD_VENDORS"},
             {"OCL_ICD_VENDORS", "/sonde-no-such.icd", "OCL_ICD_VENDORS"},
             {"OCL_ICD_VENDORS", "/etc/OpenCL/vendors:/other", "OCL_ICD_VENDORS"},
             {"OPENCL_VENDOR_PATH", "/sonde-no-such", "OPENCL_VENDOR_PATH"},
             {"OCL_ICD_FILENAMES", "/sonde-no-such/x.so", "OCL_ICD_FILENAMES"}, {"OCL_ICD_VENDORS", icd, icd},
             {"OCL_ICD_VENDORS", lost, lost}, {"OCL_ICD_VENDORS", "libno.so", "libno.so"}}) {
        CAPTURE(row.value);
        setenv(row.variable, row.value.c_str(), 1);
        const auto rows = check_opencl(machine.surroundings);
        const auto first = std::find_if(rows.begin(), rows.end(), [](const CheckRow& each) { return each.cause; });
        REQUIRE(first != rows.end());
        CHECK(first->subject == row.subject);
        CHECK(first->state == CheckState::problem);
        CHECK(says(first->mend, std::string("unset ") + row.variable));
        for (const CheckRow& each : rows) {
            CHECK_FALSE(says(each.mend, "sudo rm"));
            CHECK_FALSE(says(each.mend, "apt"));
        }
        unsetenv(row.variable);
    }
}

TEST_CASE("a driver of conda's that the system's loader does not read is named; conda's own loader reads it") {
    const Variables none(kSteering);
    Machine machine;
    const std::string conda = machine.folder.file("conda"), vendors = conda + "/etc/OpenCL/vendors";
    machine.write("conda/etc/OpenCL/vendors/pocl.icd", "libpocl.so.2");
    const auto row = [&] { return row_of(check_opencl(machine.surroundings), "opencl driver", "pocl.icd"); };
    CHECK(row().check.empty()); // no conda
    setenv("CONDA_PREFIX", conda.c_str(), 1);
    CHECK(row().state == CheckState::note);
    CHECK(row().mend == "export OCL_ICD_VENDORS=" + vendors);
    machine.write("etc/OpenCL/vendors/other.icd", "libother.so"); // which that variable would hide
    CHECK(row().mend == "export OCL_ICD_FILENAMES=libpocl.so.2");
    machine.surroundings.absent.push_back({"opencl", "CL_PLATFORM_NOT_FOUND_KHR"});
    CHECK(row().state == CheckState::problem);
    CHECK(row().cause);

    machine.libraries["libpocl.so.2"] = {
        {"error", "libpocl.so.2: cannot open shared object file: No such file or directory"}};
    CHECK(row().state == CheckState::note); // no loader's fault
    CHECK_FALSE(says(row().mend, "OCL_ICD"));
    machine.libraries.clear();
    machine.surroundings.absent.clear();
    setenv("OCL_ICD_VENDORS", "libother.so", 1); // a choice
    CHECK(row().check.empty());
    unsetenv("OCL_ICD_VENDORS");

    machine.write("conda/lib/libOpenCL.so.1", "");
    setenv("LD_LIBRARY_PATH", (conda + "/lib").c_str(), 1);
    CHECK(row().state == CheckState::ok);
    CHECK(row_of(check_opencl(machine.surroundings), "opencl driver", "other.icd").check.empty());
    CHECK(opencl_drivers() == std::vector<std::string>{"libpocl.so.2"});
    unsetenv("LD_LIBRARY_PATH");
    machine.write("etc/OpenCL/vendors/same.icd", "libpocl.so.2"); // there already
    CHECK(row().check.empty());
}

TEST_CASE("a driver that is whole and shows no device says what it waits for") {
    const Variables none(kSteering);
    Machine machine;
    setenv("HOME", machine.folder.path.c_str(), 1);
    for (const auto& [file, library] : {std::pair{"rusticl.icd", "libRusticlOpenCL.so.1"},
             {"mesa.icd", "libMesaOpenCL.so.1"}, {"pocl.icd", "libpocl.so.2"}, {"busy.icd", "libbusy.so"}}) {
        machine.write(std::string("etc/OpenCL/vendors/") + file, library);
        machine.libraries[library] = {
            {"path", std::string("/lib/") + library}, {"devices", std::string(file) == "busy.icd" ? 1 : 0}};
    }
    const auto row = [&](const char* file) {
        return row_of(check_opencl(machine.surroundings), "opencl driver", file);
    };
    CHECK(row("busy.icd").state == CheckState::ok);
    for (const char* silent : {"rusticl.icd", "mesa.icd", "pocl.icd"}) CHECK(row(silent).state == CheckState::note);
    CHECK(says(row("rusticl.icd").mend, "RUSTICL_ENABLE="));
    machine.surroundings.absent.push_back({"opencl", "clGetDeviceIDs: CL_DEVICE_NOT_FOUND"});
    for (const CheckRow& each : check_opencl(machine.surroundings)) CHECK_FALSE(says(each.mend, "apt install"));
    const std::string file = machine.write("no-folder", "").string();
    for (const auto& [variable, cache] :
        {std::pair{"HOME", file + "/.cache/pocl"}, {"XDG_CACHE_HOME", file + "/pocl"}, {"POCL_CACHE_DIR", file}}) {
        CAPTURE(std::string(variable));
        setenv(variable, file.c_str(), 1);
        const CheckRow found = row("pocl.icd");
        CHECK(found.state == CheckState::problem);
        CHECK(found.cause);
        CHECK(says(found.found, cache));
        CHECK(says(found.found, variable));
        CHECK(says(found.mend, "POCL_CACHE_DIR="));
    }
}

TEST_CASE("a library that is no OpenCL driver is told from one that is, and from one that shows nothing") {
    CHECK(open_opencl_driver("libc.so.6").at("refuses") == "is no OpenCL driver");
    CHECK(open_opencl_driver("libno-such.so.1").contains("error"));
}

TEST_CASE("two files of one library are named where a device is there once more") {
    const Variables none(kSteering);
    Machine machine;
    machine.write("etc/OpenCL/vendors/a.icd", "libone.so");
    machine.write("etc/OpenCL/vendors/b.icd", "libtwo.so");
    machine.libraries["libtwo.so"] = {{"path", "/lib/libone.so"}};
    for (const char* id : {"opencl:0.0", "opencl:1.0"}) machine.shown(id, "0000:65:00.0");
    CHECK(row_of(check_opencl(machine.surroundings), "device").check.empty());
    std::vector<DeviceInfo*> devices;
    for (DeviceInfo& device : machine.surroundings.devices) devices.push_back(&device);
    note_doubles(devices);
    const CheckRow row = row_of(check_opencl(machine.surroundings), "device");
    CHECK(row.subject == "opencl:1.0");
    CHECK(row.state == CheckState::note);
    for (const char* part : {"a.icd", "b.icd"}) CHECK(says(row.mend, part));
}
