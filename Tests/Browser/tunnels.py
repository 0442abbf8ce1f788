"""WebSockets of a session."""
from people import person, same

ATTEMPT = """url => new Promise(done => { const socket = new WebSocket(url);
    socket.onopen = () => done("open"); socket.onclose = () => done("closed") })"""


def connect(someone, page=None):
    """Opens the app's WebSocket and hears its echo."""
    (page or someone.page).wait_for_load_state()
    (page or someone.page).click("#say")
    someone.shows("#heard", "hello", page)
    same((page or someone.page).inner_text("#socket"), "open")


def test_a_logout_in_another_tab_ends_the_websocket(browser, stack):
    """LO-09: what was opened with the session ends with it."""
    with person(browser, stack) as alice:
        alice.enter("/")
        connect(alice)
        other = alice.context.new_page()
        alice.open("/", other)
        other.wait_for_selector("#user")
        same(alice.log_out_by_script(other)["status"], 200)
        alice.shows("#socket", "closed")


def test_a_websocket_without_a_session_is_refused(browser, stack):
    """HTTP-58: and none is opened from another origin's page, whatever cookie comes along."""
    url = f"{stack.url.replace('https', 'wss')}/echo"
    with person(browser, stack) as alice:
        alice.open("/open/")
        alice.page.wait_for_selector("#user")
        same(alice.page.evaluate(ATTEMPT, url), "closed")
        alice.enter("/")
        same(alice.page.evaluate(ATTEMPT, url), "open")
        elsewhere = alice.context.new_page()
        elsewhere.goto(f"http://localhost:{stack.ports['app']}/")
        same(elsewhere.evaluate(ATTEMPT, url), "closed")


# holds H2-37
def test_a_websocket_shares_the_connection_of_its_page_over_http_2(browser, stack):
    """H2-37: it is one stream more, and ends without the connection."""
    with person(browser, stack) as alice:
        alice.enter("/page-of-a-websocket")
        connect(alice)
        alice.page.evaluate("socket.close(1000)")
        alice.shows("#socket", "closed 1000")
        same(alice.fetch("/behind-a-websocket")["status"], 200)
        [page] = stack.lines_of("/page-of-a-websocket", status=200)
        [tunnel] = stack.lines_of("/echo", connection=page["connection"])
        [behind] = stack.lines_of("/behind-a-websocket")
        same(behind["connection"], page["connection"], "connections")
        same([tunnel["method"], tunnel.get("protocol")], ["GET", "h2"])
        assert page["stream"] < tunnel["stream"] < behind["stream"], (page, tunnel, behind)


# refuses H2-37
def test_a_route_without_websockets_opens_none_over_http_2(browser, stack):
    """H2-37: 405, though the connection announces them, and though there is a session."""
    with person(browser, stack) as alice:
        alice.enter("/")
        same(alice.page.evaluate(ATTEMPT, f"{stack.url.replace('https', 'wss')}/open/no-websocket"), "closed")
        [line] = stack.lines_of("/open/no-websocket")
        same([line["method"], line.get("protocol"), line["status"]], ["GET", "h2", 405])
