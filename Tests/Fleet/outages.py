"""A store that is away for a minute, a gateway that hears nothing for as long, and a cluster that lacks one of its parts."""
import contextlib
import re
import time

from browser import COOKIE, NAVIGATION, OWN_PAGE, PREFIX, ask, back_channel
from checks import becomes, eventually, note, same, served_or_unavailable, unavailable, waits
from clusters import Node, signed_in
from faults import fault
from fleet import PASSWORD, USER, fleet
from restarts import keep_data
from streams import Socket

AWAY_SECONDS = 60
# As the documents say, and one for whoever looks.
BACK_SECONDS = 2 + 1
# Nobody waits for what is known to be down: the quickest of so many says so on any machine.
AT_ONCE_SECONDS, TIMES = 0.005, 50
RECHECK, LOGOUTS = 10, 100
LINKS_EACH, LINKS_SECONDS = 67, 3
SHARDS, SLOTS, MAPS_EACH_SECOND = 3, 16384, 2
# After which the others say that one is gone: whether they go on without it is seen then.
FAILED_MS = 2000


@waits
# holds SH-74, SH-75
# refuses SH-74, SH-75, SH-21
def test_after_a_minute_without_a_store_all_gateways_serve_within_two_seconds_and_nobody_has_to_ask_first(binary):
    """It was refused at once meanwhile, whatever took the store, and all else was served; the sessions are as before."""
    with fleet(binary, count=0, starts=False) as running:
        keep_data(running.store)
        running.store.start()
        for _ in range(3):
            running.add(**running.login(), recheck="1s", url=f"unix:{running.store.path}").start()
        for gateway in running.gateways:
            gateway.await_ready()
        first, second, third = running.gateways
        browser, waiting = running.browser().log_in(first), running.browser()
        for gateway in running.gateways:
            same(browser.ask(gateway).status, 200, "known at each of them")
        target = waiting.begin(second)
        end(running.store)
        gone_at = time.monotonic()
        for gateway in running.gateways:
            eventually(lambda one=gateway: is_refused(browser, one), "refused: a session")
            is_as_it_says(running, gateway, browser, (waiting, target))
        eventually(lambda: time.monotonic() - gone_at > AWAY_SECONDS, "over: a minute", AWAY_SECONDS + 20)
        for gateway in running.gateways:
            same((gateway.reading("portcullis_store_up"), gateway.ready()[1]["store"]), (0, "down"), "after a minute")
        running.store.start(epoch=None)
        came_at = time.monotonic()
        took = []
        for gateway in running.gateways:
            eventually(lambda one=gateway: one.reading("portcullis_store_up") == 1, "up: nobody has asked for anything")
            took.append(time.monotonic() - came_at)
        assert max(took) < BACK_SECONDS, f"up after {took} s"
        for gateway in running.gateways:
            same(browser.ask(gateway).status, 200, "the session, at once")
        same(waiting.ask(third, target).status, 303, "the login that had begun")
        note(f"outages: up {max(took):.2f} s after the store came back")


@fault
def end(store):
    """It ends as in a crash."""
    store.stop()


def is_refused(browser, gateway):
    """Whether a session is answered 503; it is served otherwise."""
    answer = browser.ask(gateway)
    served_or_unavailable(answer, "a session")
    return answer.status == 503


