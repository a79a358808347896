// Tiles of products by matrix units.
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "core/measure/gemm_matrix.h"

using namespace sonde;

TEST_CASE(
    "tiles of a product by matrix units: by registers, scratchpad and work-items, each of which brings the same") {
    struct Row {
        const char* form;
        std::uint32_t subgroup, scratchpad, rows, columns, items, sums;
    };
    for (const Row& row : {Row{"mma.f16.f32.m16n8k16", 32, 48 << 10, 128, 128, 128, 128},
             {"mma.f16.f32.m16n8k16", 32, 32 << 10, 128, 64, 64, 128},
             {"mfma.f16.f32.m16n16k16", 64, 64 << 10, 128, 128, 128, 128},
             {"wmma.f16.f32.m16n16k16", 32, 64 << 10, 128, 128, 128, 128},
             {"coopmat.f16.f32.m16n16k16", 32, 48 << 10, 128, 128, 128, 128},
             {"coopmat.f16.f32.m16n16k16", 64, 64 << 10, 128, 128, 128, 128},
             {"coopmat.f16.f32.m16n8k16", 32, 64 << 10, 128, 128, 128, 128},
             {"dpas.f16.f32.m8n8k16", 8, 64 << 10, 64, 64, 64, 64},
             {"dpas.f16.f32.m8n16k16", 16, 64 << 10, 64, 128, 128, 64}}) {
        CAPTURE(std::string(row.form));
        CAPTURE(row.scratchpad);
        DeviceInfo info;
        info.largest_group = 1024, info.subgroup = row.subgroup, info.scratchpad_bytes = row.scratchpad;
        const Operation& operation = *find_operation(row.form);
        REQUIRE(is_form_of_products(operation));
        const MatrixTiles tiles = matrix_tiles(info, *operation.matrix);
        CHECK(tiles.rows() == row.rows);
        CHECK(tiles.columns() == row.columns);
        CHECK(tiles.items() == row.items);
        CHECK(tiles.sums() == row.sums);
        CHECK(tiles.scratchpad_bytes() <= row.scratchpad);
        const KernelChoice choice = gemm_matrix_kernel(info, operation);
        const std::map<std::string, std::string> defines(choice.defines.begin(), choice.defines.end());
        CHECK(std::stoul(defines.at("BROUGHT_A")) * choice.group_size * 8 ==
              row.rows * 32); // elements of 8 numbers; a step's 32
        CHECK(std::stoul(defines.at("BROUGHT_B")) * choice.group_size * 8 == row.columns * 32);
    }
    for (const char* other : {"mma.f16.f16.m16n8k16", "mma.f16.f32.m16n8k8", "mma.bf16.f32.m16n8k16",
             "mma-sp.f16.f32.m16n8k32", "wgmma.f16.f32.m64n256k16"})
        CHECK(!is_form_of_products(*find_operation(other)));
}
