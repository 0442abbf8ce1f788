// Open-loop load: each request is due at its moment, whatever became of those before it.
//
//   open_loop port=N rate=N requests=N get=FILE [post=FILE] [post_every=0] [short=FILE] [short_every=0]
//             [connections=16] [sources=0] [warm_requests=0] [first=FILE] [second=FILE] [values=FILE]
//
// With VALUES, GET is a template as in closed_loop.c, and each of its requests has the next line, which is sent once.
// Latency counts from the moment a request was due, so that a server that stalls pays for every request it delays
// (no coordinated omission). GET, POST and SHORT are whole requests; every so many requests are posts, or are sent on a
// connection of their own. Every answer must be 200 and have FIRST or SECOND as its body, where they are given.
//
// What becomes of a request whose connection ends without a byte of an answer depends on whether the server had closed
// before it came. If so, nothing of it was processed, and it is sent again (RFC 9112 §9.3.1, RFC 9110 §9.2.2); that is
// counted as a retry. If not, the server took it and it is lost, as is one whose answer breaks off.
//
// Prints READY when connections are open and warm, and loads when it reads a byte; then prints TOTALS.
#include "template.h"
#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256, TRIES = 5, SHORT_AT_ONCE = 1024, ANSWERS = 2 };
static const int64_t patience = INT64_C(30000000000);

struct text {
    char *bytes;
    size_t count;
};

struct client {
    int descriptor;
    bool is_short, is_busy, is_sent;
    // Whether this connection has not brought an answer yet.
    bool is_new;
    int tries;
    const struct text *request;
    // Its own, where each is another one.
    struct text own;
    int64_t due;
    // Which of the answers allowed this one may still be.
    unsigned candidates;
    struct answer answer;
};

// Those that rest, the one that has rested longest first, so that every connection is used.
struct queue {
    struct client **clients;
    size_t room, first, count;
};

static struct {
    int port, poll;
    unsigned sources;
    struct text get, post, brief, answers[ANSWERS];
    struct template template;
    size_t next_value;
    int64_t post_every, short_every;
    struct client *clients;
    size_t client_count;
    struct queue idle, idle_short;
    // Requests that are due and have no connection yet, from the first to before the next.
    int64_t first_waiting, next;
    uint64_t answered, bodies[ANSWERS];
    uint64_t lost, lost_new, cut, wrong, retries, refused, closed_idle, told_to_close;
    int64_t latest_send;
    struct latencies latencies;
} load;

static void check_body(struct answer *answer, const char *bytes, size_t count) {
    struct client *client = answer->owner;
    for (unsigned index = 0; index < ANSWERS; index++) {
        const struct text *allowed = &load.answers[index];
        if (answer->body + count > allowed->count || memcmp(allowed->bytes + answer->body, bytes, count))
            client->candidates &= ~(1u << index);
    }
}

static bool open_client(struct client *client) {
    client->is_new = true;
    client->descriptor = open_connection(load.port, load.sources);
    if (client->descriptor < 0) return false;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = client};
    if (epoll_ctl(load.poll, EPOLL_CTL_ADD, client->descriptor, &event)) fail("epoll_ctl: %s", strerror(errno));
    return true;
}

static void hang_up(struct client *client) {
    if (client->descriptor >= 0) close(client->descriptor);
    client->descriptor = -1;
}

static void rest(struct client *client) {
    struct queue *queue = client->is_short ? &load.idle_short : &load.idle;
    client->is_busy = false;
    queue->clients[(queue->first + queue->count++) % queue->room] = client;
}

// Whether the server had closed before the request on its way came.
//
// Then its end of the connection came first, and a reset answers the request: Linux calls that EPIPE. A server that closes
// with a request unread resets at once (ECONNRESET), and one that has read it has nothing to reset.
static bool was_closed_before(const struct client *client, int reason) {
    socklen_t size = sizeof reason;
    if (!reason) getsockopt(client->descriptor, SOL_SOCKET, SO_ERROR, &reason, &size);
    return reason == EPIPE;
}

static void send_request(struct client *client);

static void end_without_answer(struct client *client, int reason) {
    if (client->answer.head_count || client->answer.status) load.cut++;
    else if (client->is_sent && !was_closed_before(client, reason)) load.lost++, load.lost_new += client->is_new;
    else if (client->tries++ < TRIES) {
        load.retries++;
        hang_up(client);
        return send_request(client);
    } else load.lost++;
    hang_up(client);
    rest(client);
}

