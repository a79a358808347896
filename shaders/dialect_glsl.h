// The GLSL dialect (Vulkan 1.1). The backend puts "#version 450" and the defines in front: GROUP_SIZE, WIDTH, the path
// of A (A_...), CLOCK_SUBGROUP where VK_KHR_shader_clock is there. Binding 0: A, 1: B, 2: result; ARGS are push
// constants; specialization constant 0 is the scratchpad's size in elements of T.
#ifdef CLOCK_SUBGROUP
#extension GL_ARB_shader_clock : require
#endif
#ifdef READS_DEVICE_CLOCK // in place of the subgroup's
#extension GL_EXT_shader_realtime_clock : require
#define COUNTER_NOW clockRealtime2x32EXT()
#else
#define COUNTER_NOW clock2x32ARB()
#endif
#ifdef CORE_NUMBER
#extension GL_NV_shader_sm_builtins : require
#define CORE_ID gl_SMIDNV
#endif
#ifdef A_IMAGE2D
#extension GL_EXT_samplerless_texture_functions : require
#endif
#ifdef A_GLOBAL_CS
#extension GL_EXT_spirv_intrinsics : require
#endif
#ifdef A_GLOBAL_POINTER
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#endif
#if defined BITS && BITS == 8 || defined PACKED
#extension GL_EXT_shader_8bit_storage : require
#elif defined BITS
#extension GL_EXT_shader_16bit_storage : require
#endif
#ifdef TYPE_U64
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#elif defined TYPE_F32 || defined TYPE_F64
#extension GL_EXT_shader_atomic_float : require
#endif
#ifdef VISIBLE
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#endif
#ifdef CHAINS // kernels/operations.h
#extension GL_ARB_gpu_shader_int64 : enable
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : enable
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : enable
#extension GL_EXT_spirv_intrinsics : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#endif
#ifdef MATRIX_M // kernels/matrix.h
#pragma use_vulkan_memory_model
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#define NOT_UNROLLED [[dont_unroll]]
#endif
#define DIALECT_GLSL
layout(local_size_x = GROUP_SIZE) in;

#if defined TYPE_U64
#define T uint64_t
#elif defined TYPE_F32
#define T float
#elif defined TYPE_F64
#define T double
#elif WIDTH == 1
#define T uint
#elif WIDTH == 2
#define T uvec2
#elif WIDTH == 4
#define T uvec4
#else
#error "WIDTH must be 1, 2 or 4"
#endif
#define ZERO_T T(0u)
#define SPLAT_T(v) T(v)
#define FUNCTION
#define SIGNED(word) int(word)
#define LOCAL_ID gl_LocalInvocationID.x
#define GROUP_ID gl_WorkGroupID.x
#define GROUP_COUNT gl_NumWorkGroups.x
#define BARRIER barrier();

// The second source: words of 32 bits, or with WIDE_B elements like A's. Binding 1 is what the path's space binds.
#ifdef WIDE_B
#define TB T
#else
#define TB uint
#endif
#if defined B_TEXEL
layout(set = 0, binding = 1) uniform usamplerBuffer b;
#define LOAD_B(i) OF_FOUR_B(texelFetch(b, int(i)))
#elif defined B_CONSTANT
layout(std140, set = 0, binding = 1) uniform BlockB { uvec4 b[CONSTANT_BYTES / 16]; };
#if defined WIDE_B && WIDTH == 2
#error "std140 has an element every 16 bytes: WIDTH must be 1 or 4"
#elif !defined WIDE_B || WIDTH != 4
#define LOAD_B(i) b[(i) / 4u][(i) % 4u]
#endif
#else
#if defined B_GLOBAL_READONLY
#define ACCESS_B restrict readonly
#elif defined B_SCRATCHPAD && (WIDTH == 1 || defined WIDE_B)
#define SCRATCHPAD_B(i) scratchpad[i]
#elif defined B_SCRATCHPAD
#define SCRATCHPAD_B(i) scratchpad[(i) / WIDTH][(i) % WIDTH]
#elif defined SECOND_SOURCE && !defined B_GLOBAL
#error "this path has no GLSL form for a second source"
#endif
#ifndef ACCESS_B
#define ACCESS_B
#endif
layout(std430, set = 0, binding = 1) ACCESS_B buffer BlockB { TB b[]; };
#endif
layout(std430, set = 0, binding = 2) buffer BlockResult { uint result[]; };
layout(constant_id = 0) const uint SCRATCHPAD_ELEMENTS = 1;

#define STORE_ADDRESS(at, word)                                                              \
    {                                                                                        \
        uint low = args.base_low + ((word) << 2);                                            \
        STORE(at, low);                                                                      \
        STORE((at) + 1u, args.base_high + ((word) >> 30) + (low < args.base_low ? 1u : 0u)); \
    }

