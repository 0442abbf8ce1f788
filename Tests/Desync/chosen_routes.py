"""Routes that a host, a method, a field, a segment or a prefix chooses, each guarded one beside an open one; and which of them a
request is for, to a strict reader of our own.

What is guarded has an upstream of its own: whatever arrives there came with the token.
"""
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from gateway import AUDIENCE, HOST
from path_models import with_letters

FIELD, OPENING = b"X-Version", b"v3"
OPEN, GUARDED = "open", "guarded"
ACCESS = {OPEN: "public: true", GUARDED: f"""token: {{ issuers: [fixed], audience: "{AUDIENCE}", schemes: [Bearer], scopes: [all] }},
      identity: {{ X-User-Id: sub, X-Scopes: scope }}"""}
# One name, one label below another, and one name that is such a label. What is open at the listener's own name is guarded at these,
# and the other way round.
EXACT, WILD, BELOW = b"exact.test", b".wild.test", b"open.wild.test"
HOSTS = "hosts: [" + ", ".join(f"{{ host: '{name}', public_url: 'http://{name}' }}"
                               for name in ("exact.test", "open.wild.test")) + ", { host: '*.wild.test' }]"
# Nobody is sent here: wildcards have the usual port by it.
PUBLIC_URL = "http://listener.test"


@dataclass(frozen=True)
class Place:
    """A route: where it is, what chooses it, and who may have it."""
    access: str
    path: str
    host: str = ""
    # Further keys, as they are written.
    keys: str = ""

    def text(self, number, ports):
        """As the configuration has it."""
        host = f"host: '{self.host}', " if self.host else ""
        return (f"  - {{ {host}path: '{self.path}', name: 'route {number}', upstream: \"http://127.0.0.1:{ports[self.access]}\",\n"
                f"      {ACCESS[self.access]}{self.keys and ', ' + self.keys} }}\n")


PLACES = (
    Place(OPEN, "/p/"), Place(OPEN, "/w/", keys="websocket: true"), Place(GUARDED, "/t/"),
    Place(OPEN, "/m/", keys="methods: [GET, HEAD]"), Place(GUARDED, "/m/", keys="methods: [POST, PUT]"),
    Place(GUARDED, "/f/"), Place(OPEN, "/f/", keys=f"fields: {{ {FIELD.decode()}: {OPENING.decode()} }}"),
    Place(OPEN, "/s/*/"), Place(GUARDED, "/s/*/guarded/"),
    Place(OPEN, "/r/p/", keys="strip_prefix: /r"), Place(GUARDED, "/r/t/", keys="strip_prefix: /r"),
    Place(GUARDED, "/p/", "exact.test"), Place(OPEN, "/t/", "exact.test"),
    Place(GUARDED, "/p/", "*.wild.test"), Place(OPEN, "/t/", "*.wild.test"),
    Place(OPEN, "/p/", "open.wild.test"))
# For each of them the host, the path, the method if it is a certain one, and fields: what the corpus is sent to.
WAYS = {
    OPEN: ((HOST.encode(), b"/p", None, ()), (HOST.encode(), b"/m", b"GET", ()), (HOST.encode(), b"/f", None, ((FIELD, OPENING),)),
           (HOST.encode(), b"/s/x", None, ()), (HOST.encode(), b"/r/p", None, ()), (EXACT, b"/t", None, ()),
           (b"x" + WILD, b"/t", None, ()), (BELOW, b"/p", None, ())),
    GUARDED: ((HOST.encode(), b"/t", None, ()), (HOST.encode(), b"/m", b"POST", ()), (HOST.encode(), b"/f", None, ()),
              (HOST.encode(), b"/f", None, ((FIELD, b"v2"),)), (HOST.encode(), b"/s/x/guarded", None, ()),
              (HOST.encode(), b"/r/t", None, ()), (EXACT, b"/p", None, ()), (b"x" + WILD, b"/p", None, ()))}
OF_HOSTS = {
    HOST.encode(): ((rb"/(?:p|w|r/p)", OPEN), (rb"/(?:t|r/t|s/[^/]+/guarded)", GUARDED), (rb"/s/[^/]+", OPEN)),
    EXACT: ((rb"/p", GUARDED), (rb"/t", OPEN)), BELOW: ((rb"/p", OPEN),), WILD: ((rb"/p", GUARDED), (rb"/t", OPEN))}


def routes(recorder):
    """The configuration's, of which the open ones lead to one port of the recorder's and the guarded ones to the other."""
    ports = {OPEN: recorder.port, GUARDED: recorder.guarded_port}
    return "".join(place.text(number, ports) for number, place in enumerate(PLACES))


def authority_and_path(message):
    """What a request is for: what its target says, or else Host; without the port that is the usual one."""
    authority, path = b"".join(message.values(b"host")), message.target
    if path[:1] != b"/":
        parts = urlsplit(path.decode("latin-1"))
        authority, path = parts.netloc.encode("latin-1"), (parts.path or "/").encode("latin-1")
    # Of HTTP/1.0 without a Host there is but one.
    return authority.lower().removesuffix(b":80") or HOST.encode(), path.split(b"?")[0]


def access_of(message):
    """Who may have what the request is for, or nothing if it is for no route."""
    host, path = authority_and_path(message)
    path, methods = with_letters(path), {b"GET": OPEN, b"HEAD": OPEN, b"POST": GUARDED, b"PUT": GUARDED}
    if host == HOST.encode() and re.match(rb"/m(?:/|$)", path):
        return methods.get(message.method)
    if host == HOST.encode() and re.match(rb"/f(?:/|$)", path):
        values = message.values(FIELD.lower())
        return None if len(values) > 1 else OPEN if values == [OPENING] else GUARDED
    if host not in OF_HOSTS and re.fullmatch(rb"[a-z0-9_-]{1,63}" + re.escape(WILD), host):
        host = WILD
    return next((access for pattern, access in OF_HOSTS.get(host, ()) if re.match(pattern + rb"(?:/|$)", path)), None)


def forwarded_target(message):
    """What the upstream is asked for."""
    target = message.target
    if target[:1] != b"/":
        parts = urlsplit(target.decode("latin-1"))
        target = ((parts.path or "/") + ("?" + parts.query if b"?" in target else "")).encode("latin-1")
    is_stripped = authority_and_path(message)[0] == HOST.encode() and target.startswith(b"/r/")
    return target[2:] if is_stripped else target


# holds ECO-65, ECO-68
# refuses ECO-65
def problems_of_choice(read, record, token):
    """What arrives is for the route that it arrived by, and came with the token where that is guarded."""
    access = access_of(read)
    if access != (GUARDED if record.is_guarded else OPEN):
        yield f"what is for {access or 'no'} route arrived at the {'guarded' if record.is_guarded else 'open'} upstream"
    credentials = [value for name, value in read.fields if name.lower() == b"authorization"]
    if record.is_guarded and not (len(credentials) == 1 and re.fullmatch(rb"(?i:bearer) +" + re.escape(token), credentials[0])):
        yield f"the guarded upstream got what came without the token: {credentials}"
    arrived, (host, _) = b"".join(record.message.values(b"host")).lower().removesuffix(b":80"), authority_and_path(read)
    if arrived != host and read.values(b"host"):
        yield f"host {host!r} arrived as {arrived!r}"