static void push(struct client *client) {
    ssize_t sent = send(client->descriptor, client->request->bytes, client->request->count, MSG_NOSIGNAL);
    if (sent == (ssize_t)client->request->count) client->is_sent = true;
    else if (sent >= 0 || (errno != EAGAIN && errno != ENOTCONN)) end_without_answer(client, sent < 0 ? errno : 0);
}

static void send_request(struct client *client) {
    client->is_sent = false;
    client->candidates = (1u << ANSWERS) - 1;
    expect_answer(&client->answer);
    if (client->descriptor < 0 && !open_client(client)) {
        // Nobody listens: no client could have been served.
        load.refused++;
        rest(client);
        return;
    }
    push(client);
}

static void start(struct client *client, int64_t number, int64_t due) {
    client->is_busy = true;
    client->tries = 0;
    client->due = due;
    client->request = client->is_short ? &load.brief
        : load.post_every && number % load.post_every == 1 ? &load.post : &load.get;
    if (load.template.value_count && client->request == &load.get) {
        if (load.next_value >= load.template.value_count) fail("the values are used up");
        if (!client->own.bytes && !(client->own.bytes = malloc(REQUEST_BYTES))) fail("no memory");
        client->own.count = put_together(&load.template, load.next_value++, client->own.bytes);
        client->request = &client->own;
    }
    int64_t late = now() - due;
    if (late > load.latest_send) load.latest_send = late;
    send_request(client);
}

static void finish(struct client *client) {
    bool is_known = !load.answers[0].count;
    record(&load.latencies, now() - client->due);
    load.answered++;
    client->is_new = false;
    for (unsigned index = 0; index < ANSWERS && !is_known; index++) {
        if (!(client->candidates & 1u << index) || client->answer.body != load.answers[index].count) continue;
        load.bodies[index]++;
        is_known = true;
    }
    if (client->answer.status != 200 || !is_known) load.wrong++;
    if (client->answer.closes && !client->is_short) load.told_to_close++;
    if (client->is_short || client->answer.closes) hang_up(client);
    rest(client);
}

