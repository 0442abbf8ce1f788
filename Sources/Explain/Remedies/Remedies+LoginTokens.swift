import Access
import Gateway

/// What ends a login once the server was asked for tokens.
extension CheckFacts {
    var loginCodeRefused: Remedy {
        Remedy(
            "The server did not take the code: \(ShownText.plain(found)).",
            .client("begin the login again: codes are good once, and not for long"),
            .server("see its log: redirect_uri, code_verifier or the client may differ from the request's"))
    }

    var loginClientRefused: Remedy {
        Remedy(
            "The server does not know this gateway by its credentials: \(ShownText.plain(found)).",
            .server("register the client's id, its authentication method and its key or secret"),
            .configuration("clients.CLIENT.authentication: method, key and key_id as registered"),
            .configuration(
                "clients.CLIENT.authentication.audience", "issuer, token_endpoint or endpoint",
                "if the server wants another aud in assertions"),
            .machine("set the clock: assertions live for a minute"),
            Self.explainLogin)
    }

    var loginTokenUnavailable: Remedy {
        Remedy(
            "The token endpoint did not answer: \(ShownText.plain(found)).",
            .machine("see whether it reaches token_endpoint"), .server("see its log"))
    }

    var loginTokenAnswerInvalid: Remedy {
        Remedy(
            "The token endpoint's answer is no token response: \(ShownText.plain(found)).",
            .server("answer as RFC 6749 §5.1 has it"),
            .configuration("clients.CLIENT.lenient_expires_in", "true", "if expires_in is a text of digits"))
    }

    var loginTokenTypeWrong: Remedy {
        Remedy(
            "The server issued another kind of token than was asked for: \(ShownText.plain(found)).",
            .server("bind this client's tokens by DPoP, as its metadata promises"),
            .configuration("clients.CLIENT.dpop", "optional or off", "if Bearer tokens will do"))
    }

    var loginNonceDemanded: Remedy {
        Remedy(
            "The server asks for a nonce in DPoP proofs, and for another one when it gets it.",
            .server("take the nonce that it has sent last (RFC 9449 §8)"))
    }

    var loginScopeNotGranted: Remedy {
        Remedy(
            "The server granted fewer scopes than every route of this client needs: \(ShownText.plain(found)).",
            .server("let this client, and this user, have them"),
            .configuration("\(routeKey).login.scopes: only what the route needs"))
    }

    var loginIDTokenMissing: Remedy {
        Remedy(
            "The token response has no ID token.",
            .configuration("clients.CLIENT.scopes", "openid among them"),
            .server("allow this client the scope openid"))
    }

    var loginIDTokenInvalid: Remedy {
        Remedy(
            "The ID token is not good for this login: \(ShownText.plain(found)).",
            .configuration("clients.CLIENT.id_token.algorithm: as this client's ID tokens are signed"),
            .configuration("issuers.ISSUER.url: the issuer byte for byte"),
            .server("put this client's id into aud, and the request's nonce into nonce"),
            .machine("set the clock"))
    }

    var loginIDTokenUnsuitable: Remedy {
        Remedy(
            "The ID tokens of this server are not what is configured: \(ShownText.plain(found)).",
            .configuration("clients.CLIENT.id_token.algorithm: as this client's ID tokens are signed"),
            .configuration("clients.CLIENT.id_token.encrypted and decryption_keys: as they are encrypted"),
            .configuration("issuers.ISSUER.url: the issuer byte for byte"),
            .server("sign this client's ID tokens as registered, for its id alone in aud"),
            Self.explainLogin)
    }

    var loginKeysUnavailable: Remedy {
        Remedy(
            "The keys that ID tokens are checked with are not at hand.",
            .machine("see whether it reaches jwks_uri"), .server("see whether it runs"))
    }

    var loginAuthenticationInsufficient: Remedy {
        Remedy(
            "The user was not authenticated as the route demands, even when asked again: \(ShownText.plain(found)).",
            .client("log in with what the route asks for, such as a second factor"),
            .server("honour acr_values and max_age, and put acr and auth_time into ID tokens"),
            .configuration("\(routeKey).login.acr_values: values that this server knows"))
    }

    var loginUserInfoInvalid: Remedy {
        Remedy(
            "The userinfo endpoint gave no good answer: \(ShownText.plain(found)).",
            .server("answer with the sub of the ID token"),
            .configuration("clients.CLIENT.userinfo", "optional or off", "if the ID token has what is needed"),
            .configuration("clients.CLIENT.identity_from: the endpoints and the member as the server documents them"))
    }

    var loginSessionTooLarge: Remedy {
        Remedy(
            "The session would not fit into the cookies that browsers keep: \(ShownText.plain(found)).",
            .server("put fewer claims into ID tokens, and issue shorter tokens"),
            .configuration("clients.CLIENT.session.store", "memory", "if one process serves this host"))
    }
}
