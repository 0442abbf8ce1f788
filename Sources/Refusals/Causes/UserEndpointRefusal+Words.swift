import JSON
package import OAuth

extension UserEndpointRefusal {
    /// The requirement row of the check that failed.
    package var check: String {
        switch self {
        case .notAList, .addressMalformed, .primaryRepeated: "OIDC-19"
        default: "OIDC-18"
        }
    }

    /// What the operator's log says was wanted of the endpoint that `place` names.
    package func expected(of place: String) -> String {
        switch self {
        case .status: "status 200 of \(place)"
        case .tooLarge: "at most \(UserEndpoint.maximumBytes) bytes of \(place)"
        case .contentType: "content type application/json of \(place)"
        case .notJSON, .notAnObject: "a strict JSON object of \(place)"
        case .subjectMissing(let member): "a member \(Unverified.quote(member)) of \(place)"
        case .subjectMalformed(let member):
            "a text of at most 255 printable ASCII characters or a whole number in \(Unverified.quote(member)) of \(place)"
        case .notAList: "a strict JSON list of \(place)"
        case .addressMalformed: "email, primary and verified in each entry of \(place)"
        case .primaryRepeated: "one primary address in \(place)"
        }
    }

    /// What the operator's log says was there instead; never a word about the user.
    package var found: String {
        switch self {
        case .status(let status): "status \(status)"
        case .tooLarge: "more"
        case .contentType(let type): "content type \(Unverified.quote(type))"
        case .notJSON(let cause): cause.found
        case .notAnObject, .notAList: "another JSON value"
        case .subjectMissing: "none"
        case .subjectMalformed: "another value"
        case .addressMalformed: "an entry without them"
        case .primaryRepeated: "several"
        }
    }
}
