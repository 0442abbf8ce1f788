#include "template.h"

#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VALUE_MARK = 1, REST_MARK = 2 };

void read_template(struct template *template, const char *path) {
    size_t count;
    char *text = whole_file(path, &count);
    char *mark = memchr(text, VALUE_MARK, count);
    template->before = text;
    template->before_count = mark ? (size_t)(mark - text) : count;
    template->behind = mark ? mark + 1 : text;
    template->behind_count = mark ? count - template->before_count - 1 : 0;
    char *rest = mark ? memchr(template->behind, REST_MARK, template->behind_count) : NULL;
    if (!rest) return;
    template->between = template->behind;
    template->between_count = (size_t)(rest - template->between);
    template->behind = rest + 1;
    template->behind_count -= template->between_count + 1;
}

void read_values(struct template *template, const char *path) {
    if (!path) return;
    int file = open(path, O_RDONLY);
    struct stat about;
    if (file < 0 || fstat(file, &about)) fail("%s: %s", path, strerror(errno));
    char *text = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (text == MAP_FAILED) fail("%s: %s", path, strerror(errno));
    close(file);
    size_t room = 0;
    char *at = text, *end = text + about.st_size;
    while (at < end) {
        if (template->value_count + 2 > room) {
            room = room ? room * 2 : 1024;
            template->values = realloc(template->values, room * sizeof *template->values);
            if (!template->values) fail("no memory");
        }
        template->values[template->value_count++] = at;
        char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end) fail("%s: the last line does not end", path);
        at = line_end + 1;
    }
    template->values[template->value_count] = end;
}

size_t put_together(const struct template *template, size_t place, char *request) {
    size_t count = template->before_count;
    memcpy(request, template->before, count);
    if (!template->value_count) return count;
    const char *value = template->values[place];
    size_t length = (size_t)(template->values[place + 1] - value) - 1;
    if (count + length + template->between_count + template->behind_count > REQUEST_BYTES) fail("a request is too long");
    const char *space = template->between ? memchr(value, ' ', length) : NULL;
    if (template->between && !space) fail("a line of the values has one part");
    if (space) {
        size_t first = (size_t)(space - value);
        memcpy(request + count, value, first);
        memcpy(request + count + first, template->between, template->between_count);
        count += first + template->between_count;
        value += first + 1, length -= first + 1;
    }
    memcpy(request + count, value, length);
    memcpy(request + count + length, template->behind, template->behind_count);
    return count + length + template->behind_count;
}
