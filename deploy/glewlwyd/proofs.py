"""DPoP proofs (RFC 9449 §4) by ES256, with nothing but Python and the `openssl` command."""
import hashlib
import json
import os
import secrets
import subprocess
import time

from .keys import GENERATORS, elements, encode, private_jwk


def proof(key, method, url, token=None, **changed):
    """A fresh proof by the PEM file `key`, which is made if it is missing; good unless `changed` says otherwise."""
    if not key.exists():
        new_key_file(key)
    der = openssl("pkey", "-in", key, "-outform", "DER")
    jwk = {name: value for name, value in private_jwk("ES256", der).items() if name != "d"}
    claims = {
        "jti": secrets.token_urlsafe(16), "htm": method, "htu": url.partition("#")[0].partition("?")[0],
        "iat": int(time.time()),
        **({"ath": encode(hashlib.sha256(token.encode()).digest())} if token else {}), **changed,
    }
    header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": jwk}
    signed = ".".join(encode(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
    (_, numbers), = elements(openssl("dgst", "-sha256", "-sign", key, given=signed.encode()))
    # RFC 7518 §3.4: the two numbers side by side, each as long as the field, not DER.
    both = b"".join(number.lstrip(b"\0").rjust(32, b"\0") for _, number in elements(numbers))
    return f"{signed}.{encode(both)}"


def new_key_file(path):
    """A private key that only its owner can read."""
    made = openssl("genpkey", "-quiet", *GENERATORS["ES256"])
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(made)


def openssl(*arguments, given=None):
    """What the command writes."""
    ended = subprocess.run(["openssl", *arguments], input=given, capture_output=True, check=False)
    if ended.returncode:
        raise SystemExit(f"openssl {arguments[0]}: {ended.stderr.decode(errors='replace').strip()}")
    return ended.stdout
