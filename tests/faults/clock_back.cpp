// LD_PRELOAD: a wall clock that is set back by an hour every time somebody looks.
#include <ctime>
#include <dlfcn.h>

namespace {
long back = 0;
}

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
    static const auto real = reinterpret_cast<int (*)(clockid_t, timespec*)>(dlsym(RTLD_NEXT, "clock_gettime"));
    const int code = real(clock, now);
    if (clock == CLOCK_REALTIME) now->tv_sec -= back += 3600;
    return code;
}
extern "C" time_t time(time_t* out) noexcept {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
