"""The files of the Secrets, made by the very commands of the article, and what stands in for an issuer."""
import base64
import functools
import json
import re
import ssl
import subprocess
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import manifests
import pods

ARTICLE = manifests.PROJECT / "Sources/Gateway/Gateway.docc/Kubernetes.md"


def blocks(language, word):
    """The blocks of code of the article, in a language, that have a word."""
    found = re.findall(rf"```{language}\n(.*?)```", ARTICLE.read_text(encoding="utf-8"), re.DOTALL)
    return [block for block in found if word in block]


@functools.cache
def secrets(image):
    """The files of each Secret by its name; kubectl makes them, and no cluster is asked."""
    commands = "\n".join(blocks("sh", "create secret generic"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        programs = folder / "programs"
        programs.mkdir()
        (programs / "portcullis").symlink_to(image.binary)
        kubectl = programs / "kubectl"
        kubectl.write_text(
            f'#!/bin/sh\nexec {manifests.KUBECTL} "$@" --dry-run=client --output=json >> {folder}/made\n')
        kubectl.chmod(0o755)
        done = subprocess.run(
            ["bash", "-euc", commands], cwd=folder, env={"PATH": f"{programs}:{pods.PATH}", "HOME": name},
            capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        decoder, text, made = json.JSONDecoder(), (folder / "made").read_text(), {}
        while text.strip():
            resource, end = decoder.raw_decode(text.lstrip())
            text = text.lstrip()[end:]
            made[resource["metadata"]["name"]] = resource
    assert {one["metadata"]["namespace"] for one in made.values()} == {"shop"}
    return {name: {key: base64.b64decode(value) for key, value in one["data"].items()} for name, one in made.items()}


def openssl(*arguments, content=None):
    """What openssl prints."""
    return subprocess.run(["openssl", *map(str, arguments)], check=True, input=content, capture_output=True,
                          timeout=60).stdout


def encoded(content):
    """Base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Issuer:
    """An issuer whose metadata and keys are at https://id.example.com/, by an authority of its own."""

    def __init__(self, url, folder):
        self.url, self.folder = url, folder
        host = url.removeprefix("https://").rstrip("/")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2,
                "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}",
                "-keyout", folder / "issuer.key", "-out", folder / "issuer.crt")
        point = openssl("pkey", "-in", folder / "issuer.key", "-pubout", "-outform", "DER")[-64:]
        key = {"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "main",
               "x": encoded(point[:32]), "y": encoded(point[32:])}
        metadata = {"issuer": url, "jwks_uri": url + "jwks", "authorization_endpoint": url + "authorize",
                    "token_endpoint": url + "token", "response_types_supported": ["code"],
                    "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
                    "code_challenge_methods_supported": ["S256"]}
        answers = {"/jwks": {"keys": [key]}, "/.well-known/openid-configuration": metadata}

        class Handler(BaseHTTPRequestHandler):
            """One connection of the gateway."""

            def do_GET(self):
                """Metadata or keys."""
                answer = answers.get(self.path)
                content = json.dumps(answer or {}).encode()
                self.send_response(200 if answer else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                """Nobody asks."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 443), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "issuer.crt", folder / "issuer.key")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def authority(self):
        """What its certificate is verified by."""
        return (self.folder / "issuer.crt").read_bytes()

    def token(self, audience):
        """An access token as RFC 9068 has it."""
        now = int(time.time())
        claims = {"iss": self.url, "aud": audience, "sub": "alice", "client_id": "shop", "iat": now, "exp": now + 300,
                  "jti": str(time.monotonic_ns())}
        text = ".".join(encoded(json.dumps(part).encode()) for part in
                        ({"alg": "ES256", "typ": "at+jwt", "kid": "main"}, claims))
        der = openssl("dgst", "-sha256", "-sign", self.folder / "issuer.key", content=text.encode())
        numbers, rest = [], der[2:]
        while rest:
            numbers.append(int.from_bytes(rest[2:2 + rest[1]], "big").to_bytes(32, "big"))
            rest = rest[2 + rest[1]:]
        return f"{text}.{encoded(b''.join(numbers))}"

    def close(self):
        """Answers no more."""
        self.server.shutdown()
        self.server.server_close()
