// What every kernel may use besides C's own words. A dialect gives T, uint, FUNCTION, ARGS, KERNEL, BARRIER,
// CLOCK_READ, ATOMIC_CAS, ATOMIC_ADD, ATOMIC_EXCHANGE, the *_ID words, `a`, `b`, `result` and `scratchpad`, and what of
// the following it says in its own way; where a path has no form in it, it stops.
// Loops are unrolled by text: every compiler then does the same, and lavapipe 22's cap of 65,535 loop trips is far.
#ifndef SONDE_VOCABULARY
#define SONDE_VOCABULARY

#define GLOBAL_ID (GROUP_ID * GROUP_SIZE + LOCAL_ID)
#define GLOBAL_SIZE (GROUP_COUNT * GROUP_SIZE)
#define LOWER(x, y) ((x) < (y) ? (x) : (y))

#define TIMES4(text) text text text text
#define TIMES8(text) TIMES4(text) TIMES4(text)
#define TIMES16(text) TIMES8(text) TIMES8(text)
#define TIMES64(text) TIMES16(text) TIMES16(text) TIMES16(text) TIMES16(text)

// Of an element: the sum of its words, the first of them, and as much of four words as it has.
#ifndef SUM_T
#if defined TYPE_F64
#define SUM_T(v) (WORD_OF(v, 0) + WORD_OF(v, 1))
#elif defined TYPE_F32
#define SUM_T(v) WORD_OF(v, 0)
#elif WIDTH == 1
#define SUM_T(v) (v)
#define FIRST_T(v) (v)
#define OF_FOUR(v) (v).x
#elif WIDTH == 2
#define SUM_T(v) ((v).x + (v).y)
#define FIRST_T(v) (v).x
#define OF_FOUR(v) (v).xy
#else
#define SUM_T(v) ((v).x + (v).y + (v).z + (v).w)
#define FIRST_T(v) (v).x
#define OF_FOUR(v) (v)
#endif
#ifdef WIDE_B
#define OF_FOUR_B(v) OF_FOUR(v)
#else
#define OF_FOUR_B(v) (v).x
#endif
#endif

// Word n of an element that is no vector: with TYPE_U64, TYPE_F32 or TYPE_F64 T is one number of that type, which is
// its dialect's to take apart.
#ifndef WORD_OF
#define WORD_OF(v, n) (v)
#endif

#define STORE(i, v) result[i] = (v)
#define RESULT(i) result[i]

// Where a path's elements stand when they are loaded: in the source, in a lane's own array, or in the scratchpad.
#if defined A_PRIVATE
#define STAGE(n) T mine[PRIVATE_WORDS]; for (uint staged = 0u; staged < (n); staged += 1u) mine[staged] = a[staged];
#define LOAD(i) mine[i]
#elif defined A_SCRATCHPAD
#define STAGE(n)                                                                                                       \
    for (uint staged = LOCAL_ID; staged < (n); staged += GROUP_SIZE) scratchpad[staged] = a[staged];                   \
    BARRIER
#define LOAD(i) scratchpad[i]
#define STORE_A(i, v) scratchpad[i] = (v)
#elif defined A_PUSH // the table stands behind the arguments
#define LOAD(i) args.table[i]
#elif !defined STORE_A && (defined A_GLOBAL || defined A_GLOBAL_POINTER || defined A_HOST || defined A_PEER)
#define STORE_A(i, v) a[i] = (v)
#endif
#ifndef LOAD
#define LOAD(i) a[i]
#endif
#ifndef STAGE
#define STAGE(n)
#endif
#ifndef ATOMIC_REDUCE // an addition whose result nobody takes; most compilers choose its instruction themselves
#define ATOMIC_REDUCE(i, v) ATOMIC_ADD(i, v)
#endif
// The second source: what is read besides, through a path of its own. In a scratchpad stand its first n elements.
#if defined B_SCRATCHPAD
#define STAGE_B(n)                                                                                                     \
    for (uint staged = LOCAL_ID; staged < (n); staged += GROUP_SIZE) SCRATCHPAD_B(staged) = b[staged];                 \
    BARRIER
#define LOAD_B(i) SCRATCHPAD_B(i)
#else
#define STAGE_B(n)
#endif
#ifndef LOAD_B
#define LOAD_B(i) b[i]
#endif
#define STORE_B(i, v) b[i] = (v)

// Where words have addresses, of 64 bits: the links of global.pointer, and how they are stored.
#ifdef ADDRESS
#define STORE_ADDRESS(at, word)                                \
    {                                                          \
        ADDRESS address = (ADDRESS)(result + (word));          \
        STORE(at, (uint)address);                              \
        STORE((at) + 1u, (uint)(address >> 32));               \
    }
#define FAR(word, scale) ((ADDRESS)(word) << (scale)) // the number of a word 2^scale times as far
#ifdef A_GLOBAL_POINTER
#define INDEX_REGISTER "+l" // for inline assembly
#define INDEX ADDRESS
#define LINK_OF(word) ((ADDRESS)a + (ADDRESS)(word) * 4u)
#define NUMBER_OF(i) ((uint)(((i) - (ADDRESS)a) >> 2))
#endif
#else
#define FAR(word, scale) (word)
#endif

// A clock is read after `after` is known: the clock's own instruction does not wait for the loads before it.
#ifndef CLOCK_READ
#define CLOCK_READ(name, after)
#define CLOCK_STORE(at, name) STORE(at, 0u); STORE((at) + 1u, 0u);
#define CLOCK_LOW(name) 0u
#endif
// The same around a single load, which no other hides: it waits for `after` for certain, and what `after` addresses
// waits for it.
#ifndef CLOCK_ALONE
#define CLOCK_ALONE(name, after) CLOCK_READ(name, after)
#endif
#ifndef CLOCK_LOW
#define CLOCK_LOW(name) (uint)(name)
#endif
#ifndef CLOCK_STORE
#define CLOCK_STORE(at, name) STORE(at, (uint)(name)); STORE((at) + 1u, (uint)((name) >> 32));
#endif

