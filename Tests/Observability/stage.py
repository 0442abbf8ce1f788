"""Starts a gateway with an app, a server that is down and an authorization server; makes requests of all kinds."""
import base64
import contextlib
import http.client
import http.server
import json
import re
import secrets
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from pathlib import Path

READY_SECONDS = 60
HOST = "gateway.test"
# What the other listener is called, which speaks plain HTTP as if a proxy in front ended TLS.
BEHIND = "behind.test"
CONFIGURATION = """\
workers: 2
listeners:
  - address: 127.0.0.1:0
    public_url: https://{host}
    tls: {{ certificate: {folder}/tls.crt, key: {folder}/tls.key }}
  - address: 127.0.0.1:0
    public_url: https://{behind}
admin: {{ address: 127.0.0.1:0 }}
issuers:
  main: {{ url: "{issuer}", insecure_allow_http: true }}
clients:
  web:
    issuer: main
    id: web
    authentication: {{ method: client_secret_basic, secret: {{ file: {folder}/secret }} }}
    assume_pkce: true
    session: {{ store: memory, keys: [{{ file: {folder}/session.key }}] }}
store: {{ url: "unix:{folder}/redis.socket", shares: [proofs] }}
routes:
  - path: /api/
    name: api
    upstream: "{app}"
    token: {{ issuers: [main], audience: "https://{host}/api", schemes: [DPoP, Bearer], resource: true }}
  - {{ path: /app/, name: app, upstream: "{app}", login: web }}
  - {{ path: /open/, name: open, upstream: "{app}", public: true }}
  - {{ path: /down/, name: down, upstream: "http://127.0.0.1:{closed}", public: true }}
# Asked for so many paths that lead nowhere, it would have each wait for a second.
limits: {{ refusal_rate_per_client: 1000000 }}
log: {{ level: info, operator: {folder}/operator.log, access: "off" }}
"""


class App(http.server.BaseHTTPRequestHandler):
    """Answers with the status that the path ends in."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(int(self.path.rsplit("/", 1)[1]))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Says nothing."""


