"""What a second worker brings."""
from contextlib import ExitStack

from .exchange import probe, request_bytes
from .family import Family, at_least
from .generators import Generator
from .load import Totals
from .origins import PAYLOAD, Origin
from .samples import measured
from .servers import Gateway, Nginx

CONNECTIONS = 32


class Workers(Family):
    """A whole processor with its worker, its origin and its load, beside two of them.

    On two processors the load competes with two workers. So one worker gets its load on its own processor as well:
    everything is twice as much in the second sample, and what is missing from twice the throughput is what workers
    cost each other, connections between processors included. nginx with as many workers tells how much of that is the
    machine's: what two processors share, and what a connection from one to the other costs its kernel.
    """

    columns = (
        ("requests/s", "requests", "{:,.0f}"),
        ("÷ {reference}", "ratio", "{:.2f}"),
        ("CPU µs/request", "microseconds", "{:.2f}"),
        ("p50 ms", "p50", "{:.2f}"),
        ("p99 ms", "p99", "{:.2f}"),
        ("CPU used", "used", "{:.0%}"),
        ("resident MB", "resident", "{:.1f}"),
        ("anonymous MB", "anonymous", "{:.1f}"),
    )
    reference = "one worker"
    compared = "requests"

    def proxies(self, gateway):
        return [
            NumberedGateway(gateway.binary, 1, "one worker"), NumberedGateway(gateway.binary, 2, "two workers"),
            NumberedNginx(1, "nginx, one"), NumberedNginx(2, "nginx, two"),
        ]

    def reference_of(self, proxy):
        return "nginx, one" if proxy.startswith("nginx") else self.reference

    def sample(self, stage, kind, seconds):
        processors = [stage.proxy_processor, stage.load_processor][:kind.workers]
        origin = server = None
        try:
            origin = stage.start(Origin(), set(processors), workers=kind.workers)
            server = stage.start(kind, set(processors), workers=kind.workers, origin_port=origin.site.port)
            probe(server.site.port, server.credentials)
            request = stage.folder / "request.txt"
            request.write_bytes(request_bytes(server.site.port))
            with ExitStack() as stack:
                loads = [stack.enter_context(Generator(
                    stage, "closed_loop", processor, port=server.site.port, template=request, seconds=seconds,
                    connections=CONNECTIONS, body=len(PAYLOAD))) for processor in processors]
                for load in loads:
                    load.wait_until_ready()
                figures, _ = measured(stage, server, lambda: together(loads, seconds))
            # All processors are everybody's here.
            return {name: value for name, value in figures.items() if name not in ("load", "others")}
        finally:
            for started in filter(None, (server, origin)):
                stage.stop(started)

    def budgets(self, result, _gateway, thresholds):
        return at_least("throughput of two workers ÷ one", result.ratios("two workers"), thresholds["two_workers"])


class NumberedGateway(Gateway):
    """The gateway with so many workers."""

    def __init__(self, binary, workers, name):
        super().__init__(binary)
        self.workers = workers
        self.name = name


class NumberedNginx(Nginx):
    """nginx with so many workers, each with a listening socket of its own, as the gateway's have."""

    def __init__(self, workers, name):
        self.workers = workers
        self.name = name


def together(loads, seconds):
    """The totals of generators that run at the same time."""
    for load in loads:
        load.start()
    totals = [load.checked_totals(seconds) for load in loads]
    return Totals(
        sum(one.requests for one in totals), max(one.seconds for one in totals),
        max(one.p50_milliseconds for one in totals), max(one.p99_milliseconds for one in totals))
