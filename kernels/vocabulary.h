// What every kernel may use besides C's own words. A dialect gives T, LOAD, LOAD_B, STORE, STAGE, BARRIER, CLOCK_READ,
// CLOCK_STORE, FUNCTION, ARGS, KERNEL and the *_ID words; this file adds what follows from them.
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

#endif
