// What the three programs share: the kinds of conclusion, each written once over a `Card`, which each API implements in
// its own file. Nothing of Sonde is used. Each figure is a line: kind, API, what, value, unit, separated by tabs.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using Handle = std::uint64_t; // of a buffer
using Args = std::array<std::uint32_t, 4>;

/// A kernel of the API's own file, by name; all take a buffer `a`, a buffer `out` and four numbers.
struct Launch {
    std::string kernel;
    unsigned groups = 1, size = 1;
    unsigned held = 0; // bytes of scratchpad that a workgroup holds
    Handle a = 0, out = 0;
    Args args{};
};

struct Card {
    std::string api, name;
    unsigned cores = 0;
    std::uint64_t memory = 0, largest_held = 0; // bytes
    bool processor = false;                     // a CPU: small footprints only
    bool clock = false;                         // kernels read a cycle counter

    virtual ~Card() = default;
    virtual Handle allocate(std::uint64_t bytes) = 0; // zeroed
    virtual void release(Handle) = 0;
    virtual void write(Handle, const void* from, std::uint64_t bytes) = 0;
    virtual void read(Handle, void* to, std::uint64_t bytes) = 0;
    virtual double run(const Launch&) = 0;                                           // ns between two device events
    virtual std::uint64_t address(Handle) = 0;                                       // as a kernel sees it
    virtual void set_constant(const void* from, std::uint64_t bytes) = 0;            // what chase_constant walks over
    virtual double copy_gbs(bool to_device, std::uint64_t bytes) = 0;                // pinned host memory
    virtual void launch_many(const Launch&, unsigned count, bool wait_for_each) = 0; // returns when all have ended
    virtual bool has(const std::string& kernel) const = 0;                           // whether this API can express it
};

struct Buffer {
    Card& card;
    Handle handle;
    Buffer(Card& on, std::uint64_t bytes) : card(on), handle(on.allocate(bytes)) {}
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { card.release(handle); }
};

void figure(const Card&, const char* kind, const std::string& what, double value, const char* unit);
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// Runs `body`; an exception is a line with its reason.
void attempt(Card&, const char* kind, const std::string& what, const std::function<void()>& body);

using Kind = std::function<void(Card&)>;
struct NamedKind {
    const char* name;
    Kind run;
};

/// `PROGRAM` lists its kinds, `PROGRAM KIND` runs one. Exit code 1: no card, with the reason as a line.
int witness_main(
    int argc, char** argv, const char* api, const std::function<Card*()>& open, const std::vector<NamedKind>& more);

/// ns and cycles of one dependent load: `kernel` walks over a chain of `bytes`, a line in each slot.
struct Load {
    double ns, cycles;
};
Load load_time(
    Card&, const std::string& kernel, std::uint64_t bytes, unsigned held = 0, std::uint32_t slot_bytes = 128);
void print_load(Card&, const char* kind, const std::string& what, const Load&);
void load_times(Card&);                        // where there is a kernel load_times
std::string size_text(std::uint64_t bytes);    // "32KiB"
std::vector<unsigned> held_sizes(const Card&); // bytes of scratchpad at which residency is counted

// ---- kinds of compute.cpp
void operation(Card&);
void operation_rate(Card&);
void matrix(Card&);  // where there is a kernel mma_rate
void stencil(Card&); // where there is a kernel stencil
