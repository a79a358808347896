// The kinds over OpenCL, opened at run time; the kernels are the text below.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "witness.h"

static const char* const kText = R"CL(
#ifdef NVIDIA
#define NOW(t, after) \
    asm volatile("{ .reg .u32 r; mov.u32 r, %1; mov.u64 %0, %%clock64; }" : "=l"(t) : "r"(after) : "memory")
#else
#define NOW(t, after) t = 0
#endif
#define SIGNATURE(...) (SPACE uint* a, __global uint* out, uint x, uint y, uint z, uint w __VA_ARGS__)

/* x: where to begin, y: loads that warm, z: loads that are timed. out: where it ended, cycles. */
#define WALK WALK_OVER(a)
#define WALK_OVER(a) \
    uint i = x; \
    for (uint n = 0; n < y; n++) i = a[i]; \
    ulong begin, end; \
    NOW(begin, i); \
    for (uint n = 0; n < z; n += 8) { \
        i = a[i]; i = a[i]; i = a[i]; i = a[i]; i = a[i]; i = a[i]; i = a[i]; i = a[i]; \
    } \
    NOW(end, i); \
    out[0] = i; \
    out[1] = (uint)(end - begin);

#define SPACE __global
__kernel void chase SIGNATURE() { WALK }
__kernel void chase_held SIGNATURE(, __local uint* pad) { if (w) pad[x] = z; WALK if (w) out[2] = pad[y]; }
#define CHASE_STATIC(BYTES) __kernel void chase_static_##BYTES SIGNATURE() { \
    __local volatile uint pad[BYTES / 4]; pad[w % (BYTES / 4)] = x; WALK out[2] = pad[i % (BYTES / 4)]; }
__kernel void chase_scratchpad SIGNATURE() {
    __local volatile uint pad[2048];
    for (uint n = 0; n < 2048; n++) pad[n] = a[n];
    WALK_OVER(pad)
}
CHASE_STATIC(16)
CHASE_STATIC(4096)
CHASE_STATIC(12288)
#ifdef STATIC_49152
CHASE_STATIC(49152)
#endif

#undef SPACE
#define SPACE __constant
__kernel void chase_constant SIGNATURE() { WALK }
#undef SPACE
#define SPACE const __global
__kernel void chase_readonly (SPACE uint* restrict a, __global uint* restrict out, uint x, uint y, uint z, uint w) {
    WALK
}
#undef SPACE
#define SPACE __global

/* x, y: the address to begin at, z: loads. Each word of 8 bytes is the next address. */
__kernel void chase_address SIGNATURE() {
    ulong at = (ulong)y << 32 | x;
    for (uint n = 0; n < z; n++) at = *(const volatile __global ulong*)at;
    out[0] = (uint)at;
}
/* a: x addresses, y for each work-item; each is made to lead to the next one. */
__kernel void link SIGNATURE() {
    const __global ulong* list = (const __global ulong*)a;
    for (uint k = 0; k < y; k++) {
        uint n = get_global_id(0) * y + k;
        if (n < x) *(__global ulong*)list[n] = list[n + 1 < x ? n + 1 : 0];
    }
}
__kernel void where SIGNATURE() { *(__global ulong*)out = (ulong)a; }

/* x: 16-byte words less one, y: times eight accesses, z: 1 = each workgroup reads the whole */
#define SWEEP(ACCESS) \
    uint at = z ? get_local_id(0) : get_global_id(0), step = z ? get_local_size(0) : get_global_size(0); \
    for (uint n = 0; n < y; n++) { \
        ACCESS(0) ACCESS(1) ACCESS(2) ACCESS(3) ACCESS(4) ACCESS(5) ACCESS(6) ACCESS(7) \
        at += 8 * step; \
    }
