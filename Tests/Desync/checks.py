"""What must be true of a session: what reached the upstream, what came back, and that they belong together."""
import re

from chosen_routes import forwarded_target, problems_of_choice
from gateway import SUBJECT
from readers import Malformed, Refused, finds_whole_message, h11_reads, llhttp_reads, read_all, read_request
from recorder import content_of
from responses import read_responses

HOP_BY_HOP = {b"connection", b"proxy-connection", b"keep-alive", b"te", b"trailer", b"upgrade", b"proxy-authorization",
              b"proxy-authenticate", b"proxy-authentication-info", b"http2-settings", b"expect"}
# Said by the gateway alone, once each, on every route.
OURS = {b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"x-request-id", b"host"}
# Never there, whoever said it: no route here has a credential for the upstream.
NEVER = {b"authorization", b"dpop", b"client-cert", b"client-cert-chain", b"x-real-ip", b"x-original-url",
         b"x-rewrite-url", b"x-ssl-client-verify", b"x-client-cert", b"x-forwarded-client-cert",
         b"x-authenticated-user", b"remote-user", b"x-remote-user", b"x-http-method-override", b"x-http-method",
         b"x-method-override", b"-method", b"proxy", b"x-portcullis-id", b"x-forwarded-user"}
IDENTITY = {b"x-user-id": SUBJECT.encode(), b"x-scopes": b"all"}


def canonical(name):
    """How CGI, WSGI, PHP and lighttpd read a name: one separator is like another."""
    return re.sub(rb"[^a-z0-9]", b"-", name.lower())


def problems_of_record(record):
    """What is wrong with what arrived at the upstream, whoever sent it."""
    if record.problem and not record.problem.startswith("part of"):
        yield record.problem
        return
    if not record.is_complete:
        # Part of a request is there when its sender broke off; nobody may take it for a whole one.
        for reads in (h11_reads, llhttp_reads):
            if finds_whole_message(reads, record.raw):
                yield f"part of a request that {reads.__name__} takes for a whole one"
        return
    message = record.message
    for reads in (h11_reads, llhttp_reads):
        try:
            other = reads(record.raw)
        except Refused as refusal:
            yield str(refusal)
            continue
        for name in ("method", "target", "body"):
            if getattr(other, name) != getattr(message, name):
                yield f"{reads.__name__} reads another {name}: {getattr(other, name)[:80]!r}"
    yield from problems_of_fields(message, record.is_guarded)


def problems_of_fields(message, is_guarded):
    """Identity once or not at all; nothing that is for one hop, or that only the gateway may say."""
    if message.target[:1] != b"/" or message.minor != 1:
        yield f"target {message.target[:60]!r}, version 1.{message.minor}"
    names = {}
    for name, value in message.fields:
        names.setdefault(canonical(name), []).append(value)
    if message.values(b"transfer-encoding") not in ([], [b"chunked"]):
        yield f"transfer-encoding {message.values(b'transfer-encoding')}"
    if len(names.get(b"content-length", [])) + len(names.get(b"transfer-encoding", [])) > 1:
        yield "framed twice"
    tunnel = message.target.startswith(b"/w/") and names.get(b"upgrade") == [b"websocket"]
    for name in HOP_BY_HOP & names.keys():
        if not (tunnel and name in (b"connection", b"upgrade") and names[b"connection"] == [b"Upgrade"]):
            # With another separator it is a field that no hop knows.
            if message.values(name):
                yield f"{name.decode()}: {names[name]}"
    for name in OURS:
        if len(names.get(name, [])) != 1 or b"evil" in names[name][0]:
            yield f"{name.decode()} is there {len(names.get(name, []))} times: {names.get(name)}"
    if len(names.get(b"x-forwarded-port", [])) > 1 or b"evil" in b"".join(names.get(b"x-forwarded-port", [])):
        yield f"x-forwarded-port: {names[b'x-forwarded-port']}"
    for name in NEVER & names.keys():
        yield f"{name.decode()}: {names[name]}"
    for name, value in IDENTITY.items():
        wanted = [value] if is_guarded else []
        if names.get(name, []) != wanted:
            yield f"{name.decode()} is {names.get(name)}, wanted {wanted}"


