"""What requests that need nothing of the store cost while it stands still: what they cost before."""
import contextlib
import statistics
import threading
import time

from browser import ask, connection
from checks import alone, eventually, note, same, unavailable
from fleet import fleet

# Before, and as long while the store stands still: of each kind of request.
SECONDS = 2
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


def measure(gateway, program):
    """Figures by name; each answer is 200."""
    found = {}
    with contextlib.closing(connection(gateway)) as way:
        def public():
            answer = ask(gateway, "/open/a", over=way)
            same(answer.status, 200, "a public route")
            return answer.seconds

        def bearer():
            answer = program.call(gateway, over=way)
            same(answer.status, 200, "a token")
            return answer.seconds
        for name, request in (("public", public), ("bearer", bearer)):
            found[name] = Figures(request)
    return found


class Proving:
    """Requests with proofs and of sessions, one after the other, which wait for the store or are refused for its sake."""

    def __init__(self, gateway, program, browser):
        self.is_over = threading.Event()
        self.statuses = {}
        self.threads = [threading.Thread(target=self.run, args=(one,), daemon=True)
                        for one in (lambda: program.prove(gateway), lambda: browser.ask(gateway))]

    def run(self, request):
        """Until it is over, with a pause, so that there is room for those that are measured."""
        while not self.is_over.wait(0.05):
            status = request().status
            self.statuses[status] = self.statuses.get(status, 0) + 1

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
# refuses SH-14, SH-66
def test_requests_that_need_nothing_of_the_store_take_no_longer_while_it_stands_still(binary):
    """Nor while others wait for it, at the same worker."""
    with fleet(binary, recheck="0s") as running:
        gateway, program, browser = running.gateways[0], running.program(), running.browser().log_in(running.gateways[1])
        eventually(lambda: program.prove(gateway).status == 200, "a proof")
        with Proving(gateway, program, browser) as load:
            before = measure(gateway, program)
        same(set(load.statuses), {200}, "statuses of those that need the store, before")
        running.store.freeze()
        with Proving(gateway, program, browser) as load:
            during = measure(gateway, program)
        # All of it was while the store stood still.
        unavailable(program.prove(gateway), "a proof")
        same(set(load.statuses), {503}, "statuses of those that need the store, meanwhile")
        running.store.thaw()
        for name, figures in before.items():
            note(f"pace: {name}: {figures} before, {during[name]} while the store stood still")
        for name, figures in before.items():
            now = during[name]
            assert now.median < TIMES * figures.median + SPARE_SECONDS, f"median of {name}: {now}, before: {figures}"
            assert now.held_up < figures.held_up + HELD_UP_SHARE, f"held up: {name}: {now}, before: {figures}"
