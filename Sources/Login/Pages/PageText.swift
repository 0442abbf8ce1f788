// SPDX-License-Identifier: Apache-2.0

/// What a person reads when a login does not go through: constant texts, nothing of the request (CF-24).
struct PageText: Sendable {
    /// How bad it looks.
    let mark: PageStyle.Mark
    /// The heading: what happened, in a few words.
    let title: String
    /// What happened, in a sentence or two.
    let story: [String]
    /// What to do, or what is probably wrong; the first one first.
    let advice: [String]
    /// Above the advice.
    let adviceTitle: String
    /// What the link to go on says.
    let action: String

    init(
        _ mark: PageStyle.Mark, _ title: String, _ story: [String], _ advice: [String] = [],
        adviceTitle: String = "What you can do", action: String = "Try again"
    ) {
        self.mark = mark
        self.title = title
        self.story = story
        self.advice = advice
        self.adviceTitle = adviceTitle
        self.action = action
    }

    /// The text for a refusal.
    static func of(_ refusal: LoginRefusal) -> PageText {
        switch refusal {
        case .startMalformed: startMalformed
        case .loginLoop: loop
        case .serverUnavailable, .pushUnavailable, .tokenUnavailable, .keysUnavailable, .serverBusy, .nonceDemanded:
            serverDown
        case .serverUnsuitable, .requestNotMade, .pushRefused, .pushAnswerInvalid, .clientRefused, .tokenAnswerInvalid,
            .tokenTypeWrong, .idTokenMissing, .userInfoInvalid:
            misconfigured
        case .sessionTooLarge: sessionTooLarge
        case .responseMalformed, .responseIssuerWrong, .tokensInResponse, .responseNotSigned: responseNotTrusted
        case .idTokenInvalid: idTokenInvalid
        case .transactionUnknown: unknown
        case .transactionExpired: expired
        case .transactionUsed: used
        case .accessDenied: denied
        case .responseError: responseError
        case .codeRefused: codeRefused
        case .scopeNotGranted: scopeNotGranted
        case .authenticationInsufficient: insufficient
        case .storeUnavailable, .refreshUnavailable: sessionDown
        case .sessionMissing: missing
        case .crossSite: crossSite
        case .logoutTokenInvalid, .logoutTokenUsed: logoutToken
        case .tooManyRequests: tooMany
        case .requestObjectUnknown: notFound
        case .methodNotAllowed: method
        }
    }
}

// MARK: beginning

extension PageText {
    private static let startMalformed = PageText(
        .warn, "This sign-in link does not work",
        ["The address that was opened to sign in is incomplete, or it is not allowed here."],
        [
            "Open the page that you wanted to see, and sign in from there.",
            "If you came from a bookmark or a link in a message, it may be out of date.",
        ], action: "Sign in")

    private static let loop = PageText(
        .warn, "Signing in keeps starting over",
        [
            "You have signed in several times within a minute, and each time this site did not recognise your "
                + "browser afterwards. We have stopped here, so that it does not go round in circles."
        ],
        [
            "Cookies: your browser does not send back the cookie that keeps you signed in. Allow cookies for this "
                + "site, and switch off extensions that block them.",
            "The clock: the date or the time of your device is wrong. Have it set automatically.",
            "The address: the page was opened with http:// instead of https://, or under another name than usual. "
                + "Type the usual address with https:// in front.",
            "If none of this fits, wait a minute, try once more, and then tell the people who run this site.",
        ], adviceTitle: "What is probably wrong", action: "Try once more")

    private static let serverDown = PageText(
        .warn, "Signing in is not possible right now",
        ["The service that checks who you are does not answer at the moment. You did nothing wrong."],
        ["Wait a minute, then try again.", "If it goes on, tell the people who run this site."])

    private static let misconfigured = PageText(
        .bad, "Signing in does not work here",
        [
            "This site and the service that checks who you are do not understand each other. You did nothing wrong, "
                + "and it will probably not go away by itself."
        ],
        ["Tell the people who run this site, and give them the request id below: it leads them to the cause."])

    private static let sessionTooLarge = PageText(
        .bad, "Signing in does not work here",
        [
            "You were signed in, but what this site has to remember of you is more than a browser can keep. You did "
                + "nothing wrong."
        ],
        ["Tell the people who run this site, and give them the request id below: it leads them to the cause."])
}

// MARK: coming back

