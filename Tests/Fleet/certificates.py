"""TLS to the store: whom gateways do not use, and by which certificates they get in where they are asked for one."""
import contextlib
import re
import shutil
import socket
import ssl

from browser import ask, back_channel
from checks import becomes, eventually, same, served_or_unavailable, unavailable, waits
from faults import fault
from fleet import PASSWORD, fleet
from reloads import await_reloaded, traffic
from signing import Authority, authority
from store import free_port

NAME = "store.test"
# What whoever runs the store asks it here.
OWN = {"config|set", "config|resetstat", "client|kill", "info", "acl|log"}


class Secured:
    """A store that speaks TLS, its gateways, and whoever signs its certificate and theirs."""

    def __init__(self, running):
        self.running, self.store, self.port = running, running.store, free_port()
        self.authority = Authority(running.folder)
        self.clients = Authority(running.folder, "clients")
        self.good = self.authority.issue(NAME)
        # Signed in at the first gateway, where there is one.
        self.browser = None
        self.set(tls_auth_clients="no")
        self.show(self.good)
        self.set(tls_port=self.port)

    def set(self, **settings):
        """Changes these of the server, all at once; connections that stand are left alone."""
        self.store.ask("CONFIG", "SET", *(word for name, value in settings.items() for word in (name.replace("_", "-"), value)))

    def show(self, identity):
        """The server has this certificate and its key from now on."""
        self.set(tls_cert_file=identity[0], tls_key_file=identity[1])

    def let_in(self, *authorities):
        """From now on the server asks who comes, and lets those in whose certificates these have signed."""
        together = self.running.folder / f"let-in-{'-'.join(one.certificate.stem for one in authorities)}.crt"
        together.write_text("".join(one.certificate.read_text() for one in authorities))
        self.set(tls_ca_cert_file=together, tls_auth_clients="yes")

    def ask_everybody(self):
        """It lets in those who have a certificate."""
        self.let_in(self.clients)

    def put_out(self):
        """Ends the connections of all gateways."""
        self.store.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")

    def add(self, is_named=False):
        """One more gateway, with a certificate of its own or none; it has not started."""
        gateway = self.running.add(**self.running.login(), recheck="0s", url=f"rediss://127.0.0.1:{self.port}")
        gateway.store["tls"] = self.way(gateway, is_named)
        return gateway

    def way(self, gateway, is_named):
        """The settings of its TLS."""
        words = f"certificate_authority: $FOLDER/authority.crt, server_name: {NAME}"
        if is_named:
            put(gateway, self.clients.issue("gateway.test"))
            words += f", client_certificate: {gateway.folder}/client.crt, client_key: {{ file: {gateway.folder}/client.pem }}"
        return f"{{ {words} }}"

    def forget(self):
        """Begins to count anew what is asked."""
        self.store.ask("CONFIG", "RESETSTAT")
        self.store.ask("ACL", "LOG", "RESET")

    def has_heard_nothing(self):
        """Since then no connection has come about, and nobody has asked anything: not even by a password that is wrong."""
        came = re.search(r"total_connections_received:(\d+)", self.store.ask("INFO", "stats").decode())[1]
        asked = set(re.findall(r"^cmdstat_(.+?):", self.store.ask("INFO", "commandstats").decode(), re.MULTILINE)) - OWN
        same((came, asked, self.store.ask("ACL", "LOG")), ("0", set(), []), "connections, commands and refusals")

    def connections(self):
        """The numbers of those that stand."""
        return set(re.findall(r"^id=(\d+)", self.store.ask("CLIENT", "LIST").decode(), re.MULTILINE))


@contextlib.contextmanager
def secured(binary, count=2, are_named=False, protocols=""):
    """Gateways that serve, each with a certificate of its own where the store asks for one; these versions are spoken."""
    with fleet(binary, count=0, server=("--bind", "127.0.0.1")) as running:
        stage = Secured(running)
        stage.set(tls_protocols=protocols)
        if are_named:
            stage.ask_everybody()
        for _ in range(count):
            stage.add(are_named).start()
        for gateway in running.gateways:
            gateway.await_ready()
        if running.gateways:
            stage.browser = running.browser().log_in(running.gateways[0])
        yield stage


