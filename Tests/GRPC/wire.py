"""HTTP/2 by its frames (RFC 9113), so that either side can say what no library would."""
import collections
import contextlib
import socket
import struct
import threading
import time

import hpack

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITISED = 1, 1, 4, 8, 32
(NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, STREAM_CLOSED, FRAME_SIZE_ERROR,
 REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, CONNECT_ERROR, ENHANCE_YOUR_CALM, INADEQUATE_SECURITY,
 HTTP_1_1_REQUIRED) = range(14)
HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE = range(1, 7)
ENABLE_CONNECT_PROTOCOL = 8
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
MOST_DATA = 16384
WINDOW = 65535
Frame = collections.namedtuple("Frame", "kind flags stream payload")


class Message:
    """What has come on one stream."""

    def __init__(self, number):
        self.number = number
        self.interim = []
        self.fields = None
        self.trailers = None
        self.content = b""
        self.ended = False
        self.reset = None
        # What WINDOW_UPDATE has given beyond the initial window.
        self.window = 0
        # Whether the peer knew our SETTINGS when it opened the stream.
        self.knows_settings = False

    @property
    def is_over(self):
        """Whether nothing more comes."""
        return self.ended or self.reset is not None

    def values(self, name):
        """All values of a field of the head."""
        return [value for key, value in self.fields or () if key == name]

    def __getitem__(self, name):
        return (self.values(name) or [None])[0]

    @property
    def status(self):
        """The status, as a number; None without one."""
        return int(self[":status"]) if self[":status"] else None

    def __repr__(self):
        return (f"<{self.number}: {self.interim} {self.fields} {len(self.content)} bytes {self.content[:60]} {self.trailers}"
                f" ended {self.ended} reset {self.reset}>")


class Wire:
    """One side of a connection: what came by stream, and whatever frames are to be sent."""

    def __init__(self, connection):
        self.socket = connection
        self.encoder = hpack.Encoder()
        self.decoder = hpack.Decoder()
        self.input = b""
        self.messages = {}
        self.block = None
        self.goaway = None
        self.settings = {}
        self.has_settings = False
        self.is_acknowledged = False
        self.window = WINDOW
        self.pongs = []
        self.is_closed = False
        self.gives_window = True
        self.lock = threading.RLock()
        # What is sent in one piece, when all of it is there.
        self.held = None

    # MARK: what is sent

    def put(self, kind, flags, stream, payload=b""):
        """One frame, whatever it says."""
        head = struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream)
        with self.lock:
            if self.held is None:
                self.socket.sendall(head + payload)
            else:
                self.held += head + payload

    @contextlib.contextmanager
    def together(self):
        """Frames that leave at once."""
        with self.lock:
            self.held = b""
            yield
            frames, self.held = self.held, None
            self.socket.sendall(frames)

    def put_settings(self, settings=()):
        """Numbers and values."""
        self.put(SETTINGS, 0, 0, b"".join(struct.pack(">HI", *one) for one in dict(settings).items()))

    def put_fields(self, stream, fields, ends=False):
        """Fields as they are given, in one frame."""
        with self.lock:
            block = self.encoder.encode(fields, huffman=False)
            self.put(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, block)

    def put_data(self, stream, content, ends=False):
        """Content in frames of the usual size, whatever the windows say."""
        for start in range(0, max(len(content), 1), MOST_DATA):
            part = content[start:start + MOST_DATA]
            self.put(DATA, END_STREAM if ends and start + MOST_DATA >= len(content) else 0, stream, part)

    def put_reset(self, stream, code):
        """RST_STREAM."""
        self.put(RST_STREAM, 0, stream, struct.pack(">I", code))

    def put_goaway(self, last, code=NO_ERROR):
        """GOAWAY."""
        self.put(GOAWAY, 0, 0, struct.pack(">II", last, code))

    def put_window(self, stream, count):
        """WINDOW_UPDATE."""
        self.put(WINDOW_UPDATE, 0, stream, struct.pack(">I", count))

    # MARK: what is received

    def fill(self, count):
        """Whether so many bytes are at hand; False at the end of the connection. What has come stays when a time is over."""
        while len(self.input) < count:
            try:
                part = self.socket.recv(65536)
            except ConnectionError:
                part = b""
            if not part:
                self.is_closed = True
                return False
            self.input += part
        return True

    def receive(self):
        """The next frame, of which what everybody does is done; None at the end."""
        if not self.fill(9) or not self.fill(end := 9 + int.from_bytes(self.input[:3], "big")):
            return None
        head, payload, self.input = self.input[:9], self.input[9:end], self.input[end:]
        frame = Frame(head[3], head[4], int.from_bytes(head[5:], "big") & 0x7FFFFFFF, payload)
        self.see(frame)
        return frame

    def see(self, frame):
        """Keeps what a frame says, and acknowledges it."""
        kind, flags, stream, payload = frame
        message = self.messages.get(stream)
        if kind == SETTINGS and not flags & ACK:
            for start in range(0, len(payload), 6):
                number, value = struct.unpack(">HI", payload[start:start + 6])
                self.settings[number] = value
            self.has_settings = True
            self.put(SETTINGS, ACK, 0)
        elif kind == SETTINGS:
            self.is_acknowledged = True
        elif kind == WINDOW_UPDATE:
            target = message if stream else self
            if target:
                target.window += int.from_bytes(payload, "big")
        elif kind == PING:
            if flags & ACK:
                self.pongs.append(payload)
            else:
                self.put(PING, ACK, 0, payload)
        elif kind == GOAWAY:
            self.goaway = struct.unpack(">II", payload[:8])
        elif kind == RST_STREAM and message:
            message.reset = int.from_bytes(payload, "big")
        elif kind in (HEADERS, CONTINUATION):
            self.see_block(frame)
        elif kind == DATA and message:
            if flags & PADDED:
                payload = payload[1:len(payload) - payload[0]]
            message.content += payload
            message.ended = message.ended or bool(flags & END_STREAM)
            if self.gives_window and frame.payload:
                self.put_window(0, len(frame.payload))
                if not message.is_over:
                    self.put_window(stream, len(frame.payload))

    def see_block(self, frame):
        """Fields of a head, of an interim one, or behind the content."""
        kind, flags, stream, payload = frame
        if kind == HEADERS:
            if flags & PADDED:
                payload = payload[1:len(payload) - payload[0]]
            self.block = (bool(flags & END_STREAM), payload[5:] if flags & PRIORITISED else payload)
        else:
            self.block = (self.block[0], self.block[1] + payload)
        if not flags & END_HEADERS:
            return
        ends, block = self.block
        fields = [tuple(field) for field in self.decoder.decode(block)]
        message = self.messages.setdefault(stream, Message(stream))
        message.knows_settings = self.is_acknowledged
        if message.fields is not None:
            message.trailers = fields
        elif dict(fields).get(":status", "200").startswith("1"):
            message.interim.append(fields)
        else:
            message.fields = fields
        message.ended = message.ended or ends


