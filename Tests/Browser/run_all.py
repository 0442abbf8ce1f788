"""Runs each `test_…` of the files beside this one, all against one gateway; `run` is the way in."""
import argparse
import importlib
import signal
import sys
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
from people import chromium  # noqa: E402
from stack import stack  # noqa: E402

TOPICS = ["visits", "tabs", "callbacks", "scripts", "cookies", "hosts", "forms", "protocols", "authorities", "tunnels",
          "transfers", "calls", "logouts", "refusals", "pages", "status"]
# For all of them, whatever hangs; a minute on a machine with nothing else to do.
LIMIT_SECONDS = 1800


def tests(words, pages):
    """(topic, name, function) of each that was asked for, in order; those that need pages only where there are any."""
    for topic in TOPICS:
        for name, function in vars(importlib.import_module(topic)).items():
            title = name.removeprefix("test_").replace("_", " ")
            if name.startswith("test_") and (not words or any(word in f"{topic} {title}" for word in words)):
                if pages or not hasattr(function, "needs_pages"):
                    yield topic, title, function
                else:
                    print(f"left out {topic}: {title} (no --pages)", flush=True)


def main():
    """Status 0 only if there were tests and all passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--screenshots", type=Path, help="a folder for pictures of the gateway's own pages")
    parser.add_argument("--pages", type=Path, help="a folder that PageBookTests wrote every error page to")
    parser.add_argument("--limit", type=int, default=LIMIT_SECONDS, metavar="SECONDS", help="for all of them")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(1))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"not done within {options.limit} s"))
    signal.alarm(options.limit)
    began, passed, failed = time.monotonic(), 0, []
    with (stack(options.binary.resolve()) as running,
          chromium(options.chromium, *running.browser_arguments()) as browser):
        running.screenshots, running.pages = options.screenshots, options.pages
        for topic, title, test in tests(options.words, options.pages):
            start = time.monotonic()
            try:
                test(browser, running)
                passed += 1
                print(f"passed  {topic}: {title} ({time.monotonic() - start:.1f} s)", flush=True)
            except Exception:  # pylint: disable=broad-exception-caught
                failed.append(f"{topic}: {title}")
                print(f"FAILED  {topic}: {title}\n{traceback.format_exc()}", flush=True)
        if failed:
            print(running.last_words(), flush=True)
    print(f"browser: {passed} passed, {len(failed)} failed ({time.monotonic() - began:.0f} s)")
    sys.exit(0 if passed and not failed else 1)


if __name__ == "__main__":
    main()
