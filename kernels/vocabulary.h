// What every kernel may use besides C's own words. A dialect gives T, LOAD, LOAD_B (with a second source), STORE, RESULT, STAGE, BARRIER, CLOCK_READ,
// CLOCK_STORE, FUNCTION, ARGS, KERNEL and the *_ID words; this file adds what follows from them, and what most paths share.
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

#endif
