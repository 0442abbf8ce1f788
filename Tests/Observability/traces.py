"""Decodes what a gateway exports with the official messages of OpenTelemetry; see the script `traces`."""
import argparse
import base64
import contextlib
import gzip
import http.client
import http.server
import json
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

PATIENCE = 30
TOKEN, COOKIE, CARD, USER, CODE = (secrets.token_hex(12) for _ in range(5))
SECRET, KEY, SESSION = secrets.token_hex(20), secrets.token_hex(20), secrets.token_hex(32)
CONFIGURATION = """\
workers: 2
# As if a proxy in front ended TLS: sessions need it.
listeners: [{{ address: 127.0.0.1:0, public_url: https://gateway.test }}]
admin: {{ address: 127.0.0.1:0 }}
issuers:
  main:
    url: "{issuer}"
    insecure_allow_http: true
    introspection: {{ client: asker }}
clients:
  asker:
    issuer: main
    id: asker
    authentication: {{ method: client_secret_basic, secret: {{ file: {folder}/secret }} }}
  web:
    issuer: main
    id: web
    authentication: {{ method: client_secret_basic, secret: {{ file: {folder}/secret }} }}
    assume_pkce: true
    session: {{ store: memory, keys: [{{ file: {folder}/session }}] }}
routes:
  - {{ path: /app/, name: app, upstream: "{app}", login: web }}
  - path: /api/
    name: api
    upstream: "{app}"
    token: {{ issuers: [main], audience: api }}
  - {{ path: /open/, name: open, upstream: "{app}", public: true }}
tracing: {{ endpoint: "{collector}", headers: {{ Api-Key: {{ file: {folder}/key }} }}, {tracing} }}
log: {{ level: info, operator: {folder}/operator.log, access: "off" }}
limits: {{ refusal_rate_per_client: 1000000 }}
"""


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers as its server wants."""

    protocol_version = "HTTP/1.1"
    # Head and content in one piece: the second would wait for the first one to be acknowledged.
    wbufsize = 65536

    def answer(self, status, content=b"{}", **fields):
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(content), **fields}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Says nothing."""


class App(Handler):
    """Answers with the status that the path ends in, and remembers the traces that it is told of."""

    told = []

    def do_GET(self):
        path = self.path.split("?")[0]
        type(self).told.append((path, self.headers.get_all("traceparent"), self.headers["X-Request-Id"]))
        self.answer(int(path.rsplit("/", 1)[1]))


