"""What is done to a request so that servers disagree about it; one function a class, registered under its name."""
from gateway import HOST

HOST_BYTES = HOST.encode()
MUTATIONS = []
SPACES = (b" ", b"\t", b"\x0b", b"\x0c", b"\r", b"\n", b"\x00", b"\xa0", b"\xc2\xa0", b"\x85", b"\x1c", b"\x7f",
          b"\x08")
LINE_ENDS = (b"\n", b"\r", b"\r\r\n", b"\n\r", b"\r\n\r", b" \r\n", b"\t\r\n", b"\x00\r\n", b"\r\x00\n", b"\x0b\r\n",
             b"\xc2\x85", b"\r\n ", b"\r\n\t", b"\n\n", b"")
# Names that only the gateway may say, and those that no hop passes on.
IDENTITY = (b"X-User-Id", b"X-Scopes", b"X-Forwarded-For", b"X-Forwarded-Proto", b"X-Forwarded-Host",
            b"X-Forwarded-Port", b"X-Forwarded-User", b"Forwarded", b"X-Real-IP", b"X-Original-URL", b"X-Rewrite-URL",
            b"Client-Cert", b"Client-Cert-Chain", b"X-SSL-Client-Verify", b"X-Client-Cert", b"X-Forwarded-Client-Cert",
            b"X-Authenticated-User", b"Remote-User", b"X-Remote-User", b"X-Request-Id", b"X-HTTP-Method-Override",
            b"X-HTTP-Method", b"X-Method-Override", b"_method", b"Proxy", b"DPoP", b"X-Portcullis-Id")
HOP_BY_HOP = (b"Connection", b"Proxy-Connection", b"Keep-Alive", b"TE", b"Trailer", b"Upgrade", b"Proxy-Authorization",
              b"Proxy-Authenticate", b"HTTP2-Settings", b"Transfer-Encoding", b"Content-Length", b"Expect")


def mutation(function):
    """Registers a change of a draft."""
    MUTATIONS.append((function.__name__.replace("_", " "), function))
    return function


def smuggled(draft):
    """A request that hides in another, with that one's mark."""
    return b"GET /p/smuggled/%s HTTP/1.1\r\nHost: %s\r\nMark: %s\r\n\r\n" % (draft.marker, HOST_BYTES, draft.marker)


def somewhere(choose, draft):
    """A place among the field lines."""
    return choose.randrange(len(draft.fields) + 1)


def variant(choose, name):
    """A name that some server takes for the same one."""
    way = choose.randrange(8)
    if way == 0:
        return name.replace(b"-", b"_")
    if way == 1:
        return name.replace(b"-", b".")
    if way == 2:
        return bytes(choose.choice((byte, byte ^ 0x20)) if chr(byte).isalpha() else byte for byte in name)
    if way == 3:
        return name.replace(b"-", choose.choice((b"\xe2\x80\x90", b"--", b"", b" ", b"+", b"~", b"'", b"*", b"|",
                                                 b"%2d")))
    if way == 4:
        return name + choose.choice((*SPACES, b"%20", b"_", b".", b"-"))
    if way == 5:
        return choose.choice((*SPACES, b"_", b"HTTP_", b"-")) + name
    if way == 6:
        return name.replace(b"s", b"\xc5\xbf").replace(b"K", b"\xe2\x84\xaa")
    return name


@mutation
def transfer_coding_spelling(choose, draft):
    value = choose.choice((
        b"chunked", b"Chunked", b"CHUNKED", b" chunked", b"\tchunked", b"\x0bchunked", b"\x00chunked", b"chunked\x00",
        b"xchunked", b"chunkedx", b"chunked;q=1", b"chunked, identity", b"identity, chunked", b"identity", b"gzip",
        b"gzip, chunked", b"chunked, chunked", b"chunked,", b",chunked", b"\"chunked\"", b"'chunked'",
        b"chunked chunked", b"chunked\t", b"chunk", b"", b"chunked\r\n ", b"chunked\n", b"c\\hunked", b"chun\xc4\xb5ed",
        b"trailers, chunked"))
    draft.drop(choose.choice((b"content-length", b"transfer-encoding")))
    draft.add(b"Transfer-Encoding", value, at=somewhere(choose, draft))


