"""Hostile connections, in a process of their own: what each does again and again, and how it was answered."""
import asyncio
import base64
import collections
import itertools
import multiprocessing
import os
import random
import secrets
import signal
import urllib.parse

from .processes import end_with_parent

FORMS = ("plain", "signed", "reference", "pushed", "pushed-signed")
BODY_BYTES, DRIP_BYTES, DRIP_SECONDS = 16_000, 200, 0.2
NICE = 10
NONSENSE = ("session/pushed", "jwks.json", "nothing", "logout/pushed", "login/nobody", "callback/pushed?code=a&state=b", "request/x",
            "logged-out/pushed", "backchannel-logout/pushed", "login/pushed/x", "callback/", "%2e%2e/login/pushed", "frontchannel-logout/pushed")


class Connection:
    """One hostile connection, opened anew whenever it is closed."""

    def __init__(self, port, address, statuses):
        self.port, self.address, self.statuses = port, address, statuses
        self.reader = self.writer = None

    async def open(self):
        if self.writer is None or self.reader.at_eof() or self.writer.is_closing():
            await self.close()
            self.reader, self.writer = await asyncio.open_connection(
                "127.0.0.1", self.port, local_addr=(self.address, 0))

    async def close(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None

    async def exchange(self, path, fields="", method="GET", body=b""):
        """The head of the answer to one request."""
        await self.open()
        if body or method == "POST":
            fields += f"Content-Length: {len(body)}\r\nContent-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin\r\n"
        self.writer.write(f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{fields}\r\n".encode() + body)
        return await self.answer()

    async def answer(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        lower = head.lower()
        place = lower.find("\r\ncontent-length:")
        if place >= 0:
            await self.reader.readexactly(int(lower[place + 17:].split("\r\n", 1)[0]))
        self.statuses[(self.address, int(head[9:12]))] += 1
        if "\r\nconnection: close" in lower:
            await self.close()
        return head


async def start(connection, form):
    await connection.exchange(f"/.portcullis/login/{form}?return_to=%2Fapp%2Fx", "Accept: text/html\r\n")


async def callback(connection):
    """A login begun by the rules, and a code that its server never gave."""
    head = await connection.exchange("/.portcullis/login/plain?return_to=%2Fplain%2Fx", "Accept: text/html\r\n")
    location = next((line[10:] for line in head.split("\r\n") if line.lower().startswith("location: ")), "")
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)
    if "state" not in asked:
        return
    cookies = "; ".join(line[12:].partition(";")[0] for line in head.split("\r\n") if line.lower().startswith("set-cookie: "))
    issuer = location.partition("/authorize")[0]
    query = urllib.parse.urlencode({"code": secrets.token_urlsafe(16), "state": asked["state"][0], "iss": issuer})
    await connection.exchange(f"/.portcullis/callback/plain?{query}", f"Accept: text/html\r\nCookie: {cookies}\r\n")


async def slow_body(connection):
    await connection.open()
    connection.writer.write((
        f"POST /.portcullis/{random.choice(('logout', 'callback', 'backchannel-logout'))}/pushed HTTP/1.1\r\nHost: 127.0.0.1:{connection.port}\r\n"
        f"Content-Length: {BODY_BYTES}\r\nContent-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin\r\n\r\n").encode())
    reading = asyncio.ensure_future(connection.answer())
    try:
        for _ in range(BODY_BYTES // DRIP_BYTES):
            if reading.done():
                break
            connection.writer.write(b"a" * DRIP_BYTES)
            await connection.writer.drain()
            await asyncio.sleep(DRIP_SECONDS)
        await reading
    finally:
        reading.cancel()
    await connection.close()


async def unknown_token(connection):
    await connection.exchange("/opaque/x", f"Authorization: Bearer bad-{secrets.token_urlsafe(24)}\r\n")


async def encrypted_response(connection):
    """What an RSA key has to look at before it is known to be nothing, of a browser that began no login."""
    parts = (b'{"alg":"RSA-OAEP-256","enc":"A256GCM","cty":"JWT"}', b"\x01" + secrets.token_bytes(383), secrets.token_bytes(12),
             secrets.token_bytes(400), secrets.token_bytes(16))
    token = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
    cookie = f"__Host-portcullis-login-{secrets.token_urlsafe(6)}={secrets.token_urlsafe(90)}"
    await connection.exchange(f"/.portcullis/callback/encrypted?response={token}", f"Accept: text/html\r\nCookie: {cookie}\r\n")


async def nonsense(connection):
    path = "/.portcullis/" + random.choice(NONSENSE)
    if random.random() < 0.3:
        return await connection.exchange(path, method="POST", body=b"logout_token=" + secrets.token_hex(200).encode())
    fields = f"Accept: text/html\r\nCookie: __Host-portcullis-pushed={secrets.token_urlsafe(600)}\r\nX-Requested-By: x\r\n"
    return await connection.exchange(path, fields)


# What a connection of each number does.
ATTACKS = {f"starts, {form}": [lambda connection, form=form: start(connection, form)] for form in FORMS}
ATTACKS["made-up callbacks"] = [callback]
ATTACKS["slow bodies"] = [slow_body]
ATTACKS["unknown tokens"] = [unknown_token]
ATTACKS["encrypted responses"] = [encrypted_response]
ATTACKS["nonsense"] = [nonsense]
ATTACKS["all at once"] = [step for steps in list(ATTACKS.values()) for step in steps]
# Each connection does everything that ends at once, so that what networks get can be compared.
ATTACKS["each in turn"] = [[step for step in ATTACKS["all at once"] if step is not slow_body]]


class Attackers:
    """Hostile connections from some addresses; `with` begins and ends them, and then `statuses` has what they got."""

    def __init__(self, attack, port, addresses, connections, rate, processor):
        self.arguments = attack, port, addresses, connections, rate, processor
        self.statuses = collections.Counter()

    def __enter__(self):
        context = multiprocessing.get_context("fork")
        self.ours, theirs = context.Pipe()
        self.process = context.Process(target=self.run, args=(theirs,), daemon=True)
        self.process.start()
        return self

    def __exit__(self, *_):
        try:
            self.ours.send("end")
            if self.ours.poll(20):
                self.statuses = self.ours.recv()
        except OSError:
            pass
        self.process.terminate()
        self.process.join()

    def run(self, pipe):
        end_with_parent()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.sched_setaffinity(0, {self.arguments[5]})
        # The others share this processor: what they measure is to be the gateway.
        os.nice(NICE)
        asyncio.run(self.attack(pipe))

    async def attack(self, pipe):
        attack, port, addresses, connections, rate, _ = self.arguments
        statuses = collections.Counter()
        steps, sources = itertools.cycle(ATTACKS[attack]), itertools.cycle(addresses)
        connections = max(connections, len(addresses))
        tasks = [asyncio.ensure_future(self.repeat(next(steps), Connection(port, next(sources), statuses), connections / rate))
                 for _ in range(connections)]
        while not pipe.poll():
            await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        pipe.send(statuses)

    @staticmethod
    async def repeat(step, connection, seconds):
        """Once in so many seconds, each connection at a time of its own: what comes in one burst waits for itself."""
        clock = asyncio.get_running_loop()
        due = clock.time() + random.random() * seconds
        turns = itertools.cycle(step if isinstance(step, list) else [step])
        for _ in range(random.randrange(100)):
            next(turns)
        while True:
            await asyncio.sleep(max(0.0, due - clock.time()))
            due = max(due + seconds, clock.time())
            try:
                await next(turns)(connection)
            except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                connection.statuses[(connection.address, 0)] += 1
                await connection.close()
                await asyncio.sleep(0.05)
