"""Forms that are sent after the session is over."""
from people import SESSION, person, same


def test_a_form_is_sent_again_after_the_login_that_it_came_too_late_for(browser, stack):
    """keep_form: what was typed is not lost, and arrives once."""
    note = "Grüße & 100 % = <b>?</b>"
    with person(browser, stack) as alice:
        alice.enter("/")
        alice.page.fill("input[name=note]", note)
        alice.forget(SESSION)
        alice.page.click("#form button")
        alice.is_at_server()
        same(alice.sign_in(), ["continue"])
        alice.shows("#notes li", note)
        same(alice.page.locator("#notes li").filter(has_text=note).count(), 1)
        same(alice.page.evaluate("sessionStorage.length"), 0, "what is left in the browser")


def test_a_form_of_a_page_without_referrer_is_one_of_ours(browser, stack):
    """SC-09: such a page's forms have the origin `null`, and yet the browser says that they are same-origin."""
    with person(browser, stack) as alice:
        alice.enter("/")
        alice.page.evaluate("""() => { const meta = document.createElement("meta"); meta.name = "referrer";
            meta.content = "no-referrer"; document.head.append(meta) }""")
        alice.page.fill("input[name=note]", "without referrer")
        alice.page.click("#form button")
        alice.shows("#notes li", "without referrer")
