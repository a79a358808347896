// A step of a stencil of 7 points in single precision: a quarter of a cell's number and an eighth of each of its six
// neighbours'.
// a: numbers before the step. out: numbers after it.
// BUILD global: TYPE_F32=1
#include "vocabulary.h"
#include "lattice.h"

ARGS(uint row; uint plane; uint cells; uint own; uint stride;)

KERNEL(stencil) {
    EACH_CELL {
        NEIGHBOURS
        float around = LOAD(z + y + west) + LOAD(z + y + east) + LOAD(z + south + x) + LOAD(z + north + x) +
                       LOAD(below + y + x) + LOAD(above + y + x);
        float next = 0.25f * LOAD(cell) + 0.125f * around;
        STORE(cell, WORD_OF(next, 0));
    }
}
