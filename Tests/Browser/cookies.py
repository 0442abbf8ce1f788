"""Cookies as the browser took them."""
from people import SESSION, TRANSACTION, person, same

EXPECTED = {"domain": "localhost", "path": "/", "secure": True, "httpOnly": True, "sameSite": "Lax"}


def test_cookies_belong_to_this_host_alone_and_no_script_sees_them(browser, stack):
    """SC-02, CF-06: host-only, https alone, out of scripts' reach, and gone with the browser or the login."""
    with person(browser, stack) as alice:
        alice.open("/")
        alice.is_at_server()
        [begun] = alice.cookies(TRANSACTION).values()
        same({name: begun[name] for name in EXPECTED}, EXPECTED)
        same(list(alice.cookies()), [begun["name"]])
        alice.sign_in()
        session = alice.cookies()[SESSION]
        same({name: session[name] for name in EXPECTED}, EXPECTED)
        same(session["expires"], -1, "the session's cookie ends with the browser")
        same(alice.page.evaluate("document.cookie"), "")


def test_another_sites_form_changes_nothing(browser, stack):
    """SC-09: another port is another origin, and yet the same site: the browser sends the cookie along."""
    with person(browser, stack) as alice:
        alice.enter("/")
        other = f"http://localhost:{stack.ports['app']}/"
        page = alice.context.new_page()
        page.goto(other)
        answers = []
        page.on("response", lambda answer: answers.append((answer.url, answer.status)))
        page.evaluate("""url => { const form = document.createElement("form"); form.method = "post"; form.action = url;
            const input = document.createElement("input"); input.name = "note"; input.value = "evil, not ours"; form.append(input);
            document.body.append(form); form.submit() }""", f"{stack.url}/notes")
        page.wait_for_url(f"{stack.url}/notes")
        same([status for url, status in answers if url == f"{stack.url}/notes"], [403])
        alice.open("/")
        alice.page.wait_for_selector("#notes", state="attached")
        assert "evil, not ours" not in alice.page.inner_text("body")
