"""Access tokens from the running server: for the user by the code grant, for a client by itself."""
import base64
import hashlib
import json
import secrets
import urllib.parse

from .proofs import proof
from .session import Session


def for_user(server, client, scope, resource, key=None):
    """The authorization code grant with PKCE, as the user's browser and the client would do it together."""
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    request = {
        "response_type": "code", "client_id": client["client_id"], "redirect_uri": server["redirect_uri"],
        "scope": scope, "state": secrets.token_urlsafe(12), "code_challenge": challenge,
        "code_challenge_method": "S256",
        # glewlwyd reads `resource` here and refuses it at the token endpoint.
        **({"resource": resource} if resource else {}),
    }
    browser = Session(server["base"])
    browser.log_in(server["user"]["username"], server["user"]["password"])
    # `g_continue` is what the login page adds once the user has pressed Continue.
    url = f"{server['issuer']}/auth?{urllib.parse.urlencode(request)}&g_continue"
    headers, _ = browser.send("GET", url, expect=(302,))
    answer = urllib.parse.parse_qs(urllib.parse.urlsplit(headers["Location"]).query)
    if answer.get("state") != [request["state"]] or "code" not in answer:
        raise SystemExit(f"no authorization code: {headers['Location']}")
    return exchange(server, client, {
        "grant_type": "authorization_code", "code": answer["code"][0], "code_verifier": verifier,
        "redirect_uri": server["redirect_uri"]}, key)


def for_client(server, client, scope, resource, key=None):
    """The client credentials grant."""
    return exchange(server, client, {
        "grant_type": "client_credentials", "scope": scope, **({"resource": resource} if resource else {})}, key)


def exchange(server, client, form, key=None):
    """One authenticated call to the token endpoint; with a key, the token is bound to it (RFC 9449 §5)."""
    fields = {"DPoP": proof(key, "POST", server["token_endpoint"])} if key else {}
    answer = json.loads(post(server, client, server["token_endpoint"], form, fields))
    expected = "dpop" if key else "bearer"
    if answer["token_type"].lower() != expected:
        raise SystemExit(f"a token of type {answer['token_type']}, not {expected}")
    return answer["access_token"]


def revoke(server, client, token):
    """Ends a token's life (RFC 7009)."""
    post(server, client, server["revocation_endpoint"], {"token": token, "token_type_hint": "access_token"})


def post(server, client, url, form, fields=None):
    """The content of the answer to a form that the client sends."""
    basic = base64.b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()
    _, content = Session(server["base"]).send(
        "POST", url, urllib.parse.urlencode(form).encode(),
        {"Authorization": f"Basic {basic}", "Content-Type": "application/x-www-form-urlencoded", **(fields or {})})
    return content
