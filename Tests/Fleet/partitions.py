"""A gateway that is cut off from the store while others are not, and a store that stands still for all of them."""
import concurrent.futures
import time

from browser import ask, back_channel
from checks import becomes, eventually, note, same, served_or_unavailable, unavailable
from fleet import QUICKLY, USER, fleet
from store import Store, free_port

RECHECK = 1
# A request is judged after it was sent: only its answer may come later than what is said here.
TWICE = 2 * RECHECK
# Whether there are proofs that a gateway let through by itself, and how many of them there are here.
LOCAL, LOCALLY = "portcullis_store_proofs_local", 5
# Of a command (`QUICKLY`).
COMMAND_SECONDS = 1
# Of gateways one of which is cut off.
SETTINGS = {"workers": 2, "recheck": f"{RECHECK}s", **QUICKLY}


# holds SH-74, SH-75, SH-40, SH-41
# refuses SH-74, SH-21, SH-41
def test_a_gateway_that_is_refused_by_the_network_hears_of_everything_when_it_is_back(binary):
    """Connections end at once."""
    with fleet(binary, **SETTINGS) as running:
        way = running.gateways[2].relay
        cut_off(running, way.cut, way.heal)


# holds SH-79, SH-75, SH-40
# refuses SH-79, SH-21
def test_a_gateway_whose_packets_are_lost_hears_of_everything_when_it_is_back(binary):
    """Nothing comes, and nobody says so."""
    with fleet(binary, **SETTINGS) as running:
        way = running.gateways[2].relay
        cut_off(running, way.hold, way.heal)


# holds SH-60, SH-37
# refuses SH-60, SH-37
def test_a_logout_has_happened_once_a_replica_has_it(binary):
    """The second one too, which finds that the first has ended the session at the primary."""
    port = free_port()
    server = ("--port", port, "--bind", "127.0.0.1", "--repl-diskless-sync-delay", 0)
    with fleet(binary, count=2, server=server, durability="replica", recheck="0s") as running:
        first, second = running.gateways
        replica = Store(running.folder / "replica", "--replicaof", "127.0.0.1", port, is_replica=True)
        replica.start()
        try:
            eventually(lambda: running.store.ask("WAIT", 1, 100) == 1, "a replica")
            browser = eventually(lambda: signed_in(running, first), "signed in")
            eventually(lambda: browser.ask(second).status == 200, "known at both")
            replica.freeze()
            for gateway in (first, first, second):
                unavailable(browser.log_out(gateway), "a logout that no replica has")
                assert browser.session, "its cookie is gone"
            replica.thaw()
            eventually(lambda: browser.log_out(second).status == 200, "signed out")
            for name in running.store.ask("KEYS", "pc:s:*"):
                assert replica.ask("HGET", name, "x"), f"{name} is over at the primary alone"
        finally:
            replica.stop()


# holds SH-37, SH-21
# refuses SH-37, SH-21
def test_a_primary_that_has_lost_its_replicas_is_not_asked_about_sessions(binary):
    """One of them may be the primary by now, where somebody has signed out."""
    port = free_port()
    server = ("--port", port, "--bind", "127.0.0.1", "--repl-diskless-sync-delay", 0)
    with fleet(binary, count=2, server=server, recheck=f"{RECHECK}s") as running:
        first, second = running.gateways
        replica = Store(running.folder / "replica", "--replicaof", "127.0.0.1", port, is_replica=True)
        replica.start()
        try:
            eventually(lambda: running.store.ask("WAIT", 1, 100) == 1, "a replica")
            for name in ("min-replicas-max-lag", "min-replicas-to-write"):
                running.store.ask("CONFIG", "SET", name, 1)
            running.store.permit(USER, "info")
            running.store.ask("CLIENT", "KILL", "USER", USER)
            browser = eventually(lambda: signed_in(running, first), "signed in")
            unseen = eventually(lambda: signed_in(running, first), "signed in once more")
            eventually(lambda: browser.ask(second).status == 200, "known at both")
            replica.freeze()

            def is_doubted():
                answers = [browser.ask(second), unseen.ask(second)]
                for answer in answers:
                    served_or_unavailable(answer, "a session")
                return all(answer.status == 503 for answer in answers)
            eventually(is_doubted, "doubted")
            second.says("store_unsuitable", setting="min-replicas-to-write")
            same(ask(second, "/open/a").status, 200, "a public route")
            replica.thaw()
            for one in (browser, unseen):
                becomes(lambda who=one: who.ask(second), 200, "a session, as before")
        finally:
            replica.stop()


