"""Whether a request costs more where there is more of everything: routes, connections, tokens."""
import json
import resource
import subprocess
import sys

from .exchange import PATH, probe, request_bytes
from .failure import Failure
from .family import COLUMNS, Family, at_most
from .generators import Generator
from .metrics import metrics
from .origins import PAYLOAD
from .samples import measured
from .servers import Gateway, Nginx

# Stands for the value in a request; see load/closed_loop.c.
VALUE = "\x01"
# Files that a server opens beside its clients.
SPARE_FILES = 1000
SOURCES = 16
LONGEST_WARM_UP = 900


class Sized:
    """A server with so much of something; its first size is what the others are divided by."""

    def __init__(self, kind, size, label):
        self.kind = kind
        self.size = size
        self.name = f"{kind.name}, {label}"
        self.checks_tokens = kind.checks_tokens

    def command(self, site):
        return self.kind.command(site)


class Growth(Family):
    """The same server in several sizes, each compared with its smallest."""

    columns = tuple((title.replace("{reference}", "smallest"), figure, form) for title, figure, form in COLUMNS)
    what = ""
    sizes = ()
    generator = {"connections": 64}

    def proxies(self, gateway):
        return [Sized(gateway, size, self.label(size)) for size in self.sizes]

    def label(self, size):
        """A size in words."""
        return f"{size:,} {self.what.removesuffix('s') if size == 1 else self.what}"

    def reference_of(self, name):
        # The names of one server are alike up to the comma.
        return f"{name.partition(',')[0]}, {self.label(self.sizes[0])}"

    def properties(self, size):
        """What the server of this size is started with."""
        return {}

    def request(self, port):
        """The request, with a mark where a value goes."""
        return request_bytes(port)

    def values(self, stage, size):
        """A file with the values to put in, a line each; None where requests are alike."""
        return None

    def sample(self, stage, kind, seconds):
        server = stage.start_proxy(kind, **self.properties(kind.size))
        try:
            probe(server.site.port, server.credentials)
            template = stage.folder / "request.txt"
            template.write_bytes(self.request(server.site.port))
            more = {}
            if values := self.values(stage, kind.size):
                # Each value is seen before anything is measured.
                more = {"values": values, "warm_requests": kind.size}
            with Generator(stage, "closed_loop", port=server.site.port, template=template, seconds=seconds,
                           body=len(PAYLOAD), **more, **self.generator_settings(kind.size)) as load:
                load.wait_until_ready(LONGEST_WARM_UP)
                before = self.unwanted(server.site)
                figures, _ = measured(stage, server, lambda: load.run(seconds))
                if self.unwanted(server.site) != before:
                    raise Failure(f"there was something to be learned in the load: {self.unwanted(server.site)}")
            probe(server.site.port, server.credentials)
            return figures
        finally:
            stage.stop(server)

    def unwanted(self, _site):
        """What may not change in the load."""
        return None

    def generator_settings(self, _size):
        return self.generator

    def budgets(self, result, gateway, thresholds):
        largest, smallest = self.label(self.sizes[-1]), self.label(self.sizes[0])
        return at_most(f"CPU per request with {largest} ÷ {smallest}", result.ratios(f"{gateway}, {largest}"),
                       thresholds["growth"])


class Routes(Growth):
    """Requests for each route in turn."""

    what = "routes"
    sizes = (10, 1_000, 10_000)

    def properties(self, size):
        return {"routes": size}

    def request(self, port):
        return request_bytes(port, path=f"/{VALUE}{PATH}")

    def values(self, stage, size):
        path = stage.folder / "values.txt"
        path.write_text("".join(f"route-{number:05}\n" for number in range(size)))
        return path


class Hosts(Growth):
    """Requests for each host in turn, each with ten routes of its own; one host has ten routes, 1,000 have 9,999."""

    what = "hosts"
    sizes = (1, 100, 1_000)

    def properties(self, size):
        return {"hosts": size}

    def request(self, port):
        return request_bytes(port, path=f"/route-5{PATH}").replace(b"Host: 127.0.0.1", f"Host: {VALUE}.test".encode())

    def values(self, stage, size):
        path = stage.folder / "values.txt"
        path.write_text("".join(f"host-{number:04}\n" for number in range(size)))
        return path


class Connections(Growth):
    """Requests on each connection in turn, ten on their way at a time; nginx beside it, for what the kernel takes."""

    what = "connections"

    def __init__(self):
        # What is left of 50,000 where the limit on open files is low.
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1] - SPARE_FILES
        self.wanted = 50_000
        self.sizes = (10, min(1_000, most), min(self.wanted, most))

    def proxies(self, gateway):
        if self.sizes[-1] < self.wanted:
            print(f"only {self.sizes[-1]:,} connections: the hard limit on open files is low (ulimit -Hn)",
                  file=sys.stderr)
        return [Sized(kind, size, self.label(size)) for kind in (WideNginx(self.wanted), gateway) for size in self.sizes]

    def properties(self, size):
        return {"settings": f"limits: {{ connections: {self.wanted + SPARE_FILES} }}"}

    def generator_settings(self, size):
        return {"connections": size, "busy": 10, "sources": SOURCES, "warm_requests": 2 * size}


class WideNginx(Nginx):
    """nginx that takes as many connections as the system lets it."""

    def __init__(self, connections):
        self.connections = connections

    def command(self, site):
        command = super().command(site)
        path = command[-1]
        path.write_text(path.read_text().replace("worker_connections 16384", f"worker_connections {self.connections * 2}")
                        .replace("worker_rlimit_nofile 20000;\n", ""))
        return command


class Tokens(Growth):
    """Bearer requests with each token in turn, each verified before; the gateway is let remember all of them."""

    what = "tokens"
    sizes = (1, 10_000, 1_000_000)
    remembered = "token_cache: { entries: 1100000, bytes: 4GiB }"

    def __init__(self):
        self.minted = 0

    def unwanted(self, site):
        values = metrics(site)
        return {name: values[name] for name in ("portcullis_token_cache_misses_total",
                                                "portcullis_token_cache_evictions_total")}

    def properties(self, size):
        return {"algorithm": "ES256", "settings": self.remembered}

    def request(self, port):
        return request_bytes(port, (("Authorization", f"Bearer {VALUE}"),))

    def values(self, stage, size):
        every, path = stage.folder / "every-token.txt", stage.folder / "values.txt"
        if self.minted < self.sizes[-1]:
            mint(stage, every, self.sizes[-1])
            self.minted = self.sizes[-1]
        if size == self.sizes[-1]:
            return every
        with open(every, "rb") as lines, open(path, "wb") as some:
            some.writelines(line for _, line in zip(range(size), lines))
        return path


def mint(stage, path, count):
    """Writes so many tokens of the issuer to a file."""
    issuer = stage.fixtures.issuer
    claims = {name: value for name, value in issuer.claims().items() if name not in ("sub", "jti")}
    key = stage.fixtures.folder / "token-issuer.pem"
    key.write_bytes(issuer.private_pem("ES256"))
    print(f"minting {count:,} tokens", file=sys.stderr, flush=True)
    with open(path, "wb") as lines:
        made = subprocess.run(
            [stage.fixtures.program("token_mint"), key, "bench-es256",
             json.dumps(claims, separators=(",", ":")).removesuffix("}"), str(count)],
            stdin=subprocess.DEVNULL, stdout=lines, timeout=600, check=False)
    if made.returncode:
        raise Failure("the mint of tokens failed")
