import Access
import Gateway
import Issuers
import JOSE
import Login
import OAuth
import Refusals

/// What the areas of a login's configuration are called, what they say here, and what the server says of them.
struct LoginReviewWords {
    let login: LoginSettings
    let credentials: ClientCredentials
    let metadata: ServerMetadata

    func title(_ area: SuitabilityArea) -> String {
        switch area {
        case .endpoints: "endpoints"
        case .codeFlow: "code and PKCE"
        case .authentication: "authentication"
        case .form: "authorization_request"
        case .requestObject: "request_object"
        case .response: "response_mode"
        case .idToken: "id_token"
        case .proofs: "dpop"
        case .optionalUserInfo: "userinfo"
        case .logout: "logout"
        case .profile: "profile"
        }
    }

    func configured(_ area: SuitabilityArea) -> String {
        switch area {
        case .endpoints: return "logins"
        case .codeFlow: return "code, S256" + (login.assumesPKCE ? ", assume_pkce" : "")
        case .authentication: return credentials.method.name
        case .form: return login.authorization.form.rawValue
        case .requestObject:
            let encryption = login.authorization.encryption.map { ", encrypted by \($0.algorithm) and \($0.encoding)" }
            return (login.keys.requestObject?.algorithm.name ?? "no key") + (encryption ?? "")
        case .response:
            let mode = login.authorization.responseMode
            return mode.rawValue + (mode.isSigned ? ", " + made(login.response) : "")
        case .idToken:
            return made(.init(signature: login.idToken.signature, mustBeEncrypted: login.idToken.mustBeEncrypted))
        case .proofs: return "\(login.dpop)"
        case .optionalUserInfo: return "\(login.userInfo)"
        case .logout:
            let channels = [("backchannel", login.logout.backchannel), ("frontchannel", login.logout.frontchannel)]
            return channels.filter(\.1).map(\.0).joined(separator: " ")
        case .profile: return "fapi2"
        }
    }

    func offered(_ area: SuitabilityArea) -> String {
        switch area {
        case .endpoints:
            let known = [
                ("authorization_endpoint", metadata.authorizationEndpoint), ("token_endpoint", metadata.token.url),
                ("pushed_authorization_request_endpoint", metadata.pushedAuthorization.url),
                ("revocation_endpoint", metadata.revocation.url), ("end_session_endpoint", metadata.endSession),
            ]
            return known.filter { $0.1 != nil }.map(\.0).joined(separator: " ")
        case .codeFlow:
            return said("response_types_supported", metadata.responseTypes) + "; "
                + said("code_challenge_methods_supported", metadata.codeChallengeMethods)
        case .authentication: return said("token_endpoint_auth_methods_supported", metadata.token.authenticationMethods)
        case .form:
            return "require_pushed_authorization_requests \(metadata.requiresPushedRequests), "
                + "require_signed_request_object \(metadata.requiresSignedRequestObject)"
        case .requestObject:
            return said("request_object_signing_alg_values_supported", metadata.requestObjectSigningAlgorithms)
        case .response:
            let modes = said("response_modes_supported", metadata.responseModes)
            guard login.authorization.responseMode.isSigned else { return modes }
            return modes + "; "
                + said("authorization_signing_alg_values_supported", metadata.responseSigningAlgorithms)
        case .idToken:
            return said("id_token_signing_alg_values_supported", metadata.idTokenSigningAlgorithms)
        case .optionalUserInfo: return metadata.userInfo == nil ? "no userinfo_endpoint" : "userinfo_endpoint"
        case .proofs: return said("dpop_signing_alg_values_supported", metadata.dpopSigningAlgorithms)
        case .logout:
            return "backchannel_logout_supported \(metadata.backchannelLogoutSupported.map { "\($0)" } ?? "absent"), "
                + "frontchannel_logout_supported \(metadata.frontchannelLogoutSupported.map { "\($0)" } ?? "absent")"
        case .profile:
            return "authorization_response_iss_parameter_supported \(metadata.sendsResponseIssuer), "
                + "tls_client_certificate_bound_access_tokens \(metadata.bindsTokensToCertificates)"
        }
    }

    private func made(_ made: LoginDemands.Made) -> String {
        made.signature.names + (made.mustBeEncrypted ? ", encrypted" : "")
    }

    private func said(_ member: String, _ list: [String]?) -> String {
        guard let list else { return "\(member) absent" }
        return
            "\(member) \(list.isEmpty ? "empty" : ShownText.plain(list.prefix(20).joined(separator: " "), limit: 400))"
    }

    /// What to change for one problem: at the server first, for what is configured is what was wanted.
    func remedies(_ problem: SuitabilityProblem) -> [String] {
        let key = "clients.\(login.name)"
        switch problem.check {
        case "CA-01":
            return [
                "at the authorization server: allow this client the method that is configured",
                "in this configuration: set \(key).authentication.method to one that the server offers",
            ]
        case "CF-01": return ["at the authorization server: offer response_type code"]
        case "CF-05":
            return [
                "at the authorization server: support PKCE with S256, and say so in its metadata (RFC 8414 §2)",
                "in this configuration, if the server checks it without saying so: set \(key).assume_pkce: true",
            ]
        case "PAR-06":
            return [
                "in this configuration: set \(key).authorization_request to "
                    + (login.authorization.form.isPushed ? "signed or plain" : "pushed or pushed_signed")
            ]
        case "JAR-01", "JAR-09":
            return [
                "in this configuration: set \(key).authorization_request or \(key).request_object to what the server takes",
                "at the authorization server: allow the form, and the algorithm, that is configured",
            ]
        case "JAR-10": return ["in this configuration: set \(key).request_object.encryption to what the server offers"]
        case "OIDC-05":
            return [
                "in this configuration: set \(key).id_token.algorithm to what the server signs this client's ID tokens with",
                "at the authorization server: sign this client's ID tokens as configured",
            ]
        case "OIDC-11", "CF-28":
            let part = problem.check == "CF-28" ? "response" : "id_token"
            return [
                "in this configuration: set \(key).\(part) and decryption_keys to what the server offers",
                "at the authorization server: sign and encrypt for this client as configured",
            ]
        case "MD-08":
            return [
                "in this configuration, if that port belongs to the server: add it to allow_ports of the issuer",
                "at the authorization server: name an endpoint at port 443, or at the issuer's own host",
            ]
        default: break
        }
        if problem.configured.hasPrefix("userinfo") {
            return ["in this configuration: set \(key).userinfo: off, if the ID token has what is needed"]
        }
        if problem.configured.hasPrefix("response_mode") {
            return ["in this configuration: set \(key).response_mode to one that the server offers"]
        }
        if problem.configured.hasPrefix("logout") {
            return [
                "at the authorization server: turn its logout channel on; logins begin without it, and sessions here do "
                    + "not learn of logouts there"
            ]
        }
        if problem.configured.contains("dpop") {
            return [
                "at the authorization server: support DPoP with ES256",
                "in this configuration: set \(key).dpop: off, if Bearer tokens will do",
            ]
        }
        return ["at the authorization server: offer it; in this configuration: name another issuer in \(key).issuer"]
    }
}
