"""The gateway that odd requests are sent to, the upstream behind it, and the client that sends them."""
import http.server
import json
import socket
import threading

from . import heads, logins, signers, tokens
from .failure import Failure
from .processes import free_ports
from .servers import Gateway

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class OddGateway(Gateway):
    """One worker with a route for everything that can be allowed and demanded."""

    # Callgrind takes some seconds to start it.
    start_seconds = 300

    def __init__(self, binary, effort, origin, server):
        super().__init__(binary)
        self.effort = effort
        self.origin = origin
        self.server = server
        self.trusting_port, = free_ports(1)
        # The issuer whose documents are read next.
        self.read = ""
        self.place = None

    def command(self, site):
        self.place = site
        return self.effort.command(super().command(site))

    def read_next(self, issuer):
        """Puts another configuration in the place of this one, which has this issuer; SIGHUP makes it read."""
        self.read = issuer
        (self.place.folder / "portcullis.yaml").write_text(self.configuration(self.place))

    def configuration(self, site):
        server, fixtures = self.server, site.fixtures
        issuer, client = logins.settings(server, fixtures / "client.pem")
        upstream = f"upstream: \"http://127.0.0.1:{self.origin.port}\""
        token = (f"token: {{ issuers: [bench], audience: \"{tokens.AUDIENCE}\", scopes: [{tokens.SCOPE}], "
                 "claims: { groups: [group-00001, staff] }, authorization_details: [{ type: orders, actions: [read] }]")
        plain_token = token.partition(", claims")[0]
        allowing = "\n".join(
            f"  - {{ path: /allow-{mask}/, {upstream}, public: true{self.allowed(mask)} }}"
            for mask in range(1 << len(heads.ALLOWANCES)))
        return f"""workers: 1
listeners:
  - {{ address: "127.0.0.1:{site.port}", public_url: "https://127.0.0.1:{site.port}", forwarded: true }}
  - address: "127.0.0.1:{self.trusting_port}"
    public_url: "https://127.0.0.1:{self.trusting_port}"
    trusted_proxies: [127.0.0.0/8]
    client_cert_from: [127.0.0.0/8]
    forwarded: true
admin: {{ address: "127.0.0.1:{site.admin_port}" }}
log: {{ access: "{site.folder / "access.log"}", operator: "{site.folder / "operator.log"}", level: info }}
{issuer.replace("clients:", f'''  bench:
    url: {json.dumps(tokens.ISSUER)}
    discovery: none
    jwks: {{ file: {json.dumps(str(fixtures / "jwks.json"))} }}
  signers:
    url: {json.dumps(signers.ISSUER)}
    discovery: none
    jwks: {{ file: {json.dumps(str(fixtures / "signers.json"))} }}
{self.read}
clients:''')}
routes:
{allowing}
  - {{ path: /guarded/, {upstream}, {plain_token} }}, case_insensitive: true }}
  - {{ path: /, {upstream}, public: true }}
  - {{ path: /public/, {upstream}, public: true, websocket: true }}
  - path: /api/
    {upstream}
    {token} }}
    identity: {{ X-User-Id: sub, X-Groups: groups }}
  - {{ path: /opaque/, {upstream}, {plain_token} }} }}
  - {{ path: /signed/, {upstream}, {plain_token.replace("[bench]", "[signers]")} }} }}
  - {{ path: /bound/, {upstream}, {plain_token}, schemes: [DPoP], dpop: {{ nonce: optional }} }} }}
  - {{ path: /cors/, {upstream}, {plain_token} }}, cors: {{ origins: [https://app.bench.test] }} }}
  - {{ path: /app/, {upstream}, login: {{ client: {logins.NAME} }}, identity: {{ X-User-Id: sub }} }}
  - {{ path: /form/, {upstream}, login: {{ client: {logins.NAME}, keep_form: true }} }}
  - {{ path: /both/, {upstream}, login: {logins.NAME}, {plain_token} }} }}
"""


    @staticmethod
    def allowed(mask):
        names = [one for bit, one in enumerate(heads.ALLOWANCES) if mask >> bit & 1]
        return f", allow_in_path: [{', '.join(names)}]" if names else ""


class OddServer:
    """An authorization server whose documents are those that were set."""

    def __init__(self):
        self.documents = {}
        self.served = 0
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Answers what it has, once for each connection."""

            def do_GET(self):  # noqa: N802
                body = server.documents.get(self.path, b"")
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                server.served += 1

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class OddOrigin:
    """Answers every request with the bytes that its path names, and with `ok` where it names none."""

    def __init__(self):
        self.answers = {}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        data = b""
        with client:
            while True:
                while b"\r\n\r\n" not in data:
                    more = client.recv(1 << 17)
                    if not more:
                        return
                    data += more
                head, _, data = data.partition(b"\r\n\r\n")
                data = self.past_body(client, head.lower(), data)
                name = head.split(b" ", 2)[1].rpartition(b"/response/")
                answer = self.answers.get(name[2].decode()) if name[1] else None
                client.sendall(answer or ANSWER)

    @staticmethod
    def past_body(client, head, data):
        def end():
            if b"\r\ntransfer-encoding:" in head:
                # The last chunk and its trailers; no chunk of ours has a zero of its own.
                if data.startswith(b"0\r\n"):
                    place = 0
                else:
                    place = data.find(b"\r\n0\r\n") + 2
                    if place < 2:
                        return -1
                last = data.find(b"\r\n\r\n", place)
                return last + 4 if last >= 0 else -1
            place = head.find(b"\r\ncontent-length:")
            length = int(head[place + 17:].split(b"\r\n", 1)[0]) if place >= 0 else 0
            return length if len(data) >= length else -1

        while (place := end()) < 0:
            data += client.recv(1 << 17)
        return data[place:]

    def close(self):
        self.listener.close()


class Client:
    """A connection that is opened anew when the gateway closed it."""

    def __init__(self, port):
        self.port = port
        self.socket = None
        self.opened = 0
        self.statuses = set()

    def exchange(self, message):
        """Sends one request and reads its answer, final and with its whole body."""
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), 120)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.opened += 1
        try:
            self.socket.sendall(message)
        except OSError:
            pass  # Refused before it was read: the answer is there all the same.
        data, is_open = b"", True
        while not self.is_whole(data):
            try:
                more = self.socket.recv(1 << 17)
            except ConnectionError:
                more = b""
            if not more:
                is_open = False
                break
            data += more
        if not data:
            raise Failure("answers nothing")
        self.statuses.add(int(data[9:12]))
        if not is_open or b"\r\nconnection: close" in data.partition(b"\r\n\r\n")[0].lower():
            self.close()

    @staticmethod
    def is_whole(data):
        head, separator, body = data.partition(b"\r\n\r\n")
        if not separator:
            return False
        lines = head.lower().split(b"\r\n")
        if lines[0][9:12] in (b"204", b"304"):
            return True
        for line in lines[1:]:
            if line.startswith(b"content-length:"):
                return len(body) >= int(line[15:])
        if b"transfer-encoding: chunked" in lines:
            return body.endswith(b"0\r\n\r\n")
        return False

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None
