"""Another password, TLS, another place and another kind of store, by reload, while requests run."""
import contextlib
import threading
import time

import processes
from checks import blames_nobody, eventually, note, same, served_or_unavailable, waits
from faults import fault
from fleet import COMMANDS, PASSWORD, USER, fleet
from relay import Relay
from signing import authority
from store import SERVER, Store, free_port

NEW = "another-password-2264"


class Traffic:
    """Requests of a session, of a token and with proofs at all gateways in turn, a few hundred a second at most."""

    def __init__(self, running, browser, judge):
        self.running, self.browser, self.judge = running, browser, judge
        self.program = running.program()
        self.statuses, self.rounds = {}, 0
        self.wrong = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        """Until it is over, or something is wrong."""
        try:
            while not self.is_over.wait(0.02) and not self.wrong:
                self.rounds += 1
                for gateway in self.running.gateways:
                    self.ask_all(gateway)
        except (AssertionError, OSError) as error:
            self.wrong.append(f"{type(error).__name__}: {error}")

    def ask_all(self, gateway):
        """One request of each kind."""
        for name, answer in (("a session", self.browser.ask(gateway)), ("a token", self.program.call(gateway)),
                             ("a proof", self.program.prove(gateway))):
            self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
            self.judge(answer, f"{name} at gateway {gateway.number}")


def served(answer, what):
    """Nothing less will do."""
    blames_nobody(answer, what)
    same(answer.status, 200, what)


@contextlib.contextmanager
def traffic(running, browser, judge=served):
    """While it runs, each answer is judged."""
    for gateway in running.gateways:
        eventually(lambda one=gateway: browser.ask(one).status == 200, "served before")
    going = Traffic(running, browser, judge)
    going.thread.start()
    try:
        yield going
        # A whole round of all of them comes after whatever was done.
        last = going.rounds + 2
        eventually(lambda: going.rounds > last or going.wrong, "more requests")
    finally:
        going.is_over.set()
        going.thread.join()
    same(going.wrong, [], "wrong answers")
    note(f"reloads: {going.statuses} meanwhile")


@fault
def change_password(running, word):
    """In the gateways' file."""
    running.set_password(word)


def await_reloaded(running, count):
    """Until each of them has read what changed, of itself."""
    for gateway in running.gateways:
        eventually(lambda one=gateway: len(one.lines("reloaded")) >= count, f"reloaded: gateway {gateway.number}")


# holds SH-12, SH-83
def test_a_password_is_changed_with_two_that_are_good_and_nobody_notices(binary):
    """As the documents say: the new one at the store, in the file, and the old one away."""
    with fleet(binary, recheck="0s") as running:
        browser = running.browser().log_in(running.gateways[0])
        with traffic(running, browser):
            running.store.ask("ACL", "SETUSER", USER, f">{NEW}")
            change_password(running, NEW)
            await_reloaded(running, 1)
            running.store.ask("ACL", "SETUSER", USER, f"<{PASSWORD}")
        for gateway in running.gateways:
            same(gateway.lines("store_lost"), [], "lost")
        # Whoever has the old one is put out, and connections begin anew by the new one.
        with traffic(running, browser, served_or_unavailable):
            running.store.ask("CLIENT", "KILL", "USER", USER)
            for gateway in running.gateways:
                gateway.says("store_lost", reason="closed")
                eventually(lambda one=gateway: one.reading("portcullis_store_up") == 1, "up")
        for gateway in running.gateways:
            eventually(lambda one=gateway: browser.ask(one).status == 200, "served")


# holds SH-12
def test_the_one_password_of_a_store_without_users_is_changed_and_nobody_notices(binary):
    """Connections that stand go on; new ones say the new one."""
    with fleet(binary, prepare=lambda store: store.ask("CONFIG", "SET", "requirepass", PASSWORD), recheck="0s",
               password="{ file: $FOLDER/store.password }") as running:
        browser = running.browser().log_in(running.gateways[0])
        with traffic(running, browser):
            running.store.ask("CONFIG", "SET", "requirepass", NEW)
            change_password(running, NEW)
            await_reloaded(running, 1)
        running.store.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        for gateway in running.gateways:
            eventually(lambda one=gateway: browser.ask(one).status == 200, "served by new connections")


