extension Refusal {
    /// What the client may fix, in RFC 6750 §3's characters: one constant for each cause that its credentials have, and nil
    /// for all others, which are the operator's to know.
    package var clientDescription: String? {
        switch template {
        case .request: descriptionOfRequest
        case .token: descriptionOfToken
        case .proof: descriptionOfProof
        case .nonce: "Resource server requires nonce in DPoP proof"
        case .stepUp:
            self == .authenticationTooOld
                ? "More recent authentication is required" : "A different authentication level is required"
        case .message, .noCredentials, .scope, .denied, .login, .page, .authorizationDown, .tooLarge, .slow, .plain,
            .badGateway:
            nil
        }
    }

    private var descriptionOfRequest: String {
        switch self {
        case .credentialsRepeated: "More than one set of credentials was sent"
        case .callTimeoutMalformed: "The grpc-timeout is no time"
        case .credentialsInQueryToo: "The token was sent in more than one way"
        case _: "The Authorization field is malformed"
        }
    }

    /// Of a token that does not count.
    ///
    /// Why a signature or a key failed is nobody's business, nor what a server said of it.
    private var descriptionOfToken: String {
        switch self {
        case .tokenTooLarge: "The access token is too large"
        case .tokenExpired: "The access token expired"
        case .tokenNotYetValid, .tokenIssuedInFuture: "The access token is not valid yet"
        case .tokenAudienceMissing: "The access token is not for this resource"
        case .tokenIssuerUnknown, .tokenIssuerNotAccepted: "The access token's issuer is not accepted here"
        case .tokenBoundToKey: "The access token is bound to a key and cannot be used as a bearer token"
        case .tokenNotBound: "The access token is not bound to a key"
        case .certificateMissing:
            "The access token is bound to a client certificate, and the connection has none"
        case .certificateMismatch:
            "The access token is bound to another client certificate than the connection's"
        case .proofKeyMismatch: "Invalid DPoP key binding"
        case .tokenTypeNotAccepted, .tokenLooksLikeIDToken, .tokenOfOtherPurpose: "The token is not an access token"
        case _: "The access token is invalid"
        }
    }

    /// Of a proof that does not count; of one that is not well formed or not signed by its key no more than that.
    private var descriptionOfProof: String {
        switch self {
        case .proofMissing: "A DPoP proof is required"
        case .proofRepeated: "More than one DPoP proof was sent"
        case .proofOutOfTime: "The DPoP proof is too old or from the future"
        case .proofMethodMismatch: "The DPoP proof is for another method"
        case .proofTargetMismatch: "The DPoP proof is for another URI"
        case .proofTokenMismatch: "The DPoP proof is for another access token"
        case .proofReplayed: "The DPoP proof was used before"
        case .proofAlgorithmNotAllowed: "The DPoP proof is signed by an algorithm that is not accepted here"
        case _: "The DPoP proof is invalid"
        }
    }
}
