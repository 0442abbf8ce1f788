"""Requests for routes that something chooses, and what becomes of each: played first by every run, in lines and in streams.

A row has a name, what becomes of it, method, host, target, whether the token is there, other fields, and trailers if there is content.
"""
from chosen_routes import BELOW, EXACT, FIELD, OPENING, WILD
from gateway import HOST
from grammar import Request, Session
from stream_reader import DATA, HEADERS, Part
from stream_requests import StreamRequest, StreamSession

GW, X = HOST.encode(), b"x" + WILD
YES, NO = "forwarded", "refused"
V3, V2, GET, POST, PUT = (FIELD, OPENING), (FIELD, b"v2"), b"GET", b"POST", b"PUT"
TOKEN, NONE = True, False
OVERRIDING = ((b"X-HTTP-Method-Override", b"GET"), (b"X-HTTP-Method", b"GET"), (b"X-Method-Override", b"GET"))
TABLE = [
    ("an open path", YES, GET, GW, b"/p/", NONE, (), None),
    ("a guarded path", NO, GET, GW, b"/t/", NONE, (), None),
    ("a guarded path with the token", YES, GET, GW, b"/t/", TOKEN, (), None),
    ("an open path that is guarded at another host", YES, GET, BELOW, b"/p/", NONE, (), None),
    ("a path that a host guards", NO, GET, EXACT, b"/p/", NONE, (), None),
    ("a path that a host guards, its name in capitals", NO, GET, EXACT.upper(), b"/p/", NONE, (), None),
    ("a path that a host guards, with its port", NO, GET, EXACT + b":80", b"/p/", NONE, (), None),
    ("a path that a host guards, with the token", YES, GET, EXACT, b"/p/", TOKEN, (), None),
    ("a path that a host opens", YES, GET, EXACT, b"/t/", NONE, (), None),
    ("a path that a host has not", NO, GET, EXACT, b"/m/", TOKEN, (), None),
    ("a path that a wildcard guards", NO, GET, X, b"/p/", NONE, (), None),
    ("a path that a wildcard guards, in capitals", NO, GET, X.upper(), b"/p/", NONE, (), None),
    ("a path that a wildcard guards, with the token", YES, GET, X, b"/p/", TOKEN, (), None),
    ("a path that a wildcard opens", YES, GET, X, b"/t/", NONE, (), None),
    ("a name below a wildcard's, which has no such path", NO, GET, BELOW, b"/t/", TOKEN, (), None),
    ("two labels in place of one", NO, GET, b"y." + X, b"/t/", TOKEN, (), None),
    ("no label", NO, GET, WILD[1:], b"/t/", TOKEN, (), None),
    ("an empty label", NO, GET, WILD, b"/t/", TOKEN, (), None),
    ("the wildcard itself", NO, GET, b"*" + WILD, b"/t/", TOKEN, (), None),
    ("a dot at the end", NO, GET, EXACT + b".", b"/t/", NONE, (), None),
    ("another port", NO, GET, EXACT + b":443", b"/t/", NONE, (), None),
    ("two hosts, and the first is open", NO, GET, GW, b"/p/", NONE, ((b"Host", EXACT),), None),
    ("two hosts, and the last is open", NO, GET, EXACT, b"/p/", NONE, ((b"Host", GW),), None),
    ("a host that a field names", NO, GET, EXACT, b"/p/", NONE, ((b"X-Forwarded-Host", GW), (b"X-Host", GW)), None),
    ("a whole target of an open host", YES, GET, GW, b"http://gw.test/p/", NONE, (), None),
    ("a whole target of a guarded host beside an open one", NO, GET, GW, b"http://exact.test/p/", NONE, (), None),
    ("a whole target with a user", NO, GET, EXACT, b"http://gw.test@exact.test/p/", NONE, (), None),
    ("a method that is open", YES, GET, GW, b"/m/", NONE, (), None),
    ("a method that is guarded", NO, POST, GW, b"/m/", NONE, (), None),
    ("a method that is guarded, with the token", YES, PUT, GW, b"/m/", TOKEN, (), None),
    ("a guarded method that says that it is another", NO, POST, GW, b"/m/", NONE, OVERRIDING, None),
    ("a method that no route takes", NO, b"DELETE", GW, b"/m/", TOKEN, (), None),
    ("a method in another case", NO, b"get", GW, b"/m/", TOKEN, (), None),
    ("a browser's question about another method", NO, b"OPTIONS", GW, b"/m/", TOKEN,
     ((b"Origin", b"http://evil.test"), (b"Access-Control-Request-Method", b"GET")), None),
    ("a field that opens", YES, GET, GW, b"/f/", NONE, (V3,), None),
    ("no field that opens", NO, GET, GW, b"/f/", NONE, (), None),
    ("another value of the field", NO, GET, GW, b"/f/", NONE, (V2,), None),
    ("another value of the field, with the token", YES, GET, GW, b"/f/", TOKEN, (V2,), None),
    ("the field twice", NO, GET, GW, b"/f/", TOKEN, (V3, V3), None),
    ("the field with two values", NO, GET, GW, b"/f/", TOKEN, (V2, V3), None),
    ("the field in a list", NO, GET, GW, b"/f/", NONE, ((FIELD, OPENING + b", " + OPENING),), None),
    ("the value in capitals", NO, GET, GW, b"/f/", NONE, ((FIELD, OPENING.upper()),), None),
    ("the field with an underscore", NO, GET, GW, b"/f/", NONE, ((FIELD.replace(b"-", b"_"), OPENING),), None),
    ("the field in trailers", NO, POST, GW, b"/f/", NONE, (), (V3,)),
    ("the field, and another value in trailers", YES, POST, GW, b"/f/", NONE, (V3,), (V2,)),
    ("a host in trailers", NO, POST, EXACT, b"/p/", NONE, (), ((b"Host", GW),)),
    ("a method in trailers", NO, POST, GW, b"/m/", NONE, (), OVERRIDING),
    ("a segment of any name", YES, GET, GW, b"/s/x/", NONE, (), None),
    ("a segment that is guarded", NO, GET, GW, b"/s/x/guarded/", NONE, (), None),
    ("a segment that is guarded, escaped", NO, GET, GW, b"/s/x/%67uarded/", NONE, (), None),
    ("a segment that is guarded, with the token", YES, GET, GW, b"/s/x/guarded/", TOKEN, (), None),
    ("an empty segment for the wildcard", NO, GET, GW, b"/s//guarded/", TOKEN, (), None),
    ("a segment of dots for the wildcard", NO, GET, GW, b"/s/../guarded/", TOKEN, (), None),
    ("an escaped slash before what is guarded", NO, GET, GW, b"/s/x%2fguarded/", NONE, (), None),
    ("an open path without its prefix", YES, GET, GW, b"/r/p/", NONE, (), None),
    ("a guarded path without its prefix", NO, GET, GW, b"/r/t/", NONE, (), None),
    ("a guarded path without its prefix, with the token", YES, GET, GW, b"/r/t/", TOKEN, (), None),
    ("a prefix that is spelt otherwise", NO, GET, GW, b"/%72/p/", NONE, (), None),
    ("a guarded path behind an open one's prefix", NO, GET, GW, b"/r/p/..%2ft/", NONE, (), None),
    ("two slashes behind a prefix", NO, GET, GW, b"/r//t/", TOKEN, (), None)]


