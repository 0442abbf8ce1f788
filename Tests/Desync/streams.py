"""What `differential` sends, as streams of HTTP/2, and what only HTTP/2 can say: what arrives is still HTTP/1.1 in one reading."""
import asyncio
import collections
import hashlib
import itertools
import time

import cases
import checks
import chosen_cases
import chosen_routes
import frames
import stream_cases
from differential import ENOUGH, IN_FLIGHT, REST, quiet
from gateway import gateway
from grammar import Generator
from readers import Malformed
from recorder import Recorder, content_of
from stream_choosing import GADGETS
from stream_reader import BEHIND, HEADERS, read_head, read_stream
from stream_requests import StreamSession, cuts_of, in_order, translated
from transcriber import Transcriber

PATIENCE_SECONDS = 60
# As the gateway's own limits are (`ConnectionLimits`): so many CONTINUATION frames, of which a large one counts for none, and so many
# bytes; a section beyond either ends the connection. One above 128 KiB is refused, and the connection goes on.
PIECES, LARGE_PIECE, DECODED = 8, 8 << 10, 1 << 20
# A name or value that is longer is none to libnghttp2, which ends the connection, for it has lost what the table says.
LONGEST = 1 << 16
# What the gateway adds to a request, or replaces in it.
ADDED = checks.OURS | {b"via", b"x-user-id", b"x-scopes", b"content-length", b"transfer-encoding", b"x-forwarded-port",
                       b"x-forwarded-prefix", b"traceparent", b"connection", b"upgrade", b"sec-websocket-key",
                       b"sec-websocket-version", b"cookie"}


class Generated:
    """Sessions without end: those of the grammar in streams, a third of them with something that only a stream can say."""

    def __init__(self, seed, token):
        self.grammar = Generator(seed, token)
        self.random = self.grammar.random

    def session(self, number):
        """The next one."""
        choose, requests = self.random, []
        count = choose.choice((1, 2, 3, 4, 6))
        for place in range(count):
            is_gadget = choose.random() < 0.5
            stream = translated(choose, self.grammar.request(number, place, not is_gadget and choose.random() < 0.6))
            if is_gadget:
                stream.kinds = ()
                for _ in range(choose.choice((1, 1, 1, 2))):
                    name, change = choose.choice(GADGETS)
                    change(choose, stream)
                    stream.kinds += (name,)
            requests.append(stream)
        session = in_order(StreamSession(number, requests), choose if choose.random() < 0.5 else None)
        total, style = len(session.data), choose.random()
        if style < 0.2:
            session.writes = sorted(choose.randrange(1, total) for _ in range(choose.randint(1, 8)))
        elif style < 0.23 and total < 1500:
            session.writes = list(range(1, total))
        return session


class Run:
    """What a run has seen."""

    def __init__(self, port, recorder, token):
        self.port, self.recorder, self.token = port, recorder, token
        self.problems = []
        self.verdicts = collections.defaultdict(collections.Counter)
        self.statuses = collections.Counter()
        self.sessions = self.requests = 0
        # Requests that were refused by their heads, to be sent again where nothing else is.
        self.refused = []
        # Sessions whose clients left a stream before its answer, or that ended before that.
        self.left = set()

    async def play(self, session, expects="any", patience=PATIENCE_SECONDS):
        """One session, and what is to be said of it."""
        reader, was_reset, problems = await exchange(self.port, session, patience)
        verdicts = []
        for place, request in enumerate(session.requests):
            answer = reader.answers.get(2 * place + 1, frames.Answer())
            verdict, found = judge(session, place, request, answer, self.recorder)
            if was_reset or reader.goaways:
                found = [problem for problem in found if "broken off" not in problem]
            verdicts.append(verdict)
            problems += found
        problems += problems_of_end(session, reader.goaways, was_reset, verdicts)
        if expects != "any" and (verdicts[0] == "forwarded") != (expects == "forwarded"):
            problems.append(f"should be {expects}: {verdicts[0]}")
        if "not reached" in verdicts or any(request.is_left for request in session.requests) or any(
                is_cut_tunnel(request, verdict) for request, verdict in zip(session.requests, verdicts)):
            self.left.add(session.number)
        self.count(session, verdicts)
        if problems:
            self.report(session, problems)

    def count(self, session, verdicts):
        """By class."""
        self.sessions += 1
        for request, verdict in zip(session.requests, verdicts):
            self.requests += 1
            self.statuses[verdict] += 1
            word = verdict if isinstance(verdict, str) and not verdict.startswith("reset") else "refused"
            for kind in request.kinds:
                self.verdicts[kind][word] += 1
            if word == "refused" and refuses_head(request) and len(self.refused) < 400:
                self.refused.append(request)

    def report(self, session, problems):
        """Prints the streams."""
        name = session.name or f"found-{hashlib.sha256(session.data).hexdigest()[:8]}"
        self.problems.append((name, problems))
        print(f"FAILED  {name}")
        for problem in problems:
            print(f"    {problem}")
        for place, request in enumerate(session.requests):
            print(f"    stream {2 * place + 1} ({', '.join(request.kinds)}){' left' if request.is_left else ''}")
            for part in request.parts:
                print(f"        {part.kind}{' END_STREAM' if part.ends else ''}")
                for line in part.payload if part.kind == HEADERS else [(b"", part.payload)]:
                    text = b"%b: %b" % line if part.kind == HEADERS else part.payload
                    print(f"            {cases.escaped(text.replace(self.token, cases.TOKEN)[:600])}", flush=True)


