"""Frames of HTTP/2 as bytes, whatever they say: header blocks of literals, so that nothing is checked on the way out."""
import hpack

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
(DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION,
 PRIORITY_UPDATE) = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16)
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITIZED = 1, 1, 4, 8, 32
NO_ERROR, PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR = 0, 1, 3, 5, 6
REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, ENHANCE_YOUR_CALM = 7, 8, 9, 11
ENABLE_PUSH, MAX_STREAMS, INITIAL_WINDOW, MAX_FRAME, ENABLE_CONNECT = 2, 3, 4, 5, 8
LARGEST_WINDOW = (1 << 31) - 1


def frame(kind, flags=0, stream=0, payload=b""):
    """One frame."""
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def integer(value, bits, first=0):
    """An integer with a prefix of so many bits (RFC 7541 §5.1)."""
    most = (1 << bits) - 1
    if value < most:
        return bytes((first | value,))
    text, value = bytearray((first | most,)), value - most
    while value >= 128:
        text.append(value & 127 | 128)
        value >>= 7
    text.append(value)
    return bytes(text)


def literal(name, value, first=0x00):
    """A field as a literal that no table takes; with 0x40 it enters the table, with 0x10 it never may."""
    return bytes((first,)) + integer(len(name), 7) + name + integer(len(value), 7) + value


def block(fields):
    """A header block of literals."""
    return b"".join(literal(name, value) for name, value in fields)


def headers(stream, fields, flags=END_HEADERS):
    """A section in one frame."""
    return frame(HEADERS, flags, stream, fields if isinstance(fields, bytes) else block(fields))


def section(stream, encoded, flags=0, cuts=()):
    """A section in a HEADERS frame and as many CONTINUATION frames as there are cuts."""
    edges = [0, *cuts, len(encoded)]
    frames = b""
    for number, (start, end) in enumerate(zip(edges, edges[1:])):
        last = END_HEADERS if number == len(edges) - 2 else 0
        frames += frame(CONTINUATION if number else HEADERS, last | (0 if number else flags), stream, encoded[start:end])
    return frames


def data(stream, content, flags=0, padding=None):
    """Content in one frame."""
    if padding is not None:
        content, flags = bytes((padding,)) + content + b"\0" * padding, flags | PADDED
    return frame(DATA, flags, stream, content)


def settings(*pairs):
    """What we allow."""
    return frame(SETTINGS, 0, 0, b"".join(key.to_bytes(2, "big") + value.to_bytes(4, "big") for key, value in pairs))


def reset(stream, code=CANCEL):
    """The end of a stream."""
    return frame(RST_STREAM, 0, stream, code.to_bytes(4, "big"))


def window(stream, increment):
    """More room."""
    return frame(WINDOW_UPDATE, 0, stream, increment.to_bytes(4, "big"))


def ping(text=b"        ", flags=0):
    """A sign of life."""
    return frame(PING, flags, 0, text)


def goaway(code=NO_ERROR):
    """No more streams of the other side's, of which there are none."""
    return frame(GOAWAY, 0, 0, bytes(4) + code.to_bytes(4, "big"))


def preface(*pairs):
    """How a client begins."""
    return PREFACE + settings(*pairs)


class Answer:
    """What came on one stream."""

    def __init__(self):
        # Heads in their order, interim ones first, and trailers last.
        self.sections = []
        self.content = b""
        self.has_ended = False
        self.code = None

    @property
    def is_over(self):
        """Whether nothing more can come."""
        return self.has_ended or self.code is not None

    @property
    def head(self):
        """The fields of the answer proper, or none."""
        return next((each for each in self.sections if not dict(each).get(b":status", b"1").startswith(b"1")), [])

    @property
    def status(self):
        """0 without a head."""
        return int(dict(self.head).get(b":status", 0))


class Broken(Exception):
    """The gateway sent what no server may send."""


class FrameReader:
    """Reads what the gateway sends; bytes in, answers by stream out."""

    def __init__(self):
        self.rest = b""
        self.answers = {}
        self.decoder = hpack.Decoder()
        self.encoded = None
        # What is owed: acknowledgements, ready to be sent.
        self.owed = b""
        self.goaways = []
        self.settings = {}
        self.pongs = 0
        self.received = 0

    def feed(self, more):
        """Takes bytes."""
        self.rest += more
        place = 0
        while len(self.rest) - place >= 9:
            length = int.from_bytes(self.rest[place:place + 3], "big")
            if len(self.rest) - place < 9 + length:
                break
            kind, flags = self.rest[place + 3], self.rest[place + 4]
            stream = int.from_bytes(self.rest[place + 5:place + 9], "big")
            self.take(kind, flags, stream, self.rest[place + 9:place + 9 + length])
            place += 9 + length
        self.rest = self.rest[place:]

    def take(self, kind, flags, stream, payload):
        """Takes one frame."""
        if self.encoded is not None and kind != CONTINUATION:
            raise Broken("a section is interrupted")
        if kind in (HEADERS, DATA, CONTINUATION) and not stream:
            raise Broken("a message without a stream")
        answer = self.answers.setdefault(stream, Answer()) if stream else None
        if answer and answer.is_over and kind in (HEADERS, DATA, CONTINUATION):
            raise Broken(f"frame {kind} behind the end of stream {stream}")
        if kind == HEADERS:
            if flags & (PADDED | PRIORITIZED):
                raise Broken("a padded or prioritised head")
            self.encoded, self.flags = b"", flags
        if kind in (HEADERS, CONTINUATION):
            self.encoded += payload
            if flags & END_HEADERS:
                answer.sections.append([(bytes(name), bytes(value)) for name, value in
                                        self.decoder.decode(self.encoded, raw=True)])
                answer.has_ended, self.encoded = bool(self.flags & END_STREAM), None
        elif kind == DATA:
            if not answer.head:
                raise Broken("content before a head")
            answer.content += payload
            answer.has_ended = bool(flags & END_STREAM)
            self.received += len(payload)
        elif kind == RST_STREAM:
            answer.code = int.from_bytes(payload, "big")
        elif kind == SETTINGS and not flags & ACK:
            pairs = [payload[place:place + 6] for place in range(0, len(payload), 6)]
            self.settings.update((int.from_bytes(pair[:2], "big"), int.from_bytes(pair[2:], "big")) for pair in pairs)
            self.owed += frame(SETTINGS, ACK)
        elif kind == PING:
            self.pongs += flags & ACK
            if not flags & ACK:
                self.owed += ping(payload, ACK)
        elif kind == GOAWAY:
            self.goaways.append(int.from_bytes(payload[4:8], "big"))
        elif kind == PUSH_PROMISE:
            raise Broken("a promise")
