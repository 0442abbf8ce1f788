"""Attacks on HTTP/2 by name: what each sends, over and over, and what must come of it."""
import itertools
import random
from dataclasses import dataclass

import frames
from gateway import HOST

HOST_BYTES = HOST.encode()
# Bytes put together for one write.
PIECE = 8_000
# What a connection may begin before it is told to calm down: its budget, and what is on its way meanwhile.
MOST_EXCHANGES = 220
MOST_STREAMS = 128


def request(stream, path=b"/p/quick", method=b"GET", fields=(), ends=True):
    """A head as it should be."""
    flags = frames.END_HEADERS | (frames.END_STREAM if ends else 0)
    return frames.headers(stream, [(b":method", method), (b":scheme", b"http"), (b":path", path),
                                   (b":authority", HOST_BYTES), *fields], flags)


def post(stream, path=b"/p/quick", fields=()):
    """A head behind which content may come."""
    return request(stream, path, b"POST", fields, ends=False)


@dataclass
class Attack:
    """One of them."""
    name: str
    # (tag of the connection) → an iterator over pieces to be sent.
    pieces: object
    # Codes of GOAWAY, one of which must end each connection that is ended; nothing when connections may stay.
    ends: tuple = ()
    # Whether it takes what is sent to it.
    reads: bool = True
    # Connections at once; more than one are held, and not opened again.
    connections: int = 1
    # MiB that the gateway may grow by while it lasts.
    memory: int = 8
    most_exchanges: int = MOST_EXCHANGES
    # Requests that may be open at the upstream at once, of one connection.
    most_open: int = MOST_STREAMS
    # How long, where that is to tell whether a connection is closed that has open streams.
    seconds: float = 0


ALL = []
CALM = (frames.ENHANCE_YOUR_CALM,)
# Where the library finds a rule broken before the budget is spent.
CALM_OR_ERROR = (frames.ENHANCE_YOUR_CALM, frames.PROTOCOL_ERROR, frames.STREAM_CLOSED, frames.FLOW_CONTROL_ERROR)


def attack(name, **rest):
    """Registers what makes its pieces."""
    def register(function):
        ALL.append(Attack(name, function, **rest))
        return function
    return register


def of_streams(make):
    """Pieces of what `make` gives for each stream, one behind the other."""
    def pieces(tag):
        piece = bytearray(frames.preface())
        for stream in itertools.count(1, 2):
            piece += make(stream, tag)
            if len(piece) > PIECE:
                yield bytes(piece)
                piece.clear()
    return pieces


