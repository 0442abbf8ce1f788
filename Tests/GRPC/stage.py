"""The gateway under test on 127.0.0.1, the servers behind it, and tokens that it takes; all in a folder that goes away."""
import base64
import contextlib
import hashlib
import itertools
import json
import random
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import proxies
import server
import upstreams

READY_SECONDS = 120
LOG_SECONDS = 30
AUTHORITY = "gateway.test"
AUDIENCE = "https://gateway.test/api"
ISSUER = "https://issuer.test"
SUBJECT = "alice"
# One for each test that scripts an upstream, and a few more.
SCRIPTED = 220

CONFIGURATION = """\
workers: 1
listeners:
  - address: 127.0.0.1:{port}
    public_url: http://{host}
    http2: true
  - address: 127.0.0.1:{tls}
    public_url: https://{host}
    http2: true
    tls: {{ certificate: {folder}/tls.crt, key: {folder}/tls.key }}
  - address: 127.0.0.1:{terminated}
    public_url: https://{host}
    http2: true
    trusted_proxies: [127.0.0.1/32]
admin: {{ address: 127.0.0.1:{admin} }}
issuers:
  fixed: {{ url: {issuer}, jwks: {{ file: {folder}/jwks.json }}, leeway: 0s }}
routes:
{routes}
timeouts: {{ upstream_connect: 3s }}
log: {{ operator: {folder}/operator.log, access: {folder}/access.log }}
"""
TOKEN = "issuers: [fixed], audience: " + AUDIENCE
IDENTITY = "identity: { X-User-Id: sub, X-Roles: roles }"
# Upstreams with TLS by name: what they agree to speak.
AGREED = {"h2": ["h2"], "both": ["h2", "http/1.1"], "http1": ["http/1.1"], "nothing": []}
# Services by name: what their routes say beside the path and the upstream.
SERVICES = {
    "open.S": "public: true, grpc: true",
    "plain.S": "public: true",
    "token.S": f"token: {{ {TOKEN} }}, grpc: true, {IDENTITY}",
    "scope.S": f"token: {{ {TOKEN}, scopes: [write] }}, grpc: true",
    "keep.S": f"token: {{ {TOKEN}, streams: keep }}, grpc: true",
    "proof.S": f"token: {{ {TOKEN}, schemes: [DPoP] }}, grpc: true",
    "limit.S": "public: true, grpc: true, limits: { request_body: 1MiB }",
    "rate.S": "public: true, grpc: true, limits: { requests: [{ rate: 1/h, burst: 1, by: route }] }",
    "web.S": f"token: {{ {TOKEN} }}, cors: {{ origins: [https://pages.test] }}",
    "grpc.health.v1.Health": "public: true, grpc: true",
}


