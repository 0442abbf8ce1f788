// SPDX-License-Identifier: Apache-2.0
// Linux calls that the Glibc module hides behind _GNU_SOURCE, which must not be defined here (see CEvent/shim.h).
#pragma once
#include <sys/types.h>
#include <sys/socket.h>
#include <fcntl.h>

extern int accept4(int socket, struct sockaddr *restrict address, socklen_t *restrict length, int flags);

static inline int portcullis_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
