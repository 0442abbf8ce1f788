"""Gateways whose clocks are not the store's: seconds ahead and seconds behind, as they may be."""
import contextlib
import shutil
import subprocess
import time
from pathlib import Path

from browser import back_channel
from checks import LeftOut, eventually, same, signs_out, waits
from faults import fault
from fleet import fleet

LIBRARY = Path(__file__).resolve().parent / "clock_offset.c"
# Less than the five seconds that a clock may be from the store's, each way.
AHEAD_SECONDS = 4
# How old a proof may be (`dpop.past`), and how far ahead of whoever reads it (`dpop.future`).
PAST_SECONDS, FUTURE_SECONDS = 60, 10
SKEW = "portcullis_store_clock_skew_seconds"


@contextlib.contextmanager
def apart(binary, **store):
    """Three gateways: one whose clock is ahead, one whose clock is behind, and one whose clock is right."""
    with fleet(binary, count=0, **store) as running:
        library = running.folder / "clock_offset.so"
        if not shutil.which("cc"):
            raise LeftOut("no compiler of C is installed")
        subprocess.run(["cc", "-std=c11", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", library, LIBRARY,
                        "-ldl"], check=True)
        for seconds in (AHEAD_SECONDS, -AHEAD_SECONDS, 0):
            gateway = running.add(**running.login(), **store)
            set_clock(gateway, library, seconds)
            gateway.start()
        for gateway, skew in zip(running.gateways, (AHEAD_SECONDS, -AHEAD_SECONDS, 0)):
            gateway.await_ready()
            eventually(lambda one=gateway, far=skew: abs(one.reading(SKEW) - far) < 1, "measured: the clock")
            same(gateway.ready()[0], 200, "ready")
        yield running


@fault
def set_clock(gateway, library, seconds):
    """It is so much ahead from the start."""
    gateway.environment = {"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(seconds)}


@waits
# holds SH-36, SH-55
# refuses SH-55
def test_gateways_whose_clocks_are_eight_seconds_apart_let_each_proof_through_once(binary):
    """One at the end of its time here is in the middle of it there; the store remembers it for both."""
    with apart(binary, recheck="0s") as running:
        ahead, behind, right = running.gateways
        program = running.program()
        for gateway in running.gateways:
            others = [one for one in running.gateways if one is not gateway]
            for age in (0, PAST_SECONDS - AHEAD_SECONDS - 2, AHEAD_SECONDS + 2 - FUTURE_SECONDS):
                proof = program.proof(age)
                eventually(lambda one=gateway, sent=proof: program.prove(one, sent).status == 200, "a proof")
                for other in others:
                    same(program.prove(other, proof).status, 401, f"of {gateway.number} at {other.number}, after {age} s")
        # The one that is ahead accepts what is in the future of the others, and they have it as used when its time comes.
        early = program.proof(-(AHEAD_SECONDS + FUTURE_SECONDS) + 1)
        same([program.prove(gateway, early).status for gateway in (behind, right)], [401, 401], "too early")
        same(program.prove(ahead, early).status, 200, "in time where the clock is ahead")
        came = time.monotonic()
        eventually(lambda: time.monotonic() - came > AHEAD_SECONDS + 1, "in time elsewhere")
        same(program.prove(right, early).status, 401, "used when it is in time elsewhere")
        eventually(lambda: time.monotonic() - came > 2 * AHEAD_SECONDS + 1, "in time everywhere")
        same(program.prove(behind, early).status, 401, "used when it is in time everywhere")


@waits
# holds SH-36, SH-30, SH-37, SH-41
def test_gateways_whose_clocks_are_eight_seconds_apart_sign_in_refresh_and_sign_out_as_one(binary):
    """Nothing of it goes by their clocks: a login begins at one and ends at another, and one of them asks for new tokens."""
    with apart(binary, recheck="0s") as running:
        issuer = running.issuer
        staying = running.browser().log_in(running.gateways[2])
        for place, gateway in enumerate(running.gateways):
            next_one = running.gateways[place - 1]
            browser = running.browser(seconds=1)
            same(browser.ask(next_one, browser.begin(gateway)).status, 303, "a login")
            before = len(issuer.refreshes)
            same([browser.ask(one).status for one in running.gateways], [200] * 3, "a session")
            eventually(lambda who=browser, one=gateway, count=before:
                       who.ask(one).status == 200 and len(issuer.refreshes) > count, "refreshed")
            same([browser.ask(one).status for one in running.gateways], [200] * 3, "a session with new tokens")
            same((len(issuer.refreshes), issuer.refused), (before + 1, []), "refreshes")
            signs_out(running.gateways, gateway, browser, staying)
            told = running.browser().log_in(gateway)
            same(back_channel(next_one, issuer.logout_token(issuer.sids[-1])).status, 200, "a logout token")
            for one in running.gateways:
                eventually(lambda at=one, who=told: who.status(at) == 401, "over at each of them: what the server ended")
