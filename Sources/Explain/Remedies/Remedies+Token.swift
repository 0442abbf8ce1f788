import Access
import Gateway
import Issuers
import JOSE
import JSON
import OAuth

/// The token: its form, its issuer, its signature, its times and its claims.
extension CheckFacts {
    var tokenTooLarge: Remedy {
        Remedy(
            "The token is longer than \(settings.limits.accessToken) bytes.",
            .server("put fewer claims into access tokens; lists of groups are the usual reason"),
            .configuration("limits.access_token: a larger size"))
    }

    var tokenEncrypted: Remedy {
        Remedy(
            "The token is encrypted (five parts), and this gateway has no key to read it.",
            .server("issue signed, unencrypted access tokens for this API, or opaque ones"))
    }

    var tokenIssuerNotAccepted: Remedy {
        Remedy(
            "The token is of the issuer \(issuerName), and this route takes only \(ShownText.words(policy?.issuers ?? [])).",
            .client("get the token from \(ShownText.words(policy?.issuers ?? []))"),
            .configuration(
                "\(routeKey).token.issuers",
                "[\(((policy?.issuers ?? []) + [issuerName]).joined(separator: ", "))]",
                "if its tokens may pass here too"))
    }

    var clientWaitersTooMany: Remedy {
        var steps: [Remedy.Step] = [
            .server("answer sooner"),
            .front("tell the clients' addresses, and name it in trusted_proxies"),
        ]
        // Of the questions that wait to be asked one client has half, which no key changes.
        if found.hasPrefix("more of ") {
            steps.append(
                .configuration(
                    "limits.parked_requests_per_client", "more", "if one address sends most of the requests"))
        }
        return Remedy(
            "Too many requests from one address, or refreshes of one user, waited for an authorization server.", steps)
    }

    var tokenMalformed: Remedy {
        guard let token, token.segments != 3 else {
            return Remedy(
                "The token has three parts, but they are not those of a signed JWT: \(ShownText.plain(found)).",
                .client("send the token exactly as it was issued: not cut, not quoted, not encoded once more"))
        }
        return Remedy(
            "The token is no JWT: it is opaque, and nothing here says whom to ask about it.",
            .server(
                "issue JWT access tokens for this API; many servers do only when asked with its audience or resource"
            ),
            .client("send the access token, not the refresh token, a session id or an API key"),
            .configuration(
                "\(issuerKey).introspection: a client of yours that asks the issuer about tokens (RFC 7662)"))
    }

    var tokenIssuerUnknown: Remedy {
        guard let name = token?.text("iss") else {
            return Remedy(
                "The token does not say who issued it.", .server("put iss into access tokens (RFC 9068 §2.2)"))
        }
        for issuer in settings.issuers {
            guard let difference = nearMiss(name, issuer.url) else { continue }
            return Remedy(
                "The token's iss differs from issuers.\(issuer.name).url \(difference); names of issuers are compared byte by byte.",
                .configuration(
                    "issuers.\(issuer.name).url", ShownText.quote(name),
                    "if the server's metadata spells it so"))
        }
        var steps = [
            Remedy.Step.client("get the token from \(ShownText.words(settings.issuers.map(\.url)))"),
            .configuration(
                "add an issuer with url \(ShownText.quote(name)), if this server's tokens are to be believed"),
        ]
        if name.hasPrefix("https://sts.windows.net/") {
            steps.insert(
                .server(
                    "this is a v1 token of Entra ID: set requestedAccessTokenVersion to 2 in the API's manifest, or configure the v1 name"
                ), at: 0)
        }
        return Remedy("The token is of \(ShownText.quote(name)), which is not configured.", steps)
    }

    var issuerKeysUnavailable: Remedy {
        let name = issuer.map { "\($0.name) (\($0.url))" } ?? "the issuer"
        return Remedy(
            "The keys of \(name) could not be had: \(ShownText.plain(found)).",
            .machine("see whether this machine reaches the issuer: curl \(metadataURL)"),
            .configuration(
                "\(issuerKey).certificate_authority: the file of its authority, if that is a private one"),
            .configuration(
                "\(issuerKey).allow_private: the network, if its metadata points to a private one"))
    }

    private var metadataURL: String {
        guard let url = issuer?.url ?? settings.issuers.first(where: { $0.name == issuerName })?.url else {
            return "its metadata"
        }
        return (url.hasSuffix("/") ? String(url.dropLast()) : url) + "/.well-known/openid-configuration"
    }

