"""Runs each `test_…` of the files beside this one; `run` is the way in."""
import argparse
import importlib
import os
import signal
import sys
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
import pods  # noqa: E402

TOPICS = ["schemas", "promises", "checks", "starts", "charts"]
# For all of them, whatever hangs; ten seconds on a machine with nothing else to do.
LIMIT_SECONDS = 300


def tests(words):
    """(topic, name, function) of each that was asked for, in order."""
    for topic in TOPICS:
        for name, function in vars(importlib.import_module(topic)).items():
            title = name.removeprefix("test_").replace("_", " ")
            if name.startswith("test_") and (not words or any(word in f"{topic} {title}" for word in words)):
                yield topic, title, function


def main():
    """Status 0 only if there were tests and all passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, help="the gateway; .build/debug/portcullis by default")
    parser.add_argument("--root", type=Path, help="an unpacked image, in place of a program")
    parser.add_argument("--folder", type=Path, required=True, help="an empty one that `run` removes")
    parser.add_argument("--limit", type=int, default=LIMIT_SECONDS, metavar="SECONDS", help="for all of them")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("only root can run containers as their users")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(1))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"not done within {options.limit} s"))
    signal.alarm(options.limit)
    began, passed, failed = time.monotonic(), 0, []
    # Roots of containers are in it, with what is mounted there: they are never removed, but gone with the file system.
    pods.mount("-t", "tmpfs", "-o", "mode=0755", "tmpfs", options.folder)
    image = pods.Image(options.binary, options.root, options.folder)
    for topic, title, test in tests(options.words):
        start = time.monotonic()
        try:
            test(image)
            passed += 1
            print(f"passed  {topic}: {title} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception:  # pylint: disable=broad-exception-caught
            failed.append(f"{topic}: {title}")
            print(f"FAILED  {topic}: {title}\n{traceback.format_exc()}", flush=True)
    print(f"kubernetes: {passed} passed, {len(failed)} failed ({time.monotonic() - began:.0f} s)")
    sys.exit(0 if passed and not failed else 1)


if __name__ == "__main__":
    main()
