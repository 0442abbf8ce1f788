import Crypto
import EventLoop
import HTTPMessage
import Issuers
import Login

/// What one worker asks others in the process, and how much of that is under way.
struct Questions {
    /// How long a request waits for a token for its upstream, in milliseconds; the service gives up first.
    static let exchangeTimeout = 10_500
    /// How long a request waits for its session's refresh, in milliseconds (RF-01); the service gives up first, so that a
    /// token that is still valid is used (RF-06).
    static let refreshTimeout = 5500
    /// How long a request waits for what the store says of its proof, in milliseconds: longer than a link may be told to
    /// wait, so that the link's word comes first.
    static let proofTimeout = 5500
    /// How long a login's request waits for its answer, in milliseconds; several questions to a server may be in it.
    static let loginTimeout = 35_000
    /// Login requests of one worker that are answered at the same time.
    static let loginLimit = 512
    /// Those of them that starts and callbacks leave to what must work beside any number of them: logouts, the
    /// authorization server's word on them, sessions.
    static let loginReserve = 128
    /// Login requests of one worker that wait for a place among these; starts and callbacks leave the reserve here too.
    static let loginQueueLimit = 1408
    /// How long they wait, in milliseconds: a person has not given up by then.
    static let loginQueueTimeout = 10_000
    /// Bytes of login requests that one worker holds while their bodies arrive, or while they wait for a place.
    static let loginBodyLimit = 32 << 20
    /// Those of these bytes that starts and callbacks leave to logouts and the like.
    static let loginBodyReserve = 8 << 20

    /// What each client may have the issuers asked for nothing; one for all workers, for it is one server that they ask.
    let failures: FailureBudget
    /// Asks the issuer directory for a refresh; the answer comes back as `keysArrived`.
    let requestKeys: @Sendable (_ issuer: Int, _ client: AskingClient, _ trace: TraceParent?) -> Void
    /// Asks an authorization server about a token; the answer comes back through the loop's inbox.
    let ask: AskServer
    /// Has a login's request answered; the answer comes back as `loginAnswered`.
    let askLogin: @Sendable (_ request: LoginRequest, _ ticket: UInt64) -> Void
    /// Has a session loaded or refreshed; the answer comes back as `sessionAnswered`.
    let askSession: AskSession
    /// What replicas have in common; nil for a process by itself.
    let store: WorkerStore?
    /// Asks it about proofs; nil where nobody does.
    var proofs: (any ProofSharing)?
    /// What was asked and is not answered yet.
    var underWay = UnderWay()

    /// What goes on, whichever configuration is served: logins are answered by the one that their requests came by.
    struct UnderWay {
        /// Login requests that are being answered.
        var logins = 0
        /// Those of them that begin or complete a login.
        var beginnings = 0
        /// Login requests that wait until one of these is answered.
        var queued = 0
        /// Bytes of login requests' bodies that are not complete yet.
        var bodyBytes = 0
        /// Those of them that begin or complete a login.
        var beginningBodyBytes = 0
        /// Login requests so far, of which each has its number as ticket.
        var tickets: UInt64 = 0
        /// Who waits for what the store says of a proof.
        var proofs = ProofTickets()
    }

    /// Nothing was asked yet, but what is `old`'s: who is asked changes with the configuration, and what is under way
    /// does not.
    init(
        _ resources: SharedResources, _ context: WorkerContext, on loop: EventLoop, continuing old: Questions? = nil
    ) {
        failures = resources.failures
        requestKeys = context.requestKeys
        ask = context.ask
        askLogin = context.askLogin
        askSession = context.askSession
        store = WorkerStore.make(loop, resources, context, continuing: old?.store)
        // Whoever was put there by hand stays; a store that is gone does not.
        proofs = store ?? (old?.store == nil ? old?.proofs : nil)
        if let old { underWay = old.underWay }
    }
}
