"""A cluster of two nodes, and what a gateway may not ask of it."""
import contextlib

from browser import COOKIE
from checks import eventually, served_or_unavailable, unavailable
from faults import fault
from fleet import PASSWORD, USER, fleet
from store import COMMANDS, Store, free_port


class Node(Store):
    """One of them."""

    def __init__(self, folder, *more):
        self.port, self.bus = free_port(), free_port()
        super().__init__(folder, "--cluster-enabled", "yes", "--cluster-config-file", folder / "nodes.conf", "--port", self.port,
                         "--cluster-port", self.bus, "--bind", "127.0.0.1", "--cluster-require-full-coverage", "no", *more)
        self.start(lambda: self.allow(USER, PASSWORD, *COMMANDS), epoch=None)

    def name(self):
        """As the others know it."""
        return self.ask("CLUSTER", "MYID").decode()


@contextlib.contextmanager
def cluster(folder):
    """Two nodes, of which the first has all slots."""
    with contextlib.ExitStack() as last:
        nodes = []
        for number in (1, 2):
            nodes.append(Node(folder / f"node-{number}"))
            last.callback(nodes[-1].stop)
        first, second = nodes
        first.ask("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        second.ask("CLUSTER", "MEET", "127.0.0.1", first.port, first.bus)
        for node in nodes:
            eventually(lambda one=node: b"cluster_state:ok" in one.ask("CLUSTER", "INFO")
                       and b"cluster_known_nodes:2" in one.ask("CLUSTER", "INFO"), "a cluster")
        yield nodes


def settings(running, nodes):
    """Those of gateways whose store is this cluster."""
    return {**running.login(), "topology": "cluster", "recheck": "0s", "url": f'["redis://127.0.0.1:{nodes[0].port}"]'}


def signed_in(running, gateway):
    """A browser that is, once the cluster is known."""
    browser = running.browser()

    def is_in():
        browser.cookies.clear()
        browser.ask(gateway, browser.begin(gateway))
        return browser.session
    eventually(is_in, "signed in")
    return browser


# refuses SH-47, SH-04, SH-21
def test_a_user_who_may_not_ask_a_cluster_for_its_map_is_told_and_nobody_is_signed_out(binary):
    """Nobody knows then where anything is."""
    with fleet(binary, count=0) as running, cluster(running.folder) as nodes:
        gateway = start(running, nodes, without="cluster|slots")
        gateway.says("store_unsuitable", setting="store.user", level="error")
        browser = running.browser()
        browser.cookies[COOKIE] = "A" * 64
        unavailable(browser.ask(gateway), "a session")
        for node in nodes:
            node.permit(USER, "cluster|slots")
        browser = signed_in(running, gateway)
        eventually(lambda: browser.ask(gateway).status == 200, "served")


# holds SH-04
# refuses SH-21
def test_a_user_who_may_not_follow_a_slot_that_moves_signs_nobody_out(binary):
    """A session that has moved already is answered 503 until he may; before, nobody notices that it moves."""
    with fleet(binary, count=0) as running, cluster(running.folder) as nodes:
        gateway = start(running, nodes)
        browser = signed_in(running, gateway)
        eventually(lambda: browser.ask(gateway).status == 200, "served")
        move(nodes)
        eventually(lambda: browser.ask(gateway).status == 200, "served from where it moved")
        nodes[1].forbid(USER, "asking")
        eventually(lambda: is_refused(browser, gateway), "refused")
        nodes[1].permit(USER, "asking")
        eventually(lambda: browser.ask(gateway).status == 200, "served again")


# refuses SH-47
def test_the_right_to_ask_a_cluster_for_its_map_is_named(binary):
    """The operator adds it to what the user may."""
    with fleet(binary, count=0) as running, cluster(running.folder) as nodes:
        gateway = start(running, nodes, without="cluster|slots")
        eventually(lambda: is_named(gateway, "cluster", "slots"), "named: the right")


# refuses SH-47
def test_the_right_to_follow_a_slot_that_moves_is_named(binary):
    """It is refused before the command that it is for, which is redirected then as if nobody had asked."""
    with fleet(binary, count=0) as running, cluster(running.folder) as nodes:
        gateway = start(running, nodes)
        browser = signed_in(running, gateway)
        move(nodes)
        nodes[1].forbid(USER, "asking")
        eventually(lambda: is_refused(browser, gateway), "refused")
        eventually(lambda: is_named(gateway, "asking"), "named: the right")


def is_named(gateway, *words):
    """Whether a line about the store's user has all of these words; there is another one about what he need not have."""
    lines = [line["found"].lower() for line in gateway.lines("store_unsuitable") if line["setting"] == "store.user"]
    return any(all(word in line for word in words) for line in lines)


def start(running, nodes, without=None):
    """A gateway whose user may do all but that."""
    for node in nodes:
        if without:
            node.forbid(USER, without)
    gateway = running.add(**settings(running, nodes))
    gateway.start()
    gateway.await_listening()
    return gateway


@fault
def move(nodes):
    """The one session that is there goes to the second node, and its slot is about to."""
    first, second = nodes
    [session] = [key for key in first.keys() if key.startswith(b"pc:s:")]
    slot = first.ask("CLUSTER", "KEYSLOT", session)
    second.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", first.name())
    first.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", second.name())
    first.ask("MIGRATE", "127.0.0.1", second.port, session, 0, 5000)


def is_refused(browser, gateway):
    """Whether a session is answered 503; it is served otherwise."""
    answer = browser.ask(gateway)
    served_or_unavailable(answer, "a session")
    return answer.status == 503
