"""Very many requests on a few connections, each sent before the one before it is answered."""
import socket
import threading

from browser import HOST

# On their way at once, on one connection.
AHEAD = 20
ANSWER_SECONDS = 60


def request(target, fields=(), method="GET"):
    """The bytes of one without content."""
    lines = [f"{method} {target} HTTP/1.1", f"Host: {HOST}", *(f"{name}: {value}" for name, value in dict(fields).items()), "", ""]
    return "\r\n".join(lines).encode()


class Way:
    """A connection to a gateway."""

    def __init__(self, gateway):
        self.socket = socket.create_connection(("127.0.0.1", gateway.port), timeout=ANSWER_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = self.socket.makefile("rb")

    def send(self, *requests):
        """Sends them, all in one write."""
        self.socket.sendall(b"".join(requests))

    def status(self):
        """That of the next answer, whose content is passed over."""
        status, length = int(self.line().split()[1]), 0
        while line := self.line():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        self.input.read(length)
        return status

    def line(self):
        """The next one, without its end."""
        line = self.input.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError(f"the gateway has closed the connection after {line!r}")
        return line[:-2]

    def statuses(self, requests):
        """Those of the answers, in order."""
        found = []
        for place in range(0, len(requests), AHEAD):
            some = requests[place:place + AHEAD]
            self.send(*some)
            found += [self.status() for _ in some]
        return found

    def close(self):
        """Ends it."""
        self.input.close()
        self.socket.close()


def at_once(functions):
    """What each of them gives, all begun at the same moment."""
    found, errors, begin = [None] * len(functions), [], threading.Barrier(len(functions))

    def run(place, function):
        try:
            begin.wait()
            found[place] = function()
        except BaseException as error:  # pylint: disable=broad-exception-caught
            errors.append(error)
    threads = [threading.Thread(target=run, args=one, daemon=True) for one in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return found
