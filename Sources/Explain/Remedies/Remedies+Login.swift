import Access
import Gateway

/// What ends a login before the server was asked for tokens.
extension CheckFacts {
    static let explainLogin = Remedy.Step.machine(
        "run portcullis explain with --login CLIENT: it holds this configuration against what the server offers")
    private static let again = Remedy.Step.client("begin the login again")

    var loginStartMalformed: Remedy {
        Remedy(
            "The address that begins a login has parameters that it may not have.",
            .client(
                "use the address that the gateway gave, with return_to and a path of this site, and nothing twice"
            ),
            .configuration(
                "clients.CLIENT.third_party_start", "true", "if others begin logins with iss and login_hint"))
    }

    var loginLoop: Remedy {
        Remedy(
            "Logins ended one after the other, and there was no session again: the browser does not keep its cookie.",
            .client("allow cookies of this site, and open it by https and the name that public_url has"),
            .front("pass Set-Cookie on unchanged, and Host as the browser sent it"),
            .machine("set the clock: a session that began in the future or the past is over at once"),
            .configuration("clients.CLIENT.session.keys: the same files on all replicas"))
    }

    var loginServerUnavailable: Remedy {
        Remedy(
            "The authorization server's metadata is not at hand.",
            .machine("see whether it reaches the issuer's /.well-known/openid-configuration"),
            .server("see whether it runs"), Self.explainLogin)
    }

    var loginServerUnsuitable: Remedy {
        Remedy(
            "The authorization server does not offer what is configured: \(ShownText.plain(found)).",
            Self.explainLogin, .server("turn on what is missing for this client"))
    }

    var loginPushRefused: Remedy {
        Remedy(
            "The server did not take the pushed request: \(ShownText.plain(found)).",
            .server("register redirect_uri, scopes, request object algorithm and keys of this client"),
            Self.explainLogin)
    }

    var loginPushUnavailable: Remedy {
        Remedy(
            "The server could not be given the pushed request: \(ShownText.plain(found)).",
            .machine("see whether it reaches pushed_authorization_request_endpoint"), .server("see its log"))
    }

    var loginPushAnswerInvalid: Remedy {
        Remedy(
            "The server answered the pushed request with something else than a request_uri: \(ShownText.plain(found)).",
            .server("answer 201 with JSON: request_uri and expires_in (RFC 9126 §2.2)"),
            .configuration(
                "clients.CLIENT.authorization_request", "signed or plain", "if it does not support PAR"))
    }

    var loginRequestNotMade: Remedy {
        Remedy(
            "The authorization request could not be made: \(ShownText.plain(found)).",
            .configuration("clients.CLIENT.request_object: a key that signs, and a server's key to encrypt to"),
            .configuration(
                "clients.CLIENT.authorization_request", "pushed or pushed_signed", "if it is too long for a URL"
            ))
    }

    var loginsTooMany: Remedy {
        Remedy(
            "More logins were under way than the gateway has room for.",
            .configuration("workers: more of them"), .server("answer sooner"))
    }

    var clientLoginsTooMany: Remedy {
        Remedy(
            "One address has used up its share of what logins need: \(ShownText.plain(found)).",
            .client("send fewer"),
            .front("tell the clients' addresses, and name it in trusted_proxies"),
            .configuration(
                "limits.login_rate_per_client, login_burst_per_client or logins_per_client", "more",
                "if thousands of people share one address"))
    }

    var loginTimedOut: Remedy {
        Remedy(
            "The authorization server did not answer in time.",
            .server("see why it is slow"), .machine("see whether it reaches the server's endpoints"))
    }

    var loginResponseMalformed: Remedy {
        Remedy(
            "What came to the callback is no authorization response: \(ShownText.plain(found)).",
            Self.again,
            .server(
                "send code and state, each once, in the response_mode that was asked for (RFC 6749 §4.1.2)"))
    }

    var loginTransactionUnknown: Remedy {
        Remedy(
            "The browser did not bring the cookie of the login that this answer belongs to.",
            Self.again, .client("end a login in the browser, and at the host, that it began in; allow cookies"),
            .front("pass Cookie and Host on unchanged"),
            .configuration("clients.CLIENT.session.keys: the same files on all replicas"))
    }

    var loginTransactionExpired: Remedy { Remedy("The login took longer than ten minutes.", Self.again) }

    var loginTransactionUsed: Remedy {
        Remedy(
            "This answer of the server was used before: a reload, or the back button.",
            Self.again, .front("send no request twice"))
    }

    var loginResponseIssuerWrong: Remedy {
        Remedy(
            "The answer says that it is another server's, or not whose: \(ShownText.plain(found)) (RFC 9207).",
            .configuration("issuers.ISSUER.url: the issuer byte for byte, with or without a slash at its end"),
            .server("send iss as its metadata promises"))
    }

    var loginTokensInResponse: Remedy {
        Remedy(
            "The server sent tokens through the browser, which asked for a code.",
            .server("allow this client response_type code alone"))
    }

    var loginResponseNotSigned: Remedy {
        Remedy(
            "The answer had to be a signed one (JARM), and is none that is good: \(ShownText.plain(found)).",
            .server("sign responses to this client, by an algorithm and a key in its JWK Set"),
            .configuration("clients.CLIENT.response_mode", "query or form_post", "if the server has no JARM"))
    }

    var loginAccessDenied: Remedy {
        Remedy(
            "The user, or the server, said no: \(ShownText.plain(found)).",
            .server("allow this user to use this client"), .client("log in as another user, and consent"))
    }

    var loginServerBusy: Remedy {
        Remedy("The server says that it cannot answer now.", .server("see its log"), Self.again)
    }

    var loginResponseError: Remedy {
        Remedy(
            "The server answered with an error: \(ShownText.plain(found)).",
            .server("see its log for this client's request"), Self.explainLogin)
    }

    var logoutTokenInvalid: Remedy {
        Remedy(
            "The logout token is not good: \(ShownText.plain(found)).",
            .server(
                "send logout tokens of this client, signed as its ID tokens are (Back-Channel Logout §2.4)"),
            .configuration(
                "clients.CLIENT.logout.accept_without_expiry", "true", "if the server's have no exp"))
    }

    var logoutTokenUsed: Remedy {
        Remedy("The logout token was used before.", .server("send each logout token once, with a new jti"))
    }

    var loginRequestsTooMany: Remedy {
        Remedy(
            "Too many requests of this kind came from one address.",
            .client("send fewer"), .front("tell the clients' addresses, and name it in trusted_proxies"))
    }

    var requestObjectUnknown: Remedy {
        Remedy(
            "No request object is at this address, or not any more.",
            .server("fetch a request_uri at once, and as often as it needs within its life"), Self.again)
    }
}
