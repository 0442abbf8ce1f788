"""Runs each `test_…` of the files beside this one, each with gateways and a store of its own; `run` is the way in."""
import argparse
import importlib
import queue
import signal
import sys
import threading
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
import checks  # noqa: E402
from checks import LeftOut  # noqa: E402
import faults  # noqa: E402
from known import KNOWN_FAILING  # noqa: E402

TOPICS = ["reports", "refreshes", "memory", "rights", "clusters", "failovers", "restarts", "hosted", "leavers", "streams",
          "partitions", "packets", "reloads", "certificates", "starts", "confidential", "moves", "once", "leases", "endings",
          "idle", "outages", "clocks", "rates", "pace", "engines"]
# For all of them, whatever hangs; a minute on a machine with nothing else to do, and some more with the long ones.
LIMIT_SECONDS, LONG_LIMIT_SECONDS = 300, 1800
SELF_CHECK_PATIENCE = 3
AT_ONCE = 3


def tests(words, are_long=True):
    """(topic, name, function) of each that was asked for, in order."""
    for topic in TOPICS:
        for name, function in vars(importlib.import_module(topic)).items():
            title = name.removeprefix("test_").replace("_", " ")
            if hasattr(function, "takes_long") and not are_long:
                continue
            if name.startswith("test_") and (not words or any(word in f"{topic} {title}" for word in words)):
                yield topic, title, function


def reason(error):
    """The line of it that says what was wrong."""
    lines = error.splitlines()
    return next((line for line in lines if line.startswith("AssertionError")), lines[-1])[:400]


class Results:
    """What has passed and failed, by whichever thread."""

    def __init__(self, fails):
        self.fails = fails
        self.passed = 0
        self.wrong = []
        self.known = []
        self.lock = threading.Lock()

    def run(self, topic, title, test, binary):
        """One test, and a line about it."""
        start, error = time.monotonic(), None
        try:
            test(binary)
        except LeftOut as words:
            with self.lock:
                print(f"LEFT OUT  {topic}: {title}: {words}", flush=True)
            return
        except Exception:  # pylint: disable=broad-exception-caught
            error = traceback.format_exc()
        took = f"({time.monotonic() - start:.1f} s)"
        with self.lock:
            if self.fails:
                self.judge_self_check(f"{topic}: {title}", error, took)
            elif error is None and title not in KNOWN_FAILING:
                self.passed += 1
                print(f"passed  {topic}: {title} {took}", flush=True)
            elif error is None:
                self.wrong.append(f"{topic}: {title}")
                print(f"FAILED  {topic}: {title} {took}: it passes, and is in the list of what fails", flush=True)
            elif title in KNOWN_FAILING:
                self.known.append(f"{topic}: {title}")
                print(f"KNOWN   {topic}: {title} {took}: {KNOWN_FAILING[title]}\n{reason(error)}", flush=True)
            else:
                self.wrong.append(f"{topic}: {title}")
                print(f"FAILED  {topic}: {title} {took}\n{error}", flush=True)

    def judge_self_check(self, title, error, took):
        """A test that passes without its fault sees nothing."""
        if error is None:
            self.wrong.append(title)
            print(f"BLIND   {title} {took}", flush=True)
        else:
            self.passed += 1
            print(f"sees    {title} {took}: {reason(error)[:200]}", flush=True)


def run_each(tests, results):
    """Those that nobody has begun yet."""
    while True:
        try:
            one = tests.get_nowait()
        except queue.Empty:
            return
        results.run(*one)


def main():
    """Status 0 only if there were tests and all passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--limit", type=int, metavar="SECONDS", help="for all of them")
    parser.add_argument("--long", action="store_true", help="those too that take minutes")
    parser.add_argument("--self-check", action="store_true", help="make no faults, and have each test that needs one fail")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    options.limit = options.limit or (LONG_LIMIT_SECONDS if options.long else LIMIT_SECONDS)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(1))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"not done within {options.limit} s"))
    signal.alarm(options.limit)
    if options.self_check:
        faults.MADE["enabled"] = False
        checks.PATIENCE["seconds"] = SELF_CHECK_PATIENCE
    began, results = time.monotonic(), Results(fails=options.self_check)
    unknown = set(KNOWN_FAILING) - {title for _, title, _ in tests([])}
    if unknown:
        sys.exit(f"known.py names no test: {sorted(unknown)}")
    wanted = [(topic, title, test, options.binary.resolve()) for topic, title, test in tests(options.words, options.long)
              if not (options.self_check and hasattr(test, "needs_no_fault"))]
    # Those that wait for a clock wait beside the others, of which several run at a time: all wait more than they work.
    waiting = [threading.Thread(target=results.run, args=one, daemon=True) for one in wanted if hasattr(one[2], "waits")]
    for thread in waiting:
        thread.start()
    together = queue.SimpleQueue()
    for one in wanted:
        if not hasattr(one[2], "waits") and not hasattr(one[2], "alone"):
            together.put(one)
    running = [threading.Thread(target=run_each, args=(together, results), daemon=True) for _ in range(AT_ONCE)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    for one in wanted:
        if hasattr(one[2], "alone"):
            results.run(*one)
    for thread in waiting:
        thread.join()
    for title in results.known:
        print(f"known to fail: {title}")
    for title in results.wrong:
        print(f"failed: {title}")
    known = f", {len(results.known)} known to fail" if results.known else ""
    print(f"fleet: {results.passed} passed, {len(results.wrong)} failed{known} ({time.monotonic() - began:.0f} s)")
    sys.exit(0 if results.passed and not results.wrong else 1)


if __name__ == "__main__":
    main()
