// Sanitizer builds only: libraries stay loaded, so that leak reports keep their names (drivers are unloaded before the check).
extern "C" int dlclose(void*) { return 0; }