def problems_of_session(session, received, was_reset, recorder):
    """(problems, verdict of each request) of a session that has ended; takes its records."""
    problems, sent = [], session.data
    whole, rest, refusal = read_all(sent)
    try:
        responses = read_responses(received)
    except Malformed as error:
        return [f"the client got something that is no response: {error}"], []
    verdicts, owned = [], []
    for place, response in enumerate(responses):
        record = recorder.records.get(response.record)
        if not response.record:
            verdicts.append(response.status)
            problems += problems_of_refusal(place, response, responses, was_reset)
            continue
        verdicts.append("forwarded")
        if record is None:
            problems.append(f"answer {place} has another's content, that of record {response.record}")
            continue
        owned.append(record)
        record.is_owned = True
        problems += problems_of_answer(response, record, session, is_last=place == len(responses) - 1)
        read = whole[place] if place < len(whole) else rest if place == len(whole) else None
        problems += problems_of_forwarding(place, read, record, refusal)
        problems += problems_of_choice(read, record, recorder.token) if read else []
    numbers = {record.number for record in owned}
    if len(numbers) < len(owned):
        problems.append("one answer was given twice")
    problems += problems_of_order(responses, whole, sent[whole[-1].end if whole else 0:], was_reset)
    # Complete requests at the upstream, of which the client saw no answer.
    for record in recorder.of_session(session.number):
        if record.is_complete and record.number not in numbers:
            problems.append(f"record {record.number} arrived and was not answered: {record.raw[:120]!r}")
    for record in owned:
        problems += list(problems_of_record(record))
    return problems, verdicts


def problems_of_refusal(place, response, responses, was_reset):
    """The gateway's own answers have no content and no word of the request."""
    if response.status == 0:
        if not was_reset:
            yield f"answer {place} is broken off in its head"
        return
    if response.status in (500, 502, 503, 504):
        yield f"answer {place} is {response.status}: the upstream was well"
    if response.body or not response.is_whole:
        yield f"answer {place} of the gateway has a content: {response.body[:60]!r}"
    if response.announces_end and place < len(responses) - 1:
        yield f"answer {place} says that it is the last, and another follows"


def problems_of_answer(response, record, session, is_last):
    """A response goes to the request that it answers, whole, and to nobody else."""
    strangers = {number for number, _ in record.marks} - {session.number}
    if strangers:
        yield f"what record {record.number} got is of several sessions: {sorted(strangers)}"
    wanted = b"" if record.message.method == b"HEAD" else content_of(record)
    if response.is_whole and response.body != wanted:
        yield f"the content of record {record.number} is not its own: {response.body[:80]!r}"
    if not response.is_whole and (not wanted.startswith(response.body) or not is_last or not record.was_early):
        yield f"the answer to record {record.number} was broken off"


def problems_of_forwarding(place, read, record, refusal):
    """What arrived is what the client's bytes say to every reader."""
    if read is None:
        yield f"request {place} was forwarded, and our reader refuses it: {refusal}"
        return
    if record.is_complete and not read.is_complete:
        yield f"request {place} was forwarded whole, and our reader refuses its body or misses its end: {refusal}"
    arrived = record.message
    if arrived.method != read.method:
        yield f"method {read.method!r} arrived as {arrived.method!r}"
    if arrived.target != forwarded_target(read):
        yield f"target {read.target!r} arrived as {arrived.target!r}"
    if record.is_complete and arrived.body != read.body:
        yield f"body {read.body[:60]!r} arrived as {arrived.body[:60]!r}"
    if not read.body.startswith(arrived.body):
        yield "part of a body arrived that is not the body's beginning"


def problems_of_order(responses, whole, rest, was_reset):
    """Every whole request is answered, unless the one before it ended the connection; nothing else is."""
    if was_reset:
        return
    most = len(whole) + bool(rest)
    if len(responses) > most:
        yield f"{len(responses)} answers to {most} requests"
    if not responses or len(responses) >= len(whole) or responses[-1].announces_end:
        is_lost = not responses and whole
    else:
        # A refusal is answered before its body is read away, which the gateway may refuse where our reader does not.
        is_lost = responses[-1].record or whole[len(responses) - 1].framing != "chunked"
    if is_lost:
        yield f"{len(responses)} answers to {len(whole)} requests, and the last does not end the connection"


def readers_of_sent(session, verdicts):
    """Where h11 or llhttp read a request that was forwarded in another way than ours; refusing it is their right."""
    start, data = 0, session.data
    for verdict in verdicts:
        try:
            message = read_request(data, start, after_empty_line=True)
        except Malformed:
            return
        if message is None or not message.is_complete:
            return
        if verdict == "forwarded":
            for reads in (h11_reads, llhttp_reads):
                try:
                    other = reads(data[start:message.end].removeprefix(b"\r\n"))
                except Refused as refusal:
                    if re.search(r"behind the message|[2-9] (whole|begun)", str(refusal)):
                        yield f"{reads.__name__} finds more than one request in what we take for one: {refusal}"
                    continue
                for name in ("method", "target", "body"):
                    if getattr(other, name) != getattr(message, name) and not (name == "body" and other.is_handshake):
                        yield f"{reads.__name__} reads another {name} in what was sent: {getattr(other, name)[:80]!r}"
        start = message.end


def refuses_head(data):
    """Whether our reader refuses the very head, so that nothing of the request may arrive."""
    try:
        read_request(data, after_empty_line=True)
    except Malformed as refusal:
        return refusal.message is None
    return False
