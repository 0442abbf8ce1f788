// Counts what a program allocates. Preloaded into the program, read from outside through a mapped file:
// no signal, no tracer, and the program itself is measured as it is shipped.
//
//   ALLOCATION_COUNTERS  a file of `struct counters`, made by whoever starts the program
//   ALLOCATION_STACKS    optional: a file that stacks are appended to while `stacks_wanted` is above zero

#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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
};

static struct counters unmapped;
static struct counters *counters = &unmapped;
static int stacks_file = -1;
// Initial-exec: the first use in a thread must not allocate.
static __thread int within __attribute__((tls_model("initial-exec")));

static void write_stack(void) {
    if (within || stacks_file < 0) return;
    if (atomic_fetch_sub_explicit(&counters->stacks_wanted, 1, memory_order_relaxed) <= 0) return;
    int saved = errno;
    within = 1;
    void *frames[DEPTH];
    int depth = backtrace(frames, DEPTH);
    backtrace_symbols_fd(frames, depth, stacks_file);
    if (write(stacks_file, "\n", 1) < 0) stacks_file = -1;
    within = 0;
    errno = saved;
}

static void count(size_t size) {
    atomic_fetch_add_explicit(&counters->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->bytes, size, memory_order_relaxed);
    if (atomic_load_explicit(&counters->stacks_wanted, memory_order_relaxed) > 0) write_stack();
}

__attribute__((constructor)) static void open_files(void) {
    const char *path = getenv("ALLOCATION_COUNTERS");
    if (!path) return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
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
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count(size);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    // POSIX: a power of two and a multiple of a pointer's size.
    if (alignment % sizeof(void *) || alignment == 0 || (alignment & (alignment - 1))) return EINVAL;
    count(size);
    void *block = __libc_memalign(alignment, size);
    if (!block) return ENOMEM;
    *result = block;
    return 0;
}
