"""A gateway reads its configuration again, ends, or gives its place to another: under load, and with a call open all the time."""
import contextlib
import json
import re
import signal
import socket
import subprocess
import threading

import grpc

import stage
import wire
from calls import Client, Talk, refusal
from proxies import listens, tool
from upstreams import Listener, until

# Longer than any test.
DRAIN = "60s"
END_SECONDS = 20
AT_ONCE = 8
CONFIGURATION = """\
workers: 2
listeners: [{{ {listener}, public_url: "http://{host}" }}]
admin: {{ address: 127.0.0.1:0 }}
issuers:
  fixed: {{ url: {issuer}, jwks: {{ file: {folder}/jwks.json }} }}
routes:
  - {{ path: /load/, upstream: {{ url: "http://127.0.0.1:{load}", protocol: h2 }}, public: true }}
{services}
timeouts: {{ drain: {drain} }}
log: {{ operator: {name}.log, access: {name}-access.log }}
"""


class Gateway:
    """One that a test may end. Calls of `talk.S` reach the server of calls, and those of other services if it is told of them."""

    def __init__(self, running, upstream, listener='address: "127.0.0.1:0"', **changes):
        self.running = running
        self.name = running.folder / f"gateway-{next(running.numbers)}"
        self.file = self.name.with_suffix(".yaml")
        self.values = {"listener": listener, "load": upstream.port}
        self.configure(**changes)
        self.process = None
        self.port = None

    def configure(self, access="public: true", others=()):
        """Writes the configuration, where calls of `talk.S` have this access."""
        server = f'{{ url: "http://127.0.0.1:{self.running.calls.port}", protocol: h2 }}'
        services = {"talk.S": access, **{name: "public: true" for name in others}}
        self.file.write_text(CONFIGURATION.format(
            **self.values, host=stage.AUTHORITY, issuer=stage.ISSUER, folder=self.running.folder, name=self.name, drain=DRAIN,
            services="\n".join(f"  - {{ path: /{name}/, upstream: {server}, grpc: true, {words} }}"
                               for name, words in services.items())))

    def start(self, handed_over=None):
        """Starts it, perhaps with a socket as systemd hands it over, and waits until it is ready."""
        command, environment = [self.running.binary, "run", self.file], None
        if handed_over:
            # The first socket is descriptor 3.
            command = ["/bin/sh", "-c", 'export LISTEN_PID=$$; exec 3<&0 </dev/null "$@"', "sh", *command]
            environment = {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "web"}
        with open(self.name.with_suffix(".output"), "wb") as output:
            self.process = subprocess.Popen(command, stdin=handed_over or subprocess.DEVNULL, stdout=output,
                                            stderr=subprocess.STDOUT, env=environment)
        until(lambda: len(self.logged("listening")) == 2 or self.process.poll() is not None)
        assert self.process.poll() is None, f"it does not start:\n{self.name.with_suffix('.output').read_text()}"
        ports = {line["listener"]: int(line["address"].rsplit(":", 1)[1]) for line in self.logged("listening")}
        self.port = ports["public"]
        until(lambda: stage.answers(f"http://127.0.0.1:{ports['admin']}/readyz"))

    def logged(self, event):
        """Lines of its log about this."""
        return [line for line in self.lines("") if line["event"] == event]

    def accesses(self, path):
        """Requests for this."""
        return [line for line in self.lines("-access") if line["path"] == path]

    def lines(self, suffix):
        """All whole lines of a log."""
        path = self.name.with_name(f"{self.name.name}{suffix}.log")
        return [json.loads(line) for line in path.read_bytes().splitlines(True) if line.endswith(b"\n")] if path.exists() else []

    def signal(self, number):
        """Tells it so."""
        self.process.send_signal(number)

    def ended(self):
        """The status that it ends with."""
        return self.process.wait(END_SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Load:
    """A client that has eight requests on their way at any time, on one connection until that says that it ends."""

    def __init__(self, port, comes_again=True):
        """With `comes_again` it opens another one then."""
        self.port = port
        self.comes_again = comes_again
        self.answered = self.connections = 0
        self.errors = []
        self.is_enough = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        """All connections."""
        try:
            while not self.is_enough.is_set() and (self.comes_again or not self.connections):
                self.connections += 1
                with wire.Client(self.port) as client:
                    self.use(client)
        except (AssertionError, OSError) as error:
            self.errors.append(f"{type(error).__name__}: {error}, after {self.answered} answers")

    def use(self, client):
        """One connection: no request is sent once it is known to end, and each that was sent has its answer."""
        waiting = {}
        while True:
            while len(waiting) < AT_ONCE and not client.goaway and not self.is_enough.is_set():
                path = f"/load/{self.answered}/{len(waiting)}/{client.last}"
                waiting[client.open(path)] = path
            if not waiting:
                return
            over = [number for number in waiting if client.messages[number].is_over]
            if not over and not client.until(lambda: any(client.messages[number].is_over for number in waiting)):
                raise AssertionError(f"{len(waiting)} requests have no answer; GOAWAY {client.goaway}")
            for number in over:
                answer, path = client.messages.pop(number), waiting.pop(number)
                if (answer.status, answer.content, answer.ended) != (200, path.encode(), True):
                    raise AssertionError(f"{path} is answered {answer}; GOAWAY {client.goaway}")
                self.answered += 1

    def goes_on(self, count=100):
        """Waits until so many more are answered."""
        least = self.answered + count
        until(lambda: self.answered >= least or self.errors or not self.thread.is_alive())
        assert self.answered >= least, f"no more answers: {self.errors}"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_enough.set()
        self.thread.join()


class Generator:
    """h2load, which opens no further connections: it ends when the gateway ends those that it has."""

    COUNTS = re.compile(r"(\d+) succeeded.*\nstatus codes: (\d+) 2xx, 0 3xx, 0 4xx, 0 5xx")

    def __init__(self, port, upstream):
        self.upstream = upstream
        self.command = [tool("h2load"), "-n100000000", "-c2", "-m8", "-t1", f"-H:authority: {stage.AUTHORITY}",
                        f"http://127.0.0.1:{port}/load/h2load"]
        self.process = None

    def check(self):
        """It has ended, and had a good answer to each request that was let through.

        What it says of failures is no help: it counts requests that it still meant to send, and never did, for they came to
        its mind in the moment that it read GOAWAY.
        """
        text, _ = self.process.communicate(timeout=END_SECONDS)
        counts = self.COUNTS.search(text)
        assert counts, text[text.find("requests:"):][:300]
        passed = len(self.upstream.paths("h2load"))
        assert int(counts[1]) == int(counts[2]) == passed > 0, f"{counts[0]}; the upstream has answered {passed}"

    def begins(self):
        """Waits for its first requests."""
        until(lambda: self.upstream.paths("h2load") or self.process.poll() is not None)

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Conversation:
    """A call that stays open."""

    def __init__(self, client):
        self.talk = Talk()
        self.call = client.both()(self.talk, timeout=60)

    def exchange(self, word):
        """One message there and back."""
        self.talk.say(word)
        assert next(self.call) == word

    def end(self):
        """Its own end is a good one."""
        self.talk.say(None)
        assert not list(self.call) and self.call.code() is grpc.StatusCode.OK, self.call


@contextlib.contextmanager
def repeating():
    """An upstream that answers each request with its path."""
    listener = Listener()

    def script(peer):
        """One connection."""
        peer.greet({wire.MAX_CONCURRENT_STREAMS: 100})
        peer.serve(lambda peer, message: peer.answer(message, content=message[":path"].encode()))

    listener.start(script)
    try:
        yield listener
    finally:
        listener.stop()


class Busy:
    """A gateway that has requests on their way at any time, and a call that stays open: until there is some of each."""

    def __init__(self, running, upstream, port, **options):
        self.load = Load(port, **options)
        self.generator = Generator(port, upstream)
        self.client = Client(running, "talk.S", port=port)
        self.talk = self.stack = None

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            for one in (self.load, self.generator, self.client):
                stack.enter_context(one)
            self.talk = Conversation(self.client)
            self.talk.exchange(b"before")
            self.load.goes_on()
            self.generator.begins()
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()
        assert not self.load.errors, self.load.errors

    def moves(self):
        """Waits, with the call in use, until the load has moved to another connection."""
        while self.load.connections == 1 and self.load.thread.is_alive():
            self.talk.exchange(b"during")
        self.load.goes_on()


# holds H2-64
def test_a_reload_ends_no_call_and_loses_no_request(running):
    """What is asked next is judged by the new configuration, on the same connection."""
    with repeating() as upstream, Gateway(running, upstream) as gateway:
        gateway.start()
        with Busy(running, upstream, gateway.port) as busy:
            gateway.configure(access=f"token: {{ {stage.TOKEN} }}", others=["other.S"])
            gateway.signal(signal.SIGHUP)
            while not gateway.logged("reloaded"):
                busy.talk.exchange(b"during")
                assert not gateway.logged("reload_refused"), gateway.logged("reload_refused")
            busy.load.goes_on()
            error = refusal(busy.client.unary(), b"x")
            assert error.code() is grpc.StatusCode.UNAUTHENTICATED, error
            assert serves(busy.client, "other.S")
            busy.talk.exchange(b"after")
            busy.talk.end()
            assert busy.load.connections == 1, busy.load.connections
            busy.load.is_enough.set()
            gateway.signal(signal.SIGTERM)
            busy.generator.check()
        assert gateway.ended() == 0
        [call], [refused] = gateway.accesses("/talk.S/Echo"), gateway.accesses("/talk.S/Unary")
        assert call["connection"] == refused["connection"], (call, refused)


# holds H2-62, H2-63
def test_a_call_goes_on_while_the_gateway_ends(running):
    """To its own end, and the gateway with it. Requests that were sent before are answered, and nobody comes in any more."""
    with repeating() as upstream, Gateway(running, upstream) as gateway:
        gateway.start()
        with Busy(running, upstream, gateway.port, comes_again=False) as busy:
            gateway.signal(signal.SIGTERM)
            while busy.load.thread.is_alive() or listens(gateway.port):
                busy.talk.exchange(b"during")
            busy.generator.check()
            busy.talk.exchange(b"after")
            assert gateway.process.poll() is None
            busy.talk.end()
            assert gateway.ended() == 0


# holds H2-62
def test_another_gateway_takes_over_at_a_shared_address(running):
    """The call of the first one ends there by itself, and whoever comes is served by the second one."""
    shared = 'address: "127.0.0.1:{}", share_address: true'
    with repeating() as upstream, Gateway(running, upstream, shared.format(0)) as first:
        first.start()
        with Gateway(running, upstream, shared.format(first.port), others=["other.S"]) as second, \
                Busy(running, upstream, first.port) as busy:
            second.start()
            assert second.port == first.port
            busy.talk.exchange(b"beside another")
            first.signal(signal.SIGTERM)
            busy.moves()
            for _ in range(10):
                with Client(running, "talk.S", port=first.port) as other:
                    assert serves(other, "talk.S")
            with Client(running, port=first.port) as other:
                until(lambda: serves(other, "other.S"))
            busy.generator.check()
            busy.talk.exchange(b"after")
            assert first.process.poll() is None
            busy.talk.end()
            assert first.ended() == 0
            busy.load.goes_on()
            with Client(running, port=first.port) as other:
                assert serves(other, "other.S")


# holds H2-62
def test_another_gateway_gets_the_socket_that_was_handed_over(running):
    """The first one serves who comes as long as its call is open. Then whoever comes waits for the second one."""
    with repeating() as upstream, socket.create_server(("127.0.0.1", 0), backlog=4096) as listening:
        port = listening.getsockname()[1]
        handed_over = f'name: web, address: "127.0.0.1:{port}"'
        with Gateway(running, upstream, handed_over) as first, \
                Gateway(running, upstream, handed_over, others=["other.S"]) as second:
            first.start(listening)
            with Busy(running, upstream, port) as busy:
                first.signal(signal.SIGTERM)
                busy.moves()
                busy.generator.check()
                # It asks when SETTINGS have come, not before.
                with Client(running, port=port) as other:
                    assert serves(other, "talk.S")
                busy.talk.exchange(b"after")
                assert first.process.poll() is None
                busy.talk.end()
                assert first.ended() == 0
                second.start(listening)
                busy.load.goes_on()
                with Client(running, port=port) as other:
                    assert serves(other, "other.S")


def serves(client, service):
    """Whether the gateway has the service; each call is answered."""
    try:
        return client.channel.unary_unary(f"/{service}/Unary")(b"x", timeout=30) == b"re:x"
    except grpc.RpcError as error:
        assert error.code() is grpc.StatusCode.UNIMPLEMENTED, error
        return False
