// Words from one memory to another as they stand: what a kernel itself moves over a link.
// BUILD global host peer
#include "vocabulary.h"

ARGS(uint words;)

KERNEL(copy) {
    for (uint at = GLOBAL_ID; at < args.words; at += GLOBAL_SIZE) {
        STORE(at, LOAD(at));
    }
}
