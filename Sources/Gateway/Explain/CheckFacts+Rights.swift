import Access
import JSON
import OAuth

/// What the token allows, and what the upstream gets.
extension CheckFacts {
    func seenOfRights(_ check: ExplainedCheck) -> String? {
        switch check {
        case .scope: return ShownText.list(grantedScopes)
        case .authorizationDetails: return ShownText.json(claims?["authorization_details"])
        case .acr: return ShownText.json(claims?["acr"])
        case .maxAge: return seenTime("auth_time", in: claims)
        case .user:
            return
                "sub \(ShownText.json(claims?["sub"])), client_id \(ShownText.json(claims?["client_id"]))"
        case .claimRules:
            let rules = unmetRule.map { [$0] } ?? policy?.claims ?? []
            return rules.map { "\(name(of: $0)) \(ShownText.json(value(of: $0)))" }.joined(separator: "; ")
        case .body:
            return switch evidence.body {
            case .none: "no body"
            case .bytes(let count): "\(count) bytes"
            case .chunked: "chunked, of a length that is not announced"
            }
        case .exchange, .upstreamCredential, .upstream: return ""
        case .identity: return (route?.identity ?? []).map(\.name).joined(separator: " ")
        default: return nil
        }
    }

    /// The rule's claim as the configuration spells it.
    func name(of rule: ClaimRuleSettings) -> String { ShownText.plain(rule.claim.joined(separator: ".")) }

    func value(of rule: ClaimRuleSettings) -> JSONValue? {
        claims.flatMap { Claims.value(at: rule.claim, in: $0) }
    }

    /// What the route, or else the gateway, says of a request's body.
    var bodyLimit: Int64? {
        switch route?.limits.requestBody {
        case .bytes(let count): count
        case .unlimited: nil
        case nil: settings.limits.requestBody
        }
    }

    func wantedOfRights(_ check: ExplainedCheck) -> String? {
        switch check {
        case .scope: return ShownText.allOf(neededScopes)
        case .authorizationDetails: return authorizationDetails.map(describe).joined(separator: " and ")
        case .acr: return ShownText.oneOf(policy?.acrValues ?? [])
        case .maxAge: return policy?.maxAgeSeconds.map { "at most \($0) s ago" } ?? ""
        case .user: return "sub and client_id that differ"
        case .claimRules:
            let rules = unmetRule.map { [$0] } ?? policy?.claims ?? []
            return rules.map { "\(name(of: $0)) one of \(ShownText.list($0.anyOf))" }.joined(separator: "; ")
        case .body: return bodyLimit.map { "at most \($0) bytes" } ?? ""
        case .identity: return "at most 32768 bytes of fields"
        case .exchange: return "a token of the authorization server for the upstream"
        case .upstreamCredential: return "a token that anybody may use, bound to nothing"
        case .upstream: return "an answer"
        default: return nil
        }
    }

    private func describe(_ rule: AuthorizationDetailsRule) -> String {
        var words = ["type \(ShownText.quote(rule.type))"]
        if !rule.actions.isEmpty { words.append("actions \(ShownText.list(rule.actions))") }
        if !rule.locations.isEmpty { words.append("locations \(ShownText.list(rule.locations))") }
        if !rule.dataTypes.isEmpty { words.append("datatypes \(ShownText.list(rule.dataTypes))") }
        if !rule.privileges.isEmpty { words.append("privileges \(ShownText.list(rule.privileges))") }
        if let identifier = rule.identifier { words.append("identifier \(ShownText.quote(identifier))") }
        return words.joined(separator: ", ")
    }
}
