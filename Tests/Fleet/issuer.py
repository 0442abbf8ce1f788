"""An authorization server whose user always agrees: logins, refreshes by tokens that are good once, and revocations."""
import json
import secrets
import threading
import time
import urllib.parse

import serving
from faults import fault
from signing import decoded, digest, unused

SUBJECT = "subject-of-alice-8531"
# A claim that nobody may find in the store.
NAME = "Alice Pleasance Liddell"
AUDIENCE = "https://gateway.test/api"
KEY_ID = "issuer-1"


class Stall:
    """Of a refresh that takes its time: until it is over, and then perhaps without a look at the token."""

    def __init__(self, is_lost=False):
        self.is_lost = is_lost
        self.begun, self.over = threading.Event(), threading.Event()


class Issuer:
    """Answers on 127.0.0.1, each connection on a thread of its own."""

    def __init__(self, key):
        self.key = key
        self.lock = threading.Lock()
        self.codes = {}
        # How often it was asked for tokens by one of them.
        self.redeemed = 0
        # Of each login, in order.
        self.sids = []
        # Refresh tokens that are good, each with its login's number in order.
        self.refreshable = {}
        self.refreshes = []
        self.refreshed_at = []
        self.spent = []
        # Access tokens that refreshes brought.
        self.renewed = set()
        self.refused = []
        self.revoked = []
        # Whatever it gave out that is a secret, or was told.
        self.secrets = set()
        # What becomes of the next refreshes, one each.
        self.stalls, self.stalled = [], []
        self.is_failing = False
        issuer = self

        class Handler(serving.Handler):
            """Answers for the issuer."""

            def do_GET(self):
                documents = {"/.well-known/openid-configuration": issuer.metadata, "/jwks": issuer.jwks}
                found = documents.get(self.path)
                self.reply(200, found()) if found else self.reply(404, {})

            def do_POST(self):
                form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
                self.reply(*issuer.take(self.path, form))

            def reply(self, status, document):
                self.answer(status, "application/json", json.dumps(document).encode())

        self.server = serving.Server(Handler)
        self.url = self.server.url

    def stop(self):
        """Lets go of whoever waits."""
        for stall in self.stalled:
            stall.over.set()
        self.server.stop()

    def metadata(self):
        """OpenID Connect Discovery."""
        url = self.url
        return {
            "issuer": url, "authorization_endpoint": url + "/authorize", "token_endpoint": url + "/token",
            "jwks_uri": url + "/jwks", "revocation_endpoint": url + "/revoke", "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["ES256"],
            "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": True,
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            "revocation_endpoint_auth_methods_supported": ["client_secret_basic"],
            "backchannel_logout_supported": True, "backchannel_logout_session_supported": True}

    def jwks(self):
        """Its public key."""
        return {"keys": [{**self.key.public, "kid": KEY_ID, "use": "sig", "alg": "ES256"}]}

    def authorize(self, location, seconds=3600, fetch=None):
        """What it sends the browser back to, once the user has agreed; its first token is good for so long.

        Where the browser brings no more than an address, the request is what a function finds there.
        """
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))
        if fetch:
            query = json.loads(decoded(fetch(query["request_uri"]).decode().split(".")[1]))
        code = secrets.token_urlsafe(24)
        with self.lock:
            self.codes[code] = {**query, "seconds": seconds}
            self.secrets |= {code, query["state"], query["nonce"]}
        answer = urllib.parse.urlencode({"code": code, "state": query["state"], "iss": self.url})
        return f"{query['redirect_uri']}?{answer}"

    def take(self, path, form):
        """Status and content of the answer to a form."""
        if path == "/revoke":
            self.revoked.append(form["token"])
            return 200, {}
        if path != "/token":
            return 404, {}
        if form["grant_type"] == "refresh_token":
            return self.refresh(form["refresh_token"])
        with self.lock:
            asked = self.codes.pop(form["code"], None)
            self.redeemed += 1
        if not asked or digest(form["code_verifier"]) != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        self.secrets.add(form["code_verifier"])
        self.sids.append(unused())
        return 200, self.tokens(self.sids[-1], asked["seconds"], asked["nonce"])

    @fault
    def fail(self):
        """It refreshes nothing for a while, and says that it cannot."""
        self.is_failing = True

    def stall(self, is_lost=False):
        """What becomes of the next refresh."""
        self.stalls.append(Stall(is_lost))
        return self.stalls[-1]

    def refresh(self, token):
        """New tokens for a refresh token that is used for the first time."""
        with self.lock:
            self.refreshes.append(token)
            self.refreshed_at.append(time.monotonic())
            stall = self.stalls.pop(0) if self.stalls else None
        if self.is_failing:
            return 503, {}
        if stall:
            self.stalled.append(stall)
            stall.begun.set()
            stall.over.wait(60)
            if stall.is_lost:
                return 503, {}
        with self.lock:
            sid = self.refreshable.pop(token, None)
        if not sid:
            self.refused.append(token)
            return 400, {"error": "invalid_grant"}
        self.spent.append(token)
        answer = self.tokens(sid, 3600)
        self.renewed.add(answer["access_token"])
        return 200, answer

    def tokens(self, sid, seconds, nonce=None):
        """Those of a login, or of its refresh."""
        now = int(time.time())
        fresh = {"access_token": secrets.token_urlsafe(32), "refresh_token": secrets.token_urlsafe(32)}
        answer = {**fresh, "token_type": "Bearer", "expires_in": seconds, "scope": "openid"}
        if nonce:
            claims = {"iss": self.url, "sub": SUBJECT, "aud": "web", "iat": now, "exp": now + 300, "auth_time": now,
                      "nonce": nonce, "sid": sid, "name": NAME}
            answer["id_token"] = self.key.sign({"kid": KEY_ID}, claims)
        with self.lock:
            self.refreshable[fresh["refresh_token"]] = sid
            self.secrets |= {*fresh.values(), sid}
            if nonce:
                self.secrets |= {answer["id_token"], answer["id_token"].split(".")[1]}
        return answer

    def access_token(self, bound_to=None):
        """A signed token for the API; bound to a client's key where there is one."""
        now, jti = int(time.time()), unused()
        claims = {"iss": self.url, "aud": AUDIENCE, "sub": SUBJECT, "client_id": "tester", "iat": now, "exp": now + 3600,
                  "jti": jti, "scope": "read"}
        if bound_to:
            claims["cnf"] = {"jkt": bound_to.thumbprint()}
        token = self.key.sign({"typ": "at+jwt", "kid": KEY_ID}, claims)
        self.secrets |= {jti, token}
        return token

    def logout_token(self, sid=None):
        """It says that a session of its own is over, or all of the user's."""
        now, jti = int(time.time()), unused()
        claims = {"iss": self.url, "aud": "web", "iat": now, "exp": now + 120, "jti": jti,
                  "events": {"http://schemas.openid.net/event/backchannel-logout": {}}}
        claims |= {"sid": sid} if sid else {"sub": SUBJECT}
        token = self.key.sign({"typ": "logout+jwt", "kid": KEY_ID}, claims)
        self.secrets |= {jti, token}
        return token
