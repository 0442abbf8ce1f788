"""The load generator of the cases with HTTP/2: nghttp2's h2load on one thread, which speaks HTTP/1.1 over TLS too."""
import re
import time

from .exchange import FIELDS, PATH
from .failure import Failure
from .load import Totals
from .processes import tool

COUNTS = re.compile(r"requests: \d+ total, \d+ started, (\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout")
TRAFFIC = re.compile(r"traffic: \S+ \((\d+)\) total, .*? \((\d+)\) data")
MEAN = re.compile(r"time for request: +\S+ +\S+ +([\d.]+)(us|ms|s) ")
MILLISECONDS = {"us": 1e-3, "ms": 1.0, "s": 1e3}
# Nothing waits for h2load: windows are as large as they may be.
WINDOW_BITS = 30
# Seconds that a number of requests may take.
LONGEST = 60


class MultiplexedLoad:
    """So many connections, each with so many requests on their way at a time."""

    def __init__(self, stage, site, connections, streams, fields=FIELDS, path=PATH, body=None, expected=1, tolerated=0.0):
        scheme = "https" if site.tls else "http"
        self.stage = stage
        # What an answer has at least: a redirect or an empty one is not the origin's.
        self.expected = expected
        # The share of requests that may fail; they are not counted then.
        self.tolerated = tolerated
        self.command = [tool("h2load"), "-t1", f"-c{connections}", f"-m{streams}", f"-w{WINDOW_BITS}", f"-W{WINDOW_BITS}"]
        if not site.http2:
            self.command.append("--h1")
        for name, value in fields:
            self.command += ["-H", f"{name.lower()}: {value}"]
        if body:
            self.command += ["-d", body]
        self.command.append(f"{scheme}://127.0.0.1:{site.port}{path}")

    def run(self, seconds):
        """Loads the server for whole seconds, in which nothing may go wrong; what is unfinished at the end does not count."""
        return self.finish(f"-D{seconds}", seconds)

    def send(self, requests):
        """Sends so many requests, and waits for the last answer."""
        return self.finish(f"-n{requests}")

    def finish(self, length, seconds=None):
        output = self.stage.folder / "h2load.log"
        output.unlink(missing_ok=True)
        began = time.monotonic()
        text = self.stage.processes.finish(
            [self.command[0], length, *self.command[1:]], self.stage.load_processor, output, (seconds or LONGEST) + 30)
        seconds = seconds or time.monotonic() - began
        counts, traffic, mean = COUNTS.search(text), TRAFFIC.search(text), MEAN.search(text)
        if not (counts and traffic and mean):
            raise Failure(f"h2load printed no totals: {text.strip()[-300:]}")
        done, succeeded, failed, errored, late = (int(count) for count in counts.groups())
        if failed + errored + late + done - succeeded > done * self.tolerated:
            raise Failure(f"h2load saw {failed} failures, {errored} errors, {late} timeouts, and {done - succeeded} "
                          "answers that are none of success")
        if not succeeded:
            raise Failure("h2load completed no request")
        if int(traffic[2]) < succeeded * self.expected:
            raise Failure("answers are shorter than the origin's")
        milliseconds = float(mean[1]) * MILLISECONDS[mean[2]]
        return Totals(
            succeeded, seconds, milliseconds, 0, {"bytes": int(traffic[2]), "wire": int(traffic[1]) / succeeded})
