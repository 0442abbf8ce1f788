"""Upstreams that answer, or misbehave, as a test says: by frames, on listeners that are there before the gateway is."""
import contextlib
import socket
import threading
import time

import grpc

import wire

GOOD = b"good"


class Listener:
    """A socket that the gateway was told of, and each connection to it in a thread of its own."""

    def __init__(self, secure=None):
        self.secure = secure
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.connections = []
        self.requests = []
        self.lines = []
        self.lock = threading.Lock()

    def start(self, script):
        """Answers connections by a script from now on."""
        self.socket.listen(200)
        threading.Thread(target=self.accept, args=(script,), daemon=True).start()

    def accept(self, script):
        """Takes connections until the listener is closed."""
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.secure:
                try:
                    connection = self.secure.wrap_socket(connection, server_side=True)
                except OSError:
                    continue
            peer = Peer(connection, self)
            with self.lock:
                self.connections.append(peer)
                peer.index = len(self.connections)
            threading.Thread(target=self.run, args=(script, peer), daemon=True).start()

    def run(self, script, peer):
        """One connection; that the gateway leaves is nobody's fault."""
        with contextlib.suppress(OSError), peer.socket:
            try:
                script(peer)
            except (BrokenPipeError, ConnectionResetError):
                # It left while it was written to. What it said before is there still, and is answered by nobody.
                peer.held = b""
                while peer.receive() is not None:
                    pass

    def paths(self, word=""):
        """The paths of requests that came, in order."""
        with self.lock:
            return [message[":path"] for message in self.requests if word in message[":path"]]

    def request(self, word):
        """The request whose path has this word."""
        with self.lock:
            return next(message for message in self.requests if word in message[":path"])

    def stop(self):
        """Leaves."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for peer in self.connections:
            with contextlib.suppress(OSError):
                peer.socket.shutdown(socket.SHUT_RDWR)


class Peer(wire.Wire):
    """The upstream's side of one connection."""

    def __init__(self, connection, listener):
        super().__init__(connection)
        self.listener = listener
        self.index = 0
        self.served = 0

    def answer_lines(self):
        """Answers each request as HTTP/1.1 does, whose content is chunked, or has a length, or is none."""
        while self.fill(1):
            while b"\r\n\r\n" not in self.input:
                if not self.fill(len(self.input) + 1):
                    return
            head, self.input = self.input.split(b"\r\n\r\n", 1)
            fields = head.lower()
            if b"transfer-encoding: chunked" in fields:
                while b"0\r\n\r\n" not in self.input:
                    if not self.fill(len(self.input) + 1):
                        return
                self.input = self.input.split(b"0\r\n\r\n", 1)[1]
            elif b"content-length: " in fields:
                count = int(fields.split(b"content-length: ")[1].split(b"\r")[0])
                if not self.fill(count):
                    return
                self.input = self.input[count:]
            with self.listener.lock:
                self.listener.lines.append(head.split(b" ")[1].decode())
            self.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + GOOD)

    def greet(self, settings=()):
        """Reads the preface and sends SETTINGS."""
        if not self.fill(len(wire.PREFACE)) or not self.input.startswith(wire.PREFACE):
            raise ConnectionAbortedError("no preface")
        self.input = self.input[len(wire.PREFACE):]
        self.put_settings(settings)

    def serve(self, respond, at_head=False):
        """Has each request answered that is whole, or whose head has come."""
        seen = set()
        while (frame := self.receive()) is not None:
            message = self.messages.get(frame.stream)
            if message is None or message.number in seen or message.fields is None:
                continue
            if message.ended or at_head:
                seen.add(message.number)
                with self.listener.lock:
                    self.listener.requests.append(message)
                self.served += 1
                respond(self, message)

    def answer(self, message, status=200, fields=(), content=GOOD, trailers=None):
        """A whole answer."""
        self.put_fields(message.number, [(":status", str(status)), *fields], ends=not content and trailers is None)
        if content:
            self.put_data(message.number, content, ends=trailers is None)
        if trailers is not None:
            self.put_fields(message.number, trailers, ends=True)


def scripted(respond, settings=(), at_head=False):
    """An upstream that answers by `respond` where the path has `bad` in it, and well otherwise."""
    def answer(peer, message):
        """Either."""
        if "bad" in message[":path"]:
            respond(peer, message)
        else:
            peer.answer(message)

    def script(peer):
        """One connection."""
        peer.greet(settings)
        peer.serve(answer, at_head)
    return script


def misbehave(running, script, *found, **request):
    """The answer to one request that is answered badly, where the log says why, and the next one is answered well."""
    listener, path = running.upstream(script)
    mark = running.mark()
    with wire.Client(running.port) as client:
        answer = client.get(path + "bad", **request)
        for words in found:
            running.logged(mark, *words, about=(f'"{path}', f':{listener.port}"'))
        good(client, path)
    return answer, listener


def until(is_so, seconds=30):
    """Waits for what other threads do, for longer than a machine may stand still."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError("not so in time")
        time.sleep(0.005)


def code_of_goaway(peer):
    """The code of the gateway's GOAWAY at `peer`. Another thread reads it, perhaps after a client has its answer."""
    until(lambda: peer.goaway is not None or peer.is_closed)
    return peer.goaway and peer.goaway[1]


def each(cases, check):
    """Has all cases checked by their names, and says which fail."""
    errors = []
    for name, case in cases.items():
        try:
            check(case)
        except (AssertionError, grpc.RpcError) as error:
            errors.append(f"{name}: {error}")
    if errors:
        raise AssertionError("\n".join(errors))


def good(client, path):
    """A request is answered well."""
    answer = client.get(path + "good")
    if (answer.status, answer.content, answer.ended) != (200, GOOD, True):
        raise AssertionError(f"the next request is answered {answer}")


def refused(answer, status=502):
    """The client gets an answer of the gateway's own, and no part of another one."""
    if answer.status != status or not answer.ended or answer.content or not answer["x-request-id"]:
        raise AssertionError(f"answered {answer}")
