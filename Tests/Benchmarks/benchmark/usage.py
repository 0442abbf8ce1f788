"""What a program has used: processor time and memory."""
import dataclasses
import os
from pathlib import Path

from .processes import session

TICK = 1 / os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class ProcessorTime:
    """Seconds of processor time."""

    user: float
    system: float

    def since(self, earlier):
        """The difference to an earlier reading."""
        return ProcessorTime(self.user - earlier.user, self.system - earlier.system)

    @property
    def total(self):
        return self.user + self.system


@dataclasses.dataclass
class Memory:
    """Kilobytes, summed over a program's processes."""

    resident: int
    anonymous: int


def processor_time(leader):
    """What all threads of a program's processes have used so far, those that have ended included."""
    used = ProcessorTime(0, 0)
    for process in session(leader):
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        used.user += int(fields[11]) * TICK
        used.system += int(fields[12]) * TICK
    return used


def busy_seconds(processor):
    """How long a processor has been busy since boot, whoever used it."""
    for line in Path("/proc/stat").read_text().splitlines():
        fields = line.split()
        if fields[0] == f"cpu{processor}":
            user, nice, system, _idle, _waiting, hard, soft = (int(field) for field in fields[1:8])
            return (user + nice + system + hard + soft) * TICK
    return 0.0


def memory(leader):
    """What a program's processes hold in memory; a page shared by two processes counts in both."""
    total = Memory(0, 0)
    for process in session(leader):
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        for line in lines:
            name, _, value = line.partition(":")
            if name == "Rss":
                total.resident += int(value.split()[0])
            elif name == "Anonymous":
                total.anonymous += int(value.split()[0])
    return total


def forget_peak(leader):
    """Lets the greatest resident memory of a program's processes be what they hold now (proc(5), clear_refs)."""
    for process in session(leader):
        Path(f"/proc/{process}/clear_refs").write_text("5")


def peak_resident(leader):
    """The greatest resident memory of a program's processes since then, in kilobytes."""
    total = 0
    for process in session(leader):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                total += int(line.split()[1])
    return total


def open_files(leader):
    """The descriptors that a program's processes have open."""
    return sum(len(os.listdir(f"/proc/{process}/fd")) for process in session(leader))
