// Counts the system calls of a program by name. Preloaded into the program, read from outside through a mapped file: no tracer,
// which would need a permission and would stop the program at each of them.
//
//   SYSTEM_CALL_COUNTERS  a file of `struct entry`, made by whoever starts the program
//
// Counted are the functions of libc that a server's loop, its links and its files go by. What libc does by itself, such as
// to wait for a lock that another thread has, is not seen.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct entry {
    char name[24];
    _Atomic uint64_t calls;
};

// Room for all that follow; whoever reads them goes by those that have a name.
#define ENTRIES 64

static struct entry unmapped[ENTRIES];
static struct entry *entries = unmapped;
static unsigned int used;

static unsigned int take(const char *name) {
    strncpy(unmapped[used].name, name, sizeof unmapped->name - 1);
    return used++;
}

// What counts a function, and what libc has in its place. Constructors run by their numbers, the smallest first; but those of
// other libraries may call what has none yet.
#define COUNTER(type, name, parameters)                                                                                \
    static unsigned int place_of_##name;                                                                               \
    static type(*libc_##name) parameters;                                                                              \
    __attribute__((constructor(101))) static void prepare_##name(void) {                                               \
        place_of_##name = take(#name);                                                                                 \
    }                                                                                                                  \
    static void count_##name(void) {                                                                                   \
        if (!libc_##name) *(void **)&libc_##name = dlsym(RTLD_NEXT, #name);                                            \
        atomic_fetch_add_explicit(&entries[place_of_##name].calls, 1, memory_order_relaxed);                           \
    }

#define COUNTED(type, name, parameters, arguments)                                                                     \
    COUNTER(type, name, parameters)                                                                                    \
    type name parameters {                                                                                             \
        count_##name();                                                                                                \
        return libc_##name arguments;                                                                                  \
    }

COUNTED(int, accept, (int file, struct sockaddr *address, socklen_t *size), (file, address, size))
COUNTED(int, accept4, (int file, struct sockaddr *address, socklen_t *size, int flags), (file, address, size, flags))
COUNTED(int, close, (int file), (file))
COUNTED(int, connect, (int file, const struct sockaddr *address, socklen_t size), (file, address, size))
COUNTED(int, epoll_ctl, (int loop, int what, int file, struct epoll_event *event), (loop, what, file, event))
COUNTED(int, epoll_wait, (int loop, struct epoll_event *events, int most, int timeout), (loop, events, most, timeout))
COUNTED(int, eventfd_read, (int file, eventfd_t *value), (file, value))
COUNTED(int, eventfd_write, (int file, eventfd_t value), (file, value))
COUNTED(int, getpeername, (int file, struct sockaddr *address, socklen_t *size), (file, address, size))
COUNTED(int, getsockname, (int file, struct sockaddr *address, socklen_t *size), (file, address, size))
COUNTED(int, getsockopt, (int file, int level, int name, void *value, socklen_t *size), (file, level, name, value, size))
COUNTED(int, madvise, (void *start, size_t size, int advice), (start, size, advice))
COUNTED(int, munmap, (void *start, size_t size), (start, size))
COUNTED(ssize_t, pread, (int file, void *bytes, size_t size, off_t place), (file, bytes, size, place))
COUNTED(ssize_t, pwrite, (int file, const void *bytes, size_t size, off_t place), (file, bytes, size, place))
COUNTED(ssize_t, read, (int file, void *bytes, size_t size), (file, bytes, size))
COUNTED(ssize_t, readv, (int file, const struct iovec *parts, int count), (file, parts, count))
COUNTED(ssize_t, recv, (int file, void *bytes, size_t size, int flags), (file, bytes, size, flags))
COUNTED(ssize_t, recvfrom, (int file, void *bytes, size_t size, int flags, struct sockaddr *from, socklen_t *length),
        (file, bytes, size, flags, from, length))
COUNTED(ssize_t, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))
COUNTED(ssize_t, send, (int file, const void *bytes, size_t size, int flags), (file, bytes, size, flags))
COUNTED(ssize_t, sendfile, (int to, int from, off_t *place, size_t size), (to, from, place, size))
COUNTED(ssize_t, sendmsg, (int file, const struct msghdr *message, int flags), (file, message, flags))
COUNTED(ssize_t, sendto, (int file, const void *bytes, size_t size, int flags, const struct sockaddr *to, socklen_t length),
        (file, bytes, size, flags, to, length))
COUNTED(int, setsockopt, (int file, int level, int name, const void *value, socklen_t size), (file, level, name, value, size))
COUNTED(int, shutdown, (int file, int how), (file, how))
COUNTED(int, socket, (int family, int kind, int protocol), (family, kind, protocol))
COUNTED(ssize_t, splice, (int from, off64_t *start, int to, off64_t *place, size_t size, unsigned int flags),
        (from, start, to, place, size, flags))
COUNTED(int, timerfd_settime, (int file, int flags, const struct itimerspec *value, struct itimerspec *old),
        (file, flags, value, old))
COUNTED(ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size))
COUNTED(ssize_t, writev, (int file, const struct iovec *parts, int count), (file, parts, count))

// With arguments that are there or not: one too many is no harm.
#define COUNTED_WITH_MORE(type, name, parameters, last, arguments)                                                     \
    COUNTER(type, name, parameters)                                                                                    \
    type name parameters {                                                                                             \
        long more[6];                                                                                                  \
        va_list given;                                                                                                 \
        va_start(given, last);                                                                                         \
        for (int index = 0; index < 6; index++) more[index] = va_arg(given, long);                                     \
        va_end(given);                                                                                                 \
        count_##name();                                                                                                \
        return libc_##name arguments;                                                                                  \
    }

COUNTED_WITH_MORE(int, fcntl, (int file, int what, ...), what, (file, what, more[0]))
COUNTED_WITH_MORE(int, ioctl, (int file, unsigned long what, ...), what, (file, what, more[0]))
COUNTED_WITH_MORE(int, open, (const char *path, int flags, ...), flags, (path, flags, more[0]))
COUNTED_WITH_MORE(int, openat, (int folder, const char *path, int flags, ...), flags, (folder, path, flags, more[0]))
COUNTED_WITH_MORE(long, syscall, (long number, ...), number,
                  (number, more[0], more[1], more[2], more[3], more[4], more[5]))

// After those above: all have their names.
__attribute__((constructor(102))) static void map_file(void) {
    const char *path = getenv("SYSTEM_CALL_COUNTERS");
    if (!path) return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    struct entry *mapped = mmap(NULL, sizeof unmapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED) return;
    memcpy(mapped, unmapped, sizeof unmapped);
    entries = mapped;
}
