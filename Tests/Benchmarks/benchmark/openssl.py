"""What OpenSSL itself makes of a processor: the measure of every proof."""
import re

from .failure import Failure
from .processes import tool

SECONDS = 1
ROW = re.compile(r"ecdsa \(nistp256\)\s+\S+\s+\S+\s+\S+\s+(?P<verifications>[0-9.]+)")


def verifications_per_second(stage):
    """ES256 verifications in a second of the proxy's processor, as `openssl speed` counts them."""
    output = stage.folder / "openssl.log"
    output.unlink(missing_ok=True)
    text = stage.processes.finish(
        [tool("openssl"), "speed", "-seconds", str(SECONDS), "ecdsap256"], stage.proxy_processor, output, 60)
    found = ROW.search(text)
    if not found:
        raise Failure(f"openssl speed printed no verifications: {text.strip()[-300:]}")
    return float(found["verifications"])
