"""WebSocket to an upstream that speaks HTTP/2: by extended CONNECT where it takes that (RFC 8441), else by HTTP/1.1."""
import base64
import hashlib
import os
import socket

import upstreams
import wire
from upstreams import until

MASK = b"\1\2\3\4"
TAKES_TUNNELS = {wire.ENABLE_CONNECT_PROTOCOL: 1}


def accept(key):
    """The answer to a key (RFC 6455 section 4.2.2)."""
    return base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())


def text(content, is_masked):
    """A frame with a short text."""
    if not is_masked:
        return bytes((0x81, len(content))) + content
    return bytes((0x81, 0x80 | len(content))) + MASK + bytes(byte ^ MASK[index % 4] for index, byte in enumerate(content))


def said(frame):
    """The content of a masked frame."""
    return bytes(byte ^ frame[2 + index % 4] for index, byte in enumerate(frame[6:]))


def echo(settings, answer_status=200):
    """An upstream that says each message again, in capitals, by HTTP/2 and by HTTP/1.1."""
    def by_frames(peer):
        """Extended CONNECT."""
        answered = {}
        peer.greet(settings)
        while peer.receive() is not None:
            for message in list(peer.messages.values()):
                if message.fields is None:
                    continue
                if message.number not in answered:
                    with peer.listener.lock:
                        peer.listener.requests.append(message)
                    answered[message.number] = 0
                    if message[":method"] == "CONNECT":
                        peer.put_fields(message.number, [(":status", str(answer_status))], ends=answer_status != 200)
                    elif message.ended:
                        peer.answer(message)
                if message[":method"] == "CONNECT" and answer_status == 200:
                    content = message.content[answered[message.number]:]
                    if len(content) > 6:
                        answered[message.number] += len(content)
                        peer.put_data(message.number, text(said(content).upper(), False))
                    if message.ended and answered[message.number] >= 0:
                        answered[message.number] = -1 << 30
                        peer.put_data(message.number, b"", ends=True)

    def by_lines(peer):
        """The handshake of RFC 6455."""
        while b"\r\n\r\n" not in peer.input and peer.fill(len(peer.input) + 1):
            pass
        head, peer.input = peer.input.split(b"\r\n\r\n", 1)
        lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        key = next(line.split(b": ")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key"))
        assert lines[b"upgrade"] == b"websocket" and lines[b"sec-websocket-version"] == b"13"
        peer.upgraded = head
        peer.socket.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            b"Sec-WebSocket-Accept: " + accept(key) + b"\r\n\r\n")
        while peer.fill(7):
            frame, peer.input = peer.input, b""
            peer.socket.sendall(text(said(frame).upper(), False))

    def script(peer):
        """By the first byte."""
        peer.upgraded = None
        if peer.fill(4):
            (by_frames if peer.input.startswith(b"PRI ") else by_lines)(peer)
    return script


class Old:
    """A WebSocket of an HTTP/1.1 client."""

    def __init__(self, running, path):
        self.socket = socket.create_connection(("127.0.0.1", running.port), 10)
        key = base64.b64encode(os.urandom(16))
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: gateway.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ".encode() + key + b"\r\n\r\n")
        self.head = b""
        while b"\r\n\r\n" not in self.head and (part := self.socket.recv(65536)):
            self.head += part
        self.is_open = self.head.startswith(b"HTTP/1.1 101") and accept(key) in self.head

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, content):
        """What comes back."""
        self.socket.sendall(text(content, True))
        answer = b""
        while len(answer) < len(content) + 2 and (part := self.socket.recv(65536)):
            answer += part
        return answer[2:]


def open_tunnel(client, path, *fields):
    """Extended CONNECT."""
    client.last += 2
    message = client.messages[client.last] = wire.Message(client.last)
    client.put_fields(client.last, [(":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"),
                                    (":authority", client.authority), (":path", path), ("sec-websocket-version", "13"), *fields])
    client.until(lambda: message.fields or message.is_over)
    return message


def ask(client, message, content):
    """What comes back."""
    before = len(message.content)
    client.put_data(message.number, text(content, True))
    client.until(lambda: len(message.content) >= before + len(content) + 2 or message.is_over)
    return message.content[before + 2:]