def signed_in(running, gateway):
    """A browser, or none where the login was too early."""
    try:
        return running.browser().log_in(gateway)
    except AssertionError:
        return None


def cut_off(running, cut, heal):
    """The third gateway is alone for a while; somebody signs out elsewhere meanwhile."""
    first, second, third = running.gateways
    leaving, told, staying = (running.browser().log_in(gateway) for gateway in running.gateways)
    unseen, program, waiting = running.browser().log_in(first), running.program(), running.browser()
    for gateway in running.gateways:
        for browser in (leaving, told, staying):
            eventually(lambda one=gateway, who=browser: who.ask(one).status == 200, "known at each of them")
    target = waiting.begin(third)
    former = dict(leaving.cookies)
    cut()
    cut_at = time.monotonic()
    eventually(lambda: leaving.log_out(first).status == 200, "signed out at the first")
    leaving.cookies = former
    sid = running.issuer.sids[1]
    eventually(lambda: back_channel(second, running.issuer.logout_token(sid)).status == 200, "ended by the server")
    last_served, spent = {}, []

    def is_refused():
        """What needs the store is; what needs nothing of it is served; nobody is blamed."""
        refused = 0
        for name, browser in (("leaving", leaving), ("told", told), ("staying", staying)):
            began, answer = time.monotonic(), browser.ask(third)
            served_or_unavailable(answer, name)
            if answer.status == 200:
                last_served[name] = began
            refused += answer.status == 503
        unavailable(unseen.ask(third), "a session that it has never seen")
        unavailable(program.prove(third), "a proof")
        unavailable(waiting.ask(third, target), "a login")
        same(program.call(third).status, 200, "a token without a proof")
        same(ask(third, "/open/a").status, 200, "a public route")
        return refused == 3
    eventually(is_refused, "refused")
    for name, served in last_served.items():
        assert served - cut_at < TWICE + 0.5, f"{name}: served {served - cut_at:.2f} s after the store was gone"
    # All others serve all of it.
    for gateway in (first, second):
        eventually(lambda one=gateway: staying.ask(one).status == 200, "served by the others")
        spent.append(program.proof())
        eventually(lambda one=gateway: program.prove(one, spent[-1]).status == 200, "proofs at the others")
        eventually(lambda one=gateway: leaving.status(one) == 401, "over at the others")
    unavailable(staying.log_out(third), "a logout")
    word = running.issuer.logout_token(running.issuer.sids[3])
    unavailable(back_channel(third, word), "a logout token")
    same(third.reading("portcullis_store_up"), 0, "up")
    heal()
    back_at = time.monotonic()

    def is_back():
        """Never once is a session served that has ended elsewhere."""
        for browser in (leaving, told):
            assert browser.status(third) != 200, "an ended session is served"
        return staying.ask(third).status == 200
    eventually(is_back, "back")
    took = time.monotonic() - back_at
    for name, browser in (("leaving", leaving), ("told", told)):
        eventually(lambda who=browser: who.status(third) == 401, f"over at the third: {name}")
    known = time.monotonic() - back_at - took
    becomes(lambda: unseen.ask(third), 200, "a session that it has never seen")
    becomes(lambda: back_channel(third, word), 200, "the same logout token again")
    for gateway in running.gateways:
        eventually(lambda one=gateway: unseen.status(one) == 401, "over at each of them")
    becomes(lambda: waiting.ask(third, target), 303, "the same callback again")
    fresh = program.proof()
    becomes(lambda: program.prove(third, fresh), 200, "a proof")
    for proof in [*spent, fresh]:
        same(passes(program, proof, running.gateways), 0, "a proof that has passed")
    note(f"partitions: back {took:.1f} s after the way was free, endings known {known:.2f} s later")


