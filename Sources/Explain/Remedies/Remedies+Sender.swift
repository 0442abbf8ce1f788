import Access
import Bytes
import Gateway
import Issuers
import JOSE
import JSON

/// The proof and the certificate.
extension CheckFacts {
    var proofRepeated: Remedy {
        Remedy(
            "The request has \(evidence.proofs.count) DPoP fields.",
            .client("send exactly one"), .front("do not copy DPoP fields of a repeated request"))
    }

    var proofTooLarge: Remedy {
        Remedy(
            "The proof is larger than this gateway reads.",
            .client("leave certificates and other additions out of the proof's header"),
            .configuration("dpop.proof_size: a larger size"))
    }

    var proofMalformed: Remedy {
        Remedy(
            "The DPoP field is no signed JWT: \(ShownText.plain(found)).",
            .client("send a compact JWS with typ dpop+jwt (RFC 9449 §4.2), not the token"))
    }

    var proofTypeNotAccepted: Remedy {
        Remedy(
            "The proof's typ is \(ShownText.json(proof?.header?["typ"])).",
            .client("set typ to dpop+jwt; the token belongs into Authorization"))
    }

    var proofKeyInvalid: Remedy {
        Remedy(
            "The header's jwk is no public key to check the proof by.",
            .client("put the public key into jwk: never d, p, q or a symmetric key"))
    }

    var proofClaimMissing: Remedy {
        Remedy(
            missingProofClaims.isEmpty
                ? "A claim of the proof has another form than RFC 9449 gives it, or is too long."
                : "The proof lacks \(ShownText.words(missingProofClaims, "and")).",
            .client("put jti, htm, htu, iat (a number) and ath into every proof for a resource server"))
    }

    /// What the proof was made for, and whose it is.
    var proofMethodMismatch: Remedy {
        Remedy(
            "The proof was made for another method (htm).",
            .client(
                "make a proof for each request, with the method in capital letters: htm \(ShownText.quote(evidence.method))"
            ))
    }

    var proofTokenMismatch: Remedy {
        Remedy(
            "The proof was made for another token (ath), or for none.",
            .client(
                "set ath to the base64url SHA-256 of the token that is sent, and make it anew when the token was refreshed"
            ))
    }

    var proofSignatureInvalid: Remedy {
        Remedy(
            "The key in the proof's header did not sign it.",
            .client("sign with the private key of jwk; an ES256 signature is R and S, 64 bytes, not DER"))
    }

    var proofKeyMismatch: Remedy {
        Remedy(
            "The proof is good, but its key is not the one that the token is bound to.",
            .client("keep one key from the token request to the API call; tokens do not follow a new key"))
    }

    var proofReplayed: Remedy {
        Remedy(
            "This very proof was used before.",
            .client("make a new proof, with a new jti, for every request, a repeated one included"),
            .front("do not send a request twice on a time-out"))
    }

    var replaySetFull: Remedy {
        Remedy("There is no room to remember more proofs.", .configuration("dpop.replay_memory: more memory"))
    }

    var clientProofsTooMany: Remedy {
        Remedy(
            "One key has made so many proofs that the rest of the memory is for others.",
            .client("send fewer requests, or use a key for each of its instances"),
            .configuration("dpop.replay_memory: more memory"))
    }

    var storeUnavailable: Remedy {
        Remedy(
            "The store that the replicas share did not say whether one of them has let this proof through.",
            .machine("see whether the store runs, answers in time, and is reached from here"),
            .configuration(
                "store.when_down", "{ proofs: local }",
                "if each replica may let a proof through once while nobody reaches the store"))
    }

    var storeBusy: Remedy {
        Remedy(
            "So many requests wait for the store that the replicas share that there is no room for another one.",
            .machine("see whether the store answers slowly: redis-cli --latency, or valkey-cli --latency"),
            .configuration("limits.parked_requests and store.limits.in_flight: more"))
    }

    var storeForgot: Remedy {
        Remedy(
            "The store that the replicas share lost what it knew, and this proof may have been used before.",
            .client("make a new proof, and send the request again"),
            .machine("see whether the store was started without its data, was flushed, or evicts keys"))
    }

    var clientCertFieldInvalid: Remedy {
        Remedy(
            "A proxy that is trusted sent a Client-Cert that is not RFC 9440's: \(ShownText.plain(found)).",
            .front(
                "send the certificate in DER, base64, between colons; other forms (PEM, URL-encoded) are not Client-Cert"
            ))
    }

    private var missingProofClaims: [String] {
        Self.proofClaims.filter { proof?.claims?[$0] == nil }
    }

    var proofMissing: Remedy {
        if evidence.authorization == .bearer {
            return Remedy(
                "The token is bound to a key (cnf.jkt), and came as Bearer without a proof: that is what a stolen token looks like.",
                .client(
                    "send  Authorization: DPoP TOKEN  and in the field DPoP a new proof for each request (RFC 9449 §7.1)"
                ))
        }
        return Remedy(
            "The scheme is DPoP, and there is no DPoP field.",
            .client("send a new proof in the field DPoP with each request"), .front("pass the field DPoP on"))
    }

