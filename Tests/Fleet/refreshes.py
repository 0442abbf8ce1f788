"""A refresh whose gateway is killed in the middle, and one whose store is away when the new tokens come."""
import contextlib
import threading
import time

from checks import eventually, note, same, served_or_later, waits
from fleet import PATIENTLY, fleet

# What asking the server may take in all, and two seconds: as long as the right to ask is somebody's.
LEASE_SECONDS = 22


def begin(browser, gateway, stall):
    """Has a gateway begin a refresh that is held up at the server: whoever asks then waits for it, perhaps in vain."""
    def ask():
        with contextlib.suppress(OSError):
            while not stall.begun.is_set():
                browser.ask(gateway)
    threading.Thread(target=ask, daemon=True).start()
    eventually(stall.begun.is_set, "begun: the refresh")


@waits
# holds SH-31, SH-34
# refuses SH-31, SH-21
def test_a_gateway_that_is_killed_in_a_refresh_keeps_nobody_from_it_for_longer_than_its_lease(binary):
    """The server never saw one refresh token, and the sign-in lives; it took the other, which costs this sign-in and nothing else."""
    with fleet(binary, **PATIENTLY) as running:
        first, second, third = running.gateways
        issuer = running.issuer
        kept, spent = running.browser(seconds=1).log_in(first), running.browser(seconds=1).log_in(first)
        other = running.browser().log_in(second)
        lost, redeemed = issuer.stall(is_lost=True), issuer.stall()
        begin(kept, first, lost)
        begin(spent, first, redeemed)
        began = time.monotonic()
        # The server answers one of them, and nobody hears of it.
        first.relay.hold()
        redeemed.over.set()
        eventually(lambda: issuer.spent, "answered: the second refresh")
        first.kill()
        lost.over.set()

        def is_served(browser, gateways):
            for gateway in gateways:
                answer = browser.ask(gateway)
                served_or_later(answer, "whose refresh is somebody else's")
                if answer.status == 200:
                    return True
                same(other.ask(gateway).status, 200, "somebody else's session")
            return False
        eventually(lambda: is_served(kept, (second, third)), "served: a session whose holder died", LEASE_SECONDS + 20)
        took = time.monotonic() - began
        assert took > LEASE_SECONDS - 2, f"asked after {took:.1f} s, while the lease was somebody else's"
        for gateway in (second, third):
            same(kept.ask(gateway).status, 200, "the session that lives")
        same(issuer.refreshes[0], issuer.refreshes[2], "the refresh token that was used again")

        def is_over():
            answer = spent.ask(third)
            if answer.status not in (200, 401):
                served_or_later(answer, "whose tokens are lost")
            assert answer.status != 200, "a session without tokens is served"
            return answer.status == 401
        eventually(is_over, "over: the session whose tokens are lost", LEASE_SECONDS + 20)
        eventually(lambda: spent.status(second) == 401, "over at the other one too")
        same(len(issuer.refused), 1, "times that the server refused a refresh token")
        same(other.ask(third).status, 200, "somebody else's session")
        note(f"refreshes: another gateway asked {took:.1f} s after the one that was killed")


@waits
# holds SH-34
# refuses SH-34
def test_tokens_that_the_store_does_not_take_are_used_by_who_has_them_and_written_later(binary):
    """The server is asked once, and nobody uses the old token once there is a new one."""
    with fleet(binary, recheck="10m", **PATIENTLY) as running:
        first, second, third = running.gateways
        issuer = running.issuer
        browser = running.browser(seconds=1).log_in(first)
        stall = issuer.stall()
        begin(browser, first, stall)
        first.relay.cut()
        stall.over.set()
        eventually(lambda: browser.ask(first).status == 200, "served by the new token")
        new = running.app.credentials[-1]
        for gateway in (second, third):
            served_or_later(browser.ask(gateway), "a session whose refresh is somebody else's")
        same(running.app.credentials[-1], new, "the token that is used")
        same(first.reading("portcullis_store_up"), 0, "up")
        first.relay.heal()
        for gateway in (second, third):
            def is_served(one=gateway):
                answer = browser.ask(one)
                served_or_later(answer, "a session")
                return answer.status == 200
            eventually(is_served, "served by the others")
            same(running.app.credentials[-1], new, "the token at the others")
        same((len(issuer.refreshes), issuer.refused, issuer.revoked), (1, [], []), "what the server was asked")
