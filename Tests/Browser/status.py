"""The status page of the admin listener."""
import re
import urllib.request

from accessibility import faults
from people import person, same
from playwright.sync_api import expect

LOOKS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 900}},
    "phone": {"color_scheme": "light", "viewport": {"width": 360, "height": 740}},
    "phone-dark": {"color_scheme": "dark", "viewport": {"width": 360, "height": 740}},
}


def address(stack):
    """Where the page is."""
    return f"http://127.0.0.1:{stack.ports['admin']}/"


def answer(stack):
    """The page as the gateway sends it, and its policy."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(address(stack), timeout=20) as response:
        return response.read().decode(), response.headers["Content-Security-Policy"]


def instead(context, stack, html, policy):
    """Shows this page at the listener's address, by the gateway's own policy."""
    headers = {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy}
    context.route(address(stack), lambda route: route.fulfill(status=200, body=html, headers=headers))


def looked_at(page, stack, name, look):
    """Everybody can use the page: as it comes, and with all that is folded."""
    if stack.screenshots:
        page.screenshot(path=stack.screenshots / f"status-{name}-{look}.png", full_page=True)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    same(faults(page), [], f"{name}, {look}")


# holds ECO-63
def test_the_page_of_a_gateway_that_runs_keeps_itself_new(browser, stack):
    """What happens is there without a reload; a pause holds, and a gateway that does not answer is told of."""
    with person(browser, stack, **LOOKS["light"]) as alice:
        said, asked = [], []
        alice.page.on("console", lambda message: said.append(message.text))
        alice.page.on("request", lambda request: asked.append(request.url))
        alice.page.goto(address(stack))
        same(alice.page.locator("#verdict h1").count(), 1)
        looked_at(alice.page, stack, "live", "light")
        title = alice.page.locator("#live").inner_text()
        # Somebody has no token, where one is wanted.
        status = alice.context.request.get(f"{stack.url}/programs/a?secret=in-a-query").status
        same(status, 401)
        # Not the row alone: the tests before may have brought one like it.
        expect(alice.page.locator("#live")).not_to_have_text(title, use_inner_text=True, timeout=30_000)
        row = alice.page.locator("#refused tr").filter(has_text="credentials_missing")
        row.filter(has_text="/programs/").wait_for(timeout=30_000)
        assert "in-a-query" not in alice.page.content()
        alice.page.click("text=Pause")
        alice.page.wait_for_selector("text=Go on")
        alice.context.route(address(stack), lambda route: route.abort())
        alice.page.click("text=Go on")
        alice.page.locator("#live").filter(has_text="No answer for").wait_for(timeout=30_000)
        alice.context.unroute(address(stack))
        alice.page.locator("#live").filter(has_text="As of").wait_for(timeout=30_000)
        same([text for text in said if "Failed to load resource" not in text], [])
        same([url for url in asked if url != address(stack) and not url.startswith("data:")], [])


# holds ECO-63
def test_the_page_is_whole_without_a_script(browser, stack):
    """Everything is in what the gateway sends, and a link looks again."""
    with person(browser, stack, java_script_enabled=False, **LOOKS["phone"]) as alice:
        alice.page.goto(address(stack))
        for section in ("verdict", "traffic", "refused", "last", "routes", "issuers", "upstreams", "certificates",
                        "logins", "process"):
            same(alice.page.locator(f"#{section}").count(), 1, section)
        alice.page.click("text=Look again")
        same(alice.page.url, address(stack))
        assert alice.page.locator("#routes tbody tr").count() > 3


# holds ECO-63
def test_every_look_of_good_and_bad_days_can_be_used(browser, stack):
    """Light, dark, and on a telephone; of a gateway in trouble, and of one with 200 routes."""
    _, policy = answer(stack)
    for file in sorted((stack.pages / "status").glob("*.html")):
        for look, options in LOOKS.items():
            with person(browser, stack, **options) as alice:
                said = []
                alice.page.on("console", lambda message, said=said: said.append(message.text))
                instead(alice.context, stack, file.read_text(), policy)
                alice.page.goto(address(stack))
                looked_at(alice.page, stack, file.stem, look)
                same(said, [], f"{file.stem}, {look}")


test_every_look_of_good_and_bad_days_can_be_used.needs_pages = True


# refuses ECO-63
def test_the_policy_lets_in_what_the_page_has_and_nothing_else(browser, stack):
    """Another script does not run, and nothing is loaded from anywhere."""
    page, policy = answer(stack)
    assert re.search(r"default-src 'none'.*script-src 'sha256-[^']+'; connect-src 'self'", policy), policy
    with person(browser, stack, **LOOKS["light"]) as alice:
        said = []
        alice.page.on("console", lambda message: said.append(message.text))
        evil = "<script>window.evil = 1</script><img src='http://127.0.0.1:9/a.png'><p style='color:red'>x</p>"
        instead(alice.context, stack, page.replace("<main>", f"<main>{evil}"), policy)
        alice.page.goto(address(stack))
        alice.page.wait_for_selector("text=Pause")
        same(alice.page.evaluate("window.evil === undefined"), True)
        assert sum("Content Security Policy" in text for text in said) >= 3, said
