"""Tokens by every algorithm that the gateway verifies, for what each signature costs."""
import json
import secrets

from .documents import rsa as unknown_rsa
from .tokens import encoded, encoded_json, encoded_number

try:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
except ImportError:
    ec = None

ISSUER = "https://signers.bench.test"
# The largest that a key may have: its cost is that of the exponent's bits.
LARGEST_EXPONENT = (1 << 33) - 9


class Signer:
    """A key, and how it signs."""

    def __init__(self, name, algorithm, jwk, sign):
        self.name = name
        self.algorithm = algorithm
        self.jwk = jwk
        self.sign = sign

    def token(self, claims):
        """A token of its own each time."""
        header = {"typ": "at+jwt", "alg": self.algorithm, "kid": self.jwk["kid"]}
        signed = f"{encoded_json(header)}.{encoded_json({**claims, 'iss': ISSUER, 'jti': secrets.token_urlsafe(16)})}"
        return f"{signed}.{encoded(self.sign(signed.encode()))}"


def elliptic(name, curve, size, algorithm, digest):
    key = ec.generate_private_key(curve)
    point = key.public_key().public_numbers()

    def sign(text):
        r, s = decode_dss_signature(key.sign(text, ec.ECDSA(digest)))
        return r.to_bytes(size, "big") + s.to_bytes(size, "big")

    jwk = {"kty": "EC", "crv": name, "kid": name, "x": encoded_number(point.x, size), "y": encoded_number(point.y, size)}
    return Signer(f"{algorithm} ({name})", algorithm, jwk, sign)


def edwards():
    key = ed25519.Ed25519PrivateKey.generate()
    jwk = {"kty": "OKP", "crv": "Ed25519", "kid": "Ed25519", "x": encoded(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))}
    return Signer("EdDSA (Ed25519)", "EdDSA", jwk, key.sign)


def large(bits, algorithm):
    key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
    modulus = key.public_key().public_numbers().n
    scheme = (padding.PSS(padding.MGF1(hashes.SHA256()), 32) if algorithm == "PS256" else padding.PKCS1v15())
    jwk = {"kty": "RSA", "kid": f"RSA-{bits}", "n": encoded_number(modulus, bits // 8), "e": encoded_number(65537, 3)}
    return Signer(f"{algorithm}, RSA of {bits} bits", algorithm, jwk, lambda text: key.sign(text, scheme, hashes.SHA256()))


def largest(exponent, name):
    """Nobody has the other half of such a key here, which would take half a minute to make: a wrong signature costs as much."""
    jwk = unknown_rsa(8192, 7, exponent)
    jwk = {name: value for name, value in jwk.items() if name not in ("alg", "use")} | {"kid": f"RSA-8192-{exponent}"}
    return Signer(f"RS256, RSA of 8192 bits, {name}, a wrong signature", "RS256", jwk, lambda _: bytes([1]) + secrets.token_bytes(1023))


class Signers:
    """One key for each kind that can be told apart."""

    def __init__(self, path):
        self.all = [
            elliptic("P-256", ec.SECP256R1(), 32, "ES256", hashes.SHA256()), elliptic("P-384", ec.SECP384R1(), 48, "ES384", hashes.SHA384()),
            elliptic("P-521", ec.SECP521R1(), 66, "ES512", hashes.SHA512()), edwards(), large(2048, "RS256"), large(4096, "PS256"),
            largest(65537, "exponent 65537"), largest(LARGEST_EXPONENT, "exponent of 33 bits")]
        path.write_text(json.dumps({"keys": [one.jwk for one in self.all]}))
