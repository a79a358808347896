// What the files of kernels in CUDA C begin with: no header of CUDA is needed.
#pragma once
using u32 = unsigned;
using u64 = unsigned long long;
typedef u32 u32x4 __attribute__((ext_vector_type(4)));

#define KERNEL extern "C" __attribute__((global)) void
#define SIGNATURE (u32* a, u32* out, u32 x, u32 y, u32 z, u32 w)
#define DEVICE static __attribute__((device)) inline
#define SHARED static __attribute__((shared))
#define LANE __nvvm_read_ptx_sreg_tid_x()
#define GROUP __nvvm_read_ptx_sreg_ctaid_x()
#define SIZE __nvvm_read_ptx_sreg_ntid_x()
#define GROUPS (u32) __nvvm_read_ptx_sreg_nctaid_x()

DEVICE u64 now(u32 after) { // once `after` is there
    u64 t;
    asm volatile("{ .reg .u32 t; mov.u32 t, %1; mov.u64 %0, %%clock64; }" : "=l"(t) : "r"(after) : "memory");
    return t;
}
