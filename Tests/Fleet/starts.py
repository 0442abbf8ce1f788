"""Gateways that start before their store is there, and what they say of themselves when it is gone."""
import contextlib
import threading
import time

from browser import NAVIGATION, ask
from checks import eventually, note, same, served_or_unavailable, unavailable, waits
from faults import fault
from fleet import fleet

# A start waits for the first contact with the store for as long as this at most.
START_SECONDS = 10
# Proofs of somebody else that have passed by the time at which the store forgets.
BEFORE = 60


@waits
# holds SH-11, SH-75
# refuses SH-11, SH-21, SH-74
def test_gateways_that_start_without_their_store_serve_what_needs_none_and_use_it_when_it_comes(binary):
    """No start waits for it; readiness does, for ten seconds, and longer where it is strict."""
    with fleet(binary, starts=False) as running:
        first, second, third = running.gateways
        strict = running.add(**running.login(), readiness="strict")
        strict.start()
        began = time.monotonic()
        strict.await_listening()
        program, waiting = running.program(), running.browser()
        same(ask(first, "/open/a").status, 200, "a public route")
        eventually(lambda: program.call(second).status == 200, "served: a token without a proof")
        status, said = third.ready()
        if time.monotonic() - began < START_SECONDS:
            same((status, said["store"]), (503, "down"), "ready at once")
        target = eventually(lambda: begun(waiting, second), "begun: a login")
        kept = dict(waiting.cookies)
        unknown = running.browser()
        unknown.cookies["__Host-portcullis-web"] = "A" * 64

        def is_ready():
            for gateway in (first, second, third, strict):
                unavailable(program.prove(gateway), "a proof")
                unavailable(waiting.ask(gateway, target), "a login")
                unavailable(unknown.ask(gateway), "a session")
            return all(gateway.ready()[0] == 200 for gateway in (first, second, third))
        eventually(is_ready, "ready without a store")
        took = time.monotonic() - began
        assert took > START_SECONDS - 2, f"ready after {took:.1f} s"
        same((strict.ready()[0], strict.ready()[1]["store"]), (503, "down"), "strict")
        same(first.page("/startupz")[0], 200, "started")
        same(waiting.cookies, kept, "cookies of whoever signs in")
        arrive(running)
        came = time.monotonic()
        eventually(lambda: waiting.ask(third, target).status == 303, "the same callback again")
        for gateway in (first, second, third, strict):
            def is_served(one=gateway):
                answer = waiting.ask(one)
                served_or_unavailable(answer, "a session")
                return answer.status == 200
            eventually(is_served, "served")
            eventually(lambda one=gateway: program.prove(one).status == 200, "a proof")
            eventually(lambda one=gateway: one.ready()[1]["store"] == "up", "up")
        eventually(lambda: strict.ready()[0] == 200, "ready where it is strict")
        note(f"starts: ready {took:.1f} s after the start, and all served {time.monotonic() - came:.1f} s after the store came")


def begun(browser, gateway):
    """A login's callback, where it can begin by now: the issuer was asked for its metadata."""
    try:
        return browser.begin(gateway)
    except AssertionError:
        return None


@fault
def arrive(running):
    """The store comes."""
    running.start_store()


# holds SH-11, SH-75
# refuses SH-11
def test_a_gateway_whose_store_is_gone_says_so_and_is_ready_all_the_same_but_where_that_is_strict(binary):
    """Else one store would take all replicas out of service at once, with the routes that need none."""
    with fleet(binary, recheck="1s") as running:
        strict = running.add(**running.login(), readiness="strict")
        strict.start()
        strict.await_ready()
        lenient = running.gateways[:3]
        for gateway in lenient:
            same((gateway.ready()[0], gateway.ready()[1]["store"]), (200, "up"), "before")
        running.store.lose()
        for gateway in lenient:
            eventually(lambda one=gateway: one.ready()[1]["store"] == "down", "down")
            same(gateway.ready()[0], 200, "ready")
        since = [gateway.ready()[1]["store_down_since"] for gateway in lenient]
        eventually(lambda: strict.ready()[0] == 503, "not ready where it is strict")
        same(ask(strict, "/open/a").status, 200, "a public route")
        same([gateway.ready()[1]["store_down_since"] for gateway in lenient], since, "the moment at which that began")
        running.start_store()
        for gateway in running.gateways:
            eventually(lambda one=gateway: (one.ready()[0], one.ready()[1]["store"]) == (200, "up"), "up again")
            same("store_down_since" in gateway.ready()[1], False, "the moment of an outage that is over")


# holds SH-76
# refuses SH-76, SH-61
def test_a_store_that_restarts_without_its_data_has_everybody_sign_in_and_lets_no_used_proof_through(binary):
    """Each connection looks whether it forgot before it asks about a proof."""
    forgotten(binary, restart, at_once=True)


# refuses SH-61
def test_a_store_that_is_emptied_has_everybody_sign_in_and_lets_no_used_proof_through_once_that_was_seen(binary):
    """On connections that stand a gateway looks each second."""
    forgotten(binary, lambda running: running.store.clear(), at_once=False)


def forgotten(binary, forget, at_once):
    """No error page for whoever was signed in; proofs wait until none can have been used before, whatever comes meanwhile."""
    with fleet(binary, recheck="0s") as running:
        first, second, third = running.gateways
        browser, program = running.browser().log_in(first), running.program()
        proofs = [program.proof() for _ in range(30)]
        for proof in proofs:
            same(program.prove(first, proof).status, 200, "a proof")
        unused = iter(proofs)
        with proving(running) as passed:
            eventually(lambda: len(passed) >= BEFORE, "let through at all of them")
            before = list(passed)
            forget(running)

            def is_told(gateway):
                if at_once and program.prove(gateway, next(unused, proofs[0])).status == 200:
                    raise AssertionError("a used proof passes")
                return gateway.lines("store_forgot") and gateway.reading("portcullis_store_forgot_total") >= 1
            for gateway in (second, third):
                eventually(lambda one=gateway: is_told(one), "told")
                unavailable(program.prove(gateway), "a proof, for a while")
                unavailable(program.prove(gateway, proofs[-1]), "a used proof")
        eventually(lambda: first.lines("store_forgot"), "told: the first one too")
        for gateway in running.gateways:
            for proof in before:
                assert program.prove(gateway, proof).status in (401, 503), "a proof passes that was used before the store forgot"
        former = dict(browser.cookies)
        for gateway in running.gateways:
            def is_over(one=gateway):
                answer = browser.ask(one, fields=NAVIGATION)
                browser.cookies = dict(former)
                assert answer.status in (303, 503), answer.status
                return answer.status == 303
            eventually(is_over, "sent to sign in")
        fresh = running.browser().log_in(second)
        for gateway in running.gateways:
            same(fresh.ask(gateway).status, 200, "a new session")


@contextlib.contextmanager
def proving(running):
    """Proofs at all gateways in turn, one after the other; those that have passed."""
    program, passed, is_over = running.program(), [], threading.Event()

    def run():
        while not is_over.wait(0.005):
            for gateway in running.gateways:
                proof = program.proof()
                if program.prove(gateway, proof).status == 200:
                    passed.append(proof)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield passed
    finally:
        is_over.set()
        thread.join()


@fault
def restart(running):
    """It ends, and another one begins in its place with nothing."""
    running.store.stop()
    running.start_store(epoch=None)
