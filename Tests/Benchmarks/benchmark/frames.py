"""A client of HTTP/2 over plain sockets: probes, connections that are kept, and requests that are sent again and again."""
import socket
import ssl

from .exchange import FIELDS, PATH, unverified
from .failure import Failure

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
HEADER_TABLE_SIZE, ENABLE_PUSH, INITIAL_WINDOW_SIZE = 1, 2, 4
FIRST_WINDOW, LARGEST_WINDOW = 65_535, (1 << 31) - 1
LARGEST_FRAME = 16_384
# Bytes of fields that a server remembers of a client unless it says otherwise, and those that each field counts beside its own.
TABLE, FIELD_COUNTS = 4096, 32
FIRST_OF_TABLE = 62
SPEAKS_HTTP2 = unverified()
SPEAKS_HTTP2.set_alpn_protocols(["h2"])
# Statuses of the static table (RFC 7541, appendix A), by their index.
STATUSES = {8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500}


def frame(kind, flags, stream, payload=b""):
    """One frame."""
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def number(value, prefix, first):
    """A number in HPACK's way, behind the bits that `first` has before it (RFC 7541 §5.1)."""
    most = (1 << prefix) - 1
    if value < most:
        return bytes((first | value,))
    coded, value = bytearray((first | most,)), value - most
    while value >= 128:
        coded.append(value % 128 + 128)
        value //= 128
    return bytes(coded) + bytes((value,))


def text(value):
    """A text in HPACK's way, not compressed."""
    coded = value.encode()
    return number(len(coded), 7, 0) + coded


def huffman_digits(coded):
    """Digits in HPACK's code for texts; others are not in a status."""
    bits, digits = "".join(f"{byte:08b}" for byte in coded), ""
    while bits.strip("1"):
        length = 5 if bits[:5] in ("00000", "00001", "00010") else 6
        code = int(bits[:length], 2)
        digits += str(code if length == 5 else code - 0b011001 + 3)
        bits = bits[length:]
    return digits


def status_of(block):
    """The status that a section of fields begins with, from a server that was told to keep no table."""
    while block[0] & 0xE0 == 0x20:
        block = block[1:]
    if block[0] & 0x80:
        return STATUSES.get(block[0] & 0x7F)
    index = block[0] & (0x3F if block[0] & 0x40 else 0x0F)
    if index not in STATUSES:
        return None
    value = block[2:2 + (block[1] & 0x7F)]
    return int(huffman_digits(value) if block[1] & 0x80 else value)


def request_fields(port, credentials=(), path=PATH, tls=False, method="GET"):
    """The fields of one request, as `request_bytes` has them of HTTP/1.1."""
    return ((":method", method), (":scheme", "https" if tls else "http"), (":authority", f"127.0.0.1:{port}"),
            (":path", path), *((name.lower(), value) for name, value in (*FIELDS, *credentials)))


