// Products of a matrix's rows with a vector of random words, as whole numbers modulo 2^32: the check of a product of
// matrices. Numbers are multiples of 1/256 below 16,384, counted in 256ths; word `column` of the vector is
// scramble(column, seed).
// out: of each row.
// BUILD global: TYPE_F32=1
#include "vocabulary.h"
#include "permutation.h"

ARGS(uint rows; uint columns; uint seed;)

#define RAISED 49152.0f // to where a float's last bit is 1/256
#define RAISED_WORD 0x47400000u

KERNEL(row_products) {
    for (uint row = GLOBAL_ID; row < args.rows; row += GLOBAL_SIZE) {
        uint sum = 0u;
        for (uint column = 0u; column < args.columns; column += 1u) {
            float raised = LOAD(row * args.columns + column) + RAISED;
            sum += (WORD_OF(raised, 0) - RAISED_WORD) * scramble(column, args.seed);
        }
        STORE(row, sum);
    }
}
