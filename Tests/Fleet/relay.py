"""The way from one gateway to the store, which can be cut, held up and made slow."""
import collections
import contextlib
import select
import socket
import threading
import time

from faults import fault


class Relay:
    """Passes connections on from 127.0.0.1 to a server: a Unix socket's path, or a port."""

    def __init__(self, target):
        self.target = target
        self.delay = 0
        self.edit = None
        self.is_cut = False
        self.flows = threading.Event()
        self.flows.set()
        self.lock = threading.Lock()
        self.pairs = set()
        self.ended = False
        # What gateways have sent, in all.
        self.sent = 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def stop(self):
        """Ends all of it, once."""
        if self.ended:
            return
        self.ended = True
        self.flows.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.close_all()

    @fault
    def hold(self):
        """Nothing passes any more, and nobody is told: as where packets are lost."""
        self.flows.clear()

    def release(self):
        """What was held passes now, and whatever comes."""
        self.flows.set()

    @fault
    def cut(self):
        """Connections end, and new ones come to nothing."""
        self.is_cut = True
        self.close_all()

    @fault
    def slow(self, seconds):
        """Each answer is so late."""
        self.delay = seconds

    @fault
    def alter(self, edit):
        """Answers come as this function makes them."""
        self.edit = edit

    def heal(self):
        """All is as before. What was under way while nothing passed is lost, as a server sees it that gave up."""
        self.is_cut, self.delay = False, 0
        if not self.flows.is_set():
            self.close_all()
            self.flows.set()

    def close_all(self):
        """Ends what is open."""
        with self.lock:
            pairs, self.pairs = self.pairs, set()
        for pair in pairs:
            for one in pair:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def accept(self):
        """One connection after the other."""
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            try:
                if self.is_cut:
                    raise OSError
                server = self.connect()
            except OSError:
                client.close()
                continue
            for one in (client, server):
                with contextlib.suppress(OSError):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                # It may have been cut since this one was let in.
                is_late = self.is_cut
                if not is_late:
                    self.pairs.add((client, server))
            if is_late:
                client.close()
                server.close()
                continue
            threading.Thread(target=self.carry, args=(client, server), daemon=True).start()
            threading.Thread(target=self.carry, args=(server, client, True), daemon=True).start()

    def connect(self):
        """A connection to the server."""
        if isinstance(self.target, int):
            return socket.create_connection(("127.0.0.1", self.target))
        server = socket.socket(socket.AF_UNIX)
        server.connect(str(self.target))
        return server

    def carry(self, source, target, is_answer=False):
        """One direction, to its end; both are closed then."""
        late = collections.deque()
        with contextlib.suppress(OSError):
            while self.receive(source, late, is_answer):
                while late and late[0][0] <= time.monotonic():
                    content = late.popleft()[1]
                    self.flows.wait()
                    target.sendall(content)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        with self.lock:
            self.pairs.discard((target, source) if is_answer else (source, target))

    def receive(self, source, late, is_answer):
        """Waits for more, or until what has come is due; whether there is more to wait for."""
        until = max(0, late[0][0] - time.monotonic()) if late else None
        if not select.select([source], [], [], until)[0]:
            return True
        content = source.recv(65536)
        if is_answer and self.edit:
            content = self.edit(content)
        elif not is_answer:
            self.sent += len(content)
        if content:
            late.append((time.monotonic() + (self.delay if is_answer else 0), content))
        return bool(content)
