"""Clients that speak HTTP/2: requests, large bodies, idle connections."""
import time

from .bodies import BODY_BYTES, UPLOAD, StreamingNginx, pattern
from .exchange import FIELDS, PATH, bearer, probe
from .failure import Failure
from .family import Family, at_most
from .frames import MultiplexedConnection, request_fields
from .h2load import MultiplexedLoad
from .origins import PAYLOAD, GRPCOrigin
from .samples import SETTLE_SECONDS, WARM_UP_SECONDS, measured
from .servers import HAProxy, Nginx
from .usage import forget_peak, memory, peak_resident

CONNECTIONS, STREAMS = 16, 4
# As many requests on their way over HTTP/1.1, which needs a connection for each.
SINGLE = CONNECTIONS * STREAMS
BODY_CONNECTIONS = 4
# Bodies of 10 MB, about as many as servers take in a second here.
REQUESTS_A_SECOND = 20
IDLE = 1_000
GRPC = (("Content-Type", "application/grpc"), ("TE", "trailers"), ("User-Agent", "grpc-c/1.0"), ("grpc-timeout", "10S"))


class OverHTTP1:
    """A server whose clients speak HTTP/1.1, beside itself."""

    def __init__(self, kind):
        self.kind = kind
        self.name = self.of(kind.name)
        self.checks_tokens = kind.checks_tokens

    @staticmethod
    def of(name):
        return f"{name}, HTTP/1.1"

    def command(self, site):
        return self.kind.command(site)


class Requests(Family):
    """Small requests, four on their way on each of 16 connections."""

    columns = (
        ("requests/s", "requests", "{:,.0f}"),
        ("CPU µs/request", "microseconds", "{:.2f}"),
        ("÷ {reference}", "ratio", "{:.2f}"),
        ("user µs", "user", "{:.2f}"),
        ("system µs", "system", "{:.2f}"),
        ("mean ms", "p50", "{:.2f}"),
        ("CPU used", "used", "{:.0%}"),
        ("bytes/answer", "wire", "{:.0f}"),
        ("resident MB", "resident", "{:.1f}"),
        ("anonymous MB", "anonymous", "{:.1f}"),
    )

    def __init__(self, tls=True, algorithm=None, beside_http1=False):
        self.tls = tls
        self.algorithm = algorithm
        self.beside_http1 = beside_http1

    def proxies(self, gateway):
        others = [OverHTTP1(Nginx()), OverHTTP1(gateway)] if self.beside_http1 else []
        return [Nginx(), HAProxy(), gateway, *others]

    def sample(self, stage, kind, seconds):
        http2 = not isinstance(kind, OverHTTP1)
        server = stage.start_proxy(kind, tls=self.tls, http2=http2, **self.properties(stage, kind))
        site = server.site
        try:
            probe(site.port, server.credentials, site.ask)
            connections, streams = (CONNECTIONS, STREAMS) if http2 else (SINGLE, 1)
            load = MultiplexedLoad(stage, site, connections, streams, **self.sent(stage, kind))
            load.run(WARM_UP_SECONDS)
            figures, totals = measured(stage, server, lambda: load.run(seconds))
            probe(site.port, server.credentials, site.ask)
            return figures | {"wire": totals.read["wire"]}
        finally:
            stage.stop(server)

    def properties(self, _stage, kind):
        """What a server is started with."""
        return {"algorithm": self.algorithm} if kind.checks_tokens else {}

    def sent(self, stage, _kind):
        """What the load sends, and expects."""
        token = bearer(stage.fixtures.issuer.tokens(self.algorithm, 1)[0]) if self.algorithm else ()
        return {"fields": FIELDS + token, "expected": len(PAYLOAD)}

    def budgets(self, result, gateway, thresholds):
        kept = super().budgets(result, gateway, thresholds)
        if not self.beside_http1:
            return kept
        single = result.samples.get(OverHTTP1.of(gateway), {})
        ratios = [figures["microseconds"] / single[number]["microseconds"]
                  for number, figures in result.samples[gateway].items() if number in single]
        return kept + at_most("CPU per request ÷ its own over HTTP/1.1", ratios, thresholds["http2_over_http1"])


class UnaryCalls(Requests):
    """Calls of gRPC: clients over TLS, an upstream with prior knowledge, and trailers behind each answer."""

    def properties(self, stage, _kind):
        return {"origin_http2": True, "origin_port": stage.grpc_origin.site.port}

    def sent(self, stage, kind):
        # nginx 1.22 fails in one call of a thousand (the upstream "sent frame for unknown stream"), which changes no figure.
        tolerated = 0.01 if kind.name == self.reference else 0.0
        message = b"\x0a\x37" + b"x" * 55
        path = stage.folder / "message"
        path.write_bytes(b"\0" + len(message).to_bytes(4, "big") + message)
        return {"fields": GRPC, "tolerated": tolerated, "body": path, "expected": len(GRPCOrigin.message), "path": "/shop.Orders/Find"}