class Stage:
    """Addresses of what runs, and what was logged."""

    def __init__(self, folder):
        self.folder = folder
        # The third is for who has ended TLS in front of it.
        self.port, self.tls, self.terminated, self.admin = free_ports(4)
        self.calls = server.Calls(folder)
        self.contents = server.Contents()
        self.proxies = {name: kind(folder / name) for name, kind in proxies.KINDS.items()}
        self.listeners = [upstreams.Listener() for _ in range(SCRIPTED)]
        self.secure = {name: upstreams.Listener(alpn(folder, protocols)) for name, protocols in AGREED.items()}
        self.unused = itertools.count()
        # Bound, and never listening: nobody else gets the port, and nobody is there.
        self.nobody = socket.socket()
        self.nobody.bind(("127.0.0.1", 0))
        self.binary = self.process = None
        self.numbers = itertools.count()

    def start(self, binary):
        """Starts it, and waits until it is ready."""
        self.binary = binary
        configuration = self.folder / "portcullis.yaml"
        configuration.write_text(CONFIGURATION.format(
            port=self.port, tls=self.tls, terminated=self.terminated, admin=self.admin, host=AUTHORITY, folder=self.folder,
            issuer=ISSUER, routes="\n".join(self.routes())))
        with open(self.folder / "output.log", "wb") as log:
            self.process = subprocess.Popen(
                [binary, "run", configuration], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + READY_SECONDS
        while not answers(f"http://127.0.0.1:{self.admin}/readyz"):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"the gateway is not ready:\n{self.last_words()}")
            time.sleep(0.02)

    def routes(self):
        """Lines of the configuration."""
        plain = f"{{ url: http://127.0.0.1:{self.calls.port}, protocol: h2 }}"
        authority = f"certificate_authority: {self.folder}/tls.crt, server_name: {AUTHORITY}"
        secure = f"url: https://127.0.0.1:{self.calls.tls}, {authority}"
        for name, access in SERVICES.items():
            yield f"  - {{ path: /{name}/, upstream: {plain}, {access} }}"
        yield f"  - {{ path: /secure.S/, upstream: {{ {secure}, protocol: h2 }}, public: true, grpc: true }}"
        # Of one server that is well and of nobody, which both are asked once at the start.
        both = secure.replace("url: ", "url: [").replace(",", f", https://127.0.0.1:{self.nobody.getsockname()[1]}],", 1)
        health = "health: { grpc: checked.S, interval: 10s, timeout: 10s, unhealthy: 1 }"
        yield f"  - {{ path: /checked.S/, upstream: {{ {both}, protocol: h2, {health} }}, public: true, grpc: true }}"
        yield f"  - {{ path: /unix.S/, upstream: {{ url: unix:{self.calls.path}, protocol: h2 }}, public: true, grpc: true }}"
        yield f"  - {{ path: /agreed.S/, upstream: {{ {secure}, protocol: auto }}, public: true }}"
        for name, listener in self.secure.items():
            for protocol in ("h2", "auto", "http1"):
                upstream = f"upstream: {{ url: https://127.0.0.1:{listener.port}, {authority}, protocol: {protocol} }}"
                yield f"  - {{ path: /{name}/{protocol}/, {upstream}, public: true }}"
        for name, proxy in self.proxies.items():
            ways = {"plain": f"url: http://127.0.0.1:{proxy.plain}, protocol: h2",
                    "secure": f"url: https://127.0.0.1:{proxy.secure}, {authority}, protocol: h2",
                    "auto": f"url: https://127.0.0.1:{proxy.secure}, {authority}, protocol: auto"}
            for way, upstream in ways.items():
                calls = "" if way == "auto" else ", grpc: true"
                yield f"  - {{ path: /{name}.{way}.S/, upstream: {{ {upstream} }}, public: true{calls} }}"
                yield f"  - {{ path: /contents/{name}/{way}/, upstream: {{ {upstream} }}, public: true }}"
        yield f"  - {{ path: /contents/front/, upstream: http://127.0.0.1:{self.contents.port}, public: true }}"
        down = f"{{ url: http://127.0.0.1:{self.nobody.getsockname()[1]}, protocol: h2 }}"
        yield f"  - {{ path: /down.S/, upstream: {down}, public: true, grpc: true }}"
        for number, listener in enumerate(self.listeners):
            upstream = f"upstream: {{ url: http://127.0.0.1:{listener.port}, protocol: h2 }}"
            times = "timeouts: { upstream_first_byte: 4s }"
            yield f"  - {{ path: /{number}/, {upstream}, public: true, websocket: true, {times} }}"
            yield f"  - {{ path: /{number}/grpc/, {upstream}, public: true, grpc: true }}"
            yield f"  - {{ path: /{number}/pass/, {upstream}, public: true, request_trailers: pass }}"
            yield f"  - {{ path: /{number}/user/, {upstream}, token: {{ {TOKEN} }}, {IDENTITY} }}"

    def upstream(self, script):
        """An upstream of its own for a test, and the path that leads there."""
        number = next(self.unused)
        listener = self.listeners[number]
        listener.start(script)
        return listener, f"/{number}/"

    def is_alive(self):
        """Whether the gateway still runs."""
        return self.process.poll() is None

    def memory(self):
        """Bytes of the gateway's that are in memory now."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) * 1024

    def mark(self):
        """Where the logs end now."""
        return {name: (self.folder / name).stat().st_size for name in ("operator.log", "access.log")}

    def logged(self, mark, *words, about=("",)):
        """Waits for a line behind the mark that has all these words, and one of those that say what it is about."""
        end = time.monotonic() + LOG_SECONDS
        while True:
            lines = [line for name, size in mark.items() for line in self.text(name)[size:].splitlines()]
            lines = [line for line in lines if any(word in line for word in about)]
            if any(all(word in line for word in words) for line in lines):
                return
            if time.monotonic() > end:
                raise AssertionError(f"no line with {words}:\n  " + "\n  ".join(line[:420] for line in lines[-3:]))
            time.sleep(0.02)

    def text(self, name):
        """All of a log."""
        return (self.folder / name).read_bytes().decode("latin-1")

    def last_words(self):
        """The end of each log."""
        return "\n".join(f"── {log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-15:])
                         for log in sorted(self.folder.glob("*.log")))

    def stop(self):
        """Ends what was started."""
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.calls.stop()
        self.contents.stop()
        for proxy in self.proxies.values():
            proxy.stop()
        for listener in [*self.listeners, *self.secure.values()]:
            listener.stop()

    # MARK: tokens

    def token(self, seconds=3600, **claims):
        """A token of the issuer's."""
        now = int(time.time())
        all_claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": SUBJECT, "client_id": "tester", "iat": now,
                      "exp": now + seconds, "jti": str(next(self.numbers)), "scope": "read", **claims}
        return signed(self.folder / "issuer.pem", {"typ": "at+jwt", "alg": "ES256", "kid": "1"}, all_claims)

    def proof(self, token, path):
        """A proof of possession of the client's key, for a call."""
        claims = {"jti": str(next(self.numbers)), "htm": "POST", "htu": f"http://{AUTHORITY}{path}", "iat": int(time.time()),
                  "ath": encoded(hashlib.sha256(token.encode()).digest())}
        key = self.folder / "client.pem"
        return signed(key, {"typ": "dpop+jwt", "alg": "ES256", "jwk": public(key)}, claims)

    def thumbprint(self):
        """Of the client's key (RFC 7638)."""
        text = json.dumps(public(self.folder / "client.pem"), sort_keys=True, separators=(",", ":"))
        return encoded(hashlib.sha256(text.encode()).digest())


