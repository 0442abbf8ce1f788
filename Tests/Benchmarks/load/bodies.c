// Large bodies, one after the other on each connection, with as little work on this side as the kernel allows.
//
//   bodies port=N request=FILE bytes=N [up=0] [connections=16] [seconds=6] [warm_milliseconds=1000]
//
// REQUEST is the head of a GET whose answer has so many bytes, or (`up`) of a POST with such a body. What comes down is
// counted and not copied (MSG_TRUNC), what goes up comes from a file in memory (sendfile): the proxy is the limit, not this.
//
// Prints READY when warm, and loads when it reads a byte; then prints TOTALS.
#include "wire.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pattern.h"

enum { EVENTS = 64, DISCARD_BYTES = 1 << 20 };

struct client {
    int descriptor;
    bool is_sent;
    uint64_t body_sent;
    int64_t began;
    char good[64];
    struct answer answer;
};

static struct {
    int port, poll, file;
    char *request;
    size_t request_count;
    uint64_t bytes;
    bool is_up;
    uint64_t bodies, moved, wrong, read_errors, write_errors;
    struct latencies latencies;
    int64_t end;
    size_t on_their_way;
} load;

// The answer to a body says how long it was.
static void keep_text(struct answer *answer, const char *bytes, size_t count) {
    struct client *client = answer->owner;
    if (answer->body + count < sizeof client->good) memcpy(client->good + answer->body, bytes, count);
}

static void end(struct client *client, uint64_t *errors) {
    ++*errors;
    load.on_their_way--;
    close(client->descriptor);
    client->descriptor = -1;
}

static void start(struct client *client);

static void finish(struct client *client) {
    char good[64];
    snprintf(good, sizeof good, "%lu good", load.bytes);
    load.on_their_way--;
    if (client->answer.status != 200 || (load.is_up ? strcmp(client->good, good) : client->answer.body != load.bytes))
        load.wrong++;
    load.bodies++;
    record(&load.latencies, now() - client->began);
    if (client->answer.closes) load.wrong++;
    if (now() < load.end) start(client);
}

// Returns whether the whole request is gone.
static bool push(struct client *client) {
    while (!client->is_sent) {
        ssize_t sent = send(client->descriptor, load.request, load.request_count, MSG_NOSIGNAL | (load.is_up ? MSG_MORE : 0));
        if (sent < 0 && errno == EAGAIN) return false;
        if (sent != (ssize_t)load.request_count) return end(client, &load.write_errors), false;
        client->is_sent = true;
    }
    while (load.is_up && client->body_sent < load.bytes) {
        off_t from = (off_t)client->body_sent;
        ssize_t sent = sendfile(client->descriptor, load.file, &from, load.bytes - client->body_sent);
        if (sent < 0 && errno == EAGAIN) return false;
        if (sent <= 0) return end(client, &load.write_errors), false;
        client->body_sent += (uint64_t)sent;
        load.moved += (uint64_t)sent;
    }
    return true;
}

static void pull(struct client *client) {
    static char bytes[READ_BYTES];
    while (client->descriptor >= 0 && client->answer.state < COMPLETE) {
        struct answer *answer = &client->answer;
        // Only a body with a length can be counted unseen; a chunked one is read.
        bool discards = !load.is_up && answer->state == IN_BODY;
        ssize_t count = discards
            ? recv(client->descriptor, NULL, answer->left < DISCARD_BYTES ? answer->left : DISCARD_BYTES, MSG_TRUNC)
            : recv(client->descriptor, bytes, answer->state == IN_HEAD && !load.is_up ? HEAD_BYTES : READ_BYTES, 0);
        if (count < 0 && errno == EAGAIN) return;
        if (count <= 0) return end(client, &load.read_errors);
        if (discards) {
            answer->body += (uint64_t)count;
            answer->left -= (uint64_t)count;
            if (!answer->left) answer->state = COMPLETE;
        } else if (take(answer, bytes, (size_t)count) < (size_t)count || answer->state == BROKEN) {
            return end(client, &load.read_errors);
        }
        if (!load.is_up) load.moved += (uint64_t)count;
        if (answer->state == COMPLETE) return finish(client);
    }
}

static void start(struct client *client) {
    load.on_their_way++;
    client->began = now();
    client->is_sent = false;
    client->body_sent = 0;
    memset(client->good, 0, sizeof client->good);
    expect_answer(&client->answer);
    push(client);
}

static void run(struct client *clients, size_t count, int64_t end) {
    struct epoll_event events[EVENTS];
    load.end = end;
    for (size_t index = 0; index < count; index++)
        if (clients[index].descriptor >= 0) start(&clients[index]);
    while (load.on_their_way) {
        if (now() > end + INT64_C(30000000000)) fail("bodies do not come to their end");
        int ready = epoll_wait(load.poll, events, EVENTS, 1000);
        for (int index = 0; index < ready; index++) {
            struct client *client = events[index].data.ptr;
            if (client->descriptor < 0 || client->answer.state >= COMPLETE) continue;
            push(client);
            pull(client);
        }
    }
}

int main(int count, char **arguments) {
    if (count < 4) fail("bodies port=N request=FILE bytes=N …");
    signal(SIGPIPE, SIG_IGN);
    load.port = (int)setting(arguments, "port", 0);
    load.bytes = (uint64_t)setting(arguments, "bytes", 0);
    load.is_up = setting(arguments, "up", 0);
    load.request = whole_file(text_setting(arguments, "request", ""), &load.request_count);
    load.latencies = new_latencies();
    load.poll = epoll_create1(EPOLL_CLOEXEC);
    make_pattern();
    load.file = pattern_file(load.bytes);
    size_t client_count = (size_t)setting(arguments, "connections", 16);
    struct client *clients = calloc(client_count, sizeof *clients);
    if (!clients || load.poll < 0) fail("no memory");
    for (size_t index = 0; index < client_count; index++) {
        struct client *client = &clients[index];
        client->answer.owner = client;
        client->answer.check = load.is_up ? keep_text : NULL;
        client->descriptor = open_connection(load.port, 0);
        struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = client};
        if (client->descriptor < 0 || epoll_ctl(load.poll, EPOLL_CTL_ADD, client->descriptor, &event))
            fail("connect: %s", strerror(errno));
    }
    run(clients, client_count, now() + setting(arguments, "warm_milliseconds", 1000) * 1000000);
    load.bodies = load.moved = 0;
    free(load.latencies.buckets);
    load.latencies = new_latencies();
    wait_for_start();
    int64_t began = now();
    run(clients, client_count, began + setting(arguments, "seconds", 6) * 1000000000);
    printf("TOTALS {\"requests\":%lu,\"microseconds\":%.0f,\"bytes\":%lu,\"p50\":%.1f,\"p99\":%.1f,\"wrong\":{"
        "\"read errors\":%lu,\"write errors\":%lu,\"wrong answers\":%lu}}\n", load.bodies, (double)(now() - began) / 1e3,
        load.moved, percentile(&load.latencies, 0.5), percentile(&load.latencies, 0.99), load.read_errors,
        load.write_errors, load.wrong);
    return 0;
}
