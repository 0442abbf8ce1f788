"""The checks of Tests/Observability/run, and a look whether each of them can fail."""
import argparse
import copy
import json
import re
import sys
import time
from pathlib import Path

import prometheus_client.openmetrics.parser
import prometheus_client.parser
import yaml

import checks
import stage

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "deploy/observability"
ARTICLE = "Sources/Gateway/Gateway.docc/Alerts.md"
OPEN_METRICS = "application/openmetrics-text"


def pages(running):
    """The values of each metric's labels, as the reference reader reads the pages, and what is wrong with these."""
    problems = []
    status, media, text = running.ask_admin("/metrics", "text/plain")
    if status != 200 or not media.startswith("text/plain; version=0.0.4"):
        problems.append(f"the page is {status} {media}")
    problems += checks.promtool("check", "metrics", given=text.encode())
    plain = list(prometheus_client.parser.text_string_to_metric_families(text))
    # What Prometheus 2.42 sends.
    wanted = (f"{OPEN_METRICS};version=1.0.0,{OPEN_METRICS};version=0.0.1;q=0.75,"
              "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
    status, media, text = running.ask_admin("/metrics", wanted)
    if status != 200 or not media.startswith(OPEN_METRICS + "; version=1.0.0"):
        problems.append(f"the page in OpenMetrics is {status} {media}")
    opened = list(prometheus_client.openmetrics.parser.text_string_to_metric_families(text))
    if [family.name for family in plain] != [family.name for family in opened]:
        problems.append("the two pages have different families")
    for family in plain:
        problems += [] if family.samples else [f"{family.name} has no sample"]
    known = {}
    for sample in (sample for family in plain for sample in family.samples):
        labels = known.setdefault(sample.name, {})
        for label, value in sample.labels.items():
            labels.setdefault(label, set()).add(value)
    return known, problems


# holds ECO-56
def wrong_numbers(running):
    """What the page does not say of the requests that were made."""
    lines = running.ask_admin("/metrics")[2].split("\n")
    for series, expected in EXPECTED.items():
        found = [float(line.rsplit(" ", 1)[1]) for line in lines if re.fullmatch(series + " .*", line)]
        if not found or not expected(sum(found)):
            yield f"{series} is {found}"


EXPECTED = {
    r'portcullis_requests_total{route="open",code="5xx"}': lambda count: count == 1,
    r'portcullis_requests_total{route="\(unknown\)",code="4xx"}': lambda count: count == 1,
    r'portcullis_requests_total{route="\(login\)",code="3xx"}': lambda count: count == 1,
    r'portcullis_requests_total{route="\(published\)",code="2xx"}': lambda count: count == 1,
    r'portcullis_requests_total{route="\(none\)",code="4xx"}': lambda count: count == 2,
    r'portcullis_request_duration_seconds_count{route="open",code="2xx"}': lambda count: count == 2,
    r'portcullis_upstream_up{upstream=.*}': lambda count: count == 1,
    r'portcullis_upstream_failures_total{upstream=.*,cause="unreachable"}': lambda count: count == 1,
    r'portcullis_login_refusals_total{client="web",.*}': lambda count: count == 1,
    r'portcullis_sessions{client="web"}': lambda count: count == 0,
    r'portcullis_certificate_expiry_timestamp_seconds{use="listener",.*}':
        lambda end: 29 * 86400 < end - time.time() <= 30 * 86400,
    r'process_max_fds': lambda count: count > 0,
}


def series(running):
    """How many there are."""
    return sum(1 for line in running.ask_admin("/metrics")[2].split("\n") if line and not line.startswith("#"))


# refuses ECO-56
def added_by_paths(running, count):
    """What so many different paths add to the page."""
    # The ten of them that come first may be the first requests of a kind.
    running.ask_for_paths(10)
    before = series(running)
    began = time.monotonic()
    running.ask_for_paths(count)
    added = series(running) - before
    print(f"{count} different paths added {added} series to {before} ({time.monotonic() - began:.1f} s)")
    return [f"{count} different paths added {added} series"] if added else []


class Shipped:
    """What is shipped, as read; a copy may be changed."""

    def __init__(self):
        self.dashboard = json.loads((SHIPPED / "dashboard.json").read_text())
        self.alerts = yaml.safe_load((SHIPPED / "alerts.yaml").read_text())
        self.levels = yaml.safe_load((SHIPPED / "slo.yaml").read_text())
        self.store = yaml.safe_load((SHIPPED / "store.yaml").read_text())
        self.store_tests = yaml.safe_load((Path(__file__).parent / "store.yaml").read_text())
        self.tests = yaml.safe_load((Path(__file__).parent / "alerts.yaml").read_text())
        self.level_tests = yaml.safe_load((Path(__file__).parent / "slo.yaml").read_text())
        self.catalogue = {ARTICLE: (ROOT / ARTICLE).read_text()}

    # holds ECO-59, ECO-60, ECO-61
    def problems(self, page, reads=True):
        """What is wrong with it, beside a gateway that has this page; promtool reads each expression where `reads`."""
        dashboard = list(checks.expressions_of_dashboard(self.dashboard))
        rules = [found for file in (self.alerts, self.levels, self.store) for found in checks.expressions_of_rules(file)]
        if reads:
            yield from checks.unreadable(dashboard + rules)
        yield from checks.misnamed(dashboard, page)
        yield from checks.misnamed(rules, page, checks.recorded(self.levels))
        yield from checks.wrong_dashboard(self.dashboard)
        for rules_of, tests in (
                (self.alerts, self.tests), (self.levels, self.level_tests), (self.store, self.store_tests)):
            yield from checks.wrong_alerts(rules_of, self.catalogue)
            yield from checks.untested(rules_of, tests)


# refuses ECO-59, ECO-60, ECO-61
def changes():
    """Mistakes that somebody could make, each with what makes it: of what is shipped and of the gateway's page."""
    def rename(_, page):
        page["portcullis_issuer_is_ready"] = page.pop("portcullis_issuer_ready")

    def rename_label(_, page):
        labels = page["portcullis_refusals_total"]
        labels["fault"] = labels.pop("blame")

    def rename_value(_, page):
        page["portcullis_issuer_refreshes_total"]["result"] = {"changed", "broken"}

    def lose_a_quiet_case(shipped, _):
        for test in shipped.tests["tests"]:
            cases = test.get("alert_rule_test", [])
            cases[:] = [case for case in cases if case["alertname"] != "PortcullisUpstreamDown" or case["exp_alerts"]]

    def lose_a_loud_case(shipped, _):
        for test in shipped.level_tests["tests"]:
            cases = test.get("alert_rule_test", [])
            cases[:] = [case for case in cases if not case["exp_alerts"]]

    def lose_a_quiet_case_of_the_store(shipped, _):
        for test in shipped.store_tests["tests"]:
            cases = test.get("alert_rule_test", [])
            cases[:] = [case for case in cases if case["alertname"] != "PortcullisStoreSlow" or case["exp_alerts"]]

    def rename_a_metric_of_the_store(_, page):
        page["portcullis_store_is_up"] = page.pop("portcullis_store_up")

    def lose_a_section(shipped, _):
        shipped.catalogue[ARTICLE] = shipped.catalogue[ARTICLE].replace("## PortcullisAbsent", "## Something else")

    def write_a_13th(shipped, _):
        rules = shipped.alerts["groups"][0]["rules"]
        rules.append(copy.deepcopy(rules[0]))

    def break_an_expression(shipped, _):
        shipped.dashboard["panels"][1]["targets"][0]["expr"] += " by"

    def show_another_label(shipped, _):
        shipped.dashboard["panels"][7]["targets"][0]["legendFormat"] = "{{status}}"

    def forget_the_instance(shipped, _):
        target = shipped.dashboard["panels"][1]["targets"][0]
        target["expr"] = target["expr"].replace('instance=~"$instance"', 'job!=""')

    return {name.replace("_", " "): change for name, change in locals().items()}


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--binary", required=True)
    arguments.add_argument("--paths", type=int, default=100_000)
    chosen = arguments.parse_args()
    with stage.gateway(Path(chosen.binary).resolve()) as running:
        stage.use(running)
        running.await_page(lambda: not list(wrong_numbers(running)))
        page, problems = pages(running)
        problems += wrong_numbers(running)
        problems += added_by_paths(running, chosen.paths)
    shipped = Shipped()
    problems += shipped.problems(page)
    for tests in ("alerts.yaml", "slo.yaml", "store.yaml"):
        problems += checks.promtool("test", "rules", str(Path(__file__).parent / tests))
    for name, change in changes().items():
        changed, other_page = copy.deepcopy(shipped), copy.deepcopy(page)
        change(changed, other_page)
        if not list(changed.problems(other_page, reads="expression" in name)):
            problems.append(f"a mistake is not seen: {name}")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(page)} names of metrics; {len(changes())} mistakes tried; {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
