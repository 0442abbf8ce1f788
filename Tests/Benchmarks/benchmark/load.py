# SPDX-License-Identifier: Apache-2.0
"""The load generator: wrk with 64 connections on one thread."""
import dataclasses
import json
from pathlib import Path

from .exchange import FIELDS, PATH, authorization
from .failure import Failure
from .processes import tool
from .servers import PAYLOAD

CONNECTIONS = 64
SCRIPT = Path(__file__).with_name("load.lua")
MARK = "TOTALS "


@dataclasses.dataclass
class Totals:
    """What one run of wrk saw."""

    requests: int
    seconds: float
    p50_milliseconds: float
    p99_milliseconds: float


class Load:
    """Requests for a case: none, one or many tokens."""

    def __init__(self, stage, port, tokens):
        self.stage = stage
        self.port = port
        self.tokens = tokens
        self.output = stage.folder / "wrk.log"
        self.token_file = stage.folder / "tokens.txt"

    def run(self, seconds):
        """Loads the server for whole seconds; an answer that is not 200 is a failure."""
        command = [tool("wrk"), "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "10s", "-s", SCRIPT]
        environment = {}
        fields = FIELDS
        if len(self.tokens) > 1:
            self.token_file.write_text("".join(token + "\n" for token in self.tokens))
            environment["BENCHMARK_TOKENS"] = str(self.token_file)
        elif self.tokens:
            fields += authorization(self.tokens[0])
        for name, value in fields:
            command += ["-H", f"{name}: {value}"]
        command.append(f"http://127.0.0.1:{self.port}{PATH}")
        self.output.unlink(missing_ok=True)
        text = self.stage.processes.finish(
            command, self.stage.load_processor, self.output, seconds + 30, environment)
        return totals(text)


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
