"""Three readers of HTTP/1.1 that know nothing of each other: h11, llhttp (httptools), and a strict one of our own.

Ours takes what RFC 9112 has one reading for and refuses the rest, also where the RFC would let it repair. It says where
a message ends; the other two are given exactly those bytes and must find one whole message in them, and the same one.
"""
import re
from dataclasses import dataclass, field

import h11
import httptools

TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
REQUEST_LINE = re.compile(rb"(" + TOKEN + rb") ([\x21-\x7e\x80-\xff]+) HTTP/([0-9])\.([0-9])")
STATUS_LINE = re.compile(rb"HTTP/1\.([01]) ([1-5][0-9][0-9]) ([\t\x20-\x7e\x80-\xff]*)")
VISIBLE = rb"[\x21-\x7e\x80-\xff]"
FIELD = re.compile(rb"(%b):[\t ]*((?:%b(?:[\t\x20-\x7e\x80-\xff]*%b)?)?)[\t ]*" % (TOKEN, VISIBLE, VISIBLE))
QUOTED = rb'"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"'
EXTENSION = rb"[\t ]*;[\t ]*%b(?:[\t ]*=[\t ]*(?:%b|%b))?" % (TOKEN, TOKEN, QUOTED)
SIZE_LINE = re.compile(rb"([0-9A-Fa-f]{1,16})(?:" + EXTENSION + rb")*")
CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
LARGEST = (1 << 63) - 1
# What llhttp knows; it refuses other tokens, so these are read in their place.
LLHTTP_METHODS = {b"DELETE", b"GET", b"HEAD", b"POST", b"PUT", b"OPTIONS", b"PATCH"}


class Malformed(Exception):
    """The bytes are no message that every reader reads alike; `message` is there when only its body is not."""
    message = None


@dataclass
class Message:
    """One request as some reader understood it."""
    method: bytes = b""
    target: bytes = b""
    minor: int = 1
    fields: list = field(default_factory=list)
    body: bytes = b""
    status: int = 0
    # Where its head and all of it end in the bytes that were read.
    head_end: int = 0
    end: int = 0
    # llhttp gives up reading at a handshake: what follows is the other protocol's.
    is_handshake: bool = False
    is_complete: bool = False
    framing: str = "none"

    def values(self, name):
        """The values of a field, in their order."""
        return [value for known, value in self.fields if known.lower() == name]


def read_fields(lines):
    """Field lines, each by its grammar."""
    fields = []
    for line in lines:
        found = FIELD.fullmatch(line)
        if not found:
            raise Malformed(f"field line {line[:60]!r}")
        fields.append(found.groups())
    return fields


def read_framing(message):
    """How the message's end is found, and its length."""
    lengths, codings = message.values(b"content-length"), message.values(b"transfer-encoding")
    if codings:
        if lengths or len(codings) > 1 or codings[0].lower() != b"chunked" or message.minor == 0:
            raise Malformed("transfer-encoding")
        return "chunked", 0
    if not lengths:
        return "none", 0
    if len(lengths) > 1 or not re.fullmatch(rb"[0-9]+", lengths[0]) or int(lengths[0]) > LARGEST:
        raise Malformed("content-length")
    return "length", int(lengths[0])


def line_at(data, start, bound):
    """The line at `start` and where the next one begins; None when its end is not there. Line ends are CR LF alone."""
    found = CONTROL.search(data, start)
    if (found.start() if found else len(data)) - start > bound:
        raise Malformed("line too long")
    if not found:
        return None
    place = found.start()
    if found[0] != b"\r":
        raise Malformed("bare LF" if found[0] == b"\n" else "control octet")
    if place + 1 == len(data):
        return None
    if data[place + 1] != 0x0a:
        raise Malformed("bare CR")
    return data[start:place], place + 2


def read_chunks(data, start, message):
    """Fills in the body; nothing when the last of it is not there."""
    place, message.body = start, b""
    while True:
        found = line_at(data, place, 4096)
        if not found:
            break
        size_line = SIZE_LINE.fullmatch(found[0])
        if not size_line:
            raise Malformed(f"chunk size {found[0][:40]!r}")
        size, place = int(size_line[1], 16), found[1]
        if size > LARGEST:
            raise Malformed("chunk size too large")
        if size == 0:
            return read_trailers(data, place, message)
        message.body += data[place:place + size]
        place += size
        ending = data[place:place + 2]
        if not b"\r\n".startswith(ending):
            raise Malformed("chunk data not terminated")
        if len(ending) < 2:
            break
        place += 2
    return None


def read_trailers(data, place, message):
    """The lines behind the last chunk."""
    while True:
        found = line_at(data, place, 70000)
        if not found:
            return
        line, place = found
        if not line:
            message.end, message.is_complete = place, True
            return
        read_fields([line])