def of_frames(frame, before=b""):
    """The same frame without end."""
    def pieces(_):
        yield frames.preface() + before
        many = frame * (1 + PIECE // len(frame))
        while True:
            yield many
    return pieces


def path(tag, kind=b"quick"):
    """A path that says whose it is."""
    return b"/p/%b/%b" % (kind, tag)


# Streams that end in a reset.
ALL += [
    Attack("rapid reset", of_streams(lambda stream, tag: request(stream, path(tag)) + frames.reset(stream)), CALM),
    Attack("rapid reset of slow answers",
           of_streams(lambda stream, tag: request(stream, path(tag, b"slow")) + frames.reset(stream)), CALM, seconds=2),
    Attack("made you reset, by a window that overflows",
           of_streams(lambda stream, tag: post(stream, path(tag)) + frames.window(stream, frames.LARGEST_WINDOW)), CALM),
    Attack("made you reset, by a length",
           of_streams(lambda stream, tag: post(stream, path(tag), [(b"content-length", b"5")])
                      + frames.data(stream, b"abcdef", frames.END_STREAM)), CALM),
    Attack("made you reset, by a length above the content",
           of_streams(lambda stream, tag: post(stream, path(tag), [(b"content-length", b"5")])
                      + frames.data(stream, b"abc", frames.END_STREAM)), CALM),
    Attack("made you reset, by a second head",
           of_streams(lambda stream, tag: post(stream, path(tag)) + frames.headers(stream, [(b"x-a", b"b")])), CALM),
    Attack("made you reset, by trailers",
           of_streams(lambda stream, tag: post(stream, path(tag)) + frames.headers(
               stream, [(b":path", b"/")], frames.END_HEADERS | frames.END_STREAM)), CALM),
    Attack("made you reset, by a window of nothing",
           of_streams(lambda stream, tag: post(stream, path(tag)) + frames.window(stream, 0)), CALM_OR_ERROR),
    Attack("made you reset, by content behind the end",
           of_streams(lambda stream, tag: request(stream, path(tag)) + frames.data(stream, b"x")), CALM_OR_ERROR),
    Attack("malformed heads", of_streams(lambda stream, tag: request(stream, path(tag), fields=[(b"x-a", b" b")])), CALM,
           most_exchanges=0),
    Attack("more streams than there may be",
           of_streams(lambda stream, tag: request(stream, path(tag, b"slow"))), CALM_OR_ERROR, seconds=2),
    Attack("more streams than there may be, and it knows",
           of_streams(lambda stream, tag: (frames.frame(frames.SETTINGS, frames.ACK) if stream == 1 else b"")
                      + request(stream, path(tag, b"slow"))), CALM_OR_ERROR, seconds=2),
]

# Frames that carry nothing.
OPEN = post(1, b"/p/slow/")
ALL += [
    Attack("pings", of_frames(frames.ping()), CALM),
    Attack("answers to pings that nobody sent", of_frames(frames.ping(flags=frames.ACK)), CALM),
    Attack("settings", of_frames(frames.settings()), CALM),
    Attack("settings that change all windows", of_frames(
        frames.settings((frames.INITIAL_WINDOW, 1)) + frames.settings((frames.INITIAL_WINDOW, 65_535)),
        b"".join(post(stream, b"/p/slow/") for stream in range(1, 201, 2))), CALM),
    Attack("settings that change the table", of_frames(frames.settings((1, 0)) + frames.settings((1, 4096))), CALM),
    Attack("priorities", of_frames(frames.frame(frames.PRIORITY, 0, 1, b"\0\0\0\0\x10"), OPEN), CALM),
    Attack("priorities of streams that never were", of_streams(
        lambda stream, _: frames.frame(frames.PRIORITY, 0, stream, b"\0\0\0\0\x10")), CALM),
    Attack("wishes for priorities", of_frames(frames.frame(frames.PRIORITY_UPDATE, 0, 0, b"\0\0\0\x01u=1"), OPEN), CALM),
    Attack("frames of an unknown type", of_frames(frames.frame(0x4a)), CALM),
    Attack("content of nothing", of_frames(frames.data(1, b""), OPEN), CALM),
    Attack("content of padding alone", of_frames(frames.data(1, b"", 0, 200), OPEN), CALM_OR_ERROR),
    Attack("windows that grow by one", of_frames(frames.window(0, 1)), CALM),
    Attack("a stream's window that grows by one", of_frames(frames.window(1, 1), OPEN), CALM),
    Attack("windows of a stream that is over", of_frames(
        frames.window(1, 65_000), request(1, b"/none") + frames.reset(1)), CALM_OR_ERROR),
    Attack("goodbyes", of_frames(frames.goaway()), CALM),
    Attack("content of a stream that is over", of_frames(
        frames.data(1, b"x"), request(1, b"/none") + frames.reset(1)), CALM_OR_ERROR),
    Attack("resets of a stream that is over", of_frames(
        frames.reset(1), request(1, b"/none") + frames.reset(1)), CALM_OR_ERROR),
    Attack("trailers of a stream that is over", of_frames(
        frames.headers(1, [], frames.END_HEADERS), request(1, b"/none") + frames.reset(1)), CALM_OR_ERROR),
    Attack("pings, and no answer is taken", of_frames(frames.ping()), reads=False, memory=4),
    Attack("settings, and no answer is taken", of_frames(frames.settings()), reads=False, memory=4),
]


# Sections without end, and those that become large.
def unended(encoded, continuation):
    """A head that never ends, in pieces of this."""
    return of_frames(frames.frame(frames.CONTINUATION, 0, 1, continuation),
                     frames.frame(frames.HEADERS, frames.END_STREAM, 1, encoded))


def bomb(entry, reference, count):
    """Heads whose first puts an entry in the table, and that refer to it many times."""
    usual = frames.block([(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/p/quick"), (b":authority", HOST_BYTES)])

    def make(stream, _):
        encoded = usual + entry + reference * count
        return frames.section(stream, encoded, frames.END_STREAM, range(16_384, len(encoded), 16_384))
    return of_streams(make)


ALL += [
    Attack("a head in pieces without end", unended(frames.literal(b"x-a", b"b"), frames.literal(b"x-a", b"b")), CALM),
    Attack("a head in pieces of nothing", unended(b"", b""), CALM),
    Attack("a head in pieces of a byte", unended(frames.literal(b"x", b"y" * 200)[:40], b"y"), CALM),
    Attack("a large entry, many times", bomb(frames.literal(b"x", b"v" * 4000, 0x40), b"\xbe", 40_000), CALM, most_exchanges=0),
    Attack("a small entry, many times", bomb(frames.literal(b"x", b"", 0x40), b"\xbe", 60_000), CALM, most_exchanges=0),
    Attack("crumbs of cookies", bomb(b"", b"\xa0", 60_000), CALM, most_exchanges=0),
    Attack("names of nothing", bomb(b"", frames.literal(b"", b""), 20_000), CALM, most_exchanges=0),
    Attack("short codes that are long texts", bomb(b"\0\x81\xf3" + frames.integer(60_000, 7, 0x80), b"\0", 60_000), CALM,
           most_exchanges=0),
    Attack("sizes of the table", of_streams(lambda stream, _: frames.headers(
        stream, b"\x20\x3f\xe1\x1f" * 4000 + frames.block([(b":method", b"GET")]))), CALM, most_exchanges=0),
]


# Who holds what others could have.
@attack("answers that are not taken, for there is no window", connections=4, memory=48, most_exchanges=MOST_STREAMS)
def no_window(tag):
    yield frames.preface((frames.INITIAL_WINDOW, 0)) + b"".join(
        request(stream, path(tag, b"large")) for stream in range(1, 2 * MOST_STREAMS, 2))


@attack("answers that are taken by the byte", connections=4, memory=48, most_exchanges=MOST_STREAMS)
def drip(tag):
    yield frames.preface((frames.INITIAL_WINDOW, 0)) + b"".join(
        request(stream, path(tag, b"large")) for stream in range(1, 2 * MOST_STREAMS, 2))
    for stream in itertools.cycle(range(1, 2 * MOST_STREAMS, 2)):
        yield frames.window(stream, 1)


@attack("answers that are not taken off the socket", reads=False, connections=4, memory=48, most_exchanges=MOST_STREAMS)
def unread(tag):
    yield frames.preface((frames.INITIAL_WINDOW, frames.LARGEST_WINDOW)) + frames.window(0, frames.LARGEST_WINDOW - 65_535)
    yield b"".join(request(stream, path(tag, b"large")) for stream in range(1, 2 * MOST_STREAMS, 2))


@attack("content that its upstream does not take", connections=4, memory=32, most_exchanges=MOST_STREAMS)
def unwanted(tag):
    yield frames.preface() + b"".join(post(stream, path(tag, b"slow")) for stream in range(1, 2 * MOST_STREAMS, 2))
    for stream in range(1, 2 * MOST_STREAMS, 2):
        yield frames.data(stream, b"x" * 500)


@attack("half a preface", connections=300, memory=16, most_exchanges=0)
def half(_):
    yield frames.PREFACE[:12]


@attack("a preface and nothing else", connections=300, memory=24, most_exchanges=0)
def bare(_):
    yield frames.preface()


@attack("128 requests in one flight", most_exchanges=1 << 30)
def flights(tag):
    yield frames.preface((frames.INITIAL_WINDOW, 1 << 20)) + frames.window(0, 1 << 30)
    for first in itertools.count(1, 2 * MOST_STREAMS):
        yield b"".join(request(stream, b"/none") for stream in range(first, first + 2 * MOST_STREAMS, 2))
        # Until each of them is answered.
        yield MOST_STREAMS


@attack("content of what is refused", most_exchanges=0)
def refused(_):
    yield frames.preface()
    for stream in itertools.count(1, 2):
        yield post(stream, b"/t/x") + frames.data(stream, b"x" * 16_000)
        yield 1


@attack("goes on after it was told to calm down", ends=CALM, seconds=2)
def heedless(_):
    yield frames.preface() + b"".join(post(stream, b"/p/slow/") for stream in range(1, 21, 2))
    while True:
        yield frames.ping() * 500


@attack("whatever frames", ends=CALM_OR_ERROR + (frames.FRAME_SIZE_ERROR, frames.COMPRESSION_ERROR, frames.NO_ERROR, 2))
def whatever(tag):
    choose = random.Random(tag)
    yield frames.preface()
    stream = 1
    while True:
        piece = b""
        for _ in range(20):
            kind = choose.choice((*range(11), 16, 200))
            stream += choose.choice((0, 0, 0, 1, 2, 2))
            size = choose.choice((0, 1, 4, 4, 5, 6, 8, 8, 12, 100))
            payload = choose.randbytes(size)
            if kind in (frames.HEADERS, frames.CONTINUATION) and choose.random() < 0.7:
                payload = frames.block([(b":method", b"GET"), (b":scheme", b"http"), (b":path", path(tag)), (b":authority", HOST_BYTES)])
            piece += frames.frame(kind, choose.choice((0, 1, 4, 5, choose.randrange(256))),
                                  choose.choice((0, 1, stream, stream, stream)), payload)
        yield piece
