// Sums of table words at places that are told, eight for each row, as a sparse matrix times a vector has them. A
// workgroup has `own` rows that follow each other.
// a: the table. b: places, the first of all rows, then the second of all rows, ... out: a row's sum.
// BUILD global + global
#include "vocabulary.h"

ARGS(uint rows; uint own;)

#define GATHERED(n) LOAD(LOAD_B(n * args.rows + row))

KERNEL(gather) {
    for (uint row = GROUP_ID * args.own + LOCAL_ID; row < GROUP_ID * args.own + args.own; row += GROUP_SIZE) {
        uint sum = GATHERED(0u) + GATHERED(1u) + GATHERED(2u) + GATHERED(3u) + GATHERED(4u) + GATHERED(5u) +
                   GATHERED(6u) + GATHERED(7u);
        STORE(row, sum);
    }
}