def check(running, settings, is_tunnel):
    """Both kinds of client."""
    listener, path = running.upstream(echo(settings))
    with Old(running, path + "old") as one:
        assert one.is_open, one.head
        assert [one.ask(content) for content in (b"hello", b"again")] == [b"HELLO", b"AGAIN"]
    with wire.Client(running.port) as client:
        client.until(lambda: client.has_settings)
        assert client.settings.get(wire.ENABLE_CONNECT_PROTOCOL) == 1, client.settings
        message = open_tunnel(client, path + "new")
        assert message.status == 200 and not message.ended, message
        assert [ask(client, message, content) for content in (b"hello", b"again")] == [b"HELLO", b"AGAIN"], message
        # Others go on beside it.
        upstreams.good(client, path)
        assert ask(client, message, b"more") == b"MORE"
        client.put_data(message.number, b"", ends=True)
        client.until(lambda: message.is_over)
        assert message.is_over, message
        upstreams.good(client, path)
    tunnels = [message for message in listener.requests if message[":method"] == "CONNECT"]
    upgrades = [peer for peer in listener.connections if peer.upgraded]
    assert (len(tunnels), len(upgrades)) == ((2, 0) if is_tunnel else (0, 2)), (tunnels, upgrades)
    for message in tunnels:
        assert message[":protocol"] == "websocket" and message["sec-websocket-version"] == "13", message
        assert message["sec-websocket-key"] is None and message["upgrade"] is None, message
    return listener


# holds H2-39
def test_an_upstream_that_takes_tunnels_gets_them(running):
    """For clients of HTTP/1.1 and HTTP/2."""
    check(running, TAKES_TUNNELS, True)


# refuses H2-39
def test_an_upstream_that_takes_none_is_asked_by_http_1_1(running):
    """On a connection of its own, and everything else by HTTP/2."""
    check(running, (), False)


def test_a_tunnel_that_is_refused_is_an_answer(running):
    """Not a tunnel, to either client."""
    _, path = running.upstream(echo(TAKES_TUNNELS, 403))
    with Old(running, path + "old") as one:
        assert one.head.startswith(b"HTTP/1.1 403"), one.head
    with wire.Client(running.port) as client:
        client.until(lambda: client.has_settings)
        message = open_tunnel(client, path + "new")
        client.until(lambda: message.is_over)
        assert message.status == 403 and message.ended, message
        upstreams.good(client, path)


def test_a_tunnel_that_its_client_leaves_ends_at_the_upstream(running):
    """By its stream alone."""
    listener, path = running.upstream(echo(TAKES_TUNNELS))
    with wire.Client(running.port) as client:
        client.until(lambda: client.has_settings)
        message, other = open_tunnel(client, path + "one"), open_tunnel(client, path + "two")
        assert ask(client, message, b"a") == b"A" and ask(client, other, b"b") == b"B"
        client.put_reset(message.number, wire.CANCEL)
        until(lambda: listener.request("one").is_over)
        assert ask(client, other, b"c") == b"C"


def test_a_tunnel_that_the_upstream_resets_ends_at_the_client(running):
    """And others on its connection stay."""
    listener, path = running.upstream(echo(TAKES_TUNNELS))
    with Old(running, path + "one") as one, Old(running, path + "two") as two:
        assert one.ask(b"a") == b"A" and two.ask(b"b") == b"B"
        reset = listener.request("one")
        peer = next(peer for peer in listener.connections if reset in peer.messages.values())
        peer.put_reset(reset.number, wire.INTERNAL_ERROR)
        assert one.ask(b"c") == b"", "it is still open"
        assert two.ask(b"d") == b"D"


# refuses H2-37
def test_a_tunnel_needs_a_route_that_takes_it(running):
    """Another one answers without asking its upstream for a tunnel."""
    listener, path = running.upstream(echo(TAKES_TUNNELS))
    with wire.Client(running.port) as client:
        client.until(lambda: client.has_settings)
        message = open_tunnel(client, path + "grpc/no")
        client.until(lambda: message.is_over)
        assert message.status == 405 or message.reset is not None, message
    assert not [message for message in listener.requests if message[":method"] == "CONNECT"], listener.requests