def put(gateway, identity):
    """Brings a gateway a certificate and its key, by renaming."""
    for source, name in zip(identity, ("client.crt", "client.pem")):
        unfinished = gateway.folder / f"{name}.new"
        shutil.copy(source, unfinished)
        unfinished.chmod(0o600)
        unfinished.rename(gateway.folder / name)


@fault
def replace(gateway, identity):
    """A gateway has another certificate."""
    put(gateway, identity)


@fault
def believe(stage, *authorities):
    """Gateways believe a store whose certificate one of these has signed, and no other."""
    unfinished = stage.running.folder / "authority.new"
    unfinished.write_text("".join(authorities))
    unfinished.rename(stage.authority.certificate)


@fault
def spoil(stage, change):
    """The server becomes another one, and connections have to begin anew."""
    change(stage)
    stage.put_out()
    stage.forget()


def spoken(port, identity=None):
    """The version of TLS, up to 1.2, in which the server lets somebody in who believes anybody; None where it does not."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_2
    if identity:
        context.load_cert_chain(*identity)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as plain, context.wrap_socket(plain) as way:
            return way.version()
    except OSError:
        return None


def is_as_if_there_were_no_store(stage, gateway, browser, login):
    """Whatever needs it is 503, and all else as ever; nobody is signed out or sent to sign in."""
    program, unknown = stage.running.program(), stage.running.browser()
    unknown.cookies["__Host-portcullis-web"] = "A" * 64
    waiting, target = login
    unavailable(browser.ask(gateway), "a session")
    unavailable(unknown.ask(gateway), "a session that nobody knows")
    unavailable(waiting.ask(gateway, target), "a login")
    unavailable(program.prove(gateway), "a proof")
    unavailable(browser.log_out(gateway), "a logout")
    unavailable(back_channel(gateway, stage.running.issuer.logout_token("nobody")), "a logout token")
    same(gateway.reading("portcullis_store_up"), 0, "portcullis_store_up")
    same(gateway.ready()[1]["store"], "down", "what readiness says of the store")
    same((ask(gateway, "/open/a").status, program.call(gateway).status), (200, 200), "what needs no store")


def is_well(stage, gateway, browser):
    """The session of before is served, and proofs pass."""
    program = stage.running.program()
    becomes(lambda: browser.ask(gateway), 200, "the session")
    becomes(lambda: program.prove(gateway), 200, "a proof")
    eventually(lambda: gateway.reading("portcullis_store_up") == 1, "up")


def begun(stage):
    """One more gateway, whatever becomes of its store."""
    gateway = stage.add()
    gateway.start()
    gateway.await_listening()
    return gateway


def attempts(gateway):
    """How many connections have come to nothing because of TLS."""
    return gateway.reading("portcullis_store_reconnects_total", reason="tls")


def signing_in(stage, gateway):
    """Somebody whose login is under way, and where he comes back."""
    browser = stage.running.browser()
    return browser, browser.begin(gateway)


def never_used(binary, change, found):
    """By those that used the server before, and by one that starts, until it is what it was."""
    with secured(binary) as stage:
        first, second = stage.running.gateways
        browser = stage.browser
        login = signing_in(stage, second)
        spoil(stage, change)
        late = begun(stage)
        for gateway in (first, second, late):
            gateway.says("store_lost", reason="tls", setting="store.tls", address=f"127.0.0.1:{stage.port}", found=found)
            is_as_if_there_were_no_store(stage, gateway, browser, login)
            tried = attempts(gateway)
            eventually(lambda one=gateway, before=tried: attempts(one) > before, "tried again")
            assert PASSWORD not in gateway.last_words() + str(gateway.lines()), "a password in the log"
        stage.has_heard_nothing()
        stage.set(tls_protocols="", tls_ciphers="")
        stage.show(stage.good)
        for gateway in (first, second, late):
            is_well(stage, gateway, browser)
        same(login[0].ask(late, login[1]).status, 303, "the same callback again")


# holds SH-05, SH-21
# refuses SH-05, SH-21, SH-74
def test_a_store_whose_certificate_has_expired_is_never_used(binary):
    """Until it has one that is good."""
    never_used(binary, lambda stage: stage.show(stage.authority.issue(NAME, days=-1)), "certificate has expired")


# refuses SH-05, SH-21, SH-74
def test_a_store_whose_certificate_is_signed_by_itself_is_never_used(binary):
    """It has the name, and nobody who is believed says so."""
    never_used(binary, lambda stage: stage.show(authority(stage.running.folder)), "signed certificate")


# refuses SH-05, SH-21, SH-74
def test_a_store_whose_certificate_somebody_else_has_signed_is_never_used(binary):
    """Somebody who calls himself as they do whom the gateways believe."""
    def change(stage):
        elsewhere = stage.running.folder / "elsewhere"
        elsewhere.mkdir()
        stage.show(Authority(elsewhere).issue(NAME))
    never_used(binary, change, "issuer certificate")


# refuses SH-05, SH-21, SH-74
def test_a_store_whose_certificate_has_another_name_is_never_used(binary):
    """Its authority signs for others too."""
    never_used(binary, lambda stage: stage.show(stage.authority.issue("other.test")), "hostname mismatch")


# refuses SH-05, SH-21, SH-74
def test_a_store_that_speaks_tls_1_1_at_most_is_never_used(binary):
    """Whoever speaks it is let in there."""
    never_used(binary, speak_old, "")


# refuses SH-05
def test_a_store_that_speaks_tls_1_1_at_most_is_told_by_its_version(binary):
    """It says so itself; its certificate and the gateway's are as they should be."""
    with secured(binary, count=0) as stage:
        spoil(stage, speak_old)
        same(told(begun(stage)), ("tls", "store.tls", "no version of TLS that both speak"), "told")


