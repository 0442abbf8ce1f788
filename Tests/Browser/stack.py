"""What the tests run against: a real authorization server, the sample app, and the gateway in front of it.

Everything is on 127.0.0.1, on ports that were free, in one folder that goes away afterwards.
"""
import base64
import contextlib
import hashlib
import json
import random
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
READY_SECONDS = 180
LOGGED_SECONDS = 60

CONFIGURATION = """\
workers: 2
listeners:
  - address: 127.0.0.1:{gateway}
    public_url: https://localhost:{gateway}
    tls: {{ certificate: {folder}/tls.crt, key: {folder}/tls.key }}
  - address: 127.0.0.1:{logout}
    public_url: https://localhost:{gateway}
    hosts: [127.0.0.1:{logout}]
  - address: 127.0.0.1:{http1}
    public_url: https://localhost:{http1}
    tls: {{ certificate: {folder}/tls.crt, key: {folder}/tls.key }}
    http2: false
  - address: 127.0.0.1:{first}
    public_url: https://first.portcullis.test:{shared}
    tls: {{ certificate: {folder}/tls.crt, key: {folder}/tls.key }}
  - address: 127.0.0.1:{second}
    public_url: https://second.portcullis.test:{shared}
    tls: {{ certificate: {folder}/tls.crt, key: {folder}/tls.key }}
  - address: 127.0.0.1:{house}
    public_url: https://house.portcullis.test:{house}
    tls: {{ certificate: {folder}/tls.crt, key: {folder}/tls.key }}
hosts:
  - {{ host: wiki.portcullis.test, public_url: "https://wiki.portcullis.test:{house}" }}
  - {{ host: chat.portcullis.test, public_url: "https://chat.portcullis.test:{house}" }}
  - {{ host: mail.portcullis.test, public_url: "https://mail.portcullis.test:{house}" }}
  - {{ host: desk.portcullis.test, public_url: "https://desk.portcullis.test:{house}" }}
admin: {{ address: 127.0.0.1:{admin} }}
issuers:
  main: {{ url: {issuer}, insecure_allow_http: true }}
clients:
  web:
    issuer: main
    id: web
    authentication: {{ method: private_key_jwt, key: {{ file: {folder}/web.pem }}, key_id: web-1, audience: endpoint }}
    authorization_request: pushed_signed
    dpop: required
    scopes: [openid, profile, email, "orders:read"]
    id_token: {{ algorithm: ES256 }}
    session: {{ keys: [{{ file: {folder}/session.key }}], script_claims: [name] }}
    logout: {{ backchannel: true, accept_without_expiry: true }}
  plain: # everything in the address: the server's own pages stay usable in the history
    issuer: main
    id: plain
    authentication: {{ method: private_key_jwt, key: {{ file: {folder}/web.pem }}, key_id: web-1, audience: endpoint }}
    scopes: [openid, profile]
    id_token: {{ algorithm: ES256 }}
  strict:
    issuer: main
    id: strict
    authentication: {{ method: private_key_jwt, key: {{ file: {folder}/web.pem }}, key_id: web-1, audience: endpoint }}
    scopes: [openid]
    id_token: {{ algorithm: ES256 }}
    session: {{ same_site: strict, store: memory }}
    logout: {{ landing: /open/ }}
  office: # one session for the hosts of a domain
    issuer: main
    id: office
    authentication: {{ method: private_key_jwt, key: {{ file: {folder}/web.pem }}, key_id: web-1, audience: endpoint }}
    scopes: [openid, profile]
    id_token: {{ algorithm: ES256 }}
    session: {{ keys: [{{ file: {folder}/session.key }}], domain: portcullis.test }}
{house_clients}routes:
  - path: /
    upstream: http://127.0.0.1:{app}
    login: {{ client: web, keep_form: true }}
    websocket: true
    identity: {{ X-User-Id: sub, X-User-Name: name, X-User-Email: email }}
  - path: /strict/
    upstream: http://127.0.0.1:{app}
    login: strict
    identity: {{ X-User-Id: sub, X-User-Name: name }}
  - path: /plain/
    upstream: http://127.0.0.1:{app}
    login: plain
    identity: {{ X-User-Id: sub, X-User-Name: name }}
  - path: /open/
    upstream: http://127.0.0.1:{app}
    public: true
  - path: /staff/
    upstream: http://127.0.0.1:{app}
    login: {{ client: web, claims: {{ groups: [staff] }} }}
  - path: /programs/
    upstream: http://127.0.0.1:{app}
    token: {{ issuers: [main], audience: api }}
  - path: /posts/
    upstream: http://127.0.0.1:{app}
    public: true
    methods: [POST]
    limits: {{ request_body: 10B }}
  - path: /down/
    upstream: http://127.0.0.1:{nothing}
    public: true
  - path: /odd/
    upstream: http://127.0.0.1:{odd}
    public: true
    error_pages: {{ upstream: [403, 408, 429, 503, 504] }}
  - path: /files/
    upstream: http://127.0.0.1:{files}
    login: {{ client: web }}
    identity: {{ X-User-Name: name }}
  - path: /calls/
    upstream: http://127.0.0.1:{calls}
    public: true
    allowed_origins: [http://localhost:{app}]
    cors:
      origins: [http://localhost:{app}]
      headers: [Content-Type, X-Grpc-Web]
      expose: [Grpc-Status, Grpc-Message]
  - path: /calls/closed/
    upstream: {{ url: http://127.0.0.1:{nothing}, protocol: h2 }}
    grpc: true
    token: {{ issuers: [main], audience: api }}
    cors: {{ origins: [http://localhost:{app}] }}
  - host: mail.portcullis.test
    path: /
    upstream: http://127.0.0.1:{app}
    login: office
    identity: {{ X-User-Id: sub, X-User-Name: name }}
  - host: desk.portcullis.test
    path: /
    upstream: http://127.0.0.1:{app}
    login: office
    identity: {{ X-User-Id: sub, X-User-Name: name }}
{house_routes}log: {{ access: {folder}/access.log }}
"""

