"""The upstream: keeps every byte that reaches it, and answers each request with a content that is its alone."""
import asyncio
import functools
import re
import zlib
from dataclasses import dataclass, field

from readers import Malformed, read_request

MARK = re.compile(rb"m([0-9a-f]{8})([0-9a-f]{4})x([0-9]{2})")


def mark(session, request):
    """A text that says which request of which session it is in; an edited one does not pass for another's."""
    number = b"%08x" % session
    return b"m%s%04xx%02d" % (number, zlib.crc32(number) & 0xffff, request)


def marks(data):
    """(session, request) of each whole mark in the bytes."""
    return set(marks_in_order(data))


def marks_in_order(data):
    """The same, from the first byte on."""
    return [(int(found[1], 16), int(found[3])) for found in MARK.finditer(data)
            if int(found[2], 16) == zlib.crc32(found[1]) & 0xffff]


@dataclass
class Record:
    """One request as it arrived, or the part of one."""
    number: int
    connection: int
    raw: bytes = b""
    message: object = None
    is_complete: bool = False
    # Answered before its end was here.
    was_early: bool = False
    is_answered: bool = False
    # A client got its answer.
    is_owned: bool = False
    problem: str = ""
    marks: set = field(default_factory=set)
    request_id: bytes = b""
    # It came to the port of what is guarded.
    is_guarded: bool = False


def content_of(record):
    """What answers it: nothing of it fits another."""
    unit = b"<%d %s>" % (record.number, record.request_id)
    return unit * (1 + record.number % 7 + (300 if record.number % 97 == 0 else 0))


class Recorder:
    """What arrived: records by number, and how much of it there was."""

    def __init__(self):
        self.records = {}
        self.by_session = {}
        self.filed = 0
        self.connections = 0
        self.open = set()
        self.silent = 0
        self.count = 0
        self.bytes = 0
        self.servers = []
        self.port = self.guarded_port = 0
        # What whoever may have what is guarded shows.
        self.token = b""

    async def start(self):
        """Listens on a free port, and on another one for what is guarded."""
        loop = asyncio.get_running_loop()
        self.servers = [await loop.create_server(functools.partial(_Connection, self, is_guarded), "127.0.0.1", 0, backlog=1024)
                        for is_guarded in (False, True)]
        self.port, self.guarded_port = (server.sockets[0].getsockname()[1] for server in self.servers)

    def stop(self):
        """Closes everything."""
        for server in self.servers:
            server.close()
        for connection in list(self.open):
            connection.transport.abort()

    def new_record(self, connection):
        """A record with the next number."""
        self.count += 1
        record = Record(self.count, connection.number, is_guarded=connection.is_guarded)
        self.records[record.number] = record
        return record

    def of_session(self, session):
        """The records with a mark of the session."""
        while self.filed < self.count:
            self.filed += 1
            for number in {number for number, _ in self.records[self.filed].marks}:
                self.by_session.setdefault(number, []).append(self.records[self.filed])
        return self.by_session.get(session, [])

    def flush(self):
        """Makes records of what is still under way on open connections."""
        for connection in list(self.open):
            connection.keep_rest("the run is over")


class _Connection(asyncio.Protocol):
    def __init__(self, recorder, is_guarded):
        self.recorder, self.is_guarded = recorder, is_guarded
        recorder.connections += 1
        self.number = recorder.connections
        self.received = bytearray()
        self.early = None
        self.transport = None
        self.heard = False
        self.broken = False

    def connection_made(self, transport):
        self.transport = transport
        self.recorder.open.add(self)

    def data_received(self, data):
        self.heard = True
        self.recorder.bytes += len(data)
        self.received += data
        if self.broken:
            return
        while self.received and not self.broken and self.take():
            pass

    def take(self):
        """Takes a request off the bytes and answers it; false when more is to come first."""
        data = bytes(self.received)
        try:
            message = read_request(data)
        except Malformed as refusal:
            self.broken = True
            record = self.keep_rest(str(refusal))
            record.problem = f"no request: {refusal}"
            self.transport.abort()
            return False
        if message is None:
            return False
        if not message.is_complete:
            if b"/early" in message.target and self.early is None:
                self.early = self.record(message, data)
                self.early.was_early = True
                self.answer(self.early)
            return False
        record = self.early or self.record(message, data[:message.end])
        record.raw, record.message, record.is_complete = data[:message.end], message, True
        record.marks = marks(record.raw)
        del self.received[:message.end]
        if self.early:
            self.early = None
        else:
            self.answer(record)
        return True

    def record(self, message, raw):
        """What is known of a request that arrived."""
        record = self.recorder.new_record(self)
        record.raw, record.message, record.marks = raw, message, marks(raw)
        record.request_id = b"".join(message.values(b"x-request-id"))
        return record

    def answer(self, record):
        """In one of a few framings, as the target says."""
        record.is_answered = True
        content, target = content_of(record), record.message.target
        head = (b"HTTP/1.1 200 OK\r\nEcho: %d %s\r\n"
                % (record.number, record.message.method))
        if b"/chunked" in target:
            half = len(content) // 2
            body = b"%x\r\n%s\r\n%X;a=b\r\n%s\r\n0\r\nTrailing: evil\r\n\r\n" % (
                half, content[:half], len(content) - half, content[half:]) if half else b""
            head += b"Transfer-Encoding: chunked\r\n\r\n"
        elif b"/close" in target:
            head, body = head + b"Connection: close\r\n\r\n", content
        else:
            head, body = head + b"Content-Length: %d\r\n\r\n" % len(content), content
        if record.message.method == b"HEAD":
            body = b""
        self.transport.write(head + body)
        if b"/close" in target:
            self.transport.close()

    def keep_rest(self, why):
        """Makes a record of the bytes behind the last whole request."""
        record = self.early
        if record is None and self.received:
            record = self.recorder.new_record(self)
        if record is not None:
            record.raw, record.marks = bytes(self.received), marks(bytes(self.received))
            try:
                record.message = read_request(record.raw)
            except Malformed:
                pass
            record.problem = record.problem or ("" if record.was_early else f"part of a request ({why})")
        self.received.clear()
        self.early = None
        return record

    def connection_lost(self, exc):
        self.recorder.open.discard(self)
        if not self.heard:
            self.recorder.silent += 1
        self.keep_rest("reset" if exc else "closed")
