#include "exchanges.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pattern.h"
#include "wire.h"

const char *const kind_names[KINDS] = {
    "plain", "bearer", "dpop", "session", "short", "no token", "bad token", "no route", "wrong method", "wrong host",
    "malformed", "upload", "chunked upload", "chunked download", "large upload", "large download", "websocket", "aborted head",
    "aborted wait", "aborted upload", "aborted download", "slow head", "slow upload", "slow reader", "slow origin"};

// Of ten thousand. Proofs are remembered for minutes, so that many of them would look like a leak; soak-dpop is theirs.
static const unsigned shares[KINDS] = {
    [PLAIN] = 3540, [BEARER] = 3000, [DPOP] = 10, [SESSION] = 500, [SHORT] = 300, [NO_TOKEN] = 300, [BAD_TOKEN] = 300,
    [NO_ROUTE] = 200, [WRONG_METHOD] = 100, [WRONG_HOST] = 50, [MALFORMED] = 50, [UPLOAD] = 500, [CHUNKED_UPLOAD] = 300,
    [CHUNKED_DOWNLOAD] = 300, [LARGE_UPLOAD] = 15, [LARGE_DOWNLOAD] = 25, [WEBSOCKET] = 100, [ABORTED_HEAD] = 100,
    [ABORTED_WAIT] = 100, [ABORTED_UPLOAD] = 50, [ABORTED_DOWNLOAD] = 50, [SLOW_HEAD] = 10, [SLOW_UPLOAD] = 10,
    [SLOW_READER] = 10, [SLOW_ORIGIN] = 80};

static const char fields[] =
    "User-Agent: okhttp/4.12.0\r\nAccept: application/json\r\nAccept-Encoding: gzip, deflate, br\r\n"
    "Accept-Language: en-GB,en;q=0.8\r\n";

uint64_t below(struct parts *parts, uint64_t limit) {
    // xorshift64*: fast, and good enough to mix kinds.
    uint64_t value = parts->random;
    value ^= value >> 12, value ^= value << 25, value ^= value >> 27;
    parts->random = value;
    return (value * UINT64_C(2685821657736338717) >> 33) % limit;
}

static void append(struct exchange *exchange, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct exchange *exchange, const char *format, ...) {
    va_list values;
    va_start(values, format);
    size_t room = OUT_BYTES - exchange->out_count;
    int count = vsnprintf(exchange->out + exchange->out_count, room, format, values);
    va_end(values);
    if (count < 0 || (size_t)count >= room) fail("a request is too long");
    exchange->out_count += (size_t)count;
}

static void append_pattern(struct exchange *exchange, uint64_t from, size_t count) {
    if (count > OUT_BYTES - exchange->out_count) fail("a request is too long");
    memcpy(exchange->out + exchange->out_count, pattern_at(from), count);
    exchange->out_count += count;
}

static void begin(struct parts *parts, struct exchange *exchange, const char *line) {
    append(exchange, "%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s", line, parts->port, fields);
}

// A request without a body, and how many bytes of the pattern it asks for.
static void get(struct parts *parts, struct exchange *exchange, const char *path, uint64_t count, const char *more) {
    char line[96];
    snprintf(line, sizeof line, "GET %s%lu", path, count);
    begin(parts, exchange, line);
    append(exchange, "%s\r\n", more);
    exchange->status = 200;
    exchange->has_body = true;
    exchange->body = count;
}

static void refused(struct parts *parts, struct exchange *exchange, const char *line, const char *more, int status) {
    begin(parts, exchange, line);
    append(exchange, "%s\r\n", more);
    exchange->status = status;
}

static void upload(struct parts *parts, struct exchange *exchange, uint64_t count) {
    begin(parts, exchange, "POST /public/check");
    append(exchange, "Content-Type: application/octet-stream\r\nContent-Length: %lu\r\n\r\n", count);
    size_t here = OUT_BYTES - exchange->out_count;
    if (here > count) here = (size_t)count;
    append_pattern(exchange, 0, here);
    exchange->tail_from = here;
    exchange->tail = count - here;
    exchange->status = 200;
    exchange->body = count;
}

static void chunked_upload(struct parts *parts, struct exchange *exchange, uint64_t count) {
    begin(parts, exchange, "POST /public/check");
    append(exchange, "Content-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (uint64_t at = 0; at < count;) {
        uint64_t part = 1 + below(parts, 4000);
        if (part > count - at) part = count - at;
        append(exchange, "%lx\r\n", part);
        append_pattern(exchange, at, (size_t)part);
        append(exchange, "\r\n");
        at += part;
    }
    append(exchange, "0\r\n\r\n");
    exchange->status = 200;
    exchange->body = count;
}

static void with_token(struct parts *parts, struct exchange *exchange, bool is_good) {
    char more[TEXT_BYTES];
    size_t number = below(parts, parts->token_count);
    const char *token = parts->tokens[number];
    int count = snprintf(more, sizeof more, "Authorization: Bearer %.*s\r\n", (int)strcspn(token, "\n"), token);
    if (is_good) {
        get(parts, exchange, "/api/bytes/", 300, more);
        snprintf(exchange->seen, sizeof exchange->seen, "user-%07zu", number + 1);
    } else {
        char *changed = more + count - 42;
        *changed = *changed == 'A' ? 'B' : 'A';
        refused(parts, exchange, "GET /api/bytes/300", more, 401);
    }
}

static void with_proof(struct parts *parts, struct exchange *exchange) {
    char target[96], more[4 * TEXT_BYTES], proof[2 * TEXT_BYTES];
    snprintf(target, sizeof target, "https://127.0.0.1:%d/api/bytes/300", parts->port);
    write_proof(parts->prover, "GET", target, parts->run, parts->proofs++, proof);
    snprintf(more, sizeof more, "Authorization: DPoP %s\r\nDPoP: %s\r\n", parts->prover->token, proof);
    get(parts, exchange, "/api/bytes/", 300, more);
    strcpy(exchange->seen, "user-000001");
}

