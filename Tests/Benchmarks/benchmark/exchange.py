"""Single requests over plain sockets: probes, and connections that are kept."""
import socket
import ssl

from .failure import Failure

# What an API client in front of a reverse proxy usually sends.
FIELDS = (
    ("User-Agent", "okhttp/4.12.0"),
    ("Accept", "application/json"),
    ("Accept-Encoding", "gzip, deflate, br"),
    ("Accept-Language", "en-GB,en;q=0.8"),
    ("Cache-Control", "no-cache"),
    ("Referer", "https://shop.bench.test/orders"),
)
PATH = "/orders/4711?expand=items"


def unverified():
    """A client's context for TLS: the certificate is the benchmark's own, and not what is probed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


TLS = unverified()


def bearer(token):
    """The field that carries a Bearer token; none without one."""
    return (("Authorization", f"Bearer {token}"),) if token else ()


def bound(token, proof):
    """The fields that carry a token bound to a key, and a proof by that key."""
    return ("Authorization", f"DPoP {token}"), ("DPoP", proof)


def request_bytes(port, credentials=(), path=PATH):
    """One whole GET request; `credentials` are the fields that carry them."""
    fields = (("Host", f"127.0.0.1:{port}"), *FIELDS, *credentials)
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode()


class Connection:
    """A keep-alive connection to a server on 127.0.0.1, over TLS where it is asked for."""

    def __init__(self, port, seconds=60, tls=False, source="127.0.0.1"):
        self.socket = socket.create_connection(("127.0.0.1", port), seconds, (source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = TLS.wrap_socket(self.socket)
        self.rest = b""

    def exchange(self, request):
        """Sends one request and returns the status and the body of its answer."""
        self.socket.sendall(request)
        while b"\r\n\r\n" not in self.rest:
            self.receive()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        length = 0
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        while len(self.rest) < length:
            self.receive()
        body, self.rest = self.rest[:length], self.rest[length:]
        return int(head.split(b" ", 2)[1]), body

    def receive(self):
        received = self.socket.recv(65536)
        if not received:
            raise ConnectionError("the server closed the connection")
        self.rest += received

    def is_open(self):
        """Whether the server still keeps an idle connection."""
        self.socket.setblocking(False)
        try:
            return bool(self.socket.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def close(self):
        self.socket.close()


def answer(port, credentials=(), path=PATH, tls=False):
    """The status and body of one request on a connection of its own."""
    connection = Connection(port, tls=tls)
    try:
        return connection.exchange(request_bytes(port, credentials, path))
    finally:
        connection.close()


def probe(port, credentials, ask=answer):
    """Fails unless a server passes good credentials and, where it demands some, refuses bad ones.

    Otherwise a server that checks nothing would win. `ask` sends one request.
    """
    good = credentials.good(PATH)
    status, _ = ask(port, good)
    if status != 200:
        raise Failure(f"answers {status} instead of 200")
    if not credentials.demanded:
        return
    if credentials.used_once and ask(port, good)[0] != 401:
        raise Failure("does not answer 401 to a replayed proof")
    for fault, fields in {"no token": (), **credentials.bad(PATH)}.items():
        status, _ = ask(port, fields)
        if status not in (401, 403):
            raise Failure(f"answers {status} to {fault}")
    _, seen = ask(port, credentials.good("/seen"), "/seen")
    if not seen.startswith(b"user-"):
        raise Failure(f"the origin saw {seen[:60]!r} as X-User-Id")
