"""The kernel loses packets between gateways and the store, with no program in between: all, those of one way, or a third of them."""
import concurrent.futures
import contextlib
import time

from browser import ask
from checks import becomes, eventually, note, same, served_or_unavailable, signs_out, unavailable
from fleet import fleet
from network import in_own_network
from partitions import SETTINGS, cut_off, know_all, passes, prove_in_vain
from store import free_port

# The store has an address for each gateway.
WAYS = ["127.0.0.11", "127.0.0.12", "127.0.0.13"]
SHARE = 0.3
# So many times at least is everything asked while some packets are lost, and so long may it take until both answers were seen.
ROUNDS, SECONDS = 5, 60
# Within three seconds that nothing comes back is noticed, and one is for whoever looks.
NOTICED_SECONDS = 3 + 1


@contextlib.contextmanager
def connected(binary):
    """Three gateways, each of which reaches the store by TCP and at another address of it."""
    port, store = free_port(), dict(SETTINGS)
    with fleet(binary, count=0, workers=store.pop("workers"), server=("--port", port, "--bind", *WAYS)) as running:
        for way in WAYS:
            running.add(**running.login(), **store, url=f"redis://{way}:{port}").start()
        for gateway in running.gateways:
            gateway.await_ready()
        yield running


@in_own_network
# holds SH-79, SH-75, SH-40, SH-41
# refuses SH-79, SH-21, SH-41
def test_a_gateway_that_loses_all_packets_to_the_store_hears_of_everything_when_they_pass_again(binary, network):
    """The others go on, at the same store."""
    with connected(binary) as running:
        cut_off(running, lambda: network.lose(WAYS[2]), network.heal)


@in_own_network
# holds SH-79, SH-75, SH-55
# refuses SH-79, SH-21, SH-37, SH-58
def test_a_store_that_lost_packets_cut_off_from_all_gateways_blames_nobody_and_no_proof_passes_twice(binary, network):
    """What was sent to it may arrive once packets pass again, or never."""
    with connected(binary) as running:
        first, second, third = running.gateways
        browser, unseen, program = running.browser().log_in(first), running.browser().log_in(second), running.program()
        waiting = running.browser()
        target = waiting.begin(second)
        know_all(running, program, browser)
        proofs = [program.proof() for _ in running.gateways]
        network.lose(*WAYS)
        lost_at = time.monotonic()
        prove_in_vain(running, program, proofs)
        for gateway in running.gateways:
            eventually(lambda one=gateway: one.reading("portcullis_store_up") == 0, "noticed")
        noticed = time.monotonic() - lost_at
        assert noticed < NOTICED_SECONDS, f"{noticed:.1f} s"

        def is_refused():
            """At all of them; what needs nothing of the store is served."""
            answers = [browser.ask(gateway) for gateway in running.gateways]
            for answer in answers:
                served_or_unavailable(answer, "a session")
            for gateway in running.gateways:
                unavailable(program.prove(gateway), "a proof")
                same(program.call(gateway).status, 200, "a token without a proof")
                same(ask(gateway, "/open/a").status, 200, "a public route")
            unavailable(unseen.ask(third), "a session that it has never seen")
            unavailable(waiting.ask(second, target), "a login")
            return all(answer.status == 503 for answer in answers)
        eventually(is_refused, "refused")
        for gateway in running.gateways:
            same(gateway.reading("portcullis_store_up"), 0, "up")
            unavailable(browser.log_out(gateway), "a logout")
        assert browser.session, "its cookie is gone"
        network.heal()
        healed_at = time.monotonic()
        for gateway in running.gateways:
            becomes(lambda one=gateway: browser.ask(one), 200, "a session, as before")
            becomes(lambda one=gateway: unseen.ask(one), 200, "a session that it has never seen")
        note(f"packets: {healed_at - lost_at:.1f} s without any, and {time.monotonic() - healed_at:.1f} s until all served again")
        becomes(lambda: waiting.ask(second, target), 303, "the same callback again")
        passed = []
        for place, proof in enumerate(proofs):
            own, *others = running.gateways[place:] + running.gateways[:place]
            same(passes(program, proof, [own]), 0, "a proof once more where it was not answered")
            passed.append(passes(program, proof, others + [own]))
        assert max(passed) <= 1, f"of proofs that were not answered: passed so many times: {passed}"
        for gateway in running.gateways:
            fresh = program.proof()
            becomes(lambda one=gateway, sent=fresh: program.prove(one, sent), 200, "another proof")
            same(passes(program, fresh, running.gateways), 0, "a proof that has passed")
        signs_out(running.gateways, first, browser, unseen)


