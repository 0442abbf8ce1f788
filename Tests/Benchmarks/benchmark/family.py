"""A family of cases: which servers it compares, how it takes a sample, what its table shows, and its budgets."""
import statistics

from .servers import HAProxy, Nginx

COLUMNS = (
    ("requests/s", "requests", "{:,.0f}"),
    ("CPU µs/request", "microseconds", "{:.2f}"),
    ("÷ {reference}", "ratio", "{:.2f}"),
    ("p50 ms", "p50", "{:.2f}"),
    ("p99 ms", "p99", "{:.2f}"),
    ("CPU used", "used", "{:.0%}"),
    ("resident MB", "resident", "{:.1f}"),
    ("anonymous MB", "anonymous", "{:.1f}"),
)


class Family:
    """What most of them have in common: CPU per request, beside nginx and HAProxy."""

    columns = COLUMNS
    reference = "nginx"
    # What is divided by the reference's for the column `ratio`.
    compared = "microseconds"

    def proxies(self, gateway):
        """The servers to compare, the reference first."""
        return [Nginx(), HAProxy(), gateway]

    def sample(self, stage, kind, seconds):
        """The figures of one fresh server."""
        raise NotImplementedError

    def told(self, figures):
        """A sample in a few words."""
        return f"{figures['microseconds']:.2f} µs/request, {figures['requests']:,.0f} requests/s"

    def reference_of(self, _name):
        """Whose figures a server's are divided by."""
        return self.reference

    def complete(self, result):
        """What only all samples of a round together tell."""

    def budgets(self, result, gateway, thresholds):
        """What the gateway must keep to: (sentence, met) pairs."""
        limit = thresholds["cpu_over_nginx"].get(result.case.name)
        return at_most(f"CPU per request ÷ {self.reference}", result.ratios(gateway), limit)


def at_most(what, values, limit, form="{:.2f}"):
    """The budget that a median keeps to when it is not above the limit."""
    if not values or limit is None:
        return []
    value = statistics.median(values)
    return [(f"budget: {what} ≤ {limit}: {form.format(value)}, {'met' if value <= limit else 'MISSED'}", value <= limit)]


def at_least(what, values, limit, form="{:.2f}"):
    """The budget that a median keeps to when it is not below the limit."""
    if not values or limit is None:
        return []
    value = statistics.median(values)
    return [(f"budget: {what} ≥ {limit}: {form.format(value)}, {'met' if value >= limit else 'MISSED'}", value >= limit)]
