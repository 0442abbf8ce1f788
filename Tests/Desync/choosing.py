"""What is done to a request so that servers disagree about the route that it is for; registered as the other mutations are."""
from chosen_routes import BELOW, EXACT, FIELD, OPENING, WILD
from mutations import HOST_BYTES, MUTATIONS, SPACES, mutation, somewhere

# Names of routes, and what some reader takes for one of them.
NAMES = (HOST_BYTES, EXACT, b"x" + WILD, BELOW)
SPELLINGS = (
    *NAMES, EXACT.upper(), BELOW.upper(), b"X.Wild.Test", EXACT + b".", BELOW + b".", EXACT + b":80", BELOW + b":80", EXACT + b":443",
    EXACT + b":", EXACT + b":080", b"x.y" + WILD, WILD, WILD[1:], b"*" + WILD, b"." + BELOW, b"x." + BELOW, b"-" + WILD, b"_" + WILD,
    b"x" * 63 + WILD, b"x" * 64 + WILD, b"x..wild.test", b"%6f" + BELOW[1:], b"open%2ewild.test", b"ex\xc4\x81ct.test",
    b"evil" + EXACT, EXACT + b".evil", b"x\xe3\x80\x82wild.test", b"\xef\xbd\x8fpen.wild.test", b"xn--" + BELOW, b"open\x00" + WILD,
    b"open_" + WILD, b"open " + WILD, b"user@" + EXACT, EXACT + b"@" + HOST_BYTES, EXACT + b"/", EXACT + b"#" + HOST_BYTES,
    EXACT + b"?" + HOST_BYTES, EXACT + b"\\" + HOST_BYTES, EXACT + b", " + HOST_BYTES, HOST_BYTES + b"," + EXACT, b"[" + EXACT + b"]")
# Of the field that chooses.
FIELD_NAMES = (FIELD, FIELD, FIELD, FIELD.lower(), FIELD.upper(), b"X_Version", FIELD + b" ", b" " + FIELD, FIELD + b"\t",
               b"X-Versi\xc3\xb3n", FIELD + b"\x00", b"X-Version-", b"HTTP_X_VERSION")
FIELD_VALUES = (OPENING, OPENING, OPENING, b"v2", OPENING.upper(), b"", OPENING + b",", OPENING + b", " + OPENING, b"v2, " + OPENING,
                OPENING + b";a=b", b'"v3"', b"%763", OPENING + b"\x00", b"\x0bv3", OPENING + b"\x0b", OPENING + b"\xa0", b"v\xef\xbc\x93",
                OPENING + b"\r\n ", b"\r\n v3", b"v2\r" + FIELD + b": v3", b"v2\n" + FIELD + b": v3", OPENING + b" x", b"\tv3\t")
# Paths that lead from an open route to a guarded one, or the other way round, to whoever reads them otherwise.
CROSSINGS = (
    b"/s/x/guarded", b"/s/x/guarded/", b"/s/x//guarded/", b"/s//guarded/", b"/s//x/guarded/", b"/s/%67uarded/", b"/s/x/%67uarded/",
    b"/s/x/guarded;a/", b"/s/x%2fguarded/", b"/s/x/y/../guarded/", b"/s/./guarded/", b"/s/../guarded/", b"/s/*/guarded/",
    b"/s/x/GUARDED/", b"/s/guarded/guarded/", b"/s/x\\guarded/", b"/s/%2e/guarded/", b"/s/x/guarded%20/", b"/s/x/guarded%00/",
    b"/s/;/guarded/", b"/s", b"/s/x/y/guarded/", b"/r/t/", b"/r//t/", b"/r/p/../t/", b"/r/p/%2e%2e/t/", b"/r/p/..%2ft/", b"/r/%74/",
    b"/%72/t/", b"/%72/p/", b"/R/t/", b"/r%2ft/", b"/r/p/..;/t/", b"/r/;/t/", b"/r\\t\\", b"/r/p//t/", b"/r/p", b"/r/t", b"/r/",
    b"/r", b"/r/r/t/", b"//r/t/", b"/r/p/\\t/", b"/x/../r/t/", b"/m", b"/m//", b"/M/", b"/%6d/", b"/f", b"/f//", b"/%66/", b"/F/",
    b"/m;a/", b"/f/..;/p/", b"/m/../f/", b"/p/../m/")
OVERRIDES = (b"X-HTTP-Method-Override", b"X-HTTP-Method", b"X-Method-Override", b"_method", b"X_HTTP_Method_Override", b"X-Original-Method")


