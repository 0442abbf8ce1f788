"""What requests that need nothing of the store cost while it stands still: what they cost before."""
import contextlib
import statistics
import threading

from browser import ask, connection
from checks import alone, eventually, note, same, unavailable
from fleet import PATIENTLY, fleet

ROUNDS, REQUESTS = 5, 200
# Whoever waited for the store once would wait for as long as a command may: a quarter of a second. Bounds are so wide that a
# machine with much else to do keeps them in one of the rounds.
TIMES, SPARE_SECONDS = 2, 0.005


class Figures:
    """Of several rounds the best: a machine that was busy is nobody's fault."""

    def __init__(self, request):
        rounds = [self.round(request) for _ in range(ROUNDS)]
        self.median = min(median for median, _ in rounds)
        self.p99 = min(p99 for _, p99 in rounds)

    @staticmethod
    def round(request):
        """Median and 99th of a hundred, in seconds."""
        seconds = sorted(request() for _ in range(REQUESTS))
        return statistics.median(seconds), seconds[REQUESTS * 99 // 100]

    def __str__(self):
        return f"median {1000 * self.median:.2f} ms, p99 {1000 * self.p99:.2f} ms"


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
    with fleet(binary, recheck="0s", **PATIENTLY) as running:
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
            for what in ("median", "p99"):
                then, now = getattr(figures, what), getattr(during[name], what)
                assert now < TIMES * then + SPARE_SECONDS, f"{what} of {name}: {1000 * now:.1f} ms, before {1000 * then:.1f} ms"
