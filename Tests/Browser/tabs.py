"""Several windows of one browser, each on its own way through a login."""
from people import TRANSACTION, person, same

MANY = 20


def test_two_tabs_each_come_back_to_their_own_page(browser, stack):
    """CF-06: the second login does not take the first one's place."""
    with person(browser, stack, known=False) as alice:
        other = alice.context.new_page()
        alice.open("/first#a")
        alice.open("/second#b", other)
        alice.is_at_server()
        alice.is_at_server(other)
        alice.sign_in()
        alice.sign_in(other)
        same([alice.page.url, other.url], [f"{stack.url}/first#a", f"{stack.url}/second#b"])
        same(alice.cookies(TRANSACTION), {}, "transactions")


def test_twenty_tabs_at_once(browser, stack):
    """CF-07: a browser that opens its last windows again, after the session is over."""
    with person(browser, stack) as alice:
        # This client pushes nothing: the server answers pushes that overlap with 500.
        alice.open("/open/")
        alice.page.wait_for_selector("#user")
        alice.page.evaluate(
            f"for (let tab = 0; tab < {MANY}; tab++) window.open('/plain/' + tab + '?t=' + tab + '#f' + tab)")
        pages = alice.tabs(MANY)
        for page in pages:
            alice.is_at_server(page)
        same(len(alice.cookies(TRANSACTION)), MANY, "transactions")
        size = sum(len(name) + len(each["value"]) + 3 for name, each in alice.cookies().items())
        assert size <= 8 * 1024, f"the browser sends {size} bytes of cookies"
        for page in pages:
            alice.sign_in(page)
        expected = {f"{stack.url}/plain/{tab}?t={tab}#f{tab}" for tab in range(MANY)}
        same({page.url for page in pages}, expected)
        same(alice.cookies(TRANSACTION), {}, "transactions")
