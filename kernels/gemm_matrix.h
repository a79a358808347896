// C = A x B by matrix units, of square matrices of `n` rows: A and B in 16 bits, C in single precision. A subgroup
// makes 4 x FORMS_ACROSS matrices D of its form, a workgroup of 2 x SUBGROUPS_ACROSS subgroups a tile of C, in steps of
// 32 columns of A and 32 rows of B. The scratchpad holds two steps: while one is multiplied the next is on its way into
// registers.
// a: A by rows. b: B by columns. out: C by rows.
// BUILD PTX scratchpad + global: CHAINS=32 FORMS_ACROSS=8 SUBGROUPS_ACROSS=2 BROUGHT_A=4 BROUGHT_B=4
//       OPERATION=OP_MMA_F16_F32_M16N8K16 WIDE_B=1 WIDTH=4
// BUILD PTX scratchpad + global: CHAINS=32 FORMS_ACROSS=8 SUBGROUPS_ACROSS=1 BROUGHT_A=8 BROUGHT_B=4
//       OPERATION=OP_MMA_F16_F32_M16N8K16 WIDE_B=1 WIDTH=4
#include "vocabulary.h"
#include "chains.h"
#define FROM __local
#include "matrix_fragments.h"

ARGS(uint n;)

#define OF_COLUMNS(DO, r) JOINED(COLUMNS_, FORMS_ACROSS)(DO, r)
#define COLUMNS_1(DO, r) DO(r, 0)
#define COLUMNS_2(DO, r) COLUMNS_1(DO, r) DO(r, 1)
#define COLUMNS_4(DO, r) COLUMNS_2(DO, r) DO(r, 2) DO(r, 3)
#define COLUMNS_8(DO, r) COLUMNS_4(DO, r) DO(r, 4) DO(r, 5) DO(r, 6) DO(r, 7)
#define EACH_CELL(DO) OF_COLUMNS(DO, 0) OF_COLUMNS(DO, 1) OF_COLUMNS(DO, 2) OF_COLUMNS(DO, 3)
#define FORMS_DOWN 4u

// Elements of 8 numbers. In the scratchpad rows of A and columns of B follow each other, an element apart, so that
// lanes that load at once load from different banks.
#define STEP_ROW 4u
#define ROW_ELEMENTS (STEP_ROW + 1u)
#define TILE_ROWS (2u * FORMS_DOWN * M)
#define TILE_COLUMNS (SUBGROUPS_ACROSS * FORMS_ACROSS * N)
#define STEP_ELEMENTS ((TILE_ROWS + TILE_COLUMNS) * ROW_ELEMENTS)
#define STEP_BEGIN(step) ((step) % 2u * STEP_ELEMENTS)

// What a work-item brings of a step: BROUGHT_A elements of A and BROUGHT_B of B.
#define BROUGHT(count, DO, step) JOINED(BROUGHT_, count)(DO, step)
#define BROUGHT_1(DO, step) DO(step, 0)
#define BROUGHT_2(DO, step) BROUGHT_1(DO, step) DO(step, 1)
#define BROUGHT_4(DO, step) BROUGHT_2(DO, step) DO(step, 2) DO(step, 3)
#define BROUGHT_8(DO, step) BROUGHT_4(DO, step) DO(step, 4) DO(step, 5) DO(step, 6) DO(step, 7)
// Rows of 64 bytes begin 80 bytes apart: eight lanes that store at once put two rows down, which share no bank where
// they are four rows apart.
#define IN_ORDER (LOCAL_ID / STEP_ROW)
#define OWN_LINE                                                                                                       \
    (GROUP_SIZE % (8u * STEP_ROW) != 0u ? IN_ORDER : IN_ORDER / 8u * 8u + IN_ORDER % 2u * 4u + IN_ORDER % 8u / 2u)
#define LINE(i) (OWN_LINE + i * (GROUP_SIZE / STEP_ROW))
#define IN_LINE (LOCAL_ID % STEP_ROW)
#define PLACE_STAGED(step, i) (STEP_BEGIN(step) + LINE(i) * ROW_ELEMENTS + IN_LINE)
#define BEGIN_A(step, i) T next_a##i = ZERO_T;
#define BEGIN_B(step, i) T next_b##i = ZERO_T;
#define BRING_A(step, i)                                                                                               \
    next_a##i = WORDS_T(a[from_a + i * (GROUP_SIZE / STEP_ROW) * row_elements + (step) * STEP_ROW]);
#define BRING_B(step, i)                                                                                               \
    next_b##i = WORDS_T(LOAD_B(from_b + i * (GROUP_SIZE / STEP_ROW) * row_elements + (step) * STEP_ROW));
