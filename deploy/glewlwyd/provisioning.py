"""What the server knows after its first start: scopes, a user, clients, signing keys."""
import json
import secrets

from .keys import new_key, private_jwk
from .proofs import new_key_file, openssl
from .session import Session

PLUGIN = "oidc"
USER = "alice"
ORDER_SCOPES = ["orders:read", "orders:write"]
SCOPES = [*ORDER_SCOPES, "reports:read"]
# What a login asks for: the user's name and address go with the last two.
LOGIN_SCOPES = ["profile", "email"]
# glewlwyd insists on a scope that would let a token's bearer introspect; nobody is given it.
INTROSPECTION_SCOPE = "introspect"
# Nothing listens there: the authorization code is read from the redirect itself.
REDIRECT_URI = "http://127.0.0.1:9/callback"
# A second resource, so that a token with the wrong audience can be had.
OTHER_RESOURCE = "https://other.example/api"
ADMINISTRATOR = ("admin", "password")  # the schema's own; the server listens on the loopback only

# name: (scopes of its own, kid of the key that signs its tokens)
CLIENTS = {
    "orders-client": (ORDER_SCOPES, "es-1"),
    "orders-client-rs256": (ORDER_SCOPES, "rs-1"),
    "reports-client": (["reports:read"], "es-1"),
}
CLIENT_PROPERTIES = [
    "sign_kid", "dpop_bound_access_tokens", "post_logout_redirect_uris", "id_token_signing_alg",
    "authorization_signed_response_alg", "tls_client_auth_subject_dn"]
# Asks about tokens and gets none: what the gateway is to the server when it introspects.
RESOURCE_SERVER = "orders-api"
# The same with a key in place of a secret.
KEYED_RESOURCE_SERVER = "orders-api-keyed"


def provision(base, front, resource, access_token_seconds, directory):
    """Creates everything, keys of clients in `directory`; returns what a client, a test or a gateway needs to know about it."""
    administrator = Session(base)
    administrator.log_in(*ADMINISTRATOR)
    declare_client_properties(administrator)
    for scope in (*SCOPES, *LOGIN_SCOPES, INTROSPECTION_SCOPE):
        administrator.call("POST", "/scope/", {
            "name": scope, "display_name": scope, "description": scope, "password_required": True,
            "password_max_age": 0, "scheme": {}, "scheme_required": {}})
    password = secrets.token_urlsafe(12)
    administrator.call("POST", "/user/", {
        "username": USER, "name": "Alice Liddell", "email": "alice@example.org", "enabled": True,
        "password": password, "scope": ["g_profile", "openid", *LOGIN_SCOPES, *SCOPES]})
    keys = [new_key("ES256", "es-1"), new_key("RS256", "rs-1")]
    issuer = f"{front}/api/{PLUGIN}"
    administrator.call("POST", "/mod/plugin/", {
        "module": "oidc", "name": PLUGIN, "display_name": PLUGIN, "enabled": True,
        "parameters": parameters(issuer, keys, [resource, OTHER_RESOURCE], access_token_seconds)})
    clients = {name: add_client(administrator, name, resource) for name in CLIENTS}
    resource_server = add_resource_server(administrator)
    keyed_resource_server = add_keyed_resource_server(administrator, directory)
    grant(base, password)
    return {
        "issuer": issuer, "jwks_uri": f"{issuer}/jwks", "token_endpoint": f"{issuer}/token", "base": base,
        "introspection_endpoint": f"{issuer}/introspect", "revocation_endpoint": f"{issuer}/revoke",
        "resource": resource, "other_resource": OTHER_RESOURCE, "redirect_uri": REDIRECT_URI,
        "user": {"username": USER, "password": password}, "clients": clients,
        "resource_server": resource_server, "keyed_resource_server": keyed_resource_server,
    }


def declare_client_properties(administrator):
    """Lets clients carry properties that the plugin reads but the stock schema of clients silently drops."""
    module = administrator.call("GET", "/mod/client/database")
    for name in CLIENT_PROPERTIES:
        module["parameters"].setdefault("data-format", {})[name] = {
            "multiple": name.endswith("_uris"), "read": True, "write": True}
    administrator.call("PUT", "/mod/client/database", module)
    administrator.call("PUT", "/mod/client/database/reset")


def add_client(administrator, name, resource):
    """A confidential client that may act for a user (code) and for itself (client_credentials)."""
    # URL-safe: glewlwyd does not percent-decode the secret of Basic authentication (RFC 6749 §2.3.1).
    secret = secrets.token_urlsafe(24)
    scopes, kid = CLIENTS[name]
    administrator.call("POST", "/client/", {
        "client_id": name, "name": name, "description": name, "enabled": True, "confidential": True,
        "client_secret": secret, "token_endpoint_auth_method": ["client_secret_basic"],
        "redirect_uri": [REDIRECT_URI], "authorization_type": ["code", "client_credentials"], "scope": scopes,
        "resource": [resource, OTHER_RESOURCE], "sign_kid": kid})
    return {"client_id": name, "client_secret": secret, "scopes": scopes}


