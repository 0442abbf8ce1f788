#include "pattern.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wire.h"

static char pattern[PATTERN_PERIOD + PATTERN_BYTES];

void make_pattern(void) {
    uint32_t state = 1;
    for (size_t at = 0; at < PATTERN_PERIOD; at++) {
        state = state * 1664525 + 1013904223;
        pattern[at] = (char)(state >> 24);
    }
    for (size_t at = PATTERN_PERIOD; at < sizeof pattern; at++) pattern[at] = pattern[at - PATTERN_PERIOD];
}

const char *pattern_at(uint64_t place) { return pattern + place % PATTERN_PERIOD; }

bool is_pattern(uint64_t place, const char *bytes, size_t count) {
    while (count) {
        size_t part = count < PATTERN_BYTES ? count : PATTERN_BYTES;
        if (memcmp(pattern_at(place), bytes, part)) return false;
        place += part, bytes += part, count -= part;
    }
    return true;
}

int pattern_file(uint64_t count) {
    int file = memfd_create("pattern", MFD_CLOEXEC);
    for (uint64_t at = 0; file >= 0 && at < count;) {
        size_t part = count - at < PATTERN_BYTES ? (size_t)(count - at) : PATTERN_BYTES;
        ssize_t written = write(file, pattern_at(at), part);
        if (written <= 0) fail("no memory for a body");
        at += (uint64_t)written;
    }
    if (file < 0) fail("no memory for a body");
    return file;
}