static void with_session(struct parts *parts, struct exchange *exchange) {
    char more[COOKIE_BYTES];
    const char *cookie = parts->cookies[below(parts, parts->cookie_count)];
    int count = snprintf(more, sizeof more, "Cookie: %.*s\r\n", (int)strcspn(cookie, "\n"), cookie);
    if (count < 0 || (size_t)count >= sizeof more) fail("a cookie is too long");
    get(parts, exchange, "/app/bytes/", 300, more);
    strcpy(exchange->seen, "user-000001");
}

static void websocket(struct parts *parts, struct exchange *exchange) {
    refused(parts, exchange, "GET /public/socket", "Connection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", 101);
    // One masked text frame (RFC 6455 §5.2).
    size_t count = 1 + below(parts, 120);
    const char head[] = {(char)0x81, (char)(0x80 | count), 1, 2, 3, 4};
    memcpy(exchange->frames, head, sizeof head);
    for (size_t at = 0; at < count; at++) exchange->frames[sizeof head + at] = (char)(('a' + at % 26) ^ head[2 + at % 4]);
    exchange->frame_count = sizeof head + count;
    exchange->ends = true;
}

static void give_up(struct parts *parts, struct exchange *exchange, uint64_t sending, uint64_t receiving) {
    exchange->gives_up = exchange->ends = true;
    exchange->resets = below(parts, 2);
    exchange->stop_sending = sending;
    exchange->stop_receiving = receiving;
}

static enum kind random_kind(struct parts *parts) {
    uint64_t at = below(parts, 10000);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        if (at < shares[kind]) return kind;
        at -= shares[kind];
    }
    return PLAIN;
}

static void make_faulty(struct parts *parts, struct exchange *exchange) {
    switch (exchange->kind) {
        case NO_TOKEN: return refused(parts, exchange, "GET /api/bytes/300", "", 401);
        case BAD_TOKEN: return with_token(parts, exchange, false);
        case NO_ROUTE: return refused(parts, exchange, "GET /nowhere", "", 404);
        case WRONG_METHOD: return refused(parts, exchange, "DELETE /public/bytes/1", "", 405);
        case WRONG_HOST:
            append(exchange, "GET /public/bytes/1 HTTP/1.1\r\nHost: elsewhere.test\r\n\r\n");
            exchange->status = 421;
            return;
        default:
            refused(parts, exchange, "GET /public/bytes/1", "Not a name: 1\r\n", 400);
            exchange->ends = true;
    }
}

static void make_impatient(struct parts *parts, struct exchange *exchange) {
    switch (exchange->kind) {
        case ABORTED_HEAD:
            get(parts, exchange, "/public/bytes/", 200, "");
            return give_up(parts, exchange, 1 + below(parts, exchange->out_count - 1), 0);
        case ABORTED_WAIT:
            get(parts, exchange, "/public/slow/20/", 200, "");
            return give_up(parts, exchange, exchange->out_count, 0);
        case ABORTED_UPLOAD:
            upload(parts, exchange, 100000 + below(parts, 100000));
            return give_up(parts, exchange, 200 + below(parts, 90000), 0);
        default:
            get(parts, exchange, "/public/bytes/", 300000, "");
            return give_up(parts, exchange, 0, 1 + below(parts, 200000));
    }
}

static void make_slow(struct parts *parts, struct exchange *exchange) {
    switch (exchange->kind) {
        case SLOW_HEAD:
            get(parts, exchange, "/public/bytes/", 200, "");
            exchange->pace = 1 + below(parts, 20);
            return;
        case SLOW_UPLOAD:
            upload(parts, exchange, 20000 + below(parts, 100000));
            exchange->pace = 1000;
            return;
        case SLOW_READER:
            get(parts, exchange, "/public/bytes/", 200000, "");
            exchange->pace = 4000;
            return;
        default: get(parts, exchange, "/public/slow/50/", 200, "");
    }
}

void make_exchange(struct parts *parts, struct exchange *exchange) {
    char *out = exchange->out;
    *exchange = (struct exchange){.kind = random_kind(parts), .out = out};
    switch (exchange->kind) {
        case PLAIN: return get(parts, exchange, "/public/bytes/", 200, "");
        case BEARER: return with_token(parts, exchange, true);
        case DPOP: return with_proof(parts, exchange);
        case SESSION: return with_session(parts, exchange);
        case SHORT:
            get(parts, exchange, "/public/bytes/", 200, "Connection: close\r\n");
            exchange->ends = true;
            return;
        case UPLOAD: return upload(parts, exchange, 1 + below(parts, 20000));
        case LARGE_UPLOAD: return upload(parts, exchange, 500000 + below(parts, 500000));
        case CHUNKED_UPLOAD: return chunked_upload(parts, exchange, below(parts, 20000));
        case CHUNKED_DOWNLOAD: return get(parts, exchange, "/public/chunked/", below(parts, 50000), "");
        case LARGE_DOWNLOAD: return get(parts, exchange, "/public/bytes/", 500000 + below(parts, 1000000), "");
        case WEBSOCKET: return websocket(parts, exchange);
        case SLOW_HEAD: case SLOW_UPLOAD: case SLOW_READER: case SLOW_ORIGIN: return make_slow(parts, exchange);
        case ABORTED_HEAD: case ABORTED_WAIT: case ABORTED_UPLOAD: case ABORTED_DOWNLOAD:
            return make_impatient(parts, exchange);
        default: return make_faulty(parts, exchange);
    }
}
