extension ReferenceText {
    /// The routes, and what follows them; written here by Tests/ConfigurationTests/embed_reference.py.
    static let routes = """
        # Where requests go and who may make them. The longest path wins; what no route names is answered 404.
        # Each route says token, login, both of them (either credential passes), or public.
        routes:
          - # The path served: with / at its end the whole subtree, otherwise that path alone. What is behind such a path, which some
            # servers take for its argument (/report.cgi/x), is refused if a route that asks for less would take it: name it if it is wanted.
            path: /api/orders/
            # The name in logs and metrics; the path by default.
            name: orders
            # Where the requests go: a URL without path, a Unix socket as unix:/run/app.sock, or a mapping as in the next route.
            upstream: http://127.0.0.1:3001
            # The methods allowed; others are answered 405. By default those that scopes names, or else every method but CONNECT,
            # TRACE and TRACK; name one such as PROPFIND in a list and it is forwarded too.
            methods: [GET, HEAD, POST]
            # What an access token must be to pass.
            token:
              # The issuers whose tokens pass here, by their names above.
              issuers: [main, development]
              # What aud must contain, exactly: a text, or a list of which one is enough.
              audience: https://shop.example.com/api
              # Scopes that a token must all have: a list, or lists by method (HEAD needs what GET needs). None by default.
              scopes: { GET: [orders:read], POST: [orders:read, orders:write] }
              # Claims that must have one of the values named, themselves or in their list; all of them must hold. A dot goes
              # into a nested claim; a name with :// in it is one claim.
              claims: { realm_access.roles: [admin, clerk], tenant: acme }
              # The name of the protected space in challenges.
              realm: portcullis
              # Lets requests without a token pass without identity; a token that is not good is still refused.
              optional: false
              # Refuses tokens of clients that act for themselves (sub equal to client_id).
              user_only: false
              # What access_token in the query means beside a header: reject (default) or ignore. It is never a credential.
              query_token: reject
              # The authentication schemes accepted; [Bearer] by default. A token bound to a key needs its proof whatever is said.
              schemes: [DPoP, Bearer]
              # How this route takes DPoP proofs (RFC 9449).
              dpop:
                # Whether proofs carry a nonce of ours: off (default), optional (offered; a wrong one is refused) or required.
                nonce: "off"
                # The algorithms that proofs may be signed with, as challenges list them.
                algorithms: [ES256, PS256, EdDSA]
              # The token's acr must be one of these, the best first; else the client is told to let the user sign in again
              # with one of them (RFC 9470). Not looked at by default.
              acr_values: [urn:example:mfa, urn:example:password]
              # How long ago the user may have signed in (auth_time), answered in the same way. Not looked at by default.
              max_age: 8h
              # Rights that authorization_details must all grant (RFC 9396): a list, or lists by method as in scopes. None by
              # default. One element of that type must have all that is said of it here.
              authorization_details:
                - # The type of right.
                  type: orders
                  # Actions that it must allow. Any by default, as in the four keys below.
                  actions: [read]
                  # Locations that it must cover.
                  locations: [https://shop.example.com/api/orders]
                  # Kinds of data that it must cover.
                  datatypes: [addresses]
                  # Privileges that it must carry.
                  privileges: [clerk]
                  # The one resource that it must be for.
                  identifier: orders-eu
              # Publishes under /.well-known/oauth-protected-resource what this route wants of tokens (RFC 9728), and points to
              # it in every challenge: true, false (default), or a mapping.
              resource:
                # The resource identifier; public_url and the route's path by default. Its host must be one of a listener's.
                identifier: https://shop.example.com/api/orders
                # A name of the resource for people. None by default.
                name: Orders
            # Header fields for the upstream and the claims that fill them; clients can never send them. None by default.
            identity:
              X-User-Id: sub
              X-Roles:
                # The claim whose value fills the field.
                claim: realm_access.roles
                # What stands between the members of a list; a space by default.
                separator: " "
                # How characters outside printable ASCII travel: percent (default) or base64url.
                encoding: percent
            # Lets WebSocket handshakes through, after authentication. Without it a handshake is forwarded as the plain GET that it
            # also is, without Upgrade.
            websocket: false
            # What is otherwise refused in a path because two servers may read it differently: encoded_slash, backslash,
            # double_encoding, semicolon, non_ascii. None by default. Where any is let through, the first 800 bytes of a path must
            # tell where it leads, whatever of them a server may cut off (parameters) or merge (slashes): more are refused.
            allow_in_path: [encoded_slash]
            # Fits paths in any case of letters, for an upstream that takes /Admin for /admin: Windows, IIS, Express as it comes. The
            # path is in lower case; routes below it must say the same. By default /Admin is another path, and another route's.
            case_insensitive: false
            # What stands before the path in other URLs of this route, where a proxy in front has other names or takes a prefix
            # away; the htu of a DPoP proof may begin so too. None by default: the public_url of the listener alone.
            public_urls: [https://partners.example.com, https://shop.example.com/v1]
            # What Origin must be where a request has one, else 403. Not looked at by default; with mcp our own public_urls.
            allowed_origins: [https://app.example.com]
            # What scripts of pages elsewhere may do (CORS): a mapping, or upstream, which lets the upstream answer browsers' preflights
            # and say it; they reach it without identity and credentials. By default nothing: a preflight is answered 403.
            cors:
              # The pages, as browsers write them into Origin; "*" for all, which goes without credentials only. null is never one.
              origins: [https://app.example.com]
              # What their scripts may do. All that the route allows by default.
              methods: [GET, POST]
              # Header fields that they may send beyond those that every page may. These four by default.
              headers: [Authorization, Content-Type, DPoP, X-Requested-By]
              # Header fields of answers that they may read beside WWW-Authenticate and DPoP-Nonce. None by default.
              expose: [Link]
              # Lets them act with the user's session: browsers send its cookie along, and by the methods above they may change
              # something here as if login.allowed_origins named them. WebSockets are not theirs to open by this. Of use only to
              # pages of the same site (app.example.com and shop.example.com): from others browsers send no cookie that is
              # SameSite, and ours are lax or strict. "*" in origins does not go with it.
              credentials: false
              # How long a browser may remember what it was told, at most 24h.
              max_age: 10m
            # What this route has in place of the limits and timeouts for all, below.
            limits:
              # One request body; a longer one is answered 413.
              request_body: 1MiB
              # Bytes a second that a request body must bring; 0B for bodies that are open all day.
              request_body_rate: 240B
            timeouts:
              # Without a byte of a request body.
              request_body: 30s
              # From the end of a request to the response's head: longer for answers that are waited for.
              upstream_first_byte: 2m
              # Without a byte of a response body, or without one taken by the client: longer than an event stream is silent.
              response_body: 5m
            # A Model Context Protocol server: needs token, publishes resource, and its identifier must be in the audience.
            mcp: false
            # What the upstream gets in place of the client's credentials: none (default), pass (the Bearer token itself, or the
            # access token of the session), or one of exchange, static, assertion and pass as below.
            upstream_credential: none
            # What clients get when the upstream answers 401: pass (default), its answer; or bad_gateway, 502, where the client's
            # own credentials stayed here and it has no others to offer.
            upstream_401: pass
            # Where people get a page of the gateway's own in place of the upstream's response, of which nothing is left but the
            # status, the seconds of Retry-After and the Allow of a 405. Programs get the response all the same. None by default.
            error_pages:
              # The statuses, 400 to 599; not 401, 407 and 426, which say how to go on.
              upstream: [502, 503]
            # Tells the upstream the client's certificate in Client-Cert (RFC 9440), where it has shown one. Without this, and on
            # all other routes, the field is absent.
            client_cert: false
          - path: /api/development/
            upstream:
              # Where the requests go; or a list of servers that answer alike: new connections use each in turn, and one that
              # cannot be connected to comes last for ten seconds.
              url: [https://orders.internal:8443, https://orders.internal:8444]
              # PEM file with the authorities that may sign the upstream's certificate. The system's by default.
              certificate_authority: /etc/portcullis/internal-ca.pem
              # The name asked for and verified in the upstream's certificate; the URL's host by default.
              server_name: orders.internal
              # The oldest version of TLS spoken with the upstream: "1.2" (default) or "1.3".
              minimum_version: "1.2"
              # PEM file with the certificate chain shown to an upstream that asks who connects. None by default.
              client_certificate: /run/secrets/gateway.crt
              # Its private key, in PEM.
              client_key:
                # The file that holds the key.
                file: /run/secrets/gateway.key
            token:
              issuers: [static]
              audience: [https://shop.example.com/api, https://shop.example.com/old-api]
              scopes: [orders:read]
              schemes: [Bearer]
              resource: false
            upstream_credential:
              # Always the same credential, in a file or an environment variable as  { env: NAME } .
              static:
                file: /run/secrets/orders.secret
                # The scheme before it; for Basic the value is user:password, encoded here.
                scheme: Bearer
          - path: /api/reports/
            upstream: http://127.0.0.1:3002
            token:
              issuers: [main]
              audience: https://shop.example.com/api
              authorization_details:
                GET: []
                PUT:
                  - { type: reports, actions: [write], locations: [eu], datatypes: [sales], privileges: [clerk], identifier: q3 }
            upstream_credential:
              # A short-lived JWT signed here that says who the caller is; the upstream finds its keys under
              # /.portcullis/jwks.json.
              assertion:
                # Its aud: who is to believe it.
                audience: reports
                # How long one is good, 10s to 10m.
                lifetime: 60s
                # Claims of the access token to repeat, beside sub, client_id and scope, which are always there.
                claims: [email, tenant]
                # The field that carries it: Authorization (default; as Bearer), or another, with the JWT alone.
                field: Authorization
          - path: /mcp
            upstream: http://127.0.0.1:3003
            mcp: true
            token:
              issuers: [main]
              audience: https://shop.example.com/mcp
              scopes: [tools:use]
              resource: { identifier: https://shop.example.com/mcp }
            upstream_credential:
              # A token for the upstream, from the authorization server in exchange for the client's (RFC 8693), kept until it
              # expires.
              exchange:
                # Which of the clients above asks.
                client: machines
                # Whom the new token is for, by a name that the server knows: a text, or a list. One of audience and resource must
                # be said.
                audience: tools
                # Whom it is for, by URL: a text, or a list.
                resource: https://tools.internal/
                # What it may do. What the client's may by default.
                scopes: [tools:use]
          - path: /
            upstream: http://127.0.0.1:3000
            # Sends browsers to sign in, as a client above: its name alone, or a mapping. What their session must be to pass.
            login:
              # The client whose login it is.
              client: web
              # Scopes that must all have been granted: a list, or lists by method. None by default.
              scopes: [openid]
              # Claims of the user that must have one of the values named; all must hold.
              claims: { groups: [staff, partners] }
              # How the user must have signed in, the best first; else the browser is sent to do so. Not looked at by default.
              acr_values: [urn:example:password]
              # How long ago the user may have signed in; else the browser is sent to do so again. Not looked at by default.
              max_age: 12h
              # Origins beside our own whose pages may change something here or open WebSockets. None by default.
              allowed_origins: [https://partners.example.com]
              # Refuses requests without X-Requested-By, which no other site's page can send: for what scripts call.
              require_header: false
              # Sends a form of at most 16KiB, posted when the session was over, again after the login.
              keep_form: false
              # Lets requests without a session pass without identity.
              optional: false
            identity: { X-User-Id: sub, X-User-Email: email }
          - path: /payments/
            upstream: http://127.0.0.1:3004
            # Either credential: a request with an Authorization field is judged by that alone.
            token: { issuers: [main], audience: https://shop.example.com/payments, schemes: [Bearer] }
            login: payments
            upstream_credential:
              # The access token of the session, with a fresh proof where it is bound to a key.
              pass:
                # What the htu of proofs begins with, as the upstream's resource server sees it. The upstream's URL by default.
                proof_url: https://payments.internal
          - path: /assets/
            upstream: http://127.0.0.1:3000
            # Lets everybody pass, without identity.
            public: true

        # What people see when something is refused, and while they sign in or out. Programs get none of it: scripts, images and API
        # clients get status and fields, and a problem in JSON (RFC 9457) where their Accept names application/problem+json.
        pages:
          # What the site is called, above each page. Nothing by default.
          name: Orders
          # An SVG or PNG file of at most 2 KiB, which becomes part of each page: a page is 8 KiB at most. None by default.
          logo: /etc/portcullis/logo.svg
          # The colour of buttons and links; as much darker or lighter as it takes to be read on light and dark.
          accent: "#1d4ed8"
          # Whom people may ask: an address of mail, or an https URL. Nobody by default.
          contact: help@shop.example.com
          # Where the app begins: links back to it lead here. / by default where a route takes it, and otherwise there are none.
          landing: /
          # A folder with a file of sentences for each language, such as fr.txt; made from  portcullis defaults --language en .
          # Accept-Language chooses. English and German ship; a file en.txt or de.txt here changes what it says of them.
          languages: /etc/portcullis/languages

        # Bounds on what one message and one worker may bring.
        limits:
          # The request line; a longer one is answered 414.
          request_line: 8KiB
          # All header fields, and 64KiB with the request line; more is answered 431.
          header_section: 64KiB
          # Header fields of one message; more is answered 431.
          field_count: 100
          # One header field; a longer one is answered 431, and 502 where it comes from an upstream.
          field_line: 32KiB
          # One access token; a longer one is answered 401, undecoded.
          access_token: 16KiB
          # One request body; a longer one is answered 413.
          request_body: unlimited
          # Bytes a second that a request body must bring, on average over timeouts.request_body; else 408. 0B asks for nothing.
          request_body_rate: 240B
          # Bytes a second that a client must take of what waits for it, on average over timeouts.response_body; else it is cut
          # off. 0B asks for nothing. Upstreams have no such rate: an event stream may say next to nothing.
          response_rate: 240B
          # Client connections of one worker; beyond it those that have been idle longest are closed, and where none is idle
          # new ones answered 503. Where this is not said and the process may open too few files for so many, it is as many as
          # there is room for, which the log says at the start (connections_fitted).
          connections: 50000
          # Of these, those of one IPv4 address or IPv6 /64; beyond it its own idle ones are closed, and where none is idle new
          # ones are answered 429. A quarter by default, and at least 16. Proxies in front are exempt where the listener names
          # them.
          connections_per_client: 12500
          # Connections in use to one upstream by one worker, WebSockets among them; beyond it requests are answered 503.
          upstream_connections: 4096
          # Of these, those of one client, an IPv4 address or an IPv6 /64; beyond it 429, and nothing is forwarded; log and metrics
          # say upstream_share_exhausted. Half of them by default, and at most: while several clients take all they
          # can, each has no more than what is left for the next one. Of a thousand people behind one address who have a
          # WebSocket open each and load a page at the same moment, in one worker, are 2,000. Of a low upstream_connections a
          # machine that alone asks for everything gets half: double it, or name the machine in the listener's trusted_proxies.
          upstream_connections_per_client: 2048
          # Idle connections kept to one upstream by one worker.
          upstream_idle_connections: 256
          # Requests of one worker that wait for an authorization server: its keys, its word on a token, a session's refresh.
          # Beyond it they are answered 503. Half of the places are divided among the issuers, so that one that hangs leaves
          # the others theirs.
          parked_requests: 1024
          # The share of one client, an IPv4 address or an IPv6 /64, in what all need to log in. Beyond a share the answer is
          # 429, before anything is signed, sent or stored; log and metrics say client_logins_too_many. Clients of a proxy in
          # front share its address unless the listener names it in trusted_proxies.
          #
          # The defaults are those that an office behind one address does not meet: of a thousand people who open twenty tabs
          # each within five minutes after lunch, every tab goes to the login and comes back, which is 67 starts and 67 callbacks a
          # second on average; a hundred of them who do so at the same moment are 2,000 starts at once, and 2,000 callbacks as soon
          # as the server has answered. A server that answers within 0.3 s has 40 of them under way on average. While many clients
          # take all they can, each has no more than what is left for the next one, and a quarter of all places is kept for logouts
          # and the like, of which a client has its own share.
          #
          # Starts of logins a second in the long run, silent ones among them, and as many callbacks beside them: those have a count
          # of their own, so that whoever was let in by a start gets back in, whatever others begin meanwhile. In all workers
          # together; each worker grants its part, and a client that has all its connections at one worker has that part alone.
          # The system spreads connections over the workers by chance: of 2,000 requests over 600 connections each of four workers
          # gets 500, give or take 35, so that some dozens of them may be told to come back a second later. Make both keys
          # larger where fewer connections bring as much.
          login_rate_per_client: 200
          # So many starts at once, and so many callbacks.
          login_burst_per_client: 2000
          # Those that are being answered at a time, in all workers together; each worker grants its part, but 8 at least. 640
          # more of a client in each worker, all the connections of a hundred browsers, wait for up to ten seconds until some are
          # answered; without room, whoever has most that waits gives way to clients that have nothing there. More than its part
          # at one worker therefore waits there, also while another worker has places.
          logins_per_client: 64
          # Refusals a second of one client that are answered at once, in all workers together: those of requests that no
          # route has, and those of whoever is over a share. The others are answered a second later, so that asking for nothing
          # by hundreds of connections keeps no worker busy. What a route refuses, but for 429, never waits.
          refusal_rate_per_client: 500
          # Requests whose forms have not come whole yet, heads and forms, in one worker: 64 of the largest.
          login_bodies_per_client: 4MiB
          # TLS handshakes under way in one worker; beyond it further connections are closed. At 50 ms a handshake that is
          # 20,000 new connections a second, which is more than a worker's processor can give.
          handshakes_per_client: 1000
          # New connections to listeners with TLS a second in the long run, in all workers together; each worker grants its part.
          # Beyond it they are closed before the handshake, which costs a worker up to a millisecond: one client takes a fifth
          # of one processor at most. Of a thousand people behind one address who open a browser at nine, with six connections
          # each, within five minutes, come 20 a second; three hundred of them who do so at the same moment are 1,800 at once.
          # A program that asks from one address and opens a connection for every request needs more, or should keep connections.
          handshake_rate_per_client: 200
          # So many of them at once.
          handshake_burst_per_client: 2000
          # Of parked_requests, those of one client; beyond it 429. Half of them by default, and at most.
          parked_requests_per_client: 512
          # Requests under way at an authorization server about the tokens of one client, in all workers together: half of those
          # that one issuer is asked at a time. While many clients ask all they can, each has no more than what is left for the
          # next one, and whoever has fewest under way is next. More of them wait.
          lookups_per_client: 32
          # Tokens of one client that an introspection may call bad, a second in the long run and in all workers together. A
          # question under way holds its part until its answer is there, and good tokens cost nothing: only what proves bad does.
          # Beyond it the answer is 429, and nobody is asked; tokens that were good within the hour pass. 0 asks about every
          # token. Of a thousand people whose tokens all ended over lunch, who open twenty tabs each within five minutes, as each
          # token is asked about once in introspection.negative_cache, three or four a second are bad.
          bad_token_rate_per_client: 50
          # So many of them at once.
          bad_token_burst_per_client: 100

        # How long each thing may take.
        timeouts:
          # From a request's first byte to the end of its head.
          request_head: 10s
          # Without a byte of a request body.
          request_body: 30s
          # An idle client connection.
          keep_alive: 75s
          # Connecting to an upstream, its TLS handshake included.
          upstream_connect: 3s
          # From the end of a request to the response's head.
          upstream_first_byte: 30s
          # Without a byte of a response body, or without one taken by the client.
          response_body: 1m
          # An idle connection to an upstream.
          upstream_idle: 30s
          # A WebSocket without a byte in either direction.
          tunnel_idle: 1h
          # How long SIGTERM waits for requests in flight.
          drain: 30s
          # How long a request waits for an issuer's keys before 503.
          key_wait: 2s

        # What is written, and where: stderr, stdout, "off", or a file to append to.
        log:
          # The least important lines of the operator log that are written: debug, info, warning or error.
          level: info
          # Start, refusals, issuers, failures.
          operator: stderr
          # One line a request.
          access: stdout

        # The memory for tokens whose signatures were verified before.
        token_cache:
          # Verified tokens remembered by one worker.
          entries: 100000
          # Memory for them in one worker.
          bytes: 128MiB

        # How DPoP proofs are judged on every route, and what is remembered of them.
        dpop:
          # The oldest proof accepted, at most 5m. Of a proof with a good nonce of ours iat is not looked at, here and below: the
          # nonce says when it was made, whatever the client's clock says (RFC 9449 section 4.3), and lives for nonce_lifetime.
          past: 60s
          # How far ahead of our clock a proof may be, at most 60s.
          future: 10s
          # One proof; a longer one is answered 401.
          proof_size: 8KiB
          # The jti of a proof; a longer one is answered 401.
          jti_size: 256B
          # Memory of all workers for the proofs that may not be used again. When it is full, requests are answered 503: nothing
          # is forgotten early.
          replay_memory: 64MiB
          # Keys of nonces, at least 32 bytes each: the first makes them, all are accepted. By default one of this process's own:
          # where several replicas serve a route with nonces, give all of them the same keys, or clients are asked twice.
          nonce_keys:
            - file: /run/secrets/nonce-new.secret
            - file: /run/secrets/nonce-old.secret
          # How long a nonce is accepted at least, at most 10m; for as long again while a new one is offered.
          nonce_lifetime: 5m

        # The keys that sign identity assertions for upstreams.
        assertion_keys:
          # PEM files with private keys: the first signs, all are published. By default keys are made at start and rotated: an
          # upstream that takes assertions from several replicas needs one such file that all of them share.
          files: [/run/secrets/assertion-new.key, /run/secrets/assertion-old.key]
          # The algorithm of keys made at start: ES256, ES384, ES512 or EdDSA.
          algorithm: ES256
          # How long a key made at start signs before the next one.
          rotation: 24h

        # This gateway's name in the Via field that upstreams get; a request that brings it along is in a loop and is answered 508.
        # By default made of the first public_url: replicas have one name, and two gateways in a row have two.
        via: shop-gateway

        # Requests remembered, without their secrets, for  portcullis explain --request-id .
        explain_buffer: 0

        """
}
