"""The load generator: wrk with 64 connections on one thread."""
import dataclasses
import json
from pathlib import Path

from .exchange import FIELDS, PATH, bearer
from .failure import Failure
from .origins import PAYLOAD
from .processes import tool

CONNECTIONS = 64
SCRIPT = Path(__file__).with_name("load.lua")
MARK = "TOTALS "


@dataclasses.dataclass
class Totals:
    """What one run of a load generator saw."""

    requests: int
    seconds: float
    p50_milliseconds: float
    p99_milliseconds: float
    # All that a generator of our own counted.
    read: dict = dataclasses.field(default_factory=dict)


class Load:
    """Requests for a case: none, one or many tokens, or the fields given."""

    def __init__(self, stage, port, tokens, fields=None):
        self.fields = bearer(tokens[0] if tokens else None) if fields is None else fields
        self.stage = stage
        self.port = port
        self.tokens = tokens
        self.token_file = stage.folder / "tokens.txt"

    def run(self, seconds):
        """Loads the server for whole seconds."""
        if len(self.tokens) > 1:
            self.token_file.write_text("".join(token + "\n" for token in self.tokens))
            return loaded(self.stage, self.port, seconds, (), {"BENCHMARK_TOKENS": str(self.token_file)})
        return loaded(self.stage, self.port, seconds, self.fields, {})


def loaded(stage, port, seconds, credentials, environment):
    """Runs wrk; an answer that is not 200 is a failure."""
    command = [tool("wrk"), "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "10s", "-s", SCRIPT]
    for name, value in FIELDS + credentials:
        command += ["-H", f"{name}: {value}"]
    command.append(f"http://127.0.0.1:{port}{PATH}")
    output = stage.folder / "wrk.log"
    output.unlink(missing_ok=True)
    return totals(stage.processes.finish(command, stage.load_processor, output, seconds + 30, environment))


def totals(text):
    """Reads wrk's totals and refuses those of a run in which something went wrong."""
    line = next((line for line in text.splitlines() if line.startswith(MARK)), None)
    if line is None:
        raise Failure(f"wrk printed no totals: {text.strip()[-300:]}")
    read = json.loads(line[len(MARK):])
    wrong = [f"{count} {name}" for name, count in read["wrong"].items() if count]
    if wrong:
        raise Failure("wrk saw " + ", ".join(wrong))
    if not read["requests"]:
        raise Failure("wrk completed no request")
    # A redirect or an empty answer would not count as an error: the origin's text has to be in every answer.
    if read["bytes"] < read["requests"] * len(PAYLOAD):
        raise Failure("answers are shorter than the origin's")
    return Totals(read["requests"], read["microseconds"] / 1e6, read["p50"] / 1e3, read["p99"] / 1e3)