// A link names the element that holds the next one; on most paths by its number in elements of T, whose first word it
// is.
#ifndef INDEX
#define INDEX_REGISTER "+r"
#define INDEX uint
#define LINK_OF(word) ((word) / WIDTH) // of the element at a word of the source
#define LINK(i) FIRST_T(LOAD(i))
#define NUMBER_OF(i) (i) // as a word of 32 bits, for the result
#endif

// How far the lanes of a chase stand apart: `pad` is 0 at run time and no compiler knows it. Where one address for all
// lanes is the point of the path, and for push constants (Vulkan allows no other index), the compiler is to know.
#if defined A_GLOBAL_UNIFORM || defined A_CONSTANT_UNIFORM || defined A_PUSH
#define LANE_SPREAD(pad) 0u
#else
#define LANE_SPREAD(pad) (GLOBAL_ID * (pad))
#endif

// Where slots of 2^shift words lie. In images 32 words are a block of 8 x 4 texels, so that what is near in 2-D is near
// in the footprint, and four times as many a block of twice the width and height; a row holds IMAGE_ROW texels.
#define IMAGE_ROW_BITS 11u
#define IMAGE_ROW (1u << IMAGE_ROW_BITS)
#if defined A_IMAGE2D || defined SLOTS_2D
#define SLOT_WORD(slot, shift)                                                                                         \
    ((((slot) >> (IMAGE_ROW_BITS - 3u - ((shift) - 5u) / 2u)) << (IMAGE_ROW_BITS + 2u + ((shift) - 5u) / 2u)) |        \
     (((slot) & ((IMAGE_ROW / 8u >> ((shift) - 5u) / 2u) - 1u)) << (3u + ((shift) - 5u) / 2u)))
#else
#define SLOT_WORD(slot, shift) ((slot) << (shift))
#endif

// At the end of one of two branches: or a compiler may make one load of theirs, through an address that can be on
// either path.
#ifndef KEEP_APART
#define KEEP_APART
#endif

// With HELD the kernel has a scratchpad that it does not need, of four words or more: a lane's word is another's, so
// that no compiler drops it.
#ifdef HELD
#define HOLD scratchpad[LOCAL_ID % 4u] = LOAD(LOCAL_ID % 4u); BARRIER
#define HELD_WORD(n) SUM_T(scratchpad[(LOCAL_ID + (n)) % 4u])
#else
#define HOLD
#define HELD_WORD(n) 0u
#endif

// Of a loop whose body the kernel's text repeats already.
#ifndef NOT_UNROLLED
#define NOT_UNROLLED
#endif

#ifndef FINISH
#define FINISH
#endif

// Independent loads: LOADS of them in flight per work-item, TURNS times per tile. A lane's own array is its lane's
// alone; elsewhere the lanes of a workgroup stand side by side. Each of them sums up what it loads.
#ifdef LOADS
#if LOADS == 1
#define EACH_LOAD(DO) DO(0, 0u)
#elif LOADS == 2
#define EACH_LOAD(DO) DO(0, 0u) DO(1, 1u)
#elif LOADS == 4
#define EACH_LOAD(DO) DO(0, 0u) DO(1, 1u) DO(2, 2u) DO(3, 3u)
#elif LOADS == 8
#define EACH_LOAD(DO) DO(0, 0u) DO(1, 1u) DO(2, 2u) DO(3, 3u) DO(4, 4u) DO(5, 5u) DO(6, 6u) DO(7, 7u)
#else
#error "LOADS must be 1, 2, 4 or 8"
#endif
#if defined A_PRIVATE
#define LANE 0u
#define LANES 1u
#elif defined ROW
// a workgroup's size that the compiler knows: loads and stores then differ by a constant in their instructions
#define LANE LOCAL_ID
#define LANES (ROW * 1u)
#else
#define LANE LOCAL_ID
#define LANES GROUP_SIZE
#endif
#define TILE_ELEMENTS (LANES * LOADS * TURNS)
#define BEGIN_SUM(k, number) T sum##k = ZERO_T;
#define ADD_SUM(k, number) sum += SUM_T(sum##k);
#endif

// In an image neighbours in number are neighbours in a block of 8 x 4 texels, as the slots of a chain are: a footprint
// is what it is.
#if defined A_IMAGE2D || defined SLOTS_2D
#define ELEMENT(i) (SLOT_WORD((i) >> 5u, 5u) + (((i) >> 3u & 3u) << IMAGE_ROW_BITS) + ((i) & 7u))
#else
#define ELEMENT(i) (i)
#endif

// What each work-item of a workgroup does whose size the kernel's text knows, `item` being its number.
#ifndef EACH_ITEM_OF
#define EACH_ITEM_OF(count) uint item = LOCAL_ID;
#endif
// An element as it is loaded into registers, not as so many bytes that are copied.
#ifndef WORDS_T
#define WORDS_T(v) (v)
#endif

// Who loads from a cluster's scratchpads: all of its workgroups, each from the next one's, or the first alone from the
// last one's, while the others wait.
#ifdef EVERY_WORKGROUP_LOADS
#define CLUSTER_PEER ((GROUP_ID + 1u) % CLUSTER_SIZE)
#define CLUSTER_ONLOOKERS
#else
#define CLUSTER_PEER (CLUSTER_SIZE - 1u)
#define CLUSTER_ONLOOKERS if (GROUP_ID != 0u) { CLUSTER_BARRIER return; }
#endif

#endif
