"""Thousands of requests that servers may read differently, through the gateway to an upstream that keeps every byte."""
import asyncio
import collections
import hashlib
import itertools
import socket
import struct
import time

import cases
import checks
import chosen_cases
import chosen_routes
from gateway import gateway
from grammar import Generator, Request, Session
from recorder import Recorder, marks_in_order
from relay import Relay

IN_FLIGHT = 16
# For SO_LINGER: a close is a reset.
RESET = struct.pack("ii", 1, 0)
SESSION_SECONDS = 120
# For what is under way between the gateway and its upstream.
QUIET_SECONDS = 1
# As often the same figures, one after the other, are quiet.
QUIET_LOOKS = 4
QUIET_PATIENCE_SECONDS = 120
# Problems after which a run ends: the rest would be the same again.
ENOUGH = 25

# None of them is to run out, however busy the machine is.
REST = "timeouts: { request_head: 30s, request_body: 30s, upstream_first_byte: 30s, response_body: 30s }"


class Run:
    """What a run has seen."""

    def __init__(self, port, recorder, token=b"", saves=True, patience=SESSION_SECONDS):
        self.port = port
        self.patience = patience
        self.token = token
        self.recorder = recorder
        self.saves = saves
        self.problems = []
        self.verdicts = collections.defaultdict(collections.Counter)
        self.statuses = collections.Counter()
        self.requests = self.sessions = 0
        self.cut = 0
        # Sessions whose clients took no answers; what arrived of them is judged all the same.
        self.vanished = set()
        # Requests whose heads our reader refuses, by their marks.
        self.bad_heads = {}
        # Requests that were refused by their heads, to be sent again where nothing else is.
        self.refused = []

    async def play(self, session, expects="any"):
        """One session, from its connection to its end, and what is to be said of it."""
        received, was_reset, is_stuck = await exchange(self.port, session, self.patience)
        self.bad_heads.update(((session.number, place), request.data) for place, request in enumerate(session.requests)
                              if checks.refuses_head(request.data))
        if session.vanishes:
            self.vanished.add(session.number)
            return
        problems, verdicts = checks.problems_of_session(session, received, was_reset, self.recorder)
        problems += checks.readers_of_sent(session, verdicts)
        if is_stuck:
            problems.append(f"not over after {self.patience} s")
        if verdicts and expects != "any" and (verdicts[0] == "forwarded") != (expects == "forwarded"):
            problems.append(f"its first request should be {expects}: {verdicts[0]}")
        self.count(session, verdicts)
        if problems:
            self.report(session, problems)

    def count(self, session, verdicts):
        """By class of mutation."""
        self.sessions += 1
        self.requests += len(session.requests)
        self.cut += len(session.writes) > 1
        for place, request in enumerate(session.requests):
            verdict = verdicts[place] if place < len(verdicts) else "not reached"
            word = verdict if isinstance(verdict, str) else "refused"
            self.statuses[verdict] += 1
            for kind in request.kinds:
                self.verdicts[kind][word] += 1
            if word == "refused" and place == 0 and len(self.refused) < 400 and len(request.data) < 4000:
                self.refused.append(request)

    def report(self, session, problems):
        """Prints the bytes, and keeps them as a case."""
        name = session.name or f"found-{hashlib.sha256(session.data).hexdigest()[:8]}"
        self.problems.append((name, problems))
        print(f"FAILED  {name} ({', '.join(kind for each in session.requests for kind in each.kinds)})")
        for problem in problems:
            print(f"    {problem}")
        for line in cases.lines_of(session.data, self.token):
            print(f"    {line}")
        if self.saves and not session.name:
            file = cases.save(name, problems[0].splitlines()[0][:100], session.pieces(), self.token)
            print(f"    kept as {file}", flush=True)


async def exchange(port, session, patience=SESSION_SECONDS):
    """(bytes received, whether the end was a reset, whether there was none) of a session."""
    received, was_reset, is_stuck = bytearray(), False, False
    # By the socket itself: a stream that fails to write gives its reader the error, and not what had arrived before it.
    loop, connection = asyncio.get_running_loop(), socket.socket()
    connection.setblocking(False)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    async def receive():
        nonlocal was_reset
        try:
            while data := await loop.sock_recv(connection, 65536):
                received.extend(data)
                arrived.set()
        except ConnectionError:
            was_reset = True
        arrived.set()

    arrived = asyncio.Event()
    await loop.sock_connect(connection, ("127.0.0.1", port))
    receiving = asyncio.create_task(receive())
    try:
        async with asyncio.timeout(patience):
            try:
                for number, piece in enumerate(session.pieces()):
                    arrived.clear()
                    await loop.sock_sendall(connection, piece)
                    if session.waits and not receiving.done():
                        try:
                            await asyncio.wait_for(arrived.wait(), 0.05)
                        except TimeoutError:
                            pass
                    elif number % 8 == 7 or len(session.writes) < 8:
                        await asyncio.sleep(0)
                if session.vanishes:
                    receiving.cancel()
                else:
                    connection.shutdown(socket.SHUT_WR)
            except ConnectionError:
                was_reset = True
            except OSError:
                pass
            await asyncio.wait({receiving})
    except TimeoutError:
        is_stuck = True
        receiving.cancel()
        await asyncio.wait({receiving})
    if session.vanishes:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    connection.close()
    return bytes(received), was_reset, is_stuck


