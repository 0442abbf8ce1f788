"""What a gateway spends on a request: its instructions, counted, or its processor time."""
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from .failure import Failure
from .processes import tool

HERE = Path(__file__).resolve().parent.parent
LIBRARY = "instruction_counter.so"
ANSWER_SECONDS = 180


class Instructions:
    """Instructions of all threads outside of the kernel, as callgrind counts them: the same beside any other work."""

    unit, per_unit, digits = "instructions", 1, 0
    # The first batch finds caches that are cold.
    batch, batches = 2, 3
    # Nothing else is under way when so little is spent in such a time.
    pause, idle = 0.1, 30_000
    # The kernel's share of an exchange, odd or ordinary, which callgrind does not see; less than was measured. See README.md.
    elsewhere, drifts = 150_000, False

    def __init__(self, folder):
        self.log = folder / "valgrind.log"
        self.library = folder / LIBRARY
        self.told, self.place = 0, 0
        self.process = None
        built = subprocess.run(
            [tool("cc"), "-std=c11", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", self.library,
             HERE / "instruction_counter.c"], check=False)
        if built.returncode:
            raise Failure("the library that tells the counts does not compile: apt-get install valgrind")

    def command(self, command):
        return [tool("valgrind"), "--tool=callgrind", "--callgrind-out-file=/dev/null", "--vgdb=no",
                f"--log-file={self.log}", *command]

    def environment(self):
        return {"LD_PRELOAD": str(self.library)}

    def used(self):
        """Of the whole run so far."""
        self.told += 1
        mark, end, text = f"counted: {self.told}\n".encode(), time.monotonic() + ANSWER_SECONDS, b""
        os.kill(self.process, signal.SIGRTMIN + 4)
        with open(self.log, "rb") as log:
            log.seek(self.place)
            while mark not in (text := text + log.read()):
                if time.monotonic() > end:
                    raise Failure("callgrind does not tell its counts: a statically linked binary cannot be counted")
                time.sleep(0.0005)
            self.place = log.tell()
        return sum(int(count) for count in re.findall(rb"^events-\d+: (\d+)$", text, re.MULTILINE))


class ProcessorTime:
    """Nanoseconds of processor time of all threads, the kernel's share included (proc(5), schedstat)."""

    unit, per_unit, digits = "µs", 1e3, 1
    # The cheapest batch counts, because what else the machine does only adds.
    batch, batches = 6, 4
    pause, idle = 0.05, 50_000
    elsewhere, drifts = 0, True

    def __init__(self, _folder):
        self.process = None

    @staticmethod
    def command(command):
        return command

    @staticmethod
    def environment():
        return {}

    def used(self):
        total = 0
        for task in os.listdir(f"/proc/{self.process}/task"):
            try:
                total += int(Path(f"/proc/{self.process}/task/{task}/schedstat").read_text().split()[0])
            except OSError:
                continue
        return total
