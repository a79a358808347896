// Where a buffer lies, for links from another one to it.
// result: the address of its first word, low word first.
// BUILD global
#include "vocabulary.h"

ARGS(uint base_low; uint base_high;)

KERNEL(buffer_address) {
    if (GLOBAL_ID == 0u) {
        STORE_ADDRESS(0u, 0u)
    }
}
