// Closed-loop load: as soon as one answer is there, the next request goes out.
//
//   closed_loop port=N template=FILE [values=FILE] [connections=64] [busy=64] [seconds=6] [warm_requests=0]
//               [warm_milliseconds=1000] [sources=0] [tls=0] [short=0] [body=0] [once=0]
//
// TEMPLATE is one whole request; a line of VALUES stands in for its byte 1, the next line in each request. Where it has a
// byte 2 as well, what stands before the line's first space is put in place of byte 1, and the rest in place of byte 2. With
// `once`, no line is sent twice: those of the warm-up stay used, and the load ends with the last one. Of all connections, `busy` have a request on its way at a time, each in its turn. With `short`, each request has a connection
// of its own. With `tls`, nothing but TLS 1.3 with TLS_AES_128_GCM_SHA256 and X25519 is offered, every handshake is
// verified to have led to it, and none resumes another. An answer that is not 200, or shorter than `body`, is an error.
//
// Prints READY when everything is open and warm, and loads when it reads a byte; then prints TOTALS.
#include "template.h"
#include "wire.h"

#include <errno.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 256 };

struct client {
    int descriptor;
    bool is_sent;
    SSL *tls;
    size_t value;
    int64_t began;
    struct answer answer;
};

static struct {
    int port, poll;
    unsigned sources;
    bool is_short, is_once, is_used_up;
    uint64_t body;
    SSL_CTX *tls;
    struct template template;
    size_t next_value;
    struct client *clients, **idle;
    size_t client_count, idle_first, idle_count;
    uint64_t requests, bytes, handshakes;
    uint64_t connect_errors, read_errors, write_errors, statuses;
    struct latencies latencies;
} load;

static void verify_handshake(SSL *tls) {
    if (SSL_version(tls) != TLS1_3_VERSION) fail("a connection speaks %s", SSL_get_version(tls));
    if (strcmp(SSL_get_cipher_name(tls), "TLS_AES_128_GCM_SHA256")) fail("a connection uses %s", SSL_get_cipher_name(tls));
    if (SSL_session_reused(tls)) fail("a handshake was resumed");
    EVP_PKEY *key = X509_get0_pubkey(SSL_get0_peer_certificate(tls));
    if (!key || EVP_PKEY_get_base_id(key) != EVP_PKEY_EC || EVP_PKEY_get_bits(key) != 256) fail("no certificate of P-256");
    load.handshakes++;
}

static void hang_up(struct client *client) {
    if (client->tls) {
        SSL_shutdown(client->tls);
        SSL_free(client->tls);
        client->tls = NULL;
    }
    if (client->descriptor >= 0) close(client->descriptor);
    client->descriptor = -1;
}

static void rest(struct client *client) {
    load.idle[(load.idle_first + load.idle_count++) % load.client_count] = client;
}

static void give_up(struct client *client, uint64_t *errors) {
    ++*errors;
    hang_up(client);
    rest(client);
}

// Whether OpenSSL only waits for the other side.
static bool must_wait(SSL *tls, int result) {
    int reason = SSL_get_error(tls, result);
    return reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE;
}

static void push(struct client *client) {
    char request[REQUEST_BYTES];
    size_t count = put_together(&load.template, client->value, request);
    if (client->tls) {
        bool is_new = !SSL_is_init_finished(client->tls);
        int written = SSL_write(client->tls, request, (int)count);
        if (is_new && SSL_is_init_finished(client->tls)) verify_handshake(client->tls);
        if (written > 0) client->is_sent = true;
        else if (!must_wait(client->tls, written)) give_up(client, &load.write_errors);
        return;
    }
    ssize_t written = send(client->descriptor, request, count, MSG_NOSIGNAL);
    if (written == (ssize_t)count) client->is_sent = true;
    else if (written >= 0 || (errno != EAGAIN && errno != ENOTCONN)) give_up(client, &load.write_errors);
}

static bool connect_client(struct client *client) {
    client->descriptor = open_connection(load.port, load.sources);
    if (client->descriptor < 0) return false;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = client};
    if (epoll_ctl(load.poll, EPOLL_CTL_ADD, client->descriptor, &event)) fail("epoll_ctl: %s", strerror(errno));
    if (load.tls) {
        client->tls = SSL_new(load.tls);
        if (!client->tls || !SSL_set_fd(client->tls, client->descriptor)) fail("no TLS connection");
        SSL_set_connect_state(client->tls);
    }
    return true;
}

static void start(struct client *client) {
    client->began = now();
    client->is_sent = false;
    client->value = load.next_value;
    if (load.next_value + 1 < load.template.value_count) load.next_value++;
    else if (load.is_once) load.is_used_up = true;
    else load.next_value = 0;
    expect_answer(&client->answer);
    if (client->descriptor < 0 && !connect_client(client)) give_up(client, &load.connect_errors);
    else push(client);
}

static void finish(struct client *client) {
    record(&load.latencies, now() - client->began);
    load.requests++;
    load.bytes += client->answer.body;
    if (client->answer.status != 200 || client->answer.body < load.body) load.statuses++;
    if (load.is_short || client->answer.closes) hang_up(client);
    rest(client);
}

