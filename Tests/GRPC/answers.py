"""Answers that are none: each is a 502 or breaks off, the log says why, and the next request is served."""
import socket

import upstreams
import wire
from upstreams import code_of_goaway, each, misbehave, refused, scripted

# Status, a field, or content that is not what RFC 9113 allows, where nothing of the answer can have reached a client.
MALFORMED = {
    "no status": [("x-a", "b")],
    "a late status": [("x-a", "b"), (":status", "200")],
    "two statuses": [(":status", "200"), (":status", "200")],
    "a status of two digits": [(":status", "20")],
    "a status of letters": [(":status", "2xx")],
    "a status of four digits": [(":status", "2000")],
    "an empty status": [(":status", "")],
    "a pseudo field of requests": [(":status", "200"), (":path", "/")],
    "connection": [(":status", "200"), ("connection", "close")],
    "transfer-encoding": [(":status", "200"), ("transfer-encoding", "chunked")],
    "keep-alive": [(":status", "200"), ("keep-alive", "5")],
    "upgrade": [(":status", "200"), ("upgrade", "websocket")],
    "CR in a value": [(":status", "200"), ("x-a", "b\rc")],
    "CRLF in a value": [(":status", "200"), ("x-a", "b\r\nset-cookie: c=d")],
    "NUL in a value": [(":status", "200"), ("x-a", "b\0c")],
    "a capital in a name": [(":status", "200"), ("X-A", "b")],
    "a space in a name": [(":status", "200"), ("x a", "b")],
    "a line in a name": [(":status", "200"), ("x-a: b\r\nx-c", "d")],
    "no name": [(":status", "200"), ("", "b")],
    "two lengths": [(":status", "200"), ("content-length", "4"), ("content-length", "5")],
    "a length of letters": [(":status", "200"), ("content-length", "4x")],
    "101": [(":status", "101")],
    "101 with upgrade": [(":status", "101"), ("x-a", "b")],
    "too many fields": [(":status", "200")] + [(f"x-{number}", "a") for number in range(300)],
    "too large fields": [(":status", "200")] + [(f"x-{number}", "a" * 4000) for number in range(30)],
}


def fields_and_content(fields, content=b"evil"):
    """An upstream that answers with exactly these."""
    def respond(peer, message):
        """In frames of the usual size."""
        block = peer.encoder.encode(fields, huffman=False)
        parts = [block[start:start + wire.MOST_DATA] for start in range(0, len(block), wire.MOST_DATA)]
        for number, part in enumerate(parts):
            kind = wire.CONTINUATION if number else wire.HEADERS
            peer.put(kind, wire.END_HEADERS if number == len(parts) - 1 else 0, message.number, part)
        peer.put_data(message.number, content, ends=True)
    return scripted(respond)


# refuses H2-81
def test_heads_that_are_malformed_are_502(running):
    """And say so in the log; nothing of them reaches the client."""
    def check(fields):
        """One of them."""
        answer, _ = misbehave(running, fields_and_content(fields), ["upstream_protocol_error"], ["upstream_", '"status":502'])
        refused(answer)

    each(MALFORMED, check)


def test_edge_whitespace_of_a_value_is_no_smuggling(running):
    """It is a 502, or passes without it."""
    for value in (" b", "b ", "\tb"):
        answer, _ = misbehave(running, fields_and_content([(":status", "200"), ("x-a", value)]))
        assert answer.status == 502 or answer["x-a"] == "b", (value, answer)


# refuses H2-13, H2-81
def test_a_length_that_is_not_the_content_s_breaks_off(running):
    """Longer or shorter: no client takes it for whole."""
    for length in ("3", "5", "1000000"):
        answer, _ = misbehave(running, fields_and_content([(":status", "200"), ("content-length", length)]), ["upstream_"])
        assert answer.status == 502 or (answer.reset is not None and not answer.ended), (length, answer)
    # Nothing is what it says, and nothing is what the client gets.
    answer, _ = misbehave(running, fields_and_content([(":status", "200"), ("content-length", "0")]))
    assert answer.status == 502 or (answer.content == b"" and answer["content-length"] == "0"), answer
    answer, _ = misbehave(running, fields_and_content([(":status", "200"), ("content-length", "4")]))
    assert answer.content == b"evil" and answer.ended, answer


# refuses H2-13
def test_an_old_client_sees_that_such_an_answer_is_not_whole(running):
    """Its connection ends before the length is reached, or before the last chunk."""
    from trailers import old
    _, path = running.upstream(fields_and_content([(":status", "200"), ("content-length", "9")]))
    answer = old(running, path + "bad")
    assert b"502" in answer[:20] or (b"content-length: 9" in answer.lower() and answer.endswith(b"evil")), answer


