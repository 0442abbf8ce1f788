"""Sessions that once went wrong, or must never: one file each under Cases, read first by every run.

    # what it is about
    expects: refused | forwarded | any      what becomes of its first request
    "GET / HTTP/1.1\\r\\n"                    bytes, escaped; lines are put together
    ---                                      the end of one write
"""
import re
from pathlib import Path

TOKEN = b"<token>"
FOLDER = Path(__file__).resolve().parent / "Cases"


def escaped(data):
    """Bytes as printable text."""
    return "".join(chr(byte) if 0x20 <= byte < 0x7f and byte not in b'"\\' else
                   {0x0d: "\\r", 0x0a: "\\n", 0x09: "\\t", 0x22: '\\"', 0x5c: "\\\\"}.get(byte, f"\\x{byte:02x}")
                   for byte in data)


def unescaped(text):
    """The bytes of such a text."""
    def plain(found):
        return {"r": "\r", "n": "\n", "t": "\t", '"': '"', "\\": "\\"}.get(found[1]) or chr(int(found[1][1:], 16))
    return re.sub(r'\\(x[0-9a-f]{2}|[rnt"\\])', plain, text).encode("latin-1")


def lines_of(data, token=b""):
    """The bytes in quoted lines that end where theirs do; long runs are counted, and a token is only named."""
    if token:
        data = data.replace(token, TOKEN)
    for line in re.findall(rb"[^\n]*\n|[^\n]+", data):
        for part in re.findall(rb"(?s)((.)\2{49,})|((?:(?!(.)\4{49}).){1,100})", line):
            yield f'"{escaped(part[1])}" * {len(part[0])}' if part[0] else f'"{escaped(part[2])}"'


def save(name, about, pieces, token=b"", expects="any"):
    """Writes a case; the file's path."""
    FOLDER.mkdir(exist_ok=True)
    text = [f"# {about}", f"expects: {expects}"]
    for number, piece in enumerate(pieces):
        text += (["---"] if number else []) + list(lines_of(piece, token))
    file = FOLDER / f"{name}.case"
    file.write_text("\n".join(text) + "\n")
    return file


def load(token):
    """(name, expectation, writes) of each, by name."""
    for file in sorted(FOLDER.glob("*.case")):
        expects, pieces = "any", [b""]
        for line in file.read_text().splitlines():
            if line.startswith('"'):
                text, _, count = line.rpartition('"')
                pieces[-1] += unescaped(text[1:]).replace(TOKEN, token) * int(count.strip(" *") or 1)
            elif line == "---":
                pieces.append(b"")
            elif line.startswith("expects: "):
                expects = line.removeprefix("expects: ").strip()
        yield file.stem, expects, pieces
