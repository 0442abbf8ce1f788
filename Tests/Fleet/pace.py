"""What requests that need nothing of the store cost while it is slow, or stands still: what they cost before."""
import contextlib
import statistics
import threading
import time

from browser import ask, connection
from checks import alone, eventually, note, same, unavailable
from fleet import fleet

# Before, and as long while the store is slow, and while it stands still: of each kind of request.
SECONDS = 0.8
# Of each answer of the store's.
SLOW_SECONDS = 0.2
# Bounds so wide that a machine with much else to do keeps them. Whoever waits for the store once waits for a quarter of a second,
# and again a moment later: most of the time passes in requests that are held up then.
TIMES, SPARE_SECONDS = 2, 0.005
HELD_UP_SECONDS, HELD_UP_SHARE = 0.1, 0.5


class Figures:
    """Of requests one after the other, for a while: how long they took, and how much of it those that were held up."""

    def __init__(self, request):
        end, seconds = time.monotonic() + SECONDS, []
        while time.monotonic() < end:
            seconds.append(request())
        seconds.sort()
        self.count = len(seconds)
        self.median, self.p99 = statistics.median(seconds), seconds[len(seconds) * 99 // 100]
        self.held_up = sum(one for one in seconds if one > HELD_UP_SECONDS) / SECONDS

    def __str__(self):
        return (f"{self.count} requests, median {1000 * self.median:.2f} ms, p99 {1000 * self.p99:.2f} ms, "
                f"{100 * self.held_up:.0f} % of the time held up")


def measure(gateway, program, known):
    """Figures by name; each answer is 200. What is known is a session and a gateway that does not ask about it."""
    browser, calm = known
    found = {}
    with contextlib.closing(connection(gateway)) as way, contextlib.closing(connection(calm)) as other:
        requests = {"public": lambda: ask(gateway, "/open/a", over=way), "bearer": lambda: program.call(gateway, over=way),
                    "session": lambda: browser.ask(calm, over=other)}

        def timed(name):
            answer = requests[name]()
            same(answer.status, 200, name)
            return answer.seconds
        for name in requests:
            found[name] = Figures(lambda one=name: timed(one))
    return found


class Proving:
    """Requests with proofs and of sessions, one after the other, which wait for the store or are refused for its sake."""

    def __init__(self, gateway, program, browser):
        self.is_over = threading.Event()
        self.statuses, self.seconds = {}, []
        self.threads = [threading.Thread(target=self.run, args=(one,), daemon=True)
                        for one in (lambda: program.prove(gateway), lambda: browser.ask(gateway))]

    def run(self, request):
        """Until it is over, with a pause, so that there is room for those that are measured."""
        while not self.is_over.wait(0.05):
            answer = request()
            self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
            self.seconds.append(answer.seconds)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()


@alone
# holds SH-14, SH-66, SH-74, SH-78
# refuses SH-14, SH-66, SH-78
def test_requests_that_need_nothing_of_the_store_take_no_longer_while_it_is_slow_or_stands_still(binary):
    """Nor while others wait for it, at the same worker: for as long as it takes, and in vain where it says nothing."""
    with fleet(binary, recheck="0s") as running:
        gateway, program, browser = running.gateways[0], running.program(), running.browser().log_in(running.gateways[1])
        calm = running.add(**running.login(), recheck="10m")
        calm.start()
        calm.await_ready()
        known = (running.browser().log_in(calm), calm)
        eventually(lambda: program.prove(gateway).status == 200, "a proof")
        with Proving(gateway, program, browser) as load:
            before = measure(gateway, program, known)
        same(set(load.statuses), {200}, "statuses of those that need the store, before")
        for one in (gateway, calm):
            one.relay.slow(SLOW_SECONDS)
        with Proving(gateway, program, browser) as load:
            slow = measure(gateway, program, known)
        same(set(load.statuses), {200}, "statuses of those that need the store, while it is slow")
        assert min(load.seconds) > SLOW_SECONDS, f"{min(load.seconds):.2f} s"
        for one in (gateway, calm):
            one.relay.heal()
        running.store.freeze()
        with Proving(gateway, program, browser) as load:
            during = measure(gateway, program, known)
        # All of it was while the store stood still.
        unavailable(program.prove(gateway), "a proof")
        same(set(load.statuses), {503}, "statuses of those that need the store, meanwhile")
        running.store.thaw()
        for name, figures in before.items():
            note(f"pace: {name}: {figures} before, {slow[name]} while the store was slow, {during[name]} while it stood still")
        for name, figures in before.items():
            for now in (slow[name], during[name]):
                assert now.median < TIMES * figures.median + SPARE_SECONDS, f"median of {name}: {now}, before: {figures}"
                assert now.held_up < figures.held_up + HELD_UP_SHARE, f"held up: {name}: {now}, before: {figures}"