async def exchange(port, session, patience):
    """(what came, whether a reset was the end, problems) of a session: its writes, and then until all its streams are over."""
    reader, was_reset, problems, data = frames.FrameReader(), False, [], session.data
    source, sink = await asyncio.open_connection("127.0.0.1", port)
    edges = [0, *session.writes, len(data)]

    async def send():
        for start, end in zip(edges, edges[1:]):
            sink.write(data[start:end])
            await asyncio.sleep(0)
        await sink.drain()

    sending = asyncio.create_task(send())
    try:
        async with asyncio.timeout(patience):
            while not all(reader.answers.get(2 * place + 1, frames.Answer()).is_over or request.is_left
                          for place, request in enumerate(session.requests)):
                more = await source.read(65536)
                if not more:
                    break
                reader.feed(more)
                # Not between the pieces of a frame.
                if reader.owed and sending.done():
                    sink.write(reader.owed)
                    reader.owed = b""
            await sending
    except TimeoutError:
        problems.append(f"not over after {patience} s")
    except (ConnectionError, OSError):
        was_reset = True
    except frames.Broken as broken:
        problems.append(f"the client got {broken}")
    sending.cancel()
    sink.transport.abort()
    return reader, was_reset, problems


def refuses_head(request):
    """Whether our reader refuses the very head, so that nothing of the request may arrive."""
    try:
        read_head(request.fields)
    except Malformed:
        return True
    return False


def is_cut_tunnel(request, verdict):
    """Whether its handshake may have arrived, which is whole with its head, though its answer does not say so.

    It is reset for what comes behind the head, and 502 where the upstream answers with 200: that would open a tunnel over HTTP/2.
    """
    return (str(verdict).startswith("reset") or verdict == 502) and (b":method", b"CONNECT") in request.parts[0].payload


def says_nothing_follows(message):
    """Whether its length is nothing, however many zeros say so: then that is all which its upstream waits for."""
    lengths = message.values(b"content-length")
    return len(lengths) == 1 and lengths[0] != b"" and not lengths[0].strip(b"0")


def judge(session, place, request, answer, recorder):
    """(verdict, problems) of one stream."""
    problems, message, refusal = [], None, None
    try:
        message = read_stream(request.parts)
    except Malformed as malformed:
        message, refusal = malformed.message, str(malformed)
    fields = dict(answer.head)
    echo = fields.get(b"echo", b"").split(b" ")
    if not echo[0].isdigit():
        if request.is_left and not answer.is_over:
            return "left", problems
        if not answer.is_over:
            return "not reached", problems
        if answer.status in (500, 502, 503, 504) and not (message and message.is_handshake):
            problems.append(f"answer {place} is {answer.status}: the upstream was well")
        if answer.content:
            problems.append(f"answer {place} of the gateway has a content: {answer.content[:60]!r}")
        # OPTIONS of everything is the gateway's to answer.
        is_own = (answer.status, message and message.target) == (204, b"*")
        if answer.status and not 400 <= answer.status < 600 and not is_own:
            problems.append(f"answer {place} is {answer.status}, and not the upstream's")
        return answer.status or f"reset {answer.code}", problems
    record = recorder.records.get(int(echo[0]))
    if record is None:
        return "forwarded", [f"answer {place} has another's content, that of record {echo[0]}"]
    if record.is_owned:
        problems.append(f"answer {place} was given twice")
    record.is_owned = True
    wanted = b"" if record.message.method == b"HEAD" else content_of(record)
    if {number for number, _ in record.marks} - {session.number}:
        problems.append(f"what record {record.number} got is of several sessions: {sorted(record.marks)}")
    if answer.has_ended and answer.content != wanted:
        problems.append(f"the content of record {record.number} is not its own: {answer.content[:80]!r}")
    if not answer.has_ended and not (record.was_early or request.is_left or refusal):
        problems.append(f"the answer to record {record.number} was broken off (code {answer.code})")
    if message is None:
        problems.append(f"stream {place} was forwarded, and our reader refuses it: {refusal}")
        return "forwarded", problems
    if refusal not in (None, BEHIND) and record.is_complete and not says_nothing_follows(message):
        problems.append(f"stream {place} was forwarded whole, and our reader refuses it: {refusal}")
    problems += problems_of_forwarding(message, record)
    problems += chosen_routes.problems_of_choice(message, record, recorder.token)
    problems += checks.problems_of_record(record)
    return "forwarded", problems


