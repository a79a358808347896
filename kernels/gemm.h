// C = A x B in single precision, of square matrices of `n` rows. A workgroup makes a tile of C, TILE x TILE numbers, in
// steps of 8 columns of A and 8 rows of B. The scratchpad holds two steps: while one is multiplied the next is on its
// way into registers. A work-item makes 8 x 8 numbers of the tile in registers, four blocks of 4 x 4 that stand half a
// tile apart: so the 16 bytes that work-items load from the scratchpad stand side by side.
// a: A by columns. b: B by rows. out: C by rows.
// BUILD scratchpad + global: TILE=8|128 WIDE_B=1 WIDTH=4
#include "vocabulary.h"

ARGS(uint n;)

#define TILE_ROW (TILE / 4u)             // elements of four numbers
#define SIDE (TILE / 8u)                 // work-items side by side
#define STEP_ROWS 8u
#define STEP_ELEMENTS (STEP_ROWS * TILE_ROW) // of one matrix
// Where element e of a step stands in memory, apart from its matrix' tile, and in the scratchpad.
#define PLACE(step, e) (((step) * STEP_ROWS + (e) / TILE_ROW) * row_elements + (e) % TILE_ROW)
#define PLACE_STAGED(step, e) ((step) % 2u * (2u * STEP_ELEMENTS) + (e))
#if TILE == 128 && !defined ONE_ITEM // each work-item has one element of A and one of B
#define ON_THE_WAY T next_a = ZERO_T, next_b = ZERO_T;
#define BRING(step)                                                                                                    \
    next_a = WORDS_T(a[PLACE(step, item) + tile_y]), next_b = WORDS_T(LOAD_B(PLACE(step, item) + tile_x));
#define PUT_DOWN(step, brought)                                   \
    STORE_A(PLACE_STAGED(step, item), next_a);                    \
    STORE_A(PLACE_STAGED(step, item) + STEP_ELEMENTS, next_b);
#else // a processor's work-items have many, which wait for nothing
#define ON_THE_WAY
#define BRING(step)
#define PUT_DOWN(step, brought)                                                         \
    for (uint e = LOCAL_ID; e < STEP_ELEMENTS; e += GROUP_SIZE) {                       \
        STORE_A(PLACE_STAGED(step, e), a[PLACE(brought, e) + tile_y]);                  \
        STORE_A(PLACE_STAGED(step, e) + STEP_ELEMENTS, LOAD_B(PLACE(brought, e) + tile_x)); \
    }
#endif

#define EACH_COLUMN(DO, r) DO(r, 0) DO(r, 1) DO(r, 2) DO(r, 3) DO(r, 4) DO(r, 5) DO(r, 6) DO(r, 7)
#define EACH_CELL(DO)                                                                         \
    EACH_COLUMN(DO, 0) EACH_COLUMN(DO, 1) EACH_COLUMN(DO, 2) EACH_COLUMN(DO, 3)               \
    EACH_COLUMN(DO, 4) EACH_COLUMN(DO, 5) EACH_COLUMN(DO, 6) EACH_COLUMN(DO, 7)
#define BEGIN_CELL(r, c) float s##r##c = 0.0f;
#define ADD_PRODUCT(r, c) s##r##c += p##r * q##c;
#define FOUR_NUMBERS(v, i0, i1, i2, i3)                                                                                \
    float i0 = FLOAT_PART(v, x), i1 = FLOAT_PART(v, y), i2 = FLOAT_PART(v, z), i3 = FLOAT_PART(v, w);
#define MULTIPLY(row)                                                                         \
    {                                                                                         \
        T upper = LOAD(from_a + row * TILE_ROW), lower = LOAD(from_a + row * TILE_ROW + SIDE); \
        T left = LOAD(from_b + row * TILE_ROW), right = LOAD(from_b + row * TILE_ROW + SIDE); \
        FOUR_NUMBERS(upper, p0, p1, p2, p3)                                                   \
        FOUR_NUMBERS(lower, p4, p5, p6, p7)                                                   \
        FOUR_NUMBERS(left, q0, q1, q2, q3)                                                    \
        FOUR_NUMBERS(right, q4, q5, q6, q7)                                                   \
        EACH_CELL(ADD_PRODUCT)                                                                \
    }
#define PUT_FOUR(at, v0, v1, v2, v3)                                                                                   \
    STORE(at, FLOAT_BITS(v0));                                                                                         \
    STORE(at + 1u, FLOAT_BITS(v1));                                                                                    \
    STORE(at + 2u, FLOAT_BITS(v2));                                                                                    \
    STORE(at + 3u, FLOAT_BITS(v3));
#define PUT_ROW(row, r)                                                                       \
    {                                                                                         \
        uint at = (tile_y * 4u + row) * args.n + (tile_x + x) * 4u;                           \
        PUT_FOUR(at, s##r##0, s##r##1, s##r##2, s##r##3)                                      \
        PUT_FOUR(at + TILE / 2u, s##r##4, s##r##5, s##r##6, s##r##7)                          \
    }

// Which of the tile's blocks a work-item makes: of 32 that follow each other four stand below each other.
#if TILE >= 64
#define BLOCK_X(item) ((item) % 8u + (item) / 32u % (SIDE / 8u) * 8u)
#define BLOCK_Y(item) ((item) / 8u % 4u + (item) / (SIDE * 4u) * 4u)
#else
#define BLOCK_X(item) ((item) % SIDE)
#define BLOCK_Y(item) ((item) / SIDE)
#endif

// On an H200 Vulkan's f32 reaches 66 % of the rate of multiply-adds without this branch and 58 % with it, CUDA's 59 %
// without (its compiler takes 18 registers more) and 70 % with it.
#if defined DIALECT_GLSL
#define UNLESS_LAST
#else
#define UNLESS_LAST if (next < steps)
#endif

KERNEL(gemm) {
    uint row_elements = args.n / 4u, steps = args.n / STEP_ROWS, tiles = args.n / TILE;
    uint tile_y = GROUP_ID / tiles * TILE_ROW, tile_x = GROUP_ID % tiles * TILE_ROW;
    EACH_ITEM_OF(SIDE * SIDE) {
        uint x = BLOCK_X(item), y = BLOCK_Y(item);
        ON_THE_WAY
        EACH_CELL(BEGIN_CELL)
        BRING(0u)
        PUT_DOWN(0u, 0u)
        BARRIER
        NOT_UNROLLED
        for (uint step = 0u; step < steps; step += 1u) {
            uint next = step + 1u, brought = next < steps ? next : step;
            UNLESS_LAST {
                BRING(brought)
            }
            uint from_a = step % 2u * (2u * STEP_ELEMENTS) + y,
                 from_b = step % 2u * (2u * STEP_ELEMENTS) + STEP_ELEMENTS + x;
            MULTIPLY(0u) MULTIPLY(1u) MULTIPLY(2u) MULTIPLY(3u) MULTIPLY(4u) MULTIPLY(5u) MULTIPLY(6u) MULTIPLY(7u)
            UNLESS_LAST {
                PUT_DOWN(next, brought)
            }
            BARRIER
        }
        PUT_ROW(y * 4u + 0u, 0) PUT_ROW(y * 4u + 1u, 1) PUT_ROW(y * 4u + 2u, 2) PUT_ROW(y * 4u + 3u, 3)
        PUT_ROW(TILE / 2u + y * 4u + 0u, 4) PUT_ROW(TILE / 2u + y * 4u + 1u, 5)
        PUT_ROW(TILE / 2u + y * 4u + 2u, 6) PUT_ROW(TILE / 2u + y * 4u + 3u, 7)
    }
}
