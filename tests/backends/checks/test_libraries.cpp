// What the linker says of a library, as what is missing and the package that brings it.
#include <doctest/doctest.h>

#include "backends/checks/libraries.h"
#include "tests/backends/checks/pretended.h"
#include "tests/places.h"

using namespace sonde;
using pretended::Machine;

TEST_CASE("a library that cannot be opened: what is missing, and the package that brings it") {
    struct Row {
        const char *error, *found, *mend;
        CheckState state = CheckState::problem;
    };
    const std::string no_file = ": cannot open shared object file: No such file or directory";
    for (const Row& row : {Row{"libGLdispatch.so.0", "libdriver.so needs libGLdispatch.so.0, which is not here",
                               "sudo apt install libglvnd0"},
             {"libOpenCL.so.1", "libdriver.so needs libOpenCL.so.1, which is not here",
                 "sudo apt install ocl-icd-libopencl1"},
             {"libodd.so.3", "libdriver.so needs libodd.so.3, which is not here",
                 "install its package: apt-file search libodd.so.3"},
             {"/x/libdriver.so", "/x/libdriver.so is not here",
                 "install the driver again, or, where it is gone for good: sudo rm /etc/driver.json"},
             {"libnvidia-glcore.so.535.1", "libdriver.so needs libnvidia-glcore.so.535.1, which is not here",
                 "sudo apt install nvidia-driver (non-free)"},
             {"/x/libdriver.so: wrong ELF class: ELFCLASS32", "of another word size", "", CheckState::note},
             {"/x/libdriver.so: undefined symbol: odd", "/x/libdriver.so: undefined symbol: odd",
                 "built for another system"}}) {
        CAPTURE(row.error);
        Machine machine;
        const std::string error = row.error;
        machine.libraries["/x/libdriver.so"] = {{"error", error.find(": ") == error.npos ? error + no_file : error}};
        const CheckRow found = library_row(machine.surroundings, "driver", "", "/x/libdriver.so", {"/etc/driver.json"});
        CHECK(found.state == row.state);
        CHECK(found.found.find(row.found) != std::string::npos);
        CHECK(found.mend.find(row.mend) != std::string::npos);
    }
}

TEST_CASE("in a container NVIDIA's libraries come from outside") {
    Machine machine;
    machine.write(".dockerenv", "");
    machine.libraries["libcuda.so.1"] = {
        {"error", "libcuda.so.1: cannot open shared object file: No such file or directory"}};
    const CheckRow row = library_row(machine.surroundings, "cuda driver", "libcuda.so.1", "libcuda.so.1");
    CHECK(row.found == "libcuda.so.1 is not here");
    CHECK(row.mend == "start the container with --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all");
}

TEST_CASE("a library that takes its process down is a row") {
    Machine machine;
    machine.libraries["/x/libdriver.so"] = {{"trouble", "was killed by SIGABRT"}};
    CHECK(library_row(machine.surroundings, "driver", "", "/x/libdriver.so").found ==
          "a process that opens /x/libdriver.so was killed by SIGABRT");
}

TEST_CASE("whether a row's sentence names its subject, and whether that is a path") {
    Machine machine;
    machine.libraries["libgone.so.1"] = {
        {"error", "libgone.so.1: cannot open shared object file: No such file or directory"}};
    struct Row {
        const char *subject, *library;
        bool named, path;
    };
    for (const Row& row :
        {Row{"libhere.so.1", "libhere.so.1", true, false}, {"libgone.so.1", "libgone.so.1", true, false},
            {"/etc/driver.json", "libhere.so.1", false, true}, {"/etc/driver.json", "libgone.so.1", false, true}}) {
        CAPTURE(row.subject);
        CAPTURE(row.library);
        const CheckRow found = library_row(machine.surroundings, "driver", row.subject, row.library);
        CHECK(found.names_subject == row.named);
        CHECK(found.subject_is_path == row.path);
    }
}

TEST_CASE("the linker's own words: a library that is here, one that is not, and one that needs another") {
    CHECK(open_library("libc.so.6").at("path").get<std::string>().starts_with("/"));
    CHECK(open_library("libno-such.so.1").at("error") ==
          "libno-such.so.1: cannot open shared object file: No such file or directory");
    CHECK(open_library(places::incomplete_driver).at("error") ==
          "libsonde_absent.so.7: cannot open shared object file: No such file or directory");
}