// Paths. Neither readonly nor restrict on `global`: both would allow the read-only path. Binding 0 is what the path's
// space binds.
#if (defined BITS || defined PACKED) && !defined A_GLOBAL && !defined A_GLOBAL_POINTER
#error "only paths global and global.pointer have words of fewer bits, or at any byte"
#elif defined A_TEXEL
layout(set = 0, binding = 0) uniform usamplerBuffer a;
#define LOAD(i) OF_FOUR(texelFetch(a, int(i)))
#elif defined A_IMAGE2D
layout(set = 0, binding = 0) uniform utexture2D a;
#define LOAD(i) texelFetch(a, ivec2(int((i) & (IMAGE_ROW - 1u)), int((i) >> IMAGE_ROW_BITS)), 0).x
#elif defined A_CONSTANT || defined A_CONSTANT_UNIFORM
#if WIDTH != 4
#error "std140 has an element every 16 bytes: WIDTH must be 4"
#endif
layout(std140, set = 0, binding = 0) uniform BlockA { T a[CONSTANT_BYTES / 16]; };
#else
#if defined PACKED || defined BITS && BITS == 8
#define ELEMENT_A uint8_t
#define ELEMENT_BYTES 1
#elif defined BITS
#define ELEMENT_A uint16_t
#define ELEMENT_BYTES 2
#else
#define ELEMENT_A T
#define ELEMENT_BYTES (4 * WIDTH)
#endif
#if defined A_GLOBAL_CG
#define ACCESS_A coherent
#elif defined A_GLOBAL_READONLY
#define ACCESS_A restrict readonly
#elif defined A_GLOBAL_POINTER
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { uvec2 next; };
#define INDEX uvec2
uvec2 address_of(uvec2 base, uint word) {
    uint low = base.x + (word << 2);
    return uvec2(low, base.y + (word >> 30) + (low < base.x ? 1u : 0u));
}
uint word_of(uvec2 base, uvec2 address) {
    uint low = address.x - base.x;
    uint high = address.y - base.y - (address.x < base.x ? 1u : 0u);
    return (low >> 2) | (high << 30);
}
#define BASE uvec2(args.base_low, args.base_high)
#define LINK_OF(word) address_of(BASE, word)
#define LINK(i) Node(i).next
#define NUMBER_OF(i) word_of(BASE, i)
// By its number an element is reached through the address alone: no driver checks it against the size of a buffer.
layout(buffer_reference, std430, buffer_reference_align = ELEMENT_BYTES) buffer Elements { ELEMENT_A e[]; };
#define AT(i) Elements(BASE).e[i]
// By functions: a component of the variable itself would keep it in memory.
uint low_word(uvec2 address) { return address.x; }
uvec2 raised(uvec2 address, uint bit) { return uvec2(address.x + bit, address.y); }
#define LOW_WORD(i) low_word(i)
#define ADD_TO(i, bit) i = raised(i, bit);
#elif defined A_SCRATCHPAD
shared T scratchpad[SCRATCHPAD_ELEMENTS];
#elif !defined A_GLOBAL && !defined A_GLOBAL_CS && !defined A_HOST && !defined A_GLOBAL_UNIFORM &&                     \
    !defined A_PRIVATE && !defined A_PUSH
#error "this path has no GLSL form"
#endif
#ifndef ACCESS_A
#define ACCESS_A
#endif
layout(std430, set = 0, binding = 0) ACCESS_A buffer BlockA { ELEMENT_A a[]; };
#ifndef AT
#define AT(i) a[i]
#endif
#if defined PACKED
#define UNPACKED(i) (uint(AT(i)) | uint(AT((i) + 1u)) << 8 | uint(AT((i) + 2u)) << 16 | uint(AT((i) + 3u)) << 24)
#define PUT_BYTE(i, n, word) AT((i) + (n)) = ELEMENT_A((word) >> (n) % 4u * 8u);
#define PUT_PACKED(i, n, word)                                                                                         \
    PUT_BYTE(i, n, word) PUT_BYTE(i, n + 1u, word) PUT_BYTE(i, n + 2u, word) PUT_BYTE(i, n + 3u, word)
#ifdef BITS // 16
#define LOAD(i) (uint(AT(i)) | uint(AT((i) + 1u)) << 8)
#define STORE_A(i, v) PUT_BYTE(i, 0u, v) PUT_BYTE(i, 1u, v)
#elif WIDTH == 1
#define LOAD(i) UNPACKED(i)
#define STORE_A(i, v) PUT_PACKED(i, 0u, v)
#elif WIDTH == 2
#define LOAD(i) T(UNPACKED(i), UNPACKED((i) + 4u))
#define STORE_A(i, v) PUT_PACKED(i, 0u, (v).x) PUT_PACKED(i, 4u, (v).y)
#else
#define LOAD(i) T(UNPACKED(i), UNPACKED((i) + 4u), UNPACKED((i) + 8u), UNPACKED((i) + 12u))
#define STORE_A(i, v)                                                                                                  \
    PUT_PACKED(i, 0u, (v).x) PUT_PACKED(i, 4u, (v).y) PUT_PACKED(i, 8u, (v).z) PUT_PACKED(i, 12u, (v).w)