@in_own_network
# holds SH-75, SH-79
# refuses SH-58, SH-17, SH-37
def test_a_proof_that_the_store_has_and_whose_answer_was_lost_passes_nowhere(binary, network):
    """Packets arrive at the store and none comes back; a logout that was not answered can be asked for again."""
    with connected(binary) as running:
        first, second, third = running.gateways
        leaving, staying, program = running.browser().log_in(first), running.browser().log_in(second), running.program()
        know_all(running, program, leaving, staying)
        known, proof = len(used(running)), program.proof()
        network.lose_answers(WAYS[0])
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            logout = pool.submit(leaving.log_out, first)
            unavailable(program.prove(first, proof), "a proof")
            unavailable(logout.result(), "a logout")
        eventually(lambda: len(used(running)) > known, "at the store")
        assert leaving.session, "its cookie is gone"
        same(passes(program, proof, [second, third]), 0, "the proof elsewhere")
        for gateway in (second, third):
            becomes(lambda one=gateway: staying.ask(one), 200, "somebody else's")
        network.heal()
        eventually(lambda: program.prove(first).status == 200, "another proof")
        same(passes(program, proof, running.gateways), 0, "the proof")
        # The same one again.
        signs_out(running.gateways, first, leaving, staying)


@in_own_network
# holds SH-79, SH-75, SH-55
# refuses SH-79, SH-21, SH-58
def test_where_a_third_of_the_packets_are_lost_all_is_served_or_comes_again_and_no_proof_passes_twice(binary, network):
    """Some answers come late and some never, and connections with them."""
    with connected(binary) as running:
        browser, program = running.browser().log_in(running.gateways[0]), running.program()
        know_all(running, program, browser)
        rounds, served, proofs = [], set(), []
        network.lose(*WAYS, share=SHARE)

        def ask_all(place):
            """One gateway, and the one before it about the same proof."""
            gateway, proof = running.gateways[place], program.proof()
            served_or_unavailable(browser.ask(gateway), "a session")
            same(program.call(gateway).status, 200, "a token without a proof")
            answer = program.prove(gateway, proof)
            served_or_unavailable(answer, "a proof")
            again = program.prove(running.gateways[place - 1], proof)
            if again.status != 401:
                served_or_unavailable(again, "the same proof elsewhere")
            if answer.status == 200:
                served.add(gateway.number)
            proofs.append((proof, [answer.status, again.status].count(200)))
            return answer.status == 503

        def are_both_seen():
            """Proofs that pass, at each of them, and one that is to come again."""
            rounds.append(any(list(pool.map(ask_all, range(len(WAYS))))))
            return len(rounds) >= ROUNDS and any(rounds) and len(served) == len(WAYS)
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(len(WAYS)) as pool:
            eventually(are_both_seen, "served and put off", SECONDS)
        network.heal()
        note(f"packets: {len(rounds)} rounds in {time.monotonic() - began:.1f} s, "
             f"{sum(count for _, count in proofs)} of {len(proofs)} proofs passed")
        for gateway in running.gateways:
            becomes(lambda one=gateway: browser.ask(one), 200, "a session, as before")
            eventually(lambda one=gateway: program.prove(one).status == 200, "another proof")
        for proof, count in proofs:
            count += passes(program, proof, running.gateways)
            assert count <= 1, f"a proof has passed {count} times"


def used(running):
    """The names of proofs at the store."""
    return running.store.ask("KEYS", "pc:p:*")
