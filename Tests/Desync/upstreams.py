"""Upstreams that break HTTP: what the client of each sees, and that no other client sees anything of it."""
import asyncio
import collections
import itertools
import tempfile

import race
from broken_responses import (BAD, BROKEN, CHUNKED, CLOSE, CONTENT, EMPTY, FOREVER, RESET, SERVED, SLOW, TABLE, WHOLE,
                              Broken)
from differential import reset
from gateway import HOST, gateway
from readers import Malformed, read_request
from relay import Relay
from responses import read_response

ROUTES = """\
  - {{ path: /p/, upstream: "http://127.0.0.1:{upstream}", public: true }}
  - {{ path: /w/, upstream: "http://127.0.0.1:{upstream}", public: true, websocket: true }}
"""
RACE_ROUTES = """\
  - {{ path: /p/, upstream: "unix:{upstream}", public: true }}
"""
# None of them is to run out where the upstream does not hang, however busy the machine is.
REST = """\
timeouts: { upstream_first_byte: 30s, response_body: 30s, request_body: 30s }
"""
# Where it does, others are answered meanwhile, and a machine that stands still for a moment is not one that hangs.
REST_OF_HANGING = """\
timeouts: { upstream_first_byte: 8s, response_body: 8s, request_body: 30s }
"""
IN_FLIGHT = 6
ANSWER_SECONDS = 90


def every_cut():
    """Two responses, cut at every byte: written in two parts, or broken off."""
    for name, data, head_end in (("length", WHOLE, WHOLE.index(CONTENT)),
                                 ("chunks", CHUNKED + b"b\r\n" + CONTENT + b"\r\n0\r\n\r\n", len(CHUNKED))):
        for place in range(1, len(data)):
            yield Broken(f"{name}, cut at {place}", [data[:place], 0.001, data[place:]], (SERVED,))
            for end in (CLOSE, RESET):
                # What is left of a response at once with the reset may be lost on the way.
                seen = (BAD,) if place < head_end else (BROKEN,) if end == CLOSE else (BROKEN, BAD)
                yield Broken(f"{name}, cut at {place}, then {end}", [data[:place], end], seen)


class Upstream:
    """Answers as the cases say, and all other requests with a content of their own."""

    def __init__(self, cases):
        self.cases = cases
        self.server = None
        self.port = 0
        self.tasks = set()

    async def start(self):
        """Listens on a free port."""
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0, backlog=512)
        self.port = self.server.sockets[0].getsockname()[1]

    def stop(self):
        """Ends all connections."""
        self.server.close()
        for task in list(self.tasks):
            task.cancel()

    async def serve(self, reader, writer):
        """One connection of the gateway's."""
        self.tasks.add(asyncio.current_task())
        data = b""
        try:
            while True:
                message = read_request(data)
                is_late = message is not None and message.values(b"body") == [b"late"]
                if message is None or not message.is_complete and not is_late:
                    more = await reader.read(65536)
                    if not more:
                        break
                    data += more
                    continue
                data = data[message.end:]
                if not await self.answer(message, reader, writer):
                    break
        except (ConnectionError, OSError, Malformed, asyncio.CancelledError):
            pass
        writer.transport.abort()
        self.tasks.discard(asyncio.current_task())

    async def answer(self, message, reader, writer):
        """Answers one request; false when the connection has ended."""
        _, _, kind, number = message.target.split(b"/")
        if kind == b"own":
            content = own_content(int(number))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(content), content))
            await writer.drain()
            return True
        writes = self.cases[int(number)].writes
        for place, write in enumerate(writes):
            if write == RESET:
                reset(writer)
                return False
            if write == CLOSE:
                writer.close()
                return False
            if isinstance(write, float):
                await asyncio.sleep(write)
            elif write == FOREVER:
                for _ in range(1 << 16):
                    writer.write(writes[place - 1])
                    await writer.drain()
                    if reader.at_eof():
                        return False
            else:
                writer.write(write)
                await writer.drain()
        return True


def own_content(number):
    """What answers a request that has nothing broken about it."""
    return b"<own %d>" % number * (1 + number % 50)


