"""Coming to a page without a session, and coming back."""
from people import SESSION, person, same


def test_first_visit_asks_for_a_password_and_the_second_for_nothing(browser, stack):
    """BASE-LOGIN: with the server's session, its page is all there is in between; with ours, not even that."""
    with person(browser, stack, known=False) as alice:
        same(alice.enter("/"), ["password", "continue"], "first visit")
        same(alice.page.inner_text("#user"), "Alice Liddell")
        same(alice.page.inner_text("#email"), "alice@example.org")
        alice.open("/again")
        same(alice.sign_in(), [], "with a session")
        alice.forget(SESSION)
        same(alice.enter("/later"), ["continue"], "second visit")
        same(alice.page.inner_text("#address"), "/later")


def test_a_deep_link_comes_back_with_query_and_fragment(browser, stack):
    """CF-09: the exact address, though no browser sends a fragment to anybody."""
    link = "/reports/2026?year=2026&name=%C3%A4%20b&empty=#part=2&row=%C3%A4?x"
    with person(browser, stack) as alice:
        alice.enter(link)
        same(alice.page.url, f"{stack.url}{link}")
        same(alice.page.inner_text("#address"), link.split("#")[0])
        same(alice.page.inner_text("#fragment"), "#part=2&row=%C3%A4?x")


def test_a_link_to_another_site_leads_home(browser, stack):
    """CF-09: nobody is sent to another site by an address of ours."""
    with person(browser, stack) as alice:
        alice.enter("/.portcullis/login/web?return_to=https%3A%2F%2Fevil.example%2F")
        same(alice.page.url, f"{stack.url}/")


def test_a_strict_session_survives_the_way_back(browser, stack):
    """SC-02: a page of ours after the callback, or the strict cookie would not be sent and the login begin again."""
    with person(browser, stack) as alice:
        alice.enter("/strict/page?a=1#end")
        same(alice.page.url, f"{stack.url}/strict/page?a=1#end")
        same(alice.cookies()["__Host-portcullis-strict"]["sameSite"], "Strict")