def add_resource_server(administrator):
    """A confidential client whose only use is to call the introspection endpoint."""
    secret = secrets.token_urlsafe(24)
    administrator.call("POST", "/client/", {
        "client_id": RESOURCE_SERVER, "name": RESOURCE_SERVER, "description": RESOURCE_SERVER, "enabled": True,
        "confidential": True, "client_secret": secret, "token_endpoint_auth_method": ["client_secret_basic"],
        "redirect_uri": [], "authorization_type": ["client_credentials"], "scope": [INTROSPECTION_SCOPE]})
    return {"client_id": RESOURCE_SERVER, "client_secret": secret}


def add_keyed_resource_server(administrator, directory):
    """The same, known by the public half of a key (private_key_jwt)."""
    key = directory / f"{KEYED_RESOURCE_SERVER}.pem"
    new_key_file(key)
    members = private_jwk("ES256", openssl("pkey", "-in", key, "-outform", "DER"))
    kid = f"{KEYED_RESOURCE_SERVER}-1"
    public = {name: value for name, value in members.items() if name != "d"}
    administrator.call("POST", "/client/", {
        "client_id": KEYED_RESOURCE_SERVER, "name": KEYED_RESOURCE_SERVER, "description": KEYED_RESOURCE_SERVER,
        "enabled": True, "confidential": True, "token_endpoint_auth_method": ["private_key_jwt"],
        "token_endpoint_signing_alg": "ES256", "request_object_signing_alg": "ES256",
        "jwks": {"keys": [{**public, "kid": kid, "alg": "ES256", "use": "sig"}]},
        "redirect_uri": [], "authorization_type": ["client_credentials"], "scope": [INTROSPECTION_SCOPE]})
    return {"client_id": KEYED_RESOURCE_SERVER, "key": str(key), "key_id": kid}


def grant(base, password):
    """Records the user's consent to every client, which the login page would otherwise ask for."""
    user = Session(base)
    user.log_in(USER, password)
    for name, (scopes, _) in CLIENTS.items():
        user.call("PUT", f"/auth/grant/{name}", {"scope": " ".join(scopes)})


def parameters(issuer, keys, resources, access_token_seconds):
    """The plugin's settings: codes, their refresh, and client_credentials."""
    return {
        "iss": issuer,
        "jwks-private": json.dumps({"keys": keys}),  # a string; the first key signs unless a client's sign_kid differs
        "default-kid": "", "jwks-show": True, "client-sign_kid-parameter": "sign_kid",
        "subject-type": "public", "allow-non-oidc": True, "allowed-scope": ["openid", *LOGIN_SCOPES, *SCOPES],
        "access-token-duration": access_token_seconds, "refresh-token-duration": 3600, "code-duration": 60,
        "refresh-token-rolling": False, "refresh-token-one-use": "always",
        "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True, "auth-type-client-enabled": True,
        "auth-type-token-enabled": False, "auth-type-none-enabled": False, "auth-type-password-enabled": False,
        "auth-type-device-enabled": False, "auth-type-refresh-enabled": True,
        "pkce-allowed": True, "pkce-required": True, "pkce-required-public-client": True,
        "pkce-method-plain-allowed": False, "pkce-scopes": [],
        "resource-allowed": True, "resource-scope": {scope: resources for scope in SCOPES},
        "resource-client-property": "resource", "resource-scope-and-client-property": False,
        "name-claim": "on-demand", "name-claim-scope": ["profile"],
        "email-claim": "on-demand", "email-claim-scope": ["email"], "scope-claim": "no", "claims": [], "additional-parameters": [],
        "address-claim": {"type": "no", "formatted": "", "street_address": "", "locality": "", "region": "",
                          "postal_code": "", "country": "", "mandatory": False},
        "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
        "introspection-revocation-auth-scope": [INTROSPECTION_SCOPE],
        "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 60,
        "oauth-dpop-dpop_bound_access_tokens-property": "dpop_bound_access_tokens",
        # The server's clock is read once a tick: without some slack a proof of this moment is now and then of the future.
        "oauth-dpop-iat-gap-duration": 5, "oauth-dpop-nonce-mandatory": False, "oauth-dpop-nonce-counter": 3,
        # Without these no client's assertion is read (private_key_jwt).
        "request-parameter-allow": True, "request-parameter-ietf-strict": True, "request-maximum-exp": 600,
        "request-parameter-allow-encrypted": False, "client-jwks-parameter": "jwks", "client-pubkey-parameter": "",
        "client-jwks_uri-parameter": "jwks_uri", "request-uri-allow-https-non-secure": True, "oauth-fapi-verify-nbf": True,
        "register-client-allowed": False, "session-management-allowed": True,
        "session-cookie-name": "GLEWLWYD2_OIDC_SID", "session-cookie-expiration": 2419200,
        "front-channel-logout-allowed": True, "back-channel-logout-allowed": True,
        "oauth-par-allowed": True, "oauth-par-required": False, "oauth-par-duration": 90,
        "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:", "oauth-fapi-allow-jarm": True, "oauth-rar-allowed": False, "oauth-ciba-allowed": False,
        "oauth-as-iss-id": True,
        # Over TLS it looks at the certificates of connections itself.
        **({"client-cert-source": "TLS"} if issuer.startswith("https:") else {}),
    }