@mutation
def transfer_coding_name(choose, draft):
    name = choose.choice((
        b"Transfer-Encoding ", b" Transfer-Encoding", b"Transfer_Encoding", b"Transfer-Encoding\x00",
        b"transfer-encoding", b"TRANSFER-ENCODING", b"Transfer.Encoding", b"Transfer-Encoding\t",
        b"Transfer\xadEncoding", b"X\nTransfer-Encoding", b"X: y\rTransfer-Encoding", b"X: y\nTransfer-Encoding",
        b"Transfer-Encodin\xc4\xa1", b"\x00Transfer-Encoding"))
    draft.drop(b"transfer-encoding")
    draft.add(name, b"chunked", at=somewhere(choose, draft))


@mutation
def length_spelling(choose, draft):
    size = len(draft.body)
    draft.drop(b"content-length")
    draft.add(b"Content-Length", choose.choice((
        b"%d", b"+%d", b"-%d", b" %d", b"%d ", b"0%d", b"000000000000000000000%d", b"0x%x", b"%d.0", b"%d,%d",
        b"%d, %d", b"%d %d", b"%de0", b"1%d", b"\x0b%d", b"%d\x0b", b"%d\x00", b"%d;", b"\"%d\"", b"1_%d", b"%d\r\n 0",
        b"\xd9\xa1%d")).replace(b"%d", b"%d" % size).replace(b"%x", b"%x" % size), at=somewhere(choose, draft))


@mutation
def length_value(choose, draft):
    size = len(draft.body)
    draft.drop(b"content-length")
    draft.add(b"Content-Length", choose.choice((
        b"%d" % (size + 1), b"%d" % max(0, size - 1), b"0", b"1", b"%d" % (size + len(smuggled(draft))), b"", b" ",
        b"18446744073709551616", b"18446744073709551615", b"9223372036854775807", b"9223372036854775808", b"4294967296",
        b"%d" % ((1 << 64) + size), b"%d" % ((1 << 32) + size), b"99999999999999999999999999", b"-1", b"NaN")))


@mutation
def length_twice(choose, draft):
    size = len(draft.body)
    for value in choose.choice(((size, size), (size, 0), (0, size), (size, size + 5), (5, 6), (size,))):
        draft.add(choose.choice((b"Content-Length", b"content-length", b"Content_Length", b"Content-Length ")),
                  b"%d" % value, at=somewhere(choose, draft))


@mutation
def length_and_coding(choose, draft):
    draft.add(b"Content-Length", b"%d" % choose.choice((0, 4, len(draft.body), 30)), at=somewhere(choose, draft))
    draft.add(b"Transfer-Encoding", choose.choice((b"chunked", b"identity", b"Chunked", b"xchunked")),
              at=somewhere(choose, draft))


@mutation
def coding_twice(choose, draft):
    for _ in range(2):
        value = choose.choice((b"chunked", b"identity", b"gzip", b""))
        draft.add(b"Transfer-Encoding", value, at=somewhere(choose, draft))


@mutation
def coding_in_http_1_0(choose, draft):
    draft.version = b"HTTP/1.0"
    if choose.random() < 0.5:
        draft.add(b"Connection", b"keep-alive")
    if choose.random() < 0.3:
        draft.add(b"Transfer-Encoding", b"chunked")


def chunked(choose, draft):
    """Makes sure that there are chunks."""
    if draft.framing != "chunked":
        draft.drop(b"content-length")
        draft.framing, draft.method = "chunked", b"POST"
        draft.add(b"Transfer-Encoding", b"chunked")
        draft.chunks = [(b"%x\r\n" % len(draft.marker), draft.marker, b"\r\n"), (b"5\r\n", b"hello", b"\r\n")]
    return choose.randrange(len(draft.chunks))


