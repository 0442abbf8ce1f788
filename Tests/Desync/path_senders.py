"""How the paths are sent: a connection for each over HTTP/1.1, many streams of one over HTTP/2 with prior knowledge."""
from dataclasses import dataclass
from typing import Callable

import differential
import frames
import streams
from grammar import Request, Session
from recorder import mark
from responses import read_responses
from stream_reader import HEADERS, Part
from stream_requests import StreamRequest, StreamSession, in_order

# Streams of one connection: fewer than may end in a reset before its client is told to calm down.
STREAMS = 48


@dataclass(frozen=True)
class Protocol:
    """A way to send so many paths together."""
    name: str
    together: int
    # Of a port, a host, a way and (number, target) pairs: the records that answered, by number, 0 where none did; and problems.
    send: Callable


async def over_http1(port, host, way, pairs):
    """Each on a connection of its own."""
    records, fields = {}, b"".join(b"%s: %s\r\n" % field for field in way.fields)
    for number, target in pairs:
        data = b"%s %s HTTP/1.1\r\nHost: %s\r\n%sMark: %s\r\n\r\n" % (way.method, target, host, fields, mark(number, 0))
        received, _, _ = await differential.exchange(port, Session(number, [Request(data, (), b"")], [], False))
        responses = read_responses(received)
        records[number] = responses[0].record if responses else 0
    return records, []


async def over_http2(port, host, way, pairs):
    """All on one connection, each path as it is: nothing but the stream may end for it."""
    requests = []
    for number, target in pairs:
        head = [(b":method", way.method), (b":scheme", b"http"), (b":path", target), (b":authority", host)]
        head += [(name.lower(), value) for name, value in (*way.fields, (b"mark", mark(number, 0)))]
        requests.append(StreamRequest(b"", (), [Part(HEADERS, head, True)]))
    session = in_order(StreamSession(pairs[0][0], requests))
    reader, was_reset, problems = await streams.exchange(port, session, streams.PATIENCE_SECONDS)
    answers = [reader.answers.get(2 * place + 1, frames.Answer()) for place in range(len(pairs))]
    if was_reset or reader.goaways or not all(answer.is_over for answer in answers):
        problems.append(f"a connection ended for a path: {reader.goaways}{' and a reset' if was_reset else ''}")
    echoes = [dict(answer.head).get(b"echo", b"").split(b" ")[0] for answer in answers]
    return {number: int(echo or 0) for (number, _), echo in zip(pairs, echoes)}, problems


HTTP1, HTTP2 = Protocol("HTTP/1.1", 1, over_http1), Protocol("HTTP/2", STREAMS, over_http2)
