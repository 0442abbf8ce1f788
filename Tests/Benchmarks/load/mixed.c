// Very many exchanges of mixed kinds, on connections that come and go; every answer is checked.
//
//   mixed port=N requests=N tokens=FILE cookies=FILE issuer=KEY.pem kid=NAME claims=JSON [clients=256] [sources=64]
//         [seed=1]
//
// Line N of TOKENS is the access token of user-N. Lines of COOKIES are what browsers of user-000001 send. CLAIMS are those of a token bound to a key, without the closing brace.
// What the kinds are is in exchanges.c. The upstream is load/origin.c.
//
// Prints READY, begins when it reads a byte, prints PROGRESS with the count a hundred times, and TOTALS at the end. What
// goes wrong is described on standard error, at most twenty times.
#include "exchanges.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pattern.h"
#include "wire.h"

enum { EVENTS = 256, LONGEST_LIFE = 200, TICK_MILLISECONDS = 5, DESCRIBED = 20, STEPS = 100 };
static const int64_t patience = INT64_C(30000000000);

struct visitor {
    int descriptor;
    // Exchanges still to come on this connection.
    unsigned life;
    bool is_busy;
    struct exchange exchange;
    uint64_t sent, received;
    size_t echoed;
    bool sends_frames, differs;
    int64_t began;
    char text[64];
    struct answer answer;
};

static struct {
    int port, poll;
    unsigned sources;
    struct parts parts;
    struct visitor *visitors;
    size_t count;
    uint64_t started, wanted, finished, connections;
    uint64_t by_kind[KINDS], wrong_by_kind[KINDS], wrong;
} load;

static void check_body(struct answer *answer, const char *bytes, size_t count) {
    struct visitor *visitor = answer->owner;
    if (visitor->exchange.has_body) {
        if (!is_pattern(answer->body, bytes, count)) visitor->differs = true;
    } else if (answer->body + count < sizeof visitor->text) {
        memcpy(visitor->text + answer->body, bytes, count);
    }
}

