"""What clients that hold on to connections do to the others."""
from .exchange import probe
from .failure import Failure
from .family import at_most
from .generators import Generator
from .growth import Sized
from .latency import Latency
from .metrics import metrics
from .servers import Gateway, Nginx

CLIENTS = 5_000
# Those that were cut off and have not come back, or whose head is judged.
LEAST_HELD = 0.8
LABELS = {0: "undisturbed", CLIENTS: f"{CLIENTS:,} slow clients"}


class SlowClients(Latency):
    """2,000 requests a second beside 5,000 connections that bring next to nothing, and without these."""

    columns = (
        ("p50 µs", "p50", "{:.0f}"),
        ("p90 µs", "p90", "{:.0f}"),
        ("p99 µs", "p99", "{:.0f}"),
        ("p99 ÷ undisturbed", "ratio", "{:.2f}"),
        ("longest µs", "longest", "{:,.0f}"),
        ("CPU µs/request", "microseconds", "{:.2f}"),
    )
    compared = "p99"

    def proxies(self, gateway):
        return [Sized(kind, size, label) for kind in (Nginx(), gateway) for size, label in LABELS.items()]

    def reference_of(self, name):
        return f"{name.partition(',')[0]}, {LABELS[0]}"

    def complete(self, result):
        """Nothing that one round does not tell."""

    def sample(self, stage, kind, seconds):
        server = stage.start_proxy(kind)
        try:
            probe(server.site.port, server.credentials)
            if not kind.size:
                return self.load(stage, server, seconds)
            with Generator(stage, "slow_clients", port=server.site.port, clients=kind.size) as slow:
                slow.wait_until_ready()
                figures = self.load(stage, server, seconds)
                if slow.process.poll() is not None:
                    raise Failure("the slow clients have ended")
                if isinstance(kind.kind, Gateway):
                    held = metrics(server.site)['portcullis_connections{side="client"}']
                    if held < LEAST_HELD * kind.size:
                        raise Failure(f"only {held:,.0f} connections were held")
                return figures
        finally:
            stage.stop(server)

    def budgets(self, result, gateway, thresholds):
        return at_most(f"p99 beside {LABELS[CLIENTS]} ÷ without", result.ratios(f"{gateway}, {LABELS[CLIENTS]}"),
                       thresholds["slow_clients"])
