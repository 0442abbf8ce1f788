"""Starts the gateway under test on 127.0.0.1, on ports that were free, in a folder that goes away afterwards."""
import base64
import contextlib
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

READY_SECONDS = 120
HOST = "gw.test"
AUDIENCE = "https://gw.test/api"
ISSUER = "https://issuer.test"
SUBJECT = "alice"

CONFIGURATION = """\
workers: {workers}
listeners:
  - address: 127.0.0.1:{port}
    public_url: {public_url}
    hosts: [{host}, "{host}:80"]
    http2: {http2}
admin: {{ address: 127.0.0.1:{admin} }}
issuers:
  fixed: {{ url: {issuer}, jwks: {{ file: {folder}/jwks.json }} }}
routes:
{routes}
{rest}
log: {{ level: debug, operator: {folder}/operator.log, access: {folder}/access.log }}
"""


class Gateway:
    """A running gateway: where it listens, and what it logged."""

    def __init__(self, binary, folder, routes, rest="", workers=1, http2=False, public_url=None):
        self.folder = folder
        self.port, self.admin = free_ports(2)
        configuration = folder / "portcullis.yaml"
        configuration.write_text(CONFIGURATION.format(
            workers=workers, port=self.port, admin=self.admin, host=HOST, issuer=ISSUER, folder=folder,
            routes=routes, rest=rest, http2=str(http2).lower(),
            public_url=public_url or f"http://127.0.0.1:{self.port}"))
        with open(folder / "output.log", "wb") as log:
            self.process = subprocess.Popen(
                [binary, "run", configuration], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def wait(self):
        """Until it is ready."""
        deadline = time.monotonic() + READY_SECONDS
        while not answers(f"http://127.0.0.1:{self.admin}/readyz"):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"the gateway is not ready:\n{self.last_words()}")
            time.sleep(0.02)

    def is_alive(self):
        """Whether the process still runs."""
        return self.process.poll() is None

    def last_words(self):
        """The end of each of its logs."""
        return "\n".join(f"── {log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-15:])
                         for log in sorted(self.folder.glob("*.log")))

    def problems_of_logs(self):
        """Whatever a client sent, each line of a log is an object of JSON without control octets, and has no token."""
        for log in ("access.log", "operator.log"):
            for line in (self.folder / log).read_bytes().split(b"\n")[:-1]:
                try:
                    is_object = isinstance(json.loads(line), dict)
                except ValueError:
                    is_object = False
                if not is_object or any(byte < 0x20 or byte == 0x7f for byte in line):
                    yield f"{log}: {line[:300]!r}"
                if self.token.encode()[-40:] in line:
                    yield f"{log} has the token: {line[:300]!r}"

    def stop(self):
        """Ends it."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def gateway(binary, routes, rest="", workers=1, http2=False, public_url=None):
    """A gateway with these routes, and a token that its token routes take. A wildcard is of the port of `public_url`."""
    folder = Path(tempfile.mkdtemp(prefix="portcullis-desync."))
    running = None
    try:
        token = mint(folder)
        running = Gateway(binary, folder, routes, rest, workers, http2, public_url)
        running.token = token
        running.wait()
        yield running
    finally:
        if running:
            running.stop()
        shutil.rmtree(folder, ignore_errors=True)


def mint(folder):
    """Makes the issuer's key, its set, and a token of its user."""
    key = folder / "issuer.pem"
    openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", key)
    modulus = openssl("rsa", "-in", key, "-noout", "-modulus").decode().strip().split("=")[1]
    public = {"kty": "RSA", "kid": "1", "use": "sig", "alg": "RS256", "e": "AQAB", "n": encoded(bytes.fromhex(modulus))}
    (folder / "jwks.json").write_text(json.dumps({"keys": [public]}))
    now = int(time.time())
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": SUBJECT, "client_id": "tester", "iat": now, "exp": now + 3600,
              "jti": "1", "scope": "all"}
    parts = [encoded(json.dumps(part).encode()) for part in ({"typ": "at+jwt", "alg": "RS256", "kid": "1"}, claims)]
    signature = openssl("dgst", "-sha256", "-sign", key, given=".".join(parts).encode())
    return ".".join([*parts, encoded(signature)])


def encoded(data):
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def openssl(*arguments, given=None):
    """What the command prints."""
    return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=300,
                          input=given).stdout


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


def answers(url):
    """Whether it answers with a success."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=20):
            return True
    except (urllib.error.URLError, OSError):
        return False
