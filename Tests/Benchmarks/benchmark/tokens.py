"""The issuer of the benchmark: keys, a JWK Set, and access tokens as RFC 9068 has them."""
import base64
import json
import secrets
import time

from .failure import Failure

try:
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
except ImportError:
    ec = None

ISSUER = "https://issuer.bench.test"
AUDIENCE = "https://api.bench.test"
SCOPE = "orders:read"
CLIENT = "bench-client"
LIFETIME_SECONDS = 4 * 3600


def encoded(data):
    """base64url without padding (RFC 7515 §2)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def encoded_number(number, size):
    return encoded(number.to_bytes(size, "big"))


def encoded_json(value):
    return encoded(json.dumps(value, separators=(",", ":")).encode())


def new_key():
    """A P-256 key."""
    if ec is None:
        raise Failure("Python's cryptography is not installed: apt-get install python3-cryptography")
    return ec.generate_private_key(ec.SECP256R1())


def signed_es256(key, text):
    """RFC 7518 §3.4: the two numbers side by side, not DER."""
    r, s = decode_dss_signature(key.sign(text, ec.ECDSA(hashes.SHA256())))
    return encoded(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


class Issuer:
    """Two signing keys and what is signed with them."""

    def __init__(self):
        self.keys = {
            "ES256": new_key(),
            "RS256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
        }

    def key_set(self):
        """The JWK Set document."""
        curve = self.keys["ES256"].public_key().public_numbers()
        modulus = self.keys["RS256"].public_key().public_numbers()
        return json.dumps({"keys": [
            {"kty": "EC", "crv": "P-256", "kid": "bench-es256", "alg": "ES256", "use": "sig",
             "x": encoded_number(curve.x, 32), "y": encoded_number(curve.y, 32)},
            {"kty": "RSA", "kid": "bench-rs256", "alg": "RS256", "use": "sig",
             "n": encoded_number(modulus.n, 256), "e": encoded_number(modulus.e, 3)},
        ]})

    def public_pem(self, algorithm):
        """A public key as HAProxy wants it."""
        return self.keys[algorithm].public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def private_pem(self, algorithm):
        """A key for another program that signs."""
        return self.keys[algorithm].private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())

    def public_jwk(self, algorithm):
        """A public key as mod_oauth2 wants it."""
        return next(key for key in json.loads(self.key_set())["keys"] if key["alg"] == algorithm)

    def sign(self, algorithm, text):
        key = self.keys[algorithm]
        if algorithm == "RS256":
            return encoded(key.sign(text, padding.PKCS1v15(), hashes.SHA256()))
        return signed_es256(key, text)

    def claims(self, subject="user-000001", **changed):
        """Claims that are good unless `changed` says otherwise."""
        now = int(time.time())
        return {
            "iss": ISSUER, "sub": subject, "aud": AUDIENCE, "client_id": CLIENT, "scope": SCOPE,
            "iat": now - 5, "exp": now + LIFETIME_SECONDS, "jti": secrets.token_urlsafe(16), **changed,
        }

    def token(self, algorithm, subject="user-000001", **changed):
        """An access token that is good unless `changed` says otherwise."""
        claims = self.claims(subject, **changed)
        header = {"typ": "at+jwt", "alg": algorithm, "kid": f"bench-{algorithm.lower()}"}
        signed = f"{encoded_json(header)}.{encoded_json(claims)}"
        return f"{signed}.{self.sign(algorithm, signed.encode())}"

    def tokens(self, algorithm, count):
        """Good tokens of different subjects."""
        return [self.token(algorithm, f"user-{number:06d}") for number in range(1, count + 1)]

    def bad_tokens(self, algorithm):
        """Tokens that a server which checks at all must refuse, by what is wrong with them."""
        good = self.token(algorithm)
        signed, _, signature = good.rpartition(".")
        middle = len(signature) // 2
        other = "A" if signature[middle] != "A" else "B"
        long_ago = int(time.time()) - 7200
        return {
            "a changed signature": f"{signed}.{signature[:middle]}{other}{signature[middle + 1:]}",
            "an expired token": self.token(algorithm, iat=long_ago, exp=long_ago + 3600),
            "another audience": self.token(algorithm, aud="https://other.bench.test"),
        }
