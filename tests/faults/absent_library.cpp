// What a driver needs, in a folder where no search finds it.
int sonde_absent() { return 0; }