@mutation
def chunk_size(choose, draft):
    place = chunked(choose, draft)
    _, data, end = draft.chunks[place]
    size = len(data)
    line = choose.choice((
        b"%X", b"0%x", b"000000000000%x", b"0000000000000000%x", b"0x%x", b"+%x", b"-%x", b" %x", b"%x ", b"%x\t",
        b"%xg", b"g", b"", b"%x.0", b"%x_0", b"ffffffffffffffff%x", b"1000000000000000%x", b"7fffffffffffffff",
        b"8000000000000000", b"\x00%x", b"%x\x00", b"%x,", b"%x\x0b", b"%d", b"'%x'",
        b"%x\xc2\xa0")).replace(b"%x", b"%x" % size).replace(b"%X", b"%X" % size).replace(b"%d", b"%d" % size)
    draft.chunks[place] = (line + b"\r\n", data, end)


@mutation
def chunk_extension(choose, draft):
    place = chunked(choose, draft)
    _, data, end = draft.chunks[place]
    line = b"%x" % len(data) + choose.choice((
        b";", b";a", b";a=b", b";a=\"b\"", b" ;a=b", b";a =b", b";a= b", b"\t;\ta", b";a=\"b", b";a=\"\\\"\"",
        b";a=\"\r\n\"", b";\n", b";a\n", b";a=b\nx", b";a\rb", b";a=\"\n\"", b";" + b"a" * 300, b";a=b" * 200, b";=b",
        b";a=", b";a;;b", b";a=b c", b";\x00", b";a=\x7f", b";a=\xff", b"; a=b ", b";a=\"\xff\"", b";" + b"a" * 200))
    draft.chunks[place] = (line + b"\r\n", data, end)


@mutation
def chunk_line_end(choose, draft):
    place = chunked(choose, draft)
    size, data, end = draft.chunks[place]
    if choose.random() < 0.5:
        size = size[:-2] + choose.choice(LINE_ENDS)
    else:
        end = choose.choice((*LINE_ENDS, b"XX", b"\r\nX", b"X\r\n"))
    draft.chunks[place] = (size, data, end)


@mutation
def last_chunk(choose, draft):
    chunked(choose, draft)
    draft.last = choose.choice((
        b"0\r\n", b"0\r\n\r", b"00\r\n\r\n", b"0000000000000000\r\n\r\n", b"00000000000000000\r\n\r\n", b"0\n\n",
        b"0\r\n\n", b"0\n\r\n", b"", b"0;a=b\r\n\r\n", b"0 \r\n\r\n", b"0\r\r\n\r\n", b"\r\n0\r\n\r\n", b"-0\r\n\r\n",
        b"0x0\r\n\r\n", b"0\r\n" + smuggled(draft), b"0\r\n\r\nX", b"0;\r\n\r\n", b"0\r\n\x00\r\n\r\n"))


@mutation
def trailers(choose, draft):
    chunked(choose, draft)
    draft.last = b"0\r\n" + choose.choice((
        b"Foo: bar", b"Content-Length: 5", b"Transfer-Encoding: chunked", b"X-User-Id: evil",
        b"Authorization: Bearer evil", b"Foo : bar", b"Foo", b": bar", b"Foo: a\r\n b", b"Foo: a\nbar", b"Foo: a\rbar",
        b"Foo: \x00", b" Foo: bar", b"GET /p/smuggled HTTP/1.1", b"Foo: " + b"x" * 70000,
        b"Foo: bar\r\n" * 101 + b"Foo: bar", b"F\x80o: bar")) + b"\r\n\r\n"


@mutation
def line_end(choose, draft):
    place = choose.randrange(len(draft.fields))
    name, between, value, _ = draft.fields[place]
    draft.fields[place] = (name, between, value, choose.choice(LINE_ENDS))


@mutation
def head_end(choose, draft):
    draft.end = choose.choice((b"\n", b"\r", b"\r\r\n", b" \r\n", b"\r\n\r\n", b"\x00\r\n", b"\t\r\n\r\n", b"",
                               b"\n\r\n"))


@mutation
def request_line(choose, draft):
    draft.line = choose.choice((
        b"%s %s %s\n", b"%s  %s %s\r\n", b"%s\t%s %s\r\n", b"%s %s  %s\r\n", b"%s %s\t%s\r\n", b" %s %s %s\r\n",
        b"%s %s %s \r\n", b"%s %s %s\r\n ", b"%s %s %s\r\n\t", b"%s %s %s\x00\r\n", b"%s %s x %s\r\n", b"%s %s\r\n%.0s",
        b"%s %s %s\r\r\n", b"%s\x0b%s %s\r\n", b"%s %s\xa0%s\r\n", b"%s %s %s, HTTP/1.1\r\n", b"%s %s HTTP/1.1 %s\r\n"))