class Client:
    """A client of the gateway's, with one connection."""

    def __init__(self, port, patience=ANSWER_SECONDS):
        self.port = port
        self.patience = patience
        self.reader = self.writer = None
        self.data = b""
        # How the connection ended, if it has.
        self.end = ""

    async def open(self):
        """Connects, if there is no connection."""
        if self.writer is None or self.end:
            self.close()
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
            self.data, self.end = b"", ""

    def close(self):
        """Ends it."""
        if self.writer:
            self.writer.transport.abort()
            self.writer = None

    async def send(self, data):
        """What the end of the connection may prevent."""
        try:
            self.writer.write(data)
            await self.writer.drain()
        except (ConnectionError, OSError):
            self.end = "reset"

    async def receive(self, is_head=False):
        """The next response, perhaps broken off; nothing when there is not even a head."""
        async with asyncio.timeout(self.patience):
            while True:
                response = read_response(self.data, 0, ended=self.end == "closed", is_head=is_head)
                if response is not None and (response.is_whole or self.end):
                    self.data = self.data[response.end:]
                    return response
                if self.end:
                    return None
                try:
                    more = await self.reader.read(65536)
                    self.data += more
                    self.end = self.end if more else "closed"
                except ConnectionError:
                    self.end = "reset"


def request(target, method=b"GET", fields=b"", version=b"HTTP/1.1"):
    """The bytes of one."""
    return b"%s %s %s\r\nHost: %s\r\n%s\r\n" % (method, target, version, HOST.encode(), fields)


def seen_of(response, client, case):
    """What of a broken response a client saw, in the words of the table."""
    if response is None:
        return f"nothing, and the connection was {client.end}"
    framed = response.message.values(b"content-length") or response.message.values(b"transfer-encoding")
    if not response.is_whole:
        if not framed and client.end != "reset":
            return f"a beginning that passes for all: {response.body[:40]!r}"
        return BROKEN
    if response.status in (502, 504) and not response.body:
        return BAD if response.status == 502 else SLOW
    if b"LEAK" in client_head(response):
        return f"a head with what was to be dropped: {response.message.fields}"
    if response.status not in (200, 204, 304):
        return f"status {response.status}"
    if not framed and response.status == 200 and case.method != b"HEAD" and response.body != CONTENT:
        return f"a beginning that passes for all: {response.body[:40]!r}"
    return SERVED if response.body == CONTENT else EMPTY if not response.body else "passed on"


def client_head(response):
    """All names and values."""
    return b"\n".join(name + b":" + value for name, value in response.message.fields)


class Run:
    """Cases against one gateway, one after the other or several at once."""

    def __init__(self, port, cases, patience=ANSWER_SECONDS):
        self.port = port
        self.patience = patience
        self.cases = cases
        self.numbers = itertools.count(1)
        self.problems = []
        self.seen = collections.Counter()
        self.own = 0

    def client(self):
        """A new one."""
        return Client(self.port, self.patience)

    def report(self, case, problem):
        """Says at once what is wrong."""
        self.problems.append((case.name, problem))
        writes = " | ".join(repr(write)[:160] for write in case.writes[:4])
        print(f"FAILED  {case.name}: {problem}\n    {writes}", flush=True)

    async def ask_own(self, client, case, who):
        """A request with nothing broken about it gets its own answer."""
        number = next(self.numbers)
        await client.open()
        await client.send(request(b"/p/own/%d" % number))
        await self.expect_own(client, number, case, who)

    async def expect_own(self, client, number, case, who, may_be_closed=False):
        """That answer, and no other."""
        try:
            response = await client.receive()
        except (Malformed, TimeoutError) as error:
            self.report(case, f"{who} got no response: {error!r}")
            client.end = "broken"
            return
        self.own += 1
        if response is None and may_be_closed:
            return
        if response is None or response.status != 200 or response.body != own_content(number):
            got = "nothing" if response is None else f"{response.status} {response.body[:60]!r}"
            self.report(case, f"{who} asked for its own and got {got}")

    async def ask_broken(self, client, number, version=b"HTTP/1.1", pipelined=b""):
        """The case's request, and what was seen of its answer."""
        case = self.cases[number]
        await client.open()
        target = b"/%s/broken/%d" % (case.folder, number)
        await client.send(request(target, case.method, case.fields, version) + pipelined)
        try:
            response = await client.receive(case.method == b"HEAD")
        except (Malformed, TimeoutError) as error:
            client.end = "broken"
            return self.report(case, f"the client got no response: {error!r}")
        if response is not None and response.announces_end:
            client.end = client.end or "announced"
        seen = seen_of(response, client, case)
        self.seen[seen] += 1
        if seen not in case.seen:
            self.report(case, f"the client of {version.decode()} saw {seen}; wanted {' or '.join(case.seen)}")
        if seen == BROKEN and not client.end:
            self.report(case, "broken off, and the connection goes on")
        return seen

    async def play(self, number, victims, is_short):
        """One case, and the clients beside and behind it."""
        case = self.cases[number]
        for victim in victims:
            await self.ask_own(victim, case, "a client before it")
        client = self.client()
        await self.ask_broken(client, number)
        if not client.end:
            await self.ask_own(client, case, "the same client")
        client.close()
        await asyncio.gather(*(self.ask_own(victim, case, "another client") for victim in victims))
        if is_short:
            return
        await self.play_pipelined(case, number)
        old = self.client()
        await self.ask_broken(old, number, b"HTTP/1.0")
        old.close()
        fresh = self.client()
        await asyncio.gather(*(self.ask_own(victim, case, "another client, later") for victim in (*victims, fresh)))
        fresh.close()

    async def play_pipelined(self, case, number):
        """The broken one, and one of the client's own right behind it."""
        if case.method == b"POST":
            return
        client, own = self.client(), next(self.numbers)
        seen = await self.ask_broken(client, number, pipelined=request(b"/p/own/%d" % own))
        if seen == BROKEN:
            client.close()
            return
        await self.expect_own(client, own, case, "the same client, pipelined", may_be_closed=True)
        client.close()

    async def play_all(self, numbers, is_short=False):
        """Some at once."""
        waiting = iter(numbers)

        async def player():
            victims = [self.client(), self.client()]
            for number in waiting:
                await self.play(number, victims, is_short)
            for victim in victims:
                victim.close()

        await asyncio.gather(*(player() for _ in range(IN_FLIGHT)))

    async def play_alone(self, number):
        """A case whose bytes come later: whoever asks when they have come gets its own."""
        case, victims = self.cases[number], [self.client(), self.client()]
        client = self.client()
        await self.ask_own(client, case, "the same client, before")
        await self.ask_broken(client, number)
        await asyncio.sleep(case.later)
        await asyncio.gather(*(self.ask_own(each, case, "a client, later") for each in (*victims, client)))
        for each in (*victims, client):
            each.close()


