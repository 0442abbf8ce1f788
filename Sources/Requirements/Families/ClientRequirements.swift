extension RequirementTable {
    /// Rows of how the gateway proves who it is.
    static let clientAuthentication: [Requirement] = [
        Requirement(
            id: "CA-01", source: "RFC 6749 §2.3; RFC 9126 §2; OpenID Connect Core §9",
            promise: """
                The gateway authenticates as a client by the one configured method, at every endpoint, and \
                never falls back to another.
                """),
        Requirement(
            id: "CA-02", source: "RFC 6749 §2.3.1, appendix B",
            promise: """
                The gateway encodes identifier and secret each as a form does before it joins them for HTTP \
                Basic.
                """),
        Requirement(
            id: "CA-03", source: "RFC 6749 §2.3.1",
            promise: """
                The gateway sends a secret in the body where that is configured, and then sends no \
                Authorization field.
                """),
        Requirement(
            id: "CA-04", source: "OpenID Connect Core §9; RFC 7518 §3.2",
            promise: """
                The gateway signs assertions with a client secret only if that is long enough for the \
                algorithm.
                """),
        Requirement(
            id: "CA-05", source: "OpenID Connect Core §9; RFC 7523 §3; FAPI 2.0 Security Profile §5.4.1",
            promise: "The gateway signs assertions with a private key by an asymmetric algorithm, and names the key."),
        Requirement(
            id: "CA-06",
            source: "RFC 7523bis (draft) §4; FAPI 2.0 Security Profile §5.3.3.1; RFC 9126 §2; updates to RFC 9700 §2.1",
            promise: """
                The gateway addresses an assertion to the issuer, as one string. It may be configured to name \
                the endpoint.
                """),
        Requirement(
            id: "CA-07", source: "RFC 7523 §3; OpenID Connect Core §9",
            promise: """
                The gateway makes a new assertion for each request, which lives for a short time and is never \
                used twice.
                """),
        Requirement(
            id: "CA-08", source: "RFC 7523bis (draft) §4",
            promise: """
                The gateway says the type JWT in an assertion, or client-authentication+jwt where that is \
                configured.
                """),
        Requirement(
            id: "CA-09", source: "RFC 7523 §2.2; RFC 7521 §4.2",
            promise: """
                The gateway sends exactly one assertion with its type, and no client identifier that differs \
                from its subject.
                """),
        Requirement(
            id: "CA-10", source: "RFC 9101 §10.8; RFC 8725 §3.12",
            promise: "The gateway loads no configuration in which one key serves two purposes."),
        Requirement(
            id: "CA-11", source: "updates to RFC 9700 §2.1.2; RFC 9207 §4",
            promise: """
                The gateway sends a client's credentials only to endpoints that the metadata of its own issuer \
                names.
                """),
        Requirement(
            id: "CA-12", source: "RFC 8705 §2, §5",
            promise: """
                The gateway authenticates with a client certificate where that is configured, at the server's \
                addresses for it.
                """),
        Requirement(
            id: "CA-13", source: "RFC 6749 §3.2; FAPI 2.0 Security Profile §5.2.1; RFC 9101 §8",
            promise: """
                The gateway calls servers by https alone, verifies certificate and name, follows no redirect, \
                and bounds time and size.
                """),
        Requirement(
            id: "CA-14", source: "OAuth 2.0 for Browser-Based Applications §6.1.3.1",
            promise: """
                The gateway logs nobody in as a client without authentication, unless the operator says that it is public, \
                of which it warns. It asks no server about tokens, or for other ones, as such a client.
                """),
        Requirement(
            id: "CA-15", source: "RFC 6749 §5.2; RFC 7523 §3.2",
            promise: "The gateway tells an operator which error a server answered, and shows a user nothing of it."),
        Requirement(
            id: "CA-16", source: "RFC 6749 §4.1.2, §10.5; RFC 9110 §9.2.2",
            promise: """
                The gateway never sends an authorization code twice. It retries other requests once, if no \
                byte was sent.
                """),
        Requirement(
            id: "CA-17", source: "policy of this gateway",
            promise: """
                The gateway reads secrets from files or the environment, keeps them out of core dumps and \
                listings, and wipes its copies.
                """),
        Requirement(
            id: "CA-18", source: "RFC 9700 §2.6",
            promise: """
                The gateway publishes a new key before it signs with it, and an old one for a while after, \
                without a restart.
                """),
    ]

    /// Rows of signed and hosted authorization requests.
    static let requestObjects: [Requirement] = [
        Requirement(
            id: "JAR-01", source: "RFC 9101 §4, §10.1, §10.5",
            promise: "The gateway signs request objects with an algorithm that the server lists, and never with none."),
        Requirement(
            id: "JAR-02", source: "RFC 9101 §4, §10.8; FAPI 2.0 Message Signing §5.3.2",
            promise: """
                The gateway says the type oauth-authz-req+jwt in a request object, or jwt where that is \
                configured, and names the key.
                """),
        Requirement(
            id: "JAR-03", source: "RFC 9101 §4, §5; FAPI 2.0 Message Signing §5.3.2",
            promise: """
                The gateway puts every parameter of the request into its object, and addresses it to the \
                issuer byte for byte.
                """),
        Requirement(
            id: "JAR-04", source: "RFC 9101 §4, §10.8; RFC 8707 §2.1; RFC 9396 §3",
            promise: """
                The gateway writes claims of a request object in their JSON types, and never request, \
                request_uri or sub.
                """),
        Requirement(
            id: "JAR-05", source: "FAPI 2.0 Message Signing §5.3.2",
            promise: "The gateway gives a request object a short life and a random identifier of at most 64 bytes."),
        Requirement(
            id: "JAR-06", source: "RFC 9101 §10.2; RFC 9700 §2.1.1",
            promise: "The gateway makes a fresh request object for each login."),
        Requirement(
            id: "JAR-07", source: "RFC 9101 §5, §5.1, §10.7; OpenID Connect Core §6.1",
            promise: """
                The gateway sends the client and the object alone in the address of the request, or repeats \
                parameters with equal values.
                """),
        Requirement(
            id: "JAR-08", source: "RFC 9101 §5.2",
            promise: """
                The gateway never cuts a request that is too long for an address. It pushes it, hosts it, or \
                refuses.
                """),
        Requirement(
            id: "JAR-09", source: "RFC 9101 §7, §10.5",
            promise: "The gateway never falls back to an unsigned request after a server refused a signed one."),
        Requirement(
            id: "JAR-10", source: "RFC 9101 §4, §10.1",
            promise: """
                The gateway encrypts a request object after it signed it, with a key of the server's that is \
                meant for that.
                """),
        Requirement(
            id: "JAR-20", source: "RFC 9101 §5.2, §5.2.1, §10.2",
            promise: "The gateway hosts a request object at an https address of its own that nobody can guess."),
        Requirement(
            id: "JAR-21", source: "RFC 9101 §5.2.3, §10.4.1",
            promise: """
                The gateway serves a hosted object by GET and HEAD alone, lets nobody store it, and answers \
                404 to any other address.
                """),
        Requirement(
            id: "JAR-22", source: "RFC 9101 §10.2",
            promise: """
                The gateway serves a hosted object for a short time and a few fetches, and deletes it at the \
                callback.
                """),
        Requirement(
            id: "JAR-23", source: "RFC 9101 §5.2.1, §11",
            promise: """
                The gateway puts no more about a user into a hosted object than the server needs, and bounds \
                requests for it.
                """),
        Requirement(
            id: "JAR-24", source: "RFC 9101 §5.2.2",
            promise: "The gateway sends the client and the address of the hosted object alone."),
        Requirement(
            id: "JAR-25", source: "OpenID Connect Core §6.2",
            promise: "The gateway adds the object's hash to that address only where it is configured."),
    ]

    /// Rows of pushed authorization requests.
    static let pushedRequests: [Requirement] = [
        Requirement(
            id: "PAR-01", source: "RFC 9126 §2.1",
            promise: """
                The gateway pushes a request by a POST form with client authentication, and never with \
                request_uri in it.
                """),
        Requirement(
            id: "PAR-02", source: "RFC 9126 §3",
            promise: "The gateway pushes a signed request as the object and the client's authentication alone."),
        Requirement(
            id: "PAR-03", source: "RFC 9126 §2.2",
            promise: """
                The gateway takes only a success with a request_uri and a positive number of seconds for an \
                answer to a push.
                """),
        Requirement(
            id: "PAR-04", source: "RFC 9126 §4; FAPI 2.0 Security Profile §5.3.3.2",
            promise: "The gateway sends the browser on with the client and that request_uri alone, encoded and once."),
        Requirement(
            id: "PAR-05", source: "RFC 9126 §2.3",
            promise: """
                The gateway tells a refused push from a server that is not there: 502 for the one, 503 for the \
                other.
                """),
        Requirement(
            id: "PAR-06", source: "RFC 9126 §5; FAPI 2.0 Security Profile §5.3.3.2",
            promise: """
                The gateway pushes every request to a server that demands it, and does not start without an \
                endpoint for that.
                """),
        Requirement(
            id: "PAR-07", source: "FAPI 2.0 Security Profile §5.3.2.2",
            promise: "The gateway sends redirect_uri with every pushed request."),
    ]
}
