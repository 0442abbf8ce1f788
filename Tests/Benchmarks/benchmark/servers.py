"""The proxies: how each is configured and started for a case."""
import dataclasses
import functools
import json
import subprocess
import time
from pathlib import Path

from . import logins, tokens
from .compile import compiled
from .credentials import Anonymous, BearerToken, BoundToken
from .exchange import PATH, answer
from .failure import Failure
from .frames import multiplexed_answer
from .origins import BodyOrigin, GRPCOrigin, Origin, nginx_command, nginx_frame
from .processes import free_ports, last_lines, tool
from .proofs import Mint
from .store import Store

IDENTITY = "    identity: { X-User-Id: sub, X-Client-Id: client_id, X-Scopes: scope }"
START_SECONDS = 120
CERTIFICATE, CERTIFICATE_KEY, BOTH = "tls.crt", "tls.key", "tls.pem"


@dataclasses.dataclass
class Site:
    """Where one server lives: its folder, its ports, and what it serves."""

    folder: Path
    port: int
    admin_port: int
    origin_port: int
    fixtures: Path
    # Tokens of this algorithm are demanded; None for a public route.
    algorithm: str | None = None
    # They are bound to a key, and every request proves it anew.
    proofs: bool = False
    # A browser's session is demanded in place of a token.
    session: bool = False
    access_log: bool = False
    # Served over TLS 1.3, with the certificate of the fixtures.
    tls: bool = False
    # Clients speak HTTP/2: by ALPN over TLS, with prior knowledge without; and so does the origin, without TLS.
    http2: bool = False
    origin_http2: bool = False
    workers: int = 1
    # Routes of the gateway, all to the same upstream: /, and others that no request of the other cases asks for.
    routes: int = 1
    # Hosts beside that of the listener, with ten routes each.
    hosts: int = 0
    # Another gateway may start at the same address, while this one drains.
    shares_address: bool = False
    # More of the gateway's configuration.
    settings: str = ""
    # Where browsers log in; only where sessions are demanded.
    login_server: "logins.LoginServer | None" = None
    # The store that used proofs, or sessions, are in; how it is reached, and more of its section.
    store: "Store | None" = None
    reached: str = ""
    store_settings: str = ""

    @property
    def log_file(self):
        return self.folder / "access.log"

    @property
    def ask(self):
        """Sends one request as this server's clients do."""
        return functools.partial(multiplexed_answer if self.http2 else answer, tls=self.tls)


@dataclasses.dataclass
class Server:
    """A server that answers."""

    site: Site
    process: subprocess.Popen
    # What it must let pass, and what not.
    credentials: "Anonymous | BearerToken | BoundToken | logins.SessionCookie"


class Nginx:
    """The reference: it never checks a token, it only passes the same requests on."""

    name = "nginx"
    checks_tokens = False
    log_options = ""
    location_options = ""
    tls_options = ""

    def command(self, site):
        upstream = f"""upstream origin {{
    server 127.0.0.1:{site.origin_port};
    keepalive 128;
    keepalive_requests 1000000000;
    keepalive_timeout 3600s;
  }}"""
        tls = f"""
    ssl_certificate {site.fixtures / CERTIFICATE};
    ssl_certificate_key {site.fixtures / CERTIFICATE_KEY};
    ssl_protocols TLSv1.2 TLSv1.3;
    {self.tls_options}""" if site.tls else ""
        http2 = " http2" if site.http2 else ""
        options = f'{" ssl" if site.tls else ""}{http2}{" reuseport" if site.workers > 1 else ""}'
        location = f"""    listen 127.0.0.1:{site.port}{options} backlog=4096;{tls}
    location / {{
      {self.location_options}
      {self.passing(site)}
    }}"""
        log = f"{site.log_file} combined{self.log_options}" if site.access_log else "off"
        return nginx_command(site, nginx_frame(site.folder, location, upstream, log, site.workers))


    @staticmethod
    def passing(site):
        """How requests go on, with three fields more."""
        way, opening = ("grpc", "grpc_pass grpc://origin;") if site.origin_http2 else (
            "proxy", 'proxy_pass http://origin;\n      proxy_http_version 1.1;\n      proxy_set_header Connection "";')
        fields = {"Host": "$http_host", "X-Forwarded-For": "$proxy_add_x_forwarded_for", "X-Real-IP": "$remote_addr",
                  "X-Request-Id": "$request_id"}
        return "\n      ".join([opening, *(f"{way}_set_header {name} {value};" for name, value in fields.items())])


