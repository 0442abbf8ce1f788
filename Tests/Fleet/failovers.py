"""A primary that is gone or stands still, and the one that takes its place: by Sentinels, and in a cluster."""
import contextlib
import time

import processes
from checks import becomes, eventually, note, served_or_unavailable, signs_out, waits
from clusters import Node, signed_in
from fleet import PASSWORD, QUICKLY, USER, fleet
from reloads import traffic
from store import COMMANDS, SERVER, Client, Store, free_port

# After which the other servers call one down: so long that a slow machine alone makes none of them change its place.
DOWN_MS = 2000
SENTINELS = 3
# Of a cluster: as many have slots, and each of them has a replica.
SHARDS, SLOTS = 3, 16384
# After the other one is in its place: a second, and two for whoever looks.
SERVED_SECONDS = 1 + 2
# A Sentinel whose clock jumps does nothing for half a minute.
CHANGED_SECONDS = 60


@waits
# holds SH-77, SH-75, SH-37
# refuses SH-77, SH-21
def test_sentinels_name_another_primary_for_one_that_is_gone_and_nobody_is_signed_out(binary):
    """Its process ends, and does not come back."""
    with watched(binary) as running:
        browsers = users(running)
        primary, replica = by_role(running.pair)
        fail_over(running, browsers, primary.lose, primary, replica)


@waits
# holds SH-77, SH-75, SH-37
# refuses SH-77, SH-21
def test_sentinels_name_another_primary_for_one_that_stands_still_and_it_is_not_believed_when_it_goes_on(binary):
    """It calls itself one until the Sentinels have told it; whoever has signed out at the other one is not served meanwhile."""
    with watched(binary) as running:
        browsers = users(running)
        primary, replica = by_role(running.pair)
        staying, left = fail_over(running, browsers, primary.freeze, primary, replica)
        primary.thaw()
        began = time.monotonic()

        def is_told():
            for gateway in running.gateways:
                assert left.status(gateway) != 200, "a session that has ended is served"
                served_or_unavailable(staying.ask(gateway), "somebody else's")
            return role(primary)[0] == b"slave"
        eventually(is_told, "told: the former primary", CHANGED_SECONDS)
        note(f"failovers: the former primary was told {time.monotonic() - began:.1f} s after it went on")
        for gateway in running.gateways:
            becomes(lambda one=gateway: staying.ask(one), 200, "somebody else's")
            eventually(lambda one=gateway: left.status(one) == 401, "still over")


@waits
# holds SH-77, SH-75, SH-37
# refuses SH-77, SH-21
def test_a_replica_takes_the_slots_of_a_primary_that_is_gone_and_nobody_is_signed_out(binary):
    """Whoever has a session there is served by the replica."""
    with fleet(binary, count=0) as running, replicated(running.folder) as pairs:
        urls = ", ".join(f'"redis://127.0.0.1:{node.port}"' for pair in pairs for node in pair)
        start(running, **running.login(), **QUICKLY, topology="cluster", recheck="0s", url=f"[{urls}]")
        browsers = users(running)
        primary, replica = max(map(by_role, pairs), key=lambda pair: sum(name.startswith(b"pc:s:") for name in pair[0].keys()))
        fail_over(running, browsers, primary.lose, primary, replica)


def users(running):
    """Two of each gateway, known at all of them."""
    browsers = [signed_in(running, gateway) for gateway in running.gateways * 2]
    for browser in browsers:
        for gateway in running.gateways:
            becomes(lambda who=browser, one=gateway: who.ask(one), 200, "a session")
    return browsers


def fail_over(running, browsers, fault, primary, replica):
    """Each answer is 200 or 503 while it comes about, and then all is as before at all gateways. Who is signed in, and who was."""
    first, second, third = running.gateways
    staying, leaving = browsers[:2]
    waiting = running.browser()
    target = waiting.begin(third)
    written = role(primary)[1]
    eventually(lambda: role(replica)[4] >= written, "copied: the sessions")
    refused = 0

    def is_changed():
        nonlocal refused
        for gateway in running.gateways:
            for browser in browsers:
                answer = browser.ask(gateway)
                served_or_unavailable(answer, "a session")
                refused += answer.status == 503
        return role(replica)[0] == b"master"
    with traffic(running, staying, served_or_unavailable):
        began = time.monotonic()
        fault()
        eventually(is_changed, "in its place: the replica", CHANGED_SECONDS)
        changed = time.monotonic()
        for gateway in running.gateways:
            for browser in browsers:
                becomes(lambda who=browser, one=gateway: who.ask(one), 200, "a session, as before")
        served = time.monotonic()
    assert refused, "nobody has noticed"
    assert served - changed < SERVED_SECONDS, f"{served - changed:.1f} s"
    note(f"failovers: in its place {changed - began:.1f} s later, {refused} sessions refused, and all served "
         f"{served - changed:.1f} s after that")
    # It began before, and ends at another gateway and another primary.
    becomes(lambda: waiting.ask(second, target), 303, "a login that had begun")
    fresh = signed_in(running, third)
    for gateway in running.gateways:
        for browser in (waiting, fresh):
            becomes(lambda who=browser, one=gateway: who.ask(one), 200, "a new session")
    signs_out(running.gateways, first, leaving, staying)
    return staying, leaving


