// Counts what a program allocates. Preloaded into the program, read from outside through a mapped file:
// no signal, no tracer, and the program itself is measured as it is shipped.
//
//   ALLOCATION_COUNTERS  a file of `struct counters`, made by whoever starts the program
//   ALLOCATION_STACKS    optional: a file that stacks are appended to while `stacks_wanted` is above zero

#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEPTH 24

// glibc's own entries behind malloc and its like: no dlsym, which would allocate before it answers.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

struct counters {
    _Atomic uint64_t calls;
    _Atomic uint64_t bytes;
    _Atomic int64_t stacks_wanted;
    // Those of the calls that OpenSSL's libcrypto makes: how many there are for a signature is up to its release.
    _Atomic uint64_t cryptography;
};

static struct counters unmapped;
static struct counters *counters = &unmapped;
static int stacks_file = -1;
// Initial-exec: the first use in a thread must not allocate.
static __thread int within __attribute__((tls_model("initial-exec")));

// The highest address of this thread's stack.
static uintptr_t stack_end(void) {
    static __thread uintptr_t end __attribute__((tls_model("initial-exec")));
    pthread_attr_t attributes;
    void *start;
    size_t size;
    if (end || pthread_getattr_np(pthread_self(), &attributes)) return end;
    if (!pthread_attr_getstack(&attributes, &start, &size)) end = (uintptr_t)start + size;
    pthread_attr_destroy(&attributes);
    return end;
}

// Who called, by the frames' pointers: a program that is shipped without tables for unwinding has nothing else.
static int walk(void **frames, int most) {
    uintptr_t end = stack_end();
    uintptr_t *frame = __builtin_frame_address(0);
    int depth = 0;
    while (depth < most && (uintptr_t)(frame + 2) <= end) {
        frames[depth++] = (void *)frame[1];
        // Of an asynchronous function of Swift's the pointer has a mark in the highest bits.
        uintptr_t next = frame[0] & 0x0fffffffffffffff;
        if (next <= (uintptr_t)frame || next % sizeof(uintptr_t)) break;
        frame = (uintptr_t *)next;
    }
    return depth;
}

static void write_stack(void) {
    if (within || stacks_file < 0) return;
    if (atomic_fetch_sub_explicit(&counters->stacks_wanted, 1, memory_order_relaxed) <= 0) return;
    int saved = errno;
    within = 1;
    void *unwound[DEPTH], *walked[DEPTH];
    int depth = backtrace(unwound, DEPTH), other = walk(walked, DEPTH);
    // A library without such pointers has tables, and the other way round.
    backtrace_symbols_fd(other > depth ? walked : unwound, other > depth ? other : depth, stacks_file);
    if (write(stacks_file, "\n", 1) < 0) stacks_file = -1;
    within = 0;
    errno = saved;
}

// Where libcrypto's code is.
static uintptr_t cryptography_start, cryptography_end;

static int find_cryptography(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    if (!strstr(object->dlpi_name, "/libcrypto.so")) return 0;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[index];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        cryptography_start = object->dlpi_addr + part->p_vaddr;
        cryptography_end = cryptography_start + part->p_memsz;
    }
    return 1;
}

static void count(size_t size, void *caller) {
    atomic_fetch_add_explicit(&counters->calls, 1, memory_order_relaxed);
    if ((uintptr_t)caller - cryptography_start < cryptography_end - cryptography_start)
        atomic_fetch_add_explicit(&counters->cryptography, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->bytes, size, memory_order_relaxed);
    if (atomic_load_explicit(&counters->stacks_wanted, memory_order_relaxed) > 0) write_stack();
}

__attribute__((constructor)) static void open_files(void) {
    const char *path = getenv("ALLOCATION_COUNTERS");
    if (!path) return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    dl_iterate_phdr(find_cryptography, NULL);
    void *mapped = mmap(NULL, sizeof(struct counters), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    const char *stacks = getenv("ALLOCATION_STACKS");
    if (stacks) {
        // The first backtrace loads the unwinder, which allocates: not while it counts.
        void *frame;
        backtrace(&frame, 1);
        stacks_file = open(stacks, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
    if (mapped != MAP_FAILED) counters = mapped;
}

void *malloc(size_t size) {
    count(size, __builtin_return_address(0));
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size, __builtin_return_address(0));
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count(size, __builtin_return_address(0));
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    count(size, __builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(size, __builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    // POSIX: a power of two and a multiple of a pointer's size.
    if (alignment % sizeof(void *) || alignment == 0 || (alignment & (alignment - 1))) return EINVAL;
    count(size, __builtin_return_address(0));
    void *block = __libc_memalign(alignment, size);
    if (!block) return ENOMEM;
    *result = block;
    return 0;
}
