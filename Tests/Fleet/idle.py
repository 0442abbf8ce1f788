"""Sessions that are used now and then, and one that is not: what keeps them, and how often the store hears of it."""
import re
import time

from browser import name_of
from checks import blames_nobody, eventually, note, same, unavailable, waits
from faults import fault
from fleet import fleet
from pipeline import at_once

# The least that may be said.
IDLE_SECONDS = 60
# A use is noted each third of that; what was noted last counts.
USED_EACH_SECONDS = 10
MORE_SECONDS = 11
TABS, TAB_SECONDS, NOTED_SECONDS = 20, 2, 60
# Half an hour as by default, less what the last note may be old: had there been none while the store was full, it were a minute.
LEAST_LEFT_SECONDS = 30 * 60 - 20


@waits
# holds SH-23
# refuses SH-23
def test_a_session_that_is_used_at_one_gateway_and_another_in_turn_lives_and_one_that_is_not_is_over_in_time(binary):
    """The one is over a minute after it was begun, give or take a second, and the other lives for longer than that."""
    with fleet(binary, session=f"store: shared, idle: {IDLE_SECONDS}s", recheck="1s") as running:
        first, second, third = running.gateways
        began = time.monotonic()
        silent = running.browser().log_in(first)
        made = time.monotonic()
        used = running.browser().log_in(first)
        name = name_of(silent)
        same(running.store.ask("EXISTS", name), 1, "in the store")
        turn = 0

        def is_silent_over():
            nonlocal turn
            now = time.monotonic()
            if now - began > turn * USED_EACH_SECONDS:
                turn += 1
                same(use(used, (first, second)[turn % 2]), 200, "the session that is used")
            return not running.store.ask("EXISTS", name)
        eventually(is_silent_over, "over: the silent one", IDLE_SECONDS + 20)
        over = time.monotonic()
        assert IDLE_SECONDS - 1 < over - began and over - made < IDLE_SECONDS + 1.5, f"after {over - began:.1f} s"
        for gateway in running.gateways:
            same(silent.status(gateway), 401, "the silent one")
        eventually(lambda: time.monotonic() - over > MORE_SECONDS, "over: some more seconds")
        same(use(used, third), 200, "the session that is used")
        note(f"idle: a session of {IDLE_SECONDS} s was over after {over - began:.1f} s, and one that was used lives after "
             f"{time.monotonic() - began:.0f} s")


@fault
def use(browser, gateway):
    """The status of a request."""
    return browser.status(gateway)


@waits
# holds SH-24, SH-81
# refuses SH-24
def test_twenty_tabs_have_each_gateway_note_the_use_of_their_session_once_a_minute(binary):
    """Also while the store has no room for anything new. Of a session that was ended meanwhile nothing is made."""
    with fleet(binary) as running:
        browser, ended = running.browser().log_in(running.gateways[0]), running.browser().log_in(running.gateways[0])
        for gateway in running.gateways:
            for one in (browser, ended):
                same(one.ask(gateway).status, 200, "a session")
        listener, began = running.store.listen(), time.monotonic()
        program, turns = running.program(), 0
        is_full = False

        def is_time():
            nonlocal turns, is_full
            now = time.monotonic() - began
            if now > turns * TAB_SECONDS:
                turns += 1
                for gateway in running.gateways:
                    for answer in at_once([lambda one=gateway: browser.ask(one) for _ in range(TABS)]):
                        blames_nobody(answer)
                        same(answer.status, 200, "a tab")
            if now > NOTED_SECONDS / 2 and not is_full:
                running.store.fill()
                unavailable(program.prove(running.gateways[0]), "a proof")
                running.store.ask("UNLINK", name_of(ended))
                is_full = True
            return now > NOTED_SECONDS + 3 * TAB_SECONDS
        eventually(is_time, "over: a minute", NOTED_SECONDS + 30)
        name = name_of(browser)
        noted = [line for line in listener.lines()
                 if re.search(rb'"pexpire" "' + name, line, re.IGNORECASE) and b" lua] " not in line]
        assert len(running.gateways) <= len(noted) <= 2 * len(running.gateways), f"noted {len(noted)} times: {noted}"
        left = running.store.ask("PTTL", name) / 1000
        assert left > LEAST_LEFT_SECONDS, f"{left:.0f} s left: nothing was noted while the store was full"
        same([key for key in running.store.keys() if key.startswith(b"pc:s:")], [name], "sessions in the store")
        running.store.empty()
        note(f"idle: {turns * TABS * len(running.gateways)} requests of {TABS} tabs were noted {len(noted)} times by "
             f"{len(running.gateways)} gateways")
