"""How a path is asked for where a method or a field chooses between its routes."""
from dataclasses import dataclass

# What a way chooses: the routes that a plain GET has as well; those where all is the other way round, so that what is guarded is
# open and everything else guarded; or none at all.
USUAL, REVERSED, NONE = "usual", "reversed", "none"
FIELD, OPENING, SECOND = b"X-Version", b"v3", b"v2"
# Of the ways that choose what another one chooses, each has so much of the corpus, and six of them all of it.
SHARE = 6
# Everybody may have the one by the usual ways, and these by the reversed ones.
OPEN_USUALLY, OPEN_REVERSED = (b"/public/x",), (b"/admin/secret", b"/api/private")
OVERRIDES = (b"X-HTTP-Method-Override", b"X-HTTP-Method", b"X-Method-Override", b"_method")


@dataclass(frozen=True)
class Way:
    """A method, fields, and what they choose."""
    name: str
    chooses: str = USUAL
    method: bytes = b"GET"
    fields: tuple = ()
    # It has all of the corpus, and what it lets through is read by every server.
    is_whole: bool = False

    def sample(self, targets, place):
        """The paths that are asked for in this way, the so many-th."""
        if self.is_whole:
            return targets
        return list(dict.fromkeys((*targets[place % SHARE::SHARE], *OPEN_USUALLY, *OPEN_REVERSED)))


def overriding(method):
    """Every field by which some framework takes another method for the one that was said."""
    return tuple((name, method) for name in OVERRIDES)


def versions(*values, name=FIELD):
    """The field that chooses, so often."""
    return tuple((name, value) for value in values)


PLAIN = Way("plain", is_whole=True)
BY_METHODS = (
    Way("POST", REVERSED, b"POST", is_whole=True),
    Way("POST that says GET", REVERSED, b"POST", overriding(b"GET")),
    Way("GET that says POST", USUAL, b"GET", overriding(b"POST")),
    Way("GET that asks about POST", USUAL, b"GET", ((b"Origin", b"http://evil.test"), (b"Access-Control-Request-Method", b"POST"))),
    # A method that no route takes is nobody's, and none is read in another case.
    Way("HEAD", NONE, b"HEAD"),
    Way("PUT", NONE, b"PUT"),
    Way("PUT that says POST", NONE, b"PUT", overriding(b"POST")),
    Way("post", NONE, b"post"),
    Way("Get", NONE, b"Get"),
    Way("OPTIONS", NONE, b"OPTIONS"),
    Way("OPTIONS that asks about POST", NONE, b"OPTIONS",
        ((b"Origin", b"http://evil.test"), (b"Access-Control-Request-Method", b"POST"))))
BY_A_FIELD = (
    Way("the value that opens", REVERSED, b"GET", versions(OPENING), is_whole=True),
    Way("the value that opens, the name in other case", REVERSED, b"GET", versions(OPENING, name=b"x-vERSION")),
    Way("the value that opens, with POST", REVERSED, b"POST", versions(OPENING)),
    Way("a value of a second guarded route", USUAL, b"GET", versions(SECOND), is_whole=True),
    Way("a value that no route has", USUAL, b"GET", versions(b"v9")),
    Way("the value that opens in other case", USUAL, b"GET", versions(OPENING.upper())),
    Way("the value that opens, and more", USUAL, b"GET", versions(OPENING + b"3")),
    Way("the value that opens in a list", USUAL, b"GET", versions(OPENING + b", " + OPENING)),
    Way("the value that opens with a parameter", USUAL, b"GET", versions(OPENING + b";q=1")),
    Way("the value that opens in quotes", USUAL, b"GET", versions(b'"' + OPENING + b'"')),
    Way("the value that opens, escaped", USUAL, b"GET", versions(b"%76" + OPENING[1:])),
    Way("no value", USUAL, b"GET", versions(b"")),
    # To CGI and its kin it has this name as well.
    Way("the value that opens, the name with an underscore", USUAL, b"GET", versions(OPENING, name=b"X_Version")),
    # Of two lines nobody can tell which is meant, nor of two equal ones whether both are.
    Way("the value that opens twice", NONE, b"GET", versions(OPENING, OPENING)),
    Way("both values", NONE, b"GET", versions(SECOND, OPENING)),
    Way("both values the other way round", NONE, b"GET", versions(OPENING, SECOND)),
    Way("the value that opens before another", NONE, b"GET", versions(OPENING, b"v9")),
    Way("the value that opens behind none", NONE, b"GET", versions(b"", OPENING)),
    Way("the value that opens twice, the names in other cases", NONE, b"GET",
        (*versions(OPENING), *versions(OPENING, name=FIELD.lower()))))