#define PUT_DOWN_A(step, i) STORE_A(PLACE_STAGED(step, i), next_a##i);
#define PUT_DOWN_B(step, i) STORE_A(PLACE_STAGED(step, i) + TILE_ROWS * ROW_ELEMENTS, next_b##i);
#define BRING(step) BROUGHT(BROUGHT_A, BRING_A, step) BROUGHT(BROUGHT_B, BRING_B, step)
#define PUT_DOWN(step) BROUGHT(BROUGHT_A, PUT_DOWN_A, step) BROUGHT(BROUGHT_B, PUT_DOWN_B, step)

// Each dialect: BEGIN_CELL; FETCH_ROWS of A and FETCH_COLUMN of B, 32 numbers of each row and column in two halves;
// MULTIPLY(r, c, half); PUT_CELL.
#if defined DIALECT_GLSL
spirv_instruction(COOPERATIVE, id = 80) MATRIX_D filled(float v);
spirv_instruction(COOPERATIVE, id = 4457) MATRIX_A
    load_a(spirv_by_reference uvec4 at, uint order, uint stride, spirv_literal int access);
spirv_instruction(COOPERATIVE, id = 4457) MATRIX_B
    load_b(spirv_by_reference uvec4 at, uint order, uint stride, spirv_literal int access);
#define NON_PRIVATE 0x20 // memory that other invocations write
#define BEGIN_CELL(r, c) MATRIX_D d##r##c = filled(0.0f);
#define HALF_OF(number, half, in_form) (number * in_form * ROW_ELEMENTS + half * (STEP_ROW / 2u))
#define FETCH_ROWS(r)                                                                                    \
    MATRIX_A a##r##0 = load_a(scratchpad[rows + HALF_OF(r, 0u, M)], BY_ROWS, ROW_ELEMENTS, NON_PRIVATE); \
    MATRIX_A a##r##1 = load_a(scratchpad[rows + HALF_OF(r, 1u, M)], BY_ROWS, ROW_ELEMENTS, NON_PRIVATE);
#define FETCH_COLUMNS(c)                                                                                       \
    MATRIX_B b##c##0 = load_b(scratchpad[columns + HALF_OF(c, 0u, N)], BY_COLUMNS, ROW_ELEMENTS, NON_PRIVATE); \
    MATRIX_B b##c##1 = load_b(scratchpad[columns + HALF_OF(c, 1u, N)], BY_COLUMNS, ROW_ELEMENTS, NON_PRIVATE);
#define MULTIPLY(r, c, half) d##r##c = multiply_add(a##r##half, b##c##half, d##r##c, SIGNS);
#define PUT_CELL(r, c) store_d(result[(first_row + r * M) * args.n + first_column + c * N], d##r##c, BY_ROWS, args.n);

#elif !defined DIALECT_CUDA && !defined VENDOR_NVIDIA
#define BEGIN_CELL(r, c) TYPE_OF_D d##r##c = (TYPE_OF_D)(0);
#define STAGED_WORDS(at) ((const FROM uint*)(scratchpad + (at)))
#define ROW_STRIDE (ROW_ELEMENTS * 4u) // in words
#define FETCH_ROWS(r)                                                                             \
    TYPE_OF_A a##r##0 = ROWS_OF_A(STAGED_WORDS(rows + r * M * ROW_ELEMENTS), ROW_STRIDE);      \
    TYPE_OF_A a##r##1 = ROWS_OF_A(STAGED_WORDS(rows + r * M * ROW_ELEMENTS + STEP_ROW / 2u), ROW_STRIDE);
#define FETCH_COLUMNS(c)                                                                          \
    TYPE_OF_B b##c##0 = COLUMNS_OF_B(STAGED_WORDS(columns + c * N * ROW_ELEMENTS), ROW_STRIDE); \
    TYPE_OF_B b##c##1 = COLUMNS_OF_B(STAGED_WORDS(columns + c * N * ROW_ELEMENTS + STEP_ROW / 2u), ROW_STRIDE);