#define READ(k) s##k ^= ((const __global uint4*)a)[(at + k * step) & x];
#define WRITE(k) ((__global uint4*)a)[(at + k * step) & x] = (uint4)(n);
__kernel void read SIGNATURE() {
    uint4 s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    SWEEP(READ)
    uint4 all = s0 | s1 | s2 | s3 | s4 | s5 | s6 | s7;
    if (all.x | all.y | all.z | all.w) out[0] = all.x; /* never: all is zero */
}
__kernel void write SIGNATURE() { SWEEP(WRITE) }
/* A workgroup takes one tile and ends: four loads of 16 bytes; a triad of doubles, one of each array (of x). */
__kernel void read_once SIGNATURE() {
    const __global uint4* tile = (const __global uint4*)a + get_group_id(0) * get_local_size(0) * 4 + get_local_id(0);
    size_t size = get_local_size(0);
    uint4 all = tile[0] | tile[size] | tile[2 * size] | tile[3 * size];
    if (all.x | all.y | all.z | all.w) out[0] = all.x; /* never: all is zero */
}
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void triad_f64 SIGNATURE() {
    __global double* d = (__global double*)a;
    size_t at = get_global_id(0);
    d[2 * (ulong)x + at] = d[at] + 3 * d[x + at];
}
#endif

/* Each work-item adds 3 to one word x times: without and with the result, and once for 32 lanes. */
__kernel void add_dropped SIGNATURE() { for (uint n = 0; n < x; n++) atomic_add(a, 3u); }
__kernel void add_kept SIGNATURE() {
    uint sum = 0;
    for (uint n = 0; n < x; n++) sum |= atomic_add(a, 3u) + 1;
    if (sum == 0) out[0] = sum;
}
__kernel void add_aggregated SIGNATURE() {
    if (get_local_id(0) % 32 == 0) for (uint n = 0; n < x; n++) atomic_add(a, 96u);
}

/* a[0]: workgroups that are in, a[1]: the most at once. x: loads to wait by. */
#define OCCUPY \
    if (get_local_id(0) != 0) return; \
    atomic_max(a + 1, atomic_add(a, 1u) + 1); \
    uint old = 0; \
    for (uint n = 0; n < x; n++) old = *(volatile __global uint*)(a + 2); \
    if (old == 0) atomic_sub(a, 1u);
__kernel void occupy SIGNATURE() { OCCUPY }
__kernel void occupy_held SIGNATURE(, __local uint* pad) { if (w) { pad[x] = z; out[2] = pad[y]; } OCCUPY }

__kernel void empty SIGNATURE() {}

/* x: the first seed, y and w: constants, z: trips of 512 steps of all chains; u: a second number, of sums
   that feed each other.
   out[1]: cycles of work-item 0, out[4 + item]: the ends of its chains. */
#define BEGIN(k) NUMBER v##k = BEGIN_AT(x + lane * 8 + k), u##k = c; word += BITS_OF(v##k);
#define END(k) word = word * 5 + BITS_OF(v##k);
#define ONE(DO) DO(0)
#define EIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define TIMES8(text) text text text text text text text text
#define TIMES64(text) TIMES8(TIMES8(text))
#define TIMES512(text) TIMES8(TIMES8(TIMES8(text)))
#define CHAINS(NAME, EACH, TIMES) \
__kernel void NAME SIGNATURE() { \
    uint lane = get_local_id(0) % 32, word = 0; \
    NUMBER m = CONSTANT(y), c = CONSTANT(w); \
    EACH(BEGIN) \
    ulong begin, end; \
    NOW(begin, word); \
    for (uint n = 0; n < z; n++) { TIMES(EACH(STEP)) } \
    word = 0; \
    EACH(END) \
    NOW(end, word); \
    if (get_global_id(0) == 0) out[1] = (uint)(end - begin); \
    out[4 + get_global_id(0)] = word; \
}
#define NUMBER uint
#define BEGIN_AT(seed) (seed)
#define CONSTANT(bits) (bits)
#define BITS_OF(v) (v)
#define STEP(k) v##k = v##k * m + c;
CHAINS(chain_mad_u32, ONE, TIMES512)
CHAINS(rate_mad_u32, EIGHT, TIMES64)
#undef STEP
#define STEP(k) v##k = v##k + u##k; u##k = u##k + v##k;
CHAINS(chain_add_u32, ONE, TIMES512)
#undef STEP
#define STEP(k) v##k = popcount(v##k) + c;
CHAINS(chain_popcount_u32, ONE, TIMES512)
#undef STEP
#undef NUMBER
#undef BEGIN_AT
#undef CONSTANT
#undef BITS_OF
#define NUMBER float
#define BEGIN_AT(seed) ((float)(seed) * 0.0009765625f)
#define CONSTANT(bits) as_float(bits)
#define BITS_OF(v) as_uint(v)
#define STEP(k) v##k = fma(v##k, m, c);
CHAINS(chain_fma_f32, ONE, TIMES512)
CHAINS(rate_fma_f32, EIGHT, TIMES64)
#undef STEP
#define STEP(k) v##k = native_recip(v##k) + c;
CHAINS(chain_rcp_f32, ONE, TIMES512)
#undef STEP
#ifdef NVIDIA
#define STEP(k) asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(v##k)); v##k = v##k + c;
CHAINS(chain_rcp_ptx_f32, ONE, TIMES512)
#undef STEP
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#undef NUMBER
#undef BEGIN_AT
#undef CONSTANT
#undef BITS_OF
#define NUMBER double
#define BEGIN_AT(seed) ((double)(seed) * 0.0009765625)
#define CONSTANT(bits) as_float(bits)
#define BITS_OF(v) (as_uint2(v).x ^ as_uint2(v).y)
#define STEP(k) v##k = fma(v##k, m, c);
CHAINS(chain_fma_f64, ONE, TIMES512)
CHAINS(rate_fma_f64, EIGHT, TIMES64)
#endif

