"""People in front of browsers, and what they can see there."""
import contextlib
import copy
import sys
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "deploy"))
from glewlwyd.chromium import PATIENCE_SECONDS, chromium, confirm_logout, sign_in, somebody  # noqa: E402, F401
from playwright.sync_api import Error  # noqa: E402

SESSION = "__Host-portcullis-web"
TRANSACTION = "__Host-portcullis-login-"


class Person:
    """One browser profile with its first window, at a gateway.

    Somebody who is `known` to the server has signed in there before, and spends no time on its page: without its
    scripts, the address that its "Continue" leads to is opened at once.
    """

    def __init__(self, browser, stack, known=True, url=None, **options):
        self.stack = stack
        self.url = url or stack.url
        self.known = known
        self.context = somebody(browser, **options)
        if known:
            base = stack.server["base"]
            self.context.request.post(f"{base}/api/auth/", data=stack.user)
            self.context.route(f"{base}/**", documents_alone)
        self.page = self.context.new_page()

    def at(self, url):
        """The same person in another window, at another gateway or host."""
        other = copy.copy(self)
        other.url, other.page = url, self.context.new_page()
        return other

    def open(self, path, page=None):
        """Goes to an address of the gateway."""
        (page or self.page).goto(f"{self.url}{path}", wait_until="commit")

    def sign_in(self, page=None):
        """Does what the server's pages ask for, until the app is there; returns what was done."""
        return self.sign_in_until(self.is_in_app, page)

    def sign_in_until(self, is_there, page=None):
        """The same, until something else is so of the window."""
        page = page or self.page
        if not self.known:
            steps = sign_in(page, self.stack.user, is_there)
            page.wait_for_load_state()
            return steps
        steps, seen, deadline = [], set(), time.monotonic() + PATIENCE_SECONDS
        while not is_there(page):
            assert time.monotonic() < deadline, f"stuck at {page.url} after {steps}"
            address = page.url
            asked = urllib.parse.urlsplit(address)
            if asked.path == "/login.html":
                back = urllib.parse.parse_qs(asked.query)["callback_url"][0]
                # Once for each page, however long the browser takes to leave it.
                if address not in seen:
                    seen.add(address)
                    steps.append("continue")
                with contextlib.suppress(Error):  # led on to yet another page
                    page.goto(f"{back}&g_continue", wait_until="commit")
            page.wait_for_timeout(20)
        # Its script is the last of the app's page.
        page.wait_for_load_state()
        return steps

    def enter(self, path="/"):
        """Opens an address and signs in."""
        self.open(path)
        return self.sign_in()

    def is_in_app(self, page):
        """Whether the window shows the app."""
        return self.is_here(page) and page.locator("#user").count() == 1

    def is_here(self, page):
        """Whether the window shows anything of the gateway's origin, and not of the server's."""
        return page.url.startswith(f"{self.url}/")

    def is_at_server(self, page=None):
        """Whether the window shows the server's page, ready to be used."""
        (page or self.page).wait_for_url(f"{self.stack.server['base']}/login.html**", wait_until="commit")
        return True

    def tabs(self, count):
        """The windows beside the first, once there are that many."""
        while len(self.context.pages) <= count:
            self.context.wait_for_event("page")
        return [page for page in self.context.pages if page != self.page]

    def cookies(self, prefix=""):
        """Cookies for the gateway by name."""
        return {each["name"]: each for each in self.context.cookies(self.url) if each["name"].startswith(prefix)}

    def forget(self, prefix):
        """Loses cookies of the gateway, as browsers do when they are told to or when these are old."""
        for name in self.cookies(prefix):
            self.context.clear_cookies(name=name)

    def bring_server_session(self, other):
        """The same user at the server: what a second browser that shares the server's session has."""
        base = self.stack.server["base"]
        self.context.add_cookies([
            {key: each[key] for key in ("name", "value", "url", "httpOnly", "sameSite") if key in each}
            for each in ({**cookie, "url": base} for cookie in other.context.cookies(base))])

    def fetch(self, path, page=None, **options):
        """What a script of the page gets: status, content type and text."""
        return (page or self.page).evaluate(
            """async ([path, options]) => { const answer = await fetch(path, options);
               return {status: answer.status, type: answer.headers.get("content-type"), text: await answer.text()} }""",
            [path, options])

    def shows(self, selector, text, page=None):
        """Waits until an element has that text."""
        (page or self.page).locator(selector).filter(has_text=text).wait_for()

    def log_out_by_script(self, page=None, path="/.portcullis/logout/web"):
        """What a single-page app does to log out."""
        return self.fetch(path, page, method="POST", headers={"X-Requested-By": "app"})


@contextlib.contextmanager
def person(browser, stack, **options):
    """Somebody, for as long as needed."""
    one = Person(browser, stack, **options)
    try:
        yield one
    finally:
        one.context.close()


def documents_alone(route):
    """Lets pages through, and nothing that they load."""
    if route.request.resource_type == "document":
        route.continue_()
    else:
        route.abort()


def same(found, expected, what=""):
    """Both are equal, or the test fails and says what was found."""
    assert found == expected, f"{what}: found {found!r}, expected {expected!r}"
