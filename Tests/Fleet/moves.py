"""Three gateways whose sessions move from cookies into the store, and from one format of what lies there to another, by reloads."""
from browser import COOKIE
from checks import becomes, eventually, needs_no_fault, note, same
from fleet import fleet
from refreshes import leave
from reloads import traffic

# As the documents say: each step is at all gateways before the next one begins.
STEPS = ["store: cookie, accept: [shared]", "store: shared, accept: [cookie]", "store: shared"]
SMALL = 64
# More than the second after which sessions are asked about.
OVER_SECONDS = 5


@needs_no_fault
# holds SH-28
# refuses SH-28
def test_a_fleet_goes_from_cookies_to_the_store_step_by_step_and_nobody_signs_in_again(binary):
    """While requests run at all of them. The old cookie of a session that has moved and ended is none at all of them then."""
    with fleet(binary, session="store: cookie", recheck="0s") as running:
        first, second, third = running.gateways
        busy, calm, leaving = (running.browser().log_in(gateway) for gateway in running.gateways)
        old = dict(leaving.cookies)
        with traffic(running, busy, lambda answer, what: same(answer.status, 200, what)):
            for step in STEPS:
                running.session = step
                for gateway in (third, first, second):
                    gateway.reload(**gateway.store)
                    for one in running.gateways:
                        for browser in (calm, leaving):
                            becomes(lambda who=browser, at=one: who.ask(at), 200, f"a session at {step}")
                for browser in (busy, calm, leaving):
                    names = [name for name in browser.cookies if name.startswith(COOKIE)]
                    is_small = (len(browser.session), names) == (SMALL, [COOKIE])
                    same(is_small, step != STEPS[0], f"in the store, at {step}")
                if step == STEPS[1]:
                    same(leaving.log_out(second).status, 200, "a logout")
                    leaving.cookies = dict(old)
                    for gateway in running.gateways:
                        eventually(lambda one=gateway: leaving.status(one) == 401, "over at each of them, with the old cookie too")
                    leaving = running.browser().log_in(first)
        same(running.issuer.redeemed, 4, "logins")
        same(len([key for key in running.store.keys() if key.startswith(b"pc:s:") and running.store.ask("HEXISTS", key, "v")]), 3,
             "sessions in the store")
        leaving.cookies = dict(old)
        for gateway in running.gateways:
            same(leaving.status(gateway), 401, "the old cookie, in the end")


# refuses SH-28, SH-37
def test_the_old_cookie_of_a_session_that_has_moved_and_ended_is_none_at_a_gateway_of_the_step_before(binary):
    """Which opens such cookies by itself, and hears of the ending as of any other."""
    with fleet(binary, count=2, session=STEPS[0], recheck="1s") as running:
        first, second = running.gateways
        browser, staying = running.browser().log_in(first), running.browser().log_in(first)
        old = dict(browser.cookies)
        running.session = STEPS[1]
        second.reload(**second.store)
        becomes(lambda: browser.ask(second), 200, "a session")
        same((browser.ask(first).status, len(browser.session)), (200, SMALL), "at the step before, with the new cookie")
        leave(browser, second)
        browser.cookies = dict(old)
        eventually(lambda: browser.status(first) == 401, "over at the step before, with the old cookie", OVER_SECONDS)
        same(staying.ask(first).status, 200, "somebody else's")


@needs_no_fault
# holds SH-26
def test_a_fleet_goes_from_one_format_to_the_next_gateway_by_gateway_and_nobody_notices(binary):
    """And back. What the one writes the others read, whichever they write."""
    with fleet(binary, recheck="0s", format=1) as running:
        browsers = [running.browser().log_in(gateway) for gateway in running.gateways]
        same(formats(running.store), [1], "formats")
        with traffic(running, browsers[0]):
            for number, expected in ((2, [1, 2]), (1, [1, 2])):
                for gateway in running.gateways:
                    gateway.reload(**{**gateway.store, "format": number})
                    browsers.append(running.browser().log_in(gateway))
                    for one in running.gateways:
                        for browser in browsers:
                            becomes(lambda who=browser, at=one: who.ask(at), 200, "a session")
                same(formats(running.store), expected, "formats")
        note(f"moves: {len(browsers)} sessions of two formats")


def formats(store):
    """In which sessions lie there."""
    values = [store.ask("HGET", key, "v") for key in store.keys() if key.startswith(b"pc:s:")]
    return sorted({value[0] for value in values if value})
