#!/usr/bin/python3
"""Holds lines of an audit log against deploy/observability/audit.schema.json.

  Tests/Observability/audit_lines.py FILE…

Names each line that the schema does not allow, and ends with status 1 if there is one or if there is no line. Then changes
each line in ways that the schema must not allow. Needs Debian's python3-jsonschema.
"""
import json
import sys
from pathlib import Path

import jsonschema

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "deploy/observability/audit.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def unique(pairs):
    """An object whose names are each there once: a reader could take either of two."""
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise ValueError(f"a member twice: {names}")
    return dict(pairs)


def changes(line):
    """The line with mistakes in it, each of which a schema that says anything would find."""
    yield {**line, "token": "x"}
    yield {**line, "event": "other"}
    yield {**line, "event_id": "1"}
    yield {**line, "time": "yesterday"}
    yield {name: value for name, value in line.items() if name != "event_id"}
    for name, value in line.items():
        yield {**line, name: [value]}
        yield {**line, name: None}


def main():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    lines, problems = [], 0
    for name in sys.argv[1:]:
        for number, text in enumerate(Path(name).read_text().splitlines(), 1):
            try:
                lines.append(json.loads(text, object_pairs_hook=unique))
                found = [error.message for error in VALIDATOR.iter_errors(lines[-1])]
            except ValueError as error:
                found = [str(error)]
            for message in found:
                print(f"{name}:{number}: {message}: {text}")
                problems += 1
    for line in lines:
        for change in changes(line):
            if VALIDATOR.is_valid(change):
                print(f"the schema takes {change}")
                problems += 1
    print(f"{len(lines)} lines of {len({line.get('event') for line in lines})} events, {problems} problems")
    return 1 if problems or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
