// mma.sync of 16 x 8 x 16 numbers of 16 bits, for the kind `matrix`: PTX of its own, for cards from compute capability
// 8.0 on.
#include "common.cuh"

DEVICE u32 half_of(u32 n) { return (u32)(0x40003c000000bc00 >> n % 4 * 16) & 0xffff; } // -1, 0, 1, 2
DEVICE u32 a_pair(u32 row, u32 column) {
    return half_of(3 * row + 5 * column) | half_of(3 * row + 5 * (column + 1)) << 16;
}
DEVICE u32 b_pair(u32 row, u32 column) {
    return half_of(7 * row + 3 * column) | half_of(7 * (row + 1) + 3 * column) << 16;
}

// x: added to A's rows, z: trips. Each chain adds the product of A and a B of its own to its sums. out[1]: cycles of
// work-item 0, from out[4] on: the four sums of each work-item and chain.
template <u32 kChains> DEVICE void matrix(u32* out, u32 x, u32 z) {
    u32 g = LANE % 32 / 4, t = LANE % 4 * 2, a[4], b[kChains][2];
    float d[kChains][4] = {};
    for (u32 n = 0; n < 4; n++) a[n] = a_pair(x + g + n % 2 * 8, t + n / 2 * 8);
    for (u32 c = 0; c < kChains; c++) b[c][0] = b_pair(t, g + c), b[c][1] = b_pair(t + 8, g + c);
    u64 begin = now(a[3]);
    for (u32 n = 0; n < z; n++) {
        _Pragma("unroll") for (u32 step = 0; step < 64 / kChains; step++)
            _Pragma("unroll") for (u32 c = 0; c < kChains; c++)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                             "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(d[c][0]), "+f"(d[c][1]), "+f"(d[c][2]), "+f"(d[c][3])
                             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[c][0]), "r"(b[c][1]));
    }
    u64 end = now((u32)d[kChains - 1][3]);
    u32 item = GROUP * SIZE + LANE;
    if (item == 0) out[1] = (u32)(end - begin);
    for (u32 c = 0; c < kChains; c++)
        for (u32 n = 0; n < 4; n++) out[4 + (item * kChains + c) * 4 + n] = __builtin_bit_cast(u32, d[c][n]);
}
KERNEL mma_chain SIGNATURE { matrix<1>(out, x, z); }
KERNEL mma_rate SIGNATURE { matrix<4>(out, x, z); }
