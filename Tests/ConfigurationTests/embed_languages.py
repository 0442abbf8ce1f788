#!/usr/bin/env python3
"""Writes config/languages into the Swift files that the gateway's pages speak by; a test compares the two."""
import pathlib
import textwrap

root = pathlib.Path(__file__).resolve().parents[2]
for tag, name in (("en", "English"), ("de", "German")):
    text = (root / f"config/languages/{tag}.txt").read_text()
    assert '"""' not in text and "\\" not in text, "the literal below would read these"
    lines = []
    for line in text.rstrip("\n").split("\n"):
        wrapped = textwrap.wrap(line, 106, break_long_words=False, break_on_hyphens=False) or [""]
        lines += [f"        {part} \\" for part in wrapped[:-1]] + ["        " + wrapped[-1] if wrapped[-1] else ""]
    (root / f"Sources/Pages/Languages/{name}Text.swift").write_text(f'''\
/// The sentences of config/languages/{tag}.txt, written here by Tests/ConfigurationTests/embed_languages.py.
enum {name}Text {{
    static let text = """
{chr(10).join(lines)}

        """
}}
''')
