// Device scope: an addition that acquires and releases, a compare-and-swap in one order with all others, a relaxed
// exchange; and a relaxed addition in the scratchpad.
kernel void atomics(global atomic_uint* cells, global uint* out, local atomic_uint* own) {
    uint before = __opencl_atomic_fetch_add(cells, 3u, __ATOMIC_ACQ_REL, memory_scope_device), expected = before;
    __opencl_atomic_compare_exchange_strong(cells + 64, &expected, 7u, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST,
        memory_scope_device);
    uint mine = __opencl_atomic_fetch_add(own, before, __ATOMIC_RELAXED, memory_scope_work_group);
    out[0] = before + expected + mine
        + __opencl_atomic_exchange(cells + 128, mine, __ATOMIC_RELAXED, memory_scope_device);
}