def interim(count, status="103"):
    """An answer behind so many interim ones."""
    def respond(peer, message):
        """All in a row."""
        for number in range(count):
            peer.put_fields(message.number, [(":status", status), ("link", f"</{number}>")])
        peer.answer(message)
    return scripted(respond)


# holds H2-18
# refuses H2-81
def test_interim_answers_pass_up_to_eight(running):
    """The ninth is too much."""
    answer, _ = misbehave(running, interim(1))
    assert answer.status == 200 and dict(answer.interim[0])["link"] == "</0>", answer
    answer, _ = misbehave(running, interim(8))
    assert answer.status == 200 and answer.content == b"good", answer
    answer, _ = misbehave(running, interim(9), ["upstream_", '"status":502'])
    refused(answer)


def test_an_interim_answer_that_ends_the_stream_is_none(running):
    """There is no answer behind it."""
    answer, _ = misbehave(running, scripted(lambda peer, message: peer.put_fields(
        message.number, [(":status", "103")], ends=True)), ["upstream_", '"status":502'])
    refused(answer)


def test_content_of_an_answer_to_head_is_not_passed(running):
    """Whether it ends or not; a length may be told."""
    def with_end(peer, message):
        """More than there may be."""
        peer.put_fields(message.number, [(":status", "200"), ("content-length", "4")])
        peer.put_data(message.number, b"evil", ends=True)

    def without_end(peer, message):
        """And it is never over."""
        peer.put_fields(message.number, [(":status", "200"), ("content-length", "4")])
        peer.put_data(message.number, b"evil")

    def empty(peer, message):
        """As it should be."""
        peer.put_fields(message.number, [(":status", "200"), ("content-length", "4")], ends=True)

    for respond in (with_end, without_end, empty):
        answer, _ = misbehave(running, scripted(respond), method="HEAD")
        assert answer.content == b"" and (answer.status in (200, 502)) and answer.is_over, (respond, answer)
    assert answer.status == 200 and answer["content-length"] == "4", answer


def test_an_answer_may_end_with_an_empty_frame(running):
    """Behind its content, and behind its head; empty frames between change nothing."""
    def respond(peer, message):
        """In pieces."""
        peer.put_fields(message.number, [(":status", "200")])
        for part in (b"", b"go", b"", b"od"):
            peer.put_data(message.number, part)
        peer.put_data(message.number, b"", ends=True)

    def only(peer, message):
        """No content."""
        peer.put_fields(message.number, [(":status", "200")])
        peer.put_data(message.number, b"", ends=True)

    answer, _ = misbehave(running, scripted(respond))
    assert answer.content == b"good" and answer.ended, answer
    answer, _ = misbehave(running, scripted(only))
    assert answer.content == b"" and answer.ended and answer.status == 200, answer


# holds H2-14
def test_padding_is_not_content(running):
    """Neither behind content nor around a head."""
    def respond(peer, message):
        """Ten bytes of it each."""
        block = peer.encoder.encode([(":status", "200")])
        peer.put(wire.HEADERS, wire.END_HEADERS | wire.PADDED, message.number, b"\x0a" + block + bytes(10))
        peer.put(wire.DATA, wire.PADDED | wire.END_STREAM, message.number, b"\x0agood" + bytes(10))

    answer, _ = misbehave(running, scripted(respond))
    assert answer.content == b"good" and answer.ended, answer


# refuses H2-81
def test_content_before_a_head_is_no_answer(running):
    """Nor is a second head without an end."""
    answer, _ = misbehave(running, scripted(lambda peer, message: peer.put_data(message.number, b"evil", ends=True)),
                          ["upstream_", '"status":502'])
    refused(answer)

    def twice(peer, message):
        """The second is no trailers, as it does not end the stream."""
        peer.put_fields(message.number, [(":status", "200")])
        peer.put_fields(message.number, [(":status", "200")])
        peer.put_data(message.number, b"evil", ends=True)

    answer, _ = misbehave(running, scripted(twice))
    assert answer.status == 502 or not answer.ended, answer


