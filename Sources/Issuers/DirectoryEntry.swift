import OAuth

extension IssuerDirectory {
    /// One issuer of one directory.
    struct Place: Sendable, Equatable {
        let directory: IssuerDirectory
        let index: Int

        static func == (one: Place, other: Place) -> Bool {
            one.directory === other.directory && one.index == other.index
        }
    }

    /// What a directory knows of one issuer, and what it does about it.
    struct Entry: Sendable {
        let requests: IssuerRequests
        /// What the operator says of the issuer in the place of metadata.
        let stated: ServerMetadata?
        var state: KeySetState
        /// What is to be told when the directory starts.
        var announcements: [KeySetState.Step] = []
        /// Who asked for a refresh and was not looked at yet.
        var refreshRequests: Set<KeyRequester> = []
        var reading: Task<Void, Never>?
        var timer: Task<Void, Never>?
        /// Stopped directories that wait for the end of a refresh, each for somebody who still works with it.
        var askers: [Place] = []
        /// Only where the keys are not discovered and the endpoints are wanted all the same.
        var endpoints: EndpointState?
        var endpointReading: Task<Void, Never>?
        var endpointTimer: Task<Void, Never>?
        /// Its state goes on from where the same issuer of another directory stood.
        var isContinued = false
        /// Whose state was, or will be, taken over, until that directory is stopped.
        var predecessor: Place?
        /// Who has taken this state over, and answers for it from then on.
        var successor: Place?

        /// An issuer as it is before `start()`; `previous` is the one of the same name in the directory before.
        init(_ settings: IssuerSettings, after previous: Place?, at now: Moment) {
            let plan = KeySetPlan(settings)
            let known = previous.map { $0.directory.look(at: $0.index) { $0 } }
            requests = IssuerRequests(settings: settings)
            stated = settings.endpoints.flatMap {
                ServerMetadata.stated(
                    issuer: settings.url, authorization: $0.authorization, token: $0.token, revocation: $0.revocation)
            }
            endpoints = settings.readsMetadataForEndpoints ? EndpointState() : nil
            if let known, settings.continues(known.requests.settings) {
                state = known.state
                isContinued = true
                predecessor = previous
                goOn(from: known, at: now)
                return
            }
            if let known {
                state = KeySetState(
                    plan: plan, after: known.state, isSameServer: known.requests.settings.url == settings.url)
                // Whoever shows the state by name must not go on showing the other one's.
                announcements = plan.source == .document ? [] : [.publish]
            } else {
                state = KeySetState(plan: plan)
            }
            guard case .document(let bytes) = settings.keys else { return }
            do throws(IssuerRefusal) {
                let keys = try IssuerRequests.keySet(from: bytes)
                announcements = state.keysAccepted(keys, maxAgeSeconds: nil, at: now)
            } catch {
                announcements = state.refused(error, at: now)
            }
        }

        /// Takes over what `other`, the same issuer elsewhere, knows; what is under way there is begun again here.
        mutating func goOn(from other: Entry, at now: Moment) {
            let isTrustChanged = !requests.settings.trusts(as: other.requests.settings)
            state = other.state.continued(plan: KeySetPlan(requests.settings), readsAnew: isTrustChanged, at: now)
            guard endpoints != nil, let known = other.endpoints else { return }
            endpoints = known.continued(readsAnew: isTrustChanged, at: now)
        }

        /// What the issuer says about itself, from whichever part reads it, or what is said of it.
        var metadata: ServerMetadata? { stated ?? endpoints?.metadata ?? state.metadata }

        /// Keys, or the lack of them, are known, and endpoints or their lack where they are read apart.
        var isSettled: Bool { state.status.readiness != .waiting && (endpoints?.isSettled ?? true) }

        func cancel() {
            reading?.cancel()
            timer?.cancel()
            endpointReading?.cancel()
            endpointTimer?.cancel()
        }
    }
}

extension IssuerSettings {
    /// Whether what is known of an issuer under `other` is as good under these settings.
    func continues(_ other: IssuerSettings) -> Bool {
        name == other.name && url == other.url && discovery == other.discovery && keys == other.keys
            && endpoints == other.endpoints
    }

    /// Whether these settings trust the same answers of the issuer as `other`.
    func trusts(as other: IssuerSettings) -> Bool {
        certificateAuthorityFile == other.certificateAuthorityFile && allowPrivate == other.allowPrivate
            && allowPorts == other.allowPorts && insecureAllowHTTP == other.insecureAllowHTTP
    }
}
