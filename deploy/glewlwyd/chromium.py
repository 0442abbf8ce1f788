"""The part of a login that a user plays, in Chromium: clicks on the pages of the authorization server."""
import contextlib
import time

from playwright.sync_api import Error, sync_playwright

# Alone on this machine: no sandbox, which root cannot have, no proxy, nothing looked up or loaded in the background.
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-proxy-server", "--no-first-run",
             "--disable-background-networking", "--disable-component-update"]
PASSWORD, GRANT, CONTINUE = "#password", "#carouselBody button.btn-primary", "button.btn-success:not([disabled])"
SCOPES = "input.form-check-input[id^='grant-']"
LOG_OUT = "button.btn-danger"
PATIENCE_SECONDS = 120
GLANCE_MILLISECONDS = 20


@contextlib.contextmanager
def chromium(executable, *more):
    """A browser without a window; its contexts are people with cookies of their own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, headless=True, args=[*ARGUMENTS, *more])
        try:
            yield browser
        finally:
            browser.close()


def somebody(browser, **options):
    """A new person's browser, without cookies; it believes certificates that nobody vouches for."""
    context = browser.new_context(**{"ignore_https_errors": True, "locale": "en-US", **options})
    context.set_default_timeout(PATIENCE_SECONDS * 1000)
    return context


def sign_in(page, user, until):
    """Clicks through the server's pages until `until` says so of the page; returns what was done."""
    steps, seen, deadline = [], set(), time.monotonic() + PATIENCE_SECONDS
    while not until(page):
        if time.monotonic() > deadline:
            raise TimeoutError(f"stuck at {page.url} after {steps}")
        with contextlib.suppress(Error):  # the page went away under the click: look again
            address, step = page.url, click(page, user)
            # A page that takes its time to go away is clicked once more, and yet is one step.
            if step and (step, address) not in seen:
                seen.add((step, address))
                steps.append(step)
                continue
        # Playwright sees what the browser does only while it is asked something.
        page.wait_for_timeout(GLANCE_MILLISECONDS)
    return steps


def click(page, user):
    """One step on whichever of the server's pages this is; None when there is nothing to click."""
    if page.locator(PASSWORD).first.is_visible():
        if page.locator("#username").first.is_enabled():
            page.fill("#username", user["username"])
        page.fill(PASSWORD, user["password"])
        page.click("#loginbut")
        page.wait_for_selector(PASSWORD, state="hidden")
        return "password"
    if page.locator(SCOPES).first.is_visible():
        for box in page.locator(SCOPES).all():
            box.check()
        page.locator(GRANT).first.click()
        page.wait_for_selector("#carouselBody", state="hidden")
        return "grant"
    if page.locator(CONTINUE).first.is_visible():
        page.locator(CONTINUE).first.click(timeout=2000)
        return "continue"
    return None


def confirm_logout(page, until):
    """Clicks the server's "Log out" until `until` says that the browser has left its page.

    The page drops clicks until its list of sessions has come, so one click may not do.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not until(page):
        if time.monotonic() > deadline:
            raise TimeoutError(f"stuck at {page.url}")
        with contextlib.suppress(Error):
            if page.locator(LOG_OUT).first.is_visible():
                page.locator(LOG_OUT).first.click(timeout=1000)
        page.wait_for_timeout(100)
