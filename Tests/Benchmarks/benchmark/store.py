"""The store that replicas share: Debian's redis-server on 127.0.0.1, plain and over TLS, and a client for it."""
import json
import secrets
import socket
import time

from .failure import Failure
from .processes import free_ports, last_lines, tool

PLAIN, SECURE = "plain", "tls"
PREFIX = "pc"
# A gateway that finds this word knows that the store has forgotten nothing.
EPOCH = b"AAAAAAAAAAAAAAAAAAAAAA.1"
START_SECONDS = 120


def encoded_command(*words):
    """A command of counted words, as RESP has it."""
    parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts)


class Refusal(Exception):
    """An error that the store answered."""


class StoreClient:
    """One connection to the store."""

    def __init__(self, port, seconds=30):
        self.socket = socket.create_connection(("127.0.0.1", port), seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = self.socket.makefile("rb", 1 << 20)

    def ask(self, *words):
        """The answer to one command."""
        self.socket.sendall(encoded_command(*words))
        return self.answer()

    def ask_all(self, commands, count):
        """The answers to so many commands in one write, which are encoded already."""
        self.socket.sendall(commands)
        return [self.answer() for _ in range(count)]

    def answer(self):
        line = self.input.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the store closed the connection")
        kind, text = line[:1], line[1:-2]
        if kind == b"-":
            raise Refusal(text.decode(errors="replace"))
        if kind == b":":
            return int(text)
        if kind == b"$":
            return None if text == b"-1" else self.input.read(int(text) + 2)[:-2]
        if kind == b"*":
            return None if text == b"-1" else [self.answer() for _ in range(int(text))]
        return text

    def information(self, section):
        """What the store says of itself."""
        lines = self.ask("INFO", section).decode().splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def close(self):
        self.input.close()
        self.socket.close()


class Store:
    """A server that keeps nothing on disk, and the keys that gateways seal by."""

    def __init__(self, stage, processor=None):
        self.folder = stage.folder / "store"
        self.folder.mkdir()
        self.port, self.secure_port = free_ports(2)
        self.certificate = stage.fixtures.certificate()
        self.key = self.folder / "store.key"
        self.session_key = self.folder / "session.key"
        for path in (self.key, self.session_key):
            path.write_text(secrets.token_hex(32))
            path.chmod(0o600)
        (self.folder / "nonce.key").write_text(secrets.token_hex(32))
        log = self.folder / "redis.log"
        chain, chain_key = self.certificate
        self.process = stage.processes.start(
            [tool("redis-server"), "--bind", "127.0.0.1", "--port", self.port, "--tls-port", self.secure_port,
             "--tls-cert-file", chain, "--tls-key-file", chain_key, "--tls-auth-clients", "no",
             "--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction", "--dir", self.folder,
             "--daemonize", "no", "--io-threads", 1],
            stage.load_processor if processor is None else processor, log)
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                self.client = StoreClient(self.port)
                break
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise Failure(f"redis-server does not listen:\n{last_lines(log)}") from None
                time.sleep(0.02)
        self.forget()

    def forget(self):
        """Empties the store; while no gateway runs, none notices."""
        self.client.ask("FLUSHALL", "SYNC")
        self.client.ask("SET", f"{PREFIX}:epoch", EPOCH)

    def settings(self, kind, shares, more=""):
        """The section of a gateway's configuration."""
        url = f"redis://127.0.0.1:{self.port}" if kind == PLAIN else f"rediss://127.0.0.1:{self.secure_port}"
        tls = f", tls: {{ certificate_authority: {json.dumps(str(self.certificate[0]))} }}" if kind == SECURE else ""
        return (f"store: {{ url: {json.dumps(url)}, keys: [{{ file: {json.dumps(str(self.key))} }}], "
                f"shares: [{shares}]{tls}{', ' + more if more else ''} }}\n")

    def commands(self):
        """Commands that the store has executed since it began, by name."""
        counted = self.client.information("commandstats")
        return {name.removeprefix("cmdstat_"): int(text.partition("calls=")[2].partition(",")[0])
                for name, text in counted.items()}
