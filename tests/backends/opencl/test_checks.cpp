// OpenCL's drivers on a pretended machine.
#include <doctest/doctest.h>

#include "backends/checks/checks.h"
#include "tests/backends/checks/pretended.h"

using namespace sonde;
using pretended::Machine, pretended::row_of, pretended::Variables;

TEST_CASE("OpenCL's drivers: of the folder, of a variable, and what each lacks") {
    const Variables none({"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"});
    Machine machine;
    machine.libraries["libgone.so.1"] = {
        {"error", "libgone.so.1: cannot open shared object file: No such file or directory"}};
    CHECK(says(row_of(check_opencl(machine.surroundings), "opencl driver").found, "no file *.icd"));
    machine.write("etc/OpenCL/vendors/good.icd", "libgood.so.1 \r");
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
    CHECK(row_of(rows, "opencl driver", "libgone.so.1").state == CheckState::problem);
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
    setenv("OCL_ICD_VENDORS", "/no/such.icd", 1);
    CHECK(row_of(check_opencl(machine.surroundings), "opencl driver").found == "this file is not here");
    machine.surroundings.absent.push_back(
        {"opencl", "the OpenCL loader finds no platform (CL_PLATFORM_NOT_FOUND_KHR)"});
    CHECK(row_of(check_opencl(machine.surroundings), "variable", "OCL_ICD_VENDORS").state == CheckState::problem);
}
