"""What the requests to one server carry: nothing, a Bearer token, or a bound token with a fresh proof."""
import time

from .exchange import bearer, bound
from .proofs import Client, target


class Anonymous:
    """Nothing: for a public route, or a proxy that checks nothing."""

    demanded = used_once = False

    def good(self, _path):
        return ()

    def bad(self, _path):
        return {}


class BearerToken:
    """One token of the issuer."""

    demanded = True
    used_once = False

    def __init__(self, issuer, algorithm):
        self.issuer = issuer
        self.algorithm = algorithm
        self.token = issuer.token(algorithm)

    def good(self, _path):
        return bearer(self.token)

    def bad(self, _path):
        """Fields that a server which checks at all must refuse, by what is wrong with them."""
        return {fault: bearer(token) for fault, token in self.issuer.bad_tokens(self.algorithm).items()}


class BoundToken:
    """A token bound to a key, and a proof by that key for each request (RFC 9449)."""

    demanded = used_once = True

    def __init__(self, issuer, port):
        self.port = port
        self.client = Client()
        self.stranger = Client()
        self.token = issuer.token("ES256", cnf={"jkt": self.client.thumbprint})

    def fields(self, path, client=None, token=None, **changed):
        token = token or self.token
        proof = (client or self.client).proof("GET", target(self.port, path), token, **changed)
        return bound(token, proof)

    def good(self, path):
        return self.fields(path)

    def bad(self, path):
        """As for Bearer."""
        authorization, proof = self.fields(path)
        signed, _, signature = proof[1].rpartition(".")
        other = "A" if signature[40] != "A" else "B"
        return {
            "no proof": (authorization,),
            "a bound token as Bearer": bearer(self.token),
            "a bound token as Bearer, with a proof": (*bearer(self.token), proof),
            "a proof whose signature was changed": (
                authorization, ("DPoP", f"{signed}.{signature[:40]}{other}{signature[41:]}")),
            "a proof for another method": self.fields(path, htm="POST"),
            "a proof for another target": self.fields(path, htu=target(self.port, "/elsewhere")),
            "a proof by another key": self.fields(path, client=self.stranger),
            "a proof of last week": self.fields(path, iat=int(time.time()) - 7 * 86400),
        }
