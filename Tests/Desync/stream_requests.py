"""Requests of HTTP/1.1 as streams: the same corpus, and what only HTTP/2 can say, by class as in `mutations`."""
from dataclasses import dataclass, field

import frames
from gateway import HOST
from readers import Malformed, read_request
from stream_reader import DATA, HEADERS, OF_CONNECTION, Part

HOST_BYTES = HOST.encode()
GADGETS = []
SOME_CONTENT = 15_000


@dataclass
class StreamRequest:
    """One that will be sent, and what was done to it."""
    marker: bytes
    kinds: tuple
    parts: list
    name: str = ""
    # The client resets its stream behind the last part.
    is_left: bool = False

    @property
    def fields(self):
        """The head's."""
        return self.parts[0].payload

    @fields.setter
    def fields(self, fields):
        self.parts[0].payload = fields

    @property
    def content(self):
        """All of it."""
        return b"".join(part.payload for part in self.parts if part.kind == DATA)

    def set(self, name, value):
        """Another value for a field that is there once."""
        self.fields = [(known, value if known == name else old) for known, old in self.fields]

    def value(self, name):
        """The first, or nothing."""
        return next((value for known, value in self.fields if known == name), b"")

    def drop(self, name):
        """Without these."""
        self.fields = [each for each in self.fields if each[0] != name]

    def add(self, name, value, at=None):
        """Another field, behind the others or at a place."""
        self.fields = list(self.fields)
        self.fields.insert(len(self.fields) if at is None else at, (name, value))

    def give(self, *pieces, ends=True):
        """Other content, a frame for each piece."""
        del self.parts[1:]
        self.parts[0].ends = False
        self.parts += [Part(DATA, piece) for piece in pieces or (b"",)]
        self.parts[-1].ends = ends

    def end_with(self, fields):
        """Trailers, which end it."""
        if len(self.parts) == 1:
            self.give()
        self.parts[-1].ends = False
        self.parts.append(Part(HEADERS, fields, True))

    def frames(self, stream):
        """The bytes of each part."""
        for part in self.parts:
            flags = frames.END_STREAM if part.ends else 0
            if part.kind == DATA:
                yield frames.data(stream, part.payload, flags, part.padding)
            else:
                encoded = frames.block(part.payload)
                yield frames.section(stream, encoded, flags, cuts_of(part, len(encoded)))
        if self.is_left:
            yield frames.reset(stream)


def cuts_of(part, size):
    """Where a section of this size is cut into frames: where it says so, and where a frame is full."""
    return sorted({*(cut for cut in part.cuts if cut < size), *range(16_384, size, 16_384)})


@dataclass
class StreamSession:
    """What one client sends on one connection: streams, whose frames may lie between each other's."""
    number: int
    requests: list
    # (place of the request, bytes) in the order in which they are sent.
    order: list = field(default_factory=list)
    writes: list = field(default_factory=list)
    name: str = ""

    @property
    def data(self):
        """All bytes."""
        return frames.preface() + b"".join(piece for _, piece in self.order)


def in_order(session, choose=None):
    """Lays out the frames: stream behind stream, or with `choose` between each other."""
    queues = [list(request.frames(2 * place + 1)) for place, request in enumerate(session.requests)]
    # Streams begin in their order, or they would be none.
    begun = 0
    while any(queues):
        place = next(place for place, queue in enumerate(queues) if queue)
        if choose:
            candidates = [place for place, queue in enumerate(queues[:begun + 1]) if queue]
            place = choose.choice(candidates)
        session.order.append((place, queues[place].pop(0)))
        begun = max(begun, place + 1)
    return session