async def main(binary, _seconds, _seed):
    """Whether all was well."""
    cases = [*TABLE, *every_cut()]
    upstream = Upstream(cases)
    await upstream.start()
    run = Run(0, cases)
    for rest, hangs in ((REST, False), (REST_OF_HANGING, True)):
        with gateway(binary, ROUTES.format(upstream=upstream.port), rest) as running:
            run.port = running.port
            await run.play_all(number for number, case in enumerate(TABLE) if not case.later and case.hangs == hangs)
            if not hangs:
                for number, case in enumerate(TABLE):
                    if case.later:
                        await run.play_alone(number)
                await run.play_all(range(len(TABLE), len(cases)), is_short=True)
            if not running.is_alive():
                run.problems.append(("the gateway", "ended"))
            if run.problems:
                print(running.last_words())
    upstream.stop()
    race_lines = await asyncio.to_thread(races, binary, run)
    seen = ", ".join(f"{word} {count}" for word, count in sorted(run.seen.items()))
    print(f"upstreams: {len(TABLE)} broken responses and {len(cases) - len(TABLE)} cuts; clients saw {seen}; {run.own} "
          f"others got their own; {len(run.problems)} problems")
    print(*race_lines, sep="\n")
    return not run.problems


def races(binary, run):
    """Unasked responses that come between two requests; what is to be said of them."""
    lines = []
    with tempfile.TemporaryDirectory(prefix="portcullis-desync-race.") as folder:
        trap = race.Upstream(f"{folder}/app.sock")
        with gateway(binary, RACE_ROUTES.format(upstream=f"{folder}/app.sock")) as running:
            trap.process = running.process
            for method in (b"GET", b"HEAD"):
                sprung, taken = race.run(running.port, trap, method)
                line = (f"behind {method.decode()}, {sprung} of {race.TRIES} unasked responses were there before the "
                        f"next request; {taken} of them were taken for its answer")
                lines.append(line)
                if taken or sprung != race.TRIES:
                    run.problems.append(("an unasked response", line))
                    lines[-1] = f"FAILED  {line}"
        trap.listener.close()
    return lines


async def self_check(_seed):
    """Whether a relay of bytes in the gateway's place is found out."""
    upstream = Upstream(TABLE)
    await upstream.start()
    relay = Relay(upstream.port)
    await relay.start()
    run = Run(relay.port, TABLE, patience=0.3)
    await run.play_all(number for number, case in enumerate(TABLE)
                       if case.seen == (BAD,) and FOREVER not in case.writes)
    relay.stop()
    upstream.stop()
    return len({name for name, _ in run.problems}) > len(TABLE) // 3


assert len({case.name for case in TABLE}) == len(TABLE), "two cases have one name"
