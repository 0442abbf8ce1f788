// The kinds of exchange that the soak is made of: what each sends, how it behaves, and what must come back.
#ifndef EXCHANGES_H
#define EXCHANGES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "es256.h"

enum kind {
    PLAIN, BEARER, DPOP, SESSION, SHORT, NO_TOKEN, BAD_TOKEN, NO_ROUTE, WRONG_METHOD, WRONG_HOST, MALFORMED, UPLOAD,
    CHUNKED_UPLOAD, CHUNKED_DOWNLOAD, LARGE_UPLOAD, LARGE_DOWNLOAD, WEBSOCKET, ABORTED_HEAD, ABORTED_WAIT,
    ABORTED_UPLOAD, ABORTED_DOWNLOAD, SLOW_HEAD, SLOW_UPLOAD, SLOW_READER, SLOW_ORIGIN, KINDS
};

extern const char *const kind_names[KINDS];

enum { OUT_BYTES = 65536, COOKIE_BYTES = 16384 };

// One exchange; `out` and `frames` are buffers that belong to whoever runs it.
struct exchange {
    enum kind kind;
    // What is sent: these bytes, and bytes of the pattern behind them, from a place on.
    char *out;
    size_t out_count;
    uint64_t tail, tail_from;
    // What is sent once a WebSocket is open, and must come back.
    char frames[256];
    size_t frame_count;
    // What must come back; nothing where the client is gone before (`gives_up`).
    int status;
    bool has_body;
    uint64_t body;
    char seen[32];
    // After so many bytes sent or received, where it is not 0, the client goes away, at times by a reset.
    bool gives_up, resets;
    uint64_t stop_sending, stop_receiving;
    // Bytes in each tick of five milliseconds; 0 for as many as there are.
    size_t pace;
    // Whether no other exchange may follow on this connection.
    bool ends;
};

// What all exchanges are made from.
struct parts {
    int port;
    const char **tokens;
    size_t token_count;
    // What browsers with a session send as `Cookie`; all of them are user-000001's.
    const char **cookies;
    size_t cookie_count;
    struct client *prover;
    char run[RUN_BYTES];
    long proofs;
    uint64_t random;
};

// The next random number below `limit`: the same ones in each run with the same seed.
uint64_t below(struct parts *, uint64_t limit);

// Makes the next exchange: of a random kind, in the proportions of a busy day with some trouble in it.
void make_exchange(struct parts *, struct exchange *);
#endif
