import OAuth

/// `response` of a client: what a signed authorization response must be (JARM §2.3).
enum ResponseSection {
    static let shape = ObjectShape(
        noun: "the rules of signed responses",
        keys: [
            KeyDescription(
                "algorithm", IDTokenSection.algorithms, .optional, example: "PS256",
                "What they are signed with, as registered at the server; what id_token.algorithm says by default."),
            KeyDescription(
                "encrypted", .boolean, .standard("false"),
                "Takes encrypted ones alone; decryption_keys are needed."),
        ])

    /// What the client's responses are; nil after a problem has been noted.
    ///
    /// `standard` is how they are signed where nobody says.
    static func translate(
        _ client: CheckedObject, _ credentials: ClientCredentials, standard: IDTokenRules.Signature,
        _ problems: ProblemList
    ) -> LoginDemands.Made? {
        guard let object = client.object("response") else { return LoginDemands.Made(signature: standard) }
        return IDTokenSection.made(
            object, of: client, credentials, standard: standard, noun: "encrypted responses", problems)
    }

    /// Notes rules for something that is not asked for.
    static func judge(_ client: CheckedObject, _ request: AuthorizationRequestSettings, _ problems: ProblemList) {
        guard client.says("response"), !request.responseMode.isSigned else { return }
        problems.error(
            at: client.place(of: "response"), expected: "a signed response_mode beside response",
            found: request.responseMode.rawValue,
            remedy: "write  response_mode: jwt  (or query.jwt, form_post.jwt), or leave response out")
    }
}