class BufferedNginx(Nginx):
    """nginx that collects its access log in memory, which is not its default."""

    name = "nginx, buffered log"
    log_options = " buffer=64k flush=1s"


class HAProxy:
    """The peer that checks tokens: signature, issuer, audience, scope and expiry at every request."""

    name = "HAProxy"
    checks_tokens = True
    default_options = ""
    connections = 8000

    def command(self, site):
        path = site.folder / "haproxy.cfg"
        tls = f" ssl crt {site.fixtures / BOTH}" if site.tls else ""
        if site.http2:
            tls += " alpn h2,http/1.1" if site.tls else " proto h2"
        path.write_text(f"""global
  nbthread 1
  maxconn {self.connections}
defaults
  mode http
  no log
  timeout connect 5s
  timeout client 3600s
  timeout server 3600s
  timeout http-request 60s
  timeout http-keep-alive 3600s
  http-reuse always
{self.default_options}
frontend public
  bind 127.0.0.1:{site.port} backlog 4096{tls}
{self.token_rules(site)}
  option forwardfor
  http-request set-header X-Real-IP %[src]
  http-request set-header X-Request-Id %[uuid()]
  default_backend origin
backend origin
  server origin 127.0.0.1:{site.origin_port}{" proto h2" if site.origin_http2 else ""}
""")
        return [tool("haproxy"), "-db", "-f", path]

    def token_rules(self, site):
        if not site.algorithm:
            return ""
        key = site.fixtures / f"{site.algorithm}.pem"
        return f"""  http-request set-var(txn.token) http_auth_bearer
  http-request deny deny_status 401 unless {{ var(txn.token),jwt_header_query('$.alg') -m str {site.algorithm} }}
  http-request deny deny_status 401 unless {{ var(txn.token),jwt_verify("{site.algorithm}","{key}") 1 }}
  http-request deny deny_status 401 unless {{ var(txn.token),jwt_payload_query('$.iss') -m str {tokens.ISSUER} }}
  http-request deny deny_status 401 unless {{ var(txn.token),jwt_payload_query('$.aud') -m str {tokens.AUDIENCE} }}
  http-request deny deny_status 403 unless {{ var(txn.token),jwt_payload_query('$.scope') -m str {tokens.SCOPE} }}
  http-request set-var(txn.expires) var(txn.token),jwt_payload_query('$.exp','int')
  http-request set-var(txn.now) date()
  http-request deny deny_status 401 unless {{ var(txn.expires),sub(txn.now) -m int gt 0 }}
  http-request del-header Authorization
  http-request set-header X-User-Id %[var(txn.token),jwt_payload_query('$.sub')]
  http-request set-header X-Client-Id %[var(txn.token),jwt_payload_query('$.client_id')]
  http-request set-header X-Scopes %[var(txn.token),jwt_payload_query('$.scope')]"""


