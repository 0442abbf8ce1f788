"""The store's user of the documents: what he may do is enough, and whatever is taken from him is named."""
import concurrent.futures
import re
from pathlib import Path

from browser import back_channel
from checks import becomes, blames_nobody, eventually, needs_no_fault, same, unavailable
from clusters import signed_in
from fleet import PASSWORD, USER, fleet
from issuer import SUBJECT
from store import COMMANDS, Store, free_port

DOCUMENT = Path(__file__).resolve().parents[2] / "Sources/Gateway/Gateway.docc/SharedState.md"
# Each has a test of its own, because it takes a store of another kind, or one that is full of a user's sessions.
ELSEWHERE = ["wait", "cluster|slots", "asking", "select", "zrem"]
# What scripts alone call, but for a session that nobody knows: the server does not say then what was refused.
IN_SCRIPTS = ["hset", "hdel", "pexpire", "unlink", "exists", "zadd", "zrem", "zremrangebyscore", "zcard", "xadd"]
REFRESHES = ["hdel"]
AT_ONCE = 4


@needs_no_fault
# holds SH-47
def test_the_user_of_the_documents_may_do_all_that_is_needed_and_is_refused_nothing(binary):
    """A login, calls, a refresh, proofs, a logout, a logout token, and the command about sessions."""
    listed = re.search(r"-@all\n((?:    \+.*\n)+)", DOCUMENT.read_text())
    same(sorted(re.findall(r"\+(\S+)", listed[1])), sorted(COMMANDS), "commands of the documents")
    with fleet(binary, recheck="0s") as running:
        first, second, third = running.gateways
        browser, leaving, program = running.browser(seconds=5).log_in(first), running.browser().log_in(second), running.program()
        for gateway in running.gateways:
            same(browser.ask(gateway).status, 200, "a session")

        def is_refreshed():
            same(browser.ask(second).status, 200, "a session")
            return running.issuer.refreshes
        eventually(is_refreshed, "refreshed")
        same(browser.ask(third).status, 200, "a session that was refreshed elsewhere")
        proof = program.proof()
        same(sorted(program.prove(gateway, proof).status for gateway in running.gateways), [200, 401, 401], "a proof")
        listed = running.sessions("list", "--issuer", "main", "--subject", SUBJECT)
        same(len(listed.splitlines()), 3, listed)
        same(leaving.log_out(third).status, 200, "a logout")
        same(back_channel(first, running.issuer.logout_token()).status, 200, "a logout token")
        for gateway in running.gateways:
            eventually(lambda one=gateway: browser.status(one) == 401, "over at each of them")
        running.sessions("end", "--issuer", "main", "--subject", SUBJECT)
        # What the documents say is left to the operator's choice, and the time that is left to a session.
        refused = {bytes(line[line.index(b"object") + 1]).decode() for line in running.store.ask("ACL", "LOG")}
        same(refused - {"info", "pttl"}, set(), "refused commands")