static void pull(struct client *client) {
    static char bytes[READ_BYTES];
    ssize_t count = recv(client->descriptor, bytes, sizeof bytes, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (!client->is_busy) {
        // Between requests a server may close, and may do nothing else.
        if (count > 0) load.wrong++;
        else load.closed_idle++;
        return hang_up(client);
    }
    if (count <= 0) return end_without_answer(client, count ? errno : 0);
    size_t used = take(&client->answer, bytes, (size_t)count);
    if (client->answer.state == BROKEN || used < (size_t)count) {
        load.wrong++;
        hang_up(client);
        rest(client);
    } else if (client->answer.state == COMPLETE) {
        finish(client);
        // What closes a connection may have come with the answer.
        if (client->descriptor >= 0) pull(client);
    }
}

static void handle(struct client *client) {
    if (client->descriptor < 0) return;
    if (client->is_busy && !client->is_sent) push(client);
    if (client->descriptor >= 0 && (client->is_sent || !client->is_busy)) pull(client);
}

// Gives every request that is due a connection, where one is free, in the order of their moments.
static void start_due(int64_t due_count, int64_t began, double gap) {
    while (load.first_waiting < due_count) {
        int64_t number = load.first_waiting;
        bool is_short = load.short_every && number % load.short_every == 0;
        struct queue *queue = is_short ? &load.idle_short : &load.idle;
        if (!queue->count) return;
        struct client *client = queue->clients[queue->first];
        queue->first = (queue->first + 1) % queue->room;
        queue->count--;
        load.first_waiting++;
        start(client, number, began + (int64_t)((double)number * gap));
    }
}

static void run(int64_t requests, double gap) {
    struct epoll_event events[EVENTS];
    int64_t began = now() + 1000000, last = began + (int64_t)((double)requests * gap);
    load.first_waiting = 0;
    while (load.first_waiting < requests || load.idle.count + load.idle_short.count < load.client_count) {
        int64_t time = now(), due_count = time < began ? 0 : (int64_t)((double)(time - began) / gap) + 1;
        if (due_count > requests) due_count = requests;
        start_due(due_count, began, gap);
        time = now();
        if (time > last + patience) {
            load.lost += (uint64_t)(requests - load.first_waiting) + load.client_count - load.idle.count
                - load.idle_short.count;
            return;
        }
        int64_t until = began + (int64_t)((double)due_count * gap) - time;
        // With requests waiting only for a connection, what is next is an answer.
        if (due_count == requests || load.first_waiting < due_count) until = 10000000;
        if (until < 0) until = 0;
        struct timespec longest = {until / 1000000000, until % 1000000000};
        int count = epoll_pwait2(load.poll, events, EVENTS, &longest, NULL);
        for (int index = 0; index < count; index++) handle(events[index].data.ptr);
    }
}

static struct text text_of(char **arguments, const char *name) {
    const char *path = text_setting(arguments, name, NULL);
    struct text text = {0};
    if (path) text.bytes = whole_file(path, &text.count);
    return text;
}

static void make_clients(size_t kept, size_t brief) {
    load.client_count = kept + brief;
    load.clients = calloc(load.client_count, sizeof *load.clients);
    load.idle = (struct queue){calloc(kept, sizeof(struct client *)), kept, 0, 0};
    load.idle_short = (struct queue){calloc(brief + 1, sizeof(struct client *)), brief + 1, 0, 0};
    if (!load.clients || !load.idle.clients || !load.idle_short.clients) fail("no memory");
    for (size_t index = 0; index < load.client_count; index++) {
        struct client *client = &load.clients[index];
        client->descriptor = -1;
        client->is_short = index >= kept;
        client->answer.owner = client;
        client->answer.check = load.answers[0].count ? check_body : NULL;
        rest(client);
    }
}

static void print_totals(int64_t requests, double seconds) {
    const struct latencies *latencies = &load.latencies;
    printf("TOTALS {\"requests\":%ld,\"microseconds\":%.0f,\"answered\":%lu,\"first\":%lu,\"second\":%lu,\"lost\":%lu,"
        "\"lost_new\":%lu,\"cut\":%lu,\"wrong_answers\":%lu,\"refused\":%lu,\"retries\":%lu,\"closed_idle\":%lu,\"told_to_close\":%lu,"
        "\"latest_send\":%.1f,\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"longest\":%.1f}\n",
        requests, seconds * 1e6, load.answered, load.bodies[0], load.bodies[1], load.lost, load.lost_new, load.cut,
        load.wrong, load.refused, load.retries, load.closed_idle, load.told_to_close, (double)load.latest_send / 1e3,
        percentile(latencies, 0.5), percentile(latencies, 0.9), percentile(latencies, 0.99),
        (double)latencies->longest / 1e3);
}

int main(int count, char **arguments) {
    if (count < 5) fail("open_loop port=N rate=N requests=N get=FILE …");
    // The kernel would otherwise wake this up to 50 µs late.
    prctl(PR_SET_TIMERSLACK, 1UL);
    load.port = (int)setting(arguments, "port", 0);
    load.sources = (unsigned)setting(arguments, "sources", 0);
    load.get = text_of(arguments, "get");
    if (text_setting(arguments, "values", NULL)) {
        read_template(&load.template, text_setting(arguments, "get", ""));
        read_values(&load.template, text_setting(arguments, "values", NULL));
    }
    load.post = text_of(arguments, "post");
    load.brief = text_of(arguments, "short");
    load.answers[0] = text_of(arguments, "first");
    load.answers[1] = text_of(arguments, "second");
    load.post_every = load.post.count ? setting(arguments, "post_every", 0) : 0;
    load.short_every = load.brief.count ? setting(arguments, "short_every", 0) : 0;
    int64_t rate = setting(arguments, "rate", 0), requests = setting(arguments, "requests", 0);
    load.poll = epoll_create1(EPOLL_CLOEXEC);
    if (load.poll < 0 || rate < 1 || requests < 1 || !load.get.count) fail("nothing to do");
    make_clients((size_t)setting(arguments, "connections", 16), load.short_every ? SHORT_AT_ONCE : 0);
    load.latencies = new_latencies();
    double gap = 1e9 / (double)rate;
    run(setting(arguments, "warm_requests", 0), gap);
    if (load.lost || load.cut || load.wrong || load.refused) fail("the warm-up failed");
    free(load.latencies.buckets);
    load.latencies = new_latencies();
    load.answered = load.bodies[0] = load.bodies[1] = load.retries = load.closed_idle = load.told_to_close = 0;
    load.latest_send = 0;
    wait_for_start();
    int64_t began = now();
    run(requests, gap);
    print_totals(requests, (double)(now() - began) / 1e9);
    return 0;
}
