// Device nodes of a pretended machine.
#include <doctest/doctest.h>

#include <unistd.h>

#include "backends/checks/checks.h"
#include "tests/backends/checks/pretended.h"

using namespace sonde;
using pretended::Machine, pretended::row_of;
namespace fs = std::filesystem;

namespace {
/// Somebody who may not do everything, for as long as this lives.
struct Nobody {
    const bool root = geteuid() == 0;
    Nobody() { CHECK((!root || seteuid(65534) == 0)); }
    ~Nobody() { CHECK((!root || seteuid(0) == 0)); }
};
} // namespace

TEST_CASE("nodes that are not here are a problem where a card of their vendor is") {
    const Machine machine;
    machine.card("0000:64:00.0", "0x10de", "nouveau");
    CHECK(check_nodes(machine.surroundings).empty());
    machine.card("0000:65:00.0", "0x10de", "nvidia");
    const auto rows = check_nodes(machine.surroundings);
    CHECK(rows.size() == 3);
    CHECK(row_of(rows, "device node", "dev/nvidia-uvm").found ==
          "not here, and without it nothing works through CUDA or OpenCL");
    CHECK(row_of(rows, "device node", "dev/nvidiactl").mend == "sudo nvidia-modprobe -c 0 -u");
    machine.write(".dockerenv", "");
    CHECK(row_of(check_nodes(machine.surroundings), "device node", "dev/nvidiactl").mend ==
          "start the container with --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all");
}

TEST_CASE("a node that this user may not open: its group, or its mode") {
    const Machine machine;
    machine.card("0000:65:00.0", "0x1002", "amdgpu");
    const fs::path closed = machine.write("dev/dri/renderD128", ""), of_group = machine.write("dev/dri/renderD129", ""),
                   open = machine.write("dev/dri/renderD130", "");
    fs::permissions(closed, fs::perms::none);
    fs::permissions(of_group, fs::perms(0060));
    fs::permissions(open, fs::perms(0666));
    const bool group_is_another = geteuid() == 0 && chown(of_group.c_str(), 0, 2) == 0; // bin, which every system has
    std::vector<CheckRow> rows;
    {
        const Nobody nobody;
        rows = check_nodes(machine.surroundings);
    }
    CHECK(row_of(rows, "device node", "renderD128").state == CheckState::problem);
    CHECK(row_of(rows, "device node", "renderD128").found == "cannot be opened: Permission denied");
    CHECK(says(row_of(rows, "device node", "renderD128").mend, "sudo chmod a+rw "));
    if (group_is_another)
        CHECK(row_of(rows, "device node", "renderD129").mend == "sudo usermod -aG bin $USER, then log in again");
    CHECK(row_of(rows, "device node", "renderD130").state == CheckState::ok);
    CHECK(row_of(rows, "device node", "dev/kfd").state == CheckState::note); // ROCm's alone
}
