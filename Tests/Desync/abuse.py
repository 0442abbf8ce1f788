"""Each attack on HTTP/2 by name, beside an ordinary client that must not be told from one that is alone."""
import asyncio
import collections
import contextlib
import multiprocessing
import re
import time
from pathlib import Path

import attackers
import attacks
import frames
from differential import REST
from gateway import AUDIENCE, gateway
from transcriber import Transcriber

ROUTES = """\
  - {{ path: /o/, upstream: "http://127.0.0.1:{ordinary}", public: true }}
  - {{ path: /p/, upstream: "http://127.0.0.1:{upstream}", public: true }}
  - path: /t/
    upstream: http://127.0.0.1:{upstream}
    token: {{ issuers: [fixed], audience: "{audience}", schemes: [Bearer], scopes: [all] }}
"""
ATTACK_SECONDS = 0.7
# Rounds of an attack that seems to cost others something: a machine that does something else for a moment is no fault.
ROUNDS = 6
# How much longer an ordinary answer may take beside an attack than beside as many processes that ask for nothing and keep the
# processors as busy: twice as long, and one turn of the scheduler's. A round that takes longer is compared with what such
# processes cost in that moment.
FACTOR, SLACK_SECONDS = 2, 0.004
# An attacker, and the upstream that it is sent on to.
BYSTANDERS = 2
FAREWELL_SECONDS = 1.5
# Bytes that the kernel keeps for a connection that nobody reads.
IN_VAIN = 48 << 20
LARGE = b"x" * 300_000
PAGE = 4096
FORK = multiprocessing.get_context("fork")


class Upstream:
    """Answers what ordinary clients ask at once; what attackers ask is counted by connection."""

    def __init__(self):
        self.server, self.port = None, 0
        self.begun, self.open, self.most_open = collections.Counter(), collections.Counter(), collections.Counter()
        self.tasks = set()

    async def start(self):
        """Listens on a free port."""
        self.server = await asyncio.get_running_loop().create_server(
            lambda: _Served(self), "127.0.0.1", 0, backlog=1024)
        self.port = self.server.sockets[0].getsockname()[1]

    def stop(self):
        """Ends."""
        self.server.close()

    def forget(self):
        """Counts anew."""
        for counter in (self.begun, self.open, self.most_open):
            counter.clear()


class _Served(asyncio.Protocol):
    def __init__(self, upstream):
        self.upstream, self.received, self.transport, self.held = upstream, b"", None, set()

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received and not self.held:
            head, _, rest = self.received.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].split(b"/")
            length = re.search(rb"\r\ncontent-length: ([0-9]+)", head, re.IGNORECASE)
            if path[2:3] == [b"slow"]:
                rest = b""
            elif length:
                if len(rest) < int(length[1]):
                    return
                rest = rest[int(length[1]):]
            elif b"\r\nTransfer-Encoding: chunked" in head:
                # No content here has these bytes in it.
                _, last, rest = rest.partition(b"0\r\n\r\n")
                if not last:
                    return
            self.received = rest
            self.answer(path)

    def answer(self, path):
        """As its path says: /p/KIND/TAG."""
        kind, tag = (path + [b"", b""])[2:4]
        if tag:
            self.upstream.begun[tag] += 1
        if kind == b"slow":
            self.held.add(tag)
            self.upstream.open[tag] += 1
            self.upstream.most_open[tag] = max(self.upstream.most_open[tag], self.upstream.open[tag])
            # Neither answered, nor read any further.
            self.transport.pause_reading()
            asyncio.get_running_loop().call_later(5, self.transport.abort)
            asyncio.get_running_loop().call_later(0.2, self.look)
            return
        content = LARGE if kind == b"large" else b"hello"
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content)

    def look(self):
        """Whether the gateway has left: it is not read from otherwise."""
        if not self.transport.is_closing():
            self.transport.resume_reading()

    def connection_lost(self, exc):
        for tag in self.held:
            self.upstream.open[tag] -= 1


def serve(port):
    """Serves ordinary clients, for as long as it is left to: nothing that attackers ask for keeps it waiting."""
    async def main():
        upstream = Upstream()
        await upstream.start()
        port.put(upstream.port)
        await asyncio.Event().wait()
    asyncio.run(main())


@contextlib.contextmanager
def ordinary_upstream():
    """Its port."""
    port = FORK.SimpleQueue()
    process = FORK.Process(target=serve, args=(port,), daemon=True)
    process.start()
    try:
        yield port.get()
    finally:
        process.kill()
        process.join()


def resident(process):
    """Bytes of memory that a process has."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE


def percentile(times, share):
    """The time that this share of them does not exceed."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] if times else float("inf")


