// Independent loads, or with STORES stores, of elements that lie in a pattern over the lanes that load together:
// `lanes` of them take a window each time.
// Lane l stands at place p = (l * factor + summand) % lanes of it, which is element (p % across) * stride + (p /
// across) * down + offset.
// Window w begins at w * window_across, with ROWS at (w & row_mask) * window_across + (w >> row_shift) * window_down;
// those that load together go through all windows, as far apart as there are others. With SCATTERED each lane takes
// elements at random in place of all that, `windows` being a power of two.
// With ACTIVE only the lanes at the first `loading` places load. With PACKED elements may begin at any byte, and are
// numbered by their first bytes. What is stored at element e is e + seed, whoever stores it: many may.
// out: per work-item the sum of every word it read.
// BUILD global global.pointer texel: LOADS=4 WIDTH=1|2|4
// BUILD global global.pointer texel: LOADS=4 SCATTERED=1 WIDTH=1|2|4
// BUILD global global.pointer texel image2d: LOADS=4 ROWS=1
// BUILD image2d: LOADS=4
// BUILD image2d: LOADS=4 SCATTERED=1
// BUILD global global.pointer: BITS=8|16 LOADS=4
// BUILD global global.pointer: BITS=8|16 LOADS=4 SCATTERED=1
// BUILD global global.pointer: ACTIVE=1 LOADS=4 WIDTH=1|2|4
// BUILD global global.pointer: ACTIVE=1 LOADS=4 STORES=1 WIDTH=1|2|4
// BUILD global global.pointer: ACTIVE=1 BITS=8|16 LOADS=4
// BUILD global global.pointer: ACTIVE=1 BITS=8|16 LOADS=4 STORES=1
// BUILD global global.pointer: LOADS=4 PACKED=1 WIDTH=1|2|4
// BUILD global global.pointer: LOADS=4 PACKED=1 STORES=1 WIDTH=1|2|4
// BUILD global global.pointer: BITS=16 LOADS=4 PACKED=1
// BUILD global global.pointer: BITS=16 LOADS=4 PACKED=1 STORES=1
// BUILD global global.pointer: LOADS=4 STORES=1 WIDTH=1|2|4
// BUILD global global.pointer: BITS=8|16 LOADS=4 STORES=1
// BUILD global global.pointer: LOADS=4 SCATTERED=1 STORES=1 WIDTH=1|2|4
// BUILD global global.pointer: BITS=8|16 LOADS=4 SCATTERED=1 STORES=1
// BUILD global global.pointer: LOADS=4 ROWS=1 STORES=1
#include "vocabulary.h"
#include "permutation.h"

ARGS(uint lanes; uint across; uint factor; uint summand; uint stride; uint down; uint offset; uint row_mask;
     uint row_shift; uint window_across; uint window_down; uint windows; uint step; uint count; uint seed; uint loading;
     uint base_low; uint base_high;)

#define OWN_PLACE                                                                        \
    uint place = (GLOBAL_ID % args.lanes * args.factor + args.summand) % args.lanes;     \
    uint own = place % args.across * args.stride + place / args.across * args.down + args.offset;
#ifdef STORES
#define BEGIN(k, number)
#define ACCESS(k, at) { uint element = at; STORE_A(element, SPLAT_T(element + args.seed)); }
#else
#define BEGIN(k, number) BEGIN_SUM(k, number)
#define ACCESS(k, at) sum##k += LOAD(at);
#endif
#ifdef ACTIVE
#define TRIPS (place < args.loading ? args.count : 0u)
#else
#define TRIPS args.count
#endif
#if defined SCATTERED
#define BOUNDS
#define BEGIN_AT(k, number) BEGIN(k, number)
#define READ(k, number)                                                                                                \
    ACCESS(k, scramble(GLOBAL_ID + (n * LOADS + number) * GLOBAL_SIZE, args.seed) & (args.windows - 1u))
#elif defined ROWS
#define BOUNDS OWN_PLACE
#define BEGIN_AT(k, number)                                                                                            \
    BEGIN(k, number) uint window##k = (GLOBAL_ID / args.lanes + number * (GLOBAL_SIZE / args.lanes)) % args.windows;
#define READ(k, number)                                                                                                \
    ACCESS(                                                                                                            \
        k, own + (window##k & args.row_mask) * args.window_across + (window##k >> args.row_shift) * args.window_down)  \
    window##k += args.step;                                                                                            \
    window##k = window##k >= args.windows ? window##k - args.windows : window##k;
#else // one row: as little arithmetic as there can be, or it and not the loads would be measured
#define BOUNDS OWN_PLACE uint step = args.step * args.window_across; uint end = args.windows * args.window_across;
#define BEGIN_AT(k, number)                                                                                            \
    BEGIN(k, number)                                                                                                   \
    uint begin##k =                                                                                                    \
        (GLOBAL_ID / args.lanes + number * (GLOBAL_SIZE / args.lanes)) % args.windows * args.window_across;
#define READ(k, number)                                                      \
    ACCESS(k, own + begin##k)                                                \
    begin##k += step;                                                        \
    begin##k = begin##k >= end ? begin##k - end : begin##k;
#endif

KERNEL(pattern) {
    BOUNDS
    EACH_LOAD(BEGIN_AT)
    uint trips = TRIPS;
    for (uint n = 0u; n < trips; n += 1u) {
        EACH_LOAD(READ)
    }
    uint sum = 0u;
#ifndef STORES
    EACH_LOAD(ADD_SUM)
#endif
    STORE(GLOBAL_ID, sum);
}