class Issuer(http.server.BaseHTTPRequestHandler):
    """An authorization server's metadata, and keys that it never signs with."""

    def do_GET(self):
        base = f"http://127.0.0.1:{self.server.server_address[1]}"
        metadata = {
            "issuer": base, "jwks_uri": base + "/jwks", "authorization_endpoint": base + "/authorize",
            "token_endpoint": base + "/token", "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"]}
        modulus = base64.urlsafe_b64encode(b"\xc1" + secrets.token_bytes(254) + b"\x01").rstrip(b"=").decode()
        keys = {"keys": [{"kty": "RSA", "kid": "1", "use": "sig", "alg": "RS256", "e": "AQAB", "n": modulus}]}
        content = json.dumps(metadata if "well-known" in self.path else keys).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Says nothing."""


@contextlib.contextmanager
def serving(handler):
    """The base of the URLs of a server with this handler."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class Gateway:
    """A gateway that runs: where it listens, and what it answers."""

    def __init__(self, binary, folder, process):
        self.binary, self.folder, self.process = binary, folder, process
        self.secure, self.plain, self.admin = 0, 0, 0

    def wait(self):
        """Until it is ready."""
        deadline = time.monotonic() + READY_SECONDS
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"the gateway is not ready:\n{self.output()}")
            time.sleep(0.02)

    def await_page(self, is_right):
        """Until its page of metrics is right, for a client has its answer a moment before the worker counts the request."""
        deadline = time.monotonic() + READY_SECONDS
        while not is_right() and time.monotonic() < deadline:
            time.sleep(0.02)

    def is_ready(self):
        """Whether it listens and has its issuer's keys."""
        listening = [line for line in self.lines() if line.get("event") == "listening"]
        ports = {(line["listener"], line.get("url", "")): int(line["address"].rsplit(":", 1)[1]) for line in listening}
        if len(ports) < 3:
            return False
        self.secure, self.plain = ports["public", f"https://{HOST}"], ports["public", f"https://{BEHIND}"]
        self.admin = ports["admin", ""]
        return self.ask_admin("/readyz")[0] == 200

    def lines(self):
        """What it logged so far."""
        with contextlib.suppress(FileNotFoundError):
            for line in (self.folder / "operator.log").read_text().split("\n")[:-1]:
                yield json.loads(line)

    def output(self):
        """All that it said, for a person."""
        return "".join(log.read_text(errors="replace")[-4000:] for log in sorted(self.folder.glob("*.log")))

    def ask_admin(self, path, accept=None):
        """Status, media type and content of a page of the admin listener."""
        connection = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=30)
        with contextlib.closing(connection):
            connection.request("GET", path, headers={"Accept": accept} if accept else {})
            response = connection.getresponse()
            return response.status, response.headers["Content-Type"], response.read().decode()

    def ask(self, path, **fields):
        """The status of a request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.plain, timeout=30)
        with contextlib.closing(connection):
            connection.request("GET", path, headers={"Host": BEHIND, **fields})
            return connection.getresponse().status

    def ask_by_tls(self, path):
        """The same by the other listener."""
        context = ssl.create_default_context(cafile=self.folder / "tls.crt")
        with socket.create_connection(("127.0.0.1", self.secure), 30) as raw:
            with context.wrap_socket(raw, server_hostname=HOST) as secured:
                secured.sendall(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
                return int(secured.recv(64).split()[1])

    def send(self, octets):
        """Sends anything, and reads to the end."""
        with socket.create_connection(("127.0.0.1", self.plain), 30) as connection:
            connection.sendall(octets)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass

    def ask_for_paths(self, count):
        """Asks for so many different paths: every other one leads nowhere, the others to a route that wants a token."""
        with socket.create_connection(("127.0.0.1", self.plain), 60) as connection:
            def path(number):
                return f"/{'api/' if number % 2 else ''}{secrets.token_hex(4)}-{number}"

            def send():
                for start in range(0, count, 500):
                    connection.sendall(b"".join(
                        f"GET {path(number)} HTTP/1.1\r\nHost: {BEHIND}\r\n\r\n".encode()
                        for number in range(start, min(start + 500, count))))
            sender = threading.Thread(target=send, daemon=True)
            sender.start()
            answered, rest = 0, b""
            while answered < count:
                received = connection.recv(1 << 20)
                if not received:
                    raise SystemExit(f"the gateway closed the connection after {answered} answers")
                found = len(re.findall(rb"HTTP/1\.1 40[14] ", rest + received))
                answered += found
                # What may be the beginning of the next status line, and no whole one.
                rest = (rest + received)[-12:]
            sender.join()


@contextlib.contextmanager
def store(folder):
    """A Redis at a socket in the folder."""
    socket_file = folder / "redis.socket"
    with open(folder / "redis.log", "wb") as log:
        process = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", socket_file, "--save", "", "--maxmemory-policy", "noeviction"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
    try:
        deadline = time.monotonic() + READY_SECONDS
        while not socket_file.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"Redis is not ready:\n{(folder / 'redis.log').read_text()}")
            time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(60)


@contextlib.contextmanager
def gateway(binary):
    """A gateway, and what it needs around it."""
    folder = Path(tempfile.mkdtemp(prefix="portcullis-observability."))
    process = None
    try:
        with store(folder), serving(App) as app, serving(Issuer) as issuer, socket.socket() as closed:
            # Bound and not listened at: nobody else can be there, and nobody is.
            closed.bind(("127.0.0.1", 0))
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                 "-days", "30", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}",
                 "-keyout", folder / "tls.key", "-out", folder / "tls.crt"], check=True, capture_output=True, timeout=60)
            (folder / "secret").write_text(secrets.token_hex(20))
            (folder / "session.key").write_text(secrets.token_hex(32))
            for name in ("secret", "session.key", "tls.key"):
                (folder / name).chmod(0o600)
            (folder / "portcullis.yaml").write_text(CONFIGURATION.format(
                host=HOST, behind=BEHIND, folder=folder, issuer=issuer, app=app, closed=closed.getsockname()[1]))
            with open(folder / "output.log", "wb") as log:
                process = subprocess.Popen(
                    [binary, "run", folder / "portcullis.yaml"], stdin=subprocess.DEVNULL, stdout=log,
                    stderr=subprocess.STDOUT)
            running = Gateway(binary, folder, process)
            running.wait()
            yield running
    finally:
        if process:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(folder, ignore_errors=True)


NAVIGATION = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Accept": "text/html"}


def use(running):
    """One request of each kind, so that whatever can be counted has been."""
    found = {
        "a page": running.ask("/open/200"), "a page that the app lacks": running.ask("/open/404"),
        "a failure of the app": running.ask("/open/500"), "by TLS": running.ask_by_tls("/open/200"),
        "an upstream that is down": running.ask("/down/200"), "an unknown path": running.ask("/nowhere"),
        "no token": running.ask("/api/200"), "a page of a login": running.ask("/app/200", **NAVIGATION),
        "the start of a login": running.ask("/.portcullis/login/web"),
        "a response to no login": running.ask("/.portcullis/callback/web?code=a&state=b"),
        "what is published": running.ask("/.well-known/oauth-protected-resource/api/"),
        "another host": running.ask("/open/200", Host="other.test"),
    }
    expected = [200, 404, 500, 200, 502, 404, 401, 303, 303, 400, 200, 421]
    if list(found.values()) != expected:
        raise SystemExit(f"the gateway answers otherwise than it should: {found}\n{running.output()}")
    running.send(b"nonsense\r\n\r\n")
