// Where the build has put what tests run, and the source they read. In a unit of its own (places.cpp), so that what
// tests compile to is the same in every build, and a compiler cache has it for the next.
#pragma once

namespace sonde::places {
extern const char* const program; // sonde
extern const char* const scripted_worker;
extern const char* const aborting_driver;   // a library
extern const char* const incomplete_driver; // a library
extern const char* const pretended_drivers; // the folder of drivers, modelled cards and the like
extern const char* const source;
extern const bool sanitized; // the program, by any sanitizer
} // namespace sonde::places
