"""Which HTTP the browser speaks to the gateway, and that logins are the same by either."""
from apps import App, listening
from people import person, same
from tunnels import connect

PAGE = """<!doctype html><html lang="en"><title>Files</title><p>Signed in as <b id="user">{}</b>
<script src="/files/script.js"></script>"""
PROTOCOL_OF_PAGE = "performance.getEntriesByType('navigation')[0].nextHopProtocol"
PROTOCOL_OF_PART = "name => performance.getEntriesByName(new URL(name, location).href)[0].nextHopProtocol"


class Files(App):
    """A page with a script of its own."""

    def do_GET(self):  # pylint: disable=invalid-name
        """The script, or the page."""
        if self.path == "/files/script.js":
            self.answer(200, "text/javascript", b"window.has_run = true")
        else:
            self.answer(200, "text/html", PAGE.format(self.headers["X-User-Name"]).encode())


# holds H2-72
def test_a_login_and_all_that_its_page_loads_come_over_http_2(browser, stack):
    """The page behind the login, its script and what a script fetches; and by one connection."""
    with listening(stack.ports["files"], Files), person(browser, stack) as alice:
        alice.enter("/files/by-http-2")
        same(alice.page.inner_text("#user"), "Alice Liddell")
        same(alice.page.evaluate(PROTOCOL_OF_PAGE), "h2", "page")
        same(alice.page.evaluate("has_run"), True, "script")
        same(alice.page.evaluate(PROTOCOL_OF_PART, "/files/script.js"), "h2", "script")
        same(alice.fetch("/files/fetched")["status"], 200)
        same(alice.page.evaluate(PROTOCOL_OF_PART, "/files/fetched"), "h2", "fetch")
        # The page was asked for twice, without a session and with it.
        lines = [*stack.lines_of("/files/by-http-2", 2), *stack.lines_of("/files/fetched")]
        same([line.get("protocol") for line in lines], ["h2"] * 3)
        same(sorted(line["status"] for line in lines), [200, 200, 303])
        same(len({line["connection"] for line in lines}), 1, "connections")
        same(len({line["stream"] for line in lines}), 3, "streams")


def test_a_listener_without_http_2_gives_the_same_browser_http_1_1(browser, stack):
    """http2: false; the login, the page and the WebSocket are the same there."""
    with person(browser, stack, url=f"https://localhost:{stack.ports['http1']}") as alice:
        same(alice.enter("/by-http-1"), ["continue"])
        same(alice.page.inner_text("#user"), "Alice Liddell")
        same(alice.page.url, f"{alice.url}/by-http-1")
        same(alice.page.evaluate(PROTOCOL_OF_PAGE), "http/1.1", "page")
        same(alice.fetch("/by-http-1/fetched")["status"], 200)
        same(alice.page.evaluate(PROTOCOL_OF_PART, "/by-http-1/fetched"), "http/1.1", "fetch")
        connect(alice)
        lines = [*stack.lines_of("/by-http-1", 2), *stack.lines_of("/by-http-1/fetched")]
        same([line.get("protocol") for line in lines], [None] * 3)
        same(sorted(line["status"] for line in lines), [200, 200, 303])
