// What the load generators share: settings, the clock, loopback connections, answers as they arrive, and latencies.
#ifndef WIRE_H
#define WIRE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The head of an answer may renew the cookies of a session.
enum { HEAD_BYTES = 8192, READ_BYTES = 65536 };

// Ends the program with status 2 and a sentence.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The value of the argument `name=value`.
const char *text_setting(char **arguments, const char *name, const char *otherwise);
int64_t setting(char **arguments, const char *name, int64_t otherwise);

// A file as it is, with a zero behind it.
char *whole_file(const char *path, size_t *count);

// Nanoseconds that only ever grow.
int64_t now(void);

// Says that everything is open and warm, and returns when the script that started this says so.
void wait_for_start(void);

// A connection to 127.0.0.1 that is open or being opened, without delay and without blocking; below 0 with errno.
//
// Each address has 28,000 ports towards one server: with `sources`, 127.0.0.2 and so on are used in turn.
int open_connection(int port, unsigned sources);

// One answer as it arrives.
enum arrival { IN_HEAD, IN_BODY, IN_CHUNK_SIZE, IN_CHUNK, BEHIND_CHUNK, IN_TRAILER, UNTIL_CLOSE, COMPLETE, BROKEN };

struct answer {
    enum arrival state;
    int status;
    // Whether the server said that it will close the connection.
    bool closes;
    // Bytes of body seen, and those still to come of the body or of the chunk.
    uint64_t body, left;
    // Sees every byte of the body in order; may be NULL.
    void (*check)(struct answer *, const char *bytes, size_t count);
    void *owner;
    size_t line;
    size_t head_count;
    char head[HEAD_BYTES];
};

// Expects a new answer; `check` and `owner` stay.
void expect_answer(struct answer *);

// Reads on; returns how many bytes belong to this answer.
size_t take(struct answer *, const char *bytes, size_t count);

// Latencies with a resolution of 100 ns, up to two seconds.
struct latencies {
    uint32_t *buckets;
    uint64_t count;
    int64_t longest;
};

struct latencies new_latencies(void);
void record(struct latencies *, int64_t nanoseconds);
// In microseconds.
double percentile(const struct latencies *, double share);
#endif
