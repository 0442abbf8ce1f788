"""Clients of HTTP/2 that break its rules, one rule each: what becomes of their stream, their connection, and of everybody else.

What a client sends as it should is made by `h2`, and all that it gets is read by it too: it knows nothing of the gateway, and takes
nothing that RFC 9113 forbids a server.
"""
import asyncio
import contextlib
import socket
import time

import frames
import h2.config
import h2.connection
import h2.exceptions
from abuse import ROUTES, Upstream, ordinary_upstream
from attacks import HOST_BYTES, post, request
from differential import REST
from gateway import AUDIENCE, HOST, gateway
from transcriber import Transcriber

PATIENCE_SECONDS = 20
# How a script ends: the connection goes on, its one stream is reset, or it is over, with one of these codes.
FINE, RESET, OVER = "fine", "reset", "over"
P, FLOW, CLOSED, SIZE, TABLE, CALM = (
    frames.PROTOCOL_ERROR, frames.FLOW_CONTROL_ERROR, frames.STREAM_CLOSED, frames.FRAME_SIZE_ERROR, frames.COMPRESSION_ERROR,
    frames.ENHANCE_YOUR_CALM)
START = frames.preface()
GET, SLOW, OPEN = request(1, b"/o/"), request(1, b"/p/slow/x"), post(1, b"/p/slow/x")
HEAD = frames.block([(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/o/"), (b":authority", HOST_BYTES)])
CUTS = range(1, len(HEAD), (len(HEAD) - 1) // 8)
# A name, what is sent, and how that may end; RESET is of stream 1.
RAW = [
    ("a preface that is another's", b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n" + frames.settings(), OVER, ()),
    ("a head for the first frame", frames.PREFACE + GET, OVER, (P,)),
    ("a sign of life for the first frame", frames.PREFACE + frames.ping(), OVER, (P,)),
    ("a request of HTTP/1.1 behind the preface", frames.PREFACE + b"GET / HTTP/1.1\r\nHost: gw.test\r\n\r\n", OVER, (P, SIZE)),
    ("a stream with an even number", START + request(2, b"/o/"), OVER, (P,)),
    ("a stream with a lower number", START + request(5, b"/p/slow/x") + request(3, b"/p/slow/x"), OVER, (P, CLOSED)),
    ("a head without a stream", START + request(0, b"/o/"), OVER, (P,)),
    ("content without a stream", START + frames.data(0, b"x"), OVER, (P,)),
    ("content of a stream that never was", START + frames.data(1, b"x"), OVER, (P, CLOSED)),
    ("content behind the end", START + SLOW + frames.data(1, b"x"), OVER, (CLOSED, P)),
    ("a head behind the end", START + SLOW + SLOW, OVER, (CLOSED, P)),
    ("a window beyond all bounds", START + frames.settings((frames.INITIAL_WINDOW, 1 << 31)), OVER, (FLOW,)),
    ("a wish for promises that is none", START + frames.settings((frames.ENABLE_PUSH, 2)), OVER, (P,)),
    ("frames smaller than there may be", START + frames.settings((frames.MAX_FRAME, 100)), OVER, (P,)),
    ("frames larger than there may be", START + frames.settings((frames.MAX_FRAME, 1 << 24)), OVER, (P,)),
    ("half a setting", START + frames.frame(frames.SETTINGS, 0, 0, b"\0\4\0\0\0"), OVER, (SIZE,)),
    ("settings of a stream", START + frames.frame(frames.SETTINGS, 0, 1, b""), OVER, (P,)),
    ("an answer to settings with a text", START + frames.frame(frames.SETTINGS, frames.ACK, 0, b"\0\4\0\0\0\0"), OVER, (SIZE,)),
    ("answers to settings that nobody sent", START + frames.frame(frames.SETTINGS, frames.ACK) * 2, OVER, (P,)),
    ("a short sign of life", START + frames.ping(b"       "), OVER, (SIZE,)),
    ("a sign of life of a stream", START + frames.frame(frames.PING, 0, 1, b"        "), OVER, (P,)),
    ("content larger than a frame may be", START + OPEN + frames.data(1, b"x" * 16_385), OVER, (SIZE,)),
    ("a head larger than a frame may be", START + frames.headers(1, HEAD + frames.literal(b"x-a", b"b" * 16_384)), OVER, (SIZE,)),
    ("padding longer than its frame", START + OPEN + frames.frame(frames.DATA, frames.PADDED, 1, b"\x05abc"), OVER, (P,)),
    ("padding longer than its head", START + frames.frame(frames.HEADERS, frames.PADDED | frames.END_HEADERS, 1, b"\xff" + HEAD),
     OVER, (P,)),
    ("a piece of no head", START + frames.frame(frames.CONTINUATION, frames.END_HEADERS, 1, HEAD), OVER, (P,)),
    ("a piece of another's head", START + frames.headers(1, HEAD[:9], 0) + frames.frame(frames.CONTINUATION, 4, 3, HEAD[9:]), OVER, (P,)),
    ("a sign of life in a head", START + frames.headers(1, HEAD[:9], 0) + frames.ping(), OVER, (P,)),
    ("content in a head", START + frames.headers(1, HEAD[:9], 0) + frames.data(1, b"x"), OVER, (P,)),
    ("a head in ten pieces", START + frames.section(1, HEAD, frames.END_STREAM, [*CUTS, len(HEAD) - 1]), OVER, (CALM,)),
    ("an entry that is not there", START + frames.headers(1, HEAD + b"\xff\x40"), OVER, (TABLE,)),
    ("an entry of number 0", START + frames.headers(1, HEAD + b"\x80"), OVER, (TABLE,)),
    ("a table larger than there may be", START + frames.headers(1, b"\x3f\xe2\x7f" + HEAD), OVER, (TABLE,)),
    ("a change of the table behind a field", START + frames.headers(1, HEAD + b"\x20"), OVER, (TABLE,)),
    ("a text that ends behind its section", START + frames.headers(1, HEAD + b"\0\x05abc"), OVER, (TABLE, P)),
    ("codes that no text has", START + frames.headers(1, HEAD + b"\0\x84\xff\xff\xff\xff\0"), OVER, (TABLE,)),
    ("an integer without end", START + frames.headers(1, HEAD + b"\0\x7f" + b"\xff" * 20), OVER, (TABLE,)),
    ("a promise", START + frames.frame(frames.PUSH_PROMISE, 4, 1, b"\0\0\0\2" + HEAD), OVER, (P,)),
    ("a window of nothing", START + frames.window(0, 0), OVER, (P,)),
    ("a window beyond all bounds for all", START + frames.window(0, frames.LARGEST_WINDOW), OVER, (FLOW,)),
    ("a short window", START + frames.frame(frames.WINDOW_UPDATE, 0, 0, b"\0\0\1"), OVER, (SIZE,)),
    ("a window of a stream that never was", START + frames.window(1, 1000), OVER, (P,)),
    ("a reset of a stream that never was", START + frames.reset(1), OVER, (P,)),
    ("a reset of none", START + frames.reset(0), OVER, (P,)),
    ("a short reset", START + SLOW + frames.frame(frames.RST_STREAM, 0, 1, b"\0\0\0"), OVER, (SIZE,)),
    ("a goodbye of a stream", START + frames.frame(frames.GOAWAY, 0, 1, bytes(8)), OVER, (P,)),
    ("more content than there is a window for", START + OPEN + b"".join(frames.data(1, b"x" * 16_000) for _ in range(9)),
     RESET + OVER, (FLOW,)),
    ("a stream's window of nothing", START + OPEN + frames.window(1, 0), RESET + OVER, (P,)),
    ("a stream's window beyond all bounds", START + OPEN + frames.window(1, frames.LARGEST_WINDOW), RESET, (FLOW,)),
    ("a stream that depends on itself", START + SLOW + frames.frame(frames.PRIORITY, 0, 1, b"\0\0\0\1\x10"), RESET + OVER + FINE, (P,)),
    ("a short priority", START + SLOW + frames.frame(frames.PRIORITY, 0, 1, b"\0\0\0\0"), RESET + OVER, (SIZE, P)),
    ("trailers that end nothing", START + OPEN + frames.headers(1, [(b"x-a", b"b")]), RESET, (P,)),
    ("a pseudo field in trailers", START + OPEN + frames.headers(1, [(b":path", b"/")], 5), RESET, (P,)),
    ("a field with upper case", START + frames.headers(1, HEAD + frames.literal(b"X-A", b"b"), 5), RESET, (P,)),
    ("an unknown frame, unknown flags, an unknown setting", START + frames.frame(0x77, 0xff, 0, b"x" * 50) + frames.settings((0x99, 7))
     + frames.frame(frames.PING, 0xfe, 0, b"        "), FINE, ()),
    ("a number with a bit that nobody reads", START + frames.frame(frames.SETTINGS, 0, 0, b"\0\3\0\0\0\x64"), FINE, ()),
]


class Peer:
    """A connection to the gateway; what comes is read by our reader, and by `h2` where it has sent the requests."""

    def __init__(self, port, is_raw=False):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader, self.events, self.is_closed, self.plain = frames.FrameReader(), [], False, b""
        self.h2 = None
        if not is_raw:
            self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(
                client_side=True, validate_outbound_headers=False, normalize_outbound_headers=False))
            self.h2.initiate_connection()
            self.flush()

    def flush(self):
        """Sends what `h2` has to send."""
        self.socket.sendall(self.h2.data_to_send())

    def raw(self, data):
        """Sends bytes; the other side may have left."""
        with contextlib.suppress(OSError):
            self.socket.sendall(data)

    def request(self, target="/o/", method="GET", ends=True, fields=()):
        """A request as it should be; its stream."""
        stream = self.h2.get_next_available_stream_id()
        pseudo = [(":method", method), (":scheme", "http"), (":path", target), (":authority", HOST)]
        self.h2.send_headers(stream, [*pseudo, *fields], ends)
        self.flush()
        return stream

    def until(self, condition, seconds=None):
        """Reads until it holds or the connection is closed; whether it holds."""
        end = time.monotonic() + (seconds or PATIENCE_SECONDS)
        while not condition() and not self.is_closed:
            self.socket.settimeout(max(0.001, end - time.monotonic()))
            try:
                data = self.socket.recv(65_536)
            except (TimeoutError, BlockingIOError):
                break
            except OSError:
                data = b""
            self.is_closed = not data
            self.plain += data
            if not self.plain.startswith(b"HTTP/1.1"):
                self.reader.feed(data)
            if self.h2:
                self.events += self.h2.receive_data(data)
                self.flush()
            elif self.reader.owed:
                self.raw(self.reader.owed)
                self.reader.owed = b""
        return condition()

    def answer(self, stream):
        """What has come of it."""
        return self.reader.answers.get(stream, frames.Answer())

    def is_answered(self, stream, status=200):
        """Whether its answer comes, whole."""
        self.until(lambda: self.answer(stream).is_over)
        return (self.answer(stream).status, self.answer(stream).has_ended) == (status, True)


SCRIPTS = []


def script(function):
    """Registers a script, which yields what is wrong."""
    SCRIPTS.append(function)
    return function


@script
def preface_by_the_byte(port):
    """H2-03."""
    peer = Peer(port, is_raw=True)
    for byte in START + GET:
        peer.raw(bytes((byte,)))
    if not peer.is_answered(1):
        yield "a preface in pieces was not taken"


@script
def change_of_protocol(port):
    """Smuggling by h2c."""
    peer = Peer(port, is_raw=True)
    peer.raw(b"GET /o/ HTTP/1.1\r\nHost: gw.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
             b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n")
    peer.until(lambda: b"\r\n\r\n" in peer.plain)
    if not peer.plain.startswith(b"HTTP/1.1 200"):
        yield f"the answer to an offer of h2c is {peer.plain[:60]!r}"


@script
def thousands_of_answers(port):
    """The table that compresses, and the windows, hold what they promise for a reader of another house."""
    peer = Peer(port)
    for _ in range(300):
        streams = [peer.request(fields=[("x-n", "v" * 20)]) for _ in range(10)]
        for stream in streams:
            if not peer.is_answered(stream):
                yield f"stream {stream}: {peer.answer(stream).status} {peer.answer(stream).code}"
                return


@script
def window_by_the_byte(port):
    """H2-08: a window of 0, then 1, then all: the content is whole."""
    peer = Peer(port)
    peer.h2.update_settings({frames.INITIAL_WINDOW: 0})
    stream = peer.request("/p/large/x")
    peer.until(lambda: peer.answer(stream).head)
    for window in (1, 3, 16_000, 1_000_000):
        peer.h2.update_settings({frames.INITIAL_WINDOW: window})
        peer.h2.increment_flow_control_window(100_000)
        peer.flush()
        peer.until(lambda: len(peer.answer(stream).content) >= min(window, 20))
    if not peer.is_answered(stream) or len(peer.answer(stream).content) != 300_000:
        yield f"{len(peer.answer(stream).content)} bytes came, {peer.answer(stream).code}"


@script
def window_below_nothing(port):
    """H2-45: a smaller window while content is on its way."""
    peer = Peer(port)
    stream = peer.request("/p/large/x")
    peer.until(lambda: len(peer.answer(stream).content) >= 60_000)
    peer.h2.update_settings({frames.INITIAL_WINDOW: 10})
    peer.flush()
    if peer.until(lambda: len(peer.answer(stream).content) > 65_535, 0.3):
        yield "content came that there was no window for"
    peer.h2.increment_flow_control_window(400_000)
    peer.h2.increment_flow_control_window(400_000, stream)
    peer.flush()
    if not peer.is_answered(stream) or len(peer.answer(stream).content) != 300_000:
        yield f"{len(peer.answer(stream).content)} bytes came, {peer.answer(stream).code}"


@script
def stalled_stream(port):
    """H2-43: one stream without a window keeps no other waiting."""
    peer = Peer(port)
    peer.h2.increment_flow_control_window(10_000_000)
    stalled = [peer.request("/p/large/x") for _ in range(20)]
    peer.until(lambda: all(len(peer.answer(stream).content) == 65_535 for stream in stalled))
    for _ in range(50):
        if not peer.is_answered(peer.request()):
            yield "a request beside stalled streams was not answered"
            return


@script
def padded_content(port):
    """H2-14: padding is none of the content, and its window comes back."""
    peer = Peer(port)
    for _ in range(40):
        stream = peer.request(method="POST", ends=False)
        for number in range(8):
            peer.h2.send_data(stream, b"x" * 100, number == 7, 255)
        peer.flush()
        if not peer.is_answered(stream):
            yield f"padded content: {peer.answer(stream).status}"
            return


@script
def cancelled_streams(port):
    """H2-11, H2-16: what comes late for a stream that was cancelled is no fault of anybody's."""
    peer = Peer(port)
    for _ in range(30):
        stream = peer.request("/p/large/x")
        peer.until(lambda: peer.answer(stream).content)
        peer.h2.reset_stream(stream, frames.CANCEL)
        peer.flush()
        peer.raw(frames.window(stream, 1000) + frames.reset(stream))
        peer.h2.increment_flow_control_window(65_535)
    if not peer.is_answered(peer.request()):
        yield "a connection with cancelled streams did not go on"


@script
def goodbye_with_a_stream(port):
    """H2-65: the answer to what was asked before still comes."""
    peer = Peer(port, is_raw=True)
    peer.raw(START + post(1, b"/o/") + frames.goaway())
    peer.raw(frames.data(1, b"x", frames.END_STREAM))
    if not peer.is_answered(1):
        yield f"{peer.answer(1).status} {peer.reader.goaways}"


@script
def cut_anywhere(port):
    """A client that vanishes inside a frame, a section, or content."""
    data = START + frames.section(1, HEAD, 0, [5]) + frames.data(1, b"x" * 300) + OPEN.replace(b"\0\0\0\1", b"\0\0\0\3")
    for place in range(1, len(data), 7):
        peer = Peer(port, is_raw=True)
        peer.raw(data[:place])
        peer.socket.close()
    yield from ()


@script
def refused_with_content(port):
    """H2-17: refusals of requests whose content never ends cost the connection no window."""
    peer = Peer(port)
    # Not so many that they are above a quarter of the budget: other scripts made this address one that was told to calm down.
    for _ in range(60):
        stream = peer.request("/t/x", "POST", ends=False)
        with contextlib.suppress(h2.exceptions.ProtocolError):
            for _ in range(3):
                peer.h2.send_data(stream, b"x" * 16_000)
        peer.flush()
        peer.until(lambda: peer.answer(stream).is_over)
        if peer.answer(stream).status != 401:
            yield f"{peer.answer(stream).status} {peer.answer(stream).code} {peer.reader.goaways}"
            return
        peer.until(lambda: peer.h2.outbound_flow_control_window >= 65_535)
    if not peer.is_answered(peer.request()):
        yield "a connection with refused contents did not go on"


def problems_of_raw(port, data, outcome, codes):
    """What a table's row got that it must not get."""
    peer = Peer(port, is_raw=True)
    peer.raw(data)
    if outcome != FINE:
        peer.until(lambda: peer.answer(1).is_over, 1 if FINE in outcome else PATIENCE_SECONDS)
    if peer.answer(1).status == 200:
        yield "it was answered"
    if peer.plain.startswith(b"HTTP/1.1"):
        if not peer.plain.startswith((b"HTTP/1.1 400", b"HTTP/1.1 505")):
            yield f"{peer.plain[:60]!r}"
    elif peer.is_closed and OVER in outcome:
        if not peer.reader.goaways or peer.reader.goaways[-1] not in codes:
            yield f"the connection ended with {peer.reader.goaways}"
    elif peer.answer(1).code is not None and RESET in outcome:
        if peer.answer(1).code not in codes:
            yield f"the stream ended with {peer.answer(1).code}"
    elif FINE not in outcome:
        yield f"neither {outcome}: goodbyes {peer.reader.goaways}, reset {peer.answer(1).code}"
    if OVER not in outcome or not peer.is_closed:
        peer.raw(request(101, b"/o/"))
        if not peer.is_answered(101):
            yield f"the next request on the connection: {peer.answer(101).status} {peer.reader.goaways}"


def play(port, raw=tuple(RAW), scripts=tuple(SCRIPTS)):
    """All of them, and a request of somebody else's behind each."""
    rows = [(name, lambda row=row: problems_of_raw(port, *row)) for name, *row in raw]
    rows += [(each.__name__.replace("_", " "), lambda each=each: each(port)) for each in scripts]
    for name, run in rows:
        try:
            problems = list(run())
            other = Peer(port)
            if not other.is_answered(other.request()):
                problems.append("another client was not answered")
        except (frames.Broken, h2.exceptions.ProtocolError, OSError) as error:
            problems = [repr(error)]
        for problem in problems:
            yield f"{name}: {problem}"


async def main(binary, _, seed):
    """Whether all was well."""
    upstream = Upstream()
    await upstream.start()
    with ordinary_upstream() as ordinary, gateway(
            binary, ROUTES.format(ordinary=ordinary, upstream=upstream.port, audience=AUDIENCE), REST, http2=True) as running:
        began = time.monotonic()
        problems = await asyncio.to_thread(lambda: list(play(running.port)))
        problems += running.problems_of_logs()
        if not running.is_alive():
            problems.append("the gateway ended")
        if problems:
            print(running.last_words())
    upstream.stop()
    for problem in problems:
        print(f"FAILED  {problem}")
    print(f"peers: {len(RAW) + len(SCRIPTS)} scripts in {time.monotonic() - began:.0f} s; {len(problems)} problems")
    return not problems


async def self_check(seed):
    """Whether a proxy that minds no rule, in the gateway's place, is found out."""
    global PATIENCE_SECONDS
    upstream = Upstream()
    await upstream.start()
    transcriber = Transcriber(upstream.port)
    await transcriber.start()
    patience, PATIENCE_SECONDS = PATIENCE_SECONDS, 1
    found = await asyncio.to_thread(lambda: list(play(transcriber.port, RAW[4:7], ())))
    PATIENCE_SECONDS = patience
    transcriber.stop()
    upstream.stop()
    return bool(found)