def is_as_it_says(running, gateway, browser, login):
    """The table of the documents, of all kinds of routes, while the store is known to be down."""
    program, unknown = running.program(), running.browser()
    unknown.cookies[COOKIE] = "A" * 64
    waiting, target = login
    socket = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
              "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", **OWN_PAGE}
    refused = {
        "a session": lambda: browser.ask(gateway), "that of a person": lambda: browser.ask(gateway, fields=NAVIGATION),
        "HEAD": lambda: browser.ask(gateway, method="HEAD"), "POST": lambda: browser.ask(gateway, fields=OWN_PAGE, method="POST"),
        "a WebSocket": lambda: browser.ask(gateway, "/live/socket", socket),
        "a cookie that nobody knows": lambda: unknown.ask(gateway),
        "a callback": lambda: waiting.ask(gateway, target), "a logout": lambda: browser.log_out(gateway),
        "a logout token": lambda: back_channel(gateway, running.issuer.logout_token("nobody")),
        "a proof": lambda: program.prove(gateway)}
    for what, request in refused.items():
        unavailable(request(), what)
    served = {
        "a public route": (200, lambda: ask(gateway, "/open/a")), "a token": (200, lambda: program.call(gateway)),
        "no token": (401, lambda: ask(gateway, "/api/a")), "no session": (401, lambda: ask(gateway, "/app/a")),
        "no route": (404, lambda: ask(gateway, "/none")),
        "a login's begin": (303, lambda: running.browser().ask(gateway, f"{PREFIX}/login/web?return_to=/app/a"))}
    for what, (status, request) in served.items():
        same(request().status, status, what)
    for what in ("a session", "a cookie that nobody knows", "a proof"):
        quickest = min(refused[what]().seconds for _ in range(TIMES))
        assert quickest < AT_ONCE_SECONDS, f"{what}: {1000 * quickest:.1f} ms"


@waits
# holds SH-40, SH-39
# refuses SH-40
def test_a_gateway_that_heard_nothing_for_a_minute_closes_what_is_over_of_a_hundred_within_recheck(binary):
    """It asks about all that is open there; somebody else's goes on, through all of it."""
    with fleet(binary, recheck=f"{RECHECK}s") as running, contextlib.ExitStack() as last:
        first, second, third = running.gateways
        browsers = [running.browser().log_in(first) for _ in range(LOGOUTS)]
        staying = last.enter_context(Socket(running.browser().log_in(second), third))
        opened = [last.enter_context(Socket(browser, third)) for browser in browsers]
        third.relay.cut()
        cut_at = time.monotonic()
        leave_all(browsers, (first, second))
        eventually(lambda: time.monotonic() - cut_at > AWAY_SECONDS, "over: a minute", AWAY_SECONDS + 20)
        staying.use()
        for one in opened:
            one.use()
        third.relay.heal()
        healed_at = time.monotonic()
        for one in opened:
            one.await_end()
        took = time.monotonic() - healed_at
        assert took < RECHECK, f"{took:.1f} s"
        staying.use()
        note(f"outages: {LOGOUTS} WebSockets were over {took:.2f} s after a minute without a word")


@fault
def leave_all(browsers, gateways):
    """Everybody signs out, at one gateway or the other."""
    for number, browser in enumerate(browsers):
        same(browser.log_out(gateways[number % 2]).status, 200, "a logout")


# holds SH-19, SH-75
def test_two_hundred_connections_are_back_within_three_seconds_after_the_store_was_started_anew(binary):
    """Each worker of three gateways has one."""
    with fleet(binary, workers=LINKS_EACH) as running:
        count = len(running.gateways) * LINKS_EACH
        eventually(lambda: links(running.store) >= count, "connected: all workers")
        for gateway in running.gateways:
            gateway.relay.cut()
        for gateway in running.gateways:
            eventually(lambda one=gateway: one.reading("portcullis_store_up") == 0, "down")
        eventually(lambda: links(running.store) == 0, "gone: all connections")
        for gateway in running.gateways:
            gateway.relay.heal()
        back_at = time.monotonic()
        eventually(lambda: links(running.store) >= count, "connected again: all workers")
        took = time.monotonic() - back_at
        assert took < LINKS_SECONDS, f"{took:.1f} s"
        note(f"outages: {links(running.store)} connections were back after {took:.2f} s")


def links(store):
    """How many connections of gateways there are that are let in."""
    return len(re.findall(rf"\buser={USER}\b".encode(), store.ask("CLIENT", "LIST")))


