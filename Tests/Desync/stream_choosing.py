"""The same of streams: what only HTTP/2 can say of the route that a request is for."""
from choosing import NAMES, OVERRIDES, SPELLINGS, other_method
from chosen_routes import EXACT, FIELD, OPENING
from stream_requests import GADGETS, HOST_BYTES, INJECTED, gadget, somewhere

NAME = FIELD.lower()


def to_folder(stream, folder):
    """Its path below another folder; what names it stays."""
    path = stream.value(b":path")
    stream.set(b":path", folder + path[max(0, path.find(b"/", 1)):])


@gadget
def authority_of_another_route(choose, stream):
    to_folder(stream, choose.choice((b"/p", b"/t")))
    stream.drop(b":authority")
    stream.drop(b"host")
    name = choose.choice(SPELLINGS)
    if choose.random() < 0.8:
        stream.add(b":authority", name, 1)
    if choose.random() < 0.5:
        stream.add(choose.choice((b"host", b"host", b"x-forwarded-host", b"Host", b":host")), choose.choice((name, *NAMES)),
                   somewhere(choose, stream))


@gadget
def authorities_of_two_routes(choose, stream):
    to_folder(stream, choose.choice((b"/p", b"/t")))
    stream.drop(b":authority")
    for _ in range(2):
        stream.add(b":authority", choose.choice(NAMES), choose.choice((0, 1, len(stream.fields))))


@gadget
def field_that_chooses_twice(choose, stream):
    to_folder(stream, b"/f")
    for _ in range(choose.choice((1, 2, 2, 3))):
        stream.add(choose.choice((NAME, NAME, NAME, NAME, b"x_version", FIELD, NAME + b" ", b":x-version")),
                   choose.choice((OPENING, OPENING, b"v2", b"", b" v3", b"v3 ", b"v3,v3", b"V3")), somewhere(choose, stream))


@gadget
def line_in_a_choice(choose, stream):
    to_folder(stream, b"/f")
    odd = choose.choice(INJECTED)
    stream.add(*choose.choice(((NAME, OPENING + odd), (NAME, odd + OPENING), (NAME + odd, OPENING), (b"x-a", b"b" + odd + b"x-version: v3"),
                               (b"x-a", b"b\r\nX-Version: v3"), (b"x-a: b\r\nx-version", OPENING), (NAME, b"v2\r\nX-Version: v3"))),
               somewhere(choose, stream))


@gadget
def choice_behind_the_content(choose, stream):
    to_folder(stream, choose.choice((b"/f", b"/f", b"/m", b"/p")))
    stream.drop(b"content-length")
    stream.give(stream.marker)
    stream.end_with(list(choose.choice((
        [(NAME, OPENING)], [(NAME, b"v2")], [(NAME, OPENING), (NAME, OPENING)], [(b"host", EXACT)], [(b":authority", EXACT)],
        [(b":method", b"GET")], [(b"x-http-method-override", b"GET")], [(b":path", b"/p/x")], [(b"host", HOST_BYTES)]))))


@gadget
def method_of_another_route(choose, stream):
    to_folder(stream, b"/m")
    before = stream.value(b":method")
    if choose.random() < 0.5:
        stream.set(b":method", other_method(choose, before))
    if choose.random() < 0.3:
        stream.add(b":method", other_method(choose, before), choose.choice((0, 1, 4)))
    for _ in range(choose.choice((0, 1, 1, 3))):
        stream.add(choose.choice(OVERRIDES).lower(), other_method(choose, before), somewhere(choose, stream))
