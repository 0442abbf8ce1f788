extension RequirementTable {
    /// Rows of what is stripped, injected and forwarded, of paths, upgrades and limits.
    static let forwarding: [Requirement] = [
        Requirement(
            id: "HTTP-42", source: "RFC 9700 §4.13; RFC 9440 §2.4",
            promise: """
                The gateway strips every identity and forwarding field of a request, in any case and spelling, \
                before it adds its own.
                """),
        Requirement(
            id: "HTTP-43", source: "RFC 9110 §7.6.1",
            promise: """
                The gateway obeys the client's Connection field before it injects identity, so that a client \
                can remove no injected field.
                """),
        Requirement(
            id: "HTTP-44", source: "RFC 9110 §7.6.1",
            promise: """
                The gateway refuses a Connection field that names a reserved or an end-to-end field, such as \
                Host or Authorization.
                """),
        Requirement(
            id: "HTTP-45", source: "RFC 9110 §7.6.1, §11.7",
            promise: "The gateway forwards no hop-by-hop field in either direction, and no credentials for proxies."),
        Requirement(
            id: "HTTP-46", source: "RFC 9110 §5.5",
            promise: """
                The gateway writes each identity field once and in printable ASCII. It encodes other \
                characters, so that no claim splits a head.
                """),
        Requirement(
            id: "HTTP-47", source: "RFC 9700 §4.9; MCP authorization",
            promise: """
                The gateway strips Authorization and DPoP by default. A route may pass, exchange or replace \
                them; a bound token never passes on.
                """),
        Requirement(
            id: "HTTP-48", source: "OAuth 2.0 for Browser-Based Applications §6.1",
            promise: """
                The gateway takes its own cookies out of the forwarded Cookie field, and leaves all others \
                byte for byte as they came.
                """),
        Requirement(
            id: "HTTP-49", source: "RFC 6265bis (draft) §4.1.3",
            promise: """
                The gateway drops Set-Cookie lines of an upstream that name a cookie of its own, and response \
                fields with reserved names.
                """),
        Requirement(
            id: "HTTP-50", source: "RFC 9110 §7.6.3",
            promise: """
                The gateway adds Via with its pseudonym to each forwarded request. It tells no internal host \
                name there.
                """),
        Requirement(
            id: "HTTP-51", source: "RFC 9110 §7.6",
            promise: """
                The gateway answers 508 if its own pseudonym is in Via already. It does not load an upstream \
                that is its own listener.
                """),
        Requirement(
            id: "HTTP-52", source: "RFC 9700 §4.13; RFC 7239 §4, §8.1",
            promise: """
                The gateway overwrites X-Forwarded-* with what it knows itself. It keeps a chain that came in \
                only from a trusted proxy.
                """),
        Requirement(
            id: "HTTP-53", source: "RFC 7239 §4, §6",
            promise: """
                The gateway writes Forwarded with each parameter once and quoted where needed, only if asked \
                to, and never in a response.
                """),
        Requirement(
            id: "HTTP-54", source: "RFC 9440 §2.2-2.4",
            promise: """
                The gateway alone sets Client-Cert and Client-Cert-Chain, on mutual TLS alone. A response that \
                varies by them varies by everything.
                """),
        Requirement(
            id: "HTTP-55", source: "RFC 9110 §7.7",
            promise: """
                The gateway forwards path and query byte for byte, so that the path that it judged is the path \
                that it forwards.
                """),
        Requirement(
            id: "HTTP-56", source: "RFC 3986 §6.2.2; RFC 9700 §4.13",
            promise: """
                The gateway refuses an ambiguous path: encoded slashes, dot segments, double encodings, \
                parameters, controls. A route may permit some.
                """),
        Requirement(
            id: "HTTP-57", source: "RFC 3986 §6.2.2.1",
            promise: """
                The gateway refuses a path that leads to another rule if slashes are merged or, where the \
                route says so, case is ignored.
                """),
        Requirement(
            id: "HTTP-58", source: "RFC 9110 §7.8; RFC 6455 §4",
            promise: """
                The gateway forwards an upgrade to WebSocket alone, where the route permits it and after all \
                checks. It strips every other upgrade.
                """),
        Requirement(
            id: "HTTP-59", source: "RFC 9110 §7.8, §15.2.2",
            promise: "The gateway relays 101 only for an upgrade that it forwarded, and answers 502 to any other."),
        Requirement(
            id: "HTTP-60", source: "RFC 6455 §10.2",
            promise: """
                The gateway wants an allowed Origin of a WebSocket that a session authenticates. A tunnel ends \
                with its token or session.
                """),
        Requirement(
            id: "HTTP-61", source: "RFC 9110 §10.1.1",
            promise: """
                The gateway decides from the head before it sends 100 Continue. A refused request gets its \
                final status, and its body is not read.
                """),
        Requirement(
            id: "HTTP-62", source: "RFC 9110 §10.1.1",
            promise: "The gateway ignores Expect in HTTP/1.0, and answers 417 to any expectation but 100-continue."),
        Requirement(
            id: "HTTP-63", source: "RFC 9110 §15.2",
            promise: """
                The gateway relays a bounded number of interim responses to HTTP/1.1 clients, and none to \
                HTTP/1.0 clients.
                """),
        Requirement(
            id: "HTTP-64", source: "RFC 9110 §9.2.2",
            promise: """
                The gateway retries once, and only if the method is idempotent, no byte of a response came and \
                the body can be sent again.
                """),
        Requirement(
            id: "HTTP-65", source: "RFC 9110 §5.4, §15.5.14-15; RFC 6585 §5",
            promise: "The gateway holds every message to its limits as the bytes come, before it keeps them."),
        Requirement(
            id: "HTTP-66", source: "RFC 9112 §9.5",
            promise: """
                The gateway bounds the time and the pace of each message and the connections of each client, \
                so that slow ones starve nobody.
                """),
        Requirement(
            id: "HTTP-67", source: "RFC 9110 §5.5; RFC 9112 §11.1",
            promise: """
                The gateway checks the head of each response of an upstream, and answers 502 if it is \
                malformed.
                """),
        Requirement(
            id: "HTTP-68", source: "RFC 9110 §11.6.1",
            promise: """
                The gateway passes an upstream's WWW-Authenticate on as it is. A route may have an upstream's \
                401 answered with 502.
                """),
        Requirement(
            id: "HTTP-69", source: "RFC 9111 §3.5",
            promise: """
                The gateway marks a session's response private if the upstream says nothing about caches. It \
                caches no response itself.
                """),
        Requirement(
            id: "HTTP-70", source: "RFC 9110 §7.7",
            promise: """
                The gateway streams bodies both ways at the pace of the slower side. It never unpacks, changes \
                or collects one.
                """),
        Requirement(
            id: "HTTP-71", source: "Fetch standard; RFC 9449 §7.1",
            promise: """
                The gateway judges a CORS preflight without credentials and by the route's own list. It never \
                answers one with 401.
                """),
        Requirement(
            id: "HTTP-72", source: "RFC 9449 §7.1, §8",
            promise: """
                The gateway lets scripts read WWW-Authenticate and DPoP-Nonce on routes with a CORS policy, \
                and on no other.
                """),
        Requirement(
            id: "HTTP-73", source: "FAPI 2.0 Security Profile §5.2; RFC 8470",
            promise: """
                The gateway takes TLS 1.2 and later without renegotiation or compression, and accepts no early \
                data.
                """),
        Requirement(
            id: "HTTP-75", source: "OAuth 2.0 for Browser-Based Applications; RFC 9110 §7.3",
            promise: """
                The route alone selects the upstream. Nothing in a request can make the gateway connect to \
                another address.
                """),
        Requirement(
            id: "HTTP-76", source: "policy of this gateway",
            promise: """
                The gateway answers 404 to an unknown route without a look at its token. A route that does not \
                say who may pass does not load.
                """),
    ]
}
