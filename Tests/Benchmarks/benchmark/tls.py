"""TLS 1.3: what keep-alive requests cost, and what handshakes do."""
from .exchange import Connection, request_bytes
from .failure import Failure
from .family import Family
from .generators import Generator
from .origins import PAYLOAD
from .samples import measured
from .servers import HAProxy, Nginx

# Each connection takes a port away for a minute.
SOURCES = 64


class NginxWithoutTickets(Nginx):
    """nginx that offers no resumption, which is not its default: it saves two messages in each handshake."""

    name = "nginx, no tickets"
    tls_options = "ssl_session_tickets off; ssl_session_cache off;"


class KeepAlive(Family):
    """64 connections that stay; the generator verifies version, suite and key of the certificate of each."""

    fields = ()
    generator = {"connections": 64}

    def sample(self, stage, kind, seconds):
        server = stage.start_proxy(kind, tls=True)
        try:
            probe_tls(server.site.port)
            template = stage.folder / "request.txt"
            template.write_bytes(request_bytes(server.site.port, self.fields))
            with Generator(stage, "closed_loop", port=server.site.port, template=template, seconds=seconds, tls=1,
                           body=len(PAYLOAD), **self.generator) as load:
                load.wait_until_ready()
                figures, totals = measured(stage, server, lambda: load.run(seconds))
            self.check(totals)
            probe_tls(server.site.port)
            return figures
        finally:
            stage.stop(server)

    def check(self, totals):
        """Fails unless connections were kept."""
        if totals.read["handshakes"]:
            raise Failure(f"{totals.read['handshakes']} connections were not kept")


class Handshakes(KeepAlive):
    """A connection for each request, none resumed."""

    fields = (("Connection", "close"),)
    generator = {"connections": 32, "short": 1, "sources": SOURCES}

    def proxies(self, gateway):
        return [Nginx(), NginxWithoutTickets(), HAProxy(), gateway]

    def check(self, totals):
        """Fails unless each request had its handshake; the last ones of the warm-up may be counted too."""
        if totals.read["handshakes"] < totals.requests:
            raise Failure(f"{totals.read['handshakes']} handshakes for {totals.requests} requests")


def probe_tls(port):
    """Fails unless the server chooses TLS 1.3 of all versions that a client offers."""
    connection = Connection(port, tls=True)
    try:
        status, _ = connection.exchange(request_bytes(port))
        version = connection.socket.version()
    finally:
        connection.close()
    if status != 200 or version != "TLSv1.3":
        raise Failure(f"answers {status} over {version}")
