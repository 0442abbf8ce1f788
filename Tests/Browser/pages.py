# SPDX-License-Identifier: Apache-2.0
"""The gateway's own pages."""
from people import SESSION, person, same

LOOKS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1100, "height": 800}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1100, "height": 800}},
    "phone": {"color_scheme": "light", "viewport": {"width": 360, "height": 740}},
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
            picture(alice.page, stack, "loop", look)


def fits(page, what):
    """Nothing is wider than the window."""
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    same(wide, 0, f"{what}: pixels beyond the window")


def picture(page, stack, name, look):
    """For people to look at."""
    if stack.screenshots:
        page.screenshot(path=stack.screenshots / f"{name}-{look}.png", full_page=True)