def know_all(running, program, *browsers):
    """Each gateway has seen these sessions, and has let a proof through."""
    for gateway in running.gateways:
        for browser in browsers:
            eventually(lambda one=gateway, who=browser: who.ask(one).status == 200, "known at each of them")
        eventually(lambda one=gateway: program.prove(one).status == 200, "a proof at each of them")


def prove_in_vain(running, program, proofs):
    """Sends each gateway its proof; all are answered 503, and no later than a command's time. Whether each asked the store."""
    with concurrent.futures.ThreadPoolExecutor(len(proofs)) as pool:
        for answer in pool.map(program.prove, running.gateways, proofs):
            unavailable(answer, "a proof")
            assert answer.seconds < COMMAND_SECONDS + 1, f"{answer.seconds:.1f} s"
    sent = [gateway.reading("portcullis_store_commands_total", kind="proof", outcome="unanswered") == 1
            for gateway in running.gateways]
    assert any(sent), "no proof was sent to the store"
    return sent


def passes(program, proof, gateways):
    """How many of them let a proof through; each is asked until it has decided."""
    def decision(gateway):
        answer = program.prove(gateway, proof)
        if answer.status not in (200, 401):
            unavailable(answer, "a proof")
        return answer.status != 503 and answer.status
    return [eventually(lambda one=gateway: decision(one), "decided") for gateway in gateways].count(200)


# holds SH-40
# refuses SH-40
def test_endings_that_a_gateway_missed_are_known_there_long_before_it_asks_about_sessions(binary):
    """It reads the log from where it was; one that was trimmed meanwhile has it ask about all that it knows."""
    for trims in (False, True):
        with fleet(binary, recheck="10m") as running:
            first, _, third = running.gateways
            leaving, staying = running.browser().log_in(first), running.browser().log_in(first)
            for browser in (leaving, staying):
                eventually(lambda who=browser: who.ask(third).status == 200, "known at the third")
            third.relay.cut()
            former = dict(leaving.cookies)
            eventually(lambda: leaving.log_out(first).status == 200, "signed out at the first")
            leaving.cookies = former
            # It believes what it knows, and has been told nothing.
            same(leaving.ask(third).status, 200, "a session that it knows")
            if trims:
                running.store.ask("XTRIM", "pc:e", "MAXLEN", 0)
            third.relay.heal()
            eventually(lambda: leaving.status(third) == 401, "over at the third")
            becomes(lambda: staying.ask(third), 200, "somebody else's")
            gaps = third.reading("portcullis_store_gaps_total")
            assert gaps >= 1 if trims else True, gaps


