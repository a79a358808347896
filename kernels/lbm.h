// A step of a lattice Boltzmann method in three dimensions with 19 velocities (D3Q19), single relaxation time, single
// precision: densities are pulled from the neighbours that they move from, and relax; in a solid cell they turn back.
// Each density is read once and written once.
// a: densities before the step, those of a direction side by side, `stride` words from one direction to the next. b: a
// byte for each cell, 0 where it is fluid. out: densities after it.
// BUILD global + global: TYPE_F32=1
#include "vocabulary.h"
#include "lattice.h"

ARGS(uint row; uint plane; uint cells; uint own; uint stride;)

#define RATE 1.25f
#define PULL(i, x_from, y_from, z_from) float f##i = LOAD(i * args.stride + (z_from) + (y_from) + (x_from));
#define PUT(i, value) STORE(i * args.stride + cell, WORD_OF(value, 0));
// Two opposite directions: each is to be what the other was, or goes towards its equilibrium, to which `along` adds
// with one sign or the other.
#define RELAX(i, j, weight, velocity)                                              \
    {                                                                              \
        float along = velocity;                                                    \
        float even = weight * share * (base + 4.5f * along * along);               \
        float odd = weight * share * 3.0f * along;                                 \
        float next##i = (1.0f - RATE) * f##i + (even + odd);                       \
        float next##j = (1.0f - RATE) * f##j + (even - odd);                       \
        PUT(i, solid ? f##j : next##i)                                             \
        PUT(j, solid ? f##i : next##j)                                             \
    }

KERNEL(lbm) {
    EACH_CELL {
        NEIGHBOURS
        bool solid = (LOAD_B(cell >> 2) >> ((cell & 3u) * 8u) & 255u) != 0u;
        PULL(0, x, y, z)
        PULL(1, west, y, z)
        PULL(2, east, y, z) PULL(3, x, south, z) PULL(4, x, north, z) PULL(5, x, y, below) PULL(6, x, y, above)
            PULL(7, west, south, z) PULL(8, east, north, z) PULL(9, west, north, z) PULL(10, east, south, z)
                PULL(11, west, y, below) PULL(12, east, y, above) PULL(13, west, y, above) PULL(14, east, y, below)
                    PULL(15, x, south, below) PULL(16, x, north, above) PULL(17, x, south, above)
                        PULL(18, x, north, below) float density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9 +
                                                                  f10 + f11 + f12 + f13 + f14 + f15 + f16 + f17 + f18;
        float each = 1.0f / density;
        float u = each * (f1 - f2 + f7 - f8 + f9 - f10 + f11 - f12 + f13 - f14);
        float v = each * (f3 - f4 + f7 - f8 - f9 + f10 + f15 - f16 + f17 - f18);
        float w = each * (f5 - f6 + f11 - f12 - f13 + f14 + f15 - f16 - f17 + f18);
        float base = 1.0f - 1.5f * (u * u + v * v + w * w);
        float share = RATE * density;
        float next0 = (1.0f - RATE) * f0 + 1.0f / 3.0f * share * base;
        PUT(0, solid ? f0 : next0)
        RELAX(1, 2, 1.0f / 18.0f, u) RELAX(3, 4, 1.0f / 18.0f, v) RELAX(5, 6, 1.0f / 18.0f, w)
        RELAX(7, 8, 1.0f / 36.0f, u + v) RELAX(9, 10, 1.0f / 36.0f, u - v)
        RELAX(11, 12, 1.0f / 36.0f, u + w) RELAX(13, 14, 1.0f / 36.0f, u - w)
        RELAX(15, 16, 1.0f / 36.0f, v + w) RELAX(17, 18, 1.0f / 36.0f, v - w)
    }
}
