"""Names that share a certificate and an address: Chromium sends the requests of one by the connection of another."""
import contextlib
import socket
import ssl
import threading

from people import person, same

FIRST, SECOND = "first.portcullis.test", "second.portcullis.test"


# holds HTTP-21
# refuses H2-70, HTTP-21
def test_a_name_of_another_listener_is_asked_for_again_by_a_connection_of_its_own(browser, stack):
    """HTTP-21: 421 to what came by the wrong connection, which goes on; the page comes by another, and nobody notices."""
    with one_address(stack) as shared, visitor(browser, stack, FIRST) as alice:
        alice.open("/open/of-the-first")
        alice.shows("#address", "/open/of-the-first")
        answer = alice.page.goto(f"https://{SECOND}:{shared}/open/of-the-second", wait_until="load")
        same(answer.status, 200)
        same(alice.page.inner_text("#address"), "/open/of-the-second")
        same(alice.page.url, f"https://{SECOND}:{shared}/open/of-the-second")
        [first] = stack.lines_of("/open/of-the-first")
        # By status: two workers write these lines, each when it comes to it.
        refused, answered = sorted(stack.lines_of("/open/of-the-second", 2), key=lambda line: -line["status"])
        same([refused["status"], refused["cause"]], [421, "authority_unknown"])
        same(refused["connection"], first["connection"], "the refused request's connection")
        same([answered["status"], answered.get("protocol")], [200, "h2"])
        assert answered["connection"] != first["connection"], answered
        # The first connection is as good as before.
        alice.open("/open/of-the-first-again")
        alice.shows("#address", "/open/of-the-first-again")
        same(stack.lines_of("/open/of-the-first-again")[0]["connection"], first["connection"], "afterwards")


def visitor(browser, stack, name):
    """Somebody at one of the names, who knows its certificate to be good: else Chromium would let no other share it."""
    url = f"https://{name}:{stack.ports['shared']}"
    return person(browser, stack, known=False, url=url, ignore_https_errors=False)


@contextlib.contextmanager
def one_address(stack):
    """A balancer that leads both names, by SNI and without a look at what they say, each to its own listener."""
    listeners = {FIRST: stack.ports["first"], SECOND: stack.ports["second"]}
    sockets, threads = [], []

    def start(function, *arguments):
        threads.append(threading.Thread(target=function, args=arguments))
        threads[-1].start()

    def accept():
        with contextlib.suppress(OSError):  # closed
            while True:
                sockets.append(balancer.accept()[0])
                start(connect, sockets[-1])

    def connect(client):
        hello = ServerName()
        with contextlib.suppress(OSError):
            while hello.name is None:
                hello.read(client.recv(65536))
            gateway = socket.create_connection(("127.0.0.1", listeners[hello.name]))
            sockets.append(gateway)
            gateway.sendall(hello.bytes)
            start(pass_on, client, gateway)
            pass_on(gateway, client)

    def pass_on(source, target):
        with contextlib.suppress(OSError):
            while content := source.recv(65536):
                target.sendall(content)
            target.shutdown(socket.SHUT_WR)

    with socket.create_server(("127.0.0.1", stack.ports["shared"])) as balancer:
        start(accept)
        try:
            yield stack.ports["shared"]
        finally:
            for each in (balancer, *sockets):
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join()
            for each in sockets:
                each.close()


class ServerName:
    """The name that a ClientHello asks for, as soon as it is whole."""

    def __init__(self):
        self.bytes = b""
        self.name = None
        self.input = ssl.MemoryBIO()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.sni_callback = self.found
        self.handshake = context.wrap_bio(self.input, ssl.MemoryBIO(), server_side=True)

    def read(self, content):
        """More of it."""
        if not content:
            raise ConnectionError
        self.bytes += content
        self.input.write(content)
        with contextlib.suppress(ssl.SSLError):  # it is not whole, or has no certificate to go on with
            self.handshake.do_handshake()

    def found(self, _, name, __):
        """Called by the handshake."""
        self.name = name or ""
