import Crypto
import OAuth
import Sessions

/// What one login is to be, once everything that is not its own is known.
struct LoginPlan: Sendable {
    /// Where the browser goes on afterwards.
    var returnTo: String
    var fragment: String?
    var keepsForm = false
    var loginHint: String?
    /// The server asks its user who they are.
    var isOtherAccount = false
    /// What is demanded beyond a login.
    var demand: LoginTransaction.Demand?
    /// How many logins were begun for this before.
    var attempts: UInt8 = 0
    /// The server may show nothing: it knows the user, or the answer is no (OIDC-16).
    var isSilent = false
    /// The server may show nothing yet: where it knows nobody, another login is begun that it may show its page for.
    var isSilentFirst = false
    /// Of how many logins for the same the server may make up its own mind; the one behind them asks its user.
    private var unforced: UInt8 = 1

    /// The plan of a browser's own start.
    init(_ request: StartRequest, at place: LoginClient) {
        returnTo = request.returnTo
        fragment = request.fragment
        keepsForm = request.keepsForm
        loginHint = request.loginHint
        isOtherAccount = request.isOtherAccount
        demand = request.stepUp.map {
            let stepUp = place.settings.uses.stepUps[$0]
            return LoginTransaction.Demand(acrValues: stepUp.acrValues, maximumAge: stepUp.maximumAge)
        }
        isSilentFirst = place.isSilentFirst(demand: demand, isOtherAccount: isOtherAccount)
    }

    /// A login that shows nothing, and comes back to the session endpoint.
    init(silentAt place: LoginClient) {
        // No start of a browser's can name this path: what comes back there was asked for in silence.
        returnTo = place.path(.session)
        isSilent = true
    }

    /// The one more attempt after a login that did not do (STEP-04, CF-24), or that was asked for in silence first.
    init(again transaction: LoginTransaction, at place: LoginClient) {
        returnTo = transaction.returnTo
        fragment = transaction.fragment
        keepsForm = transaction.keepsForm
        isOtherAccount = transaction.isOtherAccount
        demand = transaction.stepUp
        attempts = transaction.attempts &+ 1
        unforced = transaction.unforced(at: place)
    }

    /// What is asked for at the server beyond what always is.
    var stepUp: StepUp? {
        guard demand != nil || attempts >= unforced else { return nil }
        return StepUp(
            acrValues: demand?.acrValues ?? [], maximumAge: demand?.maximumAge, forcesPrompt: attempts >= unforced)
    }

    /// The client's settings as far as this login changes them.
    func settings(of place: LoginClient) -> AuthorizationRequestSettings {
        var settings = place.settings.authorization
        if let loginHint { settings.loginHint = loginHint }
        if isSilent || isSilentFirst { settings.prompt = "none" }
        if isOtherAccount {
            settings.prompt =
                settings.isOpenID ? Self.promptForOtherAccount(settings.prompt) : settings.prompt ?? "select_account"
        }
        return settings
    }

    /// What is configured where it lets the user choose; otherwise `login`, which every server has to know (OpenID Connect
    /// Core §15.1) and at which nearly every one offers another account.
    static func promptForOtherAccount(_ configured: String?) -> String {
        let words = (configured ?? "").split(separator: " ").filter { $0 != "none" }
        if words.contains("select_account") || words.contains("login") { return words.joined(separator: " ") }
        return (["login"] + words).joined(separator: " ")
    }

    func transaction(seed: Secret, at place: LoginClient) -> LoginTransaction {
        var transaction = LoginTransaction(
            seed: seed, returnTo: returnTo, createdAt: place.now, client: place.settings.name)
        transaction.stepUp = demand
        transaction.attempts = attempts
        transaction.keepsForm = keepsForm
        transaction.isOtherAccount = isOtherAccount
        transaction.fragment = fragment
        return transaction
    }
}

extension LoginTransaction {
    /// Whether its user is to notice nothing, whatever comes of it.
    func isSilent(at place: LoginClient) -> Bool { returnTo.utf8.elementsEqual(place.path(.session).utf8) }

    /// Whether the server was to show nothing yet: what it says no to then is asked again, with its page.
    func isSilentFirst(at place: LoginClient) -> Bool {
        attempts == 0 && !isSilent(at: place)
            && place.isSilentFirst(demand: stepUp, isOtherAccount: isOtherAccount)
    }

    /// How many logins for the same come before the one that makes the server ask its user.
    func unforced(at place: LoginClient) -> UInt8 {
        place.isSilentFirst(demand: stepUp, isOtherAccount: isOtherAccount) ? 2 : 1
    }

    /// The start of another login for the same.
    func start(at place: LoginClient) -> String {
        let index = stepUp.flatMap { demand in
            place.settings.uses.stepUps.firstIndex {
                $0.acrValues == demand.acrValues && $0.maximumAge == demand.maximumAge
            }
        }
        var request = StartRequest(returnTo: isSilent(at: place) ? place.settings.start.page : returnTo)
        request.stepUp = index
        request.keepsForm = keepsForm
        request.isOtherAccount = isOtherAccount
        return request.path(at: place)
    }
}

extension LoginClient {
    /// Whether a login asks the server in silence first: not where its user is to do something there.
    fileprivate func isSilentFirst(demand: LoginTransaction.Demand?, isOtherAccount: Bool) -> Bool {
        settings.start.isSilentFirst && demand == nil && !isOtherAccount
    }
}