class MultiplexedConnection:
    """A connection to a server on 127.0.0.1 that speaks HTTP/2: over TLS by ALPN, otherwise by its preface."""

    def __init__(self, port, seconds=60, tls=False, source="127.0.0.1"):
        self.socket = socket.create_connection(("127.0.0.1", port), seconds, (source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = SPEAKS_HTTP2.wrap_socket(self.socket)
            if self.socket.selected_alpn_protocol() != "h2":
                raise Failure("does not speak HTTP/2")
        self.rest = b""
        self.stream = -1
        # Fields that the server remembers, the latest first.
        self.table = []
        self.window, self.stream_window, self.windows = FIRST_WINDOW, FIRST_WINDOW, {}
        settings = ((HEADER_TABLE_SIZE, 0), (ENABLE_PUSH, 0), (INITIAL_WINDOW_SIZE, LARGEST_WINDOW))
        self.socket.sendall(
            PREFACE + frame(SETTINGS, 0, 0, b"".join(
                name.to_bytes(2, "big") + value.to_bytes(4, "big") for name, value in settings))
            + frame(WINDOW_UPDATE, 0, 0, (LARGEST_WINDOW - FIRST_WINDOW).to_bytes(4, "big")))

    def section(self, fields):
        """A request's section of fields; those that were sent before are sent as where they are."""
        block = b""
        for field in fields:
            if field in self.table:
                block += number(FIRST_OF_TABLE + self.table.index(field), 7, 0x80)
                continue
            fits = sum(len(name) + len(value) + FIELD_COUNTS for name, value in (*self.table, field)) <= TABLE
            block += (b"\x40" if fits else b"\x00") + text(field[0]) + text(field[1])
            if fits:
                self.table.insert(0, field)
        return block

    def exchange(self, fields, body=b""):
        """Sends one request and returns the status and the body of its answer."""
        return self.exchange_many(fields, 1, body)[0]

    def exchange_many(self, fields, count, body=b""):
        """Sends so many requests at once; the status and body of each."""
        streams = []
        sent = b""
        for _ in range(count):
            self.stream += 2
            streams.append(self.stream)
            self.windows[self.stream] = self.stream_window
            # A section that is longer than a frame may be is nothing that a probe sends.
            sent += frame(HEADERS, END_HEADERS | (0 if body else END_STREAM), self.stream, self.section(fields))
        answers = {stream: [None, [], False] for stream in streams}
        self.socket.sendall(sent)
        for stream in streams if body else ():
            self.send_body(stream, body, answers)
        while not all(ended for _, _, ended in answers.values()):
            self.receive(answers)
        for stream in streams:
            del self.windows[stream]
        return [(status, b"".join(content)) for status, content, _ in answers.values()]

    def send_body(self, stream, body, answers):
        """Sends a body as the server's windows allow it."""
        while body:
            count = min(self.window, self.windows[stream], LARGEST_FRAME, len(body))
            if count <= 0:
                self.receive(answers)
                continue
            part, body = body[:count], body[count:]
            self.window -= count
            self.windows[stream] -= count
            self.socket.sendall(frame(DATA, 0 if body else END_STREAM, stream, part))

    def receive(self, answers):
        """Sees to the next frame."""
        while len(self.rest) < 9 or len(self.rest) < 9 + int.from_bytes(self.rest[:3], "big"):
            received = self.socket.recv(1 << 18)
            if not received:
                raise ConnectionError("the server closed the connection")
            self.rest += received
        end = 9 + int.from_bytes(self.rest[:3], "big")
        kind, flags, stream = self.rest[3], self.rest[4], int.from_bytes(self.rest[5:9], "big")
        payload, self.rest = self.rest[9:end], self.rest[end:]
        if kind == SETTINGS and not flags & ACK:
            self.adopt(payload)
            self.socket.sendall(frame(SETTINGS, ACK, 0))
        elif kind == PING and not flags & ACK:
            self.socket.sendall(frame(PING, ACK, 0, payload))
        elif kind == WINDOW_UPDATE:
            self.enlarge(stream, int.from_bytes(payload, "big"))
        elif kind == RST_STREAM and payload == bytes(4) and stream in answers and answers[stream][2]:
            # It is answered, and nobody needs the rest of the request.
            self.windows[stream] = 0
        elif kind in (GOAWAY, RST_STREAM):
            raise ConnectionError(f"the server says {payload.hex()} in a frame of type {kind}")
        elif stream in answers:
            answer = answers[stream]
            # The first section is the head; another one is that of trailers.
            if kind == HEADERS and answer[0] is None:
                answer[0] = status_of(payload)
            elif kind == DATA:
                answer[1].append(payload)
            answer[2] = answer[2] or bool(flags & END_STREAM)

    def adopt(self, settings):
        for place in range(0, len(settings), 6):
            value = int.from_bytes(settings[place + 2:place + 6], "big")
            if int.from_bytes(settings[place:place + 2], "big") == INITIAL_WINDOW_SIZE:
                for stream in self.windows:
                    self.windows[stream] += value - self.stream_window
                self.stream_window = value

    def enlarge(self, stream, count):
        if stream == 0:
            self.window += count
        elif stream in self.windows:
            self.windows[stream] += count

    def is_open(self):
        """Whether the server still keeps an idle connection."""
        self.socket.setblocking(False)
        try:
            while self.socket.recv(1 << 16):
                pass
            return False
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            return False

    def close(self):
        self.socket.close()


def multiplexed_answer(port, credentials=(), path=PATH, tls=False):
    """The status and body of one request on a connection of its own."""
    connection = MultiplexedConnection(port, tls=tls)
    try:
        return connection.exchange(request_fields(port, credentials, path, tls))
    finally:
        connection.close()
