"""The report: one table a case, with medians, ranges, ratios and budgets."""
import statistics

LOAD_COLUMNS = (
    ("requests/s", "requests", "{:,.0f}"),
    ("CPU µs/request", "microseconds", "{:.2f}"),
    ("p50 ms", "p50", "{:.2f}"),
    ("p99 ms", "p99", "{:.2f}"),
    ("CPU used", "used", "{:.0%}"),
    ("resident MB", "resident", "{:.1f}"),
    ("anonymous MB", "anonymous", "{:.1f}"),
)
PROOF_COLUMNS = (
    ("user µs", "user", "{:.2f}"),
    ("system µs", "system", "{:.2f}"),
    ("requests/CPU s", "per_second", "{:,.0f}"),
    ("÷ openssl", "over_openssl", "{:.2f}"),
    ("user time alone ÷ openssl", "user_over_openssl", "{:.2f}"),
    ("openssl verify/s", "openssl", "{:,.0f}"),
)
STORE_COLUMNS = (
    ("commands/request", "commands", "{:.3f}"),
    ("writes/command", "writes", "{:.3f}"),
)
MEMORY_COLUMNS = (
    ("resident MB", "resident", "{:.1f}"),
    ("anonymous MB", "anonymous", "{:.1f}"),
    ("resident MB, full", "resident_full", "{:.1f}"),
    ("anonymous MB, full", "anonymous_full", "{:.1f}"),
    ("KB/connection, resident", "connection_resident", "{:.2f}"),
    ("KB/connection, anonymous", "connection_anonymous", "{:.2f}"),
)


class Result:
    """All samples of one case: a mapping from proxy to its figures by round."""

    def __init__(self, case, proxies):
        self.case = case
        self.samples = {proxy: {} for proxy in proxies}

    def add(self, proxy, number, figures):
        self.samples[proxy][number] = figures

    def values(self, proxy, figure):
        return [figures[figure] for figures in self.samples[proxy].values() if figure in figures]

    def median(self, proxy, figure):
        values = self.values(proxy, figure)
        return statistics.median(values) if values else None

    def ratios(self, proxy):
        """CPU per request, or what the family compares, divided by the reference's in the same round."""
        family = self.case.family
        compared = family.compared if family else "microseconds"
        reference = self.samples.get(family.reference_of(proxy) if family else self.case.reference, {})
        return [
            figures[compared] / reference[number][compared]
            for number, figures in sorted(self.samples.get(proxy, {}).items())
            if number in reference and reference[number].get(compared)
        ]

    def ratios_of(self, proxy, other, figure="microseconds"):
        """A figure of one proxy divided by another's in the same round."""
        others = self.samples.get(other, {})
        return [
            figures[figure] / others[number][figure]
            for number, figures in sorted(self.samples.get(proxy, {}).items())
            if figures.get(figure) and others.get(number, {}).get(figure)
        ]


def shown(values, form):
    """Median and range of some values."""
    if not values:
        return "–"
    middle = form.format(statistics.median(values))
    if len(values) == 1:
        return middle
    return f"{middle} ({form.format(min(values))}–{form.format(max(values))})"


def rows(result):
    """The table of a case, headings first."""
    if result.case.family:
        return family_rows(result)
    columns = MEMORY_COLUMNS if result.case.idle else LOAD_COLUMNS
    if result.case.proofs:
        columns = LOAD_COLUMNS[:2] + PROOF_COLUMNS + LOAD_COLUMNS[2:]
    if result.case.store:
        columns += STORE_COLUMNS
    if result.case.logged:
        columns += (("log lines/request", "lines", "{:.3f}"),)
    heading = ["proxy"] + [title for title, _, _ in columns]
    if not result.case.idle:
        heading.insert(3, f"÷ {result.case.reference}")
    table = [heading]
    for proxy in result.samples:
        row = [proxy] + [shown(result.values(proxy, figure), form) for _, figure, form in columns]
        if not result.case.idle:
            row.insert(3, shown(result.ratios(proxy), "{:.2f}"))
        table.append(row)
    return table


