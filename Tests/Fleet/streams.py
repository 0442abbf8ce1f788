"""What is open at one gateway when its session ends at another: WebSockets, and responses that go on and on."""
import contextlib
import socket
import statistics
import struct
import time

from app import KEY
from browser import HOST, ORIGIN, back_channel
from checks import PATIENCE, eventually, note, same
from faults import fault
from fleet import USER, fleet
from refreshes import leave

TIMES = 5
# After the answer to whoever signs out; most of them within the first on any machine, and the quickest within the second.
BOUND_SECONDS, QUICK_SECONDS = 1, 0.1
MESSAGE = bytes([0x82, 2, 7, 8])
# That of the gateway, which says that somebody may not go on (1008).
FAREWELL = bytes([0x88, 2, 0x03, 0xF0])


# holds SH-39, SH-40
# refuses SH-39
def test_what_is_open_at_one_gateway_ends_within_a_second_when_somebody_signs_out_at_another(binary):
    """They hear of it by the log of endings: nothing is asked about again here for ten minutes."""
    ending(binary, "a logout", lambda running, browser, gateway: leave(browser, gateway))


# holds SH-39, SH-41
# refuses SH-39, SH-41
def test_what_is_open_at_one_gateway_ends_within_a_second_when_the_server_says_so_to_another(binary):
    """It names the session; somebody else's go on."""
    ending(binary, "a logout token", lambda running, browser, gateway: say(running, gateway))


def ending(binary, what, end):
    """Several times, each with a session of its own, whose things are open at two gateways."""
    took = []
    with fleet(binary, recheck="10m") as running, contextlib.ExitStack() as last:
        first, second, third = running.gateways

        def opened(browser, gateway):
            return [last.enter_context(kind(browser, gateway)) for kind in (Socket, Stream)]
        staying = running.browser().log_in(second)
        kept = [one for gateway in running.gateways for one in opened(staying, gateway)]
        for _ in range(TIMES):
            browser = running.browser().log_in(third)
            things = [one for gateway in (first, third) for one in opened(browser, gateway)]
            held = dict(running.app.open)
            end(running, browser, second)
            answered = time.monotonic()
            for one in things:
                one.await_end()
            took.append(time.monotonic() - answered)
            for kind, count in held.items():
                eventually(lambda name=kind, at_most=count - 2: running.app.open[name] == at_most, "over at the app too")
        for one in kept:
            one.use()
        same(dict(running.app.open), {"socket": 3, "stream": 3}, "open at the app: somebody else's")
    median = statistics.median(took)
    note(f"streams: over {1000 * median:.1f} ms after {what} at another gateway, and {1000 * max(took):.1f} ms at most")
    assert median < BOUND_SECONDS and min(took) < QUICK_SECONDS, took


# refuses SH-39, SH-40
def test_what_is_open_ends_within_recheck_where_no_line_of_the_log_tells_of_a_logout(binary):
    """Requests are told at their next question; what is open asks none by itself."""
    with fleet(binary, recheck="1s") as running, contextlib.ExitStack() as last:
        first, _, third = running.gateways
        browser = running.browser().log_in(first)
        things = [last.enter_context(kind(browser, third)) for kind in (Socket, Stream)]
        running.store.forbid(USER, "xadd")
        leave(browser, first)
        # Nobody asks for anything here meanwhile.
        for one in things:
            one.await_end()


# refuses SH-40, SH-39
def test_what_is_open_ends_within_recheck_after_a_gap_in_the_log(binary):
    """Several times, because the log may be read again before questions are answered again: none is to be forgotten then."""
    for _ in range(TIMES):
        with fleet(binary, recheck="1s", workers=2) as running, contextlib.ExitStack() as last:
            first, second, third = running.gateways
            browser = running.browser().log_in(first)
            things = [last.enter_context(kind(browser, third)) for kind in (Socket, Stream)]
            third.relay.hold()
            say(running, second)
            running.store.ask("XTRIM", "pc:e", "MAXLEN", 0)
            held = time.monotonic()
            eventually(lambda: time.monotonic() - held > 1, "over: the silence")
            third.relay.heal()
            for one in things:
                one.await_end()


@fault
def say(running, gateway):
    """The server says that the newest session is over."""
    same(back_channel(gateway, running.issuer.logout_token(running.issuer.sids[-1])).status, 200, "a logout token")


class Open:
    """A connection of a browser, on which something has begun."""

    kind, lines, begins = "", (), b""

    def __init__(self, browser, gateway):
        self.way = socket.create_connection(("127.0.0.1", gateway.port), timeout=PATIENCE["seconds"])
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        lines = [f"GET /live/{self.kind} HTTP/1.1", f"Host: {HOST}", f"Cookie: {cookies}", f"Origin: {ORIGIN}", *self.lines, "", ""]
        self.way.sendall("\r\n".join(lines).encode())
        self.received = b""
        self.await_words(self.begins)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Breaks it off: a gateway that was told no more than that nothing comes would still write what the app sends."""
        self.way.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.way.close()

    def await_words(self, words):
        """Until they have come."""
        while words not in self.received:
            more = self.way.recv(4096)
            assert more, f"over before {words}: {self.received}"
            self.received += more

    def await_end(self):
        """Until it is over; what has come by then."""
        try:
            while more := self.way.recv(4096):
                self.received += more
        except TimeoutError:
            raise AssertionError(f"never over: a {self.kind}") from None
        except ConnectionError:
            pass

    def use(self):
        """It is as it was."""


class Socket(Open):
    """A WebSocket, through which something has gone."""

    kind = "socket"
    lines = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {KEY}")
    begins = b"\r\n\r\n"

    def __init__(self, browser, gateway):
        super().__init__(browser, gateway)
        assert self.received.startswith(b"HTTP/1.1 101 "), self.received
        self.use()

    def use(self):
        """What was sent comes back."""
        self.received = b""
        self.way.sendall(MESSAGE)
        self.await_words(MESSAGE)

    def await_end(self):
        """With a word of farewell."""
        super().await_end()
        assert FAREWELL in self.received, self.received


class Stream(Open):
    """A response that goes on, and whose beginning has come."""

    kind, begins = "stream", b"5\r\nhello\r\n"

    def await_end(self):
        """In the middle: nobody takes it for the whole."""
        super().await_end()
        assert not self.received.endswith(b"0\r\n\r\n"), self.received
