import JSON
package import OAuth

extension TokenResponseRefusal {
    /// What the operator's log says was there instead; nothing of the answer is in it but names.
    package var found: String {
        switch self {
        case .refused(let error):
            "status \(error.response.status)" + (error.response.code.map { ", error \($0)" } ?? "")
                + (error.response.description.map { ", \"\($0)\"" } ?? "")
        case .status(let status): "status \(status)"
        case .tooLarge(let bytes): "\(bytes) bytes, more than \(TokenRequest.maximumBytes)"
        case .contentType(let type): type.isEmpty ? "no Content-Type" : "Content-Type \(Unverified.quote(type))"
        case .notJSON(let cause): cause.found
        case .notAnObject: "JSON that is no object"
        case .missingMember(let name): "no \(name)"
        case .memberMalformed(let name): "\(name) of another type, length or form than its specification gives it"
        case .tokenTypeWrong(let name): "token_type \(Unverified.quote(name))"
        }
    }
}
