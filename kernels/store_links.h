// Stores links that the host made: three words of the source say where in the result, and which address (low word
// first), for each of `count` links from the one numbered `first` on.
// BUILD global
#include "vocabulary.h"

ARGS(uint first; uint count;)

KERNEL(store_links) {
    for (uint n = GLOBAL_ID; n < args.count; n += GLOBAL_SIZE) {
        uint at = LOAD(3u * (args.first + n));
        STORE(at, LOAD(3u * (args.first + n) + 1u));
        STORE(at + 1u, LOAD(3u * (args.first + n) + 2u));
    }
}