/* A periodic box. x: the bits of its sides, of a byte each, y: those of a workgroup's tile, z: cells along the third
   side that each work-item walks over. */
#define STENCIL(NAME) \
    __kernel void NAME(const __global float* restrict a, __global float* restrict out, uint x, uint y, uint z, uint w)
#define PLACE \
    uint first = x & 255, second = x >> 8 & 255, third = x >> 16, wide = y & 255, high = y >> 8; \
    uint lane = get_local_id(0), group = get_group_id(0); \
    uint row = 1 << first, plane = row << second, cells = plane << third, across = first - wide, down = second - high; \
    uint i = (group << wide | (lane & ((1 << wide) - 1))) & (row - 1); \
    uint j = ((group >> across << high | lane >> wide) << first) & (plane - 1); \
    uint k = (group >> across >> down) * z * plane; \
    uint west = (i - 1) & (row - 1), east = (i + 1) & (row - 1); \
    uint south = (j - row) & (plane - 1), north = (j + row) & (plane - 1);
STENCIL(stencil) {
    PLACE
    out[k + j + i] = 0.25f * a[k + j + i]
            + 0.125f * (a[k + j + west] + a[k + j + east] + a[k + south + i] + a[k + north + i]
                + a[((k - plane) & (cells - 1)) + j + i] + a[((k + plane) & (cells - 1)) + j + i]);
}
STENCIL(stencil_column) { /* three cells of the column stay in registers */
    PLACE
    float below = a[((k - plane) & (cells - 1)) + j + i], cell = a[k + j + i];
    #pragma unroll 4
    for (uint n = 0; n < z; n++) {
        float above = a[((k + plane) & (cells - 1)) + j + i];
        out[k + j + i] = 0.25f * cell
            + 0.125f * (a[k + j + west] + a[k + j + east] + a[k + south + i] + a[k + north + i] + below + above);
        below = cell, cell = above, k += plane;
    }
}
)CL";

static void* symbol(const char* name) {
    static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!library) throw std::runtime_error(dlerror());
    void* const found = dlsym(library, name);
    if (!found) throw std::runtime_error(std::string(name) + ": not in this library");
    return found;
}
#define CL(function) reinterpret_cast<decltype(&function)>(symbol(#function))

static void check(int code, const char* what) {
    if (code != CL_SUCCESS) throw std::runtime_error(std::string(what) + ": error " + std::to_string(code));
}

namespace {
struct OpenCl final : Card {
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_program program = nullptr;
    cl_mem constants = nullptr;
    std::map<std::string, cl_kernel> kernels;