class MultiplexedBodies(Family):
    """10 MB each over TLS, four on their way on each of four connections."""

    columns = (
        ("MB/s", "megabytes", "{:,.0f}"),
        ("CPU µs/MB", "microseconds_megabyte", "{:.0f}"),
        ("÷ {reference}", "ratio", "{:.2f}"),
        ("CPU used", "used", "{:.0%}"),
        ("resident MB before", "resident_before", "{:.1f}"),
        ("growth MB", "growth", "{:.1f}"),
    )
    compared = "microseconds_megabyte"

    def __init__(self, is_up):
        self.is_up = is_up

    def proxies(self, gateway):
        return [StreamingNginx(), HAProxy(), gateway]

    def sample(self, stage, kind, seconds):
        server = stage.start_proxy(kind, tls=True, http2=True, origin_port=stage.body_origin.site.port)
        site = server.site
        try:
            time.sleep(SETTLE_SECONDS)
            before = memory(server.process.pid).resident
            forget_peak(server.process.pid)
            probe_multiplexed_bodies(site)
            load = MultiplexedLoad(stage, site, BODY_CONNECTIONS, STREAMS, **self.sent(stage))
            # On the way up what is not whole at the end would not be counted: so many it is, however long they take.
            load.send(BODY_CONNECTIONS * STREAMS)
            figures, totals = measured(
                stage, server, lambda: load.send(seconds * REQUESTS_A_SECOND) if self.is_up else load.run(seconds))
            peak = peak_resident(server.process.pid)
            probe_multiplexed_bodies(site)
        finally:
            stage.stop(server)
        # Also those of bodies that were not whole at the end, on the way down.
        moved = totals.requests * BODY_BYTES if self.is_up else totals.read["bytes"]
        figures["megabytes"] = moved / totals.seconds / 1e6
        figures["microseconds_megabyte"] = figures["microseconds"] * totals.requests / (moved / 1e6)
        figures["resident_before"] = before / 1024
        figures["growth"] = (peak - before) / 1024
        return figures

    def sent(self, stage):
        """What the load sends, and expects."""
        if not self.is_up:
            return {"path": f"/file/{BODY_BYTES}", "expected": BODY_BYTES}
        body = stage.folder / "body"
        if not body.exists():
            body.write_bytes(pattern(BODY_BYTES))
        return {"path": "/discard", "body": body, "fields": FIELDS + UPLOAD[:1]}

    def told(self, figures):
        return "{megabytes:,.0f} MB/s, {microseconds_megabyte:.0f} µs/MB, {growth:.1f} MB more".format(**figures)

    def budgets(self, result, gateway, thresholds):
        return at_most(f"CPU per MB ÷ {self.reference}", result.ratios(gateway),
                       thresholds["cpu_over_nginx"][result.case.name])


def probe_multiplexed_bodies(site):
    """Fails unless a whole body arrives unchanged in each direction."""
    body = pattern(BODY_BYTES)
    connection = MultiplexedConnection(site.port, seconds=30, tls=True)
    try:
        status, received = connection.exchange(request_fields(site.port, path=f"/file/{BODY_BYTES}", tls=True))
        if status != 200 or received != body:
            raise Failure(f"answers {status} and {len(received)} bytes that are not those of the origin")
        fields = request_fields(site.port, UPLOAD, "/check", True, "POST")
        status, received = connection.exchange(fields, body)
        if status != 200 or received != f"{BODY_BYTES} good".encode():
            raise Failure(f"answers {status} to a body, of which the origin says {received[:60]!r}")
    finally:
        connection.close()


class IdleMultiplexed(Family):
    """Connections over TLS that have made one request each, and stay."""

    columns = (
        ("resident MB", "resident", "{:.1f}"),
        ("resident MB, full", "resident_full", "{:.1f}"),
        ("KB/connection, resident", "connection_resident", "{:.1f}"),
        ("KB/connection, anonymous", "connection_anonymous", "{:.1f}"),
    )
    compared = "connection_resident"

    def sample(self, stage, kind, _seconds):
        server = stage.start_proxy(kind, tls=True, http2=True)
        port, leader = server.site.port, server.process.pid
        held = []
        try:
            probe(port, server.credentials, server.site.ask)
            time.sleep(SETTLE_SECONDS)
            started = memory(leader)
            fields = request_fields(port, path=PATH, tls=True)
            for number in range(IDLE):
                held.append(MultiplexedConnection(port, tls=True))
                status, _ = held[-1].exchange(fields)
                if status != 200:
                    raise Failure(f"answers {status} on connection {number + 1}")
            time.sleep(SETTLE_SECONDS)
            full = memory(leader)
            if closed := sum(not connection.is_open() for connection in held):
                raise Failure(f"closed {closed} of {IDLE} idle connections")
        except OSError as error:
            raise Failure(f"connection {len(held) + 1}: {error}") from None
        finally:
            for connection in held:
                connection.close()
            stage.stop(server)
        return {
            "resident": started.resident / 1024,
            "resident_full": full.resident / 1024,
            "connection_resident": (full.resident - started.resident) / IDLE,
            "connection_anonymous": (full.anonymous - started.anonymous) / IDLE,
        }

    def told(self, figures):
        return "{connection_resident:.1f} KB resident for each connection".format(**figures)

    def budgets(self, result, gateway, thresholds):
        return at_most("resident KB for an idle connection that speaks HTTP/2", result.values(gateway, "connection_resident"),
                       thresholds["memory"]["http2_connection_kb"], "{:.1f}")