class Deprived:
    """A gateway as a user of its own who loses one right."""

    def __init__(self, running, command, **store):
        self.running, self.command = running, command
        self.user = "lacks-" + command.replace("|", "-")
        running.set_password(PASSWORD, f"{self.user}.password")
        running.store.allow(self.user, PASSWORD, *COMMANDS)
        self.gateway = running.add(**{"user": self.user, "password": f"{{ file: {running.folder}/{self.user}.password }}",
                                      "recheck": "0s", **store})
        self.gateway.start()
        self.gateway.await_ready()
        self.program = running.program()
        seconds = 1 if command in REFRESHES else 3600
        self.known, self.leaving = self.signed_in(seconds), self.signed_in()
        # One that this gateway has never seen.
        self.stranger = running.browser().log_in(running.gateways[0])
        eventually(lambda: self.program.prove(self.gateway).status == 200, f"a proof, with {command}")

    def signed_in(self, seconds=3600):
        """A browser that is; where writes wait for a replica, one that is late costs an attempt."""
        browser = self.running.browser(seconds)

        def is_in():
            browser.cookies.clear()
            browser.ask(self.gateway, browser.begin(self.gateway))
            return browser.session
        eventually(is_in, f"signed in, with {self.command}")
        return browser

    def forbid(self):
        """From now on; connections begin anew."""
        self.running.store.forbid(self.user, self.command)
        self.running.store.ask("CLIENT", "KILL", "USER", self.user)

    def exercise(self):
        """All that a gateway does with the store; whatever comes of it, nobody is blamed."""
        gateway, what = self.gateway, f"without {self.command}"
        blames_nobody(self.known.ask(gateway), f"{what} a session")
        blames_nobody(self.stranger.ask(gateway), f"{what} a session of another gateway's")
        blames_nobody(self.program.prove(gateway), f"{what} a proof")
        browser = self.running.browser()
        answer = browser.ask(gateway, browser.begin(gateway))
        if answer.status != 303:
            blames_nobody(answer, f"{what} a login")
        if self.leaving.session:
            answer = self.leaving.log_out(gateway)
            if answer.status != 200:
                blames_nobody(answer, f"{what} a logout")
        blames_nobody(back_channel(gateway, self.running.issuer.logout_token("nobody")), f"{what} a logout token")

    def told(self):
        """Lines that say that the user lacks something."""
        return [line for event in ("store_refused", "store_lost") for line in self.gateway.lines(event)
                if line.get("setting") == "store.user"]

    def is_told(self):
        """Whether the command is named; or that there is one in a script, where the server says no more."""
        self.exercise()
        words = [f"'{self.command}'"] + (["can't run this command"] if self.command in IN_SCRIPTS else [])
        return any(word in line["found"] for line in self.told() for word in words)

    def works(self):
        """Whether everything does again."""
        browser = self.running.browser()
        answer = browser.ask(self.gateway, browser.begin(self.gateway))
        return (answer.status == 303 and browser.session and browser.ask(self.gateway).status == 200
                and self.program.prove(self.gateway).status == 200 and self.known.ask(self.gateway).status == 200)


def crowd(running):
    """As many sessions of the user as there may be."""
    def members(key):
        return [word for number in range(1000) for word in (4102444800000 + number, f"member-{number}")]
    for key in running.store.keys():
        if key.startswith(b"pc:u:"):
            running.store.ask("ZADD", key, *members(key))


# refuses SH-47, SH-83
def test_each_right_that_is_taken_away_is_told_and_nobody_is_signed_out_for_it(binary):
    """While gateways run, each as another user, who loses one right each, and gets it back."""
    with fleet(binary, count=1) as running:
        # A test below does.
        running.looks_for_eternal = False

        def lose(command):
            gateway = Deprived(running, command)
            gateway.forbid()
            eventually(gateway.is_told, f"told: {command}")
            running.store.permit(gateway.user, command)
            eventually(gateway.works, f"well again with {command}")
            gateway.gateway.stop()
        several(lose, [command for command in COMMANDS if command not in ELSEWHERE])


