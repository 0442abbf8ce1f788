"""Much content in either direction."""
import hashlib
import json
import random

from apps import App, listening
from people import person, same

SIZE = 20_000_000
DIGEST = """const digest = async bytes => Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)),
    byte => byte.toString(16).padStart(2, "0")).join("");"""
UPLOAD = f"""async size => {{ {DIGEST}
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
    const answer = await fetch("/files/upload", {{method: "POST", body: new Blob([bytes])}});
    return {{status: answer.status, seen: await answer.text(), digest: await digest(bytes)}} }}"""
DOWNLOAD = f"""async path => {{ {DIGEST}
    const bytes = await (await fetch(path)).arrayBuffer();
    return {{size: bytes.byteLength, digest: await digest(bytes)}} }}"""
BROKEN = """async path => { const answer = await fetch(path); let size = 0;
    try { for await (const part of answer.body) size += part.length } catch (error) { return [size, error.name] }
    return [size, "whole"] }"""


class Files(App):
    """Says what it got, and gives as much."""

    stored = random.Random(20).randbytes(SIZE)

    def do_GET(self):  # pylint: disable=invalid-name
        """All of the file, or the first half under the length of all of it or in chunks without a last one."""
        if self.path == "/files/download":
            self.answer(200, "application/octet-stream", self.stored)
        elif self.path.startswith("/files/half"):
            half, is_chunked = self.stored[:SIZE // 2], self.path.endswith("chunks")
            self.close_connection = True
            self.send_response(200)
            self.send_header(*(("Transfer-Encoding", "chunked") if is_chunked else ("Content-Length", str(SIZE))))
            self.end_headers()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(half), half) if is_chunked else half)
        else:
            self.answer(200, "text/html", b"<!doctype html><title>Files</title><b id=user>here</b>")

    def do_POST(self):  # pylint: disable=invalid-name
        """The size and the digest of what came."""
        content = self.content()
        seen = {"size": len(content), "digest": hashlib.sha256(content).hexdigest()}
        self.answer(200, "application/json", json.dumps(seen).encode())


# holds H2-42
def test_twenty_megabytes_arrive_whole_over_http_2(browser, stack):
    """Up and down, many times what a stream's window has, and with the digest that they were sent with."""
    with listening(stack.ports["files"], Files), person(browser, stack) as alice:
        alice.enter("/files/")
        sent = alice.page.evaluate(UPLOAD, SIZE)
        same(sent["status"], 200, "upload")
        same(json.loads(sent["seen"]), {"size": SIZE, "digest": sent["digest"]}, "upload")
        got = alice.page.evaluate(DOWNLOAD, "/files/download")
        same(got, {"size": SIZE, "digest": hashlib.sha256(Files.stored).hexdigest()}, "download")
        [upload], [download] = stack.lines_of("/files/upload"), stack.lines_of("/files/download")
        same([upload.get("protocol"), upload["status"], upload["request_bytes"]], ["h2", 200, SIZE])
        same([download.get("protocol"), download["status"], download["response_bytes"]], ["h2", 200, SIZE])
        same(upload["connection"], download["connection"], "connections")


# holds HTTP-41
# refuses HTTP-41
def test_a_download_that_the_app_breaks_off_is_an_error_to_the_script(browser, stack):
    """HTTP-41: never a shorter file; and the connection of all other requests goes on."""
    with listening(stack.ports["files"], Files), person(browser, stack) as alice:
        alice.enter("/files/")
        for path in ("/files/half", "/files/half-in-chunks"):
            size, end = alice.page.evaluate(BROKEN, path)
            same(end, "TypeError", path)
            assert 0 < size <= SIZE // 2, f"{path}: {size} bytes"
            same(alice.fetch(f"{path}-afterwards".replace("half", "after"))["status"], 200)
            [broken], [after] = stack.lines_of(path), stack.lines_of(f"{path}-afterwards".replace("half", "after"))
            same([broken.get("reset_by"), broken.get("reset_code")], ["gateway", "internal_error"], path)
            same(after["connection"], broken["connection"], path)
