"""How servers behind the gateway read a target: the path they look a resource up by, or nothing if they refuse."""
import re

ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")


def decoded(path):
    """Each escape once; what is none stays."""
    return ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), path)


def with_letters(path):
    """Escapes of what needs none undone: with and without them it is one path (RFC 3986 §6.2.2.2)."""
    def plain(found):
        byte = bytes([int(found[1], 16)])
        return byte if re.fullmatch(rb"[A-Za-z0-9\-._~]", byte) else found[0]
    return ESCAPE.sub(plain, path)


def has_bad_escape(path):
    """A `%` without two digits."""
    return re.search(rb"%(?![0-9A-Fa-f]{2})", path) is not None


def resolved(path, merging=True):
    """Dot segments removed, slashes merged; nothing when they lead above the root."""
    kept = []
    segments = path.split(b"/")[1:]
    for place, segment in enumerate(segments):
        is_last = place == len(segments) - 1
        if segment == b".." and not kept:
            return None
        if segment == b"..":
            kept.pop()
        if segment in (b".", b"..") or segment == b"" and merging and not is_last:
            if segment and is_last:
                kept.append(b"")
            continue
        kept.append(segment)
    return b"/" + b"/".join(kept)


def path_of(target):
    """The path of an origin-form or absolute-form target, without its query."""
    if target[:1] != b"/":
        found = re.match(rb"(?i)https?://[^/?#]*", target)
        target = target[found.end():] or b"/" if found else b"/" + target
    return target.split(b"?")[0]


def nginx(target):
    """Decodes once, then merges slashes and resolves dots, over what was decoded too."""
    path = path_of(target).split(b"#")[0]
    path = decoded(path)
    return None if b"\0" in path or has_bad_escape(path_of(target)) else resolved(path)


def nginx_unmerged(target):
    """The same with `merge_slashes off`."""
    path = decoded(path_of(target).split(b"#")[0])
    return None if b"\0" in path or has_bad_escape(path_of(target)) else resolved(path, merging=False)


def tomcat(target):
    """Cuts `;…` off each segment before it decodes; refuses encoded slashes and backslashes."""
    path = re.sub(rb";[^/]*", b"", path_of(target))
    if has_bad_escape(path) or re.search(rb"(?i)%2f|%5c|%00", path) or b"\\" in path:
        return None
    return resolved(decoded(path))


def tomcat_lenient(target):
    """The same where the operator has it decode `%2f` and take backslashes for slashes."""
    path = decoded(re.sub(rb";[^/]*", b"", path_of(target)))
    return None if b"\0" in path else resolved(path.replace(b"\\", b"/"))


def spring_twice(target):
    """A servlet container and a framework behind it, each of which decodes and cuts parameters off."""
    path = path_of(target)
    for _ in range(2):
        path = decoded(re.sub(rb";[^/]*", b"", path)).replace(b"\\", b"/")
    return resolved(path)


def shiro(target):
    """Decodes, then takes nothing behind the first `;`, wherever that is."""
    return resolved(decoded(path_of(target)).split(b";")[0].replace(b"\\", b"/"))


def shiro_raw(target):
    """The same the other way round."""
    return resolved(decoded(path_of(target).split(b";")[0]).replace(b"\\", b"/"))


def decoded_reference(target):
    """Decodes, then resolves what comes out as a reference: `//x` begins a host however it was written."""
    return node_url(decoded(path_of(target)))


def express(target):
    """Splits at slashes, then decodes each segment; resolves nothing; a slash at the end makes no difference."""
    segments = path_of(target).split(b"/")[1:]
    try:
        if any(has_bad_escape(segment) for segment in segments):
            return None
        for segment in segments:
            decoded(segment).decode()
    except UnicodeDecodeError:
        return None
    # A slash that was decoded within a segment is a character of it, not a separator.
    path = b"/" + b"/".join(decoded(segment).replace(b"/", b"\xff") for segment in segments)
    return path.removesuffix(b"/") if len(path) > 1 else path


def node_url(target):
    """`new URL(request.url, base)`, as the WHATWG reads it: backslashes are slashes, and `//x` begins a host."""
    text = re.sub(rb"[\t\r\n]", b"", target).split(b"#")[0].split(b"?")[0].replace(b"\\", b"/")
    found = re.match(rb"(?i)(?:https?:)?//+[^/]*", text)
    path = text[found.end():] if found else text
    segments = [{b"%2e": b".", b".%2e": b"..", b"%2e.": b"..", b"%2e%2e": b".."}.get(each.lower(), each)
                for each in path.split(b"/")[1:]]
    kept = []
    for place, segment in enumerate(segments):
        if segment == b"..":
            kept = kept[:-1]
        if segment in (b".", b".."):
            kept += [b""] if place == len(segments) - 1 else []
            continue
        kept.append(segment)
    return b"/" + b"/".join(kept)


def windows(target):
    """`%u002f`, overlong UTF-8 and backslashes: what IIS once took."""
    path = re.sub(rb"%u00([0-9A-Fa-f]{2})", lambda found: bytes([int(found[1], 16)]), path_of(target))
    path = overlong(decoded(path)).split(b"\0")[0].replace(b"\\", b"/")
    return resolved(path)


def names_alike(target):
    """What is not promised: names that are one in any case, or with dots and spaces at their end, as on Windows."""
    path = windows(target)
    return None if path is None else b"/".join(segment.rstrip(b". ") for segment in path.lower().split(b"/"))


def in_any_case(path):
    """What a path may be to a server that takes no notice of case, by the ways there are to compare."""
    if path is None:
        return set()
    text = path.decode(errors="surrogateescape")
    turkish = text.replace("\u0130", "i").replace("\u0131", "i")
    forms = (text.lower(), text.upper().lower(), text.casefold(), turkish.lower())
    return {form.encode(errors="surrogateescape") for form in forms}


def overlong(data):
    """Two- and three-byte forms of ASCII as the character."""
    def shortest(found):
        return bytes([(found[0][-2] & 1) << 6 | found[0][-1] & 0x3f])
    return re.sub(rb"[\xc0\xc1][\x80-\xbf]|\xe0[\x80\x81][\x80-\xbf]", shortest, data)


MODELS = (nginx, nginx_unmerged, tomcat, tomcat_lenient, spring_twice, shiro, shiro_raw, express, node_url,
          decoded_reference, windows)


# Guarded by themselves alone; what is behind them may be an argument of theirs (CGI's PATH_INFO).
PROGRAMS = (b"/api/private", b"/report.cgi", b"/page.html", b"/public/report.cgi", b"/public/page.html")


def is_protected(path):
    """Whether it names something that nobody may have without a token."""
    return path is not None and any(path == own or path.startswith(own + b"/") for own in (b"/admin", *PROGRAMS))


def is_reserved(path):
    """Whether it is the gateway's own, which no upstream is ever asked for."""
    return path is not None and any(path == own or path.startswith(own + b"/")
                                    for own in (b"/.portcullis", b"/.well-known/oauth-protected-resource"))
