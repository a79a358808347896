// Cells of a periodic box whose sides are powers of two, and their neighbours: `row` cells stand side by side, a plane
// has `plane`, the box `cells`. A workgroup has `own` cells that follow each other.
#define EACH_CELL                                                                                                      \
    for (uint cell = GROUP_ID * args.own + LOCAL_ID; cell < GROUP_ID * args.own + args.own; cell += GROUP_SIZE)
#define NEIGHBOURS                                                                   \
    uint x = cell & (args.row - 1u);                                                 \
    uint y = cell & (args.plane - args.row);                                         \
    uint z = cell & (args.cells - args.plane);                                       \
    uint west = (x - 1u) & (args.row - 1u), east = (x + 1u) & (args.row - 1u);       \
    uint south = (y - args.row) & (args.plane - args.row), north = (y + args.row) & (args.plane - args.row);  \
    uint below = (z - args.plane) & (args.cells - args.plane), above = (z + args.plane) & (args.cells - args.plane);