# holds SH-85, SH-04
# refuses SH-85, SH-21
def test_where_one_of_three_parts_of_a_cluster_stands_still_the_keys_of_the_others_are_served(binary):
    """Sessions that are there are 503, and nobody is signed out; the others are not asked for their map again and again."""
    with fleet(binary, count=0) as running, parts(running.folder) as nodes:
        urls = ", ".join(f'"redis://127.0.0.1:{node.port}"' for node in nodes)
        for _ in range(3):
            running.add(**running.login(), topology="cluster", recheck="0s", url=f"[{urls}]",
                        timeouts="{ command: 1s }").start()
        for gateway in running.gateways:
            gateway.await_ready()
        browsers = [signed_in(running, running.gateways[number % 3]) for number in range(12)]
        for browser in browsers:
            for gateway in running.gateways:
                becomes(lambda who=browser, one=gateway: who.ask(one), 200, "a session")
        asked = [asked_of(nodes, lambda who=browser: who.ask(running.gateways[0])) for browser in browsers]
        # What could have ended a session is asked of other nodes than it: that of their user's is asked for all of them.
        lost = next(place for place in range(SHARDS) if 0 < sum(place in one for one in asked) < len(browsers))
        expected = [200 if lost not in one else 503 for one in asked]
        nodes[lost].freeze()
        frozen_at, maps = time.monotonic(), count_maps(nodes, lost)
        others = [node for place, node in enumerate(nodes) if place != lost]
        eventually(lambda: all(b"cluster_slots_fail:0" not in node.ask("CLUSTER", "INFO") for node in others), "gone, they say")

        def is_divided():
            found = []
            for gateway in running.gateways:
                for browser in browsers:
                    answer = browser.ask(gateway)
                    served_or_unavailable(answer, "a session")
                    found.append(answer.status)
            return found == expected * len(running.gateways)
        eventually(is_divided, "served: those of the other parts, and no others")
        took = time.monotonic() - frozen_at
        count = count_maps(nodes, lost) - maps
        assert count <= MAPS_EACH_SECOND * len(running.gateways) * (took + 1), f"{count} maps in {took:.1f} s"
        nodes[lost].thaw()
        for browser in browsers:
            for gateway in running.gateways:
                becomes(lambda who=browser, one=gateway: who.ask(one), 200, "a session, as before")
        note(f"outages: of {len(browsers)} sessions {expected.count(503)} were 503; {count} maps in {took:.1f} s")


def asked_of(nodes, ask_for):
    """Which nodes are asked for a request."""
    listeners = [node.listen() for node in nodes]
    ask_for()
    return {place for place, one in enumerate(listeners) if any(re.search(rb'"pc:[sm]:', line) for line in one.lines())}


def count_maps(nodes, lost):
    """How often those that answer were asked for the map."""
    found = [re.search(rb"cmdstat_cluster\|slots:calls=(\d+)", node.ask("INFO", "commandstats"))
             for place, node in enumerate(nodes) if place != lost]
    return sum(int(one[1]) for one in found if one)


@contextlib.contextmanager
def parts(folder):
    """A cluster of three nodes, each with a third of the slots."""
    with contextlib.ExitStack() as last:
        nodes = []
        for number in range(SHARDS):
            nodes.append(Node(folder / f"node-{number}", "--cluster-node-timeout", FAILED_MS))
            last.callback(nodes[-1].stop)
        for number, node in enumerate(nodes):
            node.ask("CLUSTER", "ADDSLOTSRANGE", SLOTS * number // SHARDS, SLOTS * (number + 1) // SHARDS - 1)
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for node in nodes[1:]:
            node.ask("CLUSTER", "MEET", "127.0.0.1", nodes[0].port, nodes[0].bus)
        for node in nodes:
            eventually(lambda one=node: b"cluster_state:ok" in one.ask("CLUSTER", "INFO")
                       and b"cluster_known_nodes:%d" % SHARDS in one.ask("CLUSTER", "INFO"), "a cluster")
        yield nodes