static void pull(struct client *client) {
    static char bytes[READ_BYTES];
    for (;;) {
        ssize_t count;
        if (client->tls) {
            int got = SSL_read(client->tls, bytes, sizeof bytes);
            if (got <= 0 && must_wait(client->tls, got)) return;
            count = got;
        } else {
            count = recv(client->descriptor, bytes, sizeof bytes, 0);
            if (count < 0 && errno == EAGAIN) return;
        }
        if (count <= 0) return give_up(client, &load.read_errors);
        size_t used = take(&client->answer, bytes, (size_t)count);
        if (client->answer.state == BROKEN || used < (size_t)count) return give_up(client, &load.read_errors);
        if (client->answer.state == COMPLETE) return finish(client);
        // The socket is empty; what comes later is told of (EPOLLET).
        if (!client->tls && count < READ_BYTES) return;
    }
}

static void handle(struct client *client) {
    // An event of a connection that was given up in the same round, or of one that rests.
    if (client->descriptor < 0 || client->answer.state >= COMPLETE) return;
    if (!client->is_sent) push(client);
    if (client->descriptor >= 0 && client->is_sent && client->answer.state < COMPLETE) pull(client);
}

// Loads until that moment and until so many requests are through; what is on its way then is waited for.
static void run(int64_t end, uint64_t requests, size_t busy) {
    size_t on_their_way = 0;
    struct epoll_event events[EVENTS];
    for (int64_t stuck = now() + INT64_C(60000000000);;) {
        bool is_over = (now() >= end && load.requests >= requests) || load.is_used_up;
        uint64_t errors = load.connect_errors + load.read_errors + load.write_errors;
        if (errors > 1000) is_over = true;
        on_their_way = load.client_count - load.idle_count;
        while (!is_over && !load.is_used_up && on_their_way < busy) {
            struct client *next = load.idle[load.idle_first];
            load.idle_first = (load.idle_first + 1) % load.client_count;
            load.idle_count--;
            start(next);
            on_their_way = load.client_count - load.idle_count;
            if (load.connect_errors + load.read_errors + load.write_errors > errors) break;
        }
        if (is_over && !on_their_way) return;
        if (is_over && now() > stuck) fail("%zu requests were never answered", on_their_way);
        if (!is_over) stuck = now() + INT64_C(10000000000);
        int count = epoll_wait(load.poll, events, EVENTS, 100);
        for (int index = 0; index < count; index++) handle(events[index].data.ptr);
    }
}

static SSL_CTX *tls_context(void) {
    SSL_CTX *made = SSL_CTX_new(TLS_client_method());
    if (!made || !SSL_CTX_set_min_proto_version(made, TLS1_3_VERSION)
        || !SSL_CTX_set_ciphersuites(made, "TLS_AES_128_GCM_SHA256") || !SSL_CTX_set1_groups_list(made, "X25519"))
        fail("no TLS 1.3");
    SSL_CTX_set_session_cache_mode(made, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(made, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    return made;
}

static void print_totals(double seconds) {
    printf("TOTALS {\"requests\":%lu,\"microseconds\":%.0f,\"bytes\":%lu,\"p50\":%.1f,\"p99\":%.1f,\"handshakes\":%lu,"
        "\"wrong\":{\"connect errors\":%lu,\"read errors\":%lu,\"write errors\":%lu,\"wrong answers\":%lu}}\n",
        load.requests, seconds * 1e6, load.bytes, percentile(&load.latencies, 0.5), percentile(&load.latencies, 0.99),
        load.handshakes, load.connect_errors, load.read_errors, load.write_errors, load.statuses);
}

int main(int count, char **arguments) {
    if (count < 3) fail("closed_loop port=N template=FILE …");
    load.port = (int)setting(arguments, "port", 0);
    load.sources = (unsigned)setting(arguments, "sources", 0);
    load.is_short = setting(arguments, "short", 0);
    load.body = (uint64_t)setting(arguments, "body", 0);
    load.is_once = setting(arguments, "once", 0);
    load.client_count = (size_t)setting(arguments, "connections", 64);
    size_t busy = (size_t)setting(arguments, "busy", (int64_t)load.client_count);
    if (setting(arguments, "tls", 0)) load.tls = tls_context();
    read_template(&load.template, text_setting(arguments, "template", ""));
    read_values(&load.template, text_setting(arguments, "values", NULL));
    load.poll = epoll_create1(EPOLL_CLOEXEC);
    load.clients = calloc(load.client_count, sizeof *load.clients);
    load.idle = calloc(load.client_count, sizeof(struct client *));
    load.latencies = new_latencies();
    if (load.poll < 0 || !load.clients || !load.idle || !busy || busy > load.client_count) fail("nothing to do");
    for (size_t index = 0; index < load.client_count; index++) {
        load.clients[index].descriptor = -1;
        rest(&load.clients[index]);
    }

    uint64_t warm = (uint64_t)setting(arguments, "warm_requests", 0);
    if (warm < load.client_count && !load.is_short && !load.is_once) warm = load.client_count;
    run(now() + setting(arguments, "warm_milliseconds", 1000) * 1000000, warm, busy);
    load.requests = load.bytes = load.handshakes = 0;
    if (load.is_used_up) fail("the values are used up before the load");
    if (!load.is_once) load.next_value = 0;
    free(load.latencies.buckets);
    load.latencies = new_latencies();
    wait_for_start();
    int64_t began = now();
    run(began + setting(arguments, "seconds", 6) * 1000000000, 0, busy);
    print_totals((double)(now() - began) / 1e9);
    return 0;
}