@mutation
def before_the_request(choose, draft):
    draft.before = choose.choice((b"\r\n", b"\r\n\r\n", b"\n", b"\r", b" ", b"\x00", b"\r\n\n", b"\xef\xbb\xbf", b"\t",
                                  b"\r\n\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01"))


@mutation
def version(choose, draft):
    draft.version = choose.choice((
        b"HTTP/1.0", b"HTTP/1.0", b"HTTP/1.2", b"HTTP/1.9", b"HTTP/1.10", b"HTTP/2.0", b"HTTP/0.9", b"HTTP/3",
        b"http/1.1", b"HTTP/1.1x", b"HTTP/01.1", b"HTTP/1.01", b"HTTP /1.1", b"HTTP/1,1", b"HTTP/+1.1", b"ICY/1.1",
        b"HTTPS/1.1", b"RTSP/1.0", b"HTTP/1.\xb9", b"HTTP/1.", b"HTTP", b""))


@mutation
def method(choose, draft):
    draft.method = choose.choice((
        b"get", b"Get", b"TRACE", b"TRACK", b"CONNECT", b"PRI", b"M-SEARCH", b"PURGE", b"OPTIONS", b"HEAD", b"DELETE",
        b"X", b"GE T", b"GET\x00", b"G\xc3\x89T", b"GET,", b"(GET)", b"", b"A" * 500, b"GET/", b"*", b"POST\xa0",
        b"get\tx", b"\"GET\"", b"SOURCE", b"QUERY", b"gET", b"LINK"))


@mutation
def target_form(choose, draft):
    path = draft.target
    draft.target = choose.choice((
        b"http://" + HOST_BYTES + path, b"HTTP://" + HOST_BYTES.upper() + path, b"https://" + HOST_BYTES + path,
        b"http://evil.test" + path, b"http://" + HOST_BYTES + b":80" + path, b"http://" + HOST_BYTES, b"http://" + path,
        b"http://user@" + HOST_BYTES + path, b"ftp://" + HOST_BYTES + path, b"http:" + path, b"http:/" + path,
        b"//" + HOST_BYTES + path, b"*", HOST_BYTES + b":80", b"/*", path[1:], b"?" + path,
        b"http://" + HOST_BYTES + b"?x=1", b"http://" + HOST_BYTES + b"#" + path,
        b"http://" + HOST_BYTES + b"\\" + path, b"@" + HOST_BYTES + path, b"http://[::1]" + path,
        b"http://" + HOST_BYTES + b":99999" + path, b"http://" + HOST_BYTES + b"%2f" + path,
        b"x-y+z://" + HOST_BYTES + path, b"ws://" + HOST_BYTES + path, b"http://" + HOST_BYTES + b"/p/../t" + path))
    if choose.random() < 0.3:
        draft.method = choose.choice((b"OPTIONS", b"CONNECT", b"GET"))
    if choose.random() < 0.3:
        draft.drop(b"host")
        draft.add(b"Host", b"evil.test")


@mutation
def target_bytes(choose, draft):
    place = choose.randrange(1, len(draft.target) + 1)
    odd = choose.choice((*SPACES, b"#", b"%", b"%00", b"%0d%0a", b"\\", b"%2f", b"..;/", b"/../", b"//", b"%2e%2e/",
                         b"\xff", b"\xc0\xaf", b"%zz", b"|", b"<", b"\"", b"{", b"^", b"`", b"[", b"%25%32%66", b";a=b",
                         b"/./", b"?"))
    draft.target = draft.target[:place] + odd + draft.target[place:]


@mutation
def long_target(choose, draft):
    room = 8192 - len(draft.target) - len(draft.method) - 11
    draft.target += b"?" + b"q" * (room + choose.choice((-1, 0, 1, 2, 5000)))


