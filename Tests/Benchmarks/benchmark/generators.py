"""The load generators in C: each opens its connections, warms up, and then waits to be told to start."""
import json
import select
import time

from .failure import Failure
from .load import MARK, Totals
from .processes import last_lines

READY = b"READY\n"
WARM_UP_SECONDS = 300


class Generator:
    """One load generator, from its start to its totals; leaving its `with` ends it."""

    def __init__(self, stage, program, processor=None, **settings):
        self.stage = stage
        self.name = program
        self.log = stage.folder / f"{program}.log"
        self.log.unlink(missing_ok=True)
        command = [stage.fixtures.program(program), *(f"{name}={value}" for name, value in settings.items())]
        self.process = stage.processes.start(
            command, stage.load_processor if processor is None else processor, self.log, piped=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stage.processes.stop(self.process)

    def line(self, seconds):
        """The next line that the generator prints."""
        end = time.monotonic() + seconds
        text = b""
        while not text.endswith(b"\n"):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Failure(f"{self.name} said nothing for {seconds:.0f} s")
            byte = self.process.stdout.read(1)
            if not byte:
                self.process.wait(5)
                raise Failure(f"{self.name} ended with status {self.process.returncode}:\n{last_lines(self.log)}")
            text += byte
        return text

    def wait_until_ready(self, seconds=WARM_UP_SECONDS):
        """Returns when every connection is open and the server is warm."""
        while self.line(seconds) != READY:
            pass

    def start(self):
        """Lets the load begin."""
        self.process.stdin.write(b"!")
        self.process.stdin.flush()

    def totals(self, seconds):
        """What the generator counted, when it has ended."""
        while not (line := self.line(seconds)).startswith(MARK.encode()):
            pass
        self.process.wait(10)
        return json.loads(line[len(MARK):])

    def run(self, seconds):
        """The whole load, in which nothing may go wrong."""
        self.start()
        return self.checked_totals(seconds)

    def checked_totals(self, seconds):
        """What a load that lasts so long counted, in which nothing may go wrong."""
        return checked(self.name, self.totals(seconds + 60))


def checked(name, read):
    """The totals of a run in which nothing went wrong."""
    wrong = [f"{count} {what}" for what, count in read["wrong"].items() if count]
    if wrong:
        raise Failure(f"{name} saw " + ", ".join(wrong))
    if not read["requests"]:
        raise Failure(f"{name} completed no request")
    return Totals(read["requests"], read["microseconds"] / 1e6, read["p50"] / 1e3, read["p99"] / 1e3, read)
