#!/usr/bin/env python3
"""Writes the rows of Sources/Requirements into the catalogue's article Requirements.md; a test compares the two."""
import pathlib
import re

root = pathlib.Path(__file__).resolve().parents[2]
folder = root / "Sources/Requirements"
families = re.findall(r'prefix: "(\w+)", title: "([^"]+)"', (folder / "RequirementTable.swift").read_text())
rows = {}
for file in sorted((folder / "Families").glob("*.swift")):
    for identifier, source, one, several in re.findall(
        r'id: "([^"]+)",\s+source: "([^"]+)",\s+promise: (?:"([^"]+)"\)|"""\n(.*?)\n *""")', file.read_text(), re.DOTALL
    ):
        rows[identifier] = (one or re.sub(r"\s*\\\n\s*", " ", several).strip(), source)


def number(identifier):
    """By number; ids of words stay as they stand."""
    rest = identifier.split("-", 1)[1]
    return int(rest) if rest.isdigit() else 0


text = ""
for prefix, title in families:
    text += f"\n### {prefix}: {title}\n\n| id | promise | source |\n|---|---|---|\n"
    for identifier in sorted((i for i in rows if i.split("-")[0] == prefix), key=number):
        promise, source = rows[identifier]
        text += f"| {identifier} | {promise} | {source} |\n"

article = root / "Sources/Gateway/Gateway.docc/Requirements.md"
before, heading, _ = article.read_text().partition("\n## The rows\n")
article.write_text(before + heading + text)