@mutation
def host(choose, draft):
    value = choose.choice((
        b"", b"evil.test", HOST_BYTES + b":80", HOST_BYTES + b".", HOST_BYTES.upper(), HOST_BYTES + b", " + HOST_BYTES,
        b"user@" + HOST_BYTES, HOST_BYTES + b"/x", HOST_BYTES + b":", HOST_BYTES + b":0x50", HOST_BYTES + b":80:80",
        b"[::1]", HOST_BYTES + b"\x00", HOST_BYTES + b"?x", HOST_BYTES + b"#x", HOST_BYTES + b" x", HOST_BYTES + b"\tx",
        HOST_BYTES + b"\\x", b"http://" + HOST_BYTES, HOST_BYTES + b";x", b"*", b"%67w.test", HOST_BYTES + b":080"))
    if choose.random() < 0.7:
        draft.drop(b"host")
    draft.add(choose.choice((b"Host", b"Host", b"HOST", b"host", b"Host ", b"H_ost", b" Host")), value,
              at=somewhere(choose, draft))


@mutation
def no_host(_, draft):
    draft.drop(b"host")


@mutation
def host_twice(choose, draft):
    draft.add(b"Host", choose.choice((HOST_BYTES, b"evil.test")), at=somewhere(choose, draft))


@mutation
def around_a_name(choose, draft):
    place = choose.randrange(len(draft.fields))
    name, between, value, end = draft.fields[place]
    odd = choose.choice((*SPACES, b":", b"(", b"\"", b"@", b"/", b"\xff", b"=", b",", b";", b"\\", b"{"))
    way = choose.randrange(4)
    if way == 0:
        name = odd + name
    elif way == 1:
        name += odd
    elif way == 2:
        cut = choose.randrange(len(name) + 1)
        name = name[:cut] + odd + name[cut:]
    else:
        between = choose.choice((b":", b" : ", b"\t:", b": \t ", b"", b" ", b"=", b"::", b":\x0b", b":\x00", b":\xa0",
                                 b":\r\n "))
    draft.fields[place] = (name, between, value, end)


@mutation
def in_a_value(choose, draft):
    place = choose.randrange(len(draft.fields))
    name, between, value, end = draft.fields[place]
    cut = choose.randrange(len(value) + 1)
    odd = choose.choice((*SPACES, b"\r\n ", b"\r\n\t", b"\r\nX-User-Id: evil", b"\nX-User-Id: evil",
                         b"\rX-User-Id: evil", b"\xc4\x8a", b"\xe5\x98\x8aX-User-Id: evil", b"\x1b[2J", b"\xff",
                         b"\r\n\r\n" + smuggled(draft)))
    draft.fields[place] = (name, between, value[:cut] + odd + value[cut:], end)


@mutation
def folded_line(choose, draft):
    draft.add(b"X-Folded", b"a", end=choose.choice((b"\r\n b\r\n", b"\r\n\tb\r\n", b"\r\n Content-Length: 5\r\n",
                                                    b"\n b\r\n", b"\r\n \r\n",
                                                    b"\r\n : x\r\n")), at=somewhere(choose, draft))


@mutation
def line_without_colon(choose, draft):
    draft.add(choose.choice((b"X-None", b"", b"Transfer-Encoding chunked", b"\x00", smuggled(draft)[:-4])), b"",
              between=choose.choice((b"", b" ", b";")), at=somewhere(choose, draft))


@mutation
def identity_name(choose, draft):
    for _ in range(choose.choice((1, 1, 2, 5, 30))):
        draft.add(variant(choose, choose.choice(IDENTITY)), b"evil", at=somewhere(choose, draft))


@mutation
def hop_by_hop_name(choose, draft):
    for _ in range(choose.choice((1, 1, 2))):
        draft.add(variant(choose, choose.choice(HOP_BY_HOP)),
                  choose.choice((b"evil", b"trailers", b"close", b"keep-alive", b"100-continue", b"0", b"chunked",
                                 b"h2c")),
                  at=somewhere(choose, draft))


