"""A refresh whose gateway is killed in the middle, and one whose store is away when the new tokens come."""
import concurrent.futures
import contextlib
import threading
import time

from checks import eventually, note, same, served_or_later, takes_long, waits
from faults import fault
from fleet import fleet

# What asking the server may take in all, and two seconds: as long as the right to ask is somebody's.
LEASE_SECONDS = 22
# Some seconds less.
AWAY_SECONDS = 17.5
# Of a server, and how long it may take until all is as before: no pause is longer, and one is for whoever looks.
FAILING_SECONDS, REFRESHED_SECONDS = 60, 15 + 1


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
    with fleet(binary) as running:
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
    with fleet(binary, recheck="10m") as running:
        first, second, third = running.gateways
        issuer = running.issuer
        browser = running.browser(seconds=1).log_in(first)
        stall = issuer.stall()
        begin(browser, first, stall)
        first.relay.cut()
        stall.over.set()
        new = eventually(lambda: renewed(running, browser, first), "served by the new token")
        # Each waits for five seconds at most for what another one is about.
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for answer in pool.map(browser.ask, (second, third)):
                served_or_later(answer, "a session whose refresh is somebody else's")
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


def renewed(running, browser, gateway):
    """With which token the app was asked, once that is one that a refresh brought."""
    served_or_later(browser.ask(gateway), "a session whose tokens are renewed")
    used = running.app.credentials[-1]
    return used if used.removeprefix("Bearer ") in running.issuer.renewed else None


@waits
# refuses SH-34
def test_tokens_that_are_held_are_written_before_another_gateway_comes_with_the_old_ones(binary):
    """The store is back for some seconds before the lease ends: that is enough, and no sign-in is lost."""
    with fleet(binary, recheck="10m") as running:
        first, second, third = running.gateways
        issuer = running.issuer
        browsers = [running.browser(seconds=1).log_in(first) for _ in range(3)]
        stalls = []
        for browser in browsers:
            stalls.append(issuer.stall())
            begin(browser, first, stalls[-1])
        began = time.monotonic()
        first.relay.cut()
        for stall in stalls:
            stall.over.set()
        for browser in browsers:
            eventually(lambda who=browser: renewed(running, who, first), "served by the new token")
        known = len(running.app.credentials)

        def is_time():
            for browser in browsers:
                same(browser.ask(first).status, 200, "whoever has the new tokens")
            return time.monotonic() - began > AWAY_SECONDS
        eventually(is_time, "over: the outage", AWAY_SECONDS + 5)
        old = [token for token in running.app.credentials[known:] if token.removeprefix("Bearer ") not in issuer.renewed]
        same(old, [], "old tokens behind the new ones")
        first.relay.heal()

        def is_served(browser, gateway):
            answer = browser.ask(gateway)
            if answer.status != 401:
                served_or_later(answer, "a session")
            assert answer.status != 401, f"signed out; the server refused {len(issuer.refused)} refresh tokens that were used before"
            return answer.status == 200
        for browser in browsers:
            for gateway in (second, third):
                eventually(lambda who=browser, one=gateway: is_served(who, one), "served by the others", 30)
        same((len(issuer.refreshes), issuer.refused, issuer.revoked), (3, [], []), "what the server was asked")


@waits
# holds SH-31
# refuses SH-32, SH-31
def test_a_gateway_that_stands_still_for_longer_than_its_lease_changes_nothing_when_it_goes_on(binary):
    """The server refuses it by then, because another one has asked; that is no word about the session."""
    with fleet(binary) as running:
        first, second, third = running.gateways
        issuer = running.issuer
        browser = running.browser(seconds=1).log_in(first)
        stall = issuer.stall()
        begin(browser, first, stall)
        began = time.monotonic()
        first.freeze()

        def is_served():
            for gateway in (second, third):
                answer = browser.ask(gateway)
                served_or_later(answer, "whose refresh is somebody else's")
                if answer.status == 200:
                    return True
            return False
        eventually(is_served, "served by another one", LEASE_SECONDS + 20)
        assert time.monotonic() - began > LEASE_SECONDS - 2, "asked while the lease was somebody else's"
        stall.over.set()
        eventually(lambda: issuer.refused, "refused: who comes late")
        new = running.app.credentials[-1]
        first.thaw()
        for gateway in (first, second, third):
            def is_used(one=gateway):
                answer = browser.ask(one)
                served_or_later(answer, "the session")
                return answer.status == 200
            eventually(is_used, "served by each of them")
            same(running.app.credentials[-1], new, "the token")
        same((len(issuer.refreshes), issuer.revoked), (2, []), "what the server was asked")


# holds SH-32
# refuses SH-32, SH-38
def test_a_logout_wins_over_a_refresh_that_is_under_way_elsewhere_and_its_tokens_are_given_back(binary):
    """The browser is signed out at all of them, whatever the server answers then."""
    with fleet(binary) as running:
        first, second, third = running.gateways
        issuer = running.issuer
        browser = running.browser(seconds=1).log_in(first)
        stall = issuer.stall()
        begin(browser, first, stall)
        former = dict(browser.cookies)
        leave(browser, second)
        browser.cookies = former
        stall.over.set()
        eventually(lambda: issuer.spent, "answered: the refresh")
        new = [token for token in issuer.refreshable]
        for gateway in (first, second, third):
            eventually(lambda one=gateway: browser.status(one) == 401, "over at each of them")
        eventually(lambda: set(new) & set(issuer.revoked), "given back: the new tokens")
        for gateway in (first, second, third):
            same(browser.ask(gateway).status, 401, "still over")


@fault
def leave(browser, gateway):
    """Signs out."""
    same(browser.log_out(gateway).status, 200, "a logout")


@waits
# holds SH-35
# refuses SH-35
def test_a_server_that_fails_for_a_minute_is_left_alone_by_all_gateways_for_the_same_pause(binary):
    """However many requests come, and wherever; then the session is refreshed, and lives."""
    is_left_alone(binary, 3)


@waits
@takes_long
# holds SH-35
# refuses SH-35
def test_a_server_that_fails_for_a_minute_is_left_alone_by_fifty_gateways_for_the_same_pause(binary):
    """As by three of them."""
    is_left_alone(binary, 50)


def is_left_alone(binary, count):
    """One gateway asks after each pause, and none before; that is so until the server answers."""
    with fleet(binary, count=count) as running:
        issuer = running.issuer
        browser = running.browser(seconds=1).log_in(running.gateways[0])
        issuer.fail()
        asked, began = 0, time.monotonic()

        def is_time():
            nonlocal asked
            for gateway in running.gateways:
                served_or_later(browser.ask(gateway), "a session whose tokens are over")
                asked += 1
            return time.monotonic() - began > FAILING_SECONDS
        eventually(is_time, "over: a minute", FAILING_SECONDS + 30)
        pauses = [later - earlier for earlier, later in zip(issuer.refreshed_at, issuer.refreshed_at[1:])]
        assert pauses and min(pauses) > 0.5 and asked > 10 * len(pauses), f"{asked} requests, and at the server after {pauses}"
        issuer.is_failing = False
        back = time.monotonic()
        for gateway in running.gateways:
            eventually(lambda one=gateway: browser.ask(one).status == 200, "served again", 30)
        took = time.monotonic() - back
        assert took < REFRESHED_SECONDS, f"refreshed {took:.1f} s after the server was back"
        note(f"refreshes: {asked} requests at {count} gateways, {len(pauses) + 1} at the server that failed, pauses of "
             f"{min(pauses):.1f} s to {max(pauses):.1f} s; served {took:.1f} s after it was back")
        same(len(issuer.spent), 1, "refreshes in the end")
