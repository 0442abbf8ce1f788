"""A store that is started again with its data, as whoever runs it has set it up by the documents."""
import re

from browser import back_channel
from checks import becomes, eventually, same, served_or_unavailable
from clusters import signed_in
from faults import fault
from fleet import PASSWORD, fleet
from reloads import traffic
from rights import DOCUMENT

ADMINISTRATOR = ("admin", "password-of-the-administrators-5518")


# holds SH-76, SH-75
# refuses SH-76, SH-21, SH-55
def test_a_store_that_restarts_with_its_data_keeps_everybody_signed_in_and_whoever_has_left_out(binary):
    """It crashes, and reads its append-only file back: sessions, endings, the newest tokens and used proofs are as before."""
    with fleet(binary, count=0, starts=False) as running:
        keep_data(running.store)
        running.store.start()
        for _ in range(3):
            running.add(**running.login(), recheck="0s").start()
        for gateway in running.gateways:
            gateway.await_ready()
        first, second, third = running.gateways
        staying, left, told = (running.browser().log_in(gateway) for gateway in running.gateways)
        renewed, program, waiting = running.browser(seconds=5).log_in(first), running.program(), running.browser()
        ended, issuer = (left, told), running.issuer

        def is_renewed():
            same(renewed.ask(second).status, 200, "a session whose token is soon over")
            return issuer.renewed
        eventually(is_renewed, "refreshed")
        proof = program.proof()
        same(program.prove(first, proof).status, 200, "a proof")
        target = waiting.begin(third)
        former = dict(left.cookies)
        same(left.log_out(second).status, 200, "a logout")
        left.cookies = former
        same(back_channel(third, issuer.logout_token(issuer.sids[2])).status, 200, "a logout token")
        with traffic(running, staying, served_or_unavailable):
            restart(running.store)
            for gateway in running.gateways:
                gateway.says("store_lost")

                def is_back(one=gateway):
                    """Never once is a session served that has ended, nor a proof that was used."""
                    for browser in ended:
                        assert browser.status(one) != 200, "an ended session is served"
                    assert program.prove(one, proof).status != 200, "a used proof passes"
                    answer = staying.ask(one)
                    served_or_unavailable(answer, "a session")
                    return answer.status == 200
                eventually(is_back, "served as before")
                for browser in ended:
                    eventually(lambda who=browser, one=gateway: who.status(one) == 401, "still over")
                eventually(lambda one=gateway: program.prove(one, proof).status == 401, "still used: the proof")
                becomes(lambda one=gateway: program.prove(one), 200, "another proof")
        for gateway in running.gateways:
            becomes(lambda one=gateway: renewed.ask(one), 200, "a session with new tokens")
            assert running.app.credentials[-1].removeprefix("Bearer ") in issuer.renewed, "the token of before the refresh"
        same((len(issuer.refreshes), issuer.refused), (1, []), "what the server was asked")
        # What is written by scripts is written as before.
        becomes(lambda: waiting.ask(second, target), 303, "a login that had begun")
        fresh = signed_in(running, third)
        for browser in (waiting, fresh, staying):
            for gateway in running.gateways:
                becomes(lambda who=browser, one=gateway: who.ask(one), 200, "a session")
        becomes(lambda: staying.log_out(third), 200, "a logout")
        for gateway in running.gateways:
            same(gateway.lines("store_forgot"), [], "told: it forgot")


def keep_data(store):
    """Has it write all that it is told into a file, and know the users of the documents alone."""
    lines = re.search(r"^user default (?:.+\n)+", DOCUMENT.read_text(), re.MULTILINE)[0].partition("```")[0]
    lines = lines.replace("\n    ", " ").replace(">ADMINISTRATORS", f">{ADMINISTRATOR[1]}").replace(">PASSWORD", f">{PASSWORD}")
    users = store.folder / "users.acl"
    users.write_text(lines)
    store.administrator = ADMINISTRATOR
    store.arguments += ["--appendonly", "yes", "--appendfsync", "always", "--aclfile", str(users)]


@fault
def restart(store):
    """It ends as in a crash, and begins anew with what it had."""
    store.stop()
    store.start(epoch=None)
