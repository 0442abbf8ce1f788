import JSON
public import OAuth

extension PushRefusal {
    /// The requirement row of the check that failed.
    public var check: String {
        switch self {
        case .refused, .clientRefused, .unavailable: "PAR-05"
        case .nonceDemanded: "DPOP-41"
        case .status, .tooLarge, .contentType, .notJSON, .notAnObject, .missingMember, .memberMalformed: "PAR-03"
        }
    }

    /// What the operator's log says was wanted.
    public var expected: String {
        switch self {
        case .refused: "a pushed request that the server takes: look at what is registered for this client"
        case .clientRefused: "client authentication that the server takes"
        case .nonceDemanded: "an answer to a proof with the nonce that the server gave"
        case .unavailable, .status: "status 201"
        case .tooLarge: "at most \(PushedAuthorization.maximumBytes) bytes"
        case .contentType: "application/json"
        case .notJSON, .notAnObject: "a JSON object"
        case .missingMember(let name): "member \(name)"
        case .memberMalformed("request_uri"):
            "request_uri of 1 to \(PushedAuthorization.maximumRequestURIBytes) visible ASCII characters"
        case .memberMalformed("expires_in"): "expires_in as a positive integer"
        case .memberMalformed(let name): "member \(name) of the type that its specification gives it"
        }
    }

    /// What the operator's log says was found; nothing of it is secret.
    public var found: String {
        switch self {
        case .refused(let error), .clientRefused(let error): error.found
        case .nonceDemanded: "use_dpop_nonce again"
        case .unavailable(let status, let seconds):
            "status \(status)" + (seconds.map { ", to be asked again after \($0) s" } ?? "")
        case .status(let status): "status \(status)"
        case .tooLarge(let bytes): "\(bytes) bytes"
        case .contentType(let type): type.isEmpty ? "no Content-Type" : "Content-Type \(Unverified.quote(type))"
        case .notJSON(let cause): cause.found
        case .notAnObject: "JSON that is no object"
        case .missingMember(let name): "no \(name)"
        case .memberMalformed(let name): "\(name) of another type, length or form"
        }
    }
}

extension ErrorResponse {
    /// For an operator's log: the status and what the server says of it, whose characters were checked.
    fileprivate var found: String {
        var parts = ["status \(status)"]
        parts.append(code.map { "error \($0)" } ?? "no error code")
        if let description { parts.append("description \(description)") }
        return parts.joined(separator: ", ")
    }
}