class Issuer(Handler):
    """An authorization server that knows one token, and has a key that it never signs with."""

    modulus = base64.urlsafe_b64encode(b"\xc1" + secrets.token_bytes(254) + b"\x01").rstrip(b"=").decode()
    keys = {"keys": [{"kty": "RSA", "kid": "1", "use": "sig", "alg": "RS256", "e": "AQAB", "n": modulus}]}

    def do_GET(self):
        base = f"http://127.0.0.1:{self.server.server_address[1]}"
        if "well-known" not in self.path:
            return self.answer(200, json.dumps(self.keys).encode())
        return self.answer(200, json.dumps({
            "issuer": base, "jwks_uri": base + "/jwks", "introspection_endpoint": base + "/introspect",
            "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token",
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"]}).encode())

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200, json.dumps({
            "active": True, "iss": f"http://127.0.0.1:{self.server.server_address[1]}", "aud": "api", "sub": USER,
            "client_id": "client-1", "exp": int(time.time()) + 300}).encode())


class Collector(Handler):
    """Takes spans, or does not."""

    def do_POST(self):
        server = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        sent = len(body)
        if self.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        with server.lock:
            server.sent.append((sent, len(body)))
            server.bodies.append((time.monotonic(), self.path, dict(self.headers), body))
            behaviour = server.behaviours.pop(0) if server.behaviours else server.behaviour
        if behaviour == "hang":
            server.released.wait(PATIENCE)
            return self.answer(200)
        if behaviour == "flood":
            self.send_response(200)
            self.send_header("Content-Length", str(1 << 40))
            self.end_headers()
            with contextlib.suppress(OSError):
                while True:
                    self.wfile.write(bytes(65536))
            self.close_connection = True
            return None
        if behaviour == "later":
            return self.answer(429, Retry_After=1)
        return self.answer(behaviour)


def decoded(body):
    """The official message that the JSON is; ids are hexadecimal in OTLP, where plain protocol buffers have base64."""
    document = json.loads(body)

    def rewrite(value):
        if isinstance(value, list):
            return [rewrite(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {name: base64.b64encode(bytes.fromhex(each)).decode() if name in ("traceId", "spanId", "parentSpanId")
                else rewrite(each) for name, each in value.items()}
    # What is no member of the messages is an error here.
    return json_format.ParseDict(rewrite(document), ExportTraceServiceRequest())


def attributes(of):
    """Each with its value, by name; a name said twice is an error."""
    found = {}
    for attribute in of:
        assert attribute.key not in found, f"{attribute.key} is said twice"
        found[attribute.key] = getattr(attribute.value, attribute.value.WhichOneof("value"))
    return found


class Server(http.server.ThreadingHTTPServer):
    """Whose clients may leave in the middle, as a gateway does that is flooded."""

    daemon_threads = True

    def handle_error(self, *_):
        """Says nothing."""


class Stage:
    """A gateway with all that it needs around it."""

    def __init__(self, binary, tracing, stack):
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="portcullis-traces.")))
        self.app, self.issuer, self.collector = (stack.enter_context(self.serving(handler))
                                                 for handler in (App, Issuer, Collector))
        self.collector.lock, self.collector.released = threading.Lock(), threading.Event()
        self.collector.bodies, self.collector.behaviour, self.collector.behaviours = [], 200, []
        self.collector.sent = []
        for name, value in (("secret", SECRET), ("key", KEY), ("session", SESSION)):
            (self.folder / name).write_text(value + "\n")
            (self.folder / name).chmod(0o600)
        (self.folder / "portcullis.yaml").write_text(CONFIGURATION.format(
            folder=self.folder, tracing=tracing, **{name: f"http://127.0.0.1:{getattr(self, name).server_address[1]}"
                                                   for name in ("app", "issuer", "collector")}))
        output = stack.enter_context(open(self.folder / "output.log", "wb"))
        self.process = subprocess.Popen([binary, "run", self.folder / "portcullis.yaml"], stdin=subprocess.DEVNULL,
                                        stdout=output, stderr=subprocess.STDOUT)
        stack.callback(self.stop)
        self.ports = {}
        self.wait(self.is_ready, "the gateway is not ready")

    @staticmethod
    @contextlib.contextmanager
    def serving(handler):
        server = Server(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
        server.server_close()

    def stop(self):
        """Ends it; its status."""
        self.collector.released.set()
        self.process.terminate()
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def wait(self, condition, what, hurries=False):
        """Until the condition holds; who hurries fills batches, which go out at once then and not after five seconds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise SystemExit(f"{what}:\n" + "".join(
                    log.read_text(errors="replace")[-3000:] for log in self.folder.glob("*.log")))
            if hurries:
                self.ask_often("/nowhere", 200)
            time.sleep(0.02)

    def is_ready(self):
        with contextlib.suppress(FileNotFoundError):
            for line in (self.folder / "operator.log").read_text().split("\n")[:-1]:
                line = json.loads(line)
                if line["event"] == "listening":
                    self.ports[line["listener"]] = int(line["address"].rsplit(":", 1)[1])
        return len(self.ports) == 2 and self.ask_admin("/readyz")[0] == 200

    def ask_admin(self, path, fields=()):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.ports["admin"], timeout=30)) as connection:
            connection.request("GET", path, headers=dict(fields))
            response = connection.getresponse()
            return response.status, response.read().decode()

    def ask(self, path, **fields):
        """The status of a request and its id."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.ports["public"], timeout=30)) as connection:
            connection.request("GET", path, headers={"Host": "gateway.test", **fields})
            response = connection.getresponse()
            response.read()
            # What is forwarded is named to the app alone.
            return response.status, response.headers["X-Request-Id"] or App.told[-1][2]

    def ask_often(self, path, count, *fields):
        """Asks as often, one request behind the other; how long each hundred took."""
        request = "\r\n".join([f"GET {path} HTTP/1.1", "Host: gateway.test", *fields, "", ""]).encode()
        times = []
        with socket.create_connection(("127.0.0.1", self.ports["public"]), 60) as connection:
            for _ in range(count // 100):
                began, answered, rest = time.monotonic(), 0, b""
                connection.sendall(request * 100)
                while answered < 100:
                    received = connection.recv(1 << 20)
                    assert received, "the gateway closed the connection"
                    answered += (rest + received).count(b"HTTP/1.1 ")
                    rest = (rest + received)[-8:]
                times.append(time.monotonic() - began)
        return sorted(times)

    def exemplars(self):
        """The traces that the page of metrics leads to, as the pattern of OpenMetrics has them."""
        accept = {"Accept": "application/openmetrics-text; version=1.0.0"}
        return re.findall(r'_bucket{[^}]*} \d+ # {trace_id="([0-9a-f]{32})"} [0-9.]+\n', self.ask_admin("/metrics", accept)[1])

    def metric(self, name):
        return next(int(line.rsplit(" ", 1)[1]) for line in self.ask_admin("/metrics")[1].split("\n")
                    if line.startswith(name + " "))

    def dropped(self, reason):
        return self.metric(f'portcullis_trace_spans_dropped_total{{reason="{reason}"}}')

    def exports(self):
        with self.collector.lock:
            return list(self.collector.bodies)

    def spans(self, trace=None):
        """The spans exported, or those of one trace."""
        bodies = [body for _, _, _, body in self.exports() if trace is None or trace.encode() in body]
        return [span for body in bodies for resource in decoded(body).resource_spans
                for scope in resource.scope_spans for span in scope.spans
                if trace is None or span.trace_id.hex() == trace]


# holds ECO-51, ECO-52
def check_golden(stage):
    """One request with a token and secrets of all kinds: each span, to the last attribute."""
    status, trace = stage.ask(
        f"/api/200?card={CARD}", Authorization=f"Bearer {TOKEN}", Cookie=f"sweet={COOKIE}",
        tracestate=f"x={CARD}")
    assert status == 200, status
    # The client has the answer a moment before the worker counts the request.
    stage.wait(lambda: stage.exemplars() == [trace, trace], "the durations do not lead to the trace")
    stage.wait(lambda: len(stage.spans(trace)) == 3, "three spans did not come", hurries=True)
    server, client, wait = sorted(stage.spans(trace), key=lambda span: (-(span.kind == Span.SPAN_KIND_SERVER),
                                                                       -span.kind))
    port = stage.app.server_address[1]
    golden = [
        (server, "GET api", Span.SPAN_KIND_SERVER, b"", {
            "http.request.method": "GET", "url.scheme": "https", "url.path": "/api/200", "server.address": "gateway.test",
            "server.port": 443, "http.route": "api", "http.response.status_code": 200, "network.protocol.version": "1.1",
            "client.address": "127.0.0.1", "portcullis.decision": "allow", "portcullis.client_id": "client-1",
            "portcullis.issuer": f"http://127.0.0.1:{stage.issuer.server_address[1]}",
            "portcullis.request_id": trace}),
        (client, "GET", Span.SPAN_KIND_CLIENT, server.span_id, {
            "http.request.method": "GET", "url.scheme": "http", "server.address": "127.0.0.1", "server.port": port,
            "http.response.status_code": 200, "network.protocol.version": "1.1"}),
        (wait, "introspect", Span.SPAN_KIND_INTERNAL, server.span_id, {})]
    for span, name, kind, parent, expected in golden:
        assert (span.name, span.kind, span.parent_span_id) == (name, kind, parent), span
        found = attributes(span.attributes)
        assert found == expected, dict(found.items() ^ expected.items())
        assert span.status.code == Status.STATUS_CODE_UNSET
        assert 0 <= span.end_time_unix_nano - span.start_time_unix_nano < PATIENCE * 10**9
        assert abs(time.time() - span.start_time_unix_nano / 10**9) < PATIENCE
    told = App.told[-1][1]
    assert told == [f"00-{trace}-{client.span_id.hex()}-01"], told
    _, path, fields, body = stage.exports()[-1]
    assert path == "/v1/traces" and fields["Api-Key"] == KEY and fields["Content-Type"] == "application/json"
    resource = decoded(body).resource_spans[0].resource
    assert attributes(resource.attributes)["service.name"] == "portcullis"
    for path, expected, name in (("login", 303, "login.start"), ("callback", 400, "login.callback")):
        status, asked = stage.ask(f"/.portcullis/{path}/web?code={CODE}&state={CODE}")
        assert status == expected, status
        stage.wait(lambda asked=asked: len(stage.spans(asked)) == 2, f"{name} did not come", hurries=True)
        outer, inner = stage.spans(asked)
        assert (outer.name, inner.name, inner.parent_span_id) == ("GET", name, outer.span_id), (outer, inner)
        assert "http.route" not in attributes(outer.attributes)
    failed = stage.ask("/open/503")[1]
    stage.wait(lambda: len(stage.spans(failed)) == 2, "the spans of a failure did not come", hurries=True)
    assert all(span.status.code == Status.STATUS_CODE_ERROR for span in stage.spans(failed))


# holds ECO-53
# refuses ECO-53
def check_refusals(stage):
    """429 with Retry-After, another refusal, an answer without end."""
    # At once: a batch that came between would be taken for the one that is to come again.
    with stage.collector.lock:
        before = len(stage.collector.bodies)
        stage.collector.behaviours = ["later"]
    stage.wait(lambda: len(stage.exports()) >= before + 2, "a batch did not come again", hurries=True)
    first, second = stage.exports()[before:before + 2]
    assert second[0] - first[0] > 0.9 and second[3] == first[3], "it came too soon, or was another"
    assert stage.dropped("refused") == 0
    for behaviour in (400, "flood"):
        lost = stage.dropped("refused")
        stage.collector.behaviours = [behaviour]
        stage.wait(lambda lost=lost: stage.dropped("refused") > lost, f"spans were not lost by {behaviour}", hurries=True)


# refuses ECO-53
def check_hang(stage):
    """A collector that answers nothing: requests go on as before, and spans are dropped and counted."""
    quick = stage.ask_often("/nowhere", 5000)
    stage.wait(lambda: stage.metric("portcullis_trace_spans_waiting") == 0, "spans still wait")
    resident = stage.metric("process_resident_memory_bytes")
    stage.collector.behaviour = "hang"
    slow = stage.ask_often("/nowhere", 20000)
    stage.wait(lambda: stage.dropped("queue_full") > 0, "the queue is not bounded")
    assert stage.metric("portcullis_trace_spans_waiting") <= 8192
    grown = stage.metric("process_resident_memory_bytes") - resident
    assert grown < 64 << 20, f"{grown} bytes more"
    # Medians: one pause of the machine is not the collector's doing.
    usual, hung = quick[len(quick) // 2], slow[len(slow) // 2]
    print(f"a hundred refusals take {usual * 1000:.1f} ms, and {hung * 1000:.1f} ms beside a collector that hangs")
    assert hung < 3 * usual + 0.02, "requests are slower beside a collector that hangs"
    stage.collector.behaviour = 200
    stage.collector.released.set()
    exported = stage.metric("portcullis_trace_spans_exported_total")
    stage.wait(lambda: stage.metric("portcullis_trace_spans_exported_total") >= exported + 8000, "they were not sent")


# refuses ECO-52
def check_secrets(stage):
    """No body that was exported has anything that only the request's own parties may know."""
    exported = b"".join(body for _, _, _, body in stage.exports())
    assert len(exported) > 1 << 20
    for secret in (TOKEN, COOKIE, CARD, USER, CODE, SECRET, KEY, SESSION):
        assert secret.encode() not in exported, "a secret was exported"


# refuses ECO-52, ECO-53
def check_logs(stage):
    """No line of a log has what the collector is sent as its key, or what requests brought, whatever went wrong before."""
    logs = "".join(log.read_text(errors="replace") for log in stage.folder.glob("*.log"))
    assert '"trace_export_failed"' in logs
    for secret in (TOKEN, COOKIE, CARD, USER, CODE, SECRET, KEY, SESSION):
        assert secret not in logs, "a secret was logged"


# holds ECO-53
def check_end(stage):
    """The last batch leaves before the process ends."""
    trace = stage.ask("/open/200")[1]
    assert stage.stop() == 0
    assert len(stage.spans(trace)) == 2, "the last spans were lost"


# holds ECO-53
# refuses ECO-53
def check_compressed(stage):
    """In gzip, where the operator wants it: the same spans in fewer bytes, and whoever may not read it is told of."""
    trace = stage.ask("/open/200")[1]
    stage.wait(lambda: len(stage.spans(trace)) == 2, "the spans did not come", hurries=True)
    assert all(fields["Content-Encoding"] == "gzip" for _, _, fields, _ in stage.exports())
    lost = stage.dropped("refused")
    stage.collector.behaviours = [415]
    stage.wait(lambda: stage.dropped("refused") > lost, "spans were not lost", hurries=True)

    def told():
        lines = [json.loads(line) for line in (stage.folder / "operator.log").read_text().split("\n")[:-1]]
        return [line.get("setting") for line in lines if line["event"] == "trace_export_failed"]

    # Another thread writes the line, behind the count.
    stage.wait(told, "nobody was told")
    assert told() == ["tracing.compression"], told()
    stage.stop()
    sent, content = (sum(sizes) for sizes in zip(*stage.collector.sent))
    assert sent * 8 < content, f"{sent} bytes for {content}"
    print(f"{content} bytes of spans were sent as {sent}")


# refuses ECO-50, ECO-54
def check_strangers(stage):
    """Who is not trusted does not decide what is sampled; who is, does."""
    parent = f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"
    stage.ask_often("/open/200", 200, f"traceparent: {parent}")
    assert stage.metric("portcullis_trace_spans_waiting") == 0
    stage.stop()
    assert not stage.exports(), "a stranger had spans exported"
    assert all(told[0].endswith("-00") and parent[3:35] not in told[0] for _, told, _ in App.told[-200:])


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--binary", required=True)
    binary = Path(arguments.parse_args().binary).resolve()
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        stage = Stage(binary, "ratio: 100%", stack)
        for check in (check_golden, check_refusals, check_hang, check_secrets, check_logs, check_end):
            started = time.monotonic()
            check(stage)
            print(f"{check.__doc__} ({time.monotonic() - started:.1f} s)", flush=True)
    with contextlib.ExitStack() as stack:
        check_compressed(Stage(binary, "ratio: 100%, compression: gzip", stack))
    with contextlib.ExitStack() as stack:
        check_strangers(Stage(binary, "ratio: 0%", stack))
    print(f"spans are as they should be ({time.monotonic() - began:.1f} s)")


if __name__ == "__main__":
    sys.exit(main())
