"""What is measured: every case, and what is special about it."""
import dataclasses

from .bodies import Bodies
from .family import Family
from .growth import Connections, Hosts, Routes, Tokens
from .half_open import HalfOpen
from .latency import Latency, SharedProofLatency
from .multiplexed import IdleMultiplexed, MultiplexedBodies, Requests, UnaryCalls
from .multiplexed import IDLE as IDLE_MULTIPLEXED
from .servers import CookieGateway, LocalGateway, UncomputedGateway
from .slow import SlowClients
from .store import PLAIN, SECURE
from .stored import ReadThrough, Recheck
from .tls import Handshakes, KeepAlive
from .workers import Workers

MANY = 10_000
MANY_KEYS = 1_000
IDLE_CONNECTIONS = 5_000


@dataclasses.dataclass(frozen=True)
class Proofs:
    """Whose proofs a case sends; 0 keys stand for another key in each."""

    keys: int
    # Sent before anything is measured: what a server learns of a key, it has learned then.
    warm_up: int
    # ES256 signatures that have to be verified for a request: the proof's, and that of a token not seen before.
    signatures: int = 1


@dataclasses.dataclass(frozen=True)
class Case:
    """One table of the report."""

    name: str
    title: str
    algorithm: str | None = None
    tokens: int = 0
    logged: bool = False
    idle: bool = False
    proofs: "Proofs | None" = None
    session: bool = False
    # How the store is reached that used proofs, or sessions, are in.
    store: str = ""
    # The gateway with multiples of busy keys computed in advance, beside the same without.
    precomputed: bool = False
    # More of the gateway's configuration.
    settings: str = ""
    # How it is measured, where that is not by one kind of small request.
    family: "Family | None" = None
    # Not among those that are measured unless asked for.
    on_request: bool = False
    # The proxy whose costs the others' are divided by.
    reference: str = "nginx"

    @property
    def multiplexed(self):
        """Whether it is about HTTP/2."""
        return self.name.startswith("h2")


CASES = {case.name: case for case in (
    Case("plain", "Plain proxying of a public route"),
    Case("plain-logged", "Plain proxying with an access log written to a file", logged=True),
    Case("bearer-es256", "Bearer token seen before, ES256", "ES256", 1),
    Case("bearer-rs256", "Bearer token seen before, RS256", "RS256", 1),
    Case("bearer-es256-many", f"{MANY:,} Bearer tokens in turn, ES256", "ES256", MANY),
    Case("dpop", "A fresh DPoP proof in each request, one busy key, ES256", "ES256", proofs=Proofs(1, 8_000)),
    Case("dpop-many", f"A fresh DPoP proof in each request, {MANY_KEYS:,} keys in turn, ES256", "ES256",
         proofs=Proofs(MANY_KEYS, 10 * MANY_KEYS)),
    Case("dpop-new", "A DPoP proof by a key never seen, with a token never seen, ES256", "ES256",
         proofs=Proofs(0, 2_000, signatures=2)),
    Case("dpop-precomputed", "A fresh DPoP proof in each request, one busy key, ES256", "ES256",
         proofs=Proofs(1, 8_000), precomputed=True, reference=UncomputedGateway.name),
    Case("dpop-shared", "A fresh DPoP proof in each request, one busy key, used proofs in a store", "ES256",
         proofs=Proofs(1, 8_000), store=PLAIN, reference=LocalGateway.name),
    Case("dpop-shared-tls", "The same with TLS to the store", "ES256",
         proofs=Proofs(1, 8_000), store=SECURE, reference=LocalGateway.name),
    Case("bearer-es256-precomputed", "Bearer tokens that are verified in each request, ES256", "ES256", MANY,
         precomputed=True, settings="token_cache: { entries: 1 }", reference=UncomputedGateway.name),
    Case("session-cookie", "A browser's session seen before, in a sealed cookie, beside a Bearer token", "ES256", 1,
         session=True, reference="Portcullis, Bearer"),
    Case("session-known-shared", "A browser's session seen before, in a store, beside one in a sealed cookie", "ES256", 1,
         session=True, store=PLAIN, reference=CookieGateway.name),
    Case("session-recheck", f"{Recheck.sessions:,} sessions in turn, each asked about once a second", family=Recheck()),
    Case("session-read-through", "Sessions never seen before, each read from the store", family=ReadThrough()),
    Case("memory", f"Memory: started and idle, then with {IDLE_CONNECTIONS:,} idle connections", "ES256", 1, idle=True),
    Case("memory-handshakes", "Memory: six bursts of 3,000 TLS handshakes that are begun and left alone",
         family=HalfOpen()),
    Case("tls-keep-alive", "Plain proxying over TLS 1.3, ECDSA P-256, TLS_AES_128_GCM_SHA256", family=KeepAlive()),
    Case("tls-handshake", "Full TLS 1.3 handshakes, one request each, ECDSA P-256", family=Handshakes()),
    Case("h2", "HTTP/2 over TLS 1.3, 16 connections with four requests at once, beside 64 of HTTP/1.1",
         family=Requests(beside_http1=True)),
    Case("h2c", "HTTP/2 with prior knowledge, 16 connections with four requests at once", family=Requests(tls=False)),
    Case("h2-bearer", "Bearer token seen before, ES256, HTTP/2 over TLS 1.3", family=Requests(algorithm="ES256")),
    Case("h2-bodies-down", "Responses of 10 MB, HTTP/2 over TLS 1.3, four at once on each of four connections",
         family=MultiplexedBodies(is_up=False)),
    Case("h2-bodies-up", "Requests of 10 MB, HTTP/2 over TLS 1.3, four at once on each of four connections",
         family=MultiplexedBodies(is_up=True)),
    Case("h2-memory", f"Memory: {IDLE_MULTIPLEXED:,} idle connections that speak HTTP/2 over TLS 1.3",
         family=IdleMultiplexed()),
    Case("h2-grpc", "Unary calls of gRPC, HTTP/2 over TLS 1.3 to an upstream with prior knowledge", family=UnaryCalls(),
         on_request=True),
    Case("bodies-down", "Responses of 10 MB, 16 at once", family=Bodies(is_up=False)),
    Case("bodies-up", "Requests of 10 MB, 16 at once", family=Bodies(is_up=True)),
    Case("latency", "Latency at 2,000 requests a second, each due at its moment", family=Latency()),
    Case("dpop-shared-latency", f"Proofs at {SharedProofLatency.rate:,} a second, each due at its moment, with and without a "
         "store", family=SharedProofLatency()),
    Case("slow-clients", "The same beside 5,000 clients that bring next to nothing", family=SlowClients()),
    Case("workers", "One worker on one processor, two on two, with load and origin beside each", family=Workers()),
    Case("growth-routes", "Every route in turn", family=Routes()),
    Case("growth-hosts", "Every host in turn, with ten routes each", family=Hosts()),
    Case("growth-connections", "Every connection in turn, ten requests at once", family=Connections()),
    Case("growth-tokens", "Every token in turn, each seen before, ES256", family=Tokens()),
)}
