// A libcuda.so.1 that lacks what the backend cannot do without.
extern "C" int cuInit(unsigned) { return 0; }