def problems_of_forwarding(message, record):
    """What arrived is what the stream says, and nothing besides."""
    arrived = record.message
    for name, sent in (("method", message.method), ("target", chosen_routes.forwarded_target(message))):
        if getattr(arrived, name) != sent:
            yield f"{name} {getattr(message, name)!r} arrived as {getattr(arrived, name)!r}"
    body = b"" if message.is_handshake else message.body
    if record.is_complete and message.is_complete and arrived.body != body:
        yield f"body {body[:60]!r} arrived as {arrived.body[:60]!r}"
    if not body.startswith(arrived.body):
        yield "part of a body arrived that is not the body's beginning"
    cookie = b"".join(message.values(b"cookie")).strip(b" ")
    if b"portcullis" not in cookie and b"".join(arrived.values(b"cookie")) != cookie:
        yield f"cookie {cookie[:80]!r} arrived as {arrived.values(b'cookie')!r}"
    sent = collections.Counter((name, value) for name, value in message.fields)
    more = collections.Counter((name.lower(), value) for name, value in arrived.fields if name.lower() not in ADDED) - sent
    for name, value in more:
        yield f"a field arrived that nobody sent: {name!r}: {value[:80]!r}"


def problems_of_end(session, goaways, was_reset, verdicts):
    """A connection goes on whatever is wrong with a stream, but for a section beyond all bounds and frames behind an end."""
    if "not reached" not in verdicts:
        return
    parts = [(part, is_last) for request in session.requests for part, is_last in
             zip(request.parts, [False] * (len(request.parts) - 1) + [True])]
    causes = set()
    if any(part.ends and not is_last for part, is_last in parts):
        causes |= {frames.STREAM_CLOSED, frames.PROTOCOL_ERROR}
    # Two that are too large for a request are told so, and the third ends the connection.
    if any(is_endless(part) for part, _ in parts if part.kind == HEADERS) or verdicts.count(431) >= 2:
        causes.add(frames.ENHANCE_YOUR_CALM)
    if any(len(text) > LONGEST for part, _ in parts if part.kind == HEADERS for field in part.payload for text in field[:2]):
        causes.add(frames.COMPRESSION_ERROR)
    # A reset may have overtaken what was said before it.
    if not causes or goaways[-1:] not in [[cause] for cause in causes] and not (was_reset and not goaways):
        yield f"{verdicts}: the connection ended with {goaways}{' and a reset' if was_reset else ''}"


def is_endless(part):
    """Whether nobody reads a section to its end."""
    size = len(frames.block(part.payload))
    cuts = cuts_of(part, size)
    small = [end - start for start, end in zip(cuts, (*cuts[1:], size)) if end - start < LARGE_PIECE]
    return size > DECODED or len(small) > PIECES


