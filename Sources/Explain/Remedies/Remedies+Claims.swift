import Access
import Gateway
import Issuers
import JOSE
import JSON
import OAuth

/// What the token says: its times, its claims, its audience.
extension CheckFacts {
    var tokenExpired: Remedy {
        let distance = now &- (date("exp", of: token) ?? now)
        var steps = [
            Remedy.Step.client(
                "get a new token when the old one ends, with the refresh token or a little before expires_in is over")
        ]
        if distance <= 300 { steps += [Self.clock, leewayStep(distance)] }
        return Remedy("The token ended \(ShownText.duration(distance)) ago, and \(leeway) s are tolerated.", steps)
    }

    var tokenNotYetValid: Remedy { goodLater("nbf") }

    var tokenIssuedInFuture: Remedy { goodLater("iat") }

    private func goodLater(_ claim: String) -> Remedy {
        let distance = (date(claim, of: token) ?? now) &- now
        return Remedy(
            "The token is good only in \(ShownText.duration(distance)) (\(claim)): the issuer's clock is ahead of this one, or this one is behind.",
            [Self.clock, .server("see whether its clock is ahead")] + (distance <= 300 ? [leewayStep(distance)] : []))
    }

    private static let clock = Remedy.Step.machine("see whether the clocks agree: chronyc tracking, or timedatectl")

    private func leewayStep(_ distance: Int64) -> Remedy.Step {
        let larger = min(300, max(Int64(leeway) * 2, (distance / 60 + 1) * 60))
        return .configuration(
            "\(issuerKey).leeway", "\(larger)s", "if clocks that differ cannot be mended, at most 5m")
    }

    var tokenClaimMissing: Remedy {
        let missing = requiredClaims.filter { token?.claims?[$0] == nil }
        guard !missing.isEmpty else { return tokenClaimMalformed }
        var steps = [Remedy.Step.server("put \(ShownText.words(missing, "and")) into access tokens (RFC 9068 §2.2)")]
        if !missing.contains(where: { ["iss", "exp", "aud"].contains($0) }) {
            steps.append(
                .configuration("\(issuerKey).profile", "legacy", "if it cannot; then iss, exp and aud are enough"))
        }
        return Remedy("The token lacks \(ShownText.words(missing, "and")).", steps)
    }

    var tokenClaimMalformed: Remedy {
        Remedy(
            "A claim has another type or form than its specification gives it.",
            .server("write dates as numbers, names as texts that are not empty, aud as a text or a list of texts"))
    }

    var tokenOfOtherPurpose: Remedy {
        let telltales = claimsOfOtherTokens
        let isIDToken = telltales.isEmpty || telltales.contains { ["nonce", "at_hash", "c_hash"].contains($0) }
        return isIDToken
            ? Remedy(
                "This is an ID token: it tells a client who has signed in, and opens no API.",
                .client("send access_token of the token response, not id_token"))
            : Remedy(
                "This is a JWT for another purpose: it has the claim \(ShownText.words(telltales, "and")).",
                .client("send the access token"))
    }

    var tokenBoundToKey: Remedy {
        if keyThumbprint != nil, evidence.authorization == .bearer {
            return Remedy(
                "The token is bound to a key (cnf.jkt), and came with the scheme Bearer: without its proof it is refused on every route.",
                .client(
                    "send  Authorization: DPoP TOKEN  and in the field DPoP a new proof for each request (RFC 9449 §7.1)"
                ))
        }
        return Remedy(
            "The token is bound (cnf) in a way that this gateway cannot check, so it is not taken for a bearer token.",
            .server("bind tokens by jkt (DPoP) or x5t#S256 (client certificates), or leave cnf out"))
    }

    var tokenAudienceMissing: Remedy {
        let wanted = policy?.audiences ?? []
        let found = token?.audiences ?? []
        let key = "\(routeKey).token.audience"
        for one in found {
            for other in wanted {
                guard let difference = nearMiss(one, other) else { continue }
                return Remedy(
                    "The token's aud differs from \(key) \(difference); audiences are compared byte by byte.",
                    .client("ask for the audience or resource \(ShownText.quote(other))"),
                    .configuration(
                        key, yaml(wanted.map { $0 == other ? one : $0 }), "if the token's spelling is the right one"
                    ))
            }
        }
        if found == ["account"] {
            return Remedy(
                "The audience \"account\" is Keycloak's own: the token was not made for this API.",
                .server(
                    "add an audience mapper with \(ShownText.list(wanted)) to the client, or to a client scope it uses"
                ))
        }
        if let client = token?.text("client_id") ?? token?.text("azp"), found == [client] {
            return Remedy(
                "The token's aud is the client itself: the server was not told which API it is for, or this is an ID token.",
                .client(
                    "ask with resource=\(wanted.first ?? "") (RFC 8707) or the server's audience parameter, and send access_token"
                ))
        }
        return Remedy(
            "The token was made for \(ShownText.list(found, or: "nobody")), not for this route.",
            .client(
                "ask for a token for \(ShownText.list(wanted)): with resource (RFC 8707), audience, or the API's scope"
            ),
            .server("let tokens for this API have \(ShownText.list(wanted)) in aud"),
            .configuration(key, yaml(wanted + found), "if tokens for the other audience may pass here"))
    }

    var tokenInactive: Remedy {
        Remedy(
            "The issuer says that the token is not active: it ended, was revoked, or is another server's.",
            .client("get a new access token, and send it to the environment that it is for"),
            .server("let this gateway's client ask about tokens of other clients"))
    }

    var introspectionAnswerTooLarge: Remedy {
        Remedy(
            "What the issuer says of the token is longer than may be read.",
            .configuration("\(issuerKey).introspection.answer_limit", "1MiB", "if its users have many groups"),
            .server("say less of this user, such as the groups that this API knows"))
    }

    var unknownTokensTooMany: Remedy {
        Remedy(
            "Too many tokens that nobody has seen were sent at once.",
            .client("wait, and send a token that is good"),
            .configuration(
                "limits.bad_token_rate_per_client", "more",
                "if many people share one address, and their tokens end"))
    }

    var failedVerificationsTooMany: Remedy {
        Remedy(
            "Too many tokens or proofs from this address were verified and no good.",
            .client("wait, and send a token that is good"),
            .configuration(
                "limits.failed_verification_rate_per_client", "more", "if many people share one address"))
    }

    var introspectionUnavailable: Remedy {
        Remedy(
            "The issuer could not be asked about the token: \(ShownText.plain(found)).",
            .machine("see whether this machine reaches the issuer"),
            .server("see whether it accepts this gateway's client and its credentials"))
    }
}
