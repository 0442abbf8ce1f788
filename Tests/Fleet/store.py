"""The store: Debian's redis-server at a Unix socket, and the word of whoever runs it."""
import contextlib
import os
import random
import signal
import socket
import threading
import time

import processes
from faults import fault

DEFAULT = os.environ.get("PORTCULLIS_STORE_SERVER", "redis-server")
SERVER = DEFAULT
START_SECONDS = 30
# A gateway that finds this word knows that the store has forgotten nothing, and lets the first proof through.
EPOCH = "AAAAAAAAAAAAAAAAAAAAAA.1"
# As in Sources/Gateway/Gateway.docc/SharedState.md, which a test below compares it with.
COMMANDS = ("get set hget hmget hset hdel pexpire unlink exists evalsha script|load zadd zrem zrange zremrangebyscore zcard xadd "
            "xread xrange time ping role wait cluster|slots asking select").split()


class Refused(Exception):
    """An error that the store answered."""


class Client:
    """A connection of whoever runs the store."""

    def __init__(self, path, seconds=10):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(seconds)
        self.socket.connect(str(path))
        self.input = self.socket.makefile("rb")

    def send(self, *words):
        """Sends a command of words."""
        parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts))

    def ask(self, *words):
        """The answer to a command of words."""
        self.send(*words)
        return self.answer()

    def answer(self):
        """The next one."""
        line = self.input.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the store closed the connection")
        kind, text = line[:1], line[1:-2]
        if kind == b"-":
            raise Refused(text.decode())
        if kind == b":":
            return int(text)
        if kind == b"$":
            return None if text == b"-1" else self.input.read(int(text) + 2)[:-2]
        if kind == b"*":
            return None if text == b"-1" else [self.answer() for _ in range(int(text))]
        return text.decode()

    def close(self):
        """Ends it."""
        self.input.close()
        self.socket.close()


class Store:
    """A server in a folder of its own, which keeps its data in memory alone, if nothing else is said."""

    def __init__(self, folder, *arguments, is_replica=False):
        self.folder = folder
        folder.mkdir()
        self.path = folder / "socket"
        self.arguments = [str(word) for word in arguments]
        self.is_replica = is_replica
        # Name and password of whoever runs it, where that is nobody whom a server knows of itself.
        self.administrator = None
        self.process = None
        self.is_frozen = False
        self.admin = None
        self.lock = threading.Lock()

    def start(self, prepare=None, epoch=EPOCH):
        """Starts it; it knows nothing but the word by which gateways know that it forgot nothing.

        Nobody finds it before it has that word, and the users whom a function makes.
        """
        hidden = self.folder / "hidden"
        self.process = processes.start(
            [SERVER, "--port", "0", "--unixsocket", hidden, "--save", "", "--appendonly", "no", "--maxmemory-policy",
             "noeviction", "--dir", self.folder, "--daemonize", "no", *self.arguments], self.folder / "redis.log")
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                self.admin = Client(hidden)
                if self.administrator:
                    self.ask("AUTH", *self.administrator)
                if epoch and not self.is_replica:
                    self.ask("SET", "pc:epoch", epoch)
                break
            except (OSError, ConnectionError):
                if self.process.poll() is not None or time.monotonic() > end:
                    raise SystemExit(f"{SERVER} does not start:\n{(self.folder / 'redis.log').read_text()[-2000:]}") from None
                time.sleep(0.01)
        if prepare:
            prepare()
        hidden.rename(self.path)

    def ask(self, *words):
        """Whoever runs it asks; from any thread."""
        with self.lock:
            return self.admin.ask(*words)

    def stop(self):
        """Ends it, as a crash does."""
        if self.process:
            processes.end(self.process)
        if self.admin:
            self.admin.close()

    @fault
    def clear(self):
        """It has nothing any more."""
        self.ask("FLUSHALL")

    @fault
    def lose(self):
        """It ends, and is not there any more."""
        self.stop()

    @fault
    def freeze(self):
        """It does nothing any more, and its connections stand."""
        self.is_frozen = True
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        """It goes on."""
        self.is_frozen = False
        self.process.send_signal(signal.SIGCONT)

    def answers(self):
        """Whether it runs, as far as its tests go."""
        return bool(self.process) and self.process.poll() is None and not self.is_frozen

    @fault
    def fill(self):
        """There is no room for anything more."""
        self.ask("CONFIG", "SET", "maxmemory", "1")

    def empty(self):
        """There is room again."""
        self.ask("CONFIG", "SET", "maxmemory", "0")

    def allow(self, user, password, *commands):
        """A user who may do so much, and no more, with the names of gateways."""
        self.ask("ACL", "SETUSER", user, "reset", "on", f">{password}", "~pc:*", "&pc:*", "-@all",
                 *(f"+{command}" for command in commands))

    @fault
    def forbid(self, user, command):
        """A user may not do one thing any more."""
        self.ask("ACL", "SETUSER", user, f"-{command}")

    @fault
    def confine(self, user, keys):
        """A user may touch these keys alone."""
        self.ask("ACL", "SETUSER", user, "resetkeys", keys)

    def permit(self, user, command):
        """He may again."""
        self.ask("ACL", "SETUSER", user, f"+{command}")

    def keys(self):
        """The names of all that is in it."""
        return sorted(self.ask("KEYS", "*"))

    def eternal(self):
        """Those that nothing takes away, but for the log and the words by which gateways find out that it forgot."""
        try:
            self.ask("PING")
        except OSError:
            # A server that becomes a replica ends the connections that stand.
            self.admin = Client(self.path)
        return [key for key in self.keys() if key != b"pc:e" and not key.startswith(b"pc:epoch") and self.ask("PTTL", key) == -1]

    def contents(self):
        """All that is in it, byte for byte."""
        parts = []
        for key in self.keys():
            parts += [key, self.ask("DUMP", key) or b""]
            kind = self.ask("TYPE", key)
            if kind == "string":
                parts.append(self.ask("GET", key) or b"")
            elif kind == "hash":
                parts += self.ask("HGETALL", key)
            elif kind == "zset":
                parts += self.ask("ZRANGE", key, 0, -1, "WITHSCORES")
            elif kind == "stream":
                parts += flattened(self.ask("XRANGE", key, "-", "+"))
        return parts

    def listen(self):
        """Hears from now on what everybody asks the store."""
        return Listener(self)


class Listener:
    """A connection with MONITOR, whose lines are read when they are wanted."""

    def __init__(self, store):
        self.store = store
        self.client = Client(store.path)
        self.client.ask("MONITOR")

    def lines(self):
        """Those of all that was asked so far; it is over then."""
        mark, lines = f"mark-{random.random()}", []
        self.store.ask("ECHO", mark)
        while not lines or mark.encode() not in lines[-1]:
            lines.append(self.client.input.readline())
        self.client.close()
        return lines


def flattened(answer):
    """Its words, in order."""
    return [answer] if isinstance(answer, bytes) else [word for one in answer for word in flattened(one)]


def free_port():
    """A port that nobody listens on now, below those that the system gives to whoever asks for any."""
    while True:
        port = random.randrange(10000, 30000)
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port
