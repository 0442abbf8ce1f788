"""What TLS handshakes that are begun and left alone leave behind."""
import socket
import ssl
import time

from .failure import Failure
from .family import Family, at_most
from .servers import Nginx
from .tls import probe_tls
from .usage import forget_peak, memory, peak_resident

BURSTS, CONNECTIONS = 6, 3_000
# No address has more than its share of the handshakes under way, nor of those in a while: these are sixteen of them.
ADDRESSES = [f"127.0.0.{number + 2}" for number in range(16)]
# In which time what a burst needed is to be given back.
GIVEN_BACK_SECONDS = 60
SETTLE_SECONDS = 1


def client_hello():
    """The first message of a client, without a client behind it."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        context.wrap_bio(incoming, outgoing).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def burst(port, hello):
    """Handshakes up to the server's answer, which all clients have and none replies to."""
    held = []
    try:
        for number in range(CONNECTIONS):
            client = socket.socket()
            held.append(client)
            client.bind((ADDRESSES[number % len(ADDRESSES)], 0))
            client.settimeout(10)
            client.connect(("127.0.0.1", port))
            client.sendall(hello)
        for number, client in enumerate(held):
            if not client.recv(1):
                raise Failure(f"closed handshake {number + 1} of {CONNECTIONS}")
    except OSError as error:
        raise Failure(f"handshake {len(held)}: {error}") from None
    finally:
        for client in held:
            client.close()


class HalfOpen(Family):
    """Memory of its own before such bursts, at the height of them, and within a minute after the last."""

    columns = (
        ("anonymous MB before", "before", "{:.1f}"),
        ("resident MB at the height", "height", "{:.1f}"),
        ("anonymous MB after", "after", "{:.1f}"),
        ("kept MB", "kept", "{:.1f}"),
        ("seconds until then", "seconds", "{:.0f}"),
    )
    compared = "kept"

    def proxies(self, gateway):
        return [Nginx(), gateway]

    def told(self, figures):
        return "{before:.1f} MB, {height:.1f} MB at the height, {after:.1f} MB after {seconds:.0f} s".format(**figures)

    def sample(self, stage, kind, _seconds):
        server = stage.start_proxy(kind, tls=True)
        try:
            probe_tls(server.site.port)
            time.sleep(SETTLE_SECONDS)
            leader, hello = server.process.pid, client_hello()
            before = memory(leader).anonymous / 1024
            forget_peak(leader)
            for _ in range(BURSTS):
                burst(server.site.port, hello)
            height, ended = peak_resident(leader) / 1024, time.monotonic()
            # The least that it falls to within the time, and when.
            after, seconds = height, 0.0
            while time.monotonic() - ended < GIVEN_BACK_SECONDS:
                time.sleep(1)
                held = memory(leader).anonymous / 1024
                if held < after - 1:
                    after, seconds = held, time.monotonic() - ended
            probe_tls(server.site.port)
        finally:
            stage.stop(server)
        return {"before": before, "height": height, "after": after, "kept": after - before, "seconds": seconds}

    def complete(self, result):
        """Nothing is divided by another server's: what one keeps may be nothing."""

    def budgets(self, result, gateway, thresholds):
        kept = result.median(gateway, "kept")
        return at_most(f"MB kept {GIVEN_BACK_SECONDS} s after {BURSTS} bursts of {CONNECTIONS:,} half-open handshakes",
                       [] if kept is None else [kept], thresholds["memory"]["half_open_mb"], "{:.1f}")