def other_method(choose, method):
    """One that leads elsewhere."""
    return choose.choice((b"GET", b"HEAD", b"OPTIONS", b"DELETE", b"get", b"post", b"Put") if method in (b"POST", b"PUT") else
                         (b"POST", b"PUT", b"post", b"OPTIONS", b"PATCH"))


def to_folder(draft, folder):
    """Its target below another folder; what names it stays."""
    draft.target = folder + draft.target[draft.target.find(b"/", 1):]


@mutation
def host_of_another_route(choose, draft):
    if choose.random() < 0.8:
        draft.drop(b"host")
    draft.add(choose.choice((b"Host", b"Host", b"Host", b"HOST", b"Host ")), choose.choice(SPELLINGS), at=somewhere(choose, draft))
    to_folder(draft, choose.choice((b"/p", b"/t")))


@mutation
def hosts_of_two_routes(choose, draft):
    draft.drop(b"host")
    between = choose.choice((b"\r\n", b"\r\n", b"\n", b"\r", b"\r\n ", b"\x00"))
    draft.add(b"Host", choose.choice(NAMES), end=between)
    draft.add(choose.choice((b"Host", b"host", b"Host ", b"X-Forwarded-Host", b"X-Host", b"Forwarded", b"X-Original-Host")),
              choose.choice(NAMES), at=len(draft.fields))
    to_folder(draft, choose.choice((b"/p", b"/t")))


@mutation
def target_of_another_route(choose, draft):
    to_folder(draft, choose.choice((b"/p", b"/t")))
    name = choose.choice((*NAMES, *SPELLINGS))
    draft.target = choose.choice((b"http://", b"http://", b"HTTP://", b"http:\\\\", b"//", b"http:///", b"http://u@")) + name + draft.target
    if choose.random() < 0.7:
        draft.drop(b"host")
        draft.add(b"Host", choose.choice((name, *NAMES)))


@mutation
def field_that_chooses(choose, draft):
    to_folder(draft, b"/f")
    for _ in range(choose.choice((1, 1, 1, 2, 2, 3))):
        draft.add(choose.choice(FIELD_NAMES), choose.choice(FIELD_VALUES), at=somewhere(choose, draft))


@mutation
def field_that_chooses_of_one_hop(choose, draft):
    to_folder(draft, b"/f")
    draft.add(FIELD, choose.choice((OPENING, b"v2")), at=somewhere(choose, draft))
    draft.add(b"Connection", choose.choice((FIELD, FIELD.lower(), b"close, " + FIELD, b"X_Version")), at=somewhere(choose, draft))


@mutation
def choice_in_trailers(choose, draft):
    to_folder(draft, choose.choice((b"/f", b"/f", b"/m", b"/p")))
    draft.drop(b"content-length")
    draft.drop(b"transfer-encoding")
    draft.framing, draft.chunks = "chunked", [(b"%x\r\n" % len(draft.marker), draft.marker, b"\r\n")]
    draft.add(b"Transfer-Encoding", b"chunked")
    if choose.random() < 0.5:
        draft.add(b"Trailer", choose.choice((FIELD, b"Host", b"X-HTTP-Method-Override")))
    draft.last = b"0\r\n%s: %s\r\n\r\n" % choose.choice((
        (FIELD, OPENING), (FIELD, b"v2"), (b"x-version", OPENING), (b"Host", EXACT), (b"Host", HOST_BYTES), (OVERRIDES[0], b"GET"),
        (b"X-Forwarded-Host", EXACT)))


@mutation
def method_of_another_route(choose, draft):
    to_folder(draft, b"/m")
    before = draft.method
    if choose.random() < 0.5:
        draft.method = other_method(choose, before)
    for _ in range(choose.choice((0, 1, 1, 3))):
        draft.add(choose.choice(OVERRIDES), choose.choice((before, other_method(choose, before))), at=somewhere(choose, draft))
    if choose.random() < 0.3:
        draft.target += b"?_method=" + other_method(choose, before)
    if choose.random() < 0.3:
        draft.add(b"Origin", b"http://evil.test")
        draft.add(b"Access-Control-Request-Method", choose.choice((b"GET", b"POST")))


@mutation
def path_to_another_route(choose, draft):
    crossing = choose.choice(CROSSINGS)
    draft.target = crossing + draft.target[draft.target.find(b"/", 1) + (crossing[-1:] == b"/"):]


@mutation
def space_in_a_choice(choose, draft):
    odd = choose.choice(SPACES)
    to_folder(draft, b"/f")
    draft.add(FIELD, choose.choice((odd + OPENING, OPENING + odd, OPENING[:1] + odd + OPENING[1:])), at=somewhere(choose, draft))
