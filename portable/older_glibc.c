// Lets an executable that is linked on a new system start on an old one (glibc 2.17, of 2012, which CentOS 7 has). Each
// name below stands in the executable itself, hidden from the drivers that it opens: as a jump to the version of the
// function that every glibc for x86-64 has, or, where old ones have none, as the few lines that the runtime needs of
// it. Threads and dlopen lived in libraries of their own before 2.34, which the executable therefore names
// (CMakeLists.txt). scripts/check-symbols tells when a compiler wants more.
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define OLDER(name)                                                                                                    \
    __asm__(".text\n.globl " #name "\n.hidden " #name "\n.type " #name ",@function\n" #name ":\n"                      \
            "\tjmp *sonde_older_" #name "@GOTPCREL(%rip)\n"                                                            \
            ".size " #name ", .-" #name "\n"                                                                           \
            ".symver sonde_older_" #name ", " #name "@GLIBC_2.2.5\n");

OLDER(exp)
OLDER(exp2)
OLDER(exp2f)
OLDER(log)
OLDER(log2)
OLDER(log2f)
OLDER(pow)
OLDER(hypot)
OLDER(dlopen)
OLDER(dlsym)
OLDER(dlerror)
OLDER(pthread_create)
OLDER(pthread_detach)
OLDER(pthread_join)
OLDER(pthread_once)
OLDER(pthread_key_create)
OLDER(__pthread_key_create)
OLDER(pthread_key_delete)
OLDER(pthread_getspecific)
OLDER(pthread_setspecific)
OLDER(pthread_mutexattr_init)
OLDER(pthread_mutexattr_settype)
OLDER(pthread_rwlock_rdlock)
OLDER(pthread_rwlock_wrlock)
OLDER(pthread_rwlock_unlock)

// Since 2.32 this says that no other thread runs, so that counters need no atomic operations. They may always use them.
HIDDEN char __libc_single_threaded = 0;

// Functions since 2.33, inline before; the kernel's structure is the C library's on this architecture.
static int status_of(int folder, const char* path, void* status, int flags) {
    long result;
    register long r10 __asm__("r10") = flags;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"((long)SYS_newfstatat), "D"((long)folder), "S"(path), "d"(status), "r"(r10)
                     : "rcx", "r11", "memory");
    if (result >= 0) return (int)result;
    extern int* __errno_location(void);
    *__errno_location() = (int)-result;
    return -1;
}
enum { kAtWorkingFolder = -100, kNoFollow = 0x100, kEmptyPath = 0x1000 };
HIDDEN int stat(const char* path, void* status) { return status_of(kAtWorkingFolder, path, status, 0); }
HIDDEN int lstat(const char* path, void* status) { return status_of(kAtWorkingFolder, path, status, kNoFollow); }
HIDDEN int fstat(int file, void* status) { return status_of(file, "", status, kEmptyPath); }
HIDDEN int stat64(const char* path, void* status) { return stat(path, status); }
HIDDEN int lstat64(const char* path, void* status) { return lstat(path, status); }
HIDDEN int fstat64(int file, void* status) { return fstat(file, status); }

// Since 2.25, and 2.36: the C++ runtime's sources of random numbers. This one every kernel has.
HIDDEN ssize_t getrandom(void* bytes, size_t count, unsigned flags) {
    (void)flags;
    const int source = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (source < 0) return -1;
    const ssize_t got = read(source, bytes, count);
    close(source);
    return got;
}
HIDDEN int getentropy(void* bytes, size_t count) { return getrandom(bytes, count, 0) == (ssize_t)count ? 0 : -1; }
HIDDEN unsigned arc4random(void) {
    unsigned number = 0;
    getentropy(&number, sizeof number);
    return number;
}

// Since 2.35: where an address's unwinding table is. The unwinder asks nobody else once it was compiled against this.
struct Sought {
    ElfW(Addr) address;
    struct dl_find_object* found;
};
static int is_it_here(struct dl_phdr_info* object, size_t bytes, void* data) {
    (void)bytes;
    struct Sought* sought = data;
    int inside = 0;
    const ElfW(Phdr)* table = NULL;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
        const ElfW(Addr) begin = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_GNU_EH_FRAME) table = segment;
        if (segment->p_type != PT_LOAD || sought->address < begin || sought->address >= begin + segment->p_memsz)
            continue;
        inside = 1;
        sought->found->dlfo_map_start = (void*)begin;
        sought->found->dlfo_map_end = (void*)(begin + segment->p_memsz);
    }
    if (!inside || !table) return 0;
    sought->found->dlfo_flags = 0;
    sought->found->dlfo_link_map = NULL;
    sought->found->dlfo_eh_frame = (void*)(object->dlpi_addr + table->p_vaddr);
    return 1;
}
HIDDEN int _dl_find_object(void* address, struct dl_find_object* found) {
    struct Sought sought = {(ElfW(Addr))address, found};
    return dl_iterate_phdr(is_it_here, &sought) == 1 ? 0 : -1;
}

// Since 2.34 the C library runs the executable's own constructors; before, it was handed a function that does.
typedef void Constructor(int, char**, char**);
extern Constructor* __init_array_start[] HIDDEN;
extern Constructor* __init_array_end[] HIDDEN;
static void construct(int argc, char** argv, char** environment) {
    for (Constructor** each = __init_array_start; each != __init_array_end; ++each) (*each)(argc, argv, environment);
}
typedef int Main(int, char**, char**);
extern int sonde_older_start(Main*, int, char**, Constructor*, void (*)(void), void (*)(void), void*);
__asm__(".symver sonde_older_start, __libc_start_main@GLIBC_2.2.5");
HIDDEN int __libc_start_main(Main* program, int argc, char** argv, Constructor* none, void (*finish)(void),
    void (*loader_finish)(void), void* stack_end) {
    (void)none;
    return sonde_older_start(program, argc, argv, construct, finish, loader_finish, stack_end);
}
