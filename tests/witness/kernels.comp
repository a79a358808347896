// The kernels in GLSL, one for each -DKERNEL_<NAME>; compiled to SPIR-V at build time.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint HELD = 16; // bytes of scratchpad
layout(push_constant) uniform Args { uint64_t address; uint x, y, z, w; };
layout(std430, set = 0, binding = 1) buffer Out { uint o[]; };

#if defined KERNEL_chase_readonly
layout(std430, set = 0, binding = 0) readonly buffer A { uint a[]; };
#elif defined KERNEL_chase_readonly_masked
layout(std430, set = 0, binding = 0) readonly buffer A { uint a[]; };
#elif defined KERNEL_chase_readonly_sized
layout(std430, set = 0, binding = 0) readonly buffer A { uint a[1 << 20]; };
#elif defined KERNEL_chase_restrict
layout(std430, set = 0, binding = 0) restrict buffer A { uint a[]; };
#elif defined KERNEL_chase_sized
layout(std430, set = 0, binding = 0) buffer A { uint a[1 << 20]; };
#elif defined KERNEL_triad_f64
layout(std430, set = 0, binding = 0) buffer A { double a[]; };
#elif defined WIDE
layout(std430, set = 0, binding = 0) buffer A { uvec4 a[]; };
#else
layout(std430, set = 0, binding = 0) buffer A { uint a[]; };
#endif
layout(std140, set = 0, binding = 2) uniform Constants { uvec4 bank[4096]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint v[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Link { uint64_t next; };
#define LANE gl_LocalInvocationID.x
#define ITEM gl_GlobalInvocationID.x
#define SIZE gl_WorkGroupSize.x

#ifdef CLOCK
#extension GL_ARB_shader_clock : require
#define NOW(after) (after == 0xffffffffu ? 0 : clock2x32ARB().x)
#else
#define NOW(after) 0
#endif

// x: where to begin, y: loads that warm, z: loads that are timed. Out: where it ended, cycles.
#define WALK(INDEX, STEP) \
    INDEX i = x; \
    for (uint n = 0; n < y; n++) { STEP; } \
    uint begin = NOW(uint(i)); \
    for (uint n = 0; n < z; n += 8) { STEP; STEP; STEP; STEP; STEP; STEP; STEP; STEP; } \
    o[1] = NOW(uint(i)) - begin; \
    o[0] = uint(i);

// x: 16-byte words less one, y: times eight accesses, z: 1 = each workgroup reads the whole
#define SWEEP(ACCESS) \
    uint at = z != 0 ? LANE : ITEM, next = z != 0 ? SIZE : gl_NumWorkGroups.x * SIZE; \
    for (uint n = 0; n < y; n++) { \
        ACCESS(0) ACCESS(1) ACCESS(2) ACCESS(3) ACCESS(4) ACCESS(5) ACCESS(6) ACCESS(7) \
        at += 8 * next; \
    }
#define READ(k) s##k ^= a[(at + k * next) & x];
#define WRITE(k) a[(at + k * next) & x] = uvec4(n);

#if defined KERNEL_chase_static || defined KERNEL_occupy_held
shared uint pad[HELD / 4];
#elif defined KERNEL_chase_scratchpad
shared uint pad[2048];
#endif

// x: the first seed, y and w: constants, z: trips of 512 steps of all chains; u: a second number, of sums that feed
// each other.
// o[1]: cycles of work-item 0, o[4 + item]: the ends of its chains.
#if defined STEP_mad_u32
#define STEP(k) v##k = v##k * m + c;
#elif defined STEP_add_u32
#define STEP(k) v##k = v##k + u##k; u##k = u##k + v##k;
#elif defined STEP_popcount_u32
#define STEP(k) v##k = bitCount(v##k) + c;
#elif defined STEP_rcp_f32
#define STEP(k) v##k = 1.0 / v##k + c;
#else
#define STEP(k) v##k = fma(v##k, m, c);
#endif
#if defined STEP_fma_f64
#define NUMBER double
#define CONSTANT(bits) double(uintBitsToFloat(bits))
#define BITS_OF(v) (unpackDouble2x32(v).x ^ unpackDouble2x32(v).y)
#elif defined STEP_fma_f32 || defined STEP_rcp_f32
#define NUMBER float
#define CONSTANT(bits) uintBitsToFloat(bits)
#define BITS_OF(v) floatBitsToUint(v)
#else
#define NUMBER uint
#define BEGIN_AT(seed) (seed)
#define CONSTANT(bits) (bits)
#define BITS_OF(v) (v)
#endif
#ifndef BEGIN_AT
#define BEGIN_AT(seed) (NUMBER(seed) * NUMBER(0.0009765625))
#endif
#define BEGIN(k) NUMBER v##k = BEGIN_AT(x + LANE % 32 * 8 + k), u##k = c; word += BITS_OF(v##k);
#define END(k) word = word * 5 + BITS_OF(v##k);
#define TIMES8(text) text text text text text text text text
#define TIMES64(text) TIMES8(TIMES8(text))
#if defined KERNEL_chain
#define EACH(DO) DO(0)
#define TIMES(text) TIMES8(TIMES64(text))
#else
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define TIMES(text) TIMES64(text)
#endif

void main() {
#if defined KERNEL_chain || defined KERNEL_rate
    uint word = 0;
    NUMBER m = CONSTANT(y), c = CONSTANT(w);
    EACH(BEGIN)
    uint begin = NOW(word);
    for (uint n = 0; n < z; n++) { TIMES(EACH(STEP)) }
    word = 0;
    EACH(END)
    uint end = NOW(word);
    if (ITEM == 0) o[1] = end - begin;
    o[4 + ITEM] = word;
#elif defined KERNEL_chase_masked || defined KERNEL_chase_readonly_masked || defined KERNEL_chase_sized \
    || defined KERNEL_chase_readonly_sized
// 4 MiB: one more operation, and the index is known to be inside
    WALK(uint, i = a[i & 0xfffff])
#elif defined KERNEL_chase || defined KERNEL_chase_readonly || defined KERNEL_chase_restrict
    WALK(uint, i = a[i])
#elif defined KERNEL_chase_index64 // the program replaces the conversion by the 64-bit index itself
    WALK(uint64_t, i = uint64_t(a[uint(i)]))
#elif defined KERNEL_chase_pointer
    Words words = Words(address);
    WALK(uint, i = words.v[i])
#elif defined KERNEL_chase_constant
    WALK(uint, i = bank[i].x)
#elif defined KERNEL_chase_scratchpad
    for (uint n = 0; n < 2048; n++) pad[n] = a[n];
    WALK(uint, i = pad[i])
#elif defined KERNEL_chase_static
    pad[w % (HELD / 4)] = x;
    WALK(uint, i = a[i])
    o[2] = pad[o[0] % (HELD / 4)];
#elif defined KERNEL_chase_address // x, y: the address to begin at, z: loads. Each word of 8 bytes is the next address.
    uint64_t at = uint64_t(y) << 32 | x;
    for (uint n = 0; n < z; n++) at = Link(at).next;
    o[0] = uint(at);
#elif defined KERNEL_link // A: x addresses, y for each work-item; each is made to lead to the next one
    for (uint k = 0; k < y; k++) {
        uint n = ITEM * y + k;
        if (n < x) Link(Link(address + 8 * n).next).next = Link(address + 8 * (n + 1 < x ? n + 1 : 0)).next;
    }
#elif defined KERNEL_read
    uvec4 s0 = uvec4(0), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    SWEEP(READ)
    uvec4 all = s0 | s1 | s2 | s3 | s4 | s5 | s6 | s7;
    if ((all.x | all.y | all.z | all.w) != 0) o[0] = all.x; // never: all is zero
#elif defined KERNEL_write
    SWEEP(WRITE)
// A workgroup takes one tile and ends: four loads of 16 bytes; a triad of doubles, one of each array (of x).
#elif defined KERNEL_read_once
    uint tile = gl_WorkGroupID.x * SIZE * 4 + LANE;
    uvec4 all = a[tile] | a[tile + SIZE] | a[tile + 2 * SIZE] | a[tile + 3 * SIZE];
    if ((all.x | all.y | all.z | all.w) != 0) o[0] = all.x; // never: all is zero
#elif defined KERNEL_triad_f64
    a[2 * x + ITEM] = a[ITEM] + 3 * a[x + ITEM];
// Each work-item adds 3 to one word x times: without and with the result, and once for 32 lanes.
#elif defined KERNEL_add_dropped
    for (uint n = 0; n < x; n++) atomicAdd(a[0], 3u);
#elif defined KERNEL_add_kept
    uint sum = 0;
    for (uint n = 0; n < x; n++) sum |= atomicAdd(a[0], 3u) + 1;
    if (sum == 0) o[0] = sum;
#elif defined KERNEL_add_aggregated
    if (LANE % 32 == 0) for (uint n = 0; n < x; n++) atomicAdd(a[0], 96u);
#elif defined KERNEL_occupy || defined KERNEL_occupy_held
// a[0]: workgroups that are in, a[1]: the most at once. x: loads to wait by
#ifdef KERNEL_occupy_held
    if (w != 0) { pad[x % (HELD / 4)] = z; o[2] = pad[y % (HELD / 4)]; }
#endif
    if (LANE != 0) return;
    atomicMax(a[1], atomicAdd(a[0], 1u) + 1);
    uint old = 0;
    for (uint n = 0; n < x; n++) old |= atomicOr(a[2], 0u);
    if (old == 0) atomicAdd(a[0], 0xffffffffu);
#elif defined KERNEL_empty
#else
#error no such kernel
#endif
}
