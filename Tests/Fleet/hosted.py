"""Requests for a login that the server fetches from whichever gateway its connection comes to."""
import urllib.parse

from browser import ORIGIN, PREFIX, ask
from checks import becomes, eventually, needs_no_fault, same, unavailable
from fleet import fleet

BY_REFERENCE = ("authorization_request: signed_by_reference", "request_object: { key: { file: $FOLDER/client.pem } }")
KIND = "application/oauth-authz-req+jwt"
# How often the server may have one.
FETCHES = 5


@needs_no_fault
# holds SH-64
# refuses SH-64
def test_a_request_that_one_gateway_made_is_fetched_at_another_five_times_in_all_and_gone_with_the_callback(binary):
    """The browser goes to the server with nothing but its address; the login ends at the third of them."""
    with fleet(binary, client=BY_REFERENCE) as running:
        first, second, third = running.gateways
        for makes, gives, ends in ((first, second, third), (second, third, first)):
            login = Begun(running, makes)
            same(login.fetch(ends, "HEAD").status, 200, "a look")
            target = login.agree(gives)
            same(login.fetch(makes).status, 200, "the request, which the server may read again")
            same(login.browser.ask(ends, target).status, 303, "a login's end")
            for gateway in running.gateways:
                same(login.browser.ask(gateway).status, 200, "its session")
                same(login.fetch(gateway).status, 404, "a request whose login is over")
        spent, other = Begun(running, first), Begun(running, first)
        target = spent.agree(second)
        for number in range(1, FETCHES):
            same(spent.fetch(running.gateways[number % 3]).status, 200, f"the request, after {number} times")
        for gateway in running.gateways:
            # Whoever only looks is told the same.
            for method in ("GET", "HEAD"):
                same(spent.fetch(gateway, method).status, 404, "a request that was fetched as often as it may be")
            same(ask(gateway, other.path[:-1] + ("A" if other.path[-1] != "A" else "Q")).status, 404, "an address of none")
        same(spent.browser.ask(third, target).status, 303, "a login's end")
        same(other.browser.ask(third, other.agree(second)).status, 303, "somebody else's")


# holds SH-64
# refuses SH-64, SH-21
def test_while_the_store_is_away_no_request_is_made_and_none_is_said_not_to_be_there(binary):
    """The server may ask again; a gateway that is cut off knows of none, not even of its own."""
    with fleet(binary, client=BY_REFERENCE) as running:
        _, second, third = running.gateways
        login, waiting = Begun(running, third), running.browser()
        third.relay.cut()
        eventually(lambda: third.reading("portcullis_store_up") == 0, "down")
        unavailable(login.fetch(third), "a request")
        unavailable(login.fetch(third, "HEAD"), "a look")
        unavailable(begin(waiting, third), "a login")
        same(waiting.cookies, {}, "cookies of a login that has not begun")
        same(login.fetch(second).status, 200, "the request at another gateway")
        third.relay.heal()
        becomes(lambda: login.fetch(third), 200, "the request")
        same(login.browser.ask(second, login.agree(third)).status, 303, "a login's end")
        becomes(lambda: begin(waiting, third), 303, "a login")


def begin(browser, gateway):
    """The answer to whoever wants to sign in."""
    return browser.ask(gateway, f"{PREFIX}/login/web?return_to=/app/a")


class Begun:
    """A login that began at a gateway, and the path at which the server finds what is asked of it."""

    def __init__(self, running, gateway):
        self.browser = running.browser()
        answer = begin(self.browser, gateway)
        same(answer.status, 303, "a login")
        self.location = answer.field("location")
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.location).query))
        same(sorted(query), ["client_id", "request_uri"], "what the browser brings to the server")
        self.path = query["request_uri"].removeprefix(ORIGIN)

    def fetch(self, gateway, method="GET"):
        """The answer to the server."""
        answer = ask(gateway, self.path, method=method)
        if answer.status == 200:
            same(answer.field("content-type"), KIND, "its kind")
        return answer

    def agree(self, gateway):
        """The callback's target, of a server that fetches the request at this gateway."""
        fetched = []

        def fetch(address):
            same(address, ORIGIN + self.path, "the address")
            fetched.append(self.fetch(gateway))
            same(fetched[0].status, 200, "the request")
            return fetched[0].content
        return self.browser.issuer.authorize(self.location, fetch=fetch).removeprefix(ORIGIN)
