"""Paths with two readings, without a token: none that gets through may name something protected to any server."""
import asyncio
import collections
import functools
import re

import path_models
import path_ways
import real_servers
from cases import escaped
from gateway import AUDIENCE, HOST, gateway
from path_corpus import corpus, of_streams
from path_senders import HTTP1, HTTP2
from recorder import Recorder
from relay import Relay
from transcriber import Transcriber

# By relaxation: what every path has that it lets through, and one that it is there for.
RELAXATIONS = {
    "encoded_slash": (rb"%2f", b"/public/a%2fb"),
    "backslash": (rb"\\|%5c", b"/public/a%5cb"),
    "double_encoding": (rb"%(25|2%|%)", b"/public/a%2525b"),
    "semicolon": (rb";|%3b", b"/public/a;b=c"),
    "non_ascii": (rb"[\x80-\xff]|%[89a-f]", b"/public/\xc3\xa9"),
    # Together they make readings that none of them makes alone.
    "encoded_slash, backslash, double_encoding, semicolon, non_ascii": (rb"[\x80-\xff\\;%]", b"/public/a;b%2fc"),
}
# What is open to everybody: one folder, or everything that no other route has; the latter also before servers that take
# no notice of case.
TOPOLOGIES = {"one public folder": "/public/", "all else public": "/", "all else public, in any case": "/"}
ANY_CASE = "all else public, in any case"
# The same folder, of which the upstream knows nothing but another name; and of a host that has its routes for itself, beside
# one where all is open. With nothing allowed, and with everything: what either adds does not depend on the rest.
RENAMED, OF_A_HOST = "one public folder with another name", "one public folder of a host"
PUBLIC, INNER = b"/public", b"/inside"
TOPOLOGIES |= {RENAMED: "/public/", OF_A_HOST: "/public/"}
# The same by wildcards: what is open is one segment or two of any name, so that what names a protected path stands between; and
# the guards themselves, below which all else is open.
OPEN_BY_WILDCARDS, GUARDED_BY_WILDCARDS = "wildcards public", "wildcards guarding"
GUARDED_IN_ANY_CASE = "wildcards guarding, in any case"
TOPOLOGIES |= {OPEN_BY_WILDCARDS: "/*/", GUARDED_BY_WILDCARDS: "/", GUARDED_IN_ANY_CASE: "/"}
MORE_OPEN = {OPEN_BY_WILDCARDS: ("/*/secret", "/*/*/x", "/*/private/", "/a/*/b", "/*/report.cgi/*")}
GUARDS = {b"/api/private": "/*/private", b"/public/report.cgi": "/*/report.cgi", b"/public/page.html": "/*/page.html"}
# And where several routes have one path: what is guarded for GET is open for POST, and the other way round; or a field chooses
# between two guarded ones and an open one, and with the value that opens it everything else is guarded. `path_ways` has what is
# sent past these.
BY_METHODS, BY_A_FIELD = "all else public, by methods", "all else public, by a field"
TOPOLOGIES |= {BY_METHODS: "/", BY_A_FIELD: "/"}
WAYS = {BY_METHODS: path_ways.BY_METHODS, BY_A_FIELD: path_ways.BY_A_FIELD}
ACCESS = {True: "public: true", False: 'token: {{ issuers: [fixed], audience: "{audience}" }}'}
CHOSEN = """\
  - {{ path: "{path}", name: "{name} {path}", upstream: "http://127.0.0.1:{upstream}", {by}, {access}{allowed} }}
"""
ROUTES = """\
  - {{ path: "{open}", upstream: "http://127.0.0.1:{upstream}", public: true{allowed}{renamed}{host}{case} }}
  - path: /admin/{host_below}
    upstream: http://127.0.0.1:{upstream}
    token: {{ issuers: [fixed], audience: "{audience}" }}{below}
{programs}"""
# Of one path alone: what a server takes for an argument of theirs leads to the public route, were it not refused.
PROGRAM = """\
  - path: "{path}"{host_below}
    upstream: http://127.0.0.1:{upstream}
    token: {{ issuers: [fixed], audience: "{audience}" }}{below}
"""
ALSO_OPEN = """\
  - {{ path: "{path}", upstream: "http://127.0.0.1:{upstream}", public: true{allowed} }}
"""
OPEN_HOST = """\
  - {{ path: /, host: open.test, upstream: "http://127.0.0.1:{upstream}", public: true{allowed} }}
"""
OWN_HOST = "own.test"
HOSTS = "hosts: [{ host: own.test, public_url: 'http://own.test' }, { host: open.test, public_url: 'http://open.test' }]"
IN_FLIGHT = 16