def translated(choose, request):
    """The request of HTTP/1.1 in fields, byte for byte where a byte has a place, and its body as content."""
    head, _, rest = request.data.partition(b"\r\n\r\n")
    line, *lines = head.split(b"\r\n")
    method, _, target = line.partition(b" ")
    target = target.rpartition(b" ")[0] or target
    fields, authority = [], None
    keeps_coding, keeps_host = choose.random() < 0.2, choose.random() < 0.15
    lowers, keeps_hop = choose.random() < 0.97, choose.random() < 0.3
    for each in lines:
        name, _, value = each.partition(b":")
        name, value = name.lower() if lowers else name, value.removeprefix(b" ")
        if name.lower() == b"host" and authority is None and not keeps_host:
            authority = value
        elif name == b"transfer-encoding" and not keeps_coding or name in OF_CONNECTION and not keeps_hop:
            continue
        else:
            fields.append((name, value))
    content = rest
    try:
        message = read_request(request.data)
        if message is not None and message.is_complete and choose.random() < 0.5:
            content = message.body
    except Malformed:
        pass
    pseudo = [(b":method", method), (b":scheme", b"http"), (b":path", target)]
    if authority is not None:
        pseudo.append((b":authority", authority))
    stream = StreamRequest(request.marker, request.kinds, [Part(HEADERS, pseudo + fields, True)])
    if content or choose.random() < 0.1:
        edges = sorted({0, len(content), *range(SOME_CONTENT, len(content), SOME_CONTENT),
                        *(choose.randrange(len(content) + 1) for _ in range(choose.randrange(3)))})
        stream.give(*(content[start:end] for start, end in zip(edges, edges[1:])))
        for part in stream.parts[1:]:
            part.padding = choose.choice((None, None, None, 0, 1, 255))
    if choose.random() < 0.1:
        stream.parts[0].cuts = sorted({choose.randrange(1, 400) for _ in range(choose.randint(1, 6))})
    return stream


def gadget(function):
    """Registers a change of a stream."""
    GADGETS.append((function.__name__.replace("_", " ") + " (h2)", function))
    return function


def smuggled(stream):
    """A request that hides in another, with that one's mark."""
    return b"GET /p/smuggled/%s HTTP/1.1\r\nHost: %s\r\nMark: %s\r\n\r\n" % (stream.marker, HOST_BYTES, stream.marker)


def somewhere(choose, stream):
    """A place behind the pseudo fields."""
    return choose.randrange(sum(name.startswith(b":") for name, _ in stream.fields), len(stream.fields) + 1)


@gadget
def length_beside_content(choose, stream):
    """H2.CL."""
    stream.set(b":method", b"POST")
    stream.drop(b"content-length")
    content = choose.choice((stream.marker, smuggled(stream), b"0\r\n\r\n" + smuggled(stream)))
    stream.give(content)
    size = len(content)
    for value in choose.choice(((b"0",), (b"%d" % (size - 1),), (b"%d" % (size + 1),), (b"+%d" % size,), (b"%d, %d" % (size, size),),
                                (b"%d" % size, b"%d" % size), (b"%d" % size, b"0"), (b"-1",), (b"0x%x" % size,), (b"",),
                                (b"0%d" % size,), (b"%d" % (size + (1 << 64)),), (b"%d" % size,))):
        stream.add(b"content-length", value, somewhere(choose, stream))


@gadget
def coding_beside_content(choose, stream):
    """H2.TE."""
    stream.set(b":method", b"POST")
    stream.give(b"0\r\n\r\n" + smuggled(stream))
    name = choose.choice((b"transfer-encoding", b"transfer_encoding", b"Transfer-Encoding", b"transfer-encoding ",
                          b"transfer-encoding\t", b"transfer-encoding:", b"\ttransfer-encoding", b"x\r\ntransfer-encoding",
                          b"transfer-encoding\r", b"transfer\x00encoding"))
    stream.add(name, choose.choice((b"chunked", b"Chunked", b" chunked", b"chunked ", b"identity, chunked", b"\x0bchunked",
                                    b"gzip", b"chunked\r\nx: y")), somewhere(choose, stream))


