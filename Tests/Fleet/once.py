"""What many send at once to three gateways, and what passes once: proofs, and the callback of a login."""
import collections
import contextlib
import time

from browser import Browser, Program
from checks import needs_no_fault, note, same, takes_long
from fleet import fleet
from pipeline import Way, at_once, request
from signing import Key

# Of one proof, and how many there are; each is sent by so many connections at the same moment.
TIMES, PROOFS = 100, 10
MANY_PROOFS = 10_000
LOGINS = 10
# The least that may be said of what a process remembers, what one proof takes of it, and how long that is.
MEMORY, ENTRY, GOES_SECONDS = 1 << 20, 24, 60
# Whoever is refused is answered at once.
SMALL_MEMORY = f"dpop: {{ replay_memory: {MEMORY}B }}\nlimits: {{ refusal_rate_per_client: 1000000 }}"


@needs_no_fault
# holds SH-55
# refuses SH-55
def test_of_a_hundred_equal_proofs_that_come_to_three_gateways_at_once_one_passes(binary):
    """Each on a connection of its own; and so it is with the next proof on the same connections."""
    with fleet(binary, workers=2) as running, contextlib.ExitStack() as last:
        program = running.program()
        ways = [Way(running.gateways[number % 3]) for number in range(TIMES)]
        for way in ways:
            last.callback(way.close)
        for number in range(PROOFS):
            sent = request("/bound/a", program.proof())
            # It is nobody's turn to be the first.
            turned = ways[number * 7:] + ways[:number * 7]
            for way in turned:
                way.send(sent)
            statuses = collections.Counter(way.status() for way in turned)
            same(dict(statuses), {200: 1, 401: TIMES - 1}, f"proof {number}")


@needs_no_fault
@takes_long
# holds SH-55
# refuses SH-55
def test_each_of_ten_thousand_proofs_passes_once_of_the_three_times_that_it_is_sent(binary):
    """To each gateway by a connection that begins elsewhere among them."""
    with fleet(binary, workers=2) as running:
        program = running.program()
        sent = [request("/bound/a", program.proof()) for _ in range(MANY_PROOFS)]

        def sends(place):
            begin, way = 7 * place, Way(running.gateways[place])
            with contextlib.closing(way):
                statuses = way.statuses(sent[begin:] + sent[:begin])
            return statuses[MANY_PROOFS - begin:] + statuses[:MANY_PROOFS - begin]
        found = at_once([lambda one=place: sends(one) for place in range(3)])
        kinds = collections.Counter(tuple(sorted(statuses)) for statuses in zip(*found))
        first = [statuses.count(200) for statuses in found]
        note(f"once: {MANY_PROOFS} proofs passed at gateways {first} times")
        same(dict(kinds), {(200, 401, 401): MANY_PROOFS}, "what became of proofs")


@needs_no_fault
@takes_long
# holds SH-65
# refuses SH-65
def test_one_client_has_the_store_remember_no_more_proofs_than_half_of_what_a_gateway_remembers(binary):
    """The rest are refused before the store is asked; another client's pass."""
    with fleet(binary, count=1, settings=SMALL_MEMORY) as running:
        gateway, program = running.gateways[0], running.program()
        other = Program(running.issuer, Key(running.folder / "other.pem"))
        sent = [request("/bound/a", program.proof()) for _ in range(MEMORY // ENTRY)]
        with contextlib.closing(Way(gateway)) as way:
            began = time.monotonic()
            statuses = collections.Counter(way.statuses(sent))
            took = time.monotonic() - began
        held = sum(key.startswith(b"pc:p:") for key in running.store.keys())
        note(f"once: {dict(statuses)} in {took:.1f} s, and {held} in the store")
        # Until the first of them may go, or nothing was shown.
        assert took < GOES_SECONDS, f"{took:.1f} s"
        assert 0 < held <= MEMORY // ENTRY // 2, held
        same(set(statuses), {200, 429}, "statuses")
        same(statuses[200], held, "proofs that passed")
        for _ in range(10):
            same(other.prove(gateway).status, 200, "another client's")


@needs_no_fault
# holds SH-63
# refuses SH-63
def test_a_callback_that_comes_to_two_gateways_at_once_has_one_of_them_ask_for_tokens(binary):
    """As of whoever clicks twice, and is signed in: neither is an error, and the server sees its code once."""
    with fleet(binary) as running:
        first, second, third = running.gateways
        for number in range(LOGINS):
            browser = running.browser()
            target = browser.begin(first)
            other = Browser(running.issuer, browser.seconds)
            other.cookies = dict(browser.cookies)
            found = at_once([lambda: browser.ask(second, target), lambda: other.ask(third, target)])
            same(running.issuer.redeemed, number + 1, "times that the server was asked for tokens")
            same([answer.status for answer in found], [303, 303], "callbacks")
            held = [one for one in (browser, other) if one.session]
            same(len(held), 1, "sessions")
            for gateway in running.gateways:
                same(held[0].ask(gateway).status, 200, "its session")
