"""Documents of an authorization server that are meant to cost more than their bytes: key sets, and metadata."""
import json
import random

from .tokens import encoded, encoded_number

try:
    from cryptography.hazmat.primitives.asymmetric import ec
except ImportError:
    ec = None

# What is read of either; more is refused before it is looked at.
DOCUMENT_BYTES = 256 * 1024
KEYS = 100
SMALL_PRIMES = (
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131,
    137, 139, 149, 151, 157, 163, 167)


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def filled(head, tail, unit, size=DOCUMENT_BYTES, separator=","):
    """As many units between head and tail as there is room for."""
    count = (size - len(head) - len(tail)) // (len(unit) + len(separator))
    return head + separator.join([unit] * count) + tail


def rsa(bits, number, exponent=65537, product=0):
    """A key that nobody has the other half of; `product`, one that a broken generator might have made."""
    numbers = random.Random(number)
    modulus = numbers.getrandbits(bits) | 1 << (bits - 1) | 1
    if product:
        modulus -= (modulus - 1) % (2 * product)
    return {"kty": "RSA", "kid": f"k{number}", "alg": "PS256", "use": "sig", "n": encoded_number(modulus, bits // 8),
            "e": encoded_number(exponent, 5 if exponent >> 32 else 3)}


def elliptic(curve, size, name, algorithm, count):
    """Points of a curve, each of them twice what the one before it is."""
    keys = []
    for number in range(count):
        numbers = ec.generate_private_key(curve).public_key().public_numbers()
        keys.append({"kty": "EC", "kid": f"k{number}", "crv": name, "alg": algorithm, "use": "sig",
                     "x": encoded_number(numbers.x, size), "y": encoded_number(numbers.y, size)})
    return keys


def with_chains(keys, size=DOCUMENT_BYTES):
    """A key set of that many bytes, the rest of which are certificates, as large providers publish them."""
    room = (size - len(compact({"keys": keys}))) // len(keys) - 12
    return compact({"keys": [{**key, "x5c": ["M" * max(0, room)]} for key in keys]})


def key_sets():
    """Key sets by name; the first one is what the others are compared with."""
    ordinary = [rsa(2048, number) for number in range(KEYS)]
    product = 1
    for prime in SMALL_PRIMES:
        product *= prime
    found = {
        "an ordinary one": with_chains(ordinary),
        "RSA of 8192 bits": with_chains([rsa(8192, number) for number in range(KEYS)]),
        "RSA of 8192 bits that may be guessed": with_chains([rsa(8192, number, product=product) for number in range(KEYS)]),
        "P-256": with_chains(elliptic(ec.SECP256R1(), 32, "P-256", "ES256", KEYS)),
        "P-384": with_chains(elliptic(ec.SECP384R1(), 48, "P-384", "ES384", KEYS)),
        "P-521": with_chains(elliptic(ec.SECP521R1(), 66, "P-521", "ES512", KEYS)),
        "P-521 off the curve": with_chains([
            {"kty": "EC", "crv": "P-521", "x": "A" * 88, "y": encoded_number(number + 2, 66)} for number in range(KEYS)]),
        "P-521 to encrypt to": with_chains([
            {**key, "use": "enc", "alg": "ECDH-ES"} for key in elliptic(ec.SECP521R1(), 66, "P-521", "ES512", KEYS)]),
        "Ed25519": with_chains([
            {"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "x": encoded(random.Random(number).randbytes(31) + b"\x10")}
            for number in range(KEYS)]),
        "operations": with_chains(ordinary, DOCUMENT_BYTES - 1_000).replace('"x5c":["', '"key_ops":["').replace("M" * 4, 'M","'),
    }
    return {**found, **texts('{"keys":[', "]}")}


def texts(head, tail):
    """JSON of the same bytes that has as much in it as it can have."""
    def arrays(unit, count=4000):
        return filled(head, tail, "[" + ",".join([unit] * count) + "]")

    members = "{" + ",".join(f'"{number:03}":0' for number in range(250)) + "}"
    return {
        "numbers": arrays("1"), "empty arrays": arrays("[]"), "empty texts": arrays('""'),
        "members": filled(head, tail, members), "deep": arrays("[" * 12 + "]" * 12, 1000),
        "escapes": filled(head, tail, '"' + "\\u0061" * 40_000 + '"'), "white space": head + " " * 200_000 + tail,
    }


def metadata(url):
    """Metadata by name, as above."""
    base = {
        "issuer": url, "jwks_uri": f"{url}/jwks", "authorization_endpoint": f"{url}/authorize", "token_endpoint": f"{url}/token",
        "response_types_supported": ["code"], "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    }
    head = compact(base)[:-1]

    def members(names, value):
        return head + "," + ",".join(f'"{name}":{value}' for name in names) + "}"

    long = compact("https://127.0.0.1/" + "a" * 1_000)
    found = {
        "an ordinary one": members([f"member_{number}" for number in range(200)], compact("a" * 1_280)),
        "endpoints": members([f"e{number}_endpoint" for number in range(200)], long),
        "endpoints of slashes": members([f"e{number}_endpoint" for number in range(200)], compact("https://127.0.0.1/" + "/" * 1_000)),
        "aliases in aliases": nested_aliases(head, long),
    }
    for name in ("scopes_supported", "token_endpoint_auth_methods_supported", "dpop_signing_alg_values_supported",
                 "code_challenge_methods_supported", "claims_supported", "authorization_details_types_supported"):
        found[f"{name} of 4,000"] = members([name], compact([f"{number:050}" for number in range(4_000)]))
    for name, text in texts(head + ',"m":[', "]}").items():
        found[name] = text
    return found


def nested_aliases(head, url):
    """Each alias has aliases, and endpoints to be looked at."""
    text = "{}"
    for level in range(12):
        own = ",".join(f'"l{level}n{number}_endpoint":{url}' for number in range(16))
        text = f'{{{own},"mtls_endpoint_aliases":{text}}}'
    return f'{head},"mtls_endpoint_aliases":{text}}}'