class Gateway:
    """Portcullis."""

    name = "Portcullis"
    checks_tokens = True
    takes_sessions = True
    takes_store = True
    # More of the section of its store.
    store_settings = ""
    # More than OpenSSL verifies on a fast processor: proofs must not run out.
    proofs_per_second = 18_000

    def __init__(self, binary):
        self.binary = binary

    def command(self, site):
        path = site.folder / "portcullis.yaml"
        path.write_text(self.configuration(site))
        return [self.binary, "run", path]

    def configuration(self, site):
        # A JSON string is a YAML string, whatever is in it.
        quoted = json.dumps
        access = quoted(str(site.log_file)) if site.access_log else "off"
        upstream = quoted(f"http://127.0.0.1:{site.origin_port}")
        if site.origin_http2:
            upstream = f"{{ url: {upstream}, protocol: h2 }}"
        # Browsers keep session cookies for https alone, so that is what the gateway is told it is reached by.
        scheme = "https" if site.session or site.tls else "http"
        tls = (f", tls: {{ certificate: {quoted(str(site.fixtures / CERTIFICATE))}, "
               f"key: {quoted(str(site.fixtures / CERTIFICATE_KEY))} }}") if site.tls else ""
        http2 = ", http2: true" if site.http2 else ""
        # The replacement starts beside the process that drains, with a listener for admin of its own.
        share = ", share_address: true" if site.shares_address else ""
        more = "".join(f"""
  - {{ path: "/route-{number:05}/", upstream: {upstream}, public: true }}""" for number in range(1, site.routes))
        # The first has nine where there are a thousand: with the listener's own route it is ten thousand, and more do not load.
        more += "".join(f"""
  - {{ host: "host-{host:04}.test", path: "/route-{number}/", upstream: {upstream}, public: true }}"""
                        for host in range(site.hosts) for number in range(9 if site.hosts >= 1000 and host == 0 else 10))
        names = "".join(f"\n  - {{ host: \"host-{host:04}.test\" }}" for host in range(site.hosts))
        hosts = f"hosts:{names}" if names else ""
        return f"""workers: {site.workers}
listeners:
  - {{ address: "127.0.0.1:{site.port}", public_url: "{scheme}://127.0.0.1:{site.port}"{tls}{http2}{share} }}
admin: {{ address: "127.0.0.1:{site.admin_port}" }}
log: {{ access: {access}, operator: stderr, level: warning }}
{self.issuers(site)}
{hosts}
routes:
  - path: /
    upstream: {upstream}
{self.access(site)}{more}
{site.settings}
{self.store(site)}"""

    def store(self, site):
        if not site.store:
            return ""
        return site.store.settings(site.reached, "sessions" if site.session else "proofs", site.store_settings)

    def issuers(self, site):
        if site.session:
            return logins.settings(site.login_server, site.fixtures / "client.pem", store=site.store)[0]
        if not site.algorithm:
            return ""
        return f"""issuers:
  bench:
    url: {json.dumps(tokens.ISSUER)}
    discovery: none
    jwks: {{ file: {json.dumps(str(site.fixtures / "jwks.json"))} }}"""

    def access(self, site):
        if site.session:
            return f"""{logins.settings(site.login_server, site.fixtures / "client.pem")[1]}
{IDENTITY}"""
        if not site.algorithm:
            return "    public: true"
        schemes = "\n      schemes: [DPoP]" if site.proofs else ""
        return f"""    token:
      issuers: [bench]
      audience: {json.dumps(tokens.AUDIENCE)}
      scopes: [{json.dumps(tokens.SCOPE)}]{schemes}
{IDENTITY}"""


class BearerGateway(Gateway):
    """The reference for sessions: the same gateway, and a token."""

    name = "Portcullis, Bearer"
    takes_sessions = False


class CookieGateway(Gateway):
    """The reference for sessions in a store: the same gateway, with the session in its sealed cookie."""

    name = "Portcullis, cookie"
    takes_store = False


class LocalGateway(Gateway):
    """The reference for used proofs in a store: the same gateway, which remembers them alone."""

    name = "Portcullis, no store"
    takes_store = False


class UncomputedGateway(Gateway):
    """The reference for multiples of busy keys: the same gateway, which computes none in advance."""

    name = "Portcullis, precomputed_keys: 0"

    def configuration(self, site):
        return super().configuration(site) + "precomputed_keys: 0\n"


class EarlierGateway(Gateway):
    """A binary built from another revision, for what a change costs."""

    name = "Portcullis, before"