extension PageText {
    private static let responseNotTrusted = PageText(
        .bad, "This sign-in could not be trusted",
        [
            "What came back is not what this site expects from the service that checks who you are. It was not used, "
                + "and you are not signed in."
        ],
        [
            "Start again from here. Do not follow the link that brought you to this page, if somebody sent it to you.",
            "If it happens again, tell the people who run this site.",
        ], action: "Sign in again")

    private static let idTokenInvalid = PageText(
        .bad, "This sign-in could not be verified",
        [
            "The proof of who you are did not pass the checks of this site. It was not used, and you are not signed in."
        ],
        ["Try again.", "If it happens again, tell the people who run this site: a clock may be wrong on one side."],
        action: "Sign in again")

    private static let unknown = PageText(
        .warn, "We could not match this sign-in to your browser",
        [
            "You came back from signing in, but this browser did not bring the cookie that was set when it began. So we "
                + "cannot be sure that it was you who began it."
        ],
        [
            "Cookies: they are blocked or were deleted in the meantime. Allow cookies for this site.",
            "The browser: you began in another one, in a private window, or inside an app. Stay in one browser until "
                + "you are back.",
            "The address: the page was opened with http:// instead of https://. Cookies for signing in travel over "
                + "https:// alone.",
            "The sign-in page was kept as a bookmark, or left open for a long time. Begin from the page you want to see.",
        ], adviceTitle: "What is probably wrong", action: "Sign in again")

    private static let expired = PageText(
        .warn, "Signing in took too long",
        [
            "For your safety a sign-in has to be finished within ten minutes of its beginning. You are not signed in yet."
        ],
        [
            "Start again; it is usually quick the second time.",
            "If you were quick, the clock of your device or of the server may be wrong.",
        ], action: "Sign in again")

    private static let used = PageText(
        .warn, "This sign-in was used already",
        ["Each sign-in works once. You may have gone back in your browser, or loaded a page twice."],
        ["If you are signed in by now, simply open the page you want to see.", "Otherwise sign in again."],
        action: "Go on")

    private static let denied = PageText(
        .warn, "You were not signed in",
        ["Signing in was cancelled, or your account may not use this site."],
        [
            "If you cancelled by mistake, try again.",
            "If you should have access, ask the people who run this site, or try another account.",
        ], action: "Sign in again")

    private static let responseError = PageText(
        .bad, "Signing in did not work",
        ["The service that checks who you are reported a problem. You are not signed in."],
        ["Try again.", "If it happens again, give the request id below to the people who run this site."],
        action: "Sign in again")

    private static let codeRefused = PageText(
        .warn, "This sign-in is no longer good",
        ["It was not finished in time, or it was used before. You are not signed in."],
        ["Start again; it is usually quick the second time."], action: "Sign in again")

    private static let scopeNotGranted = PageText(
        .warn, "A permission is missing",
        ["You signed in, but this site was not given all it needs to work for you."],
        [
            "Sign in again, and agree to all that is asked for.",
            "If you were not asked, your account may lack a right: ask the people who run this site.",
        ], action: "Sign in again")

    private static let insufficient = PageText(
        .warn, "A stronger sign-in is needed",
        ["This page wants you to sign in more recently or in a safer way, for example with a second factor."],
        [
            "Sign in again, and use your second factor when you are asked for it.",
            "If your account has none yet, set it up first.",
        ], action: "Sign in again")
}

// MARK: afterwards

extension PageText {
    private static let sessionDown = PageText(
        .warn, "We cannot check your sign-in right now",
        ["You are still signed in, but a service that this page depends on does not answer at the moment."],
        ["Wait a minute, then try again. Nothing is lost: you need not sign in again."])

    private static let missing = PageText(
        .calm, "You are not signed in", ["This page is for people who are signed in."], action: "Sign in")

    private static let crossSite = PageText(
        .bad, "This request came from another site",
        [
            "Another site, or an old browser, asked for something in your name. To protect you it was not done."
        ],
        ["If you wanted this yourself, go to the site directly and do it there."], action: "Go on")

    private static let logoutToken = PageText(
        .bad, "This message could not be accepted",
        ["Only the service that checks who you are may send messages to this address."])

    private static let tooMany = PageText(
        .warn, "Too many requests",
        ["Your network has asked for this too often within a short time."],
        ["Wait a minute, then try again."])

    private static let notFound = PageText(
        .calm, "There is nothing here", ["This address does not exist, or does not exist any more."])

    private static let method = PageText(
        .bad, "This cannot be asked for in this way", ["The address exists, but not for this kind of request."])
}
