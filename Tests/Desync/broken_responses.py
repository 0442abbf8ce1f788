"""Responses that break HTTP, each with what a client must see of it.

What a broken response carries says LEAK; none of it may be in another's answer. A response is a list of writes, in
which a number is a pause in seconds, RESET and CLOSE end the connection, and FOREVER repeats the write before it until
the gateway has had enough. What must be seen:

    bad gateway     502, no content
    too slow        504, no content
    broken off      a beginning that no client can take for all of it
    served          200 with exactly CONTENT
"""
import gzip
from dataclasses import dataclass

RESET, CLOSE, FOREVER = "reset", "close", "forever"
BAD, SLOW, BROKEN, SERVED, EMPTY = "bad gateway", "too slow", "broken off", "served", "served without content"
CONTENT = b"LEAK-within"
OK = b"HTTP/1.1 200 OK\r\n"
LENGTH = b"Content-Length: 11\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
BOMB = gzip.compress(bytes(1 << 20), 9, mtime=0)
WHOLE = OK + LENGTH + b"\r\n" + CONTENT
EXTRA = OK + b"Content-Length: 4\r\n\r\nLEAK"


@dataclass
class Broken:
    """One way to break HTTP."""
    name: str
    writes: list
    seen: tuple
    method: bytes = b"GET"
    fields: bytes = b""
    # Seconds until what comes later has come, for a case that is played when nobody else sends.
    later: float = 0
    folder: bytes = b"p"
    # The gateway must give up waiting for it.
    hangs: bool = False


def broken(name, *writes, seen=BAD, method=b"GET", fields=b"", later=0, folder=b"p", hangs=False):
    """A row of the table."""
    return Broken(name, list(writes), seen if isinstance(seen, tuple) else (seen,), method, fields, later, folder,
                  hangs)


# RFC 6455 §1.3, of the key that is offered below.
ACCEPT = b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


