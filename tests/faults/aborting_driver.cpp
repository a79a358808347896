// A driver that dies while it is loaded, as broken installations do.
#include <cstdlib>

__attribute__((constructor)) static void die() { std::abort(); }