INJECTED = (b"\r\nX-User-Id: evil", b"\nX-User-Id: evil", b"\rX-User-Id: evil", b"\r\nTransfer-Encoding: chunked",
            b"\r\n\r\nGET /p/evil HTTP/1.1\r\nHost: evil.test\r\n\r\n", b"\x00", b"\r", b"\n", b"\r\n", b"\r\n ", b"\x0b", b"\x7f",
            b" \r\nContent-Length: 4", b"\x85", b"\xe5\x98\x8a\xe5\x98\x8dX-User-Id: evil", b": x", b":", b" ", b"\t", b"\x01")


@gadget
def line_in_a_name(choose, stream):
    name = choose.choice((b"x-a", b"", b"content-length", b"mark"))
    odd = choose.choice(INJECTED)
    stream.add(choose.choice((name + odd, odd + name, name + odd + b": b")), b"b", somewhere(choose, stream))


@gadget
def line_in_a_value(choose, stream):
    odd = choose.choice(INJECTED)
    stream.add(choose.choice((b"x-a", b"cookie", b"user-agent", b"content-type", b"te", b"host")),
               choose.choice((b"a" + odd, odd + b"a", odd, b"a" + odd + b"b")), somewhere(choose, stream))


@gadget
def line_in_a_pseudo_field(choose, stream):
    name = choose.choice((b":method", b":path", b":authority", b":scheme"))
    old, odd = stream.value(name), choose.choice((*INJECTED, b" HTTP/1.1\r\nX-User-Id: evil\r\nX: ", b" HTTP/1.1",
                                                  b"#x", b"?x y", b" /t/evil HTTP/1.1\r\nX: "))
    stream.set(name, choose.choice((old + odd, odd + old, old[:1] + odd + old[1:])))


@gadget
def scheme(choose, stream):
    stream.set(b":scheme", choose.choice((b"https", b"HTTP", b"ftp", b"http://evil.test/?", b"https://evil.test/x?y=", b"", b"http ",
                                          b"http\r\nX-User-Id: evil", b"javascript", b"http:", b"//", b"h\xc3\xa9", b"ws")))


@gadget
def authority(choose, stream):
    value = choose.choice((b"", b"evil.test", b"u@" + HOST_BYTES, HOST_BYTES + b"/x", HOST_BYTES + b"?x", HOST_BYTES + b"#x",
                           HOST_BYTES + b":80", HOST_BYTES.upper(), HOST_BYTES + b", evil.test", HOST_BYTES + b"\\x",
                           HOST_BYTES + b" x", HOST_BYTES + b":0", HOST_BYTES + b":99999", b"evil.test@" + HOST_BYTES,
                           HOST_BYTES + b"\x00", b"*", HOST_BYTES + b".", b"[::1]", HOST_BYTES + b":80:80"))
    how = choose.randrange(4)
    if how == 0:
        stream.set(b":authority", value)
    elif how == 1:
        stream.add(b"host", value, somewhere(choose, stream))
    elif how == 2:
        stream.drop(b":authority")
        stream.add(b"host", value, somewhere(choose, stream))
    else:
        stream.add(b"host", HOST_BYTES, somewhere(choose, stream))
        if choose.random() < 0.5:
            stream.add(b"host", value, somewhere(choose, stream))


@gadget
def no_authority(_, stream):
    stream.drop(b":authority")
    stream.drop(b"host")


@gadget
def pseudo_field_twice(choose, stream):
    name = choose.choice((b":method", b":path", b":authority", b":scheme"))
    value = choose.choice((stream.value(name), b"/t/evil", b"GET", b"evil.test", b"http"))
    stream.add(name, value, choose.choice((0, 1, 4)))


@gadget
def pseudo_field_late(choose, stream):
    name = choose.choice((b":method", b":path", b":authority", b":scheme"))
    value = stream.value(name)
    if choose.random() < 0.6:
        stream.drop(name)
    stream.add(name, value, choose.choice((len(stream.fields), max(1, len(stream.fields) - 1))))


@gadget
def pseudo_field_missing(choose, stream):
    stream.drop(choose.choice((b":method", b":path", b":scheme")))


@gadget
def pseudo_field_unknown(choose, stream):
    stream.add(choose.choice((b":status", b":foo", b":", b":host", b":Method", b":path ", b":protocol", b"::path", b":authority\x00")),
               choose.choice((b"200", b"/t/evil", b"GET", b"websocket", b"evil.test", b"")), choose.choice((0, 1, 4)))


