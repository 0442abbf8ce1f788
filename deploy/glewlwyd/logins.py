"""Clients for browser logins, and the part of a login that a user plays, without a browser."""
import secrets
import urllib.parse

from .keys import private_jwk
from .proofs import openssl
from .provisioning import LOGIN_SCOPES, SCOPES
from .session import Refused, Session

SECRET_METHODS = ("client_secret_basic", "client_secret_post", "client_secret_jwt")


def add_client(administrator, server, options):
    """Registers a client as its options say; returns what a gateway needs to know of it."""
    client = {
        "client_id": options.name, "name": options.name, "description": options.name, "enabled": True,
        "confidential": True, "redirect_uri": options.redirect_uri,
        # With an object's signature PAR wants the method that the object's algorithm implies.
        "token_endpoint_auth_method": sorted({options.method, *options.also}),
        "authorization_type": ["code", "refresh_token", "client_credentials", "delete_token"], "scope": SCOPES,
        "resource": [server["resource"], server["other_resource"]], "sign_kid": options.sign_kid,
        "request_object_signing_alg": options.algorithm, "token_endpoint_signing_alg": options.assertion_algorithm or options.algorithm,
    }
    known = {"client_id": options.name, "method": options.method, "scopes": ["openid", *LOGIN_SCOPES, *SCOPES]}
    if options.method in SECRET_METHODS:
        # URL-safe: glewlwyd does not percent-decode the secret of Basic authentication (RFC 6749 §2.3.1).
        known["client_secret"] = client["client_secret"] = options.secret or secrets.token_urlsafe(32)
    if options.key:
        members = private_jwk(options.algorithm, openssl("pkey", "-in", options.key, "-outform", "DER"))
        private = ("d", "p", "q", "dp", "dq", "qi")
        public = {name: value for name, value in members.items() if name not in private}
        client["jwks"] = {"keys": [{**public, "kid": options.key_id, "alg": options.algorithm, "use": "sig"}]}
    if options.jwks_uri:
        client["jwks_uri"] = options.jwks_uri
    if options.subject_name:
        client["tls_client_auth_subject_dn"] = options.subject_name
    if options.dpop:
        client["dpop_bound_access_tokens"] = "true"
    if options.post_logout_uri:
        client["post_logout_redirect_uris"] = options.post_logout_uri
    if options.backchannel_logout_uri:
        client.update(backchannel_logout_uri=options.backchannel_logout_uri,
                      backchannel_logout_session_required="true")
    if options.frontchannel_logout_uri:
        client.update(frontchannel_logout_uri=options.frontchannel_logout_uri,
                      frontchannel_logout_session_required="true")
    try:
        administrator.call("GET", f"/client/{options.name}")
        administrator.call("PUT", f"/client/{options.name}", client)
    except Refused:
        administrator.call("POST", "/client/", client)
    if not options.asks_consent:
        user = Session(server["base"])
        user.log_in(server["user"]["username"], server["user"]["password"])
        user.call("PUT", f"/auth/grant/{options.name}", {"scope": " ".join(known["scopes"])})
    return known


def authorize(server, url, user=None):
    """Where the server sends a browser that opened `url`, once its user has logged in and pressed Continue."""
    browser = user or Session(server["base"])
    browser.log_in(server["user"]["username"], server["user"]["password"])
    headers, content = browser.send("GET", url, expect=(200, 302, 303, 403))
    location = headers.get("Location", "")
    page = urllib.parse.urlsplit(location)
    if not page.path.endswith("login.html"):
        return location or content.decode(errors="replace")
    back = urllib.parse.parse_qs(page.query)["callback_url"][0]
    # `g_continue` is what the login page adds once the user has pressed Continue.
    headers, content = browser.send("GET", f"{back}&g_continue", expect=(200, 302, 303, 403))
    return headers.get("Location") or content.decode(errors="replace")