def told(gateway):
    """Reason, setting and what was found, of the first line about a store that was not reached."""
    said = gateway.says("store_lost")
    return said["reason"], said.get("setting"), said["found"]


def speak_old(stage):
    """The server speaks TLS 1.1 and nothing else."""
    stage.set(tls_protocols="TLSv1.1", tls_ciphers="DEFAULT@SECLEVEL=0")
    same(spoken(stage.port), "TLSv1.1", "what the server speaks")


@waits
# holds SH-05, SH-12
# refuses SH-05
def test_the_authority_of_the_store_is_changed_while_both_are_believed_and_nobody_notices(binary):
    """By the file, which gateways read again by themselves; the former one is nobody any more then."""
    with secured(binary) as stage:
        browser = stage.browser
        former, other = stage.authority.certificate.read_text(), Authority(stage.running.folder, "other")
        with traffic(stage.running, browser):
            believe(stage, former, other.certificate.read_text())
            await_reloaded(stage.running, 1)
            stage.show(other.issue(NAME))
            believe(stage, other.certificate.read_text())
            await_reloaded(stage.running, 2)
        for gateway in stage.running.gateways:
            same(gateway.lines("store_lost"), [], "lost")
        stage.show(stage.good)
        stage.put_out()
        login = signing_in(stage, stage.running.gateways[0])
        for gateway in stage.running.gateways:
            gateway.says("store_lost", reason="tls", setting="store.tls")
            is_as_if_there_were_no_store(stage, gateway, browser, login)
        stage.show(other.issue(NAME))
        for gateway in stage.running.gateways:
            is_well(stage, gateway, browser)