# Hosts that share a session.
OFFICE = ("mail", "desk")
# Hosts that are one client of the server's.
HOUSE = ("wiki", "chat")
HOUSE_CLIENT = """\
  {host}:
    issuer: main
    id: house
    authentication: {{ method: private_key_jwt, key: {{ file: {folder}/web.pem }}, key_id: web-1, audience: endpoint }}
    scopes: [openid, profile]
    id_token: {{ algorithm: ES256 }}
    silent_first: true
    session: {{ keys: [{{ file: {folder}/session.key }}] }}
"""
HOUSE_ROUTE = """\
  - host: {host}.portcullis.test
    path: /
    upstream: http://127.0.0.1:{app}
    login: {host}
    identity: {{ X-User-Id: sub, X-User-Name: name }}
"""


class Stack:
    """Addresses and commands of what runs."""

    def __init__(self, binary, folder):
        self.binary = binary
        self.folder = folder
        self.running = []
        names = ("gateway", "logout", "http1", "first", "second", "shared", "admin", "app", "nothing", "odd", "files",
                 "calls", "house")
        self.ports = dict(zip(names, free_ports(len(names)), strict=True))
        self.url = f"https://localhost:{self.ports['gateway']}"
        self.server = None
        self.screenshots = None
        self.pages = None

    def house(self, host):
        """The address of one of the hosts that share a client of the server's, or a session."""
        return f"https://{host}.portcullis.test:{self.ports['house']}"

    @property
    def user(self):
        """Name and password of the one that the server knows."""
        return self.server["user"]

    def start(self):
        """Starts all of it and waits until the gateway is ready."""
        self.make_keys()
        self.run("authorization-server", DEPLOY / "authorization-server", "serve", "--directory", self.folder / "as")
        self.wait(lambda: (self.folder / "as" / "as.json").exists())
        self.server = json.loads((self.folder / "as" / "as.json").read_text())
        self.run("sample-app", DEPLOY / "sample-app", "--port", str(self.ports["app"]))
        self.wait(lambda: answers(f"http://127.0.0.1:{self.ports['app']}/"))
        self.register("web", "--dpop", "--redirect-uri",
                      f"https://localhost:{self.ports['http1']}/.portcullis/callback/web")
        self.register("plain")
        self.register("strict")
        self.register("house", *(word for host in HOUSE for word in (
            "--redirect-uri", f"{self.house(host)}/.portcullis/callback/{host}",
            "--post-logout-uri", f"{self.house(host)}/.portcullis/logged-out/{host}")))
        self.register("office", *(word for host in OFFICE for word in (
            "--redirect-uri", f"{self.house(host)}/.portcullis/callback/office",
            "--post-logout-uri", f"{self.house(host)}/.portcullis/logged-out/office")))
        file = self.folder / "portcullis.yaml"
        known = {"issuer": self.server["issuer"], "folder": self.folder, **self.ports}
        clients, routes = ("".join(text.format(host=host, **known) for host in HOUSE) for text in (HOUSE_CLIENT, HOUSE_ROUTE))
        file.write_text(CONFIGURATION.format(house_clients=clients, house_routes=routes, **known))
        self.run("gateway", self.binary, "run", file)
        self.wait(lambda: answers(f"http://127.0.0.1:{self.ports['admin']}/readyz"))

    def make_keys(self):
        """A certificate, the client's key and the sessions'."""
        make("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost,DNS:first.portcullis.test,DNS:second.portcullis.test,"
             "DNS:house.portcullis.test,DNS:wiki.portcullis.test,DNS:chat.portcullis.test,"
             "DNS:mail.portcullis.test,DNS:desk.portcullis.test",
             "-keyout", self.folder / "tls.key", "-out", self.folder / "tls.crt")
        make(self.binary, "keys", "new", "client", "--out", self.folder / "web.pem")
        make(self.binary, "keys", "new", "session", "--out", self.folder / "session.key")

    def browser_arguments(self):
        """How Chromium finds the names of the certificate and trusts it: it lets no others share a connection."""
        public = subprocess.run(["openssl", "x509", "-in", self.folder / "tls.crt", "-noout", "-pubkey"], check=True,
                                capture_output=True).stdout
        key = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "der"], input=public, check=True,
                             capture_output=True).stdout
        digest = base64.b64encode(hashlib.sha256(key).digest()).decode()
        return (f"--ignore-certificate-errors-spki-list={digest}",
                "--host-resolver-rules=MAP *.portcullis.test 127.0.0.1")

    def register(self, name, *more):
        """A client of ours at the server."""
        self.tell("add-client", name, "--method", "private_key_jwt", "--key", str(self.folder / "web.pem"),
                  "--key-id", "web-1", "--redirect-uri", f"{self.url}/.portcullis/callback/{name}",
                  "--post-logout-uri", f"{self.url}/.portcullis/logged-out/{name}", "--backchannel-logout-uri",
                  f"http://127.0.0.1:{self.ports['logout']}/.portcullis/backchannel-logout/{name}", *more)

    def tell(self, name, *options):
        """What a command of the authorization server prints."""
        return make(DEPLOY / "authorization-server", name, "--directory", self.folder / "as", *options).strip()

    def run(self, name, *command):
        """Starts a process with its output in a log."""
        with open(self.folder / f"{name}.log", "wb") as log:
            self.running.append(subprocess.Popen(
                list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT))

    def wait(self, is_ready):
        """Until it is ready; fails when the newest process ends first."""
        deadline = time.monotonic() + READY_SECONDS
        while not is_ready():
            if self.running[-1].poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"not ready:\n{self.last_words()}")
            time.sleep(0.05)

    def lines_of(self, path, count=1, **fields):
        """The last lines of the access log with this path, and these fields, once there are so many.

        A line is written when its exchange is over, which the browser may know first. Lines of two connections are in no
        order, for two workers may have written them.
        """
        deadline = time.monotonic() + LOGGED_SECONDS
        while True:
            # The gateway may be in the middle of the last line.
            whole = (self.folder / "access.log").read_text().rpartition("\n")[0]
            lines = [line for line in map(json.loads, whole.splitlines())
                     if line.items() >= {**fields, "path": path}.items()]
            if len(lines) >= count:
                return lines[-count:]
            assert time.monotonic() < deadline, f"{len(lines)} of {count} lines with {path} and {fields}"
            time.sleep(0.02)

    def last_words(self):
        """The end of each log."""
        return "\n".join(f"── {log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-15:])
                         for log in sorted(self.folder.glob("*.log")))

    def stop(self):
        """Ends what was started, the last one first."""
        for process in reversed(self.running):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextlib.contextmanager
def stack(binary):
    """All of it, for as long as it is needed."""
    folder = Path(tempfile.mkdtemp(prefix="portcullis-browser."))
    running = Stack(binary, folder)
    try:
        running.start()
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)


def free_ports(count):
    """Ports that nobody listens on now, below those that the system gives to whoever asks for any.

    One of the latter would be somebody else's by chance before the program listens that is told of it.
    """
    ports = set()
    while len(ports) < count:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.SystemRandom().randrange(15_000, 30_000)))
            ports.add(probe.getsockname()[1])
    return list(ports)


def make(*command):
    """Runs a command that writes what only its owner may read; returns what it prints."""
    finished = subprocess.run(
        list(map(str, command)), check=False, capture_output=True, text=True, timeout=300, umask=0o077)
    if finished.returncode:
        raise SystemExit(f"{' '.join(map(str, command[:3]))}: {finished.stderr}")
    return finished.stdout


def answers(url):
    """Whether it answers with a success."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=20):
            return True
    except (urllib.error.URLError, OSError):
        return False
