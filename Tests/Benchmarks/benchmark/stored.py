"""What a session in the store costs a request that asks the store about it, in verifications of ES256."""
import statistics

from .exchange import probe, request_bytes
from .failure import Failure
from .family import Family, at_most
from .generators import Generator
from .logins import COOKIE
from .openssl import verifications_per_second
from .origins import PAYLOAD
from .samples import in_store, measured
from .sealed import SealedSessions
from .servers import Gateway
from .store import PLAIN

# Stands for the cookie's value in a request; see load/closed_loop.c.
VALUE = "\x01"
CONNECTIONS = 64
LONGEST_WARM_UP = 120
KNOWN = "Portcullis, known"


class KnowingGateway(Gateway):
    """The reference: the same gateway and the same sessions, each seen before and not asked about in the load."""

    name = KNOWN
    store_settings = "recheck: 10m"


class StoredSessions(Family):
    """Sessions in turn, each of a browser of its own; what the store is asked costs what is more than without."""

    columns = (
        ("requests/s", "requests", "{:,.0f}"),
        ("CPU µs/request", "microseconds", "{:.2f}"),
        ("user µs", "user", "{:.2f}"),
        ("asked/request", "asked", "{:.2f}"),
        ("commands/request", "commands", "{:.2f}"),
        ("writes/command", "writes", "{:.2f}"),
        ("CPU µs more, each asked", "more", "{:.1f}"),
        ("÷ verification", "verifications", "{:.2f}"),
        ("user alone ÷ verification", "user_verifications", "{:.2f}"),
        ("openssl verify/s", "openssl", "{:,.0f}"),
        ("p50 ms", "p50", "{:.2f}"),
        ("p99 ms", "p99", "{:.2f}"),
    )
    reference = KNOWN
    # Sessions that are used in turn.
    sessions = 8_000
    # Those that are used before anything is measured, where none is used twice.
    seen_before = 0
    once = False
    store_settings = ""
    title = ""

    def proxies(self, gateway):
        return [KnowingGateway(gateway.binary), gateway]

    def sample(self, stage, kind, seconds):
        """Every server is started afresh, and knows none of the sessions, which are new: none is due for anything else."""
        stage.store.forget()
        is_reference = isinstance(kind, KnowingGateway)
        more = in_store(PLAIN, kind) | ({} if is_reference else {"store_settings": self.store_settings})
        server = stage.start_proxy(kind, algorithm="ES256", session=True, **more)
        try:
            probe(server.site.port, server.credentials)
            template = stage.folder / "request.txt"
            template.write_bytes(request_bytes(server.site.port, (("Cookie", f"theme=dark; {COOKIE}={VALUE}"),)))
            values = stage.folder / "cookies.txt"
            SealedSessions(stage.store, server).write(values, self.turn(is_reference, seconds))
            once = self.once and not is_reference
            before = verifications_per_second(stage)
            with Generator(stage, "closed_loop", port=server.site.port, template=template, values=values,
                           seconds=seconds, connections=CONNECTIONS, body=len(PAYLOAD), once=int(once),
                           warm_requests=self.seen_before if once else self.turn(is_reference, seconds),
                           warm_milliseconds=0 if once else 1000) as load:
                load.wait_until_ready(LONGEST_WARM_UP)
                figures, _ = measured(stage, server, lambda: load.run(seconds))
            figures["openssl"] = (before + verifications_per_second(stage)) / 2
            probe(server.site.port, server.credentials)
            return figures
        finally:
            stage.stop(server)

    def turn(self, _is_reference, _seconds):
        """How many sessions are used in turn."""
        return self.sessions

    def complete(self, result):
        """What each question costs: what a request costs more than the reference's in its round, by how many ask."""
        reference = result.samples[KNOWN]
        for name, by_round in result.samples.items():
            for number, figures in by_round.items():
                if name == KNOWN or number not in reference or not figures["asked"]:
                    continue
                known = reference[number]
                verification = 2e6 / (known["openssl"] + figures["openssl"])
                # A request asks once. What is more are notes that a session is in use: where it took more than a minute to
                # make them all, each request leaves one, which is part of what it costs.
                asked = min(1, figures["asked"])
                figures["more"] = (figures["microseconds"] - known["microseconds"]) / asked
                figures["verifications"] = figures["more"] / verification
                figures["user_verifications"] = (figures["user"] - known["user"]) / asked / verification

    def budgets(self, result, gateway, thresholds):
        values = result.values(gateway, "user_verifications")
        return at_most(f"user time more of {self.title} ÷ a verification", values,
                       thresholds["verifications"].get(result.case.name))


class Recheck(StoredSessions):
    """Sessions that are known, each asked about about once in a second while requests go on."""

    store_settings = "recheck: 1s"
    title = "a session that is asked about again"


class ReadThrough(StoredSessions):
    """Sessions that this gateway has never seen, each read from the store."""

    # More than any gateway reads in a second.
    rate = 30_000
    seen_before = 2_000
    once = True
    title = "a session that is read from the store"

    def turn(self, is_reference, seconds):
        return self.sessions if is_reference else self.seen_before + self.rate * seconds