def family_rows(result):
    """The same for a case of a family, which has columns of its own."""
    family = result.case.family
    table = [["proxy"] + [title.format(reference=family.reference) for title, _, _ in family.columns]]
    for proxy in result.samples:
        table.append([proxy] + [
            shown(result.ratios(proxy) if figure == "ratio" else result.values(proxy, figure), form)
            for _, figure, form in family.columns])
    return table


def table_text(table, markdown):
    """Aligned columns, or a Markdown table."""
    if markdown:
        lines = ["| " + " | ".join(row) + " |" for row in table]
        lines.insert(1, "|---|" + "---:|" * (len(table[0]) - 1))
        return "\n".join(lines)
    widths = [max(len(row[index]) for row in table) for index in range(len(table[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) if index == 0 else cell.rjust(width)
                  for index, (cell, width) in enumerate(zip(row, widths))).rstrip()
        for row in table)


def noise(result):
    """How far others disturbed a case; None where that was not measured."""
    samples = [figures for by_round in result.samples.values() for figures in by_round.values() if "others" in figures]
    if not samples:
        return None
    load = statistics.median(figures["load"] for figures in samples)
    others = max(figures["others"] for figures in samples)
    return (f"load and origin kept their processor {load:.0%} busy (median); "
            f"others took at most {others:.0%} of the proxy's in one sample")


def budgets(result, gateway, thresholds):
    """What the gateway must keep to in this case: (sentence, met) pairs."""
    if result.case.family:
        return result.case.family.budgets(result, gateway, thresholds)
    if result.case.idle:
        asked = [
            ("resident MB, started and idle", result.median(gateway, "resident"),
             thresholds["memory"]["resident_mb"]),
            ("anonymous MB, started and idle", result.median(gateway, "anonymous"),
             thresholds["memory"]["anonymous_mb"]),
            ("anonymous KB for an idle connection", result.median(gateway, "connection_anonymous"),
             thresholds["memory"]["connection_kb"]),
        ]
    else:
        ratios = result.ratios(gateway)
        limits = thresholds[
            "cpu_over_cookie" if result.case.session and result.case.store
            else "cpu_over_bearer" if result.case.session
            else "cpu_over_uncomputed" if result.case.precomputed else "cpu_over_nginx"]
        asked = [(f"CPU per request ÷ {result.case.reference}", statistics.median(ratios) if ratios else None,
                  limits.get(result.case.name))]
    told = [
        (f"budget: {what} ≤ {limit}: {value:.2f}, {'met' if value <= limit else 'MISSED'}", value <= limit)
        for what, value, limit in asked if value is not None and limit is not None
    ]
    writes = result.median(gateway, "writes")
    if writes is not None and result.case.proofs:
        most = thresholds["store_writes_per_command"]
        told.append((f"budget: writes to the store for a command ≤ {most}: {writes:.3f}, "
                     f"{'met' if writes <= most else 'MISSED'}", writes <= most))
    least = thresholds["proofs_of_user_time_over_openssl"].get(result.case.name)
    share = result.median(gateway, "user_over_openssl")
    if least is not None and share is not None:
        told.append((
            f"budget: requests per second of user time ÷ openssl speed's verifications ≥ {least}: {share:.2f}, "
            f"{'met' if share >= least else 'MISSED'}", share >= least))
    return told


def against_before(result, gateway, before, thresholds):
    """What a request of HTTP/1.1 may cost beside another day's binary: (sentence, met) pairs.

    It is missed by what is slower in every round, and by more than samples of one binary differ.
    """
    if result.case.multiplexed:
        return []
    ratios = result.ratios_of(gateway, before)
    if not ratios:
        return []
    limit, noise = thresholds["cpu_over_before"], thresholds["noise_of_before"]
    middle, least = statistics.median(ratios), min(ratios)
    met = middle <= limit + noise or least <= limit
    return [(f"budget: CPU per request ÷ {before} ≤ {limit} (and {noise} of noise, or one round): {middle:.3f}, "
             f"least {least:.3f}, {'met' if met else 'MISSED'}", met)]
