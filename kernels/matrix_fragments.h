// How a subgroup holds matrices, in each language: types, loads and multiply-adds of the forms, for kernels that define
// OPERATION and, in OpenCL, FROM, the address space that rows are loaded from.
// Rows of A, and columns of B, have their k numbers side by side.
#if defined DIALECT_GLSL
// of Build::matrix: MATRIX_M, _N, _K, words of a row of A and of D, and which integers are signed; INPUT and SUM are
// marks for their types
#define INPUT 1u
#define SUM 2u
const uint SCOPE = 3u, M = MATRIX_M, N = MATRIX_N, K = MATRIX_K, USE_A = 0u, USE_B = 1u, USE_D = 2u;
#define COOPERATIVE extensions = ["SPV_KHR_cooperative_matrix"], capabilities = [6022]
#define MATRIX_A spirv_type(COOPERATIVE, id = 4456, INPUT, SCOPE, M, K, USE_A)
#define MATRIX_B spirv_type(COOPERATIVE, id = 4456, INPUT, SCOPE, K, N, USE_B)
#define MATRIX_D spirv_type(COOPERATIVE, id = 4456, SUM, SCOPE, M, N, USE_D)
#define BY_ROWS 0u
#define BY_COLUMNS 1u
spirv_instruction(COOPERATIVE, id = 4459) MATRIX_D
    multiply_add(MATRIX_A x, MATRIX_B y, MATRIX_D z, spirv_literal int signs);
spirv_instruction(COOPERATIVE, id = 4458) void store_d(spirv_by_reference uint at, MATRIX_D v, uint order, uint stride);
#define TEAM (LOCAL_ID / gl_SubgroupSize)
#define TEAMS gl_NumSubgroups
#define KEEP

#else
#include "matrix_forms.h"
#define UNIT(part) JOINED(part, OPERATION(FORM_UNIT))
#define EACH(count, DO, c) JOINED(EACH_, OPERATION(count))(DO, c)
#define LANES UNIT(LANES_)
#define TEAM (LOCAL_ID / LANES)
#define TEAMS (GROUP_SIZE / LANES)

#if !defined DIALECT_CUDA && !defined VENDOR_NVIDIA // builtins of AMD's and Intel's compilers
#define TYPE_OF_A OPERATION(FORM_A)
#define TYPE_OF_B UNIT(TYPE_OF_B_)
#define TYPE_OF_D OPERATION(FORM_SUM)
#define KEEP
// As loads may assume: rows in the scratchpad begin at multiples of 16 bytes.
#define LOADED(type) __attribute__((aligned(sizeof(type) < 16 ? sizeof(type) : 16))) type
#if defined VENDOR_AMD // a lane holds numbers of row lane % 16 of A and of B, and sums of column lane % 16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define M 16u
#define N 16u
#define ROW_WORDS OPERATION(FORM_B)
typedef LOADED(OPERATION(FORM_A)) LoadedA;
#define OF_LANE(rows, stride)                                                                                          \
    *(const FROM LoadedA*)((rows) + LOCAL_ID % 16u * (stride) + LOCAL_ID % LANES / 16u * OPERATION(FORM_OPERAND))
#define ROWS_OF_A(rows, stride) OF_LANE(rows, stride)
#define COLUMNS_OF_B(rows, stride) OF_LANE(rows, stride)
#define LANES_MFMA 64u
#define TYPE_OF_B_MFMA OPERATION(FORM_A)
#define CALL_MFMA(x, y, z) OPERATION(FORM_INSTRUCTION)(x, y, z, 0, 0, 0)
#define ROW_MFMA(r) (LOCAL_ID % LANES / 16u * 4u + r)
#define LANES_WMMA 32u
#define TYPE_OF_B_WMMA OPERATION(FORM_A)
#define CALL_WMMA(x, y, z) OPERATION(FORM_INSTRUCTION)(x, y, z)
#define ROW_WMMA(r) (r * 2u + LOCAL_ID % LANES / 16u)
#define LANES_WMMA_INT 32u
#define TYPE_OF_B_WMMA_INT OPERATION(FORM_A)
#define CALL_WMMA_INT(x, y, z) OPERATION(FORM_INSTRUCTION)(1, x, 1, y, z, 0) // both signed, sums that wrap
#define ROW_WMMA_INT(r) ROW_WMMA(r)
#else // Intel: a lane holds the numbers at its place of 8 rows of A, and those of a column of B
#define M 8u
#define N LANES
#define ROW_WORDS 8u
#undef SUBGROUP_SIZE
#define SUBGROUP_SIZE __attribute__((intel_reqd_sub_group_size(LANES)))
#define OF_ROW(rows, stride, row) ((const FROM OPERATION(FORM_B)*)((rows) + row * (stride)))[LOCAL_ID % N]
#define ROWS_OF_A(rows, stride)                                                                                        \
    (OPERATION(FORM_A))(OF_ROW(rows, stride, 0u), OF_ROW(rows, stride, 1u), OF_ROW(rows, stride, 2u),                  \
        OF_ROW(rows, stride, 3u), OF_ROW(rows, stride, 4u), OF_ROW(rows, stride, 5u), OF_ROW(rows, stride, 6u),        \
        OF_ROW(rows, stride, 7u))
typedef LOADED(int8) LoadedB;
#define COLUMNS_OF_B(rows, stride) *(const FROM LoadedB*)((rows) + LOCAL_ID % N * (stride))
#define LANES_DPAS8 8u
#define TYPE_OF_B_DPAS8 int8
#define CALL_DPAS8(x, y, z) OPERATION(FORM_INSTRUCTION)(x, y, z)
#define ROW_DPAS8(r) r
#define LANES_DPAS16 16u
#define TYPE_OF_B_DPAS16 int8
#define CALL_DPAS16(x, y, z) OPERATION(FORM_INSTRUCTION)(x, y, z)
#define ROW_DPAS16(r) r
#endif

#else
#if defined DIALECT_CUDA
#define PTX asm volatile
#else
#define PTX __asm__ volatile
#endif
#define OPERAND(what) JOINED(what, OPERATION(FORM_OPERAND))
#define OF_SUM(what) JOINED(what, OPERATION(FORM_SUM))
#define LIST(count, name) JOINED(LIST_, OPERATION(count))(name)
#define KEEP PTX("// KEEP matrix");
#define LANES_MMA 32u
#define MULTIPLY_ADD_TEXT(a, b, d)                                                                                     \
    OPERATION(FORM_INSTRUCTION)                                                                                        \
    " {" LIST(FORM_D, d) "}, {" LIST(FORM_A, a) "}, {" LIST(FORM_B, b) "}, {" LIST(FORM_D, d) "}"
#endif
#endif
