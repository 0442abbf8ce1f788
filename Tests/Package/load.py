"""Clients that ask one request after the other, and count each answer that is not 200 and each connection that breaks."""
import collections
import multiprocessing
import os
import random
import socket
import threading
import time

# A gateway that ends keeps no connection for who has nothing to ask for a second.
IDLE_SECONDS = 0.9
REQUEST = b"GET /load HTTP/1.1\r\nHost: gateway.test\r\n\r\n"


def read_answer(connection, rest):
    """One answer: its status, whether it is the connection's last, and what came behind it."""
    data = rest
    while b"\r\n\r\n" not in data:
        received = connection.recv(65536)
        if not received:
            raise ConnectionError("ended in a head" if data else "ended before an answer")
        data += received
    head, _, data = data.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    length = next(int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:"))
    while len(data) < length:
        received = connection.recv(65536)
        if not received:
            raise ConnectionError("ended in a body")
        data += received
    return head.split(b" ")[1].decode(), b"connection: close" in lines, data[length:]


def client(address, count, counted, is_enough, outcomes, lock):
    """So many requests, and more until it is enough; connections are used for some requests each, and no request is sent twice."""
    own = collections.Counter()
    connection, rest, left, answered = None, b"", 0, 0
    while counted.value < count or not is_enough.value:
        idle = 0
        try:
            if connection is None:
                connection, rest, left = socket.create_connection(address, timeout=60), b"", random.randint(1, 100)
            else:
                idle = time.monotonic() - answered
            connection.sendall(REQUEST)
            status, is_last, rest = read_answer(connection, rest)
            answered = time.monotonic()
            own[status] += 1
            left -= 1
        except OSError as error:
            if idle > IDLE_SECONDS and not isinstance(error, TimeoutError):
                # This client stood still, and has to ask over another connection.
                connection.close()
                connection = None
                continue
            own[repr(error)] += 1
            is_last = True
        if (is_last or left == 0) and connection is not None:
            connection.close()
            connection = None
        counted.value += 1
    with lock:
        outcomes.update(own)


class Load:
    """Clients in processes of their own, so that they do not keep each other waiting."""

    def __init__(self, address, requests, connections, processes=2):
        """At least so many requests; more until `is_enough` is set, as it is from the beginning."""
        self.is_enough = multiprocessing.Value("b", True, lock=False)
        self.counters, self.processes, self.results = [], [], []
        for _ in range(processes):
            counters = [multiprocessing.Value("q", 0, lock=False) for _ in range(connections // processes)]
            receiver, sender = multiprocessing.Pipe(duplex=False)
            process = multiprocessing.Process(
                target=self.work, daemon=True, args=(address, requests // connections, counters, self.is_enough, sender))
            process.start()
            self.counters += counters
            self.processes.append(process)
            self.results.append(receiver)

    @staticmethod
    def work(address, each, counters, is_enough, sender):
        outcomes, lock = collections.Counter(), threading.Lock()
        threads = [
            threading.Thread(target=client, args=(address, each, one, is_enough, outcomes, lock)) for one in counters]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sender.send(dict(outcomes))
        sender.close()
        os._exit(0)

    @property
    def asked(self):
        """Requests that are over."""
        return sum(counter.value for counter in self.counters)

    def outcomes(self):
        """How often each answer, and each error, was had; when all clients are done."""
        total = collections.Counter()
        for process, receiver in zip(self.processes, self.results):
            total.update(receiver.recv())
            process.join()
        return total
