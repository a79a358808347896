// What every kernel may use besides C's own words. A dialect gives T, LOAD, LOAD_B (with a second source), STORE, RESULT, STAGE, BARRIER, CLOCK_READ,
// CLOCK_STORE, ATOMIC_CAS, ATOMIC_ADD, FUNCTION, ARGS, KERNEL and the *_ID words; this file adds what follows from them, and what most paths share.
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

// A link names the element that holds the next one; on most paths by its number in elements of T, whose first word it is.
// A dialect that chases addresses (global.pointer) says all six itself.
#ifndef INDEX
#define INDEX uint
#define LINK_OF(word) ((word) / WIDTH) // of the element at a word of the source
#define LINK(i) FIRST_T(LOAD(i))
#define NUMBER_OF(i) (i) // as a word of 32 bits, for the result
#define LOW_WORD(i) i
#define ADD_TO(i, bit) i += (bit);
#endif

// How far the lanes of a chase stand apart: `pad` is 0 at run time and no compiler knows it. Where one address for all lanes is the
// point of the path, and for push constants (Vulkan allows no other index), the compiler is to know.
#if defined A_GLOBAL_UNIFORM || defined A_CONSTANT_UNIFORM || defined A_PUSH
#define LANE_SPREAD(pad) 0u
#else
#define LANE_SPREAD(pad) (GLOBAL_ID * (pad))
#endif

// Where slots of 2^shift words lie. In images 32 words are a block of 8 x 4 texels, so that what is near in 2-D is near in the
// footprint; a row holds IMAGE_ROW texels.
#define IMAGE_ROW_BITS 11u
#define IMAGE_ROW (1u << IMAGE_ROW_BITS)
#if defined A_IMAGE2D || defined SLOTS_2D
#define SLOT_WORD(slot, shift) ((((slot) >> (IMAGE_ROW_BITS - 3u)) << (IMAGE_ROW_BITS + 2u)) | (((slot) & (IMAGE_ROW / 8u - 1u)) << 3u))
#else
#define SLOT_WORD(slot, shift) ((slot) << (shift))
#endif

// The number of a word 2^scale times as far, in 64 bits where the dialect has such indices.
#ifdef FAR_INDEX
#define FAR(word, scale) ((FAR_INDEX)(word) << (scale))
#else
#define FAR(word, scale) (word)
#endif

// At the end of one of two branches: or a compiler may make one load of theirs, through an address that can be on either path.
#ifndef KEEP_APART
#define KEEP_APART
#endif

// With HELD the kernel has a scratchpad that it does not need: a lane's word is another's, so that no compiler drops it.
#ifdef HELD
#define HOLD scratchpad[LOCAL_ID] = LOAD(LOCAL_ID); BARRIER
#define HELD_WORD(n) SUM_T(scratchpad[(LOCAL_ID + (n)) % GROUP_SIZE])
#else
#define HOLD
#define HELD_WORD(n) 0u
#endif

#ifndef FINISH
#define FINISH
#endif
#ifndef STAGE_B // where the second source is read from the scratchpad: puts its first n words there
#define STAGE_B(n)
#endif

// Independent loads: LOADS of them in flight per work-item, TURNS times per tile. A lane's own array is its lane's alone; elsewhere the
// lanes of a workgroup stand side by side.
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
#elif defined ROW // a workgroup's size that the compiler knows: loads and stores then differ by a constant in their instructions
#define LANE LOCAL_ID
#define LANES (ROW * 1u)
#else
#define LANE LOCAL_ID
#define LANES GROUP_SIZE
#endif
#define TILE_ELEMENTS (LANES * LOADS * TURNS)
#endif

// In an image neighbours in number are neighbours in a block of 8 x 4 texels, as the slots of a chain are: a footprint is what it is.
#if defined A_IMAGE2D || defined SLOTS_2D
#define ELEMENT(i) (SLOT_WORD((i) >> 5u, 5u) + (((i) >> 3u & 3u) << IMAGE_ROW_BITS) + ((i) & 7u))
#else
#define ELEMENT(i) (i)
#endif

// Who loads from a cluster's scratchpads: all of its workgroups, each from the next one's, or the first alone, while the others wait.
#ifdef EVERY_WORKGROUP_LOADS
#define CLUSTER_PEER (GROUP_ID % 2u ^ 1u)
#define CLUSTER_ONLOOKERS
#else
#define CLUSTER_PEER 1u
#define CLUSTER_ONLOOKERS if (GROUP_ID != 0u) { CLUSTER_BARRIER return; }
#endif

#endif
