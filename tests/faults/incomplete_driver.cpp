// A driver that cannot be opened, for want of another library.
int sonde_absent();
extern "C" int sonde_incomplete() { return sonde_absent(); }
