extension RequirementTable {
    /// Rows of DPoP proofs: of clients, and of the gateway itself.
    static let proofs: [Requirement] = [
        Requirement(
            id: "DPOP-01", source: "RFC 9449 §4.3, §7.1",
            promise: "The gateway wants exactly one DPoP field with one proof beside a token of the DPoP scheme."),
        Requirement(
            id: "DPOP-02", source: "RFC 9449 §4.3, §11.5",
            promise: "The gateway takes a proof of the type dpop+jwt alone."),
        Requirement(
            id: "DPOP-03", source: "RFC 9449 §4.3, §11.6",
            promise: "The gateway takes a proof with a listed asymmetric algorithm alone."),
        Requirement(
            id: "DPOP-04", source: "RFC 9449 §4.2, §4.3",
            promise: """
                The gateway takes a proof with a valid public key in its header, and refuses any private \
                member.
                """),
        Requirement(
            id: "DPOP-05", source: "RFC 9449 §4.3",
            promise: "The gateway accepts a proof only if the key in its header verifies it."),
        Requirement(
            id: "DPOP-06", source: "RFC 9449 §4.2, §4.3",
            promise: "The gateway wants jti, htm, htu, iat and ath in a proof, each of its type."),
        Requirement(
            id: "DPOP-07", source: "RFC 9449 §4.3",
            promise: "The gateway wants htm to be the request's method, case for case."),
        Requirement(
            id: "DPOP-08", source: "RFC 9449 §4.3; RFC 3986 §6.2.2-3",
            promise: """
                The gateway wants htu to be the request's URI without query and fragment, after the \
                normalisation that RFC 3986 defines.
                """),
        Requirement(
            id: "DPOP-09", source: "RFC 9449 §4.2; RFC 9112 §3.3",
            promise: """
                The gateway makes that URI of the configured public URL. Fields of a request count only if a \
                trusted proxy sent them.
                """),
        Requirement(
            id: "DPOP-10", source: "RFC 9449 §4.3, §11.1; FAPI 2.0 Security Profile §5.3.2.1",
            promise: "The gateway takes a proof only within its time window."),
        Requirement(
            id: "DPOP-11", source: "RFC 9449 §9, §11.3",
            promise: """
                The gateway answers a proof without a valid nonce with a fresh one, where the route asks for \
                nonces.
                """),
        Requirement(
            id: "DPOP-12", source: "RFC 9449 §8, §8.1, §9",
            promise: """
                The gateway makes nonces that nobody can predict, and knows its own again without a memory of \
                them.
                """),
        Requirement(
            id: "DPOP-13", source: "RFC 9449 §8",
            promise: "The gateway sends one DPoP-Nonce in a response at most, and removes those of an upstream."),
        Requirement(
            id: "DPOP-14", source: "RFC 9449 §8.2",
            promise: """
                The gateway hands out the next nonce in time with successful responses, which no cache may \
                then store.
                """),
        Requirement(
            id: "DPOP-15", source: "RFC 9449 §11.1",
            promise: """
                The gateway accepts a proof once, whichever workers its copies reach. It answers 503 if it can \
                remember no more.
                """),
        Requirement(
            id: "DPOP-16", source: "RFC 9449 §11.1",
            promise: "The gateway refuses a proof whose identifier is too long."),
        Requirement(
            id: "DPOP-17", source: "RFC 9449 §11.1",
            promise: "The gateway spends a proof after every other check and before it forwards."),
        Requirement(
            id: "DPOP-18", source: "RFC 9449 §4.2, §4.3",
            promise: "The gateway wants ath to be the hash of the token that the proof comes with."),
        Requirement(
            id: "DPOP-19", source: "RFC 9449 §4.3, §6",
            promise: "The gateway wants the proof's key to be the key that the token is bound to."),
        Requirement(
            id: "DPOP-20", source: "RFC 9449 §7.2",
            promise: "The gateway refuses a token that is bound to a key with the Bearer scheme."),
        Requirement(
            id: "DPOP-21", source: "RFC 9449 §7.1",
            promise: "The gateway refuses an unbound token with the DPoP scheme."),
        Requirement(
            id: "DPOP-22", source: "RFC 9449 §7.2; RFC 9728",
            promise: """
                The gateway ignores and strips a proof beside an unbound Bearer token. A route may take DPoP \
                alone.
                """),
        Requirement(
            id: "DPOP-23", source: "RFC 9449 §7.1",
            promise: "The gateway names the algorithms that it takes in each DPoP challenge."),
        Requirement(
            id: "DPOP-24", source: "RFC 9449 §7.1",
            promise: "The gateway takes no DPoP credentials from the fields that are meant for proxies."),
        Requirement(
            id: "DPOP-25", source: "RFC 9449 §4, §7.3",
            promise: "The gateway wants a proof of its own with each request. A CORS preflight needs none."),
        Requirement(
            id: "DPOP-26", source: "RFC 9449 §4.2",
            promise: "The gateway ignores parameters of a proof's header that it does not know, except crit."),
        Requirement(
            id: "DPOP-27", source: "RFC 9449 §11.2",
            promise: "The gateway neither logs nor forwards proofs and nonces."),
        Requirement(
            id: "DPOP-40", source: "RFC 9449 §4.2, §5, §10.1",
            promise: """
                The gateway sends a fresh proof of the session's key with each request to a server that binds \
                tokens to it.
                """),
        Requirement(
            id: "DPOP-41", source: "RFC 9449 §8, §8.2, §9",
            promise: """
                The gateway repeats a request once with the nonce that the server demanded, and keeps nonces \
                apart by server.
                """),
        Requirement(
            id: "DPOP-42", source: "RFC 9449 §5",
            promise: "The gateway drops tokens that are not bound though it asked for bound ones."),
        Requirement(
            id: "DPOP-43", source: "RFC 9449 §5",
            promise: "The gateway refreshes a session with the key that its tokens are bound to."),
        Requirement(
            id: "DPOP-44", source: "RFC 9449 §10, §10.1",
            promise: "The gateway binds an authorization code to the session's key."),
        Requirement(
            id: "DPOP-45", source: "RFC 9449 §7.1, §7.3",
            promise: """
                The gateway sends a fresh proof with each request to an upstream or userinfo endpoint that \
                gets a bound token.
                """),
    ]
}