static void hang_up(struct visitor *visitor) {
    if (visitor->descriptor < 0) return;
    if (visitor->exchange.resets) {
        struct linger now = {.l_onoff = 1, .l_linger = 0};
        setsockopt(visitor->descriptor, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    close(visitor->descriptor);
    visitor->descriptor = -1;
}

static void finish(struct visitor *visitor, const char *problem) {
    const struct exchange *exchange = &visitor->exchange;
    visitor->is_busy = false;
    load.finished++;
    load.by_kind[exchange->kind]++;
    if (problem) {
        load.wrong_by_kind[exchange->kind]++;
        if (load.wrong++ < DESCRIBED)
            fprintf(stderr, "%s: %s (status %d, wanted %d; %lu bytes of a body, wanted %lu; %lu of %lu sent; %.60s)\n",
                kind_names[exchange->kind], problem, visitor->answer.status, exchange->status, visitor->answer.body,
                exchange->body, visitor->sent, exchange->out_count + exchange->tail, visitor->text);
    }
    if (problem || exchange->ends || visitor->answer.closes || !--visitor->life) hang_up(visitor);
}

// What is wrong with an answer that is complete; NULL where nothing is.
static const char *judge(const struct visitor *visitor) {
    const struct exchange *exchange = &visitor->exchange;
    if (visitor->answer.status != exchange->status) return "another status";
    if (visitor->differs) return "bytes that were not sent";
    if (exchange->has_body && visitor->answer.body != exchange->body) return "another length";
    if (exchange->seen[0] && !strstr(visitor->answer.head, exchange->seen)) return "another user";
    if (!exchange->has_body && exchange->status == 200) {
        char good[64];
        snprintf(good, sizeof good, "%lu good", exchange->body);
        if (strcmp(visitor->text, good)) return "not the body that was sent";
    }
    return NULL;
}

// The next piece to send, at most until the client goes away.
static size_t next_piece(const struct visitor *visitor, const char **bytes) {
    const struct exchange *exchange = &visitor->exchange;
    uint64_t end = exchange->out_count + exchange->tail;
    if (exchange->stop_sending && exchange->stop_sending < end) end = exchange->stop_sending;
    if (visitor->sent >= end) return 0;
    uint64_t left = end - visitor->sent;
    if (visitor->sent < exchange->out_count) {
        uint64_t here = exchange->out_count - visitor->sent;
        *bytes = exchange->out + visitor->sent;
        return (size_t)(here < left ? here : left);
    }
    *bytes = pattern_at(exchange->tail_from + visitor->sent - exchange->out_count);
    return left < PATTERN_BYTES ? (size_t)left : PATTERN_BYTES;
}

static void push(struct visitor *visitor) {
    const struct exchange *exchange = &visitor->exchange;
    const char *bytes;
    size_t count;
    while (visitor->is_busy && (count = next_piece(visitor, &bytes))) {
        bool is_paced = exchange->pace && exchange->kind != SLOW_READER;
        if (is_paced && count > exchange->pace) count = exchange->pace;
        ssize_t sent = send(visitor->descriptor, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == ENOTCONN)) return;
        // A server that has answered may close before it has everything; what it answered is still to be read.
        if (sent < 0) return;
        visitor->sent += (uint64_t)sent;
        if (is_paced) return;
    }
    if (visitor->is_busy && exchange->gives_up && exchange->stop_sending && visitor->sent >= exchange->stop_sending)
        finish(visitor, NULL);
}

// The other end of a WebSocket: what was sent has to come back.
static void take_echo(struct visitor *visitor, const char *bytes, size_t count) {
    const struct exchange *exchange = &visitor->exchange;
    if (visitor->echoed + count > exchange->frame_count || memcmp(exchange->frames + visitor->echoed, bytes, count))
        return finish(visitor, "another echo");
    visitor->echoed += count;
    if (visitor->echoed == exchange->frame_count) finish(visitor, NULL);
}

static void take_answer(struct visitor *visitor, const char *bytes, size_t count) {
    const struct exchange *exchange = &visitor->exchange;
    if (visitor->sends_frames) return take_echo(visitor, bytes, count);
    size_t used = take(&visitor->answer, bytes, count);
    if (visitor->answer.state == BROKEN) return finish(visitor, "no HTTP");
    if (exchange->gives_up && visitor->received >= exchange->stop_receiving && exchange->stop_receiving)
        return finish(visitor, NULL);
    if (visitor->answer.state != COMPLETE) return;
    if (used < count) return finish(visitor, "bytes behind the answer");
    const char *problem = judge(visitor);
    if (!problem && exchange->status == 101) {
        visitor->sends_frames = true;
        if (send(visitor->descriptor, exchange->frames, exchange->frame_count, MSG_NOSIGNAL) < 0)
            finish(visitor, "closed after the upgrade");
        return;
    }
    finish(visitor, problem);
}

static void pull(struct visitor *visitor) {
    static char bytes[READ_BYTES];
    while (visitor->descriptor >= 0) {
        bool is_paced = visitor->is_busy && visitor->exchange.kind == SLOW_READER;
        ssize_t count = recv(visitor->descriptor, bytes, is_paced ? visitor->exchange.pace : sizeof bytes, 0);
        if (count < 0 && (errno == EAGAIN || errno == ENOTCONN)) return;
        if (!visitor->is_busy) {
            // A server may close an idle connection; nothing here is idle for long enough.
            if (count > 0 && load.wrong++ < DESCRIBED) fprintf(stderr, "bytes that nobody asked for\n");
            return hang_up(visitor);
        }
        if (count <= 0) return finish(visitor, count ? "reset" : "closed");
        visitor->received += (uint64_t)count;
        take_answer(visitor, bytes, (size_t)count);
        if (is_paced || (count < READ_BYTES && visitor->descriptor >= 0)) return;
    }
}

static void start(struct visitor *visitor) {
    load.started++;
    make_exchange(&load.parts, &visitor->exchange);
    visitor->is_busy = true;
    visitor->sends_frames = visitor->differs = false;
    visitor->sent = visitor->received = visitor->echoed = 0;
    visitor->began = now();
    memset(visitor->text, 0, sizeof visitor->text);
    expect_answer(&visitor->answer);
    if (visitor->descriptor < 0) {
        visitor->descriptor = open_connection(load.port, load.sources);
        visitor->life = 1 + (unsigned)below(&load.parts, LONGEST_LIFE);
        load.connections++;
        struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = visitor};
        if (visitor->descriptor < 0) return finish(visitor, strerror(errno));
        if (epoll_ctl(load.poll, EPOLL_CTL_ADD, visitor->descriptor, &event)) fail("epoll_ctl: %s", strerror(errno));
    }
    push(visitor);
}

static void handle(struct visitor *visitor) {
    if (visitor->descriptor < 0 || (visitor->is_busy && visitor->exchange.pace)) return;
    if (visitor->is_busy) push(visitor);
    pull(visitor);
}

