// Nothing, but for what proves that it ran: the first work-item adds `mark` to the result's first word, if it is not 0.
// BUILD global
#include "vocabulary.h"

ARGS(uint mark;)

KERNEL(empty) {
    if (args.mark != 0u && GLOBAL_ID == 0u) {
        STORE(0u, RESULT(0u) + args.mark);
    }
}