    var proofAlgorithmNotAllowed: Remedy {
        let name = proof?.header?["alg"]?.string ?? ""
        let algorithms = (policy?.dpop.algorithms ?? []).map(\.name)
        var steps = [
            Remedy.Step.client("make the key for one of \(ShownText.words(algorithms)), as algs in the challenge says")
        ]
        if SignatureNames.all.contains(name) {
            steps.append(
                .configuration(
                    "\(routeKey).token.dpop.algorithms", "[\((algorithms + [name]).joined(separator: ", "))]",
                    "if \(name) is to be accepted"))
        }
        return Remedy("The proof is signed by \(ShownText.quote(name)).", steps)
    }

    var proofTargetMismatch: Remedy {
        let found = proof?.claims?["htu"]?.string ?? ""
        let clientStep = Remedy.Step.client(
            "set htu to the URL that is called, without query and fragment: \(targets.first ?? "")")
        guard let slashes = found.utf8.firstIndex(of: UInt8(ascii: "/")), found[slashes...].hasPrefix("//") else {
            return Remedy("The proof's htu is no absolute URL.", clientStep)
        }
        let rest = found[slashes...].dropFirst(2)
        let path = rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
        let base = String(found[..<slashes]) + "//" + rest.prefix { $0 != "/" }
        let plainPath = String(path.prefix { $0 != "?" && $0 != "#" })
        if plainPath == evidence.path {
            return Remedy(
                "The proof is for \(ShownText.quote(base)), and this gateway calls itself \(publicURL): htu is compared with configured URLs, never with Host or X-Forwarded-Proto.",
                .configuration("\(listenerKey).public_url", ShownText.quote(base), "if that is what clients call"),
                .configuration(
                    "\(routeKey).public_urls", yaml((route?.publicURLs ?? []) + [base]),
                    "if clients call it so as well"),
                clientStep)
        }
        if plainPath.hasSuffix(evidence.path), plainPath.count > evidence.path.count {
            let prefix = String(plainPath.dropLast(evidence.path.count))
            return Remedy(
                "The proof's path begins with \(ShownText.quote(prefix)), which somebody in front has taken away before the request came here.",
                .configuration(
                    "\(routeKey).public_urls", yaml((route?.publicURLs ?? []) + [base + prefix]),
                    "to say what clients call"),
                .front("leave the path as the client sent it"))
        }
        return Remedy("The proof was made for another URL.", .client("make a proof for each request"), clientStep)
    }

    var proofOutOfTime: Remedy {
        let distance = (date("iat", of: proof) ?? now) &- now
        return distance > 0
            ? Remedy(
                "The proof is from \(ShownText.duration(distance)) in the future: the client's clock is ahead.",
                .client("set the clock, or use the Date field of this gateway's answers"),
                .configuration("dpop.future", "a longer time", "at most 60s"),
                .configuration("\(routeKey).token.dpop.nonce", "required", "if clients' clocks cannot be trusted"))
            : Remedy(
                "The proof is \(ShownText.duration(-distance)) old, and \(settings.proofs.past.wholeSeconds) s are allowed.",
                .client("make the proof when the request is sent, not when it is queued, and not once for many"),
                .machine("see whether the clocks agree: chronyc tracking, or timedatectl"),
                .configuration("dpop.past", "a longer time", "at most 5m"))
    }

    var proofNonceMissing: Remedy {
        Remedy(
            "The route wants a nonce of this gateway's in every proof, and this one has none.",
            .client(
                "take the value of DPoP-Nonce from the 401 answer, make a new proof with it as nonce, and send the request once more; keep the newest one for the next request"
            ),
            .configuration("\(routeKey).token.dpop.nonce", "optional", "if clients cannot do that yet"))
    }

    var proofNonceUnknown: Remedy {
        Remedy(
            "The proof's nonce is not one of this gateway's, or too old.",
            .client("use the newest DPoP-Nonce of this server; other servers' nonces do not count here"),
            .configuration(
                "dpop.nonce_keys: the same keys on every replica, so that each accepts the others' nonces"))
    }

    var tokenNotBound: Remedy {
        Remedy(
            "The scheme is DPoP, but the token is bound to no key (it has no cnf.jkt), so a proof proves nothing.",
            .client("send a DPoP proof with the token request too: the server then binds the token to the key"),
            .server("see whether DPoP is switched on for this client (dpop_bound_access_tokens)"),
            .client("send an unbound token as  Authorization: Bearer TOKEN, where the route takes it"))
    }

    var certificateMissing: Remedy {
        Remedy("The token is bound to a client certificate, and the request came without one.", certificateSteps)
    }

    var certificateMismatch: Remedy {
        Remedy(
            "The token is bound to another client certificate than the one presented; a renewed one needs a new token.",
            certificateSteps)
    }

    private var certificateSteps: [Remedy.Step] {
        var steps = [
            Remedy.Step.client("present the certificate with which the token was asked for"),
            .front("where TLS ends before this gateway, pass the certificate on in Client-Cert (RFC 9440)"),
        ]
        if listener.tls == nil || evidence.hasClientCertField {
            let address = evidence.peer.contains(":") ? "\(evidence.peer)/128" : "\(evidence.peer)/32"
            steps.append(
                .configuration(
                    "\(listenerKey).client_cert_from", "[\(address)]", "if \(evidence.peer) is the proxy that ends TLS")
            )
        }
        if listener.tls != nil, listener.tls?.clientCertificates == nil {
            steps.append(
                .configuration(
                    "\(listenerKey).tls.client_certificates", "optional", "so that clients are asked for one"))
        }
        return steps
    }
}
