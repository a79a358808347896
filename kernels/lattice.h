// Cells of a periodic box whose sides are powers of two, and their neighbours: `row` cells stand side by side, a plane has `plane`, the box `cells`. A workgroup has `own` cells, a block
// of 2^`block_row` times 2^`block_rows` cells in each of its planes; 2^`across` blocks stand side by side in a row, 2^`along` one behind the other in a plane.
#define BLOCK_BASE                                                                                                                   \
    (((GROUP_ID & ((1u << args.across) - 1u)) << args.block_row) + ((GROUP_ID >> args.across & ((1u << args.along) - 1u)) << args.block_rows) * args.row + \
     (GROUP_ID >> (args.across + args.along)) * (args.own >> (args.block_row + args.block_rows)) * args.plane)
#define CELL_OF(n) ((n & ((1u << args.block_row) - 1u)) + (n >> args.block_row & ((1u << args.block_rows) - 1u)) * args.row + (n >> (args.block_row + args.block_rows)) * args.plane)
#define EACH_CELL                                                       \
    uint first = BLOCK_BASE;                                             \
    for (uint n = LOCAL_ID; n < args.own; n += GROUP_SIZE)
#define THIS_CELL uint cell = first + CELL_OF(n);
#define NEIGHBOURS                                                                   \
    uint x = cell & (args.row - 1u);                                                 \
    uint y = cell & (args.plane - args.row);                                         \
    uint z = cell & (args.cells - args.plane);                                       \
    uint west = (x - 1u) & (args.row - 1u), east = (x + 1u) & (args.row - 1u);       \
    uint south = (y - args.row) & (args.plane - args.row), north = (y + args.row) & (args.plane - args.row);  \
    uint below = (z - args.plane) & (args.cells - args.plane), above = (z + args.plane) & (args.cells - args.plane);
