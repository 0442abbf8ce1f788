// An upstream that knows what it was sent: for bodies, and for traffic of mixed kinds.
//
//   origin port=N
//
//   GET  /bytes/N       N bytes of the pattern, with Content-Length; /file/N the same without a copy (sendfile)
//   GET  /chunked/N     the same in chunks
//   GET  /slow/MS/N     the same as bytes, after so many milliseconds
//   POST /check         answers "N good" or "N bad": how many bytes there were, and whether they were the pattern
//   POST /discard       answers "N good" without having looked (MSG_TRUNC: the bytes are not even copied)
//   GET  /socket        a WebSocket that sends back what it gets
//   any other           a word
//
// Every answer of N bytes has a field X-Seen with the X-User-Id it was asked with.
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pattern.h"

enum { REQUEST_BYTES = 16384, EVENTS = 256, FILE_BYTES = 16 << 20, CHUNK_BYTES = 16000, DISCARD_BYTES = 1 << 20 };

enum work { READS_HEAD, READS_BODY, DISCARDS, WAITS, SENDS, ECHOES };

struct peer {
    int descriptor;
    enum work work;
    bool is_good, is_chunked, is_file;
    // The body of the request is read as that of an answer would be.
    struct answer body;
    char request[REQUEST_BYTES];
    size_t request_count;
    // What of the answer is still to be sent: a piece of text, then bytes of the pattern.
    char text[512];
    size_t text_at, text_count;
    uint64_t at, end, chunk_end;
    int64_t due;
    struct peer *next_waiting;
};

static int file;
static struct peer *waiting;

static void hang_up(struct peer *peer) {
    for (struct peer **at = &waiting; *at; at = &(*at)->next_waiting)
        if (*at == peer) {
            *at = peer->next_waiting;
            break;
        }
    close(peer->descriptor);
    free(peer);
}

static const char *field(const struct peer *peer, const char *name, size_t *count) {
    size_t length = strlen(name);
    for (const char *line = strstr(peer->request, "\r\n"); line; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, length) || line[length] != ':') continue;
        const char *value = line + length + 1;
        value += strspn(value, " ");
        *count = strcspn(value, "\r");
        return value;
    }
    *count = 0;
    return NULL;
}

static void check(struct answer *body, const char *bytes, size_t count) {
    struct peer *peer = body->owner;
    if (!is_pattern(body->body, bytes, count)) peer->is_good = false;
}

static void say(struct peer *peer, const char *text, size_t count) {
    memcpy(peer->text, text, count);
    peer->text_at = 0;
    peer->text_count = count;
    peer->work = SENDS;
}

static void answer_text(struct peer *peer, const char *status, const char *text) {
    char whole[sizeof peer->text];
    int count = snprintf(whole, sizeof whole, "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s",
        status, strlen(text), text);
    peer->at = peer->end = 0;
    peer->is_chunked = false;
    say(peer, whole, (size_t)count);
}

static void answer_pattern(struct peer *peer, uint64_t count) {
    char whole[sizeof peer->text], framing[64];
    size_t length;
    const char *user = field(peer, "X-User-Id", &length);
    if (length > 64) length = 64;
    if (peer->is_chunked) strcpy(framing, "Transfer-Encoding: chunked");
    else snprintf(framing, sizeof framing, "Content-Length: %lu", count);
    int text = snprintf(whole, sizeof whole,
        "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nX-Seen: %.*s\r\n%s\r\n\r\n", (int)length,
        user ? user : "", framing);
    peer->at = peer->chunk_end = 0;
    peer->end = count;
    say(peer, whole, (size_t)text);
}

static void answer_socket(struct peer *peer) {
    size_t count;
    const char *key = field(peer, "Sec-WebSocket-Key", &count);
    char text[128], whole[sizeof peer->text];
    unsigned char digest[EVP_MAX_MD_SIZE], accept[64];
    if (!key || count > 64) return answer_text(peer, "400 Bad Request", "no key");
    // RFC 6455 §4.2.2.
    int length = snprintf(text, sizeof text, "%.*s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", (int)count, key);
    if (!EVP_Digest(text, (size_t)length, digest, NULL, EVP_sha1(), NULL)) fail("no SHA-1");
    EVP_EncodeBlock(accept, digest, 20);
    length = snprintf(whole, sizeof whole, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket"
        "\r\nSec-WebSocket-Accept: %s\r\n\r\n", accept);
    if (send(peer->descriptor, whole, (size_t)length, MSG_NOSIGNAL) != length) shutdown(peer->descriptor, SHUT_RDWR);
    peer->work = ECHOES;
}

