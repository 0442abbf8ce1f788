"""The end of a session: by its user, or by the server."""
from people import SESSION, confirm_logout, person, same
from tunnels import connect


def test_a_link_asks_and_a_click_logs_out_here_and_at_the_server(browser, stack):
    """LO-01, LO-03, LO-04, SC-10: and the next visit asks for the password."""
    with person(browser, stack, known=False) as alice:
        alice.enter("/")
        alice.open("/.portcullis/logout/web")
        same(alice.page.inner_text("h1"), "Do you want to sign out?")
        alice.page.click("a.button.second")
        alice.page.wait_for_selector("#user")
        alice.open("/.portcullis/logout/web")
        alice.page.click("button.button")
        alice.is_at_server()
        same(SESSION in alice.cookies(), False, "session after the click")
        confirm_logout(alice.page, alice.is_here)
        same(alice.enter("/"), ["password", "continue"])


def test_the_page_after_a_logout_is_for_everybody(browser, stack):
    """LO-04: nothing in the address leads anywhere."""
    with person(browser, stack) as alice:
        alice.open("/.portcullis/logged-out/web?state=forged&return_to=https://evil.example/")
        same(alice.page.inner_text("h1"), "You are signed out")
        alice.enter("/")
        alice.open("/.portcullis/logged-out/web")
        same(alice.page.inner_text("h1"), "Do you want to sign out?", "with a session")


def test_a_kept_cookie_is_worth_nothing_after_the_logout(browser, stack):
    """LO-10: sealed cookies need a memory of what has ended."""
    with person(browser, stack) as alice, person(browser, stack) as thief:
        alice.enter("/")
        kept = alice.cookies()
        alice.log_out_by_script()
        thief.context.add_cookies(list(kept.values()))
        thief.open("/")
        thief.is_at_server()


def test_a_logout_elsewhere_ends_the_sessions_of_other_browsers_and_their_websockets(browser, stack):
    """LO-05, LO-09: the server tells the gateway by its back channel."""
    with person(browser, stack, known=False) as alice, person(browser, stack) as abroad, person(browser, stack) as bystander:
        alice.enter("/strict/")
        abroad.bring_server_session(alice)
        same(abroad.enter("/"), ["continue"])
        bystander.enter("/")
        connect(abroad)
        connect(bystander)
        alice.open("/")
        alice.sign_in()
        alice.open("/.portcullis/logout/web")
        alice.page.click("button.button")
        confirm_logout(alice.page, alice.is_here)
        abroad.shows("#socket", "closed")
        same(abroad.fetch("/seen")["status"], 401, "the session of the same login at the server")
        same(bystander.page.inner_text("#socket"), "open")
        same(bystander.fetch("/seen")["status"], 200, "another session of the same user")