def rows(token):
    """(number, name, expectation, method, host, target, fields, trailers) of each, with the token among the fields."""
    for number, (name, expects, method, host, target, has_token, fields, trailers) in enumerate(TABLE):
        credentials = ((b"Authorization", b"Bearer " + token),) if has_token else ()
        yield number, name, expects, method, host, target, credentials + fields, trailers


def sessions(first, token):
    """(session, expectation) of each in lines, numbered from `first` on."""
    for number, name, expects, method, host, target, fields, trailers in rows(token):
        head = b"%s %s HTTP/1.1\r\n" % (method, target) + lines(((b"Host", host), *fields))
        data = head + b"\r\n" if trailers is None else (
            head + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n" + lines(trailers) + b"\r\n")
        yield Session(first + number, [Request(data, ("known choices",), b"")], [], False, name), expects


def streams(first, token):
    """(session, expectation) of each that a stream can say, numbered from `first` on."""
    for number, name, expects, method, host, target, fields, trailers in rows(token):
        if target[:1] != b"/":
            continue
        head = [(b":method", method), (b":scheme", b"http"), (b":path", target), (b":authority", host)]
        parts = [Part(HEADERS, head + lowered(fields), trailers is None)]
        if trailers is not None:
            parts += [Part(DATA, b"hello"), Part(HEADERS, lowered(trailers), True)]
        yield StreamSession(first + number, [StreamRequest(b"", ("known choices (h2)",), parts, name)], name=name), expects


def lines(fields):
    """Fields as lines."""
    return b"".join(b"%s: %s\r\n" % field for field in fields)


def lowered(fields):
    """Fields as HTTP/2 has them."""
    return [(name.lower(), value) for name, value in fields]
