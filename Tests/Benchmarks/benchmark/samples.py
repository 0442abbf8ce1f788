"""How one sample of the cases with small requests is taken."""
import time

from .exchange import PATH, Connection, bearer, probe, request_bytes
from .failure import Failure
from .load import Load
from .metrics import metrics
from .openssl import verifications_per_second
from .proof_load import proof_load
from .proofs import target
from .usage import busy_seconds, memory, processor_time

WARM_UP_SECONDS = 1
# Proofs live for a minute: what is not through by then would not be accepted later either.
WARM_UP_LIMIT = 20
SETTLE_SECONDS = 1


def demanded(case, kind):
    """What is demanded of a proxy's requests; nothing where it passes the same requests on unchecked."""
    if not kind.checks_tokens:
        return {}
    session = case.session and kind.takes_sessions
    return {
        "algorithm": case.algorithm, "proofs": case.proofs is not None, "session": session, "settings": case.settings,
        **(in_store(case.store, kind) if session or case.proofs else {}),
    }


def in_store(reached, kind):
    """What a gateway is started with that shares what it remembers; nothing for one that does not."""
    if not reached or not kind.takes_store:
        return {}
    return {"reached": reached, "store_settings": kind.store_settings}


# A gateway publishes what its links have done once in a second.
PUBLISHED_SECONDS = 1.2
STORE_COMMANDS, STORE_WRITES = "portcullis_store_commands_total", "portcullis_store_writes_total"
# About a session itself; markers are asked about beside.
ABOUT_SESSIONS = 'kind="session"'


def store_counts(site):
    """Commands, those about sessions, and writes to the store so far; nothing without one."""
    if not site.store:
        return None
    time.sleep(PUBLISHED_SECONDS)
    values = metrics(site)
    commands = {name: value for name, value in values.items() if name.startswith(STORE_COMMANDS)}
    return (sum(commands.values()), sum(value for name, value in commands.items() if ABOUT_SESSIONS in name),
            values[STORE_WRITES])


def measured(stage, server, load):
    """What a server uses while `load` runs, and the totals that it returns."""
    asked = store_counts(server.site)
    used = processor_time(server.process.pid)
    proxy_busy, load_busy = busy_seconds(stage.proxy_processor), busy_seconds(stage.load_processor)
    began = time.monotonic()
    totals = load()
    wall = time.monotonic() - began
    used = processor_time(server.process.pid).since(used)
    proxy_busy = busy_seconds(stage.proxy_processor) - proxy_busy
    load_busy = busy_seconds(stage.load_processor) - load_busy
    held = memory(server.process.pid)
    figures = {
        "requests": totals.requests / totals.seconds,
        "microseconds": used.total / totals.requests * 1e6,
        "user": used.user / totals.requests * 1e6,
        "system": used.system / totals.requests * 1e6,
        "p50": totals.p50_milliseconds,
        "p99": totals.p99_milliseconds,
        "used": used.total / wall,
        "resident": held.resident / 1024,
        "anonymous": held.anonymous / 1024,
        "others": max(0.0, (proxy_busy - used.total) / wall),
        "load": load_busy / wall,
    }
    if asked:
        commands, sessions, writes = (now - then for now, then in zip(store_counts(server.site), asked))
        figures |= {"commands": commands / totals.requests, "asked": sessions / totals.requests,
                    "writes": writes / commands if commands else 0.0}
    return figures, totals


class LoadSample:
    """Figures of one proxy under load."""

    def __init__(self, stage, case, kind, seconds):
        self.stage = stage
        self.case = case
        self.kind = kind
        self.seconds = seconds

    def take(self, tokens):
        """Starts the proxy afresh, probes it, warms it, and measures."""
        server = self.stage.start_proxy(self.kind, access_log=self.case.logged, **demanded(self.case, self.kind))
        try:
            probe(server.site.port, server.credentials)
            # A session is its server's own; every other request is the same for all.
            fields = server.credentials.good(PATH) if server.site.session else None
            load = Load(self.stage, server.site.port, tokens, fields)
            self.warm(load, len(tokens))
            figures = self.measure(server, lambda: load.run(self.seconds))
            probe(server.site.port, server.credentials)
            return figures
        finally:
            self.stage.stop(server)

    def warm(self, load, tokens):
        """Until every token has been seen, at least a second."""
        for seconds in (WARM_UP_SECONDS, 2, 4, 8):
            # wrk begins with the first token each time it starts.
            if load.run(seconds).requests >= tokens:
                return
        raise Failure(f"too slow: {tokens} tokens are not through after 8 s")

    def measure(self, server, load):
        """What the server uses while `load` runs, which returns the load's totals."""
        site = server.site
        lines = count_lines(site.log_file) if self.case.logged else 0
        figures, totals = measured(self.stage, server, load)
        if self.case.logged:
            time.sleep(SETTLE_SECONDS + 1)
            figures["lines"] = (count_lines(site.log_file) - lines) / totals.requests
        return figures


