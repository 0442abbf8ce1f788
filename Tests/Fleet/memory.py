"""A store whose memory is full."""
from browser import back_channel
from checks import blames_nobody, eventually, same, served_or_later, unavailable
from fleet import fleet
from refreshes import leave


# holds SH-81, SH-75
# refuses SH-81, SH-21
def test_without_room_nothing_new_is_kept_and_what_is_there_is_read_and_ended(binary):
    """Logins and proofs get 503 and may come again; sessions are served, asked about, and end."""
    with fleet(binary, recheck="0s") as running:
        first, second, third = running.gateways
        known, leaving, program = running.browser().log_in(first), running.browser().log_in(first), running.program()
        waiting = running.browser()
        target = waiting.begin(second)
        kept = dict(waiting.cookies)
        same(program.prove(first).status, 200, "a proof")
        running.store.fill()
        for gateway in running.gateways:
            unavailable(program.prove(gateway), "a proof")
            unavailable(waiting.ask(gateway, target), "a login")
            # Each asks the store about it, and the third reads it for the first time.
            answer = known.ask(gateway)
            blames_nobody(answer)
            same(answer.status, 200, "a session")
            same(program.call(gateway).status, 200, "a token without a proof")
        same(waiting.cookies, kept, "cookies of whoever signs in")
        for gateway in (first, second, third):
            gateway.says("store_refused", found="OOM", setting="maxmemory", level="error")
        # Whoever wants to leave can.
        same(leaving.log_out(third).status, 200, "a logout")
        same(leaving.session, None)
        running.store.empty()
        same(waiting.ask(third, target).status, 303, "the same callback again")
        same(waiting.ask(first).status, 200, "the session of that login")
        same(program.prove(second).status, 200, "a proof, with room")


# holds SH-81, SH-41
# refuses SH-41
def test_without_room_a_logout_holds_at_all_gateways_at_once(binary):
    """A logout, and what a logout token of the server's says, are written all the same."""
    with fleet(binary, recheck="10m") as running:
        first, second, third = running.gateways
        leaving, kept, told = (running.browser().log_in(first) for _ in range(3))
        former = dict(leaving.cookies)
        for gateway in running.gateways:
            for browser in (leaving, kept, told):
                same(browser.ask(gateway).status, 200)
        running.store.fill()
        unavailable(running.program().prove(first), "a proof")
        same(leaving.log_out(second).status, 200, "a logout")
        leaving.cookies = former
        for gateway in running.gateways:
            eventually(lambda one=gateway: leaving.status(one) == 401, "over at each of them")
            same(kept.ask(gateway).status, 200, "somebody else's session")
        # The server's word is obeyed. That it was heard cannot be kept, so the server says it again until it can.
        word = running.issuer.logout_token()
        unavailable(back_channel(third, word), "a logout token")
        for gateway in running.gateways:
            eventually(lambda one=gateway: told.status(one) == 401, "over at each of them")
        running.store.empty()
        same(back_channel(second, word).status, 200, "the same logout token, with room")
        same(back_channel(first, word).status, 400, "the same logout token once more")


# refuses SH-81, SH-21
def test_without_room_nobody_asks_the_server_for_new_tokens_and_with_room_one_gateway_does(binary):
    """The right to ask cannot be kept: a session whose token is over is answered 503, and lives."""
    with fleet(binary) as running:
        issuer = running.issuer
        browser = running.browser(seconds=1).log_in(running.gateways[0])
        running.store.fill()

        def is_over():
            answers = [browser.ask(gateway) for gateway in running.gateways]
            for answer in answers:
                served_or_later(answer, "a session whose token is over")
            return all(answer.status == 503 for answer in answers)
        eventually(is_over, "over: the token")
        same(issuer.refreshes, [], "refreshes without room")
        running.store.empty()
        for gateway in running.gateways:
            def is_served(one=gateway):
                answer = browser.ask(one)
                served_or_later(answer, "a session")
                return answer.status == 200
            eventually(is_served, "served with room")
        same((len(issuer.refreshes), issuer.refused), (1, []), "refreshes")


# holds SH-43
# refuses SH-43
def test_sessions_that_somebody_has_left_are_none_of_the_thousand_that_a_user_may_have(binary):
    """Else whoever signs in and out a thousand times in a day loses the one session that he never left."""
    with fleet(binary) as running:
        first, second, _ = running.gateways
        staying = running.browser().log_in(first)
        for _ in range(5):
            leave(running.browser().log_in(first), second)
        [index] = [name for name in running.store.keys() if name.startswith(b"pc:u:")]
        eventually(lambda: running.store.ask("ZCARD", index) == 1, "taken away: those that are over")
        same(staying.ask(second).status, 200, "the one that lives")
