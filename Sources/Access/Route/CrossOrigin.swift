import Bytes
package import HTTPMessage

/// What a request of a page elsewhere gets (the Fetch standard's CORS protocol; HTTP-71, HTTP-72, T-46).
package struct CrossOrigin: Sendable, Equatable {
    /// The lines that the answer says to the page.
    package enum Lines: Sendable, Equatable {
        /// None.
        case none
        /// Those for anyone.
        case anyone
        /// Those for the origin at this place of the route's list.
        case origin(Int)
    }

    /// A browser's own question whether another request may follow.
    package enum Preflight: Sendable, Equatable {
        /// It is none.
        case none
        /// The gateway answers it, for the origin at this place of the route's list or for anyone.
        case answered(origin: Int?)
        /// The upstream answers it, without anybody's identity and credentials.
        case forwarded
    }

    /// Which lines the answer carries.
    package var lines = Lines.none
    /// It is of a script of a page that the route names, which acts with its user's session (SC-09).
    package var isOfListedOrigin = false
    /// Whether it is a browser's question.
    package var preflight = Preflight.none

    /// A request of no page elsewhere.
    package init() {}
}

extension CORSPolicy {
    /// What the refusal of a preflight says to the page.
    package var refusedLines: CrossOrigin.Lines { mode == .rules ? .anyone : .none }
}

extension HeadView {
    /// What the answer will say to the page that asks, and what a preflight gets.
    ///
    /// A browser sends a preflight without credentials by itself: it is judged before credentials are asked for, and
    /// never refused for the lack of any. Costs a request without `Origin` two looks. `origins` are those whose pages the
    /// route serves, `permitted` are its methods.
    package func crossOrigin(
        _ policy: borrowing CORSPolicy, _ origins: borrowing OriginList, _ permitted: borrowing MethodSet
    ) throws(Refused) -> CrossOrigin {
        var found = CrossOrigin()
        let isRuled = policy.mode == .rules
        let lines = count(of: .origin)
        guard lines > 0 else {
            if isRuled { found.lines = .anyone }
            return found
        }
        let origin = value(at: firstIndex(of: .origin))
        // Of two lines nobody could tell which page it was.
        let place = isRuled && lines == 1 ? policy.place(of: origin) : nil
        guard isPreflight else {
            if isRuled {
                found.lines = place.map { .origin($0) } ?? .anyone
                found.isOfListedOrigin =
                    place != nil && policy.takesCredentials && policy.methods.allowsScript(methodID, named: method)
            }
            return found
        }
        switch policy.mode {
        case .rules:
            guard place != nil || policy.isForAnyone else { throw refusal(ofPreflight: origin, policy) }
            found.preflight = .answered(origin: place)
        case .refused: throw refusal(ofPreflight: origin, policy)
        case .upstream:
            try checkOrigin(origins)
            let asked = value(at: firstIndex(of: .accessControlRequestMethod))
            // The upstream's answer would be for a request that never gets there.
            guard policy.methods.allowsScript(MethodSet.id(of: asked), named: asked) else {
                throw Refused(
                    .methodNotAllowed, expected: .text(permitted.allow),
                    found: .text(String(copying: asked.extracting(first: 32))))
            }
            found.preflight = .forwarded
        }
        return found
    }

    /// `OPTIONS` that asks, for a page, whether another method may follow; without content, as browsers send it.
    ///
    /// With content it is another request, and needs what every request needs.
    private var isPreflight: Bool {
        guard methodID == .options, count(of: .accessControlRequestMethod) > 0 else { return false }
        return framing == .none || framing == .length(0)
    }

    private func refusal(ofPreflight origin: Span<UInt8>, _ policy: borrowing CORSPolicy) -> Refused {
        Refused(
            .originNotAllowed, expected: .text(policy.expected),
            found: .text(String(copying: origin.extracting(first: 128))),
            check: "HTTP-71")
    }
}
