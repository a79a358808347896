// Sanitizer builds only.

/// Libraries stay loaded, so that leak reports keep their names (drivers are unloaded before the check).
extern "C" int dlclose(void*) { return 0; }

/// Up to GCC 13 the interceptor takes any thread-local block at one offset of a page for one with a header of
/// glibc 2.19 and reads its address from there; the leak check then dies now and then ("Tracer caught signal 11").
/// Without the interceptor such blocks are still found, through the thread's table of them.
extern "C" const char* __asan_default_options() {
    return "intercept_tls_get_addr=0";
} // NOLINT(bugprone-reserved-identifier): the sanitizer's name
