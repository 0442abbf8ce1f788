import JOSE
package import OAuth

extension SuitabilityProblem {
    /// The requirement row that forbids going on.
    package var check: String { row.check }

    /// What is configured, with the key of the configuration it stands at.
    package var configured: String { row.configured }

    /// What the server says of it.
    package var offered: String {
        switch demand {
        case .requestObjectKey: "authorization_request needs signed request objects"
        case .pushedRequestOfProfile: "profile fapi2 takes pushed ones"
        default: statement ?? ""
        }
    }

    private var row: (check: String, configured: String) {
        switch demand {
        case .authorizationEndpoint, .tokenEndpoint: ("MD-07", "logins")
        case .userInfoEndpoint: ("MD-07", "userinfo is required")
        case .port(let ports): ("MD-08", ports.expected)
        case .codeFlow: ("CF-01", "response_type is code")
        case .codeChallengeS256: ("CF-05", "code_challenge_method is S256")
        case .statementOfPKCE: ("CF-05", "assume_pkce is false")
        case .authenticationMethod(let name): ("CA-01", "authentication.method is \(name)")
        case .assertionAlgorithm(let name): ("CA-01", "the algorithm of client assertions is \(name)")
        case .pushedRequest(let form), .pushedRequestOfProfile(let form):
            ("PAR-06", "authorization_request is \(form.rawValue)")
        case .requestObject(let form): ("JAR-09", "authorization_request is \(form.rawValue)")
        case .requestObjectAlgorithm(let algorithm): ("JAR-01", "request_object.algorithm is \(algorithm.name)")
        case .requestObjectKey: ("JAR-01", "request_object.key is absent")
        case .requestObjectKeyManagement(let name): ("JAR-10", "request_object.encryption.algorithm is \(name)")
        case .requestObjectEncoding(let name): ("JAR-10", "request_object.encryption.encoding is \(name)")
        case .responseMode(let mode): ("MD-07", "response_mode is \(mode.rawValue)")
        case .signature(of: let token, by: let names):
            (token == .response ? "CF-28" : "OIDC-05", "\(token.key).algorithm is \(names)")
        case .encryption(of: let token, by: let algorithms):
            (
                token == .response ? "CF-28" : "OIDC-11",
                "\(token.key).encrypted is true, by \(algorithms.joined(separator: " "))"
            )
        case .proofs(by: let algorithm): ("MD-07", "dpop is required, by \(algorithm.name)")
        case .logout(let channel): ("MD-07", "logout.\(channel == .back ? "back" : "front")channel is true")
        case .responseIssuer(let mode): ("MD-07", "profile is fapi2, response_mode is \(mode.rawValue)")
        case .boundTokens(let demand): ("MD-07", "profile is fapi2, dpop is \(demand)")
        }
    }
}

extension SuitabilityProblem.Token {
    /// The section of a client's settings.
    fileprivate var key: String {
        switch self {
        case .response: "response"
        case .idToken: "id_token"
        }
    }
}

extension EndpointPorts {
    /// What is allowed, for the operator's log.
    package var expected: String {
        let words = ports.map { "\($0)" }.joined(separator: " or ")
        return "port \(words), any port of \(host) by https, or one in allow_ports of the issuer"
    }
}
