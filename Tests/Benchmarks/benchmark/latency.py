"""Latency at a fixed rate, from an open-loop generator."""
from .exchange import PATH, bound, probe, request_bytes
from .failure import Failure
from .family import Family, at_most
from .generators import Generator
from .load import Totals
from .origins import PAYLOAD
from .proof_load import REST, VALUE
from .proofs import target
from .samples import in_store, measured
from .servers import HAProxy, LocalGateway, Nginx
from .store import PLAIN

RATE = 2_000
CONNECTIONS = 16


class Direct:
    """No proxy: what the origin and the generator take by themselves."""

    name = "direct"


class Latency(Family):
    """2,000 requests a second; what each proxy adds to the time without one, in the same round."""

    columns = (
        ("p50 µs", "p50", "{:.0f}"),
        ("p50 added µs", "added", "{:.0f}"),
        ("p90 µs", "p90", "{:.0f}"),
        ("p99 µs", "p99", "{:.0f}"),
        ("longest µs", "longest", "{:,.0f}"),
        ("CPU µs/request", "microseconds", "{:.2f}"),
    )
    reference = "direct"

    def proxies(self, gateway):
        return [Direct(), Nginx(), HAProxy(), gateway]

    def sample(self, stage, kind, seconds):
        if isinstance(kind, Direct):
            return self.load(stage, stage.origin, seconds)
        server = stage.start_proxy(kind)
        try:
            probe(server.site.port, server.credentials)
            return self.load(stage, server, seconds)
        finally:
            stage.stop(server)

    def load(self, stage, server, seconds):
        """The figures of whoever listens there."""
        request, answer = stage.folder / "request.txt", stage.folder / "answer.txt"
        request.write_bytes(request_bytes(server.site.port))
        answer.write_text(PAYLOAD)
        with Generator(stage, "open_loop", port=server.site.port, get=request, first=answer, rate=RATE,
                       requests=RATE * seconds, warm_requests=RATE, connections=CONNECTIONS) as load:
            load.wait_until_ready()
            figures, totals = measured(stage, server, lambda: timed(load, seconds))
        return {"microseconds": figures["microseconds"],
                **{name: totals.read[name] for name in ("p50", "p90", "p99", "longest")}}

    def told(self, figures):
        return "p50 {p50:.0f} µs, p99 {p99:.0f} µs".format(**figures)

    def complete(self, result):
        """What each has added to the time of `direct` in its round."""
        direct = result.samples["direct"]
        for by_round in result.samples.values():
            for number, figures in by_round.items():
                if number in direct:
                    figures["added"] = figures["p50"] - direct[number]["p50"]

    def budgets(self, result, gateway, thresholds):
        nginx = result.samples[Nginx.name]
        ratios = [figures["added"] / nginx[number]["added"] for number, figures in result.samples[gateway].items()
                  if "added" in figures and nginx.get(number, {}).get("added", 0) > 0]
        return at_most("p50 added ÷ what nginx adds", ratios, thresholds["latency_over_nginx"])


class SharedProofLatency(Family):
    """Proofs at about half of what one worker can judge, with and without a store; what the store adds in the same round."""

    columns = (
        ("p50 µs", "p50", "{:.0f}"),
        ("p50 added µs", "added", "{:.0f}"),
        ("p90 µs", "p90", "{:.0f}"),
        ("p99 µs", "p99", "{:.0f}"),
        ("p99 added µs", "p99_added", "{:.0f}"),
        ("longest µs", "longest", "{:,.0f}"),
        ("CPU µs/request", "microseconds", "{:.2f}"),
        ("CPU used", "used", "{:.0%}"),
        ("writes/command", "writes", "{:.3f}"),
    )
    reference = LocalGateway.name
    rate = 6_000

    def proxies(self, gateway):
        return [LocalGateway(gateway.binary), gateway]

    def sample(self, stage, kind, seconds):
        server = stage.start_proxy(kind, algorithm="ES256", proofs=True, **in_store(PLAIN, kind))
        request, answer, lines = (stage.folder / name for name in ("request.txt", "answer.txt", "proofs.txt"))
        try:
            probe(server.site.port, server.credentials)
            request.write_bytes(request_bytes(server.site.port, bound(VALUE, REST)))
            answer.write_text(PAYLOAD)
            stage.fixtures.mint.write(lines, target(server.site.port, PATH), 1, self.rate * (seconds + 2))
            with Generator(stage, "open_loop", port=server.site.port, get=request, values=lines, first=answer,
                           rate=self.rate, requests=self.rate * seconds, warm_requests=self.rate,
                           connections=CONNECTIONS * 4) as load:
                load.wait_until_ready()
                figures, totals = measured(stage, server, lambda: timed(load, seconds))
            probe(server.site.port, server.credentials)
        finally:
            stage.stop(server)
            lines.unlink(missing_ok=True)
        return figures | {name: totals.read[name] for name in ("p50", "p90", "p99", "longest")}

    def told(self, figures):
        return "p50 {p50:.0f} µs, p99 {p99:.0f} µs".format(**figures)

    def complete(self, result):
        """What each has added to the time without a store in its round."""
        reference = result.samples[self.reference]
        for by_round in result.samples.values():
            for number, figures in by_round.items():
                if number in reference:
                    figures["added"] = figures["p50"] - reference[number]["p50"]
                    figures["p99_added"] = figures["p99"] - reference[number]["p99"]

    def budgets(self, result, gateway, thresholds):
        limits = thresholds["store_adds_microseconds"]
        return (at_most("p50 added by the store, µs", result.values(gateway, "added"), limits["p50"], "{:.0f}")
                + at_most("p99 added by the store, µs", result.values(gateway, "p99_added"), limits["p99"], "{:.0f}"))


def timed(load, seconds):
    """The totals of an open-loop run that kept its pace and lost nothing."""
    load.start()
    read = load.totals(seconds + 60)
    wrong = [f"{read[what]} {what}" for what in ("lost", "cut", "wrong_answers", "refused", "retries") if read[what]]
    if wrong:
        raise Failure("requests went wrong: " + ", ".join(wrong))
    return Totals(read["requests"], read["microseconds"] / 1e6, read["p50"] / 1e3, read["p99"] / 1e3, read)
