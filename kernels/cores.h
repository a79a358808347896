// On which core each workgroup runs. out: a word per workgroup.
// BUILD global
#include "vocabulary.h"

ARGS(uint unused;)

KERNEL(cores) {
    if (LOCAL_ID == 0u) {
        STORE(GROUP_ID, CORE_ID);
    }
}
