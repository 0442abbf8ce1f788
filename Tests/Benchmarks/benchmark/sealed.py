"""Very many sessions in the store: one of a real login, sealed again under other names, for other users.

A million logins would take an hour of signatures, which are not what is measured. So one browser logs in through the
gateway; what that left in the store is opened here with its cookie and the store's key, and sealed again with another
identifier, secret, user and `sid`. The format is written down in decision 0026 and SessionSeal.swift, and read here a
second time: a gateway that does not open what this makes fails the probe, and so does a store with other keys for it.
"""
import base64
import hashlib
import hmac
import os
import time

from .failure import Failure
from .logins import COOKIE, NAME, SUBJECT, Browser
from .store import PREFIX, encoded_command
from .tokens import encoded

try:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
except ImportError:
    AESGCM = None

FORMATS = (b"\x01", b"\x02")
ID_BYTES, SECRET_BYTES, NONCE_BYTES, NAME_BYTES = 16, 32, 12, 16
BATCH = 500
DIGITS = 6
# As the gateway's defaults have it: without use it is over then, and whatever happens later.
IDLE_MILLISECONDS, ABSOLUTE_MILLISECONDS = 30 * 60_000, 8 * 3_600_000
KINDS = {"session": b"s", "user's index": b"u", "server's index": b"i"}


def derived(secret, salt, info, count):
    """HKDF with SHA-256 (RFC 5869), of no more than one block."""
    return hmac.digest(hmac.digest(salt or bytes(32), secret, "sha256"), info + b"\x01", "sha256")[:count]


def block(part):
    return len(part).to_bytes(4, "big") + part


def key_name(kind, suffix):
    return b"%b:%b:%b" % (PREFIX.encode(), kind, encoded(suffix).encode())


def session_name(identifier):
    return key_name(KINDS["session"], hashlib.sha256(b"\x01" + bytes([ID_BYTES]) + identifier).digest()[:NAME_BYTES])


class SealedSessions:
    """Makes sessions like the one that a login through this gateway leaves behind."""

    def __init__(self, store, server):
        if AESGCM is None:
            raise Failure("Python's cryptography is not installed: apt-get install python3-cryptography")
        ring = bytes.fromhex(store.key.read_text())
        shared = b"portcullis shared state\x00"
        self.store = store
        self.key_id = derived(ring, b"", shared + b"id", 4)
        self.seal = derived(ring, b"", shared + b"seal", 32)
        self.names = derived(ring, b"", shared + b"names", 32)
        self.purpose = f"portcullis shared session\x00{NAME}\x00{NAME}".encode()
        self.made = derived(self.seal, b"", self.purpose, 32)
        self.issuer = server.site.login_server.url.encode()
        browser = Browser(server.site.port)
        try:
            browser.log_in(server.site.login_server)
        finally:
            browser.close()
        # The gateway may note that it is in use before this reads it: the value stays as it is.
        cookie = base64.urlsafe_b64decode(browser.cookies[COOKIE])
        self.real = cookie[:ID_BYTES]
        self.sid = server.site.login_server.last_sid.encode()
        self.fields = self.opened(cookie[:ID_BYTES], cookie[ID_BYTES:])

    def associated(self, name, generation):
        return self.format + block(self.purpose) + block(name) + generation.to_bytes(4, "big")

    def cipher(self, identifier, secret):
        if self.format == FORMATS[0]:
            return AESGCM(derived(secret + self.seal, identifier, self.purpose, 32))
        return AESGCM(hmac.digest(self.made, block(secret) + identifier, "sha256"))

    def opened(self, identifier, secret):
        """The fields of the real session, with marks in place of what is another in each."""
        name = session_name(identifier)
        generation, value = self.store.client.ask("HMGET", name, "g", "v")
        if value is None or value[:1] not in FORMATS or value[1:5] != self.key_id:
            raise Failure("the login's session is not in the store as it is expected")
        # As this gateway writes: an older program, which is measured beside it, has the older one.
        self.format = value[:1]
        self.generation = int(generation)
        fields = self.cipher(identifier, secret).decrypt(
            value[5:5 + NONCE_BYTES], value[5 + NONCE_BYTES:], self.associated(name, self.generation))
        for part in (identifier, SUBJECT.encode(), self.sid):
            if part not in fields:
                raise Failure("the login's session has other fields than are expected")
        return fields

    def names_of(self, subject, sid):
        """The indexes of a session: its user's, and that of the server's session."""
        for kind, tag, name in ((KINDS["user's index"], b"\x02", subject), (KINDS["server's index"], b"\x03", sid)):
            message = tag + block(NAME.encode()) + block(self.issuer) + block(name)
            yield key_name(kind, hmac.digest(self.names, message, "sha256")[:NAME_BYTES])

    def session(self, number):
        """The commands that keep another session, and its cookie."""
        identifier, secret, nonce = os.urandom(ID_BYTES), os.urandom(SECRET_BYTES), os.urandom(NONCE_BYTES)
        subject, sid = b"user-%06d" % number, encoded(os.urandom(16)).encode()
        name = session_name(identifier)
        fields = self.fields.replace(self.real, identifier).replace(SUBJECT.encode(), subject).replace(self.sid, sid)
        value = self.format + self.key_id + nonce + self.cipher(identifier, secret).encrypt(
            nonce, fields, self.associated(name, self.generation))
        commands = encoded_command("HSET", name, "g", self.generation, "v", value)
        commands += encoded_command("PEXPIRE", name, IDLE_MILLISECONDS)
        ends = int(time.time() * 1000) + ABSOLUTE_MILLISECONDS
        member = name.rpartition(b":")[2]
        for index in self.names_of(subject, sid):
            commands += encoded_command("ZADD", index, ends, member)
            commands += encoded_command("PEXPIRE", index, ABSOLUTE_MILLISECONDS)
        return commands, encoded(identifier + secret)

    def write(self, path, count, first=0, told=None):
        """Puts so many sessions into the store, and their cookies into a file, a line each."""
        with open(path, "w") as lines:
            for start in range(first, first + count, BATCH):
                made = [self.session(number % 10 ** DIGITS) for number in range(start, min(start + BATCH, first + count))]
                self.store.client.ask_all(b"".join(commands for commands, _ in made), 6 * len(made))
                lines.writelines(cookie + "\n" for _, cookie in made)
                if told:
                    told(start + len(made) - first)
