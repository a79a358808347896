// A pretended CUDA driver: libcuda.so.1 as tests load it. One card, whose kernels are the host's, found by the variant
// that a PTX text names in its first line. It checks what it is given as strictly as it can: what a real driver may
// forgive, this one refuses, and work that is queued runs when it is waited for and not before.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/cuda/driver_api.h"
#include "backends/host/kernels.h"

using namespace sonde::cuda;

// Every entry point, declared as the backend believes it to be: a definition that differs does not compile.
#define FAKE_DECLARE(need, name, suffix, older_suffix, parameters)                                                     \
    extern "C" __attribute__((visibility("default"))) Result name##suffix parameters;                                  \
    extern "C" __attribute__((visibility("default"))) Result name##older_suffix parameters;
SONDE_CUDA_ENTRY_POINTS(FAKE_DECLARE)
#undef FAKE_DECLARE
extern "C" __attribute__((visibility("default"))) std::size_t sonde_fake_cuda_live_allocations();
extern "C" __attribute__((visibility("default"))) std::size_t sonde_fake_cuda_live_objects();
extern "C" __attribute__((visibility("default"))) std::size_t sonde_fake_cuda_live_contexts();
/// Of a card to the memory of another.
extern "C" __attribute__((visibility("default"))) std::size_t sonde_fake_cuda_live_peers();
/// What the driver was last asked for: "cache preference", "carveout", "bank width"; -2: never.
extern "C" __attribute__((visibility("default"))) int sonde_fake_cuda_last(const char* what);

// The driver that lacks all that may be missing is the same code without it (SONDE_FAKE_CUDA_OLD), under the older
// names.
#if defined SONDE_FAKE_CUDA_OLD
#define NEWER(symbol, older) older
#else
#define NEWER(symbol, older) symbol
#endif

namespace fake {

enum Code : Result {
    kNotInitialized = 3,
    kNoDevice = 100,
    kInvalidDevice = 101,
    kInvalidContext = 201,
    kInvalidPtx = 218,
    kInvalidHandle = 400,
    kNotFound = 500,
    kNotReady = 600,
    kIllegalAddress = 700,
    kPeerAlreadyEnabled = 704,
    kPeerNotEnabled = 705,
    kContextIsDestroyed = 709,
    kLaunchFailed = 719,
};

constexpr int kMostDevices = 4;
constexpr std::size_t kMemoryBytes = std::size_t{1} << 30;
constexpr int kSharedBytes = 48 * 1024, kSharedOptinBytes = 227 * 1024;
#if defined SONDE_FAKE_CUDA_OLD
constexpr int kCapability = 35;
#else
constexpr int kCapability = 90;
#endif
constexpr int kTexture1dWidth = 1 << 27, kTexture2dRows = 65000;

/// The next entry into `step`: crashes or hangs where the script says so, else its code. Faults of this kind are
/// scripted by SONDE_FAKE_CUDA (faults.cpp says how).
Result step(const std::string& name);
/// A number of the script by name.
std::optional<long> scripted(const std::string& name);

struct Context {
    int references = 0;
    Result sticky = kSuccess;         // what a kernel's fault left: every later call answers it
    std::set<const Context*> peers{}; // whose memory its kernels reach
};
/// Success when the driver is up and this thread has a context; `ready`: one that works.
Result attached();
Result ready();
Context& current();
/// How many devices the script pretends.
int devices();

struct Event {
    std::optional<std::chrono::steady_clock::time_point> at;
};
struct Stream {
    std::vector<std::function<Result()>> queue;
};
/// Memory of a module, as __constant__ memory is.
struct Constants {
    explicit Constants(std::size_t bytes) : words(bytes / 16) {}
    struct alignas(16) Quad {
        std::uint32_t word[4] = {};
    };
    std::vector<Quad> words;
    DevicePointer address() const { return reinterpret_cast<DevicePointer>(words.data()); }
    std::size_t bytes() const { return words.size() * sizeof(Quad); }
};
/// A kernel: the host's, and where its sources stand when it is a card's.
struct KernelCode {
    enum class Source { address, texture, constants, arguments };
    std::string entry_point;
    sonde::HostFunction function = nullptr;
    std::size_t args_bytes = 0;
    Source source = Source::address, source_b = Source::address;
    unsigned width = 1;                      // words of an element of the source
    bool wide_b = false;                     // the second one's are as wide, else of one word
    std::size_t private_bytes = 0;           // a lane's own array
    std::size_t table_bytes = 0;             // behind the arguments
    bool cluster = false, onlookers = false; // all but the first of a cluster's workgroups hold memory only
    bool by_blocks = false; // numbers an image's texels block by block, which the host's variant does not
    bool cache_mode_ca = false;
    std::shared_ptr<Constants> constants; // of one of the two sources
};
struct Function {
    std::shared_ptr<const KernelCode> code;
    int dynamic_bytes = kSharedBytes;
    bool large_clusters = false; // of more than eight workgroups
};
struct Module {
    std::shared_ptr<const KernelCode> code;
    const Function* of_entry_point = nullptr; // once asked for
};
/// Rows one after another: what a card's own order is, nobody sees.
struct Array {
    std::size_t width, height; // texels of one word
    std::vector<std::uint32_t> words;
};
struct Texture {
    DevicePointer address; // of linear memory; zero: an array's
    std::size_t bytes;
    unsigned width;
    ArrayHandle array;
};

/// Live objects of one kind; a handle is the object's address, and an unknown one is found out.
template <class Object> class Table {
public:
    template <class Handle> Handle add(std::shared_ptr<Object> object) {
        objects_[object.get()] = object;
        return reinterpret_cast<Handle>(object.get());
    }
    std::shared_ptr<Object> find(const void* handle) const {
        const auto found = objects_.find(handle);
        return found == objects_.end() ? nullptr : found->second;
    }
    Result remove(const void* handle) {
        return objects_.erase(handle) ? kSuccess : static_cast<Result>(kInvalidHandle);
    }
    std::size_t size() const { return objects_.size(); }

private:
    std::map<const void*, std::shared_ptr<Object>> objects_;
};

Table<Stream>& streams();
Table<Event>& events();
Table<Module>& modules();
Table<Function>& functions();
Table<Array>& arrays();
Table<Texture>& textures();
/// Notes what `sonde_fake_cuda_last` tells.
void note(const std::string& what, int value);
/// A module's memory counts as allocated while the module lives.
void add_constants(const Constants&);
void remove_constants(const Constants&);

enum class Where { in_an_allocation, past_its_end, elsewhere };
/// Where `bytes` bytes from this address on lie.
Where where(DevicePointer address, std::size_t bytes);
/// Whose memory that is; null: the host's, or nobody's.
const Context* owner_of(DevicePointer address);
/// Whether a kernel of the current context reaches what lies there.
bool is_reached(DevicePointer address);

} // namespace fake
