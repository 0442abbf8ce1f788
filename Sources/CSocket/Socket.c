#define _GNU_SOURCE
#include "CSocket.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int portcullis_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// The numbers are those of all architectures.
int portcullis_landlock_programs(void) {
    const unsigned long long execute = 1;  // LANDLOCK_ACCESS_FS_EXECUTE, and no rule that permits it anywhere
    const int rules = (int)syscall(444 /* landlock_create_ruleset */, &execute, sizeof execute, 0);
    if (rules < 0) return -1;
    const int result = (int)syscall(446 /* landlock_restrict_self */, rules, 0);
    close(rules);
    return result;
}

int portcullis_filter_programs(void) {
#if defined(__x86_64__)
    const unsigned architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    const unsigned architecture = AUDIT_ARCH_AARCH64;
#else
#error "the numbers of this architecture's system calls are not known here"
#endif
    const unsigned refused = SECCOMP_RET_ERRNO | 1 /* EPERM */, passed = SECCOMP_RET_ALLOW;
    struct sock_filter code[] = {
        {0x20, 0, 0, offsetof(struct seccomp_data, arch)},  // ld   the architecture
        {0x15, 0, 9, architecture},                         // jeq  ours, next, refuse: its numbers would be others
        {0x20, 0, 0, offsetof(struct seccomp_data, nr)},    // ld   the call
        {0x35, 7, 0, 0x40000000},                           // jge  of x32, refuse: the same calls by other numbers
        {0x15, 6, 0, SYS_execve},                           // jeq  refuse
        {0x15, 5, 0, SYS_execveat},
        {0x15, 4, 0, SYS_ptrace},
        {0x15, 3, 0, SYS_process_vm_readv},
        {0x15, 2, 0, SYS_process_vm_writev},
        {0x15, 1, 0, SYS_pidfd_getfd},
        {0x06, 0, 0, passed},                               // ret
        {0x06, 0, 0, refused},                              // ret
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int portcullis_forbid_programs(void) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return portcullis_landlock_programs() == 0 ? 0 : portcullis_filter_programs();
}

int portcullis_accept(int listener, void *address, uint32_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// Of a TCP header, the byte with the flags: SYN set and ACK not.
int portcullis_refuse_connections(int listener) {
    struct sock_filter code[] = {
        {0x30, 0, 0, 13},          // ldb  [13]
        {0x54, 0, 0, 0x12},        // and  #SYN|ACK
        {0x15, 0, 1, 0x02},        // jeq  #SYN, next, skip
        {0x06, 0, 0, 0},           // ret  #0
        {0x06, 0, 0, 0xffffffff},  // ret  #-1
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    return setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

int portcullis_pipe(int ends[2]) { return pipe2(ends, O_NONBLOCK | O_CLOEXEC); }

int portcullis_pipe_capacity(int pipe, int capacity) { return fcntl(pipe, F_SETPIPE_SZ, capacity); }

long portcullis_splice(int from, int to, long count) {
    return splice(from, 0, to, 0, count, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
}

void portcullis_give_memory_back(void) { malloc_trim(0); }
