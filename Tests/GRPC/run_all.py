"""Runs each `test_…` of the files beside this one, all against one gateway; `run` is the way in."""
import argparse
import importlib
import signal
import sys
import threading
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
from stage import stage  # noqa: E402

TOPICS = ["lives", "silence", "calls", "refusals", "identity", "trailers", "protocols", "answers", "resets", "endings",
          "limits", "tunnels", "chains", "operation"]
# For all of them, whatever hangs; half a minute on a machine with nothing else to do.
LIMIT_SECONDS = 300


def tests(words):
    """(topic, name, function) of each that was asked for, in order."""
    for topic in TOPICS:
        for name, function in vars(importlib.import_module(topic)).items():
            title = name.removeprefix("test_").replace("_", " ")
            if name.startswith("test_") and (not words or any(word in f"{topic} {title}" for word in words)):
                yield topic, title, function


class Results:
    """What has passed and failed, by whichever thread."""

    def __init__(self):
        self.passed = 0
        self.failed = []
        self.lock = threading.Lock()

    def run(self, topic, title, test, running):
        """One test, and a line about it."""
        start = time.monotonic()
        try:
            test(running)
            if not running.is_alive():
                raise AssertionError("the gateway has ended")
            error = None
        except Exception:  # pylint: disable=broad-exception-caught
            error = traceback.format_exc()
        with self.lock:
            if error is None:
                self.passed += 1
                print(f"passed  {topic}: {title} ({time.monotonic() - start:.1f} s)", flush=True)
            else:
                self.failed.append(f"{topic}: {title}")
                print(f"FAILED  {topic}: {title}\n{error}", flush=True)


def main():
    """Status 0 only if there were tests and all passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=LIMIT_SECONDS, metavar="SECONDS", help="for all of them")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(1))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"not done within {options.limit} s"))
    signal.alarm(options.limit)
    began, results = time.monotonic(), Results()
    with stage(options.binary.resolve()) as running:
        # Those that wait for a clock wait beside the others.
        waiting = []
        for topic, title, test in tests(options.words):
            if hasattr(test, "waits"):
                waiting.append(threading.Thread(target=results.run, args=(topic, title, test, running), daemon=True))
                waiting[-1].start()
            else:
                results.run(topic, title, test, running)
        for thread in waiting:
            thread.join()
        if results.failed:
            print(running.last_words(), flush=True)
    for title in results.failed:
        print(f"failed: {title}")
    print(f"grpc: {results.passed} passed, {len(results.failed)} failed ({time.monotonic() - began:.0f} s)")
    sys.exit(0 if results.passed and not results.failed else 1)


if __name__ == "__main__":
    main()