#endif
#elif defined BITS
#define LOAD(i) uint(AT(i))
#define STORE_A(i, v) AT(i) = ELEMENT_A(v)
#elif defined A_GLOBAL_CS // OpLoad and OpStore with the operand Nontemporal, for which GLSL has no word
spirv_instruction(id = 61) T streamed(spirv_by_reference T at, spirv_literal uint access);
spirv_instruction(id = 62) void stream_to(spirv_by_reference T at, T v, spirv_literal uint access);
#define LOAD(i) streamed(AT(i), 4u)
#define STORE_A(i, v) stream_to(AT(i), v, 4u)
#elif defined A_GLOBAL_POINTER
#define LOAD(i) AT(i)
#define STORE_A(i, v) AT(i) = (v)
#endif
#endif
#ifndef LOW_WORD
#define LOW_WORD(i) i
#define ADD_TO(i, bit) i += (bit);
#endif
#if defined HELD || defined B_SCRATCHPAD && !defined A_SCRATCHPAD
shared T scratchpad[SCRATCHPAD_ELEMENTS];
#endif

// Atomic functions on elements of the path's memory.
#define ATOMIC_CAS(i, expected, desired) atomicCompSwap(LOAD(i), expected, desired)
#define ATOMIC_ADD(i, v) atomicAdd(LOAD(i), v)
#define ATOMIC_EXCHANGE(i, v) atomicExchange(LOAD(i), v)
#ifdef FLAGS // past L1: what other cores' atomic functions have left
layout(std430, set = 0, binding = 0) volatile buffer BlockFresh { T fresh[]; };
#define FRESH(i) fresh[i]
#endif
// A flag's load that acquires and its store that releases, and a compare-and-swap, as seen by the workgroup (VISIBLE 0)
// or the device (1).
#ifdef VISIBLE
#if VISIBLE == 0
#define FLAG_SCOPE gl_ScopeWorkgroup
#else
#define FLAG_SCOPE gl_ScopeDevice
#endif
#ifdef A_SCRATCHPAD
#define FLAG_MEMORY gl_StorageSemanticsShared
#else
#define FLAG_MEMORY gl_StorageSemanticsBuffer
#endif
#define SCOPED_CAS(i, expected, desired)                                                                               \
    atomicCompSwap(LOAD(i), expected, desired, FLAG_SCOPE, gl_StorageSemanticsNone, gl_SemanticsRelaxed,               \
        gl_StorageSemanticsNone, gl_SemanticsRelaxed)
#define FLAG_LOAD(i) atomicLoad(LOAD(i), FLAG_SCOPE, FLAG_MEMORY, gl_SemanticsAcquire)
#define FLAG_STORE(i, v) atomicStore(LOAD(i), v, FLAG_SCOPE, FLAG_MEMORY, gl_SemanticsRelease)
#endif
#if defined TYPE_U64
#define WORD_OF(v, n) unpackUint2x32(v)[n]
#elif defined TYPE_F32
#define WORD_OF(v, n) floatBitsToUint(v)
#elif defined TYPE_F64
#define WORD_OF(v, n) unpackDouble2x32(v)[n]
#endif

// One of the four words of an element as a floating-point number, and the word of such a number.
#define FLOAT_PART(v, part) uintBitsToFloat((v).part)
#define FLOAT_BITS(v) floatBitsToUint(v)
// An element of two words.
#define PAIR(first, second) uvec2(first, second)

#ifdef CLOCK_SUBGROUP
// The branch is always taken, but hangs on the value loaded last: without it the clock is read while that load is under
// way. The clock's top bit is always 0, but no compiler knows that the loads which follow need not wait for it.
#define CLOCK_READ(name, after)             \
    uvec2 name = uvec2(0u);                 \
    if (LOW_WORD(after) != 0xFFFFFFFFu) {             \
        name = COUNTER_NOW;                 \
    }                                       \
    ADD_TO(after, name.y >> 31)
#define CLOCK_STORE(at, name) STORE(at, name.x); STORE((at) + 1u, name.y);
#define CLOCK_LOW(name) name.x
#endif

#ifdef A_PUSH
#define ARGS(fields) layout(push_constant) uniform Args { fields uint table[PUSH_WORDS]; } args;
#else
#define ARGS(fields) layout(push_constant) uniform Args { fields } args;
#endif
#define KERNEL(name) void main()
