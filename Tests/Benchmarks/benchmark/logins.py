"""An authorization server that knows one user, and the browser's part of a login; for what a login leaves behind."""
import base64
import http.client
import http.server
import json
import secrets
import threading
import time
import urllib.parse

from .failure import Failure
from .tokens import encoded_json, new_key, signed_es256

try:
    from cryptography.hazmat.primitives import serialization
except ImportError:
    serialization = None

NAME = "bench"
COOKIE = f"__Host-portcullis-{NAME}"
KEY_ID = "bench-es256"
SUBJECT = "user-000001"
SCOPE = "openid orders:read"
FOREIGN_STATUS = 404


class LoginServer:
    """Takes every pushed request, and redeems its code: it checks nothing, because it is not what is measured."""

    def __init__(self, issuer):
        self.issuer = issuer
        self.requests = {}
        # Of the last login that was redeemed.
        self.last_sid = ""
        # Pushed requests wait here while it is not set: whoever begins a login meanwhile waits too.
        self.gate = threading.Event()
        self.gate.set()
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Answers on connections that are kept."""

            protocol_version = "HTTP/1.1"

            def do_GET(self):  # noqa: N802
                documents = {"/.well-known/openid-configuration": server.metadata(), "/jwks": server.key_set()}
                self.reply(200 if self.path in documents else FOREIGN_STATUS, documents.get(self.path, {}))

            def do_POST(self):  # noqa: N802
                form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                if self.path == "/par":
                    server.gate.wait(60)
                    self.reply(201, server.push(form))
                else:
                    self.reply(200, server.redeem(form, "DPoP" in self.headers))

            def reply(self, status, document):
                body = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Cache-Control", "no-store")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def metadata(self):
        return {
            "issuer": self.url, "authorization_endpoint": f"{self.url}/authorize", "token_endpoint": f"{self.url}/token",
            "pushed_authorization_request_endpoint": f"{self.url}/par", "jwks_uri": f"{self.url}/jwks",
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "code_challenge_methods_supported": ["S256"], "id_token_signing_alg_values_supported": ["ES256"],
            "token_endpoint_auth_methods_supported": ["private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported": ["ES256"],
            "request_object_signing_alg_values_supported": ["ES256"], "dpop_signing_alg_values_supported": ["ES256"],
            "authorization_response_iss_parameter_supported": True,
        }

    def key_set(self):
        return json.loads(self.issuer.key_set())

    def push(self, form):
        """Keeps what a request object asks for."""
        payload = form["request"][0].split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        reference = f"urn:ietf:params:oauth:request_uri:{secrets.token_urlsafe(16)}"
        self.requests[reference] = claims
        return {"request_uri": reference, "expires_in": 60}

    def answer(self, reference):
        """The query that the browser brings back to the gateway."""
        claims = self.requests[reference]
        return urllib.parse.urlencode({"code": reference, "state": claims["state"], "iss": self.url})

    def redeem(self, form, is_bound):
        claims = self.requests.pop(form["code"][0])
        now = int(time.time())
        self.last_sid = secrets.token_urlsafe(16)
        token = encoded_json({"alg": "ES256", "kid": KEY_ID}) + "." + encoded_json({
            "iss": self.url, "sub": SUBJECT, "aud": NAME, "iat": now, "exp": now + 300, "auth_time": now,
            "nonce": claims["nonce"], "sid": self.last_sid, "email": "user@shop.bench.test",
            "email_verified": True})
        return {
            "access_token": secrets.token_urlsafe(32), "token_type": "DPoP" if is_bound else "Bearer",
            "expires_in": 14_400, "refresh_token": secrets.token_urlsafe(32), "scope": SCOPE,
            "id_token": f"{token}.{signed_es256(self.issuer.keys['ES256'], token.encode())}",
        }

    def close(self):
        self.server.shutdown()


def client_key(path):
    """Writes a key for assertions and request objects."""
    path.write_bytes(new_key().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    path.chmod(0o600)


def settings(server, key, dpop=False, store=None):
    """The issuer and the client of a gateway's configuration, and what a route has for them."""
    session = (f"""
    session: {{ store: shared, keys: [{{ file: {json.dumps(str(store.session_key))} }}] }}""" if store else "")
    shown = f"""issuers:
  logins: {{ url: "{server.url}", insecure_allow_http: true }}
clients:
  {NAME}:
    issuer: logins
    id: {NAME}
    authentication: {{ method: private_key_jwt, key: {{ file: {json.dumps(str(key))} }}, key_id: client-1 }}
    authorization_request: pushed_signed
    scopes: [{SCOPE.replace(" ", ", ")}]
    id_token: {{ algorithm: ES256 }}
    dpop: {"required" if dpop else "off"}{session}"""
    return shown, f"    login: {{ client: {NAME} }}"


class Browser:
    """One browser on one connection."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        self.cookies = {}

    def get(self, path):
        """Where the gateway sends this browser."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        fields = {"Accept": "text/html,application/xhtml+xml", **({"Cookie": cookies} if cookies else {})}
        self.connection.request("GET", path, headers=fields)
        response = self.connection.getresponse()
        body = response.read()
        for line in response.headers.get_all("Set-Cookie", []):
            name, _, value = line.partition(";")[0].partition("=")
            if "Max-Age=0" in line:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        if response.status != 303:
            raise Failure(f"answers {response.status} to {path.partition('?')[0]}: {body[:200]!r}")
        return response.headers["Location"]

    def log_in(self, server, path="/orders"):
        """A whole login: a page, its start, the callback."""
        start = self.get(path)
        asked = urllib.parse.parse_qs(urllib.parse.urlsplit(self.get(start)).query)
        if "request_uri" not in asked:
            raise Failure("the browser is sent to the server without a pushed request")
        self.get(f"/.portcullis/callback/{NAME}?{server.answer(asked['request_uri'][0])}")
        if not any(name.startswith(COOKIE) for name in self.cookies):
            raise Failure("no session cookie is set after the login")

    def close(self):
        self.connection.close()


class SessionCookie:
    """A browser's session, made when it is first needed."""

    demanded = True
    used_once = False

    def __init__(self, server, port):
        self.server = server
        self.port = port
        self.cookies = None

    def fields(self):
        if self.cookies is None:
            browser = Browser(self.port)
            try:
                browser.log_in(self.server)
            except http.client.HTTPException as error:
                raise OSError(str(error)) from None
            finally:
                browser.close()
            self.cookies = {name: value for name, value in browser.cookies.items() if name.startswith(COOKIE)}
        return self.cookies

    def good(self, _path):
        return (("Cookie", "theme=dark; " + "; ".join(f"{name}={value}" for name, value in self.fields().items())),)

    def bad(self, _path):
        """As for Bearer."""
        name, value = next(iter(self.fields().items()))
        middle = len(value) // 2
        other = "A" if value[middle] != "A" else "B"
        return {
            "a changed cookie": (("Cookie", f"{name}={value[:middle]}{other}{value[middle + 1:]}"),),
            "a cookie that was cut": (("Cookie", f"{name}={value[:-8]}"),),
            "two cookies of one name": (("Cookie", f"{name}={value}; {name}={value}"),),
        }