class Run:
    """Attacks on one gateway."""

    def __init__(self, port, upstream, process=None):
        self.port, self.upstream, self.process = port, upstream, process
        self.problems, self.alone = [], float("inf")

    async def together(self, attack, seconds, number=0, bystanders=0):
        """(times of the ordinary client, what went wrong there, what the attacker saw, how much memory grew)."""
        times, seen = FORK.SimpleQueue(), FORK.SimpleQueue()
        processes = [FORK.Process(target=attackers.ask_for, args=(self.port, seconds, times))]
        if attack:
            processes.append(FORK.Process(
                target=attackers.attack_for, args=(attack, self.port, seconds, b"a%d" % number, seen)))
        processes += [FORK.Process(target=attackers.spin_for, args=(seconds,)) for _ in range(bystanders)]
        before = resident(self.process) if self.process else 0
        most = before
        for process in processes:
            process.start()
        until = time.monotonic() + seconds + 30
        while any(process.is_alive() for process in processes) and time.monotonic() < until:
            await asyncio.sleep(0.02)
            most = max(most, resident(self.process) if self.process else 0)
        for process in processes:
            if process.is_alive():
                process.kill()
                self.problems.append("a client did not come to its end")
            process.join()
        got = times.get() if not times.empty() else ([], "nothing came of it")
        return *got, seen.get() if not seen.empty() else None, most - before

    async def spin(self):
        """What the ordinary client waits at most beside processes that ask for nothing, but for a hundredth."""
        times, error, _, _ = await self.together(None, 1.5, bystanders=BYSTANDERS)
        alone = percentile(times, 0.99)
        print(f"beside {BYSTANDERS} that spin: p99 {alone * 1000:.1f} ms, {len(times)} answers {error or ''}", flush=True)
        return alone

    async def measure(self, attack, number):
        """Rounds of an attack, until one finds nothing that chance could explain; its problems and its line."""
        for again in range(ROUNDS):
            self.upstream.forget()
            times, error, seen, grown = await self.together(attack, attack.seconds or ATTACK_SECONDS, number * 10 + again)
            late, alone, problems = percentile(times, 0.99), self.alone, []
            if error or seen is None:
                problems.append(f"the ordinary client: {error}")
            if late > FACTOR * alone + SLACK_SECONDS:
                alone = await self.spin()
            if late > FACTOR * alone + SLACK_SECONDS:
                problems.append(f"an ordinary answer took {late * 1000:.1f} ms, and {alone * 1000:.1f} ms beside processes that spin")
            if seen:
                problems += problems_of(attack, seen, self.upstream, grown)
            if not problems:
                break
        most = max(self.upstream.begun.values(), default=0)
        print(f"{attack.name:52} p99 {late * 1000:5.1f} ms, {len(times):4} answers; memory {grown / (1 << 20):+5.1f} MiB; "
              f"{most:4} requests at most, {seen and seen['opened']:4} connections, ended {seen and seen['ended']}", flush=True)
        self.problems += [f"{attack.name}: {problem}" for problem in problems]


def problems_of(attack, seen, upstream, grown):
    """What an attack got that it must not get."""
    if grown > attack.memory << 20:
        yield f"memory grew by {grown / (1 << 20):.1f} MiB"
    begun, most_open = max(upstream.begun.values(), default=0), max(upstream.most_open.values(), default=0)
    if begun > attack.most_exchanges:
        yield f"{begun} requests of one connection arrived"
    if most_open > attack.most_open:
        yield f"{most_open} requests of one connection were open at once"
    if attack.ends and attack.reads:
        # What was said last may be lost in a reset, also behind the polite word before it.
        lost = (None, frames.NO_ERROR)
        others = {code: count for code, count in seen["ended"].items() if code not in attack.ends + lost}
        if others:
            yield f"connections ended with {others}"
        if not seen["ended"]:
            yield f"no connection was ended, {seen['sent']} bytes were taken"
    if not attack.reads and attack.connections == 1 and not seen["ended"]:
        yield f"no connection was ended, {seen['sent']} bytes were taken"
    if seen["heedless"] > FAREWELL_SECONDS:
        yield f"a connection stayed for {seen['heedless']:.1f} s after it was told to go"
    if seen["in vain"] > IN_VAIN:
        yield f"{seen['in vain']} bytes were taken from a connection after it was told to go"


async def main(binary, _, seed):
    """Whether all was well."""
    upstream = Upstream()
    await upstream.start()
    began = time.monotonic()
    with ordinary_upstream() as ordinary, gateway(
            binary, ROUTES.format(ordinary=ordinary, upstream=upstream.port, audience=AUDIENCE), REST, http2=True) as running:
        run = Run(running.port, upstream, running.process.pid)
        await run.together(None, 0.3)
        times, error, _, _ = await run.together(None, 1.5)
        print(f"alone: p99 {percentile(times, 0.99) * 1000:.1f} ms, {len(times)} answers {error or ''}")
        run.alone = await run.spin()
        for number, attack in enumerate(attacks.ALL):
            await run.measure(attack, number)
        run.problems += running.problems_of_logs()
        if not running.is_alive():
            run.problems.append("the gateway ended")
        if run.problems:
            print(running.last_words())
    upstream.stop()
    for problem in run.problems:
        print(f"FAILED  {problem}")
    print(f"abuse: {len(attacks.ALL)} attacks in {time.monotonic() - began:.0f} s; {len(run.problems)} problems")
    return not run.problems


async def self_check(seed):
    """Whether a proxy without limits, in the gateway's place, is found out."""
    upstream = Upstream()
    await upstream.start()
    transcriber = Transcriber(upstream.port)
    await transcriber.start()
    run = Run(transcriber.port, upstream)
    for number, attack in enumerate(attacks.ALL[:1]):
        await run.measure(attack, number)
    transcriber.stop()
    upstream.stop()
    return bool(run.problems)