def handshake(name, *lines, seen=BAD, status=b"101 Switching Protocols"):
    """What answers a client that offers a WebSocket, where it may."""
    response = b"HTTP/1.1 " + status + b"\r\n" + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + CONTENT
    offer = (b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
             b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
    return broken(name, response, seen=seen, folder=b"w", fields=offer)


def head(*lines):
    """A response with these lines and the content."""
    return OK + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + CONTENT


TABLE = [
    broken("no status line", b"LEAK\r\n\r\n"),
    broken("HTTP/0.9", b"<html>LEAK</html>", CLOSE),
    broken("HTTP/0.9 with an empty line", b"<html>\r\n\r\nLEAK</html>", CLOSE),
    broken("a status of two digits", b"HTTP/1.1 20 OK\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("a status of four digits", b"HTTP/1.1 2000 OK\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("a status of letters", b"HTTP/1.1 2xx OK\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("a status with a sign", b"HTTP/1.1 +20 OK\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("status 099", b"HTTP/1.1 099 OK\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("status 600", b"HTTP/1.1 600 OK\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("two spaces behind the version", b"HTTP/1.1  200 OK\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("a tab behind the version", b"HTTP/1.1\t200 OK\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("HTTP/2.0 in the status line", b"HTTP/2.0 200 OK\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("http in lower case", b"http/1.1 200 OK\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("ICY", b"ICY 200 OK\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("two status lines", OK + b"HTTP/1.1 200 OK\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("an empty line first", b"\r\n" + WHOLE),
    broken("a space first", b" " + WHOLE),
    broken("an HTTP/2 preface", b"\x00\x00\x12\x04\x00\x00\x00\x00\x00" + b"\x00\x03\x00\x00\x00\x64" * 3),
    broken("bytes of TLS", b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03" + bytes(range(64))),
    broken("bytes of an SSH server", b"SSH-2.0-OpenSSH_9.2\r\n"),
    broken("a request in place of a response", b"GET / HTTP/1.1\r\nHost: LEAK\r\n\r\n"),
    broken("line feeds alone", WHOLE.replace(b"\r\n", b"\n")),
    broken("a bare CR in a value", head(LENGTH[:-2], b"X: a\rSet-Cookie: LEAK=1")),
    broken("a bare LF in a value", head(LENGTH[:-2], b"X: a\nSet-Cookie: LEAK=1")),
    broken("NUL in a value", head(LENGTH[:-2], b"X: a\0LEAK")),
    broken("escape in a value", head(LENGTH[:-2], b"X: \x1b[2JLEAK")),
    broken("NUL in a name", head(LENGTH[:-2], b"X\0: LEAK")),
    broken("a space before the colon", OK + b"Transfer-Encoding : chunked\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("a line without a colon", head(LENGTH[:-2], b"LEAK")),
    broken("an empty name", head(LENGTH[:-2], b": LEAK")),
    broken("a folded line", head(LENGTH[:-2], b"X: a\r\n LEAK")),
    broken("a folded length", head(b"Content-Length:\r\n 11")),
    broken("a space before the first field", OK + b" X: LEAK\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("length and coding", head(LENGTH[:-2], b"Transfer-Encoding: chunked")),
    broken("coding and length", head(b"Transfer-Encoding: chunked", LENGTH[:-2])),
    broken("two lengths", head(b"Content-Length: 4", LENGTH[:-2])),
    broken("the same length twice", head(LENGTH[:-2], LENGTH[:-2])),
    broken("a list of lengths", head(b"Content-Length: 11, 11")),
    broken("a negative length", head(b"Content-Length: -11")),
    broken("a length with a sign", head(b"Content-Length: +11")),
    broken("a length of letters", head(b"Content-Length: eleven")),
    broken("an empty length", head(b"Content-Length: ")),
    broken("a length in hexadecimal", head(b"Content-Length: 0xb")),
    broken("a length of 2^64 + 11", head(b"Content-Length: 18446744073709551627")),
    broken("a length of 2^63", head(b"Content-Length: 9223372036854775808")),
    broken("a length of forty digits", head(b"Content-Length: " + b"9" * 40)),
    broken("another coding", head(b"Transfer-Encoding: gzip")),
    broken("a coding behind chunked", head(b"Transfer-Encoding: chunked, gzip")),
    broken("a coding before chunked", head(b"Transfer-Encoding: gzip, chunked")),
    broken("chunked twice", head(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked")),
    broken("a vertical tab before chunked", head(b"Transfer-Encoding: \x0bchunked")),
    broken("chunked in HTTP/1.0", b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nLEAK\r\n0\r\n\r\n"),
    broken("101 that nobody asked for",
           b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nLEAK"),
    broken("101 to a client that asked for h2c",
           b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nLEAK",
           fields=b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"),
    handshake("101 that upgrades to nothing", b"Connection: Upgrade", ACCEPT),
    handshake("101 to another protocol", b"Connection: Upgrade", b"Upgrade: h2c", ACCEPT),
    handshake("101 to two protocols", b"Connection: Upgrade", b"Upgrade: websocket", b"Upgrade: h2c", ACCEPT),
    handshake("101 to a list of protocols", b"Connection: Upgrade", b"Upgrade: websocket, h2c", ACCEPT),
    handshake("101 without Connection", b"Upgrade: websocket", ACCEPT),
    handshake("101 without an answer to the key", b"Connection: Upgrade", b"Upgrade: websocket"),
    handshake("101 with another's answer", b"Connection: Upgrade", b"Upgrade: websocket", ACCEPT.replace(b"s3", b"S3")),
    handshake("101 with two answers", b"Connection: Upgrade", b"Upgrade: websocket", ACCEPT, ACCEPT),
    handshake("an answer to a handshake that is no 101", LENGTH[:-2], b"Upgrade: websocket", status=b"200 OK",
              seen=SERVED),
    broken("an interim response with a content", b"HTTP/1.1 103 Early Hints\r\nContent-Length: 4\r\n\r\nLEAK" + WHOLE),
    broken("interim responses without end", b"HTTP/1.1 100 Continue\r\n\r\n", FOREVER),
    broken("early hints without end", b"HTTP/1.1 103 Early Hints\r\nLink: </LEAK>\r\n\r\n", FOREVER),
    broken("fields without end", OK, b"X-LEAK: " + b"v" * 500 + b"\r\n", FOREVER),
    broken("a line without end", OK + b"X: ", b"LEAK" * 1000, FOREVER),
    broken("a status line without end", b"HTTP/1.1 200 ", b"LEAK" * 1000, FOREVER),
    broken("a reason of 100 kB", b"HTTP/1.1 200 " + b"LEAK" * 25000 + b"\r\n" + LENGTH + b"\r\n" + CONTENT),
    broken("two hundred fields", OK + b"X: LEAK\r\n" * 200 + LENGTH + b"\r\n" + CONTENT),
    broken("100 kB of fields", OK + (b"X: " + b"LEAK" * 250 + b"\r\n") * 99 + LENGTH + b"\r\n" + CONTENT),
    broken("nothing, then the end", CLOSE),
    broken("nothing, then a reset", RESET),
    broken("half a status line, then a reset", b"HTTP/1.1 2", RESET),
    broken("half a head, then the end", OK + b"X: LEAK\r\n", CLOSE),
    broken("half a head, then a reset", OK + b"X: LEAK\r\n", RESET),
    broken("half a head, then nothing", OK + b"X: LEAK\r\n", seen=SLOW, hangs=True),
    broken("nothing at all", b"", seen=SLOW, hangs=True),
    broken("a head by one byte each 0.2 s",
           *[part for byte in OK + b"X: LEAK\r\n" * 3 for part in (bytes([byte]), 0.2)], seen=SLOW, hangs=True),
    broken("a body too short, then the end", OK + b"Content-Length: 50\r\n\r\n" + CONTENT, CLOSE, seen=BROKEN),
    broken("a body too short, then a reset", OK + b"Content-Length: 50\r\n\r\n" + CONTENT, RESET, seen=BROKEN),
    broken("a body too short, then nothing", OK + b"Content-Length: 50\r\n\r\n" + CONTENT, seen=BROKEN, hangs=True),
    broken("a length of 2^63 - 1, then the end", OK + b"Content-Length: 9223372036854775807\r\n\r\n" + CONTENT, CLOSE,
           seen=BROKEN),
    broken("a head and a reset", OK + LENGTH + b"\r\n", RESET, seen=BROKEN),
    broken("no last chunk", CHUNKED + b"b\r\n" + CONTENT + b"\r\n", CLOSE, seen=BROKEN),
    broken("no last chunk, and a reset", CHUNKED + b"b\r\n" + CONTENT + b"\r\n", RESET, seen=BROKEN),
    broken("no end behind the last chunk", CHUNKED + b"b\r\n" + CONTENT + b"\r\n0\r\n", CLOSE, seen=BROKEN),
    broken("half a chunk", CHUNKED + b"50\r\n" + CONTENT, CLOSE, seen=BROKEN),
    broken("garbage for a chunk's size", CHUNKED + b"LEAK\r\n" + CONTENT, seen=BROKEN),
    broken("garbage for the second chunk's size", CHUNKED + b"b\r\n" + CONTENT + b"\r\n", b"xyz\r\nLEAK", seen=BROKEN),
    broken("a negative chunk", CHUNKED + b"-b\r\n" + CONTENT, seen=BROKEN),
    broken("a chunk of 17 digits", CHUNKED + b"1000000000000000b\r\n" + CONTENT, seen=BROKEN),
    broken("a chunk of 2^63", CHUNKED + b"8000000000000000\r\n" + CONTENT, seen=BROKEN),
    broken("a chunk's size behind a space", CHUNKED + b" b\r\n" + CONTENT + b"\r\n0\r\n\r\n", seen=BROKEN),
    broken("chunk sizes padded behind", CHUNKED + b"b  \r\n" + CONTENT + b"\r\n0 \r\n\r\n", seen=SERVED),
    broken("chunk sizes padded in front", CHUNKED + b"0" * 20 + b"b\r\n" + CONTENT + b"\r\n0000\r\n\r\n", seen=SERVED),
    broken("two sizes of one chunk", CHUNKED + b"b 4\r\n" + CONTENT + b"\r\n0\r\n\r\n", seen=BROKEN),
    broken("no space behind the status", b"HTTP/1.1 200\r\n" + LENGTH + b"\r\n" + CONTENT, seen=SERVED),
    broken("a chunk in hexadecimal notation", CHUNKED + b"0xb\r\n" + CONTENT + b"\r\n0\r\n\r\n", seen=BROKEN),
    broken("a chunk longer than said", CHUNKED + b"4\r\n" + CONTENT + b"\r\n0\r\n\r\n", seen=BROKEN),
    broken("a chunk line that ends in LF", CHUNKED + b"b\n" + CONTENT + b"\r\n0\r\n\r\n", seen=BROKEN),
    broken("a chunk that ends in LF", CHUNKED + b"b\r\n" + CONTENT + b"\n0\r\n\r\n", seen=BROKEN),
    broken("LF in a chunk's extension", CHUNKED + b"b;\nLEAK\r\n" + CONTENT + b"\r\n0\r\n\r\n", seen=BROKEN),
    broken("a chunk extension without end", CHUNKED + b"b;", b"LEAK" * 1000, FOREVER, seen=BROKEN),
    broken("extensions of many chunks", CHUNKED, b"1;LEAK=" + b"x" * 200 + b"\r\nL\r\n", FOREVER, seen=BROKEN),
    broken("trailers without end", CHUNKED + b"b\r\n" + CONTENT + b"\r\n0\r\n", b"X: LEAK\r\n", FOREVER, seen=BROKEN),
    broken("a folded trailer", CHUNKED + b"b\r\n" + CONTENT + b"\r\n0\r\nX: a\r\n LEAK\r\n\r\n", seen=BROKEN),
    broken("a bare CR in a trailer", CHUNKED + b"b\r\n" + CONTENT + b"\r\n0\r\nX: a\rLEAK\r\n\r\n", seen=BROKEN),
    broken("trailers that only a head may have",
           CHUNKED + b"b\r\n" + CONTENT + b"\r\n0\r\nContent-Length: 4\r\nSet-Cookie: LEAK=1\r\nX-User-Id: L\r\n\r\n",
           seen=SERVED),
    broken("another response behind the length", WHOLE + EXTRA, seen=SERVED),
    broken("another response behind the chunks", CHUNKED + b"b\r\n" + CONTENT + b"\r\n0\r\n\r\n" + EXTRA, seen=SERVED),
    broken("garbage behind the length", WHOLE + b"LEAK" * 20000, seen=SERVED),
    broken("another response a moment later", WHOLE, 0.05, EXTRA, seen=SERVED, later=0.2),
    broken("half a response behind the length", WHOLE + EXTRA[:20], seen=SERVED),
    broken("a content in answer to HEAD, a moment later", OK + LENGTH + b"\r\n", 0.05, CONTENT + EXTRA, method=b"HEAD",
           seen=EMPTY, later=0.2),
    broken("a content in answer to 304, a moment later", b"HTTP/1.1 304 Not Modified\r\n" + LENGTH + b"\r\n", 0.05,
           CONTENT + EXTRA, seen=EMPTY, later=0.2),
    broken("an interim response behind the length", WHOLE + b"HTTP/1.1 100 Continue\r\n\r\n", seen=SERVED),
    broken("the end behind the length", WHOLE, CLOSE, seen=SERVED),
    broken("a reset behind the length", WHOLE, 0.02, RESET, seen=SERVED),
    broken("204 with a length and a content", b"HTTP/1.1 204 No Content\r\n" + LENGTH + b"\r\n" + CONTENT, seen=EMPTY),
    broken("204 with chunks",
           b"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nLEAK\r\n0\r\n\r\n", seen=EMPTY),
    broken("204 and another response", b"HTTP/1.1 204 No Content\r\n\r\n" + EXTRA, seen=EMPTY),
    broken("304 with a content", b"HTTP/1.1 304 Not Modified\r\n" + LENGTH + b"\r\n" + CONTENT, seen=EMPTY),
    broken("304 with chunks",
           b"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nLEAK\r\n0\r\n\r\n", seen=EMPTY),
    broken("a content in answer to HEAD", WHOLE, method=b"HEAD", seen=EMPTY),
    broken("chunks in answer to HEAD", CHUNKED + b"4\r\nLEAK\r\n0\r\n\r\n", method=b"HEAD", seen=EMPTY),
    broken("two lengths in answer to HEAD", OK + LENGTH + LENGTH + b"\r\n", method=b"HEAD", seen=(BAD, EMPTY)),
    broken("no length, until the end", OK + b"\r\n" + CONTENT, CLOSE, seen=SERVED),
    broken("no length, until a reset", OK + b"\r\n" + CONTENT, 0.02, RESET, seen=BROKEN),
    broken("HTTP/1.0 that keeps the connection",
           b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + LENGTH + b"\r\n" + CONTENT + EXTRA, seen=SERVED),
    broken("an answer before the body was sent", WHOLE, EXTRA, method=b"POST",
           fields=b"Content-Length: 5\r\nBody: late\r\n", seen=SERVED),
    broken("Connection names what the gateway says",
           head(LENGTH[:-2], b"Connection: Content-Length, Transfer-Encoding, X-Request-Id"), seen=SERVED),
    broken("fields that only the gateway says", head(LENGTH[:-2], b"X-Request-Id: LEAK", b"X-Forwarded-For: LEAK",
                                                     b"X-Real-IP: LEAK", b"Client-Cert: LEAK",
                                                     b"X_Forwarded_User: LEAK", b"X-Forwarded-Host: LEAK",
                                                     b"Forwarded: for=LEAK"), seen=SERVED),
    broken("cookies of the gateway's, twice and in any case", head(LENGTH[:-2], b"Set-Cookie: __Host-portcullis-LEAK=1",
           b"set-cookie: __host-PORTCULLIS-LEAK=2; Path=/", b"Set-Cookie: =__Host-portcullis-LEAK=3",
           b"Set-Cookie: app=1"), seen=SERVED),
    broken("hop-by-hop fields", head(LENGTH[:-2], b"Keep-Alive: LEAK", b"Proxy-Authenticate: LEAK", b"Upgrade: LEAK",
                                     b"Trailer: LEAK", b"TE: LEAK", b"Proxy-Connection: LEAK", b"Connection: X-LEAK",
                                     b"X-LEAK: LEAK"), seen=SERVED),
    broken("a gzip bomb's content", OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB), BOMB,
           seen="passed on"),
    broken("a gzip coding that is none", OK + b"Content-Encoding: gzip\r\n" + LENGTH + b"\r\n" + CONTENT, seen=SERVED),
]