# holds SH-78, SH-75
# refuses SH-78, SH-58, SH-21
def test_a_store_that_stands_still_blames_nobody_and_no_proof_passes_twice(binary):
    """Requests wait for as long as a command may take, and later not at all."""
    with fleet(binary, workers=2, recheck=f"{RECHECK}s", **QUICKLY) as running:
        first, second, third = running.gateways
        browser, unseen, program = running.browser().log_in(first), running.browser().log_in(second), running.program()
        know_all(running, program, browser)
        proofs = [program.proof() for _ in running.gateways]
        running.store.freeze()
        frozen_at = time.monotonic()
        # Where that is so, the store was asked, and had said nothing by then.
        sent = prove_in_vain(running, program, proofs)

        def is_refused():
            answers = [browser.ask(gateway) for gateway in running.gateways]
            for answer in answers:
                served_or_unavailable(answer, "a session")
            unavailable(unseen.ask(third), "a session that it has never seen")
            same(program.call(first).status, 200, "a token without a proof")
            return all(answer.status == 503 for answer in answers)
        eventually(is_refused, "refused")
        # By now it is known to be down, and nothing waits for it: the quickest of ten says so on any machine.
        quickest = min(unseen.ask(first).seconds for _ in range(10))
        assert quickest < 0.1, f"{quickest:.3f} s"
        running.store.thaw()
        thawed_at = time.monotonic()
        for gateway in running.gateways:
            eventually(lambda one=gateway: browser.ask(one).status == 200, "served again")
        note(f"partitions: {thawed_at - frozen_at:.1f} s stopped, and {time.monotonic() - thawed_at:.1f} s until all served again")
        for place, proof in enumerate(proofs):
            for gateway in running.gateways[place:] + running.gateways[:place]:
                answers = []

                def is_decided(one=gateway, sent=proof, seen=answers):
                    seen.append(program.prove(one, sent).status)
                    return seen[-1] != 503
                eventually(is_decided, "decided")
                # The store has heard of it. One that was never sent passes at another gateway now, once.
                if answers[-1] == 200 and not sent[place] and gateway is not running.gateways[place]:
                    sent[place] = True
                    continue
                same(answers[-1], 401, f"proof {place} at gateway {gateway.number}")


# holds SH-59
# refuses SH-59, SH-58
def test_proofs_that_gateways_let_through_by_themselves_are_used_at_all_of_them_once_the_store_is_back(binary):
    """Where the operator says so: each lets a proof through once meanwhile, and the store hears of it before anything else."""
    with fleet(binary, workers=2, when_down="{ proofs: local }") as running:
        first, second, third = running.gateways
        program = running.program()
        for gateway in running.gateways:
            eventually(lambda one=gateway: program.prove(one).status == 200, "a proof")
        for gateway in running.gateways:
            gateway.relay.cut()
        for gateway in running.gateways:
            eventually(lambda one=gateway: one.reading("portcullis_store_up") == 0, "down")
        passed = {gateway: alone(program, gateway) for gateway in running.gateways}
        for gateway, proofs in passed.items():
            gateway.says("store_proofs_local", level="error")
            same(gateway.reading(LOCAL), 1, "proofs that the store does not know")
            for proof in proofs:
                same(program.prove(gateway, proof).status, 401, "a proof that it let through itself")
        # As the documents say: whoever has recorded one may use it once more at each of the others.
        recorded = passed[first][0]
        same([program.prove(gateway, recorded).status for gateway in (second, second)], [200, 401], "a proof of another gateway")
        for gateway in running.gateways:
            gateway.relay.heal()
        healed = time.monotonic()
        for gateway in running.gateways:
            # Nobody asks for anything: they write it of themselves.
            eventually(lambda one=gateway: (one.reading("portcullis_store_up"), one.reading(LOCAL)) == (1, 0), "written")
        note(f"partitions: proofs of a while without a store were written {time.monotonic() - healed:.1f} s after it was back")
        for gateway, proofs in passed.items():
            for other in running.gateways:
                same({program.prove(other, proof).status for proof in proofs}, {401}, f"at gateway {other.number}, of {gateway.number}")
        fresh = program.proof()
        same([program.prove(gateway, fresh).status for gateway in (third, first, second)], [200, 401, 401], "another proof")


def alone(program, gateway):
    """Proofs that it has let through; in the first second without a store it lets none."""
    proofs = []

    def is_enough():
        proof = program.proof()
        answer = program.prove(gateway, proof)
        served_or_unavailable(answer, "a proof")
        if answer.status == 200:
            proofs.append(proof)
        return len(proofs) == LOCALLY
    eventually(is_enough, "let through by itself")
    return proofs
