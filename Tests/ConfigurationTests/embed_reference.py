#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes config/reference.yaml into the Swift file that `portcullis defaults` prints; a test compares the two."""
import pathlib

root = pathlib.Path(__file__).resolve().parents[2]
text = (root / "config/reference.yaml").read_text()
assert '"""' not in text and "\\" not in text, "the literal below would read these"
literal = "\n".join("        " + line if line else "" for line in text.rstrip("\n").split("\n"))
(root / "Sources/Configuration/Reference/ReferenceText.swift").write_text(f'''// SPDX-License-Identifier: Apache-2.0

/// The commented reference configuration, as `portcullis defaults` prints it.
package enum ReferenceText {{
    /// The text of config/reference.yaml, written here by Tests/ConfigurationTests/embed_reference.py.
    package static let yaml = """
{literal}

        """
}}
''')