class Fixtures:
    """Keys and tokens of one run, in a folder."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.issuer = tokens.Issuer()
        self.made_mint = None
        self.made_login_server = None
        self.made_certificate = False
        self.programs = {}
        (folder / "jwks.json").write_text(self.issuer.key_set())
        for algorithm in self.issuer.keys:
            (folder / f"{algorithm}.pem").write_bytes(self.issuer.public_pem(algorithm))

    @property
    def mint(self):
        """Compiled when it is first needed."""
        self.made_mint = self.made_mint or Mint(self.folder, self.issuer)
        return self.made_mint

    @property
    def login_server(self):
        """Started when it is first needed."""
        if self.made_login_server is None:
            logins.client_key(self.folder / "client.pem")
            self.made_login_server = logins.LoginServer(self.issuer)
        return self.made_login_server

    def certificate(self):
        """The files of a certificate and of its key, made when they are first needed: P-256, as most are today."""
        key, chain = self.folder / CERTIFICATE_KEY, self.folder / CERTIFICATE
        if self.made_certificate:
            return chain, key
        command = [tool("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                   "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                   "-keyout", key, "-out", chain]
        if subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
            raise Failure("openssl made no certificate")
        key.chmod(0o600)
        (self.folder / BOTH).write_text(chain.read_text() + key.read_text())
        self.made_certificate = True
        return chain, key

    def program(self, name):
        """The path of a program in C, compiled when it is first needed."""
        if name not in self.programs:
            self.programs[name] = compiled(name, self.folder / name)
        return self.programs[name]

    def credentials(self, site):
        """What a server at this site demands."""
        if site.session:
            return logins.SessionCookie(site.login_server, site.port)
        if not site.algorithm:
            return Anonymous()
        return BoundToken(self.issuer, site.port) if site.proofs else BearerToken(self.issuer, site.algorithm)


class Stage:
    """Starts servers in folders of their own under one temporary folder."""

    def __init__(self, folder, processes, proxy_processor, load_processor):
        self.folder = folder
        self.processes = processes
        self.proxy_processor = proxy_processor
        self.load_processor = load_processor
        self.fixtures = Fixtures(folder / "fixtures")
        self.started = 0
        self.made_body_origin = None
        self.made_grpc_origin = None
        self.made_store = None
        self.origin = self.start(Origin(), load_processor)

    @property
    def body_origin(self):
        """The upstream that knows its bodies, started when it is first needed."""
        if self.made_body_origin is None:
            self.made_body_origin = self.start(BodyOrigin(self.fixtures), self.load_processor)
        return self.made_body_origin

    @property
    def grpc_origin(self):
        """The upstream of gRPC, started when it is first needed."""
        if self.made_grpc_origin is None:
            self.made_grpc_origin = self.start(GRPCOrigin(), self.load_processor, http2=True)
        return self.made_grpc_origin

    @property
    def store(self):
        """The store, started when it is first needed."""
        self.made_store = self.made_store or Store(self)
        return self.made_store

    def start_proxy(self, kind, **properties):
        """Starts a proxy in front of the origin."""
        return self.start(kind, self.proxy_processor, **properties)

    def start(self, kind, processor, environment=None, **properties):
        site = self.new_site(**properties)
        credentials = self.fixtures.credentials(site)
        output = site.folder / "output.log"
        process = self.processes.start(kind.command(site), processor, output, environment)
        try:
            wait_for_answer(site, credentials, process, getattr(kind, "start_seconds", START_SECONDS))
        except Failure as failure:
            self.processes.stop(process)
            raise Failure(f"{kind.name} {failure}; its output ends:\n{last_lines(output)}") from None
        return Server(site, process, credentials)

    def new_site(self, **properties):
        self.started += 1
        folder = self.folder / f"server-{self.started}"
        folder.mkdir()
        port, admin_port = free_ports(2)
        port = properties.pop("port", port)
        origin_port = properties.pop("origin_port", self.origin.site.port if self.started > 1 else 0)
        if properties.get("session"):
            properties["login_server"] = self.fixtures.login_server
        if properties.get("tls"):
            self.fixtures.certificate()
        if properties.get("reached"):
            properties["store"] = self.store
        return Site(folder, port, admin_port, origin_port, self.fixtures.folder, **properties)

    def stop(self, server):
        """Ends a server and deletes its access log, which may be large."""
        self.processes.stop(server.process)
        server.site.log_file.unlink(missing_ok=True)


def wait_for_answer(site, credentials, process, seconds=START_SECONDS):
    """Returns when a good request is answered with 200."""
    end = time.monotonic() + seconds
    last = "does not listen"
    while time.monotonic() < end:
        if process.poll() is not None:
            raise Failure(f"ended with status {process.returncode} before it answered")
        try:
            status, _ = site.ask(site.port, credentials.good(PATH))
            if status == 200:
                return
            last = f"answers {status}"
        except OSError as error:
            last = f"does not answer ({error})"
        time.sleep(0.02)
    raise Failure(f"{last} after {seconds} s")
