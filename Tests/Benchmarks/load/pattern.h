// The text of every large body: both ends know what each byte has to be.
#ifndef PATTERN_H
#define PATTERN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A prime, so that what is shifted by any buffer's size differs.
enum { PATTERN_PERIOD = 4093, PATTERN_BYTES = 65536 };

void make_pattern(void);

// PATTERN_BYTES bytes of it from this place on.
const char *pattern_at(uint64_t place);

bool is_pattern(uint64_t place, const char *bytes, size_t count);

// A file in memory that begins with so many bytes of it.
int pattern_file(uint64_t count);
#endif