// Routes have names of their own in front, which the gateway passes on.
static void strip(struct peer *peer, const char *prefix) {
    char *path = strchr(peer->request, '/');
    size_t count = strlen(prefix);
    if (path && !strncmp(path, prefix, count)) memmove(path, path + count, strlen(path + count) + 1);
}

static bool asks(const struct peer *peer, const char *what) { return !strncmp(peer->request, what, strlen(what)); }

// What to do once the whole request is there.
static void answer(struct peer *peer) {
    char *path_end = strchr(strchr(peer->request, '/'), ' ');
    *path_end = 0;
    uint64_t count = strtoull(strrchr(peer->request, '/') + 1, NULL, 10);
    *path_end = ' ';
    peer->is_chunked = asks(peer, "GET /chunked/");
    peer->is_file = asks(peer, "GET /file/") && count <= FILE_BYTES;
    if (asks(peer, "POST ")) {
        char text[64];
        snprintf(text, sizeof text, "%lu %s", peer->body.body, peer->is_good ? "good" : "bad");
        answer_text(peer, "200 OK", text);
    } else if (asks(peer, "GET /socket ")) {
        answer_socket(peer);
    } else if (asks(peer, "GET /slow/")) {
        peer->work = WAITS;
        peer->end = count;
        peer->due = now() + strtoll(peer->request + 10, NULL, 10) * 1000000;
        peer->next_waiting = waiting;
        waiting = peer;
    } else if (asks(peer, "GET /bytes/") || peer->is_chunked || peer->is_file) {
        answer_pattern(peer, count);
    } else {
        answer_text(peer, "200 OK", "here");
    }
}

// Reads a head whose end is there; returns whether it is one.
static bool begin(struct peer *peer) {
    size_t count;
    strip(peer, "/public");
    strip(peer, "/api");
    strip(peer, "/app");
    const char *coding = field(peer, "Transfer-Encoding", &count), *length = field(peer, "Content-Length", &count);
    const char *expect = field(peer, "Expect", &count);
    if ((coding && length) || !strchr(peer->request, '/') || !strstr(peer->request, " HTTP/1.1\r\n")) return false;
    expect_answer(&peer->body);
    peer->is_good = true;
    peer->body.left = length ? strtoull(length, NULL, 10) : 0;
    peer->body.state = coding ? IN_CHUNK_SIZE : peer->body.left ? IN_BODY : COMPLETE;
    peer->work = asks(peer, "POST /discard ") && length ? DISCARDS : READS_BODY;
    if (expect && send(peer->descriptor, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL) != 25) return false;
    return true;
}

// Takes bytes in; returns false when the connection is of no use any more.
static bool take_in(struct peer *peer, const char *bytes, size_t count) {
    while (count) {
        if (peer->work == READS_BODY) {
            size_t used = take(&peer->body, bytes, count);
            bytes += used, count -= used;
            if (peer->body.state == BROKEN) return false;
            if (peer->body.state != COMPLETE) continue;
            answer(peer);
            // The gateway sends one request at a time.
            if (count) return false;
        } else if (peer->work == READS_HEAD) {
            size_t before = peer->request_count, from = before < 3 ? 0 : before - 3;
            size_t room = REQUEST_BYTES - 1 - before, copied = count < room ? count : room;
            memcpy(peer->request + before, bytes, copied);
            peer->request_count += copied;
            char *end = memmem(peer->request + from, peer->request_count - from, "\r\n\r\n", 4);
            if (!end) return copied < room;
            size_t used = (size_t)(end + 4 - peer->request) - before;
            end[2] = 0;
            bytes += used, count -= used;
            if (!begin(peer)) return false;
            if (peer->body.state == COMPLETE) answer(peer);
            if (peer->work == DISCARDS) {
                peer->body.body = count;
                peer->body.left -= count;
                count = 0;
                if (!peer->body.left) answer(peer);
            }
        } else {
            return false;
        }
    }
    return true;
}

static bool echo(const struct peer *peer, const char *bytes, size_t count) {
    return send(peer->descriptor, bytes, count, MSG_NOSIGNAL) == (ssize_t)count;
}

