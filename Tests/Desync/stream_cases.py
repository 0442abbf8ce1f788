"""Streams that once went wrong, or must never: each is played first by every run.

A row has a name, what becomes of it (`refused`, `forwarded` or `any`), pseudo fields that are not as usual (None: not there),
other fields, and the parts behind the head: bytes are content, lists are sections, ENDS behind one is the end of the stream.
"""
from stream_reader import DATA, HEADERS, Part
from stream_requests import HOST_BYTES, StreamRequest

ENDS = "ends"
INNER = b"GET /p/smuggled HTTP/1.1\r\nHost: gw.test\r\n\r\n"
POST = {b":method": b"POST"}
LENGTH = b"content-length"
GOOD, BAD, ANY = "forwarded", "refused", "any"
TABLE = [
    ("as it should be", GOOD, {}, [], [ENDS]),
    ("content of the announced length", GOOD, POST, [(LENGTH, b"5")], [b"he", b"llo", ENDS]),
    ("content without a length", GOOD, POST, [], [INNER, ENDS]),
    ("content that looks like chunks", GOOD, POST, [], [b"0\r\n\r\n" + INNER, ENDS]),
    ("no content and an end in a frame of its own", GOOD, POST, [], [b"", ENDS]),
    ("trailers behind content", GOOD, POST, [], [b"hello", [(b"x-sum", b"1")], ENDS]),
    ("trailers that frame", ANY, POST, [], [b"hello", [(LENGTH, b"50"), (b"host", b"evil.test")], ENDS]),
    ("trailers that say who it is", ANY, POST, [], [b"hello", [(b"x-user-id", b"evil"), (b"authorization", b"Bearer evil")], ENDS]),
    ("crumbs of a cookie", GOOD, {}, [(b"cookie", b"a=1"), (b"x-a", b"b"), (b"cookie", b"b=2; c=3")], [ENDS]),
    ("host beside authority, and equal", GOOD, {}, [(b"host", HOST_BYTES.upper() + b":80")], [ENDS]),
    ("host alone", GOOD, {b":authority": None}, [(b"host", HOST_BYTES)], [ENDS]),
    ("te as it should be", GOOD, {}, [(b"te", b"trailers")], [ENDS]),
    ("a length beside no content at all", BAD, POST, [(LENGTH, b"5")], [ENDS]),
    ("a length beside no content but trailers", BAD, POST, [(LENGTH, b"5")], [[(b"x-sum", b"1")], ENDS]),
    ("a length above the content, then trailers", BAD, POST, [(LENGTH, b"5")], [b"abc", [(b"x-sum", b"1")], ENDS]),
    ("a length above the content", BAD, POST, [(LENGTH, b"50")], [b"hello", ENDS]),
    ("a length below the content", BAD, POST, [(LENGTH, b"5")], [b"hello" + INNER, ENDS]),
    ("a length below the content, a frame behind it", BAD, POST, [(LENGTH, b"5")], [b"hello", INNER, ENDS]),
    ("a length of nothing beside content", BAD, POST, [(LENGTH, b"0")], [INNER, ENDS]),
    ("two equal lengths", BAD, POST, [(LENGTH, b"5"), (LENGTH, b"5")], [b"hello", ENDS]),
    ("two lengths in one", BAD, POST, [(LENGTH, b"5, 5")], [b"hello", ENDS]),
    ("a length with a sign", BAD, POST, [(LENGTH, b"+5")], [b"hello", ENDS]),
    ("a coding", BAD, POST, [(b"transfer-encoding", b"chunked")], [b"0\r\n\r\n" + INNER, ENDS]),
    ("a coding and a length", BAD, POST, [(b"transfer-encoding", b"chunked"), (LENGTH, b"5")], [b"0\r\n\r\n", ENDS]),
    ("a coding behind a line end", BAD, POST, [(b"x-a", b"b\r\ntransfer-encoding: chunked")], [b"0\r\n\r\n" + INNER, ENDS]),
    ("a coding in a name", BAD, POST, [(b"transfer-encoding: chunked\r\nx", b"y")], [b"0\r\n\r\n" + INNER, ENDS]),
    ("a line in a value", BAD, {}, [(b"x-a", b"b\r\nx-user-id: evil")], [ENDS]),
    ("a line behind LF in a value", BAD, {}, [(b"x-a", b"b\nx-user-id: evil")], [ENDS]),
    ("a line behind CR in a value", BAD, {}, [(b"x-a", b"b\rx-user-id: evil")], [ENDS]),
    ("NUL in a value", BAD, {}, [(b"x-a", b"b\x00c")], [ENDS]),
    ("a line in a name", BAD, {}, [(b"x-a: b\r\nx-user-id", b"evil")], [ENDS]),
    ("a colon in a name", BAD, {}, [(b"x-user-id: evil", b"")], [ENDS]),
    ("a space behind a name", BAD, {}, [(b"x-user-id ", b"evil")], [ENDS]),
    ("no name", BAD, {}, [(b"", b"evil")], [ENDS]),
    ("upper case in a name", BAD, {}, [(b"X-A", b"b")], [ENDS]),
    ("spaces around a value", BAD, {}, [(b"x-a", b" b ")], [ENDS]),
    ("a request in a method", BAD, {b":method": b"GET /t/evil HTTP/1.1\r\nX: y"}, [], [ENDS]),
    ("a path in a method", BAD, {b":method": b"GET /t/evil"}, [], [ENDS]),
    ("no method", BAD, {b":method": None}, [], [ENDS]),
    ("an empty method", BAD, {b":method": b""}, [], [ENDS]),
    ("TRACE", BAD, {b":method": b"TRACE"}, [], [ENDS]),
    ("the preface for a method", BAD, {b":method": b"PRI", b":path": b"*"}, [], [ENDS]),
    ("a request in a path", BAD, {b":path": b"/p/ HTTP/1.1\r\nHost: gw.test\r\n\r\nGET /t/evil"}, [], [ENDS]),
    ("a version in a path", BAD, {b":path": b"/p/x HTTP/1.1"}, [], [ENDS]),
    ("a fragment in a path", BAD, {b":path": b"/p/x#y"}, [], [ENDS]),
    ("a whole address for a path", BAD, {b":path": b"http://gw.test/p/x"}, [], [ENDS]),
    ("a path that begins with no slash", BAD, {b":path": b"p/x"}, [], [ENDS]),
    ("a path with a high byte", BAD, {b":path": b"/p/\xe9"}, [], [ENDS]),
    ("a path that leaves its folder", BAD, {b":path": b"/p/../t/x"}, [], [ENDS]),
    ("no path", BAD, {b":path": None}, [], [ENDS]),
    ("an empty path", BAD, {b":path": b""}, [], [ENDS]),
    ("a server in a scheme", BAD, {b":scheme": b"http://evil.test/x?"}, [], [ENDS]),
    ("a line in a scheme", BAD, {b":scheme": b"http\r\nx-user-id: evil"}, [], [ENDS]),
    ("another scheme", BAD, {b":scheme": b"ftp"}, [], [ENDS]),
    ("the scheme of TLS without TLS", BAD, {b":scheme": b"https"}, [], [ENDS]),
    ("no scheme", BAD, {b":scheme": None}, [], [ENDS]),
    ("a line in an authority", BAD, {b":authority": HOST_BYTES + b"\r\nx-user-id: evil"}, [], [ENDS]),
    ("a path in an authority", BAD, {b":authority": HOST_BYTES + b"/t/x?"}, [], [ENDS]),
    ("a user in an authority", BAD, {b":authority": b"evil@" + HOST_BYTES}, [], [ENDS]),
    ("an authority of another", BAD, {b":authority": b"evil.test"}, [], [ENDS]),
    ("another host beside the authority", BAD, {}, [(b"host", b"evil.test")], [ENDS]),
    ("host twice", BAD, {}, [(b"host", HOST_BYTES), (b"host", HOST_BYTES)], [ENDS]),
    ("neither authority nor host", BAD, {b":authority": None}, [], [ENDS]),
    ("connection", BAD, {}, [(b"connection", b"x-user-id")], [ENDS]),
    ("keep-alive", BAD, {}, [(b"keep-alive", b"timeout=5")], [ENDS]),
    ("proxy-connection", BAD, {}, [(b"proxy-connection", b"close")], [ENDS]),
    ("upgrade", BAD, {}, [(b"upgrade", b"h2c"), (b"http2-settings", b"AAMAAABk")], [ENDS]),
    ("te with more", BAD, {}, [(b"te", b"trailers, gzip")], [ENDS]),
    ("te twice", BAD, {}, [(b"te", b"trailers"), (b"te", b"trailers")], [ENDS]),
    ("200 crumbs", GOOD, {}, [(b"cookie", b"a=1")] * 200, [ENDS]),
    ("201 crumbs", BAD, {}, [(b"cookie", b"a=1")] * 201, [ENDS]),
    ("101 fields", BAD, {}, [(b"x-a", b"b")] * 101, [ENDS]),
    ("a list of fields over its bound", BAD, {}, [(b"x-a", b"b" * 20_000)] * 3 + [(b"x-a", b"b" * 5_500)], [ENDS]),
    ("a late pseudo field", BAD, {}, [(b"x-a", b"b"), (b":path", b"/t/evil")], [ENDS]),
    ("a pseudo field of answers", BAD, {b":status": b"200"}, [], [ENDS]),
    ("an unknown pseudo field", BAD, {b":foo": b"bar"}, [], [ENDS]),
    ("a pseudo field in trailers", BAD, POST, [], [b"hello", [(b":path", b"/t/evil")], ENDS]),
    ("a pseudo field in trailers behind a length", BAD, POST, [(LENGTH, b"5")], [b"hello", [(b":path", b"/t/evil")], ENDS]),
    ("a line in trailers", BAD, POST, [], [b"hello", [(b"x-sum", b"1\r\nx-user-id: evil")], ENDS]),
    ("a line in trailers behind a length", BAD, POST, [(LENGTH, b"5")], [b"hello", [(b"x-sum", b"1\r\nx-user-id: evil")], ENDS]),
    ("trailers over the bound", BAD, POST, [], [b"hello", [(b"x-sum", b"1")] * 200, ENDS]),
    ("trailers of a connection", BAD, POST, [], [b"hello", [(b"transfer-encoding", b"chunked")], ENDS]),
    ("a second head", BAD, POST, [], [b"hello", [(b"x-a", b"b")], INNER, ENDS]),
    ("a second head behind a length", BAD, POST, [(LENGTH, b"5")], [b"hello", [(b"x-a", b"b")]]),
    ("plain CONNECT", BAD, {b":method": b"CONNECT", b":scheme": None, b":path": None, b":authority": b"127.0.0.1:22"}, [], []),
    ("CONNECT with a path", BAD, {b":method": b"CONNECT"}, [], [ENDS]),
    ("a tunnel to another protocol", BAD, {b":method": b"CONNECT", b":protocol": b"connect-udp", b":path": b"/w/x"}, [], []),
    ("a tunnel where there is none", BAD, {b":method": b"CONNECT", b":protocol": b"websocket", b":path": b"/p/x"}, [], []),
    ("a tunnel with a length", BAD, {b":method": b"CONNECT", b":protocol": b"websocket", b":path": b"/w/x"}, [(LENGTH, b"0")], []),
    ("a tunnel's key with a line", BAD, {b":method": b"CONNECT", b":protocol": b"websocket", b":path": b"/w/x"},
     [(b"sec-websocket-key", b"x\r\nx-user-id: evil")], []),
    ("a tunnel's protocol with a line", BAD, {b":method": b"CONNECT", b":protocol": b"websocket\r\nx-a: b", b":path": b"/w/x"}, [], []),
    ("a protocol and no CONNECT", BAD, {b":protocol": b"websocket", b":path": b"/w/x"}, [], [ENDS]),
    ("a tunnel, and content before it is there", ANY, {b":method": b"CONNECT", b":protocol": b"websocket", b":path": b"/w/x"}, [],
     [INNER]),
    ("identity in other spellings", GOOD, {}, [(b"x_user_id", b"evil"), (b"x-user_id", b"evil"), (b"x-user-id", b"evil")], [ENDS]),
]
USUAL = {b":method": b"GET", b":scheme": b"http", b":path": b"/p/x", b":authority": HOST_BYTES}


def load():
    """(request, expectation) of each row."""
    for name, expects, pseudo, fields, rest in TABLE:
        head = [(known, value) for known, value in {**USUAL, **pseudo}.items() if value is not None]
        parts = [Part(HEADERS, head + list(fields))]
        for each in rest:
            if each is ENDS:
                parts[-1].ends = True
            else:
                parts.append(Part(DATA if isinstance(each, bytes) else HEADERS, each))
        request = StreamRequest(b"", ("known streams",), parts, name)
        request.is_left = not parts[-1].ends
        yield request, expects
