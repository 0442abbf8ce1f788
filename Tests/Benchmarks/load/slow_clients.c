// Clients that hold on to connections (slowloris): a third says nothing, a third sends the head of a request and a third
// a body, a byte each second. Whoever is cut off comes back at its next turn.
//
//   slow_clients port=N clients=N [sources=0]
//
// Prints READY when all have connected, and goes on until it is ended.
#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum kind { SILENT, SLOW_HEAD, SLOW_BODY, KINDS };

struct client {
    int descriptor;
    bool has_begun;
};

static struct {
    int port;
    unsigned sources;
    char beginnings[KINDS][256];
} load;

static void come_back(struct client *client) {
    if (client->descriptor >= 0) close(client->descriptor);
    client->descriptor = open_connection(load.port, load.sources);
    client->has_begun = false;
}

static bool was_cut_off(int descriptor) {
    char bytes[512];
    ssize_t count = recv(descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
    return count == 0 || (count < 0 && errno != EAGAIN && errno != ENOTCONN);
}

static void take_turn(struct client *client, enum kind kind) {
    if (client->descriptor < 0 || was_cut_off(client->descriptor)) {
        come_back(client);
        return;
    }
    const char *bytes = client->has_begun ? "a" : load.beginnings[kind];
    size_t count = strlen(bytes);
    if (kind == SILENT) return;
    ssize_t sent = send(client->descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent == (ssize_t)count) {
        client->has_begun = true;
    } else if (sent >= 0 || (errno != EAGAIN && errno != ENOTCONN)) {
        come_back(client);
    }
}

int main(int count, char **arguments) {
    if (count < 3) fail("slow_clients port=N clients=N [sources=N]");
    load.port = (int)setting(arguments, "port", 0);
    load.sources = (unsigned)setting(arguments, "sources", 0);
    int64_t clients = setting(arguments, "clients", 0);
    if (clients < 1) fail("nothing to do");
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files)) fail("getrlimit: %s", strerror(errno));
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    snprintf(load.beginnings[SLOW_HEAD], sizeof load.beginnings[0], "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nSlow: ",
        load.port);
    snprintf(load.beginnings[SLOW_BODY], sizeof load.beginnings[0],
        "POST / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 1000000\r\n\r\n", load.port);
    struct client *all = calloc((size_t)clients, sizeof *all);
    if (!all) fail("no memory");
    for (int64_t index = 0; index < clients; index++) {
        all[index].descriptor = open_connection(load.port, load.sources);
        if (all[index].descriptor < 0) fail("connect: %s", strerror(errno));
    }
    puts("READY");
    fflush(stdout);
    // Each once a second, evenly.
    struct timespec gap = {0, 1000000};
    for (int64_t tick = 0;; tick++) {
        for (int64_t index = tick % 1000; index < clients; index += 1000)
            take_turn(&all[index], (enum kind)(index % KINDS));
        nanosleep(&gap, NULL);
    }
}