static bool receive(struct peer *peer) {
    static char bytes[READ_BYTES];
    for (;;) {
        bool discards = peer->work == DISCARDS;
        // Truncated to nothing, the bytes stay in the kernel.
        ssize_t count = discards
            ? recv(peer->descriptor, NULL, peer->body.left < DISCARD_BYTES ? peer->body.left : DISCARD_BYTES, MSG_TRUNC)
            : recv(peer->descriptor, bytes, sizeof bytes, 0);
        if (count < 0 && errno == EAGAIN) return true;
        if (count <= 0) return false;
        if (discards) {
            peer->body.body += (uint64_t)count;
            peer->body.left -= (uint64_t)count;
            if (!peer->body.left) answer(peer);
        } else if (peer->work == ECHOES ? !echo(peer, bytes, (size_t)count) : !take_in(peer, bytes, (size_t)count)) {
            return false;
        }
    }
}

// The next piece of text of a chunked body.
static void begin_chunk(struct peer *peer) {
    uint64_t left = peer->end - peer->at;
    size_t count = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
    bool is_first = !peer->at;
    peer->chunk_end = peer->at + count;
    if (!count) peer->is_chunked = false;
    peer->text_at = 0;
    peer->text_count = (size_t)snprintf(
        peer->text, sizeof peer->text, "%s%zx\r\n%s", is_first ? "" : "\r\n", count, count ? "" : "\r\n");
}

static bool transmit(struct peer *peer) {
    while (peer->work == SENDS) {
        ssize_t sent;
        if (peer->text_at < peer->text_count) {
            sent = send(peer->descriptor, peer->text + peer->text_at, peer->text_count - peer->text_at,
                MSG_NOSIGNAL | (peer->at < peer->end ? MSG_MORE : 0));
            if (sent > 0) peer->text_at += (size_t)sent;
        } else if (peer->is_chunked && peer->at == peer->chunk_end) {
            begin_chunk(peer);
            continue;
        } else if (peer->at == peer->end) {
            peer->work = READS_HEAD;
            peer->request_count = 0;
            return true;
        } else if (peer->is_file) {
            off_t from = (off_t)peer->at;
            sent = sendfile(peer->descriptor, file, &from, peer->end - peer->at);
            if (sent > 0) peer->at += (uint64_t)sent;
        } else {
            uint64_t left = (peer->is_chunked ? peer->chunk_end : peer->end) - peer->at;
            sent = send(peer->descriptor, pattern_at(peer->at), left < PATTERN_BYTES ? left : PATTERN_BYTES, MSG_NOSIGNAL);
            if (sent > 0) peer->at += (uint64_t)sent;
        }
        if (sent < 0 && errno == EAGAIN) return true;
        if (sent <= 0) return false;
    }
    return true;
}

// Until nothing can be read or written; returns false when the connection is to be closed.
static bool go_on(struct peer *peer) {
    while (receive(peer)) {
        if (peer->work != SENDS) return true;
        if (!transmit(peer)) return false;
        if (peer->work == SENDS) return true;
    }
    return false;
}

static void accept_all(int poll, int listener) {
    int one = 1, descriptor;
    while ((descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct peer *peer = calloc(1, sizeof *peer);
        if (!peer) fail("no memory");
        peer->descriptor = descriptor;
        peer->body.owner = peer;
        peer->body.check = check;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = peer};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)) fail("epoll_ctl: %s", strerror(errno));
    }
}

static void wake(void) {
    int64_t time = now();
    for (struct peer **at = &waiting; *at;) {
        struct peer *peer = *at;
        if (peer->due > time) {
            at = &peer->next_waiting;
            continue;
        }
        *at = peer->next_waiting;
        answer_pattern(peer, peer->end);
        // The socket's events have all been told of: what is written here is not asked for again.
        if (!transmit(peer)) shutdown(peer->descriptor, SHUT_RDWR);
    }
}

int main(int count, char **arguments) {
    if (count < 2) fail("origin port=N");
    signal(SIGPIPE, SIG_IGN);
    make_pattern();
    file = pattern_file(FILE_BYTES);
    int one = 1, poll = epoll_create1(EPOLL_CLOEXEC);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
        .sin_port = htons((uint16_t)setting(arguments, "port", 0))};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 4096)) fail("listen: %s", strerror(errno));
    struct epoll_event events[EVENTS], event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, waiting ? 5 : -1);
        for (int index = 0; index < ready; index++) {
            struct peer *peer = events[index].data.ptr;
            if (!peer) accept_all(poll, listener);
            else if (!go_on(peer)) hang_up(peer);
        }
        if (waiting) wake();
    }
}
