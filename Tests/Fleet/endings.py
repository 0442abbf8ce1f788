"""Sessions that end without their browser's logout: by a new login, the server's word, without an index, and by their number."""
import time

from browser import Browser, back_channel
from checks import eventually, needs_no_fault, note, same, takes_long
from faults import fault
from fleet import fleet

SKIPPED = "portcullis_store_revocations_skipped_total"
# After which whoever has ended a session looks whether another one sees to its tokens.
LOOKS_SECONDS = 2
LOGINS, AT_MOST = 10_000, 1000


# holds SH-45
# refuses SH-45
def test_a_new_login_at_one_gateway_ends_the_session_that_it_replaces_at_all_of_them(binary):
    """Whoever has recorded the former cookie has nothing."""
    with fleet(binary, recheck="10m") as running:
        first, second, _ = running.gateways
        browser, staying = running.browser().log_in(first), running.browser().log_in(first)
        former = Browser(running.issuer, browser.seconds)
        former.cookies = dict(browser.cookies)
        for gateway in running.gateways:
            same(former.ask(gateway).status, 200, "before")
        # Of one second are logins of two tabs, none of which replaces the other.
        pass_second()
        replace(browser, second)
        assert browser.session != former.session, "the same cookie"
        for gateway in running.gateways:
            eventually(lambda one=gateway: former.status(one) == 401, "over at each of them: what was replaced")
            for one in (browser, staying):
                same(one.ask(gateway).status, 200, "the new one, and somebody else's")


def pass_second():
    """Waits until the clock says another one."""
    began = int(time.time())
    eventually(lambda: int(time.time()) > began, "over: a second")


@fault
def replace(browser, gateway):
    """Signs in anew."""
    browser.log_in(gateway)


# holds SH-46, SH-41, SH-42
# refuses SH-46, SH-42
def test_tokens_of_a_session_that_the_server_ends_are_given_back_once_by_who_has_it_open(binary):
    """The gateway that is told has never seen it, and both others have. Where nobody has, that is counted, and the others live."""
    with fleet(binary, recheck="10m") as running:
        first, second, third = running.gateways
        issuer = running.issuer
        told, orphaned, staying = (running.browser().log_in(first) for _ in range(3))
        refreshable = {sid: token for token, sid in issuer.refreshable.items()}
        for gateway in (first, second):
            same(told.ask(gateway).status, 200, "open at two of them")
        say(issuer, third, 0)
        eventually(lambda: issuer.revoked.count(refreshable[issuer.sids[0]]) == 1, "given back: its refresh token")
        for gateway in running.gateways:
            eventually(lambda one=gateway: told.status(one) == 401, "over at each of them")
        first.kill()
        since = time.monotonic()
        say(issuer, third, 1)
        eventually(lambda: third.reading(SKIPPED) == 1, "counted: tokens that nobody has")
        assert time.monotonic() - since > LOOKS_SECONDS - 1, "counted before anybody could see to them"
        same([issuer.revoked.count(refreshable[sid]) for sid in issuer.sids], [1, 0, 0], "refresh tokens that were given back")
        same([gateway.reading(SKIPPED) for gateway in (second, third)], [0, 1], "counted")
        for gateway in (second, third):
            same((orphaned.status(gateway), staying.ask(gateway).status), (401, 200), "the one that was ended, and another one")


@fault
def say(issuer, gateway, number):
    """The server says that the session of a login is over."""
    same(back_channel(gateway, issuer.logout_token(issuer.sids[number])).status, 200, "a logout token")


# holds SH-44, SH-41
# refuses SH-43, SH-44
def test_sessions_that_no_index_names_are_ended_by_the_servers_word_about_their_user(binary):
    """Somebody has taken the indexes away. The gateway that is told has seen none of them; whoever signs in afterwards is."""
    with fleet(binary, recheck="10m") as running:
        first, second, third = running.gateways
        browsers = [running.browser().log_in(gateway) for gateway in (first, second)]
        for browser in browsers:
            for gateway in (first, second):
                same(browser.ask(gateway).status, 200, "before")
        for key in running.store.keys():
            if key[:5] in (b"pc:u:", b"pc:i:"):
                running.store.ask("DEL", key)
        end_all(running, third)
        for browser in browsers:
            for gateway in running.gateways:
                eventually(lambda who=browser, one=gateway: who.status(one) == 401, "over at each of them")
        pass_second()
        fresh = running.browser().log_in(first)
        for gateway in running.gateways:
            same(fresh.ask(gateway).status, 200, "a login of afterwards")


@fault
def end_all(running, gateway):
    """The server says that the user is signed out."""
    same(back_channel(gateway, running.issuer.logout_token()).status, 200, "a logout token")


@needs_no_fault
@takes_long
# holds SH-43, SH-27
# refuses SH-43
def test_of_ten_thousand_logins_of_one_user_the_thousand_newest_live(binary):
    """At three gateways in turn; the index has no more, and the store no session that it does not name."""
    with fleet(binary) as running:
        began, browsers = time.monotonic(), []
        for number in range(LOGINS):
            browsers.append(running.browser().log_in(running.gateways[number % 3]))
            del browsers[:-AT_MOST - 100]
            if number % 1000 == 0:
                [index] = [key for key in running.store.keys() if key.startswith(b"pc:u:")]
                assert running.store.ask("ZCARD", index) <= AT_MOST, number
        note(f"endings: {LOGINS} logins in {time.monotonic() - began:.0f} s")
        same(running.store.ask("ZCARD", index), AT_MOST, "sessions of the user")
        for place in (100, 600, 1099):
            same([browsers[place].ask(gateway).status for gateway in running.gateways], [200] * 3, "one of the newest")
        for browser in browsers[:100:33]:
            same([browser.ask(gateway).status for gateway in running.gateways], [401] * 3, "one that gave way")
