// Ids and names are those of the list of PCI ids (pci.ids, 2023.04.11). Cores are the shader units of the vendors'
// public data sheets, by 32 of GF100 and GF110, 48 of other Fermi chips, 192 of Kepler, 64 of GP100 and GCN, and 128 of
// other chips of Maxwell and Pascal. An id under which boards with other numbers of cores were sold too has no row.
#include "core/device/chips.h"

#include <algorithm>
#include <iterator>

namespace sonde {

namespace {
constexpr Board kBoards[] = {
    // Fermi
    {"10de:06c0", "GeForce GTX 480", 15}, {"10de:06c4", "GeForce GTX 465", 11}, {"10de:06cd", "GeForce GTX 470", 14},
    {"10de:06d1", "Tesla C2050 / C2070", 14}, {"10de:06d8", "Quadro 6000", 14}, {"10de:06d9", "Quadro 5000", 11},
    {"10de:06dd", "Quadro 4000", 8}, {"10de:0dc4", "GeForce GTS 450", 4}, {"10de:0dd8", "Quadro 2000", 4},
    {"10de:0de0", "GeForce GT 440", 2}, {"10de:0de1", "GeForce GT 430", 2}, {"10de:0df8", "Quadro 600", 2},
    {"10de:0e22", "GeForce GTX 460", 7}, {"10de:0e23", "GeForce GTX 460 SE", 6}, {"10de:1040", "GeForce GT 520", 1},
    {"10de:1080", "GeForce GTX 580", 16}, {"10de:1081", "GeForce GTX 570", 15},
    {"10de:1086", "GeForce GTX 570 Rev. 2", 15}, {"10de:1087", "GeForce GTX 560 Ti 448 Cores", 14},
    {"10de:1088", "GeForce GTX 590", 16}, {"10de:1091", "Tesla M2090", 16}, {"10de:1094", "Tesla M2075", 14},
    {"10de:1200", "GeForce GTX 560 Ti", 8}, {"10de:1201", "GeForce GTX 560", 7}, {"10de:1244", "GeForce GTX 550 Ti", 4},
    // Kepler
    {"10de:0fc1", "GeForce GT 640", 2}, {"10de:0fc6", "GeForce GTX 650", 2}, {"10de:0ff3", "Quadro K420", 1},
    {"10de:0ffa", "Quadro K600", 1}, {"10de:0ffe", "Quadro K2000", 2}, {"10de:1001", "GeForce GTX TITAN Z", 15},
    {"10de:1004", "GeForce GTX 780", 12}, {"10de:1005", "GeForce GTX TITAN", 14},
    {"10de:1007", "GeForce GTX 780 Rev. 2", 12}, {"10de:100a", "GeForce GTX 780 Ti", 15},
    {"10de:100c", "GeForce GTX TITAN Black", 15}, {"10de:1021", "Tesla K20Xm", 14}, {"10de:1022", "Tesla K20c", 13},
    {"10de:1023", "Tesla K40m", 15}, {"10de:1024", "Tesla K40c", 15}, {"10de:1028", "Tesla K20m", 13},
    {"10de:102d", "Tesla K80", 13}, {"10de:103a", "Quadro K6000", 15}, {"10de:103c", "Quadro K5200", 12},
    {"10de:1180", "GeForce GTX 680", 8}, {"10de:1183", "GeForce GTX 660 Ti", 7}, {"10de:1184", "GeForce GTX 770", 8},
    {"10de:1187", "GeForce GTX 760", 6}, {"10de:1188", "GeForce GTX 690", 8}, {"10de:1189", "GeForce GTX 670", 7},
    {"10de:118f", "Tesla K10", 8}, {"10de:11b4", "Quadro K4200", 7}, {"10de:11ba", "Quadro K5000", 8},
    {"10de:11c0", "GeForce GTX 660", 5}, {"10de:11c2", "GeForce GTX 650 Ti Boost", 4},
    {"10de:11c6", "GeForce GTX 650 Ti", 4}, {"10de:11fa", "Quadro K4000", 4}, {"10de:1281", "GeForce GT 710", 1},
    {"10de:1282", "GeForce GT 640 Rev. 2", 2}, {"10de:1287", "GeForce GT 730", 2}, {"10de:128b", "GeForce GT 710", 1},
    // Maxwell
    {"10de:1380", "GeForce GTX 750 Ti", 5}, {"10de:1381", "GeForce GTX 750", 4}, {"10de:1382", "GeForce GTX 745", 3},
    {"10de:13ba", "Quadro K2200", 5}, {"10de:13bb", "Quadro K620", 3}, {"10de:13c0", "GeForce GTX 980", 16},
    {"10de:13c2", "GeForce GTX 970", 13}, {"10de:13f0", "Quadro M5000", 16}, {"10de:13f1", "Quadro M4000", 13},
    {"10de:13f2", "Tesla M60", 16}, {"10de:1401", "GeForce GTX 960", 8}, {"10de:1402", "GeForce GTX 950", 6},
    {"10de:1430", "Quadro M2000", 6}, {"10de:17c2", "GeForce GTX TITAN X", 24}, {"10de:17c8", "GeForce GTX 980 Ti", 22},
    {"10de:17f0", "Quadro M6000", 24}, {"10de:17f1", "Quadro M6000 24GB", 24}, {"10de:17fd", "Tesla M40", 24},
    // Pascal
    {"10de:15f0", "Quadro GP100", 56}, {"10de:15f7", "Tesla P100 PCIe 12GB", 56},
    {"10de:15f8", "Tesla P100 PCIe 16GB", 56}, {"10de:15f9", "Tesla P100 SXM2 16GB", 56}, {"10de:1b00", "TITAN X", 28},
    {"10de:1b02", "TITAN Xp", 30}, {"10de:1b06", "GeForce GTX 1080 Ti", 28}, {"10de:1b30", "Quadro P6000", 30},
    {"10de:1b38", "Tesla P40", 30}, {"10de:1b80", "GeForce GTX 1080", 20}, {"10de:1b81", "GeForce GTX 1070", 15},
    {"10de:1b82", "GeForce GTX 1070 Ti", 19}, {"10de:1bb0", "Quadro P5000", 20}, {"10de:1bb1", "Quadro P4000", 14},
    {"10de:1bb3", "Tesla P4", 20}, {"10de:1c02", "GeForce GTX 1060 3GB", 9}, {"10de:1c03", "GeForce GTX 1060 6GB", 10},
    {"10de:1c30", "Quadro P2000", 8}, {"10de:1c81", "GeForce GTX 1050", 5}, {"10de:1c82", "GeForce GTX 1050 Ti", 6},
    {"10de:1c83", "GeForce GTX 1050 3GB", 6}, {"10de:1cb1", "Quadro P1000", 5}, {"10de:1cb2", "Quadro P600", 3},
    {"10de:1cb3", "Quadro P400", 2}, {"10de:1d01", "GeForce GT 1030", 3},
    // GCN 1
    {"1002:6780", "FirePro W9000", 32}, {"1002:6798", "Radeon HD 7970/8970 OEM / R9 280X", 32},
    {"1002:679a", "Radeon HD 7950/8950 OEM / R9 280", 28}, {"1002:679e", "Radeon HD 7870 XT", 24},
    {"1002:6808", "FirePro W7000", 20}, {"1002:6809", "FirePro W5000", 12},
    {"1002:6818", "Radeon HD 7870 GHz Edition", 20}, {"1002:6819", "Radeon HD 7850 / R7 265 / R9 270 1024SP", 16},
    {"1002:6828", "FirePro W600", 8}, {"1002:6837", "Radeon HD 7730/8730", 6},
    {"1002:683d", "Radeon HD 7770/8760 / R7 250X", 10}, {"1002:683f", "Radeon HD 7750/8740 / R7 250E", 8},
    // GCN 2
    {"1002:6649", "FirePro W5100", 12}, {"1002:67a0", "FirePro W9100", 44}, {"1002:67a1", "FirePro W8100", 40},
    {"1002:67b0", "Radeon R9 290X/390X", 44}, {"1002:67b1", "Radeon R9 290/390", 40},
    // GCN 3
    {"1002:6938", "Radeon R9 380X / R9 M295X", 32}, {"1002:6939", "Radeon R9 285/380", 28},
    // GCN 4
    {"1002:67c4", "Radeon Pro WX 7100", 36}, {"1002:67c7", "Radeon Pro WX 5100", 28},
    {"1002:67e3", "Radeon Pro WX 4100", 16},
    // GCN 5
    {"1002:6861", "Radeon PRO WX 9100", 64}, {"1002:6863", "Radeon Vega Frontier Edition", 64},
    {"1002:6868", "Radeon PRO WX 8100/8200", 56}, {"1002:66a1", "Radeon Pro VII/Radeon Instinct MI50 32GB", 60},
    {"1002:66af", "Radeon VII", 60}};
} // namespace

std::span<const Board> all_boards() { return kBoards; }

const Board* find_board(std::string_view pci_id) {
    const Board* found = std::ranges::find(kBoards, pci_id, &Board::pci_id);
    return found == std::end(kBoards) ? nullptr : found;
}

} // namespace sonde
