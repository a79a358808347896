// The GLSL dialect (Vulkan 1.1). The backend puts "#version 450" and the defines in front: GROUP_SIZE, WIDTH, the path of A (A_...),
// CLOCK_SUBGROUP where VK_KHR_shader_clock is there. Binding 0: A, 1: B, 2: result; ARGS are push constants;
// specialization constant 0 is the scratchpad's size in elements of T.
#ifdef CLOCK_SUBGROUP
#extension GL_ARB_shader_clock : require
#endif
layout(local_size_x = GROUP_SIZE) in;

#if WIDTH == 1
#define T uint
#define SUM_T(v) (v)
#elif WIDTH == 2
#define T uvec2
#define SUM_T(v) ((v).x + (v).y)
#elif WIDTH == 4
#define T uvec4
#define SUM_T(v) ((v).x + (v).y + (v).z + (v).w)
#else
#error "WIDTH must be 1, 2 or 4"
#endif
#define ZERO_T T(0u)
#define FUNCTION
#define LOCAL_ID gl_LocalInvocationID.x
#define GROUP_ID gl_WorkGroupID.x
#define GROUP_COUNT gl_NumWorkGroups.x
#define BARRIER barrier();
#define STORE(i, v) result[i] = (v)

layout(std430, set = 0, binding = 1) buffer BlockB { uint b[]; };
layout(std430, set = 0, binding = 2) buffer BlockResult { uint result[]; };
layout(constant_id = 0) const uint SCRATCHPAD_ELEMENTS = 1;

// Paths. Neither readonly nor restrict on `global`: both would allow the read-only path.
#if defined A_GLOBAL
layout(std430, set = 0, binding = 0) buffer BlockA { T a[]; };
#define STAGE(n)
#define LOAD(i) a[i]
#elif defined A_LOCAL
layout(std430, set = 0, binding = 0) buffer BlockA { T a[]; };
shared T scratchpad[SCRATCHPAD_ELEMENTS];
#define STAGE(n) for (uint staged = LOCAL_ID; staged < (n); staged += GROUP_SIZE) scratchpad[staged] = a[staged]; BARRIER
#define LOAD(i) scratchpad[i]
#else
#error "this path has no GLSL form"
#endif
#define LOAD_B(i) b[i]

#ifdef CLOCK_SUBGROUP
// The branch is always taken, but hangs on the value loaded last: without it the clock is read while that load is under way. The
// clock's top bit is always 0, but no compiler knows that the loads which follow need not wait for it.
#define CLOCK_READ(name, after)             \
    uvec2 name = uvec2(0u);                 \
    if (after != 0xFFFFFFFFu) {             \
        name = clock2x32ARB();              \
    }                                       \
    after += name.y >> 31;
#define CLOCK_STORE(at, name) STORE(at, name.x); STORE((at) + 1u, name.y);
#else
#define CLOCK_READ(name, after)
#define CLOCK_STORE(at, name) STORE(at, 0u); STORE((at) + 1u, 0u);
#endif

#define ARGS(fields) layout(push_constant) uniform Args { fields } args;
#define KERNEL(name) void main()