def is_renamed(target, arrived):
    """Whether a path below the public one arrived below the other name, and is the same otherwise."""
    return target.startswith(PUBLIC) and arrived == INNER + target.removeprefix(PUBLIC)


def more_of_each_path(name, allowed, upstream):
    """Further routes of the paths that have one, by what chooses them."""
    guarded = ["/admin/", *map(bytes.decode, path_models.PROGRAMS)]
    opening, second = (f"fields: {{ {path_ways.FIELD.decode()}: {value.decode()} }}"
                       for value in (path_ways.OPENING, path_ways.SECOND))
    routes = {
        BY_METHODS: [(path, "methods: [POST]", path in guarded) for path in ["/", *guarded]],
        BY_A_FIELD: [(path, opening, path in guarded) for path in ["/", *guarded]] + [(path, second, False) for path in guarded],
    }.get(name, [])
    return "".join(
        CHOSEN.format(name=f"chosen {number}", path=path, by=by, upstream=upstream, allowed=allowed,
                      access=ACCESS[is_open].format(audience=AUDIENCE))
        for number, (path, by, is_open) in enumerate(routes))


async def send_all(port, recorder, targets, to=HOST, is_right=lambda target, arrived: target == arrived, way=path_ways.PLAIN,
                   protocol=HTTP1):
    """(what arrived of those that got through, problems), each sent without a token; `is_right` judges what arrived."""
    arrived, problems, numbered = {}, [], list(enumerate(targets))
    waiting = iter([numbered[start:start + protocol.together] for start in range(0, len(numbered), protocol.together)])

    async def client():
        for pairs in waiting:
            records, found = await protocol.send(port, to.encode(), way, pairs)
            problems.extend(found)
            for number, target in pairs:
                record = recorder.records.get(records[number])
                if record is None:
                    continue
                arrived[target] = record.message.target
                # The path that was judged is the path that is forwarded (HTTP-55).
                if target.startswith(b"/") and not is_right(target, record.message.target):
                    problems.append(f"{escaped(target)} arrived as {escaped(record.message.target)}")
                if record.message.method != way.method:
                    problems.append(f"{way.method.decode()} {escaped(target)} arrived with {escaped(record.message.method)}")

    await asyncio.gather(*(client() for _ in range(IN_FLIGHT)))
    return arrived, [f"{protocol.name}: {problem}" for problem in problems]


async def send_other_ways(ways, send, targets, plain):
    """(number of requests, problems) of the paths in other ways than the plain one, by which `plain` got through."""
    count, problems, through = 0, [], {path_ways.USUAL: plain, path_ways.NONE: set()}
    for place, way in enumerate(ways):
        sample = way.sample(targets, place)
        arrived, found = await send(sample, way=way)
        count += len(sample)
        problems += [f"{way.name}: {problem}" for problem in found]
        # The first of these has the whole corpus, and says what gets through by the others.
        if way.chooses not in through:
            through[way.chooses] = set(arrived)
            problems += [f"{way.name}: {problem}" for problem in problems_of_reversed(sorted(set(arrived.values())))]
        problems += problems_of_way(way, set(arrived), through[way.chooses] & set(sample))
    return count, problems


# holds ECO-65
# refuses ECO-65
def problems_of_way(way, arrived, wanted):
    """What gets through by a method or by fields is what the routes let through that these choose."""
    chosen = {path_ways.USUAL: path_ways.OPEN_USUALLY, path_ways.REVERSED: path_ways.OPEN_REVERSED}.get(way.chooses, ())
    for target in sorted(set(chosen) - arrived):
        yield f"{way.name} does not let {escaped(target)} through"
    for word, found in (("lets", arrived - wanted), ("keeps", wanted - arrived)):
        if found:
            yield f"{way.name} {word} {', '.join(map(escaped, sorted(found)[:12]))} ({len(found)}), unlike others that choose so"


