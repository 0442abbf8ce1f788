"""Requests, and responses of upstreams, that are meant to cost more than their bytes; families of them with parameters."""
import json
import random

from . import tokens
from .proofs import METHOD, Client

# Below 64 KiB with the request line, and 8 KiB in that.
HEAD_BYTES, LINE_BYTES, TARGET_BYTES = 63_000, 31_000, 8_000
FIELD_COUNT = 99
ALLOWANCES = ("encoded_slash", "backslash", "double_encoding", "semicolon", "non_ascii")
# Places of `Heads`' servers.
PLAIN, TRUSTING = 0, 1
COOKIE = "__Host-portcullis-bench"


class Head:
    """One request, in as many variants as are to be sent in turn; `size` is what an ordinary one is made as large as."""

    def __init__(self, name, variants, listener=PLAIN, size=None, body=0):
        self.name = name
        self.variants = variants
        self.listener = listener
        self.size = size or len(variants[0])
        # Bytes of the body among them.
        self.body = body


def repeated(units, count):
    """Text of at most so many bytes that repeats some units."""
    text = "".join(units)
    return (text * (count // max(1, len(text.encode("latin-1"))) + 1)).encode("latin-1")[:count].decode("latin-1")


def request(authority, path="/public/x", fields=(), method="GET", body=b""):
    """The bytes of a request; what is no head of 64 KiB is cut to one."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {authority}"]
    room = HEAD_BYTES - sum(len(line) + 2 for line in lines)
    for name, value in fields[:FIELD_COUNT - (1 if body else 0)]:
        line = f"{name}: {value}"[:min(LINE_BYTES, max(room - 2, 0))]
        if ":" not in line:
            break
        room -= len(line) + 2
        lines.append(line)
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def filled(name, units, count=FIELD_COUNT - 10, bytes_each=None):
    """So many fields of one name, that together fill a head."""
    each = bytes_each or min(LINE_BYTES - 100, (HEAD_BYTES - 2_000) // count - len(name) - 4)
    return tuple((name, repeated(units, each)) for _ in range(count))


def connection_fields(options, lines, length, fields, field_length):
    """Options of Connection, which name fields that are there or are not."""
    named = [f"{'o' * max(0, length - 4)}{number:04}"[:max(1, length)] for number in range(options)]
    each = -(-options // lines)
    head = [("Connection", ",".join(named[start:start + each])) for start in range(0, options, each)]
    head += [(f"{'o' * max(1, field_length - 4)}{5000 + number:04}", "1") for number in range(fields)]
    return head


def path(authority, mask, units, length=TARGET_BYTES, ending=""):
    """A path at a route with these allowances."""
    start = f"/allow-{mask}/"
    return [request(authority, path=start + repeated(units, length - len(start) - len(ending)) + ending)]


PATH_UNITS = (
    "/", "//", "a/", "/a", ".", "/.a", "%2F", "%2f", "%5C", "\\", "%25", "%2541", "%252F", "%25252F", "%2525252F", "%2525252525",
    "%25%32%46", "%25%2532F", ";", ";a", ";a=b/", "%3B", "%253B", "%3F", "%23", "%253F", "%2523", "%C3%9F", "%C4%B1",
    "%E1%BA%9E", "i%CC%87", "%EF%AC%83", "\xc3\xaf", "\xdf", "%DF", "\xc4\xb1", "%41", "%7E", "a", "%C3", "\xc3", "%E0%A0", "%F0%90",
    "/%2F", "/\\", "/;\xdf", "%253B/%3B/;/", "\xcc\x87",
)
# What each reader cuts off, and what makes the readings of all decodings differ.
PATH_ENDINGS = ("", "/", "%2F", ";", "%3F", "//", ";%3B%253B%3F%253F")


def cookies(path_of_route, name_units, value_units, pair_bytes):
    """Cookies by the hundreds or thousands."""
    def make(authority):
        name = repeated(name_units, min(pair_bytes, 60))
        value = repeated(value_units, max(0, pair_bytes - len(name) - 3))
        return [request(authority, path=path_of_route, fields=filled("Cookie", (f"{name}={value}; ",), 2))]
    return make


def fields(name, units, count, path_of_route="/public/x", more=()):
    def make(authority):
        return [request(authority, path=path_of_route, fields=(*more, *filled(name, units, count)))]
    return make


def numbered_fields(prefix, length, count, value=""):
    """Fields of many names."""
    return [(f"{prefix}{'n' * max(0, length - len(prefix) - 2)}{number:02}", value) for number in range(count)]


def numbered(prefix, length, count, value=""):
    def make(authority):
        return [request(authority, fields=numbered_fields(prefix, length, count, value))]
    return make


def query(units, route="/api/x", more=()):
    def make(authority):
        start = f"{route}?"
        return [request(authority, path=start + repeated(units, TARGET_BYTES - len(start)), fields=more)]
    return make


class Credentials:
    """Tokens and proofs as strangers and clients may send them."""

    def __init__(self, issuer, signers):
        self.issuer = issuer
        self.signers = signers
        self.client = Client()
        self.groups = [f"group-{number:05}" for number in range(850)]

    def claims(self, **changed):
        return self.issuer.claims(**changed)

    def signed(self, header, claims):
        """A token whose parts are texts."""
        text = f"{tokens.encoded(header.encode())}.{tokens.encoded(claims.encode())}"
        return f"{text}.{self.issuer.sign('ES256', text.encode())}"

    def unsigned(self, header, claims):
        return f"{tokens.encoded(header.encode())}.{tokens.encoded(claims.encode())}.{'A' * 86}"

    def header(self, **changed):
        return json.dumps({"typ": "at+jwt", "alg": "ES256", "kid": "bench-es256", **changed}, separators=(",", ":"))


def claim_texts(credentials):
    """Claims of about 11 KiB, which make tokens of 16 KiB."""
    base = json.dumps(credentials.claims(), separators=(",", ":")).removesuffix("}")
    room = 11_000 - len(base)

    def wide(element, count):
        return "[" + ",".join([element] * min(count, room // (len(element) + 1))) + "]"

    members = ",".join(f'"{"m" * 20}{number:03}":{number}' for number in range(230))
    deep = "[" * 13 + "]" * 13
    return {
        "groups": f'{base},"groups":{json.dumps(credentials.groups, separators=(",", ":"))}}}',
        "short groups": f'{base},"groups":{wide(chr(34) * 2, 4000)}}}',
        "numbers": f'{base},"groups":{wide("1", 4000)}}}',
        "many members": f'{base},{members}}}',
        "members in members": f'{base},"o":{wide("{" + ",".join(f"{chr(34)}{n:x}{chr(34)}:0" for n in range(200)) + "}", 99)}}}',
        "deep": f'{base},"o":{wide(deep, 500)}}}',
        "escapes": f'{base},"s":"{repeated(("%su0061" % chr(92),), room - 20)[:(room - 20) // 6 * 6]}"}}',
        "escaped names": f'{base},"o":{{{",".join(f"{chr(34)}{chr(92)}u00{n:02x}x{chr(34)}:0" for n in range(32, 250) if n not in (34, 92))}}}}}',
        "details": f'{base},"authorization_details":{wide(json.dumps({"type": "orders", "actions": ["x"]}), 300)}}}',
        "short details": f'{base},"authorization_details":{wide("{" + chr(34) + "type" + chr(34) + ":" + chr(34) * 2 + "}", 4000)}}}',
        "long scope": base.replace('"orders:read"', '"' + "a " * (room // 2 - 10) + 'orders:read"') + "}",
        "audiences": base.replace(f'"{tokens.AUDIENCE}"', f'["{tokens.AUDIENCE}",{wide(chr(34) + "a" + chr(34), 2500)[1:]}') + "}",
        "white space": f'{base}{" " * (room - 2)}}}',
    }


def families(credentials):
    """Every family, as (name, exempt reason or None, listener, function from an authority to requests)."""
    found = []

    def add(name, make, listener=PLAIN, exempt=None):
        found.append((name, exempt, listener, make))

    # What names other fields.
    for options, lines, length, count, field_length in (
            (30_000, 2, 1, 90, 1), (64, 1, 1, 90, 1), (64, 1, 400, 90, 400), (64, 1, 480, 90, 320), (64, 2, 450, 64, 450), (64, 64, 60, 30, 60)):
        add(f"{options:,} connection options of {length} in {lines} lines, {count} fields of {field_length}",
            lambda authority, a=(options, lines, length, count, field_length): [request(authority, fields=connection_fields(*a))])
    add("commas in Connection", fields("Connection", (",",), 2))
    add("white space in Connection", fields("Connection", (" ,\t",), 2))
    for name, units in (("Via", ("1.1 a,",)), ("Via", (",",)), ("Via", ("a b" + " " * 200 + ",",)), ("Via", ("1.1\tportcullis-0,",))):
        add(f"{name} of {units[0][:12]!r}", fields(name, units, 90))
    for name, units in (
            ("Forwarded", ("for=1.2.3.4,",)), ("Forwarded", ("for=\"[::1]\";by=_a;host=a;proto=http, ",)), ("Forwarded", ("a=b;c=d;e=f;g=h;",)),
            ("Forwarded", ("for=\"" + "\\a" * 300 + "\",",)), ("X-Forwarded-For", ("1.2.3.4,",)), ("X-Forwarded-For", (",",)), ("X-Forwarded-For", (" ",)),
            ("X-Forwarded-For", ("1:2:3:4:5:6:7:8, ",)), ("X-Forwarded-For", ("127.0.0.1, ",)), ("X-Forwarded-Proto", ("https",))):
        for count in (2, 90):
            add(f"{count} lines of {name} of {units[0][:18]!r}", fields(name, units, count), TRUSTING)
    # Cookies.
    for route in ("/public/x", "/app/x", "/both/x"):
        for names, values, size in (
                (("a",), ("b",), 4), (("_",), ("_",), 40), (("__Host-",), ("_",), 60), ((COOKIE,), ("v",), 60), ((COOKIE + ".1",), ("v",), 60), (("",), ("",), 3), (("__Host-x",), ("=",), 100),
                ((" ",), (" ",), 200), (("__Host-portcullis",), ("",), 20)):
            add(f"cookies {names[0][:24]!r}={values[0]!r} of {size} at {route}", cookies(route, names, values, size))
        add(f"one cookie of underscores at {route}", fields("Cookie", ("_",), 2, route))
        add(f"cookies of semicolons at {route}", fields("Cookie", (";",), 2, route))
        add(f"ninety cookie fields at {route}", fields("Cookie", ("a=b; ",), 90, route))
    add("a session in pieces that is none", lambda authority: [request(authority, path="/app/x", fields=[("Cookie", "; ".join(
        f"{COOKIE}{'.' + str(n) if n else ''}={'A' * 3900}" for n in range(4)))])])
    add("sealed sessions that are none", lambda authority: [request(authority, path="/app/x", fields=[
        ("Cookie", f"{COOKIE}={'A' * (3000 - n)}")]) for n in range(64)])
    # Many fields.
    for prefix, length in (("x", 3), ("X-Forwarded-", 300), ("X-User-", 500), ("x_forwarded_", 500), ("Sec-WebSocket-", 400), ("Access-Control-", 400), ("X-", 40)):
        add(f"fields named {prefix}… of {length}", numbered(prefix, length, FIELD_COUNT))
    for name in ("Accept", "Accept-Language", "Accept-Encoding", "Origin", "Sec-Fetch-Site", "If-None-Match", "TE", "Upgrade", "Max-Forwards", "X-Request-Id",
                 "Access-Control-Request-Headers", "Client-Cert", "DPoP", "Authorization", "X-Requested-By", "Content-Type", "Referer", "Range"):
        add(f"{name} of letters at a login", fields(name, ("a, ",), 2, "/app/x"))
        add(f"ninety lines of {name} at a login", fields(name, ("text/html;q=0.1, ",), 88, "/app/x"))
        add(f"ninety lines of {name} with CORS", fields(name, ("a, ",), 88, "/cors/x", (("Origin", "https://app.bench.test"),)))
    navigation = (("Accept", "text/html"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"))
    add("a navigation without a session, a path of escapes", lambda authority: [request(
        authority, path="/app/" + repeated(("%C3%9F",), 7_500), fields=navigation)])
    add("a navigation without a session, languages", fields("Accept-Language", ("de-DE;q=0.1,",), 2, "/app/x", navigation))
    add("a navigation without a session, a query of escapes", query(("%C3%9F&",), "/app/x", navigation))
    # Queries.
    for units in (("&",), ("a=b&",), ("access_toke=&",), ("%61%63cess_toke&",), ("access_token%3D&",), ("%",), ("token=a&code=b&",), ("=",), ("+",), ("%26",), ("a&&",)):
        for route in ("/api/x", "/public/x", "/app/x"):
            add(f"query of {units[0]!r} at {route}", query(units, route))
    # Ways to the gateway's own paths.
    own = "/.portcullis/"
    for name in ("login/bench", "callback/bench", "logout/bench", "session/bench", "logged-out/bench", "jwks.json", "nothing", "login/nobody"):
        # Whatever begins a login has a request object and an assertion signed, and one of them posted to the server.
        beginning = "two signatures and a push" if name == "login/bench" else None
        add(f"{name} with a query", query(("return_to=%2Fa%2F&",), own + name), exempt=beginning)
        add(f"{name} with a long parameter", query(("state=" + "%41" * 2600 + "&",), own + name), exempt=beginning)
        add(f"{name} with cookies", cookies(own + name, ("__Host-portcullis-login-",), ("A",), 90), exempt=beginning)
        add(f"a form posted to {name}", lambda authority, name=name: [request(
            authority, path=own + name, method="POST", body=repeated(("state=%41&code=+&",), 16_000).encode(),
            fields=[("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", "same-origin")])])
        add(f"a path beneath {name}", lambda authority, name=name: [request(authority, path=own + name + repeated(("/%2e%2F",), 7_500))])
    # Refusals that people read: a page, whatever little was asked for.
    for name, path_of_route, more in (
            ("no such path", "/nothing%2Fhere", ()), ("a path that may be another", "/a/..;/b", ()), ("no token", "/api/x", ()),
            ("a bad token", "/api/x", (("Authorization", "Bearer x"),)), ("a callback", own + "callback/bench?state=x&code=y", ()),
            ("a logout", own + "logout/bench", ()), ("nothing of ours", own + "nothing", ()), ("no session", "/app/x", ()),
            ("two hosts", "/public/x", (("Host", "nobody.test"),)), ("an unknown expectation", "/public/x", (("Expect", "x"),))):
        for languages in ("en", "de-CH, fr;q=0.9, *;q=0.1", "x-" * 400, "de;q=0.0001," * 80):
            add(f"a page for people: {name}, {languages[:12]!r}", lambda authority, at=path_of_route, more=more, languages=languages: [
                request(authority, path=at, fields=[*navigation, ("Accept-Language", languages), *more])])
    for unit in ("a=%41&", "\0", "&", "a&", "'", "\xff", "\"&"):
        add(f"a form that survives a login, of {unit!r}", lambda authority, unit=unit: [request(
            authority, path="/form/x", method="POST", body=repeated((unit,), 16_000).encode("latin-1"), fields=[
                ("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate"),
                ("Accept", "text/html")])])
    add("a form that survives a login, in a path of 2,000 escapes", lambda authority: [request(
        authority, path="/form/" + repeated(("%C3%9F",), 2_000), method="POST", body=b"a=b",
        fields=[("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate"),
                ("Accept", "text/html")])])
    credential_families(add, credentials)
    body_families(add)
    return found


def credential_families(add, credentials):
    """Tokens and proofs of all kinds."""
    good, parts = credentials.header(), claim_texts(credentials)

    def bearer(made):
        return lambda authority: [request(authority, path="/api/x", fields=[("Authorization", f"Bearer {one}")]) for one in made]

    add("an Authorization of commas", fields("Authorization", (",",), 1, "/api/x"))
    add("a token of dots", bearer(["." * 16_000]))
    add("a token of letters", bearer(["A" * 16_000]))
    add("an opaque token of 16 KiB, asked about", lambda authority: [request(authority, path="/opaque/x", fields=[
        ("Authorization", "Bearer " + "A" * 16_000)])])
    for name, text in parts.items():
        add(f"a cached token: {name}", bearer([credentials.signed(good, text)]))
        add(f"unknown issuer, claims: {name}", bearer([credentials.unsigned(good, text.replace(tokens.ISSUER, "https://no.test"))]))
        add(f"a new token each time: {name}", bearer([credentials.signed(good, text[:-1] + f',"n":{number}}}') for number in range(60)]),
            exempt="a signature")
    for signer in credentials.signers.all:
        made = [signer.token(credentials.claims()) for _ in range(12)]
        add(f"a new token each time: {signer.name}", lambda authority, made=made: [
            request(authority, path="/signed/x", fields=[("Authorization", f"Bearer {one}")]) for one in made], exempt="a signature")
    for name, header in (
            ("many members", credentials.header(**{f"h{n}": n for n in range(240)})),
            ("deep", '{"alg":"ES256","x":' + "[" * 14 + "]" * 14 + "}"),
            ("a long list", '{"alg":"ES256","crit":[' + ",".join(['"a"'] * 2500) + "]}"),
            ("escapes", '{"alg":"' + "\\u0045" * 1600 + '"}'), ("unknown algorithm", credentials.header(alg="A" * 9000)),
            ("a long kid", credentials.header(kid="k" * 9000))):
        add(f"header: {name}", bearer([credentials.unsigned(header, parts["groups"][:3000] + '"]}')]))

    key = credentials.client
    token = credentials.issuer.token("ES256", cnf={"jkt": key.thumbprint})

    def proving(proof, count=1):
        return lambda authority: [request(authority, path="/bound/x", fields=[
            ("Authorization", f"DPoP {token}"), ("DPoP", proof(authority, number))]) for number in range(count)]

    def proof_of(header, claims=None):
        def make(_authority, _number):
            text = claims or json.dumps({"jti": "j", "htm": "GET", "htu": "u", "iat": 1, "ath": "a"})
            return credentials.unsigned(header, text)
        return make

    jwk = json.dumps(key.jwk, separators=(",", ":"))
    proof_header = f'{{"typ":"dpop+jwt","alg":"ES256","jwk":{jwk}'
    long = "n" * 5_000
    add("a proof of letters", proving(lambda *_: "A" * 8_000))
    add("a proof of dots", proving(lambda *_: "." * 8_000))
    add("a proof: header of many members", proving(proof_of(proof_header + "," + ",".join(f'"h{n}":{n}' for n in range(240)) + "}")))
    add("a proof: a key of another's", proving(lambda authority, _: Client().proof(METHOD, target_of(authority), token), 30), exempt="a key")
    add("a proof: RSA of 5 KB", proving(proof_of(f'{{"typ":"dpop+jwt","alg":"PS256","jwk":{{"kty":"RSA","n":"{long}","e":"AQAB"}}}}')))
    add("a proof: RSA of a large exponent", proving(proof_of(
        f'{{"typ":"dpop+jwt","alg":"PS256","jwk":{{"kty":"RSA","n":"{"n" * 342}","e":"{"_" * 342}"}}}}')), exempt="a key")
    add("a proof: RSA of 4096 bits", proving(proof_of(
        f'{{"typ":"dpop+jwt","alg":"PS256","jwk":{{"kty":"RSA","n":"{"n" * 683}","e":"AQAB"}}}}')), exempt="a key")
    add("a proof: claims of 5 KB", proving(proof_of(proof_header + "}", json.dumps({"jti": "j" * 5_000, "htm": "GET", "htu": "u", "iat": 1, "ath": "a"}))), exempt="a signature")
    add("a proof: good, its htu of 5 KB of escapes", proving(lambda authority, number: key.proof(
        METHOD, target_of(authority) + "%41" * 1500 + str(number), token), 30), exempt="a signature")
    add("a proof: ninety of them", fields("DPoP", ("a.b.c",), 90, "/bound/x", (("Authorization", f"DPoP {token}"),)))


def target_of(authority):
    return f"https://{authority}/bound/x"


def body_families(add):
    """Bodies whose coding is most of them; as large as an ordinary body of their bytes on the wire."""
    head = "POST /public/b HTTP/1.1\r\nHost: {}\r\nTransfer-Encoding: chunked\r\n\r\n"

    def chunked(chunk, count, end="0\r\n\r\n"):
        return lambda authority: [(head.format(authority) + chunk * count + end).encode()]

    add("chunks of a byte", chunked("1\r\na\r\n", 10_000))
    add("chunks of two bytes with an extension", chunked("2;a=b\r\nab\r\n", 5_000))
    add("chunks with sixteen zeros", chunked("0000000000000001\r\na\r\n", 2_500))
    add("trailers", chunked("", 0, "0\r\n" + "A: b\r\n" * 90 + "\r\n"))


def response_families():
    """Heads of an upstream's responses, by name; each as large as an ordinary one of its bytes."""
    def head(lines, status="200 OK", body="ok"):
        text, room = [], HEAD_BYTES
        for line in lines[:FIELD_COUNT]:
            line = line[:min(LINE_BYTES, max(0, room - 2))]
            if ":" not in line:
                break
            room -= len(line) + 2
            text.append(line)
        return (f"HTTP/1.1 {status}\r\n" + "".join(line + "\r\n" for line in text) + f"Content-Length: {len(body)}\r\n\r\n{body}").encode()

    def many(name, units, count):
        each = min(LINE_BYTES - 100, (HEAD_BYTES - 200) // count - len(name) - 4)
        return [f"{name}: {repeated(units, each)}" for _ in range(count)]

    found = {
        "options": head(["Connection: " + "a," * 15_000] * 2 + [f"f{n:02}: 1" for n in range(90)]),
        "long options": head(["Connection: " + ",".join(f"{'o' * 396}{n:04}" for n in range(64))] + [f"{'o' * 396}{5000 + n:04}: 1" for n in range(80)]),
        "commas": head(many("Connection", (",",), 2)),
        "cookies": head(many("Set-Cookie", ("__Host-portcullis; ",), 95)),
        "cookies of equals signs": head(many("Set-Cookie", ("=",), 95)),
        "vary": head(many("Vary", ("client-cer,",), 90)), "vary of commas": head(many("Vary", (",",), 90)),
        "cache-control": head(many("Cache-Control", (",",), 90)), "names": head([f"X-Forwarded-{'n' * 600}{n:02}: 1" for n in range(95)]),
        "underscores": head([f"x_{'_' * 600}{n:02}: 1" for n in range(95)]), "many": head([f"f{n:02}: 1" for n in range(95)]),
    }
    for name, units in (("commas", (",",)), ("schemes", ("Basic realm=a, ",)), ("quotes", ('a="\\a", ',)), ("dpop", ("DPoP algs=ES256, ",)), ("tokens", ("a ",)),
                        ("equals", ("a=",))):
        found[f"challenges: {name}"] = head(many("WWW-Authenticate", units, 90), "401 Unauthorized")
    return found


def random_path(numbers):
    """A path that nobody thought of, for the search: some units at a route with some allowances."""
    units = tuple(numbers.choice(PATH_UNITS) for _ in range(numbers.randint(1, 4)))
    return numbers.randrange(1 << len(ALLOWANCES)), units, numbers.choice(PATH_ENDINGS)


# What the search makes heads of.
ROUTES = ("/public/x", "/app/x", "/both/x", "/api/x", "/cors/x", "/.portcullis/session/bench", "/.portcullis/logout/bench")
COOKIE_PARTS = ("a", "_", "__Host-", "__Secure-", COOKIE, COOKIE + ".1", "__Host-portcullis-login-", "", " ", "=", "\"", "%41", "A" * 40, ".")
SEPARATORS = ("; ", ";", ",", " ; ", ";;")
MEMBERS = {
    "Via": ("1.1 a,", ",", "a b ,", "1.1\tportcullis-0,", "1.0 a (c),", " ", "(", "\\"),
    "Forwarded": ("for=1.2.3.4,", "for=\"[::1]\";by=_a;host=a;proto=http, ", "a=b;", ",", ";", "for=\"\\a\",", "for=", "\"", " "),
    "X-Forwarded-For": ("1.2.3.4,", ",", " ", "1:2:3:4:5:6:7:8, ", "127.0.0.1, ", "[::1]:80,", "a,"),
    "X-Forwarded-Proto": ("https", "http,", ",", " "),
    "X-Forwarded-Host": ("127.0.0.1", "a.b,", ",", ":80"),
}
PREFIXES = ("x", "X-", "X-Forwarded-", "X-User-", "x_forwarded_", "X_", "Sec-", "Access-Control-", "Proxy-", "_")
QUERY_UNITS = (
    "&", "a=b&", "access_token=x&", "access_toke=&", "%61%63cess_toke&", "access_token%3D&", "%", "token=a&code=b&", "=", "+", "%26", "a&&", "%C3%9F",
    "\xdf", "return_to=%2F&", "state=%41&", ";", "?", "/", "%00")
VALUE_NAMES = (
    "Accept", "Accept-Language", "Accept-Encoding", "Origin", "Sec-Fetch-Site", "If-None-Match", "TE", "Upgrade", "Max-Forwards", "X-Request-Id",
    "Access-Control-Request-Headers", "Client-Cert", "DPoP", "Authorization", "X-Requested-By", "Content-Type", "Referer", "Range", "Cache-Control")
VALUE_UNITS = (
    "a, ", ",", " ", "\t", ";", "\"", "\\", "=", "a/b;q=0.1,", "text/html;q=0.001, ", "*/*,", "de-CH;q=0.1,", "x-", "*;q=1,", "a=\"b\\c\",", "(", "Bearer ",
    "DPoP a.", ".", "A", ":", "bytes=0-,", "\xff", "W/\"a\",")
NAVIGATION = (("Accept", "text/html"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"))


def chance_head(authority, case):
    """The request of a case: a path and a query of units, and fields of all the kinds that it names, which share the head."""
    target = case.get("route", "/public/x")
    target += repeated(case.get("path", ()), case["path_length"] if case.get("path") else 0)
    if case.get("query"):
        target += "?" + repeated(case["query"], TARGET_BYTES - len(target) - 1)
    groups = case.get("fields", ())
    made = list(NAVIGATION if case.get("navigates") else ())
    if "connection" in case:
        made += connection_fields(*case["connection"])
    for name, units, lines in groups:
        room = (HEAD_BYTES - 2_000 - len(target)) // len(groups) // lines - len(name) - 4
        made += filled(name, units, lines, max(1, min(LINE_BYTES - 100, room)))
    if "numbered" in case:
        made += numbered_fields(*case["numbered"])
    return [request(authority, path=target, fields=made)]


def some(numbers, units, most=3):
    return [numbers.choice(units) for _ in range(numbers.randint(1, most))]


def chance_lines(numbers):
    return numbers.choice((1, 2, 9, 45, 88))


def chance_cookie(numbers):
    name, value = ("".join(some(numbers, COOKIE_PARTS)) * numbers.choice((1, 1, 4)) for _ in range(2))
    return ["Cookie", [f"{name}={value}{numbers.choice(SEPARATORS)}"], chance_lines(numbers)]


def chance_member(numbers):
    name = numbers.choice(tuple(MEMBERS))
    return [name, some(numbers, MEMBERS[name]), chance_lines(numbers)]


def chance_value(numbers):
    return [numbers.choice(VALUE_NAMES), some(numbers, VALUE_UNITS), chance_lines(numbers)]


def chance_numbered(numbers):
    return [numbers.choice(PREFIXES), numbers.choice((3, 20, 100, 300, 600)), numbers.choice((10, 50, FIELD_COUNT)), numbers.choice(("", "1", "a, b"))]


def chance_connection(numbers):
    return [numbers.choice((1, 8, 64, 500, 30_000)), numbers.choice((1, 2, 45)), numbers.choice((1, 4, 60, 300, 480)), numbers.choice((0, 30, 90)),
            numbers.choice((1, 60, 320, 480))]


def chance_mixed(numbers):
    """At a route with some allowances: a path that needs them or not, and some of all the rest."""
    case = {"route": f"/allow-{numbers.randrange(1 << len(ALLOWANCES))}/", "path": some(numbers, PATH_UNITS, 4),
            "path_length": numbers.choice((300, 2_000, 6_000)), "listener": numbers.choice((PLAIN, TRUSTING)),
            "fields": [numbers.choice((chance_cookie, chance_member, chance_value))(numbers) for _ in range(numbers.randint(1, 3))]}
    if numbers.random() < 0.5:
        case["query"] = some(numbers, QUERY_UNITS)
    if numbers.random() < 0.3:
        case["connection"] = chance_connection(numbers)
    return case


HEAD_KINDS = {
    "cookies": lambda numbers: {"route": numbers.choice(ROUTES), "fields": [chance_cookie(numbers)]},
    "connection options": lambda numbers: {"connection": chance_connection(numbers)},
    "members": lambda numbers: {"listener": numbers.choice((PLAIN, TRUSTING)), "fields": [chance_member(numbers)]},
    "many fields": lambda numbers: {"numbered": chance_numbered(numbers)},
    "a query": lambda numbers: {"route": numbers.choice(ROUTES), "query": some(numbers, QUERY_UNITS, 4), "navigates": numbers.random() < 0.3},
    "values": lambda numbers: {
        "route": numbers.choice(ROUTES), "fields": [chance_value(numbers) for _ in range(numbers.randint(1, 3))], "navigates": numbers.random() < 0.3},
    "a mixture": chance_mixed,
}


def random_head(numbers):
    """An odd head that nobody thought of, for the search; JSON can hold it."""
    kind = numbers.choice(tuple(HEAD_KINDS))
    return {"kind": kind, **HEAD_KINDS[kind](numbers)}


def place_of(case):
    """What is odd about a case: the search keeps the worst of each."""
    return (case["kind"], case.get("listener", PLAIN), case.get("route") if case["kind"] != "a mixture" else None,
            *(field[0] for field in case.get("fields", ())[:1]))


def generator(seed):
    return random.Random(seed)
