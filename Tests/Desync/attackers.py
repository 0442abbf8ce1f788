"""Who attacks, and who does not: each in a process of its own, so that none of them waits for another."""
import collections
import contextlib
import os
import select
import socket
import time

import frames
from attacks import request

# An attacker has a machine of its own: here it takes what the others leave.
NICENESS = 10
PAUSE_SECONDS = 0.004


class Scanner:
    """Of what comes, the frames that tell how it went."""

    def __init__(self):
        self.rest, self.goaways, self.resets, self.ended, self.told = b"", [], collections.Counter(), 0, None

    def feed(self, more):
        """Takes bytes."""
        data, place = self.rest + more, 0
        while len(data) - place >= 9:
            length = int.from_bytes(data[place:place + 3], "big")
            if len(data) - place < 9 + length:
                break
            kind, flags = data[place + 3], data[place + 4]
            if kind == frames.GOAWAY:
                self.goaways.append(int.from_bytes(data[place + 13:place + 17], "big"))
                if self.goaways[-1] and self.told is None:
                    self.told = time.monotonic()
            elif kind == frames.RST_STREAM:
                self.resets[int.from_bytes(data[place + 9:place + 13], "big")] += 1
            self.ended += kind in (frames.DATA, frames.HEADERS) and flags & frames.END_STREAM
            place += 9 + length
        self.rest = data[place:]


class Attacker:
    """One connection of an attack's."""

    def __init__(self, attack, port, tag):
        self.attack, self.tag = attack, tag
        self.socket = socket.create_connection(("127.0.0.1", port), 10)
        self.socket.setblocking(False)
        self.pieces = attack.pieces(tag)
        self.piece, self.awaits, self.is_done, self.is_closed = b"", 0, False, False
        self.scanner, self.sent, self.sent_in_vain = Scanner(), 0, 0
        self.began = time.monotonic()

    def turn(self):
        """Sends and takes what can be; false when nothing could."""
        moved = self.attack.reads and self.receive()
        if not self.is_closed and not self.is_done:
            moved = self.send() or moved
        return moved

    def receive(self):
        """What has come."""
        try:
            more = self.socket.recv(262_144)
        except BlockingIOError:
            return False
        except OSError:
            more = b""
        if not more:
            self.is_closed = True
            return True
        self.scanner.feed(more)
        return True

    def send(self):
        """The next piece, or the rest of one."""
        if not self.piece:
            if self.scanner.ended < self.awaits:
                return False
            piece = next(self.pieces, None)
            if piece is None:
                self.is_done = True
                return False
            if isinstance(piece, int):
                self.awaits += piece
                return True
            self.piece = piece
        try:
            count = self.socket.send(self.piece)
        except BlockingIOError:
            return False
        except OSError:
            # What was said before the end is there still.
            while self.attack.reads and not self.is_closed:
                if not self.receive():
                    break
            self.is_closed = True
            return True
        self.sent += count
        self.sent_in_vain += count if self.scanner.told else 0
        self.piece = self.piece[count:]
        return True


def attack_for(attack, port, seconds, name, results):
    """Attacks for so long; connections that end are opened again, one after the other."""
    os.nice(NICENESS)
    ended, connections, numbers = collections.Counter(), [], iter(range(1 << 30))
    resets, sent, opened, heedless, in_vain = collections.Counter(), 0, 0, 0.0, 0

    def connect():
        nonlocal opened
        with contextlib.suppress(OSError):
            connections.append(Attacker(attack, port, b"%b-%d" % (name, next(numbers))))
            opened += 1

    until = time.monotonic() + seconds
    while len(connections) < attack.connections and time.monotonic() < until:
        connect()
    while time.monotonic() < until:
        moved = False
        for each in list(connections):
            moved = each.turn() or moved
            told = each.scanner.told
            heedless = max(heedless, time.monotonic() - told if told else 0)
            in_vain = max(in_vain, each.sent_in_vain)
            if each.is_closed:
                ended[each.scanner.goaways[-1] if each.scanner.goaways else None] += 1
                resets += each.scanner.resets
                sent += each.sent
                each.socket.close()
                connections.remove(each)
                time.sleep(PAUSE_SECONDS)
                connect()
        if not moved and connections:
            select.select([each.socket for each in connections], [], [], 0.002)
    for each in connections:
        if each.scanner.told:
            ended[each.scanner.goaways[-1]] += 1
        resets += each.scanner.resets
        sent += each.sent
        each.socket.close()
    results.put({"ended": dict(ended), "opened": opened, "sent": sent, "resets": dict(resets), "heedless": heedless,
                 "in vain": in_vain})


def spin_for(seconds):
    """Keeps a processor busy, and asks nobody for anything."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def ask_for(port, seconds, results):
    """An ordinary client: a request, its answer, and a moment; all on one connection. Its times, or what went wrong."""
    times, stream = [], 1
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(10)
            connection.sendall(frames.preface() + frames.window(0, 1 << 30))
            scanner = Scanner()
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                began = time.perf_counter()
                connection.sendall(request(stream, b"/o/"))
                while scanner.ended <= len(times):
                    more = connection.recv(65_536)
                    if not more or scanner.resets or scanner.goaways:
                        raise OSError(f"the connection ended: {scanner.goaways} {scanner.resets}")
                    scanner.feed(more)
                times.append(time.perf_counter() - began)
                stream += 2
                time.sleep(PAUSE_SECONDS)
    except OSError as error:
        results.put((times, repr(error)))
        return
    results.put((times, None))
