// Cards of a pretended PCI bus: who shows them, their links, their windows.
#include <doctest/doctest.h>

#include "backends/checks/cards.h"
#include "backends/checks/checks.h"
#include "tests/backends/checks/pretended.h"

using namespace sonde;
using pretended::Machine, pretended::row_of;
namespace fs = std::filesystem;

TEST_CASE("a card that no API shows, by the state of its kernel driver") {
    struct Row {
        const char *vendor, *driver, *found, *mend;
        CheckState state = CheckState::problem;
    };
    for (const Row& row :
        {Row{"0x10de", "nvidia", "NVIDIA card 10de:2330: no API shows it, though its kernel driver nvidia is bound",
             "nvidia-vulkan-icd"},
            {"0x10de", "", "NVIDIA card 10de:2330: no kernel driver is bound to it", "sudo modprobe nvidia"},
            {"0x10de", "nouveau", "its kernel driver nouveau serves no API", "sudo apt install nvidia-driver"},
            {"0x1002", "", "AMD card", "firmware-amd-graphics"},
            {"0x8086", "i915", "Intel card", "sudo apt install intel-opencl-icd mesa-vulkan-drivers"},
            {"0x10de", "vfio-pci", "kept for a virtual machine", "own kernel driver", CheckState::note}}) {
        CAPTURE(row.found);
        const Machine machine;
        machine.card("0000:65:00.0", row.vendor, row.driver);
        const CheckRow found = row_of(check_cards(machine.surroundings), "card", "0000:65:00.0");
        CHECK(found.state == row.state);
        CHECK(says(found.found, row.found));
        CHECK(says(found.mend, row.mend));
    }
}

TEST_CASE("a card is shown by its PCI address, or by the UUID that goes with it; the API that lacks it is named") {
    Machine machine;
    machine.card("0000:65:00.0", "0x10de", "nvidia");
    machine.shown("cuda:0", "0000:65:00.0", "a0");
    machine.shown("opencl:0.0", "", "a0");
    CheckRow row = row_of(check_cards(machine.surroundings), "card");
    CHECK(row.state == CheckState::note);
    CHECK(row.found == "shown as cuda:0, opencl:0.0, but not through vulkan");
    CHECK(row.mend == "sudo apt install nvidia-vulkan-icd (non-free)");
    machine.surroundings.absent.push_back({"vulkan", "no Vulkan loader"}); // which its own rows are about
    CHECK(row_of(check_cards(machine.surroundings), "card").mend == "see the rows of vulkan");
    machine.surroundings.absent.clear();
    machine.shown("vulkan:0", "0000:65:00.0");
    row = row_of(check_cards(machine.surroundings), "card");
    CHECK(row.state == CheckState::ok);
    CHECK(row.found == "cuda:0, opencl:0.0, vulkan:0");
}

TEST_CASE("a device without an address may be the card") {
    Machine machine;
    machine.card("0000:65:00.0", "0x1002", "amdgpu");
    machine.shown("opencl:0.0", "");
    CHECK(row_of(check_cards(machine.surroundings), "card").state == CheckState::unknown);
}

TEST_CASE("what is no GPU, or belongs to a virtual machine, has no row") {
    const Machine machine;
    CHECK(row_of(check_cards(machine.surroundings), "card").state == CheckState::unknown);
    fs::create_directories(machine.folder.path / "sys/bus/pci/devices");
    CHECK(row_of(check_cards(machine.surroundings), "card").found.starts_with("no GPU"));
    machine.card("0000:01:00.0", "0x1a03", "ast");
    machine.card("0000:02:00.0", "0x8086", "", {{"class", "0x120000"}}); // a neural processor
    machine.card("0000:03:00.0", "0x10de", "", {{"physfn", ""}});
    CHECK(pci_cards(machine.surroundings).empty());
}

TEST_CASE("a link below its maximum: fewer lanes are a problem, a lower speed may be idling") {
    struct Row {
        const char *speed, *width, *most_speed, *most_width;
        CheckState state;
        const char* found;
    };
    for (const Row& row : {Row{"32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16", CheckState::ok, "32 GT/s x16"},
             {"2.5 GT/s PCIe", "16", "32.0 GT/s PCIe", "16", CheckState::note,
                 "2.5 GT/s x16, where the card can do 32 GT/s x16"},
             {"16.0 GT/s PCIe", "8", "16.0 GT/s PCIe", "16", CheckState::problem,
                 "16 GT/s x8, where the card can do 16 GT/s x16"}}) {
        const Machine machine;
        machine.card("0000:65:00.0", "0x10de", "nvidia",
            {{"current_link_speed", row.speed}, {"current_link_width", row.width}, {"max_link_speed", row.most_speed},
                {"max_link_width", row.most_width}});
        const CheckRow found = row_of(check_cards(machine.surroundings), "link");
        CHECK(found.state == row.state);
        CHECK(found.found == row.found);
        CHECK(found.mend.empty() == (row.state == CheckState::ok));
    }
    const Machine unknown;
    unknown.card("0000:65:00.0", "0x10de", "nvidia",
        {{"current_link_speed", "Unknown"}, {"current_link_width", "255"}, {"max_link_speed", "Unknown"},
            {"max_link_width", "255"}});
    CHECK(row_of(check_cards(unknown.surroundings), "link").check.empty());
}

TEST_CASE("amdgpu's clocks may be held by a setting") {
    for (const char* level : {"auto", "low"}) {
        const Machine machine;
        machine.card("0000:65:00.0", "0x1002", "amdgpu", {{"power_dpm_force_performance_level", level}});
        const CheckRow row = row_of(check_cards(machine.surroundings), "clocks");
        CHECK(row.state == (std::string(level) == "auto" ? CheckState::ok : CheckState::note));
        CHECK(row.mend.starts_with(std::string(level) == "auto" ? "" : "echo auto | sudo tee /"));
    }
}

TEST_CASE("a small window into a large memory is resizable BAR switched off") {
    const char* small =
        "0x00000000fa000000 0x00000000faffffff 0x0000000000040200\n0x0000380000000000 0x000038000fffffff "
        "0x000000000014220c\n0x0000000000000000 0x0000000000000000 0x0000000000000000";
    const char* large = "0x00000000fa000000 0x00000000faffffff 0x0000000000040200\n0x0000380000000000 "
                        "0x00003807ffffffff 0x000000000014220c";
    for (const char* resource : {small, large}) {
        Machine machine;
        machine.card("0000:65:00.0", "0x10de", "nvidia", {{"resource", resource}});
        CHECK(row_of(check_cards(machine.surroundings), "resizable BAR")
                  .check.empty()); // nothing tells how much memory the card has
        machine.shown("cuda:0", "0000:65:00.0");
        const CheckRow row = row_of(check_cards(machine.surroundings), "resizable BAR");
        CHECK(row.state == (resource == small ? CheckState::note : CheckState::ok));
        CHECK(row.found == (resource == small ? "the host sees 256 MiB of 24 GiB at a time" : "32 GiB"));
    }
}