# holds HTTP-55
# refuses HTTP-56
def problems_of_streams(targets, arrived, streamed):
    """By a stream gets through what does by a line of HTTP/1.1, and nothing that is not the path of one."""
    paths = {target for target in targets if target.startswith(b"/")}
    for word, found in (("keeps", arrived & paths - streamed), ("lets", streamed - arrived & paths)):
        if found:
            yield f"HTTP/2 {word} {', '.join(map(escaped, sorted(found)[:12]))} ({len(found)}), unlike HTTP/1.1"


# refuses ECO-65
def problems_of_reversed(targets):
    """Where all is guarded but what is guarded otherwise, what got through is that to every reader."""
    strays = collections.defaultdict(set)
    for reading, target, path in readings(targets):
        # To who leaves `%61` as it is, it is nothing that a route could guard.
        if path is not None and not path_models.is_protected(path_models.with_letters(path)):
            strays[reading].add(target)
    for reading, found in sorted(strays.items()):
        yield f"something else to {reading}: {', '.join(map(escaped, sorted(found)[:12]))} ({len(found)})"


def readings(targets):
    """(reading, target) of each that names something protected, or the gateway's own, to some server."""
    for target in targets:
        for model in path_models.MODELS:
            yield model.__name__, target, model(target)
    if program := real_servers.find_node():
        for target, ways in zip(targets, real_servers.node_reads(program, targets), strict=True):
            for way, path in ways.items():
                yield f"Node's {way}", target, path


def opened(targets, any_case=False):
    """By reading, what of the targets is protected, `any_case` however its letters are; and what is reserved."""
    protected, reserved = collections.defaultdict(set), collections.defaultdict(set)
    for reading, target, path in readings(targets):
        if path_models.is_protected(path) or (
                any_case and any(map(path_models.is_protected, path_models.in_any_case(path)))):
            protected[reading].add(target)
        elif path_models.is_reserved(path):
            reserved[reading].add(target)
    for name, start, options in real_servers.arrangements():
        with start(options) as port:
            if found := real_servers.serves(port, targets):
                protected[" ".join(f"real {name} {options}".split())].update(found)
    return protected, reserved


async def judge(binary, name, relaxation, targets, plain):
    """(what got through, problems) of one configuration; `plain` is what gets through where nothing is allowed."""
    recorder = Recorder()
    await recorder.start()
    allowed = f"allow_in_path: [{relaxation}]" if relaxation else ""
    any_case = name in (ANY_CASE, GUARDED_IN_ANY_CASE)
    of_get = "methods: [GET]" if name == BY_METHODS else ""
    below = "".join(f"\n    {key}" for key in (allowed, any_case and "case_insensitive: true", of_get) if key)
    host = f"host: {OWN_HOST}" if name == OF_A_HOST else ""
    common = {"upstream": recorder.port, "audience": AUDIENCE, "below": below, "host_below": host and f"\n    {host}"}
    guards = GUARDS if name in (GUARDED_BY_WILDCARDS, GUARDED_IN_ANY_CASE) else {}
    programs = "".join(
        PROGRAM.format(path=guards.get(path, path.decode()), **common) for path in path_models.PROGRAMS)
    allowed = allowed and f", {allowed}"
    renamed = f", replace_prefix: {{ from: {PUBLIC.decode()}, to: {INNER.decode()} }}" if name == RENAMED else ""
    routes = ROUTES.format(
        open=TOPOLOGIES[name], allowed=allowed, renamed=renamed, host=host and f", {host}", programs=programs,
        case=", case_insensitive: true" if name == GUARDED_IN_ANY_CASE else of_get and f", {of_get}", **common)
    routes += "".join(
        ALSO_OPEN.format(path=path, allowed=allowed, upstream=recorder.port) for path in MORE_OPEN.get(name, ()))
    routes += more_of_each_path(name, allowed, recorder.port)
    if host:
        routes += OPEN_HOST.format(upstream=recorder.port, allowed=allowed)
    to, renaming = OWN_HOST if host else HOST, [is_renamed] * bool(renamed)
    with gateway(binary, routes, HOSTS if host else "", http2=True) as running:
        arrived, problems = await send_all(running.port, recorder, targets, to, *renaming)
        streamed, found = await send_all(running.port, recorder, targets + of_streams(), to, *renaming, protocol=HTTP2)
        problems += found + list(problems_of_streams(targets, set(arrived), set(streamed)))
        count = 0
        for protocol, plain_ones in ((HTTP1, arrived), (HTTP2, streamed)):
            number, found = await send_other_ways(
                WAYS.get(name, ()), functools.partial(send_all, running.port, recorder, protocol=protocol), targets, set(plain_ones))
            count, problems = count + number, problems + found
    recorder.stop()
    if not any(target.startswith(b"/public/") for target in arrived) or len(arrived) == len(targets):
        problems.append("not both of forwarded and refused paths")
    problems += problems_of_relaxation(relaxation, set(arrived), plain)
    protected, reserved = opened(sorted({*arrived.values(), *streamed.values()}), any_case)
    for word, found in (("protected", protected), ("the gateway's own", reserved)):
        for reading, ways in sorted(found.items()):
            problems.append(f"{word} to {reading}: " + ", ".join(map(escaped, sorted(ways)[:12])) + f" ({len(ways)})")
    alike = [target for target in set(arrived.values()) if path_models.is_protected(path_models.names_alike(target))]
    print(f"{name}, {relaxation or 'nothing allowed'}: {len(arrived)} of {len(targets)} got through, {len(streamed)} of "
          f"{len(targets) + len(of_streams())} over HTTP/2; {len(alike)} are "
          "protected to servers whose names ignore case, or dots and spaces at their end"
          + (f"; {count} more in {len(WAYS[name])} other ways" if count else ""))
    for problem in problems:
        print(f"FAILED  {problem}", flush=True)
    return set(arrived), problems


