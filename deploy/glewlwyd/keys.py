"""Signing keys as private JWKs, made by the `openssl` command."""
import base64
import subprocess

GENERATORS = {
    "ES256": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "RS256": ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
}
INTEGER, OCTET_STRING, SEQUENCE = 0x02, 0x04, 0x30
RSA_MEMBERS = ("n", "e", "d", "p", "q", "dp", "dq", "qi")  # the order of RFC 8017's RSAPrivateKey, after its version


def new_key(algorithm, kid):
    """A fresh private JWK that says its `kid`, `alg` and `use`."""
    command = ["openssl", "genpkey", "-quiet", "-outform", "DER", *GENERATORS[algorithm]]
    members = private_jwk(algorithm, subprocess.run(command, check=True, capture_output=True).stdout)
    return {**members, "kid": kid, "alg": algorithm, "use": "sig"}


def private_jwk(algorithm, der):
    """The members of a key that `openssl` wrote."""
    (_, whole), = elements(der)
    parts = elements(whole)
    if parts[1][0] == SEQUENCE:  # PKCS #8 wraps the key of RFC 5915 or RFC 8017
        (_, whole), = elements(parts[2][1])
        parts = elements(whole)
    return elliptic(parts) if algorithm == "ES256" else rsa(parts)


def elliptic(parts):
    """RFC 5915: version, private key, [0] curve, [1] BIT STRING holding 0x04 ‖ x ‖ y."""
    (_, bits), = elements(parts[-1][1])
    point = bits[2:]
    return {"kty": "EC", "crv": "P-256", "x": encode(point[:32]), "y": encode(point[32:]), "d": encode(parts[1][1])}


def rsa(parts):
    """RFC 8017 A.1.2: version, then eight integers in the order of RSA_MEMBERS."""
    numbers = (value.lstrip(b"\0") for tag, value in parts[1:] if tag == INTEGER)
    return {"kty": "RSA", **{name: encode(number) for name, number in zip(RSA_MEMBERS, numbers)}}


def elements(der):
    """(tag, content) of each DER element in `der`."""
    found, at = [], 0
    while at < len(der):
        tag, length, at = der[at], der[at + 1], at + 2
        if length & 0x80:
            octets = length & 0x7F
            length, at = int.from_bytes(der[at:at + octets], "big"), at + octets
        found.append((tag, der[at:at + length]))
        at += length
    return found


def encode(octets):
    """base64url without padding."""
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()
