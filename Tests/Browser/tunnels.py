"""WebSockets of a session."""
from people import person, same


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
    attempt = """url => new Promise(done => { const socket = new WebSocket(url);
        socket.onopen = () => done("open"); socket.onclose = () => done("closed") })"""
    url = f"{stack.url.replace('https', 'wss')}/echo"
    with person(browser, stack) as alice:
        alice.open("/open/")
        alice.page.wait_for_selector("#user")
        same(alice.page.evaluate(attempt, url), "closed")
        alice.enter("/")
        same(alice.page.evaluate(attempt, url), "open")
        elsewhere = alice.context.new_page()
        elsewhere.goto(f"http://localhost:{stack.ports['app']}/")
        same(elsewhere.evaluate(attempt, url), "closed")
