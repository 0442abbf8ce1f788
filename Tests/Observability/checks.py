"""What is demanded of the dashboard, the rules and their tests. Each check gives the problems that it finds."""
import json
import re
import subprocess
import tempfile
from pathlib import Path

import promql

# What Prometheus adds to every target, and what it makes itself.
TARGET_LABELS = {"job", "instance"}
OF_PROMETHEUS = {"up": {}}
ALERT_LIMIT = 12
ROWS = ["Is it up?", "Who is refused, and why?", "Issuers and keys", "What does it cost?", "The store that gateways share"]
# What Grafana puts into an expression, and something of the kind.
VARIABLES = {"$__rate_interval": "5m", "$__range": "6h", "$job": ".*", "$instance": ".*"}


def expressions_of_dashboard(dashboard):
    """Each expression with where it stands, and the labels that its legend shows."""
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"], re.findall(r"{{\s*(\w+)\s*}}", target["legendFormat"])
    for annotation in dashboard["annotations"]["list"]:
        yield annotation["name"], annotation["expr"], re.findall(r"{{\s*(\w+)\s*}}", annotation["textFormat"])
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            selector, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["definition"]).groups()
            yield variable["name"], selector, [label]


def without_variables(expression):
    """The expression as Prometheus gets it."""
    for variable, value in VARIABLES.items():
        expression = expression.replace(variable, value)
    return expression


def expressions_of_rules(rules):
    """Each expression with the rule that has it, and the labels that its texts show."""
    for group in rules["groups"]:
        for rule in group["rules"]:
            texts = " ".join(rule.get("annotations", {}).values())
            yield rule.get("alert") or rule["record"], rule["expr"], re.findall(r"\$labels\.(\w+)", texts)


def unreadable(expressions):
    """Those that Prometheus does not read: each as a rule of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rules.json"
        rules = [{"record": f"a:expression:{index}", "expr": without_variables(expression)}
                 for index, (_, expression, _) in enumerate(expressions)]
        # JSON is YAML.
        file.write_text(json.dumps({"groups": [{"name": "all", "rules": rules}]}))
        return promtool("check", "rules", str(file))


def promtool(*arguments, given=None):
    """What it has to say where it is not content."""
    done = subprocess.run(["promtool", *arguments], input=given, capture_output=True, timeout=120)
    said = (done.stdout + done.stderr).decode()
    return [] if done.returncode == 0 else [f"promtool {arguments[0]} {arguments[1]}: {said}"]


def recorded(rules):
    """The metrics that rules make, with the labels that they keep: those of the target, and what they say."""
    made = {}
    for _, rule in ((group, rule) for group in rules["groups"] for rule in group["rules"] if "record" in rule):
        made[rule["record"]] = {label: {""} for label in promql.read(rule["expr"]).labels}
    return made


def misnamed(expressions, page, made=None):
    """Metrics that neither the page nor a rule has, labels that they lack, and values that no label has."""
    known = {**OF_PROMETHEUS, **(made or {}), **page}
    for where, expression, shown in expressions:
        reading = promql.read(without_variables(expression))
        labels = set(TARGET_LABELS)
        for selector in reading.selectors:
            if selector.metric not in known:
                yield f"{where}: the page has no {selector.metric}"
                continue
            own = known[selector.metric]
            labels |= set(own)
            for label, operator, value in selector.matchers:
                if label in TARGET_LABELS:
                    continue
                if label not in own:
                    yield f"{where}: {selector.metric} has no label {label}"
                elif not any(matches(value, each, operator) for each in own[label]):
                    yield f"{where}: no {label} of {selector.metric} is {value}, but {sorted(own[label])}"
        for label in (reading.labels | set(shown)) - labels:
            yield f"{where}: no metric of it has the label {label}"


def matches(value, label, operator):
    """Whether this value is meant, wanted or not: what is not wanted must be there too, or nothing is left out."""
    return re.fullmatch(value, label) is not None if "~" in operator else value == label


def wrong_alerts(rules, catalogue):
    """Alerts that nobody could act on: too many, without texts, or with a section that is not there."""
    alerts = [rule for group in rules["groups"] for rule in group["rules"] if "alert" in rule]
    if len(alerts) > ALERT_LIMIT:
        yield f"{len(alerts)} alerts: nobody reads more than {ALERT_LIMIT}"
    for alert in alerts:
        name = alert["alert"]
        if alert.get("labels", {}).get("severity") not in ("critical", "warning"):
            yield f"{name} is neither critical nor a warning"
        texts = alert.get("annotations", {})
        for text in ("summary", "description", "runbook"):
            if not texts.get(text):
                yield f"{name} has no {text}"
        file, _, anchor = texts.get("runbook", "").partition("#")
        section = sections(catalogue.get(file, "")).get(anchor)
        if section is None:
            yield f"{name}: there is no section {anchor} in {file}"
        elif len(section.split()) < 20:
            yield f"{name}: the section {anchor} says next to nothing"
        elif anchor != name.lower():
            yield f"{name}: its section is that of another alert"


def sections(article):
    """The text below each heading, by the heading's anchor."""
    parts = re.split(r"^#+ (.*)$", article, flags=re.MULTILINE)[1:]
    return {heading.lower().replace(" ", "-"): text for heading, text in zip(parts[::2], parts[1::2])}


def untested(rules, tests):
    """Alerts that no case lets fire, or no case keeps quiet."""
    cases = [case for test in tests["tests"] for case in test.get("alert_rule_test", [])]
    for name in (rule["alert"] for group in rules["groups"] for rule in group["rules"] if "alert" in rule):
        own = [bool(case["exp_alerts"]) for case in cases if case["alertname"] == name]
        if True not in own:
            yield f"{name}: no case in which it fires"
        if False not in own:
            yield f"{name}: no case in which it does not"


def wrong_dashboard(dashboard):
    """What Grafana would not take, or show otherwise than it was meant."""
    if dashboard["schemaVersion"] < 39:
        yield f"the schema is {dashboard['schemaVersion']}"
    rows = [panel["title"] for panel in dashboard["panels"] if panel["type"] == "row"]
    if rows != ROWS:
        yield f"the rows are {rows}"
    numbers = [panel["id"] for panel in dashboard["panels"]]
    if len(numbers) != len(set(numbers)):
        yield "two panels have one id"
    taken = {}
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        if place["x"] + place["w"] > 24:
            yield f"{panel['title']} is wider than the page"
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                if (x, y) in taken:
                    yield f"{panel['title']} covers {taken[x, y]}"
                taken[x, y] = panel["title"]
        if panel["type"] != "row" and not panel["targets"]:
            yield f"{panel['title']} shows nothing"
        for target in panel.get("targets", []):
            for part in ('job=~"$job"', 'instance=~"$instance"'):
                if part not in target["expr"]:
                    yield f"{panel['title']}: {part} is not said, so that it shows every gateway there is"
