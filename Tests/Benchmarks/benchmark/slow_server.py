"""An authorization server that takes its time, in a process of its own, and counts what it is asked."""
import asyncio
import base64
import ctypes
import json
import multiprocessing
import secrets
import time
import urllib.parse

from .forked_server import ForkedServer
from .tokens import encoded_json, signed_es256

KEY_ID = "bench-es256"
CLIENT = "web"
# A token of a session is refreshed when the page is asked for a second later.
TOKEN_SECONDS = 1
ENDPOINTS = ("par", "code", "refresh", "introspect", "revoke", "other")
GOOD_TOKEN = "good-"


def request_uri(nonce, state):
    """A reference that says itself what was pushed."""
    text = base64.urlsafe_b64encode(json.dumps([nonce, state]).encode()).decode().rstrip("=")
    return f"urn:ietf:params:oauth:request_uri:{text}"


def pushed(reference):
    """Nonce and state of such a reference."""
    text = reference.rpartition(":")[2]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


class SlowServer(ForkedServer):
    """Answers as an authorization server, a while after it is asked."""

    def __init__(self, key, key_set, latency, processor):
        self.key, self.keys, self.latency = key, key_set, latency
        self.counts = multiprocessing.Array(ctypes.c_long, len(ENDPOINTS))
        super().__init__(processor)

    def counted(self):
        return dict(zip(ENDPOINTS, self.counts))

    async def connection(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                target = head.split(" ", 2)[1]
                length = next((int(line[15:]) for line in head.lower().split("\r\n") if line.startswith("content-length:")), 0)
                form = urllib.parse.parse_qs((await reader.readexactly(length)).decode())
                status, document = self.answer(target, form)
                if not target.startswith(("/.well-known", "/jwks")):
                    await asyncio.sleep(self.latency)
                body = json.dumps(document).encode()
                writer.write(f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
                             f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    def count(self, endpoint):
        self.counts[ENDPOINTS.index(endpoint)] += 1

    def answer(self, target, form):
        path = target.partition("?")[0]
        if path == "/.well-known/openid-configuration":
            return 200, self.metadata()
        if path == "/jwks":
            return 200, json.loads(self.keys)
        if path == "/par":
            self.count("par")
            asked = self.asked(form)
            return 201, {"request_uri": request_uri(asked["nonce"], asked["state"]), "expires_in": 60}
        if path == "/introspect":
            self.count("introspect")
            return 200, self.described(form["token"][0])
        if path == "/revoke":
            self.count("revoke")
            return 200, {}
        if path == "/token":
            kind = form["grant_type"][0]
            self.count("refresh" if kind == "refresh_token" else "code")
            return self.tokens(form, kind)
        self.count("other")
        return 404, {}

    @staticmethod
    def asked(form):
        if "request" not in form:
            return {name: values[0] for name, values in form.items()}
        payload = form["request"][0].split(".")[1]
        return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))

    def described(self, token):
        if not token.startswith(GOOD_TOKEN):
            return {"active": False}
        now = int(time.time())
        return {"active": True, "iss": self.url, "sub": "alice", "aud": "api", "client_id": CLIENT, "scope": "orders:read",
                "iat": now, "exp": now + 300, "token_type": "Bearer"}

    def tokens(self, form, kind):
        if kind == "refresh_token":
            return 200, self.token_answer()
        code = form["code"][0]
        if not code.startswith("code-"):
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {"iss": self.url, "sub": code[5:13], "aud": CLIENT, "iat": now, "exp": now + 300, "auth_time": now,
                  "nonce": code[13:], "sid": secrets.token_urlsafe(16)}
        signed = encoded_json({"alg": "ES256", "kid": KEY_ID}) + "." + encoded_json(claims)
        return 200, {**self.token_answer(), "id_token": f"{signed}.{signed_es256(self.key, signed.encode())}"}

    @staticmethod
    def token_answer():
        return {"access_token": secrets.token_urlsafe(32), "token_type": "Bearer", "expires_in": TOKEN_SECONDS,
                "refresh_token": secrets.token_urlsafe(32), "scope": "openid"}

    def metadata(self):
        url = self.url
        return {
            "issuer": url, "authorization_endpoint": f"{url}/authorize", "token_endpoint": f"{url}/token", "jwks_uri": f"{url}/jwks",
            "pushed_authorization_request_endpoint": f"{url}/par", "introspection_endpoint": f"{url}/introspect",
            "revocation_endpoint": f"{url}/revoke", "end_session_endpoint": f"{url}/end", "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "code_challenge_methods_supported": ["S256"],
            "id_token_signing_alg_values_supported": ["ES256"], "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"], "backchannel_logout_supported": True,
            "introspection_endpoint_auth_methods_supported": ["client_secret_basic", "private_key_jwt"],
            "introspection_endpoint_auth_signing_alg_values_supported": ["PS256"],
            "response_modes_supported": ["query", "query.jwt"],
            "authorization_signing_alg_values_supported": ["ES256"],
            "authorization_encryption_alg_values_supported": ["RSA-OAEP-256"],
            "authorization_encryption_enc_values_supported": ["A256GCM"],
            "revocation_endpoint_auth_methods_supported": ["client_secret_basic"],
            "request_object_signing_alg_values_supported": ["ES256", "PS256"], "request_parameter_supported": True,
            "request_uri_parameter_supported": True, "authorization_response_iss_parameter_supported": True,
        }
