#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUCKETS = 20000000, BUCKET_NANOSECONDS = 100 };

void fail(const char *format, ...) {
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    exit(2);
}

const char *text_setting(char **arguments, const char *name, const char *otherwise) {
    size_t length = strlen(name);
    for (char **one = arguments + 1; *one; one++)
        if (!strncmp(*one, name, length) && (*one)[length] == '=') return *one + length + 1;
    return otherwise;
}

int64_t setting(char **arguments, const char *name, int64_t otherwise) {
    const char *text = text_setting(arguments, name, NULL);
    if (!text) return otherwise;
    char *end;
    int64_t value = strtoll(text, &end, 10);
    if (end == text || *end || value < 0) fail("%s is not a number: %s", name, text);
    return value;
}

char *whole_file(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail("%s: %s", path, strerror(errno));
    long size = ftell(file);
    char *bytes = size < 0 ? NULL : malloc((size_t)size + 1);
    rewind(file);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) fail("%s cannot be read", path);
    fclose(file);
    bytes[size] = 0;
    *count = (size_t)size;
    return bytes;
}

int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void wait_for_start(void) {
    char word;
    puts("READY");
    fflush(stdout);
    if (read(STDIN_FILENO, &word, 1) != 1) fail("nobody said when to start");
}

int open_connection(int port, unsigned sources) {
    static unsigned turn;
    int one = 1, descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (sources) {
        struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + turn++ % sources)};
        // Lets the kernel choose the port when it knows the server, so that ports of other servers do not count.
        setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
        if (bind(descriptor, (struct sockaddr *)&from, sizeof from)) fail("bind: %s", strerror(errno));
    }
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connect(descriptor, (struct sockaddr *)&to, sizeof to) && errno != EINPROGRESS) {
        int reason = errno;
        close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}

void expect_answer(struct answer *answer) {
    answer->state = IN_HEAD;
    answer->status = 0;
    answer->closes = false;
    answer->body = answer->left = 0;
    answer->line = answer->head_count = 0;
}

static bool named(const char *line, const char *name, const char **value) {
    size_t length = strlen(name);
    if (strncasecmp(line, name, length)) return false;
    *value = line + length + strspn(line + length, " \t");
    return true;
}

// Strict enough that a wrong byte shows: these heads are made by the servers under test.
static void read_head(struct answer *answer, size_t length) {
    char *line = answer->head;
    answer->head[length - 2] = 0;
    if (strncmp(line, "HTTP/1.1 ", 9) || strspn(line + 9, "0123456789") != 3) {
        answer->state = BROKEN;
        return;
    }
    answer->status = atoi(line + 9);
    bool has_length = false, chunked = false;
    while ((line = strstr(line, "\r\n")) && line[2]) {
        const char *value;
        line += 2;
        if (named(line, "content-length:", &value)) {
            answer->left = strtoull(value, NULL, 10);
            has_length = true;
        } else if (named(line, "transfer-encoding:", &value)) {
            chunked = !strncasecmp(value, "chunked", 7);
        } else if (named(line, "connection:", &value)) {
            answer->closes = !strncasecmp(value, "close", 5);
        }
    }
    if (answer->status / 100 == 1 && answer->status != 101) {
        expect_answer(answer);
    } else if (answer->status == 101 || answer->status == 204 || answer->status == 304) {
        answer->state = COMPLETE;
    } else if (chunked) {
        answer->state = has_length ? BROKEN : IN_CHUNK_SIZE;
    } else if (has_length) {
        answer->state = answer->left ? IN_BODY : COMPLETE;
    } else {
        answer->state = UNTIL_CLOSE;
    }
}

static size_t take_head(struct answer *answer, const char *bytes, size_t count) {
    size_t before = answer->head_count, room = sizeof answer->head - before;
    size_t copied = count < room ? count : room;
    memcpy(answer->head + before, bytes, copied);
    size_t from = before < 3 ? 0 : before - 3;
    char *end = memmem(answer->head + from, before + copied - from, "\r\n\r\n", 4);
    if (!end) {
        answer->head_count += copied;
        if (copied == room) answer->state = BROKEN;
        return copied;
    }
    size_t length = (size_t)(end + 4 - answer->head);
    read_head(answer, length);
    return length - before;
}

static size_t take_body(struct answer *answer, const char *bytes, size_t count) {
    if (answer->state != UNTIL_CLOSE && count > answer->left) count = answer->left;
    if (answer->check) answer->check(answer, bytes, count);
    answer->body += count;
    if (answer->state == UNTIL_CLOSE) return count;
    answer->left -= count;
    if (!answer->left) answer->state = answer->state == IN_BODY ? COMPLETE : BEHIND_CHUNK;
    return count;
}

// A byte between chunks; extensions are not expected of these servers.
static void take_frame(struct answer *answer, char byte) {
    if (byte != '\n') {
        answer->line += byte != '\r';
        if (byte == '\r') return;
        if (answer->state == BEHIND_CHUNK) answer->state = BROKEN;
        if (answer->state != IN_CHUNK_SIZE) return;
        int digit = byte <= '9' ? byte - '0' : (byte | 32) - 'a' + 10;
        if (digit < 0 || digit > 15 || answer->left >> 56) answer->state = BROKEN;
        answer->left = answer->left << 4 | (unsigned)digit;
        return;
    }
    size_t length = answer->line;
    answer->line = 0;
    if (answer->state == IN_CHUNK_SIZE)
        answer->state = !length ? BROKEN : answer->left ? IN_CHUNK : IN_TRAILER;
    else if (answer->state == BEHIND_CHUNK)
        answer->state = IN_CHUNK_SIZE;
    else if (!length)
        answer->state = COMPLETE;
}

size_t take(struct answer *answer, const char *bytes, size_t count) {
    size_t used = 0;
    while (used < count && answer->state < COMPLETE) {
        if (answer->state == IN_HEAD)
            used += take_head(answer, bytes + used, count - used);
        else if (answer->state == IN_BODY || answer->state == IN_CHUNK || answer->state == UNTIL_CLOSE)
            used += take_body(answer, bytes + used, count - used);
        else
            take_frame(answer, bytes[used++]);
    }
    return used;
}

struct latencies new_latencies(void) {
    // Untouched pages of it take no memory.
    struct latencies made = {.buckets = calloc(BUCKETS, sizeof(uint32_t))};
    if (!made.buckets) fail("no memory");
    return made;
}

void record(struct latencies *latencies, int64_t nanoseconds) {
    int64_t bucket = nanoseconds / BUCKET_NANOSECONDS;
    latencies->buckets[bucket < 0 ? 0 : bucket < BUCKETS ? bucket : BUCKETS - 1]++;
    latencies->count++;
    if (nanoseconds > latencies->longest) latencies->longest = nanoseconds;
}

double percentile(const struct latencies *latencies, double share) {
    uint64_t wanted = (uint64_t)((double)latencies->count * share), seen = 0;
    for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
        seen += latencies->buckets[bucket];
        if (seen > wanted || (seen && seen == latencies->count)) return (double)bucket * BUCKET_NANOSECONDS / 1e3;
    }
    return 0;
}
