// Requests that differ in one value each.
#ifndef TEMPLATE_H
#define TEMPLATE_H
#include <stddef.h>

enum { REQUEST_BYTES = 8192 };

struct template {
    // Before the value, between its two parts where it has two, and behind it.
    const char *before, *between, *behind;
    size_t before_count, between_count, behind_count;
    // Where each line of the values begins, and where the last one ends.
    const char **values;
    size_t value_count;
};

// Reads one whole request, with a byte 1 where a value goes; where it has a byte 2 as well, what stands before the value's
// first space is put in place of byte 1, and the rest in place of byte 2.
void read_template(struct template *, const char *path);

// Reads the values, a line each; none without a path.
void read_values(struct template *, const char *path);

// Puts a request together with the value of this place; its length.
size_t put_together(const struct template *, size_t place, char *request);
#endif