# refuses H2-19
def test_a_promise_ends_the_connection(running):
    """We have said that we take none; requests on it are refused or break off, and the next one is served elsewhere."""
    def respond(peer, message):
        """Something to push."""
        block = peer.encoder.encode([(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/pushed")])
        # In one write: of the second one the gateway, which has left, would take nothing, and its GOAWAY would be lost.
        with peer.together():
            peer.put(wire.PUSH_PROMISE, wire.END_HEADERS, message.number, (2).to_bytes(4, "big") + block)
            peer.put_fields(2, [(":status", "200")], ends=True)
            peer.answer(message)

    answer, listener = misbehave(running, scripted(respond), ["upstream_protocol_error"])
    refused(answer)
    assert len(listener.connections) == 2, listener.connections
    assert code_of_goaway(listener.connections[0]) == wire.PROTOCOL_ERROR


def test_frames_that_break_the_protocol_end_the_connection(running):
    """Each by its own code; the next request has a new connection."""
    kinds = {
        "DATA on stream 0": (wire.DATA, 0, 0, b"x"),
        "SETTINGS of five bytes": (wire.SETTINGS, 0, 0, bytes(5)),
        "a window too large": (wire.SETTINGS, 0, 0, b"\0\x04\xff\xff\xff\xff"),
        "PING of seven bytes": (wire.PING, 0, 0, bytes(7)),
        "WINDOW_UPDATE of 0": (wire.WINDOW_UPDATE, 0, 0, bytes(4)),
        "too large a frame": (wire.DATA, 0, 1, bytes(16385)),
        "CONTINUATION of nothing": (wire.CONTINUATION, wire.END_HEADERS, 1, b""),
        "a block that cannot be decoded": (wire.HEADERS, wire.END_HEADERS, 1, b"\xff\xff\xff\xff\xff\xff\xff\xff"),
        "padding longer than its frame": (wire.DATA, wire.PADDED, 1, b"\xffx"),
        "a stream that nobody opened": (wire.HEADERS, wire.END_HEADERS, 4, b"\x88"),
    }
    def check(frame):
        """One of them."""
        answer, listener = misbehave(running, scripted(lambda peer, _: peer.put(*frame)), ["upstream_protocol_error"])
        refused(answer)
        assert len(listener.connections) == 2, listener.connections
        assert code_of_goaway(listener.connections[0]) not in (None, wire.NO_ERROR)

    each(kinds, check)


# holds H2-14
def test_frames_nobody_knows_are_ignored(running):
    """And so are settings, and late frames of a stream that has ended."""
    def respond(peer, message):
        """Around a good answer."""
        peer.put(0xBE, 0xFF, message.number, b"what")
        peer.put(wire.SETTINGS, 0, 0, b"\xfa\xce\0\0\0\1")
        peer.put(wire.PRIORITY, 0, message.number, bytes(4) + b"\x10")
        peer.answer(message)
        peer.put_window(message.number, 100)
        peer.put(wire.PRIORITY, 0, message.number, bytes(4) + b"\x10")
        peer.put_reset(message.number, wire.NO_ERROR)
        peer.put_window(message.number, 100)

    answer, listener = misbehave(running, scripted(respond))
    assert answer.content == b"good" and len(listener.connections) == 1, answer


def speaking(text):
    """A server of another protocol, or of none."""
    def script(peer):
        """Whatever it is sent."""
        if peer.index == 1:
            peer.fill(10)
            peer.socket.sendall(text)
            peer.socket.shutdown(socket.SHUT_WR)
            peer.fill(1 << 20)
        else:
            peer.greet()
            peer.serve(lambda peer, message: peer.answer(message))
    return script


# refuses H2-75
def test_another_protocol_is_named(running):
    """HTTP/1.1, TLS' alert, and something else: 502 at once."""
    for text in (b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", b"\x15\x03\x03\0\x02\x02\x28",
                 b"220 mail.example ESMTP\r\n" * 3):
        answer, _ = misbehave(running, speaking(text), ["upstream_protocol"])
        refused(answer)


# refuses H2-75
def test_frames_before_settings_are_none(running):
    """A peer begins with SETTINGS."""
    def script(peer):
        """HEADERS first."""
        if peer.index == 1:
            peer.fill(24)
            peer.put_fields(1, [(":status", "200")], ends=True)
            peer.fill(1 << 20)
        else:
            peer.greet()
            peer.serve(lambda peer, message: peer.answer(message))

    answer, _ = misbehave(running, script, ["upstream_protocol"])
    refused(answer)


# refuses H2-75
def test_a_peer_that_only_listens_is_given_up(running):
    """It takes the connection and says nothing at all, for longer than a connection may take."""
    answer, _ = misbehave(running, lambda peer: peer.fill(1 << 20) if peer.index == 1 else (
        peer.greet(), peer.serve(lambda peer, message: peer.answer(message))), ["upstream_protocol"])
    refused(answer)