def role(server):
    """What a server says that it is. On a connection of its own, because one that changes its place ends those that stand."""
    def said():
        with contextlib.closing(Client(server.path)) as client, contextlib.suppress(ConnectionError):
            return client.ask("ROLE")
    return eventually(said, "said: a role")


def by_role(pair):
    """The primary of two servers, and the replica."""
    return sorted(pair, key=lambda server: role(server)[0] != b"master")


def start(running, **store):
    """Three gateways whose store is this."""
    for _ in range(3):
        running.add(**store).start()
    for gateway in running.gateways:
        gateway.await_ready()


@contextlib.contextmanager
def watched(binary):
    """Three gateways, and a primary and a replica whom Sentinels watch."""
    port, other = free_port(), free_port()
    server = ("--port", port, "--bind", "127.0.0.1", "--repl-diskless-sync-delay", 0)
    with fleet(binary, count=0, server=server) as running, contextlib.ExitStack() as last:
        replica = Store(running.folder / "replica", "--port", other, "--bind", "127.0.0.1", "--replicaof", "127.0.0.1", port,
                        is_replica=True)
        last.callback(replica.stop)
        replica.start(lambda: replica.allow(USER, PASSWORD, *COMMANDS))
        eventually(lambda: role(replica)[3] == b"connected", "a replica")
        running.pair = (running.store, replica)
        sentinels = [Sentinel(running.folder / f"sentinel-{number}", port, last) for number in range(SENTINELS)]
        for one in sentinels:
            eventually(one.is_able, "able: a Sentinel", CHANGED_SECONDS)
        urls = ", ".join(f'"redis://127.0.0.1:{one.port}"' for one in sentinels)
        start(running, **running.login(), **QUICKLY, topology="sentinel", recheck="0s", url=f"redis://127.0.0.1:{port}",
              sentinel=f"{{ name: portcullis, url: [{urls}] }}")
        yield running


class Sentinel:
    """One of those that watch a primary."""

    def __init__(self, folder, primary, last):
        folder.mkdir()
        self.port, self.path = free_port(), folder / "socket"
        configuration = folder / "sentinel.conf"
        configuration.write_text(
            f"port {self.port}\nbind 127.0.0.1\nunixsocket {self.path}\ndir {folder}\n"
            f"sentinel monitor portcullis 127.0.0.1 {primary} {SENTINELS // 2 + 1}\n"
            f"sentinel down-after-milliseconds portcullis {DOWN_MS}\nsentinel failover-timeout portcullis 5000\n")
        process = processes.start([SERVER, configuration, "--sentinel"], folder / "sentinel.log")
        last.callback(processes.end, process)

    def is_able(self):
        """Whether it knows all of them, and a replica that can take the primary's place."""
        try:
            with contextlib.closing(Client(self.path)) as client:
                about = dict(pairs_of(client.ask("SENTINEL", "MASTER", "portcullis")))
                replicas = [dict(pairs_of(one)) for one in client.ask("SENTINEL", "REPLICAS", "portcullis")]
        except OSError:
            return False
        return (about[b"flags"], int(about[b"num-other-sentinels"])) == (b"master", SENTINELS - 1) and [
            (one[b"flags"], one[b"master-link-status"]) for one in replicas] == [(b"slave", b"ok")]


def pairs_of(words):
    """Names and values in turn."""
    return zip(words[::2], words[1::2])


@contextlib.contextmanager
def replicated(folder):
    """A cluster of three primaries, each with its replica."""
    with contextlib.ExitStack() as last:
        nodes = []
        for number in range(2 * SHARDS):
            nodes.append(Node(folder / f"node-{number}", "--cluster-node-timeout", DOWN_MS, "--repl-diskless-sync-delay", 0))
            last.callback(nodes[-1].stop)
        primaries, replicas = nodes[:SHARDS], nodes[SHARDS:]
        for number, node in enumerate(primaries):
            node.ask("CLUSTER", "ADDSLOTSRANGE", SLOTS * number // SHARDS, SLOTS * (number + 1) // SHARDS - 1)
            # Else they find out one after the other that they all have the first.
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for node in nodes[1:]:
            node.ask("CLUSTER", "MEET", "127.0.0.1", nodes[0].port, nodes[0].bus)

        def is_known(node):
            said = node.ask("CLUSTER", "INFO")
            return b"cluster_state:ok" in said and b"cluster_known_nodes:%d" % len(nodes) in said
        for node in nodes:
            eventually(lambda one=node: is_known(one), "a cluster", CHANGED_SECONDS)
        for primary, replica in zip(primaries, replicas):
            replica.ask("CLUSTER", "REPLICATE", primary.name())
        for replica in replicas:
            eventually(lambda one=replica: role(one)[3] == b"connected", "a replica", CHANGED_SECONDS)
        # All of them know who has a replica, and count on it.
        for node in nodes:
            eventually(lambda one=node: one.ask("CLUSTER", "NODES").count(b" slave ") + one.ask("CLUSTER", "NODES").count(
                b"myself,slave ") == SHARDS, "known: the replicas", CHANGED_SECONDS)
        yield list(zip(primaries, replicas))
