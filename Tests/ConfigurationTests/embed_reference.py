#!/usr/bin/env python3
"""Writes config/reference.yaml into the Swift files that `portcullis defaults` prints; a test compares the two."""
import pathlib

root = pathlib.Path(__file__).resolve().parents[2]
text = (root / "config/reference.yaml").read_text()
assert '"""' not in text and "\\" not in text, "the literals below would read these"
lines = text.rstrip("\n").split("\n")
# No file of the project is longer than 500 lines: the routes, and what follows them, are in a second one.
comment = next(n for n, line in enumerate(lines) if line.startswith("routes:"))
while lines[comment - 1].startswith("#"):
    comment -= 1


def literal(part):
    return "\n".join("        " + line if line else "" for line in part)


folder = root / "Sources/Configuration/Reference"
(folder / "ReferenceText.swift").write_text(f'''\
/// The commented reference configuration, as `portcullis defaults` prints it.
package enum ReferenceText {{
    /// The text of config/reference.yaml, written here by Tests/ConfigurationTests/embed_reference.py.
    package static var yaml: String {{ sources + routes }}

    /// What stands before the routes.
    private static let sources = """
{literal(lines[:comment])}

        """
}}
''')
(folder / "ReferenceText+Routes.swift").write_text(f'''\
extension ReferenceText {{
    /// The routes, and what follows them; written here by Tests/ConfigurationTests/embed_reference.py.
    static let routes = """
{literal(lines[comment:])}

        """
}}
''')