class ProofSample(LoadSample):
    """Figures of one proxy under load with proofs, beside what OpenSSL verifies on the same processor just then."""

    def take(self, _tokens):
        """As above, with proofs made for this proxy right before; OpenSSL is measured before and after the load."""
        server = self.stage.start_proxy(self.kind, **demanded(self.case, self.kind))
        lines = self.stage.folder / "proofs.txt"
        try:
            probe(server.site.port, server.credentials)
            proofs = self.case.proofs
            # A proxy that checks nothing gets few, again and again.
            count = self.kind.proofs_per_second * self.seconds if self.kind.checks_tokens else 0
            made = proofs.warm_up + count
            self.stage.fixtures.mint.write(lines, target(server.site.port, PATH), proofs.keys or made, made)
            before = verifications_per_second(self.stage)
            # The load ends with its time or with the last proof, whichever is first.
            with proof_load(self.stage, server.site.port, lines, self.seconds, proofs.warm_up, count > 0) as load:
                load.wait_until_ready(WARM_UP_LIMIT)
                figures = self.measure(server, lambda: load.run(self.seconds))
            limit = (before + verifications_per_second(self.stage)) / 2
            probe(server.site.port, server.credentials)
        finally:
            self.stage.stop(server)
            lines.unlink(missing_ok=True)
        figures["per_second"] = 1e6 / figures["microseconds"]
        # What the kernel takes depends on the host, for the most part to wake the other processor: not ours to bring down.
        figures["user_per_second"] = 1e6 / figures["user"]
        figures["openssl"] = limit
        if self.kind.checks_tokens:
            figures["over_openssl"] = figures["per_second"] * proofs.signatures / limit
            figures["user_over_openssl"] = figures["user_per_second"] * proofs.signatures / limit
        return figures


# Of the idle connections, those of each client's address.
CONNECTIONS_OF_ADDRESS = 1000


class MemorySample:
    """Figures of one proxy that does nothing."""

    def __init__(self, stage, case, kind, connections):
        self.stage = stage
        self.case = case
        self.kind = kind
        self.connections = connections

    def take(self, tokens):
        """Measures a fresh proxy, then the same with idle keep-alive connections that have made one request each."""
        server = self.stage.start_proxy(self.kind, **demanded(self.case, self.kind))
        held = []
        try:
            time.sleep(SETTLE_SECONDS)
            started = memory(server.process.pid)
            request = request_bytes(server.site.port, bearer(tokens[0]))
            for number in range(self.connections):
                # No address has more of the gateway's connections than its share.
                held.append(Connection(server.site.port, source=f"127.0.0.{2 + number // CONNECTIONS_OF_ADDRESS}"))
                status, _ = held[-1].exchange(request)
                if status != 200:
                    raise Failure(f"answers {status} on connection {len(held)}")
            time.sleep(SETTLE_SECONDS)
            full = memory(server.process.pid)
            closed = sum(not connection.is_open() for connection in held)
            if closed:
                raise Failure(f"closed {closed} of {self.connections} idle connections")
        except OSError as error:
            raise Failure(f"connection {len(held) + 1}: {error}") from None
        finally:
            for connection in held:
                connection.close()
            self.stage.stop(server)
        return {
            "resident": started.resident / 1024,
            "anonymous": started.anonymous / 1024,
            "resident_full": full.resident / 1024,
            "anonymous_full": full.anonymous / 1024,
            "connection_resident": (full.resident - started.resident) / self.connections,
            "connection_anonymous": (full.anonymous - started.anonymous) / self.connections,
        }


def count_lines(path):
    """The number of complete lines in a file that may be large."""
    count = 0
    try:
        with open(path, "rb") as log:
            while block := log.read(1 << 20):
                count += block.count(b"\n")
    except FileNotFoundError:
        return 0
    return count