def problems_of_relaxation(relaxation, arrived, plain):
    """A relaxation lets through what it names, and nothing else."""
    if not relaxation:
        return
    pattern, wanted = RELAXATIONS[relaxation]
    if wanted not in arrived:
        yield f"{relaxation} does not let {escaped(wanted)} through"
    for target in sorted(arrived - plain):
        if not re.search(b"(?i)" + pattern, target):
            yield f"{relaxation} lets {escaped(target)} through"
    for target in sorted(plain - arrived):
        yield f"{relaxation} keeps {escaped(target)} from getting through"


async def main(binary, _seconds, _seed):
    """Whether all was well."""
    targets, good = corpus(), True
    for name in TOPOLOGIES:
        plain = set()
        is_short = name in (RENAMED, OF_A_HOST, GUARDED_IN_ANY_CASE, BY_METHODS, BY_A_FIELD)
        for relaxation in (None, list(RELAXATIONS)[-1]) if is_short else (None, *RELAXATIONS):
            arrived, problems = await judge(binary, name, relaxation, targets, plain)
            plain = plain or arrived
            good = good and not problems
    if lacking := real_servers.missing():
        print(f"FAILED  not installed: {', '.join(lacking)}")
        good = False
    servers = sorted({name for name, _, _ in real_servers.arrangements()} | ({"Node"} if real_servers.find_node() else set()))
    print(f"paths: {len(targets)} paths, {len(path_models.MODELS)} models, real {', '.join(servers) or 'servers: none'}")
    return good


async def self_check(_seed):
    """Whether a relay of bytes in the gateway's place is found out."""
    recorder = Recorder()
    await recorder.start()
    relay = Relay(recorder.port)
    await relay.start()
    arrived, _ = await send_all(relay.port, recorder, corpus())
    relay.stop()
    protected, reserved = opened(sorted(set(arrived.values())))
    # As a stream a path may have lines in it, which arrive as what they say.
    transcriber = Transcriber(recorder.port)
    await transcriber.start()
    streamed, lines = await send_all(transcriber.port, recorder, corpus() + of_streams(), protocol=HTTP2)
    transcriber.stop()
    recorder.stop()
    # Each server that runs a program, or serves a page, with an argument does so behind a relay.
    arguments = {name: [target for reading, ways in protected.items() if reading.startswith(f"real {name}")
                        for target in ways if target.endswith((b".cgi/x", b".html/.css"))]
                 for name in real_servers.RUN_PROGRAMS}
    has_nginx = any(reading.startswith("real nginx") for reading in protected)
    finds_lines = any(" arrived as " in problem for problem in lines) and any(problems_of_streams(corpus(), set(), set(streamed)))
    return (len(protected) >= len(path_models.MODELS) and bool(reserved) and has_nginx and all(arguments.values()) and finds_lines)
