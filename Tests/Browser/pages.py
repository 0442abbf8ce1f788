"""The gateway's own pages."""
import re
import urllib.parse

from accessibility import faults
from callbacks import held_callback
from people import SESSION, person, same

LOOKS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1100, "height": 800}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1100, "height": 800}},
    "phone": {"color_scheme": "light", "viewport": {"width": 320, "height": 640}},
}
# Address and heading of each that an address alone leads to.
PAGES = {
    "confirm-logout": ("/.portcullis/logout/web", "Do you want to sign out?"),
    "logged-out": ("/.portcullis/logged-out/web", "You are signed out"),
    "start-malformed": ("/.portcullis/login/web?return_to=/&return_to=/", "This sign-in link does not work"),
    "unknown": ("/.portcullis/callback/web?code=x&state=y", "We could not match this sign-in to your browser"),
    "response-malformed": ("/.portcullis/callback/web?code=x&code=y", "This sign-in could not be trusted"),
}


def test_pages_fit_their_window_and_break_none_of_their_rules(browser, stack):
    """CF-24: no page scrolls sideways, asks another host for anything, or is stopped by its own policy."""
    for look, options in LOOKS.items():
        with person(browser, stack, **options) as alice:
            said, asked = [], []
            alice.page.on("console", lambda message, said=said: said.append(message.text))
            alice.page.on("request", lambda request, asked=asked: asked.append(request.url))
            for name, (address, heading) in PAGES.items():
                alice.open(address)
                same(alice.page.inner_text("h1"), heading, name)
                fits(alice.page, f"{name}, {look}")
                picture(alice.page, stack, name, look)
            same([text for text in said if "Content Security Policy" in text], [])
            same([url for url in asked if not url.startswith(stack.url)], [])


def test_what_the_server_refuses_is_explained_and_can_be_tried_again(browser, stack):
    """CF-24: in words of ours, with the id that leads to the log, and a way back to where it began."""
    kinds = {"access_denied": "You were not signed in", "server_error": "Signing in is not possible right now"}
    for (error, heading), look in zip(kinds.items(), ("phone", "dark"), strict=True):
        with person(browser, stack, **LOOKS[look]) as alice:
            callback = urllib.parse.urlsplit(held_callback(alice, "/page?x=1"))
            given = urllib.parse.parse_qs(callback.query)
            answer = {"state": given["state"][0], "iss": given["iss"][0], "error": error,
                      "error_description": "<b>call +1 555 0100</b>"}
            alice.open(f"{callback.path}?{urllib.parse.urlencode(answer)}")
            same(alice.page.inner_text("h1"), heading)
            # Words that no request id, which is random digits and letters a to f, can have.
            page = alice.page.content()
            for word in ("call +1", "555 0100", "<b>", "&lt;b"):
                assert word not in page, (word, page)
            shows_ids(alice.page, error)
            fits(alice.page, error)
            picture(alice.page, stack, error, look)
            alice.page.click("a.button")
            alice.sign_in()
            same(alice.page.url, f"{stack.url}/page?x=1")


def test_a_browser_without_scripts_goes_on_by_hand(browser, stack):
    """The page that looks for a fragment leads on with a link, too."""
    with person(browser, stack, java_script_enabled=False, **LOOKS["light"]) as alice:
        alice.open("/page?x=1")
        alice.page.wait_for_selector("noscript p, p")
        picture(alice.page, stack, "keep-fragment", "light")
        alice.page.click("a.button")
        alice.sign_in()
        same(alice.page.url, f"{stack.url}/page?x=1")


def test_logging_in_over_and_over_ends_with_an_explanation(browser, stack):
    """CF-12: a browser that keeps no session goes round a few times, and not forever."""
    for look, options in LOOKS.items():
        if look != "light" and not stack.screenshots:
            continue
        with person(browser, stack, **options) as alice:
            for _ in range(10):
                alice.open("/")
                alice.sign_in_until(lambda page: alice.is_here(page) and (
                    alice.is_in_app(page) or page.locator("h1").filter(has_text="starting over").count() == 1))
                if not alice.is_in_app(alice.page):
                    break
                alice.forget(SESSION)
            same(alice.page.inner_text("h1"), "Signing in keeps starting over")
            fits(alice.page, look)
            same(alice.page.inner_text("a.button"), "Try once more")
            picture(alice.page, stack, "loop", look)


def shows_ids(page, what, has_id=True):
    """A refusal shows the ids of its request and of its decision, which lead to its lines of the log; no other page does."""
    ids = page.locator("code").all_inner_texts()
    if not has_id:
        same(ids, [], f"{what}: ids")
        return
    same(len(ids), 2, f"{what}: ids in {ids}")
    request, decision = ids
    assert re.fullmatch(r"[0-9a-f]{32}", request), f"{what}: request id {request}"
    assert re.fullmatch(rf"[1-9][0-9]*-{request[:16]}", decision), f"{what}: decision id {decision} of {request}"


def fits(page, what):
    """Everybody can use the page, and nothing of it is wider than the window."""
    same(faults(page), [], what)


def picture(page, stack, name, look):
    """For people to look at."""
    if stack.screenshots:
        page.screenshot(path=stack.screenshots / f"{name}-{look}.png", full_page=True)