    std::string text_of(cl_device_info what) const {
        char text[4096] = {};
        check(CL(clGetDeviceInfo)(device, what, sizeof text - 1, text, nullptr), "clGetDeviceInfo");
        return text;
    }
    template <class T> T number(cl_device_info what) const {
        T value{};
        check(CL(clGetDeviceInfo)(device, what, sizeof value, &value, nullptr), "clGetDeviceInfo");
        return value;
    }
    /// The first GPU of any platform, else the first device of another sort.
    void choose() {
        cl_platform_id platforms[16];
        cl_uint count = 0;
        check(CL(clGetPlatformIDs)(16, platforms, &count), "clGetPlatformIDs");
        for (const cl_device_type type : {cl_device_type{CL_DEVICE_TYPE_GPU}, cl_device_type{CL_DEVICE_TYPE_ALL}})
            for (cl_uint n = 0; n < std::min(count, 16u) && !device; n++)
                if (CL(clGetDeviceIDs)(platforms[n], type, 1, &device, nullptr) != CL_SUCCESS) device = nullptr;
        if (!device) throw std::runtime_error("no OpenCL device");
    }
    void build() {
        int code = 0;
        program = CL(clCreateProgramWithSource)(context, 1, const_cast<const char**>(&kText), nullptr, &code);
        check(code, "clCreateProgramWithSource");
        std::string options = clock ? "-DNVIDIA " : "";
        if (largest_held >= 49152) options += "-DSTATIC_49152";
        code = CL(clBuildProgram)(program, 1, &device, options.c_str(), nullptr, nullptr);
        if (code == CL_SUCCESS) return;
        std::string log(1 << 14, '\0');
        CL(clGetProgramBuildInfo)(program, device, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
        log = log.c_str();
        std::replace(log.begin(), log.end(), '\n', ' ');
        throw std::runtime_error("clBuildProgram: error " + std::to_string(code) + ": " + log.substr(0, 400));
    }
    OpenCl() {
        api = "opencl";
        choose();
        name = text_of(CL_DEVICE_NAME);
        clock = text_of(CL_DEVICE_VENDOR).find("NVIDIA") != std::string::npos;
        cores = number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
        memory = number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
        largest_held = number<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
        processor = (number<cl_device_type>(CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
        int code = 0;
        context = CL(clCreateContext)(nullptr, 1, &device, nullptr, nullptr, &code);
        check(code, "clCreateContext");
        queue = CL(clCreateCommandQueue)(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
        check(code, "clCreateCommandQueue");
        build();
        constants = buffer(64 << 10, CL_MEM_READ_ONLY);
    }
    cl_mem buffer(std::uint64_t bytes, cl_mem_flags flags) {
        int code = 0;
        cl_mem made = CL(clCreateBuffer)(context, flags, bytes, nullptr, &code);
        check(code, "clCreateBuffer");
        return made;
    }
    static cl_mem memory_of(Handle handle) { return reinterpret_cast<cl_mem>(handle); }

    Handle allocate(std::uint64_t bytes) override {
        const cl_mem made = buffer(bytes, CL_MEM_READ_WRITE);
        const cl_uint zero = 0;
        check(CL(clEnqueueFillBuffer)(queue, made, &zero, sizeof zero, 0, bytes, 0, nullptr, nullptr),
            "clEnqueueFillBuffer");
        check(CL(clFinish)(queue), "clFinish");
        return reinterpret_cast<Handle>(made);
    }
    void release(Handle handle) override { CL(clReleaseMemObject)(memory_of(handle)); }
    void write(Handle to, const void* from, std::uint64_t bytes) override {
        check(CL(clEnqueueWriteBuffer)(queue, memory_of(to), CL_TRUE, 0, bytes, from, 0, nullptr, nullptr),
            "clEnqueueWriteBuffer");
    }
    void read(Handle from, void* to, std::uint64_t bytes) override {
        check(CL(clEnqueueReadBuffer)(queue, memory_of(from), CL_TRUE, 0, bytes, to, 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
    }
    std::uint64_t address(Handle handle) override {
        const Handle out = allocate(256);
        run({.kernel = "where", .a = handle, .out = out});
        std::uint64_t found = 0;
        read(out, &found, sizeof found);
        release(out);
        return found;
    }
    void set_constant(const void* from, std::uint64_t bytes) override {
        write(reinterpret_cast<Handle>(constants), from, bytes);
    }
    bool has(const std::string& kernel) const override {
        if (kernel == "chase_static_49152") return largest_held >= 49152;
        if (kernel.ends_with("_f64")) return text_of(CL_DEVICE_EXTENSIONS).find("cl_khr_fp64") != std::string::npos;
        return kernel != "read_cg" && kernel != "chain_rcp_denormal_f32" && (clock || kernel != "chain_rcp_ptx_f32");
    }

    cl_kernel prepared(const Launch& launch) {
        cl_kernel& kernel = kernels[launch.kernel];
        int code = 0;
        if (!kernel) kernel = CL(clCreateKernel)(program, launch.kernel.c_str(), &code);
        check(code, "clCreateKernel");
        const cl_mem a = launch.kernel == "chase_constant" ? constants : memory_of(launch.a),
                     out = memory_of(launch.out);
        check(CL(clSetKernelArg)(kernel, 0, sizeof a, &a), "clSetKernelArg");
        check(CL(clSetKernelArg)(kernel, 1, sizeof out, &out), "clSetKernelArg");
        for (cl_uint n = 0; n < 4; n++) check(CL(clSetKernelArg)(kernel, 2 + n, 4, &launch.args[n]), "clSetKernelArg");
        if (launch.held)
            check(CL(clSetKernelArg)(kernel, 6, launch.held, nullptr), "clSetKernelArg of the __local argument");
        return kernel;
    }
    void start(cl_kernel kernel, const Launch& launch, cl_event* event) {
        const std::size_t items = std::size_t{launch.groups} * launch.size, group = launch.size;
        check(CL(clEnqueueNDRangeKernel)(queue, kernel, 1, nullptr, &items, &group, 0, nullptr, event),
            "clEnqueueNDRangeKernel");
    }
    /// Waits for the event; ns between its begin and its end.
    double taken(cl_event event) {
        cl_ulong begin = 0, end = 0;
        check(CL(clWaitForEvents)(1, &event), "clWaitForEvents");
        check(CL(clGetEventProfilingInfo)(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr),
            "clGetEventProfilingInfo");
        check(CL(clGetEventProfilingInfo)(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
            "clGetEventProfilingInfo");
        CL(clReleaseEvent)(event);
        return static_cast<double>(end - begin);
    }
    double run(const Launch& launch) override {
        cl_event event = nullptr;
        start(prepared(launch), launch, &event);
        return taken(event);
    }
    double copy_gbs(bool to_device, std::uint64_t bytes) override {
        const Handle there = allocate(bytes);
        const cl_mem pinned = buffer(bytes, CL_MEM_ALLOC_HOST_PTR);
        int code = 0;
        void* const here = CL(clEnqueueMapBuffer)(
            queue, pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr, &code);
        check(code, "clEnqueueMapBuffer");
        std::memset(here, 1, bytes);
        double ns = 1e30;
        for (int repeat = 0; repeat < 10; repeat++) {
            cl_event event = nullptr;
            if (to_device)
                check(CL(clEnqueueWriteBuffer)(queue, memory_of(there), CL_FALSE, 0, bytes, here, 0, nullptr, &event),
                    "clEnqueueWriteBuffer");
            else
                check(CL(clEnqueueReadBuffer)(queue, memory_of(there), CL_FALSE, 0, bytes, here, 0, nullptr, &event),
                    "clEnqueueReadBuffer");
            ns = std::min(ns, taken(event));
        }
        release(there);
        return static_cast<double>(bytes) / ns;
    }
    void launch_many(const Launch& launch, unsigned count, bool wait_for_each) override {
        const cl_kernel kernel = prepared(launch);
        for (unsigned n = 0; n < count; n++) {
            start(kernel, launch, nullptr);
            if (wait_for_each) check(CL(clFinish)(queue), "clFinish");
        }
        check(CL(clFinish)(queue), "clFinish");
    }
};
} // namespace

/// Loads as other paths make them.
static void paths(Card& card) {
    for (const char* kernel : {"chase", "chase_readonly"})
        for (const std::uint64_t bytes : {32 << 10, 4 << 20})
            print_load(card, "paths", std::string(kernel) + " " + size_text(bytes), load_time(card, kernel, bytes));
}

int main(int argc, char** argv) {
    return witness_main(argc, argv, "opencl", [] { return new OpenCl; }, {{"paths", paths}, {"stencil", stencil}});
}