// Moves those that are slow, starts those that are free, and ends those that wait in vain.
static void tick(bool is_slow_turn) {
    int64_t time = now();
    for (size_t index = 0; index < load.count; index++) {
        struct visitor *visitor = &load.visitors[index];
        if (visitor->is_busy && time - visitor->began > patience) finish(visitor, "no answer for half a minute");
        if (is_slow_turn && visitor->is_busy && visitor->exchange.pace) {
            push(visitor);
            pull(visitor);
        }
        // What was taken in one go may leave the next free at once.
        for (int turns = 0; turns < 4 && !visitor->is_busy && load.started < load.wanted; turns++) start(visitor);
    }
}

static void run(void) {
    struct epoll_event events[EVENTS];
    int64_t slow_turn = 0;
    uint64_t next_step = load.wanted / STEPS;
    while (load.finished < load.wanted) {
        int64_t time = now();
        bool is_slow_turn = time - slow_turn >= TICK_MILLISECONDS * 1000000;
        if (is_slow_turn) slow_turn = time;
        tick(is_slow_turn);
        if (load.finished >= next_step) {
            printf("PROGRESS %lu\n", load.finished);
            fflush(stdout);
            next_step += load.wanted / STEPS;
        }
        int count = epoll_wait(load.poll, events, EVENTS, TICK_MILLISECONDS);
        for (int index = 0; index < count; index++) handle(events[index].data.ptr);
    }
}

// The lines of a file, and how many there are.
static const char **read_lines(const char *path, size_t *lines) {
    const char **found = NULL;
    size_t count, room = 0;
    *lines = 0;
    for (char *at = whole_file(path, &count), *end = at + count; at < end;) {
        if (*lines == room) {
            room = room ? room * 2 : 1024;
            found = realloc(found, room * sizeof *found);
            if (!found) fail("no memory");
        }
        found[(*lines)++] = at;
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at++) fail("%s: the last line does not end", path);
    }
    if (!room) fail("%s: no lines", path);
    return found;
}

static void print_totals(double seconds) {
    printf("TOTALS {\"requests\":%lu,\"microseconds\":%.0f,\"connections\":%lu,\"wrong\":%lu,\"kinds\":{", load.finished,
        seconds * 1e6, load.connections, load.wrong);
    for (enum kind kind = 0; kind < KINDS; kind++)
        printf("%s\"%s\":[%lu,%lu]", kind ? "," : "", kind_names[kind], load.by_kind[kind], load.wrong_by_kind[kind]);
    puts("}}");
}

int main(int count, char **arguments) {
    if (count < 8) fail("mixed port=N requests=N tokens=FILE cookies=FILE issuer=KEY.pem kid=NAME claims=JSON …");
    signal(SIGPIPE, SIG_IGN);
    make_pattern();
    load.port = load.parts.port = (int)setting(arguments, "port", 0);
    load.wanted = (uint64_t)setting(arguments, "requests", 0);
    load.sources = (unsigned)setting(arguments, "sources", 64);
    load.parts.random = (uint64_t)setting(arguments, "seed", 1) * UINT64_C(88172645463325252) | 1;
    load.parts.tokens = read_lines(text_setting(arguments, "tokens", ""), &load.parts.token_count);
    load.parts.cookies = read_lines(text_setting(arguments, "cookies", ""), &load.parts.cookie_count);
    struct signer issuer = signer_in(text_setting(arguments, "issuer", ""));
    load.parts.prover = new_client(&issuer, text_setting(arguments, "kid", ""), text_setting(arguments, "claims", ""));
    name_run(load.parts.run);
    load.count = (size_t)setting(arguments, "clients", 256);
    load.visitors = calloc(load.count, sizeof *load.visitors);
    load.poll = epoll_create1(EPOLL_CLOEXEC);
    if (!load.visitors || load.poll < 0) fail("no memory");
    for (size_t index = 0; index < load.count; index++) {
        struct visitor *visitor = &load.visitors[index];
        visitor->descriptor = -1;
        visitor->exchange.out = malloc(OUT_BYTES);
        visitor->answer.owner = visitor;
        visitor->answer.check = check_body;
        if (!visitor->exchange.out) fail("no memory");
    }
    wait_for_start();
    int64_t began = now();
    run();
    for (size_t index = 0; index < load.count; index++) hang_up(&load.visitors[index]);
    print_totals((double)(now() - began) / 1e9);
    return 0;
}