@gadget
def path(choose, stream):
    old = stream.value(b":path")
    stream.set(b":path", choose.choice((
        b"", b"*", b"evil", b"http://" + HOST_BYTES + old, b"//evil.test" + old, old + b"#x", old + b" x", b" " + old, old + b"\xe9",
        old + b" HTTP/1.1\r\nHost: evil.test\r\n\r\n", b"?" + old, b"\\" + old, old + b"\t", HOST_BYTES + b":80",
        b"/p/../t/" + stream.marker, b"/p/%2e%2e/t/" + stream.marker, b"/p//" + stream.marker, b"*" + old)))


@gadget
def method(choose, stream):
    stream.set(b":method", choose.choice((
        b"get", b"TRACE", b"TRACK", b"PRI", b"GET ", b" GET", b"GET /t/evil HTTP/1.1\r\nX: y", b"GET /x", b"GET\r\n", b"", b"G\x00T",
        b"OPTIONS", b"PURGE", b"A" * 300, b"POST\t", b"\xc9", b"GET:")))


@gadget
def cookie_crumbs(choose, stream):
    for number in range(choose.choice((2, 3, 5, 90, 190, 220))):
        stream.add(b"cookie", choose.choice((b"c%d=v" % number, b"", b"a", b"c=d; e=f", b"__Host-portcullis-x=evil")),
                   somewhere(choose, stream))


@gadget
def fields_of_a_connection(choose, stream):
    stream.add(*choose.choice(((b"connection", b"close"), (b"connection", b"x-user-id"), (b"keep-alive", b"5"), (b"upgrade", b"h2c"),
                               (b"proxy-connection", b"close"), (b"te", b"trailers, gzip"), (b"te", b"gzip"), (b"te", b"trailers"),
                               (b"te", b""), (b"te", b"TRAILERS"), (b"http2-settings", b"AAMAAABk"), (b"trailer", b"x-sum"),
                               (b"expect", b"100-continue"), (b"upgrade", b"websocket"))), somewhere(choose, stream))


@gadget
def end_on_the_head_beside_a_length(choose, stream):
    stream.set(b":method", choose.choice((b"GET", b"POST", b"HEAD", b"PUT")))
    stream.drop(b"content-length")
    del stream.parts[1:]
    stream.parts[0].ends = True
    stream.add(b"content-length", choose.choice((b"5", b"0", b"1", b"%d" % len(smuggled(stream)))), somewhere(choose, stream))


TRAILERS = ([(b"x-sum", b"1")], [(b"x-sum", b"1")] * 101, [(b":path", b"/t/evil")], [(b":status", b"200")], [(b"content-length", b"5")],
            [(b"transfer-encoding", b"chunked")], [(b"connection", b"close")], [(b"host", b"evil.test")],
            [(b"authorization", b"Bearer evil")], [(b"x-user-id", b"evil")], [(b"X-Sum", b"1")], [(b"x-sum", b"a\r\nX-User-Id: evil")],
            [(b"", b"x")], [(b"x-sum\r\n", b"1")], [(b"te", b"gzip")], [], [(b"cookie", b"a=b")], [(b"x-sum", b" 1")])


@gadget
def trailers_behind_content(choose, stream):
    stream.set(b":method", b"POST")
    stream.drop(b"content-length")
    content = stream.marker + choose.choice((b"", smuggled(stream)))
    stream.give(*choose.choice(((content,), (content, b""), (b"", content), (b"",))))
    content = stream.content
    if choose.random() < 0.5:
        size = len(content) + choose.choice((0, 0, 0, 1, -1 if content else 0, 5))
        stream.add(b"content-length", b"%d" % size, somewhere(choose, stream))
    stream.end_with(list(choose.choice(TRAILERS)))


