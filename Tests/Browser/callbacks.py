"""The way back from the server, taken twice, late, or without its cookie."""
from people import TRANSACTION, person, same


def test_the_back_button_after_a_login_leads_back_in(browser, stack):
    """CF-25: the server's page is still in the history, and answers once more for a login that is over."""
    with person(browser, stack) as alice:
        # A request that was pushed is good for one answer of the server; this client's is in the address.
        alice.enter("/plain/page?x=1")
        alice.page.go_back(wait_until="commit")
        alice.is_at_server()
        same(alice.sign_in(), ["continue"])
        same(alice.page.inner_text("#user"), "Alice Liddell")


def test_a_callback_that_is_loaded_again_shows_the_page(browser, stack):
    """CF-25: the code is not sent a second time, and nobody is told of an error."""
    with person(browser, stack) as alice:
        seen = []
        alice.page.on("request", lambda request: seen.append(request.url))
        alice.enter("/page?x=1")
        callback = [url for url in seen if "/callback/" in url]
        same(len(callback), 1)
        alice.page.goto(callback[0])
        same(alice.page.url, f"{stack.url}/page?x=1")
        same(alice.page.inner_text("#user"), "Alice Liddell")


def test_a_callback_that_is_clicked_twice_at_once_logs_in_once(browser, stack):
    """CF-25: both windows share one outcome."""
    with person(browser, stack) as alice:
        callback = held_callback(alice, "/page?x=1")
        alice.open("/open/")
        alice.page.evaluate("url => { window.open(url); window.open(url) }", callback)
        for tab in alice.tabs(2):
            tab.wait_for_selector("#user")
            same(tab.url, f"{stack.url}/page?x=1")
            same(tab.inner_text("#user"), "Alice Liddell")


def test_a_login_page_left_open_for_too_long_says_so_and_goes_on(browser, stack):
    """CF-03: by then the browser has dropped the login's cookie; one click begins another login."""
    with person(browser, stack) as alice:
        alice.open("/page?x=1")
        alice.is_at_server()
        same(len(alice.cookies(TRANSACTION)), 1)
        alice.forget(TRANSACTION)
        alice.sign_in_until(lambda page: alice.is_here(page) and page.locator("h1").count())
        same(alice.page.inner_text("h1"), "We could not match this sign-in to your browser")
        same(alice.cookies(), {}, "cookies of a login that failed")
        alice.page.click("a.button")
        alice.sign_in()
        same(alice.page.inner_text("#user"), "Alice Liddell")


def test_somebody_elses_callback_logs_nobody_in(browser, stack):
    """CF-03: an attacker's own answer of the server, in a link to the victim."""
    with person(browser, stack) as mallory, person(browser, stack) as alice:
        alice.page.goto(held_callback(mallory, "/"))
        same(alice.page.inner_text("h1"), "We could not match this sign-in to your browser")
        same(alice.cookies(), {})


def held_callback(someone, path):
    """Signs in at the server; the address that it then sends the browser to, which is not opened."""
    held = []

    def hold(route):
        # A redirect's target is not shown to those who hold requests: so the answer that leads there is held.
        held.append(route.fetch(max_redirects=0).headers["location"])
        route.fulfill(status=200, content_type="text/html", body="held")

    someone.context.route("**&g_continue", hold)
    someone.open(path)
    someone.sign_in_until(lambda _: held)
    someone.context.unroute("**&g_continue")
    return held[0]
