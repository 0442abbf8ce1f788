"""DPoP proofs: single ones for probes, and very many for the load."""
import hashlib
import json
import secrets
import subprocess
import time

from .compile import compiled
from .failure import Failure
from .processes import end_with_parent
from .tokens import encoded, encoded_json, encoded_number, new_key, signed_es256

METHOD = "GET"


def target(port, path):
    """The `htu` of a request: without its query (RFC 9449 §4.2)."""
    return f"http://127.0.0.1:{port}{path.partition('?')[0]}"


class Client:
    """A key of its own and what it proves."""

    def __init__(self):
        self.key = new_key()
        point = self.key.public_key().public_numbers()
        self.jwk = {"crv": "P-256", "kty": "EC", "x": encoded_number(point.x, 32), "y": encoded_number(point.y, 32)}

    @property
    def thumbprint(self):
        """RFC 7638: the required members, in the order of their names."""
        return encoded(hashlib.sha256(json.dumps(self.jwk, separators=(",", ":")).encode()).digest())

    def proof(self, method, uri, token, **changed):
        """A fresh proof, good unless `changed` says otherwise."""
        claims = {
            "jti": secrets.token_urlsafe(16), "htm": method, "htu": uri, "iat": int(time.time()),
            "ath": encoded(hashlib.sha256(token.encode()).digest()), **changed,
        }
        signed = f"{encoded_json({'typ': 'dpop+jwt', 'alg': 'ES256', 'jwk': self.jwk})}.{encoded_json(claims)}"
        return f"{signed}.{signed_es256(self.key, signed.encode())}"


class Mint:
    """Tokens and proofs by the ten thousand, a line `TOKEN PROOF` each, by a compiled program."""

    def __init__(self, folder, issuer):
        self.issuer = issuer
        self.program = folder / "proof_mint"
        self.issuer_key = folder / "issuer.pem"
        self.issuer_key.write_bytes(issuer.private_pem("ES256"))
        compiled("proof_mint", self.program)

    def command(self, uri, keys, count):
        claims = json.dumps(self.issuer.claims(), separators=(",", ":")).removesuffix("}")
        command = [self.program, self.issuer_key, "bench-es256", claims, METHOD, uri, keys, count]
        return [str(word) for word in command]

    def start_piped(self, uri, keys, count):
        """A process that makes `count` lines for `keys` keys in turn, no faster than they are read."""
        return subprocess.Popen(
            self.command(uri, keys, count), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, preexec_fn=end_with_parent)

    def write(self, path, uri, keys, count):
        """Writes so many lines to a file."""
        with open(path, "wb") as lines:
            made = subprocess.run(
                self.command(uri, keys, count), stdin=subprocess.DEVNULL, stdout=lines, timeout=300, check=False)
        if made.returncode:
            raise Failure("the mint of proofs failed")