async def streams(run, seconds, seed, token, loads_cases=True):
    """Plays the known streams and the known cases, then generated ones until the time is over; then refused heads alone."""
    choose = Generator(seed, token).random
    if loads_cases:
        for number, (request, expects) in enumerate(stream_cases.load()):
            await run.play(in_order(StreamSession(number + 1, [request], name=request.name)), expects)
        for session, expects in chosen_cases.streams(1 << 16, token.encode()):
            await run.play(in_order(session), expects)
        known = [(name, b"".join(pieces)) for name, _, pieces in cases.load(token.encode())]
        for number, (name, data) in enumerate(known):
            for _ in range(2):
                await run.play(in_order(StreamSession(number + 500, [translated(choose, Known(data))], name=name)))
    generated, began = Generated(seed, token), time.monotonic()
    numbers = itertools.count(1 << 20)

    async def client():
        for number in numbers:
            if time.monotonic() - began > seconds or len(run.problems) >= ENOUGH:
                return
            await run.play(generated.session(number), patience=PATIENCE_SECONDS if loads_cases else 1)

    await asyncio.gather(*(client() for _ in range(IN_FLIGHT)))
    run.seconds = time.monotonic() - began
    await quiet(run.recorder)
    judge_rest(run)
    await refused_alone(run)


class Known:
    """A case of HTTP/1.1 as the grammar makes them."""

    def __init__(self, data):
        self.data, self.kinds, self.marker = data, ("known cases",), b""


def judge_rest(run):
    """What arrived of streams that were not answered: parts of requests, which nobody may take for whole ones."""
    run.recorder.flush()
    for record in run.recorder.records.values():
        problems = [] if record.is_owned else list(checks.problems_of_record(record))
        # A length of nothing is all that its upstream waits for, whatever the stream says behind it.
        is_empty = record.is_complete and says_nothing_follows(record.message)
        if record.is_complete and not record.is_owned and not is_empty and not {number for number, _ in record.marks} & run.left:
            problems.append("a whole request that belongs to no stream's answer")
        for problem in problems:
            run.problems.append((f"record {record.number}", [problem]))
            print(f"FAILED  record {record.number}: {problem}\n    {cases.escaped(record.raw[:3000])}")


async def refused_alone(run):
    """Of requests that are refused by their heads nothing arrives, not even a connection."""
    before = await quiet(run.recorder)
    for number, request in enumerate(run.refused):
        session = in_order(StreamSession(number, [request], name="refused alone"))
        reader, _, _ = await exchange(run.port, session, PATIENCE_SECONDS)
        if reader.answers.get(1, frames.Answer()).status == 200:
            run.report(session, ["refused once and answered now"])
    if await quiet(run.recorder) != before:
        run.problems.append(("refused alone", [
            f"{run.recorder.connections - before[0]} connections and {run.recorder.bytes - before[1]} bytes arrived"]))


def summary(run):
    """What was sent and what became of it; not well when all of it was refused, for then nothing was tested."""
    print(f"{'class':40} forwarded  refused  left  not reached")
    total = collections.Counter()
    for kind, counts in sorted(run.verdicts.items()):
        total.update(counts)
        print(f"{kind:40} {counts['forwarded']:9} {counts['refused']:8} {counts['left']:5} {counts['not reached']:12}")
    print("answers: " + ", ".join(f"{status} {count}" for status, count in sorted(run.statuses.items(), key=str)))
    if not total["forwarded"] or not total["refused"]:
        run.problems.append(("all of them", ["not both of forwarded and refused requests"]))
    return (f"streams: {run.requests} requests on {run.sessions} connections in {run.seconds:.0f} s "
            f"({run.requests / max(run.seconds, 0.001):.0f}/s); {run.recorder.count} arrived on {run.recorder.connections} "
            f"connections; {len(run.refused)} refused alone; {len(run.problems)} problems")


async def main(binary, seconds, seed):
    """Whether all was well."""
    recorder = Recorder()
    await recorder.start()
    with gateway(binary, chosen_routes.routes(recorder), f"{REST}\n{chosen_routes.HOSTS}", http2=True,
                 public_url=chosen_routes.PUBLIC_URL) as running:
        recorder.token = running.token.encode()
        run = Run(running.port, recorder, running.token.encode())
        await streams(run, seconds, seed, running.token)
        line = summary(run)
        run.problems += [("the logs", [problem]) for problem in running.problems_of_logs()]
        if not running.is_alive():
            run.problems.append(("the gateway", ["ended"]))
        if run.problems:
            print(running.last_words())
    recorder.stop()
    print(line)
    return not run.problems


async def self_check(seed):
    """Whether a writer that copies fields into lines, in the gateway's place, is found out."""
    recorder = Recorder()
    await recorder.start()
    transcriber = Transcriber(recorder.port)
    await transcriber.start()
    run = Run(transcriber.port, recorder, b"none")
    await streams(run, 2, seed, "none", loads_cases=False)
    transcriber.stop()
    recorder.stop()
    return bool(run.problems)