class Client(Wire):
    """A client of the gateway's plain listener."""

    def __init__(self, port, settings=(), authority="gateway.test", source="127.0.0.1"):
        super().__init__(socket.create_connection(("127.0.0.1", port), 10, (source, 0)))
        self.authority = authority
        self.last = -1
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(PREFACE)
        self.put_settings(settings)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def open(self, path, *fields, method="GET", ends=True):
        """The number of a new stream with this head."""
        self.last += 2
        self.messages[self.last] = Message(self.last)
        head = [(":method", method), (":scheme", "http"), (":authority", self.authority), (":path", path)]
        self.put_fields(self.last, head + list(fields), ends)
        return self.last

    def until(self, is_done, seconds=30):
        """Reads frames until this is so; False when the time or the connection is over first."""
        end = time.monotonic() + seconds
        while not is_done():
            left = end - time.monotonic()
            if left <= 0 or self.is_closed:
                return False
            self.socket.settimeout(left)
            try:
                self.receive()
            except TimeoutError:
                return bool(is_done())
        return True

    def answer(self, number, seconds=30):
        """The whole answer on a stream."""
        message = self.messages[number]
        if not self.until(lambda: message.is_over, seconds):
            raise AssertionError(f"no whole answer: {message}, GOAWAY {self.goaway}, closed {self.is_closed}")
        return message

    def get(self, path, *fields, method="GET", content=None, seconds=30):
        """The answer to one request."""
        return self.answer(self.send(path, *fields, method=method, content=content), seconds)

    def send(self, path, *fields, method="GET", content=None):
        """The number of a new stream with a whole request."""
        with self.together():
            number = self.open(path, *fields, method=method, ends=content is None)
            if content is not None:
                self.put_data(number, content, ends=True)
        return number
