"""Starts programs pinned to a CPU and ends every one of them by its process id."""
import contextlib
import ctypes
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from .failure import Failure

STOP_SECONDS = 30
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)
PACKAGES = {
    "nginx": "nginx-light", "haproxy": "haproxy", "wrk": "wrk", "h2load": "nghttp2-client", "cc": "gcc libc6-dev", "apache2": "apache2-bin libapache2-mod-oauth2",
    "swift": "(the Swift toolchain)", "valgrind": "valgrind",
    "redis-server": "redis-server",
}


def tool(name):
    """The path of a program on PATH or in Debian's folders for servers."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if not path:
        raise Failure(f"{name} is not installed: apt-get install {PACKAGES.get(name, name)}")
    return path


def two_processors():
    """The processor of the proxy, and the one shared by origin and load."""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        raise Failure("two processors are needed: one for the proxy, one for load and origin")
    return usable[0], usable[1]


def raise_file_limit():
    """Lets this process and its children open as many files as the system allows; returns that number."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def free_ports(count):
    """Ports that nobody listens on now, below those that the system gives to whoever asks for any.

    One of the latter would be somebody else's by chance before the program listens that is told of it.
    """
    ports = set()
    while len(ports) < count:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.SystemRandom().randrange(15_000, 30_000)))
            ports.add(probe.getsockname()[1])
    return list(ports)


def session(leader):
    """The living processes of a session: the program that was started, and what it started."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == leader and fields[0] != "Z":
                found.append(int(entry))
    return found


def last_lines(path, count=8):
    """The end of a log, for a message."""
    try:
        lines = Path(path).read_text(errors="replace").strip().splitlines()
    except OSError:
        return "(no output)"
    return "\n".join("    " + line for line in lines[-count:]) or "(no output)"


def end_with_parent():
    """Runs in a child: should this script be killed outright, its children end too."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Processes:
    """Everything this run has started and not yet ended; leaving its `with` ends it."""

    def __init__(self):
        self.running = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # A second Ctrl-C must not leave anything running.
        for number in ENDING_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        for process in reversed(self.running[:]):
            self.stop(process)

    def start(self, command, processor, log, environment=None, piped=False):
        """Starts a program pinned to one processor, or some, in a session of its own.

        What it writes goes to a file; `piped`, its standard input and output are the caller's.
        """
        def before_exec():
            os.sched_setaffinity(0, {processor} if isinstance(processor, int) else processor)
            end_with_parent()

        with open(log, "ab") as output:
            # The session also keeps Ctrl-C to this script, which then ends the others in order.
            process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped else output, stderr=output, start_new_session=True,
                # Unbuffered: who waits for a line by select() must not have it read ahead.
                bufsize=0, preexec_fn=before_exec, env={**os.environ, **(environment or {})})
        self.running.append(process)
        return process

    def finish(self, command, processor, log, seconds, environment=None):
        """Runs a program to its end and returns what it wrote."""
        process = self.start(command, processor, log, environment)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"{command[0]} did not end within {seconds:.0f} s") from None
        finally:
            self.stop(process)
        if code:
            raise Failure(f"{command[0]} ended with status {code}:\n{last_lines(log)}")
        return Path(log).read_text(errors="replace")

    def stop(self, process):
        """Ends one program and what it started, each by its process id."""
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                print(f"{process.args[0]} did not end on SIGTERM and is killed", file=sys.stderr)
                process.kill()
                process.wait(STOP_SECONDS)
        end = time.monotonic() + 1
        while (left := session(process.pid)) and time.monotonic() < end:
            time.sleep(0.01)
        for member in left:
            os.kill(member, signal.SIGKILL)
        for pipe in filter(None, (process.stdin, process.stdout)):
            pipe.close()
        if process in self.running:
            self.running.remove(process)


def asleep(process):
    """Whether no thread of it has anything to do that it could do on a processor of its own."""
    for status in Path(f"/proc/{process}/task").glob("*/stat"):
        try:
            if status.read_text(errors="replace").rpartition(")")[2].split()[0] in "RD":
                return False
        except OSError:
            continue  # It has ended meanwhile.
    return True


def ended_in_order(main):
    """Runs a script so that a signal ends it through its `with` statements; returns the exit status."""
    def end(number, _frame):
        raise SystemExit(128 + number)

    for number in ENDING_SIGNALS:
        signal.signal(number, end)
    return main()