@waits
# holds SH-83
# refuses SH-12, SH-83, SH-52
def test_a_wrong_password_in_the_file_is_told_costs_nobody_a_session_and_the_right_one_is_tried_at_once(binary):
    """The connections before it serve on for as long as they stand; then it is as if the store were down."""
    with fleet(binary, recheck="0s") as running:
        first = running.gateways[0]
        browser = running.browser().log_in(first)
        with traffic(running, browser, served_or_unavailable) as going:
            change_password(running, "not-the-password-4471")
            for gateway in running.gateways:
                gateway.says("store_lost", reason="authentication", setting="store.password", user=USER, detail="serve on")
            # Told, and nobody notices it, for longer than connections that are new have to come about.
            told = time.monotonic()
            eventually(lambda: time.monotonic() > told + 7, "seven seconds later")
            same(set(going.statuses), {200}, "statuses so far")
            running.store.ask("CLIENT", "KILL", "USER", USER)
            eventually(lambda: 503 in going.statuses, "down")
            running.set_password(PASSWORD)
            for gateway in running.gateways:
                eventually(lambda one=gateway: one.reading("portcullis_store_up") == 1, "up")
        for gateway in running.gateways:
            eventually(lambda one=gateway: browser.ask(one).status == 200, "served again")
            words = gateway.last_words() + str(gateway.lines())
            for secret in (PASSWORD, "not-the-password-4471"):
                assert secret not in words, "a password in the log"


@waits
# holds SH-12, SH-05
# refuses SH-12, SH-05
def test_tls_is_turned_on_and_nobody_notices_and_another_name_in_the_certificate_is_refused(binary):
    """The store has both for a while; a used proof stays used."""
    port = free_port()
    with fleet(binary, count=0, recheck="0s") as none:
        certificate, key = authority(none.folder)
        server = ("--tls-port", port, "--bind", "127.0.0.1", "--tls-cert-file", certificate, "--tls-key-file", key,
                  "--tls-auth-clients", "no")
        with fleet(binary, server=server, recheck="0s") as running:
            first, second, third = running.gateways
            browser, program = running.browser().log_in(first), running.program()
            proof = program.proof()
            same(program.prove(first, proof).status, 200, "a proof")
            ways = [Relay(port) for _ in running.gateways]
            with traffic(running, browser):
                for gateway, way in zip(running.gateways, ways):
                    tls = f"{{ certificate_authority: {certificate}, server_name: store.test }}"
                    gateway.reload(**{**gateway.store, "url": f"rediss://127.0.0.1:{way.port}", "tls": tls})
                    eventually(lambda one=way: one.sent, "in use: TLS")
                    eventually(lambda one=gateway: one.reading("portcullis_store_up") == 1, "up")
                for gateway in running.gateways:
                    eventually(lambda one=gateway: not one.relay.pairs, "let go: what it used before")
            for gateway in running.gateways:
                same(program.prove(gateway, proof).status, 401, "the same proof")
            same(browser.ask(second).status, 200, "the session")
            wrong = f"{{ certificate_authority: {certificate}, server_name: other.test }}"
            third.reload(**{**third.store, "tls": wrong})
            third.says("store_lost", reason="tls")

            def is_down():
                answer = browser.ask(third)
                served_or_unavailable(answer, "a session")
                return answer.status == 503
            eventually(is_down, "down for the third")
            same(browser.ask(second).status, 200, "the session elsewhere")
            for way in ways:
                way.stop()


@waits
# holds SH-12, SH-03
def test_sentinels_are_asked_from_now_on_and_nobody_notices(binary):
    """The same store, whose primary others name now."""
    port, watch_port = free_port(), free_port()
    with fleet(binary, server=("--port", port, "--bind", "127.0.0.1"), recheck="0s") as running:
        running.store.ask("ACL", "SETUSER", "default", "on", "nopass", "~*", "&*", "+@all")
        browser = running.browser().log_in(running.gateways[0])
        with sentinel(running.folder, watch_port, port):
            with traffic(running, browser):
                for gateway in running.gateways:
                    before = running.store.ask("CLIENT", "LIST").count(b"addr=127.0.0.1")
                    gateway.reload(**{**gateway.store, "topology": "sentinel", "url": f"redis://127.0.0.1:{port}",
                                      "sentinel": f'{{ name: portcullis, url: ["redis://127.0.0.1:{watch_port}"] }}'})
                    eventually(lambda had=before: running.store.ask("CLIENT", "LIST").count(b"addr=127.0.0.1") > had,
                               "connected to the primary")
                    eventually(lambda one=gateway: one.reading("portcullis_store_up", node=f"127.0.0.1:{port}") == 1, "up")
                for gateway in running.gateways:
                    eventually(lambda one=gateway: not one.relay.pairs, "let go: what it used before")
            for gateway in running.gateways:
                same(browser.ask(gateway).status, 200, "the session")


