"""Attacks on the proxy from outside: tests, each against a gateway of its own; `run` is the way in."""
import argparse
import asyncio
import contextlib
import importlib
import io
import random
import signal
import sys
from pathlib import Path

sys.dont_write_bytecode = True

TESTS = ("differential", "streams", "paths", "upstreams", "peers", "abuse")


def main():
    """Status 0 only if all that was asked for passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, help="the gateway; not needed for a self-check")
    parser.add_argument("--seconds", type=float, default=20, help="how long requests are generated")
    parser.add_argument("--seed", type=int, help="what they are generated from; another one each time by default")
    parser.add_argument("--self-check", action="store_true", help="a relay in place of the gateway, which must fail")
    parser.add_argument("tests", nargs="*", metavar="|".join(TESTS), help="all of them by default")
    options = parser.parse_args()
    if options.binary is None and not options.self_check:
        parser.error("--binary says what to test")
    if unknown := set(options.tests) - set(TESTS):
        parser.error(f"no such test: {', '.join(unknown)}")
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(1))
    failed = []
    for name in options.tests or TESTS:
        test = importlib.import_module(name)
        print(f"── {name}, seed {seed}", flush=True)
        if options.self_check:
            with contextlib.redirect_stdout(io.StringIO()):
                good = asyncio.run(test.self_check(seed))
            print(f"{name}: {'finds' if good else 'FAILED: finds no'} fault with a relay of bytes")
        else:
            good = asyncio.run(test.main(options.binary.resolve(), options.seconds, seed))
        if not good:
            failed.append(name)
    print(f"desync: {', '.join(failed) + ' FAILED' if failed else 'passed'} (seed {seed})")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
