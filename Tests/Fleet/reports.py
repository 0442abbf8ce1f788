"""What metrics and the log say of each fault, at the gateway that has it and at no other."""
import collections
import concurrent.futures
import contextlib
import os
import re
import time

from browser import COOKIE, name_of
from checks import eventually, same, unavailable, waits
from faults import fault
from fleet import QUICKLY, USER, fleet
from pipeline import Way, request
from signing import encoded

# What the documents name.
RECONNECTS, COMMANDS_TOTAL = "portcullis_store_reconnects_total", "portcullis_store_commands_total"
SKEW_SECONDS, UNREADY_SECONDS = 40, 30
# More than half of the five seconds that a command has, and so far from all of them that a machine that stands still fails no proof.
SLOW_SECONDS, SLOW_AT_ONCE = 2.6, 16
# Until a line is there that is written at once.
SAID_SECONDS = 5
# In all, and of them those of a store that is full.
FAILURES, FULL = 10_000, 1_000


@waits
# holds SH-87
def test_a_gateway_whose_store_is_slow_for_a_minute_names_it_once_and_the_others_do_not(binary):
    """Each answer takes more than half of the time that a command has, and is waited for."""
    with fleet(binary) as running:
        first, second, third = running.gateways
        program = running.program()
        third.relay.slow(SLOW_SECONDS)
        answer = program.prove(third)
        same(answer.status, 200, "a proof that waits")
        assert answer.seconds > SLOW_SECONDS, answer.seconds

        def is_said():
            for gateway in (first, second):
                same(program.prove(gateway).status, 200, "a proof at another gateway")
            # Of fewer than a hundred commands in the minute nothing is said.
            with concurrent.futures.ThreadPoolExecutor(SLOW_AT_ONCE) as pool:
                for answer in pool.map(program.prove, [third] * SLOW_AT_ONCE):
                    same(answer.status, 200, "a proof that waits")
            return third.lines("store_slow")
        [line] = eventually(is_said, "said: store_slow", 75)
        same((line["level"], line["address"]), ("warning", f"127.0.0.1:{third.relay.port}"), "the line")
        for gateway in (first, second):
            same(gateway.lines("store_slow"), [], "at the others")
        access = (third.folder / "access.log").read_text()
        waited = [int(found) for found in re.findall(r'"store_us":(\d+)', access)]
        assert max(waited) > SLOW_SECONDS * 1_000_000, waited


@waits
# refuses SH-36
def test_a_gateway_whose_clock_is_wrong_is_not_ready_and_says_so_and_the_others_are(binary):
    """By the time that the store says; not before half a minute is over, because a clock may be put right."""
    def later(content):
        return re.sub(rb"(?<=\*2\r\n\$10\r\n)\d{10}", lambda found: b"%d" % (int(found[0]) + SKEW_SECONDS), content)
    with fleet(binary) as running:
        first, second, third = running.gateways
        third.relay.alter(later)
        began = time.monotonic()

        def is_unready():
            for gateway in (first, second):
                same(gateway.ready()[0], 200, "ready: the others")
            return third.ready()[0] == 503
        eventually(is_unready, "not ready", UNREADY_SECONDS + 20)
        took = time.monotonic() - began
        assert took > UNREADY_SECONDS - 2, f"after {took:.1f} s"
        status, said = third.ready()
        assert "behind the store" in said["clock"], said
        third.says("store_clock_differs", level="error", found="behind the store")
        skew = third.reading("portcullis_store_clock_skew_seconds")
        assert -SKEW_SECONDS - 2 < skew < -SKEW_SECONDS + 2, skew
        third.relay.alter(None)
        eventually(lambda: third.ready()[0] == 200, "ready again")


# holds SH-86, SH-74
# refuses SH-86
def test_each_fault_of_the_way_to_the_store_moves_its_metrics_at_the_gateway_that_has_it(binary):
    """Cut, silent, full: each has its own words, and all is as before afterwards."""
    with fleet(binary, **QUICKLY) as running:
        first, second, third = running.gateways
        program = running.program()
        for gateway in running.gateways:
            eventually(lambda one=gateway: program.prove(one).status == 200, "a proof")

        def moved(gateway, name, before, **labels):
            return lambda: gateway.reading(name, **labels) > before
        others = [(gateway, gateway.reading(RECONNECTS)) for gateway in (first, second)]

        before = third.reading(RECONNECTS, reason="closed")
        third.relay.cut()
        eventually(moved(third, RECONNECTS, before, reason="closed"), "counted: closed")
        eventually(lambda: third.reading("portcullis_store_up") == 0, "down")
        unavailable(program.prove(third), "a proof")
        same(third.reading(COMMANDS_TOTAL, kind="proof", outcome="unavailable"), 1, "not asked")
        eventually(moved(third, "portcullis_store_endings_lag_seconds", 1), "late: the log of endings")
        third.relay.heal()
        eventually(lambda: third.reading("portcullis_store_up") == 1, "up")
        eventually(lambda: third.reading("portcullis_store_endings_lag_seconds") < 1, "read: the log of endings")

        before = third.reading(RECONNECTS, reason="silent")
        third.relay.hold()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(program.prove, third)
            eventually(moved(third, COMMANDS_TOTAL, 0, kind="proof", outcome="unanswered"), "counted: unanswered")
            unavailable(waiting.result(), "a proof")
        eventually(moved(third, RECONNECTS, before, reason="silent"), "counted: silent")
        third.says("store_lost", reason="closed")
        third.relay.heal()
        eventually(lambda: program.prove(third).status == 200, "a proof again")

        running.store.fill()
        unavailable(program.prove(third), "a proof")
        same(third.reading(COMMANDS_TOTAL, kind="proof", outcome="refused"), 1, "refused")
        same(third.reading("portcullis_store_up"), 1, "up")
        running.store.empty()
        for gateway, count in others:
            same(gateway.reading(RECONNECTS), count, "reconnects of the others")
            same(gateway.reading("portcullis_store_up"), 1, "up: the others")
            same(gateway.lines("store_lost"), [], "lost: the others")


