"""A rate of requests that three gateways have in common."""
import contextlib
import time

from checks import alone, eventually, needs_no_fault, note, same
from fleet import fleet
from pipeline import Way, at_once, request

RATE, BURST = 1000, 100
SETTINGS = (f"limits: {{ requests: [{{ rate: {RATE}/s, burst: {BURST}, by: address }}], refusal_rate_per_client: 1000000 }}")
LOCAL = "portcullis_store_limits_local"
# Of requests, and before them until what each gateway grants at first is paid for.
SECONDS, BEFORE_SECONDS = 2, 1
LEAST, MOST = 950, 1100
# Half of what is asked for at least: more than that is asked at all of them, or nobody can say what the limit is.
ENOUGH = 1.5
TOGETHER, PAUSE_SECONDS = 10, 0.005


class Tally:
    """What became of requests to gateways, as many as are answered in that time."""

    def __init__(self, gateways, seconds):
        self.began, self.seconds = time.monotonic(), seconds
        found = at_once([lambda one=gateway: self.ask(one) for gateway in gateways])
        self.took = time.monotonic() - self.began
        self.passed = sum(statuses.count(200) for statuses in found) / self.took
        self.asked = sum(map(len, found)) / self.took
        self.others = {status for statuses in found for status in statuses} - {200, 429}

    def ask(self, gateway):
        """Statuses of one gateway."""
        statuses, sent = [], [request("/open/a")] * TOGETHER
        with contextlib.closing(Way(gateway)) as way:
            while time.monotonic() - self.began < self.seconds:
                statuses += way.statuses(sent)
                time.sleep(PAUSE_SECONDS)
        return statuses

    def __str__(self):
        return f"{self.passed:.0f} of {self.asked:.0f} requests a second passed"


@alone
# holds ECO-80
# refuses ECO-80
def test_three_gateways_let_through_a_thousand_a_second_together_and_a_third_each_without_a_store(binary):
    """Nobody is answered anything but 200 and 429, whatever becomes of the store."""
    with fleet(binary, settings=SETTINGS) as running:
        first = running.gateways[0]
        Tally(running.gateways, BEFORE_SECONDS)
        together = Tally(running.gateways, SECONDS)
        same(together.others, set(), "other statuses")
        assert together.passed <= MOST, str(together)
        assert together.passed >= LEAST or together.asked < ENOUGH * RATE, str(together)
        running.store.lose()
        for gateway in running.gateways:
            eventually(lambda one=gateway: one.reading(LOCAL) == 1, "said: each counts by itself")
        Tally(running.gateways, BEFORE_SECONDS)
        apart, alone_there = Tally(running.gateways, SECONDS), Tally([first], SECONDS)
        for tally, rate in ((apart, RATE), (alone_there, RATE / 3)):
            same(tally.others, set(), "other statuses, without a store")
            assert tally.passed <= rate * MOST / 1000 + BURST / SECONDS, f"{tally}, of {rate:.0f}"
            assert tally.passed >= rate * 0.85 or tally.asked < ENOUGH * rate, f"{tally}, of {rate:.0f}"
        note(f"rates: {together}; without a store {apart}, and at one gateway {alone_there}")
