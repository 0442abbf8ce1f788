"""Reads which metrics and labels a PromQL expression names. Whether it is one at all, promtool says."""
import dataclasses
import re

TOKEN = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<range>\[[^\]]*\])|(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)"""
    r"""|(?P<number>[0-9.]+[a-zA-Z]*)|(?P<match>=~|!~|!=|==|>=|<=|=)|(?P<sign>[-+*/%^(){},<>@])|(?P<space>\s+)""")
OPERATORS = {"and", "or", "unless", "bool", "offset", "inf", "nan", "start", "end"}
WITH_LABELS = {"by", "without", "on", "ignoring", "group_left", "group_right"}

AGGREGATIONS = {
    "sum", "min", "max", "avg", "count", "group", "stddev", "stdvar", "topk", "bottomk", "quantile", "count_values"}


@dataclasses.dataclass
class Selector:
    """A metric, and what its labels must be: (label, operator, value)."""

    metric: str
    matchers: list


@dataclasses.dataclass
class Reading:
    """What an expression names: its selectors, and the labels of by, on and the like."""

    selectors: list
    labels: set


def tokens(expression):
    """Its words, without spaces."""
    place = 0
    while place < len(expression):
        found = TOKEN.match(expression, place)
        if not found:
            raise ValueError(f"cannot be read at: {expression[place:place + 40]}")
        place = found.end()
        if found.lastgroup != "space":
            yield found.lastgroup, found.group()


def read(expression):
    """The metrics and labels of an expression."""
    words = list(tokens(expression))
    reading = Reading([], set())
    place = 0
    while place < len(words):
        kind, word = words[place]
        after = words[place + 1][1] if place + 1 < len(words) else ""
        if kind == "sign" and word == "{":
            matchers, place = matchers_from(words, place)
            if not reading.selectors:
                raise ValueError("labels without a metric")
            reading.selectors[-1].matchers += matchers
            continue
        if kind == "name" and word in WITH_LABELS and after == "(":
            place += 2
            while words[place][1] != ")":
                if words[place][0] == "name":
                    reading.labels.add(words[place][1])
                place += 1
        # What stands before `(` is a function.
        elif kind == "name" and after != "(" and word not in OPERATORS | AGGREGATIONS:
            reading.selectors.append(Selector(word, []))
        place += 1
    return reading


def matchers_from(words, place):
    """The matchers in the braces that open here, and the place behind them."""
    matchers = []
    place += 1
    while words[place][1] != "}":
        if words[place][1] == ",":
            place += 1
            continue
        (_, label), (_, operator), (kind, text) = words[place:place + 3]
        if kind != "text":
            raise ValueError(f"{label} is compared with {text}")
        matchers.append((label, operator, text[1:-1]))
        place += 3
    return matchers, place + 1
