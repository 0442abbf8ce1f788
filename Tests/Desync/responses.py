"""Reads what a client of the gateway got, strictly: one response after the other, to the last byte."""
import re
from dataclasses import dataclass

from readers import STATUS_LINE, Malformed, Message, read_chunks, read_fields


@dataclass
class Response:
    """One answer, perhaps cut off."""
    status: int
    message: Message
    body: bytes
    is_whole: bool
    end: int

    def value(self, name):
        """The one value of a field, or nothing."""
        return b"".join(self.message.values(name))

    @property
    def record(self):
        """The number of the upstream's record that it answers; 0 when the gateway made it."""
        echo = self.value(b"echo").split(b" ")
        return int(echo[0]) if echo[0].isdigit() else 0

    @property
    def announces_end(self):
        """Whether nothing may follow it on this connection."""
        return b"close" in self.value(b"connection").lower()


def read_response(data, start, *, ended, is_head=None):
    """The response at `start`, or nothing when its head is not whole; `ended` says that nothing more will come."""
    while True:
        end = data.find(b"\r\n\r\n", start)
        if end < 0:
            return None
        lines = data[start:end].split(b"\r\n")
        first = STATUS_LINE.fullmatch(lines[0])
        if not first:
            raise Malformed(f"status line {lines[0][:60]!r}")
        message = Message(status=int(first[2]), fields=read_fields(lines[1:]), head_end=end + 4)
        if message.status >= 200 or message.status == 101:
            break
        start = end + 4
    if is_head is None:
        is_head = message.values(b"echo")[:1] and message.values(b"echo")[0].endswith(b" HEAD")
    lengths, codings = message.values(b"content-length"), message.values(b"transfer-encoding")
    if is_head or message.status in (101, 204, 304):
        return Response(message.status, message, b"", True, message.head_end)
    if codings:
        if codings != [b"chunked"] or lengths:
            raise Malformed("framing of a response")
        read_chunks(data, message.head_end, message)
        return Response(message.status, message, message.body, message.is_complete,
                        message.end if message.is_complete else len(data))
    if lengths:
        if len(lengths) > 1 or not re.fullmatch(rb"[0-9]{1,19}", lengths[0]):
            raise Malformed("length of a response")
        body = data[message.head_end:message.head_end + int(lengths[0])]
        whole = len(body) == int(lengths[0])
        return Response(message.status, message, body, whole, message.head_end + len(body))
    return Response(message.status, message, data[message.head_end:], ended, len(data))


def read_responses(data):
    """All that a closed connection brought."""
    responses, place = [], 0
    while place < len(data):
        response = read_response(data, place, ended=True)
        if response is None:
            # The end in the middle of a head, or an interim response with nothing behind it.
            rest = data[place:]
            if not re.match(rb"(HTTP/1\.1 1[0-9]{2} [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n)+$", rest):
                responses.append(Response(0, Message(), rest, False, len(data)))
            break
        responses.append(response)
        place = response.end
    return responses
