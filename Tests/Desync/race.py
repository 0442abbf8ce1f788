# SPDX-License-Identifier: Apache-2.0
"""A response that comes unasked behind another: is it taken for the answer to a request that was sent after it came?

What arrives after the next request was sent looks like its answer; nobody can tell. But what was there before can be
told, and the upstream knows that it was: right behind its second write nothing of the next request had arrived.
"""
import array
import fcntl
import socket
import termios
import threading

from gateway import HOST

TRIES = 400
FIRST = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"
HEAD_ALONE = b"HTTP/1.1 200 OK\r\nContent-Length: 46\r\n\r\n"
UNASKED = b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nunasked"
OWN = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nown"


class Upstream:
    """Sends UNASKED behind its answer to `/p/trap`, and OWN otherwise."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        # Whether the last unasked response was there before the next request.
        self.was_first = False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        """Each connection in a thread of its own."""
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        """Until it ends."""
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        waiting, received = array.array("i", [0]), b""
        with connection:
            try:
                while data := connection.recv(65536):
                    received += data
                    while b"\r\n\r\n" in received:
                        head, received = received.split(b"\r\n\r\n", 1)
                        if b"/p/trap" not in head:
                            connection.sendall(OWN)
                            continue
                        connection.sendall(HEAD_ALONE if head.startswith(b"HEAD") else FIRST)
                        connection.sendall(UNASKED)
                        fcntl.ioctl(connection, termios.FIONREAD, waiting)
                        self.was_first = waiting[0] == 0
            except OSError:
                pass


def trap(port, method):
    """Whether the answer to the second of two requests is the unasked one."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        host = HOST.encode()
        client.sendall(b"%s /p/trap HTTP/1.1\r\nHost: %s\r\n\r\n" % (method, host)
                       + b"GET /p/own HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % host)
        received = b""
        try:
            while data := client.recv(65536):
                received += data
        except ConnectionError:
            pass
    return b"unasked" in received


def run(port, upstream, method):
    """(how often it was there before the next request, how often it was taken then)."""
    provable = taken = 0
    for _ in range(TRIES):
        upstream.was_first = False
        was_taken = trap(port, method)
        provable += upstream.was_first
        taken += upstream.was_first and was_taken
    return provable, taken