    var tokenTypeNotAccepted: Remedy {
        let type = token?.header?["typ"]
        let rules = issuer?.rules
        switch type?.string?.lowercased() {
        case "jwt",
            nil where type == nil:
            let isAbsent = type == nil
            let isIDToken = ["nonce", "at_hash", "c_hash"].contains { token?.claims?[$0] != nil }
            if isIDToken {
                return Remedy(
                    "This is an ID token: it tells a client who has signed in, and opens no API.",
                    .client("send access_token of the token response, not id_token"))
            }
            let accepted = (rules.map(types) ?? ["at+jwt"]).map { $0 == "none at all" ? "none" : $0 }
            return Remedy(
                isAbsent
                    ? "The token has no typ, so nothing says that it is an access token (RFC 9068 §2.1)."
                    : "The token's typ is JWT, as of servers without RFC 9068 (Entra ID, Zitadel; by default Keycloak, Auth0).",
                .server("issue access tokens of RFC 9068, whose typ is at+jwt"),
                .configuration(
                    "\(issuerKey).accept_typ",
                    "[\((accepted + [isAbsent ? "none" : "JWT"]).joined(separator: ", "))]",
                    "if it cannot; tokens that look like ID tokens stay refused"))
        case "dpop+jwt":
            return Remedy(
                "This is a DPoP proof in the place of the token.",
                .client("send the token in Authorization and the proof in the field DPoP"))
        default:
            return Remedy(
                "The token's typ is \(ShownText.json(type)): a JWT for another purpose.",
                .client("send the access token"))
        }
    }

    var tokenAlgorithmNotAllowed: Remedy {
        let name = token?.header?["alg"]?.string ?? ""
        if name.lowercased() == "none" {
            return Remedy(
                "The token is not signed.", .server("sign access tokens; an unsigned one is never accepted"))
        }
        if name.hasPrefix("HS") {
            return Remedy(
                "\(name) is no signature but a shared secret: whoever could check the token could forge it.",
                .server("sign access tokens with RS256, ES256 or EdDSA"))
        }
        guard SignatureNames.all.contains(name) || name == "Ed25519" else {
            return Remedy(
                "The algorithm \(ShownText.quote(name)) is not known here.",
                .server("sign with one of \(ShownText.words(SignatureNames.all))"))
        }
        let algorithms = (issuer?.rules.algorithms ?? []).map(\.name) + [name]
        return Remedy(
            "The token is signed by \(name), which is not one of \(issuerKey).algorithms.",
            .server("sign with one of \(wantedAlgorithm)"),
            .configuration(
                "\(issuerKey).algorithms", "[\(algorithms.joined(separator: ", "))]",
                "if the issuer has changed its algorithm"))
    }

    var tokenKeyAmbiguous: Remedy {
        Remedy(
            "The token names no kid, and too many of the issuer's keys could have signed it.",
            .server("put kid into the header of access tokens"))
    }

    var tokenKeyUnknown: Remedy {
        let kid = token?.header?["kid"]
        let name = token?.header?["alg"]?.string ?? ""
        if let kid = kid?.string, let key = evidence.keys?.first(where: { $0.keyID == kid }) {
            return Remedy(
                "The issuer has a key \(ShownText.quote(kid)), but it is for \(ShownText.words(key.algorithms)), not \(ShownText.plain(name)).",
                .server("publish the key with the alg that it signs by"))
        }
        return Remedy(
            "None of the issuer's keys is called \(ShownText.json(kid)).",
            .client("look whether the token is of another environment than iss says, such as test and production"),
            .server("publish a new key in the JWK Set some minutes before the first token is signed by it"),
            .configuration(
                "\(issuerKey).keys.unknown_key_interval", "a shorter time",
                "if keys change faster than the JWK Set is read again"))
    }

    var tokenSignatureInvalid: Remedy {
        if token?.header?["nonce"] != nil {
            return Remedy(
                "The header has a nonce, as tokens of Entra ID for Microsoft Graph do: nobody but Graph can check those.",
                .client("ask for a token for your own API: scope api://YOUR-API/.default"))
        }
        return Remedy(
            "The signature was not made by the issuer's key \(ShownText.json(token?.header?["kid"])) over these bytes.",
            .client("send the token exactly as it was issued; one changed letter is enough"),
            .server("look whether two environments share the name of an issuer, or of a key"))
    }
}