def several(function, values):
    """Calls it for each, several at a time; after a failure for no more."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            for done in [pool.submit(function, value) for value in values]:
                done.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


# refuses SH-47
def test_a_right_that_only_a_user_with_a_thousand_sessions_takes_is_told(binary):
    """His next login has to take the oldest out of the index."""
    with fleet(binary, count=1) as running:
        gateway = Deprived(running, "zrem")
        crowd(running)
        gateway.forbid()
        eventually(gateway.is_told, "told: zrem")


# refuses SH-47
def test_a_right_that_a_script_lacks_is_named(binary):
    """The server does not say which command it refused; the gateway knows which ones the script calls."""
    with fleet(binary, count=1) as running:
        # The next test does.
        running.looks_for_eternal = False

        def lose(command):
            gateway = Deprived(running, command)
            gateway.forbid()
            eventually(gateway.is_told, f"told: {command}")
            if not any(command in line["found"].lower() for line in gateway.told()):
                raise AssertionError(f"without {command}: {gateway.told()}")
        several(lose, ["hset", "pexpire", "exists", "zadd"])


# refuses SH-27
def test_a_script_that_may_not_do_all_that_it_does_leaves_nothing_in_the_store_that_stays_for_ever(binary):
    """Neither a session that nobody was given, nor what is left of one that has ended."""
    with fleet(binary, count=1) as running:
        running.looks_for_eternal = False
        gateway = Deprived(running, "pexpire")
        gateway.forbid()
        eventually(gateway.is_told, "told: pexpire")
        same(running.store.eternal(), [], "keys that stay for ever")


# refuses SH-47, SH-83
def test_a_user_who_may_not_touch_the_keys_is_told_by_their_prefix(binary):
    """What he may do is right, and where is not; when it is put right, nobody has been signed out."""
    with fleet(binary, count=1, recheck="0s") as running:
        gateway, program = running.gateways[0], running.program()
        browser = running.browser().log_in(gateway)
        eventually(lambda: program.prove(gateway).status == 200, "a proof")
        running.store.confine(USER, "~other:*")
        unavailable(program.prove(gateway), "a proof")
        unavailable(browser.ask(gateway), "a session")
        gateway.says("store_refused", setting="store.prefix", level="error")
        same([line for line in gateway.lines("store_refused") if line["setting"] != "store.prefix"], [], "what else is told")
        running.store.ask("ACL", "SETUSER", USER, "resetkeys", "~pc:*")
        becomes(lambda: browser.ask(gateway), 200, "the session")
        becomes(lambda: program.prove(gateway), 200, "another proof")


# refuses SH-83
def test_a_right_that_the_log_of_endings_lacks_is_no_reason_to_remove_the_log(binary):
    """It lies there as it should; who may not write to it is told that, and nothing else."""
    with fleet(binary, count=1) as running:
        gateway = Deprived(running, "xadd")
        gateway.forbid()
        eventually(gateway.is_told, "told: xadd")
        # Once, of each user of the documents, whom nobody has given more.
        others = [line["found"] for line in gateway.gateway.lines("store_unsuitable") if "without +info" not in line["found"]]
        same(others, [], "what else is told")


# refuses SH-47
def test_a_user_who_may_not_choose_a_database_is_told(binary):
    """The store is down for the gateway, and says why."""
    with fleet(binary, count=1) as running:
        gateway = Deprived(running, "select")
        gateway.forbid()
        gateway.gateway.reload(**{**gateway.gateway.store, "url": f"redis://127.0.0.1:{gateway.gateway.relay.port}/1"})
        eventually(gateway.is_told, "told: select")
        running.store.permit(gateway.user, "select")
        signed_in(running, gateway.gateway)


# refuses SH-47
def test_a_user_who_may_not_wait_for_replicas_is_told(binary):
    """Nothing counts as written then."""
    port = free_port()
    with fleet(binary, count=1, server=("--port", port, "--bind", "127.0.0.1", "--repl-diskless-sync-delay", 0)) as running:
        replica = Store(running.folder / "replica", "--replicaof", "127.0.0.1", port, is_replica=True)
        replica.start()
        try:
            eventually(lambda: running.store.ask("WAIT", 1, 100) == 1, "a replica")
            gateway = Deprived(running, "wait", durability="replica")
            gateway.forbid()

            def is_told():
                gateway.exercise()
                return [line["found"] for line in gateway.gateway.lines("store_unsuitable") if line["setting"] == "store.durability"]
            told = eventually(is_told, "told: wait")
            assert "wait" in told[0].lower(), told
            running.store.permit(gateway.user, "wait")
            eventually(gateway.works, "well again with wait")
        finally:
            replica.stop()
