"""A refresh that many gateways are asked for at once, and one for which the server takes its time."""
import contextlib
import re
import statistics
import threading
import time

from checks import eventually, needs_no_fault, note, same, served_or_later, takes_long, waits
from fleet import fleet
from pipeline import Way, at_once, request
from refreshes import begin

GATEWAYS, REQUESTS, COMMANDS, ROUNDS = 10, 100, 60, 5
MANY_GATEWAYS, SESSIONS = 8, 200
# Less than the server may take for an answer: ten.
ANSWER_SECONDS = 9
# Whoever waits for somebody else's refresh does so for as long, and asks again at intervals of no less than that.
WAIT_SECONDS, AGAIN_SECONDS = 5, 0.2
# Of tokens: so short that one is over at once, and so long that it is used at each gateway before.
TOKEN_SECONDS, KNOWN_SECONDS = 1, 5


def is_over(began, seconds=TOKEN_SECONDS):
    """Waits until a token that somebody got by then is good no more."""
    eventually(lambda: time.monotonic() - began > seconds + 0.2, "over: a token")


def target(browser):
    """The bytes of a request with its cookies."""
    return request("/app/a", {"Cookie": "; ".join(f"{name}={value}" for name, value in browser.cookies.items())})


@needs_no_fault
@waits
# holds SH-33, SH-30
# refuses SH-33
def test_a_hundred_requests_at_ten_gateways_are_one_refresh_and_sixty_commands_at_most(binary):
    """Whoever waits does not ask the store again and again: it hears of the end by the log. So it is of most of five sessions."""
    with fleet(binary, count=GATEWAYS, recheck="10m") as running, contextlib.ExitStack() as last:
        issuer = running.issuer
        browsers = [running.browser(KNOWN_SECONDS).log_in(running.gateways[0]) for _ in range(ROUNDS)]
        began = time.monotonic()
        for gateway in running.gateways:
            same([browser.ask(gateway).status for browser in browsers], [200] * ROUNDS, "known at each of them")
        same(issuer.refreshes, [], "refreshes before")
        ways = [Way(running.gateways[number % GATEWAYS]) for number in range(REQUESTS)]
        for way in ways:
            last.callback(way.close)
        is_over(began, KNOWN_SECONDS)
        counts = []
        for number, browser in enumerate(browsers, 1):
            known, listener, began = len(running.app.credentials), running.store.listen(), time.monotonic()
            for way in ways:
                way.send(target(browser))
            same({way.status() for way in ways}, {200}, "statuses")
            took = time.monotonic() - began
            same((len(issuer.refreshes), issuer.refused, issuer.revoked), (number, [], []), "what the server was asked")
            same(len(set(running.app.credentials[known:])), 1, "tokens at the app")
            # Of the session, and what could have ended it; what scripts do is no command. Where all of it takes longer, each
            # asks once more now and then.
            asked = [line for line in listener.lines() if re.search(rb'"pc:[sm]:', line) and b" lua] " not in line]
            counts.append(len(asked) - GATEWAYS * int(took / AGAIN_SECONDS))
        assert GATEWAYS < statistics.median(counts) <= COMMANDS, f"{counts} commands"
        note(f"leases: {counts} commands for {REQUESTS} requests at {GATEWAYS} gateways each")


@needs_no_fault
@waits
# holds SH-30, SH-33
# refuses SH-30
def test_a_server_that_takes_nine_seconds_is_asked_once_by_three_gateways(binary):
    """Who holds the lease holds it for as long as the server may take; others wait for five seconds, and say when to come again."""
    with fleet(binary) as running:
        first, second, third = running.gateways
        issuer = running.issuer
        browser = running.browser(TOKEN_SECONDS).log_in(first)
        stall = issuer.stall()
        begin(browser, first, stall)
        timer = threading.Timer(ANSWER_SECONDS, stall.over.set)
        timer.start()
        while not stall.over.is_set():
            for answer in at_once([lambda one=gateway: browser.ask(one) for gateway in (second, third)]):
                served_or_later(answer, "meanwhile")
                assert stall.over.is_set() or answer.seconds < WAIT_SECONDS + 1, f"waited for {answer.seconds:.1f} s"
        for gateway in running.gateways:
            eventually(lambda one=gateway: browser.ask(one).status == 200, "served")
        same((len(issuer.refreshes), issuer.refused), (1, []), "what the server was asked")


@needs_no_fault
@takes_long
# holds SH-30
# refuses SH-30
def test_eight_gateways_that_are_asked_for_two_hundred_sessions_refresh_each_of_them_once(binary):
    """Half of them in the one order, and half in the other."""
    with fleet(binary, count=MANY_GATEWAYS, recheck="10m") as running:
        issuer = running.issuer
        browsers = [running.browser(TOKEN_SECONDS).log_in(running.gateways[number % MANY_GATEWAYS]) for number in range(SESSIONS)]
        is_over(time.monotonic())
        sent = [target(browser) for browser in browsers]

        def sends(place):
            with contextlib.closing(Way(running.gateways[place])) as way:
                return way.statuses(sent if place % 2 else sent[::-1])
        began = time.monotonic()
        for statuses in at_once([lambda one=place: sends(one) for place in range(MANY_GATEWAYS)]):
            same(set(statuses), {200}, "statuses")
        note(f"leases: {len(issuer.refreshes)} refreshes in {time.monotonic() - began:.1f} s")
        same((len(issuer.refreshes), len(set(issuer.refreshes)), issuer.refused), (SESSIONS, SESSIONS, []), "refreshes")
