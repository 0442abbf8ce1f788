"""Two hosts of one gateway that are one client of the server's, or share a session."""
import contextlib

from people import person, same

WIKI, CHAT = "__Host-portcullis-wiki", "__Host-portcullis-chat"
OFFICE = "__Secure-portcullis-office"


# holds ECO-98
def test_who_has_signed_in_at_one_host_is_known_at_the_next(browser, stack):
    """ECO-98: nobody types a password twice, and each host has a cookie of its own.

    This server shows nothing to nobody without an old ID token: then the gateway comes by its page, which knows the user.
    """
    with both(browser, stack) as (wiki, chat):
        same("password" in wiki.enter("/page?a=1#end"), True, "at the first host")
        same(wiki.page.url, f"{wiki.url}/page?a=1#end")
        same("password" in chat.enter("/room#end"), False, "at the next host")
        same(chat.page.url, f"{chat.url}/room#end")
        same(chat.page.inner_text("#user"), "Alice Liddell")
        same(len(wiki.cookies(WIKI)), 1)
        same(len(chat.cookies(CHAT)), 1)
        same([*wiki.cookies(CHAT), *chat.cookies(WIKI)], [])


# holds ECO-98
def test_a_logout_at_one_host_is_one_at_the_next(browser, stack):
    """ECO-98: the session at the other host is over at once, though its cookie is there still."""
    with both(browser, stack) as (wiki, chat):
        wiki.enter("/")
        chat.enter("/")
        same(chat.fetch("/room")["status"], 200)
        wiki.log_out_by_script(path="/.portcullis/logout/wiki")
        same(chat.fetch("/room")["status"], 401)
        chat.open("/room")
        chat.is_at_server()


# holds SC-16
def test_a_session_of_a_domain_is_one_at_both_hosts(browser, stack):
    """SC-16: the browser keeps the cookie of the domain, and the next host asks nobody."""
    with both(browser, stack, "mail", "desk") as (mail, desk):
        same("password" in mail.enter("/page?a=1#end"), True, "at the first host")
        desk.open("/room#end")
        same(desk.page.inner_text("#user"), "Alice Liddell")
        same(desk.page.url, f"{desk.url}/room#end")
        cookie = desk.cookies(OFFICE)[OFFICE]
        same((cookie["domain"], cookie["path"], cookie["secure"], cookie["httpOnly"]),
             (".portcullis.test", "/", True, True))


# holds SC-16
def test_a_logout_at_one_host_of_a_domain_deletes_the_cookie_of_both(browser, stack):
    """SC-16: who logs out at one host is nobody at the other, and no cookie is left."""
    with both(browser, stack, "mail", "desk") as (mail, desk):
        mail.enter("/")
        desk.open("/")
        same(desk.fetch("/room")["status"], 200)
        desk.log_out_by_script(path="/.portcullis/logout/office")
        same([*mail.cookies(OFFICE), *desk.cookies(OFFICE)], [])
        same(mail.fetch("/page")["status"], 401)


@contextlib.contextmanager
def both(browser, stack, first="wiki", second="chat"):
    """One browser with a window at each host."""
    with person(browser, stack, known=False, url=stack.house(first)) as one:
        other = one.at(stack.house(second))
        yield one, other