@gadget
def second_head(choose, stream):
    stream.set(b":method", b"POST")
    stream.drop(b"content-length")
    stream.give(stream.marker)
    if choose.random() < 0.5:
        stream.add(b"content-length", b"%d" % len(stream.marker))
    stream.parts[-1].ends = choose.random() < 0.2
    stream.parts.append(Part(HEADERS, choose.choice((list(stream.fields), [(b"x-sum", b"1")], [])), choose.random() < 0.2))
    if choose.random() < 0.5:
        stream.parts.append(Part(DATA, smuggled(stream), True))


@gadget
def data_behind_the_end(choose, stream):
    if choose.random() < 0.5:
        stream.end_with([(b"x-sum", b"1")])
    stream.parts.append(Part(DATA, smuggled(stream), True))


@gadget
def content_without_an_end(choose, stream):
    stream.set(b":method", b"POST")
    if choose.random() < 0.5:
        stream.drop(b"content-length")
    stream.give(stream.marker, ends=False)
    if choose.random() < 0.3:
        stream.drop(b"content-length")
        stream.add(b"content-length", b"%d" % (len(stream.marker) + choose.choice((0, 1))))
    stream.is_left = True


@gadget
def tunnel(choose, stream):
    """Extended CONNECT, as it should be or not."""
    stream.set(b":method", choose.choice((b"CONNECT", b"CONNECT", b"CONNECT", b"GET", b"connect")))
    stream.set(b":path", choose.choice((b"/w/", b"/w/", b"/w/", b"/p/", b"/t/")) + stream.marker)
    stream.drop(b"content-length")
    del stream.parts[1:]
    stream.parts[0].ends = choose.random() < 0.3
    stream.add(b":protocol", choose.choice((b"websocket", b"websocket", b"WebSocket", b"connect-udp", b"connect-tcp", b"",
                                            b"websocket\r\nX: y", b"h2c")), 1)
    for field_ in choose.sample(((b"sec-websocket-key", b"x\r\nX-User-Id: evil"), (b"sec-websocket-key", b"evil"),
                                 (b"sec-websocket-version", b"13"), (b"sec-websocket-version", b"8"), (b"upgrade", b"websocket"),
                                 (b"content-length", b"0"), (b"origin", b"http://evil.test"), (b"sec-websocket-protocol", b"chat")),
                                choose.choice((0, 1, 1, 2))):
        stream.add(*field_)
    if not stream.parts[0].ends and choose.random() < 0.7:
        stream.parts.append(Part(DATA, smuggled(stream), choose.random() < 0.5))
    stream.is_left = not stream.parts[-1].ends


@gadget
def plain_connect(choose, stream):
    stream.set(b":method", b"CONNECT")
    if choose.random() < 0.6:
        stream.drop(b":path")
        stream.drop(b":scheme")
    if choose.random() < 0.5:
        stream.set(b":authority", choose.choice((b"127.0.0.1:22", HOST_BYTES, HOST_BYTES + b":443")))


@gadget
def names_of_the_gateway(choose, stream):
    for name in choose.sample((b"x-user-id", b"x_user_id", b"x-scopes", b"x_scopes", b"x-forwarded-for", b"x_forwarded_for", b"forwarded",
                               b"x-request-id", b"x-forwarded-host", b"x-real-ip", b"client-cert", b"x-forwarded-proto", b"proxy",
                               b"x-user-id ", b"X-User-Id"), choose.choice((1, 2, 4))):
        stream.add(name, b"evil", somewhere(choose, stream))


@gadget
def many_fields_of_a_stream(choose, stream):
    for number in range(choose.choice((80, 95, 100, 101, 130))):
        stream.add(b"x-%d" % number, b"v")


@gadget
def large_list(choose, stream):
    for _ in range(choose.choice((1, 3, 4))):
        stream.add(b"x-large", b"v" * choose.choice((15_000, 20_000, 31_000)))


@gadget
def section_in_pieces(choose, stream):
    size = len(frames.block(stream.fields))
    stream.parts[0].cuts = sorted(choose.sample(range(1, size), min(size - 1, choose.choice((1, 3, 8, 8)))))
