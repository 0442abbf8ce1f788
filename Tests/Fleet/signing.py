"""Keys, tokens and certificates, made by OpenSSL: by its command, and by its library where thousands are signed."""
import base64
import ctypes
import hashlib
import itertools
import json
import subprocess
import time

numbers = itertools.count(1)
LIBRARY = ctypes.CDLL("libcrypto.so.3")
for function in ("BIO_new_file", "PEM_read_bio_PrivateKey", "EVP_MD_CTX_new", "EVP_sha256"):
    getattr(LIBRARY, function).restype = ctypes.c_void_p
# Of a signature by P-256 in DER.
LONGEST = 72


def openssl(*options, given=None):
    """What a command of OpenSSL writes."""
    done = subprocess.run(["openssl", *map(str, options)], input=given, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"openssl {options[0]}: {done.stderr.decode()}")
    return done.stdout


def encoded(data):
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text):
    """What base64url without padding stands for."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def digest(text):
    """SHA-256 of a text, as protocols write it."""
    return encoded(hashlib.sha256(text.encode()).digest())


class Key:
    """A P-256 key in a file."""

    def __init__(self, path):
        self.path = path
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path)
        point = openssl("pkey", "-in", path, "-pubout", "-outform", "DER")[-64:]
        self.private = ctypes.c_void_p(self.read())
        self.public = {"kty": "EC", "crv": "P-256", "x": encoded(point[:32]), "y": encoded(point[32:])}

    def read(self):
        """The key as the library has it; it stays for as long as the tests run."""
        file = ctypes.c_void_p(LIBRARY.BIO_new_file(str(self.path).encode(), b"r"))
        found = LIBRARY.PEM_read_bio_PrivateKey(file, None, None, None)
        LIBRARY.BIO_free(file)
        return found

    def thumbprint(self):
        """Of its public half (RFC 7638)."""
        return digest(json.dumps(self.public, sort_keys=True, separators=(",", ":")))

    def sign(self, header, claims):
        """A JWS with ES256."""
        text = ".".join(encoded(json.dumps(part).encode()) for part in ({"alg": "ES256", **header}, claims))
        der = self.signature(text.encode())
        halves, place = b"", 2
        for _ in range(2):
            length = der[place + 1]
            halves += int.from_bytes(der[place + 2:place + 2 + length], "big").to_bytes(32, "big")
            place += 2 + length
        return f"{text}.{encoded(halves)}"

    def signature(self, content):
        """In DER."""
        context = ctypes.c_void_p(LIBRARY.EVP_MD_CTX_new())
        written, length = ctypes.create_string_buffer(LONGEST), ctypes.c_size_t(LONGEST)
        done = (LIBRARY.EVP_DigestSignInit(context, None, ctypes.c_void_p(LIBRARY.EVP_sha256()), None, self.private) == 1
                and LIBRARY.EVP_DigestSign(context, written, ctypes.byref(length), content, ctypes.c_size_t(len(content))) == 1)
        LIBRARY.EVP_MD_CTX_free(context)
        if not done:
            raise SystemExit("OpenSSL signs nothing")
        return written.raw[:length.value]


def unused():
    """A word that was in no token before."""
    return f"once-{next(numbers)}-{time.time_ns():x}"


def authority(folder):
    """A certificate for the store, signed by itself, and its key."""
    certificate, key = folder / "store.crt", folder / "store-tls.pem"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
            "/CN=store.test", "-addext", "subjectAltName=DNS:store.test", "-keyout", key, "-out", certificate)
    return certificate, key


class Authority:
    """Whoever signs certificates; its own one is in a file."""

    def __init__(self, folder, name="authority"):
        self.folder, self.certificate, self.key = folder, folder / f"{name}.crt", folder / f"{name}.pem"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
                f"/CN={name}.test", "-keyout", self.key, "-out", self.certificate)

    def issue(self, name, days=30):
        """A certificate for a name, good for so many days from now or until so long ago, and its key."""
        certificate, key = (self.folder / f"{name}-{next(numbers)}.{kind}" for kind in ("crt", "pem"))
        request = openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                          "-addext", f"subjectAltName=DNS:{name}", "-keyout", key)
        openssl("x509", "-req", "-days", days, "-CA", self.certificate, "-CAkey", self.key, "-copy_extensions", "copy", "-out",
                certificate, given=request)
        return certificate, key
