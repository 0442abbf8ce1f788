"""What a stream of HTTP/2 says, to a strict reader of our own: one request, or nothing that anybody may act on.

It takes what RFC 9113 has one reading for, and refuses the rest. Whatever the gateway sends on must be what this reader
reads; what it refuses the gateway must refuse as well.
"""
import re

from readers import LARGEST, TOKEN, Malformed, Message

NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9a-z]+")
VALUE = re.compile(rb"(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?")
PATH = re.compile(rb"/[\x21\x22\x24-\x7e\x80-\xff]*")
AUTHORITY = re.compile(rb"[A-Za-z0-9\-._~%!$&'()*+;=\[\]:]+")
PSEUDO = (b":method", b":scheme", b":path", b":authority", b":protocol")
OF_CONNECTION = {b"connection", b"keep-alive", b"proxy-connection", b"transfer-encoding", b"upgrade", b"http2-settings"}
HEADERS, DATA = "headers", "data"
# The one refusal of a whole request.
BEHIND = "something behind the end"


class Part:
    """One frame of a message, or one section of it."""

    def __init__(self, kind, payload, ends=False, padding=None, cuts=()):
        self.kind, self.payload, self.ends, self.padding, self.cuts = kind, payload, ends, padding, cuts


def read_regular(fields):
    """Fields without pseudo fields, each as it must be."""
    for name, value in fields:
        if not NAME.fullmatch(name):
            raise Malformed(f"name {name[:60]!r}")
        if not VALUE.fullmatch(value):
            raise Malformed(f"value {value[:60]!r}")


def read_head(fields):
    """A request's head. Its `target` is the path, and its Host is a field."""
    pseudo, count = {}, 0
    for name, value in fields:
        if not name.startswith(b":"):
            break
        if name in pseudo or name not in PSEUDO or not value:
            raise Malformed(f"pseudo field {name!r}")
        pseudo[name] = value
        count += 1
    regular = list(fields[count:])
    read_regular(regular)
    message = Message(method=pseudo.get(b":method", b""), target=pseudo.get(b":path", b""))
    if not re.fullmatch(TOKEN, message.method):
        raise Malformed("method")
    is_tunnel = message.method == b"CONNECT"
    if is_tunnel and (pseudo.get(b":protocol", b"").lower() != b"websocket" or b":authority" not in pseudo):
        raise Malformed("CONNECT")
    if b":protocol" in pseudo and not is_tunnel:
        raise Malformed(":protocol")
    if pseudo.get(b":scheme", b"").lower() != b"http":
        raise Malformed("scheme")
    if not PATH.fullmatch(message.target) and (message.target, message.method) != (b"*", b"OPTIONS"):
        raise Malformed("path")
    message.fields = [(b"host", read_authority(pseudo, regular))]
    message.fields += [field for field in regular if field[0] not in (b"host", b"cookie")]
    crumbs = [value for name, value in regular if name == b"cookie"]
    if crumbs:
        message.fields.append((b"cookie", b"; ".join(crumbs)))
    if OF_CONNECTION & {name for name, _ in regular}:
        raise Malformed("a field of a connection")
    if [value.lower() for value in message.values(b"te")] not in ([], [b"trailers"]):
        raise Malformed("te")
    if is_tunnel:
        message.method, message.is_handshake = b"GET", True
    return message


def read_authority(pseudo, regular):
    """The one name of the server."""
    hosts = [value for name, value in regular if name == b"host"]
    named = [pseudo[b":authority"]] if b":authority" in pseudo else []
    if len(hosts) > 1 or not hosts + named:
        raise Malformed("authority")
    for value in hosts + named:
        if not AUTHORITY.fullmatch(value):
            raise Malformed(f"authority {value!r}")
    if len({value.lower().removesuffix(b":80") for value in hosts + named}) > 1:
        raise Malformed("two authorities")
    return (named + hosts)[0]


def read_stream(parts):
    """The request of a stream, perhaps incomplete. A refusal has the message where its head is as it should be."""
    if not parts or parts[0].kind != HEADERS:
        raise Malformed("no head")
    message = read_head(parts[0].payload)
    try:
        read_rest(parts, message)
    except Malformed as refusal:
        refusal.message = message
        raise
    return message


def read_rest(parts, message):
    """What follows the head."""
    lengths = message.values(b"content-length")
    if len(lengths) > 1 or lengths and (not re.fullmatch(rb"[0-9]+", lengths[0]) or int(lengths[0]) > LARGEST):
        raise Malformed("content-length")
    has_ended = parts[0].ends
    for part in parts[1:]:
        if has_ended:
            # The request was whole: what is behind its end is the connection's fault, and may come when it is answered.
            message.is_complete = True
            raise Malformed(BEHIND)
        if part.kind == DATA:
            message.body += part.payload
        elif not part.ends:
            raise Malformed("a second head")
        else:
            read_regular(part.payload)
        has_ended = part.ends
    if lengths and (len(message.body) > int(lengths[0]) or has_ended and len(message.body) != int(lengths[0])):
        raise Malformed("content-length is not the content's")
    message.is_complete = has_ended or message.is_handshake
