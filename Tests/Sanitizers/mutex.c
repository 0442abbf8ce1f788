// Tells the thread sanitizer of the part of Swift's Mutex that it cannot see.
//
// On Linux a Mutex that is free is taken and left by code inlined into its user, which the sanitizer reads. One that is
// contended goes through the two functions below, in a library that was not built with it: what the lock orders looks
// like a race to it then. They are put before the library's (LD_PRELOAD, by `deploy/test --sanitize thread`), say what
// happens, and call it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>

// The sanitizer's own words; absent from processes without it, which inherit the environment.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

// Swift's convention: `self` in a register of its own.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*Lock)(uint32_t thread, SELF void *mutex);
typedef SWIFT void (*Unlock)(SELF void *mutex);

SWIFT void portcullis_lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void portcullis_unlock(SELF void *mutex) __asm__(UNLOCK);

static void *next(_Atomic(void *) *known, const char *name) {
    void *found = atomic_load_explicit(known, memory_order_relaxed);
    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        atomic_store_explicit(known, found, memory_order_relaxed);
    }
    return found;
}

SWIFT void portcullis_lock(uint32_t thread, SELF void *mutex) {
    static _Atomic(void *) known;
    ((Lock)next(&known, LOCK))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void portcullis_unlock(SELF void *mutex) {
    static _Atomic(void *) known;
    if (__tsan_release) __tsan_release(mutex);
    ((Unlock)next(&known, UNLOCK))(mutex);
}
