"""Requests to one gateway or another: of a browser with its cookies, and of programs with tokens."""
import hashlib
import http.client
import time
import urllib.parse

from signing import decoded, digest, encoded, unused

HOST = "gateway.test"
ORIGIN = f"https://{HOST}"
COOKIE = "__Host-portcullis-web"
PREFIX = "/.portcullis"
NAVIGATION = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none", "Accept": "text/html"}
OWN_PAGE = {"Origin": ORIGIN, "Sec-Fetch-Site": "same-origin"}
ANSWER_SECONDS = 30


class Answer:
    """Of a request: status, fields, content, and how long it took."""

    def __init__(self, response, seconds):
        self.status, self.headers, self.seconds = response.status, response.headers, seconds
        self.content = response.read()

    def fields(self, name):
        """All lines of this name."""
        return self.headers.get_all(name) or []

    def field(self, name):
        """The line of this name."""
        return self.headers.get(name)


def connection(gateway):
    """One to a gateway, for several requests."""
    return http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=ANSWER_SECONDS)


def ask(gateway, target, fields=None, method="GET", content=None, over=None):
    """A request on a connection of its own, or on one that is kept."""
    way = over or connection(gateway)
    began = time.monotonic()
    way.request(method, target, body=content, headers={"Host": HOST, **(fields or {})})
    answer = Answer(way.getresponse(), time.monotonic() - began)
    if not over:
        way.close()
    return answer


class Browser:
    """Keeps cookies of one origin, whichever gateway answers for it."""

    def __init__(self, issuer, seconds):
        self.issuer, self.seconds = issuer, seconds
        self.cookies = {}

    def ask(self, gateway, target="/app/a", fields=None, method="GET", over=None):
        """A request with its cookies."""
        line = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = ask(gateway, target, {**({"Cookie": line} if line else {}), **(fields or {})}, method, over=over)
        for text in answer.fields("set-cookie"):
            name, _, value = text.partition(";")[0].partition("=")
            if "max-age=0" in text.lower():
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return answer

    def status(self, gateway):
        """Of a request; 0 where it was cut off, as one is whose session ends elsewhere while it is under way."""
        try:
            return self.ask(gateway).status
        except ConnectionError:
            return 0

    def begin(self, gateway):
        """The callback's target, once the user has agreed at the server."""
        started = self.ask(gateway, f"{PREFIX}/login/web?return_to=/app/a")
        location = started.field("location")
        if started.status != 303 or not location:
            raise AssertionError(f"a login begins with {started.status}: {started.content[:300]}")
        return self.issuer.authorize(location, self.seconds).removeprefix(ORIGIN)

    def log_in(self, gateway):
        """A whole login; gives the browser back."""
        answer = self.ask(gateway, self.begin(gateway))
        if answer.status != 303 or not self.session:
            raise AssertionError(f"the login ends with {answer.status}: {answer.content[:300]}")
        return self

    def log_out(self, gateway):
        """The answer to a logout."""
        return self.ask(gateway, f"{PREFIX}/logout/web", OWN_PAGE, "POST")

    @property
    def session(self):
        """The session's cookie."""
        return self.cookies.get(COOKIE)


def name_of(browser):
    """Its session's name in the store: half a digest of the cookie's first 16 bytes, as a field of that length."""
    identifier = decoded(browser.session)[:16]
    return b"pc:s:" + encoded(hashlib.sha256(bytes([1, len(identifier)]) + identifier).digest()[:16]).encode()


def back_channel(gateway, token):
    """The answer to the server's logout token."""
    content = urllib.parse.urlencode({"logout_token": token})
    return ask(gateway, f"{PREFIX}/backchannel-logout/web", {"Content-Type": "application/x-www-form-urlencoded"}, "POST",
               content)


class Program:
    """A client with a key and a token that is bound to it, and with another token that is not."""

    def __init__(self, issuer, key):
        self.issuer, self.key = issuer, key
        self.bound, self.bearer = issuer.access_token(key), issuer.access_token()

    def proof(self, age=0):
        """Fields with a proof that nobody has seen, made so many seconds ago."""
        jti = unused()
        claims = {"jti": jti, "htm": "GET", "htu": f"{ORIGIN}/bound/a", "iat": int(time.time()) - age, "ath": digest(self.bound)}
        proof = self.key.sign({"typ": "dpop+jwt", "jwk": self.key.public}, claims)
        self.issuer.secrets |= {jti, proof}
        return {"Authorization": f"DPoP {self.bound}", "DPoP": proof}

    def prove(self, gateway, proof=None):
        """The answer to a request with a proof."""
        return ask(gateway, "/bound/a", proof or self.proof())

    def call(self, gateway, over=None):
        """The answer to a request with the other token."""
        return ask(gateway, "/api/a", {"Authorization": f"Bearer {self.bearer}"}, over=over)
