"""Two hosts of one gateway that are one client of the server's."""
import contextlib

from people import person, same

WIKI, CHAT = "__Host-portcullis-wiki", "__Host-portcullis-chat"


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


@contextlib.contextmanager
def both(browser, stack):
    """One browser with a window at each host."""
    with person(browser, stack, known=False, url=stack.house("wiki")) as wiki:
        chat = wiki.at(stack.house("chat"))
        yield wiki, chat
