"""Large bodies in both directions: throughput, processor time a megabyte, and what memory grows by."""
import time

from .exchange import Connection, request_bytes
from .failure import Failure
from .family import Family, at_least, at_most
from .generators import Generator
from .samples import SETTLE_SECONDS, measured
from .servers import HAProxy, Nginx
from .usage import forget_peak, memory, peak_resident

BODY_BYTES = 10 << 20
AT_ONCE = 16
PATTERN_PERIOD = 4093
UPLOAD = (("Content-Type", "application/octet-stream"), ("Content-Length", str(BODY_BYTES)))


class StreamingNginx(Nginx):
    """The reference: nginx that passes bodies on while they arrive, and never writes them to a disk."""

    location_options = "client_max_body_size 0; proxy_request_buffering off; proxy_max_temp_file_size 0;"


class BufferingNginx(Nginx):
    """nginx as installed: a request goes on when the whole of it is there, in a file."""

    name = "nginx, buffering"
    location_options = "client_max_body_size 0;"


class SplicingHAProxy(HAProxy):
    """HAProxy that moves bodies in the kernel where it thinks it pays."""

    default_options = "  option splice-auto"
    # Each may take two pipes, for which files must be left.
    connections = 1000


class Bodies(Family):
    """10 MB each, 16 at once, over plain TCP."""

    columns = (
        ("MB/s", "megabytes", "{:,.0f}"),
        ("÷ {reference}", "ratio", "{:.2f}"),
        ("CPU µs/MB", "microseconds_megabyte", "{:.0f}"),
        ("CPU used", "used", "{:.0%}"),
        ("resident MB before", "resident_before", "{:.1f}"),
        ("growth MB", "growth", "{:.1f}"),
    )
    compared = "megabytes"

    def __init__(self, is_up):
        self.is_up = is_up

    def proxies(self, gateway):
        others = [StreamingNginx(), BufferingNginx()] if self.is_up else [StreamingNginx()]
        return [*others, SplicingHAProxy(), gateway]

    def sample(self, stage, kind, seconds):
        server = stage.start_proxy(kind, origin_port=stage.body_origin.site.port)
        port = server.site.port
        try:
            time.sleep(SETTLE_SECONDS)
            before = memory(server.process.pid).resident
            forget_peak(server.process.pid)
            probe_bodies(port)
            head = stage.folder / "request.txt"
            head.write_bytes(
                request_bytes(port, UPLOAD, "/discard").replace(b"GET", b"POST", 1) if self.is_up
                else request_bytes(port, path=f"/file/{BODY_BYTES}"))
            with Generator(stage, "bodies", port=port, request=head, bytes=BODY_BYTES, up=int(self.is_up),
                           connections=AT_ONCE, seconds=seconds) as load:
                load.wait_until_ready()
                figures, totals = measured(stage, server, lambda: load.run(seconds))
            peak = peak_resident(server.process.pid)
            probe_bodies(port)
        finally:
            stage.stop(server)
        figures["megabytes"] = totals.read["bytes"] / totals.seconds / 1e6
        figures["microseconds_megabyte"] = figures["used"] * 1e6 / figures["megabytes"]
        figures["resident_before"] = before / 1024
        figures["growth"] = (peak - before) / 1024
        return figures

    def told(self, figures):
        return "{megabytes:,.0f} MB/s, {microseconds_megabyte:.0f} µs/MB, {growth:.1f} MB more".format(**figures)

    def budgets(self, result, gateway, thresholds):
        name = result.case.name
        return [
            *at_least(f"throughput ÷ {self.reference}", result.ratios(gateway), thresholds["throughput_over_nginx"][name]),
            *at_most("greatest resident MB beyond those before", result.values(gateway, "growth"),
                     thresholds["body_growth_mb"]),
        ]


def pattern(count):
    """What load/pattern.c makes."""
    state, period = 1, bytearray()
    for _ in range(PATTERN_PERIOD):
        state = (state * 1664525 + 1013904223) % (1 << 32)
        period.append(state >> 24)
    return (bytes(period) * (count // PATTERN_PERIOD + 1))[:count]


def probe_bodies(port):
    """Fails unless a whole body arrives unchanged in each direction; in the load only its length is looked at."""
    body = pattern(BODY_BYTES)
    connection = Connection(port, seconds=30)
    try:
        status, received = connection.exchange(request_bytes(port, path=f"/file/{BODY_BYTES}"))
        if status != 200 or received != body:
            raise Failure(f"answers {status} and {len(received)} bytes that are not those of the origin")
        request = request_bytes(port, UPLOAD, "/check").replace(b"GET", b"POST", 1)
        status, received = connection.exchange(request + body)
        if status != 200 or received != f"{BODY_BYTES} good".encode():
            raise Failure(f"answers {status} to a body, of which the origin says {received[:60]!r}")
    finally:
        connection.close()
