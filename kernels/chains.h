// EACH_CHAIN(DO) and EACH_SECOND(DO): DO(number, number as a word) for each of CHAINS independent chains, and for the
// others of eight.
#define JOINED_TEXT(a, b) a##b
#define JOINED(a, b) JOINED_TEXT(a, b)

#define CHAINS_1(DO) DO(0, 0u)
#define CHAINS_2(DO) CHAINS_1(DO) DO(1, 1u)
#define CHAINS_3(DO) CHAINS_2(DO) DO(2, 2u)
#define CHAINS_4(DO) CHAINS_3(DO) DO(3, 3u)
#define CHAINS_5(DO) CHAINS_4(DO) DO(4, 4u)
#define CHAINS_6(DO) CHAINS_5(DO) DO(5, 5u)
#define CHAINS_7(DO) CHAINS_6(DO) DO(6, 6u)
#if CHAINS == 1
#define EACH_CHAIN(DO) CHAINS_1(DO)
#define EACH_SECOND(DO) CHAINS_7(DO)
#elif CHAINS == 2
#define EACH_CHAIN(DO) CHAINS_2(DO)
#define EACH_SECOND(DO) CHAINS_6(DO)
#elif CHAINS == 3
#define EACH_CHAIN(DO) CHAINS_3(DO)
#define EACH_SECOND(DO) CHAINS_5(DO)
#elif CHAINS == 4
#define EACH_CHAIN(DO) CHAINS_4(DO)
#define EACH_SECOND(DO) CHAINS_4(DO)
#elif CHAINS == 5
#define EACH_CHAIN(DO) CHAINS_5(DO)
#define EACH_SECOND(DO) CHAINS_3(DO)
#elif CHAINS == 6
#define EACH_CHAIN(DO) CHAINS_6(DO)
#define EACH_SECOND(DO) CHAINS_2(DO)
#elif CHAINS == 7
#define EACH_CHAIN(DO) CHAINS_7(DO)
#define EACH_SECOND(DO) CHAINS_1(DO)
#else
#define EACH_CHAIN(DO) CHAINS_7(DO) DO(7, 7u)
#endif
