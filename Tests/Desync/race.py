"""A response that comes unasked behind another: is it taken for the answer to a request that was sent after it came?

What arrives after the next request was sent looks like its answer; nobody can tell. But what was there before can be
told: the gateway stands still while both are written, to a Unix socket, where what was written has arrived.
"""
import os
import signal
import socket
import threading
import time
from pathlib import Path

from gateway import HOST

TRIES = 50
PATIENCE_SECONDS = 60
# As much as one read takes: what comes behind it is found by another look, or not at all.
READ = 65_536
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
LENGTH = READ - len(HEAD % READ)
FIRST = HEAD % LENGTH + b"f" * LENGTH
HEAD_ALONE = HEAD % 46
UNASKED = b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nunasked"
OWN = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nown"
assert len(FIRST) == READ


class Upstream:
    """Sends UNASKED behind its answer to `/p/trap`, and OWN otherwise."""

    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(512)
        # The gateway's process, once it runs.
        self.process = None
        # How often both were there when the gateway went on.
        self.sprung = 0
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
        received = b""
        with connection:
            try:
                while data := connection.recv(65536):
                    received += data
                    while b"\r\n\r\n" in received:
                        head, received = received.split(b"\r\n\r\n", 1)
                        if b"/p/trap" in head:
                            self.spring(connection, HEAD_ALONE if head.startswith(b"HEAD") else FIRST)
                        else:
                            connection.sendall(OWN)
            except OSError:
                pass

    def spring(self, connection, first):
        """Writes both while the gateway stands still."""
        os.kill(self.process.pid, signal.SIGSTOP)
        try:
            end = time.monotonic() + PATIENCE_SECONDS
            while not stands_still(self.process.pid) and time.monotonic() < end:
                time.sleep(0.001)
            connection.sendall(first)
            connection.sendall(UNASKED)
            self.sprung += 1
        finally:
            os.kill(self.process.pid, signal.SIGCONT)


def stands_still(process):
    """Whether all its threads are stopped."""
    return all(file.read_text(errors="replace").rpartition(")")[2].split()[0] == "T"
               for file in Path(f"/proc/{process}/task").glob("*/stat"))


def trap(port, method):
    """Whether the answer to the second of two requests is the unasked one."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as client:
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
    before = upstream.sprung
    taken = sum(trap(port, method) for _ in range(TRIES))
    return upstream.sprung - before, taken