#define MULTIPLY(r, c, half) d##r##c = UNIT(CALL_)(a##r##half, b##c##half, d##r##c);
#define PUT_NUMBER(name, i) result[at + UNIT(ROW_)(i) * args.n] = as_uint(name.s##i);
#define PUT_CELL(r, c)                                                                            \
    {                                                                                             \
        uint at = (first_row + r * M) * args.n + first_column + c * N + LOCAL_ID % N;       \
        EACH(FORM_D, PUT_NUMBER, d##r##c)                                                         \
    }

#else
// mma.sync: ldmatrix hands out registers of four matrices of 8 rows, each of which is an element that one lane names
#define M 16u
#define N 8u
#if defined DIALECT_CUDA
#define SCRATCHPAD_ADDRESS shared_address(scratchpad)
#else
#define SCRATCHPAD_ADDRESS (uint)(ADDRESS)scratchpad
#endif
#define ZERO_D(name, i) PTX("mov.f32 " #name "_" #i ", 0f00000000;");
#define BEGIN_CELL(r, c) PTX(".reg .f32 d" #r #c "_<4>;"); EACH(FORM_D, ZERO_D, d##r##c)
#define FIRST_OF(at, rows)                                                                                             \
    (SCRATCHPAD_ADDRESS + ((at) + LOCAL_ID % rows * ROW_ELEMENTS + LOCAL_ID % LANES / rows) * 16u)
#define FIRST_ROW(at) FIRST_OF(at, M)
#define FIRST_COLUMN(at) FIRST_OF(at, N)
#define FETCH(names, at, elements)                                                                                     \
    PTX("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {" names "}, [%0];" : : "r"(at + (elements) * 16u) : "memory");
#define FETCH_HALF(r, half)                                                                                            \
    FETCH("a" #r #half "_0, a" #r #half "_1, a" #r #half "_2, a" #r #half "_3",                                        \
          rows, r * M * ROW_ELEMENTS + half * (STEP_ROW / 2u))
#define FETCH_ROWS(r) FETCH_HALF(r, 0) FETCH_HALF(r, 1)
#define FETCH_COLUMNS(c) FETCH("b" #c "0_0, b" #c "0_1, b" #c "1_0, b" #c "1_1", columns, c * N * ROW_ELEMENTS)
#define MULTIPLY(r, c, half) PTX(MULTIPLY_ADD_TEXT("a" #r #half "_", "b" #c #half "_", "d" #r #c "_") ";");
#define PUT_PAIR(at, first, second)                                                                                    \
    PTX("st.global.v2.f32 [%0], {" first ", " second "};" : : "l"(result + (at)) : "memory");
#define PUT_CELL(r, c)                                                                            \
    {                                                                                             \
        uint at = (first_row + r * M + LOCAL_ID % LANES / 4u) * args.n + first_column + c * N + LOCAL_ID % 4u * 2u;    \
        PUT_PAIR(at, "d" #r #c "_0", "d" #r #c "_1")                                              \
        PUT_PAIR(at + 8u * args.n, "d" #r #c "_2", "d" #r #c "_3")                                \
    }
#define REGISTERS(c) PTX(".reg .b32 b" #c "0_<2>, b" #c "1_<2>;");
#define PREPARE                                                                                   \
    PTX(".reg .b32 a00_<4>, a01_<4>, a10_<4>, a11_<4>, a20_<4>, a21_<4>, a30_<4>, a31_<4>;");     \
    REGISTERS(0) REGISTERS(1) REGISTERS(2) REGISTERS(3) REGISTERS(4) REGISTERS(5) REGISTERS(6) REGISTERS(7)
#endif
#ifndef FIRST_ROW
#define FIRST_ROW(at) (at)
#define FIRST_COLUMN(at) (at)
#endif
#ifndef PREPARE
#define PREPARE
#endif

#define MULTIPLY_COLUMN(r, c)                                                                     \
    FETCH_COLUMNS(c)                                                                              \
    MULTIPLY(0, c, 0) MULTIPLY(1, c, 0) MULTIPLY(2, c, 0) MULTIPLY(3, c, 0)                       \
    MULTIPLY(0, c, 1) MULTIPLY(1, c, 1) MULTIPLY(2, c, 1) MULTIPLY(3, c, 1)

KERNEL(gemm_matrix) {
    uint row_elements = args.n / 8u, steps = args.n / (STEP_ROW * 8u), tiles = args.n / TILE_COLUMNS;
    uint first_row = GROUP_ID / tiles * TILE_ROWS, first_column = GROUP_ID % tiles * TILE_COLUMNS;
    uint from_a = (first_row + OWN_LINE) * row_elements + IN_LINE,
         from_b = (first_column + OWN_LINE) * row_elements + IN_LINE;
    uint own_row = TEAM / SUBGROUPS_ACROSS * (FORMS_DOWN * M),
         own_column = TEAM % SUBGROUPS_ACROSS * (FORMS_ACROSS * N);
    PREPARE
    BROUGHT(BROUGHT_A, BEGIN_A, 0u)
    BROUGHT(BROUGHT_B, BEGIN_B, 0u)
    EACH_CELL(BEGIN_CELL)
    BRING(0u)
    PUT_DOWN(0u)
    BARRIER
    NOT_UNROLLED
    for (uint step = 0u; step < steps; step += 1u) {
        uint next = step + 1u;
        if (next < steps) {
            BRING(next)
        }
        uint rows = FIRST_ROW(STEP_BEGIN(step) + own_row * ROW_ELEMENTS),
             columns = FIRST_COLUMN(STEP_BEGIN(step) + (TILE_ROWS + own_column) * ROW_ELEMENTS);
        REPEATED(KEEP, FETCH_ROWS(0) FETCH_ROWS(1) FETCH_ROWS(2) FETCH_ROWS(3) OF_COLUMNS(MULTIPLY_COLUMN, 0))
        if (next < steps) {
            PUT_DOWN(next)
        }
        BARRIER
    }
    first_row += own_row;
    first_column += own_column;
    EACH_CELL(PUT_CELL)
}