# holds SH-87
# refuses SH-87, SH-21
def test_ten_thousand_failures_are_two_lines_of_a_kind_at_most(binary):
    """A store that is full, or refuses to say anything about sessions, fills no log beside its own."""
    with fleet(binary, count=0) as running:
        # By no relay, which would have the most to do.
        gateway = running.add(**running.login(), url=f"unix:{running.store.path}")
        gateway.start()
        gateway.await_ready()
        program = running.program()
        same(program.prove(gateway).status, 200, "a proof")
        running.store.fill()
        with contextlib.closing(Way(gateway)) as way:
            same(set(way.statuses([request("/bound/a", program.proof()) for _ in range(FULL)])), {503}, "proofs")
            running.store.forbid(USER, "hmget")
            sent = [request("/app/a", {"Cookie": f"{COOKIE}={encoded(os.urandom(48))}"}) for _ in range(FAILURES - FULL)]
            same(collections.Counter(way.statuses(sent)), {503: FAILURES - FULL}, "cookies that nobody knows")
        gateway.says("store_refused", setting="maxmemory")
        gateway.says("store_refused", setting="store.user")
        for setting in ("maxmemory", "store.user"):
            said = [line for line in gateway.lines("store_refused") if line["setting"] == setting]
            assert len(said) <= 2, said
        same(gateway.reading(COMMANDS_TOTAL, kind="proof", outcome="refused"), FULL, "refused")


# refuses SH-82, SH-53, SH-22
def test_what_somebody_else_writes_to_the_store_is_counted_and_signs_nobody_in(binary):
    """Another value in a session's place is none, and another type is an error; of both the operator hears."""
    with fleet(binary, recheck="0s") as running:
        first, second, third = running.gateways
        spoiled, typed, swapped = (running.browser().log_in(first) for _ in range(3))
        names = [key for key in running.store.keys() if key.startswith(b"pc:s:")]
        values = {key: running.store.ask("HGET", key, "v") for key in names}
        for browser in (spoiled, typed, swapped):
            same(browser.ask(first).status, 200, "before")
        rewrite(running.store, names, values)
        former = [dict(browser.cookies) for browser in (spoiled, typed, swapped)]
        for gateway in (second, third):
            # Of another type is one of them, and nobody can say whether there is a session.
            statuses = []
            for browser, cookies in zip((spoiled, typed, swapped), former):
                answer = browser.ask(gateway)
                browser.cookies = dict(cookies)
                statuses.append(answer.status)
                if answer.status == 503:
                    unavailable(answer, "a session of another type")
            same(sorted(statuses), [401, 401, 503], "statuses")
            same(gateway.reading("portcullis_store_tampered_total"), 2, "values that nobody wrote so")
            gateway.says("login_alarm", check="SH-53", level="error")
        third.says("store_refused", setting="store.prefix", found="WRONGTYPE")


# refuses SH-53
def test_a_value_that_nobody_wrote_so_is_told_in_the_minute_in_which_another_release_was_told_of(binary):
    """Who writes to the store could have the one hide the other."""
    with fleet(binary, count=2, recheck="0s") as running:
        first, second = running.gateways
        newer, spoiled = running.browser().log_in(first), running.browser().log_in(first)
        names = {browser: name_of(browser) for browser in (newer, spoiled)}
        values = {browser: running.store.ask("HGET", name, "v") for browser, name in names.items()}
        write(running.store, names[newer], bytes([99]) + values[newer][1:])
        unavailable(newer.ask(second), "a session of another release")
        second.says("login_alarm", check="SH-26")
        write(running.store, names[spoiled], values[spoiled][:-1] + bytes([values[spoiled][-1] ^ 1]))
        same(spoiled.status(second), 401, "a session that was changed")
        same(second.reading("portcullis_store_tampered_total"), 1, "values that nobody wrote so")
        second.says("login_alarm", SAID_SECONDS, check="SH-53")


@fault
def write(store, name, value):
    """A session has another value."""
    store.ask("HSET", name, "v", value)


@fault
def rewrite(store, names, values):
    """One of them has a bit changed, one is a text, and one another's."""
    spoiled = values[names[0]]
    store.ask("HSET", names[0], "v", spoiled[:-1] + bytes([spoiled[-1] ^ 1]))
    store.ask("DEL", names[1])
    store.ask("SET", names[1], "1", "EX", 600)
    store.ask("HSET", names[2], "v", values[names[1]])


# holds SH-10
# refuses SH-10
def test_a_store_that_may_throw_things_away_is_told_by_who_may_look(binary):
    """At each connection, where the user has +info."""
    with fleet(binary) as running:
        first = running.gateways[0]
        running.store.permit(USER, "info")
        evict(running.store)
        running.store.ask("CLIENT", "KILL", "USER", USER)
        for gateway in running.gateways:
            eventually(lambda one=gateway: one.reading("portcullis_store_evicting") == 1, "counted")
        first.says("store_unsuitable", level="warning", setting="maxmemory-policy")


@fault
def evict(store):
    """From now on it may."""
    store.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
