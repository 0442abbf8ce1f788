"""Makes requests that two servers may read differently: whole ones by their grammar, changed in one or two places.

Everything comes from one seeded generator, so a seed names its requests. A mutation is a function that changes a draft;
its name is the class that the summary counts by.
"""
import random
from dataclasses import dataclass, field

from choosing import MUTATIONS
from chosen_routes import GUARDED, OPEN, WAYS
from edits import EDITS
from gateway import HOST
from readers import read_all
from recorder import mark, marks

HOST_BYTES = HOST.encode()


@dataclass
class Draft:
    """A request by its parts, all of which mutations may change."""
    marker: bytes
    method: bytes = b"GET"
    target: bytes = b"/"
    version: bytes = b"HTTP/1.1"
    # (name, what stands between, value, line end)
    fields: list = field(default_factory=list)
    line: bytes = b"%s %s %s\r\n"
    before: bytes = b""
    end: bytes = b"\r\n"
    framing: str = "none"
    body: bytes = b""
    # (size line, data, what ends it)
    chunks: list = field(default_factory=list)
    last: bytes = b"0\r\n\r\n"
    after: bytes = b""

    def add(self, name, value, between=b": ", end=b"\r\n", at=None):
        """Another field line."""
        self.fields.insert(len(self.fields) if at is None else at, (name, between, value, end))

    def drop(self, name):
        """Without these lines."""
        self.fields = [each for each in self.fields if each[0].lower() != name]

    def render(self):
        """Its bytes."""
        head = self.before + self.line % (self.method, self.target, self.version)
        head += b"".join(b"".join(each) for each in self.fields) + self.end
        if self.framing == "chunked":
            return head + b"".join(size + data + end for size, data, end in self.chunks) + self.last + self.after
        return head + self.body + self.after


@dataclass
class Request:
    """One that will be sent: its bytes and what was done to them."""
    data: bytes
    kinds: tuple
    marker: bytes


@dataclass
class Session:
    """What one client sends on one connection, and how it is cut."""
    number: int
    requests: list
    # Lengths of the writes; empty for one write. With `waits`, an answer is awaited for a moment after each.
    writes: list
    waits: bool
    name: str = ""
    # The client resets its connection behind the last write and takes no answer.
    vanishes: bool = False

    @property
    def data(self):
        """All bytes."""
        return b"".join(each.data for each in self.requests)

    @property
    def is_known_by_marks(self):
        """Whether what arrives of it can be told from what is nobody's, though no answer does: an edit can move a line with a
        mark behind the request that it was in."""
        whole, _, _ = read_all(self.data)
        return all(marks(each.target + each.body) for each in whole)

    def pieces(self):
        """The bytes, cut."""
        data, place = self.data, 0
        for length in self.writes or [len(data)]:
            yield data[place:place + length]
            place += length
        if place < len(data):
            yield data[place:]


class Generator:
    """Sessions without end."""

    def __init__(self, seed, token):
        self.random = random.Random(seed)
        self.token = token.encode()

    def session(self, number):
        """The next one."""
        choose = self.random
        count = choose.choice((1, 2, 2, 2, 3, 3, 4))
        # What is behind a refused request is seldom reached: the first ones are as they should be, mostly.
        requests = [self.request(number, index, index >= count - 2 or choose.random() < 0.2) for index in range(count)]
        total = sum(len(each.data) for each in requests)
        style = choose.random()
        waits, writes = False, []
        if style < 0.25:
            waits, writes = True, [len(each.data) for each in requests]
        elif style < 0.42:
            cuts = sorted({0, total, *(choose.randrange(total) for _ in range(choose.randint(1, 8)))})
            writes = [after - before for before, after in zip(cuts, cuts[1:])]
        elif style < 0.44 and total < 1500:
            writes = [1] * total
        session = Session(number, requests, writes, waits)
        session.vanishes = choose.random() < 0.03 and session.is_known_by_marks
        return session

    def request(self, number, index, may_be_odd):
        """A request; of those that may be odd a quarter is as it should be."""
        choose = self.random
        draft = self.draft(mark(number, index))
        kinds = []
        dice = choose.random() if may_be_odd else 0
        for _ in range(0 if dice < 0.25 else 1 if dice < 0.8 else 2):
            name, mutate = choose.choice(MUTATIONS)
            mutate(choose, draft)
            kinds.append(name)
        data = draft.render()
        if dice >= 0.9:
            name, edit = choose.choice(EDITS)
            data = edit(choose, data)
            kinds.append(name)
        return Request(data, tuple(kinds or ["as it should be"]), draft.marker)

    def draft(self, marker):
        """One that nothing is wrong with."""
        choose = self.random
        draft = Draft(marker)
        access = GUARDED if choose.random() < 0.4 else OPEN
        host, folder, method, chosen = choose.choice(WAYS[access]) if choose.random() < 0.5 else (
            HOST_BYTES, b"/t" if access == GUARDED else choose.choice((b"/p", b"/p", b"/p", b"/w")), None, ())
        # Most of what is guarded has the token, and a little of what is open.
        with_token = choose.random() < (0.85 if access == GUARDED else 0.1)
        draft.target = b"%s/%s/%s" % (folder, marker, choose.choice((b"length", b"length", b"length", b"chunked", b"close", b"early")))
        if choose.random() < 0.3:
            draft.target += choose.choice((b"?a=b", b"?", b"?%2e%2e/=%00", b"?q=a+b&c=/../", b"?//x"))
        draft.add(b"Host", host)
        draft.add(b"Mark", marker)
        for name, value in chosen:
            draft.add(name, value)
        if with_token:
            draft.add(b"Authorization", b"Bearer " + self.token)
        for _ in range(choose.randrange(3)):
            draft.add(*choose.choice(((b"Accept", b"*/*"), (b"User-Agent", b"tester"), (b"Cookie", b"a=1; b=2"),
                                      (b"X-Empty", b""), (b"X-High", b"\xc4\x8a\xe2\x80\xa8"), (b"X-Tab", b"a\tb"))))
        kind = choose.random()
        if kind < 0.4:
            draft.method = choose.choice((b"GET", b"GET", b"GET", b"HEAD", b"OPTIONS", b"DELETE"))
        else:
            draft.method = choose.choice((b"POST", b"POST", b"PUT", b"PATCH", b"PROPFIND", b"GET"))
            inner = b"GET /p/smuggled/%s HTTP/1.1\r\nHost: %s\r\nMark: %s\r\n" % (marker, HOST_BYTES, marker)
            content = marker + choose.choice((b"", b"x" * choose.randrange(60), inner + b"\r\n",
                                              b"0\r\n\r\n" + inner + b"X: ", b"y" * 20000))
            if kind < 0.7:
                draft.framing, draft.body = "length", content
                draft.add(b"Content-Length", b"%d" % len(content))
            else:
                draft.framing = "chunked"
                cut = choose.randrange(1, len(content))
                for piece in (content[:cut], content[cut:]):
                    draft.chunks.append((b"%x\r\n" % len(piece), piece, b"\r\n"))
                draft.add(b"Transfer-Encoding", b"chunked")
        draft.method = method or draft.method
        return draft