@contextlib.contextmanager
def stage(binary):
    """All of it, for as long as it is needed."""
    folder = Path(tempfile.mkdtemp(prefix="portcullis-grpc."))
    running = None
    try:
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
                f"/CN={AUTHORITY}", "-addext", f"subjectAltName=DNS:{AUTHORITY}", "-keyout", folder / "tls.key",
                "-out", folder / "tls.crt")
        for name in ("issuer", "client"):
            openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", folder / f"{name}.pem")
        key = {**public(folder / "issuer.pem"), "kid": "1", "use": "sig", "alg": "ES256"}
        (folder / "jwks.json").write_text(json.dumps({"keys": [key]}))
        running = Stage(folder)
        running.start(binary)
        yield running
    finally:
        if running:
            running.stop()
        shutil.rmtree(folder, ignore_errors=True)


def alpn(folder, protocols):
    """A server's side of TLS that agrees to these protocols."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    if protocols:
        context.set_alpn_protocols(protocols)
    return context


def public(key):
    """The public half of a P-256 key, as a JWK."""
    point = openssl("pkey", "-in", key, "-pubout", "-outform", "DER")[-64:]
    return {"kty": "EC", "crv": "P-256", "x": encoded(point[:32]), "y": encoded(point[32:])}


def signed(key, *parts):
    """A JWS of header and claims, with ES256."""
    text = ".".join(encoded(json.dumps(part).encode()) for part in parts)
    der = openssl("dgst", "-sha256", "-sign", key, given=text.encode())
    numbers, place = [], 2
    for _ in range(2):
        length = der[place + 1]
        numbers.append(int.from_bytes(der[place + 2:place + 2 + length], "big"))
        place += 2 + length
    return f"{text}.{encoded(b''.join(number.to_bytes(32, 'big') for number in numbers))}"


def encoded(data):
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def openssl(*options, given=None):
    """What a command of OpenSSL writes."""
    done = subprocess.run(["openssl", *map(str, options)], input=given, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"openssl {options[0]}: {done.stderr.decode()}")
    return done.stdout


def free_ports(count):
    """Ports that nobody listens on now, below those that the system gives to whoever asks for any."""
    ports = set()
    while len(ports) < count:
        port = random.randrange(10000, 30000)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        ports.add(port)
    return list(ports)


def answers(url):
    """Whether somebody answers 200 there."""
    try:
        with urllib.request.urlopen(url, timeout=1) as response:
            return response.status == 200
    except (urllib.error.URLError, OSError):
        return False


def waits(test):
    """Has a test run beside the others, because it waits for a clock."""
    test.waits = True
    return test
