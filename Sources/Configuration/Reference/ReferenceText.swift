/// The commented reference configuration, as `portcullis defaults` prints it.
package enum ReferenceText {
    /// The text of config/reference.yaml, written here by Tests/ConfigurationTests/embed_reference.py.
    package static var yaml: String { sources + routes }

    /// What stands before the routes.
    private static let sources = """
        # Every key of Portcullis' configuration, with its default where it has one.
        #
        # Durations are written 500ms, 30s, 5m, 1h; sizes 512B, 64KiB, 128MiB; booleans true and false alone.
        # Paths of files are absolute, or relative to the folder of the configuration file.
        # A key that is not here is an error. Print this with  portcullis defaults , check yours with  portcullis check FILE .

        # Threads that serve. By default one for each processor this process may use.
        workers: 2

        # The addresses that clients connect to.
        listeners:
          - # The IP address and port to listen on, IPv6 in brackets; or a Unix socket as in the last listener.
            address: 0.0.0.0:8443
            # What clients see: the scheme and authority of every URL made here, never taken from a request.
            public_url: https://shop.example.com
            # Authorities accepted in Host beside that of public_url; any other is answered 421. None by default.
            hosts: [orders.internal:8443]
            # Certificates of this listener; without tls it speaks plain HTTP.
            tls:
              # PEM file with the certificate chain, leaf first.
              certificate: /run/tls/tls.crt
              # PEM file with the private key; refused when everybody on the machine can read it.
              key: /run/tls/tls.key
              # The oldest version of TLS accepted: "1.2" (default) or "1.3".
              minimum_version: "1.2"
              # Keys of session tickets, at least 32 bytes each, the same on all replicas, so that a client resumes at any of them:
              # the first seals, all open. By default keys of this process's own, made anew every twelve hours.
              ticket_keys: [{ file: /run/secrets/ticket.key }]
              # Whether clients are asked for a certificate, to which their tokens may be bound (RFC 8705): off (default),
              # optional, required, or a mapping as in the next listener. Browsers show a dialog when they are asked.
              client_certificates: "off"
            # Networks of TLS terminators in front (unix for the clients of a Unix socket) whose Client-Cert field (RFC 9440) is
            # believed; whoever reaches this listener from there can claim any certificate. From all others the field is removed.
            # Its base64 has padding, as RFC 9440 writes it; without it, which RFC 9651 lets readers take, it is answered 400: a token
            # binds one certificate, and that has one spelling. None by default.
            client_cert_from: [10.0.0.7/32]
            # Networks of proxies in front. Of them X-Forwarded-For is continued, X-Forwarded-Proto kept and Forwarded continued;
            # of all others these fields are dropped, and upstreams get what the gateway sees itself. The client in the access log
            # is then the last address that is no proxy's. Their X-Request-Id reaches the upstream, where it is 1 to 128 letters,
            # digits and -_.:=+/~ , and stands in the logs beside the gateway's own. None by default.
            trusted_proxies: [10.0.0.0/8]
            # Tells upstreams in Forwarded (RFC 7239) too what X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host say.
            forwarded: false
            # Lets another process of this user listen here too, as for a successor that starts while this process drains. Both
            # say so. By default an address where somebody listens already ends the start with status 1. Not for Unix sockets.
            share_address: false
          - address: "[::]:8444"
            public_url: https://partners.example.com
            tls:
              # Several certificates in place of certificate and key: SNI chooses, the first answers when none fits.
              certificates:
                - certificate: /run/tls/partners.crt
                  key: /run/tls/partners.key
                - certificate: /run/tls/legacy.crt
                  key: /run/tls/legacy.key
              client_certificates:
                # Whether clients without a certificate get through the handshake (optional) or not (required).
                request: required
                # Which certificates are good: any (default; the token names the one), or those of some authorities.
                trust:
                  # PEM file with the authorities that sign clients' certificates.
                  authorities: /etc/portcullis/client-ca.pem
                  # PEM file with the certificates that they revoked. None by default.
                  revocation_list: /etc/portcullis/client-ca.crl
          - address: 0.0.0.0:8445
            public_url: https://machines.example.com
            tls:
              certificate: /run/tls/machines.crt
              key: /run/tls/machines.key
              client_certificates: { request: optional, trust: any }
          - address: 0.0.0.0:8080
            public_url: https://shop.example.com
            # Answers plain HTTP with 308 to the same address at public_url, and serves nothing: GET and HEAD alone are sent on. Other
            # methods and credentials were read on the way and are refused, 400. A public route below /.well-known/acme-challenge/
            # is served here too, for certificates; without one, ACME servers follow the redirect.
            redirect_to_https: false
          - address: unix:/run/portcullis/web.sock
            # Who may connect to a Unix socket: the permissions of its file, 0660 by default.
            mode: "0660"
            public_url: https://local.example.com

        # The listener of metrics and health; no route leads there.
        admin:
          # Its IP address and port.
          address: 127.0.0.1:9901
          # Names that it is asked for by in Host, such as a scraper's; any name but these, an IP address or localhost is answered
          # 421, so that no page of somebody else's can have a name of its own lead here and read what is shown. None by default.
          hosts: [metrics.internal]

        # The authorization servers whose tokens are believed, by a name of your choice.
        issuers:
          main:
            # The issuer identifier, exactly as tokens spell it: https, no query, no fragment, no {template}.
            url: https://id.example.com/
            # How the server's metadata is found: automatic (default), openid, oauth, or none. With none, jwks_uri or jwks says
            # where the keys are; when one of them is there, none is the default.
            discovery: automatic
            # The algorithms that this issuer may sign access tokens with; all of these by default.
            algorithms: [RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA]
            # Values of the header typ accepted beside at+jwt (always accepted; the default), for servers older than RFC 9068:
            # JWT, and none for no typ at all.
            accept_typ: [at+jwt]
            # Which claims a token must have: rfc9068 (default: iss exp aud sub client_id iat jti) or legacy (iss exp aud).
            profile: rfc9068
            # Clock difference tolerated on exp, nbf and iat, at most 5m.
            leeway: 30s
            # The claim with the granted scopes: words in one text, or a list of texts.
            scope_claim: scope
            # PEM file with the authorities that may sign the issuer's TLS certificate. The system's by default.
            certificate_authority: /etc/portcullis/issuer-ca.pem
            # Private networks to which the issuer's metadata may point. None by default; the issuer's own host is always fine.
            allow_private: [10.0.0.0/8]
            # Ports beside 443 to which the issuer's metadata may point, as mtls_endpoint_aliases do. None by default; on the
            # issuer's own host every port is fine. What is refused is told when the metadata is read, and by explain --login.
            allow_ports: [8444]
            # Accepts http:// for this issuer, which must be on loopback: for development. Warned of at every start.
            insecure_allow_http: false
            # How long fetched keys are believed.
            keys:
              # Least and longest time that a fetched key set is believed fresh, whatever the server's Cache-Control says.
              minimum_lifetime: 1m
              maximum_lifetime: 1h
              # How long keys are still used after fetching them began to fail.
              stale_limit: 1h
              # Least time between two fetches that tokens with an unknown kid cause, or with a signature by none of the keys.
              unknown_key_interval: 30s
            # Asks the issuer about tokens in place of verifying them here (RFC 7662); a route may have one such issuer. Its keys
            # are needed all the same.
            introspection:
              # Which of the clients below asks; it must be one of this issuer.
              client: shop
              # Where to ask. What the metadata says by default; needed where nothing is discovered.
              endpoint: https://id.example.com/introspect
              # What is asked about: opaque (default), tokens that are no JWT; or all, so that a revoked JWT is refused too.
              tokens: opaque
              # Accepts signed answers alone (RFC 9701), checked with the issuer's keys; otherwise plain ones alone.
              signed: false
              # How long an answer that a token is active is believed, at most 5m and never beyond its exp; 0s asks each time.
              cache: 30s
              # How long an answer that a token is not active is believed, at most 5m.
              negative_cache: 10s
              # How long one answer may take; then requests are answered 503.
              timeout: 5s
              # The largest answer that is read, 4KiB to 1MiB: what a user's groups take. A token whose answer is longer is refused
              # with 502, and not asked about again for a minute.
              answer_limit: 256KiB
              # Says token_type_hint=access_token, which some servers refuse.
              hint: true
          development:
            url: http://127.0.0.1:4593/api/oidc
            insecure_allow_http: true
            # Where the signing keys are, overriding what the metadata says.
            jwks_uri: http://127.0.0.1:4593/api/oidc/jwks
          static:
            url: https://static.example.com
            # A JWK Set (at most 256 KiB) in a file, or in an environment variable as  { env: NAME } ; no keys are fetched then.
            jwks:
              file: /etc/portcullis/jwks.json
            introspection:
              client: reports
              endpoint: https://static.example.com/introspect
              signed: true
              # The aud of signed answers; the client's id by default.
              audience: https://shop.example.com/api

        # What this gateway is to issuers when it asks them something, by a name of your choice.
        clients:
          shop:
            # The issuer that knows this client, by its name above; no other is sent its credentials.
            issuer: main
            # Its client_id there.
            id: shop
            # How it proves who it is: by this one method.
            authentication:
              # The method that the client is registered with: client_secret_basic, client_secret_post, client_secret_jwt,
              # private_key_jwt, tls_client_auth or self_signed_tls_client_auth.
              method: private_key_jwt
              # The private key in PEM, in a file or an environment variable as  { env: NAME } ; a file for the tls methods.
              key: { file: /run/secrets/shop.key }
              # What assertions are signed with: HS256 (default), HS384, HS512 for client_secret_jwt, else what fits the key (its
              # default; PS256 for RSA).
              algorithm: ES256
              # The kid of the key where it was registered. Its RFC 7638 thumbprint by default.
              key_id: shop-2026
              # What aud of an assertion names: issuer (default), or token_endpoint or endpoint for servers that insist.
              audience: issuer
              # The typ of an assertion: JWT (default) or client-authentication+jwt.
              type: JWT
          reports:
            issuer: static
            id: reports
            authentication:
              method: client_secret_basic
              # The client secret, for the methods that begin with it; at least 32 bytes for client_secret_jwt.
              secret: { file: /run/secrets/reports.secret }
          machines:
            issuer: main
            id: machines
            authentication:
              method: tls_client_auth
              # PEM file with the certificate chain, for the methods with a certificate.
              certificate: /run/secrets/machines.crt
              key: { file: /run/secrets/machines.key }
          web:
            # A client that a route's login names signs users in. Register, each behind public_url: /.portcullis/callback/web as
            # its redirect_uri, /.portcullis/logged-out/web as its post_logout_redirect_uri.
            issuer: main
            id: shop-web
            authentication: { method: client_secret_basic, secret: { file: /run/secrets/web.secret } }
            # How the authorization request gets to the server: plain (default; in the URL), signed (an object in the URL, JAR),
            # signed_by_reference (the server fetches the object here), pushed (PAR) or pushed_signed (both).
            authorization_request: plain
            # The scopes asked for, openid among them.
            scopes: [openid]
            # Whom the access token is for: by URI without fragment, a text or a list (RFC 8707), or by a name, for servers older than that. None
            # by default.
            resource: https://shop.example.com/api
            audience: https://shop.example.com/api
            # Rights asked for (RFC 9396), handed on as they are. None by default.
            authorization_details: [{ type: orders, actions: [read] }]
            # How the user is to sign in, the best first. As the server likes by default.
            acr_values: [urn:example:password]
            # How long ago the user may have signed in at the server; checked in the ID token too. Not asked for by default.
            max_age: 24h
            # What the server asks the user, whatever it remembers: login, consent, select_account, or several with spaces
            # between them. Nothing by default.
            prompt: select_account
            # Languages of the server's pages, the best first. Not said by default.
            ui_locales: de en
            # What the server may fill in as the user's name. Not said by default.
            login_hint: example.com
            # Claims asked for one by one (OpenID Connect Core section 5.5), handed on as they are. None by default.
            claims: { id_token: { email: { essential: true } } }
            # How the answer gets back: query (default) or form_post; signed (JARM) with query.jwt, form_post.jwt or jwt.
            response_mode: query
            # Whether tokens are bound to a key of the session (RFC 9449): off (default), optional (where the server says that it
            # can) or required.
            dpop: "off"
            # Logs in at a server whose metadata does not say that it knows PKCE with S256. Make sure that it does.
            assume_pkce: false
            # What an ID token must be.
            id_token:
              # What it is signed with, as registered at the server: one algorithm or a list. HS256, HS384 and HS512 are with the
              # client's secret.
              algorithm: RS256
              # Takes encrypted ones alone; decryption_keys are needed.
              encrypted: false
              # Values that may be in aud beside this client's id. None by default.
              trusted_audiences: [https://shop.example.com/api]
              # Clock difference tolerated on exp, nbf and iat, at most 5m.
              leeway: 30s
            # Whether more claims are asked for after a login: off (default), optional, or required (no login without them).
            userinfo: "off"
            # Believes email only where email_verified is true.
            require_verified_email: false
            # Accepts expires_in as digits in a text, which some servers send.
            lenient_expires_in: false
            # Lets pages elsewhere start a login here (OpenID Connect Core section 4).
            third_party_start: false
            # Brings the browser back to the # part of the address too, by a small page before the login.
            keep_fragment: true
            # Renews the access token before it expires.
            refresh: true
            # How a login is kept.
            session:
              # Where: cookie (default; sealed, in the browser), or memory (in this process, which forgets it when it ends).
              store: cookie
              # The name of the cookie, which begins with __Host- ; this by default, with the client's name.
              cookie: __Host-portcullis-web
              # Whether links from elsewhere bring the session along (lax, default) or begin with a page of ours (strict).
              same_site: lax
              # Without a request for so long it is over.
              idle: 30m
              # Whatever happens, it is over after so long; at most 9600h.
              absolute: 8h
              # Keys that seal the cookies, 32 random bytes each, as they are or in hex or base64url; made by
              # portcullis keys new session --out FILE . The first seals, all open: put a new one first, and take the last away
              # when absolute is over. By default one of this process's own: a restart ends all logins, and each replica opens
              # only its own.
              keys:
                - file: /run/secrets/session-new.key
                - file: /run/secrets/session-old.key
              # Sessions kept in memory at most, and ended ones remembered. Without room the oldest of the user who has most goes:
              # sessions are over then; of ended ones one line stays for all that began until then.
              limit: 100000
              # Claims that scripts may read at /.portcullis/session/web . None by default.
              script_claims: [name]
            # What a logout is beside the end of the session here.
            logout:
              # Sends the browser through the server's logout too, where it has one. Without it the user is signed in there, and
              # the next login asks nothing.
              at_server: true
              # Sends the ID token that says whose logout it is in a form and never in a URL; some servers, such
              # as glewlwyd, take no form and answer 404.
              post_hint: false
              # Lets the server end sessions at /.portcullis/backchannel-logout/web . Ended ones are remembered in this process:
              # with the store cookie, a restart forgets them.
              backchannel: false
              # Takes logout tokens with typ logout+jwt alone.
              require_type: false
              # Takes logout tokens without exp, for two minutes from iat: older servers send none.
              accept_without_expiry: false
              # Lets the server end a browser's session from a frame, at /.portcullis/frontchannel-logout/web .
              frontchannel: false
              # The path where the browser ends up after a logout. A page of ours by default.
              landing: /goodbye
          payments:
            # FAPI 2.0, Security Profile and Message Signing: pushed_signed, signed responses (jwt), dpop: required (or a
            # certificate), and PS256, ES256 or EdDSA everywhere; what contradicts that is refused. None by default.
            profile: fapi2
            issuer: main
            id: payments
            authentication: { method: private_key_jwt, key: { file: /run/secrets/payments.key } }
            authorization_request: pushed_signed
            # The signed object of the forms that have one.
            request_object:
              # The private key that signs it. That of private_key_jwt by default.
              key: { file: /run/secrets/payments-request.key }
              # What it is signed with. What fits the key by default (PS256 for RSA).
              algorithm: ES256
              # The kid of the key where it was registered. Its RFC 7638 thumbprint by default.
              key_id: payments-2026
              # Its typ: oauth-authz-req+jwt (default), or JWT for servers that do not know that.
              type: oauth-authz-req+jwt
              # How long one is good, 1m to 1h.
              lifetime: 5m
              # Encrypts it to the server, beside the signature. Not by default.
              encryption:
                # How the content key gets there: RSA-OAEP, RSA-OAEP-256, ECDH-ES, ECDH-ES+A128KW or ECDH-ES+A256KW.
                algorithm: RSA-OAEP-256
                # How the content is encrypted: A256GCM (default), A128GCM, A128CBC-HS256 or A256CBC-HS512.
                encoding: A256GCM
              # Puts the object's hash into its URL, for signed_by_reference.
              sha256_fragment: false
              # Repeats response_type and scope in the URL, for servers of OpenID Connect that insist on them.
              repeat_parameters: false
            # What a signed response must be, in the modes that end in jwt.
            response:
              # What it is signed with, as registered at the server: one algorithm or a list. That of id_token by default; where
              # that is with the client's secret, RS256, PS256, ES256 or EdDSA.
              algorithm: ES256
              # Takes encrypted ones alone; decryption_keys are needed.
              encrypted: false
            # Private keys whose public halves are published at /.portcullis/jwks.json and that sign nothing: the next one before
            # it signs, the last one as long as servers may still need it. None by default.
            published_keys:
              - file: /run/secrets/payments-next.key
                # What the key signs with. What fits it by default (PS256 for RSA).
                algorithm: ES256
                # Its kid. Its RFC 7638 thumbprint by default.
                key_id: payments-2027
            # Private keys for what the server encrypts; their public halves are published. None by default.
            decryption_keys:
              - # RSA, P-256, P-384 or P-521.
                key: { file: /run/secrets/payments-decryption.key }
                # What the server encrypts with: RSA-OAEP-256 for RSA, ECDH-ES+A256KW for the others by default.
                algorithm: ECDH-ES+A256KW
                # Its kid. Its RFC 7638 thumbprint by default.
                key_id: payments-encryption


        """
}