@mutation
def connection_nominates(choose, draft):
    names = choose.sample((*IDENTITY, *HOP_BY_HOP, b"Host", b"Content-Length", b"Authorization", b"Cookie", b"X-Hop",
                           b"Mark", b"close", b"keep-alive", b"X_User_Id", b"Accept", b"Content-Type", b"te", b"\x00",
                           b"a b", b"", b"Via", b"X-Hop"), choose.choice((1, 1, 2, 4)))
    draft.add(b"X-Hop", b"evil")
    comma = choose.choice((b", ", b",", b" ,\t", b",,", b" "))
    draft.add(b"Connection", comma.join(names), at=somewhere(choose, draft))


@mutation
def expectation(choose, draft):
    draft.add(b"Expect", choose.choice((b"100-continue", b"100-Continue", b"100-continue, x", b"200-ok", b"",
                                        b"100-continue;a", b" 100-continue")), at=somewhere(choose, draft))
    if choose.random() < 0.2:
        draft.add(b"Expect", b"100-continue")


@mutation
def upgrade(choose, draft):
    draft.add(b"Connection", choose.choice((
        b"Upgrade", b"upgrade, HTTP2-Settings", b"keep-alive, Upgrade", b"close, upgrade")))
    draft.add(b"Upgrade", choose.choice((b"h2c", b"websocket", b"WebSocket", b"h2c, websocket", b"TLS/1.0", b"HTTP/2.0",
                                         b"foo")))
    draft.add(b"HTTP2-Settings", b"AAMAAABkAARAAAAAAAIAAAAA")
    if choose.random() < 0.5:
        draft.add(b"Sec-WebSocket-Version", choose.choice((b"13", b"8", b"x")))
        draft.add(b"Sec-WebSocket-Key", choose.choice((b"dGhlIHNhbXBsZSBub25jZQ==", b"dGhlIHNhbXBsZSBub25jZQ==", b"x")))


@mutation
def many_fields(choose, draft):
    for number in range(choose.choice((90, 95, 97, 98, 99, 100, 101, 120)) - len(draft.fields)):
        draft.add(b"X-%d" % number, b"v")


@mutation
def large_fields(choose, draft):
    size = choose.choice((32 * 1024 - 4, 32 * 1024 - 3, 32 * 1024 - 2, 32 * 1024, 40000))
    for _ in range(choose.choice((1, 1, 2, 3))):
        draft.add(b"X", b"v" * size)


@mutation
def body_too_short(choose, draft):
    if draft.framing == "chunked":
        draft.last = draft.last[:choose.randrange(len(draft.last) + 1)]
    else:
        draft.body = draft.body[:choose.randrange(len(draft.body) + 1)]


@mutation
def body_too_long(choose, draft):
    draft.after = choose.choice((
        b"X", b"\r\n", b"\n", b"0\r\n\r\n", smuggled(draft), b"GPOST / HTTP/1.1\r\n\r\n", b"\x00",
        b"5\r\nhello\r\n"))


@mutation
def body_without_framing(choose, draft):
    draft.drop(b"content-length")
    draft.drop(b"transfer-encoding")
    draft.framing, draft.method = "none", choose.choice((b"GET", b"POST", b"DELETE", b"HEAD", b"OPTIONS"))
    draft.body = choose.choice((smuggled(draft), b"x=1", b"5\r\nhello\r\n0\r\n\r\n"))


@mutation
def closing(choose, draft):
    draft.add(b"Connection", choose.choice((b"close", b"Close", b"close, keep-alive", b"keep-alive", b"x, close",
                                            b"close,close")))


@mutation
def method_override(choose, draft):
    draft.add(choose.choice((b"X-HTTP-Method-Override", b"X_HTTP_Method_Override", b"x-http-method",
                             b"X-Method-Override", b"_method", b"-method")), b"evil")


@mutation
def credentials(choose, draft):
    draft.add(*choose.choice((
        (b"Authorization", b"Bearer evil"), (b"Authorization", b""), (b"Proxy-Authorization", b"Basic evil"),
        (b"Authorization", b"Basic evil"), (b"authorization", b"Bearer evil"), (b"Authorization ", b"Bearer evil"),
        (b"DPoP", b"evil"), (b"Cookie", b"__Host-portcullis-x=evil; a=1"),
        (b"Cookie", b"a=1"))), at=somewhere(choose, draft))