def split_head(data, start):
    """The lines of a head and where it ends; None when it is not whole. Refuses early what can never become one."""
    lines, place = [], start
    while True:
        found = line_at(data, place, 1 << 20)
        if not found:
            return None
        line, place = found
        if not line and lines:
            return lines, place
        if not line:
            raise Malformed("empty first line")
        if lines:
            read_fields([line])
        lines.append(line)


def read_request(data, start=0, *, after_empty_line=False):
    """The request at `start`, perhaps incomplete; None without a whole head."""
    if after_empty_line and data[start:start + 2] == b"\r\n":
        start += 2
    end = data.find(b"\r\n\r\n", start)
    if end < 0:
        split_head(data, start)
        return None
    head = data[start:end]
    lines = head.split(b"\r\n")
    if CONTROL.search(head.replace(b"\r\n", b"")):
        raise Malformed("control octet, bare CR or LF")
    first = REQUEST_LINE.fullmatch(lines[0])
    if not first:
        raise Malformed(f"request line {lines[0][:60]!r}")
    if first[3] != b"1":
        raise Malformed("version")
    message = Message(method=first[1], target=first[2], minor=min(1, int(first[4])), fields=read_fields(lines[1:]))
    hosts = message.values(b"host")
    if len(hosts) > 1 or message.minor == 1 and not hosts:
        raise Malformed("host")
    message.head_end = end + 4
    message.framing, length = read_framing(message)
    if message.framing == "chunked":
        try:
            read_chunks(data, message.head_end, message)
        except Malformed as refusal:
            refusal.message = message
            raise
    else:
        message.body = data[message.head_end:message.head_end + length]
        message.end, message.is_complete = message.head_end + length, len(message.body) == length
    return message


def read_all(data):
    """(whole requests in their order, what of another is there or None, why the rest is refused or None)."""
    requests, place = [], 0
    while place < len(data):
        try:
            message = read_request(data, place, after_empty_line=True)
        except Malformed as refusal:
            return requests, refusal.message, str(refusal)
        if message is None or not message.is_complete:
            return requests, message, None
        requests.append(message)
        place = message.end
    return requests, None, None


class Refused(Exception):
    """Another reader does not take the bytes for exactly one request."""


def h11_reads(data):
    """The one request in the bytes, as h11 reads it."""
    reader = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 20)
    message = Message()
    try:
        reader.receive_data(data)
        while True:
            event = reader.next_event()
            if isinstance(event, h11.Request):
                message.method, message.target, message.fields = event.method, event.target, list(event.headers)
            elif isinstance(event, h11.Data):
                message.body += event.data
            elif isinstance(event, h11.EndOfMessage):
                message.is_complete = True
                if reader.trailing_data[0]:
                    raise Refused(f"h11: {len(reader.trailing_data[0])} bytes behind the message")
                return message
            else:
                raise Refused(f"h11: not whole ({event})")
    except h11.RemoteProtocolError as error:
        raise Refused(f"h11: {error}") from error


class _Listener:
    """What llhttp reports."""

    def __init__(self):
        self.messages = 0
        self.begun = 0
        self.target = b""
        self.fields = []
        self.body = b""

    def on_message_begin(self):
        """Of each."""
        self.begun += 1

    def on_url(self, data):
        """Perhaps in pieces."""
        self.target += data

    def on_header(self, name, value):
        """Trailers come here too."""
        self.fields.append((name, value))

    def on_body(self, data):
        """In pieces."""
        self.body += data

    def on_message_complete(self):
        """Of each."""
        self.messages += 1


def llhttp_reads(data):
    """The one request in the bytes, as llhttp reads it.

    It has a list of methods and none for other tokens, and it knows targets with a scheme and `*` alone where ours
    begins otherwise; a method it does not know is read as GET.
    """
    method, _, rest = data.partition(b" ")
    if method not in LLHTTP_METHODS:
        data = b"GET " + rest
    listener, is_handshake = _Listener(), False
    reader = httptools.HttpRequestParser(listener)
    try:
        reader.feed_data(data)
    except httptools.HttpParserUpgrade:
        is_handshake = True
        listener.messages = max(listener.messages, 1)
    except httptools.HttpParserError as error:
        raise Refused(f"llhttp: {error!r}") from error
    if listener.messages != 1 or listener.begun != 1:
        raise Refused(f"llhttp: {listener.messages} whole of {listener.begun} begun")
    read_as = reader.get_method()
    return Message(method=method if method not in LLHTTP_METHODS else read_as, target=listener.target,
                   fields=listener.fields, body=listener.body, is_complete=True, is_handshake=is_handshake)


def finds_whole_message(reads, data):
    """Whether a reader finds a whole message at the start of the bytes."""
    try:
        return reads(data).is_complete
    except Refused as refusal:
        return "behind the message" in str(refusal) or bool(re.search(r"[1-9] whole", str(refusal)))