@waits
# holds SH-05, SH-12
def test_the_certificates_of_gateways_and_their_authority_are_changed_and_nobody_notices(binary):
    """The store lets both in for a while, and then only who has the new one, which gateways read by themselves."""
    with secured(binary, are_named=True) as stage:
        first, second = stage.running.gateways
        browser = stage.browser
        other, old = Authority(stage.running.folder, "other"), stage.clients.issue("gateway.test")
        new = other.issue("gateway.test")
        before = stage.connections() - {str(stage.store.ask("CLIENT", "ID"))}
        with traffic(stage.running, browser):
            stage.let_in(stage.clients, other)
            for gateway in (first, second):
                replace(gateway, new)
            await_reloaded(stage.running, 1)
            stage.let_in(other)
            eventually(lambda: not before & stage.connections(), "let go: the connections of before")
        for gateway in (first, second):
            same(gateway.lines("store_lost"), [], "lost")
        same([spoken(stage.port, shown) for shown in (None, old, new)], [None, None, "TLSv1.2"], "with none, the old and the new")
        # Connections begin anew, and find somebody who lets in nobody else.
        with traffic(stage.running, browser, served_or_unavailable):
            stage.put_out()
            for gateway in (first, second):
                gateway.says("store_lost")
                is_well(stage, gateway, browser)


@waits
# holds SH-05, SH-21
# refuses SH-05, SH-21, SH-74
def test_a_gateway_whose_certificate_the_store_does_not_accept_has_no_store_until_it_has_the_right_one(binary):
    """It serves on by what stands for as long as new connections may take; the other gateway notices nothing."""
    with secured(binary, are_named=True) as stage:
        first, second = stage.running.gateways
        browser = stage.browser
        login = signing_in(stage, first)
        replace(first, Authority(stage.running.folder, "other").issue("gateway.test"))
        first.says("store_lost", address=f"127.0.0.1:{stage.port}")

        def is_down():
            same(browser.ask(second).status, 200, "the session elsewhere")
            answer = browser.ask(first)
            served_or_unavailable(answer, "the session")
            return answer.status == 503
        eventually(is_down, "down")
        is_as_if_there_were_no_store(stage, first, browser, login)
        replace(first, stage.clients.issue("gateway.test"))
        is_well(stage, first, browser)
        same(login[0].ask(first, login[1]).status, 303, "the same callback again")
        same(second.lines("store_lost"), [], "lost by the other gateway")


def begins_to_ask(binary, protocols, **said):
    """Gateways that have no certificate are put out, and get in by a reload that names one."""
    with secured(binary, protocols=protocols) as stage:
        first, second = stage.running.gateways
        browser = stage.browser
        login = signing_in(stage, second)
        spoil(stage, Secured.ask_everybody)
        for gateway in (first, second):
            gateway.says("store_lost", address=f"127.0.0.1:{stage.port}", **said)
            eventually(lambda one=gateway: one.reading("portcullis_store_up") == 0, "down")
            is_as_if_there_were_no_store(stage, gateway, browser, login)
        stage.has_heard_nothing()
        for gateway in (first, second):
            gateway.reload(**{**gateway.store, "tls": stage.way(gateway, is_named=True)})
            is_well(stage, gateway, browser)
        same(login[0].ask(first, login[1]).status, 303, "the same callback again")


# holds SH-05, SH-12
# refuses SH-05, SH-21, SH-74
def test_a_store_that_begins_to_ask_for_certificates_is_told_and_a_reload_that_names_them_is_enough(binary):
    """So it is with TLS 1.2, where the server has heard nothing yet when it says what it lacks."""
    begins_to_ask(binary, "TLSv1.2", reason="tls", setting="store.tls", found="client certificate")


# holds SH-05, SH-12
# refuses SH-05, SH-21, SH-74
def test_a_store_that_begins_to_ask_for_certificates_is_used_after_a_reload_that_names_them_with_tls_1_3_too(binary):
    """There the gateway has sent its first commands by then, which the server never reads."""
    begins_to_ask(binary, "TLSv1.3", reason="tls", setting="store.tls", found="client certificate")


# refuses SH-05
def test_a_store_that_begins_to_ask_for_certificates_is_told_with_tls_1_3_too(binary):
    """What is wrong is the certificate, and not that the store wants TLS, which it has."""
    with secured(binary, count=0, protocols="TLSv1.3") as stage:
        spoil(stage, Secured.ask_everybody)
        same(told(begun(stage))[:2], ("tls", "store.tls"), "told")