def reset(writer):
    """Ends a connection with a reset."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    writer.transport.abort()


async def differential(run, running, seconds, seed, loads_cases=True):
    """Plays cases, then generated sessions until the time is over; then refused requests alone."""
    recorder = running.recorder
    for number, case in enumerate(cases.load(running.token.encode())) if loads_cases else ():
        await run.play(*case_session(number, *case))
    for session, expects in chosen_cases.sessions(1 << 16, run.token) if loads_cases else ():
        await run.play(session, expects)
    generator, began = Generator(seed, running.token), time.monotonic()
    numbers = itertools.count(1 << 20)

    async def client():
        for number in numbers:
            if time.monotonic() - began > seconds or len(run.problems) >= ENOUGH:
                return
            await run.play(generator.session(number))

    await asyncio.gather(*(client() for _ in range(IN_FLIGHT)))
    run.seconds = time.monotonic() - began
    # What is on its way yet would be taken for a part that nobody goes on with.
    await quiet(recorder)
    judge_rest(run, recorder)
    await refused_alone(run, recorder)


def case_session(number, name, expects, pieces):
    """A named case as a session."""
    data = b"".join(pieces)
    return Session(number, [Request(data, ("known cases",), b"")], [len(piece) for piece in pieces], len(pieces) < 10,
                   name), expects


def judge_rest(run, recorder):
    """What arrived of requests that were not answered."""
    recorder.flush()
    for record in recorder.records.values():
        if record.is_answered and record.is_complete and record.is_owned:
            continue
        problems = list(checks.problems_of_record(record))
        head = record.message and record.raw[:record.message.head_end]
        # A head that was cut off goes on with the next request's bytes, which are its own then: the first mark tells.
        if not record.is_complete and (head is None or is_of_bad_head(run, head)):
            problems.append("the beginning of a request that was refused by its head")
        if record.is_complete and not record.is_owned and not {number for number, _ in record.marks} & run.vanished:
            problems.append("a whole request that belongs to no session's answers")
        for problem in problems:
            run.problems.append((f"record {record.number}", [problem]))
            print(f"FAILED  record {record.number}: {problem}\n    {cases.escaped(record.raw[:3000])}")


def is_of_bad_head(run, head):
    """Whether a head that arrived is that of a request whose head our reader refuses.

    A request that promised more body than it sent has the next request's first bytes for it. What is left of that one
    begins within its method, and is another request than the one that was sent: `D /` of `P<D /`, say.
    """
    for number, place in marks_in_order(head)[:1]:
        if (number, place) in run.bad_heads:
            method, sent = head.split(b" ", 1)[0], run.bad_heads[number, place].split(b" ", 1)[0]
            return not (place > 0 and len(method) < len(sent) and sent.endswith(method))
    return False


async def quiet(recorder):
    """What has arrived once nothing more does: on a busy machine the last of it comes late."""
    looks = []
    deadline = time.monotonic() + QUIET_PATIENCE_SECONDS
    while len(looks) < QUIET_LOOKS or len(set(looks[-QUIET_LOOKS:])) > 1:
        if time.monotonic() > deadline:
            break
        await asyncio.sleep(QUIET_SECONDS)
        looks.append((recorder.connections, recorder.bytes))
    return looks[-1]


async def refused_alone(run, recorder):
    """Of requests that are refused by their heads nothing arrives, not even a connection."""
    sessions = [Session(number, [request], [], False, "refused alone") for number, request in enumerate(run.refused)
                if checks.refuses_head(request.data)]
    before = await quiet(recorder)
    for session in sessions:
        received, _, _ = await exchange(run.port, session, run.patience)
        if received.startswith(b"HTTP/1.1 2"):
            run.report(session, ["refused once and answered now"])
    if await quiet(recorder) != before:
        run.problems.append(("refused alone", [
            f"{recorder.connections - before[0]} connections and {recorder.bytes - before[1]} bytes arrived"]))
    run.alone = len(sessions)


def summary(run):
    """What was sent and what became of it; not well when all of it was refused, for then nothing was tested."""
    print(f"{'class':28} forwarded  refused  not reached")
    for kind, counts in sorted(run.verdicts.items()):
        print(f"{kind:28} {counts['forwarded']:9} {counts['refused']:8} {counts['not reached']:12}")
    statuses = ", ".join(f"{status} {count}" for status, count in sorted(run.statuses.items(), key=str))
    print(f"answers: {statuses}")
    total = collections.Counter()
    for counts in run.verdicts.values():
        total.update(counts)
    if not total["forwarded"] or not total["refused"]:
        run.problems.append(("all of them", ["not both of forwarded and refused requests"]))
    pace = run.requests / max(run.seconds, 0.001)
    return (f"differential: {run.requests} requests on {run.sessions} connections, {run.cut} of them cut and "
            f"{len(run.vanished)} reset, in {run.seconds:.0f} s ({pace:.0f}/s); {run.recorder.count} arrived on "
            f"{run.recorder.connections} connections, {run.recorder.silent} of these silent; {run.alone} refused "
            f"alone; {len(run.problems)} problems")


async def main(binary, seconds, seed):
    """Whether all was well."""
    recorder = Recorder()
    await recorder.start()
    with gateway(binary, chosen_routes.routes(recorder), f"{REST}\n{chosen_routes.HOSTS}",
                 public_url=chosen_routes.PUBLIC_URL) as running:
        running.recorder, recorder.token = recorder, running.token.encode()
        run = Run(running.port, recorder, running.token.encode())
        await differential(run, running, seconds, seed)
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
    """Whether a relay of bytes in the gateway's place is found out."""
    recorder = Recorder()
    await recorder.start()
    relay = Relay(recorder.port)
    await relay.start()
    relay.recorder, relay.token = recorder, "none"
    run = Run(relay.port, recorder, b"none", saves=False, patience=1)
    await differential(run, relay, 2, seed, loads_cases=False)
    relay.stop()
    recorder.stop()
    return bool(run.problems)