@contextlib.contextmanager
def sentinel(folder, port, primary):
    """One Sentinel, which watches that primary."""
    configuration = folder / "sentinel.conf"
    configuration.write_text(f"port {port}\nbind 127.0.0.1\ndir {folder}\nsentinel monitor portcullis 127.0.0.1 {primary} 1\n")
    process = processes.start([SERVER, configuration, "--sentinel"], folder / "sentinel.log")
    try:
        eventually(lambda: b"+monitor" in (folder / "sentinel.log").read_bytes(), "a Sentinel")
        yield
    finally:
        processes.end(process)


# holds SH-12
# refuses SH-12
def test_another_store_is_told_and_has_everybody_sign_in_again_and_the_former_one_has_kept_them(binary):
    """No error on the way: whoever is not there has to sign in, and is there again when the gateways go back."""
    with fleet(binary, recheck="0s") as running:
        first = running.gateways[0]
        browser = running.browser().log_in(first)
        former = dict(browser.cookies)
        other = Store(running.folder / "other")
        other.start(lambda: other.allow(USER, PASSWORD, *COMMANDS), epoch="BBBBBBBBBBBBBBBBBBBBBA.1")
        settings = dict(first.store)
        try:
            for gateway in running.gateways:
                gateway.reload(**{**gateway.store, "url": f"unix:{other.path}"})
            for gateway in running.gateways:
                def is_unknown(one=gateway):
                    answer = browser.ask(one)
                    browser.cookies = dict(former)
                    assert answer.status in (200, 401, 503), answer.status
                    return answer.status == 401
                eventually(is_unknown, "unknown in another store")
            fresh = running.browser().log_in(first)
            same(fresh.ask(running.gateways[1]).status, 200, "a session of the other store")
            for gateway in running.gateways:
                gateway.reload(**settings)
            for gateway in running.gateways:
                def is_known(one=gateway):
                    answer = browser.ask(one)
                    browser.cookies = dict(former)
                    return answer.status == 200
                eventually(is_known, "known in the former one")
        finally:
            other.stop()


# refuses SH-12
def test_a_reload_that_leaves_the_sessions_behind_in_another_store_says_so(binary):
    """Whoever writes another URL by mistake reads why everybody signs in again."""
    with fleet(binary, recheck="0s") as running:
        first = running.gateways[0]
        other = Store(running.folder / "other")
        other.start(lambda: other.allow(USER, PASSWORD, *COMMANDS), epoch="BBBBBBBBBBBBBBBBBBBBBA.1")
        try:
            first.reload(**{**first.store, "url": f"unix:{other.path}"})
            eventually(lambda: running.browser().log_in(first), "a login in the other store")
            first.says("sessions_left_behind", seconds=3)
        finally:
            other.stop()


# refuses SH-61
def test_a_proof_that_one_store_knew_passes_nowhere_else_by_another_store(binary):
    """The other store is old enough to know of all proofs, and has another word: it was never asked about this one."""
    with fleet(binary) as running:
        first, second, third = running.gateways
        program = running.program()
        proof = program.proof()
        same(program.prove(first, proof).status, 200, "a proof")
        other = Store(running.folder / "other")
        other.start(lambda: other.allow(USER, PASSWORD, *COMMANDS), epoch="BBBBBBBBBBBBBBBBBBBBBA.1")
        try:
            for gateway in (second, third):
                gateway.reload(**{**gateway.store, "url": f"unix:{other.path}"})
                eventually(lambda one=gateway: one.reading("portcullis_store_up", node=str(other.path)) == 1, "up")
            passed = [gateway.number for gateway in (second, third) if program.prove(gateway, proof).status == 200]
            same(passed, [], "gateways where it passed again")
        finally:
            other.stop()
